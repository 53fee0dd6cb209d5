//! What is known of crawler visits: the reports, the public tokens that open them, and forgetting them.
//! Used by the handlers, by cache refresh (what crawlers ask for most) and by the removal of domains. Must never count a
//! visit: that is [`super::ingest`].
//! See docs/decisions/0182.

use std::collections::HashMap;

use store::{Db, DbError};

use super::model::{Day, ServedBy, day_of, start_of};
use super::queries::{self, DayRow, PageRow};
use super::report::{self, Bots, CrawlerVisits, Daily, DayCount, PageCount, Summary, Times, WindowInfo};
use crate::accounts::keys::{KeyHash, KeyKind, NewKey, is_well_formed};
use crate::clock::{Clock, Timestamp};
use crate::domains::DomainId;

/// Days that a report may look back at.
pub const MAX_DAYS: u32 = 180;
/// Days that it looks back at unless it is told otherwise.
pub const DEFAULT_DAYS: u32 = 30;

/// Crawler visits. Cheap to clone.
#[derive(Clone)]
pub struct Analytics {
    pub(super) db: Db,
    clock: Clock,
}

/// Which visits a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those answered with a snapshot.
    Snapshots,
    /// Those that the origin answered as well.
    WithOrigin,
}

impl Scope {
    fn includes(self, served: &str) -> bool {
        self == Scope::WithOrigin || served != ServedBy::Origin.as_str()
    }
}

/// What a public token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenState {
    /// It was never made.
    Unknown,
    /// It was replaced or switched off.
    Ended,
    /// This domain.
    Opens(DomainId),
}

impl Analytics {
    /// The visits in this database.
    pub fn new(db: &Db, clock: &Clock) -> Analytics {
        Analytics { db: db.clone(), clock: clock.clone() }
    }

    /// The last `days` days, today included.
    pub fn window(&self, days: u32) -> (Day, Day) {
        let today = self.today();
        (today - i64::from(days) + 1, today)
    }

    /// The UTC day.
    pub fn today(&self) -> Day {
        day_of(self.clock.now())
    }

    /// The same as a report tells it.
    pub fn window_info(&self, days: u32) -> WindowInfo {
        WindowInfo { days, from: start_of(self.window(days).0), to: self.clock.now() }
    }

    /// Visits by page, of one page or of those whose path contains `search`.
    pub async fn bots(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        path: Option<&str>,
        search: Option<String>,
        scope: Scope,
    ) -> Result<Bots, DbError> {
        let rows = self.pages(domain, window, path, scope).await?;
        // Sorting hundreds of thousands of rows would hold up everybody else on this thread.
        let sorted = tokio::task::spawn_blocking(move || report::bots(&rows, search.as_deref())).await;
        Ok(sorted.expect("sorting rows does not panic"))
    }

    /// Visits by day.
    pub async fn daily(&self, domain: &DomainId, days: u32, scope: Scope) -> Result<Daily, DbError> {
        let window = self.window(days);
        Ok(report::daily(&self.days(domain, window, scope).await?, window))
    }

    /// Visits in short.
    pub async fn summary(&self, domain: &DomainId, days: u32, scope: Scope) -> Result<Summary, DbError> {
        let window = self.window(days);
        let counts = self.days(domain, window, scope).await?;
        let mut conn = self.db.read().await?;
        let with_origin = scope == Scope::WithOrigin;
        let (visited, new) = queries::count_pages(&mut conn, domain, window, with_origin).await?;
        let times = times(queries::list_times(&mut conn, domain, window).await?);
        let kept = match times.render.is_empty() {
            true => self::times(queries::list_times(&mut conn, domain, (Day::MIN, Day::MAX)).await?),
            false => Times::default(),
        };
        Ok(report::summary(&counts, (visited.unsigned_abs(), new.unsigned_abs()), &times, &kept))
    }

