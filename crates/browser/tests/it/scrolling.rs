//! Content that a page shows while it is scrolled, or hides at first.

use std::time::Duration;

use browser::{Rendered, Settled};

use crate::article::{PROSE, article_with};
use crate::origin::Reply;
use crate::support::Bench;

async fn rendered(reply: Reply) -> Rendered {
    let bench = Bench::new().await;
    bench.origin.on("/more", Reply::typed("text/plain", "more of it").after(Duration::from_millis(300)));

    let page = bench.render_reply(reply).await.unwrap();

    assert!(!page.partial && page.settled == Settled::Quiet, "{page:?}");
    page
}

/// Makes a long page with an element far below its window.
fn long(style: &str, script: &str) -> Reply {
    Reply::html(&format!(
        "<!DOCTYPE html><title>t</title><style>{style}</style><header id=top class=tall></header><p>{PROSE}</p>
         <div style='height: 3000px'></div><section id=far>far below</section><script>{script}</script>"
    ))
}

/// Script that adds a scrollable `list` at the end of the page.
const LIST: &str = "const list = document.createElement('div');
    list.style = 'height: 200px; overflow: auto';
    list.innerHTML = '<div style=\"height: 900px\"></div>';
    document.body.append(list);";

#[tokio::test]
async fn elements_shown_by_scroll_position_stay_when_scrolling_back_would_hide_them() {
    // The pattern of AOS. The header shows that the page is back at the top.
    let script = "const trigger = far.getBoundingClientRect().top - innerHeight;
        const handle = () => {
            far.className = pageYOffset >= trigger ? 'shown' : 'hidden';
            document.querySelector('#top').className = pageYOffset > 100 ? 'small' : 'tall';
        };
        let timer = 0;
        addEventListener('scroll', () => { clearTimeout(timer); timer = setTimeout(handle, 50) });
        handle()";

    let page = rendered(long(".hidden { opacity: 0 }", script)).await;

    assert!(page.html.contains("<section id=\"far\" class=\"shown\">"), "{}", page.html);
    assert!(page.html.contains("<header id=\"top\" class=\"tall\">"), "{}", page.html);
}

#[tokio::test]
async fn elements_that_fade_by_scroll_position_stay() {
    let script = "const look = () => { far.className = far.getBoundingClientRect().top < innerHeight - 100 ? 'shown' : '' };
        look(); addEventListener('scroll', look)";

    let page = rendered(long(
        "#far { opacity: 0; transition: opacity 0.8s 0.4s } #far.shown { opacity: 1 }",
        script,
    ))
    .await;

    assert!(page.html.contains("class=\"shown\""), "{}", page.html);
}

#[tokio::test]
async fn elements_shown_in_the_upper_part_of_the_window_or_at_scrollend_stay() {
    let upper = "const look = () => { far.className = far.getBoundingClientRect().top < innerHeight * 0.6 ? 'shown' : 'hidden' };
        look(); addEventListener('scroll', look)";
    let end = "addEventListener('scrollend', () => { far.className = 'shown' }, { once: true })";
    for script in [upper, end] {
        let page = rendered(long(".hidden { opacity: 0 }", script)).await;

        assert!(page.html.contains("<section id=\"far\" class=\"shown\">"), "{script}: {}", page.html);
    }
}

#[tokio::test]
async fn elements_that_check_their_position_by_an_interval_after_a_scroll_are_loaded() {
    // The pattern of htmx for `hx-trigger="revealed"`.
    let script = "let scrolled = false;
        addEventListener('scroll', () => { scrolled = true });
        setInterval(() => {
            if (!scrolled) return;
            scrolled = false;
            if (far.getBoundingClientRect().top < innerHeight && !far.asked) {
                far.asked = true;
                fetch('/more').then((r) => r.text()).then((text) => { far.textContent = text });
            }
        }, 200)";

    let page = rendered(long("", script)).await;

    assert!(page.html.contains("<section id=\"far\">more of it</section>"), "{}", page.html);
}

#[tokio::test]
async fn elements_that_check_their_position_some_frames_and_a_pause_after_a_scroll_are_shown() {
    // The pattern of lazy pictures: the handler waits for a frame, the frame for a timer, the timer for frames.
    let script = "const look = () => { far.className = far.getBoundingClientRect().top < innerHeight ? 'shown' : 'hidden' };
        const frames = (count, then) => requestAnimationFrame(() => (count > 1 ? frames(count - 1, then) : then()));
        let isWaiting = false;
        addEventListener('scroll', () => {
            if (isWaiting || far.className === 'shown') return;
            isWaiting = true;
            frames(1, () => setTimeout(() => frames(6, () => { isWaiting = false; look() }), 90));
        })";

    let page = rendered(long(".hidden { opacity: 0 }", script)).await;

    assert!(page.html.contains("<section id=\"far\" class=\"shown\">"), "{}", page.html);
}

