//! Where visits are kept: one trait, and the stores behind it. Used by the recorder, the import and the reports.
//! A store counts each batch once, whatever ends which process when, and answers with sums in no order: everything is
//! ordered by the reports, so that every store gives the same bytes.
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

/// Why a store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum VisitError {
    /// The database did not.
    #[error(transparent)]
    Database(#[from] DbError),
    /// The visit store does not answer.
    #[error("the visit store does not answer")]
    Unreachable(#[source] ::clickhouse::error::Error),
    /// The visit store was not waited for any longer.
    #[error("the visit store does not answer")]
    Silent,
    /// Too many wait for a list of visits.
    #[error("too many lists of visits are being made")]
    Busy,
    /// The visit store did not do it.
    #[error("the visit store did not do what it was asked")]
    Refused(#[source] Reason),
}

/// What the visit store says itself. For the log only.
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
            // Whatever it is, the operator's server is not as it must be: it may be again.
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
    /// In the window.
    pub visited: u64,
    /// Of those that were ever visited, the ones whose first visit was in the window.
    pub new: u64,
}

/// What became of the first lines of a part of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedLines {
    /// So many were counted before. None is counted now: what follows them may be known too, with lines behind the part.
    Known(usize),
    /// None of the part was counted before.
    New {
        /// Those that are counted now.
        lines: usize,
        visits: ImportedVisits,
    },
}

pub trait VisitStore: Send + Sync {
    /// Whether it can be used.
    fn check(&self) -> BoxFuture<'_, Result<(), VisitError>>;

    /// Counts what a file of the spool holds, unless that was done before. After an error some of it may be counted; trying
    /// again counts the rest.
    fn apply<'a>(&'a self, file: &'a str, counts: &'a Counts) -> BoxFuture<'a, Result<(), VisitError>>;

    /// Tells that nobody has this file any more, so that it need not be remembered.
    fn forget_file<'a>(&'a self, file: &'a str) -> BoxFuture<'a, Result<(), VisitError>>;

    /// Counts the first lines of a part of a log that has some, unless any of it was counted before. Two that read the same
    /// log wait for each other here.
    fn import<'a>(
        &'a self,
        domain: &'a DomainId,
        part: &'a LogPart,
    ) -> BoxFuture<'a, Result<CountedLines, VisitError>>;

    /// Visits by day and kind; impostors' too.
    fn totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DayTotal>, VisitError>>;

    /// Visits of some domains, by domain and day. Impostors are left out.
    fn days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DomainDay>, VisitError>>;

    /// First day with a visit of each of some domains, impostors' visits included. Domains without visits are left out.
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

    /// Answers by way and time. Those of the origin itself may be left out.
    fn times<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<TimeCounts, VisitError>>;

    /// Visits by page, impostors' left out.
    fn pages<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        scope: Scope,
        pages: PageSelection<'a>,
    ) -> BoxFuture<'a, Result<Vec<PageVisits>, VisitError>>;

    /// Every row of a day by page, impostors' too.
    fn rows<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
    ) -> BoxFuture<'a, Result<Vec<(VisitKey, u64)>, VisitError>>;

    /// People who came from assistants, by assistant and page.
    fn referrals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        rows: ReferralRows<'a>,
    ) -> BoxFuture<'a, Result<Vec<ReferralCount>, VisitError>>;

    /// Sums of the whole list of people who came from assistants.
    fn referral_totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<ReferralTotals, VisitError>>;

    /// Refusals by a crawler policy, in no order.
    fn refusals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<(RefusalKey, u64)>, VisitError>>;

    /// The first day of which something is kept by page, of any domain.
    fn first_day(&self) -> BoxFuture<'_, Result<Option<Day>, VisitError>>;

    /// Deletes what is kept by page of days before this one, of every domain. First days and counts of days stay.
    fn delete_before(&self, day: Day) -> BoxFuture<'_, Result<(), VisitError>>;

    /// Deletes everything that is kept of a domain.
    fn forget_domain<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<(), VisitError>>;

    /// The days of which something is kept, in no order.
    fn list_days<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<Vec<Day>, VisitError>>;

    /// Reads everything that is kept of a day.
    fn read_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
    ) -> BoxFuture<'a, Result<StoredDay, VisitError>> {
        Box::pin(async move {
            let window = (day, day);
            // Pages first: visits that are counted meanwhile are missing in them, and the next copy sees the difference.
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

    /// Keeps a day in place of what is kept of it. First days of pages stay as they are.
    fn put_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
        stored: &'a StoredDay,
    ) -> BoxFuture<'a, Result<(), VisitError>>;

    /// When each path was visited first.
    fn list_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
    ) -> BoxFuture<'a, Result<Vec<FirstDay>, VisitError>>;

    /// Notes when paths were visited first; an earlier day than the known one takes its place.
    fn add_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
        first: &'a [FirstDay],
    ) -> BoxFuture<'a, Result<(), VisitError>>;
}

/// The store that the settings name.
pub fn open(platform: &Platform) -> Arc<dyn VisitStore> {
    open_at(platform.config.analytics.store_url.clone(), platform)
}

/// The store at an address; none: the database.
pub fn open_at(url: Option<ClickHouseUrl>, platform: &Platform) -> Arc<dyn VisitStore> {
    match url {
        Some(url) => Arc::new(ClickHouseStore::new(url, &platform.db, &platform.clock)),
        None => Arc::new(DatabaseStore::new(&platform.db, &platform.clock)),
    }
}
