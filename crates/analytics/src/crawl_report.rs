//! Reports beyond the four of the specification: crawlers, errors, and visits that robots.txt forbids. Pure.
//! Visits that the origin answered count in all of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crawler::robots::Robots;
use serde::Serialize;
use utoipa::ToSchema;

use super::crawlers::{Class, CrawlerIndex};
use super::model::{Day, ServedBy, Verified, start_of};
use super::report::{ProviderCount, Providers, provider_counts};
use super::sums::{DayTotal, PageVisits};

/// Longest window with the visits of each crawler by day, in days.
const MOST_DAYS_TOLD: Day = 400;

/// Maximum number of pairs of a crawler and a page that are compared with robots.txt, the most visited first.
const PAIRS_CHECKED: usize = 50_000;

/// First and last day of each crawler, by id.
pub type CrawlersSeen = HashMap<String, (Day, Day)>;

/// Counts of one crawler.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerCount {
    /// Stable id of the crawler.
    #[schema(examples("gptbot"))]
    pub id: String,
    /// Display name of the crawler.
    #[schema(examples("GPTBot"))]
    pub name: String,
    /// Id of the company that runs the crawler.
    #[schema(examples("openai"))]
    pub provider: String,
    /// Purpose of the crawler.
    pub purpose: Class,
    /// Number of visits, impostors' left out.
    pub visits: u64,
    /// Number of visits whose address or signature is the provider's.
    pub verified: u64,
    /// Number of visits by clients that only claimed to be this crawler.
    pub spoofed: u64,
    /// Number of visits answered with a stored snapshot.
    pub from_cache: u64,
    /// Number of different pages that the crawler visited.
    pub pages: u64,
    /// Number of visits answered with a status of 400 to 499.
    pub client_errors: u64,
    /// Number of visits answered with a status of 500 and above.
    pub server_errors: u64,
    /// Day of the first visit ever, `YYYY-MM-DD`; null: only impostors came.
    #[schema(examples("2026-11-01"), required = true)]
    pub first_seen: Option<String>,
    /// Day of the last visit ever, `YYYY-MM-DD`; null: only impostors came.
    #[schema(examples("2026-11-20"), required = true)]
    pub last_seen: Option<String>,
    /// Number of visits on each day of the window, impostors' left out; null when the window has more than 400 days.
    #[schema(required = true)]
    pub daily: Option<Vec<u64>>,
}

/// Visits of one page that were answered with one error status.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageError {
    /// Path without query.
    #[schema(value_type = String, examples("/old-offer"))]
    pub path: Arc<str>,
    /// Status of the answers, 400 to 599.
    #[schema(examples(404))]
    pub status: u16,
    /// Number of visits.
    pub count: u64,
    /// Visits by provider, most visits first.
    pub providers: Vec<ProviderCount>,
    /// Day of the last of these visits, `YYYY-MM-DD`.
    #[schema(examples("2026-11-20"))]
    pub last_seen: String,
}

/// Visits of one crawler to a page that robots.txt forbids it.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForbiddenVisits {
    /// Path without query.
    #[schema(value_type = String, examples("/checkout"))]
    pub path: Arc<str>,
    /// Id of the crawler.
    #[schema(examples("gptbot"))]
    pub crawler: String,
    /// Id of the company that runs the crawler.
    #[schema(examples("openai"))]
    pub provider: String,
    /// Line of robots.txt that forbids the visits.
    pub line: usize,
    /// Number of visits.
    pub count: u64,
}

/// Visits of all days, and the window of a report.
pub struct CrawlerFacts {
    pub totals: Vec<DayTotal>,
    /// Both days included.
    pub window: (Day, Day),
}

/// Finds the first and the last day of each crawler. Impostors are left out.
pub fn crawlers_seen(totals: &[DayTotal]) -> CrawlersSeen {
    let mut seen = CrawlersSeen::new();
    for total in totals.iter().filter(|total| total.kind.verified != Verified::No) {
        let (first, last) = seen.entry(total.kind.crawler.clone()).or_insert((total.day, total.day));
        (*first, *last) = (total.day.min(*first), total.day.max(*last));
    }
    seen
}

