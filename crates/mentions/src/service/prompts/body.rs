//! Prompts as they are sent: by the API, in a list to import, or in a file. Pure.
//! The only place that says which texts, tags and lists a prompt may have.

use assistants::providers::{Persona, Provider};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::ToSchema;

use crate::model::{MonitorInterval, PromptIntent};

/// Longest text of a prompt, in characters.
pub const MAX_TEXT_CHARS: usize = 2_000;
const MAX_TAGS: usize = 10;
const MAX_TAG_CHARS: usize = 64;
/// More entries of `providers`, repetitions included, are taken for a mistake.
const MAX_PROVIDERS_SENT: usize = 100;

/// Problems of a body: dotted path and sentence.
pub type BodyIssues = Vec<(String, String)>;

/// A prompt that is to be created.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromptFields {
    /// The question, as it is asked. Required.
    #[schema(max_length = 2000, examples("What is the best tool for prerendering a single-page app?"))]
    pub prompt_text: Option<String>,
    /// Required.
    pub intent: Option<PromptIntent>,
    /// Assistants that are asked; those that plan and settings allow unless given.
    #[schema(value_type = Option<Vec<String>>, example = json!(["chatgpt", "gemini"]))]
    pub providers: Option<Vec<String>>,
    /// `dynamic` unless given.
    pub monitor_interval: Option<MonitorInterval>,
    /// Tags, at most 10, separated by commas: lower-case letters, digits and hyphens, 64 characters each.
    #[schema(examples("docs,comparison"))]
    pub tags: Option<String>,
    /// 1 unless given; 0: paused.
    #[schema(minimum = 0, maximum = 1)]
    pub active: Option<u8>,
    /// Place, language and role of the person who asks: an object or its JSON; null: none. The domain's default unless
    /// given.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<Object>)]
    pub persona_location: Option<Option<Value>>,
}

/// Tells a field that is null from one that is not there.
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Fields of a prompt that are to be changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptChange {
    pub text: Option<String>,
    pub intent: Option<PromptIntent>,
    /// Providers in the order of [`Provider::ALL`].
    pub providers: Option<Vec<Provider>>,
    pub interval: Option<MonitorInterval>,
    pub tags: Option<Vec<String>>,
    pub is_active: Option<bool>,
    pub persona: Option<Persona>,
}

/// A prompt that is to be created, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPrompt {
    pub text: String,
    pub intent: PromptIntent,
    /// None: those that plan and settings allow.
    pub providers: Option<Vec<Provider>>,
    pub interval: MonitorInterval,
    pub tags: Vec<String>,
    pub is_active: bool,
    /// None: the domain's default.
    pub persona: Option<Persona>,
}

impl PromptFields {
    /// Checks the fields of a change, or says everything that is wrong with them.
    pub fn change(self) -> Result<PromptChange, BodyIssues> {
        let mut issues = BodyIssues::new();
        let mut note = |path: String, problem: String| issues.push((path, problem));
        let text = self.prompt_text.map(|text| text.trim().to_owned());
        if let Some(problem) = text.as_deref().and_then(problem_of_text) {
            note("promptText".to_owned(), problem.to_owned());
        }
        let providers = self.providers.and_then(|names| read_providers(&names, &mut note));
        let tags = self.tags.and_then(|tags| match read_tags(&tags) {
            Ok(tags) => Some(tags),
            Err(problem) => {
                note("tags".to_owned(), problem);
                None
            }
        });
        if self.active.is_some_and(|active| active > 1) {
            note("active".to_owned(), "must be 0 or 1".to_owned());
        }
        let persona = self.persona_location.map(|value| Persona::from_json(&value.unwrap_or_default()));
        let persona = persona.transpose().unwrap_or_else(|error| {
            note("personaLocation".to_owned(), error.to_string());
            None
        });
        if !issues.is_empty() {
            return Err(issues);
        }
        Ok(PromptChange {
            text,
            intent: self.intent,
            providers,
            interval: self.monitor_interval,
            tags,
            is_active: self.active.map(|active| active == 1),
            persona,
        })
    }

    /// Checks the fields of a new prompt.
    pub fn create(self) -> Result<NewPrompt, BodyIssues> {
        let mut missing = BodyIssues::new();
        for (field, is_missing) in
            [("promptText", self.prompt_text.is_none()), ("intent", self.intent.is_none())]
        {
            if is_missing {
                missing.push((field.to_owned(), "is missing".to_owned()));
            }
        }
        match self.change() {
            Err(mut issues) => {
                issues.splice(0..0, missing);
                Err(issues)
            }
            Ok(PromptChange {
                text: Some(text),
                intent: Some(intent),
                providers,
                interval,
                tags,
                is_active,
                persona,
            }) => Ok(NewPrompt {
                text,
                intent,
                providers,
                interval: interval.unwrap_or(MonitorInterval::Dynamic),
                tags: tags.unwrap_or_default(),
                is_active: is_active.unwrap_or(true),
                persona,
            }),
            Ok(_) => Err(missing),
        }
    }
}

fn problem_of_text(text: &str) -> Option<&'static str> {
    if !(1..=MAX_TEXT_CHARS).contains(&text.chars().count()) {
        return Some("must have 1 to 2000 characters");
    }
    text.contains('\0').then_some("must not contain a NUL character")
}

