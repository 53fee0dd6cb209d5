//! Takes jobs that may run now, within the limits of kinds and lanes. Used by the worker, inside its transaction.
//! Must never begin a job of a lane that is full or in a cooldown, nor let such a lane hide the jobs behind it.
//! See docs/decisions/0052.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use store::{DbError, Tx};
use tokio::time::Instant;

use super::lanes::{LaneLimits, LaneRates, LaneRoom, NamedLanes};
use crate::clock::Timestamp;
use crate::jobs::queries::{self, Candidate};

/// Maximum number of jobs that one transaction begins. On PostgreSQL a commit takes as long as beginning some hundred.
const MOST_BEGUN: usize = 1_000;
/// Maximum number of repetitions of a claim after lanes that it filled itself.
const ROUNDS: usize = 16;

/// Returns true when at least `count` of these jobs belong to one lane, or have none.
fn has_lane_of(jobs: &[Candidate], count: usize) -> bool {
    let mut by_lane: HashMap<Option<&str>, usize> = HashMap::new();
    jobs.iter().any(|job| {
        let of_lane = by_lane.entry(job.lane.as_deref()).or_default();
        *of_lane += 1;
        *of_lane >= count
    })
}

/// A job that was begun.
pub(super) struct Claimed {
    pub job: Candidate,
    /// Cooldown of its lane that a success would end.
    pub rest_id: Option<String>,
}

/// Jobs that a claim began.
#[derive(Default)]
pub(super) struct Claims {
    pub begun: Vec<Claimed>,
    /// Time until another claim may find more: none while the queue holds more that has room, else until the rate of a lane
    /// allows it.
    pub look_again: Option<Duration>,
}

/// Measures what the queue takes for itself.
pub(super) fn record_upkeep(what: &'static str, since: Instant) {
    metrics::histogram!("glasshouse_jobs_upkeep_seconds", "what" => what).record(since.elapsed());
}

/// One look into the queue.
pub(super) struct QueueClaim<'a> {
    pub worker: &'a str,
    pub limits: LaneLimits,
    pub named_lanes: &'a NamedLanes,
    pub rates: &'a LaneRates,
    /// Free slots of this process by kind.
    pub free: BTreeMap<&'static str, usize>,
    /// Limits of some kinds over all processes.
    pub most: BTreeMap<&'static str, usize>,
    pub now: Timestamp,
}

impl QueueClaim<'_> {
    /// Begins what may run.
    pub async fn take(self, tx: &mut Tx) -> Result<Claims, DbError> {
        if self.free.is_empty() {
            return Ok(Claims::default());
        }
        let since = Instant::now();
        let begun = self.begin(tx).await?;
        record_upkeep("claim", since);
        Ok(begun)
    }

    async fn begin(mut self, tx: &mut Tx) -> Result<Claims, DbError> {
        let mut begun = Vec::new();
        let mut is_cut = true;
        queries::promote_due(tx, self.now).await?;
        queries::lock_claims(tx).await?;
        self.leave_to_others(tx).await?;
        let running = queries::count_running_by_lane(tx).await?;
        let troubled = queries::list_troubled_lanes(tx).await?;
        let rates = match self.named_lanes.is_empty() {
            true => Vec::new(),
            false => queries::list_lane_rates(tx).await?,
        };
        let named = (self.named_lanes, rates);
        let mut lanes = LaneRoom::new(self.limits, named, (running, troubled), self.rates, self.now);
        for _ in 0..ROUNDS {
            let wanted = self.free.values().sum::<usize>().min(MOST_BEGUN - begun.len());
            if wanted == 0 {
                is_cut = !self.free.is_empty();
                break;
            }
            let kinds: Vec<String> = self.free.keys().map(|kind| (*kind).to_owned()).collect();
            let closed_lanes = lanes.closed();
            let look = queries::ClaimFilter {
                kinds: &kinds,
                closed_lanes: &closed_lanes,
                of_lane: self.limits.at_once,
                most: wanted,
            };
            let found = queries::list_candidates(tx, look).await?;
            let found_count = found.len();
            let picked: Vec<Candidate> =
                found.into_iter().filter(|job| self.has_room(job, &mut lanes)).collect();
            self.free.retain(|_, slots| *slots > 0);
            let is_all = found_count < wanted && picked.len() == found_count;
            // A long queue is looked through lane by lane, and no more of each than this.
            is_cut = !is_all || has_lane_of(&picked, self.limits.at_once);
            if !picked.is_empty() {
                let ids: Vec<String> = picked.iter().map(|job| job.id.clone()).collect();
                queries::begin_jobs(tx, &ids, self.worker, self.now).await?;
            }
            begun.extend(picked.into_iter().map(|job| {
                let rest_id = job.lane.as_deref().and_then(|lane| lanes.rest_of(lane));
                Claimed { job, rest_id }
            }));
            if is_all {
                break;
            }
        }
        for rate in lanes.used_rates() {
            queries::set_lane_rate(tx, &rate).await?;
        }
        let look_again = match is_cut && !begun.is_empty() {
            true => Some(Duration::ZERO),
            false => lanes.until_rate_allows(),
        };
        Ok(Claims { begun, look_again })
    }

    /// Leaves free what other processes run of the kinds that are limited over all of them.
    async fn leave_to_others(&mut self, tx: &mut Tx) -> Result<(), DbError> {
        for (kind, most) in &self.most {
            let Some(free) = self.free.get_mut(kind) else { continue };
            let running = queries::count_running(tx, kind).await?;
            *free = (*free).min(most.saturating_sub(usize::try_from(running).unwrap_or(usize::MAX)));
        }
        self.free.retain(|_, free| *free > 0);
        Ok(())
    }

    /// Takes the places that a job needs, if there are some.
    fn has_room(&mut self, job: &Candidate, lanes: &mut LaneRoom) -> bool {
        let Some(slots) = self.free.get_mut(job.kind.as_str()).filter(|slots| **slots > 0) else {
            return false;
        };
        if job.lane.as_deref().is_some_and(|lane| !lanes.take(lane)) {
            return false;
        }
        *slots -= 1;
        true
    }
}
