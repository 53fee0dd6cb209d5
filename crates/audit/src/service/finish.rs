//! End of a run: writes the results part by part, each part in a short transaction, and then marks the run as ended.
//! Writing again after a crash gives the same results.

use std::collections::HashSet;

use audit_engine::checks::{CheckId, Severity};
use audit_engine::engine::{Audit, AuditStatus, CrawlEnd};
use audit_engine::score::{Scored, run_health};

use super::notification::tell_end;
use super::running::WorkError;
use super::runs::AuditRuns;
use crate::model::{CloseReason, Outcome, Run, RunReport, RunStatus};
use crate::queries;
use crate::results::{RunParts, index, inlink_parts, resource_parts};
use crate::stored::{History, Index, PartKind, page_id};
use platform::jobs::JobRun;

/// Previous completed run, with its columns.
pub(super) struct Previous {
    run: Run,
    index: std::sync::Arc<Index>,
}

/// Changes since the previous run.
#[derive(Debug, Default, PartialEq)]
struct Delta {
    issues: i64,
    health: f64,
    carried_pages: usize,
    new_issues: usize,
    new_errors: usize,
    fixed_issues: usize,
}

/// Writes down what an audit found, and ends the run.
pub(super) async fn finish(runs: &AuditRuns, run: &Run, audit: Audit, job: &JobRun) -> Result<(), WorkError> {
    if audit.row_count() == 0 || audit.status == AuditStatus::Unreachable || audit.pages == 0 {
        return end(runs, run, nothing_of(run, &audit), job).await;
    }
    let earlier = runs.reader.earlier_runs(&run.domain_id, run.started_at).await?;
    let segments = &runs.reader.segments;
    let mut history = match earlier.first() {
        Some(newest) => segments.history(newest).await?,
        None => History::default(),
    };
    let mut index = index(&audit);
    let scores = index.paths.iter().map(|path| page_id(path)).zip(index.health.iter().copied());
    history.add(scores);
    let scope = run.request.scope_key();
    let comparable = earlier.iter().position(|other| other.request.scope_key() == scope);
    let previous = match earlier.into_iter().nth(comparable.unwrap_or(0)) {
        Some(run) => Some(Previous { index: segments.index(&run).await?, run }),
        None => None,
    };
    // Iterators over a site are not held across an await by what may move between threads.
    for (number, part) in RunParts::of(&audit, &history).enumerate() {
        segments.put(&run.id, PartKind::Pages, number, &part.pages).await?;
        segments.put(&run.id, PartKind::Details, number, &part.details).await?;
        segments.put(&run.id, PartKind::Links, number, &part.links).await?;
    }
    for (number, part) in inlink_parts(&audit, &index).enumerate() {
        segments.put(&run.id, PartKind::Inlinks, number, &part).await?;
    }
    let resources = resource_parts(&audit);
    index.resource_parts = resources.len();
    for (number, part) in resources.into_iter().enumerate() {
        segments.put(&run.id, PartKind::Resources, number, &part).await?;
    }
    segments.put(&run.id, PartKind::History, 0, &plain(&history)).await?;
    segments.put(&run.id, PartKind::Dates, 0, &plain(&audit.dated_pages())).await?;
    segments.put(&run.id, PartKind::Index, 0, &plain(&index)).await?;
    let outcome = outcome(run, &audit, &index, previous.as_ref());
    end(runs, run, outcome, job).await
}

/// Ends a run, and deletes its checkpoints.
pub(super) async fn end(
    runs: &AuditRuns,
    run: &Run,
    outcome: Outcome,
    job: &JobRun,
) -> Result<(), WorkError> {
    let mut tx = runs.platform.db.write().await?;
    job.hold(&mut tx).await?;
    let now = runs.platform.clock.now();
    if queries::finish_run(&mut tx, &run.id, &outcome, now).await? {
        if outcome.status.has_results() {
            queries::summaries::put_summary(&mut tx, run, &outcome, now).await?;
        }
        tell_end(runs, &mut tx, run, &outcome).await?;
    }
    tx.commit().await?;
    runs.jobs.wake();
    runs.reader.segments.forget_work(&run.id).await?;
    Ok(())
}

fn plain(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("results are plain data")
}

fn close_reason(reason: CrawlEnd) -> CloseReason {
    match reason {
        CrawlEnd::Finished => CloseReason::Finished,
        CrawlEnd::UrlLimit => CloseReason::UrlLimit,
        CrawlEnd::TimeLimit => CloseReason::TimeLimit,
        CrawlEnd::Cancelled => CloseReason::Cancelled,
        CrawlEnd::Crashed => CloseReason::Crashed,
        CrawlEnd::Unreachable => CloseReason::Unreachable,
    }
}

fn nothing_of(run: &Run, audit: &Audit) -> Outcome {
    let reason = close_reason(audit.close_reason);
    let why = match (&audit.error_message, reason) {
        (Some(message), _) => message.clone(),
        (None, CloseReason::Cancelled) => "it was stopped before the first page".to_owned(),
        (None, _) => "no page could be audited".to_owned(),
    };
    Outcome {
        report: report(run, audit, &Delta::default()),
        ..Outcome::nothing(run.request.mode, reason, why)
    }
}

