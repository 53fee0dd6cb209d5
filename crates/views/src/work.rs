//! The work of a view: the live page, the page that a crawler gets and the page as its server sends it, one after the other.
//! Used by the job. Must never count a view that failed, nor leave objects behind that no view names.
//! See docs/decisions/0452.

use std::sync::Arc;

use browser::{
    BlockedRequest, ConsoleMessage, PagePicture, PageView, RenderError, RequestOutcome, Timings, ViewRequest,
    ViewSource, ViewedPage, ViewedRequest, describe_problems,
};
use bytes::Bytes;
use http::HeaderName;
use http::header::{CONTENT_LANGUAGE, CONTENT_LOCATION, LINK};
use store::DbError;
use url::Url;

use super::model::{
    CRAWLER_HTML, CrawlerSource, CrawlerView, HTML_SHOWN, MARKDOWN_SHOWN, Pane, PersonView, RawView,
    ViewBlockedEntry, ViewConsoleEntry, ViewContents, ViewError, ViewHeader, ViewId, ViewPicture,
    ViewRequestEntry, ViewRequestOutcome, ViewState, ViewTimings,
};
use super::queries::{self, ViewName, ViewRow};
use super::raw_page::{self, RawPage};
use super::service::{CONTENTS, delete_objects, object_key};
use accounts::usage::Reservation;
use accounts::{AccountId, Accounts, UsageMetric};
use domains::origin::OriginClient;
use domains::{DomainId, DomainsService, Site};
use platform::Platform;
use platform::jobs::{JobError, JobOutcome};
use render::model::RenderedPage;
use render::{CrawlerPage, NoTurn, PagesForViews};

/// Type of what a crawler gets.
const SNAPSHOT_TYPE: &str = "text/html; charset=utf-8";

/// Services that looking at a page needs. Cheap to clone.
#[derive(Clone)]
pub(super) struct ViewWork {
    pub platform: Platform,
    pub accounts: Accounts,
    pub domains: DomainsService,
    pub origins: OriginClient,
    pub pages: PagesForViews,
}

