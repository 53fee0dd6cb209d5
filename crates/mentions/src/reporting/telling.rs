//! Messages about a report: to the domain's webhook and, as a digest, to the account's owners by e-mail. They are queued in the
//! transaction that writes the report, together with a record of their changes, so that no change is sent twice.
//! See docs/decisions/0394.

use std::collections::HashSet;

use accounts::people::list_owners;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{DbError, Tx};

use super::MentionReports;
use super::building::BuiltReport;
use crate::model::UtcDay;
use crate::monitoring::DigestFrequency;
use crate::queries::domains::{MonitoredDomain, find_domain};
use crate::queries::reports::{self, ReportRow, ToldRow};
use crate::report::formats::{DigestMail, DigestPeriod, digest};
use crate::report::payload::{ReportChange, VisibilityReport};
use crate::report::{WINDOW_DAYS, date_text, providers_in_doubt};
use ::domains::DomainId;
use platform::jobs::NewJob;
use webhooks::events::{ConfirmedChange, ReportReady, VisibilityChanged};
use webhooks::ports::{MessageWriter, WrittenMessage};
use webhooks::{NewEvent, SendWritten};

/// Name of this writer of messages.
const WRITER: &str = "monitoring";

const WEBHOOK: &str = "webhook";
const DIGEST: &str = "digest";
const EVENTS: &str = "events";
/// Days after which a change is in no report any more.
const TOLD_DAYS: i64 = 4 * WINDOW_DAYS;
/// A Sunday, in days since 1970.
const SUNDAY: UtcDay = 3;

/// Message about a report that is to be written.
#[derive(Serialize, Deserialize)]
struct ReportMessage {
    report: String,
    told: Told,
}

#[derive(Serialize, Deserialize)]
enum Told {
    /// To `webhookUrl`, with the keys of the changes that no earlier message had.
    Webhook { new: Vec<String> },
    /// To an owner, with the confirmed changes that no earlier digest had.
    Digest { to: String, is_weekly: bool, changes: Vec<ReportChange> },
}

fn job_of(record: &MonitoredDomain, built: &BuiltReport, told: Told) -> NewJob {
    let message = ReportMessage { report: built.row.id.clone(), told };
    SendWritten::job(WRITER, record.account.as_str(), record.domain.as_str(), message)
}

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
        record_told(tx, built, WEBHOOK, &new).await?;
        let new = new.iter().map(change_key).collect();
        self.0.jobs.enqueue(tx, vec![job_of(record, built, Told::Webhook { new })]).await.map(drop)
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
        record_told(tx, built, EVENTS, &new).await?;
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
        record_told(tx, built, DIGEST, &new).await?;
        reports::put_digest_day(tx, &record.domain, day).await?;
        // A message to each owner, so that an address that takes none does not repeat it to the others.
        let owners = list_owners(tx, &record.account).await?.into_iter();
        let digests = owners.map(|to| Told::Digest { to, is_weekly, changes: new.clone() });
        let jobs = digests.map(|digest| job_of(record, built, digest)).collect();
        self.0.jobs.enqueue(tx, jobs).await.map(drop)
    }

    async fn write_message(&self, message: ReportMessage) -> Result<Option<WrittenMessage>, DbError> {
        let mut conn = self.0.db.read().await?;
        let Some(row) = reports::find_report(&mut conn, &message.report).await? else { return Ok(None) };
        let domain = DomainId::from(row.domain_id.as_str());
        let Some(record) = find_domain(&mut conn, &domain).await? else { return Ok(None) };
        let Ok(report) = serde_json::from_str::<VisibilityReport>(&row.payload) else { return Ok(None) };
        Ok(match message.told {
            Told::Webhook { new } => {
                let secret = self.0.monitoring.secret_of(&record);
                let (Some(url), Some(secret)) = (record.webhook_url, secret) else { return Ok(None) };
                let body = ready_message(&row, &report, &new).to_string();
                Some(WrittenMessage::Signed { url, secret, body })
            }
            Told::Digest { to, is_weekly, changes } => {
                let is_off = DigestFrequency::parse(&record.digest).is_none_or(|f| f == DigestFrequency::Off);
                if is_off || !list_owners(&mut conn, &record.account).await?.contains(&to) {
                    return Ok(None);
                }
                let period = if is_weekly { DigestPeriod::Week } else { DigestPeriod::Day };
                let public_url = self.0.platform.config.public_url();
                let root = public_url.trim_end_matches('/');
                let link = format!("{root}/d/{}/mentions/reports/{}", report.domain, row.id);
                let DigestMail { subject, text, html } = digest(&report, period, &changes, &link);
                let id = format!("digest-{}-{}", date_text(row.day), row.id);
                Some(WrittenMessage::Mail { to, subject, text, html, id })
            }
        })
    }
}

impl MessageWriter for MentionReports {
    fn name(&self) -> &'static str {
        WRITER
    }

    fn write<'a>(&'a self, message: &'a Value) -> BoxFuture<'a, Result<Option<WrittenMessage>, DbError>> {
        Box::pin(async move {
            match ReportMessage::deserialize(message) {
                Ok(message) => self.write_message(message).await,
                // Another version of the program queued the message.
                Err(_) => Ok(None),
            }
        })
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

/// Lists the confirmed changes that were not sent to a channel.
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

async fn record_told(
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
