//! The renderable pages of a site: those that its sitemap lists, and which of them changed.
//! Used by the service and its jobs.

use crawler::sitemap::{PageList, SitemapError, SitemapPage};
use store::DbError;
use url::Url;

use super::model::{NotQueued, PAGES_PER_PART, Selection};
use super::origin::Origins;
use super::staleness::is_updated;
use domains::Site;
use domains::origin::SitemapTurn;
use render::{RenderService, renderable};

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

    /// Returns the reason why no page of a site could be rendered now.
    pub async fn trouble_of_origin(&self, site: &Site) -> Option<NotQueued> {
        let root = Url::parse(&format!("https://{}/", site.domain.host)).ok()?;
        let root = renderable(site, &root).unwrap_or(root);
        self.origins.trouble_of_site(site, &root).await
    }

    /// Reads every renderable page of a sitemap, with the time of its last change. Waits for a slot.
    pub async fn read_sitemap(&self, site: &Site, sitemap: &Url) -> Result<ListedPages, SitemapError> {
        let client = self.origins.client();
        let turn = client.sitemap_turn(site).await;
        let read = client.read_sitemap(&turn, site, sitemap).await?;
        let mut pages = PageList::default();
        for (n, SitemapPage { url, lastmod }) in read.pages.iter().enumerate() {
            if let Some(url) = renderable(site, &url) {
                pages.push(&SitemapPage { url, lastmod });
            }
            // A million of them are seconds of work.
            if n % PAGES_PER_PART == 0 {
                tokio::task::yield_now().await;
            }
        }
        Ok(ListedPages { pages, _turn: Some(turn) })
    }

    /// Leaves the pages that are wanted: all, or those that changed since they were stored.
    pub async fn select(
        &self,
        site: &Site,
        mut listed: ListedPages,
        selection: Selection,
    ) -> Result<ListedPages, DbError> {
        if selection == Selection::Every {
            return Ok(listed);
        }
        let mut selected = PageList::default();
        let mut pages = listed.pages.iter().peekable();
        while pages.peek().is_some() {
            let part: Vec<SitemapPage> = pages.by_ref().take(PAGES_PER_PART).collect();
            let urls: Vec<Url> = part.iter().map(|page| page.url.clone()).collect();
            let stored = self.render.stored_pages().stored_at(site, &urls).await?;
            for (page, stored) in part.iter().zip(stored) {
                if is_updated(page.lastmod, stored) {
                    selected.push(page);
                }
            }
        }
        drop(pages);
        listed.pages = selected;
        Ok(listed)
    }
}

/// Pages of a site, as many as a sitemap may list. While they are held they count as one of the process's sitemaps.
pub struct ListedPages {
    pages: PageList,
    _turn: Option<SitemapTurn>,
}

impl ListedPages {
    /// Makes a list of pages from another source.
    pub fn from_urls(urls: Vec<Url>) -> ListedPages {
        let pages = urls.into_iter().map(|url| SitemapPage { url, lastmod: None }).collect();
        ListedPages { pages, _turn: None }
    }

    /// Keeps the first pages, at most this many.
    pub fn first(self, most: u64) -> ListedPages {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        if self.len() <= most {
            return self;
        }
        let mut pages = PageList::default();
        self.pages.iter().take(most).for_each(|page| pages.push(&page));
        ListedPages { pages, _turn: self._turn }
    }

    pub fn len(&self) -> usize {
        self.pages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns the addresses, one unpacked at a time.
    pub fn urls(&self) -> impl Iterator<Item = Url> {
        self.pages.iter().map(|page| page.url)
    }

    /// Returns the addresses in parts.
    pub fn parts(&self) -> impl Iterator<Item = Vec<Url>> {
        let mut urls = self.urls();
        std::iter::from_fn(move || {
            let part: Vec<Url> = urls.by_ref().take(PAGES_PER_PART).collect();
            (!part.is_empty()).then_some(part)
        })
    }
}

/// Returns the sitemap in a site's settings.
pub fn stored_sitemap(site: &Site) -> Option<Url> {
    Url::parse(&site.domain.settings.sitemap_url).ok()
}
