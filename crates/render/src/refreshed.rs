//! Result of rendering a page again, for jobs: stored, not stored yet, or the cause of a failure. Pure.

use browser::RenderError;

use super::admission::RenderRefusal;
use super::model::RenderedPage;
use super::outcome::{RenderOutcome, RenderTaskError};

/// Result of a refresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refreshed {
    /// The page was rendered and is the snapshot now.
    Stored,
    /// Another process rendered the page.
    Elsewhere,
    /// The page has less content than the stored one, and is held back until a second render a minute later agrees.
    HeldBack,
    /// The account has used its renders of this month, or is inactive.
    OverLimit,
    /// The page could not be rendered or stored. The earlier snapshot is kept.
    Failed {
        /// Reason, for people.
        reason: String,
        trouble: RefreshTrouble,
    },
}

/// Cause of a failed refresh, which decides when to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshTrouble {
    /// The page, which will fail the next time too.
    Page,
    /// The page, perhaps only this time.
    Passing,
    /// The origin, which does not answer, or answers 429 or a server error.
    Origin,
    /// The service itself: no browser, no database.
    Service,
}

impl Refreshed {
    /// Makes the result of a refresh from the outcome of its render; `None`: the render ended without an outcome.
    pub(super) fn from_outcome(outcome: Option<RenderOutcome>) -> Refreshed {
        let failed = |reason: String, trouble| Refreshed::Failed { reason, trouble };
        match outcome {
            Some(RenderOutcome::Made { stored: true, .. }) => Refreshed::Stored,
            Some(RenderOutcome::Made { page, .. }) if page.is_storable() => {
                failed("the render could not be stored".to_owned(), RefreshTrouble::Passing)
            }
            Some(RenderOutcome::Made { page, .. }) => failed(page.describe_unstored(), trouble_of(&page)),
            Some(RenderOutcome::Elsewhere) => Refreshed::Elsewhere,
            Some(RenderOutcome::HeldBack) => Refreshed::HeldBack,
            Some(RenderOutcome::OverLimit) => Refreshed::OverLimit,
            Some(RenderOutcome::Refused(RenderRefusal::OriginDown)) => {
                failed(RenderRefusal::OriginDown.to_string(), RefreshTrouble::Origin)
            }
            Some(RenderOutcome::Refused(refusal)) => failed(refusal.to_string(), RefreshTrouble::Service),
            Some(RenderOutcome::Failed(error)) => failed(error.to_string(), trouble_behind(&error)),
            None => failed("the render ended unexpectedly".to_owned(), RefreshTrouble::Passing),
        }
    }
}

/// Decides the cause of the failure when a rendered page may not be stored.
fn trouble_of(page: &RenderedPage) -> RefreshTrouble {
    match page.status {
        429 | 500..=599 => RefreshTrouble::Origin,
        _ if page.partial => RefreshTrouble::Passing,
        _ => RefreshTrouble::Page,
    }
}

fn trouble_behind(error: &RenderTaskError) -> RefreshTrouble {
    match error {
        RenderTaskError::Store(_) | RenderTaskError::Remote(_) => RefreshTrouble::Service,
        RenderTaskError::RemoteOrigin(_) => RefreshTrouble::Passing,
        RenderTaskError::Render(error) => match error {
            RenderError::OriginUnreachable(_) => RefreshTrouble::Origin,
            RenderError::NoBrowser(_) | RenderError::ShuttingDown | RenderError::Abandoned => {
                RefreshTrouble::Service
            }
            RenderError::Timeout(_) => RefreshTrouble::Passing,
            RenderError::BadUrl(_)
            | RenderError::Forbidden { .. }
            | RenderError::NotAPage(_)
            | RenderError::PageCrashed
            | RenderError::TooLarge { .. } => RefreshTrouble::Page,
        },
    }
}
