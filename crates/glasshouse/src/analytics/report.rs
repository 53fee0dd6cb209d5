//! What the four endpoints say about crawler visits: sums, ties and medians. Pure.
//! Everything is sorted here, bytewise, so that every database gives the same bytes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use utoipa::ToSchema;

use super::bots_json::{JsonText, JsonTexts};
use super::crawlers::{Class, CrawlerIndex, OTHER_PROVIDER};
use super::model::{Day, ServedBy, bucket_ms, start_of};
use super::segments::rows::Kind;
use super::segments::totals::TimeCounts;
use super::segments::window::{PageSum, Scope, WindowVisits};
use crate::clock::Timestamp;

/// In the order of their names.
const WAYS_BY_NAME: [ServedBy; 3] = [ServedBy::Cache, ServedBy::Origin, ServedBy::Render];

/// Visits of one day, crawler and way.
pub struct DayCount {
    pub day: Day,
    /// Id of the crawler.
    pub crawler: String,
    /// How they were answered.
    pub served: ServedBy,
    pub visits: u64,
}

/// Visits of a provider's crawlers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProviderCount {
    /// Who runs the crawlers.
    #[schema(examples("google"))]
    pub provider: String,
    /// How many visits.
    pub count: u64,
}

/// Visits answered one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServedByCount {
    /// `cache`, `render`, and `origin` when it was asked for.
    #[schema(examples("cache"))]
    pub served_by: String,
    /// How many visits.
    pub count: u64,
}

/// Visits of a page by a provider's crawlers.
#[derive(ToSchema)]
pub struct PathProviderCount {
    /// Path without query.
    #[schema(examples("/pricing"))]
    pub path: String,
    /// Who runs the crawlers.
    #[schema(examples("google"))]
    pub provider: String,
    /// How many visits.
    pub count: u64,
}

/// Visits of a page answered one way.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct PathServedByCount {
    /// Path without query.
    #[schema(examples("/pricing"))]
    pub path: String,
    /// `cache`, `render`, and `origin` when it was asked for.
    #[schema(examples("cache"))]
    pub served_by: String,
    /// How many visits.
    pub count: u64,
}

/// Visits by page; most visits first.
#[derive(Default, ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct Bots {
    /// Each path once, ready to be sent.
    #[schema(ignore)]
    pub paths: JsonTexts,
    #[schema(value_type = Vec<PathProviderCount>)]
    pub by_provider: Vec<PathCount>,
    /// By the way they were answered.
    #[schema(value_type = Vec<PathServedByCount>)]
    pub by_served_by: Vec<PathCount>,
}

/// Visits of a page that have something in common.
#[derive(Clone, Copy)]
pub struct PathCount {
    pub path: JsonText,
    /// Provider, or way.
    pub key: &'static str,
    pub visits: u64,
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
    /// `YYYY-MM-DD`.
    #[schema(examples("2026-11-20"))]
    pub date: String,
    /// All visits of the day.
    pub total: u64,
    /// By provider, most visits first.
    pub providers: Vec<ProviderCount>,
}

/// Crawler visits in short.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The search engine that came most often; null when none did.
    #[schema(required = true)]
    pub top_search_crawler: Option<ProviderCount>,
    /// The provider of language models that came most often; null when none did.
    #[schema(required = true)]
    pub top_llm_crawler: Option<ProviderCount>,
    /// Pages that a crawler visited for the first time ever.
    pub new_pages_crawled: u64,
    /// Pages that were visited.
    pub total_pages_crawled: u64,
    /// Visits answered with a snapshot.
    pub total_crawls_served: u64,
    /// What the cache saved.
    pub crawl_budget_saved: CrawlBudget,
    /// The domain is the demo of this installation, whose visits are made up. Missing for every other domain.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub demo: bool,
}

/// What the cache saved: how often nobody waited for a render, and for how long.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlBudget {
    /// Share of the visits that were served from cache, in percent with one decimal.
    pub percentage: f64,
    /// Visits from cache times the difference of the median times of renders and of the cache, in minutes with one decimal.
    pub minutes_saved: f64,
    /// Visits served from cache.
    pub cache_hits: u64,
}

/// Crawler visits of one page.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerVisits {
    /// All visits.
    pub total: u64,
    /// By provider, most visits first.
    pub by_provider: Vec<ProviderCount>,
    /// By the way they were answered, most visits first.
    pub by_served_by: Vec<ServedByCount>,
}

