//! Results of the four endpoints about crawler visits: sums, order and medians. Pure.
//! Everything is sorted here, bytewise, so that every database gives the same bytes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::crawlers::{Class, CrawlerIndex, OTHER_PROVIDER};
use super::model::{Day, ServedBy, bucket_ms, start_of};
use super::sums::{PageVisits, TimeCounts};
use platform::clock::Timestamp;

/// Visits of one day, crawler and source of the answer.
pub struct DayCount {
    pub day: Day,
    /// Id of the crawler.
    pub crawler: String,
    /// Source of the answers.
    pub served: ServedBy,
    pub visits: u64,
}

/// Visits of a provider's crawlers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProviderCount {
    /// Id of the company that runs the crawlers.
    #[schema(examples("google"))]
    pub provider: String,
    /// Number of visits.
    pub count: u64,
}

/// Visits with one source of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServedByCount {
    /// Source of the answers: `cache`, `render`, and `origin` when it was requested.
    #[schema(examples("cache"))]
    pub served_by: String,
    /// Number of visits.
    pub count: u64,
}

/// Visits of a page by a provider's crawlers.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PathProviderCount {
    /// Path without query.
    #[schema(value_type = String, examples("/pricing"))]
    pub path: Arc<str>,
    /// Id of the company that runs the crawlers.
    #[schema(value_type = String, examples("google"))]
    pub provider: &'static str,
    /// Number of visits.
    pub count: u64,
}

/// Visits of a page with one source of the answer.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathServedByCount {
    /// Path without query.
    #[schema(value_type = String, examples("/pricing"))]
    pub path: Arc<str>,
    /// Source of the answers: `cache`, `render`, and `origin` when it was requested.
    #[schema(value_type = String, examples("cache"))]
    pub served_by: &'static str,
    /// Number of visits.
    pub count: u64,
}

/// Visits by page; most visits first.
#[derive(Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bots {
    pub by_provider: Vec<PathProviderCount>,
    /// Visits by page and source of the answer.
    pub by_served_by: Vec<PathServedByCount>,
}

/// Visits by day.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Daily {
    /// One entry for every day of the window, the last one today.
    pub daily: Vec<DailyCount>,
}

/// Visits of one UTC day.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DailyCount {
    /// Date of the day, `YYYY-MM-DD`.
    #[schema(examples("2026-11-20"))]
    pub date: String,
    /// Number of all visits of the day.
    pub total: u64,
    /// Visits by provider, most visits first.
    pub providers: Vec<ProviderCount>,
}

/// Summary of crawler visits.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Search engine with the most visits; null without visits.
    #[schema(required = true)]
    pub top_search_crawler: Option<ProviderCount>,
    /// Provider of language models with the most visits; null without visits.
    #[schema(required = true)]
    pub top_llm_crawler: Option<ProviderCount>,
    /// Number of pages that a crawler visited for the first time ever.
    pub new_pages_crawled: u64,
    /// Number of pages that were visited.
    pub total_pages_crawled: u64,
    /// Number of visits answered with a snapshot.
    pub total_crawls_served: u64,
    /// Savings of the cache.
    pub crawl_budget_saved: CrawlBudget,
    /// True for the demo domain of this installation, whose visits are made up. Missing for every other domain.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub demo: bool,
    /// Name that the site's start page gives the site. Missing when no audit has found one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples("Saltmarsh Pottery"))]
    pub site_name: Option<String>,
}

/// Savings of the cache: the visits that waited for no render, and the time that they saved.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlBudget {
    /// Share of the visits that were served from cache, in percent with one decimal.
    pub percentage: f64,
    /// Visits from cache times the difference of the median times of renders and of the cache, in minutes with one decimal.
    pub minutes_saved: f64,
    /// Number of visits served from cache.
    pub cache_hits: u64,
}

/// Crawler visits of one page.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerVisits {
    /// Number of all visits.
    pub total: u64,
    /// Visits by provider, most visits first.
    pub by_provider: Vec<ProviderCount>,
    /// Visits by source of the answer, most visits first.
    pub by_served_by: Vec<ServedByCount>,
}

