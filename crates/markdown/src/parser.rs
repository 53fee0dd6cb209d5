//! Reads a document into a tree. The tokens are html5gum's, since html5ever compares each attribute with all others of
//! its tag; the tree is made here, since a browser wrote the document and only omitted tags are missing.
//! Must take time in proportion to the document: at most `MAX_DEPTH` open elements are looked at for a tag.

use std::borrow::Cow;
use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::elements::{Element, attribute, is_void};
use super::metadata::Metadata;
use super::tree::{ROOT, Shadow, Tree};

/// Levels of elements; deeper elements are siblings, as in browsers.
const MAX_DEPTH: usize = 512;

/// Reads a document.
pub fn parse(html: &str) -> (Tree, Metadata) {
    let mut builder = Builder {
        tree: Tree::new(),
        metadata: Metadata::default(),
        open: Vec::new(),
        tag: None,
        attributes: Vec::new(),
        is_wanted: false,
        seen_body: false,
        drops_newline: false,
    };
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        builder.read(event);
        None
    });
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    (builder.tree, builder.metadata)
}

/// An open element.
#[derive(Debug, Clone, Copy)]
struct Open {
    name: u128,
    element: Element,
    node: usize,
    /// True when nothing inside the element is part of the tree.
    is_inert: bool,
    /// Shadow root around the element, as a number in `Tree::shadows`.
    shadow: Option<usize>,
}

