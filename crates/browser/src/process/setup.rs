//! What becomes of the child between fork and exec: a memory cgroup, namespaces of its own, a user without rights.
//! Used when a browser is started. Must make system calls only, on data that was made before the fork: no allocation, no locks.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, RawFd};

use super::check;
use super::descriptors::send_fd;

/// Where a browser with a user of its own sees its folder: where that lies it may not look.
pub(super) const FOLDER: &str = "/tmp";
/// The user and group of browsers that root starts: nobody else's on any system that keeps to the usual ranges.
pub(super) const OWN_ID: u32 = 60_700;

/// What the child does between fork and exec. Everything is made beforehand: only system calls are allowed there.
pub(super) struct ChildSetup {
    pub namespace: Option<Namespace>,
    pub cgroup: Option<File>,
    pub parent: libc::pid_t,
    /// The folder of a browser that gets a user of its own.
    pub own_user: Option<CString>,
    /// Fail where Chromium's sandbox would.
    pub needs_sandbox: bool,
}

pub(super) struct Namespace {
    pub port: u16,
    pub listener_sender: RawFd,
    pub uid_map: String,
    pub gid_map: String,
}

impl ChildSetup {
    /// Runs in the child, just before it becomes the browser.
    pub fn prepare(&self) -> io::Result<()> {
        if let Some(cgroup) = &self.cgroup {
            write_fd(cgroup.as_raw_fd(), b"0")?;
        }
        if let Some(namespace) = &self.namespace {
            namespace.enter()?;
            let listener = namespace.listen()?;
            send_fd(namespace.listener_sender, listener)?;
        }
        if let Some(folder) = &self.own_user {
            show_only(folder)?;
            become_nobody()?;
        }
        if self.needs_sandbox {
            try_sandbox()?;
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

/// Shows the browser its own folder in place of everybody's temporary one, in a mount namespace of its own.
fn show_only(folder: &CString) -> io::Result<()> {
    let (root, shown) = (c"/", c"/tmp");
    let none = std::ptr::null();
    // SAFETY: every pointer is to a C string that outlives the call, or null where that is allowed.
    unsafe {
        check(libc::unshare(libc::CLONE_NEWNS))?;
        check(libc::mount(none, root.as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, none.cast()))?;
        check(libc::mount(folder.as_ptr(), shown.as_ptr(), none, libc::MS_BIND, none.cast()))?;
        check(libc::chdir(shown.as_ptr()))?;
    }
    Ok(())
}

/// Gives up root for good, groups first: afterwards nothing may be changed.
fn become_nobody() -> io::Result<()> {
    // SAFETY: plain system calls on values; the list of groups is empty.
    unsafe {
        check(libc::setgroups(0, std::ptr::null()))?;
        check(libc::setresgid(OWN_ID, OWN_ID, OWN_ID))?;
        check(libc::setresuid(OWN_ID, OWN_ID, OWN_ID))?;
    }
    Ok(())
}

/// Makes the namespaces that Chromium's sandbox is made of, in a process that ends at once.
fn try_sandbox() -> io::Result<()> {
    // SAFETY: between fork and exec there is one thread; the child makes one system call and ends.
    unsafe {
        let probe = check(libc::fork())?;
        if probe == 0 {
            let failed = libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNET) != 0;
            libc::_exit(if failed { *libc::__errno_location() } else { 0 });
        }
        let mut status = 0;
        while libc::waitpid(probe, &raw mut status, 0) < 0 {
            if *libc::__errno_location() != libc::EINTR {
                return Err(io::Error::last_os_error());
            }
        }
        match libc::WEXITSTATUS(status) {
            0 if libc::WIFEXITED(status) => Ok(()),
            code => Err(io::Error::from_raw_os_error(code)),
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
