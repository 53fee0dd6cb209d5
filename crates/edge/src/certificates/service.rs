//! Certificates on demand: found in memory, ordered when one of our domains has none. `renewals` renews them.
//! Used by TLS handshakes and the edge's handlers. Processes share certificates through the database: one of them orders.
//! Must never order for a name that is neither a domain of ours nor the installation's own, nor delay one that has a certificate.

use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use store::Db;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use super::acme::{CertificateAuthority, ValidationMethod};
use super::directory::CertificateDirectory;
use super::jobs;
use super::model::{self, OrderOutcome};
use super::proofs::Proofs;
use super::tickets::Tickets;
use super::tls;
use accounts::AccountId;
use domains::connection::Connection;
use domains::{Domain, DomainStatus, DomainsService, Site};
use platform::Platform;
use platform::clock::Clock;
use platform::follow::Follower;
use platform::jobs::Jobs;
use platform::limits::KeyedCount;
use platform::secret::SealKey;
use webhooks::Events;

/// Time for which this process reuses the outcome of an order.
const OUTCOME_FOR: Duration = Duration::from_secs(30);
/// Names whose last outcome is cached.
const REMEMBERED: u64 = 20_000;
/// Longest time that a handshake waits for a certificate that is being ordered.
const HANDSHAKE_PATIENCE: Duration = Duration::from_secs(15);

/// Service of certificates on demand. Cheap to clone.
#[derive(Clone)]
pub struct Certificates(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) jobs: Jobs,
    pub(super) events: Events,
    pub(super) domains: DomainsService,
    /// Name at which the edge serves this installation itself.
    own_host: Option<Box<str>>,
    pub(super) authority: CertificateAuthority,
    pub(super) follower: Follower,
    pub(super) key_seal: SealKey,
    pub(super) account_seal: SealKey,
    /// Validation method of the first order: HTTP when this installation listens there.
    pub(super) first_method: ValidationMethod,
    pub(super) connection: Connection,
    /// TLS configuration that all handshakes share. It resolves certificates from `directory`.
    handshakes: Arc<ServerConfig>,
    directory: Arc<CertificateDirectory>,
    tickets: Arc<Tickets>,
    proofs: Proofs,
    /// First orders in progress by account: slow names must not delay orders of other accounts.
    pub(super) orders_of_account: KeyedCount<AccountId>,
    pub(super) orders: cache::SharedCache<str, OrderOutcome>,
    /// Names with a recent order that a plain request started: later requests must not wait for a slow order.
    started: cache::Cache<str, ()>,
    /// Slots of first orders, of handshakes and jobs together.
    pub(super) slots: Semaphore,
    pub(super) tasks: TaskTracker,
}

impl Certificates {
    /// Sets the gauge of the seconds until the first certificate expires.
    pub fn publish_expiry(&self) {
        if let Some(expiry) = self.0.directory.first_expiry() {
            #[expect(clippy::cast_precision_loss, reason = "a gauge")]
            let left = (expiry.as_millis() - self.0.clock.now().as_millis()) as f64 / 1000.0;
            metrics::gauge!("glasshouse_certificate_expiry_seconds").set(left);
        }
    }

    /// Creates the service. None when the authority's settings are unusable. Starts nothing.
    pub fn new(
        platform: &Platform,
        jobs: &Jobs,
        domains: &DomainsService,
        connection: &Connection,
        follower: &Follower,
    ) -> Option<Certificates> {
        let (edge, secrets) = (&platform.config.edge, &platform.secrets);
        let authority = CertificateAuthority::new(edge)?;
        let directory =
            Arc::new(CertificateDirectory::new(secrets.seal_key("certificate keys"), &platform.clock));
        follower.register(directory.clone());
        let tickets = Arc::new(Tickets::new(&platform.db, secrets, &platform.clock));
        Some(Certificates(Arc::new(Inner {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            jobs: jobs.clone(),
            events: Events::new(&platform.clock, jobs),
            domains: domains.clone(),
            own_host: platform.config.own_host().map(Box::from),
            connection: connection.clone(),
            authority,
            follower: follower.clone(),
            key_seal: secrets.seal_key("certificate keys"),
            account_seal: secrets.seal_key("certificate authority account"),
            first_method: if edge.http_listen.is_some() {
                ValidationMethod::Http
            } else {
                ValidationMethod::Tls
            },
            handshakes: tls::server_config(directory.clone(), tickets.clone())
                .expect("the provider supports TLS 1.2 and 1.3"),
            directory,
            tickets,
            proofs: Proofs::new(&platform.db, &platform.clock),
            orders_of_account: KeyedCount::default(),
            // Concurrent callers of a name share one order, and a failing order is not repeated at every request.
            orders: cache::SharedCache::new(REMEMBERED, OUTCOME_FOR),
            started: cache::Cache::builder(REMEMBERED).time_to_live(OUTCOME_FOR).build(),
            slots: Semaphore::new(model::AT_ONCE),
            tasks: platform.tasks.clone(),
        })))
    }

