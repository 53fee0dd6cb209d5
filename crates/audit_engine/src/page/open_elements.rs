//! The stack of open elements, as far as facts need it: the elements that an end tag closes, and the meaning of the
//! open elements.
//! Used by `scan`. Bounded: elements below `MAX_DEPTH` are counted and not kept.

use std::ops::BitOr;

use super::names::{Kinds, Name};
use super::tokens::Tag;

/// Levels that are kept. Browsers stop at 512 too.
const MAX_DEPTH: usize = 512;
/// Effects of open elements on their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ElementFlags(u8);

impl ElementFlags {
    /// Nothing special.
    pub const NONE: ElementFlags = ElementFlags(0);
    /// A reader does not see it.
    pub const HIDDEN: ElementFlags = ElementFlags(1);
    /// Navigation, header, footer, aside.
    pub const CHROME: ElementFlags = ElementFlags(2);
    /// Content of a main element.
    pub const MAIN: ElementFlags = ElementFlags(4);
    /// svg or math.
    pub const FOREIGN: ElementFlags = ElementFlags(8);
    /// Content of a template: inert.
    pub const TEMPLATE: ElementFlags = ElementFlags(16);
    /// Content of a closed shadow root.
    pub const CLOSED: ElementFlags = ElementFlags(32);

    /// Returns true when one of `other` is set.
    pub fn contains(self, other: ElementFlags) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for ElementFlags {
    type Output = ElementFlags;

    fn bitor(self, other: ElementFlags) -> ElementFlags {
        ElementFlags(self.0 | other.0)
    }
}

/// Marks of an element: actions at its end, and flags that its content inherits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Marks {
    /// Flags of its content, beside the inherited ones.
    pub flags: ElementFlags,
    /// Actions at the end of the element.
    pub ends: Ends,
}

/// Facts that end with an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    /// The text of a link.
    pub link: bool,
    /// The text of a heading.
    pub heading: bool,
    /// A block of text.
    pub block: bool,
    pub picture: bool,
    /// An application's root.
    pub app_root: bool,
    /// A microdata item.
    pub item: bool,
    /// A microdata property without an item.
    pub property: bool,
    /// Length of the visible text before the element.
    pub text_start: usize,
    /// Images before the element.
    pub images: usize,
}

const HTML: Name = Name::of("html");
const HEAD: Name = Name::of("head");
const BODY: Name = Name::of("body");
const TEMPLATE: Name = Name::of("template");
const TABLE: Name = Name::of("table");
const TBODY: Name = Name::of("tbody");
const TR: Name = Name::of("tr");
const A: Name = Name::of("a");
/// Names whose start ends an open element of the second list, up to one of the third; in tables, up to the table.
const ENDED_BY: &[(&[Name], &[Name], &[Name])] = &[
    (&[Name::of("li")], &[Name::of("li")], &[Name::of("ul"), Name::of("ol"), Name::of("menu")]),
    (&[Name::of("dd"), Name::of("dt")], &[Name::of("dd"), Name::of("dt")], &[Name::of("dl")]),
    (&[Name::of("option"), Name::of("optgroup")], &[Name::of("option")], &[Name::of("select")]),
];
const ENDED_IN_TABLES: &[&[Name]] =
    &[&[Name::of("td"), Name::of("th")], &[TR], &[TBODY, Name::of("thead"), Name::of("tfoot")]];
/// Elements of svg and math whose content is HTML again.
const HTML_AGAIN: &[Name] = &[Name::of("foreignobject"), Name::of("desc"), Name::of("annotation-xml")];
/// Elements that end svg and math, beside those that end a paragraph and those that format.
const BREAKS_OUT: &[Name] = &[Name::of("span"), Name::of("img"), Name::of("br"), BODY];

#[derive(Debug, Clone, Copy)]
struct Open {
    name: Name,
    kinds: Kinds,
    flags: ElementFlags,
    ends: Ends,
}

impl Open {
    fn plain(name: Name, flags: ElementFlags) -> Open {
        Open { name, kinds: Kinds::of(name), flags, ends: Ends::default() }
    }
}

/// The open elements, the outermost first. What ends with an element is handed to a closure, the innermost first.
#[derive(Debug)]
pub struct OpenElements {
    stack: Vec<Open>,
    /// Elements that were too deep to be kept.
    too_deep: usize,
    depth_of_last: usize,
}

impl OpenElements {
    /// Makes the stack at the beginning of a document: `html` and `head` are open.
    pub fn in_head() -> OpenElements {
        let mut stack = Vec::with_capacity(32);
        stack.extend([HTML, HEAD].map(|name| Open::plain(name, ElementFlags::NONE)));
        OpenElements { stack, too_deep: 0, depth_of_last: 2 }
    }

    /// Replaces `head` by `body`.
    pub fn enter_body(&mut self) {
        self.stack.truncate(1);
        self.stack.push(Open::plain(BODY, ElementFlags::NONE));
    }

    /// Returns the flags of all open elements together.
    pub fn flags(&self) -> ElementFlags {
        self.stack.last().map_or(ElementFlags::NONE, |open| open.flags)
    }

    /// Returns the name of the innermost open element.
    pub fn parent(&self) -> Name {
        self.stack.last().map_or(Name::default(), |open| open.name)
    }