/// Objects of a view, by their names.
type Objects = Vec<(&'static str, Bytes)>;

impl ViewWork {
    /// Does the work of [`super::TakeView`].
    pub async fn take(&self, id: &ViewId) -> Result<JobOutcome, JobError> {
        let row = queries::find_view(&mut self.platform.db.read().await?, id).await?;
        let Some(row) = row.filter(|row| ViewState::from_stored(&row.state) == ViewState::Running) else {
            return Ok(JobOutcome::Done);
        };
        let domain = DomainId::from(row.domain_id.as_str());
        let site = self.domains.find_by_id(&domain).await?.map(Site::new).filter(|site| !site.is_suspended());
        let (Some(site), Ok(url)) = (site, Url::parse(&row.url)) else {
            self.fail(&row, ViewError::ForbiddenAddress).await?;
            return Ok(JobOutcome::Done);
        };
        let site = Arc::new(site);
        if let Err(refusal) = self.pages.wait_behind_clients(&site).await {
            let error = match refusal {
                NoTurn::OriginDown => ViewError::OriginNotReachable,
                NoTurn::Busy => ViewError::Timeout,
            };
            self.fail(&row, error).await?;
            return Ok(JobOutcome::Done);
        }
        let mut objects = Objects::new();
        let (contents, error) = self.see(&row, &site, &url, &mut objects).await?;
        let state = if error.is_some() { ViewState::Failed } else { ViewState::Done };
        let contents = serde_json::to_vec(&contents).expect("what was seen is plain data");
        objects.push((CONTENTS, contents.into()));
        for (name, bytes) in objects {
            let stored = self.platform.blobs.put(&object_key(&row.domain_id, &row.id, name), bytes).await;
            stored.map_err(|error| JobError::retry(error.to_string()))?;
        }
        self.end(&row, state, error).await?;
        Ok(JobOutcome::Done)
    }

    /// Ends a view whose job gave up.
    pub async fn give_up(&self, id: &ViewId) -> Result<(), DbError> {
        match queries::find_view(&mut self.platform.db.read().await?, id).await? {
            Some(row) => self.fail(&row, ViewError::NoBrowser).await,
            None => Ok(()),
        }
    }

    async fn see(
        &self,
        row: &ViewRow,
        site: &Arc<Site>,
        url: &Url,
        objects: &mut Objects,
    ) -> Result<(ViewContents, Option<ViewError>), JobError> {
        let live = self.view(row, site, url, ViewSource::Live).await;
        if matches!(live.page, Err(RenderError::ShuttingDown)) {
            return Err(JobError::retry("the process ends"));
        }
        let mut contents = ViewContents {
            requests: live.requests.into_iter().map(entry_of).collect(),
            console: live.console.iter().cloned().map(ViewConsoleEntry::from).collect(),
            blocked: live.blocked.into_iter().map(ViewBlockedEntry::from).collect(),
            ..ViewContents::default()
        };
        let error = match live.page {
            Ok(page) => {
                contents.problems = describe_problems(&page.final_url, &live.failed, &live.console);
                contents.timings = Some(page.timings.into());
                contents.person = Some(PersonView {
                    status: page.status,
                    final_url: page.final_url.to_string(),
                    partial: page.partial,
                    words: page.words as u64,
                    text: page.text,
                    picture: keep(row, Pane::Person, page.picture, objects),
                });
                None
            }
            Err(error) => Some(ViewError::from(&error)),
        };
        if let Some(page) = self.pages.page_for_crawler(site, url).await? {
            contents.crawler = Some(self.see_crawler(row, site, url, page, objects).await);
        }
        let most_bytes = self.platform.config.limits.html_bytes;
        if let Some(raw) = raw_page::fetch(&self.origins, site, url, most_bytes).await {
            contents.raw = Some(self.see_raw(row, site, raw, objects).await);
        }
        Ok((contents, error))
    }

    async fn see_crawler(
        &self,
        row: &ViewRow,
        site: &Site,
        url: &Url,
        crawler: CrawlerPage,
        objects: &mut Objects,
    ) -> CrawlerView {
        let CrawlerPage { is_new, snapshot_key, page, markdown } = crawler;
        let seen = match page.html.is_empty() {
            true => None,
            false => {
                objects.push((CRAWLER_HTML, page.html.clone()));
                self.draw(row, site, url, (page.html.clone(), SNAPSHOT_TYPE)).await
            }
        };
        let (words, text, picture) = parts_of(seen);
        let html = String::from_utf8_lossy(&page.html);
        let shown = start_of(&html, HTML_SHOWN);
        CrawlerView {
            source: if is_new { CrawlerSource::Rendered } else { CrawlerSource::Stored },
            snapshot_key,
            created_at: page.created_at,
            status: page.status,
            location: page.location.clone(),
            headers: headers_for(site, url, &page),
            html_bytes: page.html.len() as u64,
            html_cut: shown.len() < html.len(),
            html: shown.to_owned(),
            markdown_tokens: markdown.as_ref().map_or(0, |markdown| markdown.tokens as u64),
            markdown: markdown.map(|markdown| {
                start_of(&String::from_utf8_lossy(&markdown.text), MARKDOWN_SHOWN).to_owned()
            }),
            words,
            text,
            picture: keep(row, Pane::Crawler, picture, objects),
        }
    }

    async fn see_raw(&self, row: &ViewRow, site: &Site, raw: RawPage, objects: &mut Objects) -> RawView {
        let RawPage { status, final_url, html, content_type } = raw;
        let html_bytes = html.len() as u64;
        let seen = self.draw(row, site, &final_url, (html, &content_type)).await;
        let (words, text, picture) = parts_of(seen);
        let picture = keep(row, Pane::Raw, picture, objects);
        RawView { status, final_url: final_url.into(), html_bytes, words, text, picture }
    }

    /// Draws a document without scripts. None: that did not work.
    async fn draw(
        &self,
        row: &ViewRow,
        site: &Site,
        url: &Url,
        (html, content_type): (Bytes, &str),
    ) -> Option<ViewedPage> {
        let source = ViewSource::Document { html, content_type: content_type.to_owned() };
        let seen = self.view(row, site, url, source).await.page;
        seen.inspect_err(|error| tracing::info!(%error, view = row.id, "a document could not be drawn")).ok()
    }

    async fn view(&self, row: &ViewRow, site: &Site, url: &Url, source: ViewSource) -> PageView {
        let width = u32::try_from(row.width).unwrap_or(super::model::WIDTHS[0]);
        let page = self.pages.request(site, url);
        self.platform.renderer.view(ViewRequest { page, width, source }).await
    }

    async fn fail(&self, row: &ViewRow, error: ViewError) -> Result<(), DbError> {
        self.end(row, ViewState::Failed, Some(error)).await
    }

    /// Ends a view. What failed is not counted; what is gone meanwhile leaves no objects.
    async fn end(&self, row: &ViewRow, state: ViewState, error: Option<ViewError>) -> Result<(), DbError> {
        let mut tx = self.platform.db.write().await?;
        let is_ended = queries::end_view(&mut tx, &ViewId::from(row.id.as_str()), state, error).await?;
        tx.commit().await?;
        if !is_ended {
            let name = ViewName { id: row.id.clone(), domain_id: row.domain_id.clone() };
            delete_objects(&self.platform.blobs, &[name]).await;
            return Ok(());
        }
        if state == ViewState::Failed {
            let account = AccountId::from(row.account_id.as_str());
            let month = row.month.clone();
            let reservation = Reservation { account, metric: UsageMetric::Renders, month, count: 1 };
            self.accounts.refund(&reservation).await?;
        }
        Ok(())
    }
}

fn parts_of(page: Option<ViewedPage>) -> (u64, String, Option<PagePicture>) {
    page.map(|page| (page.words as u64, page.text, page.picture)).unwrap_or_default()
}

/// Puts a picture among the objects of its view.
fn keep(
    row: &ViewRow,
    pane: Pane,
    picture: Option<PagePicture>,
    objects: &mut Objects,
) -> Option<ViewPicture> {
    let PagePicture { webp, width, height, cut } = picture?;
    let url = format!("/api/dashboard/views/{}/{}", row.id, pane.file());
    let bytes = webp.len() as u64;
    objects.push((pane.file(), webp));
    Some(ViewPicture { url, width, height, bytes, cut })
}

/// Returns at most so many bytes of a text, in whole characters.
fn start_of(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Lists the lines for crawlers that are sent with a page: its own, and the domain's custom ones in their place.
fn headers_for(site: &Site, url: &Url, page: &RenderedPage) -> Vec<ViewHeader> {
    let mut headers = page.headers.clone();
    if page.status < 500 {
        site.apply_headers(url, &mut headers);
    }
    let names = [HeaderName::from_static("x-robots-tag"), LINK, CONTENT_LANGUAGE, CONTENT_LOCATION];
    let lines = names.iter().flat_map(|name| headers.get_all(name).iter().map(move |value| (name, value)));
    lines
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            ViewHeader { name: name.to_string(), value }
        })
        .collect()
}

