//! Connections to origins: guarded, pooled per origin, and never to ourselves. Used by forwarding.
//! `crawler` opens the sockets, so that the guard sees every address.

use std::error::Error;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use crawler::Network;
use crawler::connector::{self, Served, Stream};
use crawler::tolerant;
use http::uri::Scheme;
use http::{Extensions, Response, Uri};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tower::Service;

use super::body::RequestBody;

/// Timeout of a connection to an origin, with name resolution and TLS handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle time of a pooled connection. Shorter than common origins keep theirs (5 s in Node), so that one seldom closes in use.
const POOL_IDLE: Duration = Duration::from_secs(4);
/// Idle connections kept per origin.
const POOL_SIZE: usize = 128;

/// Largest head of a response, and largest read of its beginning: an asset of 60 KiB arrives in one read with its head.
const BUFFER_BYTES: usize = 62 * 1024;
/// Most header lines of a response: more than fit into the largest head with any content.
const MAX_HEADERS: usize = 4_000;
/// Bytes of a response after which reads are small: pages and most assets have ended by then, and the system buffers
/// as many for any client. See docs/decisions/0061.
const BEGINNING_BYTES: usize = 64 * 1024;
/// Largest small read, some of which are buffered for a client that does not read. A byte less than the smallest buffer of the
/// HTTP library, which would grow after full reads.
const PIECE_BYTES: usize = 8 * 1024 - 1;

/// The pool of connections to origins.
pub type OriginPool = Client<OriginConnector, RequestBody>;

/// The origin's address is one of ours.
#[derive(Debug, thiserror::Error)]
#[error("the origin's address is the service's own")]
pub struct IsOurselves;

/// An origin did not accept a connection in time.
#[derive(Debug, thiserror::Error)]
#[error("the origin did not accept a connection in time")]
pub struct ConnectTimeout;

/// Connector of the pool.
#[derive(Clone)]
pub struct OriginConnector {
    network: Network,
    connector: connector::Connector,
    /// Public addresses of this service, for every port.
    own: Arc<[IpAddr]>,
}

/// Returns the pool. `own` are the public addresses of this service; `network` refuses its listeners.
pub fn pool(network: Network, tls: Arc<ClientConfig>, own: Arc<[IpAddr]>) -> OriginPool {
    let connector =
        OriginConnector { connector: connector::Connector::new(network.clone(), tls), network, own };
    tolerant::builder()
        .pool_idle_timeout(POOL_IDLE)
        .pool_max_idle_per_host(POOL_SIZE)
        .http1_max_buf_size(BUFFER_BYTES)
        .http1_max_headers(MAX_HEADERS)
        .set_host(false)
        .build(connector)
}

/// Records that the connection of a response has served a request.
pub fn mark_served(response: &Response<Incoming>) {
    if let Some(served) = response.extensions().get::<Served>() {
        served.mark();
    }
}

/// Returns true when the connection of a failed request had served another one before.
pub fn has_served(error: &hyper_util::client::legacy::Error) -> bool {
    let mut extras = Extensions::new();
    if let Some(connection) = error.connect_info() {
        connection.get_extras(&mut extras);
    }
    extras.get::<Served>().is_some_and(Served::is_marked)
}

impl Service<Uri> for OriginConnector {
    type Response = TokioIo<OriginStream>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move {
            let opening = tokio::time::timeout(CONNECT_TIMEOUT, connector.open(&uri));
            opening
                .await
                .unwrap_or_else(|_| Err(Box::new(ConnectTimeout)))
                .map(OriginStream::new)
                .map(TokioIo::new)
        })
    }
}

impl OriginConnector {
    async fn open(&self, uri: &Uri) -> Result<Stream, Box<dyn Error + Send + Sync>> {
        let port = if uri.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 };
        let (host, port) = (uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(port));
        let destination = self.network.resolve(host, port).await?;
        if destination.addresses.iter().any(|address| self.own.contains(&address.ip().to_canonical())) {
            return Err(Box::new(IsOurselves));
        }
        Ok(self.connector.open(uri).await?)
    }
}

/// A connection to an origin with small reads for long responses.
pub struct OriginStream {
    stream: Stream,
    /// Bytes read since the last request was written.
    read: usize,
}

impl OriginStream {
    fn new(stream: Stream) -> OriginStream {
        OriginStream { stream, read: 0 }
    }
}

impl Connection for OriginStream {
    fn connected(&self) -> Connected {
        self.stream.connected()
    }
}

impl AsyncRead for OriginStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read < BEGINNING_BYTES {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
            self.read += buffer.filled().len() - before;
            return Poll::Ready(Ok(()));
        }
        let most = buffer.remaining().min(PIECE_BYTES);
        let mut piece = ReadBuf::new(buffer.initialize_unfilled_to(most));
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut piece))?;
        let read = piece.filled().len();
        buffer.advance(read);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for OriginStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.read = 0;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// Returns the sizes of the reads that fetch `bytes` bytes.
    async fn pieces(stream: &mut OriginStream, bytes: usize) -> Vec<usize> {
        let (mut pieces, mut buffer) = (Vec::new(), vec![0; BUFFER_BYTES]);
        while pieces.iter().sum::<usize>() < bytes {
            // Waits until more bytes than a small read have arrived.
            tokio::time::sleep(Duration::from_millis(2)).await;
            pieces.push(stream.read(&mut buffer).await.unwrap());
        }
        pieces
    }

    #[tokio::test]
    async fn what_follows_the_beginning_of_a_response_comes_in_small_pieces() {
        const BYTES: usize = 2 * BEGINNING_BYTES;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (mut origin, _) = listener.accept().await.unwrap();
        let mut stream = OriginStream::new(Stream::Plain(stream));

        for _ in 0..2 {
            stream.write_all(b"request").await.unwrap();
            origin.read_exact(&mut [0; 7]).await.unwrap();
            let (pieces, sent) = tokio::join!(pieces(&mut stream, BYTES), origin.write_all(&[1; BYTES]));
            sent.unwrap();

            let mut read = 0;
            let (beginning, rest): (Vec<usize>, Vec<usize>) = pieces.into_iter().partition(|piece| {
                read += piece;
                read - piece < BEGINNING_BYTES
            });
            assert!(beginning.iter().any(|piece| *piece > PIECE_BYTES), "{beginning:?}");
            assert!(rest.iter().all(|piece| *piece <= PIECE_BYTES), "{rest:?}");
            assert_eq!(read, BYTES);
        }
    }
}
