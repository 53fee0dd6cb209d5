//! Links, pictures and language versions of pages, and the files of a site. They are read page by page, because a large
//! site has millions.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Audit, PreviousPage};
use crate::page::ResourceKind;
use crate::site::{Named, Row, RowAlternate, RowLink, UrlId, WordSpan};

/// A link of the site. Equal links of a page are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = LinkRow)]
pub struct LinkEntry<'a> {
    /// Path of the page it stands on.
    #[schema(examples("/"))]
    pub from: Cow<'a, str>,
    /// Path on the site, or absolute address elsewhere.
    #[schema(examples("/pricing"))]
    pub to: Cow<'a, str>,
    /// Text of the link.
    pub anchor: String,
    /// Meaning of `rel` for search engines.
    pub rel: Cow<'a, str>,
    /// Status of its target, on another host as the audit's probe saw it; 0: no answer; null: not known.
    #[schema(required = true)]
    pub status: Option<u16>,
}

impl LinkEntry<'_> {
    /// Decides whether it leads to another host.
    pub fn is_external(&self) -> bool {
        !self.to.starts_with('/')
    }
}

/// A picture of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImageEntry<'a> {
    /// Absolute address.
    pub src: &'a str,
    /// Alternative text; none when the attribute is missing.
    pub alt: Option<String>,
}

/// A hreflang entry of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HreflangEntry<'a> {
    /// Value of the attribute.
    pub lang: Box<str>,
    /// Path and query of the version, or an absolute address on another host; "" when it is not an address.
    pub to: Cow<'a, str>,
    /// Status; 0: no response; none: not requested.
    pub status: Option<u16>,
}

/// Links, pictures and language versions of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageNames<'a> {
    pub links: Vec<LinkEntry<'a>>,
    pub images: Vec<ImageEntry<'a>>,
    pub hreflang: Vec<HreflangEntry<'a>>,
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

    /// Returns what every row from one on links to, shows and names as its versions, in the order of [`Audit::rows_from`].
    pub fn names_from(&self, first: usize) -> impl Iterator<Item = PageNames<'_>> {
        self.site
            .rows
            .iter()
            .skip(first)
            .map(|row| if row.is_page() { self.names(row) } else { PageNames::default() })
    }

    fn names(&self, row: &Row) -> PageNames<'_> {
        let named = self.site.named(row);
        let internal = named.links.iter().map(|link| self.link(row, &named, link, self.page(link.to)));
        let external = named.external_links.iter();
        let external = external.map(|link| self.link(row, &named, link, self.elsewhere(link.to)));
        let links = internal.chain(external).collect();
        let image = |(src, alt): &(UrlId, Option<WordSpan>)| ImageEntry {
            src: self.site.texts.key(*src),
            alt: alt.map(|alt| named.said(alt).to_owned()),
        };
        let images = named.images.iter().map(image).collect();
        let hreflang = |RowAlternate { lang, to, elsewhere }| {
            let (to, status) = match to.map(|id| self.page(id)) {
                Some((to, status)) => (to.into(), status),
                None => (String::from(elsewhere.unwrap_or_default()).into(), None),
            };
            HreflangEntry { lang, to, status }
        };
        PageNames { links, images, hreflang: named.alternates.into_iter().map(hreflang).collect() }
    }

    /// Returns every link to some of the rows, with the row, by the page that contains it.
    pub fn links_to(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, LinkEntry<'_>)> {
        self.site.pages().flat_map(move |row| {
            let named = self.site.named(row);
            let links = named.links.iter().filter_map(|link| {
                let place = self.site.rows.place(link.to).filter(|place| rows.contains(place))?;
                Some((place, self.link(row, &named, link, self.page(link.to))))
            });
            links.collect::<Vec<_>>()
        })
    }

    fn link<'a>(
        &'a self,
        row: &Row,
        named: &Named,
        link: &RowLink,
        (to, status): (&'a str, Option<u16>),
    ) -> LinkEntry<'a> {
        LinkEntry {
            from: self.site.urls.key(row.id).into(),
            to: to.into(),
            anchor: named.said(link.text).to_owned(),
            rel: link.rel().into(),
            status,
        }
    }

    /// Returns a page of the site with its status.
    fn page(&self, id: UrlId) -> (&str, Option<u16>) {
        (self.site.urls.key(id), self.status_of(id))
    }

    /// Returns an address of another host with its status.
    fn elsewhere(&self, id: UrlId) -> (&str, Option<u16>) {
        (self.site.texts.key(id), self.site.assets.get(&id).map(|asset| asset.status))
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
