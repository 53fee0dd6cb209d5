//! The proof by which a connection check knows that a request reached this very service. Pure but for the key.
//! The check asks the domain for a path with a fresh nonce; whoever serves the domain here answers with the proof.
//! Must never be answered for a domain that this installation does not have.

use super::model::DomainId;
use crate::secret::{MacKey, Secrets};

/// Path that a probe asks for, before its nonce.
pub const PATH_PREFIX: &str = "/__service_probe/";
/// Header that carries the proof in the answer.
pub const PROOF_HEADER: &str = "x-service-probe";

const MAX_NONCE_BYTES: usize = 64;

/// Makes and checks proofs.
#[derive(Clone)]
pub struct ProbeKey(MacKey);

impl ProbeKey {
    /// Derives the key.
    pub fn new(secrets: &Secrets) -> ProbeKey {
        ProbeKey(secrets.mac_key("connection probe"))
    }

    /// What the answer to a probe must carry. A domain record belongs to one account, so its id stands for both.
    pub fn proof(&self, nonce: &str, domain: &DomainId) -> String {
        self.0.sign(&message(nonce, domain))
    }

    /// Whether the answer to a probe is our own.
    pub fn is_proof(&self, nonce: &str, domain: &DomainId, proof: &str) -> bool {
        self.0.verify(&message(nonce, domain), proof)
    }
}

fn message(nonce: &str, domain: &DomainId) -> String {
    format!("{nonce}|{}", domain.as_str())
}

/// The nonce of a probe's path.
pub fn nonce_of(path: &str) -> Option<&str> {
    let nonce = path.strip_prefix(PATH_PREFIX)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (!nonce.is_empty() && nonce.len() <= MAX_NONCE_BYTES && nonce.bytes().all(is_plain)).then_some(nonce)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nonce_of_a_probe_is_short_and_plain() {
        assert_eq!(nonce_of("/__service_probe/AbC-_9"), Some("AbC-_9"));
        for path in ["/__service_probe/", "/__service_probe/a/b", "/__service_probe/a%20b", "/other"] {
            assert_eq!(nonce_of(path), None, "{path}");
        }
        assert_eq!(nonce_of(&format!("/__service_probe/{}", "a".repeat(65))), None);
    }

    #[test]
    fn a_proof_is_good_for_one_nonce_and_one_domain() {
        let key = ProbeKey::new(&Secrets::from_bytes(b"a secret of this test"));
        let domain = DomainId::from("d1");

        let proof = key.proof("n1", &domain);

        assert!(key.is_proof("n1", &domain, &proof));
        assert!(!key.is_proof("n2", &domain, &proof));
        assert!(!key.is_proof("n1", &DomainId::from("d2"), &proof));
    }
}
