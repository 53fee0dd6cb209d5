//! Sources of an answer: one form for every address, which domain it belongs to, and whose domain that is.
//! Used by both stages of the analysis. Connects to nothing: a redirect that only a server can resolve stays.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use crawler::url::{is_tracking_param, registrable_domain};
use serde::{Deserialize, Serialize};
use url::quirks::domain_to_unicode;
use url::{Host, Url};

use super::brand::{BrandKind, Brands};
use super::prose::hosts;
use crate::providers::{Provider, Source};

/// Longest address that is kept, in bytes.
const MAX_URL_BYTES: usize = 4_096;
/// Longest title that is kept, in characters.
const MAX_TITLE_CHARS: usize = 300;
/// Redirectors inside redirectors that are followed.
const MAX_UNWRAPS: usize = 5;
/// Gemini's redirector, whose addresses say nothing about their target.
const OPAQUE_REDIRECTOR: &str = "vertexaisearch.cloud.google.com";

/// Redirectors whose addresses carry their target: host, path, and the parameter.
const REDIRECTORS: [(&str, &str, &[&str]); 9] = [
    ("google.com", "/url", &["q", "url"]),
    ("facebook.com", "/l.php", &["u"]),
    ("l.instagram.com", "/", &["u"]),
    ("bing.com", "/ck/a", &["u"]),
    ("duckduckgo.com", "/l/", &["uddg"]),
    ("youtube.com", "/redirect", &["q"]),
    ("out.reddit.com", "/", &["url"]),
    ("linkedin.com", "/redir/redirect", &["url"]),
    ("vk.com", "/away.php", &["to"]),
];

/// Owner of a cited address, seen from the monitored brand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    Own,
    Competitor,
    ThirdParty,
}

/// A source of an answer, in one form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// Absolute address, http or https, without tracking parameters, fragment, `www.` and final slash.
    pub url: String,
    /// Registrable domain in Unicode, or the address of a host without one.
    pub domain: String,
    /// Title, as the provider gives it; may be empty.
    pub title: String,
    pub kind: SourceKind,
    /// Name of the brand that the address belongs to, the own one or a competitor.
    #[serde(skip)]
    pub owner: Option<String>,
}

/// Brings sources into one form, each once and in their order, without those that are the assistant itself.
pub fn classify(sources: &[Source], provider: Provider, brands: &Brands) -> Vec<Citation> {
    let mut seen = HashSet::new();
    let classified = sources.iter().filter_map(|source| {
        let url = unwrap(Url::parse(source.url.trim()).ok()?)?;
        let (url, domain) = normal_form(&url, &source.title)?;
        let owner = brands.owner_of(&url, &domain);
        let kind = owner.as_ref().map_or(SourceKind::ThirdParty, |(kind, _)| match kind {
            BrandKind::Own => SourceKind::Own,
            BrandKind::Competitor => SourceKind::Competitor,
        });
        if kind != SourceKind::Own && is_own_surface(provider, &url) || !seen.insert(url.clone()) {
            return None;
        }
        let title =
            source.title.chars().filter(|c| !c.is_control()).take(MAX_TITLE_CHARS).collect::<String>();
        let owner = owner.map(|(_, name)| name.to_owned());
        Some(Citation { url, domain, title: title.trim().to_owned(), kind, owner })
    });
    classified.collect()
}

/// Returns the domains of citations, each once, in the order of their first citation.
pub fn domains(citations: &[Citation]) -> Vec<String> {
    let mut seen = HashSet::new();
    citations.iter().filter(|c| seen.insert(&*c.domain)).map(|c| c.domain.clone()).collect()
}

/// Returns the registrable domain of an address in Unicode; its host where there is none.
pub fn domain_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| domain(&url)).flatten()
}

