//! Who renders next: slots are bounded, tenants take turns, what somebody waits for goes first, and the line has an end.
//! Used by the pool. Must never let one tenant's thousand pages stand before another's first, nor the others stand still for
//! what is urgent.
//! See docs/decisions/0034.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::time::{Duration, Instant};

use crate::capacity::Limits;

/// Part of the slots that urgent renders find beyond the limit, and at least one: whatever the others hold, nobody waits for one
/// of them to end.
const URGENT_EXTRA: usize = 8;
/// Part of the others' slots beside urgent renders that they fill again while one is rendered, and at least one. All of those
/// they fill for a while afterwards: where one came, the next one follows, and does not find the processors full again.
const BACKGROUND_SHARE: usize = 3;
/// How long that is.
const URGENT_COOLDOWN: Duration = Duration::from_secs(1);

/// A bounded number of slots, which may change, with a fair line before them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Slots(Arc<Mutex<State>>);

struct State {
    limits: Limits,
    urgent: Class,
    background: Class,
    max_waiting: usize,
    /// When the last urgent render ended.
    last_urgent: Option<Instant>,
}

/// Renders of one urgency: those that run, and those that wait.
#[derive(Default)]
struct Class {
    active: usize,
    queue: FairQueue<oneshot::Sender<Slot>>,
}

/// The right to render one page. Dropping it lets the next in line in.
pub(crate) struct Slot {
    slots: Option<Slots>,
    urgent: bool,
}

impl State {
    fn class(&mut self, urgent: bool) -> &mut Class {
        if urgent { &mut self.urgent } else { &mut self.background }
    }

    fn active(&self) -> usize {
        self.urgent.active + self.background.active
    }

    fn waiting(&self) -> usize {
        self.urgent.queue.len() + self.background.queue.len()
    }

    fn has_room(&self, urgent: bool) -> bool {
        if urgent {
            return self.active() < self.limits.all + (self.limits.all / URGENT_EXTRA).max(1);
        }
        let most = match self.is_yielding() {
            true if self.urgent.active > 0 => (self.limits.background / BACKGROUND_SHARE).max(1),
            true => self.limits.background,
            false => self.limits.all,
        };
        // What is urgent takes places of theirs too, their last one excepted.
        self.background.active < most.min(self.limits.all.saturating_sub(self.urgent.active).max(1))
    }

    fn is_yielding(&self) -> bool {
        self.urgent.active > 0 || self.last_urgent.is_some_and(|ended| ended.elapsed() < URGENT_COOLDOWN)
    }

    /// Takes whoever stands first and has room.
    fn next_waiter(&mut self) -> Option<(oneshot::Sender<Slot>, bool)> {
        for urgent in [true, false] {
            if self.has_room(urgent)
                && let Some(next) = self.class(urgent).queue.pop()
            {
                self.class(urgent).active += 1;
                return Some((next, urgent));
            }
        }
        None
    }
}

impl Slots {
    /// So many renders at once, at most `max_waiting` in line.
    pub fn new(limits: Limits, max_waiting: usize) -> Slots {
        let (urgent, background) = (Class::default(), Class::default());
        Slots(Arc::new(Mutex::new(State { limits, urgent, background, max_waiting, last_urgent: None })))
    }

    /// Waits for a slot; `None` when too many wait already. Dropping the future leaves the line.
    pub async fn acquire(&self, tenant: &str, urgent: bool) -> Option<Slot> {
        let receiver = {
            let mut state = self.state();
            // Nobody goes past those of the same urgency that wait.
            if state.has_room(urgent) && state.class(urgent).queue.len() == 0 {
                state.class(urgent).active += 1;
                return Some(Slot { slots: Some(self.clone()), urgent });
            }
            // Those who gave up still stand in line until their turn: they do not count.
            if state.waiting() >= state.max_waiting {
                state.urgent.queue.retain(|waiter| !waiter.is_closed());
                state.background.queue.retain(|waiter| !waiter.is_closed());
            }
            if state.waiting() >= state.max_waiting {
                return None;
            }
            let (sender, receiver) = oneshot::channel();
            state.class(urgent).queue.push(tenant, sender);
            receiver
        };
        // One that gave up may be all that stood before us.
        self.admit();
        receiver.await.ok()
    }

    /// Renders that run, and renders that wait.
    pub fn counts(&self) -> (usize, usize) {
        let state = self.state();
        let waiting = state.urgent.queue.iter().chain(state.background.queue.iter());
        (state.active(), waiting.filter(|waiter| !waiter.is_closed()).count())
    }

    /// Whether the others make room for urgent renders.
    pub fn is_yielding(&self) -> bool {
        self.state().is_yielding()
    }

    /// Changes the number of renders at once. Fewer take effect as renders end, more at once.
    pub fn set_limits(&self, limits: Limits) {
        self.state().limits = limits;
        self.admit();
    }

    fn release(&self, urgent: bool) {
        {
            let mut state = self.state();
            state.class(urgent).active -= 1;
            if urgent {
                state.last_urgent = Some(Instant::now());
            }
        }
        self.admit();
    }

    /// Lets in who stands first while there are slots. To be called now and then: those who make room for urgent renders are not
    /// woken when that is over.
    pub fn admit(&self) {
        loop {
            let Some((next, urgent)) = self.state().next_waiter() else { return };
            if let Err(mut slot) = next.send(Slot { slots: Some(self.clone()), urgent }) {
                // Nobody waits there any more. Not dropped as a slot: that would come back here recursively.
                slot.slots = None;
                self.state().class(urgent).active -= 1;
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
            slots.release(self.urgent);
        }
    }
}

/// A line in which tenants take turns; within a tenant, first come first served.
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
    use super::*;

    fn limits(all: usize) -> Limits {
        Limits { all, background: (all * 3 / 4).max(1) }
    }

