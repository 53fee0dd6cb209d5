//! Starts and ends browser processes: own process group, own namespaces, own user, tied to the life of this process.
//!
//! Used by the browser. The only folder with `unsafe`: what happens between fork and exec has no safe interface. Must never
//! leave a process behind: the group is killed as a whole and every child is waited for.
#![allow(unsafe_code)]

mod descriptors;
mod setup;

use std::ffi::{CString, OsString};
use std::io;
use std::mem;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use command_fds::{CommandFdExt, FdMapping};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::cgroup::Cgroup;
use descriptors::receive_fd;
use setup::{ChildSetup, Namespace, OWN_ID};

/// How long the remains of a killed group are waited for.
const REAP_LIMIT: Duration = Duration::from_secs(5);

/// What to start and how.
pub(crate) struct Launch {
    pub binary: PathBuf,
    /// Makes the arguments; the port of the listener inside the namespace is only known to the child, so it is not in them.
    pub args: Vec<OsString>,
    /// Home, temporary and profile folder of the browser.
    pub folder: PathBuf,
    /// Whether it gets a network namespace of its own, with one listener in it.
    pub confined: Option<u16>,
    /// Whether Chromium's sandbox is on, for which root gives it a user of its own.
    pub sandbox: bool,
    pub cgroup: Option<Cgroup>,
}

/// A browser that runs.
pub(crate) struct Launched {
    pub process: Process,
    /// Our end of the DevTools pipe.
    pub pipe: UnixStream,
    /// What the browser writes; a full pipe would stop it, so it must be read.
    pub output: ChildStderr,
    /// The listener inside the browser's namespace, on every loopback address.
    pub listener: Option<TcpListener>,
}

/// A handle on the process group. Dropping it kills the group.
pub(crate) struct Process {
    pid: libc::pid_t,
    ended: CancellationToken,
}

impl Process {
    /// Starts a browser on a thread of its own, which waits for it until it ends.
    ///
    /// The thread matters: the kernel's "kill me when my parent dies" is tied to the parent *thread*.
    pub async fn start(launch: Launch) -> io::Result<Launched> {
        let (started, answer) = oneshot::channel();
        std::thread::Builder::new().name("browser".to_owned()).spawn(move || run(launch, started))?;
        answer.await.map_err(|_| io::Error::other("the browser's thread ended"))?
    }

    /// Process id, which is the group's too.
    pub fn pid(&self) -> u32 {
        self.pid.unsigned_abs()
    }

    /// Kills the whole group.
    pub fn kill(&self) {
        if !self.ended.is_cancelled() {
            kill_group(self.pid);
        }
    }

