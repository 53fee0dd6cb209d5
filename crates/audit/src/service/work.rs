//! The work of a run's job: crawls with the engine, saves its batches, and polls for a request to stop.
//! After any interruption the next attempt continues from the last saved batch.
//! See docs/decisions/0205.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use audit_engine::checks::CheckNeed;
use audit_engine::engine::{
    Audit, AuditOptions, AuditProgress, AuditStatus, CrawlEnd, Journal, JournalError, RowResult, conclude,
    resume,
};
use crawler::errors::one_line;
use futures::future::BoxFuture;
use http::HeaderValue;
use store::DbError;
use store::packed::{pack, unpack};

use super::finish::{end, finish};
use super::notification::tell_end;
use super::options::options_of;
use super::running::{RunSlot, WorkError};
use super::runs::AuditRuns;
use crate::jobs::RunAudit;
use crate::model::{CloseReason, Outcome, Run, RunId};
use crate::queries;
use crate::results::live_part;
use crate::source::{SiteSource, SourceOptions, USER_AGENT};
use crate::stored::{MAX_PART_BYTES, PartKind};
use accounts::UsageMetric;
use domains::Site;
use platform::jobs::{JobError, JobOutcome, JobRun};
use platform::plans::PlanLimit;

/// Time between two looks of an active run for a request to stop.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Number of looks between two signs of life of the run.
const ALIVE_EVERY: u64 = 5;
const ALIVE_FOR: Duration = Duration::from_secs(15);
/// Time after which a run is tried again whose account has no free slot.
const SLOT_WAIT: Duration = Duration::from_secs(3);
/// Attempts that may die without progress before the run ends with its results so far.
const DEATHS: u64 = 3;
/// Maximum number of attempts that a crash left open. A run with more ends without results, since writing them may be the cause.
const MOST_OPEN_ATTEMPTS: u64 = 6;

/// Works on a run until it is over, or until this process is asked to stop.
pub async fn work(runs: &AuditRuns, audit: &RunAudit, job: &JobRun) -> Result<JobOutcome, JobError> {
    let RunAudit { run: id, ends } = audit;
    let Some(run) = find_active(runs, id).await? else {
        // The attempt that ended it may have been cut off before it had tidied up.
        runs.reader.segments.forget_work(id).await?;
        return Ok(JobOutcome::Done);
    };
    let Some(slot) = runs.running.acquire(&run) else { return Ok(JobOutcome::Later(SLOT_WAIT)) };
    let Some(run) = begin(runs, id).await? else { return Ok(JobOutcome::Later(Duration::ZERO)) };
    let attempt = Attempt { runs, run: &run, job, slot: &slot, ends: *ends };
    let audited = tokio::select! {
        audited = attempt.audit() => audited,
        never = watch(runs, id, &slot.cancelled) => match never {},
        // Stored results stay. An operator who cancels the run removes the job itself.
        () = job.stopping() => {
            leave(runs, id).await;
            return Ok(JobOutcome::Later(Duration::ZERO));
        }
    };
    let Err(error) = audited else { return Ok(JobOutcome::Done) };
    leave(runs, id).await;
    match error {
        WorkError::Journal(JournalError::Unreadable(why)) => {
            // Written by another version: the run begins again.
            tracing::warn!(run = %id, why, "an audit begins again");
            runs.reader.segments.forget_work(id).await?;
            Err(JobError::retry(why))
        }
        error => Err(JobError::retry(one_line(&error))),
    }
}

/// Records that this process works on a run. None: the run is over by now.
async fn begin(runs: &AuditRuns, id: &RunId) -> Result<Option<Run>, DbError> {
    let now = runs.platform.clock.now();
    let mut tx = runs.platform.db.write().await?;
    let begun = queries::begin_run(&mut tx, id, now, now.plus(ALIVE_FOR)).await?;
    tx.commit().await?;
    Ok(runs.reader.find_run(id.as_str()).await?.filter(|_| begun))
}

/// Records that this process does not work on a run any more. A process that died does not record this.
async fn leave(runs: &AuditRuns, id: &RunId) {
    let left = async {
        let mut tx = runs.platform.db.write().await?;
        queries::leave_run(&mut tx, id).await?;
        tx.commit().await
    };
    if let Err(error) = left.await {
        tracing::warn!(run = %id, error = one_line(&error), "the end of an attempt at an audit was not noted");
    }
}

async fn find_active(runs: &AuditRuns, id: &RunId) -> Result<Option<Run>, DbError> {
    Ok(runs.reader.find_run(id.as_str()).await?.filter(|run| run.is_active))
}

