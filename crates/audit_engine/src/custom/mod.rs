//! Customers' own extractions and searches: pieces of each page by CSS selector or regular expression, and pages that
//! contain a text. Strangers write the pages, customers the selectors and expressions: both take bounded time and
//! memory, and the results per page are bounded too. Pure.
//! See docs/decisions/0245.

mod tree;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};
use scraper::{Html, Selector};
use serde::{Deserialize, Serialize};

use crate::page::text::collapse;

/// Extractions that an audit may have; searches likewise.
pub const MAX_RULES: usize = 20;
const MAX_NAME_CHARS: usize = 60;
const MAX_RULE_BYTES: usize = 300;
/// Memory of a compiled expression: it decides how long one byte of a page takes.
const MAX_PROGRAM_BYTES: usize = 64 * 1024;
/// Bytes of a document in which expressions look.
const MAX_SEARCHED_BYTES: usize = 512 * 1024;
/// Pieces that are kept of one extraction, characters of each, and bytes of all that is kept of a page.
const MAX_VALUES: usize = 20;
const MAX_VALUE_CHARS: usize = 300;
const MAX_PAGE_BYTES: usize = 8 * 1024;

/// Version of a page that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The server's response.
    Raw,
    /// The rendered document, or the server's response where the page was not rendered.
    Rendered,
}

/// Part of a document that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentPart {
    /// The document's markup.
    Source,
    /// The text that a reader sees.
    Text,
}

/// Pieces of each page under a name.
#[derive(Debug, Clone)]
pub struct Extraction {
    name: String,
    side: Side,
    pattern: ExtractionPattern,
}

#[derive(Debug, Clone)]
enum ExtractionPattern {
    /// Elements, and the attribute that is wanted of them; none: their text.
    Elements(Selector, Option<String>),
    /// The first group of each match, or all of it.
    Matches(Regex),
}

/// Pages that contain something, or do not, under a name.
#[derive(Debug, Clone)]
pub struct Search {
    name: String,
    side: Side,
    part: DocumentPart,
    expression: Regex,
    finds_absence: bool,
}

/// Reason why an extraction or a search is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRule {
    /// The name is empty, too long, or holds control characters.
    #[error("a name has 1 to {MAX_NAME_CHARS} characters")]
    Name,
    /// The text or expression is empty or too long.
    #[error("what is looked for has 1 to {MAX_RULE_BYTES} bytes")]
    Length,
    /// The text is not a selector.
    #[error("{0:?} is no CSS selector")]
    Selector(String),
    /// It is a selector that could take too long.
    #[error("{0:?} has :has() or ~, which are not supported")]
    SlowSelector(String),
    /// The text is not the name of an attribute.
    #[error("{0:?} is no name of an attribute")]
    Attribute(String),
    /// The text is not a regular expression, or a match could take too long.
    #[error("{expression:?} is no regular expression that can be used: {why}")]
    Expression {
        /// Expression as written.
        expression: String,
        /// Error of the compiler.
        why: String,
    },
}

impl Extraction {
    /// Makes an extraction of the text of each element that a selector matches, or of one of its attributes.
    pub fn of_elements(
        name: &str,
        side: Side,
        selector: &str,
        attribute: Option<&str>,
    ) -> Result<Extraction, BadRule> {
        check_length(selector)?;
        // Siblings of siblings and elements by what they hold take more than the document's length of steps.
        if selector.contains(":has") || selector.replace("~=", "").contains('~') {
            return Err(BadRule::SlowSelector(selector.to_owned()));
        }
        let is_name = |name: &&str| {
            !name.is_empty()
                && !name.contains(|c: char| c.is_whitespace() || c.is_control() || "\"'>/=".contains(c))
        };
        if let Some(bad) = attribute.filter(|name| !is_name(name)) {
            return Err(BadRule::Attribute(bad.to_owned()));
        }
        let parsed = Selector::parse(selector).map_err(|_| BadRule::Selector(selector.to_owned()))?;
        let attribute = attribute.map(str::to_ascii_lowercase);
        Ok(Extraction { name: name_of(name)?, side, pattern: ExtractionPattern::Elements(parsed, attribute) })
    }

