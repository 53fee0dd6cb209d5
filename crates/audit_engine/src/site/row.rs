//! One row of an audit: a requested or forbidden address, with the values that joins need.
//! Rows can be written to a journal and read again, so that an interrupted audit continues.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::named::Named;
use super::{SharedContent, SpillOffset, UrlId};
use crate::checks::{CheckId, Evidence};
use crate::custom::CustomResults;
use crate::page::view::CheckedRows;
use crate::source::NoResponseCause;

/// One address with its facts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// The address.
    pub id: UrlId,
    /// Status of this address; 0: no response, or forbidden.
    pub status: u16,
    /// Reason why there is no response.
    pub failure: Option<Failure>,
    /// The server asked to come back later.
    pub is_rate_limited: bool,
    /// Kind of page; none when it is not a page.
    pub rows: Option<CheckedRows>,
    /// Search engines are told to leave it out.
    pub is_noindex: bool,
    /// True when its links are not to be followed.
    pub is_nofollow: bool,
    /// robots.txt forbids it to Googlebot or to the audit.
    pub is_blocked: bool,
    /// The crawl began here.
    pub is_seed: bool,
    /// A meta sets a content security policy.
    pub has_csp_meta: bool,
    /// True when the page names an icon.
    pub has_icon: bool,
    /// True for a rendered page.
    pub is_rendered: bool,
    /// Scripts change it in a way that matters.
    pub is_changed_by_scripts: bool,
    /// True when the page should have been rendered and no browser was free in time.
    pub missed_render: bool,
    /// A firewall gave the browser a challenge, or nothing, where the plain fetch got the page.
    pub is_render_challenged: bool,
    /// Newest year beside a copyright sign.
    pub copyright_year: Option<u16>,
    /// Headers of its answer; kept of the start page only.
    pub headers: Box<[(String, String)]>,
    /// Target of the redirect.
    pub redirect: Option<RowDestination>,
    /// Effective canonical, when it is another page.
    pub canonical: Option<RowDestination>,
    /// Difference between the responses for Googlebot and for a person.
    pub agent_difference: Option<Box<str>>,
    /// Fingerprints of its texts.
    pub fingerprints: Fingerprints,
    /// Words of its main text.
    pub words: u32,
    /// Content type that its content belies.
    pub mismatched_type: Option<Box<str>>,
    /// Values that no join compares; none once they are in the file.
    pub details: Option<Box<Details>>,
    #[serde(skip)]
    pub kept_details: Option<SpillOffset>,
    /// Addresses and texts that the page names; none once they are in the file.
    pub named: Option<Box<Named>>,
    #[serde(skip)]
    pub kept_named: Option<SpillOffset>,
    /// Points for a search result or a shared link, as far as the page alone decides.
    pub preview: crate::score::Preview,
    /// Time of the request, in epoch milliseconds.
    pub crawled_at_ms: i64,
    /// Time from the request to the first byte, in milliseconds.
    pub ttfb_ms: u32,
    /// Time from navigation to readiness in the browser, in milliseconds.
    pub render_ms: u32,
    /// Requests beyond the first.
    pub retries: u32,
    /// Elements and addresses that are not kept, since the page has too many.
    pub left_out: u32,
}

/// Values of a row for reports, which no join compares.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Details {
    pub findings: Vec<(CheckId, Evidence)>,
    /// Findings of the answer that the snapshot does not have; none: crawlers get no snapshot of the page.
    pub solved: Option<Vec<(CheckId, Evidence)>>,
    /// Fields for reports.
    pub fields: PageFields,
    /// Headers of the answer that protect visitors, by name.
    pub security_headers: BTreeMap<String, String>,
    /// Language that the document declares.
    pub lang: String,
    /// Changes by scripts.
    pub differences: Vec<Difference>,
    /// Results of extractions and searches.
    pub found: CustomResults,
    /// Score of its preview, 0 to 100; known once rows are joined.
    pub preview: f64,
}

