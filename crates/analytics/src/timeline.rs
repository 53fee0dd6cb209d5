//! Crawler visits over time for the dashboard: a series for each kind, provider, crawler or source of the answer.
//! Pure. Visits that the origin answered count; impostors' are separate.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::crawlers::{Class, CrawlerIndex, OTHER_PROVIDER};
use super::model::{Day, start_of};
use super::report::{DayCount, Providers};

/// Property by which visits are grouped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimelineBy {
    /// `ai`, `search` and `other`, by the purpose of crawlers.
    #[default]
    Kind,
    /// Companies that run the crawlers, most visits first.
    Provider,
    /// `cache`, `render` and `origin`.
    Answer,
    /// Crawlers, most visits first.
    Crawler,
}

/// Visits of each day of a window.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Timeline {
    /// UTC days in order, `YYYY-MM-DD`; the last one is today.
    #[schema(example = json!(["2026-11-19", "2026-11-20"]))]
    pub dates: Vec<String>,
    /// Visits of each group, impostors' left out.
    pub series: Vec<TimelineSeries>,
    /// Number of visits of impostors on each of the dates.
    pub spoofed: Vec<u64>,
}

/// Visits of one group.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TimelineSeries {
    /// Id of the kind, provider, crawler or source of the answer.
    #[schema(examples("ai"))]
    pub id: String,
    /// Display name.
    #[schema(examples("AI"))]
    pub name: String,
    /// Number of visits on each of the dates.
    #[schema(example = json!([12, 30]))]
    pub counts: Vec<u64>,
}

/// Kinds of crawlers, in the order of their series.
const KINDS: [(&str, &str); 3] = [("ai", "AI"), ("search", "Search"), ("other", "Other")];
const ANSWERS: [(&str, &str); 3] = [("cache", "Cache"), ("render", "Render"), ("origin", "Origin")];

/// Lists the visits of every day of a window. Kinds and answers have all their series, others only series with visits.
pub fn timeline(by: TimelineBy, days: &[DayCount], spoofed: &[(Day, u64)], window: (Day, Day)) -> Timeline {
    let (from, to) = window;
    let length = (to - from + 1).max(0) as usize;
    let fixed: &[(&str, &str)] = match by {
        TimelineBy::Kind => &KINDS,
        TimelineBy::Answer => &ANSWERS,
        TimelineBy::Provider | TimelineBy::Crawler => &[],
    };
    let mut counts: BTreeMap<&str, Vec<u64>> = fixed.iter().map(|(id, _)| (*id, vec![0; length])).collect();
    let mut providers = Providers::default();
    for row in days {
        let (provider, class) = providers.of(&row.crawler);
        let id = match by {
            TimelineBy::Kind => kind_of(class),
            TimelineBy::Provider => provider,
            TimelineBy::Answer => row.served.as_str(),
            TimelineBy::Crawler => &row.crawler,
        };
        let series = counts.entry(id).or_insert_with(|| vec![0; length]);
        if let Some(count) = series.get_mut((row.day - from) as usize) {
            *count += row.visits;
        }
    }
    let mut impostors = vec![0; length];
    for (day, visits) in spoofed {
        if let Some(count) = impostors.get_mut((day - from) as usize) {
            *count += visits;
        }
    }
    let series = match fixed {
        [] => {
            most_first(counts).into_iter().map(|(id, counts)| series(id, name_of(by, id), counts)).collect()
        }
        _ => fixed
            .iter()
            .map(|(id, name)| series(id, (*name).to_owned(), counts.remove(id).unwrap_or_default()))
            .collect(),
    };
    Timeline { dates: (from..=to).map(|day| start_of(day).day()).collect(), series, spoofed: impostors }
}

fn series(id: &str, name: String, counts: Vec<u64>) -> TimelineSeries {
    TimelineSeries { id: id.to_owned(), name, counts }
}

