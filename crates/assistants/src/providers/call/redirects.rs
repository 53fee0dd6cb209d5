//! Links of Gemini's sources: redirects of one host of Google, which end soon, so that they are resolved with the answer.
//! Must never follow a redirect, read a body, or ask any other host.

use std::time::Duration;

use crawler::fetch::TimeLimits;
use crawler::{FetchRequest, Fetcher, Network, tls};
use futures::stream::{self, StreamExt};
use http::HeaderValue;
use http::header::LOCATION;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::{Host, Url};

use super::super::wire::SourceList;
use super::super::{Answer, Source};
use super::exchange::AGENT;

const HOST: &str = "vertexaisearch.cloud.google.com";
const PATH: &str = "/grounding-api-redirect/";
const TIMEOUT: Duration = Duration::from_secs(8);
/// Time for all links of an answer, waiting for a slot included. The answer itself is there and paid.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(16);
/// Links that are resolved at once, over all answers.
const MAX_AT_ONCE: usize = 20;
/// Links of one answer that are resolved; the rest gets the domain in the title.
const MAX_LINKS: usize = 60;

/// Resolver of Gemini's links.
#[derive(Debug)]
pub(super) struct Redirects {
    fetcher: Fetcher,
    slots: Semaphore,
}

impl Redirects {
    pub(super) fn new(network: Network) -> Redirects {
        let fetcher = Fetcher::new(network, tls::client_config(), HeaderValue::from_static(AGENT));
        Redirects { fetcher, slots: Semaphore::new(MAX_AT_ONCE) }
    }

    /// Replaces the redirects among an answer's sources. One that cannot be resolved becomes the domain in its title, or
    /// is dropped when its title is none.
    pub(super) async fn resolve(&self, answer: &mut Answer) {
        let has_redirect = |sources: &[Source]| sources.iter().any(|source| redirect_of(source).is_some());
        if !has_redirect(&answer.citations) && !has_redirect(&answer.retrieved) {
            return;
        }
        let count = answer.citations.len();
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        let sources: Vec<Source> = std::mem::take(&mut answer.citations)
            .into_iter()
            .chain(std::mem::take(&mut answer.retrieved))
            .collect();
        let resolved = stream::iter(
            sources.into_iter().enumerate().map(|(at, source)| self.resolved(at, source, deadline)),
        );
        let resolved: Vec<Option<Source>> = resolved.buffered(MAX_AT_ONCE).collect().await;

        let (mut cited, mut found) = (SourceList::default(), SourceList::default());
        for (at, source) in resolved.into_iter().enumerate() {
            let list = if at < count { &mut cited } else { &mut found };
            if let Some(source) = source {
                list.add(&source.url, &source.title);
            }
        }
        answer.retrieved = found.without(&cited);
        answer.citations = cited.into_vec();
    }

    async fn resolved(&self, at: usize, source: Source, deadline: Instant) -> Option<Source> {
        let Some(url) = redirect_of(&source) else { return Some(source) };
        let target = match at {
            0..MAX_LINKS => tokio::time::timeout_at(deadline, self.target_of(url)).await.ok().flatten(),
            _ => None,
        };
        let url = target.or_else(|| site_in(&source.title))?;
        Some(Source { url, title: source.title })
    }

    /// Asks once where a link leads.
    async fn target_of(&self, url: Url) -> Option<String> {
        let _slot = self.slots.acquire().await.ok()?;
        let time_limits = TimeLimits { connect: TIMEOUT, headers: TIMEOUT, total: TIMEOUT };
        let request =
            FetchRequest { stay_on: Some(Vec::new()), time_limits, ..FetchRequest::get(url.clone()) };
        let response = self.fetcher.fetch(request).await.ok()?;
        let location = std::str::from_utf8(response.headers.get(LOCATION)?.as_bytes()).ok()?;
        let target = url.join(location.trim()).ok()?;
        // A link that leads to itself or to another link names no source.
        let is_web = matches!(target.scheme(), "http" | "https") && target.host_str() != Some(HOST);
        (response.status.is_redirection() && is_web).then(|| target.into())
    }
}

fn redirect_of(source: &Source) -> Option<Url> {
    let url = Url::parse(&source.url).ok()?;
    (url.host_str() == Some(HOST) && url.path().starts_with(PATH)).then_some(url)
}

/// Returns the address of the site that a title names: Gemini's titles are bare domains.
fn site_in(title: &str) -> Option<String> {
    let title = title.trim();
    if !title.contains('.') || title.contains(['/', '@', ':', ' ']) {
        return None;
    }
    match Host::parse(title).ok()? {
        Host::Domain(domain) => Some(format!("https://{domain}/")),
        Host::Ipv4(_) | Host::Ipv6(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_redirector_is_asked() {
        let is_redirect =
            |url: &str| redirect_of(&Source { url: url.to_owned(), title: String::new() }).is_some();

        assert!(is_redirect("https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZ"));
        for other in [
            "https://vertexaisearch.cloud.google.com/other",
            "https://vertexaisearch.cloud.google.com.evil.example/grounding-api-redirect/A",
            "https://evil.example/grounding-api-redirect/A",
            "not an address",
        ] {
            assert!(!is_redirect(other), "{other}");
        }
    }

    #[test]
    fn a_title_that_is_a_domain_names_a_site() {
        assert_eq!(site_in("PaperTrail.app").as_deref(), Some("https://papertrail.app/"));
        for title in ["Best prerender tools", "v1.2 notes", "127.0.0.1", "a.b/c", "", "word"] {
            assert_eq!(site_in(title), None, "{title}");
        }
    }
}
