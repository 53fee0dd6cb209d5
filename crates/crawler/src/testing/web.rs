//! A web server whose answers are a function. Used by tests only.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A server on a free loopback port; ends when dropped. Counts connections and requests.
#[derive(Debug)]
pub struct WebServer {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl WebServer {
    /// Starts a server that speaks plain HTTP.
    pub async fn start<F>(answer: F) -> WebServer
    where
        F: AsyncAnswer,
    {
        WebServer::start_with(None, answer).await
    }

    /// Starts a server that speaks HTTP over TLS.
    pub async fn start_tls<F>(tls: TlsAcceptor, answer: F) -> WebServer
    where
        F: AsyncAnswer,
    {
        WebServer::start_with(Some(tls), answer).await
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Returns the number of requests that were read.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    #[expect(clippy::disallowed_methods, reason = "the tasks end with the test")]
    async fn start_with<F>(tls: Option<TlsAcceptor>, answer: F) -> WebServer
    where
        F: AsyncAnswer,
    {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a loopback port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let (connections, requests) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());

        let counters = (connections.clone(), requests.clone());
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                counters.0.fetch_add(1, Ordering::SeqCst);
                let (answer, requests, tls) = (answer.clone(), counters.1.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(socket, answer, requests).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(socket).await {
                                serve(stream, answer, requests).await;
                            }
                        }
                    }
                });
            }
        });
        WebServer { address, connections, requests, task }
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Handler of a [`WebServer`]: any `async` function or closure from request to response.
pub trait AsyncAnswer: Clone + Send + Sync + 'static {
    /// Answers one request.
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Response<Full<Bytes>>> + Send;
}

impl<F, R> AsyncAnswer for F
where
    F: Fn(Request<Incoming>) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Response<Full<Bytes>>> + Send,
{
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Response<Full<Bytes>>> + Send {
        self(request)
    }
}

async fn serve<F>(stream: impl AsyncRead + AsyncWrite + Unpin + Send, answer: F, requests: Arc<AtomicUsize>)
where
    F: AsyncAnswer,
{
    let service = service_fn(|request| {
        requests.fetch_add(1, Ordering::SeqCst);
        let answer = answer.clone();
        async move { Ok::<_, Infallible>(answer.answer(request).await) }
    });
    // A client that hangs up is the client's business.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}
