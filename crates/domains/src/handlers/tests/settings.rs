//! Changes of settings: errors that refuse the whole request, fields that are left out, and fields that are saved.

use futures::future::join_all;
use serde_json::{Value, json};

use super::*;
use crate::testing::*;

async fn change(shop: &Shop, body: Value) -> Reply {
    shop.app.patch(SETTINGS).key(&shop.account.key).json(body).await
}

async fn stored(shop: &Shop) -> Value {
    let reply = shop.app.get(SHOP).key(&shop.account.key).await;
    reply.assert_status(200);
    reply.json()
}

#[tokio::test]
async fn a_change_answers_the_whole_domain_with_its_defaults_filled_in() {
    on_each_engine(async |shop| {
        shop.app.clock.advance(std::time::Duration::from_secs(60));
        let body = json!({
            "ignorePaths": "/admin/**\n/cart",
            "preferredHost": "apex",
            "redirectRules": [{ "source": "/old", "destination": "/new" },
                { "source": "/a/*", "destination": "https://other.example/$1", "status": 307, "preserveQuery": false }],
            "customResponseHeaders": [{ "pathPattern": "/**", "headers": [{ "name": "X-Robots-Tag", "value": "noarchive" }] }],
            "onDemandRenderEnabled": false,
        });

        let reply = change(&shop, body).await;

        let mut expected = json!({
            "id": shop.domain.id, "domain": "shop.example", "status": "connected", "originHost": "",
            "ignorePaths": "/admin/**\n/cart", "preferredHost": "apex",
            "redirectRules": [
                { "source": "/old", "destination": "/new", "status": 301, "preserveQuery": true },
                { "source": "/a/*", "destination": "https://other.example/$1", "status": 307, "preserveQuery": false }],
            "customResponseHeaders": [{ "pathPattern": "/**", "headers": [{ "name": "X-Robots-Tag", "value": "noarchive" }] }],
            "onDemandRenderEnabled": false, "sitemapUrl": "", "discoveredUrlCount": 0, "tags": [],
            "createdAt": "2026-11-20T12:00:00.000Z", "updatedAt": "2026-11-20T12:01:00.000Z",
        });
        assert_eq!(stored(&shop).await, expected);
        expected["invalidFields"] = json!([]);
        reply.assert_status(200);
        assert_eq!(reply.json(), expected);
    })
    .await;
}

#[tokio::test]
async fn fields_that_are_left_out_stay_and_null_or_empty_clears() {
    on_each_engine(async |shop| {
        let set = json!({ "ignorePaths": "/a", "preferredHost": "www", "redirectRules": [{ "source": "/a", "destination": "/b" }] });
        change(&shop, set).await.assert_status(200);
        let before = stored(&shop).await;

        shop.app.clock.advance(std::time::Duration::from_secs(60));
        change(&shop, json!({ "unknown": 1 })).await.assert_status(200);
        assert_eq!(stored(&shop).await, before);
        let cleared = json!({ "ignorePaths": "", "preferredHost": null, "redirectRules": [], "customResponseHeaders": [] });
        let reply = change(&shop, cleared.clone()).await;

        reply.assert(200, cleared);
    })
    .await;
}

#[tokio::test]
async fn a_wrong_type_or_shape_refuses_the_request_and_names_its_place() {
    on_each_engine(async |shop| {
        let rule = |rule: Value| json!({ "ignorePaths": "/x", "redirectRules": [rule] });
        let headers = |rule: Value| json!({ "ignorePaths": "/x", "customResponseHeaders": [rule] });
        let cases = [
            (json!({ "originHost": null }), "originHost"),
            (json!({ "originHost": 7 }), "originHost"),
            (json!({ "ignorePaths": ["/x"] }), "ignorePaths"),
            (json!({ "preferredHost": 1 }), "preferredHost"),
            (json!({ "onDemandRenderEnabled": "true" }), "onDemandRenderEnabled"),
            (json!({ "redirectRules": {} }), "redirectRules"),
            (json!({ "redirectRules": null }), "redirectRules"),
            (rule(json!("/a")), "redirectRules.0"),
            (rule(json!(["/a", "/b"])), "redirectRules.0"),
            (rule(json!({ "source": "/a" })), "redirectRules.0"),
            (rule(json!({ "source": "/a", "destination": "/b", "status": "301" })), "redirectRules.0.status"),
            (
                rule(json!({ "source": "/a", "destination": "/b", "preserveQuery": 1 })),
                "redirectRules.0.preserveQuery",
            ),
            (headers(json!({ "headers": [] })), "customResponseHeaders.0"),
            (
                headers(json!({ "pathPattern": "/a", "headers": [["x-a", "1"]] })),
                "customResponseHeaders.0.headers.0",
            ),
            (
                headers(json!({ "pathPattern": "/a", "headers": [{ "name": "x-a", "value": 1 }] })),
                "customResponseHeaders.0.headers.0.value",
            ),
        ];

        for (body, path) in cases {
            let reply = change(&shop, body.clone()).await;

            assert_eq!(reply.status, 400, "{body}");
            reply.assert(400, json!({ "error": "validation_error", "issues": [{ "path": path }] }));
        }
        let broken = shop.app.patch(SETTINGS).key(&shop.account.key).body("{").await;
        broken.assert(400, json!({ "error": "validation_error", "issues": [{ "path": "" }] }));
        assert_eq!(stored(&shop).await["ignorePaths"], "");
    })
    .await;
}

