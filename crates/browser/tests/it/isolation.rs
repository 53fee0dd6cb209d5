//! Isolation of renders: nothing remains for the next one, on the same warm tab or on another.

use browser::{OriginRoute, OwnHeaders, RenderRequest};

use crate::origin::{Origin, Reply};
use crate::support::{Bench, HOST, request};

/// Script that writes into all kinds of storage.
const WRITE: &str = "(async () => {
    document.cookie = 'mine=1'; localStorage.mine = 1; sessionStorage.mine = 1; window.name = 'mine';
    history.replaceState({ mine: 1 }, '');
    await new Promise((done) => { const r = indexedDB.open('mine', 1);
        r.onupgradeneeded = () => r.result.createObjectStore('s'); r.onsuccess = () => { r.result.close(); done() } });
    if (self.caches) await (await caches.open('mine')).put('/x', new Response('x'));
    await navigator.storageBuckets?.open('mine', { persisted: true });
    addEventListener('pagehide', () => { localStorage.late = 1; document.cookie = 'late=1'; sessionStorage.late = 1 });
    setInterval(() => { localStorage.timer = 1; document.cookie = 'timer=1' }, 1);
    out.textContent = 'written';
})()";

/// Script that lists what it finds in them.
const READ: &str = "(async () => {
    const found = [document.cookie, Object.keys(localStorage).join(), Object.keys(sessionStorage).join(), window.name,
        (await indexedDB.databases()).map((d) => d.name).join(), self.caches ? (await caches.keys()).join() : '',
        (await navigator.storageBuckets?.keys())?.join(),
        JSON.stringify(history.state) === 'null' ? '' : 'state', history.length];
    out.textContent = 'found:' + found.join('|') + ';';
})()";

/// Script that writes only what does not prevent deactivation until the capture, and into all kinds of storage after it.
const WRITE_PLAINLY: &str = "
    const write = (when) => { document.cookie = when + '=1'; localStorage[when] = 1; sessionStorage[when] = 1 };
    write('mine'); window.name = 'mine'; history.pushState({ mine: 1 }, '', '/write#here'); history.replaceState({ mine: 2 }, '', '/write');
    for (const type of ['beforeunload', 'pagehide', 'unload', 'visibilitychange']) {
        addEventListener(type, () => write('late'), { capture: true }); document.addEventListener(type, () => write('late'));
    }
    onpagehide = () => write('late');
    setInterval(() => write('timer'), 1);
    const tried = (begin) => { try { return begin() } catch {} };
    let sealed = 0;
    const again = () => {
        write('task');
        // A cookie that is refused shows that the document was deactivated.
        if (!document.cookie.includes('task') && sealed++ === 5) {
            tried(() => indexedDB.open('late', 1));
            tried(() => caches.open('late'));
            tried(() => cookieStore.set('late', '1'));
            tried(() => new Worker(URL.createObjectURL(new Blob(['setInterval(() => fetch(\"' + origin + '/elsewhere\"), 10)']))));
            tried(() => new EventSource('/elsewhere'));
            tried(() => fetch('/elsewhere'));
            location.href = '/elsewhere';
        }
        document.cookie = 'task=; max-age=0';
        scheduler.postTask(again, { delay: 5 });
    };
    again();
    out.textContent = 'written'; prerenderReady = true;
";

#[tokio::test]
async fn nothing_that_a_page_stored_remains_in_the_next_render() {
    nothing_is_left_of(WRITE).await;
}

#[tokio::test]
async fn nothing_that_a_removed_frame_stored_remains_in_the_next_render() {
    let script = "(async () => {
        const frame = document.body.appendChild(document.createElement('iframe'));
        await new Promise((done) => { const r = frame.contentWindow.indexedDB.open('mine', 1); r.onsuccess = () => { r.result.close(); done() } });
        await (await frame.contentWindow.caches.open('mine')).put('/x', new Response('x'));
        frame.contentWindow.localStorage.mine = 1;
        frame.remove();
        out.textContent = 'written';
    })()";
    nothing_is_left_of(script).await;
}

#[tokio::test]
async fn cookies_set_at_the_capture_do_not_reach_the_next_render() {
    let script = "setInterval(() => { cookieStore.set('later', '1'); document.cookie = 'timer=1' }, 1);
        out.textContent = 'written'; prerenderReady = true;";
    nothing_is_left_of(script).await;
}

#[tokio::test]
async fn a_deactivated_document_stores_nothing() {
    nothing_is_left_of(WRITE_PLAINLY).await;
}

