//! Domains in tests, and requests for their pages as a crawler makes them.

use std::ops::Deref;
use std::sync::Arc;

use accounts::AccountId;
use accounts::ports::AccountHoldings;
pub use accounts::testing::{AccountBuilders, AccountServices, HasAccounts, PASSWORD, TestAccount};
use accounts::usage::Holdings;
use axum::Router;
use futures::future::BoxFuture;
use platform::Platform;
use platform::clock::Timestamp;
use platform::plans::PlanLimit;
pub use platform::testing::*;
use store::DbError;

use crate::connection::Connection;
use crate::connection::mark::ProbeMarks;
use crate::origin::OriginClient;
use crate::service::NewDomain;
use crate::{
    Domain, DomainId, DomainStatus, DomainsService, DomainsState, IndexNow, Rendering, Settings, Site,
    handlers,
};

/// User agent of a crawler.
pub const GOOGLEBOT: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/// Domains and accounts under test.
pub struct DomainServices {
    left: AccountServices,
    pub domains: DomainsService,
    pub index_now: IndexNow,
    pub origins: OriginClient,
    pub connection: Connection,
    pub probe_marks: ProbeMarks,
}

/// Domains in a test.
pub type TestApp = platform::testing::TestApp<DomainServices>;

impl Services for DomainServices {
    fn on(platform: Platform) -> DomainServices {
        let left = AccountServices::on(platform);
        let platform = &left.platform;
        let domains = DomainsService::new(platform, &left.jobs, &left.follower);
        let index_now = IndexNow::new(platform, &domains, &left.jobs);
        let origins = OriginClient::new(platform);
        let connection = Connection::new(platform, domains.clone(), left.accounts.clone());
        let probe_marks = ProbeMarks::new(&platform.secrets);
        DomainServices { domains, index_now, origins, connection, probe_marks, left }
    }

    fn platform(&self) -> &Platform {
        &self.left.platform
    }

    fn router(&self) -> Router {
        let state = DomainsState {
            callers: self.callers.clone(),
            domains: self.domains.clone(),
            index_now: self.index_now.clone(),
            connection: self.connection.clone(),
            origins: self.origins.clone(),
            config: self.platform.config.clone(),
        };
        let accounts = self.left.router_with(Arc::new(OwnDomains(self.domains.clone())));
        accounts.merge(Router::from(handlers::routes().with_state(state)))
    }
}

impl Deref for DomainServices {
    type Target = AccountServices;

    fn deref(&self) -> &AccountServices {
        &self.left
    }
}

/// Holdings of accounts that consist of domains only.
struct OwnDomains(DomainsService);

impl AccountHoldings for OwnDomains {
    fn find_domain<'a>(
        &'a self,
        account: &'a AccountId,
        typed: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, DbError>> {
        Box::pin(async move { Ok(self.0.find_typed(account, typed).await?.map(|domain| domain.host)) })
    }

    fn count<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Holdings, DbError>> {
        Box::pin(async move { Ok(Holdings { domains: self.0.count(account).await?, ..Holdings::default() }) })
    }
}

/// Services that include the domains service.
pub trait HasDomains {
    /// Returns the domains service.
    fn domains(&self) -> &DomainsService;
}

impl HasDomains for DomainServices {
    fn domains(&self) -> &DomainsService {
        &self.domains
    }
}

/// Builders of domains, and of requests for their pages.
#[expect(async_fn_in_trait, reason = "tests wait for one future at a time")]
pub trait DomainBuilders {
    /// Adds a connected domain to an account.
    async fn domain(&self, account: &TestAccount, host: &str) -> Domain;

    /// Adds a domain with this status to an account.
    async fn domain_with_status(&self, account: &TestAccount, host: &str, status: DomainStatus) -> Domain;

    /// Changes a domain's settings, as the settings endpoint does after it has validated them.
    async fn set(&self, domain: &Domain, change: impl FnOnce(&mut Settings));

    /// Changes the rendering settings of a domain.
    async fn set_rendering(&self, domain: &Domain, change: impl FnOnce(&mut Rendering));

    /// Returns the compiled domain.
    async fn site(&self, domain: &Domain) -> Arc<Site>;

    /// Requests a page as a crawler, with the account's key.
    fn crawl(&self, account: &TestAccount, url: &str) -> TestRequest;

    /// Requests a new render of a page as a crawler.
    fn force(&self, account: &TestAccount, url: &str) -> TestRequest;

    /// Requests a page without a crawler's user agent.
    fn render(&self, account: &TestAccount, url: &str) -> TestRequest;
}

impl<S: Services + HasDomains> DomainBuilders for platform::testing::TestApp<S> {
    async fn domain(&self, account: &TestAccount, host: &str) -> Domain {
        self.domain_with_status(account, host, DomainStatus::Connected).await
    }

    async fn domain_with_status(&self, account: &TestAccount, host: &str, status: DomainStatus) -> Domain {
        let new = NewDomain { domain: host.to_owned(), status, ..NewDomain::default() };
        self.state.domains().add(&account.id, PlanLimit::NONE, new).await.expect("the name is free").domain
    }

    async fn set(&self, domain: &Domain, change: impl FnOnce(&mut Settings)) {
        self.state.domains().change_settings(&domain.id, change).await.expect("the domain is there");
    }

    async fn set_rendering(&self, domain: &Domain, change: impl FnOnce(&mut Rendering)) {
        self.state.domains().change_rendering(&domain.id, change).await.expect("the domain is there");
    }

    async fn site(&self, domain: &Domain) -> Arc<Site> {
        let found =
            self.state.domains().find(&domain.account_id, &domain.host).await.expect("the database is there");
        found.expect("the domain is there")
    }

    fn crawl(&self, account: &TestAccount, url: &str) -> TestRequest {
        self.render(account, url).header("user-agent", GOOGLEBOT)
    }

    fn force(&self, account: &TestAccount, url: &str) -> TestRequest {
        let path = format!("{}&cache_invalidate=1", render_path(url));
        self.get(&path).key(&account.key).header("user-agent", GOOGLEBOT)
    }

    fn render(&self, account: &TestAccount, url: &str) -> TestRequest {
        self.get(&render_path(url)).key(&account.key)
    }
}

/// Returns the path and query of a request to the render endpoint for a page.
pub fn render_path(url: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
    format!("/api/prerender/render?url={encoded}")
}

/// Makes a connected domain with the given settings.
pub fn site(host: &str, settings: Settings) -> Site {
    Site::new(Domain {
        id: DomainId::from("d1"),
        account_id: AccountId::from("a1"),
        host: host.to_owned(),
        status: DomainStatus::Connected,
        settings: Settings { on_demand_render_enabled: true, ..settings },
        rendering: Rendering::new(86_400),
        version: 1,
        created_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    })
}
