//! Tests of the records of requests and pages: visits, and the list of snapshots.

use super::*;

#[tokio::test]
async fn visits_of_crawlers_that_got_a_page_are_counted() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.state.start();
        for _ in 0..4 {
            app.crawl(&account, "https://shop.example/shoes?utm_source=x").await;
        }
        app.crawl(&account, "https://shop.example/app.js").await;
        app.render(&account, PAGE).header("user-agent", "curl/8").await;

        app.state.recorder.flush().await;

        let rows = app.visits().await;
        let counted: Vec<_> =
            rows.iter().map(|row| (row.path.as_str(), row.served.as_str(), row.visits)).collect();
        assert_eq!(counted, [("/shoes", "cache", 3), ("/shoes", "render", 1)]);
        let row = &rows[0];
        assert_eq!(
            (row.domain_id.as_str(), row.crawler.as_str(), row.day.as_str()),
            (domain.id.as_str(), "googlebot", "2026-11-20")
        );
        assert_eq!(row.verified, "unknown");
    })
    .await;
}

const GPTBOT: &str = "GPTBot/1.2";
/// Address list that the provider published yesterday. An address outside the list is an impostor's.
const RANGES: &str =
    r#"{"feeds":{"https://openai.com/gptbot.json":{"updated":"2026-11-19","networks":["20.15.240.0/24"]}}}"#;

/// Starts a process that knows the addresses of GPTBot.
async fn knowing_gptbot(app: &TestApp) -> TestApp {
    let file = app.state.platform.config.storage.data_dir.join("crawler-ranges.json");
    std::fs::write(file, RANGES).expect("a folder of this test");
    app.second().await
}

#[tokio::test]
async fn a_crawler_is_verified_by_the_address_that_an_integration_states() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        let app = knowing_gptbot(&app).await;
        app.state.start();
        let ask = || app.render(&account, PAGE).header("user-agent", GPTBOT);
        ask().await.assert_status(200);

        for address in ["20.15.240.7", "8.8.8.8", "10.0.0.1", "no address"] {
            // Three times: the router prepares the first answer, and the fast path gives the later ones.
            for _ in 0..3 {
                ask().header("x-service-client-address", address).await.assert_status(200);
            }
        }
        app.state.recorder.flush().await;

        let rows = app.visits().await;
        let mut counted: Vec<_> =
            rows.iter().map(|row| (row.served.as_str(), row.verified.as_str(), row.visits)).collect();
        counted.sort_unstable();
        assert_eq!(
            counted,
            [("cache", "no", 3), ("cache", "unknown", 6), ("cache", "yes", 3), ("render", "unknown", 1)]
        );
        app.stop().await;
    })
    .await;
}

#[tokio::test]
async fn an_impostor_starts_no_render_over_the_render_endpoint() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let app = knowing_gptbot(&app).await;
    let ask = |address| {
        let request = app.render(&account, PAGE).header("user-agent", GPTBOT);
        request.header("x-service-client-address", address)
    };

    let impostor = ask("8.8.8.8").await;
    let crawler = ask("20.15.240.7").await;

    assert_leads_to(&impostor, 304, PAGE);
    crawler.assert_status(200);
    assert_eq!(app.renderer.renders(PAGE), 1);
}

#[tokio::test]
async fn an_impostors_first_visit_is_counted_as_spoofed() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.state.start();
        app.crawl(&account, PAGE).await.assert_status(200);

        for address in ["9.9.9.9", "172.71.10.20"] {
            let request = app.crawl(&account, PAGE).header("x-service-client-address", address);
            request.await.assert_status(200);
        }
        app.state.recorder.flush().await;

        let rows = app.visits().await;
        let of = |served: &str, verified: &str| {
            let those =
                rows.iter().filter(|row| row.served.as_str() == served && row.verified.as_str() == verified);
            those.map(|row| row.visits).sum::<i64>()
        };
        assert_eq!((of("cache", "no"), of("cache", "unknown")), (1, 1));
        app.stop().await;
    })
    .await;
}

