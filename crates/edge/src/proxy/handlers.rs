//! Answers requests for customers' hosts: local paths, designed pages, redirects, snapshots for crawlers, and the origin
//! for everybody else. Used by the edge's listeners. Must never answer a host with another customer's page, and never
//! fail a request because a page could not be rendered: then the origin answers.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use crawler::errors::one_line;
use http::header::{AUTHORIZATION, CONNECTION, LOCATION, UPGRADE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use url::Url;

use super::answers::AnswerKind;
use super::body::{self, EdgeBody};
use super::forward::{ForwardError, Passage};
use super::headers::{self, Arrival};
use super::own_answers;
use super::pages::NoticePage;
use super::root_file::{self, RootFileTurn};
use super::route::{self, RequestedHost, Route};
use super::service::{Edge, Inner};
use super::snapshot::{self, Asking};
use super::visits::OriginVisit;
use analytics::Verified;
use analytics::verify::Claim;
use domains::Site;
use platform::listen::in_flight::RequestInFlight;
use platform::listen::smuggling_guard;
use platform::listen::unread::{self, ClientBody};
use render::model::{Freshness, PolicyRefusal, UnverifiedClient, deadline_of};
use render::request_facts::{DecidingHeaders, RequestFacts};
use render::{EntryPoint, RenderCall, RenderResponse};

/// Peer of the connection that a request arrived on.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Address of the peer.
    pub address: IpAddr,
    /// Server name of its TLS handshake. None for plain HTTP.
    pub name: Option<Arc<str>>,
}

impl Edge {
    /// Answers one request.
    pub async fn respond(
        &self,
        request: Request<Incoming>,
        peer: Peer,
        in_flight: RequestInFlight,
    ) -> Response<EdgeBody> {
        let is_http1 = request.version() != Version::HTTP_2;
        let mut closes = smuggling_guard::closes_after(request.headers());
        let is_head = *request.method() == Method::HEAD;
        let waits_to_send = unread::waits_to_send(request.headers());
        let held = in_flight.clone();
        let (request, unread) = unread::divide(request);
        let started = Instant::now();
        let (kind, mut response) = match response_to(self.inner(), request, peer, in_flight).await {
            Ok(answer) => answer,
            Err(page) => {
                // After an unreadable request the connection cannot be used again.
                closes |=
                    matches!(page, NoticePage::BadRequest | NoticePage::ClientStopped | NoticePage::Method);
                (AnswerKind::of_notice(page), without_body(page.response(), is_head))
            }
        };
        kind.record(started.elapsed());
        if !unread.is_read(waits_to_send).await {
            held.leave_unread();
            closes = true;
        }
        // HTTP/2 connections get GOAWAY from their listener.
        closes |= self.inner().draining.has_begun();
        if closes && is_http1 && response.status() != StatusCode::SWITCHING_PROTOCOLS {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response.map(|body| body.ending(held))
    }
}

/// An answer and its kind.
pub(super) type Answer = (AnswerKind, Response<EdgeBody>);

async fn response_to(
    edge: &Inner,
    request: Request<ClientBody>,
    peer: Peer,
    in_flight: RequestInFlight,
) -> Result<Answer, NoticePage> {
    if matches!(*request.method(), Method::CONNECT | Method::TRACE) {
        return Err(NoticePage::Method);
    }
    let (parts, incoming) = request.into_parts();
    let requested = route::requested_host(&parts).map_err(|_| NoticePage::BadRequest)?;
    let request = Request::from_parts(parts, incoming);
    // The handshake proved one name; a request for another one would bypass the decision of that name's own handshake.
    if peer.name.as_ref().is_some_and(|name| **name != *requested.host) {
        return Err(NoticePage::UnknownHost);
    }
    if headers::has_looped(request.headers(), &edge.own_name) {
        return Err(NoticePage::Loop);
    }
    // Rare paths are boxed, and only where they are taken: the future of every request has the size of the largest path.
    let request = match own_answers::respond(edge, &requested, request, &peer).await {
        Ok(response) => return Ok((AnswerKind::OwnSite, response)),
        Err(request) => request,
    };
    let (route, site) = edge.find(&requested.host).await.map_err(|error| {
        tracing::warn!(%error, "the domain of a request could not be looked up");
        NoticePage::Unavailable
    })?;
    let site = site.ok_or(NoticePage::UnknownHost)?;
    match route {
        Route::Unknown => return Err(NoticePage::UnknownHost),
        Route::Suspended => return Err(NoticePage::Suspended),
        Route::Pending => {
            edge.connection.check_soon(&site.domain.host, &site.domain.account_id);
            return Err(NoticePage::Pending);
        }
        Route::Serve | Route::PassThrough => {}
    }
    let arrival =
        Arrival::of(request.headers(), peer.address, peer.name.is_some(), &edge.config.edge.trusted_proxies);
    let target = target(&request, &arrival, &requested).ok_or(NoticePage::BadRequest)?;
    let root_file = root_file::find(edge, route, &site, request.method(), &target).await;
    let is_probe = edge.probe_marks.are_in(request.headers(), &requested.host, edge.clock.now());
    let crawlers = CrawlerContext {
        edge,
        site: &site,
        target: &target,
        arrival: &arrival,
        requested: &requested,
        is_probe,
    };
    if !arrival.https && has_certificate(edge, &requested.host).await {
        // A file at the root precedes redirect rules, which may answer only once the origin has been asked.
        let rules = (route == Route::Serve && root_file.is_none()).then_some(&*site);
        return Ok(Box::pin(crawlers.send_to_https(&request, rules)).await);
    }
    let asked = match root_file::respond(&crawlers, &request, root_file, &in_flight).await {
        RootFileTurn::Respond(answer) => return Ok(*answer),
        RootFileTurn::Asked(response) => Some(response),
        RootFileTurn::Pass => None,
    };
    let claim = match route {
        Route::Serve => match crawlers.respond(&request).await {
            Decided::Respond(answer) => return Ok(*answer),
            Decided::PassOn(claim) => claim,
        },
        _ => crawlers.claim(&DecidingHeaders::of(request.headers()), request.headers()).await,
    };
    let visit = OriginVisit::begin(&request, &claim).filter(|_| !is_probe);
    let response = match asked {
        Some(response) => *response,
        None => Box::pin(forward(edge, request, &site, &target, &arrival, &requested, in_flight)).await,
    };
    if let Some(visit) = visit {
        visit.end(edge, &site, &target, &response);
    }
    response.map(|response| (AnswerKind::of_origin(response.status()), response))
}

/// Decision about a crawler's request.
enum Decided {
    /// The edge itself responds with this answer.
    Respond(Box<Answer>),
    /// The origin responds. The claim names the client's crawler, if any.
    PassOn(Claim),
}

/// Context of the decisions before a request is forwarded to the origin.
pub(super) struct CrawlerContext<'a> {
    pub edge: &'a Inner,
    pub site: &'a Arc<Site>,
    pub target: &'a Url,
    pub arrival: &'a Arrival,
    pub requested: &'a RequestedHost,
    /// True when the request is one of our own audits or checks.
    is_probe: bool,
}

