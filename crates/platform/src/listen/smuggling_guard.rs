//! Reads along with an HTTP/1.1 connection and refuses what proxies are known to disagree about (request smuggling).
//! Used on every connection of the edge, in front of the HTTP library, which accepts some of it. Pure; allocates nothing.
//! Must never let two readings of where a request ends through: a bare line feed, a folded line, two lengths, a length
//! beside chunks, or an unusual transfer encoding.
//! See docs/decisions/0019.

/// Enough of a line to read the names and values that matter.
const KEPT: usize = 64;

/// Part of a message that a connection is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionPhase {
    /// No byte of the next request has come.
    Between,
    /// Within a request's head.
    Head,
    /// Within a body; so many bytes are left.
    Body(u64),
    /// Nothing more is looked at: chunks, a tunnel, HTTP/2 within TLS, or a request that was refused. The connection serves no
    /// further HTTP/1.1 request ([`closes_after`]).
    Opaque,
}

/// Follows the requests on one connection.
#[derive(Debug)]
pub struct SmugglingGuard {
    phase: ConnectionPhase,
    line: [u8; KEPT],
    line_bytes: usize,
    is_request_line: bool,
    last: u8,
    content_length: Option<u64>,
    is_chunked: bool,
    has_host: bool,
    wants_upgrade: bool,
    is_refused: bool,
}

/// A head that must not be served.
struct RefusedHead;

impl Default for SmugglingGuard {
    /// Creates a guard before the first request.
    fn default() -> SmugglingGuard {
        SmugglingGuard {
            phase: ConnectionPhase::Between,
            line: [0; KEPT],
            line_bytes: 0,
            is_request_line: true,
            last: 0,
            content_length: None,
            is_chunked: false,
            has_host: false,
            wants_upgrade: false,
            is_refused: false,
        }
    }
}

impl SmugglingGuard {
    /// Looks at nothing: for a connection that speaks HTTP/2.
    pub fn opaque() -> SmugglingGuard {
        SmugglingGuard { phase: ConnectionPhase::Opaque, ..SmugglingGuard::default() }
    }

    /// Returns the phase of the connection after what was fed.
    pub fn phase(&self) -> ConnectionPhase {
        self.phase
    }

