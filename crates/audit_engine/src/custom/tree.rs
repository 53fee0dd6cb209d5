//! The tree of a document, for selectors. A browser's rules can make a small document into a huge tree, so building ends
//! at a number of nodes.

use html5ever::driver::{ParseOpts, parse_document};
use html5ever::tendril::{StrTendril, TendrilSink};
use scraper::{ElementRef, Html, HtmlTreeSink, Node};

/// Maximum number of nodes of a tree; the remaining document is left out. Selectors may take steps in the square of this number.
const MAX_NODES: usize = 40_000;
/// Bytes that are parsed between two checks of the size: each tag may repeat all open formatting elements.
const STEP_BYTES: usize = 64;
/// Nodes of one element that are read for its text.
const MAX_TEXT_NODES: usize = 2_000;

/// Builds the tree.
pub fn parse(html: &str) -> Html {
    let mut parser = parse_document(HtmlTreeSink::new(Html::new_document()), ParseOpts::default());
    let mut rest = html;
    while !rest.is_empty() {
        let nodes = parser.tokenizer.sink.sink.0.borrow().tree.values().len();
        if nodes > MAX_NODES {
            break;
        }
        let (step, after) = rest.split_at(rest.ceil_char_boundary(STEP_BYTES.min(rest.len())));
        parser.process(StrTendril::from(step));
        rest = after;
    }
    parser.finish()
}

/// Returns the text of an element without scripts. Words of different elements are kept apart.
pub fn text(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    for node in element.descendants().take(MAX_TEXT_NODES) {
        let is_code = node.parent().and_then(ElementRef::wrap).is_some_and(|parent| {
            parent.id() != element.id() && matches!(parent.value().name(), "script" | "style")
        });
        match node.value() {
            Node::Text(part) if !is_code => text.push_str(part),
            Node::Element(child)
                if matches!(child.name(), "br" | "p" | "div" | "li" | "td" | "th" | "tr") =>
            {
                text.push(' ');
            }
            _ => {}
        }
    }
    text
}
