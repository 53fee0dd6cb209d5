//! Tests of Markdown for agents: by `Accept`, by the named format, and never by user agent.

use super::*;

const HTML: &str = "<!DOCTYPE html><html lang=\"en\"><head><title>Shoes</title></head><body><nav>Menu</nav>\
                    <main><h1>Shoes</h1><p>Of <a href=\"/felt\">felt</a>.</p></main></body></html>";
const MARKDOWN: &str = "---\ntitle: \"Shoes\"\nurl: \"https://shop.example/shoes\"\nlang: \"en\"\n---\n\n\
                        # Shoes\n\nOf [felt](https://shop.example/felt).\n";

async fn felt_shop(app: &TestApp) -> (TestAccount, Domain) {
    app.renderer.answers_html(PAGE, HTML);
    shop(app).await
}

#[track_caller]
fn assert_markdown(reply: &Reply, tier: &str) {
    assert_page(reply, tier, MARKDOWN);
    assert_eq!(reply.header("content-type"), "text/markdown; charset=utf-8");
    assert_eq!(reply.header("x-markdown-tokens"), MARKDOWN.chars().count().div_ceil(4).to_string());
    assert_eq!(reply.header("link"), "<https://shop.example/shoes>; rel=\"canonical\"");
    assert_eq!(reply.headers.get_all("link").iter().count(), 1);
    assert_eq!(reply.header("vary").split(", ").next(), Some("accept"));
}

#[tokio::test]
async fn a_request_that_names_markdown_gets_it_from_the_same_tiers() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = felt_shop(&app).await;
        let ask =
            || app.render(&account, PAGE).header("accept", "text/markdown, text/plain;q=0.9, */*;q=0.8");

        assert_markdown(&ask().await, "miss");
        assert_markdown(&ask().await, "edge-hit");
        app.clock.advance(Duration::from_secs(301));
        assert_markdown(&ask().await, "hit");
        // The fast path answers the second request from the response that the first one prepared.
        assert_markdown(&ask().await, "edge-hit");
        assert_markdown(&ask().await, "edge-hit");
        assert_eq!(app.renderer.renders(PAGE), 1);
    })
    .await;
}

#[tokio::test]
async fn a_page_has_another_etag_as_markdown() {
    let app = TestApp::new().await;
    let (account, _) = felt_shop(&app).await;

    let html = app.crawl(&account, PAGE).await;
    let markdown = app.crawl(&account, PAGE).header("accept", "text/markdown").await;

    assert_page(&html, "miss", HTML);
    assert_eq!(html.header("content-type"), "text/html; charset=utf-8");
    assert_ne!(html.header("etag"), markdown.header("etag"));
    assert!(markdown.header("etag").starts_with("W/\""));
    assert_eq!(html.header("x-markdown-tokens"), "");
}

#[tokio::test]
async fn html_that_is_welcome_more_than_markdown_is_sent_and_no_user_agent_changes_that() {
    let app = TestApp::new().await;
    let (account, _) = felt_shop(&app).await;

    for accept in ["text/markdown;q=0.5, text/html", "text/html, */*;q=0.8", "*/*"] {
        for agent in ["GPTBot/1.3", "Claude-User (claude-code/2.1.92)", "node"] {
            let request = app.render(&account, PAGE).header("accept", accept).header("user-agent", agent);

            assert_eq!(request.await.header("content-type"), "text/html; charset=utf-8", "{accept} {agent}");
        }
    }
}

#[tokio::test]
async fn a_format_by_name_is_stronger_than_accept_and_asks_for_a_page() {
    let app = TestApp::new().await;
    let (account, domain) = felt_shop(&app).await;
    let with = |format: &str| {
        let path = format!("/api/prerender/render?url={PAGE}&format={format}");
        app.get(&path).key(&account.key)
    };

    let json = with("markdown").header("accept", "application/json").await;
    let html = with("html").header("accept", "text/markdown").await;
    app.set_rendering(&domain, |rendering| rendering.markdown = domains::MarkdownSetting::Off).await;
    let off = with("markdown").await;

    assert_markdown(&json, "miss");
    assert_page(&html, "edge-hit", HTML);
    assert_markdown(&off, "edge-hit");
    for wrong in ["pdf", "", "Markdown", "html&format=html"] {
        with(wrong)
            .await
            .assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "format" }] }));
    }
}

#[tokio::test]
async fn a_domain_whose_markdown_is_off_sends_html_to_agents() {
    let app = TestApp::new().await;
    let (account, domain) = felt_shop(&app).await;
    app.set_rendering(&domain, |rendering| rendering.markdown = domains::MarkdownSetting::Off).await;

    let reply = app.render(&account, PAGE).header("accept", "text/markdown").await;

    assert_page(&reply, "miss", HTML);
}

#[tokio::test]
async fn a_missing_page_is_markdown_with_its_own_status_and_a_redirect_is_one() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.renderer.answers_status(PAGE, 404, "<p>gone</p>");
    let ask = |url| app.render(&account, url).header("accept", "text/markdown");

    let gone = ask(PAGE).await;
    app.renderer.redirects("https://shop.example/old", 302, PAGE);
    let redirect = ask("https://shop.example/old").await;

    assert_eq!((gone.status.as_u16(), gone.text().as_str()), (404, "gone\n"));
    assert_eq!(gone.header("content-type"), "text/markdown; charset=utf-8");
    assert_eq!((redirect.status.as_u16(), redirect.header("location")), (302, PAGE));
}

#[tokio::test]
async fn the_only_link_is_that_of_the_page_itself() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    app.renderer.answers_page(PAGE, |page| {
        page.html = "<link rel=canonical href=/felt-shoes><p>Shoes</p>".to_owned();
        page.headers
            .append("link", http::HeaderValue::from_static("<https://shop.example/x>; rel=alternate"));
    });
    app.set(&domain, |settings| {
        settings.custom_response_headers = vec![domains::headers::HeaderRule {
            path_pattern: "/**".into(),
            headers: vec![domains::headers::HeaderField {
                name: "link".into(),
                value: "</y>; rel=next".into(),
            }],
        }];
    })
    .await;

    let reply = app.render(&account, PAGE).header("accept", "text/markdown").await;

    let links: Vec<_> = reply.headers.get_all("link").iter().map(|value| value.as_bytes()).collect();
    assert_eq!(links, [b"<https://shop.example/felt-shoes>; rel=\"canonical\"".as_slice()]);
}

#[tokio::test]
async fn equal_documents_at_two_addresses_have_links_of_their_own() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let pages = ["https://shop.example/a/", "https://shop.example/b/"];

    for page in pages {
        app.renderer.answers_html(page, "<p><a href=\"next\">Next</a></p>");
        let reply = app.render(&account, page).header("accept", "text/markdown").await;

        assert_eq!(reply.text(), format!("[Next]({page}next)\n"));
    }
}
