//! Service of connected domains: adding, finding, suspending and removing them, and saving their settings.
//! Used by the render endpoint, the edge, the Domains API and the command line. The pure files validate single settings;
//! this service makes the checks that need other records.

mod changes;
mod locks;
mod promotion;
mod root_files;

use std::sync::{Arc, OnceLock};

use crawler::url::OriginHost;
use store::{Conn, Db, DbError, Tx};

use super::directory::DomainDirectory;
use super::jobs::RemoveDomain;
use super::model::{Domain, DomainId, DomainStatus, Rendering, Settings};
use super::names::{self, OriginProblem};
use super::ownership::is_contested;
use super::queries;
use super::root_files::RootFiles;
use super::site::Site;
use accounts::{AccountId, VisibleAccount};
use platform::Platform;
use platform::clock::{Clock, Timestamp};
use platform::config::Config;
use platform::follow::Follower;
use platform::jobs::{Job, Jobs, NewJob};
use platform::plans::PlanLimit;
use webhooks::events::DomainConnected;
use webhooks::{Events, NewEvent};

pub use changes::DomainChangeError;
pub use locks::Lock;

/// A domain to add.
#[derive(Debug, Clone, Default)]
pub struct NewDomain {
    /// Name as it was typed.
    pub domain: String,
    /// Origin host as it was typed; none or empty: the domain itself.
    pub origin_host: Option<String>,
    /// Address of the sitemap; none: no sitemap.
    pub sitemap_url: Option<String>,
    /// Initial status: pending, unless the operator declares the domain connected.
    pub status: DomainStatus,
}

/// A domain that was added.
#[derive(Debug, Clone)]
pub struct Added {
    pub domain: Domain,
    /// True when another account has a claim on the domain's site, so that the domain needs its ownership record.
    pub is_contested: bool,
}

/// Reason why a domain was not added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The name is not a registrable name or a subdomain of one.
    #[error(
        "is not a domain that can be connected: a registrable name such as shop.com, or a subdomain of one"
    )]
    InvalidDomain,
    /// The edge serves this installation itself at the name.
    #[error("it is the address of this installation (server.public_url)")]
    OwnHost,
    /// The origin host cannot be used.
    #[error("{0}")]
    Origin(OriginProblem),
    /// The sitemap's address is not an http(s) URL.
    #[error("the sitemap is not an absolute http(s) URL")]
    InvalidSitemapUrl,
    /// The name is locked by the operator.
    #[error("this domain is suspended")]
    Suspended,
    /// This account has the domain, or another account serves it.
    #[error("this domain is connected already")]
    AlreadyConnected,
    /// The plan allows no further domain.
    #[error("the plan allows {limit} domains")]
    LimitReached {
        /// Number of domains that the plan allows.
        limit: u64,
        /// Number of domains of the account.
        current: u64,
    },
    /// The database failed.
    #[error("could not reach the database")]
    Store(#[from] DbError),
}

#[derive(Clone)]
pub struct DomainsService {
    db: Db,
    clock: Clock,
    jobs: Jobs,
    events: Events,
    /// Refresh interval of new domains, in seconds.
    default_refresh_interval_s: u64,
    /// Host at which the edge serves this installation itself.
    own_host: Option<Arc<str>>,
    /// All domains in memory. The follower keeps them equal to the database.
    directory: Arc<DomainDirectory>,
    follower: Follower,
    /// Jobs that are queued when a domain is connected.
    when_connected: Arc<OnceLock<JobsOf>>,
    /// Files at the roots of sites, by id and version of the record.
    root_files: cache::Cache<(&'static str, u64), RootFiles>,
}

/// Function that returns the jobs to queue for a domain.
type JobsOf = fn(&Domain) -> Vec<NewJob>;

impl DomainsService {
    /// Makes the service.
    pub fn new(platform: &Platform, jobs: &Jobs, follower: &Follower) -> DomainsService {
        let (db, clock) = (platform.db.clone(), platform.clock.clone());
        DomainsService::with(db, clock, jobs.clone(), follower.clone(), &platform.config)
    }

    /// Makes the service on a database alone, for commands.
    pub fn on(db: Db, clock: Clock, config: &Config) -> DomainsService {
        let jobs = Jobs::new(db.clone(), clock.clone());
        let follower = Follower::of_command(db.clone());
        DomainsService::with(db, clock, jobs, follower, config)
    }

    fn with(db: Db, clock: Clock, jobs: Jobs, follower: Follower, config: &Config) -> DomainsService {
        let directory = Arc::new(DomainDirectory::default());
        follower.register(directory.clone());
        DomainsService {
            events: Events::new(&clock, &jobs),
            db,
            clock,
            jobs,
            default_refresh_interval_s: config.render.default_refresh_interval_s,
            own_host: config.own_host().map(Arc::from),
            directory,
            follower,
            when_connected: Arc::default(),
            root_files: root_files::remembered(),
        }
    }

