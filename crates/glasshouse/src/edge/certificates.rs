//! Certificates on demand: found in memory or the database, ordered when one of our domains has none, renewed ahead.
//! Used by TLS handshakes and the edge's handlers. Shared by all processes through the database: one of them orders.
//! Must never order for a name that is not a domain of ours, nor hold up a name that has a certificate.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ServerConfig;
use store::{Db, DbError};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::acme::{Authority, OrderError, Proof, Shelf};
use super::model::{self, Bound};
use super::queries::{self, StoredCertificate};
use super::tls::{self, KeyPairError};
use crate::clock::{Clock, Timestamp};
use crate::domains::{Domain, DomainStatus, DomainsService};
use crate::platform::Platform;
use crate::secret::{SealKey, Secrets};

/// How soon a certificate that another process renewed is taken over.
const FRESH: Duration = Duration::from_secs(60);
/// How soon a name without a certificate is looked up again.
const FRESH_ABSENCE: Duration = Duration::from_secs(2);
/// How long the outcome of an order is not asked for again by this process.
const OUTCOME_FOR: Duration = Duration::from_secs(30);
/// Names that are remembered.
const REMEMBERED: u64 = 20_000;
/// How long an order may take in all; the lease lasts a little longer.
const ORDER_TIMEOUT: Duration = Duration::from_secs(180);
const LEASE: Duration = Duration::from_secs(240);
/// How long a handshake waits for a certificate that is being ordered.
const HANDSHAKE_PATIENCE: Duration = Duration::from_secs(15);
/// How often what is due for renewal is looked for, and how much of it at a time.
const RENEWAL_ROUND: Duration = Duration::from_secs(60);
const RENEWALS_PER_ROUND: i64 = 20;
/// When to ask again whether a name that is no domain of ours is one again.
const POSTPONED: Duration = Duration::from_secs(24 * 60 * 60);
/// Bounds are looked at again after this time.
const BOUND_PAUSE: Duration = Duration::from_secs(60);

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Certificates(Arc<Inner>);

struct Inner {
    db: Db,
    clock: Clock,
    domains: DomainsService,
    authority: Authority,
    key_seal: SealKey,
    account_seal: SealKey,
    /// Where the first order's proof is given: over HTTP when this installation listens there.
    first_proof: Proof,
    remembered: moka::sync::Cache<String, Arc<Remembered>>,
    orders: moka::future::Cache<String, Outcome>,
    slots: Arc<Semaphore>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

struct Remembered {
    ready: Option<Ready>,
    since: Instant,
}

#[derive(Clone)]
struct Ready {
    config: Arc<ServerConfig>,
    not_after: Timestamp,
}

/// What came of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// There is a certificate.
    Issued,
    /// Another process orders it.
    Elsewhere,
    /// There is none, and will be none soon.
    None,
}

