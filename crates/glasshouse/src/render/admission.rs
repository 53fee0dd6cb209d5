//! Which renders may start, and in which order: by class, within a class by domain in turn, and never more towards an
//! origin than it deserves. Used by render tasks before they take a lease, a plan's allowance or a browser.
//! Must never touch the database: refusing has to cost nothing.
//! See docs/decisions/0145.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::model::Purpose;

/// Renders that may wait, in all and for one domain.
const MAX_WAITING: usize = 2_000;
const MAX_WAITING_PER_DOMAIN: usize = 200;
/// Renders towards an origin of which nothing good is known.
const UNPROVEN: usize = 2;
/// For how long a success proves an origin.
const PROVEN_FOR: Duration = Duration::from_secs(60);
/// A render that takes longer may be one that hangs.
const SLOW: Duration = Duration::from_secs(3);
/// After so many failures in a row an origin is left alone, for so long at first and at most.
const FAILURES: u32 = 3;
const FIRST_BREAK: Duration = Duration::from_secs(5);
const LONGEST_BREAK: Duration = Duration::from_secs(60);
/// Origins and domains that are remembered.
const REMEMBERED: usize = 10_000;

/// A render that wants to start.
#[derive(Debug, Clone)]
pub struct Applicant {
    /// Why it is made.
    pub purpose: Purpose,
    /// The domain that it is for.
    pub domain: String,
    /// The server that it asks.
    pub origin: String,
}

/// Why a render may not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No slot became free in time, or too many wait already.
    #[error("too many renders are waiting")]
    Busy,
    /// The domain had its renders on demand of this minute.
    #[error("the domain has used its renders on demand of this minute")]
    OverRate,
    /// The origin did not answer several times in a row.
    #[error("the origin could not be reached: it did not answer several times in a row")]
    OriginDown,
    /// Nobody waits for it any more.
    #[error("nobody waits for the page any more")]
    Abandoned,
    /// Nobody waits for the page, and it could not be stored.
    #[error("the object store does not answer")]
    StoreDown,
}

/// How a render went for its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginResult {
    /// It answered.
    Responded,
    /// It could not be reached, or did not end.
    Failed,
}

/// The gate of this process. Cheap to clone.
#[derive(Clone)]
pub struct RenderAdmission(Arc<Shared>);

struct Shared {
    slots: usize,
    on_demand_per_minute: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: usize,
    next: u64,
    waiting: usize,
    /// By class, the most urgent first.
    classes: BTreeMap<u8, Class>,
    origins: HashMap<String, OriginState>,
    /// What is left of each domain's renders on demand, and when that was.
    allowances: HashMap<String, (f64, Instant)>,
}

/// Those that wait in one class; domains take turns.
#[derive(Default)]
struct Class {
    turns: VecDeque<String>,
    queues: HashMap<String, VecDeque<Waiter>>,
}

struct Waiter {
    number: u64,
    origin: String,
    admitted: oneshot::Sender<Permit>,
}

#[derive(Default)]
struct OriginState {
    /// Renders under way, by number, and when each began.
    running: HashMap<u64, Instant>,
    failures: u32,
    proven: Option<Instant>,
    closed_until: Option<Instant>,
}

impl OriginState {
    fn is_closed(&self, now: Instant) -> bool {
        self.closed_until.is_some_and(|until| until > now)
    }

    fn has_room(&self, now: Instant) -> bool {
        if self.failures >= FAILURES {
            // Half open: one of them finds out.
            return self.running.is_empty();
        }
        let slow = self.running.values().filter(|since| now.duration_since(**since) > SLOW).count();
        let is_proven = self.proven.is_some_and(|at| now.duration_since(at) < PROVEN_FOR);
        slow < UNPROVEN && (is_proven || self.running.len() < UNPROVEN)
    }

