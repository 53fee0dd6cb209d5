//! The recorder of crawler visits: a bounded buffer, which is counted and written to the spool on the disk every 50 ms.
//! Used by the render endpoint and the edge on every answer. Must never block or fail a request: when the buffer is full
//! a visit is dropped, and counted as dropped. `apply.rs` brings the spool into the visit store. See docs/decisions/0180.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hashbrown::HashMap;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::apply::{Applier, Closed};
use super::live::{LiveTail, LiveVisits, WatchError};
use super::model::{CrawlerRequest, OTHER_PATHS, ServedBy, TimeKey, Verified, Visit, VisitKey};
use super::policy::RefusalKey;
use super::referrals::{Referral, ReferralKey};
use super::spool::{Counts, SpoolFile};
use super::stores::VisitStore;
use accounts::AccountId;
use domains::DomainId;
use platform::Platform;
use platform::clock::Clock;

/// Most visits in the buffer.
const BUFFER: usize = 65_536;
/// Maximum number of rows of pages in memory; visits of further pages are counted together.
const MAX_ROWS: usize = 200_000;
/// Maximum number of rows of people from assistants in memory; further ones are dropped.
const MAX_REFERRALS: usize = 20_000;
/// Interval between writes of counts to the disk. A killed process loses the counts since the last write.
const APPEND_EVERY: Duration = Duration::from_millis(50);
/// Time after which a file of the spool is closed and applied.
const CLOSE_AFTER: Duration = Duration::from_secs(1);

/// Sender of visits to the task that counts them. Cheap to clone.
#[derive(Clone)]
pub struct Recorder {
    buffer: Arc<Buffer>,
    flushes: mpsc::UnboundedSender<oneshot::Sender<()>>,
    live: LiveTail,
    clock: Clock,
    /// Number of files of the spool that cannot be read.
    unreadable: Arc<AtomicUsize>,
    /// The tasks, until they run.
    parts: Arc<Mutex<Option<(Counter, Applier)>>>,
}

#[derive(Debug)]
enum Seen {
    Visit(Visit),
    Referral(Referral),
    Refusal(RefusalKey),
}

/// Events that are not counted yet. Requests only add to the buffer: waking a task for each would cost more than counting.
#[derive(Debug, Default)]
struct Buffer {
    waiting: Mutex<Vec<Seen>>,
    /// Signal for the first event.
    filled: Notify,
}

impl Buffer {
    fn add(&self, seen: Seen) {
        let mut waiting = self.waiting();
        if waiting.len() == BUFFER {
            drop(waiting);
            metrics::counter!("glasshouse_visits_dropped_total").increment(1);
            return;
        }
        waiting.push(seen);
        if waiting.len() == 1 {
            drop(waiting);
            self.filled.notify_one();
        }
    }

