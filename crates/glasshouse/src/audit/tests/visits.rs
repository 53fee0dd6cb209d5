//! What crawler visits have to do with audits: the last one beside every page, and findings that are silent because of them.

use std::time::Duration;

use serde_json::{Value, json};

use super::{RUNS, Shop, all_issues, on_each_engine, paths};

const PREVIEWS: &str = "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)";
const ASSISTANT: &str =
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";

/// Counts visits from now on.
fn count_visits(shop: &Shop) {
    let platform = &shop.app.state.platform;
    platform.tasks.spawn(shop.app.state.recorder.clone().run(platform.shutdown.clone()));
}

/// Has a crawler ask for a page.
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
async fn what_crawlers_are_given_is_not_missing_to_them() {
    on_each_engine(async |shop| {
        count_visits(&shop);
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
        let silent = ["OG_ONLY_AFTER_JS", "AI_CONTENT_NEEDS_JS"];

        let before = shop.audit(json!({})).await;
        visit(&shop, "/tea", PREVIEWS).await;
        let with_previews = shop.audit(json!({})).await;
        visit(&shop, "/tea", ASSISTANT).await;
        let with_both = shop.audit(json!({})).await;

        let mut found = Vec::new();
        for id in [before, with_previews, with_both] {
            let details = shop.details(&id, "").await;
            let issues = all_issues(&details);
            found.push(silent.map(|issue| issues.contains(&issue)));
        }
        assert_eq!(found, [[true, true], [false, true], [false, false]]);
    })
    .await;
}
