//! Scheduled audits. Used by the settings, which hold the frequency, and by the scheduled job.

use std::sync::Arc;
use std::time::Duration;

use audit_engine::engine::CrawlMode;
use store::{DbError, Tx};
use url::Url;

use super::Audits;
use super::start::{AuditStartError, NewRun};
use crate::jobs::AuditDomain;
use crate::model::{Frequency, Trigger};
use domains::{DomainId, Site};
use platform::jobs::{Days, Job, JobError, JobPriority, Recurrence};

/// Scheduled audits of all domains begin within so long after midnight UTC, each at its own time.
const SPREAD: Duration = Duration::from_secs(6 * 3600);

/// Returns the recurrence of a domain's audits; none: never.
fn recurrence(frequency: Frequency) -> Option<Recurrence> {
    let days = match frequency {
        Frequency::Manual => return None,
        Frequency::Daily => Days::Daily,
        Frequency::Weekly => Days::Weekly(1),
        Frequency::Monthly => Days::Monthly(1),
    };
    Some(Recurrence::on(days).expect("the first day of a week and of a month").spread(SPREAD))
}

impl Audits {
    /// Has a domain audited by itself, or not any more; in the caller's transaction.
    pub(super) async fn set_frequency(
        &self,
        tx: &mut Tx,
        domain: &DomainId,
        frequency: Frequency,
    ) -> Result<(), DbError> {
        let Some(rule) = recurrence(frequency) else {
            return self.0.jobs.remove_schedule(tx, domain.as_str(), AuditDomain::KIND).await;
        };
        let job = AuditDomain { domain: domain.clone() }
            .queued_for(super::SERVICE)
            .domain(domain.as_str())
            .priority(JobPriority::Background);
        self.0.jobs.set_schedule(tx, domain.as_str(), &rule, job).await.map(drop)
    }

    /// Starts a run because the schedule says so. What the plan or the domain's state does not allow is left out this time.
    pub async fn start_scheduled(&self, id: &DomainId) -> Result<(), JobError> {
        let Some(domain) = self.0.domains.find_by_id(id).await? else { return Ok(()) };
        let account = self.0.accounts.find_account(&domain.account_id).await?;
        let Some(account) = account.filter(|account| account.active) else { return Ok(()) };
        let site = Arc::new(Site::new(domain));
        let auditing = self.auditing_of(id).await?.0;
        let root = Url::parse(&format!("https://{}/", site.domain.host));
        let (Ok(root), false) = (root, site.is_suspended()) else { return Ok(()) };
        let has_sitemap = !site.domain.settings.sitemap_url.is_empty();
        let new = NewRun {
            urls: vec![root],
            mode: if has_sitemap { auditing.mode } else { CrawlMode::Follow },
            allow_sampling: true,
            new_pages_only: false,
            sitemap: None,
            trigger: Trigger::Scheduled,
            frequency: auditing.frequency,
        };
        let limits = self.0.platform.config.plan(account.plan);
        match self.start(&site, limits, new).await {
            Ok(_) => Ok(()),
            Err(AuditStartError::Store(error)) => Err(error.into()),
            Err(reason) => {
                tracing::info!(domain = %site.domain.host, %reason, "a scheduled audit was left out");
                Ok(())
            }
        }
    }
}
