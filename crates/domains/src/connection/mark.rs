//! Mark of requests that the service itself sends to a site: audits, verifications and connection checks. Integrations
//! forward the header, so that such a request does not count as a visit when it returns over the render endpoint or the
//! edge. Pure except for the key.
//! Must never be accepted for another site than the one it was issued for, nor after it has expired.
//! See docs/decisions/0063.

use std::time::Duration;

use http::{HeaderMap, HeaderValue};

use platform::api::header_names::PROBE;
use platform::clock::Timestamp;
use platform::secret::{MacKey, Secrets};

/// Lifetime of a mark. Each request gets a mark of its own.
const GOOD_FOR: Duration = Duration::from_secs(300);

/// Key that issues and checks marks. Cheap to clone.
#[derive(Clone)]
pub struct ProbeMarks(MacKey);

impl ProbeMarks {
    /// Derives the key from the installation's secret.
    pub fn new(secrets: &Secrets) -> ProbeMarks {
        ProbeMarks(secrets.mac_key("probe mark"))
    }

    /// Returns the value of `x-service-probe` for a request to a host: its expiry in milliseconds, a dot and the signature.
    pub fn issue(&self, host: &str, now: Timestamp) -> HeaderValue {
        let expires = now.plus(GOOD_FOR).as_millis();
        let signature = self.0.sign(&message(expires, host));
        HeaderValue::from_str(&format!("{expires}.{signature}")).expect("digits, a dot and base64")
    }

    /// Decides whether a request for a host carries a mark that this installation issued for it or for its `www.` twin.
    pub fn are_in(&self, headers: &HeaderMap, host: &str, now: Timestamp) -> bool {
        let text = headers.get(PROBE).and_then(|value| value.to_str().ok());
        let Some((expires, signature)) = text.and_then(|text| text.split_once('.')) else { return false };
        let Ok(expires) = expires.parse::<i64>() else { return false };
        now.as_millis() < expires && self.0.verify(&message(expires, host), signature)
    }
}

fn message(expires: i64, host: &str) -> String {
    let host = host.to_ascii_lowercase();
    format!("{expires}|{}", host.strip_prefix("www.").unwrap_or(&host))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_000);

    fn marks() -> ProbeMarks {
        ProbeMarks::new(&Secrets::from_bytes(b"a secret of this test"))
    }

    fn with(value: &HeaderValue) -> HeaderMap {
        HeaderMap::from_iter([(PROBE, value.clone())])
    }

    #[test]
    fn a_mark_is_good_for_five_minutes_and_for_both_names_of_a_site() {
        let headers = with(&marks().issue("shop.example", NOW));

        assert!(marks().are_in(&headers, "shop.example", NOW));
        assert!(marks().are_in(&headers, "www.shop.example", NOW.plus(Duration::from_secs(299))));
        assert!(!marks().are_in(&headers, "shop.example", NOW.plus(GOOD_FOR)));
        assert!(!marks().are_in(&headers, "other.example", NOW));
    }

    #[test]
    fn a_forged_or_malformed_mark_is_none() {
        let stranger = ProbeMarks::new(&Secrets::from_bytes(b"another secret")).issue("shop.example", NOW);
        let own = marks().issue("shop.example", NOW);
        let prolonged = format!("9{}", own.to_str().unwrap());

        for forged in [stranger.to_str().unwrap(), &prolonged, "1", "", ".", "9999999999999.", "x.y"] {
            let headers = with(&HeaderValue::from_str(forged).unwrap());
            assert!(!marks().are_in(&headers, "shop.example", NOW), "{forged}");
        }
        assert!(!marks().are_in(&HeaderMap::new(), "shop.example", NOW));
    }
}
