//! Facts of one document after one pass over it. Filled by `scan`, read by every check.
//! Plain data as in the document: nothing is resolved, judged or shortened.

use serde_json::Value;

use super::{Measures, Reading};

/// Everything that the checks read of a document, in document order.
#[derive(Debug, Clone, Default)]
pub struct PageFacts {
    /// Bytes of the document that the facts were taken from.
    pub html_bytes: usize,
    /// True when `<!doctype html>`, with any public identifier, is before the first tag.
    pub has_doctype: bool,
    /// `lang` of the `html` element.
    pub lang: Option<String>,
    /// First `base href`.
    pub base: Option<String>,
    /// Encoding that a `meta` declares.
    pub meta_charset: Option<String>,
    /// The declaration ends after the first 1024 bytes.
    pub charset_is_late: bool,
    /// Element between `<head>` and `</head>` that is not allowed there.
    pub invalid_in_head: Option<String>,
    /// `title` elements, white space collapsed.
    pub titles: Placed<String>,
    /// `meta` elements with a name or property, and a content.
    pub metas: Vec<Meta>,
    /// `meta http-equiv=refresh`.
    pub has_refresh: bool,
    /// Address that the first of them leads to after a while; one in `noscript` counts.
    pub refresh: Option<String>,
    /// `href` of each `link rel=canonical`.
    pub canonicals: Placed<Option<String>>,
    /// `link rel=alternate hreflang`.
    pub alternates: Placed<Alternate>,
    /// `href` of `link rel=next` and `link rel=prev`.
    pub pagination: Vec<(PageStep, String)>,
    /// True for a `link rel=icon`.
    pub has_icon: bool,
    pub headings: Vec<Heading>,
    /// `a` and `area` elements.
    pub links: Vec<Link>,
    /// `img` elements.
    pub images: Vec<Image>,
    /// `picture` elements without an `img`.
    pub pictures_without_img: usize,
    /// `src` of `iframe` elements; true for one in the main area.
    pub frames: Vec<(String, bool)>,
    /// `action` of `form` elements.
    pub form_actions: Vec<String>,
    /// Resources that the document loads, pictures and frames excepted.
    pub resources: Vec<Resource>,
    /// Values of `id`.
    pub ids: Vec<String>,
    /// `name` of `a` elements: fragments may point at them.
    pub anchor_names: Vec<String>,
    /// Start tags.
    pub elements: usize,
    /// Levels of the deepest element; `html` is 1.
    pub depth: usize,
    /// True for a script that is not a data block.
    pub has_script: bool,
    /// Bytes of inline scripts that carry an application's state.
    pub state_bytes: usize,
    /// True for a JSON-LD script that is not blank.
    pub has_json_ld: bool,
    /// Texts of JSON-LD scripts that are not blank, within the bound.
    pub json_ld: Vec<String>,
    /// Microdata items without `itemprop`, as JSON objects with `@type`.
    pub microdata: Vec<Value>,
    /// Some element has `typeof`.
    pub has_rdfa: bool,
    /// Minimum number of words in an element that application frameworks render into (`#root` and its like).
    pub app_root_words: Option<usize>,
    /// Text that a reader sees, white space collapsed.
    pub visible_text: String,
    /// Number of words of the visible text in closed shadow roots.
    pub closed_words: usize,
    /// The part of it that is the page's own: without navigation, header, footer and asides.
    pub main_text: String,
    /// Measures of the main text.
    pub measures: Measures,
    /// Paragraph-like blocks of the main text.
    pub blocks: Vec<String>,
    /// Language and reading ease of the main text, where already computed.
    pub reading: Option<Reading>,
    /// Elements that are not kept, since the document has too many.
    pub left_out: usize,
}

/// Elements of one kind in head and in body.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    /// Values in head.
    pub head: Vec<T>,
    /// Values in body.
    pub body: Vec<T>,
}

impl<T> Default for Placed<T> {
    fn default() -> Placed<T> {
        Placed { head: Vec::new(), body: Vec::new() }
    }
}

