//! Tests that ClickHouse counts each batch once, whatever happens to the connection, and of the errors while it is unavailable.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rand::prelude::*;
use rand::rngs::StdRng;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

use super::*;
use crate::model::{ServedBy, TimeKey};
use crate::stores::open_at;
use crate::stores::tests::{domains, key};
use crate::testing::*;
use domains::Domain;
use platform::config::ClickHouseUrl;
use platform::plans::Plan;

fn counts(domain: &Domain, day: Day, paths: std::ops::Range<usize>) -> Counts {
    let page = |number: usize| {
        // Some of the month before: a file is more than one batch.
        let day = if number.is_multiple_of(5) { day - 30 } else { day };
        (VisitKey { domain: domain.id.clone(), ..key(day, &format!("/{number}")) }, 1)
    };
    let time = TimeKey { domain: domain.id.clone(), day, served: ServedBy::Cache, bucket: 3 };
    let (pages, times) = (paths.map(page).collect(), vec![(time, 1)]);
    Counts { pages, times, ..Counts::default() }
}

/// Counts visits, pages and timed answers.
async fn total(store: &dyn VisitStore, domain: &Domain) -> (u64, u64, u64) {
    let days = store.totals(&domain.id, (0, 40_000)).await.unwrap();
    let pages = store.pages(&domain.id, (0, 40_000), Scope::WithOrigin, PageSelection::All).await.unwrap();
    let times = store.times(&domain.id, (0, 40_000)).await.unwrap();
    let visits: u64 = days.iter().map(|day| day.visits).sum();
    let by_page: u64 = pages.iter().flat_map(|page| &page.sums).map(|sum| sum.visits).sum();
    assert_eq!(by_page, visits, "the tables have the same visits");
    (visits, pages.len() as u64, times.values().sum())
}

/// Proxy between the store and the server that cuts connections after a number of bytes in each direction. `u64::MAX`: no
/// limit.
struct Cutter {
    port: u16,
    there: Arc<AtomicU64>,
    back: Arc<AtomicU64>,
}

impl Cutter {
    #[expect(clippy::disallowed_methods, reason = "the tasks end with the test")]
    async fn before(server: &ClickHouseUrl) -> Cutter {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (there, back) = (Arc::new(AtomicU64::new(u64::MAX)), Arc::new(AtomicU64::new(u64::MAX)));
        let address = format!("{}:{}", server.endpoint.host_str().unwrap(), server.endpoint.port().unwrap());
        let (most_there, most_back) = (there.clone(), back.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(&address).await else { continue };
                tokio::spawn(carry(client, server, most_there.clone(), most_back.clone()));
            }
        });
        Cutter { port, there, back }
    }

    /// Waits until the limit of answers is used up.
    async fn used_up(&self) {
        while self.back.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn cut(&self, there: u64, back: u64) {
        self.there.store(there, Ordering::SeqCst);
        self.back.store(back, Ordering::SeqCst);
    }
}

/// Forwards bytes both ways until one limit is used up; then both ends see the connection break.
async fn carry(mut client: TcpStream, mut server: TcpStream, there: Arc<AtomicU64>, back: Arc<AtomicU64>) {
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    tokio::select! {
        () = carry_one(&mut from_client, &mut to_server, &there) => {}
        () = carry_one(&mut from_server, &mut to_client, &back) => {}
    }
}

