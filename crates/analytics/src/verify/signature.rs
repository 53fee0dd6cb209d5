//! Web Bot Auth: requests that an agent has signed (RFC 9421 with the tag `web-bot-auth`).
//! Used by the verifier. The crate that checks signatures is young, so only this file uses it.
//! Must never fetch a directory that is not on the list: the header would let a client choose the address.

use std::sync::Arc;
use std::time::Duration;

use crawler::{FetchRequest, Fetcher};
use http::{HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::Value;
use sfv::SerializeValue;
use url::Url;
use web_bot_auth::components::{CoveredComponent, DerivedComponent, HTTPFieldParameters};
use web_bot_auth::keyring::{KeyRing, Thumbprintable};
use web_bot_auth::message_signatures::SignedMessage;
use web_bot_auth::{SignatureAgentLink, WebBotAuthVerifier};

use super::signers::Signers;
use crate::crawlers::Crawler;
use platform::Platform;
use platform::clock::{Clock, Timestamp};

const DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";
/// Time for which an agent's keys are cached.
const KEYS_FOR: Duration = Duration::from_secs(60 * 60);
/// Time after which a directory that could not be read is requested again.
const NO_KEYS_FOR: Duration = Duration::from_secs(60);
/// Time that a request waits for an agent's keys.
const PATIENCE: Duration = Duration::from_secs(2);
const MAX_DIRECTORY_BYTES: u64 = 256 * 1024;
/// Maximum time by which an agent's clock may be ahead.
const MAX_AHEAD: Duration = Duration::from_secs(60);
/// Maximum validity of a signature.
const MAX_LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum number of nonces that are remembered, so that no signature is used twice.
const NONCES: u64 = 200_000;

/// Verifier of signatures. Cheap to clone.
#[derive(Clone)]
pub struct Signatures {
    fetcher: Fetcher,
    clock: Clock,
    signers: Arc<Signers>,
    keys: cache::SharedCache<str, Directory>,
    nonces: cache::Cache<str, ()>,
}

struct Directory {
    keys: Option<KeyRing>,
    good_until: Timestamp,
}

/// Returns true for a request that has all headers of a signature.
pub fn is_signed(headers: &HeaderMap) -> bool {
    ["signature", "signature-input", "signature-agent"].iter().all(|name| headers.contains_key(*name))
}

impl Signatures {
    /// Makes the verifier. Fetches nothing yet.
    pub fn new(platform: &Platform) -> Signatures {
        let name = HeaderValue::from_static("Mozilla/5.0 (compatible; Glasshouse)");
        let config = &platform.config;
        let signers = Signers::of_installation(&config.storage.data_dir, &config.edge.signers);
        Signatures {
            fetcher: Fetcher::new(platform.network.clone(), crawler::tls::client_config(), name),
            clock: platform.clock.clone(),
            keys: cache::SharedCache::new(signers.count() as u64, KEYS_FOR),
            signers: Arc::new(signers),
            nonces: cache::Cache::builder(NONCES).time_to_live(MAX_LIFE).build(),
        }
    }

    /// Returns the agent that has signed a request to `authority`, when the signature is valid and was not used before.
    pub async fn verify(&self, headers: &HeaderMap, authority: &str) -> Option<&'static Crawler> {
        let message = Message { headers, authority: without_default_port(authority) };
        let verifier = WebBotAuthVerifier::parse(&message).ok()?;
        let (host, agent) = verifier.get_signature_agents().iter().find_map(|link| match link {
            SignatureAgentLink::External(address) => self.signers.find(address),
            SignatureAgentLink::Inline(_) => None,
        })?;
        let details = &verifier.get_parsed_label().base.parameters.details;
        let (created, expires, nonce) = (details.created?, details.expires?, details.nonce.clone());
        if !is_timely(created, expires, self.clock.now()) {
            return None;
        }
        let directory = tokio::time::timeout(PATIENCE, self.directory(host)).await.ok()?;
        verifier.verify(directory.keys.as_ref()?, None).ok()?;
        match nonce {
            Some(nonce) => self.nonces.insert_if_absent(&nonce, ()).then_some(agent),
            None => Some(agent),
        }
    }

    async fn directory(&self, host: &str) -> Arc<Directory> {
        let now = self.clock.now();
        if let Some(known) = self.keys.get(host).await {
            if now < known.good_until {
                return known;
            }
            self.keys.remove(host).await;
        }
        self.keys
            .get_with(host, async {
                let keys = self.fetch(host).await;
                let keep = if keys.is_some() { KEYS_FOR } else { NO_KEYS_FOR };
                Directory { keys, good_until: now.plus(keep) }
            })
            .await
    }

    async fn fetch(&self, host: &str) -> Option<KeyRing> {
        let url = Url::parse(&format!("https://{host}{DIRECTORY_PATH}")).ok()?;
        let request =
            FetchRequest { max_body_bytes: MAX_DIRECTORY_BYTES, max_redirects: 0, ..FetchRequest::get(url) };
        let fetched = self.fetcher.fetch(request).await;
        let fetched = fetched.inspect_err(|error| tracing::debug!(%error, host, "no keys")).ok()?;
        if !fetched.status.is_success() {
            return None;
        }
        keys_of(&fetched.body.bytes().await.ok()?)
    }
}

