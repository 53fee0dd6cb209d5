//! HTTP with a provider: one request, one response, read to its end within its time and size. Used by `call` alone.
//! Must never follow a redirect, and never reach a private address that the operator has not named.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use crawler::connector::{ConnectError, Connector};
use crawler::fetch::{Body, FetchError};
use crawler::{Network, tls};
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::capture_connection;
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::Instant;

use super::super::ProviderConnection;
use super::super::wire::{FailureClass, ProviderFailure, ProviderRequest, ProviderResponse};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Limit of a call from its first to its last byte. Grounded answers take 10 to 60 s.
const CALL_TIMEOUT: Duration = Duration::from_secs(120);
/// Longest response after decompression.
const MAX_BODY_BYTES: u64 = 8 * 1024 * 1024;
/// Shorter than what vendors' front ends keep, so that a connection is rarely used as it closes.
const POOL_IDLE: Duration = Duration::from_secs(20);
const MAX_IDLE_PER_HOST: usize = 256;
const MAX_HEADER_BYTES: u32 = 64 * 1024;
pub(super) const AGENT: &str = concat!("Glasshouse/", env!("CARGO_PKG_VERSION"));

type HttpClient = Client<Connector, Full<Bytes>>;

/// Connections to the providers.
#[derive(Debug)]
pub(super) struct Exchange {
    network: Network,
    /// Clients by the host that the operator has named; none for the vendors' own hosts.
    clients: Mutex<HashMap<Option<String>, HttpClient>>,
}

/// A response that was read to its end.
#[derive(Debug)]
pub(super) struct Exchanged {
    status: StatusCode,
    pub(super) headers: HeaderMap,
    body: Bytes,
}

impl Exchanged {
    pub(super) fn as_response(&self) -> ProviderResponse<'_> {
        ProviderResponse { status: self.status, headers: &self.headers, body: &self.body }
    }
}

impl Exchange {
    pub(super) fn new(network: Network) -> Exchange {
        Exchange { network, clients: Mutex::default() }
    }

    pub(super) fn network(&self) -> &Network {
        &self.network
    }

    /// Sends a request and reads the response. A failure that cannot have been paid happened before the first byte.
    pub(super) async fn send(
        &self,
        connection: &ProviderConnection,
        request: ProviderRequest,
    ) -> Result<Exchanged, ProviderFailure> {
        let client = self.client_for(connection);
        let deadline = Instant::now() + CALL_TIMEOUT;
        let method = request.method.clone();
        let message = message_of(request)?;
        let response = match tokio::time::timeout_at(deadline, head(&client, message)).await {
            Ok(response) => response?,
            Err(_) => return Err(timed_out()),
        };
        let (head, body) = response.into_parts();
        let body = Body::new(body, &method, &head.headers, deadline, MAX_BODY_BYTES);
        let read = match body {
            Ok(body) => body.bytes().await,
            Err(error) => Err(error),
        };
        match read {
            Ok(body) => Ok(Exchanged { status: head.status, headers: head.headers, body }),
            // Errors are not billed, whether or not they can be read.
            Err(_) if head.status.is_client_error() || head.status.is_server_error() => {
                Ok(Exchanged { status: head.status, headers: head.headers, body: Bytes::new() })
            }
            Err(error) => Err(body_failure(&error)),
        }
    }

    /// Finds or makes the client of a connection. The operator's own address may be private, so that its guard knows it by
    /// name.
    fn client_for(&self, connection: &ProviderConnection) -> HttpClient {
        let host = connection.base_url.as_ref().and_then(|url| url.host_str()).map(str::to_owned);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let client = clients.entry(host).or_insert_with_key(|host| match host {
            Some(host) => client_of(self.network.with_named_host(host)),
            None => client_of(self.network.clone()),
        });
        client.clone()
    }
}

fn client_of(network: Network) -> HttpClient {
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .pool_idle_timeout(POOL_IDLE)
        .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .build(Connector::new(network, tls::client_config_with_http2()))
}

fn message_of(request: ProviderRequest) -> Result<Request<Full<Bytes>>, ProviderFailure> {
    let mut url = request.url;
    if let Some((name, key)) = &request.key_parameter {
        url.query_pairs_mut().append_pair(name, key.secret());
    }
    let body = request.body.map(|body| Bytes::from(body.to_string()));
    let mut message = Request::new(Full::new(body.clone().unwrap_or_default()));
    *message.method_mut() = request.method;
    let uri = url.as_str().parse();
    *message.uri_mut() =
        uri.map_err(|_| ProviderFailure::new(FailureClass::Config, "the address is not valid"))?;
    *message.headers_mut() = request.headers;
    let headers = message.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"));
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    if body.is_some() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(message)
}

/// Sends a message and waits for the head of the response.
async fn head(
    client: &HttpClient,
    mut message: Request<Full<Bytes>>,
) -> Result<Response<Incoming>, ProviderFailure> {
    let mut connected = capture_connection(&mut message);
    let mut response = std::pin::pin!(client.request(message));
    tokio::select! {
        biased;
        result = &mut response => return result.map_err(|error| explain(&error)),
        _ = connected.wait_for_connection_metadata() => {}
        () = tokio::time::sleep(CONNECT_TIMEOUT) => {
            return Err(ProviderFailure::new(FailureClass::Unreachable, "no connection within 5 s"));
        }
    }
    response.await.map_err(|error| explain(&error))
}

fn explain(error: &ClientError) -> ProviderFailure {
    if let Some(connect) = error.source().and_then(|source| source.downcast_ref::<Arc<ConnectError>>()) {
        let is_refused = matches!(&**connect, ConnectError::Network(network) if network.is_refused());
        let class = if is_refused { FailureClass::Config } else { FailureClass::Unreachable };
        return ProviderFailure::new(class, &connect.to_string());
    }
    let inner = error.source().and_then(|source| source.downcast_ref::<hyper::Error>());
    if error.is_connect() || inner.is_some_and(hyper::Error::is_canceled) {
        return ProviderFailure::new(
            FailureClass::Unreachable,
            "the connection closed before the request was sent",
        );
    }
    let detail = if inner.is_some_and(hyper::Error::is_parse) {
        "the response is not HTTP"
    } else {
        "the connection broke before the response"
    };
    ProviderFailure { may_be_paid: true, ..ProviderFailure::new(FailureClass::Retry, detail) }
}

fn timed_out() -> ProviderFailure {
    ProviderFailure::new(FailureClass::Timeout, &format!("no answer within {} s", CALL_TIMEOUT.as_secs()))
}

fn body_failure(error: &FetchError) -> ProviderFailure {
    match error {
        FetchError::Timeout(_) => timed_out(),
        FetchError::TooLarge { .. } => {
            ProviderFailure::new(FailureClass::Unreadable, "the response is longer than 8 MiB")
        }
        FetchError::Encoding(_) => {
            ProviderFailure::new(FailureClass::Unreadable, "the response has an unknown encoding")
        }
        _ => ProviderFailure::new(FailureClass::Unreadable, "the response was cut off"),
    }
}
