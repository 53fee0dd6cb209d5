//! What the browser reports about a page during a visit, read into inputs of the state machine. Used by the visit.
//! Must never fail on a message that is not as expected: what cannot be read is left out.

use std::borrow::Cow;
use std::collections::HashMap;

use crawler::url::is_same_site;
use serde::Deserialize;
use url::Url;

use crate::cdp::CdpError;
use crate::egress::ProbeResult;
use crate::page::Message;
use crate::tab::Navigated;

/// Something that happened, as far as it can decide how a visit goes on.
#[derive(Debug)]
pub(super) enum Input<'a> {
    /// The answer to the visit's own navigation.
    Navigated(Result<Navigated, CdpError>),
    /// A request of the page is about to be sent.
    Request(Request<'a>),
    /// The head of a response is there.
    Response(Received<'a>),
    /// The loading of a request has ended.
    Loaded { request_id: &'a str, end: LoadEnd },
    /// What was found out about a redirect's target.
    ProbeResult(ProbeResult),
    /// The script in the page has something to say.
    Message(Message),
    /// The document has been read, or what belongs to it has loaded, too.
    Shown,
    /// The frame that was asked for is drawn, or will not be.
    Drawn,
    /// The page may download no more.
    OverLimit,
    /// The page's own process ended.
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
    /// Decides whether it goes to another origin than the page's.
    pub fn is_elsewhere(&self, page: &Url) -> bool {
        let url = Url::parse(&self.request.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        url.is_some_and(|url| url.origin() != page.origin())
    }

    /// Whether another site than the page's own is asked for something that is wanted later, if at all.
    pub fn is_in_advance(&self, page: &Url) -> bool {
        let url = Url::parse(&self.request.url).ok().filter(|_| self.request.is_link_preload);
        url.is_some_and(|url| {
            url.host_str().zip(page.host_str()).is_some_and(|(host, own)| !is_same_site(own, host))
        })
    }
}

/// Where a request goes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Target<'a> {
    /// Without the fragment.
    #[serde(borrow)]
    pub url: Cow<'a, str>,
    #[serde(borrow)]
    pub url_fragment: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub method: Cow<'a, str>,
    /// By `<link rel=preload>`.
    #[serde(default)]
    pub is_link_preload: bool,
}

impl Target<'_> {
    /// The whole address.
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

/// The head of a response.
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
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// Whether the browser made this response up, because it remembers that the host wants https.
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
    /// The browser gave it up by itself.
    #[serde(default)]
    pub canceled: bool,
    /// Why the browser did not send it.
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
