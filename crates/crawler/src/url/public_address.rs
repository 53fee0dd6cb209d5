//! Address of a site's own server in what it answers, and the public address that visitors know. Used by whatever stands between
//! visitors and a site's server: the edge, renders, audits. Pure.

use ::url::{Position, Url};
use http::header::{CONTENT_LOCATION, Entry, LOCATION, REFRESH, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

use super::header_address;
use super::origin_host::split_authority;

/// The public address of a site, as its own server does not know it.
#[derive(Debug, Clone, Copy)]
pub struct PublicAddress<'a> {
    /// Host, and perhaps port, under which the site's own server was asked.
    pub origin: &'a str,
    /// Scheme of the public address.
    pub scheme: &'a str,
    /// Host, and perhaps port, of the public address.
    pub authority: &'a str,
}

impl<'a> PublicAddress<'a> {
    /// Returns the public address of what was asked at an address of the site's own server.
    pub fn of(public: &'a Url, origin: &'a Url) -> PublicAddress<'a> {
        PublicAddress {
            origin: authority_of(origin),
            scheme: public.scheme(),
            authority: authority_of(public),
        }
    }

    /// Returns the public form of an address that leads to the site's own server. None: the address is relative, or leads
    /// elsewhere.
    ///
    /// The address is read as browsers read it: blanks around it, tabs, backslashes, letters of any case, user information. The
    /// ports of http and https count as the server's own too.
    pub fn of_address(&self, address: &[u8]) -> Option<String> {
        // Nobody has this name: an address without a host of its own ends up there.
        let base = Url::parse(&format!("{}://relative.invalid/", self.scheme)).ok()?;
        let url = base.join(&header_address(address)).ok()?;
        let host = url.host_str().filter(|_| matches!(url.scheme(), "http" | "https"))?;
        let (origin_host, origin_port) = split_authority(self.origin);
        let is_origin = host.strip_suffix('.').unwrap_or(host).eq_ignore_ascii_case(origin_host)
            && (matches!(url.port(), None | Some(80 | 443)) || url.port() == origin_port);
        is_origin.then(|| format!("{}://{}{}", self.scheme, self.authority, &url[Position::BeforePath..]))
    }

    /// Turns the server's own address into the public one in `Location`, `Content-Location`, `Refresh` and cookies' `Domain`.
    pub fn show_in(&self, headers: &mut HeaderMap) {
        for name in [LOCATION, CONTENT_LOCATION] {
            let shown = headers.get(&name).and_then(|value| self.of_address(value.as_bytes()));
            if let Some(value) = shown.and_then(|shown| HeaderValue::try_from(shown).ok()) {
                headers.insert(name, value);
            }
        }
        let refresh = headers.get(REFRESH).and_then(|value| self.of_refresh(value.as_bytes()));
        if let Some(value) = refresh {
            headers.insert(REFRESH, value);
        }
        self.show_in_cookies(headers);
    }

    /// Returns the public form of `Refresh`, which is a time and, behind `;` or `,`, an address with or without `url=` and quotes.
    fn of_refresh(&self, refresh: &[u8]) -> Option<HeaderValue> {
        let end = refresh.iter().position(|byte| matches!(byte, b';' | b','))?;
        let (time, rest) = (&refresh[..end], refresh[end + 1..].trim_ascii());
        let named = rest.split_at_checked(3).filter(|(name, _)| name.eq_ignore_ascii_case(b"url"));
        let named = named.and_then(|(_, rest)| rest.trim_ascii_start().strip_prefix(b"="));
        let address = match named.map_or(rest, <[u8]>::trim_ascii_start) {
            [quote @ (b'"' | b'\''), quoted @ ..] => {
                quoted.split(|byte| byte == quote).next().unwrap_or_default()
            }
            plain => plain,
        };
        let shown = self.of_address(address)?;
        HeaderValue::from_bytes(&[time, b"; url=", shown.as_bytes()].concat()).ok()
    }

    /// Turns cookies that the server sets for its own host into cookies of the public one: browsers would refuse them.
    fn show_in_cookies(&self, headers: &mut HeaderMap) {
        let Entry::Occupied(mut cookies) = headers.entry(SET_COOKIE) else { return };
        let origin_host = split_authority(self.origin).0;
        let own = format!(" Domain={}", split_authority(self.authority).0).into_bytes();
        for cookie in cookies.iter_mut() {
            let parts = cookie.as_bytes().split(|byte| *byte == b';').enumerate();
            let is_origins = |at: usize, part: &[u8]| at > 0 && is_domain_of(part, origin_host);
            let parts = parts.map(|(at, part)| if is_origins(at, part) { &own[..] } else { part });
            if let Ok(shown) = HeaderValue::from_bytes(&parts.collect::<Vec<_>>().join(&b';')) {
                *cookie = shown;
            }
        }
    }
}

