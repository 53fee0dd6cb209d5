//! Response of an address to a new visitor: one request without cookies, of which only the head is read.
//! Used by visits to confirm a redirect. Must never send a request after the render, nor bypass the guard.

use std::time::Duration;

use crawler::url::join_location;
use http::header::{ACCEPT, ACCEPT_LANGUAGE, CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderName, Request, StatusCode};
use http_body_util::{BodyExt, Empty};
use url::Url;

use super::Egress;
use super::endpoint::Traffic;
use super::forward::{Address, add_own_headers, rewrite_request, route_of, target_of};

/// Timeout of the response.
const PROBE_LIMIT: Duration = Duration::from_secs(2);

/// Kind of the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Probed {
    Page,
    /// Redirect to this absolute address.
    Redirect(String),
    /// Nothing that a browser window shows: no content, a download, a type other than HTML.
    NotShown,
    /// Status 4xx or 5xx.
    Error,
    /// No response in time.
    Unknown,
}

impl Egress {
    /// Requests `url` as a new visitor.
    pub async fn probe(&self, traffic: &Traffic, url: &Url, user_agent: &str) -> Probed {
        tokio::time::timeout(PROBE_LIMIT, self.probe_now(traffic, url, user_agent))
            .await
            .ok()
            .flatten()
            .unwrap_or(Probed::Unknown)
    }

    async fn probe_now(&self, traffic: &Traffic, url: &Url, user_agent: &str) -> Option<Probed> {
        if traffic.is_over_limit() {
            return None;
        }
        let page = Address {
            https: url.scheme() == "https",
            host: url.host_str()?.to_owned(),
            port: url.port_or_known_default()?,
        };
        let route = route_of(traffic, &page.host);
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let target = target_of(&page, route, path, &self.shared)?;
        let body = Empty::new().map_err(|never| match never {}).boxed_unsync();
        let mut request = Request::get(target.clone())
            .header(ACCEPT, "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
            .header(ACCEPT_LANGUAGE, "en-US")
            .header(USER_AGENT, user_agent)
            .body(body)
            .ok()?;
        rewrite_request(&mut request, target, &page, route);
        add_own_headers(request.headers_mut(), traffic, &page);
        let response = self
            .shared
            .upstream
            .send(request)
            .await
            .inspect_err(|error| tracing::debug!(url = crawler::url::without_query(url), %error, "a redirect's target could not be requested"))
            .ok()?;
        Some(result_of(response.status(), response.headers(), url))
    }
}

fn result_of(status: StatusCode, headers: &HeaderMap, url: &Url) -> Probed {
    let text = |name: HeaderName| {
        let value = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        value.trim().to_ascii_lowercase()
    };
    if status.is_redirection() {
        let onwards = headers.get(LOCATION).and_then(|location| join_location(url, location));
        return onwards.map_or(Probed::Unknown, |onwards| Probed::Redirect(onwards.into()));
    }
    if !status.is_success() {
        return Probed::Error;
    }
    let is_html =
        ["text/html", "application/xhtml+xml"].iter().any(|html| text(CONTENT_TYPE).starts_with(html));
    let is_empty = matches!(status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT);
    if is_empty || !is_html || text(CONTENT_DISPOSITION).starts_with("attachment") {
        return Probed::NotShown;
    }
    Probed::Page
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn at(status: u16, headers: &[(HeaderName, &'static str)]) -> Probed {
        let headers =
            headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect();
        result_of(StatusCode::from_u16(status).unwrap(), &headers, &"https://shop.test/a/b".parse().unwrap())
    }

    #[test]
    fn only_html_that_a_window_shows_is_a_page() {
        let html = (CONTENT_TYPE, "Text/HTML; charset=utf-8");

        assert_eq!(at(200, std::slice::from_ref(&html)), Probed::Page);
        assert_eq!(at(204, std::slice::from_ref(&html)), Probed::NotShown);
        assert_eq!(at(200, &[html.clone(), (CONTENT_DISPOSITION, "Attachment")]), Probed::NotShown);
        assert_eq!(at(200, &[(CONTENT_TYPE, "application/zip")]), Probed::NotShown);
        assert_eq!(at(404, &[html]), Probed::Error);
    }

    #[test]
    fn a_redirect_leads_to_an_absolute_address() {
        assert_eq!(at(302, &[(LOCATION, "../c?x=1")]), Probed::Redirect("https://shop.test/c?x=1".into()));
        assert_eq!(at(302, &[]), Probed::Unknown);
    }
}
