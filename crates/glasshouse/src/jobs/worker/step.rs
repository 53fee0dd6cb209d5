//! One transaction of the worker: writes down runs that are over, begins jobs that are due.
//! Both in one, because under load that halves the number of transactions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use store::{DbError, Tx};
use tokio::time::Instant;

use super::Worker;
use crate::clock::Timestamp;
use crate::jobs::job::{JobError, Next, Outcome};
use crate::jobs::model::{BatchId, JobId, Priority, backoff};
use crate::jobs::queries::{self, Candidate};

/// Most jobs that one transaction begins.
const MOST_BEGUN: usize = 256;
/// How often a claim looks past lanes that turned out to be full.
const ROUNDS: usize = 4;
/// Rest of a lane after its first failure; doubles with every further one in a row.
const FIRST_REST: Duration = Duration::from_secs(60);
const LONGEST_REST: Duration = Duration::from_secs(3600);
/// No job is put off for longer, and no lane rests for longer: what is further away was written by a wrong clock.
pub(super) const HORIZON: Duration = Duration::from_secs(25 * 3600);
/// After so many failures in a row, bulk work for a lane gives up instead of waiting for ever.
const HOPELESS: i64 = 10;

/// What a transaction changes in batches, kept back to its end: rows that others want too are locked last, in one order.
#[derive(Default)]
struct BatchChanges(BTreeMap<BatchId, (i64, i64)>);

impl BatchChanges {
    fn begun(&mut self, batch: BatchId) {
        self.0.entry(batch).or_default();
    }

    fn done(&mut self, batches: Vec<Option<BatchId>>) {
        for batch in batches.into_iter().flatten() {
            self.0.entry(batch).or_default().0 += 1;
        }
    }

    fn failed(&mut self, batches: impl IntoIterator<Item = Option<BatchId>>) {
        for batch in batches.into_iter().flatten() {
            self.0.entry(batch).or_default().1 += 1;
        }
    }

    async fn write(&self, tx: &mut Tx, now: Timestamp) -> Result<(), DbError> {
        for (batch, (done, failed)) in &self.0 {
            queries::count_in_batch(tx, batch, *done, *failed, now).await?;
        }
        Ok(())
    }
}

impl Worker {
    /// Writes down what is over, begins what is due; answers how many jobs it began.
    pub(super) async fn step(&mut self) -> Result<usize, DbError> {
        let free = self.free_slots();
        if self.ended.is_empty() && free.is_empty() {
            return Ok(0);
        }
        let now = self.jobs.clock().now();
        let mut tx = self.jobs.db().write().await?;
        let mut changes = BatchChanges::default();
        self.finish_in(&mut tx, &mut changes, now).await?;
        let (begun, has_beaten) = self.claim_in(&mut tx, free, now).await?;
        for job in &begun {
            if let Some(batch) = job.batch_id.clone().map(BatchId::from)
                && !self.begun_batches.contains(&batch)
            {
                changes.begun(batch);
            }
        }
        changes.write(&mut tx, now).await?;
        let mut turns: BTreeMap<i64, i64> = BTreeMap::new();
        for job in &begun {
            let turn = turns.entry(job.priority).or_insert(job.turn);
            *turn = job.turn.max(*turn);
        }
        for (priority, turn) in turns {
            queries::advance_turn(&mut tx, priority, turn).await?;
        }
        tx.commit().await?;

        self.ended.clear();
        if self.begun_batches.len() > 10_000 {
            self.begun_batches.clear();
        }
        self.begun_batches.extend(changes.0.into_keys());
        if has_beaten {
            self.last_beat = Instant::now();
        }
        let count = begun.len();
        for job in begun {
            self.note_lane_start(&job);
            self.spawn(job);
        }
        Ok(count)
    }

    /// Writes down what is over and begins nothing.
    pub(super) async fn finish(&mut self) -> Result<(), DbError> {
        if self.ended.is_empty() {
            return Ok(());
        }
        let now = self.jobs.clock().now();
        let mut tx = self.jobs.db().write().await?;
        let mut changes = BatchChanges::default();
        self.finish_in(&mut tx, &mut changes, now).await?;
        changes.write(&mut tx, now).await?;
        tx.commit().await?;
        self.ended.clear();
        Ok(())
    }

