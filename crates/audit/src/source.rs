//! Page source of a domain's audit: the site's own server through the guarded fetcher, the platform's browsers in the
//! background class, and the stored snapshots of the site.
//! Must never send a domain's headers or credentials to another host, nor in the clear when the site is encrypted.
//! See docs/decisions/0208 and docs/decisions/0161.

use std::sync::Arc;

use audit_engine::source::{
    AuditFetch, FetchFailure, PageSource, RenderedDocument, Response, SnapshotLookup,
};
use browser::OwnHeaders;
use bytes::Bytes;
use crawler::url::PublicAddress;
use crawler::{Fetcher, tls};
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderValue, header};
use tokio::sync::OnceCell;
use url::Url;

use super::fetched::{certificate_end_ms, fetch, rendered_page, request_for};
use super::ports::Renders;
use domains::connection::mark::ProbeMarks;
use domains::origin::OriginClient;
use domains::site::SiteRedirect;
use domains::{DomainStatus, Site};
use platform::Platform;
use platform::api::header_names::{PROBE, X_FORWARDED_PROTO};

/// User agent of an audit unless the domain has its own; the first word is the product token for robots.txt.
pub const USER_AGENT: &str =
    concat!("Glasshouse/", env!("CARGO_PKG_VERSION"), " (+https://github.com/glasshouse)");

/// Options of one run's requests to a site.
pub struct SourceOptions {
    pub user_agent: HeaderValue,
    /// Headers that only the site's own hosts receive.
    pub headers: HeaderMap,
    /// The site is not encrypted: its headers go over plain http too.
    pub is_plain: bool,
    /// Pages are compared with what crawlers get.
    pub reads_snapshots: bool,
}

/// Pages of one domain.
pub struct SiteSource {
    platform: Platform,
    site: Arc<Site>,
    origins: OriginClient,
    fetcher: Fetcher,
    marks: ProbeMarks,
    renders: Arc<dyn Renders>,
    options: SourceOptions,
    has_snapshots: OnceCell<bool>,
}

impl SiteSource {
    /// Makes a source for one site.
    pub fn new(
        platform: &Platform,
        origins: &OriginClient,
        site: Arc<Site>,
        renders: Arc<dyn Renders>,
        options: SourceOptions,
    ) -> SiteSource {
        let agent = options.user_agent.clone();
        SiteSource {
            fetcher: Fetcher::new(platform.network.clone(), tls::client_config(), agent),
            marks: ProbeMarks::new(&platform.secrets),
            platform: platform.clone(),
            origins: origins.clone(),
            site,
            renders,
            options,
            has_snapshots: OnceCell::new(),
        }
    }

    fn is_own(&self, url: &Url) -> bool {
        url.host_str().is_some_and(|host| self.site.owns_host(host))
    }

    /// Returns the headers of a request to an address.
    fn headers_for(&self, url: &Url) -> HeaderMap {
        let may_see = self.is_own(url) && (url.scheme() == "https" || self.options.is_plain);
        if may_see { self.options.headers.clone() } else { HeaderMap::new() }
    }

    async fn ask(&self, request: &AuditFetch, address: Url) -> Result<Response, FetchFailure> {
        let mut headers = self.headers_for(&request.url);
        if let Some(host) = request.url.host_str().filter(|_| self.is_own(&request.url)) {
            headers.insert(PROBE, self.marks.issue(host, self.platform.clock.now()));
            headers.insert(
                X_FORWARDED_PROTO,
                HeaderValue::try_from(request.url.scheme()).expect("a scheme is letters"),
            );
        }
        if let Some(agent) = request.user_agent {
            headers.insert(header::USER_AGENT, HeaderValue::from_static(agent));
        }
        let mut response = fetch(&self.fetcher, request_for(request, address.clone(), headers)).await?;
        if address.origin() != request.url.origin() {
            PublicAddress::of(&request.url, &address).show_in(&mut response.headers);
        }
        Ok(response)
    }

    /// Returns the redirect of the edge for an address: visitors of a connected domain meet the edge before the origin.
    fn edge_redirect(&self, url: &Url) -> Option<Response> {
        let is_ours = self.site.domain.status == DomainStatus::Connected && self.is_own(url);
        let SiteRedirect { status, location, .. } =
            self.renders.redirect(&self.site, url).filter(|_| is_ours)?;
        let mut headers = HeaderMap::new();
        headers.insert(header::LOCATION, HeaderValue::try_from(location.as_str()).ok()?);
        Some(Response { status, headers, body: Bytes::new(), ..Response::default() })
    }

    /// Returns true for a request about plain http where encryption is the rule. Its answer is visible from outside
    /// only: the origin is requested in the operator's way, and a static address has one port for both schemes.
    fn is_about_plain_http(&self, url: &Url) -> bool {
        url.scheme() == "http" && self.is_own(url) && !self.options.is_plain
    }

    fn own_headers(&self) -> Option<OwnHeaders> {
        let headers = &self.options.headers;
        (!headers.is_empty()).then(|| OwnHeaders {
            hosts: self.site.hosts(),
            headers: headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            plain_http: self.options.is_plain,
        })
    }
}

impl PageSource for SiteSource {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        Box::pin(async move {
            let answer = self.ask(&request, self.origins.address(&self.site, &request.url)).await;
            let is_ours = self.site.domain.status == DomainStatus::Connected && self.is_own(&request.url);
            if !is_ours {
                return answer;
            }
            match self.renders.root_file(&self.site, &request.url, &answer).await {
                Some(served) => Ok(served.up_to(request.max_bytes)),
                None => answer,
            }
        })
    }

    fn render<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        Box::pin(async move {
            let rendered = self.renders.render(&self.site, url, self.own_headers()).await?;
            Some(rendered_page(url, rendered))
        })
    }

    fn probe(&self, request: AuditFetch) -> BoxFuture<'_, Option<Result<Response, FetchFailure>>> {
        Box::pin(async move {
            let url = &request.url;
            if self.is_about_plain_http(url) {
                let target = url.host_str().and_then(|host| self.platform.network.is_static(host));
                let is_one_port = target.is_some_and(|target| target.port.is_some());
                return if is_one_port { None } else { Some(self.ask(&request, url.clone()).await) };
            }
            // What other user agents get is asked of the server: the edge's rules are the same for all.
            match self.edge_redirect(url).filter(|_| request.user_agent.is_none()) {
                Some(redirect) => Some(Ok(redirect)),
                None => Some(self.fetch(request).await),
            }
        })
    }

    fn snapshot<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, SnapshotLookup> {
        Box::pin(async move {
            let status = self.site.domain.status;
            let serves = matches!(status, DomainStatus::Connected | DomainStatus::ViaApi);
            if !serves || !self.options.reads_snapshots {
                return SnapshotLookup::Unknown;
            }
            match self.has_snapshots.get_or_init(|| self.renders.has_snapshots(&self.site)).await {
                true => self.renders.snapshot(&self.site, url).await,
                false => SnapshotLookup::Unknown,
            }
        })
    }

    fn certificate_end_ms<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Option<i64>> {
        Box::pin(async move { certificate_end_ms(&self.platform.network, tls::client_config(), host).await })
    }

    fn now_ms(&self) -> i64 {
        self.platform.clock.now().as_millis()
    }
}
