//! Names of elements and attributes, compared as numbers. Used by the scanner and the collector. Pure.

use xxhash_rust::xxh3::xxh3_64;

/// Name of an element: up to sixteen bytes are the name itself, of a longer one this is a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Name(u64, u64);

impl Name {
    const NONE: Name = Name(0, 0);

    /// Reads a name in any case.
    pub fn read(text: &str) -> Name {
        if text.len() > 16 || text.ends_with('\0') {
            // No name that means anything is as long, or ends as the unused bytes of one do. The second half cannot be that
            // of a name of sixteen bytes.
            return Name(xxh3_64(text.to_ascii_lowercase().as_bytes()), u64::MAX);
        }
        Name::of(text)
    }

    /// Makes the name of a text of at most sixteen bytes, in any case.
    pub const fn of(text: &str) -> Name {
        let bytes = text.as_bytes();
        let (mut head, mut tail, mut at) = (0, 0, 0);
        while at < bytes.len() {
            let byte = bytes[at].to_ascii_lowercase() as u64;
            if at < 8 {
                head |= byte << (8 * at);
            } else {
                tail |= byte << (8 * (at - 8));
            }
            at += 1;
        }
        Name(head, tail)
    }

    const fn slot(self, bits: u32) -> usize {
        let mixed = (self.0 ^ self.1.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - bits)) as usize
    }
}

/// Properties of elements by name, from the standard, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u32);

impl Kinds {
    /// Elements without content.
    pub const VOID: Kinds = Kinds(1);
    /// Formatting elements, whose end tag leaves elements inside open: `</b>` does not end a `p` inside.
    pub const FORMATTING: Kinds = Kinds(1 << 1);
    /// Elements whose start ends an open paragraph.
    pub const ENDS_PARAGRAPH: Kinds = Kinds(1 << 2);
    /// Elements that limit the reach of end tags: an end tag inside does not close an element around the barrier.
    pub const BARRIER: Kinds = Kinds(1 << 3);
    /// Elements that do not separate words.
    pub const INLINE: Kinds = Kinds(1 << 4);
    /// Elements whose text is not shown.
    pub const UNSEEN: Kinds = Kinds(1 << 5);
    /// h1 to h6.
    pub const HEADING: Kinds = Kinds(1 << 6);
    /// Elements that are allowed in head.
    pub const IN_HEAD: Kinds = Kinds(1 << 7);
    /// A table or a part of one that its end tags reach through.
    pub const TABLE_PART: Kinds = Kinds(1 << 8);
    /// Elements whose content is text with references.
    pub const RCDATA: Kinds = Kinds(1 << 9);
    /// Elements whose content is raw text. `noscript` is one where scripts run.
    pub const RAWTEXT: Kinds = Kinds(1 << 10);
    /// Elements whose content is a script.
    pub const SCRIPT: Kinds = Kinds(1 << 11);
    /// The start of it may end something beside a paragraph.
    pub const ENDS_OTHERS: Kinds = Kinds(1 << 12);

    /// Returns the properties of a name.
    pub fn of(name: Name) -> Kinds {
        let mut slot = name.slot(SLOT_BITS);
        loop {
            match ELEMENTS[slot] {
                (Name::NONE, _) => return Kinds(0),
                (known, kinds) if known == name => return kinds,
                _ => slot = (slot + 1) % ELEMENTS.len(),
            }
        }
    }

    /// Returns true when the set contains one of `other`.
    pub fn contain(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }
}

const SLOT_BITS: u32 = 9;
static ELEMENTS: [(Name, Kinds); 1 << SLOT_BITS] = elements();

const LISTS: &[(Kinds, &[&str])] = &[
    (
        Kinds::VOID,
        &[
            "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
            "track", "wbr", "frame",
        ],
    ),
    (
        Kinds::FORMATTING,
        &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"],
    ),
    (
        Kinds::ENDS_PARAGRAPH,
        &[
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
        ],
    ),
    (
        Kinds::BARRIER,
        &["table", "td", "th", "caption", "button", "object", "marquee", "applet", "html", "body"],
    ),
    (
        Kinds::INLINE,
        &[
            "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s",
            "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
        ],
    ),
    (
        Kinds::UNSEEN,
        &[
            "script", "style", "noscript", "svg", "iframe", "object", "canvas", "audio", "video", "select",
            "textarea",
        ],
    ),
    (Kinds::HEADING, &["h1", "h2", "h3", "h4", "h5", "h6"]),
    (Kinds::IN_HEAD, &["title", "meta", "link", "script", "style", "base", "noscript", "template"]),
    (Kinds::TABLE_PART, &["table", "tr", "td", "th", "tbody", "thead", "tfoot"]),
    (Kinds::RCDATA, &["title", "textarea"]),
    (Kinds::RAWTEXT, &["style", "xmp", "iframe", "noembed", "noframes", "noscript"]),
    (Kinds::SCRIPT, &["script"]),
    (
        Kinds::ENDS_OTHERS,
        &[
            "li", "dd", "dt", "option", "optgroup", "td", "th", "tr", "tbody", "thead", "tfoot", "a", "h1",
            "h2", "h3", "h4", "h5", "h6",
        ],
    ),
];

