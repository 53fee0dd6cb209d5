//! Outcome of a visit. Used by the visit and the pool. Plain data.

use http::HeaderMap;
use url::Url;

use crate::egress::Findings;
use crate::page::CaptureReason;
use crate::{FailedRequest, Inspection, RedirectHop, RenderError, Settled};

/// Document of an origin that responds with 4xx or 5xx and no body, as browsers show it.
const EMPTY_DOCUMENT: &str = "<!DOCTYPE html><html><head></head><body></body></html>";

/// Outcome of a visit.
#[derive(Debug)]
pub(crate) enum Outcome {
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
pub(super) fn settled(why: CaptureReason, findings: &Findings) -> (bool, Settled) {
    match why {
        _ if findings.is_over_limit => (true, Settled::Bytes),
        CaptureReason::Flag => (false, Settled::Flag),
        CaptureReason::Quiet => (false, Settled::Quiet),
        CaptureReason::Still => (false, Settled::Still),
        CaptureReason::Timeout | CaptureReason::Forced => (true, Settled::Timeout),
    }
}

impl Outcome {
    /// Makes a redirect of the document at `final_url`.
    pub fn redirect(status: u16, location: String, final_url: Url) -> Outcome {
        Outcome::Page(Box::new(Captured {
            status,
            location: Some(location),
            final_url,
            html: String::new(),
            partial: false,
            settled: Settled::Redirect,
            inspection: None,
        }))
    }

    /// Makes an empty page.
    pub fn empty_page(status: u16, final_url: Url) -> Outcome {
        Outcome::Page(Box::new(Captured {
            status,
            location: None,
            final_url,
            html: EMPTY_DOCUMENT.to_owned(),
            partial: false,
            settled: Settled::Quiet,
            inspection: None,
        }))
    }

    /// Makes the failure of a response that is not a page.
    pub fn not_a_page(reason: impl Into<String>) -> Outcome {
        Outcome::Failed(RenderError::NotAPage(reason.into()))
    }
}
