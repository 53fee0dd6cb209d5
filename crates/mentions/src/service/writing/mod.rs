//! Writes the progress of runs to the database: openings and settlements of paid calls, and ends of runs, a transaction each.
//! Used by asking, by the analysis with a model and by tending.
//! Must never lose an end whose answer is paid: the caller waits with the answer in memory until the database is back.
//! See docs/decisions/0362.

mod changes;
mod competitors;
mod completion;
mod payments;
mod targets;

use std::sync::Arc;
use std::time::Duration;

use store::{Db, DbError, Tx};

use platform::Platform;
use platform::clock::Clock;
use platform::jobs::{HoldError, JobRun, Jobs};

pub use changes::{CallOpening, CallRefusal, EndedAs, Ending, EndingResult, Settlement};
pub use targets::after_refusal;

/// Wait after a failed transaction, doubled up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Writer of runs. Cheap to clone.
#[derive(Clone)]
pub struct RunWriter(Arc<WriterParts>);

struct WriterParts {
    db: Db,
    clock: Clock,
    jobs: Jobs,
    max_runs_per_day: u32,
}

impl RunWriter {
    pub fn new(platform: &Platform, jobs: &Jobs) -> RunWriter {
        RunWriter(Arc::new(WriterParts {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            jobs: jobs.clone(),
            max_runs_per_day: platform.config.mentions.max_runs_per_day,
        }))
    }

    /// Reserves the price of a call in its budgets and writes its row in the ledger, durably. After an error nothing may be
    /// sent. Does not wait for a database that is away, since nothing is paid yet.
    pub async fn open(&self, opening: CallOpening) -> Result<(), CallRefusal> {
        let mut retry = Retry::default();
        loop {
            match self.try_open(&opening).await {
                Ok(result) => return result,
                Err(error) if error.is_conflict() => retry.pause(&error).await,
                Err(error) => return Err(CallRefusal::Database(error.to_string())),
            }
        }
    }

    /// Settles a call, waiting for the database as long as the process lives.
    pub async fn settle(&self, settlement: Settlement) {
        let mut retry = Retry::default();
        loop {
            match self.try_settle(&settlement).await {
                Ok(()) => return,
                Err(error) if error.is_about_the_statement() => {
                    let call = settlement.call;
                    tracing::error!(call, %error, "the cost of a call could not be written");
                    return;
                }
                Err(error) => retry.pause(&error).await,
            }
        }
    }

    /// Writes the end of a run, waiting for the database as long as the process lives.
    pub async fn end(&self, ending: Ending) -> EndingResult {
        let mut retry = Retry::default();
        loop {
            match self.try_end(&ending).await {
                Ok(result) => return result,
                Err(error) if error.is_about_the_statement() => {
                    return EndingResult::Refused(error.to_string());
                }
                Err(error) => retry.pause(&error).await,
            }
        }
    }

    async fn try_open(&self, opening: &CallOpening) -> Result<Result<(), CallRefusal>, DbError> {
        let mut tx = self.0.db.write().await?;
        let result = payments::open(&mut tx, opening, self.0.clock.now()).await?;
        tx.commit_durably().await?;
        Ok(result)
    }

    /// Writes a settlement. The end of the run makes it durable; a call that stays open is settled by tending.
    async fn try_settle(&self, settlement: &Settlement) -> Result<(), DbError> {
        let mut tx = self.0.db.write().await?;
        payments::settle(&mut tx, settlement, self.0.clock.now()).await?;
        tx.commit().await
    }

    async fn try_end(&self, ending: &Ending) -> Result<EndingResult, DbError> {
        let mut tx = self.0.db.write().await?;
        let result = completion::write(&self.0, &mut tx, ending).await?;
        tx.commit_durably().await?;
        Ok(result)
    }
}

/// Waits between attempts at one transaction.
#[derive(Default)]
struct Retry {
    attempts: u32,
}

impl Retry {
    async fn pause(&mut self, error: &DbError) {
        tracing::warn!(%error, "a run could not be written");
        tokio::time::sleep((FIRST_WAIT * 2u32.pow(self.attempts.min(10))).min(LONGEST_WAIT)).await;
        self.attempts += 1;
    }
}

/// Returns whether an attempt still owns its job. The job cannot be taken over before the transaction ends.
async fn holds(tx: &mut Tx, job: &JobRun) -> Result<bool, DbError> {
    match job.hold(tx).await {
        Ok(()) => Ok(true),
        Err(HoldError::Lost) => Ok(false),
        Err(HoldError::Store(error)) => Err(error),
    }
}
