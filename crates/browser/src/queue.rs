//! Admission of renders: a bounded number of slots, urgent renders first, tenants served round-robin, bounded waiting.
//! Used by the pool. Must never let one tenant's backlog delay another tenant's first page, nor let urgent renders starve
//! background ones.
//! See docs/decisions/0034.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::time::{Duration, Instant};

use crate::capacity::Limits;

/// Divisor of the limit that gives the extra slots of urgent renders (at least one), so that none waits for a background
/// render.
const URGENT_EXTRA: usize = 8;
/// Divisor of the background limit while an urgent render runs. During the cooldown the background limit applies undivided.
const BACKGROUND_SHARE: usize = 3;
/// Time after an urgent render in which the next one is expected, so that background renders keep their lower limit.
const URGENT_COOLDOWN: Duration = Duration::from_secs(1);

/// Class of a render.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A client waits for the response.
    Urgent,
    Background,
}

/// Slots for renders with a queue for each class. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Slots(Arc<Mutex<State>>);

struct State {
    limits: Limits,
    urgent: Class,
    background: Class,
    max_waiting: usize,
    /// Time at which the last urgent render ended.
    last_urgent: Option<Instant>,
}

/// Running and waiting renders of one urgency.
#[derive(Default)]
struct Class {
    active: usize,
    queue: FairQueue<oneshot::Sender<Slot>>,
}

/// Permit to render one page. Dropping it admits the next waiting render.
pub(crate) struct Slot {
    slots: Option<Slots>,
    urgency: Urgency,
}

impl State {
    fn class(&mut self, urgency: Urgency) -> &mut Class {
        match urgency {
            Urgency::Urgent => &mut self.urgent,
            Urgency::Background => &mut self.background,
        }
    }

    fn active(&self) -> usize {
        self.urgent.active + self.background.active
    }

    fn waiting(&self) -> usize {
        self.urgent.queue.len() + self.background.queue.len()
    }

    fn has_room(&self, urgency: Urgency) -> bool {
        if urgency == Urgency::Urgent {
            return self.active() < self.limits.all + (self.limits.all / URGENT_EXTRA).max(1);
        }
        let most = match self.is_yielding() {
            true if self.urgent.active > 0 => (self.limits.background / BACKGROUND_SHARE).max(1),
            true => self.limits.background,
            false => self.limits.all,
        };
        // Urgent renders use background slots too, except the last one.
        self.background.active < most.min(self.limits.all.saturating_sub(self.urgent.active).max(1))
    }

    fn is_yielding(&self) -> bool {
        self.urgent.active > 0 || self.last_urgent.is_some_and(|ended| ended.elapsed() < URGENT_COOLDOWN)
    }

    /// Removes the first waiting render whose class has a free slot, and counts it as active.
    fn next_waiter(&mut self) -> Option<(oneshot::Sender<Slot>, Urgency)> {
        for urgency in [Urgency::Urgent, Urgency::Background] {
            if self.has_room(urgency)
                && let Some(next) = self.class(urgency).queue.pop()
            {
                self.class(urgency).active += 1;
                return Some((next, urgency));
            }
        }
        None
    }
}

impl Slots {
    /// Makes slots with these limits and a queue of at most `max_waiting` renders.
    pub fn new(limits: Limits, max_waiting: usize) -> Slots {
        let (urgent, background) = (Class::default(), Class::default());
        Slots(Arc::new(Mutex::new(State { limits, urgent, background, max_waiting, last_urgent: None })))
    }

    /// Acquires a slot, in the queue if necessary. Returns `None` when the queue is full. Dropping the future leaves the queue.
    pub async fn acquire(&self, tenant: &str, urgency: Urgency) -> Option<Slot> {
        let receiver = {
            let mut state = self.state();
            // A new render does not overtake waiting renders of its class.
            if state.has_room(urgency) && state.class(urgency).queue.len() == 0 {
                state.class(urgency).active += 1;
                return Some(Slot { slots: Some(self.clone()), urgency });
            }
            // Cancelled waiters stay in the queue until they are popped: they do not count.
            if state.waiting() >= state.max_waiting {
                state.urgent.queue.retain(|waiter| !waiter.is_closed());
                state.background.queue.retain(|waiter| !waiter.is_closed());
            }
            if state.waiting() >= state.max_waiting {
                return None;
            }
            let (sender, receiver) = oneshot::channel();
            state.class(urgency).queue.push(tenant, sender);
            receiver
        };
        // All earlier waiters may have been cancelled.
        self.admit();
        receiver.await.ok()
    }

