//! Conversion of responses of the guarded fetcher and the browser for the audit engine. Used by the sources of runs
//! and of the command.

use std::sync::Arc;
use std::time::{Duration, Instant};

use audit_engine::source::{
    AuditFetch, FetchFailure, LoadedResource, NoResponseCause, RenderedDocument, Response,
};
use browser::{LoadedRequest, Rendered, Settled};
use crawler::connector::{ConnectError, Connector, Stream};
use crawler::errors::causes;
use crawler::fetch::{FetchError, Phase, TimeLimits};
use crawler::{FetchRequest, Fetcher, Network, NetworkError};
use http::HeaderMap;
use rustls::ClientConfig;
use url::Url;

/// Timeout of one response in all.
const RESPONSE_TIME: Duration = Duration::from_secs(40);

/// Makes an audit's request to the address that is really dialled.
pub fn request_for(request: &AuditFetch, address: Url, headers: HeaderMap) -> FetchRequest {
    let plain = if request.is_head { FetchRequest::head(address) } else { FetchRequest::get(address) };
    FetchRequest {
        headers,
        // One hop at a time: each is a row of the audit.
        stay_on: Some(Vec::new()),
        max_body_bytes: request.max_bytes as u64,
        time_limits: TimeLimits { total: RESPONSE_TIME, ..plain.time_limits },
        ..plain
    }
}

/// Fetches one response with its body, cut off where that is longer than the request allows.
pub async fn fetch(fetcher: &Fetcher, request: FetchRequest) -> Result<Response, FetchFailure> {
    let started = Instant::now();
    let fetched = fetcher.fetch(request).await.map_err(failure)?;
    let mut response = Response {
        status: fetched.status.as_u16(),
        headers: fetched.headers,
        ttfb_ms: millis(started),
        ..Response::default()
    };
    let body = fetched.body.up_to_limit().await.map_err(failure)?;
    (response.body, response.is_cut) = (body.bytes, body.is_cut);
    response.total_ms = millis(started);
    Ok(response)
}

/// Converts a rendered page.
pub fn rendered_page(url: &Url, rendered: Rendered) -> RenderedDocument {
    let texts = |level: &str| -> Vec<String> {
        let of_level = rendered.console.iter().filter(|message| message.level == level);
        of_level.map(|message| message.text.clone()).collect()
    };
    let loaded = rendered.inspection.as_ref().map(|inspection| {
        let loads = inspection.loaded.iter();
        let resource = |load: &LoadedRequest| LoadedResource {
            url: load.url.clone(),
            status: load.status,
            is_complete: load.is_complete,
        };
        loads.map(resource).collect()
    });
    let inspection = rendered.inspection.unwrap_or_default();
    RenderedDocument {
        redirected_to: rendered.location.as_deref().and_then(|location| url.join(location).ok()),
        errors: texts("error"),
        exceptions: texts("exception"),
        timed_out: rendered.settled == Settled::Timeout,
        ready_ms: rendered.timings.load_ms,
        status: rendered.status,
        html: rendered.html,
        lazy_picture: inspection.lazy_picture,
        scrolled_words: inspection.unscrolled_words.map(|before| (before, inspection.words)),
        click_links: inspection.click_links,
        click_targets: inspection.click_targets,
        loaded,
    }
}

/// Returns the expiry of a host's certificate, in epoch milliseconds; none when there is no valid one.
pub async fn certificate_end_ms(network: &Network, tls: Arc<ClientConfig>, host: &str) -> Option<i64> {
    let uri = format!("https://{host}/").parse().ok()?;
    let Stream::Tls(stream) = Connector::new(network.clone(), tls).open(&uri).await.ok()? else {
        return None;
    };
    let (_, connection) = stream.get_ref();
    let certificate = connection.peer_certificates()?.first()?;
    let (_, certificate) = x509_parser::parse_x509_certificate(certificate).ok()?;
    Some(certificate.validity().not_after.timestamp() * 1000)
}

fn failure(error: FetchError) -> FetchFailure {
    match error {
        FetchError::Connect(ref cause)
            if matches!(&**cause, ConnectError::Network(NetworkError::NoSuchHost(_))) =>
        {
            FetchFailure::NoSuchHost(error.to_string())
        }
        FetchError::Timeout(Phase::Headers | Phase::Total) => FetchFailure::Timeout(error.to_string()),
        other => FetchFailure::NoResponse(cause(&other), other.to_string()),
    }
}

