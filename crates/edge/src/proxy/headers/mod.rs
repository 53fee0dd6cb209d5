//! Headers of forwarded requests and responses: removed, added and rewritten, in both directions.
//! Pure. Must never pass on headers of a single connection, nor believe an untrusted peer's claims about the client.

use std::net::IpAddr;

use crawler::hop_by_hop::{HOP_BY_HOP, remove_hop_by_hop};
use crawler::url::PublicAddress;
use http::header::{ALT_SVC, CONNECTION, CONTENT_TYPE, COOKIE, FORWARDED, HOST, UPGRADE, VARY, VIA};
use http::{HeaderMap, HeaderName, HeaderValue, Version};
use ipnet::IpNet;

use platform::api::client::resolve_client;
use platform::api::header_names::{CDN_LOOP, X_FORWARDED_FOR, X_FORWARDED_HOST, X_FORWARDED_PROTO};

/// Headers by which frameworks let a proxy override the request. A client must not set them.
const SPOOFABLE: [&str; 14] = [
    "proxy",
    "x-original-url",
    "x-original-uri",
    "x-original-method",
    "x-original-host",
    "x-rewrite-url",
    "x-forwarded-server",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-scheme",
    "x-forwarded-ssl",
    "x-real-ip",
    "x-host",
    "x-http-host-override",
];

/// Headers in which proxies and networks state the client's address and scheme. Only the operator's proxies may set them.
const CLIENT: [&str; 31] = [
    "x-forwarded-for",
    "x-forwarded-client-cert",
    "forwarded",
    "x-forwarded",
    "forwarded-for",
    "x-original-forwarded-for",
    "x-originating-ip",
    "x-remote-ip",
    "x-remote-addr",
    "x-url-scheme",
    "true-client-ip",
    "client-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "ali-cdn-real-ip",
    "cf-connecting-ip",
    "cf-connecting-ipv6",
    "cf-ipcountry",
    "cf-visitor",
    "cloudfront-viewer-address",
    "fastly-client-ip",
    "fly-client-ip",
    "front-end-https",
    "incap-client-ip",
    "wl-proxy-client-ip",
    "x-appengine-user-ip",
    "x-azure-clientip",
    "x-envoy-external-address",
    "x-nf-client-connection-ip",
    "x-proxyuser-ip",
    "x-vercel-forwarded-for",
];

/// Client, peer and scheme of a request, as far as they can be trusted.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// Address of the connection's peer.
    pub peer: IpAddr,
    /// True when the peer is one of the operator's own proxies.
    pub peer_is_trusted: bool,
    /// Address of the client: the peer, or the address that a trusted proxy names.
    pub client: IpAddr,
    /// True when the client speaks TLS, to us or to a trusted proxy.
    pub https: bool,
}

impl Arrival {
    /// Reads the client and scheme of a request. Believes forwarded-for and -proto of trusted peers only.
    pub fn of(headers: &HeaderMap, peer: IpAddr, tls: bool, trusted: &[IpNet]) -> Arrival {
        let peer = peer.to_canonical();
        let peer_is_trusted = trusted.iter().any(|network| network.contains(&peer));
        let proto = list(headers, &X_FORWARDED_PROTO).next_back().filter(|_| peer_is_trusted);
        let is_secure = |proto: &str| ["https", "wss"].iter().any(|known| proto.eq_ignore_ascii_case(known));
        let https = proto.map_or(tls, is_secure);
        Arrival { peer, peer_is_trusted, client: resolve_client(peer, headers, trusted), https }
    }

    /// Returns `https` or `http`.
    pub fn scheme(&self) -> &'static str {
        if self.https { "https" } else { "http" }
    }
}

/// Returns true when a request asks for a WebSocket. Other upgrades are not forwarded: `h2c` would bypass every rule.
pub fn wants_websocket(headers: &HeaderMap, version: Version) -> bool {
    let is_websocket = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"websocket");
    version == Version::HTTP_11
        && headers.get(UPGRADE).is_some_and(is_websocket)
        && list(headers, &CONNECTION).any(|token| token.eq_ignore_ascii_case("upgrade"))
}

/// Returns true when a request has passed through here before, by this installation's name in `CDN-Loop` or `Via`.
pub fn has_looped(headers: &HeaderMap, own_name: &str) -> bool {
    let is_own = |entry: &str| entry.split([' ', ';']).any(|part| part == own_name);
    list(headers, &CDN_LOOP).any(is_own) || list(headers, &VIA).any(is_own)
}

/// Rewrites a client's headers for the origin.
///
/// `public` is the authority that the client requested, `origin` that of the origin.
pub fn to_origin(
    headers: &mut HeaderMap,
    arrival: &Arrival,
    public: &str,
    origin: &str,
    own_name: &str,
    version: Version,
) {
    remove_hop_by_hop(headers);
    remove_where(headers, |name| is_claim(name, arrival.peer_is_trusted));
    join_cookies(headers);

    let peer = arrival.peer.to_string();
    append(headers, X_FORWARDED_FOR, &peer);
    set(headers, X_FORWARDED_HOST, public);
    set(headers, X_FORWARDED_PROTO, arrival.scheme());
    let node = if arrival.peer.is_ipv6() { format!("\"[{peer}]\"") } else { peer };
    append(headers, FORWARDED, &format!("for={node};host=\"{public}\";proto={}", arrival.scheme()));
    append(headers, VIA, &format!("{} {own_name}", protocol(version)));
    append(headers, CDN_LOOP, own_name);
    set(headers, HOST, origin);
}