    /// Makes an extraction of the first group of each match of an expression in the source, or of the whole match
    /// when it has no group.
    pub fn of_matches(name: &str, side: Side, expression: &str) -> Result<Extraction, BadRule> {
        let pattern = ExtractionPattern::Matches(compile(expression)?);
        Ok(Extraction { name: name_of(name)?, side, pattern })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    fn pieces(&self, document: &SearchedDocument<'_>) -> Vec<String> {
        let piece = |text: &str| -> String { collapse(text).chars().take(MAX_VALUE_CHARS).collect() };
        match &self.pattern {
            ExtractionPattern::Elements(selector, attribute) => {
                let elements = document.tree().select(selector);
                let text = |element: scraper::ElementRef| match attribute {
                    Some(attribute) => element.value().attr(attribute).map(piece),
                    None => Some(piece(&tree::text(element))),
                };
                elements.filter_map(text).take(MAX_VALUES).collect()
            }
            ExtractionPattern::Matches(expression) => {
                let matches = expression.captures_iter(document.searched(DocumentPart::Source));
                let group = |found: regex::Captures<'_>| {
                    found.get(1).or_else(|| found.get(0)).map(|group| piece(group.as_str()))
                };
                matches.filter_map(group).take(MAX_VALUES).collect()
            }
        }
    }
}

impl Search {
    /// Makes a search for pages that contain a text, in any case.
    pub fn for_text(name: &str, side: Side, part: DocumentPart, text: &str) -> Result<Search, BadRule> {
        check_length(text)?;
        Search::for_matches(name, side, part, &format!("(?i){}", regex::escape(text)))
    }

    /// Makes a search for pages in which an expression matches.
    pub fn for_matches(
        name: &str,
        side: Side,
        part: DocumentPart,
        expression: &str,
    ) -> Result<Search, BadRule> {
        let expression = compile(expression)?;
        Ok(Search { name: name_of(name)?, side, part, expression, finds_absence: false })
    }

    /// Inverts a search: it finds the other pages.
    #[must_use]
    pub fn inverted(mut self) -> Search {
        self.finds_absence = !self.finds_absence;
        self
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    fn finds(&self, document: &SearchedDocument<'_>) -> bool {
        self.expression.is_match(document.searched(self.part)) != self.finds_absence
    }
}

fn name_of(name: &str) -> Result<String, BadRule> {
    let is_name = (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && !name.contains(char::is_control);
    if is_name { Ok(name.to_owned()) } else { Err(BadRule::Name) }
}

fn check_length(rule: &str) -> Result<(), BadRule> {
    if (1..=MAX_RULE_BYTES).contains(&rule.len()) { Ok(()) } else { Err(BadRule::Length) }
}

fn compile(expression: &str) -> Result<Regex, BadRule> {
    if expression.is_empty() || expression.len() > 2 * MAX_RULE_BYTES {
        return Err(BadRule::Length);
    }
    let compiled = RegexBuilder::new(expression).size_limit(MAX_PROGRAM_BYTES).build();
    compiled.map_err(|error| BadRule::Expression {
        expression: expression.to_owned(),
        why: error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    })
}

/// One document of a page.
pub struct SearchedDocument<'a> {
    html: &'a str,
    text: &'a str,
    tree: OnceCell<Html>,
}

impl<'a> SearchedDocument<'a> {
    /// Makes a document with its visible text.
    pub fn new(html: &'a str, text: &'a str) -> SearchedDocument<'a> {
        SearchedDocument { html, text, tree: OnceCell::new() }
    }

    /// Returns the tree, which is built when the first selector needs it.
    fn tree(&self) -> &Html {
        self.tree.get_or_init(|| tree::parse(self.html))
    }

    fn searched(&self, part: DocumentPart) -> &'a str {
        let all = match part {
            DocumentPart::Source => self.html,
            DocumentPart::Text => self.text,
        };
        &all[..all.floor_char_boundary(MAX_SEARCHED_BYTES.min(all.len()))]
    }
}

/// Results of one page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomResults {
    /// Pieces, by the extraction's name; those that found nothing are left out.
    pub extracted: BTreeMap<String, Vec<String>>,
    /// Names of the searches that found the page.
    pub searches: Vec<String>,
}

impl CustomResults {
    /// Runs extractions and searches on a page: on the server's response and on the rendered document.
    pub fn on(
        extractions: &[Extraction],
        searches: &[Search],
        raw: &SearchedDocument<'_>,
        rendered: &SearchedDocument<'_>,
    ) -> CustomResults {
        let side = |side: Side| if side == Side::Raw { raw } else { rendered };
        let mut found = CustomResults::default();
        let mut bytes = 0;
        for extraction in extractions {
            for piece in extraction.pieces(side(extraction.side)) {
                bytes += piece.len();
                if bytes <= MAX_PAGE_BYTES {
                    found.extracted.entry(extraction.name.clone()).or_default().push(piece);
                }
            }
        }
        let finding = searches.iter().filter(|search| search.finds(side(search.side)));
        found.searches = finding.map(|search| search.name.clone()).collect();
        found
    }

    pub fn is_empty(&self) -> bool {
        self.extracted.is_empty() && self.searches.is_empty()
    }
}

#[cfg(test)]
mod tests;
