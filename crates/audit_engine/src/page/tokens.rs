//! Divides a document into tags and texts as the HTML standard does (13.2.5), copying only texts that need changes.
//! Used by `scan`. An own scanner, because it is the largest part of what a page costs: see docs/decisions/0160.
//! Must read every document as html5ever's tokenizer does (`oracle`), in time and memory in proportion to it.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::ends::{comment_length, raw_end, script_end};
use super::names::{Attr, Name};
use super::references::{ReferenceContext, decode};

/// A piece of a document. The content of a start tag is in [`Tokens::tag`].
#[derive(Debug, PartialEq, Eq)]
pub enum Token<'h> {
    /// `<!doctype …>`, and whether it is that of HTML.
    Doctype {
        /// True for the name `html`.
        is_html: bool,
    },
    /// A start tag.
    Start,
    /// An end tag.
    End(Name),
    /// Text, references decoded.
    Text(Cow<'h, str>),
}

/// Kind of content of an element that holds no elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raw {
    /// Text with references.
    Rcdata,
    /// Text without references.
    Rawtext,
    /// A script, in which a comment may hide its end tag.
    Script,
}

/// A start tag.
#[derive(Debug, Default)]
pub struct Tag<'h> {
    /// Name as written.
    pub text: &'h str,
    /// Name for comparisons.
    pub name: Name,
    /// True for a tag that ends with `/>`.
    pub self_closing: bool,
    attributes: Vec<(Attr, Cow<'h, str>)>,
    present: u64,
}

impl Tag<'_> {
    /// Returns the value of an attribute; of two equal attributes the first counts.
    pub fn attr(&self, attr: Attr) -> Option<&str> {
        if !self.has(attr) {
            return None;
        }
        self.attributes.iter().find(|(name, _)| *name == attr).map(|(_, value)| &**value)
    }

    /// Returns true when the tag has an attribute.
    pub fn has(&self, attr: Attr) -> bool {
        self.present & attr.bit() != 0
    }

    /// Returns true when the tag has no attribute that a fact is taken from.
    pub fn is_bare(&self) -> bool {
        self.present == 0
    }
}

/// A document that is being divided.
pub struct Tokens<'h> {
    html: &'h str,
    at: usize,
    has_nul: bool,
    /// The start tag that was read last.
    pub tag: Tag<'h>,
}

impl<'h> Tokens<'h> {
    /// Begins with a document, whose lines end with `\n` only.
    pub fn new(html: &'h str) -> Tokens<'h> {
        let has_nul = memchr(0, html.as_bytes()).is_some();
        Tokens { html, at: 0, has_nul, tag: Tag::default() }
    }

    /// Returns the number of bytes that were read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the next token. Returns `None` at the end. In svg and math, `<![CDATA[` holds text.
    pub fn next(&mut self, in_foreign: bool) -> Option<Token<'h>> {
        loop {
            let rest = &self.html.as_bytes()[self.at..];
            let second = match rest {
                [] => return None,
                [b'<', second, ..] => *second,
                _ => return Some(self.text()),
            };
            match second {
                b'a'..=b'z' | b'A'..=b'Z' => {
                    let name = self.tag_name(self.at + 1);
                    self.tag.text = name;
                    self.tag.name = self.name(name);
                    return self.attributes(true).then_some(Token::Start);
                }
                b'/' => match rest.get(2) {
                    Some(byte) if byte.is_ascii_alphabetic() => {
                        let name = self.tag_name(self.at + 2);
                        let name = self.name(name);
                        return self.attributes(false).then_some(Token::End(name));
                    }
                    Some(b'>') => self.at += 3,
                    Some(_) => self.skip_past(b'>'),
                    None => return Some(self.text()),
                },
                b'!' => {
                    if let Some(token) = self.markup(in_foreign) {
                        return Some(token);
                    }
                }
                b'?' => self.skip_past(b'>'),
                _ => return Some(self.text()),
            }
        }
    }

