//! Fuzzes the guard of outgoing connections: whatever it lets through is an address of the public internet.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

fuzz_target!(|input: ([u8; 16], u16, bool)| {
    let (bytes, port, is_v4) = input;
    let ip = match is_v4 {
        true => IpAddr::from([bytes[0], bytes[1], bytes[2], bytes[3]]),
        false => IpAddr::from(Ipv6Addr::from(bytes)),
    };
    if crawler::Guard::default().check(SocketAddr::new(ip, port)).is_err() {
        return;
    }
    match ip.to_canonical() {
        IpAddr::V4(v4) => assert!(
            !(v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_unspecified())
                && !(v4.is_broadcast() || v4.is_multicast() || v4.is_documentation())
        ),
        IpAddr::V6(v6) => {
            assert!(!(v6.is_loopback() || v6.is_unspecified() || v6.is_multicast()));
            assert!(!(v6.is_unique_local() || v6.is_unicast_link_local()));
        }
    }
});
