//! Requests of our own renderer that come in through the edge, and how they are known: they get the origin's answer, or
//! a render would start a render. Pure but for the key.
//! Must never take a stranger's word: the header carries a proof that only this installation can make.

use std::time::Duration;

use http::{HeaderMap, HeaderValue};

use super::headers::OWN_REQUEST;
use crate::clock::Timestamp;
use crate::secret::{MacKey, Secrets};

/// How long a renderer's header is good for.
const GOOD_FOR: Duration = Duration::from_secs(120);

/// Makes and checks the header of our own requests.
#[derive(Clone)]
pub struct OwnRequests(MacKey);

impl OwnRequests {
    /// Derives the key.
    pub fn new(secrets: &Secrets) -> OwnRequests {
        OwnRequests(secrets.mac_key("own requests"))
    }

    /// Value of `x-service-internal` for a request of our own to `host`, good for two minutes.
    pub fn header(&self, host: &str, now: Timestamp) -> HeaderValue {
        let at = now.as_millis();
        let value = format!("v1.{at}.{}", self.0.sign(&format!("{at}|{host}")));
        HeaderValue::from_str(&value).expect("digits, dots and base64")
    }

    /// Whether a request to `host` is our own.
    pub fn is_own(&self, headers: &HeaderMap, host: &str, now: Timestamp) -> bool {
        let Some(value) = headers.get(OWN_REQUEST).and_then(|value| value.to_str().ok()) else {
            return false;
        };
        let mut parts = value.splitn(3, '.');
        let (Some("v1"), Some(at), Some(proof)) = (parts.next(), parts.next(), parts.next()) else {
            return false;
        };
        let Ok(millis) = at.parse() else { return false };
        let made = Timestamp::from_millis(millis);
        let is_fresh = now.since(made) <= GOOD_FOR && made.since(now) <= GOOD_FOR;
        is_fresh && self.0.verify(&format!("{at}|{host}"), proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn own() -> OwnRequests {
        OwnRequests::new(&Secrets::from_bytes(b"a secret of this test"))
    }

    fn carrying(value: HeaderValue) -> HeaderMap {
        HeaderMap::from_iter([(OWN_REQUEST, value)])
    }

    #[test]
    fn our_own_request_is_known_for_two_minutes_and_one_host() {
        let headers = carrying(own().header("shop.example", NOW));

        assert!(own().is_own(&headers, "shop.example", NOW.plus(Duration::from_secs(119))));
        assert!(!own().is_own(&headers, "shop.example", NOW.plus(Duration::from_secs(121))));
        assert!(!own().is_own(&headers, "shop.example", NOW.minus(Duration::from_secs(121))));
        assert!(!own().is_own(&headers, "other.example", NOW));
    }

    #[test]
    fn a_stranger_cannot_make_the_header() {
        let forged = OwnRequests::new(&Secrets::from_bytes(b"another secret")).header("shop.example", NOW);

        assert!(!own().is_own(&carrying(forged), "shop.example", NOW));
        for value in ["", "v1", "v1..", "v1.1800000000000.", "v2.1800000000000.x", "v1.x.y"] {
            assert!(
                !own().is_own(&carrying(HeaderValue::from_static(value)), "shop.example", NOW),
                "{value:?}"
            );
        }
        assert!(!own().is_own(&HeaderMap::new(), "shop.example", NOW));
    }
}
