//! The end of a render in its tab: what the page left is cleared, or the tab is closed. Used by the pool.
//! Must never hand a tab on that carries anything but the caches that the site's own headers allow.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::{Navigated, Tab};
use crate::cdp::{CdpError, EventKind, wait_all};
use crate::page;

/// Renders after which a tab is closed: its memory is bounded by starting over.
const MAX_RENDERS: u32 = 100;
/// Age at which a tab is closed.
const MAX_AGE: Duration = Duration::from_secs(600);
/// JavaScript memory at which a tab is closed.
const MAX_HEAP_BYTES: u64 = 192 << 20;
/// Renders after which the garbage of a tab's old documents is collected and what is left is measured. Left to itself the
/// browser keeps some two megabytes a render for as long as it has room.
const COLLECT_EVERY: u32 = 10;
/// Time for cleaning a tab; one that takes longer is broken.
const CLEAN_LIMIT: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeapUsage {
    used_size: f64,
    #[serde(default)]
    embedder_heap_used_size: f64,
    #[serde(default)]
    backing_storage_size: f64,
}

#[derive(Deserialize)]
struct FrameNavigated<'a> {
    #[serde(borrow)]
    frame: Frame<'a>,
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow)]
    id: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    url: std::borrow::Cow<'a, str>,
}

impl Tab {
    /// Makes the tab as good as new for its own site, after a render that ended at `page`: the address of a document that
    /// was captured, or none for a redirect. `None`: it could not be cleaned, and is closed.
    pub async fn clean(mut self, page: Option<Url>) -> Option<Tab> {
        self.endpoint.detach();
        if self.had_foreign_frame || self.renders >= MAX_RENDERS || self.opened.elapsed() >= MAX_AGE {
            return None;
        }
        match timeout(CLEAN_LIMIT, self.clean_now(page)).await {
            Ok(Ok(true)) => {
                self.last_used = Instant::now();
                Some(self)
            }
            Ok(Ok(false)) => None,
            Ok(Err(error)) => {
                tracing::debug!(%error, "a tab could not be cleaned");
                None
            }
            Err(_) => {
                tracing::debug!("a tab took too long to clean");
                None
            }
        }
    }

    async fn clean_now(&mut self, page: Option<Url>) -> Result<bool, CdpError> {
        // The old document goes first, or can do nothing any more: it could write again what is cleared below. One that may
        // be deactivated has stored nothing but cookies and what the page script clears before the next document begins. To leave it
        // for a blank page costs as much as a third of a render, so that is done only where deactivation is not enough.
        if let Some(drawing) = self.drawing.take() {
            let _ = drawing.await;
        }
        self.deactivated = page;
        if self.deactivated.is_none() || self.had_frame || !self.deactivate().await? {
            self.deactivated = None;
            self.leave().await?;
            self.clear_storage().await?;
        }
        let cookies = json!({ "browserContextId": self.context });
        wait_all([self.browser.cdp.browser("Storage.clearCookies", cookies), self.revalidate_next()]).await?;
        self.forget_history().await?;
        self.prepare_next_script().await?;
        if self.renders.is_multiple_of(COLLECT_EVERY) {
            self.send("HeapProfiler.collectGarbage", json!({})).await?;
            let heap: HeapUsage = self.send("Runtime.getHeapUsage", json!({})).read().await?;
            let used = heap.used_size + heap.embedder_heap_used_size + heap.backing_storage_size;
            return Ok(used < MAX_HEAP_BYTES as f64);
        }
        Ok(true)
    }

    /// Leaves what the last render left standing for the blank page. `false`: the tab is broken.
    pub async fn blank(&mut self) -> bool {
        let done = timeout(CLEAN_LIMIT, async {
            self.deactivated = None;
            self.leave().await?;
            self.clear_storage().await?;
            self.forget_history().await
        });
        matches!(done.await, Ok(Ok(())))
    }

    /// Whether no document stands in it.
    pub fn is_blank(&self) -> bool {
        self.deactivated.is_none()
    }

    async fn clear_storage(&self) -> Result<(), CdpError> {
        let what = "local_storage,indexeddb,service_workers,cache_storage,file_systems,shared_storage";
        let data = json!({ "origin": self.owner.origin, "storageTypes": what });
        self.send("Storage.clearDataForOrigin", data).await.map(drop)
    }

    /// Ends the document where it is. `false`: something of it could go on.
    async fn deactivate(&self) -> Result<bool, CdpError> {
        Ok(self.evaluate_isolated(page::deactivate(&self.nonce)).await? == false)
    }

    /// Leaves the document for a blank page.
    pub(super) async fn leave(&mut self) -> Result<(), CdpError> {
        let left: Navigated = self.send("Page.navigate", json!({ "url": "about:blank" })).read().await?;
        if left.error_text.is_some() {
            return Err(CdpError::Unexpected {
                method: "Page.navigate",
                message: "the blank page did not load".to_owned(),
            });
        }
        self.wait_for_blank_page().await
    }

    async fn forget_history(&self) -> Result<(), CdpError> {
        let mut tries = 3;
        loop {
            match self.send("Page.resetNavigationHistory", json!({})).await {
                // For a moment after a navigation the browser is still attached to the frame that goes.
                Err(CdpError::Refused { .. }) if tries > 1 => sleep(Duration::from_millis(3)).await,
                result => return result.map(drop),
            }
            tries -= 1;
        }
    }

    async fn wait_for_blank_page(&mut self) -> Result<(), CdpError> {
        while let Some(event) = self.events.recv().await {
            match event.kind {
                EventKind::FrameNavigated => {
                    if let Some(FrameNavigated { frame }) = event.params()
                        && frame.id == self.target.as_str()
                        && frame.url == "about:blank"
                    {
                        return Ok(());
                    }
                }
                EventKind::DialogOpening => self.dismiss_dialog(&event),
                EventKind::TargetCrashed => return Err(CdpError::Closed),
                _ => {}
            }
        }
        Err(CdpError::Closed)
    }
}
