//! Queue that alternates between keys: client addresses, accounts, domains. First in, first out within a key.
//! [`FairSemaphore`] grants slots in that order; renders have rules of their own over [`FairQueue`].
//! Must never let a key with a thousand waiters delay another key's first waiter.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::keyed_count::{KeyedCount, KeyedSlot};

/// Waiters by key. Pure.
#[derive(Debug)]
pub struct FairQueue<K, T> {
    /// Keys that have waiters, the next one first.
    keys: VecDeque<K>,
    waiters: HashMap<K, VecDeque<T>>,
    length: usize,
}

impl<K, T> Default for FairQueue<K, T> {
    fn default() -> FairQueue<K, T> {
        FairQueue { keys: VecDeque::new(), waiters: HashMap::new(), length: 0 }
    }
}

impl<K: Eq + Hash + Clone, T> FairQueue<K, T> {
    /// Returns the number of waiters.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true without waiters.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the keys that have waiters, each with its waiters.
    pub fn by_key(&self) -> impl Iterator<Item = (&K, &VecDeque<T>)> {
        self.waiters.iter()
    }

    /// Returns the waiters of a key.
    pub fn of_key(&self, key: &K) -> Option<&VecDeque<T>> {
        self.waiters.get(key)
    }

    /// Adds a waiter.
    pub fn push(&mut self, key: K, waiter: T) {
        let own = self.waiters.entry(key.clone()).or_default();
        if own.is_empty() {
            self.keys.push_back(key);
        }
        own.push_back(waiter);
        self.length += 1;
    }

    /// Removes the first waiter of the first key whose first waiter may begin. The key goes to the end; skipped keys keep
    /// their position.
    pub fn pop_first(&mut self, may_begin: impl Fn(&K, &T) -> bool) -> Option<(K, T)> {
        let first = |key| self.waiters.get(key).and_then(VecDeque::front);
        let at = self.keys.iter().position(|key| first(key).is_some_and(|waiter| may_begin(key, waiter)))?;
        let key = self.keys.remove(at)?;
        let own = self.waiters.get_mut(&key)?;
        let waiter = own.pop_front()?;
        self.length -= 1;
        if own.is_empty() {
            self.waiters.remove(&key);
        } else {
            self.keys.push_back(key.clone());
        }
        Some((key, waiter))
    }

    /// Removes the waiters of a key for which `stays` returns false.
    pub fn retain(&mut self, key: &K, stays: impl Fn(&T) -> bool) {
        let Some(own) = self.waiters.get_mut(key) else { return };
        let before = own.len();
        own.retain(stays);
        self.length -= before - own.len();
        if own.is_empty() {
            self.waiters.remove(key);
            self.keys.retain(|other| other != key);
        }
    }
}

/// Semaphore whose waiters queue fairly by key. Cheap to clone.
pub struct FairSemaphore<K: Eq + Hash + Clone>(Arc<Shared<K>>);

struct Shared<K: Eq + Hash + Clone> {
    /// Total number of slots for a number of waiters.
    slots: Box<dyn Fn(usize) -> usize + Send + Sync>,
    /// Maximum number of slots of one key.
    of_key: usize,
    state: Mutex<State<K>>,
}

struct State<K: Eq + Hash + Clone> {
    in_use: usize,
    in_use_of: KeyedCount<K>,
    queue: FairQueue<K, oneshot::Sender<FairPermit<K>>>,
}

/// A slot, released when dropped.
pub struct FairPermit<K: Eq + Hash + Clone> {
    semaphore: FairSemaphore<K>,
    of_key: Option<KeyedSlot<K>>,
}

impl<K: Eq + Hash + Clone> Clone for FairSemaphore<K> {
    fn clone(&self) -> FairSemaphore<K> {
        FairSemaphore(self.0.clone())
    }
}

impl<K: Eq + Hash + Clone> FairSemaphore<K> {
    /// Makes a semaphore with at most `of_key` slots for one key. `slots` returns the total number of slots for a number of waiters.
    pub fn new(of_key: usize, slots: impl Fn(usize) -> usize + Send + Sync + 'static) -> FairSemaphore<K> {
        let state = State { in_use: 0, in_use_of: KeyedCount::default(), queue: FairQueue::default() };
        FairSemaphore(Arc::new(Shared { slots: Box::new(slots), of_key, state: Mutex::new(state) }))
    }

    /// Waits for a slot. The first poll is ready when one is free; dropping the future leaves the queue.
    pub async fn acquire(&self, key: K) -> FairPermit<K> {
        let (sender, permit) = oneshot::channel();
        self.state().queue.push(key, sender);
        self.admit();
        permit.await.expect("a waiter is in the queue until it has its permit")
    }

    /// Returns the number of waiters.
    pub fn waiting(&self) -> usize {
        self.state().queue.len()
    }

    /// Grants free slots to waiters.
    fn admit(&self) {
        while let Some((permit, waiter)) = self.next() {
            // A waiter cancelled meanwhile drops the permit, which releases the slot.
            let _ = waiter.send(permit);
        }
    }

