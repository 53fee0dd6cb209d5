//! Header lines of a page's response that crawlers act on, kept with a snapshot, and their stored form. Pure.
//! Must never keep a line that makes a client load something, nor a line that names the origin's host.

use std::borrow::Cow;

use http::header::{CONTENT_LOCATION, LINK};
use http::{HeaderMap, HeaderName, HeaderValue};

/// Maximum size of the kept names and values of a page, in bytes; web servers relay little more. Further lines are dropped.
const MAX_BYTES: usize = 8 * 1024;
/// Relations that make a browser load something or connect ahead of time. Links with other relations are kept.
const HINTS: [&str; 8] = [
    "preload",
    "modulepreload",
    "prefetch",
    "prerender",
    "preconnect",
    "dns-prefetch",
    "stylesheet",
    "compression-dictionary",
];

/// Returns the lines to keep of `X-Robots-Tag`, `Link`, `Content-Language` and `Content-Location`.
///
/// `public` maps an address on the origin's host to the public address, and returns every other address unchanged.
pub fn kept_headers(answer: &HeaderMap, public: impl Fn(&str) -> String) -> HeaderMap {
    let mut kept = HeaderMap::new();
    let mut room = MAX_BYTES;
    for (name, value) in answer {
        let Ok(line) = std::str::from_utf8(value.as_bytes()) else { continue };
        let line = match *name {
            LINK => kept_links(line, &public),
            CONTENT_LOCATION => Cow::Owned(public(line)),
            _ => Cow::Borrowed(line),
        };
        let bytes = name.as_str().len() + line.len();
        if let Ok(value) = HeaderValue::from_bytes(line.as_bytes())
            && !line.is_empty()
            && bytes <= room
        {
            room -= bytes;
            kept.append(name, value);
        }
    }
    kept
}

/// Counts the bytes of kept lines.
pub fn bytes_of(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

/// Serializes kept lines as JSON. None: there are no lines.
pub fn to_stored(headers: &HeaderMap) -> Option<String> {
    let lines: Vec<_> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())))
        .collect();
    (!lines.is_empty()).then(|| serde_json::to_string(&lines).expect("pairs of texts"))
}

/// Parses lines that [`to_stored`] has serialized. Damaged lines are dropped.
pub fn from_stored(text: Option<&str>) -> HeaderMap {
    let lines: Vec<(String, String)> =
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_bytes(value.as_bytes()))
        {
            headers.append(name, value);
        }
    }
    headers
}

/// Returns a `Link` line without hints and with public addresses. Borrows the line when nothing changes.
fn kept_links<'a>(line: &'a str, public: &impl Fn(&str) -> String) -> Cow<'a, str> {
    let links: Vec<&str> =
        split(line, ',').into_iter().map(str::trim).filter(|link| !link.is_empty()).collect();
    let kept: Vec<String> = links.iter().filter_map(|link| kept_link(link, public)).collect();
    if !links.is_empty() && kept.iter().eq(links.iter()) {
        Cow::Borrowed(line)
    } else {
        Cow::Owned(kept.join(", "))
    }
}

fn kept_link(link: &str, public: &impl Fn(&str) -> String) -> Option<String> {
    let (target, parameters) = link.strip_prefix('<')?.split_once('>')?;
    let relation = split(parameters, ';').into_iter().find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("rel").then(|| value.trim().trim_matches('"'))
    })?;
    let is_hint =
        relation.split_ascii_whitespace().any(|one| HINTS.iter().any(|hint| hint.eq_ignore_ascii_case(one)));
    (!is_hint).then(|| format!("<{}>{parameters}", public(target)))
}

/// Splits a text at each separator outside quotes and angle brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let (mut is_quoted, mut is_target, mut is_escaped) = (false, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' if !is_target => is_quoted = !is_quoted,
            '<' if !is_quoted => is_target = true,
            '>' if !is_quoted => is_target = false,
            _ if character == separator && !is_quoted && !is_target => {
                parts.push(&text[start..at]);
                start = at + character.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    fn kept(lines: &[(&'static str, &str)]) -> Vec<String> {
        let kept = kept_headers(&headers(lines), |address| address.replace("app.host.test", "shop.example"));
        kept.values().map(|value| String::from_utf8(value.as_bytes().to_vec()).unwrap()).collect()
    }

    #[test]
    fn lines_that_crawlers_act_on_are_kept_as_they_are() {
        let lines = [
            ("x-robots-tag", "googlebot: noindex, nofollow"),
            ("x-robots-tag", "noarchive"),
            ("content-language", "de-AT"),
            ("content-location", "/de/seite"),
            (
                "link",
                "<https://shop.example/a,b>; rel=\"canonical\",</de>;rel=alternate;hreflang=de; title=\"Grüße, \\\" alle\"",
            ),
        ];

        assert_eq!(kept(&lines), lines.map(|(_, value)| value.to_owned()));
    }

    #[test]
    fn hints_to_load_something_are_left_out() {
        let line = "</a.css>; rel=preload; as=style, </x>; title=\"a, b\"; REL=Canonical, <https://cdn.test>; rel=\"dns-prefetch preconnect\"";

        assert_eq!(kept(&[("link", line)]), ["</x>; title=\"a, b\"; REL=Canonical"]);
        for dropped in ["</a.js>; rel=modulepreload", "</a>", "no link at all", "<unclosed", ",,"] {
            assert!(kept(&[("link", dropped)]).is_empty(), "{dropped}");
        }
    }

    #[test]
    fn the_origins_host_is_never_named() {
        let lines = [
            ("content-location", "https://app.host.test/de"),
            ("link", "<https://app.host.test/a>; rel=canonical, </b>; rel=next"),
        ];

        let expected = ["https://shop.example/de", "<https://shop.example/a>; rel=canonical, </b>; rel=next"];
        assert_eq!(kept(&lines), expected);
    }

    #[test]
    fn no_more_is_kept_than_servers_relay() {
        let huge = "x".repeat(MAX_BYTES);
        let mut lines = vec![("x-robots-tag", "noindex"), ("x-robots-tag", huge.as_str())];
        lines.extend([("content-language", "en"); 2_000]);

        let found = kept_headers(&headers(&lines), str::to_owned);

        assert!(bytes_of(&found) <= MAX_BYTES);
        assert_eq!(found["x-robots-tag"], "noindex");
    }

    #[test]
    fn kept_lines_are_read_as_they_were_written() {
        let lines = headers(&[("x-robots-tag", "a"), ("x-robots-tag", "b"), ("link", "</ü>; rel=next")]);

        assert_eq!(from_stored(to_stored(&lines).as_deref()), lines);
        assert_eq!(to_stored(&HeaderMap::new()), None);
        for damaged in [None, Some("{}"), Some("[[\"a b\", \"c\"], [\"link\", \"d\\n\"]]")] {
            assert!(from_stored(damaged).is_empty(), "{damaged:?}");
        }
    }
}
