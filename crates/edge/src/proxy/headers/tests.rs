//! Rewriting of headers towards the origin and back.

use super::*;

const OWN: &str = "glasshouse-1a2b";

fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(*name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

fn stranger() -> Arrival {
    Arrival::of(&HeaderMap::new(), "198.51.100.7".parse().unwrap(), true, &[])
}

fn through(mut headers: HeaderMap, arrival: &Arrival) -> HeaderMap {
    to_origin(&mut headers, arrival, "shop.example", "app.host.example", OWN, Version::HTTP_11);
    headers
}

fn back(mut headers: HeaderMap) -> HeaderMap {
    from_origin(&mut headers, &stranger(), "shop.example", "app.host.example:8443", OWN, Version::HTTP_11);
    headers
}

#[test]
fn headers_of_one_connection_do_not_travel() {
    let sent = headers(&[
        ("connection", "keep-alive, x-secret"),
        ("keep-alive", "timeout=5"),
        ("te", "trailers"),
        ("upgrade", "h2c"),
        ("x-secret", "1"),
        ("proxy-authorization", "Basic x"),
        ("accept", "*/*"),
    ]);

    let passed = through(sent, &stranger());

    for name in ["connection", "keep-alive", "te", "upgrade", "x-secret", "proxy-authorization"] {
        assert!(!passed.contains_key(name), "{name}");
    }
    assert_eq!(passed["accept"], "*/*");
}

#[test]
fn the_origin_learns_who_asked_and_for_what() {
    let passed = through(HeaderMap::new(), &stranger());

    assert_eq!(passed["host"], "app.host.example");
    assert_eq!(passed["x-forwarded-for"], "198.51.100.7");
    assert_eq!(passed["x-forwarded-host"], "shop.example");
    assert_eq!(passed["x-forwarded-proto"], "https");
    assert_eq!(passed["forwarded"], "for=198.51.100.7;host=\"shop.example\";proto=https");
    assert_eq!(passed["via"], "1.1 glasshouse-1a2b");
    assert_eq!(passed["cdn-loop"], "glasshouse-1a2b");
}

#[test]
fn what_a_stranger_says_of_itself_is_not_passed_on() {
    let lies = headers(&[
        ("x-forwarded-for", "10.0.0.1"),
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "ftp"),
        ("forwarded", "for=10.0.0.1"),
        ("x-forwarded-client-cert", "Hash=0;Subject=CN=admin"),
        ("x-original-url", "/admin"),
        ("x-rewrite-url", "/admin"),
        ("x-original-uri", "/admin"),
        ("x-original-method", "DELETE"),
        ("x-real-ip", "10.0.0.1"),
    ]);

    let passed = through(lies, &stranger());

    assert_eq!(passed["x-forwarded-for"], "198.51.100.7");
    assert_eq!(passed["x-forwarded-host"], "shop.example");
    assert_eq!(passed["x-forwarded-proto"], "https");
    assert!(!passed["forwarded"].to_str().unwrap().contains("10.0.0.1"));
    for name in [
        "x-forwarded-client-cert",
        "x-original-url",
        "x-rewrite-url",
        "x-original-uri",
        "x-original-method",
        "x-real-ip",
    ] {
        assert!(!passed.contains_key(name), "{name}");
    }
}

#[test]
fn a_trusted_proxy_is_believed_up_to_the_first_stranger() {
    let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
    let sent =
        headers(&[("x-forwarded-for", "1.1.1.1, 203.0.113.9, 10.0.0.2"), ("x-forwarded-proto", "https")]);

    let arrival = Arrival::of(&sent, "10.0.0.3".parse().unwrap(), false, &trusted);
    let passed = through(sent, &arrival);

    assert_eq!(arrival.client, "203.0.113.9".parse::<IpAddr>().unwrap());
    assert!(arrival.https);
    assert_eq!(passed["x-forwarded-for"], "1.1.1.1, 203.0.113.9, 10.0.0.2, 10.0.0.3");
}

#[test]
fn a_peer_that_is_not_trusted_names_nobody() {
    let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
    let sent = headers(&[("x-forwarded-for", "203.0.113.9"), ("x-forwarded-proto", "https")]);

    let arrival = Arrival::of(&sent, "192.0.2.1".parse().unwrap(), false, &trusted);

    assert_eq!(arrival.client, "192.0.2.1".parse::<IpAddr>().unwrap());
    assert!(!arrival.https);
}

#[test]
fn our_own_name_in_via_or_cdn_loop_is_a_loop() {
    for (name, value) in [
        ("via", "1.1 glasshouse-1a2b"),
        ("cdn-loop", "other; v=1, glasshouse-1a2b; x=2"),
        ("via", "1.1 a, 1.1 glasshouse-1a2b"),
    ] {
        assert!(has_looped(&headers(&[(name, value)]), OWN), "{name}: {value}");
    }
    assert!(!has_looped(&headers(&[("via", "1.1 glasshouse-ffff"), ("cdn-loop", "other")]), OWN));
}

