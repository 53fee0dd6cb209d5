//! Plain sums of answers: of one prompt, provider and day, and of any number of such sums.
//! Stored by the application and read by every statistic. Integers only, so that the order of adding changes nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{RateInterval, ToneClass, jaccard_distance, mean_of_hundredths, percent};
use crate::providers::Retrieval;

/// Parts of one in which fractions are summed up.
pub(super) const MILLION: f64 = 1_000_000.0;

/// Facts of one analysed answer that are counted and compared.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedAnswer {
    /// Rank of the own brand; 0: not named.
    pub position: u32,
    /// Tone, from −1 to 1; 0 when the brand is not named.
    pub sentiment: f64,
    /// None when nothing in the answer tells.
    pub recommended: Option<bool>,
    /// Competitors that the answer names or cites.
    pub competitors: Vec<CountedCompetitor>,
    pub citations: CitationCounts,
    /// Registrable domains that the answer cites.
    pub citation_domains: Vec<String>,
    pub retrieval: Retrieval,
    /// Google showed no overview: there is no answer, and only that is counted.
    pub is_absent: bool,
}

/// A competitor in one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedCompetitor {
    pub name: String,
    /// Rank among all brands of the answer; 0: cited, not named.
    pub rank: u32,
    pub occurrences: u32,
    pub is_cited: bool,
    /// Tone, from −1 to 1; none when it was not scored.
    pub sentiment: Option<f64>,
}

/// Numbers of distinct cited addresses by their owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitationCounts {
    pub own: u64,
    pub competitor: u64,
    pub third_party: u64,
}

/// Counts and totals of the answers of one prompt, provider and day, or of several of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSums {
    pub responses: u64,
    /// Responses that name the own brand.
    pub mentions: u64,
    pub position_sum: u64,
    /// Hundredths.
    pub sentiment_sum: i64,
    pub sentiment_count: u64,
    pub positive: u64,
    pub neutral: u64,
    pub negative: u64,
    /// Responses that cite an own domain.
    pub own_cited: u64,
    pub citations: CitationCounts,
    /// Overviews that Google did not show; no responses.
    pub absent_overviews: u64,
    /// Responses for which the assistant did not search.
    pub not_retrieved: u64,
    /// Runs that ended without an answer; no responses.
    pub errors: u64,
    /// Responses that name the own brand before all others.
    pub first_positions: u64,
    pub recommended_yes: u64,
    /// Responses that tell whether the own brand is recommended.
    pub recommended_known: u64,
    /// Distinct competitors of each response, summed up.
    pub distinct_competitors: u64,
    /// Responses that name any brand.
    pub informative: u64,
    /// Distances between the competitors of consecutive responses within a day.
    pub pairs: PairSums,
    /// Distances to a response of an earlier day; left out where the range begins.
    pub earlier_pairs: PairSums,
    pub competitors: BTreeMap<String, CompetitorSums>,
}

/// Sum of Jaccard distances between the competitor sets of consecutive answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairSums {
    /// Millionths.
    pub distance_sum: u64,
    pub count: u64,
}

/// Sums of one competitor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompetitorSums {
    /// Responses that name the competitor.
    pub responses: u64,
    pub occurrences: u64,
    /// Sum of 1 ÷ log2(1 + rank), in millionths.
    pub prominence_sum: u64,
    pub position_sum: u64,
    /// Responses that cite a domain of the competitor.
    pub cited: u64,
    /// Hundredths.
    pub sentiment_sum: i64,
    pub sentiment_count: u64,
    /// Responses that name the competitor before the own brand, or without it.
    pub ahead_of_own: u64,
}

impl CountedAnswer {
    /// Returns the names of the competitors that the answer names.
    pub fn named_competitors(&self) -> impl Iterator<Item = &str> {
        self.competitors.iter().filter(|competitor| competitor.rank > 0).map(|competitor| &*competitor.name)
    }

    pub fn is_mentioned(&self) -> bool {
        self.position > 0
    }
}

