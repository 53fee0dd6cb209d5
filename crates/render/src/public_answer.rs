//! Public form of a page's response: addresses under the public host, and the status. Pure.

use crawler::url::{OriginHost, PublicAddress, authority_of};
use url::Url;

use domains::Site;

/// Returns the public form of an address in a page's response. The origin may not know the public host, so an address on the
/// origin host is changed to the public one. Every other address is returned unchanged.
pub fn public_address(site: &Site, page: &Url, address: &str) -> String {
    let is_public = page.host_str().is_some_and(|host| site.owns_host(host));
    let authority = if is_public { authority_of(page) } else { &site.domain.host };
    let origin = site.domain.settings.origin_host.as_ref().map(OriginHost::as_str);
    let public = origin.map(|origin| PublicAddress { origin, scheme: page.scheme(), authority });
    public.and_then(|public| public.of_address(address.as_bytes())).unwrap_or_else(|| address.to_owned())
}

/// Returns the status that is answered for a page: 200 for every success, and for every status that a page cannot have.
pub fn public_status(status: u16, has_location: bool) -> u16 {
    match status {
        300..=399 if has_location && status != 304 => status,
        400..=599 => status,
        _ => 200,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domains::Settings;
    use domains::testing::site;

    #[test]
    fn a_redirect_of_the_origin_to_itself_is_told_under_the_public_name() {
        let settings = Settings { origin_host: "app.host.test:8080".parse().ok(), ..Settings::default() };
        let site = site("shop.example", settings);
        let page = Url::parse("https://www.shop.example/a").expect("an address");
        let told = |address: &str| public_address(&site, &page, address);

        assert_eq!(told("https://app.host.test/b?c=d"), "https://www.shop.example/b?c=d");
        assert_eq!(told("http://app.host.test:8080/b"), "https://www.shop.example/b");
        assert_eq!(told("//APP.host.test/b"), "https://www.shop.example/b");
        for other in
            ["https://elsewhere.test/b", "https://app.host.test:9/b", "/b?c", "b", "", "https://[bad"]
        {
            assert_eq!(told(other), other);
        }
    }

    #[test]
    fn every_success_is_200_and_so_is_a_status_that_no_page_can_have() {
        for status in [200, 201, 204, 206, 0, 100, 304, 700] {
            assert_eq!(public_status(status, true), 200, "{status}");
        }
        assert_eq!(public_status(302, false), 200);
        for status in [301, 302, 307, 308, 404, 410, 429, 503] {
            assert_eq!(public_status(status, true), status);
        }
    }
}
