//! A page full of text to which scripts add paragraphs, used by most tests of the page script.
//! Full of text, because a nearly empty page is awaited longer.

use browser::{Rendered, Settled};

use crate::origin::Reply;

/// Text that makes a page count as full.
pub const PROSE: &str = "The first frost always arrives a week before the almanac says it will. By nine in the evening the panes are
    fogged, and by midnight the thermometer beside the door has stopped pretending. Lettuce forgives almost anything.";

/// Makes a page with text, whose script adds paragraphs by `add(text)`.
pub fn article(script: &str) -> Reply {
    article_with("", script)
}

/// Makes such a page with further elements in its head.
pub fn article_with(head: &str, script: &str) -> Reply {
    Reply::html(&format!(
        "<!DOCTYPE html><html><head><title>t</title>{head}</head><body><h1>Frost</h1><p>{PROSE}</p><div id=out></div><script>
         const add = (text) => {{ const p = document.createElement('p'); p.textContent = text; out.append(p) }};
         const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
         {script}</script>"
    ))
}

/// Asserts that the page was complete and contains all of `wanted`.
#[track_caller]
pub fn assert_shows(page: &Rendered, wanted: &[&str]) {
    assert_eq!((page.partial, page.settled), (false, Settled::Quiet), "{}", page.html);
    for text in wanted {
        assert!(page.html.contains(&format!("<p>{text}</p>")), "{text}: {}", page.html);
    }
}
