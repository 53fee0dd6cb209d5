//! Changes of sums that runs make, collected before they are written: one row for each key, whatever the number of runs.
//! Pure. The only place that says what of an answer is counted where.

use std::collections::{BTreeMap, HashMap, HashSet};

use assistants::analysis::Citation;
use assistants::providers::Provider;
use assistants::statistics::{AnswerSums, CountedAnswer, PairSums};
use sha2::{Digest, Sha256};

use super::model::UtcDay;
use super::queries::sums::{
    AnswerSumColumns, CompetitorSumColumns, DomainSumColumns, QuerySumColumns, SourceSumColumns,
};

/// Longest search that is kept, in characters.
const MAX_QUERY_CHARS: usize = 500;

/// Place of a run in sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SumKey {
    /// Number of the domain.
    pub domain: i64,
    pub day: UtcDay,
    /// Number of the prompt. None: it was deleted, so that only the run itself is counted.
    pub prompt: Option<i64>,
    pub provider: Provider,
}

/// Everything of an analysed answer that is counted.
#[derive(Debug, Clone, Copy)]
pub struct CountedParts<'a> {
    pub answer: &'a CountedAnswer,
    pub citations: &'a [Citation],
    pub retrieved: &'a [Citation],
    pub queries: &'a [String],
    /// Model by the response's own word; empty: it does not say.
    pub served_model: &'a str,
}

/// Domain, day, prompt and provider.
pub type PromptKey = (i64, UtcDay, i64, Provider);
/// Domain, day and provider.
pub type DomainKey = (i64, UtcDay, Provider);

/// Differences between sums as they are and as they will be.
#[derive(Debug, Default)]
pub struct SumChanges {
    pub prompts: BTreeMap<PromptKey, AnswerSumColumns>,
    pub domains: BTreeMap<DomainKey, DomainSumColumns>,
    pub prompt_competitors: BTreeMap<(PromptKey, String), CompetitorSumColumns>,
    pub domain_competitors: BTreeMap<(DomainKey, String), CompetitorSumColumns>,
    pub sources: BTreeMap<(PromptKey, i64), SourceSumColumns>,
    pub queries: BTreeMap<(PromptKey, i64), QuerySumColumns>,
    pub models: BTreeMap<(DomainKey, String), i64>,
    /// Addresses of pages with their sites, by domain and number.
    pub pages: HashMap<(i64, i64), (String, String)>,
    /// Texts of searches, by domain and number.
    pub query_texts: HashMap<(i64, i64), String>,
}

impl SumChanges {
    /// Counts a run that ended well.
    pub fn add_answer(&mut self, place: SumKey, parts: CountedParts<'_>) {
        self.domains.entry(domain_key(place)).or_default().ok_runs += 1;
        if !parts.served_model.is_empty() && !parts.answer.is_absent {
            *self.models.entry((domain_key(place), parts.served_model.to_owned())).or_default() += 1;
        }
        self.add_analysis(place, parts);
    }

    /// Counts what was found in an answer whose run is counted already.
    pub fn add_analysis(&mut self, place: SumKey, parts: CountedParts<'_>) {
        let Some(key) = prompt_key(place) else { return };
        let sums = AnswerSums::of(parts.answer);
        self.add_sums(place, key, &AnswerSumColumns::from(&sums), 1);
        for (name, sums) in &sums.competitors {
            self.add_competitor(place, key, name, &CompetitorSumColumns::from(sums), 1);
        }
        if !parts.answer.is_absent {
            self.add_sources(key, &sums, parts);
            self.add_queries(key, parts);
        }
    }

    /// Counts a run that ended in an error.
    pub fn add_error(&mut self, place: SumKey) {
        self.domains.entry(domain_key(place)).or_default().error_runs += 1;
        self.add_error_sums(place);
    }

    /// Counts the error of a run that is counted already.
    pub fn add_error_sums(&mut self, place: SumKey) {
        if let Some(key) = prompt_key(place) {
            self.add_sums(place, key, &AnswerSumColumns::from(&AnswerSums::of_error()), 1);
        }
    }

    /// Counts the distance between an answer and the one before; −1 takes it away. `place` is the later one's.
    pub fn add_pair(&mut self, place: SumKey, pair: AnswerPair, times: i64) {
        let Some(key) = prompt_key(place) else { return };
        let mut sums = AnswerSums::default();
        match pair.is_within_day {
            true => sums.pairs = pair.distance,
            false => sums.earlier_pairs = pair.distance,
        }
        self.add_sums(place, key, &AnswerSumColumns::from(&sums), times);
    }

