//! Routing of a request: its host, and the treatment that its domain gets. Pure: no clock, network or database.
//! Must never accept a request whose host is ambiguous, nor serve one customer's page for another's host.

use http::header::HOST;
use http::request::Parts;
use http::uri::Authority;

use domains::DomainStatus;

/// Host of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedHost {
    /// Key of a domain: lower case, without port and final dot.
    pub host: String,
    /// Host as requested, with its port.
    pub authority: Authority,
}

/// The request names no host, or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the request does not name one host")]
pub struct BadHost;

/// Reads the host of a request: from an absolute target (always in HTTP/2), otherwise from `Host`.
pub fn requested_host(parts: &Parts) -> Result<RequestedHost, BadHost> {
    let mut hosts = parts.headers.get_all(HOST).iter();
    let header = hosts.next();
    if hosts.next().is_some() {
        return Err(BadHost);
    }
    let header = header.map(|value| value.to_str().ok().and_then(|text| text.parse().ok()).ok_or(BadHost));
    let header: Option<Authority> = header.transpose()?;
    let authority = match (parts.uri.authority().cloned(), header) {
        (Some(target), Some(header)) if !target.as_str().eq_ignore_ascii_case(header.as_str()) => {
            return Err(BadHost);
        }
        (Some(target), _) => target,
        (None, Some(header)) => header,
        (None, None) => return Err(BadHost),
    };
    if authority.as_str().contains('@') || !has_sound_port(&authority) {
        return Err(BadHost);
    }
    let host = authority.host().to_ascii_lowercase();
    let host = host.strip_suffix('.').unwrap_or(&host).to_owned();
    if host.is_empty() { Err(BadHost) } else { Ok(RequestedHost { host, authority }) }
}

fn has_sound_port(authority: &Authority) -> bool {
    let rest = &authority.as_str()[authority.host().len()..];
    rest.is_empty()
        || rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// Treatment of a request for a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Crawlers get snapshots, other clients the origin.
    Serve,
    /// All clients get the origin.
    PassThrough,
    /// All clients get a page that says that the domain is being connected.
    Pending,
    /// All clients get a page that says that the site is not available.
    Suspended,
    /// The host belongs to no domain.
    Unknown,
}

/// Decides by the status of the domain, None for an unknown host, and by the state of its account.
pub fn route(status: Option<DomainStatus>, account_is_active: bool) -> Route {
    match status {
        None => Route::Unknown,
        Some(DomainStatus::Suspended) => Route::Suspended,
        Some(DomainStatus::Pending) => Route::Pending,
        Some(DomainStatus::Connected | DomainStatus::ViaApi) if account_is_active => Route::Serve,
        Some(DomainStatus::Connected | DomainStatus::ViaApi) => Route::PassThrough,
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn host(target: &str, headers: &[&str]) -> Result<String, BadHost> {
        let mut request = Request::builder().uri(target);
        for value in headers {
            request = request.header(HOST, *value);
        }
        requested_host(&request.body(()).unwrap().into_parts().0).map(|asked| asked.host)
    }

    #[test]
    fn the_host_is_looked_up_without_port_case_and_final_dot() {
        for header in ["Shop.Example", "shop.example:8443", "shop.example.", "SHOP.example.:80"] {
            assert_eq!(host("/", &[header]).as_deref(), Ok("shop.example"), "{header}");
        }
    }

    #[test]
    fn an_absolute_target_must_agree_with_the_header() {
        assert_eq!(host("http://shop.example/a", &["shop.example"]).as_deref(), Ok("shop.example"));
        assert_eq!(host("https://shop.example/a", &[]).as_deref(), Ok("shop.example"));
        assert_eq!(host("http://shop.example/a", &["other.example"]), Err(BadHost));
    }

    #[test]
    fn a_request_without_a_host_or_with_two_is_malformed() {
        assert_eq!(host("/", &[]), Err(BadHost));
        assert_eq!(host("/", &["a.example", "b.example"]), Err(BadHost));
        assert_eq!(host("/", &["a.example", "a.example"]), Err(BadHost));
        for header in [
            "",
            "user@shop.example",
            "shop.example:",
            "shop.example:0",
            "shop.example:99999",
            "a b",
            "a/b",
            ".",
        ] {
            assert_eq!(host("/", &[header]), Err(BadHost), "{header:?}");
        }
    }

    #[test]
    fn the_status_of_a_domain_decides_what_may_happen() {
        assert_eq!(route(Some(DomainStatus::Connected), true), Route::Serve);
        assert_eq!(route(Some(DomainStatus::ViaApi), true), Route::Serve);
        assert_eq!(route(Some(DomainStatus::Connected), false), Route::PassThrough);
        assert_eq!(route(Some(DomainStatus::Pending), true), Route::Pending);
        assert_eq!(route(Some(DomainStatus::Suspended), false), Route::Suspended);
        assert_eq!(route(None, true), Route::Unknown);
    }
}
