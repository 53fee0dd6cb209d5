//! Visits answered by the origin: crawlers, recorded beside those that got a snapshot, and people whom an assistant sent.
//! Used by the handlers around each forwarded request. Must never delay a request.

use std::time::Instant;

use http::header::REFERER;
use http::{Method, Request, Response};
use url::Url;

use super::body::EdgeBody;
use super::headers;
use super::pages::NoticePage;
use super::service::Inner;
use analytics::referrals::{self, Referral};
use analytics::verify::Claim;
use analytics::{Crawler, CrawlerRequest, ServedBy, Verified};
use domains::Site;
use platform::listen::unread::ClientBody;

/// A request to the origin that is recorded when the answer is a page.
pub struct OriginVisit {
    visitor: Visitor,
    since: Instant,
}

enum Visitor {
    Crawler(&'static Crawler, Verified),
    /// Person whom the assistant of this company sent.
    SentBy(&'static str),
}

impl OriginVisit {
    /// Returns the visit of a crawler, or of a person whom an assistant sent. None for other requests.
    pub fn begin(request: &Request<ClientBody>, claim: &Claim) -> Option<OriginVisit> {
        let visitor = match (request.method(), claim.crawler) {
            (&Method::GET | &Method::HEAD, Some(crawler)) => Visitor::Crawler(crawler, claim.verified),
            (&Method::GET, None) if !claim.is_crawler => {
                let referer = request.headers().get(REFERER);
                let referer = referer.map(|value| String::from_utf8_lossy(value.as_bytes()));
                Visitor::SentBy(referrals::assistant_of(referer.as_deref(), request.uri().query())?)
            }
            _ => return None,
        };
        Some(OriginVisit { visitor, since: Instant::now() })
    }

    /// Records the visit when the answer was a page: not a redirect, not an asset.
    pub fn end(
        self,
        edge: &Inner,
        site: &Site,
        target: &Url,
        result: &Result<Response<EdgeBody>, NoticePage>,
    ) {
        // For an error page only the path tells whether a page or an asset was requested.
        let Some(status) = page_status(result).filter(|_| !crawler::url::is_static_asset(target.path()))
        else {
            return;
        };
        let (domain, path) = (site.domain.id.clone(), target.path().into());
        match self.visitor {
            Visitor::Crawler(crawler, verified) => {
                let request = CrawlerRequest { domain, path, crawler, verified };
                edge.recorder.record_answer(request, ServedBy::Origin, status, self.since.elapsed());
            }
            Visitor::SentBy(assistant) if (200..300).contains(&status) => {
                let at = edge.clock.now();
                edge.recorder.record_referral(Referral { domain, path, assistant, at });
            }
            Visitor::SentBy(_) => {}
        }
    }
}

/// Returns the status of a page. None for other responses.
fn page_status(result: &Result<Response<EdgeBody>, NoticePage>) -> Option<u16> {
    match result {
        Ok(response) if response.status().is_informational() => None,
        Ok(response) => headers::is_html(response.headers()).then(|| response.status().as_u16()),
        // Crawlers hold an unreachable origin against a site. Errors of the request itself are not recorded.
        Err(
            page @ (NoticePage::OriginDown
            | NoticePage::OriginSlow
            | NoticePage::OriginBusy
            | NoticePage::Loop),
        ) => Some(page.status().as_u16()),
        Err(_) => None,
    }
}
