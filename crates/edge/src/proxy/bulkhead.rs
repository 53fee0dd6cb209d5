//! How many requests may wait for origins: per domain, and per origin over all domains that share it. Used by
//! forwarding. Must never let an origin that hangs cost any other domain more than a refusal of its own.
//! See docs/decisions/0123.

use std::sync::{Arc, Mutex, PoisonError};

use platform::limits::{KeyedCount, KeyedSlot};

/// An origin that several domains share may have so many times what one domain may; each of them may always have one part in so
/// many of what a domain may: anybody can name somebody else's origin.
const SHARING: usize = 4;

/// See the module. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bulkhead {
    per_domain: usize,
    domains: KeyedCount<String>,
    origins: KeyedCount<String>,
}

/// A request's place towards its origin; free again when dropped.
#[derive(Debug)]
pub struct OriginPlace([KeyedSlot<String>; 2]);

impl OriginPlace {
    /// It is the client's turn: others may have the place, or clients that do not read could take all of a domain's.
    pub fn rest(&mut self) {
        self.0.iter_mut().for_each(KeyedSlot::release);
    }

    /// It is the origin's turn again.
    pub fn resume(&mut self) {
        self.0.iter_mut().for_each(KeyedSlot::reacquire);
    }
}

/// A place while the client sends its request: the body has it too.
#[derive(Debug)]
pub struct LentPlace(Arc<Mutex<Option<OriginPlace>>>);

/// What the client's body has of a place: it rests while the client is waited for.
#[derive(Debug)]
pub struct BorrowedPlace(Arc<Mutex<Option<OriginPlace>>>);

impl LentPlace {
    /// Lets a body say whose turn it is.
    pub fn new(place: OriginPlace) -> LentPlace {
        LentPlace(Arc::new(Mutex::new(Some(place))))
    }

    /// For the body.
    pub fn borrow(&self) -> BorrowedPlace {
        BorrowedPlace(self.0.clone())
    }

    /// Takes the place away from the body; none: it was taken before.
    pub fn take_back(&self) -> Option<OriginPlace> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for LentPlace {
    fn drop(&mut self) {
        drop(self.take_back());
    }
}

impl BorrowedPlace {
    /// It is the client's turn.
    pub fn rest(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(OriginPlace::rest);
    }

    /// It is the origin's turn.
    pub fn resume(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(OriginPlace::resume);
    }
}

impl Drop for BorrowedPlace {
    fn drop(&mut self) {
        self.resume();
    }
}

impl Bulkhead {
    /// With so many requests in flight per domain.
    pub fn new(per_domain: usize) -> Bulkhead {
        Bulkhead { per_domain, domains: KeyedCount::default(), origins: KeyedCount::default() }
    }

    /// A place for a request of a domain; none when the domain or its origin has enough of them.
    pub fn enter(&self, domain: &str, origin: &str) -> Option<OriginPlace> {
        let of_domain = self.domains.acquire(domain.to_owned(), self.per_domain)?;
        let is_guaranteed = self.domains.in_use(domain) <= (self.per_domain / SHARING).max(1);
        let most = if is_guaranteed { usize::MAX } else { self.per_domain.saturating_mul(SHARING) };
        let of_origin = self.origins.acquire(origin.to_ascii_lowercase(), most)?;
        Some(OriginPlace([of_domain, of_origin]))
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

    /// Takes all places of four domains at one origin.
    fn fill(bulkhead: &Bulkhead) -> Vec<Option<OriginPlace>> {
        let domains = ["a", "b", "c", "d"].into_iter().flat_map(|domain| vec![domain; bulkhead.per_domain]);
        domains.map(|domain| bulkhead.enter(domain, "o.example")).collect()
    }

    #[test]
    fn a_place_rests_while_the_client_is_waited_for_and_is_free_when_forwarding_ends() {
        let bulkhead = Bulkhead::new(1);
        let lent = LentPlace::new(bulkhead.enter("a.example", "o.example").expect("a free place"));
        let body = lent.borrow();

        body.rest();
        assert!(bulkhead.enter("a.example", "o.example").is_some());
        body.resume();
        assert!(bulkhead.enter("a.example", "o.example").is_none());

        drop(lent);
        assert!(bulkhead.enter("a.example", "o.example").is_some(), "though the body is still there");
    }
}
