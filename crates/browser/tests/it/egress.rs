//! Network access of pages: only addresses that the guard allows can be reached, whatever the page tries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use browser::{RenderError, RenderRequest, Renderer};
use tokio::net::{TcpListener, UdpSocket};
use tokio_util::task::TaskTracker;

use crate::origin::Reply;
use crate::support::{Bench, allows_sandboxes, is_prepared, renderers, request};

/// Script that forbids new network namespaces, in a user namespace of its own.
const NO_NAMESPACES: &str = "echo 0 > /proc/sys/user/max_net_namespaces";

/// Counter of the connections to a port of this machine, over TCP or UDP.
struct Victim {
    port: u16,
    calls: Arc<AtomicUsize>,
}

impl Victim {
    async fn start() -> Victim {
        let tcp = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let port = tcp.local_addr().unwrap().port();
        let udp = UdpSocket::bind(("0.0.0.0", port)).await.unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let (tcp_calls, udp_calls) = (calls.clone(), calls.clone());
        let tasks = TaskTracker::new();
        tasks.spawn(async move {
            while tcp.accept().await.is_ok() {
                tcp_calls.fetch_add(1, Ordering::Relaxed);
            }
        });
        tasks.spawn(async move {
            while udp.recv_from(&mut [0; 64]).await.is_ok() {
                udp_calls.fetch_add(1, Ordering::Relaxed);
            }
        });
        Victim { port, calls }
    }
}

/// Returns a script that tries all network APIs with all spellings of this machine's address.
fn attack(port: u16) -> String {
    let hosts = [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "169.254.169.254",
        "10.0.0.1",
    ];
    let hosts = hosts.map(|host| format!("'{host}:{port}'")).join(",");
    format!(
        "for (const h of [{hosts}]) {{
            const u = 'http://' + h + '/';
            const add = (tag, set) => {{ const e = document.createElement(tag); Object.assign(e, set); document.body.append(e); }};
            add('img', {{ src: u + 'img' }}); add('iframe', {{ src: u + 'frame' }}); add('script', {{ src: u + 'script' }});
            add('link', {{ rel: 'stylesheet', href: u + 'css' }}); add('link', {{ rel: 'preconnect', href: u }});
            add('link', {{ rel: 'prefetch', href: u + 'prefetch' }}); add('link', {{ rel: 'dns-prefetch', href: u }});
            add('object', {{ data: u + 'object' }}); add('video', {{ src: u + 'video', preload: 'auto' }});
            fetch(u + 'fetch').catch(() => {{}}); fetch(u + 'nocors', {{ mode: 'no-cors' }}).catch(() => {{}});
            fetch(u + 'alive', {{ mode: 'no-cors', keepalive: true }}).catch(() => {{}});
            const x = new XMLHttpRequest(); x.open('GET', u + 'xhr'); x.onerror = () => {{}}; x.send();
            try {{ new WebSocket('ws://' + h + '/ws') }} catch {{}} try {{ new EventSource(u + 'events') }} catch {{}}
            navigator.sendBeacon(u + 'beacon', 'x');
            const w = URL.createObjectURL(new Blob([`fetch('${{u}}worker').catch(() => {{}}); importScripts('${{u}}import')`]));
            try {{ new Worker(w) }} catch {{}} try {{ new SharedWorker(w) }} catch {{}}
            try {{
                const p = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:' + h }},
                    {{ urls: 'turn:' + h + '?transport=tcp', username: 'u', credential: 'c' }}, {{ urls: 'turn:' + h, username: 'u', credential: 'c' }}] }});
                p.createDataChannel('d'); p.createOffer().then((o) => p.setLocalDescription(o));
            }} catch {{}}
            try {{ new WebTransport('https://' + h + '/wt').ready.catch(() => {{}}) }} catch {{}}
        }}
        const rules = document.createElement('script'); rules.type = 'speculationrules';
        rules.textContent = JSON.stringify({{ prefetch: [{{ urls: ['http://127.0.0.1:{port}/spec'] }}], prerender: [{{ urls: ['http://127.0.0.1:{port}/prerender'] }}] }});
        document.body.append(rules);
        window.prerenderReady = false; setTimeout(() => {{ out.textContent = 'attacked'; window.prerenderReady = true }}, 2500);"
    )
}

