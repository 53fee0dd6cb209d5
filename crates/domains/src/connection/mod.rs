//! Connection checks: whether a domain points at this service. Used by the Domains API, the edge and the command line.
//!
//! `dns_records` lists the records to create at the DNS provider; `dns` and `prober` collect the findings, `check` evaluates
//! them, and `DomainsService::promote` stores the result. A check only promotes: must never demote a domain.

pub mod cdn;
mod check;
mod checked_records;
mod dns;
mod dns_records;
pub mod mark;
pub mod probe;
mod prober;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use store::DbError;
use tokio::sync::Semaphore;

use self::cdn::CdnRanges;
use self::checked_records::{KeptFindings, KnownAddresses};
use self::mark::ProbeMarks;
use self::probe::{ProbeKey, ProbeResponse, ProbeRoute};
use super::ownership::OwnershipKey;
use super::service::Added;
use super::{Domain, DomainStatus, DomainsService};
use accounts::{AccountId, Accounts};
use platform::Platform;
use platform::limits::KeyedCount;

pub use check::{CheckResult, ConnectionFindings, DnsResult, Ownership, ProbeResult};
pub use checked_records::{CheckedRecord, ConnectionRecords, RecordState};
pub use dns::{Dns, DnsLookup, DnsName, Ours, Txt};
pub use dns_records::{DnsRecord, RequiredRecords, is_subdomain, ownership_name};
pub use prober::{Prober, Way};

/// Time after a check that the edge started before which it starts no other check of the same host.
const CHECK_EVERY: Duration = Duration::from_secs(10);
/// Maximum number of hosts that the edge checks at once; further hosts are checked at their next visit.
const CHECKS_AT_ONCE: usize = 32;
/// Maximum number of these hosts that belong to one account.
const CHECKS_AT_ONCE_PER_ACCOUNT: usize = CHECKS_AT_ONCE / 4;
/// Maximum number of claims of one name that a check for a visitor covers, the oldest first.
const MAX_CLAIMS: usize = 100;
/// Capacity of the cache of recently checked hosts.
const REMEMBERED: u64 = 50_000;

/// Service of connection checks. Cheap to clone.
#[derive(Clone)]
pub struct Connection(Arc<Inner>);

struct Inner {
    platform: Platform,
    domains: DomainsService,
    accounts: Accounts,
    dns: Dns,
    ranges: CdnRanges,
    prober: Prober,
    probe_key: ProbeKey,
    ownership_key: OwnershipKey,
    recently: cache::Cache<str, ()>,
    running: Arc<Semaphore>,
    running_of: KeyedCount<AccountId>,
}

/// Result of a check with all findings.
#[derive(Debug, Clone)]
pub struct ConnectionReport {
    /// Response of the check endpoint.
    pub result: CheckResult,
    /// Findings on which the response is based.
    pub findings: ConnectionFindings,
    /// Reasons why the records do not match, one sentence each.
    pub problems: Vec<String>,
    /// DNS records that the domain needs.
    pub required: RequiredRecords,
}

impl Connection {
    /// Makes the service. Sends nothing yet.
    pub fn new(platform: &Platform, domains: DomainsService, accounts: Accounts) -> Connection {
        let probe_key = ProbeKey::new(&platform.secrets);
        Connection(Arc::new(Inner {
            domains,
            accounts,
            dns: Dns::new(&platform.config, &platform.network),
            ranges: CdnRanges::load(&platform.config.storage.data_dir),
            prober: Prober::new(
                &platform.network,
                probe_key.clone(),
                ProbeMarks::new(&platform.secrets),
                platform.clock.clone(),
            ),
            probe_key,
            ownership_key: OwnershipKey::new(&platform.secrets),
            recently: cache::Cache::builder(REMEMBERED).time_to_live(CHECK_EVERY).build(),
            running: Arc::new(Semaphore::new(CHECKS_AT_ONCE)),
            running_of: KeyedCount::default(),
            platform: platform.clone(),
        }))
    }

    /// Returns the required value of a domain's TXT record, when another account can claim the domain.
    pub async fn ownership(&self, domain: &Domain) -> Result<Option<String>, DbError> {
        let is_contested = self.0.domains.is_contested(domain).await?;
        Ok(is_contested.then(|| self.ownership_value(domain)))
    }

    /// Returns the DNS records that a domain needs now.
    pub async fn required_records(&self, domain: &Domain) -> Result<RequiredRecords, DbError> {
        let ownership = self.ownership(domain).await?;
        let edge = &self.0.platform.config.edge;
        Ok(RequiredRecords::of(&domain.host, edge, ownership.as_deref()))
    }

