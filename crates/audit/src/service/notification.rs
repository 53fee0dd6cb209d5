//! The webhook of a domain, which is told that a run ended. Used by the job that sends the message.

use crawler::errors::one_line;
use serde_json::json;

use super::runs::AuditRuns;
use crate::model::{Run, RunId, RunView};
use platform::jobs::JobError;
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

/// Tells a domain's webhook the outcome of a run.
pub async fn tell_webhook(runs: &AuditRuns, id: &RunId) -> Result<(), JobError> {
    let Some(run) = runs.reader.find_run(id.as_str()).await? else { return Ok(()) };
    let (auditing, credentials) = runs.settings.get(&run.domain_id).await?;
    let (Some(url), Some(secret)) = (auditing.webhook_url, credentials.webhook_secret) else {
        return Ok(());
    };
    let event = json!({
        "event": "audit.completed", "reasons": reasons(&run), "newErrors": run.report.new_errors,
        "run": RunView::of(run),
    });
    let sent = send(&runs.platform, &url, &secret, event.to_string(), runs.platform.clock.now()).await;
    sent.map_err(|error| match error {
        WebhookError::BadAddress(_) => JobError::give_up(error.to_string()),
        error => JobError::retry(one_line(&error)),
    })
}
