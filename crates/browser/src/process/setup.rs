//! What becomes of the child between fork and exec: a memory cgroup, namespaces of its own, a user without rights.
//! Used when a browser is started. Must make system calls only, on data that was made before the fork: no allocation, no locks.

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

/// Where a browser with a user of its own sees its folder: where that lies it may not look.
pub(super) const FOLDER: &str = "/tmp";
/// The user and group of browsers that root starts: nobody else's on any system that keeps to the usual ranges.
pub(super) const OWN_ID: u32 = 60_700;
/// How far browsers stand back (`nice`) when everybody wants the processors: what is in memory is served first, and pages that
/// somebody renders in masses slow down each other. See docs/decisions/0115.
const NICE: i32 = 10;

/// What the child does between fork and exec. Everything is made beforehand: only system calls are allowed there.
pub(super) struct ChildSetup {
    pub namespace: Option<Namespace>,
    pub cgroup: Option<File>,
    pub parent: Pid,
    /// The folder of a browser that gets a user of its own.
    pub own_user: Option<CString>,
    /// Fail where Chromium's sandbox would.
    pub needs_sandbox: bool,
}

pub(super) struct Namespace {
    pub port: u16,
    pub listener_sender: UnixStream,
    pub uid_map: String,
    pub gid_map: String,
}

impl ChildSetup {
    /// Runs in the child, just before it becomes the browser.
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
        // Last, because a change of credentials clears it.
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if rustix::process::getppid() != Some(self.parent) {
            return Err(Errno::SRCH.into());
        }
        Ok(())
    }
}

impl Namespace {
    /// Leaves the machine's network: directly when allowed, else through a user namespace in which it is allowed.
    fn enter(&self) -> io::Result<()> {
        if unshare(UnshareFlags::NEWNET).is_err() {
            unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET)?;
            write_file(c"/proc/self/setgroups", b"deny")?;
            write_file(c"/proc/self/uid_map", self.uid_map.as_bytes())?;
            write_file(c"/proc/self/gid_map", self.gid_map.as_bytes())?;
        }
        raise_loopback()
    }

    /// Listens on every address of the namespace's loopback: the address that is dialled says which tab it is.
    fn listen(&self) -> io::Result<OwnedFd> {
        let flags = SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, self.port))?;
        rustix::net::listen(&socket, 1024)?;
        Ok(socket)
    }
}

fn unshare(what: UnshareFlags) -> io::Result<()> {
    // SAFETY: the table of descriptors is not among what is unshared.
    unsafe { rustix::thread::unshare_unsafe(what) }?;
    Ok(())
}

/// Shows the browser its own folder in place of everybody's temporary one, in a mount namespace of its own.
fn mount_as_tmp(folder: &CStr) -> io::Result<()> {
    let shown = c"/tmp";
    unshare(UnshareFlags::NEWNS)?;
    rustix::mount::mount_change(c"/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    rustix::mount::mount_bind(folder, shown)?;
    rustix::process::chdir(shown)?;
    Ok(())
}

/// Gives up root for good, groups first: afterwards nothing may be changed.
fn drop_root() -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(OWN_ID), Gid::from_raw(OWN_ID));
    // Of the thread, which is the only one between fork and exec.
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(gid, gid, gid)?;
    rustix::thread::set_thread_res_uid(uid, uid, uid)?;
    Ok(())
}

/// Does what Chromium's sandbox does (namespaces, another root), in a process that ends at once.
fn try_sandbox() -> io::Result<()> {
    // SAFETY: between fork and exec there is one thread; the child makes two system calls and ends.
    let probe = unsafe {
        let probe = libc::fork();
        if probe == 0 {
            let wanted = UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWNET;
            // Podman's default profile allows namespaces and refuses the change of root.
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
    // SAFETY: `ifreq` is plain data for which zeroes are valid, and what this request takes.
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
