//! Messages about a report: to the domain's webhook and, as a digest, to the account's owners by e-mail. They are queued in the
//! transaction that writes the report, together with a note of the changes in them, so that no change is told twice.
//! See docs/decisions/0394.

use std::collections::HashSet;

use crawler::errors::one_line;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{DbError, Tx};

use super::MentionReports;
use super::building::BuiltReport;
use super::jobs::{SendDigest, TellReport};
use crate::model::UtcDay;
use crate::monitoring::DigestFrequency;
use crate::queries::domains::{MonitoredDomain, find_domain};
use crate::queries::reports::{self, ReportRow, ToldRow};
use crate::report::formats::{DigestPeriod, digest};
use crate::report::payload::{ReportChange, VisibilityReport};
use crate::report::{WINDOW_DAYS, date_text, providers_in_doubt};
use ::domains::DomainId;
use platform::jobs::{Job, JobError, JobOutcome, JobRun};
use platform::notify::mail::{MailError, MailMessage};
use platform::notify::webhook::send_for;
use webhooks::NewEvent;
use webhooks::events::{ConfirmedChange, ReportReady, VisibilityChanged};

const WEBHOOK: &str = "webhook";
const DIGEST: &str = "digest";
const EVENTS: &str = "events";
/// Days after which a change is in no report any more.
const TOLD_DAYS: i64 = 4 * WINDOW_DAYS;
/// A Sunday, in days since 1970.
const SUNDAY: UtcDay = 3;

impl MentionReports {
    /// Queues the messages about a report of today or yesterday.
    pub(super) async fn announce(
        &self,
        tx: &mut Tx,
        record: &MonitoredDomain,
        built: &BuiltReport,
        today: UtcDay,
    ) -> Result<(), DbError> {
        if built.row.day < today - 1 {
            return Ok(());
        }
        self.announce_to_webhook(tx, record, built).await?;
        self.announce_as_events(tx, record, built).await?;
        // Yesterday's report is built for the last time now: a digest tells what stays.
        if built.row.day == today - 1 {
            self.announce_digest(tx, record, built).await?;
            reports::delete_told_before(tx, today - TOLD_DAYS).await?;
        }
        Ok(())
    }

    async fn announce_to_webhook(
        &self,
        tx: &mut Tx,
        record: &MonitoredDomain,
        built: &BuiltReport,
    ) -> Result<(), DbError> {
        if record.webhook_url.is_none() {
            return Ok(());
        }
        let new = untold(tx, record, WEBHOOK, &built.report).await?;
        if !built.is_new && new.is_empty() {
            return Ok(());
        }
        note_told(tx, built, WEBHOOK, &new).await?;
        let job = TellReport { report: built.row.id.clone(), new: new.iter().map(change_key).collect() };
        let job = job.queued_for(record.account.as_str()).domain(record.domain.as_str());
        self.0.jobs.enqueue(tx, vec![job]).await.map(drop)
    }

    /// Emits that a day has a report, and the confirmed changes that no event had.
    async fn announce_as_events(
        &self,
        tx: &mut Tx,
        record: &MonitoredDomain,
        built: &BuiltReport,
    ) -> Result<(), DbError> {
        let report = &built.report;
        let event = |data| NewEvent { account: &record.account, domain: Some(&report.domain), data };
        if built.is_new {
            let data = ReportReady {
                report_id: built.row.id.clone(),
                date_utc: date_text(built.row.day),
                headline: report.quick_summary.headline.clone(),
                visibility_percent: report.stats.visibility_percent.value,
            };
            self.0.events.emit(tx, event(data.into())).await?;
        }
        let new = untold(tx, record, EVENTS, report).await?;
        if new.is_empty() {
            return Ok(());
        }
        note_told(tx, built, EVENTS, &new).await?;
        let changes = new.iter().map(confirmed_change).collect();
        let data = VisibilityChanged { report_id: built.row.id.clone(), changes };
        self.0.events.emit(tx, event(data.into())).await
    }

