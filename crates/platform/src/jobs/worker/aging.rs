//! Raises jobs that have waited for too long to the next priority, so that none starves below a priority that always
//! has work. Used by the sweeper of the elected process. A round reads the head of each priority, from which the next
//! jobs come, and continues one walk through all the others, so that every job is reached.
//! Must never raise so many at once that they displace the work of the higher priority.
//! See docs/decisions/0050.

use std::collections::HashMap;
use std::time::Duration;

use store::{DbError, Tx};

use crate::clock::Timestamp;
use crate::jobs::model::JobPriority;
use crate::jobs::queries::{self, WaitingPlace};

/// After so long in the queue a job goes up one priority.
const OVERDUE: Duration = Duration::from_secs(3600);
/// Jobs of a priority that one round raises at most: half from its head, half from the walk.
const MOST_RAISED: usize = 50;
/// Jobs that the walk looks at in one round.
const STRIDE: usize = 1_000;

/// Progress of the walk through each priority. A newly elected process starts again.
#[derive(Default)]
pub(super) struct Aging(HashMap<i64, WaitingPlace>);

impl Aging {
    /// Raises overdue jobs in one round, from the top down, so that a job is raised once.
    pub async fn raise_overdue(
        &mut self,
        tx: &mut Tx,
        now: Timestamp,
        closed_lanes: &[String],
    ) -> Result<(), DbError> {
        let ranks = [JobPriority::Urgent, JobPriority::Normal, JobPriority::Bulk, JobPriority::Background]
            .map(JobPriority::rank);
        for pair in ranks.windows(2) {
            let (to, from) = (pair[0], pair[1]);
            let selection =
                OverdueSelection { before: now.minus(OVERDUE), closed_lanes, most: MOST_RAISED / 2 };
            let head = queries::list_aging(tx, from, None, MOST_RAISED).await?;
            let mut overdue = selection.overdue(&head).0;
            let behind = self.0.remove(&from).or_else(|| head.last().map(|job| (job.turn, job.id.clone())));
            let next = queries::list_aging(tx, from, behind.as_ref(), STRIDE).await?;
            let (found, end) = selection.overdue(&next);
            overdue.extend(found);
            // At the end of the queue the walk starts again.
            if end < next.len() || next.len() == STRIDE {
                self.0.extend(next[..end].last().map(|job| (from, (job.turn, job.id.clone()))));
            }
            queries::raise(tx, (from, to), &overdue).await?;
        }
        Ok(())
    }
}

/// Selection of the jobs that a round raises.
struct OverdueSelection<'a> {
    before: Timestamp,
    closed_lanes: &'a [String],
    most: usize,
}

impl OverdueSelection<'_> {
    /// Finds the first overdue jobs, and the number of jobs that were read for them.
    fn overdue(&self, jobs: &[queries::AgingJob]) -> (Vec<String>, usize) {
        let mut found = Vec::new();
        for (at, job) in jobs.iter().enumerate() {
            let is_open = job.lane.as_ref().is_none_or(|lane| !self.closed_lanes.contains(lane));
            if is_open && job.created_at < self.before.as_millis() {
                found.push(job.id.clone());
            }
            if found.len() == self.most {
                return (found, at + 1);
            }
        }
        (found, jobs.len())
    }
}
