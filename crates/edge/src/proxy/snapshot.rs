//! Responses of the edge with a snapshot: headers, conditional requests, compression. Pure except for cached compressed forms.
//! Must never let a cache in front of the edge serve a crawler's page to a person.

use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LAST_MODIFIED, LOCATION, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use url::Url;

use super::body::{self, EdgeBody};
use super::encoding::Forms;
use super::headers;
use domains::Site;
use platform::api::header_names::{CDN_CACHE_CONTROL, RENDER_CACHE, RENDER_PARTIAL};
use platform::api::validators::matches_etag;
use render::model::PageResponse;

/// The parts of a request that the response with a page depends on.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// GET or HEAD.
    pub method: &'a Method,
    /// Headers of the request.
    pub headers: &'a HeaderMap,
    /// Requested address.
    pub target: &'a Url,
}

/// Returns the response with a page.
pub async fn respond(
    asking: Asking<'_>,
    site: &Site,
    found: &PageResponse,
    forms: &Forms,
) -> Response<EdgeBody> {
    let page = &found.page;
    let status = StatusCode::from_u16(page.status).unwrap_or(StatusCode::OK);
    let mut headers = page_headers(site, asking.target, found);
    let has_not_changed =
        status == StatusCode::OK && !page.partial && matches_etag(asking.headers, found.etag());
    if has_not_changed {
        headers.remove(CONTENT_TYPE);
        return finish(StatusCode::NOT_MODIFIED, headers, body::empty());
    }
    let (bytes, encoding) = forms.of(found.etag(), found.body(), asking.headers).await;
    if let Some(encoding) = encoding {
        headers.insert(CONTENT_ENCODING, encoding.header());
    }
    if *asking.method == Method::HEAD {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        return finish(status, headers, body::empty());
    }
    finish(status, headers, body::full(bytes))
}

