//! Verification of a crawler's identity: by its address (published ranges, then reverse DNS) and by its signature.
//! Used by the edge, which sees clients' addresses, and by the render endpoint, to which integrations state them. Must never
//! delay an answer for longer than [`PATIENCE`]. Must never accept an address outside a provider's published ranges as that
//! provider's because DNS does not answer.

pub mod ranges;
mod reverse_dns;
pub mod signature;
mod signers;

use std::net::IpAddr;
use std::time::Duration;

use http::HeaderMap;
use tokio_util::task::TaskTracker;

use self::ranges::RangeTable;
use self::reverse_dns::ReverseDns;
use self::signature::Signatures;
use super::crawlers::Crawler;
use super::model::Verified;
use platform::Platform;
use platform::clock::Clock;

/// Time for which a verified address is remembered.
const KNOWN_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Time for which any other result is remembered.
const UNKNOWN_FOR: Duration = Duration::from_secs(60 * 60);
/// Maximum number of pairs of a crawler and an address that are remembered.
const REMEMBERED: u64 = 100_000;
/// Maximum number of concurrent DNS lookups; further ones are left for the next visit.
const LOOKUPS_AT_ONCE: usize = 64;
/// Time that an answer waits for DNS, once for each crawler and address.
const PATIENCE: Duration = Duration::from_secs(2);

/// Claim of a client to be a crawler, and the result of its check.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// True when the client counts as a crawler.
    pub is_crawler: bool,
    /// Crawler that the client claims to be, or that it has signed as.
    pub crawler: Option<&'static Crawler>,
    /// Result of the check of the claim.
    pub verified: Verified,
}

/// Verifier of crawlers. Cheap to clone.
#[derive(Clone)]
pub struct Verifier {
    ranges: std::sync::Arc<RangeTable>,
    dns: ReverseDns,
    signatures: Signatures,
    remembered: cache::Cache<(&'static str, IpAddr), (Verified, i64)>,
    lookups: std::sync::Arc<tokio::sync::Semaphore>,
    clock: Clock,
    tasks: TaskTracker,
}

impl Verifier {
    /// Reads the ranges: the file of the data folder when there is one, else those compiled in.
    pub fn new(platform: &Platform) -> Verifier {
        Verifier {
            ranges: std::sync::Arc::new(RangeTable::of_installation(&platform.config.storage.data_dir)),
            dns: ReverseDns::new(&platform.config.network.dns_servers),
            signatures: Signatures::new(platform),
            remembered: cache::Cache::builder(REMEMBERED).time_to_live(KNOWN_FOR).build(),
            lookups: std::sync::Arc::new(tokio::sync::Semaphore::new(LOOKUPS_AT_ONCE)),
            clock: platform.clock.clone(),
            tasks: platform.tasks.clone(),
        }
    }

    /// Checks a client. `claimed` is the crawler of its user agent, `authority` the requested host.
    pub async fn check(
        &self,
        claimed: Option<&'static Crawler>,
        address: IpAddr,
        headers: &HeaderMap,
        authority: &str,
    ) -> Claim {
        if signature::is_signed(headers)
            && let Some(agent) = Box::pin(self.signatures.verify(headers, authority)).await
        {
            let crawler = claimed.filter(|crawler| crawler.provider == agent.provider);
            let crawler = Some(crawler.unwrap_or(agent));
            return Claim { is_crawler: true, crawler, verified: Verified::Yes };
        }
        let verified = match claimed {
            Some(crawler) => Box::pin(self.by_address(crawler, address)).await,
            None => Verified::Unknown,
        };
        Claim { is_crawler: claimed.is_some(), crawler: claimed, verified }
    }

    /// Returns the result for a claim by the address alone; none: a DNS query is necessary.
    pub fn known(&self, crawler: &'static Crawler, address: IpAddr) -> Option<Verified> {
        let now = self.clock.now();
        self.ranges.verify(crawler, address, now).or_else(|| {
            let remembered = self.remembered.get(&(crawler.id.as_str(), address))?;
            (now.as_millis() < remembered.1).then_some(remembered.0)
        })
    }

    /// Verifies a claim by the address alone. Waits for DNS at a first visit, so that an impostor's is like the ones after it.
    pub async fn by_address(&self, crawler: &'static Crawler, address: IpAddr) -> Verified {
        if let Some(verified) = self.known(crawler, address) {
            return verified;
        }
        // A failure of DNS must not verify an address that the provider does not publish.
        let unanswered = if self.ranges.know(crawler) { Verified::No } else { Verified::Unknown };
        let Ok(slot) = self.lookups.clone().try_acquire_owned() else { return unanswered };
        let verifier = self.clone();
        let lookup = self.tasks.spawn(async move {
            let verified = match verifier.dns.check(address, &crawler.reverse_dns).await {
                Verified::Unknown => unanswered,
                answered => answered,
            };
            let keep = if verified == Verified::Yes { KNOWN_FOR } else { UNKNOWN_FOR };
            let until = verifier.clock.now().plus(keep).as_millis();
            verifier.remembered.insert(&(crawler.id.as_str(), address), (verified, until));
            drop(slot);
            verified
        });
        match tokio::time::timeout(PATIENCE, lookup).await {
            Ok(Ok(verified)) => verified,
            _ => unanswered,
        }
    }
}

#[cfg(test)]
mod tests;