    fn note(&mut self, result: OriginResult, now: Instant) {
        match result {
            OriginResult::Responded => {
                self.failures = 0;
                self.closed_until = None;
                self.proven = Some(now);
            }
            OriginResult::Failed => {
                self.failures = self.failures.saturating_add(1);
                self.proven = None;
                if let Some(over) = self.failures.checked_sub(FAILURES) {
                    let rest = FIRST_BREAK.saturating_mul(1 << over.min(10)).min(LONGEST_BREAK);
                    self.closed_until = Some(now + rest);
                }
            }
        }
    }

    fn is_forgettable(&self, now: Instant) -> bool {
        let is_proven = self.proven.is_some_and(|at| now.duration_since(at) < PROVEN_FOR);
        self.running.is_empty() && !self.is_closed(now) && !is_proven
    }
}

impl RenderAdmission {
    /// A gate for so many renders at a time.
    pub fn new(slots: usize, on_demand_per_minute: u32) -> RenderAdmission {
        let state = Mutex::new(State::default());
        RenderAdmission(Arc::new(Shared { slots: slots.max(1), on_demand_per_minute, state }))
    }

    /// Waits for a place, until the deadline or until nobody waits for the page any more.
    pub async fn enter(
        &self,
        applicant: Applicant,
        deadline: Duration,
        abandoned: &CancellationToken,
    ) -> Result<Permit, Refusal> {
        let class = class_of(applicant.purpose);
        let (number, mut admitted) = self.queue(applicant.clone(), class)?;
        let refusal = tokio::select! {
            biased;
            permit = &mut admitted => return permit.map_err(|_| Refusal::Busy),
            () = abandoned.cancelled() => Refusal::Abandoned,
            () = tokio::time::sleep(deadline) => Refusal::Busy,
        };
        self.lock().leave(class, &applicant.domain, number);
        // Dropping the receiver gives a permit back that came in this moment.
        Err(refusal)
    }

    fn queue(&self, applicant: Applicant, class: u8) -> Result<(u64, oneshot::Receiver<Permit>), Refusal> {
        let now = Instant::now();
        let mut state = self.lock();
        if state.origins.get(&applicant.origin).is_some_and(|origin| origin.is_closed(now)) {
            return Err(Refusal::OriginDown);
        }
        let queued = state.classes.get(&class).and_then(|class| class.queues.get(&applicant.domain));
        if state.waiting >= MAX_WAITING || queued.is_some_and(|queue| queue.len() >= MAX_WAITING_PER_DOMAIN) {
            return Err(Refusal::Busy);
        }
        if applicant.purpose == Purpose::OnDemand
            && !state.take_allowance(&applicant.domain, self.0.on_demand_per_minute, now)
        {
            return Err(Refusal::OverRate);
        }
        state.next += 1;
        let (number, (sender, receiver)) = (state.next, oneshot::channel());
        let waiter = Waiter { number, origin: applicant.origin, admitted: sender };
        state.waiting += 1;
        let Class { turns, queues } = state.classes.entry(class).or_default();
        let queue = queues.entry(applicant.domain.clone()).or_default();
        if queue.is_empty() {
            turns.push_back(applicant.domain);
        }
        queue.push_back(waiter);
        drop(state);
        self.admit();
        Ok((number, receiver))
    }

