//! Looks after runs that nobody else ends: those whose job is gone, answers whose analysis is late, waits behind a provider
//! that is away, and calls whose process died.

use std::collections::HashSet;
use std::time::Duration;

use assistants::providers::Usd;
use assistants::providers::call::{CallEnd, CallOutcome};
use store::DbError;

use super::MentionParts;
use super::analysing::by_model::find_answered;
use super::analysing::finishing::finish_analysis;
use super::writing::{EndedAs, Ending, EndingResult, Settlement};
use crate::connections::lane_of;
use crate::model::{PromptRunId, PromptRunStatus, RunErrorCode};
use crate::queries::ledger;
use crate::queries::runs::{self, OpenRun, RunTask};
use platform::clock::Timestamp;
use platform::jobs::{JobError, JobRun, LaneTrouble};

/// Runs of one look at the database.
const SOME: i64 = 1_000;
/// Time after which an answer is analysed without a model.
const ANALYSIS_PATIENCE: Duration = Duration::from_secs(10 * 60);
/// Time for which a run waits for a provider that is away.
const PROVIDER_PATIENCE: Duration = Duration::from_secs(6 * 3600);
/// Time after which the process of a call that is not settled must be dead.
const CALL_PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Looks at every run that is not over, once.
pub async fn tend(mentions: &MentionParts, job: &JobRun) -> Result<(), JobError> {
    let away = list_away(mentions).await?;
    let mut after = String::new();
    loop {
        let open = runs::list_open(&mut mentions.db.read().await?, &after, SOME).await?;
        let Some(last) = open.last() else { break };
        after = last.id.clone();
        let is_all = (open.len() as i64) < SOME;
        tend_some(mentions, open, &away).await?;
        if is_all || job.is_stopping() {
            break;
        }
    }
    settle_dead_calls(mentions).await
}

async fn tend_some(
    mentions: &MentionParts,
    open: Vec<OpenRun>,
    away: &[LaneTrouble],
) -> Result<(), JobError> {
    let jobs: Vec<String> = open.iter().map(|run| run.job_id.clone()).collect();
    let alive: HashSet<String> = mentions.jobs.list_alive(&jobs).await?.into_iter().collect();
    let now = mentions.clock.now();
    for run in open {
        let has_job = alive.contains(&run.job_id);
        let is_late = now.since(Timestamp::from_millis(run.changed_at)) >= ANALYSIS_PATIENCE;
        let lane = lane_of(&run.provider);
        match PromptRunStatus::parse(&run.status) {
            Some(PromptRunStatus::Answered) if !has_job || is_late => analyse(mentions, &run).await?,
            Some(PromptRunStatus::Queued | PromptRunStatus::Running) if !has_job => {
                fail(mentions, &run, RunErrorCode::Lost, "the job of the run is gone").await?;
            }
            Some(PromptRunStatus::Queued) if away.iter().any(|trouble| trouble.lane == lane) => {
                give_up(mentions, &run, now).await?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Lists the providers that have been away for so long that waiting runs give up.
async fn list_away(mentions: &MentionParts) -> Result<Vec<LaneTrouble>, DbError> {
    let now = mentions.clock.now();
    let mut troubles = mentions.jobs.list_lane_troubles().await?;
    troubles.retain(|trouble| now.since(trouble.since) >= PROVIDER_PATIENCE);
    Ok(troubles)
}

/// Ends a run that has waited for its provider for six hours.
async fn give_up(mentions: &MentionParts, run: &OpenRun, now: Timestamp) -> Result<(), DbError> {
    let Some(task) = find(mentions, run).await? else { return Ok(()) };
    if now.since(task.created_at) < PROVIDER_PATIENCE {
        return Ok(());
    }
    let detail = task.failure.as_ref().map_or_else(
        || "the provider was away for six hours".to_owned(),
        |(_, detail)| format!("the provider was away for six hours: {detail}"),
    );
    withdraw(mentions, run).await?;
    end(mentions, task, RunErrorCode::ProviderUnavailable, detail).await
}

async fn fail(
    mentions: &MentionParts,
    run: &OpenRun,
    code: RunErrorCode,
    detail: &str,
) -> Result<(), DbError> {
    match find(mentions, run).await? {
        Some(task) => end(mentions, task, code, detail.to_owned()).await,
        None => Ok(()),
    }
}

async fn find(mentions: &MentionParts, run: &OpenRun) -> Result<Option<RunTask>, DbError> {
    let id = PromptRunId::from(run.id.as_str());
    let task = runs::find_task(&mut mentions.db.read().await?, &id).await?;
    Ok(task.filter(|task| task.status.as_str() == run.status))
}

async fn end(
    mentions: &MentionParts,
    task: RunTask,
    code: RunErrorCode,
    detail: String,
) -> Result<(), DbError> {
    let run = task.id.clone();
    let ending = Ending { task, job: None, ended: EndedAs::Failed { code, detail } };
    let result = mentions.writer.end(ending).await;
    tracing::info!(%run, code = code.as_str(), ?result, "a run was ended that nobody else would have");
    Ok(())
}

/// Takes back the job of a run that waits.
async fn withdraw(mentions: &MentionParts, run: &OpenRun) -> Result<(), DbError> {
    let mut tx = mentions.db.write().await?;
    mentions.jobs.withdraw(&mut tx, std::slice::from_ref(&run.job_id)).await?;
    tx.commit().await
}

/// Completes an analysis without a model. The job of the model finds nothing to do.
async fn analyse(mentions: &MentionParts, run: &OpenRun) -> Result<(), DbError> {
    let id = PromptRunId::from(run.id.as_str());
    let Some((task, kept)) = find_answered(mentions, &id).await? else { return Ok(()) };
    let result = finish_analysis(mentions, (&task, None), &kept, None).await?;
    if result == EndingResult::Written {
        withdraw(mentions, run).await?;
    }
    Ok(())
}

/// Settles the calls of processes that died with the reserved price: they may have been paid.
async fn settle_dead_calls(mentions: &MentionParts) -> Result<(), JobError> {
    let before = mentions.clock.now().minus(CALL_PATIENCE);
    let calls = ledger::list_open_before(&mut mentions.db.read().await?, before, SOME).await?;
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
        mentions.writer.settle(settlement).await;
    }
    Ok(())
}
