//! Which renders may start, and in which order: by class, within a class by domain in turn, no domain above its share while
//! others wait, and never more towards an origin than it deserves. Used by render tasks before they take a lease, a plan's allowance or a browser.
//! Must never touch the database: refusing has to cost nothing.
//! See docs/decisions/0034.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::model::RenderPurpose;
pub use super::origin_state::OriginResult;
use super::origin_state::OriginState;
use platform::clock::Clock;
use platform::limits::RateWindow;

/// Renders that may wait, in all and for one domain.
const MAX_WAITING: usize = 2_000;
const MAX_WAITING_PER_DOMAIN: usize = 200;
/// Origins that are remembered.
const REMEMBERED: usize = 10_000;

/// A render that wants to start.
#[derive(Debug, Clone)]
pub struct Applicant {
    /// Why it is made.
    pub purpose: RenderPurpose,
    /// The domain that it is for.
    pub domain: String,
    /// The server that it asks.
    pub origin: String,
}

/// Why a render may not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum RenderRefusal {
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

/// The gate of this process. Cheap to clone.
#[derive(Clone)]
pub struct RenderAdmission(Arc<Shared>);

struct Shared {
    slots: usize,
    /// Renders on demand, by domain.
    on_demand: RateWindow<str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: usize,
    /// Of each domain.
    running_of: HashMap<String, usize>,
    next: u64,
    waiting: usize,
    /// By class, the most urgent first.
    classes: BTreeMap<u8, ClassQueue>,
    origins: HashMap<String, OriginState>,
}

/// Those that wait in one class; domains take turns.
#[derive(Default)]
struct ClassQueue {
    turns: VecDeque<String>,
    queues: HashMap<String, VecDeque<Waiter>>,
}

struct Waiter {
    number: u64,
    domain: String,
    origin: String,
    admitted: oneshot::Sender<Permit>,
}

impl ClassQueue {
    /// Takes the first one that may begin, domain by domain; those of whom none may go to the end of the turns too.
    fn take_first(&mut self, may_begin: impl Fn(&Waiter) -> bool) -> Option<Waiter> {
        for _ in 0..self.turns.len() {
            let domain = self.turns.pop_front()?;
            let Some(queue) = self.queues.get_mut(&domain) else { continue };
            let waiter = match queue.front() {
                Some(first) if may_begin(first) => queue.pop_front(),
                _ => None,
            };
            match queue.is_empty() {
                true => drop(self.queues.remove(&domain)),
                false => self.turns.push_back(domain),
            }
            if waiter.is_some() {
                return waiter;
            }
        }
        None
    }
}

impl RenderAdmission {
    /// A gate for so many renders at a time.
    pub fn new(slots: usize, on_demand_per_minute: u32, clock: &Clock) -> RenderAdmission {
        let on_demand = RateWindow::per_minute(on_demand_per_minute, clock.clone());
        RenderAdmission(Arc::new(Shared { slots: slots.max(1), on_demand, state: Mutex::default() }))
    }

    /// Waits for a place, until the deadline or until nobody waits for the page any more.
    pub async fn enter(
        &self,
        applicant: Applicant,
        deadline: Duration,
        abandoned: &CancellationToken,
    ) -> Result<Permit, RenderRefusal> {
        let class = class_of(applicant.purpose);
        let (number, mut admitted) = self.queue(applicant.clone(), class)?;
        let refusal = tokio::select! {
            biased;
            permit = &mut admitted => return permit.map_err(|_| RenderRefusal::Busy),
            () = abandoned.cancelled() => RenderRefusal::Abandoned,
            () = tokio::time::sleep(deadline) => RenderRefusal::Busy,
        };
        self.lock().leave(class, &applicant.domain, number);
        // Dropping the receiver gives a permit back that came in this moment.
        Err(refusal)
    }

