//! Opens runs: rows and jobs of questions that are to be asked, in the transaction of what caused them; and takes back
//! those that nobody has begun. Used by prompts that are created or changed, by "run now" and by the scheduler.
//! Must never ask a slot twice: the table refuses a second run of one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use assistants::change::DynamicState;
use assistants::providers::call::Assistants;
use assistants::providers::{Provider, Usd};
use store::{DbError, Tx};

use crate::connections::{Connections, lane_of};
use crate::jobs::AskProvider;
use crate::model::{NewPromptRun, Prompt, PromptId, PromptRunId, PromptTarget, RunReason};
use crate::queries::{runs, targets};
use crate::schedule;
use platform::clock::{Clock, Timestamp};
use platform::jobs::{Job, JobPriority, Jobs, NewJob};

/// Runs that are wanted of one prompt and provider.
#[derive(Debug, Clone, Copy)]
pub struct WantedRuns<'a> {
    pub prompt: &'a Prompt,
    pub provider: Provider,
    pub reason: RunReason,
    /// Answers that are wanted at once, at least 1.
    pub samples: i64,
    pub slot: Timestamp,
    /// Time before which they are not asked.
    pub not_before: Option<Timestamp>,
}

impl<'a> WantedRuns<'a> {
    /// Makes the wish for one answer, now.
    pub fn now(prompt: &'a Prompt, provider: Provider, reason: RunReason, now: Timestamp) -> WantedRuns<'a> {
        WantedRuns { prompt, provider, reason, samples: 1, slot: now, not_before: None }
    }
}

/// Opening and withdrawing of runs. Cheap to clone.
#[derive(Clone)]
pub struct RunOpening {
    jobs: Jobs,
    clock: Clock,
    connections: Arc<Connections>,
    assistants: Assistants,
}

impl RunOpening {
    pub fn new(
        jobs: &Jobs,
        clock: &Clock,
        connections: &Arc<Connections>,
        assistants: &Assistants,
    ) -> RunOpening {
        RunOpening {
            jobs: jobs.clone(),
            clock: clock.clone(),
            connections: connections.clone(),
            assistants: assistants.clone(),
        }
    }

