//! Target of the verification of a domain: the page's address, and what a crawler should get of it. Pure.

use std::time::Duration;

use crawler::url::{TargetError, parse_target};
use domains::{Domain, Site};
use url::Url;

use super::model::{ImitatedCrawler, SnapshotExpectation, VerifyTarget};

/// Makes the target of a page of a domain. Fails when the path makes no address.
pub fn target_of(
    domain: &Domain,
    path: &str,
    crawler: ImitatedCrawler,
    url_bytes: usize,
) -> Result<VerifyTarget, TargetError> {
    let address = |scheme: &str| parse_target(&format!("{scheme}://{}{path}", domain.host), url_bytes);
    let url = address("https")?;
    Ok(VerifyTarget {
        query_parameters: domain.rendering.query_parameters.clone(),
        expects: expectation(domain, &url),
        refresh_interval: Duration::from_secs(domain.rendering.refresh_interval_seconds),
        is_unproven: !domain.is_proven(),
        // A site that has no certificate yet.
        otherwise: Some(address("http")?),
        ..VerifyTarget::new(url, crawler)
    })
}

/// Returns what the crawler should get of a page of the domain.
fn expectation(domain: &Domain, url: &Url) -> SnapshotExpectation {
    let is_connected = domain.is_proven();
    let (verified_only, on_demand) =
        (domain.rendering.verified_crawlers_only, domain.settings.on_demand_render_enabled);
    if Site::new(domain.clone()).ignores(url) {
        return SnapshotExpectation::IgnoredPath;
    }
    match (is_connected, verified_only, on_demand) {
        (_, true, _) => SnapshotExpectation::VerifiedCrawlersOnly,
        (false, ..) => SnapshotExpectation::Unknown,
        (true, _, true) => SnapshotExpectation::Snapshot,
        (true, _, false) => SnapshotExpectation::StoredSnapshot,
    }
}
