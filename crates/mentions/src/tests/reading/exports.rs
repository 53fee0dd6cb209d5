//! Exports.

use super::*;

async fn with_runs(app: &TestApp, count: usize) -> Monitored {
    let mut monitored = Monitored::begin(app, "a@x.example", OWN_DOMAIN).await;
    let prompt = monitored
        .prompt(app, "=HYPERLINK(\"http://evil.example\")", |prompt| prompt.tags = vec!["docs".to_owned()])
        .await;
    for at in 0..count {
        let mut given =
            Given::on(today() - 1, Provider::Chatgpt, &[OWN, "Notchly"], &["g2.com/a", "lumadocs.io"]);
        given.text = "@SUM(1)\r\nquoted \"text\"";
        given.queries = vec![format!("-search {at}")];
        monitored.answer(app, &prompt, &given).await;
    }
    monitored
}

fn lines(reply: &Reply) -> Vec<Value> {
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn everything_is_exported_in_both_formats() {
    TestApp::on_each_engine(async |app| {
        // More runs than one part has.
        let monitored = with_runs(&app, 53).await;

        for (what, count) in
            [("prompts", 1), ("runs", 53), ("citations", 106), ("stats", 1), ("sources", 2), ("queries", 53)]
        {
            let csv = monitored.get(&app, "export", &format!("what={what}")).await;
            let ndjson = monitored.get(&app, "export", &format!("what={what}&format=ndjson")).await;

            csv.assert_status(200);
            assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
            let file = format!("attachment; filename=\"lumadocs.io-{what}.csv\"");
            assert_eq!(csv.header("content-disposition"), file);
            assert_eq!(ndjson.header("content-type"), "application/x-ndjson");
            let lines = lines(&ndjson);
            assert_eq!(lines.len(), count, "{what}");
            // Every line has what the columns name.
            let head = csv.text().lines().next().unwrap().to_owned();
            for column in head.split(',') {
                assert!(lines[0].get(column).is_some(), "{what}: {column} in {}", lines[0]);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn no_cell_is_computed_by_a_spreadsheet() {
    TestApp::on_each_engine(async |app| {
        let monitored = with_runs(&app, 2).await;

        for what in ["prompts", "runs", "citations", "stats", "queries"] {
            let csv = monitored.get(&app, "export", &format!("what={what}&format=csv")).await.text();

            // A number may be negative: it is not text.
            for start in ["=", "+", "-s", "@"] {
                assert!(!csv.contains(&format!("\"{start}")), "{what}: {csv}");
            }
            assert!(csv.contains("\"'"), "{what}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_exported_prompt_is_a_body_that_creates_it() {
    TestApp::on_each_engine(async |app| {
        let monitored = with_runs(&app, 0).await;

        let reply = monitored.get(&app, "export", "what=prompts&format=ndjson").await;

        assert_eq!(
            lines(&reply),
            [json!({
                "promptText": "=HYPERLINK(\"http://evil.example\")", "intent": "comm",
                "providers": ["chatgpt", "perplexity"], "monitorInterval": "dynamic", "tags": "docs", "active": 1,
                "personaLocation": "{}",
            })]
        );
        let csv = monitored.get(&app, "export", "what=prompts").await.text();
        assert!(csv.contains("\"chatgpt,perplexity\",\"dynamic\",\"docs\",\"1\",\"{}\""), "{csv}");
    })
    .await;
}

#[tokio::test]
async fn an_export_keeps_to_days_and_filters() {
    TestApp::on_each_engine(async |app| {
        let monitored = with_runs(&app, 2).await;
        let count = async |query: &str| {
            lines(&monitored.get(&app, "export", &format!("what=runs&format=ndjson&{query}")).await).len()
        };

        assert_eq!(count("").await, 2);
        assert_eq!(count("to=2026-11-18").await, 0);
        assert_eq!(count("from=2026-11-19&to=2026-11-19").await, 2);
        assert_eq!(count("from=2026-11-20").await, 0);
        assert_eq!(count("provider=gemini").await, 0);
        assert_eq!(count("tag=docs&intent=comm&branded=false").await, 2);
        assert_eq!(count("tag=other").await, 0);
    })
    .await;
}
