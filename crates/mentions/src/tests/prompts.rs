//! Prompts over HTTP: what may be created and changed, what is refused in which order, and which runs follow.

use accounts::usage::Holdings;
use http::Method;
use serde_json::{Value, json};

use super::fixture::{Monitored, QUESTION};
use crate::service::prompts::count_prompts;
use crate::testing::*;
use ::domains::service::Lock;
use platform::plans::Plan;

const PROMPTS: &str = "/api/ai-mentions/prompts";
const IMPORT: &str = "/api/ai-mentions/prompts/import";

fn create_body(more: Value) -> Value {
    let mut body =
        json!({ "action": "create", "domain": "lumadocs.io", "promptText": QUESTION, "intent": "comm" });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

impl Monitored {
    async fn post(&self, path: &str, body: Value) -> Reply {
        self.app.post(path).key(&self.account.key).json(body).await
    }

    async fn get(&self, path: &str) -> Reply {
        self.app.get(path).key(&self.account.key).await
    }

    async fn create(&self, more: Value) -> Reply {
        self.post(PROMPTS, create_body(more)).await
    }

    async fn update(&self, id: &str, fields: Value) -> Reply {
        let mut body = fields;
        body["action"] = "update".into();
        body["domain"] = "lumadocs.io".into();
        body["id"] = id.into();
        self.post(PROMPTS, body).await
    }

    async fn list(&self) -> Vec<Value> {
        let reply = self.get(&format!("{PROMPTS}?domain=lumadocs.io")).await;
        reply.assert_status(200);
        reply.json().as_array().unwrap().clone()
    }

    /// Creates a prompt. Returns its id.
    async fn created(&self, more: Value) -> String {
        self.create(more).await.assert_status(200);
        self.list().await.last().unwrap()["id"].as_str().unwrap().to_owned()
    }

    /// Runs that wait, as texts of provider and reason.
    async fn queued(&self) -> Vec<String> {
        let runs = self.runs().await.into_iter().filter(|run| run.status == "queued");
        runs.map(|run| format!("{} {}", run.provider, run.reason)).collect()
    }
}

#[tokio::test]
async fn a_prompt_is_listed_with_every_field_and_asked_at_once() {
    Monitored::on_each_engine(async |shop| {
        let reply = shop
            .create(json!({
                "providers": ["gemini", "chatgpt"], "tags": "docs, rival", "monitorInterval": "weekly",
                "personaLocation": { "country": "DE" },
            }))
            .await;
        shop.create(json!({ "promptText": "Is LumaDocs any good?", "active": 0 })).await;

        reply.assert(200, json!({ "queued": 2 }));
        assert_eq!(reply.json().as_object().unwrap().len(), 1);
        let listed = shop.list().await;
        let expected = json!({
            "promptText": QUESTION, "intent": "comm", "active": 1, "aiProviders": ["chatgpt", "gemini"],
            "tags": "docs,rival", "personaLocation": "{\"country\":\"DE\"}", "monitorInterval": "weekly",
            "branded": false, "createdAt": "2026-11-20T12:00:00.000Z",
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(listed[0][name], *value, "{name}");
        }
        assert_eq!(listed[1]["aiProviders"].as_array().unwrap().len(), 5);
        assert_eq!((&listed[1]["personaLocation"], &listed[1]["branded"]), (&json!("{}"), &json!(true)));
        let tagged = shop.get(&format!("{PROMPTS}?domain=lumadocs.io&tag=rival")).await.json();
        assert_eq!(tagged.as_array().unwrap().len(), 1);
        let part_of_a_tag = shop.get(&format!("{PROMPTS}?domain=lumadocs.io&tag=riv")).await.json();
        assert_eq!(part_of_a_tag, json!([]));
        assert_eq!(shop.queued().await, ["chatgpt create", "gemini create"]);
    })
    .await;
}

#[tokio::test]
async fn what_is_malformed_is_refused_before_whose_domain_it_is() {
    Monitored::on_each_engine(async |shop| {
        let foreign = json!({ "domain": "nobodys.example" });
        for (field, value) in [
            ("action", json!("remove")),
            ("action", Value::Null),
            ("promptText", json!("")),
            ("promptText", json!("a\u{0}b")),
            ("intent", json!("buy")),
            ("providers", json!([])),
            ("providers", json!(["bard"])),
            ("monitorInterval", json!("daily")),
            ("tags", json!("Upper")),
            ("active", json!(true)),
            ("active", json!(2)),
            ("personaLocation", json!({ "country": "Germany" })),
            ("domain", json!(7)),
        ] {
            let mut body = create_body(foreign.clone());
            body[field] = value;
            let reply = shop.post(PROMPTS, body).await;
            reply.assert_error(400, "invalid_request");
            assert!(
                reply.json()["issues"][0]["path"].as_str().unwrap().starts_with(field),
                "{}",
                reply.text()
            );
        }
        for action in ["update", "delete"] {
            let reply = shop.post(PROMPTS, json!({ "action": action, "domain": "nobodys.example" })).await;
            reply.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "id" }] }));
        }
        shop.get(PROMPTS).await.assert_error(400, "invalid_request");
        shop.create(foreign).await.assert_error(403, "domain_not_owned");
        assert_eq!(shop.list().await.len(), 0);
    })
    .await;
}

