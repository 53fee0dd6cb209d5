//! The body of a fetched response: decompressed here, counted, within the fetch's time. Used through `Fetched` only.
//! Must never hand out more bytes than the limit: a small archive can unpack to gigabytes.

use std::fmt;
use std::pin::Pin;

use async_compression::tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder};
use bytes::{Bytes, BytesMut};
use flate2::{Decompress, FlushDecompress};
use futures::TryStreamExt;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, Method};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::time::Instant;
use tokio_util::io::StreamReader;

use super::{FetchError, Phase};

/// Most that is unpacked at a time.
const STEP_BYTES: usize = 64 * 1024;
/// Most that is reserved because a server announced it.
const MOST_RESERVED: usize = 256 * 1024;

/// A body that is read piece by piece.
pub struct Body {
    source: Source,
    /// Bytes that are announced, encoded or not.
    announced: Option<u64>,
    deadline: Instant,
    limit: u64,
    left: u64,
    /// True once the limit was reached with bytes left.
    is_over: bool,
}

/// A body that was read up to a limit.
#[derive(Debug)]
pub struct ReadBody {
    pub bytes: Bytes,
    /// The body is longer than the limit.
    pub is_cut: bool,
    /// `Content-Encoding` names a compression that the body does not have. Browsers refuse such a body.
    pub is_mislabelled: bool,
}

enum Source {
    /// As it comes: pieces are handed on without a copy.
    Plain(Incoming),
    /// Labelled as compressed, and not read yet.
    Labelled(Option<Packed>, Encoding),
    /// Unpacked.
    Encoded(Pin<Box<dyn AsyncRead + Send>>),
    /// Said to be packed, and plain.
    Mislabelled(Pin<Box<dyn AsyncRead + Send>>),
}

type Packed = Pin<Box<dyn AsyncBufRead + Send>>;

impl Source {
    /// Reads the next piece; of compressed bodies `step` bytes at most. Returns `None` at the end.
    async fn next(&mut self, step: usize) -> Result<Option<Bytes>, FetchError> {
        if let Source::Labelled(packed, encoding) = self {
            *self = match packed.take() {
                Some(packed) => unpacked(packed, *encoding).await?,
                // The first look at it failed.
                None => return Ok(None),
            };
        }
        let body = match self {
            Source::Plain(body) => body,
            Source::Labelled(..) => return Ok(None),
            Source::Encoded(reader) | Source::Mislabelled(reader) => {
                let mut piece = BytesMut::with_capacity(step);
                let read = reader.read_buf(&mut piece).await;
                read.map_err(|error| FetchError::Broken(Box::new(error)))?;
                return Ok(Some(piece.freeze()).filter(|piece| !piece.is_empty()));
            }
        };
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| FetchError::Broken(Box::new(error)))?;
            // Trailers are not part of the body.
            if let Some(piece) = frame.into_data().ok().filter(|piece| !piece.is_empty()) {
                return Ok(Some(piece));
            }
        }
        Ok(None)
    }
}

impl Body {
    /// Begins to read the body of a response to a request with `method`. `limit` counts bytes after decompression.
    pub fn new(
        body: Incoming,
        method: &Method,
        headers: &HeaderMap,
        deadline: Instant,
        limit: u64,
    ) -> Result<Body, FetchError> {
        // The answer to HEAD names an encoding and has no bytes that could be decoded.
        let is_empty = method == Method::HEAD || body.size_hint().exact() == Some(0);
        let encoding = if is_empty { None } else { encoding_of(headers)? };
        let announced = body.size_hint().exact();
        let source = match encoding {
            None => Source::Plain(body),
            Some(encoding) => {
                let stream = body.into_data_stream().map_err(std::io::Error::other);
                Source::Labelled(Some(Box::pin(BufReader::new(StreamReader::new(stream)))), encoding)
            }
        };
        Ok(Body { source, announced, deadline, limit, left: limit, is_over: false })
    }

