//! Tests of jobs that fail or give up, and of results that cannot be written.

use super::*;

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
            Err(crate::jobs::JobChangeError::NotDead(_))
        ));
        assert!(matches!(process.jobs.retry("nothing").await, Err(crate::jobs::JobChangeError::NotFound(_))));
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