async fn nothing_is_left_of(script: &str) {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    bench.origin.on("/write", Reply::script(script).header("set-cookie", "server=1; Path=/; HttpOnly"));
    bench.origin.on("/read", Reply::script(READ));

    let fresh = bench.render("/read").await.unwrap();
    for _ in 0..3 {
        let written = bench.render("/write").await.unwrap();
        // Time to store more, or to navigate.
        tokio::time::sleep(std::time::Duration::from_millis(1200)).await;
        let found = bench.render("/read").await.unwrap();

        assert!(written.html.contains("written"), "{}", written.html);
        assert_eq!(found.html, fresh.html);
    }
    assert!(fresh.html.contains("found:||||||||"), "{}", fresh.html);

    let cookies: Vec<_> =
        bench.origin.hits().into_iter().filter_map(|hit| hit.headers.get("cookie").cloned()).collect();
    assert_eq!(cookies, Vec::<String>::new());
    assert_eq!(bench.origin.count("/elsewhere"), 0);
}

#[tokio::test]
async fn a_page_that_replaces_events_does_not_receive_orders() {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    // Sends received events to the server, and cancels every event.
    let spy = "const hear = (what) => fetch('/heard?' + what, { keepalive: true });
        const Native = CustomEvent;
        window.CustomEvent = function (type, init) { hear(type); return new Native(type, init) };
        window.dispatchEvent = EventTarget.prototype.dispatchEvent = (event) => { hear(event.type); return false };
        const add = EventTarget.prototype.addEventListener;
        window.addEventListener = EventTarget.prototype.addEventListener = function (type, ...rest) { hear(type); return add.call(this, type, ...rest) };
        setInterval(() => { document.cookie = 'mine=1' }, 1);
        out.textContent = 'spying'; prerenderReady = true";
    bench.origin.on("/spy", Reply::script(spy));
    bench.origin.on("/read", Reply::script(READ));

    let spying = bench.render("/spy").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let found = bench.render("/read").await.unwrap();

    assert!(spying.html.contains("spying"), "{}", spying.html);
    assert!(found.html.contains("found:||||||||"), "{}", found.html);
    assert_eq!(bench.origin.count("/heard"), 0);
}

#[tokio::test]
async fn the_most_recently_used_tab_is_reused() {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    bench.origin.on("/app.js", Reply::typed("text/javascript", "").header("cache-control", "max-age=3600"));
    let page = Reply::html("<!DOCTYPE html><h1>x</h1><script src=/app.js></script>");

    for _ in 0..3 {
        bench.render_reply(page.clone()).await.unwrap();
    }

    assert_eq!(bench.origin.count("/app.js"), 1, "the tab's cache was not used: the tab was not warm");
}

#[tokio::test]
async fn tenants_never_share_a_tab() {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    bench.origin.on("/app.js", Reply::typed("text/javascript", "").header("cache-control", "max-age=3600"));
    bench.origin.on("/page", Reply::html("<!DOCTYPE html><h1>x</h1><script src=/app.js></script>"));

    for tenant in ["one", "two", "three"] {
        bench.render_in_slot(RenderRequest { tenant: tenant.into(), ..request("/page") }).await.unwrap();
    }

    assert_eq!(bench.origin.count("/app.js"), 3);
}

#[tokio::test]
async fn storage_of_a_frame_of_another_origin_is_cleared() {
    let other = Origin::start().await;
    other.on("/frame", Reply::script("parent.postMessage('had:' + (localStorage.mine || 'nothing'), '*'); localStorage.mine = 'something'"));
    let bench = Bench::with_hosts(&[("frame.test", other.address)], |config| config.concurrency = 1).await;
    let page = "<!DOCTYPE html><div id=out></div><script>onmessage = (e) => { out.textContent = e.data }</script><iframe src=https://frame.test/frame></iframe>";

    for _ in 0..2 {
        let page = bench.render_reply(Reply::html(page)).await.unwrap();

        assert!(page.html.contains("had:nothing"), "{}", page.html);
    }
}

#[tokio::test]
async fn a_page_stops_after_its_render() {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    bench.origin.on("/poll", Reply::typed("text/plain", "x"));
    bench.render_reply(Reply::script("setInterval(() => fetch('/poll'), 50)")).await.unwrap();

    // It may run until its tab is clean.
    for _ in 0..60 {
        let before = bench.origin.count("/poll");
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        if bench.origin.count("/poll") == before {
            return;
        }
    }
    panic!("it still asks");
}

