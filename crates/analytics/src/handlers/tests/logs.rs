//! Tests of pushed logs, over HTTP.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::Shop;
use crate::testing::*;
use domains::service::Lock;
use platform::plans::Plan;

const PATH: &str = "/api/analytics/logs?domain=shop.example";

/// Makes a line of the own format, of a crawler's visit some days ago.
fn line(path: &str, days_ago: i64) -> String {
    let at = NOON.as_millis() - days_ago * super::DAY_MS;
    json!({ "ts": at, "path": path, "userAgent": "GPTBot/1.2", "ip": "203.0.113.9" }).to_string() + "\n"
}

impl Shop {
    fn push(&self, query: &str, body: impl Into<axum::body::Body>) -> TestRequest {
        self.app.post(&format!("{PATH}{query}")).key(&self.account.key).body(body)
    }

    /// Returns the number of visits that the reports show.
    async fn reported(&self) -> u64 {
        let daily = self.get("/api/analytics/bots/daily?domain=shop.example&include=origin").await.json();
        daily["daily"]
            .as_array()
            .expect("days")
            .iter()
            .map(|day| day["total"].as_u64().expect("a count"))
            .sum()
    }
}

#[tokio::test]
async fn a_pushed_log_counts_as_an_imported_one_does() {
    Shop::on_each_store(async |shop| {
        let person = line("/a", 0).replace("GPTBot/1.2", "Firefox");
        let log = [
            line("/a", 0),
            line("/b", 1),
            line("/tomorrow", -1),
            person,
            "nonsense\n".to_owned(),
            line("/c", 0),
        ]
        .concat();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(log.as_bytes()).unwrap();
        let gzip = gzip.finish().unwrap();
        let counted = json!({ "lines": 6, "visits": 3, "unreadable": 1 });

        shop.push("&format=ndjson", log.clone()).await.assert(202, counted.clone());
        let of_type = shop.push("", log).header("content-type", "application/logplex-1");
        of_type.await.assert(202, counted.clone());
        shop.push("&format=auto", gzip.clone()).await.assert(202, counted.clone());
        shop.push("", gzip).header("content-encoding", "gzip").await.assert(202, counted);

        assert_eq!(shop.reported().await, 12);
    })
    .await;
}

#[tokio::test]
async fn a_log_with_an_idempotency_key_counts_once() {
    Shop::on_each_store(async |shop| {
        let push = |key: &'static str, body: String| shop.push("", body).header("idempotency-key", key);
        let (log, counted) =
            (line("/a", 0) + &line("/b", 0), json!({ "lines": 2, "visits": 2, "unreadable": 0 }));

        let (first, beside) =
            tokio::join!(async { push("k", log.clone()).await }, async { push("k", log.clone()).await });
        for reply in [first, beside, push("k", log.clone()).await] {
            reply.assert(202, counted.clone());
        }
        push("k", line("/a", 0)).await.assert_error(409, "idempotency_key_reused");
        assert_eq!(shop.reported().await, 2);
        push("other", log.clone()).await.assert(202, counted.clone());
        assert_eq!(shop.reported().await, 4);

        shop.app.clock.advance(std::time::Duration::from_secs(25 * 3600));
        shop.app.state.analytics.delete_old_visits().await.unwrap();
        push("k", line("/c", 0)).await.assert_status(202);
        assert_eq!(shop.reported().await, 5);
    })
    .await;
}

