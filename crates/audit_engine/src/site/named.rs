//! Addresses and texts that a page names: links, pictures, versions, parts. They are many, so they are stored in a
//! file between the page's own checks and the joins, which read them row by row. See docs/decisions/0245.

use std::ops::Deref;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Row, UrlId};
use crate::page::ResourceKind;
use crate::page::sketch::Sketch;

/// Addresses and texts that a page names.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Named {
    /// Fingerprint of its main text's pieces. The first field, so that it can be had alone.
    pub sketch: Option<Box<Sketch>>,
    /// Links to other pages of the site.
    pub links: Vec<RowLink>,
    /// Links to other hosts; `to` is a text.
    pub external_links: Vec<RowLink>,
    /// Pages of the site that it names otherwise than by a link.
    pub references: Vec<UrlId>,
    /// Links to parts of pages, except those to an existing part of the page itself.
    pub fragments: Vec<(UrlId, String)>,
    /// Hashes of its ids and anchor names, sorted.
    pub anchors: Vec<u64>,
    /// True when the page may have more anchors than were read.
    pub anchors_are_cut: bool,
    /// Language versions.
    pub alternates: Vec<RowAlternate>,
    /// Pictures: address, which is a text of the site, and alternative text.
    pub images: Vec<(UrlId, Option<WordSpan>)>,
    /// First preview picture: a text.
    pub preview_image: Option<UrlId>,
    /// Scripts, style sheets, further pictures and media that it loads: texts.
    pub resources: Vec<(UrlId, ResourceKind)>,
    /// Scripts and style sheets of the site that Googlebot may not fetch.
    pub blocked_resources: Vec<String>,
    /// Anchor and alt texts, concatenated. Not interned, since texts rarely repeat.
    words: String,
}

/// Position of one element's text in a page's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordSpan {
    start: u32,
    length: u32,
}

/// A link to another page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowLink {
    /// Target.
    pub to: UrlId,
    pub text: WordSpan,
    pub is_nofollow: bool,
    pub is_ugc: bool,
    pub is_sponsored: bool,
}

/// One hreflang entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RowAlternate {
    /// Value of the attribute.
    pub lang: Box<str>,
    /// The page of the site that it names.
    pub to: Option<UrlId>,
    /// Address, when it is on another host or invalid.
    pub elsewhere: Option<Box<str>>,
}

/// A row among all rows, with the addresses and texts that it names.
pub struct NamedRow<'a> {
    pub row: &'a Row,
    /// Addresses and texts that the row names.
    pub named: Named,
}

impl Deref for NamedRow<'_> {
    type Target = Row;

    fn deref(&self) -> &Row {
        self.row
    }
}

/// Returns the hash that identifies an element that fragments can name.
pub fn anchor_hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// Returns the hashes by which a fragment is looked for: as it is written, then decoded (HTML standard, 7.4.6.4).
pub fn part_hashes(fragment: &str) -> [u64; 2] {
    let decoded = percent_decode_str(fragment).decode_utf8_lossy();
    [anchor_hash(fragment), anchor_hash(&decoded)]
}

impl RowLink {
    /// Returns the meaning of `rel` for search engines, in one text.
    pub fn rel(self) -> &'static str {
        match (self.is_nofollow, self.is_ugc, self.is_sponsored) {
            (false, false, false) => "",
            (true, false, false) => "nofollow",
            (false, true, false) => "ugc",
            (false, false, true) => "sponsored",
            (true, true, false) => "nofollow ugc",
            (true, false, true) => "nofollow sponsored",
            (false, true, true) => "ugc sponsored",
            (true, true, true) => "nofollow ugc sponsored",
        }
    }
}

impl Named {
    /// Keeps what an element says.
    pub fn say(&mut self, text: &str) -> WordSpan {
        let start = u32::try_from(self.words.len()).expect("a document has a few million bytes");
        self.words.push_str(text);
        WordSpan { start, length: text.len() as u32 }
    }

    /// Returns the text of an element.
    pub fn said(&self, words: WordSpan) -> &str {
        let start = words.start as usize;
        &self.words[start..start + words.length as usize]
    }

    /// Decides whether the page has an element that a fragment names, or may have one beyond the elements that were read.
    pub fn has_part(&self, hashes: [u64; 2]) -> bool {
        self.anchors_are_cut || hashes.iter().any(|hash| self.anchors.binary_search(hash).is_ok())
    }

    /// Gives every address that it holds another number.
    pub(super) fn renumber(&mut self, number: impl Fn(UrlId) -> UrlId) {
        self.links.iter_mut().for_each(|link| link.to = number(link.to));
        self.references.iter_mut().for_each(|id| *id = number(*id));
        self.fragments.iter_mut().for_each(|(id, _)| *id = number(*id));
        self.alternates.iter_mut().filter_map(|entry| entry.to.as_mut()).for_each(|id| *id = number(*id));
    }
}
