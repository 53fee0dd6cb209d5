//! Tests of retention: unrequested pages are deleted, requested ones are renewed at their own interval, and nothing
//! is left behind.

use bytes::Bytes;
use futures::TryStreamExt;

use super::*;
use crate::{SweepObjects, TidySite, TidySites};
use domains::RefreshRule;
use platform::jobs::Job;
use render::snapshot_list::SnapshotQuestion;

const HOUR: Duration = Duration::from_secs(3600);

impl Shop {
    async fn run_job(&self, job: impl Job) {
        let state = &self.app.state;
        let mut tx = state.platform.db.write().await.unwrap();
        let job = job.queued_for("service");
        state.jobs.enqueue(&mut tx, vec![job]).await.unwrap();
        tx.commit().await.unwrap();
        self.run_jobs().await;
    }

    async fn tidy(&self) {
        self.app.state.render.retention().flush_request_counts().await;
        self.run_job(TidySite { domain: self.domain.id.clone() }).await;
    }

    async fn stored(&self) -> Vec<String> {
        let site = self.app.site(&self.domain).await;
        let lists = self.app.state.render.snapshot_lists();
        let found = lists.find(&site, &SnapshotQuestion::default()).await.unwrap();
        let listed = lists.read(&site, &found, (100, 0)).await.unwrap();
        let mut paths: Vec<String> = listed.into_iter().map(|page| page.path).collect();
        paths.sort();
        paths
    }

    async fn objects(&self) -> Vec<String> {
        let listed: Vec<_> = self.app.state.platform.blobs.list("").unwrap().try_collect().await.unwrap();
        let mut keys: Vec<String> = listed.into_iter().map(|object| object.key).collect();
        keys.sort();
        keys
    }

    async fn queue_stale(&self) -> u64 {
        self.app.state.render.retention().flush_request_counts().await;
        self.app.state.refresh.work().queue_stale().await.unwrap()
    }
}

#[tokio::test]
async fn each_page_is_renewed_by_its_own_interval() {
    on_each_engine(async |shop| {
        let hourly = RefreshRule { pattern: "/news/**".into(), interval_seconds: 3600 };
        shop.app.set_rendering(&shop.domain, |rendering| rendering.refresh_rules = vec![hourly]).await;
        for path in ["/news/a", "/b", "/c"] {
            shop.crawl(path).await;
        }

        let at_once = shop.queue_stale().await;
        shop.app.clock.advance(HOUR);
        let after_an_hour = shop.queue_stale().await;
        shop.run_jobs().await;
        shop.app.clock.advance(HOUR * 23);
        let after_a_day = shop.queue_stale().await;

        assert_eq!((at_once, after_an_hour, after_a_day), (0, 1, 3));
        assert_eq!((shop.renders("/news/a"), shop.renders("/b")), (2, 1));
    })
    .await;
}

#[tokio::test]
async fn a_shorter_interval_holds_for_what_is_stored_already() {
    on_each_engine(async |shop| {
        for path in ["/a", "/b"] {
            shop.crawl(path).await;
        }
        shop.app.clock.advance(HOUR * 2);

        let before = shop.queue_stale().await;
        shop.app.set_rendering(&shop.domain, |rendering| rendering.refresh_interval_seconds = 3600).await;
        let after = shop.queue_stale().await;
        shop.app.set_rendering(&shop.domain, |rendering| rendering.refresh_interval_seconds = 86_400).await;
        shop.run_jobs().await;
        shop.app.clock.advance(HOUR * 2);
        let longer_again = shop.queue_stale().await;

        assert_eq!((before, after, longer_again), (0, 2, 0));
    })
    .await;
}

#[tokio::test]
async fn what_is_gone_is_rendered_again_only_when_somebody_asks_for_it() {
    on_each_engine(async |shop| {
        shop.app.renderer.answers_status("/gone", 404, "<p>not here</p>");
        shop.crawl("/gone").await;

        shop.app.clock.advance(DAY * 3);
        let queued = shop.queue_stale().await;
        shop.app.renderer.answers_html("/gone", "<p>back</p>");
        let asked = shop.crawl("/gone").await;

        assert_eq!((queued, asked.text().as_str()), (0, "<p>back</p>"));
    })
    .await;
}

