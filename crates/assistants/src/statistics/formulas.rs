//! Strength of a competitor and difficulty of a prompt, from sums. Pure.
//! Both are heuristics; the weights below are published in the documentation.

use serde::{Deserialize, Serialize};

use super::ratio;
use super::sums::{AnswerSums, MILLION};

/// Maximum number of listed competitors.
const MAX_TOP_COMPETITORS: usize = 5;
/// Minimum number of responses from which a difficulty is computed.
const MIN_RESPONSES: u64 = 3;
/// Competitors whose strength decides how hard a prompt is.
const STRONGEST: usize = 3;
/// Mean number of competitors in a response that counts as crowded.
const CROWDED: f64 = 8.0;

/// A competitor in the list of those that are named most often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopCompetitor {
    pub name: String,
    /// Responses that name the competitor.
    pub count: u64,
    /// Address of the competitor's site; empty when it is not known.
    pub site_url: String,
    /// Strength, from 0 to 100.
    pub strength: u32,
}

/// Parts of a difficulty, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifficultyParts {
    /// Mean strength of the three strongest competitors.
    pub strength: f64,
    /// Likeness of the competitors of consecutive answers.
    pub stability: f64,
    /// Share of citations that lead to competitors.
    pub competitor_citations: f64,
    /// Competitors in a response, compared with eight.
    pub crowding: f64,
    /// Own visibility.
    pub visibility: f64,
}

/// Computes a competitor's strength from 0 to 100: presence in the responses, rank among the brands, cited pages.
///
/// Cited pages count only when the competitor's domain is known; the other two then weigh more.
pub fn strength(sums: &AnswerSums, name: &str, is_domain_known: bool) -> u32 {
    let Some(competitor) = sums.competitors.get(name).filter(|competitor| competitor.responses > 0) else {
        return 0;
    };
    let presence = ratio(competitor.responses as f64, sums.responses);
    let prominence = ratio(competitor.prominence_sum as f64 / MILLION, competitor.responses);
    let cited = ratio(competitor.cited as f64, sums.responses);
    let score = match is_domain_known {
        true => 0.55 * presence + 0.25 * prominence + 0.20 * cited,
        false => 0.69 * presence + 0.31 * prominence,
    };
    score_of(score)
}

/// Lists the competitors that are named most often, at most five: by responses, then strength, then name.
///
/// `site_url` returns the address of a competitor's site, none when it is not known.
pub fn top_competitors(sums: &AnswerSums, site_url: impl Fn(&str) -> Option<String>) -> Vec<TopCompetitor> {
    let named = sums.competitors.iter().filter(|(_, competitor)| competitor.responses > 0);
    let mut all: Vec<TopCompetitor> = named
        .map(|(name, competitor)| {
            let site_url = site_url(name);
            TopCompetitor {
                name: name.clone(),
                count: competitor.responses,
                strength: strength(sums, name, site_url.is_some()),
                site_url: site_url.unwrap_or_default(),
            }
        })
        .collect();
    all.sort_by(|a, b| {
        b.count.cmp(&a.count).then(b.strength.cmp(&a.strength)).then_with(|| a.name.cmp(&b.name))
    });
    all.truncate(MAX_TOP_COMPETITORS);
    all
}

/// Computes the difficulty of being named for a prompt, from 0 to 100; −1 with fewer than three responses.
pub fn difficulty(sums: &AnswerSums, is_domain_known: impl Fn(&str) -> bool) -> i32 {
    if sums.responses < MIN_RESPONSES {
        return -1;
    }
    let parts = difficulty_parts(sums, is_domain_known);
    let score = 0.40 * parts.strength
        + 0.25 * parts.stability
        + 0.20 * parts.competitor_citations
        + 0.15 * parts.crowding;
    score_of(score.clamp(0.0, 1.0) * (1.0 - 0.30 * parts.visibility)) as i32
}

/// Computes the parts of a difficulty.
pub fn difficulty_parts(sums: &AnswerSums, is_domain_known: impl Fn(&str) -> bool) -> DifficultyParts {
    let mut strengths: Vec<u32> =
        sums.competitors.keys().map(|name| strength(sums, name, is_domain_known(name))).collect();
    strengths.sort_unstable_by(|a, b| b.cmp(a));
    let strongest: u32 = strengths.iter().take(STRONGEST).sum();
    let mut pairs = sums.pairs;
    pairs.merge(sums.earlier_pairs);
    DifficultyParts {
        strength: f64::from(strongest) / STRONGEST as f64 / 100.0,
        stability: match pairs.count {
            0 => 0.5,
            count => 1.0 - ratio(pairs.distance_sum as f64 / MILLION, count),
        },
        competitor_citations: ratio(sums.citations.competitor as f64, sums.citations.total()),
        crowding: (ratio(sums.distinct_competitors as f64, sums.responses) / CROWDED).min(1.0),
        visibility: ratio(sums.mentions as f64, sums.responses),
    }
}

/// Rounds a score from 0 to 1 to one from 0 to 100.
fn score_of(score: f64) -> u32 {
    // A sum of products may lie a hair below the half that it stands for.
    (score * 100.0 + 1e-9).round().clamp(0.0, 100.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::CompetitorSums;

    fn sums(responses: u64, competitors: &[(&str, u64)]) -> AnswerSums {
        let of = |named: u64| CompetitorSums {
            responses: named,
            prominence_sum: named * 1_000_000,
            ..CompetitorSums::default()
        };
        AnswerSums {
            responses,
            competitors: competitors.iter().map(|(name, named)| ((*name).to_owned(), of(*named))).collect(),
            ..AnswerSums::default()
        }
    }

    #[test]
    fn an_unknown_domain_does_not_weaken_a_competitor() {
        let sums = sums(4, &[("Notchly", 4), ("Absent", 0)]);

        assert_eq!(strength(&sums, "Notchly", true), 80);
        assert_eq!(strength(&sums, "Notchly", false), 100);
        assert_eq!(strength(&sums, "Absent", true), 0);
        assert_eq!(strength(&sums, "Unheard", true), 0);
    }

    #[test]
    fn the_five_that_are_named_most_are_listed() {
        let sums = sums(9, &[("f", 1), ("e", 2), ("d", 2), ("c", 3), ("b", 4), ("a", 5), ("never", 0)]);

        let top = top_competitors(&sums, |name| (name == "e").then(|| "https://e.example".to_owned()));

        let names: Vec<&str> = top.iter().map(|competitor| &*competitor.name).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e"]);
        assert_eq!(top[4].site_url, "https://e.example");
        assert_eq!(top[0].site_url, "");
    }

    #[test]
    fn a_difficulty_needs_three_responses() {
        assert_eq!(difficulty(&sums(2, &[("a", 2)]), |_| true), -1);
        assert!(difficulty(&sums(3, &[("a", 3)]), |_| true) >= 0);
        assert_eq!(difficulty(&sums(3, &[]), |_| true), 13);
    }
}
