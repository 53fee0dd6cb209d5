//! Compressed forms of snapshots: which one a client takes, and each made once and kept while it is asked for.
//! Used by the edge. Must never compress the same bytes again on every request, nor on a thread that serves others.
//! See docs/decisions/0035.

use std::io::Write;

use bytes::Bytes;
use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue};
use tokio::task::spawn_blocking;

use platform::api::accept::{Preference, preferences};

/// Bytes that the kept forms may take.
const KEPT_BYTES: u64 = 64 << 20;
/// Less than this is not worth a header.
const MIN_BYTES: usize = 512;

/// A compression that every browser or crawler may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentEncoding {
    /// Brotli.
    Br,
    /// Zstandard.
    Zstd,
    Gzip,
}

impl ContentEncoding {
    /// Best first: the smallest of equally welcome ones is sent.
    const ALL: [ContentEncoding; 3] = [ContentEncoding::Br, ContentEncoding::Zstd, ContentEncoding::Gzip];

    /// The token of `Content-ContentEncoding`.
    pub const fn token(self) -> &'static str {
        match self {
            ContentEncoding::Br => "br",
            ContentEncoding::Zstd => "zstd",
            ContentEncoding::Gzip => "gzip",
        }
    }

    /// The token as a header's value.
    pub const fn header(self) -> HeaderValue {
        HeaderValue::from_static(self.token())
    }

    /// The encoding that a client likes best; none: the bytes as they are.
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

/// Compressed forms by the etag of what they are forms of. Cheap to clone.
#[derive(Clone)]
pub struct Forms(cache::SharedCache<(&'static str, &'static str), Bytes>);

impl Default for Forms {
    fn default() -> Forms {
        Forms(cache::SharedCache::weighed(KEPT_BYTES, |bytes: &Bytes| bytes.len() + 128))
    }
}

impl Forms {
    /// The bytes in a form that the client takes, made by at most one task however many ask at once.
    ///
    /// `etag` is of the bytes: equal etags are equal bytes.
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
            // Writing to memory does not fail; a cancelled task at shutdown may.
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
