//! Sources of an answer: only web addresses, each once, in the order of their first citation. Pure.

use std::collections::HashMap;

use url::Url;

use super::error_body::one_line;
use crate::providers::Source;

/// Maximum number of sources of one list that are kept.
const MAX_SOURCES: usize = 200;
const MAX_URL_BYTES: usize = 4_096;
const MAX_TITLE: usize = 300;

/// Sources without repetitions. Two addresses are the same when they differ in scheme, `www.`, fragment, final slash or
/// parameters of campaigns only.
#[derive(Debug, Clone, Default)]
pub struct SourceList {
    sources: Vec<Source>,
    positions: HashMap<String, usize>,
}

impl SourceList {
    /// Adds a source; one that is there already gets the title that it lacks. Addresses that are not http or https are
    /// dropped.
    pub fn add(&mut self, url: &str, title: &str) {
        if url.len() > MAX_URL_BYTES {
            return;
        }
        let Ok(mut parsed) = Url::parse(url.trim()) else { return };
        if !matches!(parsed.scheme(), "http" | "https") || parsed.set_username("").is_err() {
            return;
        }
        let _ = parsed.set_password(None);
        let title = one_line(title, MAX_TITLE);
        let key = key_of(&parsed);
        match self.positions.get(&key) {
            Some(position) => {
                let source = &mut self.sources[*position];
                if source.title.is_empty() {
                    source.title = title;
                }
            }
            None if self.sources.len() < MAX_SOURCES => {
                self.positions.insert(key, self.sources.len());
                self.sources.push(Source { url: parsed.into(), title });
            }
            None => {}
        }
    }

    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Splits off what is not in `cited`: the sources that were found only.
    pub fn without(self, cited: &SourceList) -> Vec<Source> {
        let is_cited = |source: &Source| {
            Url::parse(&source.url).is_ok_and(|url| cited.positions.contains_key(&key_of(&url)))
        };
        self.sources.into_iter().filter(|source| !is_cited(source)).collect()
    }

    pub fn into_vec(self) -> Vec<Source> {
        self.sources
    }
}

fn key_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let is_campaign = |pair: &&str| pair.starts_with("utm_");
    let query: Vec<&str> =
        url.query().unwrap_or_default().split('&').filter(|pair| !is_campaign(pair)).collect();
    format!("{host}{port}{}?{}", url.path().trim_end_matches('/'), query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(urls: &[&str]) -> SourceList {
        let mut list = SourceList::default();
        urls.iter().for_each(|url| list.add(url, ""));
        list
    }

    #[test]
    fn an_address_is_kept_once_in_the_order_of_its_first_citation() {
        let found = list(&[
            "https://g2.com/c?utm_source=openai",
            "https://notchly.com/",
            "http://www.g2.com/c#top",
            "https://g2.com/c/",
            "https://g2.com/c?page=2",
        ]);

        let urls: Vec<String> = found.into_vec().into_iter().map(|source| source.url).collect();
        assert_eq!(
            urls,
            ["https://g2.com/c?utm_source=openai", "https://notchly.com/", "https://g2.com/c?page=2"]
        );
    }

    #[test]
    fn only_web_addresses_are_sources() {
        let found =
            list(&["javascript:alert(1)", "ftp://x.example/", "g2.com", "", "https://user:pw@x.example/a"]);

        assert_eq!(
            found.into_vec(),
            [Source { url: "https://x.example/a".to_owned(), title: String::new() }]
        );
    }

    #[test]
    fn a_missing_title_is_filled_in_later() {
        let mut found = list(&["https://g2.com/c"]);

        found.add("https://g2.com/c", "Best\n tools");

        assert_eq!(found.into_vec()[0].title, "Best tools");
    }

    #[test]
    fn what_is_cited_does_not_count_as_found() {
        let found = list(&["https://a.example/", "https://b.example/"]);

        let rest = found.without(&list(&["http://www.a.example"]));

        assert_eq!(rest.len(), 1);
        assert_eq!(rest[0].url, "https://b.example/");
    }

    #[test]
    fn lists_are_bounded() {
        let mut found = SourceList::default();

        (0..1_000).for_each(|n| found.add(&format!("https://{n}.example/"), ""));
        found.add(&format!("https://x.example/{}", "a".repeat(10_000)), "");

        assert_eq!(found.into_vec().len(), MAX_SOURCES);
    }
}
