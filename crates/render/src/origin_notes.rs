//! Results of renders that are recorded for their origins: responded, failed or cut off. Used by the render task.
//! Must never record a failure of the service itself.

use browser::{RenderError, Rendered, Settled};

use super::admission::{OriginResult, Permit, RenderRefusal};
use super::outcome::{RenderOutcome, RenderTaskError};

/// Decides whether a failure is one of the page, and not of the service itself.
pub fn is_of_the_page(error: &RenderError) -> bool {
    !matches!(error, RenderError::NoBrowser(_) | RenderError::ShuttingDown | RenderError::Abandoned)
}

/// Records the result of a render of this process.
pub fn record_origin(permit: &Permit, rendered: &Result<Rendered, RenderError>) {
    match rendered {
        Err(RenderError::OriginUnreachable(_) | RenderError::Timeout(_)) => {
            permit.note(OriginResult::Failed);
        }
        Err(error) if !is_of_the_page(error) => {}
        Ok(rendered) if rendered.settled == Settled::Timeout => permit.note(OriginResult::CutOff),
        _ => permit.note(OriginResult::Responded),
    }
}

/// Records the result of a render of another process.
pub fn record_origin_elsewhere(permit: &Permit, outcome: &Result<RenderOutcome, RenderTaskError>) {
    match outcome {
        Ok(RenderOutcome::Made { page, .. }) if page.partial => permit.note(OriginResult::CutOff),
        Ok(RenderOutcome::Made { .. }) => permit.note(OriginResult::Responded),
        Ok(RenderOutcome::Refused(RenderRefusal::OriginDown)) => permit.note(OriginResult::LeftAlone),
        Err(RenderTaskError::RemoteOrigin(_)) => permit.note(OriginResult::Failed),
        _ => {}
    }
}
