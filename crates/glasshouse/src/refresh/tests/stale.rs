//! Stale pages, which are rendered again without anybody asking.

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
async fn pages_of_inactive_accounts_and_suspended_domains_are_not_rendered_in_the_background() {
    on_each_engine(async |shop| {
        shop.crawl("/a").await;
        shop.app.clock.advance(DAY * 2);
        shop.app.deactivate(&shop.account).await;

        assert_eq!(shop.app.state.refresh.work().queue_stale().await.unwrap(), 0);
    })
    .await;
}
