//! Watch over crawlers: emits events for webhooks about crawlers that are new or gone, errors, and impostors.
//! Used by a job every few minutes, for domains whose webhooks ask for it only. What follows from visits is decided by pure functions.

use std::collections::BTreeMap;
#[cfg(test)]
use std::collections::HashSet;
use std::sync::Arc;

use domains::{Domain, DomainsService};
use platform::Platform;
use platform::clock::Timestamp;
use platform::jobs::Jobs;
use store::{Db, DbError};
use webhooks::events::{CrawlerErrors, CrawlerGone, CrawlerImpostors, CrawlerNew};
use webhooks::{Condition, EventData, Events, NewEvent};

use super::crawlers::CrawlerIndex;
use super::model::{Day, Verified, date_of, day_of, start_of};
use super::queries::impostors;
use super::stores::{VisitError, VisitStore};
use super::sums::DayTotal;

const NEW: &str = "crawler.new";
const GONE: &str = "crawler.gone";
const ERRORS: &str = "crawler.errors";
const IMPOSTORS: &str = "crawler.impostors";
const DAY_MS: f64 = 24.0 * 3600.0 * 1000.0;
const HOUR_MS: i64 = 3600 * 1000;
/// Days that say which crawlers come often.
const USUAL_DAYS: Day = 30;
/// Crawlers whose silence causes an event.
const TOP: usize = 5;
/// Impostors' visits in an hour from which an event is emitted.
const MANY_IMPOSTORS: u64 = 100;
/// Errors of a day below which no event is emitted.
const LEAST_ERRORS: u64 = 10;

/// Watch over crawlers. Cheap to clone.
#[derive(Clone)]
pub struct CrawlerWatch {
    db: Db,
    platform: Platform,
    store: Arc<dyn VisitStore>,
    domains: DomainsService,
    events: Events,
}

/// A crawler's visits, impostors' left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Visits {
    count: u64,
    first: Day,
    last: Day,
}

impl CrawlerWatch {
    pub fn new(
        platform: &Platform,
        store: &Arc<dyn VisitStore>,
        domains: &DomainsService,
        jobs: &Jobs,
    ) -> CrawlerWatch {
        CrawlerWatch {
            db: platform.db.clone(),
            platform: platform.clone(),
            store: store.clone(),
            domains: domains.clone(),
            events: Events::new(&platform.clock, jobs),
        }
    }

    /// Looks at the visits of every domain whose webhooks ask for it.
    pub async fn look(&self) -> Result<(), VisitError> {
        let listeners = self.events.listeners(&self.db, &[NEW, GONE, ERRORS, IMPOSTORS]).await?;
        for account in listeners.accounts() {
            for domain in self.domains.list(Some(&account)).await? {
                let hears = |event: &&str| listeners.has(&account, event, Some(&domain.host));
                if [NEW, GONE, ERRORS, IMPOSTORS].iter().any(hears) {
                    self.look_at(&domain).await?;
                }
            }
        }
        Ok(())
    }

    async fn look_at(&self, domain: &Domain) -> Result<(), VisitError> {
        let now = self.platform.clock.now();
        let totals = self.store.totals(&domain.id, (Day::MIN, Day::MAX)).await?;
        let spoofed: u64 = of_impostors(&totals).map(|total| total.visits).sum();
        let mut tx = self.db.write().await?;
        let before = impostors::find_oldest(&mut tx, &domain.id, now.as_millis() - HOUR_MS).await?;
        impostors::put(&mut tx, &domain.id, now.as_millis(), i64::try_from(spoofed).unwrap_or(i64::MAX))
            .await?;
        impostors::delete_before(&mut tx, &domain.id, now.as_millis() - HOUR_MS).await?;
        let in_an_hour = spoofed.saturating_sub(before.map_or(spoofed, |before| before.unsigned_abs()));
        let mut states = new_crawlers(&totals, day_of(now));
        states.extend(silent_crawlers(&totals, now));
        states.extend(errors_of_today(&totals, day_of(now)));
        states.push(WatchState {
            kind: IMPOSTORS,
            subject: String::new(),
            begun: (in_an_hour >= MANY_IMPOSTORS).then(|| CrawlerImpostors { visits: in_an_hour }.into()),
        });
        for state in states {
            self.note(&mut tx, domain, state).await?;
        }
        tx.commit().await?;
        self.events.wake();
        Ok(())
    }

