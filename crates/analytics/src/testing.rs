//! Visits of crawlers in a test.

use std::ops::Deref;
use std::sync::Arc;

use audit::ports::Renders;
use audit::testing::NoRenders;
use audit::{AuditState, Audits};
use axum::Router;
pub use domains::testing::*;
use domains::{DomainsService, Site};
use futures::future::BoxFuture;
use platform::Platform;
use store::DbError;
use url::Url;

pub use crate::VisitRow;
use crate::import::LogPushes;
use crate::ports::StoredPageList;
use crate::verify::Verifier;
use crate::{Analytics, AnalyticsState, Recorder, VisitStore, handlers, list_visits, stores};

/// Visits, domains and accounts under test.
pub struct AnalyticsServices {
    left: DomainServices,
    pub visits: Arc<dyn VisitStore>,
    pub recorder: Recorder,
    pub verifier: Verifier,
    pub analytics: Analytics,
    pub audits: Audits,
}

/// Visits of crawlers in a test.
pub type TestApp = platform::testing::TestApp<AnalyticsServices>;

impl Services for AnalyticsServices {
    fn on(platform: Platform) -> AnalyticsServices {
        AnalyticsServices::with_renders(platform, |_, _, _| Arc::new(NoRenders))
    }

    fn platform(&self) -> &Platform {
        self.left.platform()
    }

    fn router(&self) -> Router {
        self.router_with(Arc::new(NoPages))
    }
}

impl AnalyticsServices {
    /// Makes the services. Audits render with the result of `renders`.
    pub fn with_renders(
        platform: Platform,
        renders: impl FnOnce(&DomainServices, &Recorder, &Analytics) -> Arc<dyn Renders>,
    ) -> AnalyticsServices {
        let left = DomainServices::on(platform);
        let visits = stores::open(&left.platform);
        let recorder = Recorder::new(&left.platform, visits.clone());
        let analytics = Analytics::new(&left.platform, visits.clone());
        let renders = renders(&left, &recorder, &analytics);
        let DomainServices { domains, origins, .. } = &left;
        let traffic = Arc::new(analytics.clone());
        let audits =
            Audits::new(&left.platform, &left.accounts, domains, origins, &left.jobs, renders, traffic);
        let verifier = Verifier::new(&left.platform);
        AnalyticsServices { left, visits, recorder, verifier, analytics, audits }
    }

    /// Makes the router with these stored pages.
    pub fn router_with(&self, stored_pages: Arc<dyn StoredPageList>) -> Router {
        let state = AnalyticsState {
            callers: self.callers.clone(),
            domains: self.domains.clone(),
            origins: self.origins.clone(),
            analytics: self.analytics.clone(),
            audits: self.audits.reader.clone(),
            recorder: self.recorder.clone(),
            log_pushes: LogPushes::new(&self.left.platform, self.visits.clone()),
            stored_pages,
            config: self.left.platform.config.clone(),
            shutdown: self.left.platform.shutdown.clone(),
        };
        let audits = AuditState {
            callers: self.callers.clone(),
            domains: self.domains.clone(),
            runs: self.audits.runs.clone(),
            reader: self.audits.reader.clone(),
            settings: self.audits.settings.clone(),
            config: self.left.platform.config.clone(),
            shutdown: self.left.platform.shutdown.clone(),
        };
        let audits = Router::from(audit::handlers::routes().with_state(audits));
        self.left.router().merge(audits).merge(Router::from(handlers::routes().with_state(state)))
    }

    /// Starts the recorder, which ends with the process.
    pub fn start(&self) {
        let Platform { tasks, shutdown, .. } = &self.left.platform;
        tasks.spawn(self.recorder.clone().run(shutdown.clone()));
    }
}

impl Deref for AnalyticsServices {
    type Target = DomainServices;

    fn deref(&self) -> &DomainServices {
        &self.left
    }
}

impl HasDomains for AnalyticsServices {
    fn domains(&self) -> &DomainsService {
        &self.left.domains
    }
}

/// Reader of the counted visits.
#[expect(async_fn_in_trait, reason = "tests wait for one future at a time")]
pub trait VisitCounts {
    /// Lists the counted visits.
    async fn visits(&self) -> Vec<VisitRow>;
}

impl<S: Services> VisitCounts for platform::testing::TestApp<S> {
    async fn visits(&self) -> Vec<VisitRow> {
        let mut conn = self.state.platform().db.read().await.expect("the database is there");
        list_visits(&mut conn).await.expect("the database is there")
    }
}

/// List without stored pages.
struct NoPages;

impl StoredPageList for NoPages {
    fn list<'a>(&'a self, _: &'a Site) -> BoxFuture<'a, Result<Vec<Url>, DbError>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
