//! Waiting rules, one test each.
//! The pages are full of text unless the rule is about empty ones, since a nearly empty page is awaited longer.

use std::time::Duration;

use crate::article::{article, assert_shows};
use crate::origin::{Origin, Reply};
use crate::support::Bench;

#[tokio::test]
async fn a_fetch_that_is_retried_after_a_failure_is_awaited() {
    let bench = Bench::new().await;
    bench.origin.on("/try/2", Reply::typed("text/plain", "third time lucky"));
    let script = "(async () => {
        for (let n = 0; n < 3; n++) {
            const answer = await fetch('/try/' + n);
            if (answer.ok) add(await answer.text()); else await sleep(1000 * 2 ** n);
        }
    })()";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["third time lucky"]);
}

#[tokio::test]
async fn an_xhr_that_is_retried_after_a_failure_is_awaited() {
    let bench = Bench::new().await;
    bench.origin.on("/try/2", Reply::typed("text/plain", "third time lucky"));
    let script = "const send = (n) => {
        const request = new XMLHttpRequest();
        request.open('GET', '/try/' + n);
        request.onload = () => request.status === 200 ? add(request.responseText) : setTimeout(send, 1000 * 2 ** n, n + 1);
        request.send();
    };
    send(0)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["third time lucky"]);
}

#[tokio::test]
async fn a_repeated_request_is_no_poll_while_it_fails() {
    let bench = Bench::new().await;
    let script = "(async () => {
        for (const ms of [200, 1000, 1500, 1700]) { await fetch('/none'); await sleep(ms) }
        add('given up');
    })()";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["given up"]);
}

#[tokio::test]
async fn a_poll_that_always_fails_ends_with_the_budget_of_own_time() {
    let bench = Bench::new().await;
    let script = "const poll = () => fetch('/none').finally(() => setTimeout(poll, 1600)); poll()";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &[]);
    assert!((3..=8).contains(&bench.origin.count("/none")), "{}", bench.origin.count("/none"));
}

#[tokio::test]
async fn the_end_of_a_splash_screen_is_awaited() {
    let bench = Bench::new().await;
    let script = "setTimeout(() => { out.innerHTML = '<p>splash is over</p>' }, 2500)";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_shows(&page, &["splash is over"]);
}

#[tokio::test]
async fn a_timer_beyond_the_budget_does_not_delay_a_full_page() {
    let bench = Bench::new().await;

    let page =
        bench.render_reply(article("add('text'); setTimeout(() => add('newsletter'), 6000)")).await.unwrap();

    assert_shows(&page, &["text"]);
    assert!(!page.html.contains("<p>newsletter</p>"), "{}", page.html);
}

#[tokio::test]
async fn steps_of_a_timer_are_awaited_while_each_adds_content() {
    let bench = Bench::new().await;
    let script =
        "let n = 0; const step = () => { add('step ' + ++n); if (n < 6) setTimeout(step, 300) }; step()";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["step 1", "step 3", "step 6"]);
}

#[tokio::test]
async fn a_counter_animated_by_an_interval_is_awaited() {
    let bench = Bench::new().await;
    let script = "let n = 0; const id = setInterval(() => { add('count ' + ++n); if (n === 12) clearInterval(id) }, 100)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["count 1", "count 6", "count 12"]);
}

#[tokio::test]
async fn a_chain_of_frames_that_changes_the_page_is_awaited() {
    let bench = Bench::new().await;
    let script =
        "let n = 0; const next = () => { add('frame ' + ++n); if (n < 40) requestAnimationFrame(next) };
        requestAnimationFrame(next)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["frame 1", "frame 20", "frame 40"]);
}

#[tokio::test]
async fn a_script_inserted_by_a_script_is_awaited() {
    let bench = Bench::new().await;
    let late = Reply::typed("text/javascript", "add('late')").after(Duration::from_millis(1200));
    bench.origin.on("/late.js", late);
    let script = "document.head.append(Object.assign(document.createElement('script'), { src: '/late.js' }))";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["late"]);
}

#[tokio::test]
async fn a_jsonp_response_of_another_site_is_awaited() {
    let other = Origin::start().await;
    for name in ["show", "shop.show"] {
        other.on(
            "/offers",
            Reply::typed("text/javascript", &format!("{name}('offers')")).after(Duration::from_secs(2)),
        );
        let bench = Bench::with_hosts(&[("offers.test", other.address)], |_| {}).await;
        let script = format!(
            "globalThis.show = add; globalThis.shop = {{ show: add }};
             addEventListener('load', () => setTimeout(() => {{
                document.head.append(Object.assign(document.createElement('script'), {{ src: 'https://offers.test/offers?page=1&cb={name}' }}));
             }}, 50))"
        );

        let page = bench.render_reply(article(&script)).await.unwrap();

        assert_shows(&page, &["offers"]);
    }
}

