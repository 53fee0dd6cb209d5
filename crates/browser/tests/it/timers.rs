//! Timers, intervals and frames of pages: which are awaited, and which are clocks or polls.

use std::time::Duration;

use crate::article::{article, assert_shows};
use crate::origin::Reply;
use crate::support::Bench;

/// Renders a page whose script adds the paragraph `shown`.
async fn shows(script: &str, shown: &str) {
    let bench = Bench::new().await;
    bench.origin.on("/slow", Reply::typed("text/plain", "answer").after(Duration::from_millis(500)));
    let script_file =
        Reply::typed("text/javascript", "globalThis.wanted = 1").after(Duration::from_millis(500));
    bench.origin.on("/wanted.js", script_file);

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &[shown]);
}

#[tokio::test]
async fn an_interval_that_is_cleared_in_its_first_step_is_a_timer() {
    // RxJS makes every delay an interval.
    shows("const id = setInterval(() => { clearInterval(id); add('delayed') }, 900)", "delayed").await;
}

#[tokio::test]
async fn a_timer_with_a_text_callback_is_awaited() {
    shows("setTimeout(`add('from text')`, 700)", "from text").await;
}

#[tokio::test]
async fn an_interval_with_a_text_callback_is_awaited_while_it_adds_content() {
    let script = "globalThis.n = 0;
        globalThis.tick = () => { add('tick ' + ++n); if (n === 4) { clearInterval(id); add('over') } };
        globalThis.id = setInterval('tick()', 300)";

    shows(script, "over").await;
}

#[tokio::test]
async fn steps_of_a_progress_bar_are_awaited() {
    let script = "out.innerHTML = '<div role=progressbar style=\"height: 5px\"></div>';
        const bar = out.firstChild;
        let percent = 0;
        const id = setInterval(() => {
            percent += 20;
            bar.style.width = percent + '%';
            if (percent === 100) { clearInterval(id); add('loaded') }
        }, 500)";

    shows(script, "loaded").await;
}

/// Script that adds the element that the polls below look for, after they have begun.
const LATE: &str =
    "fetch('/slow').then(() => out.append(Object.assign(document.createElement('i'), { id: 'wanted' })));
    const found = () => document.querySelector('#wanted');";

#[tokio::test]
async fn a_dom_poll_finds_its_element() {
    for poll in [
        "const look = () => found() ? add('found') : setTimeout(look, 400); look()",
        "const id = setInterval(() => { if (found()) { clearInterval(id); add('found') } }, 400)",
        "const look = () => found() ? add('found') : requestAnimationFrame(look); look()",
    ] {
        shows(&format!("{LATE} {poll}"), "found").await;
    }
}

#[tokio::test]
async fn polls_in_an_endlessly_changing_page_end_with_its_budget() {
    let bench = Bench::new().await;
    let script = "setInterval(() => out.replaceChildren(document.createElement('hr')), 100);
        setInterval(() => document.querySelector('#never'), 300)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &[]);
}

#[tokio::test]
async fn content_after_a_number_of_frames_is_awaited() {
    shows(
        "let n = 0; const count = () => ++n < 110 ? requestAnimationFrame(count) : add('counted'); count()",
        "counted",
    )
    .await;
}

#[tokio::test]
async fn endless_drawing_frames_do_not_delay_the_capture_forever() {
    let bench = Bench::new().await;
    let script = "const canvas = document.createElement('canvas').getContext('2d');
        const draw = () => { canvas.fillRect(0, 0, 9, 9); requestAnimationFrame(draw) }; draw(); add('drawing')";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["drawing"]);
}

#[tokio::test]
async fn animations_that_read_the_clock_in_frames_are_awaited() {
    // The pattern of animation libraries: a frame each 16 ms, and nothing to see until the time is over.
    for clock in ["(stamp) => stamp", "() => performance.now()", "() => Date.now()"] {
        let script = format!(
            "const clock = {clock}; let began;
             const look = (stamp) => {{
                 began ??= clock(stamp);
                 if (clock(stamp) - began < 1200) requestAnimationFrame(look); else add('over');
             }};
             requestAnimationFrame(look)"
        );

        shows(&script, "over").await;
    }
}

