//! Addresses that an origin writes, under the name by which the public knows its site. Used by renders. Pure.

use url::Url;

use crate::domains::Site;

/// Turns an address of the origin host into the public one: the origin does not know under which name it was asked. Every
/// other address stays as it is written.
pub fn public_location(site: &Site, location: &str, page: &Url) -> String {
    let is_origin = |host: &str| {
        let origin = site.domain.settings.origin_host.as_ref();
        origin.is_some_and(|origin| host.eq_ignore_ascii_case(origin.host()))
    };
    let of_origin = page.join(location).ok().filter(|url| url.host_str().is_some_and(is_origin));
    let public = page.host_str().filter(|host| site.owns_host(host)).unwrap_or(&site.domain.host);
    let Some(mut url) = of_origin else { return location.to_owned() };
    if url.set_host(Some(public)).is_err() {
        return location.to_owned();
    }
    let _ = url.set_port(page.port());
    // Between the two web schemes the change always works.
    let _ = url.set_scheme(page.scheme());
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::Settings;
    use crate::domains::site::tests::site;

    #[test]
    fn a_redirect_of_the_origin_to_itself_is_told_under_the_public_name() {
        let site = site(
            "shop.example",
            Settings { origin_host: "app.host.test".parse().ok(), ..Settings::default() },
        );
        let page = Url::parse("https://www.shop.example/a").expect("an address");
        let told = |location: &str| public_location(&site, location, &page);

        assert_eq!(told("https://app.host.test/b?c=d"), "https://www.shop.example/b?c=d");
        assert_eq!(told("http://app.host.test:8080/b"), "https://www.shop.example/b");
        assert_eq!(told("//APP.host.test/b"), "https://www.shop.example/b");
        for other in ["https://elsewhere.test/b", "/b?c", "b", "", "https://[bad"] {
            assert_eq!(told(other), other);
        }
    }
}
