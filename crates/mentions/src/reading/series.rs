//! Trend: one entry for every day of a window, from sums. Pure. Used by the trend and by reports.
//! A day without answers has null in place of each rate, never 0.

use std::collections::BTreeMap;

use assistants::providers::Provider;
use assistants::statistics::{AnswerSums, RateInterval, percent};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::model::UtcDay;
use analytics::model::date_of;

/// Days of the moving average, the entry's own included.
pub const MOVING_DAYS: i64 = 7;

/// Numbers of one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrendEntry {
    #[schema(examples("2026-11-20"))]
    pub date: String,
    #[schema(examples(78))]
    pub responses: u64,
    #[schema(examples(34))]
    pub mentions: u64,
    #[schema(examples(43.6))]
    pub visibility_percent: Option<f64>,
    /// 95 % Wilson interval of visibilityPercent: lower and upper end.
    #[schema(value_type = Option<Vec<f64>>, example = json!([33.2, 54.6]))]
    pub ci: Option<[f64; 2]>,
    /// visibilityPercent of the seven days up to this one together.
    #[schema(examples(42.9))]
    pub ma7: Option<f64>,
    #[schema(examples(28.4))]
    pub share_of_voice: Option<f64>,
    #[schema(examples(2.1))]
    pub avg_position: Option<f64>,
    #[schema(examples(0.34))]
    pub avg_sentiment: Option<f64>,
    #[schema(examples(19.2))]
    pub citation_rate: Option<f64>,
    /// Providers that answered on the day.
    pub by_provider: BTreeMap<String, ProviderPoint>,
}

/// Numbers of one provider on a day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderPoint {
    #[schema(examples(16))]
    pub responses: u64,
    #[schema(examples(9))]
    pub mentions: u64,
    #[schema(examples(56.3))]
    pub visibility_percent: f64,
}

/// Sums of the days of a trend.
#[derive(Debug, Default)]
pub struct TrendSums(BTreeMap<UtcDay, TrendDaySums>);

#[derive(Debug, Default)]
struct TrendDaySums {
    total: AnswerSums,
    providers: BTreeMap<&'static str, AnswerSums>,
    /// Answers that name a competitor, counted once for each competitor.
    voices: u64,
}

impl TrendSums {
    /// Adds answers of a provider, with the competitors that their sums hold.
    pub fn add(&mut self, day: UtcDay, provider: Provider, sums: &AnswerSums) {
        let day = self.0.entry(day).or_default();
        day.total.merge(sums);
        day.voices += sums.voices() - sums.mentions;
        day.providers.entry(provider.as_str()).or_default().merge(sums);
    }

    /// Adds answers that name a competitor, counted once for each competitor, where the sums do not hold them.
    pub fn add_voices(&mut self, day: UtcDay, voices: u64) {
        self.0.entry(day).or_default().voices += voices;
    }

    /// Writes an entry for every day of a window. Sums of the six days before it count in the moving averages.
    pub fn entries(&self, (from, to): (UtcDay, UtcDay)) -> Vec<TrendEntry> {
        (from..=to).map(|day| entry(day, &self.0)).collect()
    }
}

fn entry(day: UtcDay, days: &BTreeMap<UtcDay, TrendDaySums>) -> TrendEntry {
    let nothing = TrendDaySums::default();
    let sums = days.get(&day).unwrap_or(&nothing);
    let total = &sums.total;
    let (mut hits, mut count) = (0, 0);
    for (_, recent) in days.range(day - MOVING_DAYS + 1..=day) {
        hits += recent.total.mentions;
        count += recent.total.responses;
    }
    let answered = |value: f64| (total.responses > 0).then_some(value);
    let all_voices = total.mentions + sums.voices;
    let points = sums.providers.iter().filter(|(_, sums)| sums.responses > 0);
    TrendEntry {
        date: date_of(day),
        responses: total.responses,
        mentions: total.mentions,
        visibility_percent: answered(total.visibility_percent()),
        ci: total.visibility_interval().map(|RateInterval { low, high }| [low, high]),
        ma7: (count > 0).then(|| percent(hits, count)),
        share_of_voice: (all_voices > 0).then(|| percent(total.mentions, all_voices)),
        avg_position: (total.mentions > 0).then(|| total.avg_position()),
        avg_sentiment: (total.sentiment_count > 0).then(|| total.avg_sentiment()),
        citation_rate: answered(total.citation_rate()),
        by_provider: points
            .map(|(provider, sums)| {
                let point = ProviderPoint {
                    responses: sums.responses,
                    mentions: sums.mentions,
                    visibility_percent: sums.visibility_percent(),
                };
                ((*provider).to_owned(), point)
            })
            .collect(),
    }
}