fn page_headers(site: &Site, target: &Url, found: &PageResponse) -> HeaderMap {
    let page = &found.page;
    let mut headers = HeaderMap::with_capacity(12);
    headers.extend(page.headers.clone());
    if page.status < 500 {
        site.apply_headers(target, &mut headers);
    }
    // A customer's cache in front of the edge would otherwise mix up people and crawlers. A custom header must not change these
    // directives, nor address one vendor's cache.
    headers::remove_cache_directives(&mut headers);
    found.insert_format(&mut headers);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(CDN_CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(VARY, HeaderValue::from_static("User-Agent, Accept, Accept-Encoding"));
    headers.insert(RENDER_CACHE, HeaderValue::from_static(found.tier.as_str()));
    insert_text(&mut headers, ETAG, found.etag());
    insert_text(&mut headers, LAST_MODIFIED, &page.created_at.http_date());
    if let Some(location) = &page.location {
        insert_text(&mut headers, LOCATION, location);
    }
    if page.partial {
        headers.insert(RENDER_PARTIAL, HeaderValue::from_static("1"));
    }
    headers
}

fn finish(status: StatusCode, headers: HeaderMap, body: EdgeBody) -> Response<EdgeBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn insert_text(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use bytes::Bytes;
    use http_body_util::BodyExt;

    use super::*;
    use domains::Settings;
    use domains::headers::{HeaderField, HeaderRule};
    use domains::testing::site;
    use platform::clock::Timestamp;
    use render::model::{RenderedPage, Tier};

    fn page_response() -> PageResponse {
        let page = RenderedPage {
            status: 200,
            location: None,
            html: Bytes::from("<p>tea and cake</p>".repeat(100)),
            etag: "W/\"abc\"".into(),
            headers: HeaderMap::new(),
            problems: Vec::new(),
            partial: false,
            created_at: Timestamp::from_millis(784_111_777_000),
        };
        PageResponse {
            tier: Tier::EdgeHit,
            page: Arc::new(page),
            markdown: None,
            snapshot_key: None,
            max_age: Duration::from_secs(90),
        }
    }

    fn with(change: impl FnOnce(&mut RenderedPage)) -> PageResponse {
        let mut changed = page_response();
        change(Arc::make_mut(&mut changed.page));
        changed
    }

    async fn ask(
        method: Method,
        fields: &[(&'static str, &str)],
        found: &PageResponse,
    ) -> Response<EdgeBody> {
        let rule = |headers: &[(&str, &str)]| HeaderRule {
            path_pattern: "/blog/*".into(),
            headers: headers
                .iter()
                .map(|(name, value)| HeaderField { name: (*name).into(), value: (*value).into() })
                .collect(),
        };
        let rules = vec![
            rule(&[
                ("x-robots-tag", "noarchive"),
                ("cache-control", "public, max-age=600"),
                ("cdn-cache-control", "max-age=600"),
                ("cloudflare-cdn-cache-control", "max-age=600"),
            ]),
            rule(&[
                ("surrogate-control", "max-age=600"),
                ("x-accel-expires", "600"),
                ("edge-control", "max-age=600"),
            ]),
        ];
        let site = site("shop.example", Settings { custom_response_headers: rules, ..Settings::default() });
        let target = Url::parse("https://shop.example/blog/a").unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, value.parse().unwrap());
        }
        let asking = Asking { method: &method, headers: &headers, target: &target };
        respond(asking, &site, found, &Forms::default()).await
    }

    async fn bytes(response: Response<EdgeBody>) -> Bytes {
        response.into_body().collect().await.unwrap().to_bytes()
    }

    #[tokio::test]
    async fn a_crawlers_page_is_kept_by_no_cache_on_the_way_whatever_a_custom_header_says() {
        let response = ask(Method::GET, &[], &page_response()).await;

        let headers = response.headers();
        assert_eq!(headers["cache-control"], "no-cache");
        assert_eq!(headers["cdn-cache-control"], "no-store");
        assert_eq!(headers["vary"], "User-Agent, Accept, Accept-Encoding");
        assert_eq!(headers["etag"], "W/\"abc\"");
        assert_eq!(headers["last-modified"], "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(headers["x-service-render-cache"], "edge-hit");
        assert_eq!(headers["x-robots-tag"], "noarchive");
        for name in ["surrogate-control", "x-accel-expires", "edge-control"] {
            assert!(!headers.contains_key(name), "{name}");
        }
        assert!(!headers.contains_key("cloudflare-cdn-cache-control"));
        assert_eq!(bytes(response).await, page_response().page.html);
    }

    #[tokio::test]
    async fn a_crawler_that_has_the_page_gets_a_304() {
        for value in ["W/\"abc\"", "\"abc\"", "\"x\", W/\"abc\"", "*"] {
            let response = ask(Method::GET, &[("if-none-match", value)], &page_response()).await;

            assert_eq!(response.status(), 304, "{value}");
            assert_eq!(response.headers()["etag"], "W/\"abc\"");
            assert!(!response.headers().contains_key("location"));
            assert!(bytes(response).await.is_empty());
        }
        for value in ["\"x\"", "abc", "\"abc", ""] {
            assert_eq!(
                ask(Method::GET, &[("if-none-match", value)], &page_response()).await.status(),
                200,
                "{value}"
            );
        }
    }

    #[tokio::test]
    async fn a_page_that_is_no_success_or_partial_is_never_a_304() {
        let gone = with(|page| page.status = 404);
        let partial = with(|page| page.partial = true);

        assert_eq!(ask(Method::GET, &[("if-none-match", "*")], &gone).await.status(), 404);
        let response = ask(Method::GET, &[("if-none-match", "*")], &partial).await;
        assert_eq!(
            (response.status().as_u16(), response.headers()["x-service-render-partial"].as_bytes()),
            (200, b"1".as_slice())
        );
    }

    #[tokio::test]
    async fn a_head_request_gets_the_same_headers_and_no_body() {
        let response = ask(Method::HEAD, &[], &page_response()).await;

        assert_eq!(response.headers()["content-length"], page_response().page.html.len().to_string());
        assert!(bytes(response).await.is_empty());
    }

    #[tokio::test]
    async fn a_range_is_ignored() {
        let response = ask(Method::GET, &[("range", "bytes=0-99")], &page_response()).await;

        assert_eq!(response.status(), 200);
        assert_eq!(bytes(response).await.len(), page_response().page.html.len());
    }

    #[tokio::test]
    async fn a_client_that_takes_a_compressed_form_gets_one() {
        let response = ask(Method::GET, &[("accept-encoding", "gzip, br")], &page_response()).await;

        assert_eq!(response.headers()["content-encoding"], "br");
        assert!(bytes(response).await.len() < page_response().page.html.len());
    }

    #[tokio::test]
    async fn a_page_that_redirects_says_where_to() {
        let redirect = with(|page| {
            page.status = 302;
            page.location = Some("https://shop.example/b".into());
            page.html = Bytes::new();
        });

        let response = ask(Method::GET, &[], &redirect).await;

        assert_eq!(response.status(), 302);
        assert_eq!(response.headers()["location"], "https://shop.example/b");
    }
}
