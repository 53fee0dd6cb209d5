//! Text of one block with its styles, links and pictures. Used by the walk. Pure.

use std::mem::{Discriminant, discriminant};
use std::rc::Rc;

use super::escapes::{CodeWriter, is_dropped};
use super::spans::render;

/// Style of a part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextStyle {
    Strong,
    Emphasis,
    Code,
    /// A link with destination and title, as written.
    Link(Rc<str>),
    /// A picture with destination and title, whose text is the alternative one.
    Image(Rc<str>),
}

/// A part of a text that has a style.
#[derive(Debug)]
pub struct StyleSpan {
    pub style: TextStyle,
    pub start: usize,
    pub end: usize,
    /// Number of the span around it.
    parent: Option<usize>,
}

/// Text of one block. Styles that are open when the text is taken go on in the next block.
#[derive(Debug, Default)]
pub struct InlineText {
    text: String,
    spans: Vec<StyleSpan>,
    /// Numbers of the open spans, the outermost first.
    open: Vec<usize>,
    /// Open styles, the outermost first. Code is the innermost: links divide it.
    styles: Vec<TextStyle>,
    /// Styles of the open elements. `None` for an element whose style does not count.
    elements: Vec<Option<Discriminant<TextStyle>>>,
    /// True when letters that follow are not part of the word before.
    is_apart: bool,
}

impl InlineText {
    /// Appends text of the document. White space is collapsed.
    pub fn push(&mut self, text: &str) {
        if text.starts_with(is_space) {
            self.space();
        }
        for (at, word) in text.split_ascii_whitespace().enumerate() {
            let is_letter = char::is_alphanumeric;
            let is_apart = self.is_apart && self.text.ends_with(is_letter) && word.starts_with(is_letter);
            if at > 0 || is_apart {
                self.space();
            }
            self.is_apart = false;
            self.text.extend(word.chars().filter(|letter| !is_dropped(*letter)));
        }
        if text.ends_with(is_space) {
            self.space();
        }
    }

    /// Appends white space.
    pub fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    /// Appends a line break. Several are one.
    pub fn line_break(&mut self) {
        let before = self.text.trim_end_matches(' ');
        if !before.is_empty() && !before.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Keeps letters before and behind an element apart.
    pub fn set_apart(&mut self) {
        self.is_apart = true;
    }

    /// Appends a picture.
    pub fn image(&mut self, destination: Rc<str>, alt: &str) {
        self.outside_code(|inline| {
            inline.start_span(TextStyle::Image(destination));
            inline.push(alt.trim_ascii());
            inline.end_span();
        });
    }

    /// Begins an element that gives its text a style, or none. A style inside the same style does not count.
    pub fn open(&mut self, style: Option<TextStyle>) {
        let is_styling = matches!(style, Some(TextStyle::Strong | TextStyle::Emphasis));
        let counts = |style: &TextStyle| {
            let kind = discriminant(style);
            !(is_styling && self.is_code()) && self.styles.iter().all(|other| discriminant(other) != kind)
        };
        let style = style.filter(counts);
        self.elements.push(style.as_ref().map(discriminant));
        let Some(style) = style else { return };
        let at = self.styles.len() - usize::from(self.is_code());
        self.outside_code(|inline| inline.start_span(style.clone()));
        self.styles.insert(at, style);
    }

    /// Ends the innermost element that was opened.
    pub fn close(&mut self) {
        let kind = self.elements.pop().flatten();
        let Some(at) = self.styles.iter().position(|style| Some(discriminant(style)) == kind) else { return };
        let style = self.styles.remove(at);
        match style {
            TextStyle::Code => self.end_span(),
            _ => self.outside_code(InlineText::end_span),
        }
    }

    fn is_code(&self) -> bool {
        self.styles.last() == Some(&TextStyle::Code)
    }

    /// Does something between two spans of code if code is open.
    fn outside_code(&mut self, change: impl FnOnce(&mut InlineText)) {
        let is_code = self.is_code();
        if is_code {
            self.end_span();
        }
        change(self);
        if is_code {
            self.start_span(TextStyle::Code);
        }
    }

    /// Opens a span. An equal span that ends here goes on.
    fn start_span(&mut self, style: TextStyle) {
        let (at, parent) = (self.text.len(), self.open.last().copied());
        let goes_on = self.spans.last().is_some_and(|last| {
            let is_mergeable = !matches!(style, TextStyle::Link(_) | TextStyle::Image(_));
            is_mergeable && last.style == style && last.end == at && last.parent == parent
        });
        if !goes_on {
            self.spans.push(StyleSpan { style, start: at, end: at, parent });
        }
        self.open.push(self.spans.len() - 1);
    }

    fn end_span(&mut self) {
        if let Some(span) = self.open.pop() {
            self.spans[span].end = self.text.len();
        }
    }

    /// Takes the text of a block as Markdown, in which a line break is a hard break. Returns `None` for a block without
    /// text.
    pub fn take(&mut self, code_span: CodeWriter) -> Option<String> {
        if self.text.is_empty() {
            return None;
        }
        while !self.open.is_empty() {
            self.end_span();
        }
        let text = self.text.trim_end_matches([' ', '\n']);
        let is_blank = text.trim().is_empty();
        let has_link = |span: &StyleSpan| matches!(span.style, TextStyle::Link(_)) && span.start < span.end;
        if !is_blank && self.spans.iter().any(has_link) {
            // A link around several blocks is written once.
            self.styles.retain(|style| !matches!(style, TextStyle::Link(_)));
        }
        let spans = std::mem::take(&mut self.spans);
        let written = (!is_blank).then(|| render(text, spans, code_span));
        self.text.clear();
        self.is_apart = false;
        for style in self.styles.clone() {
            self.start_span(style);
        }
        written
    }
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}
