//! Views: pictures and fonts are loaded, given documents run no scripts, and hostile pages are partial or fail.

use std::time::Duration;

use browser::{
    PageView, RenderError, RenderLimits, RenderRequest, Renderer, ViewRequest, ViewSource, ViewedPage,
};

use crate::origin::Reply;
use crate::support::{Bench, eventually, group, request, signal};

/// A red square.
const PICTURE: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'><rect width='300' height='200' fill='red'/></svg>";

async fn look(bench: &Bench, page: RenderRequest, width: u32, source: ViewSource) -> PageView {
    bench.pool.view(ViewRequest { page, width, source }).await
}

fn seen(view: &PageView) -> &ViewedPage {
    view.page.as_ref().unwrap_or_else(|error| panic!("{error}"))
}

fn document(html: &str) -> ViewSource {
    ViewSource::Document { html: html.to_owned().into(), content_type: "text/html; charset=utf-8".into() }
}

#[tokio::test]
async fn a_live_page_has_its_pictures_and_a_given_document_runs_no_scripts() {
    let bench = Bench::new().await;
    bench.origin.on("/red.svg", Reply::typed("image/svg+xml", PICTURE));
    bench.origin.on("/missing.js", Reply::html("").status(404));
    let page = "<!DOCTYPE html><title>t</title><body style='margin:0'><p id=p>Raw</p><img src=/red.svg>\
        <script src=/missing.js></script><script>p.textContent = 'Live page'; console.error('oops')</script>";
    bench.origin.on("/page", Reply::html(page));
    bench.origin.on("/moved", Reply::redirect(302, "/page"));

    let live = look(&bench, request("/moved"), 1280, ViewSource::Live).await;
    let fetched = bench.origin.count("/page");
    let given = look(&bench, request("/page"), 390, document(&page.replace("Raw", "Given"))).await;

    let (person, crawler) = (seen(&live), seen(&given));
    assert_eq!((person.status, person.final_url.path(), person.words), (200, "/page", 2));
    assert_eq!((person.text.trim(), crawler.text.trim()), ("Live page", "Given"));
    assert!(bench.origin.count("/red.svg") >= 2, "both looks load the picture");
    assert_eq!(bench.origin.count("/page"), fetched, "a given document is not fetched");
    for (view, width) in [(person, 1280), (crawler, 390)] {
        let picture = view.picture.as_ref().expect("a picture");
        assert_eq!((&picture.webp[..4], &picture.webp[8..12]), (&b"RIFF"[..], &b"WEBP"[..]));
        assert!(picture.width == width && picture.height >= 200 && !picture.cut, "{picture:?}");
    }
    let outcomes: Vec<_> = live
        .requests
        .iter()
        .map(|it| (it.url.rsplit('/').next().unwrap(), it.kind.as_str(), it.status))
        .collect();
    for wanted in [("page", "document", 200), ("red.svg", "image", 200), ("missing.js", "script", 404)] {
        assert!(outcomes.contains(&wanted), "{outcomes:?}");
    }
    assert_eq!(live.console.iter().filter(|message| message.text == "oops").count(), 1);
    assert!(bench.pool.viewer_pid().is_some_and(|pid| Some(pid) != bench.pool.browser_pid()));
}

