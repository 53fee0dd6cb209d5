//! Stale pages, which are rendered again without anybody asking.

use store::on_engine;

use super::*;

#[tokio::test]
async fn stale_pages_are_rendered_again_those_that_are_asked_for_most_first() {
    on_each_engine_with("[plans.enterprise]\nrenders_per_month = 1000", async |shop| {
        for path in ["/quiet", "/loved"] {
            shop.crawl(path).await;
        }
        for _ in 0..3 {
            shop.crawl("/loved").await;
        }
        shop.app.state.render.retention().flush_request_counts().await;
        let service = shop.app.state.refresh.work();

        let fresh = service.queue_stale().await.unwrap();
        shop.app.clock.advance(DAY + Duration::from_secs(1));
        let first = service.queue_stale().await.unwrap();
        let again = service.queue_stale().await.unwrap();
        shop.run_jobs().await;

        // The plan leaves one page per look.
        assert_eq!((fresh, first, again), (0, 1, 0));
        assert_eq!((shop.renders("/loved"), shop.renders("/quiet")), (2, 1));
        assert_eq!(service.queue_stale().await.unwrap(), 1);
        shop.run_jobs().await;
        assert_eq!(shop.renders("/quiet"), 2);
    })
    .await;
}

#[tokio::test]
async fn a_page_that_was_stored_under_a_requesters_address_is_renewed_under_its_own() {
    on_each_engine(async |shop| {
        shop.crawl("/a?b=1").await;
        let mut tx = shop.app.state.platform.db.write().await.unwrap();
        const RAW: &str = "update snapshots set url = 'http://shop.example//a?utm_source=evil&b=1'";
        on_engine!(tx, |c| sqlx::query(RAW).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
        let list = "/api/prerender/snapshots?domain=shop.example";
        let listed = shop.app.get(list).key(&shop.account.key).await.json();
        shop.app.clock.advance(DAY + Duration::from_secs(1));

        let queued = shop.app.state.refresh.work().queue_stale().await.unwrap();
        shop.run_jobs().await;

        assert_eq!((queued, shop.renders("/a?b=1")), (1, 2));
        assert_eq!(listed["snapshots"][0]["path"], "/a?b=1");
        assert_eq!(shop.app.state.refresh.work().queue_stale().await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_page_behind_an_escaped_fragment_is_renewed_as_that_page() {
    on_each_engine(async |shop| {
        shop.crawl("/?_escaped_fragment_=about").await;
        shop.app.clock.advance(DAY + Duration::from_secs(1));

        shop.app.state.refresh.work().queue_stale().await.unwrap();
        shop.run_jobs().await;

        assert_eq!(shop.renders("/#!about"), 2);
    })
    .await;
}

#[tokio::test]
async fn pages_of_inactive_accounts_and_suspended_domains_are_not_rendered_in_the_background() {
    on_each_engine(async |shop| {
        shop.crawl("/a").await;
        shop.app.clock.advance(DAY * 2);
        shop.app.deactivate(&shop.account).await;

        assert_eq!(shop.app.state.refresh.work().queue_stale().await.unwrap(), 0);
    })
    .await;
}
