//! Counting in ClickHouse, each batch once. A batch is one statement that inserts its rows and its name into one month, and
//! inserts nothing when the name is there; the server runs no two statements with the same name at once. So it may be sent
//! again at any time, whatever became of the first time, and a request that was stuck somewhere changes nothing later.
//! See docs/decisions/0251.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::ClickHouseStore;
use super::client::quoted;
use super::rows::{BATCH, NAME, PAGE, REFERRAL, Reader, Row, stored_day};
use super::schema::count;
use crate::analytics::bounds::{KnownPages, fold_unfound};
use crate::analytics::import::{ImportedVisits, LogPart};
use crate::analytics::model::{Day, OTHER_PATHS, TimeKey, VisitKey, days_among, month_of};
use crate::analytics::queries;
use crate::analytics::referrals::ReferralKey;
use crate::analytics::spool::Counts;
use crate::analytics::stores::{CountedLines, VisitError};
use crate::domains::DomainId;

/// Pages in one batch. More than in a transaction of the database: each is a part that the server has to merge.
const PART: usize = 20_000;
/// Rows of people from assistants that a day of a domain has; the pages beyond are counted together.
const MAX_REFERRALS: u64 = 10_000;
/// Bytes of paths in one statement: the server reads no longer one than 256 KiB.
const MAX_LIST_BYTES: usize = 100_000;
/// The status of a batch's name when its rows must not come any more.
const ABANDONED: u16 = 1;

/// How the server begins to say that a statement of this name runs.
const IS_RUNNING: &str = "Code: 216,";
/// How often a batch is sent again that the server is still at.
const TRY_EVERY: Duration = Duration::from_millis(100);
const MAX_TRIES: usize = 600;
/// How often others are waited for that count lines of the same log, before they count as ended.
const MAX_WAITS: usize = 20;

/// What is to become of a part of a log.
enum Claim {
    /// So many of its lines were counted before.
    Known(usize),
    /// Somebody else is counting, or began to.
    Taken,
    /// So many lines are to be counted now, under this name. Without one there are no visits in them.
    Ours { lines: usize, batch: Option<String> },
}

impl ClickHouseStore {
    pub(super) async fn count_file(&self, file: &str, counts: &Counts) -> Result<(), VisitError> {
        let known = self.existing_domains(counts).await?;
        let parts = counts.pages.len().max(counts.referrals.len()).div_ceil(PART);
        for number in 0..parts {
            let pages: Vec<_> = part_of(&counts.pages, number, |key| known.contains(&key.domain));
            let referrals: Vec<_> = part_of(&counts.referrals, number, |key| known.contains(&key.domain));
            let times: Vec<_> = match number {
                0 => counts.times.iter().filter(|(key, _)| known.contains(&key.domain)).cloned().collect(),
                _ => Vec::new(),
            };
            let pages = fold_unfound(&mut &*self, &pages, &counts.pages).await?;
            let pages = self.fold_beyond_room(pages).await?;
            let pages = self.bounds.lock().await.fold(&mut &*self, &pages).await?;
            let referrals = self.fold_referrals(referrals).await?;
            for (month, rows) in by_month(&pages, &times, &referrals) {
                let id = format!("{file}:{number}:{month}");
                self.insert(&name_row(&id, month), rows).await?;
            }
        }
        Ok(())
    }

    /// Inserts rows with their batch's name, unless the name is there. The name is sent last: without it the rows broke off on
    /// their way, and none of them is inserted.
    pub(super) async fn insert(&self, name: &Row<'_>, mut rows: Vec<u8>) -> Result<(), VisitError> {
        name.write(&mut rows);
        let sql = format!(
            "insert into visits select * from {NAME} where (select count() from visits where {0}) = 0 \
             and (select count() from {NAME} where {0}) = 1",
            is_name(name)
        );
        for _ in 0..MAX_TRIES {
            match self.client.run_with_rows(&sql, name.path, &rows).await {
                // Sent before, and not ended yet.
                Err(VisitError::Refused(reason)) if reason.0.starts_with(IS_RUNNING) => {
                    tokio::time::sleep(TRY_EVERY).await;
                }
                result => return result,
            }
        }
        Err(VisitError::refused("a batch of visits takes very long"))
    }

    /// The domains of some counts that are not gone.
    async fn existing_domains(&self, counts: &Counts) -> Result<HashSet<DomainId>, VisitError> {
        let pages = counts.pages.iter().map(|(key, _)| &key.domain);
        let all: HashSet<&DomainId> =
            pages.chain(counts.referrals.iter().map(|(key, _)| &key.domain)).collect();
        let all: Vec<&DomainId> = all.into_iter().collect();
        Ok(queries::list_existing(&mut self.db.read().await?, &all).await?)
    }

