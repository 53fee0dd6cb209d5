//! A client's connection as the HTTP library reads and writes it: held to time limits and to unambiguous guard.
//! Used by the edge's listeners. Must never keep a connection open for a client that does nothing.
//! See docs/decisions/0061.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::admission::ConnectionSlot;
use super::in_flight::RequestsInFlight;
use super::pressure::{Pressure, WaitingBytes};
use super::smuggling_guard::{ConnectionPhase, SmugglingGuard};
use super::stall::Stall;

const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// Time for which a client that still sends is listened to after its last answer. The system would destroy the answer with
/// the connection as long as unread bytes wait in it.
const LINGER: Duration = Duration::from_secs(2);
/// A client that takes less than this within the limit for writes does not read.
const PROGRESS_BYTES: usize = 8 * 1024;

/// Time limits of a client for each part of its connection.
#[derive(Debug, Clone, Copy)]
pub struct ClientTimeLimits {
    /// For a request's head, from its first byte; on a new connection from the start.
    pub head: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// Limit for taking a noticeable part of what is being sent.
    pub write_stall: Duration,
}

impl Default for ClientTimeLimits {
    fn default() -> ClientTimeLimits {
        ClientTimeLimits {
            head: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            write_stall: Duration::from_secs(30),
        }
    }
}

/// A connection with its limits.
pub struct TimedConnection<S> {
    stream: S,
    limits: ClientTimeLimits,
    in_flight: RequestsInFlight,
    guard: SmugglingGuard,
    /// Beginning of the present head or pause; none while it is not timed.
    waiting_since: Option<(Pause, Instant)>,
    is_first: bool,
    /// Nothing more is read: a request was refused.
    is_over: bool,
    read_timer: Timer,
    /// Time since which the client takes less than it is offered; none while it keeps up.
    blocked_since: Option<Instant>,
    /// Bytes that it has taken since then.
    taken: usize,
    write_stall: Stall,
    waiting: WaitingBytes,
    /// Part of an interim response that is still to be written.
    interim: Vec<u8>,
    /// The library has handed over everything that it has to write.
    is_flushed: bool,
    /// Until when bytes of the client are read and forgotten; none before the end.
    lingers_until: Option<Instant>,
    /// Place among the listener's connections, which a tunnel keeps.
    place: Option<ConnectionSlot>,
}

/// Pause that a connection waits in: a phase, after a number of requests.
type Pause = (ConnectionPhase, usize);

impl<S> TimedConnection<S> {
    /// Wraps a connection that speaks HTTP/1.1.
    pub fn http1(stream: S, limits: ClientTimeLimits, in_flight: RequestsInFlight) -> TimedConnection<S> {
        TimedConnection::new(stream, limits, in_flight, SmugglingGuard::default())
    }

    /// Wraps a connection that agreed on HTTP/2.
    pub fn http2(stream: S, limits: ClientTimeLimits, in_flight: RequestsInFlight) -> TimedConnection<S> {
        TimedConnection::new(stream, limits, in_flight, SmugglingGuard::opaque())
    }

    fn new(
        stream: S,
        limits: ClientTimeLimits,
        in_flight: RequestsInFlight,
        guard: SmugglingGuard,
    ) -> TimedConnection<S> {
        TimedConnection {
            stream,
            limits,
            in_flight,
            guard,
            waiting_since: None,
            is_first: true,
            is_over: false,
            read_timer: Timer(None),
            blocked_since: None,
            taken: 0,
            write_stall: Stall::default(),
            waiting: Pressure::default().share(),
            interim: Vec::new(),
            is_flushed: true,
            lingers_until: None,
            place: None,
        }
    }

    /// Keeps the connection's slot until it ends, and counts what it leaves waiting.
    pub fn admitted(mut self, place: ConnectionSlot, pressure: &Pressure) -> TimedConnection<S> {
        self.place = Some(place);
        self.waiting = pressure.share();
        self
    }

    /// Returns the time at which a client that sends nothing more is given up; none: never. Tells the slot since when it waits.
    fn read_deadline(&mut self) -> Option<Instant> {
        let phase = self.guard.phase();
        let is_clients_turn = match phase {
            ConnectionPhase::Between | ConnectionPhase::Opaque => self.in_flight.is_none(),
            ConnectionPhase::Head | ConnectionPhase::Body(_) => true,
        };
        if !is_clients_turn {
            self.waiting_since = None;
            self.report(|place| place.reads(None));
            return None;
        }
        let pause = (phase, self.in_flight.ever());
        let since = match self.waiting_since {
            Some((known, since)) if known == pause => since,
            _ => Instant::now(),
        };
        self.waiting_since = Some((pause, since));
        self.report(|place| place.reads(Some(since)));
        if matches!(phase, ConnectionPhase::Body(_)) {
            // The body has a limit of its own, where it is passed on.
            return None;
        }
        let limit =
            if phase == ConnectionPhase::Head || self.is_first { self.limits.head } else { self.limits.idle };
        Some(since + limit)
    }

