//! Web Bot Auth: requests that an agent has signed (RFC 9421 with the tag `web-bot-auth`).
//! Used by the verifier. The crate that checks signatures is young, so only this file uses it.
//! Must never fetch a directory that is not on the list: the header would let strangers choose the address.

use std::sync::Arc;
use std::time::Duration;

use crawler::{FetchRequest, Fetcher};
use http::{HeaderMap, HeaderValue};
use url::Url;
use web_bot_auth::components::{CoveredComponent, DerivedComponent};
use web_bot_auth::keyring::{JSONWebKeySet, KeyRing};
use web_bot_auth::message_signatures::SignedMessage;
use web_bot_auth::{SignatureAgentLink, WebBotAuthVerifier};

use platform::Platform;
use platform::clock::{Clock, Timestamp};

/// Agent whose signatures are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    /// Host of the agent's `Signature-Agent`, which has the agent's keys.
    pub host: &'static str,
    /// Id of the company that runs the agent.
    pub provider: &'static str,
    /// Id of the crawler under which a signed request without a crawler's user agent is counted.
    pub crawler: &'static str,
}

/// Agents that sign requests, last checked on 2026-11-21.
const AGENTS: [Agent; 1] = [Agent { host: "chatgpt.com", provider: "openai", crawler: "chatgpt-agent" }];

const DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";
/// Time for which an agent's keys are cached.
const KEYS_FOR: Duration = Duration::from_secs(60 * 60);
/// Time after which a directory that could not be read is requested again.
const NO_KEYS_FOR: Duration = Duration::from_secs(60);
/// Time that a request waits for an agent's keys.
const PATIENCE: Duration = Duration::from_secs(2);
const MAX_DIRECTORY_BYTES: u64 = 256 * 1024;
/// Most time by which an agent's clock may be ahead.
const MAX_AHEAD: Duration = Duration::from_secs(60);
/// Longest life of a signature.
const MAX_LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// Most nonces that are remembered, so that no signature is used twice.
const NONCES: u64 = 200_000;

/// Verifier of signatures. Cheap to clone.
#[derive(Clone)]
pub struct Signatures {
    fetcher: Fetcher,
    clock: Clock,
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
        Signatures {
            fetcher: Fetcher::new(platform.network.clone(), crawler::tls::client_config(), name),
            clock: platform.clock.clone(),
            keys: cache::SharedCache::new(AGENTS.len() as u64, KEYS_FOR),
            nonces: cache::Cache::builder(NONCES).time_to_live(MAX_LIFE).build(),
        }
    }

    /// Returns the agent that has signed a request to `authority`, when the signature is valid and was not used before.
    pub async fn verify(&self, headers: &HeaderMap, authority: &str) -> Option<Agent> {
        let message = Message { headers, authority: without_default_port(authority) };
        let verifier = WebBotAuthVerifier::parse(&message).ok()?;
        let agent = verifier.get_signature_agents().iter().find_map(listed)?;
        let details = &verifier.get_parsed_label().base.parameters.details;
        let (created, expires, nonce) = (details.created?, details.expires?, details.nonce.clone());
        if !is_timely(created, expires, self.clock.now()) {
            return None;
        }
        let directory = tokio::time::timeout(PATIENCE, self.directory(agent)).await.ok()?;
        verifier.verify(directory.keys.as_ref()?, None).ok()?;
        match nonce {
            Some(nonce) => self.nonces.insert_if_absent(&nonce, ()).then_some(agent),
            None => Some(agent),
        }
    }

    async fn directory(&self, agent: Agent) -> Arc<Directory> {
        let now = self.clock.now();
        if let Some(known) = self.keys.get(agent.host).await {
            if now < known.good_until {
                return known;
            }
            self.keys.remove(agent.host).await;
        }
        self.keys
            .get_with(agent.host, async {
                let keys = self.fetch(agent).await;
                let keep = if keys.is_some() { KEYS_FOR } else { NO_KEYS_FOR };
                Directory { keys, good_until: now.plus(keep) }
            })
            .await
    }

    async fn fetch(&self, agent: Agent) -> Option<KeyRing> {
        let url = Url::parse(&format!("https://{}{DIRECTORY_PATH}", agent.host)).ok()?;
        let request =
            FetchRequest { max_body_bytes: MAX_DIRECTORY_BYTES, max_redirects: 0, ..FetchRequest::get(url) };
        let fetched = self.fetcher.fetch(request).await;
        let fetched =
            fetched.inspect_err(|error| tracing::debug!(%error, agent = agent.host, "no keys")).ok()?;
        if !fetched.status.is_success() {
            return None;
        }
        let set: JSONWebKeySet = serde_json::from_slice(&fetched.body.bytes().await.ok()?).ok()?;
        let mut keys = KeyRing::default();
        keys.import_jwks(set);
        Some(keys)
    }
}

fn listed(link: &SignatureAgentLink) -> Option<Agent> {
    let SignatureAgentLink::External(address) = link else { return None };
    let url = Url::parse(address).ok().filter(|url| url.scheme() == "https")?;
    AGENTS.into_iter().find(|agent| url.host_str() == Some(agent.host))
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
                values.filter_map(|value| value.to_str().ok()).map(str::to_owned).collect()
            }
            CoveredComponent::Derived(DerivedComponent::Authority { .. }) => vec![self.authority.clone()],
            CoveredComponent::Derived(_) => Vec::new(),
        }
    }
}
