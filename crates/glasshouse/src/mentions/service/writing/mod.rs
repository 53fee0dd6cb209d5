//! Writes what runs do to the database: openings and settlements of paid calls, and ends of runs, those of many runs in one
//! transaction. Used by asking, by the analysis with a model and by tending.
//! Must never lose an end whose answer is paid: it stays in memory and is written when the database is back.
//! See docs/decisions/0362.

mod competitors;
mod endings;
mod entries;
mod payments;
mod targets;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use store::{Db, DbError};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::jobs::{JobRun, Jobs};
use crate::platform::Platform;

pub use entries::{CallOpening, CallRefusal, EndedAs, Ending, EndingResult, Settlement};
use entries::{Entry, Reply};
pub use targets::after_refusal;

/// Most entries of one transaction. With more, runs that began together would go on together: all of them wait for answers,
/// then all for the processor, then all for the database.
const MOST: usize = 64;
/// Time for which a transaction waits for more entries.
const GATHER: Duration = Duration::from_millis(5);
/// Entries that wait; more wait with their senders.
const QUEUE: usize = 4_096;
/// Wait after a failed transaction: doubled up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Time between two looks at whether a process that ends has calls under way.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The writer of this process. Cheap to clone.
#[derive(Clone)]
pub struct RunWriter(Arc<Shared>);

struct Shared {
    context: WriteContext,
    tasks: TaskTracker,
    shutdown: CancellationToken,
    queue: OnceLock<mpsc::Sender<Entry>>,
    /// Calls under way, for which the writer goes on while the process ends.
    under_way: AtomicUsize,
}

/// Everything that a transaction needs.
#[derive(Clone)]
struct WriteContext {
    db: Db,
    clock: Clock,
    jobs: Jobs,
    max_runs_per_day: u32,
}

/// A call under way; the writer of an ending process waits for its end.
pub struct UnderWay(RunWriter);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.0.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}

impl RunWriter {
    /// Makes the writer. Its task begins with the first entry.
    pub fn new(platform: &Platform, jobs: &Jobs) -> RunWriter {
        RunWriter(Arc::new(Shared {
            context: WriteContext {
                db: platform.db.clone(),
                clock: platform.clock.clone(),
                jobs: jobs.clone(),
                max_runs_per_day: platform.config.mentions.max_runs_per_day,
            },
            tasks: platform.tasks.clone(),
            shutdown: platform.shutdown.clone(),
            queue: OnceLock::new(),
            under_way: AtomicUsize::new(0),
        }))
    }

    /// Notes a call that is under way.
    pub fn begin(&self) -> UnderWay {
        self.0.under_way.fetch_add(1, Ordering::AcqRel);
        UnderWay(self.clone())
    }

    /// Reserves the price of a call in its budgets and writes its row in the ledger, durably. After an error nothing may be
    /// sent.
    pub async fn open(&self, opening: CallOpening) -> Result<(), CallRefusal> {
        let (reply, answer) = oneshot::channel();
        self.send(Entry::Opening(Box::new(opening), reply)).await;
        answer.await.unwrap_or(Err(CallRefusal::Ended))
    }

    /// Settles a call. Does not wait for the database.
    pub async fn settle(&self, settlement: Settlement) {
        self.send(Entry::Settlement(settlement)).await;
    }

    /// Writes the end of a run, waiting for the database as long as the process lives.
    pub async fn end(&self, ending: Ending) -> EndingResult {
        let (reply, answer) = oneshot::channel();
        self.send(Entry::Ending(Box::new(ending), reply)).await;
        answer.await.unwrap_or(EndingResult::Unwritten)
    }

    async fn send(&self, entry: Entry) {
        let queue = self.0.queue.get_or_init(|| {
            let (sender, receiver) = mpsc::channel(QUEUE);
            let shared = self.0.clone();
            self.0.tasks.spawn(async move { shared.write_all(receiver).await });
            sender
        });
        if queue.send(entry).await.is_err() {
            tracing::error!("the writer of runs has ended before the runs");
        }
    }
}

