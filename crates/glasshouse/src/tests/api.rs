//! Headers and errors that all answers share, and the order of refusals.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use bytes::Bytes;
use http::Method;
use http::request::Parts;
use serde_json::json;

use crate::testing::*;
use accounts::keys::{KeyKind, NewKey};
use platform::api::envelope::Envelope;
use platform::plans::Plan;

#[tokio::test]
async fn an_unknown_path_is_404_in_json() {
    let app = TestApp::new().await;

    for path in ["/api/nope", "/api", "/api/", "/api/keys/", "/api//keys", "/api/keys/a/b"] {
        let reply = app.get(path).await;

        reply.assert_error(404, "not_found");
        assert_eq!(reply.header("content-type"), "application/json", "{path}");
    }
}

#[tokio::test]
async fn a_wrong_method_is_405_with_those_that_are_allowed() {
    let app = TestApp::new().await;

    for method in [Method::PUT, Method::OPTIONS, Method::TRACE, Method::PATCH] {
        let reply = app.request(method, "/api/keys").await;

        reply.assert_error(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), "GET,HEAD,POST");
    }
}

#[tokio::test]
async fn head_answers_like_get_without_a_body() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;

    let head = app.request(Method::HEAD, "/api/keys").key(&account.key).await;

    head.assert_status(200);
    assert_eq!(head.body.len(), 0);
    assert_eq!(head.header("content-type"), "application/json");
}

#[tokio::test]
async fn every_answer_has_a_request_id_and_forbids_sniffing() {
    let app = TestApp::new().await;

    for path in ["/healthz", "/nope", "/api/keys", "/api/docs", "/"] {
        let own = app.get(path).header("x-request-id", "mine-1").await;
        let other = app.get(path).header("x-request-id", "not sane").await;

        assert_eq!(own.header("x-request-id"), "mine-1");
        assert_eq!(other.header("x-request-id").len(), 32);
        assert_eq!(own.header("x-content-type-options"), "nosniff");
    }
}

#[tokio::test]
async fn a_body_that_says_it_is_over_the_limit_is_413_before_anybody_is_asked_who_they_are() {
    let app = TestApp::with("limits.request_body_bytes = 100").await;

    let over = app.post("/api/keys").body("x".repeat(101)).await;
    let within = app.post("/api/keys").body("x".repeat(100)).await;

    over.assert_error(413, "payload_too_large");
    within.assert_error(401, "invalid_api_key");
}

#[tokio::test]
async fn a_body_of_unknown_length_over_the_limit_is_413_for_those_who_may_send_one() {
    let app = TestApp::with("limits.request_body_bytes = 100").await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let stream = || {
        let pieces = std::iter::repeat_n(Bytes::from_static(b"x"), 101);
        Body::from_stream(futures::stream::iter(pieces.map(Ok::<_, std::io::Error>)))
    };

    app.post("/api/keys").key(&account.key).body(stream()).await.assert_error(413, "payload_too_large");
    app.post("/api/keys").body(stream()).await.assert_error(401, "invalid_api_key");
}

#[tokio::test]
async fn a_body_is_not_read_for_a_stranger_or_an_unknown_path() {
    let app = TestApp::new().await;
    let never_ends = || Body::from_stream(futures::stream::pending::<std::io::Result<Bytes>>());

    for (path, status) in [("/api/keys", 401), ("/api/nope", 404), ("/nope", 405), ("/healthz", 405)] {
        let reply = tokio::time::timeout(std::time::Duration::from_secs(5), async {
            app.post(path).body(never_ends()).await
        });
        assert_eq!(reply.await.expect("nothing is waited for").status, status, "{path}");
    }
}

#[tokio::test]
async fn a_compressed_body_is_415() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;

    let reply = app.post("/api/keys").key(&account.key).header("content-encoding", "gzip").body("x").await;

    reply.assert_error(415, "unsupported_media_type");
}

#[tokio::test]
async fn another_type_than_json_is_415_and_none_is_read_as_json() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let post = || app.post("/api/keys").key(&account.key);

    post().header("content-type", "text/plain").body("{}").await.assert_error(415, "unsupported_media_type");
    post().body("{}").await.assert_status(201);
    post().body("name=x").await.assert_error(400, "invalid_request");
    post().body(r#"{"name": "a", "name": "b"}"#).await.assert_error(400, "invalid_request");
    let wrong_type = post().body(r#"{"name": 7}"#).await;
    wrong_type.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "name" }] }));
}

