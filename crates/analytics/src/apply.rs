//! Transfer of the files of the spool into the visit store, each exactly once.
//! Run beside the counter by the recorder. A file is removed when the store has all of it. After a crash in between, the store
//! skips the parts of the file that it has. At most one file is open at a time.
//! See docs/decisions/0180.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crawler::errors::one_line;
use tokio::sync::{mpsc, oneshot};

use super::spool::{Contents, Counts, SpoolFile, WaitingFile};
use super::stores::VisitStore;

/// Interval between attempts to apply pending files.
const TRY_AGAIN_EVERY: Duration = Duration::from_secs(1);
/// Interval between attempts to read files that could not be read.
const READ_AGAIN_EVERY: Duration = Duration::from_secs(60);
/// Maximum bytes of pending files on the disk; beyond it the oldest files are dropped.
const MAX_SPOOL_BYTES: u64 = 1 << 30;

/// Message from the counter to the applier.
#[derive(Debug)]
pub enum Closed {
    /// File that no task writes to any more.
    File(WaitingFile),
    /// Request for a signal after every earlier file was applied or could not be.
    Flush(oneshot::Sender<()>),
}

pub struct Applier {
    store: Arc<dyn VisitStore>,
    folder: PathBuf,
    files: mpsc::UnboundedReceiver<Closed>,
    pending: VecDeque<WaitingFile>,
    /// Files that could not be read. They delay no other file.
    unreadable: Vec<WaitingFile>,
    /// Number of unreadable files, shared with the recorder.
    unreadable_count: Arc<AtomicUsize>,
    read_again_at: Instant,
    max_bytes: u64,
}

impl Applier {
    /// Makes the applier. Starts nothing.
    pub fn new(
        store: Arc<dyn VisitStore>,
        folder: PathBuf,
        files: mpsc::UnboundedReceiver<Closed>,
        unreadable_count: Arc<AtomicUsize>,
    ) -> Applier {
        let (pending, unreadable, read_again_at) = (VecDeque::new(), Vec::new(), Instant::now());
        let max_bytes = MAX_SPOOL_BYTES;
        Applier { store, folder, files, pending, unreadable, unreadable_count, read_again_at, max_bytes }
    }

    /// Applies the files of earlier processes, then every closed file, until the counter ends.
    pub async fn run(mut self) {
        let folder = self.folder.clone();
        let abandoned = tokio::task::spawn_blocking(move || WaitingFile::list(&folder)).await;
        match abandoned.expect("listing a folder does not panic") {
            Ok(files) => self.pending.extend(files),
            Err(error) => {
                tracing::error!(%error, folder = %self.folder.display(), "the spool of visits cannot be read");
            }
        }
        self.apply_pending().await;
        loop {
            tokio::select! {
                message = self.files.recv() => match message {
                    Some(Closed::File(file)) => {
                        self.pending.push_back(file);
                        self.apply_pending().await;
                    }
                    Some(Closed::Flush(done)) => {
                        self.apply_pending().await;
                        // The requester may be gone.
                        let _ = done.send(());
                    }
                    None => break,
                },
                () = tokio::time::sleep(TRY_AGAIN_EVERY), if self.has_work() => self.apply_pending().await,
            }
        }
        self.apply_pending().await;
    }

    fn has_work(&self) -> bool {
        !self.pending.is_empty() || !self.unreadable.is_empty()
    }

    /// Applies the oldest files first. Stops at the first file that the store refuses, and skips files that cannot be read.
    async fn apply_pending(&mut self) {
        self.give_up_beyond_limit().await;
        let before = self.look_again();
        self.apply_readable(&before).await;
        self.unreadable_count.store(self.unreadable.len(), Ordering::Relaxed);
    }

    /// Queues unreadable files again when the interval has passed. Returns these files.
    fn look_again(&mut self) -> Vec<WaitingFile> {
        if self.unreadable.is_empty() || Instant::now() < self.read_again_at {
            return Vec::new();
        }
        self.read_again_at = Instant::now() + READ_AGAIN_EVERY;
        let before = std::mem::take(&mut self.unreadable);
        before.iter().rev().for_each(|waiting| self.pending.push_front(waiting.clone()));
        before
    }

    /// Applies pending files. An unreadable file is not logged again when it was unreadable `before`.
    async fn apply_readable(&mut self, before: &[WaitingFile]) {
        while let Some(waiting) = self.pending.front() {
            let (file, contents) = match take(waiting).await {
                Ok(Some(taken)) => taken,
                Ok(None) => {
                    self.pending.pop_front();
                    continue;
                }
                Err(error) => {
                    if !before.contains(waiting) {
                        tracing::error!(%error, ?waiting, "a file of the spool cannot be read and waits");
                    }
                    self.unreadable.extend(self.pending.pop_front());
                    continue;
                }
            };
            let name = file.name();
            if let Err(error) = self.store.apply(&name, &contents.counts).await {
                let (error, files) = (one_line(&error), self.pending.len());
                tracing::warn!(%error, files, "visits could not be written and wait");
                return;
            }
            metrics::counter!("glasshouse_visits_recorded_total").increment(visits_in(&contents.counts));
            self.pending.pop_front();
            self.put_away(file, contents.is_damaged).await;
        }
    }

