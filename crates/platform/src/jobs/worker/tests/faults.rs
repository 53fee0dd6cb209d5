//! Several real processes on one PostgreSQL, killed, frozen for longer than a lease, and cut off from the database: nothing
//! is lost, nothing takes effect twice, counts add up.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use store::on_engine;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::testing::OtherProcess;

/// Environment variable that tells a child of these tests its database.
const DATABASE: &str = "GLASSHOUSE_FAULTS_DATABASE";
const CHILD: &str = "jobs::worker::tests::faults::a_child_works_for_the_other_tests_until_it_is_killed";
const LEASE: Duration = Duration::from_secs(3);

/// A job that takes effect once, whatever happens to its process: the effect and the checkpoint are one fenced transaction.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Mark(i64);

impl Job for Mark {
    const KIND: &'static str = "Mark";
    const MAX_ATTEMPTS: u32 = 50;
    const FIRST_WAIT: Duration = Duration::from_millis(1);
    type Services = Db;

    async fn run(&self, db: &Db, run: &JobRun) -> Result<JobOutcome, JobError> {
        if run.checkpoint::<bool>().is_some() {
            return Ok(JobOutcome::Done);
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
        let mut tx = db.write().await?;
        run.save(&mut tx, &true, &"marked").await?;
        const SQL: &str = "insert into marks values ($1)";
        on_engine!(tx, |c| sqlx::query(SQL).bind(self.0).execute(c).await.map(drop))
            .map_err(DbError::from)?;
        tx.commit().await?;
        Ok(JobOutcome::Done)
    }
}

fn worker_on(process: &Process) -> Worker {
    let settings =
        WorkerSettings { lease: LEASE, beat_every: Duration::from_millis(500), ..process.settings.clone() };
    let registry = Registry::default().with::<Mark>(process.jobs.db().clone(), 4);
    Worker::new(process.jobs.clone(), registry, Vec::new(), settings)
}

async fn prepared() -> (TestDb, Process) {
    let db = postgres().await;
    let process = Process::on(&db).await;
    let mut tx = db.write().await.unwrap();
    on_engine!(tx, |c| sqlx::query("create table marks (n bigint)").execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
    (db, process)
}

async fn marks(db: &Db) -> Vec<i64> {
    let mut conn = db.read().await.unwrap();
    on_engine!(conn, |c| sqlx::query_scalar("select n from marks").fetch_all(c).await).unwrap()
}

async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(180);
    while !holds().await {
        assert!(tokio::time::Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_child_works_for_the_other_tests_until_it_is_killed() {
    #[expect(clippy::disallowed_methods, reason = "a test speaks to its own child")]
    let Ok(url) = std::env::var(DATABASE) else { return };
    let db = Db::open(&DbConfig { url, max_connections: 4 }).await.unwrap();
    let process = Process::on(&db).await;

    worker_on(&process).run(CancellationToken::new()).await;
}

#[tokio::test]
async fn processes_that_are_killed_or_frozen_lose_nothing_and_double_nothing() {
    let (db, first) = prepared().await;
    let batch = first.batch_of((0..600).map(|n| Mark(n).queued_for("a")).collect()).await;
    let mut children: Vec<OtherProcess> =
        (0..5).map(|_| OtherProcess::start(CHILD, &[(DATABASE, db.url())])).collect();
    until("they work", async || marks(&db).await.len() >= 40).await;

    let frozen = children.remove(0);
    frozen.signal(Signal::STOP);
    children.remove(0).signal(Signal::KILL);
    let complete = async || first.batch(&batch).await.completed_at.is_some();
    until("the others take over", complete).await;
    let completed = first.batch(&batch).await;
    // By now it was frozen for longer than a lease, or the others could not have finished its jobs.
    frozen.signal(Signal::CONT);
    let second = first.batch_of((600..700).map(|n| Mark(n).queued_for("a")).collect()).await;
    until("all work on", async || first.batch(&second).await.completed_at.is_some()).await;

    let marks = marks(&db).await;
    assert_eq!((completed.done, completed.failed), (600, 0));
    assert_eq!((marks.len(), marks.iter().collect::<HashSet<_>>().len()), (700, 700));
    assert_eq!((first.batch(&batch).await.done, first.batch(&second).await.done), (600, 100));
}

/// Passes bytes on to a server until it is told to swallow them; connections stay open meanwhile.
struct Proxy {
    port: u16,
    swallows: Arc<AtomicBool>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    #[expect(clippy::disallowed_methods, reason = "the test ends it")]
    async fn to(server: String) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let swallows = Arc::new(AtomicBool::new(false));
        let is_dark = swallows.clone();
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let Ok(upstream) = TcpStream::connect(&server).await else { continue };
                let ((from_client, to_client), (from_server, to_server)) =
                    (client.into_split(), upstream.into_split());
                connections.spawn(pass_on(from_client, to_server, is_dark.clone()));
                connections.spawn(pass_on(from_server, to_client, is_dark.clone()));
            }
        });
        Proxy { port, swallows, accepting }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn pass_on(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, is_dark: Arc<AtomicBool>) {
    let mut bytes = [0; 8192];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        // What was swallowed is lost: the connection is never of use again, as after a cut in the network.
        if is_dark.load(Ordering::Acquire) {
            std::future::pending::<()>().await;
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test ends it")]
async fn a_process_that_a_black_hole_cuts_off_stops_in_time_and_works_on_afterwards() {
    let (db, first) = prepared().await;
    let address = url::Url::parse(db.url()).unwrap();
    let (host, port) = (address.host_str().unwrap(), address.port().unwrap_or(5432));
    let proxy = Proxy::to(format!("{host}:{port}")).await;
    let mut through = address.clone();
    through.set_host(Some("127.0.0.1")).unwrap();
    through.set_port(Some(proxy.port)).unwrap();
    let far = Db::open(&DbConfig { url: through.into(), max_connections: 4 }).await.unwrap();
    let cut_off = Process::on(&far).await;
    let shutdown = CancellationToken::new();
    let batch = first.batch_of((0..300).map(|n| Mark(n).queued_for("a")).collect()).await;

    let one = tokio::spawn(worker_on(&cut_off).run(shutdown.clone()));
    until("it works", async || marks(&db).await.len() >= 20).await;
    proxy.swallows.store(true, Ordering::Release);
    let two = tokio::spawn(worker_on(&first).run(shutdown.clone()));
    until("the other takes over", async || first.batch(&batch).await.completed_at.is_some()).await;
    let taken_over = first.batch(&batch).await;
    proxy.swallows.store(false, Ordering::Release);
    let second = first.batch_of((300..340).map(|n| Mark(n).queued_for("a")).collect()).await;
    until("both work on", async || first.batch(&second).await.completed_at.is_some()).await;
    shutdown.cancel();
    let _ = (one.await, two.await);

    let marks = marks(&db).await;
    assert_eq!((taken_over.done, taken_over.failed), (300, 0));
    assert_eq!((marks.len(), marks.iter().collect::<HashSet<_>>().len()), (340, 340));
}
