//! The receiver of an audit's progress, which says when the audit must end. Used by the crawl and by the requests beside
//! it.

use std::time::Duration;

use tokio::time::Instant;

use super::journal::Journal;
use super::{AuditOptions, AuditProgress, CrawlEnd};

/// Interval at which it is asked whether the audit is still wanted.
pub(super) const TICK: Duration = Duration::from_millis(250);
/// Least interval at which progress beside pages is told.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// Receiver of the progress.
pub(super) enum Watch<'w> {
    /// Store of the progress.
    Journal(&'w mut dyn Journal),
    /// Observer of the progress.
    Callback(&'w mut (dyn FnMut(AuditProgress) + Send)),
}

impl Watch<'_> {
    /// Decides whether an audit must end that took so long.
    pub fn must_end(&self, options: &AuditOptions, elapsed: Duration) -> Option<CrawlEnd> {
        match self {
            Watch::Journal(journal) if journal.is_cancelled() => return Some(CrawlEnd::Cancelled),
            _ => {}
        }
        let is_late = options.time_limit.is_some_and(|limit| elapsed >= limit);
        is_late.then_some(CrawlEnd::TimeLimit)
    }

    /// Waits until an audit must end that has taken `elapsed` so far. Reports its progress meanwhile.
    pub async fn end(
        &mut self,
        options: &AuditOptions,
        elapsed: Duration,
        progress: impl Fn() -> AuditProgress,
    ) -> CrawlEnd {
        let begun = Instant::now();
        let (mut told, mut tell_at) = (progress(), begun);
        loop {
            if let Some(reason) = self.must_end(options, elapsed + begun.elapsed()) {
                return reason;
            }
            let next = progress();
            if next != told && Instant::now() >= tell_at {
                match self {
                    Watch::Journal(journal) => journal.note(next).await,
                    Watch::Callback(tell) => tell(next),
                }
                (told, tell_at) = (next, Instant::now() + TELL_EVERY);
            }
            tokio::time::sleep(TICK).await;
        }
    }
}
