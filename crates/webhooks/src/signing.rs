//! Signatures of messages for programs: that of Standard Webhooks, and `x-service-signature`. Pure.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderName;
use platform::api::header_names::{WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP};
use platform::clock::Timestamp;
use platform::notify::webhook::sign;
use platform::secret::random;
use ring::hmac;

const PREFIX: &str = "whsec_";
const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// Makes a secret: `whsec_` and base64 of 32 random bytes.
pub fn new_secret() -> String {
    format!("{PREFIX}{}", STANDARD.encode(random::<32>()))
}

/// Signs a message as Standard Webhooks has it, `v1,` and base64 of the HMAC of id, time in seconds and body.
pub fn sign_standard(secret: &str, id: &str, seconds: i64, body: &str) -> String {
    let key = STANDARD.decode(secret.strip_prefix(PREFIX).unwrap_or(secret)).unwrap_or_default();
    let text = format!("{id}.{seconds}.{body}");
    let proof = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), text.as_bytes());
    format!("v1,{}", STANDARD.encode(proof))
}

/// Returns the headers of a message that is signed with each of these secrets.
pub fn headers(secrets: &[String], id: &str, now: Timestamp, body: &str) -> Vec<(HeaderName, String)> {
    let seconds = now.as_millis().div_euclid(1000);
    let standard: Vec<String> =
        secrets.iter().map(|secret| sign_standard(secret, id, seconds, body)).collect();
    let mut headers =
        vec![(ID, id.to_owned()), (TIMESTAMP, seconds.to_string()), (SIGNATURE, standard.join(" "))];
    headers.extend(service_headers(secrets, now, body));
    headers
}

/// Returns `x-service-timestamp` and `x-service-signature`, with each of these secrets.
pub fn service_headers(secrets: &[String], now: Timestamp, body: &str) -> [(HeaderName, String); 2] {
    let proofs: Vec<String> = secrets.iter().map(|secret| sign(secret, now, body)).collect();
    [(WEBHOOK_TIMESTAMP, now.as_millis().to_string()), (WEBHOOK_SIGNATURE, proofs.join(","))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_the_vector_of_standard_webhooks() {
        // From the specification's test vector.
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let body = r#"{"test": 2432232314}"#;

        let signature = sign_standard(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);

        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn two_secrets_make_two_signatures_of_each_kind() {
        let secrets = [new_secret(), new_secret()];

        let headers = headers(&secrets, "id", Timestamp::from_millis(1_500), "{}");

        let value = |name: HeaderName| &headers.iter().find(|(header, _)| *header == name).unwrap().1;
        assert_eq!(value(SIGNATURE).split(' ').count(), 2);
        assert_eq!(value(WEBHOOK_SIGNATURE).split(',').count(), 2);
        assert_eq!((value(TIMESTAMP).as_str(), value(WEBHOOK_TIMESTAMP).as_str()), ("1", "1500"));
    }

    #[test]
    fn a_secret_is_the_prefix_and_32_bytes() {
        let secret = new_secret();

        assert_eq!(STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap().len(), 32);
    }
}
