//! The two stages of the analysis and their results.
//! Used by the application's `mentions` and by `glasshouse ask`. Pure.

mod describe;
mod facts;
mod second;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::brand::BrandKind;
use super::citations::Citation;
use super::llm::ModelReply;
use crate::providers::{Provider, Source};

pub use facts::facts;
pub use second::complete;

/// An answer as it came from a provider.
#[derive(Debug, Clone, Copy)]
pub struct AnswerInput<'a> {
    /// Question that was asked.
    pub question: &'a str,
    /// Answer as markdown; empty when there is none.
    pub text: &'a str,
    pub citations: &'a [Source],
    pub retrieved: &'a [Source],
    pub provider: Provider,
}

/// Result of the first stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerFacts {
    /// The own brand is named.
    pub mentioned: bool,
    /// Occurrences of the own brand.
    pub count: u32,
    /// Rank of the own brand among all brands, by first appearance; 0: not named.
    pub position: u32,
    /// Rank of the own brand in the first ordered list with at least three brands.
    pub list_rank: Option<u32>,
    /// Own brand and competitors, by first appearance.
    pub brands: Vec<NamedBrand>,
    pub spans: Vec<BrandSpan>,
    pub citations: Vec<Citation>,
    /// Registrable domains of the citations, each once.
    pub citation_domains: Vec<String>,
    /// An own domain is cited.
    pub own_cited: bool,
    /// Sources that were found and are not cited.
    pub retrieved: Vec<Citation>,
    /// Sentence that says that nothing is known of the own brand; the brand then counts as not named.
    pub unknown: Option<String>,
}

/// A brand that an answer names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBrand {
    pub name: String,
    pub kind: BrandKind,
    /// Occurrences.
    pub count: u32,
    /// Rank by first appearance, from 1.
    pub rank: u32,
    /// First occurrence, in Unicode code points of the answer's markdown.
    pub first_offset: usize,
}

/// An occurrence of a brand, in Unicode code points of the answer's markdown. See docs/decisions/0365.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrandSpan {
    pub name: String,
    pub kind: BrandKind,
    pub start: usize,
    /// First code point after the occurrence.
    pub end: usize,
}

/// Input of the second stage besides the answer.
#[derive(Debug, Clone, Copy)]
pub struct SecondStage<'a> {
    /// Reply of a model. None: the built-in analyser decides alone.
    pub reply: Option<&'a ModelReply>,
    /// Keys of names that were pending in other answers of the domain; see [`AnswerAnalysis::pending`].
    pub seen_before: &'a HashSet<String>,
}

/// Result of the second stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerAnalysis {
    /// Facts of the first stage, with the competitors that were found.
    pub facts: AnswerFacts,
    /// Tone towards the own brand, from −1 to 1 with two decimals; 0 when it is not named.
    pub sentiment: f64,
    pub tone_basis: ToneBasis,
    /// None when nothing in the answer tells.
    pub recommended: Option<bool>,
    /// Sentence of the answer that shows the tone.
    pub quote: Option<String>,
    /// Competitors that the answer names, by first appearance.
    pub competitors: Vec<CompetitorMention>,
    /// Keys of names that count as competitors when another answer of the domain has them too.
    pub pending: Vec<String>,
    /// Description in one paragraph.
    pub text: String,
    pub mode: AnalysisMode,
}

/// A competitor that an answer names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompetitorMention {
    pub name: String,
    /// Occurrences.
    pub count: u32,
    pub rank: u32,
    /// Tone, from −1 to 1; none when it was not scored.
    pub sentiment: Option<f64>,
    /// Domain that the answer links or cites for a competitor that is new.
    pub domain: Option<String>,
    /// The profile does not have this competitor yet.
    pub is_new: bool,
}

/// Origin of a tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToneBasis {
    /// A model's number, whose quote stands in the answer.
    Model,
    /// Word lists.
    Lexicon,
    /// Nothing to score: the brand is not named, or the language has no word lists.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnalysisMode {
    Model,
    Builtin,
}
