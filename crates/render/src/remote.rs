//! Renders for processes without browsers: a job that a process with browsers runs, and its result.
//! See docs/decisions/0032. Must never record a failure of a page because no process could render it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use store::{BlobError, Blobs, Db, DbError};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::admission::RenderRefusal;
use super::cache::DurableTier;
use super::kept_headers::{from_stored, to_stored};
use super::model::{RenderPurpose, RenderedPage};
use super::outcome::{RenderOrder, RenderOutcome, RenderTaskError};
use super::queries;
use domains::DomainId;
use platform::Platform;
use platform::clock::{Clock, Timestamp};
use platform::jobs::{Job, JobId, JobPriority, Jobs};

/// Interval at which a waiting process polls for the result.
const LOOK_EVERY: Duration = Duration::from_millis(30);
/// Time allowed beside the render itself: for queueing and for transfer.
const GRACE: Duration = Duration::from_secs(22);
/// Time after which results are deleted.
pub(super) const KEPT: Duration = Duration::from_secs(10 * 60);

/// Client for renders by other processes. Cheap to clone.
#[derive(Clone)]
pub struct RemoteRenders {
    db: Db,
    blobs: Blobs,
    jobs: Jobs,
    patience: Duration,
}

impl RemoteRenders {
    /// Makes the client. Any process of this installation that has browsers may render.
    pub fn new(platform: &Platform, jobs: &Jobs) -> RemoteRenders {
        RemoteRenders {
            db: platform.db.clone(),
            blobs: platform.blobs.clone(),
            jobs: jobs.clone(),
            patience: platform.config.render_timeout() + GRACE,
        }
    }

    /// Requests a render from another process, and waits for the outcome.
    pub async fn run(
        &self,
        order: &RenderOrder<'_>,
        durable: &DurableTier,
        abandoned: &CancellationToken,
    ) -> Result<RenderOutcome, RenderTaskError> {
        let id = self.ask(order).await?;
        let result = tokio::select! {
            result = self.wait(&id) => result?,
            () = abandoned.cancelled() => None,
            () = tokio::time::sleep(self.patience) => None,
        };
        let Some(result) = result else {
            // A process that has begun a client's render finishes it for later requests.
            let _ = self.jobs.cancel(id.as_str()).await;
            return match abandoned.is_cancelled() {
                true => Ok(RenderOutcome::Refused(RenderRefusal::Abandoned)),
                false => Err(RenderTaskError::Remote("no process has rendered it in time".to_owned())),
            };
        };
        self.outcome(order, durable, result).await
    }

    async fn ask(&self, order: &RenderOrder<'_>) -> Result<JobId, DbError> {
        let domain = &order.site.domain;
        let priority = match order.purpose {
            RenderPurpose::OnDemand | RenderPurpose::Forced => JobPriority::Urgent,
            RenderPurpose::Refresh | RenderPurpose::Look => JobPriority::Bulk,
            RenderPurpose::Background => JobPriority::Background,
        };
        let job = RenderPage {
            domain: domain.id.clone(),
            url: order.page.url.clone(),
            purpose: order.purpose,
            known_generation: order.known_generation,
        };
        let job = job.queued_for(domain.account_id.as_str()).domain(domain.id.as_str()).priority(priority);
        let id = job.id().clone();
        let mut tx = self.db.write().await?;
        self.jobs.enqueue(&mut tx, vec![job]).await?;
        tx.commit().await?;
        self.jobs.wake();
        Ok(id)
    }

    async fn wait(&self, id: &JobId) -> Result<Option<RemoteResult>, DbError> {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let found = queries::find_remote_render(&mut self.db.read().await?, id.as_str()).await?;
            if let Some(text) = found {
                // A process of another version may write a result that this one cannot parse.
                return Ok(serde_json::from_str(&text).ok());
            }
        }
    }

    async fn outcome(
        &self,
        order: &RenderOrder<'_>,
        durable: &DurableTier,
        result: RemoteResult,
    ) -> Result<RenderOutcome, RenderTaskError> {
        Ok(match result {
            RemoteResult::Stored => {
                durable.forget(order.id);
                match durable.find(order.id).await?.page {
                    Some(stored) => RenderOutcome::Made { page: stored.page, stored: true },
                    None => RenderOutcome::Elsewhere,
                }
            }
            RemoteResult::Page(page) => match self.blobs.get(&page.object_key).await {
                Ok(Some(html)) => RenderOutcome::Made { page: page.with_html(html), stored: false },
                _ => return Err(RenderTaskError::Remote("the rendered page could not be read".to_owned())),
            },
            // The process that held the page back renders it again in a minute.
            RemoteResult::Elsewhere | RemoteResult::HeldBack => RenderOutcome::Elsewhere,
            RemoteResult::OverLimit => RenderOutcome::OverLimit,
            RemoteResult::Refused { refusal } => RenderOutcome::Refused(refusal),
            RemoteResult::Failed { reason, is_of_the_origin: true } => {
                return Err(RenderTaskError::RemoteOrigin(reason));
            }
            RemoteResult::Failed { reason, .. } => return Err(RenderTaskError::Remote(reason)),
        })
    }
}

