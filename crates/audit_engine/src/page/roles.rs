//! Elements from which facts are taken, by name. Used by the collector. Pure.

use super::names::Name;

/// Role of an element for the collector.
pub enum ElementRole {
    /// Nothing special.
    Other,
    Meta,
    LinkElement,
    Base,
    Link {
        /// True for an `area`.
        is_area: bool,
    },
    /// `img`.
    Image,
    Picture,
    /// A heading of a level.
    Heading(u8),
    /// `iframe`.
    Frame,
    Form,
    /// A `source` of a picture, sound or film.
    Source,
    /// Sound, film, an embedded file.
    Media,
    Object,
    /// A paragraph and its like.
    Block,
}

impl ElementRole {
    pub fn of(name: Name) -> ElementRole {
        macro_rules! named {
            ($($text:literal)|+) => {{
                const NAMES: &[Name] = &[$(Name::of($text)),+];
                NAMES.contains(&name)
            }};
        }
        match () {
            () if named!("div" | "span") => ElementRole::Other,
            () if named!("a") => ElementRole::Link { is_area: false },
            () if named!("p" | "li" | "dd" | "td" | "blockquote") => ElementRole::Block,
            () if named!("meta") => ElementRole::Meta,
            () if named!("link") => ElementRole::LinkElement,
            () if named!("img") => ElementRole::Image,
            () if named!("h1") => ElementRole::Heading(1),
            () if named!("h2") => ElementRole::Heading(2),
            () if named!("h3") => ElementRole::Heading(3),
            () if named!("h4") => ElementRole::Heading(4),
            () if named!("h5") => ElementRole::Heading(5),
            () if named!("h6") => ElementRole::Heading(6),
            () if named!("base") => ElementRole::Base,
            () if named!("area") => ElementRole::Link { is_area: true },
            () if named!("picture") => ElementRole::Picture,
            () if named!("iframe") => ElementRole::Frame,
            () if named!("form") => ElementRole::Form,
            () if named!("source") => ElementRole::Source,
            () if named!("video" | "audio" | "embed") => ElementRole::Media,
            () if named!("object") => ElementRole::Object,
            () => ElementRole::Other,
        }
    }
}
