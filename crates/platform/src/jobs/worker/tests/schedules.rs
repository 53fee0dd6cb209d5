//! Tests of recurring jobs: each occurrence becomes one job, whichever processes look.

use super::*;
use crate::jobs::schedules::queue_due;
use crate::jobs::{Days, Recurrence};

const DAY: Duration = Duration::from_secs(24 * 3600);

impl Process {
    async fn schedule(&self, owner: &str, rule: &Recurrence, job: NewJob) -> Timestamp {
        let mut tx = self.jobs.db().write().await.unwrap();
        let next = self.jobs.set_schedule(&mut tx, owner, rule, job).await.unwrap();
        tx.commit().await.unwrap();
        next
    }
}

fn daily() -> Recurrence {
    Recurrence::on(Days::Daily).unwrap().at(600, "Europe/Berlin").unwrap()
}

#[tokio::test]
async fn what_recurs_is_queued_once_for_each_time_and_once_for_all_that_were_missed() {
    on_each_engine(async |process| {
        let next = process.schedule("d1", &daily(), say("report").unique("own")).await;
        process.clock.set(next.minus(Duration::from_secs(1)));
        let early = queue_due(&process.jobs).await.unwrap();

        process.clock.set(next);
        let twins = tokio::join!(queue_due(&process.jobs), queue_due(&process.jobs));
        let ran = process.run_all().await;
        process.clock.set(next.plus(DAY * 5 + HOUR));
        let late = queue_due(&process.jobs).await.unwrap();

        assert_eq!((early, twins.0.unwrap() + twins.1.unwrap(), late), (0, 1, 1));
        assert_eq!(ran, ["report"]);
        assert_eq!(process.jobs.next_run("d1", "Say").await.unwrap(), Some(next.plus(DAY * 6)));
    })
    .await;
}

#[tokio::test]
async fn the_same_rule_again_changes_the_job_and_not_its_time() {
    on_each_engine(async |process| {
        let next = process.schedule("d1", &daily(), say("old")).await;
        process.clock.set(next.plus(HOUR));

        let again = process.schedule("d1", &daily(), say("new")).await;
        queue_due(&process.jobs).await.unwrap();
        let other = process.schedule("d1", &Recurrence::on(Days::Monthly(1)).unwrap(), say("new")).await;

        assert_eq!((again, process.run_all().await), (next, vec!["new".to_owned()]));
        assert!(other > next.plus(DAY * 2));
    })
    .await;
}

#[tokio::test]
async fn an_owner_whose_last_job_still_waits_gets_no_second_one() {
    on_each_engine(async |process| {
        for owner in ["d1", "d2"] {
            process.schedule(owner, &daily(), say(owner)).await;
        }

        for _ in 0..3 {
            process.clock.advance(DAY);
            queue_due(&process.jobs).await.unwrap();
        }

        let mut ran = process.run_all().await;
        ran.sort();
        assert_eq!(ran, ["d1", "d2"]);
    })
    .await;
}

#[tokio::test]
async fn what_is_removed_recurs_no_more() {
    on_each_engine(async |process| {
        process.schedule("d1", &daily(), say("gone")).await;
        process.schedule("d2", &daily(), say("stays")).await;

        let mut tx = process.jobs.db().write().await.unwrap();
        process.jobs.remove_schedule(&mut tx, "d1", "Say").await.unwrap();
        tx.commit().await.unwrap();
        process.clock.advance(DAY);
        queue_due(&process.jobs).await.unwrap();

        assert_eq!(process.run_all().await, ["stays"]);
        assert_eq!(process.jobs.next_run("d1", "Say").await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_time_that_a_wrong_clock_planned_is_planned_again() {
    on_each_engine(async |process| {
        process.clock.set(NOON.plus(DAY * 400));
        process.schedule("d1", &daily(), say("report")).await;

        process.clock.set(NOON);
        let queued = queue_due(&process.jobs).await.unwrap();

        let next = process.jobs.next_run("d1", "Say").await.unwrap().unwrap();
        assert!(queued == 0 && next > NOON && next <= NOON.plus(DAY), "{next}");
    })
    .await;
}

#[tokio::test]
async fn many_that_are_due_together_are_all_queued_by_the_elected_process() {
    on_each_engine(async |process| {
        let mut tx = process.jobs.db().write().await.unwrap();
        for owner in 0..1_100 {
            let owner = format!("d{owner}");
            process.jobs.set_schedule(&mut tx, &owner, &daily(), say(&owner)).await.unwrap();
        }
        tx.commit().await.unwrap();
        process.clock.advance(DAY);

        process.worker(1).sweeper.sweep().await.unwrap();

        assert_eq!(process.jobs.list(None, 2_000).await.unwrap().len(), 1_100);
    })
    .await;
}
