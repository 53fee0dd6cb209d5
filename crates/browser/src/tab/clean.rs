//! Cleaning of a tab after a render: its state is cleared, or the tab is closed. Used by the pool.
//! Must never reuse a tab that keeps anything but the caches that the site's own headers allow.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::{Navigated, Tab};
use crate::cdp::{CdpError, EventKind, wait_all};
use crate::page;

/// Renders after which a tab is closed, which bounds its memory.
const MAX_RENDERS: u32 = 100;
/// Age at which a tab is closed.
const MAX_AGE: Duration = Duration::from_secs(600);
/// JavaScript heap at which a tab is closed, in bytes.
const MAX_HEAP_BYTES: u64 = 192 << 20;
/// Renders between garbage collections with a measurement. Without them the browser keeps about 2 MB per render.
const COLLECT_EVERY: u32 = 10;
/// Timeout for cleaning a tab.
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
    /// Cleans the tab for its owner after a render. `page` is the address of the captured document; `None` for a redirect.
    /// Returns `None` when the tab had to be closed.
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
        // The old document is left or deactivated first, since it could write again what is cleared below. A document that can be
        // deactivated has stored nothing but cookies and what the page script clears before the next document. Leaving it for a
        // blank page costs a third of a render, so that is done only where deactivation is not enough.
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

    /// Navigates to the blank page and clears storage. Returns false when the tab is broken.
    pub async fn blank(&mut self) -> bool {
        let done = timeout(CLEAN_LIMIT, async {
            self.deactivated = None;
            self.leave().await?;
            self.clear_storage().await?;
            self.forget_history().await
        });
        matches!(done.await, Ok(Ok(())))
    }

    /// Returns true when the tab shows the blank page.
    pub fn is_blank(&self) -> bool {
        self.deactivated.is_none()
    }

    async fn clear_storage(&self) -> Result<(), CdpError> {
        let what = "local_storage,indexeddb,service_workers,cache_storage,file_systems,shared_storage";
        let data = json!({ "origin": self.owner.origin, "storageTypes": what });
        self.send("Storage.clearDataForOrigin", data).await.map(drop)
    }

    /// Deactivates the document. Returns false when something of it can still run.
    async fn deactivate(&self) -> Result<bool, CdpError> {
        Ok(self.evaluate_isolated(page::deactivate(&self.nonce)).await? == false)
    }

    /// Navigates to the blank page.
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
                // Shortly after a navigation the browser is still attached to the old frame.
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
