//! Visits and the real SIGKILL: of an import while it starts, while it counts, and while it closes days.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::process::{Service, client, folder, glasshouse, ok};

async fn total(api: &str, key: &str) -> u64 {
    let url = format!("{api}/api/analytics/bots/daily?domain=shop.test&days=180&include=origin");
    let reply = client().get(url).header("x-service-api-key", key).send().await.unwrap();
    let report: Value = serde_json::from_str(&reply.text().await.unwrap()).unwrap();
    report["daily"].as_array().expect("days").iter().map(|day| day["total"].as_u64().unwrap()).sum()
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
