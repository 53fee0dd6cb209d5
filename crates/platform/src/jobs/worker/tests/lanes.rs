//! Tests of limits of lanes, and of lanes in trouble.

use super::*;

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
async fn a_named_lane_has_limits_of_its_own_that_all_processes_share() {
    on_each_engine(async |mut process| {
        let limits = NamedLane { at_once: 3, per_minute: 240 };
        process.settings.named_lanes = NamedLanes::from([("ai".to_owned(), limits)]);
        process.queue((0..9).map(|_| Say::Slow(100).queued_for("a").lane("ai")).collect()).await;
        let (mut first, mut second) = (process.worker(10), process.worker(10));

        let begun = (first.step().await.unwrap(), second.step().await.unwrap());
        first.run_until_idle().await;
        process.clock.advance(Duration::from_millis(250));
        let later = second.step().await.unwrap();

        assert_eq!(begun, (3, 0), "as many at once as the lane may have");
        assert_eq!(later, 1, "one more is due every quarter of a second once a second's worth has begun");
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
        let trouble = || Say::Trouble.queued_for("a").lane("origin").priority(JobPriority::Bulk);
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
async fn lanes_that_rest_hold_up_nobody_however_many_there_are() {
    on_each_engine(async |process| {
        for lane in 0..40 {
            let lane = format!("dead {lane}");
            process.queue((0..20).map(|_| Say::Trouble.queued_for("a").lane(&lane)).collect()).await;
        }
        process.run_all().await;
        let before = process.log.lines().len();

        process.queue(vec![say("alive").lane("well").priority(JobPriority::Background)]).await;
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
