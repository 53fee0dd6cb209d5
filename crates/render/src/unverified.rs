//! Budgets of renders for unverified crawlers, at the edge or through the render API: a daily budget of a client network and of
//! a domain, and a part of the month's renders that is reserved for everybody else. Used by the render service before it starts
//! a render. Must never refuse a verified crawler, a refresh by a job or a customer's own call.
//! See docs/decisions/0034.

use std::sync::Arc;

use store::DbError;

use super::model::UnverifiedClient;
use accounts::{Accounts, UsageMetric};
use domains::Site;
use domains::connection::cdn::CdnRanges;
use platform::Platform;
use platform::config::Config;
use platform::limits::{SharedWindow, SharedWindows};
use platform::networks::client_networks;

/// Divisor of the month's renders that gives the part that unverified crawlers may not use.
const KEPT_PART: u64 = 5;
/// Budget of an IPv6 site (/48), as a multiple of the budget of one network.
const NETWORKS_WORTH: u32 = 4;

/// Budgets of unverified crawlers, in the database.
pub(super) struct UnverifiedRenders {
    config: Arc<Config>,
    accounts: Accounts,
    budgets: SharedWindows,
    cdns: CdnRanges,
}

impl UnverifiedRenders {
    /// Makes the budgets from the platform's settings.
    pub(super) fn new(platform: &Platform, accounts: &Accounts) -> UnverifiedRenders {
        UnverifiedRenders {
            config: platform.config.clone(),
            accounts: accounts.clone(),
            budgets: SharedWindows::new(&platform.db, &platform.clock),
            cdns: CdnRanges::load(&platform.config.storage.data_dir),
        }
    }

    /// Takes a render of a site from the budgets of an unverified client. Returns false when the render may not start.
    pub(super) async fn take(&self, site: &Site, client: UnverifiedClient) -> Result<bool, DbError> {
        let may_start = self.has_month_left(site).await?
            && self.budgets.take(&self.budgets_of(site, client)).await?.allowed;
        if !may_start {
            metrics::counter!("glasshouse_unverified_renders_refused_total").increment(1);
        }
        Ok(may_start)
    }

    fn budgets_of(&self, site: &Site, client: UnverifiedClient) -> Vec<SharedWindow> {
        let limits = &self.config.limits;
        let per_client = limits.unverified_renders_per_client;
        let address = client.address.filter(|address| !self.cdns.is_proxy(*address));
        let networks = address.map(client_networks).unwrap_or_default();
        let budget = |name: &str, most| SharedWindow::per_day(&format!("unverified:{name}"), most);
        let budgets = networks.into_iter().enumerate().map(|(at, network)| {
            let most = if at == 0 { per_client } else { per_client.saturating_mul(NETWORKS_WORTH) };
            budget(&network.to_string(), most)
        });
        let domain = budget(&site.domain.budget_name(), limits.unverified_renders_per_domain);
        budgets.chain([domain]).collect()
    }