/// Queues the end of a run whose job gave up: its results so far are kept.
pub async fn end_later(runs: &AuditRuns, id: &RunId) -> Result<(), DbError> {
    let Some(run) = find_active(runs, id).await? else { return Ok(()) };
    let mut tx = runs.platform.db.write().await?;
    runs.jobs.enqueue(&mut tx, vec![RunAudit::ending(&run)]).await?;
    tx.commit().await?;
    runs.jobs.wake();
    Ok(())
}

/// Ends a run as failed, without results.
pub async fn give_up(runs: &AuditRuns, id: &RunId, reason: &str) -> Result<(), DbError> {
    let Some(run) = find_active(runs, id).await? else { return Ok(()) };
    let outcome = Outcome {
        pages_crawled: run.pages_crawled,
        ..Outcome::nothing(run.request.mode, CloseReason::Crashed, reason)
    };
    let mut tx = runs.platform.db.write().await?;
    if queries::finish_run(&mut tx, id, &outcome, runs.platform.clock.now()).await? {
        tell_end(runs, &mut tx, &run, &outcome).await?;
    }
    tx.commit().await?;
    runs.reader.segments.delete_rows(id, None).await
}

/// Polls for a request to stop the run, and records that this process works on it. Never returns.
async fn watch(runs: &AuditRuns, id: &RunId, cancelled: &AtomicBool) -> std::convert::Infallible {
    for look in 1_u64.. {
        tokio::time::sleep(LOOK_EVERY).await;
        if look.is_multiple_of(ALIVE_EVERY) {
            let alive = async {
                let mut tx = runs.platform.db.write().await?;
                queries::record_alive(&mut tx, id, runs.platform.clock.now().plus(ALIVE_FOR)).await?;
                tx.commit().await
            };
            // A database that is away for a moment is told the next time.
            _ = alive.await;
        }
        let Ok(mut conn) = runs.platform.db.read().await else { continue };
        if let Ok(Some(true) | None) = queries::is_cancel_requested(&mut conn, id).await {
            cancelled.store(true, Ordering::Relaxed);
        }
    }
    unreachable!("a run is not looked at so often")
}

/// An attempt at a run.
struct Attempt<'a> {
    runs: &'a AuditRuns,
    run: &'a Run,
    job: &'a JobRun,
    slot: &'a RunSlot,
    /// True when the run only ends with its results so far.
    ends: bool,
}

impl Attempt<'_> {
    async fn audit(&self) -> Result<(), WorkError> {
        let Attempt { runs, run, job, .. } = *self;
        if run.open_attempts > MOST_OPEN_ATTEMPTS {
            let nothing = "it failed again and again, also when it was to end with what it had";
            let outcome = Outcome::nothing(run.request.mode, CloseReason::Crashed, nothing);
            return end(runs, run, outcome, job).await;
        }
        let domain = runs.domains.find_by_id(&run.domain_id).await?;
        let site = Arc::new(Site::new(match domain {
            Some(domain) => domain,
            None => return end(runs, run, Outcome::stopped(run, "the domain was removed"), job).await,
        }));
        if site.is_suspended() {
            return end(runs, run, Outcome::stopped(run, "the domain is suspended"), job).await;
        }
        let options = options_of(runs, run, &site).await?;
        let source = self.source(site, &options).await?;
        let batches = queries::segments::list_segments(
            &mut runs.platform.db.read().await?,
            &run.id,
            PartKind::Checkpoint,
        )
        .await?;
        let next = batches.len();
        // The engine finds a damaged batch unreadable, like an empty one.
        let unpacked = |packed: Vec<u8>| unpack(&packed, MAX_PART_BYTES).unwrap_or_default();
        let past = &mut batches.into_iter().map(unpacked);
        if self.ends || run.open_attempts > DEATHS {
            let audit = conclude(&source, &options, past).await?;
            self.count_rest(&audit, run.pages_counted).await?;
            return finish(runs, run, audit, job).await;
        }
        let limit = self.pages_limit().await?;
        let mut keeper = Keeper {
            runs,
            job,
            run: &run.id,
            account: &run.account_id,
            next,
            counted: run.pages_counted,
            limit,
            is_over_plan: false,
            cancelled: self.slot.cancelled.clone(),
        };
        let mut audit = resume(&source, &options, &mut keeper, past).await?;
        if keeper.is_over_plan {
            (audit.status, audit.close_reason) = (AuditStatus::LimitReached, CrawlEnd::UrlLimit);
        }
        let counted = keeper.counted;
        self.count_rest(&audit, counted).await?;
        finish(runs, run, audit, job).await
    }

    async fn source(&self, site: Arc<Site>, options: &AuditOptions) -> Result<SiteSource, WorkError> {
        let Attempt { runs, run, .. } = *self;
        let (_, mut credentials) = runs.settings.get(&run.domain_id).await?;
        credentials.keep_for(site.domain.settings.origin_host.as_ref());
        let agent = run.request.auditing.user_agent.as_deref().unwrap_or(USER_AGENT);
        let wanted = SourceOptions {
            user_agent: HeaderValue::from_str(agent).unwrap_or(HeaderValue::from_static(USER_AGENT)),
            headers: credentials.request_headers(),
            is_plain: run.request.urls[0].scheme() == "http",
            reads_snapshots: options.crawlers_are_served || options.needs(CheckNeed::Snapshots),
        };
        Ok(SiteSource::new(&runs.platform, &runs.origins, site, runs.renders.clone(), wanted))
    }

    async fn pages_limit(&self) -> Result<PlanLimit, WorkError> {
        let Attempt { runs, run, .. } = *self;
        let account = runs.accounts.find_account(&run.account_id).await?;
        let limit = |plan| runs.platform.config.plan(plan).audited_pages_per_month;
        Ok(account.map_or(PlanLimit::of(0), |account| limit(account.plan)))
    }

    /// Counts the pages since the last batch. They were audited, so they count whatever the plan says.
    async fn count_rest(&self, audit: &Audit, counted: u64) -> Result<(), WorkError> {
        let Attempt { runs, run, .. } = *self;
        let rest = (audit.pages as u64).saturating_sub(counted);
        if rest > 0 {
            let mut tx = runs.platform.db.write().await?;
            let metric = UsageMetric::AuditedPages;
            runs.accounts.reserve_in(&mut tx, &run.account_id, metric, rest, PlanLimit::NONE).await?;
            queries::record_counted(&mut tx, &run.id, audit.pages as u64).await?;
            tx.commit().await?;
        }
        Ok(())
    }
}