    async fn announce_digest(
        &self,
        tx: &mut Tx,
        record: &MonitoredDomain,
        built: &BuiltReport,
    ) -> Result<(), DbError> {
        let day = built.row.day;
        let last = reports::find_digest_day(tx, &record.domain).await?;
        let frequency = DigestFrequency::parse(&record.digest).unwrap_or(DigestFrequency::Off);
        let is_sound = providers_in_doubt(&built.input.days, day).is_empty()
            && built.input.paused.is_empty()
            && built.report.coverage.runs.pending == 0;
        if self.0.mailer.is_none() || !is_sound || !is_digest_due(frequency, day, last) {
            return Ok(());
        }
        let new = untold(tx, record, DIGEST, &built.report).await?;
        let is_weekly = frequency == DigestFrequency::Weekly;
        if new.is_empty() && !is_weekly {
            return Ok(());
        }
        note_told(tx, built, DIGEST, &new).await?;
        reports::put_digest_day(tx, &record.domain, day).await?;
        let job = SendDigest { report: built.row.id.clone(), is_weekly, changes: new };
        let job = job.queued_for(record.account.as_str()).domain(record.domain.as_str());
        self.0.jobs.enqueue(tx, vec![job]).await.map(drop)
    }

    /// Tells a domain's webhook that a report is ready.
    pub(super) async fn tell_webhook(&self, told: &TellReport, job: &JobRun) -> Result<JobOutcome, JobError> {
        let Some((row, report, record)) = self.find_told(&told.report).await? else {
            return Ok(JobOutcome::Done);
        };
        let secret = self.0.monitoring.secret_of(&record);
        let (Some(url), Some(secret)) = (record.webhook_url, secret) else { return Ok(JobOutcome::Done) };
        let message = ready_message(&row, &report, &told.new).to_string();
        send_for(job, &self.0.platform, (&url, &secret), message).await
    }

    /// Sends a digest to the owners of the account.
    pub(super) async fn send_digest(&self, job: &SendDigest) -> Result<(), JobError> {
        let Some((row, report, record)) = self.find_told(&job.report).await? else { return Ok(()) };
        let is_off = DigestFrequency::parse(&record.digest).is_none_or(|f| f == DigestFrequency::Off);
        let (Some(mailer), false) = (&self.0.mailer, is_off) else { return Ok(()) };
        let period = if job.is_weekly { DigestPeriod::Week } else { DigestPeriod::Day };
        let public_url = self.0.platform.config.public_url();
        let link =
            format!("{}/d/{}/mentions/reports/{}", public_url.trim_end_matches('/'), report.domain, row.id);
        let mail = digest(&report, period, &job.changes, &link);
        let id = format!("digest-{}-{}", date_text(row.day), row.id);
        // One who cannot be reached must not keep it from the others, who know a repeated message by its id.
        let mut outcome = Ok(());
        for to in self.0.accounts.list_owners(&record.account).await? {
            let message =
                MailMessage { to: &to, subject: &mail.subject, text: &mail.text, html: &mail.html, id: &id };
            if let Err(error) = mailer.send(message).await {
                outcome = Err(match error {
                    MailError::BadRecipient(_) | MailError::BadMessage(_) => {
                        JobError::give_up(one_line(&error))
                    }
                    error => JobError::retry(one_line(&error)),
                });
            }
        }
        outcome
    }

    /// Finds a report that is told, with its domain. None: one of the two is gone.
    async fn find_told(
        &self,
        id: &str,
    ) -> Result<Option<(ReportRow, VisibilityReport, MonitoredDomain)>, DbError> {
        let mut conn = self.0.db.read().await?;
        let Some(row) = reports::find_report(&mut conn, id).await? else { return Ok(None) };
        let Some(record) = find_domain(&mut conn, &DomainId::from(row.domain_id.as_str())).await? else {
            return Ok(None);
        };
        Ok(serde_json::from_str(&row.payload).ok().map(|report| (row, report, record)))
    }
}

fn confirmed_change(change: &ReportChange) -> ConfirmedChange {
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    ConfirmedChange {
        kind: change.kind.as_str().to_owned(),
        prompt_id: change.prompt_id.clone(),
        provider: change.provider.clone(),
        date: change.date.clone(),
        from: text(&change.from),
        to: text(&change.to),
    }
}

