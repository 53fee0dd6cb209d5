//! Where the command's audit takes pages from: the guarded fetcher, and a browser of its own.
//! Must never send the caller's headers to another host than the audited one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use audit_engine::source::{FetchFailure, PageRequest, PageSource, RenderedPage, Response};
use browser::{RenderLimits, RenderRequest, Renderer, Settled};
use bytes::BytesMut;
use crawler::connector::{ConnectError, Connector, Stream};
use crawler::fetch::{FetchError, Phase, TimeLimits};
use crawler::{FetchRequest, Fetcher, Network, NetworkError};
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::cli::Context;
use crate::clock::Clock;

/// Pages over the guarded network.
pub struct NetworkSource {
    fetcher: Fetcher,
    network: Network,
    headers: HeaderMap,
    host: String,
    browser: Option<Arc<dyn Renderer>>,
    timeout: Duration,
    limits: RenderLimits,
    clock: Clock,
}

impl NetworkSource {
    /// A source for one site; `headers` go to its host only.
    pub fn new(
        network: Network,
        user_agent: HeaderValue,
        headers: Vec<(HeaderName, HeaderValue)>,
        site: &Url,
        browser: Option<Arc<dyn Renderer>>,
        context: &Context,
    ) -> NetworkSource {
        let limits = &context.config.limits;
        NetworkSource {
            network: network.clone(),
            fetcher: Fetcher::new(network, crawler::tls::client_config(), user_agent),
            headers: headers.into_iter().collect(),
            host: site.host_str().unwrap_or_default().to_owned(),
            browser,
            timeout: context.config.render_timeout(),
            limits: RenderLimits {
                page_bytes: limits.page_bytes,
                html_bytes: limits.html_bytes,
                redirects: limits.redirects,
            },
            clock: context.clock.clone(),
        }
    }

    fn request(&self, request: &PageRequest) -> FetchRequest {
        let is_own = request.url.host_str() == Some(&self.host);
        FetchRequest {
            headers: if is_own { self.headers.clone() } else { HeaderMap::new() },
            // One hop at a time: each is a row of the audit.
            stay_on: Some(Vec::new()),
            max_body_bytes: request.max_bytes as u64,
            time_limits: TimeLimits {
                total: Duration::from_secs(40),
                ..FetchRequest::get(request.url.clone()).time_limits
            },
            ..FetchRequest::get(request.url.clone())
        }
    }

    async fn get(&self, fetcher: &Fetcher, request: PageRequest) -> Result<Response, FetchFailure> {
        let started = Instant::now();
        let fetched = fetcher.fetch(self.request(&request)).await.map_err(failure)?;
        let mut response = Response {
            status: fetched.status.as_u16(),
            headers: fetched.headers,
            ttfb_ms: millis(started),
            ..Response::default()
        };
        let mut body = fetched.body;
        let mut bytes = BytesMut::new();
        loop {
            match body.chunk().await {
                Ok(Some(piece)) => bytes.extend_from_slice(&piece),
                Ok(None) => break,
                Err(FetchError::TooLarge { .. }) => {
                    response.is_cut = true;
                    break;
                }
                Err(error) => return Err(failure(error)),
            }
        }
        response.body = bytes.freeze();
        response.total_ms = millis(started);
        Ok(response)
    }
}

#[async_trait::async_trait]
impl PageSource for NetworkSource {
    async fn fetch(&self, request: PageRequest) -> Result<Response, FetchFailure> {
        self.get(&self.fetcher, request).await
    }

    async fn probe(&self, request: PageRequest) -> Option<Result<Response, FetchFailure>> {
        let Some(agent) = request.user_agent else { return Some(self.get(&self.fetcher, request).await) };
        let agent = HeaderValue::from_static(agent);
        let fetcher = Fetcher::new(self.network.clone(), crawler::tls::client_config(), agent);
        Some(self.get(&fetcher, request).await)
    }

    async fn certificate_end_ms(&self, host: &str) -> Option<i64> {
        let uri = format!("https://{host}/").parse().ok()?;
        let connector = Connector::new(self.network.clone(), crawler::tls::client_config());
        let Stream::Tls(stream) = connector.open(&uri).await.ok()? else { return None };
        let (_, connection) = stream.get_ref();
        let certificate = connection.peer_certificates()?.first()?;
        let (_, certificate) = x509_parser::parse_x509_certificate(certificate).ok()?;
        Some(certificate.validity().not_after.timestamp() * 1000)
    }

    async fn render(&self, url: &Url) -> Option<RenderedPage> {
        let request = RenderRequest {
            url: url.clone(),
            tenant: "command".to_owned(),
            route: None,
            timeout: self.timeout,
            wait_for_selector: None,
            blocked_urls: Vec::new(),
            limits: self.limits,
        };
        let rendered = self.browser.as_ref()?.render(request).await.ok()?;
        let texts = |level: &str| -> Vec<String> {
            rendered
                .console
                .iter()
                .filter(|message| message.level == level)
                .map(|message| message.text.clone())
                .collect()
        };
        Some(RenderedPage {
            redirected_to: rendered.location.as_deref().and_then(|location| url.join(location).ok()),
            errors: texts("error"),
            exceptions: texts("exception"),
            timed_out: rendered.settled == Settled::Timeout,
            ready_ms: rendered.timings.load_ms,
            status: rendered.status,
            html: rendered.html,
        })
    }

    fn now_ms(&self) -> i64 {
        self.clock.now().as_millis()
    }
}

fn failure(error: FetchError) -> FetchFailure {
    match error {
        FetchError::Connect(ref cause)
            if matches!(&**cause, ConnectError::Network(NetworkError::NoSuchHost(_))) =>
        {
            FetchFailure::NoSuchHost(error.to_string())
        }
        FetchError::Timeout(Phase::Headers | Phase::Total) => FetchFailure::Timeout(error.to_string()),
        other => FetchFailure::NoResponse(other.to_string()),
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
