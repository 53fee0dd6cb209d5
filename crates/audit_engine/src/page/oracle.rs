//! Comparison of the scanner's tokens with those of html5ever's tokenizer, which must be equal. Used by tests and by
//! the fuzz target, which includes this file.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token as TheirToken, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::names::{Attr, Kinds, Name};
use super::tokens::{Raw, Token, Tokens};

/// Attributes that are compared.
const ATTRIBUTES: &[(&str, Attr)] =
    &[("href", Attr::Href), ("id", Attr::Id), ("content", Attr::Content), ("rel", Attr::Rel)];

/// A piece of a document.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    /// Doctype; true for that of HTML.
    Doctype(bool),
    /// A start tag with the attributes that are compared, and whether it ends with `/>`.
    Start(String, Vec<Option<String>>, bool),
    /// An end tag.
    End(Name),
    /// Text between two others.
    Text(String),
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(before)) => before.push_str(text),
        _ if text.is_empty() => {}
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

#[derive(Default)]
struct Sink(RefCell<Vec<Piece>>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: TheirToken, _line: u64) -> TokenSinkResult<()> {
        let mut pieces = self.0.borrow_mut();
        match token {
            TheirToken::DoctypeToken(doctype) => {
                pieces.push(Piece::Doctype(doctype.name.is_some_and(|name| &*name == "html")))
            }
            TheirToken::TagToken(tag) if tag.kind == TagKind::EndTag => {
                pieces.push(Piece::End(Name::read(&tag.name)))
            }
            TheirToken::TagToken(tag) => {
                let name = tag.name.to_string();
                let kinds = Kinds::of(Name::read(&name));
                pieces.push(Piece::Start(name.clone(), attributes(&tag), tag.self_closing));
                if kinds.contain(Kinds::SCRIPT) {
                    return TokenSinkResult::RawData(RawKind::ScriptData);
                } else if kinds.contain(Kinds::RCDATA) {
                    return TokenSinkResult::RawData(RawKind::Rcdata);
                } else if kinds.contain(Kinds::RAWTEXT) {
                    return TokenSinkResult::RawData(RawKind::Rawtext);
                } else if name == "plaintext" {
                    return TokenSinkResult::Plaintext;
                }
            }
            TheirToken::CharacterTokens(text) => push_text(&mut pieces, &text),
            TheirToken::NullCharacterToken
            | TheirToken::CommentToken(_)
            | TheirToken::EOFToken
            | TheirToken::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

fn attributes(tag: &Tag) -> Vec<Option<String>> {
    let value = |name: &str| tag.attrs.iter().find(|attr| &*attr.name.local == name);
    ATTRIBUTES.iter().map(|(name, _)| value(name).map(|attr| attr.value.to_string())).collect()
}

/// Reads a document with html5ever.
pub fn theirs(html: &str) -> Vec<Piece> {
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

/// Reads a document with the scanner.
pub fn ours(html: &str) -> Vec<Piece> {
    let html = html.replace("\r\n", "\n").replace('\r', "\n");
    let mut tokens = Tokens::new(html.strip_prefix('\u{feff}').unwrap_or(&html));
    let mut pieces = Vec::new();
    while let Some(token) = tokens.next(false) {
        match token {
            Token::Doctype { is_html } => pieces.push(Piece::Doctype(is_html)),
            Token::End(name) => pieces.push(Piece::End(name)),
            Token::Text(text) => push_text(&mut pieces, &text),
            Token::Start => {
                let tag = &tokens.tag;
                let (name, kinds) = (tag.name, Kinds::of(tag.name));
                let values = ATTRIBUTES.iter().map(|(_, attr)| tag.attr(*attr).map(str::to_owned));
                let text = tag.text.to_ascii_lowercase().replace('\0', "\u{fffd}");
                pieces.push(Piece::Start(text, values.collect(), tag.self_closing));
                let raw = if kinds.contain(Kinds::SCRIPT) {
                    Some(Raw::Script)
                } else if kinds.contain(Kinds::RCDATA) {
                    Some(Raw::Rcdata)
                } else {
                    kinds.contain(Kinds::RAWTEXT).then_some(Raw::Rawtext)
                };
                match raw.map(|kind| tokens.raw(kind, name)) {
                    Some(text) => push_text(&mut pieces, &text.unwrap_or_default()),
                    None if name == Name::of("plaintext") => push_text(&mut pieces, &tokens.plaintext()),
                    None => {}
                }
            }
        }
    }
    pieces
}

/// Removes the text of a last element that never ends, from which no fact is taken.
pub fn comparable(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let is_raw = |name: &str| {
        let kinds = Kinds::of(Name::read(name));
        [Kinds::SCRIPT, Kinds::RCDATA, Kinds::RAWTEXT].iter().any(|raw| kinds.contain(*raw))
    };
    if let [.., Piece::Start(name, ..), Piece::Text(_)] = &pieces[..]
        && is_raw(name)
    {
        pieces.pop();
    }
    pieces
}
