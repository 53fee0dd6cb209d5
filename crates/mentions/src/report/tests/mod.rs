//! Reports from made-up answers: the published example with all its numbers, changes, actions and properties.

mod actions;
mod changes;
mod golden;
mod properties;

use std::collections::{BTreeMap, BTreeSet};

use assistants::analysis::{BrandProfile, CompetitorProfile, CompetitorStatus, SourceKind};
use assistants::providers::{Provider, Retrieval};
use assistants::statistics::{AnswerSums, CitationCounts, CountedAnswer, CountedCompetitor, PairSums};
use serde_json::Value;

use super::payload::VisibilityReport;
use super::{
    CitedPage, DaySums, ReportAnswer, ReportInput, ReportPrompt, TargetSums, WINDOW_DAYS, build, canonical,
};
use crate::model::UtcDay;
use platform::clock::Timestamp;

/// 2026-11-17, the last day of the window.
pub const LAST: UtcDay = 20_774;
const OWN: &str = "LumaDocs";
/// 2026-11-18T00:05:00Z.
pub const BUILT: Timestamp = Timestamp::from_millis(1_794_960_300_000);

/// Brands with their domains.
const SITES: [(&str, &str); 4] = [
    (OWN, "lumadocs.io"),
    ("Notchly", "notchly.com"),
    ("PaperTrail", "papertrail.app"),
    ("Quillbase", "quillbase.com"),
];

/// A run of a test.
#[derive(Debug, Clone)]
pub struct Sample {
    pub prompt: &'static str,
    pub provider: Provider,
    pub day: UtcDay,
    /// Brands by first appearance.
    pub brands: Vec<&'static str>,
    pub sites: Vec<&'static str>,
    pub tone: f64,
    pub is_absent: bool,
    pub is_error: bool,
    pub retrieval: Retrieval,
    pub model: &'static str,
    pub revision: i64,
}

/// Makes an answer that names some brands.
pub fn sample(prompt: &'static str, provider: Provider, day: UtcDay, brands: &[&'static str]) -> Sample {
    Sample {
        prompt,
        provider,
        day,
        brands: brands.to_vec(),
        sites: Vec::new(),
        tone: 0.0,
        is_absent: false,
        is_error: false,
        retrieval: Retrieval::Used,
        model: "model-1",
        revision: 1,
    }
}

