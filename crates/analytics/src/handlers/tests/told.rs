//! Events about crawlers, as webhooks are told them.

use std::time::Duration;

use webhooks::testing::HeardEvents;

use super::{Shop, visit};
use crate::testing::*;
use crate::watch::CrawlerWatch;
use crate::{Verified, Visit};

#[tokio::test]
async fn webhooks_are_told_once_of_a_crawler_that_is_new_and_of_one_that_is_gone_of_errors_and_of_impostors()
{
    Shop::on_each_store(async |shop| {
        let state = &shop.app.state;
        let (platform, jobs) = (state.platform(), &state.jobs);
        let names = ["crawler.errors", "crawler.gone", "crawler.impostors", "crawler.new"];
        let heard = HeardEvents::of(platform, jobs, &shop.account.id, &names).await;
        let watch = CrawlerWatch::new(platform, &state.visits, &state.domains, jobs);
        let verified = |visit: Visit| Visit { verified: Verified::Yes, ..visit };
        // Four times a day until the day before yesterday, first seen today, and ten errors.
        shop.record((0..32).map(|number| verified(visit(shop, 2 + number / 4, "/a", "GPTBot/1.2")))).await;
        shop.record([verified(visit(shop, 0, "/a", "ClaudeBot/1.0"))]).await;
        let failed = |_| Visit { status: 500, ..visit(shop, 0, "/a", "Googlebot/2.1") };
        shop.record((0..10).map(failed)).await;

        watch.look().await.unwrap();
        let before = heard.list().await.len();
        let false_claim = |_| Visit { verified: Verified::No, ..visit(shop, 0, "/a", "Googlebot/2.1") };
        shop.record((0..100).map(false_claim)).await;
        for _ in 0..2 {
            shop.app.clock.advance(Duration::from_secs(300));
            watch.look().await.unwrap();
        }

        let mut told = heard.list().await;
        told.sort();
        assert_eq!(
            (before, told),
            (3, names.map(|name| (name.to_owned(), "shop.example".to_owned())).to_vec())
        );
    })
    .await;
}
