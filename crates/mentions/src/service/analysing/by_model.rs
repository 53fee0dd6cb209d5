//! Second stage of the analysis by a model, paid like a question. Used by the job `AnalyseAnswer`.
//! Must never leave an answer without a tone because a model fails: the built-in analyser then decides alone.

use std::sync::Arc;
use std::time::Duration;

use assistants::analysis::llm;
use assistants::providers::CompletionTask;
use assistants::providers::call::{AskFailure, AskFailureCause, Assistants, Completed};
use assistants::providers::wire::{FailureClass, ProviderFailure};
use store::{Db, DbError};
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

use super::answer::KeptAnswer;
use super::books::{BrandBook, BrandBooks};
use super::finishing::Finishing;
use crate::connections::{AnalysisSetup, Connections};
use crate::model::{PromptRunId, PromptRunStatus};
use crate::queries::runs::RunTask;
use crate::queries::{answers, runs};
use crate::service::asking::failure::{AfterFailedCall, after_failed_call};
use crate::service::asking::gate::{CallPurpose, LedgerGate, Paying};
use crate::service::asking::quirks::QuirkBook;
use crate::service::money::Money;
use crate::service::writing::{CallRefusal, EndingResult, RunWriter};
use platform::clock::Clock;
use platform::jobs::{JobError, JobOutcome, JobRun};

/// Attempts after which the built-in analyser decides.
const MOST_ATTEMPTS: u32 = 3;
const MAX_OUTPUT_TOKENS: u32 = 2_000;

/// Parts that the analysis by a model needs.
#[derive(Clone)]
pub struct ModelAnalysisParts {
    pub db: Db,
    pub clock: Clock,
    pub tasks: TaskTracker,
    pub connections: Arc<Connections>,
    pub assistants: Assistants,
    pub books: BrandBooks,
    pub money: Money,
    pub writer: RunWriter,
    pub quirks: QuirkBook,
    pub finishing: Finishing,
}

/// Analyses answers with the configured model. Cheap to clone.
#[derive(Clone)]
pub struct ModelAnalysis(Arc<ModelAnalysisParts>);

/// Result of asking the model.
enum ModelAnswer {
    Reply(String),
    /// The built-in analyser decides.
    None,
    /// Nothing is written: the job goes on, or is over.
    Not(Result<JobOutcome, JobError>),
}

impl ModelAnalysis {
    pub fn new(parts: ModelAnalysisParts) -> ModelAnalysis {
        ModelAnalysis(Arc::new(parts))
    }

    /// Analyses the answer of a run. Returns what becomes of the job.
    pub async fn analyse(&self, run: &PromptRunId, job: &JobRun) -> Result<JobOutcome, JobError> {
        let Some((task, kept)) = self.find(run).await? else { return Ok(JobOutcome::Done) };
        let Some(book) = self.0.books.find(&task.domain).await? else { return Ok(JobOutcome::Done) };
        let (sender, receiver) = oneshot::channel();
        let (analysis, job) = (self.clone(), job.clone());
        self.0.tasks.spawn(async move {
            let outcome = analysis.run(&task, &job, &kept, &book).await;
            // A job that was stopped waits no more.
            let _ = sender.send(outcome);
        });
        receiver.await.unwrap_or_else(|_| Err(JobError::retry("the analysis ended without a result")))
    }

    /// Finds a run whose answer is still to be analysed.
    pub async fn find(&self, run: &PromptRunId) -> Result<Option<(RunTask, KeptAnswer)>, DbError> {
        let mut conn = self.0.db.read().await?;
        let Some(task) = runs::find_task(&mut conn, run).await? else { return Ok(None) };
        if task.status != PromptRunStatus::Answered {
            return Ok(None);
        }
        let stored = answers::find_stored(&mut conn, run).await?;
        let kept = stored.and_then(|row| KeptAnswer::of_row(&row, &task.text));
        Ok(kept.map(|kept| (task, kept)))
    }

    async fn run(
        &self,
        task: &RunTask,
        job: &JobRun,
        kept: &KeptAnswer,
        book: &BrandBook,
    ) -> Result<JobOutcome, JobError> {
        let reply = match self.0.connections.analysis() {
            Some(setup) => self.ask(setup, (task, job), kept, book).await,
            None => ModelAnswer::None,
        };
        let reply = match reply {
            ModelAnswer::Reply(reply) => Some(reply),
            ModelAnswer::None => None,
            ModelAnswer::Not(outcome) => return outcome,
        };
        match self.0.finishing.finish((task, Some(job)), kept, reply.as_deref()).await? {
            EndingResult::Written | EndingResult::Lost => Ok(JobOutcome::Done),
            EndingResult::StaleBrands => Err(JobError::retry("the brands of the domain change all the time")),
            EndingResult::Refused(reason) => Err(JobError::retry(reason)),
        }
    }

    async fn ask(
        &self,
        setup: &AnalysisSetup,
        (task, job): (&RunTask, &JobRun),
        kept: &KeptAnswer,
        book: &BrandBook,
    ) -> ModelAnswer {
        let (facts, _) = kept.first_stage(&task.id, &book.brands);
        let delimiter = format!("----- {} -----", uuid::Uuid::new_v4().simple());
        let Some(request) = llm::request(&kept.input(), &facts, &book.brands, &delimiter) else {
            return ModelAnswer::None;
        };
        let parts = &*self.0;
        let known = parts.quirks.of(&setup.connection).await;
        let paying = Paying {
            task,
            job,
            purpose: CallPurpose::Analysis,
            provider: &setup.name,
            model: setup.connection.model(),
            domain_limit: book.record.budget,
        };
        let gate = LedgerGate::new(&parts.writer, &parts.money, &parts.clock, paying);
        let completion = CompletionTask {
            system: &request.system,
            user: &request.user,
            schema: &request.schema,
            max_output_tokens: MAX_OUTPUT_TOKENS,
            now: parts.clock.now().to_jiff(),
        };
        match parts.assistants.complete(&setup.connection, completion, &known, &gate).await {
            Ok(Completed { value, quirks, .. }) => {
                parts.quirks.learn(&setup.connection, &quirks).await;
                ModelAnswer::Reply(value.to_string())
            }
            Err(AskFailure { cause, quirks, .. }) => {
                parts.quirks.learn(&setup.connection, &quirks).await;
                match cause {
                    AskFailureCause::Gate(refusal) => after_refusal(refusal),
                    AskFailureCause::Provider(failure) => self.after_failure(job, failure, &gate),
                }
            }
        }
    }

    fn after_failure(&self, job: &JobRun, failure: ProviderFailure, gate: &LedgerGate<'_>) -> ModelAnswer {
        let now = self.0.clock.now();
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
            AfterFailedCall::Rest(wait) => {
                ModelAnswer::Not(Err(JobError::rest_lane(failure.detail, Some(wait))))
            }
        }
    }
}

fn after_refusal(refusal: CallRefusal) -> ModelAnswer {
    match refusal {
        CallRefusal::Spent(_) | CallRefusal::CallsUsedUp => ModelAnswer::None,
        CallRefusal::Lost => ModelAnswer::Not(Ok(JobOutcome::Done)),
        CallRefusal::Database(reason) => ModelAnswer::Not(Err(JobError::retry(reason))),
    }
}
