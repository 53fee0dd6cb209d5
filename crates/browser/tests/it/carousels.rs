//! Carousels and other endless repetitions: they do not delay the capture, and the rest of the page is complete.

use crate::article::{article, assert_shows};
use crate::support::Bench;

/// Renders a page with an endless script and returns its HTML.
async fn html(script: &str) -> String {
    let page = Bench::new().await.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &[]);
    page.html
}

#[tokio::test]
async fn an_interval_that_is_renewed_in_each_step_does_not_delay_the_capture() {
    // The pattern of slick with fading slides.
    let script = "let id = 0, n = 0;
        const play = () => { clearInterval(id); id = setInterval(next, 900) };
        const next = () => setTimeout(() => { out.className = 'slide' + ++n; play() }, 400);
        play()";

    let html = html(script).await;

    assert!(!html.contains("class=\"slide7\""), "{html}");
}

#[tokio::test]
async fn an_element_that_a_carousel_hides_briefly_is_visible_at_the_capture() {
    let script = "setInterval(() => {
            out.append(document.createElement('i'));
            out.style.opacity = 0;
            setTimeout(() => { out.style.opacity = 1 }, 300);
        }, 700)";

    let html = html(script).await;

    assert!(html.contains("opacity: 1"), "{html}");
}

#[tokio::test]
async fn slides_that_change_every_few_seconds_are_awaited_once() {
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
async fn steps_of_the_page_script_do_not_renew_the_budget_of_fruitless_frames() {
    // The budget is 125 frames. The picture that is reported as loaded renews it once, by design; one more renewal would be 375 frames.
    let script = "addEventListener('transitionend', () => {}); addEventListener('scroll', () => {});
        out.innerHTML = '<img src=/x.png><div style=\"height: 3000px\"></div>';
        let n = 0;
        const look = () => { if (++n === 370) add('many'); requestAnimationFrame(look) };
        look()";

    let html = html(script).await;

    assert!(!html.contains("many</p>"), "{html}");
}
