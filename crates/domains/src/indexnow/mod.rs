//! IndexNow: notifies search engines of pages that a render changed, at once and then at most every `indexnow.interval_s`.
//! Used by `render`, which records changed pages in the transaction that stores them, and by the endpoint. Must never delay
//! a render: a job submits the pages.
//! See docs/decisions/0530.

mod queries;
mod submission;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::{DbError, Tx};
use url::Url;
use utoipa::ToSchema;

use crate::model::{Domain, DomainId, DomainStatus};
use crate::service::DomainChangeError;
use crate::{DomainsService, Site};
use platform::Platform;
use platform::clock::Timestamp;
use platform::jobs::{Job, Jobs, Registry};

pub use submission::SubmitPages;

/// Service of submissions to IndexNow. Cheap to clone.
#[derive(Clone)]
pub struct IndexNow {
    platform: Platform,
    domains: DomainsService,
    jobs: Jobs,
}

/// State of the submission of a domain's changed pages to search engines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IndexNowState {
    /// True when changed pages are submitted.
    pub enabled: bool,
    /// Key of the domain, 32 hexadecimal digits. The edge serves the key while IndexNow is on.
    #[schema(examples("3f2c8a0b6e4d41d79b0a5c6e7f809a1b"))]
    pub key: String,
    /// Address from which search engines fetch the key.
    #[schema(examples("https://shop.example/3f2c8a0b6e4d41d79b0a5c6e7f809a1b.txt"))]
    pub key_location: String,
    /// Number of changed pages that are not submitted yet.
    pub pending: u64,
    /// Number of pages submitted so far.
    pub submitted: u64,
    /// Status of the last response; null: none.
    pub last_status: Option<u16>,
    pub last_submitted_at: Option<Timestamp>,
    /// Problem that prevents submissions, or a task for the owner; null: none.
    pub problem: Option<String>,
}

/// Change of a domain's IndexNow setting.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct IndexNowChange {
    /// True switches IndexNow on, false off. Both clear the problem.
    pub enabled: Option<bool>,
}

/// Returns the key of a domain: 32 hexadecimal digits that cannot be guessed without the domain's id.
pub fn key_of(id: &DomainId) -> String {
    hex::encode(&Sha256::digest(format!("indexnow {id}").as_bytes())[..16])
}

/// Returns the path at which the edge serves a key.
pub fn key_path(key: &str) -> String {
    format!("/{key}.txt")
}

impl IndexNow {
    /// Makes the service.
    pub fn new(platform: &Platform, domains: &DomainsService, jobs: &Jobs) -> IndexNow {
        IndexNow { platform: platform.clone(), domains: domains.clone(), jobs: jobs.clone() }
    }

    /// Registers the job with the worker.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<SubmitPages>(self.clone(), 4)
    }

    /// Records that a page has changed, in the transaction that stores the page. Records nothing for a domain whose pages are
    /// not submitted or that no check has proven.
    pub async fn record_changed(&self, tx: &mut Tx, site: &Site, url: &Url) -> Result<(), DbError> {
        let domain = &site.domain;
        if !domain.settings.index_now || !domain.is_proven() {
            return Ok(());
        }
        queries::put_page(tx, &domain.id, url.as_str(), self.platform.clock.now()).await?;
        self.queue(tx, domain).await
    }

    /// Queues the job of a domain, unless it is already queued.
    async fn queue(&self, tx: &mut Tx, domain: &Domain) -> Result<(), DbError> {
        let job = SubmitPages { domain: domain.id.clone() }.queued_for(domain.account_id.as_str());
        let job = job.domain(domain.id.as_str()).unique(domain.id.as_str());
        self.jobs.enqueue(tx, vec![job]).await?;
        Ok(())
    }

    /// Wakes this process's worker, after the transaction that recorded changed pages.
    pub fn wake(&self) {
        self.jobs.wake();
    }

    /// Returns the state of a domain's submissions.
    pub async fn state(&self, domain: &Domain) -> Result<IndexNowState, DbError> {
        let mut conn = self.platform.db.read().await?;
        let row = queries::find_state(&mut conn, &domain.id).await?.unwrap_or_default();
        let pending = queries::count_pages(&mut conn, &domain.id).await?;
        let key = key_of(&domain.id);
        let key_location = key_location(&Site::new(domain.clone()).preferred_name(), &key);
        let enabled = domain.settings.index_now;
        let is_own_task = enabled && domain.status == DomainStatus::ViaApi && row.last_status != Some(200);
        let task = || {
            format!(
                "Put a text file that holds only {key} at {key_location}: search engines look for it there."
            )
        };
        Ok(IndexNowState {
            enabled,
            problem: row.problem.clone().or_else(|| is_own_task.then(task)),
            key,
            key_location,
            pending,
            submitted: row.submitted.unsigned_abs(),
            last_status: row.last_status.and_then(|status| u16::try_from(status).ok()),
            last_submitted_at: row.last_submitted_at.map(Timestamp::from_millis),
        })
    }

    /// Switches IndexNow on or off and returns the updated record. Pending pages are submitted when IndexNow is switched on
    /// again after a refusal, and deleted when it is switched off.
    pub async fn set_enabled(&self, id: &DomainId, enabled: bool) -> Result<Domain, DomainChangeError> {
        let domain = self.domains.change_settings(id, |settings| settings.index_now = enabled).await?;
        let mut tx = self.platform.db.write().await?;
        queries::reset(&mut tx, id).await?;
        match enabled {
            true => self.queue(&mut tx, &domain).await?,
            false => queries::delete_all_pages(&mut tx, id).await?,
        }
        tx.commit().await?;
        self.wake();
        Ok(domain)
    }
}

/// Returns the address from which search engines fetch a key.
fn key_location(host: &str, key: &str) -> String {
    format!("https://{host}{}", key_path(key))
}
