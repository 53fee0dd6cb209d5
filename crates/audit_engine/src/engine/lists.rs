//! Lists of what pages name: links, pictures, language versions. Made one by one, because a large site has millions.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use serde::Serialize;

use super::{Audit, PreviousPage};
use crate::site::{Named, Row, RowAlternate, RowLink, UrlId, WordSpan};

/// One link of a page. Equal links of a page are one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkEntry<'a> {
    /// Path and query of the page.
    pub from: &'a str,
    /// Path and query of where it leads, or an absolute address on another host.
    pub to: &'a str,
    /// Its text.
    pub anchor: String,
    /// What its `rel` says to search engines.
    pub rel: &'static str,
    /// What is there; 0: no answer, forbidden, or not asked.
    pub status: u16,
    /// It leads to a page of the site.
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
    /// Its alternative text; none when the attribute is missing.
    pub alt: Option<String>,
}

/// One hreflang entry of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HreflangEntry<'a> {
    /// Path and query of the page.
    pub page: &'a str,
    /// Its value.
    pub lang: Cow<'a, str>,
    /// Path and query of the version, or an absolute address on another host; "" when it is no address.
    pub to: Cow<'a, str>,
    /// What is there; 0: no answer, forbidden, or not asked.
    pub status: u16,
}

impl Audit {
    /// What the next run wants to know of this one: pages that sitemaps date, by path and query.
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

    /// Every link of every page, by page.
    pub fn links(&self) -> impl Iterator<Item = LinkEntry<'_>> {
        self.site.pages().flat_map(move |row| {
            let named = self.site.named(row);
            let internal = named.links.iter().map(|link| self.link(row, &named, link, true));
            let external = named.external_links.iter().map(|link| self.link(row, &named, link, false));
            internal.chain(external).collect::<Vec<_>>()
        })
    }

    /// Every link to some of the rows, with the row, by the page that it stands on.
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
            status: if is_internal { self.status_of(link.to) } else { 0 },
            is_internal,
        }
    }

    /// Every picture of every page, by page.
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

    /// Every hreflang entry of every page, by page.
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
                status: to.map_or(0, |id| self.status_of(id)),
            })
        })
    }

    fn status_of(&self, id: UrlId) -> u16 {
        self.site.row(id).map_or(0, |row| row.status)
    }
}
