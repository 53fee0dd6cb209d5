//! People who came from an assistant: which one, by the address that their browser says they come from. Pure.
//! Browsers may say nothing, and some assistants ask them not to: it is a lower bound. See
//! docs/decisions/0218.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::model::{Day, MAX_PATH_BYTES};
use crate::clock::Timestamp;
use crate::domains::DomainId;

/// Hosts of assistants, with whatever is below them, and who runs them.
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

/// A person who came from an assistant.
#[derive(Debug, Clone)]
pub struct Referral {
    /// The domain record.
    pub domain: DomainId,
    /// Path of the page, without the query.
    pub path: Arc<str>,
    /// Who runs the assistant.
    pub assistant: &'static str,
    /// When the page was answered.
    pub at: Timestamp,
}

/// People that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReferralKey {
    /// Domain record.
    pub domain: DomainId,
    pub day: Day,
    /// Path of the page.
    pub path: Arc<str>,
    /// Who runs the assistant.
    pub assistant: String,
}

/// People whom an assistant sent to a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReferralCount {
    /// Who runs the assistant.
    #[schema(examples("openai"))]
    pub assistant: String,
    /// Path of the page, without the query.
    #[schema(examples("/pricing"))]
    pub path: String,
    /// How many people.
    pub count: u64,
}

/// Rows of a list of people who came from assistants: never all, since strangers can add thousands a day.
#[derive(Debug, Clone, Copy)]
pub enum ReferralRows<'a> {
    /// So many rows, those with the most people first.
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
    /// The row that the person is counted in. None: the path is longer than any that is kept.
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

/// Who runs the assistant that a `Referer` names.
pub fn assistant_of(referer: &str) -> Option<&'static str> {
    let url = Url::parse(referer).ok()?;
    let host = url.host_str()?;
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
            assert_eq!(assistant_of(referer), assistant, "{referer}");
        }
    }
}
