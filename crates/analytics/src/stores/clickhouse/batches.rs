//! Counting in ClickHouse, each batch once. Rows are sent into a temporary table of the session. Then one statement inserts them,
//! with the batch's name as one more row, into one month of their table, and inserts nothing when the name exists. The server
//! runs no two statements with the same name at once. So a batch may be sent again at any time, whatever the result of the first
//! attempt, and a delayed request changes nothing.
//! See docs/decisions/0251.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::ClickHouseStore;
use super::client::{answer, count, execute, send};
use super::rows::{BATCH, PageVisitRow, ReferralRow, RefusalRow, TableRow, TimeRow, TotalRow, stored_day};
use crate::bounds::{KnownPages, fold_unfound};
use crate::import::LogPart;
use crate::model::{Day, OTHER_PATHS, TimeKey, VisitKey, day_of, days_among, month_of};
use crate::policy::RefusalKey;
use crate::queries::{imports, reading};
use crate::referrals::ReferralKey;
use crate::spool::Counts;
use crate::stores::{CountedLines, VisitError};
use domains::DomainId;

/// Maximum number of pages in one batch. Larger than a transaction of the database, since the server has to merge each batch.
const PART: usize = 20_000;
/// Maximum number of rows of people from assistants on a day of a domain; further pages are counted together.
const MAX_REFERRALS: u64 = 10_000;

/// Beginning of the server's answer while a statement of this name runs.
const IS_RUNNING: &str = "Code: 216,";
/// Pause before a batch is sent again while the server still runs it.
const TRY_EVERY: Duration = Duration::from_millis(100);
const MAX_TRIES: usize = 600;

impl ClickHouseStore {
    pub(super) async fn count_file(&self, file: &str, counts: &Counts) -> Result<(), VisitError> {
        let known = self.existing_domains(counts).await?;
        let rows = counts.pages.len().max(counts.referrals.len()).max(counts.refusals.len());
        let parts = rows.div_ceil(PART);
        for number in 0..parts {
            let pages = part_of(&counts.pages, number, |key: &VisitKey| known.contains(&key.domain));
            let referrals =
                part_of(&counts.referrals, number, |key: &ReferralKey| known.contains(&key.domain));
            let times: Vec<_> = match number {
                0 => counts.times.iter().filter(|(key, _)| known.contains(&key.domain)).cloned().collect(),
                _ => Vec::new(),
            };
            let pages = fold_unfound(&mut &*self, &pages, &counts.pages).await?;
            let batch = format!("{file}:{number}");
            self.count_pages_and_times(&batch, &pages, &times).await?;
            let referrals = self.fold_referrals(referrals).await?;
            self.insert(&batch, referrals.iter().filter_map(ReferralRow::of)).await?;
            let refusals = part_of(&counts.refusals, number, |key: &RefusalKey| known.contains(&key.domain));
            self.insert(&batch, refusals.iter().filter_map(RefusalRow::of)).await?;
        }
        Ok(())
    }

    async fn count_pages_and_times(
        &self,
        batch: &str,
        pages: &[(VisitKey, u64)],
        times: &[(TimeKey, u64)],
    ) -> Result<(), VisitError> {
        let today = day_of(self.clock.now());
        let pages = self.bounds.lock().await.fold(&mut &*self, today, pages).await?;
        self.insert(batch, pages.iter().filter_map(PageVisitRow::of)).await?;
        self.insert(batch, days_among(&pages).iter().filter_map(TotalRow::of)).await?;
        self.insert(batch, times.iter().filter_map(TimeRow::of)).await
    }

    /// Inserts rows of a batch into their table, month by month.
    pub(super) async fn insert<R: TableRow>(
        &self,
        batch: &str,
        rows: impl Iterator<Item = R>,
    ) -> Result<(), VisitError> {
        let mut months: BTreeMap<u16, Vec<R>> = BTreeMap::new();
        for row in rows {
            let month = stored_day(month_of(Day::from(row.day()))).unwrap_or_default();
            months.entry(month).or_default().push(row);
        }
        for (month, rows) in months {
            self.insert_month(&format!("{BATCH}{batch}:{month}"), month, rows).await?;
        }
        Ok(())
    }

    /// Inserts rows of one month with their batch's name, unless the name exists.
    async fn insert_month<R: TableRow>(
        &self,
        name: &str,
        month: u16,
        mut rows: Vec<R>,
    ) -> Result<(), VisitError> {
        rows.push(R::name(name.to_owned(), month));
        let client = self.client().await?;
        let session = client.clone().with_setting("session_id", uuid::Uuid::now_v7().to_string());
        execute(session.query(&format!("create temporary table sent ({})", R::COLUMNS))).await?;
        send(&session, "sent", &rows).await?;
        let table = R::TABLE;
        let sql = format!(
            "insert into {table} select * from sent where (select count() from {table} where domain = ? and day = ?) = 0"
        );
        let insert = session
            .query(&sql)
            .bind(name)
            .bind(month)
            .with_setting("query_id", format!("{name}:{table}"))
            // One thread writes one part, so a batch is inserted whole or not at all.
            .with_setting("max_threads", "1");
        for _ in 0..MAX_TRIES {
            match execute(insert.clone()).await {
                // An earlier attempt has not ended yet.
                Err(VisitError::Refused(reason)) if reason.0.starts_with(IS_RUNNING) => {
                    tokio::time::sleep(TRY_EVERY).await;
                }
                result => return result,
            }
        }
        Err(VisitError::refused("a batch of visits takes very long"))
    }

