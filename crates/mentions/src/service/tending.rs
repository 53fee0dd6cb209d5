//! Looks after runs that nobody else ends: those whose job is gone, answers whose analysis is late, waits behind a provider
//! that is away, and calls whose process died.

use std::collections::HashSet;
use std::time::Duration;

use assistants::providers::Usd;
use assistants::providers::call::{CallEnd, CallOutcome};
use store::{Db, DbError};

use super::analysing::by_model::ModelAnalysis;
use super::analysing::finishing::Finishing;
use super::writing::{EndedAs, Ending, EndingResult, RunWriter, Settlement};
use crate::connections::lane_of;
use crate::model::{PromptRunId, PromptRunStatus, RunErrorCode};
use crate::queries::ledger;
use crate::queries::runs::{self, OpenRun, RunTask};
use platform::clock::{Clock, Timestamp};
use platform::jobs::{JobError, JobRun, Jobs, LaneTrouble};

/// Runs of one look at the database.
const SOME: i64 = 1_000;
/// Time after which an answer is analysed without a model.
const ANALYSIS_PATIENCE: Duration = Duration::from_secs(10 * 60);
/// Time for which a run waits for a provider that is away.
const PROVIDER_PATIENCE: Duration = Duration::from_secs(6 * 3600);
/// Time after which the process of a call that is not settled must be dead.
const CALL_PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Maintenance of runs. Cheap to clone.
#[derive(Clone)]
pub struct Tending {
    db: Db,
    clock: Clock,
    jobs: Jobs,
    writer: RunWriter,
    finishing: Finishing,
    analysis: ModelAnalysis,
}

impl Tending {
    pub fn new(
        (db, clock, jobs): (&Db, &Clock, &Jobs),
        writer: &RunWriter,
        finishing: &Finishing,
        analysis: &ModelAnalysis,
    ) -> Tending {
        Tending {
            db: db.clone(),
            clock: clock.clone(),
            jobs: jobs.clone(),
            writer: writer.clone(),
            finishing: finishing.clone(),
            analysis: analysis.clone(),
        }
    }

    /// Looks at every run that is not over, once.
    pub async fn tend(&self, job: &JobRun) -> Result<(), JobError> {
        let away = self.list_away().await?;
        let mut after = String::new();
        loop {
            let open = runs::list_open(&mut self.db.read().await?, &after, SOME).await?;
            let Some(last) = open.last() else { break };
            after = last.id.clone();
            let is_all = (open.len() as i64) < SOME;
            self.tend_some(open, &away).await?;
            if is_all || job.is_stopping() {
                break;
            }
        }
        self.settle_dead_calls().await
    }

    async fn tend_some(&self, open: Vec<OpenRun>, away: &[LaneTrouble]) -> Result<(), JobError> {
        let jobs: Vec<String> = open.iter().map(|run| run.job_id.clone()).collect();
        let alive: HashSet<String> = self.jobs.list_alive(&jobs).await?.into_iter().collect();
        let now = self.clock.now();
        for run in open {
            let has_job = alive.contains(&run.job_id);
            let is_late = now.since(Timestamp::from_millis(run.changed_at)) >= ANALYSIS_PATIENCE;
            let lane = lane_of(&run.provider);
            match PromptRunStatus::parse(&run.status) {
                Some(PromptRunStatus::Answered) if !has_job || is_late => self.analyse(&run).await?,
                Some(PromptRunStatus::Queued | PromptRunStatus::Running) if !has_job => {
                    self.fail(&run, RunErrorCode::Lost, "the job of the run is gone").await?;
                }
                Some(PromptRunStatus::Queued) if away.iter().any(|trouble| trouble.lane == lane) => {
                    self.give_up(&run, now).await?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Lists the providers that have been away for so long that waiting runs give up.
    async fn list_away(&self) -> Result<Vec<LaneTrouble>, DbError> {
        let now = self.clock.now();
        let mut troubles = self.jobs.list_lane_troubles().await?;
        troubles.retain(|trouble| now.since(trouble.since) >= PROVIDER_PATIENCE);
        Ok(troubles)
    }

    /// Ends a run that has waited for its provider for six hours.
    async fn give_up(&self, run: &OpenRun, now: Timestamp) -> Result<(), DbError> {
        let Some(task) = self.find(run).await? else { return Ok(()) };
        if now.since(task.created_at) < PROVIDER_PATIENCE {
            return Ok(());
        }
        let detail = task.failure.as_ref().map_or_else(
            || "the provider was away for six hours".to_owned(),
            |(_, detail)| format!("the provider was away for six hours: {detail}"),
        );
        self.withdraw(run).await?;
        self.end(task, RunErrorCode::ProviderUnavailable, detail).await
    }

    async fn fail(&self, run: &OpenRun, code: RunErrorCode, detail: &str) -> Result<(), DbError> {
        match self.find(run).await? {
            Some(task) => self.end(task, code, detail.to_owned()).await,
            None => Ok(()),
        }
    }

    async fn find(&self, run: &OpenRun) -> Result<Option<RunTask>, DbError> {
        let id = PromptRunId::from(run.id.as_str());
        let task = runs::find_task(&mut self.db.read().await?, &id).await?;
        Ok(task.filter(|task| task.status.as_str() == run.status))
    }

    async fn end(&self, task: RunTask, code: RunErrorCode, detail: String) -> Result<(), DbError> {
        let run = task.id.clone();
        let ending = Ending { task, job: None, ended: EndedAs::Failed { code, detail } };
        let result = self.writer.end(ending).await;
        tracing::info!(%run, code = code.as_str(), ?result, "a run was ended that nobody else would have");
        Ok(())
    }

    /// Takes back the job of a run that waits.
    async fn withdraw(&self, run: &OpenRun) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        self.jobs.withdraw(&mut tx, std::slice::from_ref(&run.job_id)).await?;
        tx.commit().await
    }

    /// Completes an analysis without a model. The job of the model finds nothing to do.
    async fn analyse(&self, run: &OpenRun) -> Result<(), DbError> {
        let id = PromptRunId::from(run.id.as_str());
        let Some((task, kept)) = self.analysis.find(&id).await? else { return Ok(()) };
        let result = self.finishing.finish((&task, None), &kept, None).await?;
        if result == EndingResult::Written {
            self.withdraw(run).await?;
        }
        Ok(())
    }

    /// Settles the calls of processes that died with the reserved price: they may have been paid.
    async fn settle_dead_calls(&self) -> Result<(), JobError> {
        let before = self.clock.now().minus(CALL_PATIENCE);
        let calls = ledger::list_open_before(&mut self.db.read().await?, before, SOME).await?;
        for call in calls {
            let cost = Usd::from_nanos(call.reserved_nanos);
            let end = CallEnd { cost, is_estimated: cost > Usd::ZERO, outcome: CallOutcome::Unanswered };
            tracing::warn!(call = call.id, run = call.run_id, "a call was never settled: its process died");
            let settlement = Settlement {
                call: call.id,
                run: PromptRunId::from(call.run_id),
                end,
                is_question: call.purpose == "answer",
            };
            self.writer.settle(settlement).await;
        }
        Ok(())
    }
}