#[tokio::test]
async fn a_panic_is_a_500_of_that_request_alone() {
    let app = TestApp::new().await;
    let router = Router::new()
        .route("/boom", get(async || -> &'static str { panic!("a handler's mistake") }))
        .route("/fine", get(async || "fine"));
    let envelope = Envelope::new(app.state.platform.config.clone(), router, Arc::new(|_: &Parts| None));
    let ask = async |path: &str| {
        let request = http::Request::get(path).body(Body::empty()).unwrap();
        envelope.respond(request, IpAddr::from([192, 0, 2, 1])).await
    };

    let boom = ask("/boom").await;
    let fine = ask("/fine").await;

    assert_eq!(boom.status(), 500);
    let body = axum::body::to_bytes(boom.into_body(), 1_000).await.unwrap();
    assert_eq!(body, "{\"error\":\"internal_error\"}");
    assert_eq!(fine.status(), 200);
}

#[tokio::test]
async fn what_the_fast_path_answers_has_the_common_headers_too() {
    let app = TestApp::new().await;
    let fast = |parts: &Parts| {
        (parts.uri.path() == "/fast").then(|| axum::response::Response::new(Body::from("fast")))
    };
    let envelope = Envelope::new(app.state.platform.config.clone(), Router::new(), Arc::new(fast));

    let request = http::Request::get("/fast").body(Body::empty()).unwrap();
    let reply = envelope.respond(request, IpAddr::from([192, 0, 2, 1])).await;

    assert_eq!(reply.status(), 200);
    assert!(reply.headers().contains_key("x-request-id"));
    assert_eq!(reply.headers()["x-content-type-options"], "nosniff");
}

#[tokio::test]
async fn requests_without_a_valid_credential_are_limited_per_address_before_the_401() {
    let app = TestApp::with("limits.anonymous_per_minute = 3").await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.get("/api/keys").await.assert_status(401);
    app.get("/api/keys").key("gh_live_nonsense").await.assert_status(401);
    app.get("/api/prerender/render?url=https://shop.test/").await.assert_status(401);

    let over = app.get("/api/keys").await;

    over.assert_error(429, "rate_limited");
    assert_eq!(over.header("retry-after"), "60");
    assert_eq!(over.header("ratelimit-policy"), "\"default\";q=3;w=60");
    app.get("/api/keys").from_address("198.51.100.7").await.assert_status(401);
    app.get("/api/keys").key(&account.key).await.assert_status(200);
    app.clock.advance(std::time::Duration::from_secs(60));
    app.get("/api/keys").await.assert_status(401);
}

#[tokio::test]
async fn made_up_cookies_and_tokens_cost_five_look_ups_a_second_once_their_address_is_over_the_limit() {
    let app = TestApp::with("limits.anonymous_per_minute = 2").await;
    let cookie = async || {
        let id = NewKey::generate(KeyKind::Live).reveal()[8..].repeat(2);
        app.get("/api/session").header("cookie", &format!("glasshouse_session={}", &id[..43])).await
    };
    let token = async || {
        let token = NewKey::generate(KeyKind::Stats);
        app.get(&format!("/api/analytics/bots?token={}", token.reveal())).await
    };
    cookie().await.assert_error(401, "invalid_api_key");
    token().await.assert_error(401, "invalid_api_key");
    for _ in 0..5 {
        cookie().await.assert_error(429, "rate_limited");
    }

    // From here on every query fails, so every lookup is answered with 503.
    app.state.platform.db.close().await;

    cookie().await.assert_error(429, "rate_limited");
    token().await.assert_error(429, "rate_limited");
    app.clock.advance(Duration::from_secs(1));
    assert!(cookie().await.status.is_server_error(), "it is looked up again");
}

#[tokio::test]
async fn what_another_process_made_works_from_an_address_that_is_over_the_limit() {
    let app = TestApp::with("limits.anonymous_per_minute = 1").await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let shop = app.domain(&account, "shop.example").await;
    let other = TestApp::on(app.state.platform.db.clone(), "").await;
    let token = other.state.analytics.create_token(&shop.id).await.unwrap();
    let (session, key) = (other.sign_in(&account).await, other.key(&account.id, None).await);
    app.get("/api/keys").await.assert_status(401);
    app.get("/api/keys").await.assert_status(429);

    let with_session = app.get("/api/keys").session(&session).await;
    let with_key = app.get("/api/keys").key(&key).await;
    let with_token = app.get(&format!("/api/analytics/bots?token={}", token.reveal())).await;

    with_session.assert_status(200);
    with_key.assert_status(200);
    with_token.assert_status(200);
}

#[tokio::test]
async fn a_session_and_a_token_that_were_right_work_from_an_address_that_is_over_the_limit() {
    let app = TestApp::with("limits.anonymous_per_minute = 1").await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let shop = app.domain(&account, "shop.example").await;
    let token = app.state.analytics.create_token(&shop.id).await.unwrap();
    let statistics = format!("/api/analytics/bots?token={}", token.reveal());
    app.get(&statistics).await.assert_status(200);
    app.get("/api/keys").await.assert_status(401);
    app.get("/api/keys").await.assert_status(429);

    let session = app.sign_in(&account).await;

    app.get("/api/keys").session(&session).await.assert_status(200);
    app.get(&statistics).await.assert_status(200);
}

#[tokio::test]
async fn a_session_without_its_token_is_counted_before_it_is_refused() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let session = app.sign_in(&account).await;
    let forged = async || app.post("/api/keys").header("cookie", &session.cookie).json(json!({})).await;
    let first = forged().await;
    for _ in 0..600 {
        forged().await;
    }

    let over = forged().await;

    first.assert_error(403, "csrf_token_missing");
    assert!(first.header("ratelimit").starts_with("\"default\";r="), "{}", first.header("ratelimit"));
    over.assert_error(429, "rate_limited");
}

#[tokio::test]
async fn a_trusted_proxy_names_the_client_that_is_limited() {
    let app = TestApp::with("limits.anonymous_per_minute = 1\nedge.trusted_proxies = [\"10.0.0.0/8\"]").await;
    let through =
        |client: &str| app.get("/api/keys").from_address("10.0.0.1").header("x-forwarded-for", client);

    through("198.51.100.1").await.assert_status(401);
    through("198.51.100.1").await.assert_status(429);
    through("198.51.100.2").await.assert_status(401);
}

#[tokio::test]
async fn limited_endpoints_tell_how_much_is_left() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;

    let first = app.get("/api/keys").key(&account.key).await;
    for _ in 0..599 {
        app.get("/api/usage").key(&account.key).await.assert_status(200);
    }
    let over = app.get("/api/keys").key(&account.key).await;

    assert_eq!(first.header("ratelimit"), "\"default\";r=599;t=60");
    assert_eq!(first.header("ratelimit-policy"), "\"default\";q=600;w=60");
    over.assert_error(429, "rate_limited");
    assert_eq!(over.header("retry-after"), "60");
    assert_eq!(over.header("ratelimit"), "\"default\";r=0;t=60");
}

