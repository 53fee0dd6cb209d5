//! Addresses of links and pictures: which are written, and how. Pure.

use std::cell::Cell;

use url::Url;

use super::escapes::begins_reference;

/// Bytes of addresses that are written for each byte of the document.
const BYTES_PER_BYTE: usize = 4;
/// Bytes of addresses that are written for any document.
const SPARE_BYTES: usize = 64 * 1024;

/// Writer of the addresses of one document. Bounded, since each relative address repeats the base.
#[derive(Debug)]
pub struct PageAddresses<'p> {
    base: &'p Url,
    bytes_left: Cell<usize>,
}

impl<'p> PageAddresses<'p> {
    /// Makes the writer for a document of this size, in bytes.
    pub fn new(base: &'p Url, document_bytes: usize) -> PageAddresses<'p> {
        PageAddresses { base, bytes_left: Cell::new(document_bytes * BYTES_PER_BYTE + SPARE_BYTES) }
    }

    /// Returns the destination of a link. Returns `None` for an address that is no http(s), mailto or tel.
    pub fn of_link(&self, href: &str) -> Option<String> {
        self.destination(href, |url| is_web(url) || matches!(url.scheme(), "mailto" | "tel"))
    }

    /// Returns the destination of a picture. Returns `None` for an address that is no http(s).
    pub fn of_picture(&self, src: &str) -> Option<String> {
        self.destination(src, is_web)
    }

    fn destination(&self, address: &str, is_written: impl Fn(&Url) -> bool) -> Option<String> {
        let left = self.bytes_left.get().checked_sub(self.base.as_str().len() + address.len())?;
        let url = self.base.join(address).ok().filter(is_written)?;
        self.bytes_left.set(left);
        let text = url.as_str();
        let mut destination = String::with_capacity(text.len());
        for (at, letter) in text.char_indices() {
            match letter {
                '&' if begins_reference(&text[at..]) => destination.push_str("\\&"),
                '`' => destination.push_str("%60"),
                '|' => destination.push_str("%7C"),
                '\\' => destination.push_str("%5C"),
                '<' => destination.push_str("%3C"),
                '>' => destination.push_str("%3E"),
                ' ' => destination.push_str("%20"),
                _ => destination.push(letter),
            }
        }
        Some(if destination.contains(['(', ')']) { format!("<{destination}>") } else { destination })
    }
}

/// Returns true for an address of the web.
pub fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}
