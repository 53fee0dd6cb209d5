//! The part of the state machine for pages that go elsewhere, or say so: whether the render ends with a redirect, goes on in
//! the document that they went to, or stays. See docs/decisions/0110.
//! Must never end with a redirect to what did not come to a document: a download, no content, an address of an app.

use std::time::Duration;

use crawler::url::www_twin;
use tokio::time::Instant;
use url::Url;

use super::{Action, State};
use crate::egress::ProbeResult;
use crate::page::{CaptureReason, Command, RedirectSource, Report};
use crate::visit::document::{Document, is_download, is_shown};
use crate::visit::limits::{NAVIGATION_RESPONSE_LIMIT, NAVIGATION_START_LIMIT};
use crate::visit::outcome::Outcome;
use crate::visit::protocol::{LoadEnd, Received, Request};
use crate::visit::redirects::{
    Cause, Followed, PendingNavigation, ProbedRedirect, Redirect, is_confirmed, is_same_page,
    is_same_snapshot,
};

impl State<'_> {
    /// The script in the page has seen a navigation begin.
    pub(super) fn on_script_navigation(&mut self, redirect: Redirect, now: Instant) {
        match &mut self.navigation {
            // The network was quicker than the page, which knows the status.
            Some(navigation) => navigation.redirect.status = redirect.status,
            None => {
                self.navigation = Some(PendingNavigation::new(redirect, now + NAVIGATION_START_LIMIT));
            }
        }
    }

    /// A navigation of the page's own asks for its document.
    pub(super) fn on_navigation_request(&mut self, request: &Request<'_>, now: Instant) {
        // The page's own word carries the status that it wants.
        let told = self.navigation.take().filter(|told| told.request.is_none()).map(|told| told.redirect);
        let redirect = told.unwrap_or_else(|| Redirect::by_script(0, request.request.with_fragment()));
        let request = Some(request.request_id.to_string());
        self.navigation = Some(PendingNavigation {
            request,
            ..PendingNavigation::new(redirect, now + NAVIGATION_RESPONSE_LIMIT)
        });
    }

    /// Takes the departure whose request this is.
    pub(super) fn take_navigation(&mut self, request: &str) -> Option<PendingNavigation> {
        self.navigation.take_if(|navigation| navigation.request.as_deref() == Some(request))
    }

    /// The response to a navigation of the page's own.
    pub(super) fn on_navigation_response(
        &mut self,
        navigation: PendingNavigation,
        received: &Received<'_>,
    ) -> Option<Outcome> {
        if !navigation.by_server && (!is_shown(&received.response) || is_download(&received.response)) {
            self.cancel_navigation();
            return None;
        }
        let was_not_found =
            !navigation.by_server && self.followed.is_none() && self.is_not_found(&navigation.redirect);
        // Another query makes no other page. The browser asks anew by itself, too, when the server wants to know more of it.
        let is_page = |address: &str| is_same_page(&self.request.url, address);
        let is_itself = !navigation.by_server
            && (is_page(&navigation.redirect.location) || is_page(navigation.address()));
        // A document that the page has made itself (`blob:`) has an address for nobody else.
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
        // People get the page that a sign-in host of another site leads back to.
        let has_come_back =
            navigation.by_server && self.visited_other_host() && self.is_own_origin(navigation.address());
        if (is_itself || is_made_here || has_come_back) && self.hops < self.request.limits.redirects {
            self.hops += 1;
            self.followed = Some(Followed::ProxyEndpoint);
            return self.document.rejection.take().map(Outcome::not_a_page);
        }
        self.finish_navigation(navigation)
    }

    /// A navigation of the page's own ended without a response.
    pub(super) fn on_navigation_failed(
        &mut self,
        navigation: PendingNavigation,
        end: LoadEnd,
    ) -> Option<Outcome> {
        if end.is_broken() || navigation.by_server {
            // A place that cannot be reached is where the page went all the same.
            return Some(self.redirect(navigation.redirect));
        }
        self.cancel_navigation();
        None
    }

    /// A departure that has taken too long.
    pub(super) fn on_navigation_timeout(&mut self, now: Instant) -> Option<Outcome> {
        let navigation = self.navigation.take_if(|navigation| navigation.until <= now)?;
        if navigation.request.is_some() {
            return Some(self.redirect(navigation.redirect));
        }
        self.cancel_navigation();
        None
    }

    /// The origin redirects: the document itself, or where a script went.
    pub(super) fn on_server_redirect(
        &mut self,
        request: &Request<'_>,
        status: u16,
        now: Instant,
    ) -> Option<Outcome> {
        let redirect = Redirect { status, location: request.request.with_fragment() };
        if let Some(navigation) = self.take_navigation(&request.request_id) {
            if !navigation.by_server {
                // It may end in a download, and the page stays.
                let (redirected_to, until) =
                    (Some(request.request.url.to_string()), now + self.redirect_timeout());
                self.navigation = Some(PendingNavigation { redirected_to, until, ..navigation });
                return None;
            }
            self.set_document(Document::requested(request));
            if is_same_page(&self.request.url, &redirect.location) {
                // There and back again: for a cookie.
                self.followed = Some(Followed::ProxyEndpoint);
                return None;
            }
            if self.may_return(&redirect) {
                self.hops += 1;
                let (redirected_to, until) =
                    (Some(request.request.url.to_string()), now + self.redirect_timeout());
                self.navigation = Some(PendingNavigation { redirected_to, until, ..navigation });
                return None;
            }
            return self.finish_navigation(navigation);
        }
        self.document.url = request.request.url.to_string();
        if self.probed.is_some() || self.followed == Some(Followed::ProxyEndpoint) {
            // Of a chain the first is the result, if one is.
            self.hops += 1;
            let is_endless = self.hops > self.request.limits.redirects;
            return is_endless.then(|| self.redirect(redirect));
        }
        if is_same_snapshot(&self.request.url, &redirect.location) {
            // To itself: for a cookie, or because the server wants to know more of the browser (`Critical-CH`).
            self.followed = Some(Followed::ProxyEndpoint);
            return None;
        }
        if self.is_own_origin(&redirect.location) || self.is_other_host(&redirect.location) {
            let request = Some(request.request_id.to_string());
            let navigation = PendingNavigation::new(redirect, now + self.redirect_timeout());
            self.navigation = Some(PendingNavigation { request, by_server: true, ..navigation });
            return None;
        }
        Some(self.redirect(redirect))
    }

    fn redirect_timeout(&self) -> Duration {
        if self.findings.sets_cookies || self.visited_other_host() {
            NAVIGATION_RESPONSE_LIMIT
        } else {
            NAVIGATION_START_LIMIT
        }
    }

    /// Decides whether one more hop may lead back: behind a cookie, or by way of another host, which signs visitors in.
    fn may_return(&self, next: &Redirect) -> bool {
        self.hops < self.request.limits.redirects
            && (self.findings.sets_cookies || self.visited_other_host())
            && (self.is_own_origin(&next.location) || self.is_other_host(&next.location))
    }

    /// The document that a departure has come to is not the one that was asked for.
    fn finish_navigation(&mut self, navigation: PendingNavigation) -> Option<Outcome> {
        // What another host shows is never the page, whatever let this visitor in.
        if navigation.by_server && !self.is_own_origin(&navigation.redirect.location) {
            return Some(self.redirect(navigation.redirect));
        }
        self.probe(navigation.redirect, Cause::Navigation)
    }

    /// A report that counts: of the page, or of where it says that it is.
    pub(super) fn on_accepted_report(&mut self, mut report: Report, now: Instant) -> Option<Outcome> {
        if report.location.is_none() && !matches!(report.why, CaptureReason::Forced | CaptureReason::Timeout)
        {
            report.location = self.document.refresh.take();
            report.via = report.via.or(report.location.is_some().then_some(RedirectSource::Refresh));
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
        let Some(via @ (RedirectSource::Refresh | RedirectSource::Router)) = report.via else {
            return Some(self.redirect(redirect));
        };
        match &self.followed {
            Some(_) if is_same_page(&self.request.url, location) => {
                self.actions.push(Action::Order(Command::IgnoreRedirect));
                None
            }
            Some(Followed::NotFound(first)) => Some(self.redirect(first.clone())),
            // A document that says that there is no such page sends its visitors on by itself, in a moment, as does one that wants
            // another query.
            None if via == RedirectSource::Refresh
                && (self.is_not_found(&redirect) || is_same_page(&self.request.url, location)) =>
            {
                self.navigation = Some(PendingNavigation::new(redirect, now + NAVIGATION_RESPONSE_LIMIT));
                None
            }
            _ if via == RedirectSource::Refresh => self.probe(redirect, Cause::Refresh),
            _ => self.probe(redirect, Cause::Router),
        }
    }

    /// Asks whether a redirect is real.
    fn probe(&mut self, redirect: Redirect, cause: Cause) -> Option<Outcome> {
        self.hops += 1;
        let url = Url::parse(&redirect.location).ok().filter(|_| self.hops <= self.request.limits.redirects);
        let Some(url) = url else { return Some(self.redirect(redirect)) };
        self.actions.push(Action::Probe { url, if_cookies: cause == Cause::Navigation });
        self.probed = Some(ProbedRedirect { redirect, cause });
        None
    }

    /// What was found out about the redirect in question.
    pub(super) fn on_probe_result(&mut self, result: &ProbeResult, now: Instant) -> Option<Outcome> {
        let probed = self.probed.take()?;
        if is_confirmed(&probed, result, &self.request.url) {
            return Some(self.redirect(probed.redirect));
        }
        if probed.cause != Cause::Navigation {
            self.actions.push(Action::Order(Command::IgnoreRedirect));
            return None;
        }
        self.followed = Some(Followed::ProxyEndpoint);
        if let Some(rejection) = self.document.rejection.take() {
            return Some(Outcome::not_a_page(rejection));
        }
        let held = self.held_report.take()?;
        self.on_report(held, now)
    }

    /// The page does not leave after all.
    fn cancel_navigation(&mut self) {
        self.navigation = None;
        self.actions.push(Action::Order(Command::Resume));
    }

    /// Takes the redirect that is most likely the result, when there is no time left to look into it.
    pub(super) fn take_pending_redirect(&mut self) -> Option<Redirect> {
        let navigation = self.navigation.take().filter(|navigation| navigation.request.is_some());
        let probed = self.probed.take();
        navigation.map(|navigation| navigation.redirect).or(probed.map(|probed| probed.redirect))
    }

    /// Whether a document that says that there is no such page sends its visitors to another one of its own site.
    fn is_not_found(&self, redirect: &Redirect) -> bool {
        self.document.status.is_some_and(|status| status >= 400) && self.is_own_origin(&redirect.location)
    }

    /// Decides whether a server has redirected to another host so far.
    fn visited_other_host(&self) -> bool {
        self.redirects.hops.iter().any(|hop| self.is_other_host(&hop.location))
    }

    /// Decides whether an address is one of another host than the page's own and the other name of that.
    fn is_other_host(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| {
            let (host, own) = (url.host_str(), self.request.url.host_str());
            host != own && own.and_then(www_twin).as_deref() != host
        })
    }

    fn is_own_origin(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| url.origin() == self.request.url.origin())
    }

    /// The end with a redirect.
    pub(super) fn redirect(&self, redirect: Redirect) -> Outcome {
        Outcome::redirect(redirect.status, redirect.location, self.request.url.clone())
    }
}