fn outcome(run: &Run, audit: &Audit, index: &Index, previous: Option<&Previous>) -> Outcome {
    let issue_count = audit.issue_breakdown.values().sum::<usize>() as u64;
    let delta = previous.map(|previous| delta(run, audit, index, issue_count, previous)).unwrap_or_default();
    Outcome {
        status: match audit.status {
            AuditStatus::Success => RunStatus::Success,
            AuditStatus::LimitReached => RunStatus::LimitReached,
            AuditStatus::Partial => RunStatus::Partial,
            AuditStatus::Unreachable => RunStatus::Error,
        },
        close_reason: close_reason(audit.close_reason),
        pages_crawled: audit.pages as u64,
        health_score: audit.health,
        issue_count,
        delta_issues: delta.issues,
        delta_health: delta.health,
        error_message: audit.error_message.clone(),
        report: report(run, audit, &delta),
    }
}

fn report(run: &Run, audit: &Audit, delta: &Delta) -> RunReport {
    let mut crawl_stats = audit.crawl_stats.clone();
    if delta.carried_pages > 0 {
        crawl_stats.carried_pages = delta.carried_pages;
    }
    (crawl_stats.new_issues, crawl_stats.fixed_issues) = (delta.new_issues, delta.fixed_issues);
    crawl_stats.continuations = u32::try_from(run.continuations).unwrap_or(u32::MAX);
    RunReport {
        robots_analysis: audit.robots_analysis.clone(),
        crawl_stats,
        sitemap_issues: audit.sitemap_issues.clone(),
        issue_breakdown: audit.issue_breakdown.clone(),
        new_errors: delta.new_errors,
        site_url: audit.site_url.clone(),
    }
}

/// Compares the run with the previous one. Pages that only the previous run has keep their findings where this run
/// did not look everywhere: otherwise the change would be one of coverage.
fn delta(run: &Run, audit: &Audit, index: &Index, issue_count: u64, previous: &Previous) -> Delta {
    let (before, old) = (&previous.run, &*previous.index);
    let (mut new_issues, mut fixed_issues) = (0, 0);
    let mut carried = Vec::new();
    for row in 0..old.len() {
        let Some(now) = index.find_path(&old.paths[row]) else {
            carried.push(row);
            continue;
        };
        if old.missed_render(row) || index.missed_render(now) {
            continue;
        }
        let had: HashSet<&str> = old.issues_of(row).collect();
        let has: HashSet<&str> = index.issues_of(now).collect();
        new_issues += has.difference(&had).count();
        fixed_issues += had.difference(&has).count();
    }
    let is_everything = !run.request.new_pages_only && audit.close_reason == CrawlEnd::Finished;
    if is_everything {
        carried.clear();
    }
    let carried_issues: usize = carried.iter().map(|row| old.issues[*row].len()).sum();
    let own: Vec<Scored> = (0..index.len()).filter_map(|row| scored(index, row)).collect();
    let stand_in = carried.iter().filter_map(|row| scored(old, *row));
    let all: Vec<Scored> = own.iter().copied().chain(stand_in).collect();
    let site: Vec<CheckId> = index.site_issues.iter().filter_map(|id| CheckId::find(id)).collect();
    // What the carried pages change of the score, on top of what the engine made of this run's own.
    let shift = run_health(&all, &site, true) - run_health(&own, &site, true);
    let total = i64::try_from(issue_count).unwrap_or(i64::MAX).saturating_add(carried_issues as i64);
    Delta {
        issues: total.saturating_sub(i64::try_from(before.issue_count).unwrap_or(i64::MAX)),
        health: ((audit.health + shift - before.health_score) * 10.0).round() / 10.0,
        carried_pages: carried.len(),
        new_errors: new_errors(index, old),
        new_issues,
        fixed_issues,
    }
}

/// Counts errors of pages that the previous run did not find there, including those of pages that it did not have.
fn new_errors(index: &Index, old: &Index) -> usize {
    let is_error = |id: &str| CheckId::find(id).is_some_and(|id| id.check().severity == Severity::Error);
    let of_row = |row: usize| {
        let before = old.find_path(&index.paths[row]);
        if before.is_some_and(|before| old.missed_render(before) || index.missed_render(row)) {
            return 0;
        }
        let had: HashSet<&str> = before.map(|row| old.issues_of(row).collect()).unwrap_or_default();
        index.issues_of(row).filter(|id| !had.contains(id) && is_error(id)).count()
    };
    (0..index.len()).map(of_row).sum()
}

fn scored(index: &Index, row: usize) -> Option<Scored> {
    index.scored[row].then(|| Scored {
        health: f64::from(index.health[row]) / 10.0,
        inlinks: index.inlinks[row],
        has_error: index.has_error(row),
        stands_for: 1.0,
    })
}
