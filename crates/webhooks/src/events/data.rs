//! Data of each event, and the sentence that people read of it. Pure. A field never changes its meaning: receivers depend on it.

use platform::clock::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Data of `domain.connected`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DomainConnected {
    /// `connected`, or `via api` for a domain whose pages are asked for through the API.
    #[schema(examples("connected"))]
    pub status: String,
}

impl DomainConnected {
    pub(super) fn sentence(&self) -> String {
        "The domain is connected.".to_owned()
    }
}

/// Data of `domain.suspended`: none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DomainSuspended {}

impl DomainSuspended {
    pub(super) fn sentence(&self) -> String {
        "The operator has suspended the domain.".to_owned()
    }
}

/// Data of `render.failing`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RenderFailing {
    /// Renders of the last 60 minutes.
    #[schema(examples(24))]
    pub renders: u64,
    #[schema(examples(15))]
    pub failed: u64,
}

impl RenderFailing {
    pub(super) fn sentence(&self) -> String {
        format!("{} of {} renders of the last 60 minutes failed.", self.failed, self.renders)
    }
}

/// Data of `render.recovered`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RenderRecovered {
    /// Renders in a row that succeeded.
    #[schema(examples(10))]
    pub succeeded: u64,
}

impl RenderRecovered {
    pub(super) fn sentence(&self) -> String {
        format!("The last {} renders succeeded.", self.succeeded)
    }
}

/// Data of `batch.finished`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchFinished {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub batch_group_id: String,
    #[schema(examples(120))]
    pub total: u64,
    #[schema(examples(118))]
    pub done: u64,
    #[schema(examples(2))]
    pub failed: u64,
}

impl BatchFinished {
    pub(super) fn sentence(&self) -> String {
        format!("A refresh is over: {} of {} pages, {} failed.", self.done, self.total, self.failed)
    }
}

/// Data of `audit.completed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditCompleted {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub run_id: String,
    /// Status of the run, as in the list of runs.
    #[schema(examples("success"))]
    pub status: String,
    #[schema(examples("finished"))]
    pub close_reason: String,
    #[schema(examples(240))]
    pub pages_crawled: u64,
    /// Health of the site, 0 to 100.
    #[schema(examples(87.5))]
    pub health_score: f64,
    #[schema(examples(-1.5))]
    pub delta_health: f64,
    #[schema(examples(31))]
    pub issue_count: u64,
    /// Errors on pages where the audit before did not find them.
    #[schema(examples(3))]
    pub new_errors: u64,
}

impl AuditCompleted {
    pub(super) fn sentence(&self) -> String {
        format!(
            "An audit is over ({}): {} pages, health {:.1}, {} findings.",
            self.status, self.pages_crawled, self.health_score, self.issue_count
        )
    }
}

/// Data of `audit.new_errors`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditNewErrors {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub run_id: String,
    #[schema(examples(3))]
    pub new_errors: u64,
}

impl AuditNewErrors {
    pub(super) fn sentence(&self) -> String {
        format!("An audit found {} new errors.", self.new_errors)
    }
}

/// Data of `report.ready`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportReady {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub report_id: String,
    /// UTC day of the report.
    #[schema(examples("2026-11-20"))]
    pub date_utc: String,
    #[schema(examples("Named in 41 % of the answers."))]
    pub headline: String,
    /// Share of the answers that name the brand, in percent; null without answers.
    #[schema(required = true, examples(41.0))]
    pub visibility_percent: Option<f64>,
}

impl ReportReady {
    pub(super) fn sentence(&self) -> String {
        format!("The report of {} is ready. {}", self.date_utc, self.headline)
    }
}

/// Data of `visibility.changed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VisibilityChanged {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub report_id: String,
    /// Confirmed changes that no earlier event had.
    pub changes: Vec<ConfirmedChange>,
}

/// Confirmed change of visibility.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmedChange {
    /// Kind of change, as in reports.
    #[schema(examples("rank_up"))]
    pub kind: String,
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub prompt_id: String,
    #[schema(examples("chatgpt"))]
    pub provider: String,
    /// UTC day of the change.
    #[schema(examples("2026-11-18"))]
    pub date: String,
    /// Rank before, 0: not named; or the model before; null for a new competitor.
    #[schema(required = true, examples("4"))]
    pub from: Option<String>,
    /// Rank after, 0: not named; or the model or competitor.
    #[schema(required = true, examples("1"))]
    pub to: Option<String>,
}

impl VisibilityChanged {
    pub(super) fn sentence(&self) -> String {
        let Some(first) = self.changes.first() else { return "Visibility changed.".to_owned() };
        let more = match self.changes.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let [from, to] = [&first.from, &first.to].map(|value| value.as_deref().unwrap_or("none"));
        format!("Visibility with {} changed ({}): from {from} to {to}{more}.", first.provider, first.kind)
    }
}

