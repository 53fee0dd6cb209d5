//! Last visits of crawlers to each page, for audits. Visits of impostors are left out.

use std::collections::HashMap;

use futures::future::BoxFuture;
use store::DbError;

use super::crawlers::CrawlerIndex;
use super::model::start_of;
use super::service::{Analytics, MAX_DAYS, Scope};
use super::stores::{PageSelection, VisitError};
use super::sums::PageVisits;
use audit::ports::{CrawlerTraffic, LastVisit};
use domains::DomainId;

impl CrawlerTraffic for Analytics {
    fn last_visits<'a>(
        &'a self,
        domain: &'a DomainId,
        path: Option<&'a str>,
    ) -> BoxFuture<'a, Result<HashMap<String, LastVisit>, DbError>> {
        Box::pin(async move {
            let (window, pages) =
                (self.window(MAX_DAYS), path.map_or(PageSelection::All, PageSelection::One));
            known(self.of_pages(domain, window, Scope::WithOrigin, pages, last_visits).await)
        })
    }
}

/// Replaces an error of the visit store by no visits, so that audits are shown without visits while the store is unavailable.
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

fn last_visits(visits: Vec<PageVisits>) -> HashMap<String, LastVisit> {
    let show = |page: PageVisits| {
        let (day, crawler) = page.sums.iter().map(|sum| (sum.last, sum.kind.crawler.as_str())).max()?;
        let provider = CrawlerIndex::shared().provider_of(crawler).to_owned();
        let visit = LastVisit { date: start_of(day).day(), crawler: crawler.to_owned(), provider };
        Some((page.path.to_string(), visit))
    };
    visits.into_iter().filter_map(show).collect()
}
