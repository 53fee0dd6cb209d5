//! Renders and snapshots for audits: render slots at background priority, and snapshots to compare pages with. A crawler's
//! render is never queued behind an audit's, and reads of audits leave nothing in the caches of crawlers' pages.

use audit_engine::source::{FetchFailure, Response, SnapshotLookup, StoredPage};
use browser::{OwnHeaders, RenderRequest, Rendered};
use crawler::errors::one_line;
use futures::future::BoxFuture;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, StatusCode};
use url::Url;

use super::admission::OriginResult;
use super::cache::{CacheError, page_id};
use super::decide::{DecidedAnswer, decide_navigation, page_of, renderable};
use super::kept_headers::from_stored;
use super::service::RenderService;
use audit::ports::Renders;
use domains::Site;
use domains::root_files::{RootFileMode, is_absent};
use domains::site::SiteRedirect;

impl Renders for RenderService {
    fn render<'a>(
        &'a self,
        site: &'a Site,
        url: &'a Url,
        own_headers: Option<OwnHeaders>,
    ) -> BoxFuture<'a, Option<Rendered>> {
        Box::pin(async move {
            let tasks = self.tasks();
            let permit = tasks.background_turn(site).await.ok()?;
            let request = RenderRequest { own_headers, inspect: true, ..tasks.request(site, url) };
            let rendered = tasks.render(request, &permit).await.ok()?;
            permit.note(OriginResult::Responded);
            Some(rendered)
        })
    }

    fn redirect(&self, site: &Site, url: &Url) -> Option<SiteRedirect> {
        match decide_navigation(site, url, true).answer {
            DecidedAnswer::Redirect(redirect) => Some(redirect),
            DecidedAnswer::Origin(_) | DecidedAnswer::Snapshot(_) => None,
        }
    }

    fn root_file<'a>(
        &'a self,
        site: &'a Site,
        url: &'a Url,
        answer: &'a Result<Response, FetchFailure>,
    ) -> BoxFuture<'a, Option<Response>> {
        Box::pin(async move {
            let file = self.root_files().find(site, url).await?;
            let has_none = |answer: &Response| {
                let status = StatusCode::from_u16(answer.status).unwrap_or_default();
                is_absent(site, url, status, &answer.headers)
            };
            let answers = file.mode == RootFileMode::Always || answer.as_ref().is_ok_and(has_none);
            if !answers || site.preferred_address(url).is_some() {
                return None;
            }
            let served = self.root_files().serve(site, url, &file).await?;
            let content_type = HeaderValue::try_from(&served.content_type).ok()?;
            Some(Response {
                status: 200,
                headers: HeaderMap::from_iter([(CONTENT_TYPE, content_type)]),
                body: served.body,
                is_made: served.is_made,
                ..Response::default()
            })
        })
    }

    fn has_snapshots<'a>(&'a self, site: &'a Site) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let has_any = self.stored_pages().has_any(site).await;
            has_any
                .inspect_err(
                    |error| tracing::warn!(error = %one_line(error), "an audit goes without snapshots"),
                )
                .unwrap_or(false)
        })
    }

    fn snapshot<'a>(&'a self, site: &'a Site, url: &'a Url) -> BoxFuture<'a, SnapshotLookup> {
        Box::pin(async move {
            let Some(url) = renderable(site, url) else { return SnapshotLookup::Unknown };
            let page = page_of(site, &url);
            let id = page_id(&site.domain.id, &page.key);
            let found = async {
                let Some(row) = self.durable().find_row(&id).await? else { return Ok(None) };
                let html = self.durable().read_object(&row).await?;
                Ok::<_, CacheError>(html.map(|html| (row, html)))
            };
            match found.await {
                Ok(Some((row, html))) => SnapshotLookup::Found(StoredPage {
                    status: u16::try_from(row.status).unwrap_or(200),
                    html: String::from_utf8_lossy(&html).into_owned(),
                    headers: from_stored(row.headers.as_deref()),
                    made_at_ms: row.created_at,
                    refresh_interval_ms: i64::try_from(page.refresh_interval.as_millis()).unwrap_or(i64::MAX),
                }),
                Ok(None) => SnapshotLookup::Missing,
                Err(error) => {
                    tracing::warn!(error = %one_line(&error), "an audit could not read a snapshot");
                    SnapshotLookup::Unknown
                }
            }
        })
    }
}