#[tokio::test]
async fn a_page_cannot_reach_addresses_that_the_guard_refuses() {
    let victim = Victim::start().await;
    let bench = Bench::only_origin().await;

    let page = bench.render_reply(Reply::script(&attack(victim.port))).await.unwrap();

    assert!(page.html.contains("attacked"), "{}", page.html);
    assert_eq!(victim.calls.load(Ordering::Relaxed), 0, "somebody was called");
    assert!(!page.blocked.is_empty());
    assert!(page.blocked.iter().any(|blocked| blocked.url.contains("127.0.0.1")), "{:?}", page.blocked);
}

#[tokio::test]
async fn a_page_cannot_reach_addresses_of_other_networks() {
    let give_addresses = "ip link set lo up && for a in 169.254.169.254 10.0.0.1 192.168.1.1; do ip address add $a/32 dev lo || exit 1; done";
    if !is_prepared("egress::a_page_cannot_reach_addresses_of_other_networks", "-rn", give_addresses) {
        return;
    }
    let victim = Victim::start().await;
    let reachable = tokio::net::TcpStream::connect(("169.254.169.254", victim.port)).await;
    assert!(reachable.is_ok(), "the address was not given to this namespace");
    let bench = Bench::only_origin().await;

    let page = bench.render_reply(Reply::script(&attack(victim.port))).await.unwrap();

    assert!(page.html.contains("attacked"), "{}", page.html);
    assert_eq!(victim.calls.load(Ordering::Relaxed), 1, "somebody but this test called");
    assert!(page.blocked.iter().any(|blocked| blocked.url.contains("169.254.169.254")), "{:?}", page.blocked);
}

#[tokio::test]
async fn without_namespaces_flags_and_the_proxy_confine_the_browser() {
    if !is_prepared("egress::without_namespaces_flags_and_the_proxy_confine_the_browser", "-r", NO_NAMESPACES)
    {
        return;
    }
    let victim = Victim::start().await;
    let bench = Bench::only_origin().await;

    let page = bench.render_reply(Reply::script(&attack(victim.port))).await.unwrap();
    let health = bench.pool.health().await;

    assert!(page.html.contains("attacked"), "{}", page.html);
    assert_eq!(victim.calls.load(Ordering::Relaxed), 0, "somebody was called");
    assert!(health.usable && !health.confined && health.problem.is_some(), "{health:?}");
}

#[tokio::test]
async fn a_browser_that_cannot_be_confined_is_not_started_with_strict_egress() {
    if !is_prepared(
        "egress::a_browser_that_cannot_be_confined_is_not_started_with_strict_egress",
        "-r",
        NO_NAMESPACES,
    ) {
        return;
    }
    let bench = Bench::with(|config| config.strict_egress = true).await;

    let (answer, health) = (bench.render("/page").await, bench.pool.health().await);

    assert!(matches!(answer, Err(RenderError::NoBrowser(_))), "{answer:?}");
    assert!(!health.usable && health.problem.unwrap().contains("strict_egress"));
}

#[tokio::test]
async fn the_shell_check_of_the_scripts_agrees_with_the_browser() {
    let test = "egress::the_shell_check_of_the_scripts_agrees_with_the_browser";
    // On this machine as it is, and where namespaces are forbidden.
    let is_forbidden = is_prepared(test, "-r", NO_NAMESPACES);
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/lib.sh");
    let probe = format!(". '{scripts}' && confines_browsers");
    let strict = Bench::with(|config| config.strict_egress = true).await;

    let says = std::process::Command::new("bash").args(["-c", &probe]).status().unwrap().success();
    let answer = strict.render_reply(Reply::script("")).await;

    assert_eq!(says, answer.is_ok(), "{answer:?}");
    assert!(!(is_forbidden && says));
}

/// Returns a line of `/proc/PID/status`.
fn status_of(pid: u32, line: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    status.lines().find_map(|text| text.strip_prefix(line)).unwrap().trim().to_owned()
}

#[tokio::test]
async fn a_browser_never_runs_as_root_and_its_pages_are_sandboxed() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();
    let browser = bench.pool.browser_pid().unwrap();

    let health = bench.pool.health().await;

    if !allows_sandboxes() {
        assert!(health.problem.is_some_and(|problem| problem.contains("sandbox")));
        return;
    }
    assert!(health.sandboxed, "{health:?}");
    assert!(!status_of(browser, "Uid:").split_whitespace().any(|id| id == "0"));
    assert!(!status_of(browser, "Groups:").split_whitespace().any(|id| id == "0"));
    for pid in renderers(browser) {
        assert_eq!(status_of(pid, "Seccomp:"), "2");
    }
}

