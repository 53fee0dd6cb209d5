//! The stack of open elements, as far as facts need it: which end tag closes what, and what the open elements mean.
//! Used by `scan`. Bounded: elements below `MAX_DEPTH` are counted and not kept.

use std::ops::BitOr;

use html5ever::LocalName;
use html5ever::tokenizer::Tag;

/// Levels that are kept. Browsers stop at 512 too.
const MAX_DEPTH: usize = 512;
/// Elements without content.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "frame",
];
/// Elements that another can reach over when it ends: `</b>` does not end the `p` inside it.
const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// Elements whose start ends an open paragraph.
const ENDS_PARAGRAPH: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "plaintext",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "ul",
    "xmp",
];
/// Elements that an end tag outside does not reach through.
const BARRIERS: &[&str] =
    &["table", "td", "th", "caption", "button", "object", "marquee", "applet", "html", "body"];

/// What an open element means for what is inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u8);

impl Flags {
    /// Nothing special.
    pub const NONE: Flags = Flags(0);
    /// A reader does not see it.
    pub const HIDDEN: Flags = Flags(1);
    /// Navigation, header, footer, aside.
    pub const CHROME: Flags = Flags(2);
    /// In a main element.
    pub const MAIN: Flags = Flags(4);
    /// svg or math.
    pub const FOREIGN: Flags = Flags(8);
    /// In a template: inert.
    pub const TEMPLATE: Flags = Flags(16);
    /// In a closed shadow root.
    pub const CLOSED: Flags = Flags(32);

    /// Whether one of `other` is set.
    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// What the collector wants to know when an element ends, and what its content inherits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Marks {
    /// Flags of its content, beside the inherited ones.
    pub flags: Flags,
    /// What ends with it.
    pub ends: Ends,
}

/// What ends with an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    /// The text of a link.
    pub link: bool,
    /// The text of a heading.
    pub heading: bool,
    /// A block of text.
    pub block: bool,
    /// A picture, with the number of images before it.
    pub picture: Option<usize>,
    /// An application's root, with the length of the visible text before it.
    pub app_root: Option<usize>,
    /// A microdata item.
    pub item: bool,
    /// A microdata property without an item, with the length of the visible text before it.
    pub property: Option<usize>,
}

#[derive(Debug)]
struct Open {
    name: LocalName,
    flags: Flags,
    ends: Ends,
}

/// The open elements, the outermost first.
#[derive(Debug)]
pub struct OpenElements {
    stack: Vec<Open>,
    /// Elements that were too deep to be kept.
    too_deep: usize,
    depth_of_last: usize,
}

impl OpenElements {
    /// The beginning of a document: `html` and `head` are open.
    pub fn in_head() -> OpenElements {
        let open = |name: &str| Open { name: name.into(), flags: Flags::NONE, ends: Ends::default() };
        OpenElements { stack: vec![open("html"), open("head")], too_deep: 0, depth_of_last: 2 }
    }

    /// Replaces `head` by `body`.
    pub fn enter_body(&mut self) {
        self.stack.truncate(1);
        self.stack.push(Open { name: "body".into(), flags: Flags::NONE, ends: Ends::default() });
    }

    /// What the open elements mean together.
    pub fn flags(&self) -> Flags {
        self.stack.last().map_or(Flags::NONE, |open| open.flags)
    }

    /// Name of the innermost open element.
    pub fn parent(&self) -> &str {
        self.stack.last().map_or("", |open| &open.name)
    }

    /// Levels of the element that was pushed last.
    pub fn depth_of_last(&self) -> usize {
        self.depth_of_last
    }

    /// Whether an element that starts now is svg or math, and not HTML that breaks out of it.
    pub fn is_foreign_for(&self, name: &str) -> bool {
        if matches!(name, "svg" | "math") {
            return true;
        }
        let in_html_again = matches!(self.parent(), "foreignobject" | "desc" | "annotation-xml");
        let breaks_out = ENDS_PARAGRAPH.contains(&name)
            || FORMATTING.contains(&name) && name != "a"
            || matches!(name, "span" | "img" | "br" | "body");
        self.flags().contains(Flags::FOREIGN) && !in_html_again && !breaks_out
    }

