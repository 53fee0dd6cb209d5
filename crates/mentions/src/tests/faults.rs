//! Faults below runs: a database that goes away or is full while an assistant answers, and a process that is frozen meanwhile.

use std::time::Duration;

use assistants::providers::Provider;
use fakeai::{FakeOptions, FakeVendors, Scenario, Vendor};
use rustix::process::Signal;
use store::testing::PostgresServer;
use store::{Db, DbConfig, on_engine};
use tokio_util::sync::CancellationToken;

use super::fixture::{Monitored, QUESTION, settings};
use crate::testing::*;
use platform::MIGRATIONS;
use platform::jobs::WorkerSettings;

/// Environment variable that tells a child of these tests its database and its settings.
const DATABASE: &str = "GLASSHOUSE_FROZEN_DATABASE";
const SETTINGS: &str = "GLASSHOUSE_FROZEN_SETTINGS";
const CHILD: &str = "tests::faults::a_child_asks_for_the_other_tests_until_it_is_killed";

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

/// Leases that are short enough for a test to wait for their end.
fn short_leases() -> WorkerSettings {
    WorkerSettings {
        lease: Duration::from_secs(3),
        beat_every: Duration::from_millis(500),
        ..WorkerSettings::default()
    }
}

#[tokio::test]
async fn a_child_asks_for_the_other_tests_until_it_is_killed() {
    #[expect(clippy::disallowed_methods, reason = "a test speaks to its own child")]
    let (Ok(url), Ok(settings)) = (std::env::var(DATABASE), std::env::var(SETTINGS)) else { return };
    let app = TestApp::on(Db::open(&DbConfig { url, max_connections: 4 }).await.unwrap(), &settings).await;

    Monitored::worker_with_settings(&app, short_leases()).run(CancellationToken::new()).await;
}

#[tokio::test]
async fn a_process_that_is_frozen_while_an_assistant_answers_writes_its_cost_and_no_second_answer() {
    let db = postgres().await;
    let fakes = FakeVendors::start(FakeOptions::default()).await.unwrap();
    let of_child = settings(&fakes, "");
    let monitored = Monitored::on((*db).clone(), fakes, "").await;
    monitored.fakes.set_scenario(slowly(1_500));
    monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
    let child = OtherProcess::start(CHILD, &[(DATABASE, db.url()), (SETTINGS, &of_child)]);
    until("no call", async || monitored.fakes.count(Vendor::Openai) == 1).await;

    child.signal(Signal::STOP);
    monitored.fakes.set_scenarios(Vec::new());
    let (worker, stop) = (monitored.worker_with(short_leases()), CancellationToken::new());
    let wake = async {
        // The lease of the frozen process has ended by then, or nobody else could have taken the run over.
        until("no answer", async || Monitored::statuses(&monitored.runs().await) == ["ok"]).await;
        let answered = monitored.runs().await;
        child.signal(Signal::CONT);
        until("no cost", async || {
            monitored.number("select count(*) from mention_ledger where state = 'open'").await == 0
        })
        .await;
        stop.cancel();
        answered
    };
    let ((), answered) = tokio::join!(worker.run(stop.clone()), wake);

    let (run, calls) = (monitored.runs().await.remove(0), monitored.calls().await);
    assert_eq!((calls.len(), monitored.fakes.count(Vendor::Openai)), (2, 2), "{calls:?}");
    assert!(calls.iter().all(|call| call.settled_nanos > 0), "{calls:?}");
    assert_eq!((&run.answer, run.mention_position), (&answered[0].answer, answered[0].mention_position));
    assert_eq!(monitored.number("select coalesce(sum(responses), 0) from mention_sums").await, 1);
}

#[tokio::test]
async fn a_disk_that_is_full_while_an_assistant_answers_loses_no_call_and_no_run() {
    let db = sqlite().await;
    let fakes = FakeVendors::start(FakeOptions::default()).await.unwrap();
    let monitored = Monitored::on((*db).clone(), fakes, "").await;
    monitored.fakes.set_scenario(slowly(500));
    monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
    let (worker, stop) = (monitored.worker_with(short_leases()), CancellationToken::new());
    // Pages that a migration freed would take the answer.
    let filled = "create table filler as select zeroblob(page_size * freelist_count) as bytes \
         from pragma_page_size(), pragma_freelist_count()";
    let mut tx = db.write().await.unwrap();
    on_engine!(tx, |c| sqlx::query(filled).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
    // More pages than these do not fit. Holds for the one connection that writes.
    let limit = async |pages: i64| {
        if let Ok(mut tx) = db.write().await {
            let sql = sqlx::AssertSqlSafe(format!("pragma max_page_count = {pages}"));
            on_engine!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
            let _ = tx.commit().await;
        }
    };

    let faults = async {
        until("no call", async || monitored.fakes.count(Vendor::Openai) == 1).await;
        limit(1).await;
        // The answer comes meanwhile.
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(Monitored::statuses(&monitored.runs().await), ["running"]);
        limit(i64::from(u32::MAX) - 1).await;
        monitored.fakes.set_scenarios(Vec::new());
        until("no answer", async || {
            // A failed attempt is made again later.
            monitored.app.clock.advance(Duration::from_secs(1));
            Monitored::statuses(&monitored.runs().await) == ["ok"]
        })
        .await;
        stop.cancel();
    };
    tokio::join!(worker.run(stop.clone()), faults);

    monitored.settled().await;
    let calls = monitored.calls().await;
    assert_eq!(calls.len() as u64, monitored.fakes.count(Vendor::Openai), "each call is in the ledger, once");
    assert_eq!(monitored.number("select count(*) from jobs where kind = 'AskProvider'").await, 0);
}

#[tokio::test]
async fn a_database_that_is_away_while_an_assistant_answers_loses_no_call_and_no_run() {
    let mut server = PostgresServer::start().await;
    let db = Db::open(&DbConfig { url: server.url(), max_connections: 4 }).await.unwrap();
    db.migrate(&MIGRATIONS).await.unwrap();
    let fakes = FakeVendors::start(FakeOptions::default()).await.unwrap();
    let monitored = Monitored::on(db, fakes, "").await;
    monitored.fakes.set_scenario(slowly(1_000));
    monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
    let (worker, stop) = (monitored.worker_with(short_leases()), CancellationToken::new());

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
