//! Starts and ends browser processes: own process group, own network namespace, tied to the life of this process.
//!
//! Used by the browser. The only file with `unsafe`: what happens between fork and exec has no safe interface. Must never
//! leave a process behind: the group is killed as a whole and every child is waited for.
#![allow(unsafe_code)]

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io;
use std::mem;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use command_fds::{CommandFdExt, FdMapping};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::cgroup::Cgroup;

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

/// Whether this process runs as root, where Chromium cannot use its sandbox.
pub(crate) fn is_root() -> bool {
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
    let Launch { binary, args, folder, confined, cgroup } = launch;
    let (mut child, launched) = match spawn(&binary, &args, &folder, confined, cgroup.as_ref()) {
        Ok(pair) => pair,
        Err(error) => {
            let _ = std::fs::remove_dir_all(&folder);
            let _ = started.send(Err(error));
            return;
        }
    };
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

fn spawn(
    binary: &Path,
    args: &[OsString],
    folder: &Path,
    confined: Option<u16>,
    cgroup: Option<&Cgroup>,
) -> io::Result<(std::process::Child, Launched)> {
    let (ours, theirs) = UnixStream::pair()?;
    let (listener_receiver, listener_sender) = UnixStream::pair()?;
    let setup = ChildSetup {
        namespace: confined.map(|port| Namespace {
            port,
            listener_sender: listener_sender.as_raw_fd(),
            // Mapped onto itself: a browser that finds itself root refuses its sandbox.
            // SAFETY: these calls always succeed and touch no memory.
            uid_map: unsafe { format!("{0} {0} 1\n", libc::geteuid()) },
            gid_map: unsafe { format!("{0} {0} 1\n", libc::getegid()) },
        }),
        cgroup: cgroup.map(Cgroup::procs).transpose()?,
        parent: libc::pid_t::try_from(std::process::id()).expect("a process id fits its own type"),
    };
    become_subreaper();

    let mut command = Command::new(binary);
    command
        .args(args)
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "FONTCONFIG_FILE"))
        .env("HOME", folder)
        .env("TMPDIR", folder)
        .env("XDG_CONFIG_HOME", folder)
        .env("XDG_CACHE_HOME", folder)
        .env("LANG", "en_US.UTF-8")
        .env("TZ", "UTC")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0);
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
    let listener = match confined {
        // The child has sent it before it became the browser, or `spawn` would have failed.
        Some(_) => Some(TcpListener::from(receive_fd(&listener_receiver)?)),
        None => None,
    };
    let output = child.stderr.take().ok_or_else(|| io::Error::other("the browser has no output"))?;
    Ok((child, Launched { process, pipe: ours, output, listener }))
}

/// What the child does between fork and exec. Everything is made beforehand: only system calls are allowed there.
struct ChildSetup {
    namespace: Option<Namespace>,
    cgroup: Option<File>,
    parent: libc::pid_t,
}

struct Namespace {
    port: u16,
    listener_sender: RawFd,
    uid_map: String,
    gid_map: String,
}

impl ChildSetup {
    fn prepare(&self) -> io::Result<()> {
        if let Some(cgroup) = &self.cgroup {
            write_fd(cgroup.as_raw_fd(), b"0")?;
        }
        if let Some(namespace) = &self.namespace {
            namespace.enter()?;
            let listener = namespace.listen()?;
            send_fd(namespace.listener_sender, listener)?;
        }
        // SAFETY: plain system calls on values. Last, because a change of credentials clears the death signal.
        unsafe {
            let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            check(libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core))?;
            check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0))?;
            if libc::getppid() != self.parent {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
        }
        Ok(())
    }
}

impl Namespace {
    /// Leaves the machine's network: directly when allowed, else through a user namespace in which it is allowed.
    fn enter(&self) -> io::Result<()> {
        // SAFETY: plain system calls on values.
        unsafe {
            if libc::unshare(libc::CLONE_NEWNET) != 0 {
                check(libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET))?;
                write_file(c"/proc/self/setgroups", b"deny")?;
                write_file(c"/proc/self/uid_map", self.uid_map.as_bytes())?;
                write_file(c"/proc/self/gid_map", self.gid_map.as_bytes())?;
            }
        }
        raise_loopback()
    }

    /// Listens on every address of the namespace's loopback: the address that is dialled says which tab it is.
    fn listen(&self) -> io::Result<RawFd> {
        // SAFETY: the address is plain data that outlives the calls; the socket is ours.
        unsafe {
            let socket = check(libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0))?;
            let mut address: libc::sockaddr_in = mem::zeroed();
            address.sin_family = libc::AF_INET as libc::sa_family_t;
            address.sin_port = self.port.to_be();
            let length = mem::size_of::<libc::sockaddr_in>() as libc::socklen_t;
            check(libc::bind(socket, (&raw const address).cast(), length))?;
            check(libc::listen(socket, 1024))?;
            Ok(socket)
        }
    }
}

fn raise_loopback() -> io::Result<()> {
    // SAFETY: `ifreq` is plain data for which zeroes are valid; it outlives the call; the socket is closed again.
    unsafe {
        let socket = check(libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0))?;
        let mut request: libc::ifreq = mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let raised = check(libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request));
        libc::close(socket);
        raised.map(drop)
    }
}

fn write_file(path: &std::ffi::CStr, text: &[u8]) -> io::Result<()> {
    // SAFETY: the path is a C string; the descriptor is ours and closed again.
    unsafe {
        let file = check(libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC))?;
        let written = write_fd(file, text);
        libc::close(file);
        written
    }
}

fn write_fd(file: RawFd, text: &[u8]) -> io::Result<()> {
    // SAFETY: pointer and length are of one slice.
    let written = unsafe { libc::write(file, text.as_ptr().cast(), text.len()) };
    if written < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Room for one descriptor in a control message, aligned as its header must be.
#[repr(C, align(8))]
struct ControlBuffer([u8; 64]);

fn send_fd(socket: RawFd, descriptor: RawFd) -> io::Result<()> {
    let mut byte = [0u8; 1];
    let mut control = ControlBuffer([0; 64]);
    // SAFETY: every pointer is to a local that outlives the call; the control buffer is larger than one descriptor needs.
    unsafe {
        let mut data = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
        let mut message: libc::msghdr = mem::zeroed();
        message.msg_iov = &raw mut data;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(mem::size_of::<RawFd>() as u32) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(mem::size_of::<RawFd>() as u32) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor);
        if libc::sendmsg(socket, &raw const message, 0) < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    }
}

fn receive_fd(socket: &UnixStream) -> io::Result<OwnedFd> {
    let mut byte = [0u8; 1];
    let mut control = ControlBuffer([0; 64]);
    // SAFETY: every pointer is to a local that outlives the call. The descriptor was made for this process by the kernel,
    // so nobody else owns it.
    unsafe {
        let mut data = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
        let mut message: libc::msghdr = mem::zeroed();
        message.msg_iov = &raw mut data;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = control.0.len() as _;
        let received = libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC);
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if received < 0 {
            return Err(io::Error::last_os_error());
        }
        if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
            return Err(io::Error::other("the browser's namespace has sent no listener"));
        }
        Ok(OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned()))
    }
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
