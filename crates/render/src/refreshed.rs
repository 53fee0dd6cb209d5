//! What became of rendering a page again, as jobs need it: done, later, or who is in trouble. Pure.

use browser::RenderError;

use super::admission::RenderRefusal;
use super::model::RenderedPage;
use super::outcome::{RenderOutcome, RenderTaskError};

/// What became of a refresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refreshed {
    /// The page was rendered and is the snapshot now.
    Stored,
    /// Another process did it.
    Elsewhere,
    /// It was held back until a second render a minute later agrees: it is less than what is stored.
    HeldBack,
    /// The account has used its renders of this month, or is inactive.
    OverLimit,
    /// It could not be rendered, or came out as something that is not stored; what was stored before still is.
    Failed {
        /// Why, for people.
        reason: String,
        /// Who is in trouble.
        trouble: RefreshTrouble,
    },
}

/// Who is in trouble when a refresh failed, which decides when to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshTrouble {
    /// This page, and it will be the next time.
    Page,
    /// This page, perhaps only this time.
    Passing,
    /// Its server: it does not answer, or asks to be spared.
    Origin,
    /// This service: no browser, no database.
    Service,
}

impl Refreshed {
    /// What an outcome means for a job; `None`: the render ended without one.
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

/// Who is in trouble when a page came out that is not stored.
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
            RenderError::NoBrowser(_)
            | RenderError::Overloaded
            | RenderError::ShuttingDown
            | RenderError::Abandoned => RefreshTrouble::Service,
            RenderError::Timeout(_) => RefreshTrouble::Passing,
            RenderError::BadUrl(_)
            | RenderError::Forbidden { .. }
            | RenderError::NotAPage(_)
            | RenderError::PageCrashed
            | RenderError::TooLarge { .. } => RefreshTrouble::Page,
        },
    }
}
