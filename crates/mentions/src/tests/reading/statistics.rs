//! Statistics and trend.

use std::str::FromStr;

use super::*;
use analytics::model::parse_day;

/// Returns the texts of a JSON list, as constants of the tests.
fn texts(value: &Value) -> Vec<&'static str> {
    let list = value.as_array().unwrap().iter();
    list.map(|text| &*text.as_str().unwrap().to_owned().leak()).collect()
}

/// Returns the golden runs, with the id of their prompt.
fn golden_runs(golden: &Value) -> Vec<(String, Given)> {
    let given = |run: &Value| {
        let provider = Provider::from_str(run["provider"].as_str().unwrap()).unwrap();
        let day = parse_day(run["dateUtc"].as_str().unwrap()).unwrap();
        let mut given = Given::on(day, provider, &texts(&run["brands"]), &texts(&run["citedDomains"]));
        given.sentiment = run["sentiment"].as_f64().unwrap_or(0.0);
        given.is_absent = run["absentOverview"].as_bool().unwrap();
        (run["promptId"].as_str().unwrap().to_owned(), given)
    };
    golden["runs"].as_array().unwrap().iter().map(given).collect()
}

fn golden() -> Value {
    serde_json::from_str(include_str!("../../../../assistants/tests/it/data/golden.json")).unwrap()
}

async fn golden_domain(app: &TestApp, email: &str, host: &str) -> (Monitored, Prompt, Prompt) {
    let mut monitored = Monitored::begin(app, email, host).await;
    let change = |prompt: &mut Prompt| prompt.tags = vec!["docs".to_owned(), "startup".to_owned()];
    let a = monitored.prompt(app, "What is the best docs tool?", change).await;
    let b = monitored
        .prompt(app, "Is LumaDocs good?", |prompt| {
            prompt.intent = PromptIntent::Info;
            prompt.is_branded = true;
            prompt.is_active = false;
        })
        .await;
    for (prompt, given) in golden_runs(&golden()) {
        let prompt = if prompt == "A" { &a } else { &b };
        monitored.answer(app, prompt, &given).await;
    }
    (monitored, a, b)
}

/// Returns the statistics of a prompt as the golden file has them.
fn expected_prompt(numbers: &Value) -> Value {
    let mut expected = numbers.clone();
    let fields = expected.as_object_mut().unwrap();
    for unknown in ["wilson", "totalCitations", "competitorResponses", "den", "shareOfVoice", "parts"] {
        fields.remove(unknown);
    }
    fields.insert("visibilityLow".to_owned(), numbers["wilson"][0].clone());
    fields.insert("visibilityHigh".to_owned(), numbers["wilson"][1].clone());
    expected
}

#[tokio::test]
async fn every_golden_number_comes_out_over_http() {
    TestApp::on_each_engine(async |app| {
        let (monitored, a, b) = golden_domain(&app, "a@x.example", OWN_DOMAIN).await;

        let reply = monitored.get(&app, "prompt-stats", "").await;

        let expected = &golden()["expected"];
        let range = json!({ "from": "2026-10-21", "to": "2026-11-20" });
        reply.assert(200, json!({ "prompts": [expected_prompt(&expected["promptA"]), expected_prompt(&expected["promptB"])] }));
        reply.assert(
            200,
            json!({
                "prompts": [
                    { "promptId": a.id, "promptText": "What is the best docs tool?", "intent": "comm",
                      "aiProviders": ["chatgpt", "perplexity"], "tags": "docs,startup", "active": 1, "branded": false,
                      "lastRunAt": "2026-11-17T00:00:00.006Z", "range": range },
                    { "promptId": b.id, "intent": "info", "tags": "", "active": 0, "branded": true, "range": range },
                ],
                "summary": {
                    "totalResponses": 9, "totalMentions": 6, "visibilityRate": 66.7, "visibilityLow": 35.4,
                    "visibilityHigh": 87.9, "avgPosition": 1.5, "avgSentiment": 0.37, "citationRate": 44.4,
                    "totalCitations": 19, "shareOfVoice": 37.5, "absentOverviews": 1, "range": range,
                    "topCompetitor": { "name": "Notchly", "mentions": 5, "siteUrl": "https://notchly.com" },
                },
            }),
        );
    })
    .await;
}