    /// Lets in whoever may go in now.
    fn admit(&self) {
        loop {
            let now = Instant::now();
            let mut state = self.lock();
            if state.running >= self.0.slots {
                return;
            }
            let Some(waiter) = state.next_waiter(now) else { return };
            state.running += 1;
            let origin = state.origins.entry(waiter.origin.clone()).or_default();
            origin.running.insert(waiter.number, now);
            drop(state);
            let permit = Permit { admission: self.clone(), number: waiter.number, origin: waiter.origin };
            // Whoever has gone gives it back by dropping it, which asks here again.
            drop(waiter.admitted.send(permit));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the first that has room at its origin out of the queue; its domain goes to the end of the turns.
    fn next_waiter(&mut self, now: Instant) -> Option<Waiter> {
        for class in self.classes.values_mut() {
            for _ in 0..class.turns.len() {
                let domain = class.turns.pop_front()?;
                let Some(queue) = class.queues.get_mut(&domain) else { continue };
                let origins = &self.origins;
                let has_room =
                    |waiter: &Waiter| origins.get(&waiter.origin).is_none_or(|origin| origin.has_room(now));
                let waiter = match queue.front() {
                    Some(first) if has_room(first) => queue.pop_front(),
                    _ => None,
                };
                match queue.is_empty() {
                    true => drop(class.queues.remove(&domain)),
                    false => class.turns.push_back(domain),
                }
                if let Some(waiter) = waiter {
                    self.waiting -= 1;
                    return Some(waiter);
                }
            }
        }
        None
    }

    /// Takes one that no longer waits out of the queue.
    fn leave(&mut self, class: u8, domain: &str, number: u64) {
        let Some(class) = self.classes.get_mut(&class) else { return };
        let Some(queue) = class.queues.get_mut(domain) else { return };
        let before = queue.len();
        queue.retain(|waiter| waiter.number != number);
        self.waiting -= before - queue.len();
        if queue.is_empty() {
            class.queues.remove(domain);
            class.turns.retain(|turn| turn != domain);
        }
    }

    fn take_allowance(&mut self, domain: &str, per_minute: u32, now: Instant) -> bool {
        if self.allowances.len() > REMEMBERED {
            // A minute later everybody has all of it again.
            self.allowances.retain(|_, (_, at)| now.duration_since(*at) < PROVEN_FOR);
        }
        let most = f64::from(per_minute);
        let (left, at) = self.allowances.entry(domain.to_owned()).or_insert((most, now));
        *left = (*left + now.duration_since(*at).as_secs_f64() * most / 60.0).min(most);
        *at = now;
        if *left < 1.0 {
            return false;
        }
        *left -= 1.0;
        true
    }
}

/// A place; given back when dropped.
pub struct Permit {
    admission: RenderAdmission,
    number: u64,
    origin: String,
}

impl Permit {
    /// Notes how the render went for its origin.
    pub fn note(&self, result: OriginResult) {
        let now = Instant::now();
        let mut state = self.admission.lock();
        state.origins.entry(self.origin.clone()).or_default().note(result, now);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut state = self.admission.lock();
        state.running = state.running.saturating_sub(1);
        if let Some(origin) = state.origins.get_mut(&self.origin) {
            origin.running.remove(&self.number);
        }
        if state.origins.len() > REMEMBERED {
            state.origins.retain(|_, origin| !origin.is_forgettable(now));
        }
        drop(state);
        self.admission.admit();
    }
}

/// What goes first: a client waits, somebody asked for it, nobody did.
fn class_of(purpose: Purpose) -> u8 {
    match purpose {
        Purpose::OnDemand => 0,
        Purpose::Forced | Purpose::Refresh => 1,
        Purpose::Background => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(30);
    const SHORT: Duration = Duration::from_millis(30);

    fn applicant(purpose: Purpose, domain: &str) -> Applicant {
        Applicant { purpose, domain: domain.to_owned(), origin: format!("{domain}.origin") }
    }

    async fn enter(admission: &RenderAdmission, purpose: Purpose, domain: &str) -> Result<Permit, Refusal> {
        admission.enter(applicant(purpose, domain), SHORT, &CancellationToken::new()).await
    }

    /// Queues renders while the only slot is taken, then lets them in one by one; answers the order.
    async fn order_of(queued: &[(Purpose, &'static str)]) -> Vec<&'static str> {
        let admission = RenderAdmission::new(1, 1_000);
        let first = enter(&admission, Purpose::Forced, "first").await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let never = CancellationToken::new();
        let waits = queued.iter().map(|(purpose, domain)| {
            let (admission, order, never) = (admission.clone(), order.clone(), never.clone());
            async move {
                let permit = admission.enter(applicant(*purpose, domain), LONG, &never).await;
                order.lock().unwrap().push(*domain);
                permit.map(|permit| permit.note(OriginResult::Responded)).unwrap();
            }
        });
        let release = async {
            tokio::time::sleep(SHORT).await;
            drop(first);
        };
        futures::join!(futures::future::join_all(waits), release);
        order.lock().unwrap().clone()
    }

    #[tokio::test]
    async fn a_client_goes_before_a_refresh_and_a_refresh_before_what_nobody_asked_for() {
        use Purpose::{Background, OnDemand, Refresh};

        let order = order_of(&[(Background, "stale"), (Refresh, "job"), (OnDemand, "client")]).await;

        assert_eq!(order, ["client", "job", "stale"]);
    }

    #[tokio::test]
    async fn domains_take_turns_within_a_class() {
        let mut queued = vec![(Purpose::OnDemand, "big"); 5];
        queued.push((Purpose::OnDemand, "small"));

        let order = order_of(&queued).await;

        assert_eq!(order[..2], ["big", "small"]);
    }

    #[tokio::test]
    async fn an_origin_that_hangs_holds_two_slots_and_not_all() {
        let admission = RenderAdmission::new(8, 1_000);

        let first = enter(&admission, Purpose::OnDemand, "hangs").await;
        let second = enter(&admission, Purpose::OnDemand, "hangs").await;
        let third = enter(&admission, Purpose::OnDemand, "hangs").await;
        let other = enter(&admission, Purpose::OnDemand, "well").await;

        assert!(first.is_ok() && second.is_ok() && other.is_ok());
        assert_eq!(third.err(), Some(Refusal::Busy));
    }

    #[tokio::test]
    async fn an_origin_that_answers_may_use_every_slot() {
        let admission = RenderAdmission::new(8, 1_000);
        enter(&admission, Purpose::OnDemand, "well").await.unwrap().note(OriginResult::Responded);

        let permits =
            futures::future::join_all((0..8).map(|_| enter(&admission, Purpose::Refresh, "well"))).await;

        assert!(permits.iter().all(Result::is_ok));
    }

    #[tokio::test]
    async fn an_origin_that_failed_three_times_is_left_alone_for_a_while() {
        let admission = RenderAdmission::new(8, 1_000);
        for _ in 0..3 {
            enter(&admission, Purpose::OnDemand, "down").await.unwrap().note(OriginResult::Failed);
        }

        assert_eq!(enter(&admission, Purpose::OnDemand, "down").await.err(), Some(Refusal::OriginDown));
        assert!(enter(&admission, Purpose::OnDemand, "well").await.is_ok());
        // Later one render finds out whether it is well again.
        let after = Instant::now() + FIRST_BREAK;
        let state = admission.lock();
        let origin = &state.origins["down.origin"];
        assert!(!origin.is_closed(after) && origin.has_room(after));
    }

    #[tokio::test]
    async fn a_domain_has_only_so_many_renders_on_demand_in_a_minute() {
        let admission = RenderAdmission::new(8, 3);
        for _ in 0..3 {
            enter(&admission, Purpose::OnDemand, "busy").await.unwrap();
        }

        assert_eq!(enter(&admission, Purpose::OnDemand, "busy").await.err(), Some(Refusal::OverRate));
        assert!(enter(&admission, Purpose::Refresh, "busy").await.is_ok(), "a job is nobody's demand");
        assert!(enter(&admission, Purpose::OnDemand, "other").await.is_ok());
    }

    #[tokio::test]
    async fn a_render_that_nobody_waits_for_any_more_does_not_start() {
        let admission = RenderAdmission::new(1, 1_000);
        let first = enter(&admission, Purpose::OnDemand, "first").await.unwrap();
        let abandoned = CancellationToken::new();
        abandoned.cancel();

        let refused = admission.enter(applicant(Purpose::OnDemand, "left"), LONG, &abandoned).await;
        drop(first);

        assert_eq!(refused.err(), Some(Refusal::Abandoned));
        assert!(enter(&admission, Purpose::OnDemand, "next").await.is_ok(), "no place is lost");
    }
}
