//! Ordinary sites: sitemaps on other hosts and schemes, targets that no list has, sampling of lists, and no false alarms.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Display;
use std::sync::Mutex;

use futures::future::BoxFuture;
use url::Url;

use crate::engine::{Audit, AuditOptions, CrawlMode, Finding, RobotsPolicy, audit};
use crate::source::{AuditFetch, FetchFailure, PageSource, RenderedDocument, Response};
use crate::testing::{Listing, audit_listing, audit_with, findings_of, links_of};

const TEXT: &str = "content-type: text/plain\n\n";
const XML: &str = "content-type: application/xml\n\n";

fn paths(audit: &Audit) -> Vec<String> {
    audit.rows().map(|row| row.page.path).collect()
}

fn has(audit: &Audit, id: &str) -> bool {
    audit.issue_breakdown.contains_key(id)
}

fn urlset(urls: &[impl Display]) -> String {
    let urls: String = urls.iter().map(|url| format!("<url><loc>{url}</loc></url>")).collect();
    format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{urls}</urlset>")
}

fn in_sitemap_mode(options: &mut AuditOptions) {
    options.mode = CrawlMode::Sitemap;
}

#[tokio::test(start_paused = true)]
async fn a_sitemap_that_robots_txt_names_by_http_and_www_is_the_sites_own() {
    let list = urlset(&["https://site.example/a", "https://site.example/b"]);
    let site = format!(
        "GET /\n<a href=/b>b</a>\nGET /robots.txt\n{TEXT}Sitemap: http://www.site.example/list.xml\n\
         GET http://www.site.example/list.xml 301\nlocation: https://site.example/list.xml\n\
         GET /list.xml\n{XML}{list}\nGET /a\na\nGET /b\nb"
    );

    let audit = audit_listing(&site).await;

    assert_eq!(paths(&audit), ["/", "/a", "/b"]);
    assert!(!has(&audit, "SITEMAP_URL_OTHER_HOST") && !has(&audit, "SITEMAP_FETCH_FAILED"));
}

#[tokio::test(start_paused = true)]
async fn a_sitemap_on_another_host_counts_when_robots_txt_names_it() {
    let list = urlset(&["https://site.example/a", "https://other.example/b"]);
    let site = format!(
        "GET /\nStart\nGET /robots.txt\n{TEXT}Sitemap: https://cdn.example/list.xml\n\
         GET https://cdn.example/list.xml\n{XML}{list}\nGET /a\na"
    );

    let audit = audit_listing(&site).await;

    assert_eq!(paths(&audit), ["/", "/a"]);
    let listed = audit.sitemap_issues.iter().find(|issue| issue.issue_id == "SITEMAP_URL_OTHER_HOST");
    assert_eq!(listed.map(|issue| issue.count), Some(1), "only the page of the third host is elsewhere");
}

#[tokio::test(start_paused = true)]
async fn the_configured_sitemap_counts_where_links_are_followed() {
    let site =
        format!("GET /\nStart\nGET /mine.xml\n{XML}{}\nGET /a\na", urlset(&["https://site.example/a"]));

    let audit =
        audit_with(&site, |options| options.sitemap = Url::parse("https://site.example/mine.xml").ok()).await;

    assert_eq!(paths(&audit), ["/", "/a"]);
}

#[tokio::test(start_paused = true)]
async fn only_new_pages_knows_lower_case_escapes_and_whole_days() {
    let dated = |path: &str, day: u32| {
        format!("<url><loc>https://site.example{path}</loc><lastmod>2026-11-{day:02}</lastmod></url>")
    };
    let list = format!("{}{}{}", dated("/caf%c3%a9", 10), dated("/same-day", 12), dated("/older", 11));
    let site = format!(
        "GET /\nStart\nGET /sitemap.xml\n{XML}<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{list}</urlset>\n\
         GET /caf%C3%A9\na\nGET /same-day\nb\nGET /older\nc"
    );
    // Noon of the twelfth.
    let seen = 1_794_484_800_000;

    let audit = audit_with(&site, |options| {
        in_sitemap_mode(options);
        let known = ["/caf%C3%A9", "/same-day", "/older"].map(|path| (path.to_owned(), seen));
        options.known_pages = Some(known.into());
    })
    .await;

    assert_eq!(paths(&audit), ["/same-day"]);
}

