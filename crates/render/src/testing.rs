//! Support for tests with renders.

use std::ops::Deref;
use std::sync::Arc;

pub use analytics::testing::{AnalyticsServices, VisitCounts, VisitRow};
use axum::Router;
use domains::DomainsService;
pub use domains::testing::*;
use http::request::Parts;
use platform::Platform;
use platform::api::envelope::Envelope;
use platform::jobs::{Registry, Worker, WorkerSettings};

use crate::jobs::{RendersForOthers, renders_at_once};
use crate::prerender_interface::Relays;
use crate::remote::{RemoteResults, RenderPage};
use crate::{RenderParts, RenderService, RenderState, fast_path, handlers, prerender_interface};

/// Services of renders, visits, domains and accounts under test.
pub struct RenderServices {
    left: AnalyticsServices,
    pub render: RenderService,
}

/// Test application with renders.
pub type TestApp = platform::testing::TestApp<RenderServices>;

impl Services for RenderServices {
    fn on(platform: Platform) -> RenderServices {
        let mut render = None;
        let left = AnalyticsServices::with_renders(platform, |left, recorder, analytics| {
            let DomainServices { domains, index_now, origins, .. } = left;
            let (accounts, jobs) = (&left.accounts, &left.jobs);
            let parts = RenderParts { accounts, domains, index_now, origins, jobs, recorder, analytics };
            let made = RenderService::new(left.platform(), &parts);
            render = Some(made.clone());
            Arc::new(made)
        });
        RenderServices { left, render: render.expect("the closure has been called") }
    }

    fn platform(&self) -> &Platform {
        self.left.platform()
    }

    fn router(&self) -> Router {
        let pages = Arc::new(self.render.stored_pages().clone());
        let interface = prerender_interface::routes().with_state(self.render_state());
        let own = Router::from(handlers::routes().with_state(self.render_state()));
        self.left.router_with(pages).merge(own).merge(interface)
    }

    fn envelope(&self) -> Envelope {
        self.envelope_of(self.router())
    }
}

impl RenderServices {
    fn render_state(&self) -> RenderState {
        RenderState {
            callers: self.callers.clone(),
            accounts: self.accounts.clone(),
            domains: self.domains.clone(),
            connection: self.connection.clone(),
            verifier: self.verifier.clone(),
            probe_marks: self.probe_marks.clone(),
            render: self.render.clone(),
            relays: Relays::new(self.platform(), &self.origins, &self.recorder),
            config: self.platform().config.clone(),
            clock: self.platform().clock.clone(),
        }
    }

    /// Combines a router with the fast path of renders.
    pub fn envelope_of(&self, router: Router) -> Envelope {
        let state = self.render_state();
        let fast = Arc::new(move |parts: &Parts| fast_path::try_respond(&state, parts));
        Envelope::new(self.platform().config.clone(), router, fast)
    }

    /// Starts the recorder and the maintenance of retention, which end at shutdown.
    pub fn start(&self) {
        self.left.start();
        let Platform { tasks, shutdown, .. } = self.platform();
        tasks.spawn(self.render.retention().clone().run_maintenance(shutdown.clone()));
    }

    /// Makes a worker that renders for other processes.
    pub fn worker(&self) -> Worker {
        self.worker_with(Registry::default())
    }

    /// Makes a worker that renders for other processes and runs these jobs.
    pub fn worker_with(&self, registry: Registry) -> Worker {
        let (render, domains) = (self.render.clone(), self.domains.clone());
        let results = RemoteResults::new(self.platform());
        let renders = RendersForOthers { render, domains, results };
        let registry = self.index_now.register(registry);
        let registry = registry.with::<RenderPage>(renders, renders_at_once(self.platform()));
        let settings = WorkerSettings { kinds: registry.kinds(), ..WorkerSettings::of(self.platform()) };
        Worker::new(self.jobs.clone(), registry, Vec::new(), settings)
    }
}

impl Deref for RenderServices {
    type Target = AnalyticsServices;

    fn deref(&self) -> &AnalyticsServices {
        &self.left
    }
}

impl HasDomains for RenderServices {
    fn domains(&self) -> &DomainsService {
        &self.domains
    }
}
