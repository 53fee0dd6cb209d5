//! Consequences of a failed call: another attempt, a rest of the provider's lane, or the end of the run. Pure.

use std::time::Duration;

use assistants::providers::wire::{CallErrorCode, FailureClass, ProviderFailure};

use super::gate::CallCount;
use crate::budgets::start_of_day;
use crate::model::RunErrorCode;
use platform::clock::Timestamp;
use platform::jobs::backoff;

const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Shortest rest after a rate limit.
const SHORTEST_REST: Duration = Duration::from_secs(1);
/// Longest wait that a provider may ask for.
const LONGEST_ADVISED: Duration = Duration::from_secs(24 * 3600);

/// Step after a failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterFailedCall {
    /// The run ends.
    End,
    /// Another attempt after this time.
    Retry(Duration),
    /// The provider is left alone for this time; the run stays queued.
    Rest(Duration),
}

/// Decides what follows a failed call.
///
/// `attempt` counts from 1; `random` is from 0 to 1.
pub fn after_failed_call(
    failure: &ProviderFailure,
    count: CallCount,
    (attempt, random): (u32, f64),
    now: Timestamp,
) -> AfterFailedCall {
    let advised = failure.wait.map(|wait| wait.min(LONGEST_ADVISED));
    match failure.class {
        FailureClass::Throttle => AfterFailedCall::Rest(advised.unwrap_or(SHORTEST_REST).max(SHORTEST_REST)),
        FailureClass::Quota => {
            let midnight = start_of_day(now.day_number() + 1).since(now);
            AfterFailedCall::Rest(advised.unwrap_or(midnight).max(SHORTEST_REST))
        }
        _ if !failure.is_repeatable || count.is_used_up() => AfterFailedCall::End,
        _ => {
            let wait = backoff(attempt, FIRST_WAIT, LONGEST_WAIT, random);
            AfterFailedCall::Retry(advised.map_or(wait, |advised| advised.max(wait)))
        }
    }
}

/// Returns the code of a run that ends with a failure.
pub fn code_of(failure: &ProviderFailure) -> RunErrorCode {
    match failure.code() {
        CallErrorCode::Refused => RunErrorCode::Refused,
        CallErrorCode::Auth => RunErrorCode::Auth,
        CallErrorCode::Config => RunErrorCode::Config,
        CallErrorCode::Timeout => RunErrorCode::Timeout,
        CallErrorCode::Unreadable => RunErrorCode::Unreadable,
        CallErrorCode::ProviderError => RunErrorCode::ProviderError,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn failure(class: FailureClass, wait_s: Option<u64>) -> ProviderFailure {
        ProviderFailure { wait: wait_s.map(Duration::from_secs), ..ProviderFailure::new(class, "x") }
    }

    fn step(failure: &ProviderFailure, calls: u32, unanswered: u32, attempt: u32) -> AfterFailedCall {
        after_failed_call(failure, CallCount { calls, unanswered }, (attempt, 1.0), NOON)
    }

    #[test]
    fn a_rate_limit_rests_the_lane_for_the_advised_time_and_a_second_at_least() {
        assert_eq!(step(&failure(FailureClass::Throttle, None), 0, 0, 1), AfterFailedCall::Rest(SECOND));
        assert_eq!(step(&failure(FailureClass::Throttle, Some(0)), 0, 0, 1), AfterFailedCall::Rest(SECOND));
        assert_eq!(
            step(&failure(FailureClass::Throttle, Some(30)), 4, 2, 1),
            AfterFailedCall::Rest(SECOND * 30)
        );
    }

    #[test]
    fn a_used_up_quota_rests_until_the_advised_time_or_midnight() {
        let hour = SECOND * 3600;

        assert_eq!(step(&failure(FailureClass::Quota, None), 0, 0, 1), AfterFailedCall::Rest(hour * 12));
        assert_eq!(
            step(&failure(FailureClass::Quota, Some(60)), 0, 0, 1),
            AfterFailedCall::Rest(SECOND * 60)
        );
    }

    #[test]
    fn refusals_and_wrong_settings_end_the_run_at_once() {
        for class in [FailureClass::Refused, FailureClass::Auth, FailureClass::Config] {
            assert_eq!(step(&failure(class, None), 1, 0, 1), AfterFailedCall::End);
        }
    }

    #[test]
    fn trouble_is_tried_again_ever_later_until_the_calls_are_used_up() {
        let trouble = failure(FailureClass::Retry, None);
        let waits = [1, 2, 5, 6, 9].map(|attempt| step(&trouble, 1, 0, attempt));

        let seconds = [2, 4, 32, 60, 60].map(|seconds| AfterFailedCall::Retry(SECOND * seconds));
        assert_eq!(waits, seconds);
        assert_eq!(step(&trouble, 4, 0, 4), AfterFailedCall::End);
        assert_eq!(step(&failure(FailureClass::Timeout, None), 2, 2, 2), AfterFailedCall::End);
        assert_eq!(
            step(&failure(FailureClass::Retry, Some(90)), 1, 0, 1),
            AfterFailedCall::Retry(SECOND * 90)
        );
    }
}