    /// Reads the next piece; `None` at the end. After an error, the pieces before it are still valid.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        if self.is_over {
            return Err(FetchError::TooLarge { limit: self.limit });
        }
        // One byte over the limit is asked for, to tell a body that ends there from a longer one.
        let step = usize::try_from(self.left.saturating_add(1)).unwrap_or(STEP_BYTES).min(STEP_BYTES);
        let piece = tokio::time::timeout_at(self.deadline, self.source.next(step))
            .await
            .map_err(|_| FetchError::Timeout(Phase::Total))??;
        let Some(mut piece) = piece else { return Ok(None) };
        if piece.len() as u64 > self.left {
            if self.left == 0 {
                return Err(FetchError::TooLarge { limit: self.limit });
            }
            piece.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.is_over = true;
        }
        self.left -= piece.len() as u64;
        Ok(Some(piece))
    }

    pub async fn up_to_limit(mut self) -> Result<ReadBody, FetchError> {
        let mut first = Bytes::new();
        let mut all = BytesMut::new();
        let mut is_cut = false;
        loop {
            let piece = match self.chunk().await {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(FetchError::TooLarge { .. }) => {
                    is_cut = true;
                    break;
                }
                Err(error) => return Err(error),
            };
            if first.is_empty() && all.is_empty() {
                first = piece;
                continue;
            }
            if all.is_empty() {
                // What is announced may be a lie: it is believed up to a few pages of memory.
                let announced = usize::try_from(self.announced.unwrap_or_default()).unwrap_or_default();
                all.reserve(announced.min(MOST_RESERVED).max(first.len() + piece.len()));
                all.extend_from_slice(&first);
                first = Bytes::new();
            }
            all.extend_from_slice(&piece);
        }
        let is_mislabelled = matches!(self.source, Source::Mislabelled(_));
        // A body of one piece is that piece.
        let bytes = if all.is_empty() { first } else { all.freeze() };
        Ok(ReadBody { bytes, is_cut, is_mislabelled })
    }

    /// Reads the whole body.
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

#[derive(Debug, Clone, Copy, PartialEq)]
enum Encoding {
    Gzip,
    Brotli,
    /// With a header of zlib or without one: servers send both.
    Deflate,
    Zstd,
}

/// Reads the `Content-Encoding`. An unknown name (`none`, `utf-8`) means no encoding, as in browsers.
fn encoding_of(headers: &HeaderMap) -> Result<Option<Encoding>, FetchError> {
    let named = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .flat_map(|value| value.as_bytes().split(|b| *b == b','))
        .map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase());
    let mut known = named.filter_map(|name| match name.as_str() {
        "gzip" | "x-gzip" => Some((Encoding::Gzip, name)),
        "br" => Some((Encoding::Brotli, name)),
        "deflate" => Some((Encoding::Deflate, name)),
        "zstd" => Some((Encoding::Zstd, name)),
        _ => None,
    });
    let Some((encoding, _)) = known.next() else { return Ok(None) };
    // Archives inside archives are only ever sent by those who want to hurt.
    match known.next() {
        None => Ok(Some(encoding)),
        Some((_, second)) => Err(FetchError::Encoding(second)),
    }
}

/// Decompresses a body, unless its first bytes contradict its label.
async fn unpacked(mut packed: Packed, encoding: Encoding) -> Result<Source, FetchError> {
    const ZSTD_MAGIC: &[u8] = b"\x28\xB5\x2F\xFD";
    let start = packed.fill_buf().await.map_err(|error| FetchError::Broken(Box::new(error)))?;
    Ok(match (encoding, start) {
        (_, []) => Source::Encoded(packed),
        (Encoding::Brotli, _) => Source::Encoded(Box::pin(BrotliDecoder::new(packed))),
        (Encoding::Gzip, [0x1F, ..]) => {
            // Archives may be several, one after the other.
            let mut decoder = GzipDecoder::new(packed);
            decoder.multiple_members(true);
            Source::Encoded(Box::pin(decoder))
        }
        (Encoding::Deflate, [first, second, ..])
            if first & 0x0F == 8 && u16::from_be_bytes([*first, *second]) % 31 == 0 =>
        {
            Source::Encoded(Box::pin(ZlibDecoder::new(packed)))
        }
        (Encoding::Deflate, start) if is_deflated(start) => {
            Source::Encoded(Box::pin(DeflateDecoder::new(packed)))
        }
        (Encoding::Zstd, start) if start.starts_with(ZSTD_MAGIC) => {
            return Err(FetchError::Encoding("zstd".to_owned()));
        }
        _ => Source::Mislabelled(packed),
    })
}

/// Decides whether bytes are the beginning of a deflated body without a header. Text is not: decompression fails at once.
fn is_deflated(start: &[u8]) -> bool {
    let mut unpacked = [0; 1024];
    let mut decoder = Decompress::new(false);
    decoder.decompress(start, &mut unpacked, FlushDecompress::None).is_ok()
}
