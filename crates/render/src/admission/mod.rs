//! Gate of renders, the only queue between a request and a tab: admits by urgency, domain and origin, into as many slots as the
//! browsers have. Used by render tasks before they acquire a lease, the account's usage or a tab.
//! Must never touch the database, so that a refusal costs nothing.
//! See docs/decisions/0034.

mod slots;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use browser::{RenderCapacity, Renderer};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use self::slots::{RenderClass, Running, Slots, Ticket};
use super::model::RenderPurpose;
pub use super::origin_state::OriginResult;
use platform::clock::Clock;
use platform::limits::RateWindow;

/// Maximum number of waiting renders, in all and of one domain.
const MAX_WAITING: usize = 2_000;
const MAX_WAITING_PER_DOMAIN: usize = 200;
/// Maximum wait of a client's render.
const CLIENT_WAIT: Duration = Duration::from_secs(20);
/// Maximum wait of other renders for their origin. Their wait for a slot is not limited.
const ORIGIN_WAIT: Duration = Duration::from_secs(30);
/// Interval between adjustments of the number of slots.
const FOLLOW_EVERY: Duration = Duration::from_millis(250);

/// A render that wants to start.
#[derive(Debug, Clone)]
pub struct Applicant {
    pub purpose: RenderPurpose,
    /// Domain of the page.
    pub domain: String,
    /// Server that is asked for the page.
    pub origin: String,
}

/// Reason why a render may not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum RenderRefusal {
    /// No slot became free in time, or the queue is full.
    #[error("too many renders are waiting")]
    Busy,
    /// The domain has used its renders on demand of this minute.
    #[error("the domain has used its renders on demand of this minute")]
    OverRate,
    /// The origin did not answer several times in a row.
    #[error("the origin could not be reached: it did not answer several times in a row")]
    OriginDown,
    /// No caller waits for the page any more.
    #[error("nobody waits for the page any more")]
    Abandoned,
    /// No caller waits for the page, and it could not be stored.
    #[error("the object store does not answer")]
    StoreDown,
}

/// The gate of this process. Cheap to clone.
#[derive(Clone)]
pub struct RenderAdmission(Arc<Shared>);

struct Shared {
    max_slots: usize,
    /// Renders on demand by domain.
    on_demand: RateWindow<str>,
    slots: Mutex<Slots>,
}

impl RenderAdmission {
    /// Makes a gate with at most this many slots, and as many until it follows the browsers.
    pub fn new(max_slots: usize, on_demand_per_minute: u32, clock: &Clock) -> RenderAdmission {
        let max_slots = max_slots.max(1);
        let slots = Slots::new(RenderCapacity { all: max_slots, background: max_slots });
        let on_demand = RateWindow::per_minute(on_demand_per_minute, clock.clone());
        RenderAdmission(Arc::new(Shared { max_slots, on_demand, slots: Mutex::new(slots) }))
    }

    /// Adjusts the number of slots to the capacity of the browsers. Never ends. Also admits renders whose slot or origin became
    /// free by the passage of time.
    pub async fn follow(&self, browsers: &dyn Renderer) {
        let mut ticks = interval(FOLLOW_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let load = self.slots().load(Instant::now());
            self.set_capacity(browsers.capacity(&load));
        }
    }

    fn set_capacity(&self, capacity: RenderCapacity) {
        let all = capacity.all.clamp(1, self.0.max_slots);
        self.slots().capacity = RenderCapacity { all, ..capacity };
        self.admit();
    }

    /// Waits for a slot, until the wait is too long or the render is abandoned.
    pub async fn enter(
        &self,
        applicant: Applicant,
        abandoned: &CancellationToken,
    ) -> Result<Permit, RenderRefusal> {
        let origin = applicant.origin.clone();
        let (ticket, mut admitted) = self.queue(applicant)?;
        let is_client = ticket.class == RenderClass::Client;
        let refusal = loop {
            tokio::select! {
                biased;
                permit = &mut admitted => return permit.map_err(|_| RenderRefusal::Busy),
                () = abandoned.cancelled() => break RenderRefusal::Abandoned,
                () = sleep(if is_client { CLIENT_WAIT } else { ORIGIN_WAIT }) => {
                    if is_client || !self.slots().has_room(&origin, Instant::now()) {
                        break RenderRefusal::Busy;
                    }
                }
            }
        };
        self.slots().remove(&ticket);
        // Dropping the receiver releases a permit that was sent at this moment.
        Err(refusal)
    }

    /// Queues a render, and admits it if it may begin.
    fn queue(&self, applicant: Applicant) -> Result<(Ticket, oneshot::Receiver<Permit>), RenderRefusal> {
        let class = RenderClass::of(applicant.purpose);
        let mut slots = self.slots();
        if slots.is_origin_down(&applicant.origin, Instant::now()) {
            return Err(RenderRefusal::OriginDown);
        }
        if slots.waiting_of(class, &applicant.domain) >= MAX_WAITING_PER_DOMAIN {
            return Err(RenderRefusal::Busy);
        }
        let evictable = match slots.waiting() >= MAX_WAITING {
            true => Some(slots.find_evictable(&applicant.domain).ok_or(RenderRefusal::Busy)?),
            false => None,
        };
        if class == RenderClass::Client && !self.0.on_demand.take(&applicant.domain).allowed {
            return Err(RenderRefusal::OverRate);
        }
        if let Some(evictable) = evictable {
            slots.remove(&evictable);
        }
        let queued = slots.push(applicant);
        drop(slots);
        self.admit();
        Ok(queued)
    }

    /// Grants free slots to waiting renders.
    fn admit(&self) {
        loop {
            // The lock is released before a permit is sent: a cancelled render drops its permit, which acquires the lock.
            let next = self.slots().begin_next(Instant::now());
            let Some((running, admitted)) = next else { return };
            drop(admitted.send(Permit { admission: self.clone(), running }));
        }
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.0.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot, released when dropped.
pub struct Permit {
    admission: RenderAdmission,
    running: Running,
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("origin", &self.running.origin).finish_non_exhaustive()
    }
}

impl Permit {
    /// Records the result of the render for its origin.
    pub fn note(&self, result: OriginResult) {
        self.admission.slots().note(&self.running, result, Instant::now());
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.admission.slots().end(&mut self.running, Instant::now());
        self.admission.admit();
    }
}

#[cfg(test)]
mod tests;
