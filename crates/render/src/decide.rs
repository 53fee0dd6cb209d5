//! Decision about a request: a redirect, the origin's own answer, or a snapshot. Shared by the render endpoint and the edge.
//! Pure: no clock, network or database. Must never check the caller's account; callers have done that before.
//! See docs/decisions/0033.

use std::time::Duration;

use crawler::url::{ESCAPED_FRAGMENT, is_static_asset};
use http::Method;
use url::{Position, Url};

use super::request_facts::RequestFacts;
use domains::Site;
use domains::site::SiteRedirect;
use platform::api::accept;

/// Facts of a crawler's plain GET request.
const CRAWLER: RequestFacts<'static> = RequestFacts {
    method: &Method::GET,
    accept: None,
    sec_fetch_dest: None,
    is_navigation: false,
    is_crawler: true,
    is_private: false,
};

/// Entry point of a request, which decides whether an unknown client counts as a crawler or a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryPoint {
    /// The render endpoint: a client gets the rendered page unless there is evidence of a person.
    Api,
    /// The edge: a client is a person unless there is evidence of a crawler.
    Edge,
    /// Prerender's interface: the site's middleware has decided that the client is a crawler.
    Middleware,
}

/// Decision about a request, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub answer: DecidedAnswer,
    pub reason: DecisionReason,
}

/// Decided answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedAnswer {
    /// The preferred host or a redirect rule answers.
    Redirect(SiteRedirect),
    /// The origin answers, at the same path and query on the origin host.
    Origin(Url),
    /// A snapshot answers.
    Snapshot(TargetPage),
}

/// Reason of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionReason {
    /// The preferred host or a redirect rule applies.
    Redirected,
    /// The request is not for a page that everybody may see.
    NotForPage,
    StaticAsset,
    /// One of the ignored paths matches.
    IgnoredPath,
    Person,
    Page,
}

/// A page to serve or render.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetPage {
    /// Key of the page within its domain: equal for addresses that show the same page.
    pub key: String,
    /// Canonical address of the page, under which it is rendered.
    pub url: Url,
    /// Age at which the snapshot of the page is rendered again.
    pub refresh_interval: Duration,
}

/// A request to decide on.
struct Asked<'a> {
    site: &'a Site,
    target: &'a Url,
    facts: &'a RequestFacts<'a>,
    entry: EntryPoint,
}

/// Answer of one rule. None: the rule does not apply.
type Rule = fn(&Asked<'_>) -> Option<DecidedAnswer>;

/// Rules in order. The first one that applies decides, and the last one always applies.
const RULES: [(DecisionReason, Rule); 9] = [
    (DecisionReason::Redirected, |asked| asked.site.redirect(asked.target).map(DecidedAnswer::Redirect)),
    (DecisionReason::NotForPage, |asked| asked.origin_if(writes(asked.facts))),
    (DecisionReason::NotForPage, |asked| asked.origin_if(asked.facts.is_private)),
    (DecisionReason::StaticAsset, |asked| asked.origin_if(is_static_asset(asked.target.path()))),
    (DecisionReason::NotForPage, |asked| asked.origin_if(!is_document(asked.facts.sec_fetch_dest))),
    (DecisionReason::NotForPage, |asked| asked.origin_if(!accept::asks_for_page(asked.facts.accept))),
    (DecisionReason::IgnoredPath, |asked| asked.origin_if(asked.site.ignores(asked.target))),
    (DecisionReason::Person, |asked| asked.origin_if(asked.is_persons())),
    (DecisionReason::Page, |asked| Some(DecidedAnswer::Snapshot(page_of(asked.site, asked.target)))),
];

/// Decides the answer to a request for `target`.
pub fn decide(site: &Site, target: &Url, facts: &RequestFacts<'_>, entry: EntryPoint) -> Decision {
    let asked = Asked { site, target, facts, entry };
    let mut rules = RULES.iter();
    let decided = rules.find_map(|(reason, rule)| Some(Decision { answer: rule(&asked)?, reason: *reason }));
    decided.expect("the last rule always applies")
}

/// Decides whether a request of any client is for a page, including pages that not everybody may see.
pub fn is_for_page(target: &Url, facts: &RequestFacts<'_>) -> bool {
    !writes(facts)
        && !is_static_asset(target.path())
        && is_document(facts.sec_fetch_dest)
        && accept::asks_for_page(facts.accept)
}

/// Decides whether a crawler's navigation to an address is for a page.
pub fn is_for_navigation(target: &Url) -> bool {
    is_for_page(target, &CRAWLER)
}

/// Decides what the edge answers to a navigation of a crawler or a person.
pub fn decide_navigation(site: &Site, target: &Url, is_crawler: bool) -> Decision {
    decide(site, target, &RequestFacts { is_crawler, ..CRAWLER }, EntryPoint::Edge)
}

impl Asked<'_> {
    fn origin_if(&self, applies: bool) -> Option<DecidedAnswer> {
        applies.then(|| DecidedAnswer::Origin(self.site.origin_url(self.target)))
    }

    fn is_persons(&self) -> bool {
        let is_crawler = self.facts.is_crawler || crawler::url::escaped_fragment(self.target).is_some();
        match self.entry {
            EntryPoint::Edge => !is_crawler,
            EntryPoint::Api => !is_crawler && self.facts.is_navigation,
            EntryPoint::Middleware => false,
        }
    }
}

