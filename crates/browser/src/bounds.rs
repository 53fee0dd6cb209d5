//! What keeps a browser apart from the machine, and what is started within it. Used when a browser is started.
//! Must never leave a bound out without somebody being told.
//! See docs/decisions/0221 and docs/decisions/0422.

use std::io;
use std::net::Ipv4Addr;
use std::path::Path;

use crate::cgroup::Cgroup;
use crate::egress::PROXY_PORT;
use crate::environment::Environment;
use crate::flags::Flags;
use crate::process::{self, Launch};

/// What keeps a browser apart from the machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// It has a network namespace whose only way out is the proxy.
    pub confined: bool,
    /// Chromium's own sandbox is on; under root, the browser is another user.
    pub sandboxed: bool,
}

impl Bounds {
    /// What is missing of them, and what to do about it.
    pub fn lack(&self) -> Option<&'static str> {
        Some(match (self.confined, self.sandboxed) {
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
        })
    }
}

/// What to start within some bounds.
pub(crate) fn plan(
    environment: &Environment,
    binary: &Path,
    frames_on_demand: bool,
    bounds: &Bounds,
) -> io::Result<Launch> {
    let folder = environment.profiles()?.make()?;
    let port = if bounds.confined { PROXY_PORT } else { 1 };
    let flags = Flags {
        folder: process::seen_folder(&folder, bounds.sandboxed),
        frames_on_demand,
        draws_pictures: environment.draws_pictures,
        spki_hash: environment.identity.spki_hash(),
        dead_proxy: (Ipv4Addr::LOCALHOST, port).into(),
        confined: bounds.confined,
        sandbox: bounds.sandboxed,
        shared_memory_bytes: process::file_system_size(Path::new("/dev/shm")),
    };
    Ok(Launch {
        binary: binary.to_owned(),
        args: flags.arguments(),
        folder,
        confined: bounds.confined.then_some(PROXY_PORT),
        sandbox: bounds.sandboxed,
        cgroup: Cgroup::for_browser(environment.config.browser_memory_bytes()),
    })
}
