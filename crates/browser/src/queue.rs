//! Who renders next: slots are bounded, tenants take turns, and the waiting line has an end.
//! Used by the pool. Must never let one tenant's thousand pages stand before another's first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// A bounded number of slots, which may change, with a fair line before them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Slots(Arc<Mutex<State>>);

struct State {
    limit: usize,
    active: usize,
    max_waiting: usize,
    line: Line<oneshot::Sender<Slot>>,
}

/// The right to render one page. Dropping it lets the next in line in.
pub(crate) struct Slot(Option<Slots>);

impl Slots {
    /// `slots` renders at once, at most `max_waiting` in line.
    pub fn new(slots: usize, max_waiting: usize) -> Slots {
        Slots(Arc::new(Mutex::new(State { limit: slots, active: 0, max_waiting, line: Line::default() })))
    }

    /// Waits for a slot; `None` when too many wait already. Dropping the future leaves the line.
    pub async fn take(&self, tenant: &str) -> Option<Slot> {
        let turn = {
            let mut state = self.state();
            if state.active < state.limit {
                state.active += 1;
                return Some(Slot(Some(self.clone())));
            }
            // Those who gave up still stand in line until their turn: they do not count.
            if state.line.len() >= state.max_waiting {
                state.line.retain(|waiter| !waiter.is_closed());
            }
            if state.line.len() >= state.max_waiting {
                return None;
            }
            let (sender, turn) = oneshot::channel();
            state.line.push(tenant, sender);
            turn
        };
        turn.await.ok()
    }

    /// Renders that run, and renders that wait.
    pub fn counts(&self) -> (usize, usize) {
        let state = self.state();
        (state.active, state.line.iter().filter(|waiter| !waiter.is_closed()).count())
    }

    /// Changes the number of renders at once. Fewer take effect as renders end, more at once.
    pub fn set_limit(&self, slots: usize) {
        self.state().limit = slots;
        self.admit();
    }

    fn give_back(&self) {
        self.state().active -= 1;
        self.admit();
    }

    /// Lets in who stands first while there are slots.
    fn admit(&self) {
        loop {
            let next = {
                let mut state = self.state();
                if state.active >= state.limit {
                    return;
                }
                let Some(next) = state.line.pop() else { return };
                state.active += 1;
                next
            };
            if let Err(mut slot) = next.send(Slot(Some(self.clone()))) {
                // Nobody waits there any more. Not dropped as a slot: that would come back here recursively.
                slot.0 = None;
                self.state().active -= 1;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(slots) = self.0.take() {
            slots.give_back();
        }
    }
}

/// A line in which tenants take turns; within a tenant, first come first served.
struct Line<T> {
    turns: VecDeque<String>,
    waiting: HashMap<String, VecDeque<T>>,
}

impl<T> Default for Line<T> {
    fn default() -> Line<T> {
        Line { turns: VecDeque::new(), waiting: HashMap::new() }
    }
}

impl<T> Line<T> {
    fn len(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.waiting.values().flatten()
    }

    fn push(&mut self, tenant: &str, waiter: T) {
        let own = self.waiting.entry(tenant.to_owned()).or_default();
        if own.is_empty() {
            self.turns.push_back(tenant.to_owned());
        }
        own.push_back(waiter);
    }

    fn pop(&mut self) -> Option<T> {
        let tenant = self.turns.pop_front()?;
        let own = self.waiting.get_mut(&tenant)?;
        let waiter = own.pop_front();
        if own.is_empty() {
            self.waiting.remove(&tenant);
        } else {
            self.turns.push_back(tenant);
        }
        waiter
    }

    fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        for own in self.waiting.values_mut() {
            own.retain(&keep);
        }
        self.waiting.retain(|_, own| !own.is_empty());
        let waiting = &self.waiting;
        self.turns.retain(|tenant| waiting.contains_key(tenant));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenants_take_turns_however_many_pages_one_of_them_brings() {
        let mut line = Line::default();
        for (tenant, waiter) in [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5), ("b", 6)] {
            line.push(tenant, waiter);
        }

        let order: Vec<i32> = std::iter::from_fn(|| line.pop()).collect();

        assert_eq!(order, [1, 4, 5, 2, 6, 3]);
    }

    #[tokio::test]
    async fn a_slot_that_comes_back_goes_to_the_next_in_line() {
        let slots = Slots::new(1, 10);
        let first = slots.take("a").await.unwrap();
        let mut second = Box::pin(slots.take("a"));
        assert!(futures_are_pending(&mut second).await);

        drop(first);

        assert!(second.await.is_some());
    }

    #[tokio::test]
    async fn more_slots_let_those_who_wait_in_at_once() {
        let slots = Slots::new(1, 10);
        let _first = slots.take("a").await.unwrap();
        let (mut second, mut third) = (Box::pin(slots.take("a")), Box::pin(slots.take("a")));
        assert!(futures_are_pending(&mut second).await && futures_are_pending(&mut third).await);

        slots.set_limit(3);

        let _taken = (second.await.unwrap(), third.await.unwrap());
        assert_eq!(slots.counts(), (3, 0));
    }

    #[tokio::test]
    async fn fewer_slots_let_nobody_in_until_enough_have_ended() {
        let slots = Slots::new(2, 10);
        let (first, second) = (slots.take("a").await.unwrap(), slots.take("a").await.unwrap());
        slots.set_limit(1);
        let mut third = Box::pin(slots.take("a"));

        drop(first);
        assert!(futures_are_pending(&mut third).await);
        drop(second);

        assert!(third.await.is_some());
    }

    #[tokio::test]
    async fn too_long_a_line_is_refused() {
        let slots = Slots::new(1, 1);
        let _running = slots.take("a").await.unwrap();
        let mut waiting = Box::pin(slots.take("a"));
        assert!(futures_are_pending(&mut waiting).await);

        assert!(slots.take("b").await.is_none());
        assert_eq!(slots.counts(), (1, 1));
    }

    #[tokio::test]
    async fn whoever_stops_waiting_leaves_the_line() {
        let slots = Slots::new(1, 1);
        let running = slots.take("a").await.unwrap();
        let mut waiting = Box::pin(slots.take("a"));
        assert!(futures_are_pending(&mut waiting).await);

        drop(waiting);
        let mut next = Box::pin(slots.take("b"));
        assert!(futures_are_pending(&mut next).await);
        drop(running);

        drop(next.await.unwrap());
        assert_eq!(slots.counts(), (0, 0));
    }

    async fn futures_are_pending<F: Future + Unpin>(future: &mut F) -> bool {
        tokio::time::timeout(std::time::Duration::from_millis(5), future).await.is_err()
    }
}