#[tokio::test]
async fn steps_without_effect_before_the_last_are_awaited() {
    for steps in [
        "let n = 0; const step = () => ++n < 8 ? setTimeout(step, 100) : add('last'); step()",
        "let n = 0; const id = setInterval(() => { if (++n === 8) { clearInterval(id); add('last') } }, 100)",
        "let n = 0; const step = () => ++n < 5 ? setTimeout(() => requestAnimationFrame(step), 150) : add('last'); requestAnimationFrame(step)",
        // The substitute for frames in libraries without `requestAnimationFrame`.
        "let n = 0; const frame = (run) => setTimeout(run, 16); const step = () => ++n < 25 ? frame(step) : add('last'); step()",
        "(async () => { for (let n = 0; n < 8; n++) await sleep(100); add('last') })()",
    ] {
        shows(steps, "last").await;
    }
}

#[tokio::test]
async fn a_dom_poll_finds_content_of_a_request_or_a_script() {
    for bringing in [
        "fetch('/slow').then(() => { globalThis.wanted = 1 })",
        "document.head.append(Object.assign(document.createElement('script'), { src: '/wanted.js' }))",
    ] {
        for poll in [
            "const look = () => globalThis.wanted ? add('found') : setTimeout(look, 200); look()",
            "const id = setInterval(() => { if (globalThis.wanted) { clearInterval(id); add('found') } }, 50)",
        ] {
            shows(&format!("{bringing}; {poll}"), "found").await;
        }
    }
}

#[tokio::test]
async fn zero_timers_that_wait_for_a_time_reach_it() {
    for (pause, clock) in [("0", "Date.now()"), ("1", "performance.now()")] {
        let script = format!(
            "const end = {clock} + 600;
             (function wait() {{ {clock} < end ? setTimeout(wait, {pause}) : add('there') }})()"
        );
        shows(&script, "there").await;
    }
    shows("const end = Date.now() + 600; const id = setInterval(() => { if (Date.now() >= end) { clearInterval(id); add('there') } })", "there").await;
}

#[tokio::test]
async fn polls_of_pictures_see_them_loaded() {
    let script = "out.innerHTML = '<img src=/a.jpg><img src=/b.jpg>';
        const id = setInterval(() => {
            if (![...document.images].every((image) => image.complete && image.naturalWidth)) return;
            clearInterval(id);
            add('laid out');
        }, 100)";
    let frames = "out.innerHTML = '<img src=/a.jpg>';
        requestAnimationFrame(function look() {
            if (document.images[0].complete && document.images[0].naturalWidth) add('laid out');
            else requestAnimationFrame(look);
        })";

    shows(script, "laid out").await;
    shows(frames, "laid out").await;
}

#[tokio::test]
async fn alternating_frames_and_timers_all_run() {
    // Not all later frames are drawn, but each has its own time on the clock that a library keeps.
    let script = "let turns = 0;
        const step = () => ++turns === 40 ? add('all turns') : setTimeout(() => requestAnimationFrame(step), turns % 20);
        step();
        let at = 0;
        let sum = 0;
        requestAnimationFrame(function count(stamp) {
            sum += Math.min(17, at ? stamp - at : 0);
            at = stamp;
            if (sum < 500) requestAnimationFrame(count);
            else add('half a second');
        })";

    shows(script, "all turns").await;
    shows(script, "half a second").await;
}

#[tokio::test]
async fn callbacks_of_skipped_frames_behave_like_those_of_drawn_ones() {
    let script = "let frames = 0;
        let wrong = 0;
        const count = () => {
            if (++frames === 30) return add('wrong: ' + wrong);
            const order = [];
            requestAnimationFrame(() => { order.push(1); cancelAnimationFrame(taken); throw new Error('of the page'); });
            requestAnimationFrame(() => { order.push(2); if (order.join() !== '1,2') wrong++; });
            const taken = requestAnimationFrame(() => wrong++);
            const at = performance.now();
            requestAnimationFrame((stamp) => { if (stamp < at - 50) wrong++; count(); });
        };
        count()";

    shows(script, "wrong: 0").await;
}

#[tokio::test]
async fn observers_report_during_skipped_frames() {
    let script = "let frames = 0;
        const box = out.appendChild(document.createElement('div'));
        new ResizeObserver(() => box.offsetHeight === 321 && add('resized')).observe(box);
        requestAnimationFrame(function count() {
            frames += 1;
            if (frames === 45) box.style.height = '321px';
            if (frames === 50) new IntersectionObserver(([entry]) => add('seen')).observe(box);
            requestAnimationFrame(count);
        })";

    shows(script, "resized").await;
    shows(script, "seen").await;
}

