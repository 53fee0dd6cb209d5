//! CONNECT requests: https, wss and ws connections of pages. Usually forwards bytes; for hosts with an origin of their own and for
//! trackers, terminates TLS and treats each request like a plain one.
//! Used by the proxy. Must never terminate TLS for other hosts: their certificates are checked by the browser.

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
use super::endpoint::{Endpoint, Refused};
use super::forward::{Address, Body, forward, own_headers_of, route_of};
use super::meter::Metered;
use super::own_response::own_response;

/// First byte of a TLS handshake.
const TLS_HANDSHAKE: u8 = 0x16;
/// Wait for the first byte in a tunnel. Browsers open spare connections before they need them.
const FIRST_BYTE_LIMIT: Duration = Duration::from_secs(60);

/// Opens a tunnel, or refuses it.
pub(super) async fn open(
    mut request: Request<Incoming>,
    endpoint: Arc<Endpoint>,
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
        let address = Address { https: false, host, port };
        shared.tasks.clone().spawn(serve_inside(upgrade, address, endpoint, shared));
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
            tracing::debug!(%host, port, %error, "tunnel refused");
            let refused = Refused::from(&error);
            let response = own_response(refused.status());
            traffic.refuse(&url, &host, port, refused);
            response
        }
    }
}

/// Copies bytes both ways until either side ends, the limit is reached or the tab is closed.
pub(super) async fn join<B, O>(mut browser: B, mut origin: O, endpoint: &Endpoint)
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

/// Serves HTTP inside a tunnel, and TLS if the first byte begins a handshake (`ws:` connections do not).
async fn serve_inside(upgrade: OnUpgrade, address: Address, endpoint: Arc<Endpoint>, shared: Arc<Shared>) {
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

/// Reads the first byte of a stream. Returns it with a stream that begins with it again.
async fn first_byte(browser: Upgraded) -> Option<(u8, impl AsyncRead + AsyncWrite + Unpin + Send)> {
    let (mut reader, writer) = tokio::io::split(TokioIo::new(browser));
    let first = tokio::time::timeout(FIRST_BYTE_LIMIT, reader.read_u8()).await.ok()?.ok()?;
    Some((first, tokio::io::join(std::io::Cursor::new([first]).chain(reader), writer)))
}

async fn serve<S>(stream: S, page: Address, endpoint: Arc<Endpoint>, shared: Arc<Shared>)
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
