//! One request of the browser: refused, tunnelled or forwarded. Used by the proxy for plain requests and for requests inside TLS
//! that
//! the proxy has terminated. Must never send a request for an endpoint without a render.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use crawler::connector::ConnectError;
use crawler::errors::causes;
use crawler::hop_by_hop::remove_hop_by_hop;
use crawler::url::PublicAddress;
use http::header::{
    ACCEPT, CONNECTION, CONTENT_LENGTH, HOST, HeaderName, HeaderValue, SET_COOKIE, TRANSFER_ENCODING,
    UPGRADE, UPGRADE_INSECURE_REQUESTS,
};
use http::uri::{Authority, Scheme};
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;

use super::endpoint::{Endpoint, Refused, Traffic};
use super::meter::{Metered, MeteredBody};
use super::own_response::{broken_response, own_response};
use super::trackers::stand_in;
use super::{Shared, tunnel};
use crate::{OriginRoute, OwnHeaders};

pub(super) type Body = UnsyncBoxBody<Bytes, Box<dyn Error + Send + Sync>>;

/// Responds to one request to the proxy.
pub(super) async fn respond(
    request: Request<Incoming>,
    endpoint: Arc<Endpoint>,
    shared: Arc<Shared>,
) -> Result<Response<Body>, Infallible> {
    if request.method() == Method::CONNECT {
        return Ok(tunnel::open(request, endpoint, shared).await);
    }
    let page = match (request.uri().scheme(), request.uri().authority()) {
        (Some(scheme), Some(authority)) if *scheme == Scheme::HTTP => Address {
            https: false,
            host: authority.host().to_owned(),
            port: authority.port_u16().unwrap_or(80),
        },
        _ => return Ok(own_response(StatusCode::BAD_REQUEST)),
    };
    Ok(forward(request, &page, endpoint, &shared).await)
}

/// Scheme, host and port of a page's request, as the page sees them.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub https: bool,
    pub host: String,
    pub port: u16,
}

impl Address {
    fn authority(&self) -> String {
        let default = if self.https { 443 } else { 80 };
        if self.port == default { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }

    fn scheme(&self) -> &'static str {
        if self.https { "https" } else { "http" }
    }
}

/// Forwards a request to the origin of its host, and returns the response.
pub(super) async fn forward(
    mut request: Request<Incoming>,
    page: &Address,
    endpoint: Arc<Endpoint>,
    shared: &Arc<Shared>,
) -> Response<Body> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let url = format!("{}://{}{path}", page.scheme(), page.authority());
    let Some(traffic) = endpoint.traffic() else { return own_response(StatusCode::FORBIDDEN) };
    if traffic.is_over_limit() {
        traffic.block_over_limit(&url);
        return own_response(StatusCode::FORBIDDEN);
    }
    let tracker = traffic.tracker(&page.host);
    if let Some(answer) = tracker.and_then(|tracker| stand_in(tracker, &path, request.headers())) {
        return answer;
    }
    let route = route_of(&traffic, &page.host).cloned();
    let Some(target) = target_of(page, route.as_ref(), &path, shared) else {
        return own_response(StatusCode::BAD_REQUEST);
    };
    let browser_side = hyper::upgrade::on(&mut request);
    let upgrades = wants_upgrade(request.headers());
    rewrite_request(&mut request, target, page, route.as_ref());
    add_own_headers(request.headers_mut(), &traffic, page);

    let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
    let is_document = asks_for_html(request.headers());
    // Sent by navigations only. A script must learn that a response broke off.
    let is_navigation = request.headers().contains_key(UPGRADE_INSECURE_REQUESTS);
    let holds_up = traffic.is_other_site(&page.host) && may_hold_up(&request);
    let answer = tokio::select! {
        answer = shared.upstream.send(request) => answer,
        () = traffic.other_sites_aborted(), if holds_up => {
            traffic.block_unanswered(&url);
            return own_response(StatusCode::GATEWAY_TIMEOUT);
        }
    };
    let mut response = match answer {
        Ok(response) => response,
        Err(error) => {
            let refused = reason_of(&error, &page.host);
            let status = refused.status();
            traffic.refuse(&url, &page.host, page.port, refused);
            return if is_document { own_response(status) } else { broken_response() };
        }
    };
    if response.status() == StatusCode::SWITCHING_PROTOCOLS && upgrades {
        let origin_side = hyper::upgrade::on(&mut response);
        let tunnel_endpoint = endpoint.clone();
        shared.tasks.spawn(async move {
            if let (Ok(browser), Ok(origin)) = tokio::join!(browser_side, origin_side) {
                let origin = Metered::new(TokioIo::new(origin), tunnel_endpoint.clone());
                tunnel::join(TokioIo::new(browser), origin, &tunnel_endpoint).await;
            }
        });
        return response.map(|body| MeteredBody::new(body, endpoint).boxed_unsync());
    }
    if response.headers().contains_key(SET_COOKIE) {
        traffic.record_cookie();
    }
    if response.headers().contains_key(TRANSFER_ENCODING) {
        // A length beside chunks is meaningless. The body was read by its chunks.
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    remove_hop_by_hop(response.headers_mut());
    if let Some(route) = &route {
        show_public_address(response.headers_mut(), route, page);
    }
    if is_navigation {
        response.headers_mut().remove(CONTENT_LENGTH);
        return response.map(|body| MeteredBody::of_document(body, endpoint).boxed_unsync());
    }
    response.map(|body| MeteredBody::new(body, endpoint).boxed_unsync())
}

