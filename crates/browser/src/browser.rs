//! One browser process: start, probe, protocol connection, end. Used by its tabs and by the supervisor, which replaces it when
//! it
//! ends or grows old. Must never be used by a render after its connection has closed: every call fails from then on.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::time::{Instant, timeout};
use tokio_util::task::TaskTracker;

use crate::cdp::{Cdp, CdpError, EventKind};
use crate::confinement::{self, Confinement, plan};
use crate::egress::Egress;
use crate::environment::Environment;
use crate::frame_scheduler::{FrameMode, FrameScheduler};
use crate::locate;
use crate::process::{self, Launched, Process};
use crate::version::Version;

/// Timeout of the first response. A cold browser on a loaded machine needs seconds.
const START_LIMIT: Duration = Duration::from_secs(20);
/// Timeout of the probe frame. It is drawn in milliseconds; some builds that cannot draw on demand never respond, and a loaded
/// machine is slow.
const PROBE_LIMIT: Duration = Duration::from_secs(5);
const PING_LIMIT: Duration = Duration::from_secs(2);

/// Failure to start a browser.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("no browser was found; {remedy}", remedy = locate::REMEDY)]
    Missing,
    #[error("{path} is not a program; {remedy}", path = .0.display(), remedy = locate::REMEDY)]
    NotAProgram(PathBuf),
    #[error(
        "the browser cannot be confined to a sandbox and a network namespace of its own ({0}): {remedy}; only \
         network.strict_egress = false starts it without",
        remedy = confinement::remedy()
    )]
    Unconfined(io::Error),
    #[error("the browser could not be started: {0}")]
    Spawn(#[from] io::Error),
    #[error("the browser does not respond: {0}")]
    NoResponse(String),
}

/// Properties of a browser that are fixed when it starts.
struct StartMode {
    confinement: Confinement,
    frames: FrameMode,
    in_cgroup: bool,
}

/// A running browser.
pub(crate) struct Browser {
    pub cdp: Cdp,
    pub egress: Egress,
    pub version: Version,
    pub confinement: Confinement,
    pub frames_on_demand: bool,
    pub in_cgroup: bool,
    /// Renders started in this browser.
    pub renders: AtomicU64,
    /// Open tabs, idle ones included.
    pub tabs: AtomicUsize,
    pub frame_scheduler: FrameScheduler,
    pub started: Instant,
    process: Process,
    /// Page target of each browser context, once known. Any other page in the context is a popup.
    contexts: Mutex<HashMap<String, Option<String>>>,
}

impl Browser {
    /// Starts a browser, confined and with frames on demand where the machine and the build allow it.
    pub async fn start(environment: &Environment, tasks: &TaskTracker) -> Result<Arc<Browser>, StartError> {
        let capabilities = &environment.capabilities;
        let binary = match &environment.config.binary {
            Some(path) => locate::program_behind(path),
            None => locate::locate_browser().ok_or(StartError::Missing)?,
        };
        if !binary.is_file() {
            return Err(StartError::NotAProgram(binary));
        }
        if capabilities.no_frames_on_demand.load(Ordering::Relaxed) {
            return Browser::start_with(environment, &binary, FrameMode::Continuous, tasks).await;
        }
        let browser = Browser::start_with(environment, &binary, FrameMode::OnDemand, tasks).await?;
        let remembered = match timeout(PROBE_LIMIT, browser.draw_probe()).await {
            Ok(Ok(())) => return Ok(browser),
            Ok(Err(error)) => {
                tracing::info!(version = browser.version.product, %error, "no frames on demand; frames are continuous");
                true
            }
            // The machine may only be loaded: the next browser is probed again.
            Err(_) => {
                tracing::warn!(
                    version = browser.version.product,
                    "no frame on demand in time; frames are continuous"
                );
                false
            }
        };
        // With these flags but without frames, pages would lose content. Restart without the flags.
        capabilities.no_frames_on_demand.store(remembered, Ordering::Relaxed);
        browser.end().await;
        Browser::start_with(environment, &binary, FrameMode::Continuous, tasks).await
    }

    async fn start_with(
        environment: &Environment,
        binary: &std::path::Path,
        frames: FrameMode,
        tasks: &TaskTracker,
    ) -> Result<Arc<Browser>, StartError> {
        let mut refused: Option<io::Error> = None;
        for (confined, sandboxed) in [(true, true), (true, false), (false, true), (false, false)] {
            let confinement = Confinement { confined, sandboxed };
            let plan = plan(environment, binary, frames, &confinement)?;
            let in_cgroup = plan.cgroup.is_some();
            match Process::start(plan).await {
                Ok(launched) => {
                    if let Some(error) = refused {
                        tracing::warn!(%error, "{}", confinement.missing().unwrap_or_default());
                    }
                    let mode = StartMode { confinement, frames, in_cgroup };
                    return Browser::connect(launched, environment, mode, tasks).await;
                }
                // A transient failure is returned and retried later. Only what the kernel forbids is left out.
                Err(error) if !process::is_refusal(&error) => return Err(StartError::Spawn(error)),
                Err(error) if environment.config.strict_egress => return Err(StartError::Unconfined(error)),
                Err(error) => drop(refused.get_or_insert(error)),
            }
        }
        Err(refused.map_or(StartError::Missing, StartError::Spawn))
    }

