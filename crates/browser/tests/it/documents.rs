//! Results of documents: pages, statuses, redirects, and responses that are not pages.

use std::time::{Duration, Instant};

use browser::{RenderError, RenderLimits, RenderRequest, Rendered, Renderer, Settled};

use crate::origin::Reply;
use crate::support::{Bench, HOST, request};

#[tokio::test]
async fn a_page_is_captured_as_its_scripts_made_it() {
    let bench = Bench::new().await;
    bench.origin.on("/api", Reply::typed("application/json", "{\"name\":\"Oak table\"}"));
    let script = "fetch('/api').then(r => r.json()).then(d => out.textContent = d.name)";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_eq!((page.status, page.partial, page.settled), (200, false, Settled::Quiet));
    assert!(page.html.starts_with("<!DOCTYPE html>"), "{}", page.html);
    assert!(page.html.contains("Oak table") && !page.html.contains("<script"), "{}", page.html);
    assert_eq!(page.final_url.as_str(), format!("https://{HOST}/page"));
}

#[tokio::test]
async fn pages_are_also_rendered_over_plain_http() {
    let bench = Bench::new().await;
    bench.origin.on("/page", Reply::script("out.textContent = location.href"));
    let mut request = request("/page");
    request.url.set_scheme("http").unwrap();

    let page = bench.pool.render(request).await.unwrap();

    assert!(page.html.contains(&format!("http://{HOST}/page")), "{}", page.html);
}

#[tokio::test]
async fn a_page_sees_its_public_https_address_whatever_its_origin_is() {
    let bench = Bench::new().await;

    let page = bench
        .render_reply(Reply::script("out.textContent = location.href + ' ' + isSecureContext"))
        .await
        .unwrap();

    assert!(page.html.contains(&format!("https://{HOST}/page true")), "{}", page.html);
}

#[tokio::test]
async fn the_documents_status_is_kept() {
    let bench = Bench::new().await;

    let page = bench.render_reply(Reply::script("").status(404)).await.unwrap();

    assert_eq!(page.status, 404);
    assert!(page.html.contains("Hello"));
}

#[tokio::test]
async fn the_pages_own_status_wins() {
    let bench = Bench::new().await;
    let script = "document.head.innerHTML += '<meta name=\"prerender-status-code\" content=\"410\">'";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_eq!(page.status, 410);
}

#[tokio::test]
async fn an_error_response_without_a_body_is_a_page_with_that_status() {
    let bench = Bench::new().await;

    let page = bench.render_reply(Reply::html("").status(503)).await.unwrap();

    assert_eq!(page.status, 503);
    assert!(!page.html.is_empty());
}

#[tokio::test]
async fn a_redirect_of_the_origin_ends_the_render_with_an_absolute_location() {
    let bench = Bench::new().await;
    for (status, location, wanted) in [
        (301, "/new", format!("https://{HOST}/new")),
        (302, "https://elsewhere.test/x?y=1", "https://elsewhere.test/x?y=1".to_owned()),
        (303, "next", format!("https://{HOST}/next")),
        (307, "//other.test/", "https://other.test/".to_owned()),
        (308, "/moved#part", format!("https://{HOST}/moved#part")),
    ] {
        let page = bench.render_reply(Reply::redirect(status, location)).await.unwrap();

        assert_eq!((page.status, page.location.as_deref()), (status, Some(wanted.as_str())));
        assert_eq!((page.html.as_str(), page.settled), ("", Settled::Redirect));
    }
}

#[tokio::test]
async fn a_navigation_by_script_is_a_redirect() {
    let bench = Bench::new().await;
    for script in [
        "location.replace('/new?a=1')",
        "location.href = '/new?a=1'",
        "location.assign('/new?a=1')",
        "setTimeout(() => location.replace('/new?a=1'), 100)",
        "document.head.innerHTML = '<meta http-equiv=refresh content=\"0; url=/new?a=1\">'",
    ] {
        let page = bench.render_reply(Reply::script(script)).await.unwrap();

        let wanted = format!("https://{HOST}/new?a=1");
        assert_eq!((page.status, page.location.as_deref()), (302, Some(wanted.as_str())), "{script}");
    }
}

