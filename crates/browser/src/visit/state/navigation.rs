//! The part of the state machine for navigations away from the page: the render ends with a redirect, continues in the new
//! document, or stays. See docs/decisions/0110.
//! Must never end with a redirect to an address that shows no document: a download, no content, a custom scheme.

use std::time::Duration;

use crawler::url::www_twin;
use tokio::time::Instant;
use url::Url;

use super::{Action, State};
use crate::egress::Probed;
use crate::page::{Command, Report, Via, WaitEnd};
use crate::visit::document::{Document, is_download, is_shown};
use crate::visit::limits::{RESPONSE_LIMIT, START_LIMIT};
use crate::visit::outcome::VisitEnd;
use crate::visit::protocol::{LoadEnd, Received, Request};
use crate::visit::redirects::{
    Cause, Followed, Navigation, ProbedRedirect, Redirect, is_confirmed, is_same_page, is_same_snapshot,
};

impl State<'_> {
    /// Handles the start of a navigation by a script.
    pub(super) fn on_script_navigation(&mut self, redirect: Redirect, now: Instant) {
        match &mut self.navigation {
            // The request was reported first. The script knows the status.
            Some(navigation) => navigation.redirect.status = redirect.status,
            None => self.navigation = Some(Navigation::new(redirect, now + START_LIMIT)),
        }
    }

    /// Handles the document request of a navigation by the page.
    pub(super) fn on_departure(&mut self, request: &Request<'_>, now: Instant) {
        // The script's message has the status that the page declares.
        let reported = self.navigation.take().filter(|reported| reported.request.is_none());
        let redirect = reported.map(|reported| reported.redirect);
        let redirect = redirect.unwrap_or_else(|| Redirect::by_script(0, request.request.with_fragment()));
        let request = Some(request.request_id.to_string());
        self.navigation = Some(Navigation { request, ..Navigation::new(redirect, now + RESPONSE_LIMIT) });
    }

    /// Takes the pending navigation with this request.
    pub(super) fn take_navigation(&mut self, request: &str) -> Option<Navigation> {
        self.navigation.take_if(|navigation| navigation.request.as_deref() == Some(request))
    }

    /// Handles the response to a navigation by the page.
    pub(super) fn on_arrival(&mut self, navigation: Navigation, received: &Received<'_>) -> Option<VisitEnd> {
        if !navigation.by_server && (!is_shown(&received.response) || is_download(&received.response)) {
            self.cancel_navigation();
            return None;
        }
        let was_not_found =
            !navigation.by_server && self.followed.is_none() && self.is_not_found(&navigation.redirect);
        // Another query is the same page. The browser also repeats a request by itself, for `Critical-CH`.
        let is_page = |address: &str| is_same_page(&self.request.url, address);
        let is_itself = !navigation.by_server
            && (is_page(&navigation.redirect.location) || is_page(navigation.address()));
        // A document that the page made itself (`blob:`) has no address for other visitors.
        let is_made_here = !navigation.redirect.location.starts_with("http");
        let mut document = Document {
            request: navigation.request.clone(),
            loader: Some(received.loader_id.to_string()),
            url: navigation.address().to_owned(),
            ..Document::default()
        };
        document.read_head(&received.response);
        self.set_document(document);
        if was_not_found {
            self.followed = Some(Followed::NotFound(navigation.redirect));
            return None;
        }
        // A sign-in host of another site has led back, as it does for visitors.
        let has_come_back =
            navigation.by_server && self.visited_other_host() && self.is_own_origin(navigation.address());
        if (is_itself || is_made_here || has_come_back) && self.hops < self.request.limits.redirects {
            self.hops += 1;
            self.followed = Some(Followed::AsPage);
            return self.document.rejection.take().map(VisitEnd::not_a_page);
        }
        self.finish_navigation(navigation)
    }

    /// Handles a navigation that ended without a response.
    pub(super) fn on_failure(&mut self, navigation: Navigation, end: LoadEnd) -> Option<VisitEnd> {
        if end.is_broken() || navigation.by_server {
            // An address that cannot be reached is still the target.
            return Some(self.redirect(navigation.redirect));
        }
        self.cancel_navigation();
        None
    }

    /// Handles a navigation that has not responded in time.
    pub(super) fn on_timeout(&mut self, now: Instant) -> Option<VisitEnd> {
        let navigation = self.navigation.take_if(|navigation| navigation.until <= now)?;
        if navigation.request.is_some() {
            return Some(self.redirect(navigation.redirect));
        }
        self.cancel_navigation();
        None
    }

    /// Handles a server redirect of the document or of a navigation.
    pub(super) fn on_server_redirect(
        &mut self,
        request: &Request<'_>,
        status: u16,
        now: Instant,
    ) -> Option<VisitEnd> {
        let redirect = Redirect { status, location: request.request.with_fragment() };
        if let Some(navigation) = self.take_navigation(&request.request_id) {
            // A navigation by the page may end in a download, and then the page stays.
            if navigation.by_server {
                self.set_document(Document::requested(request));
                if is_same_page(&self.request.url, &redirect.location) {
                    // Back again, because of a cookie.
                    self.followed = Some(Followed::AsPage);
                    return None;
                }
                if !self.may_return(&redirect) {
                    return self.finish_navigation(navigation);
                }
                self.hops += 1;
            }
            let redirected_to = Some(request.request.url.to_string());
            let until = now + self.redirect_timeout();
            self.navigation = Some(Navigation { redirected_to, until, ..navigation });
            return None;
        }
        self.document.url = request.request.url.to_string();
        if self.probed.is_some() || self.followed == Some(Followed::AsPage) {
            // The first redirect of a chain is the result, if any is.
            self.hops += 1;
            let is_endless = self.hops > self.request.limits.redirects;
            return is_endless.then(|| self.redirect(redirect));
        }
        if is_same_snapshot(&self.request.url, &redirect.location) {
            // To itself, because of a cookie or `Critical-CH`.
            self.followed = Some(Followed::AsPage);
            return None;
        }
        if self.is_own_origin(&redirect.location) || self.is_other_host(&redirect.location) {
            let request = Some(request.request_id.to_string());
            let navigation = Navigation::new(redirect, now + self.redirect_timeout());
            self.navigation = Some(Navigation { request, by_server: true, ..navigation });
            return None;
        }
        Some(self.redirect(redirect))
    }

    fn redirect_timeout(&self) -> Duration {
        if self.findings.sets_cookies || self.visited_other_host() { RESPONSE_LIMIT } else { START_LIMIT }
    }

    /// Returns true when another redirect may lead back: because of a cookie, or through a sign-in host.
    fn may_return(&self, next: &Redirect) -> bool {
        self.hops < self.request.limits.redirects
            && (self.findings.sets_cookies || self.visited_other_host())
            && (self.is_own_origin(&next.location) || self.is_other_host(&next.location))
    }

    /// Handles a navigation that arrived at another document than the requested one.
    fn finish_navigation(&mut self, navigation: Navigation) -> Option<VisitEnd> {
        // A page of another host is never the requested page.
        if navigation.by_server && !self.is_own_origin(&navigation.redirect.location) {
            return Some(self.redirect(navigation.redirect));
        }
        self.probe(navigation.redirect, Cause::Navigation)
    }

    /// Handles a report that is neither premature nor superseded.
    pub(super) fn on_accepted_report(&mut self, mut report: Report, now: Instant) -> Option<VisitEnd> {
        if report.location.is_none() && !matches!(report.why, WaitEnd::Forced | WaitEnd::Timeout) {
            report.location = self.document.refresh.take();
            report.via = report.via.or(report.location.is_some().then_some(Via::Refresh));
        }
        let Some(location) = &report.location else {
            return Some(match &self.followed {
                Some(Followed::NotFound(first)) if !is_same_page(&self.request.url, &report.url) => {
                    self.redirect(first.clone())
                }
                _ => self.finish(report),
            });
        };
        let redirect = Redirect::by_script(report.status, location.clone());
        let Some(via @ (Via::Refresh | Via::Router)) = report.via else {
            return Some(self.redirect(redirect));
        };
        match &self.followed {
            Some(_) if is_same_page(&self.request.url, location) => {
                self.actions.push(Action::Order(Command::IgnoreRedirect));
                None
            }
            Some(Followed::NotFound(first)) => Some(self.redirect(first.clone())),
            // An error document navigates by its own refresh shortly, as does one that wants another query.
            None if via == Via::Refresh
                && (self.is_not_found(&redirect) || is_same_page(&self.request.url, location)) =>
            {
                self.navigation = Some(Navigation::new(redirect, now + RESPONSE_LIMIT));
                None
            }
            _ if via == Via::Refresh => self.probe(redirect, Cause::Refresh),
            _ => self.probe(redirect, Cause::Router),
        }
    }

    /// Probes the target of a redirect.
    fn probe(&mut self, redirect: Redirect, cause: Cause) -> Option<VisitEnd> {
        self.hops += 1;
        let url = Url::parse(&redirect.location).ok().filter(|_| self.hops <= self.request.limits.redirects);
        let Some(url) = url else { return Some(self.redirect(redirect)) };
        self.actions.push(Action::Probe { url, if_cookies: cause == Cause::Navigation });
        self.probed = Some(ProbedRedirect { redirect, cause });
        None
    }

    /// Handles the result of a probe.
    pub(super) fn on_probe_result(&mut self, result: &Probed, now: Instant) -> Option<VisitEnd> {
        let probed = self.probed.take()?;
        if is_confirmed(&probed, result, &self.request.url) {
            return Some(self.redirect(probed.redirect));
        }
        if probed.cause != Cause::Navigation {
            self.actions.push(Action::Order(Command::IgnoreRedirect));
            return None;
        }
        self.followed = Some(Followed::AsPage);
        if let Some(rejection) = self.document.rejection.take() {
            return Some(VisitEnd::not_a_page(rejection));
        }
        let held = self.held_report.take()?;
        self.on_report(held, now)
    }

    /// Cancels the pending navigation: the page stays.
    fn cancel_navigation(&mut self) {
        self.navigation = None;
        self.actions.push(Action::Order(Command::Resume));
    }

    /// Takes the most probable redirect when there is no time left to confirm it.
    pub(super) fn take_pending_redirect(&mut self) -> Option<Redirect> {
        let navigation = self.navigation.take().filter(|navigation| navigation.request.is_some());
        let probed = self.probed.take();
        navigation.map(|navigation| navigation.redirect).or(probed.map(|probed| probed.redirect))
    }

    /// Returns true when a document with an error status redirects within its own site.
    fn is_not_found(&self, redirect: &Redirect) -> bool {
        self.document.status.is_some_and(|status| status >= 400) && self.is_own_origin(&redirect.location)
    }

    /// Returns true when a server has redirected to another host.
    fn visited_other_host(&self) -> bool {
        self.redirects.hops.iter().any(|hop| self.is_other_host(&hop.location))
    }

    /// Returns true when an address is neither on the page's host nor on its `www.`/apex counterpart.
    fn is_other_host(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| {
            let (host, own) = (url.host_str(), self.request.url.host_str());
            host != own && own.and_then(www_twin).as_deref() != host
        })
    }

    fn is_own_origin(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| url.origin() == self.request.url.origin())
    }

    /// Returns the outcome of a redirect.
    pub(super) fn redirect(&self, redirect: Redirect) -> VisitEnd {
        VisitEnd::redirect(redirect.status, redirect.location, self.request.url.clone())
    }
}
