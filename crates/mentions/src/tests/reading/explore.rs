//! Sources, searches and suggestions.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use analytics::{CrawlerIndex, ServedBy, Verified, Visit};

async fn with_sources(app: &TestApp) -> (Monitored, Prompt, Prompt) {
    let mut monitored = Monitored::begin(app, "a@x.example", OWN_DOMAIN).await;
    let tagged = |prompt: &mut Prompt| prompt.tags = vec!["docs".to_owned()];
    let (a, b) = (
        monitored.prompt(app, "Best docs  tool?", tagged).await,
        monitored.prompt(app, "sso wiki", |_| {}).await,
    );
    let (one, other) = (Provider::Chatgpt, Provider::Perplexity);
    let mut first =
        Given::on(today() - 2, one, &["Notchly"], &["g2.com/a", "g2.com/b", "lumadocs.io/pricing"]);
    first.queries = vec!["best docs tool".to_owned(), "Docs  tools 2026".to_owned()];
    first.found = vec!["reddit.com/r/docs"];
    let mut second = Given::on(today() - 1, other, &[OWN], &["g2.com/a", "notchly.com/"]);
    second.queries = vec!["DOCS tools 2026".to_owned()];
    monitored.answer(app, &a, &first).await;
    monitored.answer(app, &b, &second).await;
    (monitored, a, b)
}

#[tokio::test]
async fn an_answer_counts_once_at_a_site_and_shares_sum_to_a_hundred() {
    TestApp::on_each_engine(async |app| {
        let (monitored, a, b) = with_sources(&app).await;

        let reply = monitored.get(&app, "sources", "").await;

        reply.assert(
            200,
            json!({
                "total": 4,
                "sources": [
                    { "domain": "g2.com", "kind": "third_party", "answers": 2, "citations": 3, "retrieved": 0,
                      "sharePct": 60.0, "gapAnswers": 1, "promptIds": [a.id, b.id], "providers": ["chatgpt", "perplexity"],
                      "firstDate": "2026-11-18", "lastDate": "2026-11-19" },
                    { "domain": "lumadocs.io", "kind": "own", "answers": 1, "sharePct": 20.0, "gapAnswers": 1 },
                    { "domain": "notchly.com", "kind": "competitor", "answers": 1, "sharePct": 20.0, "gapAnswers": 0 },
                    { "domain": "reddit.com", "citations": 0, "answers": 0, "retrieved": 1, "sharePct": 0.0,
                      "promptIds": [a.id] },
                ],
            }),
        );
        let list = reply.json();
        assert!(list["sources"][0].get("url").is_none() && list["sources"][1].get("openIssues").is_none());
        let part = monitored.get(&app, "sources", "limit=1&offset=1&by=domain").await;
        part.assert(200, json!({ "total": 4, "sources": [{ "domain": "lumadocs.io" }] }));
        monitored.get(&app, "sources", "tag=docs").await.assert(200, json!({ "total": 3 }));
        monitored.get(&app, "sources", "provider=perplexity").await.assert(200, json!({ "total": 2 }));
    })
    .await;
}

#[tokio::test]
async fn an_own_page_stands_beside_the_last_visit_of_ai_crawlers() {
    TestApp::on_each_engine(async |app| {
        let (monitored, ..) = with_sources(&app).await;
        app.state.start();
        let visit = |crawler: &str, path: &str| Visit {
            domain: monitored.domain.id.clone(),
            path: Arc::from(path),
            crawler: CrawlerIndex::shared().identify(crawler).expect("a crawler"),
            verified: Verified::Unknown,
            served: ServedBy::Cache,
            status: 200,
            at: NOON,
            duration: Duration::from_millis(10),
        };
        let recorder = &app.state.recorder;
        recorder
            .record(visit("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "/pricing/"));
        recorder.record(visit(crate::testing::GOOGLEBOT, "/other"));
        recorder.flush().await;

        let reply = monitored.get(&app, "sources", "by=page").await;

        let pages = reply.json();
        let page = |url: &str| {
            pages["sources"].as_array().unwrap().iter().find(|page| page["url"] == url).cloned().unwrap()
        };
        let own = page("https://lumadocs.io/pricing");
        assert_eq!(
            (&own["kind"], &own["lastCrawlByAiBots"], &own["openIssues"], &own["referrals"]),
            (&json!("own"), &json!("2026-11-20"), &Value::Null, &json!(0))
        );
        assert!(page("https://g2.com/a").get("lastCrawlByAiBots").is_none());
        assert_eq!(pages["total"], 5);
        assert_eq!(pages["sources"][0]["url"], "https://g2.com/a");
    })
    .await;
}

#[tokio::test]
async fn searches_are_one_in_whatever_spelling_and_say_whether_they_are_tracked() {
    TestApp::on_each_engine(async |app| {
        let (monitored, a, b) = with_sources(&app).await;

        let reply = monitored.get(&app, "queries", "").await;

        reply.assert(
            200,
            json!({
                "total": 2,
                "queries": [
                    { "query": "docs tools 2026", "answers": 2, "namedIn": 1, "providers": ["chatgpt", "perplexity"],
                      "promptIds": [a.id, b.id], "tracked": false },
                    { "query": "best docs tool", "answers": 1, "namedIn": 0, "providers": ["chatgpt"],
                      "promptIds": [a.id], "tracked": true },
                ],
            }),
        );
        monitored.get(&app, "queries", "limit=1&offset=1").await.assert(
            200,
            json!({ "total": 2, "queries": [{ "query": "best docs tool" }] }),
        );
    })
    .await;
}

#[tokio::test]
async fn suggestions_leave_out_what_is_tracked() {
    TestApp::on_each_engine(async |app| {
        let (monitored, ..) = with_sources(&app).await;

        let body = monitored.get(&app, "suggestions", "limit=500").await.json();
        let terms = json!({ "domain": OWN_DOMAIN, "terms": ["best docs tool", "buy wiki", "SSO wiki?", "buy  Wiki"] });
        let reply =
            app.post("/api/ai-mentions/suggestions").key(&monitored.account.key).json(terms).await;

        let texts: Vec<&str> =
            body["suggestions"].as_array().unwrap().iter().map(|item| item["promptText"].as_str().unwrap()).collect();
        assert_eq!(texts[0], "docs tools 2026");
        assert!(texts.contains(&"What are the best alternatives to Notchly?"));
        assert!(!texts.contains(&"best docs tool"));
        assert_eq!(body["suggestions"][0]["source"], "query");
        reply.assert(
            200,
            json!({ "suggestions": [{ "promptText": "buy wiki", "intent": "trans", "source": "term" }], "total": 1 }),
        );
        assert!(reply.json()["suggestions"][0]["evidence"].is_string());
    })
    .await;
}
