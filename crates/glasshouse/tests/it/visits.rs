//! Visits and real SIGKILLs: of the service while it records, and of an import while it starts, while it counts, and while
//! it closes days.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process::{Service, client, folder, glasshouse, ok};

const CRAWLER: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
/// Concurrent requests; as many may have been recorded without an answer.
const AT_ONCE: u64 = 4;
/// Age of an answer at a kill from which its visit must be on the disk. Far above the promised 50 ms, since the machine
/// may be slow.
const SURELY_KEPT: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(90);

async fn total(api: &str, key: &str) -> u64 {
    let url = format!("{api}/api/analytics/bots/daily?domain=shop.test&days=180&include=origin");
    let reply = client().get(url).header("x-service-api-key", key).send().await.unwrap();
    let report: Value = serde_json::from_str(&reply.text().await.unwrap()).unwrap();
    report["daily"].as_array().expect("days").iter().map(|day| day["total"].as_u64().unwrap()).sum()
}

/// Repeats a request until at least `least` visits are reported.
async fn wait_for_total(api: &str, key: &str, least: u64) -> u64 {
    let start = Instant::now();
    loop {
        let now = total(api, key).await;
        if now >= least {
            return now;
        }
        assert!(start.elapsed() < PATIENCE, "{now} of {least} visits");
        // A key may send 60 requests a minute.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
    }
}

/// Crawlers that send requests without pause, and the times of the answers.
struct Crawl {
    tasks: Vec<tokio::task::JoinHandle<()>>,
    answered: Arc<Mutex<Vec<Instant>>>,
    stop: Arc<AtomicBool>,
}

impl Crawl {
    fn start(api: &str, key: &str) -> Crawl {
        let (answered, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let pages = Arc::new(AtomicU64::new(0));
        let crawler = |_| {
            let (api, key) = (api.to_owned(), key.to_owned());
            let (answered, stop, pages) = (answered.clone(), stop.clone(), pages.clone());
            tokio::spawn(async move {
                let client = client();
                while !stop.load(Ordering::SeqCst) {
                    let page = pages.fetch_add(1, Ordering::SeqCst) % 50;
                    let url = format!("{api}/api/prerender/render?url=https%3A%2F%2Fshop.test%2F{page}");
                    let request = client.get(url).header("x-service-api-key", &key);
                    match request.header("user-agent", CRAWLER).send().await {
                        Ok(reply) if reply.status() == 304 => answered.lock().unwrap().push(Instant::now()),
                        Ok(reply) => {
                            assert_eq!(reply.status(), 429);
                            tokio::time::sleep(Duration::from_millis(100)).await;
                        }
                        // The service was killed.
                        Err(_) => return,
                    }
                }
            })
        };
        Crawl { tasks: (0..AT_ONCE).map(crawler).collect(), answered, stop }
    }

    /// Waits for the end of all crawlers. Returns the number of all answered requests, and of those answered before a moment.
    async fn end(self, before: Instant) -> (u64, u64) {
        self.stop.store(true, Ordering::SeqCst);
        for task in self.tasks {
            task.await.unwrap();
        }
        let answered = self.answered.lock().unwrap();
        let early = answered.iter().filter(|at| **at < before).count();
        (answered.len() as u64, early as u64)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_service_counts_nothing_twice_and_loses_its_last_moment_only() {
    let folder = folder();
    let first = Service::start(folder.path(), &[]);
    let key = first.printed("API key:");
    let add = ["domain", "add", "shop.test", "--account", "owner@localhost", "--status", "connected"];
    ok(folder.path(), &add);
    let change = client()
        .patch(format!("{}/api/domains/shop.test/settings", first.api))
        .header("x-service-api-key", &key)
        .header("content-type", "application/json")
        .body(json!({ "onDemandRenderEnabled": false }).to_string());
    assert_eq!(change.send().await.unwrap().status(), 200);
    drop(first);

    // Least and greatest number of visits that may be counted.
    let (mut least, mut most) = (0, 0);
    for round in 0..3 {
        let service = Service::start(folder.path(), &[]);
        let before = wait_for_total(&service.api, &key, least).await;
        assert!(before <= most, "{before} counted of at most {most}");
        let crawl = Crawl::start(&service.api, &key);
        // At the kill some visits of this round are in the database, and others are not yet.
        wait_for_total(&service.api, &key, before + 100).await;
        tokio::time::sleep(SURELY_KEPT + Duration::from_millis(17 * round)).await;
        let killed = Instant::now();
        drop(service);
        let (answered, early) = crawl.end(killed - SURELY_KEPT).await;
        least += early;
        most += answered + AT_ONCE;
    }
    let last = Service::start(folder.path(), &[]);
    let counted = wait_for_total(&last.api, &key, least).await;

    assert!(counted <= most, "{counted} counted of at most {most}");
}

/// Returns a log with visits of the last four months, out of order.
fn log(lines: u64) -> String {
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let line = |number: u64| {
        let day = today - jiff::Span::new().days((number * 7 % 120) as i64);
        let (day, path) = (day.strftime("%d/%b/%Y"), number % 300);
        format!(
            "203.0.113.9 - - [{day}:00:00:00 +0000] \"GET /{path} HTTP/1.1\" 200 512 \"-\" \"GPTBot/1.2\"\n"
        )
    };
    (0..lines).map(line).collect()
}

#[tokio::test]
async fn an_import_that_is_killed_again_and_again_counts_every_line_once() {
    const LINES: u64 = 24_000;
    let folder = folder();
    let service = Service::start(folder.path(), &[]);
    let key = service.printed("API key:");
    ok(
        folder.path(),
        &["domain", "add", "shop.test", "--account", "owner@localhost", "--status", "connected"],
    );
    std::fs::write(folder.path().join("access.log"), log(LINES)).unwrap();
    let import = ["analytics", "import", "--domain", "shop.test", "--format", "combined", "access.log"];

    let mut kills = 0;
    loop {
        let mut child = glasshouse(folder.path(), &import, &[]).stdout(Stdio::null()).spawn().unwrap();
        // A little longer each time: during the start, the count, and the closing of days.
        tokio::time::sleep(Duration::from_millis(40 + 37 * kills)).await;
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    let again = ok(folder.path(), &import);

    let known = format!("0 visits from {LINES} lines; {LINES} lines were counted before");
    assert!(again.starts_with(&known), "{again}");
    assert_eq!(total(&service.api, &key).await, LINES);
    let url = format!("{}/api/analytics/bots?domain=shop.test&from=2020-01-01&include=origin", service.api);
    let reply = client().get(url).header("x-service-api-key", &key).send().await.unwrap();
    let bots: Value = serde_json::from_str(&reply.text().await.unwrap()).unwrap();
    let by_page: u64 =
        bots["byProvider"].as_array().unwrap().iter().map(|row| row["count"].as_u64().unwrap()).sum();
    assert_eq!(by_page, LINES);
}