/// Data of `certificate.expiring`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateExpiring {
    /// Name that the certificate is for.
    #[schema(examples("www.shop.example"))]
    pub host: String,
    pub expires_at: Timestamp,
}

impl CertificateExpiring {
    pub(super) fn sentence(&self) -> String {
        format!("The certificate of {} expires at {} and was not renewed.", self.host, self.expires_at)
    }
}

/// Data of `limit.near`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LimitNear {
    /// Name of the limit, as in `GET /api/usage`.
    #[schema(examples("renders_per_month"))]
    pub name: String,
    #[schema(examples(40_000))]
    pub used: u64,
    #[schema(examples(50_000))]
    pub limit: u64,
}

impl LimitNear {
    pub(super) fn sentence(&self) -> String {
        format!("{} of {} are used ({}).", self.used, self.limit, self.name)
    }
}

/// Data of `limit.reached`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LimitReached {
    /// Name of the limit, as in `GET /api/usage`.
    #[schema(examples("renders_per_month"))]
    pub name: String,
    #[schema(examples(50_000))]
    pub used: u64,
    #[schema(examples(50_000))]
    pub limit: u64,
}

impl LimitReached {
    pub(super) fn sentence(&self) -> String {
        format!("A limit is used up: {} of {} ({}).", self.used, self.limit, self.name)
    }
}

/// Data of `verify.failing`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VerifyFailing {
    /// Checks that found something wrong.
    pub checks: Vec<FailedCheck>,
}

/// Check of a verification that found something wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FailedCheck {
    #[schema(examples("crawler_gets_snapshot"))]
    pub id: String,
    /// Observation of the check.
    #[schema(examples("The crawler got the app's shell."))]
    pub detail: String,
    #[schema(examples("Point the domain at the edge."))]
    pub remedy: Option<String>,
}

impl VerifyFailing {
    pub(super) fn sentence(&self) -> String {
        let first = self.checks.first().map_or("", |check| check.detail.as_str());
        format!("Verification found something wrong: {first}")
    }
}

/// Data of `verify.recovered`: none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VerifyRecovered {}

impl VerifyRecovered {
    pub(super) fn sentence(&self) -> String {
        "Verification finds nothing wrong any more.".to_owned()
    }
}

/// Data of `crawler.new`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerNew {
    /// Id of the crawler, as in `GET /api/analytics/crawlers`.
    #[schema(examples("gptbot"))]
    pub crawler: String,
    #[schema(examples("GPTBot"))]
    pub name: String,
    #[schema(examples("openai"))]
    pub provider: String,
    /// UTC day of the first visit.
    #[schema(examples("2026-11-20"))]
    pub first_seen: String,
}

impl CrawlerNew {
    pub(super) fn sentence(&self) -> String {
        format!("{} visited for the first time.", self.name)
    }
}

/// Data of `crawler.gone`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerGone {
    /// Id of the crawler, as in `GET /api/analytics/crawlers`.
    #[schema(examples("gptbot"))]
    pub crawler: String,
    #[schema(examples("GPTBot"))]
    pub name: String,
    /// UTC day of the last visit.
    #[schema(examples("2026-11-20"))]
    pub last_seen: String,
    /// Usual number of days between two days with visits.
    #[schema(examples(1.0))]
    pub usual_gap_days: f64,
}

impl CrawlerGone {
    pub(super) fn sentence(&self) -> String {
        format!("{} has not come since {}.", self.name, self.last_seen)
    }
}

/// Data of `crawler.errors`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerErrors {
    /// UTC day.
    #[schema(examples("2026-11-20"))]
    pub date: String,
    #[schema(examples(400))]
    pub visits: u64,
    /// Visits that were answered with a status of 400 and above.
    #[schema(examples(64))]
    pub errors: u64,
    /// Mean of the errors of the seven days before.
    #[schema(examples(4.5))]
    pub usual: f64,
}

impl CrawlerErrors {
    pub(super) fn sentence(&self) -> String {
        format!("{} of {} visits of {} were answered with an error.", self.errors, self.visits, self.date)
    }
}

/// Data of `crawler.impostors`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CrawlerImpostors {
    /// Visits of the last hour that only claimed to be a crawler's.
    #[schema(examples(140))]
    pub visits: u64,
}

impl CrawlerImpostors {
    pub(super) fn sentence(&self) -> String {
        format!("{} visits of the last hour only claimed to be a crawler's.", self.visits)
    }
}

/// Data of `webhook.test`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WebhookTest {
    #[schema(examples("This is a test."))]
    pub message: String,
}

impl WebhookTest {
    pub(super) fn sentence(&self) -> String {
        self.message.clone()
    }
}