#[tokio::test]
async fn a_hard_error_saves_nothing_of_the_request() {
    on_each_engine_with("plans.business.redirect_rules = 2", async |shop| {
        let headers = |name: &str| json!([{ "pathPattern": "/**", "headers": [{ "name": name, "value": "1" }] }]);
        let rules = |count: usize| -> Vec<Value> {
            (0..count).map(|at| json!({ "source": format!("/{at}"), "destination": "/x" })).collect()
        };
        let cases = [
            (json!({ "originHost": "" }), json!({ "error": "invalid_origin_host" })),
            (json!({ "originHost": " https:// " }), json!({ "error": "invalid_origin_host" })),
            (json!({ "originHost": "https:///path" }), json!({ "error": "invalid_origin_host" })),
            (json!({ "originHost": "WWW.shop.example" }), json!({ "error": "origin_host_same_as_domain" })),
            (json!({ "originHost": "https://x.lovable.dev/y" }), json!({ "error": "origin_host_is_editor_url" })),
            (json!({ "redirectRules": rules(3) }), json!({ "error": "redirect_limit_reached", "limit": 2, "current": 3 })),
            (json!({ "customResponseHeaders": headers("Set-Cookie") }),
                json!({ "error": "invalid_custom_headers", "details": [{ "rule": 0, "header": "Set-Cookie" }] })),
            (json!({ "customResponseHeaders": vec![headers("x-a")[0].clone(); 11] }),
                json!({ "error": "invalid_custom_headers" })),
        ];

        for (mut body, expected) in cases {
            body["ignorePaths"] = json!("/saved");
            body["onDemandRenderEnabled"] = json!(false);
            change(&shop, body).await.assert(400, expected);
        }
        let stored = stored(&shop).await;
        assert_eq!((&stored["ignorePaths"], &stored["onDemandRenderEnabled"]), (&json!(""), &json!(true)));
        change(&shop, json!({ "redirectRules": rules(2) })).await.assert(200, json!({ "invalidFields": [] }));
    })
    .await;
}

#[tokio::test]
async fn custom_headers_need_a_plan_that_has_them_and_none_at_all_need_none() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        app.domain(&account, "shop.example").await;
        let path = "/api/dashboard/domains/shop.example/settings";
        let session = app.sign_in(&account).await;
        let change = async |body: Value| app.patch(path).session(&session).json(body).await;
        let headers = json!([{ "pathPattern": "bad", "headers": [] }]);

        let refused = change(json!({ "customResponseHeaders": headers, "originHost": "" })).await;

        refused.assert(403, json!({ "error": "upgrade_required_for_custom_headers" }));
        change(json!({ "customResponseHeaders": [] })).await.assert(200, json!({ "invalidFields": [] }));
    })
    .await;
}

#[tokio::test]
async fn soft_errors_are_named_and_the_other_fields_are_saved() {
    on_each_engine(async |shop| {
        let old = json!([{ "source": "/old", "destination": "/new" }]);
        change(&shop, json!({ "ignorePaths": "/kept", "redirectRules": old })).await.assert_status(200);
        let body = json!({
            "ignorePaths": "no-slash",
            "preferredHost": "WWW",
            "onDemandRenderEnabled": false,
            "redirectRules": [
                { "source": "/fine", "destination": "/there" },
                { "source": "x", "destination": "//evil.example", "status": 302 },
                { "source": "/a*", "destination": "/b", "status": 301.5 },
                { "source": "/c", "destination": "/d", "status": -1 },
            ],
        });

        let reply = change(&shop, body).await;

        reply.assert(
            200,
            json!({
                "ignorePaths": "/kept", "preferredHost": null, "onDemandRenderEnabled": false,
                "redirectRules": [{ "source": "/old" }],
                "invalidFields": ["ignorePaths", "preferredHost", "redirectRules.1.source", "redirectRules.1.destination",
                    "redirectRules.1.status", "redirectRules.2.source", "redirectRules.2.status", "redirectRules.3.status"],
            }),
        );
    })
    .await;
}

#[tokio::test]
async fn a_loop_is_named_at_the_destination_that_leads_back() {
    on_each_engine(async |shop| {
        let rules = json!([
            { "source": "/a", "destination": "https://www.shop.example/b" },
            { "source": "/b", "destination": "/a" },
            { "source": "/c", "destination": "/fine" },
        ]);

        let reply = change(&shop, json!({ "redirectRules": rules })).await;

        let expected = ["redirectRules.0.destination", "redirectRules.1.destination"];
        reply.assert(200, json!({ "redirectRules": [], "invalidFields": expected }));
    })
    .await;
}

