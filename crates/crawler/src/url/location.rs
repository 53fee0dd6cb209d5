//! Addresses in response headers (`Location`, `Refresh`) as browsers read them. Pure. Used by whatever stands between a browser
//! and a site's own server.

use percent_encoding::{AsciiSet, percent_encode};
use url::{Position, Url};

use super::origin_host::split_authority;

/// Bytes that are no ASCII are escaped always, whatever character set they are of.
const NOT_ASCII: AsciiSet = AsciiSet::EMPTY;

/// Returns the text of an address in a header: bytes that are no ASCII are escaped, as browsers escape them.
pub fn header_address(value: &[u8]) -> String {
    percent_encode(value, &NOT_ASCII).to_string()
}

/// Returns path, query and fragment of an address that leads to a site's own server. None: the address is relative, or leads
/// elsewhere.
///
/// The address is read as browsers read it: blanks around it, tabs, backslashes, letters of any case, user information. `origin`
/// is the server's host and perhaps port; the ports of http and https count as its own too.
pub fn path_at_origin(address: &[u8], scheme: &str, origin: &str) -> Option<String> {
    // Nobody has this name: an address without a host of its own ends up there.
    let base = Url::parse(&format!("{scheme}://relative.invalid/")).ok()?;
    let url = base.join(&header_address(address)).ok()?;
    let host = url.host_str().filter(|_| matches!(url.scheme(), "http" | "https"))?;
    let (origin_host, origin_port) = split_authority(origin);
    let is_origin = host.strip_suffix('.').unwrap_or(host).eq_ignore_ascii_case(origin_host)
        && (matches!(url.port(), None | Some(80 | 443)) || url.port() == origin_port);
    is_origin.then(|| url[Position::BeforePath..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(address: &[u8]) -> Option<String> {
        path_at_origin(address, "https", "app.host.example:8443")
    }

    #[test]
    fn every_spelling_of_an_address_of_the_server_is_known() {
        for (address, expected) in [
            (&b"https://app.host.example:8443/cart?x=1#top"[..], "/cart?x=1#top"),
            (b"http://app.host.example/cart?x=1#top", "/cart?x=1#top"),
            (b"//app.host.example:8443/cart?x=1#top", "/cart?x=1#top"),
            (b"HTTPS://APP.Host.Example:443/cart", "/cart"),
            (b"http://app.host.example:80", "/"),
            (b"https://app.host.example.?q", "/?q"),
            (b"  https://app.host.example/a b ", "/a%20b"),
            (b"https://app.host.example/a\tb", "/ab"),
            (b"ht\ttps://app.host.example/a", "/a"),
            (b"https:\\\\app.host.example\\cart", "/cart"),
            (b"\\/app.host.example/cart", "/cart"),
            (b"https:////app.host.example/cart", "/cart"),
            (b"https://user:secret@app.host.example/cart", "/cart"),
            (b"https://app.host.ex%61mple/cart", "/cart"),
            (b"https://app.host.example/caf\xc3\xa9?q=\xc3\xa9#\xc3\xa9", "/caf%C3%A9?q=%C3%A9#%C3%A9"),
            (b"https://app.host.example/caf\xe9", "/caf%E9"),
        ] {
            assert_eq!(path(address).as_deref(), Some(expected), "{}", String::from_utf8_lossy(address));
        }
    }

    #[test]
    fn relative_and_other_addresses_are_left_alone() {
        for address in [
            &b"/cart"[..],
            b"cart",
            b"?q=1",
            b"",
            b"/caf\xe9 au lait",
            b"https:cart",
            b"https://elsewhere.example/cart",
            b"https://app.host.example:9999/cart",
            b"https://app.host.example@elsewhere.example/",
            b"https://xapp.host.example/",
            b"mailto:a@app.host.example",
            b"ftp://app.host.example/",
            b"https://relative.invalid/cart",
            b"https://",
            b"https://caf\xe9.app.host.example/",
        ] {
            assert_eq!(path(address), None, "{}", String::from_utf8_lossy(address));
        }
    }

    #[test]
    fn a_host_in_its_own_script_is_its_a_labels() {
        let found = path_at_origin("https://BÜCHER.example/a".as_bytes(), "https", "xn--bcher-kva.example");

        assert_eq!(found.as_deref(), Some("/a"));
    }
}