    /// Has the pause after a response begin: the library does not read again by itself when it has already read in vain.
    fn begin_pause(&mut self, context: &mut Context<'_>) {
        if matches!(self.guard.phase(), ConnectionPhase::Between | ConnectionPhase::Opaque)
            && self.in_flight.is_none()
            && let Some(deadline) = self.read_deadline()
            && self.read_timer.is_over(deadline, context)
        {
            context.waker().wake_by_ref();
        }
    }

    fn report(&self, what: impl FnOnce(&ConnectionSlot)) {
        if let Some(place) = &self.place {
            what(place);
        }
    }

    /// Returns true when a new client gets the slot.
    fn is_given_up(&self, context: &Context<'_>) -> bool {
        self.place.as_ref().is_some_and(|place| place.is_given_up(context))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for TimedConnection<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        // Bytes that cannot be written now are written before the response; an error shows there too.
        let _ = connection.poll_interim(context);
        if connection.guard.is_refused() {
            // The end of the head may not come any more, or in another form: here it is, so that the library answers now.
            if !std::mem::replace(&mut connection.is_over, true) && buffer.remaining() >= END_OF_HEAD.len() {
                buffer.put_slice(END_OF_HEAD);
            }
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        if let Poll::Ready(result) = Pin::new(&mut connection.stream).poll_read(context, buffer) {
            connection.in_flight.arrived();
            let was = connection.guard.phase();
            connection.guard.feed(&mut buffer.filled_mut()[before..]);
            let phase = connection.guard.phase();
            connection.is_first &= phase == ConnectionPhase::Head;
            // A head that goes on keeps its time, and so does a pause in which only pings come; everything else starts again.
            if was != phase || !matches!(phase, ConnectionPhase::Head | ConnectionPhase::Opaque) {
                let pause = (phase, connection.in_flight.ever());
                connection.waiting_since = (phase == ConnectionPhase::Head).then(|| (pause, Instant::now()));
            }
            connection.report(|place| place.reads(None));
            return Poll::Ready(result);
        }
        if connection.is_given_up(context) {
            return Poll::Ready(Err(too_slow()));
        }
        match connection.read_deadline() {
            Some(deadline) if connection.read_timer.is_over(deadline, context) => {
                Poll::Ready(Err(too_slow()))
            }
            Some(_) => Poll::Pending,
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> TimedConnection<S> {
    /// Writes the interim responses that have come, between two responses only.
    fn poll_interim(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.interim.is_empty() && self.is_flushed {
            self.in_flight.interim().take(context, &mut self.interim);
        }
        if self.interim.is_empty() {
            return Poll::Ready(Ok(()));
        }
        while !self.interim.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &self.interim))?;
            self.interim.drain(..written);
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Prepares for bytes of a response: interim responses come before it, or not at all.
    fn poll_begin_write(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_interim(context))?;
        self.in_flight.interim().clear();
        self.is_flushed = false;
        Poll::Ready(Ok(()))
    }

    /// Lets a client that takes less than `offered` do so for as long as the limit says, then gives it up.
    fn bounded(
        &mut self,
        result: Poll<io::Result<usize>>,
        offered: usize,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = result {
            self.taken += *result.as_ref().unwrap_or(&0);
            if self.taken >= PROGRESS_BYTES || result.as_ref().is_ok_and(|taken| *taken >= offered) {
                self.blocked_since = None;
                self.write_stall.clear();
                self.report(|place| place.writes(None));
                self.report(ConnectionSlot::moved);
            }
            self.waiting.set(0);
            return Poll::Ready(result);
        }
        self.waiting.set(offered);
        let since = *self.blocked_since.get_or_insert_with(|| {
            self.taken = 0;
            Instant::now()
        });
        self.report(|place| place.writes(Some(since)));
        let stall = self.limits.write_stall;
        let is_over = self.write_stall.is_over(since, stall, self.waiting.pressure(), context);
        match is_over || self.is_given_up(context) {
            true => Poll::Ready(Err(too_slow())),
            false => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TimedConnection<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let connection = self.get_mut();
        ready!(connection.poll_begin_write(context))?;
        let result = Pin::new(&mut connection.stream).poll_write(context, data);
        connection.bounded(result, data.len(), context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let connection = self.get_mut();
        ready!(connection.poll_begin_write(context))?;
        let result = Pin::new(&mut connection.stream).poll_write_vectored(context, slices);
        connection.bounded(result, slices.iter().map(|slice| slice.len()).sum(), context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        let result = Pin::new(&mut connection.stream).poll_flush(context).map_ok(|()| 0);
        let flushed = connection.bounded(result, 0, context).map_ok(drop);
        if flushed.is_ready() {
            connection.is_flushed = true;
            connection.begin_pause(context);
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        if connection.lingers_until.is_none() {
            let result = Pin::new(&mut connection.stream).poll_shutdown(context).map_ok(|()| 0);
            ready!(connection.bounded(result, 0, context))?;
            connection.lingers_until = Some(Instant::now() + LINGER);
        }
        connection.poll_linger(context).map(Ok)
    }
}

impl<S: AsyncRead + Unpin> TimedConnection<S> {
    /// Reads what a client still sends whose request was not read to its end, until it has had time to read its answer.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let is_unread = self.guard.is_refused() || self.in_flight.leaves_unread();
        let Some(until) = self.lingers_until.filter(|_| is_unread) else { return Poll::Ready(()) };
        let mut space = [0; 4096];
        loop {
            let mut forgotten = ReadBuf::new(&mut space);
            match Pin::new(&mut self.stream).poll_read(context, &mut forgotten) {
                Poll::Ready(Ok(())) if !forgotten.filled().is_empty() && Instant::now() < until => {}
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending if self.read_timer.is_over(until, context) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// A timer that costs nothing until it is waited for, and little when the deadline moves on: it finds out when it fires.
struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Returns true when the deadline has passed; wakes the task when it does.
    fn is_over(&mut self, deadline: Instant, context: &mut Context<'_>) -> bool {
        let sleep = self.0.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if sleep.deadline() > deadline {
            sleep.as_mut().reset(deadline);
        }
        while sleep.as_mut().poll(context).is_ready() {
            if sleep.deadline() >= deadline {
                return true;
            }
            sleep.as_mut().reset(deadline);
        }
        false
    }
}

fn too_slow() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the client took too long")
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::super::admission::ConnectionAdmission;
    use super::*;

    /// The limits, shortened.
    const LIMITS: ClientTimeLimits = ClientTimeLimits {
        head: Duration::from_millis(200),
        idle: Duration::from_millis(800),
        write_stall: Duration::from_millis(400),
    };

    fn pair(buffer: usize) -> (DuplexStream, TimedConnection<DuplexStream>, RequestsInFlight) {
        let (client, server) = duplex(buffer);
        let in_flight = RequestsInFlight::default();
        (client, TimedConnection::http1(server, LIMITS, in_flight.clone()), in_flight)
    }

    /// Reads until the connection is given up, and says after how long.
    async fn given_up_after(connection: &mut TimedConnection<DuplexStream>) -> Duration {
        let start = Instant::now();
        let mut buffer = [0; 512];
        while connection.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
        start.elapsed()
    }

    #[tokio::test]
    async fn a_new_connection_has_a_short_time_for_its_first_head() {
        let (_client, mut connection, _) = pair(1024);

        let after = given_up_after(&mut connection).await;

        assert!(after >= LIMITS.head && after < LIMITS.idle, "{after:?}");
    }

    #[tokio::test]
    async fn a_head_that_trickles_in_gets_no_more_time() {
        let (mut client, mut connection, _) = pair(1024);
        let trickle = async {
            for byte in b"GET / HTTP/1.1\r\nHost: shop.example\r\nAccept: */*\r\n" {
                tokio::time::sleep(LIMITS.head / 10).await;
                if client.write_all(&[*byte]).await.is_err() {
                    break;
                }
            }
        };

        let after = tokio::select! {
            after = given_up_after(&mut connection) => after,
            () = trickle => panic!("the whole head was waited for"),
        };

        assert!(after >= LIMITS.head, "{after:?}");
    }

    #[tokio::test]
    async fn a_connection_between_requests_is_kept_for_longer() {
        let (mut client, mut connection, _) = pair(1024);
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();

        let after = given_up_after(&mut connection).await;

        assert!(after >= LIMITS.idle, "{after:?}");
    }

    #[tokio::test]
    async fn a_pause_begins_with_the_end_of_a_response_even_if_nobody_reads_again() {
        let (mut client, mut connection, in_flight) = pair(1024);
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        assert!(connection.read(&mut [0; 512]).await.unwrap() > 0);
        let responding = in_flight.begin();
        poll_fn(|context| {
            let mut space = [0; 512];
            let read = Pin::new(&mut connection).poll_read(context, &mut ReadBuf::new(&mut space));
            assert!(read.is_pending());
            Poll::Ready(())
        })
        .await;
        drop(responding);

        let mut is_flushed = false;
        let woken = poll_fn(|context| {
            if !std::mem::replace(&mut is_flushed, true) {
                let _ = Pin::new(&mut connection).poll_flush(context);
                return Poll::Pending;
            }
            Poll::Ready(())
        });

        tokio::time::timeout(LIMITS.idle * 20, woken).await.expect("the limit wakes the connection");
    }

    #[tokio::test]
    async fn requests_that_came_with_another_one_are_pipelined() {
        let (mut client, mut connection, in_flight) = pair(1024);
        let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

        client.write_all(&request.repeat(2)).await.unwrap();
        assert!(connection.read(&mut [0; 512]).await.unwrap() > 0);
        let together = [in_flight.begin(), in_flight.begin()];
        client.write_all(request).await.unwrap();
        assert!(connection.read(&mut [0; 512]).await.unwrap() > 0);
        let alone = in_flight.begin();

        assert_eq!(together.map(|request| request.is_pipelined()), [false, true]);
        assert!(!alone.is_pipelined());
    }

    #[tokio::test]
    async fn a_client_may_be_silent_while_it_is_being_answered() {
        let (mut client, mut connection, in_flight) = pair(1024);
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        let responding = in_flight.begin();

        let given_up = tokio::time::timeout(LIMITS.idle * 2, given_up_after(&mut connection)).await;
        drop(responding);

        assert!(given_up.is_err());
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_given_up() {
        let (_client, mut connection, _) = pair(16);
        let start = Instant::now();

        let written = connection.write_all(&[0; 64]).await;

        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= LIMITS.write_stall);
    }

    #[tokio::test]
    async fn a_client_that_takes_a_byte_now_and_then_is_given_up() {
        let (mut client, mut connection, _) = pair(16);
        let start = Instant::now();
        let drip = async {
            loop {
                tokio::time::sleep(LIMITS.write_stall / 8).await;
                let _ = client.read_u8().await;
            }
        };

        let written = tokio::select! {
            written = connection.write_all(&[0; 4096]) => written,
            () = drip => unreachable!("it never ends"),
        };

        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= LIMITS.write_stall && start.elapsed() < LIMITS.write_stall * 4);
    }

    #[tokio::test]
    async fn a_slow_client_that_takes_all_is_kept() {
        let (mut client, mut connection, _) = pair(4 * 1024);
        let read = async {
            let mut buffer = vec![0; 4 * 1024];
            for _ in 0..12 {
                tokio::time::sleep(LIMITS.write_stall / 4).await;
                client.read_exact(&mut buffer).await.unwrap();
            }
        };

        let data = [0; 48 * 1024];
        let (written, ()) = tokio::join!(connection.write_all(&data), read);

        written.expect("it reads 16 KiB within the limit");
    }

    #[tokio::test]
    async fn patience_is_short_while_too_much_waits() {
        let (_client, server) = duplex(16);
        let limits = ClientTimeLimits { write_stall: Duration::from_secs(600), ..LIMITS };
        let admission = ConnectionAdmission::new(1, 1, &[]);
        let place = admission.take(admission.wait().await, "192.0.2.1".parse().unwrap()).unwrap();
        let connection = TimedConnection::http1(server, limits, RequestsInFlight::default());
        let mut connection = connection.admitted(place, &Pressure::with_limit(32));

        let written = tokio::time::timeout(Duration::from_secs(20), connection.write_all(&[0; 64])).await;

        assert_eq!(written.expect("it is given up").unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn pings_do_not_keep_a_connection_on_which_nothing_is_asked() {
        let (mut client, server) = duplex(1024);
        let mut connection = TimedConnection::http2(server, LIMITS, RequestsInFlight::default());
        let pings = async {
            loop {
                client.write_all(b"ping").await.unwrap();
                tokio::time::sleep(LIMITS.idle / 10).await;
            }
        };

        let after = tokio::select! {
            after = given_up_after(&mut connection) => after,
            () = pings => unreachable!("it never ends"),
        };

        assert!(after >= LIMITS.idle && after < LIMITS.idle * 2, "{after:?}");
    }

    #[test]
    fn the_limits_are_ten_sixty_and_thirty_seconds() {
        let limits = ClientTimeLimits::default();

        assert_eq!([limits.head, limits.idle, limits.write_stall].map(|limit| limit.as_secs()), [10, 60, 30]);
    }
}
