//! Stores of visits: one trait and its implementations. Used by the recorder, the import and the reports.
//! A store counts each batch once, whichever process ends at whatever time. It returns sums in no order: the reports sort
//! everything, so that every store gives the same bytes.
//! See docs/decisions/0251.

mod clickhouse;
mod database;
pub mod moving;
#[cfg(test)]
pub(super) mod tests;

use std::sync::Arc;

use crawler::errors::one_line;
use futures::future::BoxFuture;
use store::DbError;

use super::for_dashboard::DomainDay;
use super::import::{ImportedVisits, LogPart};
use super::model::{Day, TimeKey, VisitKey};
use super::policy::RefusalKey;
use super::referrals::{ReferralCount, ReferralKey, ReferralRows, ReferralTotals};
use super::spool::Counts;
use super::sums::{DayTotal, PageVisits, Scope, TimeCounts};
use domains::DomainId;
use platform::Platform;
use platform::api::ApiError;
use platform::config::ClickHouseUrl;
use platform::jobs::JobError;

pub use clickhouse::ClickHouseStore;
pub use database::DatabaseStore;
pub use moving::{FirstDay, FirstDays, StoredDay};

/// Reason why a store failed.
#[derive(Debug, thiserror::Error)]
pub enum VisitError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DbError),
    /// The visit store does not answer.
    #[error("the visit store does not answer")]
    Unreachable(#[source] ::clickhouse::error::Error),
    /// The visit store did not answer in time.
    #[error("the visit store does not answer")]
    Silent,
    /// Too many requests wait for a list of visits.
    #[error("too many lists of visits are being made")]
    Busy,
    /// The visit store refused the request.
    #[error("the visit store did not do what it was asked")]
    Refused(#[source] Reason),
}

/// Message of the visit store. For the log only.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Reason(pub String);

impl VisitError {
    fn refused(reason: impl Into<String>) -> VisitError {
        VisitError::Refused(Reason(reason.into()))
    }
}

impl From<VisitError> for ApiError {
    fn from(error: VisitError) -> ApiError {
        match error {
            VisitError::Database(error) => error.into(),
            // The operator's server has a problem, which may be temporary.
            error => ApiError::unavailable(error),
        }
    }
}

impl From<VisitError> for JobError {
    fn from(error: VisitError) -> JobError {
        match error {
            VisitError::Database(error) => error.into(),
            error => JobError::retry(one_line(&error)),
        }
    }
}

/// Visits by page that a report needs.
#[derive(Debug, Clone, Copy)]
pub enum PageSelection<'a> {
    All,
    /// Visits of one path.
    One(&'a str),
    /// Answers with a status of 400 and above.
    Failed,
}

/// Numbers of different pages that were visited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// Number of pages visited in the window.
    pub visited: u64,
    /// Number of pages whose first visit ever was in the window.
    pub new: u64,
}

/// Result of counting the first lines of a part of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedLines {
    /// Number of lines that were counted before. None is counted now: the lines after them may be known too, by a checkpoint
    /// behind the part.
    Known(usize),
    /// No line of the part was counted before.
    New {
        /// Number of lines that are counted now.
        lines: usize,
        visits: ImportedVisits,
    },
}

pub trait VisitStore: Send + Sync {
    /// Checks that the store can be used.
    fn check(&self) -> BoxFuture<'_, Result<(), VisitError>>;