    /// Returns the numbers of running and of waiting renders.
    pub fn counts(&self) -> (usize, usize) {
        let state = self.state();
        let waiting = state.urgent.queue.iter().chain(state.background.queue.iter());
        (state.active(), waiting.filter(|waiter| !waiter.is_closed()).count())
    }

    /// Returns true while background renders have a lower limit because of urgent ones.
    pub fn is_yielding(&self) -> bool {
        self.state().is_yielding()
    }

    /// Changes the limits. A lower limit takes effect as renders end, a higher one at once.
    pub fn set_limits(&self, limits: Limits) {
        self.state().limits = limits;
        self.admit();
    }

    fn release(&self, urgency: Urgency) {
        {
            let mut state = self.state();
            state.class(urgency).active -= 1;
            if urgency == Urgency::Urgent {
                state.last_urgent = Some(Instant::now());
            }
        }
        self.admit();
    }

    /// Admits waiting renders while slots are free. Must be called periodically, since the end of the cooldown wakes nobody.
    pub fn admit(&self) {
        loop {
            let Some((next, urgency)) = self.state().next_waiter() else { return };
            if let Err(mut slot) = next.send(Slot { slots: Some(self.clone()), urgency }) {
                // The waiter was cancelled. Not dropped as a slot, since `drop` calls `admit` recursively.
                slot.slots = None;
                self.state().class(urgency).active -= 1;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(slots) = self.slots.take() {
            slots.release(self.urgency);
        }
    }
}

/// Round-robin queue over tenants; first in, first out within a tenant.
struct FairQueue<T> {
    tenants: VecDeque<String>,
    waiting: HashMap<String, VecDeque<T>>,
}

impl<T> Default for FairQueue<T> {
    fn default() -> FairQueue<T> {
        FairQueue { tenants: VecDeque::new(), waiting: HashMap::new() }
    }
}

impl<T> FairQueue<T> {
    fn len(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.waiting.values().flatten()
    }

    fn push(&mut self, tenant: &str, waiter: T) {
        let own = self.waiting.entry(tenant.to_owned()).or_default();
        if own.is_empty() {
            self.tenants.push_back(tenant.to_owned());
        }
        own.push_back(waiter);
    }

    fn pop(&mut self) -> Option<T> {
        let tenant = self.tenants.pop_front()?;
        let own = self.waiting.get_mut(&tenant)?;
        let waiter = own.pop_front();
        if own.is_empty() {
            self.waiting.remove(&tenant);
        } else {
            self.tenants.push_back(tenant);
        }
        waiter
    }

    fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        for own in self.waiting.values_mut() {
            own.retain(&keep);
        }
        self.waiting.retain(|_, own| !own.is_empty());
        let waiting = &self.waiting;
        self.tenants.retain(|tenant| waiting.contains_key(tenant));
    }
}

#[cfg(test)]
mod tests {
    use super::Urgency::{Background, Urgent};
    use super::*;

    fn limits(all: usize) -> Limits {
        Limits { all, background: (all * 3 / 4).max(1) }
    }

    #[test]
    fn tenants_are_served_in_turn_however_many_pages_one_of_them_has() {
        let mut queue = FairQueue::default();
        for (tenant, waiter) in [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5), ("b", 6)] {
            queue.push(tenant, waiter);
        }

        let order: Vec<i32> = std::iter::from_fn(|| queue.pop()).collect();

        assert_eq!(order, [1, 4, 5, 2, 6, 3]);
    }

    #[tokio::test]
    async fn a_released_slot_goes_to_the_next_waiter() {
        let slots = Slots::new(limits(1), 10);
        let first = slots.acquire("a", Background).await.unwrap();
        let mut second = Box::pin(slots.acquire("a", Background));
        assert!(futures_are_pending(&mut second).await);

        drop(first);

        assert!(second.await.is_some());
    }

    #[tokio::test]
    async fn a_higher_limit_admits_waiters_at_once() {
        let slots = Slots::new(limits(1), 10);
        let _first = slots.acquire("a", Background).await.unwrap();
        let (mut second, mut third) =
            (Box::pin(slots.acquire("a", Background)), Box::pin(slots.acquire("a", Background)));
        assert!(futures_are_pending(&mut second).await && futures_are_pending(&mut third).await);

        slots.set_limits(limits(3));

        let _taken = (second.await.unwrap(), third.await.unwrap());
        assert_eq!(slots.counts(), (3, 0));
    }

