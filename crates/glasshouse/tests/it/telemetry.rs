//! Telemetry of the process: log, metrics, traces. Also checks for data that must never appear in them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::process::{Service, client, folder, raw};

async fn sign_in(service: &Service, password: &str) -> u16 {
    let body = json!({ "email": "owner@localhost", "password": password }).to_string();
    let request = client().post(format!("{}/api/session", service.api)).body(body);
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn no_secret_is_in_the_log_however_much_is_logged() {
    let folder = folder();
    let first = Service::start(folder.path(), &[]);
    let (password, key) = (first.printed("password:"), first.printed("API key:"));
    assert_eq!(first.stop(), Some(0));
    let service = Service::start(folder.path(), &[("GLASSHOUSE_TELEMETRY__LOG_LEVEL", "trace")]);
    let client = client();

    let signed_in = sign_in(&service, &password).await;
    let bearer = format!("Bearer {key}");
    for (path, header, value) in [("usage", "x-service-api-key", &key), ("domains", "authorization", &bearer)]
    {
        let path = format!("{}/api/{path}?token=gh_stats_hunter2", service.api);
        assert_eq!(client.get(path).header(header, value).send().await.unwrap().status(), 200);
    }

    assert_eq!(signed_in, 204);
    let log = service.log();
    assert!(log.contains("answered"), "{log}");
    for secret in [password.as_str(), key.as_str(), "hunter2", "glasshouse_session="] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
}

#[tokio::test]
async fn the_log_can_be_json() {
    let folder = folder();
    let settings = [
        ("GLASSHOUSE_TELEMETRY__LOG_FORMAT", "json"),
        ("GLASSHOUSE_TELEMETRY__LOG_LEVEL", "info,glasshouse::http=debug"),
    ];
    let mut service = Service::start(folder.path(), &settings);

    let request = client().get(format!("{}/api/keys?x=1", service.api)).header("x-request-id", "mine-7");
    request.send().await.unwrap();
    let line: Value = serde_json::from_str(&service.wait_for("answered")).unwrap();

    assert_eq!((&line["status"], &line["route"]), (&401.into(), &"/api/keys".into()));
    assert_eq!((&line["span"]["id"], &line["span"]["path"]), (&"mine-7".into(), &"/api/keys".into()));
}

#[test]
fn metrics_are_on_their_own_listener_only() {
    let folder = folder();
    let service = Service::start(folder.path(), &[]);
    let (address, path) = service.metrics.split_at(service.metrics.rfind('/').unwrap());
    let get = |address: &str, path: &str| {
        raw(address, format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes())
    };
    get(&service.api, "/healthz");

    let metrics = get(address, path);
    let on_api = get(&service.api, "/metrics");
    let elsewhere = get(address, "/api/keys");

    assert!(
        metrics.contains(
            "glasshouse_http_requests_total{route=\"/healthz\",status=\"200\",answered_by=\"service\"} 1"
        ),
        "{metrics}"
    );
    // Every other path of the API's listener is the dashboard.
    assert!(!on_api.contains("glasshouse_http_requests_total"), "{on_api}");
    assert!(elsewhere.starts_with("HTTP/1.1 404"), "{elsewhere}");
}

#[test]
fn traces_are_sent_to_the_collector() {
    let folder = folder();
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", collector.local_addr().unwrap());
    let (sent, received) = mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in collector.incoming().map_while(Result::ok) {
            let mut head = [0; 64];
            let _ = stream.read(&mut head);
            let _ = sent.send(String::from_utf8_lossy(&head).into_owned());
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    let service = Service::start(folder.path(), &[("GLASSHOUSE_TELEMETRY__OTLP_ENDPOINT", &endpoint)]);

    raw(&service.api, b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert_eq!(service.stop(), Some(0));

    let head = received.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(head.starts_with("POST /v1/traces HTTP/1.1"), "{head}");
}
