//! A response's body that knows when the request it answers is over, and reports what it hands over. Used by every listener.
//!
//! The HTTP/2 library takes a whole piece as soon as the client's window has room for one byte of it, and is done with a stream
//! once it has the last piece, which may wait in it for ever. So the last byte of each piece follows by itself: it is taken when
//! all before it has left, and until then the stream's task goes on, its time and its bytes counted.
//! See docs/decisions/0061.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::in_flight::RequestInFlight;
use super::streams;

/// Bytes of a piece that is not divided: so few may wait uncounted.
const FEW_BYTES: usize = 256;

#[derive(Debug)]
pub struct Tracked<B> {
    body: B,
    /// The last byte of the piece that was handed over last, and the size of that.
    last_byte: Option<(Bytes, usize)>,
    in_flight: Option<RequestInFlight>,
}

impl<B> Tracked<B> {
    /// Wraps a body whose request is not known yet.
    pub fn new(body: B) -> Tracked<B> {
        Tracked { body, last_byte: None, in_flight: None }
    }

    /// Ends the request with this body.
    pub fn ending(mut self, in_flight: RequestInFlight) -> Tracked<B> {
        self.in_flight = Some(in_flight);
        self
    }
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for Tracked<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let tracked = self.get_mut();
        if let Some((last_byte, piece)) = tracked.last_byte.take() {
            streams::handed_over(piece);
            return Poll::Ready(Some(Ok(Frame::data(last_byte))));
        }
        streams::asked_for_more();
        let polled = Pin::new(&mut tracked.body).poll_frame(context);
        let Poll::Ready(Some(Ok(mut frame))) = polled else { return polled };
        if let Some(data) = frame.data_mut() {
            let piece = data.len();
            streams::handed_over(piece);
            if piece > FEW_BYTES && streams::is_one() {
                tracked.last_byte = Some((data.split_off(piece - 1), piece));
            }
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.last_byte.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        if self.last_byte.is_some() {
            let (lower, upper) = (hint.lower() + 1, hint.upper().map(|upper| upper + 1));
            hint = SizeHint::new();
            hint.set_lower(lower);
            if let Some(upper) = upper {
                hint.set_upper(upper);
            }
        }
        hint
    }
}
