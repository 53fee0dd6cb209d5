//! Tests of cache refresh: the four endpoints in both variants, batches, stale pages; over HTTP on both databases, with an
//! origin on loopback and a programmed browser.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use browser::RenderError;
use crawler::testing::WebServer;
use http::{Request, Response};
use http_body_util::Full;
use serde_json::{Value, json};

use crate::accounts::Plan;
use crate::domains::{Domain, DomainStatus};
use crate::jobs::{JobState, LaneLimits, Registry, Worker, WorkerSettings};
use crate::testing::{NOON, Reply, TestAccount, TestApp};

mod tidy;

const PAGE: &str = "/api/prerender/cache/invalidate-page-cache";
const PATHS: &str = "/api/prerender/cache/invalidate-paths-cache";
const SITE: &str = "/api/prerender/cache/invalidate-site-cache";
const UPDATED: &str = "/api/prerender/cache/invalidate-updated-paths";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// What the origin answers: a status and a body by path; every other path is a page.
#[derive(Clone, Default)]
struct Web(Arc<Mutex<HashMap<String, (u16, String)>>>);

impl Web {
    fn set(&self, path: &str, status: u16, body: &str) {
        self.0.lock().unwrap().insert(path.to_owned(), (status, body.to_owned()));
    }

    fn sitemap(&self, pages: &[(&str, Option<&str>)]) {
        let url = |(path, lastmod): &(&str, Option<&str>)| {
            let lastmod = lastmod.map(|date| format!("<lastmod>{date}</lastmod>")).unwrap_or_default();
            format!("<url><loc>https://shop.example{path}</loc>{lastmod}</url>")
        };
        let urls: String = pages.iter().map(url).collect();
        self.set("/sitemap.xml", 200, &format!("<urlset>{urls}</urlset>"));
    }
}

struct Shop {
    app: TestApp,
    web: Web,
    account: TestAccount,
    domain: Domain,
}

impl Shop {
    async fn post(&self, path: &str, body: Value) -> Reply {
        self.app.post(path).key(&self.account.key).json(body).await
    }

    async fn post_ok(&self, path: &str, mut body: Value) -> Value {
        body["domain"] = json!("shop.example");
        let reply = self.post(path, body).await;
        reply.assert_status(200);
        reply.json()
    }

    /// Runs everything that is due, without the patience that a real origin deserves.
    async fn run_jobs(&self) {
        let state = &self.app.state;
        let lanes = LaneLimits { at_once: 4, per_second: 1_000_000 };
        let settings = WorkerSettings { lanes, ..WorkerSettings::default() };
        let registry = state.refresh.register_renders(state.refresh.register(Registry::default()));
        Worker::new(state.jobs.clone(), registry, Vec::new(), settings).run_until_idle().await;
    }

    async fn crawl(&self, path: &str) -> Reply {
        self.app.crawl(&self.account, &format!("https://shop.example{path}")).await
    }

    fn renders(&self, path: &str) -> usize {
        self.app.renderer.renders(&format!("https://shop.example{path}"))
    }

    fn all_renders(&self) -> usize {
        self.app.renderer.requests().len()
    }

    async fn batch(&self, id: &Value) -> Value {
        let path = format!("/api/prerender/batches/{}", id.as_str().unwrap());
        let reply = self.app.get(&path).key(&self.account.key).await;
        reply.assert_status(200);
        reply.json()
    }

    async fn snapshot_html(&self, path: &str) -> String {
        // Past the five minutes of memory.
        self.app.clock.advance(Duration::from_secs(301));
        self.crawl(path).await.text()
    }
}

async fn on_each_engine(test: impl AsyncFn(Shop)) {
    on_each_engine_with("", test).await;
}

async fn on_each_engine_with(settings: &str, test: impl AsyncFn(Shop)) {
    let web = Web::default();
    let answers = web.clone();
    let server = WebServer::start(move |request: Request<_>| {
        let answer = answers.0.lock().unwrap().get(request.uri().path()).cloned();
        async move {
            let (status, body) = answer.unwrap_or((200, "<p>a page</p>".to_owned()));
            let response = Response::builder().status(status);
            let response = if status == 429 { response.header("retry-after", "120") } else { response };
            response.body(Full::from(body)).unwrap()
        }
    })
    .await;
    let address = server.address();
    let hosts = format!(
        "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"shop.example\" = \"{address}\", \"app.host.example\" = \"{address}\", \"dead.example\" = \"127.0.0.1:1\" }}\n{settings}"
    );
    TestApp::on_each_engine_with(&hosts, async |app| {
        web.0.lock().unwrap().clear();
        let account = app.account("owner@shop.example", Plan::Enterprise).await;
        let domain = app.domain(&account, "shop.example").await;
        app.set(&domain, |settings| settings.sitemap_url = "https://shop.example/sitemap.xml".into()).await;
        let shop = Shop { app, web: web.clone(), account, domain };
        test(shop).await;
    })
    .await;
}