    /// Folds the pages of those who came from assistants that their day has no room for.
    async fn fold_referrals(
        &self,
        referrals: Vec<(ReferralKey, u64)>,
    ) -> Result<Vec<(ReferralKey, u64)>, VisitError> {
        let days: HashSet<(DomainId, Day)> =
            referrals.iter().map(|(key, _)| (key.domain.clone(), key.day)).collect();
        let mut full: HashMap<(DomainId, Day), HashSet<(String, String)>> = HashMap::new();
        for (domain, day) in days {
            let day_of =
                format!("domain = {} and what = {REFERRAL} and day = {day}", quoted(domain.as_str()));
            let sql = format!("select uniqExact(crawler, path) from visits where {day_of}");
            if count(&self.client, &sql).await? < MAX_REFERRALS {
                continue;
            }
            let sql = format!("select distinct crawler, path from visits where {day_of} format RowBinary");
            let answer = self.client.run(&sql).await?;
            let known =
                Reader::new(&answer).rows(|row| Ok((row.text()?.to_owned(), row.text()?.to_owned())))?;
            full.insert((domain, day), known.into_iter().collect());
        }
        let folded = referrals.into_iter().map(|(mut key, people)| {
            let known = full.get(&(key.domain.clone(), key.day));
            let is_new =
                |known: &&HashSet<_>| !known.contains(&(key.assistant.clone(), key.path.to_string()));
            if known.is_some_and(|known| is_new(&known)) {
                key.path = OTHER_PATHS.into();
            }
            (key, people)
        });
        Ok(folded.collect())
    }

    /// Counts the first lines of a part of a log, as far as they are of one month. What is counted is first noted as pending in
    /// the database, under the name of its batch; whoever finds such a note asks whether the batch came, and makes sure that it
    /// does not come later.
    pub(super) async fn count_part(
        &self,
        domain: &DomainId,
        part: &LogPart,
    ) -> Result<CountedLines, VisitError> {
        loop {
            self.settle_pending(domain).await?;
            let (lines, batch) = match self.claim(domain, part).await? {
                Claim::Taken => continue,
                Claim::Known(lines) => return Ok(CountedLines::Known(lines)),
                Claim::Ours { lines, batch: None } => {
                    return Ok(CountedLines::New { lines, visits: ImportedVisits::default() });
                }
                Claim::Ours { lines, batch: Some(batch) } => (lines, batch),
            };
            let (visits, pages, times) = part.counts(0..lines);
            let month = month_of_batch(&batch)?;
            let pages = self.fold_beyond_room(pages).await?;
            let pages = self.bounds.lock().await.fold(&mut &*self, &pages).await?;
            // All of one month: that is where the part was cut.
            let rows = by_month(&pages, &times, &[]).remove(&month).unwrap_or_default();
            self.insert(&name_row(&batch, month), rows).await?;
            if self.settle(domain, part.checkpoints[lines - 1].as_str(), &batch).await? {
                return Ok(CountedLines::New { lines, visits });
            }
        }
    }

    async fn claim(&self, domain: &DomainId, part: &LogPart) -> Result<Claim, VisitError> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        queries::imports::lock(&mut tx, domain, now).await?;
        if !queries::imports::list_pending(&mut tx, domain).await?.is_empty() {
            return Ok(Claim::Taken);
        }
        let known = queries::imports::lines_known(&mut tx, domain, &part.checkpoints).await?;
        if known > 0 {
            return Ok(Claim::Known(known));
        }
        let (lines, day) = part.lines_of_month();
        let checkpoint = part.checkpoints[lines - 1].as_str();
        let Some(month) = day.map(month_of).and_then(stored_day) else {
            queries::imports::add_checkpoint(&mut tx, domain, checkpoint, None, now).await?;
            tx.commit().await?;
            return Ok(Claim::Ours { lines, batch: None });
        };
        let batch = format!("import:{}:{month}", uuid::Uuid::now_v7());
        queries::imports::add_checkpoint(&mut tx, domain, checkpoint, Some(&batch), now).await?;
        tx.commit_durably().await?;
        Ok(Claim::Ours { lines, batch: Some(batch) })
    }

    /// Waits for those who count lines of this domain, and settles what they leave behind when they have ended.
    async fn settle_pending(&self, domain: &DomainId) -> Result<(), VisitError> {
        let mut pending = queries::imports::list_pending(&mut self.db.read().await?, domain).await?;
        for _ in 0..MAX_WAITS {
            if pending.is_empty() {
                return Ok(());
            }
            tokio::time::sleep(TRY_EVERY).await;
            pending = queries::imports::list_pending(&mut self.db.read().await?, domain).await?;
        }
        for (checkpoint, batch) in pending {
            self.settle(domain, &checkpoint, &batch).await?;
        }
        Ok(())
    }

    /// Notes whether a batch came. One that did not come by now never will.
    async fn settle(&self, domain: &DomainId, checkpoint: &str, batch: &str) -> Result<bool, VisitError> {
        let month = month_of_batch(batch)?;
        let abandoned = Row { status: ABANDONED, ..name_row(batch, month) };
        self.insert(&abandoned, Vec::new()).await?;
        let sql =
            format!("select count() from visits where {} and status = {ABANDONED}", is_name(&abandoned));
        let has_come = count(&self.client, &sql).await? == 0;
        let mut tx = self.db.write().await?;
        queries::imports::settle(&mut tx, domain, checkpoint, batch, has_come).await?;
        tx.commit().await?;
        Ok(has_come)
    }
}

