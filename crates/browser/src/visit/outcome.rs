//! VisitEnd of a visit. Used by the visit and the pool. Plain data.

use http::HeaderMap;
use url::Url;

use crate::egress::Findings;
use crate::page::WaitEnd;
use crate::{FailedRequest, Inspection, RedirectHop, RenderError, Settled};

/// Document of an origin that responds with 4xx or 5xx and no body, as browsers show it.
const EMPTY_DOCUMENT: &str = "<!DOCTYPE html><html><head></head><body></body></html>";

/// VisitEnd of a visit.
#[derive(Debug)]
pub(crate) enum VisitEnd {
    /// A page or a redirect.
    Page(Box<Captured>),
    /// A failure that another attempt would repeat.
    Failed(RenderError),
    /// The tab or the browser ended. Another tab may succeed.
    TabLost { crashed: bool },
}

/// Captured page or redirect.
#[derive(Debug)]
pub(crate) struct Captured {
    pub status: u16,
    /// Target of a redirect; `html` is then empty.
    pub location: Option<String>,
    pub final_url: Url,
    pub html: String,
    pub partial: bool,
    pub settled: Settled,
    pub inspection: Option<Inspection>,
}

impl Captured {
    /// Makes a complete page.
    pub fn page(status: u16, final_url: Url, html: String) -> Captured {
        let settled = Settled::Quiet;
        Captured { status, location: None, final_url, html, partial: false, settled, inspection: None }
    }
}

/// Data of responses during a visit, besides the page.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    /// Status of the first response to the requested address.
    pub first_status: u16,
    /// Redirects of the main document.
    pub hops: Vec<RedirectHop>,
    /// Headers of the main document that concern crawlers.
    pub headers: HeaderMap,
    pub failed: Vec<FailedRequest>,
}

/// Returns whether the page was cut off, and the condition that ended the wait.
pub(super) fn settled(why: WaitEnd, findings: &Findings) -> (bool, Settled) {
    match why {
        _ if findings.is_over_limit => (true, Settled::Bytes),
        WaitEnd::Flag => (false, Settled::Flag),
        WaitEnd::Quiet => (false, Settled::Quiet),
        WaitEnd::Still => (false, Settled::Still),
        WaitEnd::Timeout | WaitEnd::Forced => (true, Settled::Timeout),
    }
}

impl VisitEnd {
    /// Makes a redirect of the document at `final_url`.
    pub fn redirect(status: u16, location: String, final_url: Url) -> VisitEnd {
        let empty = Captured::page(status, final_url, String::new());
        let redirect = Captured { location: Some(location), settled: Settled::Redirect, ..empty };
        VisitEnd::Page(Box::new(redirect))
    }

    /// Makes an empty page.
    pub fn empty_page(status: u16, final_url: Url) -> VisitEnd {
        VisitEnd::Page(Box::new(Captured::page(status, final_url, EMPTY_DOCUMENT.to_owned())))
    }

    /// Makes the failure of a response that is not a page.
    pub fn not_a_page(reason: impl Into<String>) -> VisitEnd {
        VisitEnd::Failed(RenderError::NotAPage(reason.into()))
    }
}
