//! Verifications in a test.

use std::ops::Deref;

use axum::Router;
use domains::DomainsService;
use platform::Platform;
use platform::api::envelope::Envelope;

use crate::{ScheduledVerification, SiteVerifier, VerifyState, handlers};
pub use render::testing::*;

/// Verifications and what stands to their left, under test.
pub struct VerifyServices {
    left: RenderServices,
    pub site_verifier: SiteVerifier,
    pub scheduled: ScheduledVerification,
}

/// Verifications in a test.
pub type TestApp = platform::testing::TestApp<VerifyServices>;

impl Services for VerifyServices {
    fn on(platform: Platform) -> VerifyServices {
        let left = RenderServices::on(platform);
        let platform = left.platform();
        let site_verifier = SiteVerifier::new(&platform.network)
            .marked(&platform.secrets, &platform.clock)
            .limited(&left.callers.rate_limits.shared);
        let scheduled =
            ScheduledVerification::new(platform, &left.domains, &left.render, &left.jobs, &site_verifier);
        VerifyServices { site_verifier, scheduled, left }
    }

    fn platform(&self) -> &Platform {
        self.left.platform()
    }

    fn router(&self) -> Router {
        let state = VerifyState {
            callers: self.callers.clone(),
            domains: self.domains.clone(),
            site_verifier: self.site_verifier.clone(),
            scheduled: self.scheduled.clone(),
            render: self.render.clone(),
            config: self.platform().config.clone(),
        };
        self.left.router().merge(Router::from(handlers::routes().with_state(state)))
    }

    fn envelope(&self) -> Envelope {
        self.left.envelope_of(self.router())
    }
}

impl Deref for VerifyServices {
    type Target = RenderServices;

    fn deref(&self) -> &RenderServices {
        &self.left
    }
}

impl HasDomains for VerifyServices {
    fn domains(&self) -> &DomainsService {
        &self.domains
    }
}
