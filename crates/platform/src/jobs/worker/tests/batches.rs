//! Batches: counting, closing, adding up.

use super::*;

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
async fn a_large_batch_with_one_dead_origin_in_four_is_complete_and_every_page_of_the_others_ran_once() {
    on_each_engine(async |mut process| {
        const PAGES: u64 = 2_000;
        process.settings.lanes = LaneLimits { at_once: 100, per_second: 1_000_000 };
        let page = |n: u64| match n % 4 {
            0 => Say::Trouble.queued_for("a").lane("dead"),
            origin => say(&n.to_string()).lane(format!("origin {origin}")),
        };
        let batch = process.batch_of((0..PAGES).map(|n| page(n).priority(JobPriority::Bulk)).collect()).await;

        process.worker(100).run_until_idle().await;
        let living = process.batch(&batch).await;
        for _ in 0..12 {
            process.clock.advance(HOUR);
            process.worker(100).run_until_idle().await;
        }

        let (troubles, mut ran): (Vec<String>, Vec<String>) =
            process.log.lines().into_iter().partition(|line| line == "trouble");
        ran.sort();
        ran.dedup();
        let over = process.batch(&batch).await;
        assert_eq!((living.done, living.failed, living.completed_at), (PAGES / 4 * 3, 0, None));
        assert_eq!((over.done, over.failed, over.running), (PAGES / 4 * 3, PAGES / 4, 0));
        assert!(over.completed_at.is_some());
        assert_eq!(ran.len() as u64, PAGES / 4 * 3);
        // Pages in progress when the first one failed also fail; after that one is tried at a time, until the batch gives up.
        assert!(troubles.len() <= 112, "{}", troubles.len());
    })
    .await;
}
