//! Answers to people: the origin's answer, redirects, and the edge's own pages.

use crate::testing::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::world::{RawOrigin, SETTINGS, World, read_request};
use domains::headers::{HeaderField, HeaderRule};
use domains::redirects::RedirectRule;
use domains::service::Lock;
use domains::{DomainStatus, PreferredHost};

#[tokio::test]
async fn while_draining_each_response_closes_its_connection() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    world.app.state.platform.draining.begin();

    let reply = world.send("GET /a HTTP/1.1\r\nHost: shop.example\r\n\r\n").await;

    assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
}

#[tokio::test]
async fn a_persons_request_reaches_the_origin_with_who_asked_and_for_what() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;

    let reply = world
        .get(
            "/a%20b/../c?x=1&y",
            &["X-Custom: 7", "X-Forwarded-For: 10.0.0.1", "Connection: x-hop", "X-Hop: 1"],
        )
        .await;

    let received = reply.text();
    assert_eq!((reply.status, reply.header("x-origin")), (200, Some("1")));
    assert!(received.starts_with("GET /a%20b/../c?x=1&y HTTP/1.1\r\n"), "{received}");
    for line in [
        "x-custom: 7",
        "host: shop.example",
        "x-forwarded-for: 127.0.0.1",
        "x-forwarded-host: shop.example",
        "x-forwarded-proto: http",
    ] {
        assert!(received.contains(&format!("{line}\r\n")), "{line} is not in {received}");
    }
    assert!(!received.contains("x-hop") && !received.contains("10.0.0.1"), "{received}");
    assert!(reply.header("via").is_some_and(|via| via.starts_with("1.1 glasshouse-")));
}

#[tokio::test]
async fn a_request_body_streams_to_the_origin() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    let body = "x".repeat(3_000_000);

    let sized = world.send(&format!("POST /up HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len())).await;
    let chunked = world.send("POST /up HTTP/1.1\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n").await;

    assert_eq!(sized.body.iter().filter(|byte| **byte == b'x').count() / 1_000_000, 3);
    assert!(chunked.text().contains("hello"));
    assert_eq!(chunked.header("connection"), Some("close"));
}

#[tokio::test]
async fn the_first_bytes_of_an_answer_do_not_wait_for_the_last() {
    let origin = RawOrigin::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nfirst").await.unwrap();
        // The remaining bytes are never sent.
        std::future::pending::<()>().await;
    })
    .await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    let mut stream = TcpStream::connect(world.http).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n").await.unwrap();

    let mut seen = Vec::new();
    while !seen.ends_with(b"first") {
        let mut buffer = [0; 1024];
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&buffer[..read]);
    }

    // A body that is idle for too long is visibly cut off: the connection ends before the announced length.
    let rest = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut seen)).await;
    assert!(rest.is_ok());
}

#[tokio::test]
async fn ranges_conditions_and_head_are_the_origins_business() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;

    let received = world.get("/a.css", &["Range: bytes=0-9", "If-None-Match: \"x\""]).await.text();
    let head = world.ask("HEAD", "/a.css", &[]).await;

    assert!(received.contains("range: bytes=0-9") && received.contains("if-none-match: \"x\""), "{received}");
    assert!(head.body.is_empty() && head.header("content-length").is_some());
}

#[tokio::test]
async fn a_websocket_is_joined_with_the_origins() {
    let origin = RawOrigin::start(|mut stream, _| async move {
        let request = String::from_utf8(read_request(&mut stream).await.unwrap()).unwrap();
        assert!(
            request.contains("upgrade: websocket") && request.contains("connection: upgrade"),
            "{request}"
        );
        stream
            .write_all(
                b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
            )
            .await
            .unwrap();
        let mut buffer = [0; 64];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            stream.write_all(&buffer[..read]).await.unwrap();
        }
    })
    .await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    let mut stream = TcpStream::connect(world.http).await.unwrap();

    stream
        .write_all(
            b"GET /live HTTP/1.1\r\nHost: shop.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        )
        .await
        .unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    stream.write_all(b"\x81\x02\n\n").await.unwrap();
    let mut echoed = [0; 4];
    stream.read_exact(&mut echoed).await.unwrap();

    assert!(head.starts_with(b"HTTP/1.1 101"));
    assert_eq!(&echoed, b"\x81\x02\n\n");
}

#[tokio::test]
async fn an_upgrade_that_is_no_websocket_is_not_passed_on() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;

    let reply =
        world.get("/", &["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: x"]).await;

    assert_eq!(reply.status, 200);
    assert!(!reply.text().contains("h2c") && !reply.text().contains("http2-settings"), "{}", reply.text());
}