/// Returns true for a header in which only a proxy may make its claim.
fn is_claim(name: &str, peer_is_trusted: bool) -> bool {
    if name.contains('_') {
        // CGI and its successors read `X_Forwarded_For` as `X-Forwarded-For`, and cannot tell it from our header.
        let name = name.replace('_', "-");
        return is_claim(&name, false)
            || HOP_BY_HOP.iter().any(|other| other.as_str() == name)
            || name.starts_with("x-forwarded-")
            || matches!(&*name, "host" | "via" | "cdn-loop" | "content-length");
    }
    SPOOFABLE.contains(&name) || !peer_is_trusted && CLIENT.contains(&name)
}

/// Removes headers that would tell a cache in front of us to store a response, vendors' own headers included.
pub fn remove_cache_directives(headers: &mut HeaderMap) {
    remove_where(headers, |name| {
        name.ends_with("cache-control")
            || matches!(name, "surrogate-control" | "edge-control" | "x-accel-expires" | "expires" | "pragma")
    });
}

fn remove_where(headers: &mut HeaderMap, is_meant: impl Fn(&str) -> bool) {
    let names: Vec<HeaderName> = headers.keys().filter(|name| is_meant(name.as_str())).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// Returns true for a response that is an HTML document.
pub fn is_html(headers: &HeaderMap) -> bool {
    let essence = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let essence = essence.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    essence.eq_ignore_ascii_case(b"text/html") || essence.eq_ignore_ascii_case(b"application/xhtml+xml")
}

/// Adds the client's headers to `Vary`, since the response depends on the client.
pub fn vary_by_client(headers: &mut HeaderMap) {
    for name in ["User-Agent", "Accept"] {
        if !list(headers, &VARY).any(|listed| listed == "*" || listed.eq_ignore_ascii_case(name)) {
            append(headers, VARY, name);
        }
    }
}

/// Rewrites an origin's headers for the client: redirects and cookies name the public host.
pub fn from_origin(
    headers: &mut HeaderMap,
    arrival: &Arrival,
    public: &str,
    origin: &str,
    own_name: &str,
    version: Version,
) {
    remove_foreign(headers);
    if !public.eq_ignore_ascii_case(origin) {
        PublicAddress { origin, scheme: arrival.scheme(), authority: public }.show_in(headers);
    }
    append(headers, VIA, &format!("{} {own_name}", protocol(version)));
}

/// Writes the early hints of an origin as an interim response of HTTP/1.1.
pub fn early_hints(origin: &HeaderMap) -> Vec<u8> {
    let mut headers = origin.clone();
    remove_foreign(&mut headers);
    let mut response = b"HTTP/1.1 103 Early Hints\r\n".to_vec();
    for (name, value) in &headers {
        response.extend_from_slice(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    response.extend_from_slice(b"\r\n");
    response
}

/// Removes headers that an origin must not send to our client: those of its connection to us, alternative services (`Alt-Svc`),
/// by which the client would bypass us, and our own headers.
fn remove_foreign(headers: &mut HeaderMap) {
    remove_hop_by_hop(headers);
    headers.remove(ALT_SVC);
    remove_where(headers, |name| name.starts_with("x-service-"));
}

/// Joins the lines of a cookie: HTTP/2 clients may send several, HTTP/1.1 servers read one.
fn join_cookies(headers: &mut HeaderMap) {
    let mut lines = headers.get_all(COOKIE).iter();
    let (Some(first), Some(_)) = (lines.next(), lines.next()) else { return };
    let mut joined = first.as_bytes().to_vec();
    for line in headers.get_all(COOKIE).iter().skip(1) {
        joined.extend_from_slice(b"; ");
        joined.extend_from_slice(line.as_bytes());
    }
    if let Ok(value) = HeaderValue::from_bytes(&joined) {
        headers.insert(COOKIE, value);
    }
}

/// Returns the entries of a list header, over all its lines.
fn list<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl DoubleEndedIterator<Item = &'a str> + use<'a> {
    let lines = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let entries: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
    entries.into_iter().filter(|entry| !entry.is_empty())
}

fn protocol(version: Version) -> &'static str {
    match version {
        Version::HTTP_2 => "2.0",
        Version::HTTP_10 => "1.0",
        _ => "1.1",
    }
}

/// Adds an entry to a list header, on one line.
fn append(headers: &mut HeaderMap, name: HeaderName, entry: &str) {
    let joined = list(headers, &name).chain(std::iter::once(entry)).collect::<Vec<_>>().join(", ");
    set(headers, name, &joined);
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests;
