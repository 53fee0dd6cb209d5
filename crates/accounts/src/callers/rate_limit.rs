//! Limits of callers: requests per minute of a key, an account or a client address, failed sign-ins, calls in progress.
//! See docs/decisions/0012.

use std::net::IpAddr;
use std::time::Duration;

use cache::Cache;

use super::long_calls::LongCalls;
use super::requester::{KEYS_WORTH, Requester};
use crate::AccountId;
use crate::keys::KeyHash;
use crate::sessions;
use platform::api::ApiError;
use platform::api::access::{Rate, SharedLimit};
use platform::api::rate_limit_state::RateLimitState;
use platform::clock::Clock;
use platform::limits::{RateWindow, SharedWindow, SharedWindows};
use platform::networks::customer_address;

/// Cookies and tokens that are remembered to have been right.
const MOST_RIGHT: u64 = 100_000;

/// The limits of the API.
pub struct RateLimits {
    /// Requests without a valid credential, per client address.
    pub anonymous: RateWindow<IpAddr>,
    /// Failed sign-ins.
    pub sign_ins: SignInLimits,
    /// Calls that take much processor time.
    pub long_calls: LongCalls,
    beyond: RateWindow<Requester>,
    beyond_all_keys: RateWindow<AccountId>,
    /// Counts of all processes together.
    pub shared: SharedWindows,
    right: Cache<KeyHash, ()>,
    /// Look-ups of unknown credentials for addresses over the limit: per address, and in all.
    look_ups: (RateWindow<IpAddr>, RateWindow<str>),
}

/// Look-ups a second of credentials that are not known to be right, for an address that is over the anonymous limit.
const LOOK_UPS_PER_ADDRESS: u32 = 5;
/// Look-ups a second for all such addresses together.
const LOOK_UPS: u32 = 100;

const SECOND: Duration = Duration::from_secs(1);
/// Requests per minute to the endpoints beyond the specification, per key, and per account for its sessions.
const BEYOND: u32 = 600;

impl RateLimits {
    /// Makes the limits as the settings and the product define them.
    pub fn new(anonymous_per_minute: u32, clock: &Clock, db: &store::Db) -> RateLimits {
        let shared = SharedWindows::new(db, clock);
        RateLimits {
            anonymous: RateWindow::per_minute(anonymous_per_minute, clock.clone()),
            sign_ins: SignInLimits(shared.clone()),
            long_calls: LongCalls::default(),
            beyond: RateWindow::per_minute(BEYOND, clock.clone()),
            beyond_all_keys: RateWindow::per_minute(BEYOND * KEYS_WORTH, clock.clone()),
            shared,
            right: Cache::builder(MOST_RIGHT).time_to_idle(sessions::IDLE).build(),
            look_ups: (
                RateWindow::per(SECOND, LOOK_UPS_PER_ADDRESS, clock.clone()),
                RateWindow::per(SECOND, LOOK_UPS, clock.clone()),
            ),
        }
    }

    /// Decides whether a cookie or token of a client of this address is looked up. Over the limit of those without a valid
    /// credential, one that was right before is, and so many others a second: guesses must cost the database next to nothing.
    ///
    /// See docs/decisions/0012.
    pub fn may_look_up(&self, address: IpAddr, secret: &str) -> bool {
        let address = customer_address(address);
        !self.anonymous.is_used_up(&address)
            || self.right.get(&KeyHash::of(secret)).is_some()
            || self.takes_look_up(address)
    }

    /// Takes a look-up for an address over the limit, as [`customer_address`] returns it. Returns false when none is left this second.
    pub fn takes_look_up(&self, address: IpAddr) -> bool {
        let (per_address, all) = &self.look_ups;
        per_address.take(&address).allowed && all.take("all").allowed
    }

    /// Remembers that a cookie or token was right.
    pub fn record_right(&self, secret: &str) {
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
        let own = self.beyond.take(requester);
        let Requester::Key { account, .. } = requester else { return own };
        if !own.allowed {
            return own;
        }
        let together = self.beyond_all_keys.take(account);
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

/// Failed sign-ins per minute, which all processes count together: wrong passwords, codes and tokens of links. `whom` is the
/// e-mail address, or the token.
pub struct SignInLimits(SharedWindows);

impl SignInLimits {
    /// Counts an attempt for the address, and for address and `whom` together, or for neither when one is used up.
    pub async fn take(&self, address: IpAddr, whom: &str) -> Result<RateLimitState, store::DbError> {
        self.0.take(&SignInLimits::windows(address, whom)).await
    }

    /// Takes an attempt back that was no failure.
    pub async fn give_back(&self, address: IpAddr, whom: &str) -> Result<(), store::DbError> {
        self.0.give_back(&SignInLimits::windows(address, whom)).await
    }

    /// Returns the standing of an address that is known to have used up its attempts. Asks no database.
    pub fn find_used_up(&self, address: IpAddr) -> Option<RateLimitState> {
        self.0.find_used_up(&SignInLimits::of_address(address))
    }

    fn windows(address: IpAddr, whom: &str) -> [SharedWindow; 2] {
        // Counts are stored: no e-mail address in the clear.
        let pair = format!("sign-in:{}:{}", customer_address(address), KeyHash::of(whom).to_hex());
        [SignInLimits::of_address(address), SharedWindow::per_minute(pair, SIGN_INS_PER_PAIR)]
    }

    fn of_address(address: IpAddr) -> SharedWindow {
        SharedWindow::per_minute(format!("sign-in:{}", customer_address(address)), SIGN_INS_PER_ADDRESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NOON, for_each_engine};

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
}
