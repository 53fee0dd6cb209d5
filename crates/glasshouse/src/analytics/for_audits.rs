//! Last visits of crawlers to each page, for audits. Visits of impostors are left out.

use std::collections::HashMap;

use futures::future::BoxFuture;
use store::DbError;

use super::crawlers::CrawlerIndex;
use super::model::{Day, start_of};
use super::segments::window::{Scope, WindowVisits};
use super::service::{Analytics, MAX_DAYS};
use super::stores::{Detail, VisitError};
use crate::audit::ports::{CrawlerTraffic, LastVisit};
use crate::domains::DomainId;

impl CrawlerTraffic for Analytics {
    fn last_visits<'a>(
        &'a self,
        domain: &'a DomainId,
        path: Option<&'a str>,
    ) -> BoxFuture<'a, Result<HashMap<String, LastVisit>, DbError>> {
        Box::pin(async move {
            let only = path.map(str::to_owned);
            let list = move |visits: &WindowVisits| last_visits(visits, only.as_deref());
            known(self.of_window(domain, self.window(MAX_DAYS), Detail::Rows, list).await)
        })
    }
}

/// Nothing is known of visits while their store is away: an audit is read and goes on without.
fn known<T: Default>(found: Result<T, VisitError>) -> Result<T, DbError> {
    match found {
        Ok(found) => Ok(found),
        Err(VisitError::Database(error)) => Err(error),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "an audit is shown without visits");
            Ok(T::default())
        }
    }
}

fn last_visits(visits: &WindowVisits, only: Option<&str>) -> HashMap<String, LastVisit> {
    let only = only.map(|path| visits.pages().find(path));
    let mut last: HashMap<u32, (Day, &str)> = HashMap::new();
    for (day, page, kind, _) in visits.rows() {
        if Scope::WithOrigin.counts(kind) && only.is_none_or(|only| only == Some(page)) {
            let visit = (day, kind.crawler.as_str());
            let newest = last.entry(page).or_insert(visit);
            *newest = visit.max(*newest);
        }
    }
    let show = |(page, (day, crawler)): (u32, (Day, &str))| {
        let provider = CrawlerIndex::shared().provider_of(crawler).to_owned();
        let visit = LastVisit { date: start_of(day).day(), crawler: crawler.to_owned(), provider };
        (visits.pages().path(page).to_string(), visit)
    };
    last.into_iter().map(show).collect()
}
