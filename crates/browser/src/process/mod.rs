//! Starts and ends browser processes, each with a process group, namespaces and a user of its own, tied to the life of this
//! process.
//!
//! Used by the browser. The only folder with `unsafe`: code between fork and exec, fork, unshare and the loopback ioctl have no
//! safe interface. Must never leave a process behind: the group is killed as a whole and every child is waited for.
#![allow(unsafe_code)]

mod descriptors;
mod orphans;
mod setup;

use std::ffi::{CString, OsString};
use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use command_fds::{CommandFdExt, FdMapping};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::cgroup::Cgroup;
use descriptors::receive_fd;
pub use orphans::{Reaped, reap_orphans};
use setup::{ChildSetup, Namespace, OWN_ID};

/// Time in which the processes of a killed group must end.
const REAP_LIMIT: Duration = Duration::from_secs(5);

/// Command that starts a browser.
pub(crate) struct Launch {
    pub binary: PathBuf,
    /// Arguments. The port of the listener is not among them: only the child knows it.
    pub args: Vec<OsString>,
    /// Home, temporary and profile folder.
    pub folder: PathBuf,
    /// Port of the listener in a network namespace of its own; `None`: no namespace.
    pub confined: Option<u16>,
    /// Chromium's sandbox is on. For root, that requires a user of its own.
    pub sandbox: bool,
    pub cgroup: Option<Cgroup>,
}

impl Launch {
    /// Returns the path of the folder as the browser sees it.
    pub fn visible_folder(&self) -> &Path {
        if self.needs_own_user() { Path::new(setup::FOLDER) } else { &self.folder }
    }

    /// Returns true for a sandboxed browser of root: Chromium's sandbox refuses to run as root.
    fn needs_own_user(&self) -> bool {
        self.sandbox && is_root()
    }
}

/// A started browser.
pub(crate) struct Launched {
    pub process: Process,
    /// This process's end of the DevTools pipe.
    pub pipe: UnixStream,
    /// Output of the browser. It must be read, since a full pipe blocks the browser.
    pub output: ChildStderr,
    /// Listener inside the namespace, on all loopback addresses.
    pub listener: Option<TcpListener>,
}

/// Handle of a process group. Dropping it kills the group.
pub(crate) struct Process {
    pid: Pid,
    ended: CancellationToken,
}

impl Process {
    /// Starts a browser on its own thread, which waits for the exit.
    ///
    /// The kernel sends the parent-death signal when the parent *thread* ends.
    pub async fn start(launch: Launch) -> io::Result<Launched> {
        let (started, answer) = oneshot::channel();
        std::thread::Builder::new().name("browser".to_owned()).spawn(move || run(launch, started))?;
        answer.await.map_err(|_| io::Error::other("the browser's thread ended"))?
    }

    /// Returns the process id, which is also the id of the group.
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_pid().unsigned_abs()
    }

    /// Kills the group.
    pub fn kill(&self) {
        if !self.ended.is_cancelled() {
            kill_group(self.pid);
        }
    }

    /// Returns the token that is cancelled when no process of the group is left.
    pub fn ended(&self) -> &CancellationToken {
        &self.ended
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills one process, such as that of a page which uses too much memory.
pub(crate) fn kill_process(pid: u32) {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    // Fails when the process has ended already.
    let _ = rustix::process::kill_process(pid, Signal::KILL);
}

/// Returns true when an error is permanent: the kernel or its policy forbids a confinement.
pub(crate) fn is_refusal(error: &io::Error) -> bool {
    match Errno::from_io_error(error) {
        // EACCES comes from security modules, EINVAL from kernels built without namespaces.
        Some(Errno::PERM | Errno::NOSYS | Errno::ACCESS | Errno::INVAL) => true,
        Some(Errno::NOSPC) => ["user", "net", "mnt", "pid"].iter().any(|kind| {
            let limit = std::fs::read_to_string(format!("/proc/sys/user/max_{kind}_namespaces"));
            limit.is_ok_and(|limit| limit.trim() == "0")
        }),
        _ => false,
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns the capacity of a file system in bytes; `None` when it cannot be read.
pub(crate) fn file_system_size(path: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(path).ok()?;
    Some(stat.f_blocks.saturating_mul(stat.f_frsize))
}

/// Returns the size of a memory page in bytes.
pub(crate) fn page_size() -> u64 {
    rustix::param::page_size() as u64
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
    // Without a receiver, dropping the handle kills the group, and the wait below ends at once.
    drop(started.send(Ok(launched)));

    let status = child.wait();
    orphans::forget(child.id());
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
    let own_user = launch.needs_own_user();
    if own_user {
        std::os::unix::fs::chown(&launch.folder, Some(OWN_ID), Some(OWN_ID))?;
    }
    let setup = ChildSetup {
        namespace: launch.confined.map(|port| Namespace {
            port,
            listener_sender,
            // Mapped to itself: as root, a browser refuses its sandbox.
            uid_map: format!("{0} {0} 1\n", rustix::process::geteuid()),
            gid_map: format!("{0} {0} 1\n", rustix::process::getegid()),
        }),
        cgroup: launch.cgroup.as_ref().map(Cgroup::procs).transpose()?,
        parent: rustix::process::getpid(),
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

    let mut child = orphans::spawn_awaited(&mut command)?;
    let process = Process { pid: Pid::from_child(&child), ended: CancellationToken::new() };
    // Drops the sender too. Otherwise `receive_fd` would wait forever for a child that never sent.
    drop(command);
    let listener = match launch.confined {
        // The child sends the listener before exec, or `spawn` fails.
        Some(_) => Some(TcpListener::from(receive_fd(&listener_receiver)?)),
        None => None,
    };
    let output = child.stderr.take().ok_or_else(|| io::Error::other("the browser has no output"))?;
    Ok((child, Launched { process, pipe: ours, output, listener }))
}

/// Builds the command with a minimal environment.
fn command(launch: &Launch) -> Command {
    let visible = launch.visible_folder();
    let mut command = Command::new(&launch.binary);
    command
        .args(&launch.args)
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "FONTCONFIG_FILE"))
        .env("HOME", visible)
        .env("TMPDIR", visible)
        .env("XDG_CONFIG_HOME", visible)
        .env("XDG_CACHE_HOME", visible)
        .env("LANG", "en_US.UTF-8")
        .env("TZ", "UTC")
        .current_dir(&launch.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0);
    command
}

/// Makes orphans of a killed browser children of this process, so that they are reaped even where process 1 does not.
fn become_subreaper() {
    // On failure, process 1 reaps them.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

fn kill_group(group: Pid) {
    // The group id cannot be reused before the leader is waited for.
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

/// Kills the remaining processes of a group and waits until none is left.
fn reap_group(group: Pid) {
    let deadline = Instant::now() + REAP_LIMIT;
    loop {
        // The id cannot be reused while a member is left. Without members, both calls fail.
        let is_alive = rustix::process::kill_process_group(group, Signal::KILL).is_ok();
        while matches!(rustix::process::waitpgid(group, WaitOptions::NOHANG), Ok(Some(_))) {}
        if !is_alive {
            return;
        }
        if Instant::now() > deadline {
            tracing::error!(group = %group, "processes of a browser outlived SIGKILL");
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn report_end(pid: Pid, status: io::Result<ExitStatus>) {
    match status {
        Ok(status) => tracing::debug!(%pid, %status, "browser ended"),
        Err(error) => tracing::warn!(%pid, %error, "could not wait for the browser"),
    }
}
