//! Carousels, quotes that take turns, and what else goes on for ever in rounds: a page is all there beside them.

use crate::article::{article, assert_shows};
use crate::support::Bench;

/// Renders a page whose script goes on for ever, and gives its HTML.
async fn html(script: &str) -> String {
    let page = Bench::new().await.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &[]);
    page.html
}

#[tokio::test]
async fn an_interval_that_is_made_anew_in_each_round_does_not_hold_a_page() {
    // As slick does when its slides fade.
    let script = "let id = 0, n = 0;
        const play = () => { clearInterval(id); id = setInterval(next, 900) };
        const next = () => setTimeout(() => { out.className = 'slide' + ++n; play() }, 400);
        play()";

    let html = html(script).await;

    assert!(html.contains("class=\"slide2\""), "{html}");
}

#[tokio::test]
async fn what_a_round_hides_for_a_moment_is_shown_again() {
    let script = "setInterval(() => {
            out.append(document.createElement('i'));
            out.style.opacity = 0;
            setTimeout(() => { out.style.opacity = 1 }, 300);
        }, 700)";

    let html = html(script).await;

    assert!(html.contains("opacity: 1"), "{html}");
}
