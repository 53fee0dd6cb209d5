//! Answers from a file: question, then vendor or provider, then a list of answers. Used by demonstrations. Pure.

use std::collections::HashMap;

use serde::Deserialize;

use crate::answers::{AnswerPiece, Document, FakeSource, Occasion};
use crate::dice::Dice;

/// Questions that are answered from a file; every other one is refused.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct AnswerFile(HashMap<String, HashMap<String, Vec<ScriptedAnswer>>>);

/// An answer of the file: its text alone, or with sources.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum ScriptedAnswer {
    Text(String),
    Full {
        /// Markdown; empty for an overview that was not shown.
        text: String,
        #[serde(default)]
        citations: Vec<ScriptedSource>,
        #[serde(default)]
        queries: Vec<String>,
        /// False: answered from memory.
        #[serde(default = "yes")]
        searched: bool,
    },
}

/// A source: its address alone, or with a title.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum ScriptedSource {
    Url(String),
    Titled { url: String, title: String },
}

fn yes() -> bool {
    true
}

impl AnswerFile {
    /// Reads the file's JSON.
    pub fn parse(text: &str) -> Result<AnswerFile, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Finds the answer of an occasion; those of a list take turns from day to day.
    ///
    /// `names` are the assistant's and its vendor's; the first that the file has holds.
    pub fn find(&self, names: &[&str], occasion: &Occasion) -> Option<Document> {
        let by_vendor = self.0.get(occasion.question.trim())?;
        let answers = names.iter().find_map(|name| by_vendor.get(*name)).filter(|list| !list.is_empty())?;
        let first = Dice::new(occasion.seed, &["script", occasion.question]).below(answers.len()) as i64;
        let position = (first + occasion.day).rem_euclid(answers.len() as i64);
        Some(answers[usize::try_from(position).ok()?].document())
    }
}

impl ScriptedAnswer {
    fn document(&self) -> Document {
        let (text, citations, queries, has_searched) = match self {
            ScriptedAnswer::Text(text) => (text, &[][..], &[][..], true),
            ScriptedAnswer::Full { text, citations, queries, searched } => {
                (text, citations.as_slice(), queries.as_slice(), *searched)
            }
        };
        let sources: Vec<FakeSource> = citations.iter().map(ScriptedSource::source).collect();
        let cites = (0..sources.len()).collect();
        Document {
            pieces: vec![AnswerPiece { text: text.clone(), cites, gap: "" }],
            sources,
            queries: queries.to_vec(),
            has_searched,
            is_absent: text.is_empty(),
        }
    }
}

impl ScriptedSource {
    fn source(&self) -> FakeSource {
        let (url, title) = match self {
            ScriptedSource::Url(url) => (url.clone(), String::new()),
            ScriptedSource::Titled { url, title } => (url.clone(), title.clone()),
        };
        FakeSource { snippet: title.clone(), url, title }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vendors::Vendor;

    const FILE: &str = r#"{"Best editor?": {
        "chatgpt": ["First.", {"text": "Second.", "citations": ["https://a.example/", {"url": "https://b.example/", "title": "B"}]}],
        "google_ai_overview": [{"text": "", "searched": true}] }}"#;

    fn found(vendor: Vendor, question: &str, day: i64) -> Option<Document> {
        AnswerFile::parse(FILE)
            .unwrap()
            .find(vendor.names(), &Occasion { seed: 1, day, question, vendor: "x" })
    }

    #[test]
    fn answers_take_turns_from_day_to_day() {
        let texts: Vec<String> =
            (0..4).map(|day| found(Vendor::Openai, "Best editor?", day).unwrap().plain()).collect();

        assert_eq!(texts[0], texts[2]);
        assert_eq!(texts[1], texts[3]);
        assert_ne!(texts[0], texts[1]);
    }

    #[test]
    fn a_question_or_vendor_that_the_file_does_not_have_has_no_answer() {
        assert!(found(Vendor::Openai, "Another?", 0).is_none());
        assert!(found(Vendor::Gemini, "Best editor?", 0).is_none());
        assert!(found(Vendor::Dataforseo, "Best editor?", 0).unwrap().is_absent);
    }
}