#[tokio::test]
async fn a_list_that_scrolls_by_itself_is_scrolled_to_its_end() {
    let script = "list.onscroll = null;
        list.addEventListener('scroll', () => {
            if (list.asked || list.scrollTop + list.clientHeight < list.scrollHeight - 20) return;
            list.asked = true;
            fetch('/more').then((r) => r.text()).then((text) => list.append(text));
        })";

    let page = rendered(long("", &format!("{LIST} {script}"))).await;

    assert!(page.html.contains("more of it"), "{}", page.html);
}

#[tokio::test]
async fn a_react_root_is_scrolled_only_where_the_app_listens_too() {
    let root = "list._reactListening1 = true;
        const heard = () => { list.dataset.heard = 'yes' };";

    let by_react =
        rendered(long("", &format!("{LIST} {root} list.addEventListener('scroll', heard, true)"))).await;
    let by_app = rendered(long("", &format!("{LIST} {root} list.addEventListener('scroll', heard)"))).await;

    assert!(!by_react.html.contains("data-heard"), "{}", by_react.html);
    assert!(by_app.html.contains("data-heard=\"yes\""), "{}", by_app.html);
}

#[tokio::test]
async fn content_with_content_visibility_auto_is_shown() {
    let script = "new IntersectionObserver((entries) => {
            if (entries[0].isIntersecting) inner.className = 'seen';
        }).observe(inner)";
    let style = "#far { content-visibility: auto; contain-intrinsic-size: 300px }";

    let page = rendered(long(style, &format!("far.innerHTML = '<p id=inner>lazy</p>'; {script}"))).await;

    assert!(page.html.contains("<section id=\"far\"><p id=\"inner\" class=\"seen\">"), "{}", page.html);
    assert!(!page.html.contains("content-visibility: visible"), "{}", page.html);
}

#[tokio::test]
async fn a_feed_that_sets_the_address_of_the_article_in_view_is_no_redirect() {
    let script = "new IntersectionObserver((entries) => {
            if (entries[0].isIntersecting) { history.replaceState(0, '', '/next-article'); far.textContent = 'next' }
        }).observe(far)";

    let page = rendered(long("", script)).await;

    assert_eq!((page.location.as_deref(), page.final_url.path()), (None, "/page"));
    assert!(page.html.contains("next"), "{}", page.html);
}

#[tokio::test]
async fn a_page_hidden_by_an_ab_test_snippet_is_shown() {
    let by_class = (
        "<script>document.documentElement.className = 'js async-hide'</script><style>.async-hide { opacity: 0 !important }</style>",
        "setTimeout(() => { document.documentElement.classList.remove('async-hide'); add('no patience') }, 20000)",
    );
    let by_style = (
        "<style id=hides>body { visibility: hidden !important }</style>",
        "setTimeout(() => { hides.remove(); add('no patience') }, 20000)",
    );
    for (head, script) in [by_class, by_style] {
        let page = rendered(article_with(head, script)).await;

        assert!(!page.html.contains("<p>no patience"), "{}", page.html);
        assert!(
            page.html.contains("opacity: 1 !important")
                || page.html.contains("visibility: visible !important"),
            "{}",
            page.html
        );
    }
}

#[tokio::test]
async fn the_loading_class_of_a_lazy_picture_is_no_loading_indicator() {
    let page = rendered(article_with(
        "",
        "out.innerHTML = '<img class=\"lazyload lazyloading\" width=9 height=9>';
        setTimeout(() => add('newsletter'), 8000)",
    ))
    .await;

    assert!(!page.html.contains("<p>newsletter"), "{}", page.html);
}

#[tokio::test]
async fn an_endless_carousel_delays_the_capture_for_a_limited_time() {
    let script = "out.innerHTML = '<div style=\"transition: transform 300ms\">slide</div>';
        const slide = out.firstChild;
        let n = 0;
        const next = () => { slide.style.transform = `translateX(${++n}px)`; out.append(document.createElement('i')) };
        slide.addEventListener('transitionend', () => setTimeout(next, 100));
        setTimeout(next, 100)";

    let page = rendered(article_with("", script)).await;

    assert!(page.html.contains("slide"), "{}", page.html);
}

#[tokio::test]
async fn scripts_that_wait_for_a_first_interaction_are_started() {
    let begin =
        "const begin = () => { if (!globalThis.begun) far.textContent = 'begun'; globalThis.begun = true };";
    for listening in [
        "['keydown', 'mousemove', 'touchstart', 'wheel'].forEach((type) => addEventListener(type, begin, { passive: true }))",
        "['mousemove', 'scroll', 'click', 'touchstart'].forEach((type) => document.body.addEventListener(type, () => begin(), { once: true }))",
    ] {
        let page = rendered(Reply::html(&format!(
            "<!DOCTYPE html><title>t</title><p>{PROSE}</p><section id=far></section><script>{begin} {listening}</script>"
        )))
        .await;

        assert!(page.html.contains("begun</section>"), "{listening}: {}", page.html);
    }
}

