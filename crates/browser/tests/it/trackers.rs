//! Trackers are not requested, and pages cannot tell: scripts load, their globals call back, walls against blockers stay away.

use browser::{RenderRequest, Renderer};
use tokio::net::TcpListener;

use crate::article::{article, article_with, assert_shows};
use crate::origin::{Origin, Reply};
use crate::support::{Bench, request};

/// Renders a page with scripts of trackers, and asserts that none is requested.
async fn shows(head: &str, script: &str, wanted: &[&str]) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let trackers = ["www.google-analytics.com", "www.googletagmanager.com", "pagead2.googlesyndication.com"];
    let bench = Bench::with_hosts(&trackers.map(|host| (host, address)), |_| {}).await;

    let page = bench.render_reply(article_with(head, script)).await.unwrap();

    assert_shows(&page, wanted);
    let asked = tokio::time::timeout(std::time::Duration::ZERO, listener.accept()).await;
    assert!(asked.is_err(), "a tracker was asked");
}

#[tokio::test]
async fn a_page_that_starts_after_its_analytics_is_captured() {
    let head = "<link rel=preconnect href=https://www.google-analytics.com>";
    let script = "const script = document.createElement('script');
        script.src = 'https://www.google-analytics.com/analytics.js';
        script.onload = () => add('started');
        script.onerror = () => add('blocked');
        document.head.append(script)";

    shows(head, script, &["started"]).await;
}

#[tokio::test]
async fn callbacks_given_to_trackers_are_called() {
    let head = "<script>
        window.ga = window.ga || function () { (ga.q = ga.q || []).push(arguments) };
        ga('create', 'UA-1', 'auto');
        window.dataLayer = [{ event: 'start', eventCallback: () => setTimeout(() => add('event'), 20) }];
        </script><script async src=https://www.google-analytics.com/analytics.js></script>
        <script async src='https://www.googletagmanager.com/gtm.js?id=GTM-1'></script>";
    let script = "ga((tracker) => add(`client: ${tracker.get('clientId')}.`));
        ga('send', 'event', 'x', 'y', { hitCallback: () => add('hit') });
        addEventListener('load', () => dataLayer.push({ event: 'late', eventCallback: () => add('late event') }))";

    shows(head, script, &["client: .", "event", "hit", "late event"]).await;
}

#[tokio::test]
async fn a_wall_against_content_blockers_is_not_shown() {
    let head = "<script async src=https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js></script>";
    let script = "fetch('https://www.google-analytics.com/collect', { method: 'POST', body: '{}', credentials: 'include', headers: { 'content-type': 'application/json' } })
            .then((answer) => add('fetched: ' + answer.ok), () => add('please switch off your blocker'));
        addEventListener('load', () => add(window.adsbygoogle?.loaded ? 'no blocker' : 'please switch off your blocker'))";

    shows(head, script, &["fetched: true", "no blocker"]).await;
}

#[tokio::test]
async fn an_advertisement_slot_is_marked_as_processed() {
    let head = "<script async src=https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js></script>";
    let script = "out.innerHTML = '<ins class=adsbygoogle style=\"display: block; height: 90px\"></ins>';
        (window.adsbygoogle = window.adsbygoogle || []).push({});
        setTimeout(() => add(document.querySelector('ins').dataset.adsbygoogleStatus ? 'welcome' : 'please switch off your blocker'), 1200)";

    shows(head, script, &["welcome"]).await;
}

#[tokio::test]
async fn fetches_of_trackers_get_empty_json() {
    let script = "fetch('https://www.google-analytics.com/v1/i', { method: 'POST', body: '{}' })
            .then((answer) => answer.json()).then(() => add('started'), () => add('blocked'))";

    shows("", script, &["started"]).await;
}

#[tokio::test]
async fn a_trackers_own_pages_get_their_own_scripts() {
    let site = Origin::start().await;
    site.on("/app.js", Reply::typed("text/javascript", "add('their own')"));
    site.on("/page", article("document.head.append(Object.assign(document.createElement('script'), { src: 'https://static.hotjar.com/app.js' }))"));
    let hosts = ["www.hotjar.com", "static.hotjar.com"].map(|host| (host, site.address));
    let bench = Bench::with_hosts(&hosts, |_| {}).await;
    let url = "https://www.hotjar.com/page".parse().unwrap();

    let page = bench.pool.render(RenderRequest { url, ..request("/page") }).await.unwrap();

    assert_shows(&page, &["their own"]);
}
