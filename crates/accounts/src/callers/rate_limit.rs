//! Requests per minute: counts in this process, per key, client address or sign-in. The exact limits that all processes
//! share are counted in the database: [`platform::limits::shared_window`].
//! Must never grow without bound: the windows have room for so many, and ended ones are dropped.
//! See docs/decisions/0012.

use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use cache::{Cache, Key};

use super::long_calls::LongCalls;
use super::requester::{KEYS_WORTH, Requester};
use crate::AccountId;
use crate::keys::KeyHash;
use crate::model::Email;
use crate::sessions;
use platform::api::ApiError;
use platform::api::access::{Rate, SharedLimit};
use platform::api::rate_limit_state::{RateLimitState, WINDOW};
use platform::clock::{Clock, Timestamp};
use platform::limits::{SharedWindow, SharedWindows};

/// Windows that are kept; over it those that were asked for longest ago go first.
const MOST_WINDOWS: u64 = 100_000;
/// Cookies and tokens that are remembered to have been right.
const MOST_RIGHT: u64 = 100_000;

/// Allows `limit` events per key in a window that starts with the first of them.
pub struct RateLimit<K> {
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

impl<K: Key> RateLimit<K> {
    /// A limit of so many events per minute and key.
    pub fn per_minute(limit: u32, clock: Clock) -> RateLimit<K> {
        RateLimit::per(WINDOW, limit, clock)
    }

    fn per(window: Duration, limit: u32, clock: Clock) -> RateLimit<K> {
        // Whoever comes for the first time is counted too, however often others came.
        let windows =
            Cache::builder(MOST_WINDOWS).keeps_newest().time_to_idle(2 * window.max(WINDOW)).build();
        RateLimit { limit, window, clock, windows }
    }

