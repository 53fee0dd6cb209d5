//! One tab: a browser context, its page and its gate, for one site of one tenant for life. Used by the pool.
//!
//! Must never carry anything from one render to the next but the caches that the site's own headers allow: it is cleaned
//! after each render, and closed when that is in doubt. Dropping a tab closes it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use crate::browser::{Browser, ContextId, SessionId, TargetId};
use crate::cdp::{Call, CdpError, Event, EventKind, all};
use crate::drawer::{Drawing, FrameKind};
use crate::egress::Gate;
use crate::{OriginRoute, RenderRequest, flags, page};

/// Renders after which a tab is closed: its memory is bounded by starting over.
const MAX_RENDERS: u32 = 100;
/// Age at which a tab is closed.
const MAX_AGE: Duration = Duration::from_secs(600);
/// JavaScript memory at which a tab is closed.
const MAX_HEAP_BYTES: u64 = 192 << 20;
/// Renders after which the garbage of a tab's old documents is collected and what is left is measured. Left to itself the
/// browser keeps some two megabytes a render for as long as it has room.
const COLLECT_EVERY: u32 = 10;
/// Time for opening a tab, and for cleaning it; one that takes longer is broken.
const OPEN_LIMIT: Duration = Duration::from_secs(10);
const CLEAN_LIMIT: Duration = Duration::from_secs(2);
/// What a desktop visitor sees first.
const VIEWPORT: (u32, u32) = (1280, 1024);
/// Nothing may have happened for this long before a page counts as ready; what can be followed is followed besides.
const QUIET_MS: u32 = 20;

/// Whose tab it is: warm tabs are shared only between renders for which all of this is equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    tenant: String,
    origin: String,
    route: Option<OriginRoute>,
}

impl Site {
    /// The site of a request.
    pub fn of(request: &RenderRequest) -> Site {
        Site {
            tenant: request.tenant.clone(),
            origin: request.url.origin().ascii_serialization(),
            route: request.route.clone(),
        }
    }
}

/// An open tab.
pub(crate) struct Tab {
    pub browser: Arc<Browser>,
    pub events: UnboundedReceiver<Event>,
    pub gate: Arc<Gate>,
    pub target: String,
    pub nonce: String,
    /// The frame that is being drawn.
    pub drawing: Option<Drawing>,
    /// A frame was in it: another document, which is not sealed with its page.
    pub had_frame: bool,
    /// Another origin's document was in it: what such a document stored cannot be cleared by name.
    pub had_foreign_frame: bool,
    /// The document of the last render is still there, sealed, at this address; none: a blank page.
    sealed: Option<Url>,
    site: Site,
    context: String,
    session: String,
    script: Option<(ScriptOptions, String)>,
    blocked: Vec<String>,
    renders: u32,
    opened: Instant,
    last_used: Instant,
}

/// The part of the page script's options that a request decides.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ScriptOptions {
    hard_ms: u64,
    wait_for_selector: Option<String>,
    html_bytes: usize,
    used: bool,
}