#[tokio::test]
async fn a_client_side_redirect_may_declare_its_status() {
    let bench = Bench::new().await;
    let page = "<!DOCTYPE html><meta name=prerender-status-code content=301><script>location.replace('/new')</script>";

    let page = bench.render_reply(Reply::html(page)).await.unwrap();

    assert_eq!((page.status, page.location), (301, Some(format!("https://{HOST}/new"))));
}

#[tokio::test]
async fn a_page_that_reloads_itself_once_is_captured_after_the_reload() {
    let bench = Bench::new().await;
    let script = "if (sessionStorage.again) out.textContent = 'second time'; else { sessionStorage.again = 1; location.reload() }";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_eq!(page.status, 200);
    assert!(page.html.contains("second time"), "{}", page.html);
}

#[tokio::test]
async fn what_is_not_html_is_not_a_page() {
    let bench = Bench::new().await;
    for reply in [
        Reply::typed("application/pdf", "%PDF-1.4"),
        Reply::typed("application/json", "{}"),
        Reply::typed("image/png", "x"),
        Reply::typed("application/xml", "<?xml version=\"1.0\"?><offers><offer/></offers>"),
        Reply::typed("application/octet-stream", "x"),
        Reply::html("<p>hi").header("content-disposition", "attachment; filename=x.html"),
        Reply::html("").status(204),
    ] {
        let answer = bench.render_reply(reply.clone()).await;

        assert!(matches!(answer, Err(RenderError::NotAPage(_))), "{:?}: {answer:?}", reply.headers);
    }
}

#[tokio::test]
async fn a_cached_document_is_revalidated() {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    let cached = Reply::script("out.textContent = 'first'")
        .header("cache-control", "max-age=3600")
        .header("etag", "\"1\"");
    bench.render_reply(cached.clone()).await.unwrap();

    let unchanged = Reply { body: Vec::new(), ..cached }.status(304);
    let confirmed = bench.render_reply(unchanged).await.unwrap();
    let changed = bench.render_reply(Reply::script("out.textContent = 'second'")).await.unwrap();

    assert_eq!(confirmed.status, 200);
    assert!(confirmed.html.contains("first"), "{}", confirmed.html);
    assert!(changed.html.contains("second"), "{}", changed.html);
}

#[tokio::test]
async fn resources_of_the_document_may_come_from_the_tabs_cache() {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    bench.origin.on(
        "/app.js",
        Reply::typed("text/javascript", "out.textContent = 'app'").header("cache-control", "max-age=3600"),
    );
    let page = "<!DOCTYPE html><div id=out></div><script src=/app.js></script>";

    for _ in 0..3 {
        assert!(bench.render_reply(Reply::html(page)).await.unwrap().html.contains("app"));
    }

    assert_eq!((bench.origin.count("/page"), bench.origin.count("/app.js")), (3, 1));
}

#[tokio::test]
async fn a_page_gets_the_animation_frames_it_requests() {
    let bench = Bench::new().await;
    let script = "requestAnimationFrame(() => requestAnimationFrame(() => {
        new IntersectionObserver((e) => { if (e[0].isIntersecting) out.innerHTML = '<b>seen</b>' }).observe(document.querySelector('h1')) }))";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert!(page.html.contains("seen"), "{}", page.html);
    assert_eq!(page.settled, Settled::Quiet);
}

#[tokio::test]
async fn a_late_module_is_awaited() {
    let bench = Bench::new().await;
    let module =
        Reply::typed("text/javascript", "out.textContent = 'late module'").after(Duration::from_millis(900));
    bench.origin.on("/late.js", module);

    let page = bench.render_reply(Reply::script("import('/late.js')")).await.unwrap();

    assert!(page.html.contains("late module"), "{}", page.html);
}

#[tokio::test]
async fn a_ready_flag_captures_at_once() {
    let bench = Bench::new().await;
    let script = "window.prerenderReady = false; setTimeout(() => { out.textContent = 'flagged'; window.prerenderReady = true }, 700);
        setInterval(() => fetch('/poll'), 100)";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert_eq!(page.settled, Settled::Flag);
    assert!(page.html.contains("flagged"));
    assert!(page.timings.load_ms < 3_000, "{:?}", page.timings);
}

