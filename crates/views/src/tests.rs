//! Views over HTTP, with the fake browser: what is answered, refused, counted, kept and deleted.

use std::time::Duration;

use browser::{RenderError, ViewSource};
use serde_json::{Value, json};

use crate::TidyViews;
use crate::testing::*;
use domains::{Domain, DomainStatus};
use platform::jobs::Job;
use platform::plans::Plan;

const VIEWS: &str = "/api/dashboard/views";
const PAGE: &str = "https://shop.example/a?x=1";

struct Shop {
    app: TestApp,
    account: TestAccount,
    session: TestSession,
    domain: Domain,
}

impl Shop {
    async fn of(app: TestApp) -> Shop {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let domain = app.domain(&account, "shop.example").await;
        // Refused by the guard at once, without a look into DNS.
        app.set(&domain, |settings| settings.origin_host = "127.0.0.1:9".parse().ok()).await;
        Shop { session: app.sign_in(&account).await, account, domain, app }
    }

    async fn order(&self, path: &str) -> Reply {
        let body = json!({ "domain": "shop.example", "path": path });
        self.app.post(VIEWS).session(&self.session).json(body).await
    }

    async fn get(&self, path: &str) -> Reply {
        self.app.get(path).session(&self.session).await
    }

    /// Takes a view and waits for its end.
    async fn take(&self, path: &str) -> Value {
        let taken = self.order(path).await;
        taken.assert(202, json!({ "state": "running" }));
        self.app.state.worker().run_until_idle().await;
        let id = taken.json()["id"].as_str().unwrap().to_owned();
        self.get(&format!("{VIEWS}/{id}")).await.json()
    }

    async fn renders(&self) -> u64 {
        let usage = self.get("/api/usage").await.json();
        let limits = usage["limits"].as_array().unwrap();
        let renders = limits.iter().find(|limit| limit["name"] == "renders_per_month").unwrap();
        renders["used"].as_u64().unwrap()
    }

    /// Counts the objects of views.
    async fn objects(&self) -> usize {
        use futures::TryStreamExt;
        let listed = self.app.state.platform.blobs.list("views").unwrap();
        listed.try_collect::<Vec<_>>().await.unwrap().len()
    }
}

#[tokio::test]
async fn a_view_shows_the_live_page_beside_the_snapshot_and_is_no_visit() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        let platform = &shop.app.state.platform;
        platform.tasks.spawn(shop.app.state.recorder.clone().run(platform.shutdown.clone()));
        shop.app.renderer.answers_html(PAGE, "<p>Shoes by hand</p>");
        shop.app.crawl(&shop.account, PAGE).await.assert_status(200);
        shop.app.state.recorder.flush().await;
        let (visits, renders) = (shop.app.visits().await, shop.renders().await);

        let view = shop.take("/a?x=1").await;

        assert_eq!(
            [&view["state"], &view["error"], &view["domain"], &view["path"], &view["url"], &view["width"]],
            [
                &json!("done"),
                &json!(null),
                &json!("shop.example"),
                &json!("/a?x=1"),
                &json!(PAGE),
                &json!(1280)
            ]
        );
        assert_eq!((&view["person"]["status"], &view["person"]["words"]), (&json!(200), &json!(3)));
        assert_eq!(view["crawler"]["source"], "stored");
        assert_eq!(view["crawler"]["html"], "<p>Shoes by hand</p>");
        assert_eq!((&view["crawler"]["htmlCut"], &view["crawler"]["htmlBytes"]), (&json!(false), &json!(20)));
        assert_eq!(view["crawler"]["markdown"], "Shoes by hand\n");
        assert_eq!(view["crawler"]["markdownTokens"], 4);
        assert!(view["crawler"]["snapshotKey"].as_str().unwrap().starts_with("snapshots/"));
        assert_eq!(view["raw"], json!(null), "nobody answers at the origin");
        assert_eq!(shop.renders().await, renders + 1);
        shop.app.state.recorder.flush().await;
        assert_eq!(shop.app.visits().await.len(), visits.len());
        let newest = shop.get(&format!("{VIEWS}?domain=shop.example&path=/a%3Fx=1")).await.json();
        assert_eq!(newest["view"], view);
        let other = shop.get(&format!("{VIEWS}?domain=shop.example&path=/b")).await;
        other.assert(200, json!({ "view": null }));
    })
    .await;
}

#[tokio::test]
async fn a_view_tells_failed_requests_and_the_headers_for_crawlers() {
    let shop = Shop::of(TestApp::new().await).await;
    shop.app.renderer.answers_page(PAGE, |page| {
        page.html = "<div id=root></div>".into();
        page.headers.append("x-robots-tag", http::HeaderValue::from_static("noindex"));
        let url = "https://shop.example/api/prices?key=1".to_owned();
        page.failed.push(browser::FailedRequest { method: "GET".into(), url, status: 401 });
    });

    let view = shop.take("/a?x=1").await;

    assert_eq!(view["problems"], json!(["GET /api/prices answered 401"]));
    assert_eq!(view["crawler"]["headers"], json!([{ "name": "x-robots-tag", "value": "noindex" }]));
    let site = shop.app.site(&shop.domain).await;
    let url = PAGE.parse().unwrap();
    let stored = shop.app.state.render.stored_pages().problems(&site, &url).await.unwrap();
    assert_eq!(stored, ["GET /api/prices answered 401"]);
}

