//! One pass over a document: tags and texts in, facts out. The document's tree is never built.
//! Keeps what tree construction decides and facts depend on: where head ends, which element is open, what is inert.
//! Must take time and memory in proportion to the document, whatever it holds.
//! See docs/decisions/0160.

use std::borrow::Cow;

use super::collect::{Collector, RawText};
use super::facts::PageFacts;
use super::names::{Kinds, Name};
use super::open_elements::{ElementFlags, OpenElements};
use super::tokens::{Raw, Tag, Token, Tokens};

/// A declaration of the encoding counts as late after this many bytes (HTML standard).
const CHARSET_BYTES: usize = 1024;

/// Source of a document, which decides where its head ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// As the origin sent it.
    Raw,
    /// A browser's tree, serialized: its head is the content of the head element.
    Rendered,
}

const HTML: Name = Name::of("html");
const HEAD: Name = Name::of("head");
const BODY: Name = Name::of("body");
const PLAINTEXT: Name = Name::of("plaintext");

/// Reads the facts of a document.
pub fn scan(html: &str, provenance: Provenance) -> PageFacts {
    let (start, rest) = html.split_at(html.floor_char_boundary(CHARSET_BYTES.min(html.len())));
    let (document, charset_end) = match memchr::memchr(b'\r', html.as_bytes()) {
        None => (Cow::Borrowed(html), start.len()),
        Some(_) => {
            let start = with_plain_line_ends(start);
            (Cow::Owned(start.clone() + &with_plain_line_ends(rest)), start.len())
        }
    };
    let mut tokens = Tokens::new(document.strip_prefix('\u{feff}').unwrap_or(&document));
    let charset_end = charset_end.saturating_sub(if document.starts_with('\u{feff}') { 3 } else { 0 });
    let mut state = State::new(provenance, html.len());
    while let Some(token) = tokens.next(state.open.flags().contains(ElementFlags::FOREIGN)) {
        match token {
            Token::Doctype { is_html } => state.collector.facts.has_doctype |= is_html && !state.seen_tag,
            Token::Start => {
                let is_late = tokens.position() > charset_end;
                match state.start(&tokens.tag, is_late) {
                    Content::Elements => {}
                    Content::Raw(text, kind) => {
                        state.raw_text = tokens.raw(kind, tokens.tag.name).map(|content| (text, content));
                    }
                    Content::Plaintext => state.text(&tokens.plaintext()),
                }
            }
            Token::End(name) => state.end(name),
            Token::Text(text) => state.text(&text),
        }
    }
    let mut facts = state.finish();
    facts.html_bytes = html.len();
    facts
}

fn with_plain_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Content between the tags of an element.
enum Content {
    Elements,
    Raw(RawText, Raw),
    Plaintext,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Area {
    Head,
    Body,
}

struct State<'h> {
    provenance: Provenance,
    area: Area,
    has_explicit_head: bool,
    head_violation: Option<String>,
    seen_tag: bool,
    raw_text: Option<(RawText, Cow<'h, str>)>,
    open: OpenElements,
    collector: Collector,
}

impl State<'_> {
    fn new(provenance: Provenance, bytes: usize) -> Self {
        State {
            provenance,
            area: Area::Head,
            has_explicit_head: false,
            head_violation: None,
            seen_tag: false,
            raw_text: None,
            open: OpenElements::in_head(),
            collector: Collector::for_document(bytes),
        }
    }

    fn start(&mut self, tag: &Tag, is_late: bool) -> Content {
        self.seen_tag = true;
        let (name, kinds) = (tag.name, Kinds::of(tag.name));
        if self.open.flags().contains(ElementFlags::TEMPLATE) {
            // Inert, but its end has to be found, and its scripts are not markup.
            self.open.push_inert(tag);
            return raw_kind(kinds).map_or(Content::Elements, |kind| Content::Raw(RawText::Ignored, kind));
        }
        if name == HTML {
            self.collector.html(tag);
            return Content::Elements;
        }
        self.collector.facts.elements += 1;
        if name == HEAD {
            self.has_explicit_head = true;
            return Content::Elements;
        }
        if name == BODY {
            self.collector.root_item(tag);
            self.leave_head();
            return Content::Elements;
        }
        if self.area == Area::Head && !kinds.contain(Kinds::IN_HEAD) {
            self.violate_head(|| format!("<{}>", tag.text.to_ascii_lowercase().replace('\0', "\u{fffd}")));
        }
        let in_head = self.area == Area::Head;
        let is_foreign = self.open.is_foreign_for(name, kinds);
        self.open.close_implied(name, kinds, &mut |ends| self.collector.closed(ends));
        self.collector.separate(kinds);
        let raw = if is_foreign { None } else { self.collector.raw_text_of(tag, kinds) };
        let marks = if is_foreign {
            self.collector.foreign_element(tag)
        } else {
            self.collector.element(tag, kinds, (in_head, is_late), &self.open)
        };
        self.open.push(tag, kinds, marks, is_foreign);
        self.collector.facts.depth = self.collector.facts.depth.max(self.open.depth_of_last());
        match raw_kind(kinds) {
            _ if is_foreign => Content::Elements,
            Some(kind) => Content::Raw(raw.unwrap_or(RawText::Ignored), kind),
            None if name == PLAINTEXT => Content::Plaintext,
            None => Content::Elements,
        }
    }

    fn end(&mut self, name: Name) {
        if let Some((raw, text)) = self.raw_text.take() {
            self.collector.raw_text(raw, &text, self.area == Area::Head);
        }
        if name == HEAD && self.has_explicit_head && !self.open.flags().contains(ElementFlags::TEMPLATE) {
            if let Some(violation) = self.head_violation.take() {
                self.collector.facts.invalid_in_head.get_or_insert(violation);
            }
            self.has_explicit_head = false;
            self.leave_head();
        } else if !matches!(name, HEAD | BODY | HTML) {
            let kinds = Kinds::of(name);
            self.collector.separate(kinds);
            self.open.close(name, kinds, &mut |ends| self.collector.closed(ends));
        }
    }

    fn text(&mut self, text: &str) {
        let flags = self.open.flags();
        if flags.contains(ElementFlags::TEMPLATE) {
            return;
        }
        if self.area == Area::Head {
            if text.chars().all(char::is_whitespace) {
                return;
            }
            self.violate_head(|| "text".to_owned());
        }
        self.collector.text(text, self.open.flags());
    }

    fn violate_head(&mut self, what: impl FnOnce() -> String) {
        if self.has_explicit_head {
            self.head_violation.get_or_insert_with(what);
        }
        if self.provenance == Provenance::Raw || !self.has_explicit_head {
            self.leave_head();
        }
    }

    fn leave_head(&mut self) {
        if self.area == Area::Head {
            self.area = Area::Body;
            self.open.enter_body();
        }
    }

    fn finish(mut self) -> PageFacts {
        self.open.close_all(&mut |ends| self.collector.closed(ends));
        self.collector.finish()
    }
}

/// Returns how the content of elements that hold text only is read.
pub(super) fn raw_kind(kinds: Kinds) -> Option<Raw> {
    if kinds.contain(Kinds::SCRIPT) {
        Some(Raw::Script)
    } else if kinds.contain(Kinds::RCDATA) {
        Some(Raw::Rcdata)
    } else {
        kinds.contain(Kinds::RAWTEXT).then_some(Raw::Rawtext)
    }
}
