//! Tests of the state machine of a visit, without a browser.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::outcome::{Captured, VisitEnd};
use super::protocol::{Input, LoadEnd};
use super::state::{Action, State};
use crate::cdp::CdpError;
use crate::egress::Probed;
use crate::frame_scheduler::FrameKind;
use crate::page::{self, Command, Message};
use crate::{RenderError, RenderLimits, RenderRequest, Settled};

const FRAME: &str = "main";
const PAGE: &str = "https://shop.test/page";
const NEW: &str = "https://shop.test/new";

fn request() -> RenderRequest {
    RenderRequest {
        url: PAGE.parse().unwrap(),
        tenant: "tenant".into(),
        route: None,
        own_headers: None,
        timeout: Duration::from_secs(10),
        wait_for_selector: None,
        blocked_urls: Vec::new(),
        limits: RenderLimits { page_bytes: 1_000, html_bytes: 1_000, redirects: 10 },
        inspect: false,
        slot: None,
    }
}

/// A visit with a manual clock.
struct TestVisit<'a> {
    state: State<'a>,
    now: Instant,
}

impl<'a> TestVisit<'a> {
    fn new(request: &'a RenderRequest) -> TestVisit<'a> {
        let now = Instant::now();
        TestVisit { state: State::new(request, FRAME, now), now }
    }

    /// Makes a visit whose document has a response with status 200.
    fn at_document(request: &'a RenderRequest) -> TestVisit<'a> {
        let mut visit = TestVisit::new(request);
        assert!(visit.requests("1", PAGE).is_none());
        assert!(visit.responds("1", 200, "text/html").is_none());
        visit.state.take_actions();
        visit
    }

    /// Sends a request of the main frame for a document.
    fn requests(&mut self, id: &str, url: &str) -> Option<VisitEnd> {
        self.on_request(json!({ "requestId": id, "loaderId": id, "type": "Document", "url": url }))
    }

    fn requests_script(&mut self, id: &str, url: &str) -> Option<VisitEnd> {
        self.on_request(json!({ "requestId": id, "loaderId": "1", "type": "Script", "url": url }))
    }

    /// Redirects the first request to `url` by a response.
    fn redirects(&mut self, url: &str, response: serde_json::Value) -> Option<VisitEnd> {
        self.on_request(json!({ "requestId": "1", "loaderId": "1", "type": "Document", "url": url,
            "redirectResponse": response }))
    }

    fn on_request(&mut self, mut event: serde_json::Value) -> Option<VisitEnd> {
        event["frameId"] = FRAME.into();
        event["request"] = json!({ "url": event["url"], "method": "GET" });
        self.state.on_input(Input::Request(serde_json::from_str(&event.to_string()).unwrap()), self.now)
    }

    fn responds(&mut self, id: &str, status: u16, mime_type: &str) -> Option<VisitEnd> {
        let response = json!({ "status": status, "mimeType": mime_type, "headers": {} });
        let event = json!({ "requestId": id, "loaderId": id, "response": response }).to_string();
        self.state.on_input(Input::Response(serde_json::from_str(&event).unwrap()), self.now)
    }

    fn loaded(&mut self, id: &str) -> Option<VisitEnd> {
        self.state.on_input(Input::Loaded { request_id: id, end: LoadEnd::Finished }, self.now)
    }

    fn reports(&mut self, changes: serde_json::Value) -> Option<VisitEnd> {
        let mut report = json!({ "k": "done", "nonce": "n", "why": "quiet", "url": PAGE, "title": "", "status": 0,
            "location": null, "via": null, "tooLarge": null });
        let html = changes.get("html").and_then(serde_json::Value::as_str).unwrap_or("<p>");
        report.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        self.says(page::parse(&format!("{report}\n{html}"), "n").unwrap())
    }

    fn says(&mut self, message: Message) -> Option<VisitEnd> {
        self.state.on_input(Input::Message(message), self.now)
    }

    /// Returns the result of the probe.
    fn finds(&mut self, result: Probed) -> Option<VisitEnd> {
        self.state.on_input(Input::Probed(result), self.now)
    }

    /// Advances the clock to the next deadline.
    fn wait(&mut self) -> Option<VisitEnd> {
        self.now = self.state.next_deadline();
        self.state.on_timer(self.now)
    }

    fn actions(&mut self) -> Vec<Action> {
        self.state.take_actions()
    }
}

fn page_of(end: Option<VisitEnd>) -> Captured {
    match end {
        Some(VisitEnd::Page(captured)) => *captured,
        other => panic!("no page: {other:?}"),
    }
}

#[test]
fn a_report_that_cannot_be_read_is_a_failure_at_once() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);