#[tokio::test]
async fn a_page_that_fails_waits_for_its_pause_and_hides_no_other() {
    on_each_engine(async |shop| {
        for path in ["/bad", "/good"] {
            shop.crawl(path).await;
        }
        shop.app.clock.advance(DAY);
        shop.app.renderer.answers_status("/bad", 500, "");
        let site = shop.app.site(&shop.domain).await;
        let bad = url::Url::parse("https://shop.example/bad").unwrap();
        shop.app.state.render.refresh(&site, &bad).await;

        let now = shop.queue_stale().await;
        shop.app.clock.advance(Duration::from_secs(61));
        let after_the_pause = shop.queue_stale().await;

        // The good one is queued already.
        assert_eq!((now, after_the_pause), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn a_page_goes_when_nobody_asks_for_it_and_no_sitemap_names_it() {
    on_each_engine(async |shop| {
        for path in ["/lost", "/listed", "/loved"] {
            shop.crawl(path).await;
        }
        shop.app.state.render.retention().flush_request_counts().await;
        shop.web.sitemap(&[("/listed", None)]);

        shop.app.clock.advance(DAY * 90);
        shop.tidy().await;
        let in_time = shop.stored().await;
        shop.crawl("/loved").await;
        shop.app.state.render.retention().flush_request_counts().await;
        shop.app.clock.advance(DAY);
        shop.tidy().await;

        assert_eq!(in_time, ["/listed", "/lost", "/loved"]);
        assert_eq!(shop.stored().await, ["/listed", "/loved"]);
        assert_eq!(shop.objects().await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn nothing_goes_while_the_sitemap_cannot_be_read() {
    on_each_engine(async |shop| {
        shop.crawl("/listed").await;
        shop.app.state.render.retention().flush_request_counts().await;
        shop.web.set("/sitemap.xml", 503, "");

        shop.app.clock.advance(DAY * 200);
        shop.tidy().await;
        let while_down = shop.stored().await;
        shop.web.sitemap(&[]);
        shop.tidy().await;

        assert_eq!(while_down, ["/listed"]);
        assert!(shop.stored().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn beyond_the_limit_of_a_domain_the_least_asked_for_go() {
    on_each_engine_with("[limits]\nsnapshots_per_domain = 2", async |shop| {
        for (path, times) in [("/twice", 2), ("/once", 1), ("/often", 5)] {
            for _ in 0..times {
                shop.crawl(path).await;
            }
        }
        shop.app.state.render.retention().flush_request_counts().await;

        shop.run_job(TidySites {}).await;

        assert_eq!(shop.stored().await, ["/often", "/twice"]);
        assert_eq!(shop.objects().await.len(), 2);
        // What went is no longer in memory either.
        assert_eq!(shop.crawl("/once").await.header("x-service-render-cache"), "miss");
    })
    .await;
}

#[tokio::test]
async fn beyond_the_bytes_of_an_account_the_least_asked_for_go_on_whichever_domain() {
    on_each_engine_with("[plans.enterprise]\nsnapshot_bytes = 2000", async |shop| {
        shop.app.domain(&shop.account, "other.example").await;
        let html = format!("<!DOCTYPE html><title>x</title><p>{}</p>", "x".repeat(850));
        for (url, times) in [("shop.example/often", 5), ("other.example/twice", 2), ("shop.example/once", 1)]
        {
            shop.app.renderer.answers_html(&format!("https://{url}"), &html);
            for _ in 0..times {
                shop.app.crawl(&shop.account, &format!("https://{url}")).await.assert_status(200);
            }
        }
        shop.app.state.render.retention().flush_request_counts().await;

        shop.run_job(TidySites {}).await;

        assert_eq!(shop.stored().await, ["/often"]);
        let again = shop.app.crawl(&shop.account, "https://other.example/twice").await;
        assert_eq!(again.header("x-service-render-cache"), "edge-hit");
        assert_eq!(shop.objects().await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn each_domain_is_tidied_once_a_day() {
    on_each_engine(async |shop| {
        shop.crawl("/lost").await;
        shop.app.clock.advance(DAY * 200);
        shop.web.sitemap(&[]);

        let mut left = Vec::new();
        for _ in 0..24 {
            shop.run_job(TidySites {}).await;
            left.push(shop.stored().await.len());
            shop.app.clock.advance(HOUR);
        }

        assert_eq!(left.last(), Some(&0));
        assert!(shop.app.state.jobs.list(None, 100).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn objects_that_nothing_names_are_swept_and_the_others_stay() {
    on_each_engine(async |shop| {
        shop.crawl("/a").await;
        let used = shop.objects().await;
        let blobs = &shop.app.state.platform.blobs;
        let id = &shop.domain.id;
        for key in [
            format!("snapshots/{id}/0123456789abcdef0123456789abcdef/0123.html.zst"),
            "snapshots/removed/0123456789abcdef0123456789abcdef/0123.html.zst".to_owned(),
            "batches/gone/000000.txt.zst".to_owned(),
            "batches/gone/000001.txt.zst".to_owned(),
        ] {
            blobs.put(&key, Bytes::from_static(b"left behind")).await.unwrap();
        }

        // The age of an object is told by the machine's clock.
        shop.app.clock.set(platform::clock::Clock::system().now());
        shop.run_job(SweepObjects {}).await;
        let young = shop.objects().await;
        shop.app.clock.advance(DAY * 40);
        shop.run_job(SweepObjects {}).await;

        assert_eq!(young.len(), 5);
        assert_eq!(shop.objects().await, used);
    })
    .await;
}
