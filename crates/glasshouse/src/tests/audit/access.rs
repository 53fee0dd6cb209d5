//! Tests of permissions to start and read audits, and of refusals.

use serde_json::{Value, json};

use super::{RUNS, Shop, on_each_engine, on_each_engine_with, with_defaults};
use crate::testing::*;
use domains::DomainStatus;
use platform::plans::Plan;

async fn start(shop: &Shop, key: &str, body: Value) -> Reply {
    shop.app.post(RUNS).key(key).json(with_defaults(body)).await
}

#[tokio::test]
async fn what_was_sent_is_refused_before_whose_domain_it_is() {
    on_each_engine(async |shop| {
        let key = &shop.account.key;
        let foreign = json!({ "domain": "other.example", "urls": ["ftp://other.example/"] });

        start(&shop, key, json!({ "urls": [] })).await.assert_error(400, "invalid_request");
        start(&shop, key, json!({ "mode": "all" })).await.assert_error(400, "invalid_request");
        start(&shop, key, json!({ "urls": "x" })).await.assert_error(400, "invalid_request");
        start(&shop, key, json!({ "sitemapUrl": "x" })).await.assert_error(400, "invalid_request");
        start(&shop, key, json!({ "urls": ["not a url"] })).await.assert_error(400, "invalid_urls");
        let elsewhere = json!({ "urls": ["https://shop.example/", "https://other.example/"] });
        let reply = start(&shop, key, elsewhere).await;
        reply.assert(400, json!({ "error": "invalid_urls", "issues": [{ "path": "urls.1" }] }));
        start(&shop, key, foreign).await.assert_error(400, "invalid_urls");
    })
    .await;
}

