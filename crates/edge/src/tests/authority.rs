//! A certificate authority that dates its certificates by a test's clock and suggests times of renewal (RFC 9773), which Debian's
//! pebble does neither. Takes every name for proven: pebble checks proofs.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use crawler::testing::WebServer;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateSigningRequestParams, IsCa, Issuer, KeyPair,
    PublicKeyData, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::certificates::write_server_certificate;
use platform::clock::{Clock, Timestamp};

/// Answer to the question when a certificate is to be renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// The directory has no address for the question.
    NotOffered,
    /// The answer is no renewal information.
    Unreadable,
    /// Window, and the seconds after which to ask again.
    Window { start: Timestamp, end: Timestamp, retry_after_s: u64 },
}

/// An order and its certificate.
#[derive(Debug, Clone, Default)]
pub struct PlacedOrder {
    pub host: String,
    /// Identifier of the certificate that the order replaces.
    pub replaces: Option<String>,
    chain: Option<String>,
}

/// The authority. Ends when dropped.
pub struct DatingAuthority {
    pub state: Arc<AuthorityState>,
    server: WebServer,
    folder: TempDir,
}

pub struct AuthorityState {
    pub clock: Clock,
    life: Duration,
    issuer: Issuer<'static, KeyPair>,
    issuer_pem: String,
    pub advice: Mutex<Advice>,
    pub orders: Mutex<Vec<PlacedOrder>>,
    /// Identifiers of the certificates for which the authority was asked.
    pub asked: Mutex<Vec<String>>,
    /// True when orders that replace a certificate are refused.
    pub refuses_replacements: Mutex<bool>,
}

