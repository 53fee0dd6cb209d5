//! How many requests may wait for origins: per domain, and per origin over all domains that share it. Used by
//! forwarding. Must never let an origin that hangs cost any other domain more than a refusal of its own.
//! See docs/decisions/0123.

use crate::listen::tally::{Counted, Tally};

/// An origin that several domains share may have so many times what one domain may.
const SHARING: usize = 4;

/// See the module. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bulkhead {
    per_domain: usize,
    domains: Tally<String>,
    origins: Tally<String>,
}

/// A request's place towards its origin; free again when dropped.
#[derive(Debug)]
pub struct OriginPlace([Counted<String>; 2]);

impl OriginPlace {
    /// It is the client's turn: others may have the place, or clients that do not read could take all of a domain's.
    pub fn rest(&mut self) {
        self.0.iter_mut().for_each(Counted::rest);
    }

    /// It is the origin's turn again.
    pub fn resume(&mut self) {
        self.0.iter_mut().for_each(Counted::resume);
    }
}

impl Bulkhead {
    /// With so many requests in flight per domain.
    pub fn new(per_domain: usize) -> Bulkhead {
        Bulkhead { per_domain, domains: Tally::default(), origins: Tally::default() }
    }

    /// A place for a request of a domain; none when the domain or its origin has enough of them.
    pub fn enter(&self, domain: &str, origin: &str) -> Option<OriginPlace> {
        let of_domain = self.domains.count(domain.to_owned(), self.per_domain)?;
        let of_origin =
            self.origins.count(origin.to_ascii_lowercase(), self.per_domain.saturating_mul(SHARING))?;
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
        let bulkhead = Bulkhead::new(1);
        let held: Vec<_> =
            ["a", "b", "c", "d"].map(|domain| bulkhead.enter(domain, "o.example")).into_iter().collect();

        assert!(held.iter().all(Option::is_some));
        assert!(bulkhead.enter("e", "O.example").is_none());
        assert!(bulkhead.enter("e", "other.example").is_some());
    }
}
