//! Difference between an answer and the one before, and how often a prompt is therefore asked. Pure.
//! Used by the schedule of the application's `mentions`. Instants are milliseconds since the epoch; takes no clock.

mod level;
mod slots;

use std::collections::BTreeSet;

use crate::statistics::{CountedAnswer, jaccard_distance};

pub use level::{DynamicState, Level};
pub use slots::{MONTHLY, WEEKLY, next_after_answer, next_slot, phase, retry_delay};

/// Weights of the parts of a change score; they add up to 1.
const MENTION: f64 = 0.35;
const RANK: f64 = 0.15;
const TONE: f64 = 0.10;
const COMPETITORS: f64 = 0.20;
const SOURCES: f64 = 0.20;

/// Difference of ranks, and of tones, that counts in full.
const FULL_RANK: f64 = 3.0;
const FULL_TONE: f64 = 0.5;

/// Difference between an answer and the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerChange {
    /// Difference, from 0 (equal) to 1.
    pub score: f64,
    /// The own brand is named in one of the answers only.
    pub has_flipped: bool,
}

impl AnswerChange {
    /// Compares two answers to one question. Rank and tone count only when both name the own brand.
    pub fn between(before: &CountedAnswer, after: &CountedAnswer) -> AnswerChange {
        let has_flipped = before.is_mentioned() != after.is_mentioned();
        let mut score = if has_flipped { MENTION } else { 0.0 };
        if before.is_mentioned() && after.is_mentioned() {
            let rank = f64::from(before.position.abs_diff(after.position));
            let tone = (before.sentiment - after.sentiment).abs();
            score += RANK * (rank / FULL_RANK).min(1.0) + TONE * (tone / FULL_TONE).min(1.0);
        }
        score += COMPETITORS * jaccard_distance(before.named_competitors(), after.named_competitors());
        score += SOURCES * jaccard_distance(domains(before), domains(after));
        AnswerChange { score, has_flipped }
    }
}

fn domains(answer: &CountedAnswer) -> BTreeSet<&str> {
    answer.citation_domains.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests;
