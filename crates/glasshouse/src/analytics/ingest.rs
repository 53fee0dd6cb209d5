//! The recorder of crawler visits: a bounded buffer in front, counts in memory, batches into the database behind.
//! Used by the render endpoint and the edge on every answer. Must never block or fail a request: when the buffer is full
//! a visit is dropped, and counted as dropped.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use store::{Db, DbError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::model::{Visit, VisitCount, VisitKey};
use super::queries;
use crate::clock::Clock;
use crate::platform::Platform;

/// Visits that may wait to be counted.
const BUFFER: usize = 65_536;
/// Distinct rows that are kept in memory while the database is away.
const MAX_ROWS: usize = 200_000;
/// How often counts are written.
const WRITE_EVERY: Duration = Duration::from_secs(1);
/// How long a batch may be sent again after it was made.
const BATCHES_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Hands visits to the task that counts them. Cheap to clone.
#[derive(Clone)]
pub struct Recorder {
    sender: mpsc::Sender<Message>,
    /// The task's part, until it runs.
    counter: Arc<Mutex<Option<Counter>>>,
}

#[derive(Debug)]
enum Message {
    Visit(Visit),
    Flush(oneshot::Sender<()>),
}

impl Recorder {
    /// Makes the recorder. Starts nothing: see [`Recorder::run`].
    pub fn new(platform: &Platform) -> Recorder {
        let (sender, receiver) = mpsc::channel(BUFFER);
        let (db, clock) = (platform.db.clone(), platform.clock.clone());
        let counter = Counter { db, clock, receiver, open: HashMap::new(), batch: None };
        Recorder { sender, counter: Arc::new(Mutex::new(Some(counter))) }
    }

    /// Counts visits until `shutdown`, and writes down what is left. Runs once; a second call ends at once.
    pub async fn run(self, shutdown: CancellationToken) {
        let counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Nothing of this recorder may keep the channel open that the counter reads.
        drop(self);
        if let Some(counter) = counter {
            counter.run(shutdown).await;
        }
    }

    /// Counts a visit, soon. Never waits.
    pub fn record(&self, visit: Visit) {
        if self.sender.try_send(Message::Visit(visit)).is_err() {
            metrics::counter!("glasshouse_visits_dropped_total").increment(1);
        }
    }

    /// Waits until every visit recorded so far was written, or could not be.
    pub async fn flush(&self) {
        let (done, wait) = oneshot::channel();
        if self.sender.send(Message::Flush(done)).await.is_ok() {
            // An error means that the task has ended, having written what it had.
            let _ = wait.await;
        }
    }
}

/// Counts that are on their way into the database. Sent again under the same id until it is known to be there.
struct Batch {
    id: String,
    rows: Vec<(VisitKey, VisitCount)>,
}

struct Counter {
    db: Db,
    clock: Clock,
    receiver: mpsc::Receiver<Message>,
    open: HashMap<VisitKey, VisitCount>,
    batch: Option<Batch>,
}

impl Counter {
    async fn run(mut self, shutdown: CancellationToken) {
        let mut ticks = tokio::time::interval(WRITE_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                Some(message) = self.receiver.recv() => self.take(message).await,
                _ = ticks.tick() => self.write().await,
                // Requests were answered before this fires: no more visits come.
                () = shutdown.cancelled() => break,
            }
        }
        while let Ok(message) = self.receiver.try_recv() {
            self.take(message).await;
        }
        self.write().await;
    }

    async fn take(&mut self, message: Message) {
        match message {
            Message::Visit(visit) => self.count(&visit),
            Message::Flush(done) => {
                self.write().await;
                // Whoever asked may have gone away.
                let _ = done.send(());
            }
        }
    }

    fn count(&mut self, visit: &Visit) {
        let key = visit.key();
        if self.open.len() >= MAX_ROWS && !self.open.contains_key(&key) {
            metrics::counter!("glasshouse_visits_dropped_total").increment(1);
            return;
        }
        let count = self.open.entry(key).or_default();
        count.visits += 1;
        count.total_ms += u64::try_from(visit.duration.as_millis()).unwrap_or(u64::MAX);
    }

    /// Writes the batch that failed before, if any, then what was counted since.
    async fn write(&mut self) {
        loop {
            if self.batch.is_none() && self.open.is_empty() {
                return;
            }
            let batch = self.batch.take().unwrap_or_else(|| Batch {
                id: uuid::Uuid::now_v7().to_string(),
                rows: self.open.drain().collect(),
            });
            match apply(&self.db, &self.clock, &batch).await {
                Ok(()) => {
                    let visits = batch.rows.iter().map(|(_, count)| count.visits).sum();
                    metrics::counter!("glasshouse_visits_recorded_total").increment(visits);
                }
                Err(error) => {
                    tracing::warn!(error = %error, rows = batch.rows.len(), "visits could not be written and wait");
                    self.batch = Some(batch);
                    return;
                }
            }
        }
    }
}