    async fn note(&self, tx: &mut store::Tx, domain: &Domain, state: WatchState) -> Result<(), DbError> {
        let condition = Condition {
            account: &domain.account_id,
            domain: Some(domain.id.as_str()),
            subject: &state.subject,
            kind: state.kind,
        };
        let Some(data) = state.begun else {
            return self.events.end_condition(tx, &condition).await.map(drop);
        };
        if self.events.begin_condition(tx, &condition).await? {
            let event = NewEvent { account: &domain.account_id, domain: Some(&domain.host), data };
            self.events.emit(tx, event).await?;
        }
        Ok(())
    }
}

/// State of something that is watched.
#[derive(Debug, PartialEq)]
struct WatchState {
    kind: &'static str,
    subject: String,
    /// Event that tells that the state holds; none: it does not.
    begun: Option<EventData>,
}

fn of_impostors(totals: &[DayTotal]) -> impl Iterator<Item = &DayTotal> {
    totals.iter().filter(|total| total.kind.verified == Verified::No)
}

fn of_crawlers(totals: &[DayTotal]) -> impl Iterator<Item = &DayTotal> {
    totals.iter().filter(|total| total.kind.verified != Verified::No)
}

/// Lists documented crawlers whose first verified visit was today or yesterday.
fn new_crawlers(totals: &[DayTotal], today: Day) -> Vec<WatchState> {
    let mut first: BTreeMap<&str, Day> = BTreeMap::new();
    for total in totals.iter().filter(|total| total.kind.verified == Verified::Yes) {
        let day = first.entry(&total.kind.crawler).or_insert(total.day);
        *day = total.day.min(*day);
    }
    let recent = first.into_iter().filter(|(_, day)| *day >= today - 1);
    let state = |(id, day): (&str, Day)| {
        let crawler = CrawlerIndex::shared().find(id).filter(|crawler| crawler.is_documented())?;
        let data = CrawlerNew {
            crawler: id.to_owned(),
            name: crawler.name.clone(),
            provider: crawler.provider.clone(),
            first_seen: date_of(day),
        };
        Some(WatchState { kind: NEW, subject: id.to_owned(), begun: Some(data.into()) })
    };
    recent.filter_map(state).collect()
}

/// Judges the most frequent crawlers of the last days: silent for four times their usual gap, and for a day.
fn silent_crawlers(totals: &[DayTotal], now: Timestamp) -> Vec<WatchState> {
    let today = day_of(now);
    let mut visits: BTreeMap<&str, Visits> = BTreeMap::new();
    for total in of_crawlers(totals).filter(|total| total.day > today - USUAL_DAYS) {
        let (day, count) = (total.day, total.visits);
        let of_crawler =
            visits.entry(&total.kind.crawler).or_insert(Visits { count: 0, first: day, last: day });
        of_crawler.count += count;
        of_crawler.first = of_crawler.first.min(day);
        of_crawler.last = of_crawler.last.max(day);
    }
    let mut top: Vec<(&str, Visits)> = visits.into_iter().collect();
    top.sort_by_key(|(id, visits)| (std::cmp::Reverse(visits.count), *id));
    top.truncate(TOP);
    top.into_iter()
        .filter(|(_, visits)| visits.count > 1)
        .map(|(id, visits)| silence(id, visits, now))
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "days and visits are far below 2^52")]
fn silence(id: &str, visits: Visits, now: Timestamp) -> WatchState {
    let gap = (visits.last - visits.first + 1) as f64 / visits.count as f64;
    // Times of past days are not known: the silence begins with the end of the last day.
    let silent = (now.as_millis() - start_of(visits.last + 1).as_millis()) as f64 / DAY_MS;
    let name = CrawlerIndex::shared().find(id).map_or(id, |crawler| crawler.name.as_str());
    let data = || CrawlerGone {
        crawler: id.to_owned(),
        name: name.to_owned(),
        last_seen: date_of(visits.last),
        usual_gap_days: gap,
    };
    let is_gone = silent >= (4.0 * gap).max(1.0);
    WatchState { kind: GONE, subject: id.to_owned(), begun: is_gone.then(|| data().into()) }
}