    #[test]
    fn tenants_take_turns_however_many_pages_one_of_them_brings() {
        let mut queue = FairQueue::default();
        for (tenant, waiter) in [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5), ("b", 6)] {
            queue.push(tenant, waiter);
        }

        let order: Vec<i32> = std::iter::from_fn(|| queue.pop()).collect();

        assert_eq!(order, [1, 4, 5, 2, 6, 3]);
    }

    #[tokio::test]
    async fn a_slot_that_comes_back_goes_to_the_next_in_line() {
        let slots = Slots::new(limits(1), 10);
        let first = slots.acquire("a", false).await.unwrap();
        let mut second = Box::pin(slots.acquire("a", false));
        assert!(futures_are_pending(&mut second).await);

        drop(first);

        assert!(second.await.is_some());
    }

    #[tokio::test]
    async fn more_slots_let_those_who_wait_in_at_once() {
        let slots = Slots::new(limits(1), 10);
        let _first = slots.acquire("a", false).await.unwrap();
        let (mut second, mut third) =
            (Box::pin(slots.acquire("a", false)), Box::pin(slots.acquire("a", false)));
        assert!(futures_are_pending(&mut second).await && futures_are_pending(&mut third).await);

        slots.set_limits(limits(3));

        let _taken = (second.await.unwrap(), third.await.unwrap());
        assert_eq!(slots.counts(), (3, 0));
    }

    #[tokio::test]
    async fn fewer_slots_let_nobody_in_until_enough_have_ended() {
        let slots = Slots::new(limits(2), 10);
        let (first, second) =
            (slots.acquire("a", false).await.unwrap(), slots.acquire("a", false).await.unwrap());
        slots.set_limits(limits(1));
        let mut third = Box::pin(slots.acquire("a", false));

        drop(first);
        assert!(futures_are_pending(&mut third).await);
        drop(second);

        assert!(third.await.is_some());
    }

    #[tokio::test]
    async fn too_long_a_line_is_refused() {
        let slots = Slots::new(limits(1), 1);
        let _running = slots.acquire("a", false).await.unwrap();
        let mut waiting = Box::pin(slots.acquire("a", false));
        assert!(futures_are_pending(&mut waiting).await);

        assert!(slots.acquire("b", false).await.is_none());
        assert_eq!(slots.counts(), (1, 1));
    }

    #[tokio::test]
    async fn whoever_stops_waiting_leaves_the_line() {
        let slots = Slots::new(limits(1), 1);
        let running = slots.acquire("a", false).await.unwrap();
        let mut waiting = Box::pin(slots.acquire("a", false));
        assert!(futures_are_pending(&mut waiting).await);

        drop(waiting);
        let mut next = Box::pin(slots.acquire("b", false));
        assert!(futures_are_pending(&mut next).await);
        drop(running);

        drop(next.await.unwrap());
        assert_eq!(slots.counts(), (0, 0));
    }

    #[tokio::test]
    async fn what_is_urgent_starts_while_others_have_every_slot_and_goes_before_them_in_line() {
        let slots = Slots::new(limits(2), 10);
        let others = (slots.acquire("a", false).await.unwrap(), slots.acquire("b", false).await.unwrap());
        let mut waiting = Box::pin(slots.acquire("a", false));
        assert!(futures_are_pending(&mut waiting).await);

        let first = slots.acquire("a", true).await.expect("a place of its own");
        let mut second = Box::pin(slots.acquire("a", true));
        assert!(futures_are_pending(&mut second).await, "of which there is one");
        drop(others.0);

        let second = second.await.unwrap();
        assert!(futures_are_pending(&mut waiting).await);
        assert_eq!(slots.counts(), (3, 1));
        drop((first, second, others.1));
    }

    #[tokio::test(start_paused = true)]
    async fn others_fill_a_part_of_the_slots_beside_something_urgent_more_afterwards_and_then_all() {
        let slots = Slots::new(limits(8), 100);
        let urgent = slots.acquire("a", true).await.unwrap();
        let mut waiting: Vec<_> = (0..10).map(|_| Box::pin(slots.acquire("b", false))).collect();
        let mut admitted = Vec::new();
        for receiver in &mut waiting {
            admitted.extend(tokio::time::timeout(Duration::from_millis(1), receiver).await.ok().flatten());
        }
        assert_eq!((slots.counts(), slots.is_yielding()), ((3, 8), true));

        drop(urgent);
        assert_eq!((slots.counts(), slots.is_yielding()), ((6, 4), true), "the next urgent one is expected");

        tokio::time::advance(URGENT_COOLDOWN).await;
        slots.admit();
        assert_eq!((slots.counts(), slots.is_yielding()), ((8, 2), false));
    }

    #[tokio::test]
    async fn however_much_is_urgent_one_of_the_others_goes_on() {
        let slots = Slots::new(limits(2), 10);
        let _urgent = [slots.acquire("a", true).await.unwrap(), slots.acquire("a", true).await.unwrap()];

        assert!(slots.acquire("b", false).await.is_some());
    }

    #[tokio::test]
    async fn whoever_gave_up_holds_up_nobody_behind() {
        let slots = Slots::new(limits(2), 10);
        let running = [slots.acquire("a", false).await.unwrap(), slots.acquire("a", false).await.unwrap()];
        let mut waiting = Box::pin(slots.acquire("a", false));
        assert!(futures_are_pending(&mut waiting).await);
        drop(waiting);

        slots.set_limits(limits(3));

        assert!(slots.acquire("b", false).await.is_some());
        drop(running);
    }

    async fn futures_are_pending<F: Future + Unpin>(future: &mut F) -> bool {
        tokio::time::timeout(std::time::Duration::from_millis(5), future).await.is_err()
    }
}