/// Takes an address out of the redirectors around it. None when it is no http or https address in the end.
fn unwrap(mut url: Url) -> Option<Url> {
    for _ in 0..MAX_UNWRAPS {
        match target(&url) {
            Some(inner) => url = inner,
            None => break,
        }
    }
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// Returns the target that a redirector's address carries.
fn target(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    let is_redirector = |known: &str| host == known || host.ends_with(&format!(".{known}"));
    let (known, _, parameters) = REDIRECTORS.iter().find(|(known, path, _)| {
        // Google has a domain in every country.
        let is_host = is_redirector(known) || *known == "google.com" && is_google(host);
        is_host && url.path().trim_end_matches('/') == path.trim_end_matches('/')
    })?;
    let value =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let mut address = parameters.iter().find_map(|name| value(name))?;
    if *known == "bing.com" {
        let encoded = address.strip_prefix("a1")?;
        address = String::from_utf8(URL_SAFE_NO_PAD.decode(encoded.trim_end_matches('=')).ok()?).ok()?;
    }
    Url::parse(&address).ok().filter(|target| matches!(target.scheme(), "http" | "https"))
}

/// Returns an address in its normal form, and its domain. None for what cannot be shown as a source.
fn normal_form(url: &Url, title: &str) -> Option<(String, String)> {
    let host = url.host_str()?;
    let bare = host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(host);
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let kept: Vec<&str> = url
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty() && !is_tracking_param(pair))
        .collect();
    let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    let form = format!("{}://{bare}{port}{}{query}", url.scheme(), url.path().trim_end_matches('/'));
    if form.len() > MAX_URL_BYTES {
        return None;
    }
    // The redirector's address expires and names no source; the title is the source's host.
    if host == OPAQUE_REDIRECTOR {
        let named = title.trim().to_lowercase();
        let domain = hosts::is_host(&named).then(|| domain_of(&format!("https://{named}")))??;
        return Some((form, domain));
    }
    Some((form, domain(url)?))
}

fn domain(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(host) => {
            let host = host.trim_end_matches('.');
            Some(domain_to_unicode(&registrable_domain(host).unwrap_or_else(|| host.to_owned())))
        }
        _ => url.host_str().map(str::to_owned),
    }
}

/// Decides whether an address is a page of the assistant that answered rather than a source.
fn is_own_surface(provider: Provider, url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default();
    let is_under = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
    let is_search = || is_google(host) && matches!(url.path(), "/search" | "/url");
    match provider {
        Provider::Chatgpt => is_under("chatgpt.com") || is_under("openai.com"),
        Provider::Perplexity => is_under("perplexity.ai"),
        Provider::Gemini => is_under("gemini.google.com") || is_search(),
        Provider::Claude => is_under("claude.ai"),
        Provider::GoogleAiOverview | Provider::GoogleAiMode => is_search(),
    }
}

