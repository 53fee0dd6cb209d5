//! Measurements of a page for audits.

use browser::{Inspection, RenderRequest, Renderer};

use crate::article::{PROSE, article};
use crate::origin::Reply;
use crate::support::{Bench, request};

async fn inspected(reply: Reply) -> Inspection {
    let bench = Bench::new().await;
    bench.origin.on("/page", reply);

    let page = bench.pool.render(RenderRequest { inspect: true, ..request("/page") }).await.unwrap();

    page.inspection.expect("an inspection was asked for")
}

fn page(body: &str) -> Reply {
    Reply::html(&format!("<!DOCTYPE html><title>t</title>{body}"))
}

#[tokio::test]
async fn the_page_is_measured_for_audits_only() {
    let bench = Bench::new().await;

    let page = bench.render_reply(article("add('x')")).await.unwrap();

    assert_eq!(page.inspection, None);
}

#[tokio::test]
async fn the_largest_picture_in_the_viewport_is_reported_when_it_loads_lazily() {
    let hero = inspected(page(
        "<img src=/logo.png width=50 height=50><div><img src=hero.jpg alt=Hero loading=LAZY width=600 height=300></div>
         <div style='height: 3000px'></div><img src=/far.jpg width=900 height=900>",
    ))
    .await;
    let eager_beside_it = inspected(page(
        "<img src=/a.jpg width=600 height=300><br><img src=/b.jpg loading=lazy width=200 height=200>",
    ))
    .await;
    let responsive = inspected(page(
        "<style>img { max-width: 100%; height: auto }</style><img src=/a.jpg alt='A garden' loading=lazy width=1200 height=600>",
    ))
    .await;
    let sized_by_style = inspected(page(
        "<style>img { width: 100%; height: 300px }</style><img src=/b.jpg alt='' loading=lazy>",
    ))
    .await;
    let small = inspected(page("<img src=/a.jpg loading=lazy width=99 height=99>")).await;
    let far = inspected(page(
        "<div style='height: 900px'></div><img src=/a.jpg loading=lazy width=600 height=300>",
    ))
    .await;

    assert_eq!(hero.lazy_picture.as_deref(), Some("https://shop.test/hero.jpg"));
    assert_eq!(responsive.lazy_picture.as_deref(), Some("https://shop.test/a.jpg"));
    assert_eq!(sized_by_style.lazy_picture.as_deref(), Some("https://shop.test/b.jpg"));
    assert_eq!((eager_beside_it.lazy_picture, small.lazy_picture, far.lazy_picture), (None, None, None));
}

#[tokio::test]
async fn text_that_appears_by_scrolling_is_counted_separately() {
    let below = "<nav>Home Shop</nav><div style='height: 3000px'></div><section id=far></section>";
    let words = "const words = 'one two three four five six seven eight nine ten '.repeat(20);";
    let scrolled = inspected(page(&format!(
        "<p>{PROSE}</p>{below}<script>{words}
         new IntersectionObserver((entries) => {{ if (entries[0].isIntersecting && !far.firstChild) far.textContent = words }}).observe(far)
         </script>"
    )))
    .await;
    let by_event = inspected(page(&format!(
        "<p>{PROSE}</p>{below}<script>{words} addEventListener('scroll', () => (far.textContent = words), {{ once: true }})</script>"
    )))
    .await;
    let at_once = inspected(page(&format!(
        "<p>{PROSE}</p>{below}<script>{words} setTimeout(() => (far.textContent = words), 200);
         addEventListener('scroll', () => (far.className = 'seen'))</script>"
    )))
    .await;
    let prose = PROSE.split_whitespace().count();

    for page in [scrolled, by_event] {
        assert_eq!((page.unscrolled_words, page.words), (Some(prose), prose + 200));
    }
    assert_eq!((at_once.unscrolled_words, at_once.words), (Some(prose + 200), prose + 200));
}

#[tokio::test]
async fn elements_that_navigate_by_click_handlers_are_counted_with_their_targets() {
    let page = inspected(page(
        r#"<div onclick="location.href='/a'">A</div><li data-href=/b>B</li><span role=link>C</span>
           <div id=react data-url=/d>D</div><article id=card>E</article>
           <div onclick="toggle()">no</div><div data-href=/none>no</div><a href=/f onclick="location.href='/g'">no</a>
           <button onclick="location.href='/h'">no</button><div onclick="location.href='/i'"><a href=/i>no</a></div>
           <div onclick="if (location.href == '/j') open()">no</div>
           <script>
           for (const name of ['li', 'span']) document.querySelector(name).addEventListener('click', () => go());
           react.__reactProps$abc = { onClick: () => go() };
           card.onclick = () => { location.assign("/e?x=1") };
           document.addEventListener('click', () => location.assign('/everywhere'));
           </script>"#,
    ))
    .await;

    assert_eq!(page.click_links, 5);
    let at = |path: &str| format!("https://shop.test{path}");
    assert_eq!(page.click_targets, [at("/a"), at("/b"), String::new(), at("/d"), at("/e?x=1")]);
}

#[tokio::test]
async fn getters_that_throw_do_not_affect_the_other_measurements() {
    let page = inspected(page(
        r#"<div id=trap data-href=/a>A</div><div onclick="location='/b'">B</div><img src=/a.jpg loading=lazy width=600 height=300>
           <script>
           Object.defineProperty(trap, '__reactProps$x', { enumerable: true, get() { throw 1 } });
           Element.prototype.getBoundingClientRect = Element.prototype.closest = () => { throw 2 };
           </script>"#,
    ))
    .await;

    assert_eq!((page.click_links, page.lazy_picture.is_some()), (1, true));
}

#[tokio::test]
async fn every_error_response_is_listed_however_its_request_ends() {
    let bench = Bench::new().await;
    let script = |status| Reply::typed("text/javascript", "no").status(status);
    bench.origin.on("/missing.js", script(404)).on("/style.css", Reply::typed("text/css", "").status(500));
    bench.origin.on("/module.js", script(404)).on("/lazy.js", script(503));
    bench.origin.on("/api/prices", Reply::typed("application/json", "{}").status(401));
    bench.origin.on(
        "/page",
        page(
            "<link rel=stylesheet href=/style.css><script src=/missing.js></script><p id=out></p><script>
             fetch('/api/prices'); import('/module.js').catch(() => {});
             setTimeout(() => { const lazy = document.createElement('script'); lazy.src = '/lazy.js'; document.body.append(lazy) }, 100);
             setTimeout(() => { out.textContent = 'shown' }, 300);
             </script>",
        ),
    );

    let rendered = bench.pool.render(RenderRequest { inspect: true, ..request("/page") }).await.unwrap();

    let loaded = rendered.inspection.unwrap().loaded;
    let mut listed: Vec<_> =
        loaded.iter().map(|it| (it.url.trim_start_matches("https://shop.test"), it.status)).collect();
    listed.sort_unstable();
    let expected = [
        ("/api/prices", 401),
        ("/lazy.js", 503),
        ("/missing.js", 404),
        ("/module.js", 404),
        ("/style.css", 500),
    ];
    assert_eq!(listed, expected);
    assert_eq!(rendered.failed.len(), expected.len());
}
