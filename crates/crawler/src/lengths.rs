//! Repair of response heads that hyper's client refuses and browsers accept: a `Content-Length` that is not a number,
//! which browsers ignore, and unreadable lines, which they skip. Used by `tolerant` for a second try. Must never let
//! another response follow on such a connection: nobody knows where the first one ends. See docs/decisions/0220.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::header::CONNECTION;
use http::{HeaderValue, Method, Request};
use hyper::body::Body;
use hyper_util::client::legacy::connect::{Connected, Connection};
use memchr::memmem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::errors::causes;

const NAME: &[u8] = b"content-length";
/// Longest head, in bytes, that is repaired.
const MAX_HEAD: usize = 256 << 10;
const CHUNK: usize = 8 << 10;

/// Returns a copy of the request for a connection of its own, if sending it twice is safe.
pub(super) fn once_more<B: Body + Default>(request: &Request<B>) -> Option<Request<B>> {
    let is_plain = request.method() == Method::GET && request.body().is_end_stream();
    is_plain.then(|| {
        let mut again = Request::new(B::default());
        *again.uri_mut() = request.uri().clone();
        *again.headers_mut() = request.headers().clone();
        *again.extensions_mut() = request.extensions().clone();
        again.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        again
    })
}

/// Decides whether a response was refused because of its length or of an unreadable line.
pub(super) fn is_about_head(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = causes(error).filter_map(|cause| cause.downcast_ref::<hyper::Error>());
    let parts = ["content-length", "header"];
    causes.any(|error| error.is_parse() && parts.iter().any(|part| error.to_string().contains(part)))
}

/// Stream whose first response gets a readable length, or none.
pub(super) struct Tidied<S> {
    inner: S,
    /// Received part of the head, until it is complete.
    head: Option<Vec<u8>>,
    /// Bytes to be read before the rest of the stream.
    ready: Bytes,
}

impl<S> Tidied<S> {
    /// Wraps a stream; `tidies` says whether its first response is repaired.
    pub fn new(inner: S, tidies: bool) -> Tidied<S> {
        Tidied { inner, head: tidies.then(Vec::new), ready: Bytes::new() }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Tidied<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while let Some(head) = &mut this.head {
            let mut chunk = [0; CHUNK];
            let mut chunk = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut chunk))?;
            head.extend_from_slice(chunk.filled());
            if let Some(end) = head_length(head) {
                this.ready = tidied(head, end).into();
            } else if chunk.filled().is_empty() || head.len() > MAX_HEAD {
                this.ready = std::mem::take(head).into();
            } else {
                continue;
            }
            this.head = None;
        }
        if this.ready.is_empty() {
            return Pin::new(&mut this.inner).poll_read(context, buffer);
        }
        let length = this.ready.len().min(buffer.remaining());
        buffer.put_slice(&this.ready[..length]);
        this.ready.advance(length);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Tidied<S> {
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

impl<S: Connection> Connection for Tidied<S> {
    fn connected(&self) -> Connected {
        self.inner.connected()
    }
}

/// Returns the length of the head with the empty line after it, once that has come.
fn head_length(bytes: &[u8]) -> Option<usize> {
    let ends = ["\r\n\r\n", "\n\n"].map(|end| memmem::find(bytes, end.as_bytes()).map(|at| at + end.len()));
    ends.into_iter().flatten().min()
}

/// Repairs a response's head as a browser reads it: equal lengths are merged, lengths that are not numbers are
/// dropped. Lengths that contradict each other stay, and the response is refused.
fn tidied(bytes: &[u8], head_length: usize) -> Vec<u8> {
    let (head, body) = bytes.split_at(head_length);
    let lines = || head.split_inclusive(|byte| *byte == b'\n');
    let mut lengths: Vec<&[u8]> =
        lines().filter_map(length_of).flat_map(|value| value.split(|byte| *byte == b',')).collect();
    lengths.iter_mut().for_each(|length| *length = length.trim_ascii());
    lengths.retain(|length| !length.is_empty());
    lengths.dedup();
    if lengths.len() > 1 {
        return bytes.to_vec();
    }
    let number = lengths.first().filter(|length| length.iter().all(u8::is_ascii_digit));
    let mut tidied: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut lines = lines();
    tidied.extend_from_slice(lines.next().unwrap_or_default());
    if let Some(number) = number {
        tidied.extend_from_slice(&[NAME, b": ", number, b"\r\n"].concat());
    }
    let kept = lines.filter(|line| length_of(line).is_none() && !is_unreadable(line));
    kept.for_each(|line| tidied.extend_from_slice(line));
    tidied.extend_from_slice(body);
    tidied
}

/// Decides whether a header line holds what the client refuses: a NUL, or a carriage return that ends no line.
fn is_unreadable(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    memchr::memchr2(0, b'\r', line).is_some()
}

/// Returns the value of a `Content-Length` line.
fn length_of(line: &[u8]) -> Option<&[u8]> {
    let colon = memchr::memchr(b':', line)?;
    line[..colon].trim_ascii().eq_ignore_ascii_case(NAME).then(|| &line[colon + 1..])
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn read(sent: &[&str]) -> String {
        let (mut origin, client) = tokio::io::duplex(64);
        let pieces: Vec<String> = sent.iter().map(|&piece| piece.to_owned()).collect();
        let send = async move {
            for piece in pieces {
                tokio::io::AsyncWriteExt::write_all(&mut origin, piece.as_bytes()).await.unwrap();
            }
        };
        let mut text = String::new();
        let mut tidied = Tidied::new(client, true);
        let (read, ()) = tokio::join!(tidied.read_to_string(&mut text), send);
        read.unwrap();
        text
    }

    #[tokio::test]
    async fn a_length_that_is_no_number_is_none_and_equal_ones_are_one() {
        for odd in ["+5", "abc", "-1", "", " , "] {
            let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {odd}\r\nX-A: 1\r\n\r\nhello");

            assert_eq!(read(&[&response]).await, "HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\nhello", "{odd}");
        }
        let twice = "HTTP/1.1 200 OK\r\nContent-length : 5, 5\r\nX-A: 1\r\nCONTENT-LENGTH: 5,\r\n\r\nhello";

        assert_eq!(read(&[twice]).await, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nX-A: 1\r\n\r\nhello");
    }

    #[tokio::test]
    async fn lengths_that_contradict_each_other_stay_for_the_client_to_refuse() {
        for odd in ["5\r\nContent-Length: 6", "5, 6", "5, abc"] {
            let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {odd}\r\n\r\nhello");

            assert_eq!(read(&[&response]).await, response);
        }
    }

    #[tokio::test]
    async fn only_the_first_head_is_looked_at_however_it_is_cut() {
        let pieces =
            ["HTTP/1.1 200 OK\nContent-Le", "ngth: +5\n", "\nhello\r\nContent-Length: +7\r\n\r\n", "x"];

        assert_eq!(read(&pieces).await, "HTTP/1.1 200 OK\n\nhello\r\nContent-Length: +7\r\n\r\nx");
        assert_eq!(
            read(&["HTTP/1.1 200 OK\r\nContent-Length: +5\r\n"]).await,
            "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n"
        );
    }
}
