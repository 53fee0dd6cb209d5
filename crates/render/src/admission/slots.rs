//! Slots of the gate and the renders that wait for them: which render begins next. Used by the gate. Knows neither tasks nor
//! timers. Must never let one domain's renders delay another domain's first one, nor clients' renders stop all others.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use browser::{RenderCapacity, RenderLoad};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::super::model::RenderPurpose;
use super::super::origin_state::{OriginResult, OriginState};
use super::{Applicant, Permit};
use platform::limits::{FairQueue, KeyedCount, KeyedSlot};

/// Divisor of the capacity that gives the extra slots of clients' renders (at least one), so that none waits for another's end.
const CLIENT_EXTRA: usize = 8;
/// Divisor of the background limit while a client's render runs. During the cooldown the background limit applies undivided.
const BACKGROUND_SHARE: usize = 3;
/// Time after a client's render in which the next one is expected, so that other renders keep their lower limit.
pub const CLIENT_COOLDOWN: Duration = Duration::from_secs(1);
/// Number of requested renders in a row after which a background render precedes them.
const REQUESTED_IN_A_ROW: usize = 2;
/// Maximum number of origins whose state is kept.
const MAX_ORIGINS: usize = 10_000;

/// Urgency of a render, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RenderClass {
    /// A client waits for the page.
    Client,
    /// A caller requested the render.
    Requested,
    Background,
}

impl RenderClass {
    /// Returns the class of a purpose.
    pub fn of(purpose: RenderPurpose) -> RenderClass {
        match purpose {
            RenderPurpose::OnDemand => RenderClass::Client,
            RenderPurpose::Forced | RenderPurpose::Refresh | RenderPurpose::Look => RenderClass::Requested,
            RenderPurpose::Background => RenderClass::Background,
        }
    }
}

/// Position of a waiting render in the queues.
pub struct Ticket {
    pub class: RenderClass,
    domain: String,
    number: u64,
}

struct Waiter {
    number: u64,
    origin: String,
    admitted: oneshot::Sender<Permit>,
}

/// A render that has a slot.
pub struct Running {
    pub origin: String,
    class: RenderClass,
    number: u64,
    of_domain: KeyedSlot<String>,
}

/// Slots in use, waiting renders and the state of each origin.
pub struct Slots {
    pub capacity: RenderCapacity,
    /// Running renders: of clients, and all others.
    clients: usize,
    others: usize,
    running_of: KeyedCount<String>,
    /// Time at which the last client's render ended.
    last_client: Option<Instant>,
    /// Requested renders that began since the last background render.
    requested_in_a_row: usize,
    last_number: u64,
    /// Waiting renders of each class, by domain.
    queues: [FairQueue<String, Waiter>; 3],
    origins: HashMap<String, OriginState>,
}

impl Slots {
    /// Makes as many free slots as the capacity.
    pub fn new(capacity: RenderCapacity) -> Slots {
        Slots {
            capacity,
            clients: 0,
            others: 0,
            running_of: KeyedCount::default(),
            last_client: None,
            requested_in_a_row: 0,
            last_number: 0,
            queues: Default::default(),
            origins: HashMap::new(),
        }
    }

    /// Queues a render. Returns its position and the receiver of its permit.
    pub fn push(&mut self, applicant: Applicant) -> (Ticket, oneshot::Receiver<Permit>) {
        let Applicant { purpose, domain, origin } = applicant;
        let (admitted, receiver) = oneshot::channel();
        self.last_number += 1;
        let (class, number) = (RenderClass::of(purpose), self.last_number);
        self.queues[class as usize].push(domain.clone(), Waiter { number, origin, admitted });
        (Ticket { class, domain, number }, receiver)
    }

    /// Removes a waiting render.
    pub fn remove(&mut self, ticket: &Ticket) {
        self.queues[ticket.class as usize].retain(&ticket.domain, |waiter| waiter.number != ticket.number);
    }

    /// Returns the number of waiting renders.
    pub fn waiting(&self) -> usize {
        self.queues.iter().map(FairQueue::len).sum()
    }

    /// Returns the number of waiting renders of a domain in a class.
    pub fn waiting_of(&self, class: RenderClass, domain: &String) -> usize {
        self.queues[class as usize].of_key(domain).map_or(0, VecDeque::len)
    }

    /// Returns the load of the browsers. A domain whose first waiting render has no room at its origin waits for no slot.
    pub fn load(&self, now: Instant) -> RenderLoad {
        let first = self.queues.iter().flat_map(FairQueue::by_key).filter_map(|(_, waiters)| waiters.front());
        let waiting = first.filter(|waiter| self.has_room(&waiter.origin, now)).count();
        RenderLoad { active: self.clients + self.others, is_yielding: self.is_yielding(now), waiting }
    }

