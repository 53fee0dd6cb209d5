//! Faults below runs: a database that goes away while an assistant answers.

use std::time::Duration;

use assistants::providers::Provider;
use fakeai::{FakeOptions, FakeVendors, Scenario, Vendor};
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
