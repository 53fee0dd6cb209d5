//! Cost of the queue's statements with many jobs, counted by the databases themselves, so that a missing index shows
//! on any machine.

use std::time::Duration;

use store::testing::rows_looked_at;
use store::{Conn, Db, DbError, Tx, on_engine};

use super::*;
use crate::clock::Timestamp;
use crate::testing::for_each_engine;

const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_000);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Lanes of the twenty thousand ready jobs before everything else.
const CLOSED_LANES: i64 = 20;
/// Maximum number of rows that a statement with an index may read; the closed lanes alone are several times that.
const FEW: u64 = 6_000;

/// A queue with many jobs in every state.
const JOBS: &[&str] = &[
    "with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
        insert into jobs (id, kind, account_id, lane, priority, turn, state, payload, attempts, max_attempts, run_at,
            again, created_at)
        select 'ready' || i, 'Page', 'a', 'closed' || (i % 20), 3, i, 'waiting', '{}', 0, 3, 0, false,
            1795176000000 from n",
    "with recursive n (i) as (select 1 union all select i + 1 from n where i < 8000)
        insert into jobs (id, kind, account_id, lane, priority, turn, state, payload, attempts, max_attempts, run_at,
            again, created_at)
        select 'later' || i, 'Page', 'a', 'closed' || (i % 20), 3, i, 'waiting', '{}', 0, 3, 1795176000000 + i * 1000,
            false, 1795176000000 from n",
    "with recursive n (i) as (select 1 union all select i + 1 from n where i < 8000)
        insert into jobs (id, kind, account_id, priority, turn, state, payload, attempts, max_attempts, run_at, again,
            created_at, ended_at)
        select 'dead' || i, 'Page', 'a' || (i % 100), 3, i, 'dead', '{}', 3, 3, 0, false, 1795176000000, 1795176000000 + i
        from n",
    "with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)
        insert into jobs (id, kind, account_id, lane, priority, turn, state, payload, attempts, max_attempts, run_at,
            again, created_at, worker_id, started_at)
        select 'running' || i, 'Page', 'a', 'closed' || (i % 20), 3, i, 'running', '{}', 1, 3, 0, false,
            1795176000000, 'w' || (i % 4), 1795176000000 from n",
    "insert into jobs (id, kind, account_id, lane, priority, turn, state, payload, attempts, max_attempts, run_at, again,
            created_at)
        values ('open', 'Page', 'b', 'open', 3, 30000, 'waiting', '{}', 0, 3, 0, false, 1795176000000),
            ('other kind', 'Other', 'b', 'open', 3, 30001, 'waiting', '{}', 0, 3, 0, false, 1795176000000),
            ('no lane', 'Page', 'b', null, 3, 30002, 'waiting', '{}', 0, 3, 0, false, 1795176000000)",
    "with recursive n (i) as (select 1 union all select i + 1 from n where i < 8000)
        insert into job_batches (id, kind, account_id, total, done, failed, is_open, fed, created_at, completed_at)
        select 'batch' || i, 'RefreshSite', 'a', 1, 1, 0, false, 1, 1795176000000, 1795176000000 + i from n",
    // Batches do not come by the thousand.
    "analyze job_batches",
];

/// Tests with what the database believes when many jobs came into an empty queue whose statements it had planned, and then with
/// statistics.
async fn on_many_jobs(test: impl AsyncFn(&mut Tx)) {
    for_each_engine(async |db| {
        run(db, &["analyze"]).await;
        // Often enough for PostgreSQL to keep plans.
        for _ in 0..8 {
            let mut tx = db.write_replanned().await.unwrap();
            assert!(claim(&mut tx, &["Page"], &closed_lanes()).await.0.is_empty());
        }
        run(db, JOBS).await;
        test(&mut db.write_replanned().await.unwrap()).await;
        run(db, &["analyze"]).await;
        test(&mut db.write_replanned().await.unwrap()).await;
    })
    .await;
}

