//! The `Link` header (RFC 8288), as far as search engines read it: canonical and hreflang. Pure.

use http::HeaderMap;
use percent_encoding::{AsciiSet, percent_encode};
use url::Url;

/// Links of the header.
#[derive(Debug, Default)]
pub struct HeaderLinks {
    /// Targets of `rel=canonical`.
    pub canonicals: Vec<Url>,
    /// `hreflang` and target of `rel=alternate`.
    pub alternates: Vec<(String, Url)>,
}

/// Reads every `Link` header of a response. Targets are relative to the requested address; letters outside ASCII are bytes
/// of an address.
pub fn parse(headers: &HeaderMap, url: &Url) -> HeaderLinks {
    let mut links = HeaderLinks::default();
    for line in headers.get_all(http::header::LINK) {
        let line = percent_encode(line.as_bytes(), &AsciiSet::EMPTY).to_string();
        let mut rest = line.as_str();
        while let Some((target, after)) = rest.split_once('<').and_then(|(_, rest)| rest.split_once('>')) {
            let mut parameters = Parameters(after);
            let named: Vec<(&str, String)> = parameters.by_ref().collect();
            rest = parameters.0;
            let Ok(target) = url.join(target.trim()) else { continue };
            let mut values = named.iter().filter(|(name, _)| name.eq_ignore_ascii_case("rel"));
            let rel = values.next().map(|(_, rel)| rel.as_str()).unwrap_or_default();
            let has_rel =
                |token: &str| rel.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(token));
            if has_rel("canonical") {
                links.canonicals.push(target);
            } else if has_rel("alternate") {
                let langs = named.iter().filter(|(name, _)| name.eq_ignore_ascii_case("hreflang"));
                links.alternates.extend(langs.map(|(_, lang)| (lang.clone(), target.clone())));
            }
        }
    }
    links
}

/// Parameters of one link; the remaining line begins with the next link.
struct Parameters<'l>(&'l str);

impl<'l> Iterator for Parameters<'l> {
    type Item = (&'l str, String);

    fn next(&mut self) -> Option<Self::Item> {
        self.0 = self.0.trim_start_matches([';', ' ', '\t']);
        let end = self.0.find(['=', ';', ',', '<']).unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at(end);
        if name.trim().is_empty() {
            return None;
        }
        let Some(value) = rest.strip_prefix('=') else {
            self.0 = rest;
            return Some((name.trim(), String::new()));
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
        let Some(quote) = quote else {
            let end = value.find([';', ',']).unwrap_or(value.len());
            self.0 = &value[end..];
            return Some((name.trim(), value[..end].trim().to_owned()));
        };
        let mut read = String::new();
        let mut chars = value[1..].char_indices();
        self.0 = "";
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => read.extend(chars.next().map(|(_, escaped)| escaped)),
                _ if c == quote => {
                    self.0 = &value[at + 2..];
                    break;
                }
                _ => read.push(c),
            }
        }
        Some((name.trim(), read.trim().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_and_languages_are_found_among_other_links() {
        let mut headers = HeaderMap::new();
        let value = "</style.css>; rel=preload; as=style, <https://a.example/x>; rel=\"canonical\", </de>; rel=alternate; hreflang=\"de\"";
        headers.insert("link", value.parse().unwrap());

        let links = parse(&headers, &Url::parse("https://shop.example/a").unwrap());

        assert_eq!(links.canonicals[0].as_str(), "https://a.example/x");
        assert_eq!(links.alternates[0], ("de".to_owned(), Url::parse("https://shop.example/de").unwrap()));
    }

    #[test]
    fn a_link_is_read_however_it_is_written() {
        let url = Url::parse("https://shop.example/a").unwrap();
        for (line, canonical) in [
            (&b"</x>;REL=Canonical"[..], "/x"),
            (b"</x> ; Rel = \"CANONICAL\" ; type=text/html", "/x"),
            (b"</x>; rel='canonical'", "/x"),
            (b"</x>; title=\"a, <b>; rel=next\"; rel=\"nofollow canonical\"", "/x"),
            (b"</x>; rel=canonical; rel=next", "/x"),
            (b"</x>; crossorigin; rel=canonical", "/x"),
            ("</caf\u{e9}>; rel=canonical".as_bytes(), "/caf%C3%A9"),
            (b"</caf\xE9>; rel=canonical; title=\"caf\xE9\"", "/caf%E9"),
            (b"</y>; rel=preload, </x>; rel=canonical, </z>; rel=next", "/x"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("link", http::HeaderValue::from_bytes(line).unwrap());

            let links = parse(&headers, &url);

            let found: Vec<&str> =
                links.canonicals.iter().map(|url| &url[url::Position::BeforePath..]).collect();
            assert_eq!(found, [canonical], "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn a_version_may_be_for_several_languages() {
        let mut headers = HeaderMap::new();
        headers.insert("link", "</de>; HREFLANG=de; hreflang=\"de-AT\"; rel=alternate".parse().unwrap());

        let links = parse(&headers, &Url::parse("https://shop.example/").unwrap());

        let langs: Vec<&str> = links.alternates.iter().map(|(lang, _)| lang.as_str()).collect();
        assert_eq!(langs, ["de", "de-AT"]);
    }
}
