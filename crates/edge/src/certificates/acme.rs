//! Orders certificates from an ACME certificate authority (RFC 8555). Used by `certificates`, which decides when to order.
//! Knows neither the database nor the domains: proofs go to an [`OrderStore`], which every process reads.

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use instant_acme::{
    Account, AccountBuilder, AccountCredentials, AuthorizationStatus, CertificateIdentifier, ChallengeType,
    Error, Identifier, LetsEncrypt, NewAccount, NewOrder, Order, OrderStatus, Problem, RetryPolicy,
};
use rcgen::{CertificateParams, DistinguishedName, KeyPair};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::sync::Mutex;

use super::model::RenewalWindow;
use platform::clock::Timestamp;
use platform::config;

/// Problem type of the authority for an account that it does not know, for example after its database was reset.
const UNKNOWN_ACCOUNT: &str = "urn:ietf:params:acme:error:accountDoesNotExist";
/// Problem type of the authority for an account that orders too much.
const RATE_LIMITED: &str = "urn:ietf:params:acme:error:rateLimited";
/// Timeout of the authority's validation of a proof, and of its issuance.
const PATIENCE: Duration = Duration::from_secs(60);

/// The certificate authority of the settings.
pub struct CertificateAuthority {
    directory_url: String,
    contact: Option<String>,
    root_ca: Option<PathBuf>,
    /// Account with the authority; None until it is first needed.
    account: Mutex<Option<Account>>,
}

/// A new certificate and its key, PEM.
pub struct Issued {
    /// Certificate and its intermediates, PEM.
    pub chain: String,
    /// Private key, PEM.
    pub key: String,
}

/// Answer of the authority to the question when a certificate is to be renewed.
pub struct SuggestedRenewal {
    /// Window of the renewal.
    pub window: RenewalWindow,
    /// Time until the authority wants to be asked again.
    pub retry_after: Duration,
}

/// Reason of a failed order.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// The authority could not be reached or refused.
    #[error(transparent)]
    Acme(#[from] Error),
    /// The authority did not accept the proof.
    #[error("the certificate authority did not accept the proof: {0}")]
    NotProven(String),
    /// The authority offers no challenge of the wanted type.
    #[error("the certificate authority offers neither http-01 nor tls-alpn-01")]
    NoChallenge,
    /// The certificate names neither its number nor its issuer's key, by which the authority finds a certificate.
    #[error("the certificate has no identifier")]
    NoIdentifier,
    /// The key or the certificate request could not be created.
    #[error("could not make a certificate request")]
    Request(#[from] rcgen::Error),
    /// A proof or the account could not be stored for the other processes.
    #[error("could not keep what the order needs")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Method by which the authority validates control of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValidationMethod {
    /// Plain HTTP, port 80.
    Http,
    /// Within a TLS handshake, port 443.
    Tls,
}

/// Store of the data that outlives an order: the account, and proofs until the authority has validated them.
pub trait OrderStore: Send + Sync {
    /// Returns the credentials of the account with a directory.
    fn credentials(
        &self,
        directory_url: &str,
    ) -> impl Future<Output = Result<Option<String>, OrderError>> + Send;
    /// Stores the credentials of the account with a directory.
    fn keep_credentials(
        &self,
        directory_url: &str,
        credentials: &str,
    ) -> impl Future<Output = Result<(), OrderError>> + Send;
    /// Publishes a proof under its token.
    fn show(
        &self,
        token: &str,
        host: &str,
        proof: &str,
    ) -> impl Future<Output = Result<(), OrderError>> + Send;
}

impl CertificateAuthority {
    /// Returns the authority of the settings. None when the contact is no e-mail address.
    pub fn new(edge: &config::EdgeSection) -> Option<CertificateAuthority> {
        if edge.acme_contact.as_ref().is_some_and(|contact| !contact.contains('@')) {
            return None;
        }
        let directory = edge.acme_directory_url.as_ref().map(ToString::to_string);
        Some(CertificateAuthority {
            directory_url: directory.unwrap_or_else(|| LetsEncrypt::Production.url().to_owned()),
            contact: edge.acme_contact.as_ref().map(|contact| match contact.strip_prefix("mailto:") {
                Some(_) => contact.clone(),
                None => format!("mailto:{contact}"),
            }),
            root_ca: edge.acme_root_ca.clone(),
            account: Mutex::new(None),
        })
    }

    /// Orders a certificate for one name and proves control of the name. `replaced` is the PEM chain of the certificate before it.
    pub async fn order(
        &self,
        host: &str,
        method: ValidationMethod,
        replaced: Option<&str>,
        store: &impl OrderStore,
    ) -> Result<Issued, OrderError> {
        let account = self.account(store).await?;
        let replaced = replaced.and_then(|chain| certificate_id(chain).ok());
        let order = match new_order(&account, host, replaced).await {
            Err(Error::Api(problem)) if is_of_type(&problem, UNKNOWN_ACCOUNT) => {
                let account = self.register(store).await?;
                new_order(&account, host, None).await
            }
            order => order,
        };
        finish(order?, host, method, store).await
    }

    /// Asks when the certificate of a PEM chain is to be renewed. An error of an authority that does not suggest times.
    pub async fn suggested_renewal(
        &self,
        chain: &str,
        store: &impl OrderStore,
    ) -> Result<SuggestedRenewal, OrderError> {
        let id = certificate_id(chain)?;
        let (info, retry_after) = self.account(store).await?.renewal_info(&id).await?;
        let time = |nanos: i128| Timestamp::from_millis(i64::try_from(nanos / 1_000_000).unwrap_or(i64::MAX));
        let window = RenewalWindow {
            start: time(info.suggested_window.start.unix_timestamp_nanos()),
            end: time(info.suggested_window.end.unix_timestamp_nanos()),
        };
        Ok(SuggestedRenewal { window, retry_after })
    }

    async fn account(&self, store: &impl OrderStore) -> Result<Account, OrderError> {
        if let Some(account) = &*self.account.lock().await {
            return Ok(account.clone());
        }
        let stored = store.credentials(&self.directory_url).await?;
        let Some(credentials) =
            stored.and_then(|text| serde_json::from_str::<AccountCredentials>(&text).ok())
        else {
            return self.register(store).await;
        };
        let account = self.client()?.from_credentials(credentials).await?;
        *self.account.lock().await = Some(account.clone());
        Ok(account)
    }

    async fn register(&self, store: &impl OrderStore) -> Result<Account, OrderError> {
        let contact: Vec<&str> = self.contact.iter().map(String::as_str).collect();
        let new =
            NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
        let (account, credentials) = self.client()?.create(&new, self.directory_url.clone(), None).await?;
        let text = serde_json::to_string(&credentials).map_err(|error| OrderError::Store(Box::new(error)))?;
        store.keep_credentials(&self.directory_url, &text).await?;
        *self.account.lock().await = Some(account.clone());
        Ok(account)
    }

    /// Returns a client without the guard of customers' addresses, since the operator configures the authority.
    fn client(&self) -> Result<AccountBuilder, Error> {
        // The client uses the process-wide provider. An earlier one may stay.
        crawler::tls::install_provider();
        match &self.root_ca {
            Some(path) => Account::builder_with_root(path),
            None => Account::builder(),
        }
    }
}

/// Returns the identifier of a PEM chain's first certificate (RFC 9773).
fn certificate_id(chain: &str) -> Result<CertificateIdentifier<'static>, OrderError> {
    let first = CertificateDer::from_pem_slice(chain.as_bytes()).map_err(|_| OrderError::NoIdentifier)?;
    let id = CertificateIdentifier::try_from(&first).map_err(|_| OrderError::NoIdentifier)?;
    Ok(id.into_owned())
}

