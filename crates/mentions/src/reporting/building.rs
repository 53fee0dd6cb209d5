//! Building of reports: which days of a domain are due, and the transaction that writes a report and queues its messages.

use std::collections::BTreeSet;
use std::time::Duration;

use store::DbError;

use super::{MentionReports, window_of};
use crate::model::{UtcDay, id_of_report};
use crate::queries::domains::{MonitoredDomain, find_domain};
use crate::queries::reports::{self, AUTO, DueDays, ReportRow};
use crate::report::payload::VisibilityReport;
use crate::report::{self, ReportInput, WINDOW_DAYS};
use ::domains::{Domain, DomainId};
use platform::clock::Timestamp;
use platform::jobs::JobRun;

/// Time between two builds of today's report.
const BUILD_EVERY: Duration = Duration::from_secs(600);
/// Domains whose reports are queued at once.
const MAX_DOMAINS: i64 = 500;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A report that was built, with the input that it was computed from.
pub(super) struct BuiltReport {
    pub row: ReportRow,
    pub report: VisibilityReport,
    pub input: ReportInput,
    /// The day had no report before.
    pub is_new: bool,
}

impl MentionReports {
    /// Lists the domains that have a report to be built.
    pub(super) async fn list_due(&self) -> Result<Vec<DomainId>, DbError> {
        let now = self.0.clock.now();
        let due = DueDays {
            today: now.day_number(),
            midnight: midnight(now),
            not_built_since: now.minus(BUILD_EVERY),
            first_kept: self.first_kept(now.day_number()),
        };
        let ids = reports::list_due(&mut self.0.db.read().await?, due, MAX_DOMAINS).await?;
        Ok(ids.into_iter().map(DomainId::from).collect())
    }

    /// Returns the first day whose report can still be built: the answers of both windows are kept.
    fn first_kept(&self, today: UtcDay) -> UtcDay {
        let kept = i64::from(self.0.platform.config.mentions.keep_answers_days);
        today - kept + 2 * WINDOW_DAYS - 1
    }

    pub(super) async fn build_due(&self, id: &DomainId, job: &JobRun) -> Result<(), DbError> {
        let now = self.0.clock.now();
        let today = now.day_number();
        let Some(domain) = self.0.domains.find_by_id(id).await? else { return Ok(()) };
        let mut conn = self.0.db.read().await?;
        let Some(record) = find_domain(&mut conn, id).await? else { return Ok(()) };
        let mut days: BTreeSet<UtcDay> = BTreeSet::new();
        let built_at = |row: Option<ReportRow>| row.map(|row| Timestamp::from_millis(row.built_at));
        let yesterday = built_at(reports::find_report_of_day(&mut conn, id, today - 1).await?);
        if yesterday.is_none_or(|at| at < midnight(now)) {
            days.insert(today - 1);
        }
        let first_kept = self.first_kept(today);
        let kept = reports::list_report_days(&mut conn, id, first_kept).await?;
        if record.recompute.is_none() {
            let outdated = kept.iter().filter(|(_, version)| *version < record.analysis_version);
            days.extend(outdated.map(|(day, _)| *day));
        }
        let last_build = built_at(reports::find_report_of_day(&mut conn, id, today).await?);
        let is_open = reports::count_open(&mut conn, id, window_of(today)).await? > 0;
        let is_early = last_build.is_some_and(|at| now.since(at) < BUILD_EVERY && at <= now);
        let mark = reports::find_due(&mut conn, id).await?.filter(|_| !is_open && !is_early);
        drop(conn);
        if let Some(mark) = mark {
            if mark.changed_at >= midnight(now).as_millis() {
                days.insert(today);
            }
            if mark.from_day < today {
                days.insert(today - 1);
            }
            days.extend(kept.iter().map(|(day, _)| *day).filter(|day| (mark.from_day..today).contains(day)));
        }
        // The newest first: somebody may wait for it. What is left undone is due again.
        for day in days.into_iter().rev() {
            if job.is_stopping() {
                return Ok(());
            }
            self.build_day(&record, &domain, day).await?;
        }
        if let Some(mark) = mark {
            let mut tx = self.0.db.write().await?;
            reports::delete_due(&mut tx, id, mark).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Builds the report of a day, and queues its messages. Nothing happens when the window has no answer.
    async fn build_day(&self, record: &MonitoredDomain, domain: &Domain, day: UtcDay) -> Result<(), DbError> {
        let now = self.0.clock.now();
        let input = self.load_input(record, domain, day).await?;
        let report = report::build(&input, now);
        let mut tx = self.0.db.write().await?;
        let before = reports::find_report_of_day(&mut tx, &record.domain, day).await?;
        let Some(report) = report else {
            if let Some(before) = before {
                reports::touch_report(&mut tx, &before.id, record.analysis_version, now).await?;
                tx.commit().await?;
            }
            return Ok(());
        };
        let is_new = before.is_none();
        let row = row_of(before, record, &report, (day, now));
        reports::put_report(&mut tx, &row).await?;
        // Another process may have written the day's report in the meantime: its id counts.
        let row = reports::find_report_of_day(&mut tx, &record.domain, day).await?.unwrap_or(row);
        let built = BuiltReport { row, report, input, is_new };
        self.announce(&mut tx, record, &built, now.day_number()).await?;
        tx.commit().await?;
        self.0.jobs.wake();
        Ok(())
    }
}

/// Returns the row of a report. A report that says the same as before keeps its bytes.
fn row_of(
    before: Option<ReportRow>,
    record: &MonitoredDomain,
    report: &VisibilityReport,
    (day, now): (UtcDay, Timestamp),
) -> ReportRow {
    let built_at = now.as_millis();
    match before {
        Some(before) if before.content_hash == report.content_hash => {
            ReportRow { analysis_version: record.analysis_version, built_at, ..before }
        }
        before => ReportRow {
            id: before.as_ref().map_or_else(id_of_report, |before| before.id.clone()),
            domain_id: record.domain.to_string(),
            day,
            report_type: AUTO.to_owned(),
            week_start: day - WINDOW_DAYS + 1,
            payload: report::canonical(report),
            content_hash: report.content_hash.clone(),
            analysis_version: record.analysis_version,
            created_at: before.map_or(built_at, |before| before.created_at),
            built_at,
        },
    }
}

/// Returns the beginning of a time's UTC day.
fn midnight(now: Timestamp) -> Timestamp {
    let day = i64::try_from(DAY.as_millis()).expect("a day is short");
    Timestamp::from_millis(now.day_number() * day)
}
