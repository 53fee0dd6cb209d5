//! Tests of canonical addresses: a page is never rendered under the requester's form of its address.

use super::*;

fn rendered(app: &TestApp) -> Vec<String> {
    app.renderer.requests().iter().map(|request| request.url.to_string()).collect()
}

#[tokio::test]
async fn the_requesters_form_of_an_address_is_not_rendered() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;

    let reply = app.crawl(&account, "http://shop.example:8080//shoes//?b=2&utm_source=evil&a=%c3%bc").await;

    assert_eq!(reply.header("x-service-render-cache"), "miss");
    assert_eq!(rendered(&app), ["https://shop.example/shoes/?a=%C3%BC&b=2"]);
    let plain = app.crawl(&account, "https://shop.example/shoes/?a=%C3%BC&b=2").await;
    assert_eq!(plain.header("x-service-render-cache"), "edge-hit");
}

#[tokio::test]
async fn a_forced_render_uses_the_canonical_address_too() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;

    app.force(&account, "https://shop.example//shoes?gclid=1").await.assert_status(200);

    assert_eq!(rendered(&app), [PAGE]);
}

#[tokio::test]
async fn without_a_preferred_host_the_name_that_was_asked_for_is_rendered() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;

    app.crawl(&account, "http://www.shop.example/shoes").await.assert_status(200);

    assert_eq!(rendered(&app), ["https://www.shop.example/shoes"]);
}

#[tokio::test]
async fn an_origin_that_redirects_to_the_other_name_does_not_make_a_page_its_own_redirect() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.redirects(PAGE, 301, "https://www.shop.example/shoes");
        app.renderer.answers_html("https://www.shop.example/shoes", "<p>Shoes</p>");

        let apex = app.crawl(&account, PAGE).await;
        let www = app.crawl(&account, "https://www.shop.example/shoes").await;

        assert_page(&apex, "miss", "<p>Shoes</p>");
        assert_page(&www, "edge-hit", "<p>Shoes</p>");
        let path = "/api/prerender/snapshots?domain=shop.example";
        let listed = app.get(path).key(&account.key).await.json();
        assert_eq!(listed["snapshots"][0]["url"], "https://www.shop.example/shoes");
        let usage = app.get("/api/usage").key(&account.key).await.json();
        assert_eq!(
            (&usage["limits"][1]["name"], &usage["limits"][1]["used"]),
            (&json!("renders_per_month"), &json!(1))
        );
    })
    .await;
}

#[tokio::test]
async fn a_redirect_to_the_page_itself_is_never_stored() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.renderer.redirects(PAGE, 301, "http://shop.example/shoes?utm_source=x");

    let first = app.crawl(&account, PAGE).await;
    app.renderer.answers_html(PAGE, "<p>Shoes</p>");
    let second = app.crawl(&account, PAGE).await;

    first.assert_status(301);
    assert_page(&second, "miss", "<p>Shoes</p>");
}
