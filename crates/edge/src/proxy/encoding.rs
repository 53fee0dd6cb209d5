//! Compressed forms of snapshots: negotiates the encoding, compresses once and caches the result.
//! Used by the edge. Must never compress the same bytes at every request, nor on a thread that serves others.
//! See docs/decisions/0035.

use std::io::Write;

use bytes::Bytes;
use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue};
use tokio::task::spawn_blocking;

use platform::api::accept::{Preference, preferences};

/// Capacity of the cache of compressed forms, in bytes.
const KEPT_BYTES: u64 = 64 << 20;
/// Least bytes of a body that is compressed.
const MIN_BYTES: usize = 512;

/// A compression that the edge can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentEncoding {
    /// Brotli.
    Br,
    /// Zstandard.
    Zstd,
    Gzip,
}

impl ContentEncoding {
    /// Encodings by size of the result: of equally preferred ones the first is sent.
    const ALL: [ContentEncoding; 3] = [ContentEncoding::Br, ContentEncoding::Zstd, ContentEncoding::Gzip];

    /// Returns the token of `Content-Encoding`.
    pub const fn token(self) -> &'static str {
        match self {
            ContentEncoding::Br => "br",
            ContentEncoding::Zstd => "zstd",
            ContentEncoding::Gzip => "gzip",
        }
    }

    /// Returns the token as a header's value.
    pub const fn header(self) -> HeaderValue {
        HeaderValue::from_static(self.token())
    }

    /// Returns the encoding that a client prefers. None for uncompressed bytes.
    pub fn negotiate(headers: &HeaderMap) -> Option<ContentEncoding> {
        let lines = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let wishes: Vec<Preference<'_>> = lines.flat_map(preferences).collect();
        let wish = |token: &str| {
            wishes.iter().find(|wish| wish.value.eq_ignore_ascii_case(token)).map(|wish| wish.quality)
        };
        let quality = |encoding: ContentEncoding| wish(encoding.token()).or_else(|| wish("*")).unwrap_or(0.0);
        let best =
            ContentEncoding::ALL.into_iter().rev().max_by(|a, b| quality(*a).total_cmp(&quality(*b)))?;
        (quality(best) > 0.0 && quality(best) >= wish("identity").unwrap_or(0.0)).then_some(best)
    }

    fn compress(self, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            ContentEncoding::Br => {
                let mut out = Vec::with_capacity(bytes.len() / 4);
                let settings = brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
                brotli::BrotliCompress(&mut &bytes[..], &mut out, &settings)?;
                Ok(out)
            }
            ContentEncoding::Zstd => zstd::bulk::compress(bytes, 6),
            ContentEncoding::Gzip => {
                let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
                out.write_all(bytes)?;
                out.finish()
            }
        }
    }
}

/// Cache of compressed forms by encoding and by etag of the plain bytes. Cheap to clone.
#[derive(Clone)]
pub struct Forms(cache::SharedCache<(&'static str, &'static str), Bytes>);

impl Default for Forms {
    fn default() -> Forms {
        Forms(cache::SharedCache::weighed(KEPT_BYTES, |bytes: &Bytes| bytes.len() + 128))
    }
}

impl Forms {
    /// Returns the bytes in an encoding that the client accepts. Concurrent callers share one compression.
    ///
    /// `etag` belongs to the bytes: equal etags mean equal bytes.
    pub async fn of(
        &self,
        etag: &str,
        bytes: &Bytes,
        headers: &HeaderMap,
    ) -> (Bytes, Option<ContentEncoding>) {
        let Some(encoding) = ContentEncoding::negotiate(headers).filter(|_| bytes.len() >= MIN_BYTES) else {
            return (bytes.clone(), None);
        };
        let make = async {
            let plain = bytes.clone();
            let done = spawn_blocking(move || encoding.compress(&plain).map(Bytes::from)).await;
            done.map_err(|_| ()).and_then(|result| result.map_err(drop))
        };
        match self.0.try_get_with(&(encoding.token(), etag), make).await {
            Some(compressed) => (Bytes::clone(&compressed), Some(encoding)),
            // Writing to memory does not fail; a task that is cancelled at shutdown does.
            None => (bytes.clone(), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn accepting(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn the_smallest_of_the_equally_welcome_forms_is_chosen() {
        let table = [
            ("gzip, deflate, br, zstd", Some(ContentEncoding::Br)),
            ("gzip, zstd", Some(ContentEncoding::Zstd)),
            ("gzip;q=1.0, br;q=0.5", Some(ContentEncoding::Gzip)),
            ("GZIP", Some(ContentEncoding::Gzip)),
            ("*", Some(ContentEncoding::Br)),
            ("*, br;q=0", Some(ContentEncoding::Zstd)),
            ("identity", None),
            ("deflate", None),
            ("gzip;q=0", None),
            ("identity;q=1, gzip;q=0.5", None),
            ("", None),
            ("br;q=x", None),
        ];

        for (value, expected) in table {
            assert_eq!(ContentEncoding::negotiate(&accepting(value)), expected, "{value:?}");
        }
        assert_eq!(ContentEncoding::negotiate(&HeaderMap::new()), None);
    }

    #[tokio::test]
    async fn every_form_unpacks_to_the_same_bytes() {
        let forms = Forms::default();
        let plain = Bytes::from("<p>tea and cake</p>".repeat(500));

        for (token, encoding) in
            [("br", ContentEncoding::Br), ("zstd", ContentEncoding::Zstd), ("gzip", ContentEncoding::Gzip)]
        {
            let (bytes, made) = forms.of("W/\"1\"", &plain, &accepting(token)).await;

            assert_eq!(made, Some(encoding));
            assert!(bytes.len() < plain.len() / 4);
            let mut unpacked = Vec::new();
            match encoding {
                ContentEncoding::Br => brotli::BrotliDecompress(&mut bytes.as_ref(), &mut unpacked).unwrap(),
                ContentEncoding::Zstd => unpacked = zstd::bulk::decompress(&bytes, 1 << 20).unwrap(),
                ContentEncoding::Gzip => {
                    flate2::read::GzDecoder::new(bytes.as_ref()).read_to_end(&mut unpacked).unwrap();
                }
            }
            assert_eq!(unpacked, plain);
        }
    }

    #[tokio::test]
    async fn a_form_is_made_once() {
        let forms = Forms::default();
        let plain = Bytes::from("<p>tea and cake</p>".repeat(500));

        let (first, _) = forms.of("W/\"1\"", &plain, &accepting("br")).await;
        let (second, _) = forms.of("W/\"1\"", &plain, &accepting("br")).await;

        assert_eq!(first.as_ptr(), second.as_ptr());
    }

    #[tokio::test]
    async fn a_few_bytes_are_sent_as_they_are() {
        let (bytes, encoding) =
            Forms::default().of("W/\"1\"", &Bytes::from_static(b"<p>"), &accepting("br")).await;

        assert_eq!((bytes.as_ref(), encoding), (b"<p>".as_slice(), None));
    }
}