// ---- One page and several

#[tokio::test]
async fn a_refreshed_page_is_served_old_until_the_new_one_replaces_it() {
    on_each_engine(async |shop| {
        shop.app.renderer.answers_html("/shoes", "<p>old</p>");
        shop.crawl("/shoes").await;
        shop.app.renderer.answers_html("/shoes", "<p>new</p>");

        let answer = shop.post_ok(PAGE, json!({ "path": "/shoes" })).await;
        let before = shop.crawl("/shoes").await.text();
        shop.run_jobs().await;
        let after = shop.crawl("/shoes").await.text();

        assert_eq!(answer, json!({ "ok": true, "prewarmed": 1 }));
        assert_eq!((before.as_str(), after.as_str()), ("<p>old</p>", "<p>new</p>"));
        assert_eq!(shop.renders("/shoes"), 2);
    })
    .await;
}

#[tokio::test]
async fn without_prewarm_nothing_happens() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        let off = |mut body: Value| {
            body["prewarm"] = json!(false);
            body
        };

        let page = shop.post_ok(PAGE, off(json!({ "path": "/a" }))).await;
        let paths = shop.post_ok(PATHS, off(json!({ "paths": ["/a"] }))).await;
        let site = shop.post_ok(SITE, off(json!({}))).await;
        let updated = shop.post_ok(UPDATED, off(json!({}))).await;
        shop.run_jobs().await;

        assert_eq!(
            (&page, &paths),
            (&json!({ "ok": true, "prewarmed": 0 }), &json!({ "ok": true, "prewarmed": 0 }))
        );
        let nothing = json!({ "ok": true, "accepted": false, "batchGroupId": "" });
        assert_eq!((&site, &updated), (&nothing, &nothing));
        assert_eq!(shop.all_renders(), 0);
    })
    .await;
}

