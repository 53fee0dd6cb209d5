//! Views in a test.

use std::ops::Deref;

use axum::Router;
use domains::DomainsService;
use platform::Platform;
use platform::api::envelope::Envelope;
use platform::jobs::{Registry, Worker};

use crate::{Views, ViewsState, handlers};
pub use render::testing::*;

/// Views and what stands to their left, under test.
pub struct ViewServices {
    left: RenderServices,
    pub views: Views,
}

/// Views in a test.
pub type TestApp = platform::testing::TestApp<ViewServices>;

impl Services for ViewServices {
    fn on(platform: Platform) -> ViewServices {
        let left = RenderServices::on(platform);
        let (platform, domains) = (left.platform(), &left.domains);
        let views = Views::new(platform, &left.accounts, domains, &left.origins, &left.render, &left.jobs);
        ViewServices { views, left }
    }

    fn platform(&self) -> &Platform {
        self.left.platform()
    }

    fn router(&self) -> Router {
        let state = ViewsState {
            callers: self.callers.clone(),
            accounts: self.accounts.clone(),
            domains: self.domains.clone(),
            views: self.views.clone(),
            config: self.platform().config.clone(),
        };
        self.left.router().merge(Router::from(handlers::routes().with_state(state)))
    }

    fn envelope(&self) -> Envelope {
        self.left.envelope_of(self.router())
    }
}

impl ViewServices {
    /// Makes a worker that takes views.
    pub fn worker(&self) -> Worker {
        let registry = self.views.register(Registry::default());
        self.left.worker_with(self.views.register_views(registry))
    }
}

impl Deref for ViewServices {
    type Target = RenderServices;

    fn deref(&self) -> &RenderServices {
        &self.left
    }
}

impl HasDomains for ViewServices {
    fn domains(&self) -> &DomainsService {
        &self.domains
    }
}
