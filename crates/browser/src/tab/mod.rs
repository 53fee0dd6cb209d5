//! One tab: a browser context, its page and its proxy endpoint, for one owner. Used by the pool.
//!
//! Must never carry anything from one render to the next but the caches that the site's own headers allow: it is cleaned after each
//! render, and closed when cleaning is not certain to succeed. Dropping a tab closes it.

mod clean;
mod isolated_world;
mod owner;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::Instant;
use url::Url;

use crate::browser::{Browser, ContextId, SessionId, TargetId};
use crate::cdp::{Call, CdpError, Event, EventKind, wait_all};
use crate::egress::Endpoint;
use crate::frame_scheduler::{Drawing, FrameKind};
use crate::{RenderRequest, flags, page};

pub(crate) use owner::{TabOwner, check_url};

/// Window of a desktop visitor, in CSS pixels.
const VIEWPORT: (u32, u32) = (1280, 1024);
/// Time without changes after which a page may be ready, in addition to pending work.
const QUIET_MS: u32 = 20;

/// An open tab.
pub(crate) struct Tab {
    pub browser: Arc<Browser>,
    pub events: Receiver<Event>,
    pub endpoint: Arc<Endpoint>,
    pub target: String,
    /// Secret of the running render, see [`page::Options`].
    pub nonce: String,
    /// Frame that is being drawn.
    pub drawing: Option<Drawing>,
    /// The page had a frame, which deactivation does not cover.
    pub had_frame: bool,
    /// The page had a frame of another origin, whose storage cannot be cleared by name.
    pub had_foreign_frame: bool,
    /// Address of the deactivated document of the last render; `None`: the blank page.
    deactivated: Option<Url>,
    owner: TabOwner,
    context: String,
    session: String,
    world: isolated_world::CachedWorld,
    /// Identifier of the script that starts the page script in the next document.
    start: Option<String>,
    options: Option<page::Options>,
    /// The nonce has not been used by a render.
    has_unused_nonce: bool,
    blocked: Vec<String>,
    renders: u32,
    opened: Instant,
    last_used: Instant,
}

#[derive(Deserialize)]
struct ScriptId {
    identifier: String,
}

