//! Fetches untrusted addresses: sitemaps, robots.txt, origins. Used by every feature that reads the web.
//! Must never follow a redirect without a full check, wait for ever, or hold more of a body than the limit.

mod body;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use ::url::Url;
use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::capture_connection;
use rustls::ClientConfig;
use tokio::time::Instant;

pub use body::{Body, ReadBody};

use crate::Network;
use crate::connector::{ConnectError, Connector};
use crate::tolerant::{self, TolerantClient};
use crate::url::{TargetError, join_location, parse_target};

/// Longest address that a redirect may lead to.
const MAX_REDIRECT_BYTES: usize = 8192;

/// One fetch: address and limits.
#[derive(Debug, Clone)]
pub struct FetchRequest {
    /// GET or HEAD.
    pub method: Method,
    /// Absolute `http` or `https` address.
    pub url: Url,
    /// Further headers of every hop; a user agent replaces the default. No secrets: a redirect may lead to another host.
    pub headers: HeaderMap,
    /// Redirects that are followed; one more is an error.
    pub max_redirects: u32,
    /// Hosts that redirects may lead to; a redirect to another host is the final response. None: any host. Empty: no
    /// redirect is followed.
    pub stay_on: Option<Vec<String>>,
    /// Bytes of the body after decompression; one more is an error.
    pub max_body_bytes: u64,
    /// Time limits of the parts.
    pub time_limits: TimeLimits,
}

/// Time limits of the parts of a fetch.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimits {
    /// Time from the start of a hop to a usable connection: DNS, TCP and TLS.
    pub connect: Duration,
    /// Time from the connection to the end of the response's headers.
    pub headers: Duration,
    /// Time of the whole fetch, redirects and body included.
    pub total: Duration,
}

impl FetchRequest {
    /// Makes a GET with the usual limits: 10 redirects, 10 MiB, 5 s to connect, 10 s for headers, 30 s in all.
    pub fn get(url: Url) -> FetchRequest {
        FetchRequest {
            method: Method::GET,
            url,
            headers: HeaderMap::new(),
            max_redirects: 10,
            stay_on: None,
            max_body_bytes: 10 * 1024 * 1024,
            time_limits: TimeLimits {
                connect: Duration::from_secs(5),
                headers: Duration::from_secs(10),
                total: Duration::from_secs(30),
            },
        }
    }

    /// Makes a HEAD request with the limits of [`FetchRequest::get`].
    pub fn head(url: Url) -> FetchRequest {
        FetchRequest { method: Method::HEAD, ..FetchRequest::get(url) }
    }

    fn follows_nothing(&self) -> bool {
        self.stay_on.as_ref().is_some_and(Vec::is_empty)
    }

    fn follows_to(&self, next: &Url) -> bool {
        let is_among = |hosts: &Vec<String>| hosts.iter().any(|host| next.host_str() == Some(host));
        self.stay_on.as_ref().is_none_or(is_among)
    }
}

/// Final response of a fetch. A status of 4xx or 5xx is a response too, not an error.
#[derive(Debug)]
pub struct Fetched {
    /// Address of the final response.
    pub url: Url,
    /// Status; a 3xx only when it names no address, or one that is not followed.
    pub status: StatusCode,
    /// Headers as received.
    pub headers: HeaderMap,
    /// Addresses that redirected, in order; the first is that of the request.
    pub redirects: Vec<Redirect>,
    /// The body, not yet read.
    pub body: Body,
}

/// One redirect on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// Address that redirected.
    pub url: Url,
    pub status: StatusCode,
}

/// A part of a fetch that has a time limit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// DNS, TCP and TLS.
    Connect,
    /// Until the response's headers are there.
    Headers,
    /// The body, or everything together.
    Total,
}

