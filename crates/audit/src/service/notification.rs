//! Messages about the end of a run: to the `webhookUrl` of its domain's auditing, and as events to the account's webhooks.
//! Both are queued in the transaction that ends the run.

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::runs::AuditRuns;
use crate::model::{Outcome, Run, RunView};
use store::{DbError, Tx};
use webhooks::events::{AuditCompleted, AuditNewErrors};
use webhooks::ports::{MessageWriter, WrittenMessage};
use webhooks::{NewEvent, SendWritten};

/// Name of this writer of messages.
const WRITER: &str = "auditing";

/// Queues the messages about a run in the transaction that ends it.
pub async fn tell_end(runs: &AuditRuns, tx: &mut Tx, run: &Run, outcome: &Outcome) -> Result<(), DbError> {
    if run.request.auditing.webhook_url.is_some() {
        let job = SendWritten::job(WRITER, run.account_id.as_str(), run.domain_id.as_str(), &run.id);
        runs.jobs.enqueue(tx, vec![job]).await?;
    }
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

impl MessageWriter for AuditRuns {
    fn name(&self) -> &'static str {
        WRITER
    }

    fn write<'a>(&'a self, message: &'a Value) -> BoxFuture<'a, Result<Option<WrittenMessage>, DbError>> {
        Box::pin(async move {
            let id = message.as_str().unwrap_or_default();
            let Some(run) = self.reader.find_run(id).await? else { return Ok(None) };
            let (auditing, credentials) = self.settings.get(&run.domain_id).await?;
            let (Some(url), Some(secret)) = (auditing.webhook_url, credentials.webhook_secret) else {
                return Ok(None);
            };
            let event = json!({
                "event": "audit.completed", "reasons": reasons(&run), "newErrors": run.report.new_errors,
                "run": RunView::of(run),
            });
            Ok(Some(WrittenMessage::Signed { url, secret, body: event.to_string() }))
        })
    }
}