impl<T> Placed<T> {
    /// Returns the list of head or of body.
    pub(super) fn of(&mut self, in_head: bool) -> &mut Vec<T> {
        if in_head { &mut self.head } else { &mut self.body }
    }

    /// Returns true when both lists are empty.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.body.is_empty()
    }
}

/// A `meta` with a name or property.
#[derive(Debug, Clone)]
pub struct Meta {
    /// Name or property, lower case.
    pub name: String,
    /// Content, white space collapsed.
    pub content: String,
    /// Stands in head.
    pub in_head: bool,
}

/// One hreflang entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternate {
    /// Value of `hreflang`, as written.
    pub lang: String,
    pub href: String,
}

/// Direction of a pagination link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageStep {
    /// `rel=next`.
    Next,
    /// `rel=prev`.
    Previous,
}

#[derive(Debug, Clone)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Text, pictures' `alt` included, white space collapsed.
    pub text: String,
}

/// An `a` or `area` element.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// `href` as written; none when the attribute is missing.
    pub href: Option<String>,
    /// Text, pictures' `alt` and svg titles included, white space collapsed.
    pub text: String,
    /// True when the element or one inside it has a non-empty `aria-label`, `aria-labelledby` or `title`.
    pub has_label: bool,
    /// `rel` holds `nofollow`.
    pub is_nofollow: bool,
    /// `rel` holds `ugc`.
    pub is_ugc: bool,
    /// `rel` holds `sponsored`.
    pub is_sponsored: bool,
    /// `role=button`.
    pub is_button: bool,
    /// True when it has an `onclick` attribute.
    pub has_onclick: bool,
}

/// An `img` element.
#[derive(Debug, Clone, Default)]
pub struct Image {
    /// `src` as written.
    pub src: String,
    /// `alt`; none when the attribute is missing.
    pub alt: Option<String>,
    /// Needs no `alt`: presentational, hidden from readers, or named otherwise.
    pub needs_no_alt: bool,
    /// Width and height are known before it is loaded.
    pub has_dimensions: bool,
}

/// Something that a document loads.
#[derive(Debug, Clone)]
pub struct Resource {
    pub kind: ResourceKind,
    /// Address as written.
    pub url: String,
}

/// Kind of a loaded resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ResourceKind {
    Script,
    /// A style sheet.
    Stylesheet,
    /// Sound, film, an embedded object.
    Media,
    /// A `source` of a picture, sound or film.
    Source,
    /// A candidate of a `srcset`, or a film's poster.
    Candidate,
    /// Another `link`.
    Other,
}

impl PageFacts {
    /// Returns the primary subtag of `html lang`, lower case.
    pub fn language(&self) -> Option<String> {
        let lang = self.lang.as_deref()?.trim();
        lang.split(['-', '_']).next().filter(|tag| !tag.is_empty()).map(str::to_ascii_lowercase)
    }

    /// Contents of the metas of a name, in document order.
    pub fn meta<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Meta> + 'a {
        self.metas.iter().filter(move |meta| meta.name == name)
    }

    /// Returns the content of the first meta of a name that has any; "" when there is none.
    pub fn first_meta(&self, name: &str) -> &str {
        let contents = self.metas.iter().filter(|meta| meta.name == name).map(|meta| meta.content.as_str());
        contents.into_iter().find(|content| !content.is_empty()).unwrap_or_default()
    }

    /// Returns the first title of head.
    pub fn title(&self) -> Option<&str> {
        self.titles.head.first().map(String::as_str)
    }

    /// Returns the first description of head.
    pub fn description(&self) -> Option<&str> {
        self.meta("description").find(|meta| meta.in_head).map(|meta| meta.content.as_str())
    }

    /// Returns the text of the first h1 that has any.
    pub fn h1(&self) -> Option<&str> {
        self.headings
            .iter()
            .find(|heading| heading.level == 1 && !heading.text.is_empty())
            .map(|h| h.text.as_str())
    }

    /// Returns true when there is structured data of any kind, readable or not.
    pub fn has_structured_data(&self) -> bool {
        self.has_json_ld || !self.microdata.is_empty() || self.has_rdfa
    }
}
