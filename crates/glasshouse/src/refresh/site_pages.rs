//! The pages of a site that can be rendered: what its sitemap lists, and which of them changed.
//! Used by the service and its jobs.

use crawler::sitemap::SitemapError;
use store::DbError;
use url::Url;

use super::model::{Cause, Selection};
use super::origin::Origins;
use super::staleness::is_updated;
use crate::domains::Site;
use crate::render::{RenderService, renderable};

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct SitePages {
    origins: Origins,
    render: RenderService,
}

impl SitePages {
    /// Asks these origins, and compares with what is stored.
    pub fn new(origins: &Origins, render: &RenderService) -> SitePages {
        SitePages { origins: origins.clone(), render: render.clone() }
    }

    /// Why nothing of a site could be rendered now, if so.
    pub async fn trouble_of_origin(&self, site: &Site) -> Option<Cause> {
        let root = Url::parse(&format!("https://{}/", site.domain.host)).ok()?;
        let root = renderable(site, &root).unwrap_or(root);
        self.origins.trouble_of_site(site, &root).await
    }

    /// Every page of a sitemap that can be rendered, with the time of its last change.
    pub async fn read_sitemap(
        &self,
        site: &Site,
        sitemap: &Url,
    ) -> Result<Vec<(Url, Option<i64>)>, SitemapError> {
        let read = self.origins.client().read_sitemap(site, sitemap).await?;
        Ok(read
            .pages
            .into_iter()
            .filter_map(|page| Some((renderable(site, &page.url)?, page.lastmod)))
            .collect())
    }

    /// Leaves the pages that are wanted: all, or those that changed since they were stored.
    pub async fn select(
        &self,
        site: &Site,
        listed: Vec<(Url, Option<i64>)>,
        selection: Selection,
    ) -> Result<Vec<Url>, DbError> {
        let (urls, changed): (Vec<Url>, Vec<Option<i64>>) = listed.into_iter().unzip();
        if selection == Selection::Every {
            return Ok(urls);
        }
        let stored = self.render.stored_pages().stored_at(site, &urls).await?;
        let pages = urls.into_iter().zip(changed).zip(stored);
        Ok(pages
            .filter(|((_, lastmod), stored)| is_updated(*lastmod, *stored))
            .map(|((url, _), _)| url)
            .collect())
    }
}

/// The sitemap in a site's settings.
pub fn stored_sitemap(site: &Site) -> Option<Url> {
    Url::parse(&site.domain.settings.sitemap_url).ok()
}
