//! Settings of a domain's monitoring: default of new prompts, budget, webhook and digest.
//! Must never show the webhook's secret but in the answer that made it.

use std::sync::Arc;

use assistants::providers::Persona;
use store::{Db, DbError};

use super::records::DomainRecords;
use crate::monitoring::{CheckedMonitoring, DigestFrequency, MonitoringView};
use crate::queries::domains::{self, MonitoredDomain};
use ::domains::Domain;
use platform::Platform;
use platform::clock::Clock;
use platform::secret::{SealKey, random};

/// Purpose of the sealed texts.
const PURPOSE: &str = "mention webhooks";

/// Settings of domains' monitoring. Cheap to clone.
#[derive(Clone)]
pub struct MonitoringSettings {
    db: Db,
    clock: Clock,
    records: DomainRecords,
    seal_key: Arc<SealKey>,
}

impl MonitoringSettings {
    pub fn new(platform: &Platform, records: &DomainRecords) -> MonitoringSettings {
        MonitoringSettings {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            records: records.clone(),
            seal_key: Arc::new(platform.secrets.seal_key(PURPOSE)),
        }
    }

    pub async fn get(&self, domain: &Domain) -> Result<MonitoringView, DbError> {
        Ok(view_of(self.records.find(domain).await?.as_ref(), None))
    }

    /// Changes the settings of a domain. None: the domain was removed.
    pub async fn change(
        &self,
        domain: &Domain,
        change: CheckedMonitoring,
    ) -> Result<Option<MonitoringView>, DbError> {
        let first = self.records.first_profile(domain).await?;
        let mut tx = self.db.write().await?;
        let Some(mut record) = self.records.get_for_change(&mut tx, domain, &first).await? else {
            return Ok(None);
        };
        if let Some(persona) = change.persona {
            record.persona = persona;
        }
        if let Some(budget) = change.budget {
            record.budget = budget;
        }
        if let Some(digest) = change.digest {
            digest.as_str().clone_into(&mut record.digest);
        }
        let mut new_secret = None;
        if let Some(url) = change.webhook_url {
            record.webhook_url = url;
        }
        if record.webhook_url.is_none() {
            record.sealed = None;
        } else if self.secret_of(&record).is_none() {
            let secret = format!("gh_hook_{}", hex::encode(random::<24>()));
            record.sealed = Some(self.seal_key.seal(secret.as_bytes(), domain.id.as_str()));
            new_secret = Some(secret);
        }
        domains::save_monitoring(&mut tx, &record, self.clock.now()).await?;
        tx.commit().await?;
        Ok(Some(view_of(Some(&record), new_secret)))
    }

    /// Opens the secret that webhooks of a domain are signed with. None: there is no webhook, or the installation's own secret
    /// was exchanged since.
    pub fn secret_of(&self, record: &MonitoredDomain) -> Option<String> {
        let opened = self.seal_key.open(record.sealed.as_ref()?, record.domain.as_str())?;
        String::from_utf8(opened).ok()
    }
}

fn view_of(record: Option<&MonitoredDomain>, new_secret: Option<String>) -> MonitoringView {
    let digest = record.and_then(|record| DigestFrequency::parse(&record.digest));
    MonitoringView {
        persona_location: record
            .map_or_else(|| Persona::default().to_json(), |record| record.persona.to_json()),
        budget_usd_per_month: record.and_then(|record| record.budget),
        webhook_url: record.and_then(|record| record.webhook_url.clone()),
        digest: digest.unwrap_or(DigestFrequency::Off),
        webhook_secret: new_secret,
    }
}
