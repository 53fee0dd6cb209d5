//! AI mentions in a test.

use std::ops::Deref;

use axum::Router;
use domains::DomainsService;
use platform::Platform;

use crate::reading::MentionReading;
use crate::reporting::{MentionReports, ReportServices};
use crate::{Mentions, MentionsState, handlers};
pub use analytics::testing::*;

/// AI mentions and what stands to their left, under test.
pub struct MentionServices {
    left: AnalyticsServices,
    pub mentions: Mentions,
    pub mention_reading: MentionReading,
    pub mention_reports: MentionReports,
}

/// AI mentions in a test.
pub type TestApp = platform::testing::TestApp<MentionServices>;

impl Services for MentionServices {
    fn on(platform: Platform) -> MentionServices {
        let left = AnalyticsServices::on(platform);
        let AnalyticsServices { analytics, audits, .. } = &left;
        let audits = &audits.reader;
        let (platform, accounts, domains, jobs) =
            (left.platform(), &left.accounts, &left.domains, &left.jobs);
        let mentions = Mentions::new(platform, accounts, domains, jobs, audits);
        let mention_reading = MentionReading::new(platform, analytics, audits);
        let monitoring = &mentions.monitoring;
        let of_reports = ReportServices { domains, jobs, analytics, audits, monitoring };
        let mention_reports = MentionReports::new(platform, &of_reports);
        MentionServices { mentions, mention_reading, mention_reports, left }
    }

    fn platform(&self) -> &Platform {
        self.left.platform()
    }

    fn router(&self) -> Router {
        let state = MentionsState {
            callers: self.callers.clone(),
            domains: self.domains.clone(),
            mentions: self.mentions.clone(),
            mention_reading: self.mention_reading.clone(),
            mention_reports: self.mention_reports.clone(),
            clock: self.platform().clock.clone(),
        };
        self.left.router().merge(Router::from(handlers::routes().with_state(state)))
    }
}

impl Deref for MentionServices {
    type Target = AnalyticsServices;

    fn deref(&self) -> &AnalyticsServices {
        &self.left
    }
}

impl HasDomains for MentionServices {
    fn domains(&self) -> &DomainsService {
        &self.domains
    }
}