    /// Queues runs with their jobs and plans their targets again, in the caller's transaction. Returns the new runs.
    ///
    /// Targets that are missing are made; a changed text restarts their history. A provider with a run of the prompt
    /// that is not over is left out, unless the text or the provider is new. Call [`Jobs::wake`] after the commit.
    pub async fn open(&self, tx: &mut Tx, wanted: &[WantedRuns<'_>]) -> Result<Vec<PromptRunId>, DbError> {
        let now = self.clock.now();
        let mut prompts: Vec<String> = wanted.iter().map(|runs| runs.prompt.id.to_string()).collect();
        prompts.sort();
        prompts.dedup();
        let known = targets::list_for_change(tx, &prompts).await?;
        let mut known: HashMap<(PromptId, Provider), PromptTarget> =
            known.into_iter().map(|target| ((target.prompt.clone(), target.provider), target)).collect();
        let open = self.list_open(tx, &prompts).await?;
        let (mut new, mut planned) = (Vec::new(), Vec::new());
        for runs in wanted {
            let key = (runs.prompt.id.clone(), runs.provider);
            let is_new = matches!(runs.reason, RunReason::Create | RunReason::Changed);
            let target = known
                .remove(&key)
                .unwrap_or_else(|| PromptTarget::new(&runs.prompt.id, runs.provider, &runs.prompt.domain));
            if !is_new && open.contains(&(key.0.to_string(), key.1.to_string())) {
                planned.push(plan(target, runs, now));
                continue;
            }
            new.extend((0..runs.samples.max(1)).map(|sample| self.new_run(runs, sample, now)));
            planned.push(plan(target, runs, now));
        }
        targets::put_targets(tx, &planned).await?;
        self.insert(tx, new, now).await
    }

    async fn list_open(&self, tx: &mut Tx, prompts: &[String]) -> Result<HashSet<(String, String)>, DbError> {
        let open = runs::list_open_of_prompts(tx, prompts).await?;
        Ok(open.into_iter().map(|run| (run.prompt_id, run.provider)).collect())
    }

    fn new_run(&self, runs: &WantedRuns<'_>, sample: i64, now: Timestamp) -> NewPromptRun {
        NewPromptRun {
            id: PromptRunId::generate(),
            account: runs.prompt.account.clone(),
            domain: runs.prompt.domain.clone(),
            prompt: runs.prompt.id.clone(),
            revision: runs.prompt.revision,
            provider: runs.provider,
            slot: runs.slot,
            sample,
            reason: runs.reason,
            expected: self.expected_price(runs.provider, now),
            is_demo: self.connections.get(runs.provider).is_demo,
            not_before: runs.not_before,
        }
    }

    /// Returns the upper end of the price of one question to a provider.
    pub fn expected_price(&self, provider: Provider, now: Timestamp) -> Usd {
        let connection = &self.connections.get(provider).connection;
        self.assistants.expected_price(connection, now.date()).usd
    }

    async fn insert(
        &self,
        tx: &mut Tx,
        new: Vec<NewPromptRun>,
        now: Timestamp,
    ) -> Result<Vec<PromptRunId>, DbError> {
        let pairs: Vec<(NewPromptRun, NewJob)> = new
            .into_iter()
            .map(|run| {
                let job = job_of(&run);
                (run, job)
            })
            .collect();
        let rows: Vec<(NewPromptRun, String)> =
            pairs.iter().map(|(run, job)| (run.clone(), job.id().to_string())).collect();
        let inserted = runs::insert_runs(tx, &rows, now).await?;
        let ids: HashSet<&PromptRunId> = inserted.iter().collect();
        let jobs: Vec<NewJob> =
            pairs.into_iter().filter(|(run, _)| ids.contains(&run.id)).map(|(_, job)| job).collect();
        if !jobs.is_empty() {
            self.jobs.enqueue(tx, jobs).await?;
        }
        Ok(inserted)
    }

    /// Takes back the runs of a prompt that nobody has begun, at all providers or at some. Returns their number.
    /// Runs that have begun end and count.
    pub async fn withdraw(
        &self,
        tx: &mut Tx,
        prompt: &PromptId,
        providers: Option<&[Provider]>,
    ) -> Result<usize, DbError> {
        let is_wanted = |provider: &str| {
            providers.is_none_or(|some| some.iter().any(|wanted| wanted.as_str() == provider))
        };
        let open = runs::list_open_of_prompt(tx, prompt).await?;
        let (ids, jobs): (Vec<String>, Vec<String>) = open
            .into_iter()
            .filter(|run| run.status == "queued" && is_wanted(&run.provider))
            .map(|run| (run.id, run.job_id))
            .unzip();
        if ids.is_empty() {
            return Ok(0);
        }
        self.jobs.withdraw(tx, &jobs).await?;
        Ok(runs::delete_queued(tx, &ids).await?.len())
    }

    /// Stops the schedule of a prompt: takes back what is queued, and plans no further run.
    pub async fn pause(&self, tx: &mut Tx, prompt: &PromptId) -> Result<(), DbError> {
        self.withdraw(tx, prompt, None).await?;
        let mut paused = targets::list_for_change(tx, &[prompt.to_string()]).await?;
        for target in &mut paused {
            target.next_due = None;
            target.postponed = None;
        }
        targets::put_targets(tx, &paused).await
    }

    /// Plans the next slots of targets without a run now: of a prompt whose interval changed, or that is activated again
    /// and was asked today already.
    pub async fn replan(&self, tx: &mut Tx, prompt: &Prompt, providers: &[Provider]) -> Result<(), DbError> {
        let now = self.clock.now();
        let known = targets::list_for_change(tx, &[prompt.id.to_string()]).await?;
        let planned: Vec<PromptTarget> = providers
            .iter()
            .map(|provider| {
                let known = known.iter().find(|target| target.provider == *provider).cloned();
                let mut target =
                    known.unwrap_or_else(|| PromptTarget::new(&prompt.id, *provider, &prompt.domain));
                target.next_due = Some(schedule::next_due(&target, prompt.interval, now));
                target
            })
            .collect();
        targets::put_targets(tx, &planned).await
    }
}

/// Plans a target whose run is queued now.
fn plan(mut target: PromptTarget, runs: &WantedRuns<'_>, now: Timestamp) -> PromptTarget {
    if runs.reason == RunReason::Changed {
        target.dynamic = DynamicState::default();
        target.failures = 0;
    }
    target.last_attempt = Some(now);
    target.postponed = None;
    // A run by hand leaves the schedule of a paused prompt alone; prompts that are paused cannot be run.
    target.next_due = Some(schedule::due_while_asked(&target, runs.prompt.interval, now));
    target
}

/// Makes the job of a run. Questions that somebody waits for go before those of the schedule.
pub fn job_of(run: &NewPromptRun) -> NewJob {
    let priority = match run.reason {
        RunReason::Scheduled => JobPriority::Bulk,
        _ => JobPriority::Normal,
    };
    let job = AskProvider { run: run.id.clone() }
        .queued_for(run.account.as_str())
        .domain(run.domain.as_str())
        .lane(lane_of(run.provider.as_str()))
        .priority(priority);
    match run.not_before {
        Some(time) => job.not_before(time),
        None => job,
    }
}
