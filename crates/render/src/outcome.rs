//! One render as it is ordered, and what came of it. Used by all that order, make and wait for renders. Pure.

use std::sync::Arc;

use browser::RenderError;
use store::DbError;

use super::admission::RenderRefusal;
use super::decide::TargetPage;
use super::model::{RenderPurpose, RenderedPage};
use super::queries::PageId;
use domains::Site;

/// What came of a render; shared by everybody who waited for it.
#[derive(Debug, Clone)]
pub enum RenderOutcome {
    /// A page came out.
    Made {
        page: Arc<RenderedPage>,
        /// Whether it is the snapshot now.
        stored: bool,
    },
    /// Another process has stored the page.
    Elsewhere,
    /// It is less than what is stored: not stored until a second render agrees.
    HeldBack,
    /// It may not start.
    Refused(RenderRefusal),
    /// The account's renders of this month are used up, or the account is inactive.
    OverLimit,
    /// Nothing came out.
    Failed(Arc<RenderTaskError>),
}

/// Why nothing came out.
#[derive(Debug, thiserror::Error)]
pub enum RenderTaskError {
    /// The browser's reason.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The database failed.
    #[error("could not reach the database")]
    Store(#[from] DbError),
    /// The reason of the process that was asked to render it.
    #[error("{0}")]
    Remote(String),
    /// The same, when its origin did not answer.
    #[error("{0}")]
    RemoteOrigin(String),
}

impl RenderTaskError {
    /// Whether the origin could not be reached, or a page of it showed nothing in time.
    pub fn is_of_the_origin(&self) -> bool {
        use RenderError::{OriginUnreachable, Timeout};
        matches!(
            self,
            RenderTaskError::Render(OriginUnreachable(_) | Timeout(_)) | RenderTaskError::RemoteOrigin(_)
        )
    }
}

/// One render that is wanted.
#[derive(Clone, Copy)]
pub struct RenderOrder<'a> {
    /// The domain.
    pub site: &'a Site,
    pub page: &'a TargetPage,
    pub id: &'a PageId,
    /// Why it is made.
    pub purpose: RenderPurpose,
    /// The generation of what was stored when the render was found to be needed: when another process has stored a later
    /// one meanwhile, nothing is rendered. `None`: rendered whatever is stored.
    pub known_generation: Option<i64>,
}
