//! Faults below runs: a database that goes away while an assistant answers, a disk that is full.

use std::time::Duration;

use assistants::providers::Provider;
use fakeai::{FakeOptions, FakeVendors, Fault, Scenario, Vendor};
use serde_json::json;
use store::testing::PostgresServer;
use store::{Db, DbConfig};
use tokio_util::sync::CancellationToken;

use super::fixture::{Monitored, QUESTION};
use crate::app::{MIGRATIONS_POSTGRES, MIGRATIONS_SQLITE};
use crate::jobs::WorkerSettings;

/// Waits until a condition holds.
async fn until(what: &str, condition: impl AsyncFn() -> bool) {
    let held = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), held).await.unwrap_or_else(|_| panic!("{what}"));
}

fn slowly(ms: u64) -> Scenario {
    Scenario { latency_ms: Some((ms, ms)), ..Scenario::default() }
}

#[tokio::test]
async fn a_database_that_is_away_while_an_assistant_answers_loses_no_call_and_no_run() {
    let mut server = PostgresServer::start().await;
    let db = Db::open(&DbConfig { url: server.url(), max_connections: 4 }).await.unwrap();
    db.migrate(&MIGRATIONS_SQLITE, &MIGRATIONS_POSTGRES).await.unwrap();
    let fakes = FakeVendors::start(FakeOptions::default()).await.unwrap();
    let monitored = Monitored::on(db, fakes, "").await;
    monitored.fakes.set_scenario(slowly(1_000));
    monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
    let lease = WorkerSettings {
        lease: Duration::from_secs(3),
        beat_every: Duration::from_millis(500),
        ..WorkerSettings::default()
    };
    let (worker, stop) = (monitored.worker_with(lease), CancellationToken::new());

    let faults = async {
        until("no call", async || monitored.fakes.count(Vendor::Openai) == 1).await;
        server.crash();
        // The answer comes meanwhile.
        tokio::time::sleep(Duration::from_millis(2_500)).await;
        server.start_again().await;
        monitored.fakes.set_scenarios(Vec::new());
        until("no answer", async || Monitored::statuses(&monitored.runs().await) == ["ok"]).await;
        stop.cancel();
    };
    tokio::join!(worker.run(stop.clone()), faults);

    monitored.settled().await;
    let (run, calls) = (monitored.runs().await.remove(0), monitored.calls().await);
    assert_eq!(calls.len() as u64, monitored.fakes.count(Vendor::Openai), "each call is in the ledger, once");
    assert_eq!(run.calls, calls.len() as i64);
    assert!(run.unanswered <= 2, "{run:?}");
    let settled: i64 = calls.iter().map(|call| call.settled_nanos).sum();
    assert_eq!(monitored.spent().await, (0, settled));
}

#[tokio::test]
async fn an_answer_that_finds_the_disk_full_is_asked_for_again_when_there_is_room() {
    let db = store::testing::sqlite().await;
    db.migrate(&MIGRATIONS_SQLITE, &MIGRATIONS_POSTGRES).await.unwrap();
    let fakes = FakeVendors::start(FakeOptions::default()).await.unwrap();
    let monitored = Monitored::on((*db).clone(), fakes, "").await;
    let text = "LumaDocs is a good tool for a small team. ".repeat(10_000);
    let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
    let body = json!({
        "id": "r", "object": "response", "status": "completed", "model": "gpt-6-luna",
        "output": [{ "type": "message", "role": "assistant", "status": "completed", "content": content }],
        "usage": { "input_tokens": 10, "output_tokens": 10, "total_tokens": 20 },
    });
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    let long = Fault::Verbatim { status: 200, headers, body: body.to_string() };
    monitored.fakes.set_scenario(Scenario { fault: Some(long), ..Scenario::default() });
    monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
    let pages = monitored.number("select page_count + 20 from pragma_page_count").await;
    monitored.limit_pages(pages).await;

    monitored.run_jobs().await;
    let full = monitored.runs().await.remove(0);
    monitored.limit_pages(1 << 30).await;
    for _ in 0..4 {
        monitored.app.clock.advance(Duration::from_secs(601));
        monitored.run_jobs().await;
    }

    monitored.settled().await;
    assert_ne!(full.status, "ok", "there was no room for the answer");
    let (run, calls) = (monitored.runs().await.remove(0), monitored.calls().await);
    assert_eq!(run.status, "ok", "{} {}", run.error_code, run.error_detail);
    assert_eq!(run.answer.len(), text.trim_end().len());
    assert_eq!(calls.len() as u64, monitored.fakes.count(Vendor::Openai), "each call is in the ledger, once");
}
