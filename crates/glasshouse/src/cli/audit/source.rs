//! Page source of the command's audit: the guarded fetcher, and its own browser.
//! Must never send the caller's headers to another host than the audited one.

use std::sync::Arc;
use std::time::Duration;

use audit_engine::source::{AuditFetch, FetchFailure, PageSource, RenderedDocument, Response};
use browser::{RenderLimits, RenderRequest, Renderer};
use crawler::{Fetcher, Network};
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::runtime::Handle;
use url::Url;

use crate::cli::Context;
use audit::fetched::{certificate_end_ms, fetch, rendered_page, request_for};
use platform::clock::Clock;

/// Pages over the guarded network.
pub struct NetworkSource {
    fetcher: Fetcher,
    network: Network,
    headers: HeaderMap,
    host: String,
    browser: Option<Arc<dyn Renderer>>,
    program: Handle,
    timeout: Duration,
    limits: RenderLimits,
    clock: Clock,
}

impl NetworkSource {
    /// Returns a source for one site; `headers` are sent to its host only.
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
            program: Handle::current(),
            timeout: context.config.render_timeout(),
            limits: RenderLimits {
                page_bytes: limits.page_bytes,
                html_bytes: limits.html_bytes,
                redirects: limits.redirects,
            },
            clock: context.clock.clone(),
        }
    }

    async fn get(&self, fetcher: &Fetcher, request: AuditFetch) -> Result<Response, FetchFailure> {
        let is_own = request.url.host_str() == Some(&self.host);
        let headers = if is_own { self.headers.clone() } else { HeaderMap::new() };
        fetch(fetcher, request_for(&request, request.url.clone(), headers)).await
    }
}

impl PageSource for NetworkSource {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        Box::pin(async move { self.get(&self.fetcher, request).await })
    }

    fn probe(&self, request: AuditFetch) -> BoxFuture<'_, Option<Result<Response, FetchFailure>>> {
        Box::pin(async move {
            let Some(agent) = request.user_agent else { return Some(self.get(&self.fetcher, request).await) };
            let agent = HeaderValue::from_static(agent);
            let fetcher = Fetcher::new(self.network.clone(), crawler::tls::client_config(), agent);
            Some(self.get(&fetcher, request).await)
        })
    }

    fn certificate_end_ms<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Option<i64>> {
        Box::pin(async move { certificate_end_ms(&self.network, crawler::tls::client_config(), host).await })
    }

    fn render<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        Box::pin(async move {
            let request = RenderRequest {
                url: url.clone(),
                tenant: "command".to_owned(),
                route: None,
                own_headers: None,
                timeout: self.timeout,
                wait_for_selector: None,
                blocked_urls: Vec::new(),
                limits: self.limits,
                inspect: true,
                slot: None,
            };
            // The browser belongs to the program, and outlives the thread of the audit.
            let browser = self.browser.clone()?;
            let rendering = self.program.spawn(async move { browser.render(request).await });
            let rendered = rendering.await.ok()?.ok()?;
            Some(rendered_page(url, rendered))
        })
    }

    fn now_ms(&self) -> i64 {
        self.clock.now().as_millis()
    }
}
