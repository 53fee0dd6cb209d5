//! One row of an audit: an address that was asked for, or that may not be asked for, with what joins need of it.
//! Rows can be written down and read again, so that an audit that was interrupted goes on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Shared, UrlId};
use crate::checks::{CheckId, Evidence};
use crate::custom::Found;
use crate::page::sketch::Sketch;
use crate::page::view::Rows;

/// One address with what is known of it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// The address.
    pub id: UrlId,
    /// Its own status; 0: no answer, or forbidden.
    pub status: u16,
    /// Why there is no answer.
    pub failure: Option<Failure>,
    /// The server asked to come back later.
    pub is_rate_limited: bool,
    /// What kind of page it is; none when it is no page.
    pub rows: Option<Rows>,
    /// Search engines are told to leave it out.
    pub is_noindex: bool,
    /// Its links are not to be followed.
    pub is_nofollow: bool,
    /// robots.txt forbids it to Googlebot or to the audit.
    pub is_blocked: bool,
    /// The crawl began here.
    pub is_seed: bool,
    /// A meta sets a content security policy.
    pub has_csp_meta: bool,
    /// It names an icon.
    pub has_icon: bool,
    /// It was rendered.
    pub is_rendered: bool,
    /// Scripts change it in a way that matters.
    pub is_changed_by_scripts: bool,
    /// A firewall gave the browser a challenge, or nothing, where the plain fetch got the page.
    pub is_render_challenged: bool,
    /// Newest year beside a copyright sign.
    pub copyright_year: Option<u16>,
    /// Headers of its answer; kept of the start page only.
    pub headers: Vec<(String, String)>,
    /// Where it redirects to.
    pub redirect: Option<Place>,
    /// Its effective canonical, when that is another page.
    pub canonical: Option<Place>,
    /// Its links to other pages of the site.
    pub links: Vec<RowLink>,
    /// Its links to other hosts; `to` is a text.
    pub external_links: Vec<RowLink>,
    /// Pages of the site that it names otherwise than by a link.
    pub references: Vec<UrlId>,
    /// Its links to parts of pages.
    pub fragments: Vec<(UrlId, String)>,
    /// Hashes of its ids and anchor names, sorted.
    pub anchors: Vec<u64>,
    /// Its language versions.
    pub alternates: Vec<Alternate>,
    /// Its pictures: address and alternative text, both texts.
    pub images: Vec<(UrlId, Option<UrlId>)>,
    /// Its first preview picture: a text.
    pub preview_image: Option<UrlId>,
    /// Scripts and style sheets of the site that its render loads: texts.
    pub resources: Vec<UrlId>,
    /// How answers for Googlebot and for a person differ.
    pub agent_difference: Option<String>,
    /// Fingerprints of its texts.
    pub fingerprints: Fingerprints,
    /// Words of its main text.
    pub words: usize,
    /// Content type that its content belies.
    pub mismatched_type: Option<Box<str>>,
    /// Scripts and style sheets of the site that Googlebot may not fetch.
    pub blocked_resources: Vec<String>,
    /// What no join compares; none once it is kept elsewhere.
    pub details: Option<Box<Details>>,
    /// Where it is kept.
    #[serde(skip)]
    pub kept: Option<Kept>,
    /// Points for what a result or a shared link will look like, as far as the page alone decides.
    pub preview: crate::score::Preview,
    /// When it was asked for, in epoch milliseconds.
    pub crawled_at_ms: i64,
    /// From the request to the first byte, in milliseconds.
    pub ttfb_ms: u64,
    /// From navigation to readiness in the browser, in milliseconds.
    pub render_ms: u64,
    /// Requests beyond the first.
    pub retries: u32,
}

/// What reports show of a row and no join compares.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Details {
    /// What was found.
    pub findings: Vec<(CheckId, Evidence)>,
    /// What reports show.
    pub fields: Fields,
    /// What scripts changed of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// What extractions and searches found.
    #[serde(default, skip_serializing_if = "Found::is_empty")]
    pub found: Found,
}

/// Where the details of a row are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub length: u32,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// It did not come in time.
    Timeout,
    /// No name, no connection, no encryption, or no HTTP.
    NoResponse,
}

/// Where a redirect or a canonical leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// To a page of the site.
    Page(UrlId),
    /// To another host.
    Elsewhere {
        /// Its address.
        url: Box<str>,
        /// It is on the site's registrable domain.
        is_same_domain: bool,
    },
}

/// A link to another page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowLink {
    /// Where it leads.
    pub to: UrlId,
    /// Its text: a number of the site's texts.
    pub text: UrlId,
    /// It has nofollow.
    pub is_nofollow: bool,
    /// It has ugc.
    pub is_ugc: bool,
    /// It has sponsored.
    pub is_sponsored: bool,
}

/// One hreflang entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Alternate {
    /// Its value.
    pub lang: Box<str>,
    /// The page of the site that it names.
    pub to: Option<UrlId>,
    /// Its address, when that is on another host or none.
    pub elsewhere: Option<Box<str>>,
}

