//! Services for views of pages: a wait behind clients' renders, and the page that a crawler gets.
//! Must never record a visit, nor hold a render slot.

use std::sync::Arc;

use browser::RenderRequest;
use store::DbError;
use url::Url;

use super::admission::RenderRefusal;
use super::cache::page_id;
use super::decide::{page_of, renderable};
use super::markdown_tier::MarkdownPage;
use super::model::{RenderPurpose, RenderedPage};
use super::outcome::RenderOutcome;
use super::service::RenderService;
use domains::Site;

/// A page as a crawler gets it.
#[derive(Debug, Clone)]
pub struct CrawlerPage {
    /// True when the page was rendered for this view; false when it was stored.
    pub is_new: bool,
    /// Key of the object that holds the HTML; none: the page is not stored.
    pub snapshot_key: Option<String>,
    pub page: Arc<RenderedPage>,
    /// Markdown of the page; none: the page has no document.
    pub markdown: Option<Arc<MarkdownPage>>,
}

/// Reason why a view may not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoTurn {
    /// The origin did not answer several times in a row.
    OriginDown,
    /// Renders of clients take too long.
    Busy,
}

/// Pages for views. Cheap to clone.
#[derive(Clone)]
pub struct PagesForViews(RenderService);

impl PagesForViews {
    pub fn new(render: &RenderService) -> PagesForViews {
        PagesForViews(render.clone())
    }

    /// Waits until no client's render waits for a slot. The slot is released at once, since a view has a browser of its own.
    pub async fn wait_behind_clients(&self, site: &Site) -> Result<(), NoTurn> {
        match self.0.tasks().background_turn(site).await {
            Ok(_) => Ok(()),
            Err(RenderRefusal::OriginDown) => Err(NoTurn::OriginDown),
            Err(_) => Err(NoTurn::Busy),
        }
    }

    /// Makes the browser's request for a view of a page, with the site's route and settings.
    pub fn request(&self, site: &Site, url: &Url) -> RenderRequest {
        self.0.tasks().request(site, url)
    }

    /// Returns the stored page that a crawler gets, without a render. None: nothing is stored, or a crawler gets no page here.
    pub async fn stored_page(&self, site: &Arc<Site>, url: &Url) -> Result<Option<CrawlerPage>, DbError> {
        let Some(url) = renderable(site, url) else { return Ok(None) };
        let page = page_of(site, &url);
        let found = self.0.durable().find(&page_id(&site.domain.id, &page.key)).await?;
        let Some(stored) = found.page else { return Ok(None) };
        let markdown = self.0.markdown().of(&page, &stored.page).await;
        let snapshot_key = Some(stored.row.object_key);
        Ok(Some(CrawlerPage { is_new: false, snapshot_key, page: stored.page, markdown }))
    }

    /// Returns the page that a crawler gets. A page that is not stored is rendered if the domain renders on demand, and stored
    /// unless its status is an error. None: a crawler gets no page at this address.
    pub async fn page_for_crawler(
        &self,
        site: &Arc<Site>,
        url: &Url,
    ) -> Result<Option<CrawlerPage>, DbError> {
        let Some(url) = renderable(site, url) else { return Ok(None) };
        let page = page_of(site, &url);
        let id = page_id(&site.domain.id, &page.key);
        let durable = self.0.durable();
        let found = durable.find(&id).await?;
        let (is_new, snapshot_key, rendered) = match found.page {
            Some(stored) => (false, Some(stored.row.object_key), stored.page),
            None if found.is_store_down || !site.domain.settings.on_demand_render_enabled => return Ok(None),
            None => match self.0.render_for_other(site, &page, &id, RenderPurpose::Look, None).await {
                Some(RenderOutcome::Made { page: rendered, stored }) => {
                    let row = if stored { durable.find_row(&id).await? } else { None };
                    (true, row.map(|row| row.object_key), rendered)
                }
                // Another process may have stored the page meanwhile.
                _ => match durable.find(&id).await?.page {
                    Some(stored) => (false, Some(stored.row.object_key), stored.page),
                    None => return Ok(None),
                },
            },
        };
        let markdown = self.0.markdown().of(&page, &rendered).await;
        Ok(Some(CrawlerPage { is_new, snapshot_key, page: rendered, markdown }))
    }
}
