//! Bodies that pass through the edge: streamed as they arrive, with a limit on their idle time.
//! Must never hold more of a body than the piece in transit.
//! See docs/decisions/0061.

use std::convert::Infallible;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::combinators::MapErr;
use http_body_util::{BodyExt, Either, Empty};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep};

use super::bulkhead::{BodySlot, OriginSlot};
use platform::listen::streams::{self, PIECE_BYTES};
use platform::listen::tracked::Tracked;
use platform::listen::unread::ClientBody;

/// Body of an answer of the edge: bytes in memory, or the streamed body of the origin or of the API.
pub type EdgeBody = Tracked<Either<Whole, Either<Steady<Incoming>, Body>>>;

/// Returns a body of bytes in memory.
pub fn full(bytes: impl Into<Bytes>) -> EdgeBody {
    Tracked::new(Either::Left(Whole(bytes.into())))
}

/// Returns a body without bytes.
pub fn empty() -> EdgeBody {
    full(Bytes::new())
}

/// Returns a streamed body of an origin.
pub fn streamed(body: Steady<Incoming>) -> EdgeBody {
    Tracked::new(Either::Right(Either::Left(body)))
}

/// Returns a body of the API.
pub fn of_service(body: Body) -> EdgeBody {
    Tracked::new(Either::Right(Either::Right(body)))
}

/// Bytes in memory: sent at once, or in pieces on an HTTP/2 stream, whose client can leave them unread.
#[derive(Debug)]
pub struct Whole(Bytes);