/// Result of a render, from the process that rendered to the process that requested the render.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum RemoteResult {
    Stored,
    Page(UnstoredPage),
    Elsewhere,
    HeldBack,
    OverLimit,
    Refused {
        refusal: RenderRefusal,
    },
    Failed {
        reason: String,
        /// True when the origin did not answer.
        is_of_the_origin: bool,
    },
}

/// A page that is sent once and not stored as a snapshot. Its document is a temporary object.
#[derive(Debug, Serialize, Deserialize)]
struct UnstoredPage {
    status: u16,
    location: Option<String>,
    etag: String,
    /// Kept header lines, as JSON.
    headers: Option<String>,
    problems: Vec<String>,
    partial: bool,
    created_at: i64,
    object_key: String,
}

impl UnstoredPage {
    fn with_html(self, html: Bytes) -> Arc<RenderedPage> {
        Arc::new(RenderedPage {
            status: self.status,
            location: self.location,
            html,
            etag: self.etag,
            headers: from_stored(self.headers.as_deref()),
            problems: self.problems,
            partial: self.partial,
            created_at: Timestamp::from_millis(self.created_at),
        })
    }
}

/// Job that renders a page for a process without browsers.
#[derive(Debug, Serialize, Deserialize)]
pub struct RenderPage {
    pub(super) domain: DomainId,
    pub(super) url: Url,
    pub(super) purpose: RenderPurpose,
    /// Generation of the snapshot that was stored when the render was ordered.
    pub(super) known_generation: Option<i64>,
}

/// Store of results, for the processes that requested the renders. Cheap to clone.
#[derive(Clone)]
pub struct RemoteResults {
    db: Db,
    blobs: Blobs,
    clock: Clock,
}

/// Failure to store a result.
#[derive(Debug, thiserror::Error)]
pub enum NotTold {
    /// The database failed.
    #[error("could not reach the database")]
    Store(#[from] DbError),
    /// The object store failed.
    #[error("could not reach the object store")]
    Blobs(#[from] BlobError),
}

impl RemoteResults {
    /// Makes the store on the database and the object store of the platform.
    pub fn new(platform: &Platform) -> RemoteResults {
        let Platform { db, blobs, clock, .. } = platform;
        RemoteResults { db: db.clone(), blobs: blobs.clone(), clock: clock.clone() }
    }

    /// Stores the outcome of a job's render. `None`: the render ended unexpectedly.
    pub async fn tell(&self, id: &JobId, outcome: Option<RenderOutcome>) -> Result<(), NotTold> {
        let mut object_key = None;
        let result = match outcome {
            Some(RenderOutcome::Made { stored: true, .. }) => RemoteResult::Stored,
            Some(RenderOutcome::Made { page, .. }) => {
                let key = format!("renders/{id}");
                self.blobs.put(&key, page.html.clone()).await?;
                object_key = Some(key.clone());
                RemoteResult::Page(UnstoredPage {
                    status: page.status,
                    location: page.location.clone(),
                    etag: page.etag.clone(),
                    headers: to_stored(&page.headers),
                    problems: page.problems.clone(),
                    partial: page.partial,
                    created_at: page.created_at.as_millis(),
                    object_key: key,
                })
            }
            Some(RenderOutcome::Elsewhere) => RemoteResult::Elsewhere,
            Some(RenderOutcome::HeldBack) => RemoteResult::HeldBack,
            Some(RenderOutcome::OverLimit) => RemoteResult::OverLimit,
            Some(RenderOutcome::Refused(refusal)) => RemoteResult::Refused { refusal },
            Some(RenderOutcome::Failed(error)) => {
                RemoteResult::Failed { reason: error.to_string(), is_of_the_origin: error.is_of_the_origin() }
            }
            None => RemoteResult::Failed {
                reason: "the render ended unexpectedly".to_owned(),
                is_of_the_origin: false,
            },
        };
        let text = serde_json::to_string(&result).expect("a result is plain data");
        Ok(self.write(id, &text, object_key.as_deref()).await?)
    }

    /// Writes a result, and deletes expired ones.
    async fn write(&self, id: &JobId, result: &str, object_key: Option<&str>) -> Result<(), DbError> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        let old = queries::delete_remote_renders(&mut tx, now.minus(KEPT)).await?;
        queries::insert_remote_render(&mut tx, id.as_str(), result, object_key, now).await?;
        tx.commit().await?;
        if let Err(error) = self.blobs.delete_many(old.iter().map(String::as_str)).await {
            tracing::warn!(%error, "pages that nobody fetched could not be deleted");
        }
        Ok(())
    }
}