#[tokio::test]
async fn the_origins_own_address_never_shows() {
    let origin = RawOrigin::saying(
        "HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: https://origin.example/cart\r\nset-cookie: a=1; Domain=origin.example\r\n\r\n",
    )
    .await;
    let world = World::with_origin(origin.address).await;
    let shop = world.shop().await;
    world.app.set(&shop, |settings| settings.origin_host = "origin.example".parse().ok()).await;

    let reply = world.get("/", &[]).await;

    assert_eq!(reply.header("location"), Some("http://shop.example/cart"));
    assert_eq!(reply.header("set-cookie"), Some("a=1; Domain=shop.example"));
}

#[tokio::test]
async fn the_origin_host_is_what_the_origin_is_asked_for() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    let shop = world.shop().await;
    world.app.set(&shop, |settings| settings.origin_host = "origin.example".parse().ok()).await;

    let received = world.get("/", &[]).await.text();

    assert!(
        received.contains("host: origin.example\r\n") && received.contains("x-forwarded-host: shop.example"),
        "{received}"
    );
}

#[tokio::test]
async fn a_kept_connection_that_died_is_replaced_for_requests_that_can_be_repeated() {
    let served = Arc::new(AtomicUsize::new(0));
    let counter = served.clone();
    // Every connection answers once and is closed at the second request.
    let origin = RawOrigin::start(move |mut stream, _| {
        let counter = counter.clone();
        async move {
            read_request(&mut stream).await;
            counter.fetch_add(1, Ordering::SeqCst);
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
            read_request(&mut stream).await;
        }
    })
    .await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;

    assert_eq!(world.get("/", &[]).await.status, 200);
    assert_eq!(world.get("/", &[]).await.status, 200);
    assert_eq!(world.ask("POST", "/", &["Content-Length: 0"]).await.status, 502);

    assert_eq!(served.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn an_origin_that_is_down_gets_its_page() {
    let address = super::world::listener().await.local_addr().unwrap();
    let world = World::with_origin(address).await;
    world.shop().await;

    let reply = world.get("/", &[]).await;

    assert_eq!(reply.status, 502);
    assert!(reply.text().contains("server does not answer"));
    assert!(world.ask("HEAD", "/", &[]).await.body.is_empty());
}

#[tokio::test]
async fn an_origin_that_says_nothing_gets_its_page() {
    let origin = RawOrigin::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        std::future::pending::<()>().await;
    })
    .await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;

    let reply = world.get("/", &[]).await;

    assert_eq!(reply.status, 504);
    assert!(reply.text().contains("takes too long"));
}

#[tokio::test]
async fn a_client_that_stops_sending_is_told_so_and_the_origin_is_not_blamed() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;

    let reply = world
        .send("POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 10\r\nConnection: close\r\n\r\nhalf")
        .await;

    assert_eq!(reply.status, 408);
}

#[tokio::test]
async fn an_origin_that_leads_back_here_gets_its_page() {
    let own_socket = super::world::listener().await;
    let own = own_socket.local_addr().unwrap();
    let settings = format!("{SETTINGS}network.hosts = {{ \"shop.example\" = \"{own}\" }}");
    let app = crate::testing::TestApp::with(&settings).await;
    let sockets = crate::EdgeSockets { http: Some(own_socket), https: None };
    let world = World::listening(app, sockets).await;
    world.shop().await;

    let reply = world.get("/", &[]).await;

    assert_eq!(reply.status, 508);
    assert!(reply.text().contains("leads back to itself"));
}

#[tokio::test]
async fn a_request_that_was_here_before_is_a_loop() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    let received = world.get("/", &[]).await.text();
    let own = received
        .lines()
        .find_map(|line| line.strip_prefix("cdn-loop: "))
        .expect("a name of our own")
        .to_owned();

    let reply = world.get("/", &[&format!("CDN-Loop: other, {own}")]).await;

    assert_eq!(reply.status, 508);
}

#[tokio::test]
async fn rules_and_the_preferred_host_redirect_everybody_in_one_hop() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    let shop = world.shop().await;
    world
        .app
        .set(&shop, |settings| {
            settings.preferred_host = Some(PreferredHost::Www);
            settings.redirect_rules = vec![RedirectRule {
                source: "/old/*".into(),
                destination: "/new/$1".into(),
                status: 307,
                preserve_query: true,
            }];
        })
        .await;

    let rule = world.ask("POST", "/old/1?x=2", &["Content-Length: 0"]).await;
    let host = world.get("/a.png", &[]).await;
    let posted = world.ask("POST", "/a", &["Content-Length: 0"]).await;
    let with_port =
        world.send("GET /a HTTP/1.1\r\nHost: shop.example:8080\r\nConnection: close\r\n\r\n").await;

    assert_eq!((rule.status, rule.header("location")), (307, Some("http://www.shop.example/new/1?x=2")));
    assert_eq!((host.status, host.header("location")), (301, Some("http://www.shop.example/a.png")));
    assert_eq!((posted.status, posted.header("location")), (308, Some("http://www.shop.example/a")));
    assert_eq!(with_port.header("location"), Some("http://www.shop.example:8080/a"));
}