    /// Visits of one page.
    pub async fn page(
        &self,
        domain: &DomainId,
        path: &str,
        days: u32,
        scope: Scope,
    ) -> Result<CrawlerVisits, DbError> {
        Ok(report::page(&self.pages(domain, self.window(days), Some(path), scope).await?))
    }

    /// Visits by path since a time, of the `most` paths that were asked for most often.
    pub async fn visits_by_path(
        &self,
        domain: &DomainId,
        since: Timestamp,
        most: i64,
    ) -> Result<HashMap<String, u64>, DbError> {
        let mut conn = self.db.read().await?;
        let rows = queries::list_most_visited(&mut conn, domain, day_of(since), most).await?;
        Ok(rows.into_iter().map(|(path, visits)| (path, visits.unsigned_abs())).collect())
    }

    /// Makes the public token of a domain; the one before it ends.
    pub async fn create_token(&self, domain: &DomainId) -> Result<NewKey, DbError> {
        let token = NewKey::generate(KeyKind::Stats);
        let mut tx = self.db.write().await?;
        let (hash, now) = (token.hash().to_hex(), self.clock.now());
        queries::tokens::insert_token(&mut tx, domain, &hash, token.last4(), now).await?;
        tx.commit().await?;
        Ok(token)
    }

    /// Switches the public token of a domain off. `false`: there was none.
    pub async fn revoke_token(&self, domain: &DomainId) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        let revoked = queries::tokens::revoke_token(&mut tx, domain, self.clock.now()).await?;
        tx.commit().await?;
        Ok(revoked)
    }

    /// The last four characters of a domain's public token, and when it was made.
    pub async fn find_token_of(&self, domain: &DomainId) -> Result<Option<(String, Timestamp)>, DbError> {
        queries::tokens::find_token_of(&mut self.db.read().await?, domain).await
    }

    /// What a text opens that somebody shows as a public token.
    pub async fn open_token(&self, text: &str) -> Result<TokenState, DbError> {
        if !is_well_formed(KeyKind::Stats, text) {
            return Ok(TokenState::Unknown);
        }
        let hash = KeyHash::of(text).to_hex();
        Ok(match queries::tokens::find_token(&mut self.db.read().await?, &hash).await? {
            None => TokenState::Unknown,
            Some((_, false)) => TokenState::Ended,
            Some((domain, true)) => TokenState::Opens(domain),
        })
    }

    /// Deletes everything that is kept of a domain, some at a time so that nobody waits long for the writer.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), DbError> {
        loop {
            let mut tx = self.db.write().await?;
            let deleted = queries::delete_some(&mut tx, domain).await?;
            tx.commit().await?;
            if deleted == 0 {
                return Ok(());
            }
        }
    }

    async fn days(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        scope: Scope,
    ) -> Result<Vec<DayCount>, DbError> {
        let rows = queries::list_days(&mut self.db.read().await?, domain, window).await?;
        let count = |row: DayRow| DayCount {
            day: row.day,
            crawler: row.crawler,
            served: row.served,
            visits: row.visits.unsigned_abs(),
        };
        Ok(rows.into_iter().filter(|row| scope.includes(&row.served)).map(count).collect())
    }

    async fn pages(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        path: Option<&str>,
        scope: Scope,
    ) -> Result<Vec<PageCount>, DbError> {
        let rows = queries::list_pages(&mut self.db.read().await?, domain, window, path).await?;
        let count = |row: PageRow| PageCount {
            path: row.path,
            crawler: row.crawler,
            served: row.served,
            visits: row.visits.unsigned_abs(),
        };
        Ok(rows.into_iter().filter(|row| scope.includes(&row.served)).map(count).collect())
    }
}

fn times(rows: Vec<(String, i64, i64)>) -> Times {
    let of = |way: ServedBy| {
        let rows = rows.iter().filter(move |(served, _, _)| served == way.as_str());
        rows.map(|(_, bucket, visits)| (*bucket, visits.unsigned_abs())).collect()
    };
    Times { render: of(ServedBy::Render), cache: of(ServedBy::Cache) }
}
