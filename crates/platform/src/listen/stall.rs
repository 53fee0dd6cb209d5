//! Waits for something that stands still to have stood still for too long. Used for writes and for HTTP/2 streams.
//! Costs no timer until something stands still.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::pressure::Pressure;

/// Time between two looks at the limit, which may have become shorter.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub struct Stall(Option<Pin<Box<Sleep>>>);

impl Stall {
    /// Records that bytes move again.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Returns true when nothing moved for too long since `since`; wakes the task when that may be so.
    pub fn is_over(
        &mut self,
        since: Instant,
        usual: Duration,
        pressure: &Pressure,
        context: &mut Context<'_>,
    ) -> bool {
        loop {
            let now = Instant::now();
            let deadline = since + pressure.patience(usual);
            if now >= deadline {
                return true;
            }
            let look_at = deadline.min(now + LOOK_AGAIN);
            if self.0.as_ref().is_none_or(|timer| timer.deadline() > look_at) {
                self.0 = Some(Box::pin(sleep_until(look_at)));
            }
            match self.0.as_mut().map(|timer| timer.as_mut().poll(context)) {
                Some(Poll::Pending) => return false,
                _ => self.0 = None,
            }
        }
    }
}
