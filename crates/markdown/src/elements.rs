//! Elements and attributes by their meaning for a text. Used by the parser and the walk. Pure.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Meaning of an element. The order matters: from `Caption` to `Row` are blocks, from `Block` on they end a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// Text of the document.
    Text,
    /// Inline, and part of the words around it.
    Inline,
    /// Without a meaning of its own, custom elements among them.
    Unknown,
    Break,
    Link,
    Image,
    Strong,
    Emphasis,
    Code,
    Slot,
    Template,
    /// The content of a shadow root.
    ShadowRoot,
    /// A statement about the page: `title`, `meta`, `link` or `base`.
    Metadata,
    /// `html`, `head` or `body`.
    Frame,
    /// An element whose content is not part of the text.
    LeftOut,
    Caption,
    /// `td` or `th`; true for `th`.
    Cell {
        is_header: bool,
    },
    /// `thead`, `tbody` or `tfoot`; true for `thead`.
    RowGroup {
        is_head: bool,
    },
    Row,
    /// A block without Markdown of its own.
    Block,
    Main,
    Article,
    Section,
    /// `nav`, `header`, `footer` or `aside`.
    Landmark,
    Paragraph,
    /// A heading and its level.
    Heading(u8),
    Quote,
    Pre,
    Rule,
    List,
    OrderedList,
    DefinitionList,
    /// An item of a list, or the definition of a term.
    Item,
    Term,
    Table,
}

/// Elements by name. An element that is not listed is unknown.
const NAMES: &[(Element, &str)] = &[
    (Element::Inline, "abbr acronym bdi bdo big cite data del dfn font ins label mark nobr output picture q"),
    (Element::Inline, "rb rp rt ruby s small span strike sub sup time u var wbr"),
    (Element::Break, "br"),
    (Element::Link, "a"),
    (Element::Image, "img"),
    (Element::Strong, "b strong"),
    (Element::Emphasis, "i em"),
    (Element::Code, "code kbd samp tt"),
    (Element::Slot, "slot"),
    (Element::Template, "template"),
    (Element::Metadata, "title meta link base"),
    (Element::Frame, "html head body"),
    (Element::LeftOut, "annotation annotation-xml area audio button canvas col datalist dialog embed frame"),
    (
        Element::LeftOut,
        "frameset iframe input meter noembed noframes noscript optgroup option param progress",
    ),
    (Element::LeftOut, "script select source style svg textarea track video"),
    (Element::Caption, "caption"),
    (Element::Cell { is_header: false }, "td"),
    (Element::Cell { is_header: true }, "th"),
    (Element::RowGroup { is_head: false }, "tbody tfoot"),
    (Element::RowGroup { is_head: true }, "thead"),
    (Element::Row, "tr"),
    (Element::Block, "address center details div fieldset figcaption figure form hgroup legend search"),
    (Element::Block, "summary"),
    (Element::Main, "main"),
    (Element::Article, "article"),
    (Element::Section, "section"),
    (Element::Landmark, "nav header footer aside"),
    (Element::Paragraph, "p"),
    (Element::Heading(1), "h1"),
    (Element::Heading(2), "h2"),
    (Element::Heading(3), "h3"),
    (Element::Heading(4), "h4"),
    (Element::Heading(5), "h5"),
    (Element::Heading(6), "h6"),
    (Element::Quote, "blockquote"),
    (Element::Pre, "pre listing xmp plaintext"),
    (Element::Rule, "hr"),
    (Element::List, "ul menu dir"),
    (Element::OrderedList, "ol"),
    (Element::DefinitionList, "dl"),
    (Element::Item, "li dd"),
    (Element::Term, "dt"),
    (Element::Table, "table"),
];
/// Elements without content.
const VOID: &str = "area base br col embed frame hr img input link meta param source track wbr";
/// Attributes that the text depends on.
const ATTRIBUTES: &str = "alt aria-hidden class colspan content hidden href lang name property rel rowspan \
    shadowrootmode slot src start style title value";

static ELEMENT_NAMES: LazyLock<HashMap<&[u8], Element>> = LazyLock::new(|| {
    let names = NAMES.iter().flat_map(|(element, names)| names.split(' ').zip(std::iter::repeat(*element)));
    names.map(|(name, element)| (name.as_bytes(), element)).collect()
});
static VOID_NAMES: LazyLock<HashSet<&[u8]>> = LazyLock::new(|| VOID.split(' ').map(str::as_bytes).collect());
static ATTRIBUTE_NAMES: LazyLock<HashMap<&[u8], &str>> =
    LazyLock::new(|| ATTRIBUTES.split(' ').map(|name| (name.as_bytes(), name)).collect());

/// Returns true for the name of an element without content.
pub fn is_void(name: &[u8]) -> bool {
    VOID_NAMES.contains(name)
}

/// Finds an attribute by its name in lower case. Returns `None` for attributes that do not matter.
pub fn attribute(name: &[u8]) -> Option<&'static str> {
    ATTRIBUTE_NAMES.get(name).copied()
}

impl Element {
    /// Finds the meaning of an element by its name in lower case.
    pub fn named(name: &[u8]) -> Element {
        ELEMENT_NAMES.get(name).copied().unwrap_or(Element::Unknown)
    }

    /// Returns true for an element that stands on lines of its own.
    pub fn is_block(self) -> bool {
        self >= Element::Caption
    }

    /// Returns true for an element whose start ends an open paragraph.
    pub fn ends_paragraph(self) -> bool {
        self >= Element::Block
    }

    /// Returns true for an element that an end tag inside it does not reach beyond.
    pub fn is_barrier(self) -> bool {
        use Element::*;
        matches!(self, Table | Caption | Cell { .. } | Template | ShadowRoot)
    }
}