    /// Returns the DNS records that a domain needs now, with the findings of the last check.
    pub async fn checked_records(&self, domain: &Domain) -> Result<ConnectionRecords, DbError> {
        let required = self.required_records(domain).await?;
        let kept = self.0.domains.find_check(&domain.id).await?;
        // Findings of an incompatible version count as none.
        let kept = kept.and_then(|(at, text)| Some((at, serde_json::from_str::<KeptFindings>(&text).ok()?)));
        let known = KnownAddresses { ours: self.0.dns.ours(), ranges: &self.0.ranges };
        Ok(ConnectionRecords::of(&domain.host, required, kept, known))
    }

    /// Returns the DNS records that a new domain needs. Cannot fail.
    pub fn records_of_new(&self, added: &Added) -> RequiredRecords {
        let ownership = added.is_contested.then(|| self.ownership_value(&added.domain));
        RequiredRecords::of(&added.domain.host, &self.0.platform.config.edge, ownership.as_deref())
    }

    fn ownership_value(&self, domain: &Domain) -> String {
        self.0.ownership_key.value(&domain.account_id, &domain.host)
    }

    /// Checks a domain, and promotes it when it is pending and points at the service. Takes ten seconds at most.
    pub async fn check(&self, domain: &Domain) -> Result<CheckResult, DbError> {
        self.warn_without_addresses();
        Ok(self.examine(domain).await?.result)
    }

    /// Checks a domain like [`Connection::check`], and returns all findings.
    pub async fn examine(&self, domain: &Domain) -> Result<ConnectionReport, DbError> {
        let (claims, accounts) = ([domain], [&domain.account_id]);
        let (records, ways) =
            tokio::join!(self.look_up(&claims), self.0.prober.probe(&domain.host, &accounts));
        let mut findings = records?.remove(0);
        findings.probe = ways[0];
        self.conclude(domain, findings).await
    }

    /// Decides whether a certificate may be ordered for a name of a domain: its own address records point at the service, or,
    /// once the domain is served, at a known CDN in front. Addresses are not checked when the service does not know its own.
    ///
    /// A pending domain also needs an active account and an uncontested or proven claim: a stranger's claim below another
    /// owner's wildcard record must not get a certificate. See docs/decisions/0062.
    pub async fn may_be_certified(&self, host: &str, domain: &Domain) -> Result<bool, DbError> {
        let is_pending = domain.status == DomainStatus::Pending;
        if is_pending && !self.is_credible(domain).await? {
            return Ok(false);
        }
        let ours = self.0.dns.ours();
        if ours.is_empty() {
            return Ok(true);
        }
        let names = self.0.dns.look_up(host).await;
        let Some(DnsLookup::Addresses(addresses)) = names.first().map(|name| &name.found) else {
            return Ok(false);
        };
        let is_cdn = |ip: IpAddr| self.0.ranges.provider_of(ip).is_some();
        Ok(match is_pending {
            true => addresses.iter().all(|address| ours.contain(*address)),
            false => addresses.iter().any(|address| ours.contain(*address) || is_cdn(*address)),
        })
    }

    /// Decides whether a claim is of an active account, and either the only one of its site or proven.
    async fn is_credible(&self, claim: &Domain) -> Result<bool, DbError> {
        self.0.accounts.current().await?;
        if !self.0.accounts.is_active(&claim.account_id) {
            return Ok(false);
        }
        let ownership = self.find_ownerships(&[claim]).await?.into_iter().flatten().next();
        Ok(ownership.is_none_or(|ownership| ownership.found == Txt::There))
    }

    /// Checks every pending claim of a host in the background, at most once in ten seconds. `account` has the claim that the
    /// edge served: the hosts of one account get only a part of the slots.
    pub fn check_soon(&self, host: &str, account: &AccountId) {
        if !self.0.recently.insert_if_absent(host, ()) {
            return;
        }
        let share = self.0.running_of.acquire(account.clone(), CHECKS_AT_ONCE_PER_ACCOUNT);
        let (Some(share), Ok(slot)) = (share, self.0.running.clone().try_acquire_owned()) else {
            self.0.recently.remove(host);
            return;
        };
        let (connection, host) = (self.clone(), host.to_owned());
        self.0.platform.tasks.spawn(async move {
            tokio::select! {
                () = connection.0.platform.shutdown.cancelled() => {}
                result = connection.check_claims(&host) => {
                    if let Err(error) = result {
                        tracing::warn!(host, %error, "a pending domain could not be checked");
                    }
                }
            }
            drop((slot, share));
        });
    }

