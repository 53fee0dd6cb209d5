//! All stored certificates, in memory in their sealed form: about two kilobytes each, with shared issuers. Handshakes open the
//! certificates that they need, and a cache keeps opened ones. Used by the certificates' service and by handshakes. The follower
//! keeps the directory equal to the table, except for rows that cannot be opened: then the last good certificate stays.
//! Must never hold a private key in the clear for longer than handshakes ask for it. See docs/decisions/0015.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use std::time::Duration;

use futures::future::BoxFuture;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use store::{Conn, DbError};

use super::model::{self, Validity};
use super::queries::{self, StoredCertificate};
use super::tls;
use platform::clock::{Clock, Timestamp};
use platform::follow::Followed;
use platform::secret::SealKey;

/// Capacity of the cache of opened certificates.
const OPENED: u64 = 20_000;
/// Certificates per query.
const PAGE: i64 = 1_000;
/// End marker of each certificate of a chain.
const END: &str = "-----END CERTIFICATE-----";

pub struct CertificateDirectory {
    sealed: RwLock<Sealed>,
    /// Opened certificates by stamp; None for those that cannot be opened.
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
    /// Number that is unique in this process.
    stamp: u64,
    /// PEM of the certificate itself. `issuers` is the PEM of its intermediates.
    own: Arc<str>,
    issuers: Arc<str>,
    sealed_key: Arc<str>,
    validity: Validity,
}

impl CertificateDirectory {
    /// Returns an empty directory.
    pub fn new(key_seal: SealKey, clock: &Clock) -> CertificateDirectory {
        let opened = cache::Cache::new(OPENED);
        CertificateDirectory { sealed: RwLock::default(), opened, key_seal, clock: clock.clone() }
    }

    /// Returns the unexpired certificate of a name, opened.
    pub fn find(&self, host: &str) -> Option<Arc<CertifiedKey>> {
        let certificate = {
            let sealed = self.sealed.read().unwrap_or_else(PoisonError::into_inner);
            sealed.by_host.get(host).filter(|found| found.validity.until > self.clock.now())?.clone()
        };
        self.opened(host, &certificate)
    }

    /// Returns the hourly limit of renewals, by the lifetimes of all certificates.
    pub fn renewals_per_hour(&self) -> u64 {
        let sealed = self.sealed.read().unwrap_or_else(PoisonError::into_inner);
        model::renewals_per_hour(sealed.by_host.values().map(|certificate| certificate.validity.life()))
    }

    /// Returns the lifetime of a name's certificate, expired ones included.
    pub fn life_of(&self, host: &str) -> Option<Duration> {
        let sealed = self.sealed.read().unwrap_or_else(PoisonError::into_inner);
        sealed.by_host.get(host).map(|certificate| certificate.validity.life())
    }

    /// Returns the earliest time at which a certificate expires.
    pub fn first_expiry(&self) -> Option<Timestamp> {
        let sealed = self.sealed.read().unwrap_or_else(PoisonError::into_inner);
        sealed.by_host.values().map(|certificate| certificate.validity.until).min()
    }

    fn opened(&self, host: &str, certificate: &Certificate) -> Option<Arc<CertifiedKey>> {
        let opened = self.opened.get_with(&certificate.stamp, || self.open(host, certificate));
        Option::clone(&opened)
    }

    /// Returns true when the new certificate of a name cannot be opened while the present one is still usable.
    fn is_worse(&self, host: &str, new: &Certificate) -> bool {
        self.opened(host, new).is_none() && self.find(host).is_some()
    }

    fn open(&self, host: &str, certificate: &Certificate) -> Option<Arc<CertifiedKey>> {
        let key = self.key_seal.open(&certificate.sealed_key, host);
        let chain = [&*certificate.own, &*certificate.issuers].concat();
        let opened = key.and_then(|key| tls::certified_key(chain.as_bytes(), &key).ok());
        if opened.is_none() {
            tracing::error!(
                host,
                "a stored certificate cannot be opened: was edge.secret changed, or is it of a newer version?"
            );
        }
        opened
    }

    /// Returns the present certificate of a name when it must stay in place of `new`. Opens `new` only when it differs from the
    /// present one, since opening all certificates takes long.
    fn kept_for(&self, host: &str, new: &Certificate) -> Option<Certificate> {
        let old = self.sealed.read().unwrap_or_else(PoisonError::into_inner).by_host.get(host).cloned()?;
        let is_changed = old.sealed_key != new.sealed_key || old.own != new.own;
        (is_changed && self.is_worse(host, new)).then_some(old)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Sealed> {
        self.sealed.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Evicts the opened form of a certificate that was replaced or removed.
    fn close(&self, old: Option<Certificate>) {
        if let Some(old) = old {
            self.opened.remove(&old.stamp);
        }
    }
}

impl Sealed {
    /// Converts a stored certificate into its form in memory.
    fn certificate(&mut self, stored: &StoredCertificate) -> Certificate {
        static STAMPS: AtomicU64 = AtomicU64::new(0);
        let own_ends = stored.chain.find(END).map_or(stored.chain.len(), |at| at + END.len());
        let (own, issuers) = stored.chain.split_at(own_ends);
        Certificate {
            stamp: STAMPS.fetch_add(1, Ordering::Relaxed),
            own: own.into(),
            issuers: self.shared(issuers),
            sealed_key: stored.sealed_key.as_str().into(),
            validity: stored.validity(),
        }
    }

    fn put(&mut self, host: &str, certificate: Certificate) -> Option<Certificate> {
        self.by_host.insert(host.into(), certificate)
    }

    /// Interns the issuers, since all certificates of an authority have the same few.
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

impl Followed for CertificateDirectory {
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
                    let new = all.certificate(&stored);
                    let kept = self.kept_for(&stored.host, &new);
                    all.put(&stored.host, kept.unwrap_or(new));
                }
            }
            *self.write() = all;
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
                let new = queries::find_certificate(conn, host).await?;
                let new = new.map(|stored| self.write().certificate(&stored));
                if new.as_ref().is_some_and(|new| self.is_worse(host, new)) {
                    continue;
                }
                let old = match new {
                    Some(new) => self.write().put(host, new),
                    None => self.write().by_host.remove(host.as_str()),
                };
                self.close(old);
            }
            Ok(())
        })
    }
}