#[tokio::test]
async fn the_first_refusal_in_the_documented_order_answers() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.domain(&account, "shop.test").await;
    let scoped = app.key(&account.id, Some("other.test")).await;
    let path = "/api/domains/shop.test/rendering";

    // No credential, and a body that is not JSON.
    app.patch(path).body("{").await.assert_error(401, "invalid_api_key");
    // An inactive account, and a body that is not JSON.
    app.deactivate(&account).await;
    app.patch(path).key(&scoped).body("{").await.assert_error(402, "subscription_required");
    // An active account: the body is checked before the scope.
    app.state.accounts.set_active(&account.email, true).await.unwrap();
    app.patch(path).key(&scoped).body("{").await.assert_status(400);
    app.patch(path).key(&scoped).json(json!({})).await.assert_error(403, "api_key_domain_scope_mismatch");
}

#[tokio::test]
async fn readiness_names_the_part_that_is_away() {
    let app = TestApp::new().await;
    app.get("/readyz").await.assert(200, json!({ "ok": true, "database": { "ok": true } }));

    app.renderer.becomes_unusable("no browser is installed");
    app.clock.advance(Duration::from_secs(2));
    let without_browser = app.get("/readyz").await;
    app.state.platform.db.close().await;
    app.clock.advance(Duration::from_secs(2));
    let without_database = app.get("/readyz").await;

    let problem = json!({ "ok": false, "problem": "no browser is installed" });
    without_browser.assert(503, json!({ "ok": false, "browser": problem, "database": { "ok": true } }));
    without_database.assert(503, json!({ "database": { "ok": false }, "objectStore": { "ok": true } }));
    app.get("/healthz").await.assert(200, json!({ "ok": true }));
}

#[tokio::test]
async fn a_process_is_ready_for_traffic_from_when_it_knows_the_domains_until_it_drains() {
    let app = TestApp::new().await;

    let starting = app.get("/readyz/traffic").await;
    app.state.follower.current().await.unwrap();
    app.get("/readyz/traffic").await.assert(200, json!({ "ok": true }));
    app.renderer.becomes_unusable("no browser is installed");
    app.state.platform.db.close().await;
    let without_parts = app.get("/readyz/traffic").await;
    app.state.platform.draining.begin();
    let draining = app.get("/readyz/traffic").await;

    starting.assert(503, json!({ "ok": false, "reason": "starting" }));
    without_parts.assert(200, json!({ "ok": true }));
    assert_eq!(draining.header("retry-after"), "2");
    draining.assert(503, json!({ "ok": false, "reason": "draining" }));
}

