//! How the main text of a document reads: its language, and how hard it is. Pure.

use super::{PageFacts, Readability, language_of, readability};

/// What a reader makes of a main text.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Its language, and how sure that is.
    pub language: Option<(&'static str, f64)>,
    /// Its reading ease.
    pub ease: Readability,
}

impl Reading {
    /// Reads the main text of a document.
    pub fn of(facts: &PageFacts) -> Reading {
        let language = language_of(&facts.main_text, facts.language().as_deref());
        Reading { language, ease: readability(&facts.blocks, language.map(|(language, _)| language)) }
    }
}
