//! Customers' extractions and searches: their settings and the problems of these. Pure; the engine runs them.

use std::collections::HashSet;

use audit_engine::custom::{BadRule, DocumentPart, Extraction, MAX_RULES, Search, Side};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Pieces of each page, under a name: either of the elements that a selector names, or of what an expression matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtractionRule {
    /// The name under which they stand with the page.
    #[schema(examples("price"), min_length = 1, max_length = 60)]
    pub name: String,
    /// CSS selector of the elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples(".price"))]
    pub selector: Option<String>,
    /// Regular expression in the source; its first group is the piece, else all of the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// The attribute that is wanted of the elements; their text unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// `raw`: what the server sent; `rendered` unless given: what a browser made of it, where it was rendered.
    #[serde(default = "rendered")]
    #[schema(value_type = String, examples("rendered"))]
    pub of: Side,
}

/// Pages that contain something, or do not, under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchRule {
    /// The name under which the search stands with the pages that it finds.
    #[schema(examples("phone number"), min_length = 1, max_length = 60)]
    pub name: String,
    /// The text that is looked for, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Regular expression that is looked for instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// `text` unless given: what a reader sees; `source`: the markup.
    #[serde(rename = "in", default = "text")]
    #[schema(value_type = String, examples("text"))]
    pub place: DocumentPart,
    /// `raw`, or `rendered` unless given.
    #[serde(default = "rendered")]
    #[schema(value_type = String, examples("rendered"))]
    pub of: Side,
    /// The pages without it are found.
    #[serde(default)]
    pub inverted: bool,
}

fn rendered() -> Side {
    Side::Rendered
}

fn text() -> DocumentPart {
    DocumentPart::Text
}

/// Reason why a rule is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It has no or two conditions.
    #[error("needs either {0} or regex")]
    Choice(&'static str),
    /// An expression has no attributes.
    #[error("attribute goes with selector")]
    Attribute,
    /// The engine does not take it.
    #[error(transparent)]
    Bad(#[from] BadRule),
}

impl ExtractionRule {
    /// Compiles the rule for the engine.
    pub fn compile(&self) -> Result<Extraction, RuleError> {
        match (&self.selector, &self.regex) {
            (Some(selector), None) => {
                let attribute = self.attribute.as_deref();
                Ok(Extraction::of_elements(&self.name, self.of, selector, attribute)?)
            }
            (None, Some(_)) if self.attribute.is_some() => Err(RuleError::Attribute),
            (None, Some(regex)) => Ok(Extraction::of_matches(&self.name, self.of, regex)?),
            _ => Err(RuleError::Choice("selector")),
        }
    }
}

impl SearchRule {
    /// Compiles the rule for the engine.
    pub fn compile(&self) -> Result<Search, RuleError> {
        let search = match (&self.text, &self.regex) {
            (Some(text), None) => Search::for_text(&self.name, self.of, self.place, text)?,
            (None, Some(regex)) => Search::for_matches(&self.name, self.of, self.place, regex)?,
            _ => return Err(RuleError::Choice("text")),
        };
        Ok(if self.inverted { search.inverted() } else { search })
    }
}

/// Lists the problems of a list of rules, each given by its name and the reason of its refusal.
pub fn rule_issues<'a>(
    list: &str,
    rules: impl ExactSizeIterator<Item = (&'a str, Option<RuleError>)>,
) -> Vec<(String, String)> {
    if rules.len() > MAX_RULES {
        return vec![(list.to_owned(), format!("has more than {MAX_RULES} entries"))];
    }
    let mut names = HashSet::new();
    let mut issues = Vec::new();
    for (at, (name, error)) in rules.enumerate() {
        if let Some(error) = error {
            issues.push((format!("{list}.{at}"), error.to_string()));
        } else if !names.insert(name) {
            issues.push((format!("{list}.{at}.name"), "is the name of another entry".to_owned()));
        }
    }
    issues
}
