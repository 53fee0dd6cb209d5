//! Makes domains for tests, and asks for their pages as a crawler would.

use std::sync::Arc;

use super::{TestAccount, TestApp, TestRequest};
use analytics::VisitRow;
use domains::service::NewDomain;
use domains::{Domain, DomainStatus, Rendering, Settings, Site};
use crate::plans::PlanLimit;

/// What a crawler says it is.
pub const GOOGLEBOT: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

impl TestApp {
    /// Adds a connected domain to an account.
    pub async fn domain(&self, account: &TestAccount, host: &str) -> Domain {
        self.domain_with_status(account, host, DomainStatus::Connected).await
    }

    /// Adds a domain with this status to an account.
    pub async fn domain_with_status(
        &self,
        account: &TestAccount,
        host: &str,
        status: DomainStatus,
    ) -> Domain {
        let new = NewDomain { domain: host.to_owned(), status, ..NewDomain::default() };
        self.state.domains.add(&account.id, PlanLimit::NONE, new).await.expect("the name is free").domain
    }

    /// Changes a domain's settings, as the settings endpoint does once it has checked them.
    pub async fn set(&self, domain: &Domain, change: impl FnOnce(&mut Settings)) {
        self.state.domains.change_settings(&domain.id, change).await.expect("the domain is there");
    }

    /// Changes how a domain is rendered.
    pub async fn set_rendering(&self, domain: &Domain, change: impl FnOnce(&mut Rendering)) {
        self.state.domains.change_rendering(&domain.id, change).await.expect("the domain is there");
    }

    /// The compiled domain.
    pub async fn site(&self, domain: &Domain) -> Arc<Site> {
        let found =
            self.state.domains.find(&domain.account_id, &domain.host).await.expect("the database is there");
        found.expect("the domain is there")
    }

    /// Counts of crawler visits.
    pub async fn visits(&self) -> Vec<VisitRow> {
        let mut conn = self.state.platform.db.read().await.expect("the database is there");
        analytics::list_visits(&mut conn).await.expect("the database is there")
    }

    /// Asks for a page as a crawler whose key is the account's.
    pub fn crawl(&self, account: &TestAccount, url: &str) -> TestRequest {
        self.render(account, url).header("user-agent", GOOGLEBOT)
    }

    /// Asks for a new render of a page as a crawler.
    pub fn force(&self, account: &TestAccount, url: &str) -> TestRequest {
        let path = format!("{}&cache_invalidate=1", render_path(url));
        self.get(&path).key(&account.key).header("user-agent", GOOGLEBOT)
    }

    /// Asks for a page without saying who asks.
    pub fn render(&self, account: &TestAccount, url: &str) -> TestRequest {
        self.get(&render_path(url)).key(&account.key)
    }
}

/// Path and query that ask for a page.
pub fn render_path(url: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
    format!("/api/prerender/render?url={encoded}")
}
