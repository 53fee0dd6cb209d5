//! The work of a run's job: crawls with the engine, saves its batches, and polls for a request to stop.
//! After any interruption the next attempt continues from the last saved batch.
//! See docs/decisions/0207.

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

use super::Audits;
use super::running::RunSlot;
use crate::model::{CloseReason, Outcome, Run, RunId};
use crate::queries;
use crate::results::live_part;
use crate::segments::ReadError;
use crate::source::{SiteSource, SourceOptions, USER_AGENT};
use crate::stored::{MAX_PART_BYTES, PartKind};
use accounts::UsageMetric;
use domains::Site;
use platform::jobs::{HoldError, JobError, JobOutcome};
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
/// Open attempts beyond which a run ends without results: even its end fails.
const MOST_OPEN_ATTEMPTS: u64 = 6;

/// Reason why an attempt ended without a result.
#[derive(Debug, thiserror::Error)]
pub(super) enum WorkError {
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] DbError),
    /// An earlier run cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Another process has taken the job over.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// The journal of the crawl could not be written or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Audits {
    /// Works on a run until it is over, or until this process is asked to stop. `ends`: only ends it with its results so far.
    pub async fn work(
        &self,
        id: &RunId,
        job: &platform::jobs::JobRun,
        ends: bool,
    ) -> Result<JobOutcome, JobError> {
        let Some(run) = self.find_run(id.as_str()).await?.filter(|run| run.is_active) else {
            // The attempt that ended it may have been cut off before it had tidied up.
            self.forget_work(id).await?;
            return Ok(JobOutcome::Done);
        };
        let Some(slot) = self.0.running.acquire(&run) else { return Ok(JobOutcome::Later(SLOT_WAIT)) };
        let Some(run) = self.begin(id).await? else { return Ok(JobOutcome::Later(Duration::ZERO)) };
        let audited = tokio::select! {
            audited = self.audit(&run, job, &slot, ends) => audited,
            never = self.watch(id, &slot.cancelled) => match never {},
            // What was kept is kept; an operator's cancelling removes the job itself.
            () = job.stopping() => {
                self.leave(id).await;
                return Ok(JobOutcome::Later(Duration::ZERO));
            }
        };
        let Err(error) = audited else { return Ok(JobOutcome::Done) };
        self.leave(id).await;
        match error {
            WorkError::Journal(JournalError::Unreadable(why)) => {
                // Written by another version: the run begins again.
                tracing::warn!(run = %id, why, "an audit begins again");
                self.forget_work(id).await?;
                Err(JobError::retry(why))
            }
            error => Err(JobError::retry(one_line(&error))),
        }
    }

    /// Notes that this process works on a run. None: the run is over by now.
    async fn begin(&self, id: &RunId) -> Result<Option<Run>, DbError> {
        let now = self.0.clock.now();
        let mut tx = self.0.db.write().await?;
        let begun = queries::begin_run(&mut tx, id, now, now.plus(ALIVE_FOR)).await?;
        tx.commit().await?;
        Ok(self.find_run(id.as_str()).await?.filter(|_| begun))
    }

    /// Notes that this process does not work on a run any more. One that died instead is told from it by that.
    async fn leave(&self, id: &RunId) {
        let left = async {
            let mut tx = self.0.db.write().await?;
            queries::leave_run(&mut tx, id).await?;
            tx.commit().await
        };
        if let Err(error) = left.await {
            tracing::warn!(run = %id, error = one_line(&error), "the end of an attempt at an audit was not noted");
        }
    }

    /// Deletes the checkpoints of a crawl.
    async fn forget_work(&self, id: &RunId) -> Result<(), DbError> {
        self.0.segments.forget_work(id).await
    }

    async fn audit(
        &self,
        run: &Run,
        job: &platform::jobs::JobRun,
        slot: &RunSlot,
        ends: bool,
    ) -> Result<(), WorkError> {
        if run.open_attempts > MOST_OPEN_ATTEMPTS {
            let nothing = "it failed again and again, also when it was to end with what it had";
            return self
                .end(run, Outcome::nothing(run.request.mode, CloseReason::Crashed, nothing), job)
                .await;
        }
        let domain = self.0.domains.find_by_id(&run.domain_id).await?;
        let site = Arc::new(Site::new(match domain {
            Some(domain) => domain,
            None => return self.end(run, stopped(run, "the domain was removed"), job).await,
        }));
        if site.is_suspended() {
            return self.end(run, stopped(run, "the domain is suspended"), job).await;
        }
        let options = self.options(run, &site).await?;
        let source = self.source(run, site, &options).await?;
        let batches =
            queries::segments::list_segments(&mut self.0.db.read().await?, &run.id, PartKind::Checkpoint)
                .await?;
        let next = batches.len();
        // The engine finds a damaged batch unreadable, like an empty one.
        let unpacked = |packed: Vec<u8>| unpack(&packed, MAX_PART_BYTES).unwrap_or_default();
        let past = &mut batches.into_iter().map(unpacked);
        if ends || run.open_attempts > DEATHS {
            let audit = conclude(&source, &options, past).await?;
            self.count_rest(run, &audit, run.pages_counted).await?;
            return self.finish(run, audit, job).await;
        }
        let limit = self.pages_limit(run).await?;
        let mut keeper = Keeper {
            audits: self,
            job,
            run: &run.id,
            account: &run.account_id,
            next,
            counted: run.pages_counted,
            limit,
            is_over_plan: false,
            cancelled: slot.cancelled.clone(),
        };
        let mut audit = resume(&source, &options, &mut keeper, past).await?;
        if keeper.is_over_plan {
            (audit.status, audit.close_reason) = (AuditStatus::LimitReached, CrawlEnd::UrlLimit);
        }
        let counted = keeper.counted;
        self.count_rest(run, &audit, counted).await?;
        self.finish(run, audit, job).await
    }

    async fn source(
        &self,
        run: &Run,
        site: Arc<Site>,
        options: &AuditOptions,
    ) -> Result<SiteSource, WorkError> {
        let (_, mut credentials) = self.auditing_of(&run.domain_id).await?;
        credentials.keep_for(site.domain.settings.origin_host.as_ref());
        let agent = run.request.auditing.user_agent.as_deref().unwrap_or(USER_AGENT);
        let wanted = SourceOptions {
            user_agent: HeaderValue::from_str(agent).unwrap_or(HeaderValue::from_static(USER_AGENT)),
            headers: credentials.request_headers(),
            is_plain: run.request.urls[0].scheme() == "http",
            reads_snapshots: options.crawlers_are_served || options.needs(CheckNeed::Snapshots),
        };
        Ok(SiteSource::new(&self.0.platform, &self.0.origins, site, self.0.renders.clone(), wanted))
    }

    async fn pages_limit(&self, run: &Run) -> Result<PlanLimit, WorkError> {
        let account = self.0.accounts.find_account(&run.account_id).await?;
        let limit = |plan| self.0.platform.config.plan(plan).audited_pages_per_month;
        Ok(account.map_or(PlanLimit::of(0), |account| limit(account.plan)))
    }

    /// Counts the pages since the last batch. They were audited, so they count whatever the plan says.
    async fn count_rest(&self, run: &Run, audit: &Audit, counted: u64) -> Result<(), WorkError> {
        let rest = (audit.pages as u64).saturating_sub(counted);
        if rest > 0 {
            let mut tx = self.0.db.write().await?;
            let metric = UsageMetric::AuditedPages;
            self.0.accounts.reserve_in(&mut tx, &run.account_id, metric, rest, PlanLimit::NONE).await?;
            queries::note_counted(&mut tx, &run.id, audit.pages as u64).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Polls for a request to stop the run, and records that this process works on it. Never returns.
    async fn watch(&self, id: &RunId, cancelled: &AtomicBool) -> std::convert::Infallible {
        for look in 1_u64.. {
            tokio::time::sleep(LOOK_EVERY).await;
            if look.is_multiple_of(ALIVE_EVERY) {
                let alive = async {
                    let mut tx = self.0.db.write().await?;
                    queries::note_alive(&mut tx, id, self.0.clock.now().plus(ALIVE_FOR)).await?;
                    tx.commit().await
                };
                // A database that is away for a moment is told the next time.
                _ = alive.await;
            }
            let Ok(mut conn) = self.0.db.read().await else { continue };
            if let Ok(Some(true) | None) = queries::is_cancel_requested(&mut conn, id).await {
                cancelled.store(true, Ordering::Relaxed);
            }
        }
        unreachable!("a run is not looked at so often")
    }

    /// Asks a run to stop; its results so far are kept. Returns false when it is over already.
    pub async fn cancel(&self, run: &Run) -> Result<bool, DbError> {
        if !run.is_active {
            return Ok(false);
        }
        let mut tx = self.0.db.write().await?;
        if run.begun_at.is_none()
            && queries::end_waiting(&mut tx, &run.id, &waiting(run), self.0.clock.now()).await?
        {
            self.announce_end(&mut tx, run).await?;
            tx.commit().await?;
            return Ok(true);
        }
        queries::request_cancel(&mut tx, &run.id).await?;
        tx.commit().await?;
        self.0.running.cancel(&run.id);
        Ok(true)
    }
}

fn waiting(run: &Run) -> Outcome {
    stopped(run, "it was stopped while it waited")
}

fn stopped(run: &Run, why: &str) -> Outcome {
    Outcome::nothing(run.request.mode, CloseReason::Cancelled, why)
}

/// Store of the crawl's batches, with the progress and the pages that count, each batch in one transaction.
struct Keeper<'a> {
    audits: &'a Audits,
    job: &'a platform::jobs::JobRun,
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
        let inner = &self.audits.0;
        let pages = progress.pages as u64;
        let (batch, live) = (pack(&batch), (!rows.is_empty()).then(|| live_part(rows)));
        let mut tx = inner.db.write().await?;
        self.job.hold(&mut tx).await?;
        queries::segments::put_segment(&mut tx, self.run, PartKind::Checkpoint, self.next, &batch).await?;
        if let Some(live) = live {
            for (kind, lines) in [(PartKind::Live, &live.pages), (PartKind::LiveDetails, &live.details)] {
                queries::segments::put_segment(&mut tx, self.run, kind, self.next, &pack(lines)).await?;
            }
        }
        let stop = queries::note_progress(&mut tx, self.run, progress, inner.clock.now()).await?;
        let more = pages.saturating_sub(self.counted);
        let metric = UsageMetric::AuditedPages;
        let is_within = more == 0
            || inner.accounts.reserve_in(&mut tx, self.account, metric, more, self.limit).await?.is_some();
        if is_within && more > 0 {
            queries::note_counted(&mut tx, self.run, pages).await?;
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
            let inner = &self.audits.0;
            let noted = async {
                let mut tx = inner.db.write().await?;
                self.job.hold(&mut tx).await?;
                queries::note_progress(&mut tx, self.run, progress, inner.clock.now()).await?;
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
