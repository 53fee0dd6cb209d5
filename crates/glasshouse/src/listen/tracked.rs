//! A response's body that knows when the request it answers is over, and reports what it hands over. Used by every listener.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::streams;
use super::timed::RequestInFlight;

#[derive(Debug)]
pub struct Tracked<B> {
    body: B,
    in_flight: Option<RequestInFlight>,
}

impl<B> Tracked<B> {
    /// A body whose request is not known yet.
    pub fn new(body: B) -> Tracked<B> {
        Tracked { body, in_flight: None }
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
        streams::asked_for_more();
        let polled = Pin::new(&mut self.get_mut().body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            streams::handed_over(data.len());
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