#[tokio::test]
async fn paths_that_mean_the_same_page_are_rendered_once() {
    on_each_engine(async |shop| {
        let paths = json!(["/a", "/a?utm_source=x", "/b#top", "/b"]);

        let answer = shop.post_ok(PATHS, json!({ "paths": paths })).await;
        let again = shop.post_ok(PATHS, json!({ "paths": ["/a"] })).await;
        shop.run_jobs().await;

        assert_eq!((answer["prewarmed"].as_u64(), again["prewarmed"].as_u64()), (Some(2), Some(1)));
        assert_eq!((shop.renders("/a"), shop.renders("/b")), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn a_path_that_the_origin_does_not_have_is_not_reachable() {
    on_each_engine(async |shop| {
        shop.web.set("/gone", 404, "");
        shop.web.set("/broken", 500, "");

        let gone = shop.post_ok(PAGE, json!({ "path": "/gone" })).await;
        let broken = shop.post_ok(PAGE, json!({ "path": "/broken" })).await;
        let some = shop.post_ok(PATHS, json!({ "paths": ["/gone", "/a"] })).await;

        let nothing = json!({ "ok": false, "error": "path_not_reachable", "prewarmed": 0 });
        assert_eq!((&gone, &broken), (&nothing, &nothing));
        assert_eq!(some, json!({ "ok": true, "prewarmed": 1 }));
    })
    .await;
}

#[tokio::test]
async fn what_is_never_prerendered_cannot_be_refreshed() {
    on_each_engine(async |shop| {
        shop.app.set(&shop.domain, |settings| settings.ignore_paths = "/cart/**".into()).await;

        let ignored = shop.post_ok(PAGE, json!({ "path": "/cart/1" })).await;
        let asset = shop.post_ok(PAGE, json!({ "path": "/logo.png" })).await;

        let nothing = json!({ "ok": false, "error": "path_not_reachable", "prewarmed": 0 });
        assert_eq!((&ignored, &asset), (&nothing, &nothing));
    })
    .await;
}

#[tokio::test]
async fn an_origin_that_does_not_answer_is_told_before_anything_is_queued() {
    on_each_engine(async |shop| {
        let dead = shop.app.domain(&shop.account, "dead.example").await;
        let page = json!({ "domain": "dead.example", "path": "/a" });
        let site = json!({ "domain": "dead.example", "sitemapUrl": "https://shop.example/sitemap.xml" });
        shop.web.sitemap(&[("/a", None)]);

        let own = shop.post(PAGE, page.clone()).await.json();
        let own_site = shop.post(SITE, site).await.json();
        shop.app.set(&dead, |settings| settings.origin_host = "app.host.example".into()).await;
        let well = shop.post(PAGE, page.clone()).await.json();
        shop.app.set(&shop.domain, |settings| settings.origin_host = "dead.example".into()).await;
        let host = shop.post_ok(PAGE, json!({ "path": "/a" })).await;

        assert_eq!(own, json!({ "ok": false, "error": "origin_not_reachable", "prewarmed": 0 }));
        let nothing =
            json!({ "ok": false, "error": "origin_not_reachable", "accepted": false, "batchGroupId": "" });
        assert_eq!(own_site, nothing);
        assert_eq!(well["ok"], true);
        assert_eq!(host["error"], "origin_host_not_reachable");
    })
    .await;
}

#[tokio::test]
async fn an_account_without_renders_left_is_told_so() {
    on_each_engine_with("[plans.enterprise]\nrenders_per_month = 2", async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        let some = shop.post_ok(PATHS, json!({ "paths": ["/a", "/b", "/c"] })).await;
        shop.run_jobs().await;

        let page = shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        let site = shop.post_ok(SITE, json!({})).await;

        assert_eq!(some["prewarmed"], 3);
        assert_eq!(shop.all_renders(), 2);
        let dead = shop.app.state.jobs.list(Some(JobState::Dead), 10).await.unwrap();
        assert_eq!(dead[0].error.as_deref(), Some("the account has no renders left this month"));
        assert_eq!(page, json!({ "ok": false, "error": "render_limit_reached", "prewarmed": 0 }));
        assert_eq!(
            site,
            json!({ "ok": false, "error": "render_limit_reached", "accepted": false, "batchGroupId": "" })
        );
    })
    .await;
}

#[tokio::test]
async fn the_preferred_host_is_what_is_rendered() {
    on_each_engine(async |shop| {
        let settings = crate::domains::PreferredHost::Www;
        shop.app.set(&shop.domain, |all| all.preferred_host = Some(settings)).await;
        // The twin has no address here, so nobody answers there.
        let answer = shop.post_ok(PAGE, json!({ "path": "/a" })).await;

        assert_eq!(answer["error"], "origin_not_reachable");
    })
    .await;
}

// ---- Refusals

#[tokio::test]
async fn requests_are_refused_in_the_documented_order() {
    on_each_engine(async |shop| {
        let other = shop.app.account("other@else.example", Plan::Enterprise).await;
        shop.app.domain(&other, "else.example").await;
        shop.app.domain_with_status(&shop.account, "locked.example", DomainStatus::Suspended).await;
        let scoped = shop.app.key(&shop.account.id, Some("shop.example")).await;
        let scoped_post = async |body: Value| shop.app.post(PAGE).key(&scoped).json(body).await;

        shop.app.post(PAGE).json(json!({})).await.assert_error(401, "invalid_api_key");
        shop.post(PAGE, json!({ "domain": "shop.example" })).await.assert_error(400, "invalid_request");
        for path in ["a", "//evil.example/a", "https://shop.example/a", ""] {
            let body = json!({ "domain": "else.example", "path": path });
            shop.post(PAGE, body).await.assert_error(400, "invalid_request");
        }
        shop.post(PATHS, json!({ "domain": "shop.example", "paths": [] }))
            .await
            .assert_error(400, "invalid_request");
        let bad = shop.post(PATHS, json!({ "domain": "shop.example", "paths": ["/a", "b"] })).await;
        bad.assert_error(400, "invalid_request");
        assert_eq!(bad.json()["issues"][0]["path"], "paths.1");
        for sitemap in ["nonsense", "/sitemap.xml", "ftp://shop.example/sitemap.xml"] {
            let body = json!({ "domain": "shop.example", "sitemapUrl": sitemap });
            shop.post(SITE, body).await.assert_error(400, "invalid_request");
        }
        let elsewhere = json!({ "domain": "else.example", "path": "/a" });
        scoped_post(elsewhere.clone()).await.assert_error(403, "api_key_domain_scope_mismatch");
        shop.post(PAGE, elsewhere).await.assert_error(403, "domain_not_owned");
        shop.post(PAGE, json!({ "domain": "not a name", "path": "/a" }))
            .await
            .assert_error(403, "domain_not_owned");
        let locked = json!({ "domain": "locked.example", "path": "/a" });
        shop.post(PAGE, locked).await.assert_error(403, "domain_suspended");
        scoped_post(json!({ "domain": "shop.example", "path": "/a" })).await.assert_status(200);
        shop.app.deactivate(&shop.account).await;
        tokio::time::sleep(Duration::from_millis(2100)).await;
        shop.post(PAGE, json!({})).await.assert_error(402, "subscription_required");
    })
    .await;
}

#[tokio::test]
async fn a_session_refreshes_under_the_dashboards_address_and_not_under_the_specifications() {
    on_each_engine(async |shop| {
        let session = shop.app.sign_in(&shop.account).await;
        let body = json!({ "domain": "shop.example", "path": "/a" });

        let own =
            shop.app.post("/api/dashboard/cache/invalidate-page-cache").session(&session).json(&body).await;
        let keys_only = shop.app.post(PAGE).session(&session).json(&body).await;

        own.assert(200, json!({ "ok": true, "prewarmed": 1 }));
        keys_only.assert_error(401, "invalid_api_key");
    })
    .await;
}

// ---- Sites

#[tokio::test]
async fn a_site_is_refreshed_page_by_page_and_its_batch_tells_how_far_it_is() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/", None), ("/a", None), ("/b", None), ("/c.pdf", None)]);
        shop.app.renderer.answers_status("/b", 404, "<p>gone</p>");
        shop.app.renderer.fails("/a", RenderError::NotAPage("application/zip".into()));

        let answer = shop.post_ok(SITE, json!({})).await;
        let before = shop.batch(&answer["batchGroupId"]).await;
        shop.run_jobs().await;
        let after = shop.batch(&answer["batchGroupId"]).await;

        assert_eq!((answer["ok"].as_bool(), answer["accepted"].as_bool()), (Some(true), Some(true)));
        assert_eq!(before["total"], 3);
        assert_eq!(
            (&before["done"], &before["startedAt"], &before["completedAt"]),
            (&json!(0), &Value::Null, &Value::Null)
        );
        assert_eq!(
            (&after["total"], &after["done"], &after["failed"], &after["running"]),
            (&json!(3), &json!(2), &json!(1), &json!(0))
        );
        assert_eq!((&after["startedAt"], &after["completedAt"]), (&json!(NOON), &json!(NOON)));
        assert_eq!(after["failures"][0]["url"], "https://shop.example/a");
        let usage = shop.app.get("/api/usage").key(&shop.account.key).await.json();
        let renders =
            usage["limits"].as_array().unwrap().iter().find(|entry| entry["name"] == "renders_per_month");
        assert_eq!(renders.unwrap()["used"], 2, "a render that failed is not counted");
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_shown_to_its_account_only() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        let other = shop.app.account("other@else.example", Plan::Enterprise).await;
        shop.app.domain(&shop.account, "second.example").await;
        let scoped = shop.app.key(&shop.account.id, Some("second.example")).await;
        let id = shop.post_ok(SITE, json!({})).await["batchGroupId"].as_str().unwrap().to_owned();
        let path = format!("/api/prerender/batches/{id}");

        shop.app.get(&path).key(&other.key).await.assert_error(404, "not_found");
        shop.app.get(&path).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        shop.app
            .get("/api/prerender/batches/nothing")
            .key(&shop.account.key)
            .await
            .assert_error(404, "not_found");
        let session = shop.app.sign_in(&shop.account).await;
        shop.app.get(&path).session(&session).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn an_unusable_sitemap_is_told_with_its_code() {
    on_each_engine(async |shop| {
        shop.web.set("/missing.xml", 404, "");
        shop.web.set("/page.xml", 200, "<html><body>Hello</body></html>");
        let site = async |sitemap: &str| {
            let body = json!({ "sitemapUrl": format!("https://shop.example{sitemap}") });
            let (every, updated) =
                (shop.post_ok(SITE, body.clone()).await, shop.post_ok(UPDATED, body).await);
            assert_eq!(every, updated);
            every
        };

        let (missing, broken) = (site("/missing.xml").await, site("/page.xml").await);
        shop.app.set(&shop.domain, |settings| settings.sitemap_url = String::new()).await;
        let none = shop.post_ok(SITE, json!({})).await;

        let nothing = |code| json!({ "ok": false, "error": code, "accepted": false, "batchGroupId": "" });
        assert_eq!(
            (missing, broken, none),
            (nothing("fetch_failed"), nothing("parse_failed"), nothing("no_sitemap"))
        );
    })
    .await;
}

#[tokio::test]
async fn the_sitemap_is_read_from_the_origin_host() {
    on_each_engine(async |shop| {
        let second = shop.app.domain(&shop.account, "nowhere.example").await;
        shop.app
            .set(&second, |settings| {
                settings.origin_host = "app.host.example".into();
                settings.sitemap_url = "https://nowhere.example/second.xml".into();
            })
            .await;
        shop.web.set("/second.xml", 200, "<urlset><url><loc>https://nowhere.example/a</loc></url></urlset>");

        let answer = shop.post(SITE, json!({ "domain": "nowhere.example" })).await.json();
        shop.run_jobs().await;

        assert_eq!(answer["accepted"], true);
        assert_eq!(shop.app.renderer.renders("https://nowhere.example/a"), 1);
    })
    .await;
}

#[tokio::test]
async fn updated_paths_are_the_newer_the_never_stored_and_the_undated() {
    on_each_engine(async |shop| {
        for path in ["/older", "/newer", "/undated"] {
            shop.crawl(path).await;
        }
        shop.app.clock.advance(DAY);
        let (before, after) = ("2026-11-20T11:59:59Z", "2026-11-20T12:00:01Z");
        let all =
            [("/older", Some(before)), ("/newer", Some(after)), ("/undated", None), ("/never", Some(before))];
        shop.web.sitemap(&all);

        let answer = shop.post_ok(UPDATED, json!({})).await;
        shop.run_jobs().await;

        let batch = shop.batch(&answer["batchGroupId"]).await;
        assert_eq!((&batch["total"], &batch["done"]), (&json!(3), &json!(3)));
        let renders = ["/older", "/newer", "/undated", "/never"].map(|path| shop.renders(path));
        assert_eq!(renders, [1, 2, 2, 1]);
    })
    .await;
}

#[tokio::test]
async fn nothing_newer_is_told_so() {
    on_each_engine(async |shop| {
        shop.crawl("/a").await;
        shop.web.sitemap(&[("/a", Some("2020-01-01"))]);

        let answer = shop.post_ok(UPDATED, json!({})).await;

        let expected =
            json!({ "ok": false, "error": "no_updated_paths", "accepted": false, "batchGroupId": "" });
        assert_eq!(answer, expected);
    })
    .await;
}

#[tokio::test]
async fn a_large_site_is_fed_part_by_part_and_every_page_is_rendered_once() {
    on_each_engine(async |shop| {
        let paths: Vec<String> = (0..130).map(|n| format!("/p/{n}")).collect();
        let pages: Vec<_> = paths.iter().map(|path| (path.as_str(), None)).collect();
        shop.web.sitemap(&pages);

        let answer = shop.post_ok(SITE, json!({})).await;
        let waiting = shop.app.state.jobs.list(None, 10_000).await.unwrap().len();
        let mut batch = Value::Null;
        for _ in 0..40 {
            shop.run_jobs().await;
            shop.app.clock.advance(Duration::from_secs(2));
            batch = shop.batch(&answer["batchGroupId"]).await;
            if !batch["completedAt"].is_null() {
                break;
            }
        }

        assert_eq!(waiting, 1);
        assert_eq!(
            (&batch["total"], &batch["done"], &batch["failed"]),
            (&json!(130), &json!(130), &json!(0))
        );
        assert_eq!(shop.all_renders(), 130);
    })
    .await;
}

#[tokio::test]
async fn a_sitemap_that_takes_longer_than_five_seconds_is_read_in_the_background() {
    let web = WebServer::start(async |request: Request<_>| {
        if request.uri().path() == "/sitemap.xml" {
            tokio::time::sleep(Duration::from_millis(5_500)).await;
            return Response::new(Full::from(
                "<urlset><url><loc>https://shop.example/a</loc></url></urlset>",
            ));
        }
        Response::new(Full::from("<p>a page</p>"))
    })
    .await;
    let settings = format!(
        "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"shop.example\" = \"{}\" }}",
        web.address()
    );
    let app = TestApp::with(&settings).await;
    let account = app.account("owner@shop.example", Plan::Enterprise).await;
    let domain = app.domain(&account, "shop.example").await;
    app.set(&domain, |settings| settings.sitemap_url = "https://shop.example/sitemap.xml".into()).await;

    let body = json!({ "domain": "shop.example" });
    let answer = app.post(SITE).key(&account.key).json(&body).await.json();
    let path = format!("/api/prerender/batches/{}", answer["batchGroupId"].as_str().unwrap());
    let before = app.get(&path).key(&account.key).await.json();
    app.state.worker().run_until_idle().await;
    let after = app.get(&path).key(&account.key).await.json();

    assert_eq!((&before["total"], &before["completedAt"]), (&json!(0), &Value::Null));
    assert_eq!((&after["total"], &after["done"]), (&json!(1), &json!(1)));
    assert!(!after["completedAt"].is_null());
}

#[tokio::test]
async fn a_second_refresh_of_the_whole_site_joins_the_first() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None), ("/b", None)]);

        let first = shop.post_ok(SITE, json!({})).await;
        let second = shop.post_ok(SITE, json!({})).await;
        shop.run_jobs().await;
        let third = shop.post_ok(SITE, json!({})).await;

        assert_eq!(first["batchGroupId"], second["batchGroupId"]);
        assert_ne!(first["batchGroupId"], third["batchGroupId"]);
        assert_eq!(shop.batch(&first["batchGroupId"]).await["total"], json!(2));
    })
    .await;
}