impl CrawlerContext<'_> {
    /// Adds the port that the client used to a location on the same site and scheme.
    pub fn on_asked_port(&self, location: String) -> String {
        let (Some(port), Ok(mut url)) = (self.requested.authority.port_u16(), Url::parse(&location)) else {
            return location;
        };
        let stays = url.scheme() == self.arrival.scheme()
            && url.host_str().is_some_and(|host| self.site.owns_host(host));
        if stays && url.port().is_none() {
            // An http address always accepts a port.
            let _ = url.set_port(Some(port));
        }
        url.into()
    }

    /// Returns the crawler that the client claims to be, and whether the claim is true.
    async fn claim(&self, deciding: &DecidingHeaders<'_>, headers: &HeaderMap) -> Claim {
        let crawler = deciding.crawler(self.target);
        let (client, authority) = (self.arrival.client, self.requested.authority.as_str());
        self.edge.verifier.check(crawler, client, headers, authority).await
    }

    /// Builds the call of the render service.
    fn call<'c>(
        &'c self,
        request: &'c Request<ClientBody>,
        deciding: &'c DecidingHeaders<'c>,
        claim: &Claim,
    ) -> RenderCall<'c> {
        let headers = request.headers();
        let is_private = headers.contains_key(AUTHORIZATION) || headers.contains_key(UPGRADE);
        RenderCall {
            site: self.site,
            target: self.target,
            facts: RequestFacts { is_private, ..deciding.facts(request.method(), claim.is_crawler) },
            entry: EntryPoint::Edge,
            freshness: Freshness::Stored,
            crawler: claim.crawler,
            verified: claim.verified,
            unverified_client: (claim.verified != Verified::Yes)
                .then_some(UnverifiedClient { address: Some(self.arrival.client) }),
            is_probe: self.is_probe,
            deadline: deadline_of(headers),
            format: None,
        }
    }

    /// Returns the redirect to https, or the refusal of a crawler, which precedes redirects.
    async fn send_to_https(&self, request: &Request<ClientBody>, rules: Option<&Site>) -> Answer {
        let has_policy = rules.is_some_and(|site| site.policy(self.target).is_some());
        if has_policy && let Some(answer) = self.refuse(request).await {
            return answer;
        }
        (AnswerKind::Redirect, to_https(request.method(), self.target, rules))
    }

    /// Returns the refusal of a crawler by the domain's policy.
    async fn refuse(&self, request: &Request<ClientBody>) -> Option<Answer> {
        let deciding = DecidingHeaders::of(request.headers());
        let claim = self.claim(&deciding, request.headers()).await;
        let refusal = self.edge.render.policies().refuse(&self.call(request, &deciding, &claim)).await?;
        Some((AnswerKind::Refused, refused(request.method(), refusal)))
    }

    /// Decides on a redirect, a refusal, or a page for a crawler.
    async fn respond(&self, request: &Request<ClientBody>) -> Decided {
        let headers = request.headers();
        let deciding = DecidingHeaders::of(headers);
        let claim = self.claim(&deciding, headers).await;
        match self.edge.render.serve(&self.call(request, &deciding, &claim)).await {
            Ok(RenderResponse::Refused(refusal)) => {
                let response = refused(request.method(), refusal);
                Decided::Respond(Box::new((AnswerKind::Refused, response)))
            }
            Ok(RenderResponse::Redirect { status, location }) => {
                let location = self.on_asked_port(location);
                let response = redirect(request.method(), status, &location);
                Decided::Respond(Box::new((AnswerKind::Redirect, response)))
            }
            Ok(RenderResponse::Page(page)) => {
                let asking = Asking { method: request.method(), headers, target: self.target };
                let response = snapshot::respond(asking, self.site, &page, &self.edge.forms).await;
                Decided::Respond(Box::new((AnswerKind::Snapshot, response)))
            }
            Ok(RenderResponse::Passthrough { .. }) => Decided::PassOn(claim),
            Err(error) => {
                // The origin's answer serves a crawler better than an error of the service.
                tracing::warn!(%error, domain = %self.site.domain.host, "a page could not be looked up");
                Decided::PassOn(claim)
            }
        }
    }
}