    async fn connect(
        launched: Launched,
        environment: &Environment,
        mode: StartMode,
        tasks: &TaskTracker,
    ) -> Result<Arc<Browser>, StartError> {
        let Launched { process, pipe, output, listener } = launched;
        tasks.spawn(log_output(ChildStderr::from_std(output)?));
        pipe.set_nonblocking(true)?;
        let cdp = Cdp::start(tokio::net::UnixStream::from_std(pipe)?, tasks);
        let egress = Egress::start(
            listener,
            environment.config.network.clone(),
            environment.identity.clone(),
            tasks.clone(),
        )?;

        let version = match timeout(START_LIMIT, cdp.browser("Browser.getVersion", json!({})).read()).await {
            Ok(Ok(version)) => version,
            Ok(Err(error)) => return Err(StartError::NoResponse(error.to_string())),
            Err(_) => return Err(StartError::NoResponse(format!("nothing within {START_LIMIT:?}"))),
        };
        let browser = Arc::new(Browser {
            frame_scheduler: FrameScheduler::start(cdp.clone(), tasks),
            cdp,
            egress,
            version,
            confinement: mode.confinement,
            frames_on_demand: mode.frames == FrameMode::OnDemand,
            in_cgroup: mode.in_cgroup,
            renders: AtomicU64::new(0),
            tabs: AtomicUsize::new(0),
            started: Instant::now(),
            process,
            contexts: Mutex::default(),
        });
        browser.watch_popups(tasks);
        Ok(browser)
    }

    /// Returns true when the browser responds within the time limit.
    pub async fn ping(&self) -> bool {
        matches!(timeout(PING_LIMIT, self.cdp.browser("Browser.getVersion", json!({}))).await, Ok(Ok(_)))
    }

    /// Returns true when the browser has ended or its pipe is closed.
    pub fn is_gone(&self) -> bool {
        self.cdp.closed().is_cancelled() || self.process.ended().is_cancelled()
    }

    /// Waits until the browser has ended or its pipe is closed.
    pub async fn gone(&self) {
        tokio::select! {
            () = self.cdp.closed().cancelled() => {}
            () = self.process.ended().cancelled() => {}
        }
    }

    /// Returns the process id of the browser, which is also the id of its process group.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Kills the process group without waiting.
    pub fn kill(&self) {
        self.process.kill();
    }

    /// Kills the process group and waits until no process of it is left.
    pub async fn end(&self) {
        self.process.kill();
        // Renders in this browser fail at once, without waiting for the kernel.
        self.cdp.closed().cancel();
        self.process.ended().cancelled().await;
    }

    /// Registers a new browser context whose page is not known yet.
    pub fn add_context(&self, context: &str) {
        self.contexts().insert(context.to_owned(), None);
    }

    /// Registers the page of a browser context.
    pub fn set_page(&self, context: &str, target: &str) {
        self.contexts().insert(context.to_owned(), Some(target.to_owned()));
    }

    /// Unregisters a browser context.
    pub fn remove_context(&self, context: &str) {
        self.contexts().remove(context);
    }

    fn contexts(&self) -> MutexGuard<'_, HashMap<String, Option<String>>> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn draw_probe(&self) -> Result<(), CdpError> {
        let context: ContextId = self.cdp.browser("Target.createBrowserContext", json!({})).read().await?;
        let context = context.browser_context_id;
        let target: TargetId = self
            .cdp
            .browser(
                "Target.createTarget",
                json!({ "url": "about:blank", "browserContextId": context, "width": 100, "height": 100,
                        "enableBeginFrameControl": true }),
            )
            .read()
            .await?;
        let session: SessionId = self
            .cdp
            .browser("Target.attachToTarget", json!({ "targetId": target.target_id, "flatten": true }))
            .read()
            .await?;
        let frame = json!({ "noDisplayUpdates": true, "interval": 16 });
        self.cdp.send(Some(&session.session_id), "HeadlessExperimental.beginFrame", frame).await?;
        drop(self.cdp.browser("Target.disposeBrowserContext", json!({ "browserContextId": context })));
        Ok(())
    }

    /// Closes every page that is opened by a page.
    fn watch_popups(self: &Arc<Self>, tasks: &TaskTracker) {
        let mut events = self.cdp.listen("");
        let discover = json!({ "discover": true, "filter": [{ "type": "page", "exclude": false }] });
        drop(self.cdp.browser("Target.setDiscoverTargets", discover));
        let browser = Arc::downgrade(self);
        tasks.spawn(async move {
            while let Some(event) = events.recv().await {
                let Some(browser) = browser.upgrade() else { return };
                if event.kind == EventKind::TargetCreated
                    && let Some(TargetCreated { target_info }) = event.params()
                    && browser.is_popup(&target_info)
                {
                    tracing::debug!(target = target_info.target_id, "popup closed");
                    drop(
                        browser
                            .cdp
                            .browser("Target.closeTarget", json!({ "targetId": target_info.target_id })),
                    );
                }
            }
        });
    }

    fn is_popup(&self, target: &TargetInfo) -> bool {
        match target.browser_context_id.as_ref().and_then(|context| self.contexts().get(context).cloned()) {
            Some(Some(page)) => page != target.target_id,
            // The page of this context is still being created.
            Some(None) | None => target.opener_id.is_some(),
        }
    }
}

/// Response to `Target.createBrowserContext`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextId {
    pub browser_context_id: String,
}

/// Response to `Target.createTarget`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetId {
    pub target_id: String,
}

/// Response to `Target.attachToTarget`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionId {
    pub session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetCreated {
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    opener_id: Option<String>,
    browser_context_id: Option<String>,
}

/// Reads stderr of the browser until it ends, since a full pipe would block it. Lines are logged at debug level.
async fn log_output(mut output: ChildStderr) {
    let mut buffer = vec![0; 8 << 10];
    while let Ok(read @ 1..) = output.read(&mut buffer).await {
        if tracing::enabled!(tracing::Level::DEBUG) {
            for line in
                String::from_utf8_lossy(&buffer[..read]).lines().filter(|line| !line.trim().is_empty())
            {
                tracing::debug!(target: "browser::output", "{}", line.chars().take(300).collect::<String>());
            }
        }
    }
}
