//! State of an origin, from the results of its renders: the limit of concurrent renders, and a circuit breaker. Pure.
//! Used by the admission of renders. See docs/decisions/0034.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

/// Maximum number of concurrent renders of an unproven origin, and of slow renders of any origin.
const UNPROVEN: usize = 2;
/// Time for which a success proves an origin.
const PROVEN_FOR: Duration = Duration::from_secs(60);
/// Duration after which a render counts as slow, since it may hang.
const SLOW: Duration = Duration::from_secs(3);
/// Number of consecutive failures that open the breaker, and the first and the longest time for which it is open.
const FAILURES: u32 = 3;
const FIRST_BREAK: Duration = Duration::from_secs(5);
const LONGEST_BREAK: Duration = Duration::from_secs(60);
/// Number of successful renders that make up for one that was cut off, and the maximum that is counted.
const FORGIVEN_AFTER: u32 = 4;
const MOST_UNFORGIVEN: u32 = 64;

/// Result of a render for its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginResult {
    /// The origin answered.
    Responded,
    /// The origin answered, and a part of the page hung until the time limit.
    CutOff,
    /// The origin could not be reached, or the render did not end.
    Failed,
    /// The breaker of another process is open for the origin.
    LeftAlone,
}

#[derive(Debug, Default)]
pub struct OriginState {
    /// Start times of running renders, by number.
    running: HashMap<u64, Instant>,
    failures: u32,
    /// Number of renders that must succeed before the origin is proven again.
    unforgiven: u32,
    proven: Option<Instant>,
    closed_until: Option<Instant>,
}

impl OriginState {
    /// Records that a render has begun.
    pub fn begin(&mut self, number: u64, now: Instant) {
        self.running.insert(number, now);
    }

    /// Records that a render has ended.
    pub fn end(&mut self, number: u64) {
        self.running.remove(&number);
    }

    /// Returns true while the breaker is open, so that no render may begin.
    pub fn is_closed(&self, now: Instant) -> bool {
        self.closed_until.is_some_and(|until| until > now)
    }

    /// Decides whether one more render may begin.
    pub fn has_room(&self, now: Instant) -> bool {
        if self.failures >= FAILURES {
            // Half open: one render tests the origin.
            return self.running.is_empty();
        }
        let slow = self.running.values().filter(|since| now.duration_since(**since) > SLOW).count();
        slow < UNPROVEN && (self.is_proven(now) || self.running.len() < UNPROVEN)
    }

    fn is_proven(&self, now: Instant) -> bool {
        self.unforgiven == 0 && self.proven.is_some_and(|at| now.duration_since(at) < PROVEN_FOR)
    }

    /// Records the result of a render.
    pub fn note(&mut self, result: OriginResult, now: Instant) {
        match result {
            OriginResult::Responded => {
                self.failures = 0;
                self.closed_until = None;
                self.unforgiven = self.unforgiven.saturating_sub(1);
                self.proven = Some(now);
            }
            // A page came, so the origin is not down. But such pages hold slots, and do not end a series of failures.
            OriginResult::CutOff => {
                self.unforgiven = (self.unforgiven + FORGIVEN_AFTER).min(MOST_UNFORGIVEN);
                self.proven = None;
                if self.failures >= FAILURES {
                    self.leave_alone(now);
                }
            }
            OriginResult::Failed => {
                self.failures = self.failures.saturating_add(1);
                self.proven = None;
                if self.failures >= FAILURES {
                    self.leave_alone(now);
                }
            }
            OriginResult::LeftAlone => {
                self.failures = self.failures.max(FAILURES);
                self.proven = None;
                self.leave_alone(now);
            }
        }
    }

    fn leave_alone(&mut self, now: Instant) {
        let over = self.failures.saturating_sub(FAILURES).min(10);
        let rest = FIRST_BREAK.saturating_mul(1 << over).min(LONGEST_BREAK);
        self.closed_until = Some(now + rest);
    }

    /// Decides whether the state may be dropped: no render runs, the breaker is not open and no success proves the origin.
    pub fn is_forgettable(&self, now: Instant) -> bool {
        let is_proven = self.proven.is_some_and(|at| now.duration_since(at) < PROVEN_FOR);
        self.running.is_empty() && !self.is_closed(now) && !is_proven
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(results: &[OriginResult]) -> (OriginState, Instant) {
        let (mut origin, now) = (OriginState::default(), Instant::now());
        results.iter().for_each(|result| origin.note(*result, now));
        (origin, now)
    }

    /// Counts the renders that may run at once.
    fn room(results: &[OriginResult]) -> usize {
        let (mut origin, now) = after(results);
        (0..10)
            .take_while(|number| origin.has_room(now).then(|| origin.begin(*number, now)).is_some())
            .count()
    }

    use OriginResult::{CutOff, Failed, LeftAlone, Responded};

    #[test]
    fn an_origin_that_answers_is_proven_and_one_that_was_cut_off_is_not() {
        assert_eq!(room(&[]), 2);
        assert_eq!(room(&[Responded]), 10);
        assert_eq!(room(&[CutOff]), 2);
        assert_eq!(room(&[Responded, CutOff]), 2);
    }

    #[test]
    fn a_page_that_was_cut_off_is_forgiven_after_four_that_went_well() {
        assert_eq!(room(&[CutOff, Responded, Responded, Responded]), 2);
        assert_eq!(room(&[CutOff, Responded, Responded, Responded, Responded]), 10);
    }

    #[test]
    fn a_page_that_was_cut_off_neither_opens_the_breaker_nor_closes_it() {
        let is_closed = |results: &[OriginResult]| {
            let (origin, now) = after(results);
            origin.is_closed(now)
        };

        assert!(!is_closed(&[CutOff, CutOff, CutOff, CutOff]));
        assert!(is_closed(&[Failed, Failed, CutOff, Failed]));
        assert!(is_closed(&[Failed, Failed, Failed, CutOff]));
        assert!(!is_closed(&[Failed, Failed, Responded, Failed]));
    }

    #[test]
    fn an_origin_that_failed_gets_one_render_after_its_break() {
        for results in [&[Failed, Failed, Failed][..], &[LeftAlone]] {
            let (mut origin, now) = after(results);
            assert!(origin.is_closed(now));

            let later = now + FIRST_BREAK;

            assert!(!origin.is_closed(later) && origin.has_room(later));
            origin.begin(1, later);
            assert!(!origin.has_room(later));
        }
    }
}
