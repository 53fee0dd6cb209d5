//! Redirects: their kinds, navigations that are none, and cookies in between.

use std::time::Duration;

use browser::{RenderError, RenderRequest, Rendered, Renderer, Settled};

use crate::origin::{Origin, Reply};
use crate::support::{Bench, HOST, request};

fn assert_stays(page: &Rendered, text: &str) {
    assert_eq!(page.location, None, "{page:?}");
    assert!(page.status == 200 && !page.partial && page.html.contains(text), "{page:?}");
}

#[tokio::test]
async fn a_navigation_without_a_document_leaves_the_page_unchanged() {
    let bench = Bench::new().await;
    let attachment = Reply::typed("application/zip", "PK").header("content-disposition", "attachment");
    bench.origin.on("/file", attachment).on("/nothing", Reply::html("").status(204));
    bench.origin.on("/plain.zip", Reply::typed("application/zip", "PK"));
    bench.origin.on("/get", Reply::redirect(302, "/plain.zip"));
    for target in ["/file", "/plain.zip", "/get", "/nothing", "myapp://open", "mailto:ines@shop.test"] {
        let script = format!(
            "setTimeout(() => {{ location.href = '{target}' }}, 50); setTimeout(() => {{ out.textContent = 'the page' }}, 300)"
        );

        let page = bench.render_reply(Reply::script(&script)).await.unwrap();

        assert_stays(&page, "the page");
        assert_eq!(page.settled, Settled::Quiet, "{target}");
    }
}

#[tokio::test]
async fn a_blob_document_made_by_the_page_is_the_page() {
    let bench = Bench::new().await;
    let script = "location.href = URL.createObjectURL(new Blob(['<title>t</title><h1>made here</h1>'], { type: 'text/html' }))";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_stays(&page, "made here");
}

#[tokio::test]
async fn a_refresh_that_starts_a_download_is_no_redirect() {
    let bench = Bench::new().await;
    bench.origin.on("/file", Reply::typed("application/zip", "PK"));
    let page =
        "<!DOCTYPE html><meta http-equiv=refresh content='3; url=/file'><p>Your download begins in a moment.";

    let page = bench.render_reply(Reply::html(page)).await.unwrap();

    assert_stays(&page, "in a moment");
}

#[tokio::test]
async fn a_router_address_that_the_server_answers_with_404_is_no_redirect() {
    let bench = Bench::new().await;

    let page = bench
        .render_reply(Reply::script("history.replaceState({}, '', '/made/up'); out.textContent = 'the page'"))
        .await
        .unwrap();

    assert_stays(&page, "the page");
    assert_eq!(bench.origin.count("/made/up"), 1);
}

#[tokio::test]
async fn a_router_address_that_the_server_knows_is_a_redirect() {
    let bench = Bench::new().await;
    bench.origin.on("/known", Reply::script(""));

    let page = bench.render_reply(Reply::script("history.replaceState({}, '', '/known')")).await.unwrap();

    assert_eq!((page.status, page.location), (302, Some(format!("https://{HOST}/known"))));
}

#[tokio::test]
async fn a_change_of_address_by_our_scrolling_is_no_redirect() {
    let bench = Bench::new().await;
    bench.origin.on("/next", Reply::script(""));
    let script = "out.innerHTML = '<p>the page</p><div style=\"height: 4000px\"></div><p id=end>more</p>';
        addEventListener('scroll', () => history.replaceState({}, '', '/next'));
        new IntersectionObserver((e) => { if (e[0].isIntersecting) { history.replaceState({}, '', '/next');
            document.getElementById('end').textContent = 'next article' } }).observe(document.getElementById('end'))";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_stays(&page, "next article");
}

/// The 404 document of single-page apps on GitHub Pages.
const NOT_FOUND: &str = "<!DOCTYPE html><title>404</title><script>
    location.replace('/?/' + location.pathname.slice(1))</script>";
const APP: &str =
    "if (location.search.startsWith('?/')) history.replaceState(null, null, '/' + location.search.slice(2));
    out.textContent = 'at ' + location.pathname";

#[tokio::test]
async fn a_404_document_from_which_the_app_returns_is_the_page() {
    let bench = Bench::new().await;
    bench.origin.on("/", Reply::script(APP)).on("/deep", Reply::html(NOT_FOUND).status(404));

    let page = bench.render("/deep").await.unwrap();

    assert_stays(&page, "at /deep");
    assert_eq!(page.final_url.as_str(), format!("https://{HOST}/deep"));
}

