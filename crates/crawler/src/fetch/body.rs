//! The body of a fetched response: decompressed here, counted, within the fetch's time. Used through `Fetched` only.
//! Must never hand out more bytes than the limit: a small archive can unpack to gigabytes.

use std::fmt;
use std::pin::Pin;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder};
use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, Method};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::io::{AsyncRead, AsyncReadExt, BufReader};
use tokio::time::Instant;
use tokio_util::io::StreamReader;

use super::{FetchError, Phase};

/// Most that is unpacked at a time.
const STEP_BYTES: usize = 64 * 1024;

/// A body that is read piece by piece.
pub struct Body {
    reader: Pin<Box<dyn AsyncRead + Send>>,
    deadline: Instant,
    limit: u64,
    left: u64,
}

impl Body {
    pub(super) fn new(
        body: Incoming,
        method: &Method,
        headers: &HeaderMap,
        deadline: Instant,
        limit: u64,
    ) -> Result<Body, FetchError> {
        // The answer to HEAD names an encoding and has no bytes that could be decoded.
        let is_empty = method == Method::HEAD || body.size_hint().exact() == Some(0);
        let encoding = if is_empty { None } else { encoding_of(headers)? };
        let bytes = StreamReader::new(body.into_data_stream().map_err(std::io::Error::other));
        let reader: Pin<Box<dyn AsyncRead + Send>> = match encoding {
            None => Box::pin(bytes),
            Some(Encoding::Gzip) => {
                // Archives may be several, one after the other.
                let mut decoder = GzipDecoder::new(BufReader::new(bytes));
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
            Some(Encoding::Brotli) => Box::pin(BrotliDecoder::new(BufReader::new(bytes))),
        };
        Ok(Body { reader, deadline, limit, left: limit })
    }

    /// Reads the next piece; `None` at the end. After an error, what was read before it still counts.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        // One byte over the limit is asked for, to tell a body that ends there from a longer one.
        let step = usize::try_from(self.left.saturating_add(1)).unwrap_or(STEP_BYTES).min(STEP_BYTES);
        let mut piece = BytesMut::with_capacity(step);
        let read = self.reader.read_buf(&mut piece);
        let length = tokio::time::timeout_at(self.deadline, read)
            .await
            .map_err(|_| FetchError::Timeout(Phase::Total))?
            .map_err(|error| FetchError::Broken(Box::new(error)))?;
        match length as u64 {
            0 => Ok(None),
            length if length > self.left => Err(FetchError::TooLarge { limit: self.limit }),
            length => {
                self.left -= length;
                Ok(Some(piece.freeze()))
            }
        }
    }

    /// Reads all of it.
    pub async fn bytes(mut self) -> Result<Bytes, FetchError> {
        let mut all = BytesMut::new();
        while let Some(piece) = self.chunk().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all.freeze())
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").field("limit", &self.limit).field("left", &self.left).finish_non_exhaustive()
    }
}

#[derive(Debug, PartialEq)]
enum Encoding {
    Gzip,
    Brotli,
}

fn encoding_of(headers: &HeaderMap) -> Result<Option<Encoding>, FetchError> {
    let mut named = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .flat_map(|value| value.as_bytes().split(|b| *b == b','))
        .map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty() && name != "identity");
    let encoding = match named.next().as_deref() {
        None => return Ok(None),
        Some("gzip" | "x-gzip") => Encoding::Gzip,
        Some("br") => Encoding::Brotli,
        Some(other) => return Err(FetchError::Encoding(other.to_owned())),
    };
    // Archives inside archives are only ever sent by those who want to hurt.
    match named.next() {
        None => Ok(Some(encoding)),
        Some(second) => Err(FetchError::Encoding(second)),
    }
}
