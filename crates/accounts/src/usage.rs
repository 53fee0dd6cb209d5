//! Usage of an account this month, against its plan. Pure; counted in `queries.rs`, in UTC months.

use serde::Serialize;
use utoipa::ToSchema;

use super::AccountId;
use platform::clock::Timestamp;
use platform::plans::{Plan, PlanLimit, PlanLimits};

/// Metric of usage that is counted per month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsageMetric {
    /// Pages rendered.
    Renders,
    /// Audits started on demand.
    Audits,
    AuditedPages,
}

impl UsageMetric {
    /// All metrics.
    pub const ALL: [UsageMetric; 3] = [UsageMetric::Renders, UsageMetric::Audits, UsageMetric::AuditedPages];

    /// Returns the text in the database.
    pub const fn id(self) -> &'static str {
        match self {
            UsageMetric::Renders => "renders",
            UsageMetric::Audits => "audits",
            UsageMetric::AuditedPages => "audited_pages",
        }
    }

    /// Returns the plan's limit of the metric per month.
    pub fn limit(self, plan: &PlanLimits) -> PlanLimit {
        match self {
            UsageMetric::Renders => plan.renders_per_month,
            UsageMetric::Audits => plan.audits_per_month,
            UsageMetric::AuditedPages => plan.audited_pages_per_month,
        }
    }
}

/// A part of the month's allowance that was taken and may be given back, to the month it was taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    pub account: AccountId,
    pub metric: UsageMetric,
    /// Month of the reservation, `YYYY-MM`.
    pub month: String,
    pub count: u64,
}

/// This month's use, as `GET /api/usage` answers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    /// The account's plan.
    #[schema(examples("agency"))]
    pub plan: Plan,
    /// True for an active account.
    pub active: bool,
    /// UTC month, `YYYY-MM`.
    #[schema(examples("2026-11"))]
    pub month: String,
    /// Time at which the monthly counts start again.
    pub resets_at: Timestamp,
    /// One entry per limit of the plan.
    pub limits: Vec<UsageEntry>,
}

/// One limit of the plan and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageEntry {
    /// Name of the limit, as in the settings below `plans.<id>.`.
    #[schema(examples("renders_per_month"))]
    pub name: &'static str,
    /// Current use; null for a limit of a single thing, such as one audit, and for bytes, which are summed up once an hour.
    pub used: Option<u64>,
    /// The limit; -1: none.
    #[schema(value_type = i64, examples(50_000))]
    pub limit: PlanLimit,
}

/// Counts of what an account has, beside what it used this month. Told by the features that own them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holdings {
    pub domains: u64,
    pub prompts: u64,
    /// Active prompts.
    pub monitors: u64,
}

/// Lists every limit of a plan with its use. `used` answers for the monthly ones.
pub fn entries(plan: &PlanLimits, used: impl Fn(UsageMetric) -> u64, holdings: Holdings) -> Vec<UsageEntry> {
    let entry = |name, used, limit| UsageEntry { name, used, limit };
    vec![
        entry("domains", Some(holdings.domains), plan.domains),
        entry("renders_per_month", Some(used(UsageMetric::Renders)), plan.renders_per_month),
        entry("audits_per_month", Some(used(UsageMetric::Audits)), plan.audits_per_month),
        entry("audited_pages_per_month", Some(used(UsageMetric::AuditedPages)), plan.audited_pages_per_month),
        entry("pages_per_audit", None, plan.pages_per_audit),
        entry("prompts", Some(holdings.prompts), plan.prompts),
        entry("monitors", Some(holdings.monitors), plan.monitors),
        entry("providers_per_prompt", None, plan.providers_per_prompt),
        entry("redirect_rules", None, plan.redirect_rules),
        entry("snapshot_bytes", None, plan.snapshot_bytes),
    ]
}