    /// Ends when no process of the group is left and the first one has been waited for.
    pub fn ended(&self) -> &CancellationToken {
        &self.ended
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills one process, such as a page's that eats the memory.
pub(crate) fn kill_process(pid: u32) {
    let Ok(pid) = libc::pid_t::try_from(pid) else { return };
    // SAFETY: no memory is involved; a process that is gone answers ESRCH, which is fine.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// The folder of a browser as it sees it: one with a user of its own sees it elsewhere.
pub(crate) fn seen_folder(folder: &Path, sandbox: bool) -> &Path {
    if gets_own_user(sandbox) { Path::new(setup::FOLDER) } else { folder }
}

/// Whether starting a browser failed because the kernel or its policy forbids what confines it, and not in passing.
pub(crate) fn is_refusal(error: &io::Error) -> bool {
    match error.raw_os_error() {
        // EACCES is the word of security modules; EINVAL of kernels that are built without.
        Some(libc::EPERM | libc::ENOSYS | libc::EACCES | libc::EINVAL) => true,
        Some(libc::ENOSPC) => ["user", "net", "mnt", "pid"].iter().any(|kind| {
            let limit = std::fs::read_to_string(format!("/proc/sys/user/max_{kind}_namespaces"));
            limit.is_ok_and(|limit| limit.trim() == "0")
        }),
        _ => false,
    }
}

/// Root's browsers run as somebody else: Chromium's sandbox is not for root.
fn gets_own_user(sandbox: bool) -> bool {
    sandbox && is_root()
}

fn is_root() -> bool {
    // SAFETY: always succeeds and touches no memory.
    unsafe { libc::geteuid() == 0 }
}

/// Bytes that the file system of `path` can hold, used or not; `None` when it cannot be asked.
pub(crate) fn file_system_size(path: &Path) -> Option<u64> {
    let path = CString::new(path.as_os_str().as_encoded_bytes()).ok()?;
    // SAFETY: `statvfs` is plain data for which zeroes are valid; the path is a C string and both outlive the call.
    let stat = unsafe {
        let mut stat: libc::statvfs = mem::zeroed();
        (libc::statvfs(path.as_ptr(), &raw mut stat) == 0).then_some(stat)?
    };
    Some(stat.f_blocks.saturating_mul(stat.f_frsize))
}

/// Memory page size.
pub(crate) fn page_size() -> u64 {
    // SAFETY: always succeeds and touches no memory.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

fn run(launch: Launch, started: oneshot::Sender<io::Result<Launched>>) {
    let (mut child, launched) = match spawn(&launch) {
        Ok(pair) => pair,
        Err(error) => {
            let _ = std::fs::remove_dir_all(&launch.folder);
            let _ = started.send(Err(error));
            return;
        }
    };
    let Launch { folder, cgroup, .. } = launch;
    let pid = launched.process.pid;
    let ended = launched.process.ended.clone();
    // Nobody waits any more: dropping the handle kills the group, and the wait below ends at once.
    drop(started.send(Ok(launched)));

    let status = child.wait();
    reap_group(pid);
    report_end(pid, status);
    drop(cgroup);
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        tracing::debug!(folder = %folder.display(), %error, "could not remove the browser's folder");
    }
    ended.cancel();
}

fn spawn(launch: &Launch) -> io::Result<(std::process::Child, Launched)> {
    let (ours, theirs) = UnixStream::pair()?;
    let (listener_receiver, listener_sender) = UnixStream::pair()?;
    let own_user = gets_own_user(launch.sandbox);
    if own_user {
        std::os::unix::fs::chown(&launch.folder, Some(OWN_ID), Some(OWN_ID))?;
    }
    let setup = ChildSetup {
        namespace: launch.confined.map(|port| Namespace {
            port,
            listener_sender: listener_sender.as_raw_fd(),
            // Mapped onto itself: a browser that finds itself root refuses its sandbox.
            // SAFETY: these calls always succeed and touch no memory.
            uid_map: unsafe { format!("{0} {0} 1\n", libc::geteuid()) },
            gid_map: unsafe { format!("{0} {0} 1\n", libc::getegid()) },
        }),
        cgroup: launch.cgroup.as_ref().map(Cgroup::procs).transpose()?,
        parent: libc::pid_t::try_from(std::process::id()).expect("a process id fits its own type"),
        own_user: own_user.then(|| CString::new(launch.folder.as_os_str().as_bytes())).transpose()?,
        needs_sandbox: launch.sandbox,
    };
    become_subreaper();

    let mut command = command(launch);
    // SAFETY: `prepare` makes only system calls on data made above: no allocation, no locks.
    unsafe { command.pre_exec(move || setup.prepare()) };
    command
        .fd_mappings(vec![
            FdMapping { parent_fd: theirs.try_clone()?.into(), child_fd: 3 },
            FdMapping { parent_fd: OwnedFd::from(theirs), child_fd: 4 },
        ])
        .map_err(io::Error::other)?;

    let mut child = command.spawn()?;
    let pid = libc::pid_t::try_from(child.id()).expect("a process id fits its own type");
    let process = Process { pid, ended: CancellationToken::new() };
    drop(listener_sender);
    let listener = match launch.confined {
        // The child has sent it before it became the browser, or `spawn` would have failed.
        Some(_) => Some(TcpListener::from(receive_fd(&listener_receiver)?)),
        None => None,
    };
    let output = child.stderr.take().ok_or_else(|| io::Error::other("the browser has no output"))?;
    Ok((child, Launched { process, pipe: ours, output, listener }))
}

/// The command, with an environment of its own.
fn command(launch: &Launch) -> Command {
    let seen = seen_folder(&launch.folder, launch.sandbox);
    let mut command = Command::new(&launch.binary);
    command
        .args(&launch.args)
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "FONTCONFIG_FILE"))
        .env("HOME", seen)
        .env("TMPDIR", seen)
        .env("XDG_CONFIG_HOME", seen)
        .env("XDG_CACHE_HOME", seen)
        .env("LANG", "en_US.UTF-8")
        .env("TZ", "UTC")
        .current_dir(&launch.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0);
    command
}

/// Children of a killed browser become ours, so that they can be waited for even where process 1 does not do it.
fn become_subreaper() {
    // SAFETY: a plain system call on values. Failure only means that process 1 reaps.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

fn kill_group(group: libc::pid_t) {
    // SAFETY: no memory is involved. The group exists until its leader is waited for, so the number cannot be another's.
    unsafe { libc::killpg(group, libc::SIGKILL) };
}

/// Kills what is left of the group and waits until nothing is.
fn reap_group(group: libc::pid_t) {
    let deadline = Instant::now() + REAP_LIMIT;
    loop {
        // SAFETY: no memory is involved; only children of this very group are waited for. While one member is left the
        // number stays taken, and without one both calls answer that there is none.
        let alive = unsafe {
            let alive = libc::killpg(group, libc::SIGKILL) == 0;
            while libc::waitpid(-group, std::ptr::null_mut(), libc::WNOHANG) > 0 {}
            alive
        };
        if !alive {
            return;
        }
        if Instant::now() > deadline {
            tracing::error!(group, "processes of a browser outlived SIGKILL");
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn report_end(pid: libc::pid_t, status: io::Result<ExitStatus>) {
    match status {
        Ok(status) => tracing::debug!(pid, %status, "browser ended"),
        Err(error) => tracing::warn!(pid, %error, "could not wait for the browser"),
    }
}

fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}