    /// Returns true when a request was made unreadable because it must not be served.
    pub fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Looks at the next bytes of the connection.
    ///
    /// The first byte that makes a request ambiguous is overwritten with a zero, which no parser accepts: the HTTP library
    /// then answers 400 and closes the connection.
    pub fn feed(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while at < bytes.len() {
            match self.phase {
                ConnectionPhase::Opaque => return,
                ConnectionPhase::Body(left) => {
                    let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len() - at);
                    at += here;
                    self.end_body_after(left - here as u64);
                }
                ConnectionPhase::Between | ConnectionPhase::Head => {
                    at += self.take_text(&bytes[at..]);
                    let Some(byte) = bytes.get(at) else { return };
                    if self.take(*byte).is_err() {
                        bytes[at] = 0;
                        self.is_refused = true;
                        self.phase = ConnectionPhase::Opaque;
                    }
                    at += 1;
                }
            }
        }
    }

    fn end_body_after(&mut self, left: u64) {
        self.phase = if left == 0 { ConnectionPhase::Between } else { ConnectionPhase::Body(left) };
    }

    /// Takes what follows in a line at once, which is nearly all of a head, and says how much that is.
    fn take_text(&mut self, bytes: &[u8]) -> usize {
        if self.phase != ConnectionPhase::Head || self.last == b'\r' {
            return 0;
        }
        let text = &bytes[..memchr::memchr2(b'\r', b'\n', bytes).unwrap_or(bytes.len())];
        let Some(last) = text.last() else { return 0 };
        let kept = text.len().min(KEPT.saturating_sub(self.line_bytes));
        if kept > 0 {
            self.line[self.line_bytes..][..kept].copy_from_slice(&text[..kept]);
        }
        self.line_bytes += text.len();
        self.last = *last;
        text.len()
    }

    fn take(&mut self, byte: u8) -> Result<(), RefusedHead> {
        let last = std::mem::replace(&mut self.last, byte);
        if self.phase == ConnectionPhase::Between {
            if byte == b'\r' || (byte == b'\n' && last == b'\r') {
                return Ok(());
            }
            *self = SmugglingGuard { phase: ConnectionPhase::Head, last: byte, ..SmugglingGuard::default() };
        }
        match byte {
            b'\n' if last == b'\r' => self.end_line(),
            b'\n' => Err(RefusedHead),
            _ if last == b'\r' && self.line_bytes > 0 => Err(RefusedHead),
            b'\r' if self.line_bytes > 0 => Ok(()),
            // The empty line: its carriage return has no text before it.
            b'\r' if last == b'\n' => Ok(()),
            _ if last == b'\r' => Err(RefusedHead),
            _ => {
                if self.line_bytes < KEPT {
                    self.line[self.line_bytes] = byte;
                }
                self.line_bytes += 1;
                Ok(())
            }
        }
    }

    fn end_line(&mut self) -> Result<(), RefusedHead> {
        let length = std::mem::replace(&mut self.line_bytes, 0);
        if length == 0 {
            return self.end_head();
        }
        let line = self.line;
        let line = &line[..length.min(KEPT)];
        if std::mem::replace(&mut self.is_request_line, false) {
            return Ok(());
        }
        self.read_field(line, length <= KEPT)
    }

    fn read_field(&mut self, line: &[u8], is_whole: bool) -> Result<(), RefusedHead> {
        if matches!(line[0], b' ' | b'\t') {
            return Err(RefusedHead);
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            // No name of this length matters; whether there is a colon at all is the parser's business.
            return if is_whole { Err(RefusedHead) } else { Ok(()) };
        };
        let (name, value) = (&line[..colon], trim(&line[colon + 1..]));
        if name.last().is_some_and(u8::is_ascii_whitespace) {
            return Err(RefusedHead);
        }
        if name.eq_ignore_ascii_case(b"content-length") {
            let length =
                std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
            let length = length.and_then(|text| text.parse().ok()).ok_or(RefusedHead)?;
            return if is_whole && self.content_length.replace(length).is_none() {
                Ok(())
            } else {
                Err(RefusedHead)
            };
        }
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            let is_new = !std::mem::replace(&mut self.is_chunked, true);
            return if is_new && is_whole && value.eq_ignore_ascii_case(b"chunked") {
                Ok(())
            } else {
                Err(RefusedHead)
            };
        }
        if name.eq_ignore_ascii_case(b"host") && std::mem::replace(&mut self.has_host, true) {
            return Err(RefusedHead);
        }
        self.wants_upgrade |= name.eq_ignore_ascii_case(b"upgrade");
        Ok(())
    }

    fn end_head(&mut self) -> Result<(), RefusedHead> {
        if self.is_chunked && self.content_length.is_some() {
            return Err(RefusedHead);
        }
        if self.is_chunked || self.wants_upgrade {
            self.phase = ConnectionPhase::Opaque;
        } else {
            self.end_body_after(self.content_length.unwrap_or(0));
        }
        Ok(())
    }
}

/// Returns true when a connection must end after the answer to a request with such headers: what follows was not checked.
pub fn closes_after(headers: &http::HeaderMap) -> bool {
    headers.contains_key(http::header::TRANSFER_ENCODING) || headers.contains_key(http::header::UPGRADE)
}

fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the output for a text that is fed in pieces of the given size, and the phase of the connection then.
    fn fed(text: &str, piece: usize) -> (String, ConnectionPhase) {
        let mut guard = SmugglingGuard::default();
        let mut bytes = text.as_bytes().to_vec();
        bytes.chunks_mut(piece).for_each(|piece| guard.feed(piece));
        (String::from_utf8(bytes).unwrap(), guard.phase())
    }

    fn is_refused(text: &str) -> bool {
        let whole = fed(text, usize::MAX);
        assert_eq!(whole, fed(text, 1), "the size of the pieces matters for {text:?}");
        whole.0.contains('\0')
    }

    #[test]
    fn ordinary_requests_pass_unchanged_one_after_the_other() {
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\nPOST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\na\nb\nGET /y HTTP/1.1\r\nHost: a\r\n\r\n";

        assert!(!is_refused(text));
        assert_eq!(fed(text, 7), (text.to_owned(), ConnectionPhase::Between));
    }

    #[test]
    fn a_bare_line_feed_or_carriage_return_in_a_head_is_refused() {
        for text in [
            "GET / HTTP/1.1\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: 1\rY: 2\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\n",
            "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        ] {
            assert!(is_refused(text), "{text:?}");
        }
    }

    #[test]
    fn a_folded_line_and_a_space_before_the_colon_are_refused() {
        assert!(is_refused("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n"));
        assert!(is_refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\n"));
    }

    #[test]
    fn two_lengths_or_a_length_beside_chunks_are_refused() {
        for fields in [
            "Content-Length: 1\r\nContent-Length: 2",
            "Content-Length: 1\r\ncontent-length: 1",
            "Content-Length: 1, 1",
            "Content-Length: +1",
            "Content-Length: 0x1",
            "Content-Length: 99999999999999999999",
            "Content-Length: 4\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 4",
        ] {
            assert!(is_refused(&format!("POST / HTTP/1.1\r\nHost: a\r\n{fields}\r\n\r\nabcd")), "{fields:?}");
        }
    }

    #[test]
    fn any_transfer_encoding_but_chunked_is_refused() {
        for value in [
            "xchunked",
            "gzip, chunked",
            "chunked, identity",
            "\u{b}chunked",
            "chunked\r\nTransfer-Encoding: chunked",
        ] {
            assert!(
                is_refused(&format!("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: {value}\r\n\r\n")),
                "{value:?}"
            );
        }
        assert!(!is_refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked \r\n\r\n0\r\n\r\n"));
    }

    #[test]
    fn two_hosts_are_refused() {
        assert!(is_refused("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n"));
    }

    #[test]
    fn chunks_and_upgrades_are_not_looked_into() {
        for text in [
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na\nb\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n\u{1}\n\n",
        ] {
            assert!(!is_refused(text), "{text:?}");
            assert_eq!(fed(text, 3).1, ConnectionPhase::Opaque);
        }
    }

    #[test]
    fn a_body_is_skipped_to_its_exact_end() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n";

        assert_eq!(fed(&format!("{head}ab"), 5).1, ConnectionPhase::Body(1));
        assert_eq!(fed(&format!("{head}abcG"), 5).1, ConnectionPhase::Head);
        assert!(is_refused(&format!("{head}abcGET / HTTP/1.1\nHost: a\r\n\r\n")));
    }

    proptest! {
        #[test]
        fn the_size_of_the_pieces_never_matters(
            atoms in proptest::collection::vec(prop_oneof![
                Just("\r\n".to_owned()), Just("\r".to_owned()), Just("\n".to_owned()), Just(" ".to_owned()), Just(":".to_owned()),
                Just("GET / HTTP/1.1\r\n".to_owned()), Just("Host: a\r\n".to_owned()), Just("Content-Length: 3\r\n".to_owned()),
                "[a-z]{1,70}",
            ], 0..12),
            piece in 2_usize..90,
        ) {
            let text = atoms.concat();

            prop_assert_eq!(fed(&text, piece), fed(&text, 1));
        }

        #[test]
        fn no_bytes_make_it_panic_and_at_most_one_is_changed(bytes in proptest::collection::vec(any::<u8>(), 0..300), piece in 1_usize..40) {
            let mut guard = SmugglingGuard::default();
            let mut seen = bytes.clone();

            seen.chunks_mut(piece).for_each(|piece| guard.feed(piece));

            prop_assert!(seen.iter().zip(&bytes).filter(|(a, b)| a != b).count() <= 1);
        }
    }
}