/// Returns the page of an address, for any client. The page has the canonical address, never the requester's form.
pub fn page_of(site: &Site, target: &Url) -> TargetPage {
    // Old hash-bang apps show another page per fragment: `?_escaped_fragment_=a` must not share `/`'s snapshot, unless the domain
    // lists the query parameters that are part of an address and this parameter is not among them.
    let parameters = site.domain.rendering.query_parameters.as_deref();
    let counts = parameters.is_none_or(|names| names.iter().any(|name| name == ESCAPED_FRAGMENT));
    let hash_bang = if counts { crawler::url::escaped_fragment(target) } else { None };
    let url = hash_bang.unwrap_or_else(|| {
        let mut url = target.clone();
        url.set_fragment(None);
        url
    });
    stored_page(site, &url)
}

/// Returns the page of an address that was stored or queued. A fragment after `#!` is part of the address.
pub fn stored_page(site: &Site, url: &Url) -> TargetPage {
    let mut url = site.canonical_url(url);
    if url.fragment().is_some_and(|fragment| !fragment.starts_with('!')) {
        url.set_fragment(None);
    }
    let key = crawler::url::bare_host(url.host_str().unwrap_or_default()) + &url[Position::BeforePath..];
    TargetPage { key, refresh_interval: site.refresh_interval(&url), url }
}

/// Returns the address under which a page of a site is rendered. `None`: the address is redirected by a rule, ignored or an
/// asset. The preferred host is applied: otherwise the snapshot would be a redirect to it.
pub fn renderable(site: &Site, target: &Url) -> Option<Url> {
    let answer = |target: &Url| decide(site, target, &CRAWLER, EntryPoint::Api).answer;
    let answer = match answer(target) {
        DecidedAnswer::Redirect(redirect) => {
            let preferred = redirect.location;
            let is_same_page = preferred[Position::BeforePath..Position::AfterQuery]
                == target[Position::BeforePath..Position::AfterQuery]
                && preferred.host_str().is_some_and(|host| site.owns_host(host));
            is_same_page.then(|| answer(&preferred))?
        }
        other => other,
    };
    match answer {
        DecidedAnswer::Snapshot(page) => Some(page.url),
        DecidedAnswer::Redirect(_) | DecidedAnswer::Origin(_) => None,
    }
}

fn writes(facts: &RequestFacts<'_>) -> bool {
    !matches!(*facts.method, Method::GET | Method::HEAD)
}

