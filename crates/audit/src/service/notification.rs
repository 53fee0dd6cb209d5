//! The webhook of a domain, which is told that a run ended. Used when a run ends, and by the job that sends the message.

use crawler::errors::one_line;
use serde_json::json;
use store::{DbError, Tx};

use super::Audits;
use crate::jobs::TellWebhook;
use crate::model::{Run, RunId, RunView};
use platform::jobs::{Job, JobError};
use platform::notify::webhook::{WebhookError, send};

/// Lists the reasons to look at a run that ended.
fn reasons(run: &Run) -> Vec<&'static str> {
    let reasons = [
        ("completed", true),
        ("new_errors", run.report.new_errors > 0),
        ("health_dropped", run.status.has_results() && run.delta_health < 0.0),
    ];
    reasons.into_iter().filter(|(_, holds)| *holds).map(|(reason, _)| reason).collect()
}

impl Audits {
    /// Queues the message that a run ended, if a webhook is set; in the transaction that ends the run.
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

    /// Tells a domain's webhook the outcome of a run.
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
