//! The reverse proxy: passes a request to its origin and the response to the client, both as streams.
//! Used by the edge for people, assets, and whatever rendering cannot answer. Must never buffer a body, repeat a request
//! that may have had an effect, or wait for ever.

use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crawler::errors::causes;
use crawler::{Network, NetworkError, Refusal};
use http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri, Version};
use hyper::body::{Body as _, Incoming};
use rustls::ClientConfig;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::body::{self, BodyProgress, BrokenOff, EdgeBody, RequestBody, Steady, StoodStill};
use super::bulkhead::{Bulkhead, SharedSlot};
use super::headers::{self, Arrival};
use super::open_tunnels::{OpenTunnel, OpenTunnels, TunnelLimits};
use super::tunnel;
use super::upstream::{self, ConnectTimeout, IsOurselves, OriginPool};
use platform::listen::in_flight::RequestInFlight;
use platform::listen::interim::InterimResponses;
use platform::listen::unread::ClientBody;

/// Time limits of an origin's response, and limits of concurrent requests and tunnels.
#[derive(Debug, Clone, Copy)]
pub struct OriginLimits {
    /// Time from the last byte of the request to the head of the response.
    pub head: Duration,
    /// Time between two pieces of a body, in either direction.
    pub body_idle: Duration,
    /// Time between two bytes of a tunnel, in either direction.
    pub tunnel_idle: Duration,
    /// Requests in flight per domain.
    pub requests_per_domain: usize,
    /// Tunnels that are open at the same time.
    pub tunnels: TunnelLimits,
}

impl Default for OriginLimits {
    fn default() -> OriginLimits {
        OriginLimits {
            head: Duration::from_secs(60),
            body_idle: Duration::from_secs(30),
            tunnel_idle: Duration::from_secs(300),
            requests_per_domain: 256,
            tunnels: TunnelLimits::of(1024),
        }
    }
}

/// Origin of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginTarget {
    /// Host, and port unless it is the scheme's default. Also the `Host` header and the TLS server name.
    pub authority: Authority,
    /// True when the origin is reached over TLS.
    pub tls: bool,
}

/// Reason for which the origin gave no response.
#[derive(Debug, thiserror::Error)]
pub enum ForwardError {
    /// The request has passed through here before, or the origin's address is ours.
    #[error("the request leads back to this service")]
    Loop,
    /// The origin cannot be reached, or closed the connection.
    #[error("the origin cannot be reached")]
    Down(#[source] Box<dyn Error + Send + Sync>),
    /// The origin did not answer in time.
    #[error("the origin took too long")]
    Slow,
    /// The domain or its origin has reached its limit of requests in flight.
    #[error("too many requests of this domain wait for its origin")]
    Busy,
    /// The client stopped sending its own request.
    #[error("the client stopped sending")]
    ClientStopped,
    /// The request cannot be passed on as it is.
    #[error("the request is malformed")]
    BadRequest,
}

/// Facts about a request to be forwarded that its headers do not state.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    /// Client and peer of the request.
    pub arrival: &'a Arrival,
    /// Host of the domain.
    pub domain: &'a str,
    /// Authority that the client requested.
    pub public: &'a str,
    /// Origin of the request.
    pub origin: &'a OriginTarget,
}