    pub async fn check_claims(&self, host: &str) -> Result<(), DbError> {
        self.warn_without_addresses();
        let mut claims = self.0.domains.list_by_host(host).await?;
        // Only active accounts, since a check is costly whatever starts it.
        self.0.accounts.current().await?;
        claims.retain(|claim| {
            claim.status == DomainStatus::Pending && self.0.accounts.is_active(&claim.account_id)
        });
        claims.truncate(MAX_CLAIMS);
        let claims: Vec<&Domain> = claims.iter().collect();

        let mut found = self.look_up(&claims).await?;
        let matches = |findings: &ConnectionFindings| findings.dns(self.0.dns.ours(), &self.0.ranges).r#match;
        // Without a probe when records match: a visitor is waiting, and a probe may take long.
        if !found.iter().any(matches) {
            let accounts: Vec<&AccountId> = claims.iter().map(|claim| &claim.account_id).collect();
            let ways = self.0.prober.probe(host, &accounts).await;
            found.iter_mut().zip(ways).for_each(|(findings, way)| findings.probe = way);
        }
        for (claim, findings) in claims.into_iter().zip(found) {
            if self.conclude(claim, findings).await?.result.promoted {
                // At most one account can have a name served.
                return Ok(());
            }
        }
        Ok(())
    }

    /// Looks up the DNS records of claims of one host. Each lookup is made once for all claims.
    async fn look_up(&self, claims: &[&Domain]) -> Result<Vec<ConnectionFindings>, DbError> {
        let Some(first) = claims.first() else { return Ok(Vec::new()) };
        let (names, ownerships) = tokio::join!(self.0.dns.look_up(&first.host), self.find_ownerships(claims));
        let found = |ownership| ConnectionFindings { names: names.clone(), ownership, probe: None };
        Ok(ownerships?.into_iter().map(found).collect())
    }

    /// Finds the ownership record of each claim; none for a claim that is not contested.
    async fn find_ownerships(&self, claims: &[&Domain]) -> Result<Vec<Option<Ownership>>, DbError> {
        let mut values = Vec::new();
        for claim in claims {
            values.push(self.ownership(claim).await?);
        }
        let Some(first) = claims.first().filter(|_| values.iter().any(Option::is_some)) else {
            return Ok(values.into_iter().map(|_| None).collect());
        };
        let name = ownership_name(&first.host);
        let texts = self.0.dns.texts_of(&name).await;
        let ownership = |value: String| Ownership { found: texts.say(&value), name: name.clone(), value };
        Ok(values.into_iter().map(|value| value.map(ownership)).collect())
    }

    /// Answers a probe at the render endpoint that a customer's own server has forwarded. Returns none for any other request.
    pub fn respond_over_api(&self, domain: &Domain, url: &url::Url) -> Option<ProbeResponse> {
        let route = ProbeRoute::Api(&domain.account_id);
        self.0.probe_key.respond(url.path(), url.host_str()?, route, self.0.platform.clock.now())
    }

    async fn conclude(
        &self,
        domain: &Domain,
        findings: ConnectionFindings,
    ) -> Result<ConnectionReport, DbError> {
        let (ours, ranges) = (self.0.dns.ours(), &self.0.ranges);
        let dns = findings.dns(ours, ranges);
        let promoted = match findings.earned(dns) {
            Some(status) if domain.status == DomainStatus::Pending => {
                self.0.domains.promote(domain, status, findings.proof()).await?
            }
            _ => false,
        };
        let stored = self.0.domains.find_by_id(&domain.id).await?;
        let required = RequiredRecords::of(
            &domain.host,
            &self.0.platform.config.edge,
            findings.ownership.as_ref().map(|ownership| ownership.value.as_str()),
        );
        let result = CheckResult {
            dns,
            probe: ProbeResult { ok: findings.probe.is_some() },
            // A domain that was removed meanwhile is returned with its previous status.
            status: stored.map_or(domain.status, |stored| stored.status),
            promoted,
        };
        let problems = findings.problems(ours, ranges);
        self.keep(domain, &findings, &problems).await;
        Ok(ConnectionReport { result, problems, findings, required })
    }

    /// Stores the findings of a check. A failure is logged and does not fail the check.
    async fn keep(&self, domain: &Domain, findings: &ConnectionFindings, problems: &[String]) {
        let kept = KeptFindings { findings: findings.clone(), problems: problems.to_vec() };
        let text = serde_json::to_string(&kept).expect("findings are plain data");
        if let Err(error) = self.0.domains.keep_check(&domain.id, &text).await {
            tracing::warn!(domain = %domain.host, %error, "what a check found could not be kept");
        }
    }

    fn warn_without_addresses(&self) {
        static ONCE: std::sync::Once = std::sync::Once::new();
        if self.0.dns.ours().is_empty() {
            ONCE.call_once(|| {
                tracing::warn!(
                    "edge.public_ipv4 and edge.public_ipv6 are empty: no domain's DNS records can match"
                );
            });
        }
    }
}
