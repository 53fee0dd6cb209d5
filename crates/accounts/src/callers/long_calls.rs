//! Calls that take much processor time, however small their answers are: an account has two of them at once in a process.
//! Used by the handlers of such calls. Must never be the only bound of a call: the work of each is bounded too.

use std::time::Duration;

use tokio::time::Instant;

use crate::AccountId;
use platform::api::ApiError;
use platform::api::rate_limit_state::RateLimitState;
use platform::limits::{KeyedCount, KeyedSlot};

/// Calls of an account at once.
const AT_ONCE: u32 = 2;
/// Time for which a reading call waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time between two looks for a turn.
const POLL: Duration = Duration::from_millis(50);

/// The calls that are under way. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct LongCalls(KeyedCount<AccountId>);

/// A call that is under way; over when dropped.
pub type LongCall = KeyedSlot<AccountId>;

impl LongCalls {
    /// Begins a call; 429 while the account has two.
    pub fn begin(&self, account: &AccountId) -> Result<LongCall, ApiError> {
        let standing =
            RateLimitState { allowed: false, limit: AT_ONCE, remaining: 0, reset: Duration::from_secs(1) };
        let refusal = || standing.refusal().expect("the standing is over its limit");
        self.0.acquire(account.clone(), AT_ONCE as usize).ok_or_else(refusal)
    }

    /// Begins a call as soon as the account has less than two; 429 when that takes long.
    pub async fn wait(&self, account: &AccountId) -> Result<LongCall, ApiError> {
        let ends = Instant::now() + PATIENCE;
        loop {
            match self.begin(account) {
                Err(_) if Instant::now() < ends => tokio::time::sleep(POLL).await,
                begun => return begun,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::api::ErrorCode;

    #[tokio::test]
    async fn an_account_has_two_long_calls_at_once() {
        let calls = LongCalls::default();
        let (one, other) = (AccountId::from("one"), AccountId::from("other"));
        let first = calls.begin(&one).unwrap();
        let _second = calls.begin(&one).unwrap();

        let third = calls.begin(&one).unwrap_err();
        let of_other = calls.begin(&other);
        drop(first);

        assert_eq!(third.code(), ErrorCode::RateLimited);
        assert!(of_other.is_ok());
        assert!(calls.begin(&one).is_ok());
    }

    #[tokio::test]
    async fn a_reading_call_waits_for_its_turn() {
        let calls = LongCalls::default();
        let account = AccountId::from("one");
        let (first, _second) = (calls.begin(&account).unwrap(), calls.begin(&account).unwrap());

        let (third, ()) = tokio::join!(calls.wait(&account), async {
            tokio::task::yield_now().await;
            drop(first);
        });

        assert!(third.is_ok());
    }
}