#[tokio::test]
async fn pictures_and_html_of_strangers_cannot_act() {
    let shop = Shop::of(TestApp::new().await).await;
    let html = format!("<script>alert(1)</script>{}", "ä".repeat(300_000));
    shop.app.renderer.answers_html(PAGE, &html);

    let view = shop.take("/a?x=1").await;

    let picture = view["person"]["picture"].clone();
    assert_eq!(
        (&picture["width"], &picture["height"], &picture["cut"]),
        (&json!(1280), &json!(1), &json!(false))
    );
    let reply = shop.get(picture["url"].as_str().unwrap()).await;
    assert_eq!(
        (reply.header("content-type"), reply.body.len() as u64),
        ("image/webp", picture["bytes"].as_u64().unwrap())
    );
    let file = shop.get(&format!("{VIEWS}/{}/crawler.html", view["id"].as_str().unwrap())).await;
    assert_eq!(file.header("content-type"), "text/plain; charset=utf-8");
    assert!(file.header("content-disposition").starts_with("attachment"));
    assert_eq!(file.text(), html);
    for reply in [&reply, &file] {
        assert_eq!(reply.header("content-security-policy"), "default-src 'none'; sandbox");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("cache-control"), "private, max-age=3600");
    }
    let shown = view["crawler"]["html"].as_str().unwrap();
    assert!(shown.len() <= 512 << 10 && html.starts_with(shown) && view["crawler"]["htmlCut"] == true);
}

#[tokio::test]
async fn a_page_that_is_not_stored_is_rendered_and_stored_where_that_happens_on_demand() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        let on_demand = shop.take("/a").await;
        let renders = shop.renders().await;
        shop.app.set(&shop.domain, |settings| settings.on_demand_render_enabled = false).await;

        let without = shop.take("/b").await;
        let again = shop.take("/a").await;

        assert_eq!((&on_demand["crawler"]["source"], renders), (&json!("rendered"), 2));
        assert!(on_demand["crawler"]["snapshotKey"].is_string());
        assert_eq!((&without["state"], &without["crawler"]), (&json!("done"), &json!(null)));
        assert_eq!((&again["crawler"]["source"], shop.renders().await), (&json!("stored"), 4));
    })
    .await;
}

#[tokio::test]
async fn a_view_of_an_error_page_stores_nothing() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        for (path, status) in [("/gone", 404), ("/away", 410), ("/closed", 403)] {
            shop.app.renderer.answers_status(path, status, "<p>nothing here</p>");

            let view = shop.take(path).await;

            assert_eq!(
                (&view["crawler"]["source"], &view["crawler"]["status"]),
                (&json!("rendered"), &json!(status))
            );
            assert_eq!(view["crawler"]["snapshotKey"], json!(null));
        }
        let stored = shop.get("/api/prerender/snapshots?domain=shop.example").await.json();
        assert_eq!(stored["total"], 0, "{stored}");
    })
    .await;
}

#[tokio::test]
async fn a_view_that_fails_says_why_and_does_not_count() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        shop.app.set(&shop.domain, |settings| settings.on_demand_render_enabled = false).await;
        let timeout = RenderError::Timeout(Duration::from_secs(1));
        let forbidden = RenderError::Forbidden { host: "h".into(), reason: "private".into() };
        let too_large = RenderError::TooLarge { bytes: 2, limit: 1 };
        for (number, (error, code)) in [
            (RenderError::OriginUnreachable("refused".into()), "origin_not_reachable"),
            (RenderError::NotAPage("image/png".into()), "not_a_page"),
            (timeout, "timeout"),
            (too_large, "too_large"),
            (RenderError::PageCrashed, "too_large"),
            (forbidden, "forbidden_address"),
            (RenderError::NoBrowser("missing".into()), "no_browser"),
        ]
        .into_iter()
        .enumerate()
        {
            let path = format!("/{number}");
            shop.app.renderer.fails(&path, error);

            let view = shop.take(&path).await;

            assert_eq!((&view["state"], &view["error"]), (&json!("failed"), &json!(code)));
            assert_eq!(view["person"], json!(null));
        }
        assert_eq!(shop.renders().await, 0);
    })
    .await;
}

#[tokio::test]
async fn two_views_at_once_and_ten_a_minute_are_taken() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        shop.order("/1").await.assert_status(202);
        shop.order("/2").await.assert_status(202);

        let third = shop.order("/3").await;
        shop.app.state.worker().run_until_idle().await;
        for number in 4..11 {
            shop.order(&format!("/{number}")).await.assert_status(202);
            shop.app.state.worker().run_until_idle().await;
        }
        let eleventh = shop.order("/11").await;

        third.assert_error(429, "rate_limited");
        assert_eq!(third.header("retry-after"), "5");
        eleventh.assert_error(429, "rate_limited");
        assert_eq!(shop.renders().await, 18, "nine views, and nine pages that were not stored");
    })
    .await;
}

