//! Messages about the end of a run: to the webhook of its domain's auditing, by a job, and as events to the account's webhooks.
//! Both are queued in the transaction that ends the run.

use serde_json::json;

use super::runs::AuditRuns;
use crate::jobs::TellWebhook;
use crate::model::{Outcome, Run, RunId, RunView};
use platform::jobs::{JobError, JobOutcome, JobRun};
use platform::notify::webhook::send_for;
use store::{DbError, Tx};
use webhooks::NewEvent;
use webhooks::events::{AuditCompleted, AuditNewErrors};

/// Queues the messages about a run in the transaction that ends it.
pub async fn tell_end(runs: &AuditRuns, tx: &mut Tx, run: &Run, outcome: &Outcome) -> Result<(), DbError> {
    runs.jobs.enqueue(tx, Vec::from_iter(TellWebhook::job(run))).await?;
    let new_errors = outcome.report.new_errors as u64;
    let completed = AuditCompleted {
        run_id: run.id.to_string(),
        status: outcome.status.as_str().to_owned(),
        close_reason: outcome.close_reason.as_str().to_owned(),
        pages_crawled: outcome.pages_crawled,
        health_score: outcome.health_score,
        delta_health: outcome.delta_health,
        issue_count: outcome.issue_count,
        new_errors,
    };
    let event = |data| NewEvent { account: &run.account_id, domain: Some(&run.host), data };
    runs.events.emit(tx, event(completed.into())).await?;
    if new_errors > 0 {
        let data = AuditNewErrors { run_id: run.id.to_string(), new_errors };
        runs.events.emit(tx, event(data.into())).await?;
    }
    Ok(())
}

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
pub async fn tell_webhook(runs: &AuditRuns, id: &RunId, job: &JobRun) -> Result<JobOutcome, JobError> {
    let Some(run) = runs.reader.find_run(id.as_str()).await? else { return Ok(JobOutcome::Done) };
    let (auditing, credentials) = runs.settings.get(&run.domain_id).await?;
    let (Some(url), Some(secret)) = (auditing.webhook_url, credentials.webhook_secret) else {
        return Ok(JobOutcome::Done);
    };
    let event = json!({
        "event": "audit.completed", "reasons": reasons(&run), "newErrors": run.report.new_errors,
        "run": RunView::of(run),
    });
    send_for(job, &runs.platform, (&url, &secret), event.to_string()).await
}
