//! Calls that take much processor time, however small their answers are: an account has two of them at once in a process.
//! Used by the handlers of such calls. Must never be the only bound of a call: the work of each is bounded too.

use std::time::Duration;

use futures::FutureExt;

use crate::AccountId;
use platform::api::ApiError;
use platform::api::rate_limit_state::RateLimitState;
use platform::limits::{FairPermit, FairSemaphore};

/// Calls of an account at once.
const AT_ONCE: u32 = 2;
/// Time for which a reading call waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// The calls that are in progress. Cheap to clone.
#[derive(Clone)]
pub struct LongCalls(FairSemaphore<AccountId>);

/// A call that is in progress; over when dropped.
pub type LongCall = FairPermit<AccountId>;

impl Default for LongCalls {
    fn default() -> LongCalls {
        LongCalls(FairSemaphore::new(AT_ONCE as usize, |_| usize::MAX))
    }
}

impl LongCalls {
    /// Begins a call; 429 while the account has two.
    pub fn begin(&self, account: &AccountId) -> Result<LongCall, ApiError> {
        self.0.acquire(account.clone()).now_or_never().ok_or_else(refusal)
    }

    /// Begins a call as soon as the account has less than two; 429 when that takes long.
    pub async fn wait(&self, account: &AccountId) -> Result<LongCall, ApiError> {
        tokio::time::timeout(PATIENCE, self.0.acquire(account.clone())).await.map_err(|_| refusal())
    }
}

fn refusal() -> ApiError {
    let reset = Duration::from_secs(1);
    RateLimitState { allowed: false, limit: AT_ONCE, remaining: 0, reset }.refusal().expect("over its limit")
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

        let third = calls.begin(&one).err().expect("the account has two");
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