    /// Takes the events. Further ones are added to `next`, which is empty.
    fn take(&self, next: Vec<Seen>) -> Vec<Seen> {
        std::mem::replace(&mut self.waiting(), next)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder {
    /// Makes the recorder. Starts nothing: see [`Recorder::run`].
    pub fn new(platform: &Platform, store: Arc<dyn VisitStore>) -> Recorder {
        let buffer = Arc::new(Buffer::default());
        let (flushes, asked) = mpsc::unbounded_channel();
        let (closed, files) = mpsc::unbounded_channel();
        let folder = platform.config.storage.data_dir.join("spool");
        let unreadable = Arc::new(AtomicUsize::new(0));
        let applier = Applier::new(store, folder.clone(), files, unreadable.clone());
        let counter = Counter {
            buffer: buffer.clone(),
            counted: Vec::new(),
            asked,
            closed,
            folder,
            has_visits: false,
            open: Open::default(),
            file: None,
            is_failing: false,
        };
        let parts = Arc::new(Mutex::new(Some((counter, applier))));
        let clock = platform.clock.clone();
        Recorder { buffer, flushes, live: LiveTail::default(), clock, unreadable, parts }
    }

    /// Counts visits until `shutdown`, and writes the remaining counts. Runs once; a second call ends at once.
    pub async fn run(self, shutdown: CancellationToken) {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner).take();
        // This recorder must not keep the channel open that the counter reads.
        drop(self);
        if let Some((counter, applier)) = parts {
            tokio::join!(counter.run(shutdown), applier.run());
        }
    }

    /// Queues the answered visit of a crawler for counting. A redirect leads to a page and is not counted.
    pub fn record_answer(&self, request: CrawlerRequest, served: ServedBy, status: u16, duration: Duration) {
        if (300..400).contains(&status) {
            return;
        }
        let CrawlerRequest { domain, path, crawler, verified } = request;
        let at = self.clock.now();
        self.record(Visit { domain, path, crawler, verified, served, status, at, duration });
    }

    /// Queues a visit for counting. Never waits.
    pub fn record(&self, visit: Visit) {
        self.live.show(&visit);
        self.buffer.add(Seen::Visit(visit));
    }

    /// Queues a person who came from an assistant for counting. Never waits.
    pub fn record_referral(&self, referral: Referral) {
        self.buffer.add(Seen::Referral(referral));
    }

    /// Queues a refusal by a crawler policy for counting. Never waits.
    pub fn record_refusal(&self, refusal: RefusalKey) {
        self.buffer.add(Seen::Refusal(refusal));
    }

    /// Subscribes to the visits of an account's domain as they are recorded.
    pub fn watch(&self, account: &AccountId, domain: &DomainId) -> Result<LiveVisits, WatchError> {
        self.live.watch(account, domain)
    }

    /// Returns the reason why some visits are not counted, if there is one.
    pub fn problem(&self) -> Option<String> {
        let files = self.unreadable.load(Ordering::Relaxed);
        (files > 0).then(|| format!("files of the spool cannot be read: {files}"))
    }

    /// Waits until every visit recorded so far was written, or could not be.
    pub async fn flush(&self) {
        let (done, wait) = oneshot::channel();
        if self.flushes.send(done).is_ok() {
            // An error means that the task has ended and has written its counts.
            let _ = wait.await;
        }
    }
}

/// Counts that are not on the disk yet.
#[derive(Debug, Default)]
struct Open {
    pages: HashMap<VisitKey, u64>,
    times: HashMap<TimeKey, u64>,
    referrals: HashMap<ReferralKey, u64>,
    refusals: HashMap<RefusalKey, u64>,
}

impl Open {
    fn count_all(&mut self, seen: &mut Vec<Seen>) {
        for seen in seen.drain(..) {
            match seen {
                Seen::Visit(visit) => self.count(&visit),
                Seen::Referral(referral) => self.count_referral(&referral),
                Seen::Refusal(key) => *self.refusals.entry(key).or_default() += 1,
            }
        }
    }

    fn count(&mut self, visit: &Visit) {
        let is_known = self.pages.get_mut(&visit.key_ref()).map(|visits| *visits += 1).is_some();
        if !is_known && !self.count_new(visit.key()) {
            return;
        }
        // An impostor gets other answers than the crawler, so the durations of its answers are not counted.
        if visit.verified == Verified::No {
            return;
        }
        let is_known = self.times.get_mut(&visit.time_key_ref()).map(|answers| *answers += 1).is_some();
        if !is_known {
            self.times.insert(visit.time_key(), 1);
        }
    }

    /// Counts the first visit of a row. Returns false when the memory is full and the visit is dropped.
    fn count_new(&mut self, mut key: VisitKey) -> bool {
        if self.pages.len() >= MAX_ROWS {
            key.path = OTHER_PATHS.into();
            metrics::counter!("glasshouse_visits_folded_total").increment(1);
            // Crawlers, days and statuses multiply the rows too, so there is a second limit.
            if self.pages.len() >= 2 * MAX_ROWS && !self.pages.contains_key(&key) {
                metrics::counter!("glasshouse_visits_dropped_total").increment(1);
                return false;
            }
        }
        *self.pages.entry(key).or_default() += 1;
        true
    }

    fn count_referral(&mut self, referral: &Referral) {
        let Some(key) = referral.key() else { return };
        if self.referrals.len() >= MAX_REFERRALS && !self.referrals.contains_key(&key) {
            metrics::counter!("glasshouse_visits_dropped_total").increment(1);
            return;
        }
        *self.referrals.entry(key).or_default() += 1;
    }

    fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.referrals.is_empty() && self.refusals.is_empty()
    }

    fn take(&mut self) -> Counts {
        Counts {
            pages: self.pages.drain().collect(),
            times: self.times.drain().collect(),
            referrals: self.referrals.drain().collect(),
            refusals: self.refusals.drain().collect(),
        }
    }

    fn put_back(&mut self, counts: Counts) {
        for (key, visits) in counts.pages {
            *self.pages.entry(key).or_default() += visits;
        }
        for (key, visits) in counts.times {
            *self.times.entry(key).or_default() += visits;
        }
        for (key, people) in counts.referrals {
            *self.referrals.entry(key).or_default() += people;
        }
        for (key, requests) in counts.refusals {
            *self.refusals.entry(key).or_default() += requests;
        }
    }
}

/// Task that counts visits and writes the counts to the spool.
struct Counter {
    buffer: Arc<Buffer>,
    /// Empty vector of the events counted last: allocating memory costs more than counting.
    counted: Vec<Seen>,
    /// Requests for a signal when everything was written.
    asked: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
    closed: mpsc::UnboundedSender<Closed>,
    folder: PathBuf,
    /// True when events came since the last write.
    has_visits: bool,
    open: Open,
    file: Option<OpenFile>,
    /// True when the disk refused the last counts. The failure was logged once.
    is_failing: bool,
}

/// File that is being written, and the time at which it was created.
type OpenFile = (SpoolFile, Instant);

impl Counter {
    async fn run(mut self, shutdown: CancellationToken) {
        let mut ticks = tokio::time::interval(APPEND_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.buffer.filled.notified() => self.has_visits = true,
                _ = ticks.tick(), if self.has_work() => self.append().await,
                Some(done) = self.asked.recv() => self.flush(done).await,
                // Requests are answered before this fires, so no more visits come.
                () = shutdown.cancelled() => break,
            }
        }
        while let Ok(done) = self.asked.try_recv() {
            self.flush(done).await;
        }
        self.append().await;
        self.close();
    }

    fn has_work(&self) -> bool {
        self.has_visits || !self.open.is_empty() || self.file.is_some()
    }

    async fn flush(&mut self, done: oneshot::Sender<()>) {
        self.append().await;
        self.close();
        // Without an applier the process is ending.
        let _ = self.closed.send(Closed::Flush(done));
    }

    /// Counts new events and writes the counts to the disk. Counts that the disk refuses stay in memory for the next time.
    async fn append(&mut self) {
        self.has_visits = false;
        let mut seen = self.buffer.take(std::mem::take(&mut self.counted));
        if !seen.is_empty() || !self.open.is_empty() {
            let (mut open, file) = (std::mem::take(&mut self.open), self.file.take());
            let folder = self.folder.clone();
            let written = tokio::task::spawn_blocking(move || {
                let count = seen.len();
                open.count_all(&mut seen);
                // As many events will come again.
                seen.shrink_to(2 * count);
                let (file, result) = write(&mut open, file, &folder);
                (open, file, seen, result)
            });
            let result;
            (self.open, self.file, self.counted, result) =
                written.await.expect("writing a file does not panic");
            if let Err(error) = &result
                && !self.is_failing
            {
                tracing::warn!(%error, folder = %self.folder.display(), "visits cannot be written to the spool and wait in memory");
            }
            self.is_failing = result.is_err();
        }
        if self.file.as_ref().is_some_and(|(_, since)| since.elapsed() >= CLOSE_AFTER) {
            self.close();
        }
    }

    /// Hands the file over to the applier.
    fn close(&mut self) {
        if let Some((file, _)) = self.file.take() {
            // Without an applier the file is applied by the next start.
            let _ = self.closed.send(Closed::File(file.close()));
        }
    }
}

