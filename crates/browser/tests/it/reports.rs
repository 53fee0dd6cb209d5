//! Pages that attack the report: they look for the way to the tab, guess it, listen for its secret, break what a report is made
//! of, or flood it. The page comes out as it is, or fails at once. See docs/decisions/0100.

use std::time::{Duration, Instant};

use browser::{RenderError, RenderRequest, Renderer};

use crate::article::{PROSE, article, assert_shows};
use crate::origin::{Origin, Reply};
use crate::support::{Bench, request};

/// What a forged report would bring, in the words of a report.
const FORGE: &str = "const forged = JSON.stringify({ k: 'done', why: 'quiet', url: location.href, title: 'forged', status: 404,
    location: null, via: null, tooLarge: null, inspection: null, nonce: 'NONCE' }) + '\\n<p>forged';";

#[tokio::test]
async fn the_way_to_the_tab_is_not_in_the_page_nor_in_any_of_its_frames() {
    let bench = Bench::new().await;
    bench.origin.on("/frame", Reply::html("<!DOCTYPE html><p>framed"));
    let script = "const found = [];
        const seek = (where, frame) => {
            for (const key of Reflect.ownKeys(frame)) if (/glasshouse/i.test(String(key))) found.push(where + ' has ' + String(key));
            if ('__glasshouse' in frame || '__glasshouseRun' in frame) found.push(where);
        };
        const open = (where, prepare) => {
            const frame = document.createElement('iframe');
            prepare(frame);
            out.append(frame);
            seek(where, frame.contentWindow);
            frame.addEventListener('load', () => seek(where + ' loaded', frame.contentWindow));
            return frame.contentDocument;
        };
        seek('page', window);
        open('empty', () => {});
        open('own', (frame) => { frame.src = '/frame' });
        open('srcdoc', (frame) => { frame.srcdoc = '<p>x' });
        open('script', (frame) => { frame.src = 'javascript:\"<p>x\"' });
        open('blob', (frame) => { frame.src = URL.createObjectURL(new Blob(['<p>x'], { type: 'text/html' })) });
        const written = open('written', () => {});
        written.open(); written.write('<p>x'); seek('written anew', written.defaultView); written.close();
        setTimeout(() => add('found nothing' + found.join()), 500);";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["found nothing"]);
}

#[tokio::test]
async fn a_frames_first_window_which_its_document_gets_too_does_not_hear_the_secret() {
    let bench = Bench::new().await;
    bench.origin.on("/frame", Reply::html("<!DOCTYPE html><p>framed"));
    let script = "const heard = [];
        const frame = document.createElement('iframe');
        frame.src = '/frame';
        frame.onload = () => add('used again: ' + frame.contentWindow.mine + ', heard nothing' + heard.join());
        out.append(frame);
        const { contentWindow } = frame;
        contentWindow.mine = true;
        for (const name of ['__glasshouse', '__glasshouseRun']) {
            Object.defineProperty(contentWindow, name, { get: () => (said) => heard.push(JSON.stringify(said)), set: (run) => heard.push(run) });
        }
        const all = contentWindow.EventTarget.prototype;
        Object.setPrototypeOf(all, new Proxy(Object.getPrototypeOf(all), { set(target, name, value, owner) { heard.push(name); return Reflect.set(target, name, value, owner) } }));";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["used again: true, heard nothing"]);
}

#[tokio::test]
async fn a_page_that_takes_the_listeners_of_its_document_away_does_not_hear_the_secret_from_frames_of_other_sites()
 {
    let other = Origin::start().await;
    other.on(
        "/frame",
        Reply::script("fetch('/data').then((r) => r.text()).then((t) => parent.postMessage(t, '*'))"),
    );
    other.on("/data", Reply::typed("text/plain", "its own").after(Duration::from_millis(200)));
    let bench = Bench::with_hosts(&[("frame.test", other.address)], |_| {}).await;
    let script = format!(
        "setTimeout(() => {{
            const heard = [];
            const frame = document.body.appendChild(document.createElement('iframe'));
            frame.contentWindow.Document.prototype.open.call(document);
            addEventListener('message', (event) => heard.push(event.data), true);
            document.write(`<!DOCTYPE html><title>t</title><p>{PROSE}</p><div id=now></div><iframe src=https://frame.test/frame></iframe>`);
            document.close();
            // What it hears and may pass on as an order or a report.
            setTimeout(() => {{
                {FORGE}
                for (const word of heard) {{
                    const nonce = String(word).slice(0, 32);
                    for (const detail of ['capture', 'deactivate', 'stay', 'again']) {{
                        if (!dispatchEvent(new CustomEvent(nonce, {{ detail, cancelable: true }}))) heard.push('obeyed');
                    }}
                    for (let at = 0; at < length; at += 1) try {{ frames[at].__glasshouse?.(forged.replace('NONCE', nonce)) }} catch {{}}
                }}
                now.textContent = 'heard ' + heard.join();
            }}, 1000);
        }}, 100)"
    );

    let page = bench.render_reply(article(&script)).await.unwrap();

    assert!(page.html.contains("heard its own<") && page.status == 200 && !page.partial, "{}", page.html);
    assert!(!page.html.contains("forged"), "{}", page.html);
}