#[tokio::test]
async fn our_own_requests_are_no_visits() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.state.start();
        let mark = |host: &str| app.state.probe_marks.issue(host, app.clock.now());
        let crawl = async |mark: http::HeaderValue| {
            app.crawl(&account, PAGE).header("x-service-probe", mark.to_str().expect("plain")).await
        };
        for _ in 0..3 {
            crawl(mark("shop.example")).await.assert_status(200);
        }
        crawl(mark("other.example")).await.assert_status(200);
        app.set(&domain, |settings| settings.ignore_paths = "/shoes".into()).await;
        crawl(mark("www.shop.example")).await.assert_status(304);

        app.state.recorder.flush().await;

        let rows = app.visits().await;
        assert_eq!(rows.iter().map(|row| row.visits).sum::<i64>(), 1, "only the mark of another site counts");
    })
    .await;
}

#[tokio::test]
async fn crawlers_that_are_left_to_the_origin_are_counted_apart() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.state.start();
        app.set(&domain, |settings| settings.on_demand_render_enabled = false).await;

        app.crawl(&account, PAGE).await.assert_status(304);
        app.crawl(&account, "https://shop.example/app.js").await.assert_status(304);
        app.render(&account, PAGE).header("user-agent", "curl/8").await.assert_status(304);
        for (name, value) in [("accept", "application/json"), ("sec-fetch-dest", "image")] {
            app.crawl(&account, PAGE).header(name, value).await.assert_status(304);
        }
        app.state.recorder.flush().await;

        let rows = app.visits().await;
        let counted: Vec<_> = rows.iter().map(|row| (&*row.path, &*row.served, row.visits)).collect();
        assert_eq!(counted, [("/shoes", "origin", 1)]);
    })
    .await;
}

#[tokio::test]
async fn what_is_stored_is_listed_and_searched() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html("/shoes", "<p>Shoes</p>");
        for path in ["/shoes", "/Boots_100%25", "/about"] {
            app.crawl(&account, &format!("https://shop.example{path}")).await;
            app.clock.advance(Duration::from_secs(60));
        }
        let list = async |query: &str| app.get(&format!("/api/prerender/snapshots?domain=shop.example{query}")).key(&account.key).await;

        list("").await.assert(200, json!({ "total": 3, "snapshots": [{ "path": "/about" }, { "path": "/Boots_100%25" }, {
            "path": "/shoes", "url": "https://shop.example/shoes", "status": 200, "htmlBytes": 12, "ageSeconds": 180,
            "createdAt": "2026-11-20T12:00:00.000Z", "stale": false, "lastError": null,
        }] }));
        list("&limit=1&offset=1").await.assert(200, json!({ "total": 3, "snapshots": [{ "path": "/Boots_100%25" }] }));
        list("&search=boots").await.assert(200, json!({ "total": 1, "snapshots": [{ "path": "/Boots_100%25" }] }));
        list("&search=_100%25").await.assert(200, json!({ "total": 1 }));
        list("&search=%25_%25").await.assert(200, json!({ "total": 0, "snapshots": [] }));
        list("&sort=path&order=asc&limit=1").await.assert(200, json!({ "total": 3, "snapshots": [{ "path": "/Boots_100%25" }] }));
        list("&state=failing").await.assert(200, json!({ "total": 0, "snapshots": [], "counts": { "fresh": 3, "stale": 0, "failing": 0 } }));
        list("&state=fresh&limit=1").await.assert(200, json!({ "total": 3, "snapshots": [{ "state": "fresh", "intervalSeconds": 86_400 }] }));
        app.clock.advance(Duration::from_secs(86_400 - 90));
        list("&state=stale&search=O").await.assert(200, json!({ "total": 2, "counts": { "fresh": 1, "stale": 2, "failing": 0 } }));
        let csv = list("&format=csv&limit=1&sort=path&order=asc").await;
        let text = csv.text();
        let paths: Vec<_> = text.lines().skip(1).filter_map(|row| row.split('"').nth(3)).collect();
        assert_eq!(paths, ["/Boots_100%25", "/about", "/shoes"]);
        for bad in ["&state=old", "&sort=age", "&order=up", "&format=xml", "&limit=0", "&limit=501", "&limit=x", "&offset=-1", &format!("&search={}", "a".repeat(501))] {
            list(bad).await.assert_error(400, "invalid_request");
        }
        app.get("/api/prerender/snapshots").key(&account.key).await.assert_error(400, "invalid_request");
        app.get("/api/prerender/snapshots?domain=other.example").key(&account.key).await.assert_error(403, "domain_not_owned");
    })
    .await;
}
