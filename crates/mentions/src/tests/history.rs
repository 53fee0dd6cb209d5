//! Runs, assistants, costs and settings of a domain over HTTP.

use assistants::providers::Provider;
use http::Method;
use serde_json::{Value, json};

use super::fixture::{Monitored, QUESTION};
use crate::testing::*;
use platform::plans::Plan;

const RUNS: &str = "/api/ai-mentions/runs";
const BRAND: &str = "/api/domains/lumadocs.io/brand";
const MONITORING: &str = "/api/domains/lumadocs.io/monitoring";

impl Monitored {
    async fn read(&self, path: &str) -> Reply {
        self.app.get(path).key(&self.account.key).await
    }

    async fn runs_of(&self, query: &str) -> Value {
        let reply = self.read(&format!("{RUNS}?domain=lumadocs.io&{query}")).await;
        reply.assert_status(200);
        reply.json()
    }

    async fn put_brand(&self, body: Value) -> Reply {
        self.app.request(Method::PUT, BRAND).key(&self.account.key).json(body).await
    }

    async fn patch_monitoring(&self, body: Value) -> Reply {
        self.app.patch(MONITORING).key(&self.account.key).json(body).await
    }
}

#[tokio::test]
async fn a_queued_run_says_that_nothing_is_known_yet() {
    Monitored::on_each_engine(async |shop| {
        let prompt = shop.prompt(QUESTION, &[Provider::Chatgpt]).await;

        let listed = shop.runs_of("").await;

        let run = &listed["runs"][0];
        let expected = json!({
            "promptId": prompt.id.as_str(), "dateUtc": "2026-11-20", "provider": "chatgpt", "status": "queued",
            "rawResponse": "", "mentionPosition": 0, "citationCount": 0, "sentiment": 0.0, "analysisText": "",
            "competitorMentions": "[]", "citationDomains": "[]", "createdAt": "2026-11-20T12:00:00.000Z",
            "retrieval": "unknown", "finish": "", "servedModel": "", "errorCode": "", "demo": false,
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(run[name], *value, "{name}");
        }
        assert_eq!(run.as_object().unwrap().len(), expected.as_object().unwrap().len() + 1);
        assert_eq!(listed["summary"], json!({ "total": 1, "byStatus": { "queued": 1 } }));
    })
    .await;
}

#[tokio::test]
async fn a_run_has_its_question_and_everything_that_was_found() {
    Monitored::on_each_engine(async |shop| {
        shop.prompt(QUESTION, &[Provider::Chatgpt]).await;
        shop.run_jobs().await;
        shop.settled().await;
        let listed = shop.runs_of("").await["runs"][0].clone();
        let id = listed["id"].as_str().unwrap();

        let run = shop.read(&format!("{RUNS}/{id}")).await;

        run.assert(
            200,
            json!({
                "id": id, "status": "ok", "promptText": QUESTION, "personaLocation": "{}", "reason": "create",
                "finish": "complete", "queryCut": false, "calls": 1, "errorCode": "", "errorDetail": "",
                "analysisMode": "builtin", "analysisVersion": 1,
            }),
        );
        let run = run.json();
        let list = |name: &str| run[name].as_array().unwrap().len();
        assert_eq!(run["citationCount"], list("citations"));
        assert!(run["costUsd"].as_f64().unwrap() > 0.0 && list("spans") > 0 && list("retrieved") < 100);
        let text: Vec<char> = run["rawResponse"].as_str().unwrap().chars().collect();
        for span in run["spans"].as_array().unwrap() {
            let at = |name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
            assert!(at("start") < at("end") && at("end") <= text.len(), "{span}");
        }
        let named: Vec<Value> = serde_json::from_str(listed["competitorMentions"].as_str().unwrap()).unwrap();
        assert!(named.iter().all(|entry| entry["name"].is_string() && entry["count"].is_u64()));
        let domains: Vec<String> = serde_json::from_str(listed["citationDomains"].as_str().unwrap()).unwrap();
        assert!(domains.len() <= list("citations"));
    })
    .await;
}

#[tokio::test]
async fn filters_narrow_together_and_the_summary_counts_all_that_match() {
    Monitored::on_each_engine(async |shop| {
        let first = shop.prompt(QUESTION, &[Provider::Chatgpt, Provider::Gemini]).await;
        shop.run_jobs().await;
        shop.app.clock.advance(std::time::Duration::from_secs(24 * 3600));
        let second = shop.prompt("Which one is the cheapest?", &[Provider::Chatgpt]).await;
        let total = async |query: &str| shop.runs_of(query).await["summary"]["total"].clone();

        let newest = shop.runs_of("limit=1").await;
        assert_eq!((newest["runs"].as_array().unwrap().len(), &newest["summary"]["total"]), (1, &json!(3)));
        assert_eq!(newest["runs"][0]["promptId"], second.id.as_str());
        assert_eq!(newest["summary"]["byStatus"], json!({ "ok": 2, "queued": 1 }));
        let rest = shop.runs_of("limit=5&offset=1").await;
        assert_eq!(rest["runs"].as_array().unwrap().len(), 2);
        assert_eq!(total("provider=chatgpt").await, 2);
        assert_eq!(total("date=2026-11-20").await, 2);
        assert_eq!(total("from=2026-11-21").await, 1);
        assert_eq!(total("to=2026-11-20&provider=gemini").await, 1);
        assert_eq!(total("date=2026-11-20&from=2026-11-21").await, 0);
        assert_eq!(total(&format!("promptId={}&provider=gemini", first.id)).await, 1);
        assert_eq!(total(&format!("promptId={}", first.id)).await, 2);
        assert_eq!(total("promptId=unknown").await, 0);
    })
    .await;
}

#[tokio::test]
async fn queries_that_cannot_be_are_refused() {
    Monitored::on_each_engine(async |shop| {
        for query in [
            "domain=lumadocs.io&provider=bard",
            "domain=lumadocs.io&date=20.11.2026",
            "domain=lumadocs.io&from=2026-11-21&to=2026-11-20",
            "domain=lumadocs.io&limit=0",
            "domain=lumadocs.io&limit=5001",
            "domain=nobodys.example&limit=x",
            "",
        ] {
            shop.read(&format!("{RUNS}?{query}")).await.assert_error(400, "invalid_request");
        }
        let costs = "/api/ai-mentions/costs";
        shop.read(costs).await.assert_error(400, "invalid_request");
        let reversed = format!("{costs}?domain=lumadocs.io&from=2026-11-21&to=2026-11-20");
        shop.read(&reversed).await.assert_error(400, "invalid_request");
        shop.read("/api/ai-mentions/providers").await.assert_error(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn another_account_and_another_scope_see_nothing() {
    Monitored::on_each_engine(async |shop| {
        let prompt = shop.prompt(QUESTION, &[Provider::Chatgpt]).await;
        shop.run_jobs().await;
        let id = shop.runs().await[0].id.clone();
        let stranger = shop.app.account("stranger@else.example", Plan::Enterprise).await;
        shop.app.domain(&stranger, "else.example").await;
        let scoped = shop.app.key(&shop.account.id, Some("other.example")).await;
        let as_key = async |key: &str, path: &str| shop.app.get(path).key(key).await;
        let path = format!("{RUNS}/{id}");

        as_key(&stranger.key, &path).await.assert_error(404, "not_found");
        as_key(&scoped, &path).await.assert_error(403, "api_key_domain_scope_mismatch");
        shop.read(&format!("{RUNS}/none")).await.assert_error(404, "not_found");
        let theirs = format!("{RUNS}?domain=else.example&promptId={}", prompt.id);
        as_key(&stranger.key, &theirs).await.assert(200, json!({ "runs": [], "summary": { "total": 0 } }));
        for part in ["runs", "costs", "providers"] {
            let path = format!("/api/ai-mentions/{part}?domain=lumadocs.io");
            as_key(&stranger.key, &path).await.assert_error(403, "domain_not_owned");
            as_key(&scoped, &path).await.assert_error(403, "api_key_domain_scope_mismatch");
        }
        let costs = as_key(&stranger.key, "/api/ai-mentions/costs?domain=else.example").await;
        costs.assert(200, json!({ "usd": 0.0, "byDay": [], "byProvider": [], "byPrompt": [] }));
        for path in [BRAND, MONITORING] {
            as_key(&stranger.key, path).await.assert_error(404, "not_found");
            as_key(&scoped, path).await.assert_error(403, "api_key_domain_scope_mismatch");
        }
    })
    .await;
}

#[tokio::test]
async fn assistants_say_whether_they_can_be_asked_and_what_a_question_costs() {
    let settings = "[plans.essential]\n[mentions]\nbudget_usd_per_account = 0\n";
    Monitored::on_each_engine_with(settings, async |shop| {
        let small = shop.app.account("small@else.example", Plan::Essential).await;
        shop.app.domain(&small, "small.example").await;
        let session = shop.app.sign_in(&small).await;

        let own = shop.read("/api/ai-mentions/providers?domain=lumadocs.io").await;
        let path = "/api/ai-mentions/providers?domain=small.example";
        let others = shop.app.get(path).session(&session).await.json();

        let own = own.json();
        let names: Vec<&str> = own["providers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["provider"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["chatgpt", "perplexity", "gemini", "claude", "google_ai_overview", "google_ai_mode"]
        );
        let expected = json!({
            "available": true, "reason": null, "style": "native", "demo": false, "health": "ok",
            "pausedUntil": null, "budgetSpent": true,
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(own["providers"][0][name], *value, "{name}");
        }
        assert!(own["providers"][0]["usdPerRun"].as_f64().unwrap() > 0.0);
        assert_eq!(own["providers"][4]["model"], "dataforseo");
        assert_eq!(own["providers"][5]["model"], "dataforseo");
        assert_eq!(own["providers"][5]["usdPerRun"], 0.004);
        assert_eq!(others["providers"][3]["reason"], "plan");
        assert_eq!(others["providers"][3]["available"], false);
        assert_eq!(others["providers"][5]["reason"], "plan");
    })
    .await;
}

#[tokio::test]
async fn costs_are_the_ledger_s_and_say_which_budget_is_spent() {
    Monitored::on_each_engine(async |shop| {
        let prompt = shop.prompt(QUESTION, &[Provider::Chatgpt, Provider::Gemini]).await;
        shop.run_jobs().await;
        shop.settled().await;
        let paid: i64 = shop.calls().await.iter().map(|call| call.settled_nanos).sum();

        let costs = shop.read("/api/ai-mentions/costs?domain=lumadocs.io").await.json();

        let dollars = paid as f64 / 1e9;
        let is_paid = |value: &Value| (value.as_f64().unwrap() - dollars).abs() < 1e-9;
        assert!(paid > 0 && is_paid(&costs["usd"]) && is_paid(&costs["byDay"][0]["usd"]), "{costs:#}");
        assert!(is_paid(&costs["month"]["spentUsd"]));
        assert_eq!(costs["byDay"][0]["date"], "2026-11-20");
        assert_eq!(costs["byProvider"].as_array().unwrap().len(), 2);
        assert_eq!(costs["byPrompt"][0]["promptId"], prompt.id.as_str());
        assert_eq!(costs["byPrompt"][0]["promptText"], QUESTION);
        assert!(costs["month"]["projectedUsd"].as_f64().unwrap() > dollars);
        assert_eq!((&costs["budgetSpent"], &costs["resumesAt"]), (&json!([]), &Value::Null));
        assert_eq!(costs["month"]["budgetUsd"], Value::Null);

        shop.patch_monitoring(json!({ "budgetUsdPerMonth": 0 })).await.assert_status(200);
        let spent = shop.read("/api/ai-mentions/costs?domain=lumadocs.io").await;
        spent.assert(200, json!({ "budgetSpent": ["domain"], "resumesAt": "2026-12-01T00:00:00.000Z" }));
        assert_eq!(spent.json()["month"]["budgetUsd"], 0.0);
    })
    .await;
}

#[tokio::test]
async fn a_profile_is_derived_until_it_is_saved() {
    Monitored::on_each_engine(async |shop| {
        shop.app.domain(&shop.account, "notchly.example").await;

        let derived = shop.read("/api/domains/notchly.example/brand").await;
        let saved = shop
            .put_brand(json!({ "name": "Luma Docs", "aliases": ["Luma"], "domains": ["lumadocs.io"],
                "competitors": [{ "name": "Notchly", "domains": ["notchly.com"] }, { "name": "Box", "status": "ignored" }] }))
            .await;
        shop.run_jobs().await;
        let read = shop.read(BRAND).await;

        derived.assert(
            200,
            json!({ "name": "notchly", "aliases": [], "domains": ["notchly.example"], "competitors": [],
                "derived": true, "analysisVersion": 1, "recomputing": null }),
        );
        saved.assert(200, json!({ "name": "Luma Docs", "derived": false, "analysisVersion": 2 }));
        read.assert(
            200,
            json!({ "name": "Luma Docs", "aliases": ["Luma"], "domains": ["lumadocs.io"], "recomputing": null,
                "competitors": [
                    { "name": "Notchly", "aliases": [], "domains": ["notchly.com"], "status": "tracked" },
                    { "name": "Box", "aliases": [], "domains": [], "status": "ignored" },
                ] }),
        );
    })
    .await;
}

#[tokio::test]
async fn a_changed_profile_raises_the_version_of_every_answer_and_asks_no_model() {
    Monitored::on_each_engine(async |shop| {
        shop.prompt(QUESTION, &[Provider::Chatgpt]).await;
        shop.run_jobs().await;
        shop.settled().await;
        let calls = shop.calls().await.len();

        let changed = shop.put_brand(json!({ "name": "Something Else", "domains": ["lumadocs.io"] })).await;
        shop.run_jobs().await;
        let same = shop.put_brand(json!({ "name": "Something Else", "domains": ["lumadocs.io"] })).await;

        changed.assert(200, json!({ "analysisVersion": 2, "recomputing": { "done": 0, "total": 1 } }));
        same.assert(200, json!({ "analysisVersion": 2, "recomputing": null }));
        let id = shop.runs().await[0].id.clone();
        let run = shop.read(&format!("{RUNS}/{id}")).await;
        run.assert(200, json!({ "analysisVersion": 2, "mentionPosition": 0 }));
        assert_eq!(shop.calls().await.len(), calls);
    })
    .await;
}

#[tokio::test]
async fn a_malformed_profile_or_setting_is_refused_whole() {
    Monitored::on_each_engine(async |shop| {
        let twice = json!({ "name": "LumaDocs", "competitors": [{ "name": "luma docs" }] });

        for body in [json!({}), json!({ "name": "" }), json!({ "name": "x".repeat(81) }), twice] {
            shop.put_brand(body).await.assert_error(400, "invalid_request");
        }
        for body in [
            json!({ "webhookUrl": "ftp://x.example/" }),
            json!({ "webhookUrl": "nothing" }),
            json!({ "budgetUsdPerMonth": -1 }),
            json!({ "digest": "hourly" }),
            json!({ "personaLocation": { "planet": "Mars" } }),
        ] {
            shop.patch_monitoring(body).await.assert_error(400, "invalid_request");
        }
        shop.read(BRAND).await.assert(200, json!({ "name": "LumaDocs", "derived": true }));
    })
    .await;
}

#[tokio::test]
async fn monitoring_has_defaults_and_shows_a_webhook_s_secret_once() {
    Monitored::on_each_engine(async |shop| {
        let before = shop.read(MONITORING).await;
        let change = json!({
            "personaLocation": { "country": "DE" }, "budgetUsdPerMonth": 20, "webhookUrl": "https://hook.example/x",
            "digest": "weekly",
        });
        let changed = shop.patch_monitoring(change).await;
        let after = shop.read(MONITORING).await;
        let again = shop.patch_monitoring(json!({ "webhookUrl": "https://hook.example/y" })).await;
        let off = shop.patch_monitoring(json!({ "webhookUrl": null, "budgetUsdPerMonth": null })).await;

        let none = json!({ "personaLocation": "{}", "budgetUsdPerMonth": null, "webhookUrl": null, "digest": "off" });
        assert_eq!(before.json(), none);
        assert!(changed.json()["webhookSecret"].as_str().unwrap().starts_with("gh_hook_"));
        let set = json!({
            "personaLocation": "{\"country\":\"DE\"}", "budgetUsdPerMonth": 20.0,
            "webhookUrl": "https://hook.example/x", "digest": "weekly",
        });
        assert_eq!(after.json(), set);
        assert_eq!(again.json().get("webhookSecret"), None);
        off.assert(200, json!({ "webhookUrl": null, "budgetUsdPerMonth": null, "digest": "weekly" }));
        let body = json!({ "action": "create", "domain": "lumadocs.io", "promptText": "X?", "intent": "info" });
        shop.app.post("/api/ai-mentions/prompts").key(&shop.account.key).json(body).await.assert_status(200);
        let prompts = shop.read("/api/ai-mentions/prompts?domain=lumadocs.io").await.json();
        assert_eq!(prompts[0]["personaLocation"], "{\"country\":\"DE\"}");
    })
    .await;
}

/// Answers a question five times, each time with this many bytes.
async fn with_large_answers(shop: &Monitored, bytes: usize) {
    let prompt = shop.prompt(QUESTION, &[Provider::Chatgpt]).await;
    shop.run_jobs().await;
    shop.app.clock.advance(std::time::Duration::from_secs(60));
    assert_eq!(shop.run_now(&prompt, Provider::Chatgpt, 4).await, 4);
    shop.run_jobs().await;
    shop.settled().await;
    let answer = format!("LumaDocs is good. {}", "x".repeat(bytes));
    let mut tx = shop.app.state.platform.db.write().await.unwrap();
    let sql = "update mention_runs set answer = $1";
    store::on_engine!(tx, |c| sqlx::query(sql).bind(&answer).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn answers_that_are_large_together_are_listed_in_their_order() {
    Monitored::on_each_engine(async |shop| {
        with_large_answers(&shop, 700_000).await;

        let all = shop.runs_of("").await;
        let some = shop.runs_of("limit=3&offset=1").await;

        let ids = |list: &Value| -> Vec<String> {
            let runs = list["runs"].as_array().unwrap().iter();
            runs.map(|run| run["id"].as_str().unwrap().to_owned()).collect()
        };
        let mut newest_first = ids(&all);
        newest_first.sort_by(|a, b| b.cmp(a));
        assert_eq!((ids(&all).len(), ids(&all)), (5, newest_first.clone()));
        assert_eq!(ids(&some), newest_first[1..4]);
        assert!(
            all["runs"]
                .as_array()
                .unwrap()
                .iter()
                .all(|run| run["rawResponse"].as_str().unwrap().len() > 700_000)
        );
        assert_eq!(all["summary"], json!({ "total": 5, "byStatus": { "ok": 5 } }));
        assert_eq!(shop.runs_of("provider=gemini").await["runs"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn answers_that_are_large_together_are_exported_each_once() {
    Monitored::on_each_engine(async |shop| {
        with_large_answers(&shop, 700_000).await;

        let path = "/api/ai-mentions/export?domain=lumadocs.io&what=runs&format=ndjson";
        let exported = shop.read(path).await.text();

        let lines: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let ids: std::collections::BTreeSet<&str> =
            lines.iter().map(|run| run["id"].as_str().unwrap()).collect();
        assert_eq!((lines.len(), ids.len()), (5, 5));
    })
    .await;
}

#[tokio::test]
async fn answers_that_are_large_together_are_analysed_again_and_keep_their_texts() {
    Monitored::on_each_engine(async |shop| {
        with_large_answers(&shop, 300_000).await;

        shop.put_brand(json!({ "name": "LumaDocs", "domains": ["lumadocs.io"] })).await.assert_status(200);
        shop.run_jobs().await;

        let runs = shop.runs().await;
        assert!(runs.iter().all(|run| run.answer.len() > 300_000 && run.mention_position == 1));
        assert_eq!(shop.number("select count(*) from mention_runs where analysis_version = 2").await, 5);
        assert_eq!(shop.number("select sum(mentions) from mention_sums").await, 5);
    })
    .await;
}

#[tokio::test]
async fn a_profile_comes_back_as_it_was_given() {
    Monitored::on_each_engine(async |shop| {
        let competitors = json!([
            { "name": "Zebra", "aliases": ["ze bra", "Z"], "domains": ["zebra.example"], "status": "tracked" },
            { "name": "Another", "aliases": [], "domains": [], "status": "ignored" },
            { "name": "Middle", "aliases": ["MIDDLE"], "domains": [], "status": "tracked" },
        ]);
        let profile = json!({
            "name": "Another Name", "aliases": ["AnotherName", "another-name", "AN"], "domains": ["lumadocs.io"],
            "competitors": competitors,
        });

        let put = shop.put_brand(profile.clone()).await;

        put.assert(200, profile.clone());
        shop.read(BRAND).await.assert(200, profile);
    })
    .await;
}
