//! What begins and ends runs from outside: the schedule that starts them, and the webhook that is told.

use std::sync::Arc;
use std::time::Duration;

use crawler::errors::one_line;
use serde_json::json;
use store::{DbError, Tx};
use url::Url;

use super::Audits;
use super::start::{AuditStartError, NewRun};
use crate::audit::jobs::{AuditDomain, TellWebhook};
use crate::audit::model::{Frequency, Mode, Run, RunId, RunView, Trigger};
use crate::audit::webhook::{WebhookError, send};
use crate::domains::{DomainId, Site};
use crate::jobs::{Days, Job, JobError, JobPriority, Recurrence};

/// Scheduled audits of all domains begin within so long after midnight UTC, each at its own time.
const SPREAD: Duration = Duration::from_secs(6 * 3600);

/// When a domain is audited by itself; none: never.
fn recurrence(frequency: Frequency) -> Option<Recurrence> {
    let days = match frequency {
        Frequency::Manual => return None,
        Frequency::Daily => Days::Daily,
        Frequency::Weekly => Days::Weekly(1),
        Frequency::Monthly => Days::Monthly(1),
    };
    Some(Recurrence::on(days).expect("the first day of a week and of a month").spread(SPREAD))
}

/// What there is to look at in a run that ended.
fn reasons(run: &Run) -> Vec<&'static str> {
    let reasons = [
        ("completed", true),
        ("new_errors", run.report.new_errors > 0),
        ("health_dropped", run.status.has_results() && run.delta_health < 0.0),
    ];
    reasons.into_iter().filter(|(_, holds)| *holds).map(|(reason, _)| reason).collect()
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
            mode: if has_sitemap { auditing.mode } else { Mode::Follow },
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

    /// Queues the message that a run ended, if somebody wants it; in the transaction that ends the run.
    pub(super) async fn announce_end(&self, tx: &mut Tx, run: &Run) -> Result<(), DbError> {
        if run.request.auditing.webhook_url.is_none() {
            return Ok(());
        }
        let job = TellWebhook { run: run.id.clone() }
            .queued_for(run.account_id.as_str())
            .domain(run.domain_id.as_str())
            .unique(format!("webhook:{}", run.id));
        self.0.jobs.enqueue(tx, vec![job]).await.map(drop)
    }

    /// Tells a domain's webhook how a run ended.
    pub async fn tell_webhook(&self, id: &RunId) -> Result<(), JobError> {
        let Some(run) = self.find_run(id.as_str()).await? else { return Ok(()) };
        let (auditing, credentials) = self.auditing_of(&run.domain_id).await?;
        let (Some(url), Some(secret)) = (auditing.webhook_url, credentials.webhook_secret) else {
            return Ok(());
        };
        let event = json!({
            "event": "audit.completed", "reasons": reasons(&run), "newErrors": run.report.new_errors,
            "run": RunView::of(run),
        });
        let sent = send(&self.0.platform, &url, &secret, event.to_string(), self.0.clock.now()).await;
        sent.map_err(|error| match error {
            WebhookError::BadAddress(_) => JobError::give_up(error.to_string()),
            error => JobError::retry(one_line(&error)),
        })
    }
}
