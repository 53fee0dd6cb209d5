//! Retry limits of a render whose tab or browser was lost, and the decision whether the page is the cause.
//! Used by the pool. Pure. Must never blame a page for the end of a browser that it shared with other pages.
//! See docs/decisions/0115.

use std::time::Duration;

use crate::RenderError;

/// Lost tabs after which the page is the cause. The first loss can have another cause, such as short memory.
const MAX_TAB_CRASHES: u32 = 2;
/// Browsers lost while the page was alone in them, after which the page is the cause. The first loss can be an accident.
const MAX_EXCLUSIVE_LOSSES: u32 = 2;
/// Lost browsers, shared or exclusive, after which the browser itself is taken to be broken.
const MAX_LOSSES: u32 = 4;
/// Failed attempts to open a tab.
const MAX_OPEN_FAILURES: u32 = 3;

/// Sharing of the browser that runs a render.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// Other renders run in the same browser.
    Shared,
    /// No other render runs in the same browser, so its end affects no other render.
    Exclusive,
}

/// Loss that ends an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The tab crashed.
    Tab,
    /// The browser ended.
    Browser(Isolation),
    /// No tab could be opened.
    NoTab,
}

/// Attempts of one render.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    tab_crashes: u32,
    exclusive_losses: u32,
    open_failures: u32,
    losses: u32,
    visits: u32,
}

impl Attempts {
    /// Returns the isolation of the next attempt.
    pub fn isolation(&self) -> Isolation {
        if self.losses > 0 { Isolation::Exclusive } else { Isolation::Shared }
    }

    /// Returns true while nothing has been lost.
    pub fn is_first(&self) -> bool {
        self.losses == 0 && self.tab_crashes == 0 && self.open_failures == 0
    }

    /// Counts a tab that has been given to the page.
    pub fn record_visit(&mut self) {
        self.visits += 1;
    }

    /// Returns the error of a render at its deadline. Only a page that was being visited may have been too slow.
    pub fn deadline_error(&self, timeout: Duration) -> RenderError {
        if self.visits > self.losses + self.tab_crashes {
            return RenderError::Timeout(timeout);
        }
        RenderError::NoBrowser("no tab was ready in time".to_owned())
    }

    /// Counts a loss. Returns an error when the render must not be tried again.
    pub fn record_loss(&mut self, loss: Loss) -> Result<(), RenderError> {
        match loss {
            Loss::Tab => self.tab_crashes += 1,
            Loss::Browser(isolation) => {
                self.exclusive_losses += u32::from(isolation == Isolation::Exclusive);
                self.losses += 1;
            }
            Loss::NoTab => self.open_failures += 1,
        }
        if self.tab_crashes >= MAX_TAB_CRASHES || self.exclusive_losses >= MAX_EXCLUSIVE_LOSSES {
            return Err(RenderError::PageCrashed);
        }
        if self.losses >= MAX_LOSSES {
            return Err(RenderError::NoBrowser("it ended repeatedly".to_owned()));
        }
        if self.open_failures >= MAX_OPEN_FAILURES {
            return Err(RenderError::NoBrowser("it opens no tabs".to_owned()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_one_lost_tab_the_render_is_retried_in_a_shared_browser() {
        let mut attempts = Attempts::default();

        assert!(attempts.record_loss(Loss::Tab).is_ok());
        assert_eq!((attempts.isolation(), attempts.is_first()), (Isolation::Shared, false));
        assert!(matches!(attempts.record_loss(Loss::Tab), Err(RenderError::PageCrashed)));
    }

    #[test]
    fn after_a_lost_browser_the_render_is_exclusive_and_fails_when_two_more_are_lost() {
        let mut attempts = Attempts::default();

        assert!(attempts.record_loss(Loss::Browser(Isolation::Shared)).is_ok());
        assert_eq!(attempts.isolation(), Isolation::Exclusive);
        assert!(attempts.record_loss(Loss::Browser(Isolation::Exclusive)).is_ok());
        assert!(matches!(
            attempts.record_loss(Loss::Browser(Isolation::Exclusive)),
            Err(RenderError::PageCrashed)
        ));
    }

    #[test]
    fn lost_shared_browsers_are_never_the_pages_fault() {
        let mut attempts = Attempts::default();

        let ends: Vec<_> = (0..4).map(|_| attempts.record_loss(Loss::Browser(Isolation::Shared))).collect();

        assert!(matches!(ends[..], [Ok(()), Ok(()), Ok(()), Err(RenderError::NoBrowser(_))]));
    }

    #[test]
    fn only_a_visited_page_can_time_out() {
        let mut attempts = Attempts::default();
        let limit = Duration::from_secs(9);

        assert!(matches!(attempts.deadline_error(limit), RenderError::NoBrowser(_)));
        attempts.record_visit();
        assert!(matches!(attempts.deadline_error(limit), RenderError::Timeout(of) if of == limit));
        attempts.record_loss(Loss::Browser(Isolation::Shared)).unwrap();
        assert!(matches!(attempts.deadline_error(limit), RenderError::NoBrowser(_)));
    }

    #[test]
    fn failures_to_open_a_tab_are_not_the_pages_fault() {
        let mut attempts = Attempts::default();

        let ends: Vec<_> = (0..3).map(|_| attempts.record_loss(Loss::NoTab)).collect();

        assert!(matches!(ends[..], [Ok(()), Ok(()), Err(RenderError::NoBrowser(_))]));
    }
}