fn entry_of(request: ViewedRequest) -> ViewRequestEntry {
    let ViewedRequest { url, kind, status, start_ms, duration_ms, bytes, outcome } = request;
    let outcome = match outcome {
        RequestOutcome::Ok => ViewRequestOutcome::Ok,
        RequestOutcome::Failed => ViewRequestOutcome::Failed,
        RequestOutcome::Blocked => ViewRequestOutcome::Blocked,
    };
    ViewRequestEntry { url, kind, status, start_ms, duration_ms, bytes, outcome }
}

impl From<ConsoleMessage> for ViewConsoleEntry {
    fn from(message: ConsoleMessage) -> ViewConsoleEntry {
        ViewConsoleEntry { level: message.level, text: message.text }
    }
}

impl From<BlockedRequest> for ViewBlockedEntry {
    fn from(blocked: BlockedRequest) -> ViewBlockedEntry {
        ViewBlockedEntry { url: blocked.url, reason: blocked.reason }
    }
}

impl From<Timings> for ViewTimings {
    fn from(timings: Timings) -> ViewTimings {
        let Timings { prepare_ms, load_ms, total_ms } = timings;
        ViewTimings { prepare_ms, load_ms, total_ms }
    }
}

impl From<&RenderError> for ViewError {
    fn from(error: &RenderError) -> ViewError {
        match error {
            RenderError::OriginUnreachable(_) => ViewError::OriginNotReachable,
            RenderError::BadUrl(_) | RenderError::NotAPage(_) => ViewError::NotAPage,
            RenderError::Timeout(_) => ViewError::Timeout,
            // Nearly always by its memory.
            RenderError::TooLarge { .. } | RenderError::PageCrashed => ViewError::TooLarge,
            RenderError::Forbidden { .. } => ViewError::ForbiddenAddress,
            RenderError::NoBrowser(_) | RenderError::Abandoned | RenderError::ShuttingDown => {
                ViewError::NoBrowser
            }
        }
    }
}
