//! Asks providers: the job of one run, from its claim to its answer. The call itself runs in a task of its own, so that
//! cancelling, deleting and a lost lease do not abort what is paid.
//! Must never send a byte before the gate is open, and writes nothing of a run that its job does not hold but its cost.

pub mod failure;
pub mod gate;
pub mod health;
pub mod permission;
pub mod quirks;

use std::sync::Arc;

use assistants::analysis::llm;
use assistants::providers::AssistantQuestion;
use assistants::providers::call::{AskFailure, AskFailureCause, Asked};
use assistants::providers::wire::ProviderFailure;
use store::DbError;
use store::packed::pack;
use tokio::sync::oneshot;

use crate::connections::lane_of;
use crate::jobs::AnalyseAnswer;
use crate::model::{PromptRunId, PromptRunStatus, RunErrorCode};
use crate::queries::answers::ResponseRow;
use crate::queries::runs::{self, RunTask};
use crate::service::analysing::answer::KeptAnswer;
use crate::service::analysing::brand_cache::DomainBrands;
use crate::service::writing::{CallRefusal, EndedAs, Ending, EndingResult};
use crate::service::{MentionParts, Mentions};
use failure::{AfterFailedCall, after_failed_call, code_of};
use gate::{CallCount, CallPurpose, LedgerGate, Paying};
use permission::allow_run;
use platform::jobs::{Job, JobError, JobOutcome, JobPriority, JobRun};

/// Times that an answer is analysed again because the brands changed meanwhile.
const MOST_READINGS: usize = 20;

/// A call that goes on whatever becomes of its job.
struct Call {
    mentions: Mentions,
    task: RunTask,
    job: JobRun,
    book: Arc<DomainBrands>,
}

/// Asks the question of a run. Returns what becomes of its job.
pub async fn ask_provider(
    mentions: &Mentions,
    run: &PromptRunId,
    job: &JobRun,
) -> Result<JobOutcome, JobError> {
    let Some((task, book)) = find(mentions, run).await? else { return Ok(JobOutcome::Done) };
    if !allow_run(mentions, &task).await? {
        return end(mentions, task, job, EndedAs::LeftOut).await;
    }
    let count = CallCount { calls: task.calls, unanswered: task.unanswered };
    if count.is_used_up() {
        // The process of an earlier attempt ended in the middle of its last call.
        let (code, detail) = task
            .failure
            .clone()
            .unwrap_or((RunErrorCode::Lost, "the calls of the run stayed without an answer".to_owned()));
        return end(mentions, task, job, EndedAs::Failed { code, detail }).await;
    }
    let (sender, receiver) = oneshot::channel();
    let call = Call { mentions: mentions.clone(), task, job: job.clone(), book };
    mentions.tasks.spawn(async move {
        let outcome = call.run().await;
        // A job that was stopped waits no more.
        let _ = sender.send(outcome);
    });
    receiver.await.unwrap_or_else(|_| Err(JobError::retry("the call ended without a result")))
}

/// Finds a run that is still to be asked, with the brands of its domain.
async fn find(
    mentions: &MentionParts,
    run: &PromptRunId,
) -> Result<Option<(RunTask, Arc<DomainBrands>)>, DbError> {
    let task = runs::find_task(&mut mentions.db.read().await?, run).await?;
    let Some(task) = task else { return Ok(None) };
    if !matches!(task.status, PromptRunStatus::Queued | PromptRunStatus::Running) {
        return Ok(None);
    }
    let book = mentions.books.find(&task.domain).await?;
    Ok(book.map(|book| (task, book)))
}

async fn end(
    mentions: &MentionParts,
    task: RunTask,
    job: &JobRun,
    ended: EndedAs,
) -> Result<JobOutcome, JobError> {
    count_end(&task, &ended);
    let ending = Ending { task, job: Some(job.clone()), ended };
    match mentions.writer.end(ending).await {
        EndingResult::Refused(reason) => Err(JobError::retry(reason)),
        EndingResult::Written | EndingResult::Lost | EndingResult::StaleBrands => Ok(JobOutcome::Done),
    }
}

impl Call {
    async fn run(self) -> Result<JobOutcome, JobError> {
        let mentions = self.mentions.clone();
        let connection = &mentions.connections.get(self.task.provider).connection;
        let known = mentions.quirks.of(connection).await;
        let now = mentions.clock.now();
        let waited = now.since(self.task.created_at.max(self.task.slot.min(now)));
        metrics::histogram!("glasshouse_mention_wait_seconds", "provider" => self.task.provider.as_str())
            .record(waited.as_secs_f64());
        let paying = Paying {
            task: &self.task,
            job: &self.job,
            purpose: CallPurpose::Answer,
            provider: self.task.provider.as_str(),
            model: connection.model(),
            domain_limit: self.book.record.budget,
        };
        let gate = LedgerGate::new(&mentions, paying);
        let question = AssistantQuestion {
            text: &self.task.text,
            persona: &self.task.persona,
            run: Some(self.task.id.as_str()),
            now: now.to_jiff(),
        };
        let asked = mentions.assistants.ask(connection, question, &known, &gate).await;
        let count = gate.count();
        match asked {
            Ok(asked) => {
                mentions.quirks.learn(connection, &asked.quirks).await;
                self.answered(asked).await
            }
            Err(AskFailure { cause, quirks, .. }) => {
                mentions.quirks.learn(connection, &quirks).await;
                match cause {
                    AskFailureCause::Gate(refusal) => self.refused(refusal).await,
                    AskFailureCause::Provider(failure) => self.failed(failure, count).await,
                }
            }
        }
    }

