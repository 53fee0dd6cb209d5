//! The rules of the queue and its worker, on both engines.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use store::testing::{PostgresServer, TestDb, for_each_engine, postgres};
use store::{Db, DbConfig};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::app::{MIGRATIONS_POSTGRES, MIGRATIONS_SQLITE};
use crate::clock::{Clock, Timestamp};
use crate::jobs::{Batch, Job, JobOutcome, JobState, NewBatch, NewJob, Priority, Run};

mod faults;
mod limits;
mod schedules;

const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);
const HOUR: Duration = Duration::from_secs(3600);

/// What a test's job does.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Say {
    Done(String),
    Fail,
    FailOnce,
    GiveUp,
    Panic,
    Hang,
    Later,
    Trouble,
    Slow(u64),
    Busy,
    Nul,
    Hold,
    Poison,
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    async fn has(&self, lines: usize) {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
        while self.lines().len() < lines {
            assert!(tokio::time::Instant::now() < deadline, "only {} of {lines}", self.lines().len());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[async_trait]
impl Job for Say {
    const KIND: &'static str = "Say";
    const MAX_ATTEMPTS: u32 = 3;
    const TELLS_DEATH: bool = true;
    type Services = Log;

    async fn died(&self, log: &Log, reason: &str) -> Result<(), DbError> {
        if let Say::GiveUp = self {
            log.write(&format!("died: {reason}"));
        }
        Ok(())
    }

    async fn run(&self, log: &Log, run: &Run) -> Result<JobOutcome, JobError> {
        match self {
            Say::Done(text) => log.write(text),
            Say::FailOnce if run.attempt > 1 => log.write("worked"),
            Say::Fail | Say::FailOnce => {
                log.write("failed");
                return Err(JobError::retry("no luck"));
            }
            Say::GiveUp => return Err(JobError::give_up("no way")),
            Say::Panic => panic!("a test's panic"),
            Say::Hang => {
                log.write("hangs");
                std::future::pending::<()>().await;
            }
            Say::Later => {
                log.write("later");
                return Ok(JobOutcome::Later(HOUR));
            }
            Say::Trouble => {
                log.write("trouble");
                return Err(JobError::rest_lane("it is down", None));
            }
            Say::Busy => return Err(JobError::rest_lane("come back", Some(Duration::from_secs(120)))),
            Say::Nul => return Err(JobError::retry("a \0 in the middle")),
            Say::Hold => {
                run.stopping().await;
                log.write("stopped by itself");
            }
            Say::Poison => log.write("poison"),
            Say::Slow(millis) => {
                tokio::time::sleep(Duration::from_millis(*millis)).await;
                log.write("slow");
            }
        }
        Ok(JobOutcome::Done)
    }
}

fn say(text: &str) -> NewJob {
    Say::Done(text.to_owned()).queued_for("a")
}

fn say_for(account: &str, text: &str) -> NewJob {
    Say::Done(text.to_owned()).queued_for(account)
}

impl Worker {
    /// Runs everything that is due and everything that follows from it.
    pub async fn run_until_idle(&mut self) {
        loop {
            let begun = self.step().await.expect("the database answers");
            if begun == 0 && self.ended.is_empty() {
                match (self.running.join_next().await, self.until_lane_opens()) {
                    (Some(over), _) => self.take_result(over),
                    (None, Some(wait)) => tokio::time::sleep(wait).await,
                    (None, None) => return,
                }
            }
            self.take_ready_results();
        }
    }
}

/// A queue and one process that works on it.
struct Process {
    jobs: Jobs,
    log: Log,
    clock: Clock,
    settings: WorkerSettings,
}

impl Process {
    async fn on(db: &Db) -> Process {
        db.migrate(&MIGRATIONS_SQLITE, &MIGRATIONS_POSTGRES).await.unwrap();
        let clock = Clock::fixed(NOON);
        let settings = WorkerSettings {
            // Long: a busy machine must not look like a dead process.
            lease: Duration::from_secs(10),
            beat_every: Duration::from_millis(100),
            sweep_every: Duration::from_millis(100),
            idle_wait: Duration::from_millis(200),
            drain: Duration::from_millis(100),
            lanes: LaneLimits { at_once: 2, per_second: 1000 },
            notify_url: None,
        };
        Process { jobs: Jobs::new(db.clone(), clock.clone()), log: Log::default(), clock, settings }
    }

    fn worker(&self, at_once: usize) -> Worker {
        let registry = Registry::default().with::<Say>(self.log.clone(), at_once);
        Worker::new(self.jobs.clone(), registry, Vec::new(), self.settings.clone())
    }

    #[expect(clippy::disallowed_methods, reason = "the test ends it")]
    fn start(&self, at_once: usize) -> (CancellationToken, JoinHandle<()>) {
        let shutdown = CancellationToken::new();
        (shutdown.clone(), tokio::spawn(self.worker(at_once).run(shutdown)))
    }

    async fn queue(&self, jobs: Vec<NewJob>) -> u64 {
        let mut tx = self.jobs.db().write().await.unwrap();
        let new = self.jobs.enqueue(&mut tx, jobs).await.unwrap();
        tx.commit().await.unwrap();
        self.jobs.wake();
        new
    }

    async fn batch_of(&self, jobs: Vec<NewJob>) -> BatchId {
        let mut tx = self.jobs.db().write().await.unwrap();
        let batch = NewBatch {
            kind: "Say",
            account: "a".to_owned(),
            domain: None,
            total: jobs.len() as u64,
            is_open: false,
            source: None,
        };
        let id = self.jobs.create_batch(&mut tx, &batch).await.unwrap();
        let jobs = jobs.into_iter().map(|job| job.batch(&id)).collect();
        self.jobs.enqueue(&mut tx, jobs).await.unwrap();
        tx.commit().await.unwrap();
        self.jobs.wake();
        id
    }

    async fn run_all(&self) -> Vec<String> {
        self.worker(1).run_until_idle().await;
        self.log.lines()
    }

    async fn batch(&self, id: &BatchId) -> Batch {
        self.jobs.find_batch(id.as_str()).await.unwrap().unwrap()
    }

    async fn batch_is_complete(&self, id: &BatchId) -> Batch {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
        loop {
            if let Ok(Some(batch)) = self.jobs.find_batch(id.as_str()).await
                && batch.completed_at.is_some()
            {
                return batch;
            }
            assert!(tokio::time::Instant::now() < deadline, "{:?}", self.jobs.find_batch(id.as_str()).await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn states(&self) -> Vec<(JobState, u64, Option<String>)> {
        let jobs = self.jobs.list(None, 100).await.unwrap();
        jobs.into_iter().map(|job| (job.state, job.attempts, job.error)).collect()
    }
}

async fn on_each_engine(test: impl AsyncFn(Process)) {
    for_each_engine(async |db: &TestDb| test(Process::on(db).await).await).await;
}

#[tokio::test]
async fn a_job_exists_only_if_what_caused_it_was_committed() {
    on_each_engine(async |process| {
        let mut tx = process.jobs.db().write().await.unwrap();
        process.jobs.enqueue(&mut tx, vec![say("lost")]).await.unwrap();
        drop(tx);
        process.queue(vec![say("kept")]).await;

        assert_eq!(process.run_all().await, ["kept"]);
        assert!(process.states().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn priorities_go_first_and_then_the_order_of_queueing() {
    on_each_engine(async |process| {
        process.queue(vec![say("bulk 1").priority(Priority::Bulk), say("normal")]).await;
        process
            .queue(vec![
                say("bulk 2").priority(Priority::Bulk),
                say("background").priority(Priority::Background),
            ])
            .await;
        process.queue(vec![say("urgent").priority(Priority::Urgent)]).await;

        assert_eq!(process.run_all().await, ["urgent", "normal", "bulk 1", "bulk 2", "background"]);
    })
    .await;
}

#[tokio::test]
async fn one_accounts_thousand_jobs_do_not_delay_another_accounts_single_one() {
    on_each_engine(async |process| {
        process.queue((0..1000).map(|n| say_for("big", &format!("big {n}"))).collect()).await;
        process.queue(vec![say_for("small", "small 1"), say_for("small", "small 2")]).await;

        let lines = process.run_all().await;

        let place = |text: &str| lines.iter().position(|line| line == text).unwrap();
        assert!(place("small 1") <= 2 && place("small 2") <= 4, "{:?}", &lines[..6]);
        assert_eq!(lines.len(), 1002);
    })
    .await;
}

#[tokio::test]
async fn an_account_that_was_idle_has_saved_up_no_turns() {
    on_each_engine(async |process| {
        process.queue((0..300).map(|n| say_for("busy", &n.to_string())).collect()).await;
        process.run_all().await;

        process.queue((0..50).map(|n| say_for("idle", &format!("idle {n}"))).collect()).await;
        process.queue(vec![say_for("busy", "busy again")]).await;
        let lines = process.run_all().await;

        let place = lines.iter().position(|line| line == "busy again").unwrap();
        assert!(place <= 302, "behind {} jobs of the other", place - 300);
    })
    .await;
}

#[tokio::test]
async fn the_same_work_is_queued_once_while_it_waits() {
    on_each_engine(async |process| {
        let twins = vec![say("once").unique("k"), say("once").unique("k"), say("other").unique("l")];

        assert_eq!(process.queue(twins).await, 2);
        assert_eq!(process.queue(vec![say("once").unique("k")]).await, 0);
        assert_eq!(process.run_all().await, ["once", "other"]);
        assert_eq!(process.queue(vec![say("once").unique("k")]).await, 1);
    })
    .await;
}

#[tokio::test]
async fn work_that_is_asked_for_while_it_runs_runs_once_more() {
    on_each_engine(async |process| {
        let mut worker = process.worker(4);
        process.queue(vec![Say::Slow(200).queued_for("a").unique("k")]).await;

        worker.step().await.unwrap();
        process.queue(vec![Say::Slow(200).queued_for("a").unique("k")]).await;
        process.queue(vec![Say::Slow(200).queued_for("a").unique("k")]).await;
        worker.run_until_idle().await;

        assert_eq!(process.log.lines(), ["slow", "slow"]);
        assert!(process.states().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_failed_job_waits_and_is_tried_again() {
    on_each_engine(async |process| {
        process.queue(vec![Say::FailOnce.queued_for("a")]).await;

        let first = process.run_all().await;
        let between = process.states().await;
        process.clock.advance(HOUR);
        let second = process.run_all().await;

        assert_eq!((first.len(), second), (1, vec!["failed".to_owned(), "worked".to_owned()]));
        assert_eq!(between, [(JobState::Waiting, 1, Some("no luck".to_owned()))]);
        assert!(process.states().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_job_gives_up_after_its_attempts_and_an_operator_can_retry_it() {
    on_each_engine(async |process| {
        let batch = process.batch_of(vec![Say::Fail.queued_for("a"), say("fine")]).await;
        for _ in 0..5 {
            process.run_all().await;
            process.clock.advance(HOUR * 2);
        }
        let dead = process.jobs.list(Some(JobState::Dead), 10).await.unwrap().remove(0);
        let given_up = process.batch(&batch).await;

        process.jobs.retry(dead.id.as_str()).await.unwrap();
        let revived = process.batch(&batch).await;

        assert_eq!((dead.attempts, dead.error.as_deref()), (3, Some("no luck")));
        assert_eq!((given_up.done, given_up.failed, given_up.completed_at.is_some()), (1, 1, true));
        assert_eq!((revived.done, revived.failed, revived.completed_at), (1, 0, None));
        assert!(matches!(
            process.jobs.retry(dead.id.as_str()).await,
            Err(crate::jobs::ChangeError::NotDead(_))
        ));
        assert!(matches!(process.jobs.retry("nothing").await, Err(crate::jobs::ChangeError::NotFound(_))));
    })
    .await;
}

#[tokio::test]
async fn what_can_never_work_is_not_tried_again() {
    on_each_engine(async |process| {
        process.queue(vec![Say::GiveUp.queued_for("a")]).await;

        process.run_all().await;

        assert_eq!(process.states().await, [(JobState::Dead, 1, Some("no way".to_owned()))]);
    })
    .await;
}

#[tokio::test]
async fn a_panic_is_a_failure_of_that_job_alone() {
    on_each_engine(async |process| {
        process.queue(vec![Say::Panic.queued_for("a"), say("fine")]).await;

        assert_eq!(process.run_all().await, ["fine"]);
        assert_eq!(process.states().await, [(JobState::Waiting, 1, Some("it panicked".to_owned()))]);
    })
    .await;
}

#[tokio::test]
async fn a_run_that_had_nothing_to_do_yet_does_not_count() {
    on_each_engine(async |process| {
        process.queue(vec![Say::Later.queued_for("a")]).await;

        for _ in 0..5 {
            process.run_all().await;
            process.clock.advance(HOUR);
        }

        assert_eq!(process.log.lines().len(), 5);
        assert_eq!(process.states().await, [(JobState::Waiting, 0, None)]);
    })
    .await;
}

#[tokio::test]
async fn a_batch_counts_its_jobs_and_is_complete_when_the_last_is_over() {
    on_each_engine(async |process| {
        let batch = process.batch_of(vec![say("1"), say("2"), Say::GiveUp.queued_for("a")]).await;
        let before = process.batch(&batch).await;

        process.clock.advance(HOUR);
        process.run_all().await;

        let after = process.batch(&batch).await;
        assert_eq!((before.total, before.done, before.started_at, before.completed_at), (3, 0, None, None));
        assert_eq!((after.total, after.done, after.failed, after.running), (3, 2, 1, 0));
        assert_eq!((after.started_at, after.completed_at), (Some(NOON.plus(HOUR)), Some(NOON.plus(HOUR))));
    })
    .await;
}

#[tokio::test]
async fn an_open_batch_is_not_complete_until_it_is_closed() {
    on_each_engine(async |process| {
        let new = NewBatch {
            kind: "Say",
            account: "a".to_owned(),
            domain: None,
            total: 1,
            is_open: true,
            source: None,
        };
        let mut tx = process.jobs.db().write().await.unwrap();
        let id = process.jobs.create_batch(&mut tx, &new).await.unwrap();
        assert!(process.jobs.advance_batch(&mut tx, &id, 0, 1).await.unwrap());
        assert!(!process.jobs.advance_batch(&mut tx, &id, 0, 1).await.unwrap());
        process.jobs.enqueue(&mut tx, vec![say("1").batch(&id)]).await.unwrap();
        tx.commit().await.unwrap();
        process.run_all().await;
        let open = process.batch(&id).await;

        let mut tx = process.jobs.db().write().await.unwrap();
        process.jobs.close_batch(&mut tx, &id, None).await.unwrap();
        tx.commit().await.unwrap();

        assert_eq!((open.done, open.completed_at), (1, None));
        assert!(process.batch(&id).await.completed_at.is_some());
    })
    .await;
}

#[tokio::test]
async fn a_lane_is_never_fuller_than_its_limit_and_holds_up_nobody_else() {
    on_each_engine(async |process| {
        let mut worker = process.worker(10);
        process.queue((0..6).map(|_| Say::Slow(100).queued_for("a").lane("origin")).collect()).await;
        process.queue(vec![say("free"), say("other").lane("elsewhere")]).await;

        let begun = worker.step().await.unwrap();
        let more = worker.step().await.unwrap();

        assert_eq!((begun, more), (4, 0));
        worker.run_until_idle().await;
        assert_eq!(process.log.lines().len(), 8);
    })
    .await;
}

#[tokio::test]
async fn a_lane_begins_only_so_many_jobs_in_a_second() {
    on_each_engine(async |mut process| {
        process.settings.lanes = LaneLimits { at_once: 100, per_second: 5 };
        process.queue((0..12).map(|n| say(&n.to_string()).lane("origin")).collect()).await;
        let started = tokio::time::Instant::now();

        let (shutdown, worker) = process.start(50);
        process.log.has(12).await;

        assert!(started.elapsed() >= Duration::from_millis(1900), "{:?}", started.elapsed());
        shutdown.cancel();
        worker.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_lane_in_trouble_rests_for_longer_with_every_failure_and_recovers_with_a_success() {
    on_each_engine(async |process| {
        process.queue(vec![Say::Trouble.queued_for("a").lane("origin"), say("behind").lane("origin")]).await;

        let first = process.run_all().await;
        process.clock.advance(Duration::from_secs(29));
        let resting = process.run_all().await;
        process.clock.advance(Duration::from_secs(31));
        let second = process.run_all().await;

        assert_eq!(
            (first.as_slice(), resting.as_slice()),
            (&["trouble".to_owned()][..], &["trouble".to_owned()][..])
        );
        assert_eq!(second, ["trouble", "trouble"]);
        process.clock.advance(Duration::from_secs(121));
        let third = process.run_all().await;
        assert_eq!(third[2..], ["trouble".to_owned(), "behind".to_owned()][..third.len() - 2]);
    })
    .await;
}

#[tokio::test]
async fn bulk_work_for_a_lane_that_stays_in_trouble_gives_up() {
    on_each_engine(async |process| {
        let trouble = || Say::Trouble.queued_for("a").lane("origin").priority(Priority::Bulk);
        let batch = process.batch_of((0..30).map(|_| trouble()).collect()).await;

        for _ in 0..12 {
            process.run_all().await;
            process.clock.advance(HOUR * 2);
        }

        let batch = process.batch(&batch).await;
        assert_eq!((batch.failed, batch.completed_at.is_some()), (30, true));
        assert!(process.log.lines().len() <= 12);
    })
    .await;
}

#[tokio::test]
async fn the_jobs_of_a_process_that_died_are_taken_over_and_its_late_result_is_refused() {
    let db = postgres().await;
    let (dead, mut alive) = (Process::on(&db).await, Process::on(&db).await);
    alive.settings.lease = Duration::from_millis(600);
    let batch = dead.batch_of(vec![Say::Slow(1).queued_for("a")]).await;
    let mut silent = dead.worker(1);
    silent.step().await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    silent.take_ready_results();

    let (shutdown, worker) = alive.start(1);
    alive.batch_is_complete(&batch).await;
    silent.finish().await.unwrap();

    assert_eq!(alive.log.lines(), ["slow"]);
    let batch = alive.batch(&batch).await;
    assert_eq!((batch.done, batch.failed), (1, 0));
    shutdown.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_job_that_ends_every_process_gives_up() {
    on_each_engine(async |process| {
        process.queue(vec![Say::Hang.queued_for("a")]).await;

        for _ in 0..3 {
            let mut worker = process.worker(1);
            assert_eq!(worker.step().await.unwrap(), 1);
            drop(worker);
            process.worker(1).sweeper.reclaim_all().await.unwrap();
        }

        let expected = (JobState::Dead, 3, Some("every process that ran it ended".to_owned()));
        assert_eq!(process.states().await, [expected]);
    })
    .await;
}

#[tokio::test]
async fn a_living_process_keeps_its_long_job_whatever_the_wall_clock_does() {
    let db = postgres().await;
    let (first, second) = (Process::on(&db).await, Process::on(&db).await);
    first.queue(vec![Say::Slow(2000).queued_for("a")]).await;
    let (stop_first, worker_one) = first.start(1);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (stop_second, worker_two) = second.start(1);

    second.clock.advance(HOUR * 24 * 365);
    tokio::time::sleep(Duration::from_millis(500)).await;
    second.clock.set(Timestamp::from_millis(0));
    first.log.has(1).await;

    assert_eq!((first.log.lines().len(), second.log.lines().len()), (1, 0));
    stop_first.cancel();
    stop_second.cancel();
    worker_one.await.unwrap();
    worker_two.await.unwrap();
}

#[tokio::test]
async fn a_process_that_is_asked_to_end_gives_its_jobs_back_uncounted() {
    on_each_engine(async |process| {
        process.queue(vec![Say::Hang.queued_for("a"), Say::Slow(50).queued_for("a")]).await;
        let (shutdown, worker) = process.start(2);
        process.log.has(1).await;

        shutdown.cancel();
        worker.await.unwrap();

        assert_eq!(process.log.lines(), ["hangs", "slow"]);
        assert_eq!(process.states().await, [(JobState::Waiting, 0, None)]);
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_job_is_stopped_and_counts_as_failed() {
    on_each_engine(async |process| {
        let batch =
            process.batch_of(vec![Say::Hang.queued_for("a"), say("fine").priority(Priority::Bulk)]).await;
        let (shutdown, worker) = process.start(1);
        process.log.has(1).await;

        let hanging = process.jobs.list(Some(JobState::Running), 1).await.unwrap().remove(0);
        process.jobs.cancel(hanging.id.as_str()).await.unwrap();
        let batch = process.batch_is_complete(&batch).await;

        assert_eq!((batch.done, batch.failed), (1, 1));
        assert!(matches!(
            process.jobs.cancel(hanging.id.as_str()).await,
            Err(crate::jobs::ChangeError::NotFound(_))
        ));
        shutdown.cancel();
        worker.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_job_that_a_wrong_clock_put_off_for_a_year_is_brought_forward() {
    on_each_engine(async |process| {
        process.queue(vec![say("late").not_before(NOON.plus(HOUR * 24 * 365))]).await;
        process.queue(vec![say("soon").not_before(NOON.plus(HOUR))]).await;

        process.worker(1).sweeper.sweep().await.unwrap();

        assert_eq!(process.run_all().await, ["late"]);
    })
    .await;
}

#[tokio::test]
async fn a_schedule_queues_one_job_per_slot_whoever_looks_and_one_for_all_that_were_missed() {
    on_each_engine(async |process| {
        let schedules = || vec![Schedule::every(HOUR, "hourly", || say("tick"))];
        let keep = async || {
            let looks = (0..4).map(async |_| {
                let registry = Registry::default().with::<Say>(process.log.clone(), 1);
                Worker::new(process.jobs.clone(), registry, schedules(), process.settings.clone())
                    .sweeper
                    .sweep()
                    .await
            });
            futures::future::try_join_all(looks).await.unwrap();
            process.run_all().await.len()
        };

        let at_start = keep().await;
        process.clock.advance(HOUR);
        let after_an_hour = keep().await;
        let at_once_again = keep().await;
        process.clock.advance(HOUR * 30);
        let after_a_day = keep().await;
        process.clock.set(NOON);
        let clock_set_back = keep().await;
        process.clock.advance(HOUR);
        let an_hour_later = keep().await;

        let counts = [at_start, after_an_hour, at_once_again, after_a_day, clock_set_back, an_hour_later];
        assert_eq!(counts, [0, 1, 1, 2, 2, 3]);
    })
    .await;
}

#[tokio::test]
async fn several_processes_share_a_batch_and_run_each_job_once() {
    let db = postgres().await;
    let first = Process::on(&db).await;
    let batch = first.batch_of((0..500).map(|n| say(&n.to_string())).collect()).await;

    let workers: Vec<_> = (0..3).map(|_| first.start(20)).collect();
    let batch = first.batch_is_complete(&batch).await;

    let mut lines = first.log.lines();
    lines.sort();
    lines.dedup();
    assert_eq!((batch.done, batch.failed, lines.len(), first.log.lines().len()), (500, 0, 500, 500));
    for (shutdown, worker) in workers {
        shutdown.cancel();
        worker.await.unwrap();
    }
}

#[tokio::test]
async fn work_queued_by_another_process_is_begun_at_once() {
    let db = postgres().await;
    let (mut idle, busy) = (Process::on(&db).await, Process::on(&db).await);
    idle.settings.idle_wait = Duration::from_secs(60);
    idle.settings.sweep_every = Duration::from_secs(60);
    idle.settings.notify_url = Some(db.url().to_owned());
    let (shutdown, worker) = idle.start(1);
    tokio::time::sleep(Duration::from_millis(500)).await;

    busy.queue(vec![say("hello")]).await;

    tokio::time::timeout(Duration::from_secs(5), idle.log.has(1)).await.unwrap();
    shutdown.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_database_that_restarts_under_load_loses_and_doubles_nothing() {
    let mut server = PostgresServer::start().await;
    let db = Db::open(&DbConfig { url: server.url(), max_connections: 4 }).await.unwrap();
    let mut process = Process::on(&db).await;
    process.settings.lease = Duration::from_secs(30);
    let batch = process.batch_of((0..400).map(|_| Say::Slow(10).queued_for("a")).collect()).await;
    let (shutdown, worker) = process.start(4);
    process.log.has(50).await;

    server.crash();
    tokio::time::sleep(Duration::from_millis(500)).await;
    server.start_again().await;
    let batch = process.batch_is_complete(&batch).await;

    assert_eq!((batch.done, batch.failed), (400, 0));
    // What was begun by a transaction that was cut off may have been begun twice; what was over is not.
    assert!(process.log.lines().len() <= 404, "{}", process.log.lines().len());
    shutdown.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn lanes_that_rest_hold_up_nobody_however_many_there_are() {
    on_each_engine(async |process| {
        for lane in 0..40 {
            let lane = format!("dead {lane}");
            process.queue((0..20).map(|_| Say::Trouble.queued_for("a").lane(&lane)).collect()).await;
        }
        process.run_all().await;
        let before = process.log.lines().len();

        process.queue(vec![say("alive").lane("well").priority(Priority::Background)]).await;
        let begun = process.worker(1).step().await.unwrap();

        assert_eq!((before, begun), (40, 1));
    })
    .await;
}

#[tokio::test]
async fn a_success_does_not_end_a_rest_that_began_after_it() {
    on_each_engine(async |process| {
        process.queue(vec![Say::Slow(1).queued_for("a").lane("origin")]).await;
        process.queue(vec![Say::Busy.queued_for("a").lane("origin")]).await;
        let mut worker = process.worker(2);
        worker.step().await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        worker.take_ready_results();
        // The failure is written down first, as when another process had it.
        worker.ended.sort_by_key(|ended| ended.result.is_ok());
        let well = worker.ended.pop().unwrap();
        worker.finish().await.unwrap();
        worker.ended.push(well);
        worker.finish().await.unwrap();

        process.queue(vec![say("too early").lane("origin")]).await;
        let resting = process.worker(1).step().await.unwrap();
        process.clock.advance(Duration::from_secs(121));
        let rested = process.worker(1).step().await.unwrap();

        assert_eq!((resting, rested), (0, 1));
    })
    .await;
}

#[tokio::test]
async fn a_reason_that_the_database_cannot_keep_is_kept_without_what_it_refuses() {
    on_each_engine(async |process| {
        process.queue(vec![Say::Nul.queued_for("a"), say("fine")]).await;

        assert_eq!(process.run_all().await, ["fine"]);

        let reason = "a  in the middle".to_owned();
        assert_eq!(process.states().await, [(JobState::Waiting, 1, Some(reason))]);
    })
    .await;
}

#[tokio::test]
async fn a_result_that_cannot_be_written_fails_alone() {
    on_each_engine(async |process| {
        refuse_to_delete_poison(process.jobs.db()).await;
        process.queue(vec![say("1"), Say::Poison.queued_for("a"), say("2")]).await;

        process.worker(3).run_until_idle().await;

        let states = process.states().await;
        assert_eq!(states.len(), 1, "{states:?}");
        assert_eq!(states[0].0, JobState::Dead);
        assert!(states[0].2.as_deref().unwrap().starts_with("its result could not be written"), "{states:?}");
    })
    .await;
}

/// Makes the database refuse to delete jobs that say "Poison".
async fn refuse_to_delete_poison(db: &Db) {
    const SQLITE: &str = "create trigger refuse before delete on jobs when old.payload like '%Poison%'
        begin select raise(abort, 'poison'); end";
    const POSTGRES: &str = "create function refuse() returns trigger language plpgsql as
        $$ begin if old.payload like '%Poison%' then raise exception 'poison'; end if; return old; end $$;
        create trigger refuse before delete on jobs for each row execute function refuse()";
    let sql = if db.engine() == Engine::Sqlite { SQLITE } else { POSTGRES };
    let mut tx = db.write().await.unwrap();
    store::on_engine!(tx, |c| sqlx::raw_sql(sql).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn several_processes_together_do_not_exceed_the_limit_of_a_lane() {
    let db = postgres().await;
    let process = Process::on(&db).await;
    for round in 0..10 {
        let lane = format!("origin {round}");
        process.queue((0..20).map(|_| Say::Slow(5_000).queued_for("a").lane(&lane)).collect()).await;
        let mut workers: Vec<Worker> = (0..4).map(|_| process.worker(20)).collect();

        let begun = futures::future::try_join_all(workers.iter_mut().map(Worker::step)).await.unwrap();

        assert_eq!(begun.iter().sum::<usize>(), 2, "{begun:?}");
    }
}

#[tokio::test]
async fn an_open_batch_that_nothing_fills_any_more_is_closed_and_adds_up() {
    on_each_engine(async |process| {
        let new = NewBatch {
            kind: "Say",
            account: "a".to_owned(),
            domain: None,
            total: 10,
            is_open: true,
            source: None,
        };
        let mut tx = process.jobs.db().write().await.unwrap();
        let fed = process.jobs.create_batch(&mut tx, &new).await.unwrap();
        let abandoned = process.jobs.create_batch(&mut tx, &new).await.unwrap();
        let feeder = say("feeder").feeding(&fed).not_before(NOON.plus(HOUR));
        process.jobs.enqueue(&mut tx, vec![feeder, say("1").batch(&abandoned)]).await.unwrap();
        tx.commit().await.unwrap();
        process.run_all().await;

        let mut worker = process.worker(1);
        worker.sweeper.sweep().await.unwrap();
        let young = process.batch(&abandoned).await;
        process.clock.advance(Duration::from_secs(180));
        worker.sweeper.sweep().await.unwrap();

        let old = process.batch(&abandoned).await;
        assert_eq!((young.is_open, young.completed_at), (true, None));
        assert_eq!((old.done, old.failed, old.completed_at.is_some()), (1, 9, true));
        assert!(process.batch(&fed).await.is_open);
    })
    .await;
}

#[tokio::test]
async fn a_batch_whose_jobs_are_gone_is_complete_and_adds_up() {
    on_each_engine(async |process| {
        let batch = process.batch_of(vec![say("1"), say("2")]).await;
        let mut tx = process.jobs.db().write().await.unwrap();
        store::on_engine!(tx, |c| sqlx::query("delete from jobs").execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();

        process.clock.advance(Duration::from_secs(180));
        process.worker(1).sweeper.sweep().await.unwrap();

        let batch = process.batch(&batch).await;
        assert_eq!((batch.done, batch.failed, batch.completed_at.is_some()), (0, 2, true));
    })
    .await;
}

#[tokio::test]
async fn jobs_that_gave_up_are_kept_for_thirty_days() {
    on_each_engine(async |process| {
        process.queue(vec![Say::GiveUp.queued_for("a")]).await;
        process.run_all().await;
        let mut worker = process.worker(1);

        process.clock.advance(HOUR * 24 * 29);
        worker.sweeper.sweep().await.unwrap();
        let kept = process.states().await.len();
        process.clock.advance(HOUR * 24 * 2);
        worker.sweeper.sweep().await.unwrap();

        assert_eq!((kept, process.states().await.len()), (1, 0));
    })
    .await;
}

#[tokio::test]
async fn a_death_is_told_once_to_the_kind_that_wants_to_know() {
    on_each_engine(async |process| {
        process.queue(vec![Say::GiveUp.queued_for("a"), Say::Fail.queued_for("a")]).await;
        process.run_all().await;
        let mut worker = process.worker(1);

        worker.sweeper.sweep().await.unwrap();
        worker.sweeper.sweep().await.unwrap();

        let told =
            process.log.lines().into_iter().filter(|line| line.starts_with("died")).collect::<Vec<_>>();
        assert_eq!(told, ["died: no way"]);
    })
    .await;
}

#[tokio::test]
async fn work_that_waits_for_an_hour_goes_up_one_priority() {
    on_each_engine(async |process| {
        process.queue(vec![say("old bulk").priority(Priority::Bulk)]).await;
        process.clock.advance(HOUR + Duration::from_secs(1));
        process.queue(vec![say("new normal"), say("new bulk").priority(Priority::Bulk)]).await;

        process.worker(1).sweeper.sweep().await.unwrap();

        assert_eq!(process.run_all().await, ["old bulk", "new normal", "new bulk"]);
    })
    .await;
}

#[tokio::test]
async fn one_process_at_a_time_looks_after_everybodys_jobs() {
    let db = postgres().await;
    let (mut first, second) = (Process::on(&db).await, Process::on(&db).await);
    first.settings.lease = Duration::from_millis(300);
    let owner =
        async || queries::find_chore(&mut db.read().await.unwrap(), "sweep").await.unwrap().unwrap().0;
    let (mut one, mut two) = (first.worker(1), first.worker(1));
    drop(second);

    one.sweeper.sweep().await.unwrap();
    two.sweeper.sweep().await.unwrap();
    let elected = owner().await;
    tokio::time::sleep(Duration::from_millis(350)).await;
    two.sweeper.sweep().await.unwrap();

    assert_eq!(elected, one.id);
    assert_eq!(owner().await, two.id, "the first one stood still for a lease");
}

#[tokio::test]
async fn an_attempt_that_lost_its_job_may_not_write() {
    on_each_engine(async |process| {
        process.queue(vec![Say::Hang.queued_for("a")]).await;
        let mut first = process.worker(1);
        first.step().await.unwrap();
        let id = process.jobs.list(None, 1).await.unwrap().remove(0).id;
        let attempt_of = async |worker: &Worker, attempt: i64| {
            let mut tx = process.jobs.db().write().await.unwrap();
            queries::hold_job(&mut tx, &id, &worker.id, attempt).await.unwrap()
        };

        let holds = attempt_of(&first, 1).await;
        process.worker(1).sweeper.reclaim_all().await.unwrap();
        let mut second = process.worker(1);
        second.step().await.unwrap();

        assert!(holds);
        assert!(!attempt_of(&first, 1).await);
        assert!(attempt_of(&second, 2).await && !attempt_of(&second, 1).await);
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_job_may_stop_by_itself() {
    on_each_engine(async |process| {
        process.queue(vec![Say::Hold.queued_for("a")]).await;
        let (shutdown, worker) = process.start(1);
        let running = async || process.jobs.list(Some(JobState::Running), 1).await.unwrap();
        while running().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }

        process.jobs.cancel(running().await.remove(0).id.as_str()).await.unwrap();
        process.log.has(1).await;
        shutdown.cancel();
        worker.await.unwrap();

        assert_eq!(process.log.lines(), ["stopped by itself"]);
        assert!(process.states().await.is_empty());
    })
    .await;
}
