//! Visits and the real SIGKILL: of the service while it records, and of an import while it counts and closes days.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process::{Service, client, folder, glasshouse, ok};

const CRAWLER: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
/// Requests at once: as many may have been recorded without an answer.
const AT_ONCE: u64 = 8;
const PATIENCE: Duration = Duration::from_secs(60);

async fn total(api: &str, key: &str) -> u64 {
    let url = format!("{api}/api/analytics/bots/daily?domain=shop.test&days=180&include=origin");
    let reply = client().get(url).header("x-service-api-key", key).send().await.unwrap();
    let report: Value = serde_json::from_str(&reply.text().await.unwrap()).unwrap();
    report["daily"].as_array().expect("days").iter().map(|day| day["total"].as_u64().unwrap()).sum()
}

/// Asks until at least so many visits are reported.
async fn wait_for_total(api: &str, key: &str, least: u64) -> u64 {
    let start = Instant::now();
    loop {
        let now = total(api, key).await;
        if now >= least {
            return now;
        }
        assert!(start.elapsed() < PATIENCE, "{now} of {least} visits");
        // A key may ask 60 times a minute.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
    }
}

/// Asks for pages as a crawler until it is told to stop; counts the answers.
async fn crawl(api: String, key: String, answered: Arc<AtomicU64>, stop: Arc<AtomicBool>) {
    let client = client();
    while !stop.load(Ordering::SeqCst) {
        let page = answered.load(Ordering::SeqCst) % 50;
        let url = format!("{api}/api/prerender/render?url=https%3A%2F%2Fshop.test%2F{page}");
        let request = client.get(url).header("x-service-api-key", &key).header("user-agent", CRAWLER);
        match request.send().await {
            Ok(reply) if reply.status() == 304 => answered.fetch_add(1, Ordering::SeqCst),
            // A limit is reached.
            Ok(_) => {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
            Err(_) => return,
        };
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_service_counts_nothing_twice_and_keeps_what_was_on_the_disk() {
    let folder = folder();
    let first = Service::start(folder.path(), &[]);
    let key = first.printed("API key:");
    ok(
        folder.path(),
        &["domain", "add", "shop.test", "--account", "owner@localhost", "--status", "connected"],
    );
    let change = client()
        .patch(format!("{}/api/domains/shop.test", first.api))
        .header("x-service-api-key", &key)
        .header("content-type", "application/json")
        .body(json!({ "onDemandRenderEnabled": false }).to_string());
    assert_eq!(change.send().await.unwrap().status(), 200);
    drop(first);

    let (answered, mut kept, mut in_flight) = (Arc::new(AtomicU64::new(0)), 0, 0);
    for round in 0..4 {
        let service = Service::start(folder.path(), &[]);
        // What was reported before the kill is there after it.
        let before = wait_for_total(&service.api, &key, kept).await;
        let stop = Arc::new(AtomicBool::new(false));
        let tasks: Vec<_> = (0..AT_ONCE)
            .map(|_| tokio::spawn(crawl(service.api.clone(), key.clone(), answered.clone(), stop.clone())))
            .collect();
        // Something of this round is in the database, and more is on its way, when it is killed.
        kept = wait_for_total(&service.api, &key, before + 100).await;
        tokio::time::sleep(Duration::from_millis(17 * round)).await;
        drop(service);
        stop.store(true, Ordering::SeqCst);
        for task in tasks {
            task.await.unwrap();
        }
        in_flight += AT_ONCE;
    }
    let last = Service::start(folder.path(), &[]);
    let counted = wait_for_total(&last.api, &key, kept).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let settled = total(&last.api, &key).await;

    let most = answered.load(Ordering::SeqCst) + in_flight;
    assert!(counted <= settled && settled <= most, "{counted}, then {settled} counted of at most {most}");
}

/// Visits of the last four months, out of order.
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
        // A little longer each time: while it starts, while it counts, while it closes days.
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
