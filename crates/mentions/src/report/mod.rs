//! Visibility reports: what is known of a domain's answers in seven days, as one payload. Pure: the same input gives the same
//! bytes. Used by the service of reports; nothing else computes a number of a report. Must know no database, clock or HTTP.
//! See docs/decisions/0394.

mod actions;
mod changes;
mod figures;
pub mod formats;
mod insights;
pub mod payload;
mod sources;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use assistants::analysis::{BrandProfile, CompetitorProfile, SourceKind};
use assistants::providers::Provider;
use assistants::statistics::AnswerSums;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::model::UtcDay;
use super::reading::TrendSums;
use payload::{OwnPageInsight, SentimentExcerpt, VisibilityReport};
use platform::clock::Timestamp;

pub use changes::{is_in_doubt, providers_in_doubt};
pub use figures::date_text;

/// Days of a report.
pub const WINDOW_DAYS: i64 = 7;
/// Version of the payload.
const VERSION: &str = "v3";

/// Everything that a report is computed from.
#[derive(Debug, Clone, Default)]
pub struct ReportInput {
    pub domain: String,
    pub brand: BrandProfile,
    pub analysis_version: i64,
    /// Last day of the window.
    pub day: UtcDay,
    /// Prompts that exist.
    pub prompts: Vec<ReportPrompt>,
    /// Competitors that count.
    pub competitors: Vec<CompetitorProfile>,
    /// Sums over all prompts of the window and of the one before.
    pub days: Vec<DaySums>,
    /// Sums of the window.
    pub targets: Vec<TargetSums>,
    /// Sums of the window before, of the prompts that do not name the own brand.
    pub previous_unbranded: AnswerSums,
    /// Answers of both windows, and of each prompt and provider the last one before the first day.
    pub answers: Vec<ReportAnswer>,
    /// Runs of the window that are not over.
    pub open_runs: u64,
    /// Models that answered in the window.
    pub models: BTreeMap<Provider, BTreeSet<String>>,
    /// Providers that are asked nothing at present.
    pub paused: BTreeSet<Provider>,
    /// Pages that answers of the window cite.
    pub pages: Vec<CitedPage>,
    /// Addresses of competitors' sites, of those that nobody entered.
    pub site_urls: BTreeMap<String, String>,
    /// Lowest tone first.
    pub excerpts: Vec<SentimentExcerpt>,
    /// Most citations first.
    pub own_pages: Vec<OwnPage>,
}

/// A prompt as reports see it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportPrompt {
    pub id: String,
    pub text: String,
    pub intent: String,
    pub tags: Vec<String>,
    /// The text names the own brand.
    pub is_branded: bool,
    /// Shortest interval of its targets. None unless it is `dynamic`.
    pub level: Option<u8>,
    /// Largest smoothed change of its targets.
    pub change_ewma: Option<f64>,
}

/// Sums of a provider and day over all prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct DaySums {
    pub day: UtcDay,
    pub provider: Provider,
    pub sums: AnswerSums,
}

/// Sums of a prompt and provider over a window.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetSums {
    pub prompt: String,
    pub provider: Provider,
    pub sums: AnswerSums,
}

/// An analysed answer as reports compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportAnswer {
    pub prompt: String,
    pub provider: Provider,
    pub day: UtcDay,
    /// Order among the answers of a prompt and provider.
    pub order: (i64, i64),
    /// Revision of the prompt's text.
    pub revision: i64,
    /// Empty: the response does not say.
    pub served_model: String,
    /// 0: not named.
    pub position: u32,
    /// Google showed no overview, or AI Mode no answer: there is no answer.
    pub is_absent: bool,
    /// Competitors that the answer names.
    pub competitors: Vec<String>,
    /// Registrable domains that the answer cites.
    pub sites: Vec<String>,
}

/// A page that answers cite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedPage {
    pub url: String,
    /// Registrable domain.
    pub site: String,
    pub kind: SourceKind,
    pub citations: u64,
    /// Citations by answers that name a brand and not the own one.
    pub gap_citations: u64,
}

