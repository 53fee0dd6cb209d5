//! Tests of requests beside pages: llms.txt, other hosts, and pages as other crawlers get them.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use futures::future::BoxFuture;
use url::Url;

use crate::checks::{CheckId, Severity};
use crate::engine::{Audit, AuditOptions, audit};
use crate::source::{AuditFetch, FetchFailure, PageSource, RenderedDocument, Response};
use crate::testing::{Listing, audit_listing, audit_with, findings_of, links_of};

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

/// Makes a site that links to many pages of one other host, which answers in no time.
fn site_of_links(links: usize) -> String {
    let others: String =
        (0..links).map(|number| format!("\nGET https://other.example/{number}\nfine")).collect();
    format!("GET /\n{{<a href=https://other.example/#>a</a>*{links}}}\nGET *\nShoes{others}")
}

#[tokio::test(start_paused = true)]
async fn links_to_other_hosts_end_after_a_time_and_the_rest_is_unknown() {
    let begun = tokio::time::Instant::now();

    let audit = audit_with(&site_of_links(400), |options| options.checks = external_check()).await;

    let known = links_of(&audit).iter().filter(|link| link.is_external() && link.status == Some(200)).count();
    let unknown = links_of(&audit).iter().filter(|link| link.is_external() && link.status.is_none()).count();
    assert!((299..=301).contains(&known) && known + unknown == 400, "{known} and {unknown}");
    assert_eq!(audit.crawl_stats.left_out.probes, unknown);
    assert!(begun.elapsed() < Duration::from_secs(310), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_link_that_there_is_no_time_to_ask_for_twice_is_not_broken() {
    let site = "GET /\n<a href=https://other.example/>a</a>\nGET https://other.example/ 500";

    let short = audit_with(site, |options| options.foreign_time = Duration::from_secs(3)).await;
    let long = audit_with(site, |_| {}).await;

    assert!(!findings_of(&short, "/").contains(&"LINK_BROKEN_EXTERNAL"));
    assert!(findings_of(&long, "/").contains(&"LINK_BROKEN_EXTERNAL"));
    assert_eq!((short.crawl_stats.left_out.probes, long.crawl_stats.left_out.probes), (1, 0));
}

fn external_check() -> Vec<CheckId> {
    vec![CheckId::find("LINK_BROKEN_EXTERNAL").unwrap()]
}

#[tokio::test(start_paused = true)]
async fn progress_says_what_is_left_beside_the_pages() {
    let listing = Listing::read(&site_of_links(20));
    let mut options = AuditOptions::follow(listing.seed().clone());
    options.checks = external_check();
    let mut left = Vec::new();

    audit(&listing, &options, &mut |progress| left.push(progress.probes)).await;

    let told: Vec<usize> = left.into_iter().filter(|left| *left > 0).collect();
    assert!(told.len() >= 10 && told.is_sorted_by(|one, next| one > next), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn what_robots_txt_forbids_at_the_root_is_unknown_and_not_missing() {
    let site = |forbidden: &str| {
        format!(
            "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: {forbidden}\nGET /\nShoes"
        )
    };
    for (forbidden, id) in
        [("/llms.txt", "LLMS_TXT_MISSING"), ("/favicon", "FAVICON_MISSING"), ("/sitemap", "SITEMAP_MISSING")]
    {
        let (unknown, missing) = (audit_listing(&site(forbidden)).await, audit_listing(&site("/x")).await);

        assert!(!site_findings(&unknown).contains(&id), "{id}");
        assert!(site_findings(&missing).contains(&id), "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn pictures_films_and_sounds_are_looked_for_wherever_they_are_named() {
    for html in [
        "<img src=/fine.png srcset='/gone.png 2x' alt=a>",
        "<picture><source srcset='/fine.png, /gone.png 2x'><img src=/fine.png alt=a></picture>",
        "<video><source src=/gone.png></video>",
        "<video src=/gone.png></video>",
        "<video poster=/gone.png></video>",
        "<audio src=/gone.png></audio>",
    ] {
        let site = |status: u16| {
            format!("GET /\n{html}\nGET /fine.png\ncontent-type: image/png\n\npng\nGET /gone.png {status}")
        };

        let (gone, there) = (audit_listing(&site(404)).await, audit_listing(&site(200)).await);

        assert!(findings_of(&gone, "/").contains(&"IMG_BROKEN"), "{html}");
        assert!(!findings_of(&there, "/").contains(&"IMG_BROKEN"), "{html}");
    }
}