/// Fingerprints by which pages are compared; none for texts that are not compared.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Fingerprints {
    /// Of title and language.
    pub title: Option<u64>,
    /// Of the description.
    pub description: Option<u64>,
    /// Of the first heading.
    pub h1: Option<u64>,
    /// Of the main text.
    pub text: u128,
    /// Of the main text's pieces.
    pub sketch: Option<Box<Sketch>>,
}

/// What scripts changed of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Name of the field, as in the API.
    pub field: String,
    /// What the server sent.
    pub raw: String,
    /// What the browser made of it.
    pub rendered: String,
}

/// What reports show of a row.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fields {
    /// Milliseconds from the request to the last byte.
    pub load_time_ms: u64,
    /// Title.
    pub title: String,
    /// Description.
    pub meta_desc: String,
    /// Effective canonical, absolute.
    pub canonical: String,
    /// Contents of all robots metas.
    pub meta_robots: String,
    /// First heading.
    pub h1: String,
    /// Content type.
    pub content_type: String,
    /// `Last-Modified` as it was sent.
    pub last_modified: String,
    /// Bytes of the document.
    pub html_bytes: u64,
    /// First og:* and twitter:* meta of each name.
    pub social_tags: BTreeMap<String, String>,
    /// Content of the first viewport meta that has any.
    pub viewport: String,
    /// Encoding that the answer or the document declares.
    pub charset: String,
    /// Language that the document declares.
    pub lang: String,
    /// Visible text in hundredths of the document.
    pub text_ratio: f64,
    /// Reading ease; -1: not known.
    pub readability: f64,
    /// Link elements to the site.
    pub internal_outlinks: usize,
    /// Link elements to other hosts.
    pub external_outlinks: usize,
    /// Link elements with nofollow.
    pub nofollow_outlinks: usize,
}

impl RowLink {
    /// What its `rel` says to search engines, in one text.
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

impl Row {
    /// Gives back memory that its lists took to grow. There are as many rows as pages.
    pub fn shrink(&mut self) {
        self.links.shrink_to_fit();
        self.external_links.shrink_to_fit();
        self.references.shrink_to_fit();
        self.fragments.shrink_to_fit();
        self.anchors.shrink_to_fit();
        self.alternates.shrink_to_fit();
        self.images.shrink_to_fit();
    }

    /// What no join compares, to be filled in.
    pub fn details(&mut self) -> &mut Details {
        self.details.get_or_insert_default()
    }

    /// Whether it is an HTML page.
    pub fn is_page(&self) -> bool {
        self.rows.is_some()
    }

    /// Whether a search engine would index it under its own address.
    pub fn is_indexable(&self) -> bool {
        self.rows == Some(Rows::Indexable)
    }

    /// Whether it names another page as canonical.
    pub fn is_canonicalised(&self) -> bool {
        self.canonical.is_some()
    }

    /// The page of the site that it names as canonical, when that is another one.
    pub fn canonical_id(&self) -> Option<UrlId> {
        match self.canonical {
            Some(Place::Page(id)) => Some(id),
            _ => None,
        }
    }

    /// Whether links to it are broken.
    pub fn is_broken(&self) -> bool {
        let is_client_error =
            matches!(self.status, 400..=499) && !matches!(self.status, 401 | 403 | 407 | 429);
        is_client_error || self.is_server_error() || self.failure.is_some()
    }

    /// Whether it answers with an error, denied access included, or not at all.
    pub fn is_error(&self) -> bool {
        matches!(self.status, 400..=499) && self.status != 429
            || self.is_server_error()
            || self.failure.is_some()
    }

    fn is_server_error(&self) -> bool {
        matches!(self.status, 500..=599) && !self.is_rate_limited
    }

    /// Whether it has an element that a fragment names.
    pub fn has_anchor(&self, fragment: &str) -> bool {
        self.anchors.binary_search(&xxh3_64(fragment.as_bytes())).is_ok()
    }

    /// Gives every address that it names another number.
    pub(super) fn renumber(&mut self, number: impl Fn(UrlId) -> UrlId) {
        self.id = number(self.id);
        for place in [&mut self.redirect, &mut self.canonical].into_iter().flatten() {
            if let Place::Page(id) = place {
                *id = number(*id);
            }
        }
        self.links.iter_mut().for_each(|link| link.to = number(link.to));
        self.references.iter_mut().for_each(|id| *id = number(*id));
        self.fragments.iter_mut().for_each(|(id, _)| *id = number(*id));
        self.alternates.iter_mut().filter_map(|entry| entry.to.as_mut()).for_each(|id| *id = number(*id));
    }

    /// By what pages that share something are grouped.
    pub(super) fn share_key(&self, shared: Shared) -> Option<u128> {
        match shared {
            Shared::Title => self.fingerprints.title.map(u128::from),
            Shared::Description => self.fingerprints.description.map(u128::from),
            Shared::H1 => self.fingerprints.h1.map(u128::from),
            Shared::Text => (self.words >= 50).then_some(self.fingerprints.text),
            Shared::SlashVariant | Shared::ParameterVariant => None,
        }
    }
}
