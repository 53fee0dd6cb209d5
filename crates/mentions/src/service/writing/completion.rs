//! Ends of runs, in a transaction each: the run's row, sums, target, discovered competitors, and the mark that reports are
//! due. Rows are locked in the order of every writer: job, domain, prompt, run, targets, sums. The domain's row is locked for
//! itself from the beginning: two ends that shared it first and changed it then would wait for each other.

use assistants::statistics::CountedAnswer;
use store::{DbError, Tx};

use super::changes::{EndedAs, Ending, EndingResult};
use super::competitors::keep_new_names;
use super::targets::{
    EarlierAnswer, EndedAnswer, after_answer, after_error, after_leaving_out, after_refusal,
};
use super::{WriterParts, holds};
use crate::model::{Prompt, PromptRunStatus, PromptTarget, UtcDay};
use crate::queries::answers::{self, ComparedRow, RunAnswerRow, RunPosition};
use crate::queries::domains::{self, MonitoredDomain};
use crate::queries::runs::{self, RunState};
use crate::queries::{prompts, sums, targets};
use crate::schedule::model_family;
use crate::service::analysing::answer::{AnalysedAnswer, compared_of};
use crate::sums::{AnswerPair, SumChanges, SumKey};
use platform::clock::Timestamp;

/// Writes the end of a run, unless another process has its job, the run is over, or the brands changed.
pub async fn write(parts: &WriterParts, tx: &mut Tx, ending: &Ending) -> Result<EndingResult, DbError> {
    let now = parts.clock.now();
    if let Some(job) = &ending.job
        && !holds(tx, job).await?
    {
        return Ok(EndingResult::Lost);
    }
    let Some(run) = LockedRun::read(tx, ending).await? else { return Ok(EndingResult::Lost) };
    if let Some(refusal) = run.refusal() {
        return Ok(refusal);
    }
    let id = &ending.task.id;
    let mut changes = SumChanges::default();
    let target = match &ending.ended {
        EndedAs::Answered { row, response, analysis } => {
            let row = RunAnswerRow { changed_at: now.as_millis(), ..(**row).clone() };
            answers::set_answers(tx, &[row]).await?;
            answers::put_responses(tx, response.as_slice()).await?;
            parts.jobs.enqueue(tx, vec![(**analysis).clone()]).await?;
            runs::set_job(tx, id, analysis.id().as_str()).await?;
            return Ok(EndingResult::Written);
        }
        EndedAs::Queued { code, detail } => {
            let state = RunState { status: PromptRunStatus::Queued, code: *code, detail, changed_at: now };
            runs::set_state(tx, id, &state).await?;
            return Ok(EndingResult::Written);
        }
        EndedAs::Analysed { answer, response, .. } => {
            let (before, after) = run.find_neighbours(tx, answer).await?;
            let row = RunAnswerRow { changed_at: now.as_millis(), ..answer.row.clone() };
            answers::set_answers(tx, &[row]).await?;
            answers::put_responses(tx, response.as_slice()).await?;
            changes.add_answer(run.place(), answer.parts());
            run.count_pairs(&mut changes, answer, (before.as_ref(), after.as_ref()));
            run.after_answer(answer, (before.as_ref(), after.as_ref()), parts.max_runs_per_day, now)
        }
        EndedAs::Failed { code, detail } => {
            let state = RunState { status: PromptRunStatus::Error, code: *code, detail, changed_at: now };
            runs::set_state(tx, id, &state).await?;
            changes.add_error(run.place());
            run.target().map(|(target, prompt)| after_error(target, prompt.interval, now))
        }
        EndedAs::Postponed(spent) => {
            runs::delete_unanswered(tx, id).await?;
            run.target().map(|(target, _)| after_refusal(target, ending.task.reason, spent))
        }
        EndedAs::LeftOut => {
            runs::delete_unanswered(tx, id).await?;
            run.target().map(|(target, _)| after_leaving_out(target, now))
        }
    };
    targets::put_targets(tx, target.as_slice()).await?;
    let domain = &ending.task.domain;
    if let EndedAs::Analysed { answer, .. } = &ending.ended {
        keep_new_names(tx, domain, answer, now).await?;
    }
    sums::write(tx, changes).await?;
    domains::mark_reports_due(tx, domain, ending.task.day, now).await?;
    Ok(EndingResult::Written)
}

/// A run that is about to end, with the rows that its end changes, locked.
struct LockedRun<'a> {
    ending: &'a Ending,
    status: String,
    domain: MonitoredDomain,
    /// None: the prompt was deleted.
    prompt: Option<Prompt>,
    /// None: the prompt or its provider was removed.
    target: Option<PromptTarget>,
}

