//! Audit settings of a domain: reading them, and changing them one change at a time.

use store::DbError;

use super::Audits;
use crate::auditing::{Auditing, AuditingChange, AuditingView, SiteCredentials};
use crate::queries;
use domains::{Domain, DomainId};
use platform::secret::{SealKey, random};

/// Purpose of the sealed texts.
const PURPOSE: &str = "audit credentials";

/// Reason why a change was refused.
#[derive(Debug, thiserror::Error)]
pub enum AuditingError {
    /// The domain was removed meanwhile.
    #[error("the domain is gone")]
    Gone,
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] DbError),
}

impl Audits {
    fn seal_key(&self) -> SealKey {
        self.0.platform.secrets.seal_key(PURPOSE)
    }

    /// Returns the settings of a domain's audits, and the credentials that were saved with it, whatever server they were meant for.
    pub(super) async fn auditing_of(
        &self,
        domain: &DomainId,
    ) -> Result<(Auditing, SiteCredentials), DbError> {
        let found = queries::settings::find_settings(&mut self.0.db.read().await?, domain).await?;
        Ok(self.unseal(domain, found))
    }

    fn unseal(
        &self,
        domain: &DomainId,
        found: Option<(Auditing, Option<String>)>,
    ) -> (Auditing, SiteCredentials) {
        let Some((auditing, sealed)) = found else { return Default::default() };
        let opened = sealed.and_then(|sealed| {
            let opened = self.seal_key().open(&sealed, domain.as_str());
            if opened.is_none() {
                tracing::error!(domain = %domain, "an audit's credentials are sealed with another secret");
            }
            opened
        });
        let credentials = opened.and_then(|text| serde_json::from_slice(&text).ok());
        (auditing, credentials.unwrap_or_default())
    }

    /// Returns the audit settings of a domain, without secrets.
    pub async fn auditing(&self, domain: &Domain) -> Result<AuditingView, DbError> {
        let (auditing, mut credentials) = self.auditing_of(&domain.id).await?;
        credentials.keep_for(domain.settings.origin_host.as_ref());
        Ok(AuditingView::of(auditing, &credentials))
    }

    /// Changes how a domain is audited. What was sent was checked before.
    pub async fn change_auditing(
        &self,
        domain: &Domain,
        change: AuditingChange,
    ) -> Result<AuditingView, AuditingError> {
        let mut tx = self.0.db.write().await?;
        if !queries::settings::lock_settings(&mut tx, &domain.id, self.0.clock.now()).await? {
            return Err(AuditingError::Gone);
        }
        let found = queries::settings::find_settings(&mut tx, &domain.id).await?;
        let (mut auditing, mut credentials) = self.unseal(&domain.id, found);
        credentials.keep_for(domain.settings.origin_host.as_ref());
        let before = auditing.frequency;
        change.apply_to(&mut auditing, &mut credentials);
        credentials.bind_to(domain.settings.origin_host.as_ref());
        let mut new_secret = None;
        if auditing.webhook_url.is_some() && credentials.webhook_secret.is_none() {
            new_secret = Some(format!("gh_hook_{}", hex::encode(random::<24>())));
            credentials.webhook_secret.clone_from(&new_secret);
        } else if auditing.webhook_url.is_none() {
            credentials.webhook_secret = None;
        }
        if auditing.frequency != before {
            self.set_frequency(&mut tx, &domain.id, auditing.frequency).await?;
        }
        let text = serde_json::to_vec(&credentials).expect("credentials are plain data");
        let sealed = (credentials != SiteCredentials::default())
            .then(|| self.seal_key().seal(&text, domain.id.as_str()));
        queries::settings::save_settings(&mut tx, &domain.id, &auditing, sealed.as_deref()).await?;
        tx.commit().await?;
        let mut view = AuditingView::of(auditing, &credentials);
        view.webhook_secret = new_secret;
        Ok(view)
    }
}