#[tokio::test]
async fn what_is_sent_to_the_tab_without_the_secret_is_nothing() {
    let bench = Bench::new().await;
    // As if one of the ways in were open after all: a function of the same name that the page calls by itself.
    let script = format!(
        "{FORGE} add('real');
        const guesses = ['', 'undefined', 'null', '0'.repeat(32), 'f'.repeat(32), location.href];
        const ways = [() => window.__glasshouse, () => self.parent.__glasshouse, () => top.__glasshouse, () => (0, eval)('typeof __glasshouse === `function` && __glasshouse')];
        for (const way of ways) for (const guess of guesses) try {{ way()?.(forged.replace('NONCE', guess)) }} catch {{}}
        window.__glasshouse = () => {{}}; delete window.__glasshouse;"
    );

    let page = bench.render_reply(article(&script)).await.unwrap();

    assert_shows(&page, &["real"]);
    assert!(page.status == 200 && !page.html.contains("<p>forged"), "{}", page.html);
}

#[tokio::test]
async fn what_reports_are_written_with_may_be_replaced_or_throw() {
    let bench = Bench::new().await;
    for script in [
        "JSON.stringify = () => 'forged'; JSON.parse = () => { throw 1 }; String.prototype.toWellFormed = () => 'forged'; add('real')",
        "for (const type of [Error, TypeError, RangeError, DOMException, SyntaxError]) {
            type.prototype.toString = () => { throw 1 };
            Object.defineProperty(type.prototype, 'message', { get() { throw 1 }, set() { throw 1 }, configurable: true });
         }
         Error.prepareStackTrace = () => { throw 1 }; Error.captureStackTrace = undefined; Error.stackTraceLimit = 0; add('real')",
        "Object.prototype.toJSON = () => ({ k: 'done', html: 'forged' }); Object.prototype.nonce = 'forged'; Object.prototype.k = 'redirect'; add('real')",
        // Halves of pairs wherever a report has text.
        "document.title = '\\ud800'; history.replaceState(0, '', '?\\udfff#\\ud800'); out.setAttribute('title', '\\udc00');
         document.head.insertAdjacentHTML('beforeend', '<meta name=prerender-header content=\"Location: /\\ud83d\"><meta name=description content=\"\\udbff\">');
         document.body.append(document.createComment('\\ud83d')); add('real')",
        // What ends a line in JSON and elsewhere.
        "document.title = 'a\\nb\\u2028c\\0d\"e\\\\'; add('real')",
    ] {
        let page = bench.pool.render(inspected(&bench, article(script))).await.unwrap();

        assert_shows(&page, &["real"]);
        assert!(page.status == 200 && !page.html.contains("forged"), "{script}: {}", page.html);
    }
}

fn inspected(bench: &Bench, reply: Reply) -> RenderRequest {
    bench.origin.on("/page", reply);
    RenderRequest { inspect: true, ..request("/page") }
}

#[tokio::test]
async fn a_page_that_has_the_script_ask_for_something_a_hundred_thousand_times_comes_out() {
    let bench = Bench::new().await;
    let script = "for (let n = 0; n < 100_000; n += 1) requestAnimationFrame(() => {});
        for (let n = 0; n < 2_000; n += 1) { scrollTo(0, n); location.hash = n; }
        for (let n = 0; n < 20_000; n += 1) { const id = setTimeout(() => {}, 500); clearTimeout(id); console.log(n) }
        add('real')";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["real"]);
}

#[tokio::test]
async fn calls_at_the_end_of_the_stack_lose_no_report() {
    let bench = Bench::new().await;
    let script = "const down = () => {
            try { down() } catch {}
            try { setTimeout(() => {}, 100); requestAnimationFrame(() => {}); document.body.dataset.at = 1; location.hash = 'a' } catch {}
        };
        down();
        add('real')";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["real"]);
}

#[tokio::test]
async fn a_document_of_fifty_megabytes_is_a_failure_of_its_own_kind_and_at_once() {
    let bench = Bench::new().await;
    let script = "const text = 'x'.repeat(1 << 20);
        for (let n = 0; n < 50; n += 1) {
            out.append(Object.assign(document.createElement('script'), { type: 'application/json', textContent: text + n }));
        }";
    let started = Instant::now();

    let answer = bench.render_reply(article(script)).await;

    assert!(matches!(answer, Err(RenderError::TooLarge { bytes, .. }) if bytes > 50 << 20), "{answer:?}");
    assert!(started.elapsed() < Duration::from_secs(14), "{:?}", started.elapsed());
}

#[tokio::test]
async fn what_just_fits_comes_out_whole_whatever_its_characters() {
    let bench = Bench::new().await;
    let script = "const line = 'a \\\"quoted\\\" \\\\ line of \\u00e9\\u{1f600}\\u4e16 & <text>\\n';
        out.append(Object.assign(document.createElement('textarea'), { textContent: line.repeat(200_000), hidden: true }));
        add('real')";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["real"]);
    assert_eq!(page.html.matches("\u{e9}\u{1f600}\u{4e16} &amp; &lt;text&gt;\n").count(), 200_000);
}