/// Forwards requests to origins. Cheap to clone; clones share the connections.
#[derive(Clone)]
pub struct Forwarder {
    pool: OriginPool,
    bulkhead: Bulkhead,
    tunnels: OpenTunnels,
    /// Name of this installation in `Via` and `CDN-Loop`.
    own_name: Arc<str>,
    limits: OriginLimits,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Forwarder {
    /// Returns a forwarder with its own pool.
    pub fn new(
        network: Network,
        tls: Arc<ClientConfig>,
        own: Arc<[IpAddr]>,
        own_name: Arc<str>,
        limits: OriginLimits,
        (tasks, shutdown): (TaskTracker, CancellationToken),
    ) -> Forwarder {
        let pool = upstream::pool(network, tls, own);
        let bulkhead = Bulkhead::new(limits.requests_per_domain);
        let tunnels = OpenTunnels::new(limits.tunnels);
        Forwarder { pool, bulkhead, tunnels, own_name, limits, tasks, shutdown }
    }

    /// Forwards a request to its origin.
    pub async fn forward(
        &self,
        mut request: Request<ClientBody>,
        passage: Passage<'_>,
        in_flight: RequestInFlight,
    ) -> Result<Response<EdgeBody>, ForwardError> {
        if headers::has_looped(request.headers(), &self.own_name) {
            return Err(ForwardError::Loop);
        }
        let authority = passage.origin.authority.as_str();
        let place = self.bulkhead.enter(passage.domain, authority).ok_or(ForwardError::Busy)?;
        let place = SharedSlot::new(place);
        let websocket = headers::wants_websocket(request.headers(), request.version())
            .then(|| request.headers().get(UPGRADE).cloned())
            .flatten();
        let client_upgrade = websocket.is_some().then(|| hyper::upgrade::on(&mut request));

        let progress = BodyProgress::start();
        // Clients of HTTP/1.0 know no interim responses, and the HTTP library sends none over HTTP/2.
        let interim = (request.version() == Version::HTTP_11).then(|| in_flight.interim());
        let mut request = self.towards_origin(request, passage, websocket, (&progress, &place))?;
        let response = match interim {
            Some(interim) => {
                pass_early_hints(&mut request, &interim);
                let response = self.send(request, &progress).await;
                interim.close();
                response
            }
            None => self.send(request, &progress).await,
        };
        let mut response = response?;

        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            let Some(client_upgrade) = client_upgrade else {
                return Err(ForwardError::Down("the origin switched protocols unasked".into()));
            };
            // From here on the tunnel is a connection and no waiting request: it releases its slot.
            let origin_upgrade = hyper::upgrade::on(&mut response);
            let open = self.tunnels.open(passage.domain, passage.arrival.client);
            self.tunnel(client_upgrade, origin_upgrade, (in_flight, open));
            return Ok(self.switching_protocols(response, passage));
        }
        let (mut head, incoming) = response.into_parts();
        self.towards_client(&mut head, passage);
        let mut steady = Steady::new(incoming, self.limits.body_idle);
        // From here on the response's body holds or releases the slot, also while the client still sends.
        if let Some(place) = place.take_back() {
            steady = steady.keeping(place);
        }
        Ok(Response::from_parts(head, body::streamed(steady)))
    }

    fn towards_origin(
        &self,
        request: Request<ClientBody>,
        passage: Passage<'_>,
        websocket: Option<HeaderValue>,
        (progress, place): (&BodyProgress, &SharedSlot),
    ) -> Result<Request<RequestBody>, ForwardError> {
        let Passage { arrival, public, origin, .. } = passage;
        let (mut head, incoming) = request.into_parts();
        let path = head.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        head.uri = Uri::builder()
            .scheme(if origin.tls { Scheme::HTTPS } else { Scheme::HTTP })
            .authority(origin.authority.clone())
            .path_and_query(path)
            .build()
            .map_err(|_| ForwardError::BadRequest)?;
        let version = std::mem::replace(&mut head.version, Version::HTTP_11);
        headers::to_origin(
            &mut head.headers,
            arrival,
            public,
            origin.authority.as_str(),
            &self.own_name,
            version,
        );
        if let Some(protocol) = websocket {
            head.headers.insert(UPGRADE, protocol);
            head.headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        }
        let body = match incoming.is_end_stream() {
            true => RequestBody::Left(http_body_util::Empty::new()),
            false => {
                // Without either header the HTTP library assumes that a GET has no body.
                if !head.headers.contains_key(CONTENT_LENGTH) {
                    head.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
                }
                let steady = Steady::new(body::of_client(incoming), self.limits.body_idle);
                RequestBody::Right(steady.with_floor().marking(progress.clone()).resting(place.borrow()))
            }
        };
        Ok(Request::from_parts(head, body))
    }

    fn towards_client(&self, head: &mut http::response::Parts, passage: Passage<'_>) {
        let Passage { arrival, public, origin, .. } = passage;
        headers::from_origin(
            &mut head.headers,
            arrival,
            public,
            origin.authority.as_str(),
            &self.own_name,
            head.version,
        );
        // The origin's version ends here; the server writes the client's version.
        head.version = Version::default();
        head.extensions.clear();
    }

    /// Sends the request. Repeats it once when a kept connection turns out to be dead and the request cannot have had an effect.
    async fn send(
        &self,
        request: Request<RequestBody>,
        progress: &BodyProgress,
    ) -> Result<Response<Incoming>, ForwardError> {
        let again = is_repeatable(&request).then(|| copy_of(&request));
        match (self.send_once(request, progress).await, again) {
            (Err(Failed { error: ForwardError::Down(error), was_kept: true }), Some(request))
                if hung_up(error.as_ref()) =>
            {
                self.send_once(request, progress).await.map_err(|failed| failed.error)
            }
            (result, _) => result.map_err(|failed| failed.error),
        }
    }

