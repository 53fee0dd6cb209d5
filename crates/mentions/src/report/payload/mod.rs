//! Payload of a visibility report, version v3: the fields of `reportJson`. Pure data.
//! Written by `build`, stored as canonical JSON, read by the formats, the webhook and the digest.

mod findings;
mod insights;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::reading::TrendEntry;

pub use findings::{ActionKind, ActionSeverity, ChangeKind, ReportAction, ReportChange, ReportMethodology};
pub use insights::{
    CitationOpportunity, CompetitorLandscape, CompetitorShare, OwnPageInsight, PromptInsight,
    ProviderInsight, ReportSentiment, ReportSources, SentimentExcerpt, SourceShare,
};

/// Everything that is known of a domain's answers in seven days, compared with the seven days before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VisibilityReport {
    /// Version of the payload.
    #[schema(examples("v3"))]
    pub version: String,
    /// Version of the brand profile under which the answers were analysed.
    pub analysis_version: i64,
    #[schema(examples("lumadocs.io"))]
    pub domain: String,
    pub brand: ReportBrand,
    pub period: ReportPeriod,
    pub coverage: ReportCoverage,
    pub stats: ReportStats,
    pub quick_summary: QuickSummary,
    /// Largest impact first.
    pub action_items: Vec<ReportAction>,
    /// Assistants that were asked in the period.
    pub provider_count: u64,
    pub provider_insights: Vec<ProviderInsight>,
    pub prompt_insights: Vec<PromptInsight>,
    pub competitor_landscape: CompetitorLandscape,
    pub citation_sources: ReportSources,
    /// Sites that answers cite which name other brands and not the own one. Highest score first.
    pub citation_opportunities: Vec<CitationOpportunity>,
    pub sentiment: ReportSentiment,
    /// Every day of the period.
    pub trend_data: Vec<TrendEntry>,
    /// Oldest first.
    pub changes: Vec<ReportChange>,
    pub methodology: ReportMethodology,
    /// SHA-256 of the payload without this field and `generatedAt`, hexadecimal.
    pub content_hash: String,
    /// ISO 8601.
    pub generated_at: String,
}

/// The brand that a report is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportBrand {
    pub name: String,
    pub site_url: String,
    pub aliases: Vec<String>,
}

/// Days of a report and of the comparison, `YYYY-MM-DD`, inclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportPeriod {
    pub from: String,
    pub to: String,
    pub days: u32,
    pub previous_from: String,
    pub previous_to: String,
}

/// Sample of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportCoverage {
    /// Prompts that were asked in the period.
    pub prompt_count: u64,
    pub provider_count: u64,
    pub runs: ReportRuns,
    pub responses: u64,
    /// Overviews and answers of AI Mode that Google did not show; no responses.
    pub absent_overviews: u64,
    /// Responses for which the assistant did not search.
    pub not_retrieved: u64,
    /// Share of responses that name any brand, from 0 to 1 with three decimals. Null without responses.
    pub informative_rate: Option<f64>,
    pub verdict: SampleVerdict,
}

/// Runs of a period by their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportRuns {
    pub total: u64,
    pub ok: u64,
    pub error: u64,
    /// Queued, running or answered.
    pub pending: u64,
}

/// Size of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SampleVerdict {
    /// No response.
    NoData,
    /// Fewer than 50 prompts and fewer than 50 responses.
    Exploratory,
    /// A rate that is shown has fewer than 10 responses.
    ThinSample,
    Ok,
}

/// Numbers of a period, each compared with the period before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportStats {
    /// Share of responses that name the brand, in percent.
    pub visibility_percent: ReportFigure,
    /// The brand's share of all brands that responses name, in percent.
    pub share_of_voice: ReportFigure,
    /// Share of voice in the answers to prompts that do not name the brand.
    pub share_of_voice_non_branded: ReportFigure,
    /// Mean rank where the brand is named.
    pub avg_position: ReportFigure,
    /// Mean tone where the brand is named, from −1 to 1.
    pub avg_sentiment: ReportFigure,
    /// Share of responses that cite an own page, in percent.
    pub citation_rate: ReportFigure,
    /// Share of responses that recommend the brand among those that tell, in percent.
    pub recommended_percent: ReportFigure,
    pub total_mentions: u64,
    pub total_citations: u64,
    /// Share of responses that name the brand first, in percent. Null without responses.
    pub first_position_percent: Option<f64>,
}

/// A number with its sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportFigure {
    /// Null: nothing to compute it from.
    pub value: Option<f64>,
    /// Difference from the period before. Null when that had fewer than five.
    pub delta: Option<f64>,
    /// 95 % interval of a rate, in percent. Null for means, and without a sample.
    #[schema(value_type = Option<Vec<f64>>)]
    pub ci: Option<[f64; 2]>,
    /// Responses, mentions or named brands that the number is computed from.
    pub n: u64,
    /// The intervals of both periods do not overlap.
    pub is_significant: bool,
}

/// Summary in words, from fixed templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuickSummary {
    pub tone: SummaryTone,
    pub headline: String,
    pub bullets: Vec<SummaryBullet>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SummaryTone {
    Positive,
    Neutral,
    Caution,
    Negative,
}

/// One line of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SummaryBullet {
    #[schema(examples("best_provider"))]
    pub id: String,
    pub tone: SummaryTone,
    pub text: String,
}