/// Reason why there is no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// It did not come in time.
    Timeout,
    /// No name, no connection, no encryption, or no HTTP.
    NoResponse(NoResponseCause),
}

/// Target of a redirect or a canonical.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowDestination {
    /// To a page of the site.
    Page(UrlId),
    /// To another host.
    Elsewhere {
        /// Address of the target.
        url: Box<str>,
        /// True for an address on the site's registrable domain.
        is_same_domain: bool,
    },
}

/// Fingerprints by which pages are compared; none for texts that are not compared.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Fingerprints {
    /// Hash of title and language.
    pub title: Option<NonZeroU64>,
    pub description: Option<NonZeroU64>,
    /// Hash of the first heading.
    pub h1: Option<NonZeroU64>,
    /// Hash of the main text.
    pub text: u128,
}

/// Change of a field by scripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Name of the field, as in the API.
    pub field: String,
    /// Value in the server's response.
    pub raw: String,
    /// Value in the rendered document.
    pub rendered: String,
}

/// Facts of a page that are read from the page itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageFields {
    /// Duration of the plain fetch in milliseconds, from the request to the last byte.
    pub load_time_ms: u64,
    /// Title; "" when there is none.
    pub title: String,
    /// Description; "" when there is none.
    pub meta_desc: String,
    /// Effective canonical, absolute; "" when there is none.
    pub canonical: String,
    /// Contents of all robots metas, joined with ", ".
    pub meta_robots: String,
    /// First heading; "" when there is none.
    pub h1: String,
    /// Content type as it was sent.
    pub content_type: String,
    /// `Last-Modified` as it was sent.
    pub last_modified: String,
    /// Bytes of the plain fetch, decompressed, as far as they were read.
    pub html_bytes: u64,
    /// The first `og:*` and `twitter:*` of each name.
    pub social_tags: BTreeMap<String, String>,
    /// Viewport; "" when there is none.
    pub viewport: String,
    /// Encoding, lower case; "" when nothing names one.
    pub charset: String,
    /// Visible text in hundredths of the document, one decimal.
    pub text_ratio: f64,
    /// Flesch reading ease of the main text, 0 to 100; -1 when the language has no formula or there is no text.
    pub readability: f64,
    /// Links to the site.
    pub internal_outlinks: usize,
    /// Links to other hosts.
    pub external_outlinks: usize,
    /// Links with nofollow.
    pub nofollow_outlinks: usize,
}

impl Row {
    /// Returns the details, to be filled in.
    pub fn details(&mut self) -> &mut Details {
        self.details.get_or_insert_default()
    }

    /// Returns the named addresses and texts, to be filled in.
    pub fn named(&mut self) -> &mut Named {
        self.named.get_or_insert_default()
    }

    /// Returns true for an HTML page.
    pub fn is_page(&self) -> bool {
        self.rows.is_some()
    }

    /// Returns true when a search engine would index the page under its own address.
    pub fn is_indexable(&self) -> bool {
        self.rows == Some(CheckedRows::Indexable)
    }

    /// Returns true when the page names another one as canonical.
    pub fn is_canonicalised(&self) -> bool {
        self.canonical.is_some()
    }

    /// Returns the page of the site that the canonical names, when it is another one.
    pub fn canonical_id(&self) -> Option<UrlId> {
        match self.canonical {
            Some(RowDestination::Page(id)) => Some(id),
            _ => None,
        }
    }

    /// Returns true when links to the row are broken.
    pub fn is_broken(&self) -> bool {
        let is_client_error =
            matches!(self.status, 400..=499) && !matches!(self.status, 401 | 403 | 407 | 429);
        is_client_error || self.is_server_error() || self.failure.is_some()
    }

    /// Returns true for an error, denied access included, or no response.
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

    /// Returns the key by which pages that share a value are grouped.
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