    /// Counts the contents of a file of the spool, unless that was done before. After an error some of it may be counted; a
    /// repeated call counts the rest.
    fn apply<'a>(&'a self, file: &'a str, counts: &'a Counts) -> BoxFuture<'a, Result<(), VisitError>>;

    /// Forgets the name of a file that no process has any more.
    fn forget_file<'a>(&'a self, file: &'a str) -> BoxFuture<'a, Result<(), VisitError>>;

    /// Counts the first lines of a part of a log that has some, unless any of it was counted before. Two imports of the same
    /// log wait for each other here.
    fn import<'a>(
        &'a self,
        domain: &'a DomainId,
        part: &'a LogPart,
    ) -> BoxFuture<'a, Result<CountedLines, VisitError>>;

    /// Lists visits by day and kind, impostors' included.
    fn totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DayTotal>, VisitError>>;

    /// Lists visits of some domains, by domain and day. Impostors are left out.
    fn days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DomainDay>, VisitError>>;

    /// Lists the first day with a visit of each of some domains, impostors' visits included. Domains without visits are left out.
    fn first_days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
    ) -> BoxFuture<'a, Result<Vec<(DomainId, Day)>, VisitError>>;

    /// Counts the pages that were visited. Visits of impostors are left out.
    fn count_pages<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        scope: Scope,
    ) -> BoxFuture<'a, Result<PageCounts, VisitError>>;

    /// Counts answers by source and duration. Answers of the origin may be left out.
    fn times<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<TimeCounts, VisitError>>;

    /// Lists visits by page, impostors' left out.
    fn pages<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        scope: Scope,
        pages: PageSelection<'a>,
    ) -> BoxFuture<'a, Result<Vec<PageVisits>, VisitError>>;

    /// Lists every row of a day by page, impostors' included.
    fn rows<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
    ) -> BoxFuture<'a, Result<Vec<(VisitKey, u64)>, VisitError>>;

    /// Lists people who came from assistants, by assistant and page.
    fn referrals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        rows: ReferralRows<'a>,
    ) -> BoxFuture<'a, Result<Vec<ReferralCount>, VisitError>>;

    /// Sums up the whole list of people who came from assistants.
    fn referral_totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<ReferralTotals, VisitError>>;

    /// Lists refusals by a crawler policy, in no order.
    fn refusals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<(RefusalKey, u64)>, VisitError>>;

    /// Finds the first day of which something is kept by page, of any domain.
    fn first_day(&self) -> BoxFuture<'_, Result<Option<Day>, VisitError>>;

    /// Deletes what is kept by page of days before this one, of every domain. First days and counts of days stay.
    fn delete_before(&self, day: Day) -> BoxFuture<'_, Result<(), VisitError>>;

    /// Deletes everything that is kept of a domain.
    fn forget_domain<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<(), VisitError>>;

    /// Lists the days of which something is kept, in no order.
    fn list_days<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<Vec<Day>, VisitError>>;

    /// Reads everything that is kept of a day.
    fn read_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
    ) -> BoxFuture<'a, Result<StoredDay, VisitError>> {
        Box::pin(async move {
            let window = (day, day);
            // Pages first: visits that are counted meanwhile are missing in the pages, and the next copy finds the difference.
            let pages = self.rows(domain, day).await?;
            let totals = self.totals(domain, window).await?;
            let times = self.times(domain, window).await?;
            let referrals = self.referrals(domain, window, ReferralRows::Top(usize::MAX)).await?;
            let refusals = self.refusals(domain, window).await?;
            let time =
                |((served, bucket), count)| (TimeKey { domain: domain.clone(), day, served, bucket }, count);
            let people = |row: ReferralCount| {
                let (path, assistant) = (row.path.into(), row.assistant);
                (ReferralKey { domain: domain.clone(), day, path, assistant }, row.count)
            };
            let stored = StoredDay {
                days: totals.iter().map(|total| total.counted_for(domain)).collect(),
                pages,
                times: times.into_iter().map(time).collect(),
                referrals: referrals.into_iter().map(people).collect(),
                refusals,
            };
            Ok(stored.sorted())
        })
    }

    /// Replaces what is kept of a day. First days of pages stay as they are.
    fn put_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
        stored: &'a StoredDay,
    ) -> BoxFuture<'a, Result<(), VisitError>>;

    /// Lists the days of the first visits of each path.
    fn list_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
    ) -> BoxFuture<'a, Result<Vec<FirstDay>, VisitError>>;

    /// Records the days of the first visits of paths. An earlier day replaces the known one.
    fn add_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
        first: &'a [FirstDay],
    ) -> BoxFuture<'a, Result<(), VisitError>>;
}

/// Opens the store of the settings.
pub fn open(platform: &Platform) -> Arc<dyn VisitStore> {
    open_at(platform.config.analytics.store_url.clone(), platform)
}

/// Opens the store at an address; none: the database.
pub fn open_at(url: Option<ClickHouseUrl>, platform: &Platform) -> Arc<dyn VisitStore> {
    match url {
        Some(url) => Arc::new(ClickHouseStore::new(url, &platform.db, &platform.clock)),
        None => Arc::new(DatabaseStore::new(&platform.db, &platform.clock)),
    }
}
