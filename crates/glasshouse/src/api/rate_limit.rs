//! Requests per minute: counts in this process, per key, client address or sign-in. The exact limits that all processes
//! share are counted in the database: [`super::shared_limits`].
//! Must never grow without bound: the windows have room for so many, and ended ones are dropped.
//! See docs/decisions/0012 and docs/decisions/0133.

use std::net::IpAddr;
use std::sync::Mutex;

use cache::{Cache, Key};

use super::access::Rate;
use super::error::ApiError;
use super::requester::{KEYS_WORTH, RateLimitStanding, Requester, WINDOW};
use super::shared_limits::SharedLimits;
use crate::accounts::AccountId;
use crate::accounts::keys::KeyHash;
use crate::accounts::sessions;
use crate::clock::{Clock, Timestamp};

/// Windows that are kept; over it those that were asked for longest ago go first.
const MOST_WINDOWS: u64 = 100_000;
/// Cookies and tokens that are remembered to have been right.
const MOST_RIGHT: u64 = 100_000;

/// Allows `limit` events per key in a window of one minute that starts with the first of them.
pub struct RateLimit<K> {
    limit: u32,
    clock: Clock,
    windows: Cache<K, Mutex<Window>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    started: Timestamp,
    count: u32,
}

impl<K: Key> RateLimit<K> {
    /// A limit of so many events per minute and key.
    pub fn per_minute(limit: u32, clock: Clock) -> RateLimit<K> {
        // Whoever comes for the first time is counted too, however often others came.
        let windows = Cache::builder(MOST_WINDOWS).keeps_newest().time_to_idle(2 * WINDOW).build();
        RateLimit { limit, clock, windows }
    }

    /// Counts an event. One over the limit is not counted, so a client that keeps trying is let in after its minute.
    pub fn take(&self, key: K) -> RateLimitStanding {
        let now = self.clock.now();
        let window = self.windows.get_with(&key, || Mutex::new(Window { started: now, count: 0 }));
        let mut window = window.lock().expect("no one panics while holding a window");
        if !window.is_live(now) {
            *window = Window { started: now, count: 0 };
        }
        let allowed = window.count < self.limit;
        if allowed {
            window.count += 1;
        }
        let reset = WINDOW.saturating_sub(now.since(window.started));
        RateLimitStanding {
            allowed,
            limit: self.limit,
            remaining: self.limit - window.count.min(self.limit),
            reset,
        }
    }

    /// Whether the next event would be over the limit.
    pub fn is_used_up(&self, key: &K) -> bool {
        self.find_used_up(key).is_some()
    }

    /// How a key stands whose next event would be over the limit.
    pub fn find_used_up(&self, key: &K) -> Option<RateLimitStanding> {
        let now = self.clock.now();
        let window = *self.windows.get(key)?.lock().expect("no one panics while holding a window");
        let reset = WINDOW.saturating_sub(now.since(window.started));
        let is_used_up = window.is_live(now) && window.count >= self.limit;
        is_used_up.then_some(RateLimitStanding { allowed: false, limit: self.limit, remaining: 0, reset })
    }

    /// Takes an event back, as when a sign-in turned out to be right.
    pub fn give_back(&self, key: &K) {
        if let Some(window) = self.windows.get(key) {
            let mut window = window.lock().expect("no one panics while holding a window");
            window.count = window.count.saturating_sub(1);
        }
    }
}

impl Window {
    fn is_live(&self, now: Timestamp) -> bool {
        // A clock that was set back must not make a window last for hours.
        now >= self.started && now.since(self.started) < WINDOW
    }
}

/// Whom an address is counted as: itself, or its /64 network, since one IPv6 customer has at least that many addresses.
pub fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::from((v6.to_bits() & !u128::from(u64::MAX)).to_be_bytes()),
        v4 => v4,
    }
}

/// The limits of the API.
pub struct RateLimits {
    /// Requests without a valid credential, per client address.
    pub anonymous: RateLimit<IpAddr>,
    /// Failed sign-ins, per client address and e-mail together.
    pub sign_in: RateLimit<(IpAddr, String)>,
    /// Failed sign-ins, per client address.
    pub sign_in_address: RateLimit<IpAddr>,
    beyond: RateLimit<Requester>,
    beyond_all_keys: RateLimit<AccountId>,
    shared: SharedLimits,
    right: Cache<KeyHash, ()>,
}

/// An attempt to show a password that was counted.
#[must_use = "an attempt with the right password is given back"]
pub struct PasswordAttempt {
    address: IpAddr,
    pair: (IpAddr, String),
}

/// Requests per minute to the endpoints beyond the specification, per key, and per account for its sessions.
const BEYOND: u32 = 600;