impl Shared {
    /// Writes until the process ends and no call is under way.
    async fn write_all(self: Arc<Self>, mut queue: mpsc::Receiver<Entry>) {
        let mut waiting: Vec<Entry> = Vec::new();
        loop {
            if waiting.is_empty() {
                tokio::select! {
                    biased;
                    entry = queue.recv() => match entry {
                        Some(entry) => waiting.push(entry),
                        None => return,
                    },
                    () = self.is_over() => return,
                }
                self.gather(&mut queue, &mut waiting).await;
            } else {
                while waiting.len() < MOST {
                    let Ok(entry) = queue.try_recv() else { break };
                    waiting.push(entry);
                }
            }
            let (batch, later) = one_of_each_target(waiting);
            waiting = later;
            self.write(batch).await;
        }
    }

    async fn is_over(&self) {
        self.shutdown.cancelled().await;
        while self.under_way.load(Ordering::Acquire) > 0 {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn gather(&self, queue: &mut mpsc::Receiver<Entry>, waiting: &mut Vec<Entry>) {
        let until = tokio::time::Instant::now() + GATHER;
        while waiting.len() < MOST {
            match tokio::time::timeout_at(until, queue.recv()).await {
                Ok(Some(entry)) => waiting.push(entry),
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Writes a batch, as often as it takes. Openings do not wait for a database that is away: nothing of theirs is paid.
    async fn write(&self, mut batch: Vec<Entry>) {
        let mut wait = FIRST_WAIT;
        loop {
            let error = match self.context.write_once(&batch).await {
                Ok(replies) => {
                    batch.into_iter().zip(replies).for_each(|(entry, reply)| entry.answer(reply));
                    return;
                }
                Err(error) => error,
            };
            tracing::warn!(%error, entries = batch.len(), "runs could not be written");
            if error.is_about_the_statement() {
                if batch.len() == 1 {
                    batch.into_iter().for_each(|entry| entry.answer(Reply::Refused(error.to_string())));
                    return;
                }
                // One entry that the database refuses must not hold up the others.
                for entry in batch {
                    Box::pin(self.write(vec![entry])).await;
                }
                return;
            }
            if !error.is_conflict() {
                let (openings, others) = batch.into_iter().partition(Entry::is_opening);
                batch = others;
                let openings: Vec<Entry> = openings;
                openings.into_iter().for_each(|entry| entry.answer(Reply::Refused(error.to_string())));
                if batch.is_empty() {
                    return;
                }
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }
}

impl WriteContext {
    /// Writes entries in one transaction that is durable when it returns. Returns a reply for each.
    async fn write_once(&self, batch: &[Entry]) -> Result<Vec<Reply>, DbError> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        let held = hold(&mut tx, batch).await?;
        let endings = endings::write(self, &mut tx, batch, &held, now).await?;
        let payments = payments::write(&mut tx, batch, &held, now).await?;
        tx.commit_durably().await?;
        let replies = endings.into_iter().zip(payments);
        Ok(replies.map(|(ending, payment)| ending.or(payment).unwrap_or(Reply::Done)).collect())
    }
}

/// Asks of each entry whether its attempt still owns its job. Entries without a job are held.
async fn hold(tx: &mut store::Tx, batch: &[Entry]) -> Result<Vec<bool>, DbError> {
    let runs: Vec<&JobRun> = batch.iter().filter_map(Entry::job).collect();
    let mut held = match runs.is_empty() {
        true => Vec::new(),
        false => JobRun::hold_each(tx, &runs).await?,
    }
    .into_iter();
    Ok(batch.iter().map(|entry| entry.job().is_none() || held.next().unwrap_or(false)).collect())
}

/// Splits off the ends of runs whose target has an earlier end in the batch: each is compared with the answer before it.
/// Everything of a run stays in its order.
fn one_of_each_target(entries: Vec<Entry>) -> (Vec<Entry>, Vec<Entry>) {
    let mut targets = HashSet::new();
    let (mut batch, mut later) = (Vec::new(), Vec::new());
    for entry in entries {
        let is_first = entry.target().is_none_or(|target| targets.insert(target));
        if is_first { batch.push(entry) } else { later.push(entry) }
    }
    (batch, later)
}