    pub(crate) fn db(&self) -> &Db {
        &self.db
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Sets the jobs that are queued together with every promotion to connected. `app` calls this once.
    pub fn queue_when_connected(&self, jobs: JobsOf) {
        let _ = self.when_connected.set(jobs);
    }

    /// Adds a domain to an account whose plan allows `limit` domains.
    ///
    /// The data of the response is known before the domain is added, so that no failure leaves a domain behind.
    pub async fn add(
        &self,
        account: &AccountId,
        limit: PlanLimit,
        new: NewDomain,
    ) -> Result<Added, AddError> {
        let host = names::parse_domain(&new.domain).ok_or(AddError::InvalidDomain)?;
        if self.is_own(&host) {
            return Err(AddError::OwnHost);
        }
        let origin_host = check_origin(&host, new.origin_host.as_deref().unwrap_or(""))?;
        let sitemap_url = check_sitemap(new.sitemap_url.as_deref().unwrap_or(""))?;
        let now = self.clock.now();
        let domain = Domain {
            id: DomainId::generate(),
            account_id: account.clone(),
            status: new.status,
            settings: Settings {
                origin_host,
                sitemap_url,
                on_demand_render_enabled: true,
                ..Settings::default()
            },
            rendering: Rendering::new(self.default_refresh_interval_s),
            version: 1,
            created_at: now,
            updated_at: now,
            host,
        };
        let is_contested = self.insert(&domain, limit).await?;
        self.follower.take_over().await;
        Ok(Added { domain, is_contested })
    }

    /// Inserts a new record. Returns true when the domain is contested.
    async fn insert(&self, domain: &Domain, limit: PlanLimit) -> Result<bool, AddError> {
        let mut tx = self.db.write().await?;
        queries::lock_account(&mut tx, &domain.account_id).await?;
        queries::lock_site(&mut tx, &domain.host).await?;
        if queries::is_locked(&mut tx, &domain.host).await? {
            return Err(AddError::Suspended);
        }
        self.check_is_free(&mut tx, domain).await?;
        let current = queries::count_domains(&mut tx, &domain.account_id).await?;
        if !limit.allows(current + 1) {
            return Err(AddError::LimitReached { limit: limit.most().unwrap_or(u64::MAX), current });
        }
        let is_contested = is_contested(&mut tx, domain, self.clock.now()).await?;
        queries::insert_domain(&mut tx, domain).await.map_err(|error| match error.is_unique_violation() {
            // A concurrent request has added the name.
            true => AddError::AlreadyConnected,
            false => AddError::Store(error),
        })?;
        self.tell_connected(&mut tx, domain, domain.status).await?;
        tx.commit_durably().await?;
        self.events.wake();
        Ok(is_contested)
    }

    /// Tells webhooks that a domain has a served status. Does nothing for another status.
    async fn tell_connected(
        &self,
        tx: &mut Tx,
        domain: &Domain,
        status: DomainStatus,
    ) -> Result<(), DbError> {
        if !matches!(status, DomainStatus::Connected | DomainStatus::ViaApi) {
            return Ok(());
        }
        let data = DomainConnected { status: status.as_str().to_owned() }.into();
        let event = NewEvent { account: &domain.account_id, domain: Some(&domain.host), data };
        self.events.emit(tx, event).await
    }

    /// Rejects a name that the account has, and a name that another account serves, under this name or its twin. A pending
    /// claim of another account blocks no name.
    async fn check_is_free(&self, conn: &mut Conn, domain: &Domain) -> Result<(), AddError> {
        let others = queries::list_by_host(conn, &domain.host).await?;
        let twins = match names::twin(&domain.host) {
            Some(twin) => queries::list_by_host(conn, &twin).await?,
            None => Vec::new(),
        };
        let is_own = others.iter().any(|other| other.account_id == domain.account_id);
        let is_served = others
            .iter()
            .chain(&twins)
            .any(|other| other.account_id != domain.account_id && other.status != DomainStatus::Pending);
        if is_own || is_served { Err(AddError::AlreadyConnected) } else { Ok(()) }
    }

    /// Finds the account's domain that a host belongs to: the name itself, or its `www.`/apex twin.
    ///
    /// Reads memory that is at most two seconds old while the database is available. Fails only before the first load.
    pub async fn find(&self, account: &AccountId, host: &str) -> Result<Option<Arc<Site>>, DbError> {
        self.follower.current().await?;
        if let Some(site) = self.directory.find(account, host) {
            return Ok(Some(site));
        }
        self.follower.caught_up().await;
        Ok(self.directory.find(account, host))
    }

    /// Finds a domain like [`DomainsService::find`], without waiting. Returns none while the memory is not current.
    pub fn find_in_memory(&self, account: &AccountId, host: &str) -> Option<Arc<Site>> {
        self.follower.is_current().then(|| self.directory.find(account, host))?
    }

    /// Finds the domain that the edge serves for a host, over all accounts: a served one before a suspended one before the
    /// oldest claim. Reads memory like [`DomainsService::find`].
    pub async fn find_for_edge(&self, host: &str) -> Result<Option<Arc<Site>>, DbError> {
        self.follower.current().await?;
        if let Some(site) = self.directory.find_for_edge(host) {
            return Ok(Some(site));
        }
        self.follower.caught_up().await;
        Ok(self.directory.find_for_edge(host))
    }

    /// Decides whether a domain of this name would cover the installation's own host, which no account may add.
    fn is_own(&self, host: &str) -> bool {
        let Some(own) = self.own_host.as_deref() else { return false };
        host == own || names::twin(host).as_deref() == Some(own)
    }

    /// Finds the domain with an id in the database.
    pub async fn find_by_id(&self, id: &DomainId) -> Result<Option<Domain>, DbError> {
        queries::find_domain_by_id(&mut self.db.read().await?, id).await
    }

    /// Finds the account's record of exactly this name.
    pub async fn find_exact(&self, account: &AccountId, host: &str) -> Result<Option<Domain>, DbError> {
        queries::find_domain(&mut self.db.read().await?, account, host).await
    }

    /// Finds the account's record of a name as it was typed. Returns none for an invalid name.
    pub async fn find_typed(&self, account: &AccountId, text: &str) -> Result<Option<Domain>, DbError> {
        match names::parse_domain(text) {
            Some(host) => self.find_exact(account, &host).await,
            None => Ok(None),
        }
    }

    /// Lists the domains of an account, or of all accounts, in the order they were added.
    pub async fn list(&self, account: Option<&AccountId>) -> Result<Vec<Domain>, DbError> {
        queries::list_domains(&mut self.db.read().await?, account).await
    }

    /// Lists the domains that a caller sees of its account, in the order they were added.
    pub async fn list_seen(&self, visible: &VisibleAccount<'_>) -> Result<Vec<Domain>, DbError> {
        let mut domains = self.list(Some(visible.account)).await?;
        domains.retain(|domain| visible.sees(&domain.host));
        Ok(domains)
    }

    /// Lists every account's record of a name.
    pub async fn list_by_host(&self, host: &str) -> Result<Vec<Domain>, DbError> {
        queries::list_by_host(&mut self.db.read().await?, host).await
    }

    /// Finds the time at which a check moved a domain out of pending; none when no check has.
    pub async fn find_connected_at(&self, id: &DomainId) -> Result<Option<Timestamp>, DbError> {
        queries::find_connected_at(&mut self.db.read().await?, id).await
    }

    /// Stores the findings of a domain's check, as text.
    pub(super) async fn keep_check(&self, id: &DomainId, findings: &str) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        queries::put_check(&mut tx, id, findings, self.clock.now()).await?;
        tx.commit().await
    }