/// Reads names of assistants, without blanks and repetitions.
pub fn read_providers(names: &[String], note: &mut impl FnMut(String, String)) -> Option<Vec<Provider>> {
    if names.len() > MAX_PROVIDERS_SENT {
        note("providers".to_owned(), format!("has more than {MAX_PROVIDERS_SENT} entries"));
        return None;
    }
    let mut providers = Vec::new();
    let mut are_known = true;
    for (at, name) in names.iter().enumerate().filter(|(_, name)| !name.trim().is_empty()) {
        match name.trim().parse::<Provider>() {
            Ok(provider) => providers.push(provider),
            Err(error) => {
                note(format!("providers.{at}"), error.to_string());
                are_known = false;
            }
        }
    }
    if providers.is_empty() && are_known {
        note("providers".to_owned(), "must name at least one assistant".to_owned());
        return None;
    }
    providers.sort();
    providers.dedup();
    Some(providers)
}

/// Reads tags, without blanks and repetitions, in their order.
fn read_tags(tags: &str) -> Result<Vec<String>, String> {
    let mut read: Vec<String> = Vec::new();
    for tag in tags.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
        let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if tag.len() > MAX_TAG_CHARS || !tag.chars().all(is_allowed) {
            let shown: String = tag.chars().take(MAX_TAG_CHARS).collect();
            return Err(format!(
                "{shown:?} is no tag: 1 to {MAX_TAG_CHARS} lower-case letters, digits and hyphens"
            ));
        }
        if !read.iter().any(|known| known == tag) {
            read.push(tag.to_owned());
        }
    }
    if read.len() > MAX_TAGS {
        return Err(format!("has more than {MAX_TAGS} tags"));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn create(body: Value) -> Result<NewPrompt, Vec<String>> {
        let fields: PromptFields = serde_json::from_value(body).unwrap();
        fields.create().map_err(|issues| issues.into_iter().map(|(path, _)| path).collect())
    }

    fn with(field: &str, value: Value) -> Result<NewPrompt, Vec<String>> {
        let mut body = json!({ "promptText": "Which one?", "intent": "comm" });
        body[field] = value;
        create(body)
    }

    #[test]
    fn a_prompt_needs_a_text_and_an_intent() {
        let least = create(json!({ "promptText": "  Which one?\n", "intent": "info" })).unwrap();

        assert_eq!((least.text.as_str(), least.interval), ("Which one?", MonitorInterval::Dynamic));
        assert_eq!((least.is_active, least.providers, least.persona), (true, None, None));
        assert_eq!(create(json!({})).unwrap_err(), ["promptText", "intent"]);
        assert_eq!(create(json!({ "promptText": null, "intent": "info" })).unwrap_err(), ["promptText"]);
    }

    #[test]
    fn a_text_has_1_to_2000_characters_after_trimming() {
        assert!(with("promptText", json!(format!(" {} ", "é".repeat(2000)))).is_ok());
        for text in ["".to_owned(), " \n ".to_owned(), "x".repeat(2001), "a\u{0}b".to_owned()] {
            assert_eq!(with("promptText", json!(text)).unwrap_err(), ["promptText"]);
        }
    }

    #[test]
    fn tags_and_providers_lose_blanks_and_repetitions() {
        let tags = with("tags", json!(" docs, ,rival-2,docs,")).unwrap().tags;
        let providers = with("providers", json!(["gemini", " ", "chatgpt", "gemini", " gemini "])).unwrap();

        assert_eq!(tags, ["docs", "rival-2"]);
        assert_eq!(providers.providers, Some(vec![Provider::Chatgpt, Provider::Gemini]));
        assert!(with("tags", json!("")).unwrap().tags.is_empty());
    }

    #[test]
    fn what_is_no_tag_is_refused() {
        let ten: Vec<String> = (0..10).map(|at| format!("t{at}")).collect();

        assert_eq!(with("tags", json!(ten.join(","))).unwrap().tags.len(), 10);
        assert!(with("tags", json!("a".repeat(64))).is_ok());
        for tags in ["Docs", "two words", "a_b", "é", &"a".repeat(65), &format!("{},x", ten.join(","))] {
            assert_eq!(with("tags", json!(tags)).unwrap_err(), ["tags"], "{tags}");
        }
    }

    #[test]
    fn unknown_and_missing_assistants_are_refused() {
        assert_eq!(with("providers", json!([])).unwrap_err(), ["providers"]);
        assert_eq!(with("providers", json!([" "])).unwrap_err(), ["providers"]);
        assert_eq!(with("providers", json!(["chatgpt", "bard"])).unwrap_err(), ["providers.1"]);
    }

    #[test]
    fn a_persona_is_an_object_or_its_json() {
        let object = with("personaLocation", json!({ "country": "DE" })).unwrap().persona;
        let text = with("personaLocation", json!("{\"country\":\"DE\"}")).unwrap().persona;

        assert_eq!(object, text);
        assert_eq!(with("personaLocation", Value::Null).unwrap().persona, Some(Persona::default()));
        for wrong in [json!(7), json!("x"), json!({ "planet": "Mars" }), json!({ "country": "Germany" })] {
            assert_eq!(with("personaLocation", wrong).unwrap_err(), ["personaLocation"]);
        }
    }

    #[test]
    fn active_is_0_or_1() {
        assert!(!with("active", json!(0)).unwrap().is_active);
        assert_eq!(with("active", json!(2)).unwrap_err(), ["active"]);
    }
}