#[tokio::test]
async fn a_404_document_from_which_the_app_returns_by_a_refresh_is_the_page() {
    let bench = Bench::new().await;
    let not_found = "<!DOCTYPE html><meta http-equiv=refresh content='0;URL=/'><script>sessionStorage.redirect = location.href</script>";
    let app = "const to = sessionStorage.redirect; delete sessionStorage.redirect;
        if (to && to !== location.href) history.replaceState(null, null, to); out.textContent = 'at ' + location.pathname";
    bench.origin.on("/", Reply::script(app)).on("/deep", Reply::html(not_found).status(404));

    let page = bench.render("/deep").await.unwrap();

    assert_stays(&page, "at /deep");
}

/// Makes a bench whose warm tab has had a page that stored something.
async fn warm_bench() -> Bench {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    let earlier = Reply::script("localStorage.old = sessionStorage.old = window.name = 'old'");
    bench.origin.on("/earlier", earlier);
    bench.render("/earlier").await.unwrap();
    bench
}

#[tokio::test]
async fn storage_is_kept_for_the_next_document_of_the_same_render_only() {
    let app = "const old = localStorage.old || sessionStorage.old || window.name;
        out.textContent = `at ${location.pathname}, ${sessionStorage.length} ${sessionStorage.to} ${old || 'nothing old'}`;";
    let not_found = "<!DOCTYPE html><meta http-equiv=refresh content='0;URL=/'><script>sessionStorage.to = location.pathname</script>";
    let routed = format!("history.replaceState(null, null, sessionStorage.to); {app}");
    let again = format!(
        "if (!sessionStorage.to) {{ sessionStorage.to = 'seen'; location.href = location.href }} {app}"
    );
    for (path, reply, shown) in [
        ("/deep", Reply::html(not_found).status(404), "at /deep, 1 /deep nothing old"),
        ("/again", Reply::script(&again), "at /again, 1 seen nothing old"),
        (
            "/reload",
            Reply::script(&again.replace("location.href = location.href", "location.reload()")),
            "at /reload, 1 seen nothing old",
        ),
    ] {
        let bench = warm_bench().await;
        bench.origin.on("/", Reply::script(&routed)).on(path, reply);
        for _ in 0..3 {
            let page = bench.render(path).await.unwrap();

            assert_stays(&page, shown);
        }
    }
}

#[tokio::test]
async fn frames_do_not_clear_the_storage_of_their_page() {
    let bench = warm_bench().await;
    bench.origin.on("/inner", Reply::html("<p>inner"));
    let script = "sessionStorage.kept = 'kept';
        for (const source of ['/inner', 'about:blank']) {
            const frame = document.createElement('iframe');
            frame.src = source;
            frame.onload = () => { out.textContent += sessionStorage.kept };
            document.body.append(frame);
        }";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_stays(&page, "keptkept");
}

#[tokio::test]
async fn opening_a_page_in_the_same_window_is_a_redirect() {
    let bench = Bench::new().await;
    bench.origin.on("/new", Reply::script(""));

    let page = bench.render_reply(Reply::script("window.open('/new', '_self')")).await.unwrap();

    assert_eq!((page.settled, page.location), (Settled::Redirect, Some(format!("https://{HOST}/new"))));
}

#[tokio::test]
async fn a_page_that_reloads_for_ever_is_refused() {
    let bench = Bench::new().await;

    let answer = bench.render_reply(Reply::script("location.reload()")).await;

    let Err(RenderError::NotAPage(reason)) = answer else { panic!("{answer:?}") };
    assert!(reason.contains("reloads"), "{reason}");
}

#[tokio::test]
async fn a_cookie_of_a_redirect_is_sent_in_the_same_render_only() {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    let gate = Reply::redirect(302, "/page").header("set-cookie", "seen=1; Path=/");
    for _ in 0..2 {
        bench.origin.on("/check", gate.clone());
        bench.origin.on_without_cookie("/page", Reply::redirect(302, "/check"));

        let page = bench.render_reply(Reply::script("out.textContent = 'the page'")).await.unwrap();

        assert_stays(&page, "the page");
    }
    let cookies: Vec<_> =
        bench.origin.hits().into_iter().map(|hit| hit.headers.contains_key("cookie")).collect();
    assert!(!cookies[0] && cookies.contains(&true), "{cookies:?}");
}

