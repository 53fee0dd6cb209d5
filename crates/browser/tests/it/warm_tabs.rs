//! Warm tabs: they use no processor while idle, and the next page finds nothing of the last.

use std::time::Duration;

use browser::{RenderRequest, Renderer};

use crate::origin::Reply;
use crate::support::{Bench, renderers, request};

/// Returns the processor time of a browser's renderers, in hundredths of a second.
fn page_ticks(browser: u32) -> u64 {
    renderers(browser).into_iter().map(ticks).sum()
}

fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
    fields.split_whitespace().skip(11).take(2).flat_map(str::parse::<u64>).sum()
}

#[tokio::test]
async fn an_idle_tab_uses_no_processor_after_a_second() {
    let bench = Bench::new().await;
    let busy = "out.textContent = 'busy';
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => port2.postMessage(0);
        const task = () => { scheduler.postTask(task) };
        setTimeout(() => { port2.postMessage(0); task() }, 1)";
    let page = bench.render_reply(Reply::script(busy)).await.unwrap();
    assert!(page.html.contains("busy"));
    let browser = bench.pool.browser_pid().unwrap();

    // On a loaded machine, blanking takes its time. A tab that is not blanked keeps a core busy.
    for _ in 0..30 {
        let before = page_ticks(browser);
        tokio::time::sleep(Duration::from_secs(1)).await;
        if page_ticks(browser) - before < 10 {
            return;
        }
    }
    panic!("a tab that only waits computes");
}

#[tokio::test]
async fn a_blanked_tab_renders_the_next_page_of_its_owner() {
    let bench = Bench::new().await;
    bench.origin.on("/app.js", Reply::typed("text/javascript", "").header("cache-control", "max-age=3600"));
    let page = |script: &str| {
        Reply::html(&format!(
            "<!DOCTYPE html><div id=out></div><script src=/app.js></script><script>{script}</script>"
        ))
    };
    bench.render_reply(page("localStorage.kept = 'yes'")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1600)).await;

    let next = bench.render_reply(page("out.textContent = 'kept: ' + localStorage.kept")).await.unwrap();

    assert!(next.html.contains("kept: undefined"), "{}", next.html);
    assert_eq!(bench.origin.count("/app.js"), 1, "the tab's cache was not used: it is another tab");
}

#[tokio::test]
async fn a_browser_keeps_warm_tabs_of_five_sites() {
    let bench = Bench::new().await;
    bench.origin.on("/page", Reply::html("<!DOCTYPE html><p>Hello"));

    // A tab that is too slow to blank is closed, which happens on a loaded machine: hence several attempts.
    for attempt in 0..5 {
        for number in 0..8 {
            let tenant = format!("tenant {attempt}-{number}");
            bench.pool.render(RenderRequest { tenant, ..request("/page") }).await.unwrap();
        }
        let browser = bench.pool.browser_pid().unwrap();
        for _ in 0..100 {
            if renderers(browser).len() == 5 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    panic!("five tabs are never left");
}