impl Sample {
    pub fn citing(mut self, sites: &[&'static str]) -> Sample {
        self.sites = sites.to_vec();
        self
    }

    pub fn in_tone(mut self, tone: f64) -> Sample {
        self.tone = tone;
        self
    }

    fn counted(&self) -> CountedAnswer {
        let rank =
            |name: &str| self.brands.iter().position(|brand| *brand == name).map_or(0, |at| at as u32 + 1);
        let domain_of =
            |name: &str| SITES.iter().find(|(brand, _)| *brand == name).map(|(_, domain)| *domain);
        let is_cited = |name: &str| domain_of(name).is_some_and(|domain| self.sites.contains(&domain));
        let known = SITES.iter().map(|(name, _)| *name).filter(|name| is_cited(name));
        let names: BTreeSet<&str> =
            self.brands.iter().copied().chain(known).filter(|name| *name != OWN).collect();
        let count = |kind| self.sites.iter().filter(|site| kind_of(site) == kind).count() as u64;
        CountedAnswer {
            position: rank(OWN),
            sentiment: self.tone,
            recommended: None,
            competitors: names
                .into_iter()
                .map(|name| CountedCompetitor {
                    name: name.to_owned(),
                    rank: rank(name),
                    occurrences: u32::from(rank(name) > 0),
                    is_cited: is_cited(name),
                    sentiment: None,
                })
                .collect(),
            citations: CitationCounts {
                own: count(SourceKind::Own),
                competitor: count(SourceKind::Competitor),
                third_party: count(SourceKind::ThirdParty),
            },
            citation_domains: self.sites.iter().map(|site| (*site).to_owned()).collect(),
            retrieval: self.retrieval,
            is_absent: self.is_absent,
        }
    }
}

fn kind_of(site: &str) -> SourceKind {
    match SITES.iter().position(|(_, domain)| *domain == site) {
        Some(0) => SourceKind::Own,
        Some(_) => SourceKind::Competitor,
        None => SourceKind::ThirdParty,
    }
}

/// Makes the input of a report out of runs, as the database would sum them up.
pub fn input_of(samples: &[Sample]) -> ReportInput {
    let mut input = ReportInput {
        domain: "lumadocs.io".to_owned(),
        brand: BrandProfile {
            name: OWN.to_owned(),
            aliases: vec!["Luma Docs".to_owned()],
            domains: vec!["lumadocs.io".to_owned()],
        },
        analysis_version: 1,
        day: LAST,
        competitors: SITES[1..].iter().map(|(name, domain)| competitor(name, domain)).collect(),
        ..ReportInput::default()
    };
    let prompts: BTreeSet<&str> = samples.iter().map(|sample| sample.prompt).collect();
    input.prompts = prompts
        .into_iter()
        .map(|id| ReportPrompt {
            id: id.to_owned(),
            text: format!("prompt {id}"),
            intent: "comm".to_owned(),
            ..ReportPrompt::default()
        })
        .collect();
    let mut days: BTreeMap<(UtcDay, Provider), AnswerSums> = BTreeMap::new();
    let mut targets: BTreeMap<(&str, Provider), AnswerSums> = BTreeMap::new();
    let mut pages: BTreeMap<&str, CitedPage> = BTreeMap::new();
    let mut last: BTreeMap<(&str, Provider), CountedAnswer> = BTreeMap::new();
    for (at, sample) in samples.iter().enumerate() {
        let counted = sample.counted();
        let mut sums = if sample.is_error { AnswerSums::of_error() } else { AnswerSums::of(&counted) };
        let key = (sample.prompt, sample.provider);
        let is_in_window = sample.day > LAST - WINDOW_DAYS;
        if !sample.is_error
            && !sample.is_absent
            && is_in_window
            && let Some(before) = last.insert(key, counted.clone())
        {
            let mut pair = PairSums::default();
            pair.add(&before, &counted);
            sums.earlier_pairs = pair;
        }
        days.entry((sample.day, sample.provider)).or_default().merge(&sums);
        if is_in_window {
            targets.entry(key).or_default().merge(&sums);
            let is_gap = u64::from(counted.position == 0 && !sample.brands.is_empty());
            for site in &sample.sites {
                let page = pages.entry(site).or_insert_with(|| CitedPage {
                    url: format!("https://{site}/page"),
                    site: (*site).to_owned(),
                    kind: kind_of(site),
                    citations: 0,
                    gap_citations: 0,
                });
                page.citations += 1;
                page.gap_citations += is_gap;
            }
        } else {
            input.previous_unbranded.merge(&sums);
        }
        if !sample.is_error {
            input.answers.push(answer_of(sample, &counted, at));
        }
    }
    input.days = days.into_iter().map(|((day, provider), sums)| DaySums { day, provider, sums }).collect();
    input.targets = targets
        .into_iter()
        .map(|((prompt, provider), sums)| TargetSums { prompt: prompt.to_owned(), provider, sums })
        .collect();
    input.pages = pages.into_values().collect();
    input
}

fn answer_of(sample: &Sample, counted: &CountedAnswer, at: usize) -> ReportAnswer {
    ReportAnswer {
        prompt: sample.prompt.to_owned(),
        provider: sample.provider,
        day: sample.day,
        order: (sample.day * 1_000 + at as i64, 0),
        revision: sample.revision,
        served_model: sample.model.to_owned(),
        position: counted.position,
        is_absent: sample.is_absent,
        competitors: counted.named_competitors().map(str::to_owned).collect(),
        sites: counted.citation_domains.clone(),
    }
}

fn competitor(name: &str, domain: &str) -> CompetitorProfile {
    CompetitorProfile {
        name: name.to_owned(),
        aliases: Vec::new(),
        domains: vec![domain.to_owned()],
        status: CompetitorStatus::Tracked,
    }
}

/// Builds the report of runs.
pub fn report_of(samples: &[Sample]) -> VisibilityReport {
    build(&input_of(samples), BUILT).expect("there are answers")
}

pub fn payload(report: &VisibilityReport) -> Value {
    serde_json::from_str(&canonical(report)).unwrap()
}

/// Checks that everything of an expected value is in another one: fields may be more, entries of lists may not.
pub fn assert_has(actual: &Value, expected: &Value, path: &str) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (name, value) in expected {
                let found = actual.get(name).unwrap_or_else(|| panic!("{path}.{name} is missing"));
                assert_has(found, value, &format!("{path}.{name}"));
            }
        }
        (Value::Array(actual), Value::Array(expected)) => {
            assert_eq!(actual.len(), expected.len(), "{path}: {actual:?}");
            for (at, (actual, expected)) in actual.iter().zip(expected).enumerate() {
                assert_has(actual, expected, &format!("{path}.{at}"));
            }
        }
        (Value::Number(actual), Value::Number(expected)) => {
            assert_eq!(actual.as_f64(), expected.as_f64(), "{path}");
        }
        _ => assert_eq!(actual, expected, "{path}"),
    }
}

/// Builds the report of the published example.
pub fn report_of_example() -> VisibilityReport {
    report_of(&golden::runs())
}