    let end = visit.says(page::parse(r#"{"k":"done","nonce":"n"}"#, "n").unwrap());

    assert!(matches!(end, Some(VisitEnd::Failed(RenderError::NotAPage(_)))), "{end:?}");
}

#[test]
fn time_is_skipped_only_while_no_request_is_pending() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);
    let skip = [Action::Order(Command::Skip)];

    visit.says(Message::Skip);
    assert_eq!(visit.actions(), skip);
    visit.requests_script("2", "https://shop.test/module.js");
    visit.says(Message::Skip);
    assert!(visit.actions().is_empty());
    visit.loaded("2");
    visit.says(Message::Skip);
    // Once parsed, it may import others.
    assert!(visit.actions().is_empty());
    visit.now += Duration::from_millis(100);
    visit.says(Message::Skip);
    assert_eq!(visit.actions(), skip);
}

#[test]
fn a_document_that_forbids_scripts_is_captured_once_loaded() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);
    let headers = json!({ "content-security-policy": "sandbox" });
    let response = json!({ "status": 200, "mimeType": "text/html", "headers": headers });
    let event = json!({ "requestId": "1", "loaderId": "1", "response": response }).to_string();
    visit.state.on_input(Input::Response(serde_json::from_str(&event).unwrap()), visit.now);
    visit.actions();

    visit.state.on_input(Input::Shown, visit.now);

    assert_eq!(visit.actions(), [Action::WriteInert]);
}

#[test]
fn a_report_of_a_quiet_page_ends_the_visit_with_its_html() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);

    let page = page_of(visit.reports(json!({ "html": "<p>hello" })));

    assert_eq!((page.status, page.html.as_str(), page.partial), (200, "<p>hello", false));
    assert_eq!(page.settled, Settled::Quiet);
}

#[test]
fn a_report_before_the_response_of_the_document_is_ignored() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);

    let early = visit.reports(json!({}));
    visit.responds("1", 200, "text/html");
    let blank = visit.reports(json!({ "url": "about:blank" }));

    assert!(early.is_none() && blank.is_none());
}

#[test]
fn a_report_while_a_script_is_pending_is_repeated_after_the_script() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);
    visit.requests_script("2", "https://shop.test/late.js");

    let early = visit.reports(json!({}));
    let before = visit.actions();
    visit.loaded("2");

    assert!(early.is_none() && before.is_empty());
    assert_eq!(visit.actions(), [Action::Order(Command::Resume)]);
}

#[test]
fn the_page_script_is_told_when_the_document_breaks_off() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);

    visit.state.on_input(Input::Loaded { request_id: "2", end: LoadEnd::Failed }, visit.now);
    let of_another = visit.actions();
    visit.state.on_input(Input::Loaded { request_id: "1", end: LoadEnd::Failed }, visit.now);

    assert!(of_another.is_empty());
    assert_eq!(visit.actions(), [Action::Order(Command::BrokenOff)]);
}

#[test]
fn a_pending_script_delays_a_report_for_a_limited_time() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);
    visit.requests_script("2", "https://shop.test/hung.js");
    let began = visit.now;
    visit.reports(json!({}));

    assert!(visit.wait().is_none());

    assert_eq!((visit.now - began).as_secs(), 8);
    assert_eq!(visit.actions(), [Action::Order(Command::Resume)]);
    page_of(visit.reports(json!({})));
}

#[test]
fn a_page_without_a_report_is_ordered_to_report_then_stopped_then_fails() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);

    assert!(visit.wait().is_none());
    let first = visit.actions();
    assert!(visit.wait().is_none());
    let second = visit.actions();
    let end = visit.wait();

    assert_eq!(first, [Action::Order(Command::Capture)]);
    assert_eq!(second, [Action::StopScripts, Action::Order(Command::Capture)]);
    assert!(matches!(end, Some(VisitEnd::Failed(RenderError::Timeout(_)))), "{end:?}");
}

#[test]
fn a_page_that_reports_on_order_is_partial() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);
    visit.wait();

    let page = page_of(visit.reports(json!({ "why": "forced" })));

    assert_eq!((page.partial, page.settled), (true, Settled::Timeout));
}

#[test]
fn an_origin_that_does_not_respond_is_a_time_out_at_the_limit() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    let began = visit.now;
    visit.requests("1", PAGE);

    let end = visit.wait();

    assert!(matches!(end, Some(VisitEnd::Failed(RenderError::Timeout(_)))), "{end:?}");
    assert_eq!(visit.now - began, request.timeout);
}

