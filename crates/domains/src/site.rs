//! A domain with compiled settings, which the render endpoint and the edge use on every request.
//! Pure. Compiled once per change of the record and shared; must never do I/O.

use std::time::Duration;

use url::Url;

use super::crawler_policy::PolicySet;
use super::headers::HeaderSet;
use super::model::{Domain, DomainStatus, PreferredHost, RefreshRule};
use super::names;
use super::patterns::{Grammar, PathList, PathPattern, SplitPath};
use super::redirects::RedirectSet;

/// Domain with compiled settings.
#[derive(Debug)]
pub struct Site {
    /// Record that the site was compiled from.
    pub domain: Domain,
    /// `www.`/apex twin, when the domain has one.
    twin: Option<String>,
    redirects: RedirectSet,
    ignored: PathList,
    headers: HeaderSet,
    refresh: Vec<(PathPattern, Duration)>,
    policy: Option<PolicySet>,
}

/// A redirect of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteRedirect {
    /// Status: 301 or 307.
    pub status: u16,
    /// Absolute URL.
    pub location: Url,
    /// Position of the rule, from 0; none when the preferred host alone redirects.
    pub rule: Option<usize>,
}

impl Site {
    /// Compiles a record.
    ///
    /// Settings are validated when they are saved. A setting that is no longer valid (a newer version is stricter) is left out,
    /// so that the site stays up.
    pub fn new(domain: Domain) -> Site {
        let twin = names::twin(&domain.host);
        // Without hosts, loops are not detected: that was done when the rules were saved, and is slow with thousands of rules.
        let redirects = RedirectSet::compile(&domain.settings.redirect_rules, &[]).unwrap_or_default();
        let ignored = PathList::parse(&domain.settings.ignore_paths).unwrap_or_default();
        let headers = HeaderSet::compile(&domain.settings.custom_response_headers).unwrap_or_default();
        let refresh = domain.rendering.refresh_rules.iter().filter_map(compile_refresh_rule).collect();
        let settings = &domain.settings;
        let policy = PolicySet::compile(&settings.crawler_policy, &settings.sitemap_url);
        Site { redirects, ignored, headers, refresh, policy, twin, domain }
    }

    /// Decides whether a host is the domain or its twin.
    pub fn owns_host(&self, host: &str) -> bool {
        host == self.domain.host || self.twin.as_deref() == Some(host)
    }

    /// Returns the domain's names: the domain itself, and its twin when it has one.
    pub fn hosts(&self) -> Vec<String> {
        std::iter::once(self.domain.host.clone()).chain(self.twin.clone()).collect()
    }

    /// Returns true while the operator's lock is on.
    pub fn is_suspended(&self) -> bool {
        self.domain.status == DomainStatus::Suspended
    }

    /// Returns the redirect of a request by the preferred host and the redirect rules together, if any.
    ///
    /// Both are applied to one Location, which avoids a second redirect. Never the address of the request itself.
    pub fn redirect(&self, url: &Url) -> Option<SiteRedirect> {
        let rule = self.redirects.find(url).and_then(|redirect| {
            let location = self.with_preferred_host(redirect.location);
            let (status, rule) = (redirect.status, Some(redirect.rule));
            (!is_same_resource(&location, url)).then_some(SiteRedirect { status, location, rule })
        });
        rule.or_else(|| {
            let location = self.preferred_address(url)?;
            Some(SiteRedirect { status: 301, location, rule: None })
        })
    }

    /// Returns the address to which the preferred host alone redirects a request, regardless of the redirect rules.
    pub fn preferred_address(&self, url: &Url) -> Option<Url> {
        let location = self.with_preferred_host(url.clone());
        (location.host_str() != url.host_str()).then_some(location)
    }

    /// Returns the preferred one of the domain's names, else the domain's own name.
    pub fn preferred_name(&self) -> String {
        let own = Url::parse(&format!("https://{}/", self.domain.host)).ok();
        let preferred = own.map(|url| self.with_preferred_host(url));
        let name = preferred.as_ref().and_then(Url::host_str);
        name.unwrap_or(&self.domain.host).to_owned()
    }

    /// Decides whether a path is never prerendered.
    pub fn ignores(&self, url: &Url) -> bool {
        self.ignored.matches(&SplitPath::of(url))
    }