/// Judges the errors of today against those of the seven days before.
#[expect(clippy::cast_precision_loss, reason = "visits are far below 2^52")]
fn errors_of_today(totals: &[DayTotal], today: Day) -> Option<WatchState> {
    let sum = |days: std::ops::Range<Day>, failed_only: bool| -> u64 {
        let of_days = of_crawlers(totals).filter(|total| days.contains(&total.day));
        of_days.filter(|total| !failed_only || total.kind.status >= 400).map(|total| total.visits).sum()
    };
    let (visits, errors) = (sum(today..today + 1, false), sum(today..today + 1, true));
    let usual = sum(today - 7..today, true) as f64 / 7.0;
    let is_unusual = errors >= LEAST_ERRORS && errors * 20 >= visits && errors as f64 >= 2.0 * usual;
    let data = CrawlerErrors { date: date_of(today), visits, errors, usual };
    // A day has one event at most, whatever its later visits are.
    is_unusual.then(|| WatchState { kind: ERRORS, subject: date_of(today), begun: Some(data.into()) })
}

/// Returns the subjects of states that hold, for tests.
#[cfg(test)]
fn begun(states: impl IntoIterator<Item = WatchState>) -> HashSet<String> {
    states.into_iter().filter(|state| state.begun.is_some()).map(|state| state.subject).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ServedBy;
    use crate::sums::Kind;

    const TODAY: Day = 20_000;

    fn total(day: Day, crawler: &str, verified: Verified, (status, visits): (u16, u64)) -> DayTotal {
        let kind = Kind { crawler: crawler.into(), verified, served: ServedBy::Cache, status };
        DayTotal { day, kind: Arc::new(kind), visits }
    }

    fn noon() -> Timestamp {
        Timestamp::from_millis(start_of(TODAY).as_millis() + 12 * HOUR_MS)
    }

    #[test]
    fn a_new_crawler_is_documented_and_verified() {
        let totals = [
            total(TODAY, "gptbot", Verified::Yes, (200, 1)),
            total(TODAY, "googlebot", Verified::Unknown, (200, 1)),
            total(TODAY - 9, "claudebot", Verified::Yes, (200, 1)),
            total(TODAY, "claudebot", Verified::Yes, (200, 1)),
            total(TODAY, "nobody-knows", Verified::Yes, (200, 1)),
        ];

        assert_eq!(begun(new_crawlers(&totals, TODAY)), HashSet::from(["gptbot".to_owned()]));
    }

    #[test]
    fn a_frequent_crawler_is_gone_after_four_usual_gaps_and_a_day_at_least() {
        let daily = |id, last| (last - 9..=last).map(move |day| total(day, id, Verified::Yes, (200, 5)));
        let weekly = (0..4).map(|week| total(TODAY - 2 - 7 * week, "bingbot", Verified::Yes, (200, 1)));
        let totals: Vec<_> =
            daily("gptbot", TODAY - 2).chain(daily("googlebot", TODAY - 1)).chain(weekly).collect();

        assert_eq!(begun(silent_crawlers(&totals, noon())), HashSet::from(["gptbot".to_owned()]));
    }

    #[test]
    fn errors_are_told_when_they_are_many_and_unusual() {
        let of = |status, day, visits| total(day, "gptbot", Verified::Yes, (status, visits));
        let told = |totals: &[DayTotal]| errors_of_today(totals, TODAY).is_some();

        assert!(told(&[of(500, TODAY, 10), of(200, TODAY, 190)]));
        assert!(!told(&[of(500, TODAY, 9)]));
        assert!(!told(&[of(500, TODAY, 10), of(200, TODAY, 191)]));
        assert!(!told(&[of(500, TODAY, 19), of(404, TODAY - 3, 70)]));
        assert!(told(&[of(500, TODAY, 20), of(404, TODAY - 3, 70)]));
    }
}
