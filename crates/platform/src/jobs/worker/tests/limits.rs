//! Bounds that hold over all processes, and amounts that platforms have.

use store::on_engine;

use super::*;

/// A job that runs one at a time in all processes.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Alone {}

impl Job for Alone {
    const KIND: &'static str = "Alone";
    const MOST_AT_ONCE: Option<usize> = Some(1);
    type Services = Log;

    async fn run(&self, log: &Log, run: &JobRun) -> Result<JobOutcome, JobError> {
        log.write("began");
        run.stopping().await;
        Ok(JobOutcome::Done)
    }
}

impl Process {
    async fn execute(&self, sql: &'static str) {
        let mut tx = self.jobs.db().write().await.unwrap();
        on_engine!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
    }

    async fn number(&self, sql: &'static str) -> i64 {
        let mut conn = self.jobs.db().read().await.unwrap();
        on_engine!(conn, |c| sqlx::query_scalar(sql).fetch_one(c).await).unwrap()
    }
}

#[tokio::test]
async fn ageing_reaches_every_job_whatever_stands_before_it() {
    const STILL_BELOW: &str = "select count(*) from jobs
        where account_id = 'old' and priority = (select max(priority) from jobs)";
    const FRESH_ABOVE: &str = "select count(*) from jobs
        where account_id <> 'old' and priority < (select max(priority) from jobs)";
    on_each_engine(async |process| {
        let bulk =
            |account: &str| (0..30).map(|_| say_for(account, "-").priority(JobPriority::Bulk)).collect();
        process.queue(bulk("old")).await;
        process.clock.advance(HOUR + Duration::from_secs(1));
        // Who was idle begins at the head of the queue, before most of the old ones.
        for account in 0..60 {
            process.queue(bulk(&format!("new {account}"))).await;
        }
        let mut worker = process.worker(1);

        let mut rounds = 0;
        while process.number(STILL_BELOW).await > 0 && rounds < 5 {
            worker.sweeper.sweep().await.unwrap();
            rounds += 1;
        }

        assert_eq!((process.number(STILL_BELOW).await, process.number(FRESH_ABOVE).await), (0, 0));
        assert!(rounds > 1, "one round raises a few only");
    })
    .await;
}

#[tokio::test]
async fn processes_together_run_no_more_of_a_kind_than_it_allows() {
    on_each_engine(async |process| {
        process.queue(vec![Alone {}.queued_for("a"), Alone {}.queued_for("b"), say("beside")]).await;
        let worker = || {
            let registry =
                Registry::default().with::<Alone>(process.log.clone(), 4).with::<Say>(process.log.clone(), 4);
            Worker::new(process.jobs.clone(), registry, Vec::new(), process.settings.clone())
        };
        let (mut one, mut two) = (worker(), worker());

        let begun = (one.step().await.unwrap(), two.step().await.unwrap());
        process.log.has(2).await;

        assert_eq!(begun, (2, 0));
        let mut lines = process.log.lines();
        lines.sort();
        assert_eq!(lines, ["began", "beside"]);
    })
    .await;
}

#[tokio::test]
async fn of_the_jobs_of_an_account_that_gave_up_the_newest_ten_thousand_are_kept() {
    on_each_engine(async |process| {
        process.queue((0..10_030).map(|n| say_for("big", &n.to_string())).collect()).await;
        process.queue((0..5).map(|n| say_for("small", &n.to_string())).collect()).await;
        // In the order of their making, one a millisecond.
        process.execute("update jobs set state = 'dead', ended_at = 1795176000000 - 20000 + turn").await;

        process.worker(1).sweeper.sweep().await.unwrap();

        let kept = process.number("select count(*) from jobs where account_id = 'big'").await;
        let oldest = process.number("select min(turn) from jobs where account_id = 'big'").await;
        assert_eq!((kept, oldest), (10_000, 31));
        assert_eq!(process.number("select count(*) from jobs where account_id = 'small'").await, 5);
    })
    .await;
}
