//! Visits of crawlers that the origin answers: recorded beside those that got a snapshot, as far as they are for pages.
//! Used by the handlers around each request that is passed on. Must never hold a request up.

use std::time::Instant;

use http::{Method, Response};
use url::Url;

use super::body::Body;
use super::headers;
use super::pages::NoticePage;
use super::service::Inner;
use crate::analytics::verify::Claim;
use crate::analytics::{Crawler, ServedBy, Verified, Visit};
use crate::domains::Site;

/// A crawler's request on its way to the origin.
pub struct OriginVisit {
    crawler: &'static Crawler,
    verified: Verified,
    since: Instant,
}

impl OriginVisit {
    /// None for people, and for whatever asks for no page.
    pub fn begin(method: &Method, claim: &Claim) -> Option<OriginVisit> {
        let reads = matches!(*method, Method::GET | Method::HEAD);
        let crawler = claim.crawler.filter(|_| reads)?;
        Some(OriginVisit { crawler, verified: claim.verified, since: Instant::now() })
    }

    /// Records what the crawler got, when that was a page: not a redirect, not an asset.
    pub fn end(self, edge: &Inner, site: &Site, target: &Url, result: &Result<Response<Body>, NoticePage>) {
        // Of an error page nothing says what was asked for but the path.
        let Some(status) = page_status(result).filter(|_| !crawler::url::is_static_asset(target.path()))
        else {
            return;
        };
        edge.recorder.record(Visit {
            domain: site.domain.id.clone(),
            path: target.path().into(),
            crawler: self.crawler,
            verified: self.verified,
            served: ServedBy::Origin,
            status,
            at: edge.clock.now(),
            duration: self.since.elapsed(),
        });
    }
}

/// The status of a page; none of anything else.
fn page_status(result: &Result<Response<Body>, NoticePage>) -> Option<u16> {
    match result {
        Ok(response) if response.status().is_redirection() || response.status().is_informational() => None,
        Ok(response) => headers::is_html(response.headers()).then(|| response.status().as_u16()),
        // An origin that is away is what crawlers hold against a site. What is wrong with the request itself is not.
        Err(
            page @ (NoticePage::OriginDown
            | NoticePage::OriginSlow
            | NoticePage::OriginBusy
            | NoticePage::Loop),
        ) => Some(page.status().as_u16()),
        Err(_) => None,
    }
}