#[tokio::test]
async fn requests_for_a_routed_host_go_to_its_origin_with_the_origins_host_name() {
    let app = Origin::start().await;
    app.on(
        "/page",
        Reply::script(
            "fetch('/data').then(r => r.text()).then(t => out.textContent = t + ' at ' + location.href)",
        ),
    );
    app.on("/data", Reply::typed("text/plain", "data"));
    app.on("/old", Reply::redirect(301, "https://app.host.test/page"));
    let bench = Bench::with_hosts(&[("app.host.test", app.address)], |_| {}).await;
    let route =
        OriginRoute { hosts: vec![HOST.into()], origin_host: "app.host.test".parse().unwrap(), tls: true };

    let page =
        bench.render_in_slot(RenderRequest { route: Some(route.clone()), ..request("/page") }).await.unwrap();
    let moved = bench.render_in_slot(RenderRequest { route: Some(route), ..request("/old") }).await.unwrap();

    assert!(page.html.contains(&format!("data at https://{HOST}/page")), "{}", page.html);
    assert_eq!(bench.origin.hits().len(), 0, "the public address was asked");
    let headers = &app.hits()[0].headers;
    assert_eq!((headers["host"].as_str(), headers["x-forwarded-host"].as_str()), ("app.host.test", HOST));
    assert_eq!(moved.location.as_deref(), Some(format!("https://{HOST}/page").as_str()));
}

#[tokio::test]
async fn own_headers_are_sent_to_the_sites_own_host_only() {
    let other = Origin::start().await;
    let open = |reply: Reply| reply.header("access-control-allow-origin", "*");
    other.on("/lib.js", open(Reply::typed("text/javascript", "document.title = 'lib'")));
    other.on("/landed", open(Reply::typed("text/plain", "landed")));
    other.on("/frame", Reply::html("<!DOCTYPE html>framed"));
    let bench = Bench::with_hosts(&[("other.test", other.address)], |config| config.concurrency = 1).await;
    let page = "<!DOCTYPE html><div id=out></div><iframe src=https://other.test/frame></iframe>\
        <script src=https://other.test/lib.js></script><script>(async () => {
            const data = await (await fetch('/data', { headers: { 'x-own': 'page' } })).text();
            out.textContent = data + ' ' + await (await fetch('/away')).text();
        })()</script>";
    bench.origin.on("/page", Reply::html(page)).on("/data", Reply::typed("text/plain", "data"));
    bench.origin.on("/away", Reply::redirect(302, "https://other.test/landed"));
    bench.origin.on("/left", Reply::redirect(302, "https://other.test/landed"));
    let header = |name: &'static str, value: &'static str| {
        (http::HeaderName::from_static(name), http::HeaderValue::from_static(value))
    };
    let own = OwnHeaders {
        hosts: vec![HOST.into()],
        headers: vec![header("authorization", "Basic YTpi"), header("x-own", "site")],
        plain_http: false,
    };
    let with_headers = |path: &str| RenderRequest { own_headers: Some(own.clone()), ..request(path) };

    let page = bench.render_in_slot(with_headers("/page")).await.unwrap();
    bench.render_in_slot(with_headers("/left")).await.unwrap();
    let plain = RenderRequest { url: format!("http://{HOST}/data").parse().unwrap(), ..with_headers("/") };
    let _not_a_page = bench.render_in_slot(plain).await;
    bench.render_in_slot(request("/page")).await.unwrap();

    assert!(page.html.contains("data landed"), "{}", page.html);
    let hits = bench.origin.hits();
    let seen = |at: usize, name: &str| hits[at].headers.get(name).map(String::as_str);
    assert_eq!((hits[0].path.as_str(), seen(0, "authorization")), ("/page", Some("Basic YTpi")));
    let data = hits.iter().position(|hit| hit.path == "/data").unwrap();
    assert_eq!((seen(data, "authorization"), seen(data, "x-own")), (Some("Basic YTpi"), Some("page")));
    let without = hits.iter().filter(|hit| !hit.headers.contains_key("authorization")).count();
    // Over plain http, and in the render without own headers: page, data and redirects.
    assert!(without >= 3, "{hits:#?}");
    assert!(other.count("/lib.js") >= 1 && other.count("/frame") >= 1 && other.count("/landed") >= 1);
    for hit in other.hits() {
        assert!(!hit.headers.contains_key("authorization"), "{hit:?}");
        assert_ne!(hit.headers.get("x-own").map(String::as_str), Some("site"), "{hit:?}");
    }
}

#[tokio::test]
async fn pages_that_need_frames_are_drawn_side_by_side_and_one_after_another() {
    let bench = Bench::with(|config| config.concurrency = 4).await;
    // Requests frames endlessly.
    let page = Reply::script(
        "requestAnimationFrame(() => requestAnimationFrame(() => { out.textContent = 'drawn'; \
         (function again() { requestAnimationFrame(again) })() }))",
    );
    bench.render_reply(page.clone()).await.unwrap();
    let browser = bench.pool.browser_pid();

    for round in 0..6 {
        let paths: Vec<String> = (0..4).map(|number| format!("/{round}/{number}")).collect();
        for path in &paths {
            bench.origin.on(path, page.clone());
        }
        let pages = futures::future::join_all(paths.iter().map(|path| bench.render(path))).await;

        for page in pages {
            let page = page.unwrap();
            assert!(page.html.contains("drawn") && !page.partial, "{}", page.html);
        }
    }
    assert_eq!(bench.pool.browser_pid(), browser);
}