async fn run(db: &Db, statements: &[&'static str]) {
    let mut tx = db.write().await.unwrap();
    for sql in statements {
        on_engine!(tx, |c| sqlx::query(*sql).execute(c).await.map(drop)).unwrap();
    }
    tx.commit().await.unwrap();
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn closed_lanes() -> Vec<String> {
    (0..CLOSED_LANES).map(|n| format!("closed{n}")).collect()
}

async fn claim(conn: &mut Conn, kinds: &[&str], closed: &[String]) -> (Vec<String>, u64) {
    let kinds = texts(kinds);
    let wanted = ClaimFilter { kinds: &kinds, closed_lanes: closed, of_lane: 4, most: 64 };
    let (found, looked_at) = rows_looked_at(conn, async |conn| list_candidates(conn, wanted).await).await;
    (found.into_iter().map(|job| job.id).collect(), looked_at)
}

#[tokio::test]
async fn a_claim_does_not_read_past_the_jobs_of_closed_lanes() {
    on_many_jobs(async |tx| {
        let (found, looked_at) = claim(tx, &["Page"], &closed_lanes()).await;

        assert_eq!(found, ["open", "no lane"]);
        assert!(looked_at < FEW, "{looked_at}");
    })
    .await;
}

#[tokio::test]
async fn a_claim_does_not_read_past_the_jobs_of_kinds_without_room() {
    on_many_jobs(async |tx| {
        let (found, looked_at) = claim(tx, &["Other"], &[]).await;

        assert_eq!(found, ["other kind"]);
        assert!(looked_at < FEW, "{looked_at}");
    })
    .await;
}

#[tokio::test]
async fn a_claim_takes_the_first_turns_and_of_each_lane_no_more_than_it_has_room_for() {
    on_many_jobs(async |tx| {
        let (at_head, looked_at) = claim(tx, &["Page"], &[]).await;
        let closed = closed_lanes();
        let (by_lane, _) = claim(tx, &["Page"], &closed[2..]).await;

        let first: Vec<String> = (1..=64).map(|n| format!("ready{n}")).collect();
        assert_eq!(at_head, first);
        assert!(looked_at < FEW, "{looked_at}");
        // The head has a hundred jobs of the two open lanes.
        assert_eq!(by_lane.len(), 64);
        assert_eq!(by_lane[..4], ["ready1", "ready20", "ready21", "ready40"]);
    })
    .await;
}

#[tokio::test]
async fn jobs_are_begun_and_deleted_by_their_ids() {
    on_many_jobs(async |tx| {
        let (ids, _) = claim(tx, &["Page"], &[]).await;

        let (_, begun) = cost(tx, async |c| begin_jobs(c, &ids, "w", NOW).await).await;
        let (deleted, done) = rows_looked_at(tx, async |c| delete_done(c, "w", &ids).await).await;

        assert_eq!(deleted.len(), ids.len());
        assert!(begun < FEW && done < FEW, "{begun} {done}");
    })
    .await;
}

#[tokio::test]
async fn what_workers_do_all_the_time_is_done_by_indexes() {
    on_many_jobs(async |tx| {
        let mut costs = Vec::new();
        let mut note = |what: &'static str, (_, rows): ((), u64)| costs.push((what, rows));

        note("promote", cost(tx, async |c| promote_due(c, NOW).await).await);
        note("next", cost(tx, async |c| find_next_run_at(c).await.map(drop)).await);
        note("forward", cost(tx, async |c| bring_forward(c, NOW.plus(DAY * 30)).await.map(drop)).await);
        note("lanes", cost(tx, async |c| count_running_by_lane(c).await.map(drop)).await);
        note("running", cost(tx, async |c| count_running(c, "Page").await.map(drop)).await);
        note("of a worker", cost(tx, async |c| list_jobs_of(c, "w1").await.map(drop)).await);
        note("beat", cost(tx, async |c| beat(c, "w1", NOW).await).await);

        assert!(costs.iter().all(|(_, rows)| *rows < FEW), "{costs:?}");
    })
    .await;
}

#[tokio::test]
async fn sweeps_with_nothing_to_do_look_at_nothing() {
    on_many_jobs(async |tx| {
        let mut costs = Vec::new();
        let mut note = |what: &'static str, (_, rows): ((), u64)| costs.push((what, rows));
        let before = NOW.minus(DAY);

        let behind = (9_000, String::new());
        note("aging", cost(tx, async |c| list_aging(c, 3, Some(&behind), 500).await.map(drop)).await);
        note("old dead", cost(tx, async |c| delete_old_dead(c, before).await.map(drop)).await);
        note("accounts", cost(tx, async |c| list_accounts_with_dead(c).await.map(drop)).await);
        note("too many dead", cost(tx, async |c| delete_dead_beyond(c, "a1", 2_000).await.map(drop)).await);
        note("abandoned", cost(tx, async |c| close_abandoned_batches(c, NOW, NOW).await.map(drop)).await);
        note("stuck", cost(tx, async |c| complete_stuck_batches(c, NOW, NOW).await.map(drop)).await);
        note("old batches", cost(tx, async |c| delete_old_batches(c, before).await.map(drop)).await);
        note("untold", cost(tx, async |c| list_untold(c, &texts(&["Page"])).await.map(drop)).await);

        assert!(costs.iter().all(|(_, rows)| *rows < FEW), "{costs:?}");
    })
    .await;
}

#[tokio::test]
async fn depths_are_counted_up_to_their_bound_and_no_further() {
    on_many_jobs(async |tx| {
        let kinds = texts(&["Other", "Page", "Unused"]);
        let (depths, looked_at) = rows_looked_at(tx, async |conn| count_depths(conn, &kinds).await).await;

        let of = |kind: &str, state: &str| {
            let depth = depths.iter().find(|depth| depth.kind == kind && depth.state == state);
            depth.map(|depth| (depth.jobs, depth.oldest)).expect("each kind in each state")
        };
        let oldest = Some(NOW.as_millis());
        assert_eq!(depths.len(), 9);
        assert_eq!(of("Page", "waiting"), (COUNTED, oldest));
        assert_eq!(of("Page", "dead"), (8_000, oldest));
        assert_eq!(of("Page", "running"), (100, oldest));
        assert_eq!(of("Other", "waiting"), (1, oldest));
        assert_eq!(of("Unused", "dead"), (0, None));
        assert!(looked_at < (COUNTED.unsigned_abs() + 8_100) * 6 / 5, "{looked_at}");
    })
    .await;
}

async fn cost(conn: &mut Conn, work: impl AsyncFnOnce(&mut Conn) -> Result<(), DbError>) -> ((), u64) {
    rows_looked_at(conn, work).await
}
