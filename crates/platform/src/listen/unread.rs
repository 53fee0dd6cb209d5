//! Bodies of requests that are answered before they were read. Used by every listener. The HTTP library ends a connection whose
//! request was not read to its end, without a word to a client that means to send the next one: so the rest is read where there
//! is little of it, and the response says that the connection ends where there is more.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Version, header};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

/// Bytes of a body that are read only to keep the connection.
const LITTLE: u64 = 64 * 1024;
/// Time for which they are waited for: they were sent with the head.
const MOMENT: Duration = Duration::from_millis(250);

/// Body of a client's request.
pub type ClientBody = ReturnedBody<Incoming>;

/// A request's body that is handed back when its reader drops it before its end.
#[derive(Debug)]
pub struct ReturnedBody<B: HttpBody + Unpin> {
    /// None while it is dropped, and where there is none.
    body: Option<B>,
    unread: UnreadBody<B>,
}

/// The rest of a request's body. None: there is nothing to read, or nothing that matters.
#[derive(Debug)]
pub struct UnreadBody<B>(Option<Arc<Mutex<Rest<B>>>>);

impl<B: HttpBody + Unpin> Default for ReturnedBody<B> {
    /// Makes the body of a request that has none.
    fn default() -> ReturnedBody<B> {
        ReturnedBody { body: None, unread: UnreadBody(None) }
    }
}

#[derive(Debug)]
enum Rest<B> {
    InUse,
    Left(B),
    Ended,
}

/// Divides a request from what is left of its body once it was answered.
pub fn divide<B: HttpBody + Unpin>(request: Request<B>) -> (Request<ReturnedBody<B>>, UnreadBody<B>) {
    // Streams of HTTP/2 end alone.
    let matters = request.version() < Version::HTTP_2 && !request.body().is_end_stream();
    let rest = matters.then(|| Arc::new(Mutex::new(Rest::InUse)));
    let request = request.map(|body| ReturnedBody { body: Some(body), unread: UnreadBody(rest.clone()) });
    (request, UnreadBody(rest))
}

/// Returns true when a client waits for `100 Continue` before it sends its body, which may then never come.
pub fn waits_to_send(headers: &HeaderMap) -> bool {
    headers.contains_key(header::EXPECT)
}

impl<B> UnreadBody<B> {
    fn set(&self, rest: Rest<B>) {
        if let Some(shared) = &self.0 {
            *shared.lock().unwrap_or_else(PoisonError::into_inner) = rest;
        }
    }

    fn take(&self) -> Rest<B> {
        let Some(shared) = &self.0 else { return Rest::Ended };
        std::mem::replace(&mut shared.lock().unwrap_or_else(PoisonError::into_inner), Rest::Ended)
    }
}

impl<B: HttpBody<Data = Bytes> + Unpin> UnreadBody<B> {
    /// Reads the rest where it is little, its reader has dropped it, and the client does not wait before it sends it. Returns
    /// whether nothing is left: the connection can take another request.
    pub async fn is_read(self, waits_to_send: bool) -> bool {
        let mut body = match self.take() {
            Rest::Ended => return true,
            Rest::Left(body) if !waits_to_send => body,
            Rest::Left(_) | Rest::InUse => return false,
        };
        let until = Instant::now() + MOMENT;
        let mut read = body.size_hint().lower();
        while read <= LITTLE && !body.is_end_stream() {
            match timeout_at(until, body.frame()).await {
                Ok(Some(Ok(frame))) => read += frame.data_ref().map_or(0, |data| data.len() as u64),
                Ok(None) => return true,
                Ok(Some(Err(_))) | Err(_) => return false,
            }
        }
        body.is_end_stream()
    }
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for ReturnedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let returned = self.get_mut();
        let Some(body) = &mut returned.body else { return Poll::Ready(None) };
        let polled = Pin::new(&mut *body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) || body.is_end_stream() {
            returned.unread.set(Rest::Ended);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl<B: HttpBody + Unpin> Drop for ReturnedBody<B> {
    fn drop(&mut self) {
        if let Some(body) = self.body.take()
            && !body.is_end_stream()
            && matches!(self.unread.take(), Rest::InUse)
        {
            self.unread.set(Rest::Left(body));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;
    use futures::stream::{self, BoxStream};
    use http_body_util::StreamBody;

    use super::*;

    type Piece = Result<Frame<Bytes>, std::io::Error>;
    type Pieces = StreamBody<BoxStream<'static, Piece>>;

    fn request(pieces: usize, bytes: usize) -> Request<Pieces> {
        let piece = move |_| Piece::Ok(Frame::data(vec![0; bytes].into()));
        Request::new(StreamBody::new(stream::iter(0..pieces).map(piece).boxed()))
    }

    #[tokio::test]
    async fn little_that_nobody_read_is_read_so_that_the_connection_stays() {
        let (unread_request, unread) = divide(request(4, 1024));
        let (mut begun_request, begun) = divide(request(4, 1024));
        begun_request.body_mut().frame().await.unwrap().unwrap();

        drop((unread_request, begun_request));

        assert!(unread.is_read(false).await && begun.is_read(false).await);
    }

    #[tokio::test(start_paused = true)]
    async fn much_or_what_does_not_come_ends_the_connection() {
        let (large, left_of_large) = divide(request(1024, 1024));
        let never = Request::new(StreamBody::new(stream::pending::<Piece>().boxed()));
        let (silent, left_of_silent) = divide(never);

        drop((large, silent));

        assert!(!left_of_large.is_read(false).await && !left_of_silent.is_read(false).await);
    }

    #[tokio::test]
    async fn a_body_that_was_read_leaves_nothing_and_one_in_use_cannot_be_read() {
        let (whole, left_of_whole) = divide(request(4, 1024));
        let (_in_use, left_of_used) = divide(request(4, 1024));

        whole.into_body().collect().await.unwrap();

        assert!(left_of_whole.is_read(false).await);
        assert!(!left_of_used.is_read(false).await);
    }
}
