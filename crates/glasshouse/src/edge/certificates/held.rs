//! Every certificate there is, in memory as it is stored: about two kilobytes each, the issuer's part shared. What a handshake
//! asks for is opened, and some of what was opened is kept. Used by the certificates' service and by handshakes; the follower
//! keeps it equal to the table. Must never hold a private key in the clear for longer than handshakes ask for it.
//! See docs/decisions/0257.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use futures::future::BoxFuture;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use store::{Conn, DbError};

use super::queries::{self, StoredCertificate};
use super::tls;
use crate::clock::{Clock, Timestamp};
use crate::follow::Followed;
use crate::secret::SealKey;

/// Certificates that are kept opened.
const OPENED: u64 = 20_000;
/// Certificates that are read at a time.
const PAGE: i64 = 1_000;
/// Ends each certificate of a chain.
const END: &str = "-----END CERTIFICATE-----";

pub struct Held {
    sealed: RwLock<Sealed>,
    /// By their stamp; none: it cannot be opened.
    opened: cache::Cache<u64, Option<Arc<CertifiedKey>>>,
    key_seal: SealKey,
    clock: Clock,
}

#[derive(Default)]
struct Sealed {
    by_host: HashMap<Box<str>, Certificate>,
    issuers: HashSet<Arc<str>>,
}

#[derive(Clone)]
struct Certificate {
    /// No other certificate of this process has it.
    stamp: u64,
    /// PEM of the certificate itself, and of what leads from it to the root.
    own: Arc<str>,
    issuers: Arc<str>,
    sealed_key: Arc<str>,
    not_after: Timestamp,
}

impl Held {
    /// Holds nothing yet.
    pub fn new(key_seal: SealKey, clock: &Clock) -> Held {
        let opened = cache::Cache::new(OPENED);
        Held { sealed: RwLock::default(), opened, key_seal, clock: clock.clone() }
    }

    /// The certificate that handshakes for a name use now, if there is one.
    pub fn find(&self, host: &str) -> Option<Arc<CertifiedKey>> {
        let certificate = {
            let sealed = self.sealed.read().unwrap_or_else(PoisonError::into_inner);
            sealed.by_host.get(host).filter(|found| found.not_after > self.clock.now())?.clone()
        };
        let opened = self.opened.get_with(&certificate.stamp, || self.open(host, &certificate));
        Option::clone(&opened)
    }

    fn open(&self, host: &str, certificate: &Certificate) -> Option<Arc<CertifiedKey>> {
        let key = self.key_seal.open(&certificate.sealed_key, host);
        let chain = [&*certificate.own, &*certificate.issuers].concat();
        let opened = key.and_then(|key| tls::certified_key(chain.as_bytes(), &key).ok());
        if opened.is_none() {
            tracing::error!(host, "a stored certificate cannot be opened: was edge.secret changed?");
        }
        opened
    }

    /// Drops what was opened of a certificate that is not the name's any more.
    fn close(&self, old: Option<Certificate>) {
        if let Some(old) = old {
            self.opened.remove(&old.stamp);
        }
    }
}

impl Sealed {
    fn put(&mut self, stored: StoredCertificate) -> Option<Certificate> {
        static STAMPS: AtomicU64 = AtomicU64::new(0);
        let own_ends = stored.chain.find(END).map_or(stored.chain.len(), |at| at + END.len());
        let (own, issuers) = stored.chain.split_at(own_ends);
        let certificate = Certificate {
            stamp: STAMPS.fetch_add(1, Ordering::Relaxed),
            own: own.into(),
            issuers: self.shared(issuers),
            sealed_key: stored.sealed_key.into(),
            not_after: Timestamp::from_millis(stored.not_after),
        };
        self.by_host.insert(stored.host.into(), certificate)
    }

    /// All customers of an authority have the same few issuers.
    fn shared(&mut self, issuers: &str) -> Arc<str> {
        if let Some(known) = self.issuers.get(issuers) {
            return known.clone();
        }
        let new: Arc<str> = issuers.into();
        self.issuers.retain(|known| Arc::strong_count(known) > 1);
        self.issuers.insert(new.clone());
        new
    }
}