    async fn finish_in(
        &self,
        tx: &mut Tx,
        changes: &mut BatchChanges,
        now: Timestamp,
    ) -> Result<(), DbError> {
        let mut done = Vec::new();
        let mut well = HashSet::new();
        for ended in &self.ended {
            let (job, kind) = (&ended.job, ended.job.kind.clone());
            let result = match &ended.result {
                Ok(Outcome::Done) => {
                    done.push(job.id.clone());
                    well.extend(job.lane.clone());
                    "done"
                }
                Ok(Outcome::Later(after)) => {
                    let id = job.id.clone().into();
                    queries::put_off(tx, &self.id, &id, now.plus(*after), None, 1).await?;
                    "later"
                }
                Err(error) => self.write_failure(tx, changes, job, error, now).await?,
            };
            metrics::counter!("glasshouse_jobs_ended_total", "kind" => kind, "result" => result).increment(1);
        }
        if !done.is_empty() {
            let deleted = queries::delete_done(tx, &self.id, &done).await?;
            if deleted.len() < done.len() {
                queries::rerun(tx, &self.id, &done).await?;
            }
            changes.done(deleted);
        }
        if !well.is_empty() {
            let mut well: Vec<String> = well.into_iter().collect();
            well.sort();
            queries::clear_lanes(tx, &well).await?;
        }
        Ok(())
    }

