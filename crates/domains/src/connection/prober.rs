//! Sends a crawler-style request to a domain, and detects whether the request returns to this service. Used by the
//! connection check. Must never follow a redirect to another site, and never trust a response without our proof.

use std::time::Duration;

use crawler::connector::ConnectError;
use crawler::errors::one_line;
use crawler::fetch::TimeLimits;
use crawler::{FetchError, FetchRequest, Fetcher, Network, NetworkError};
use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use crate::connection::mark::ProbeMarks;
use crate::connection::probe::{PATH_PREFIX, ProbeKey, ProbeRoute};
use crate::names;
use accounts::AccountId;
use platform::api::header_names::PROBE;
use platform::clock::Clock;

/// User agent by which integrations at customers' sites recognise a crawler.
const USER_AGENT: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
/// Timeout of the domain's response, for each of https and http.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of redirects: from http to https, to the other name of the site, and one more.
const MAX_REDIRECTS: u32 = 3;
/// Maximum size of a response; our own is far smaller.
const MAX_BODY_BYTES: u64 = 64 * 1024;

/// Route on which a probe returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Over the edge.
    Edge,
    /// Over the render endpoint, with a key of the domain's own account.
    Api,
}

/// Client that sends probes. Cheap to clone.
#[derive(Clone)]
pub struct Prober {
    fetcher: Fetcher,
    key: ProbeKey,
    marks: ProbeMarks,
    clock: Clock,
}

impl Prober {
    /// Makes a client that connects through the network guard.
    pub fn new(network: &Network, key: ProbeKey, marks: ProbeMarks, clock: Clock) -> Prober {
        let user_agent = HeaderValue::from_static(USER_AGENT);
        let fetcher = Fetcher::new(network.clone(), crawler::tls::client_config(), user_agent);
        Prober { fetcher, key, marks, clock }
    }

    /// Sends a probe over https, then over http. Returns for each account the route on which the probe returned, if it did.
    pub async fn probe(&self, host: &str, accounts: &[&AccountId]) -> Vec<Option<Way>> {
        for scheme in ["https", "http"] {
            let reply = match self.ask(host, scheme).await {
                Ok(reply) => reply,
                // Another scheme does not help when the name does not resolve, or resolves to a forbidden address.
                Err(error) if is_about_the_name(&error) => break,
                Err(_) => continue,
            };
            let ways: Vec<_> = accounts.iter().map(|account| self.way_of(&reply, account)).collect();
            if ways.iter().any(Option::is_some) {
                return ways;
            }
        }
        vec![None; accounts.len()]
    }

    fn way_of(&self, reply: &ProbeReply, account: &AccountId) -> Option<Way> {
        let ways = [(Way::Api, ProbeRoute::Api(account)), (Way::Edge, ProbeRoute::Edge)];
        let carried = |route| reply.carries(&self.key.proof(&reply.nonce, route));
        ways.into_iter().find(|(_, route)| carried(*route)).map(|(way, _)| way)
    }

    async fn ask(&self, host: &str, scheme: &str) -> Result<ProbeReply, FetchError> {
        let nonce = self.key.issue(host, self.clock.now());
        let url = Url::parse(&format!("{scheme}://{host}{PATH_PREFIX}{nonce}"));
        let url = url.expect("hosts of domains and nonces are plain");
        let fetched = self
            .fetcher
            .fetch(request(url, host, self.marks.issue(host, self.clock.now())))
            .await
            .inspect_err(|error| {
                let error = one_line(error);
                tracing::debug!(host, scheme, error, "a probe got no answer");
            })?;
        let header = fetched.headers.get(PROBE).cloned();
        let body = fetched.body.bytes().await.unwrap_or_default();
        Ok(ProbeReply { nonce, header, body: String::from_utf8_lossy(&body).into_owned() })
    }
}

/// Response to a probe.
struct ProbeReply {
    nonce: String,
    header: Option<HeaderValue>,
    body: String,
}

impl ProbeReply {
    fn carries(&self, proof: &str) -> bool {
        self.header.as_ref().is_some_and(|value| value.as_bytes() == proof.as_bytes())
            || self.body.contains(proof)
    }
}

fn is_about_the_name(error: &FetchError) -> bool {
    let FetchError::Connect(error) = error else { return false };
    matches!(&**error, ConnectError::Network(network) if !matches!(network, NetworkError::Connect { .. }))
}

fn request(url: Url, host: &str, mark: HeaderValue) -> FetchRequest {
    let headers = HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")),
        (PROBE, mark),
    ]);
    let hosts = std::iter::once(host.to_owned()).chain(names::twin(host));
    FetchRequest {
        headers,
        max_redirects: MAX_REDIRECTS,
        stay_on: Some(hosts.collect()),
        max_body_bytes: MAX_BODY_BYTES,
        time_limits: TimeLimits { connect: TIMEOUT, headers: TIMEOUT, total: TIMEOUT },
        ..FetchRequest::get(url)
    }
}
