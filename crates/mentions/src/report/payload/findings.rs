//! Payload of a report: actions, changes and method. Pure data.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::model::text_enum;

text_enum! {
    /// Detector of an action.
    ActionKind {
        /// One assistant names the brand far less than the others do.
        ProviderGap = "provider_gap",
        /// No assistant names the brand for a prompt.
        DeadPrompt = "dead_prompt",
        /// One assistant alone names the brand.
        SingleProvider = "single_provider",
        /// Answers cite the site and do not name the brand.
        CitedNotNamed = "cited_not_named",
        /// Answers name the brand and do not cite the site.
        NamedNotCited = "named_not_cited",
        NegativeTone = "negative_tone",
        RankSlip = "rank_slip",
        Lost = "lost",
        Gained = "gained",
        CompetitorRising = "competitor_rising",
        SourceOpportunity = "source_opportunity",
        /// A cited own page that crawlers of assistants do not visit, or that has errors.
        NotIndexedPage = "not_indexed_page",
        /// Answers to the prompt name no brand.
        UninformativePrompt = "uninformative_prompt",
        /// The numbers themselves are in doubt.
        Measurement = "measurement",
    }
}

text_enum! {
    /// Urgency of an action.
    ActionSeverity {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

text_enum! {
    /// Kind of a change between an answer and the one before.
    ChangeKind {
        Gained = "gained",
        Lost = "lost",
        RankUp = "rank_up",
        RankDown = "rank_down",
        NewCompetitor = "new_competitor",
        ModelChanged = "model_changed",
    }
}

/// Something that can be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportAction {
    /// Equal for the same finding in other reports, so that it can be dismissed.
    #[schema(examples("source_opportunity:g2.com"))]
    pub id: String,
    pub kind: ActionKind,
    pub severity: ActionSeverity,
    /// Impact, from 0 to 100.
    pub impact: u32,
    pub title: String,
    pub detail: String,
    #[schema(value_type = Object)]
    pub evidence: Map<String, Value>,
    pub prompt_ids: Vec<String>,
    pub providers: Vec<String>,
    pub domains: Vec<String>,
}

/// A change between an answer of a prompt and assistant and the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportChange {
    #[serde(rename = "type")]
    pub kind: ChangeKind,
    pub prompt_id: String,
    pub provider: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    /// Rank before, 0: not named; or the model before; null for a new competitor.
    #[schema(value_type = Option<String>)]
    pub from: Value,
    /// Rank after, 0: not named; or the model or competitor.
    #[schema(value_type = Option<String>)]
    pub to: Value,
    /// The next answer agrees. Only such changes become actions, messages and lines of a digest.
    pub confirmed: bool,
}

/// Definitions behind the numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportMethodology {
    /// Version of the formulas.
    pub formulas: String,
    pub mention: String,
    pub position: String,
    pub denominator: String,
    pub sov_unit: String,
    pub citation: String,
    pub sentiment: String,
    pub intervals: String,
    pub comparison: String,
    pub confirmation: String,
    pub rounding: String,
    /// Way in which answers are collected.
    pub collection: String,
    pub sampling: String,
    pub limits: String,
}