    async fn answered(self, asked: Asked) -> Result<JobOutcome, JobError> {
        let Call { mentions, task, job, mut book } = self;
        let mut answer = asked.answer;
        let mut raw = (mentions.config.mentions.keep_raw_days > 0).then(|| std::mem::take(&mut answer.raw));
        if let Some(pause) = asked.pause {
            mentions.health.rest(task.provider, pause).await;
        }
        let kept = Arc::new(KeptAnswer::of_answer(task.provider, &task.text, answer));
        mentions.health.record_answer(task.provider, &kept.served_model).await;
        let mut packed: Option<ResponseRow> = None;
        for _ in 0..MOST_READINGS {
            let analysis =
                (mentions.clone(), task.clone(), kept.clone(), book.clone(), raw.take(), packed.take());
            // The first turn packs the response.
            let analyse = move || {
                let (mentions, task, kept, book, raw, packed) = analysis;
                let packed = packed.or_else(|| raw.map(|raw| response_of(&task, &raw)));
                (analyse(&mentions, &task, &kept, &book, packed.clone()), packed)
            };
            let (ended, again) = mentions.threads.run(analyse).await;
            packed = again;
            count_end(&task, &ended);
            let ending = Ending { task: task.clone(), job: Some(job.clone()), ended };
            match mentions.writer.end(ending).await {
                EndingResult::Written | EndingResult::Lost => return Ok(JobOutcome::Done),
                EndingResult::StaleBrands => match mentions.books.read(&task.domain).await? {
                    Some(newer) => book = newer,
                    None => return Ok(JobOutcome::Done),
                },
                EndingResult::Refused(reason) => {
                    tracing::error!(run = %task.id, reason, "an answer could not be stored");
                    let detail = "the answer could not be stored".to_owned();
                    let ended = EndedAs::Failed { code: RunErrorCode::Unreadable, detail };
                    return end(&mentions, task, &job, ended).await;
                }
            }
        }
        Err(JobError::retry("the brands of the domain change all the time"))
    }

    async fn refused(self, refusal: CallRefusal) -> Result<JobOutcome, JobError> {
        let Call { mentions, task, job, .. } = self;
        match refusal {
            CallRefusal::Spent(spent) => end(&mentions, task, &job, EndedAs::Postponed(spent)).await,
            CallRefusal::Lost => Ok(JobOutcome::Done),
            CallRefusal::CallsUsedUp => {
                let (code, detail) = task
                    .failure
                    .clone()
                    .unwrap_or((RunErrorCode::ProviderError, "the answer took too many calls".to_owned()));
                end(&mentions, task, &job, EndedAs::Failed { code, detail }).await
            }
            CallRefusal::Database(reason) => Err(JobError::retry(reason)),
        }
    }

    async fn failed(self, failure: ProviderFailure, count: CallCount) -> Result<JobOutcome, JobError> {
        let Call { mentions, task, job, .. } = self;
        // A stand-in of the demo is no provider that could be in trouble.
        if !task.is_demo {
            mentions.health.record_failure(task.provider, &failure).await;
        }
        let (code, detail) = (code_of(&failure), failure.detail.clone());
        let now = mentions.clock.now();
        let next = after_failed_call(&failure, count, (job.attempt, rand::random()), now);
        if next == AfterFailedCall::End {
            return end(&mentions, task, &job, EndedAs::Failed { code, detail }).await;
        }
        end(&mentions, task, &job, EndedAs::Queued { code, detail: detail.clone() }).await?;
        match next {
            AfterFailedCall::Rest(wait) => Err(JobError::rest_lane(detail, Some(wait))),
            AfterFailedCall::Retry(wait) => Err(JobError::retry_after(detail, wait)),
            AfterFailedCall::End => Ok(JobOutcome::Done),
        }
    }
}

/// Analyses an answer as far as it goes without asking anybody.
fn analyse(
    mentions: &MentionParts,
    task: &RunTask,
    kept: &KeptAnswer,
    book: &Arc<DomainBrands>,
    response: Option<ResponseRow>,
) -> EndedAs {
    let version = book.record.analysis_version;
    let now = mentions.clock.now();
    if let Some(setup) = mentions.connections.analysis() {
        let (facts, mut row) = kept.first_stage(&task.id, &book.brands);
        // The delimiter does not decide whether a model is asked.
        if llm::request(&kept.input(), &facts, &book.brands, "").is_some() {
            row.analysis_version = version;
            let analysis = AnalyseAnswer { run: task.id.clone() }
                .queued_for(task.account.as_str())
                .domain(task.domain.as_str())
                .lane(lane_of(&setup.name))
                .priority(JobPriority::Normal);
            return EndedAs::Answered { row: Box::new(row), response, analysis: Box::new(analysis) };
        }
    }
    let answer = kept.complete(&task.id, &book.brands, &book.pending, None).stamped(version, now);
    EndedAs::Analysed { answer: Box::new(answer), response, book: book.clone() }
}

/// Packs a provider's response as it is kept.
fn response_of(task: &RunTask, raw: &serde_json::Value) -> ResponseRow {
    let packed = pack(raw.to_string().as_bytes());
    ResponseRow {
        run_id: task.id.to_string(),
        domain_id: task.domain.to_string(),
        day: task.day,
        packed: format!("\\x{}", hex::encode(packed)),
    }
}

fn count_end(task: &RunTask, ended: &EndedAs) {
    let result = match ended {
        EndedAs::Answered { .. } => "answered",
        EndedAs::Analysed { .. } => "ok",
        EndedAs::Failed { .. } => "error",
        EndedAs::Queued { .. } => "retried",
        EndedAs::Postponed(_) => "postponed",
        EndedAs::LeftOut => "left_out",
    };
    metrics::counter!("glasshouse_mention_runs_total", "provider" => task.provider.as_str(), "result" => result)
        .increment(1);
}
