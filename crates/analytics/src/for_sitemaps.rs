//! Paths that verified crawlers requested, for the sitemaps that `render` makes. Requests of other clients add no path.

use std::collections::HashSet;
use std::sync::Arc;

use super::model::{OTHER_PATHS, Verified};
use super::service::{Analytics, MAX_DAYS, Scope};
use super::stores::{PageSelection, VisitError};
use super::sums::PageVisits;
use domains::DomainId;

impl Analytics {
    /// Lists the paths of a domain, without queries, that verified crawlers requested.
    pub async fn verified_paths(&self, domain: &DomainId) -> Result<HashSet<Arc<str>>, VisitError> {
        let window = self.window(MAX_DAYS);
        self.of_pages(domain, window, Scope::WithOrigin, PageSelection::All, verified_paths).await
    }
}

fn verified_paths(visits: Vec<PageVisits>) -> HashSet<Arc<str>> {
    let is_verified = |page: &PageVisits| page.sums.iter().any(|sum| sum.kind.verified == Verified::Yes);
    let named = visits.into_iter().filter(|page| &*page.path != OTHER_PATHS && is_verified(page));
    named.map(|page| page.path).collect()
}