    /// Returns the domains of some counts that exist.
    async fn existing_domains(&self, counts: &Counts) -> Result<HashSet<DomainId>, VisitError> {
        let pages = counts.pages.iter().map(|(key, _)| &key.domain);
        let referrals = counts.referrals.iter().map(|(key, _)| &key.domain);
        let refusals = counts.refusals.iter().map(|(key, _)| &key.domain);
        let all: HashSet<&DomainId> = pages.chain(referrals).chain(refusals).collect();
        let all: Vec<DomainId> = all.into_iter().cloned().collect();
        Ok(reading::list_existing(&mut self.db.read().await?, &all).await?)
    }

    /// Folds pages of people from assistants when their day has reached its limit of rows.
    async fn fold_referrals(
        &self,
        referrals: Vec<(ReferralKey, u64)>,
    ) -> Result<Vec<(ReferralKey, u64)>, VisitError> {
        const COUNT: &str =
            "select uniqExact(assistant, path) from visit_referrals where domain = ? and day = ?";
        const LIST: &str =
            "select distinct assistant, path from visit_referrals where domain = ? and day = ?";
        let days: HashSet<(DomainId, Day)> =
            referrals.iter().map(|(key, _)| (key.domain.clone(), key.day)).collect();
        let mut full: HashMap<(DomainId, Day), HashSet<(String, String)>> = HashMap::new();
        for (domain, day) in days {
            let asked = |sql: &str| self.client.query(sql).bind(domain.as_str()).bind(day);
            if count(asked(COUNT)).await? >= MAX_REFERRALS {
                let known: Vec<(String, String)> = answer(asked(LIST).fetch_all()).await?;
                full.insert((domain, day), known.into_iter().collect());
            }
        }
        let folded = referrals.into_iter().map(|(mut key, people)| {
            let known = full.get(&(key.domain.clone(), key.day));
            if known.is_some_and(|known| !known.contains(&(key.assistant.clone(), key.path.to_string()))) {
                key.path = OTHER_PATHS.into();
            }
            (key, people)
        });
        Ok(folded.collect())
    }

    /// Counts the first lines of a part of a log, unless some of it was counted before. The counts are kept in the database, in
    /// the transaction that records the lines, until ClickHouse has them.
    pub(super) async fn import_part(
        &self,
        domain: &DomainId,
        part: &LogPart,
    ) -> Result<CountedLines, VisitError> {
        self.import_pending().await?;
        let ((lines, visits, pages, times), now) = (part.counts(), self.clock.now());
        let mut tx = self.db.write().await?;
        if let Some(known) = imports::begin(&mut tx, domain, part, now).await? {
            return Ok(CountedLines::Known(known));
        }
        let counts = Counts { pages, times, ..Counts::default() };
        let counts = serde_json::to_string(&counts).expect("counts are JSON");
        let id = uuid::Uuid::now_v7().to_string();
        imports::add_pending(&mut tx, domain, &id, &counts).await?;
        tx.commit_durably().await?;
        self.import_pending().await?;
        Ok(CountedLines::New { lines, visits })
    }

    /// Counts the pending imports in the database, also those of processes that have ended.
    pub(super) async fn import_pending(&self) -> Result<(), VisitError> {
        loop {
            let found = imports::find_pending(&mut self.db.read().await?).await?;
            let Some((id, counts)) = found else { return Ok(()) };
            let counts: Counts =
                serde_json::from_str(&counts).map_err(|error| VisitError::refused(error.to_string()))?;
            self.count_pages_and_times(&format!("import:{id}"), &counts.pages, &counts.times).await?;
            let mut tx = self.db.write().await?;
            imports::delete_pending(&mut tx, &id).await?;
            tx.commit().await?;
        }
    }
}

impl KnownPages for &ClickHouseStore {
    type Error = VisitError;

    async fn count(&mut self, domain: &DomainId, day: Day) -> Result<u64, VisitError> {
        const SQL: &str = "select uniqExact(path) from visits where domain = ? and day = ? and path != ?";
        count(self.client.query(SQL).bind(domain.as_str()).bind(day).bind(OTHER_PATHS)).await
    }

    async fn count_ever(&mut self, domain: &DomainId) -> Result<u64, VisitError> {
        const SQL: &str = "select uniqCombined(path) from (select path from visits where domain = ? \
             union all select path from visit_first_days where domain = ?) where path != ?";
        let (domain, client) = (domain.as_str(), self.client().await?);
        count(client.query(SQL).bind(domain).bind(domain).bind(OTHER_PATHS)).await
    }

    async fn among(
        &mut self,
        domain: &DomainId,
        day: Option<Day>,
        paths: &HashSet<Arc<str>>,
    ) -> Result<HashSet<String>, VisitError> {
        if paths.is_empty() {
            return Ok(HashSet::new());
        }
        let of_day = day.map_or_else(String::new, |day| format!("and day = {day}"));
        let sql = format!(
            "select distinct path from visits where domain = ? {of_day} and path in (select arrayJoin(?))"
        );
        let paths: Vec<&str> = paths.iter().map(|path| &**path).collect();
        let query = self.client().await?.query(&sql).bind(domain.as_str()).bind(paths);
        let known: Vec<String> = answer(query.fetch_all()).await?;
        Ok(known.into_iter().collect())
    }
}

fn part_of<K: Clone>(counts: &[(K, u64)], number: usize, keeps: impl Fn(&K) -> bool) -> Vec<(K, u64)> {
    let part = counts.chunks(PART).nth(number).unwrap_or_default();
    part.iter().filter(|(key, _)| keeps(key)).cloned().collect()
}
