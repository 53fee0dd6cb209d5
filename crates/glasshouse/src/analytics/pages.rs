//! Pages that crawlers visited in a window, and stored pages that none asked for. Pure.
//! Visits that the origin answered count; impostors' do not.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::{Day, ServedBy, counted_path, start_of};
use super::report::{ProviderCount, Providers, provider_counts};
use super::segments::rows::OTHER_NUMBER;
use super::segments::window::{Scope, WindowVisits};
use super::stores::FirstDay;

/// Pages that are asked for, and how.
#[derive(Debug, Clone, Default)]
pub struct PageQuestion {
    /// Text that paths must contain, in any case.
    pub search: Option<String>,
    /// Company whose crawlers' visits count alone.
    pub provider: Option<String>,
    pub only: Option<OnlyPages>,
    pub sort: PageSort,
    /// Smallest first.
    pub is_ascending: bool,
    /// Rows of the answer; none: all.
    pub limit: Option<usize>,
    /// Rows to leave out first.
    pub offset: usize,
}

/// Part of the pages.
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
    /// Visits of the window.
    pub visits: u64,
    /// Visits that were answered with a stored snapshot.
    pub cache: u64,
    /// Visits that waited for a render.
    pub render: u64,
    /// Visits that the site's own server answered.
    pub origin: u64,
    /// Different crawlers that came.
    pub crawlers: u64,
    /// By provider, most visits first.
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

/// Lists the pages that were asked for, and counts all that match. `first` are the first days of pages, `stored` the paths that
/// have a snapshot.
pub fn pages(
    question: &PageQuestion,
    visits: &WindowVisits,
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
    visits: &WindowVisits,
    first: &[FirstDay],
    new_in: Option<(Day, Day)>,
) -> Vec<CrawledPage> {
    let first: HashMap<&str, Day> = first.iter().map(|(path, days)| (&**path, days.any)).collect();
    let found = question.search.as_deref().map(|text| visits.pages().containing(text));
    let mut providers = Providers::default();
    let mut sums: BTreeMap<u32, PageSums<'_>> = BTreeMap::new();
    for (day, page, kind, count) in visits.rows() {
        let is_wanted = page != OTHER_NUMBER
            && Scope::WithOrigin.counts(kind)
            && found.as_ref().is_none_or(|found| found[page as usize]);
        let provider = providers.of(&kind.crawler).0;
        if !is_wanted || question.provider.as_deref().is_some_and(|wanted| wanted != provider) {
            continue;
        }
        let sum = sums.entry(page).or_default();
        *sum.ways.entry(kind.served).or_default() += count;
        sum.crawlers.insert(&kind.crawler);
        *sum.providers.entry(provider).or_default() += count;
        sum.last = sum.last.max(day);
    }
    let mut rows = Vec::with_capacity(sums.len());
    for (page, sum) in sums {
        let path = visits.pages().path(page);
        let first = first.get(&**path).copied();
        let is_new = new_in.is_none_or(|(from, to)| first.is_some_and(|day| (from..=to).contains(&day)));
        if is_new {
            rows.push(sum.row(path.clone(), first));
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

fn unvisited(question: &PageQuestion, visits: &WindowVisits, stored: &[String]) -> Vec<CrawledPage> {
    let mut providers = Providers::default();
    let came = visits.rows().filter(|(_, page, kind, _)| {
        let provider = providers.of(&kind.crawler).0;
        *page != OTHER_NUMBER
            && Scope::WithOrigin.counts(kind)
            && question.provider.as_deref().is_none_or(|wanted| wanted == provider)
    });
    let came: HashSet<&str> = came.map(|(_, page, ..)| &**visits.pages().path(page)).collect();
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
