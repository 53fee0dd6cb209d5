//! Purposes of crawlers, as the data files and clients name them. Pure.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Purpose of a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = CrawlerPurpose)]
pub enum Class {
    /// Builds a search index.
    Search,
    /// Collects training data for language models.
    LlmTraining,
    /// Builds the index of an answer engine.
    LlmSearch,
    /// Fetches a page because a person asked an assistant.
    LlmUser,
    /// Makes a link preview.
    Preview,
    /// Watches rankings, links and site health.
    Seo,
    /// Watches availability.
    Monitor,
    /// Checks advertisements and their landing pages.
    Ads,
    /// Reads feeds.
    Feed,
    /// Keeps copies in an archive.
    Archive,
    /// Any other purpose.
    Other,
}

impl Class {
    pub(crate) const ALL: [Class; 11] = [
        Class::Search,
        Class::LlmTraining,
        Class::LlmSearch,
        Class::LlmUser,
        Class::Preview,
        Class::Seo,
        Class::Monitor,
        Class::Ads,
        Class::Feed,
        Class::Archive,
        Class::Other,
    ];

    /// Returns the text that clients see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Class::Search => "search",
            Class::LlmTraining => "llm-training",
            Class::LlmSearch => "llm-search",
            Class::LlmUser => "llm-user",
            Class::Preview => "preview",
            Class::Seo => "seo",
            Class::Monitor => "monitor",
            Class::Ads => "ads",
            Class::Feed => "feed",
            Class::Archive => "archive",
            Class::Other => "other",
        }
    }

    /// Returns the purpose of a tag of the general list; none: the tag has no purpose.
    pub(super) fn of_tag(tag: &str) -> Option<Class> {
        Some(match tag {
            "search-engine" => Class::Search,
            // The list does not say what an AI crawler does with the text; most of them collect it.
            "ai-crawler" => Class::LlmTraining,
            "social-preview" => Class::Preview,
            "seo" => Class::Seo,
            "monitoring" => Class::Monitor,
            "advertising" => Class::Ads,
            "feed-reader" => Class::Feed,
            "archiver" => Class::Archive,
            _ => return None,
        })
    }
}
