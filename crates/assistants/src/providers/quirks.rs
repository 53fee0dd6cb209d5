//! Parameters that a model refuses, learnt from its errors. Used by every request. Pure.
//! See docs/decisions/0361.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::wire::VendorErrorBody;

/// A parameter that a model or a server refuses, so that requests leave it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quirk {
    /// Forcing the search.
    ToolChoice,
    /// Effort of thinking.
    Reasoning,
    /// Limit of searches.
    MaxToolCalls,
    /// Sources of searches in the response.
    Include,
    /// Place of the person, which is then said in words.
    UserLocation,
    /// Place and language of a Gemini search; the place is then said in words.
    RetrievalConfig,
    LanguagePreference,
    /// Searching in chat completions.
    WebSearchOptions,
    /// `max_tokens` of chat completions, whose newer name is `max_completion_tokens`.
    MaxTokens,
    /// Structured output; the schema is then part of the text.
    ResponseFormat,
    /// Our own mark of the run.
    Metadata,
}

impl Quirk {
    const ALL: [Quirk; 11] = [
        Quirk::ToolChoice,
        Quirk::Reasoning,
        Quirk::MaxToolCalls,
        Quirk::Include,
        Quirk::UserLocation,
        Quirk::RetrievalConfig,
        Quirk::LanguagePreference,
        Quirk::WebSearchOptions,
        Quirk::MaxTokens,
        Quirk::ResponseFormat,
        Quirk::Metadata,
    ];

    /// Names of the parameter in errors, in lower case. Vendors write camel case, snake case or plain words.
    fn names(self) -> &'static [&'static str] {
        match self {
            Quirk::ToolChoice => &["tool_choice", "toolchoice", "tool choice", "forced tool"],
            Quirk::Reasoning => &["reasoning", "thinking", "thinkingconfig", "thinkinglevel", "effort"],
            Quirk::MaxToolCalls => &["max_tool_calls", "max_steps", "max_uses"],
            Quirk::Include => &["include", "web_search_call.action.sources"],
            Quirk::UserLocation => {
                &["user_location", "location_name", "location_coordinate", "location parameter"]
            }
            Quirk::RetrievalConfig => {
                &["retrievalconfig", "retrieval_config", "latlng", "lat_lng", "languagecode", "language_code"]
            }
            Quirk::LanguagePreference => &["language_preference"],
            Quirk::WebSearchOptions => &["web_search_options"],
            Quirk::MaxTokens => &["max_tokens"],
            Quirk::ResponseFormat => &[
                "response_format",
                "text.format",
                "json_schema",
                "output_config.format",
                "responsejsonschema",
                "response_json_schema",
                "output_format",
            ],
            Quirk::Metadata => &["metadata"],
        }
    }

    fn is_named_in(self, text: &str) -> bool {
        self.names().iter().any(|name| contains_word(text, name))
    }
}

/// Decides whether a name stands in a text by itself: `include` does not stand in `included`.
fn contains_word(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// Parameters that requests to one model leave out. To be remembered per base address and model for a day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Quirks(BTreeSet<Quirk>);

impl Quirks {
    pub fn contains(&self, quirk: Quirk) -> bool {
        self.0.contains(&quirk)
    }

    /// Adds a quirk. Returns false when it was known.
    pub fn insert(&mut self, quirk: Quirk) -> bool {
        self.0.insert(quirk)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Quirk> {
        self.0.iter().copied()
    }
}

impl Extend<Quirk> for Quirks {
    fn extend<I: IntoIterator<Item = Quirk>>(&mut self, quirks: I) {
        self.0.extend(quirks);
    }
}

impl FromIterator<Quirk> for Quirks {
    fn from_iter<I: IntoIterator<Item = Quirk>>(quirks: I) -> Quirks {
        Quirks(quirks.into_iter().collect())
    }
}

/// Finds the parameter that an error refuses, among those whose absence changes the request (`matters`).
///
/// The error's `param` counts before its message, which may repeat words of the question. A complaint about tools that
/// names no parameter is taken for one about forcing them, then for one about thinking beside them.
pub(super) fn refused_parameter(error: &VendorErrorBody, matters: impl Fn(Quirk) -> bool) -> Option<Quirk> {
    let (param, message) = (error.param.to_ascii_lowercase(), error.message.to_ascii_lowercase());
    let named = |text: &str| Quirk::ALL.into_iter().find(|quirk| quirk.is_named_in(text) && matters(*quirk));
    let complains_about_tools = || {
        param.starts_with("tool")
            || contains_word(&message, "tool")
            || contains_word(&message, "tools")
            || message.contains("web_search")
    };
    named(&param).or_else(|| named(&message)).or_else(|| {
        let suspects = [Quirk::ToolChoice, Quirk::Reasoning];
        suspects.into_iter().find(|quirk| matters(*quirk)).filter(|_| complains_about_tools())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(param: &str, message: &str) -> Option<Quirk> {
        let error = VendorErrorBody {
            param: param.to_owned(),
            message: message.to_owned(),
            ..VendorErrorBody::default()
        };
        refused_parameter(&error, |_| true)
    }

    #[test]
    fn a_parameter_is_found_by_the_error_s_field_or_message() {
        assert_eq!(refused("reasoning.effort", "Unsupported parameter"), Some(Quirk::Reasoning));
        assert_eq!(refused("tools[0].user_location", "Unknown parameter"), Some(Quirk::UserLocation));
        assert_eq!(
            refused(
                "",
                "Invalid JSON payload received. Unknown name \"retrievalConfig\" at 'tool_config': Cannot find field."
            ),
            Some(Quirk::RetrievalConfig)
        );
        assert_eq!(
            refused("", "tool_choice: this model does not support forced tool use"),
            Some(Quirk::ToolChoice)
        );
        assert_eq!(refused("max_tokens", "Use 'max_completion_tokens' instead."), Some(Quirk::MaxTokens));
    }

    #[test]
    fn the_field_counts_before_the_message() {
        assert_eq!(refused("metadata", "What is the best tool for reasoning?"), Some(Quirk::Metadata));
    }

    #[test]
    fn a_complaint_about_tools_suspects_forcing_and_then_thinking() {
        let error = VendorErrorBody {
            message: "Hosted tools are not supported with this".to_owned(),
            ..VendorErrorBody::default()
        };

        assert_eq!(refused_parameter(&error, |_| true), Some(Quirk::ToolChoice));
        assert_eq!(refused_parameter(&error, |quirk| quirk != Quirk::ToolChoice), Some(Quirk::Reasoning));
        assert_eq!(refused_parameter(&error, |_| false), None);
    }

    #[test]
    fn another_error_refuses_no_parameter() {
        assert_eq!(refused("model", "The model does not exist"), None);
        assert_eq!(refused("", "Your content was included elsewhere"), None);
    }

    #[test]
    fn quirks_are_a_list_in_json() {
        let quirks: Quirks = [Quirk::ToolChoice, Quirk::MaxTokens].into_iter().collect();

        let json = serde_json::to_string(&quirks).unwrap();

        assert_eq!(json, r#"["tool_choice","max_tokens"]"#);
        assert_eq!(serde_json::from_str::<Quirks>(&json).unwrap(), quirks);
    }
}
