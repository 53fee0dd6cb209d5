//! Which elements facts are taken from, by name. Used by the collector. Pure.

use super::names::Name;

/// What the collector does with elements of a name.
pub enum Role {
    /// Nothing special.
    Other,
    Meta,
    LinkElement,
    Base,
    Link {
        /// It is an `area`.
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

impl Role {
    /// What is done with elements of a name.
    pub fn of(name: Name) -> Role {
        macro_rules! named {
            ($($text:literal)|+) => {{
                const NAMES: &[Name] = &[$(Name::of($text)),+];
                NAMES.contains(&name)
            }};
        }
        match () {
            () if named!("div" | "span") => Role::Other,
            () if named!("a") => Role::Link { is_area: false },
            () if named!("p" | "li" | "dd" | "td" | "blockquote") => Role::Block,
            () if named!("meta") => Role::Meta,
            () if named!("link") => Role::LinkElement,
            () if named!("img") => Role::Image,
            () if named!("h1") => Role::Heading(1),
            () if named!("h2") => Role::Heading(2),
            () if named!("h3") => Role::Heading(3),
            () if named!("h4") => Role::Heading(4),
            () if named!("h5") => Role::Heading(5),
            () if named!("h6") => Role::Heading(6),
            () if named!("base") => Role::Base,
            () if named!("area") => Role::Link { is_area: true },
            () if named!("picture") => Role::Picture,
            () if named!("iframe") => Role::Frame,
            () if named!("form") => Role::Form,
            () if named!("source") => Role::Source,
            () if named!("video" | "audio" | "embed") => Role::Media,
            () if named!("object") => Role::Object,
            () => Role::Other,
        }
    }
}