    async fn write_failure(
        &self,
        tx: &mut Tx,
        changes: &mut BatchChanges,
        job: &Candidate,
        error: &JobError,
        now: Timestamp,
    ) -> Result<&'static str, DbError> {
        let id: JobId = job.id.clone().into();
        let attempt = job.attempts + 1;
        let is_last = attempt >= job.max_attempts;
        let reason = error.reason.as_str();
        tracing::info!(job = %id, kind = job.kind, attempt, is_last, reason, "a job failed");
        let mut wait = match &error.next {
            Next::GiveUp => None,
            Next::Retry(after) => Some(after.unwrap_or_else(|| self.wait_after(job, attempt))),
            // The lane's rest is what it waits for.
            Next::Rest(_) if job.lane.is_some() => Some(Duration::ZERO),
            Next::Rest(after) => Some(after.unwrap_or_else(|| self.wait_after(job, attempt))),
        };
        if let (Next::Rest(after), Some(lane)) = (&error.next, &job.lane) {
            self.rest_lane(tx, changes, lane, *after, reason, now).await?;
        }
        if is_last {
            wait = None;
        }
        let Some(wait) = wait else {
            match queries::bury(tx, &self.id, &id, reason, now).await? {
                Some(batch) => changes.failed([batch]),
                None => {
                    queries::rerun(tx, &self.id, std::slice::from_ref(&job.id)).await?;
                }
            }
            return Ok("dead");
        };
        let run_at = if wait.is_zero() { Timestamp::from_millis(0) } else { now.plus(wait.min(HORIZON)) };
        queries::put_off(tx, &self.id, &id, run_at, Some(reason), 0).await?;
        Ok("retried")
    }

    async fn rest_lane(
        &self,
        tx: &mut Tx,
        changes: &mut BatchChanges,
        lane: &str,
        after: Option<Duration>,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), DbError> {
        let (failures, resting_until) =
            queries::find_lane(tx, lane).await?.unwrap_or((0, Timestamp::from_millis(0)));
        let is_resting = resting_until > now && resting_until <= now.plus(HORIZON);
        // Jobs that were under way when the lane was put to rest fail too, and say nothing new.
        let failures = if is_resting { failures } else { failures + 1 };
        let attempt = u32::try_from(failures).unwrap_or(u32::MAX);
        let rest =
            after.unwrap_or_else(|| backoff(attempt, FIRST_REST, LONGEST_REST, upper_half())).min(HORIZON);
        let until = now.plus(rest);
        if !is_resting || until > resting_until {
            queries::rest_lane(tx, lane, failures, until).await?;
        }
        if failures >= HOPELESS {
            let buried = queries::bury_lane(tx, lane, Priority::Bulk.rank(), reason, now).await?;
            changes.failed(buried);
        }
        Ok(())
    }

    fn wait_after(&self, job: &Candidate, attempt: i64) -> Duration {
        let Some(kind) = self.registry.0.get(job.kind.as_str()) else { return FIRST_REST };
        let attempt = u32::try_from(attempt).unwrap_or(u32::MAX);
        backoff(attempt, kind.first_wait, kind.longest_wait, rand::random())
    }

    /// Takes what may run now, within the limits of kinds and lanes; answers also whether it showed that we live.
    async fn claim_in(
        &self,
        tx: &mut Tx,
        mut free: BTreeMap<&'static str, usize>,
        now: Timestamp,
    ) -> Result<(Vec<Candidate>, bool), DbError> {
        let mut begun = Vec::new();
        let mut has_beaten = false;
        let mut lanes: Option<Lanes> = None;
        let mut full: Vec<String> = self.lanes_at_their_rate();
        for _ in 0..ROUNDS {
            let wanted = free.values().sum::<usize>().min(MOST_BEGUN - begun.len());
            if wanted == 0 {
                break;
            }
            let kinds: Vec<String> = free.keys().map(|kind| (*kind).to_owned()).collect();
            let found = queries::list_candidates(tx, now, &kinds, &full, wanted).await?;
            let is_all = found.len() < wanted;
            if lanes.is_none() && found.iter().any(|job| job.lane.is_some()) {
                lanes = Some(self.look_at_lanes(tx, now).await?);
            }
            let found_count = found.len();
            let mut picked = Vec::new();
            for job in found {
                let Some(slots) = free.get_mut(job.kind.as_str()).filter(|slots| **slots > 0) else {
                    continue;
                };
                if let (Some(lane), Some(lanes)) = (&job.lane, &mut lanes)
                    && !lanes.take(lane)
                {
                    if !full.contains(lane) {
                        full.push(lane.clone());
                    }
                    continue;
                }
                *slots -= 1;
                picked.push(job);
            }
            free.retain(|_, slots| *slots > 0);
            if !picked.is_empty() {
                if !has_beaten
                    && (self.running.is_empty() || self.last_beat.elapsed() >= self.settings.beat_every)
                {
                    queries::beat(tx, &self.id, now).await?;
                    has_beaten = true;
                }
                let ids: Vec<String> = picked.iter().map(|job| job.id.clone()).collect();
                queries::begin_jobs(tx, &ids, &self.id, now).await?;
            }
            let is_nothing_left_out = picked.len() == found_count;
            begun.extend(picked);
            if is_all && is_nothing_left_out {
                break;
            }
        }
        Ok((begun, has_beaten))
    }

    async fn look_at_lanes(&self, tx: &mut Tx, now: Timestamp) -> Result<Lanes, DbError> {
        let running = queries::count_running_by_lane(tx).await?;
        let resting = queries::list_resting_lanes(tx, now, now.plus(HORIZON)).await?;
        let limits = self.settings.lanes;
        let at_once = i64::try_from(limits.at_once.max(1)).unwrap_or(i64::MAX);
        let mut room: HashMap<String, i64> =
            running.into_iter().map(|(lane, running)| (lane, at_once - running)).collect();
        room.extend(resting.into_iter().map(|lane| (lane, 0)));
        let this_second =
            self.lane_starts.iter().filter(|(_, (since, _))| since.elapsed() < Duration::from_secs(1));
        let begun = this_second.map(|(lane, (_, count))| (lane.clone(), *count)).collect();
        Ok(Lanes { room, begun, at_once, per_second: limits.per_second.max(1) })
    }

    /// Lanes of which nothing more may be begun in this second.
    fn lanes_at_their_rate(&self) -> Vec<String> {
        let limit = self.settings.lanes.per_second.max(1);
        let is_full =
            |since: &Instant, count: &u32| *count >= limit && since.elapsed() < Duration::from_secs(1);
        let full = self.lane_starts.iter().filter(|(_, (since, count))| is_full(since, count));
        full.map(|(lane, _)| lane.clone()).collect()
    }

    /// When the first lane that is at its rate may go on.
    pub(super) fn until_lane_opens(&self) -> Option<Duration> {
        let limit = self.settings.lanes.per_second.max(1);
        let full = self.lane_starts.values().filter(|(_, count)| *count >= limit);
        let waits = full.map(|(since, _)| Duration::from_secs(1).saturating_sub(since.elapsed()));
        waits.filter(|wait| !wait.is_zero()).min().map(|wait| wait + Duration::from_millis(5))
    }

    fn note_lane_start(&mut self, job: &Candidate) {
        let Some(lane) = &job.lane else { return };
        if self.lane_starts.len() > 1000 {
            self.lane_starts.retain(|_, (since, _)| since.elapsed() < Duration::from_secs(1));
        }
        let start = self.lane_starts.entry(lane.clone()).or_insert((Instant::now(), 0));
        if start.0.elapsed() >= Duration::from_secs(1) {
            *start = (Instant::now(), 0);
        }
        start.1 += 1;
    }
}

/// From half to one: a lane's rest is never much shorter than it should be.
fn upper_half() -> f64 {
    0.5 + rand::random::<f64>() / 2.0
}

/// How much room lanes have, during one claim.
struct Lanes {
    room: HashMap<String, i64>,
    begun: HashMap<String, u32>,
    at_once: i64,
    per_second: u32,
}

impl Lanes {
    /// Takes a place in a lane; false when it has none.
    fn take(&mut self, lane: &str) -> bool {
        let room = self.room.entry(lane.to_owned()).or_insert(self.at_once);
        let begun = self.begun.entry(lane.to_owned()).or_insert(0);
        if *room <= 0 || *begun >= self.per_second {
            return false;
        }
        *room -= 1;
        *begun += 1;
        true
    }
}