#[tokio::test]
async fn animation_start_events_are_dispatched() {
    // The pattern of libraries that detect inserted elements.
    let style = "document.head.append(Object.assign(document.createElement('style'), { textContent: '@keyframes come { from { outline-color: red } } .new { animation: come .001s } \\
        .grows { width: 10px; transition: width .3s } .grows.more { width: 20px }' }));";
    for script in [
        "document.addEventListener('animationstart', () => add(1)); setTimeout(() => { out.className = 'new' }, 300)",
        "out.onanimationstart = () => add(1); setTimeout(() => { out.className = 'new' }, 300)",
        "out.onanimationend = () => add(1); setTimeout(() => { out.className = 'new' }, 300)",
        "out.className = 'grows'; out.addEventListener('transitionrun', () => add(1)); setTimeout(() => { out.className = 'grows more' }, 300)",
    ] {
        shows(&format!("{style} {script}"), "1").await;
    }
}

#[tokio::test]
async fn slow_steps_that_add_elements_are_awaited() {
    let rows =
        "let n = 0; const id = setInterval(() => { add('row ' + ++n); if (n === 6) clearInterval(id) }, 500)";
    let values = "let n = 0; const id = setInterval(() => { add('row ' + 2 * ++n); if (n === 3) clearInterval(id) }, 700)";
    let chain = "let n = 2; function step() { add('row ' + ++n); if (n < 6) setTimeout(step, 800) } setTimeout(step, 800)";
    for script in [rows, values, chain] {
        shows(script, "row 6").await;
    }
}

#[tokio::test]
async fn a_ticking_clock_is_not_awaited() {
    let bench = Bench::new().await;
    let script = "let n = 0; const b = out.appendChild(document.createElement('b'));
        setInterval(() => { b.textContent = 'tick ' + ++n }, 1000)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(!page.html.contains("tick 3"), "{}", page.html);
}

#[tokio::test]
async fn endless_idle_callbacks_without_effect_do_not_delay_the_capture() {
    let bench = Bench::new().await;
    let asks = |more: &str| article(&format!("const f = () => requestIdleCallback(f); f(); {more}"));
    bench.origin.on("/asks", asks("")).on("/shows", asks("setInterval(() => add('x'), 100)"));

    let (asks, shows) = bench.render_both("/asks", "/shows").await;

    assert_shows(&asks, &[]);
    assert!(asks.timings.load_ms < shows.timings.load_ms, "{:?} {:?}", asks.timings, shows.timings);
}

#[tokio::test]
async fn a_dom_poll_finds_content_of_a_timer() {
    let script = "setTimeout(() => { globalThis.wanted = 1 }, 1450);
        const id = setInterval(() => { if (!globalThis.wanted) return; clearInterval(id); add('found') }, 200)";

    shows(script, "found").await;
}

#[tokio::test]
async fn progress_renews_the_budget_of_own_time() {
    let script = "setTimeout(() => { add('first'); setTimeout(() => add('second'), 4000) }, 4000)";

    shows(script, "second").await;
}

#[tokio::test]
async fn a_blank_page_has_twice_the_budget_of_a_full_one() {
    let bench = Bench::new().await;
    let late = "setTimeout(() => { out.innerHTML = '<p>late</p>' }, 8000)";

    let blank = bench
        .render_reply(Reply::html(&format!(
            "<!DOCTYPE html><title>t</title><div id=out></div><script>{late}</script>"
        )))
        .await
        .unwrap();
    let full = bench.render_reply(article(late)).await.unwrap();

    assert_shows(&blank, &["late"]);
    assert!(!full.html.contains("<p>late</p>"), "{}", full.html);
}

#[tokio::test]
async fn every_repetition_ends_with_the_budget_of_own_time() {
    let bench = Bench::new().await;
    for repeats in [
        "setInterval(() => out.classList.toggle('x'), 300)",
        "(function step() { out.classList.toggle('x'); setTimeout(step, 300) })()",
        "(async () => { for (;;) { out.classList.toggle('x'); await sleep(300) } })()",
        "(function frame() { out.classList.toggle('x'); requestAnimationFrame(frame) })()",
        "(function idle() { out.classList.toggle('x'); requestIdleCallback(idle) })()",
        "setInterval(() => fetch('/poll'), 300)",
    ] {
        let page = bench.render_reply(article(repeats)).await.unwrap();

        assert!(!page.partial && page.timings.load_ms < 9000, "{repeats}: {:?}", page.timings);
    }
}
