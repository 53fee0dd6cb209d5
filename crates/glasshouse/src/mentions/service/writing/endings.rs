//! Ends of runs, in a transaction of the writer: the run's row, sums, targets, discovered competitors, and the mark that
//! reports are due. The order of locks is that of every writer: jobs, domains, prompts, runs, targets, sums.

use std::collections::{BTreeMap, HashMap};

use assistants::providers::Provider;
use assistants::statistics::CountedAnswer;
use store::{DbError, Tx};

use super::WriteContext;
use super::competitors::keep_new_names;
use super::entries::{EndedAs, Ending, Entry, Reply};
use super::targets::{
    EarlierAnswer, EndedAnswer, after_answer, after_error, after_leaving_out, after_refusal,
};
use crate::clock::Timestamp;
use crate::domains::DomainId;
use crate::mentions::model::{Prompt, PromptId, PromptRunStatus, PromptTarget, UtcDay};
use crate::mentions::queries::answers::{
    self, ComparedRow, Neighbours, ResponseRow, RunAnswerRow, RunPlaceRow,
};
use crate::mentions::queries::domains::{self, MonitoredDomain};
use crate::mentions::queries::runs::{self, OpenRun, RunStateRow};
use crate::mentions::queries::{prompts, sums, targets};
use crate::mentions::schedule::model_family;
use crate::mentions::service::analysing::answer::{AnalysedAnswer, compared_of};
use crate::mentions::sums::{AnswerPair, SumChanges, SumPlace};

/// Writes the ends of runs of a batch. Returns a reply for each of its entries that is one.
pub async fn write(
    context: &WriteContext,
    tx: &mut Tx,
    batch: &[Entry],
    held: &[bool],
    now: Timestamp,
) -> Result<Vec<Option<Reply>>, DbError> {
    let mut replies: Vec<Option<Reply>> = vec![None; batch.len()];
    let endings: Vec<(usize, &Ending)> = batch
        .iter()
        .enumerate()
        .filter_map(|(at, entry)| match entry {
            Entry::Ending(ending, _) => Some((at, &**ending)),
            _ => None,
        })
        .collect();
    if endings.is_empty() {
        return Ok(replies);
    }
    let known = Known::read(tx, &endings).await?;
    let mut writing = Writing::new(now, context.max_runs_per_day);
    for (at, ending) in endings {
        let reply = known.check(ending, held[at]);
        if reply == Reply::Done {
            writing.add(&known, ending);
        }
        replies[at] = Some(reply);
    }
    writing.compare(tx, &known).await?;
    writing.finish(context, tx).await?;
    Ok(replies)
}

/// Rows that the ends of a batch are about, locked.
struct Known {
    domains: HashMap<String, MonitoredDomain>,
    prompts: HashMap<PromptId, Prompt>,
    open: HashMap<String, OpenRun>,
    targets: HashMap<(PromptId, Provider), PromptTarget>,
}

impl Known {
    async fn read(tx: &mut Tx, endings: &[(usize, &Ending)]) -> Result<Known, DbError> {
        let texts = |of: fn(&Ending) -> String| {
            let mut texts: Vec<String> = endings.iter().map(|(_, ending)| of(ending)).collect();
            texts.sort();
            texts.dedup();
            texts
        };
        let domains = domains::hold_domains(tx, &texts(|ending| ending.task.domain.to_string())).await?;
        let prompt_ids = texts(|ending| ending.task.prompt.to_string());
        let prompts = prompts::hold_prompts(tx, &prompt_ids).await?;
        let open = runs::lock_open(tx, &texts(|ending| ending.task.id.to_string())).await?;
        let targets = targets::list_for_change(tx, &prompt_ids).await?;
        Ok(Known {
            domains: domains.into_iter().map(|domain| (domain.domain.to_string(), domain)).collect(),
            prompts: prompts.into_iter().map(|prompt| (prompt.id.clone(), prompt)).collect(),
            open: open.into_iter().map(|run| (run.id.clone(), run)).collect(),
            targets: targets
                .into_iter()
                .map(|target| ((target.prompt.clone(), target.provider), target))
                .collect(),
        })
    }

    /// Decides whether an end may be written.
    fn check(&self, ending: &Ending, is_held: bool) -> Reply {
        let Some(open) = self.open.get(ending.task.id.as_str()).filter(|_| is_held) else {
            return Reply::Lost;
        };
        // Without a job, the run must be as it was found.
        if ending.job.is_none() && open.status != ending.task.status.as_str() {
            return Reply::Lost;
        }
        let Some(domain) = self.domains.get(ending.task.domain.as_str()) else { return Reply::Lost };
        let is_answered = open.status == PromptRunStatus::Answered.as_str();
        match &ending.ended {
            EndedAs::Analysed { book, .. } if book.record.analysis_version != domain.analysis_version => {
                Reply::StaleBrands
            }
            EndedAs::Analysed { .. } => Reply::Done,
            _ if is_answered => Reply::Lost,
            _ => Reply::Done,
        }
    }

