//! The part of the state machine for pages that go elsewhere, or say so: whether the render ends with a redirect, goes on in
//! the document that they went to, or stays. See docs/decisions/0110.
//! Must never end with a redirect to what did not come to a document: a download, no content, an address of an app.

use std::time::Duration;

use crawler::url::www_twin;
use tokio::time::Instant;
use url::Url;

use super::{Action, State};
use crate::egress::Standing;
use crate::page::{Command, Done, Via, Why};
use crate::visit::document::{Document, is_download, is_shown};
use crate::visit::limits::{DEPARTURE_LIMIT, DESTINATION_LIMIT};
use crate::visit::outcome::End;
use crate::visit::protocol::{Received, Request};
use crate::visit::redirects::{
    Cause, Departure, Followed, Question, Redirect, is_real, is_same_page, is_same_snapshot,
};

impl State<'_> {
    /// The script in the page has seen a navigation begin.
    pub(super) fn on_leaving(&mut self, redirect: Redirect, now: Instant) {
        match &mut self.departure {
            // The network was quicker than the page, which knows the status.
            Some(departure) => departure.redirect.status = redirect.status,
            None => {
                self.departure = Some(Departure::new(redirect, now + DEPARTURE_LIMIT));
            }
        }
    }

    /// A navigation of the page's own asks for its document.
    pub(super) fn on_departing(&mut self, request: &Request<'_>, now: Instant) {
        // The page's own word carries the status that it wants.
        let told = self.departure.take().filter(|told| told.request.is_none()).map(|told| told.redirect);
        let redirect = told.unwrap_or_else(|| Redirect::by_script(0, request.request.with_fragment()));
        let request = Some(request.request_id.to_string());
        self.departure = Some(Departure { request, ..Departure::new(redirect, now + DESTINATION_LIMIT) });
    }

    /// Takes the departure whose request this is.
    pub(super) fn take_departure(&mut self, request: &str) -> Option<Departure> {
        self.departure.take_if(|departure| departure.request.as_deref() == Some(request))
    }

    /// The response to a navigation of the page's own.
    pub(super) fn on_departed(&mut self, departure: Departure, received: &Received<'_>) -> Option<End> {
        if !departure.is_hop && (!is_shown(&received.response) || is_download(&received.response)) {
            self.stay();
            return None;
        }
        let was_not_found =
            !departure.is_hop && self.followed.is_none() && self.is_not_found(&departure.redirect);
        // Another query makes no other page. The browser asks anew by itself, too, when the server wants to know more of it.
        let is_page = |address: &str| is_same_page(&self.request.url, address);
        let is_itself =
            !departure.is_hop && (is_page(&departure.redirect.location) || is_page(departure.address()));
        // A document that the page has made itself (`blob:`) has an address for nobody else.
        let is_made_here = !departure.redirect.location.starts_with("http");
        let mut document = Document {
            request: departure.request.clone(),
            loader: Some(received.loader_id.to_string()),
            url: departure.address().to_owned(),
            ..Document::default()
        };
        document.read_head(&received.response);
        self.arrive(document);
        if was_not_found {
            self.followed = Some(Followed::NotFound(departure.redirect));
            return None;
        }
        // People get the page that a sign-in host of another site leads back to.
        let has_come_back = departure.is_hop && self.was_abroad() && self.is_own(departure.address());
        if (is_itself || is_made_here || has_come_back) && self.hops < self.request.limits.redirects {
            self.hops += 1;
            self.followed = Some(Followed::Gate);
            return self.document.flaw.take().map(End::not_a_page);
        }
        self.end_at(departure)
    }

    /// A navigation of the page's own ended without a response.
    pub(super) fn on_departure_failed(&mut self, departure: Departure, broken: bool) -> Option<End> {
        if broken || departure.is_hop {
            // A place that cannot be reached is where the page went all the same.
            return Some(self.redirect(departure.redirect));
        }
        self.stay();
        None
    }

    /// A departure that has taken too long.
    pub(super) fn on_late_departure(&mut self, now: Instant) -> Option<End> {
        let departure = self.departure.take_if(|departure| departure.until <= now)?;
        if departure.request.is_some() {
            return Some(self.redirect(departure.redirect));
        }
        self.stay();
        None
    }

    /// The origin redirects: the document itself, or where a script went.
    pub(super) fn on_hop(&mut self, request: &Request<'_>, status: u16, now: Instant) -> Option<End> {
        let redirect = Redirect { status, location: request.request.with_fragment() };
        if let Some(departure) = self.take_departure(&request.request_id) {
            if !departure.is_hop {
                // It may end in a download, and the page stays.
                let (landing, until) = (Some(request.request.url.to_string()), now + self.hop_grace());
                self.departure = Some(Departure { landing, until, ..departure });
                return None;
            }
            self.arrive(Document::requested(request));
            if is_same_page(&self.request.url, &redirect.location) {
                // There and back again: for a cookie.
                self.followed = Some(Followed::Gate);
                return None;
            }
            if self.may_come_back(&redirect) {
                self.hops += 1;
                let (landing, until) = (Some(request.request.url.to_string()), now + self.hop_grace());
                self.departure = Some(Departure { landing, until, ..departure });
                return None;
            }
            return self.end_at(departure);
        }
        self.document.url = request.request.url.to_string();
        if self.question.is_some() || self.followed == Some(Followed::Gate) {
            // Of a chain the first is the result, if one is.
            self.hops += 1;
            let is_endless = self.hops > self.request.limits.redirects;
            return is_endless.then(|| self.redirect(redirect));
        }
        if is_same_snapshot(&self.request.url, &redirect.location) {
            // To itself: for a cookie, or because the server wants to know more of the browser (`Critical-CH`).
            self.followed = Some(Followed::Gate);
            return None;
        }
        if self.is_own(&redirect.location) || self.is_abroad(&redirect.location) {
            let request = Some(request.request_id.to_string());
            let departure = Departure::new(redirect, now + self.hop_grace());
            self.departure = Some(Departure { request, is_hop: true, ..departure });
            return None;
        }
        Some(self.redirect(redirect))
    }

    fn hop_grace(&self) -> Duration {
        if self.findings.sets_cookies || self.was_abroad() { DESTINATION_LIMIT } else { DEPARTURE_LIMIT }
    }

    /// Decides whether one more hop may lead back: behind a cookie, or by way of another host, which signs visitors in.
    fn may_come_back(&self, next: &Redirect) -> bool {
        self.hops < self.request.limits.redirects
            && (self.findings.sets_cookies || self.was_abroad())
            && (self.is_own(&next.location) || self.is_abroad(&next.location))
    }

    /// The document that a departure has come to is not the one that was asked for.
    fn end_at(&mut self, departure: Departure) -> Option<End> {
        // What another host shows is never the page, whatever let this visitor in.
        if departure.is_hop && !self.is_own(&departure.redirect.location) {
            return Some(self.redirect(departure.redirect));
        }
        self.look_into(departure.redirect, Cause::Navigation)
    }

    /// A report that counts: of the page, or of where it says that it is.
    pub(super) fn on_report(&mut self, mut done: Done, now: Instant) -> Option<End> {
        if done.location.is_none() && !matches!(done.why, Why::Forced | Why::Timeout) {
            done.location = self.document.refresh.take();
            done.via = done.via.or(done.location.is_some().then_some(Via::Refresh));
        }
        let Some(location) = &done.location else {
            return Some(match &self.followed {
                Some(Followed::NotFound(first)) if !is_same_page(&self.request.url, &done.url) => {
                    self.redirect(first.clone())
                }
                _ => self.finish(done),
            });
        };
        let redirect = Redirect::by_script(done.status, location.clone());
        let Some(via @ (Via::Refresh | Via::Router)) = done.via else { return Some(self.redirect(redirect)) };
        match &self.followed {
            Some(_) if is_same_page(&self.request.url, location) => {
                self.actions.push(Action::Order(Command::Stay));
                None
            }
            Some(Followed::NotFound(first)) => Some(self.redirect(first.clone())),
            // A document that says that there is no such page sends its visitors on by itself, in a moment, as does one that wants
            // another query.
            None if via == Via::Refresh
                && (self.is_not_found(&redirect) || is_same_page(&self.request.url, location)) =>
            {
                self.departure = Some(Departure::new(redirect, now + DESTINATION_LIMIT));
                None
            }
            _ if via == Via::Refresh => self.look_into(redirect, Cause::Refresh),
            _ => self.look_into(redirect, Cause::Router),
        }
    }

    /// Asks whether a redirect is real.
    fn look_into(&mut self, redirect: Redirect, cause: Cause) -> Option<End> {
        self.hops += 1;
        let url = Url::parse(&redirect.location).ok().filter(|_| self.hops <= self.request.limits.redirects);
        let Some(url) = url else { return Some(self.redirect(redirect)) };
        self.actions.push(Action::Probe { url, if_cookies: cause == Cause::Navigation });
        self.question = Some(Question { redirect, cause });
        None
    }

    /// What was found out about the redirect in question.
    pub(super) fn on_standing(&mut self, standing: &Standing, now: Instant) -> Option<End> {
        let question = self.question.take()?;
        if is_real(&question, standing, &self.request.url) {
            return Some(self.redirect(question.redirect));
        }
        if question.cause != Cause::Navigation {
            self.actions.push(Action::Order(Command::Stay));
            return None;
        }
        self.followed = Some(Followed::Gate);
        if let Some(flaw) = self.document.flaw.take() {
            return Some(End::not_a_page(flaw));
        }
        let held = self.held.take()?;
        self.on_done(held, now)
    }

    /// The page does not leave after all.
    fn stay(&mut self) {
        self.departure = None;
        self.actions.push(Action::Order(Command::Again));
    }

    /// Takes the redirect that is most likely the result, when there is no time left to look into it.
    pub(super) fn take_redirect_under_way(&mut self) -> Option<Redirect> {
        let departure = self.departure.take().filter(|departure| departure.request.is_some());
        let question = self.question.take();
        departure.map(|departure| departure.redirect).or(question.map(|question| question.redirect))
    }

    /// Whether a document that says that there is no such page sends its visitors to another one of its own site.
    fn is_not_found(&self, redirect: &Redirect) -> bool {
        self.document.status.is_some_and(|status| status >= 400) && self.is_own(&redirect.location)
    }

    /// Decides whether a server has redirected to another host so far.
    fn was_abroad(&self) -> bool {
        self.trail.hops.iter().any(|hop| self.is_abroad(&hop.location))
    }

    /// Decides whether an address is one of another host than the page's own and the other name of that.
    fn is_abroad(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| {
            let (host, own) = (url.host_str(), self.request.url.host_str());
            host != own && own.and_then(www_twin).as_deref() != host
        })
    }

    fn is_own(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| url.origin() == self.request.url.origin())
    }

    /// The end with a redirect.
    pub(super) fn redirect(&self, redirect: Redirect) -> End {
        End::redirect(redirect.status, redirect.location, self.request.url.clone())
    }
}