/// Why a name has no new certificate.
#[derive(Debug, thiserror::Error)]
enum NotOrdered {
    #[error("another process orders it")]
    Elsewhere,
    #[error("it was tried a short time ago")]
    TooEarly,
    #[error(transparent)]
    Bound(#[from] Bound),
    #[error("the certificate authority took too long")]
    TimedOut,
    #[error(transparent)]
    Order(#[from] OrderError),
    #[error("the certificate authority sent something unusable")]
    Unusable(#[from] KeyPairError),
    #[error(transparent)]
    Store(#[from] DbError),
}

impl Certificates {
    /// Sets the service up. None when the authority's settings are unusable. Starts nothing: see [`Certificates::run`].
    pub fn new(platform: &Platform, secrets: &Secrets, domains: &DomainsService) -> Option<Certificates> {
        let edge = &platform.config.edge;
        Some(Certificates(Arc::new(Inner {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            domains: domains.clone(),
            authority: Authority::new(edge)?,
            key_seal: secrets.seal_key("certificate keys"),
            account_seal: secrets.seal_key("certificate authority account"),
            first_proof: if edge.http_listen.is_some() { Proof::Http } else { Proof::Tls },
            remembered: moka::sync::Cache::new(REMEMBERED),
            // Lets everybody who waits for a name share one order, and keeps a failing one from being tried at every
            // request.
            orders: moka::future::Cache::builder().max_capacity(REMEMBERED).time_to_live(OUTCOME_FOR).build(),
            slots: Arc::new(Semaphore::new(model::AT_ONCE)),
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
        if let Some(ready) = self.find(host).await {
            return Some(ready.config);
        }
        self.domain_of(host).await?;
        let waiting = async {
            let outcome = self.order_once(host).await;
            loop {
                match self.read(host).await {
                    Some(ready) => return Some(ready.config),
                    None if outcome == Outcome::Elsewhere => {
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

    pub(super) async fn renew_due(&self) -> Result<(), DbError> {
        let now = self.0.clock.now();
        let due = queries::list_due(&mut self.0.db.read().await?, now, RENEWALS_PER_ROUND).await?;
        for host in due {
            if self.0.shutdown.is_cancelled() {
                break;
            }
            if let Some(domain) = self.domain_of(&host).await {
                self.order_logged(&host, &domain).await;
            } else {
                let mut tx = self.0.db.write().await?;
                queries::postpone_renewal(&mut tx, &host, now.plus(POSTPONED)).await?;
                tx.commit().await?;
            }
        }
        Ok(())
    }

    /// A certificate that can be used now, from memory or the database.
    async fn find(&self, host: &str) -> Option<Ready> {
        if let Some(known) = self.0.remembered.get(host) {
            let limit = if known.ready.is_some() { FRESH } else { FRESH_ABSENCE };
            if known.since.elapsed() < limit {
                return known.ready.clone().filter(|ready| ready.not_after > self.0.clock.now());
            }
        }
        self.read(host).await
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
                self.0.remembered.get(host).and_then(|known| known.ready.clone())
            }
        };
        let remembered = Remembered { ready: ready.clone(), since: Instant::now() };
        self.0.remembered.insert(host.to_owned(), Arc::new(remembered));
        ready.filter(|ready| ready.not_after > self.0.clock.now())
    }

    fn open(&self, stored: &StoredCertificate) -> Option<Ready> {
        let key = self.0.key_seal.open(&stored.sealed_key, &stored.host);
        let config = key.and_then(|key| tls::server_config(stored.chain.as_bytes(), &key).ok());
        if config.is_none() {
            tracing::error!(
                host = stored.host,
                "a stored certificate cannot be opened: was edge.secret changed?"
            );
        }
        Some(Ready { config: config?, not_after: Timestamp::from_millis(stored.not_after) })
    }

    /// The domain of ours that a certificate for the name would be for.
    async fn domain_of(&self, host: &str) -> Option<Domain> {
        let site = self.0.domains.find_for_edge(host).await.ok()??;
        let may_have_one = matches!(
            site.domain.status,
            DomainStatus::Connected | DomainStatus::ViaApi | DomainStatus::Pending
        );
        may_have_one.then(|| site.domain.clone())
    }

    /// Orders a certificate; whoever else wants one for the same name now waits for the same order.
    async fn order_once(&self, host: &str) -> Outcome {
        let Some(domain) = self.domain_of(host).await else { return Outcome::None };
        let ordering = async {
            let (certificates, name) = (self.clone(), host.to_owned());
            // On its own, so that a client which hangs up does not end it.
            let order = self.0.tasks.spawn(async move { certificates.order_logged(&name, &domain).await });
            order.await.unwrap_or(Outcome::None)
        };
        self.0.orders.get_with(host.to_owned(), ordering).await
    }

    /// Orders a certificate, unless it is too early, and says in the log what came of it.
    pub(super) async fn order_logged(&self, host: &str, domain: &Domain) -> Outcome {
        match self.order(host, domain).await {
            Ok(()) => {
                tracing::info!(host, "a certificate was issued");
                Outcome::Issued
            }
            Err(NotOrdered::Elsewhere) => Outcome::Elsewhere,
            Err(NotOrdered::TooEarly) => Outcome::None,
            Err(error) => {
                tracing::warn!(host, %error, "no certificate was issued");
                Outcome::None
            }
        }
    }

    async fn order(&self, host: &str, domain: &Domain) -> Result<(), NotOrdered> {
        let _slot = self.0.slots.acquire().await.expect("the semaphore is never closed");
        let holder = Uuid::now_v7().to_string();
        let failures = self.begin(host, domain, &holder).await?;
        // A proof that failed one way may succeed the other: a firewall on port 80, a proxy that ends TLS.
        let proof = match (self.0.first_proof, failures % 2) {
            (Proof::Http, 1) => Proof::Tls,
            (first, _) => first,
        };
        let order = tokio::time::timeout(ORDER_TIMEOUT, self.0.authority.order(host, proof, self));
        let issued = match order.await {
            Ok(Ok(issued)) => self.sealed(host, &issued.chain, &issued.key).map_err(NotOrdered::from),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(NotOrdered::TimedOut),
        };
        self.end(host, &holder, failures, issued).await
    }

    /// Takes the lease and counts the order, in one transaction. Answers the failures so far.
    async fn begin(&self, host: &str, domain: &Domain, holder: &str) -> Result<u64, NotOrdered> {
        let now = self.0.clock.now();
        let mut tx = self.0.db.write().await?;
        if !queries::take_lease(&mut tx, host, holder, now, now.plus(LEASE)).await? {
            let is_ordered = queries::is_leased(&mut tx, host, now).await?;
            return Err(if is_ordered { NotOrdered::Elsewhere } else { NotOrdered::TooEarly });
        }
        let failures = queries::count_failures(&mut tx, host).await?;
        let account = domain.account_id.as_str();
        if let Err(bound) = model::may_order(queries::count_last_hour(&mut tx, account, now).await?) {
            queries::end_lease(
                &mut tx,
                host,
                holder,
                failures,
                Some(&bound.to_string()),
                now.plus(BOUND_PAUSE),
            )
            .await?;
            tx.commit().await?;
            return Err(bound.into());
        }
        queries::record_attempt(&mut tx, &Uuid::now_v7().to_string(), host, account, now).await?;
        tx.commit().await?;
        Ok(failures)
    }

    /// Stores what came out and gives the lease back, in one transaction.
    async fn end(
        &self,
        host: &str,
        holder: &str,
        failures: u64,
        issued: Result<StoredCertificate, NotOrdered>,
    ) -> Result<(), NotOrdered> {
        let now = self.0.clock.now();
        let mut tx = self.0.db.write().await?;
        queries::delete_challenges(&mut tx, host, now).await?;
        let (failures, error) = match &issued {
            Ok(_) => (0, None),
            Err(error) => (failures + 1, Some(error.to_string())),
        };
        if let Ok(certificate) = &issued {
            queries::save_certificate(&mut tx, certificate, now).await?;
        }
        let not_until = now.plus(model::wait_after(failures));
        queries::end_lease(&mut tx, host, holder, failures, error.as_deref(), not_until).await?;
        tx.commit().await?;
        self.0.remembered.invalidate(host);
        issued.map(drop)
    }

    fn sealed(&self, host: &str, chain: &str, key: &str) -> Result<StoredCertificate, KeyPairError> {
        // A certificate that we could not use would only keep us from ordering another.
        tls::server_config(chain.as_bytes(), key.as_bytes())?;
        let (not_before, not_after) = tls::validity(chain)?;
        Ok(StoredCertificate {
            host: host.to_owned(),
            chain: chain.to_owned(),
            sealed_key: self.0.key_seal.seal(key.as_bytes(), host),
            not_before: not_before.as_millis(),
            not_after: not_after.as_millis(),
            renew_at: model::renew_at(not_before, not_after, chance()).as_millis(),
        })
    }
}

impl Shelf for Certificates {
    async fn credentials(&self, directory_url: &str) -> Result<Option<String>, OrderError> {
        let find = async { queries::find_acme_account(&mut self.0.db.read().await?, directory_url).await };
        let sealed = find.await.map_err(shelf_error)?;
        let opened = sealed.and_then(|sealed| self.0.account_seal.open(&sealed, directory_url));
        Ok(opened.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    async fn keep_credentials(&self, directory_url: &str, credentials: &str) -> Result<(), OrderError> {
        let sealed = self.0.account_seal.seal(credentials.as_bytes(), directory_url);
        let save = async {
            let mut tx = self.0.db.write().await?;
            queries::save_acme_account(&mut tx, directory_url, &sealed, self.0.clock.now()).await?;
            tx.commit().await
        };
        save.await.map_err(shelf_error)
    }

    async fn show(&self, token: &str, host: &str, proof: &str) -> Result<(), OrderError> {
        let save = async {
            let mut tx = self.0.db.write().await?;
            queries::save_challenge(&mut tx, token, host, proof, self.0.clock.now().plus(LEASE)).await?;
            tx.commit().await
        };
        save.await.map_err(shelf_error)
    }
}

fn shelf_error(error: DbError) -> OrderError {
    OrderError::Shelf(Box::new(error))
}

/// A number from 0 to 1.
fn chance() -> f64 {
    f64::from(u32::from_le_bytes(crate::secret::random())) / f64::from(u32::MAX)
}
