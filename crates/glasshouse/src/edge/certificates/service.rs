//! Certificates on demand: found in memory, ordered when one of our domains has none, renewed ahead.
//! Used by TLS handshakes and the edge's handlers. Shared by all processes through the database: one of them orders.
//! Must never order for a name that is not a domain of ours, nor hold up a name that has a certificate.

use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use store::{Db, DbError};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::acme::{Authority, Proof};
use super::held::Held;
use super::model::{self, OrderKind};
use super::ordering::OrderOutcome;
use super::places::Places;
use super::proofs::Proofs;
use super::queries;
use super::tickets::Tickets;
use super::tls;
use crate::clock::{Clock, Timestamp};
use crate::domains::connection::Connection;
use crate::domains::{Domain, DomainStatus, DomainsService, Site};
use crate::follow::Follower;
use crate::platform::Platform;
use crate::secret::SealKey;

/// How long the outcome of an order is not asked for again by this process.
const OUTCOME_FOR: Duration = Duration::from_secs(30);
/// Names whose last order is remembered.
const REMEMBERED: u64 = 20_000;
/// How long a handshake waits for a certificate that is being ordered.
const HANDSHAKE_PATIENCE: Duration = Duration::from_secs(15);
/// How often what is due for renewal is looked for, and how much of it at a time.
const RENEWAL_ROUND: Duration = Duration::from_secs(60);
const RENEWALS_PER_ROUND: i64 = 20;
/// When to ask again whether a locked name is served again.
const POSTPONED: Duration = Duration::from_secs(24 * 60 * 60);

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Certificates(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) domains: DomainsService,
    pub(super) authority: Authority,
    pub(super) follower: Follower,
    pub(super) key_seal: SealKey,
    pub(super) account_seal: SealKey,
    /// Where the first order's proof is given: over HTTP when this installation listens there.
    pub(super) first_proof: Proof,
    pub(super) connection: Connection,
    /// The set-up that all handshakes share, and the certificates that it takes from.
    handshakes: Arc<ServerConfig>,
    held: Arc<Held>,
    proofs: Proofs,
    pub(super) places: Places,
    pub(super) orders: cache::SharedCache<str, OrderOutcome>,
    /// For first orders and for renewals, so that neither waits for the other.
    pub(super) slots: [Semaphore; 2],
    pub(super) tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Certificates {
    /// Sets the service up. None when the authority's settings are unusable. Starts nothing: see [`Certificates::run`].
    pub fn new(
        platform: &Platform,
        domains: &DomainsService,
        connection: &Connection,
        follower: &Follower,
    ) -> Option<Certificates> {
        let (edge, secrets) = (&platform.config.edge, &platform.secrets);
        let authority = Authority::new(edge)?;
        let held = Arc::new(Held::new(secrets.seal_key("certificate keys"), &platform.clock));
        follower.register(held.clone());
        let tickets = Tickets::new(secrets, &platform.clock);
        Some(Certificates(Arc::new(Inner {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            domains: domains.clone(),
            connection: connection.clone(),
            authority,
            follower: follower.clone(),
            key_seal: secrets.seal_key("certificate keys"),
            account_seal: secrets.seal_key("certificate authority account"),
            first_proof: if edge.http_listen.is_some() { Proof::Http } else { Proof::Tls },
            handshakes: tls::server_config(held.clone(), Arc::new(tickets))
                .expect("the provider supports TLS 1.2 and 1.3"),
            held,
            proofs: Proofs::new(&platform.db, &platform.clock),
            places: Places::default(),
            // Lets everybody who waits for a name share one order, and keeps a failing one from being tried at every
            // request.
            orders: cache::SharedCache::new(REMEMBERED, OUTCOME_FOR),
            slots: [Semaphore::new(model::AT_ONCE), Semaphore::new(model::AT_ONCE)],
            tasks: platform.tasks.clone(),
            shutdown: platform.shutdown.clone(),
        })))
    }

    /// Whether a name has a certificate; when it is a domain of ours without one, an order is started.
    pub async fn is_ready(&self, host: &str) -> bool {
        if self.has(host).await {
            return true;
        }
        if !self.0.orders.contains(host) {
            let (certificates, host) = (self.clone(), host.to_owned());
            self.0.tasks.spawn(async move { certificates.order_once(&host).await });
        }
        false
    }

    /// The set-up for a handshake; a domain of ours without a certificate gets one while the client waits.
    pub async fn for_handshake(&self, host: &str) -> Option<Arc<ServerConfig>> {
        // Whose name it is comes first: one that is nobody's, or locked, has no handshake.
        if !self.is_ours(host).await {
            return None;
        }
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

    /// The proof for a token and a name.
    pub async fn find_challenge(&self, token: &str, host: &str) -> Option<String> {
        if !self.is_ours(host).await {
            return None;
        }
        self.0.proofs.find(|challenge| challenge.token == token && challenge.host == host).await.ok()?
    }

    /// The set-up for a handshake in which the authority looks for its proof.
    pub async fn challenge_config(&self, host: &str) -> Option<Arc<ServerConfig>> {
        if !self.is_ours(host).await {
            return None;
        }
        let proof = self.0.proofs.find(|challenge| challenge.host == host).await.ok()??;
        tls::challenge_config(host, &proof).ok()
    }

    /// Renews what is due until shutdown.
    pub async fn run(self) {
        loop {
            // Processes that started together do not ask together.
            let pause = RENEWAL_ROUND.mul_f64(0.75 + 0.5 * chance());
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.0.shutdown.cancelled() => return,
            }
            if let Err(error) = self.renew_due().await {
                tracing::warn!(%error, "certificates that are due could not be looked up");
            }
        }
    }

    pub(in crate::edge) async fn renew_due(&self) -> Result<(), DbError> {
        let now = self.0.clock.now();
        let due = queries::list_due(&mut self.0.db.read().await?, now, RENEWALS_PER_ROUND).await?;
        for host in due {
            if self.0.shutdown.is_cancelled() {
                break;
            }
            match self.0.domains.find_for_edge(&host).await? {
                Some(site) if may_have_one(&site) => {
                    self.order_logged(&host, &site.domain, OrderKind::Renewal).await;
                }
                // Locked names may come back; those that left are nobody's business any more.
                Some(_) => self.postpone(&host, now.plus(POSTPONED)).await?,
                None => self.retire(&host).await?,
            }
        }
        Ok(())
    }

    async fn postpone(&self, host: &str, until: Timestamp) -> Result<(), DbError> {
        let mut tx = self.0.db.write().await?;
        queries::postpone_renewal(&mut tx, host, until).await?;
        tx.commit().await
    }

    /// Forgets a name that is no domain of ours any more, key and all.
    async fn retire(&self, host: &str) -> Result<(), DbError> {
        let mut tx = self.0.db.write().await?;
        queries::delete_name(&mut tx, host).await?;
        tx.commit().await?;
        self.0.follower.take_over().await;
        tracing::info!(host, "a certificate of a name that left was deleted");
        Ok(())
    }

    /// Whether there is a certificate that can be used now.
    pub(super) async fn has(&self, host: &str) -> bool {
        self.0.follower.current().await.is_ok() && self.0.held.find(host).is_some()
    }

    /// Whether a name is one of our domains', and not locked.
    async fn is_ours(&self, host: &str) -> bool {
        matches!(self.0.domains.find_for_edge(host).await, Ok(Some(site)) if may_have_one(&site))
    }

    /// The domain of ours that a certificate for the name would be for.
    pub(super) async fn domain_of(&self, host: &str) -> Option<Domain> {
        let site = self.0.domains.find_for_edge(host).await.ok()??;
        may_have_one(&site).then(|| site.domain.clone())
    }
}

/// Whether a name of the domain may have a certificate: locked ones are not served.
fn may_have_one(site: &Site) -> bool {
    matches!(site.domain.status, DomainStatus::Connected | DomainStatus::ViaApi | DomainStatus::Pending)
}

/// A number from 0 to 1.
pub(super) fn chance() -> f64 {
    f64::from(u32::from_le_bytes(crate::secret::random())) / f64::from(u32::MAX)
}
