//! How a visit ends. Used by the visit and the pool. Plain data.

use http::HeaderMap;
use url::Url;

use crate::egress::Findings;
use crate::page::CaptureReason;
use crate::{FailedRequest, Inspection, RedirectHop, RenderError, Settled};

/// An origin that answers 4xx or 5xx with nothing at all: what browsers make of nothing.
const EMPTY_DOCUMENT: &str = "<!DOCTYPE html><html><head></head><body></body></html>";

/// How a visit ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// With a page or a redirect.
    Page(Box<Captured>),
    /// Without one, for a reason that another try would not change.
    Failed(RenderError),
    /// The tab or the browser died under it; another tab may do better.
    TabLost { crashed: bool },
}

/// What came out of a visit.
#[derive(Debug)]
pub(crate) struct Captured {
    pub status: u16,
    /// Target of a redirect; `html` is empty then.
    pub location: Option<String>,
    pub final_url: Url,
    pub html: String,
    pub partial: bool,
    pub settled: Settled,
    pub inspection: Option<Inspection>,
}

/// Responses of servers during a visit, beside the document itself.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    /// Status of the first answer to the address that was asked for.
    pub first_status: u16,
    /// Redirects of the main document.
    pub hops: Vec<RedirectHop>,
    /// Header lines of the main document that concern crawlers.
    pub headers: HeaderMap,
    pub failed: Vec<FailedRequest>,
}

/// Returns whether a page was cut off, and why it was taken to be ready.
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
    /// A redirect of the document at `final_url`.
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

    /// A page without anything in it.
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

    /// A page of which nothing can be rendered, with the reason.
    pub fn not_a_page(reason: impl Into<String>) -> Outcome {
        Outcome::Failed(RenderError::NotAPage(reason.into()))
    }
}
