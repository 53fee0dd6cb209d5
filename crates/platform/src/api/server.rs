//! Connections of the API and the metrics: plain HTTP/1.1 within the limits that every listener has, drained at shutdown.
//! Knows nothing of what is answered.
//! See docs/decisions/0019.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::body::Body;
use axum::response::Response;
use http::header::CONNECTION;
use http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};

use crate::listen::Listening;
use crate::listen::accept::{accept, drive};
use crate::listen::admission::{ConnectionAdmission, ConnectionSlot};
use crate::listen::in_flight::{RequestInFlight, RequestsInFlight};
use crate::listen::smuggling_guard::closes_after;
use crate::listen::timed::{ClientTimeLimits, TimedConnection};
use crate::listen::tracked::Tracked;
use crate::listen::unread::{self, ClientBody};

/// A listener of the API or the metrics.
#[derive(Clone)]
pub struct ApiServer {
    /// Parts that all listeners of the process share.
    pub listening: Listening,
    /// Limits of the number of connections.
    pub admission: ConnectionAdmission,
    /// Bytes that a request's line and headers may have; over it 431.
    pub head_bytes: usize,
}

/// Connection that a request came on.
#[derive(Debug, Clone, Copy)]
pub struct Sender {
    /// The other end of the connection.
    pub peer: IpAddr,
    /// True when the request came together with the one before it.
    pub is_pipelined: bool,
}

impl ApiServer {
    /// Answers every request on `listener` with `respond` until shutdown. Returns when no more connections are taken.
    pub async fn serve<F, Fut>(self, listener: TcpListener, respond: F)
    where
        F: Fn(Request<ClientBody>, Sender) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Response> + Send + 'static,
    {
        let (listening, admission) = (self.listening.clone(), self.admission.clone());
        accept(listener, listening, admission, move |stream, peer, place| {
            let (server, respond) = (self.clone(), respond.clone());
            self.listening.tasks.spawn(server.serve_connection(stream, peer.ip(), place, respond));
        })
        .await;
    }

    async fn serve_connection<F, Fut>(
        self,
        stream: TcpStream,
        peer: IpAddr,
        place: ConnectionSlot,
        respond: F,
    ) where
        F: Fn(Request<ClientBody>, Sender) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Response> + Send + 'static,
    {
        let in_flight = RequestsInFlight::default();
        let stop = self.listening.until_close(in_flight.clone());
        let timed = TimedConnection::http1(stream, ClientTimeLimits::default(), in_flight.clone());
        let timed = timed.admitted(place, &self.listening.pressure);
        let (draining, access_log) = (self.listening.draining.clone(), self.listening.access_log.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let (held, mut closes) = (in_flight.begin(), closes_after(request.headers()));
            let waits_to_send = unread::waits_to_send(request.headers());
            let entry = access_log.as_ref().map(|log| log.begin(&request, peer));
            let (request, unread) = unread::divide(request);
            let response = respond(request, Sender { peer, is_pipelined: held.is_pipelined() });
            let draining = draining.clone();
            async move {
                let response = response.await;
                if let Some(entry) = entry {
                    entry.end(&response);
                }
                if !unread.is_read(waits_to_send).await {
                    held.leave_unread();
                    closes = true;
                }
                Ok::<_, Infallible>(finish(response, held, closes || draining.has_begun()))
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            // Time limits are the timed connection's.
            .header_read_timeout(None)
            .max_buf_size(self.head_bytes)
            .serve_connection(TokioIo::new(timed), service);
        drive(Box::pin(connection), stop, http1::Connection::graceful_shutdown).await;
    }
}

fn finish(mut response: Response, held: RequestInFlight, closes: bool) -> http::Response<Tracked<Body>> {
    if closes {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response.map(|body| Tracked::new(body).ending(held))
}