#[tokio::test]
async fn hostile_pages_are_partial_or_fail_and_leave_nothing() {
    let bench = Bench::new().await;
    let endless = "<!DOCTYPE html><body style='margin:0'><div style='height:3000000px'>tall</div><script>\
        addEventListener('scroll', () => document.body.append(Object.assign(document.createElement('div'), \
        { style: 'height:9000px', textContent: 'more' })))</script>";
    bench.origin.on("/endless", Reply::html(endless));
    let noise: String = "x".repeat(3 << 20);
    bench.origin.on("/huge.png", Reply::typed("image/png", &noise));
    bench.origin.on("/heavy", Reply::html("<!DOCTYPE html><p>Heavy</p><img src=/huge.png>"));
    bench.origin.on(
        "/busy",
        Reply::html("<!DOCTYPE html><p>Busy</p><script>setTimeout(() => { for (;;); }, 50)</script>"),
    );
    bench.origin.on("/file", Reply::typed("application/zip", "PK"));
    let small = |path: &str| RenderRequest {
        limits: RenderLimits { page_bytes: 1 << 20, ..request(path).limits },
        timeout: Duration::from_secs(6),
        ..request(path)
    };

    let endless = look(&bench, small("/endless"), 1280, ViewSource::Live).await;
    let (heavy, busy) = tokio::join!(
        look(&bench, small("/heavy"), 1280, ViewSource::Live),
        look(&bench, small("/busy"), 1280, ViewSource::Live),
    );
    let (file, private) = tokio::join!(
        look(&bench, small("/file"), 1280, ViewSource::Live),
        look(
            &bench,
            RenderRequest { url: "http://10.0.0.1/".parse().unwrap(), ..small("/") },
            1280,
            ViewSource::Live
        ),
    );
    let after = look(&bench, small("/endless"), 390, document("<p>Fine</p>")).await;

    let picture = seen(&endless).picture.as_ref().expect("a picture");
    assert!(picture.cut && picture.height == 8_000 && picture.webp.len() <= 4 << 20, "{picture:?}");
    let heavy_page = seen(&heavy);
    assert!(heavy_page.partial && heavy_page.text.contains("Heavy"));
    let huge = heavy.requests.iter().find(|it| it.url.ends_with("/huge.png")).expect("a request");
    assert!(huge.bytes <= 1 << 20, "{huge:?}");
    // The page's script is terminated at the time limit. On a machine that is too slow for that, the view fails.
    assert!(
        busy.page.as_ref().map_or_else(|error| matches!(error, RenderError::Timeout(_)), |page| page.partial)
    );
    assert!(matches!(file.page, Err(RenderError::NotAPage(_))), "{:?}", file.page.map(|page| page.text));
    assert!(
        matches!(private.page, Err(RenderError::Forbidden { .. })),
        "{:?}",
        private.page.map(|page| page.text)
    );
    assert_eq!(seen(&after).text.trim(), "Fine");
    let pid = bench.pool.viewer_pid().expect("a browser");
    bench.pool.shutdown().await;
    assert!(group(pid).is_empty(), "the browser has ended with the pool");
}

#[tokio::test]
async fn a_picture_that_would_be_too_large_is_kept_in_a_lower_quality() {
    let bench = Bench::new().await;
    // Noise of this size takes about 6 MB in the best quality.
    let noise = "<!DOCTYPE html><body style='margin:0'><canvas id=c width=1280 height=6000 style='display:block'></canvas><script>\
        const pen = c.getContext('2d'), strip = pen.createImageData(1280, 12); \
        for (let y = 0; y < 6000; y += 12) { crypto.getRandomValues(strip.data); \
        for (let i = 3; i < strip.data.length; i += 4) strip.data[i] = 255; pen.putImageData(strip, 0, y); }</script>";
    bench.origin.on("/noise", Reply::html(noise));

    let view = look(&bench, request("/noise"), 1280, ViewSource::Live).await;

    let picture = seen(&view).picture.as_ref().expect("a picture");
    assert_eq!((picture.width, picture.height, picture.cut), (1280, 6000, false));
    assert!((1 << 20..=4 << 20).contains(&picture.webp.len()), "{} bytes", picture.webp.len());
}

#[tokio::test]
async fn a_view_whose_browser_is_killed_fails_and_the_next_one_succeeds() {
    let bench = Bench::new().await;
    bench.origin.on("/slow", Reply::html("<p>Late</p>").after(Duration::from_secs(20)));
    bench.origin.on("/page", Reply::html("<!DOCTYPE html><p>Fine</p>"));
    let killed = async {
        eventually("the page is asked for", || bench.origin.count("/slow") > 0).await;
        signal(bench.pool.viewer_pid().expect("a browser"), "KILL");
    };

    let (lost, ()) = tokio::join!(look(&bench, request("/slow"), 1280, ViewSource::Live), killed);
    let next = look(&bench, request("/page"), 1280, ViewSource::Live).await;

    assert!(lost.page.is_err(), "{:?}", lost.page.map(|page| page.text));
    assert_eq!(seen(&next).text.trim(), "Fine");
    assert!(seen(&next).picture.is_some());
}