    fn next(&self) -> Option<(FairPermit<K>, oneshot::Sender<FairPermit<K>>)> {
        let mut state = self.state();
        let State { in_use, in_use_of, queue } = &mut *state;
        loop {
            if *in_use >= (self.0.slots)(queue.len()) {
                return None;
            }
            let may_begin = |key: &K, waiter: &oneshot::Sender<_>| {
                waiter.is_closed() || in_use_of.in_use(key) < self.0.of_key
            };
            let (key, waiter) = queue.pop_first(may_begin)?;
            if waiter.is_closed() {
                continue;
            }
            *in_use += 1;
            let of_key = in_use_of.acquire(key, self.0.of_key);
            return Some((FairPermit { semaphore: self.clone(), of_key }, waiter));
        }
    }

    fn state(&self) -> MutexGuard<'_, State<K>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone> Drop for FairPermit<K> {
    fn drop(&mut self) {
        drop(self.of_key.take());
        self.semaphore.state().in_use -= 1;
        self.semaphore.admit();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::future::join_all;
    use tokio_util::task::TaskTracker;

    use super::*;

    fn semaphore(of_key: usize, slots: usize) -> FairSemaphore<&'static str> {
        FairSemaphore::new(of_key, move |_| slots)
    }

    #[test]
    fn keys_alternate_however_many_waiters_one_of_them_has() {
        let mut queue = FairQueue::default();
        for (key, waiter) in [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5), ("b", 6)] {
            queue.push(key, waiter);
        }

        let order: Vec<i32> =
            std::iter::from_fn(|| queue.pop_first(|_, _| true)).map(|(_, waiter)| waiter).collect();

        assert_eq!(order, [1, 4, 5, 2, 6, 3]);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_key_that_may_not_begin_is_skipped_and_stays_first() {
        let mut queue = FairQueue::default();
        for (key, waiter) in [("a", 1), ("b", 2), ("b", 3)] {
            queue.push(key, waiter);
        }

        let passed = queue.pop_first(|key, _| *key != "a");
        let next = queue.pop_first(|_, _| true);

        assert_eq!((passed, next), (Some(("b", 2)), Some(("a", 1))));
    }

    #[test]
    fn a_removed_waiter_leaves_nothing_in_memory() {
        let mut queue = FairQueue::default();
        for (key, waiter) in [("a", 1), ("a", 2), ("b", 3)] {
            queue.push(key, waiter);
        }

        queue.retain(&"a", |waiter| *waiter == 2);
        queue.retain(&"b", |_| false);

        assert_eq!((queue.len(), queue.by_key().count(), queue.keys.len()), (1, 1, 1));
        assert_eq!(queue.pop_first(|_, _| true), Some(("a", 2)));
    }

    #[tokio::test]
    async fn a_key_has_its_part_of_the_slots_and_the_next_key_the_others() {
        let semaphore = semaphore(2, 3);
        let mut held = vec![semaphore.acquire("a").await, semaphore.acquire("a").await];

        assert!(semaphore.acquire("a").now_or_never().is_none());
        held.push(semaphore.acquire("b").now_or_never().expect("a slot is free"));
        assert!(semaphore.acquire("c").now_or_never().is_none());
        held.remove(0);

        assert!(semaphore.acquire("c").now_or_never().is_some());
        assert!(semaphore.acquire("a").now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_cancelled_waiter_does_not_block_those_behind_it() {
        let semaphore = semaphore(9, 1);
        let first = semaphore.acquire("a").await;
        let mut gone: Vec<_> = (0..3).map(|_| Box::pin(semaphore.acquire("b"))).collect();
        assert!(gone.iter_mut().all(|waits| waits.now_or_never().is_none()));
        let mut next = Box::pin(semaphore.acquire("c"));
        assert!((&mut next).now_or_never().is_none());

        drop(gone);
        drop(first);

        drop(next.await);
        assert_eq!((semaphore.waiting(), semaphore.state().in_use), (0, 0));
        assert_eq!(semaphore.state().in_use_of.keys(), 0);
    }

    #[tokio::test]
    async fn the_number_of_slots_follows_the_number_of_waiters() {
        let semaphore = FairSemaphore::new(9, |waiting| if waiting > 2 { 1 } else { 3 });
        let mut held = join_all((0..3).map(|_| semaphore.acquire("a"))).await;
        let mut waiting: Vec<_> = (0..4).map(|_| Box::pin(semaphore.acquire("b"))).collect();
        assert!(waiting.iter_mut().all(|waits| waits.now_or_never().is_none()));

        held.truncate(1);
        assert!(waiting.iter_mut().all(|waits| waits.now_or_never().is_none()), "two slots less");
        drop(held);

        assert!((&mut waiting[0]).now_or_never().is_some());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_slot_is_lost_however_many_come_and_go() {
        let semaphore = FairSemaphore::new(2, |waiting| if waiting > 100 { 2 } else { 4 });
        let tracker = TaskTracker::new();
        let tasks: Vec<_> = (0..3_000_u32)
            .map(|number| {
                let semaphore = semaphore.clone();
                tracker.spawn(async move {
                    let _slot = semaphore.acquire(number % 50).await;
                    tokio::task::yield_now().await;
                })
            })
            .collect();
        tasks.iter().step_by(3).for_each(tokio::task::JoinHandle::abort);

        let ended = tokio::time::timeout(std::time::Duration::from_secs(60), join_all(tasks)).await;

        assert!(ended.is_ok(), "somebody waits for a slot that nobody has");
        let state = semaphore.state();
        assert_eq!((state.in_use, state.queue.len(), state.in_use_of.keys()), (0, 0, 0));
    }
}
