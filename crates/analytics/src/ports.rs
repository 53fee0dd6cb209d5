//! Interfaces of analytics to the feature that stores pages. `app` passes it in.

use futures::future::BoxFuture;
use store::DbError;
use url::Url;

use domains::Site;

/// Pages of a site that are stored for crawlers.
pub trait StoredPageList: Send + Sync {
    /// Lists the addresses of a site's stored pages.
    fn list<'a>(&'a self, site: &'a Site) -> BoxFuture<'a, Result<Vec<Url>, DbError>>;
}
