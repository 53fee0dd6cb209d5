//! Fuzzes sitemaps: any bytes, packed or not, are read within the limits.
#![no_main]

use crawler::sitemap::parse_sitemap;
use libfuzzer_sys::fuzz_target;

const MAX_BYTES: u64 = 64 * 1024;
const MAX_ENTRIES: usize = 100;

fuzz_target!(|file: &[u8]| {
    let (mut entries, mut bytes) = (0, 0);
    let _ = parse_sitemap(file, MAX_BYTES, MAX_ENTRIES, |listed| {
        entries += 1;
        bytes += listed.loc.len() as u64;
    });
    assert!(entries <= MAX_ENTRIES);
    assert!(bytes <= 4 * MAX_BYTES);
});
