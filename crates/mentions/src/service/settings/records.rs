//! Record of a monitored domain: found, or begun with a derived brand profile. Used by whatever writes about a domain.

use assistants::analysis::BrandProfile;
use serde_json::Value;
use store::{Db, DbError, Tx};

use crate::queries::domains::{self, MonitoredDomain};
use ::domains::Domain;
use audit::{AuditReader, ReadError};
use platform::clock::Clock;

/// Tag of a page that has the name of its site.
const SITE_NAME: &str = "og:site_name";

/// Records of monitored domains. Cheap to clone.
#[derive(Clone)]
pub struct DomainRecords {
    db: Db,
    clock: Clock,
    audits: AuditReader,
}

impl DomainRecords {
    pub fn new(db: &Db, clock: &Clock, audits: &AuditReader) -> DomainRecords {
        DomainRecords { db: db.clone(), clock: clock.clone(), audits: audits.clone() }
    }

    /// Finds the record of a domain. None: nothing about the domain was saved yet.
    pub async fn find(&self, domain: &Domain) -> Result<Option<MonitoredDomain>, DbError> {
        domains::find_domain(&mut self.db.read().await?, &domain.id).await
    }

    /// Derives the brand profile of a domain from its name and from the site's name in its latest audit.
    pub async fn derive(&self, domain: &Domain) -> BrandProfile {
        BrandProfile::derive(&domain.host, self.site_name(domain).await.as_deref())
    }

    /// Derives the profile again from the site's name in the latest audit. None: no name is known.
    pub async fn derive_again(&self, domain: &Domain) -> Option<BrandProfile> {
        let name = self.site_name(domain).await?;
        Some(BrandProfile::derive(&domain.host, Some(&name)))
    }

    /// Returns the profile that a record of the domain begins with; a domain that has a record needs none.
    pub async fn first_profile(&self, domain: &Domain) -> Result<BrandProfile, DbError> {
        match self.find(domain).await? {
            Some(record) => Ok(record.brand),
            None => Ok(self.derive(domain).await),
        }
    }

    /// Returns the record of a domain, which nobody else changes until the transaction ends. Begins it with `profile` when
    /// there is none. None: the domain was removed.
    pub async fn get_for_change(
        &self,
        tx: &mut Tx,
        domain: &Domain,
        profile: &BrandProfile,
    ) -> Result<Option<MonitoredDomain>, DbError> {
        if let Some(found) = domains::find_for_change(tx, &domain.id).await? {
            return Ok(Some(found));
        }
        domains::insert_domain(tx, (&domain.id, &domain.account_id), profile, self.clock.now()).await?;
        domains::find_for_change(tx, &domain.id).await
    }

    async fn audited_home_page(&self, domain: &Domain) -> Result<Option<Value>, ReadError> {
        match self.audits.latest_run(&domain.id).await? {
            Some(latest) => latest.find_page("/").await,
            None => Ok(None),
        }
    }

    /// Returns the name of the site, as the home page of the latest audit has it.
    async fn site_name(&self, domain: &Domain) -> Option<String> {
        let page = match self.audited_home_page(domain).await {
            Ok(page) => page?,
            Err(error) => {
                // The domain's own name is a profile too.
                tracing::warn!(domain = %domain.id, %error, "the latest audit cannot be read for the name of the site");
                return None;
            }
        };
        let name = page["socialTags"][SITE_NAME].as_str()?.trim();
        (!name.is_empty()).then(|| name.to_owned())
    }
}