#[test]
fn a_page_over_its_download_limit_has_half_a_second_left() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);
    let began = visit.now;

    visit.state.on_input(Input::OverLimit, began);
    visit.wait();

    assert_eq!(visit.now - began, Duration::from_millis(500));
    assert_eq!(visit.actions(), [Action::Order(Command::Capture)]);
}

#[test]
fn html_over_the_limit_fails_with_its_size() {
    let request = request();
    for report in [json!({ "html": "x".repeat(1_001) }), json!({ "html": "", "tooLarge": 1_001 })] {
        let end = TestVisit::at_document(&request).reports(report);

        assert!(
            matches!(end, Some(VisitEnd::Failed(RenderError::TooLarge { bytes: 1_001, limit: 1_000 }))),
            "{end:?}"
        );
    }
}

fn moved(status: u16) -> serde_json::Value {
    json!({ "status": status, "mimeType": "", "headers": {} })
}

#[test]
fn a_redirect_of_the_origin_keeps_its_status() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);
    visit.actions();

    visit.redirects(NEW, moved(308));
    visit.responds("1", 200, "text/html");
    let asked = visit.actions();
    let page = page_of(visit.finds(Probed::Page));

    assert_eq!(asked, [Action::Probe { url: NEW.parse().unwrap(), if_cookies: true }]);
    assert_eq!((page.status, page.location.as_deref()), (308, Some(NEW)));
    assert_eq!(page.settled, Settled::Redirect);
}

#[test]
fn a_redirect_to_a_page_behind_a_cookie_is_followed() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);
    visit.redirects(NEW, moved(302));
    visit.redirects(PAGE, moved(302));
    visit.responds("1", 200, "text/html");

    let end = visit.reports(json!({}));

    assert_eq!(page_of(end).location, None);
}

#[test]
fn a_redirect_whose_target_refuses_new_visitors_is_followed() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);
    visit.redirects(NEW, moved(302));
    visit.responds("1", 200, "text/html");
    let held = visit.reports(json!({ "url": NEW }));

    let end = visit.finds(Probed::Error);

    assert!(held.is_none());
    assert_eq!(page_of(end).location, None);
}

#[test]
fn the_target_of_a_redirect_is_no_failure_while_it_is_probed() {
    let request = request();
    for (result, is_redirect) in [(Probed::Page, true), (Probed::Error, false)] {
        let mut visit = TestVisit::new(&request);
        visit.requests("1", PAGE);
        visit.redirects(NEW, moved(302));
        visit.redirects("https://shop.test/newer", moved(302));

        let early = visit.responds("1", 200, "text/plain");
        let end = visit.finds(result);

        assert!(early.is_none(), "{early:?}");
        assert_eq!(matches!(end, Some(VisitEnd::Page(_))), is_redirect, "{end:?}");
    }
}

#[test]
fn a_redirect_to_another_site_ends_the_visit_once_it_responds_or_times_out() {
    let request = request();
    for responds in [true, false] {
        let mut visit = TestVisit::new(&request);
        visit.requests("1", PAGE);

        let away = visit.redirects("https://other.test/", moved(301));
        let end = if responds { visit.responds("1", 200, "text/html") } else { visit.wait() };

        assert!(away.is_none());
        let page = page_of(end);
        assert_eq!((page.status, page.location.as_deref()), (301, Some("https://other.test/")));
    }
}

#[test]
fn a_redirect_to_itself_is_followed_however_slow_it_is() {
    let request = request();
    for itself in [PAGE, "https://shop.test/page?utm_source=mail"] {
        let mut visit = TestVisit::new(&request);
        visit.requests("1", PAGE);
        visit.redirects(itself, moved(302));
        visit.now += Duration::from_secs(5);
        visit.state.on_timer(visit.now);
        visit.responds("1", 200, "text/html");

        let end = visit.reports(json!({}));

        assert_eq!(page_of(end).location, None, "{itself}");
    }
}

#[test]
fn a_redirect_to_a_sign_in_host_is_followed_when_it_leads_back() {
    let request = request();
    for (first, onwards, is_page) in [
        ("https://login.shop.test/set", PAGE, true),
        ("https://id.test/set", PAGE, true),
        ("https://id.test/set", "https://shop.test/welcome", true),
        ("https://id.test/set", "https://other.test/", false),
    ] {
        let mut visit = TestVisit::new(&request);
        visit.requests("1", PAGE);
        let away = visit.redirects(first, moved(302));
        let further = visit.redirects("https://id.test/go", moved(302));

        let mut end = visit.redirects(onwards, moved(302));
        end = end.or_else(|| visit.responds("1", 200, "text/html")).or_else(|| visit.reports(json!({})));

        assert!(away.is_none() && further.is_none());
        let location = (!is_page).then_some(first);
        assert_eq!(page_of(end).location.as_deref(), location, "{first} {onwards}");
    }
}

