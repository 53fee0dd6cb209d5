//! Converts a sitemap file to UTF-8 text: unpacks gzip, finds the encoding, stops at the size limit.
//! Pure; holds a few kilobytes whatever the file contains.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use flate2::bufread::MultiGzDecoder;

/// Bytes at the start of a file in which the encoding is looked for; an XML declaration is well within them.
const HEAD: usize = 1024;
const CHUNK: usize = 8 * 1024;

/// Text of a sitemap file, in UTF-8, without a byte order mark.
pub(super) struct Text<'r> {
    bytes: Bounded<'r>,
    decoder: Decoder,
    ready: Vec<u8>,
    at: usize,
    ended: bool,
    /// Bytes that may be taken before [`Text::allow`] is called again.
    allowed: usize,
}

/// Error of a piece that is longer than [`Text::allow`] permitted.
#[derive(Debug, thiserror::Error)]
#[error("a piece of the file is too long")]
struct TooLong;

/// Decides whether an error means that a piece of a file is too long.
pub(super) fn is_too_long(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<TooLong>())
}

impl<'r> Text<'r> {
    /// Looks at the beginning of the file. At most `limit` unpacked bytes are read of it.
    pub(super) fn open(file: impl Read + 'r, limit: u64) -> io::Result<Text<'r>> {
        let unpacked = unpack(file)?;
        let mut bytes = Bounded { inner: unpacked, left: limit, read: 0, is_cut: false };
        let mut head = Vec::with_capacity(HEAD);
        (&mut bytes).take(HEAD as u64).read_to_end(&mut head)?;
        let encoding = encoding_of(&head);
        let Bounded { inner, left, is_cut, .. } = bytes;
        // What was looked at is read again, without counting it twice.
        let left = left.saturating_add(head.len() as u64);
        let inner = Box::new(Cursor::new(head).chain(inner));
        let read = 0;
        let bytes = Bounded { inner, left, read, is_cut };
        Ok(Text {
            bytes,
            decoder: encoding.new_decoder(),
            ready: Vec::new(),
            at: 0,
            ended: false,
            allowed: usize::MAX,
        })
    }

    /// Returns true when the limit cut the file off.
    pub(super) fn is_cut(&self) -> bool {
        self.bytes.is_cut
    }

    /// Returns the number of unpacked bytes that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.read
    }

    /// Allows this many more bytes to be read. A longer piece is an error, so that no piece grows without limit.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.allowed = bytes;
    }

    fn refill(&mut self) -> io::Result<()> {
        // The reader asks again for every tag, and nearly always there is more.
        if self.at < self.ready.len() || self.ended {
            return Ok(());
        }
        let mut raw = [0; CHUNK];
        while self.at == self.ready.len() && !self.ended {
            let count = self.bytes.read(&mut raw)?;
            self.ended = count == 0;
            // Three bytes of UTF-8 for each byte of any other encoding, and a few for what was pending.
            self.ready.resize(count * 3 + 16, 0);
            let (_, _, written, _) = self.decoder.decode_to_utf8(&raw[..count], &mut self.ready, self.ended);
            self.ready.truncate(written);
            self.at = 0;
        }
        Ok(())
    }
}

impl Read for Text<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let count = available.read(to)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Text<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.allowed == 0 {
            return Err(io::Error::other(TooLong));
        }
        self.refill()?;
        let available = &self.ready[self.at..];
        Ok(&available[..available.len().min(self.allowed)])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
        self.allowed -= count;
    }
}

/// A reader that ends at its limit and remembers whether there was more.
struct Bounded<'r> {
    inner: Box<dyn Read + 'r>,
    left: u64,
    read: u64,
    is_cut: bool,
}

impl Read for Bounded<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            self.is_cut = self.is_cut || self.inner.read(&mut [0])? > 0;
            return Ok(0);
        }
        let most = to.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let count = self.inner.read(&mut to[..most])?;
        self.left -= count as u64;
        self.read += count as u64;
        Ok(count)
    }
}

/// Unpacks gzip. The first bytes decide, not name or headers: servers get both wrong.
fn unpack<'r>(file: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut file = BufReader::with_capacity(CHUNK, file);
    let mut magic = Vec::with_capacity(2);
    (&mut file).take(2).read_to_end(&mut magic)?;
    let is_gzip = magic == [0x1f, 0x8b];
    let whole = BufReader::with_capacity(CHUNK, Cursor::new(magic).chain(file));
    Ok(if is_gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) })
}

fn encoding_of(head: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    match head {
        [b'<', 0, ..] => UTF_16LE,
        [0, b'<', ..] => UTF_16BE,
        _ => declared_encoding(head).unwrap_or(UTF_8),
    }
}

/// Finds the encoding of `<?xml … encoding="…"?>`. A declaration that is readable as ASCII cannot be in UTF-16.
fn declared_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let head = head[start..].strip_prefix(b"<?xml")?;
    let declaration = std::str::from_utf8(&head[..head.windows(2).position(|pair| pair == b"?>")?]).ok()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let label = value[1..].split(quote).next()?;
    Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != UTF_16LE && *encoding != UTF_16BE)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(bytes: &[u8], limit: u64) -> (String, bool) {
        let mut text = Text::open(bytes, limit).unwrap();
        let mut out = String::new();
        text.read_to_string(&mut out).unwrap();
        (out, text.is_cut())
    }

    fn utf16(text: &str, big_endian: bool, bom: bool) -> Vec<u8> {
        let units = bom.then_some(0xfeff).into_iter().chain(text.encode_utf16());
        units.flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn every_encoding_a_sitemap_comes_in_becomes_utf_8() {
        let text = "<?xml version='1.0'?><a>Grüße 🫖</a>";
        let mut marked = b"\xef\xbb\xbf".to_vec();
        marked.extend(text.as_bytes());

        for bytes in [
            text.as_bytes().to_vec(),
            marked,
            utf16(text, false, true),
            utf16(text, true, true),
            utf16(text, false, false),
            utf16(text, true, false),
            gzip(text.as_bytes()),
            gzip(&utf16(text, true, true)),
        ] {
            assert_eq!(read(&bytes, 1_000_000), (text.to_owned(), false));
        }
        let latin = b"<?xml version=\"1.0\" encoding='ISO-8859-1'?><a>Gr\xfc\xdfe</a>";
        assert!(read(latin, 1_000_000).0.ends_with("<a>Grüße</a>"));
    }

    #[test]
    fn the_limit_counts_unpacked_bytes_and_says_when_it_cut() {
        let file = gzip(&[b'a'; 100_000]);

        assert_eq!(read(&file, 100_000), ("a".repeat(100_000), false));
        assert_eq!(read(&file, 99_999), ("a".repeat(99_999), true));
        assert_eq!(read(&file, 10), ("a".repeat(10), true));
    }

    #[test]
    fn a_bomb_of_zeros_is_cut_without_being_held() {
        let file = gzip(&vec![0; 20_000_000]);

        let (text, is_cut) = read(&file, 1_000);

        assert!(is_cut && text.len() == 1_000 && file.len() < 200_000);
    }

    #[test]
    fn broken_gzip_is_an_error_and_not_an_end() {
        let mut file = gzip(&[b'a'; 1000]);
        file.truncate(file.len() - 9);

        let read =
            Text::open(&file[..], 1_000_000).and_then(|mut text| text.read_to_string(&mut String::new()));

        assert!(read.is_err());
    }
}
