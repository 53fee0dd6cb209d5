//! What a page finds around it: a desk's screen and mouse, and chance that is the same on every render.

use crate::origin::Reply;
use crate::support::Bench;

/// What a script has written into a page at `path` when it was captured.
async fn written(bench: &Bench, path: &str, script: &str) -> String {
    bench.origin.on(path, Reply::script(script));
    let html = bench.render(path).await.unwrap().html;
    let (_, rest) = html.split_once("<div id=\"out\">").unwrap();
    rest.split_once("</div>").unwrap().0.to_owned()
}

#[tokio::test]
async fn a_page_is_online() {
    let bench = Bench::new().await;

    assert_eq!(written(&bench, "/page", "out.textContent = navigator.onLine").await, "true");
}

#[tokio::test]
async fn a_page_is_looked_at_on_a_large_screen_with_a_mouse() {
    let bench = Bench::new().await;
    let script = "const mouse = matchMedia('(hover: hover) and (pointer: fine)').matches;
        out.textContent = [mouse, screen.width, screen.height, innerWidth, innerHeight].join(' ')";

    assert_eq!(written(&bench, "/page", script).await, "true 1920 1080 1280 1024");
}

#[tokio::test]
async fn a_view_transition_changes_the_page_and_is_over() {
    let bench = Bench::new().await;
    let script = "const view = document.startViewTransition(() => { out.textContent = 'changed' });
        Promise.all([view.updateCallbackDone, view.ready, view.finished]).then(() => { out.textContent += ' and over' })";

    assert_eq!(written(&bench, "/page", script).await, "changed and over");
}

const DRAW: &str = "out.textContent = crypto.randomUUID() + ' ' + crypto.getRandomValues(new Uint8Array(8))";

#[tokio::test]
async fn what_a_page_draws_from_crypto_is_the_same_on_every_render() {
    let bench = Bench::new().await;

    let first = written(&bench, "/page", DRAW).await;
    let second = written(&bench, "/page", DRAW).await;

    assert_eq!(first, second);
}

#[tokio::test]
async fn what_pages_draw_from_crypto_differs_between_paths() {
    let bench = Bench::new().await;

    let one = written(&bench, "/one", DRAW).await;
    let other = written(&bench, "/other", DRAW).await;

    let ((id, bytes), (other_id, other_bytes)) =
        (one.split_once(' ').unwrap(), other.split_once(' ').unwrap());
    assert_ne!(id, other_id);
    assert_ne!(bytes, other_bytes);
}

#[tokio::test]
async fn random_values_are_refused_for_what_is_no_array_of_integers() {
    let bench = Bench::new().await;
    let script =
        "try { crypto.getRandomValues(new Float32Array(2)) } catch (error) { out.textContent = error.name }";

    assert_eq!(written(&bench, "/page", script).await, "TypeMismatchError");
}

#[tokio::test]
async fn what_looks_at_the_scroll_position_sees_the_end_of_the_page_once_and_then_the_top() {
    let bench = Bench::new().await;
    // Looks when the scrolling has paused, as such scripts do.
    let script = "document.body.style.cssText = 'margin: 0; height: 3000px';
        document.querySelector('h1').style.margin = 0;
        let pause;
        addEventListener('scroll', () => {
            clearTimeout(pause);
            pause = setTimeout(() => { out.textContent += scrollY + ' ' }, 150);
        })";

    let seen = written(&bench, "/page", script).await;

    assert_eq!(seen, "1976 0 ");
}
