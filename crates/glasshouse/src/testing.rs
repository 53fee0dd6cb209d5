//! Test support of the whole service.

use axum::Router;
use platform::Platform;
use platform::api::envelope::Envelope;

pub use render::testing::{
    AccountBuilders, DnsServer, DomainBuilders, GOOGLEBOT, HasAccounts, HasDomains, NOON, OtherProcess,
    PASSWORD, Reply, Services, TestAccount, TestRequest, TestSession, Trouble, VisitCounts,
    clickhouse_database, for_each_engine, postgres, render_path, sqlite,
};

use crate::app::{App, AppState};

/// Test application with all services.
pub type TestApp = platform::testing::TestApp<AppState>;

impl Services for AppState {
    fn on(platform: Platform) -> AppState {
        AppState::new(platform)
    }

    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn router(&self) -> Router {
        AppState::router(self)
    }

    fn envelope(&self) -> Envelope {
        AppState::envelope(self)
    }
}

impl HasAccounts for App {
    fn accounts(&self) -> &accounts::Accounts {
        &self.accounts
    }
}

impl HasDomains for AppState {
    fn domains(&self) -> &domains::DomainsService {
        &self.domains
    }
}
