//! An HTTP client that reads responses as browsers do: skips invalid header lines, joins folded ones, ignores lengths
//! that are not numbers. Used by the fetcher and the browser's egress proxy.
//! Must never open a socket that `Network` has not opened. See docs/decisions/0220.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response, Uri};
use hyper::body::{Body, Incoming};
use hyper_util::client::legacy::{self, Builder, Client};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tower::Service;

use crate::connector::{ConnectError, Connector, Stream};
use crate::lengths::{self, Tidied};

/// Idle time of a pooled connection, shorter than in common servers (5 s in Node), so that it is rarely used as it closes.
const POOL_IDLE: Duration = Duration::from_secs(4);
/// Maximum number of header lines of one response; a browser takes as many as fit into 256 KiB.
const MAX_HEADERS: usize = 1_000;

/// A pooled client, and a tolerant one with a connection per response for responses that the first cannot read.
#[derive(Debug)]
pub struct TolerantClient<B> {
    client: Client<TidyingConnector, B>,
    lenient: Client<TidyingConnector, B>,
}

impl<B> TolerantClient<B>
where
    B: Body + Default + Send + Unpin + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    /// Makes a client of a connector and further settings (see [`builder`]).
    pub fn new(connector: Connector, mut builder: Builder) -> TolerantClient<B> {
        let plain = TidyingConnector { connector, tidies: false };
        let client = builder.pool_idle_timeout(POOL_IDLE).build(plain.clone());
        let lenient = builder.pool_max_idle_per_host(0).build(TidyingConnector { tidies: true, ..plain });
        TolerantClient { client, lenient }
    }

    /// Sends a request on a pooled connection; its URI names the scheme and host to connect to.
    pub async fn send(&self, request: Request<B>) -> Result<Response<Incoming>, legacy::Error> {
        let again = lengths::once_more(&request);
        match (self.client.request(request).await, again) {
            (Err(error), Some(again)) if lengths::is_about_head(&error) => self.lenient.request(again).await,
            (answer, _) => answer,
        }
    }
}

impl<B> Clone for TolerantClient<B> {
    fn clone(&self) -> TolerantClient<B> {
        TolerantClient { client: self.client.clone(), lenient: self.lenient.clone() }
    }
}

/// Returns the settings of a client that accepts the header lines that browsers accept.
pub fn builder() -> Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_max_headers(MAX_HEADERS);
    builder
}

/// Connector of the pools that can repair response heads.
#[derive(Clone)]
struct TidyingConnector {
    connector: Connector,
    tidies: bool,
}

impl Service<Uri> for TidyingConnector {
    type Response = TokioIo<Tidied<Stream>>;
    type Error = Arc<ConnectError>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let TidyingConnector { connector, tidies } = self.clone();
        Box::pin(async move {
            let stream = connector.open(&uri).await.map_err(Arc::new)?;
            Ok(TokioIo::new(Tidied::new(stream, tidies)))
        })
    }
}