    /// Removes an applied file, or keeps it under another name when some of its records cannot be read.
    async fn put_away(&self, file: SpoolFile, is_damaged: bool) {
        let name = file.name();
        // When renaming or removal fails, the store still knows the name and does not count the file again.
        if is_damaged {
            metrics::counter!("glasshouse_spool_files_damaged_total").increment(1);
            match file.set_aside() {
                Ok(file) => tracing::error!(
                    file = %file.display(),
                    "a file of the spool is damaged or of a later version: what of it can be read is counted, and it is kept"
                ),
                Err(error) => tracing::error!(%error, name, "a damaged file of the spool cannot be renamed"),
            }
            return;
        }
        match file.remove() {
            Err(error) => tracing::warn!(%error, "an applied file of the spool cannot be removed"),
            Ok(()) => {
                // When this fails, the store forgets the name months later.
                let _ = self.store.forget_file(&name).await;
            }
        }
    }

    /// Drops the oldest files while the pending files exceed the limit.
    async fn give_up_beyond_limit(&mut self) {
        let mut bytes: u64 = self.pending.iter().map(WaitingFile::bytes).sum();
        while bytes > self.max_bytes
            && let Some(waiting) = self.pending.pop_front()
        {
            bytes -= waiting.bytes();
            let removed = match take(&waiting).await {
                Ok(None) => continue,
                Ok(Some((file, contents))) => file.remove().map(|()| visits_in(&contents.counts)),
                Err(error) => Err(error),
            };
            match removed {
                Ok(lost) => {
                    metrics::counter!("glasshouse_visits_dropped_total").increment(lost);
                    tracing::error!(
                        visits = lost,
                        "the spool is full: visits are lost until the visit store is back"
                    );
                }
                // The next start finds the file again.
                Err(error) => tracing::error!(%error, "a file of the spool cannot be removed"),
            }
        }
    }
}

/// Locks a file and reads it, off the runtime's threads.
async fn take(waiting: &WaitingFile) -> io::Result<Option<(SpoolFile, Contents)>> {
    let waiting = waiting.clone();
    let taken = tokio::task::spawn_blocking(move || {
        let Some(file) = waiting.lock()? else { return Ok(None) };
        let contents = file.read()?;
        Ok(Some((file, contents)))
    });
    taken.await.expect("reading a file does not panic")
}

