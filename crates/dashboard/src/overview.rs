//! One site in one answer, as its overview shows it. The shapes of the API, filled from what services say. Pure.

use serde::Serialize;
use utoipa::ToSchema;

use super::attention::AttentionEntry;
use super::changes::SiteChange;
use analytics::VisitsOverview;
use audit::RunSummary;
use domains::DomainStatus;
use mentions::reading::{DomainVisibility, ProviderVisibility};
use platform::clock::Timestamp;
use render::snapshot_list::SnapshotCounts;

/// Number of runs whose health is shown.
pub const HEALTH_POINTS: i64 = 12;
/// Cited pages of one answer.
pub const MOST_CITED: usize = 5;
/// Entries of attention in one answer.
pub const MOST_ATTENTION: usize = 5;

/// A site at a glance.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteOverview {
    #[schema(examples("shop.example"))]
    pub domain: String,
    pub status: DomainStatus,
    /// The site is the demo of this installation: its visits and answers are made up.
    pub demo: bool,
    /// Days that the numbers are about, today included.
    #[schema(examples(30))]
    pub days: u32,
    /// Visits of crawlers.
    #[schema(required = true)]
    pub visits: Option<OverviewVisits>,
    /// People whom assistants sent.
    #[schema(required = true)]
    pub people: Option<OverviewPeople>,
    #[schema(required = true)]
    pub served: Option<OverviewServed>,
    /// Health by the last audits; null too without any.
    #[schema(required = true)]
    pub health: Option<OverviewHealth>,
    /// Words of the start page in the last audit; null too when its scripts change none, and without an audit.
    #[schema(required = true)]
    pub words: Option<OverviewWords>,
    /// Visibility in the answers of assistants; null too when none are asked.
    #[schema(required = true)]
    pub visibility: Option<OverviewVisibility>,
    #[schema(required = true)]
    pub snapshots: Option<OverviewSnapshots>,
    /// Own pages that most answers cite, at most five.
    #[schema(required = true)]
    pub cited_pages: Option<Vec<OverviewCitedPage>>,
    /// Things that need attention, the most urgent first, at most five. What is dismissed is left out.
    #[schema(required = true)]
    pub attention: Option<Vec<AttentionEntry>>,
    /// Changes of the last 14 days, the newest first, at most 20.
    #[schema(required = true)]
    pub changes: Option<Vec<SiteChange>>,
    /// Names of the parts that could not be read, which are null.
    #[schema(example = json!([]))]
    pub unavailable: Vec<&'static str>,
}

/// Visits of crawlers, those that the origin answered included.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewVisits {
    #[schema(examples(11_303))]
    pub total: u64,
    /// Crawlers that came.
    #[schema(examples(27))]
    pub crawlers: u64,
    /// Pages that they asked for.
    #[schema(examples(1_204))]
    pub pages: u64,
    /// Visits of as many days before; null: visits were not counted on all of those days.
    #[schema(required = true, examples(9_554))]
    pub previous: Option<u64>,
    /// UTC days, the last one today.
    pub dates: Vec<String>,
    /// Visits for language models, for each of the dates.
    pub ai: Vec<u64>,
    /// Visits for search engines.
    pub search: Vec<u64>,
    pub other: Vec<u64>,
}

/// People whom assistants sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewPeople {
    pub total: u64,
    /// People of as many days before; null: they were not counted on all of those days.
    #[schema(required = true)]
    pub previous: Option<u64>,
}

/// Savings of the cache.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverviewServed {
    /// Share of the visits with a snapshot that were served from cache, in percent.
    #[schema(examples(94.2))]
    pub cache_percent: f64,
    pub cache_hits: u64,
    /// Time that crawlers did not wait, in minutes.
    #[schema(examples(552.0))]
    pub minutes_saved: f64,
}

/// Health of a site.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverviewHealth {
    pub run_id: String,
    pub completed_at: Timestamp,
    /// 0 to 100.
    #[schema(examples(87.4))]
    pub score: f64,
    /// Change since the run before; null for the first run.
    #[schema(required = true, examples(2.1))]
    pub delta: Option<f64>,
    /// Findings of severity error.
    pub errors: u64,
    pub warnings: u64,
    pub notices: u64,
    /// The last 12 runs, the oldest first.
    pub points: Vec<OverviewHealthPoint>,
}

/// Words of a page's main text.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewWords {
    /// Words without JavaScript.
    #[schema(examples(4))]
    pub raw: u64,
    /// Words of the rendered page.
    #[schema(examples(412))]
    pub rendered: u64,
}

/// Health of one run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverviewHealthPoint {
    pub run_id: String,
    pub completed_at: Timestamp,
    pub score: f64,
}