const fn elements() -> [(Name, Kinds); 1 << SLOT_BITS] {
    let mut table = [(Name::NONE, Kinds(0)); 1 << SLOT_BITS];
    let mut list = 0;
    while list < LISTS.len() {
        let (kinds, names) = LISTS[list];
        let mut at = 0;
        while at < names.len() {
            let name = Name::of(names[at]);
            let mut slot = name.slot(SLOT_BITS);
            while !is_free_for(table[slot].0, name) {
                slot = (slot + 1) % table.len();
            }
            table[slot] = (name, Kinds(table[slot].1.0 | kinds.0));
            at += 1;
        }
        list += 1;
    }
    table
}

const fn is_free_for(there: Name, name: Name) -> bool {
    there.0 == 0 && there.1 == 0 || there.0 == name.0 && there.1 == name.1
}

macro_rules! attributes {
    ($($variant:ident $name:literal)*) => {
        /// An attribute that facts are taken from.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Attr {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        const ATTRIBUTES: &[(&str, Attr)] = &[$(($name, Attr::$variant),)*];
    };
}

attributes! {
    Action "action" Alt "alt" AriaHidden "aria-hidden" AriaLabel "aria-label" AriaLabelledby "aria-labelledby"
    Charset "charset" Content "content" Data "data" DataReactroot "data-reactroot" Datetime "datetime" Height "height"
    Hidden "hidden" Href "href" Hreflang "hreflang" HttpEquiv "http-equiv" Id "id" Itemprop "itemprop"
    Itemscope "itemscope" Itemtype "itemtype" Lang "lang" Name "name" Onclick "onclick" Poster "poster" Property "property" Rel "rel"
    Role "role" ShadowRootMode "shadowrootmode" Src "src" Srcset "srcset" Style "style" Title "title" Type "type" Typeof "typeof"
    Value "value" Width "width"
}

const ATTR_BITS: u32 = 8;
static ATTRIBUTE_SLOTS: [(Name, Option<Attr>); 1 << ATTR_BITS] = {
    let mut table = [(Name::NONE, None); 1 << ATTR_BITS];
    let mut at = 0;
    while at < ATTRIBUTES.len() {
        let (name, attr) = ATTRIBUTES[at];
        let name = Name::of(name);
        let mut slot = name.slot(ATTR_BITS);
        while !is_free_for(table[slot].0, name) {
            slot = (slot + 1) % table.len();
        }
        table[slot] = (name, Some(attr));
        at += 1;
    }
    table
};

impl Attr {
    /// Reads the name of an attribute in any case. Returns `None` for one that no fact is taken from.
    pub fn read(name: &str) -> Option<Attr> {
        if name.is_empty() || name.len() > 16 {
            return None;
        }
        let name = Name::read(name);
        let mut slot = name.slot(ATTR_BITS);
        loop {
            match ATTRIBUTE_SLOTS[slot] {
                (Name::NONE, _) => return None,
                (known, attr) if known == name => return attr,
                _ => slot = (slot + 1) % ATTRIBUTE_SLOTS.len(),
            }
        }
    }

    pub(super) fn bit(self) -> u64 {
        1 << self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_has_its_kinds_in_any_case_and_no_other_name_has_any() {
        for (kinds, names) in LISTS {
            for name in *names {
                assert!(Kinds::of(Name::read(&name.to_uppercase())).contain(*kinds), "{name}");
            }
        }
        for name in ["x", "custom-element", "a-name-of-more-than-sixteen-bytes", ""] {
            assert_eq!(Kinds::of(Name::read(name)), Kinds::default(), "{name}");
        }
    }

    #[test]
    fn names_are_equal_when_their_texts_are() {
        assert_eq!(Name::read("FigCaption"), Name::read("figcaption"));
        assert_ne!(Name::read("sixteen-bytes-ab"), Name::read("sixteen-bytes-abc"));
        assert_eq!(Name::read("More-Than-Sixteen-Bytes"), Name::read("more-than-sixteen-bytes"));
    }

    #[test]
    fn every_attribute_is_found_by_its_name() {
        for (name, attr) in ATTRIBUTES {
            assert_eq!(Attr::read(&name.to_uppercase()), Some(*attr));
        }
        assert_eq!(Attr::read("class"), None);
    }
}