async fn carry_one(
    from: &mut (impl AsyncReadExt + Unpin),
    to: &mut (impl AsyncWriteExt + Unpin),
    most: &AtomicU64,
) {
    let mut buffer = vec![0; 4096];
    loop {
        let Ok(read) = from.read(&mut buffer).await else { return };
        let left = most.load(Ordering::SeqCst);
        let allowed = (read as u64).min(left) as usize;
        if left != u64::MAX {
            most.fetch_sub(allowed as u64, Ordering::SeqCst);
        }
        if to.write_all(&buffer[..allowed]).await.is_err() || allowed < read || read == 0 {
            return;
        }
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_anywhere_counts_everything_once() {
    let app = TestApp::new().await;
    let (shop, _) = domains(&app).await;
    let today = app.state.analytics.today();
    let mut url: ClickHouseUrl = clickhouse_database().await.parse().unwrap();
    let direct = open_at(Some(url.clone()), &app.state.platform);
    let cutter = Cutter::before(&url).await;
    url.endpoint.set_port(Some(cutter.port)).unwrap();
    let mut random = StdRng::seed_from_u64(11);

    let mut expected = 0;
    for file in 0..80_u64 {
        // Another process each time, with an empty memory.
        let new = || ClickHouseStore::new(url.clone(), &app.state.platform.db, &app.state.platform.clock);
        let store = new();
        store.check().await.unwrap();
        let paths = random.random_range(1..60);
        let counts = counts(&shop, today, 0..paths);
        match random.random_range(0..3) {
            // Somewhere in the request.
            0 => cutter.cut(random.random_range(0..6_000), u64::MAX),
            // The request arrives; nothing comes back.
            1 => cutter.cut(u64::MAX, 0),
            // Somewhere in an answer.
            _ => cutter.cut(u64::MAX, random.random_range(1..400)),
        }
        for _ in 0..random.random_range(1..3) {
            let _ = store.apply(&format!("file-{file}"), &counts).await;
        }
        cutter.cut(u64::MAX, u64::MAX);
        new().apply(&format!("file-{file}"), &counts).await.unwrap();
        expected += paths as u64;
        let pages = total(&*direct, &shop).await;
        assert_eq!((pages.0, pages.2), (expected, file + 1), "after file {file}");
    }
}

/// Server of one test, which may kill it: it is started again. It ends with the test.
struct OwnServer {
    script: Child,
    url: ClickHouseUrl,
    pid_file: String,
}

impl OwnServer {
    async fn start() -> OwnServer {
        const SAY: &str =
            "echo \"own $GLASSHOUSE_TEST_CLICKHOUSE $GLASSHOUSE_TEST_CLICKHOUSE_PID\"; cat > /dev/null";
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/with-clickhouse.sh");
        let mut script = Command::new(script)
            .args(["bash", "-c", SAY])
            // The end of this input ends the server, also when the test fails.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(script.stdout.take().unwrap()).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            let words: Vec<&str> = line.split(' ').collect();
            if let ["own", url, pid_file] = words[..] {
                return OwnServer { script, url: url.parse().unwrap(), pid_file: pid_file.to_owned() };
            }
        }
        panic!("the server did not start");
    }

    async fn kill(&self) {
        let pid: u32 = std::fs::read_to_string(&self.pid_file).unwrap().trim().parse().unwrap();
        Command::new("kill").args(["-KILL", &pid.to_string()]).status().await.unwrap();
    }

    async fn end(mut self) {
        drop(self.script.stdin.take());
        self.script.wait().await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_is_killed_between_sending_and_answer_counts_everything_once() {
    let app = TestApp::new().await;
    let (shop, _) = domains(&app).await;
    let today = app.state.analytics.today();
    let server = OwnServer::start().await;
    let mut url = server.url.clone();
    let cutter = Cutter::before(&url).await;
    url.endpoint.set_port(Some(cutter.port)).unwrap();
    let store = || ClickHouseStore::new(url.clone(), &app.state.platform.db, &app.state.platform.clock);
    let mut random = StdRng::seed_from_u64(12);

    for file in 0..9 {
        let name = format!("file-{file}");
        let counts = counts(&shop, today, 0..1_000);
        // The server dies with the first byte of an answer, with a later one, or while it works.
        let answers = [1, random.random_range(2..2_000), u64::MAX][file % 3];
        let pause = Duration::from_millis(random.random_range(0..20));
        let before = store();
        while before.check().await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        cutter.cut(u64::MAX, answers);
        let moment = async {
            match answers {
                u64::MAX => tokio::time::sleep(pause).await,
                _ => cutter.used_up().await,
            }
        };
        let mut work = before.apply(&name, &counts);
        let has_ended = tokio::select! {
            _ = &mut work => true,
            () = moment => false,
        };
        server.kill().await;
        if !has_ended {
            // Any result: the next process does not know it.
            let _ = work.await;
        }
        cutter.cut(u64::MAX, u64::MAX);

        while store().apply(&name, &counts).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let files = file as u64 + 1;
        assert_eq!(total(&store(), &shop).await, (1_000 * files, 1_000, files), "after kill {file}");
    }
    server.end().await;
}

#[tokio::test]
async fn a_batch_that_two_processes_send_at_once_is_counted_once() {
    let app = TestApp::new().await;
    let (shop, _) = domains(&app).await;
    let today = app.state.analytics.today();
    let url: ClickHouseUrl = clickhouse_database().await.parse().unwrap();
    let store = || ClickHouseStore::new(url.clone(), &app.state.platform.db, &app.state.platform.clock);
    let counts = counts(&shop, today, 0..5_000);

    let stores = [store(), store(), store(), store()];
    let sent = futures::future::join_all(stores.iter().map(|store| store.apply("file", &counts))).await;

    assert!(sent.iter().all(Result::is_ok), "{sent:?}");
    assert_eq!(total(&stores[0], &shop).await, (5_000, 5_000, 1));
}

#[tokio::test]
async fn more_people_from_assistants_than_a_day_has_room_for_are_counted_together() {
    let app = TestApp::new().await;
    let (shop, _) = domains(&app).await;
    let day = app.state.analytics.today();
    let store = open_at(Some(clickhouse_database().await.parse().unwrap()), &app.state.platform);
    let referral = |number: usize| {
        let (path, assistant) = (format!("/{number:05}").into(), "openai".to_owned());
        (crate::referrals::ReferralKey { domain: shop.id.clone(), day, path, assistant }, 1)
    };
    for (file, people) in [("1", 0..10_000), ("2", 9_998..10_005)] {
        let counts = Counts { referrals: people.map(referral).collect(), ..Counts::default() };
        store.apply(file, &counts).await.unwrap();
    }

    let found =
        store.referrals(&shop.id, (day, day), crate::referrals::ReferralRows::Top(20_000)).await.unwrap();

    assert_eq!(found.len(), 10_001);
    let other = found.iter().find(|row| row.path == OTHER_PATHS).unwrap();
    assert_eq!(other.count, 5);
}

/// Server that accepts connections, and answers only when told to.
struct Hanging {
    url: ClickHouseUrl,
    answers: Arc<std::sync::atomic::AtomicBool>,
}

impl Hanging {
    #[expect(clippy::disallowed_methods, reason = "the tasks end with the test")]
    async fn start() -> Hanging {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("clickhouse://u:p@{}/v", listener.local_addr().unwrap()).parse().unwrap();
        let answers = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let answer = answers.clone();
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let answer = answer.clone();
                tokio::spawn(async move {
                    let mut request = vec![0; 4096];
                    while client.read(&mut request).await.is_ok_and(|bytes| bytes > 0) {
                        if answer.load(Ordering::SeqCst) {
                            client.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
                        }
                    }
                });
            }
        });
        Hanging { url, answers }
    }
}