    /// Finds the time and the findings of a domain's last check.
    pub(super) async fn find_check(&self, id: &DomainId) -> Result<Option<(Timestamp, String)>, DbError> {
        queries::find_check(&mut self.db.read().await?, id).await
    }

    /// Counts an account's domains.
    pub async fn count(&self, account: &AccountId) -> Result<u64, DbError> {
        queries::count_domains(&mut self.db.read().await?, account).await
    }

    /// Removes a domain; its name is free at once. Returns false when the domain was already removed.
    ///
    /// A job that is queued in the same transaction deletes the domain's data.
    pub async fn remove(&self, domain: &Domain) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        promotion::remember_removal(&mut tx, domain, self.clock.now()).await?;
        if !queries::mark_removed(&mut tx, &domain.id, self.clock.now()).await? {
            return Ok(false);
        }
        let job = RemoveDomain { domain: domain.id.clone() }.queued_for(domain.account_id.as_str());
        self.jobs.enqueue(&mut tx, vec![job]).await?;
        tx.commit_durably().await?;
        self.jobs.wake();
        self.follower.take_over().await;
        Ok(true)
    }

    /// Deletes the record of a removed domain, after its data.
    pub async fn delete_removed(&self, id: &DomainId) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        queries::delete_removed(&mut tx, id).await?;
        tx.commit().await
    }
}

/// Parses a domain's origin host. A blank text means no origin host.
fn check_origin(host: &str, text: &str) -> Result<Option<OriginHost>, AddError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    names::check_origin(host, text).map(Some).map_err(AddError::Origin)
}

fn check_sitemap(text: &str) -> Result<String, AddError> {
    if text.is_empty() {
        return Ok(String::new());
    }
    let url = url::Url::parse(text).map_err(|_| AddError::InvalidSitemapUrl)?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url.into()),
        _ => Err(AddError::InvalidSitemapUrl),
    }
}

#[cfg(test)]
mod tests;
