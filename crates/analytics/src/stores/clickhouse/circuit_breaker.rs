//! Reachability of the server: while it does not answer, reports are refused at once, and one of them tries every five seconds.
//! Used by the reports of the store; tasks that count visits do not use it and keep trying. Pure but for the clock.
//! See docs/decisions/0314.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Time for which reports are refused after one without an answer.
pub const PAUSE: Duration = Duration::from_secs(5);

/// Result of the last requests.
#[derive(Debug, Default)]
pub struct CircuitBreaker {
    /// Time of the last request, if the server did not answer it.
    silent: Mutex<Option<Instant>>,
}

impl CircuitBreaker {
    /// Decides whether a report may query the server.
    pub fn may_ask(&self) -> bool {
        let mut silent = self.silent();
        let is_pause = silent.is_some_and(|asked| asked.elapsed() < PAUSE);
        if silent.is_some() && !is_pause {
            // The other reports are refused until this one has a result.
            *silent = Some(Instant::now());
        }
        !is_pause
    }

    /// Records that the server answered.
    pub fn answered(&self) {
        *self.silent() = None;
    }

    /// Records that the server did not answer.
    pub fn gave_no_answer(&self) {
        *self.silent() = Some(Instant::now());
    }

    fn silent(&self) -> MutexGuard<'_, Option<Instant>> {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_silent_server_is_asked_by_one_report_after_each_pause() {
        let breaker = CircuitBreaker::default();
        let ask = || [breaker.may_ask(), breaker.may_ask()];

        let before = ask();
        breaker.gave_no_answer();
        let silent = ask();
        tokio::time::advance(PAUSE).await;
        let later = ask();
        breaker.answered();

        assert_eq!([before, silent, later, ask()], [[true; 2], [false; 2], [true, false], [true; 2]]);
    }
}
