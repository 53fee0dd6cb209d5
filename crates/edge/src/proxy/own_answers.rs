//! Answers of the installation itself, on customers' hosts and on its own: proofs for certificate authorities and for the
//! connection check, and its own site. Used by the handlers before they look up a domain. Must never answer an unknown token.

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response};

use super::body::{self, EdgeBody};
use super::handlers::{Peer, redirect};
use super::headers::Arrival;
use super::own_site::OwnSite;
use super::route::RequestedHost;
use super::service::Inner;
use domains::connection::probe;
use platform::listen::unread::ClientBody;

/// Path prefix of the proofs for certificate authorities.
const ACME_PREFIX: &str = "/.well-known/acme-challenge/";

/// Answers a request for the installation itself. Returns any other request as the error.
pub async fn respond(
    edge: &Inner,
    requested: &RequestedHost,
    request: Request<ClientBody>,
    peer: &Peer,
) -> Result<Response<EdgeBody>, Request<ClientBody>> {
    if let Some(token) = request.uri().path().strip_prefix(ACME_PREFIX)
        && let Some(response) = Box::pin(respond_to_challenge(edge, requested, token)).await
    {
        return Ok(response);
    }
    if let Some(own_site) = edge.own_site.as_ref().filter(|own_site| own_site.has(&requested.host)) {
        return Ok(Box::pin(respond_as_own_site(edge, own_site, request, peer)).await);
    }
    respond_to_probe(edge, requested, request.uri().path()).ok_or(request)
}

/// Proves to a certificate authority that the host leads here. Unknown tokens go to the origin, which may have
/// its own certificates.
async fn respond_to_challenge(
    edge: &Inner,
    requested: &RequestedHost,
    token: &str,
) -> Option<Response<EdgeBody>> {
    let proof = edge.certificates.as_ref()?.find_challenge(token, &requested.host).await?;
    let mut response = Response::new(body::full(proof));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    Some(response)
}

/// Proves to our own connection check that the domain leads here. Paths with other nonces are handled like any other.
fn respond_to_probe(edge: &Inner, requested: &RequestedHost, path: &str) -> Option<Response<EdgeBody>> {
    let found = edge.probe_key.respond(path, &requested.host, probe::ProbeRoute::Edge, edge.clock.now())?;
    let headers = found.headers();
    let mut response = Response::new(body::full(found.html));
    *response.headers_mut() = headers;
    Some(response)
}

/// Answers for the installation itself, or redirects the client to its public address over TLS.
async fn respond_as_own_site(
    edge: &Inner,
    own_site: &OwnSite,
    request: Request<ClientBody>,
    peer: &Peer,
) -> Response<EdgeBody> {
    let trusted = &edge.config.edge.trusted_proxies;
    if Arrival::of(request.headers(), peer.address, peer.name.is_some(), trusted).https {
        return own_site.respond(request, peer.address).await;
    }
    redirect(request.method(), 301, &own_site.location(&request))
}
