//! Certificates on demand: found in memory or the database, ordered when one of our domains has none, renewed ahead.
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
use super::memory::{Memory, Ready};
use super::model::{self, OrderKind};
use super::ordering::OrderOutcome;
use super::queries::{self, StoredCertificate};
use super::tickets::Tickets;
use super::tls;
use crate::clock::{Clock, Timestamp};
use crate::domains::connection::Connection;
use crate::domains::{Domain, DomainStatus, DomainsService, Site};
use crate::platform::Platform;
use crate::secret::SealKey;

/// How soon a certificate that another process renewed is taken over.
const FRESH: Duration = Duration::from_secs(60);
/// How soon a name without a certificate is looked up again.
const FRESH_ABSENCE: Duration = Duration::from_secs(2);
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
    pub(super) key_seal: SealKey,
    pub(super) account_seal: SealKey,
    /// Where the first order's proof is given: over HTTP when this installation listens there.
    pub(super) first_proof: Proof,
    pub(super) connection: Connection,
    /// The set-up that all handshakes share, and the certificates that it takes from.
    handshakes: Arc<ServerConfig>,
    pub(super) memory: Memory,
    pub(super) orders: moka::future::Cache<String, OrderOutcome>,
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
    ) -> Option<Certificates> {
        let (edge, secrets) = (&platform.config.edge, &platform.secrets);
        let memory = Memory::default();
        let tickets = Tickets::new(secrets, &platform.clock);
        Some(Certificates(Arc::new(Inner {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            domains: domains.clone(),
            connection: connection.clone(),
            authority: Authority::new(edge)?,
            key_seal: secrets.seal_key("certificate keys"),
            account_seal: secrets.seal_key("certificate authority account"),
            first_proof: if edge.http_listen.is_some() { Proof::Http } else { Proof::Tls },
            handshakes: tls::server_config(Arc::new(memory.clone()), Arc::new(tickets))
                .expect("the provider supports TLS 1.2 and 1.3"),
            memory,
            // Lets everybody who waits for a name share one order, and keeps a failing one from being tried at every
            // request.
            orders: moka::future::Cache::builder().max_capacity(REMEMBERED).time_to_live(OUTCOME_FOR).build(),
            slots: [Semaphore::new(model::AT_ONCE), Semaphore::new(model::AT_ONCE)],
            tasks: platform.tasks.clone(),
            shutdown: platform.shutdown.clone(),
        })))
    }

    /// Whether a name has a certificate; when it is a domain of ours without one, an order is started.
    pub async fn is_ready(&self, host: &str) -> bool {
        if self.find(host).await.is_some() {
            return true;
        }
        if !self.0.orders.contains_key(host) {
            let (certificates, host) = (self.clone(), host.to_owned());
            self.0.tasks.spawn(async move { certificates.order_once(&host).await });
        }
        false
    }

    /// The set-up for a handshake; a domain of ours without a certificate gets one while the client waits.
    pub async fn for_handshake(&self, host: &str) -> Option<Arc<ServerConfig>> {
        if self.remembered(host).is_some_and(|known| known.is_some()) {
            return Some(self.0.handshakes.clone());
        }
        // Whose name it is comes first: a name that is nobody's costs no look for its certificate.
        self.domain_of(host).await?;
        if self.find(host).await.is_some() {
            return Some(self.0.handshakes.clone());
        }
        let waiting = async {
            let outcome = self.order_once(host).await;
            loop {
                match self.read(host).await {
                    Some(_) => return Some(self.0.handshakes.clone()),
                    None if outcome == OrderOutcome::Elsewhere => {
                        tokio::time::sleep(Duration::from_millis(500)).await
                    }
                    None => return None,
                }
            }
        };
        tokio::time::timeout(HANDSHAKE_PATIENCE, waiting).await.ok()?
    }

    /// The proof for a token and a name.
    pub async fn find_challenge(&self, token: &str, host: &str) -> Option<String> {
        let mut conn = self.0.db.read().await.ok()?;
        queries::find_challenge(&mut conn, token, host, self.0.clock.now()).await.ok()?
    }

    /// The set-up for a handshake in which the authority looks for its proof.
    pub async fn challenge_config(&self, host: &str) -> Option<Arc<ServerConfig>> {
        let mut conn = self.0.db.read().await.ok()?;
        let proof = queries::find_challenge_of(&mut conn, host, self.0.clock.now()).await.ok()??;
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
        self.0.memory.forget(host);
        tracing::info!(host, "a certificate of a name that left was deleted");
        Ok(())
    }

    /// A certificate that can be used now, from memory or the database.
    async fn find(&self, host: &str) -> Option<Ready> {
        match self.remembered(host) {
            Some(known) => known,
            None => self.read(host).await,
        }
    }

    /// What memory says about a name, absence included; none: it is too old to go by.
    fn remembered(&self, host: &str) -> Option<Option<Ready>> {
        let known = self.0.memory.find(host)?;
        let limit = if known.ready.is_some() { FRESH } else { FRESH_ABSENCE };
        let is_fresh = known.since.elapsed() < limit;
        is_fresh.then(|| known.ready.clone().filter(|ready| ready.not_after > self.0.clock.now()))
    }

    async fn read(&self, host: &str) -> Option<Ready> {
        let stored = match self.0.db.read().await {
            Ok(mut conn) => queries::find_certificate(&mut conn, host).await,
            Err(error) => Err(error),
        };
        let ready = match stored {
            Ok(stored) => stored.and_then(|stored| self.open(&stored)),
            Err(error) => {
                tracing::debug!(%error, host, "a certificate could not be looked up");
                // What is known is as good as ever while the database is away.
                self.0.memory.find(host).and_then(|known| known.ready.clone())
            }
        };
        self.0.memory.keep(host, ready.clone());
        ready.filter(|ready| ready.not_after > self.0.clock.now())
    }

    fn open(&self, stored: &StoredCertificate) -> Option<Ready> {
        let key = self.0.key_seal.open(&stored.sealed_key, &stored.host);
        let key = key.and_then(|key| tls::certified_key(stored.chain.as_bytes(), &key).ok());
        if key.is_none() {
            tracing::error!(
                host = stored.host,
                "a stored certificate cannot be opened: was edge.secret changed?"
            );
        }
        Some(Ready { key: key?, not_after: Timestamp::from_millis(stored.not_after) })
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
