//! The XML forms of a sitemap: `urlset`, `sitemapindex`, RSS, Atom. Used by `parse_sitemap`.
//! Must never expand an entity of the file's own.

use std::io;

use quick_xml::Reader;
use quick_xml::errors::{Error as XmlError, SyntaxError};
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::{FileKind, HIGH_PRIORITY, Listed, MAX_PIECE_BYTES, MAX_URL_BYTES, ParseError, Parsed};
use crate::sitemap::decode::{Text, is_too_long};
use crate::sitemap::lastmod::parse_lastmod;

/// Deepest nesting of elements: sitemaps have four levels, a deeper file is an attack or another format.
const MAX_DEPTH: usize = 64;

/// Maximum number of language versions that are read per page.
const MAX_ALTERNATES: usize = 500;

/// A field of an entry that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Loc,
    Lastmod,
    Priority,
}

/// Reader of the XML forms of sitemaps. The path of an element counts: an image's `loc` is not that of its page.
pub(super) struct XmlFile<'r, 'f> {
    reader: Reader<Text<'r>>,
    most: usize,
    each: &'f mut dyn FnMut(Listed),
    kind: Option<FileKind>,
    /// Prefix of the root element, which entries and their fields share; extensions have another.
    prefix: Vec<u8>,
    depth: usize,
    /// Depth of the open entry.
    entry: Option<usize>,
    /// The open field, with its depth.
    field: Option<(Field, usize)>,
    value: String,
    loc: String,
    lastmod: Option<String>,
    is_important: bool,
    alternates: Vec<(String, String)>,
    count: usize,
    has_more_entries: bool,
    bad_lastmods: usize,
}

impl<'r, 'f> XmlFile<'r, 'f> {
    /// Makes a reader of at most this many entries.
    pub(super) fn new(text: Text<'r>, most: usize, each: &'f mut dyn FnMut(Listed)) -> XmlFile<'r, 'f> {
        let mut reader = Reader::from_reader(text);
        // Written by hand, many sitemaps have a bare & in their addresses.
        reader.config_mut().allow_dangling_amp = true;
        reader.config_mut().expand_empty_elements = true;
        XmlFile {
            reader,
            most,
            each,
            kind: None,
            prefix: Vec::new(),
            depth: 0,
            entry: None,
            field: None,
            value: String::new(),
            loc: String::new(),
            lastmod: None,
            is_important: false,
            alternates: Vec::new(),
            count: 0,
            has_more_entries: false,
            bad_lastmods: 0,
        }
    }