pub(super) async fn forward(
    edge: &Inner,
    request: Request<ClientBody>,
    site: &Site,
    target: &Url,
    arrival: &Arrival,
    requested: &RequestedHost,
    in_flight: RequestInFlight,
) -> Result<Response<EdgeBody>, NoticePage> {
    let origin = edge.origin_of(site, &requested.authority).ok_or(NoticePage::OriginDown)?;
    let public = requested.authority.as_str();
    let passage = Passage { arrival, domain: &site.domain.host, public, origin: &origin };
    let forwarded = edge.forwarder.forward(request, passage, in_flight).await;
    let mut response = forwarded.map_err(|error| {
        tracing::debug!(domain = %site.domain.host, error = %one_line(&error), "the origin did not answer");
        match error {
            ForwardError::Loop => NoticePage::Loop,
            ForwardError::Down(_) => NoticePage::OriginDown,
            ForwardError::Slow => NoticePage::OriginSlow,
            ForwardError::Busy => NoticePage::OriginBusy,
            ForwardError::ClientStopped => NoticePage::ClientStopped,
            ForwardError::BadRequest => NoticePage::BadRequest,
        }
    })?;
    if (200..500).contains(&response.status().as_u16()) {
        site.apply_headers(target, response.headers_mut());
    }
    if headers::is_html(response.headers()) {
        // Crawlers and agents get another page at the same address, which a cache in front of us must know.
        headers::vary_by_client(response.headers_mut());
    }
    Ok(response)
}

/// Returns the requested address without its port: a domain has the same pages on every port of the edge.
/// None when the request's target is no path or address.
fn target(request: &Request<ClientBody>, arrival: &Arrival, requested: &RequestedHost) -> Option<Url> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    if !path.starts_with('/') {
        return None;
    }
    Url::parse(&format!("{}://{}{path}", arrival.scheme(), requested.host)).ok()
}

async fn has_certificate(edge: &Inner, host: &str) -> bool {
    let Some(certificates) = &edge.certificates else { return false };
    Box::pin(certificates.is_ready(host)).await
}

/// Redirects a client to https, in one hop with a redirect rule for the https address.
fn to_https(method: &Method, target: &Url, rules: Option<&Site>) -> Response<EdgeBody> {
    let mut secure = target.clone();
    // An http address always accepts both changes.
    let _ = secure.set_scheme("https");
    let _ = secure.set_port(None);
    match rules.and_then(|site| site.redirect(&secure)) {
        Some(found) => redirect(method, found.status, found.location.as_str()),
        None => redirect(method, 301, secure.as_str()),
    }
}

/// Returns a redirect that keeps the method and body: 301 turns a POST into a GET, so methods other than GET and HEAD get 308.
pub(super) fn redirect(method: &Method, status: u16, location: &str) -> Response<EdgeBody> {
    let mut response = Response::new(body::empty());
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    let status = if status == 301 && !is_read { 308 } else { status };
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::MOVED_PERMANENTLY);
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// Returns the response of a refusal by the domain's crawler policy.
fn refused(method: &Method, refusal: PolicyRefusal) -> Response<EdgeBody> {
    let (status, headers) = (refusal.status(), refusal.headers());
    let mut response = Response::new(body::full(refusal.text));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    without_body(response, *method == Method::HEAD)
}

fn without_body(response: Response<EdgeBody>, is_head: bool) -> Response<EdgeBody> {
    if is_head { response.map(|_| body::empty()) } else { response }
}
