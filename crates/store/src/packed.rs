//! Compression of what is stored in rows and objects. Used by every feature that stores texts; what is read never becomes
//! larger than its reader allows.

use std::io;

/// zstd's own default; levels above cost more time than they save space on documents and their like.
const LEVEL: i32 = 3;

/// Compresses bytes.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, LEVEL).expect("compressing into memory does not fail")
}

/// Decompresses bytes that [`pack`] compressed. Fails for damaged ones, and for those that become more than `most` bytes,
/// before it takes memory for them.
pub fn unpack(packed: &[u8], most: usize) -> io::Result<Vec<u8>> {
    let size = zstd::zstd_safe::get_frame_content_size(packed).ok().flatten();
    match size.and_then(|size| usize::try_from(size).ok()) {
        Some(size) if size <= most => zstd::bulk::decompress(packed, size),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_is_unpacked_within_a_bound_only() {
        let packed = pack(&[b'a'; 5000]);

        let unpacked = [5000, 4999].map(|most| unpack(&packed, most).ok());

        assert_eq!(unpacked, [Some(vec![b'a'; 5000]), None]);
    }

    #[test]
    fn nothing_is_packed_and_unpacked_too() {
        assert_eq!(unpack(&pack(&[]), 0).ok(), Some(Vec::new()));
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let packed = pack(b"{}\n");

        for damaged in [&packed[..packed.len() - 1], &[], b"junk"] {
            assert!(unpack(damaged, 1000).is_err());
        }
    }
}