    /// Returns true when a name has a certificate. Starts an order for a domain of ours without one.
    pub async fn is_ready(&self, host: &str) -> bool {
        if self.has(host).await {
            return true;
        }
        if !self.0.orders.contains(host) && self.0.started.insert_if_absent(host, ()) {
            let (certificates, host) = (self.clone(), host.to_owned());
            self.0.tasks.spawn(async move { certificates.order_once(&host).await });
        }
        false
    }

    /// Returns the TLS configuration for a handshake. Orders a missing certificate of our domain while the client waits.
    pub async fn for_handshake(&self, host: &str) -> Option<Arc<ServerConfig>> {
        // The name must be a customer's or our own: an unknown or locked one gets no handshake.
        if !self.is_ours(host).await {
            return None;
        }
        self.0.tickets.keep_current().await;
        if self.has(host).await {
            return Some(self.0.handshakes.clone());
        }
        let waiting = async {
            let outcome = self.order_once(host).await;
            while !self.has(host).await {
                if outcome == OrderOutcome::None {
                    return None;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Some(self.0.handshakes.clone())
        };
        tokio::time::timeout(HANDSHAKE_PATIENCE, waiting).await.ok()?
    }

    /// Returns the proof for a token and a name.
    pub async fn find_challenge(&self, token: &str, host: &str) -> Option<String> {
        if !self.is_ours(host).await {
            return None;
        }
        self.0.proofs.find(|challenge| challenge.token == token && challenge.host == host).await.ok()?
    }

    /// Returns the TLS configuration for a handshake in which the authority validates its proof.
    pub async fn challenge_config(&self, host: &str) -> Option<Arc<ServerConfig>> {
        if !self.is_ours(host).await {
            return None;
        }
        let proof = self.0.proofs.find(|challenge| challenge.host == host).await.ok()??;
        tls::challenge_config(host, &proof).ok()
    }

    /// Returns true when a usable certificate exists.
    pub(super) async fn has(&self, host: &str) -> bool {
        self.0.follower.current().await.is_ok() && self.0.directory.find(host).is_some()
    }

    /// Returns the hourly limit of renewals of all customers together.
    pub(super) fn renewals_per_hour(&self) -> u64 {
        self.0.directory.renewals_per_hour()
    }

    /// Returns the time until the name's next order, by the failures in a row and the lifetime of its certificate.
    pub(super) fn wait_after(&self, host: &str, failures: u64) -> Duration {
        model::wait_after(failures, self.0.directory.life_of(host))
    }

    /// Decides whether a name is the installation's own, or one of our domains' and not locked.
    async fn is_ours(&self, host: &str) -> bool {
        self.is_own(host)
            || matches!(self.0.domains.find_for_edge(host).await, Ok(Some(site)) if may_have_one(&site))
    }

    /// Decides whether the edge serves this installation itself at the name.
    pub(super) fn is_own(&self, host: &str) -> bool {
        self.0.own_host.as_deref() == Some(host)
    }

    /// Finds the holder of a certificate for the name. None when the name may have no certificate.
    pub(super) async fn holder_of(&self, host: &str) -> Option<CertificateHolder> {
        if self.is_own(host) {
            return Some(CertificateHolder::Service);
        }
        let site = self.0.domains.find_for_edge(host).await.ok()??;
        may_have_one(&site).then(|| CertificateHolder::Customer(Box::new(site.domain.clone())))
    }
}

/// Holder of a certificate.
#[derive(Debug, Clone)]
pub(crate) enum CertificateHolder {
    /// Customer with a name of this domain.
    Customer(Box<Domain>),
    /// The installation itself, for the host of its public address. The limits of customers do not apply.
    Service,
}

impl CertificateHolder {
    /// Returns the customer's domain; None for the installation itself.
    pub(super) fn domain(&self) -> Option<&Domain> {
        match self {
            CertificateHolder::Customer(domain) => Some(domain),
            CertificateHolder::Service => None,
        }
    }

    /// Decides whether the domain is not yet known to lead here.
    pub(super) fn is_pending(&self) -> bool {
        self.domain().is_some_and(|domain| domain.status == DomainStatus::Pending)
    }

    /// Returns the account whose limits an order counts against.
    pub(super) fn account(&self) -> &str {
        self.domain().map_or(jobs::SERVICE, |domain| domain.account_id.as_str())
    }
}

/// Decides whether a name of the domain may have a certificate: locked domains are not served.
pub(super) fn may_have_one(site: &Site) -> bool {
    matches!(site.domain.status, DomainStatus::Connected | DomainStatus::ViaApi | DomainStatus::Pending)
}

/// Returns a random number from 0 to 1.
pub(super) fn chance() -> f64 {
    f64::from(u32::from_le_bytes(platform::secret::random())) / f64::from(u32::MAX)
}