impl CitationCounts {
    pub fn total(self) -> u64 {
        self.own + self.competitor + self.third_party
    }

    fn merge(&mut self, other: CitationCounts) {
        self.own += other.own;
        self.competitor += other.competitor;
        self.third_party += other.third_party;
    }
}

impl PairSums {
    /// Adds the distance between two consecutive answers.
    pub fn add(&mut self, before: &CountedAnswer, after: &CountedAnswer) {
        let distance = jaccard_distance(before.named_competitors(), after.named_competitors());
        self.distance_sum += (distance * MILLION).round() as u64;
        self.count += 1;
    }

    pub(super) fn merge(&mut self, other: PairSums) {
        self.distance_sum += other.distance_sum;
        self.count += other.count;
    }
}

impl CompetitorSums {
    fn of(competitor: &CountedCompetitor, own_position: u32) -> CompetitorSums {
        let rank = competitor.rank;
        let is_named = rank > 0;
        let tone = competitor.sentiment.filter(|_| is_named);
        CompetitorSums {
            responses: is_named.into(),
            occurrences: competitor.occurrences.into(),
            prominence_sum: if is_named { prominence(rank) } else { 0 },
            position_sum: rank.into(),
            cited: competitor.is_cited.into(),
            sentiment_sum: tone.map_or(0, hundredths),
            sentiment_count: tone.is_some().into(),
            ahead_of_own: (is_named && (own_position == 0 || rank < own_position)).into(),
        }
    }

    fn merge(&mut self, other: &CompetitorSums) {
        self.responses += other.responses;
        self.occurrences += other.occurrences;
        self.prominence_sum += other.prominence_sum;
        self.position_sum += other.position_sum;
        self.cited += other.cited;
        self.sentiment_sum += other.sentiment_sum;
        self.sentiment_count += other.sentiment_count;
        self.ahead_of_own += other.ahead_of_own;
    }

    /// Returns the mean rank where the competitor is named; 0 where it never is.
    pub fn avg_position(&self) -> f64 {
        mean_of_hundredths(self.position_sum as i64 * 100, self.responses)
    }

    /// Returns the mean tone; none when no answer was scored.
    pub fn avg_sentiment(&self) -> Option<f64> {
        (self.sentiment_count > 0).then(|| mean_of_hundredths(self.sentiment_sum, self.sentiment_count))
    }
}

impl AnswerSums {
    /// Returns the sums of one answer.
    pub fn of(answer: &CountedAnswer) -> AnswerSums {
        if answer.is_absent {
            return AnswerSums { absent_overviews: 1, ..AnswerSums::default() };
        }
        let is_mentioned = answer.is_mentioned();
        let class = is_mentioned.then(|| ToneClass::of(answer.sentiment));
        let is_class = |wanted| u64::from(class == Some(wanted));
        let distinct = answer.named_competitors().count() as u64;
        let mut competitors: BTreeMap<String, CompetitorSums> = BTreeMap::new();
        for competitor in &answer.competitors {
            let sums = CompetitorSums::of(competitor, answer.position);
            competitors.entry(competitor.name.clone()).or_default().merge(&sums);
        }
        AnswerSums {
            responses: 1,
            mentions: is_mentioned.into(),
            position_sum: answer.position.into(),
            sentiment_sum: if is_mentioned { hundredths(answer.sentiment) } else { 0 },
            sentiment_count: is_mentioned.into(),
            positive: is_class(ToneClass::Positive),
            neutral: is_class(ToneClass::Neutral),
            negative: is_class(ToneClass::Negative),
            own_cited: (answer.citations.own > 0).into(),
            citations: answer.citations,
            not_retrieved: (answer.retrieval == Retrieval::NotUsed).into(),
            first_positions: (answer.position == 1).into(),
            recommended_yes: (answer.recommended == Some(true)).into(),
            recommended_known: answer.recommended.is_some().into(),
            distinct_competitors: distinct,
            informative: (is_mentioned || distinct > 0).into(),
            competitors,
            ..AnswerSums::default()
        }
    }

