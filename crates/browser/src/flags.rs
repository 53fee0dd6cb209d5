//! The browser's command line and the list of what is not fetched. Used when a browser is started.
//! Pure: says what is wanted, starts nothing.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

use crate::frame_scheduler::FrameMode;

/// Flags that every browser gets.
const COMMON: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    // A process less: on Linux the network service has no sandbox to itself. When it dies the browser does, and is replaced.
    "--enable-features=NetworkServiceInProcess2",
    "--hide-scrollbars",
    "--mute-audio",
    "--lang=en-US",
    "--no-first-run",
    "--no-default-browser-check",
    "--screen-info={1920x1080}",
    // No traffic and no processes of the browser's own.
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
    // A page in the background is a page that somebody waits for.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    // `navigator.webdriver` is for people who drive a browser.
    // Between two pages of a warm tab nothing is animated. What a page keeps in a bucket of its own no command clears.
    "--disable-blink-features=AutomationControlled,ViewTransitionOnNavigation,StorageBuckets",
    // The back/forward cache would keep old documents of a warm tab alive, and a new frame for each document costs a tenth
    // of a render; the rest is background work or another way out.
    "--disable-features=Translate,BackForwardCache,MediaRouter,OptimizationHints,AutofillServerCommunication,\
     CertificateTransparencyComponentUpdater,DialMediaRouteProvider,InterestFeedContentSuggestions,PaintHolding,\
     Prerender2,RenderDocument,SpeculationRules,HttpsUpgrades,IsolateOrigins,site-per-process,IsolateSandboxedIframes,\
     OriginKeyedProcessesByDefault",
    // Peer connections through the proxy or not at all: the first is what a full Chromium reads, the second the headless shell.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // Loopback too goes through the proxy; the browser has an exception for it by default.
    "--proxy-bypass-list=<-loopback>",
    // Frames of other sites stay in the process of their page: blocked addresses and the page script hold in them, too. Nothing is
    // there to be kept apart: each tab has a process of its own, and no visitor's cookies. See docs/decisions/0005.
    "--disable-site-isolation-trials",
    // Console messages of pages would fill the log.
    "--log-level=2",
    // Where a statement stands in its source is noted when it is compiled. Left for later, as is usual, the first request of a
    // script parses all of it again, for the stack that the protocol reports: a tenth of a page in a fresh tab.
    // Garbage of earlier documents is collected before memory grows: a tab takes a third less. See docs/decisions/0115.
    "--js-flags=--no-enable-lazy-source-positions,--optimize-for-size",
];

/// Pictures and fonts change no word of a page: not fetched, without a round trip per request. A mouse that hovers and
/// points finely, as at a desk: without one the browser takes itself for a phone.
const WITHOUT_PICTURES: &[&str] = &[
    "--blink-settings=imagesEnabled=false,primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    "--disable-remote-fonts",
];
const WITH_PICTURES: &[&str] = &[
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
];

/// Draw a frame only when one is asked for. The first without the second stops all frames and refuses to draw any.
const FRAMES_ON_DEMAND: &[&str] =
    &["--enable-begin-frame-control", "--run-all-compositor-stages-before-draw"];

/// Shared memory files below this much room make pages crash.
const MIN_SHARED_MEMORY_BYTES: u64 = 512 << 20;

/// What differs from browser to browser.
pub(crate) struct Flags<'a> {
    pub folder: &'a Path,
    pub frames: FrameMode,
    pub draws_pictures: bool,
    pub spki_hash: &'a str,
    /// Where the browser's own traffic goes: a proxy address that answers nobody.
    pub dead_proxy: SocketAddr,
    pub confined: bool,
    /// Whether Chromium's own sandbox can be used: not by root, nor where the kernel forbids what it is made of.
    pub sandbox: bool,
    pub shared_memory_bytes: Option<u64>,
}

impl Flags<'_> {
    /// The arguments, in order.
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
            // Without a namespace a name must not even be looked up outside the proxy.
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

/// Media is not fetched. Pictures and fonts are switched off by flags; trackers have stand-ins, which the proxy sends.
const MEDIA: &[&str] =
    &["mp4", "webm", "ogv", "mov", "m4v", "mp3", "m4a", "ogg", "wav", "flac", "m3u8", "mpd"];

/// Wildcard patterns for `Network.setBlockedURLs`, `extra` ones of the customer last.
pub(crate) fn blocked_patterns(extra: &[String]) -> Vec<String> {
    let media = MEDIA.iter().flat_map(|ending| [format!("*://*/*.{ending}"), format!("*://*/*.{ending}?*")]);
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
