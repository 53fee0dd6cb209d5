//! Live tail of visits as they are recorded: a channel for each watched domain. Reads one number while nobody watches, and never
//! delays a request: slow watchers miss visits. See docs/decisions/0217.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use super::model::Visit;
use accounts::AccountId;
use domains::DomainId;
use platform::limits::{KeyedCount, KeyedSlot};

/// Most visits that a watcher may be behind.
const BEHIND: usize = 1024;
/// Maximum number of watchers of one process.
const MAX_WATCHERS: usize = 200;
/// Maximum number of watchers of one account in one process.
const MAX_OF_ACCOUNT: usize = 10;

/// Sender of visits to watchers. Cheap to clone.
#[derive(Clone)]
pub struct LiveTail(Arc<Shared>);

struct Shared {
    /// Free slots of watchers. Nothing else is read while all slots are free.
    free: Arc<Semaphore>,
    of_account: KeyedCount<AccountId>,
    /// Channels of watched domains.
    channels: RwLock<Channels>,
}

type Channels = HashMap<DomainId, broadcast::Sender<Arc<Visit>>>;

/// Stream of the visits of a domain.
pub struct LiveVisits {
    tail: LiveTail,
    domain: DomainId,
    receiver: broadcast::Receiver<Arc<Visit>>,
    _of_account: KeyedSlot<AccountId>,
    _slot: OwnedSemaphorePermit,
}

/// Reason why a domain cannot be watched now.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// The account has as many watchers as it may.
    #[error("the account watches as often as it may")]
    TooManyOfAccount,
    /// The process has as many watchers as it may.
    #[error("too many watch at this process")]
    TooMany,
}

/// Event of the stream of a watcher.
#[derive(Debug)]
pub enum Seen {
    Visit(Arc<Visit>),
    /// Number of visits of the domain that came too fast.
    Missed(u64),
}

impl Default for LiveTail {
    fn default() -> LiveTail {
        let free = Arc::new(Semaphore::new(MAX_WATCHERS));
        let (of_account, channels) = (KeyedCount::default(), RwLock::default());
        LiveTail(Arc::new(Shared { free, of_account, channels }))
    }
}

impl LiveTail {
    /// Sends a visit to the watchers of its domain.
    pub fn show(&self, visit: &Visit) {
        if self.0.free.available_permits() == MAX_WATCHERS {
            return;
        }
        let channels = self.0.channels.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(&visit.domain) {
            // A channel has a receiver for as long as it exists.
            let _ = channel.send(Arc::new(visit.clone()));
        }
    }

    /// Subscribes to a domain for an account.
    pub fn watch(&self, account: &AccountId, domain: &DomainId) -> Result<LiveVisits, WatchError> {
        let of_account = self.0.of_account.acquire(account.clone(), MAX_OF_ACCOUNT);
        let _of_account = of_account.ok_or(WatchError::TooManyOfAccount)?;
        let _slot = self.0.free.clone().try_acquire_owned().map_err(|_| WatchError::TooMany)?;
        let mut channels = self.channels();
        let channel = channels.entry(domain.clone());
        let receiver = channel.or_insert_with(|| broadcast::channel(BEHIND).0).subscribe();
        Ok(LiveVisits { tail: self.clone(), domain: domain.clone(), receiver, _of_account, _slot })
    }

    fn channels(&self) -> RwLockWriteGuard<'_, Channels> {
        self.0.channels.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveVisits {
    /// Waits for the next visit of the domain.
    pub async fn next(&mut self) -> Seen {
        match self.receiver.recv().await {
            Ok(visit) => Seen::Visit(visit),
            Err(RecvError::Lagged(missed)) => Seen::Missed(missed),
            Err(RecvError::Closed) => unreachable!("a channel stays for as long as somebody watches"),
        }
    }
}

impl Drop for LiveVisits {
    fn drop(&mut self) {
        let mut channels = self.tail.channels();
        // The receiver of this watcher is dropped after this.
        if channels.get(&self.domain).is_some_and(|channel| channel.receiver_count() == 1) {
            channels.remove(&self.domain);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{CrawlerIndex, ServedBy, Verified};
    use platform::clock::Timestamp;

    fn visit(domain: &str) -> Visit {
        Visit {
            domain: DomainId::from(domain),
            path: "/".into(),
            crawler: CrawlerIndex::shared().identify("GPTBot/1.2").expect("a crawler"),
            verified: Verified::Unknown,
            served: ServedBy::Cache,
            status: 200,
            at: Timestamp::from_millis(0),
            duration: Duration::ZERO,
        }
    }

    fn watch(tail: &LiveTail, account: usize, domain: &str) -> Result<LiveVisits, WatchError> {
        tail.watch(&AccountId::from(account.to_string().as_str()), &DomainId::from(domain))
    }

    #[tokio::test]
    async fn a_watcher_sees_its_own_domain_and_is_told_what_it_missed_of_it() {
        let tail = LiveTail::default();
        let [mut watcher, other] = ["a", "b"].map(|domain| watch(&tail, 0, domain).unwrap());

        for _ in 0..2 * BEHIND {
            tail.show(&visit("b"));
        }
        tail.show(&visit("a"));
        let seen = watcher.next().await;
        for _ in 0..BEHIND + 7 {
            tail.show(&visit("a"));
        }

        assert!(matches!(seen, Seen::Visit(visit) if visit.domain.as_str() == "a"));
        assert!(matches!(watcher.next().await, Seen::Missed(7)));
        assert!(matches!(watcher.next().await, Seen::Visit(_)));
        drop(other);
    }

    #[test]
    fn nothing_is_kept_of_who_has_gone() {
        let tail = LiveTail::default();
        let watchers = ["a", "a", "b"].map(|domain| watch(&tail, 0, domain).unwrap());

        let [first, second, third] = watchers;
        drop((first, third));
        let left: Vec<_> = tail.channels().keys().cloned().collect();
        drop(second);

        assert_eq!(left, [DomainId::from("a")]);
        assert!(tail.channels().is_empty());
        assert_eq!((tail.0.of_account.keys(), tail.0.free.available_permits()), (0, MAX_WATCHERS));
    }

    #[test]
    fn an_account_takes_its_own_places_only() {
        let tail = LiveTail::default();

        let mut watchers: Vec<_> = (0..MAX_OF_ACCOUNT).map(|_| watch(&tail, 0, "a").unwrap()).collect();
        let one_more = watch(&tail, 0, "b").err();
        let other = watch(&tail, 1, "c");
        watchers.pop();

        assert_eq!(one_more, Some(WatchError::TooManyOfAccount));
        assert!(other.is_ok() && watch(&tail, 0, "b").is_ok());
    }

    #[test]
    fn only_so_many_watch_at_once() {
        let tail = LiveTail::default();

        let mut watchers: Vec<_> =
            (0..MAX_WATCHERS).map(|account| watch(&tail, account, "a").unwrap()).collect();
        let one_more = watch(&tail, MAX_WATCHERS, "a").err();
        watchers.pop();

        assert_eq!(one_more, Some(WatchError::TooMany));
        assert!(watch(&tail, MAX_WATCHERS, "a").is_ok());
    }
}
