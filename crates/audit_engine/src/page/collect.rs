//! Turns elements and texts into facts. Used by `scan`, which knows their position.
//! Holds the open link, heading, block and microdata item.

use super::attributes::{has_token, is_filled};
use super::caps::{MAX_DECLARATIONS, MAX_ELEMENTS, MAX_JSON_LD_BYTES, keep};
use super::declarations::{keep_candidates, keep_resource, read_link_element, read_meta, refresh_in};
use super::facts::{Heading, Image, Link, PageFacts, ResourceKind};
use super::measures::Measures;
use super::microdata::Microdata;
use super::names::{Attr, Kinds, Name};
use super::open_elements::{ElementFlags, Ends, Marks, OpenElements};
use super::roles::ElementRole;
use super::text::{Collapsed, collapse, push_collapsed, push_space};
use super::texts::Texts;
use super::tokens::Tag;

const CHROME_ROLES: &[&str] = &["navigation", "banner", "contentinfo", "complementary"];
const APP_ROOTS: &[&str] = &["root", "app", "__next", "__nuxt", "___gatsby"];
const LABELS: &[Attr] = &[Attr::AriaLabel, Attr::AriaLabelledby, Attr::Title];

/// Use of the text of an element whose content is text only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawText {
    /// Nothing.
    Ignored,
    Title,
    /// Markup for browsers without scripts.
    Noscript,
    /// A data block in JSON-LD.
    JsonLd,
    /// Another data block in JSON.
    JsonState,
    /// A script, which may be one that carries state.
    Script,
}

/// Facts collected so far, and the open elements.
#[derive(Default)]
pub struct Collector {
    /// The facts so far.
    pub facts: PageFacts,
    microdata: Microdata,
    in_link: bool,
    in_heading: bool,
    texts: Texts,
    json_ld_bytes: usize,
}

impl Collector {
    /// Makes a collector for a document of this size.
    pub fn for_document(bytes: usize) -> Collector {
        Collector { texts: Texts::for_document(bytes), ..Collector::default() }
    }

    /// Collects the `html` element; a second one only adds missing values.
    pub fn html(&mut self, tag: &Tag) {
        if self.facts.elements == 0 {
            self.facts.elements = 1;
        }
        if self.facts.lang.is_none() {
            self.facts.lang = tag.attr(Attr::Lang).map(str::to_owned);
        }
        self.root_item(tag);
    }

    /// Starts an item of `html` or `body`. It ends with the document: see [`Microdata::finish`].
    pub fn root_item(&mut self, tag: &Tag) {
        self.facts.has_rdfa |= is_filled(tag.attr(Attr::Typeof));
        if tag.has(Attr::Itemscope) {
            self.microdata.element(tag);
        }
    }

    /// Separates words at a tag that is not inline.
    pub fn separate(&mut self, kinds: Kinds) {
        if kinds.contain(Kinds::INLINE) {
            return;
        }
        self.texts.separate();
        if self.in_heading {
            self.facts.headings.last_mut().into_iter().for_each(|heading| push_space(&mut heading.text));
        }
        if self.in_link {
            self.facts.links.last_mut().into_iter().for_each(|link| push_space(&mut link.text));
        }
    }

    /// Decides the use of an element's text.
    pub fn raw_text_of(&mut self, tag: &Tag, kinds: Kinds) -> Option<RawText> {
        const TITLE: Name = Name::of("title");
        const NOSCRIPT: Name = Name::of("noscript");
        if kinds.contain(Kinds::SCRIPT) {
            return Some(self.script(tag));
        }
        match tag.name {
            TITLE => Some(RawText::Title),
            NOSCRIPT => Some(RawText::Noscript),
            _ => None,
        }
    }

    fn script(&mut self, tag: &Tag) -> RawText {
        let kind = tag.attr(Attr::Type).unwrap_or_default().trim().to_ascii_lowercase();
        let is_data = !matches!(kind.as_str(), "" | "module")
            && !kind.ends_with("javascript")
            && !kind.ends_with("ecmascript");
        match kind.split(';').next().unwrap_or_default().trim_end() {
            "application/ld+json" => return RawText::JsonLd,
            "application/json" => return RawText::JsonState,
            _ => {}
        }
        if is_data {
            return RawText::Ignored;
        }
        self.facts.has_script = true;
        if let Some(src) = tag.attr(Attr::Src) {
            keep_resource(&mut self.facts, ResourceKind::Script, Some(src));
        }
        RawText::Script
    }