fn is_domain_of(attribute: &[u8], host: &str) -> bool {
    let Some(end) = attribute.iter().position(|byte| *byte == b'=') else { return false };
    let (name, value) = (attribute[..end].trim_ascii(), attribute[end + 1..].trim_ascii());
    name.eq_ignore_ascii_case(b"domain")
        && value.strip_prefix(b".").unwrap_or(value).eq_ignore_ascii_case(host.as_bytes())
}

/// Returns host and port of an address as they stand in it.
pub fn authority_of(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: PublicAddress<'static> =
        PublicAddress { origin: "app.host.example:8443", scheme: "https", authority: "shop.example" };

    fn path(address: &[u8]) -> Option<String> {
        let shown = SHOP.of_address(address)?;
        Some(shown.strip_prefix("https://shop.example").expect("the public address").to_owned())
    }

    fn shown(name: &'static str, value: &[u8]) -> Vec<u8> {
        let mut headers =
            HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_bytes(value).unwrap())]);
        SHOP.show_in(&mut headers);
        headers[name].as_bytes().to_vec()
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
        let found = PublicAddress { origin: "xn--bcher-kva.example", ..SHOP }
            .of_address("https://BÜCHER.example/a".as_bytes());

        assert_eq!(found.as_deref(), Some("https://shop.example/a"));
    }

    #[test]
    fn a_redirect_to_the_servers_own_address_becomes_one_to_the_public_address() {
        for (location, path) in [
            (&b"https://app.host.example:8443/cart?x=1#top"[..], "/cart?x=1#top"),
            (b"//APP.host.example/cart", "/cart"),
            (b"https://app.host.example/caf\xc3\xa9 au lait", "/caf%C3%A9%20au%20lait"),
            (b"https:\\\\app.host.example\\caf\xe9", "/caf%E9"),
        ] {
            let public = shown("location", location);
            assert_eq!(public, format!("https://shop.example{path}").into_bytes(), "{location:?}");
            assert_eq!(shown("content-location", location), public, "{location:?}");
        }
        for location in [&b"/caf\xe9 au lait"[..], b"https://elsewhere.example/cart"] {
            assert_eq!(shown("location", location), location, "{location:?}");
        }
    }

    #[test]
    fn a_refresh_to_the_servers_own_address_leads_to_the_public_one() {
        for refresh in [
            &b"5; url=https://app.host.example/caf%C3%A9"[..],
            b"5;URL='https://app.host.example/caf\xc3\xa9'",
            b"5, url = \"http://APP.host.example/caf\xc3\xa9\" ",
            b"5; //app.host.example/caf\xc3\xa9",
        ] {
            let public = shown("refresh", refresh);
            assert_eq!(String::from_utf8(public).unwrap(), "5; url=https://shop.example/caf%C3%A9");
        }
        for refresh in [&b"5"[..], b"5; url=/here", b"5; url=https://elsewhere.example/", b"5; url"] {
            assert_eq!(shown("refresh", refresh), refresh);
        }
    }

    #[test]
    fn a_cookie_for_the_servers_host_becomes_one_for_the_public_host_whatever_its_bytes() {
        let mut headers = HeaderMap::new();
        for cookie in [
            &b"a=app.host.example; Path=/; domain=.app.host.example; Secure"[..],
            b"b=2; Path=/",
            b"c=caf\xe9; Domain = APP.host.example",
            b"d=caf\xc3\xa9 au lait; Path=/",
        ] {
            headers.append(SET_COOKIE, HeaderValue::from_bytes(cookie).unwrap());
        }

        SHOP.show_in(&mut headers);

        assert_eq!(
            headers.get_all(SET_COOKIE).iter().map(HeaderValue::as_bytes).collect::<Vec<_>>(),
            [
                &b"a=app.host.example; Path=/; Domain=shop.example; Secure"[..],
                b"b=2; Path=/",
                b"c=caf\xe9; Domain=shop.example",
                b"d=caf\xc3\xa9 au lait; Path=/",
            ]
        );
    }
}
