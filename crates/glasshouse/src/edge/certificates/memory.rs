//! Certificates in memory, from which TLS handshakes take theirs: one set-up for all names, so that a name costs its chain and
//! its key and nothing else. Used by the certificates' service, which fills it.

use std::sync::Arc;
use std::time::Instant;

use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::clock::Timestamp;

/// Names that are remembered.
const REMEMBERED: u64 = 20_000;

/// What is known of names, absence included. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Memory(moka::sync::Cache<String, Arc<Remembered>>);

/// What is known of one name.
#[derive(Debug)]
pub struct Remembered {
    /// Its certificate; none: it has none.
    pub ready: Option<Ready>,
    /// When it was looked up.
    pub since: Instant,
}

/// A certificate that handshakes can use.
#[derive(Debug, Clone)]
pub struct Ready {
    /// The chain and its key.
    pub key: Arc<CertifiedKey>,
    /// Until when it is valid.
    pub not_after: Timestamp,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory(moka::sync::Cache::new(REMEMBERED))
    }
}

impl Memory {
    /// What is known of a name.
    pub fn find(&self, host: &str) -> Option<Arc<Remembered>> {
        self.0.get(host)
    }

    /// Keeps what was just looked up.
    pub fn keep(&self, host: &str, ready: Option<Ready>) {
        self.0.insert(host.to_owned(), Arc::new(Remembered { ready, since: Instant::now() }));
    }

    /// Looks a name up anew next time.
    pub fn forget(&self, host: &str) {
        self.0.invalidate(host);
    }
}

/// The name of a handshake as names are kept.
pub fn name_of(hello: &ClientHello<'_>) -> Option<String> {
    Some(hello.server_name()?.trim_end_matches('.').to_ascii_lowercase())
}

impl ResolvesServerCert for Memory {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.find(&name_of(&hello)?)?.ready.as_ref()?.key.clone())
    }
}