    /// Levels of the element that was pushed last.
    pub fn depth_of_last(&self) -> usize {
        self.depth_of_last
    }

    /// Returns true when an element that starts now is svg or math, and not HTML that breaks out of it.
    pub fn is_foreign_for(&self, name: Name, kinds: Kinds) -> bool {
        const ROOTS: &[Name] = &[Name::of("svg"), Name::of("math")];
        if !self.flags().contains(ElementFlags::FOREIGN) {
            return ROOTS.contains(&name);
        }
        let breaks_out = kinds.contain(Kinds::ENDS_PARAGRAPH)
            || kinds.contain(Kinds::FORMATTING) && name != A
            || BREAKS_OUT.contains(&name);
        ROOTS.contains(&name) || !HTML_AGAIN.contains(&self.parent()) && !breaks_out
    }

    /// Ends the elements that the start of an element ends without an end tag.
    pub fn close_implied(&mut self, name: Name, kinds: Kinds, ended: &mut impl FnMut(Ends)) {
        if self.too_deep > 0 {
            return;
        }
        if kinds.contain(Kinds::ENDS_PARAGRAPH) {
            self.close_up_to(&[Name::of("p")], &[], ended);
        }
        if !kinds.contain(Kinds::ENDS_OTHERS) {
            return;
        }
        if kinds.contain(Kinds::HEADING) {
            let parent = self.stack.last().filter(|open| open.kinds.contain(Kinds::HEADING));
            if let Some((name, kinds)) = parent.map(|open| (open.name, open.kinds)) {
                self.close(name, kinds, ended);
            }
        } else if name == A {
            self.remove_link(ended);
        } else if let Some((_, names, stop)) = ENDED_BY.iter().find(|(by, ..)| by.contains(&name)) {
            self.close_up_to(names, stop, ended);
        } else if let Some(names) = ENDED_IN_TABLES.iter().find(|names| names.contains(&name)) {
            self.close_in_table(names, ended);
            if name == TR && self.parent() == TABLE {
                self.stack.push(Open::plain(TBODY, self.flags()));
            }
        }
    }

    pub fn push(&mut self, tag: &Tag, kinds: Kinds, marks: Marks, is_foreign: bool) {
        self.depth_of_last = self.stack.len() + self.too_deep + 1;
        if kinds.contain(Kinds::VOID) || is_foreign && tag.self_closing {
            return;
        }
        if self.stack.len() >= MAX_DEPTH {
            self.too_deep += 1;
            return;
        }
        let mut flags = self.flags() | marks.flags;
        if !is_foreign {
            flags = ElementFlags(flags.0 & !ElementFlags::FOREIGN.0);
        }
        self.stack.push(Open { name: tag.name, kinds, flags, ends: marks.ends });
    }

    /// Opens an element inside a template, where nothing counts.
    pub fn push_inert(&mut self, tag: &Tag) {
        let open = Open::plain(tag.name, self.flags());
        if !open.kinds.contain(Kinds::VOID) && !tag.self_closing && self.stack.len() < MAX_DEPTH {
            self.stack.push(open);
        }
    }

    /// Ends the nearest element of a name, and the elements inside it. An end tag without a start is ignored.
    pub fn close(&mut self, name: Name, kinds: Kinds, ended: &mut impl FnMut(Ends)) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let is_heading = kinds.contain(Kinds::HEADING);
        for at in (2..self.stack.len()).rev() {
            let open = &self.stack[at];
            if open.name == name || is_heading && open.kinds.contain(Kinds::HEADING) {
                if kinds.contain(Kinds::FORMATTING) {
                    ended(self.stack.remove(at).ends);
                } else {
                    self.end_from(at, ended);
                }
                return;
            }
            let stops = open.kinds.contain(Kinds::BARRIER) && !kinds.contain(Kinds::TABLE_PART);
            if stops || open.name == TEMPLATE {
                return;
            }
        }
    }

    /// Ends everything.
    pub fn close_all(&mut self, ended: &mut impl FnMut(Ends)) {
        self.end_from(0, ended);
    }

    fn end_from(&mut self, at: usize, ended: &mut impl FnMut(Ends)) {
        self.stack.drain(at..).rev().for_each(|open| ended(open.ends));
    }

    fn close_up_to(&mut self, names: &[Name], stop: &[Name], ended: &mut impl FnMut(Ends)) {
        for at in (2..self.stack.len()).rev() {
            let open = &self.stack[at];
            if names.contains(&open.name) {
                return self.end_from(at, ended);
            }
            if open.kinds.contain(Kinds::BARRIER) || stop.contains(&open.name) || open.name == TEMPLATE {
                return;
            }
        }
    }

    /// Closes elements inside a table, whose cells are no barrier for the table's own parts.
    fn close_in_table(&mut self, names: &[Name], ended: &mut impl FnMut(Ends)) {
        for at in (2..self.stack.len()).rev() {
            let name = self.stack[at].name;
            if names.contains(&name) {
                return self.end_from(at, ended);
            }
            if matches!(name, TABLE | TEMPLATE) {
                return;
            }
        }
    }

    fn remove_link(&mut self, ended: &mut impl FnMut(Ends)) {
        let is_link = |open: &Open| open.name == A && open.ends.link;
        if let Some(at) = self.stack.iter().rposition(is_link) {
            ended(self.stack.remove(at).ends);
        }
    }
}
