//! Payload of a report: providers, prompts, competitors, sources and tone. Pure data.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SampleVerdict;

/// Numbers of one assistant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInsight {
    #[schema(examples("chatgpt"))]
    pub provider: String,
    pub responses: u64,
    pub mentions: u64,
    pub visibility_percent: Option<f64>,
    #[schema(value_type = Option<Vec<f64>>)]
    pub ci: Option<[f64; 2]>,
    pub avg_position: Option<f64>,
    pub avg_sentiment: Option<f64>,
    pub citation_rate: Option<f64>,
    pub share_of_voice: Option<f64>,
    /// Runs that ended without an answer.
    pub errors: u64,
    pub absent_overviews: u64,
    pub not_retrieved: u64,
    /// Models that answered, by the provider's own word.
    pub served_models: Vec<String>,
    /// `failing`: more than a fifth of the runs ended without an answer; `paused`: nothing is asked at present; else `ok`.
    #[schema(examples("ok"))]
    pub health: String,
    pub verdict: SampleVerdict,
}

/// Numbers of one prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptInsight {
    pub prompt_id: String,
    pub prompt_text: String,
    #[schema(examples("info"))]
    pub intent: String,
    /// The text names the own brand.
    pub branded: bool,
    pub tags: Vec<String>,
    pub responses: u64,
    pub mentions: u64,
    pub visibility_percent: Option<f64>,
    #[schema(value_type = Option<Vec<f64>>)]
    pub ci: Option<[f64; 2]>,
    pub avg_position: Option<f64>,
    /// Difficulty, from 0 to 100; −1 under three responses.
    pub difficulty: i32,
    pub top_competitor: Option<String>,
    pub top_competitor_share_pct: Option<f64>,
    /// Shortest interval of its assistants: 0 (six hours) to 5 (four days). Null unless it is `dynamic`.
    pub level: Option<u8>,
    /// Largest smoothed change of its assistants' answers, from 0 to 1. Null before the second answer.
    pub change_ewma: Option<f64>,
}

/// Competitors in a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompetitorLandscape {
    /// Responses that name the own brand.
    pub own_responses: u64,
    pub own_share_pct: Option<f64>,
    /// Competitors that responses name most often, at most 50.
    pub competitors: Vec<CompetitorShare>,
    /// Named now and not in the period before. Empty when that had fewer than five responses.
    pub new_entrants: Vec<String>,
    /// Named in the period before and not now.
    pub dropped_out: Vec<String>,
}

/// Numbers of one competitor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompetitorShare {
    pub name: String,
    /// Empty: not known.
    pub site_url: String,
    /// `tracked` or `discovered`.
    pub status: String,
    pub responses: u64,
    pub share_pct: f64,
    /// Strength, from 0 to 100.
    pub strength: u32,
    pub avg_position: Option<f64>,
    pub avg_sentiment: Option<f64>,
    /// Responses that name it before the own brand, or without it.
    pub ahead_of_you: u64,
    pub prompt_ids: Vec<String>,
    /// Difference from the period before. Null when that named fewer than five brands.
    pub delta_share_pct: Option<f64>,
}

/// Pages that answers cite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportSources {
    /// Citations: distinct addresses of each answer, added up.
    pub total: u64,
    pub own_pct: Option<f64>,
    pub competitor_pct: Option<f64>,
    pub third_party_pct: Option<f64>,
    /// Domains that answers cite most often, at most 100.
    pub domains: Vec<SourceShare>,
    /// Own pages that answers cite most often, at most 20.
    pub own_pages: Vec<OwnPageInsight>,
}

/// Citations of one site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceShare {
    pub domain: String,
    /// `own`, `competitor` or `third_party`.
    pub kind: String,
    /// Responses that cite the site.
    pub responses: u64,
    /// Share of all citations.
    pub share_pct: f64,
}

/// An own page that answers cite, with what crawlers and audits know of it. Null: not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnPageInsight {
    pub url: String,
    pub citations: u64,
    /// Day of the last visit by a crawler of an assistant in the last 30 days, `YYYY-MM-DD`.
    pub last_crawl_by_ai_bots: Option<String>,
    /// Issues in the latest audit.
    pub open_issues: Option<u64>,
    /// People who came from assistants in the period.
    pub referrals: Option<u64>,
}

/// A site that answers cite which name other brands and not the own one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitationOpportunity {
    pub domain: String,
    /// Answers of that kind that cite the site.
    pub gap_responses: u64,
    /// Citations of the site in all answers.
    pub citations: u64,
    pub prompt_ids: Vec<String>,
    pub providers: Vec<String>,
    /// Pages of the site that such answers cite, at most five.
    pub top_urls: Vec<String>,
    /// Brands that such answers name.
    pub competitors_seen: Vec<String>,
    /// Score, from 0 to 100.
    pub score: u32,
}

/// Tone of the responses that name the brand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportSentiment {
    pub positive: u64,
    pub neutral: u64,
    pub negative: u64,
    /// Mean tone, from −1 to 1.
    pub avg: Option<f64>,
    /// Lowest tone first, at most ten.
    pub negative_excerpts: Vec<SentimentExcerpt>,
}

/// Sentence of an answer that speaks badly of the brand. The text is a stranger's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentimentExcerpt {
    pub run_id: String,
    pub provider: String,
    pub quote: String,
}