#[tokio::test]
async fn a_cookie_of_a_script_is_kept_after_a_reload_and_a_navigation() {
    for go in ["location.reload()", "location.href = location.href", "location.href = '/inside'"] {
        let bench = Bench::new().await;
        bench.origin.on("/inside", Reply::script("out.textContent = 'welcome'"));
        bench.origin.on_without_cookie("/inside", Reply::html("<h1>forbidden").status(403));
        bench.origin.on("/page", Reply::script("out.textContent = 'welcome'"));
        bench.origin.on_without_cookie("/page", Reply::script(&format!("document.cookie = 'ok=1'; {go}")));

        let page = bench.render("/page").await.unwrap();

        assert_stays(&page, "welcome");
    }
}

#[tokio::test]
async fn a_repeated_request_for_critical_ch_is_no_redirect() {
    let bench = Bench::new().await;
    let hints = "Sec-CH-UA-Model, Sec-CH-Prefers-Color-Scheme";
    let page =
        Reply::script("out.textContent = 'the page'").header("accept-ch", hints).header("critical-ch", hints);

    let page = bench.render_reply(page).await.unwrap();

    assert_stays(&page, "the page");
}

#[tokio::test]
async fn a_redirect_that_also_sets_a_cookie_is_a_redirect() {
    let bench = Bench::new().await;
    bench.origin.on("/new", Reply::script("out.textContent = 'new'"));
    let reply = Reply::redirect(301, "/new").header("set-cookie", "session=1");

    let page = bench.render_reply(reply).await.unwrap();

    assert_eq!((page.status, page.location), (301, Some(format!("https://{HOST}/new"))));
}

#[tokio::test]
async fn endless_redirects_are_returned_as_a_redirect() {
    let bench = Bench::new().await;
    bench.origin.on("/page", Reply::redirect(302, "/page").header("set-cookie", "a=1"));

    let request = RenderRequest { timeout: Duration::from_secs(5), ..request("/page") };
    let page = bench.pool.render(request).await.unwrap();

    assert_eq!((page.status, page.settled), (302, Settled::Redirect));
}

#[tokio::test]
async fn a_slow_cookie_redirect_leads_to_the_page() {
    let slow = Duration::from_millis(700);
    let cookie = |location: &str| Reply::redirect(302, location).header("set-cookie", "seen=1; Path=/");
    for (first, check) in
        [(cookie("/page"), None), (Reply::redirect(302, "/check"), Some(cookie("/page").after(slow)))]
    {
        let bench = Bench::new().await;
        bench.origin.on_without_cookie("/page", first);
        if let Some(check) = check {
            bench.origin.on("/check", check);
        }

        let page = bench.render_reply(Reply::script("out.textContent = 'let in'").after(slow)).await.unwrap();

        assert_stays(&page, "let in");
    }
}

#[tokio::test]
async fn a_cookie_redirect_through_another_host_of_the_site_leads_to_the_page() {
    let login = Origin::start().await;
    let bench = Bench::with_hosts(&[("login.shop.test", login.address)], |_| {}).await;
    let cookie = "seen=1; Path=/; Domain=shop.test";
    login.on("/set", Reply::redirect(302, &format!("https://{HOST}/page")).header("set-cookie", cookie));
    bench.origin.on_without_cookie("/page", Reply::redirect(302, "https://login.shop.test/set"));

    let page = bench.render_reply(Reply::script("out.textContent = 'let in'")).await.unwrap();

    assert_stays(&page, "let in");
}

#[tokio::test]
async fn another_query_of_the_same_path_is_the_page() {
    for query in ["utm_source=direct", "js=1"] {
        let go = format!("location.replace(location.pathname + '?{query}')");
        let refresh =
            format!("document.head.innerHTML = '<meta http-equiv=refresh content=\"1; url=?{query}\">'");
        for leave in [go, refresh] {
            let bench = Bench::new().await;
            let script = format!("if (location.search) out.textContent = 'arrived'; else {leave}");

            let page = bench.render_reply(Reply::script(&script)).await.unwrap();

            assert_stays(&page, "arrived");
        }
    }
}