/// Lists the crawlers with visits in a window, most visits first.
pub fn crawlers(facts: &CrawlerFacts, visits: &[PageVisits]) -> Vec<CrawlerCount> {
    let (from, to) = facts.window;
    let length = to.saturating_sub(from).saturating_add(1);
    let zeros = (length <= MOST_DAYS_TOLD).then(|| vec![0; length as usize]);
    let seen = crawlers_seen(&facts.totals);
    let mut counts: BTreeMap<&str, CrawlerCount> = BTreeMap::new();
    for total in facts.totals.iter().filter(|total| (from..=to).contains(&total.day)) {
        let crawler = &total.kind.crawler;
        let nothing = || CrawlerCount { daily: zeros.clone(), ..nothing_of(crawler, &seen) };
        let count = counts.entry(crawler).or_insert_with(nothing);
        match total.kind.verified {
            Verified::No => {
                count.spoofed += total.visits;
                continue;
            }
            Verified::Yes => count.verified += total.visits,
            Verified::Unknown => {}
        }
        count.visits += total.visits;
        match total.kind.status / 100 {
            4 => count.client_errors += total.visits,
            5 => count.server_errors += total.visits,
            _ => {}
        }
        if total.kind.served == ServedBy::Cache {
            count.from_cache += total.visits;
        }
        if let Some(day) = count.daily.as_mut().and_then(|daily| daily.get_mut((total.day - from) as usize)) {
            *day += total.visits;
        }
    }
    for page in visits.iter().filter(|page| page.is_page()) {
        let crawlers: BTreeSet<&str> = page.sums.iter().map(|sum| sum.kind.crawler.as_str()).collect();
        for crawler in crawlers {
            if let Some(count) = counts.get_mut(crawler) {
                count.pages += 1;
            }
        }
    }
    let mut counts: Vec<CrawlerCount> = counts.into_values().collect();
    counts.sort_by_key(|count| Reverse((count.visits, count.spoofed)));
    counts
}

fn nothing_of(crawler: &str, seen: &CrawlersSeen) -> CrawlerCount {
    let known = CrawlerIndex::shared().find(crawler);
    let seen = seen.get(crawler);
    CrawlerCount {
        id: crawler.to_owned(),
        name: known.map_or(crawler, |known| &known.name).to_owned(),
        provider: CrawlerIndex::shared().provider_of(crawler).to_owned(),
        purpose: known.map_or(Class::Other, |known| known.class),
        visits: 0,
        verified: 0,
        spoofed: 0,
        from_cache: 0,
        pages: 0,
        client_errors: 0,
        server_errors: 0,
        first_seen: seen.map(|(first, _)| start_of(*first).day()),
        last_seen: seen.map(|(_, last)| start_of(*last).day()),
        daily: None,
    }
}

/// Lists visits with a status of 400 and above by page and status, most visits first, `most` rows at most. Returns the number
/// of all rows too.
pub fn errors(visits: &[PageVisits], most: usize) -> (Vec<PageError>, usize) {
    struct Error {
        count: u64,
        last: Day,
        providers: HashMap<&'static str, u64>,
    }
    let mut providers = Providers::default();
    let mut all: Vec<PageError> = Vec::new();
    for page in visits {
        let mut errors: BTreeMap<u16, Error> = BTreeMap::new();
        for sum in page.sums.iter().filter(|sum| sum.kind.status >= 400) {
            let nothing = || Error { count: 0, last: sum.last, providers: HashMap::new() };
            let error = errors.entry(sum.kind.status).or_insert_with(nothing);
            error.count += sum.visits;
            error.last = error.last.max(sum.last);
            *error.providers.entry(providers.of(&sum.kind.crawler).0).or_default() += sum.visits;
        }
        all.extend(errors.into_iter().map(|(status, error)| PageError {
            path: page.path.clone(),
            status,
            count: error.count,
            providers: provider_counts(error.providers),
            last_seen: start_of(error.last).day(),
        }));
    }
    // Stable: equal counts stay in the order of path and status.
    all.sort_by_key(|error| Reverse(error.count));
    let total = all.len();
    all.truncate(most);
    (all, total)
}

