//! Bodies that pass through the edge: streamed as they come, with a limit on how long they may stand still.
//! Must never hold more of a body than the piece that is on its way.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep};

use super::wire::Answering;

/// What the edge answers with: bytes of its own, or the origin's as they come.
pub type Body = Tracked<Either<Full<Bytes>, Steady<Incoming>>>;

/// A body of bytes that are already here.
pub fn full(bytes: impl Into<Bytes>) -> Body {
    Tracked { body: Either::Left(Full::new(bytes.into())), answering: None }
}

/// A body without bytes.
pub fn empty() -> Body {
    full(Bytes::new())
}

/// An origin's body.
pub fn streamed(body: Steady<Incoming>) -> Body {
    Tracked { body: Either::Right(body), answering: None }
}

/// A body that knows when the request it answers is over.
#[derive(Debug)]
pub struct Tracked<B> {
    body: B,
    answering: Option<Answering>,
}

impl<B> Tracked<B> {
    /// Ends `answering` with this body.
    pub fn ending(mut self, answering: Answering) -> Tracked<B> {
        self.answering = Some(answering);
        self
    }
}

impl<B: HttpBody + Unpin> HttpBody for Tracked<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body stood still for too long.
#[derive(Debug, thiserror::Error)]
#[error("the body stood still for too long")]
pub struct StoodStill;

/// When something last moved, so that a slow upload is not taken for a slow origin.
#[derive(Debug, Clone)]
pub struct Progress {
    start: Instant,
    millis: Arc<AtomicU64>,
}

impl Progress {
    /// Moved just now.
    pub fn start() -> Progress {
        Progress { start: Instant::now(), millis: Arc::default() }
    }

    /// When something last moved.
    pub fn last(&self) -> Instant {
        self.start + Duration::from_millis(self.millis.load(Ordering::Relaxed))
    }

    fn mark(&self) {
        let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.millis.store(millis, Ordering::Relaxed);
    }
}

/// A body that ends with an error when it stands still.
#[derive(Debug)]
pub struct Steady<B> {
    body: B,
    limit: Duration,
    progress: Option<Progress>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<B> Steady<B> {
    /// Lets `body` stand still for at most `limit`.
    pub fn new(body: B, limit: Duration) -> Steady<B> {
        Steady { body, limit, progress: None, timer: None }
    }

    /// Marks every piece in `progress`.
    pub fn marking(mut self, progress: Progress) -> Steady<B> {
        self.progress = Some(progress);
        self
    }
}

impl<B> HttpBody for Steady<B>
where
    B: HttpBody + Unpin,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Data = B::Data;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let steady = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut steady.body).poll_frame(context) {
            steady.timer = None;
            if let Some(progress) = &steady.progress {
                progress.mark();
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
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
}
