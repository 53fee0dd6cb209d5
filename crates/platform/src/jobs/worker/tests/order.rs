//! Which job is next, and that each is there once: priorities, accounts, what is queued twice, schedules, cancelling.

use super::*;

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
async fn a_process_that_drains_claims_nothing() {
    on_each_engine(async |process| {
        process.queue(vec![say("a")]).await;
        process.settings.draining.begin();

        let said = process.run_all().await;

        assert_eq!(said, [""; 0]);
        assert_eq!(process.states().await, [(JobState::Waiting, 0, None)]);
    })
    .await;
}

#[tokio::test]
async fn priorities_go_first_and_then_the_order_of_queueing() {
    on_each_engine(async |process| {
        process.queue(vec![say("bulk 1").priority(JobPriority::Bulk), say("normal")]).await;
        process
            .queue(vec![
                say("bulk 2").priority(JobPriority::Bulk),
                say("background").priority(JobPriority::Background),
            ])
            .await;
        process.queue(vec![say("urgent").priority(JobPriority::Urgent)]).await;

        assert_eq!(process.run_all().await, ["urgent", "normal", "bulk 1", "bulk 2", "background"]);
    })
    .await;
}

#[tokio::test]
async fn one_accounts_many_jobs_do_not_delay_another_accounts_single_one() {
    on_each_engine(async |process| {
        process.queue((0..250).map(|n| say_for("big", &format!("big {n}"))).collect()).await;
        process.queue(vec![say_for("small", "small 1"), say_for("small", "small 2")]).await;

        let lines = process.run_all().await;

        let place = |text: &str| lines.iter().position(|line| line == text).unwrap();
        assert!(place("small 1") <= 2 && place("small 2") <= 4, "{:?}", &lines[..6]);
        assert_eq!(lines.len(), 252);
    })
    .await;
}

#[tokio::test]
async fn an_account_that_was_idle_has_saved_up_no_turns() {
    on_each_engine(async |process| {
        process.queue((0..100).map(|n| say_for("busy", &n.to_string())).collect()).await;
        process.run_all().await;

        process.queue((0..50).map(|n| say_for("idle", &format!("idle {n}"))).collect()).await;
        process.queue(vec![say_for("busy", "busy again")]).await;
        let lines = process.run_all().await;

        let place = lines.iter().position(|line| line == "busy again").unwrap();
        assert!(place <= 102, "behind {} jobs of the other", place - 100);
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
async fn a_cancelled_job_is_stopped_and_counts_as_failed() {
    on_each_engine(async |process| {
        let batch =
            process.batch_of(vec![Say::Hang.queued_for("a"), say("fine").priority(JobPriority::Bulk)]).await;
        let (shutdown, worker) = process.start(1);
        process.log.has(1).await;

        let hanging = process.jobs.list(Some(JobState::Running), 1).await.unwrap().remove(0);
        process.jobs.cancel(hanging.id.as_str()).await.unwrap();
        let batch = process.batch_is_complete(&batch).await;

        assert_eq!((batch.done, batch.failed), (1, 1));
        assert!(matches!(
            process.jobs.cancel(hanging.id.as_str()).await,
            Err(crate::jobs::JobChangeError::NotFound(_))
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
async fn work_that_waits_for_an_hour_goes_up_one_priority() {
    on_each_engine(async |process| {
        process.queue(vec![say("old bulk").priority(JobPriority::Bulk)]).await;
        process.clock.advance(HOUR + Duration::from_secs(1));
        process.queue(vec![say("new normal"), say("new bulk").priority(JobPriority::Bulk)]).await;

        process.worker(1).sweeper.sweep().await.unwrap();

        assert_eq!(process.run_all().await, ["old bulk", "new normal", "new bulk"]);
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

#[tokio::test]
async fn a_unique_key_may_be_longer_than_an_index_entry() {
    on_each_engine(async |process| {
        // Far beyond 2,704 bytes, packed too.
        let key: String = (0..20_000).map(|n| n.to_string()).collect();
        let other = format!("{key}x");

        let new = process.queue(vec![say("1").unique(&key), say("2").unique(&other)]).await;
        let again = process.queue(vec![say("3").unique(&key)]).await;

        assert_eq!((new, again), (2, 0));
    })
    .await;
}
