//! Schedules of the service: slots in UTC, one job per slot in all processes together, one late job for all missed
//! slots. Kept by the worker; must tolerate a clock that jumps.

use std::sync::Arc;
use std::time::Duration;

use store::DbError;

use super::model::NewJob;
use super::queries;
use super::queue::Jobs;
use crate::clock::Timestamp;

/// A job that is queued once per slot. Slots begin at multiples of `every` since 1970-01-01 UTC, moved by `offset`.
#[derive(Clone)]
pub struct Schedule {
    /// Identifier of the schedule, beside the kind of its job.
    pub key: &'static str,
    /// Length of a slot.
    pub every: Duration,
    /// Delay of the job after the beginning of its slot.
    pub offset: Duration,
    /// Factory of the job.
    pub job: Arc<dyn Fn() -> NewJob + Send + Sync>,
}

impl Schedule {
    /// Makes a schedule whose slots begin at multiples of `every`.
    pub fn every(
        every: Duration,
        key: &'static str,
        job: impl Fn() -> NewJob + Send + Sync + 'static,
    ) -> Schedule {
        Schedule { key, every, offset: Duration::ZERO, job: Arc::new(job) }
    }
}

/// Returns the first slot after a time.
pub fn slot_after(now: Timestamp, every: Duration, offset: Duration) -> Timestamp {
    let every = i64::try_from(every.as_millis()).unwrap_or(i64::MAX).max(1);
    let offset = i64::try_from(offset.as_millis()).unwrap_or(0);
    let slot = now.as_millis().saturating_sub(offset).div_euclid(every).saturating_add(1);
    Timestamp::from_millis(slot.saturating_mul(every).saturating_add(offset))
}

/// Queues what is due; answers how many jobs that were.
pub(super) async fn keep(jobs: &Jobs, schedules: &[Schedule]) -> Result<u64, DbError> {
    let mut queued = 0;
    for schedule in schedules {
        queued += keep_one(jobs, schedule).await?;
    }
    if queued > 0 {
        jobs.wake();
    }
    Ok(queued)
}

async fn keep_one(jobs: &Jobs, schedule: &Schedule) -> Result<u64, DbError> {
    let now = jobs.clock().now();
    let next = slot_after(now, schedule.every, schedule.offset);
    let job = (schedule.job)();
    let (kind, key) = (job.kind.as_ref(), schedule.key);
    let planned = queries::find_next_slot(&mut jobs.db().read().await?, kind, key).await?;
    let is_waiting = planned.is_some_and(|planned| now < planned && planned <= next);
    if is_waiting {
        return Ok(0);
    }

    let mut tx = jobs.db().write().await?;
    let mut queued = 0;
    match planned {
        None => queries::insert_schedule(&mut tx, kind, key, next).await?,
        // Further away than the next slot: planned by a clock that was ahead.
        Some(planned) if planned > next => {
            queries::advance_schedule(&mut tx, kind, key, planned, next).await?;
        }
        Some(planned) => {
            // Whoever moves the slot queues its job; slots that were missed meanwhile are skipped.
            if queries::advance_schedule(&mut tx, kind, key, planned, next).await? {
                let job = job.unique(format!("{key}@{}", planned.as_millis()));
                queued = jobs.enqueue(&mut tx, vec![job]).await?;
            }
        }
    }
    tx.commit().await?;
    Ok(queued)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn at(text: &str) -> Timestamp {
        serde_json::from_str(&format!("\"{text}\"")).unwrap()
    }

    #[test]
    fn slots_begin_at_multiples_in_utc() {
        let now = at("2026-11-21T09:30:00Z");

        assert_eq!(slot_after(now, HOUR, Duration::ZERO), at("2026-11-21T10:00:00Z"));
        assert_eq!(slot_after(now, HOUR * 24, Duration::ZERO), at("2026-11-22T00:00:00Z"));
        assert_eq!(slot_after(now, HOUR * 24, HOUR * 10), at("2026-11-21T10:00:00Z"));
        assert_eq!(slot_after(now, HOUR * 24, HOUR * 9), at("2026-11-22T09:00:00Z"));
    }

    #[test]
    fn a_slot_that_begins_now_has_begun() {
        let now = at("2026-11-21T10:00:00Z");

        assert_eq!(slot_after(now, HOUR, Duration::ZERO), at("2026-11-21T11:00:00Z"));
    }

    #[test]
    fn no_time_and_no_interval_makes_it_panic() {
        for now in [i64::MIN, -1, 0, i64::MAX] {
            for every in [Duration::ZERO, Duration::MAX] {
                slot_after(Timestamp::from_millis(now), every, Duration::MAX);
            }
        }
    }
}
