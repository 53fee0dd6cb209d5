//! Visits by page as JSON. Pure. A busy month of a large domain has a hundred thousand entries, with which serde takes three
//! times as long: it looks at every letter of every name for what has to be escaped.

use super::report::{Bots, PathCount};

/// What an entry takes, with a path of middling length.
const ENTRY_BYTES: usize = 80;

/// Texts as JSON has them, one behind the other: most are written many times, and in another order.
#[derive(Default)]
pub struct JsonTexts(Vec<u8>);

/// Where a text is among them.
#[derive(Clone, Copy)]
pub struct JsonText {
    start: usize,
    bytes: usize,
}

impl JsonTexts {
    /// Adds a text.
    pub fn add(&mut self, text: &str) -> JsonText {
        let start = self.0.len();
        // To the end of it, which takes many letters at once.
        let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        if text.bytes().fold(false, |any, byte| any | is_escaped(byte)) {
            serde_json::to_writer(&mut self.0, text).expect("memory takes every byte");
        } else {
            self.0.push(b'"');
            self.0.extend(text.as_bytes());
            self.0.push(b'"');
        }
        JsonText { start, bytes: self.0.len() - start }
    }

    fn get(&self, text: JsonText) -> &[u8] {
        &self.0[text.start..][..text.bytes]
    }
}

impl Bots {
    /// As JSON.
    pub fn to_json(&self) -> Vec<u8> {
        let entries = self.by_provider.len() + self.by_served_by.len();
        let mut json = Vec::with_capacity(ENTRY_BYTES * (entries + 1));
        json.extend(b"{\"byProvider\":[");
        self.write_entries(&mut json, &self.by_provider, b",\"provider\":\"");
        json.extend(b"],\"byServedBy\":[");
        self.write_entries(&mut json, &self.by_served_by, b",\"servedBy\":\"");
        json.extend(b"]}");
        json
    }

    /// Writes entries of path, key and count, with commas between them. Keys are of our own lists and need no escaping.
    fn write_entries(&self, json: &mut Vec<u8>, entries: &[PathCount], key_follows: &[u8]) {
        let mut number = itoa::Buffer::new();
        for (at, entry) in entries.iter().enumerate() {
            json.extend(if at == 0 { "{\"path\":" } else { ",{\"path\":" }.as_bytes());
            json.extend(self.paths.get(entry.path));
            json.extend(key_follows);
            json.extend(entry.key.as_bytes());
            json.extend(b"\",\"count\":");
            json.extend(number.format(entry.visits).as_bytes());
            json.push(b'}');
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn every_path_comes_back_as_it_was() {
        let paths = ["/", "/a\"b\\c", "/\u{1}\n\t\u{7f}", "/ü/日本/\u{2028}", "/</script>"];
        let mut bots = Bots::default();
        for path in paths {
            let path = bots.paths.add(path);
            bots.by_provider.push(PathCount { path, key: "google", visits: 7 });
        }
        let first = PathCount { key: "cache", visits: u64::MAX, ..bots.by_provider[0] };
        bots.by_served_by.push(first);

        let written = bots.to_json();

        let entry = |path| json!({ "path": path, "provider": "google", "count": 7 });
        let expected = json!({
            "byProvider": paths.map(entry),
            "byServedBy": [{ "path": "/", "servedBy": "cache", "count": u64::MAX }],
        });
        assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), expected);
    }

    #[test]
    fn no_visits_are_two_empty_lists() {
        assert_eq!(Bots::default().to_json(), br#"{"byProvider":[],"byServedBy":[]}"#);
    }
}
