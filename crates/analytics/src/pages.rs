//! Pages that crawlers visited in a window, and stored pages that no crawler visited. Pure.
//! Visits that the origin answered count; impostors' do not.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::{Day, ServedBy, counted_path, start_of};
use super::report::{ProviderCount, Providers, provider_counts};
use super::stores::FirstDay;
use super::sums::PageVisits;

/// Filters, order and range of a list of pages.
#[derive(Debug, Clone, Default)]
pub struct PageQuestion {
    /// Text that paths must contain, in any case.
    pub search: Option<String>,
    /// Provider whose crawlers' visits alone count.
    pub provider: Option<String>,
    pub only: Option<OnlyPages>,
    pub sort: PageSort,
    /// True for ascending order.
    pub is_ascending: bool,
    /// Maximum number of rows of the answer; none: all.
    pub limit: Option<usize>,
    /// Number of rows to skip.
    pub offset: usize,
}

/// Selection of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnlyPages {
    /// Pages whose first visit ever was in the window.
    New,
    /// Pages with a snapshot that no crawler asked for in the window.
    Unvisited,
}

/// Property by which pages are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum PageSort {
    #[default]
    Visits,
    Path,
    Crawlers,
    FirstSeen,
}

/// Crawler visits of one page in a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawledPage {
    /// Path without query.
    #[schema(value_type = String, examples("/pricing"))]
    pub path: Arc<str>,
    /// Number of visits in the window.
    pub visits: u64,
    /// Number of visits that were answered with a stored snapshot.
    pub cache: u64,
    /// Number of visits that waited for a render.
    pub render: u64,
    /// Number of visits that the site's own server answered.
    pub origin: u64,
    /// Number of different crawlers.
    pub crawlers: u64,
    /// Visits by provider, most visits first.
    pub providers: Vec<ProviderCount>,
    /// Day of the first visit ever, `YYYY-MM-DD`; null without any.
    #[schema(examples("2026-11-01"), required = true)]
    pub first_seen: Option<String>,
    /// Day of the last visit in the window; null without any.
    #[schema(examples("2026-11-20"), required = true)]
    pub last_seen: Option<String>,
}

/// Sums of one page.
#[derive(Default)]
struct PageSums<'a> {
    ways: BTreeMap<ServedBy, u64>,
    crawlers: BTreeSet<&'a str>,
    providers: HashMap<&'static str, u64>,
    last: Day,
}

/// Lists the requested pages, and counts all that match. `first` are the first days of pages, `stored` the paths that
/// have a snapshot.
pub fn pages(
    question: &PageQuestion,
    visits: &[PageVisits],
    first: &[FirstDay],
    stored: &[String],
    window: (Day, Day),
) -> (Vec<CrawledPage>, usize) {
    let mut rows = match question.only {
        Some(OnlyPages::Unvisited) => unvisited(question, visits, stored),
        only => visited(question, visits, first, (only == Some(OnlyPages::New)).then_some(window)),
    };
    rows.sort_unstable_by(|a, b| {
        let order = order(question.sort, a, b);
        let order = if question.is_ascending { order } else { order.reverse() };
        order.then_with(|| a.path.cmp(&b.path))
    });
    let total = rows.len();
    let limit = question.limit.unwrap_or(total);
    (rows.into_iter().skip(question.offset).take(limit).collect(), total)
}

fn order(sort: PageSort, a: &CrawledPage, b: &CrawledPage) -> Ordering {
    match sort {
        PageSort::Visits => a.visits.cmp(&b.visits),
        PageSort::Path => a.path.cmp(&b.path),
        PageSort::Crawlers => a.crawlers.cmp(&b.crawlers),
        PageSort::FirstSeen => a.first_seen.cmp(&b.first_seen),
    }
}

fn visited(
    question: &PageQuestion,
    visits: &[PageVisits],
    first: &[FirstDay],
    new_in: Option<(Day, Day)>,
) -> Vec<CrawledPage> {
    let first: HashMap<&str, Day> = first.iter().map(|(path, days)| (&**path, days.any)).collect();
    let search = question.search.as_deref().map(str::to_lowercase);
    let mut providers = Providers::default();
    let mut rows = Vec::new();
    for page in visits {
        let first = first.get(&*page.path).copied();
        let is_new = new_in.is_none_or(|(from, to)| first.is_some_and(|day| (from..=to).contains(&day)));
        let is_found = search.as_ref().is_none_or(|text| page.contains(text));
        if !page.is_page() || !is_new || !is_found {
            continue;
        }
        let mut sums = PageSums::default();
        for sum in &page.sums {
            let provider = providers.of(&sum.kind.crawler).0;
            if question.provider.as_deref().is_some_and(|wanted| wanted != provider) {
                continue;
            }
            *sums.ways.entry(sum.kind.served).or_default() += sum.visits;
            sums.crawlers.insert(&sum.kind.crawler);
            *sums.providers.entry(provider).or_default() += sum.visits;
            sums.last = sums.last.max(sum.last);
        }
        if !sums.crawlers.is_empty() {
            rows.push(sums.row(page.path.clone(), first));
        }
    }
    rows
}

impl PageSums<'_> {
    fn row(self, path: Arc<str>, first: Option<Day>) -> CrawledPage {
        let of = |way| self.ways.get(&way).copied().unwrap_or_default();
        CrawledPage {
            path,
            visits: self.ways.values().sum(),
            cache: of(ServedBy::Cache),
            render: of(ServedBy::Render),
            origin: of(ServedBy::Origin),
            crawlers: self.crawlers.len() as u64,
            providers: provider_counts(self.providers),
            first_seen: first.map(|day| start_of(day).day()),
            last_seen: Some(start_of(self.last).day()),
        }
    }
}

fn unvisited(question: &PageQuestion, visits: &[PageVisits], stored: &[String]) -> Vec<CrawledPage> {
    let mut providers = Providers::default();
    let mut is_wanted = |crawler: &str| {
        let provider = providers.of(crawler).0;
        question.provider.as_deref().is_none_or(|wanted| wanted == provider)
    };
    let came = visits.iter().filter(|page| page.sums.iter().any(|sum| is_wanted(&sum.kind.crawler)));
    let came: HashSet<&str> = came.map(|page| &*page.path).collect();
    let search = question.search.as_deref().map(str::to_lowercase);
    let paths: BTreeSet<_> = stored.iter().map(|path| counted_path(path)).collect();
    let wanted = paths.into_iter().filter(|path| {
        !came.contains(&**path) && search.as_ref().is_none_or(|text| path.to_lowercase().contains(text))
    });
    wanted
        .map(|path| CrawledPage {
            path: path.into(),
            visits: 0,
            cache: 0,
            render: 0,
            origin: 0,
            crawlers: 0,
            providers: Vec::new(),
            first_seen: None,
            last_seen: None,
        })
        .collect()
}