#[tokio::test]
async fn a_subdomain_has_no_other_name_to_prefer() {
    on_each_engine(async |shop| {
        shop.app.domain(&shop.account, "app.shop.example").await;
        let path = "/api/domains/app.shop.example/settings";
        let change = async |word: Value| {
            shop.app.patch(path).key(&shop.account.key).json(json!({ "preferredHost": word })).await
        };

        change(json!("www"))
            .await
            .assert(200, json!({ "invalidFields": ["preferredHost"], "preferredHost": null }));
        change(json!("apex"))
            .await
            .assert(200, json!({ "invalidFields": ["preferredHost"], "preferredHost": null }));
        change(Value::Null).await.assert(200, json!({ "invalidFields": [], "preferredHost": null }));
    })
    .await;
}

#[tokio::test]
async fn an_origin_that_answers_is_saved_and_one_that_does_not_is_saved_and_named() {
    on_each_engine_with("edge.origin_scheme = \"http\"", async |shop| {
        shop.web.set("/", 200, "a page");
        let origin = async |text: &str| change(&shop, json!({ "originHost": text })).await;
        let fine = |host: &str| json!({ "originHost": host, "invalidFields": [] });
        let unreachable = |host: &str| json!({ "originHost": host, "invalidFields": ["originHost"] });

        origin("https://App.Host.example/x").await.assert(200, fine("app.host.example"));
        origin("dead.example").await.assert(200, unreachable("dead.example"));
        assert_eq!(stored(&shop).await["originHost"], "dead.example");
        shop.web.set("/", 301, "https://shop.example/elsewhere");
        origin("app.host.example").await.assert(200, fine("app.host.example"));
        shop.web.set("/", 404, "");
        origin("app.host.example").await.assert(200, fine("app.host.example"));
        shop.web.set("/", 502, "");
        origin("app.host.example").await.assert(200, unreachable("app.host.example"));
    })
    .await;
}

#[tokio::test]
async fn an_origin_that_the_guard_refuses_is_never_asked() {
    TestApp::on_each_engine_with("edge.origin_scheme = \"http\"", async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        app.domain(&account, "shop.example").await;
        let server = WebServer::start(async |_: Request<_>| Response::new(Full::<Bytes>::default())).await;
        let port = server.address().port();

        for host in ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "169.254.169.254"] {
            let body = json!({ "originHost": format!("{host}:{port}") });
            let reply = app.patch(SETTINGS).key(&account.key).json(body).await;

            reply.assert(200, json!({ "invalidFields": ["originHost"] }));
        }
        assert_eq!(server.connections(), 0);
    })
    .await;
}

#[tokio::test]
async fn changes_at_the_same_time_do_not_lose_each_other() {
    on_each_engine(async |shop| {
        shop.web.sitemap("/sitemap.xml", &["https://shop.example/"]);
        let bodies = [
            json!({ "ignorePaths": "/a" }),
            json!({ "preferredHost": "www" }),
            json!({ "redirectRules": [{ "source": "/a", "destination": "/b" }] }),
            json!({ "onDemandRenderEnabled": false }),
            json!({ "originHost": "app.host.example" }),
            json!({ "customResponseHeaders": [{ "pathPattern": "/a", "headers": [] }] }),
        ];
        let rendering = "/api/domains/shop.example/rendering";
        let rendering =
            shop.app.patch(rendering).key(&shop.account.key).json(json!({ "refreshIntervalSeconds": 60 }));

        let changes = join_all(bodies.into_iter().map(|body| change(&shop, body)));
        let sitemap = json!({ "sitemapUrl": "https://shop.example/sitemap.xml" });
        let sitemap = shop.app.patch(SITEMAP).key(&shop.account.key).json(sitemap);
        let (replies, sitemap, rendering) =
            tokio::join!(changes, sitemap.into_future(), rendering.into_future());

        for reply in replies.iter().chain([&sitemap, &rendering]) {
            reply.assert_status(200);
        }
        let stored = stored(&shop).await;
        let expected = [
            ("ignorePaths", json!("/a")),
            ("preferredHost", json!("www")),
            ("onDemandRenderEnabled", json!(false)),
            ("originHost", json!("app.host.example")),
            ("sitemapUrl", json!("https://shop.example/sitemap.xml")),
            ("discoveredUrlCount", json!(1)),
        ];
        for (field, value) in expected {
            assert_eq!(stored[field], value, "{field}");
        }
        assert_eq!(stored["redirectRules"].as_array().map(Vec::len), Some(1));
        assert_eq!(stored["customResponseHeaders"].as_array().map(Vec::len), Some(1));
        shop.app
            .get("/api/domains/shop.example/rendering")
            .key(&shop.account.key)
            .await
            .assert(200, json!({ "refreshIntervalSeconds": 60 }));
    })
    .await;
}
