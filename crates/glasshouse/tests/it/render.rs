//! Rendering from end to end: the binary, its commands, its database and folder, real Chromium, and a site on loopback.

use crate::support::{Service, Site, eventually, signal};

const PAGE: &str = "https://shop.test/shoes";

#[test]
fn a_page_is_rendered_kept_and_found_again_after_a_restart() {
    let site = Site::start();
    site.answers_app("/shoes", "Shoes");
    let mut service = Service::start(&site, "");

    let first = service.crawl(PAGE);
    let second = service.crawl(PAGE);
    service.restart();
    let third = service.crawl(PAGE);

    assert!(
        first.body.contains("<h1>Shoes</h1>") && first.body.contains("<title>Shoes</title>"),
        "{}",
        first.body
    );
    assert!(!first.body.contains("<script"), "{}", first.body);
    assert_eq!([first.tier(), second.tier(), third.tier()], ["miss", "edge-hit", "hit"]);
    assert!(!third.header("x-service-snapshot-key").is_empty());
    assert_eq!([&second.body, &third.body], [&first.body; 2]);
    assert_eq!(site.count("/shoes"), 1);
}

#[test]
fn a_stale_page_is_replaced_behind_the_answer_and_a_forced_one_at_once() {
    let site = Site::start();
    site.answers_app("/shoes", "Old shoes");
    let service = Service::start(&site, "[render]\ndefault_refresh_interval_s = 1");
    service.crawl(PAGE);
    site.answers_app("/shoes", "New shoes");
    std::thread::sleep(std::time::Duration::from_millis(1100));

    let stale = service.crawl(PAGE);

    assert!(stale.body.contains("Old shoes"), "{}", stale.body);
    assert_eq!(stale.tier(), "hit");
    eventually("the new page", || service.crawl(PAGE).body.contains("New shoes"));
    site.answers_app("/shoes", "Newest shoes");
    let forced = service.force(PAGE);
    assert!(forced.body.contains("Newest shoes"), "{}", forced.body);
    assert_eq!(forced.tier(), "miss");
}

#[test]
fn redirects_missing_pages_and_pages_without_end_are_told_as_what_they_are() {
    let site = Site::start();
    site.answers("/moved", "301 Moved Permanently\r\nlocation: /shoes", "");
    let gone = "<!DOCTYPE html><html><head><title>Gone</title><meta name=\"prerender-status-code\" content=\"404\"></head><body>Gone</body></html>";
    site.answers("/gone", "200 OK\r\ncontent-type: text/html", gone);
    let endless = "<!DOCTYPE html><html><body><h1>Half</h1><script>window.prerenderReady = false</script></body></html>";
    site.answers("/endless", "200 OK\r\ncontent-type: text/html", endless);
    let service = Service::start(&site, "[render]\ntimeout_ms = 3000");

    let moved = service.crawl("https://shop.test/moved");
    let gone = service.crawl("https://shop.test/gone");
    let endless = service.crawl("https://shop.test/endless");

    assert_eq!((moved.status, moved.header("location")), (301, PAGE));
    assert_eq!((gone.status, gone.body.contains("Gone")), (404, true));
    assert_eq!((endless.status, endless.header("x-service-render-partial")), (200, "1"));
    assert!(endless.body.contains("<h1>Half</h1>"), "{}", endless.body);
    assert_eq!(service.crawl("https://shop.test/endless").tier(), "miss");
}

#[test]
fn a_site_that_is_down_is_served_from_what_is_stored_and_else_left_to_the_origin() {
    let site = Site::start();
    site.answers_app("/shoes", "Shoes");
    let service = Service::start(&site, "[render]\ndefault_refresh_interval_s = 1");
    service.crawl(PAGE);
    site.answers(
        "/shoes",
        "503 Service Unavailable\r\ncontent-type: text/html",
        "<html><body>Down</body></html>",
    );
    std::thread::sleep(std::time::Duration::from_millis(1100));

    let stored = service.crawl(PAGE);

    assert!(stored.body.contains("Shoes"), "{}", stored.body);
    assert_eq!((stored.status, stored.tier()), (200, "hit"));
    let list = || service.ask("/api/prerender/snapshots?domain=shop.test").body;
    eventually("the recorded error", || list().contains("the page answered 503"));
    site.answers("/boots", "200 OK\r\ncontent-type: application/pdf", "%PDF-");
    let nothing = service.crawl("https://shop.test/boots");
    assert_eq!((nothing.status, nothing.header("location")), (304, "https://shop.test/boots"));
}

