//! Language and reading ease of the main text of a document. Pure.

use super::{PageFacts, Readability, language_of, readability};

/// Language and reading ease of a main text.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Language, with a confidence of at most 1.
    pub language: Option<(&'static str, f64)>,
    /// Reading ease.
    pub ease: Readability,
}

impl Reading {
    /// Reads the main text of a document.
    pub fn of(facts: &PageFacts) -> Reading {
        let language = language_of(&facts.main_text, facts.language().as_deref());
        Reading { language, ease: readability(&facts.blocks, language.map(|(language, _)| language)) }
    }
}
