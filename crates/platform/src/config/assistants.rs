//! Settings of AI assistants: how each is asked, what asking may cost, and which model analyses answers.
//! Part of `config`. Must refuse what would make an assistant look usable and fail with every question.

use serde::Deserialize;
use url::Url;

use super::values::{self, Secret, optional};
use super::{Config, ConfigError};

/// Providers that are parts of Google's search and no models.
const GOOGLE_SEARCH: [&str; 2] = ["google_ai_overview", "google_ai_mode"];

/// One AI provider of section `providers`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSection {
    pub api_key: Secret,
    #[serde(deserialize_with = "optional")]
    pub base_url: Option<Url>,
    #[serde(deserialize_with = "optional")]
    pub model: Option<String>,
    pub api_style: ProviderStyle,
    pub search: bool,
    pub demo: bool,
    /// 0: the provider's default.
    pub requests_per_minute: u32,
    /// 0: the provider's default.
    pub in_flight: u32,
    #[serde(deserialize_with = "values::optional_usd")]
    pub usd_per_run: Option<f64>,
    #[serde(deserialize_with = "values::usd_limit")]
    pub budget_usd_per_day: Option<f64>,
    #[serde(deserialize_with = "values::usd_limit")]
    pub budget_usd_per_month: Option<f64>,
    #[serde(default)]
    pub vendor: SearchSource,
}

/// Form of the requests to an AI provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderStyle {
    /// The vendor's own.
    Native,
    /// Chat completions, as many servers speak them.
    Chat,
}

/// Vendor of search results that is asked for Google's AI overviews and for AI Mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchSource {
    #[default]
    Dataforseo,
    Serpapi,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MentionsSection {
    #[serde(deserialize_with = "values::usd_limit")]
    pub budget_usd_per_month: Option<f64>,
    /// None: a part of the installation's; see [`MentionsSection::account_budget`]. Within, none: no limit.
    #[serde(deserialize_with = "values::optional_usd_limit")]
    pub budget_usd_per_account: Option<Option<f64>>,
    pub max_runs_per_day: u32,
    pub keep_raw_days: u32,
    pub keep_answers_days: u32,
    /// Empty: stand-ins answer every question.
    pub demo_prompts: Vec<String>,
}

impl MentionsSection {
    /// Returns the dollars that an account may spend in a month: a quarter of the installation's, unless set. None: no limit.
    pub fn account_budget(&self) -> Option<f64> {
        self.budget_usd_per_account.unwrap_or(self.budget_usd_per_month.map(|budget| budget / 4.0))
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisSection {
    #[serde(deserialize_with = "optional")]
    pub provider: Option<String>,
    #[serde(deserialize_with = "optional")]
    pub model: Option<String>,
    #[serde(deserialize_with = "optional")]
    pub base_url: Option<Url>,
    pub api_key: Secret,
}

/// Checks what a type alone cannot say.
pub(super) fn validate(config: &Config) -> Result<(), ConfigError> {
    let refuse = |key: &str, problem: &str| Err(ConfigError::value(key, problem));
    if !(1..=4).contains(&config.mentions.max_runs_per_day) {
        return refuse("mentions.max_runs_per_day", "must be from 1 to 4");
    }
    if config.mentions.keep_answers_days == 0 {
        return refuse("mentions.keep_answers_days", "must be at least 1");
    }
    for (id, provider) in &config.providers {
        let key = |name: &str| format!("providers.{id}.{name}");
        let is_chat = provider.api_style == ProviderStyle::Chat;
        if is_chat && GOOGLE_SEARCH.contains(&id.as_str()) {
            return refuse(&key("api_style"), "must be native: a vendor of search results is asked");
        }
        if is_chat && provider.base_url.is_none() {
            return refuse(&key("base_url"), "must be set with api_style = \"chat\"");
        }
        if provider.base_url.as_ref().is_some_and(|url| !is_usable_base(url)) {
            return refuse(&key("base_url"), "must be an http:// or https:// address without a password");
        }
    }
    if config.analysis.base_url.as_ref().is_some_and(|url| !is_usable_base(url)) {
        return refuse("analysis.base_url", "must be an http:// or https:// address without a password");
    }
    match config.analysis.provider.as_deref() {
        Some(provider) if GOOGLE_SEARCH.contains(&provider) => {
            refuse("analysis.provider", "must be an assistant with a model of its own")
        }
        Some(provider) if !config.providers.contains_key(provider) => {
            refuse("analysis.provider", "is none of the providers in section providers")
        }
        _ => Ok(()),
    }
}

fn is_usable_base(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.password().is_none() && url.username().is_empty()
}