#[tokio::test]
async fn a_used_up_month_refuses_with_the_limit() {
    let shop = Shop::of(TestApp::with("[plans.agency]\nrenders_per_month = 1").await).await;
    let first = shop.take("/a").await;

    let refused = shop.order("/a").await;

    refused.assert(403, json!({ "error": "render_limit_reached", "limit": 1, "current": 1 }));
    assert_eq!(
        (&first["state"], &first["crawler"]),
        (&json!("done"), &json!(null)),
        "no second render was left"
    );
}

#[tokio::test]
async fn what_cannot_be_seen_is_refused() {
    let shop = Shop::of(TestApp::new().await).await;
    let app = &shop.app;
    let stranger = app.account("stranger@else.example", Plan::Agency).await;
    app.domain(&stranger, "else.example").await;
    app.domain_with_status(&shop.account, "locked.example", DomainStatus::Suspended).await;
    let post = |domain: &str, path: &str, width: Value| {
        let body = json!({ "domain": domain, "path": path, "width": width });
        app.post(VIEWS).session(&shop.session).json(body)
    };

    for (path, width, place) in
        [("a", json!(1280), "path"), ("//else.example/", json!(1280), "path"), ("/a", json!(800), "width")]
    {
        let reply = post("shop.example", path, width).await;
        reply.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": place }] }));
    }
    post("else.example", "/a", json!(1280)).await.assert_error(403, "domain_not_owned");
    post("locked.example", "/a", json!(1280)).await.assert_error(403, "domain_suspended");
    app.post(VIEWS).key(&shop.account.key).json(json!({})).await.assert_error(401, "invalid_api_key");
    app.clock.advance(Duration::from_secs(61));
    app.deactivate(&shop.account).await;
    post("shop.example", "/a", json!(1280)).await.assert_error(402, "subscription_required");
}

#[tokio::test]
async fn a_view_is_seen_by_its_account_only_and_for_a_day() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        let stranger = shop.app.account("stranger@else.example", Plan::Agency).await;
        let stranger = shop.app.sign_in(&stranger).await;
        let view = shop.take("/a").await;
        let id = view["id"].as_str().unwrap();
        let paths =
            ["", "/person.webp", "/crawler.webp", "/crawler.html"].map(|end| format!("{VIEWS}/{id}{end}"));

        for path in &paths {
            shop.get(path).await.assert_status(200);
            shop.app.get(path).session(&stranger).await.assert_error(404, "not_found");
            shop.app.get(path).key(&shop.account.key).await.assert_error(401, "invalid_api_key");
        }
        shop.get(&format!("{VIEWS}/{id}/raw.webp")).await.assert_error(404, "not_found");
        let foreign = shop.app.get(&format!("{VIEWS}?domain=shop.example&path=/a")).session(&stranger).await;
        foreign.assert_error(403, "domain_not_owned");
        shop.app.clock.advance(Duration::from_secs(24 * 3600));
        let later = shop.app.sign_in(&shop.account).await;
        for path in &paths {
            shop.app.get(path).session(&later).await.assert_error(404, "not_found");
        }
        assert!(shop.objects().await > 0);
        let state = &shop.app.state;
        let mut tx = state.platform.db.write().await.unwrap();
        state.jobs.enqueue(&mut tx, vec![TidyViews {}.queued_for("service")]).await.unwrap();
        tx.commit().await.unwrap();
        state.worker().run_until_idle().await;
        assert_eq!(shop.objects().await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_domain_keeps_twenty_views_and_takes_them_along_when_it_is_removed() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        let first = shop.take("/a").await;
        for _ in 0..20 {
            shop.app.clock.advance(Duration::from_secs(61));
            shop.take("/a").await;
        }

        let gone = shop.get(&format!("{VIEWS}/{}", first["id"].as_str().unwrap())).await;

        gone.assert_error(404, "not_found");
        let per_view = 4;
        assert_eq!(shop.objects().await, 20 * per_view);
        assert!(shop.app.state.domains.remove(&shop.domain).await.unwrap());
        shop.app.state.views.forget_domain(&shop.domain.id).await.unwrap();
        assert_eq!(shop.objects().await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_phone_is_390_pixels_wide_and_snapshots_are_drawn_without_scripts() {
    let shop = Shop::of(TestApp::new().await).await;
    let body = json!({ "domain": "shop.example", "path": "/a", "width": 390 });
    shop.app.post(VIEWS).session(&shop.session).json(body).await.assert_status(202);
    shop.app.state.worker().run_until_idle().await;

    let views = shop.app.renderer.views();

    assert_eq!(views.iter().map(|view| view.width).collect::<Vec<_>>(), [390, 390]);
    assert!(matches!((&views[0].source, &views[1].source), (ViewSource::Live, ViewSource::Document { .. })));
    assert!(views.iter().all(|view| view.page.url.as_str() == "https://shop.example/a"));
}