/// Returns the server name of a handshake in canonical form: lower case, without a final dot.
pub fn name_of(hello: &ClientHello<'_>) -> Option<String> {
    Some(hello.server_name()?.trim_end_matches('.').to_ascii_lowercase())
}

impl ResolvesServerCert for CertificateDirectory {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.find(&name_of(&hello)?)
    }
}

impl fmt::Debug for CertificateDirectory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Held")
    }
}

#[cfg(test)]
mod tests {
    use store::Db;

    use super::*;
    use crate::testing::*;
    use platform::secret::Secrets;

    fn stored(host: &str, key_seal: &SealKey) -> StoredCertificate {
        let made = rcgen::generate_simple_self_signed(vec![host.to_owned()]).unwrap();
        StoredCertificate {
            host: host.to_owned(),
            // A second certificate serves as the issuer's.
            chain: format!("{}{}", made.cert.pem(), made.cert.pem()),
            sealed_key: key_seal.seal(made.signing_key.serialize_pem().as_bytes(), host),
            not_before: 0,
            not_after: NOON.as_millis() + 1,
            renew_at: 0,
            suggested: false,
        }
    }

    fn directory(secret: &[u8], clock: &Clock) -> (CertificateDirectory, SealKey) {
        let seal = || Secrets::from_bytes(secret).seal_key("certificate keys");
        (CertificateDirectory::new(seal(), clock), seal())
    }

    fn put(directory: &CertificateDirectory, stored: &StoredCertificate) {
        let mut sealed = directory.write();
        let certificate = sealed.certificate(stored);
        sealed.put(&stored.host, certificate);
    }

    async fn save(db: &Db, stored: &StoredCertificate) {
        let mut tx = db.write().await.unwrap();
        queries::save_certificate(&mut tx, stored, NOON).await.unwrap();
        tx.commit().await.unwrap();
    }

    #[tokio::test]
    async fn a_certificate_that_cannot_be_opened_leaves_the_last_good_one_in_use() {
        let app = TestApp::new().await;
        let db = &app.state.platform.db;
        let (directory, seal) = directory(b"a secret", &Clock::fixed(NOON));
        let (_, newer) = self::directory(b"another secret", &Clock::fixed(NOON));
        save(db, &stored("shop.example", &seal)).await;
        directory.load(&mut db.read().await.unwrap()).await.unwrap();
        let good = directory.find("shop.example").unwrap();
        save(db, &stored("shop.example", &newer)).await;

        let hosts = BTreeSet::from(["shop.example".to_owned()]);
        directory.apply(&mut db.read().await.unwrap(), &hosts).await.unwrap();
        let applied = directory.find("shop.example");
        directory.load(&mut db.read().await.unwrap()).await.unwrap();
        let loaded = directory.find("shop.example");

        assert_eq!(applied.map(|found| found.cert.clone()), Some(good.cert.clone()));
        assert_eq!(loaded.map(|found| found.cert.clone()), Some(good.cert.clone()));
        save(db, &stored("shop.example", &seal)).await;
        directory.apply(&mut db.read().await.unwrap(), &hosts).await.unwrap();
        assert_ne!(directory.find("shop.example").unwrap().cert, good.cert);
    }

    #[test]
    fn a_certificate_is_opened_with_its_whole_chain_until_it_ends() {
        let clock = Clock::fixed(NOON);
        let (directory, seal) = directory(b"a secret", &clock);
        put(&directory, &stored("shop.example", &seal));

        assert_eq!(directory.find("shop.example").unwrap().cert.len(), 2);
        assert!(directory.find("other.example").is_none());
        clock.advance(std::time::Duration::from_secs(1));
        assert!(directory.find("shop.example").is_none());
    }

    #[test]
    fn what_another_secret_sealed_is_no_certificate() {
        let clock = Clock::fixed(NOON);
        let (ours, _) = directory(b"a secret", &clock);
        let (_, others) = directory(b"another secret", &clock);
        put(&ours, &stored("shop.example", &others));

        assert!(ours.find("shop.example").is_none());
    }

    #[test]
    fn issuers_are_held_once_and_no_longer_than_somebody_has_them() {
        let (directory, seal) = directory(b"a secret", &Clock::fixed(NOON));
        let one = stored("one.example", &seal);
        let same = StoredCertificate { host: "two.example".to_owned(), ..one.clone() };
        put(&directory, &one);
        put(&directory, &same);
        assert_eq!(directory.write().issuers.len(), 1);

        for host in ["one.example", "two.example", "one.example"] {
            put(&directory, &stored(host, &seal));
        }

        assert_eq!(
            directory.write().issuers.len(),
            3,
            "two that are in use, and one that goes when the next comes"
        );
    }
}
