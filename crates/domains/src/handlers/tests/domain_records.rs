//! Listing, adding and reading domains.

use serde_json::{Value, json};
use store::on_engine;

use super::*;
use crate::DomainStatus;
use crate::service::Lock;

const ADDRESSES: &str = "edge.public_ipv4 = [\"203.0.113.10\"]\nedge.public_ipv6 = [\"2001:db8::10\"]";

#[tokio::test]
async fn domains_are_listed_in_the_order_they_were_added_with_the_documented_fields() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let stranger = app.account("stranger@shop.example", Plan::Business).await;
        app.get(DOMAINS).key(&account.key).await.assert(200, json!({ "domains": [] }));
        for host in ["z.example", "a.example"] {
            app.clock.advance(std::time::Duration::from_secs(1));
            app.domain(&account, host).await;
        }
        app.domain(&stranger, "strangers.example").await;

        let list = app.get(DOMAINS).key(&account.key).await;

        let named =
            |name: &str| json!({ "domain": name, "status": "connected", "originHost": "", "sitemapUrl": "" });
        list.assert(200, json!({ "domains": [named("z.example"), named("a.example")] }));
        let fields: Vec<String> = list.json()["domains"][0].as_object().unwrap().keys().cloned().collect();
        assert_eq!(fields, ["createdAt", "domain", "id", "originHost", "sitemapUrl", "status", "updatedAt"]);
        assert_eq!(list.json()["domains"][0]["createdAt"], "2026-11-20T12:00:01.000Z");
    })
    .await;
}

#[tokio::test]
async fn a_new_domain_is_pending_and_comes_with_its_records() {
    TestApp::on_each_engine_with(ADDRESSES, async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let add =
            async |domain: &str| app.post(DOMAINS).key(&account.key).json(json!({ "domain": domain })).await;
        let record =
            |kind: &str, name: &str, value: &str| json!({ "type": kind, "name": name, "value": value });

        let apex = add("Shop.Example").await;
        let subdomain = add("app.eu.bücher.example").await;

        apex.assert(
            201,
            json!({ "domain": "shop.example", "status": "pending", "isSubdomain": false, "records": [
            record("A", "@", "203.0.113.10"), record("AAAA", "@", "2001:db8::10"),
            record("A", "www", "203.0.113.10"), record("AAAA", "www", "2001:db8::10"),
        ] }),
        );
        subdomain.assert(
            201,
            json!({ "domain": "app.eu.xn--bcher-kva.example", "isSubdomain": true, "records": [
            record("A", "app.eu", "203.0.113.10"), record("AAAA", "app.eu", "2001:db8::10"),
        ] }),
        );
        let fields: Vec<String> = apex.json().as_object().unwrap().keys().cloned().collect();
        assert_eq!(fields, ["domain", "id", "isSubdomain", "records", "status"]);
    })
    .await;
}

#[tokio::test]
async fn a_contested_name_comes_with_a_record_that_proves_whose_it_is() {
    TestApp::on_each_engine_with(ADDRESSES, async |app| {
        let (one, two) = (
            app.account("a@x.example", Plan::Business).await,
            app.account("b@x.example", Plan::Business).await,
        );
        let add = async |key: &str| {
            let reply = app.post(DOMAINS).key(key).json(json!({ "domain": "a.shop.example" })).await;
            reply.assert_status(201);
            reply.json()["records"].as_array().unwrap().clone()
        };

        let (first, second) = (add(&one.key).await, add(&two.key).await);

        let is_proof = |record: &&Value| record["type"] == "TXT";
        assert_eq!(first.iter().filter(is_proof).count(), 0);
        let proof = second.iter().find(is_proof).expect("the name is claimed already");
        assert_eq!(proof["name"], "_glasshouse.a");
        assert!(proof["value"].as_str().is_some_and(|value| value.len() > 20), "{proof}");
    })
    .await;
}