#[tokio::test]
async fn endless_changes_of_the_query_end() {
    let bench = Bench::new().await;

    let page = bench
        .render_reply(Reply::script("location.replace(`?${Math.random() + performance.now()}`)"))
        .await
        .unwrap();

    assert_eq!((page.status, page.settled), (302, Settled::Redirect));
}

#[tokio::test]
async fn a_refresh_header_is_a_redirect() {
    let bench = Bench::new().await;
    bench.origin.on("/new", Reply::script("out.textContent = 'new'"));

    let page = bench.render_reply(Reply::script("").header("refresh", "2; url=/new")).await.unwrap();
    let missing = bench
        .render_reply(Reply::script("out.textContent = 'the page'").header("refresh", "2; url=myapp:open"))
        .await
        .unwrap();

    assert_eq!((page.status, page.location), (302, Some(format!("https://{HOST}/new"))));
    assert_stays(&missing, "the page");
}

#[tokio::test]
async fn a_navigation_that_a_router_intercepts_is_no_redirect() {
    let by_property = "navigation.onnavigate = (e) => e.intercept({ handler: async () => { out.textContent = 'routed' } });";
    let before_it_goes = "navigation.addEventListener('navigate', (e) => e.intercept({
        precommitHandler: () => new Promise((done) => setTimeout(done, 200)), handler: async () => { out.textContent = 'routed' } }));";
    for router in [by_property, before_it_goes] {
        let bench = Bench::new().await;

        let page = bench
            .render_reply(Reply::script(&format!("{router} navigation.navigate('?tab=2')")))
            .await
            .unwrap();

        assert_stays(&page, "routed");
    }
}

#[tokio::test]
async fn a_sign_in_on_another_site_that_leads_back_is_no_redirect() {
    let sign_in = Origin::start().await;
    let bench = Bench::with_hosts(&[("id.test", sign_in.address)], |_| {}).await;
    let back = Reply::redirect(302, &format!("https://{HOST}/callback?code=1"));
    sign_in.on("/authorize", Reply::redirect(302, "/session").header("set-cookie", "known=1"));
    sign_in.on("/session", back.after(Duration::from_millis(1_500)));
    bench.origin.on_without_cookie("/page", Reply::redirect(302, "https://id.test/authorize?client=shop"));
    bench.origin.on("/callback", Reply::redirect(303, "/page").header("set-cookie", "seen=1; Path=/"));

    let page = bench.render_reply(Reply::script("out.textContent = 'let in'")).await.unwrap();
    let again = bench.render("/page").await.unwrap();

    assert_stays(&page, "let in");
    assert_stays(&again, "let in");
    assert_eq!((page.first_status, page.hops.len()), (302, 4));
    assert_eq!(page.hops[0].location, "https://id.test/authorize?client=shop");
}

#[tokio::test]
async fn a_sign_in_on_another_site_that_ends_at_the_site_is_its_page() {
    let sign_in = Origin::start().await;
    let bench = Bench::with_hosts(&[("id.test", sign_in.address)], |_| {}).await;
    sign_in.on("/authorize", Reply::redirect(302, &format!("https://{HOST}/signed-in?code=1")));
    bench.origin.on("/signed-in", Reply::script("out.textContent = 'let in'"));

    let page = bench.render_reply(Reply::redirect(307, "https://id.test/authorize")).await.unwrap();

    assert_eq!((page.status, page.location.as_deref()), (200, None));
    assert!(page.html.contains("let in"), "{}", page.html);
}

#[tokio::test]
async fn a_redirect_to_another_site_contains_nothing_of_that_site() {
    let other = Origin::start().await;
    let bench = Bench::with_hosts(&[("moved.test", other.address)], |_| {}).await;
    other.on("/new", Reply::script("out.textContent = 'moved'").header("x-robots-tag", "noindex"));

    let page = bench.render_reply(Reply::redirect(301, "https://moved.test/new")).await.unwrap();
    let nobody = bench.render_reply(Reply::redirect(302, "https://nobody.test/")).await.unwrap();

    assert_eq!((page.status, page.location.as_deref()), (301, Some("https://moved.test/new")));
    assert!(page.html.is_empty() && page.headers.is_empty());
    assert_eq!((nobody.status, nobody.location.as_deref()), (302, Some("https://nobody.test/")));
}
