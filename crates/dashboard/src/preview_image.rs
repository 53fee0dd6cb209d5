//! Pictures that social tags of audited pages name, for previews of shared links: fetched through the guard, and answered
//! only when their first bytes are a picture's. Must never fetch an address that no audited page names.

use std::time::Duration;

use bytes::Bytes;
use crawler::fetch::TimeLimits;
use crawler::{FetchRequest, Fetcher, tls};
use http::header::{ACCEPT, HeaderValue};
use http::{HeaderMap, StatusCode};
use url::Url;

use platform::Platform;

/// Largest picture.
const MAX_BYTES: u64 = 5 << 20;
/// Time for the whole picture.
const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_REDIRECTS: u32 = 5;

/// Fetches pictures. Cheap to clone.
#[derive(Clone)]
pub struct PreviewImages {
    fetcher: Fetcher,
}

/// A picture, by its first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewImage {
    pub media_type: &'static str,
    pub bytes: Bytes,
}

impl PreviewImages {
    pub fn new(platform: &Platform) -> PreviewImages {
        let agent =
            concat!("Mozilla/5.0 (compatible; Glasshouse/", env!("CARGO_PKG_VERSION"), "; link preview)");
        let agent = HeaderValue::from_static(agent);
        PreviewImages { fetcher: Fetcher::new(platform.network.clone(), tls::client_config(), agent) }
    }

    /// Fetches a picture. None: it does not come, is too large, takes too long, or is not a picture.
    pub async fn fetch(&self, url: Url) -> Option<PreviewImage> {
        let accept = HeaderValue::from_static("image/avif,image/webp,image/png,image/jpeg,image/gif");
        let request = FetchRequest {
            headers: HeaderMap::from_iter([(ACCEPT, accept)]),
            max_redirects: MAX_REDIRECTS,
            max_body_bytes: MAX_BYTES,
            time_limits: TimeLimits { connect: TIMEOUT, headers: TIMEOUT, total: TIMEOUT },
            ..FetchRequest::get(url)
        };
        let fetched = self.fetcher.fetch(request).await.ok()?;
        if fetched.status != StatusCode::OK {
            return None;
        }
        let bytes = fetched.body.bytes().await.ok()?;
        let media_type = media_type_of(&bytes)?;
        Some(PreviewImage { media_type, bytes })
    }
}

/// Tells a picture's type by its first bytes. None: it is not a picture, or of a type that may hold scripts.
pub fn media_type_of(bytes: &[u8]) -> Option<&'static str> {
    let brand = bytes.get(8..12);
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', ..] if matches!(brand, Some(b"WEBP")) => Some("image/webp"),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] if matches!(brand, Some(b"avif" | b"avis")) => {
            Some("image/avif")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_first_bytes_whatever_it_is_called() {
        for (bytes, media_type) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0....", Some("image/jpeg")),
            (b"GIF89a....", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"\0\0\0\x20ftypavif", Some("image/avif")),
            (b"RIFF\0\0\0\0WAVEfmt ", None),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\">", None),
            (b"<html>", None),
            (b"GIF", None),
            (b"", None),
        ] {
            assert_eq!(media_type_of(bytes), media_type, "{bytes:?}");
        }
    }
}
