//! Bodies that are not compressed as their headers say. Pure.

use std::io;

use crawler::FetchError;
use crawler::errors::causes;
use crawler::fetch::ReadBody;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;

/// First bytes of gzip and zstd.
const COMPRESSED: [&[u8]; 2] = [&[0x1F, 0x8B, 8], &[0x28, 0xB5, 0x2F, 0xFD]];
/// Bytes of a body that are looked at.
const LOOKED_AT: usize = 1_024;

/// Fault of a body that browsers cannot decode.
pub const OTHERWISE_COMPRESSED: &str = "it is not compressed as `Content-Encoding` says";

/// Returns the fault of an HTML body after it was unpacked as its headers say; none: it is text.
pub fn fault_of(body: &ReadBody, headers: &HeaderMap) -> Option<&'static str> {
    if body.is_mislabelled {
        return Some(OTHERWISE_COMPRESSED);
    }
    let start = &body.bytes[..body.bytes.len().min(LOOKED_AT)];
    let is_utf_16 = start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]);
    // Control characters that no text has; the escape begins characters of ISO-2022-JP.
    let is_control = |byte: &&u8| matches!(**byte, 1..=8 | 14..=26 | 28..=31);
    let is_binary = !is_utf_16 && start.iter().filter(is_control).count() * 50 > start.len();
    if !is_binary && !COMPRESSED.iter().any(|first| start.starts_with(first)) {
        return None;
    }
    Some(match headers.contains_key(CONTENT_ENCODING) {
        true => "it is compressed twice, and `Content-Encoding` says once",
        false => "it is compressed, and no `Content-Encoding` says so",
    })
}

/// Returns true for a body that was received and could not be unpacked.
pub fn is_undecodable(error: &FetchError, headers: &HeaderMap) -> bool {
    let of_connection = |error: &io::Error| error.get_ref().is_some_and(|inner| inner.is::<hyper::Error>());
    let mut errors = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>());
    headers.contains_key(CONTENT_ENCODING)
        && matches!(error, FetchError::Broken(_))
        && errors.next().is_some_and(|error| !of_connection(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_any_charset_is_no_fault_and_packed_bytes_are() {
        let fault = |text: &[u8]| {
            let bytes = bytes::Bytes::copy_from_slice(text);
            fault_of(&ReadBody { bytes, is_cut: false, is_mislabelled: false }, &HeaderMap::new())
        };
        let utf_16: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain("<p>Schuhe".bytes().flat_map(|b| [b, 0])).collect();
        for text in [&b"<p>Schuhe\xFC"[..], b"\x1B$B7$\x1B(B<p>", b"", "<p>手工鞋".as_bytes(), &utf_16] {
            assert_eq!(fault(text), None, "{text:?}");
        }
        for packed in [&b"\x1F\x8B\x08\x00"[..], b"\x28\xB5\x2F\xFD", b"\x0B\x02\x80<p>\x03\x1D\x05"] {
            assert!(fault(packed).is_some(), "{packed:?}");
        }
    }
}