    /// Collects the text of an element whose content is text only.
    pub fn raw_text(&mut self, raw: RawText, text: &str, in_head: bool) {
        match raw {
            RawText::Ignored => {}
            RawText::Title => {
                let titles = self.facts.titles.of(in_head);
                keep(titles, collapse(text), MAX_DECLARATIONS, &mut self.facts.left_out);
            }
            RawText::Noscript => {
                self.facts.refresh = self.facts.refresh.take().or_else(|| refresh_in(text));
            }
            RawText::JsonLd if text.trim().is_empty() => {}
            RawText::JsonLd => {
                self.facts.has_json_ld = true;
                self.json_ld_bytes += text.len();
                if self.json_ld_bytes <= MAX_JSON_LD_BYTES {
                    self.facts.json_ld.push(text.to_owned());
                } else {
                    self.facts.left_out += 1;
                }
            }
            RawText::JsonState => self.facts.state_bytes += text.len(),
            RawText::Script => {
                let start = text.trim_start();
                if start.starts_with("window.__") || start.starts_with("self.__") {
                    self.facts.state_bytes += text.len();
                }
            }
        }
    }

    /// Collects an element of svg or math.
    pub fn foreign_element(&mut self, tag: &Tag) -> Marks {
        self.id(tag.attr(Attr::Id));
        self.label(tag);
        Marks { flags: ElementFlags::FOREIGN | ElementFlags::HIDDEN, ends: Ends::default() }
    }

    /// Collects an element of HTML; the flags say whether it is in head, and whether it is past the first bytes.
    pub fn element(
        &mut self,
        tag: &Tag,
        kinds: Kinds,
        (in_head, is_late): (bool, bool),
        open: &OpenElements,
    ) -> Marks {
        let mut marks = self.structure(tag, kinds, open);
        self.label(tag);
        match ElementRole::of(tag.name) {
            ElementRole::Other => {}
            ElementRole::Meta => read_meta(&mut self.facts, tag, in_head, is_late),
            ElementRole::LinkElement => read_link_element(&mut self.facts, tag, in_head),
            ElementRole::Base if self.facts.base.is_none() => {
                self.facts.base = tag.attr(Attr::Href).map(str::to_owned);
            }
            ElementRole::Base => {}
            ElementRole::Link { is_area } => marks.ends.link = self.link(tag, is_area),
            ElementRole::Image => self.image(tag),
            ElementRole::Picture => marks.ends.picture = true,
            ElementRole::Heading(level) => {
                let heading = Heading { level, text: String::new() };
                let headings = &mut self.facts.headings;
                self.in_heading = keep(headings, heading, MAX_ELEMENTS, &mut self.facts.left_out);
                marks.ends.heading = self.in_heading;
            }
            ElementRole::Frame => {
                let in_main = !(open.flags() | marks.flags).contains(ElementFlags::CHROME);
                if let Some(src) = tag.attr(Attr::Src) {
                    let frame = (src.to_owned(), in_main);
                    keep(&mut self.facts.frames, frame, MAX_ELEMENTS, &mut self.facts.left_out);
                }
            }
            ElementRole::Form => {
                if let Some(action) = tag.attr(Attr::Action) {
                    let actions = &mut self.facts.form_actions;
                    keep(actions, action.to_owned(), MAX_ELEMENTS, &mut self.facts.left_out);
                }
            }
            ElementRole::Source => {
                keep_resource(&mut self.facts, ResourceKind::Source, tag.attr(Attr::Src));
                keep_candidates(&mut self.facts, tag.attr(Attr::Srcset));
            }
            ElementRole::Media => {
                keep_resource(&mut self.facts, ResourceKind::Media, tag.attr(Attr::Src));
                keep_resource(&mut self.facts, ResourceKind::Candidate, tag.attr(Attr::Poster));
            }
            ElementRole::Object => keep_resource(&mut self.facts, ResourceKind::Media, tag.attr(Attr::Data)),
            ElementRole::Block => {
                let flags = open.flags() | marks.flags;
                if !flags.contains(ElementFlags::CHROME) && !flags.contains(ElementFlags::HIDDEN) {
                    self.texts.open_block(flags.contains(ElementFlags::MAIN));
                    marks.ends.block = true;
                }
            }
        }
        marks
    }

