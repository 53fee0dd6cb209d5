//! The edge's service: the dependencies of answering a request for a customer's domain.
//! Used by `app` and the listener. `handlers` answers the requests.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crawler::url::OriginHost;
use http::uri::Authority;
use store::DbError;

use super::encoding::Forms;
use super::forward::{Forwarder, OriginLimits, OriginTarget};
use super::open_tunnels::TunnelLimits;
use super::own_site::OwnSite;
use super::route::{Route, route};
use crate::certificates::Certificates;
use accounts::Accounts;
use analytics::Recorder;
use analytics::verify::Verifier;
use domains::connection::Connection;
use domains::connection::mark::ProbeMarks;
use domains::connection::probe::ProbeKey;
use domains::{DomainsService, Site};
use platform::Platform;
use platform::clock::Clock;
use platform::config::{self, Config, Scheme};
use platform::draining::Draining;
use platform::listen::accept::connections;
use render::RenderService;

/// Service of the edge. Cheap to clone.
#[derive(Clone)]
pub struct Edge(Arc<Inner>);

pub(crate) struct Inner {
    pub config: Arc<Config>,
    pub clock: Clock,
    pub render: RenderService,
    pub forwarder: Forwarder,
    pub forms: Forms,
    pub probe_key: ProbeKey,
    pub verifier: Verifier,
    pub probe_marks: ProbeMarks,
    pub recorder: Recorder,
    /// None when this process serves no TLS.
    pub certificates: Option<Certificates>,
    pub own_name: Arc<str>,
    pub connection: Connection,
    pub draining: Draining,
    /// None when this process does not serve the installation itself.
    pub own_site: Option<OwnSite>,
    domains: DomainsService,
    accounts: Accounts,
}

/// Reason for which the edge cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum EdgeError {
    /// The certificate authority's settings are unusable.
    #[error("edge.acme_contact must be an e-mail address")]
    Contact,
}

/// Services of other features that the edge uses.
pub struct Services<'a> {
    /// State of accounts.
    pub accounts: &'a Accounts,
    /// Lookup of a host's domain.
    pub domains: &'a DomainsService,
    /// Connection checks of pending domains.
    pub connection: &'a Connection,
    /// Counts of the crawlers that the origin answers.
    pub recorder: &'a Recorder,
    /// Verification of crawlers by address.
    pub verifier: &'a Verifier,
    /// Marks of our own requests.
    pub probe_marks: &'a ProbeMarks,
    /// Answers to crawlers.
    pub render: &'a RenderService,
    /// None when this process serves no TLS, or the authority's settings are unusable.
    pub certificates: Option<&'a Certificates>,
    /// Site of the installation itself. None when this process does not serve it at the edge.
    pub own_site: Option<OwnSite>,
}

impl Edge {
    /// Creates the edge. `listening` are its own sockets, which no origin may have. Starts nothing.
    pub fn new(
        platform: &Platform,
        services: Services<'_>,
        listening: Vec<SocketAddr>,
    ) -> Result<Edge, EdgeError> {
        let tunnels = TunnelLimits::of(connections(&platform.config));
        let limits = &platform.config.limits;
        let limits = OriginLimits {
            tunnels,
            tunnel_idle: Duration::from_secs(limits.tunnel_idle_s),
            requests_per_domain: limits.origin_requests_per_domain,
            ..OriginLimits::default()
        };
        Edge::with_limits(platform, services, listening, limits)
    }

    /// Creates the edge with other limits for origins.
    pub(crate) fn with_limits(
        platform: &Platform,
        services: Services<'_>,
        listening: Vec<SocketAddr>,
        limits: OriginLimits,
    ) -> Result<Edge, EdgeError> {
        let config = platform.config.clone();
        let secrets = &*platform.secrets;
        let own_name: Arc<str> = secrets.public_name().into();
        let forwarder = Forwarder::new(
            platform.network.without(listening),
            crawler::tls::client_config(),
            public_addresses(&config.edge).collect(),
            own_name.clone(),
            limits,
            (platform.tasks.clone(), platform.shutdown.clone()),
        );
        let certificates = match config.edge.https_listen {
            Some(_) => Some(services.certificates.cloned().ok_or(EdgeError::Contact)?),
            None => None,
        };
        Ok(Edge(Arc::new(Inner {
            clock: platform.clock.clone(),
            render: services.render.clone(),
            forms: Forms::default(),
            probe_key: ProbeKey::new(secrets),
            verifier: services.verifier.clone(),
            probe_marks: services.probe_marks.clone(),
            recorder: services.recorder.clone(),
            domains: services.domains.clone(),
            accounts: services.accounts.clone(),
            connection: services.connection.clone(),
            draining: platform.draining.clone(),
            forwarder,
            own_site: services.own_site,
            certificates,
            own_name,
            config,
        })))
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }
}

impl Inner {
    /// Finds the domain of a host and its route.
    pub async fn find(&self, host: &str) -> Result<(Route, Option<Arc<Site>>), DbError> {
        let Some(site) = self.domains.find_for_edge(host).await? else { return Ok((Route::Unknown, None)) };
        let is_active = self.accounts.is_active(&site.domain.account_id);
        Ok((route(Some(site.domain.status), is_active), Some(site)))
    }

    /// Returns the origin of a host: the origin host of the domain's settings, otherwise the host itself.
    pub fn origin_of(&self, site: &Site, asked: &Authority) -> Option<OriginTarget> {
        let origin = site.domain.settings.origin_host.as_ref();
        let authority = origin.map_or(asked.host(), OriginHost::as_str).parse().ok()?;
        Some(OriginTarget { authority, tls: self.config.edge.origin_scheme == Scheme::Https })
    }
}

fn public_addresses(edge: &config::EdgeSection) -> impl Iterator<Item = IpAddr> {
    let v4 = edge.public_ipv4.iter().copied().map(IpAddr::from);
    v4.chain(edge.public_ipv6.iter().copied().map(IpAddr::from))
}