/// A fetch that failed.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// No connection: refused by the guard, unknown to DNS, not answering, or without a valid certificate.
    #[error("could not connect")]
    Connect(#[source] Arc<ConnectError>),
    /// A part took too long.
    #[error("the server took too long ({0:?})")]
    Timeout(Phase),
    /// More redirects than allowed.
    #[error("more than {limit} redirects")]
    TooManyRedirects { limit: u32 },
    /// A redirect to something that is not fetched.
    #[error("redirected to an address that is not followed")]
    BadRedirect(#[source] TargetError),
    /// A redirect from `https` to plain `http` of another host.
    #[error("redirected from https to plain http of another host")]
    Downgrade,
    /// The connection broke or the answer is not HTTP.
    #[error("the server's answer could not be read")]
    Broken(#[source] Box<dyn Error + Send + Sync>),
    /// A compression that was not offered and cannot be undone.
    #[error("the body is encoded as {0:?}, which was not asked for")]
    Encoding(String),
    /// The body is longer than allowed, counted after decompression.
    #[error("the body is longer than {limit} bytes")]
    TooLarge { limit: u64 },
}

impl FetchError {
    /// Returns true when the guard refused the address, as opposed to a failure of the network.
    pub fn is_refused(&self) -> bool {
        match self {
            FetchError::Connect(error) => {
                matches!(&**error, ConnectError::Network(network) if network.is_refused())
            }
            _ => false,
        }
    }

    /// Returns true when the same fetch may succeed a little later.
    pub fn is_transient(&self) -> bool {
        match self {
            FetchError::Connect(error) => {
                matches!(&**error, ConnectError::Network(network) if network.is_transient())
            }
            FetchError::Timeout(_) | FetchError::Broken(_) => true,
            _ => false,
        }
    }
}

/// The fetcher. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Fetcher {
    client: TolerantClient<Empty<Bytes>>,
    user_agent: HeaderValue,
}

impl Fetcher {
    /// Fetches through `network`, trusting what `tls` trusts, under a name that site owners can look up.
    pub fn new(network: Network, tls: Arc<ClientConfig>, user_agent: HeaderValue) -> Fetcher {
        let client = TolerantClient::new(Connector::new(network, tls), tolerant::builder());
        Fetcher { client, user_agent }
    }

    /// Sends the request and follows redirects. Returns the response with its body unread.
    pub async fn fetch(&self, request: FetchRequest) -> Result<Fetched, FetchError> {
        let deadline = Instant::now() + request.time_limits.total;
        let mut url = request.url.clone();
        let mut redirects = Vec::new();
        loop {
            let hop = self.send(&request, &url);
            let response = tokio::time::timeout_at(deadline, hop)
                .await
                .map_err(|_| FetchError::Timeout(Phase::Total))??;
            let next = if request.follows_nothing() { None } else { redirect_target(&url, &response)? };
            let Some(next) = next.filter(|next| request.follows_to(next)) else {
                let (head, body) = response.into_parts();
                let body = Body::new(body, &request.method, &head.headers, deadline, request.max_body_bytes)?;
                return Ok(Fetched { url, status: head.status, headers: head.headers, redirects, body });
            };
            if redirects.len() as u64 >= u64::from(request.max_redirects) {
                return Err(FetchError::TooManyRedirects { limit: request.max_redirects });
            }
            redirects.push(Redirect { url, status: response.status() });
            url = next;
        }
    }

    async fn send(&self, request: &FetchRequest, url: &Url) -> Result<Response<Incoming>, FetchError> {
        let mut message = Request::new(Empty::new());
        *message.method_mut() = request.method.clone();
        *message.uri_mut() = url[..::url::Position::AfterQuery]
            .parse()
            .map_err(|error| FetchError::Broken(Box::new(error)))?;
        *message.headers_mut() = request.headers.clone();
        let headers = message.headers_mut();
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"));
        headers.entry(USER_AGENT).or_insert_with(|| self.user_agent.clone());

        let mut connected = capture_connection(&mut message);
        let mut response = std::pin::pin!(self.client.send(message));
        let limits = request.time_limits;
        tokio::select! {
            biased;
            result = &mut response => return result.map_err(explain),
            _ = connected.wait_for_connection_metadata() => {}
            () = tokio::time::sleep(limits.connect) => return Err(FetchError::Timeout(Phase::Connect)),
        }
        match tokio::time::timeout(limits.headers, response).await {
            Ok(result) => result.map_err(explain),
            Err(_) => Err(FetchError::Timeout(Phase::Headers)),
        }
    }
}

/// Finds the target of a redirect. Returns `None` for any other response.
fn redirect_target(from: &Url, response: &Response<Incoming>) -> Result<Option<Url>, FetchError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(LOCATION) else { return Ok(None) };
    let to = join_location(from, location).ok_or(FetchError::BadRedirect(TargetError::Malformed))?;
    let to = parse_target(to.as_str(), MAX_REDIRECT_BYTES).map_err(FetchError::BadRedirect)?;
    if from.scheme() == "https" && to.scheme() == "http" && from.host() != to.host() {
        return Err(FetchError::Downgrade);
    }
    Ok(Some(to))
}

fn explain(error: hyper_util::client::legacy::Error) -> FetchError {
    match error.source().and_then(|source| source.downcast_ref::<Arc<ConnectError>>()) {
        Some(connect) => FetchError::Connect(connect.clone()),
        None => FetchError::Broken(Box::new(error)),
    }
}

#[cfg(test)]
mod tests;