/// Decides whether a host is Google's search in any country: `google.com`, `google.co.uk`.
fn is_google(host: &str) -> bool {
    let host = host.strip_prefix("www.").unwrap_or(host);
    host.strip_prefix("google.").is_some_and(crawler::url::is_public_suffix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::brand::{BrandProfile, CompetitorProfile, CompetitorStatus};

    fn classified(provider: Provider, urls: &[&str]) -> Vec<Citation> {
        let competitor = |name: &str, domain: &str, status| CompetitorProfile {
            name: name.to_owned(),
            aliases: vec![],
            domains: if domain.is_empty() { vec![] } else { vec![domain.to_owned()] },
            status,
        };
        let brands = Brands::compile(
            BrandProfile { name: "LumaDocs".into(), aliases: vec![], domains: vec!["lumadocs.io".into()] },
            vec![
                competitor("Notchly", "notchly.com", CompetitorStatus::Tracked),
                competitor("Paper Trail", "", CompetitorStatus::Discovered),
                competitor("Quillbase", "quillbase.com", CompetitorStatus::Ignored),
            ],
        );
        let sources: Vec<Source> =
            urls.iter().map(|url| Source { url: (*url).to_owned(), title: "g2.com".to_owned() }).collect();
        classify(&sources, provider, &brands)
    }

    fn urls(provider: Provider, urls: &[&str]) -> Vec<String> {
        classified(provider, urls).into_iter().map(|citation| citation.url).collect()
    }

    #[test]
    fn an_address_has_one_form_and_counts_once() {
        let same = [
            "https://g2.com/c/prerender",
            "HTTPS://www.G2.com:443/c/prerender/?utm_source=openai&gclid=1#:~:text=best",
            "https://user:pass@g2.com/c/prerender?srsltid=x&_ga=2",
        ];

        assert_eq!(urls(Provider::Chatgpt, &same), ["https://g2.com/c/prerender"]);
        assert_eq!(
            urls(Provider::Chatgpt, &["https://g2.com/?b=2&a=1&utm_id=3"]),
            ["https://g2.com?b=2&a=1"]
        );
    }

    #[test]
    fn redirectors_are_unwrapped() {
        let wrapped = [
            "https://www.google.com/url?q=https://a.example/x&sa=U",
            "https://www.google.co.uk/url?url=https%3A%2F%2Fb.example%2F",
            "https://l.facebook.com/l.php?u=https%3A%2F%2Fc.example&h=1",
            "https://www.bing.com/ck/a?!&&p=1&u=a1aHR0cHM6Ly9kLmV4YW1wbGUveA&ntb=1",
            "https://www.google.com/url?q=https%3A%2F%2Fl.facebook.com%2Fl.php%3Fu%3Dhttps%253A%252F%252Fe.example",
        ];

        assert_eq!(
            urls(Provider::Gemini, &wrapped),
            [
                "https://a.example/x",
                "https://b.example",
                "https://c.example",
                "https://d.example/x",
                "https://e.example"
            ]
        );
    }

    #[test]
    fn an_address_that_nobody_can_resolve_belongs_to_the_host_in_its_title() {
        let opaque = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AbC";

        let found = classified(Provider::Gemini, &[opaque]);

        assert_eq!((&*found[0].url, &*found[0].domain), (opaque, "g2.com"));
    }

    #[test]
    fn only_web_addresses_are_sources() {
        let bad = [
            "javascript:alert(1)",
            "ftp://a.example",
            "data:text/html,x",
            "nonsense",
            "https://",
            "mailto:a@b.example",
            "https://www.google.com/url?q=javascript:alert(1)",
        ];

        assert_eq!(urls(Provider::Gemini, &bad), Vec::<String>::new());
    }

    #[test]
    fn pages_of_the_assistant_itself_are_no_sources() {
        let pages = [
            "https://chatgpt.com/s/1",
            "https://platform.openai.com/docs",
            "https://perplexity.ai/x",
            "https://gemini.google.com/app",
            "https://www.google.de/search?q=a",
            "https://claude.ai/x",
            "https://docs.google.com/a",
        ];
        let kept = |provider| pages.len() - classified(provider, &pages).len();

        assert_eq!(Provider::ALL.map(kept), [2, 1, 2, 1, 1, 1]);
        let brands = Brands::compile(
            BrandProfile { name: "OpenAI".into(), aliases: vec![], domains: vec!["openai.com".into()] },
            vec![],
        );
        let source = Source { url: "https://openai.com/x".to_owned(), title: String::new() };
        assert_eq!(classify(&[source], Provider::Chatgpt, &brands)[0].kind, SourceKind::Own);
    }

    #[test]
    fn domains_are_what_somebody_registered() {
        let cases = [
            ("https://a.b.shop.co.uk/x", "shop.co.uk"),
            ("https://a.github.io/x", "a.github.io"),
            ("https://b.github.io/x", "b.github.io"),
            ("https://www.xn--mller-kva.de/", "müller.de"),
            ("http://192.0.2.1/x", "192.0.2.1"),
            ("http://[2001:db8::1]/x", "[2001:db8::1]"),
            ("http://localhost/x", "localhost"),
        ];

        let found = classified(Provider::Claude, &cases.map(|(url, _)| url));

        assert_eq!(domains(&found), cases.map(|(_, domain)| domain));
    }

    #[test]
    fn a_source_belongs_to_the_brand_a_competitor_or_neither() {
        let addresses = [
            "https://docs.lumadocs.io/x",
            "https://notlumadocs.io/x",
            "https://notchly.com",
            "https://papertrail.app",
            "https://quillbase.com",
        ];

        let kinds: Vec<SourceKind> =
            classified(Provider::Claude, &addresses).into_iter().map(|citation| citation.kind).collect();

        use SourceKind::{Competitor, Own, ThirdParty};
        assert_eq!(kinds, [Own, ThirdParty, Competitor, Competitor, ThirdParty]);
    }
}
