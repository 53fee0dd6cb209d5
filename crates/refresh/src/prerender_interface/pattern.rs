//! Patterns of addresses in Prerender's interface: `%` stands for any run of characters. Pure.

use url::{Position, Url};

/// A pattern: a host in full, and what follows it.
#[derive(Debug, PartialEq, Eq)]
pub struct AddressPattern {
    /// Host as it was sent. Every scheme and both names of a site are the same page.
    pub host: String,
    /// Texts between the wildcards of path and query, in order. At least two.
    pieces: Vec<String>,
}

impl AddressPattern {
    /// Parses a query. None: the query has no wildcard, and is one address. The error says what is wrong.
    pub fn parse(query: &str) -> Result<Option<AddressPattern>, &'static str> {
        let pieces = pieces_of(query);
        if pieces.len() < 2 {
            return Ok(None);
        }
        let rest = query.strip_prefix("https://").or_else(|| query.strip_prefix("http://"));
        let rest = rest.ok_or("must begin with https:// or http://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        if host.is_empty() || host.contains(['%', '@']) {
            return Err("must name the host in full");
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let pieces = pieces_of(&path).into_iter().map(as_in_addresses).collect();
        Ok(Some(AddressPattern { host: host.to_owned(), pieces }))
    }

    /// Decides whether a stored address matches, by path and query.
    pub fn matches(&self, url: &Url) -> bool {
        let text = &url[Position::BeforePath..];
        let [first, middle @ .., last] = self.pieces.as_slice() else { return false };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
        for piece in middle {
            // The first occurrence leaves the most for what follows.
            let Some(at) = rest.find(piece.as_str()) else { return false };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last.as_str())
    }
}

/// Splits a text at its wildcards: each `%` that two hexadecimal digits do not follow.
fn pieces_of(text: &str) -> Vec<&str> {
    let is_wildcard = |at: usize| {
        let digits = text.as_bytes().get(at + 1..at + 3);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices('%').filter(|(at, _)| is_wildcard(*at)) {
        pieces.push(&text[start..at]);
        start = at + 1;
    }
    pieces.push(&text[start..]);
    pieces
}

/// Returns a text with the characters encoded that stored addresses encode.
fn as_in_addresses(piece: &str) -> String {
    let mut encoded = String::with_capacity(piece.len());
    for byte in piece.bytes() {
        match byte {
            b'!'..=b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(query: &str, address: &str) -> bool {
        let pattern = AddressPattern::parse(query).expect("a well-formed query").expect("a wildcard");
        pattern.matches(&Url::parse(address).expect("an address"))
    }

    #[test]
    fn a_percent_sign_without_two_hexadecimal_digits_is_any_run_of_characters() {
        for (query, address) in [
            ("https://shop.example/%", "https://shop.example/"),
            ("https://shop.example/%", "https://shop.example/shoes?size=42"),
            ("https://shop.example/shoes%", "https://shop.example/shoes"),
            ("https://shop.example/%/red%", "https://shop.example/a/b/red?c=d"),
            ("https://shop.example/%page=%&x=1", "https://shop.example/?page=2&x=1"),
            ("https://shop.example/%gg", "https://shop.example/bgg"),
            ("https://shop.example/%%", "https://shop.example/a"),
            ("https://shop.example/caf%C3%A9/%", "https://shop.example/caf%C3%A9/x"),
            ("https://shop.example/café %", "https://shop.example/caf%C3%A9%20x"),
            ("http://shop.example/%", "https://shop.example/a"),
            ("https://shop.example?a=%", "https://shop.example/?a=b"),
        ] {
            assert!(matches(query, address), "{query} {address}");
        }
        for (query, address) in [
            ("https://shop.example/shoes/%", "https://shop.example/shoes"),
            ("https://shop.example/%red", "https://shop.example/red/a"),
            ("https://shop.example/ab%bo", "https://shop.example/abo"),
            ("https://shop.example/Shoes%", "https://shop.example/shoes"),
            ("https://shop.example/a%2Fb%", "https://shop.example/a/b"),
        ] {
            assert!(!matches(query, address), "{query} {address}");
        }
    }

    #[test]
    fn without_a_wildcard_a_query_is_one_address() {
        for query in ["https://shop.example/a%2Fb", "https://shop.example/caf%C3%A9?q=%20", "nonsense"] {
            assert_eq!(AddressPattern::parse(query), Ok(None), "{query}");
        }
    }

    #[test]
    fn the_host_is_named_in_full() {
        for query in [
            "https://%.example/",
            "https://shop.example%",
            "https://%/",
            "https:///%",
            "%",
            "shop.example/%",
            "https://shop.example@evil.example/%",
        ] {
            assert!(AddressPattern::parse(query).is_err(), "{query}");
        }
    }
}
