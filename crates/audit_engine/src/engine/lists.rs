//! Lists of links, pictures and language versions of all pages. Entries are made one by one, because a large site has
//! millions.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use serde::Serialize;

use super::{Audit, PreviousPage};
use crate::page::ResourceKind;
use crate::site::{Named, Row, RowAlternate, RowLink, UrlId, WordSpan};

/// One link of a page. Equal links of a page are one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkEntry<'a> {
    /// Path and query of the page.
    pub from: &'a str,
    /// Path and query of where it leads, or an absolute address on another host.
    pub to: &'a str,
    /// Text of the link.
    pub anchor: String,
    /// Meaning of `rel` for search engines.
    pub rel: &'static str,
    /// Status; 0: no response; none: not requested.
    pub status: Option<u16>,
    /// True for a link to a page of the site.
    pub is_internal: bool,
}

/// One picture of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageEntry<'a> {
    /// Path and query of the page.
    pub page: &'a str,
    /// Absolute address.
    pub src: &'a str,
    /// Alternative text; none when the attribute is missing.
    pub alt: Option<String>,
}

/// Kind of a resource for its pages; what says most comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ResourceType {
    Script,
    Stylesheet,
    Image,
    /// Sound, film, an embedded object.
    Media,
    /// Another file that a page links to.
    Document,
}

impl ResourceType {
    fn of(kind: ResourceKind, url: &str) -> ResourceType {
        match kind {
            ResourceKind::Script => ResourceType::Script,
            ResourceKind::Stylesheet => ResourceType::Stylesheet,
            ResourceKind::Candidate => ResourceType::Image,
            ResourceKind::Source | ResourceKind::Media | ResourceKind::Other => {
                let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
                let is_picture = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg"]
                    .iter()
                    .any(|end| path.ends_with(end));
                if is_picture { ResourceType::Image } else { ResourceType::Media }
            }
        }
    }

    fn of_media(media_type: &str) -> ResourceType {
        match media_type.split_once('/').unwrap_or((media_type, "")) {
            ("image", _) => ResourceType::Image,
            ("audio" | "video", _) => ResourceType::Media,
            (_, "css") => ResourceType::Stylesheet,
            (_, kind) if kind.ends_with("javascript") => ResourceType::Script,
            _ => ResourceType::Document,
        }
    }
}

/// A file that pages load or link to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResourceEntry<'a> {
    /// Absolute address.
    pub url: Cow<'a, str>,
    #[serde(rename = "type")]
    pub kind: ResourceType,
    /// Status; 0: no response; none: not requested.
    pub status: Option<u16>,
    /// Size in bytes, if that is known.
    pub bytes: Option<u64>,
}

/// One hreflang entry of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HreflangEntry<'a> {
    /// Path and query of the page.
    pub page: &'a str,
    /// Value of the attribute.
    pub lang: Cow<'a, str>,
    /// Path and query of the version, or an absolute address on another host; "" when it is no address.
    pub to: Cow<'a, str>,
    /// Status; 0: no response; none: not requested.
    pub status: Option<u16>,
}

impl Audit {
    /// Returns the data that the next run needs: pages that sitemaps date, by path and query.
    pub fn dated_pages(&self) -> HashMap<String, PreviousPage> {
        let entries = self.site.sitemaps.iter().flat_map(|file| &file.entries);
        let dated = entries.filter_map(|entry| {
            let row = self.site.row(entry.id?).filter(|row| row.is_page())?;
            let content_hash = format!("{:032x}", row.fingerprints.text);
            let page = PreviousPage { lastmod: Some(entry.lastmod?), content_hash };
            Some((self.site.urls.key(row.id).to_owned(), page))
        });
        dated.collect()
    }

