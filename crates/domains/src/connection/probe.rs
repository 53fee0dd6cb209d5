//! Proof that a connection check's request reached this installation. Pure except for the key.
//! The check requests a path with a fresh nonce from the domain; the edge, or the render endpoint behind the customer's own
//! server, responds with a proof. Must never respond to a nonce that this installation did not issue.
//! See docs/decisions/0063.

use std::time::Duration;

use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};

use crate::names;
use accounts::AccountId;
use platform::api::header_names::PROBE;
use platform::clock::Timestamp;
use platform::secret::{MacKey, Secrets};

/// Path of a probe, before its nonce.
pub const PATH_PREFIX: &str = "/__service_probe/";

/// Time for which a nonce is valid.
const GOOD_FOR: Duration = Duration::from_secs(60);
/// Lengths of the parts of a nonce: its time of expiry in hexadecimal milliseconds, random digits, and its signature.
const EXPIRY_CHARS: usize = 12;
const RANDOM_CHARS: usize = 16;
const SIGNATURE_CHARS: usize = 43;
const NONCE_CHARS: usize = EXPIRY_CHARS + RANDOM_CHARS + SIGNATURE_CHARS;

/// Route on which a probe reached this service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeRoute<'a> {
    /// The edge, which all domains share: proves that the domain points at the service, and not its ownership.
    Edge,
    /// The render endpoint, with a key of this account.
    Api(&'a AccountId),
}

/// Key that issues nonces and makes the proofs of them.
#[derive(Clone)]
pub struct ProbeKey(MacKey);

impl ProbeKey {
    /// Derives the key from the installation's secret.
    pub fn new(secrets: &Secrets) -> ProbeKey {
        ProbeKey(secrets.mac_key("connection probe"))
    }

    /// Issues a nonce for a domain, valid for a minute.
    pub fn issue(&self, host: &str, now: Timestamp) -> String {
        let expires = now.plus(GOOD_FOR).as_millis();
        let random: [u8; RANDOM_CHARS / 2] = platform::secret::random();
        let random = hex::encode(random);
        let plain = format!("{expires:0EXPIRY_CHARS$x}{random}");
        let signature = self.0.sign(&nonce_message(&plain, host));
        plain + &signature
    }

    /// Decides whether a nonce was issued for a host, or for its twin, less than a minute ago.
    pub fn is_fresh(&self, nonce: &str, host: &str, now: Timestamp) -> bool {
        let Some((plain, signature)) = nonce.split_at_checked(EXPIRY_CHARS + RANDOM_CHARS) else {
            return false;
        };
        let Ok(expires) = i64::from_str_radix(&plain[..EXPIRY_CHARS], 16) else { return false };
        let is_for = |host: &str| self.0.verify(&nonce_message(plain, host), signature);
        now < Timestamp::from_millis(expires)
            && (is_for(host) || names::twin(host).is_some_and(|host| is_for(&host)))
    }

    /// Returns the proof that the response to a probe carries in its header and its body.
    pub fn proof(&self, nonce: &str, route: ProbeRoute<'_>) -> String {
        match route {
            ProbeRoute::Edge => self.0.sign(&format!("proof|edge|{nonce}")),
            ProbeRoute::Api(account) => self.0.sign(&format!("proof|api|{}|{nonce}", account.as_str())),
        }
    }

    /// Makes the response to a request for a probe's path. Returns none when the nonce is not ours or has expired.
    pub fn respond(
        &self,
        path: &str,
        host: &str,
        route: ProbeRoute<'_>,
        now: Timestamp,
    ) -> Option<ProbeResponse> {
        let nonce = nonce_of(path).filter(|nonce| self.is_fresh(nonce, host, now))?;
        let proof = self.proof(nonce, route);
        // The body carries the proof, too: a proxy may drop the header.
        let html = format!(
            "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Connection check</title>\
             <meta name=\"robots\" content=\"noindex\"><meta name=\"{PROBE}\" content=\"{proof}\"></head>\
             <body><p>This address is used to check that the domain is connected.</p></body></html>\n"
        );
        Some(ProbeResponse { proof, html })
    }
}

