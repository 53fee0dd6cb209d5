//! What the reports beyond the four of the specification say: each crawler, what went wrong, and who came although
//! robots.txt forbids it. Pure. Visits that the origin answered count in all of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crawler::robots::Robots;
use serde::Serialize;
use utoipa::ToSchema;

use super::crawlers::{Class, CrawlerIndex};
use super::model::{Day, ServedBy, Verified, start_of};
use super::report::{DayCount, ProviderCount, Providers, provider_counts};
use super::segments::rows::Kind;
use super::segments::window::{Scope, WindowVisits};

/// Longest window of which each crawler's days are told.
const MOST_DAYS_TOLD: Day = 400;

/// Pairs of a crawler and a page that are held against robots.txt, the most visited first.
const PAIRS_CHECKED: usize = 50_000;

/// The first and the last day of each crawler.
pub type CrawlersSeen = HashMap<String, (Day, Day)>;

/// Counts of one crawler.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerCount {
    /// Its id, stable.
    #[schema(examples("gptbot"))]
    pub id: String,
    /// Its name, for people.
    #[schema(examples("GPTBot"))]
    pub name: String,
    /// Who runs it.
    #[schema(examples("openai"))]
    pub provider: String,
    /// What it is for.
    pub purpose: Class,
    /// Visits, impostors' left out.
    pub visits: u64,
    /// Those of them whose address or signature is the provider's.
    pub verified: u64,
    /// Visits that only claimed to be this crawler's.
    pub spoofed: u64,
    /// Visits answered with a snapshot that was stored.
    pub from_cache: u64,
    /// Different pages that it visited.
    pub pages: u64,
    /// Visits answered with a status of 400 to 499.
    pub client_errors: u64,
    /// Visits answered with a status of 500 and above.
    pub server_errors: u64,
    /// Day of its first visit ever, `YYYY-MM-DD`; null: impostors only.
    #[schema(examples("2026-11-01"), required = true)]
    pub first_seen: Option<String>,
    /// Day of its last visit.
    #[schema(examples("2026-11-20"), required = true)]
    pub last_seen: Option<String>,
    /// Visits of each day of the window, impostors' left out; null when it has more than 400 days.
    #[schema(required = true)]
    pub daily: Option<Vec<u64>>,
}

/// Visits of one crawler, as the counts of days have them.
pub struct CrawlerDays {
    /// Id of the crawler.
    pub crawler: String,
    /// Whether it was checked.
    pub verified: Verified,
    /// First digit of the status.
    pub status_class: i64,
    pub visits: u64,
}

/// Answers of one page with one status, which says that something is wrong.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageError {
    /// Path without query.
    #[schema(value_type = String, examples("/old-offer"))]
    pub path: Arc<str>,
    /// 400 to 599.
    #[schema(examples(404))]
    pub status: u16,
    /// How many visits.
    pub count: u64,
    /// By provider, most visits first.
    pub providers: Vec<ProviderCount>,
    /// Day of the last one, `YYYY-MM-DD`.
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
    /// Who runs it.
    #[schema(examples("openai"))]
    pub provider: String,
    /// Line of robots.txt that forbids it.
    pub line: usize,
    /// How many visits.
    pub count: u64,
}

/// Counts of a window, as the stores have them.
pub struct CrawlerFacts {
    /// Visits by crawler and status, impostors' too.
    pub sums: Vec<CrawlerDays>,
    /// Visits by day, crawler and way, without impostors'.
    pub days: Vec<DayCount>,
    /// The first and the last day of each crawler, ever.
    pub seen: CrawlersSeen,
    /// The window, both days included.
    pub window: (Day, Day),
}

