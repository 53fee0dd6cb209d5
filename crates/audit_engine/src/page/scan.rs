//! One pass over a document: tokens of html5ever in, facts out. The document's tree is never built.
//! Keeps what tree construction decides and facts depend on: where head ends, which element is open, what is inert.
//! Must take time and memory in proportion to the document, whatever it holds.
//! See docs/decisions/0160.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::collect::{Collector, RawText};
use super::facts::PageFacts;
use super::open_elements::{Flags, OpenElements};

/// A declaration of the encoding counts as late after this many bytes (HTML standard).
const CHARSET_BYTES: usize = 1024;

/// Where a document comes from: it decides where its head ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// As the origin sent it.
    Raw,
    /// A browser's tree, written out: its head is what stands between the tags of it.
    Rendered,
}

/// Reads the facts of a document.
pub fn scan(html: &str, provenance: Provenance) -> PageFacts {
    let scanner = Scanner(RefCell::new(State::new(provenance)));
    let tokenizer = Tokenizer::new(scanner, TokenizerOpts { discard_bom: true, ..TokenizerOpts::default() });
    let start = html.floor_char_boundary(CHARSET_BYTES.min(html.len()));
    let input = BufferQueue::default();
    for part in [&html[..start], &html[start..]] {
        input.push_back(StrTendril::from(part));
        // The sink never hands a script back, so nothing but the end of the input ends this.
        let _ = tokenizer.feed(&input);
        tokenizer.sink.0.borrow_mut().is_past_charset_bytes = true;
    }
    tokenizer.end();
    let mut facts = tokenizer.sink.0.into_inner().finish();
    facts.html_bytes = html.len();
    facts
}

struct Scanner(RefCell<State>);

impl TokenSink for Scanner {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::DoctypeToken(doctype) => state.doctype(&doctype),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.start(&tag),
            Token::TagToken(tag) => state.end(&tag.name),
            Token::CharacterTokens(text) => state.text(&text),
            Token::NullCharacterToken | Token::CommentToken(_) | Token::EOFToken | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.borrow().open.flags().contains(Flags::FOREIGN)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Area {
    Head,
    Body,
}

struct State {
    provenance: Provenance,
    area: Area,
    has_explicit_head: bool,
    head_violation: Option<String>,
    seen_tag: bool,
    is_past_charset_bytes: bool,
    raw_text: Option<(RawText, String)>,
    open: OpenElements,
    collector: Collector,
}

impl State {
    fn new(provenance: Provenance) -> State {
        State {
            provenance,
            area: Area::Head,
            has_explicit_head: false,
            head_violation: None,
            seen_tag: false,
            is_past_charset_bytes: false,
            raw_text: None,
            open: OpenElements::in_head(),
            collector: Collector::default(),
        }
    }

    fn doctype(&mut self, doctype: &Doctype) {
        let is_html = doctype.name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case("html"));
        self.collector.facts.has_doctype |= is_html && !self.seen_tag;
    }

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        self.seen_tag = true;
        let name: &str = &tag.name;
        let flags = self.open.flags();
        if flags.contains(Flags::TEMPLATE) {
            // Inert, but its end has to be found, and its scripts are no markup.
            self.open.push_inert(name, tag.self_closing);
            return raw_kind(name)
                .map_or(TokenSinkResult::Continue, |kind| self.begin_raw(RawText::Ignored, kind));
        }
        match name {
            "html" => {
                self.collector.html(tag);
                return TokenSinkResult::Continue;
            }
            "head" => {
                self.count();
                self.has_explicit_head = true;
                return TokenSinkResult::Continue;
            }
            "body" => {
                self.count();
                self.leave_head();
                return TokenSinkResult::Continue;
            }
            _ => {}
        }
        self.count();
        if self.area == Area::Head && !may_be_in_head(name) {
            self.violate_head(format!("<{name}>"));
        }
        let in_head = self.area == Area::Head;
        let is_foreign = self.open.is_foreign_for(name);
        let closed = self.open.close_implied(name);
        self.collector.closed(closed);
        self.collector.separate(name);
        let raw = if is_foreign { None } else { self.collector.raw_text_of(tag) };
        let is_late = self.is_past_charset_bytes;
        let marks = if is_foreign {
            self.collector.foreign_element(tag)
        } else {
            self.collector.element(tag, in_head, is_late, &self.open)
        };
        self.open.push(tag, marks, is_foreign);
        self.collector.facts.depth = self.collector.facts.depth.max(self.open.depth_of_last());
        match (raw, raw_kind(name)) {
            (_, _) if is_foreign => TokenSinkResult::Continue,
            (Some(raw), Some(kind)) => self.begin_raw(raw, kind),
            (_, Some(kind)) => self.begin_raw(RawText::Ignored, kind),
            _ if name == "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }

    fn count(&mut self) {
        self.collector.facts.elements += 1;
    }

    fn begin_raw(&mut self, raw: RawText, kind: RawKind) -> TokenSinkResult<()> {
        self.raw_text = Some((raw, String::new()));
        TokenSinkResult::RawData(kind)
    }

    fn end(&mut self, name: &str) {
        if let Some((raw, text)) = self.raw_text.take() {
            self.collector.raw_text(raw, text, self.area == Area::Head);
        }
        match name {
            "head" if self.has_explicit_head && !self.open.flags().contains(Flags::TEMPLATE) => {
                if let Some(violation) = self.head_violation.take() {
                    self.collector.facts.invalid_in_head.get_or_insert(violation);
                }
                self.has_explicit_head = false;
                self.leave_head();
            }
            "head" | "body" | "html" => {}
            _ => {
                self.collector.separate(name);
                let closed = self.open.close(name);
                self.collector.closed(closed);
            }
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((raw, collected)) = &mut self.raw_text {
            if *raw != RawText::Ignored {
                collected.push_str(text);
            }
            return;
        }
        let flags = self.open.flags();
        if flags.contains(Flags::TEMPLATE) {
            return;
        }
        if self.area == Area::Head {
            if text.chars().all(char::is_whitespace) {
                return;
            }
            self.violate_head("text".to_owned());
        }
        self.collector.text(text, self.open.flags());
    }

    fn violate_head(&mut self, what: String) {
        if self.has_explicit_head {
            self.head_violation.get_or_insert(what);
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
        let closed = self.open.close_all();
        self.collector.closed(closed);
        self.collector.finish()
    }
}

fn may_be_in_head(name: &str) -> bool {
    matches!(name, "title" | "meta" | "link" | "script" | "style" | "base" | "noscript" | "template")
}

/// Elements whose content is text, and how it is read. `noscript` is text to whoever runs scripts.
fn raw_kind(name: &str) -> Option<RawKind> {
    match name {
        "script" => Some(RawKind::ScriptData),
        "title" | "textarea" => Some(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => Some(RawKind::Rawtext),
        _ => None,
    }
}
