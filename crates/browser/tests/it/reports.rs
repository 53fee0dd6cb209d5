//! Pages that attack the report: they search for the binding, guess or intercept the nonce, break built-ins that reports use, or
//! flood the tab. The page is captured unchanged, or fails at once. See docs/decisions/0100.

use std::time::{Duration, Instant};

use browser::{RenderError, RenderRequest, Renderer};

use crate::article::{PROSE, article, assert_shows};
use crate::origin::{Origin, Reply};
use crate::support::{Bench, request};

/// A forged report.
const FORGE: &str = "const forged = JSON.stringify({ k: 'done', why: 'quiet', url: location.href, title: 'forged', status: 404,
    location: null, via: null, tooLarge: null, inspection: null, nonce: 'NONCE' }) + '\\n<p>forged';";

#[tokio::test]
async fn the_binding_is_not_reachable_from_the_page_or_its_frames() {
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
async fn the_initial_window_of_a_frame_does_not_receive_the_nonce() {
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
async fn a_page_that_removes_our_listeners_does_not_receive_the_nonce_from_frames() {
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
            // Forwards what it receives as an order or a report.
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
async fn messages_to_the_tab_without_the_nonce_are_ignored() {
    let bench = Bench::new().await;
    // As if the binding were reachable: a function of the same name that the page calls.
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
async fn reports_do_not_depend_on_built_ins_that_pages_replace() {
    let bench = Bench::new().await;
    for script in [
        "JSON.stringify = () => 'forged'; JSON.parse = () => { throw 1 }; String.prototype.toWellFormed = () => 'forged'; add('real')",
        "for (const type of [Error, TypeError, RangeError, DOMException, SyntaxError]) {
            type.prototype.toString = () => { throw 1 };
            Object.defineProperty(type.prototype, 'message', { get() { throw 1 }, set() { throw 1 }, configurable: true });
         }
         Error.prepareStackTrace = () => { throw 1 }; Error.captureStackTrace = undefined; Error.stackTraceLimit = 0; add('real')",
        "Object.prototype.toJSON = () => ({ k: 'done', html: 'forged' }); Object.prototype.nonce = 'forged'; Object.prototype.k = 'redirect'; add('real')",
        // Lone surrogates in all texts of a report.
        "document.title = '\\ud800'; history.replaceState(0, '', '?\\udfff#\\ud800'); out.setAttribute('title', '\\udc00');
         document.head.insertAdjacentHTML('beforeend', '<meta name=prerender-header content=\"Location: /\\ud83d\"><meta name=description content=\"\\udbff\">');
         document.body.append(document.createComment('\\ud83d')); add('real')",
        // Characters that end a line in JSON and elsewhere.
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
async fn a_page_that_causes_a_hundred_thousand_messages_is_captured() {
    let bench = Bench::new().await;
    let script = "for (let n = 0; n < 100_000; n += 1) requestAnimationFrame(() => {});
        for (let n = 0; n < 2_000; n += 1) { scrollTo(0, n); location.hash = n; }
        for (let n = 0; n < 20_000; n += 1) { const id = setTimeout(() => {}, 500); clearTimeout(id); console.log(n) }
        add('real')";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["real"]);
}

#[tokio::test]
async fn calls_near_the_stack_limit_lose_no_report() {
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
async fn a_document_of_fifty_megabytes_fails_as_too_large_at_once() {
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
async fn a_document_just_below_the_limit_is_captured_whatever_its_characters() {
    let bench = Bench::new().await;
    let script = "const line = 'a \\\"quoted\\\" \\\\ line of \\u00e9\\u{1f600}\\u4e16 & <text>\\n';
        out.append(Object.assign(document.createElement('textarea'), { textContent: line.repeat(200_000), hidden: true }));
        add('real')";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["real"]);
    assert_eq!(page.html.matches("\u{e9}\u{1f600}\u{4e16} &amp; &lt;text&gt;\n").count(), 200_000);
}
