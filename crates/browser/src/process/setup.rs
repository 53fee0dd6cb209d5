//! Set-up of the child between fork and exec: memory cgroup, namespaces, an unprivileged user.
//! Used when a browser is started. Must make system calls only, on data made before the fork: no allocation, no locks.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::mem;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::MountPropagationFlags;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::process::{Gid, Pid, Resource, Rlimit, Signal, Uid, WaitOptions};
use rustix::thread::UnshareFlags;

use super::descriptors::send_fd;

/// Path under which a browser with its own user sees its folder. It has no access to the real path.
pub(super) const FOLDER: &str = "/tmp";
/// User and group of browsers that root starts, outside the usual ranges of ids.
pub(super) const OWN_ID: u32 = 60_700;
/// Niceness of browsers, so that requests served from memory take precedence over rendering. See docs/decisions/0115.
const NICE: i32 = 10;

/// Set-up between fork and exec. All data is made beforehand, since only system calls are allowed there.
pub(super) struct ChildSetup {
    pub namespace: Option<Namespace>,
    pub cgroup: Option<File>,
    pub parent: Pid,
    /// Folder of a browser that gets its own user.
    pub own_user: Option<CString>,
    /// Fail if Chromium's sandbox would.
    pub needs_sandbox: bool,
}

pub(super) struct Namespace {
    pub port: u16,
    pub listener_sender: UnixStream,
    pub uid_map: String,
    pub gid_map: String,
}

impl ChildSetup {
    /// Runs in the child, before exec.
    pub fn prepare(&self) -> io::Result<()> {
        if let Some(cgroup) = &self.cgroup {
            rustix::io::write(cgroup, b"0")?;
        }
        rustix::process::nice(NICE)?;
        if let Some(namespace) = &self.namespace {
            namespace.enter()?;
            let listener = namespace.listen()?;
            send_fd(&namespace.listener_sender, listener.as_fd())?;
        }
        if let Some(folder) = &self.own_user {
            mount_as_tmp(folder)?;
            drop_root()?;
        }
        if self.needs_sandbox {
            try_sandbox()?;
        }
        rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        // Last, because a change of credentials clears the signal.
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if rustix::process::getppid() != Some(self.parent) {
            return Err(Errno::SRCH.into());
        }
        Ok(())
    }
}

impl Namespace {
    /// Leaves the machine's network, through a user namespace if the direct way is forbidden.
    fn enter(&self) -> io::Result<()> {
        if unshare(UnshareFlags::NEWNET).is_err() {
            unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET)?;
            write_file(c"/proc/self/setgroups", b"deny")?;
            write_file(c"/proc/self/uid_map", self.uid_map.as_bytes())?;
            write_file(c"/proc/self/gid_map", self.gid_map.as_bytes())?;
        }
        raise_loopback()
    }

    /// Listens on all loopback addresses of the namespace: the dialled address identifies the tab.
    fn listen(&self) -> io::Result<OwnedFd> {
        let flags = SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, self.port))?;
        rustix::net::listen(&socket, 1024)?;
        Ok(socket)
    }
}

fn unshare(what: UnshareFlags) -> io::Result<()> {
    // SAFETY: the table of descriptors is not unshared.
    unsafe { rustix::thread::unshare_unsafe(what) }?;
    Ok(())
}

/// Mounts the browser's folder over the temporary folder, in its own mount namespace.
fn mount_as_tmp(folder: &CStr) -> io::Result<()> {
    let shown = c"/tmp";
    unshare(UnshareFlags::NEWNS)?;
    rustix::mount::mount_change(c"/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    rustix::mount::mount_bind(folder, shown)?;
    rustix::process::chdir(shown)?;
    Ok(())
}

/// Drops root permanently, groups first: afterwards they cannot be changed.
fn drop_root() -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(OWN_ID), Gid::from_raw(OWN_ID));
    // Of the thread: between fork and exec there is only one.
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(gid, gid, gid)?;
    rustix::thread::set_thread_res_uid(uid, uid, uid)?;
    Ok(())
}

/// Tries the system calls of Chromium's sandbox (namespaces, chroot) in a process that ends at once.
fn try_sandbox() -> io::Result<()> {
    // SAFETY: between fork and exec there is one thread; the child makes two system calls and exits.
    let probe = unsafe {
        let probe = libc::fork();
        if probe == 0 {
            let wanted = UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWNET;
            // Podman's default profile allows namespaces and forbids chroot.
            let made = rustix::thread::unshare_unsafe(wanted).and_then(|()| rustix::process::chroot(c"/"));
            libc::_exit(made.err().map_or(0, Errno::raw_os_error));
        }
        probe
    };
    let Some(probe) = Pid::from_raw(probe).filter(|_| probe > 0) else {
        return Err(io::Error::last_os_error());
    };
    let ended = rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(probe), WaitOptions::empty()))?;
    match ended.and_then(|(_, status)| status.exit_status()) {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(code)),
        None => Err(Errno::CHILD.into()),
    }
}

fn raise_loopback() -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::DGRAM, flags, None)?;
    // SAFETY: `ifreq` is plain data, valid as zeroes, and the type of this request.
    unsafe {
        let mut request: libc::ifreq = mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let raise = rustix::ioctl::Setter::<{ libc::SIOCSIFFLAGS as _ }, libc::ifreq>::new(request);
        Ok(rustix::ioctl::ioctl(&socket, raise)?)
    }
}

fn write_file(path: &CStr, text: &[u8]) -> io::Result<()> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, text)?;
    Ok(())
}