fn is_document(sec_fetch_dest: Option<&str>) -> bool {
    sec_fetch_dest.is_none_or(|dest| matches!(dest.trim(), "" | "document"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domains::redirects::RedirectRule;
    use domains::testing::site;
    use domains::{PreferredHost, Settings};

    fn nobody() -> RequestFacts<'static> {
        RequestFacts { is_crawler: false, ..CRAWLER }
    }

    fn bot() -> RequestFacts<'static> {
        CRAWLER
    }

    fn person() -> RequestFacts<'static> {
        RequestFacts { is_navigation: true, sec_fetch_dest: Some("document"), ..nobody() }
    }

    fn settings() -> Settings {
        Settings {
            origin_host: "origin.test".parse().ok(),
            ignore_paths: "/admin/**".into(),
            redirect_rules: vec![
                RedirectRule {
                    source: "/old/*".into(),
                    destination: "/new/$1".into(),
                    status: 301,
                    preserve_query: true,
                },
                RedirectRule {
                    source: "/tmp".into(),
                    destination: "/now".into(),
                    status: 307,
                    preserve_query: true,
                },
                RedirectRule {
                    source: "/admin/old".into(),
                    destination: "/".into(),
                    status: 301,
                    preserve_query: true,
                },
            ],
            ..Settings::default()
        }
    }

    /// Returns the decided answer as text: its status or `serve`, and the address.
    fn outcome(target: &str, facts: RequestFacts<'_>, entry: EntryPoint) -> String {
        let site = site("shop.example", settings());
        match decide(&site, &Url::parse(target).expect("an address"), &facts, entry).answer {
            DecidedAnswer::Redirect(redirect) => format!("{} {}", redirect.status, redirect.location),
            DecidedAnswer::Origin(location) => format!("304 {location}"),
            DecidedAnswer::Snapshot(page) => format!("serve {}", page.url),
        }
    }

    fn is_served(facts: RequestFacts<'_>, entry: EntryPoint) -> bool {
        outcome("https://shop.example/a", facts, entry).starts_with("serve")
    }

    #[test]
    fn a_page_is_served_and_an_asset_passed_to_the_origin() {
        let table = [
            ("https://shop.example/", "serve https://shop.example/"),
            ("https://www.shop.example/a?x=1#top", "serve https://www.shop.example/a?x=1"),
            ("http://shop.example//a/?utm_source=x&b=2&a=1", "serve https://shop.example/a/?a=1&b=2"),
            ("https://shop.example/v1.2", "serve https://shop.example/v1.2"),
            ("https://shop.example/node.io", "serve https://shop.example/node.io"),
            ("https://shop.example/a.html", "serve https://shop.example/a.html"),
            ("https://shop.example/dir.css/", "serve https://shop.example/dir.css/"),
            ("https://shop.example/app.js?v=3", "304 https://origin.test/app.js?v=3"),
            ("https://shop.example/a/LOGO.PNG", "304 https://origin.test/a/LOGO.PNG"),
            ("https://shop.example/font%2Ewoff2", "304 https://origin.test/font%2Ewoff2"),
            ("https://shop.example/robots.txt", "304 https://origin.test/robots.txt"),
            ("https://shop.example/sitemap.xml", "304 https://origin.test/sitemap.xml"),
            ("https://shop.example/admin/users", "304 https://origin.test/admin/users"),
        ];

        for entry in [EntryPoint::Api, EntryPoint::Edge] {
            for (target, expected) in table {
                assert_eq!(outcome(target, bot(), entry), expected);
            }
        }
    }

    #[test]
    fn redirects_come_before_ignored_paths_assets_and_headers() {
        let table = [
            ("https://shop.example/old/1?a=b", "301 https://shop.example/new/1?a=b"),
            ("https://shop.example/tmp", "307 https://shop.example/now"),
            ("https://shop.example/admin/old", "301 https://shop.example/"),
            ("https://shop.example/old/logo.png", "301 https://shop.example/new/logo.png"),
        ];

        for (target, expected) in table {
            for facts in [bot(), person(), nobody()] {
                assert_eq!(outcome(target, facts.clone(), EntryPoint::Api), expected);
                assert_eq!(outcome(target, facts, EntryPoint::Edge), expected);
            }
        }
    }

    #[test]
    fn the_preferred_host_answers_people_and_crawlers_alike() {
        let site = site(
            "shop.example",
            Settings { preferred_host: Some(PreferredHost::Www), ..Settings::default() },
        );
        let target = Url::parse("https://shop.example/a.png").expect("an address");

        for facts in [bot(), person()] {
            let decided = decide(&site, &target, &facts, EntryPoint::Edge);
            let location = Url::parse("https://www.shop.example/a.png").expect("an address");
            let redirect = SiteRedirect { status: 301, location, rule: None };
            assert_eq!(decided.answer, DecidedAnswer::Redirect(redirect));
        }
    }

    #[test]
    fn only_a_document_is_prerendered() {
        let with = |dest| RequestFacts { sec_fetch_dest: Some(dest), ..bot() };

        for dest in ["", "document"] {
            assert!(is_served(with(dest), EntryPoint::Api), "{dest:?}");
        }
        for dest in ["empty", "style", "script", "image", "font", "iframe", "worker", "json", "report"] {
            assert!(!is_served(with(dest), EntryPoint::Api), "{dest:?}");
        }
    }

    #[test]
    fn only_a_client_that_asks_for_a_page_gets_one() {
        for (accept, is_page) in [("text/markdown, */*;q=0.8", true), ("application/json, */*", false)] {
            let facts = RequestFacts { accept: Some(accept), ..bot() };

            assert_eq!(is_served(facts.clone(), EntryPoint::Api), is_page, "{accept:?}");
            assert_eq!(is_served(facts, EntryPoint::Edge), is_page, "{accept:?}");
        }
    }

    #[test]
    fn only_get_and_head_are_prerendered() {
        for (method, is_page) in
            [(Method::GET, true), (Method::HEAD, true), (Method::POST, false), (Method::OPTIONS, false)]
        {
            assert_eq!(
                is_served(RequestFacts { method: &method, ..bot() }, EntryPoint::Edge),
                is_page,
                "{method}"
            );
        }
    }

    #[test]
    fn what_a_client_is_signed_in_to_or_upgrades_is_no_page_and_is_redirected() {
        let facts = RequestFacts { is_private: true, ..bot() };

        assert!(!is_served(facts.clone(), EntryPoint::Edge));
        assert_eq!(
            outcome("https://shop.example/tmp", facts, EntryPoint::Edge),
            "307 https://shop.example/now"
        );
    }

    #[test]
    fn the_first_rule_that_applies_is_the_reason() {
        let site = site("shop.example", settings());
        let post = RequestFacts { method: &Method::POST, ..bot() };
        for (path, facts, reason) in [
            ("/tmp", post.clone(), DecisionReason::Redirected),
            ("/admin/app.js", post, DecisionReason::NotForPage),
            ("/admin/app.js", nobody(), DecisionReason::StaticAsset),
            ("/admin/users", nobody(), DecisionReason::IgnoredPath),
            ("/a", nobody(), DecisionReason::Person),
            ("/a", bot(), DecisionReason::Page),
        ] {
            let target = Url::parse(&format!("https://shop.example{path}")).expect("an address");

            assert_eq!(decide(&site, &target, &facts, EntryPoint::Edge).reason, reason, "{path}");
        }
    }

    #[test]
    fn a_crawler_is_no_person_even_with_the_headers_of_a_browser() {
        let facts = RequestFacts { is_crawler: true, ..person() };

        assert!(is_served(facts.clone(), EntryPoint::Api));
        assert!(is_served(facts, EntryPoint::Edge));
    }

    #[test]
    fn an_unknown_client_is_prerendered_by_the_endpoint_and_a_person_at_the_edge() {
        let curl = RequestFacts { accept: Some("*/*"), ..nobody() };

        assert!(is_served(curl.clone(), EntryPoint::Api));
        assert!(!is_served(curl, EntryPoint::Edge));
        assert!(is_served(bot(), EntryPoint::Edge));
        assert!(!is_served(person(), EntryPoint::Api));
    }

    #[test]
    fn an_escaped_fragment_is_evidence_of_a_crawler_and_names_another_page() {
        let target = "https://shop.example/?_escaped_fragment_=about";
        let plain = page_of(
            &site("shop.example", Settings::default()),
            &Url::parse("https://shop.example/").expect("an address"),
        );
        let page =
            page_of(&site("shop.example", Settings::default()), &Url::parse(target).expect("an address"));

        assert_eq!(outcome(target, person(), EntryPoint::Edge), "serve https://shop.example/#!about");
        assert_ne!(page.key, plain.key);
    }

    #[test]
    fn an_escaped_fragment_that_is_no_part_of_the_domains_addresses_names_the_plain_page() {
        let page = |parameters: Option<&[&str]>, target: &str| {
            let mut domain = site("shop.example", Settings::default()).domain;
            let names = parameters.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            domain.rendering.query_parameters = names;
            page_of(&Site::new(domain), &Url::parse(target).expect("an address")).url.to_string()
        };
        let target = "https://shop.example/?_escaped_fragment_=about&page=2";

        assert_eq!(page(Some(&["page"]), target), "https://shop.example/?page=2");
        assert_eq!(page(Some(&[]), target), "https://shop.example/");
        assert_eq!(page(Some(&["_escaped_fragment_"]), target), "https://shop.example/#!about");
        assert_eq!(page(None, target), "https://shop.example/?page=2#!about");
    }

    #[test]
    fn an_empty_escaped_fragment_is_the_plain_page() {
        let site = site("shop.example", Settings::default());
        let page = |target| page_of(&site, &Url::parse(target).expect("an address"));

        let escaped = page("https://shop.example/a?_escaped_fragment_=&x=1");

        assert_eq!(escaped, page("https://shop.example/a?x=1"));
    }
}
