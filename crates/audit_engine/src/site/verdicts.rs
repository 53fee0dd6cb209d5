//! Verdicts about the targets of redirects, links, canonicals and hreflang entries. One cause gets one verdict: the
//! first that applies.

use url::Url;

use super::{CrawledSite, NamedRow, Row, RowAlternate, RowDestination, SisterPage, UrlId};
use crate::checks::is_valid_hreflang;

/// Maximum number of hops that search engines follow.
const MAX_HOPS: usize = 10;

/// End of an address's redirects.
#[derive(Debug, Clone, Default)]
pub struct RedirectEnd {
    /// The row at the end, when it is on the site.
    pub id: Option<UrlId>,
    /// Address of the end.
    pub url: String,
    pub status: u16,
    /// Addresses on the way, the last included.
    pub hops: Vec<String>,
    is_loop: bool,
    is_too_long: bool,
}

/// Verdict about a redirect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectVerdict {
    /// Leads somewhere with one hop.
    Fine,
    /// Takes two to ten hops.
    Chain,
    /// Takes more.
    TooLong,
    /// Comes back to itself.
    Loop,
    /// Ends at an error.
    ToError,
}

/// Verdict about a link's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkVerdict {
    /// A page, or an address that was not requested.
    Fine,
    /// Nowhere, round and round.
    Loop,
    /// To an error.
    Broken,
    Redirect,
}

/// Verdict about a canonical's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CanonicalVerdict {
    /// To the page itself.
    Own,
    /// To another registrable domain.
    CrossDomain,
    /// To a page that robots.txt forbids.
    Blocked,
    Error,
    Redirect,
    /// To a page that is noindex.
    Noindex,
    /// Round and round.
    Loop,
    /// To a page with another canonical.
    Chain,
    /// To another page that is fine.
    Canonicalised,
}

/// Verdict about a hreflang entry's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlternateVerdict {
    /// Nothing to say.
    Fine,
    Error,
    Redirect,
    /// To a page that is noindex.
    Noindex,
    /// To a page with another canonical.
    NonCanonical,
    /// To a page that does not point back.
    NoReturn,
}

impl CrawledSite {
    /// Follows redirects from an address.
    pub fn end_of(&self, id: UrlId) -> RedirectEnd {
        let mut end = RedirectEnd { id: Some(id), ..RedirectEnd::default() };
        let mut seen = vec![id];
        let mut at = id;
        while let Some(place) = self.answer(at).and_then(|row| row.redirect.as_ref()) {
            match place {
                RowDestination::Elsewhere { url, .. } => {
                    end.hops.push(url.to_string());
                    end.id = None;
                    end.url = url.to_string();
                    return end;
                }
                RowDestination::Page(next) => {
                    end.hops.push(self.url(*next));
                    end.is_loop = seen.contains(next);
                    end.is_too_long = end.hops.len() > MAX_HOPS;
                    if end.is_loop || end.is_too_long {
                        end.id = None;
                        return end;
                    }
                    seen.push(*next);
                    at = *next;
                }
            }
        }
        end.id = Some(at);
        end.url = self.url(at);
        end.status = self.answer(at).map_or(0, |row| row.status);
        end
    }

    /// Returns the page at the end of an address's redirects. Returns `None` when that is not a page of the site.
    pub fn end_id(&self, id: UrlId) -> Option<UrlId> {
        match self.answer(id).and_then(|row| row.redirect.as_ref()) {
            None => Some(id),
            Some(_) => self.end_of(id).id,
        }
    }

    /// Decides the verdict about a redirect row.
    pub fn redirect_verdict(&self, row: &Row) -> RedirectVerdict {
        let end = self.end_of(row.id);
        if end.is_loop {
            RedirectVerdict::Loop
        } else if end.is_too_long {
            RedirectVerdict::TooLong
        } else if end.id.and_then(|id| self.answer(id)).is_some_and(Row::is_broken) {
            RedirectVerdict::ToError
        } else if end.hops.len() > 1 {
            RedirectVerdict::Chain
        } else {
            RedirectVerdict::Fine
        }
    }