    /// Takes away, or adds, sums of a prompt and provider as they were read.
    pub fn add_stored(&mut self, place: SumKey, sums: &AnswerSumColumns, times: i64) {
        if let Some(key) = prompt_key(place) {
            self.add_sums(place, key, sums, times);
        }
    }

    /// Takes away, or adds, a competitor's sums of a prompt and provider as they were read.
    pub fn add_stored_competitor(
        &mut self,
        place: SumKey,
        name: &str,
        sums: &CompetitorSumColumns,
        times: i64,
    ) {
        if let Some(key) = prompt_key(place) {
            self.add_competitor(place, key, name, sums, times);
        }
    }

    /// Leaves out the rows of prompts, which were deleted in the same transaction.
    pub fn keep_domains_only(&mut self) {
        self.prompts.clear();
        self.prompt_competitors.clear();
        self.sources.clear();
        self.queries.clear();
    }

    fn add_sums(&mut self, place: SumKey, key: PromptKey, sums: &AnswerSumColumns, times: i64) {
        self.prompts.entry(key).or_default().add(sums, times);
        self.domains.entry(domain_key(place)).or_default().answers.add(sums, times);
    }

    fn add_competitor(
        &mut self,
        place: SumKey,
        key: PromptKey,
        name: &str,
        sums: &CompetitorSumColumns,
        times: i64,
    ) {
        self.prompt_competitors.entry((key, name.to_owned())).or_default().add(sums, times);
        self.domain_competitors.entry((domain_key(place), name.to_owned())).or_default().add(sums, times);
    }

    fn add_sources(&mut self, key: PromptKey, sums: &AnswerSums, parts: CountedParts<'_>) {
        let is_gap = i64::from(sums.informative > 0 && sums.mentions == 0);
        let mut sites: HashSet<&str> = HashSet::new();
        for citation in parts.citations {
            let is_first = i64::from(sites.insert(&citation.domain));
            let row = SourceSumColumns {
                citations: 1,
                gap_citations: is_gap,
                site_answers: is_first,
                site_gap_answers: is_first * is_gap,
                retrieved: 0,
            };
            self.add_source(key, citation, &row);
        }
        for found in parts.retrieved {
            self.add_source(key, found, &SourceSumColumns { retrieved: 1, ..SourceSumColumns::default() });
        }
    }

    fn add_source(&mut self, key: PromptKey, source: &Citation, sums: &SourceSumColumns) {
        let page = number_of(&source.url);
        self.sources.entry((key, page)).or_default().add(sums, 1);
        self.pages.entry((key.0, page)).or_insert_with(|| (source.url.clone(), source.domain.clone()));
    }

    fn add_queries(&mut self, key: PromptKey, parts: CountedParts<'_>) {
        let named_in = i64::from(parts.answer.is_mentioned());
        let mut seen = HashSet::new();
        for query in parts.queries {
            let text = query_text(query);
            let number = number_of(&text);
            if text.is_empty() || !seen.insert(number) {
                continue;
            }
            self.queries.entry((key, number)).or_default().add(&QuerySumColumns { answers: 1, named_in }, 1);
            self.query_texts.entry((key.0, number)).or_insert(text);
        }
    }
}

/// Distance between two answers that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerPair {
    pub distance: PairSums,
    /// Both are of one day.
    pub is_within_day: bool,
}

impl AnswerPair {
    /// Compares an answer with the one before.
    pub fn of(before: (&CountedAnswer, UtcDay), after: (&CountedAnswer, UtcDay)) -> AnswerPair {
        let mut distance = PairSums::default();
        distance.add(before.0, after.0);
        AnswerPair { distance, is_within_day: before.1 == after.1 }
    }
}

fn prompt_key(place: SumKey) -> Option<PromptKey> {
    Some((place.domain, place.day, place.prompt?, place.provider))
}

fn domain_key(place: SumKey) -> DomainKey {
    (place.domain, place.day, place.provider)
}

/// Returns a search as it is counted: one form for differences of case and spacing.
fn query_text(query: &str) -> String {
    let words: Vec<&str> = query.split_whitespace().collect();
    words.join(" ").to_lowercase().chars().filter(|c| !c.is_control()).take(MAX_QUERY_CHARS).collect()
}

/// Returns the number that stands for a text: the first 63 bits of its SHA-256.
pub fn number_of(text: &str) -> i64 {
    let digest = Sha256::digest(text.as_bytes());
    let first = u64::from_be_bytes(digest[..8].try_into().expect("a SHA-256 has 32 bytes"));
    i64::try_from(first >> 1).expect("63 bits fit")
}
