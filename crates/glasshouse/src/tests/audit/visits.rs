//! Crawlers and audits: the last visit beside every page, and findings that snapshots solve.

use crate::testing::*;
use std::time::Duration;

use serde_json::{Value, json};

use super::{RUNS, Shop, all_issues, on_each_engine, paths};

const ASSISTANT: &str =
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";

/// Starts to count visits.
fn count_visits(shop: &Shop) {
    let platform = &shop.app.state.platform;
    platform.tasks.spawn(shop.app.state.recorder.clone().run(platform.shutdown.clone()));
}

/// Requests a page as a crawler.
async fn visit(shop: &Shop, path: &str, agent: &str) {
    let url = format!("https://shop.example{path}");
    shop.app.render(&shop.account, &url).header("user-agent", agent).await.assert_status(200);
    shop.app.state.recorder.flush().await;
}

#[tokio::test]
async fn the_last_crawler_visit_stands_beside_a_page_when_it_is_asked_for() {
    on_each_engine(async |shop| {
        count_visits(&shop);
        visit(&shop, "/coffee", crate::testing::GOOGLEBOT).await;
        shop.app.clock.advance(Duration::from_secs(24 * 3600));
        visit(&shop, "/tea", ASSISTANT).await;
        let id = shop.audit(json!({})).await;

        let query = "fields=path,lastCrawlerVisit&sort=lastCrawlerVisit&order=desc";
        let listed = shop.details(&id, query).await;
        let plain = shop.details(&id, "").await;
        let tea = plain["pages"].as_array().unwrap().iter().find(|page| page["path"] == "/tea").unwrap();
        let page = shop.get(&format!("{RUNS}/{id}/pages/{}", tea["id"].as_str().unwrap())).await.json();

        assert_eq!(paths(&listed)[..2], ["/tea", "/coffee"]);
        let visit = json!({ "date": "2026-11-21", "crawler": "gptbot", "provider": "openai" });
        assert_eq!(listed["pages"][0]["lastCrawlerVisit"], visit, "{listed:#}");
        assert_eq!(listed["pages"][1]["lastCrawlerVisit"]["date"], "2026-11-20");
        assert_eq!(listed["pages"][2]["lastCrawlerVisit"], Value::Null);
        assert_eq!(page["lastCrawlerVisit"], visit);
        assert!(tea.get("lastCrawlerVisit").is_none(), "what is stored of a run has no visits");
    })
    .await;
}

#[tokio::test]
async fn a_connected_site_is_judged_by_what_crawlers_get() {
    on_each_engine(async |shop| {
        let text = "Green tea comes from the hills and is dried slowly in the sun. ".repeat(30);
        let rendered = format!(
            "<!doctype html><html lang=en><head><title>Green and black tea</title><meta property=\"og:title\" \
             content=\"Tea\"></head><body><main><h1>Tea</h1><p>{text}</p></main></body></html>"
        );
        let shell = "<!doctype html><html lang=en><head><title>Green and black tea</title></head>\
             <body><div id=root></div><script src=/app.js></script></body></html>";
        shop.web.set("/tea", shell);
        shop.web.set("/app.js", "1");
        shop.app.renderer.answers_html("/tea", &rendered);
        shop.patch_auditing(json!({ "javascript": true })).await.assert_status(200);
        let of_scripts = ["JS_CONTENT_MISSING_RAW", "OG_ONLY_AFTER_JS", "AI_CONTENT_NEEDS_JS"];
        let has = |issues: &[&str]| of_scripts.map(|issue| issues.contains(&issue));

        let before = shop.details(&shop.audit(json!({})).await, "").await;
        shop.app.render(&shop.account, "https://shop.example/tea").await.assert_status(200);
        let id = shop.audit(json!({})).await;
        let after = shop.details(&id, "").await;
        let tea = after["pages"].as_array().unwrap().iter().find(|page| page["path"] == "/tea").unwrap();
        let page = shop.get(&format!("{RUNS}/{id}/pages/{}", tea["id"].as_str().unwrap())).await.json();

        assert_eq!(has(&all_issues(&before)), [true; 3]);
        assert_eq!(before["run"]["crawlStats"]["solvedBySnapshots"], Value::Null);
        assert_eq!(has(&all_issues(&after)), [false; 3]);
        let solved = &after["run"]["crawlStats"]["solvedBySnapshots"];
        assert_eq!((&solved["pages"], &solved["issues"]["OG_ONLY_AFTER_JS"]), (&json!(1), &json!(1)), "{solved}");
        assert!(after["run"]["healthScore"].as_f64() > solved["originHealth"].as_f64(), "{solved}");
        let shown: Vec<&str> =
            page["solved"].as_array().unwrap().iter().filter_map(|found| found["issueId"].as_str()).collect();
        assert_eq!(has(&shown), [true; 3], "{page:#}");
        assert!(page["originHealthScore"].as_f64() < tea["healthScore"].as_f64());
    })
    .await;
}