    fn queue(
        &self,
        applicant: Applicant,
        class: u8,
    ) -> Result<(u64, oneshot::Receiver<Permit>), RenderRefusal> {
        let now = Instant::now();
        let mut state = self.lock();
        if state.origins.get(&applicant.origin).is_some_and(|origin| origin.is_closed(now)) {
            return Err(RenderRefusal::OriginDown);
        }
        let queued = state.classes.get(&class).and_then(|class| class.queues.get(&applicant.domain));
        if queued.is_some_and(|queue| queue.len() >= MAX_WAITING_PER_DOMAIN) {
            return Err(RenderRefusal::Busy);
        }
        let giving_way = match state.waiting >= MAX_WAITING {
            true => Some(state.who_gives_way_to(&applicant.domain).ok_or(RenderRefusal::Busy)?),
            false => None,
        };
        if applicant.purpose == RenderPurpose::OnDemand && !self.0.on_demand.take(&applicant.domain).allowed {
            return Err(RenderRefusal::OverRate);
        }
        if let Some((class, domain)) = giving_way {
            state.turn_away_newest(class, &domain);
        }
        state.next += 1;
        let (number, (sender, receiver)) = (state.next, oneshot::channel());
        let domain = applicant.domain.clone();
        let waiter = Waiter { number, domain, origin: applicant.origin, admitted: sender };
        state.waiting += 1;
        let ClassQueue { turns, queues } = state.classes.entry(class).or_default();
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
            let Some(waiter) = state.next_waiter(now, self.0.slots) else { return };
            state.running += 1;
            *state.running_of.entry(waiter.domain.clone()).or_default() += 1;
            let origin = state.origins.entry(waiter.origin.clone()).or_default();
            origin.begin(waiter.number, now);
            drop(state);
            let Waiter { number, domain, origin, admitted } = waiter;
            let permit = Permit { admission: self.clone(), number, domain, origin };
            // Whoever has gone gives it back by dropping it, which asks here again.
            drop(admitted.send(permit));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the first that has room at its origin out of the queue; its domain goes to the end of the turns. A domain that has
    /// its share of the slots waits until no other of the class can begin.
    fn next_waiter(&mut self, now: Instant, slots: usize) -> Option<Waiter> {
        let State { classes, origins, running_of, .. } = self;
        let running = |domain: &str| running_of.get(domain).copied().unwrap_or_default();
        for class in classes.values_mut() {
            let elsewhere = running_of.keys().filter(|domain| !class.queues.contains_key(*domain)).count();
            let share = (slots / (class.queues.len() + elsewhere).max(1)).max(1);
            let has_room = |waiter: &Waiter, most: usize| {
                running(&waiter.domain) < most
                    && origins.get(&waiter.origin).is_none_or(|origin| origin.has_room(now))
            };
            let found = class.take_first(|waiter| has_room(waiter, share));
            if let Some(waiter) = found.or_else(|| class.take_first(|waiter| has_room(waiter, usize::MAX))) {
                self.waiting -= 1;
                return Some(waiter);
            }
        }
        None
    }

    /// Whose newest waiter gives way when the queue is full: that of the domain with most of them, in its least urgent class. None:
    /// that is the one which asks.
    fn who_gives_way_to(&self, domain: &str) -> Option<(u8, String)> {
        let mut of_domain: HashMap<&str, (usize, u8)> = HashMap::new();
        for (class, ClassQueue { queues, .. }) in &self.classes {
            for (name, queue) in queues {
                let (waiting, least_urgent) = of_domain.entry(name).or_default();
                *waiting += queue.len();
                *least_urgent = *class;
            }
        }
        let own = of_domain.get(domain).map_or(0, |(waiting, _)| *waiting);
        let (name, (most, class)) = of_domain.into_iter().max_by_key(|(_, counts)| *counts)?;
        (own < most).then(|| (class, name.to_owned()))
    }

    /// Tells the last one of a domain's queue that it need not wait.
    fn turn_away_newest(&mut self, class: u8, domain: &str) {
        let queue = self.classes.get(&class).and_then(|class| class.queues.get(domain));
        if let Some(number) = queue.and_then(VecDeque::back).map(|waiter| waiter.number) {
            self.leave(class, domain, number);
        }
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
}

/// A place; given back when dropped.
pub struct Permit {
    admission: RenderAdmission,
    number: u64,
    domain: String,
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
        if let Some(running) = state.running_of.get_mut(&self.domain) {
            *running -= 1;
            if *running == 0 {
                state.running_of.remove(&self.domain);
            }
        }
        if let Some(origin) = state.origins.get_mut(&self.origin) {
            origin.end(self.number);
        }
        if state.origins.len() > REMEMBERED {
            state.origins.retain(|_, origin| !origin.is_forgettable(now));
        }
        drop(state);
        self.admission.admit();
    }
}

/// What goes first: a client waits, somebody asked for it, nobody did.
fn class_of(purpose: RenderPurpose) -> u8 {
    match purpose {
        RenderPurpose::OnDemand => 0,
        RenderPurpose::Forced | RenderPurpose::Refresh | RenderPurpose::Look => 1,
        RenderPurpose::Background => 2,
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);
    const SHORT: Duration = Duration::from_millis(30);

    fn admission(slots: usize, on_demand_per_minute: u32) -> RenderAdmission {
        RenderAdmission::new(slots, on_demand_per_minute, &Clock::system())
    }

    fn applicant(purpose: RenderPurpose, domain: &str) -> Applicant {
        Applicant { purpose, domain: domain.to_owned(), origin: format!("{domain}.origin") }
    }

    async fn enter(
        admission: &RenderAdmission,
        purpose: RenderPurpose,
        domain: &str,
    ) -> Result<Permit, RenderRefusal> {
        admission.enter(applicant(purpose, domain), SHORT, &CancellationToken::new()).await
    }

    /// Queues renders while the only slot is taken, then lets them in one by one; answers the order.
    async fn order_of(queued: &[(RenderPurpose, &'static str)]) -> Vec<&'static str> {
        let admission = admission(1, 1_000);
        let first = enter(&admission, RenderPurpose::Forced, "first").await;
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
        use RenderPurpose::{Background, OnDemand, Refresh};

        let order = order_of(&[(Background, "stale"), (Refresh, "job"), (OnDemand, "client")]).await;

        assert_eq!(order, ["client", "job", "stale"]);
    }

    #[tokio::test]
    async fn domains_take_turns_within_a_class() {
        let mut queued = vec![(RenderPurpose::OnDemand, "big"); 5];
        queued.push((RenderPurpose::OnDemand, "small"));

        let order = order_of(&queued).await;

        assert_eq!(order[..2], ["big", "small"]);
    }

    #[tokio::test]
    async fn an_origin_that_hangs_holds_two_slots_and_not_all() {
        let admission = admission(8, 1_000);

        let first = enter(&admission, RenderPurpose::OnDemand, "hangs").await;
        let second = enter(&admission, RenderPurpose::OnDemand, "hangs").await;
        let third = enter(&admission, RenderPurpose::OnDemand, "hangs").await;
        let other = enter(&admission, RenderPurpose::OnDemand, "well").await;

        assert!(first.is_ok() && second.is_ok() && other.is_ok());
        assert_eq!(third.err(), Some(RenderRefusal::Busy));
    }

    #[tokio::test]
    async fn an_origin_that_answers_may_use_every_slot() {
        let admission = admission(8, 1_000);
        enter(&admission, RenderPurpose::OnDemand, "well").await.unwrap().note(OriginResult::Responded);

        let permits =
            futures::future::join_all((0..8).map(|_| enter(&admission, RenderPurpose::Refresh, "well")))
                .await;

        assert!(permits.iter().all(Result::is_ok));
    }

    #[tokio::test]
    async fn an_origin_that_failed_three_times_is_left_alone_for_a_while() {
        let admission = admission(8, 1_000);
        for _ in 0..3 {
            enter(&admission, RenderPurpose::OnDemand, "down").await.unwrap().note(OriginResult::Failed);
        }

        assert_eq!(
            enter(&admission, RenderPurpose::OnDemand, "down").await.err(),
            Some(RenderRefusal::OriginDown)
        );
        assert!(enter(&admission, RenderPurpose::OnDemand, "well").await.is_ok());
    }

    #[tokio::test]
    async fn while_others_wait_a_domain_has_its_share_of_the_slots_and_no_more() {
        let admission = admission(4, 1_000);
        enter(&admission, RenderPurpose::OnDemand, "hangs").await.unwrap().note(OriginResult::Responded);
        let mut held = Vec::new();
        for _ in 0..4 {
            held.push(enter(&admission, RenderPurpose::OnDemand, "hangs").await.unwrap());
        }
        let never = CancellationToken::new();
        let wait =
            |domain| Box::pin(admission.enter(applicant(RenderPurpose::OnDemand, domain), LONG, &never));
        let mut own: Vec<_> = (0..2).map(|_| wait("hangs")).collect();
        let mut others: Vec<_> = (0..2).map(|_| wait("other")).collect();
        assert!(own.iter_mut().chain(&mut others).all(|waits| waits.now_or_never().is_none()));

        held.truncate(2);

        let begun: Vec<_> = others.iter_mut().filter_map(|waits| waits.now_or_never()).collect();
        assert!(begun.len() == 2 && begun.iter().all(Result::is_ok));
        assert!(own.iter_mut().all(|waits| waits.now_or_never().is_none()));
    }

    #[tokio::test]
    async fn when_the_queue_is_full_the_newest_of_the_longest_gives_way() {
        let admission = admission(1, 100_000);
        let _first = enter(&admission, RenderPurpose::OnDemand, "first").await.unwrap();
        let never = CancellationToken::new();
        let wait = |domain: &str| {
            Box::pin(admission.enter(applicant(RenderPurpose::OnDemand, domain), LONG, &never))
        };
        let mut crowd: Vec<_> = (0..10)
            .flat_map(|number| vec![format!("crowd{number}"); MAX_WAITING_PER_DOMAIN])
            .map(|domain| wait(&domain))
            .collect();
        assert!(crowd.iter_mut().all(|waits| waits.now_or_never().is_none()));

        let mut newcomer = wait("newcomer");
        assert!((&mut newcomer).now_or_never().is_none(), "it waits");

        let refused = crowd.iter_mut().filter_map(|waits| waits.now_or_never()).map(|found| found.err());
        assert_eq!(refused.collect::<Vec<_>>(), [Some(RenderRefusal::Busy)]);
        assert_eq!(admission.lock().waiting, MAX_WAITING);
        assert_eq!(
            enter(&admission, RenderPurpose::OnDemand, "crowd0").await.err(),
            Some(RenderRefusal::Busy)
        );
    }

    #[tokio::test]
    async fn a_domain_has_only_so_many_renders_on_demand_in_a_minute() {
        let admission = admission(8, 3);
        for _ in 0..3 {
            enter(&admission, RenderPurpose::OnDemand, "busy").await.unwrap();
        }

        assert_eq!(
            enter(&admission, RenderPurpose::OnDemand, "busy").await.err(),
            Some(RenderRefusal::OverRate)
        );
        assert!(enter(&admission, RenderPurpose::Refresh, "busy").await.is_ok(), "a job is nobody's demand");
        assert!(enter(&admission, RenderPurpose::OnDemand, "other").await.is_ok());
    }

    #[tokio::test]
    async fn a_render_that_nobody_waits_for_any_more_does_not_start() {
        let admission = admission(1, 1_000);
        let first = enter(&admission, RenderPurpose::OnDemand, "first").await.unwrap();
        let abandoned = CancellationToken::new();
        abandoned.cancel();

        let refused = admission.enter(applicant(RenderPurpose::OnDemand, "left"), LONG, &abandoned).await;
        drop(first);

        assert_eq!(refused.err(), Some(RenderRefusal::Abandoned));
        assert!(enter(&admission, RenderPurpose::OnDemand, "next").await.is_ok(), "no place is lost");
    }
}