    /// Finds the line of the ignored paths that matches, as it was written.
    pub fn ignored_by(&self, url: &Url) -> Option<&str> {
        let line = self.ignored.find_line(&SplitPath::of(url))?;
        self.domain.settings.ignore_paths.lines().nth(line - 1).map(str::trim)
    }

    /// Returns the crawler policy for an address. Returns none when the policy is off or does not apply to the address.
    pub fn policy(&self, url: &Url) -> Option<&PolicySet> {
        self.policy.as_ref().filter(|policy| policy.is_about(url))
    }

    /// Adds the custom headers of a path to a response.
    pub fn apply_headers(&self, url: &Url, headers: &mut http::HeaderMap) {
        if !self.headers.is_empty() {
            self.headers.apply(&SplitPath::of(url), headers);
        }
    }

    /// Returns the refresh interval of a path: that of the most specific matching rule, else the domain's. Never zero.
    pub fn refresh_interval(&self, url: &Url) -> Duration {
        let path = SplitPath::of(url);
        let matching = self.refresh.iter().filter(|(pattern, _)| pattern.matches(&path));
        // Of equally specific rules the first wins; `max_by` would take the last.
        let best = matching.rev().max_by(|(a, _), (b, _)| a.compare_specificity(b));
        let seconds = Duration::from_secs(self.domain.rendering.refresh_interval_seconds.max(1));
        best.map_or(seconds, |(_, interval)| *interval)
    }

    /// Returns the rules of refreshing, as a text that changes with them: intervals, and the query parameters of pages.
    pub fn refresh_plan(&self) -> String {
        let rendering = &self.domain.rendering;
        let intervals = (rendering.refresh_interval_seconds, &rendering.refresh_rules);
        let plan = match &rendering.query_parameters {
            None => serde_json::to_string(&intervals),
            Some(parameters) => serde_json::to_string(&(intervals, parameters)),
        };
        plan.expect("rules are plain data")
    }

    /// Returns the one address under which a page is rendered, stored and refreshed, for any form of the address.
    ///
    /// The address is https, on the preferred host or else the requested name, without a port, with the path and query of the
    /// page's key. The fragment is kept. See docs/decisions/0033.
    pub fn canonical_url(&self, url: &Url) -> Url {
        let mut url = crawler::url::canonical(url, self.domain.rendering.query_parameters.as_deref());
        // Changing between http and https, and removing the port of a web address, cannot fail.
        if url.scheme() != "https" {
            let _ = url.set_scheme("https");
        }
        if url.port().is_some() {
            let _ = url.set_port(None);
        }
        self.with_preferred_host(url)
    }

    /// Returns the address without its fragment on the host that serves people: `originHost` when set, else the same host.
    pub fn origin_url(&self, url: &Url) -> Url {
        let mut origin = url.clone();
        origin.set_fragment(None);
        if let Some(host) = &self.domain.settings.origin_host {
            // An address that cannot have this host or port is not changed.
            let _ = origin.set_host(Some(host.host()));
            let _ = origin.set_port(host.port());
        }
        origin
    }

    fn with_preferred_host(&self, mut url: Url) -> Url {
        let Some(preferred) = self.domain.settings.preferred_host else { return url };
        let Some(host) = url.host_str().filter(|host| self.owns_host(host)) else { return url };
        let bare = host.strip_prefix("www.").unwrap_or(host);
        let host = match preferred {
            PreferredHost::Apex => bare.to_owned(),
            PreferredHost::Www => format!("www.{bare}"),
        };
        if self.owns_host(&host) {
            let _ = url.set_host(Some(&host));
        }
        url
    }
}

fn is_same_resource(a: &Url, b: &Url) -> bool {
    let without_fragment = |url: &Url| url[..url::Position::AfterQuery].to_owned();
    without_fragment(a) == without_fragment(b)
}