#[tokio::test]
async fn chained_idle_callbacks_all_run() {
    let bench = Bench::new().await;
    let script = "let n = 0; const piece = (deadline) => {
        if (deadline.timeRemaining() < 1) return requestIdleCallback(piece); // there is no time left
        add('piece ' + ++n); if (n < 15) requestIdleCallback(piece) };
        requestIdleCallback(piece)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["piece 1", "piece 15"]);
}

#[tokio::test]
async fn messages_at_regular_intervals_are_awaited() {
    let bench = Bench::new().await;
    let news = (1..=8).map(|n| format!("data: news {n}\n\n")).collect();
    bench
        .origin
        .on("/news", Reply::typed("text/event-stream", "").in_pieces(Duration::from_millis(300), news));

    let page =
        bench.render_reply(article("new EventSource('/news').onmessage = (e) => add(e.data)")).await.unwrap();

    assert_shows(&page, &["news 1", "news 4", "news 8"]);
}

#[tokio::test]
async fn a_response_body_read_by_iteration_is_awaited_to_its_end() {
    let bench = Bench::new().await;
    let lines = (1..=4).map(|n| format!("line {n}")).collect();
    bench.origin.on("/lines", Reply::typed("text/plain", "").in_pieces(Duration::from_millis(400), lines));
    let script = "(async () => {
        const { body } = await fetch('/lines');
        for await (const piece of body) add(new TextDecoder().decode(piece));
        add('end');
    })()";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["line 1", "line 4", "end"]);
}

#[tokio::test]
async fn the_answer_of_a_worker_is_awaited() {
    let bench = Bench::new().await;
    bench
        .origin
        .on("/worker.js", Reply::typed("text/javascript", "setTimeout(() => postMessage('sorted'), 1500)"));

    let page =
        bench.render_reply(article("new Worker('/worker.js').onmessage = (e) => add(e.data)")).await.unwrap();

    assert_shows(&page, &["sorted"]);
}

#[tokio::test]
async fn a_request_to_a_worker_after_its_answer_is_awaited() {
    let bench = Bench::new().await;
    let worker = "onmessage = (e) => setTimeout(() => postMessage('answer to ' + e.data), 1200)";
    bench.origin.on("/worker.js", Reply::typed("text/javascript", worker));
    // The pattern of Comlink: the listener resolves a promise, and the next request follows in its microtask.
    let script = "const worker = new Worker('/worker.js');
        const ask = (question) => new Promise((done) => {
            worker.addEventListener('message', (e) => done(e.data), { once: true });
            worker.postMessage(question);
        });
        (async () => { for (const question of ['one', 'two', 'three']) add(await ask(question)) })()";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["answer to one", "answer to two", "answer to three"]);
}

#[tokio::test]
async fn a_message_of_a_frame_is_awaited_when_the_page_listens() {
    let bench = Bench::new().await;
    let frame = Reply::html("<script>setTimeout(() => parent.postMessage('framed', '*'), 500)</script>");
    bench.origin.on("/frame", frame.after(Duration::from_millis(500)));
    let script = "addEventListener('message', (e) => add(e.data));
        setTimeout(() => { out.append(Object.assign(document.createElement('iframe'), { src: '/frame' })) }, 200)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["framed"]);
}

#[tokio::test]
async fn fonts_report_to_be_loaded() {
    let bench = Bench::new().await;
    let faces = "document.fonts.load('1em X').then((faces) => faces.length === 1 && document.fonts.check('1em X') || Promise.reject())";
    for load in [faces, "new FontFace('Y', 'url(/y.woff2)').load()"] {
        let script = format!(
            "document.head.innerHTML += '<style>@font-face {{ font-family: X; src: url(/x.woff2) }} .wait {{ visibility: hidden }}</style>';
             document.body.className = 'wait';
             {load}.then(() => {{ document.body.className = 'seen' }})"
        );

        let page = bench.render_reply(article(&script)).await.unwrap();

        assert_shows(&page, &[]);
        assert!(page.html.contains("<body class=\"seen\">"), "{load}: {}", page.html);
    }
}

#[tokio::test]
async fn answers_of_browser_apis_are_awaited() {
    // Each answer leads to the next request, and none changes the page.
    let script = "const asked = [() => navigator.wakeLock.request('screen'), () => navigator.usb.getDevices(), () => navigator.getBattery(),
            () => navigator.mediaCapabilities.decodingInfo({ type: 'file', audio: { contentType: 'audio/mpeg' } }),
            () => new OfflineAudioContext(1, 4000, 44100).startRendering(), () => navigator.locks.query()];
        (async () => {
            for (let round = 0; round < 5; round++) for (const ask of asked) await ask().catch(() => {});
            add('answered');
        })()";
    let bench = Bench::new().await;

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["answered"]);
}