#[test]
fn a_sign_in_behind_another_page_of_the_site_is_followed() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);

    let hops = ["https://shop.test/login", "https://id.test/", "https://shop.test/callback?code=1", PAGE];
    let early = hops.map(|hop| visit.redirects(hop, moved(302)).is_none());
    visit.responds("1", 200, "text/html");

    assert_eq!(early, [true; 4]);
    assert_eq!(page_of(visit.reports(json!({}))).location, None);
}

#[test]
fn a_page_of_another_host_of_the_site_is_a_redirect() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);
    visit.redirects("https://login.shop.test/", moved(302));

    let end = visit.responds("1", 200, "text/html");

    assert_eq!(page_of(end).location.as_deref(), Some("https://login.shop.test/"));
}

#[test]
fn a_redirect_to_the_other_name_of_the_site_is_returned_at_once() {
    let request = request();
    for other in ["https://www.shop.test/page", "http://shop.test/page"] {
        let mut visit = TestVisit::new(&request);
        visit.requests("1", PAGE);

        let end = visit.redirects(other, moved(301));

        assert_eq!(page_of(end).location.as_deref(), Some(other));
    }
}

#[test]
fn a_redirect_to_a_slow_target_is_returned_after_its_time_limit() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);
    visit.redirects(NEW, moved(301));

    let end = visit.wait();

    assert_eq!(page_of(end).location.as_deref(), Some(NEW));
}

#[test]
fn redirects_end_at_their_limit() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);

    let loops = "https://shop.test/loop";
    let hops: Vec<_> = (0..20)
        .map_while(|_| match visit.redirects(loops, moved(302)) {
            None => Some(()),
            Some(_) => None,
        })
        .collect();

    assert_eq!(hops.len(), 11);
}

#[test]
fn a_redirect_by_hsts_is_retried_in_another_tab() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    let headers = json!({ "Non-Authoritative-Reason": "HSTS" });
    let made_up = json!({ "status": 307, "mimeType": "", "headers": headers });

    let end = visit.redirects(PAGE, made_up);

    assert!(matches!(end, Some(VisitEnd::TabLost { crashed: false })), "{end:?}");
}

#[test]
fn a_navigation_that_the_script_does_not_report_is_a_redirect_after_its_time_limit() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);

    let seen = visit.requests("2", NEW);
    let end = visit.wait();

    assert!(seen.is_none());
    let page = page_of(end);
    assert_eq!((page.status, page.location.as_deref()), (302, Some(NEW)));
}

fn navigation(status: u16) -> Message {
    let report = json!({ "k": "navigation", "nonce": "n", "status": status, "location": NEW }).to_string();
    page::parse(&report, "n").unwrap()
}

#[test]
fn a_navigation_by_script_is_a_redirect_with_the_declared_status() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);

    let said = visit.says(navigation(301));
    let sent = visit.requests("2", NEW);
    let came = visit.responds("2", 200, "text/html");
    let page = page_of(visit.finds(Probed::Page));

    assert!(said.is_none() && sent.is_none() && came.is_none());
    assert_eq!((page.status, page.location.as_deref()), (301, Some(NEW)));
}

#[test]
fn the_page_stays_when_its_navigation_shows_no_document() {
    let request = request();
    for case in ["no content", "given up", "never asked for"] {
        let mut visit = TestVisit::at_document(&request);
        visit.says(navigation(302));
        let end = match case {
            "no content" => visit.requests("2", NEW).or_else(|| visit.responds("2", 204, "")),
            "given up" => visit.requests("2", NEW).or_else(|| visit.loaded("2")),
            _ => visit.wait(),
        };

        assert!(end.is_none(), "{case}: {end:?}");
        assert_eq!(visit.actions(), [Action::Order(Command::Resume)], "{case}");
        assert_eq!(page_of(visit.reports(json!({}))).status, 200);
    }
}

#[test]
fn a_router_address_that_the_server_does_not_know_is_no_redirect() {
    let request = request();
    let routed = json!({ "html": "", "location": NEW, "via": "router", "status": 302 });
    let mut unknown = TestVisit::at_document(&request);
    let mut known = TestVisit::at_document(&request);

    unknown.reports(routed.clone());
    let asked = unknown.actions();
    let stays = unknown.finds(Probed::Error);
    known.reports(routed);

    assert_eq!(asked, [Action::Probe { url: NEW.parse().unwrap(), if_cookies: false }]);
    assert!(stays.is_none());
    assert_eq!(unknown.actions(), [Action::Order(Command::IgnoreRedirect)]);
    assert_eq!(page_of(known.finds(Probed::Page)).location.as_deref(), Some(NEW));
}