#[tokio::test]
async fn another_port_of_the_domain_is_not_on_the_domain() {
    on_each_engine(async |shop| {
        for url in ["https://shop.example:444/", "http://shop.example:8080/", "https://www.shop.example:80/"]
        {
            let reply = start(&shop, &shop.account.key, json!({ "urls": [url] })).await;
            reply.assert_error(400, "invalid_urls");
        }

        let usual = json!({ "urls": ["https://shop.example:443/", "http://www.shop.example:80/tea"] });
        start(&shop, &shop.account.key, usual).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_domain_that_is_not_the_callers_is_refused() {
    on_each_engine(async |shop| {
        let other = shop.app.account("other@shop.example", Plan::Agency).await;
        let scoped = shop.app.key(&shop.account.id, Some("else.example")).await;
        let locked =
            shop.app.domain_with_status(&shop.account, "locked.example", DomainStatus::Pending).await;
        shop.app.state.domains.set_suspended(&locked.host, domains::service::Lock::On).await.unwrap();

        start(&shop, &other.key, json!({})).await.assert_error(403, "domain_not_owned");
        start(&shop, &scoped, json!({})).await.assert_error(403, "api_key_domain_scope_mismatch");
        // The owner of the domain is checked before its other properties.
        let own_urls = json!({ "domain": "nobodys.example" });
        start(&shop, &shop.account.key, own_urls).await.assert_error(403, "domain_not_owned");
        let body = json!({ "domain": "locked.example", "urls": ["https://locked.example/"] });
        start(&shop, &shop.account.key, body).await.assert_error(403, "domain_suspended");
    })
    .await;
}

#[tokio::test]
async fn a_key_needs_the_pro_plan_and_a_session_does_not() {
    on_each_engine(async |shop| {
        let small = shop.app.account("small@shop.example", Plan::Essential).await;
        shop.app.domain(&small, "small.example").await;
        let session = shop.app.sign_in(&small).await;
        let body = with_defaults(json!({ "domain": "small.example", "urls": ["https://small.example/"] }));

        let by_key = start(&shop, &small.key, body.clone()).await;
        let by_session = shop.app.post(RUNS).session(&session).json(body).await;

        by_key.assert(403, json!({ "error": "plan_required", "requiredPlan": "agency" }));
        by_session.assert(200, json!({ "ok": true, "status": "running" }));
        let runs = shop.app.get(RUNS).session(&session).await.json();
        assert_eq!(runs["runs"][0]["trigger"], "manual");
        shop.app.get(RUNS).key(&small.key).await.assert_error(403, "plan_required");
        shop.app.deactivate(&small).await;
        shop.app.get(RUNS).session(&session).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn limits_of_the_plan_refuse_with_their_codes() {
    let settings = "[plans.agency]\naudits_per_month = 1\n[plans.business]\naudited_pages_per_month = 0\n[plans.enterprise]\nseo_audit = false\n";
    on_each_engine_with(settings, async |shop| {
        for (plan, code) in [
            (Plan::Business, "max_pages_per_month_limit_reached"),
            (Plan::Enterprise, "no_seo_spider_access"),
        ] {
            shop.app.state.accounts.set_plan(&shop.account.email, plan).await.unwrap();
            shop.app.clock.advance(std::time::Duration::from_secs(3));
            let fresh = shop.app.key(&shop.account.id, None).await;
            start(&shop, &fresh, json!({})).await.assert_error(403, code);
        }
        shop.app.state.accounts.set_plan(&shop.account.email, Plan::Agency).await.unwrap();
        let key = shop.app.key(&shop.account.id, None).await;
        start(&shop, &key, json!({})).await.assert_status(200);
        shop.run_jobs().await;

        let reply = start(&shop, &key, json!({})).await;

        reply.assert(403, json!({ "error": "on_demand_limit_reached", "limit": 1, "current": 1 }));
    })
    .await;
}

#[tokio::test]
async fn sitemap_mode_needs_a_sitemap() {
    on_each_engine(async |shop| {
        let none = shop.post(RUNS, with_defaults(json!({ "mode": "sitemap" }))).await;
        let named = json!({ "mode": "sitemap", "sitemapUrl": "https://shop.example/sitemap.xml" });
        let elsewhere = json!({ "mode": "sitemap", "sitemapUrl": "https://other.example/sitemap.xml" });
        let refused = shop.post(RUNS, with_defaults(elsewhere)).await;

        none.assert_error(400, "no_sitemap");
        refused.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "sitemapUrl" }] }));
        let id = shop.audit(named).await;
        assert_eq!(shop.details(&id, "").await["run"]["crawlStats"]["mode"], "sitemap");
    })
    .await;
}

#[tokio::test]
async fn only_new_pages_without_any_is_refused() {
    on_each_engine(async |shop| {
        let body =
            json!({ "mode": "sitemap", "sitemapUrl": "https://shop.example/sitemap.xml", "newPagesOnly": true });
        shop.audit(body.clone()).await;

        let refused = shop.post(RUNS, with_defaults(body.clone())).await;
        shop.web.page("/cocoa", "Cocoa for cold days", &["/"]);
        shop.web.sitemap(&["/", "/tea", "/coffee", "/cocoa"]);
        let id = shop.audit(body).await;

        refused.assert_error(422, "no_new_pages");
        let details = shop.details(&id, "").await;
        assert_eq!(details["run"]["pagesCrawled"], 1, "{details:#}");
    })
    .await;
}

#[tokio::test]
async fn the_details_of_a_run_are_its_accounts_and_its_domains() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;
        let path = format!("{RUNS}/{id}");
        let other = shop.app.account("other@shop.example", Plan::Enterprise).await;
        let other_session = shop.app.sign_in(&other).await;
        let scoped = shop.app.key(&shop.account.id, Some("else.example")).await;
        let own = shop.app.key(&shop.account.id, Some("shop.example")).await;
        let session = shop.app.sign_in(&shop.account).await;

        shop.app.get(&path).key(&other.key).await.assert_error(404, "not_found");
        shop.app.get(&path).session(&other_session).await.assert_error(404, "not_found");
        shop.app.get(&path).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        shop.app.get(&path).key(&own).await.assert_status(200);
        shop.app.get(&path).session(&session).await.assert_status(200);
        shop.get(&format!("{RUNS}/none")).await.assert_error(404, "not_found");
        let scoped_list = shop.app.get(RUNS).key(&scoped).await;
        scoped_list.assert(200, json!({ "runs": [] }));
        let other_list = shop.app.get(&format!("{RUNS}?domain=shop.example")).key(&other.key).await;
        other_list.assert(200, json!({ "runs": [] }));
        let own_list = shop.app.get(&format!("{RUNS}?domain=else.example")).key(&own).await;
        assert_eq!(own_list.json()["runs"][0]["id"], id.as_str());

        shop.app.state.domains.remove(&shop.domain).await.unwrap();
        shop.app.clock.advance(std::time::Duration::from_secs(3));
        shop.app.get(&path).session(&session).await.assert_error(403, "domain_access_forbidden");
        shop.app.get(&path).key(&shop.account.key).await.assert_error(403, "domain_not_owned");
        shop.app.get(RUNS).session(&session).await.assert(200, json!({ "runs": [] }));
        shop.app.state.audits.schedule.forget_domain(&shop.domain.id).await.unwrap();
        shop.app.get(&path).session(&session).await.assert_error(403, "domain_access_forbidden");
    })
    .await;
}

#[tokio::test]
async fn queries_that_cannot_be_are_refused() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;
        let long = "a".repeat(501);
        let searches = format!("search={long}");
        for query in [
            "limit=0",
            "limit=501",
            "limit=x",
            "offset=1",
            "issueId=NOPE",
            "sort=nope",
            "order=up",
            "fields=path,nope",
            "limit=-1",
            &searches,
        ] {
            let reply = shop.get(&format!("{RUNS}/{id}?{query}")).await;
            reply.assert_error(400, "invalid_request");
        }
        shop.get(&format!("{RUNS}/{id}?search={}", "a".repeat(500))).await.assert_status(200);
        shop.get(&format!("{RUNS}/{id}/links?limit=501")).await.assert_error(400, "invalid_request");
        shop.get(&format!("{RUNS}/{id}/export?what=all")).await.assert_error(400, "invalid_request");
        shop.get(&format!("{RUNS}/{id}/export?what=pages&format=xml"))
            .await
            .assert_error(400, "invalid_request");
        shop.get(&format!("{RUNS}/{id}/pages/none")).await.assert_error(404, "not_found");
    })
    .await;
}
