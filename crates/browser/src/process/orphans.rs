//! Reaps orphans that became children of this process: those of killed browsers and, where this is process 1 of a container, those
//! of commands and health checks.
//! Used by the service when a child has ended. Must never reap a browser: its thread waits for the exit status.

use std::collections::BTreeSet;
use std::io;
use std::mem;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, WaitOptions};

/// Process ids of the browsers, which their threads wait for.
static AWAITED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Result of reaping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaped {
    /// All ended orphans are reaped.
    All,
    /// A browser has ended and its thread has not reaped it yet. It hides later orphans: try again.
    BrowserFirst,
}

/// Starts a child that a thread waits for.
pub(super) fn spawn_awaited(command: &mut Command) -> io::Result<Child> {
    // Locked until the id is known: `spawn` itself waits for a child whose exec fails.
    let mut awaited = awaited();
    let child = command.spawn()?;
    awaited.insert(child.id());
    Ok(child)
}

/// Removes a child that has been waited for.
pub(super) fn forget(pid: u32) {
    awaited().remove(&pid);
}

/// Reaps all ended orphans. Waits for a browser that is being started.
///
/// Only for a program whose own children are browsers: takes the exit status of all others.
pub fn reap_orphans() -> Reaped {
    let awaited = awaited();
    while let Some(pid) = ended_child() {
        if awaited.contains(&pid.as_raw_pid().unsigned_abs()) {
            return Reaped::BrowserFirst;
        }
        // The thread of a browser's group may have been first.
        let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    }
    Reaped::All
}

/// Returns an ended child without reaping it.
fn ended_child() -> Option<Pid> {
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: zeroes are a valid `siginfo_t`, which the call fills; its process id stays zero when no child has ended.
    let (result, pid) = unsafe {
        let mut info: libc::siginfo_t = mem::zeroed();
        let result = libc::waitid(libc::P_ALL, 0, &raw mut info, options);
        (result, info.si_pid())
    };
    Pid::from_raw(pid).filter(|_| result == 0)
}

fn awaited() -> MutexGuard<'static, BTreeSet<u32>> {
    AWAITED.lock().unwrap_or_else(PoisonError::into_inner)
}