impl RateLimits {
    /// The limits as the settings and the product define them.
    pub fn new(anonymous_per_minute: u32, clock: &Clock, db: &store::Db) -> RateLimits {
        RateLimits {
            anonymous: RateLimit::per_minute(anonymous_per_minute, clock.clone()),
            sign_in: RateLimit::per_minute(10, clock.clone()),
            sign_in_address: RateLimit::per_minute(30, clock.clone()),
            beyond: RateLimit::per_minute(BEYOND, clock.clone()),
            beyond_all_keys: RateLimit::per_minute(BEYOND * KEYS_WORTH, clock.clone()),
            shared: SharedLimits::new(db, clock),
            right: Cache::builder(MOST_RIGHT).time_to_idle(sessions::IDLE).build(),
        }
    }

    /// Whether a cookie or token that a client of this address shows is looked up. Over the limit of those without a valid
    /// credential, only one that was right before is: guesses must not cost the database anything.
    ///
    /// See docs/decisions/0330.
    pub fn may_look_up(&self, address: IpAddr, secret: &str) -> bool {
        !self.anonymous.is_used_up(&counted_as(address)) || self.right.get(&KeyHash::of(secret)).is_some()
    }

    /// Remembers that a cookie or token was right.
    pub fn note_right(&self, secret: &str) {
        self.right.insert(&KeyHash::of(secret), ());
    }

    /// Counts an attempt to show the password of `email`; 429 over the limits. Counted before the password is looked at, so
    /// that attempts in parallel count too.
    pub fn take_attempt(&self, address: IpAddr, email: &str) -> Result<PasswordAttempt, ApiError> {
        let address = counted_as(address);
        let pair = (address, email.to_owned());
        self.sign_in_address.take(address).refusal().map_or(Ok(()), Err)?;
        if let Some(refusal) = self.sign_in.take(pair.clone()).refusal() {
            self.sign_in_address.give_back(&address);
            return Err(refusal);
        }
        Ok(PasswordAttempt { address, pair })
    }

    /// Takes back an attempt whose password was right.
    pub fn give_back_attempt(&self, attempt: PasswordAttempt) {
        self.sign_in.give_back(&attempt.pair);
        self.sign_in_address.give_back(&attempt.address);
    }

    /// Counts a request towards a limit; none: there is none.
    pub async fn take(
        &self,
        rate: Rate,
        requester: &Requester,
    ) -> Result<Option<RateLimitStanding>, ApiError> {
        match rate {
            Rate::Unlimited => Ok(None),
            Rate::Beyond => Ok(Some(self.take_beyond(requester))),
            // A busy database is worth another try, like one that is away.
            Rate::Shared(limit) => match self.shared.take(limit, requester).await {
                Ok(standing) => Ok(Some(standing)),
                Err(error) if error.is_conflict() => Err(ApiError::unavailable(error)),
                Err(error) => Err(error.into()),
            },
        }
    }

    fn take_beyond(&self, requester: &Requester) -> RateLimitStanding {
        let own = self.beyond.take(requester.clone());
        let Requester::Key { account, .. } = requester else { return own };
        if !own.allowed {
            return own;
        }
        let together = self.beyond_all_keys.take(account.clone());
        if together.allowed { own } else { together }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::HeaderMap;

    use super::*;
    use crate::api::ErrorCode;
    use crate::api::header_names::{RATE_LIMIT, RATE_LIMIT_POLICY};

    fn limit_of(limit: u32) -> (RateLimit<&'static str>, Clock) {
        let clock = Clock::fixed(Timestamp::from_millis(1_000_000));
        (RateLimit::per_minute(limit, clock.clone()), clock)
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
            RateLimitStanding {
                allowed: false,
                limit: 1,
                remaining: 0,
                reset: Duration::from_millis(41_500)
            }
        );
        let mut headers = HeaderMap::new();
        standing.write_headers(&mut headers);
        assert_eq!(headers[RATE_LIMIT], "\"default\";r=0;t=42");
        assert_eq!(headers[RATE_LIMIT_POLICY], "\"default\";q=1;w=60");
        assert_eq!(standing.refusal().map(|e| e.code()), Some(ErrorCode::RateLimited));
    }

    #[test]
    fn an_event_that_is_given_back_does_not_count() {
        let (limit, _) = limit_of(1);
        limit.take("key");

        limit.give_back(&"key");

        assert!(limit.take("key").allowed);
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
        let limit = RateLimit::per_minute(1, Clock::fixed(Timestamp::from_millis(0)));

        for key in 0..MOST_WINDOWS + 10_000 {
            limit.take(key);
        }
        limit.windows.settle();

        assert!(limit.windows.len() <= MOST_WINDOWS, "{}", limit.windows.len());
        assert!(limit.is_used_up(&(MOST_WINDOWS + 9_999)), "who came last is counted");
    }

    #[test]
    fn ipv6_neighbours_are_one_client() {
        let count = |text: &str| counted_as(text.parse().unwrap());

        assert_eq!(count("2001:db8:1:2:3::4"), count("2001:db8:1:2::"));
        assert_ne!(count("2001:db8:1:3::4"), count("2001:db8:1:2::"));
        assert_eq!(count("::ffff:192.0.2.1"), count("192.0.2.1"));
        assert_ne!(count("192.0.2.2"), count("192.0.2.1"));
    }
}