/// How often answers took about so long: bucket and count, in the order of the buckets.
#[derive(Debug, Default)]
pub struct Times {
    pub render: Vec<(i64, u64)>,
    pub cache: Vec<(i64, u64)>,
}

impl Times {
    /// What was counted by way and bucket.
    pub fn of(counts: &TimeCounts) -> Times {
        let of = |way: ServedBy| {
            let own = counts.iter().filter(move |((served, _), _)| *served == way);
            own.map(|((_, bucket), visits)| (*bucket, *visits)).collect()
        };
        Times { render: of(ServedBy::Render), cache: of(ServedBy::Cache) }
    }
}

/// Finds out whose crawlers are, each id once.
#[derive(Default)]
pub(super) struct Providers {
    known: HashMap<String, (&'static str, Option<Class>)>,
}

impl Providers {
    /// The provider of a crawler, and what the crawler is for.
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

/// Visits by page, of those pages that are wanted.
pub fn bots(visits: &WindowVisits, scope: Scope, wanted: impl Fn(u32) -> bool) -> Bots {
    let mut providers = Providers::default();
    // Both lists come of one sum: a busy window has hundreds of thousands of rows.
    let key = |kind: &Kind| scope.counts(kind).then(|| (providers.of(&kind.crawler).0, kind.served));
    let sums = visits.sum(&wanted, key);
    let pages = visits.pages();
    let mut by_page: Vec<(u64, &[PageSum<_>])> = sums
        .chunk_by(|a, b| a.page == b.page)
        .map(|of_page| (pages.place(of_page[0].page), of_page))
        .collect();
    by_page.sort_unstable_by_key(|(place, _)| *place);
    let mut bots = Bots::default();
    for (_, of_page) in by_page {
        let path = bots.paths.add(pages.path(of_page[0].page));
        for same in of_page.chunk_by(|a, b| a.key.0 == b.key.0) {
            let visits = same.iter().map(|sum| sum.visits).sum();
            bots.by_provider.push(PathCount { path, key: same[0].key.0, visits });
        }
        for way in WAYS_BY_NAME {
            let same = of_page.iter().filter(|sum| sum.key.1 == way);
            let visits = same.map(|sum| sum.visits).sum();
            if visits > 0 {
                bots.by_served_by.push(PathCount { path, key: way.as_str(), visits });
            }
        }
    }
    // Stable: equal counts stay in the order of path, then name, bytewise.
    bots.by_provider.sort_by_key(|entry| Reverse(entry.visits));
    bots.by_served_by.sort_by_key(|entry| Reverse(entry.visits));
    bots
}

/// Visits of every day from one to another.
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

/// Visits in short; `pages` are those visited and the new ones among them. `spans` are the times of the window and those
/// of all kept days, for a window without renders.
pub fn summary(days: &[DayCount], pages: (u64, u64), window: &Times, kept: &Times) -> Summary {
    let mut providers = Providers::default();
    let (mut search, mut llm) = (HashMap::new(), HashMap::new());
    let (mut served, mut hits) = (0, 0);
    for count in days {
        let (provider, class) = providers.of(&count.crawler);
        match class {
            // Those of many companies together are nobody's.
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
    let times = if window.render.is_empty() { kept } else { window };
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
    }
}

/// Visits of one page, or of none.
pub fn page(visits: &WindowVisits, scope: Scope, page: Option<u32>) -> CrawlerVisits {
    let mut providers = Providers::default();
    let (mut by_provider, mut by_served, mut total) = (HashMap::new(), HashMap::new(), 0);
    let key = |kind: &Kind| scope.counts(kind).then(|| (providers.of(&kind.crawler).0, kind.served.as_str()));
    for sum in visits.sum(|number| Some(number) == page, key) {
        *by_provider.entry(sum.key.0).or_default() += sum.visits;
        *by_served.entry(sum.key.1).or_default() += sum.visits;
        total += sum.visits;
    }
    let served = |(served_by, count): (&str, u64)| ServedByCount { served_by: served_by.to_owned(), count };
    CrawlerVisits {
        total,
        by_provider: provider_counts(by_provider),
        by_served_by: most_first(by_served).into_iter().map(served).collect(),
    }
}

/// Most visits first.
pub(super) fn provider_counts(counts: HashMap<&str, u64>) -> Vec<ProviderCount> {
    let count = |(provider, count): (&str, u64)| ProviderCount { provider: provider.to_owned(), count };
    most_first(counts).into_iter().map(count).collect()
}

/// Count descending, then the key, bytewise.
fn most_first<K: Ord>(counts: HashMap<K, u64>) -> Vec<(K, u64)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// What one visit from cache saves: never less than nothing.
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

/// The window of a report, as it is told.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WindowInfo {
    /// Days in it, today included.
    pub days: u32,
    /// Its first moment.
    pub from: Timestamp,
    /// Now.
    pub to: Timestamp,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::analytics::model::Verified;
    use crate::analytics::segments::paths::PathTable;
    use crate::analytics::segments::window::OpenRow;

    fn open(path: &str, crawler: &str, served: ServedBy, visits: u64) -> OpenRow {
        let (crawler, verified) = (crawler.to_owned(), Verified::Unknown);
        OpenRow { day: 1, path: path.into(), kind: Kind { crawler, verified, served, status: 200 }, visits }
    }

    fn window(rows: impl IntoIterator<Item = OpenRow>) -> WindowVisits {
        WindowVisits::new(Vec::new(), rows.into_iter().collect(), Arc::new(PathTable::of([])))
    }

    fn day_count(day: Day, crawler: &str, served: &str, visits: u64) -> DayCount {
        DayCount { day, crawler: crawler.into(), served: ServedBy::parse(served).unwrap(), visits }
    }

    #[test]
    fn pages_are_sorted_by_count_then_path_then_provider() {
        let visits = window([
            open("/b", "googlebot", ServedBy::Cache, 1),
            open("/a", "gptbot", ServedBy::Cache, 1),
            open("/a", "googlebot", ServedBy::Render, 1),
            open("/Z", "googlebot", ServedBy::Cache, 1),
            open("/c", "googlebot", ServedBy::Cache, 2),
            open("/c", "googlebot", ServedBy::Render, 3),
            open("/c", "googlebot", ServedBy::Origin, 9),
        ]);

        let bots = bots(&visits, Scope::Snapshots, |_| true);

        let bots: Value = serde_json::from_slice(&bots.to_json()).unwrap();
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
        let visits = window(
            ["unknown", "gone-from-the-list", "list:Seekbot"]
                .map(|crawler| open("/", crawler, ServedBy::Cache, 1)),
        );

        let page = page(&visits, Scope::Snapshots, visits.pages().find("/"));

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

        let summary = summary(&days, (0, 0), &Times::default(), &Times::default());

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

        let summary = summary(&days, (0, 0), &Times::default(), &Times::default());

        let classes = listed.map(|id| CrawlerIndex::shared().find(id).unwrap().class);
        assert_eq!(classes, [Class::Search, Class::LlmTraining]);
        assert_eq!(summary.top_search_crawler.unwrap().provider, "bing");
        assert_eq!((summary.top_llm_crawler, summary.total_crawls_served), (None, 19));
    }

    #[test]
    fn minutes_saved_compare_medians_and_are_never_negative() {
        let days = [day_count(1, "googlebot", "cache", 3), day_count(1, "googlebot", "render", 1)];
        let second = crate::analytics::model::bucket_of(std::time::Duration::from_secs(60));
        let slow = Times { render: vec![(10, 1), (second, 5)], cache: vec![(0, 3), (second, 1)] };
        let reversed = Times { render: vec![(0, 1)], cache: vec![(second, 1)] };

        let saved = |window: &Times, kept: &Times| summary(&days, (1, 1), window, kept).crawl_budget_saved;

        let budget = saved(&slow, &Times::default());
        assert!((2.9..=3.1).contains(&budget.minutes_saved), "{budget:?}");
        assert_eq!((budget.percentage, budget.cache_hits), (75.0, 3));
        assert_eq!(saved(&Times::default(), &slow).minutes_saved, budget.minutes_saved);
        assert_eq!(saved(&reversed, &slow).minutes_saved, 0.0);
    }

    #[test]
    fn visits_from_the_origin_are_no_crawls_served() {
        let days = [day_count(1, "googlebot", "origin", 5), day_count(1, "googlebot", "render", 1)];

        let summary = summary(&days, (2, 1), &Times::default(), &Times::default());

        assert_eq!((summary.total_crawls_served, summary.crawl_budget_saved.percentage), (1, 0.0));
        assert_eq!(summary.top_search_crawler.unwrap().count, 6);
    }
}
