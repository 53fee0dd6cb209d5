//! Record of the page that a domain shows at an address that cannot exist, or the reason why there is no usable page.
//! `render` fetches the page once a day over all processes. The reason is shown beside the rendering settings.

mod queries;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use store::DbError;

use crate::{DomainId, DomainsService};
use platform::clock::Timestamp;

/// Time after which the page is fetched again.
pub const IMPOSSIBLE_PAGE_KEPT: Duration = Duration::from_secs(24 * 3600);
/// Time after which the page is fetched again when the server did not answer.
const RETRY_AFTER: Duration = Duration::from_secs(10 * 60);

/// Texts of the page that a site shows at an address that cannot exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpossiblePage {
    /// Path that was requested.
    pub path: String,
    pub title: String,
    /// First heading of the first level.
    pub heading: String,
    /// Visible text.
    pub text: String,
    /// Visible text without navigation, header, footer and asides.
    pub main: String,
}

/// Record of a domain's page at an address that cannot exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImpossiblePageRecord {
    pub asked_at: Timestamp,
    /// None while the page is being fetched, or when it is not usable.
    pub page: Option<ImpossiblePage>,
    /// Reason why the page is not usable.
    pub problem: Option<String>,
}

impl DomainsService {
    /// Finds the record of a domain.
    pub async fn find_impossible_page(&self, id: &DomainId) -> Result<Option<ImpossiblePageRecord>, DbError> {
        let row = queries::find_impossible_page(&mut self.db().read().await?, id).await?;
        Ok(row.map(|row| ImpossiblePageRecord {
            asked_at: Timestamp::from_millis(row.asked_at),
            page: row.texts.and_then(|texts| serde_json::from_str(&texts).ok()),
            problem: row.problem,
        }))
    }

    /// Claims the day's fetch. Returns false when any process has claimed it within a day.
    pub async fn claim_impossible_page(&self, id: &DomainId) -> Result<bool, DbError> {
        let now = self.clock().now();
        let mut tx = self.db().write().await?;
        let claimed = queries::claim(&mut tx, id, now, now.minus(IMPOSSIBLE_PAGE_KEPT)).await?;
        tx.commit().await?;
        Ok(claimed)
    }

    /// Stores the page, or the reason why there is no usable page.
    pub async fn keep_impossible_page(
        &self,
        id: &DomainId,
        answer: Result<&ImpossiblePage, &str>,
    ) -> Result<(), DbError> {
        let texts = answer.ok().map(|page| serde_json::to_string(page).expect("texts"));
        let mut tx = self.db().write().await?;
        queries::keep(&mut tx, id, texts.as_deref(), answer.err()).await?;
        tx.commit().await
    }

    /// Stores that the server did not answer; the page is fetched again in ten minutes.
    pub async fn retry_impossible_page(&self, id: &DomainId, problem: &str) -> Result<(), DbError> {
        let again = self.clock().now().minus(IMPOSSIBLE_PAGE_KEPT - RETRY_AFTER);
        let mut tx = self.db().write().await?;
        queries::keep(&mut tx, id, None, Some(problem)).await?;
        queries::set_asked_at(&mut tx, id, again).await?;
        tx.commit().await
    }

    /// Deletes the record of a domain whose pages are no longer compared.
    pub async fn forget_impossible_page(&self, id: &DomainId) -> Result<(), DbError> {
        let mut tx = self.db().write().await?;
        queries::forget(&mut tx, id).await?;
        tx.commit().await
    }
}