/// Response to a probe: 200, HTML, not cacheable.
#[derive(Debug)]
pub struct ProbeResponse {
    proof: String,
    /// Body, which carries the proof, too.
    pub html: String,
}

impl ProbeResponse {
    /// Returns the headers, which do not depend on the route.
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(3);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(PROBE, HeaderValue::from_str(&self.proof).expect("base64"));
        headers
    }
}

fn nonce_message(plain: &str, host: &str) -> String {
    format!("nonce|{plain}|{host}")
}

/// Returns the nonce of a probe's path. Checks only the form of the nonce.
pub fn nonce_of(path: &str) -> Option<&str> {
    let nonce = path.strip_prefix(PATH_PREFIX)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (nonce.len() == NONCE_CHARS && nonce.bytes().all(is_plain)).then_some(nonce)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_000);

    fn key() -> ProbeKey {
        ProbeKey::new(&Secrets::from_bytes(b"a secret of this test"))
    }

    #[test]
    fn a_nonce_is_good_for_a_minute_and_for_both_names_of_its_site() {
        let nonce = key().issue("shop.example", NOW);

        assert!(key().is_fresh(&nonce, "shop.example", NOW));
        assert!(key().is_fresh(&nonce, "www.shop.example", NOW.plus(Duration::from_secs(59))));
        assert!(!key().is_fresh(&nonce, "shop.example", NOW.plus(Duration::from_secs(60))));
        assert!(!key().is_fresh(&nonce, "other.example", NOW));
        assert_ne!(nonce, key().issue("shop.example", NOW));
    }

    #[test]
    fn a_stranger_cannot_make_or_change_a_nonce() {
        let nonce = key().issue("shop.example", NOW);
        let other = ProbeKey::new(&Secrets::from_bytes(b"another secret")).issue("shop.example", NOW);
        let prolonged = format!("0fffffffffff{}", &nonce[EXPIRY_CHARS..]);

        for forged in [other.as_str(), &prolonged, "", "x", &nonce[1..]] {
            assert!(!key().is_fresh(forged, "shop.example", NOW), "{forged}");
        }
    }

    #[test]
    fn a_probes_path_has_a_nonce_of_the_right_form() {
        let nonce = key().issue("shop.example", NOW);

        assert_eq!(nonce_of(&format!("/__service_probe/{nonce}")), Some(nonce.as_str()));
        for path in ["/__service_probe/", "/__service_probe/n0nce", "/other"] {
            assert_eq!(nonce_of(path), None, "{path}");
        }
        assert_eq!(nonce_of(&format!("/__service_probe/{nonce}a")), None);
        assert_eq!(nonce_of(&format!("/__service_probe/{}%41", &nonce[3..])), None);
    }

    #[test]
    fn a_proof_says_which_way_the_probe_came_and_with_whose_key() {
        let nonce = key().issue("shop.example", NOW);
        let (one, two) = (AccountId::from("a1"), AccountId::from("a2"));

        let proofs = [ProbeRoute::Edge, ProbeRoute::Api(&one), ProbeRoute::Api(&two)]
            .map(|route| key().proof(&nonce, route));

        assert!(proofs[0] != proofs[1] && proofs[1] != proofs[2]);
        assert_eq!(proofs[1], key().proof(&nonce, ProbeRoute::Api(&one)));
    }

    #[test]
    fn an_answer_carries_its_proof_in_the_body_too() {
        let path = format!("{PATH_PREFIX}{}", key().issue("shop.example", NOW));

        let response = key().respond(&path, "shop.example", ProbeRoute::Edge, NOW).unwrap();

        assert!(response.html.contains(&response.proof));
        assert!(key().respond(&path, "other.example", ProbeRoute::Edge, NOW).is_none());
    }
}
