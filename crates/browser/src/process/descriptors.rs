//! Hands an open descriptor from one process to another. Used when a browser is started: its listener is made in its namespace.
//! Must never take ownership of what it did not receive.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// Room for one descriptor in a control message, aligned as its header must be.
#[repr(C, align(8))]
struct ControlBuffer([u8; 64]);

/// Sends a descriptor over a socket. Makes system calls only.
pub(super) fn send_fd(socket: RawFd, descriptor: RawFd) -> io::Result<()> {
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

/// Receives the descriptor that was sent.
pub(super) fn receive_fd(socket: &UnixStream) -> io::Result<OwnedFd> {
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