impl DatingAuthority {
    /// Starts an authority whose certificates have this lifetime.
    pub async fn start(clock: &Clock, life: Duration, advice: Advice) -> DatingAuthority {
        let folder = tempfile::tempdir().unwrap();
        write_server_certificate(folder.path());
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        let certificate = CertificateDer::from_pem_slice(&read("server.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_slice(&read("server.key")).unwrap();
        let config = ServerConfig::builder_with_provider(crawler::tls::provider());
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let config = config.with_single_cert(vec![certificate], key).unwrap();
        let state = Arc::new(AuthorityState::new(clock, life, advice));
        let answering = state.clone();
        let answer = move |request| {
            let state = answering.clone();
            async move { state.answer(request).await }
        };
        let server = WebServer::start_tls(Arc::new(config).into(), answer).await;
        DatingAuthority { state, server, folder }
    }

    /// Returns the settings of a service that orders here.
    pub fn settings(&self) -> String {
        format!(
            "edge.acme_directory_url = \"https://{}/dir\"\nedge.acme_root_ca = \"{}\"\n",
            self.server.address(),
            self.folder.path().join("root.pem").display()
        )
    }
}

impl AuthorityState {
    fn new(clock: &Clock, life: Duration, advice: Advice) -> AuthorityState {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer_pem = params.self_signed(&key).unwrap().pem();
        AuthorityState {
            clock: clock.clone(),
            life,
            issuer: Issuer::new(params, key),
            issuer_pem,
            advice: Mutex::new(advice),
            orders: Mutex::default(),
            asked: Mutex::default(),
            refuses_replacements: Mutex::default(),
        }
    }

    /// Issues a certificate for a name without an order. Returns the chain and the key, PEM.
    pub fn issue(&self, host: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        (self.sign(params, &key), key.serialize_pem())
    }

    fn sign(&self, mut params: CertificateParams, key: &impl PublicKeyData) -> String {
        let seconds = u64::try_from(self.clock.now().as_millis() / 1000).unwrap();
        params.not_before = date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds);
        params.not_after = params.not_before + self.life;
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(key, &self.issuer).unwrap();
        format!("{}{}", certificate.pem(), self.issuer_pem)
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let base = format!("https://{}", request.headers()["host"].to_str().unwrap());
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let payload = payload_of(&body);
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let number = segments.get(1).and_then(|text| text.parse::<usize>().ok());
        match (segments[0], number) {
            ("dir", _) => self.directory(&base),
            ("nonce", _) => reply(StatusCode::OK, &json!({})),
            ("account", _) => located(&format!("{base}/account/1"), &json!({ "status": "valid" })),
            ("order", None) if method == Method::POST => self.new_order(&base, &payload),
            ("order", Some(number)) => reply(StatusCode::OK, &self.order(&base, number)),
            ("authorization", Some(number)) => {
                let host = lock(&self.orders)[number].host.clone();
                let identifier = json!({ "type": "dns", "value": host });
                let proven = json!({ "identifier": identifier, "status": "valid", "challenges": [] });
                reply(StatusCode::OK, &proven)
            }
            ("finalize", Some(number)) => {
                self.finalize(number, &payload);
                reply(StatusCode::OK, &self.order(&base, number))
            }
            ("certificate", Some(number)) => {
                plain(lock(&self.orders)[number].chain.clone().unwrap_or_default())
            }
            ("renewal-info", _) => self.renewal_info(segments[1]),
            _ => panic!("the authority has no {path}"),
        }
    }

    fn directory(&self, base: &str) -> Response<Full<Bytes>> {
        let mut directory = json!({
            "newNonce": format!("{base}/nonce"),
            "newAccount": format!("{base}/account"),
            "newOrder": format!("{base}/order"),
        });
        if *lock(&self.advice) != Advice::NotOffered {
            directory["renewalInfo"] = json!(format!("{base}/renewal-info"));
        }
        reply(StatusCode::OK, &directory)
    }

    fn new_order(&self, base: &str, payload: &Value) -> Response<Full<Bytes>> {
        let replaces = payload["replaces"].as_str().map(str::to_owned);
        if replaces.is_some() && *lock(&self.refuses_replacements) {
            let problem = json!({ "type": "urn:ietf:params:acme:error:alreadyReplaced", "status": 409 });
            return reply(StatusCode::CONFLICT, &problem);
        }
        let host = payload["identifiers"][0]["value"].as_str().unwrap().to_owned();
        let number = {
            let mut orders = lock(&self.orders);
            orders.push(PlacedOrder { host, replaces, chain: None });
            orders.len() - 1
        };
        located(&format!("{base}/order/{number}"), &self.order(base, number))
    }

    fn order(&self, base: &str, number: usize) -> Value {
        let order = lock(&self.orders)[number].clone();
        let mut state = json!({
            "status": if order.chain.is_some() { "valid" } else { "ready" },
            "identifiers": [{ "type": "dns", "value": order.host }],
            "authorizations": [format!("{base}/authorization/{number}")],
            "finalize": format!("{base}/finalize/{number}"),
            "certificate": format!("{base}/certificate/{number}"),
        });
        if let Some(replaces) = order.replaces {
            state["replaces"] = json!(replaces);
        }
        state
    }

    fn finalize(&self, number: usize, payload: &Value) {
        let request = decoded(payload["csr"].as_str().unwrap());
        let request = CertificateSigningRequestParams::from_der(&request.into()).unwrap();
        let chain = self.sign(request.params, &request.public_key);
        lock(&self.orders)[number].chain = Some(chain);
    }

    fn renewal_info(&self, id: &str) -> Response<Full<Bytes>> {
        lock(&self.asked).push(id.to_owned());
        let Advice::Window { start, end, retry_after_s } = *lock(&self.advice) else {
            return reply(StatusCode::OK, &json!({ "suggestedWindow": "soon" }));
        };
        let [start, end] = [start, end].map(|time| time.to_jiff().to_string());
        let mut answer = reply(StatusCode::OK, &json!({ "suggestedWindow": { "start": start, "end": end } }));
        answer.headers_mut().insert("retry-after", retry_after_s.into());
        answer
    }
}

pub fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap()
}

/// Returns the payload of a signed request; null without one.
fn payload_of(body: &[u8]) -> Value {
    let signed: Value = serde_json::from_slice(body).unwrap_or_default();
    serde_json::from_slice(&decoded(signed["payload"].as_str().unwrap_or_default())).unwrap_or_default()
}

fn decoded(text: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).unwrap()
}

fn reply(status: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    let mut answer = plain(body.to_string());
    *answer.status_mut() = status;
    answer
}

fn located(location: &str, body: &Value) -> Response<Full<Bytes>> {
    let mut answer = reply(StatusCode::CREATED, body);
    answer.headers_mut().insert("location", location.parse().unwrap());
    answer
}

fn plain(text: String) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(Bytes::from(text)));
    answer.headers_mut().insert("replay-nonce", "nonce".parse().unwrap());
    answer
}
