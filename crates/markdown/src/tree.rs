//! The tree of a document: elements and texts in one list. Filled by the parser, read by the walk. Pure.

use super::elements::Element;

/// Number of the root, which stands for `html` and `body`. Zero in a link to another node says that there is none.
pub const ROOT: usize = 0;

/// An element or a text.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    pub element: Element,
    /// True for `hidden` and for an inline `display: none`.
    pub is_hidden: bool,
    pub is_aria_hidden: bool,
    pub is_host: bool,
    /// True for a table that holds another table.
    pub is_layout: bool,
    pub parent: usize,
    pub first_child: usize,
    pub last_child: usize,
    pub next: usize,
    /// Start and end of a text in `Tree::text`, or of an element's attributes in `Tree::attributes`.
    data: (usize, usize),
}

const PLAIN: Node = Node {
    element: Element::Block,
    is_hidden: false,
    is_aria_hidden: false,
    is_host: false,
    is_layout: false,
    parent: 0,
    first_child: 0,
    last_child: 0,
    next: 0,
    data: (0, 0),
};

/// A host and its shadow root.
#[derive(Debug)]
pub struct Shadow {
    pub host: usize,
    pub root: usize,
    /// Slots of the root, in order.
    pub slots: Vec<usize>,
}

/// A document.
#[derive(Debug)]
pub struct Tree {
    pub nodes: Vec<Node>,
    pub shadows: Vec<Shadow>,
    text: String,
    attributes: Vec<(&'static str, String)>,
}

/// A walk through a part of the tree, in the document's order.
pub trait Visitor {
    /// Visits the beginning of a node. Returns true when the walk goes on with its children and `leave`.
    fn enter(&mut self, id: usize) -> bool;
    /// Visits the end of a node.
    fn leave(&mut self, id: usize);
}

impl Tree {
    /// Makes a tree that has only its root.
    pub fn new() -> Tree {
        Tree { nodes: vec![PLAIN], shadows: Vec::new(), text: String::new(), attributes: Vec::new() }
    }

    /// Appends an element. Takes its attributes out of the list.
    pub fn append_element(
        &mut self,
        parent: usize,
        element: Element,
        attributes: &mut Vec<(&'static str, String)>,
    ) -> usize {
        let start = self.attributes.len();
        self.attributes.append(attributes);
        self.append(parent, element, (start, self.attributes.len()))
    }

    /// Appends text of the page to an element.
    pub fn append_text(&mut self, parent: usize, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.append(parent, Element::Text, (start, self.text.len()));
    }

    fn append(&mut self, parent: usize, element: Element, data: (usize, usize)) -> usize {
        let id = self.nodes.len();
        self.nodes.push(Node { element, data, ..PLAIN });
        // A shadow root is no child of its host.
        if element != Element::ShadowRoot {
            self.link(parent, id);
        }
        id
    }

    /// Makes a node the last child of another.
    pub fn link(&mut self, parent: usize, id: usize) {
        (self.nodes[id].parent, self.nodes[id].next) = (parent, 0);
        match self.nodes[parent].last_child {
            0 => self.nodes[parent].first_child = id,
            last => self.nodes[last].next = id,
        }
        self.nodes[parent].last_child = id;
    }

    /// Returns the characters of a text node.
    pub fn text(&self, id: usize) -> &str {
        let (start, end) = self.nodes[id].data;
        &self.text[start..end]
    }

    /// Returns the value of an element's attribute.
    pub fn attribute(&self, id: usize, wanted: &str) -> Option<&str> {
        let (start, end) = self.nodes[id].data;
        self.attributes[start..end].iter().find(|(name, _)| *name == wanted).map(|(_, value)| &**value)
    }

    /// Returns the name of the slot that a node stands in as a child of a host. A text has no name of a slot.
    pub fn slot_of(&self, id: usize) -> &str {
        match self.nodes[id].element {
            Element::Text => "",
            _ => self.attribute(id, "slot").unwrap_or_default(),
        }
    }

    /// Returns the children of a node.
    pub fn children(&self, id: usize) -> impl Iterator<Item = usize> {
        let child = |id: usize| (id != 0).then_some(id);
        std::iter::successors(child(self.nodes[id].first_child), move |id| child(self.nodes[*id].next))
    }

    /// Walks through a node and everything inside it.
    pub fn visit(&self, start: usize, visitor: &mut impl Visitor) {
        let mut id = start;
        loop {
            let mut enters = visitor.enter(id);
            if enters && self.nodes[id].first_child != 0 {
                id = self.nodes[id].first_child;
                continue;
            }
            loop {
                if enters {
                    visitor.leave(id);
                }
                if id == start {
                    return;
                }
                if self.nodes[id].next != 0 {
                    id = self.nodes[id].next;
                    break;
                }
                id = self.nodes[id].parent;
                enters = true;
            }
        }
    }
}
