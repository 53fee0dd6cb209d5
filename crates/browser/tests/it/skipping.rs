//! Skipped time: while only timers, frames and animations are pending, the page sees the same as if the time had passed.
//! The times of requests show that time was skipped, since the browser records them by its own clock.

use std::time::Duration;

use browser::Settled;

use crate::article::{article, article_with, assert_shows};
use crate::origin::Reply;
use crate::support::Bench;

/// Script that requests something, and adds whether more than half a second of the page's time was skipped.
const JUDGE: &str = "const judge = async () => {
    await (await fetch('/now')).text();
    const { responseEnd } = performance.getEntriesByName(location.origin + '/now')[0];
    add(performance.now() - responseEnd > 500 ? 'skipped' : 'waited');
};";

async fn shows(script: &str, shown: &[&str]) {
    let bench = Bench::new().await;
    bench.origin.on("/now", Reply::typed("text/plain", "now"));
    bench.origin.on("/slow", Reply::typed("text/plain", "answer").after(Duration::from_millis(500)));
    bench.origin.on(
        "/slow.mjs",
        Reply::typed("text/javascript", "log.push('module')").after(Duration::from_millis(500)),
    );
    bench
        .origin
        .on("/worker.js", Reply::typed("text/javascript", "setTimeout(() => postMessage('worker'), 500)"));

    let page = bench.render_reply(article(&format!("{JUDGE} globalThis.log = []; {script}"))).await.unwrap();

    assert_shows(&page, shown);
}

#[tokio::test]
async fn a_timer_an_interval_and_steps_are_skipped() {
    for script in [
        "setTimeout(judge, 1400)",
        "const id = setInterval(() => { clearInterval(id); judge() }, 1400)",
        "(async () => { for (let i = 0; i < 5; i++) { await sleep(250); out.append(document.createElement('hr')) } judge() })()",
    ] {
        shows(script, &["skipped"]).await;
    }
}

#[tokio::test]
async fn time_is_skipped_up_to_a_delayed_request() {
    shows(
        "setTimeout(async () => { await fetch('/slow'); add('fetched'); setTimeout(judge, 600) }, 600)",
        &["fetched", "skipped"],
    )
    .await;
}

#[tokio::test]
async fn all_clocks_agree_after_a_skip() {
    let script = "const readers = [
            () => performance.now(),
            () => Date.now(),
            () => +new Date(),
            () => Date.parse(Date()),
            () => document.timeline.currentTime,
            () => new Event('x').timeStamp,
        ];
        const before = readers.map((read) => read());
        const stamps = [];
        requestAnimationFrame((first) => setTimeout(() => requestAnimationFrame((stamp) => {
            const passed = readers.map((read, i) => read() - before[i]);
            add(passed.concat(stamp - first).every((one) => Math.abs(one - passed[0]) < 1100) && passed[0] >= 3000 ? 'agree' : passed.join(' '));
        }), 3000));
        out.setAttribute('aria-busy', 'true');
        setTimeout(() => out.removeAttribute('aria-busy'), 3500)";

    shows(script, &["agree"]).await;
}

#[tokio::test]
async fn timers_fire_in_order_after_a_skip() {
    let script =
        "[700, 100, 400, 100, 1300, 400].forEach((ms, i) => setTimeout(() => log.push(ms + '/' + i), ms));
        const id = setInterval(() => log.push('tick'), 275);
        const cleared = setTimeout(() => log.push('cleared'), 900);
        setTimeout(() => clearTimeout(cleared), 600);
        setTimeout(() => { clearInterval(id); add(log.join(' ')) }, 1490)";

    shows(script, &["100/1 100/3 tick 400/2 400/5 tick 700/0 tick tick 1300/4 tick"]).await;
}

#[tokio::test]
async fn timers_of_frames_are_skipped_with_those_of_the_page() {
    let script = "const frame = document.createElement('iframe');
        document.body.append(frame);
        const inner = frame.contentWindow;
        inner.setTimeout(() => log.push('frame'), 700);
        setTimeout(() => log.push('page'), 400);
        setTimeout(() => add(log.join(' ') + (Math.abs(inner.Date.now() - Date.now()) < 300)), 1200)";

    shows(script, &["page frametrue"]).await;
}

#[tokio::test]
async fn time_is_not_skipped_while_requests_modules_or_workers_are_pending() {
    for begin in [
        "fetch('/slow').then(() => log.push('fetch'))",
        "const xhr = new XMLHttpRequest; xhr.open('GET', '/slow'); xhr.onload = () => log.push('xhr'); xhr.send()",
        "import('/slow.mjs')",
        "new Worker('/worker.js').onmessage = () => log.push('worker')",
    ] {
        // Far later than the response, also on a loaded machine.
        let script =
            format!("addEventListener('load', () => {{ {begin}; setTimeout(() => add(log.length), 1450) }})");
        shows(&script, &["1"]).await;
    }
}

#[tokio::test]
async fn an_animation_ends_before_the_timer_that_is_due_after_it() {
    let script = "out.style.transition = 'opacity 500ms';
        addEventListener('transitionend', () => log.push('end'));
        setTimeout(() => {
            out.style.opacity = 0.5;
            setTimeout(() => add(log.join()), 1200);
        }, 200)";

    shows(script, &["end"]).await;
}

#[tokio::test]
async fn time_is_skipped_up_to_a_timer_that_sets_the_ready_flag() {
    let bench = Bench::new().await;
    bench.origin.on("/now", Reply::typed("text/plain", "now"));
    let script = format!("{JUDGE} setTimeout(async () => {{ await judge(); prerenderReady = true }}, 9000)");
    let reply = article_with("<script>window.prerenderReady = false</script>", &script);

    let page = bench.render_reply(reply).await.unwrap();

    assert_eq!((page.partial, page.settled), (false, Settled::Flag));
    assert!(page.html.contains("<p>skipped</p>"), "{}", page.html);
}
