//! CONNECT: what https, wss and ws pages ask the proxy for. Usually bytes go through unread; for hosts whose requests are
//! sent elsewhere, and for trackers, the proxy ends the TLS itself and treats each request like one in the clear.
//! Used by the proxy. Must never answer for another host: those pages check their own certificates.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

use super::Shared;
use super::endpoint::{ProxyEndpoint, Refused};
use super::forward::{Address, Body, forward, own_headers_of, route_of};
use super::meter::{Metered, Prefixed};
use super::own_response::own_response;

/// First byte of a TLS handshake.
const TLS_HANDSHAKE: u8 = 0x16;
/// How long a browser may take to begin inside a tunnel; spare connections wait for their first request.
const FIRST_BYTE_LIMIT: Duration = Duration::from_secs(60);

/// Opens a tunnel for the browser, or says why not.
pub(super) async fn open(
    mut request: Request<Incoming>,
    endpoint: Arc<ProxyEndpoint>,
    shared: Arc<Shared>,
) -> Response<Body> {
    let Some((host, port)) =
        request.uri().authority().and_then(|a| Some((a.host().to_owned(), a.port_u16()?)))
    else {
        return own_response(StatusCode::BAD_REQUEST);
    };
    let url = format!("{host}:{port}");
    let Some(traffic) = endpoint.traffic() else { return own_response(StatusCode::FORBIDDEN) };
    if traffic.is_over_limit() {
        traffic.block_over_limit(&url);
        return own_response(StatusCode::FORBIDDEN);
    }
    let upgrade = hyper::upgrade::on(&mut request);

    let is_answered_here = traffic.tracker(&host).is_some()
        || route_of(&traffic, &host).is_some()
        || own_headers_of(&traffic, &host).is_some()
        || shared.upstream.is_plain_http(&host);
    if is_answered_here {
        shared.tasks.clone().spawn(serve_inside(
            upgrade,
            Address { https: false, host, port },
            endpoint,
            shared,
        ));
        return established();
    }
    match shared.upstream.connect(&host, port).await {
        Ok((origin, _)) => {
            let origin = Metered::new(origin, endpoint.clone());
            shared.tasks.spawn(async move {
                if let Ok(browser) = upgrade.await {
                    join(TokioIo::new(browser), origin, &endpoint).await;
                }
            });
            established()
        }
        Err(error) => {
            tracing::debug!(%host, port, %error, "no tunnel");
            let refused = Refused::from(&error);
            let status = if matches!(refused, Refused::Forbidden(_)) {
                StatusCode::FORBIDDEN
            } else {
                StatusCode::BAD_GATEWAY
            };
            traffic.refuse(&url, &host, port, refused);
            own_response(status)
        }
    }
}

/// Carries bytes both ways until either side ends, the limit is met or the tab is closed.
pub(super) async fn join<B, O>(mut browser: B, mut origin: O, endpoint: &ProxyEndpoint)
where
    B: AsyncRead + AsyncWrite + Unpin,
    O: AsyncRead + AsyncWrite + Unpin,
{
    tokio::select! {
        carried = tokio::io::copy_bidirectional(&mut browser, &mut origin) => {
            if let Err(error) = carried { tracing::trace!(%error, "tunnel ended") }
        }
        () = endpoint.closed().cancelled() => {}
    }
}

/// Speaks HTTP with the browser inside a tunnel, after TLS when it begins with TLS (a `ws:` address does not).
async fn serve_inside(
    upgrade: OnUpgrade,
    address: Address,
    endpoint: Arc<ProxyEndpoint>,
    shared: Arc<Shared>,
) {
    let Ok(browser) = upgrade.await else { return };
    let closed = endpoint.closed().clone();
    let conversation = async {
        let (first, stream) = first_byte(browser).await?;
        let page = Address { https: first == TLS_HANDSHAKE, ..address };
        if page.https {
            let stream = shared.identity.acceptor().accept(stream).await.ok()?;
            serve(stream, page, endpoint, shared.clone()).await;
        } else {
            serve(stream, page, endpoint, shared.clone()).await;
        }
        Some(())
    };
    tokio::select! {
        _ = conversation => {}
        () = closed.cancelled() => {}
    }
}

async fn first_byte(browser: Upgraded) -> Option<(u8, Prefixed<TokioIo<Upgraded>>)> {
    let mut stream = TokioIo::new(browser);
    let first = tokio::time::timeout(FIRST_BYTE_LIMIT, stream.read_u8()).await.ok()?.ok()?;
    Some((first, Prefixed::new(first, stream)))
}

async fn serve<S>(stream: S, page: Address, endpoint: Arc<ProxyEndpoint>, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request| {
        let (page, endpoint, shared) = (page.clone(), endpoint.clone(), shared.clone());
        async move { Ok::<_, Infallible>(forward(request, &page, endpoint, &shared).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .preserve_header_case(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::trace!(%error, "connection inside a tunnel ended");
    }
}

fn established() -> Response<Body> {
    let mut response = own_response(StatusCode::OK);
    response.headers_mut().clear();
    response
}