    async fn send_once(
        &self,
        request: Request<RequestBody>,
        progress: &BodyProgress,
    ) -> Result<Response<Incoming>, Failed> {
        let response = self.pool.request(request);
        tokio::pin!(response);
        let started = Instant::now();
        loop {
            // The origin's time starts when the client has sent everything, that is, when there is no more progress.
            let deadline = progress.last().max(started) + self.limits.head;
            tokio::select! {
                response = &mut response => {
                    let response = response.map_err(|error| Failed {
                        was_kept: upstream::has_served(&error),
                        error: classify(Box::new(error)),
                    })?;
                    upstream::mark_served(&response);
                    return Ok(response);
                }
                () = tokio::time::sleep_until(deadline) => {
                    if progress.last().max(started) + self.limits.head <= deadline {
                        return Err(Failed { error: ForwardError::Slow, was_kept: false });
                    }
                }
            }
        }
    }

    /// Joins the two connections once both have switched protocols.
    fn tunnel(
        &self,
        client: hyper::upgrade::OnUpgrade,
        origin: hyper::upgrade::OnUpgrade,
        (in_flight, open): (RequestInFlight, OpenTunnel),
    ) {
        let (shutdown, idle) = (self.shutdown.clone(), self.limits.tunnel_idle);
        self.tasks.spawn(async move {
            let _in_flight = in_flight;
            tokio::select! {
                result = tunnel::join(client, origin, idle) => if let Err(error) = result {
                    tracing::debug!(%error, "a tunnel ended");
                },
                () = open.ended() => tracing::debug!("a tunnel made room for another one"),
                () = shutdown.cancelled() => {}
            }
        });
    }

    fn switching_protocols(&self, response: Response<Incoming>, passage: Passage<'_>) -> Response<EdgeBody> {
        let (mut head, _) = response.into_parts();
        let protocol = head.headers.get(UPGRADE).cloned();
        self.towards_client(&mut head, passage);
        head.headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        head.headers.insert(UPGRADE, protocol.unwrap_or(HeaderValue::from_static("websocket")));
        Response::from_parts(head, body::empty())
    }
}

/// Lets the connection of `interim` write the early hints that the origin sends.
fn pass_early_hints(request: &mut Request<RequestBody>, interim: &InterimResponses) {
    interim.open();
    let interim = interim.clone();
    hyper::ext::on_informational(request, move |response| {
        if response.status() == StatusCode::EARLY_HINTS {
            interim.send(&headers::early_hints(response.headers()));
        }
    });
}

/// First failure of a request.
struct Failed {
    error: ForwardError,
    /// True when the connection had served a request before: then its end says nothing about this request.
    was_kept: bool,
}

/// Returns true when a request may be sent twice: it is idempotent (RFC 9110, 9.2.2) and has no body.
fn is_repeatable(request: &Request<RequestBody>) -> bool {
    let is_idempotent = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS | Method::PUT | Method::DELETE
    );
    is_idempotent && request.body().is_end_stream() && !request.headers().contains_key(UPGRADE)
}

fn copy_of(request: &Request<RequestBody>) -> Request<RequestBody> {
    let mut copy = Request::new(RequestBody::Left(http_body_util::Empty::new()));
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    copy
}

/// Returns true when the origin closed the connection without a response, as it does with an idle one.
fn hung_up(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| {
        cause
            .downcast_ref::<hyper::Error>()
            .is_some_and(|error| error.is_incomplete_message() || error.is_canceled())
            || cause.downcast_ref::<std::io::Error>().is_some_and(|error| {
                use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
                matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset)
            })
    })
}

fn classify(error: Box<dyn Error + Send + Sync>) -> ForwardError {
    let is_own =
        |error: &NetworkError| matches!(error, NetworkError::Refused { reason: Refusal::OwnListener, .. });
    if causes(error.as_ref())
        .any(|cause| cause.is::<IsOurselves>() || cause.downcast_ref().is_some_and(is_own))
    {
        return ForwardError::Loop;
    }
    if causes(error.as_ref()).any(|cause| cause.is::<StoodStill>()) {
        return ForwardError::ClientStopped;
    }
    if causes(error.as_ref()).any(|cause| cause.is::<BrokenOff>()) {
        return ForwardError::BadRequest;
    }
    let is_late = |error: &std::io::Error| error.kind() == std::io::ErrorKind::TimedOut;
    if causes(error.as_ref())
        .any(|cause| cause.is::<ConnectTimeout>() || cause.downcast_ref().is_some_and(is_late))
    {
        return ForwardError::Slow;
    }
    ForwardError::Down(error)
}
