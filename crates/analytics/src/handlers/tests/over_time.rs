//! Tests of visits over time and of the list of crawled pages, over HTTP.

use serde_json::{Value, json};

use super::{Shop, visit};
use crate::testing::*;
use crate::{ServedBy, Verified, Visit};
use platform::plans::Plan;

fn path(report: &str, query: &str) -> String {
    format!("/api/analytics/{report}?domain=shop.example{query}")
}

#[tokio::test]
async fn a_timeline_counts_each_day_by_kind_and_tells_impostors_apart() {
    Shop::on_each_store(async |shop| {
        let spoofed = Visit { verified: Verified::No, ..visit(shop, 1, "/x", "GPTBot/1.2") };
        let origin = Visit { served: ServedBy::Origin, ..visit(shop, 0, "/a", "bingbot/2.0") };
        shop.record([
            visit(shop, 1, "/a", "GPTBot/1.2"),
            visit(shop, 2, "/a", "GPTBot/1.2"),
            spoofed,
            origin,
        ])
        .await;

        let by_kind = shop.get(&path("timeline", "&days=2")).await.json();
        let by_answer = shop.get(&path("timeline", "&days=1&by=answer")).await.json();

        assert_eq!(
            by_kind,
            json!({
                "dates": ["2026-11-19", "2026-11-20"],
                "series": [
                    {"id": "ai", "name": "AI", "counts": [1, 0]},
                    {"id": "search", "name": "Search", "counts": [0, 1]},
                    {"id": "other", "name": "Other", "counts": [0, 0]},
                ],
                "spoofed": [1, 0],
            })
        );
        assert_eq!(by_answer["series"][2], json!({"id": "origin", "name": "Origin", "counts": [1]}));
        for wrong in ["&days=0", "&days=181", "&by=nothing"] {
            shop.get(&path("timeline", wrong)).await.assert_error(400, "invalid_request");
        }
    })
    .await;
}

#[tokio::test]
async fn pages_are_listed_with_how_they_were_answered() {
    Shop::on_each_store(async |shop| {
        let rendered = Visit { served: ServedBy::Render, ..visit(shop, 0, "/a", "bingbot/2.0") };
        let spoofed = Visit { verified: Verified::No, ..visit(shop, 0, "/b", "GPTBot/1.2") };
        shop.record([
            visit(shop, 40, "/a", "GPTBot/1.2"),
            visit(shop, 2, "/a", "GPTBot/1.2"),
            rendered,
            spoofed,
        ])
        .await;
        shop.record([visit(shop, 1, "/new,page", "GPTBot/1.2")]).await;

        let all = shop.get(&path("pages", "")).await.json();
        let new = shop.get(&path("pages", "&only=new")).await.json();
        let of_bing = shop.get(&path("pages", "&provider=bing&sort=path&order=asc")).await.json();
        let csv = shop.get(&path("pages", "&format=csv&limit=1")).await;

        let first = json!({
            "path": "/a", "visits": 2, "cache": 1, "render": 1, "origin": 0, "crawlers": 2,
            "providers": [{"provider": "bing", "count": 1}, {"provider": "openai", "count": 1}],
            "firstSeen": "2026-10-11", "lastSeen": "2026-11-20",
        });
        assert_eq!((all["total"].as_u64(), &all["pages"][0]), (Some(2), &first));
        assert_eq!((new["total"].as_u64(), new["pages"][0]["path"].as_str()), (Some(1), Some("/new,page")));
        assert_eq!((of_bing["total"].as_u64(), of_bing["pages"][0]["visits"].as_u64()), (Some(1), Some(1)));
        let text = csv.text();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[1], r#""/a",2,1,1,0,2,"bing 1; openai 1","2026-10-11","2026-11-20""#);
        assert_eq!(rows[2], r#""/new,page",1,1,0,0,1,"openai 1","2026-11-19","2026-11-19""#);
    })
    .await;
}

#[tokio::test]
async fn pages_have_windows_searches_and_limits() {
    Shop::on_each_store(async |shop| {
        shop.record((0..3).map(|page| visit(shop, 0, &format!("/p{page}"), "GPTBot/1.2"))).await;

        let second = shop.get(&path("pages", "&sort=path&order=asc&limit=1&offset=1")).await.json();
        let found = shop.get(&path("pages", "&search=P2")).await.json();

        assert_eq!((second["total"].as_u64(), second["pages"][0]["path"].as_str()), (Some(3), Some("/p1")));
        assert_eq!(found["total"], 1);
        for wrong in [
            "&limit=0",
            "&limit=501",
            "&only=old",
            "&sort=age",
            "&order=up",
            "&format=xml",
            "&from=2026-13-01",
        ] {
            shop.get(&path("pages", wrong)).await.assert_error(400, "invalid_request");
        }
    })
    .await;
}

#[tokio::test]
async fn a_session_may_ask_ten_times_as_often_as_a_key() {
    let app = TestApp::new().await;
    let account = app.account("a@x.example", Plan::Agency).await;
    app.domain(&account, "shop.example").await;
    let session = app.sign_in(&account).await;
    let path = path("timeline", "");
    for _ in 0..60 {
        app.get(&path).key(&account.key).await.assert_status(200);
    }

    app.get(&path).key(&account.key).await.assert_error(429, "rate_limited");
    for _ in 0..61 {
        let reply = app.get(&path).session(&session).await;
        reply.assert_status(200);
        assert_eq!(reply.json()["spoofed"].as_array().map(Vec::len), Some(30));
    }
    let _: Value = app.get(&path).session(&session).await.json();
}
