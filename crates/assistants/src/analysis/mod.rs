//! Which brands an answer names, where, how it speaks of them and what it cites.
//! Pure: mentions, positions and citations come from the text alone; a model may only propose.
//! `facts` is the first stage, at once; `complete` is the second, with or without a model's reply.

pub mod brand;
pub mod candidates;
pub mod citations;
pub mod llm;
pub mod matcher;
pub mod prose;
mod stages;
pub mod tone;
mod unknown;

pub use brand::{BrandKind, BrandProfile, Brands, CompetitorProfile, CompetitorStatus};
pub use citations::{Citation, SourceKind};
pub use stages::{
    AnalysisMode, AnswerAnalysis, AnswerFacts, AnswerInput, BrandSpan, CompetitorMention, NamedBrand,
    SecondStage, ToneBasis, complete, facts,
};

/// Version of the analysis. Raised by every change of a rule that can change a stored result.
pub const ANALYSIS_VERSION: u32 = 2;