    /// Finds the waiting render that is refused when the queue is full: the newest of the domain that has most of them, in its least
    /// urgent class. None: `domain` itself has most.
    pub fn find_evictable(&self, domain: &str) -> Option<Ticket> {
        let mut of_domain: HashMap<&str, (usize, RenderClass, u64)> = HashMap::new();
        for class in [RenderClass::Client, RenderClass::Requested, RenderClass::Background] {
            for (name, waiters) in self.queues[class as usize].by_key() {
                let newest = waiters.back().map_or(0, |waiter| waiter.number);
                let waiting = of_domain.get(name.as_str()).map_or(0, |(waiting, ..)| *waiting);
                of_domain.insert(name, (waiting + waiters.len(), class, newest));
            }
        }
        let own = of_domain.get(domain).map_or(0, |(waiting, ..)| *waiting);
        let (name, (most, class, number)) = of_domain.into_iter().max_by_key(|(_, counts)| *counts)?;
        (own < most).then(|| Ticket { class, domain: name.to_owned(), number })
    }

    /// Begins the most urgent waiting render that has a slot and room at its origin. Returns it with the sender of its permit.
    pub fn begin_next(&mut self, now: Instant) -> Option<(Running, oneshot::Sender<Permit>)> {
        use RenderClass::{Background, Client, Requested};
        // A refresh of a large site would otherwise keep background renders waiting for hours.
        let order = match self.requested_in_a_row >= REQUESTED_IN_A_ROW {
            true => [Client, Background, Requested],
            false => [Client, Requested, Background],
        };
        for class in order {
            while self.has_slot(class, now)
                && let Some((domain, Waiter { number, origin, admitted })) = self.pop(class, now)
            {
                if admitted.is_closed() {
                    continue;
                }
                *self.running(class) += 1;
                match class {
                    Client => {}
                    Requested => self.requested_in_a_row += 1,
                    Background => self.requested_in_a_row = 0,
                }
                self.origins.entry(origin.clone()).or_default().begin(number, now);
                let of_domain = self.running_of.acquire(domain, usize::MAX).expect("there is no limit");
                return Some((Running { origin, class, number, of_domain }, admitted));
            }
        }
        None
    }

    /// Ends a render.
    pub fn end(&mut self, running: &mut Running, now: Instant) {
        running.of_domain.release();
        *self.running(running.class) -= 1;
        if running.class == RenderClass::Client {
            self.last_client = Some(now);
        }
        if let Some(origin) = self.origins.get_mut(&running.origin) {
            origin.end(running.number);
        }
        if self.origins.len() > MAX_ORIGINS {
            self.origins.retain(|_, origin| !origin.is_forgettable(now));
        }
    }

    /// Records the result of a render for its origin.
    pub fn note(&mut self, running: &Running, result: OriginResult, now: Instant) {
        self.origins.entry(running.origin.clone()).or_default().note(result, now);
    }

    /// Returns true while an origin is left alone, because several renders in a row failed.
    pub fn is_origin_down(&self, origin: &str, now: Instant) -> bool {
        self.origins.get(origin).is_some_and(|origin| origin.is_closed(now))
    }

    /// Returns true when one more render may begin at an origin.
    pub fn has_room(&self, origin: &str, now: Instant) -> bool {
        self.origins.get(origin).is_none_or(|origin| origin.has_room(now))
    }

    fn running(&mut self, class: RenderClass) -> &mut usize {
        if class == RenderClass::Client { &mut self.clients } else { &mut self.others }
    }

    fn is_yielding(&self, now: Instant) -> bool {
        self.clients > 0 || self.last_client.is_some_and(|ended| now.duration_since(ended) < CLIENT_COOLDOWN)
    }

    /// Returns true when one more render of a class has a slot.
    fn has_slot(&self, class: RenderClass, now: Instant) -> bool {
        let RenderCapacity { all, background } = self.capacity;
        if class == RenderClass::Client {
            return self.clients + self.others < all + (all / CLIENT_EXTRA).max(1);
        }
        let limit = match self.is_yielding(now) {
            true if self.clients > 0 => (background / BACKGROUND_SHARE).max(1),
            true => background,
            false => all,
        };
        // Clients' renders use the slots of others too, except the last one.
        self.others < limit.min(all.saturating_sub(self.clients).max(1))
    }

    /// Removes the first waiting render of a class that has room at its origin. A domain that has its share of the slots waits until
    /// no other domain of the class can begin.
    fn pop(&mut self, class: RenderClass, now: Instant) -> Option<(String, Waiter)> {
        let Slots { queues, origins, running_of, capacity, .. } = self;
        let queue = &mut queues[class as usize];
        let idle = queue.by_key().filter(|(domain, _)| running_of.in_use(*domain) == 0).count();
        let share = (capacity.all / (running_of.keys() + idle).max(1)).max(1);
        let has_room =
            |waiter: &Waiter| origins.get(&waiter.origin).is_none_or(|origin| origin.has_room(now));
        let below_share =
            queue.pop_first(|domain, waiter| running_of.in_use(domain) < share && has_room(waiter));
        below_share.or_else(|| queue.pop_first(|_, waiter| has_room(waiter)))
    }
}