#[derive(Deserialize)]
struct ScriptId {
    identifier: String,
}

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
    /// Opens a tab in a browser context of its own.
    pub async fn open(browser: &Arc<Browser>, site: Site) -> Result<Tab, CdpError> {
        timeout(OPEN_LIMIT, Tab::open_now(browser, site)).await.unwrap_or(Err(CdpError::Unexpected {
            method: "Target.createTarget",
            message: "no tab within the time limit".to_owned(),
        }))
    }

    async fn open_now(browser: &Arc<Browser>, site: Site) -> Result<Tab, CdpError> {
        let cdp = &browser.cdp;
        let gate = browser.egress.open().await.map_err(|error| CdpError::Unexpected {
            method: "Target.createBrowserContext",
            message: format!("no listener for the tab's proxy: {error}"),
        })?;
        let context: ContextId = cdp
            .browser(
                "Target.createBrowserContext",
                json!({ "disposeOnDetach": true, "proxyServer": format!("http://{}", gate.address()),
                        "proxyBypassList": "<-loopback>" }),
            )
            .read()
            .await?;
        browser.add_context(&context.browser_context_id);
        browser.tabs.fetch_add(1, Ordering::Relaxed);
        let now = Instant::now();
        // From here on dropping the half-open tab closes what there is of it.
        let mut tab = Tab {
            browser: browser.clone(),
            events: unbounded_channel().1,
            gate,
            target: String::new(),
            nonce: nonce(),
            drawing: None,
            had_frame: false,
            had_foreign_frame: false,
            sealed: None,
            site,
            context: context.browser_context_id,
            session: String::new(),
            script: None,
            blocked: Vec::new(),
            renders: 0,
            opened: now,
            last_used: now,
        };
        let (width, height) = VIEWPORT;
        let mut parameters = json!({ "url": "about:blank", "browserContextId": tab.context, "width": width, "height": height });
        if browser.frames_on_demand {
            parameters["enableBeginFrameControl"] = true.into();
        }
        let target: TargetId = cdp.browser("Target.createTarget", parameters).read().await?;
        browser.set_page(&tab.context, &target.target_id);
        tab.target = target.target_id;
        let attach = json!({ "targetId": tab.target, "flatten": true });
        let session: SessionId = cdp.browser("Target.attachToTarget", attach).read().await?;
        tab.session = session.session_id;
        tab.events = cdp.listen(&tab.session);
        tab.set_up().await?;
        Ok(tab)
    }

    async fn set_up(&mut self) -> Result<(), CdpError> {
        let no_downloads = json!({ "behavior": "deny", "browserContextId": self.context });
        let version = &self.browser.version;
        let brands = json!([{ "brand": "Chromium", "version": version.major() }]);
        let identity = json!({
            "userAgent": version.user_agent(),
            "acceptLanguage": "en-US",
            "platform": "Linux x86_64",
            "userAgentMetadata": { "brands": brands, "platform": "Linux", "platformVersion": "", "architecture": "x86",
                                   "model": "", "mobile": false },
        });
        all([
            self.browser.cdp.browser("Browser.setDownloadBehavior", no_downloads),
            self.send("Page.enable", json!({})),
            self.send("Inspector.enable", json!({})),
            self.send("Runtime.enable", json!({})),
            self.send("Runtime.addBinding", json!({ "name": page::BINDING })),
            // Bodies are not kept for a debugger that never asks.
            self.send(
                "Network.enable",
                json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0 }),
            ),
            self.send("Network.setBypassServiceWorker", json!({ "bypass": true })),
            self.send("Network.setBlockedURLs", json!({ "urls": flags::blocked_patterns(&[]) })),
            self.send("Emulation.setUserAgentOverride", identity),
            self.send("Page.setPrerenderingAllowed", json!({ "isAllowed": false })),
            self.revalidate_next(),
        ])
        .await
    }

    /// Whose tab it is.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// How long nobody has used it.
    pub fn idle_for(&self) -> Duration {
        self.last_used.elapsed()
    }

    /// Draws a frame of the page. One at a time: the caller waits for `drawing`.
    pub fn draw(&mut self, kind: FrameKind) {
        self.drawing = Some(self.browser.drawer.draw(&self.session, kind));
    }

    /// Sends a command to the page.
    pub fn send(&self, method: &'static str, params: impl serde::Serialize) -> Call {
        self.browser.cdp.send(Some(&self.session), method, params)
    }

    /// The next document is asked for again from the origin, whatever the tab's cache holds.
    fn revalidate_next(&self) -> Call {
        self.send("Network.setExtraHTTPHeaders", json!({ "headers": { "cache-control": "max-age=0" } }))
    }

    /// What follows the document may come from the cache again.
    pub fn stop_revalidating(&self) {
        drop(self.send("Network.setExtraHTTPHeaders", json!({ "headers": {} })));
    }

    /// Gets the tab ready for a request. Everything is sent at once; the navigation may follow without waiting.
    pub async fn prepare(&mut self, request: &RenderRequest) -> Result<(), CdpError> {
        self.renders += 1;
        self.had_frame = false;
        self.had_foreign_frame = false;
        self.leave_sealed(&request.url).await?;
        let blocked =
            if self.blocked == request.blocked_urls {
                None
            } else {
                self.blocked.clone_from(&request.blocked_urls);
                Some(self.send(
                    "Network.setBlockedURLs",
                    json!({ "urls": flags::blocked_patterns(&self.blocked) }),
                ))
            };
        self.set_script(request).await?;
        match blocked {
            Some(call) => call.await.map(drop),
            None => Ok(()),
        }
    }

    /// Puts the page script in place. It stays while its options do: the browser then compiles it once for the tab.
    async fn set_script(&mut self, request: &RenderRequest) -> Result<(), CdpError> {
        let timeout_ms = u64::try_from(request.timeout.as_millis()).unwrap_or(u64::MAX);
        let options = ScriptOptions {
            hard_ms: timeout_ms.saturating_sub(500).max(timeout_ms / 2),
            wait_for_selector: request.wait_for_selector.clone(),
            html_bytes: request.limits.html_bytes,
            used: self.renders > 1,
        };
        match &self.script {
            Some((current, _)) if *current == options => return Ok(()),
            Some((_, identifier)) => {
                drop(
                    self.send(
                        "Page.removeScriptToEvaluateOnNewDocument",
                        json!({ "identifier": identifier }),
                    ),
                );
            }
            None => {}
        }
        let script = page::script(&page::Options {
            nonce: self.nonce.clone(),
            frames: self.browser.frames_on_demand,
            quiet_ms: QUIET_MS,
            hard_ms: options.hard_ms,
            wait_for_selector: options.wait_for_selector.clone(),
            html_bytes: options.html_bytes,
            used: options.used,
        });
        // The blank page between two renders needs none of it.
        let source = format!("if (window !== window.top || location.protocol !== 'about:') {{ {script} }}");
        let added: ScriptId =
            self.send("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).read().await?;
        self.script = Some((options, added.identifier));
        Ok(())
    }

    /// Gets past the last render's document where the navigation alone would not: to the same address, or to a fragment.
    async fn leave_sealed(&mut self, url: &Url) -> Result<(), CdpError> {
        // What the sealed document still said is not about the page to come.
        while let Ok(event) = self.events.try_recv() {
            if event.kind == EventKind::TargetCrashed {
                return Err(CdpError::Closed);
            }
        }
        match self.sealed.take() {
            Some(sealed) if url.fragment().is_some() || sealed == *url => self.leave().await,
            _ => Ok(()),
        }
    }

    /// Makes the tab as good as new for its own site, after a render that ended at `page`: the address of a document that
    /// was captured, or none for a redirect. `None`: it could not be cleaned, and is closed.
    pub async fn clean(mut self, page: Option<Url>) -> Option<Tab> {
        self.gate.shut();
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
        // be sealed has stored nothing but cookies and what the page script clears before the next document begins. To leave it
        // for a blank page costs as much as a third of a render, so that is done only where a seal is not enough.
        if let Some(drawing) = self.drawing.take() {
            let _ = drawing.await;
        }
        self.sealed = page;
        if self.sealed.is_none() || self.had_frame || !self.seal().await? {
            self.sealed = None;
            self.leave().await?;
            let what = "local_storage,indexeddb,service_workers,cache_storage,file_systems,shared_storage";
            let data = json!({ "origin": self.site.origin, "storageTypes": what });
            self.send("Storage.clearDataForOrigin", data).await?;
        }
        let cookies = json!({ "browserContextId": self.context });
        all([self.browser.cdp.browser("Storage.clearCookies", cookies), self.revalidate_next()]).await?;
        self.forget_history().await?;
        if self.renders.is_multiple_of(COLLECT_EVERY) {
            self.send("HeapProfiler.collectGarbage", json!({})).await?;
            let heap: HeapUsage = self.send("Runtime.getHeapUsage", json!({})).read().await?;
            let used = heap.used_size + heap.embedder_heap_used_size + heap.backing_storage_size;
            return Ok(used < MAX_HEAP_BYTES as f64);
        }
        Ok(true)
    }

    /// Ends the document where it is. `false`: something of it could go on.
    async fn seal(&self) -> Result<bool, CdpError> {
        #[derive(Deserialize)]
        struct Evaluated {
            result: Value,
        }
        #[derive(Deserialize)]
        struct Value {
            #[serde(default)]
            value: serde_json::Value,
        }
        let order = json!({ "expression": page::seal(&self.nonce), "silent": true, "returnByValue": true });
        let answer: Evaluated = self.send("Runtime.evaluate", order).read().await?;
        Ok(answer.result.value == true)
    }

    /// Leaves the document for a blank page.
    async fn leave(&mut self) -> Result<(), CdpError> {
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
                answer => return answer.map(drop),
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

    /// Answers a dialog with no, except that a page may always be left.
    pub fn dismiss_dialog(&self, event: &Event) {
        #[derive(Deserialize)]
        struct Dialog<'a> {
            #[serde(borrow, rename = "type")]
            kind: std::borrow::Cow<'a, str>,
        }
        let leaves = event.params().is_some_and(|dialog: Dialog<'_>| dialog.kind == "beforeunload");
        drop(self.send("Page.handleJavaScriptDialog", json!({ "accept": leaves })));
    }
}

/// Answer of `Page.navigate`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Navigated {
    pub error_text: Option<String>,
    #[serde(default)]
    pub is_download: bool,
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.browser.tabs.fetch_sub(1, Ordering::Relaxed);
        self.browser.egress.close(&self.gate);
        if !self.session.is_empty() {
            self.browser.cdp.forget(&self.session);
        }
        // Sent, not waited for: whoever closes a tab has something better to do.
        drop(
            self.browser
                .cdp
                .browser("Target.disposeBrowserContext", json!({ "browserContextId": self.context })),
        );
        self.browser.remove_context(&self.context);
    }
}

/// A secret that no page can guess.
fn nonce() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Whether an address may be rendered at all.
pub(crate) fn check_url(url: &Url) -> Result<(), String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("{}: addresses cannot be rendered, only http and https", url.scheme()));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("the address names no host".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the address carries credentials".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_addresses_without_credentials_are_rendered() {
        for good in ["http://a.example/", "https://a.example:8443/x?y#z"] {
            assert!(check_url(&good.parse().unwrap()).is_ok(), "{good}");
        }
        for bad in
            ["file:///etc/passwd", "chrome://gpu", "data:text/html,x", "http://u:p@a.example/", "about:blank"]
        {
            assert!(check_url(&bad.parse().unwrap()).is_err(), "{bad}");
        }
    }

    #[test]
    fn nonces_differ() {
        assert_ne!(nonce(), nonce());
    }
}
