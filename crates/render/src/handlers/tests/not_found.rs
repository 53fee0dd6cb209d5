//! Tests of pages that are missing although their server answers 200.

use super::*;
use crate::impossible::impossible_path;
use serde_json::Value;

const RENDERING: &str = "/api/domains/shop.example/rendering";
const NAVIGATION: &str = "<nav>Shop Home Shoes Boots Bags Sale Contact Imprint</nav>";
const MISSING: &str = "https://shop.example/missing";

fn page(title: &str, body: &str) -> String {
    format!("<html><head><title>{title}</title></head><body>{NAVIGATION}<main>{body}</main></body></html>")
}

async fn set(app: &TestApp, account: &TestAccount, rules: Value) -> Value {
    let reply = app.patch(RENDERING).key(&account.key).json(json!({ "notFound": rules })).await;
    reply.assert_status(200);
    reply.json()
}

#[tokio::test]
async fn a_page_with_the_element_or_the_text_is_404_from_its_next_render_on_and_the_start_page_never() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        let html = page("Shop", "<p class=gone>No such page</p>");
        app.renderer.answers_html("/missing", &html);
        app.renderer.answers_html("/", &html);
        app.crawl(&account, MISSING).await.assert_status(200);

        for rules in
            [json!({ "selector": "p.gone", "text": null }), json!({ "selector": null, "text": "such page" })]
        {
            set(&app, &account, rules).await;
            let forced = app.force(&account, MISSING).await;
            assert_eq!((forced.status.as_u16(), forced.text()), (404, html.clone()));
            app.crawl(&account, MISSING).await.assert_status(404);
            app.force(&account, "https://shop.example/").await.assert_status(200);
            set(&app, &account, json!({ "selector": null, "text": null })).await;
            app.force(&account, MISSING).await.assert_status(200);
        }
        set(&app, &account, json!({ "text": "SUCH PAGE" })).await;
        app.force(&account, MISSING).await.assert_status(200);
    })
    .await;
}

/// Sets the page that the site shows at an address that cannot exist. Returns its path.
fn impossible(app: &TestApp, domain: &Domain, html: &str) -> String {
    let path = format!("/{}", impossible_path(&domain.id, app.clock.now()));
    app.renderer.answers_html(&path, html);
    path
}

const SORRY: &str =
    "<h1>Sorry</h1><p>There is no such page in our shop, please look at our shoes and bags instead</p>";

#[tokio::test]
async fn a_page_that_shows_what_an_impossible_address_shows_is_404_and_that_is_asked_for_once_a_day() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        let path = impossible(&app, &domain, &page("Shop", SORRY));
        app.renderer.answers_html("/", &page("Shop", "<h1>Welcome</h1>"));
        app.renderer.answers_html("/missing", &page("Shop", SORRY));
        app.renderer.answers_html("/shoes", &page("Shop", "<h1>Shoes</h1>"));
        let state = set(&app, &account, json!({ "compare": true })).await;

        let missing = app.crawl(&account, MISSING).await;
        let there = app.crawl(&account, PAGE).await;
        let again = app.force(&account, MISSING).await;

        assert_eq!(state["notFoundProblem"], Value::Null);
        assert_eq!(
            [missing.status, there.status, again.status].map(|status| status.as_u16()),
            [404, 200, 404]
        );
        assert_eq!(app.renderer.renders(&path), 1);
        // Neither the render of the impossible address nor that of the start page counts.
        let usage = app.get("/api/usage").key(&account.key).await.json();
        assert_eq!(
            (&usage["limits"][1]["name"], &usage["limits"][1]["used"]),
            (&json!("renders_per_month"), &json!(3))
        );
        app.get(RENDERING).key(&account.key).await.assert(200, json!({ "notFoundProblem": null }));
        app.clock.advance(DAY);
        let tomorrow = impossible(&app, &domain, &page("Shop", SORRY));
        app.force(&account, MISSING).await.assert_status(404);
        assert_eq!(app.renderer.renders(&tomorrow), 1);
    })
    .await;
}

#[tokio::test]
async fn an_impossible_address_that_says_nothing_makes_no_page_missing_and_is_a_problem() {
    for (html, start, word) in [
        (
            page(
                "Shop",
                "<h1>Welcome</h1> to our shop for shoes and bags of all kinds and sizes for the whole year",
            ),
            "<h1>Welcome</h1> to our shop for shoes and bags of all kinds and sizes for the whole year",
            "start page",
        ),
        ("<html><body>No such page</body></html>".to_owned(), "Welcome", "20 words"),
    ] {
        let app = TestApp::new().await;
        let (account, domain) = shop(&app).await;
        impossible(&app, &domain, &html);
        app.renderer.answers_html("/", &page("Shop", start));
        app.renderer.answers_html("/missing", &html);
        set(&app, &account, json!({ "compare": true })).await;

        let reply = app.crawl(&account, MISSING).await;

        reply.assert_status(200);
        let problem = app.get(RENDERING).key(&account.key).await.json()["notFoundProblem"].clone();
        assert!(problem.as_str().is_some_and(|text| text.contains(word)), "{problem}");
    }
}

#[tokio::test]
async fn an_impossible_address_that_redirects_is_a_problem() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    let path = format!("/{}", impossible_path(&domain.id, app.clock.now()));
    app.renderer.redirects(&path, 302, "https://shop.example/");
    set(&app, &account, json!({ "compare": true })).await;

    app.crawl(&account, MISSING).await.assert_status(200);

    let problem = app.get(RENDERING).key(&account.key).await.json()["notFoundProblem"].clone();
    assert!(problem.as_str().is_some_and(|text| text.contains("redirects")), "{problem}");
}
