//! Where a render is tried again after its tab or browser was lost, and when that is the page's own fault.
//! Used by the pool. Pure. Must never blame a page for a browser that it shared with others.
//! See docs/decisions/0115.

use std::time::Duration;

use crate::RenderError;

/// Tabs that a page may lose: one may be another's doing (memory was short), two are its own.
const MAX_TAB_CRASHES: u32 = 2;
/// Browsers that may end under a page that has one for itself: the first may be an accident.
const MAX_EXCLUSIVE_LOSSES: u32 = 2;
/// Browsers that may end under a page, alone or not: then something else is wrong with them.
const MAX_LOSSES: u32 = 4;
/// Tabs that could not be opened.
const MAX_OPEN_FAILURES: u32 = 3;

/// Where a render runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// In a browser with others.
    Shared,
    /// In a browser with nobody else: whatever ended the last one takes nobody with it.
    Exclusive,
}

/// What was lost under a render.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Its tab alone.
    Tab,
    /// Its browser, which it had for itself or not.
    Browser(Isolation),
    /// No tab could be opened for it.
    NoTab,
}

/// The attempts of one render.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    tab_crashes: u32,
    exclusive_losses: u32,
    open_failures: u32,
    losses: u32,
    visits: u32,
}

impl Attempts {
    /// Where the next attempt is to be made.
    pub fn isolation(&self) -> Isolation {
        if self.losses > 0 { Isolation::Exclusive } else { Isolation::Shared }
    }

    /// Whether nothing has been lost yet.
    pub fn is_first(&self) -> bool {
        self.losses == 0 && self.tab_crashes == 0 && self.open_failures == 0
    }

    /// Notes that a tab goes to the page.
    pub fn record_visit(&mut self) {
        self.visits += 1;
    }

    /// Why a render that is over its deadline has come to nothing: only a page that was visited may have been too slow.
    pub fn deadline_error(&self, timeout: Duration) -> RenderError {
        if self.visits > self.losses + self.tab_crashes {
            return RenderError::Timeout(timeout);
        }
        RenderError::NoBrowser("no tab of it was ready in time".to_owned())
    }

    /// Notes a loss; the error says that there is no further attempt.
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
            return Err(RenderError::NoBrowser("it ended again and again".to_owned()));
        }
        if self.open_failures >= MAX_OPEN_FAILURES {
            return Err(RenderError::NoBrowser("it opens no tab".to_owned()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_is_lost_once_for_free_and_the_next_attempt_is_among_others_again() {
        let mut attempts = Attempts::default();

        assert!(attempts.record_loss(Loss::Tab).is_ok());
        assert_eq!((attempts.isolation(), attempts.is_first()), (Isolation::Shared, false));
        assert!(matches!(attempts.record_loss(Loss::Tab), Err(RenderError::PageCrashed)));
    }

    #[test]
    fn after_a_browser_was_lost_a_page_is_alone_until_two_more_have_ended_under_it() {
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
    fn a_page_is_not_blamed_for_browsers_that_it_shared_however_many_end() {
        let mut attempts = Attempts::default();

        let ends: Vec<_> = (0..4).map(|_| attempts.record_loss(Loss::Browser(Isolation::Shared))).collect();

        assert!(matches!(ends[..], [Ok(()), Ok(()), Ok(()), Err(RenderError::NoBrowser(_))]));
    }

    #[test]
    fn only_a_page_that_is_being_visited_is_too_slow() {
        let mut attempts = Attempts::default();
        let limit = Duration::from_secs(9);

        assert!(matches!(attempts.deadline_error(limit), RenderError::NoBrowser(_)));
        attempts.record_visit();
        assert!(matches!(attempts.deadline_error(limit), RenderError::Timeout(of) if of == limit));
        attempts.record_loss(Loss::Browser(Isolation::Shared)).unwrap();
        assert!(matches!(attempts.deadline_error(limit), RenderError::NoBrowser(_)));
    }

    #[test]
    fn a_browser_that_opens_no_tab_is_not_the_pages_fault() {
        let mut attempts = Attempts::default();

        let ends: Vec<_> = (0..3).map(|_| attempts.record_loss(Loss::NoTab)).collect();

        assert!(matches!(ends[..], [Ok(()), Ok(()), Err(RenderError::NoBrowser(_))]));
    }
}