    /// Returns the content of an element that holds text only, up to its end tag. Returns `None` when that is missing.
    pub fn raw(&mut self, kind: Raw, name: Name) -> Option<Cow<'h, str>> {
        let start = self.at;
        let end = match kind {
            Raw::Script => script_end(&self.html[start..]),
            Raw::Rcdata | Raw::Rawtext => raw_end(&self.html[start..], name),
        };
        self.at = end.map_or(self.html.len(), |end| start + end);
        let text = &self.html[start..self.at];
        end?;
        Some(if kind == Raw::Rcdata { self.decoded(text, ReferenceContext::Text) } else { self.whole(text) })
    }

    /// Returns the remaining document as text.
    pub fn plaintext(&mut self) -> Cow<'h, str> {
        let text = &self.html[self.at..];
        self.at = self.html.len();
        self.whole(text)
    }

    /// Reads text up to a possible tag. A `<` at the beginning is text.
    fn text(&mut self) -> Token<'h> {
        let start = self.at;
        let bytes = self.html.as_bytes();
        let length = memchr(b'<', &bytes[start + 1..]).map_or(bytes.len() - start, |at| at + 1);
        self.at += length;
        let text = &self.html[start..self.at];
        if self.has_nul && text.contains('\0') {
            // Browsers drop the character here, and it ends a reference.
            let parts = text.split('\0').map(|part| decode(part, ReferenceContext::Text));
            return Token::Text(Cow::Owned(parts.collect()));
        }
        Token::Text(decode(text, ReferenceContext::Text))
    }

    fn whole(&self, text: &'h str) -> Cow<'h, str> {
        if self.has_nul && text.contains('\0') { text.replace('\0', "\u{fffd}").into() } else { text.into() }
    }

    fn decoded(&self, text: &'h str, context: ReferenceContext) -> Cow<'h, str> {
        match self.whole(text) {
            Cow::Borrowed(text) => decode(text, context),
            Cow::Owned(text) => decode(&text, context).into_owned().into(),
        }
    }

    fn skip_past(&mut self, byte: u8) {
        let rest = &self.html.as_bytes()[self.at..];
        self.at += memchr(byte, rest).map_or(rest.len(), |at| at + 1);
    }

    fn name(&self, text: &str) -> Name {
        if self.has_nul && text.contains('\0') {
            Name::read(&text.replace('\0', "\u{fffd}"))
        } else {
            Name::read(text)
        }
    }

    fn tag_name(&mut self, start: usize) -> &'h str {
        let rest = &self.html.as_bytes()[start..];
        let length = rest.iter().position(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'));
        self.at = start + length.unwrap_or(rest.len());
        &self.html[start..self.at]
    }

    /// Reads to the end of a tag, and keeps its attributes if it is a start tag. Whether there is an end.
    fn attributes(&mut self, keeps: bool) -> bool {
        self.tag.self_closing = false;
        if keeps {
            self.tag.attributes.clear();
            self.tag.present = 0;
        }
        let bytes = self.html.as_bytes();
        loop {
            match bytes.get(self.at) {
                None => return false,
                Some(b'>') => {
                    self.at += 1;
                    return true;
                }
                Some(b'/') => {
                    self.at += 1;
                    if bytes.get(self.at) == Some(&b'>') {
                        self.at += 1;
                        self.tag.self_closing = true;
                        return true;
                    }
                }
                Some(byte) if is_space(*byte) => self.at += 1,
                Some(_) => {
                    let name = self.attribute_name();
                    let Some(value) = self.attribute_value() else { return false };
                    if let Some(attr) = Attr::read(name).filter(|attr| keeps && !self.tag.has(*attr)) {
                        self.tag.present |= attr.bit();
                        self.tag.attributes.push((attr, self.decoded(value, ReferenceContext::Attribute)));
                    }
                }
            }
        }
    }

    /// Reads the name of an attribute, which has at least one character of any kind.
    fn attribute_name(&mut self) -> &'h str {
        let start = self.at;
        let rest = &self.html.as_bytes()[start + 1..];
        let ends = |byte: &u8| is_space(*byte) || matches!(byte, b'/' | b'>' | b'=');
        self.at += 1 + rest.iter().position(ends).unwrap_or(rest.len());
        &self.html[start..self.at]
    }

    /// Reads the value after a name; "" without one. Returns `None` when the document ends in the value.
    fn attribute_value(&mut self) -> Option<&'h str> {
        let bytes = self.html.as_bytes();
        self.skip_spaces();
        if bytes.get(self.at) != Some(&b'=') {
            return Some("");
        }
        self.at += 1;
        self.skip_spaces();
        let first = *bytes.get(self.at)?;
        if matches!(first, b'"' | b'\'') {
            let start = self.at + 1;
            let length = memchr(first, &bytes[start..])?;
            self.at = start + length + 1;
            return Some(&self.html[start..start + length]);
        }
        let start = self.at;
        let length = bytes[start..].iter().position(|byte| is_space(*byte) || *byte == b'>')?;
        self.at += length;
        Some(&self.html[start..self.at])
    }

    fn skip_spaces(&mut self) {
        while self.html.as_bytes().get(self.at).is_some_and(|byte| is_space(*byte)) {
            self.at += 1;
        }
    }

    /// Reads markup after `<!`: a comment, a doctype, or a piece of text.
    fn markup(&mut self, in_foreign: bool) -> Option<Token<'h>> {
        let start = self.at + 2;
        let rest = &self.html[start..];
        if let Some(comment) = rest.strip_prefix("--") {
            self.at = start + 2 + comment_length(comment.as_bytes());
            return None;
        }
        if rest.get(..7).is_some_and(|text| text.eq_ignore_ascii_case("doctype")) {
            self.skip_past(b'>');
            let name = rest[7..].trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
            let end =
                name.find(|c: char| c == '>' || c.is_ascii() && is_space(c as u8)).unwrap_or(name.len());
            return Some(Token::Doctype { is_html: name[..end].eq_ignore_ascii_case("html") });
        }
        if let Some(text) = rest.strip_prefix("[CDATA[").filter(|_| in_foreign) {
            let length = memmem::find(text.as_bytes(), b"]]>");
            self.at = length.map_or(self.html.len(), |length| start + 7 + length + 3);
            return Some(Token::Text(text[..length.unwrap_or(text.len())].into()));
        }
        self.skip_past(b'>');
        None
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0C)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::oracle::{comparable, ours, theirs};

    /// Generates parts of documents, now and then without their end.
    fn part() -> impl Strategy<Value = String> {
        let fixed: &[&str] = &[
            "<",
            ">",
            "</",
            "/>",
            "<!",
            "<!--",
            "-->",
            "--!>",
            "--",
            "-",
            "!",
            "<?",
            "=",
            "\"",
            "'",
            " ",
            "\n",
            "\r\n",
            "\r",
            "\0",
            "&",
            "&amp;",
            "&amp",
            "&#38",
            "&#x26;",
            "&notit;",
            "&lt",
            ";",
            "a",
            "script",
            "title",
            "html",
            "é",
            "\t",
            "<script>",
            "</script>",
            "</script ",
            "<title>",
            "</title>",
            "<style>",
            "</style",
            "<textarea>",
            "</textarea/>",
            "<!doctype html>",
            "<!DOCTYPE",
            "<plaintext>",
            "<p>",
            "</p>",
            "<a href=",
            "<a HREF=\"/x?a=1&copy=2\" id='y'",
            "rel",
            "<br/>",
            "<svg>",
            "<![CDATA[",
            "]]>",
            "href=",
            "<xmp>",
            "</xmp>",
            "<noscript>",
            "<\u{e9}>",
            "<a-long-name-of-an-element>",
        ];
        proptest::sample::select(fixed).prop_map(str::to_owned)
    }

    #[test]
    fn a_name_that_ends_with_nul_is_another_name() {
        for html in ["<style></style\0 >a</style>b", "<a href\0=x id=y>", "<p\0></p\0>"] {
            assert_eq!(comparable(ours(html)), comparable(theirs(html)), "{html:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn documents_are_divided_as_html5ever_divides_them(parts in prop::collection::vec(part(), 0..24)) {
            let html = parts.concat();

            prop_assert_eq!(comparable(ours(&html)), comparable(theirs(&html)), "{:?}", html);
        }
    }
}