    /// Decides whether the account has used less than the part of the month's renders that unverified crawlers may use.
    async fn has_month_left(&self, site: &Site) -> Result<bool, DbError> {
        let Some(account) = self.accounts.find_account(&site.domain.account_id).await? else {
            return Ok(false);
        };
        let Some(most) = self.config.plan(account.plan).renders_per_month.most() else { return Ok(true) };
        let (_, _, used) = self.accounts.usage(&account.id).await?;
        let used = used.into_iter().find(|(metric, _)| *metric == UsageMetric::Renders);
        Ok(used.map_or(0, |(_, used)| used) < most - most / KEPT_PART)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::Method;
    use serde_json::json;
    use url::Url;

    use crate::model::{Freshness, Tier, UnverifiedClient};
    use crate::request_facts::DecidingHeaders;
    use crate::testing::*;
    use crate::{EntryPoint, RenderCall, RenderResponse};
    use analytics::{CrawlerIndex, Verified};
    use domains::Domain;
    use platform::plans::Plan;

    const DAY: Duration = Duration::from_secs(24 * 3600);
    const STRANGER: &str = "9.9.9.7";

    async fn shop(app: &TestApp) -> (TestAccount, Domain) {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        let domain = app.domain(&account, "shop.example").await;
        (account, domain)
    }

    /// Requests a path at the edge as a crawler, verified unless an address is given. Returns the tier; none: the origin answers.
    async fn ask(app: &TestApp, domain: &Domain, path: &str, unverified: Option<&str>) -> Option<Tier> {
        let site = app.site(domain).await;
        let target = Url::parse(&format!("https://shop.example{path}")).expect("an address");
        let (method, headers) = (Method::GET, http::HeaderMap::new());
        let deciding = DecidingHeaders::of(&headers);
        let call = RenderCall {
            site: &site,
            target: &target,
            facts: deciding.facts(&method, true),
            entry: EntryPoint::Edge,
            freshness: Freshness::Stored,
            crawler: CrawlerIndex::shared().identify("Slackbot 1.0"),
            verified: if unverified.is_some() { Verified::Unknown } else { Verified::Yes },
            is_probe: false,
            deadline: None,
            format: None,
            unverified_client: unverified
                .map(|address| UnverifiedClient { address: Some(address.parse().expect("an address")) }),
        };
        match app.state.render.serve(&call).await.expect("a database") {
            RenderResponse::Page(page) => Some(page.tier),
            _ => None,
        }
    }

    /// Requests a number of new pages as an unverified client. Returns the number of renders.
    async fn rendered(app: &TestApp, domain: &Domain, client: &str, pages: usize) -> usize {
        let mut rendered = 0;
        for page in 0..pages {
            let path = format!("/{client}/{page}/{}", app.renderer.requests().len());
            rendered += usize::from(ask(app, domain, &path, Some(client)).await == Some(Tier::Miss));
        }
        rendered
    }

    #[tokio::test]
    async fn a_client_network_may_cause_so_many_renders_a_day() {
        TestApp::on_each_engine_with("limits.unverified_renders_per_client = 2", async |app| {
            let (_, domain) = shop(&app).await;

            let first = rendered(&app, &domain, STRANGER, 3).await;
            let neighbour = rendered(&app, &domain, "9.9.9.200", 1).await;
            let other = rendered(&app, &domain, "8.8.8.8", 3).await;
            app.clock.advance(DAY);

            assert_eq!((first, neighbour, other), (2, 0, 2));
            assert_eq!(rendered(&app, &domain, STRANGER, 3).await, 2);
        })
        .await;
    }

    #[tokio::test]
    async fn networks_of_one_ipv6_site_share_a_larger_budget() {
        let app = TestApp::with("limits.unverified_renders_per_client = 1").await;
        let (_, domain) = shop(&app).await;

        let mut together = 0;
        for network in 0..6 {
            together += rendered(&app, &domain, &format!("2620:fe:0:{network}::1"), 1).await;
        }

        assert_eq!(together, 4);
    }

    #[tokio::test]
    async fn a_domain_has_a_budget_of_its_own_also_behind_a_proxy() {
        let app = TestApp::with(
            "limits.unverified_renders_per_domain = 3\nlimits.unverified_renders_per_client = 2",
        )
        .await;
        let (_, domain) = shop(&app).await;

        let behind_proxy = rendered(&app, &domain, "10.0.0.1", 4).await;
        let another = rendered(&app, &domain, STRANGER, 1).await;

        assert_eq!((behind_proxy, another), (3, 0));
    }

    #[tokio::test]
    async fn crawlers_behind_a_cdn_share_no_budget_of_a_client() {
        let app = TestApp::with("limits.unverified_renders_per_client = 1").await;
        let (_, domain) = shop(&app).await;

        // Cloudflare, Fastly.
        let behind_cdns = [
            rendered(&app, &domain, "172.71.10.20", 3).await,
            rendered(&app, &domain, "2a04:4e42::140", 3).await,
        ];

        assert_eq!(behind_cdns, [3, 3]);
    }

    #[tokio::test]
    async fn beyond_the_budget_what_is_stored_is_served_and_verified_crawlers_are_rendered_for() {
        let app = TestApp::with("limits.unverified_renders_per_client = 0").await;
        let (account, domain) = shop(&app).await;
        app.crawl(&account, "https://shop.example/stored").await.assert_status(200);
        app.clock.advance(DAY + Duration::from_secs(1));

        let stored = ask(&app, &domain, "/stored", Some(STRANGER)).await;
        let unknown = ask(&app, &domain, "/new", Some(STRANGER)).await;
        let verified = ask(&app, &domain, "/new", None).await;

        assert_eq!((stored, unknown, verified), (Some(Tier::Hit), None, Some(Tier::Miss)));
        // A background render begins at once.
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(app.renderer.renders("/stored"), 1, "a stranger renews nothing beyond its budget");
    }

    #[tokio::test]
    async fn a_page_that_was_gone_is_served_so_beyond_the_budget() {
        let app = TestApp::with("limits.unverified_renders_per_client = 0").await;
        let (account, domain) = shop(&app).await;
        app.renderer.answers_status("/gone", 404, "<p>gone</p>");
        app.crawl(&account, "https://shop.example/gone").await.assert_status(404);
        app.clock.advance(Duration::from_secs(601));

        assert_eq!(ask(&app, &domain, "/gone", Some(STRANGER)).await, Some(Tier::Hit));
    }

    #[tokio::test]
    async fn a_fifth_of_the_months_renders_is_kept_for_everybody_else() {
        TestApp::on_each_engine_with("[plans.essential]\nrenders_per_month = 5", async |app| {
            let (account, domain) = shop(&app).await;

            let strangers = rendered(&app, &domain, STRANGER, 6).await;
            let verified = ask(&app, &domain, "/last", None).await;
            let api = app.crawl(&account, "https://shop.example/none-left").await;

            assert_eq!((strangers, verified), (4, Some(Tier::Miss)));
            api.assert_status(304);
        })
        .await;
    }

    #[tokio::test]
    async fn a_domain_may_render_for_verified_crawlers_only() {
        let app = TestApp::new().await;
        let (account, domain) = shop(&app).await;
        let path = "/api/domains/shop.example/rendering";
        let change = json!({ "verifiedCrawlersOnly": true });
        app.patch(path).key(&account.key).json(change.clone()).await.assert(200, change);

        let stranger = ask(&app, &domain, "/a", Some(STRANGER)).await;
        let verified = ask(&app, &domain, "/a", None).await;
        let stored = ask(&app, &domain, "/a", Some(STRANGER)).await;

        assert_eq!((stranger, verified, stored), (None, Some(Tier::Miss), Some(Tier::EdgeHit)));
        relay(&app, &account, "/b", Some(STRANGER)).await.assert_status(304);
        relay(&app, &account, "/b", None).await.assert_status(304);
        relay(&app, &account, "/a", Some(STRANGER)).await.assert_status(200);
        app.render(&account, "https://shop.example/b").await.assert_status(200);
        app.force(&account, "https://shop.example/c").await.assert_status(200);
    }

    /// Requests a path through the API as an integration does, for a crawler with this address or without a stated one.
    async fn relay(app: &TestApp, account: &TestAccount, path: &str, address: Option<&str>) -> Reply {
        let url = format!("https://shop.example{path}");
        let request = app.render(account, &url).header("user-agent", "Slackbot 1.0");
        match address {
            Some(address) => request.header("x-service-client-address", address).await,
            None => request.await,
        }
    }

    #[tokio::test]
    async fn a_crawler_behind_an_integration_has_the_budgets_of_the_edge() {
        let limits = "[limits]\nunverified_renders_per_client = 2\nunverified_renders_per_domain = 4";
        TestApp::on_each_engine_with(limits, async |app| {
            let (account, domain) = shop(&app).await;
            let relayed =
                async |path: &str, address| relay(&app, &account, path, address).await.status.as_u16();

            let at_edge = rendered(&app, &domain, STRANGER, 1).await;
            let same_network = [relayed("/a", Some("9.9.9.200")).await, relayed("/b", Some(STRANGER)).await];
            let unknown = [relayed("/b", None).await, relayed("/c", Some("10.0.0.1")).await];
            let used_up = [relayed("/d", None).await, relayed("/d", Some("8.8.8.8")).await];

            assert_eq!((at_edge, same_network), (1, [200, 304]));
            assert_eq!((unknown, used_up), ([200, 200], [304, 304]));
            assert_eq!(relayed("/a", Some("8.8.8.8")).await, 200, "what is stored is served");
            app.render(&account, "https://shop.example/d").await.assert_status(200);
            app.force(&account, "https://shop.example/e").await.assert_status(200);
            let unclaimed = app.render(&account, "https://shop.example/f");
            unclaimed.header("x-service-client-address", "8.8.8.8").await.assert_status(304);
        })
        .await;
    }

    #[tokio::test]
    async fn crawlers_behind_an_integration_leave_a_fifth_of_the_month() {
        let app = TestApp::with("[plans.essential]\nrenders_per_month = 5").await;
        let (account, _) = shop(&app).await;

        let mut relayed = Vec::new();
        for page in 0..6 {
            relayed.push(relay(&app, &account, &format!("/{page}"), None).await.status.as_u16());
        }

        assert_eq!(relayed, [200, 200, 200, 200, 304, 304]);
        app.render(&account, "https://shop.example/own").await.assert_status(200);
    }

    #[tokio::test]
    async fn a_domain_that_is_removed_and_added_again_has_what_it_had_left() {
        let app = TestApp::with("limits.unverified_renders_per_domain = 2").await;
        let (account, domain) = shop(&app).await;
        rendered(&app, &domain, STRANGER, 2).await;
        assert!(app.state.domains.remove(&domain).await.expect("a database"));

        let again = app.domain(&account, "www.shop.example").await;

        assert_eq!(rendered(&app, &again, "8.8.8.8", 1).await, 0);
    }

    #[tokio::test]
    async fn parameters_that_a_domain_does_not_name_make_no_page_of_their_own() {
        let app = TestApp::new().await;
        let (account, domain) = shop(&app).await;
        let path = "/api/domains/shop.example/rendering";
        let change = json!({ "queryParameters": ["page"] });
        app.patch(path).key(&account.key).json(change.clone()).await.assert(200, change);

        let first = ask(&app, &domain, "/a?x=1&page=2", None).await;
        let second = ask(&app, &domain, "/a?page=2&x=99", None).await;

        assert_eq!((first, second), (Some(Tier::Miss), Some(Tier::EdgeHit)));
        assert_eq!(app.renderer.requests()[0].url.as_str(), "https://shop.example/a?page=2");
        let nothing = json!({ "queryParameters": null });
        app.patch(path).key(&account.key).json(nothing.clone()).await.assert(200, nothing);
        assert_eq!(ask(&app, &domain, "/a?page=2&x=99", None).await, Some(Tier::Miss));
    }
}
