//! The page as its own server sends it. Used by the work of views. Fetches only through the guard.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use url::Url;

use domains::Site;
use domains::origin::OriginClient;
use platform::api::header_names::X_FORWARDED_PROTO;

/// Time for the whole page.
const TIMEOUT: Duration = Duration::from_secs(15);

/// A page as it was sent.
#[derive(Debug)]
pub struct RawPage {
    pub status: u16,
    pub final_url: Url,
    pub html: Bytes,
    pub content_type: String,
}

/// Fetches a page without a browser. None: it does not come, is too large, or is not HTML.
pub async fn fetch(origins: &OriginClient, site: &Site, url: &Url, most_bytes: usize) -> Option<RawPage> {
    let asked = origins.address(site, url);
    let mut request = origins.question(asked.clone(), TIMEOUT);
    request.max_body_bytes = most_bytes as u64;
    // As the edge does: asked in the clear, a server may redirect to https unless it hears that the page is.
    request.headers.insert(X_FORWARDED_PROTO, HeaderValue::try_from(url.scheme()).ok()?);
    let fetched = origins.fetcher().fetch(request).await.ok()?;
    let content_type = fetched
        .headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("text/html")
        .to_owned();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !["text/html", "application/xhtml+xml"].iter().any(|html| media_type.eq_ignore_ascii_case(html)) {
        return None;
    }
    let mut final_url = fetched.url;
    // The origin host is asked under the domain's name.
    if final_url.origin() == asked.origin() && asked.origin() != url.origin() {
        let _ = final_url.set_scheme(url.scheme());
        let _ = final_url.set_host(url.host_str());
        let _ = final_url.set_port(url.port());
    }
    let status = fetched.status.as_u16();
    let html = fetched.body.bytes().await.ok()?;
    Some(RawPage { status, final_url, html, content_type })
}
