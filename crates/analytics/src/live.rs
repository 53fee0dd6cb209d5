//! Visits as they are recorded, for those who watch: a channel for each domain that is watched. Costs a look at one number while
//! nobody watches, and never holds a request up: whoever is too slow misses some. See docs/decisions/0217.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::model::Visit;
use accounts::AccountId;
use domains::DomainId;

/// Visits that a watcher may be behind.
const BEHIND: usize = 1024;
/// Watchers of one process.
const MAX_WATCHERS: usize = 200;
/// Watchers of one account in one process.
const MAX_OF_ACCOUNT: usize = 10;

/// Hands visits to watchers. Cheap to clone.
#[derive(Clone, Default)]
pub struct LiveTail(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Changed together with what is watched; all that is looked at while nobody watches.
    watchers: AtomicUsize,
    watched: RwLock<Watched>,
}

#[derive(Default)]
struct Watched {
    /// Of domains that somebody watches.
    channels: HashMap<DomainId, broadcast::Sender<Arc<Visit>>>,
    /// Watchers of accounts that have some.
    of_account: HashMap<AccountId, usize>,
}

/// The visits of a domain, from now on.
pub struct LiveVisits {
    tail: LiveTail,
    account: AccountId,
    domain: DomainId,
    receiver: broadcast::Receiver<Arc<Visit>>,
}

/// Why a domain cannot be watched now.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// Others of the account watch.
    #[error("the account watches as often as it may")]
    TooManyOfAccount,
    /// Others watch.
    #[error("too many watch at this process")]
    TooMany,
}

/// What a watcher sees.
#[derive(Debug)]
pub enum Seen {
    Visit(Arc<Visit>),
    /// So many visits of the domain came too fast.
    Missed(u64),
}

impl LiveTail {
    /// Shows a visit to whoever watches its domain.
    pub fn show(&self, visit: &Visit) {
        if self.0.watchers.load(Ordering::Relaxed) == 0 {
            return;
        }
        let watched = self.0.watched.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = watched.channels.get(&visit.domain) {
            // A channel has somebody who listens for as long as it is there.
            let _ = channel.send(Arc::new(visit.clone()));
        }
    }

    /// Watches a domain for an account.
    pub fn watch(&self, account: &AccountId, domain: &DomainId) -> Result<LiveVisits, WatchError> {
        let mut watched = self.watched();
        let others = watched.of_account.get(account).copied().unwrap_or(0);
        if others >= MAX_OF_ACCOUNT {
            return Err(WatchError::TooManyOfAccount);
        }
        if self.0.watchers.load(Ordering::Relaxed) >= MAX_WATCHERS {
            return Err(WatchError::TooMany);
        }
        self.0.watchers.fetch_add(1, Ordering::Relaxed);
        watched.of_account.insert(account.clone(), others + 1);
        let channel = watched.channels.entry(domain.clone());
        let receiver = channel.or_insert_with(|| broadcast::channel(BEHIND).0).subscribe();
        Ok(LiveVisits { tail: self.clone(), account: account.clone(), domain: domain.clone(), receiver })
    }

    fn watched(&self) -> RwLockWriteGuard<'_, Watched> {
        self.0.watched.write().unwrap_or_else(PoisonError::into_inner)
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
        let mut watched = self.tail.watched();
        self.tail.0.watchers.fetch_sub(1, Ordering::Relaxed);
        let others = watched.of_account.get(&self.account).map_or(0, |watchers| watchers - 1);
        match others {
            0 => watched.of_account.remove(&self.account),
            others => watched.of_account.insert(self.account.clone(), others),
        };
        // This one still listens.
        if watched.channels.get(&self.domain).is_some_and(|channel| channel.receiver_count() == 1) {
            watched.channels.remove(&self.domain);
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
        let left: Vec<_> = tail.watched().channels.keys().cloned().collect();
        drop(second);

        assert_eq!(left, [DomainId::from("a")]);
        assert!(tail.watched().channels.is_empty() && tail.watched().of_account.is_empty());
        assert_eq!(tail.0.watchers.load(Ordering::Relaxed), 0);
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