/// An own page that answers cite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPage {
    pub insight: OwnPageInsight,
    /// Findings of severity error in the latest audit. None: not known.
    pub errors: Option<u64>,
    /// Visits are recorded, so that no visit means that no crawler came.
    pub is_crawling_known: bool,
}

impl ReportInput {
    fn first_day(&self) -> UtcDay {
        self.day - WINDOW_DAYS + 1
    }

    fn is_in_window(&self, day: UtcDay) -> bool {
        (self.first_day()..=self.day).contains(&day)
    }

    /// Returns the sums of the window, or of the one before.
    fn total(&self, days: std::ops::RangeInclusive<UtcDay>) -> AnswerSums {
        let mut total = AnswerSums::default();
        for day in self.days.iter().filter(|day| days.contains(&day.day)) {
            total.merge(&day.sums);
        }
        total
    }

    fn window(&self) -> AnswerSums {
        self.total(self.first_day()..=self.day)
    }

    fn window_before(&self) -> AnswerSums {
        self.total(self.first_day() - WINDOW_DAYS..=self.first_day() - 1)
    }

    /// Returns the address of a competitor's site. None when it is not known.
    fn site_url(&self, name: &str) -> Option<String> {
        let entered = self.competitors.iter().find(|competitor| competitor.name == name);
        let domain = entered.and_then(|competitor| competitor.domains.first());
        domain.map(|domain| format!("https://{domain}")).or_else(|| self.site_urls.get(name).cloned())
    }
}

/// Builds a report. None: no run of the window ended well.
pub fn build(input: &ReportInput, now: Timestamp) -> Option<VisibilityReport> {
    let (window, before) = (input.window(), input.window_before());
    if window.responses + window.absent_overviews == 0 {
        return None;
    }
    let mut trend = TrendSums::default();
    for row in &input.days {
        trend.add(row.day, row.provider, &row.sums);
    }
    let changes = changes::find(input);
    let providers = insights::providers(input);
    let prompts = insights::prompts(input);
    let coverage = figures::coverage(input, &window, &prompts, &providers);
    let landscape = insights::landscape(input, &window, &before);
    let opportunities = sources::opportunities(input);
    let stats = figures::stats(input, &window, &before);
    let facts = actions::ActionFacts {
        input,
        window: &window,
        before: &before,
        prompts: &prompts,
        providers: &providers,
        changes: &changes,
        opportunities: &opportunities,
    };
    let actions = actions::find(&facts);
    let mut report = VisibilityReport {
        version: VERSION.to_owned(),
        analysis_version: input.analysis_version,
        domain: input.domain.clone(),
        brand: figures::brand(input),
        period: figures::period(input),
        quick_summary: summary::summary(input, &coverage, &stats, &providers, &landscape, &actions),
        coverage,
        stats,
        action_items: actions,
        provider_count: providers.len() as u64,
        provider_insights: providers,
        prompt_insights: prompts,
        competitor_landscape: landscape,
        citation_sources: sources::sources(input, &window),
        citation_opportunities: opportunities,
        sentiment: sources::sentiment(input, &window),
        trend_data: trend.entries((input.first_day(), input.day)),
        changes,
        methodology: figures::methodology(),
        content_hash: String::new(),
        generated_at: now.to_string(),
    };
    report.content_hash = content_hash(&report);
    Some(report)
}

/// Writes a report in its canonical form: keys in order, no spaces.
pub fn canonical(report: &VisibilityReport) -> String {
    // A map of serde_json is sorted by key.
    serde_json::to_value(report).expect("reports are plain data").to_string()
}

fn content_hash(report: &VisibilityReport) -> String {
    let mut payload = serde_json::to_value(report).expect("reports are plain data");
    if let Value::Object(fields) = &mut payload {
        fields.remove("contentHash");
        fields.remove("generatedAt");
    }
    hex::encode(Sha256::digest(payload.to_string()))
}
