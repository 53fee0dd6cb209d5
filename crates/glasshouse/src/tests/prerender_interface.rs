//! Tests of Prerender's interface beside the dashboard and the API: who may use each path, and which paths it leaves alone.

use std::io;
use std::sync::{Arc, Mutex};

use http::Method;
use serde_json::json;

use crate::testing::*;
use accounts::keys::{KeyKind, NewKey};
use platform::plans::Plan;

/// Methods and paths for the pages of shop.test.
const PATHS: [(Method, &str); 7] = [
    (Method::GET, "/https://shop.test/"),
    (Method::GET, "/http:/shop.test/"),
    (Method::GET, "/https%3A%2F%2Fshop.test%2F"),
    (Method::GET, "/render?url=https://shop.test/"),
    (Method::POST, "/recache"),
    (Method::POST, "/sitemap"),
    (Method::POST, "/cache-clear"),
];

/// Lines of the log, as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Requests a path with a token, as a middleware or a script does.
async fn ask(app: &TestApp, (method, path): &(Method, &str), token: Option<&str>) -> Reply {
    let request = app.request(method.clone(), path).header("user-agent", GOOGLEBOT);
    let page = "https://shop.test/";
    let mut body = json!({ "url": page, "sitemapUrl": page, "query": page });
    if let Some(token) = token {
        body["prerenderToken"] = json!(token);
    }
    match (method, token) {
        (&Method::POST, _) => request.json(body).await,
        (_, Some(token)) => request.header("x-prerender-token", token).await,
        (_, None) => request.await,
    }
}

#[tokio::test]
async fn every_path_refuses_every_intruder_in_plain_text() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("owner@shop.test", Plan::Enterprise).await;
        let stranger = app.account("stranger@shop.test", Plan::Enterprise).await;
        app.domain(&owner, "shop.test").await;
        let scoped = app.key(&owner.id, Some("shop.test")).await;
        let other_scope = app.key(&owner.id, Some("other.test")).await;
        let session = app.sign_in(&owner).await;
        let read_key = app.post("/api/keys").session(&session).json(json!({ "access": "read" })).await.json();
        let read_key = read_key["key"].as_str().expect("a key").to_owned();
        let unknown = NewKey::generate(KeyKind::Live).reveal().to_owned();
        for path in &PATHS {
            for (token, status) in [
                (None, 401),
                (Some(unknown.as_str()), 401),
                (Some(stranger.key.as_str()), 403),
                (Some(other_scope.as_str()), 403),
            ] {
                let reply = ask(&app, path, token).await;

                reply.assert_status(status);
                assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8", "{path:?}");
            }
            let by_session = app.request(path.0.clone(), path.1).session(&session).json(json!({})).await;
            by_session.assert_status(401);
            ask(&app, path, Some(&scoped)).await.assert_status(200);
            let by_read_key = ask(&app, path, Some(&read_key)).await;
            by_read_key.assert_status(if path.0 == Method::GET { 200 } else { 403 });
            app.clock.advance(std::time::Duration::from_secs(61));
        }
        app.deactivate(&owner).await;
        for path in &PATHS {
            ask(&app, path, Some(&owner.key)).await.assert_status(402);
        }
    })
    .await;
}

#[tokio::test]
async fn no_other_path_is_taken_from_the_dashboard() {
    let app = TestApp::new().await;

    for path in ["/domains", "/renders", "/recache/a", "/sitemap.xml", "/https", "/httpx:/a"] {
        let reply = app.get(path).await;
        assert!(reply.header("content-type").starts_with("text/html"), "{path}");
    }
}

#[tokio::test]
async fn neither_a_token_nor_a_query_is_logged() {
    let log = Log::default();
    let writer = log.clone();
    // With a single subscriber, `tracing` asks the thread that first meets a line whether the line is wanted, which may be the thread
    // of another test.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let logging = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE);
    let _logged = tracing::subscriber::set_default(
        logging.with_writer(move || writer.clone()).with_ansi(false).finish(),
    );
    let app = TestApp::new().await;
    let owner = app.account("owner@shop.test", Plan::Enterprise).await;
    app.domain(&owner, "shop.test").await;

    for path in PATHS {
        ask(&app, &path, Some(&owner.key)).await;
        ask(&app, &path, Some("gh_live_false")).await;
    }
    for target in ["/https://shop.test/?reset=secret", "/https%3A%2F%2Fshop.test%2F%3Freset%3Dsecret"] {
        app.get(target).header("x-prerender-token", &owner.key).await.assert_status(200);
    }

    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(log.contains("/https://shop.test/"), "the log has no requests: {log}");
    assert!(!log.contains(&owner.key) && !log.contains("gh_live_false") && !log.contains("secret"), "{log}");
}
