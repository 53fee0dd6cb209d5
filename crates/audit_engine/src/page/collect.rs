//! Turns elements and texts into facts. Used by `scan`, which knows where they stand.
//! Holds what is being collected: the open link, heading, block and microdata item.

use html5ever::tokenizer::Tag;

use super::attributes::{attr, has_token, is_filled};
use super::facts::{Alternate, Heading, Image, Link, Meta, PageFacts, PageStep, Resource, ResourceKind};
use super::measures::Measures;
use super::microdata::Microdata;
use super::navigation::navigates;
use super::open_elements::{Ends, Flags, Marks, OpenElements};
use super::text::{collapse, push_collapsed, word_count};

/// Tags that do not separate words.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp",
    "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
];
/// Elements whose text nobody reads.
const UNSEEN: &[&str] = &[
    "script", "style", "noscript", "svg", "iframe", "object", "canvas", "audio", "video", "select",
    "textarea",
];
const CHROME_ROLES: &[&str] = &["navigation", "banner", "contentinfo", "complementary"];
const APP_ROOTS: &[&str] = &["root", "app", "__next", "__nuxt", "___gatsby"];

/// What the text of an element is for, when its content is text and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawText {
    /// Nothing.
    Ignored,
    /// The title.
    Title,
    /// A data block in JSON-LD.
    JsonLd,
    /// Another data block in JSON.
    JsonState,
    /// A script, which may be one that carries state.
    Script,
}

/// Facts as far as they are known, and what is still open.
#[derive(Default)]
pub struct Collector {
    /// The facts so far.
    pub facts: PageFacts,
    microdata: Microdata,
    in_link: bool,
    in_heading: bool,
    /// Blocks that are open, and whether each is in a main element.
    open_blocks: Vec<(bool, String)>,
    blocks: Vec<(bool, String)>,
    /// Text outside navigation and the like, and the part of it in main elements.
    content: String,
    main: String,
    mains: usize,
}

impl Collector {
    /// The `html` element; a second one adds nothing that is there already.
    pub fn html(&mut self, tag: &Tag) {
        if self.facts.elements == 0 {
            self.facts.elements = 1;
        }
        if self.facts.lang.is_none() {
            self.facts.lang = attr(tag, "lang").map(str::to_owned);
        }
    }

    /// A tag that is not inline separates words.
    pub fn separate(&mut self, name: &str) {
        if INLINE.contains(&name) {
            return;
        }
        for buffer in [&mut self.facts.visible_text, &mut self.content, &mut self.main] {
            push_collapsed(buffer, " ");
        }
        if let Some((_, block)) = self.open_blocks.last_mut() {
            push_collapsed(block, " ");
        }
        if self.in_heading {
            let heading = self.facts.headings.last_mut();
            heading.into_iter().for_each(|heading| push_collapsed(&mut heading.text, " "));
        }
        if self.in_link {
            self.facts.links.last_mut().into_iter().for_each(|link| push_collapsed(&mut link.text, " "));
        }
    }

    /// What the text of an element is for.
    pub fn raw_text_of(&mut self, tag: &Tag) -> Option<RawText> {
        match &*tag.name {
            "title" => Some(RawText::Title),
            "script" => Some(self.script(tag)),
            _ => None,
        }
    }

    fn script(&mut self, tag: &Tag) -> RawText {
        let kind = attr(tag, "type").unwrap_or_default().trim().to_ascii_lowercase();
        let is_data = !matches!(kind.as_str(), "" | "module")
            && !kind.ends_with("javascript")
            && !kind.ends_with("ecmascript");
        if kind == "application/ld+json" {
            return RawText::JsonLd;
        }
        if kind == "application/json" {
            return RawText::JsonState;
        }
        if is_data {
            return RawText::Ignored;
        }
        self.facts.has_script = true;
        if let Some(src) = attr(tag, "src") {
            self.facts.resources.push(Resource { kind: ResourceKind::Script, url: src.to_owned() });
        }
        RawText::Script
    }