fn most_first(counts: BTreeMap<&str, Vec<u64>>) -> Vec<(&str, Vec<u64>)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, counts)| Reverse(counts.iter().sum::<u64>()));
    counts
}

/// Decides whether a crawler works for language models, for a search engine, or for neither.
pub fn kind_of(class: Option<Class>) -> &'static str {
    match class {
        Some(Class::LlmTraining | Class::LlmSearch | Class::LlmUser) => "ai",
        Some(Class::Search) => "search",
        _ => "other",
    }
}

fn name_of(by: TimelineBy, id: &str) -> String {
    match by {
        TimelineBy::Crawler => CrawlerIndex::shared().find(id).map_or(id, |crawler| &crawler.name).to_owned(),
        _ => provider_name(id),
    }
}

/// Returns the display name of a provider: its id with capitals, or only with a capital first letter.
pub fn provider_name(id: &str) -> String {
    const NAMES: [(&str, &str); 14] = [
        ("openai", "OpenAI"),
        ("bytedance", "ByteDance"),
        ("dataforseo", "DataForSEO"),
        ("duckduckgo", "DuckDuckGo"),
        ("commoncrawl", "Common Crawl"),
        ("internetarchive", "Internet Archive"),
        ("linkedin", "LinkedIn"),
        ("screamingfrog", "Screaming Frog"),
        ("vk", "VK"),
        ("whatsapp", "WhatsApp"),
        ("uptimerobot", "UptimeRobot"),
        ("newrelic", "New Relic"),
        ("betterstack", "Better Stack"),
        (OTHER_PROVIDER, "Other"),
    ];
    if let Some((_, name)) = NAMES.iter().find(|(known, _)| *known == id) {
        return (*name).to_owned();
    }
    let mut letters = id.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServedBy;

    fn day(day: Day, crawler: &str, served: ServedBy, visits: u64) -> DayCount {
        DayCount { day, crawler: crawler.to_owned(), served, visits }
    }

    fn counts(timeline: &Timeline) -> Vec<(&str, &[u64])> {
        timeline.series.iter().map(|series| (series.id.as_str(), series.counts.as_slice())).collect()
    }

    #[test]
    fn kinds_are_there_without_visits_too() {
        let days = [day(11, "gptbot", ServedBy::Cache, 2), day(12, "googlebot", ServedBy::Origin, 3)];

        let timeline = timeline(TimelineBy::Kind, &days, &[(12, 7)], (10, 12));

        assert_eq!(
            counts(&timeline),
            [("ai", &[0, 2, 0][..]), ("search", &[0, 0, 3]), ("other", &[0, 0, 0])]
        );
        assert_eq!(timeline.spoofed, [0, 0, 7]);
        assert_eq!(timeline.dates, ["1970-01-11", "1970-01-12", "1970-01-13"]);
    }

    #[test]
    fn providers_and_crawlers_stand_in_the_order_of_their_visits() {
        let days = [
            day(10, "gptbot", ServedBy::Cache, 1),
            day(10, "googlebot", ServedBy::Cache, 3),
            day(10, "oai-searchbot", ServedBy::Cache, 4),
        ];

        let by = |by| timeline(by, &days, &[], (10, 10));

        assert_eq!(counts(&by(TimelineBy::Provider)), [("openai", &[5][..]), ("google", &[3])]);
        assert_eq!(counts(&by(TimelineBy::Crawler))[0], ("oai-searchbot", &[4][..]));
        assert_eq!(by(TimelineBy::Provider).series[0].name, "OpenAI");
    }

    #[test]
    fn a_row_outside_the_window_counts_nowhere() {
        let days = [day(9, "gptbot", ServedBy::Cache, 1), day(13, "gptbot", ServedBy::Cache, 1)];

        let timeline = timeline(TimelineBy::Answer, &days, &[(9, 1)], (10, 12));

        assert!(timeline.series.iter().all(|series| series.counts == [0, 0, 0]));
        assert_eq!(timeline.spoofed, [0, 0, 0]);
    }
}
