//! What is asked for beside pages: llms.txt, other hosts, and pages as other crawlers get them.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use futures::future::BoxFuture;
use url::Url;

use crate::checks::Severity;
use crate::engine::{Audit, AuditOptions, audit};
use crate::source::{AuditFetch, FetchFailure, PageSource, RenderedDocument, Response};
use crate::testing::{Listing, audit_listing, findings_of};

fn site_findings(audit: &Audit) -> Vec<&'static str> {
    audit.site_findings.iter().map(|found| found.check.check().id).collect()
}

#[tokio::test(start_paused = true)]
async fn llms_txt_may_have_one_broken_link_of_five() {
    for (links, expected) in [
        ("[a](/a) [b](/a?1) [c](/a?2) [d](/a?3) [e](/gone)", false),
        ("[a](/a) [b](https://site.example/gone)", true),
        ("[a](/a) [elsewhere](https://other.example/gone)", false),
    ] {
        let audit = audit_listing(&format!(
            "GET /\n<a href=/a>a</a>\nGET /a\na\nGET /a?1\na\nGET /a?2\na\nGET /a?3\na\nGET /gone 404\nGET /llms.txt\ncontent-type: text/plain\n\n# Shoes\n{links}"
        ))
        .await;

        assert_eq!(site_findings(&audit).contains(&"LLMS_TXT_INVALID"), expected, "{links}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_without_a_content_type_is_a_page_and_a_finding() {
    let audit =
        audit_listing("GET /\n<a href=/a>a</a>\nGET /a\ncontent-type: \n\n<!doctype html><title>a</title>")
            .await;

    assert!(findings_of(&audit, "/a").contains(&"CONTENT_TYPE_MISMATCH"));
    assert!(findings_of(&audit, "/a").contains(&"TITLE_TOO_SHORT"));
}

/// A site whose neighbours answer 404 once and are there after that, and which shows Googlebot another one.
struct Moody {
    listing: Listing,
    for_googlebot: Listing,
    asked: Mutex<HashSet<Url>>,
}

impl PageSource for Moody {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        self.listing.fetch(request)
    }

    fn render<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        self.listing.render(url)
    }

    fn probe(&self, request: AuditFetch) -> BoxFuture<'_, Option<Result<Response, FetchFailure>>> {
        Box::pin(async move {
            let is_first = self.asked.lock().unwrap().insert(request.url.clone());
            if is_first && request.url.host_str() != Some("site.example") {
                return Some(Ok(Response { status: 404, ..Response::default() }));
            }
            let is_googlebot = request.user_agent.is_some_and(|agent| agent.contains("Googlebot"));
            let listing = if is_googlebot { &self.for_googlebot } else { &self.listing };
            Some(listing.fetch(request).await)
        })
    }

    fn now_ms(&self) -> i64 {
        self.listing.now_ms()
    }
}

async fn audit_moody(text: &str, for_googlebot: &str) -> Audit {
    let [listing, for_googlebot] = [text, for_googlebot].map(Listing::read);
    let source = Moody { listing, for_googlebot, asked: Mutex::default() };
    let options = AuditOptions { concurrency: 1, ..AuditOptions::follow(source.listing.seed().clone()) };
    audit(&source, &options, &mut |_| {}).await
}

#[tokio::test(start_paused = true)]
async fn a_link_that_is_there_at_the_second_try_is_not_broken() {
    let page = "GET /\n<a href=https://other.example/a>a</a><img src=https://cdn.example/a.png>\n";
    let there = format!("{page}GET https://other.example/a\na\nGET https://cdn.example/a.png\na");

    let there = audit_moody(&there, page).await;
    let gone = audit_moody(page, page).await;

    let broken = |audit: &Audit| -> Vec<&str> {
        findings_of(audit, "/").into_iter().filter(|id| id.contains("_BROKEN")).collect()
    };
    assert_eq!(broken(&there), [""; 0]);
    assert_eq!(broken(&gone), ["LINK_BROKEN_EXTERNAL", "IMG_BROKEN"]);
}

#[tokio::test(start_paused = true)]
async fn only_other_hosts_are_given_time_before_they_are_asked_again() {
    for (picture, waits) in [("/gone.png", false), ("https://cdn.example/gone.png", true)] {
        let begun = tokio::time::Instant::now();
        let audit = audit_listing(&format!("GET /\n<img src={picture}>\nGET {picture} 404")).await;

        assert!(findings_of(&audit, "/").contains(&"IMG_BROKEN"), "{picture}");
        assert_eq!(begun.elapsed() >= Duration::from_secs(5), waits, "{picture}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_googlebot_is_told_is_compared_as_search_engines_read_it() {
    let rest = "<title>Shoes</title><p>Shoes for everybody who walks";
    let page = format!("GET /\n<link rel=canonical href=/>{rest}");
    for (head, expected) in [
        ("x-robots-tag: noindex\n\n<link rel=canonical href=/>", true),
        ("<meta name=googlebot content=none><link rel=canonical href=/>", true),
        ("<link rel=canonical href=/a>", true),
        ("link: </a>; rel=canonical\n\n", true),
        ("<link rel=canonical href=/?utm_source=a>", false),
        ("", false),
    ] {
        let audit = audit_moody(&page, &format!("GET /\n{head}{rest}")).await;

        assert_eq!(findings_of(&audit, "/").contains(&"UA_RESPONSE_DIFFERS"), expected, "{head}");
    }
}

#[tokio::test(start_paused = true)]
async fn scripts_may_make_for_people_what_googlebot_is_sent() {
    let made = "<title>Shoes</title><p>Shoes for everybody who walks";
    let shell =
        format!("GET /\n<title>Shop</title><div id=root></div><script src=/a.js></script>\nRENDER /\n{made}");

    let same = audit_moody(&shell, made).await;
    let other = audit_moody(&shell, "<title>Boots</title><p>Boots").await;

    assert!(!findings_of(&same, "/").contains(&"UA_RESPONSE_DIFFERS"));
    assert!(findings_of(&other, "/").contains(&"UA_RESPONSE_DIFFERS"));
}

#[tokio::test(start_paused = true)]
async fn a_firewall_that_refuses_an_imitated_googlebot_is_no_deceit() {
    let page = "GET /\n<title>Shoes</title><p>Shoes for everybody who walks";
    for (status, expected) in [(401, false), (403, false), (429, false), (404, true)] {
        let audit = audit_moody(page, &format!("GET / {status}")).await;

        assert_eq!(findings_of(&audit, "/").contains(&"UA_RESPONSE_DIFFERS"), expected, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_ai_crawler_is_a_warning_that_says_from_where_it_was_asked() {
    let audit = audit_listing("GET /\nShoes\nBOT GPTBot 403").await;

    let found = audit.site_findings.iter().find(|found| found.check.check().id == "AI_BOT_HTTP_BLOCKED");
    let found = found.unwrap();
    assert_eq!(found.check.check().severity, Severity::Warning);
    let detail = &found.findings[0].detail;
    assert!(detail.starts_with("GPTBot: 403") && detail.contains("from our own address"), "{detail}");
}