/// Counts a batch exactly once, however often it is sent.
async fn apply(db: &Db, clock: &Clock, batch: &Batch) -> Result<(), DbError> {
    let now = clock.now();
    let mut tx = db.write().await?;
    if queries::begin_batch(&mut tx, &batch.id, now).await? {
        queries::add_visits(&mut tx, &batch.rows).await?;
        queries::forget_batches(&mut tx, now.minus(BATCHES_KEPT)).await?;
    }
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::Plan;
    use crate::analytics::{CrawlerIndex, ServedBy, Verified};
    use crate::domains::{Domain, DomainId};
    use crate::testing::TestApp;

    fn visit(app: &TestApp, domain: &DomainId, path: &str) -> Visit {
        Visit {
            domain: domain.clone(),
            path: path.into(),
            crawler: CrawlerIndex::shared().identify("GPTBot/1.2").expect("a crawler"),
            verified: Verified::Unknown,
            served: ServedBy::Cache,
            at: app.clock.now(),
            duration: Duration::from_millis(7),
        }
    }

    async fn shop(app: &TestApp) -> Domain {
        let account = app.account("a@x.example", Plan::Business).await;
        app.domain(&account, "shop.example").await
    }

    #[tokio::test]
    async fn visits_of_one_day_and_page_are_one_row() {
        TestApp::on_each_engine(async |app| {
            let domain = shop(&app).await;
            app.state.start();

            for _ in 0..1000 {
                app.state.recorder.record(visit(&app, &domain.id, "/a"));
            }
            app.state.recorder.flush().await;
            app.clock.advance(Duration::from_secs(12 * 3600));
            app.state.recorder.record(visit(&app, &domain.id, "/a"));
            app.state.recorder.flush().await;

            let rows = app.visits().await;
            let counted: Vec<_> = rows.iter().map(|row| (row.day.as_str(), row.visits)).collect();
            assert_eq!(counted, [("2026-11-20", 1000), ("2026-11-21", 1)]);
        })
        .await;
    }

    #[tokio::test]
    async fn a_batch_that_is_sent_twice_counts_once() {
        TestApp::on_each_engine(async |app| {
            let domain = shop(&app).await;
            let rows = (0..450).map(|number| {
                let visit = visit(&app, &domain.id, &format!("/{number}"));
                (visit.key(), VisitCount { visits: 2, total_ms: 14 })
            });
            let batch = Batch { id: "b1".into(), rows: rows.collect() };

            for _ in 0..2 {
                apply(&app.state.platform.db, &app.clock, &batch).await.expect("the database is there");
            }

            let rows = app.visits().await;
            assert_eq!(rows.len(), 450);
            assert!(rows.iter().all(|row| row.visits == 2));
        })
        .await;
    }

    #[tokio::test]
    async fn visits_of_a_domain_that_is_gone_do_not_hold_up_the_others() {
        TestApp::on_each_engine(async |app| {
            let domain = shop(&app).await;
            app.state.start();

            app.state.recorder.record(visit(&app, &DomainId::from("gone"), "/a"));
            app.state.recorder.record(visit(&app, &domain.id, "/a"));
            app.state.recorder.flush().await;

            assert_eq!(app.visits().await.len(), 1);
        })
        .await;
    }

    #[tokio::test]
    async fn what_is_recorded_before_shutdown_is_written_at_shutdown() {
        TestApp::on_each_engine(async |app| {
            let domain = shop(&app).await;
            app.state.start();

            app.state.recorder.record(visit(&app, &domain.id, "/a"));
            app.state.platform.shutdown.cancel();
            app.state.platform.tasks.close();
            app.state.platform.tasks.wait().await;

            assert_eq!(app.visits().await.len(), 1);
        })
        .await;
    }

    #[tokio::test]
    async fn a_full_buffer_drops_visits_and_blocks_nobody() {
        let app = TestApp::new().await;
        let domain = shop(&app).await;

        for _ in 0..BUFFER + 10 {
            app.state.recorder.record(visit(&app, &domain.id, "/a"));
        }
        app.state.start();
        app.state.recorder.flush().await;

        assert_eq!(app.visits().await[0].visits, BUFFER as i64);
    }

    #[tokio::test]
    async fn a_long_path_is_cut_at_a_character() {
        let app = TestApp::new().await;

        let key = visit(&app, &DomainId::from("d"), &format!("/{}", "é".repeat(1000))).key();

        assert_eq!(key.path.len(), 1023);
    }
}
