//! Untrusted addresses: parsing, the site that an address belongs to, and equality of pages.
//! Used wherever a URL or a domain enters. Pure: no DNS, no network, no settings.

mod cache_key;
mod hostname;
mod origin_host;
mod public_address;
mod static_asset;

use ::url::{Host, Url};
use http::HeaderValue;
use percent_encoding::{AsciiSet, percent_encode};

pub use cache_key::{ESCAPED_FRAGMENT, bare_host, cache_key, canonical, escaped_fragment, is_tracking_param};
pub use hostname::{host_name, is_public_suffix, is_same_site, registrable_domain, www_twin};
pub use origin_host::{BadOriginHost, OriginHost};
pub use public_address::{PublicAddress, authority_of};
pub use static_asset::is_static_asset;

/// Empty set of ASCII characters to escape; bytes outside ASCII are always escaped.
const NON_ASCII: &AsciiSet = &AsciiSet::EMPTY;

/// Reason why a text is not an address that can be fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Longer than the limit.
    #[error("the URL is longer than {max_bytes} bytes")]
    TooLong {
        /// The limit.
        max_bytes: usize,
    },
    /// Does not begin with `http://` or `https://`.
    #[error("the URL must begin with http:// or https://")]
    NotHttp,
    /// Carries `user:password@`.
    #[error("the URL must not carry a user name or password")]
    Userinfo,
    /// The host is neither a host name nor an IP address.
    #[error("the URL's host is not a valid host name")]
    BadHost,
    /// Control characters, a port out of range and the like.
    #[error("the URL is malformed")]
    Malformed,
}

/// Reads the address of a page: absolute, `http` or `https`, without userinfo, with a host that can exist.
///
/// Host names come out as lower-case A-labels without a final dot. Names of one label pass: an operator may define them
/// (`network.hosts`), and the network refuses all others.
pub fn parse_target(text: &str, max_bytes: usize) -> Result<Url, TargetError> {
    if text.len() > max_bytes {
        return Err(TargetError::TooLong { max_bytes });
    }
    // The URL parser drops tabs and line breaks silently: what was checked would not be what is fetched.
    if text.bytes().any(|b| b.is_ascii_control()) {
        return Err(TargetError::Malformed);
    }
    let text = text.trim_matches(' ');
    let scheme_end = text.find("://").ok_or(TargetError::NotHttp)?;
    if !["http", "https"].iter().any(|scheme| text[..scheme_end].eq_ignore_ascii_case(scheme)) {
        return Err(TargetError::NotHttp);
    }
    let rest = &text[scheme_end + 3..];
    let authority = &rest[..rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len())];
    if authority.is_empty() {
        return Err(TargetError::BadHost);
    }
    if authority.contains('@') {
        return Err(TargetError::Userinfo);
    }

    let mut url = Url::parse(text).map_err(|error| match error {
        ::url::ParseError::InvalidPort | ::url::ParseError::Overflow => TargetError::Malformed,
        _ => TargetError::BadHost,
    })?;
    if url.port() == Some(0) {
        return Err(TargetError::Malformed);
    }
    if let Some(Host::Domain(name)) = url.host() {
        let name = name.strip_suffix('.').unwrap_or(name).to_owned();
        if !hostname::has_valid_labels(&name) {
            return Err(TargetError::BadHost);
        }
        url.set_host(Some(&name)).map_err(|_| TargetError::BadHost)?;
    }
    Ok(url)
}

/// Resolves the value of a `Location` header. Returns `None` when it is not an address.
///
/// Bytes outside ASCII are escaped one by one, as in browsers: the server gets the bytes of its own encoding back.
pub fn join_location(from: &Url, location: &HeaderValue) -> Option<Url> {
    from.join(header_address(location.as_bytes()).trim()).ok()
}

/// Returns the text of an address in a header: bytes outside ASCII are escaped, as browsers escape them.
fn header_address(value: &[u8]) -> String {
    percent_encode(value, NON_ASCII).to_string()
}

/// Returns a URL for logs: without query and fragment, which may carry private data.
pub fn without_query(url: &Url) -> &str {
    &url[..::url::Position::AfterPath]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<String, TargetError> {
        parse_target(text, 8192).map(String::from)
    }

    #[test]
    fn an_absolute_http_address_is_brought_to_its_usual_form() {
        let cases = [
            ("https://shop.example", "https://shop.example/"),
            ("HTTPS://Shop.Example:443/A/../b?q=1#top", "https://shop.example/b?q=1#top"),
            ("http://shop.example.:8080/x", "http://shop.example:8080/x"),
            ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
            (" https://shop.example/a b ", "https://shop.example/a%20b"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("http://[::1]:3000/", "http://[::1]:3000/"),
            ("http://intranet/", "http://intranet/"),
            ("https://shop.example/?next=user@host", "https://shop.example/?next=user@host"),
        ];

        for (text, url) in cases {
            assert_eq!(parse(text).as_deref(), Ok(url), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        let cases = [
            ("", TargetError::NotHttp),
            ("/relative", TargetError::NotHttp),
            ("//shop.example/", TargetError::NotHttp),
            ("shop.example/page", TargetError::NotHttp),
            ("https:shop.example", TargetError::NotHttp),
            ("ftp://shop.example/", TargetError::NotHttp),
            ("file:///etc/passwd", TargetError::NotHttp),
            ("data:text/html,x://", TargetError::NotHttp),
            ("javascript://shop.example/%0aalert(1)", TargetError::NotHttp),
            ("view-source:https://shop.example/", TargetError::NotHttp),
            ("https://user:pass@shop.example/", TargetError::Userinfo),
            ("https://@shop.example/", TargetError::Userinfo),
            ("https://own.example@shop.example/", TargetError::Userinfo),
            ("https://", TargetError::BadHost),
            ("https:///shop.example", TargetError::BadHost),
            ("https://-a.example/", TargetError::BadHost),
            ("https://a..example/", TargetError::BadHost),
            ("https://a_b.example/", TargetError::BadHost),
            ("https://256.1.1.1/", TargetError::BadHost),
            ("https://[::1%25eth0]/", TargetError::BadHost),
            ("https://shop.example:99999/", TargetError::Malformed),
            ("https://shop.example:0/", TargetError::Malformed),
            ("https://shop.example:x/", TargetError::Malformed),
            ("https://shop\t.example/", TargetError::Malformed),
            ("https://shop.example/\r\nX: y", TargetError::Malformed),
            ("https://shop.example/\0", TargetError::Malformed),
        ];

        for (text, error) in cases {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn the_length_is_counted_in_bytes_before_anything_else() {
        let url = format!("https://shop.example/{}", "ü".repeat(100));

        assert_eq!(parse_target(&url, url.len() - 1), Err(TargetError::TooLong { max_bytes: url.len() - 1 }));
        assert!(parse_target(&url, url.len()).is_ok());
    }

    proptest! {
        #[test]
        fn nothing_panics_and_what_is_accepted_is_stable(text in "(https?://)?[ -~äß①]{0,60}") {
            if let Ok(url) = parse_target(&text, 8192) {
                prop_assert_eq!(parse_target(url.as_str(), 65536), Ok(url.clone()));
                prop_assert!(url.username().is_empty() && url.password().is_none());
                prop_assert_eq!(cache_key(&url), cache_key(&url));
            }
        }
    }
}
