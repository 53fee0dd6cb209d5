//! Tests of several processes on one database, and of processes that die, end or freeze.

use super::*;

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
async fn one_process_at_a_time_looks_after_everybodys_jobs() {
    let db = postgres().await;
    let (mut first, second) = (Process::on(&db).await, Process::on(&db).await);
    first.settings.lease = Duration::from_millis(300);
    let owner =
        async || queries::find_maintainer(&mut db.read().await.unwrap(), "sweep").await.unwrap().unwrap().0;
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