impl<'a> LockedRun<'a> {
    async fn read(tx: &mut Tx, ending: &'a Ending) -> Result<Option<LockedRun<'a>>, DbError> {
        let task = &ending.task;
        let domain = domains::find_for_change(tx, &task.domain).await?;
        let prompt = prompts::hold_prompt(tx, &task.prompt).await?;
        let open = runs::lock_open(tx, &task.id).await?;
        let targets = targets::list_for_change(tx, &[task.prompt.to_string()]).await?;
        let target = targets.into_iter().find(|target| target.provider == task.provider);
        let (Some(domain), Some(open)) = (domain, open) else { return Ok(None) };
        Ok(Some(LockedRun { ending, status: open.status, domain, prompt, target }))
    }

    /// Returns why the end may not be written. None: it may.
    fn refusal(&self) -> Option<EndingResult> {
        // Without a job, the run must be as it was found.
        if self.ending.job.is_none() && self.status != self.ending.task.status.as_str() {
            return Some(EndingResult::Lost);
        }
        match &self.ending.ended {
            EndedAs::Analysed { book, .. } => (book.record.analysis_version != self.domain.analysis_version)
                .then_some(EndingResult::StaleBrands),
            _ => (self.status == PromptRunStatus::Answered.as_str()).then_some(EndingResult::Lost),
        }
    }

    fn place(&self) -> SumKey {
        SumKey {
            domain: self.domain.number,
            day: self.ending.task.day,
            prompt: self.prompt.as_ref().map(|prompt| prompt.number),
            provider: self.ending.task.provider,
        }
    }

    /// Returns the target that the end changes. An answer to an earlier text says nothing of the schedule of the new one.
    fn target(&self) -> Option<(PromptTarget, &Prompt)> {
        let prompt = self.prompt.as_ref().filter(|prompt| prompt.revision == self.ending.task.revision)?;
        Some((self.target.clone()?, prompt))
    }

    /// Finds the answers before and after an analysed one.
    async fn find_neighbours(
        &self,
        tx: &mut Tx,
        answer: &AnalysedAnswer,
    ) -> Result<(Option<ComparedRow>, Option<ComparedRow>), DbError> {
        if self.prompt.is_none() || answer.counted.is_absent {
            return Ok((None, None));
        }
        let task = &self.ending.task;
        let place = RunPosition {
            prompt_id: task.prompt.to_string(),
            provider: task.provider.as_str(),
            slot: task.slot.as_millis(),
            sample: task.sample,
        };
        Ok((answers::find_before(tx, &place).await?, answers::find_after(tx, &place).await?))
    }

    /// Counts the distances to the answers before and after, in place of the one between those two.
    fn count_pairs(
        &self,
        changes: &mut SumChanges,
        answer: &AnalysedAnswer,
        (before, after): (Option<&ComparedRow>, Option<&ComparedRow>),
    ) {
        let place = self.place();
        let own = Comparable {
            revision: self.ending.task.revision,
            day: self.ending.task.day,
            model: &answer.row.served_model,
            answer: answer.counted.clone(),
        };
        let before = before.map(Comparable::of);
        if let Some(pair) = before.as_ref().and_then(|before| before.pair_with(&own)) {
            changes.add_pair(place, pair, 1);
        }
        let Some(after) = after.map(Comparable::of) else { return };
        let place_after = SumKey { day: after.day, ..place };
        if let Some(pair) = own.pair_with(&after) {
            changes.add_pair(place_after, pair, 1);
        }
        if let Some(pair) = before.and_then(|before| before.pair_with(&after)) {
            changes.add_pair(place_after, pair, -1);
        }
    }

    fn after_answer(
        &self,
        answer: &AnalysedAnswer,
        (before, after): (Option<&ComparedRow>, Option<&ComparedRow>),
        max_runs_per_day: u32,
        now: Timestamp,
    ) -> Option<PromptTarget> {
        let (target, prompt) = self.target()?;
        let earlier = before.filter(|row| row.revision == self.ending.task.revision);
        let ended = EndedAnswer {
            answer: &answer.counted,
            earlier: earlier.map(|row| EarlierAnswer {
                answer: compared_of(row),
                is_same_model: is_same_model(&row.served_model, &answer.row.served_model),
            }),
            is_latest: after.is_none(),
            created_at: self.ending.task.created_at,
        };
        Some(after_answer(target, &ended, (prompt.interval, max_runs_per_day), now))
    }
}

/// An answer as far as its distance to another one goes.
struct Comparable<'a> {
    revision: i64,
    day: UtcDay,
    model: &'a str,
    answer: CountedAnswer,
}

impl<'a> Comparable<'a> {
    fn of(row: &'a ComparedRow) -> Comparable<'a> {
        Comparable {
            revision: row.revision,
            day: row.day,
            model: &row.served_model,
            answer: compared_of(row),
        }
    }

    /// Returns the distance to a later answer. None: they answer different texts, or are by different models.
    fn pair_with(&self, after: &Comparable<'_>) -> Option<AnswerPair> {
        let is_same = self.revision == after.revision && is_same_model(self.model, after.model);
        is_same.then(|| AnswerPair::of((&self.answer, self.day), (&after.answer, after.day)))
    }
}

/// Decides whether two answers are by models of one family.
fn is_same_model(left: &str, right: &str) -> bool {
    model_family(left) == model_family(right)
}