    /// Reads to the end of the root element or to a limit.
    pub(super) fn read(mut self) -> Result<Parsed, ParseError> {
        let mut buffer = Vec::new();
        let mut is_cut = false;
        loop {
            buffer.clear();
            self.reader.get_mut().allow(MAX_PIECE_BYTES);
            let event = match self.reader.read_event_into(&mut buffer) {
                Ok(event) => event,
                // Cut in the middle of a tag by our own limit.
                Err(XmlError::Syntax(_)) if self.reader.get_ref().is_cut() => break,
                Err(error) => return Err(self.explain(error)),
            };
            match event {
                Event::Start(tag) => self.open(&tag)?,
                Event::End(_) => {
                    is_cut = self.close();
                    self.has_more_entries = is_cut;
                    if is_cut || self.depth == 0 {
                        break;
                    }
                }
                Event::Text(text) => self.append(&String::from_utf8_lossy(&text)),
                Event::CData(text) => self.append(&String::from_utf8_lossy(&text)),
                Event::GeneralRef(reference) => self.append_reference(&reference),
                Event::DocType(_) => return Err(ParseError::DocumentType),
                Event::Eof => break,
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
        }
        self.end(is_cut)
    }

    fn end(self, is_cut: bool) -> Result<Parsed, ParseError> {
        let is_cut = is_cut || (self.depth > 0 && self.reader.get_ref().is_cut());
        let Some(kind) = self.kind else { return Err(ParseError::NotASitemap("no element".to_owned())) };
        if self.depth > 0 && !is_cut {
            return Err(self.broken("it ends before its root element does".to_owned()));
        }
        let bytes = self.reader.get_ref().bytes();
        let has_more_entries = self.has_more_entries;
        Ok(Parsed { kind, is_cut, bad_lastmods: self.bad_lastmods, bytes, has_more_entries })
    }

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.broken("elements are nested too deeply".to_owned()));
        }
        let name = tag.name();
        let prefix = name.prefix().map(|prefix| prefix.as_ref().to_vec()).unwrap_or_default();
        let local = tag.local_name();
        let Some(kind) = self.kind else {
            self.kind = Some(kind_of(local.as_ref())?);
            self.prefix = prefix;
            return Ok(());
        };
        let is_field = self.entry == Some(self.depth - 1);
        if is_field && kind == FileKind::Urlset && local.as_ref() == b"link" {
            let version = language_version(tag).filter(|_| self.alternates.len() < MAX_ALTERNATES);
            self.alternates.extend(version);
            return Ok(());
        }
        if prefix != self.prefix {
            return Ok(());
        }
        let (entry, entry_depth) = match kind {
            FileKind::Urlset => ("url", 2),
            FileKind::Index => ("sitemap", 2),
            FileKind::Rss => ("item", 3),
            FileKind::Atom => ("entry", 2),
            FileKind::Text => return Ok(()),
        };
        if self.depth == entry_depth && local.as_ref() == entry.as_bytes() {
            self.entry = Some(self.depth);
            self.loc.clear();
            self.lastmod = None;
            self.is_important = false;
            self.alternates.clear();
        } else if is_field {
            self.open_field(kind, local.as_ref(), tag);
        }
        Ok(())
    }

    fn open_field(&mut self, kind: FileKind, local: &[u8], tag: &BytesStart<'_>) {
        let field = match (kind, local) {
            (FileKind::Urlset | FileKind::Index, b"loc") | (FileKind::Rss, b"link") => Field::Loc,
            (FileKind::Urlset | FileKind::Index, b"lastmod")
            | (FileKind::Rss, b"pubDate")
            | (FileKind::Atom, b"updated") => Field::Lastmod,
            (FileKind::Urlset, b"priority") => Field::Priority,
            (FileKind::Atom, b"link") => {
                if let Some(href) = alternate_link(tag) {
                    self.loc = href;
                }
                return;
            }
            _ => return,
        };
        self.field = Some((field, self.depth));
        self.value.clear();
    }

    /// Ends an element. Returns true when the limit of entries is reached.
    fn close(&mut self) -> bool {
        if let Some((field, depth)) = self.field
            && depth == self.depth
        {
            let value = std::mem::take(&mut self.value);
            let value = value.trim();
            match field {
                Field::Loc => value.clone_into(&mut self.loc),
                Field::Lastmod => self.lastmod = (!value.is_empty()).then(|| value.to_owned()),
                Field::Priority => {
                    self.is_important =
                        value.parse::<f64>().is_ok_and(|priority| (HIGH_PRIORITY..=1.0).contains(&priority));
                }
            }
            self.field = None;
        }
        let ends_entry = self.entry == Some(self.depth);
        self.depth = self.depth.saturating_sub(1);
        if !ends_entry {
            return false;
        }
        self.entry = None;
        if self.loc.is_empty() || self.loc.len() > MAX_URL_BYTES {
            return false;
        }
        if self.count == self.most {
            return true;
        }
        self.count += 1;
        let text = self.lastmod.take();
        let lastmod = text.as_deref().and_then(parse_lastmod);
        let has_bad_lastmod = text.is_some() && lastmod.is_none();
        self.bad_lastmods += usize::from(has_bad_lastmod);
        let (loc, alternates) = (std::mem::take(&mut self.loc), std::mem::take(&mut self.alternates));
        (self.each)(Listed { loc, lastmod, has_bad_lastmod, is_important: self.is_important, alternates });
        false
    }

    fn append(&mut self, text: &str) {
        // One byte over the limit is enough to know that it is too long.
        if self.field.is_some_and(|(_, depth)| depth == self.depth) && self.value.len() <= MAX_URL_BYTES {
            let room = MAX_URL_BYTES + 1;
            let end = text
                .char_indices()
                .map(|(at, c)| at + c.len_utf8())
                .take_while(|end| *end <= room + 3)
                .last();
            self.value.push_str(&text[..end.unwrap_or(0)]);
        }
    }

    /// Appends the character of one of XML's five entities or of a character reference; keeps any other reference as written.
    fn append_reference(&mut self, reference: &BytesRef<'_>) {
        if let Ok(Some(character)) = reference.resolve_char_ref() {
            return self.append(character.encode_utf8(&mut [0; 4]));
        }
        let name = String::from_utf8_lossy(reference);
        match name.as_ref() {
            "amp" => self.append("&"),
            "lt" => self.append("<"),
            "gt" => self.append(">"),
            "quot" => self.append("\""),
            "apos" => self.append("'"),
            other => {
                let literal = format!("&{other};");
                self.append(&literal);
            }
        }
    }

    fn explain(&self, error: XmlError) -> ParseError {
        match error {
            XmlError::Io(error) if is_too_long(&error) => {
                self.broken(format!("a piece of it has more than {MAX_PIECE_BYTES} bytes"))
            }
            XmlError::Io(error) => ParseError::Read(io::Error::new(error.kind(), error)),
            XmlError::Syntax(SyntaxError::UnclosedDoctype) => ParseError::DocumentType,
            error => self.broken(error.to_string()),
        }
    }

    fn broken(&self, reason: String) -> ParseError {
        ParseError::Broken { at: self.reader.buffer_position(), reason }
    }
}

fn kind_of(root: &[u8]) -> Result<FileKind, ParseError> {
    Ok(match root {
        b"urlset" => FileKind::Urlset,
        b"sitemapindex" => FileKind::Index,
        b"rss" => FileKind::Rss,
        b"feed" => FileKind::Atom,
        other => {
            let name: String = String::from_utf8_lossy(other).chars().take(40).collect();
            return Err(ParseError::NotASitemap(format!("its root is <{name}>")));
        }
    })
}

/// Returns the page of an Atom entry: its `link` without `rel`, or with `rel="alternate"`.
fn alternate_link(tag: &BytesStart<'_>) -> Option<String> {
    if attribute(tag, "rel").is_some_and(|rel| rel != "alternate") {
        return None;
    }
    attribute(tag, "href").map(|href| href.trim().to_owned())
}

/// Reads language and address of a page's version in another language.
fn language_version(tag: &BytesStart<'_>) -> Option<(String, String)> {
    let is_alternate = attribute(tag, "rel")?.trim().eq_ignore_ascii_case("alternate");
    let (lang, href) = (attribute(tag, "hreflang")?, attribute(tag, "href")?);
    let href = href.trim();
    (is_alternate && href.len() <= MAX_URL_BYTES).then(|| (lang.trim().to_owned(), href.to_owned()))
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let value = tag.try_get_attribute(name).ok()??.value;
    let text = String::from_utf8_lossy(&value).into_owned();
    Some(text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}