fn compile_refresh_rule(rule: &RefreshRule) -> Option<(PathPattern, Duration)> {
    let pattern = PathPattern::parse(&rule.pattern, Grammar::Path).ok()?;
    Some((pattern, Duration::from_secs(rule.interval_seconds.max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::redirects::RedirectRule;
    use crate::testing::site;

    fn rule(source: &str, destination: &str) -> RedirectRule {
        let (source, destination) = (source.to_owned(), destination.to_owned());
        RedirectRule { source, destination, status: 307, preserve_query: true }
    }

    fn redirect(site: &Site, url: &str) -> Option<(u16, String)> {
        let found = site.redirect(&Url::parse(url).expect("an address"));
        found.map(|redirect| (redirect.status, redirect.location.to_string()))
    }

    #[test]
    fn the_preferred_host_keeps_path_query_and_port() {
        let site = site(
            "shop.example",
            Settings { preferred_host: Some(PreferredHost::Www), ..Settings::default() },
        );

        let sent = redirect(&site, "https://shop.example:8443/a?b=1");

        assert_eq!(sent, Some((301, "https://www.shop.example:8443/a?b=1".to_owned())));
        assert_eq!(redirect(&site, "https://www.shop.example/a"), None);
    }

    #[test]
    fn a_rule_and_the_preferred_host_make_one_hop() {
        let settings = Settings {
            preferred_host: Some(PreferredHost::Apex),
            redirect_rules: vec![rule("/old/*", "/new/$1"), rule("/away", "https://other.test/x")],
            ..Settings::default()
        };
        let site = site("shop.example", settings);

        assert_eq!(
            redirect(&site, "https://www.shop.example/old/1"),
            Some((307, "https://shop.example/new/1".to_owned()))
        );
        assert_eq!(
            redirect(&site, "https://www.shop.example/away"),
            Some((307, "https://other.test/x".to_owned()))
        );
    }

    #[test]
    fn a_rule_that_leads_to_the_request_itself_is_skipped() {
        let site = site(
            "shop.example",
            Settings { redirect_rules: vec![rule("/a", "/a?ref=1")], ..Settings::default() },
        );

        assert_eq!(redirect(&site, "https://shop.example/a?ref=1"), None);
        assert_eq!(
            redirect(&site, "https://shop.example/a"),
            Some((307, "https://shop.example/a?ref=1".to_owned()))
        );
    }

    #[test]
    fn a_page_has_one_address_whatever_form_is_asked_for() {
        let apex = Settings { preferred_host: Some(PreferredHost::Apex), ..Settings::default() };
        let (plain, apex) = (site("shop.example", Settings::default()), site("shop.example", apex));
        let canonical =
            |site: &Site, url: &str| site.canonical_url(&Url::parse(url).expect("an address")).to_string();

        assert_eq!(
            canonical(&plain, "http://shop.example:8080//a?b=1&utm_source=x&a"),
            "https://shop.example/a?a&b=1"
        );
        assert_eq!(canonical(&plain, "http://www.shop.example/a"), "https://www.shop.example/a");
        assert_eq!(canonical(&apex, "http://www.shop.example/a"), "https://shop.example/a");
    }

    #[test]
    fn the_origin_url_is_the_same_path_on_the_origin_host() {
        let own = site("shop.example", Settings::default());
        let other = site(
            "shop.example",
            Settings { origin_host: "app.host.test".parse().ok(), ..Settings::default() },
        );
        let url = Url::parse("https://shop.example/a%20b?x=1#top").expect("an address");

        assert_eq!(own.origin_url(&url).as_str(), "https://shop.example/a%20b?x=1");
        assert_eq!(other.origin_url(&url).as_str(), "https://app.host.test/a%20b?x=1");
    }

    #[test]
    fn the_most_specific_refresh_rule_wins_whatever_its_place() {
        let mut domain = site("shop.example", Settings::default()).domain;
        let rule =
            |pattern: &str, interval_seconds| RefreshRule { pattern: pattern.into(), interval_seconds };
        domain.rendering.refresh_rules =
            vec![rule("/**", 100), rule("/blog/*", 200), rule("/blog/new", 300), rule("/blog/new/", 400)];
        let site = Site::new(domain);
        let interval = |path: &str| {
            let url = Url::parse(&format!("https://shop.example{path}")).expect("an address");
            site.refresh_interval(&url).as_secs()
        };

        assert_eq!(interval("/"), 100);
        assert_eq!(interval("/blog/old"), 200);
        assert_eq!(interval("/blog/new"), 300);
    }
}
