//! One row of an audit: an address that was asked for, or that may not be asked for, with what joins need of it.
//! Rows can be written down and read again, so that an audit that was interrupted goes on.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::named::Named;
use super::{SharedContent, SpillPlace, UrlId};
use crate::checks::{CheckId, Evidence};
use crate::custom::CustomResults;
use crate::page::view::CheckedRows;
use crate::source::NoResponseCause;

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
    pub rows: Option<CheckedRows>,
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
    /// It was to be rendered, and no browser was free in time.
    pub missed_render: bool,
    /// A firewall gave the browser a challenge, or nothing, where the plain fetch got the page.
    pub is_render_challenged: bool,
    /// Newest year beside a copyright sign.
    pub copyright_year: Option<u16>,
    /// Headers of its answer; kept of the start page only.
    pub headers: Box<[(String, String)]>,
    /// Where it redirects to.
    pub redirect: Option<RowDestination>,
    /// Its effective canonical, when that is another page.
    pub canonical: Option<RowDestination>,
    /// How answers for Googlebot and for a person differ.
    pub agent_difference: Option<Box<str>>,
    /// Fingerprints of its texts.
    pub fingerprints: Fingerprints,
    /// Words of its main text.
    pub words: u32,
    /// Content type that its content belies.
    pub mismatched_type: Option<Box<str>>,
    /// What no join compares; none once it is in the file.
    pub details: Option<Box<Details>>,
    #[serde(skip)]
    pub kept_details: Option<SpillPlace>,
    /// What it names; none once it is in the file.
    pub named: Option<Box<Named>>,
    #[serde(skip)]
    pub kept_named: Option<SpillPlace>,
    /// Points for what a result or a shared link will look like, as far as the page alone decides.
    pub preview: crate::score::Preview,
    /// When it was asked for, in epoch milliseconds.
    pub crawled_at_ms: i64,
    /// From the request to the first byte, in milliseconds.
    pub ttfb_ms: u32,
    /// From navigation to readiness in the browser, in milliseconds.
    pub render_ms: u32,
    /// Requests beyond the first.
    pub retries: u32,
    /// Elements and addresses that are not kept, since the page has too many.
    pub left_out: u32,
}

/// What reports show of a row and no join compares.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Details {
    /// What was found.
    pub findings: Vec<(CheckId, Evidence)>,
    /// Findings of the answer that the snapshot does not have; none: crawlers get no snapshot of the page.
    pub solved: Option<Vec<(CheckId, Evidence)>>,
    /// What reports show.
    pub fields: Fields,
    /// What scripts changed of it.
    pub differences: Vec<Difference>,
    /// What extractions and searches found.
    pub found: CustomResults,
    /// Score of its preview, 0 to 100; known once rows are joined.
    pub preview: f64,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// It did not come in time.
    Timeout,
    /// No name, no connection, no encryption, or no HTTP.
    NoResponse(NoResponseCause),
}

/// Where a redirect or a canonical leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowDestination {
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

/// Fingerprints by which pages are compared; none for texts that are not compared.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Fingerprints {
    /// Of title and language.
    pub title: Option<NonZeroU64>,
    pub description: Option<NonZeroU64>,
    /// Of the first heading.
    pub h1: Option<NonZeroU64>,
    /// Of the main text.
    pub text: u128,
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
    pub title: String,
    /// Description.
    pub meta_desc: String,
    /// Effective canonical, absolute.
    pub canonical: String,
    /// Contents of all robots metas.
    pub meta_robots: String,
    /// First heading.
    pub h1: String,
    pub content_type: String,
    /// `Last-Modified` as it was sent.
    pub last_modified: String,
    /// Bytes of the document.
    pub html_bytes: u64,
    /// Headers of the answer that protect visitors, by name.
    pub security_headers: BTreeMap<String, String>,
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

impl Row {
    /// What no join compares, to be filled in.
    pub fn details(&mut self) -> &mut Details {
        self.details.get_or_insert_default()
    }

    /// What it names, to be filled in.
    pub fn named(&mut self) -> &mut Named {
        self.named.get_or_insert_default()
    }

    /// Whether it is an HTML page.
    pub fn is_page(&self) -> bool {
        self.rows.is_some()
    }

    /// Whether a search engine would index it under its own address.
    pub fn is_indexable(&self) -> bool {
        self.rows == Some(CheckedRows::Indexable)
    }

    /// Whether it names another page as canonical.
    pub fn is_canonicalised(&self) -> bool {
        self.canonical.is_some()
    }

    /// The page of the site that it names as canonical, when that is another one.
    pub fn canonical_id(&self) -> Option<UrlId> {
        match self.canonical {
            Some(RowDestination::Page(id)) => Some(id),
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

    /// Gives every address that it holds another number.
    pub(super) fn renumber(&mut self, number: impl Fn(UrlId) -> UrlId) {
        self.id = number(self.id);
        for place in [&mut self.redirect, &mut self.canonical].into_iter().flatten() {
            if let RowDestination::Page(id) = place {
                *id = number(*id);
            }
        }
    }

    /// By what pages that share something are grouped.
    pub(super) fn share_key(&self, shared: SharedContent) -> Option<u64> {
        match shared {
            SharedContent::Title => self.fingerprints.title.map(NonZeroU64::get),
            SharedContent::Description => self.fingerprints.description.map(NonZeroU64::get),
            SharedContent::H1 => self.fingerprints.h1.map(NonZeroU64::get),
            SharedContent::Text => (self.words >= 50).then_some(self.fingerprints.text as u64),
            SharedContent::SlashVariant | SharedContent::ParameterVariant => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_small() {
        assert!(size_of::<Row>() <= 256, "{} bytes", size_of::<Row>());
    }
}