#[tokio::test]
async fn filters_narrow_prompts_and_summary_together() {
    TestApp::on_each_engine(async |app| {
        let (monitored, a, b) = golden_domain(&app, "a@x.example", OWN_DOMAIN).await;
        let ids = async |query: &str| {
            let body = monitored.get(&app, "prompt-stats", query).await.json();
            let ids: Vec<String> = body["prompts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|prompt| prompt["promptId"].as_str().unwrap().to_owned())
                .collect();
            (ids, body["summary"]["totalResponses"].as_u64().unwrap())
        };
        let (a, b) = (a.id.to_string(), b.id.to_string());

        assert_eq!(ids("tag=startup").await, (vec![a.clone()], 6));
        assert_eq!(ids("tag=start").await, (vec![], 0));
        assert_eq!(ids("intent=info").await, (vec![b.clone()], 3));
        assert_eq!(ids("branded=false").await, (vec![a.clone()], 6));
        assert_eq!(ids("branded=true&provider=gemini").await, (vec![b.clone()], 1));
        assert_eq!(ids("provider=claude").await, (vec![a.clone(), b.clone()], 0));
        assert_eq!(ids("from=2026-11-14&to=2026-11-14").await, (vec![a, b], 2));
    })
    .await;
}

#[tokio::test]
async fn a_prompt_without_answers_has_zeros_and_no_difficulty() {
    TestApp::on_each_engine(async |app| {
        let monitored = Monitored::begin(&app, "a@x.example", OWN_DOMAIN).await;
        monitored.prompt(&app, "best docs tool", |_| {}).await;

        let reply = monitored.get(&app, "prompt-stats", "").await;

        reply.assert(
            200,
            json!({
                "prompts": [{
                    "lastRunAt": null, "responses": 0, "mentions": 0, "visibilityPercent": 0.0, "visibilityLow": null,
                    "avgSentiment": 0.0, "avgPosition": 0.0, "citationRate": 0.0, "topCompetitorSharePct": 0.0,
                    "difficulty": -1, "topCompetitors": [],
                }],
                "summary": {
                    "totalResponses": 0, "visibilityRate": 0.0, "totalCitations": 0, "shareOfVoice": 0.0,
                    "topCompetitor": { "name": "", "mentions": 0, "siteUrl": "" },
                },
            }),
        );
    })
    .await;
}

#[tokio::test]
async fn a_difficulty_compares_only_answers_within_the_window() {
    TestApp::on_each_engine(async |app| {
        let mut monitored = Monitored::begin(&app, "a@x.example", OWN_DOMAIN).await;
        let (long, short) =
            (monitored.prompt(&app, "long", |_| {}).await, monitored.prompt(&app, "short", |_| {}).await);
        let on = |day, rival| Given::on(today() - day, Provider::Chatgpt, &[rival], &[]);
        monitored.answer(&app, &long, &on(9, "PaperTrail")).await;
        for prompt in [&long, &short] {
            for day in [6, 3, 1] {
                monitored.answer(&app, prompt, &on(day, "Notchly")).await;
            }
        }

        let body = monitored.get(&app, "prompt-stats", "from=2026-11-13").await.json();
        let whole = monitored.get(&app, "prompt-stats", "").await.json();

        assert_eq!(body["prompts"][0]["difficulty"], body["prompts"][1]["difficulty"]);
        assert_ne!(whole["prompts"][0]["difficulty"], whole["prompts"][1]["difficulty"]);
    })
    .await;
}

#[tokio::test]
async fn the_order_of_runs_changes_nothing() {
    TestApp::on_each_engine(async |app| {
        let mut bodies = Vec::new();
        for (at, is_reversed) in [(0, false), (1, true)] {
            let host = format!("shop{at}.example");
            let mut monitored = Monitored::begin(&app, &format!("{at}@x.example"), &host).await;
            let prompt = monitored.prompt(&app, "best docs tool", |_| {}).await;
            // One answer of each provider: what follows what is no matter of order.
            let mut runs: Vec<Given> = Provider::ALL
                .into_iter()
                .zip([["Notchly", OWN], [OWN, "Quillbase"], ["PaperTrail", "Notchly"], ["Quillbase", OWN]])
                .map(|(provider, brands)| {
                    Given::on(today() - 1, provider, &brands, &["g2.com/a", "lumadocs.io"])
                })
                .collect();
            if is_reversed {
                runs.reverse();
            }
            for given in &runs {
                monitored.answer(&app, &prompt, given).await;
            }
            let trend = monitored.get(&app, "trend", "").await.json();
            let body = monitored.get(&app, "prompt-stats", "").await.json();
            bodies.push((body["summary"].clone(), body["prompts"][0]["topCompetitors"].clone(), trend));
        }

        assert_eq!(bodies[0], bodies[1]);
    })
    .await;
}

#[tokio::test]
async fn the_trend_has_every_day_and_null_for_what_is_unknown() {
    TestApp::on_each_engine(async |app| {
        let (monitored, ..) = golden_domain(&app, "a@x.example", OWN_DOMAIN).await;

        let reply = monitored.get(&app, "trend", "from=2026-11-13&to=2026-11-17").await;

        let nothing = json!({
            "date": "2026-11-13", "responses": 0, "mentions": 0, "visibilityPercent": null, "ci": null, "ma7": null,
            "shareOfVoice": null, "avgPosition": null, "avgSentiment": null, "citationRate": null, "byProvider": {},
        });
        reply.assert(
            200,
            json!({
                "range": { "from": "2026-11-13", "to": "2026-11-17" },
                "trend": [
                    nothing,
                    { "date": "2026-11-14", "responses": 2, "mentions": 2, "visibilityPercent": 100.0, "ma7": 100.0,
                      "shareOfVoice": 40.0, "avgPosition": 1.5, "avgSentiment": 0.51, "citationRate": 50.0,
                      "ci": [34.2, 100.0], "byProvider": {
                          "chatgpt": { "responses": 1, "mentions": 1, "visibilityPercent": 100.0 },
                          "perplexity": { "responses": 1, "mentions": 1, "visibilityPercent": 100.0 } } },
                    { "date": "2026-11-15", "responses": 3, "mentions": 1, "visibilityPercent": 33.3, "ma7": 60.0,
                      "shareOfVoice": 25.0 },
                    { "date": "2026-11-16", "responses": 3, "mentions": 3, "shareOfVoice": 42.9, "avgSentiment": 0.13 },
                    { "date": "2026-11-17", "responses": 1, "mentions": 0, "visibilityPercent": 0.0, "ma7": 66.7,
                      "shareOfVoice": null, "avgPosition": null, "avgSentiment": null, "citationRate": 0.0 },
                ],
            }),
        );
        let before = monitored.get(&app, "trend", "from=2026-11-18&to=2026-11-18").await.json();
        assert_eq!(before["trend"][0]["ma7"], 66.7);
        let of_tag = monitored.get(&app, "trend", "from=2026-11-14&to=2026-11-14&tag=docs").await.json();
        assert_eq!(of_tag["trend"][0]["responses"], 2);
        let usual = monitored.get(&app, "trend", "").await.json();
        assert_eq!(usual["trend"].as_array().unwrap().len(), 31);
    })
    .await;
}