#[tokio::test]
async fn scope_ownership_lock_and_plan_refuse_in_their_order() {
    Monitored::on_each_engine(async |shop| {
        let app = &shop.app;
        let (id, path) = (shop.created(json!({})).await, format!("{PROMPTS}?domain=lumadocs.io"));
        let scoped = app.key(&shop.account.id, Some("other.example")).await;
        let stranger = app.account("stranger@else.example", Plan::Enterprise).await;
        app.domain(&stranger, "else.example").await;
        let small = app.account("small@else.example", Plan::Essential).await;
        app.domain(&small, "small.example").await;
        let body = create_body(json!({}));

        app.post(PROMPTS).json(&body).await.assert_error(401, "invalid_api_key");
        app.post(PROMPTS).key(&small.key).json(json!({})).await.assert_error(403, "plan_required");
        app.get(&path).key(&small.key).await.assert_error(403, "plan_required");
        let mismatch = "api_key_domain_scope_mismatch";
        app.post(PROMPTS).key(&scoped).json(&body).await.assert_error(403, mismatch);
        app.get(&path).key(&scoped).await.assert_error(403, mismatch);
        app.post(PROMPTS).key(&stranger.key).json(&body).await.assert_error(403, "domain_not_owned");
        app.get(&path).key(&stranger.key).await.assert_error(403, "domain_not_owned");
        // A prompt is looked for on the domain that is named.
        let foreign = json!({ "action": "update", "domain": "else.example", "id": id, "active": 0 });
        app.post(PROMPTS).key(&stranger.key).json(foreign).await.assert_error(404, "not_found");
        let gone = json!({ "action": "delete", "domain": "else.example", "id": id });
        app.post(PROMPTS).key(&stranger.key).json(gone).await.assert_status(204);
        assert_eq!(shop.list().await.len(), 1);
        for unknown in ["nothing", "a\u{0}b"] {
            shop.update(unknown, json!({ "active": 0 })).await.assert_error(404, "not_found");
        }

        let session = app.sign_in(&small).await;
        let above = create_body(json!({ "domain": "small.example", "providers": ["chatgpt", "claude"] }));
        let refused = app.post(PROMPTS).session(&session).json(above).await;
        refused.assert(403, json!({ "error": "plan_required", "requiredPlan": "agency" }));
        let above = create_body(json!({ "domain": "small.example", "providers": ["google_ai_mode"] }));
        let refused = app.post(PROMPTS).session(&session).json(above).await;
        refused.assert(403, json!({ "error": "plan_required", "requiredPlan": "agency" }));
        let allowed = create_body(json!({ "domain": "small.example" }));
        app.post(PROMPTS).session(&session).json(allowed).await.assert(200, json!({ "queued": 3 }));

        app.state.domains.set_suspended("lumadocs.io", Lock::On).await.unwrap();
        app.clock.advance(std::time::Duration::from_secs(3));
        shop.update("nothing", json!({})).await.assert_error(403, "domain_suspended");
        shop.create(json!({ "providers": ["bard"] })).await.assert_error(400, "invalid_request");
        assert_eq!(shop.list().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn limits_of_the_plan_refuse_with_their_codes() {
    let limits = "[plans.enterprise]\nprompts = 3\nmonitors = 1\nproviders_per_prompt = 2\n";
    Monitored::on_each_engine_with(limits, async |shop| {
        let three = json!({ "providers": ["chatgpt", "gemini", "claude"] });
        let twice = json!({ "providers": ["chatgpt", "gemini", "chatgpt"] });

        let too_many = shop.create(three.clone()).await;
        too_many.assert(400, json!({ "error": "provider_limit_reached", "limit": 2, "current": 3 }));
        shop.create(twice).await.assert(200, json!({ "queued": 2 }));
        let second = shop.create(json!({ "promptText": "Second?" })).await;
        second.assert(403, json!({ "error": "monitor_limit_reached", "limit": 1, "current": 1 }));
        let paused = shop.created(json!({ "promptText": "Second?", "active": 0 })).await;
        shop.create(json!({ "promptText": "Third?", "active": 0 })).await.assert(200, json!({ "queued": 0 }));
        let fourth = shop.create(json!({ "promptText": "Fourth?", "active": 0 })).await;
        fourth.assert(403, json!({ "error": "prompt_limit_reached", "limit": 3, "current": 3 }));
        shop.update(&paused, json!({ "active": 1 })).await.assert_error(403, "monitor_limit_reached");
        shop.update(&paused, three).await.assert_error(400, "provider_limit_reached");
        shop.update(&paused, json!({ "tags": "x" })).await.assert_status(204);

        let db = &shop.app.state.mentions.db;
        let used = count_prompts(db, &shop.account.id, Holdings::default()).await.unwrap();
        assert_eq!((used.prompts, used.monitors), (3, 1));
    })
    .await;
}

#[tokio::test]
async fn an_assistant_without_a_key_is_no_default_and_cannot_be_named() {
    let settings = "[providers.gemini]\napi_key = \"g\"\n";
    TestApp::on_each_engine_with(settings, async |app| {
        let account = app.account("owner@shop.example", Plan::Enterprise).await;
        app.domain(&account, "lumadocs.io").await;
        let post = async |body: Value| app.post(PROMPTS).key(&account.key).json(create_body(body)).await;

        post(json!({ "providers": ["gemini", "chatgpt"] })).await.assert_error(400, "provider_unavailable");
        post(json!({})).await.assert(200, json!({ "queued": 1 }));
        let listed = app.get(&format!("{PROMPTS}?domain=lumadocs.io")).key(&account.key).await.json();
        assert_eq!(listed[0]["aiProviders"], json!(["gemini"]));
    })
    .await;
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Enterprise).await;
    app.domain(&account, "lumadocs.io").await;
    let none = app.post(PROMPTS).key(&account.key).json(create_body(json!({}))).await;
    none.assert_error(400, "provider_unavailable");
}

#[tokio::test]
async fn a_change_asks_what_it_makes_new_and_takes_back_what_it_ends() {
    Monitored::on_each_engine(async |shop| {
        let id = shop.created(json!({ "providers": ["chatgpt", "gemini"] })).await;
        let minute = || shop.app.clock.advance(std::time::Duration::from_secs(60));

        minute();
        shop.update(&id, json!({ "tags": "x", "intent": "info" })).await.assert_status(204);
        assert_eq!(shop.queued().await, ["chatgpt create", "gemini create"]);
        minute();
        shop.update(&id, json!({ "providers": ["gemini", "claude"] })).await.assert_status(204);
        assert_eq!(shop.queued().await, ["claude create", "gemini create"]);
        minute();
        shop.update(&id, json!({ "promptText": "Another question?" })).await.assert_status(204);
        assert_eq!(shop.queued().await, ["claude changed", "gemini changed"]);
        minute();
        shop.update(&id, json!({ "active": 0 })).await.assert_status(204);
        assert_eq!(shop.queued().await, Vec::<String>::new());
        minute();
        shop.update(&id, json!({ "personaLocation": { "country": "FR" } })).await.assert_status(204);
        assert_eq!(shop.queued().await, Vec::<String>::new());
        shop.update(&id, json!({ "active": 1, "personaLocation": null })).await.assert_status(204);
        assert_eq!(shop.queued().await, ["claude changed", "gemini changed"]);
        assert_eq!(shop.list().await[0]["personaLocation"], "{}");
    })
    .await;
}

#[tokio::test]
async fn a_prompt_that_changes_is_asked_four_times_a_day_and_provider() {
    Monitored::on_each_engine(async |shop| {
        let id = shop.created(json!({ "providers": ["chatgpt", "gemini"] })).await;
        let asked = async |day: i64| {
            let runs = shop.runs().await;
            let of = |provider: &str| runs.iter().filter(|run| run.provider == provider).count();
            (day, of("chatgpt"), of("gemini"))
        };
        let change = async |number: usize| {
            shop.run_jobs().await;
            shop.app.clock.advance(std::time::Duration::from_secs(60));
            let text = format!("Question number {number}?");
            shop.update(&id, json!({ "promptText": text })).await.assert_status(204);
        };

        for number in 0..9 {
            change(number).await;
        }
        shop.run_jobs().await;
        let first_day = asked(1).await;
        // To and fro is a change as well.
        for providers in [json!(["gemini"]), json!(["chatgpt", "gemini"])] {
            shop.app.clock.advance(std::time::Duration::from_secs(60));
            shop.update(&id, json!({ "providers": providers })).await.assert_status(204);
            shop.run_jobs().await;
        }
        let to_and_fro = asked(1).await;
        let due = shop.number("select count(*) from mention_targets where next_due is not null").await;
        shop.app.clock.advance(std::time::Duration::from_secs(24 * 3600));
        change(100).await;
        shop.run_jobs().await;

        assert_eq!((first_day, to_and_fro, due), ((1, 4, 4), (1, 4, 4), 2));
        assert_eq!(asked(2).await, (2, 5, 5));
        assert_eq!(shop.list().await[0]["promptText"], "Question number 100?");
    })
    .await;
}

#[tokio::test]
async fn a_prompt_of_a_domain_whose_lock_shows_is_not_asked() {
    Monitored::on_each_engine(async |shop| {
        let id = shop.created(json!({ "providers": ["chatgpt"], "active": 0 })).await;
        // Another process sets the lock; this one follows within two seconds.
        shop.execute("update domains set suspended = true").await;

        let run = shop.post(&format!("{PROMPTS}/{id}/run"), json!({})).await;
        let created = shop.create(json!({ "promptText": "Another?" })).await;
        let changed = shop.update(&id, json!({ "active": 1 })).await;
        let imported = shop.post(IMPORT, json!({ "domain": "lumadocs.io", "prompts": [] })).await;

        for refused in [run, created, changed, imported] {
            refused.assert_error(403, "domain_suspended");
        }
    })
    .await;
}

#[tokio::test]
async fn at_activation_those_are_asked_that_were_not_asked_today() {
    Monitored::on_each_engine(async |shop| {
        let id = shop.created(json!({ "providers": ["chatgpt", "gemini"] })).await;
        shop.run_jobs().await;
        shop.update(&id, json!({ "active": 0, "providers": ["chatgpt", "claude"] })).await.assert_status(204);

        shop.update(&id, json!({ "active": 1 })).await.assert_status(204);

        assert_eq!(shop.queued().await, ["claude activated"]);
        let due = shop.number("select count(*) from mention_targets where next_due is not null").await;
        assert_eq!(due, 2);
    })
    .await;
}

#[tokio::test]
async fn a_deleted_prompt_takes_its_queue_and_its_sums_along_and_leaves_its_runs() {
    Monitored::on_each_engine(async |shop| {
        let kept = shop.created(json!({ "providers": ["chatgpt"] })).await;
        let id =
            shop.created(json!({ "promptText": "Which one is for me?", "providers": ["chatgpt"] })).await;
        shop.run_jobs().await;
        shop.settled().await;
        let all = shop.number("select sum(responses) from mention_domain_sums").await;
        shop.app.clock.advance(std::time::Duration::from_secs(60));
        shop.post(&format!("{PROMPTS}/{id}/run"), json!({})).await.assert(200, json!({ "queued": 1 }));

        let delete = json!({ "action": "delete", "domain": "lumadocs.io", "id": id });
        shop.post(PROMPTS, delete.clone()).await.assert_status(204);
        shop.post(PROMPTS, delete).await.assert_status(204);

        assert_eq!(shop.list().await[0]["id"], kept.as_str());
        assert_eq!((all, shop.runs().await.len()), (2, 2));
        assert_eq!(shop.number("select sum(responses) from mention_domain_sums").await, 1);
        assert_eq!(shop.number("select sum(responses) from mention_sums").await, 1);
        assert_eq!(shop.number("select count(*) from mention_targets").await, 1);
        let runs = shop.get(&format!("/api/ai-mentions/runs?domain=lumadocs.io&promptId={id}")).await;
        runs.assert(200, json!({ "summary": { "total": 1, "byStatus": { "ok": 1 } } }));
    })
    .await;
}

#[tokio::test]
async fn asking_now_queues_each_assistant_once() {
    Monitored::on_each_engine(async |shop| {
        let id = shop.created(json!({ "providers": ["chatgpt", "gemini"] })).await;
        let path = format!("{PROMPTS}/{id}/run");
        shop.post(&path, json!({})).await.assert(200, json!({ "queued": 0 }));
        shop.run_jobs().await;
        shop.app.clock.advance(std::time::Duration::from_secs(60));

        shop.app.post(&path).key(&shop.account.key).await.assert(200, json!({ "queued": 2 }));
        shop.run_jobs().await;
        shop.app.clock.advance(std::time::Duration::from_secs(60));
        let more = json!({ "providers": ["gemini"], "samples": 3 });
        shop.post(&path, more).await.assert(200, json!({ "queued": 3 }));

        assert_eq!(shop.queued().await, ["gemini manual"; 3]);
    })
    .await;
}

#[tokio::test]
async fn asking_now_is_refused_in_its_order() {
    let money = "[mentions]\nbudget_usd_per_account = 0\n";
    Monitored::on_each_engine_with(money, async |shop| {
        let app = &shop.app;
        let id = shop.created(json!({ "providers": ["chatgpt"], "active": 0 })).await;
        let path = format!("{PROMPTS}/{id}/run");
        let stranger = app.account("stranger@else.example", Plan::Enterprise).await;
        let scoped = app.key(&shop.account.id, Some("other.example")).await;

        for body in [json!({ "samples": 0 }), json!({ "samples": 6 }), json!({ "providers": [] }), json!([])]
        {
            shop.post(&path, body).await.assert_error(400, "invalid_request");
        }
        let other = json!({ "providers": ["gemini"] });
        shop.post(&path, other).await.assert_error(400, "invalid_request");
        app.post(&path).key(&stranger.key).await.assert_error(404, "not_found");
        shop.post(&format!("{PROMPTS}/none/run"), json!({})).await.assert_error(404, "not_found");
        app.post(&path).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        shop.post(&path, json!({})).await.assert_error(409, "prompt_paused");
        shop.update(&id, json!({ "active": 1 })).await.assert_status(204);
        shop.execute("delete from mention_runs").await;
        let refused = shop.post(&path, json!({})).await;
        refused.assert(403, json!({ "error": "budget_spent", "resumesAt": "2026-12-01T00:00:00.000Z" }));
    })
    .await;
}

#[tokio::test]
async fn a_list_is_imported_in_its_order_and_may_be_sent_again() {
    let limits = "[plans.enterprise]\nprompts = 3\n";
    Monitored::on_each_engine_with(limits, async |shop| {
        let entry = |text: &str| json!({ "promptText": text, "intent": "info", "providers": ["chatgpt"] });
        let list = json!([
            entry("One?"), entry(" One? "), { "promptText": "No intent?" }, entry("Two?"),
            { "promptText": "Three?", "intent": "info", "active": 0 }, entry("Four?"), 7,
        ]);
        let body = json!({ "domain": "lumadocs.io", "prompts": list });

        let first = shop.post(IMPORT, body.clone()).await;
        let again = shop.post(IMPORT, body).await;

        first.assert(
            200,
            json!({ "created": 3, "queued": 2, "skipped": 1, "refused": [
                { "index": 2, "error": "invalid_request" }, { "index": 5, "error": "prompt_limit_reached" },
                { "index": 6, "error": "invalid_request" },
            ] }),
        );
        again.assert(200, json!({ "created": 0, "queued": 0, "skipped": 4 }));
        let texts: Vec<Value> = shop.list().await.iter().map(|prompt| prompt["promptText"].clone()).collect();
        assert_eq!(texts, ["One?", "Two?", "Three?"]);
        let many = json!({ "domain": "lumadocs.io", "prompts": vec![entry("x"); 1001] });
        shop.post(IMPORT, many).await.assert_error(400, "invalid_request");
        let foreign = json!({ "domain": "nobodys.example", "prompts": [] });
        shop.post(IMPORT, foreign).await.assert_error(403, "domain_not_owned");
    })
    .await;
}

#[tokio::test]
async fn an_inactive_account_reads_and_changes_nothing() {
    Monitored::on_each_engine(async |shop| {
        let id = shop.created(json!({})).await;
        let session = shop.app.sign_in(&shop.account).await;
        shop.app.deactivate(&shop.account).await;
        shop.app.clock.advance(std::time::Duration::from_secs(3));

        // 402 comes before what was sent.
        shop.post(PROMPTS, json!({})).await.assert_error(402, "subscription_required");
        shop.post(IMPORT, json!({})).await.assert_error(402, "subscription_required");
        shop.post(&format!("{PROMPTS}/{id}/run"), json!({})).await.assert_error(402, "subscription_required");
        for (method, part) in [(Method::PUT, "brand"), (Method::PATCH, "monitoring")] {
            let path = format!("/api/domains/lumadocs.io/{part}");
            let reply = shop.app.request(method, &path).session(&session).json(json!({})).await;
            reply.assert_error(402, "subscription_required");
            shop.get(&path).await.assert_status(200);
        }
        assert_eq!(shop.list().await.len(), 1);
        shop.get("/api/ai-mentions/runs?domain=lumadocs.io").await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_removed_domain_leaves_nothing_but_the_ledger() {
    Monitored::on_each_engine(async |shop| {
        shop.created(json!({ "providers": ["chatgpt", "perplexity"] })).await;
        let body = json!({ "name": "LumaDocs", "competitors": [{ "name": "Notchly" }] });
        let path = "/api/domains/lumadocs.io/brand";
        shop.app.request(Method::PUT, path).key(&shop.account.key).json(body).await.assert_status(200);
        shop.run_jobs().await;
        shop.settled().await;
        let paid = shop.number("select count(*) from mention_ledger").await;

        shop.app.state.mentions.forget_domain(&shop.domain.id).await.unwrap();

        for sql in [
            "select count(*) from mention_domains",
            "select count(*) from mention_competitors",
            "select count(*) from mention_prompts",
            "select count(*) from mention_questions",
            "select count(*) from mention_targets",
            "select count(*) from mention_runs",
            "select count(*) from mention_responses",
            "select count(*) from mention_sums",
            "select count(*) from mention_domain_sums",
            "select count(*) from mention_competitor_sums",
            "select count(*) from mention_source_sums",
            "select count(*) from mention_pages",
            "select count(*) from mention_query_sums",
            "select count(*) from mention_queries",
            "select count(*) from mention_models",
        ] {
            assert_eq!(shop.number(sql).await, 0, "{sql}");
        }
        assert!(paid >= 2);
        assert_eq!(shop.number("select count(*) from mention_ledger").await, paid);
    })
    .await;
}

#[tokio::test]
async fn a_key_may_ask_600_times_a_minute() {
    let app = TestApp::with("[providers.gemini]\napi_key = \"g\"\n").await;
    let account = app.account("owner@shop.example", Plan::Enterprise).await;
    app.domain(&account, "lumadocs.io").await;
    let ask = async || app.get(&format!("{PROMPTS}?domain=lumadocs.io")).key(&account.key).await;

    for _ in 0..600 {
        ask().await.assert_status(200);
    }

    let over = ask().await;
    over.assert_error(429, "rate_limited");
    assert!(!over.header("retry-after").is_empty() && !over.header("ratelimit").is_empty());
}

#[tokio::test]
async fn after_a_downgrade_the_oldest_active_prompts_are_asked_and_no_others() {
    Monitored::on_each_engine_with("[plans.agency]\nmonitors = 1\n", async |shop| {
        let first = shop.created(json!({ "providers": ["chatgpt"] })).await;
        shop.app.clock.advance(std::time::Duration::from_secs(60));
        let second = shop.created(json!({ "promptText": "Second?", "providers": ["chatgpt"] })).await;
        shop.execute("delete from mention_runs").await;
        shop.app.state.accounts.set_plan(&shop.account.email, Plan::Agency).await.unwrap();
        let key = shop.app.key(&shop.account.id, None).await;
        let run = async |id: &str| shop.app.post(&format!("{PROMPTS}/{id}/run")).key(&key).await;

        run(&second).await.assert(200, json!({ "queued": 0 }));
        run(&first).await.assert(200, json!({ "queued": 1 }));
    })
    .await;
}