#[tokio::test]
async fn a_required_selector_is_awaited() {
    let bench = Bench::new().await;
    bench
        .origin
        .on("/page", Reply::script("setTimeout(() => { out.innerHTML = '<p class=done>here</p>' }, 2500)"));
    let request = RenderRequest { wait_for_selector: Some("p.done".into()), ..request("/page") };

    let page = bench.pool.render(request).await.unwrap();

    assert!(page.html.contains("here"), "{}", page.html);
}

#[tokio::test]
async fn pictures_media_fonts_and_trackers_are_not_fetched_and_style_sheets_are() {
    let bench =
        Bench::with_hosts(&[("www.google-analytics.com", "127.0.0.1:1".parse().unwrap())], |_| {}).await;
    bench.origin.on("/s.css", Reply::typed("text/css", "@font-face { font-family: f; src: url(/f.woff2) } body { font-family: f; background: url(/b.png) }"));
    let page = "<!DOCTYPE html><link rel=stylesheet href=/s.css><h1>hi</h1><img src=/i.png><video src=/v.mp4 autoplay></video>
        <script async src=https://www.google-analytics.com/analytics.js></script>";

    let page = bench.render_reply(Reply::html(page)).await.unwrap();

    let paths: Vec<String> = bench.origin.hits().into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths, ["/page", "/s.css"]);
    assert!(page.html.contains("/i.png"), "{}", page.html);
}

#[tokio::test]
async fn a_document_that_forbids_scripts_is_captured_unchanged() {
    let bench = Bench::new().await;
    let page = "<!DOCTYPE html><title>t</title><h1>Hello</h1><noscript><p>without scripts</noscript><script>document.write('never')</script>";

    for policy in ["sandbox", "sandbox allow-forms; default-src 'self'"] {
        let reply = Reply::html(page).header("content-security-policy", policy);
        let page = bench.render_reply(reply).await.unwrap();

        assert_eq!((page.status, page.partial, page.settled), (200, false, Settled::Quiet), "{policy}");
        assert!(page.html.contains("<h1>Hello</h1><noscript><p>without scripts"), "{policy}: {}", page.html);
        assert!(!page.html.contains("<script"), "{policy}: {}", page.html);
    }
}

