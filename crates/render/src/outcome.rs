//! Order of a render, and its outcome. Used by the modules that order, run and await renders. Pure.

use std::sync::Arc;

use browser::RenderError;
use store::DbError;

use super::admission::RenderRefusal;
use super::decide::TargetPage;
use super::model::{RenderPurpose, RenderedPage};
use super::queries::PageId;
use domains::Site;

/// Outcome of a render, shared by all callers that waited for it.
#[derive(Debug, Clone)]
pub enum RenderOutcome {
    /// A page was rendered.
    Made {
        page: Arc<RenderedPage>,
        /// True when the page is the snapshot now.
        stored: bool,
    },
    /// Another process has stored the page, or is rendering it in place of a background render.
    Elsewhere,
    /// The page has less content than the stored one, and is not stored until a second render agrees.
    HeldBack,
    /// The render may not start.
    Refused(RenderRefusal),
    /// The account's renders of this month are used up, or the account is inactive.
    OverLimit,
    /// The render failed.
    Failed(Arc<RenderTaskError>),
}

impl RenderOutcome {
    /// Decides whether no render was tried, by a limit of the plan or the domain, or because this process is busy.
    pub fn is_refused(&self) -> bool {
        match self {
            RenderOutcome::OverLimit => true,
            RenderOutcome::Refused(refusal) => *refusal != RenderRefusal::OriginDown,
            _ => false,
        }
    }
}

/// Failure of a render.
#[derive(Debug, thiserror::Error)]
pub enum RenderTaskError {
    /// The browser failed.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The database failed.
    #[error("could not reach the database")]
    Store(#[from] DbError),
    /// The process that was asked to render the page failed.
    #[error("{0}")]
    Remote(String),
    /// The process that was asked to render the page got no answer from the origin.
    #[error("{0}")]
    RemoteOrigin(String),
}

impl RenderTaskError {
    /// Decides whether the origin could not be reached, or its page showed nothing within the time limit.
    pub fn is_of_the_origin(&self) -> bool {
        use RenderError::{OriginUnreachable, Timeout};
        matches!(
            self,
            RenderTaskError::Render(OriginUnreachable(_) | Timeout(_)) | RenderTaskError::RemoteOrigin(_)
        )
    }
}

/// Order of one render.
#[derive(Clone, Copy)]
pub struct RenderOrder<'a> {
    pub site: &'a Site,
    pub page: &'a TargetPage,
    pub id: &'a PageId,
    pub purpose: RenderPurpose,
    /// Generation of the snapshot that was stored when the render was ordered: when another process has stored a later one
    /// meanwhile, nothing is rendered. `None`: the page is rendered whatever is stored.
    pub known_generation: Option<i64>,
}