    /// Collects the structural properties of any element: hidden, part of the frame around the content, root, item.
    fn structure(&mut self, tag: &Tag, kinds: Kinds, open: &OpenElements) -> Marks {
        const TEMPLATE: Name = Name::of("template");
        const MAIN: Name = Name::of("main");
        const HEADER: Name = Name::of("header");
        const CHROME: &[Name] = &[Name::of("nav"), Name::of("footer"), Name::of("aside")];
        const APP_ROOT: Name = Name::of("app-root");
        const BODY: Name = Name::of("body");
        let is_main_element = tag.name == MAIN;
        let role = tag.attr(Attr::Role).unwrap_or_default().trim();
        let mut flags = ElementFlags::NONE;
        // A shadow root is written as a template, and is none: a reader sees what is in it.
        if tag.name == TEMPLATE {
            match tag.attr(Attr::ShadowRootMode).map(str::to_ascii_lowercase).as_deref() {
                Some("open") => {}
                Some("closed") => flags = flags | ElementFlags::CLOSED,
                _ => flags = flags | ElementFlags::TEMPLATE | ElementFlags::HIDDEN,
            }
        } else if tag.has(Attr::Hidden) || is_hidden_from_readers(tag) || kinds.contain(Kinds::UNSEEN) {
            flags = flags | ElementFlags::HIDDEN;
        }
        let is_chrome = CHROME.contains(&tag.name) || tag.name == HEADER && open.parent() == BODY;
        if is_chrome || CHROME_ROLES.iter().any(|chrome| role.eq_ignore_ascii_case(chrome)) {
            flags = flags | ElementFlags::CHROME;
        }
        if is_main_element || role.eq_ignore_ascii_case("main") {
            self.texts.mains += 1;
            flags = flags | ElementFlags::MAIN;
        }
        let id = tag.attr(Attr::Id);
        self.id(id.filter(|id| !id.is_empty()));
        self.facts.has_rdfa |= is_filled(tag.attr(Attr::Typeof));
        let (item, property) = if tag.is_bare() { (false, false) } else { self.microdata.element(tag) };
        let ends = Ends {
            app_root: tag.name == APP_ROOT
                || id.is_some_and(|id| APP_ROOTS.contains(&id))
                || tag.has(Attr::DataReactroot),
            item,
            property,
            text_start: self.texts.visible.len(),
            images: self.facts.images.len(),
            ..Ends::default()
        };
        Marks { flags, ends }
    }

    /// Records that an element labels the open link, unless assistive technology ignores that element.
    fn label(&mut self, tag: &Tag) {
        let names = || {
            let role = tag.attr(Attr::Role);
            let is_told =
                !is_hidden_from_readers(tag) && !has_token(role, "presentation") && !has_token(role, "none");
            is_told && is_labelled(tag)
        };
        if self.in_link && !tag.is_bare() && names() {
            self.facts.links.last_mut().into_iter().for_each(|link| link.has_label = true);
        }
    }

    fn id(&mut self, id: Option<&str>) {
        if let Some(id) = id {
            keep(&mut self.facts.ids, id.to_owned(), MAX_ELEMENTS, &mut self.facts.left_out);
        }
    }

    fn link(&mut self, tag: &Tag, is_area: bool) -> bool {
        let rel = tag.attr(Attr::Rel);
        let link = Link {
            href: tag.attr(Attr::Href).map(str::to_owned),
            text: if is_area { collapse(tag.attr(Attr::Alt).unwrap_or_default()) } else { String::new() },
            has_label: is_labelled(tag),
            is_nofollow: has_token(rel, "nofollow"),
            is_ugc: has_token(rel, "ugc"),
            is_sponsored: has_token(rel, "sponsored"),
            is_button: has_token(tag.attr(Attr::Role), "button"),
            has_onclick: tag.attr(Attr::Onclick).is_some(),
        };
        let is_kept = keep(&mut self.facts.links, link, MAX_ELEMENTS, &mut self.facts.left_out);
        if is_area {
            return false;
        }
        if let Some(name) = tag.attr(Attr::Name) {
            keep(&mut self.facts.anchor_names, name.to_owned(), MAX_ELEMENTS, &mut self.facts.left_out);
        }
        self.in_link = is_kept;
        true
    }