/// Begins an order that names the certificate it replaces, where the authority accepts that.
async fn new_order(
    account: &Account,
    host: &str,
    replaced: Option<CertificateIdentifier<'static>>,
) -> Result<Order, Error> {
    let identifiers = [Identifier::Dns(host.to_owned())];
    if let Some(replaced) = replaced {
        match account.new_order(&NewOrder::new(&identifiers).replaces(replaced)).await {
            // An authority without renewal information, or one that knows the certificate as replaced or not at all.
            Err(Error::Unsupported(_) | Error::Other(_)) => {}
            Err(Error::Api(problem))
                if !is_of_type(&problem, UNKNOWN_ACCOUNT) && !is_of_type(&problem, RATE_LIMITED) => {}
            order => return order,
        }
    }
    account.new_order(&NewOrder::new(&identifiers)).await
}

fn is_of_type(problem: &Problem, of: &str) -> bool {
    problem.r#type.as_deref() == Some(of)
}

async fn finish(
    mut order: Order,
    host: &str,
    method: ValidationMethod,
    store: &impl OrderStore,
) -> Result<Issued, OrderError> {
    let patience = RetryPolicy::new().timeout(PATIENCE);
    give_proof(&mut order, host, method, store).await?;
    let status = order.poll_ready(&patience).await?;
    if !matches!(status, OrderStatus::Ready | OrderStatus::Valid) {
        return Err(OrderError::NotProven(reason(&mut order).await));
    }
    let key = KeyPair::generate()?;
    let mut request = CertificateParams::new(vec![host.to_owned()])?;
    // Authorities read names from the extension; a common name could contradict it.
    request.distinguished_name = DistinguishedName::new();
    order.finalize_csr(request.serialize_request(&key)?.der()).await?;
    let chain = order.poll_certificate(&patience).await?;
    Ok(Issued { chain, key: key.serialize_pem() })
}

async fn give_proof(
    order: &mut Order,
    host: &str,
    method: ValidationMethod,
    store: &impl OrderStore,
) -> Result<(), OrderError> {
    let wanted = match method {
        ValidationMethod::Http => ChallengeType::Http01,
        ValidationMethod::Tls => ChallengeType::TlsAlpn01,
    };
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        if authorization.status == AuthorizationStatus::Valid {
            continue;
        }
        let mut challenge = authorization.challenge(wanted.clone()).ok_or(OrderError::NoChallenge)?;
        let key_authorization = challenge.key_authorization();
        store.show(&challenge.token, host, key_authorization.as_str()).await?;
        challenge.set_ready().await?;
    }
    Ok(())
}

/// Returns the authority's reason for refusing a proof.
async fn reason(order: &mut Order) -> String {
    let mut authorizations = order.authorizations();
    while let Some(Ok(authorization)) = authorizations.next().await {
        let problem = authorization.challenges.iter().find_map(|challenge| challenge.error.as_ref());
        if let Some(problem) = problem {
            return problem.to_string();
        }
    }
    "no reason given".to_owned()
}