#[tokio::test]
async fn a_document_that_forbids_scripts_does_not_wait_for_its_style_sheets() {
    let bench = Bench::new().await;
    bench.origin.on("/hang.css", Reply::typed("text/css", "").after(Duration::from_secs(60)));
    let page = "<!DOCTYPE html><title>t</title><link rel=stylesheet href=/hang.css><h1>inert</h1>";
    let began = Instant::now();

    let page =
        bench.render_reply(Reply::html(page).header("content-security-policy", "sandbox")).await.unwrap();

    assert!(!page.partial && page.html.contains("<h1>inert</h1>"), "{page:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn addresses_that_match_a_customers_patterns_are_not_fetched() {
    let bench = Bench::new().await;
    bench
        .origin
        .on("/page", Reply::script("fetch('/chat/start').catch(() => { out.textContent = 'no chat' })"));
    let request = RenderRequest { blocked_urls: vec!["*/chat/*".into()], ..request("/page") };

    let page = bench.pool.render(request).await.unwrap();

    assert_eq!(bench.origin.count("/chat/start"), 0);
    assert!(page.html.contains("no chat"), "{}", page.html);
}

#[tokio::test]
async fn origins_see_the_user_agent_of_chrome_with_our_name() {
    let bench = Bench::new().await;

    bench.render_reply(Reply::script("")).await.unwrap();

    let headers = &bench.origin.hits()[0].headers;
    let agent = &headers["user-agent"];
    assert!(
        agent.contains("Chrome/") && agent.contains(" Glasshouse/") && !agent.contains("Headless"),
        "{agent}"
    );
    assert_eq!(headers["accept-language"], "en-US");
}

#[tokio::test]
async fn too_much_html_is_a_failed_render() {
    let bench = Bench::new().await;
    bench.origin.on("/page", Reply::script("out.textContent = 'x'.repeat(200000)"));
    let limits = RenderLimits { html_bytes: 100_000, ..request("/").limits };

    let answer = bench.pool.render(RenderRequest { limits, ..request("/page") }).await;

    assert!(matches!(answer, Err(RenderError::TooLarge { limit: 100_000, .. })), "{answer:?}");
}

#[tokio::test]
async fn a_page_over_its_download_limit_is_partial() {
    let bench = Bench::new().await;
    bench.origin.on("/big", Reply { drip: 50_000, ..Reply::typed("application/json", "[") });
    bench.origin.on(
        "/page",
        Reply::script("fetch('/big').then(r => r.text()).catch(() => { out.textContent = 'cut' })"),
    );
    let limits = RenderLimits { page_bytes: 300_000, ..request("/").limits };

    let page = bench.pool.render(RenderRequest { limits, ..request("/page") }).await.unwrap();

    assert_eq!((page.partial, page.settled), (true, Settled::Bytes));
    assert!(page.html.contains("Hello"), "{}", page.html);
}

#[tokio::test]
async fn errors_of_the_page_are_reported() {
    let bench = Bench::new().await;

    let page = bench
        .render_reply(Reply::script("console.error('bad', 7); console.log('x'); throw new Error('worse')"))
        .await
        .unwrap();

    let told: Vec<(&str, bool)> = page
        .console
        .iter()
        .map(|m| (m.level.as_str(), m.text.contains("bad 7") || m.text.contains("worse")))
        .collect();
    assert_eq!(told, [("error", true), ("exception", true)], "{:?}", page.console);
}

#[tokio::test]
async fn an_unreachable_origin_is_reported_as_such() {
    let bench = Bench::with_hosts(&[("down.test", "127.0.0.1:1".parse().unwrap())], |_| {}).await;
    for url in ["https://down.test/", "http://down.test/"] {
        let answer = bench.pool.render(RenderRequest { url: url.parse().unwrap(), ..request("/") }).await;

        let Err(RenderError::OriginUnreachable(text)) = answer else { panic!("{url}: {answer:?}") };
        assert!(text.contains("down.test") && text.to_lowercase().contains("refused"), "{text}");
    }
}

#[tokio::test]
async fn addresses_that_are_not_http_are_refused() {
    let bench = Bench::new().await;
    for url in ["file:///etc/passwd", "chrome://version", "https://user:secret@shop.test/"] {
        let answer = bench.pool.render(RenderRequest { url: url.parse().unwrap(), ..request("/") }).await;

        assert!(matches!(answer, Err(RenderError::BadUrl(_))), "{url}: {answer:?}");
    }
}

#[tokio::test]
async fn elements_that_do_not_belong_in_the_head_are_moved_to_the_body() {
    let bench = Bench::new().await;
    let script = "document.head.prepend(Object.assign(document.createElement('div'), { id: 'tags' }));
        document.head.append(Object.assign(document.createElement('meta'), { name: 'author', content: 'Ines' }))";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    let (head, body) = page.html.split_once("</head>").unwrap();
    assert!(head.contains("name=\"author\"") && !head.contains("<div"), "{}", page.html);
    assert!(body.starts_with("<body><div id=\"tags\"></div><h1>"), "{}", page.html);
}

/// Script that writes the current time into an id, an address and text.
const MOMENTS: &str = "const now = Date.now();
    out.innerHTML = `<p id=\"p${now}\">at ${now}</p><label for=\"p${now}\"></label><a href=\"/at/${now}\">link</a>`";

fn between<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = html.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}

#[tokio::test]
async fn names_made_of_the_current_time_are_equal_in_every_render() {
    let bench = Bench::new().await;

    let first = bench.render_reply(Reply::script(MOMENTS)).await.unwrap().html;
    let second = bench.render_reply(Reply::script(MOMENTS)).await.unwrap().html;

    let name = between(&first, "<p id=\"", "\"");
    assert_eq!(name, between(&second, "<p id=\"", "\""));
    assert_eq!(name, between(&first, "<label for=\"", "\""));
}