/// Replaces addresses of the origin by public ones: the page must not learn the name of its origin.
fn show_public_address(headers: &mut HeaderMap, route: &OriginRoute, page: &Address) {
    let (origin, authority) = (route.origin_host.as_str(), &*page.authority());
    if page.https || authority != origin {
        PublicAddress { origin, scheme: page.scheme(), authority }.show_in(headers);
    }
}

fn asks_for_html(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).is_some_and(|accept| accept.as_bytes().starts_with(b"text/html"))
}

/// Returns true for a script or style sheet, which can block the rest of a document.
fn may_hold_up<B>(request: &Request<B>) -> bool {
    let value = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    match value("sec-fetch-dest") {
        Some(destination) => matches!(destination, "script" | "style"),
        // Absent over plain HTTP. There, fetches of other sites have an `Origin`, and documents accept HTML.
        None => {
            request.method() == Method::GET
                && value("origin").is_none()
                && value("accept").is_none_or(|accept| accept == "*/*" || accept.starts_with("text/css"))
        }
    }
}

/// Returns the route of a host in the running render.
pub(super) fn route_of<'a>(traffic: &'a Traffic, host: &str) -> Option<&'a OriginRoute> {
    traffic.route.as_ref().filter(|route| route.hosts.iter().any(|public| public.eq_ignore_ascii_case(host)))
}

/// Returns the headers of a host in the running render.
pub(super) fn own_headers_of<'a>(traffic: &'a Traffic, host: &str) -> Option<&'a OwnHeaders> {
    traffic
        .own_headers
        .as_ref()
        .filter(|own| own.hosts.iter().any(|listed| listed.eq_ignore_ascii_case(host)))
}

/// Adds the headers of the page's own hosts. Headers that the page set are not replaced. See docs/decisions/0208.
pub(super) fn add_own_headers(headers: &mut HeaderMap, traffic: &Traffic, page: &Address) {
    let Some(own) = own_headers_of(traffic, &page.host).filter(|own| page.https || own.plain_http) else {
        return;
    };
    let set: Vec<HeaderName> = headers.keys().cloned().collect();
    let missing = own.headers.iter().filter(|(name, _)| !set.contains(name));
    missing.for_each(|(name, value)| _ = headers.append(name.clone(), value.clone()));
}

/// Returns the address that a request is sent to.
pub(super) fn target_of(
    page: &Address,
    route: Option<&OriginRoute>,
    path: &str,
    shared: &Shared,
) -> Option<Uri> {
    let (authority, tls) = match route {
        Some(route) => (route.origin_host.to_string(), route.tls),
        None => (format!("{}:{}", page.host, page.port), page.https),
    };
    let authority: Authority = authority.parse().ok()?;
    let tls = tls && !shared.upstream.is_plain_http(authority.host());
    // A static host has a port of its own. The authority only keys the connection pool.
    let scheme = if tls { Scheme::HTTPS } else { Scheme::HTTP };
    Uri::builder().scheme(scheme).authority(authority).path_and_query(path).build().ok()
}