#[tokio::test]
async fn one_check_of_readiness_answers_everybody_for_two_seconds() {
    let app = TestApp::new().await;
    app.get("/readyz").await.assert_status(200);
    app.renderer.becomes_unusable("no browser is installed");

    let soon = app.get("/readyz").await;
    app.clock.advance(Duration::from_secs(2));
    let later = app.get("/readyz").await;

    soon.assert_status(200);
    later.assert_status(503);
}

#[tokio::test]
async fn readiness_writes_to_the_object_store_once_a_minute_at_most() {
    let app = TestApp::new().await;
    let written = app.state.platform.config.storage.data_dir.join("../objects/check");
    let writes_after = async |seconds: u64| {
        app.clock.advance(Duration::from_secs(seconds));
        app.get("/readyz").await.assert_status(200);
        let has_written = written.exists();
        let _ = std::fs::remove_dir_all(&written);
        has_written
    };

    let writes =
        [writes_after(0).await, writes_after(2).await, writes_after(57).await, writes_after(60).await];

    assert_eq!(writes, [true, false, false, true]);
}

#[tokio::test]
async fn a_browser_that_is_less_kept_apart_is_ready_and_says_so() {
    let app = TestApp::new().await;

    app.renderer.lacks("it runs without its own sandbox");

    let problem = json!({ "ok": true, "problem": "it runs without its own sandbox" });
    app.get("/readyz").await.assert(200, json!({ "ok": true, "browser": problem }));
}

#[tokio::test]
async fn without_the_database_answers_are_503_and_say_no_more() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.state.platform.db.close().await;

    let reply = app.get("/api/keys").key(&account.key).await;

    reply.assert_status(503);
    assert_eq!(reply.text(), "{\"error\":\"service_unavailable\"}");
    assert_eq!(reply.header("retry-after"), "5");
}

#[tokio::test]
async fn the_reference_loads_nothing_from_elsewhere() {
    let app = TestApp::new().await;

    let reply = app.get("/api/docs").await;

    reply.assert_status(200);
    assert!(!reply.text().contains("//"), "{}", reply.text());
    assert!(reply.header("content-security-policy").starts_with("default-src 'none'"));
}

#[tokio::test]
async fn every_file_that_the_page_names_is_there() {
    let app = TestApp::new().await;
    let page = app.get("/api/docs").await.text();
    let named = page.split('"').filter(|text| text.starts_with("/api/"));

    for path in named {
        app.get(path).await.assert_status(200);
    }
}

#[tokio::test]
async fn the_viewer_is_packed_for_those_who_can_unpack_it() {
    let app = TestApp::new().await;

    let packed = app.get("/api/docs/swagger-ui.css").header("accept-encoding", "br, gzip").await;
    let plain = app.get("/api/docs/swagger-ui.css").header("accept-encoding", "gzip;q=0").await;

    assert_eq!(packed.header("content-encoding"), "gzip");
    assert_eq!(plain.header("content-encoding"), "");
    assert!(plain.text().contains(".swagger-ui"));
    assert!(packed.body.len() * 4 < plain.body.len());
}

#[tokio::test]
async fn what_no_text_of_the_database_may_hold_is_refused_and_never_an_error_of_ours() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        app.domain(&account, "shop.test").await;
        let get = async |path: &str| app.get(path).key(&account.key).await;

        let name = app.post("/api/keys").key(&account.key).json(json!({ "name": "a\u{0}b" })).await;
        let line = app.post("/api/keys").key(&account.key).json(json!({ "name": "a\nb" })).await;
        let revoked = app.delete("/api/keys/%00").key(&account.key).await;

        name.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "name" }] }));
        line.assert_error(400, "invalid_request");
        revoked.assert_error(404, "not_found");
        for path in
            ["/api/seo-spider/runs/a%00b", "/api/prerender/batches/%00", "/api/seo-spider/runs/%00/links"]
        {
            get(path).await.assert_error(404, "not_found");
        }
        for query in
            ["prerender/snapshots?domain=shop.test&search=%00", "analytics/bots?domain=shop.test&path=%00"]
        {
            get(&format!("/api/{query}")).await.assert_error(400, "invalid_request");
        }
    })
    .await;
}