#[tokio::test(start_paused = true)]
async fn targets_of_listed_pages_are_asked_for_beside_the_limit() {
    let list = urlset(&["https://site.example/a"]);
    let a = "<link rel=canonical href=/lost><link rel=alternate hreflang=de href=/de><a href=/gone>g</a><a href=/fine>f</a>";
    let site = format!("LIMIT 1\nGET /sitemap.xml\n{XML}{list}\nGET /a\n{a}\nGET /fine\nf\nGET /de 500");

    let audit = audit_with(&site, in_sitemap_mode).await;

    assert_eq!(
        (paths(&audit), audit.pages),
        (vec!["/a".to_owned()], 1),
        "targets are neither rows nor pages"
    );
    let found = findings_of(&audit, "/a");
    assert!(found.contains(&"LINK_BROKEN_INTERNAL") && found.contains(&"CANONICAL_TO_ERROR"), "{found:?}");
    let statuses: Vec<_> =
        links_of(&audit).into_iter().map(|link| (link.to.into_owned(), link.status)).collect();
    assert_eq!(statuses, [("/gone".to_owned(), Some(404)), ("/fine".to_owned(), Some(200))]);

    let none = audit_with(&site, |options| {
        in_sitemap_mode(options);
        options.max_targets = 0;
    })
    .await;

    assert!(!findings_of(&none, "/a").contains(&"LINK_BROKEN_INTERNAL"));
    assert!(links_of(&none).iter().all(|link| link.status.is_none()));
    assert!(none.crawl_stats.left_out.targets >= 3, "{:?}", none.crawl_stats.left_out);
}

#[tokio::test(start_paused = true)]
async fn listed_language_versions_that_fail_are_found() {
    let list = urlset(&["https://site.example/a"]);
    let site = format!(
        "GET /sitemap.xml\n{XML}{list}\nGET /a\n<link rel=alternate hreflang=de href=/de>a\nGET /de 404"
    );

    let audit = audit_with(&site, in_sitemap_mode).await;

    assert!(findings_of(&audit, "/a").contains(&"HREFLANG_TO_ERROR"));
}

#[tokio::test(start_paused = true)]
async fn listed_pages_are_sampled_in_the_same_places_and_some_never_skipped() {
    let urls: Vec<String> = (0..120).map(|number| format!("https://site.example/item/{number}")).collect();
    let list: String = urls.iter().map(|url| format!("<url><loc>{url}</loc></url>")).collect();
    let important = "<url><loc>https://site.example/item/900</loc><priority>0.9</priority></url>";
    let site = format!(
        "GET /sitemap.xml\n{XML}<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{list}{important}</urlset>\nGET *\nThe same text on each"
    );
    let sampled = |options: &mut AuditOptions| {
        in_sitemap_mode(options);
        options.allow_sampling = true;
        options.never_skipped = HashSet::from(["/item/77".to_owned()]);
    };

    let (first, second) = (audit_with(&site, sampled).await, audit_with(&site, sampled).await);

    assert_eq!(paths(&first), paths(&second));
    assert!(first.pages >= 20 && first.pages < 100, "{} pages", first.pages);
    assert!(["/item/900", "/item/77"].iter().all(|path| paths(&first).contains(&(*path).to_owned())));
    let numbers: Vec<u32> =
        paths(&first).iter().filter_map(|path| path.rsplit('/').next()?.parse().ok()).collect();
    assert!(
        numbers.iter().filter(|number| **number >= 60).count() >= 5,
        "not the first of the file: {numbers:?}"
    );
    assert_eq!(first.crawl_stats.skipped.sampling + first.pages, 121);
}

/// A site that records the requested addresses.
struct Remembering {
    site: Listing,
    asked: Mutex<BTreeSet<String>>,
}

