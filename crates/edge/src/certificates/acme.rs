//! Orders certificates from an ACME certificate authority (RFC 8555). Used by `certificates`, which decides whether to.
//! Knows neither the database nor the domains: proofs go to an [`OrderStore`], which every process reads.

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use instant_acme::{
    Account, AccountBuilder, AccountCredentials, AuthorizationStatus, ChallengeType, Error, Identifier,
    LetsEncrypt, NewAccount, NewOrder, Order, OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, DistinguishedName, KeyPair};
use tokio::sync::Mutex;

use platform::config;

/// What the authority says of an account that it does not know, as after it was reset.
const UNKNOWN_ACCOUNT: &str = "urn:ietf:params:acme:error:accountDoesNotExist";
/// How long the authority may take to look at a proof, and then to issue.
const PATIENCE: Duration = Duration::from_secs(60);

/// The certificate authority of the settings.
pub struct CertificateAuthority {
    directory_url: String,
    contact: Option<String>,
    root_ca: Option<PathBuf>,
    /// Our account there, once it was needed.
    account: Mutex<Option<Account>>,
}

/// A new certificate and its key, PEM.
pub struct Issued {
    /// The certificate and what leads to the root.
    pub chain: String,
    /// The private key.
    pub key: String,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// The authority could not be reached or refused.
    #[error(transparent)]
    Acme(#[from] Error),
    /// The authority did not accept the proof.
    #[error("the certificate authority did not accept the proof: {0}")]
    NotProven(String),
    /// The authority offers no way of proof that we can give.
    #[error("the certificate authority offers neither http-01 nor tls-alpn-01")]
    NoChallenge,
    /// The key or the request could not be made.
    #[error("could not make a certificate request")]
    Request(#[from] rcgen::Error),
    /// A proof or the account could not be put where other processes find it.
    #[error("could not keep what the order needs")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// How the authority validates that a name leads here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValidationMethod {
    /// Plain HTTP, port 80.
    Http,
    /// Within a TLS handshake, port 443.
    Tls,
}

/// What outlives an order: the account, and proofs for as long as the authority looks for them.
pub trait OrderStore: Send + Sync {
    /// The account's credentials for a directory.
    fn credentials(
        &self,
        directory_url: &str,
    ) -> impl Future<Output = Result<Option<String>, OrderError>> + Send;
    /// Keeps the account's credentials for a directory.
    fn keep_credentials(
        &self,
        directory_url: &str,
        credentials: &str,
    ) -> impl Future<Output = Result<(), OrderError>> + Send;
    /// Shows a proof to whoever asks for its token.
    fn show(
        &self,
        token: &str,
        host: &str,
        proof: &str,
    ) -> impl Future<Output = Result<(), OrderError>> + Send;
}

impl CertificateAuthority {
    /// The authority of the settings. None when the contact is no e-mail address.
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

    /// Orders a certificate for one name and proves that the name leads here.
    pub async fn order(
        &self,
        host: &str,
        method: ValidationMethod,
        store: &impl OrderStore,
    ) -> Result<Issued, OrderError> {
        let account = self.account(store).await?;
        let identifiers = [Identifier::Dns(host.to_owned())];
        let order = match account.new_order(&NewOrder::new(&identifiers)).await {
            Err(Error::Api(problem)) if problem.r#type.as_deref() == Some(UNKNOWN_ACCOUNT) => {
                let account = self.register(store).await?;
                account.new_order(&NewOrder::new(&identifiers)).await
            }
            order => order,
        };
        finish(order?, host, method, store).await
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

    /// The operator names the authority, so it is not behind the guard that customers' addresses are behind.
    fn client(&self) -> Result<AccountBuilder, Error> {
        // The client uses the process-wide provider. If one is set already, that one is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        match &self.root_ca {
            Some(path) => Account::builder_with_root(path),
            None => Account::builder(),
        }
    }
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
    // Authorities take names from the extension; a common name would be one more place to disagree about.
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

/// What the authority says about a proof that it did not accept.
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