/// Returns what failed before there was an answer.
fn cause(error: &FetchError) -> NoResponseCause {
    if error.is_refused() {
        return NoResponseCause::Refused;
    }
    match error {
        FetchError::Connect(cause) => match &**cause {
            ConnectError::Network(NetworkError::Lookup { .. }) => NoResponseCause::Dns,
            ConnectError::Network(_) => NoResponseCause::Tcp,
            ConnectError::Tls { .. } if has_expired(error) => NoResponseCause::CertificateExpired,
            ConnectError::Tls { .. } => NoResponseCause::Tls,
        },
        FetchError::Timeout(Phase::Connect) => NoResponseCause::Tcp,
        _ => NoResponseCause::Http,
    }
}

/// Decides whether the server's certificate has expired.
fn has_expired(error: &FetchError) -> bool {
    use rustls::{CertificateError, Error};
    let is_expired = |error: &Error| {
        matches!(
            error,
            Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. })
        )
    };
    // An I/O error hides what it is made of from `source`.
    let inner = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        io.and_then(|inner| inner.downcast_ref::<Error>())
            .or_else(|| cause.downcast_ref())
            .is_some_and(is_expired)
    };
    causes(error).any(inner)
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use crawler::testing::{DnsServer, Trouble, WebServer};
    use crawler::{NetworkConfig, tls};
    use http::Response;
    use http_body_util::Full;
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};
    use rustls::pki_types::PrivatePkcs8KeyDer;
    use rustls::{RootCertStore, ServerConfig};

    use super::*;

    /// Starts a server with a certificate of its own that expires at the beginning of a year, and returns the authority.
    async fn tls_server(ends: i32) -> (WebServer, RootCertStore) {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(ends, 1, 2));
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(certificate.der().clone()).unwrap();
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let config = ServerConfig::builder_with_provider(crawler::tls::provider())
            .with_safe_default_protocol_versions();
        let config = config.unwrap().with_no_client_auth();
        let config = config.with_single_cert(vec![certificate.der().clone()], key).unwrap();
        let response = |_| async { Response::new(Full::default()) };
        (WebServer::start_tls(Arc::new(config).into(), response).await, roots)
    }

    fn local_network() -> Network {
        let allow_private = vec!["127.0.0.1/32".parse().unwrap()];
        Network::new(NetworkConfig { allow_private, ..NetworkConfig::default() }).unwrap()
    }

    #[tokio::test]
    async fn a_certificate_that_is_trusted_says_when_it_ends() {
        let (server, roots) = tls_server(2040).await;
        let (network, host) = (local_network(), server.address().to_string());

        let trusted = certificate_end_ms(&network, tls::client_config_trusting(roots), &host).await;
        let unknown = certificate_end_ms(&network, tls::client_config(), &host).await;

        assert_eq!((trusted, unknown), (Some(2_209_075_200_000), None));
    }

    #[tokio::test]
    async fn a_name_that_dns_does_not_know_is_told_from_a_dns_that_does_not_answer() {
        let dns = DnsServer::start().await;
        dns.troubles("broken.example", Trouble::ServFail);
        let network = NetworkConfig { dns_servers: vec![dns.address()], ..NetworkConfig::default() };
        let network = Network::new(network).unwrap();
        let agent = http::HeaderValue::from_static("test");
        let fetcher = Fetcher::new(network, tls::client_config(), agent);
        let ask = async |address: &str| {
            let url = Url::parse(address).unwrap();
            let request = request_for(&AuditFetch::of(url.clone()), url, HeaderMap::new());
            fetch(&fetcher, request).await.unwrap_err().cause()
        };

        let broken = ask("https://broken.example/").await;
        let unknown = ask("https://unknown.example/").await;

        assert_eq!(broken, Some(NoResponseCause::Dns));
        assert_eq!(unknown, Some(NoResponseCause::NoSuchHost));
    }

    #[tokio::test]
    async fn failures_before_an_answer_are_told_apart() {
        let (expired, roots) = tls_server(2021).await;
        let (unknown, _) = tls_server(2040).await;
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let agent = http::HeaderValue::from_static("test");
        let fetcher = Fetcher::new(local_network(), tls::client_config_trusting(roots), agent);

        for (address, expected) in [
            (expired.address().to_string(), NoResponseCause::CertificateExpired),
            (unknown.address().to_string(), NoResponseCause::Tls),
            (closed.to_string(), NoResponseCause::Tcp),
            ("10.0.0.1".to_owned(), NoResponseCause::Refused),
        ] {
            let url = Url::parse(&format!("https://{address}/")).unwrap();
            let request = request_for(&AuditFetch::of(url.clone()), url, HeaderMap::new());

            let failure = fetch(&fetcher, request).await.unwrap_err();

            let FetchFailure::NoResponse(cause, _) = failure else { panic!("{address}: {failure:?}") };
            assert_eq!(cause, expected, "{address}");
        }
    }
}
