//! Responses by which a site's server has no file at a path. Used by the edge, by audits and by readers of `robots.txt`.
//! Pure. Must never take a refusal or a failure for absence.

use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderMap, StatusCode};
use url::Url;

use crate::site::Site;

/// Decides by the origin's response for an address whether the origin has no such file: 404, 410, a redirect to the start
/// page, or HTML where the path does not end in `.html`.
pub fn is_absent(site: &Site, target: &Url, status: StatusCode, headers: &HeaderMap) -> bool {
    match status.as_u16() {
        404 | 410 => true,
        200..=299 => !target.path().ends_with(".html") && is_html(headers),
        301 | 302 | 303 | 307 | 308 => leads_to_start(site, target, headers),
        _ => false,
    }
}

fn is_html(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let essence = media_type.as_deref().and_then(|text| text.split(';').next()).map(str::trim);
    essence.is_some_and(|essence| {
        essence.eq_ignore_ascii_case("text/html") || essence.eq_ignore_ascii_case("application/xhtml+xml")
    })
}

fn leads_to_start(site: &Site, target: &Url, headers: &HeaderMap) -> bool {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let location = location.and_then(|location| target.join(location).ok());
    location.is_some_and(|url| {
        url.path() == "/" && url.query().is_none() && url.host_str().is_some_and(|host| site.owns_host(host))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::testing::site;

    fn absent(path: &str, status: u16, field: (&'static str, &'static str)) -> bool {
        let site = site("shop.example", Settings::default());
        let target = Url::parse("https://shop.example").and_then(|root| root.join(path)).expect("an address");
        let headers = HeaderMap::from_iter([(
            http::HeaderName::from_static(field.0),
            http::HeaderValue::from_static(field.1),
        )]);
        is_absent(&site, &target, StatusCode::from_u16(status).expect("a status"), &headers)
    }

    #[test]
    fn an_origin_has_no_file_where_it_says_so_leads_to_the_start_page_or_answers_with_its_app() {
        let html = ("content-type", "text/html; charset=utf-8");

        assert!(absent("/robots.txt", 404, html) && absent("/google1.html", 410, html));
        assert!(absent("/robots.txt", 200, html) && !absent("/google1.html", 200, html));
        for location in ["/", "https://www.shop.example/", "http://shop.example"] {
            assert!(absent("/robots.txt", 302, ("location", location)), "{location}");
        }
        for location in ["/robots", "/?a=b", "https://elsewhere.example/"] {
            assert!(!absent("/robots.txt", 302, ("location", location)), "{location}");
        }
    }

    #[test]
    fn a_refusal_an_error_and_a_file_are_the_origins_own() {
        for status in [401, 403, 405, 429, 500, 502, 503, 304] {
            assert!(!absent("/robots.txt", status, ("content-type", "text/html")), "{status}");
        }
        assert!(!absent("/robots.txt", 200, ("content-type", "text/plain")));
        assert!(!absent("/robots.txt", 200, ("x-other", "1")));
    }
}