impl Followed for Held {
    fn kind(&self) -> &'static str {
        "certificate"
    }

    fn load<'a>(&'a self, conn: &'a mut Conn) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            let (mut all, mut after) = (Sealed::default(), String::new());
            loop {
                let page = queries::list_certificates(conn, &after, PAGE).await?;
                let Some(last) = page.last() else { break };
                after.clone_from(&last.host);
                for stored in page {
                    all.put(stored);
                }
            }
            *self.sealed.write().unwrap_or_else(PoisonError::into_inner) = all;
            self.opened.clear();
            Ok(())
        })
    }

    fn apply<'a>(
        &'a self,
        conn: &'a mut Conn,
        hosts: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            for host in hosts {
                let stored = queries::find_certificate(conn, host).await?;
                let mut sealed = self.sealed.write().unwrap_or_else(PoisonError::into_inner);
                let old = match stored {
                    Some(stored) => sealed.put(stored),
                    None => sealed.by_host.remove(host.as_str()),
                };
                drop(sealed);
                self.close(old);
            }
            Ok(())
        })
    }
}

/// The name of a handshake as names are kept.
pub fn name_of(hello: &ClientHello<'_>) -> Option<String> {
    Some(hello.server_name()?.trim_end_matches('.').to_ascii_lowercase())
}

impl ResolvesServerCert for Held {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.find(&name_of(&hello)?)
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Held")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secrets;
    use crate::testing::NOON;

    fn stored(host: &str, key_seal: &SealKey) -> StoredCertificate {
        let made = rcgen::generate_simple_self_signed(vec![host.to_owned()]).unwrap();
        StoredCertificate {
            host: host.to_owned(),
            // A second certificate stands for the issuer's.
            chain: format!("{}{}", made.cert.pem(), made.cert.pem()),
            sealed_key: key_seal.seal(made.signing_key.serialize_pem().as_bytes(), host),
            not_before: 0,
            not_after: NOON.as_millis() + 1,
            renew_at: 0,
        }
    }

    fn held(secret: &[u8], clock: &Clock) -> (Held, SealKey) {
        let seal = || Secrets::from_bytes(secret).seal_key("certificate keys");
        (Held::new(seal(), clock), seal())
    }

    #[test]
    fn a_certificate_is_opened_with_its_whole_chain_until_it_ends() {
        let clock = Clock::fixed(NOON);
        let (held, seal) = held(b"a secret", &clock);
        held.sealed.write().unwrap().put(stored("shop.example", &seal));

        assert_eq!(held.find("shop.example").unwrap().cert.len(), 2);
        assert!(held.find("other.example").is_none());
        clock.advance(std::time::Duration::from_secs(1));
        assert!(held.find("shop.example").is_none());
    }

    #[test]
    fn what_another_secret_sealed_is_no_certificate() {
        let clock = Clock::fixed(NOON);
        let (ours, _) = held(b"a secret", &clock);
        let (_, others) = held(b"another secret", &clock);
        ours.sealed.write().unwrap().put(stored("shop.example", &others));

        assert!(ours.find("shop.example").is_none());
    }

    #[test]
    fn issuers_are_held_once_and_no_longer_than_somebody_has_them() {
        let (held, seal) = held(b"a secret", &Clock::fixed(NOON));
        let mut sealed = held.sealed.write().unwrap();
        let one = stored("one.example", &seal);
        let same = StoredCertificate { host: "two.example".to_owned(), ..one.clone() };
        sealed.put(one);
        sealed.put(same);
        assert_eq!(sealed.issuers.len(), 1);

        for host in ["one.example", "two.example", "one.example"] {
            sealed.put(stored(host, &seal));
        }

        assert_eq!(sealed.issuers.len(), 3, "two that are in use, and one that goes when the next comes");
    }
}
