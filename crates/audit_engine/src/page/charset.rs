//! Encoding of a document as browsers decide it (HTML standard, 13.2.3.2): a byte order mark, the header, a declaration in the
//! document. Used by responses. Pure.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::declarations::declared_charset;
use super::names::{Kinds, Name};
use super::scan::raw_kind;
use super::tokens::{Token, Tokens};

/// Decides the encoding of a body, which may be cut, whose header names a charset, or none.
///
/// A declaration past the first 1,024 bytes counts too: browsers read the page again then.
pub fn encoding_of(header: Option<&str>, body: &[u8], is_cut: bool) -> &'static Encoding {
    let of_label = |label: &str| Encoding::for_label(label.as_bytes());
    let named = Encoding::for_bom(body).map(|(encoding, _)| encoding).or_else(|| header.and_then(of_label));
    if let Some(encoding) = named {
        return encoding;
    }
    match declaration(body) {
        // The declaration could be read, so the document is of no encoding with two bytes a letter.
        Some(encoding) if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
        Some(encoding) if encoding == X_USER_DEFINED => WINDOWS_1252,
        Some(encoding) => encoding,
        None => match std::str::from_utf8(body) {
            // A document that was cut may end inside a letter.
            Err(error) if !is_cut || error.error_len().is_some() => WINDOWS_1252,
            _ => UTF_8,
        },
    }
}

/// Returns the encoding that the document itself declares, in a `meta` or at the beginning of XML. Comments, scripts and
/// other texts declare nothing.
fn declaration(body: &[u8]) -> Option<&'static Encoding> {
    // Declarations are of ASCII; each byte is one character here, whatever the encoding.
    let text = encoding_rs::mem::decode_latin1(body).replace('\r', "\n");
    let mut tokens = Tokens::new(&text);
    while let Some(token) = tokens.next(false) {
        if token != Token::Start {
            continue;
        }
        if tokens.tag.name == Name::of("meta") {
            let label = declared_charset(&tokens.tag);
            let declared = label.and_then(|label| Encoding::for_label(label.as_bytes()));
            if declared.is_some() {
                return declared;
            }
        } else if let Some(kind) = raw_kind(Kinds::of(tokens.tag.name)) {
            tokens.raw(kind, tokens.tag.name);
        }
    }
    let xml = text.strip_prefix("<?xml").and_then(|rest| rest.split_once('>')).map(|(xml, _)| xml)?;
    let (_, value) = xml.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let label = value.strip_prefix(['"', '\''])?.split(['"', '\'']).next()?;
    Encoding::for_label(label.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(header: Option<&str>, body: &[u8]) -> &'static str {
        encoding_of(header, body, false).name()
    }

    #[test]
    fn a_mark_counts_before_the_header_and_the_header_before_the_document() {
        let meta = b"<meta charset=koi8-r>";

        assert_eq!(name(Some("koi8-r"), b"\xEF\xBB\xBF<p>"), "UTF-8");
        assert_eq!(name(Some("utf-8"), b"\xFF\xFE<\0"), "UTF-16LE");
        assert_eq!(name(Some("iso-8859-1"), meta), "windows-1252");
        assert_eq!(name(None, meta), "KOI8-R");
        for unknown in ["utf8mb4", "none", "'utf-8'", ""] {
            assert_eq!(name(Some(unknown), meta), "KOI8-R", "{unknown}");
        }
    }

    #[test]
    fn a_document_that_can_be_read_is_of_no_wide_encoding() {
        for label in ["utf-16", "UTF-16LE", "utf-16be", "unicode"] {
            assert_eq!(name(None, format!("<meta charset={label}>\u{e9}").as_bytes()), "UTF-8", "{label}");
        }
        assert_eq!(name(None, b"<meta charset=x-user-defined>"), "windows-1252");
        assert_eq!(name(Some("utf-16le"), b"<\0p\0"), "UTF-16LE");
    }

    #[test]
    fn only_a_meta_of_the_document_declares_something() {
        for (body, expected) in [
            ("<!-- <meta charset=koi8-r> --><meta charset=windows-1251>", "windows-1251"),
            ("<script>'<meta charset=koi8-r>'</script><meta charset=windows-1251>", "windows-1251"),
            ("<title><meta charset=koi8-r></title><meta charset=windows-1251>", "windows-1251"),
            ("<meta charset=nonsense><meta charset=windows-1251>", "windows-1251"),
            ("<meta name=charset content=koi8-r><meta data-charset=koi8-r>", "UTF-8"),
            ("<meta content='text/html; charset=koi8-r'>", "UTF-8"),
            (
                "<META http-equiv=Content-Type\r\ncontent=\"text/html; charset = 'windows-1251' ; a\">",
                "windows-1251",
            ),
            ("<meta http-equiv=content-type content='charset charset=koi8-r'>", "KOI8-R"),
            ("<?xml version='1.0' encoding=\"windows-1251\"?><html>", "windows-1251"),
            ("<p title='<meta charset=koi8-r>'>", "UTF-8"),
        ] {
            assert_eq!(name(None, body.as_bytes()), expected, "{body}");
        }
    }

    #[test]
    fn without_a_declaration_text_is_utf_8_if_it_can_be() {
        assert_eq!(name(None, "caf\u{e9}".as_bytes()), "UTF-8");
        assert_eq!(encoding_of(None, b"caf\xC3", true).name(), "UTF-8");
        assert_eq!(name(None, b"caf\xE9 au lait"), "windows-1252");
        let late = format!("<title>{}</title><meta charset=windows-1251>", "x".repeat(2000));
        assert_eq!(name(None, late.as_bytes()), "windows-1251");
    }
}
