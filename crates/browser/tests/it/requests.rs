//! Repeated requests: those that bring content, and polls.

use std::time::Duration;

use crate::article::{article, assert_shows};
use crate::origin::{Origin, Reply};
use crate::support::Bench;

async fn shows(script: &str, shown: &str) {
    let bench = Bench::new().await;
    bench.origin.on("/data", Reply::typed("application/json", "{}"));
    bench.origin.on("/orders", Reply::typed("text/plain", "ordered").after(Duration::from_millis(500)));
    let survey = Reply::typed("text/plain", "tea or coffee").after(Duration::from_millis(2500));
    bench.origin.on("/api/poll/7", survey);
    bench
        .origin
        .on("/orders/track", Reply::typed("text/plain", "on its way").after(Duration::from_millis(2200)));
    bench.origin.on("/track", Reply::typed("text/plain", "tracked").after(Duration::from_millis(500)));

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &[shown]);
}

#[tokio::test]
async fn concurrent_requests_to_one_path_are_no_polls() {
    let script = "const ask = (n) => fetch('/data', { method: 'POST', body: JSON.stringify({ n }) }).then((r) => r.json());
        Promise.all(Array.from({ length: 30 }, (_, n) => ask(n))).then((all) => setTimeout(() => add(all.length + ' answers'), 50))";

    shows(script, "30 answers").await;
}

#[tokio::test]
async fn successive_requests_for_pages_are_no_polls() {
    let script = "(async () => {
        let n = 0;
        for (; n < 45; n++) await (await fetch('/data?page=' + n)).json();
        add(n + ' pages');
    })()";

    shows(script, "45 pages").await;
}

#[tokio::test]
async fn successive_requests_for_pages_with_pauses_are_no_polls() {
    let script = "(async () => {
        let n = 0;
        for (; n < 12; n++) { await (await fetch('/data?page=' + n)).json(); await sleep(80) }
        add(n + ' pages');
    })()";

    shows(script, "12 pages").await;
}

#[tokio::test]
async fn equal_requests_of_several_components_are_no_polls() {
    let script = "Promise.all(Array.from({ length: 8 }, () => fetch('/data').then((r) => r.json())))
        .then((all) => setTimeout(() => add(all.length + ' components'), 50))";

    shows(script, "8 components").await;
}

#[tokio::test]
async fn equal_requests_are_awaited_while_the_page_shows_a_loading_indicator() {
    let script = "out.setAttribute('aria-busy', true);
        out.textContent = 'working';
        (async () => {
            for (let n = 0; n < 9; n++) { await (await fetch('/data')).json(); await sleep(150) }
            out.removeAttribute('aria-busy');
            add('job done');
        })()";

    shows(script, "job done").await;
}

#[tokio::test]
async fn a_post_with_the_address_of_a_beacon_is_awaited() {
    shows("fetch('/track', { method: 'POST', body: 'parcel 7' }).then((r) => r.text()).then(add)", "tracked")
        .await;
}

#[tokio::test]
async fn a_keepalive_get_is_awaited() {
    shows("fetch('/track', { keepalive: true }).then((r) => r.text()).then(add)", "tracked").await;
}

#[tokio::test]
async fn requests_that_differ_by_an_id_are_no_polls() {
    let script = "(async () => {
        let n = 0;
        for (; n < 10; n++) { await (await fetch('/data?id=' + (40012345 + n))).json(); await sleep(70) }
        add(n + ' things');
    })()";

    shows(script, "10 things").await;
}

#[tokio::test]
async fn a_keepalive_post_to_the_own_site_is_awaited() {
    let script =
        "fetch('/orders', { method: 'POST', keepalive: true, body: '{}' }).then((r) => r.text()).then(add)";

    shows(script, "ordered").await;
}

#[tokio::test]
async fn a_request_to_the_own_site_with_the_name_of_a_beacon_is_awaited() {
    shows(
        "fetch('/orders/track', { method: 'POST', body: '7' }).then((r) => r.text()).then(add)",
        "on its way",
    )
    .await;
}

#[tokio::test]
async fn a_request_with_poll_in_its_address_is_awaited() {
    shows("fetch('/api/poll/7').then((r) => r.text()).then(add)", "tea or coffee").await;
}

#[tokio::test]
async fn polls_of_a_job_are_awaited_while_the_main_part_shows_a_loading_indicator() {
    let script = "out.innerHTML = '<main>Loading…</main>';
        let n = 0;
        const id = setInterval(async () => {
            await (await fetch('/data')).json();
            if (++n < 9) return;
            clearInterval(id);
            out.textContent = '';
            add('job done');
        }, 250)";

    shows(script, "job done").await;
}

#[tokio::test]
async fn polls_do_not_delay_the_capture_of_a_short_page() {
    let bench = Bench::new().await;
    bench.origin.on("/alive", Reply::typed("text/plain", "").after(Duration::from_millis(900)));
    let with = |content: &str| {
        let script = "fetch('/alive'); setInterval(() => fetch('/alive'), 1000)";
        Reply::html(&format!(
            "<!DOCTYPE html><title>t</title><div id=root>{content}</div><script>{script}</script>"
        ))
    };
    bench.origin.on("/short", with("<h1>Scores</h1><p>2:1")).on("/loads", with("<p>Loading…"));

    let (short, loads) = bench.render_both("/short", "/loads").await;

    assert!(short.timings.load_ms + 1500 < loads.timings.load_ms, "{:?} {:?}", short.timings, loads.timings);
}

#[tokio::test]
async fn late_equal_requests_of_components_are_awaited() {
    let bench = Bench::new().await;
    let after = |ms| Reply::typed("text/plain", "an answer").after(Duration::from_millis(ms));
    bench.origin.on("/shared", after(300)).on("/first", after(2600)).on("/second", after(2600));
    let script = "const ask = async (path) => (await fetch(path)).text();
        (async () => {
            for (const path of ['/shared', '/first', '/second', '/shared']) await ask(path);
            add('the late part');
        })()";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["the late part"]);
}

#[tokio::test]
async fn endless_polls_do_not_delay_the_capture_whatever_they_return() {
    let bench = Bench::new().await;
    let line = Reply::typed("text/plain", "a line of the log").after(Duration::from_millis(700));
    bench.origin.on("/log", line);

    let script = "(async () => { for (;;) add(await (await fetch('/log')).text()) })()";
    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["a line of the log"]);
}

#[tokio::test]
async fn an_origin_without_tls_is_told_that_the_page_is_on_https() {
    let other = Origin::start().await;
    let bench = Bench::with_hosts(&[("api.test", other.address)], |_| {}).await;
    other.on("/data", Reply::typed("text/plain", "data").header("access-control-allow-origin", "*"));

    let script = "fetch('https://api.test/data').then((answer) => answer.text()).then((text) => (out.textContent = text))";
    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert!(page.html.contains("data"), "{}", page.html);
    for hit in [&bench.origin.hits()[0], &other.hits()[0]] {
        assert_eq!(hit.headers["x-forwarded-proto"], "https");
        assert!(!hit.headers.contains_key("x-forwarded-host"));
    }
}