    /// Ends what the start of `name` ends without an end tag.
    pub fn close_implied(&mut self, name: &str) -> Vec<Ends> {
        let mut ended = Vec::new();
        if self.too_deep > 0 {
            return ended;
        }
        if ENDS_PARAGRAPH.contains(&name) {
            self.close_up_to(&["p"], &[], &mut ended);
        }
        match name {
            "li" => self.close_up_to(&["li"], &["ul", "ol", "menu"], &mut ended),
            "dd" | "dt" => self.close_up_to(&["dd", "dt"], &["dl"], &mut ended),
            "option" | "optgroup" => self.close_up_to(&["option"], &["select"], &mut ended),
            "td" | "th" => self.close_in_table(&["td", "th"], &mut ended),
            "tr" => self.close_in_table(&["tr"], &mut ended),
            "tbody" | "thead" | "tfoot" => self.close_in_table(&["tbody", "thead", "tfoot"], &mut ended),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if is_heading(self.parent()) => {
                let heading = self.parent().to_owned();
                ended.extend(self.close(&heading));
            }
            "a" => self.remove_link(&mut ended),
            _ => {}
        }
        if name == "tr" && self.parent() == "table" {
            let flags = self.flags();
            self.stack.push(Open { name: "tbody".into(), flags, ends: Ends::default() });
        }
        ended
    }

    /// Opens an element.
    pub fn push(&mut self, tag: &Tag, marks: Marks, is_foreign: bool) {
        self.depth_of_last = self.stack.len() + self.too_deep + 1;
        let name: &str = &tag.name;
        if VOID.contains(&name) || is_foreign && tag.self_closing {
            return;
        }
        if self.stack.len() >= MAX_DEPTH {
            self.too_deep += 1;
            return;
        }
        let mut flags = self.flags() | marks.flags;
        if !is_foreign {
            flags = Flags(flags.0 & !Flags::FOREIGN.0);
        }
        self.stack.push(Open { name: tag.name.clone(), flags, ends: marks.ends });
    }

    /// Opens an element inside a template, where nothing counts.
    pub fn push_inert(&mut self, name: &str, self_closing: bool) {
        if !VOID.contains(&name) && !self_closing && self.stack.len() < MAX_DEPTH {
            self.stack.push(Open { name: name.into(), flags: self.flags(), ends: Ends::default() });
        }
    }

    /// Ends the nearest element of a name; what is inside it ends too. An end tag without a start is nothing.
    pub fn close(&mut self, name: &str) -> Vec<Ends> {
        let mut ended = Vec::new();
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return ended;
        }
        let is_formatting = FORMATTING.contains(&name);
        for at in (2..self.stack.len()).rev() {
            let open = &self.stack[at];
            if &*open.name == name || is_heading(name) && is_heading(&open.name) {
                if is_formatting {
                    ended.push(self.stack.remove(at).ends);
                } else {
                    ended.extend(self.stack.drain(at..).rev().map(|open| open.ends));
                }
                return ended;
            }
            let stops = BARRIERS.contains(&&*open.name)
                && !matches!(name, "table" | "tr" | "td" | "th" | "tbody" | "thead" | "tfoot");
            if stops || &*open.name == "template" {
                return ended;
            }
        }
        ended
    }

    /// Ends everything.
    pub fn close_all(&mut self) -> Vec<Ends> {
        self.stack.drain(..).rev().map(|open| open.ends).collect()
    }

    fn close_up_to(&mut self, names: &[&str], stop: &[&str], ended: &mut Vec<Ends>) {
        for at in (2..self.stack.len()).rev() {
            let name = &*self.stack[at].name;
            if names.contains(&name) {
                ended.extend(self.stack.drain(at..).rev().map(|open| open.ends));
                return;
            }
            if BARRIERS.contains(&name) || stop.contains(&name) || name == "template" {
                return;
            }
        }
    }

    /// The same inside a table, whose cells are no barrier for its own parts.
    fn close_in_table(&mut self, names: &[&str], ended: &mut Vec<Ends>) {
        for at in (2..self.stack.len()).rev() {
            let name = &*self.stack[at].name;
            if names.contains(&name) {
                ended.extend(self.stack.drain(at..).rev().map(|open| open.ends));
                return;
            }
            if matches!(name, "table" | "template") {
                return;
            }
        }
    }

    fn remove_link(&mut self, ended: &mut Vec<Ends>) {
        let is_link = |open: &Open| &*open.name == "a" && open.ends.link;
        if let Some(at) = self.stack.iter().rposition(is_link) {
            ended.push(self.stack.remove(at).ends);
        }
    }
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}
