//! Whether a page is really elsewhere: what is asked about a redirect, and what the reply means. Used by the state machine.
//! Pure. Must never call a place a redirect's target that a visitor who comes straight to it does not get (docs/decisions/0110).

use crawler::url::cache_key;
use tokio::time::Instant;
use url::Url;

use crate::egress::ProbeResult;
use crate::page::RedirectSource;

/// A place that the page is said to have moved to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    pub status: u16,
    /// Absolute.
    pub location: String,
}

impl Redirect {
    /// A redirect by script: with the status that the page declares, when that is one.
    pub fn by_script(declared: u16, location: String) -> Redirect {
        let status = if (300..400).contains(&declared) { declared } else { 302 };
        Redirect { status, location }
    }
}

/// A navigation away from the page that has begun and not yet come to a document.
#[derive(Debug)]
pub(super) struct PendingNavigation {
    pub redirect: Redirect,
    /// The network's name of its request, once that has been sent.
    pub request: Option<String>,
    /// Where redirects have led it, without the fragment.
    pub redirected_to: Option<String>,
    /// Until when it is waited for.
    pub until: Instant,
    /// The origin sent the visitor on, before there was a page that could stay.
    pub by_server: bool,
}

impl PendingNavigation {
    /// To another document, waited for until then.
    pub fn new(redirect: Redirect, until: Instant) -> PendingNavigation {
        PendingNavigation { redirect, request: None, redirected_to: None, until, by_server: false }
    }

    /// The address of the document that comes, without the fragment.
    pub fn address(&self) -> &str {
        let address = self.redirected_to.as_deref().unwrap_or(&self.redirect.location);
        address.split('#').next().unwrap_or_default()
    }
}

/// What is said to have moved the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The network went there: a response said so, or a script did and a document came.
    Navigation,
    /// A refresh that the document declares, before it has happened.
    Refresh,
    /// A router changed the address of the document that stands.
    Router,
}

impl From<RedirectSource> for Cause {
    fn from(via: RedirectSource) -> Cause {
        match via {
            RedirectSource::Refresh => Cause::Refresh,
            RedirectSource::Declared | RedirectSource::Router => Cause::Router,
        }
    }
}

/// A redirect that is being looked into.
#[derive(Debug)]
pub(super) struct ProbedRedirect {
    pub redirect: Redirect,
    pub cause: Cause,
}

/// Why the render goes on in the document that the page went to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Followed {
    /// Nobody gets it without what this render has been given: the page that stands there is the page.
    ProxyEndpoint,
    /// From a document that said that there is no such page: the page only if it ends under the address that was asked for.
    NotFound(Redirect),
}

/// Whether a redirect is the result of the render, given what a visitor without a past gets at its target.
pub(super) fn is_confirmed(probed: &ProbedRedirect, result: &ProbeResult, requested: &Url) -> bool {
    match (probed.cause, result) {
        // Two places that send their visitors to each other, or one to itself: only cookies end that.
        (_, ProbeResult::Moved(onwards)) => {
            !is_same_page(requested, onwards) && *onwards != probed.redirect.location
        }
        (Cause::Navigation, ProbeResult::Missing) => false,
        (Cause::Refresh | Cause::Router, ProbeResult::Nothing) => false,
        (Cause::Router, ProbeResult::Missing | ProbeResult::Unknown) => false,
        (_, ProbeResult::Page | ProbeResult::Nothing | ProbeResult::Missing | ProbeResult::Unknown) => true,
    }
}

/// Whether an address shows the page that was asked for: the same path, with or without a final slash or an index file.
pub(super) fn is_same_page(requested: &Url, address: &str) -> bool {
    Url::parse(address).is_ok_and(|address| {
        address.origin() == requested.origin() && page_path(&address) == page_path(requested)
    })
}

/// Whether an address has the same snapshot as the one that was asked for: a redirect there would be its own target.
pub(super) fn is_same_snapshot(requested: &Url, address: &str) -> bool {
    Url::parse(address).is_ok_and(|address| {
        address.origin() == requested.origin() && cache_key(&address) == cache_key(requested)
    })
}

fn page_path(url: &Url) -> Vec<&str> {
    let mut segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    segments.pop_if(|last| matches!(&*last.to_ascii_lowercase(), "index.html" | "index.htm"));
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Url {
        "https://shop.test/page".parse().unwrap()
    }

    fn probed(cause: Cause) -> ProbedRedirect {
        ProbedRedirect { redirect: Redirect::by_script(0, "https://shop.test/new".into()), cause }
    }

    fn reality(cause: Cause) -> Vec<bool> {
        [ProbeResult::Page, ProbeResult::Missing, ProbeResult::Nothing, ProbeResult::Unknown]
            .iter()
            .map(|result| is_confirmed(&probed(cause), result, &asked()))
            .collect()
    }

    #[test]
    fn a_navigation_is_a_redirect_unless_its_target_is_closed_to_newcomers() {
        assert_eq!(reality(Cause::Navigation), [true, false, true, true]);
    }

    #[test]
    fn a_refresh_is_a_redirect_unless_it_starts_a_download() {
        assert_eq!(reality(Cause::Refresh), [true, true, false, true]);
    }

    #[test]
    fn a_router_redirects_only_to_what_the_server_knows() {
        assert_eq!(reality(Cause::Router), [true, false, false, false]);
    }

    #[test]
    fn a_target_that_leads_back_is_no_target() {
        for (onwards, real) in [
            ("https://shop.test/page", false),
            ("https://shop.test/page/?again=1", false),
            ("https://shop.test/new", false),
            ("https://shop.test/newer", true),
        ] {
            let result = ProbeResult::Moved(onwards.into());

            assert_eq!(is_confirmed(&probed(Cause::Navigation), &result, &asked()), real, "{onwards}");
        }
    }

    #[test]
    fn an_address_that_differs_in_how_a_visitor_came_has_the_same_snapshot() {
        for same in
            ["https://shop.test/page", "https://shop.test/page?utm_source=a#b", "https://shop.test//page"]
        {
            assert!(is_same_snapshot(&asked(), same), "{same}");
        }
        for other in ["https://shop.test/page/", "https://shop.test/page?js=1", "https://www.shop.test/page"]
        {
            assert!(!is_same_snapshot(&asked(), other), "{other}");
        }
    }

    #[test]
    fn a_final_slash_an_index_file_and_a_query_make_no_other_page() {
        for same in ["https://shop.test/page/", "https://shop.test//page/index.html?x#y"] {
            assert!(is_same_page(&asked(), same), "{same}");
        }
        for other in ["https://shop.test/pages", "https://other.test/page", "https://shop.test/"] {
            assert!(!is_same_page(&asked(), other), "{other}");
        }
    }
}
