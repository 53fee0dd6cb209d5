//! Shows that this process lives, in a task and on a connection of its own: neither a slow claim nor a database that
//! hangs on other connections may make it look dead. Must stop everything that runs before others take it over.
//! See docs/decisions/0052.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use store::{Db, DbError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ticks::{every, report};
use crate::clock::Clock;
use crate::jobs::queries;

/// Lease of this process: whether it needs one, the end of its validity, and the signal to stop at that end.
pub(super) struct WorkerLease {
    /// Time at which the last beat that the database confirmed was sent.
    confirmed: Mutex<Instant>,
    /// Ends everything that was begun under this term.
    term: Mutex<CancellationToken>,
    lost: AtomicU64,
    is_needed: AtomicBool,
    length: Duration,
    margin: Duration,
}

impl WorkerLease {
    pub fn new(length: Duration, beat_every: Duration) -> Arc<WorkerLease> {
        Arc::new(WorkerLease {
            confirmed: Mutex::new(Instant::now()),
            term: Mutex::new(CancellationToken::new()),
            lost: AtomicU64::new(0),
            is_needed: AtomicBool::new(false),
            length,
            // Others count from when they saw a beat, we from when we sent it; stopping takes a moment too.
            margin: beat_every.min(length / 4),
        })
    }

    /// Says that a beat which was sent at this time has arrived.
    pub fn confirm(&self, sent: Instant) {
        let mut confirmed = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        *confirmed = sent.max(*confirmed);
    }

    /// Returns the time since the last confirmed beat was sent.
    pub fn age(&self) -> Duration {
        self.confirmed.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Ends when the lease is lost under which something is begun now.
    pub fn term(&self) -> CancellationToken {
        self.term.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the number of times that the lease was lost.
    pub fn times_lost(&self) -> u64 {
        self.lost.load(Ordering::Acquire)
    }

    /// Says whether there is anything that a lease protects. An idle process writes nothing.
    pub fn set_needed(&self, is_needed: bool) {
        self.is_needed.store(is_needed, Ordering::Release);
    }

    /// Stops everything when others may have taken our jobs.
    fn check(&self) {
        if self.is_needed.load(Ordering::Acquire) && self.age() + self.margin > self.length {
            tracing::warn!("the database was out of reach for too long: running jobs are dropped");
            self.lose();
        }
    }

    /// Stops everything that was begun.
    pub fn lose(&self) {
        self.lost.fetch_add(1, Ordering::AcqRel);
        self.is_needed.store(false, Ordering::Release);
        let mut term = self.term.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *term).cancel();
    }
}

/// Beats for as long as it is polled.
pub(super) async fn keep(
    db: Db,
    worker: String,
    lease: Arc<WorkerLease>,
    beat_every: Duration,
    clock: Clock,
) {
    let db = db.dedicated();
    let mut beats = every(beat_every);
    let mut checks = every((lease.margin / 4).max(Duration::from_millis(5)));
    loop {
        tokio::select! {
            biased;
            _ = checks.tick() => lease.check(),
            _ = beats.tick() => {
                if !lease.is_needed.load(Ordering::Acquire) {
                    continue;
                }
                let sent = Instant::now();
                let beat = beat(&db, &worker, &clock);
                tokio::pin!(beat);
                // A beat that hangs must not keep us from noticing.
                let beaten = loop {
                    tokio::select! {
                        beaten = &mut beat => break beaten,
                        _ = checks.tick() => lease.check(),
                    }
                };
                match beaten {
                    Ok(()) => lease.confirm(sent),
                    failed => report("renew leases", failed),
                }
            }
        }
    }
}

async fn beat(db: &Db, worker: &str, clock: &Clock) -> Result<(), DbError> {
    let mut tx = db.write().await?;
    queries::beat(&mut tx, worker, clock.now()).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_millis(400);
    const BEAT: Duration = Duration::from_millis(100);

    #[tokio::test]
    async fn a_lease_that_nobody_confirms_ends_what_runs_before_others_may_take_it() {
        let lease = WorkerLease::new(LEASE, BEAT);
        lease.set_needed(true);
        let term = lease.term();

        lease.check();
        let before = term.is_cancelled();
        tokio::time::sleep(LEASE - BEAT).await;
        lease.check();

        assert!(!before && term.is_cancelled());
        assert!(!lease.term().is_cancelled(), "what is begun afterwards has a term of its own");
        assert_eq!(lease.times_lost(), 1);
    }

    #[tokio::test]
    async fn a_beat_counts_from_when_it_was_sent() {
        let lease = WorkerLease::new(LEASE, BEAT);
        let sent = Instant::now();
        tokio::time::sleep(BEAT).await;

        lease.confirm(sent);

        assert!(lease.age() >= BEAT);
    }

    #[tokio::test]
    async fn an_idle_process_has_nothing_to_lose() {
        let lease = WorkerLease::new(LEASE, BEAT);
        let term = lease.term();

        tokio::time::sleep(LEASE).await;
        lease.check();

        assert!(!term.is_cancelled());
    }
}