#[test]
fn only_a_websocket_is_an_upgrade() {
    let ask = |upgrade: &str| headers(&[("connection", "keep-alive, Upgrade"), ("upgrade", upgrade)]);

    assert!(wants_websocket(&ask("WebSocket"), Version::HTTP_11));
    assert!(!wants_websocket(&ask("h2c"), Version::HTTP_11));
    assert!(!wants_websocket(&ask("websocket"), Version::HTTP_2));
    assert!(!wants_websocket(&headers(&[("upgrade", "websocket")]), Version::HTTP_11));
}

#[test]
fn an_origin_speaks_of_the_public_address() {
    let responded = back(headers(&[("location", "https://app.host.example/cart")]));

    assert_eq!(responded["location"], "https://shop.example/cart");
}

#[test]
fn an_origin_does_not_speak_in_our_headers() {
    let said = headers(&[
        ("x-service-render-cache", "hit"),
        ("x-service-root-file", "always"),
        ("x-services", "mine"),
    ]);

    let responded = back(said);

    assert!(
        !responded.contains_key("x-service-render-cache") && !responded.contains_key("x-service-root-file")
    );
    assert_eq!(responded["x-services"], "mine");
}

#[test]
fn early_hints_are_written_without_what_concerns_one_connection() {
    let hints = headers(&[("link", "</a.css>; rel=preload"), ("connection", "x-own"), ("x-own", "1")]);

    let written = String::from_utf8(early_hints(&hints)).unwrap();

    assert_eq!(written, "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n");
}

#[test]
fn a_proxy_that_speaks_of_a_secure_web_socket_means_https() {
    let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
    let is_https = |proto| {
        let sent = headers(&[("x-forwarded-proto", proto)]);
        Arrival::of(&sent, "10.0.0.3".parse().unwrap(), false, &trusted).https
    };

    assert!(["https", "wss", "WSS", "http, wss"].into_iter().all(is_https));
    assert!(!["http", "ws", "https, ws"].into_iter().any(is_https));
}

#[test]
fn cookies_on_several_lines_reach_the_origin_on_one() {
    let passed = through(headers(&[("cookie", "a=1"), ("cookie", "b=2")]), &stranger());

    assert_eq!(passed.get_all("cookie").iter().collect::<Vec<_>>(), ["a=1; b=2"]);
}

#[test]
fn what_a_stranger_says_of_its_address_in_other_words_is_not_passed_on() {
    let names = [
        "x_forwarded_for",
        "x_forwarded-proto",
        "x-forwarded_host",
        "x_real_ip",
        "true-client-ip",
        "true_client_ip",
        "cf-connecting-ip",
        "client-ip",
        "x-client-ip",
        "fastly-client-ip",
        "x_original_url",
        "proxy",
        "cf-visitor",
        "cloudfront-viewer-address",
        "x-vercel-forwarded-for",
        "x-remote-addr",
        "front-end-https",
        "transfer_encoding",
        "content_length",
        "proxy_connection",
    ];
    let lies: Vec<_> = names.into_iter().map(|name| (name, "10.0.0.1")).chain([("my_own", "1")]).collect();

    let passed = through(headers(&lies), &stranger());

    for name in names {
        assert!(!passed.contains_key(name), "{name}");
    }
    assert_eq!(passed["my_own"], "1");
}

#[test]
fn a_trusted_proxy_may_name_the_client_in_its_own_words() {
    let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
    let sent = headers(&[
        ("cf-connecting-ip", "203.0.113.9"),
        ("cf-visitor", "{\"scheme\":\"https\"}"),
        ("x_forwarded_for", "1.1.1.1"),
    ]);
    let arrival = Arrival::of(&sent, "10.0.0.3".parse().unwrap(), false, &trusted);

    let passed = through(sent, &arrival);

    assert_eq!(passed["cf-connecting-ip"], "203.0.113.9");
    assert!(passed.contains_key("cf-visitor"));
    assert!(!passed.contains_key("x_forwarded_for"));
}

#[test]
fn an_origin_cannot_lead_clients_past_the_edge() {
    assert!(!back(headers(&[("alt-svc", "h3=\":443\"")])).contains_key("alt-svc"));
}

#[test]
fn a_document_varies_by_user_agent_and_accept_beside_what_it_varied_by() {
    for (before, after) in [
        ("", "User-Agent, Accept"),
        ("Accept", "Accept, User-Agent"),
        ("user-agent, Cookie", "user-agent, Cookie, Accept"),
        ("*", "*"),
    ] {
        let mut found = HeaderMap::new();
        if !before.is_empty() {
            found.insert("vary", HeaderValue::from_static(before));
        }

        vary_by_client(&mut found);

        assert_eq!(found["vary"], after, "{before:?}");
    }
    assert!(is_html(&headers(&[("content-type", "Text/HTML ; charset=utf-8")])));
    assert!(!is_html(&headers(&[("content-type", "text/htmlx")])));
    assert!(!is_html(&HeaderMap::new()));
}
