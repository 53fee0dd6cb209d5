//! The queue for services and commands: puts work in, reads it, changes it. Runs nothing: that is the worker's part.
//! Functions that queue work take the caller's transaction, so that cause and work become durable together.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use store::{Db, DbError, Tx};
use tokio::sync::Notify;

use super::job::Job;
use super::model::{Batch, BatchId, JobChangeError, JobInfo, JobState, LaneTrouble, NewBatch, NewJob};
use super::queries;
use super::worker::after_failure;
use crate::clock::Clock;

/// The queue. Cheap to clone.
#[derive(Clone)]
pub struct Jobs(Arc<Shared>);

struct Shared {
    db: Db,
    clock: Clock,
    wake: Notify,
    /// Job that is queued when a batch is over.
    when_batch_ends: OnceLock<JobOfBatch>,
}

/// Function that returns the job to queue for a batch.
type JobOfBatch = fn(&BatchId) -> NewJob;

impl Jobs {
    /// Opens the queue of this database.
    pub fn new(db: Db, clock: Clock) -> Jobs {
        Jobs(Arc::new(Shared { db, clock, wake: Notify::new(), when_batch_ends: OnceLock::new() }))
    }

    /// Sets the job that is queued in the transaction that ends a batch. `app` calls this once.
    pub fn queue_when_batch_ends(&self, job: JobOfBatch) {
        let _ = self.0.when_batch_ends.set(job);
    }

    /// Changes what a batch counts, in the order of ids, and queues the job of its end.
    pub(super) async fn count_in_batch(
        &self,
        tx: &mut Tx,
        id: &BatchId,
        (done, failed): (i64, i64),
    ) -> Result<(), DbError> {
        let is_over = queries::count_in_batch(tx, id, done, failed, self.0.clock.now()).await?;
        // A batch counts as over with each further beginning of a job that was asked for again.
        if is_over && (done, failed) != (0, 0) { self.batch_ended(tx, id).await } else { Ok(()) }
    }

    async fn batch_ended(&self, tx: &mut Tx, id: &BatchId) -> Result<(), DbError> {
        let Some(job) = self.0.when_batch_ends.get() else { return Ok(()) };
        self.enqueue(tx, vec![job(id).unique(id.as_str())]).await.map(drop)
    }

