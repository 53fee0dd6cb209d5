//! People who came from an assistant. The assistant is known by the `Referer` of their browser, or by the campaign
//! parameter that the assistant adds to its links. Pure.
//! Browsers and assistants may send neither, so counts are a lower bound. See docs/decisions/0218.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::model::{Day, MAX_PATH_BYTES};
use domains::DomainId;
use platform::clock::Timestamp;

/// Hosts of assistants, whose subdomains are included, and the companies that run the assistants.
const ASSISTANTS: [(&str, &str); 16] = [
    ("chatgpt.com", "openai"),
    ("chat.openai.com", "openai"),
    ("perplexity.ai", "perplexity"),
    ("gemini.google.com", "google"),
    ("bard.google.com", "google"),
    ("claude.ai", "anthropic"),
    ("copilot.microsoft.com", "microsoft"),
    ("copilot.cloud.microsoft", "microsoft"),
    ("chat.mistral.ai", "mistral"),
    ("meta.ai", "meta"),
    ("grok.com", "xai"),
    ("chat.deepseek.com", "deepseek"),
    ("you.com", "you"),
    ("poe.com", "quora"),
    ("kimi.com", "moonshot"),
    ("duck.ai", "duckduckgo"),
];

/// Values of `utm_source` beside the hosts above, and the companies that run the assistants.
const SOURCES: [(&str, &str); 14] = [
    ("chatgpt", "openai"),
    ("openai", "openai"),
    ("openai.com", "openai"),
    ("perplexity", "perplexity"),
    ("gemini", "google"),
    ("claude", "anthropic"),
    ("copilot", "microsoft"),
    ("copilot.com", "microsoft"),
    ("mistral", "mistral"),
    ("mistral.ai", "mistral"),
    ("grok", "xai"),
    ("deepseek", "deepseek"),
    ("deepseek.com", "deepseek"),
    ("kimi", "moonshot"),
];

/// Person who came from an assistant.
#[derive(Debug, Clone)]
pub struct Referral {
    /// The domain record.
    pub domain: DomainId,
    /// Path of the page, without the query.
    pub path: Arc<str>,
    /// Id of the company that runs the assistant.
    pub assistant: &'static str,
    /// Time of the answer.
    pub at: Timestamp,
}

/// People who are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReferralKey {
    /// Domain record.
    pub domain: DomainId,
    pub day: Day,
    /// Path of the page.
    pub path: Arc<str>,
    /// Id of the company that runs the assistant.
    pub assistant: String,
}

/// People whom an assistant sent to a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReferralCount {
    /// Id of the company that runs the assistant.
    #[schema(examples("openai"))]
    pub assistant: String,
    /// Path of the page, without the query.
    #[schema(examples("/pricing"))]
    pub path: String,
    /// Number of people.
    pub count: u64,
}

/// Rows of a list of people who came from assistants. Reports never read all, since anybody can add thousands a day.
#[derive(Debug, Clone, Copy)]
pub enum ReferralRows<'a> {
    /// Maximum number of rows, those with the most people first.
    Top(usize),
    /// The rows of these pages.
    OfPages(&'a [String]),
}

/// People who came from assistants in a window, and the number of rows of assistant and page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ReferralTotals {
    pub people: u64,
    pub rows: u64,
}

impl Referral {
    /// Returns the key of the row that the person is counted in. None: the path is longer than any that is kept.
    pub fn key(&self) -> Option<ReferralKey> {
        let is_kept = self.path.len() <= MAX_PATH_BYTES;
        is_kept.then(|| ReferralKey {
            domain: self.domain.clone(),
            day: super::model::day_of(self.at),
            path: self.path.clone(),
            assistant: self.assistant.to_owned(),
        })
    }
}

/// Returns the company that runs the assistant from which a request comes: the one that its `Referer` names, or without a
/// `Referer` the one that `utm_source` of its query names. A request with another site's `Referer` comes from a copied link.
pub fn assistant_of(referer: Option<&str>, query: Option<&str>) -> Option<&'static str> {
    if let Some(referer) = referer.filter(|referer| !referer.trim().is_empty()) {
        return assistant_at(Url::parse(referer).ok()?.host_str()?);
    }
    let mut parameters = url::form_urlencoded::parse(query?.as_bytes());
    let (_, source) = parameters.find(|(name, _)| name == "utm_source")?;
    let source = source.trim().to_ascii_lowercase();
    let known = SOURCES.iter().find(|(name, _)| *name == source).map(|(_, assistant)| *assistant);
    known.or_else(|| assistant_at(&source))
}

/// Returns the company that runs the assistant at a host.
fn assistant_at(host: &str) -> Option<&'static str> {
    let is_or_is_below =
        |name: &str| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    ASSISTANTS.iter().find(|(name, _)| is_or_is_below(name)).map(|(_, assistant)| *assistant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assistant_is_known_by_its_host_at_a_labels_boundary() {
        for (referer, assistant) in [
            ("https://chatgpt.com/", Some("openai")),
            ("https://www.perplexity.ai/search/x", Some("perplexity")),
            ("https://gemini.google.com", Some("google")),
            ("https://google.com/search", None),
            ("https://notchatgpt.com/", None),
            ("https://chatgpt.com.evil.example/", None),
            ("android-app://com.openai.chatgpt/", None),
            ("", None),
        ] {
            assert_eq!(assistant_of(Some(referer), None), assistant, "{referer}");
        }
    }

    #[test]
    fn without_a_referer_an_assistant_is_known_by_its_campaign_parameter() {
        for (query, assistant) in [
            ("utm_source=chatgpt.com", Some("openai")),
            ("q=1&utm_source=openai", Some("openai")),
            ("utm_source=perplexity&utm_medium=referral", Some("perplexity")),
            ("utm_source=www.Perplexity.ai", Some("perplexity")),
            ("utm_source=copilot.com", Some("microsoft")),
            ("utm_source=newsletter&utm_campaign=chatgpt", None),
            ("utm_source=notchatgpt.com", None),
            ("utm_medium=chatgpt.com", None),
            ("", None),
        ] {
            assert_eq!(assistant_of(None, Some(query)), assistant, "{query}");
            assert_eq!(assistant_of(Some(""), Some(query)), assistant, "{query}");
        }
    }

    #[test]
    fn a_link_of_an_assistant_that_was_copied_to_another_site_is_of_that_site() {
        let query = Some("utm_source=chatgpt.com");

        assert_eq!(assistant_of(Some("https://news.example/"), query), None);
        assert_eq!(assistant_of(Some("https://claude.ai/"), query), Some("anthropic"));
    }
}
