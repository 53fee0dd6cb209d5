//! Test support of the edge.

use std::ops::Deref;

use axum::Router;
use domains::DomainsService;
use platform::Platform;
use platform::api::envelope::Envelope;
use platform::config::Role;
use platform::jobs::{Registry, Worker};

use crate::{Certificates, OwnSite, jobs};
pub use render::testing::*;

/// Services of the edge and of the features that it uses, for tests.
pub struct EdgeServices {
    left: RenderServices,
    pub certificates: Option<Certificates>,
}

/// Test application with the edge's services.
pub type TestApp = platform::testing::TestApp<EdgeServices>;

impl Services for EdgeServices {
    fn on(platform: Platform) -> EdgeServices {
        let left = RenderServices::on(platform);
        let DomainServices { domains, connection, .. } = &**left;
        let certificates =
            Certificates::new(left.platform(), &left.jobs, domains, connection, &left.follower);
        if certificates.is_some() {
            domains.queue_when_connected(jobs::OrderCertificate::for_names_of);
        }
        EdgeServices { certificates, left }
    }

    fn platform(&self) -> &Platform {
        self.left.platform()
    }

    fn router(&self) -> Router {
        self.left.router()
    }

    fn envelope(&self) -> Envelope {
        self.left.envelope_of(self.router())
    }
}

impl EdgeServices {
    /// Returns the services that the edge uses.
    pub fn edge_services(&self) -> crate::Services<'_> {
        let config = &self.platform().config;
        let own_site = config.has_role(Role::Api).then(|| OwnSite::new(config, self.envelope())).flatten();
        crate::Services {
            accounts: &self.accounts,
            domains: &self.domains,
            connection: &self.connection,
            recorder: &self.recorder,
            verifier: &self.verifier,
            probe_marks: &self.probe_marks,
            render: &self.render,
            certificates: self.certificates.as_ref(),
            own_site,
        }
    }

    /// Returns a worker that orders certificates and renders.
    pub fn worker(&self) -> Worker {
        let registry = Registry::default();
        self.left.worker_with(match &self.certificates {
            Some(certificates) => jobs::register(registry, certificates),
            None => registry,
        })
    }
}

impl Deref for EdgeServices {
    type Target = RenderServices;

    fn deref(&self) -> &RenderServices {
        &self.left
    }
}

impl HasDomains for EdgeServices {
    fn domains(&self) -> &DomainsService {
        &self.domains
    }
}
