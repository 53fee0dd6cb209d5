//! Command line of the browser and the patterns of blocked addresses. Used when a browser is started.
//! Pure. Must never start anything.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

use crate::frame_scheduler::FrameMode;

/// Flags of every browser.
const COMMON: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    // Saves a process: on Linux the network service is not sandboxed by itself. Its end is the browser's end, and that is
    // replaced.
    "--enable-features=NetworkServiceInProcess2",
    "--hide-scrollbars",
    "--mute-audio",
    "--lang=en-US",
    "--no-first-run",
    "--no-default-browser-check",
    "--screen-info={1920x1080}",
    // No network traffic and no processes of the browser itself.
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-pings",
    "--no-service-autorun",
    // Background pages must not be throttled: a client waits for them.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    // `navigator.webdriver` would reveal automation. View transitions are not needed between two pages of a warm tab. No
    // protocol command clears storage buckets.
    "--disable-blink-features=AutomationControlled,ViewTransitionOnNavigation,StorageBuckets",
    // The back/forward cache would keep old documents of a warm tab alive. A new frame for each document costs a tenth of a
    // render. The other features are background work or bypass the proxy.
    "--disable-features=Translate,BackForwardCache,MediaRouter,OptimizationHints,AutofillServerCommunication,\
     CertificateTransparencyComponentUpdater,DialMediaRouteProvider,InterestFeedContentSuggestions,PaintHolding,\
     Prerender2,RenderDocument,SpeculationRules,HttpsUpgrades,IsolateOrigins,site-per-process,IsolateSandboxedIframes,\
     OriginKeyedProcessesByDefault",
    // WebRTC through the proxy or not at all. A full Chromium reads the first flag, the headless shell the second.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // By default the browser connects to loopback without the proxy.
    "--proxy-bypass-list=<-loopback>",
    // Frames of other sites stay in the process of their page, so that blocked addresses and the page script apply in them.
    // Each tab has its own process and no visitor's cookies, so site isolation protects nothing. See docs/decisions/0005.
    "--disable-site-isolation-trials",
    // Console messages of pages would fill the log.
    "--log-level=2",
    // By default source positions are computed lazily: the first request of a script parses the whole script again, for the
    // stack trace in the protocol. That costs a tenth of a page in a fresh tab.
    // Collecting the garbage of earlier documents before memory grows saves a third of a tab's memory. See docs/decisions/0115.
    "--js-flags=--no-enable-lazy-source-positions,--optimize-for-size",
];

/// No pictures and fonts: they do not change the text. Hover and a fine pointer, as on a desktop; by default the browser acts
/// as a phone.
const WITHOUT_PICTURES: &[&str] = &[
    "--blink-settings=imagesEnabled=false,primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    "--disable-remote-fonts",
];
const WITH_PICTURES: &[&str] = &[
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
];

/// Frames on demand. The first flag without the second stops all frames and fails every request for one.
const FRAMES_ON_DEMAND: &[&str] =
    &["--enable-begin-frame-control", "--run-all-compositor-stages-before-draw"];

/// Size of `/dev/shm` below which pages crash.
const MIN_SHARED_MEMORY_BYTES: u64 = 512 << 20;

/// Properties that differ between browsers.
pub(crate) struct Flags<'a> {
    pub folder: &'a Path,
    pub frames: FrameMode,
    pub draws_pictures: bool,
    pub spki_hash: &'a str,
    /// Proxy of the browser's own traffic: an address that does not respond.
    pub dead_proxy: SocketAddr,
    pub confined: bool,
    /// Chromium's sandbox is available: not for root, nor where the kernel forbids namespaces.
    pub sandbox: bool,
    pub shared_memory_bytes: Option<u64>,
}

impl Flags<'_> {
    /// Returns the arguments in order.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = COMMON.iter().map(OsString::from).collect();
        let pictures = if self.draws_pictures { WITH_PICTURES } else { WITHOUT_PICTURES };
        args.extend(pictures.iter().map(OsString::from));
        if self.frames == FrameMode::OnDemand {
            args.extend(FRAMES_ON_DEMAND.iter().map(OsString::from));
        }
        if !self.sandbox {
            args.push("--no-sandbox".into());
        }
        if self.shared_memory_bytes.is_none_or(|bytes| bytes < MIN_SHARED_MEMORY_BYTES) {
            args.push("--disable-dev-shm-usage".into());
        }
        if !self.confined {
            // Without a namespace, names must not be resolved outside the proxy.
            args.push("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1".into());
        }
        args.push(format!("--proxy-server=http://{}", self.dead_proxy).into());
        args.push(format!("--ignore-certificate-errors-spki-list={}", self.spki_hash).into());
        let mut profile = OsString::from("--user-data-dir=");
        profile.push(self.folder.join("profile"));
        args.push(profile);
        args
    }
}

/// File extensions of media, which is not fetched. Flags disable pictures and fonts; the proxy answers for trackers.
const MEDIA: &[&str] =
    &["mp4", "webm", "ogv", "mov", "m4v", "mp3", "m4a", "ogg", "wav", "flac", "m3u8", "mpd"];

/// Returns wildcard patterns for `Network.setBlockedURLs`, followed by the customer's own.
pub(crate) fn blocked_patterns(extra: &[String]) -> Vec<String> {
    let media =
        MEDIA.iter().flat_map(|extension| [format!("*://*/*.{extension}"), format!("*://*/*.{extension}?*")]);
    media.chain(extra.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_on_demand_need_both_flags() {
        let flags = |frames| {
            Flags {
                folder: Path::new("/f"),
                frames,
                draws_pictures: false,
                spki_hash: "h",
                dead_proxy: "127.0.0.1:3128".parse().unwrap(),
                confined: true,
                sandbox: true,
                shared_memory_bytes: None,
            }
            .arguments()
        };

        let (with, without) = (flags(FrameMode::OnDemand), flags(FrameMode::Continuous));

        assert_eq!(with.len(), without.len() + 2);
        assert!(!without.iter().any(|flag| flag == "--no-sandbox"));
    }
}
