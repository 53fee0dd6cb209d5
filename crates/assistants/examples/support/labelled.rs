//! The labelled answers and how well the analysis agrees with them.
//! Used by the example `analysis_quality` and by a test. Never changes a label.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use assistants::analysis::brand::key;
use assistants::analysis::{
    AnswerAnalysis, AnswerInput, BrandProfile, Brands, CompetitorProfile, SecondStage, complete,
};
use assistants::providers::{Provider, Source};
use assistants::statistics::ToneClass;
use serde::Deserialize;

/// Languages of the labelled answers, each a file.
pub const LANGUAGES: [&str; 5] = ["en", "de", "fr", "es", "ja"];

/// An answer and what a careful reader says about it.
#[derive(Debug, Deserialize)]
pub struct LabelledAnswer {
    #[allow(dead_code, reason = "shown by one of the programs that read this")]
    pub id: String,
    pub part: AnswerPart,
    pub question: String,
    pub brand: BrandProfile,
    /// Competitors that the profile knows already.
    pub competitors: Vec<CompetitorProfile>,
    pub citations: Vec<String>,
    pub answer: String,
    pub labels: AnswerLabels,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerPart {
    /// Looked at while the rules were made.
    Tuning,
    /// Looked at when they were done.
    HeldOut,
}

#[derive(Debug, Deserialize)]
pub struct AnswerLabels {
    pub mentioned: bool,
    /// Rank among all brands; 0: not named.
    pub position: u32,
    /// `positive`, `neutral`, `negative`, or `none` when the brand is not named.
    pub tone: String,
    /// Competitors that the answer names, known ones included.
    pub competitors: Vec<String>,
}

/// Agreement of the analysis with the labels.
#[derive(Debug, Default, Clone, Copy)]
pub struct Agreement {
    pub answers: usize,
    pub mentioned_right: usize,
    pub position_right: usize,
    /// Answers that name the brand, by label.
    pub toned: usize,
    pub tone_right: usize,
    pub competitors_labelled: usize,
    pub competitors_found: usize,
    pub competitors_right: usize,
}

impl LabelledAnswer {
    pub fn read_all(language: &str) -> Vec<LabelledAnswer> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("data/labelled/{language}.jsonl"));
        let text = std::fs::read_to_string(&path).expect("the labelled answers are part of the crate");
        text.lines().map(|line| serde_json::from_str(line).expect("a line is a labelled answer")).collect()
    }

    /// Compiles the answer's profile.
    pub fn brands(&self) -> Arc<Brands> {
        Brands::compile(self.brand.clone(), self.competitors.clone())
    }

    /// Analyses the answer without a model.
    pub fn analyse(&self) -> AnswerAnalysis {
        let citations: Vec<Source> =
            self.citations.iter().map(|url| Source { url: url.clone(), title: String::new() }).collect();
        let input = AnswerInput {
            question: &self.question,
            text: &self.answer,
            citations: &citations,
            retrieved: &[],
            provider: Provider::Perplexity,
        };
        complete(&input, &self.brands(), SecondStage { reply: None, seen_before: &HashSet::new() })
    }
}

impl Agreement {
    /// Counts one analysed answer.
    pub fn add(&mut self, answer: &LabelledAnswer, analysis: &AnswerAnalysis) {
        let labels = &answer.labels;
        self.answers += 1;
        self.mentioned_right += usize::from(analysis.facts.mentioned == labels.mentioned);
        self.position_right += usize::from(analysis.facts.position == labels.position);
        if labels.mentioned {
            self.toned += 1;
            self.tone_right += usize::from(tone_of(analysis) == labels.tone);
        }
        let labelled: HashSet<String> = labels.competitors.iter().map(|name| key(name)).collect();
        let found: HashSet<String> =
            analysis.competitors.iter().map(|competitor| key(&competitor.name)).collect();
        self.competitors_labelled += labelled.len();
        self.competitors_found += found.len();
        self.competitors_right += labelled.intersection(&found).count();
    }

    /// Returns the share of answers with the right tone among those that name the brand.
    pub fn tone(&self) -> f64 {
        share(self.tone_right, self.toned)
    }

    pub fn precision(&self) -> f64 {
        share(self.competitors_right, self.competitors_found)
    }

    pub fn recall(&self) -> f64 {
        share(self.competitors_right, self.competitors_labelled)
    }
}

/// Returns the class of an analysis's tone, in the words of the labels.
pub fn tone_of(analysis: &AnswerAnalysis) -> &'static str {
    match (analysis.facts.mentioned, ToneClass::of(analysis.sentiment)) {
        (false, _) => "none",
        (_, ToneClass::Positive) => "positive",
        (_, ToneClass::Neutral) => "neutral",
        (_, ToneClass::Negative) => "negative",
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
