//! Tests of origins that answer while a part of their pages hangs.

use super::*;

/// Adds two domains. The page `/cut` is cut off at the time limit.
async fn with_hanging_shop(app: &TestApp) -> (TestAccount, TestAccount) {
    let (account, _) = shop(app).await;
    let other = app.account("owner@other.example", Plan::Enterprise).await;
    app.domain(&other, "other.example").await;
    app.renderer.answers_partial("/cut", "<p>half</p>");
    (account, other)
}

fn page(number: usize) -> String {
    format!("/page{number}")
}

#[tokio::test]
async fn an_origin_whose_pages_hang_until_the_time_limit_holds_two_slots() {
    let app = TestApp::with("render.concurrency = 4").await;
    let (account, other) = with_hanging_shop(&app).await;
    app.crawl(&account, PAGE).await.assert_status(200);
    app.crawl(&account, "https://shop.example/cut").await.assert_status(200);
    let clients: Vec<_> = (0..6)
        .map(|number| {
            app.renderer.hangs(&page(number));
            let url = format!("https://shop.example{}", page(number));
            tokio::spawn(app.crawl(&account, &url).into_future())
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;

    let others = tokio::time::timeout(Duration::from_secs(5), async {
        app.crawl(&other, "https://other.example/").await
    });

    assert_eq!(others.await.expect("there is a free slot").header("x-service-render-cache"), "miss");
    assert_eq!((0..6).map(|number| app.renderer.renders(&page(number))).sum::<usize>(), 2);
    clients.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn stale_pages_of_a_domain_that_hangs_keep_no_others_from_being_renewed() {
    let app = TestApp::with("render.concurrency = 4").await;
    let (account, other) = with_hanging_shop(&app).await;
    let crawl = async |number: usize| {
        app.crawl(&account, &format!("https://shop.example{}", page(number))).await.assert_status(200);
    };
    for number in 0..16 {
        crawl(number).await;
        app.renderer.hangs(&page(number));
    }
    app.crawl(&other, "https://other.example/stale").await;
    app.crawl(&account, "https://shop.example/cut").await;
    app.clock.advance(DAY);
    for number in 0..16 {
        crawl(number).await;
    }

    app.crawl(&other, "https://other.example/stale").await.assert_status(200);

    eventually("the renewal", async || app.renderer.renders("/stale") == 2).await;
}