#[tokio::test]
async fn pointer_followers_and_click_handlers_get_no_interaction() {
    let script = "addEventListener('mousemove', () => document.body.append('followed'));
        ['click', 'keydown', 'mousedown'].forEach((type) => addEventListener(type, () => document.body.append('pressed')));
        document.addEventListener('mouseout', () => document.body.append('left'))";

    let page = rendered(long("", script)).await;

    assert!(!["followed", "pressed", "left"].iter().any(|word| page.html.contains(word)), "{}", page.html);
}

#[tokio::test]
async fn scroll_handlers_are_called_when_set_as_properties() {
    let show = "if (far.getBoundingClientRect().top < innerHeight) far.textContent = 'arrived'";
    for script in [
        format!("document.onscroll = () => {{ {show} }}"),
        format!("document.body.onscroll = () => {{ {show} }}"),
    ] {
        let page = rendered(long("", &script)).await;

        assert!(page.html.contains("<section id=\"far\">arrived</section>"), "{script}: {}", page.html);
    }
}

#[tokio::test]
async fn a_scroll_handler_of_a_list_is_called() {
    let script = "list.onscroll = () => { if (list.scrollTop + list.clientHeight > list.scrollHeight - 20) far.textContent = 'end of the list' }";

    let page = rendered(long("", &format!("{LIST} {script}"))).await;

    assert!(page.html.contains("end of the list"), "{}", page.html);
}

#[tokio::test]
async fn an_element_that_scrolls_in_place_of_the_window_is_scrolled_for_capturing_listeners() {
    let shell = Reply::html(&format!(
        "<!DOCTYPE html><title>t</title><style>html, body {{ height: 100%; margin: 0; overflow: hidden }} #shell {{ height: 100%; overflow: auto }}</style>
         <div id=shell><p>{PROSE}</p><div style='height: 3000px'></div><section id=far>far below</section></div><script>
         document.addEventListener('scroll', () => {{
            if (far.getBoundingClientRect().top < innerHeight + 200) far.textContent = 'arrived';
         }}, true)</script>"
    ));

    let page = rendered(shell).await;

    assert!(page.html.contains("<section id=\"far\">arrived</section>"), "{}", page.html);
}

#[tokio::test]
async fn elements_shown_by_any_attribute_stay_when_scrolling_back_would_hide_them() {
    let data = "const look = () => { far.dataset.scroll = far.getBoundingClientRect().top < innerHeight ? 'in' : 'out' };
        look(); addEventListener('scroll', look)";
    let hidden =
        "const look = () => { far.hidden = !(scrollY > 2000) }; look(); addEventListener('scroll', look)";
    for (script, wanted) in [(data, "data-scroll=\"in\""), (hidden, "<section id=\"far\">")] {
        let page = rendered(long("[data-scroll=out] { opacity: 0 }", script)).await;

        assert!(page.html.contains(wanted), "{script}: {}", page.html);
    }
}

#[tokio::test]
async fn elements_shown_only_away_from_the_top_hide_again() {
    let script = "far.style = 'position: fixed; bottom: 0';
        const look = () => { far.hidden = !(scrollY > 2000) }; look(); addEventListener('scroll', look)";

    let page = rendered(long("", script)).await;

    assert!(page.html.contains(" hidden=\"\""), "{}", page.html);
}

#[tokio::test]
async fn the_body_is_scrolled_in_quirks_mode() {
    let page = rendered(Reply::html(&format!(
        "<html><title>t</title><body><p>{PROSE}</p><div style='height: 3000px'></div><section id=far>far below</section><script>
         addEventListener('scroll', () => {{ if (document.body.scrollTop + 1000 > far.offsetTop - 500) far.textContent = 'arrived' }})</script>"
    )))
    .await;

    assert!(page.html.contains("<section id=\"far\">arrived</section>"), "{}", page.html);
}

#[tokio::test]
async fn elements_shown_once_in_a_narrow_band_of_the_window_are_shown() {
    for margin in ["-30% 0px", "-40% 0px -45%"] {
        let script = format!(
            "far.className = 'wait';
             new IntersectionObserver((entries, observer) => entries.forEach((entry) => {{
                if (!entry.isIntersecting) return;
                entry.target.className = 'seen';
                observer.unobserve(entry.target);
             }}), {{ rootMargin: '{margin}' }}).observe(far)"
        );

        let page = rendered(long("", &script)).await;

        assert!(page.html.contains("class=\"seen\""), "{margin}: {}", page.html);
    }
}

#[tokio::test]
async fn different_bound_functions_for_one_event_each_get_no_interaction() {
    let script = "function follow() { far.textContent = 'followed' } function keys() {} function touch() {}
        addEventListener('mousemove', follow.bind({}));
        addEventListener('keydown', keys.bind({}));
        addEventListener('touchstart', touch.bind({}))";

    let page = rendered(long("", script)).await;

    assert!(!page.html.contains("followed</section>"), "{}", page.html);
}

#[tokio::test]
async fn one_function_bound_for_each_event_gets_an_interaction() {
    let script = "function begin() { far.textContent = 'begun' }
        for (const type of ['mousemove', 'keydown', 'touchstart']) addEventListener(type, begin.bind({}))";

    let page = rendered(long("", script)).await;

    assert!(page.html.contains("begun</section>"), "{}", page.html);
}
