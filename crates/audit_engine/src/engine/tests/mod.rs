//! Crawls of small sites.

mod beside;
mod hostile;
mod interruptions;
mod languages;
mod real_web;

use super::*;
use crate::checks::CheckId;
use crate::testing::{Listing, audit_listing, findings_of, links_of};

#[tokio::test(start_paused = true)]
async fn every_hop_is_a_row_of_its_own() {
    let audit = audit_listing(
        "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b 302\nlocation: /c\nGET /c\nc",
    )
    .await;

    let rows: Vec<_> =
        audit.rows().map(|row| (row.page.path, row.page.status_code, row.page.redirect_count)).collect();
    let expected = [("/", 200, 0), ("/a", 301, 2), ("/b", 302, 1), ("/c", 200, 0)];
    assert_eq!(rows, expected.map(|(path, status, hops)| (path.to_owned(), status, hops)));
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_page_is_never_asked_for_and_carries_one_finding() {
    let robots = "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\n";
    let audit = audit_listing(&format!("{robots}GET /\n<a href=/a>a</a>\nGET /a\na")).await;

    assert_eq!(findings_of(&audit, "/a"), ["ROBOTS_BLOCKED_LINKED"]);
    assert_eq!(audit.rows_from(1).next().unwrap().page.status_code, 0);
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
    assert_eq!(audit.close_reason, crate::engine::CrawlEnd::Unreachable);
    assert_eq!(audit.error_message.as_deref(), Some("the site does not answer (TCP: no connection)"));
    assert_eq!(audit.health, 0.0);
}

#[tokio::test(start_paused = true)]
async fn a_noindex_page_is_asked_nothing_about_titles_and_texts() {
    let audit = audit_listing("GET /\n<meta name=robots content=noindex><a href=/a>a</a>\nGET /a\na").await;

    assert_eq!(findings_of(&audit, "/"), ["NOINDEX"]);
}

#[tokio::test(start_paused = true)]
async fn a_row_has_every_field_of_a_page() {
    let audit = audit_listing(
        "GET /\nlast-modified: Sun, 01 Feb 2026 10:00:00 GMT\n\n<html lang=en><meta charset=utf-8><meta name=viewport content=width=device-width><meta property=og:title content=Shoes><title>Shoes</title><a href=/a>a</a>\nGET /a\na",
    )
    .await;

    let page = serde_json::to_value(audit.rows().next().unwrap()).unwrap();

    assert_eq!(page["lastModified"], "Sun, 01 Feb 2026 10:00:00 GMT");
    assert_eq!(page["socialTags"]["og:title"], "Shoes");
    assert_eq!(page["viewport"], "width=device-width");
    assert_eq!(page["charset"], "utf-8");
    assert_eq!(page["crawledAt"], "2026-11-18 11:06:40");
    for name in ["loadTimeMs", "metaDesc", "canonical", "metaRobots", "htmlBytes", "textRatio", "inlinkCount"]
    {
        assert!(!page[name].is_null(), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn stored_details_are_read_by_versions_that_lack_one_of_the_checks() {
    let details = audit_listing("GET /\nShoes").await.rows().next().unwrap().details;
    let stored = serde_json::to_string(&details).unwrap().replace("TITLE_MISSING", "CHECK_OF_LATER");

    let read: PageDetails = serde_json::from_str(&stored).unwrap();

    assert_eq!(read.findings.len(), details.findings.len());
    assert!(read.findings.iter().any(|found| found.issue_id == "CHECK_OF_LATER"));
}

#[tokio::test(start_paused = true)]
async fn links_name_what_is_at_their_other_end() {
    let audit = audit_listing(
        "GET /\n<a href=/gone rel='nofollow ugc'>Old shoes</a><a href=https://other.example/>Other</a><a href=https://unasked.example/>Third</a>\nGET /gone 404\nGET https://other.example/\nOther",
    )
    .await;

    let links = links_of(&audit);
    let links: Vec<_> =
        links.iter().map(|link| (&*link.to, link.anchor.as_str(), &*link.rel, link.status)).collect();

    assert_eq!(
        links,
        [
            ("/gone", "Old shoes", "nofollow ugc", Some(404)),
            ("https://other.example/", "Other", "", Some(200)),
            ("https://unasked.example/", "Third", "", None),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_redirect_names_its_hops_with_their_answers() {
    let audit = audit_listing(
        "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b 302\nlocation: /c\nGET /c\nc",
    )
    .await;

    let row = audit.rows_from(1).next().unwrap();
    let hops: Vec<_> = row.details.hops.iter().map(|hop| (hop.url.as_str(), hop.status)).collect();

    assert_eq!(hops, [("https://site.example/b", 302), ("https://site.example/c", 200)]);
}

#[tokio::test(start_paused = true)]
async fn a_render_shows_what_scripts_changed() {
    let audit = audit_listing(
        "GET /\n<title>Loading</title><div id=root></div><script src=/a.js></script>\nRENDER /\n<title>Shoes</title><p>{word *30}",
    )
    .await;

    let row = audit.rows().next().unwrap();
    let (raw, rendered) = (row.details.raw, row.details.rendered.unwrap());
    let changed: Vec<_> = raw.into_iter().filter(|(field, raw)| rendered[field] != *raw).collect();
    let values = |title: &str, words: &str| {
        [("title", title), ("wordCount", words)].map(|(field, value)| (field.to_owned(), value.to_owned()))
    };
    assert_eq!(changed, values("Loading", "0"));
    assert!(values("Shoes", "30").iter().all(|(field, value)| rendered[field] == *value));
}

#[tokio::test(start_paused = true)]
async fn links_deeper_than_the_limit_are_not_followed() {
    let listing = Listing::read("GET /\n<a href=/a>a</a>\nGET /a\n<a href=/b>b</a>\nGET /b\nb");
    let mut options = AuditOptions::follow(listing.seed().clone());
    options.max_depth = Some(1);

    let audit = audit(&listing, &options, &mut |_| {}).await;

    let paths: Vec<String> = audit.rows().map(|row| row.page.path).collect();
    assert_eq!(paths, ["/", "/a"]);
    assert_eq!(audit.crawl_stats.skipped.filtered, 1);
}

#[tokio::test(start_paused = true)]
async fn an_ignored_finding_costs_nothing() {
    let listing = Listing::read("GET /\n<a href=/old/a>a</a>\nGET /old/a 404");
    let mut options = AuditOptions::follow(listing.seed().clone());
    let before = audit(&listing, &options, &mut |_| {}).await;
    let check = CheckId::find("HTTP_4XX").unwrap();
    options.ignored = vec![IgnoredFinding { check, path_pattern: "/old/*".to_owned() }];

    let after = audit(&listing, &options, &mut |_| {}).await;

    assert_eq!(findings_of(&before, "/old/a"), ["HTTP_4XX"]);
    assert_eq!(findings_of(&after, "/old/a"), Vec::<&str>::new());
    assert!(after.health > before.health);
}

#[tokio::test(start_paused = true)]
async fn only_new_and_changed_pages_of_a_sitemap_are_audited_when_that_is_asked_for() {
    let page = |path: &str, date: &str| {
        format!("<url><loc>https://site.example{path}</loc><lastmod>{date}</lastmod></url>")
    };
    let entries = page("/old", "2026-01-01") + &page("/changed", "2026-03-01") + &page("/new", "2026-01-01");
    let listing = Listing::read(&format!(
        "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset>{entries}</urlset>\nGET /old\na\nGET /changed\nb\nGET /new\nc"
    ));
    let mut options = AuditOptions::follow(listing.seed().clone());
    options.mode = CrawlMode::Sitemap;
    let february = 1_769_904_000_000;
    options.known_pages = Some([("/old".to_owned(), february), ("/changed".to_owned(), february)].into());

    let audit = audit(&listing, &options, &mut |_| {}).await;

    let paths: Vec<String> = audit.rows().map(|row| row.page.path).collect();
    assert_eq!(paths, ["/changed", "/new"]);
    assert_eq!(audit.crawl_stats.carried_pages, 1);
}

#[tokio::test(start_paused = true)]
async fn robots_txt_is_taken_apart_for_each_crawler() {
    let robots = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 1\nDisallow: /x\nContent-Signal: ai-train=no\n";
    let audit = audit_listing(&format!(
        "GET /robots.txt\ncontent-type: text/plain\n\n{robots}GET /\n<a href=/a>a</a>\nGET /a\na"
    ))
    .await;

    let robots = &audit.robots_analysis;
    let verdict = |name: &str| {
        robots
            .bots
            .iter()
            .find(|bot| bot.name == name)
            .map(|bot| (bot.verdict.as_str(), bot.deciding_line, bot.blocked_pages))
    };

    assert_eq!(verdict("GPTBot"), Some(("block", Some(2), 2)));
    assert_eq!(verdict("Googlebot"), Some(("allow", None, 0)));
    assert_eq!(robots.crawl_delay_sec, Some(1.0));
    assert_eq!(robots.content_signals["ai-train"], "no");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_does_not_exist_is_believed_where_names_are_known_at_all() {
    let links = "GET /\n<a href=https://gone.example/>a</a><a href=https://there.example/>b</a>\nGET https://gone.example/ nowhere\n";
    let cut_off = audit_listing(&format!("{links}GET https://there.example/ nowhere")).await;
    let connected = audit_listing(&format!("{links}GET https://there.example/\nb")).await;
    let invalid =
        audit_listing("GET /\n<a href=https://a.invalid/>a</a>\nGET https://a.invalid/ nowhere").await;

    let broken =
        [&cut_off, &connected, &invalid].map(|audit| audit.issue_breakdown.get("LINK_BROKEN_EXTERNAL"));

    assert_eq!(broken, [None, Some(&1), Some(&1)]);
}