/// Writes the message that a report is ready: its numbers and its confirmed changes.
fn ready_message(row: &ReportRow, report: &VisibilityReport, new: &[String]) -> Value {
    let changes: Vec<Value> = report
        .changes
        .iter()
        .filter(|change| change.confirmed)
        .map(|change| {
            let mut value = serde_json::to_value(change).expect("changes are plain data");
            value["isNew"] = new.contains(&change_key(change)).into();
            value
        })
        .collect();
    json!({
        "event": "report.ready",
        "domain": report.domain,
        "report": {
            "id": row.id,
            "dateUtc": date_text(row.day),
            "weekStartUtc": date_text(row.week_start),
            "reportType": row.report_type,
            "createdAt": platform::clock::Timestamp::from_millis(row.created_at),
            "contentHash": report.content_hash,
            "headline": report.quick_summary.headline,
            "visibilityPercent": report.stats.visibility_percent,
        },
        "changes": changes,
    })
}

/// Decides whether a digest is due with the last report of a day. A weekly one is due on Sundays, and on the days after a
/// Sunday that had none.
fn is_digest_due(frequency: DigestFrequency, day: UtcDay, last: Option<UtcDay>) -> bool {
    let sunday = day - (day - SUNDAY).rem_euclid(7);
    match frequency {
        DigestFrequency::Off => false,
        DigestFrequency::Daily => last.is_none_or(|last| last < day),
        DigestFrequency::Weekly => match last {
            Some(last) => last < sunday,
            None => day == sunday,
        },
    }
}

/// Lists the confirmed changes that a channel was not told.
async fn untold(
    tx: &mut Tx,
    record: &MonitoredDomain,
    channel: &str,
    report: &VisibilityReport,
) -> Result<Vec<ReportChange>, DbError> {
    let told: HashSet<String> = reports::list_told(tx, &record.domain, channel).await?.into_iter().collect();
    let confirmed = report.changes.iter().filter(|change| change.confirmed);
    Ok(confirmed.filter(|change| !told.contains(&change_key(change))).cloned().collect())
}

async fn note_told(
    tx: &mut Tx,
    built: &BuiltReport,
    channel: &'static str,
    changes: &[ReportChange],
) -> Result<(), DbError> {
    let rows: Vec<ToldRow> = changes
        .iter()
        .map(|change| ToldRow {
            domain_id: built.row.domain_id.clone(),
            channel,
            change_key: change_key(change),
            day: built.row.day,
        })
        .collect();
    reports::insert_told(tx, &rows).await
}

/// Returns the key of a change: equal for one change in every report.
fn change_key(change: &ReportChange) -> String {
    let parts = [
        change.kind.as_str(),
        &*change.prompt_id,
        &*change.provider,
        &*change.date,
        &*change.from.to_string(),
        &*change.to.to_string(),
    ];
    hex::encode(&Sha256::digest(parts.join("\n"))[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weekly_digest_is_due_on_sundays_and_later_when_a_sunday_had_none() {
        let sunday = 20_412; // 2025-11-20 is a Thursday, three days before the Sunday of its week.
        let weekly = |day, last| is_digest_due(DigestFrequency::Weekly, day, last);

        let sunday = sunday - (sunday - SUNDAY).rem_euclid(7);

        assert!(weekly(sunday, None) && !weekly(sunday + 1, None));
        assert!(weekly(sunday + 2, Some(sunday - 7)) && !weekly(sunday + 2, Some(sunday)));
        assert!(!weekly(sunday + 6, Some(sunday + 2)) && weekly(sunday + 7, Some(sunday + 2)));
    }

    #[test]
    fn a_daily_digest_is_due_once_a_day() {
        assert!(is_digest_due(DigestFrequency::Daily, 5, None));
        assert!(!is_digest_due(DigestFrequency::Daily, 5, Some(5)));
        assert!(!is_digest_due(DigestFrequency::Off, 5, None));
    }
}