    /// Counts an event. One over the limit is not counted, so a client that keeps trying is let in after its minute.
    pub fn take(&self, key: K) -> RateLimitState {
        let now = self.clock.now();
        let window = self.windows.get_with(&key, || Mutex::new(Window { started: now, count: 0 }));
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

    /// Whether the next event would be over the limit.
    pub fn is_used_up(&self, key: &K) -> bool {
        self.find_used_up(key).is_some()
    }

    /// How a key stands whose next event would be over the limit.
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
    /// Failed sign-ins.
    pub sign_ins: SignInLimits,
    /// Calls that take much processor time.
    pub long_calls: LongCalls,
    beyond: RateLimit<Requester>,
    beyond_all_keys: RateLimit<AccountId>,
    /// Counts of all processes together.
    pub shared: SharedWindows,
    right: Cache<KeyHash, ()>,
    /// Look-ups of unknown credentials for addresses over the limit: per address, and in all.
    look_ups: (RateLimit<IpAddr>, RateLimit<&'static str>),
}

/// Look-ups a second of credentials that are not known to be right, for an address that is over the anonymous limit.
const LOOK_UPS_PER_ADDRESS: u32 = 5;
/// Look-ups a second for all such addresses together.
const LOOK_UPS: u32 = 100;

const SECOND: Duration = Duration::from_secs(1);
/// Requests per minute to the endpoints beyond the specification, per key, and per account for its sessions.
const BEYOND: u32 = 600;

impl RateLimits {
    /// The limits as the settings and the product define them.
    pub fn new(anonymous_per_minute: u32, clock: &Clock, db: &store::Db) -> RateLimits {
        let shared = SharedWindows::new(db, clock);
        RateLimits {
            anonymous: RateLimit::per_minute(anonymous_per_minute, clock.clone()),
            sign_ins: SignInLimits(shared.clone()),
            long_calls: LongCalls::default(),
            beyond: RateLimit::per_minute(BEYOND, clock.clone()),
            beyond_all_keys: RateLimit::per_minute(BEYOND * KEYS_WORTH, clock.clone()),
            shared,
            right: Cache::builder(MOST_RIGHT).time_to_idle(sessions::IDLE).build(),
            look_ups: (
                RateLimit::per(SECOND, LOOK_UPS_PER_ADDRESS, clock.clone()),
                RateLimit::per(SECOND, LOOK_UPS, clock.clone()),
            ),
        }
    }

    /// Whether a cookie or token that a client of this address shows is looked up. Over the limit of those without a valid
    /// credential, one that was right before is, and so many others a second: guesses must cost the database next to nothing.
    ///
    /// See docs/decisions/0012.
    pub fn may_look_up(&self, address: IpAddr, secret: &str) -> bool {
        let address = counted_as(address);
        !self.anonymous.is_used_up(&address)
            || self.right.get(&KeyHash::of(secret)).is_some()
            || self.takes_look_up(address)
    }

    /// Takes a look-up for an address over the limit, counted as [`counted_as`] says. Returns false when none is left this second.
    pub fn takes_look_up(&self, address: IpAddr) -> bool {
        let (per_address, all) = &self.look_ups;
        per_address.take(address).allowed && all.take("all").allowed
    }

    /// Remembers that a cookie or token was right.
    pub fn note_right(&self, secret: &str) {
        self.right.insert(&KeyHash::of(secret), ());
    }

    /// Counts a request towards a limit; none: there is none.
    pub async fn take(&self, rate: Rate, requester: &Requester) -> Result<Option<RateLimitState>, ApiError> {
        match rate {
            Rate::Unlimited => Ok(None),
            Rate::Beyond => Ok(Some(self.take_beyond(requester))),
            Rate::Shared(limit) => {
                self.shared.take(&windows(limit, requester)).await.map(Some).map_err(not_counted)
            }
        }
    }

    /// Counts an event in a window that all processes share; 429 over its limit.
    pub async fn take_of(&self, window: SharedWindow) -> Result<(), ApiError> {
        let standing = self.shared.take(&[window]).await.map_err(not_counted)?;
        standing.refusal().map_or(Ok(()), Err)
    }

    fn take_beyond(&self, requester: &Requester) -> RateLimitState {
        let own = self.beyond.take(requester.clone());
        let Requester::Key { account, .. } = requester else { return own };
        if !own.allowed {
            return own;
        }
        let together = self.beyond_all_keys.take(account.clone());
        if together.allowed { own } else { together }
    }
}

/// Returns the windows that a request counts in: the requester's own first. A key's request counts for the key, and for all keys of
/// its account together.
fn windows(limit: SharedLimit, requester: &Requester) -> Vec<SharedWindow> {
    let SharedLimit { name, per_minute, per_minute_of_sessions } = limit;
    match requester {
        Requester::Session { account } => {
            vec![SharedWindow::per_minute(format!("{name}:session:{account}"), per_minute_of_sessions)]
        }
        Requester::PublicToken { hash } => {
            vec![SharedWindow::per_minute(format!("{name}:token:{hash}"), per_minute)]
        }
        Requester::Key { key, account } => vec![
            SharedWindow::per_minute(format!("{name}:{key}"), per_minute),
            SharedWindow::per_minute(format!("{name}:keys:{account}"), per_minute * KEYS_WORTH),
        ],
    }
}

/// Returns the answer to a request that could not be counted: a busy database is worth another try, like one that is away.
fn not_counted(error: store::DbError) -> ApiError {
    if error.is_conflict() { ApiError::unavailable(error) } else { error.into() }
}

/// Failed sign-ins a minute of a client address and e-mail together.
const SIGN_INS_PER_PAIR: u32 = 10;
/// Failed sign-ins a minute of a client address.
const SIGN_INS_PER_ADDRESS: u32 = 30;

/// Failed sign-ins per minute, which all processes count together.
pub struct SignInLimits(SharedWindows);

impl SignInLimits {
    /// Counts an attempt for the address, and for address and e-mail together, or for neither when one is used up.
    pub async fn take(&self, address: IpAddr, email: &Email) -> Result<RateLimitState, store::DbError> {
        self.0.take(&SignInLimits::windows(address, email)).await
    }

    /// Takes an attempt back that was no failure.
    pub async fn give_back(&self, address: IpAddr, email: &Email) -> Result<(), store::DbError> {
        self.0.give_back(&SignInLimits::windows(address, email)).await
    }

    /// Returns the standing of an address that is known to have used up its attempts. Asks no database.
    pub fn find_used_up(&self, address: IpAddr) -> Option<RateLimitState> {
        self.0.find_used_up(&SignInLimits::of_address(address))
    }

    fn windows(address: IpAddr, email: &Email) -> [SharedWindow; 2] {
        // Counts are stored: no e-mail address in the clear.
        let pair = format!("sign-in:{}:{}", counted_as(address), KeyHash::of(email.as_str()).to_hex());
        [SignInLimits::of_address(address), SharedWindow::per_minute(pair, SIGN_INS_PER_PAIR)]
    }

    fn of_address(address: IpAddr) -> SharedWindow {
        SharedWindow::per_minute(format!("sign-in:{}", counted_as(address)), SIGN_INS_PER_ADDRESS)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;
    use crate::testing::{NOON, for_each_engine};
    use platform::api::ErrorCode;
    use platform::api::header_names::{RATE_LIMIT, RATE_LIMIT_POLICY};

    fn limit_of(limit: u32) -> (RateLimit<&'static str>, Clock) {
        let clock = Clock::fixed(Timestamp::from_millis(1_000_000));
        (RateLimit::per_minute(limit, clock.clone()), clock)
    }

    const SIX: SharedLimit = SharedLimit { name: "six", per_minute: 6, per_minute_of_sessions: 6 };

    async fn on_each_engine(test: impl AsyncFn(RateLimits)) {
        for_each_engine(async |db| test(RateLimits::new(600, &Clock::fixed(NOON), db)).await).await;
    }

    /// Returns the state of a shared limit after a request.
    async fn take(limits: &RateLimits, limit: SharedLimit, requester: Requester) -> RateLimitState {
        limits.take(Rate::Shared(limit), &requester).await.unwrap().unwrap()
    }

    fn requester(key: &str, account: &str) -> Requester {
        Requester::Key { key: key.into(), account: account.into() }
    }

    #[tokio::test]
    async fn limits_and_keys_are_counted_apart_in_the_database() {
        on_each_engine(async |limits| {
            for _ in 0..6 {
                assert!(take(&limits, SIX, requester("a", "a")).await.allowed);
            }
            assert!(!take(&limits, SIX, requester("a", "a")).await.allowed);

            let other_key = take(&limits, SIX, requester("b", "b")).await;
            let other_limit = SharedLimit { name: "other", per_minute: 1, per_minute_of_sessions: 1 };
            let other_limit = take(&limits, other_limit, requester("a", "a")).await;

            assert!(other_key.allowed && other_limit.allowed);
        })
        .await;
    }

    #[tokio::test]
    async fn all_keys_of_an_account_have_ten_keys_worth_together_and_its_sessions_their_own() {
        on_each_engine(async |limits| {
            let mut passed = 0;
            for number in 0..12 {
                for _ in 0..6 {
                    let key = requester(&format!("k{number}"), "account");
                    passed += u32::from(take(&limits, SIX, key).await.allowed);
                }
            }

            let session = take(&limits, SIX, Requester::Session { account: "account".into() }).await;
            let other = take(&limits, SIX, requester("k", "other")).await;

            assert_eq!(passed, 60);
            assert_eq!((session.remaining, other.remaining), (5, 5));
        })
        .await;
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