/// Visibility in the answers of assistants. Rates are percent with one decimal, null without answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverviewVisibility {
    pub answers: u64,
    /// Answers that name the brand.
    pub mentions: u64,
    #[schema(required = true, examples(43.6))]
    pub rate: Option<f64>,
    /// Lower end of the 95 % interval (Wilson).
    #[schema(required = true, examples(41.6))]
    pub low: Option<f64>,
    #[schema(required = true, examples(45.5))]
    pub high: Option<f64>,
    /// Rate of as many days before.
    #[schema(required = true, examples(47.5))]
    pub previous_rate: Option<f64>,
    /// The intervals of the two rates are apart.
    pub is_significant: bool,
    /// Assistants that answered.
    pub providers: Vec<OverviewProvider>,
    /// Rate of each day.
    pub points: Vec<OverviewRate>,
}

/// Visibility at one assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewProvider {
    #[schema(examples("chatgpt"))]
    pub provider: String,
    pub answers: u64,
    pub mentions: u64,
    #[schema(required = true)]
    pub rate: Option<f64>,
    #[schema(required = true)]
    pub low: Option<f64>,
    #[schema(required = true)]
    pub high: Option<f64>,
}

/// Rate of one UTC day.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewRate {
    #[schema(examples("2026-11-20"))]
    pub date: String,
    #[schema(required = true)]
    pub rate: Option<f64>,
}

/// Snapshots of a site by state.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewSnapshots {
    pub total: u64,
    pub fresh: u64,
    pub stale: u64,
    pub failing: u64,
}

/// An own page that answers cite.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverviewCitedPage {
    /// Path with the query.
    #[schema(examples("/pricing"))]
    pub path: String,
    pub citations: u64,
    /// Assistants that cite it.
    pub providers: Vec<String>,
    /// Day of the last visit of an AI crawler; null: none, or not known.
    #[schema(required = true, examples("2026-11-20"))]
    pub last_crawler_visit: Option<String>,
    /// Age of the snapshot; null: there is none.
    #[schema(required = true)]
    pub snapshot_age_seconds: Option<u64>,
    /// Issues in the last audit; null: the page was not audited.
    #[schema(required = true)]
    pub issue_count: Option<u64>,
}

impl OverviewVisits {
    /// Takes visits by kind apart.
    pub fn of(visits: &VisitsOverview) -> OverviewVisits {
        let series = |id: &str| {
            let found = visits.timeline.series.iter().find(|series| series.id == id);
            found.map(|series| series.counts.clone()).unwrap_or_default()
        };
        OverviewVisits {
            crawlers: visits.crawlers,
            pages: visits.pages,
            total: visits.timeline.series.iter().flat_map(|series| &series.counts).sum(),
            previous: visits.previous,
            dates: visits.timeline.dates.clone(),
            ai: series("ai"),
            search: series("search"),
            other: series("other"),
        }
    }
}

impl OverviewServed {
    pub fn of(visits: &VisitsOverview) -> OverviewServed {
        OverviewServed {
            cache_percent: visits.cache_percent,
            cache_hits: visits.cache_hits,
            minutes_saved: visits.minutes_saved,
        }
    }
}

impl OverviewHealth {
    /// Tells the newest of some runs, which come newest first. None: there is no run.
    pub fn of(runs: &[RunSummary]) -> Option<OverviewHealth> {
        let newest = runs.first()?;
        let point = |run: &RunSummary| OverviewHealthPoint {
            run_id: run.id.to_string(),
            completed_at: run.completed_at,
            score: run.health_score,
        };
        Some(OverviewHealth {
            run_id: newest.id.to_string(),
            completed_at: newest.completed_at,
            score: newest.health_score,
            delta: newest.delta_health,
            errors: newest.facts.errors,
            warnings: newest.facts.warnings,
            notices: newest.facts.notices,
            points: runs.iter().rev().map(point).collect(),
        })
    }
}

impl From<DomainVisibility> for OverviewVisibility {
    fn from(visibility: DomainVisibility) -> OverviewVisibility {
        let provider = |entry: ProviderVisibility| OverviewProvider {
            provider: entry.provider.to_string(),
            answers: entry.answers,
            mentions: entry.mentions,
            rate: entry.rate,
            low: entry.interval.map(|interval| interval.low),
            high: entry.interval.map(|interval| interval.high),
        };
        OverviewVisibility {
            answers: visibility.answers,
            mentions: visibility.mentions,
            rate: visibility.rate,
            low: visibility.interval.map(|interval| interval.low),
            high: visibility.interval.map(|interval| interval.high),
            previous_rate: visibility.previous_rate,
            is_significant: visibility.is_significant,
            providers: visibility.providers.into_iter().map(provider).collect(),
            points: visibility
                .points
                .into_iter()
                .map(|point| OverviewRate { date: point.date, rate: point.rate })
                .collect(),
        }
    }
}

impl From<SnapshotCounts> for OverviewSnapshots {
    fn from(counts: SnapshotCounts) -> OverviewSnapshots {
        let SnapshotCounts { fresh, stale, failing } = counts;
        OverviewSnapshots { total: counts.total(), fresh, stale, failing }
    }
}
