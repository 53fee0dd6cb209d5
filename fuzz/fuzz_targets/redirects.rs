//! Fuzzes redirect rules: a destination that is a path never leaves the host of the request, and no Location has a user name.
#![no_main]

use domains::redirects::{RedirectRule, RedirectSet};
use libfuzzer_sys::fuzz_target;
use url::Url;

fuzz_target!(|input: (&str, &str, &str, bool)| {
    let (source, destination, request, preserve_query) = input;
    let rule = RedirectRule { source: source.to_owned(), destination: destination.to_owned(), status: 301, preserve_query };
    let Ok(set) = RedirectSet::compile(&[rule], &["shop.test", "www.shop.test"]) else { return };
    let Ok(mut url) = Url::parse("https://shop.test/") else { return };
    let (path, query) = request.split_once('?').unwrap_or((request, ""));
    url.set_path(path);
    url.set_query((!query.is_empty()).then_some(query));

    if let Some(redirect) = set.find(&url) {
        assert!(matches!(redirect.location.scheme(), "http" | "https"));
        assert!(redirect.location.username().is_empty() && redirect.location.password().is_none());
        if destination.starts_with('/') {
            assert_eq!(redirect.location.host_str(), Some("shop.test"));
        }
    }
});
