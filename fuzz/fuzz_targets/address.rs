//! Fuzzes the reading of page addresses: an accepted one is http(s), has a host, and keeps its cache key when read again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(url) = crawler::url::parse_target(text, 8192) else { return };
    assert!(matches!(url.scheme(), "http" | "https"));
    assert!(url.host_str().is_some_and(|host| !host.is_empty()));
    assert!(url.username().is_empty() && url.password().is_none());

    let key = crawler::url::cache_key(&url);
    let again = crawler::url::parse_target(url.as_str(), usize::MAX).expect("an accepted address is accepted again");
    assert_eq!(key, crawler::url::cache_key(&again));
    // The key of the key's own address is itself: equal pages stay equal however often they are normalised.
    if let Ok(from_key) = crawler::url::parse_target(&format!("http://{key}"), usize::MAX) {
        assert_eq!(from_key.path(), again_path(&key));
    }
    let _ = crawler::url::escaped_fragment(&url);
});

/// The path part of a cache key.
fn again_path(key: &str) -> &str {
    let path = &key[key.find('/').unwrap_or(key.len())..];
    &path[..path.find('?').unwrap_or(path.len())]
}