#[tokio::test]
async fn the_origin_host_of_a_new_domain_is_kept_in_its_canonical_form() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let body = json!({ "domain": "shop.example", "originHost": "https://Shop.Lovable.app/x", "status": "connected" });

        app.post(DOMAINS).key(&account.key).json(body).await.assert(201, json!({ "status": "pending" }));

        let expected = json!({ "originHost": "shop.lovable.app", "status": "pending" });
        app.get(SHOP).key(&account.key).await.assert(200, expected);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_added_is_refused_with_its_code() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let other = app.account("other@shop.example", Plan::Business).await;
        app.domain(&account, "mine.example").await;
        app.domain(&other, "served.example").await;
        app.domain_with_status(&other, "locked.example", DomainStatus::Pending).await;
        app.state.domains.set_suspended("locked.example", Lock::On).await.unwrap();
        let named = |domain: &str| json!({ "domain": domain });
        let with_origin = |origin: &str| json!({ "domain": "shop.example", "originHost": origin });

        let cases = [
            (named(""), 400, "invalid_domain"),
            (named("localhost"), 400, "invalid_domain"),
            (named("co.uk"), 400, "invalid_domain"),
            (named("192.0.2.1"), 400, "invalid_domain"),
            (named("shop.example:8080"), 400, "invalid_domain"),
            (named("https://shop.example/"), 400, "invalid_domain"),
            (with_origin("https://"), 400, "invalid_origin_host"),
            (with_origin("WWW.Shop.Example."), 400, "origin_host_same_as_domain"),
            (with_origin("x.lovable.dev"), 400, "origin_host_is_editor_url"),
            (named("locked.example"), 403, "domain_suspended"),
            (named("mine.example"), 409, "domain_already_connected"),
            (named("served.example"), 409, "domain_already_connected"),
            (json!({}), 400, "validation_error"),
            (json!({ "domain": 7 }), 400, "validation_error"),
            (json!({ "domain": "shop.example", "originHost": [] }), 400, "validation_error"),
            (json!(["shop.example"]), 400, "validation_error"),
        ];
        for (body, status, code) in cases {
            let reply = app.post(DOMAINS).key(&account.key).json(&body).await;

            assert_eq!((reply.status.as_u16(), &reply.json()["error"]), (status, &json!(code)), "{body}");
        }
        let text = app.post(DOMAINS).key(&account.key).header("content-type", "text/plain").body("{}").await;
        text.assert_error(415, "unsupported_media_type");
    })
    .await;
}

#[tokio::test]
async fn over_the_plan_s_slots_the_answer_says_how_many_there_are() {
    TestApp::on_each_engine_with("plans.business.domains = 2", async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        app.domain(&account, "a.example").await;
        app.domain(&account, "b.example").await;

        let reply = app.post(DOMAINS).key(&account.key).json(json!({ "domain": "c.example" })).await;

        reply.assert(403, json!({ "error": "domain_limit_reached", "limit": 2, "current": 2 }));
    })
    .await;
}

#[tokio::test]
async fn a_record_that_the_database_refuses_is_insert_failed() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Business).await;
    let mut tx = app.state.platform.db.write().await.unwrap();
    let trap = "create trigger trap before insert on domains begin select raise(abort, 'no'); end";
    on_engine!(tx, |c| sqlx::query(trap).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();

    let reply = app.post(DOMAINS).key(&account.key).json(json!({ "domain": "shop.example" })).await;

    reply.assert_status(500);
    assert_eq!(reply.text(), r#"{"error":"insert_failed"}"#);
}

#[tokio::test]
async fn a_domain_that_could_not_be_added_leaves_nothing_behind() {
    let app = TestApp::with("[plans.business]\ndomains = 1").await;
    let account = app.account("owner@shop.example", Plan::Business).await;
    let execute = async |sql: &'static str| {
        let mut tx = app.state.platform.db.write().await.unwrap();
        on_engine!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
    };
    let add = async || app.post(DOMAINS).key(&account.key).json(json!({ "domain": "shop.example" })).await;

    execute("create trigger trap after insert on domains begin select raise(abort, 'no'); end").await;
    add().await.assert_status(500);
    let listed = app.get(DOMAINS).key(&account.key).await;
    execute("drop trigger trap").await;
    let again = add().await;

    listed.assert(200, json!({ "domains": [] }));
    // The failed request has used neither the name nor the only slot of the plan.
    again.assert_status(201);
}

#[tokio::test]
async fn a_domain_is_read_with_every_setting_and_its_default() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let domain = app.domain(&account, "shop.example").await;

        let reply = app.get("/api/domains/SHOP.example.").key(&account.key).await;

        reply.assert_status(200);
        let expected = json!({
            "id": domain.id, "domain": "shop.example", "status": "connected", "originHost": "", "ignorePaths": "",
            "preferredHost": null, "redirectRules": [], "customResponseHeaders": [], "onDemandRenderEnabled": true,
            "sitemapUrl": "", "discoveredUrlCount": 0, "tags": [],
            "createdAt": "2026-11-20T12:00:00.000Z", "updatedAt": "2026-11-20T12:00:00.000Z",
        });
        assert_eq!(reply.json(), expected);
    })
    .await;
}
