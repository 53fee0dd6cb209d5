//! Where the pages of an audit come from: the site's own server through the guarded fetcher, and the platform's browsers
//! in the class of what nobody waits for. Must never send a domain's headers or credentials to another host.
//! See docs/decisions/0208.

use std::sync::Arc;

use async_trait::async_trait;
use audit_engine::source::{FetchFailure, PageRequest, PageSource, RenderedPage, Response};
use browser::{OriginRoute, RenderLimits, RenderRequest};
use crawler::{FetchRequest, Fetcher, tls};
use http::{HeaderMap, HeaderValue, header};
use url::Url;

use super::fetched::{fetch, rendered_page, request_for};
use crate::config::Scheme;
use crate::domains::Site;
use crate::domains::origin::OriginClient;
use crate::platform::Platform;

/// What an audit calls itself unless the domain says otherwise; the first word is what robots.txt calls it.
pub const USER_AGENT: &str =
    concat!("Glasshouse/", env!("CARGO_PKG_VERSION"), " (+https://github.com/glasshouse)");

/// Lets the renders of audits in when no crawler's page waits for a browser.
#[async_trait]
pub trait RenderTurns: Send + Sync {
    /// Waits for a place; none: the origin is in trouble, or too many wait.
    async fn take(&self, site: &Site) -> Option<Box<dyn RenderTurn>>;
}

/// A place among the renders; given back when dropped.
pub trait RenderTurn: Send + Sync {
    /// Notes that the site's server answered.
    fn note_answer(&self);
}

/// Pages of one domain.
pub struct SiteSource {
    platform: Platform,
    site: Arc<Site>,
    origins: OriginClient,
    fetcher: Fetcher,
    headers: HeaderMap,
    turns: Option<Arc<dyn RenderTurns>>,
}

impl SiteSource {
    /// A source for one site. `headers` go to its own hosts only; without `turns` nothing is rendered.
    pub fn new(
        platform: &Platform,
        origins: &OriginClient,
        site: Arc<Site>,
        user_agent: &str,
        headers: HeaderMap,
        turns: Option<Arc<dyn RenderTurns>>,
    ) -> SiteSource {
        let agent = HeaderValue::from_str(user_agent).unwrap_or(HeaderValue::from_static(USER_AGENT));
        SiteSource {
            fetcher: Fetcher::new(platform.network.clone(), tls::client_config(), agent),
            platform: platform.clone(),
            origins: origins.clone(),
            site,
            headers,
            turns,
        }
    }

    fn request(&self, request: &PageRequest) -> FetchRequest {
        let address = self.origins.address(&self.site, &request.url);
        let is_own = request.url.host_str().is_some_and(|host| self.site.owns_host(host));
        let mut headers = if is_own { self.headers.clone() } else { HeaderMap::new() };
        if let Some(agent) = request.user_agent {
            headers.insert(header::USER_AGENT, HeaderValue::from_static(agent));
        }
        request_for(request, address, headers)
    }

    /// A redirect of the origin host to itself leads to the site: nobody but us knows the origin's name.
    fn with_public_location(&self, asked: &Url, mut headers: HeaderMap) -> HeaderMap {
        let address = self.origins.address(&self.site, asked);
        let location = headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
        let target = location.and_then(|location| address.join(location.trim()).ok());
        let Some(mut target) = target.filter(|target| target.origin() == address.origin()) else {
            return headers;
        };
        if address.origin() == asked.origin() {
            return headers;
        }
        let moved = target.set_host(asked.host_str()).is_ok()
            && target.set_port(asked.port()).is_ok()
            && target.set_scheme(asked.scheme()).is_ok();
        if let (true, Ok(value)) = (moved, HeaderValue::try_from(target.as_str())) {
            headers.insert(header::LOCATION, value);
        }
        headers
    }

    fn render_request(&self, url: &Url) -> RenderRequest {
        let settings = &self.site.domain.settings;
        let config = &self.platform.config;
        let route = (!settings.origin_host.is_empty()).then(|| OriginRoute {
            hosts: self.site.hosts(),
            origin_host: settings.origin_host.clone(),
            tls: config.edge.origin_scheme == Scheme::Https,
        });
        RenderRequest {
            url: url.clone(),
            tenant: self.site.domain.id.to_string(),
            route,
            timeout: config.render_timeout(),
            wait_for_selector: self.site.domain.rendering.wait_for_selector.clone(),
            blocked_urls: self.site.domain.rendering.blocked_urls.clone(),
            limits: RenderLimits {
                page_bytes: config.limits.page_bytes,
                html_bytes: config.limits.html_bytes,
                redirects: config.limits.redirects,
            },
        }
    }
}

#[async_trait]
impl PageSource for SiteSource {
    async fn fetch(&self, request: PageRequest) -> Result<Response, FetchFailure> {
        let mut response = fetch(&self.fetcher, self.request(&request)).await?;
        response.headers = self.with_public_location(&request.url, response.headers);
        Ok(response)
    }

    async fn render(&self, url: &Url) -> Option<RenderedPage> {
        let turn = self.turns.as_ref()?.take(&self.site).await?;
        let rendered = self.platform.renderer.render(self.render_request(url)).await.ok()?;
        turn.note_answer();
        Some(rendered_page(url, rendered))
    }

    fn now_ms(&self) -> i64 {
        self.platform.clock.now().as_millis()
    }
}
