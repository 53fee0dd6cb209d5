//! Reports of AI mentions: built when the answers of a window have changed, kept, read, and sent to webhooks and by e-mail.
//! Used by handlers and by jobs. What a report says is in `report`, which is pure.
//! See docs/decisions/0394.

mod building;
mod input;
mod jobs;
mod telling;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crawler::errors::one_line;
use store::{Db, DbError};

use super::model::UtcDay;
use super::queries::reports;
use super::report::WINDOW_DAYS;
use super::service::settings::monitoring::MonitoringSettings;
use ::domains::{DomainId, DomainsService};
use analytics::Analytics;
use audit::AuditReader;
use platform::Platform;
use platform::clock::Clock;
use platform::jobs::Jobs;
use platform::notify::mail::Mailer;
use webhooks::Events;

pub use super::queries::reports::ReportRow;

/// Reports of this process. Cheap to clone.
#[derive(Clone)]
pub struct MentionReports(Arc<ReportParts>);

struct ReportParts {
    db: Db,
    clock: Clock,
    platform: Platform,
    domains: DomainsService,
    jobs: Jobs,
    events: Events,
    analytics: Analytics,
    audits: AuditReader,
    /// None: no mail server is set.
    mailer: Option<Mailer>,
    monitoring: MonitoringSettings,
}

/// Services that reports are made of.
pub struct ReportServices<'a> {
    pub domains: &'a DomainsService,
    pub jobs: &'a Jobs,
    pub analytics: &'a Analytics,
    pub audits: &'a AuditReader,
    /// Settings that open the secrets of webhooks.
    pub monitoring: &'a MonitoringSettings,
}

/// State of today's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodayReport {
    /// No run of the window is queued, running or answered.
    pub runs_complete: bool,
    /// None: it has not been built.
    pub id: Option<String>,
}

impl MentionReports {
    pub fn new(platform: &Platform, services: &ReportServices<'_>) -> MentionReports {
        let mailer = Mailer::of_settings(&platform.config).unwrap_or_else(|error| {
            tracing::error!(error = one_line(&error), "no e-mail is sent");
            None
        });
        MentionReports(Arc::new(ReportParts {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            domains: services.domains.clone(),
            jobs: services.jobs.clone(),
            events: Events::new(&platform.clock, services.jobs),
            analytics: services.analytics.clone(),
            audits: services.audits.clone(),
            monitoring: services.monitoring.clone(),
            mailer,
            platform: platform.clone(),
        }))
    }

    /// Lists the newest reports of a domain.
    pub async fn list(&self, domain: &DomainId, most: u32) -> Result<Vec<ReportRow>, DbError> {
        reports::list_reports(&mut self.0.db.read().await?, domain, most.into()).await
    }

    pub async fn find(&self, id: &str) -> Result<Option<ReportRow>, DbError> {
        reports::find_report(&mut self.0.db.read().await?, id).await
    }

    /// Says whether the report of the window that ends today is there, and whether its runs are over.
    pub async fn today(&self, domain: &DomainId) -> Result<TodayReport, DbError> {
        let today = self.today_number();
        let mut conn = self.0.db.read().await?;
        let open = reports::count_open(&mut conn, domain, window_of(today)).await?;
        let report = reports::find_report_of_day(&mut conn, domain, today).await?;
        Ok(TodayReport { runs_complete: open == 0, id: report.map(|report| report.id) })
    }

    fn today_number(&self) -> UtcDay {
        self.0.clock.now().day_number()
    }
}

/// Returns the first and last day of the window that ends on a day.
fn window_of(day: UtcDay) -> (UtcDay, UtcDay) {
    (day - WINDOW_DAYS + 1, day)
}