#[tokio::test]
async fn an_event_stream_read_by_fetch_is_awaited_like_an_event_source() {
    let bench = Bench::new().await;
    let events = (1..6).map(|n| format!("data: event {n}\n\n")).collect();
    let stream = Reply::typed("text/event-stream", ": hello\n\n");
    bench.origin.on("/events", Reply { pieces: (Duration::from_millis(400), events), ..stream });
    for read in [
        "const reader = answer.body.getReader();
         for (let next; !(next = await reader.read()).done;) add(new TextDecoder().decode(next.value))",
        "const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
         for (let next; !(next = await reader.read()).done;) add(next.value)",
        "for await (const piece of answer.body) add(new TextDecoder().decode(piece))",
    ] {
        let page = bench
            .render_reply(article(&format!("fetch('/events').then(async (answer) => {{ {read} }})")))
            .await;

        let page = page.unwrap();
        assert!(
            ["event 1", "event 5"].iter().all(|event| page.html.contains(event)),
            "{read}: {}",
            page.html
        );
        assert!(!page.partial);
    }
}

#[tokio::test]
async fn a_worker_whose_first_message_is_a_greeting_is_awaited_by_an_empty_page() {
    let bench = Bench::new().await;
    let worker = "postMessage('ready'); setTimeout(() => postMessage('computed'), 700)";
    bench.origin.on("/worker.js", Reply::typed("text/javascript", worker));
    let script = "new Worker('/worker.js').onmessage = (e) => { if (e.data !== 'ready') out.innerHTML = '<p>' + e.data + '</p>' }";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_shows(&page, &["computed"]);
}

/// Makes a page with header and footer, whose middle part is the app's.
fn shell(part: &str, script: &str) -> Reply {
    let words = "Everything for those who grow under glass, from the first seed to the last leaf of autumn. "
        .repeat(2);
    let script = format!("const add = (text) => {{ part.innerHTML = '<p>' + text + '</p>' }}; {script}");
    Reply::html(&format!(
        "<!DOCTYPE html><title>t</title><header>{words}</header>{part}<footer>{words}</footer><script>{script}</script>"
    ))
}

#[tokio::test]
async fn a_late_app_between_header_and_footer_is_awaited() {
    let bench = Bench::new().await;
    let late = "addEventListener('load', () => setTimeout(() => add('begun'), 2000))";
    for part in ["<div id=root><div id=part></div></div>", "<main id=part>Please wait</main>"] {
        let page = bench.render_reply(shell(part, late)).await.unwrap();

        assert_shows(&page, &["begun"]);
    }
}

#[tokio::test]
async fn an_empty_mount_element_beside_the_text_does_not_delay_the_capture() {
    let bench = Bench::new().await;
    let article = "<main>All of the article is here, and nothing of it needs a script at all.</main><div id=root><div id=part></div></div>";

    let page = bench.render_reply(shell(article, "setTimeout(() => add('newsletter'), 8000)")).await.unwrap();

    assert!(!page.html.contains("<p>newsletter</p>"), "{}", page.html);
}

#[tokio::test]
async fn an_app_in_a_shadow_root_with_little_content_is_awaited() {
    let bench = Bench::new().await;
    let script = "const root = out.attachShadow({ mode: 'open' });
        root.innerHTML = '<i>Starting</i>';
        setTimeout(() => { root.innerHTML = '<p>begun</p>' }, 2500)";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_shows(&page, &["begun"]);
}

#[tokio::test]
async fn slow_steps_of_a_thin_page_are_awaited() {
    let bench = Bench::new().await;
    for script in [
        "const steps = ['one', 'two', 'three']; const next = () => { if (steps.length === 0) return add('done'); part.textContent = steps.shift(); setTimeout(next, 900) }; next()",
        "const steps = ['one', 'two', 'three', 'four']; const id = setInterval(() => { if (steps.length > 0) return void (part.innerHTML = '<i>' + steps.shift() + '</i>'); clearInterval(id); add('done') }, 700)",
    ] {
        let page = bench.render_reply(shell("<main id=part></main>", script)).await.unwrap();

        assert_shows(&page, &["done"]);
    }
}

#[tokio::test]
async fn a_slow_response_is_awaited_while_the_mount_element_is_empty() {
    let bench = Bench::new().await;
    bench.origin.on("/slow", Reply::typed("text/plain", "answer").after(Duration::from_secs(6)));
    let ask = "fetch('/slow').then((r) => r.text()).then(add)";

    let page = bench.render_reply(shell("<main id=part></main>", ask)).await.unwrap();

    assert_shows(&page, &["answer"]);
}
