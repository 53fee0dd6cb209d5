//! Events per key in a window of time, counted in memory by this process. Windows that all processes count together are
//! [`super::shared_window`]. Must never grow without bound: when all windows are in use, those that were used longest ago go first.
//! See docs/decisions/0012.

use std::sync::Mutex;
use std::time::Duration;

use cache::{Cache, Key};

use crate::api::rate_limit_state::{RateLimitState, WINDOW};
use crate::clock::{Clock, Timestamp};

/// Windows that are kept.
const MOST_WINDOWS: u64 = 100_000;

/// Allows `limit` events per key in a window that starts with the first of them.
pub struct RateWindow<K: ?Sized> {
    limit: u32,
    window: Duration,
    clock: Clock,
    windows: Cache<K, Mutex<Window>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    started: Timestamp,
    count: u32,
}

impl<K: Key + ?Sized> RateWindow<K> {
    /// Makes a limit of so many events per minute and key.
    pub fn per_minute(limit: u32, clock: Clock) -> RateWindow<K> {
        RateWindow::per(WINDOW, limit, clock)
    }

    /// Makes a limit of so many events per key in a window of this length.
    pub fn per(window: Duration, limit: u32, clock: Clock) -> RateWindow<K> {
        // Whoever comes for the first time is counted too, however often others came.
        let windows =
            Cache::builder(MOST_WINDOWS).keeps_newest().time_to_idle(2 * window.max(WINDOW)).build();
        RateWindow { limit, window, clock, windows }
    }

    /// Counts an event. One over the limit is not counted, so a client that keeps trying is let in after its minute.
    pub fn take(&self, key: &K) -> RateLimitState {
        let now = self.clock.now();
        let window = self.windows.get_with(key, || Mutex::new(Window { started: now, count: 0 }));
        let mut window = window.lock().expect("no one panics while holding a window");
        if !window.is_live(now, self.window) {
            *window = Window { started: now, count: 0 };
        }
        let allowed = window.count < self.limit;
        if allowed {
            window.count += 1;
        }
        let reset = self.window.saturating_sub(now.since(window.started));
        RateLimitState {
            allowed,
            limit: self.limit,
            remaining: self.limit - window.count.min(self.limit),
            reset,
        }
    }

    /// Decides whether the next event would be over the limit.
    pub fn is_used_up(&self, key: &K) -> bool {
        self.find_used_up(key).is_some()
    }

    /// Returns the state of a key whose next event would be over the limit.
    pub fn find_used_up(&self, key: &K) -> Option<RateLimitState> {
        let now = self.clock.now();
        let window = *self.windows.get(key)?.lock().expect("no one panics while holding a window");
        let reset = self.window.saturating_sub(now.since(window.started));
        let is_used_up = window.is_live(now, self.window) && window.count >= self.limit;
        is_used_up.then_some(RateLimitState { allowed: false, limit: self.limit, remaining: 0, reset })
    }
}

impl Window {
    fn is_live(&self, now: Timestamp, length: Duration) -> bool {
        // A clock that was set back must not make a window last for hours.
        now >= self.started && now.since(self.started) < length
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;
    use crate::api::ErrorCode;
    use crate::api::header_names::{RATE_LIMIT, RATE_LIMIT_POLICY};

    fn limit_of(limit: u32) -> (RateWindow<str>, Clock) {
        let clock = Clock::fixed(Timestamp::from_millis(1_000_000));
        (RateWindow::per_minute(limit, clock.clone()), clock)
    }

    #[test]
    fn exactly_the_limit_passes_in_a_minute() {
        let (limit, clock) = limit_of(6);

        let allowed = (0..60)
            .filter(|_| {
                clock.advance(Duration::from_millis(900));
                limit.take("key").allowed
            })
            .count();

        assert_eq!(allowed, 6);
    }

    #[test]
    fn a_new_minute_starts_anew() {
        let (limit, clock) = limit_of(1);
        assert!(limit.take("key").allowed);
        assert!(!limit.take("key").allowed);

        clock.advance(WINDOW);

        assert!(limit.take("key").allowed);
    }

    #[test]
    fn keys_are_counted_apart() {
        let (limit, _) = limit_of(1);
        limit.take("one");

        let other = limit.take("other");

        assert!(other.allowed);
    }

    #[test]
    fn a_refusal_says_when_to_come_back() {
        let (limit, clock) = limit_of(1);
        limit.take("key");
        clock.advance(Duration::from_millis(18_500));

        let standing = limit.take("key");

        assert_eq!(
            standing,
            RateLimitState { allowed: false, limit: 1, remaining: 0, reset: Duration::from_millis(41_500) }
        );
        let mut headers = HeaderMap::new();
        standing.write_headers(&mut headers);
        assert_eq!(headers[RATE_LIMIT], "\"default\";r=0;t=42");
        assert_eq!(headers[RATE_LIMIT_POLICY], "\"default\";q=1;w=60");
        assert_eq!(standing.refusal().map(|e| e.code()), Some(ErrorCode::RateLimited));
    }

    #[test]
    fn a_clock_that_is_set_back_locks_nobody_out() {
        let (limit, clock) = limit_of(1);
        limit.take("key");

        clock.set(Timestamp::from_millis(0));

        assert!(limit.take("key").allowed);
    }

    #[test]
    fn no_more_windows_are_kept_than_there_is_room_for() {
        let limit = RateWindow::per_minute(1, Clock::fixed(Timestamp::from_millis(0)));

        for key in 0..MOST_WINDOWS + 10_000 {
            limit.take(&key);
        }
        limit.windows.settle();

        assert!(limit.windows.len() <= MOST_WINDOWS, "{}", limit.windows.len());
        assert!(limit.is_used_up(&(MOST_WINDOWS + 9_999)), "who came last is counted");
    }
}