/// Reads the Ed25519 keys of a directory, each under its thumbprint and under its own id, which some agents sign with.
fn keys_of(directory: &[u8]) -> Option<KeyRing> {
    #[derive(Deserialize)]
    struct KeyDirectory {
        keys: Vec<Value>,
    }
    let directory: KeyDirectory = serde_json::from_slice(directory).ok()?;
    let mut ring = KeyRing::default();
    for key in directory.keys {
        let id = key["kid"].as_str().map(str::to_owned);
        let Ok(key) = serde_json::from_value::<Thumbprintable>(key) else { continue };
        let (Ok(algorithm), Ok(public)) = (key.algorithm(), key.public_key()) else { continue };
        for id in id.into_iter().chain([key.b64_thumbprint()]) {
            ring.import_raw(id, algorithm.clone(), public.clone());
        }
    }
    Some(ring)
}

/// Decides whether a signature is neither from the future, nor expired, nor valid for too long.
fn is_timely(created: i64, expires: i64, now: Timestamp) -> bool {
    let [created, expires] =
        [created, expires].map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000)));
    created <= now.plus(MAX_AHEAD) && now < expires && expires.since(created) <= MAX_LIFE
}

fn without_default_port(authority: &str) -> String {
    let lower = authority.to_ascii_lowercase();
    let bare = lower.strip_suffix(":443").or_else(|| lower.strip_suffix(":80"));
    bare.unwrap_or(&lower).to_owned()
}

/// Request in the form that the check of signatures reads.
struct Message<'a> {
    headers: &'a HeaderMap,
    authority: String,
}

impl SignedMessage for Message<'_> {
    fn lookup_component(&self, component: &CoveredComponent) -> Vec<String> {
        match component {
            CoveredComponent::HTTP(field) => {
                let values = self.headers.get_all(field.name.as_str()).iter();
                let values: Vec<_> =
                    values.filter_map(|value| value.to_str().ok()).map(str::to_owned).collect();
                let key = field.parameters.0.iter().find_map(|parameter| match parameter {
                    HTTPFieldParameters::Key(key) => Some(key),
                    _ => None,
                });
                match key {
                    Some(key) => member_of(&values.join(", "), key).into_iter().collect(),
                    None => values,
                }
            }
            CoveredComponent::Derived(DerivedComponent::Authority { .. }) => vec![self.authority.clone()],
            CoveredComponent::Derived(_) => Vec::new(),
        }
    }
}

/// Returns the member of a dictionary field as a signature covers it (RFC 9421, section 2.1.2).
fn member_of(dictionary: &str, key: &str) -> Option<String> {
    match sfv::Parser::new(dictionary).parse_dictionary().ok()?.get(key)? {
        sfv::ListEntry::Item(item) => Some(item.serialize_value()),
        sfv::ListEntry::InnerList(_) => None,
    }
}
