//! Limits of the requests that wait for origins: per domain, and per origin over all domains that share it. Used by
//! forwarding. Must never let an origin that hangs cost any other domain more than the refusal of a request.
//! See docs/decisions/0061.

use std::sync::{Arc, Mutex, PoisonError};

use platform::limits::{KeyedCount, KeyedSlot};

/// Limit of an origin, in limits of a domain. Also the divisor of the share of its limit that each domain always has at a shared
/// origin: anybody can name somebody else's origin.
const SHARING: usize = 4;

/// Limits of all domains and origins. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bulkhead {
    per_domain: usize,
    domains: KeyedCount<String>,
    origins: KeyedCount<String>,
}

/// A request's slot at its domain and its origin; released when dropped.
#[derive(Debug)]
pub struct OriginSlot([KeyedSlot<String>; 2]);

impl OriginSlot {
    /// Releases the slot while the client is waited for: clients that do not read could otherwise hold all slots of a domain.
    pub fn rest(&mut self) {
        self.0.iter_mut().for_each(KeyedSlot::release);
    }

    /// Acquires the slot again while the origin is waited for.
    pub fn resume(&mut self) {
        self.0.iter_mut().for_each(KeyedSlot::reacquire);
    }
}

/// A slot that the request's body shares while the client sends it.
#[derive(Debug)]
pub struct SharedSlot(Arc<Mutex<Option<OriginSlot>>>);

/// The body's part of a shared slot: it releases the slot while the client is waited for.
#[derive(Debug)]
pub struct BodySlot(Arc<Mutex<Option<OriginSlot>>>);

impl SharedSlot {
    /// Shares a slot with a body.
    pub fn new(place: OriginSlot) -> SharedSlot {
        SharedSlot(Arc::new(Mutex::new(Some(place))))
    }

    /// Returns the part for the body.
    pub fn borrow(&self) -> BodySlot {
        BodySlot(self.0.clone())
    }

    /// Takes the slot from the body. None when it was taken before.
    pub fn take_back(&self) -> Option<OriginSlot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for SharedSlot {
    fn drop(&mut self) {
        drop(self.take_back());
    }
}

impl BodySlot {
    /// Releases the slot while the client is waited for.
    pub fn rest(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(OriginSlot::rest);
    }

    /// Acquires the slot again while the origin is waited for.
    pub fn resume(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(OriginSlot::resume);
    }
}

impl Drop for BodySlot {
    fn drop(&mut self) {
        self.resume();
    }
}

impl Bulkhead {
    /// Limits the requests in flight per domain.
    pub fn new(per_domain: usize) -> Bulkhead {
        Bulkhead { per_domain, domains: KeyedCount::default(), origins: KeyedCount::default() }
    }

    /// Acquires a slot for a request of a domain. None when the domain or its origin has reached its limit.
    pub fn enter(&self, domain: &str, origin: &str) -> Option<OriginSlot> {
        let of_domain = self.domains.acquire(domain.to_owned(), self.per_domain)?;
        let is_guaranteed = self.domains.in_use(domain) <= (self.per_domain / SHARING).max(1);
        let most = if is_guaranteed { usize::MAX } else { self.per_domain.saturating_mul(SHARING) };
        let of_origin = self.origins.acquire(origin.to_ascii_lowercase(), most)?;
        Some(OriginSlot([of_domain, of_origin]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_at_its_limit_leaves_other_domains_of_its_origin_alone() {
        let bulkhead = Bulkhead::new(2);
        let held = [bulkhead.enter("a.example", "o.example"), bulkhead.enter("a.example", "o.example")];

        assert!(held.iter().all(Option::is_some));
        assert!(bulkhead.enter("a.example", "o.example").is_none());
        assert!(bulkhead.enter("b.example", "o.example").is_some());
        drop(held);
        assert!(bulkhead.enter("a.example", "o.example").is_some());
    }

    #[test]
    fn an_origin_is_limited_over_all_its_domains_however_it_is_written() {
        let bulkhead = Bulkhead::new(4);
        let held = fill(&bulkhead);

        let guaranteed = bulkhead.enter("own.example", "o.example");

        assert!(held.iter().all(Option::is_some) && guaranteed.is_some());
        assert!(bulkhead.enter("own.example", "O.example").is_none());
        assert!(bulkhead.enter("own.example", "other.example").is_some());
    }

    #[test]
    fn domains_that_fill_an_origin_leave_every_other_domain_of_it_its_share() {
        let bulkhead = Bulkhead::new(8);
        let held = fill(&bulkhead);

        let own: Vec<_> = std::iter::from_fn(|| bulkhead.enter("own.example", "o.example")).take(9).collect();

        assert!(held.iter().all(Option::is_some));
        assert_eq!(own.len(), 2);
    }

    /// Acquires all slots of four domains at one origin.
    fn fill(bulkhead: &Bulkhead) -> Vec<Option<OriginSlot>> {
        let domains = ["a", "b", "c", "d"].into_iter().flat_map(|domain| vec![domain; bulkhead.per_domain]);
        domains.map(|domain| bulkhead.enter(domain, "o.example")).collect()
    }

    #[test]
    fn a_place_rests_while_the_client_is_waited_for_and_is_free_when_forwarding_ends() {
        let bulkhead = Bulkhead::new(1);
        let lent = SharedSlot::new(bulkhead.enter("a.example", "o.example").expect("a free place"));
        let body = lent.borrow();

        body.rest();
        assert!(bulkhead.enter("a.example", "o.example").is_some());
        body.resume();
        assert!(bulkhead.enter("a.example", "o.example").is_none());

        drop(lent);
        assert!(bulkhead.enter("a.example", "o.example").is_some(), "though the body is still there");
    }
}
