//! Tests of the submission of changed pages to IndexNow, and of the handling of its answers.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use crawler::testing::WebServer;
use http::Response;
use http_body_util::{BodyExt, Full};
use serde_json::Value;

use super::*;

const INDEXNOW: &str = "/api/domains/shop.example/indexnow";
const INTERVAL: Duration = Duration::from_secs(600);

/// Test server in place of IndexNow, with its answer and the bodies that it received.
struct Engine {
    server: WebServer,
    answer: Arc<Mutex<(u16, Option<&'static str>)>>,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl Engine {
    async fn start() -> Engine {
        let answer = Arc::new(Mutex::new((200, None)));
        let bodies = Arc::<Mutex<Vec<Value>>>::default();
        let (to_give, to_keep) = (answer.clone(), bodies.clone());
        let server = WebServer::start(move |request: http::Request<hyper::body::Incoming>| {
            let (to_give, to_keep) = (to_give.clone(), to_keep.clone());
            async move {
                let body = request.into_body().collect().await.unwrap().to_bytes();
                to_keep.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
                let (status, retry_after) = *to_give.lock().unwrap();
                let response = Response::builder().status(status);
                let response = retry_after
                    .into_iter()
                    .fold(response, |response, value| response.header("retry-after", value));
                response.body(Full::new(Bytes::from("because ".repeat(100_000)))).unwrap()
            }
        })
        .await;
        Engine { server, answer, bodies }
    }

    fn settings(&self) -> String {
        let address = self.server.address();
        format!(
            "network.allow_private = [\"127.0.0.0/8\"]\nindexnow.endpoint = \"http://{address}/indexnow\""
        )
    }

    fn answers(&self, status: u16, retry_after: Option<&'static str>) {
        *self.answer.lock().unwrap() = (status, retry_after);
    }

    fn lists(&self) -> Vec<Vec<String>> {
        let bodies = self.bodies.lock().unwrap();
        let list = |body: &Value| serde_json::from_value(body["urlList"].clone()).unwrap();
        bodies.iter().map(list).collect()
    }
}

struct World {
    app: TestApp,
    engine: Engine,
    account: TestAccount,
}

impl World {
    async fn new() -> World {
        let engine = Engine::start().await;
        let app = TestApp::with(&engine.settings()).await;
        let (account, _) = shop(&app).await;
        let world = World { app, engine, account };
        world.enable(true).await;
        world
    }

    async fn enable(&self, enabled: bool) -> Value {
        let reply = self.app.patch(INDEXNOW).key(&self.account.key).json(json!({ "enabled": enabled })).await;
        reply.assert_status(200);
        reply.json()
    }

    async fn state(&self) -> Value {
        self.app.get(INDEXNOW).key(&self.account.key).await.json()
    }

    async fn render(&self, path: &str, html: &str) {
        self.app.renderer.answers_html(path, html);
        self.app.force(&self.account, &format!("https://shop.example{path}")).await.assert_status(200);
    }

    async fn work(&self) {
        self.app.state.worker().run_until_idle().await;
    }
}

#[tokio::test]
async fn changed_pages_are_submitted_at_once_and_then_at_most_every_interval() {
    let world = World::new().await;

    world.render("/a", "<p>one</p>").await;
    world.work().await;
    world.render("/a", "<p class=x>one</p>").await;
    world.render("/b", "<p>b</p>").await;
    world.render("/a", "<p>two</p>").await;
    world.render("/c", "<html><head><meta name=robots content=noindex></head><body>c</body></html>").await;
    world.work().await;
    assert_eq!(world.engine.lists(), [["https://shop.example/a"]]);
    assert_eq!(world.state().await["pending"], 2);
    world.app.clock.advance(INTERVAL);
    world.work().await;

    let state = world.state().await;
    assert_eq!(world.engine.lists()[1], ["https://shop.example/a", "https://shop.example/b"]);
    assert_eq!(
        (&state["pending"], &state["submitted"], &state["lastStatus"]),
        (&json!(0), &json!(3), &json!(200))
    );
    let body = world.engine.bodies.lock().unwrap()[0].clone();
    let expected = json!({
        "host": "shop.example", "key": state["key"], "keyLocation": state["keyLocation"],
        "urlList": ["https://shop.example/a"]
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_page_that_has_gone_is_told_and_one_that_was_never_there_is_not() {
    let world = World::new().await;
    world.render("/a", "<p>one</p>").await;
    world.work().await;
    world.app.clock.advance(INTERVAL);

    for path in ["/a", "/never"] {
        world.app.renderer.answers_status(path, 404, "<p>gone</p>");
        world.app.force(&world.account, &format!("https://shop.example{path}")).await.assert_status(404);
    }
    world.work().await;

    assert_eq!(world.engine.lists()[1..], [["https://shop.example/a"]]);
}

#[tokio::test]
async fn an_answer_that_asks_to_wait_is_obeyed_and_without_one_the_pauses_double() {
    let world = World::new().await;
    world.engine.answers(429, Some("1000"));
    world.render("/a", "<p>one</p>").await;
    world.work().await;
    world.engine.answers(503, None);

    for (pause, requests) in [(999, 1), (1, 2), (1199, 2), (1, 3), (2399, 3), (1, 4)] {
        world.app.clock.advance(Duration::from_secs(pause));
        world.work().await;
        assert_eq!(world.engine.lists().len(), requests, "after {pause} s");
    }
    assert_eq!(world.state().await["problem"], Value::Null);
}

#[tokio::test]
async fn a_refusal_stops_it_until_it_is_switched_on_again() {
    let world = World::new().await;
    world.engine.answers(403, None);
    world.render("/a", "<p>one</p>").await;
    world.work().await;

    let stopped = world.state().await;
    world.app.clock.advance(DAY);
    world.work().await;
    let requests = world.engine.lists().len();
    world.engine.answers(202, None);
    let again = world.enable(true).await;
    world.work().await;

    assert_eq!((&stopped["enabled"], &stopped["lastStatus"]), (&json!(false), &json!(403)));
    let problem = stopped["problem"].as_str().expect("a problem");
    assert!(problem.contains("403") && problem.len() < 500, "{problem}");
    assert_eq!((requests, &again["problem"]), (1, &Value::Null));
    assert_eq!(world.engine.lists().len(), 2);
    assert_eq!(world.state().await["pending"], 0);
}

#[tokio::test]
async fn nothing_is_noted_while_it_is_off() {
    let world = World::new().await;
    world.enable(false).await;

    world.render("/a", "<p>one</p>").await;
    world.work().await;

    assert_eq!((world.state().await["pending"].clone(), world.engine.lists().len()), (json!(0), 0));
}
