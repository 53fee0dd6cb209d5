//! Headers of an answer with a page. Pure; shared by the render endpoint, its fast path and the edge.

use http::header::{CACHE_CONTROL, ETAG, LAST_MODIFIED, LOCATION, VARY};
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::model::PageResponse;
use domains::Site;
use platform::api::header_names::{RENDER_CACHE, RENDER_PARTIAL, SNAPSHOT_KEY};

/// Request headers that a cache in front of the endpoint must distinguish, with the API key so that pages cannot cross accounts.
const VARY_ON: &str = "accept, user-agent, sec-fetch-dest, sec-fetch-mode, x-service-api-key, authorization";

/// Returns the headers of an answer of the render endpoint.
pub fn page_headers(site: &Site, target: &Url, response: &PageResponse) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(10);
    headers.extend(response.page.headers.clone());
    headers.insert(VARY, HeaderValue::from_static(VARY_ON));
    headers.insert(RENDER_CACHE, HeaderValue::from_static(response.tier.as_str()));
    headers.insert(CACHE_CONTROL, cache_control(response));
    insert_text(&mut headers, ETAG, Some(response.etag()));
    insert_text(&mut headers, LAST_MODIFIED, Some(&response.page.created_at.http_date()));
    insert_text(&mut headers, LOCATION, response.page.location.as_deref());
    insert_text(&mut headers, SNAPSHOT_KEY, response.snapshot_key.as_deref());
    if response.page.partial {
        headers.insert(RENDER_PARTIAL, HeaderValue::from_static("1"));
    }
    // A server error is not a page of the customer, whose headers are for published pages.
    if response.page.status < 500 {
        site.apply_headers(target, &mut headers);
    }
    response.insert_format(&mut headers);
    headers
}

fn cache_control(response: &PageResponse) -> HeaderValue {
    if !response.page.is_storable() {
        return HeaderValue::from_static("no-store");
    }
    let seconds = response.max_age.as_secs();
    let text = format!("public, max-age={seconds}, s-maxage={seconds}");
    HeaderValue::from_str(&text).expect("digits and letters")
}

fn insert_text(headers: &mut HeaderMap, name: HeaderName, text: Option<&str>) {
    if let Some(value) = text.and_then(|text| HeaderValue::from_str(text).ok()) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use bytes::Bytes;

    use super::*;
    use crate::model::{RenderedPage, Tier};
    use domains::Settings;
    use domains::headers::{HeaderField, HeaderRule};
    use domains::testing::site;
    use platform::clock::Timestamp;

    fn response(status: u16, partial: bool) -> PageResponse {
        let created_at = Timestamp::from_millis(0);
        let page = RenderedPage {
            status,
            location: None,
            html: Bytes::new(),
            etag: "W/\"e\"".into(),
            headers: HeaderMap::new(),
            problems: Vec::new(),
            partial,
            created_at,
        };
        PageResponse {
            tier: Tier::Miss,
            page: Arc::new(page),
            markdown: None,
            snapshot_key: None,
            max_age: Duration::from_secs(90),
        }
    }

    fn headers(response: &PageResponse) -> HeaderMap {
        let rule = HeaderRule {
            path_pattern: "/blog/*".into(),
            headers: vec![HeaderField { name: "x-robots-tag".into(), value: "noarchive".into() }],
        };
        let site =
            site("shop.example", Settings { custom_response_headers: vec![rule], ..Settings::default() });
        page_headers(&site, &Url::parse("https://shop.example/blog/a").expect("an address"), response)
    }

    #[test]
    fn a_page_says_how_long_it_keeps_and_what_it_is() {
        let found = headers(&response(200, false));

        assert_eq!(found["cache-control"], "public, max-age=90, s-maxage=90");
        assert_eq!(found["etag"], "W/\"e\"");
        assert_eq!(found["content-type"], "text/html; charset=utf-8");
        assert_eq!(found["x-service-render-cache"], "miss");
        assert_eq!(found.get("x-service-snapshot-key"), None);
        assert_eq!(found.get("x-service-render-partial"), None);
    }

    #[test]
    fn the_key_of_the_snapshot_and_the_target_of_a_redirect_are_told() {
        let mut redirect = response(301, false);
        redirect.snapshot_key = Some("snapshots/d/k/c.html.zst".into());
        redirect.page = Arc::new(RenderedPage {
            location: Some("https://shop.example/b".into()),
            ..RenderedPage::clone(&redirect.page)
        });

        let found = headers(&redirect);

        assert_eq!(found["location"], "https://shop.example/b");
        assert_eq!(found["x-service-snapshot-key"], "snapshots/d/k/c.html.zst");
    }

    #[test]
    fn what_is_partial_or_failed_is_not_kept_by_anybody() {
        assert_eq!(headers(&response(200, true))["cache-control"], "no-store");
        assert_eq!(headers(&response(200, true))["x-service-render-partial"], "1");
        assert_eq!(headers(&response(503, false))["cache-control"], "no-store");
    }

    #[test]
    fn custom_headers_are_for_pages_and_not_for_failures() {
        assert_eq!(headers(&response(404, false))["x-robots-tag"], "noarchive");
        assert_eq!(headers(&response(502, false)).get("x-robots-tag"), None);
    }
}