/// Numbers of answers by duration: pairs of bucket and count, in the order of the buckets.
#[derive(Debug, Default)]
pub struct Times {
    pub render: Vec<(i64, u64)>,
    pub cache: Vec<(i64, u64)>,
}

impl Times {
    /// Selects the counts of renders and of the cache.
    pub fn of(counts: &TimeCounts) -> Times {
        let of = |way: ServedBy| {
            let own = counts.iter().filter(move |((served, _), _)| *served == way);
            own.map(|((_, bucket), visits)| (*bucket, *visits)).collect()
        };
        Times { render: of(ServedBy::Render), cache: of(ServedBy::Cache) }
    }
}

/// Cache of the providers and purposes of crawlers by id.
#[derive(Default)]
pub(super) struct Providers {
    known: HashMap<String, (&'static str, Option<Class>)>,
}

impl Providers {
    /// Returns the provider of a crawler, and the crawler's purpose.
    pub(super) fn of(&mut self, crawler: &str) -> (&'static str, Option<Class>) {
        if let Some(known) = self.known.get(crawler) {
            return *known;
        }
        let found = CrawlerIndex::shared().find(crawler);
        let provider = found.map_or(OTHER_PROVIDER, |crawler| crawler.provider.as_str());
        let entry = (provider, found.map(|crawler| crawler.class));
        self.known.insert(crawler.to_owned(), entry);
        entry
    }
}

/// Reports visits by page. `visits` are in the order of their paths.
pub fn bots(visits: &[PageVisits]) -> Bots {
    let mut providers = Providers::default();
    let mut bots = Bots::default();
    for PageVisits { path, sums } in visits {
        let (mut by_provider, mut by_served_by) = (BTreeMap::new(), BTreeMap::new());
        for sum in sums {
            *by_provider.entry(providers.of(&sum.kind.crawler).0).or_default() += sum.visits;
            *by_served_by.entry(sum.kind.served.as_str()).or_default() += sum.visits;
        }
        let provider = |(provider, count)| PathProviderCount { path: path.clone(), provider, count };
        bots.by_provider.extend(by_provider.into_iter().map(provider));
        let served_by = |(served_by, count)| PathServedByCount { path: path.clone(), served_by, count };
        bots.by_served_by.extend(by_served_by.into_iter().map(served_by));
    }
    // Stable: equal counts stay in the order of path, then name, bytewise.
    bots.by_provider.sort_by_key(|entry| Reverse(entry.count));
    bots.by_served_by.sort_by_key(|entry| Reverse(entry.count));
    bots
}

/// Reports the visits of every day of a window.
pub fn daily(days: &[DayCount], (from, to): (Day, Day)) -> Daily {
    let mut providers = Providers::default();
    let mut by_day: BTreeMap<Day, HashMap<&str, u64>> = BTreeMap::new();
    for count in days {
        let provider = providers.of(&count.crawler).0;
        *by_day.entry(count.day).or_default().entry(provider).or_default() += count.visits;
    }
    let entry = |day: Day| {
        let counts = by_day.remove(&day).unwrap_or_default();
        let total = counts.values().sum();
        DailyCount { date: start_of(day).day(), total, providers: provider_counts(counts) }
    };
    Daily { daily: (from..=to).map(entry).collect() }
}

/// Sums up visits in a summary. `pages` are the numbers of visited pages and of new ones among them.
pub fn summary(days: &[DayCount], pages: (u64, u64), times: &Times) -> Summary {
    let mut providers = Providers::default();
    let (mut search, mut llm) = (HashMap::new(), HashMap::new());
    let (mut served, mut hits) = (0, 0);
    for count in days {
        let (provider, class) = providers.of(&count.crawler);
        match class {
            // Crawlers of this provider belong to many companies.
            _ if provider == OTHER_PROVIDER => {}
            Some(Class::Search) => *search.entry(provider).or_default() += count.visits,
            Some(Class::LlmTraining | Class::LlmSearch | Class::LlmUser) => {
                *llm.entry(provider).or_default() += count.visits;
            }
            _ => {}
        }
        if count.served != ServedBy::Origin {
            served += count.visits;
        }
        if count.served == ServedBy::Cache {
            hits += count.visits;
        }
    }
    Summary {
        top_search_crawler: provider_counts(search).into_iter().next(),
        top_llm_crawler: provider_counts(llm).into_iter().next(),
        new_pages_crawled: pages.1,
        total_pages_crawled: pages.0,
        total_crawls_served: served,
        crawl_budget_saved: CrawlBudget {
            percentage: if served == 0 { 0.0 } else { one_decimal(100.0 * hits as f64 / served as f64) },
            minutes_saved: one_decimal(hits as f64 * saved_ms(times) / 60_000.0),
            cache_hits: hits,
        },
        demo: false,
        site_name: None,
    }
}

/// Reports the visits of one page, or of none.
pub fn page(visits: &[PageVisits]) -> CrawlerVisits {
    let mut providers = Providers::default();
    let (mut by_provider, mut by_served, mut total) = (HashMap::new(), HashMap::new(), 0);
    for sum in visits.iter().flat_map(|page| &page.sums) {
        *by_provider.entry(providers.of(&sum.kind.crawler).0).or_default() += sum.visits;
        *by_served.entry(sum.kind.served.as_str()).or_default() += sum.visits;
        total += sum.visits;
    }
    let served = |(served_by, count): (&str, u64)| ServedByCount { served_by: served_by.to_owned(), count };
    CrawlerVisits {
        total,
        by_provider: provider_counts(by_provider),
        by_served_by: most_first(by_served).into_iter().map(served).collect(),
    }
}

/// Sorts visits by provider, most visits first.
pub(super) fn provider_counts(counts: HashMap<&str, u64>) -> Vec<ProviderCount> {
    let count = |(provider, count): (&str, u64)| ProviderCount { provider: provider.to_owned(), count };
    most_first(counts).into_iter().map(count).collect()
}

/// Sorts by count descending, then by key, bytewise.
fn most_first<K: Ord>(counts: HashMap<K, u64>) -> Vec<(K, u64)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// Returns the time that one visit from cache saves, in milliseconds; never negative.
fn saved_ms(times: &Times) -> f64 {
    match (median_ms(&times.render), median_ms(&times.cache)) {
        (Some(render), Some(cache)) => (render - cache).max(0.0),
        _ => 0.0,
    }
}

fn median_ms(buckets: &[(i64, u64)]) -> Option<f64> {
    let half = buckets.iter().map(|(_, count)| count).sum::<u64>().div_ceil(2);
    let mut passed = 0;
    let middle = buckets.iter().find(|(_, count)| {
        passed += count;
        passed >= half && half > 0
    })?;
    Some(bucket_ms(middle.0))
}

fn one_decimal(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Window of a report.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WindowInfo {
    /// Number of days, today included.
    pub days: u32,
    /// First moment of the window.
    pub from: Timestamp,
    /// Time of the report.
    pub to: Timestamp,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Verified;
    use crate::sums::tests::pages_of;
    use crate::sums::{Kind, VisitSum};

    fn visits(path: &'static str, crawler: &str, served: ServedBy, visits: u64) -> (&'static str, VisitSum) {
        let (crawler, verified) = (crawler.to_owned(), Verified::Unknown);
        (path, VisitSum { kind: Kind { crawler, verified, served, status: 200 }.into(), last: 1, visits })
    }

    fn day_count(day: Day, crawler: &str, served: &str, visits: u64) -> DayCount {
        DayCount { day, crawler: crawler.into(), served: ServedBy::parse(served).unwrap(), visits }
    }

    #[test]
    fn pages_are_sorted_by_count_then_path_then_provider() {
        let visits = pages_of([
            visits("/b", "googlebot", ServedBy::Cache, 1),
            visits("/a", "gptbot", ServedBy::Cache, 1),
            visits("/a", "googlebot", ServedBy::Render, 1),
            visits("/Z", "googlebot", ServedBy::Cache, 1),
            visits("/c", "googlebot", ServedBy::Cache, 2),
            visits("/c", "googlebot", ServedBy::Render, 3),
        ]);

        let bots = json!(bots(&visits));

        let row = |path, provider, count| json!({ "path": path, "provider": provider, "count": count });
        let expected = json!([
            row("/c", "google", 5),
            row("/Z", "google", 1),
            row("/a", "google", 1),
            row("/a", "openai", 1),
            row("/b", "google", 1),
        ]);
        assert_eq!(bots["byProvider"], expected);
        assert_eq!(bots["byServedBy"][0], json!({ "path": "/c", "servedBy": "render", "count": 3 }));
    }

    #[test]
    fn crawlers_that_nobody_knows_are_others() {
        let visits = pages_of(
            ["unknown", "gone-from-the-list", "list:Seekbot"]
                .map(|crawler| visits("/", crawler, ServedBy::Cache, 1)),
        );

        let page = page(&visits);

        assert_eq!(page.by_provider, [ProviderCount { provider: "other".into(), count: 3 }]);
    }

    #[test]
    fn every_day_of_the_window_is_there() {
        let daily = daily(&[day_count(20_001, "googlebot", "cache", 2)], (20_000, 20_002));

        let totals: Vec<_> = daily.daily.iter().map(|day| (day.date.as_str(), day.total)).collect();
        assert_eq!(totals, [("2024-10-04", 0), ("2024-10-05", 2), ("2024-10-06", 0)]);
        assert!(daily.daily[0].providers.is_empty());
    }

    #[test]
    fn a_tie_for_the_top_goes_to_the_first_name() {
        let days = [day_count(1, "googlebot", "cache", 2), day_count(1, "bingbot", "cache", 2)];

        let summary = summary(&days, (0, 0), &Times::default());

        assert_eq!(summary.top_search_crawler.unwrap().provider, "bing");
        assert_eq!(summary.top_llm_crawler, None);
    }

    #[test]
    fn crawlers_that_belong_to_nobody_in_particular_are_never_the_top() {
        let listed = ["list:^Seekbot", "list:CCBot"];
        let days = [
            day_count(1, listed[0], "cache", 9),
            day_count(1, listed[1], "cache", 9),
            day_count(1, "bingbot", "cache", 1),
        ];

        let summary = summary(&days, (0, 0), &Times::default());

        let classes = listed.map(|id| CrawlerIndex::shared().find(id).unwrap().class);
        assert_eq!(classes, [Class::Search, Class::LlmTraining]);
        assert_eq!(summary.top_search_crawler.unwrap().provider, "bing");
        assert_eq!((summary.top_llm_crawler, summary.total_crawls_served), (None, 19));
    }

    #[test]
    fn minutes_saved_compare_medians_and_are_never_negative() {
        let days = [day_count(1, "googlebot", "cache", 3), day_count(1, "googlebot", "render", 1)];
        let second = crate::model::bucket_of(std::time::Duration::from_secs(60));
        let slow = Times { render: vec![(10, 1), (second, 5)], cache: vec![(0, 3), (second, 1)] };
        let reversed = Times { render: vec![(0, 1)], cache: vec![(second, 1)] };

        let saved = |times: &Times| summary(&days, (1, 1), times).crawl_budget_saved;

        let budget = saved(&slow);
        assert!((2.9..=3.1).contains(&budget.minutes_saved), "{budget:?}");
        assert_eq!((budget.percentage, budget.cache_hits), (75.0, 3));
        assert_eq!(saved(&reversed).minutes_saved, 0.0);
    }

    #[test]
    fn visits_from_the_origin_are_no_crawls_served() {
        let days = [day_count(1, "googlebot", "origin", 5), day_count(1, "googlebot", "render", 1)];

        let summary = summary(&days, (2, 1), &Times::default());

        assert_eq!((summary.total_crawls_served, summary.crawl_budget_saved.percentage), (1, 0.0));
        assert_eq!(summary.top_search_crawler.unwrap().count, 6);
    }
}