struct Builder {
    tree: Tree,
    metadata: Metadata,
    open: Vec<Open>,
    /// Name of the start tag that is being read.
    tag: Option<Vec<u8>>,
    /// Attributes of that tag.
    attributes: Vec<(&'static str, String)>,
    /// True when the value that follows belongs to the last attribute.
    is_wanted: bool,
    seen_body: bool,
    /// True behind `<pre>`, where a browser drops a newline.
    drops_newline: bool,
}

impl Builder {
    fn read(&mut self, event: CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.attributes.clear();
                self.tag = Some(name.to_owned());
            }
            CallbackEvent::AttributeName { name } => {
                let attribute = attribute(name).filter(|wanted| {
                    self.tag.is_some() && self.attributes.iter().all(|(name, _)| name != wanted)
                });
                self.is_wanted = attribute.is_some();
                self.attributes.extend(attribute.map(|attribute| (attribute, String::new())));
            }
            CallbackEvent::AttributeValue { value } => {
                if let (true, Some((_, last))) = (self.is_wanted, self.attributes.last_mut()) {
                    *last = String::from_utf8_lossy(value).into_owned();
                }
            }
            CallbackEvent::CloseStartTag { .. } => {
                let name = self.tag.take().unwrap_or_default();
                self.start(&name);
            }
            CallbackEvent::EndTag { name } => self.end(name),
            CallbackEvent::String { value } => self.text(String::from_utf8_lossy(value)),
            _ => {}
        }
    }

    /// Reads a start tag.
    fn start(&mut self, name: &[u8]) {
        let element = Element::named(name);
        let around = self.open.last().copied();
        let is_inert = around.is_some_and(|open| open.is_inert);
        self.drops_newline = element == Element::Pre;
        match element {
            Element::Frame => {
                self.seen_body |= name == b"body";
                let lang = self.attribute("lang").filter(|_| name == b"html").map(str::to_owned);
                self.metadata.lang = self.metadata.lang.take().or(lang);
                return;
            }
            Element::Metadata if name != b"title" => {
                if !self.seen_body && !is_inert {
                    self.metadata.read(name, &self.attributes);
                }
                return;
            }
            _ => {}
        }
        let is_unread = matches!(element, Element::Metadata | Element::LeftOut | Element::Template);
        if !is_inert {
            self.seen_body |= !is_unread;
            self.end_implied(element);
        }
        let parent = self.open.last().map_or(ROOT, |open| open.node);
        let shadow = around.and_then(|open| open.shadow);
        let mut opened = Open { name: number_of(name), element, node: parent, is_inert, shadow };
        if !is_inert && element != Element::Metadata {
            self.append(parent, &mut opened);
        }
        opened.is_inert |= matches!(opened.element, Element::Template | Element::LeftOut);
        // Text that is left out is so at any depth.
        if !is_void(name) && (self.open.len() < MAX_DEPTH || is_unread && !is_inert) {
            self.open.push(opened);
        }
    }

    fn attribute(&self, wanted: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| *name == wanted).map(|(_, value)| &**value)
    }

    /// Appends an element to the tree. A template may be a shadow root.
    fn append(&mut self, parent: usize, opened: &mut Open) {
        let is_hidden = self.attribute("hidden").is_some() || self.attribute("style").is_some_and(hides);
        let is_aria_hidden =
            self.attribute("aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let is_root = self.attribute("shadowrootmode").is_some() && !self.tree.nodes[parent].is_host;
        if opened.element == Element::Template && is_root {
            opened.element = Element::ShadowRoot;
        }
        opened.node = self.tree.append_element(parent, opened.element, &mut self.attributes);
        let node = &mut self.tree.nodes[opened.node];
        (node.is_hidden, node.is_aria_hidden) = (is_hidden, is_aria_hidden);
        match opened.element {
            Element::ShadowRoot => {
                opened.shadow = Some(self.tree.shadows.len());
                self.tree.nodes[parent].is_host = true;
                self.tree.shadows.push(Shadow { host: parent, root: opened.node, slots: Vec::new() });
            }
            Element::Slot => {
                if let Some(shadow) = opened.shadow {
                    self.tree.shadows[shadow].slots.push(opened.node);
                }
            }
            Element::Table => {
                if let Some(outer) = self.open.iter().rfind(|open| open.element == Element::Table) {
                    self.tree.nodes[outer.node].is_layout = true;
                }
            }
            _ => {}
        }
    }

    /// Ends the elements whose end tag may be omitted before the start of another.
    fn end_implied(&mut self, element: Element) {
        use Element::*;
        if element.ends_paragraph() {
            self.end_up_to(|open| open == Paragraph, Element::is_barrier);
        }
        let is_around =
            |open: Element| open.is_block() && !matches!(open, Block | Paragraph) || open.is_barrier();
        let is_table = |open| matches!(open, Table | Template | ShadowRoot);
        match element {
            Item | Term => self.end_up_to(|open| matches!(open, Item | Term), is_around),
            Cell { .. } => self.end_up_to(|open| matches!(open, Cell { .. } | Caption), is_table),
            Row => self.end_up_to(|open| matches!(open, Row | Caption), is_table),
            RowGroup { .. } => self.end_up_to(|open| matches!(open, RowGroup { .. } | Caption), is_table),
            _ => {}
        }
    }

    /// Ends the nearest open element that matches and all inside it, unless another stops the search.
    fn end_up_to(&mut self, matches: impl Fn(Element) -> bool, stops: impl Fn(Element) -> bool) {
        let open = self.open.iter().rposition(|open| matches(open.element) || stops(open.element));
        if let Some(at) = open.filter(|at| matches(self.open[*at].element)) {
            self.open.truncate(at);
        }
    }

    /// Reads an end tag. An end tag without a start is ignored.
    fn end(&mut self, name: &[u8]) {
        let element = Element::named(name);
        self.drops_newline = false;
        if name == b"br" {
            return self.start(name);
        }
        if name == b"head" {
            self.seen_body = true;
        }
        let name = number_of(name);
        let matches = |open: &Open| {
            open.name == name || matches!((open.element, element), (Element::Heading(_), Element::Heading(_)))
        };
        // Parts of a table end cells. Everything else stays inside them.
        let is_inside = |open: Element| matches!(open, Element::Caption | Element::Cell { .. });
        let reaches_out = matches!(
            element,
            Element::Table | Element::RowGroup { .. } | Element::Row | Element::Cell { .. }
        );
        let stops = |open: &Open| {
            open.element.is_barrier()
                && element != Element::Template
                && !(is_inside(open.element) && reaches_out)
        };
        let open = self.open.iter().rposition(|open| matches(open) || stops(open));
        if let Some(at) = open.filter(|at| matches(&self.open[*at])) {
            self.open.truncate(at);
        }
    }

    /// Reads text between tags.
    fn text(&mut self, text: Cow<'_, str>) {
        let text = match text.strip_prefix('\n').filter(|_| self.drops_newline) {
            Some(rest) => rest,
            None => &text,
        };
        self.drops_newline = false;
        let Some(open) = self.open.last() else {
            self.seen_body |= !text.trim_ascii().is_empty();
            return self.tree.append_text(ROOT, text);
        };
        match open.element {
            _ if open.is_inert => {}
            Element::Metadata if self.seen_body => {}
            Element::Metadata => drop(self.metadata.title.get_or_insert_with(|| text.to_owned())),
            _ => self.tree.append_text(open.node, text),
        }
    }
}

/// Returns true when an inline style hides its element.
fn hides(style: &str) -> bool {
    let (mut is_none, mut is_important) = (false, false);
    for declaration in style.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let (value, mark) = value.split_once('!').unwrap_or((value, ""));
        if name.trim().eq_ignore_ascii_case("display") && (!is_important || !mark.is_empty()) {
            is_none = value.trim().eq_ignore_ascii_case("none");
            is_important = !mark.is_empty();
        }
    }
    is_none
}

/// Returns a number for a name: of up to sixteen bytes, the bytes themselves.
fn number_of(name: &[u8]) -> u128 {
    name.iter().fold(0, |number: u128, byte| number.rotate_left(8) ^ u128::from(*byte))
}
