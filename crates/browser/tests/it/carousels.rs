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

    assert!(!html.contains("class=\"slide7\""), "{html}");
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

#[tokio::test]
async fn slides_that_take_turns_by_seconds_are_waited_for_once() {
    let script = "out.innerHTML = '<div style=\"opacity: 0\">one</div><div>two</div>';
        let n = 0;
        const next = () => {
            [...out.children].forEach((slide, place) => { slide.style.opacity = (n + place) % 2 });
            out.className = 'round' + ++n;
            setTimeout(next, 2500);
        };
        setTimeout(next, 2500)";

    let html = html(script).await;

    assert!(html.contains("class=\"round1\""), "{html}");
}

#[tokio::test]
async fn frames_that_lead_to_nothing_are_not_counted_anew_after_each_step_of_ours() {
    let script = "addEventListener('transitionend', () => {}); addEventListener('scroll', () => {});
        out.innerHTML = '<img src=/x.png><div style=\"height: 3000px\"></div>';
        let n = 0;
        const look = () => { if (++n === 260) add('many'); requestAnimationFrame(look) };
        look()";

    let html = html(script).await;

    assert!(!html.contains("many</p>"), "{html}");
}