#[tokio::test]
async fn times_in_text_and_addresses_are_not_changed() {
    let bench = Bench::new().await;

    let html = bench.render_reply(Reply::script(MOMENTS)).await.unwrap().html;

    let told = between(&html, ">at ", "<");
    assert_eq!(told, between(&html, "href=\"/at/", "\""));
    assert_ne!(told, between(&html, "<p id=\"p", "\""));
}

#[tokio::test]
async fn a_css_shorthand_with_a_variable_is_kept_in_rules_that_scripts_changed() {
    let bench = Bench::new().await;
    let rule = ".a { border: 1px solid var(--x); border-color: red; }";
    for script in [
        format!("document.head.appendChild(document.createElement('style')).sheet.insertRule('{rule}')"),
        format!("const sheet = new CSSStyleSheet(); sheet.replaceSync('{rule}'); document.adoptedStyleSheets = [sheet]"),
        format!(
            "const style = document.createElement('style'); style.textContent = '{rule}'; document.head.append(style);
             out.textContent = style.sheet.cssRules[0].style.length"
        ),
    ] {
        let page = bench.render_reply(Reply::script(&script)).await.unwrap();

        assert!(page.html.contains("border: 1px solid var(--x)"), "{script}: {}", page.html);
    }
}

#[tokio::test]
async fn an_srcdoc_frame_under_trusted_types_does_not_fail_the_render() {
    let bench = Bench::new().await;
    let page = "<!DOCTYPE html><meta http-equiv=Content-Security-Policy content=\"require-trusted-types-for 'script'\">
        <h1>Hello</h1><iframe srcdoc='<p onclick=run()>framed</p>'></iframe>";

    let page = bench.render_reply(Reply::html(page)).await.unwrap();

    assert_eq!((page.partial, page.settled), (false, Settled::Quiet));
    assert!(page.html.contains("Hello") && !page.html.contains("onclick"), "{}", page.html);
}

#[tokio::test]
async fn xhtml_is_a_page_with_any_xml_type() {
    let bench = Bench::new().await;
    let body = "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>t</title></head><body><p id=\"out\"/><br/>
        <script>//<![CDATA[\nsetTimeout(() => { document.getElementById('out').textContent = 'fish & chips' }, 200);\n//]]></script></body></html>";
    for kind in ["application/xml", "text/xml; charset=utf-8", "application/xhtml+xml"] {
        let page = bench.render_reply(Reply::typed(kind, body)).await.unwrap();

        assert!(page.html.contains("<p id=\"out\">fish &amp; chips</p>"), "{kind}: {}", page.html);
    }
}

#[tokio::test]
async fn headers_for_crawlers_are_returned_from_new_and_from_warm_tabs() {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    let page = Reply::html("<!DOCTYPE html><title>t</title><p>Hello")
        .header("x-robots-tag", "googlebot: noindex")
        .header("x-robots-tag", "noarchive")
        .header("content-language", "de-AT")
        .header("content-location", "/de/seite")
        .header(
            "link",
            "<https://shop.test/de>; rel=\"alternate\"; hreflang=\"de\", </b>; rel=next; title=\"Grüße\"",
        )
        .header("etag", "\"1\"")
        .header("x-other", "1");
    bench.origin.on("/page", page);
    bench.origin.on("/moved", Reply::redirect(301, "/page").header("x-robots-tag", "none"));

    let first = bench.render("/page").await.unwrap();
    let second = bench.render("/page").await.unwrap();
    let moved = bench.render("/moved").await.unwrap();

    let lines = |page: &Rendered, name: &str| {
        let values = page.headers.get_all(name).iter();
        values.map(|value| String::from_utf8(value.as_bytes().to_vec()).unwrap()).collect::<Vec<_>>()
    };
    for page in [&first, &second] {
        assert_eq!(lines(page, "x-robots-tag"), ["googlebot: noindex", "noarchive"]);
        assert_eq!(lines(page, "content-language"), ["de-AT"]);
        assert_eq!(lines(page, "content-location"), ["/de/seite"]);
        assert!(lines(page, "link")[0].ends_with("title=\"Grüße\""), "{page:?}");
        assert_eq!(page.headers.len(), 5);
    }
    assert!(moved.headers.is_empty());
}