    /// Returns the sums of a run that ended without an answer.
    pub fn of_error() -> AnswerSums {
        AnswerSums { errors: 1, ..AnswerSums::default() }
    }

    pub fn add(&mut self, answer: &CountedAnswer) {
        self.merge(&AnswerSums::of(answer));
    }

    /// Adds other sums. The order in which sums are merged changes nothing.
    pub fn merge(&mut self, other: &AnswerSums) {
        self.responses += other.responses;
        self.mentions += other.mentions;
        self.position_sum += other.position_sum;
        self.sentiment_sum += other.sentiment_sum;
        self.sentiment_count += other.sentiment_count;
        self.positive += other.positive;
        self.neutral += other.neutral;
        self.negative += other.negative;
        self.own_cited += other.own_cited;
        self.citations.merge(other.citations);
        self.absent_overviews += other.absent_overviews;
        self.not_retrieved += other.not_retrieved;
        self.errors += other.errors;
        self.first_positions += other.first_positions;
        self.recommended_yes += other.recommended_yes;
        self.recommended_known += other.recommended_known;
        self.distinct_competitors += other.distinct_competitors;
        self.informative += other.informative;
        self.pairs.merge(other.pairs);
        self.earlier_pairs.merge(other.earlier_pairs);
        for (name, sums) in &other.competitors {
            match self.competitors.get_mut(name) {
                Some(own) => own.merge(sums),
                None => {
                    self.competitors.insert(name.clone(), *sums);
                }
            }
        }
    }

    /// Returns the share of responses that name the own brand, in percent.
    pub fn visibility_percent(&self) -> f64 {
        percent(self.mentions, self.responses)
    }

    /// Returns the interval of the visibility. None without responses.
    pub fn visibility_interval(&self) -> Option<RateInterval> {
        RateInterval::wilson(self.mentions, self.responses)
    }

    /// Returns the mean rank where the own brand is named; 0 where it never is.
    pub fn avg_position(&self) -> f64 {
        mean_of_hundredths(self.position_sum as i64 * 100, self.mentions)
    }

    /// Returns the mean tone where the own brand is named; 0 where it never is.
    pub fn avg_sentiment(&self) -> f64 {
        mean_of_hundredths(self.sentiment_sum, self.sentiment_count)
    }

    /// Returns the share of responses that cite an own domain, in percent.
    pub fn citation_rate(&self) -> f64 {
        percent(self.own_cited, self.responses)
    }

    /// Returns the share of responses that name the own brand first, in percent.
    pub fn first_position_percent(&self) -> f64 {
        percent(self.first_positions, self.responses)
    }

    /// Returns the share of responses that recommend the own brand among those that tell, in percent. None if none tells.
    pub fn recommended_percent(&self) -> Option<f64> {
        (self.recommended_known > 0).then(|| percent(self.recommended_yes, self.recommended_known))
    }

    /// Returns the responses that name a brand, counted once for each brand: what shares of voice are shares of.
    pub fn voices(&self) -> u64 {
        self.mentions + self.competitors.values().map(|sums| sums.responses).sum::<u64>()
    }

    /// Returns the own brand's share of voice, in percent.
    pub fn share_of_voice(&self) -> f64 {
        percent(self.mentions, self.voices())
    }

    /// Returns a competitor's share of voice, in percent.
    pub fn competitor_share(&self, name: &str) -> f64 {
        percent(self.competitors.get(name).map_or(0, |sums| sums.responses), self.voices())
    }

    /// Returns the share of voice of the competitor with the largest one, in percent.
    pub fn top_competitor_share(&self) -> f64 {
        percent(self.competitors.values().map(|sums| sums.responses).max().unwrap_or(0), self.voices())
    }
}

/// Returns 1 ÷ log2(1 + rank) in millionths.
fn prominence(rank: u32) -> u64 {
    (MILLION / f64::from(rank + 1).log2()).round() as u64
}

fn hundredths(tone: f64) -> i64 {
    (tone.clamp(-1.0, 1.0) * 100.0).round() as i64
}