#[tokio::test]
async fn a_browser_starts_without_a_forbidden_sandbox_and_reports_that() {
    // Root of a user namespace without other users.
    if !is_prepared("egress::a_browser_starts_without_a_forbidden_sandbox_and_reports_that", "-r", "true") {
        return;
    }
    let bench = Bench::new().await;
    let strict = Bench::with(|config| config.strict_egress = true).await;

    let page = bench.render_reply(Reply::script("out.textContent = 'there'")).await.unwrap();
    let health = bench.pool.health().await;
    let refused = strict.render("/page").await;

    assert!(page.html.contains("there"), "{}", page.html);
    assert!(health.usable && health.confined && !health.sandboxed, "{health:?}");
    assert!(health.problem.unwrap().contains("sandbox is off"));
    assert!(matches!(refused, Err(RenderError::NoBrowser(_))), "{refused:?}");
}

#[tokio::test]
async fn a_document_at_a_refused_address_is_forbidden() {
    let bench = Bench::only_origin().await;
    for url in [
        "http://10.0.0.1/",
        "https://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost/",
        "http://2130706433/",
    ] {
        let answer = bench.pool.render(RenderRequest { url: url.parse().unwrap(), ..request("/") }).await;

        assert!(matches!(answer, Err(RenderError::Forbidden { .. })), "{url}: {answer:?}");
    }
}

#[tokio::test]
async fn a_redirect_to_a_refused_address_is_returned_without_a_connection() {
    let victim = Victim::start().await;
    let bench = Bench::only_origin().await;

    let page = bench
        .render_reply(Reply::redirect(302, &format!("http://127.0.0.1:{}/", victim.port)))
        .await
        .unwrap();

    assert_eq!(page.status, 302);
    assert_eq!(victim.calls.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_broken_connection_is_a_network_error_for_the_page() {
    let broken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = broken.local_addr().unwrap();
    tokio_util::task::TaskTracker::new().spawn(async move { while broken.accept().await.is_ok() {} });
    let bench = Bench::with_hosts(&[("broken.test", address)], |_| {}).await;
    let script = "fetch('https://broken.test/data', { mode: 'no-cors' })
        .then(() => { out.textContent = 'an answer' }, () => { out.textContent = 'a failure' })";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert!(page.html.contains("a failure"), "{}", page.html);
}

#[tokio::test]
async fn a_refused_request_fails_at_once() {
    let bench = Bench::only_origin().await;
    let script = "const t = performance.now(); fetch('http://10.0.0.1/x').catch(() => { out.textContent = performance.now() - t < 1000 ? 'fast' : 'slow' })";

    let page = bench.render_reply(Reply::script(script)).await;

    // An https page may not fetch http at all; a plain page may try.
    assert!(page.unwrap().html.contains("fast"));
}

#[tokio::test]
async fn the_browser_makes_no_connections_of_its_own() {
    let bench = Bench::new().await;

    bench.render_reply(Reply::script("")).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;

    let paths: Vec<String> = bench.origin.hits().into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths, ["/page"]);
}

#[tokio::test]
async fn websockets_reach_a_static_host_in_both_forms() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = requests.clone();
    TaskTracker::new().spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = vec![0; 4096];
            let read = stream.read(&mut buffer).await.unwrap_or(0);
            seen.lock().unwrap().push(String::from_utf8_lossy(&buffer[..read]).to_lowercase());
            let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await;
        }
    });
    let bench = Bench::with_hosts(&[("live.test", address)], |_| {}).await;
    let script = "let n = 0; for (const u of ['wss://live.test/a', 'ws://live.test/b']) { try { const w = new WebSocket(u); w.onerror = () => { if (++n == 2) out.textContent = 'both' } } catch { n++ } }";
    bench.origin.on("/page", Reply::script(script));
    let mut request = request("/page");
    request.url.set_scheme("http").unwrap();

    bench.pool.render(request).await.unwrap();

    let requests = requests.lock().unwrap();
    assert!(
        requests.iter().any(|r| r.starts_with("get /a ") && r.contains("upgrade: websocket")),
        "{requests:?}"
    );
    assert!(
        requests.iter().any(|r| r.starts_with("get /b ") && r.contains("upgrade: websocket")),
        "{requests:?}"
    );
}
