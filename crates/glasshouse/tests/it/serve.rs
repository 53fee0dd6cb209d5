//! Start, answers and shutdown of the service.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::process::{Service, client, connect, fails, folder, glasshouse, ok, raw};

#[tokio::test]
async fn the_first_start_makes_an_owner_and_tells_its_credentials_once() {
    let folder = folder();
    let first = Service::start(folder.path(), &[]);
    let (email, password, key) =
        (first.printed("e-mail:"), first.printed("password:"), first.printed("API key:"));
    let client = client();

    let usage = client
        .get(format!("{}/api/usage", first.api))
        .header("x-service-api-key", &key)
        .send()
        .await
        .unwrap();
    let credentials = json!({ "email": email, "password": password }).to_string();
    let session = client
        .post(format!("{}/api/session", first.api))
        .header("content-type", "application/json")
        .body(credentials)
        .send()
        .await
        .unwrap();
    assert_eq!(first.stop(), Some(0));
    let second = Service::start(folder.path(), &[]);

    let body: serde_json::Value = serde_json::from_str(&usage.text().await.unwrap()).unwrap();
    assert_eq!(body["plan"], "enterprise");
    assert_eq!(session.status(), 204);
    assert!(!second.log().contains("password"), "{}", second.log());
    assert_eq!(second.stop(), Some(0));
}

#[test]
fn a_request_in_flight_is_answered_after_sigterm() {
    let folder = folder();
    let mut service = Service::start(folder.path(), &[]);
    let key = service.printed("API key:");
    let mut stream = connect(&service.api);
    let body = b"{\"name\": \"slow\"}";
    let head = format!(
        "POST /api/keys HTTP/1.1\r\nhost: x\r\nx-service-api-key: {key}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body[..5]).unwrap();
    std::thread::sleep(Duration::from_millis(300));

    service.terminate();
    service.wait_for("shutting down");
    std::thread::sleep(Duration::from_millis(300));
    stream.write_all(&body[5..]).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();

    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    assert_eq!(service.wait(), Some(0));
}

#[test]
fn while_draining_requests_are_still_answered_and_each_closes_its_connection() {
    let folder = folder();
    let settings = [("GLASSHOUSE_SERVER__DRAIN_S", "600"), ("GLASSHOUSE_SERVER__ROLES", "worker,api")];
    let mut service = Service::start(folder.path(), &settings);
    let metrics = service.metrics.trim_end_matches("/metrics").to_owned();
    let get = |address: &str, path: &str| {
        raw(address, format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes())
    };
    let ready = raw(&metrics, b"GET /readyz/traffic HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");

    service.terminate();
    service.wait_for("shutting down");
    let (draining, answered) = (get(&metrics, "/readyz/traffic"), get(&service.api, "/healthz"));
    let others = ["/healthz", "/readyz", "/metrics"].map(|path| get(&metrics, path));
    // A second signal ends the drain.
    service.terminate();

    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    assert!(draining.starts_with("HTTP/1.1 503") && draining.contains("retry-after: 2"), "{draining}");
    assert!(answered.starts_with("HTTP/1.1 200") && answered.contains("connection: close"), "{answered}");
    for other in others {
        assert!(other.starts_with("HTTP/1.1 200") || other.contains("\"browser\""), "{other}");
    }
    assert_eq!(service.wait(), Some(0));
}

#[test]
fn an_idle_connection_does_not_hold_the_end_up() {
    let folder = folder();
    let mut service = Service::start(folder.path(), &[]);
    let mut idle = connect(&service.api);
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let mut start_of_answer = [0; 12];
    idle.read_exact(&mut start_of_answer).unwrap();

    let begun = Instant::now();
    service.terminate();
    let code = service.wait();

    assert_eq!((code, &start_of_answer), (Some(0), b"HTTP/1.1 200"));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn a_request_that_never_ends_is_given_up_after_the_time_of_grace() {
    let folder = folder();
    let mut service = Service::start(folder.path(), &[("GLASSHOUSE_SERVER__SHUTDOWN_GRACE_S", "1")]);
    let mut stuck = connect(&service.api);
    stuck.write_all(b"POST /api/keys HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{").unwrap();
    std::thread::sleep(Duration::from_millis(300));

    let begun = Instant::now();
    service.terminate();

    assert_eq!(service.wait(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn an_address_in_use_is_one_clear_line() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();

    let line =
        fails(&mut glasshouse(folder.path(), &["serve"], &[("GLASSHOUSE_SERVER__LISTEN", &address)]), 1);

    assert!(line.contains(&address) && line.contains("in use") && line.contains("server.listen"), "{line}");
}

#[test]
fn a_second_service_on_the_same_folder_is_refused_and_commands_are_not() {
    let folder = folder();
    let service = Service::start(folder.path(), &[]);

    let line = fails(&mut glasshouse(folder.path(), &["serve"], &[]), 1);
    let accounts = ok(folder.path(), &["account", "list", "--json"]);

    assert!(line.contains("another glasshouse serve"), "{line}");
    assert!(accounts.contains("owner@localhost"), "{accounts}");
    assert_eq!(service.stop(), Some(0));
}

#[test]
fn a_database_that_is_away_is_one_clear_line_without_its_password() {
    let folder = folder();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("postgres://gh:hunter2@{free}/gh");

    let line =
        fails(&mut glasshouse(folder.path(), &["serve"], &[("GLASSHOUSE_STORAGE__DATABASE_URL", &url)]), 1);

    assert!(line.contains("storage.database_url") && !line.contains("hunter2"), "{line}");
}

#[test]
fn a_data_folder_that_cannot_be_made_is_one_clear_line() {
    let folder = folder();
    std::fs::write(folder.path().join("file"), "in the way").unwrap();

    let line = fails(
        &mut glasshouse(folder.path(), &["serve"], &[("GLASSHOUSE_STORAGE__DATA_DIR", "file/data")]),
        1,
    );

    assert!(line.contains("file/data") && line.contains("storage.data_dir"), "{line}");
}

#[test]
fn malformed_http_is_answered_without_harm() {
    let folder = folder();
    let service = Service::start(folder.path(), &[]);
    let huge = format!("GET / HTTP/1.1\r\nhost: x\r\nx-big: {}\r\n\r\n", "a".repeat(200_000));

    let cases: [(&[u8], &str); 7] = [
        (b"NONSENSE\r\n\r\n", "HTTP/1.1 400"),
        (b"GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n", "HTTP/1.1 400"),
        (
            b"POST /api/keys HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
            "HTTP/1.1 400",
        ),
        (b"POST /api/keys HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n", "HTTP/1.1 413"),
        (b"GET /api/%ff%00 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "HTTP/1.1 404"),
        (b"CONNECT x:443 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "HTTP/1.1 4"),
        (huge.as_bytes(), "HTTP/1.1 431"),
    ];
    for (sent, expected) in cases {
        let answer = raw(&service.api, sent);

        assert!(
            answer.starts_with(expected),
            "{:?}: {answer}",
            String::from_utf8_lossy(&sent[..sent.len().min(60)])
        );
    }
    assert!(
        raw(&service.api, b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .contains("200 OK")
    );
    assert_eq!(service.stop(), Some(0));
}
