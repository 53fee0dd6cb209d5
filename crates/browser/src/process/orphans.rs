//! Reaps processes that became children of this one because their parent ended: what killed browsers leave, and children of
//! commands and health checks where this is process 1 of a container.
//! Used by the service when a child has ended. Must never reap a browser: a thread of its own waits for its exit status.

use std::collections::BTreeSet;
use std::io;
use std::mem;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, WaitOptions};

/// Process ids of the browsers, whose threads wait for them.
static AWAITED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Outcome of one attempt to reap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaped {
    /// No orphan is left that has ended.
    All,
    /// A browser has ended, and its thread has not reaped it yet. It hides later orphans: another attempt is needed.
    BrowserFirst,
}

/// Starts a child for which a thread waits.
pub(super) fn spawn_awaited(command: &mut Command) -> io::Result<Child> {
    // Locked until the id is known: `spawn` itself waits for a child that fails before it is the program.
    let mut awaited = awaited();
    let child = command.spawn()?;
    awaited.insert(child.id());
    Ok(child)
}

/// Removes a child that has been waited for.
pub(super) fn forget(pid: u32) {
    awaited().remove(&pid);
}

/// Reaps every orphan that has ended. Waits for a browser that is being started.
///
/// Only for a program whose only children of its own are browsers: it takes the exit status of all others.
pub fn reap_orphans() -> Reaped {
    let awaited = awaited();
    while let Some(pid) = ended_child() {
        if awaited.contains(&pid.as_raw_pid().unsigned_abs()) {
            return Reaped::BrowserFirst;
        }
        // Whoever waits for a browser's group may have been first.
        let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    }
    Reaped::All
}

/// Returns a child that has ended, and leaves it for a later wait.
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