impl PageSource for Remembering {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        self.asked.lock().unwrap().insert(request.url.path().to_owned());
        self.site.fetch(request)
    }

    fn render<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        self.site.render(url)
    }

    fn now_ms(&self) -> i64 {
        self.site.now_ms()
    }
}

#[tokio::test(start_paused = true)]
async fn five_pages_of_a_template_that_sampling_skips_are_asked_for_their_status() {
    let urls: Vec<String> = (0..120).map(|number| format!("https://site.example/item/{number}")).collect();
    let listing = format!("GET /sitemap.xml\n{XML}{}\nGET *\nThe same text on each", urlset(&urls));
    let site = Remembering { site: Listing::read(&listing), asked: Mutex::default() };
    let mut options = AuditOptions::follow(site.site.seed().clone());
    in_sitemap_mode(&mut options);
    options.allow_sampling = true;

    let audit = audit(&site, &options, &mut |_| {}).await;

    let rows: BTreeSet<String> = paths(&audit).into_iter().collect();
    let asked = site.asked.into_inner().unwrap();
    let skipped = asked.iter().filter(|path| path.starts_with("/item/") && !rows.contains(*path)).count();
    assert!(audit.crawl_stats.skipped.sampling > 5);
    assert_eq!(skipped, 5, "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_redirects_to_its_www_twin_is_no_loop() {
    let audit = audit_listing(
        "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: https://www.site.example/a\nGET https://www.site.example/a\na",
    )
    .await;

    assert!(
        !has(&audit, "REDIRECT_LOOP") && !has(&audit, "LINK_TO_REDIRECT_LOOP"),
        "{:?}",
        audit.issue_breakdown
    );
    assert_eq!(paths(&audit), ["/", "/a"]);
}

#[tokio::test(start_paused = true)]
async fn no_page_is_missing_from_a_sitemap_that_was_not_read() {
    let site = |child: &str| {
        format!(
            "GET /\n<a href=/a>a</a>\nGET /a\na\nGET /sitemap.xml\n{XML}<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>https://site.example/1.xml</loc></sitemap><sitemap><loc>https://site.example/2.xml</loc></sitemap></sitemapindex>\nGET /1.xml\n{XML}{}\n{child}",
            urlset(&["https://site.example/"])
        )
    };
    let empty = format!("GET /2.xml\n{XML}{}", urlset(&["https://site.example/"]));

    let (unread, read) = (audit_listing(&site("GET /2.xml 500")).await, audit_listing(&site(&empty)).await);

    assert!(!has(&unread, "SITEMAP_PAGE_MISSING") && has(&unread, "SITEMAP_FETCH_FAILED"));
    assert!(has(&read, "SITEMAP_PAGE_MISSING"));
}

#[tokio::test(start_paused = true)]
async fn a_local_site_needs_no_encryption() {
    for (seed, expected) in [
        ("http://site.example/", true),
        ("http://localhost:3000/", false),
        ("http://127.0.0.1:8080/", false),
        ("http://192.168.1.2/", false),
    ] {
        let audit = audit_listing(&format!("GET {seed}\nStart")).await;

        assert_eq!(has(&audit, "HTTP_NOT_HTTPS"), expected, "{seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_missed_its_render_says_so() {
    let audit = audit_listing("GET /\n<div id=root></div><script src=/a.js></script>").await;

    let row = audit.rows().next().unwrap();
    assert!(row.details.missed_render && !row.is_rendered);
}

#[tokio::test(start_paused = true)]
async fn a_probe_bound_that_was_reached_is_said() {
    let pictures = "GET /\n{<img src=/#.png alt=a>*9}";

    let audit = audit_with(pictures, |options| options.max_assets = 4).await;

    assert_eq!(audit.crawl_stats.left_out.probes, 5);
}

#[tokio::test(start_paused = true)]
async fn robots_txt_can_be_ignored_or_replaced() {
    let site =
        format!("GET /robots.txt\n{TEXT}User-agent: *\nDisallow: /\nGET /\n<a href=/a>a</a>\nGET /a\na");
    let policy = |robots: RobotsPolicy| audit_with(&site, move |options| options.robots = robots);

    let obeyed = policy(RobotsPolicy::Obey).await;
    let ignored = policy(RobotsPolicy::Ignore).await;
    let replaced = policy(RobotsPolicy::Replace("User-agent: *\nDisallow: /a".to_owned())).await;

    assert_eq!((obeyed.pages, ignored.pages, replaced.pages), (0, 2, 1));
    assert!(!has(&ignored, "ROBOTS_BLOCKS_ALL"), "what is ignored is not judged");
}

#[tokio::test(start_paused = true)]
async fn language_versions_on_sister_sites_have_verdicts() {
    for (sister, expected) in [
        ("GET https://site.test/\n<link rel=alternate hreflang=en href=https://site.example/>", None),
        ("GET https://site.test/\nNo way back", Some("HREFLANG_NO_RETURN")),
        ("GET https://site.test/ 404", Some("HREFLANG_TO_ERROR")),
        ("GET https://site.test/\n<meta name=robots content=noindex>", Some("HREFLANG_TO_NOINDEX")),
    ] {
        let site = format!("GET /\n<link rel=alternate hreflang=de href=https://site.test/>Start\n{sister}");
        let audit =
            audit_with(&site, |options| options.sister_hosts = HashSet::from(["site.test".to_owned()])).await;

        let found: Vec<_> = findings_of(&audit, "/")
            .into_iter()
            .filter(|id| ["HREFLANG_NO_RETURN", "HREFLANG_TO_ERROR", "HREFLANG_TO_NOINDEX"].contains(id))
            .collect();
        assert_eq!(found, Vec::from_iter(expected), "{sister}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_preview_score_counts_what_preview_bots_get_and_the_picture_that_is_there() {
    let tags =
        "<meta property=og:title content=Shoes><meta property=og:image content=https://site.example/p.png>";
    let score = async |site: &str, is_served: bool| {
        let audit = audit_with(site, |options| options.crawlers_are_served = is_served).await;
        audit.rows().next().unwrap().page.preview_score
    };
    let shell = "GET /\n<div id=root></div><script src=/a.js></script>";
    let picture = "GET /p.png\ncontent-type: image/png\n\nx";
    let with_snapshot = format!("{shell}\nSNAPSHOT /\n{tags}Shoes\n{picture}");
    let plain = format!("GET /\n{tags}Shoes");

    let (served, unserved) = (score(&with_snapshot, true).await, score(&with_snapshot, false).await);
    let (there, lost) = (
        score(&format!("{plain}\n{picture}"), false).await,
        score(&format!("{plain}\nGET /p.png 404"), false).await,
    );

    assert!(served > unserved, "{served} {unserved}");
    assert!(there > lost, "{there} {lost}");
}

#[tokio::test(start_paused = true)]
async fn findings_that_the_snapshot_does_not_have_are_solved() {
    let app = "<div id=root></div><script src=/a.js></script>";
    let page = "<title>Shoes of all kinds</title><h1>Shoes</h1><p>{word *120}";
    let of = async |site: String, is_served: bool| {
        audit_with(&site, |options| options.crawlers_are_served = is_served).await
    };
    let ids = |findings: &[Finding]| Vec::from_iter(findings.iter().map(|found| found.issue_id.clone()));

    let served = of(format!("GET /\n{app}\nRENDER /\n{page}\nSNAPSHOT /\n{page}"), true).await;
    let unserved = of(format!("GET /\n{app}\nRENDER /\n{page}\nSNAPSHOT /\n{page}"), false).await;
    let empty = of(format!("GET /\n{app}\nRENDER /\n{page}\nSNAPSHOT /\n{app}"), true).await;
    let left = of(
        format!(
            "GET /\n{app}\nRENDER /\n:redirect https://site.example/b\n\n<p>a\nGET /b\nb\nSNAPSHOT / 302\n"
        ),
        true,
    )
    .await;

    let details = |audit: &Audit| audit.rows().next().unwrap().details;
    let health = |audit: &Audit| audit.rows().next().unwrap().page.health_score;
    assert!(ids(&details(&served).solved).contains(&"JS_CONTENT_MISSING_RAW".into()));
    assert!(!ids(&details(&served).findings).contains(&"JS_CONTENT_MISSING_RAW".into()));
    assert_eq!(details(&served).origin_health_score, Some(health(&unserved)));
    assert!(health(&served) > health(&unserved));
    assert_eq!((details(&unserved).origin_health_score, details(&unserved).solved), (None, Vec::new()));
    assert!(
        ids(&details(&empty).findings).contains(&"JS_CONTENT_MISSING_RAW".into()),
        "the snapshot is as empty as the answer"
    );
    assert_eq!(ids(&details(&left).solved), ["JS_REDIRECT"]);
}

#[tokio::test(start_paused = true)]
async fn listed_redirects_to_errors_are_found() {
    let list = urlset(&["https://site.example/a", "https://site.example/c"]);
    let site = format!("GET /sitemap.xml\n{XML}{list}\nGET /a 301\nlocation: /b\nGET /b 404\nGET /c\nc");

    let audit = audit_with(&site, in_sitemap_mode).await;

    assert_eq!(paths(&audit), ["/a", "/c"]);
    let found = findings_of(&audit, "/a");
    assert!(found.contains(&"REDIRECT_TO_ERROR"), "{found:?}");
}

#[tokio::test(start_paused = true)]
async fn sitemaps_have_the_limits_of_the_settings_and_say_when_they_were_cut() {
    let list = urlset(&["https://site.example/a", "https://site.example/b", "https://site.example/c"]);
    let site = format!("GET /sitemap.xml\n{XML}{list}\nGET *\na");

    let audit = audit_with(&site, |options| {
        in_sitemap_mode(options);
        options.sitemap_limits.file_urls = 2;
    })
    .await;

    assert_eq!((paths(&audit).len(), audit.crawl_stats.left_out.sitemaps), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_row_has_the_headers_that_protect_visitors() {
    let audit = audit_listing("GET /\nx-content-type-options: nosniff\nx-powered-by: hope\n\nStart").await;

    let row = audit.rows().next().unwrap();
    let headers: Vec<_> = row.details.security_headers.into_iter().collect();
    assert_eq!(headers, [("x-content-type-options".to_owned(), "nosniff".to_owned())]);
}

/// A server that answers by the last segment of a path.
struct ByName {
    listing: Listing,
    asked: std::sync::Mutex<Vec<String>>,
}

impl ByName {
    fn of(listing: &str) -> ByName {
        ByName { listing: Listing::read(listing), asked: std::sync::Mutex::default() }
    }
}

impl PageSource for ByName {
    fn fetch(&self, mut request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        self.asked.lock().unwrap().push(request.url.path().to_owned());
        let name = request.url.path_segments().unwrap().next_back().unwrap().to_owned();
        request.url.set_path(&name);
        self.listing.fetch(request)
    }

    fn render<'a>(&'a self, _: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        Box::pin(async { None })
    }

    fn now_ms(&self) -> i64 {
        self.listing.now_ms()
    }
}

#[tokio::test(start_paused = true)]
async fn links_that_lack_their_scheme_end_after_some_pages() {
    let pages: String = (0..10)
        .map(|page| {
            let links: String =
                (0..10).map(|other| format!("<a href='www.host{other}.example/p{other}'>x</a>")).collect();
            format!("GET /p{page}\n<p>Page number {page} of the shop and what it sells {links}\n")
        })
        .collect();
    let source = ByName::of(&format!("GET /\n{{<a href=/p#>a</a>*10}}\n{pages}"));
    let options = AuditOptions::follow(source.listing.seed().clone());

    let audit = audit(&source, &options, &mut |_| {}).await;

    let asked = source.asked.lock().unwrap().len();
    assert!(asked < 300, "{asked} requests");
    assert!(audit.site_findings.iter().any(|found| found.check.check().id == "CRAWL_TRAP"));
}

#[tokio::test(start_paused = true)]
async fn paths_that_grow_by_another_segment_each_time_end() {
    for link in ["<a href='#LENGTH/'>next</a>", "<a href='a/x'>a</a><a href='b/x'>b</a><a href='c/x'>c</a>"] {
        let source = Growing { link, asked: std::sync::atomic::AtomicUsize::new(0) };
        let options = AuditOptions::follow(Url::parse("https://site.example/").unwrap());

        audit(&source, &options, &mut |_| {}).await;

        let asked = source.asked.load(std::sync::atomic::Ordering::Relaxed);
        assert!(asked < 300, "{link}: {asked} requests");
    }
}

/// A server that has one page at every address.
struct Growing {
    link: &'static str,
    asked: std::sync::atomic::AtomicUsize,
}

impl PageSource for Growing {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        self.asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let link = self.link.replace("#LENGTH", &format!("s{}", request.url.path().len()));
        let mut response = Response { status: 200, ..Response::default() };
        response.headers.insert("content-type", "text/html; charset=utf-8".parse().unwrap());
        response.body = format!("<p>The same few words at every address of this site {link}").into();
        Box::pin(async move { Ok(response) })
    }

    fn render<'a>(&'a self, _: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        Box::pin(async { None })
    }

    fn now_ms(&self) -> i64 {
        1_795_000_000_000
    }
}

#[tokio::test(start_paused = true)]
async fn a_refresh_leads_to_its_target_whatever_its_delay() {
    for content in ["0;url=/next", "30; URL='/next'", "5 , url = /next", "3600;/next", "0.5; url=\"/next\" x"]
    {
        let content = content.replace('"', "&quot;");
        let audit = audit_listing(&format!(
            "GET /\n<meta http-equiv=Refresh content=\"{content}\">\nGET /next\nThere"
        ))
        .await;

        assert_eq!(paths(&audit), ["/", "/next"], "{content}");
    }
    let plain =
        "GET /\n<noscript><meta http-equiv=refresh content=0;url=/plain></noscript>\nGET /plain\nThere";
    assert_eq!(paths(&audit_listing(plain).await), ["/", "/plain"]);
    let audit = audit_listing(
        "GET /\n<meta http-equiv=refresh content=5><meta http-equiv=refresh content=soon;url=/next>",
    )
    .await;
    assert_eq!(paths(&audit), ["/"]);
}

/// A site that records its requests, in order.
struct Noted {
    listing: Listing,
    asked: std::sync::Mutex<Vec<String>>,
}

impl PageSource for Noted {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        self.asked.lock().unwrap().push(request.url.path().to_owned());
        self.listing.fetch(request)
    }

    fn render<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        self.listing.render(url)
    }

    fn now_ms(&self) -> i64 {
        self.listing.now_ms()
    }
}

#[tokio::test(start_paused = true)]
async fn robots_txt_is_asked_for_before_the_start_page_and_obeyed_there() {
    for (rule, is_asked) in [("/x", true), ("/", false)] {
        let text = format!(
            "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: {rule}\nGET /\nShoes"
        );
        let source = Noted { listing: Listing::read(&text), asked: std::sync::Mutex::default() };
        let options = AuditOptions::follow(source.listing.seed().clone());

        audit(&source, &options, &mut |_| {}).await;

        let asked = source.asked.lock().unwrap();
        assert_eq!(asked[0], "/robots.txt");
        assert_eq!(asked.contains(&"/".to_owned()), is_asked, "{rule}");
    }
}

#[tokio::test(start_paused = true)]
async fn robots_txt_that_can_be_read_is_obeyed_whatever_its_type() {
    for kind in ["text/html", "application/octet-stream", "application/json", "text/html; charset=utf-8"] {
        let audit = audit_listing(&format!(
            "GET /robots.txt\ncontent-type: {kind}\n\nUser-agent: *\nDisallow: /a\nGET /\n<a href=/a>a</a><a href=/b>b</a>\nGET /a\na\nGET /b\nb"
        ))
        .await;

        let statuses: Vec<u16> = audit.rows().map(|row| row.page.status_code).collect();
        assert_eq!(statuses, [200, 0, 200], "{kind}");
    }
    let page = audit_listing(
        "GET /robots.txt\n<!doctype html><p>User-agent: *\nDisallow: /a\nGET /\n<a href=/a>a</a>\nGET /a\na",
    )
    .await;
    assert!(page.rows().all(|row| row.page.status_code == 200));
}

#[tokio::test(start_paused = true)]
async fn robots_txt_that_only_people_get_is_obeyed_and_a_warning_with_its_reason() {
    for status in [403, 429, 503] {
        let audit = audit_listing(&format!(
            "GET /robots.txt {status}\nPERSON /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /\n<a href=/a>a</a>\nGET /a\na"
        ))
        .await;

        let found =
            audit.site_findings.iter().find(|found| found.check.check().id == "ROBOTS_TXT_REFUSED").unwrap();
        assert!(
            found.findings[0].detail.starts_with(&format!("{status} for a crawler")),
            "{:?}",
            found.findings
        );
        assert!(!has(&audit, "ROBOTS_TXT_UNREACHABLE") && !has(&audit, "ROBOTS_TXT_MISSING"));
        assert_eq!(audit.rows().find(|row| row.page.path == "/a").unwrap().page.status_code, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn fragments_are_looked_for_as_html_has_it() {
    for (href, body, is_broken) in [
        ("#a%20b", "<p id='a%20b'>", false),
        ("#a%20b", "<p id='a b'>", false),
        ("#caf\u{e9}", "<p id='caf\u{e9}'>", false),
        ("#caf\u{e9}", "<p id='caf%C3%A9'>", false),
        ("#TOP", "", false),
        ("#", "", false),
        ("#:~:text=word", "", false),
        ("#part:~:text=word", "<p id=part>", false),
        ("#part:~:text=word", "", true),
        ("#part", "<a name=part>x</a>", false),
        ("#Part", "<p id=part>", true),
        ("#/route", "", false),
    ] {
        for site in [
            format!("GET /\n<a href='{href}'>a</a>{body}"),
            format!("GET /\n<a href='/b{href}'>a</a>\nGET /b\n{body}<p>b"),
        ] {
            let audit = audit_listing(&site).await;

            assert_eq!(findings_of(&audit, "/").contains(&"LINK_BROKEN_FRAGMENT"), is_broken, "{site}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_beyond_what_was_read_is_not_missing_and_the_page_says_that_it_is_too_large() {
    let large = "x".repeat(crate::source::MAX_DOCUMENT_BYTES);
    let audit = audit_listing(&format!(
        "GET /\n<a href=/large#late>a</a>\nGET /large\n<link rel=canonical href=/other><a href=#late>b</a><p>{large}<p id=late>\nGET /other\nother"
    ))
    .await;

    assert!(!findings_of(&audit, "/").contains(&"LINK_BROKEN_FRAGMENT"));
    let large = findings_of(&audit, "/large");
    assert!(!large.contains(&"LINK_BROKEN_FRAGMENT") && large.contains(&"HTML_TOO_LARGE"), "{large:?}");
}

#[tokio::test(start_paused = true)]
async fn a_link_is_named_by_what_stands_in_it() {
    for (html, is_empty) in [
        ("<img src=/a.png title=Shoes>", false),
        ("<img src=/a.png alt='' aria-label=Shoes>", false),
        ("<svg aria-label=Menu></svg>", false),
        ("<i class=icon title=Home></i>", false),
        ("<img src=/a.png title=' '>", true),
        ("<img src=/a.png alt='' role=presentation title=Shoes>", true),
        ("<svg aria-hidden=true aria-label=Menu></svg>", true),
    ] {
        let audit = audit_listing(&format!("GET /\n<a href=/b>{html}</a><p title=x>text\nGET /b\nb")).await;

        let found = findings_of(&audit, "/");
        assert_eq!(found.contains(&"LINK_EMPTY_ANCHOR"), is_empty, "{html}");
    }
}
