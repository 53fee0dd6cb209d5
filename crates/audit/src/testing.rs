//! Stand-in for the renders of audits, for tests of features that audits are read by.

use audit_engine::source::{FetchFailure, Response, SnapshotLookup};
use browser::{OwnHeaders, Rendered};
use domains::Site;
use domains::site::SiteRedirect;
use futures::future::BoxFuture;
use url::Url;

pub use crate::jobs::RunAudit;
use crate::ports::Renders;
pub use crate::stored::PartKind;

/// Rows as the tests of the whole service read them.
pub mod queries {
    pub use crate::queries::*;
}

/// A service that renders nothing.
pub struct NoRenders;

impl Renders for NoRenders {
    fn render<'a>(
        &'a self,
        _: &'a Site,
        _: &'a Url,
        _: Option<OwnHeaders>,
    ) -> BoxFuture<'a, Option<Rendered>> {
        Box::pin(async { None })
    }

    fn redirect(&self, _: &Site, _: &Url) -> Option<SiteRedirect> {
        None
    }

    fn root_file<'a>(
        &'a self,
        _: &'a Site,
        _: &'a Url,
        _: &'a Result<Response, FetchFailure>,
    ) -> BoxFuture<'a, Option<Response>> {
        Box::pin(async { None })
    }

    fn has_snapshots<'a>(&'a self, _: &'a Site) -> BoxFuture<'a, bool> {
        Box::pin(async { false })
    }

    fn snapshot<'a>(&'a self, _: &'a Site, _: &'a Url) -> BoxFuture<'a, SnapshotLookup> {
        Box::pin(async { SnapshotLookup::Unknown })
    }
}
