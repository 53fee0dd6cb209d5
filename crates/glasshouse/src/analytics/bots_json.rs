//! Visits by page as JSON. Pure. A busy month of a large domain has a hundred thousand entries, with which serde takes three
//! times as long: it looks at every letter of every name for what has to be escaped.

use super::report::Bots;

/// What an entry takes, with a path of middling length.
const ENTRY_BYTES: usize = 80;

impl Bots {
    /// As JSON.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json =
            Vec::with_capacity(ENTRY_BYTES * (self.by_provider.len() + self.by_served_by.len() + 1));
        json.extend(b"{\"byProvider\":[");
        let of_providers = self.by_provider.iter().map(|entry| (&*entry.path, entry.provider, entry.count));
        write_entries(&mut json, ",\"provider\":\"", of_providers);
        json.extend(b"],\"byServedBy\":[");
        let of_ways = self.by_served_by.iter().map(|entry| (&*entry.path, entry.served_by, entry.count));
        write_entries(&mut json, ",\"servedBy\":\"", of_ways);
        json.extend(b"]}");
        json
    }
}

/// Writes entries of path, key and count, with commas between them. Keys are of our own lists and need no escaping.
fn write_entries<'a>(
    json: &mut Vec<u8>,
    key_follows: &str,
    entries: impl Iterator<Item = (&'a str, &'static str, u64)>,
) {
    let mut number = itoa::Buffer::new();
    for (at, (path, key, count)) in entries.enumerate() {
        json.extend(if at == 0 { "{\"path\":" } else { ",{\"path\":" }.as_bytes());
        write_text(json, path);
        json.extend(key_follows.as_bytes());
        json.extend(key.as_bytes());
        json.extend(b"\",\"count\":");
        json.extend(number.format(count).as_bytes());
        json.push(b'}');
    }
}

fn write_text(json: &mut Vec<u8>, text: &str) {
    // To the end of it, which takes many letters at once.
    let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    if text.bytes().fold(false, |any, byte| any | is_escaped(byte)) {
        serde_json::to_writer(json, text).expect("memory takes every byte");
        return;
    }
    json.push(b'"');
    json.extend(text.as_bytes());
    json.push(b'"');
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::report::{PathProviderCount, PathServedByCount};
    use super::*;

    #[test]
    fn every_path_comes_back_as_it_was() {
        let paths = ["/", "/a\"b\\c", "/\u{1}\n\t\u{7f}", "/ü/日本/\u{2028}", "/</script>"];
        let by_provider =
            paths.map(|path| PathProviderCount { path: path.into(), provider: "google", count: 7 });
        let by_served_by = vec![PathServedByCount { path: "/".into(), served_by: "cache", count: u64::MAX }];

        let written = Bots { by_provider: by_provider.into(), by_served_by }.to_json();

        let entry = |path| json!({ "path": path, "provider": "google", "count": 7 });
        let expected = json!({
            "byProvider": paths.map(entry),
            "byServedBy": [{ "path": "/", "servedBy": "cache", "count": u64::MAX }],
        });
        assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), expected);
    }

    #[test]
    fn no_visits_are_two_empty_lists() {
        let written = Bots { by_provider: Vec::new(), by_served_by: Vec::new() }.to_json();

        assert_eq!(written, br#"{"byProvider":[],"byServedBy":[]}"#);
    }
}
