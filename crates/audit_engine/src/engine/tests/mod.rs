//! Crawls of small sites.

use crate::testing::{audit_listing, findings_of};

#[tokio::test(start_paused = true)]
async fn every_hop_is_a_row_of_its_own() {
    let audit = audit_listing(
        "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b 302\nlocation: /c\nGET /c\nc",
    )
    .await;

    let rows: Vec<(&str, u16, usize)> =
        audit.rows.iter().map(|row| (row.path.as_str(), row.status, row.redirects)).collect();
    assert_eq!(rows, [("/", 200, 0), ("/a", 301, 2), ("/b", 302, 1), ("/c", 200, 0)]);
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_page_is_never_asked_for_and_carries_one_finding() {
    let robots = "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\n";
    let audit = audit_listing(&format!("{robots}GET /\n<a href=/a>a</a>\nGET /a\na")).await;

    assert_eq!(findings_of(&audit, "/a"), ["ROBOTS_BLOCKED_LINKED"]);
    assert_eq!(audit.rows[1].status, 0);
}

#[tokio::test(start_paused = true)]
async fn the_limit_counts_pages_only() {
    let audit = audit_listing(
        "LIMIT 2\nGET /\n<a href=/a>a</a><a href=/x>x</a><a href=/b>b</a>\nGET /x 404\nGET /a\na\nGET /b\nb",
    )
    .await;

    assert_eq!(audit.pages, 2);
    assert_eq!(audit.status, crate::engine::AuditStatus::LimitReached);
}

#[tokio::test(start_paused = true)]
async fn a_site_that_does_not_answer_is_unreachable() {
    let audit = audit_listing("GET / fails").await;

    assert_eq!(audit.status, crate::engine::AuditStatus::Unreachable);
    assert_eq!(audit.health, 0.0);
}

#[tokio::test(start_paused = true)]
async fn a_noindex_page_is_asked_nothing_about_titles_and_texts() {
    let audit = audit_listing("GET /\n<meta name=robots content=noindex><a href=/a>a</a>\nGET /a\na").await;

    assert_eq!(findings_of(&audit, "/"), ["NOINDEX"]);
}
