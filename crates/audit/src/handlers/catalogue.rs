//! HTTP of the catalogue of issues.

use audit_engine::checks::thresholds::{THRESHOLDS, Threshold};
use audit_engine::checks::{CheckId, FindingScope, Severity};
use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AuditState;
use accounts::callers::Caller;
use platform::api::access::ReadDomain;
use platform::api::openapi::Refusals;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AuditState> {
    OpenApiRouter::new().routes(routes!(list_issues))
}

/// All issues that an audit can find.
#[derive(Serialize, ToSchema)]
#[schema(as = Catalogue)]
pub struct IssueCatalogue {
    /// Issues by category.
    issues: Vec<CatalogueEntry>,
    /// Numbers by which checks fire that may be set per domain.
    thresholds: Vec<ThresholdEntry>,
}

/// A number by which checks fire.
#[derive(Serialize, ToSchema)]
struct ThresholdEntry {
    /// Name in a domain's `thresholds`.
    #[schema(examples("titleMaxCharacters"))]
    name: &'static str,
    /// Meaning.
    about: &'static str,
    /// Value unless a domain has another.
    default: f64,
    /// Least permitted value.
    min: f64,
    /// Greatest permitted value.
    max: f64,
    /// Issues that depend on it.
    issues: Vec<&'static str>,
}

impl ThresholdEntry {
    fn of(threshold: &Threshold) -> ThresholdEntry {
        let Threshold { name, about, default, min, max, .. } = *threshold;
        let issues = threshold.checks().map(|id| id.check().id).collect();
        ThresholdEntry { name, about, default, min, max, issues }
    }
}

/// An issue.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CatalogueEntry {
    /// Id; never renamed.
    #[schema(examples("META_DESC_MISSING"))]
    id: &'static str,
    severity: Severity,
    /// Group of the issue.
    #[schema(examples("description"))]
    category: &'static str,
    scope: FindingScope,
    /// Problem in a few words.
    #[schema(examples("Meta description is missing"))]
    title: &'static str,
    /// Reason why it matters.
    why: &'static str,
    /// Advice.
    fix: &'static str,
    /// Public page that is the source of the rule.
    source: &'static str,
    /// Points that a finding takes from a page's health.
    weight: f64,
    /// True for a check that runs unless it is turned off.
    is_default: bool,
}

/// Lists every issue that an audit can find, with why it matters and what to do.
#[utoipa::path(get, path = "/api/seo-spider/issues", tag = "SEO audit", security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain>, (status = 200, description = "The catalogue.", body = IssueCatalogue)))]
async fn list_issues(_: Caller<ReadDomain>) -> Json<IssueCatalogue> {
    Json(issue_catalogue())
}

/// Returns every issue that an audit can find.
pub fn issue_catalogue() -> IssueCatalogue {
    let entry = |id: CheckId| {
        let check = id.check();
        CatalogueEntry {
            id: check.id,
            severity: check.severity,
            category: id.category().name,
            scope: check.scope,
            title: check.title,
            why: check.why,
            fix: check.fix,
            source: check.source,
            weight: check.weight,
            is_default: check.is_default,
        }
    };
    let thresholds = THRESHOLDS.iter().map(ThresholdEntry::of).collect();
    IssueCatalogue { issues: CheckId::all().map(entry).collect(), thresholds }
}