impl Tab {
    /// Opens a tab in a browser context of its own.
    pub async fn open(browser: &Arc<Browser>, owner: TabOwner) -> Result<Tab, CdpError> {
        let cdp = &browser.cdp;
        let endpoint = browser.egress.open().await.map_err(|error| CdpError::Unexpected {
            method: "Target.createBrowserContext",
            message: format!("no listener for the tab's proxy: {error}"),
        })?;
        let context: ContextId = cdp
            .browser(
                "Target.createBrowserContext",
                json!({ "disposeOnDetach": true, "proxyServer": format!("http://{}", endpoint.address()),
                        "proxyBypassList": "<-loopback>" }),
            )
            .read()
            .await?;
        browser.add_context(&context.browser_context_id);
        browser.tabs.fetch_add(1, Ordering::Relaxed);
        let now = Instant::now();
        // From here on, dropping the tab closes it.
        let mut tab = Tab {
            browser: browser.clone(),
            events: channel(1).1,
            endpoint,
            target: String::new(),
            nonce: String::new(),
            drawing: None,
            had_frame: false,
            had_foreign_frame: false,
            deactivated: None,
            owner,
            context: context.browser_context_id,
            session: String::new(),
            world: isolated_world::CachedWorld::default(),
            start: None,
            options: None,
            has_unused_nonce: false,
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
        // The proxy is not a network interface, so workers would report to be offline. Older browsers do not know this command.
        let online = json!({ "offline": false, "latency": 50, "downloadThroughput": 1_250_000, "uploadThroughput": 1_250_000, "connectionType": "ethernet" });
        drop(self.send("Network.overrideNetworkState", online));
        wait_all([
            self.browser.cdp.browser("Browser.setDownloadBehavior", no_downloads),
            self.send("Page.enable", json!({})),
            self.send("Inspector.enable", json!({})),
            self.send("Runtime.enable", json!({})),
            self.send("Runtime.addBinding", json!({ "name": page::BINDING })),
            // Response bodies are not kept for a debugger.
            self.send(
                "Network.enable",
                json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0 }),
            ),
            self.send("Network.setBypassServiceWorker", json!({ "bypass": true })),
            self.send("Network.setBlockedURLs", json!({ "urls": flags::blocked_patterns(&[]) })),
            self.send("Emulation.setUserAgentOverride", identity),
            self.send("Page.setPrerenderingAllowed", json!({ "isAllowed": false })),
            self.send("Page.addScriptToEvaluateOnNewDocument", json!({ "source": page::bundle() })),
            self.revalidate_next(),
        ])
        .await
    }

    /// Returns the owner of the tab.
    pub fn owner(&self) -> &TabOwner {
        &self.owner
    }

    /// Returns the time since the last use.
    pub fn idle_for(&self) -> Duration {
        self.last_used.elapsed()
    }

    /// Requests a frame of the page. Must not be called again before `drawing` completes.
    pub fn draw(&mut self, kind: FrameKind) {
        self.drawing = Some(self.browser.frame_scheduler.draw(&self.session, kind));
    }

    /// Sends a command to the page.
    pub fn send(&self, method: &'static str, params: impl serde::Serialize) -> Call {
        self.browser.cdp.send(Some(&self.session), method, params)
    }

    /// Returns true when the page or a response has set a cookie.
    pub fn has_cookies(&self) -> impl Future<Output = bool> + Send + 'static {
        #[derive(Deserialize)]
        struct Jar {
            cookies: Vec<serde::de::IgnoredAny>,
        }
        let jar = self.browser.cdp.browser("Storage.getCookies", json!({ "browserContextId": self.context }));
        async { jar.read::<Jar>().await.is_ok_and(|jar| !jar.cookies.is_empty()) }
    }

    /// Makes the next document be revalidated with the origin, whatever the cache holds.
    fn revalidate_next(&self) -> Call {
        self.send("Network.setExtraHTTPHeaders", json!({ "headers": { "cache-control": "max-age=0" } }))
    }

    /// Lets requests after the document use the cache.
    pub fn stop_revalidating(&self) {
        drop(self.send("Network.setExtraHTTPHeaders", json!({ "headers": {} })));
    }

    /// Prepares the tab for a request. All commands are sent at once.
    pub async fn prepare(&mut self, request: &RenderRequest) -> Result<(), CdpError> {
        self.renders += 1;
        self.world.forget();
        self.had_frame = false;
        self.had_foreign_frame = false;
        self.leave_deactivated(&request.url).await?;
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

    /// Installs the start of the page script in the next document, with a new nonce. Usually that was done after the last render.
    async fn set_script(&mut self, request: &RenderRequest) -> Result<(), CdpError> {
        let timeout_ms = u64::try_from(request.timeout.as_millis()).unwrap_or(u64::MAX);
        let options = page::Options {
            nonce: self.nonce.clone(),
            mark: self.options.as_ref().map(|last| last.mark.clone()).unwrap_or_default(),
            frames: self.browser.frames_on_demand,
            quiet_ms: QUIET_MS,
            hard_ms: timeout_ms.saturating_sub(500).max(timeout_ms / 2),
            wait_for_selector: request.wait_for_selector.clone(),
            html_bytes: request.limits.html_bytes,
            used: self.renders > 1,
            forbids_scripts: false,
            inspects: request.inspect,
        };
        if std::mem::take(&mut self.has_unused_nonce) && self.options.as_ref() == Some(&options) {
            return Ok(());
        }
        self.install_start_script(options).await
    }

    /// Installs the start script of the next render, assuming the same options.
    async fn prepare_next_script(&mut self) -> Result<(), CdpError> {
        let Some(last) = self.options.clone() else { return Ok(()) };
        self.install_start_script(page::Options { used: true, ..last }).await?;
        self.has_unused_nonce = true;
        Ok(())
    }

    async fn install_start_script(&mut self, options: page::Options) -> Result<(), CdpError> {
        if let Some(identifier) = self.start.take() {
            drop(self.send("Page.removeScriptToEvaluateOnNewDocument", json!({ "identifier": identifier })));
        }
        self.nonce = nonce();
        let options = page::Options { nonce: self.nonce.clone(), mark: nonce(), ..options };
        // Awaited: the renderer keeps the scripts, while the navigation begins in the browser process.
        let source = json!({ "source": page::start(&options) });
        let added: ScriptId = self.send("Page.addScriptToEvaluateOnNewDocument", source).read().await?;
        self.start = Some(added.identifier);
        self.options = Some(options);
        Ok(())
    }

    /// Returns the page script for a document that forbids scripts.
    pub fn script_for_inert_document(&self) -> Option<String> {
        let options = page::Options { forbids_scripts: true, ..self.options.clone()? };
        Some(page::script(&options))
    }

    /// Leaves the last render's document where a navigation would not replace it: to the same address or to a fragment.
    async fn leave_deactivated(&mut self, url: &Url) -> Result<(), CdpError> {
        // Events of the deactivated document do not concern the next page.
        while let Ok(event) = self.events.try_recv() {
            if event.kind == EventKind::TargetCrashed {
                return Err(CdpError::Closed);
            }
        }
        match self.deactivated.take() {
            Some(last) if url.fragment().is_some() || last == *url => self.leave().await,
            _ => Ok(()),
        }
    }

    /// Dismisses a dialog. The page may always be left.
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

/// Response to `Page.navigate`.
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
        self.browser.egress.close(&self.endpoint);
        if !self.session.is_empty() {
            self.browser.cdp.stop_listening(&self.session);
        }
        // Not awaited, since nothing depends on it.
        drop(
            self.browser
                .cdp
                .browser("Target.disposeBrowserContext", json!({ "browserContextId": self.context })),
        );
        self.browser.remove_context(&self.context);
    }
}

/// Makes a secret that pages cannot guess.
fn nonce() -> String {
    format!("{:032x}", rand::random::<u128>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_differ() {
        assert_ne!(nonce(), nonce());
    }
}
