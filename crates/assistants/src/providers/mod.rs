//! The assistants that can be asked, the question, and the answer in one form for all of them.
//! A provider is one file: it writes the request and reads the response; `call` alone speaks HTTP.
//! Must never name a key in an error, a log line or an answer.

mod asking;
pub mod call;
mod chat;
mod chatgpt;
mod claude;
mod connection;
mod gemini;
mod google_search;
mod perplexity;
mod persona;
pub mod prices;
mod quirks;
pub mod wire;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use asking::{AskState, AssistantQuestion, CompletionTask, Matter, Progress};
pub use connection::{ApiStyle, BadProviderKey, ProviderConnection, ProviderKey, SearchVendor};
pub use persona::{Persona, PersonaError};
pub use prices::Usd;
pub use quirks::{Quirk, Quirks};

use wire::Wire;

/// The providers, in their order. A new one is a file with its listing and a line here.
pub const PROVIDERS: [&Listing; 6] = [
    &chatgpt::LISTING,
    &perplexity::LISTING,
    &gemini::LISTING,
    &claude::LISTING,
    &google_search::OVERVIEW,
    &google_search::AI_MODE,
];

/// Least plan of an account that may ask a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanLevel {
    Essential,
    Agency,
}

/// Facts about a provider that do not depend on the installation.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    pub provider: Provider,
    pub plan: PlanLevel,
    /// Everything before the vendor's path.
    pub base_url: &'static str,
    /// Model that is asked unless the settings name another; of Google's search the vendor.
    pub model: &'static str,
    /// Sentence that says how to connect it.
    pub connect: &'static str,
    /// Address of the vendor's own page.
    pub documentation: &'static str,
    /// Requests a minute unless the settings say otherwise; what the vendor's lowest paid tier allows.
    pub requests_per_minute: u32,
    /// Requests in flight unless the settings say otherwise.
    pub in_flight: u32,
    wire: fn(&ProviderConnection) -> &'static Wire,
}

pub fn listing_of(provider: Provider) -> &'static Listing {
    let found = PROVIDERS.into_iter().find(|listing| listing.provider == provider);
    found.expect("every provider has its line, which a test checks")
}

/// Chooses the form of requests and responses of a connection.
fn wire_of(connection: &ProviderConnection) -> &'static Wire {
    match connection.style {
        ApiStyle::Native => (listing_of(connection.provider).wire)(connection),
        ApiStyle::Chat => &chat::WIRE,
    }
}

/// An assistant, by its identifier in the API. The order is that of every list and of the default of a new prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    Chatgpt,
    Perplexity,
    Gemini,
    Claude,
    GoogleAiOverview,
    GoogleAiMode,
}

impl Provider {
    /// All of them, in their order.
    pub const ALL: [Provider; 6] = [
        Provider::Chatgpt,
        Provider::Perplexity,
        Provider::Gemini,
        Provider::Claude,
        Provider::GoogleAiOverview,
        Provider::GoogleAiMode,
    ];

    /// Returns the identifier in the API, in settings and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Provider::Chatgpt => "chatgpt",
            Provider::Perplexity => "perplexity",
            Provider::Gemini => "gemini",
            Provider::Claude => "claude",
            Provider::GoogleAiOverview => "google_ai_overview",
            Provider::GoogleAiMode => "google_ai_mode",
        }
    }

    /// Returns the name as people know the assistant.
    pub const fn title(self) -> &'static str {
        match self {
            Provider::Chatgpt => "ChatGPT",
            Provider::Perplexity => "Perplexity",
            Provider::Gemini => "Gemini",
            Provider::Claude => "Claude",
            Provider::GoogleAiOverview => "Google AI Overviews",
            Provider::GoogleAiMode => "Google AI Mode",
        }
    }

    /// Decides whether the assistant is a part of Google's search. A vendor of search results reads such a part, and no model
    /// can be chosen or stand in.
    pub const fn is_google_search(self) -> bool {
        matches!(self, Provider::GoogleAiOverview | Provider::GoogleAiMode)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// No assistant has this identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is none of chatgpt, perplexity, gemini, claude, google_ai_overview, google_ai_mode")]
pub struct UnknownProvider(pub String);

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(text: &str) -> Result<Provider, UnknownProvider> {
        let found = Provider::ALL.into_iter().find(|provider| provider.as_str() == text);
        found.ok_or_else(|| UnknownProvider(text.to_owned()))
    }
}

/// A source of an answer, as the provider names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Absolute address, http or https, redirectors of the provider resolved where that was possible.
    pub url: String,
    /// Empty when the provider gives none.
    pub title: String,
}

/// Search of the web for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retrieval {
    Used,
    NotUsed,
    /// The operator has switched searching off (`providers.<id>.search`).
    Off,
    /// The response does not say.
    Unknown,
}

/// End of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    Complete,
    /// Cut off by a limit of the provider; the text up to there counts.
    Truncated,
    /// Google showed no AI overview for the query, or AI Mode answered nothing: there is no answer.
    AbsentOverview,
}

/// Way in which the provider was told the person's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocationSent {
    /// In the request's own fields.
    Parameters,
    /// In words, as a system message, because the request has no field or the model refused it.
    Text,
    /// Not at all: none was wanted, or a search engine has no field for it.
    None,
}

/// Tokens and searches of an answer, as the provider states them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    /// Thinking included.
    pub output_tokens: u64,
    /// Searches that are billed apart.
    pub searches: u64,
}

/// An answer, in one form for all providers.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Markdown that a person would read; empty only for [`Finish::AbsentOverview`]. Without NUL.
    pub text: String,
    /// Sources that the answer cites, in the order of their first citation, each once.
    pub citations: Vec<Source>,
    /// Sources that were found and are not cited.
    pub retrieved: Vec<Source>,
    /// Searches that the assistant ran, where the provider names them.
    pub queries: Vec<String>,
    pub retrieval: Retrieval,
    /// Model by the response's own word; never the configured name.
    pub served_model: Option<String>,
    pub finish: Finish,
    pub location: LocationSent,
    /// The question was cut to the length that a search engine takes.
    pub query_cut: bool,
    pub usage: Usage,
    /// The provider's response as JSON, without keys and without Google's Search Suggestions.
    pub raw: serde_json::Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_its_line_in_its_place() {
        let listed = PROVIDERS.map(|listing| listing.provider);

        assert_eq!(listed, Provider::ALL);
        for listing in PROVIDERS {
            assert!(listing.base_url.parse::<url::Url>().is_ok() && !listing.base_url.ends_with('/'));
            assert!(listing.documentation.parse::<url::Url>().is_ok());
            let key = format!("providers.{}.api_key", listing.provider);
            assert!(listing.connect.contains(&key), "{}", listing.connect);
            assert!(
                prices::price_of(listing.provider, listing.model, jiff::civil::date(2026, 11, 25)).is_known
            );
        }
    }

    #[test]
    fn an_identifier_is_read_back() {
        for provider in Provider::ALL {
            assert_eq!(provider.as_str().parse(), Ok(provider));
            assert_eq!(serde_json::to_value(provider).unwrap(), provider.as_str());
        }
        assert!("bing".parse::<Provider>().is_err());
    }
}
