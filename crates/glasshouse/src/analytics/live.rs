//! Visits as they are recorded, for those who watch. Costs nothing while nobody does, and never holds a request up: whoever
//! is too slow misses some. See docs/decisions/0217.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::model::Visit;
use crate::domains::DomainId;

/// Visits that a watcher may be behind.
const BEHIND: usize = 1024;
/// Watchers of one process.
const MAX_WATCHERS: usize = 200;

/// Hands visits to watchers. Cheap to clone.
#[derive(Clone)]
pub struct LiveTail {
    sender: broadcast::Sender<Arc<Visit>>,
    watchers: Arc<AtomicUsize>,
}

/// The visits of a domain, from now on.
pub struct LiveVisits {
    domain: DomainId,
    receiver: broadcast::Receiver<Arc<Visit>>,
    watchers: Arc<AtomicUsize>,
}

/// What a watcher sees.
#[derive(Debug)]
pub enum Seen {
    /// A visit.
    Visit(Arc<Visit>),
    /// So many visits of all domains came too fast.
    Missed(u64),
}

impl Default for LiveTail {
    fn default() -> LiveTail {
        LiveTail { sender: broadcast::channel(BEHIND).0, watchers: Arc::default() }
    }
}

impl LiveTail {
    /// Shows a visit to whoever watches.
    pub fn show(&self, visit: &Visit) {
        if self.watchers.load(Ordering::Relaxed) > 0 {
            // An error means that the last watcher has just left.
            let _ = self.sender.send(Arc::new(visit.clone()));
        }
    }

    /// Watches a domain. None: too many watch already.
    pub fn watch(&self, domain: &DomainId) -> Option<LiveVisits> {
        let more = |watchers: usize| (watchers < MAX_WATCHERS).then_some(watchers + 1);
        self.watchers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        let (receiver, watchers) = (self.sender.subscribe(), self.watchers.clone());
        Some(LiveVisits { domain: domain.clone(), receiver, watchers })
    }
}

impl LiveVisits {
    /// Waits for the next visit of the domain. None: no more will come.
    pub async fn next(&mut self) -> Option<Seen> {
        loop {
            match self.receiver.recv().await {
                Ok(visit) if visit.domain == self.domain => return Some(Seen::Visit(visit)),
                Ok(_) => {}
                Err(RecvError::Lagged(missed)) => return Some(Seen::Missed(missed)),
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

impl Drop for LiveVisits {
    fn drop(&mut self) {
        self.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::analytics::{CrawlerIndex, ServedBy, Verified};
    use crate::clock::Timestamp;

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

    #[tokio::test]
    async fn a_watcher_sees_its_own_domain_and_is_told_what_it_missed() {
        let tail = LiveTail::default();
        let mut watcher = tail.watch(&DomainId::from("a")).unwrap();

        for domain in ["b", "a"] {
            tail.show(&visit(domain));
        }
        let seen = watcher.next().await.unwrap();
        for _ in 0..BEHIND + 7 {
            tail.show(&visit("a"));
        }

        assert!(matches!(seen, Seen::Visit(visit) if visit.domain.as_str() == "a"));
        assert!(matches!(watcher.next().await.unwrap(), Seen::Missed(7)));
        drop(tail);
        for _ in 0..BEHIND {
            assert!(matches!(watcher.next().await, Some(Seen::Visit(_))));
        }
        assert!(watcher.next().await.is_none());
    }

    #[test]
    fn only_so_many_watch_at_once() {
        let (tail, domain) = (LiveTail::default(), DomainId::from("a"));

        let mut watchers: Vec<_> = (0..MAX_WATCHERS).map(|_| tail.watch(&domain).unwrap()).collect();
        let one_more = tail.watch(&domain).is_some();
        watchers.pop();

        assert!(!one_more && tail.watch(&domain).is_some());
    }
}