#[tokio::test]
async fn a_log_of_no_known_format_is_taken_and_counts_nothing() {
    Shop::on_each_store(async |shop| {
        let nothing =
            |lines: u64, unreadable: u64| json!({ "lines": lines, "visits": 0, "unreadable": unreadable });

        shop.push("", "").await.assert(202, nothing(0, 0));
        shop.push("&format=vercel", "[]").await.assert(202, nothing(0, 0));
        shop.push("", "x\n".repeat(150)).await.assert(202, nothing(150, 150));
        shop.push("&format=alb", "x\n\ny").await.assert(202, nothing(3, 2));

        assert_eq!(shop.reported().await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_log_that_cannot_be_taken_is_refused_with_the_reason() {
    Shop::on_each_store(async |shop| {
        let mut large = GzEncoder::new(Vec::new(), Compression::fast());
        large.write_all(line("/a", 0).repeat(11 << 20 >> 6).as_bytes()).unwrap();
        let (large, key) = (large.finish().unwrap(), "k".repeat(256));

        let unknown = shop.push("&format=apache", line("/a", 0)).await;
        unknown.assert_error(400, "invalid_request");
        assert!(
            unknown.text().contains("must be one of auto, combined, vhost-combined"),
            "{}",
            unknown.text()
        );
        shop.push("", vec![b'x'; (10 << 20) + 1]).await.assert_error(413, "payload_too_large");
        shop.push("", large.clone()).await.assert_error(413, "payload_too_large");
        shop.push("", large[..large.len() / 2].to_vec()).await.assert_error(400, "invalid_request");
        shop.push("", [0x1f, 0x8b, 8, 0].to_vec()).await.assert_error(400, "invalid_request");
        shop.push("", "x").header("content-encoding", "br").await.assert_error(415, "unsupported_media_type");
        shop.push("", "x").header("idempotency-key", &key).await.assert_error(400, "invalid_request");
        let nameless = shop.app.post("/api/analytics/logs").key(&shop.account.key).body("x");
        nameless.await.assert_error(400, "invalid_request");

        assert_eq!(shop.reported().await, 0);
    })
    .await;
}

#[tokio::test]
async fn logs_are_pushed_by_sessions_and_keys_of_pro_and_never_by_tokens() {
    Shop::on_each_store(async |shop| {
        let session = shop.app.sign_in(&shop.account).await;
        let low = shop.app.account("low@x.example", Plan::Essential).await;
        shop.app.domain(&low, "low.example").await;
        let token = shop.token().await;
        let push = |path: &str| shop.app.post(path).body(line("/a", 0));

        push(PATH).session(&session).await.assert_status(202);
        push(PATH).key(&shop.app.key(&shop.account.id, Some("shop.example")).await).await.assert_status(202);
        push("/api/analytics/logs?domain=low.example").key(&low.key).await.assert_error(403, "plan_required");
        push(PATH).header("x-service-public-stats-token", &token).await.assert_error(401, "invalid_api_key");
        push(&format!("{PATH}&token={token}")).await.assert_error(401, "invalid_api_key");
        push("/api/analytics/logs?domain=low.example")
            .key(&shop.account.key)
            .await
            .assert_error(403, "domain_not_owned");
        shop.app.state.domains.set_suspended("shop.example", Lock::On).await.unwrap();
        push(PATH).key(&shop.account.key).await.assert_error(403, "domain_suspended");

        assert_eq!(shop.reported().await, 2);
    })
    .await;
}

#[tokio::test]
async fn lines_of_one_request_are_one_visit_however_many_logs_they_come_in() {
    Shop::on_each_store(async |shop| {
        let line = |request: &str, path: &str| {
            let proxy = json!({ "timestamp": NOON.as_millis(), "host": "shop.example", "path": path, "userAgent": ["GPTBot/1.2"], "statusCode": 200 });
            json!({ "source": "lambda", "requestId": request, "proxy": proxy }).to_string()
        };
        let push = async |key: &str, body: String| {
            let reply = shop.push("&format=vercel", body).header("idempotency-key", key).await;
            reply.json()["visits"].as_u64().expect("a number")
        };
        let first = format!("[{},\n{}]", line("a", "/a"), line("a", "/a"));

        assert_eq!(push("1", first.clone()).await, 1);
        assert_eq!(push("2", line("a", "/a") + "\n" + &line("b", "/a")).await, 1);
        assert_eq!(push("1", first).await, 1, "sent again, the first log is what it was");

        assert_eq!(shop.reported().await, 2);
    })
    .await;
}

#[tokio::test]
async fn an_account_pushes_four_logs_at_once() {
    Shop::on_each_store(async |shop| {
        let pushes = crate::import::LogPushes::new(shop.app.state.platform(), shop.app.state.visits.clone());
        let other = shop.app.account("other@x.example", Plan::Agency).await;

        let mut slots = Vec::new();
        for _ in 0..4 {
            slots.push(pushes.slot(&shop.account.id).expect("a free slot"));
        }

        assert!(pushes.slot(&shop.account.id).is_err());
        assert!(pushes.slot(&other.id).is_ok());
        slots.pop();
        assert!(pushes.slot(&shop.account.id).is_ok());
    })
    .await;
}

#[tokio::test]
async fn fastly_is_let_in_for_every_service() {
    let app = TestApp::new().await;

    let reply = app.get("/.well-known/fastly/logging/challenge").await;

    assert_eq!((reply.status.as_u16(), reply.text().as_str()), (200, "*"));
}
