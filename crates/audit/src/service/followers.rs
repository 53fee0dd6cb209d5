//! Followers of running audits: the number of streams of each account, and one reader of the database for all
//! followers of a run. Used by the events of runs. Must never outlive the followers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::read::AuditReader;
use crate::model::{Run, RunId};
use accounts::AccountId;
use platform::limits::{KeyedCount, KeyedSlot};

/// Streams that an account has in one process at most.
pub const STREAMS_OF_ACCOUNT: usize = 10;
/// Time between two reads of the progress.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Streams and readers of this process. Cheap to clone.
#[derive(Clone, Default)]
pub struct RunFollowers {
    streams: KeyedCount<AccountId>,
    readers: Arc<Mutex<HashMap<RunId, watch::Sender<Arc<Run>>>>>,
}

/// A stream that follows a run.
pub struct RunFollower {
    _stream: KeyedSlot<AccountId>,
    run: watch::Receiver<Arc<Run>>,
}

impl RunFollowers {
    fn readers(&self) -> MutexGuard<'_, HashMap<RunId, watch::Sender<Arc<Run>>>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the reader of a run without followers.
    fn end_unfollowed(&self, id: &RunId) -> bool {
        let mut readers = self.readers();
        let is_followed = readers.get(id).is_some_and(|reader| reader.receiver_count() > 0);
        if !is_followed {
            readers.remove(id);
        }
        !is_followed
    }
}

impl RunFollower {
    /// Follows a run. Returns none when the account has as many streams as it may have.
    pub fn start(reader: &AuditReader, run: Run) -> Option<RunFollower> {
        let followers = &reader.followers;
        let stream = followers.streams.acquire(run.account_id.clone(), STREAMS_OF_ACCOUNT)?;
        let id = run.id.clone();
        let mut readers = followers.readers();
        let receiver = match readers.get(&id) {
            Some(reader) => reader.subscribe(),
            None => {
                let (sender, receiver) = watch::channel(Arc::new(run));
                readers.insert(id.clone(), sender);
                reader.tasks.spawn(read_for_followers(reader.clone(), id));
                receiver
            }
        };
        Some(RunFollower { _stream: stream, run: receiver })
    }

    /// Returns the last known state of the run.
    pub fn run(&mut self) -> Arc<Run> {
        self.run.borrow_and_update().clone()
    }

    /// Waits until the run was read again. Returns false when the reader has ended.
    pub async fn changed(&mut self) -> bool {
        self.run.changed().await.is_ok()
    }
}

/// Reads a run repeatedly, until it is over or has no followers.
async fn read_for_followers(reader: AuditReader, id: RunId) {
    let followers = &reader.followers;
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = reader.shutdown.cancelled() => break,
        }
        if followers.end_unfollowed(&id) {
            return;
        }
        // A database that is away for a moment is asked again.
        let Ok(found) = reader.find_run(id.as_str()).await else { continue };
        let Some(run) = found else { break };
        let is_over = !run.is_active;
        if let Some(sender) = followers.readers().get(&id) {
            sender.send_replace(Arc::new(run));
        }
        if is_over {
            break;
        }
    }
    followers.readers().remove(&id);
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use audit_engine::engine::CrawlMode;
    use domains::DomainId;
    use domains::testing::*;
    use futures::future::BoxFuture;
    use platform::plans::Plan;
    use store::DbError;

    use super::*;
    use crate::model::{Frequency, Trigger};
    use crate::ports::{CrawlerTraffic, LastVisit};
    use crate::service::{Audits, NewRun};
    use crate::testing::NoRenders;

    struct NoVisits;

    impl CrawlerTraffic for NoVisits {
        fn last_visits<'a>(
            &'a self,
            _: &'a DomainId,
            _: Option<&'a str>,
        ) -> BoxFuture<'a, Result<HashMap<String, LastVisit>, DbError>> {
            Box::pin(async { Ok(HashMap::new()) })
        }
    }

    #[tokio::test]
    async fn all_streams_of_a_run_share_one_reader_which_ends_with_the_last_of_them() {
        TestApp::on_each_engine(async |app: TestApp| {
            let account = app.account("owner@shop.example", Plan::Enterprise).await;
            let site = app.site(&app.domain(&account, "shop.example").await).await;
            let DomainServices { domains, origins, .. } = &app.state;
            let (platform, accounts, jobs) = (&app.state.platform, &app.state.accounts, &app.state.jobs);
            let (renders, visits) = (Arc::new(NoRenders), Arc::new(NoVisits));
            let audits = Audits::new(platform, accounts, domains, origins, jobs, renders, visits);
            let new = NewRun {
                urls: vec!["https://shop.example/".parse().unwrap()],
                mode: CrawlMode::Follow,
                allow_sampling: false,
                new_pages_only: false,
                sitemap: None,
                trigger: Trigger::Manual,
                frequency: Frequency::Manual,
            };
            let id = audits.runs.start(&site, platform.config.plan(Plan::Enterprise), new).await.unwrap();
            let run = audits.reader.find_run(id.as_str()).await.unwrap().unwrap();

            let streams: Vec<RunFollower> =
                (0..3).map(|_| RunFollower::start(&audits.reader, run.clone()).unwrap()).collect();

            let followers = &audits.reader.followers;
            let shared: Vec<usize> =
                followers.readers().values().map(watch::Sender::receiver_count).collect();
            assert_eq!(shared, [3]);
            drop(streams);
            let ended = async {
                while !followers.readers().is_empty() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(60), ended).await.expect("the reader goes on");
        })
        .await;
    }
}
