//! Audit settings of a domain: reading them, and changing them one change at a time.

use std::sync::Arc;
use std::time::Duration;

use store::{Db, DbError, Tx};

use super::SERVICE;
use crate::auditing::{Auditing, AuditingChange, AuditingView, SiteCredentials};
use crate::jobs::AuditDomain;
use crate::model::Frequency;
use crate::queries;
use domains::{Domain, DomainId};
use platform::Platform;
use platform::clock::Clock;
use platform::jobs::{Days, Job, JobPriority, Jobs, Recurrence};
use platform::secret::{SealKey, Secrets, random};

/// Purpose of the sealed texts.
const PURPOSE: &str = "audit credentials";

/// Scheduled audits of all domains begin within so long after midnight UTC, each at its own time.
const SPREAD: Duration = Duration::from_secs(6 * 3600);

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

/// Audit settings of domains. Cheap to clone.
#[derive(Clone)]
pub struct AuditSettings {
    db: Db,
    clock: Clock,
    secrets: Arc<Secrets>,
    jobs: Jobs,
}

impl AuditSettings {
    pub(super) fn new(platform: &Platform, jobs: &Jobs) -> AuditSettings {
        let Platform { db, clock, secrets, .. } = platform;
        AuditSettings { db: db.clone(), clock: clock.clone(), secrets: secrets.clone(), jobs: jobs.clone() }
    }

    fn seal_key(&self) -> SealKey {
        self.secrets.seal_key(PURPOSE)
    }

    /// Returns the settings of a domain's audits, and the credentials that were saved with it, whatever server they were meant for.
    pub(super) async fn get(&self, domain: &DomainId) -> Result<(Auditing, SiteCredentials), DbError> {
        let found = queries::settings::find_settings(&mut self.db.read().await?, domain).await?;
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
    pub async fn view(&self, domain: &Domain) -> Result<AuditingView, DbError> {
        let (auditing, credentials) = self.get_current(domain).await?;
        Ok(AuditingView::of(auditing, &credentials))
    }

    /// Returns the secrets of a domain's audits, for commands of the operator. Must never be shown.
    pub async fn credentials(&self, domain: &Domain) -> Result<SiteCredentials, DbError> {
        Ok(self.get_current(domain).await?.1)
    }

    /// Returns the settings, with the credentials for the domain's present server.
    async fn get_current(&self, domain: &Domain) -> Result<(Auditing, SiteCredentials), DbError> {
        let (auditing, mut credentials) = self.get(&domain.id).await?;
        credentials.keep_for(domain.settings.origin_host.as_ref());
        Ok((auditing, credentials))
    }

    /// Changes how a domain is audited. What was sent was checked before.
    pub async fn change(
        &self,
        domain: &Domain,
        change: AuditingChange,
    ) -> Result<AuditingView, AuditingError> {
        let mut tx = self.db.write().await?;
        if !queries::settings::lock_settings(&mut tx, &domain.id, self.clock.now()).await? {
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
            set_frequency(&self.jobs, &mut tx, &domain.id, auditing.frequency).await?;
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

/// Returns the recurrence of a domain's audits; none: never.
fn recurrence(frequency: Frequency) -> Option<Recurrence> {
    let days = match frequency {
        Frequency::Manual => return None,
        Frequency::Daily => Days::Daily,
        Frequency::Weekly => Days::Weekly(1),
        Frequency::Monthly => Days::Monthly(1),
    };
    Some(Recurrence::on(days).expect("the first day of a week and of a month").spread(SPREAD))
}

/// Has a domain audited by itself, or not any more; in the caller's transaction.
pub(super) async fn set_frequency(
    jobs: &Jobs,
    tx: &mut Tx,
    domain: &DomainId,
    frequency: Frequency,
) -> Result<(), DbError> {
    let Some(rule) = recurrence(frequency) else {
        return jobs.remove_schedule(tx, domain.as_str(), AuditDomain::KIND).await;
    };
    let job = AuditDomain { domain: domain.clone() }
        .queued_for(SERVICE)
        .domain(domain.as_str())
        .priority(JobPriority::Background);
    jobs.set_schedule(tx, domain.as_str(), &rule, job).await.map(drop)
}