/// Lists every crawler that came in a window; most visits first.
pub fn crawlers(facts: &CrawlerFacts, visits: &WindowVisits) -> Vec<CrawlerCount> {
    let (from, to) = facts.window;
    let length = to.saturating_sub(from).saturating_add(1);
    let zeros = (length <= MOST_DAYS_TOLD).then(|| vec![0; length as usize]);
    let mut counts: BTreeMap<&str, CrawlerCount> = BTreeMap::new();
    for row in &facts.sums {
        let nothing = || CrawlerCount { daily: zeros.clone(), ..nothing_of(&row.crawler, &facts.seen) };
        let count = counts.entry(&row.crawler).or_insert_with(nothing);
        if row.verified == Verified::No {
            count.spoofed += row.visits;
            continue;
        }
        count.visits += row.visits;
        match row.verified {
            Verified::Yes => count.verified += row.visits,
            Verified::No | Verified::Unknown => {}
        }
        match row.status_class {
            4 => count.client_errors += row.visits,
            5 => count.server_errors += row.visits,
            _ => {}
        }
    }
    for row in &facts.days {
        let Some(count) = counts.get_mut(row.crawler.as_str()) else { continue };
        if row.served == ServedBy::Cache {
            count.from_cache += row.visits;
        }
        if let Some(day) = count.daily.as_mut().and_then(|daily| daily.get_mut((row.day - from) as usize)) {
            *day += row.visits;
        }
    }
    for (crawler, pages) in pages_by_crawler(visits) {
        if let Some(count) = counts.get_mut(crawler.as_str()) {
            count.pages = pages;
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

fn pages_by_crawler(visits: &WindowVisits) -> Vec<(String, u64)> {
    let mut names = Numbers::default();
    let of_page = visits.sum(|_| true, |kind| counts(kind).then(|| names.number(&kind.crawler)));
    let mut pages = vec![0; names.0.len()];
    of_page.iter().filter(|sum| sum.is_page()).for_each(|sum| pages[sum.key] += 1);
    names.0.into_iter().zip(pages).collect()
}

/// What crawlers got a status of 400 and above for; most visits first, so many at most, and how many there are.
pub fn errors(visits: &WindowVisits, most: usize) -> (Vec<PageError>, usize) {
    struct Error {
        count: u64,
        last: Day,
        providers: HashMap<&'static str, u64>,
    }
    let mut providers = Providers::default();
    let mut errors: HashMap<(u32, u16), Error> = HashMap::new();
    for (day, page, kind, count) in visits.rows().filter(|(_, _, kind, _)| counts(kind) && kind.status >= 400)
    {
        let nothing = || Error { count: 0, last: day, providers: HashMap::new() };
        let error = errors.entry((page, kind.status)).or_insert_with(nothing);
        error.count += count;
        error.last = error.last.max(day);
        *error.providers.entry(providers.of(&kind.crawler).0).or_default() += count;
    }
    let total = errors.len();
    let mut errors: Vec<_> = errors.into_iter().collect();
    let pages = visits.pages();
    errors.sort_by_key(|((page, status), error)| (Reverse(error.count), pages.place(*page), *status));
    let error = |((page, status), error): ((u32, u16), Error)| PageError {
        path: pages.path(page).clone(),
        status,
        count: error.count,
        providers: provider_counts(error.providers),
        last_seen: start_of(error.last).day(),
    };
    (errors.into_iter().take(most).map(error).collect(), total)
}

/// Visits to pages that robots.txt forbids the crawler; most visits first, so many at most, and how many there are among the
/// pairs that are looked at.
pub fn forbidden(visits: &WindowVisits, robots: &Robots, most: usize) -> (Vec<ForbiddenVisits>, usize) {
    let mut names = Numbers::default();
    let mut pairs = visits.sum(|_| true, |kind| counts(kind).then(|| names.number(&kind.crawler)));
    let pages = visits.pages();
    pairs.retain(|pair| pair.is_page());
    pairs.sort_by_key(|pair| (Reverse(pair.visits), pages.place(pair.page), pair.key));
    pairs.truncate(PAIRS_CHECKED);
    let known = |id: &String| {
        let crawler = CrawlerIndex::shared().find(id)?;
        Some((crawler, crawler.name_in(robots)?))
    };
    let crawlers: Vec<_> = names.0.iter().map(known).collect();
    let mut found: Vec<ForbiddenVisits> = Vec::new();
    for pair in pairs {
        let Some((crawler, name)) = crawlers[pair.key] else { continue };
        let path = pages.path(pair.page);
        let verdict = robots.decide(name, path);
        if let Some(line) = verdict.line.filter(|_| !verdict.is_allowed) {
            found.push(ForbiddenVisits {
                path: path.clone(),
                crawler: crawler.id.clone(),
                provider: crawler.provider.clone(),
                line,
                count: pair.visits,
            });
        }
    }
    found.sort_by(|a, b| {
        b.count.cmp(&a.count).then_with(|| a.path.cmp(&b.path)).then_with(|| a.crawler.cmp(&b.crawler))
    });
    let total = found.len();
    found.truncate(most);
    (found, total)
}

fn counts(kind: &Kind) -> bool {
    Scope::WithOrigin.counts(kind)
}

/// Small numbers for ids: the place of each.
#[derive(Default)]
struct Numbers(Vec<String>);

impl Numbers {
    fn number(&mut self, id: &str) -> usize {
        let known = self.0.iter().position(|known| known == id);
        known.unwrap_or_else(|| {
            self.0.push(id.to_owned());
            self.0.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::segments::paths::PathTable;
    use crate::analytics::segments::window::OpenRow;

    fn open(path: &str, crawler: &str, status: u16, visits: u64) -> OpenRow {
        let (crawler, verified, served) = (crawler.to_owned(), Verified::Unknown, ServedBy::Origin);
        OpenRow { day: 20_000, path: path.into(), kind: Kind { crawler, verified, served, status }, visits }
    }

    fn window(rows: impl IntoIterator<Item = OpenRow>) -> WindowVisits {
        WindowVisits::new(Vec::new(), rows.into_iter().collect(), Arc::new(PathTable::of([])))
    }

    #[test]
    fn impostors_are_told_apart_and_visit_no_page() {
        let mut spoofed = open("/c", "gptbot", 200, 5);
        spoofed.kind.verified = Verified::No;
        let visits = window([open("/a", "gptbot", 200, 1), open("/b", "gptbot", 404, 1), spoofed]);
        let day = |verified, status_class, visits| CrawlerDays {
            crawler: "gptbot".to_owned(),
            verified,
            status_class,
            visits,
        };
        let sums = vec![day(Verified::Yes, 2, 1), day(Verified::Unknown, 4, 1), day(Verified::No, 2, 5)];
        let of_day = |day, served, visits| DayCount { day, crawler: "gptbot".to_owned(), served, visits };
        let days = vec![of_day(19_999, ServedBy::Cache, 1), of_day(20_000, ServedBy::Origin, 1)];
        let seen = HashMap::from([("gptbot".to_owned(), (19_990, 20_000))]);

        let facts = CrawlerFacts { sums, days, seen, window: (19_998, 20_000) };
        let counts = crawlers(&facts, &visits);

        let [count] = counts.as_slice() else { panic!("{counts:?}") };
        assert_eq!((count.provider.as_str(), count.purpose), ("openai", Class::LlmTraining));
        assert_eq!((count.visits, count.verified, count.spoofed, count.pages), (2, 1, 5, 2));
        assert_eq!((count.client_errors, count.server_errors), (1, 0));
        assert_eq!((count.from_cache, count.daily.as_deref()), (1, Some(&[0, 1, 1][..])));
        assert_eq!(count.first_seen.as_deref(), Some("2024-09-24"));
    }

    #[test]
    fn errors_are_counted_by_page_and_status() {
        let visits = window([
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
        let visits = window([
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
            let (found, _) = forbidden(&window([open("/a", crawler, 200, 1)]), &robots, 10);
            assert_eq!(found.len() == 1, is_for_it, "{crawler} {agent}");
        }
    }

    #[test]
    fn a_crawler_goes_by_the_closest_of_its_names() {
        let text = b"User-agent: Yandex\nDisallow: /a\nUser-agent: YandexBot\nDisallow: /b\nUser-agent: *\nDisallow: /c";
        let visits = window(["/a", "/b", "/c"].map(|path| open(path, "yandexbot", 200, 1)));

        let (found, _) = forbidden(&visits, &Robots::parse(text), 10);

        assert_eq!(found.iter().map(|row| &*row.path).collect::<Vec<_>>(), ["/b"]);
    }
}
