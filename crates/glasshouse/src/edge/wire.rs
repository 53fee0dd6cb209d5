//! A client's connection as the HTTP library reads and writes it: held to time limits and to unambiguous heads.
//! Used by the edge's listeners. Must never keep a connection open for a client that does nothing.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::heads::{HeadScanner, Phase};

const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// How long a client may take over each part of its connection.
#[derive(Debug, Clone, Copy)]
pub struct WireLimits {
    /// For a request's head, from its first byte; on a new connection from the start.
    pub head: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// To take anything of what is being sent.
    pub write_stall: Duration,
}

impl Default for WireLimits {
    fn default() -> WireLimits {
        WireLimits {
            head: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            write_stall: Duration::from_secs(30),
        }
    }
}

/// Requests of one connection that are being answered: while there is one, the client may be silent.
#[derive(Debug, Clone, Default)]
pub struct InFlight(Arc<AtomicUsize>);

/// One request that is being answered; over when the last clone is dropped.
#[derive(Debug)]
pub struct Answering(Arc<AtomicUsize>);

impl InFlight {
    /// Counts a request until the result is dropped.
    pub fn begin(&self) -> Answering {
        self.0.fetch_add(1, Ordering::Relaxed);
        Answering(self.0.clone())
    }

    fn is_none(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

impl Clone for Answering {
    fn clone(&self) -> Answering {
        self.0.fetch_add(1, Ordering::Relaxed);
        Answering(self.0.clone())
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection with its limits.
pub struct Wire<S> {
    stream: S,
    limits: WireLimits,
    in_flight: InFlight,
    heads: HeadScanner,
    /// When the present head or pause began; none while it is not timed.
    waiting_since: Option<(Phase, Instant)>,
    is_first: bool,
    /// Nothing more is read: a request was refused.
    is_over: bool,
    read_timer: Timer,
    write_timer: Timer,
}

impl<S> Wire<S> {
    /// A connection that speaks HTTP/1.1.
    pub fn http1(stream: S, limits: WireLimits, in_flight: InFlight) -> Wire<S> {
        Wire::new(stream, limits, in_flight, HeadScanner::default())
    }

    /// A connection that agreed on HTTP/2.
    pub fn http2(stream: S, limits: WireLimits, in_flight: InFlight) -> Wire<S> {
        Wire::new(stream, limits, in_flight, HeadScanner::opaque())
    }

    fn new(stream: S, limits: WireLimits, in_flight: InFlight, heads: HeadScanner) -> Wire<S> {
        Wire {
            stream,
            limits,
            in_flight,
            heads,
            waiting_since: None,
            is_first: true,
            is_over: false,
            read_timer: Timer(None),
            write_timer: Timer(None),
        }
    }

    /// When a client that sends nothing more is given up; none: never.
    fn read_deadline(&mut self) -> Option<Instant> {
        let phase = self.heads.phase();
        let is_timed = match phase {
            Phase::Between | Phase::Opaque => self.in_flight.is_none(),
            Phase::Head => true,
            // The body has a limit of its own, where it is passed on.
            Phase::Body(_) => false,
        };
        if !is_timed {
            self.waiting_since = None;
            return None;
        }
        let since = match self.waiting_since {
            Some((known, since)) if known == phase => since,
            _ => Instant::now(),
        };
        self.waiting_since = Some((phase, since));
        let limit = if phase == Phase::Head || self.is_first { self.limits.head } else { self.limits.idle };
        Some(since + limit)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        if wire.heads.is_refused() {
            // The end of the head may not come any more, or in another form: here it is, so that the library answers now.
            if !std::mem::replace(&mut wire.is_over, true) && buffer.remaining() >= END_OF_HEAD.len() {
                buffer.put_slice(END_OF_HEAD);
            }
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        if let Poll::Ready(result) = Pin::new(&mut wire.stream).poll_read(context, buffer) {
            let was = wire.heads.phase();
            wire.heads.feed(&mut buffer.filled_mut()[before..]);
            // A head that goes on keeps its time; everything else starts anew.
            if was != Phase::Head || wire.heads.phase() != Phase::Head {
                wire.waiting_since =
                    (wire.heads.phase() == Phase::Head).then(|| (Phase::Head, Instant::now()));
                wire.is_first &= wire.heads.phase() == Phase::Head;
            }
            wire.read_timer = Timer(None);
            return Poll::Ready(result);
        }
        match wire.read_deadline() {
            Some(deadline) if wire.read_timer.is_over(deadline, context) => Poll::Ready(Err(too_slow())),
            Some(_) => Poll::Pending,
            None => {
                wire.read_timer = Timer(None);
                Poll::Pending
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> Wire<S> {
    /// Lets a write that makes no progress wait for as long as the limit says.
    fn bounded<T>(&mut self, result: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.write_timer = Timer(None);
            return result;
        }
        let deadline =
            self.write_timer.deadline().unwrap_or_else(|| Instant::now() + self.limits.write_stall);
        match self.write_timer.is_over(deadline, context) {
            true => Poll::Ready(Err(too_slow())),
            false => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let wire = self.get_mut();
        let result = Pin::new(&mut wire.stream).poll_write(context, data);
        wire.bounded(result, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wire = self.get_mut();
        let result = Pin::new(&mut wire.stream).poll_write_vectored(context, slices);
        wire.bounded(result, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        let result = Pin::new(&mut wire.stream).poll_flush(context);
        wire.bounded(result, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

/// A timer that costs nothing until it is waited for.
struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    fn deadline(&self) -> Option<Instant> {
        self.0.as_ref().map(|sleep| sleep.deadline())
    }

    /// Whether the time has come; wakes the task when it does.
    fn is_over(&mut self, deadline: Instant, context: &mut Context<'_>) -> bool {
        let sleep = self.0.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(context).is_ready()
    }
}

fn too_slow() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the client took too long")
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    /// The limits, shortened.
    const LIMITS: WireLimits = WireLimits {
        head: Duration::from_millis(200),
        idle: Duration::from_millis(800),
        write_stall: Duration::from_millis(400),
    };

    fn pair(buffer: usize) -> (DuplexStream, Wire<DuplexStream>, InFlight) {
        let (client, server) = duplex(buffer);
        let in_flight = InFlight::default();
        (client, Wire::http1(server, LIMITS, in_flight.clone()), in_flight)
    }

    /// Reads until the connection is given up, and says after how long.
    async fn given_up_after(wire: &mut Wire<DuplexStream>) -> Duration {
        let start = Instant::now();
        let mut buffer = [0; 512];
        while wire.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
        start.elapsed()
    }

    #[tokio::test]
    async fn a_new_connection_has_a_short_time_for_its_first_head() {
        let (_client, mut wire, _) = pair(1024);

        let after = given_up_after(&mut wire).await;

        assert!(after >= LIMITS.head && after < LIMITS.idle, "{after:?}");
    }

    #[tokio::test]
    async fn a_head_that_trickles_in_gets_no_more_time() {
        let (mut client, mut wire, _) = pair(1024);
        let trickle = async {
            for byte in b"GET / HTTP/1.1\r\nHost: shop.example\r\nAccept: */*\r\n" {
                tokio::time::sleep(LIMITS.head / 10).await;
                if client.write_all(&[*byte]).await.is_err() {
                    break;
                }
            }
        };

        let after = tokio::select! {
            after = given_up_after(&mut wire) => after,
            () = trickle => panic!("the whole head was waited for"),
        };

        assert!(after >= LIMITS.head, "{after:?}");
    }

    #[tokio::test]
    async fn a_connection_between_requests_is_kept_for_longer() {
        let (mut client, mut wire, _) = pair(1024);
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();

        let after = given_up_after(&mut wire).await;

        assert!(after >= LIMITS.idle, "{after:?}");
    }

    #[tokio::test]
    async fn a_client_may_be_silent_while_it_is_being_answered() {
        let (mut client, mut wire, in_flight) = pair(1024);
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        let answering = in_flight.begin();

        let given_up = tokio::time::timeout(LIMITS.idle * 2, given_up_after(&mut wire)).await;
        drop(answering);

        assert!(given_up.is_err());
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_given_up() {
        let (_client, mut wire, _) = pair(16);
        let start = Instant::now();

        let written = wire.write_all(&[0; 64]).await;

        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= LIMITS.write_stall);
    }

    #[test]
    fn the_limits_are_ten_sixty_and_thirty_seconds() {
        let limits = WireLimits::default();

        assert_eq!([limits.head, limits.idle, limits.write_stall].map(|limit| limit.as_secs()), [10, 60, 30]);
    }
}