#[tokio::test]
async fn a_server_that_hangs_holds_one_report_up_and_refuses_the_others_at_once() {
    let app = TestApp::new().await;
    let (shop, _) = domains(&app).await;
    let server = Hanging::start().await;
    let store = ClickHouseStore::new(server.url.clone(), &app.state.platform.db, &app.state.platform.clock);
    let report = async || {
        let start = tokio::time::Instant::now();
        (store.totals(&shop.id, (0, 40_000)).await.map(|days| days.len()).ok(), start.elapsed().as_secs())
    };
    // From here on time advances whenever all tasks are idle.
    tokio::time::pause();

    let (first, second) = tokio::join!(report(), report());
    let third = report().await;
    server.answers.store(true, Ordering::SeqCst);
    tokio::time::advance(circuit_breaker::PAUSE).await;
    let after = report().await;

    assert_eq!([first, second, third], [(None, 10), (None, 10), (None, 0)]);
    assert_eq!((after.0, report().await.0), (Some(0), Some(0)));
}

#[tokio::test]
async fn a_report_is_refused_when_its_turn_does_not_come() {
    let app = TestApp::new().await;
    let (shop, _) = domains(&app).await;
    let analytics = &app.state.analytics;
    let _turns = analytics.lists.acquire_many(4).await.unwrap();
    tokio::time::pause();

    let reply = analytics.bots(&shop.id, (0, 1), None, None, Scope::Snapshots).await;

    assert!(matches!(reply, Err(VisitError::Busy)));
}

#[tokio::test]
async fn while_it_is_away_visits_wait_and_reports_say_so() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let app =
        TestApp::with(&format!("[analytics]\nstore_url = \"clickhouse://u:hunter2@127.0.0.1:{port}/v\""))
            .await;
    let account = app.account("a@x.example", Plan::Agency).await;
    let domain = app.domain(&account, "shop.example").await;
    let spool = app.state.platform.config.storage.data_dir.join("spool");
    app.state.start();

    app.state.recorder.record(crate::Visit {
        domain: domain.id.clone(),
        path: "/a".into(),
        crawler: crate::CrawlerIndex::shared().identify("GPTBot/1.2").unwrap(),
        verified: crate::Verified::Unknown,
        served: ServedBy::Cache,
        status: 200,
        at: app.clock.now(),
        duration: Duration::from_millis(2),
    });
    app.state.recorder.flush().await;

    assert_eq!(std::fs::read_dir(spool).unwrap().count(), 1);
    for report in [
        "bots?",
        "bots/daily?",
        "bots/summary?",
        "page-insights?url=https%3A%2F%2Fshop.example%2F&",
        "crawlers?",
        "export?",
    ] {
        let reply = app.get(&format!("/api/analytics/{report}domain=shop.example")).key(&account.key).await;
        reply.assert_error(503, "service_unavailable");
    }
    let problem = app.state.visits.check().await.unwrap_err();
    assert_eq!(problem.to_string(), "the visit store does not answer");
}
