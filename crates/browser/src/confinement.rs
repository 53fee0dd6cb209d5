//! Confinement of a browser (network namespace, sandbox), and the command that starts it confined. Used when a browser is
//! started.
//! Must never leave out a confinement without a warning.
//! See docs/decisions/0004.

use std::io;
use std::net::Ipv4Addr;
use std::path::Path;

use crate::cgroup::Cgroup;
use crate::egress::PROXY_PORT;
use crate::environment::Environment;
use crate::flags::Flags;
use crate::frame_scheduler::FrameMode;
use crate::process::{self, Launch};

/// Confinement of a browser.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Confinement {
    /// Network namespace of its own, whose only connection is the proxy.
    pub confined: bool,
    /// Chromium's sandbox is on. A service that runs as root starts the browser as another user.
    pub sandboxed: bool,
}

impl Confinement {
    /// Describes the missing parts and their remedy. Returns `None` when nothing is missing.
    pub fn missing(&self) -> Option<String> {
        let missing = match (self.confined, self.sandboxed) {
            (true, true) => return None,
            (true, false) => {
                "Chromium's sandbox is off, because this kernel or container forbids it: allow unprivileged user namespaces, \
                 and as root also mounts and other users, for whom the browser's program must be readable"
            }
            (false, true) => {
                "the browser is not confined to a network namespace of its own, only by its flags and the proxy: run as root or \
                 allow user namespaces"
            }
            (false, false) => {
                "the browser has neither a sandbox nor a network namespace of its own, only its flags and the proxy: run as root \
                 or allow unprivileged user namespaces"
            }
        };
        Some(if is_filtered() { format!("{missing}; {PROFILE}") } else { missing.to_owned() })
    }
}

/// Remedy in a container whose runtime filters system calls.
const PROFILE: &str = "a seccomp profile is in force here: start the container with deploy/seccomp.json (in the package: \
                       /usr/share/glasshouse/seccomp.json), which allows what a browser is confined with";

/// Returns the remedy for a browser that cannot be confined.
pub(crate) fn remedy() -> &'static str {
    if is_filtered() { PROFILE } else { "run as root or allow unprivileged user namespaces" }
}

/// Returns true when system calls of this process are filtered, as container runtimes and systemd do.
fn is_filtered() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    mode.is_some_and(|mode| mode.trim() == "2")
}

/// Makes the command that starts a browser with a confinement.
pub(crate) fn plan(
    environment: &Environment,
    binary: &Path,
    frames: FrameMode,
    confinement: &Confinement,
) -> io::Result<Launch> {
    let launch = Launch {
        binary: binary.to_owned(),
        args: Vec::new(),
        folder: environment.profiles()?.make()?,
        confined: confinement.confined.then_some(PROXY_PORT),
        sandbox: confinement.sandboxed,
        cgroup: Cgroup::for_browser(environment.config.browser_memory_bytes()),
    };
    let port = if confinement.confined { PROXY_PORT } else { 1 };
    let flags = Flags {
        folder: launch.visible_folder(),
        frames,
        draws_pictures: environment.draws_pictures,
        spki_hash: environment.identity.spki_hash(),
        dead_proxy: (Ipv4Addr::LOCALHOST, port).into(),
        confined: confinement.confined,
        sandbox: confinement.sandboxed,
        shared_memory_bytes: process::file_system_size(Path::new("/dev/shm")),
    };
    Ok(Launch { args: flags.arguments(), ..launch })
}
