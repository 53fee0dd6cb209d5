//! Statistics of prompts and of all of them together, from sums. Pure.

use std::collections::HashMap;

use assistants::statistics::{AnswerSums, CompetitorSums, difficulty, top_competitors};
use serde::Serialize;
use utoipa::ToSchema;

use super::filter::DayRange;
use super::joins::CompetitorSites;
use crate::model::{Prompt, PromptIntent};
use crate::queries::reading::statistics::{CompetitorTotalsRow, PromptTotalsRow};
use platform::clock::Timestamp;

/// Statistics of one prompt in a window.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptStats {
    pub prompt_id: String,
    #[schema(examples("What is the best documentation tool for startups?"))]
    pub prompt_text: String,
    pub intent: PromptIntent,
    #[schema(example = json!(["chatgpt", "perplexity"]))]
    pub ai_providers: Vec<&'static str>,
    /// Separated by commas.
    #[schema(examples("docs,startup"))]
    pub tags: String,
    /// 1, or 0 for a paused prompt.
    #[schema(examples(1))]
    pub active: u8,
    /// The prompt names the own brand, so that no competitor can win it.
    pub branded: bool,
    /// Time at which the last run was made that is over, in the window or not; null: none.
    #[schema(value_type = Option<String>, examples("2026-11-20T06:12:00Z"))]
    pub last_run_at: Option<Timestamp>,
    /// Answers: runs with the status ok, without overviews and answers of AI Mode that Google did not show.
    #[schema(examples(13))]
    pub responses: u64,
    /// Answers that name the own brand.
    #[schema(examples(5))]
    pub mentions: u64,
    /// mentions ÷ responses in percent, one decimal; 0 without answers.
    #[schema(examples(38.5))]
    pub visibility_percent: f64,
    /// Lower end of the 95 % Wilson interval of visibilityPercent; null without answers.
    #[schema(examples(17.7))]
    pub visibility_low: Option<f64>,
    /// Upper end.
    #[schema(examples(64.5))]
    pub visibility_high: Option<f64>,
    /// Mean tone of the answers that name the brand, −1 to 1, two decimals; 0 without one.
    #[schema(examples(0.31))]
    pub avg_sentiment: f64,
    /// Mean rank among the brands of an answer, of the answers that name the brand, two decimals; 0 without one.
    #[schema(examples(2.4))]
    pub avg_position: f64,
    /// Share of the answers that cite an own domain, in percent.
    #[schema(examples(23.1))]
    pub citation_rate: f64,
    /// Share of voice of the competitor with the largest one, in percent.
    #[schema(examples(45.5))]
    pub top_competitor_share_pct: f64,
    /// Difficulty, from 0 to 100; −1 under three answers.
    #[schema(examples(71))]
    pub difficulty: i32,
    /// Competitors, at most five, those that most answers name first.
    pub top_competitors: Vec<TopCompetitorItem>,
    pub range: DayRange,
}

/// A competitor in the answers of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopCompetitorItem {
    #[schema(examples("Notchly"))]
    pub name: String,
    /// Answers that name the competitor.
    #[schema(examples(8))]
    pub count: u64,
    /// Empty: not known.
    #[schema(examples("https://notchly.com"))]
    pub site_url: String,
    /// Strength, from 0 to 100.
    #[schema(examples(82))]
    pub strength: u32,
}

/// Statistics of all prompts together.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsSummary {
    #[schema(examples(2412))]
    pub total_responses: u64,
    #[schema(examples(1051))]
    pub total_mentions: u64,
    /// totalMentions ÷ totalResponses in percent, one decimal; 0 without answers.
    #[schema(examples(43.6))]
    pub visibility_rate: f64,
    /// Lower end of the 95 % Wilson interval of visibilityRate; null without answers.
    #[schema(examples(41.6))]
    pub visibility_low: Option<f64>,
    /// Upper end.
    #[schema(examples(45.6))]
    pub visibility_high: Option<f64>,
    #[schema(examples(2.1))]
    pub avg_position: f64,
    #[schema(examples(0.34))]
    pub avg_sentiment: f64,
    #[schema(examples(19.2))]
    pub citation_rate: f64,
    /// Cited addresses, each once an answer.
    #[schema(examples(9120))]
    pub total_citations: u64,
    pub top_competitor: TopCompetitorSummary,
    /// Competitors, at most five, those that most answers name first.
    pub top_competitors: Vec<TopCompetitorItem>,
    /// Mentions of all brands, each once an answer.
    #[schema(examples(3_701))]
    pub total_voices: u64,
    /// Own mentions ÷ mentions of all brands, each once an answer, in percent.
    #[schema(examples(28.4))]
    pub share_of_voice: f64,
    /// Overviews and answers of AI Mode that Google did not show; no answers.
    #[schema(examples(31))]
    pub absent_overviews: u64,
    pub range: DayRange,
}

