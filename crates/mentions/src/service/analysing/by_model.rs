//! Second stage of the analysis by a model, paid like a question. Used by the job `AnalyseAnswer`.
//! Must never leave an answer without a tone because a model fails: the built-in analyser then decides alone.

use std::time::Duration;

use assistants::analysis::llm;
use assistants::providers::CompletionTask;
use assistants::providers::call::{AskFailure, AskFailureCause, Completed};
use assistants::providers::wire::{FailureClass, ProviderFailure};
use store::DbError;
use tokio::sync::oneshot;

use super::answer::KeptAnswer;
use super::brand_cache::DomainBrands;
use super::finishing::finish_analysis;
use crate::connections::AnalysisSetup;
use crate::model::{PromptRunId, PromptRunStatus};
use crate::queries::runs::RunTask;
use crate::queries::{answers, runs};
use crate::service::asking::failure::{AfterFailedCall, after_failed_call};
use crate::service::asking::gate::{CallPurpose, LedgerGate, Paying};
use crate::service::writing::{CallRefusal, EndingResult};
use crate::service::{MentionParts, Mentions};
use platform::jobs::{JobError, JobOutcome, JobRun};

/// Attempts after which the built-in analyser decides.
const MOST_ATTEMPTS: u32 = 3;
const MAX_OUTPUT_TOKENS: u32 = 2_000;

/// Result of asking the model.
enum ModelAnswer {
    Reply(String),
    /// The built-in analyser decides.
    None,
    /// Nothing is written: the job goes on, or is over.
    Not(Result<JobOutcome, JobError>),
}

/// Analyses the answer of a run. Returns what becomes of the job.
pub async fn analyse_by_model(
    mentions: &Mentions,
    run: &PromptRunId,
    job: &JobRun,
) -> Result<JobOutcome, JobError> {
    let Some((task, kept)) = find_answered(mentions, run).await? else { return Ok(JobOutcome::Done) };
    let Some(book) = mentions.books.find(&task.domain).await? else { return Ok(JobOutcome::Done) };
    let (sender, receiver) = oneshot::channel();
    let (of_task, job) = (mentions.clone(), job.clone());
    mentions.tasks.spawn(async move {
        let outcome = analyse(&of_task, &task, &job, &kept, &book).await;
        // A job that was stopped waits no more.
        let _ = sender.send(outcome);
    });
    receiver.await.unwrap_or_else(|_| Err(JobError::retry("the analysis ended without a result")))
}

/// Finds a run whose answer is still to be analysed.
pub async fn find_answered(
    mentions: &MentionParts,
    run: &PromptRunId,
) -> Result<Option<(RunTask, KeptAnswer)>, DbError> {
    let mut conn = mentions.db.read().await?;
    let Some(task) = runs::find_task(&mut conn, run).await? else { return Ok(None) };
    if task.status != PromptRunStatus::Answered {
        return Ok(None);
    }
    let stored = answers::find_stored(&mut conn, run).await?;
    let kept = stored.and_then(|row| KeptAnswer::of_row(&row, &task.text));
    Ok(kept.map(|kept| (task, kept)))
}

async fn analyse(
    mentions: &MentionParts,
    task: &RunTask,
    job: &JobRun,
    kept: &KeptAnswer,
    book: &DomainBrands,
) -> Result<JobOutcome, JobError> {
    let reply = match mentions.connections.analysis() {
        Some(setup) => ask(mentions, setup, (task, job), kept, book).await,
        None => ModelAnswer::None,
    };
    let reply = match reply {
        ModelAnswer::Reply(reply) => Some(reply),
        ModelAnswer::None => None,
        ModelAnswer::Not(outcome) => return outcome,
    };
    match finish_analysis(mentions, (task, Some(job)), kept, reply.as_deref()).await? {
        EndingResult::Written | EndingResult::Lost => Ok(JobOutcome::Done),
        EndingResult::StaleBrands => Err(JobError::retry("the brands of the domain change all the time")),
        EndingResult::Refused(reason) => Err(JobError::retry(reason)),
    }
}

async fn ask(
    mentions: &MentionParts,
    setup: &AnalysisSetup,
    (task, job): (&RunTask, &JobRun),
    kept: &KeptAnswer,
    book: &DomainBrands,
) -> ModelAnswer {
    let (facts, _) = kept.first_stage(&task.id, &book.brands);
    let delimiter = format!("----- {} -----", uuid::Uuid::new_v4().simple());
    let Some(request) = llm::request(&kept.input(), &facts, &book.brands, &delimiter) else {
        return ModelAnswer::None;
    };
    let known = mentions.quirks.of(&setup.connection).await;
    let paying = Paying {
        task,
        job,
        purpose: CallPurpose::Analysis,
        provider: &setup.name,
        model: setup.connection.model(),
        domain_limit: book.record.budget,
    };
    let gate = LedgerGate::new(mentions, paying);
    let completion = CompletionTask {
        system: &request.system,
        user: &request.user,
        schema: &request.schema,
        max_output_tokens: MAX_OUTPUT_TOKENS,
        now: mentions.clock.now().to_jiff(),
    };
    match mentions.assistants.complete(&setup.connection, completion, &known, &gate).await {
        Ok(Completed { value, quirks, .. }) => {
            mentions.quirks.learn(&setup.connection, &quirks).await;
            ModelAnswer::Reply(value.to_string())
        }
        Err(AskFailure { cause, quirks, .. }) => {
            mentions.quirks.learn(&setup.connection, &quirks).await;
            match cause {
                AskFailureCause::Gate(refusal) => after_refusal(refusal),
                AskFailureCause::Provider(failure) => after_failure(mentions, job, failure, &gate),
            }
        }
    }
}

fn after_failure(
    mentions: &MentionParts,
    job: &JobRun,
    failure: ProviderFailure,
    gate: &LedgerGate<'_>,
) -> ModelAnswer {
    let now = mentions.clock.now();
    let is_limit = matches!(failure.class, FailureClass::Throttle | FailureClass::Quota);
    if !is_limit && job.attempt >= MOST_ATTEMPTS {
        tracing::info!(
            detail = failure.detail,
            "a model could not analyse an answer: the built-in analyser does"
        );
        return ModelAnswer::None;
    }
    match after_failed_call(&failure, gate.count(), (job.attempt, rand::random()), now) {
        AfterFailedCall::End => ModelAnswer::None,
        AfterFailedCall::Retry(wait) => {
            ModelAnswer::Not(Err(JobError::retry_after(failure.detail, wait.max(Duration::from_secs(1)))))
        }
        AfterFailedCall::Rest(wait) => ModelAnswer::Not(Err(JobError::rest_lane(failure.detail, Some(wait)))),
    }
}

fn after_refusal(refusal: CallRefusal) -> ModelAnswer {
    match refusal {
        CallRefusal::Spent(_) | CallRefusal::CallsUsedUp => ModelAnswer::None,
        CallRefusal::Lost => ModelAnswer::Not(Ok(JobOutcome::Done)),
        CallRefusal::Database(reason) => ModelAnswer::Not(Err(JobError::retry(reason))),
    }
}