    /// Decides the verdict about links to an address.
    pub fn link_verdict(&self, to: UrlId) -> LinkVerdict {
        let Some(row) = self.answer(to) else { return LinkVerdict::Fine };
        if row.redirect.is_none() {
            return if row.is_broken() { LinkVerdict::Broken } else { LinkVerdict::Fine };
        }
        match self.redirect_verdict(row) {
            RedirectVerdict::Loop | RedirectVerdict::TooLong => LinkVerdict::Loop,
            RedirectVerdict::ToError => LinkVerdict::Broken,
            RedirectVerdict::Fine | RedirectVerdict::Chain => LinkVerdict::Redirect,
        }
    }

    /// Decides the verdict about a page's canonical.
    pub fn canonical_verdict(&self, row: &Row) -> CanonicalVerdict {
        let target = match &row.canonical {
            None => return CanonicalVerdict::Own,
            Some(RowDestination::Elsewhere { is_same_domain: false, .. }) => {
                return CanonicalVerdict::CrossDomain;
            }
            Some(RowDestination::Elsewhere { .. }) => return CanonicalVerdict::Canonicalised,
            Some(RowDestination::Page(id)) => *id,
        };
        // A forbidden page has no row unless something links to it, so the rules are asked.
        if self.is_blocked(self.urls.key(target)) {
            return CanonicalVerdict::Blocked;
        }
        let Some(target) = self.answer(target) else { return CanonicalVerdict::Canonicalised };
        if target.is_error() {
            CanonicalVerdict::Error
        } else if target.redirect.is_some() {
            CanonicalVerdict::Redirect
        } else if target.is_noindex {
            CanonicalVerdict::Noindex
        } else if self.canonicals_come_back(row) {
            CanonicalVerdict::Loop
        } else if target.is_canonicalised() {
            CanonicalVerdict::Chain
        } else {
            CanonicalVerdict::Canonicalised
        }
    }

    /// Returns the address that a page's canonical names.
    pub fn canonical_url(&self, row: &Row) -> String {
        match &row.canonical {
            Some(RowDestination::Page(id)) => self.url(*id),
            Some(RowDestination::Elsewhere { url, .. }) => url.to_string(),
            None => String::new(),
        }
    }

    fn canonicals_come_back(&self, row: &Row) -> bool {
        let next = |id: UrlId| self.answer(id).and_then(Row::canonical_id);
        let chain = std::iter::successors(row.canonical_id(), |id| next(*id));
        chain.take(MAX_HOPS).any(|id| id == row.id)
    }

    /// Decides the verdict about a hreflang entry of a page.
    pub fn alternate_verdict(&self, row: &NamedRow, entry: &RowAlternate) -> AlternateVerdict {
        let same = |other: &&RowAlternate| other.lang.eq_ignore_ascii_case(&entry.lang);
        let stands_twice = row.named.alternates.iter().filter(same).count() > 1;
        let target = entry.to.filter(|to| *to != row.id && !stands_twice && is_valid_hreflang(&entry.lang));
        let target = target.and_then(|to| self.answer(to)).filter(|target| !target.is_blocked);
        let Some(target) = target else {
            let sister = entry.elsewhere.as_ref().filter(|_| !stands_twice && is_valid_hreflang(&entry.lang));
            let sister = sister.and_then(|url| self.sisters.get(url));
            return sister.map_or(AlternateVerdict::Fine, |sister| self.sister_verdict(row, sister));
        };
        if target.is_error() {
            AlternateVerdict::Error
        } else if target.redirect.is_some() {
            AlternateVerdict::Redirect
        } else if target.is_noindex {
            AlternateVerdict::Noindex
        } else if target.is_canonicalised() {
            AlternateVerdict::NonCanonical
        } else if target.is_page() && !self.names_version(target.id, row.id) {
            AlternateVerdict::NoReturn
        } else {
            AlternateVerdict::Fine
        }
    }

    /// Judges a hreflang entry that names a page of another site of the same owner.
    fn sister_verdict(&self, row: &NamedRow, sister: &SisterPage) -> AlternateVerdict {
        let is_own = |url: &String| {
            Url::parse(url)
                .is_ok_and(|url| self.origin.contains(&url) && self.origin.key(&url) == self.urls.key(row.id))
        };
        if sister.is_error {
            AlternateVerdict::Error
        } else if sister.is_redirect {
            AlternateVerdict::Redirect
        } else if sister.is_noindex {
            AlternateVerdict::Noindex
        } else if sister.is_canonicalised {
            AlternateVerdict::NonCanonical
        } else if sister.is_page && !sister.names.iter().any(is_own) {
            AlternateVerdict::NoReturn
        } else {
            AlternateVerdict::Fine
        }
    }
}
