//! The `Link` header (RFC 8288), as far as search engines read it: canonical and hreflang. Pure.

use http::HeaderMap;
use url::Url;

/// What the header names.
#[derive(Debug, Default)]
pub struct HeaderLinks {
    /// Targets of `rel=canonical`.
    pub canonicals: Vec<Url>,
    /// `hreflang` and target of `rel=alternate`.
    pub alternates: Vec<(String, Url)>,
}

/// Reads every `Link` header of an answer. Targets are relative to the address that was asked for.
pub fn parse(headers: &HeaderMap, url: &Url) -> HeaderLinks {
    let mut links = HeaderLinks::default();
    for line in headers.get_all(http::header::LINK) {
        let Ok(mut rest) = line.to_str() else { continue };
        while let Some((target, after)) = rest.split_once('<').and_then(|(_, rest)| rest.split_once('>')) {
            // Parameters reach to the next target; commas inside them do not matter to what is read.
            let end = after.find('<').unwrap_or(after.len());
            let parameters = &after[..end];
            rest = &after[end..];
            let Ok(target) = url.join(target.trim()) else { continue };
            let rel = parameter(parameters, "rel").unwrap_or_default();
            let has_rel =
                |token: &str| rel.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(token));
            if has_rel("canonical") {
                links.canonicals.push(target);
            } else if let (true, Some(lang)) = (has_rel("alternate"), parameter(parameters, "hreflang")) {
                links.alternates.push((lang, target));
            }
        }
    }
    links
}

fn parameter(parameters: &str, name: &str) -> Option<String> {
    let pairs = parameters.split(';').filter_map(|parameter| parameter.split_once('='));
    let value =
        pairs.filter(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value).next()?;
    Some(value.trim().trim_end_matches(',').trim().trim_matches('"').to_owned())
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
}