    fn place(&self, ending: &Ending) -> Option<SumPlace> {
        let task = &ending.task;
        Some(SumPlace {
            domain: self.domains.get(task.domain.as_str())?.number,
            day: task.day,
            prompt: self.prompts.get(&task.prompt).map(|prompt| prompt.number),
            provider: task.provider,
        })
    }
}

/// Rows that a transaction writes.
struct Writing<'a> {
    now: Timestamp,
    max_runs_per_day: u32,
    changes: SumChanges,
    answers: Vec<RunAnswerRow>,
    responses: Vec<ResponseRow>,
    states: Vec<RunStateRow>,
    deleted: Vec<String>,
    analysis: Vec<(&'a Ending, &'a crate::jobs::NewJob)>,
    analysed: Vec<(&'a Ending, &'a AnalysedAnswer)>,
    targets: BTreeMap<(PromptId, Provider), PromptTarget>,
    /// First of the days that changed, by domain.
    due: BTreeMap<DomainId, UtcDay>,
}

impl<'a> Writing<'a> {
    fn new(now: Timestamp, max_runs_per_day: u32) -> Writing<'a> {
        Writing {
            now,
            max_runs_per_day,
            changes: SumChanges::default(),
            answers: Vec::new(),
            responses: Vec::new(),
            states: Vec::new(),
            deleted: Vec::new(),
            analysis: Vec::new(),
            analysed: Vec::new(),
            targets: BTreeMap::new(),
            due: BTreeMap::new(),
        }
    }

    fn add(&mut self, known: &Known, ending: &'a Ending) {
        let task = &ending.task;
        match &ending.ended {
            EndedAs::Answered { row, response, analysis } => {
                let changed_at = self.now.as_millis();
                self.answers.push(RunAnswerRow { changed_at, ..(**row).clone() });
                self.responses.extend(response.clone());
                self.analysis.push((ending, analysis));
                return;
            }
            EndedAs::Analysed { answer, response, .. } => {
                self.responses.extend(response.clone());
                self.analysed.push((ending, answer));
            }
            EndedAs::Failed { code, detail } => {
                let code = (PromptRunStatus::Error, code.as_str());
                self.states.push(self.state(ending, code, detail));
                if let Some(place) = known.place(ending) {
                    self.changes.add_error(place);
                }
                self.retarget(known, ending, |target, prompt, now| after_error(target, prompt.interval, now));
            }
            EndedAs::Queued { code, detail } => {
                let code = (PromptRunStatus::Queued, code.as_str());
                self.states.push(self.state(ending, code, detail));
                return;
            }
            EndedAs::Postponed(spent) => {
                self.deleted.push(task.id.to_string());
                self.retarget(known, ending, |target, _, _| after_refusal(target, task.reason, spent));
            }
            EndedAs::LeftOut => {
                self.deleted.push(task.id.to_string());
                self.retarget(known, ending, |target, _, now| after_leaving_out(target, now));
            }
        }
        let day = self.due.entry(task.domain.clone()).or_insert(task.day);
        *day = (*day).min(task.day);
    }

    fn state(
        &self,
        ending: &Ending,
        (status, error_code): (PromptRunStatus, &'static str),
        detail: &str,
    ) -> RunStateRow {
        RunStateRow {
            id: ending.task.id.to_string(),
            status: status.as_str(),
            changed_at: self.now.as_millis(),
            error_code,
            error_detail: detail.replace('\0', "\u{fffd}"),
        }
    }

    /// Changes the target of a run. One that was removed with its prompt or provider stays away.
    fn retarget(
        &mut self,
        known: &Known,
        ending: &Ending,
        change: impl FnOnce(PromptTarget, &Prompt, Timestamp) -> PromptTarget,
    ) {
        let key = (ending.task.prompt.clone(), ending.task.provider);
        let (Some(target), Some(prompt)) = (known.targets.get(&key), known.prompts.get(&key.0)) else {
            return;
        };
        // An answer to an earlier text says nothing of the schedule of the new one.
        if prompt.revision == ending.task.revision {
            self.targets.insert(key, change(target.clone(), prompt, self.now));
        }
    }

    /// Puts each analysed answer beside those before and after it.
    async fn compare(&mut self, tx: &mut Tx, known: &Known) -> Result<(), DbError> {
        if self.analysed.is_empty() {
            return Ok(());
        }
        let with_prompt = |(ending, answer): &&(&Ending, &AnalysedAnswer)| {
            known.prompts.contains_key(&ending.task.prompt) && !answer.counted.is_absent
        };
        let places: Vec<RunPlaceRow> =
            self.analysed.iter().filter(with_prompt).map(|(ending, _)| place_row(ending)).collect();
        let neighbours = answers::list_neighbours(tx, &places).await?;
        let ids: Vec<String> =
            neighbours.iter().flat_map(|found| found.before.iter().chain(&found.after)).cloned().collect();
        let compared = answers::list_compared(tx, &ids).await?;
        let compared: HashMap<&str, &ComparedRow> =
            compared.iter().map(|row| (row.id.as_str(), row)).collect();
        let neighbours: HashMap<&str, &Neighbours> =
            neighbours.iter().map(|found| (found.id.as_str(), found)).collect();
        for (ending, answer) in std::mem::take(&mut self.analysed) {
            let Some(place) = known.place(ending) else { continue };
            self.answers.push(RunAnswerRow { changed_at: self.now.as_millis(), ..answer.row.clone() });
            self.changes.add_answer(place, answer.parts());
            let found = neighbours.get(ending.task.id.as_str());
            let row = |id: &Option<String>| id.as_deref().and_then(|id| compared.get(id)).copied();
            let (before, after) = found.map_or((None, None), |found| (row(&found.before), row(&found.after)));
            self.pair(place, ending, answer, (before, after));
            let earlier = before.filter(|row| row.revision == ending.task.revision);
            let ended = EndedAnswer {
                answer: &answer.counted,
                earlier: earlier.map(|row| EarlierAnswer {
                    answer: compared_of(row),
                    is_same_model: is_same_model(&row.served_model, &answer.row.served_model),
                }),
                is_latest: after.is_none(),
                created_at: ending.task.created_at,
            };
            let max_runs_per_day = self.max_runs_per_day;
            self.retarget(known, ending, |target, prompt, now| {
                after_answer(target, &ended, (prompt.interval, max_runs_per_day), now)
            });
            self.analysed.push((ending, answer));
        }
        Ok(())
    }

    /// Counts the distances to the answers before and after, in place of the one between those two.
    fn pair(
        &mut self,
        place: SumPlace,
        ending: &Ending,
        answer: &AnalysedAnswer,
        (before, after): (Option<&ComparedRow>, Option<&ComparedRow>),
    ) {
        let own = Comparable {
            revision: ending.task.revision,
            day: ending.task.day,
            model: &answer.row.served_model,
            answer: answer.counted.clone(),
        };
        let before = before.map(Comparable::of);
        let after = after.map(Comparable::of);
        let place_on = |day| SumPlace { day, ..place };
        if let Some(pair) = before.as_ref().and_then(|before| before.pair_with(&own)) {
            self.changes.add_pair(place, pair, 1);
        }
        let Some(after) = after else { return };
        if let Some(pair) = own.pair_with(&after) {
            self.changes.add_pair(place_on(after.day), pair, 1);
        }
        if let Some(pair) = before.and_then(|before| before.pair_with(&after)) {
            self.changes.add_pair(place_on(after.day), pair, -1);
        }
    }

    async fn finish(self, context: &WriteContext, tx: &mut Tx) -> Result<(), DbError> {
        answers::set_answers(tx, &self.answers).await?;
        answers::put_responses(tx, &self.responses).await?;
        if !self.analysis.is_empty() {
            let jobs = self.analysis.iter().map(|(_, job)| (*job).clone()).collect();
            context.jobs.enqueue(tx, jobs).await?;
            for (ending, job) in &self.analysis {
                runs::set_job(tx, &ending.task.id, job.id().as_str()).await?;
            }
        }
        runs::set_states(tx, &self.states).await?;
        if !self.deleted.is_empty() {
            runs::delete_unanswered(tx, &self.deleted).await?;
        }
        let targets: Vec<PromptTarget> = self.targets.into_values().collect();
        targets::put_targets(tx, &targets).await?;
        keep_new_names(tx, &self.analysed, self.now).await?;
        sums::write(tx, self.changes).await?;
        for (domain, day) in &self.due {
            domains::mark_reports_due(tx, domain, *day, self.now).await?;
        }
        Ok(())
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

fn place_row(ending: &Ending) -> RunPlaceRow {
    RunPlaceRow {
        id: ending.task.id.to_string(),
        prompt_id: ending.task.prompt.to_string(),
        provider: ending.task.provider.as_str(),
        slot: ending.task.slot.as_millis(),
        sample: ending.task.sample,
    }
}
