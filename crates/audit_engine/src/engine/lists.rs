//! Lists of what pages name: links, pictures, language versions. Made one by one, because a large site has millions.

use std::collections::HashMap;

use serde::Serialize;

use super::{Audit, PreviousPage};
use crate::site::RowLink;

/// One link of a page. Equal links of a page are one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkEntry<'a> {
    /// Path and query of the page.
    pub from: &'a str,
    /// Path and query of where it leads, or an absolute address on another host.
    pub to: &'a str,
    /// Its text.
    pub anchor: &'a str,
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
    pub alt: Option<&'a str>,
}

/// One hreflang entry of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HreflangEntry<'a> {
    /// Path and query of the page.
    pub page: &'a str,
    /// Its value.
    pub lang: &'a str,
    /// Path and query of the version, or an absolute address on another host; "" when it is no address.
    pub to: &'a str,
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
            let entry = move |link: &RowLink, is_internal: bool| LinkEntry {
                from: self.site.urls.key(row.id),
                to: if is_internal { self.site.urls.key(link.to) } else { self.site.texts.key(link.to) },
                anchor: self.site.texts.key(link.text),
                rel: link.rel(),
                status: if is_internal { self.status_of(link.to) } else { 0 },
                is_internal,
            };
            let internal = row.links.iter().map(move |link| entry(link, true));
            internal.chain(row.external_links.iter().map(move |link| entry(link, false)))
        })
    }

    /// Every picture of every page, by page.
    pub fn images(&self) -> impl Iterator<Item = ImageEntry<'_>> {
        self.site.pages().flat_map(move |row| {
            row.images.iter().map(move |(src, alt)| ImageEntry {
                page: self.site.urls.key(row.id),
                src: self.site.texts.key(*src),
                alt: alt.map(|alt| self.site.texts.key(alt)),
            })
        })
    }

    /// Every hreflang entry of every page, by page.
    pub fn hreflang(&self) -> impl Iterator<Item = HreflangEntry<'_>> {
        self.site.pages().flat_map(move |row| {
            row.alternates.iter().map(move |entry| HreflangEntry {
                page: self.site.urls.key(row.id),
                lang: &entry.lang,
                to: match (entry.to, &entry.elsewhere) {
                    (Some(id), _) => self.site.urls.key(id),
                    (None, Some(url)) => url.as_ref(),
                    (None, None) => "",
                },
                status: entry.to.map_or(0, |id| self.status_of(id)),
            })
        })
    }

    fn status_of(&self, id: crate::site::UrlId) -> u16 {
        self.site.row(id).map_or(0, |row| row.status)
    }
}
