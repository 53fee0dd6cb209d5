//! Streams and bodies that count received bytes and end at the download limit of the render.
//! Used by the proxy. Must never count what the page sends: the limit is on downloads.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::endpoint::Endpoint;

/// Stream whose received bytes count against the limit.
pub(super) struct Metered<S> {
    inner: S,
    endpoint: Arc<Endpoint>,
}

impl<S> Metered<S> {
    pub fn new(inner: S, endpoint: Arc<Endpoint>) -> Metered<S> {
        Metered { inner, endpoint }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let read = buffer.filled().len() - before;
        if read > 0 && !self.endpoint.charge(read) {
            return Poll::Ready(Err(over_limit()));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, data)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

/// Delay before the error of a broken body. hyper discards unsent data as soon as it gets an error, while a visitor's browser shows
/// what
/// came before it.
const BROKEN_END_DELAY: Duration = Duration::from_millis(25);

/// Body of a response to the browser.
pub(super) struct MeteredBody<B = Incoming> {
    inner: B,
    endpoint: Arc<Endpoint>,
    broken: Option<Broken>,
    is_document: bool,
}

/// Error of a body and the time at which it is returned.
struct Broken {
    error: BoxError,
    at: Pin<Box<Sleep>>,
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl<B> MeteredBody<B> {
    pub fn new(inner: B, endpoint: Arc<Endpoint>) -> MeteredBody<B> {
        MeteredBody { inner, endpoint, broken: None, is_document: false }
    }

    /// Wraps the body of a document. An error ends it as if it were complete, since a browser that gets an error discards what it
    /// has not parsed. The response must not have a `Content-Length`. See docs/decisions/0220.
    pub fn of_document(inner: B, endpoint: Arc<Endpoint>) -> MeteredBody<B> {
        MeteredBody { is_document: true, ..MeteredBody::new(inner, endpoint) }
    }
}

impl<B> Body for MeteredBody<B>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.broken.is_none() {
            let error = match ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => error.into(),
                Some(Ok(frame)) => {
                    let size = frame.data_ref().map_or(0, Bytes::len);
                    if size == 0 || self.endpoint.charge(size) {
                        return Poll::Ready(Some(Ok(frame)));
                    }
                    over_limit().into()
                }
            };
            if self.is_document {
                return Poll::Ready(None);
            }
            self.broken = Some(Broken { error, at: Box::pin(tokio::time::sleep(BROKEN_END_DELAY)) });
        }
        if let Some(broken) = &mut self.broken {
            ready!(broken.at.as_mut().poll(context));
        }
        Poll::Ready(self.broken.take().map(|broken| Err(broken.error)))
    }

    fn is_end_stream(&self) -> bool {
        self.broken.is_none() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.is_document { SizeHint::default() } else { self.inner.size_hint() }
    }
}

fn over_limit() -> io::Error {
    io::Error::new(io::ErrorKind::QuotaExceeded, "the page has reached its download limit")
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use http_body_util::BodyExt;

    use super::*;
    use crate::egress::endpoint::Traffic;

    /// Body whose frames are all available.
    struct Ready(VecDeque<Result<&'static str, io::Error>>);

    impl Body for Ready {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            Poll::Ready(self.0.pop_front().map(|next| next.map(|text| Frame::data(Bytes::from(text)))))
        }
    }

    #[tokio::test]
    async fn the_error_of_a_broken_body_is_delayed_until_the_data_before_it_is_sent() {
        let endpoint = Arc::new(Endpoint::new("127.0.0.2:3128".parse().unwrap()));
        endpoint.attach(Arc::new(Traffic::new("shop.test", 100)));
        let broken = Ready([Ok("begun"), Err(io::ErrorKind::ConnectionReset.into())].into());
        let mut body = MeteredBody::new(broken, endpoint);

        assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "begun");
        let next = std::future::poll_fn(|context| Poll::Ready(Pin::new(&mut body).poll_frame(context))).await;
        assert!(next.is_pending(), "{next:?}");

        assert!(body.frame().await.unwrap().is_err());
        assert!(body.frame().await.is_none());
    }

    #[tokio::test]
    async fn a_document_that_breaks_ends_without_an_error() {
        let endpoint = Arc::new(Endpoint::new("127.0.0.2:3128".parse().unwrap()));
        endpoint.attach(Arc::new(Traffic::new("shop.test", 100)));
        let broken = Ready([Ok("begun"), Err(io::ErrorKind::ConnectionReset.into())].into());
        let mut body = MeteredBody::of_document(broken, endpoint);

        assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "begun");
        assert!(body.frame().await.is_none());
    }
}