#[tokio::test]
async fn a_domain_has_at_most_ten_refreshes_in_progress() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        for _ in 0..10 {
            shop.post_ok(UPDATED, json!({})).await;
        }

        let refused = shop.post(UPDATED, json!({ "domain": "shop.example" })).await;

        refused.assert_status(429);
        assert_eq!(refused.json()["error"], "rate_limited");
        assert_eq!(refused.header("retry-after"), "60");
        shop.run_jobs().await;
        shop.post_ok(UPDATED, json!({})).await;
    })
    .await;
}

#[tokio::test]
async fn a_large_batch_whose_domain_is_suspended_half_way_is_complete_and_adds_up() {
    on_each_engine(async |shop| {
        let paths: Vec<String> = (0..130).map(|n| format!("/p/{n}")).collect();
        let pages: Vec<_> = paths.iter().map(|path| (path.as_str(), None)).collect();
        shop.web.sitemap(&pages);
        let reply = shop.post_ok(SITE, json!({})).await;
        shop.run_jobs().await;

        shop.app
            .state
            .domains
            .set_suspended("shop.example", crate::domains::service::Lock::On)
            .await
            .unwrap();
        for _ in 0..5 {
            shop.app.clock.advance(Duration::from_secs(2));
            shop.run_jobs().await;
        }

        let batch = shop.batch(&reply["batchGroupId"]).await;
        let sum = batch["done"].as_u64().unwrap() + batch["failed"].as_u64().unwrap();
        assert_eq!((&batch["total"], sum, batch["completedAt"].is_null()), (&json!(130), 130, false));
    })
    .await;
}