    /// The text of an element that holds nothing else.
    pub fn raw_text(&mut self, raw: RawText, text: String, in_head: bool) {
        match raw {
            RawText::Ignored => {}
            RawText::Title => self.facts.titles.push(in_head, collapse(&text)),
            RawText::JsonLd if text.trim().is_empty() => {}
            RawText::JsonLd => self.facts.json_ld.push(text),
            RawText::JsonState => self.facts.state_bytes += text.len(),
            RawText::Script => {
                let start = text.trim_start();
                if start.starts_with("window.__") || start.starts_with("self.__") {
                    self.facts.state_bytes += text.len();
                }
            }
        }
    }

    /// An element of svg or math.
    pub fn foreign_element(&mut self, tag: &Tag) -> Marks {
        self.facts.ids.extend(attr(tag, "id").map(str::to_owned));
        Marks { flags: Flags::FOREIGN | Flags::HIDDEN, ends: Ends::default() }
    }

    /// An element of HTML.
    pub fn element(&mut self, tag: &Tag, in_head: bool, is_late: bool, open: &OpenElements) -> Marks {
        let mut marks = self.structure(tag, open);
        match &*tag.name {
            "meta" => self.meta(tag, in_head, is_late),
            "link" => self.link_element(tag, in_head),
            "base" if self.facts.base.is_none() => self.facts.base = attr(tag, "href").map(str::to_owned),
            "a" | "area" => marks.ends.link = self.link(tag),
            "img" => self.image(tag),
            "picture" => marks.ends.picture = Some(self.facts.images.len()),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = tag.name.as_bytes()[1] - b'0';
                self.facts.headings.push(Heading { level, text: String::new() });
                self.in_heading = true;
                marks.ends.heading = true;
            }
            "iframe" => {
                let in_main = !(open.flags() | marks.flags).contains(Flags::CHROME);
                self.facts.frames.extend(attr(tag, "src").map(|src| (src.to_owned(), in_main)));
            }
            "form" => self.facts.form_actions.extend(attr(tag, "action").map(str::to_owned)),
            "source" => self.resource(ResourceKind::Source, attr(tag, "src")),
            "video" | "audio" | "embed" => self.resource(ResourceKind::Media, attr(tag, "src")),
            "object" => self.resource(ResourceKind::Media, attr(tag, "data")),
            "p" | "li" | "dd" | "td" | "blockquote" => {
                let flags = open.flags() | marks.flags;
                if !flags.contains(Flags::CHROME) && !flags.contains(Flags::HIDDEN) {
                    self.open_blocks.push((flags.contains(Flags::MAIN), String::new()));
                    marks.ends.block = true;
                }
            }
            _ => {}
        }
        let is_control = matches!(
            &*tag.name,
            "a" | "area" | "button" | "input" | "select" | "option" | "label" | "textarea" | "form"
        );
        if !is_control && attr(tag, "onclick").is_some_and(navigates) {
            self.facts.onclick_navigations += 1;
        }
        marks
    }

    /// What any element may be: hidden, part of the frame around the content, a root, an item.
    fn structure(&mut self, tag: &Tag, open: &OpenElements) -> Marks {
        let name: &str = &tag.name;
        let role = attr(tag, "role").unwrap_or_default().trim().to_ascii_lowercase();
        let mut flags = Flags::NONE;
        let is_hidden = attr(tag, "hidden").is_some()
            || attr(tag, "aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        // A shadow root is written as a template, and is none: a reader sees what is in it.
        let shadow = attr(tag, "shadowrootmode").filter(|_| name == "template");
        match shadow.map(str::to_ascii_lowercase).as_deref() {
            Some("open") => {}
            Some("closed") => flags = flags | Flags::CLOSED,
            _ if name == "template" => flags = flags | Flags::TEMPLATE | Flags::HIDDEN,
            _ if is_hidden || UNSEEN.contains(&name) => flags = flags | Flags::HIDDEN,
            _ => {}
        }
        let is_chrome =
            matches!(name, "nav" | "footer" | "aside") || name == "header" && open.parent() == "body";
        if is_chrome || CHROME_ROLES.contains(&role.as_str()) {
            flags = flags | Flags::CHROME;
        }
        if name == "main" || role == "main" {
            self.mains += 1;
            flags = flags | Flags::MAIN;
        }
        let id = attr(tag, "id");
        self.facts.ids.extend(id.filter(|id| !id.is_empty()).map(str::to_owned));
        let is_root = name == "app-root"
            || id.is_some_and(|id| APP_ROOTS.contains(&id))
            || attr(tag, "data-reactroot").is_some();
        let mut ends = Ends { app_root: is_root.then_some(self.facts.visible_text.len()), ..Ends::default() };
        self.facts.has_rdfa |= is_filled(attr(tag, "typeof"));
        let text_start = self.facts.visible_text.len();
        (ends.item, ends.property) = self.microdata.element(tag, text_start);
        Marks { flags, ends }
    }

    fn meta(&mut self, tag: &Tag, in_head: bool, is_late: bool) {
        let content = attr(tag, "content");
        let equivalent = attr(tag, "http-equiv").unwrap_or_default().trim().to_ascii_lowercase();
        let charset = attr(tag, "charset").map(str::to_owned).or_else(|| {
            let content = content.filter(|_| equivalent == "content-type")?.to_ascii_lowercase();
            let (_, charset) = content.split_once("charset=")?;
            Some(charset.trim_matches(['"', '\'', ' ', ';']).to_owned())
        });
        if let Some(charset) = charset.filter(|charset| !charset.trim().is_empty())
            && self.facts.meta_charset.is_none()
        {
            self.facts.meta_charset = Some(charset.trim().to_ascii_lowercase());
            self.facts.charset_is_late = is_late;
        }
        self.facts.has_refresh |= equivalent == "refresh";
        if equivalent == "content-security-policy" {
            self.facts.metas.push(Meta {
                name: equivalent,
                content: collapse(content.unwrap_or_default()),
                in_head,
            });
        }
        let names = [attr(tag, "name"), attr(tag, "property")];
        let mut names: Vec<String> =
            names.into_iter().flatten().map(|name| name.trim().to_ascii_lowercase()).collect();
        names.dedup();
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            self.facts.metas.push(Meta { name, content: collapse(content.unwrap_or_default()), in_head });
        }
    }

    fn link_element(&mut self, tag: &Tag, in_head: bool) {
        let rel = attr(tag, "rel");
        let href = attr(tag, "href");
        if has_token(rel, "canonical") {
            self.facts.canonicals.push(in_head, href.map(str::to_owned));
        }
        if let (true, Some(lang)) = (has_token(rel, "alternate"), attr(tag, "hreflang")) {
            let alternate =
                Alternate { lang: lang.trim().to_owned(), href: href.unwrap_or_default().to_owned() };
            self.facts.alternates.push(in_head, alternate);
        }
        for (token, step) in [("next", PageStep::Next), ("prev", PageStep::Previous)] {
            if has_token(rel, token) {
                self.facts.pagination.extend(href.map(|href| (step, href.to_owned())));
            }
        }
        self.facts.has_icon |= has_token(rel, "icon") && is_filled(href);
        let kind = if has_token(rel, "stylesheet") { ResourceKind::Stylesheet } else { ResourceKind::Other };
        self.resource(kind, href);
    }

    fn resource(&mut self, kind: ResourceKind, url: Option<&str>) {
        self.facts.resources.extend(url.map(|url| Resource { kind, url: url.to_owned() }));
    }

    fn link(&mut self, tag: &Tag) -> bool {
        let rel = attr(tag, "rel");
        let is_area = &*tag.name == "area";
        let has_label =
            ["aria-label", "aria-labelledby", "title"].iter().any(|name| is_filled(attr(tag, name)));
        self.facts.links.push(Link {
            href: attr(tag, "href").map(str::to_owned),
            text: if is_area { collapse(attr(tag, "alt").unwrap_or_default()) } else { String::new() },
            has_label,
            is_nofollow: has_token(rel, "nofollow"),
            is_ugc: has_token(rel, "ugc"),
            is_sponsored: has_token(rel, "sponsored"),
            is_button: has_token(attr(tag, "role"), "button"),
            has_onclick: attr(tag, "onclick").is_some(),
        });
        if !is_area {
            self.facts.anchor_names.extend(attr(tag, "name").map(str::to_owned));
            self.in_link = true;
        }
        !is_area
    }

    fn image(&mut self, tag: &Tag) {
        let alt = attr(tag, "alt").map(collapse);
        if let Some(alt) = &alt {
            if self.in_link {
                self.facts.links.last_mut().into_iter().for_each(|link| push_collapsed(&mut link.text, alt));
            }
            if self.in_heading {
                let heading = self.facts.headings.last_mut();
                heading.into_iter().for_each(|heading| push_collapsed(&mut heading.text, alt));
            }
        }
        let role = attr(tag, "role").unwrap_or_default();
        let is_named =
            ["aria-label", "aria-labelledby", "title"].iter().any(|name| is_filled(attr(tag, name)));
        let is_hidden = attr(tag, "aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let style = attr(tag, "style").unwrap_or_default();
        let is_sized = style.contains("aspect-ratio") || style.contains("width") && style.contains("height");
        self.facts.images.push(Image {
            src: attr(tag, "src").unwrap_or_default().to_owned(),
            alt,
            needs_no_alt: is_named
                || is_hidden
                || has_token(Some(role), "presentation")
                || has_token(Some(role), "none"),
            has_dimensions: is_sized || attr(tag, "width").is_some() && attr(tag, "height").is_some(),
        });
    }

    /// Text of an element that holds elements too.
    pub fn text(&mut self, text: &str, flags: Flags) {
        if self.in_heading && !flags.contains(Flags::FOREIGN) {
            let heading = self.facts.headings.last_mut();
            heading.into_iter().for_each(|heading| push_collapsed(&mut heading.text, text));
        }
        if self.in_link {
            self.facts.links.last_mut().into_iter().for_each(|link| push_collapsed(&mut link.text, text));
        }
        if flags.contains(Flags::HIDDEN) {
            return;
        }
        push_collapsed(&mut self.facts.visible_text, text);
        if flags.contains(Flags::CLOSED) {
            self.facts.closed_words += word_count(text);
        }
        if flags.contains(Flags::CHROME) {
            return;
        }
        push_collapsed(&mut self.content, text);
        if flags.contains(Flags::MAIN) {
            push_collapsed(&mut self.main, text);
        }
        if let Some((_, block)) = self.open_blocks.last_mut() {
            push_collapsed(block, text);
        }
    }

    /// Elements that ended, the innermost first.
    pub fn closed(&mut self, ended: Vec<Ends>) {
        for ends in ended {
            self.in_link &= !ends.link;
            self.in_heading &= !ends.heading;
            if ends.block {
                self.blocks.extend(self.open_blocks.pop());
            }
            if ends.picture == Some(self.facts.images.len()) {
                self.facts.pictures_without_img += 1;
            }
            if let Some(start) = ends.app_root {
                let words = word_count(self.facts.visible_text.get(start..).unwrap_or_default());
                let fewest = self.facts.app_root_words.map_or(words, |fewest| fewest.min(words));
                self.facts.app_root_words = Some(fewest);
            }
            if let Some(start) = ends.property {
                self.microdata.end_property(self.facts.visible_text.get(start..).unwrap_or_default());
            }
            if ends.item {
                self.microdata.end_item();
            }
        }
    }

    /// The facts, at the end of the document.
    pub fn finish(mut self) -> PageFacts {
        let only_main = self.mains == 1 && word_count(&self.main) >= 50;
        let mut facts = self.facts;
        facts.main_text = if only_main { self.main } else { self.content };
        self.blocks.retain(|(in_main, text)| (*in_main || !only_main) && !text.trim().is_empty());
        facts.blocks = self.blocks.into_iter().map(|(_, text)| text.trim().to_owned()).collect();
        for text in [&mut facts.main_text, &mut facts.visible_text] {
            text.truncate(text.trim_end().len());
        }
        facts.measures = Measures::of(&facts.main_text);
        facts.headings.iter_mut().for_each(|heading| heading.text = collapse(&heading.text));
        facts.links.iter_mut().for_each(|link| link.text = collapse(&link.text));
        facts.microdata = self.microdata.finish();
        facts
    }
}