impl HttpBody for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let rest = &mut self.get_mut().0;
        if rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = if streams::is_one() { rest.len().min(PIECE_BYTES) } else { rest.len() };
        Poll::Ready(Some(Ok(Frame::data(rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

/// A body was idle for too long, or too slow.
#[derive(Debug, thiserror::Error)]
#[error("the body stood still for too long")]
pub struct StoodStill;

/// A client's body is malformed, or the client disconnected before its end.
#[derive(Debug, thiserror::Error)]
#[error("the client's body broke off")]
pub struct BrokenOff(#[source] hyper::Error);

/// A client's body with its errors marked as the client's.
pub type Upload = MapErr<ClientBody, fn(hyper::Error) -> BrokenOff>;

/// A client's body on its way to the origin.
pub type RequestBody = Either<Empty<Bytes>, Steady<Upload>>;

/// Marks the errors of a client's body, to tell them from errors of the origin.
pub fn of_client(body: ClientBody) -> Upload {
    body.map_err(BrokenOff)
}

/// Least bytes that a client's body must bring within [`WINDOW`]; a slower one only keeps a connection to the origin busy.
const LEAST_BYTES: u64 = 4 * 1024;
const WINDOW: Duration = Duration::from_secs(120);

/// Time of the last progress of a body, so that a slow upload is not taken for a slow origin.
#[derive(Debug, Clone)]
pub struct BodyProgress {
    start: Instant,
    millis: Arc<AtomicU64>,
}

impl BodyProgress {
    /// Returns a record with progress just now.
    pub fn start() -> BodyProgress {
        BodyProgress { start: Instant::now(), millis: Arc::default() }
    }

    /// Returns the time of the last progress.
    pub fn last(&self) -> Instant {
        self.start + Duration::from_millis(self.millis.load(Ordering::Relaxed))
    }

    /// Records progress now.
    pub fn mark(&self) {
        let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.millis.store(millis, Ordering::Relaxed);
    }
}

/// A body that ends with an error after too long an idle time.
#[derive(Debug)]
pub struct Steady<B> {
    body: B,
    limit: Duration,
    progress: Option<BodyProgress>,
    timer: Option<Pin<Box<Sleep>>>,
    floor: Option<Floor>,
    place: Option<OriginSlot>,
    client: Option<BodySlot>,
}

/// Bytes that a body has brought in the present window.
#[derive(Debug)]
struct Floor {
    since: Instant,
    bytes: u64,
    window: Duration,
}

impl Floor {
    /// Adds bytes. Returns true when a full window has passed with too few.
    fn is_missed(&mut self, bytes: usize) -> bool {
        self.bytes += bytes as u64;
        if self.since.elapsed() < self.window {
            return false;
        }
        let is_missed = self.bytes < LEAST_BYTES;
        (self.since, self.bytes) = (Instant::now(), 0);
        is_missed
    }
}

impl<B> Steady<B> {
    /// Limits the idle time of `body` to `limit`.
    pub fn new(body: B, limit: Duration) -> Steady<B> {
        Steady { body, limit, progress: None, timer: None, floor: None, place: None, client: None }
    }

    /// Holds a slot of the origin while the body waits for it.
    pub fn keeping(mut self, place: OriginSlot) -> Steady<B> {
        self.place = Some(place);
        self
    }

    /// Releases a slot of the origin while the body waits for its client.
    pub fn resting(mut self, place: BodySlot) -> Steady<B> {
        self.client = Some(place);
        self
    }

    /// Ends a body that is too slow: it must bring 4 KiB in two minutes.
    pub fn with_floor(self) -> Steady<B> {
        self.with_floor_of(WINDOW)
    }

    fn with_floor_of(mut self, window: Duration) -> Steady<B> {
        self.floor = Some(Floor { since: Instant::now(), bytes: 0, window });
        self
    }

    /// Records every piece in `progress`.
    pub fn marking(mut self, progress: BodyProgress) -> Steady<B> {
        self.progress = Some(progress);
        self
    }
}

impl<B> HttpBody for Steady<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let steady = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut steady.body).poll_frame(context) {
            steady.timer = None;
            if let Some(place) = &mut steady.place {
                place.rest();
            }
            if let Some(place) = &steady.client {
                place.resume();
            }
            if let Some(progress) = &steady.progress {
                progress.mark();
            }
            if let (Some(floor), Some(Ok(frame))) = (&mut steady.floor, &frame)
                && floor.is_missed(frame.data_ref().map_or(0, Bytes::len))
            {
                return Poll::Ready(Some(Err(Box::new(StoodStill))));
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        if let Some(place) = &mut steady.place {
            place.resume();
        }
        if let Some(place) = &steady.client {
            place.rest();
        }
        let limit = steady.limit;
        let timer = steady.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        match timer.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Some(Err(Box::new(StoodStill)))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures::stream::{self, StreamExt};
    use http_body_util::{BodyExt, StreamBody};

    use super::*;

    type Piece = Result<Frame<Bytes>, std::io::Error>;

    const LIMIT: Duration = Duration::from_millis(300);

    fn slow(pieces: u32, pause: Duration) -> impl HttpBody<Data = Bytes, Error = std::io::Error> + Unpin {
        let pieces = stream::iter(0..pieces).then(move |_| async move {
            tokio::time::sleep(pause).await;
            Piece::Ok(Frame::data(Bytes::from_static(b"x")))
        });
        StreamBody::new(Box::pin(pieces))
    }

    #[tokio::test]
    async fn a_slow_body_passes_as_long_as_it_moves() {
        let body = Steady::new(slow(10, LIMIT / 4), LIMIT);

        let collected = body.collect().await.unwrap().to_bytes();

        assert_eq!(collected.len(), 10);
    }

    #[tokio::test]
    async fn a_body_that_stands_still_is_an_error() {
        let body = Steady::new(slow(10, LIMIT * 3), LIMIT);

        let error = body.collect().await.unwrap_err();

        assert!(error.is::<StoodStill>());
    }

    #[tokio::test]
    async fn a_clients_body_that_drips_is_an_error_however_steadily() {
        let body = Steady::new(slow(40, LIMIT / 10), LIMIT).with_floor_of(LIMIT * 2);

        let error = body.collect().await.unwrap_err();

        assert!(error.is::<StoodStill>());
    }
}
