//! What audits get from here: snapshots to compare pages with, and turns at the browsers as what nobody waits for. A
//! crawler's page never stands behind an audit's, and what an audit reads leaves nothing in the caches of crawlers' pages.

use async_trait::async_trait;
use audit_engine::source::{Snapshot, StoredPage};
use crawler::errors::one_line;
use url::Url;

use super::admission::{OriginResult, Permit};
use super::cache::{CacheError, page_id};
use super::decide::{page_of, renderable};
use super::service::RenderService;
use crate::audit::ports::{RenderTurn, Renders};
use crate::domains::Site;

#[async_trait]
impl Renders for RenderService {
    async fn turn(&self, site: &Site) -> Option<Box<dyn RenderTurn>> {
        let permit = self.background_turn(site).await?;
        Some(Box::new(permit))
    }

    async fn has_snapshots(&self, site: &Site) -> bool {
        let has_any = self.stored_pages().has_any(site).await;
        has_any
            .inspect_err(|error| tracing::warn!(error = %one_line(error), "an audit goes without snapshots"))
            .unwrap_or(false)
    }

    async fn snapshot(&self, site: &Site, url: &Url) -> Snapshot {
        let Some(url) = renderable(site, url) else { return Snapshot::Unknown };
        let page = page_of(site, &url);
        let id = page_id(&site.domain.id, &page.key);
        let found = async {
            let Some(row) = self.durable().find_row(&id).await? else { return Ok(None) };
            let html = self.durable().read_object(&row).await?;
            Ok::<_, CacheError>(html.map(|html| (row.created_at, html)))
        };
        match found.await {
            Ok(Some((made_at_ms, html))) => Snapshot::Found(StoredPage {
                html: String::from_utf8_lossy(&html).into_owned(),
                made_at_ms,
                refresh_interval_ms: i64::try_from(page.refresh_interval.as_millis()).unwrap_or(i64::MAX),
            }),
            Ok(None) => Snapshot::Missing,
            Err(error) => {
                tracing::warn!(error = %one_line(&error), "an audit could not read a snapshot");
                Snapshot::Unknown
            }
        }
    }
}

impl RenderTurn for Permit {
    fn note_answer(&self) {
        self.note(OriginResult::Responded);
    }
}