#[tokio::test]
async fn a_redirect_for_good_keeps_the_method_of_what_is_not_a_read() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    let shop = world.shop().await;
    let rule =
        RedirectRule { source: "/old".into(), destination: "/new".into(), status: 301, preserve_query: true };
    world.app.set(&shop, |settings| settings.redirect_rules = vec![rule]).await;

    let mut statuses = Vec::new();
    for method in ["GET", "HEAD", "POST", "PUT", "OPTIONS"] {
        statuses.push(world.ask(method, "/old", &["Content-Length: 0"]).await.status);
    }

    assert_eq!(statuses, [301, 301, 308, 308, 308]);
}

#[tokio::test]
async fn an_answer_may_have_more_than_a_hundred_headers() {
    let origin = RawOrigin::start(async |mut stream, _| {
        let Some(_) = read_request(&mut stream).await else { return };
        let fields: String = (0..2_500).map(|number| format!("X-{number}: {number}\r\n")).collect();
        let response = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 2\r\nConnection: close\r\n\r\nok");
        stream.write_all(response.as_bytes()).await.unwrap();
    })
    .await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;

    let reply = world.get("/", &[]).await;

    assert_eq!((reply.status, reply.header("x-2499")), (200, Some("2499")));
}

#[tokio::test]
async fn custom_headers_are_on_the_origins_answers_too() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    let shop = world.shop().await;
    let field = HeaderField { name: "x-origin".into(), value: "ours".into() };
    let rule = HeaderRule { path_pattern: "/a/*".into(), headers: vec![field] };
    world.app.set(&shop, |settings| settings.custom_response_headers = vec![rule]).await;

    assert_eq!(world.get("/a/b", &[]).await.header("x-origin"), Some("ours"));
    assert_eq!(world.get("/b", &[]).await.header("x-origin"), Some("1"));
}

#[tokio::test]
async fn a_host_of_nobody_gets_a_plain_line() {
    let world = World::with("").await;

    let reply = world.get("/", &[]).await;

    assert_eq!((reply.status, reply.text().as_str()), (421, "This host is not served here.\n"));
}

#[tokio::test]
async fn a_pending_domain_gets_its_page_whoever_asks() {
    let world = World::with("").await;
    world.app.domain_with_status(&world.account, "shop.example", DomainStatus::Pending).await;

    let replies = [world.get("/", &[]).await, world.crawl("/a", &[]).await, world.get("/b", &[]).await];

    for reply in replies {
        assert_eq!((reply.status, reply.header("retry-after")), (503, Some("10")));
        assert!(reply.text().contains("being connected"));
    }
}

#[tokio::test]
async fn a_suspended_domain_gets_its_page_whoever_asks() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    world.app.state.domains.set_suspended("shop.example", Lock::On).await.unwrap();

    for reply in [world.get("/", &[]).await, world.crawl("/", &[]).await] {
        assert_eq!((reply.status, reply.header("retry-after")), (503, None));
        assert!(reply.text().contains("not available"));
    }
}

#[tokio::test]
async fn a_domain_via_api_is_served_like_a_connected_one() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.app.domain_with_status(&world.account, "shop.example", DomainStatus::ViaApi).await;

    assert_eq!(world.get("/", &[]).await.status, 200);
}

#[tokio::test]
async fn a_get_with_a_body_keeps_it() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;

    let sized = world.send("GET /search HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello").await;
    let chunked = world.send("GET /search HTTP/1.1\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n").await;

    assert!(sized.text().contains("hello"), "{}", sized.text());
    assert!(chunked.text().contains("hello"), "{}", chunked.text());
}

#[tokio::test]
async fn a_request_on_a_new_connection_is_sent_once() {
    let served = Arc::new(AtomicUsize::new(0));
    let counter = served.clone();
    let origin = RawOrigin::start(move |mut stream, _| {
        let counter = counter.clone();
        async move {
            read_request(&mut stream).await;
            counter.fetch_add(1, Ordering::SeqCst);
        }
    })
    .await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;

    assert_eq!(world.get("/", &[]).await.status, 502);

    assert_eq!(served.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_document_for_people_varies_by_user_agent_and_an_asset_does_not() {
    for (content_type, vary) in
        [("text/html; charset=utf-8", Some("Accept, User-Agent")), ("text/css", Some("Accept"))]
    {
        let origin = RawOrigin::start(move |mut stream, _| async move {
            read_request(&mut stream).await;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nvary: Accept\r\nalt-svc: h3=\":443\"\r\ncontent-type: {content_type}\r\n\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
        })
        .await;
        let world = World::with_origin(origin.address).await;
        world.shop().await;

        let reply = world.get("/", &[]).await;

        assert_eq!((reply.header("vary"), reply.header("alt-svc")), (vary, None), "{content_type}");
    }
}