/// Competitor that most answers name; an empty name when none is named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopCompetitorSummary {
    #[schema(examples("Notchly"))]
    pub name: String,
    #[schema(examples(1394))]
    pub mentions: u64,
    #[schema(examples("https://notchly.com"))]
    pub site_url: String,
}

/// Sums of the prompts of a window, by the prompts' numbers.
#[derive(Debug, Default)]
pub struct PromptSums(HashMap<i64, AnswerSums>);

impl PromptSums {
    /// Collects the sums of prompts and of the competitors in their answers.
    pub fn collect(totals: &[PromptTotalsRow], competitors: Vec<CompetitorTotalsRow>) -> PromptSums {
        let mut sums: HashMap<i64, AnswerSums> = HashMap::new();
        for row in totals {
            sums.entry(row.prompt).or_default().merge(&AnswerSums::from(&row.sums));
        }
        for row in competitors {
            let of_prompt = sums.entry(row.prompt).or_default();
            of_prompt.competitors.insert(row.competitor, CompetitorSums::from(&row.sums));
        }
        PromptSums(sums)
    }

    pub fn of(&self, prompt: &Prompt) -> Option<&AnswerSums> {
        self.0.get(&prompt.number)
    }

    /// Adds up the sums of some prompts.
    pub fn total<'a>(&self, prompts: impl IntoIterator<Item = &'a Prompt>) -> AnswerSums {
        let mut total = AnswerSums::default();
        prompts.into_iter().filter_map(|prompt| self.of(prompt)).for_each(|sums| total.merge(sums));
        total
    }

    pub fn cited_competitors(&self) -> impl Iterator<Item = &str> {
        let all = self.0.values().flat_map(|sums| &sums.competitors);
        all.filter(|(_, sums)| sums.cited > 0).map(|(name, _)| name.as_str())
    }
}

impl PromptStats {
    /// Computes the statistics of a prompt. Without sums there are no runs in the window.
    pub fn of(
        prompt: &Prompt,
        sums: Option<&AnswerSums>,
        sites: &CompetitorSites,
        last_run_at: Option<Timestamp>,
        range: &DayRange,
    ) -> PromptStats {
        let nothing = AnswerSums::default();
        let sums = sums.unwrap_or(&nothing);
        let interval = sums.visibility_interval();
        PromptStats {
            prompt_id: prompt.id.to_string(),
            prompt_text: prompt.text.clone(),
            intent: prompt.intent,
            ai_providers: prompt.providers.iter().map(|provider| provider.as_str()).collect(),
            tags: prompt.tags.join(","),
            active: prompt.is_active.into(),
            branded: prompt.is_branded,
            last_run_at,
            responses: sums.responses,
            mentions: sums.mentions,
            visibility_percent: sums.visibility_percent(),
            visibility_low: interval.map(|interval| interval.low),
            visibility_high: interval.map(|interval| interval.high),
            avg_sentiment: sums.avg_sentiment(),
            avg_position: sums.avg_position(),
            citation_rate: sums.citation_rate(),
            top_competitor_share_pct: sums.top_competitor_share(),
            difficulty: difficulty(sums, |name| sites.url(name).is_some()),
            top_competitors: top_items(sums, sites),
            range: range.clone(),
        }
    }
}

impl StatsSummary {
    pub fn of(sums: &AnswerSums, sites: &CompetitorSites, range: DayRange) -> StatsSummary {
        let interval = sums.visibility_interval();
        let top_competitors = top_items(sums, sites);
        let top = top_competitors.first().cloned();
        StatsSummary {
            total_responses: sums.responses,
            total_mentions: sums.mentions,
            visibility_rate: sums.visibility_percent(),
            visibility_low: interval.map(|interval| interval.low),
            visibility_high: interval.map(|interval| interval.high),
            avg_position: sums.avg_position(),
            avg_sentiment: sums.avg_sentiment(),
            citation_rate: sums.citation_rate(),
            total_citations: sums.citations.total(),
            top_competitor: top.map_or_else(TopCompetitorSummary::default, |top| TopCompetitorSummary {
                name: top.name,
                mentions: top.count,
                site_url: top.site_url,
            }),
            top_competitors,
            total_voices: sums.voices(),
            share_of_voice: sums.share_of_voice(),
            absent_overviews: sums.absent_overviews,
            range,
        }
    }
}

fn top_items(sums: &AnswerSums, sites: &CompetitorSites) -> Vec<TopCompetitorItem> {
    let top = top_competitors(sums, |name| sites.url(name));
    top.into_iter()
        .map(|competitor| TopCompetitorItem {
            name: competitor.name,
            count: competitor.count,
            site_url: competitor.site_url,
            strength: competitor.strength,
        })
        .collect()
}