#[test]
fn a_404_document_that_leads_back_to_its_address_is_the_page() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);
    visit.responds("1", 404, "text/html");

    visit.says(navigation(302));
    visit.requests("2", "https://shop.test/?/page");
    visit.responds("2", 200, "text/html");
    visit.actions();
    let moved = visit.reports(json!({ "html": "", "location": PAGE, "via": "router", "status": 302 }));

    assert!(moved.is_none());
    assert_eq!(visit.actions(), [Action::Order(Command::IgnoreRedirect)]);
    let page = page_of(visit.reports(json!({})));
    assert_eq!((page.status, page.location), (200, None));
}

#[test]
fn a_404_document_that_leads_elsewhere_is_a_redirect() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);
    visit.responds("1", 404, "text/html");

    visit.says(navigation(302));
    visit.requests("2", NEW);
    visit.responds("2", 200, "text/html");
    let page = page_of(visit.reports(json!({ "url": NEW })));

    assert_eq!((page.status, page.location.as_deref()), (302, Some(NEW)));
}

#[test]
fn a_page_may_reload_itself_three_times() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);

    for id in ["2", "3", "4"] {
        visit.requests(id, PAGE);
        assert_eq!(visit.actions(), [Action::StopRevalidating]);
    }
    let end = visit.requests("5", PAGE);

    assert!(matches!(end, Some(VisitEnd::Failed(RenderError::NotAPage(_)))), "{end:?}");
}

#[test]
fn one_frame_is_drawn_at_a_time_and_a_full_one_replaces_a_cheap_one() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);

    for message in [Message::Frame, Message::FullFrame, Message::Frame] {
        visit.says(message);
    }
    let first = visit.actions();
    visit.state.on_input(Input::Drawn, visit.now);

    assert_eq!(first, [Action::Draw(FrameKind::Cheap)]);
    assert_eq!(visit.actions(), [Action::Draw(FrameKind::Full)]);
}

#[test]
fn only_a_frame_of_another_origin_is_foreign() {
    let request = request();
    let mut visit = TestVisit::at_document(&request);
    for (url, foreign) in [
        ("https://shop.test/frame", false),
        ("about:blank", false),
        ("https://other.test/frame", true),
        ("http://shop.test/", true),
    ] {
        let event = json!({ "requestId": "9", "loaderId": "9", "frameId": "inner", "type": "Document",
            "request": { "url": url, "method": "GET" } })
        .to_string();
        visit.state.on_input(Input::Request(serde_json::from_str(&event).unwrap()), visit.now);

        assert_eq!(visit.actions() == [Action::RecordForeignFrame], foreign, "{url}");
    }
}

#[test]
fn an_aborted_navigation_without_a_document_fails_after_its_time_limit() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    let navigated = serde_json::from_value(json!({ "errorText": "net::ERR_ABORTED" })).unwrap();

    assert!(visit.state.on_input(Input::Navigated(Ok(navigated)), visit.now).is_none());
    let end = visit.wait();

    assert!(matches!(end, Some(VisitEnd::Failed(RenderError::OriginUnreachable(_)))), "{end:?}");
}

#[test]
fn a_lost_tab_is_blamed_on_the_page_only_when_it_crashed() {
    let request = request();
    for (input, by_page) in [
        (Input::Crashed, true),
        (Input::Disconnected, false),
        (Input::Navigated(Err(CdpError::Closed)), false),
    ] {
        let mut visit = TestVisit::new(&request);

        let end = visit.state.on_input(input, visit.now);

        assert!(matches!(end, Some(VisitEnd::TabLost { crashed }) if crashed == by_page), "{end:?}");
    }
}

#[test]
fn the_first_status_and_the_redirects_to_the_document_are_returned() {
    let request = request();
    let mut visit = TestVisit::new(&request);
    visit.requests("1", PAGE);
    let redirect = json!({ "url": PAGE, "status": 303, "mimeType": "", "headers": {} });

    visit.redirects("https://shop.test/page?utm_source=x", redirect);
    visit.responds("1", 200, "text/html");
    let responses = visit.state.take_responses();

    assert_eq!(responses.first_status, 303);
    let hop = &responses.hops[0];
    assert_eq!(
        (hop.url.as_str(), hop.status, hop.location.as_str()),
        (PAGE, 303, "https://shop.test/page?utm_source=x")
    );
}