fn visits_in(counts: &Counts) -> u64 {
    counts.pages.iter().map(|(_, visits)| visits).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ServedBy, TimeKey, Verified, VisitKey};
    use crate::referrals::ReferralKey;
    use crate::service::Scope;
    use crate::testing::*;
    use domains::Domain;
    use platform::plans::Plan;

    async fn shop(app: &TestApp) -> Domain {
        let account = app.account("a@x.example", Plan::Business).await;
        app.domain(&account, "shop.example").await
    }

    fn counts(domain: &Domain, pages: usize) -> Counts {
        let page = |number: usize| VisitKey {
            domain: domain.id.clone(),
            day: super::super::model::day_of(crate::testing::NOON),
            path: format!("/{number:04}").into(),
            crawler: "googlebot".into(),
            verified: Verified::Yes,
            served: ServedBy::Cache,
            status: 200,
        };
        let first = page(0);
        let time = TimeKey { domain: first.domain, day: first.day, served: first.served, bucket: 3 };
        Counts {
            pages: (0..pages).map(|number| (page(number), 2)).collect(),
            times: vec![(time, 5)],
            ..Counts::default()
        }
    }

    /// Opens the store like another process.
    fn store(app: &TestApp) -> Arc<dyn VisitStore> {
        crate::stores::open(&app.state.platform)
    }

    fn applier(app: &TestApp) -> (Applier, PathBuf) {
        let folder = app.state.platform.config.storage.data_dir.join("spool");
        let (files, unreadable) = (mpsc::unbounded_channel().1, Arc::default());
        (Applier::new(store(app), folder.clone(), files, unreadable), folder)
    }

    async fn count(app: &TestApp, domain: &Domain) -> (u64, u64) {
        let summary = app.state.analytics.summary(&domain.id, 1, Scope::Snapshots).await.unwrap();
        (summary.total_crawls_served, summary.new_pages_crawled)
    }

    #[tokio::test]
    async fn what_a_killed_process_left_behind_is_counted_by_the_next() {
        TestApp::on_each_engine(async |app| {
            let domain = shop(&app).await;
            let (applier, folder) = applier(&app);
            let mut left = SpoolFile::create(&folder).unwrap();
            left.append(&counts(&domain, 2_500)).unwrap();
            drop(left);

            applier.run().await;

            assert_eq!(count(&app, &domain).await, (5_000, 2_500));
            assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
        })
        .await;
    }

    #[tokio::test]
    async fn a_process_killed_between_any_two_parts_counts_nothing_twice() {
        TestApp::on_each_engine(async |app| {
            let domain = shop(&app).await;

            for pages in [1_000, 2_000, 2_500] {
                // The first parts only, as after a crash between two parts.
                let mut some = counts(&domain, 2_500);
                some.pages.truncate(pages);
                store(&app).apply("file", &some).await.unwrap();
            }

            assert_eq!(count(&app, &domain).await, (5_000, 2_500));
        })
        .await;
    }

    #[tokio::test]
    async fn people_from_assistants_are_counted_once_and_those_beyond_the_bound_together() {
        TestApp::on_each_engine(async |app| {
            let domain = shop(&app).await;
            let day = super::super::model::day_of(crate::testing::NOON);
            let referral = |number: usize| {
                let (path, assistant) = (format!("/{number:05}").into(), "openai".to_owned());
                (ReferralKey { domain: domain.id.clone(), day, path, assistant }, 1)
            };
            let people = |from: usize, to: usize| Counts {
                referrals: (from..to).map(referral).collect(),
                ..Counts::default()
            };

            for (name, from, to) in [("1", 0, 10_100), ("1", 0, 10_100), ("2", 0, 3), ("3", 20_000, 20_007)] {
                store(&app).apply(name, &people(from, to)).await.unwrap();
            }

            let found = app.state.analytics.referrals(&domain.id, (day, day), 20_000).await.unwrap();
            let first: Vec<_> = found.iter().take(4).map(|row| (row.path.as_str(), row.count)).collect();
            let total: u64 = found.iter().map(|row| row.count).sum();
            assert_eq!(total, 10_110);
            assert!(found.len() <= 10_000 + 200, "{}", found.len());
            assert_eq!(first[0].0, "(other)");
            assert_eq!(first[1..], [("/00000", 2), ("/00001", 2), ("/00002", 2)]);
        })
        .await;
    }

    #[tokio::test]
    async fn what_was_noted_of_a_removed_file_is_forgotten() {
        let app = TestApp::new().await;
        let domain = shop(&app).await;
        let (mut applier, folder) = applier(&app);

        for _ in 0..3 {
            let mut file = SpoolFile::create(&folder).unwrap();
            file.append(&counts(&domain, 1_500)).unwrap();
            applier.pending.push_back(file.close());
            applier.apply_pending().await;
        }

        assert_eq!(noted(&app).await, 0);
    }

    #[tokio::test]
    async fn what_was_noted_of_files_that_nobody_removed_is_forgotten_after_months() {
        TestApp::on_each_engine(async |app| {
            let domain = shop(&app).await;
            store(&app).apply("left-by-a-killed-process", &counts(&domain, 1_500)).await.unwrap();

            app.state.visits.delete_before(0).await.unwrap();
            let at_once = noted(&app).await;
            app.clock.advance(Duration::from_secs(91 * 24 * 3600));
            app.state.visits.delete_before(0).await.unwrap();

            assert_eq!((at_once, noted(&app).await), (1, 0));
        })
        .await;
    }

    /// Returns the number of files whose names the store keeps.
    async fn noted(app: &TestApp) -> i64 {
        let mut conn = app.state.platform.db.read().await.unwrap();
        store::on_engine!(conn, |c| {
            sqlx::query_scalar("select count(*) from visit_batches where id <> ''").fetch_one(c).await
        })
        .unwrap()
    }

    #[tokio::test]
    async fn while_the_database_refuses_visits_wait_in_order() {
        TestApp::on_each_engine(async |app| {
            let domain = shop(&app).await;
            let (mut applier, folder) = applier(&app);
            let mut file = SpoolFile::create(&folder).unwrap();
            file.append(&counts(&domain, 3)).unwrap();
            applier.pending.push_back(file.close());
            execute(&app, "alter table visits rename to aside").await;

            applier.apply_pending().await;
            let waiting = (applier.pending.len(), std::fs::read_dir(&folder).unwrap().count());
            execute(&app, "alter table aside rename to visits").await;
            applier.apply_pending().await;

            assert_eq!(waiting, (1, 1));
            assert_eq!(count(&app, &domain).await, (6, 3));
        })
        .await;
    }

    /// Writes a file of the spool with visits to `pages` pages.
    fn file_of(folder: &std::path::Path, domain: &Domain, pages: usize) -> WaitingFile {
        let mut file = SpoolFile::create(folder).unwrap();
        file.append(&counts(domain, pages)).unwrap();
        file.close()
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_read_holds_up_no_other_and_is_read_later() {
        let app = TestApp::new().await;
        let domain = shop(&app).await;
        let (mut applier, folder) = applier(&app);
        let unreadable = file_of(&folder, &domain, 5);
        let (path, aside) = (only_file(&folder), folder.join("aside"));
        std::fs::rename(&path, &aside).unwrap();
        std::fs::create_dir(&path).unwrap();

        applier.pending.extend([unreadable, file_of(&folder, &domain, 3)]);
        applier.apply_pending().await;
        let waiting = (applier.unreadable_count.load(Ordering::Relaxed), count(&app, &domain).await);
        std::fs::remove_dir(&path).unwrap();
        std::fs::rename(&aside, &path).unwrap();
        applier.read_again_at = Instant::now();
        applier.apply_pending().await;

        assert_eq!(waiting, (1, (6, 3)));
        assert_eq!((applier.unreadable_count.load(Ordering::Relaxed), applier.has_work()), (0, false));
        assert_eq!(count(&app, &domain).await, (16, 5));
    }

    #[tokio::test]
    async fn a_damaged_file_is_counted_as_far_as_it_goes_and_kept() {
        let app = TestApp::new().await;
        let domain = shop(&app).await;
        let (mut applier, folder) = applier(&app);
        let mut file = SpoolFile::create(&folder).unwrap();
        for pages in [2, 3] {
            file.append(&counts(&domain, pages)).unwrap();
        }
        let path = only_file(&folder);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[20] ^= 1;
        std::fs::write(&path, bytes).unwrap();

        applier.pending.push_back(file.close());
        applier.apply_pending().await;

        assert_eq!(count(&app, &domain).await, (6, 3));
        assert_eq!(only_file(&folder), path.with_extension("damaged"));
        assert!(WaitingFile::list(&folder).unwrap().is_empty());
    }

    #[tokio::test]
    async fn of_more_than_the_spool_may_hold_the_oldest_is_given_up() {
        let app = TestApp::new().await;
        let domain = shop(&app).await;
        let (mut applier, folder) = applier(&app);
        let files = [9, 3, 2].map(|pages| file_of(&folder, &domain, pages));
        applier.max_bytes = files[1..].iter().map(WaitingFile::bytes).sum();

        applier.pending.extend(files);
        applier.apply_pending().await;

        assert_eq!(count(&app, &domain).await, (10, 3));
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    }

    fn only_file(folder: &std::path::Path) -> PathBuf {
        let mut files = std::fs::read_dir(folder).unwrap();
        files.next().expect("there is a file").unwrap().path()
    }

    #[tokio::test]
    async fn a_long_outage_uses_up_no_descriptors() {
        let app = TestApp::new().await;
        let domain = shop(&app).await;
        let (mut applier, folder) = applier(&app);
        execute(&app, "alter table visits rename to aside").await;

        let mut most_open = 0;
        for _ in 0..300 {
            let mut file = SpoolFile::create(&folder).unwrap();
            file.append(&counts(&domain, 1)).unwrap();
            applier.pending.push_back(file.close());
            applier.apply_pending().await;
            most_open = most_open.max(open_files(&folder));
        }
        let waiting = applier.pending.len();
        execute(&app, "alter table aside rename to visits").await;
        applier.apply_pending().await;

        assert_eq!((waiting, most_open), (300, 0));
        assert_eq!(count(&app, &domain).await, (600, 1));
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    }

    /// Counts the descriptors of this process that are open files of a folder.
    fn open_files(folder: &std::path::Path) -> usize {
        let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
        let targets = descriptors.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        targets.filter(|target| target.starts_with(folder)).count()
    }

    #[tokio::test]
    async fn a_file_that_another_process_applies_is_left_to_it() {
        let app = TestApp::new().await;
        let domain = shop(&app).await;
        let (mut applier, folder) = applier(&app);
        let mut file = SpoolFile::create(&folder).unwrap();
        file.append(&counts(&domain, 3)).unwrap();
        let waiting = file.close();
        let theirs = waiting.lock().unwrap();

        applier.pending.push_back(waiting);
        applier.apply_pending().await;

        assert!(theirs.is_some());
        assert_eq!((applier.pending.len(), count(&app, &domain).await), (0, (0, 0)));
    }

    async fn execute(app: &TestApp, sql: &'static str) {
        let mut tx = app.state.platform.db.write().await.unwrap();
        store::on_engine!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
    }
}