impl ClickHouseStore {
    /// Lists those among some paths that rows of this kind have.
    async fn paths_among(
        &self,
        pages: &str,
        paths: &HashSet<Arc<str>>,
    ) -> Result<HashSet<String>, VisitError> {
        let mut known = HashSet::new();
        let mut rest: Vec<String> = paths.iter().map(|path| quoted(path)).collect();
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().rev().take_while(|path| {
                bytes += path.len() + 1;
                bytes <= MAX_LIST_BYTES
            });
            let fits = fits.count().max(1);
            let list = rest.split_off(rest.len().saturating_sub(fits)).join(",");
            let sql = format!(
                "select distinct path from visits where {pages} and path in ({list}) format RowBinary"
            );
            let answer = self.client.run(&sql).await?;
            known.extend(Reader::new(&answer).rows(|row| Ok(row.text()?.to_owned()))?);
        }
        Ok(known)
    }
}

impl KnownPages for &ClickHouseStore {
    type Error = VisitError;

    async fn count(&mut self, domain: &DomainId, day: Day, _most: usize) -> Result<usize, VisitError> {
        let sql = format!("select uniqExact(path) from visits where {}", pages_of(domain, day));
        Ok(count(&self.client, &sql).await? as usize)
    }

    async fn among(
        &mut self,
        domain: &DomainId,
        day: Day,
        paths: &HashSet<Arc<str>>,
    ) -> Result<HashSet<String>, VisitError> {
        self.paths_among(&pages_of(domain, day), paths).await
    }

    async fn ever(
        &mut self,
        domain: &DomainId,
        paths: &HashSet<Arc<str>>,
    ) -> Result<HashSet<String>, VisitError> {
        let pages = format!("domain = {} and what = {PAGE}", quoted(domain.as_str()));
        self.paths_among(&pages, paths).await
    }
}

fn pages_of(domain: &DomainId, day: Day) -> String {
    let (domain, other) = (quoted(domain.as_str()), quoted(OTHER_PATHS));
    format!("domain = {domain} and what = {PAGE} and day = {day} and path != {other}")
}

fn name_row(id: &str, month: u16) -> Row<'_> {
    Row { what: BATCH, day: month, path: id, visits: 1, ..Row::default() }
}

fn is_name(name: &Row<'_>) -> String {
    let (domain, id, day) = (quoted(name.domain), quoted(name.path), name.day);
    format!("domain = {domain} and what = {BATCH} and day = {day} and path = {id}")
}

fn month_of_batch(batch: &str) -> Result<u16, VisitError> {
    let month = batch.rsplit(':').next().and_then(|month| month.parse().ok());
    month.ok_or_else(|| VisitError::refused(format!("{batch:?} is no name of a batch")))
}

fn part_of<K: Clone>(counts: &[(K, u64)], number: usize, keeps: impl Fn(&K) -> bool) -> Vec<(K, u64)> {
    let part = counts.chunks(PART).nth(number).unwrap_or_default();
    part.iter().filter(|(key, _)| keeps(key)).cloned().collect()
}

/// Rows by the first day of their month.
fn by_month(
    pages: &[(VisitKey, u64)],
    times: &[(TimeKey, u64)],
    referrals: &[(ReferralKey, u64)],
) -> BTreeMap<u16, Vec<u8>> {
    let days = days_among(pages);
    let days = days.iter().filter_map(|(key, visits)| Row::of_day(key, *visits));
    let pages = pages.iter().filter_map(|(key, visits)| Row::of_page(key, *visits));
    let times = times.iter().filter_map(|(key, visits)| Row::of_time(key, *visits));
    let referrals = referrals.iter().filter_map(|(key, people)| Row::of_referral(key, *people));
    let mut months: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
    let mut month_of_day: HashMap<u16, u16> = HashMap::new();
    for row in days.chain(pages).chain(times).chain(referrals) {
        let month = || stored_day(month_of(Day::from(row.day))).unwrap_or_default();
        let month = *month_of_day.entry(row.day).or_insert_with(month);
        row.write(months.entry(month).or_default());
    }
    months
}