/// Appends counts to a file, a new one when there is none. The counts are empty afterwards, unless that failed.
fn write(open: &mut Open, file: Option<OpenFile>, folder: &Path) -> (Option<OpenFile>, io::Result<()>) {
    let created = match file {
        Some(file) => Ok(file),
        None => SpoolFile::create(folder).map(|file| (file, Instant::now())),
    };
    let mut file = match created {
        Ok(file) => file,
        Err(error) => return (None, Err(error)),
    };
    let counts = open.take();
    let result = file.0.append(&counts);
    if result.is_err() {
        open.put_back(counts);
    }
    (Some(file), result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CrawlerIndex;
    use crate::testing::*;
    use domains::Domain;
    use platform::plans::Plan;

    fn visit(app: &TestApp, domain: &DomainId, path: &str) -> Visit {
        Visit {
            domain: domain.clone(),
            path: path.into(),
            crawler: CrawlerIndex::shared().identify("GPTBot/1.2").expect("a crawler"),
            verified: Verified::Unknown,
            served: ServedBy::Cache,
            status: 200,
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
    async fn a_long_path_is_cut_at_a_character_and_its_row_is_found() {
        let app = TestApp::new().await;
        let mut open = Open::default();

        let visit = visit(&app, &DomainId::from("d"), &format!("/{}", "é".repeat(1000)));
        (0..3).for_each(|_| open.count(&visit));

        assert_eq!(visit.key().path.len(), 1023);
        assert_eq!(
            (open.pages.get(&visit.key_ref()), open.times.get(&visit.time_key_ref())),
            (Some(&3), Some(&3))
        );
    }

    #[tokio::test]
    async fn how_long_answers_to_impostors_take_is_not_counted() {
        let app = TestApp::new().await;
        let (domain, mut open) = (DomainId::from("d"), Open::default());
        let spoofed = Visit { verified: Verified::No, ..visit(&app, &domain, "/a") };

        open.count(&spoofed);
        open.count(&visit(&app, &domain, "/a"));

        assert_eq!((open.pages.len(), open.times.values().sum::<u64>()), (2, 1));
    }

    #[test]
    fn rare_paths_are_folded_before_anything_is_dropped() {
        let crawler = CrawlerIndex::shared().identify("GPTBot/1.2").expect("a crawler");
        let visit = |path: String| Visit {
            domain: DomainId::from("d"),
            path: path.into(),
            crawler,
            verified: Verified::Unknown,
            served: ServedBy::Cache,
            status: 200,
            at: platform::clock::Timestamp::from_millis(0),
            duration: Duration::ZERO,
        };
        let mut open = Open::default();

        for number in 0..MAX_ROWS + 5 {
            open.count(&visit(format!("/{number}")));
        }
        open.count(&visit("/1".to_owned()));

        let folded = VisitKey { path: OTHER_PATHS.into(), ..visit("/x".to_owned()).key() };
        assert_eq!(open.pages.values().sum::<u64>(), MAX_ROWS as u64 + 6);
        assert_eq!(open.pages[&folded], 5);
        assert_eq!(open.pages[&visit("/1".to_owned()).key()], 2);
    }

    #[tokio::test]
    async fn a_file_of_the_spool_that_cannot_be_read_is_said_and_holds_up_no_visit() {
        let app = TestApp::new().await;
        let domain = shop(&app).await;
        let spool = app.state.platform.config.storage.data_dir.join("spool");
        std::fs::create_dir_all(spool.join("0.visits")).unwrap();
        app.state.start();

        app.state.recorder.record(visit(&app, &domain.id, "/a"));
        app.state.recorder.flush().await;

        assert_eq!(app.state.recorder.problem().as_deref(), Some("files of the spool cannot be read: 1"));
        assert_eq!(app.visits().await.len(), 1);
    }

    #[tokio::test]
    async fn a_disk_that_takes_nothing_loses_nothing() {
        let app = TestApp::new().await;
        let domain = shop(&app).await;
        let spool = app.state.platform.config.storage.data_dir.join("spool");
        std::fs::write(&spool, "in the way").unwrap();
        app.state.start();

        app.state.recorder.record(visit(&app, &domain.id, "/a"));
        app.state.recorder.flush().await;
        let before = app.visits().await.len();
        std::fs::remove_file(&spool).unwrap();
        app.state.recorder.flush().await;

        assert_eq!((before, app.visits().await.len()), (0, 1));
    }
}
