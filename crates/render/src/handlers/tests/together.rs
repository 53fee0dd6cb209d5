//! Tests of concurrent requests, in one process and in several, which share one render.

use super::*;

#[tokio::test]
async fn a_thousand_requests_for_a_new_page_are_one_render() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>Shoes</p>");
        app.renderer.delays(PAGE, Duration::from_millis(300));

        let asked: Vec<_> =
            (0..1000).map(|_| tokio::spawn(app.crawl(&account, PAGE).into_future())).collect();
        let replies = futures::future::join_all(asked).await;

        for reply in replies {
            let reply = reply.expect("an answer");
            assert_eq!((reply.status.as_u16(), reply.text().as_str()), (200, "<p>Shoes</p>"));
        }
        assert_eq!(app.renderer.renders(PAGE), 1);
    })
    .await;
}

#[tokio::test]
async fn waiters_share_the_failure_of_a_render() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.renderer.fails(PAGE, RenderError::PageCrashed);
    app.renderer.hangs(PAGE);

    let asked: Vec<_> = (0..50).map(|_| tokio::spawn(app.crawl(&account, PAGE).into_future())).collect();
    eventually("the render", async || app.renderer.renders(PAGE) == 1).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    app.renderer.release(PAGE);
    let replies = futures::future::join_all(asked).await;

    for reply in replies {
        assert_leads_to(&reply.expect("an answer"), 304, PAGE);
    }
    assert_eq!(app.renderer.renders(PAGE), 1);
}

#[tokio::test]
async fn a_client_that_goes_away_takes_nobody_s_page_with_it() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.hangs(PAGE);
        let first = tokio::spawn(app.crawl(&account, PAGE).into_future());
        eventually("the render", async || app.renderer.renders(PAGE) == 1).await;
        let second = tokio::spawn(app.crawl(&account, PAGE).into_future());
        tokio::time::sleep(Duration::from_millis(50)).await;

        first.abort();
        app.renderer.release(PAGE);

        assert_eq!(second.await.expect("an answer").header("x-service-render-cache"), "miss");
        assert_eq!(app.renderer.renders(PAGE), 1);
    })
    .await;
}

#[tokio::test]
async fn two_processes_on_one_database_make_one_render() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        let other = app.second().await;
        for app in [&app, &other] {
            app.renderer.answers_html(PAGE, "<p>Shoes</p>");
            app.renderer.hangs(PAGE);
        }

        let here = tokio::spawn(app.crawl(&account, PAGE).into_future());
        eventually("the render", async || app.renderer.renders(PAGE) == 1).await;
        let there = tokio::spawn(other.crawl(&account, PAGE).into_future());
        tokio::time::sleep(Duration::from_millis(100)).await;
        app.renderer.release(PAGE);

        assert_page(&here.await.expect("an answer"), "miss", "<p>Shoes</p>");
        assert_page(&there.await.expect("an answer"), "hit", "<p>Shoes</p>");
        assert_eq!((app.renderer.renders(PAGE), other.renderer.renders(PAGE)), (1, 0));
        other.stop().await;
    })
    .await;
}

#[tokio::test]
async fn when_the_process_that_renders_a_page_dies_another_one_takes_over() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        let site = app.site(&domain).await;
        let page = page_of(&site, &url::Url::parse(PAGE).expect("an address"));
        let id = page_id(&domain.id, &page.key);
        let (now, soon) = (app.clock.now(), app.clock.now().plus(Duration::from_secs(10)));
        let mut tx = app.state.platform.db.write().await.expect("a database");
        let names = (page.key.as_str(), PAGE);
        let begun = queries::begin_render(&mut tx, &id, names, "dead", (now, soon), false).await;
        assert!(begun.expect("a database").is_some());
        tx.commit().await.expect("a database");

        let waiting = tokio::spawn(app.crawl(&account, PAGE).into_future());
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(app.renderer.renders(PAGE), 0);
        app.clock.advance(Duration::from_secs(11));

        assert_eq!(waiting.await.expect("an answer").header("x-service-render-cache"), "miss");
    })
    .await;
}
