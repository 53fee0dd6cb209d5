//! Refreshes in a test.

use std::ops::Deref;

use axum::Router;
use domains::DomainsService;
use platform::Platform;
use platform::api::envelope::Envelope;
use platform::jobs::{Registry, Worker};

use crate::{RefreshService, RefreshState, handlers, prerender_interface};
pub use render::testing::*;

/// Refreshes and what stands to their left, under test.
pub struct RefreshServices {
    left: RenderServices,
    pub refresh: RefreshService,
}

/// Refreshes in a test.
pub type TestApp = platform::testing::TestApp<RefreshServices>;

impl Services for RefreshServices {
    fn on(platform: Platform) -> RefreshServices {
        let left = RenderServices::on(platform);
        let (platform, domains) = (left.platform(), &left.domains);
        let refresh =
            RefreshService::new(platform, &left.accounts, domains, &left.origins, &left.render, &left.jobs);
        RefreshServices { refresh, left }
    }

    fn platform(&self) -> &Platform {
        self.left.platform()
    }

    fn router(&self) -> Router {
        let state = RefreshState {
            callers: self.callers.clone(),
            domains: self.domains.clone(),
            refresh: self.refresh.clone(),
            config: self.platform().config.clone(),
        };
        let interface = prerender_interface::routes().with_state(state.clone());
        self.left.router().merge(Router::from(handlers::routes().with_state(state))).merge(interface)
    }

    fn envelope(&self) -> Envelope {
        self.left.envelope_of(self.router())
    }
}

impl RefreshServices {
    /// Makes a worker that refreshes and renders.
    pub fn worker(&self) -> Worker {
        let registry = self.refresh.register(Registry::default());
        self.left.worker_with(self.refresh.register_renders(registry))
    }
}

impl Deref for RefreshServices {
    type Target = RenderServices;

    fn deref(&self) -> &RenderServices {
        &self.left
    }
}

impl HasDomains for RefreshServices {
    fn domains(&self) -> &DomainsService {
        &self.domains
    }
}