/// Lists visits to pages that robots.txt forbids to the crawler, most visits first, `most` rows at most. Returns the number of
/// all such rows among the checked pairs too.
pub fn forbidden(visits: &[PageVisits], robots: &Robots, most: usize) -> (Vec<ForbiddenVisits>, usize) {
    let mut pairs: Vec<(&Arc<str>, &str, u64)> = Vec::new();
    for page in visits.iter().filter(|page| page.is_page()) {
        let mut crawlers: BTreeMap<&str, u64> = BTreeMap::new();
        page.sums.iter().for_each(|sum| *crawlers.entry(&sum.kind.crawler).or_default() += sum.visits);
        pairs.extend(crawlers.into_iter().map(|(crawler, visits)| (&page.path, crawler, visits)));
    }
    // Stable: equal counts stay in the order of path and crawler.
    pairs.sort_by_key(|(.., visits)| Reverse(*visits));
    pairs.truncate(PAIRS_CHECKED);
    let mut names = HashMap::new();
    let mut found: Vec<ForbiddenVisits> = Vec::new();
    for (path, id, count) in pairs {
        let known =
            || CrawlerIndex::shared().find(id).and_then(|known| Some((known, known.name_in(robots)?)));
        let Some((crawler, name)) = *names.entry(id).or_insert_with(known) else { continue };
        let verdict = robots.decide(name, path);
        if let Some(line) = verdict.line.filter(|_| !verdict.is_allowed) {
            let (crawler, provider) = (crawler.id.clone(), crawler.provider.clone());
            found.push(ForbiddenVisits { path: path.clone(), crawler, provider, line, count });
        }
    }
    let total = found.len();
    found.truncate(most);
    (found, total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sums::tests::pages_of;
    use crate::sums::{Kind, VisitSum};

    fn kind(crawler: &str, served: ServedBy, verified: Verified, status: u16) -> Arc<Kind> {
        Kind { crawler: crawler.to_owned(), verified, served, status }.into()
    }

    fn open(path: &'static str, crawler: &str, status: u16, visits: u64) -> (&'static str, VisitSum) {
        let kind = kind(crawler, ServedBy::Origin, Verified::Unknown, status);
        (path, VisitSum { kind, last: 20_000, visits })
    }

    #[test]
    fn impostors_are_told_apart_and_visit_no_page() {
        let visits = pages_of([open("/a", "gptbot", 200, 1), open("/b", "gptbot", 404, 1)]);
        let total = |day, served, verified, status, visits| DayTotal {
            day,
            kind: kind("gptbot", served, verified, status),
            visits,
        };
        let totals = vec![
            total(19_990, ServedBy::Cache, Verified::Yes, 200, 1),
            total(19_999, ServedBy::Cache, Verified::Yes, 200, 1),
            total(20_000, ServedBy::Origin, Verified::Unknown, 404, 1),
            total(20_000, ServedBy::Cache, Verified::No, 200, 5),
        ];

        let counts = crawlers(&CrawlerFacts { totals, window: (19_998, 20_000) }, &visits);

        let [count] = counts.as_slice() else { panic!("{counts:?}") };
        assert_eq!((count.provider.as_str(), count.purpose), ("openai", Class::LlmTraining));
        assert_eq!((count.visits, count.verified, count.spoofed, count.pages), (2, 1, 5, 2));
        assert_eq!((count.client_errors, count.server_errors), (1, 0));
        assert_eq!((count.from_cache, count.daily.as_deref()), (1, Some(&[0, 1, 1][..])));
        assert_eq!(count.first_seen.as_deref(), Some("2024-09-24"));
    }

    #[test]
    fn errors_are_counted_by_page_and_status() {
        let visits = pages_of([
            open("/a", "gptbot", 404, 1),
            open("/a", "googlebot", 404, 2),
            open("/a", "googlebot", 500, 3),
            open("/b", "googlebot", 503, 9),
            open("/c", "googlebot", 200, 9),
        ]);

        let (errors, total) = errors(&visits, 2);

        let rows: Vec<_> = errors.iter().map(|error| (&*error.path, error.status, error.count)).collect();
        assert_eq!((rows, total), (vec![("/b", 503, 9), ("/a", 404, 3)], 3));
        assert_eq!(errors[1].providers[0], ProviderCount { provider: "google".into(), count: 2 });
    }

    #[test]
    fn a_visit_is_held_against_the_rules_of_its_own_crawler() {
        let robots = Robots::parse(b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /cart");
        let visits = pages_of([
            open("/", "gptbot", 200, 1),
            open("/", "googlebot", 200, 9),
            open("/cart", "googlebot", 200, 2),
            open("/cart", "unknown", 200, 2),
        ]);

        let (found, total) = forbidden(&visits, &robots, 10);

        let rows: Vec<_> =
            found.iter().map(|row| (&*row.path, row.crawler.as_str(), row.line, row.count)).collect();
        assert_eq!((rows, total), (vec![("/cart", "googlebot", 5, 2), ("/", "gptbot", 2, 1)], 2));
    }

    #[test]
    fn robots_txt_speaks_to_each_crawler_by_its_own_names() {
        let cases = [
            ("mj12bot", "MJ12bot", true),
            ("ai2bot", "AI2Bot/1.0", true),
            ("archive-org-bot", "archive.org_bot", true),
            ("archive-org-bot", "ia_archiver", true),
            ("sogou-spider", "Sogou web spider", true),
            ("sogou-spider", "Sogou", true),
            ("slurp-y-j", "Slurp", true),
            ("slurp-y-j", "Yahoo! Slurp", true),
            ("screaming-frog", "Screaming Frog SEO Spider", true),
            ("yandexbot", "Yandex", true),
            ("applebot", "Googlebot", true),
            ("adsbot-google", "AdsBot-Google", true),
            ("list:^Seekbot", "Seekbot", true),
            ("list:^Seekbot", "*", true),
            ("gptbot", "*", true),
            ("adsbot-google", "*", false),
            ("bingbot", "Googlebot", false),
            ("unknown", "*", false),
        ];

        for (crawler, agent, is_for_it) in cases {
            let robots = Robots::parse(format!("User-agent: {agent}\nDisallow: /a").as_bytes());
            let (found, _) = forbidden(&pages_of([open("/a", crawler, 200, 1)]), &robots, 10);
            assert_eq!(found.len() == 1, is_for_it, "{crawler} {agent}");
        }
    }

    #[test]
    fn a_crawler_goes_by_the_closest_of_its_names() {
        let text = b"User-agent: Yandex\nDisallow: /a\nUser-agent: YandexBot\nDisallow: /b\nUser-agent: *\nDisallow: /c";
        let visits = pages_of(["/a", "/b", "/c"].map(|path| open(path, "yandexbot", 200, 1)));

        let (found, _) = forbidden(&visits, &Robots::parse(text), 10);

        assert_eq!(found.iter().map(|row| &*row.path).collect::<Vec<_>>(), ["/b"]);
    }
}