// ---- What goes wrong while rendering

#[tokio::test]
async fn a_failed_render_keeps_what_is_stored_and_is_tried_again() {
    on_each_engine(async |shop| {
        shop.app.renderer.answers_html("/a", "<p>good</p>");
        shop.crawl("/a").await;
        shop.app.renderer.fails("/a", RenderError::OriginUnreachable("connection refused".into()));

        shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        shop.run_jobs().await;
        let meanwhile = shop.snapshot_html("/a").await;
        shop.app.renderer.answers_html("/a", "<p>better</p>");
        shop.run_jobs().await;

        assert_eq!(meanwhile, "<p>good</p>");
        assert_eq!(shop.snapshot_html("/a").await, "<p>better</p>");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_asks_to_be_spared_is_left_alone_for_so_long() {
    on_each_engine(async |shop| {
        shop.post_ok(PATHS, json!({ "paths": ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"] })).await;
        for path in ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"] {
            shop.web.set(path, 429, "");
            shop.app.renderer.answers_status(path, 429, "<p>slow down</p>");
        }
        shop.run_jobs().await;
        let refused = shop.all_renders();
        shop.app.clock.advance(Duration::from_secs(119));
        shop.run_jobs().await;
        let spared = shop.all_renders();
        for path in ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"] {
            shop.app.renderer.answers_html(path, "<p>well</p>");
        }
        shop.app.clock.advance(Duration::from_secs(2));
        shop.run_jobs().await;

        assert!((1..8).contains(&refused), "{refused}");
        assert_eq!(spared, refused);
        assert_eq!(shop.all_renders(), refused + 8);
        assert!(shop.app.state.jobs.list(None, 10).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_page_that_lost_its_text_is_replaced_only_when_a_second_render_a_minute_later_agrees() {
    on_each_engine(async |shop| {
        shop.app.renderer.answers_html("/a", &format!("<p>{}</p>", "many words ".repeat(100)));
        shop.crawl("/a").await;
        shop.app.renderer.answers_html("/a", "<p>few</p>");

        shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        shop.run_jobs().await;
        let held_back = shop.crawl("/a").await.text();
        shop.app.clock.advance(Duration::from_secs(62));
        shop.run_jobs().await;
        let confirmed = shop.crawl("/a").await.text();

        assert!(held_back.contains("many words"));
        assert_eq!(confirmed, "<p>few</p>");
        assert_eq!(shop.renders("/a"), 3);
    })
    .await;
}

#[tokio::test]
async fn jobs_of_a_removed_domain_go_with_it() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None), ("/b", None)]);
        shop.post_ok(SITE, json!({})).await;

        shop.app.state.domains.remove(&shop.domain).await.unwrap();
        shop.app.state.worker().run_until_idle().await;

        assert_eq!(shop.all_renders(), 0);
        let left = shop.app.state.jobs.list(None, 10).await.unwrap();
        // It looks once more later, and belongs to no domain.
        assert_eq!(left.iter().map(|job| job.kind.as_str()).collect::<Vec<_>>(), ["RemoveDomain"]);
    })
    .await;
}

// ---- Stale pages

#[tokio::test]
async fn stale_pages_are_rendered_again_those_that_are_asked_for_most_first() {
    on_each_engine_with("[plans.enterprise]\nrenders_per_month = 1000", async |shop| {
        for path in ["/quiet", "/loved"] {
            shop.crawl(path).await;
        }
        for _ in 0..3 {
            shop.crawl("/loved").await;
        }
        shop.app.state.render.retention().flush_asked().await;
        let service = shop.app.state.refresh.work();

        let fresh = service.queue_stale().await.unwrap();
        shop.app.clock.advance(DAY + Duration::from_secs(1));
        let first = service.queue_stale().await.unwrap();
        let again = service.queue_stale().await.unwrap();
        shop.run_jobs().await;

        // The plan leaves one page per look.
        assert_eq!((fresh, first, again), (0, 1, 0));
        assert_eq!((shop.renders("/loved"), shop.renders("/quiet")), (2, 1));
        assert_eq!(service.queue_stale().await.unwrap(), 1);
        shop.run_jobs().await;
        assert_eq!(shop.renders("/quiet"), 2);
    })
    .await;
}

#[tokio::test]
async fn pages_of_inactive_accounts_and_suspended_domains_are_not_rendered_in_the_background() {
    on_each_engine(async |shop| {
        shop.crawl("/a").await;
        shop.app.clock.advance(DAY * 2);
        shop.app.deactivate(&shop.account).await;

        assert_eq!(shop.app.state.refresh.work().queue_stale().await.unwrap(), 0);
    })
    .await;
}

// ---- The older variant

#[tokio::test]
async fn the_purge_variant_deletes_first_and_renders_only_when_asked_to() {
    on_each_engine_with("[refresh]\nvariant = \"purge\"", async |shop| {
        for path in ["/a", "/b"] {
            shop.crawl(path).await;
        }
        shop.web.sitemap(&[("/a", None), ("/b", None), ("/c", None)]);

        let page = shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        let twice = shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        let warm = shop.post_ok(PATHS, json!({ "paths": ["/b", "/c"], "prewarm": true })).await;
        shop.run_jobs().await;
        let site = shop.post_ok(SITE, json!({})).await;
        let warm_site = shop.post_ok(SITE, json!({ "prewarm": true })).await;
        shop.run_jobs().await;
        let updated = shop.post_ok(UPDATED, json!({})).await;

        assert_eq!(page, json!({ "ok": true, "deleted": 1, "prewarmed": 0 }));
        assert_eq!(twice, json!({ "ok": true, "deleted": 0, "prewarmed": 0 }));
        assert_eq!(warm, json!({ "ok": true, "deleted": 1, "prewarmed": 2 }));
        let purged = |deleted, queued| {
            json!({ "ok": true, "deleted": deleted, "queued": queued, "pathSource": "sitemap", "totalPaths": 3 })
        };
        assert_eq!((site, warm_site, updated), (purged(2, 0), purged(0, 3), purged(3, 0)));
    })
    .await;
}

#[tokio::test]
async fn a_purged_page_is_rendered_anew_for_the_next_crawler() {
    on_each_engine_with("[refresh]\nvariant = \"purge\"", async |shop| {
        shop.app.renderer.answers_html("/a", "<p>old</p>");
        shop.crawl("/a").await;
        shop.app.renderer.answers_html("/a", "<p>new</p>");

        shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        let next = shop.crawl("/a").await;

        assert_eq!((next.header("x-service-render-cache"), next.text().as_str()), ("miss", "<p>new</p>"));
    })
    .await;
}

#[tokio::test]
async fn purging_a_site_without_a_sitemap_purges_what_is_stored() {
    on_each_engine_with("[refresh]\nvariant = \"purge\"", async |shop| {
        for path in ["/a", "/b"] {
            shop.crawl(path).await;
        }
        shop.app.set(&shop.domain, |settings| settings.sitemap_url = String::new()).await;

        let site = shop.post_ok(SITE, json!({})).await;
        let updated = shop.post_ok(UPDATED, json!({})).await;

        let expected =
            json!({ "ok": true, "deleted": 2, "queued": 0, "pathSource": "snapshots", "totalPaths": 2 });
        assert_eq!(site, expected);
        assert_eq!((updated["ok"].as_bool(), updated["error"].as_str()), (Some(false), Some("no_sitemap")));
    })
    .await;
}

// ---- Leases

#[tokio::test]
async fn the_render_of_a_job_that_another_process_took_over_ends_with_its_tab_and_costs_nothing() {
    on_each_engine(async |shop| {
        let url = "https://shop.example/slow";
        shop.app.renderer.hangs(url);
        shop.post_ok(PAGE, json!({ "path": "/slow" })).await;
        let state = &shop.app.state;
        let settings = WorkerSettings { beat_every: Duration::from_millis(50), ..WorkerSettings::default() };
        let registry = state.refresh.register_renders(state.refresh.register(Registry::default()));
        let worker = Worker::new(state.jobs.clone(), registry, Vec::new(), settings);
        let shutdown = tokio_util::sync::CancellationToken::new();

        let taken_over = async {
            eventually("the render", async || shop.renders("/slow") == 1).await;
            const SQL: &str =
                "update jobs set worker_id = 'another', attempts = attempts + 1 where state = 'running'";
            let mut tx = state.platform.db.write().await.unwrap();
            store::on_engine!(tx, |c| sqlx::query(SQL).execute(c).await.map(drop)).unwrap();
            tx.commit().await.unwrap();
            eventually("the end of the tab", async || active(&shop).await == 0).await;
            shutdown.cancel();
        };
        tokio::join!(worker.run(shutdown.clone()), taken_over);

        // The page is free again, and the job is the other's.
        shop.app.renderer.release(url);
        assert_eq!(shop.crawl("/slow").await.header("x-service-render-cache"), "miss");
        let usage = shop.app.get("/api/usage").key(&shop.account.key).await.json();
        let limits = usage["limits"].as_array().cloned().unwrap();
        let renders = limits.iter().find(|limit| limit["name"] == "renders_per_month").unwrap();
        assert_eq!(renders["used"], 1);
        let left = state.jobs.list(Some(JobState::Running), 10).await.unwrap();
        assert_eq!(left.len(), 1);
    })
    .await;
}

async fn active(shop: &Shop) -> usize {
    browser::Renderer::health(&*shop.app.renderer).await.active
}

/// Waits for work that needs no time of the clock.
async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    while !is_so().await {
        assert!(tokio::time::Instant::now() < deadline, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
