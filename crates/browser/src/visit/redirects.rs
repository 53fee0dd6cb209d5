//! Confirmation of redirects by a probe of their target. Used by the state machine. Pure.
//! Must never confirm a redirect to an address where a new visitor gets no page (docs/decisions/0110).

use crawler::url::cache_key;
use tokio::time::Instant;
use url::Url;

use crate::egress::Probed;
use crate::page::Via;

/// Redirect of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    pub status: u16,
    /// Absolute target.
    pub location: String,
}

impl Redirect {
    /// Makes a redirect by a script, with the page's declared status if that is 3xx.
    pub fn by_script(declared: u16, location: String) -> Redirect {
        let status = if (300..400).contains(&declared) { declared } else { 302 };
        Redirect { status, location }
    }
}

/// A navigation away from the page that has not arrived at a document.
#[derive(Debug)]
pub(super) struct Navigation {
    pub redirect: Redirect,
    /// Id of the request, once sent.
    pub request: Option<String>,
    /// Address after server redirects, without the fragment.
    pub redirected_to: Option<String>,
    /// Time until which the navigation is awaited.
    pub until: Instant,
    /// The origin redirected the document itself, so there is no page that could stay.
    pub by_server: bool,
}

impl Navigation {
    /// Makes a navigation to another document that is awaited until a time.
    pub fn new(redirect: Redirect, until: Instant) -> Navigation {
        Navigation { redirect, request: None, redirected_to: None, until, by_server: false }
    }

    /// Returns the address of the expected document, without the fragment.
    pub fn address(&self) -> &str {
        let address = self.redirected_to.as_deref().unwrap_or(&self.redirect.location);
        address.split('#').next().unwrap_or_default()
    }
}

/// Cause of a redirect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// A navigation: a server redirect, or a script's navigation whose document arrived.
    Navigation,
    /// A refresh that the document declares.
    Refresh,
    /// A router has changed the address of the current document.
    Router,
}

impl From<Via> for Cause {
    fn from(via: Via) -> Cause {
        match via {
            Via::Refresh => Cause::Refresh,
            Via::Declared | Via::Router => Cause::Router,
        }
    }
}

/// A redirect whose target is being probed.
#[derive(Debug)]
pub(super) struct ProbedRedirect {
    pub redirect: Redirect,
    pub cause: Cause,
}

/// Reason for continuing the render in the document after a redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Followed {
    /// That document is the page: it depends on what this render has been given, such as a cookie.
    AsPage,
    /// The first document had an error status. The next one is the page only if it ends at the requested address.
    NotFound(Redirect),
}

/// Decides whether a redirect is the result of the render, given the probe of its target.
pub(super) fn is_confirmed(probed: &ProbedRedirect, result: &Probed, requested: &Url) -> bool {
    match (probed.cause, result) {
        // Two addresses that redirect to each other, or one to itself: only a cookie ends that.
        (_, Probed::Redirect(onwards)) => {
            !is_same_page(requested, onwards) && *onwards != probed.redirect.location
        }
        (Cause::Navigation, Probed::Error) => false,
        (Cause::Refresh | Cause::Router, Probed::NotShown) => false,
        (Cause::Router, Probed::Error | Probed::Unknown) => false,
        (_, Probed::Page | Probed::NotShown | Probed::Error | Probed::Unknown) => true,
    }
}

/// Returns true for the same page: equal paths, except for a final slash or an index file.
pub(super) fn is_same_page(requested: &Url, address: &str) -> bool {
    Url::parse(address).is_ok_and(|address| {
        address.origin() == requested.origin() && page_path(&address) == page_path(requested)
    })
}

/// Returns true for an address with the same snapshot as the requested one, which would redirect to itself.
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
        [Probed::Page, Probed::Error, Probed::NotShown, Probed::Unknown]
            .iter()
            .map(|result| is_confirmed(&probed(cause), result, &asked()))
            .collect()
    }

    #[test]
    fn a_navigation_is_a_redirect_unless_a_new_visitor_gets_an_error_at_its_target() {
        assert_eq!(reality(Cause::Navigation), [true, false, true, true]);
    }

    #[test]
    fn a_refresh_is_a_redirect_unless_it_starts_a_download() {
        assert_eq!(reality(Cause::Refresh), [true, true, false, true]);
    }

    #[test]
    fn a_router_redirects_only_to_a_page_of_the_server() {
        assert_eq!(reality(Cause::Router), [true, false, false, false]);
    }

    #[test]
    fn a_target_that_redirects_back_or_to_itself_is_not_confirmed() {
        for (onwards, real) in [
            ("https://shop.test/page", false),
            ("https://shop.test/page/?again=1", false),
            ("https://shop.test/new", false),
            ("https://shop.test/newer", true),
        ] {
            let result = Probed::Redirect(onwards.into());

            assert_eq!(is_confirmed(&probed(Cause::Navigation), &result, &asked()), real, "{onwards}");
        }
    }

    #[test]
    fn tracking_parameters_and_empty_segments_do_not_change_the_snapshot() {
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
    fn a_final_slash_an_index_file_or_a_query_does_not_make_another_page() {
        for same in ["https://shop.test/page/", "https://shop.test//page/index.html?x#y"] {
            assert!(is_same_page(&asked(), same), "{same}");
        }
        for other in ["https://shop.test/pages", "https://other.test/page", "https://shop.test/"] {
            assert!(!is_same_page(&asked(), other), "{other}");
        }
    }
}