    /// Returns every link of every page, by page.
    pub fn links(&self) -> impl Iterator<Item = LinkEntry<'_>> {
        self.site.pages().flat_map(move |row| {
            let named = self.site.named(row);
            let internal = named.links.iter().map(|link| self.link(row, &named, link, true));
            let external = named.external_links.iter().map(|link| self.link(row, &named, link, false));
            internal.chain(external).collect::<Vec<_>>()
        })
    }

    /// Returns every link to some of the rows, with the row, by the page that contains it.
    pub fn links_to(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, LinkEntry<'_>)> {
        self.site.pages().flat_map(move |row| {
            let named = self.site.named(row);
            let links = named.links.iter().filter_map(|link| {
                let place = self.site.rows.place(link.to).filter(|place| rows.contains(place))?;
                Some((place, self.link(row, &named, link, true)))
            });
            links.collect::<Vec<_>>()
        })
    }

    fn link(&self, row: &Row, named: &Named, link: &RowLink, is_internal: bool) -> LinkEntry<'_> {
        LinkEntry {
            from: self.site.urls.key(row.id),
            to: if is_internal { self.site.urls.key(link.to) } else { self.site.texts.key(link.to) },
            anchor: named.said(link.text).to_owned(),
            rel: link.rel(),
            status: if is_internal {
                self.status_of(link.to)
            } else {
                self.site.assets.get(&link.to).map(|asset| asset.status)
            },
            is_internal,
        }
    }

    /// Returns every picture of every page, by page.
    pub fn images(&self) -> impl Iterator<Item = ImageEntry<'_>> {
        self.site.pages().flat_map(move |row| {
            let named = self.site.named(row);
            let entry = |(src, alt): &(UrlId, Option<WordSpan>)| ImageEntry {
                page: self.site.urls.key(row.id),
                src: self.site.texts.key(*src),
                alt: alt.map(|alt| named.said(alt).to_owned()),
            };
            named.images.iter().map(entry).collect::<Vec<_>>()
        })
    }

    /// Returns every hreflang entry of every page, by page.
    pub fn hreflang(&self) -> impl Iterator<Item = HreflangEntry<'_>> {
        self.site.pages().flat_map(move |row| {
            let alternates = self.site.named(row).alternates.into_iter();
            alternates.map(move |RowAlternate { lang, to, elsewhere }| HreflangEntry {
                page: self.site.urls.key(row.id),
                lang: String::from(lang).into(),
                to: match (to, elsewhere) {
                    (Some(id), _) => self.site.urls.key(id).into(),
                    (None, elsewhere) => String::from(elsewhere.unwrap_or_default()).into(),
                },
                status: to.and_then(|id| self.status_of(id)),
            })
        })
    }

    /// Returns the status of an address of the site. Returns `None` for one that robots.txt forbids, which was not requested.
    fn status_of(&self, id: UrlId) -> Option<u16> {
        let answer = self.site.answer(id)?;
        (answer.status != 0 || answer.failure.is_some()).then_some(answer.status)
    }

    /// Returns every script, style sheet, picture, film and document of the site's pages, by address.
    pub fn resources(&self) -> Vec<ResourceEntry<'_>> {
        let mut kinds: Vec<Option<ResourceType>> = vec![None; self.site.texts.len()];
        let mut note = |id: UrlId, kind: ResourceType| {
            let before = &mut kinds[id.index()];
            *before = Some(before.map_or(kind, |before| before.min(kind)));
        };
        for row in self.site.pages() {
            let named = self.site.named(row);
            named.images.iter().for_each(|(id, _)| note(*id, ResourceType::Image));
            named.preview_image.iter().for_each(|id| note(*id, ResourceType::Image));
            for (id, kind) in &named.resources {
                note(*id, ResourceType::of(*kind, self.site.texts.key(*id)));
            }
        }
        let loaded = self.site.texts.from(0).zip(&kinds).filter_map(|((id, url), kind)| {
            let asset = self.site.assets.get(&id);
            let bytes = asset.filter(|asset| asset.status == 200).map(|asset| asset.bytes);
            Some(ResourceEntry {
                url: url.into(),
                kind: (*kind)?,
                status: asset.map(|asset| asset.status),
                bytes,
            })
        });
        // Own files that pages link to. Of one that is loaded too, the picture or script counts.
        let linked = self.files.iter().map(|file| ResourceEntry {
            url: self.site.url(self.site.number(file.id)).into(),
            kind: ResourceType::of_media(&file.content_type),
            status: Some(200),
            bytes: Some(file.bytes),
        });
        let mut resources: Vec<ResourceEntry<'_>> = loaded.chain(linked).collect();
        resources.sort_by(|one, other| one.url.cmp(&other.url));
        resources.dedup_by(|next, kept| next.url == kept.url);
        resources
    }
}
