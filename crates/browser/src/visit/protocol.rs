//! Events of the browser during a visit, parsed into inputs of the state machine. Used by the visit.
//! Must never fail on an unexpected message: what cannot be parsed is left out.

use std::borrow::Cow;
use std::collections::HashMap;

use crawler::url::is_same_site;
use serde::Deserialize;
use url::Url;

use crate::cdp::CdpError;
use crate::egress::Probed;
use crate::page::Message;
use crate::tab::Navigated;

/// Input of the state machine.
#[derive(Debug)]
pub(super) enum Input<'a> {
    /// Response to the visit's own navigation.
    Navigated(Result<Navigated, CdpError>),
    /// A request of the page is about to be sent.
    Request(Request<'a>),
    /// The head of a response was received.
    Response(Received<'a>),
    /// The loading of a request has ended.
    Loaded { request_id: &'a str, end: LoadEnd },
    /// Result of the probe of a redirect's target.
    Probed(Probed),
    /// Message of the page script.
    Message(Message),
    /// The document was parsed, or it and its resources have loaded.
    Shown,
    /// The requested frame was drawn or given up.
    Drawn,
    /// The download limit is reached.
    OverLimit,
    /// The page's renderer process ended.
    Crashed,
    /// The browser ended.
    Disconnected,
}

/// `Network.requestWillBeSent`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request<'a> {
    #[serde(borrow)]
    pub request_id: Cow<'a, str>,
    #[serde(borrow)]
    pub loader_id: Cow<'a, str>,
    #[serde(borrow)]
    pub request: Target<'a>,
    #[serde(borrow)]
    pub redirect_response: Option<Response<'a>>,
    #[serde(borrow, rename = "type")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub frame_id: Option<Cow<'a, str>>,
}

impl Request<'_> {
    /// Returns true when the request goes to another origin than the page's.
    pub fn is_elsewhere(&self, page: &Url) -> bool {
        let url = Url::parse(&self.request.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        url.is_some_and(|url| url.origin() != page.origin())
    }

    /// Returns true for a preload from another site than the page's, which may not be needed.
    pub fn is_in_advance(&self, page: &Url) -> bool {
        let url = Url::parse(&self.request.url).ok().filter(|_| self.request.is_link_preload);
        url.is_some_and(|url| {
            url.host_str().zip(page.host_str()).is_some_and(|(host, own)| !is_same_site(own, host))
        })
    }
}

/// Target of a request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Target<'a> {
    /// Address without the fragment.
    #[serde(borrow)]
    pub url: Cow<'a, str>,
    #[serde(borrow)]
    pub url_fragment: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub method: Cow<'a, str>,
    /// Request by `<link rel=preload>`.
    #[serde(default)]
    pub is_link_preload: bool,
}

impl Target<'_> {
    /// Returns the address with its fragment.
    pub fn with_fragment(&self) -> String {
        format!("{}{}", self.url, self.url_fragment.as_deref().unwrap_or_default())
    }
}

/// `Network.responseReceived`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Received<'a> {
    #[serde(borrow)]
    pub request_id: Cow<'a, str>,
    #[serde(borrow)]
    pub loader_id: Cow<'a, str>,
    #[serde(borrow)]
    pub response: Response<'a>,
}

/// Head of a response.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response<'a> {
    #[serde(borrow, default)]
    pub url: Cow<'a, str>,
    pub status: u16,
    #[serde(borrow)]
    pub mime_type: Cow<'a, str>,
    #[serde(borrow)]
    pub headers: HashMap<Cow<'a, str>, Cow<'a, str>>,
}

impl Response<'_> {
    /// Returns the value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// Returns true for a redirect that the browser made up because of HSTS.
    pub fn is_internal(&self) -> bool {
        self.header("non-authoritative-reason").is_some()
    }
}

/// End of the loading of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoadEnd {
    Finished,
    /// The network failed.
    Failed,
    /// The browser did not send the request, because of a blocked address or a policy.
    Blocked,
    /// The page or the browser cancelled it.
    Cancelled,
}

impl LoadEnd {
    /// Returns true when the response cannot be complete.
    pub fn is_broken(self) -> bool {
        matches!(self, LoadEnd::Failed | LoadEnd::Blocked)
    }
}

/// `Network.loadingFinished` and `Network.loadingFailed`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadingEnded<'a> {
    #[serde(borrow)]
    pub request_id: Cow<'a, str>,
    /// The browser cancelled the request.
    #[serde(default)]
    pub canceled: bool,
    /// Reason why the browser did not send the request.
    #[serde(borrow, default)]
    pub blocked_reason: Option<Cow<'a, str>>,
}

/// `Runtime.bindingCalled`.
#[derive(Debug, Deserialize)]
pub(super) struct BindingCalled<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    #[serde(borrow)]
    pub payload: Cow<'a, str>,
}