    #[tokio::test]
    async fn a_lower_limit_admits_nobody_until_enough_renders_have_ended() {
        let slots = Slots::new(limits(2), 10);
        let (first, second) =
            (slots.acquire("a", Background).await.unwrap(), slots.acquire("a", Background).await.unwrap());
        slots.set_limits(limits(1));
        let mut third = Box::pin(slots.acquire("a", Background));

        drop(first);
        assert!(futures_are_pending(&mut third).await);
        drop(second);

        assert!(third.await.is_some());
    }

    #[tokio::test]
    async fn a_render_is_refused_when_the_queue_is_full() {
        let slots = Slots::new(limits(1), 1);
        let _running = slots.acquire("a", Background).await.unwrap();
        let mut waiting = Box::pin(slots.acquire("a", Background));
        assert!(futures_are_pending(&mut waiting).await);

        assert!(slots.acquire("b", Background).await.is_none());
        assert_eq!(slots.counts(), (1, 1));
    }

    #[tokio::test]
    async fn a_cancelled_waiter_leaves_the_queue() {
        let slots = Slots::new(limits(1), 1);
        let running = slots.acquire("a", Background).await.unwrap();
        let mut waiting = Box::pin(slots.acquire("a", Background));
        assert!(futures_are_pending(&mut waiting).await);

        drop(waiting);
        let mut next = Box::pin(slots.acquire("b", Background));
        assert!(futures_are_pending(&mut next).await);
        drop(running);

        drop(next.await.unwrap());
        assert_eq!(slots.counts(), (0, 0));
    }

    #[tokio::test]
    async fn an_urgent_render_has_an_extra_slot_and_precedes_background_renders_in_the_queue() {
        let slots = Slots::new(limits(2), 10);
        let others =
            (slots.acquire("a", Background).await.unwrap(), slots.acquire("b", Background).await.unwrap());
        let mut waiting = Box::pin(slots.acquire("a", Background));
        assert!(futures_are_pending(&mut waiting).await);

        let first = slots.acquire("a", Urgent).await.expect("the extra slot");
        let mut second = Box::pin(slots.acquire("a", Urgent));
        assert!(futures_are_pending(&mut second).await, "there is one extra slot");
        drop(others.0);

        let second = second.await.unwrap();
        assert!(futures_are_pending(&mut waiting).await);
        assert_eq!(slots.counts(), (3, 1));
        drop((first, second, others.1));
    }

    #[tokio::test(start_paused = true)]
    async fn background_renders_are_limited_beside_an_urgent_one_and_less_during_the_cooldown() {
        let slots = Slots::new(limits(8), 100);
        let urgent = slots.acquire("a", Urgent).await.unwrap();
        let mut waiting: Vec<_> = (0..10).map(|_| Box::pin(slots.acquire("b", Background))).collect();
        let mut admitted = Vec::new();
        for receiver in &mut waiting {
            admitted.extend(tokio::time::timeout(Duration::from_millis(1), receiver).await.ok().flatten());
        }
        assert_eq!((slots.counts(), slots.is_yielding()), ((3, 8), true));

        drop(urgent);
        assert_eq!((slots.counts(), slots.is_yielding()), ((6, 4), true), "during the cooldown");

        tokio::time::advance(URGENT_COOLDOWN).await;
        slots.admit();
        assert_eq!((slots.counts(), slots.is_yielding()), ((8, 2), false));
    }

    #[tokio::test]
    async fn urgent_renders_leave_one_slot_to_background_renders() {
        let slots = Slots::new(limits(2), 10);
        let _urgent = [slots.acquire("a", Urgent).await.unwrap(), slots.acquire("a", Urgent).await.unwrap()];

        assert!(slots.acquire("b", Background).await.is_some());
    }

    #[tokio::test]
    async fn a_cancelled_waiter_does_not_block_those_behind_it() {
        let slots = Slots::new(limits(2), 10);
        let running =
            [slots.acquire("a", Background).await.unwrap(), slots.acquire("a", Background).await.unwrap()];
        let mut waiting = Box::pin(slots.acquire("a", Background));
        assert!(futures_are_pending(&mut waiting).await);
        drop(waiting);

        slots.set_limits(limits(3));

        assert!(slots.acquire("b", Background).await.is_some());
        drop(running);
    }

    async fn futures_are_pending<F: Future + Unpin>(future: &mut F) -> bool {
        tokio::time::timeout(std::time::Duration::from_millis(5), future).await.is_err()
    }
}