    fn image(&mut self, tag: &Tag) {
        let alt = tag.attr(Attr::Alt).map(collapse);
        if let Some(alt) = &alt {
            if self.in_link {
                self.facts.links.last_mut().into_iter().for_each(|link| push_collapsed(&mut link.text, alt));
            }
            if self.in_heading {
                let heading = self.facts.headings.last_mut();
                heading.into_iter().for_each(|heading| push_collapsed(&mut heading.text, alt));
            }
        }
        let role = tag.attr(Attr::Role).unwrap_or_default();
        let is_hidden = is_hidden_from_readers(tag);
        let style = tag.attr(Attr::Style).unwrap_or_default();
        let is_sized = style.contains("aspect-ratio") || style.contains("width") && style.contains("height");
        let image = Image {
            src: tag.attr(Attr::Src).unwrap_or_default().to_owned(),
            alt,
            needs_no_alt: is_labelled(tag)
                || is_hidden
                || has_token(Some(role), "presentation")
                || has_token(Some(role), "none"),
            has_dimensions: is_sized || tag.attr(Attr::Width).is_some() && tag.attr(Attr::Height).is_some(),
        };
        keep(&mut self.facts.images, image, MAX_ELEMENTS, &mut self.facts.left_out);
        keep_candidates(&mut self.facts, tag.attr(Attr::Srcset));
    }

    /// Collects text of an element that may hold elements too.
    pub fn text(&mut self, text: &str, flags: ElementFlags) {
        let is_heading = self.in_heading && !flags.contains(ElementFlags::FOREIGN);
        let is_hidden = flags.contains(ElementFlags::HIDDEN);
        if is_hidden && !is_heading && !self.in_link {
            return;
        }
        let text = Collapsed::of(text);
        if is_heading {
            self.facts.headings.last_mut().into_iter().for_each(|heading| text.push_to(&mut heading.text));
        }
        if self.in_link {
            self.facts.links.last_mut().into_iter().for_each(|link| text.push_to(&mut link.text));
        }
        if !is_hidden {
            self.texts.add(&text, flags);
        }
    }

    /// Ends an element.
    pub fn closed(&mut self, ends: Ends) {
        self.in_link &= !ends.link;
        self.in_heading &= !ends.heading;
        if ends.block {
            self.texts.close_block();
        }
        if ends.picture && ends.images == self.facts.images.len() {
            self.facts.pictures_without_img += 1;
        }
        if ends.app_root {
            let words = self.texts.words_since(ends.text_start);
            let fewest = self.facts.app_root_words.map_or(words, |fewest| fewest.min(words));
            self.facts.app_root_words = Some(fewest);
        }
        if ends.property {
            self.microdata.end_property(self.texts.since(ends.text_start));
        }
        if ends.item {
            self.microdata.end_item();
        }
    }

    /// Returns the facts, at the end of the document.
    pub fn finish(self) -> PageFacts {
        let mut facts = self.facts;
        facts.closed_words = self.texts.closed_words;
        facts.left_out += self.texts.left_out + self.microdata.left_out();
        (facts.visible_text, facts.main_text, facts.blocks) = self.texts.finish();
        facts.measures = Measures::of(&facts.main_text);
        facts.headings.iter_mut().for_each(|heading| heading.text.truncate(heading.text.trim_end().len()));
        facts.links.iter_mut().for_each(|link| link.text.truncate(link.text.trim_end().len()));
        facts.microdata = self.microdata.finish();
        facts
    }
}

fn is_labelled(tag: &Tag) -> bool {
    LABELS.iter().any(|name| is_filled(tag.attr(*name)))
}

fn is_hidden_from_readers(tag: &Tag) -> bool {
    tag.attr(Attr::AriaHidden).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}