#[test]
fn a_browser_that_is_killed_during_a_render_costs_nobody_the_page() {
    let site = Site::start();
    site.answers_app("/warm", "Warm");
    let service = Service::start(&site, "");
    service.crawl("https://shop.test/warm");
    // Slow enough to be killed during the render, the second time too fast for that.
    let slow = "<!DOCTYPE html><html><body><div id=app></div><script>window.prerenderReady = false; \
         setTimeout(() => { document.querySelector('#app').innerHTML = '<h1>Shoes</h1>'; window.prerenderReady = true }, 3000)</script></body></html>";
    site.answers("/shoes", "200 OK\r\ncontent-type: text/html", slow);

    let reply = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| service.crawl(PAGE));
        eventually("the render", || site.count("/shoes") == 1);
        let browsers = service.descendants();
        assert!(!browsers.is_empty());
        for (pid, _) in browsers {
            signal("-KILL", pid);
        }
        waiting.join().expect("an answer")
    });

    assert_eq!(reply.status, 200);
    assert!(reply.body.contains("<h1>Shoes</h1>"), "{}", reply.body);
    assert_eq!(reply.tier(), "miss");
}

#[test]
fn a_suspended_domain_is_locked_in_the_running_service() {
    let site = Site::start();
    site.answers_app("/shoes", "Shoes");
    let service = Service::start(&site, "");
    service.crawl(PAGE);

    service.command(&["domain", "suspend", "shop.test"]);
    eventually("the lock", || service.crawl(PAGE).status == 403);
    service.command(&["domain", "resume", "shop.test"]);
    eventually("the end of the lock", || service.crawl(PAGE).status == 200);
    let listed = service.command(&["domain", "list", "--json"]);
    service.command(&["domain", "remove", "shop.test"]);

    assert!(listed.contains("\"account\": \"owner@localhost\""), "{listed}");
    assert!(listed.contains("\"status\": \"connected\""), "{listed}");
    eventually("the removal", || service.crawl(PAGE).body.contains("domain_not_owned"));
    eventually("the deletion of what was stored", || {
        !has_files(&service.folder().join("data/objects/snapshots"))
    });
}

fn has_files(folder: &std::path::Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.path().is_file() || has_files(&entry.path()))
    })
}

#[test]
fn a_render_that_fails_is_logged_without_its_query() {
    let site = Site::start();
    let cut_off = "200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000";
    site.answers("/boots?email=hunter2", cut_off, "<h1>Boots");
    let service = Service::start(&site, "");

    service.crawl("https://shop.test/boots?email=hunter2");

    eventually("the line of the failure", || service.log().contains("/boots"));
    assert!(!service.log().contains("hunter2"), "{}", service.log());
}

#[test]
fn the_command_tells_the_first_answer_the_redirects_the_headers_and_what_failed() {
    let site = Site::start();
    site.answers_app("/shoes", "Shoes");
    let head = "200 OK\r\ncontent-type: text/html\r\nx-robots-tag: noarchive\r\nx-robots-tag: bingbot: none";
    let script = "fetch('/api/prices?token=secret').then((answer) => { if (!answer.ok) throw new Error('no prices') })";
    site.answers(
        "/shoes",
        head,
        &format!("<!DOCTYPE html><title>Shop</title><div id=app></div><script>{script}</script>"),
    );
    site.answers("/api/prices?token=secret", "401 Unauthorized\r\ncontent-type: application/json", "{}");
    site.answers("/old", "301 Moved Permanently\r\nlocation: https://shop.test/shoes", "");
    let service = Service::start(&site, "");

    let told: serde_json::Value =
        serde_json::from_str(&service.command(&["render", "https://shop.test/old", "--json"])).unwrap();
    let reply = service.crawl(PAGE);
    let again = service.crawl(PAGE);

    assert_eq!((&told["status"], &told["firstStatus"]), (&200.into(), &301.into()));
    assert_eq!(
        told["hops"],
        serde_json::json!([{ "url": "https://shop.test/old", "status": 301, "location": PAGE }])
    );
    assert_eq!(told["headers"][1], serde_json::json!({ "name": "x-robots-tag", "value": "bingbot: none" }));
    assert_eq!(told["failed"][0]["status"], 401);
    assert_eq!(told["problems"][0], "GET /api/prices answered 401");
    assert_eq!(told["problems"][1], "a script failed: Error: no prices");
    assert_eq!([reply.tier(), again.tier()], ["miss", "edge-hit"]);
    // The client of this test keeps the last of several lines.
    assert_eq!([reply.header("x-robots-tag"), again.header("x-robots-tag")], ["bingbot: none"; 2]);
}

#[test]
fn the_command_prints_markdown_alone_or_beside_the_html() {
    let site = Site::start();
    site.answers_app("/shoes", "Shoes");
    let service = Service::start(&site, "");
    let ask = |more: &[&str]| service.command(&[&["render", PAGE, "--format", "markdown"], more].concat());

    let text = ask(&[]);
    let told: serde_json::Value = serde_json::from_str(&ask(&["--json"])).unwrap();

    assert!(text.starts_with("---\n") && text.contains("Shoes") && !text.contains('<'), "{text}");
    assert_eq!(told["markdown"], text);
    assert!(told["html"].as_str().unwrap().starts_with("<!DOCTYPE html>"));
}