    pub(super) fn db(&self) -> &Db {
        &self.0.db
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Queues jobs in the caller's transaction; answers how many are new, the others being queued already.
    ///
    /// Call [`Jobs::wake`] after the commit, or the worker of this process sees them some seconds later.
    pub async fn enqueue(&self, tx: &mut Tx, jobs: Vec<NewJob>) -> Result<u64, DbError> {
        queries::insert_jobs(tx, jobs, self.0.clock.now()).await
    }

    /// Tells this process's worker that there may be work.
    pub fn wake(&self) {
        self.0.wake.notify_one();
    }

    pub(super) async fn woken(&self) {
        self.0.wake.notified().await;
    }

    /// Makes a batch in the caller's transaction.
    pub async fn create_batch(&self, tx: &mut Tx, batch: &NewBatch) -> Result<BatchId, DbError> {
        let id = BatchId::generate();
        queries::insert_batch(tx, &id, batch, self.0.clock.now()).await?;
        Ok(id)
    }

    /// Says how many jobs an open batch will have in all.
    pub async fn set_batch_total(&self, tx: &mut Tx, id: &BatchId, total: u64) -> Result<(), DbError> {
        queries::set_batch_total(tx, id, total).await
    }

    /// Moves the mark in an open batch's list from one entry to another; false when it is not at `from` any more, and
    /// then the entries between have become jobs already.
    pub async fn advance_batch(
        &self,
        tx: &mut Tx,
        id: &BatchId,
        from: u64,
        to: u64,
    ) -> Result<bool, DbError> {
        queries::advance_batch(tx, id, from, to).await
    }

    /// Says that no more jobs will be added to an open batch, and what went wrong with its list, if anything did.
    pub async fn close_batch(&self, tx: &mut Tx, id: &BatchId, error: Option<&str>) -> Result<(), DbError> {
        match queries::close_batch(tx, id, error, self.0.clock.now()).await? {
            true => self.batch_ended(tx, id).await,
            false => Ok(()),
        }
    }

    pub async fn find_batch(&self, id: &str) -> Result<Option<Batch>, DbError> {
        queries::find_batch(&mut self.0.db.read().await?, id).await
    }

    /// Lists at most `most` batches of a domain, the newest first.
    pub async fn list_newest_batches(&self, domain: &str, most: i64) -> Result<Vec<Batch>, DbError> {
        queries::list_newest_batches(&mut self.0.db.read().await?, domain, most).await
    }

    /// Ends a batch early: jobs that have not begun are removed and count as failed. Returns false when it was over.
    pub async fn cancel_batch(&self, id: &BatchId) -> Result<bool, DbError> {
        const CANCELLED: &str = "it was cancelled";
        // First nothing is added any more; what was added until then is removed.
        let mut tx = self.0.db.write().await?;
        if !queries::record_batch_error(&mut tx, id, CANCELLED).await? {
            return Ok(false);
        }
        self.close_batch(&mut tx, id, Some(CANCELLED)).await?;
        tx.commit().await?;
        let mut tx = self.0.db.write().await?;
        let removed = queries::delete_waiting_of_batch(&mut tx, id).await?;
        if removed > 0 {
            let removed = i64::try_from(removed).unwrap_or(i64::MAX);
            self.count_in_batch(&mut tx, id, (0, removed)).await?;
        }
        tx.commit_durably().await?;
        Ok(true)
    }

    /// Records what is to be said about a batch, in the caller's transaction.
    pub async fn set_batch_note(&self, tx: &mut Tx, id: &BatchId, text: &str) -> Result<(), DbError> {
        queries::set_batch_note(tx, id, text).await
    }

    /// Counts the jobs of a kind that an account has in the queue: the remaining ones of its batches of these kinds,
    /// and at most `most` jobs without a batch. Locks the count of the account until the caller's transaction ends.
    pub async fn count_pending<J: Job>(
        &self,
        tx: &mut Tx,
        account: &str,
        batch_kinds: &[&str],
        most: u64,
    ) -> Result<u64, DbError> {
        queries::count_pending(tx, account, (J::KIND, batch_kinds), most).await
    }

    /// Counts the jobs of a batch that have not begun.
    pub async fn count_waiting(&self, id: &BatchId) -> Result<u64, DbError> {
        queries::count_waiting_in_batch(&mut self.0.db.read().await?, id).await
    }

    /// Lists at most `most` jobs: those that run, then those that wait in their order, then those that gave up.
    pub async fn list(&self, state: Option<JobState>, most: i64) -> Result<Vec<JobInfo>, DbError> {
        queries::list_jobs(&mut self.0.db.read().await?, state, most).await
    }

    pub async fn list_batches(&self, domain: &str) -> Result<Vec<BatchId>, DbError> {
        queries::list_batches_of_domain(&mut self.0.db.read().await?, domain).await
    }

    /// Deletes every schedule, job and batch of a removed domain, some at a time so that other writers wait only
    /// briefly. Running jobs are stopped within seconds and leave no result behind.
    pub async fn forget_domain(&self, domain: &str) -> Result<(), DbError> {
        loop {
            let mut tx = self.0.db.write().await?;
            let deleted = queries::delete_some_of_domain(&mut tx, domain).await?;
            tx.commit().await?;
            if deleted == 0 {
                return Ok(());
            }
        }
    }

    /// Lists at most `most` jobs of a batch that gave up.
    pub async fn list_failures(&self, batch: &BatchId, most: i64) -> Result<Vec<JobInfo>, DbError> {
        queries::list_dead_of_batch(&mut self.0.db.read().await?, batch, most).await
    }

    /// Puts a job that gave up back into the queue, with all its attempts.
    pub async fn retry(&self, id: &str) -> Result<(), JobChangeError> {
        let mut tx = self.0.db.write().await?;
        let revived = match queries::revive(&mut tx, id).await {
            Err(error) if error.is_unique_violation() => {
                return Err(JobChangeError::QueuedAgain(id.to_owned()));
            }
            revived => revived?,
        };
        let Some((batch, lane)) = revived else {
            return Err(match queries::find_job_state(&mut tx, id).await? {
                Some(_) => JobChangeError::NotDead(id.to_owned()),
                None => JobChangeError::NotFound(id.to_owned()),
            });
        };
        if let Some(batch) = batch {
            self.count_in_batch(&mut tx, &batch, (0, -1)).await?;
        }
        // An operator who retries believes that the lane's host works again.
        if let Some(lane) = lane {
            queries::reset_lane(&mut tx, &lane).await?;
        }
        queries::notify(&mut tx).await?;
        tx.commit_durably().await?;
        self.wake();
        Ok(())
    }

    /// Removes a job. One that runs is asked to stop, and stopped when it does not.
    pub async fn cancel(&self, id: &str) -> Result<(), JobChangeError> {
        let mut tx = self.0.db.write().await?;
        if queries::request_cancel(&mut tx, id).await? {
            return Ok(tx.commit_durably().await?);
        }
        let Some(batch) = queries::delete_job(&mut tx, id).await? else {
            return Err(JobChangeError::NotFound(id.to_owned()));
        };
        if let (JobState::Waiting, Some(batch)) = batch {
            self.count_in_batch(&mut tx, &batch, (0, 1)).await?;
        }
        Ok(tx.commit_durably().await?)
    }

    /// Removes jobs that have not begun, in the caller's transaction. Returns their ids; the others run or are over.
    /// Not for jobs of a batch, which would count for ever.
    pub async fn withdraw(&self, tx: &mut Tx, ids: &[String]) -> Result<Vec<String>, DbError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        queries::delete_waiting(tx, ids).await
    }

    /// Lists those of some jobs that wait or run.
    pub async fn list_alive(&self, ids: &[String]) -> Result<Vec<String>, DbError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        queries::list_alive(&mut self.0.db.read().await?, ids).await
    }

    /// Begins a cooldown of a lane in the caller's transaction; a longer one is kept. After it one job tests the
    /// lane, and its success ends the trouble.
    pub async fn rest_lane(&self, tx: &mut Tx, lane: &str, rest: Duration) -> Result<(), DbError> {
        let before = queries::find_troubled_lane(tx, lane).await?;
        match after_failure(lane, before.as_ref(), Some(rest), self.0.clock.now(), 0.0) {
            Some(after) => queries::rest_lane(tx, &after).await,
            None => Ok(()),
        }
    }

    /// Lists the lanes that failed and have not worked since.
    pub async fn list_lane_troubles(&self) -> Result<Vec<LaneTrouble>, DbError> {
        let lanes = queries::list_troubled_lanes(&mut self.0.db.read().await?).await?;
        Ok(lanes.into_iter().map(LaneTrouble::from).collect())
    }

    /// Batches of a domain that are not complete: id, kind and source, the oldest first. In the caller's transaction.
    pub async fn list_incomplete_batches(
        &self,
        tx: &mut Tx,
        domain: &str,
    ) -> Result<Vec<(BatchId, String, Option<String>)>, DbError> {
        queries::list_incomplete_batches(tx, domain).await
    }
}
