//! Loaded documents that a script reopens to write another page into them.

use std::time::{Duration, Instant};

use crate::article::{PROSE, article};
use crate::origin::{Origin, Reply};
use crate::support::Bench;

/// Makes a page that is overwritten by another one some time after it has loaded.
fn written_over(written: &str) -> Reply {
    let written = written.replace("script", "scr' + 'ipt");
    article(&format!(
        "addEventListener('load', () => setTimeout(() => {{
            document.open(); document.write('<!DOCTYPE html><title>t</title><h1>written</h1>{written}'); document.close()
        }}, 50))"
    ))
}

#[tokio::test]
async fn a_page_written_into_a_loaded_document_is_awaited() {
    for (page, written) in [
        ("<div id=o></div><script src=/late.js></script><p>end", "filled</div>"),
        (
            "<div id=o></div><script>setTimeout(() => { o.textContent = Date.now() > 0 }, 400)</script>",
            "true</div>",
        ),
    ] {
        let bench = Bench::new().await;
        let late =
            Reply::typed("text/javascript", "o.textContent = 'filled'").after(Duration::from_millis(1200));
        bench.origin.on("/late.js", late);
        let began = Instant::now();

        let page = bench.render_reply(written_over(page)).await.unwrap();

        assert!(!page.partial && page.html.contains(written), "{}", page.html);
        assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn document_write_reopens_a_loaded_document() {
    let bench = Bench::new().await;
    let late = Reply::typed("text/javascript", "o.textContent = 'filled'").after(Duration::from_millis(900));
    bench.origin.on("/late.js", late);
    let script = "addEventListener('load', () => setTimeout(() => {
        document.writeln('<h1>written</h1><div id=o></div><scr' + 'ipt src=/late.js></scr' + 'ipt><p>end'); document.close() }, 50))";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(!page.partial && page.html.contains("filled</div>"), "{}", page.html);
}

#[tokio::test]
async fn a_reopened_document_does_not_receive_messages_of_the_page_script() {
    let other = Origin::start().await;
    let bench = Bench::with_hosts(&[("other.test", other.address)], |_| {}).await;
    let answer = Reply::typed("text/plain", "answer").after(Duration::from_millis(700));
    other.on("/answer", answer).on(
        "/frame",
        Reply::script("fetch('/answer').then((r) => r.text()).then((t) => parent.postMessage(t, '*'))"),
    );
    let written = "<div id=o></div><script>let heard = []; addEventListener(`message`, (e) => { heard.push(e.data); o.textContent = heard.join() })</script>\
        <iframe src=https://other.test/frame></iframe>";

    let page = bench.render_reply(written_over(written)).await.unwrap();

    assert!(page.html.contains("<div id=\"o\">answer</div>"), "{}", page.html);
}

#[tokio::test]
async fn document_write_during_parsing_does_not_reopen_the_document() {
    let bench = Bench::new().await;
    let body = format!(
        "<!DOCTYPE html><title>t</title><p>{PROSE}<script>document.write('<p id=w>one'); document.writeln('two</p>')</script><p>after"
    );

    let page = bench.render_reply(Reply::html(&body)).await.unwrap();

    assert!(page.html.contains("<p id=\"w\">onetwo</p>\n<p>after"), "{}", page.html);
}