/// Rewrites a request of the page into one to its origin.
pub(super) fn rewrite_request<B>(
    request: &mut Request<B>,
    target: Uri,
    page: &Address,
    route: Option<&OriginRoute>,
) {
    let upgrade = request.headers().get(UPGRADE).filter(|_| wants_upgrade(request.headers())).cloned();
    let headers = request.headers_mut();
    remove_hop_by_hop(headers);
    if let Some(upgrade) = upgrade {
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, upgrade);
    }
    let host = route.map_or_else(|| page.authority(), |route| route.origin_host.to_string());
    set(headers, HOST, &host);
    if route.is_some() {
        set(headers, HeaderName::from_static("x-forwarded-host"), &page.authority());
    }
    // Over plain HTTP, a server may redirect to https unless it learns that the page is on https.
    set(headers, HeaderName::from_static("x-forwarded-proto"), page.scheme());
    *request.uri_mut() = target;
    *request.version_mut() = http::Version::HTTP_11;
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

fn wants_upgrade(headers: &HeaderMap) -> bool {
    let lists_upgrade = |value: &HeaderValue| {
        value
            .to_str()
            .is_ok_and(|text| text.split(',').any(|name| name.trim().eq_ignore_ascii_case("upgrade")))
    };
    headers.contains_key(UPGRADE) && headers.get_all(CONNECTION).iter().any(lists_upgrade)
}

/// Finds the network's reason in the chain of a client error.
fn reason_of(error: &(dyn Error + 'static), host: &str) -> Refused {
    let connect = causes(error).find_map(|cause| cause.downcast_ref::<Arc<ConnectError>>());
    if let Some(ConnectError::Network(network)) = connect.map(AsRef::as_ref) {
        return Refused::from(network);
    }
    let last = causes(error).last().map(ToString::to_string).unwrap_or_default();
    Refused::Unreachable(format!("{host}: {last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Address {
        Address { https: true, host: "shop.example".into(), port: 443 }
    }

    fn sent_to(page: &Address, own: &OwnHeaders) -> HeaderMap {
        let mut traffic = Traffic::new("shop.example", 1000);
        traffic.own_headers = Some(own.clone());
        let mut headers = HeaderMap::new();
        add_own_headers(&mut headers, &traffic, page);
        headers
    }

    #[test]
    fn own_headers_are_sent_to_their_hosts_only_and_over_plain_http_only_where_allowed() {
        let headers = vec![("x-staging".parse().unwrap(), HeaderValue::from_static("1"))];
        let encrypted = OwnHeaders { hosts: vec!["shop.example".into()], headers, plain_http: false };
        let anywhere = OwnHeaders { plain_http: true, ..encrypted.clone() };
        let plain = Address { https: false, port: 80, ..page() };
        let other = |host: &str| Address { host: host.into(), ..page() };

        assert_eq!(sent_to(&page(), &encrypted)["x-staging"], "1");
        assert_eq!(sent_to(&other("SHOP.example"), &encrypted).len(), 1);
        assert_eq!(sent_to(&plain, &anywhere).len(), 1);
        assert!(sent_to(&plain, &encrypted).is_empty());
        for host in ["cdn.shop.example", "shop.example.evil.example", "evil.example", "shop.example."] {
            assert!(sent_to(&other(host), &anywhere).is_empty(), "{host}");
        }
    }

    #[test]
    fn only_scripts_and_style_sheets_block_documents() {
        let asked = |headers: &[(&'static str, &'static str)]| {
            let request = headers
                .iter()
                .fold(Request::builder(), |request, (name, value)| request.header(*name, *value));
            may_hold_up(&request.body(()).unwrap())
        };

        assert!(asked(&[("sec-fetch-dest", "script"), ("origin", "https://shop.example")]));
        assert!(asked(&[("accept", "*/*")]) && asked(&[("accept", "text/css,*/*;q=0.1")]));
        assert!(!asked(&[("sec-fetch-dest", "empty"), ("accept", "*/*")]));
        assert!(!asked(&[("accept", "*/*"), ("origin", "http://shop.example")]));
        assert!(!asked(&[("accept", "text/html,application/xhtml+xml")]));
    }
}
