//! Interfaces of audits to features that know more of a site than its server shows. Each is implemented by the
//! feature that has the data; `app` passes them in.

use std::collections::HashMap;

use audit_engine::source::{FetchFailure, Response, SnapshotLookup};
use browser::{OwnHeaders, Rendered};
use futures::future::BoxFuture;
use serde::Serialize;
use store::DbError;
use url::Url;
use utoipa::ToSchema;

use domains::site::SiteRedirect;
use domains::{DomainId, Site};

/// Pages as crawlers get them, and renders when no crawler's page waits for one.
pub trait Renders: Send + Sync {
    /// Renders a page of a site at its address and inspects it, with the site's route and settings, and with these headers for its
    /// own hosts. None: the origin is in trouble, too many renders wait, or the render failed.
    fn render<'a>(
        &'a self,
        site: &'a Site,
        url: &'a Url,
        own_headers: Option<OwnHeaders>,
    ) -> BoxFuture<'a, Option<Rendered>>;

    /// Returns the redirect that a crawler of a connected site meets before the site's own server, if any.
    fn redirect(&self, site: &Site, url: &Url) -> Option<SiteRedirect>;

    /// Returns the file at the root that the edge serves for an address instead of its server's answer, if any.
    fn root_file<'a>(
        &'a self,
        site: &'a Site,
        url: &'a Url,
        answer: &'a Result<Response, FetchFailure>,
    ) -> BoxFuture<'a, Option<Response>>;

    /// Decides whether there is any snapshot of a site; `false` too when nobody can tell.
    fn has_snapshots<'a>(&'a self, site: &'a Site) -> BoxFuture<'a, bool>;

    /// Finds the snapshot of a page. `Unknown` for pages that are never rendered for crawlers, and when the store
    /// does not answer.
    fn snapshot<'a>(&'a self, site: &'a Site, url: &'a Url) -> BoxFuture<'a, SnapshotLookup>;
}

/// Field of a page with the last visit of a crawler. It is read on request, and no part of the results.
pub const LAST_VISIT: &str = "lastCrawlerVisit";

/// Visits of crawlers.
pub trait CrawlerTraffic: Send + Sync {
    /// Returns the last visit of each page of a domain, or of one page, by path without query.
    fn last_visits<'a>(
        &'a self,
        domain: &'a DomainId,
        path: Option<&'a str>,
    ) -> BoxFuture<'a, Result<HashMap<String, LastVisit>, DbError>>;
}

/// The last visit of a crawler to a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct LastVisit {
    /// UTC day.
    #[schema(examples("2026-11-20"))]
    pub date: String,
    #[schema(examples("googlebot"))]
    pub crawler: String,
    /// Operator of the crawler.
    #[schema(examples("google"))]
    pub provider: String,
}