/// Store of the crawl's batches, with the progress and the pages that count, each batch in one transaction.
struct Keeper<'a> {
    runs: &'a AuditRuns,
    job: &'a JobRun,
    run: &'a RunId,
    account: &'a accounts::AccountId,
    next: usize,
    counted: u64,
    limit: PlanLimit,
    /// True when other runs have used up the month's remaining pages.
    is_over_plan: bool,
    cancelled: Arc<AtomicBool>,
}

impl Keeper<'_> {
    async fn keep(
        &mut self,
        batch: Vec<u8>,
        rows: Vec<RowResult>,
        progress: AuditProgress,
    ) -> Result<(), WorkError> {
        let runs = self.runs;
        let pages = progress.pages as u64;
        let (batch, live) = (pack(&batch), (!rows.is_empty()).then(|| live_part(rows)));
        let mut tx = runs.platform.db.write().await?;
        self.job.hold(&mut tx).await?;
        queries::segments::put_segment(&mut tx, self.run, PartKind::Checkpoint, self.next, &batch).await?;
        if let Some(live) = live {
            for (kind, lines) in [(PartKind::Live, &live.pages), (PartKind::LiveDetails, &live.details)] {
                queries::segments::put_segment(&mut tx, self.run, kind, self.next, &pack(lines)).await?;
            }
        }
        let stop = queries::record_progress(&mut tx, self.run, progress, runs.platform.clock.now()).await?;
        let more = pages.saturating_sub(self.counted);
        let metric = UsageMetric::AuditedPages;
        let is_within = more == 0
            || runs.accounts.reserve_in(&mut tx, self.account, metric, more, self.limit).await?.is_some();
        if is_within && more > 0 {
            queries::record_counted(&mut tx, self.run, pages).await?;
        }
        tx.commit().await?;
        self.next += 1;
        match is_within {
            true => self.counted = self.counted.max(pages),
            false => self.is_over_plan = true,
        }
        if stop != Some(false) || !is_within {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Journal for Keeper<'_> {
    fn save(
        &mut self,
        batch: Vec<u8>,
        rows: Vec<RowResult>,
        progress: AuditProgress,
    ) -> BoxFuture<'_, Result<(), JournalError>> {
        Box::pin(async move {
            self.keep(batch, rows, progress).await.map_err(|error| JournalError::Save(error.into()))
        })
    }

    fn note(&mut self, progress: AuditProgress) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let runs = self.runs;
            let noted = async {
                let mut tx = runs.platform.db.write().await?;
                self.job.hold(&mut tx).await?;
                queries::record_progress(&mut tx, self.run, progress, runs.platform.clock.now()).await?;
                tx.commit().await?;
                Ok::<(), WorkError>(())
            };
            // The next one is told in a second, and the results say whether the run is still ours.
            if let Err(error) = noted.await {
                tracing::debug!(%error, run = %self.run, "could not note the progress of a run");
            }
        })
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
