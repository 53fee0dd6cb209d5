//! Retention of a domain's snapshots: pages that are requested are kept and rendered again when due, others are deleted.
//! Must never delete an object that a row names: rows are deleted first, and objects are looked up before their deletion.
//! See docs/decisions/0226.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt;
use store::{BlobInfo, DbError};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::cache::{DurableTier, page_id};
use super::decide::{TargetPage, stored_page};
use super::health::RenderHealth;
use super::memory::MemoryTier;
use super::model::is_gone;
use super::queries::{self, PageId, PlannedRow};
use super::request_counts::RequestCounts;
use super::stored_pages::{CHUNK, ForgetError};
use accounts::AccountId;
use domains::{DomainId, Site};
use platform::Platform;
use platform::clock::Timestamp;

/// Interval at which outcomes of renders are written to the database.
const FLUSH_EVERY: Duration = Duration::from_secs(5);
/// Number of these intervals after which request counts are written.
const COUNTS_EVERY: u32 = 12;
/// Maximum number of pages that one query considers for deletion.
const SOME: i64 = 10_000;
/// Age below which the row of an object may still be unwritten.
const YOUNG_OBJECT: Duration = Duration::from_secs(24 * 3600);

/// A snapshot that is due for a new render.
#[derive(Debug, Clone)]
pub struct StalePage {
    pub page: TargetPage,
    pub created_at: Timestamp,
    /// Number of recent requests for the page.
    pub asks: i64,
}

/// Retention of snapshots. Cheap to clone.
#[derive(Clone)]
pub struct Retention {
    platform: Platform,
    memory: MemoryTier,
    durable: DurableTier,
    request_counts: Arc<RequestCounts>,
    health: RenderHealth,
}

impl Retention {
    /// Makes the retention of these stores. Deleted pages are evicted from the caches too.
    pub(super) fn new(
        platform: &Platform,
        memory: MemoryTier,
        durable: DurableTier,
        request_counts: Arc<RequestCounts>,
        health: &RenderHealth,
    ) -> Retention {
        let (platform, health) = (platform.clone(), health.clone());
        Retention { platform, memory, durable, request_counts, health }
    }

    /// Writes outcomes of renders every few seconds and the request counts every minute, and both once more at shutdown.
    pub async fn run_maintenance(self, shutdown: CancellationToken) {
        for round in 1_u32.. {
            tokio::select! {
                () = tokio::time::sleep(FLUSH_EVERY) => {}
                () = shutdown.cancelled() => {}
            }
            self.flush_outcomes().await;
            if shutdown.is_cancelled() {
                return self.flush_request_counts().await;
            }
            if round.is_multiple_of(COUNTS_EVERY) {
                self.flush_request_counts().await;
            }
        }
    }

    /// Writes outcomes of renders to the database.
    pub async fn flush_outcomes(&self) {
        if let Err(error) = self.health.flush().await {
            tracing::warn!(error = &error as &dyn std::error::Error, "outcomes of renders were not written");
        }
    }

    /// Writes the request counts to the database. Counts that cannot be written are kept for the next time.
    pub async fn flush_request_counts(&self) {
        let counts = self.request_counts.take();
        for part in counts.chunks(CHUNK) {
            if let Err(error) = self.add_asks(part).await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "could not count what was asked for"
                );
                part.iter().for_each(|(page, times)| self.request_counts.add(page, *times));
            }
        }
    }

    async fn add_asks(&self, counts: &[(PageId, i64)]) -> Result<(), DbError> {
        let day = self.platform.clock.now().day_number();
        let mut tx = self.platform.db.write().await?;
        for pages in counts.chunk_by(|(a, _), (b, _)| a.domain == b.domain) {
            let Some((first, _)) = pages.first() else { continue };
            let asks: Vec<(String, i64)> =
                pages.iter().map(|(page, times)| (page.key_hash.clone(), *times)).collect();
            queries::add_asks(&mut tx, &first.domain, &asks, day).await?;
        }
        tx.commit().await
    }

    /// Lists snapshots of a site that are due for a new render, the longest overdue first, at most `most` of them. A page that
    /// is gone (404, 410) is never due: it is rendered again only on request.
    pub async fn list_stale(&self, site: &Site, most: i64) -> Result<Vec<StalePage>, DbError> {
        let now = self.platform.clock.now();
        let rows = {
            let mut conn = self.platform.db.read().await?;
            queries::list_due(&mut conn, &site.domain.id, now, most).await?
        };
        let (due, early): (Vec<PlannedRow>, Vec<PlannedRow>) =
            rows.into_iter().partition(|row| due_of(site, row).is_some_and(|due| due <= now));
        // Pages that were stored while the intervals changed are planned again.
        self.plan_pages(site, &early).await?;
        let stale = due.into_iter().filter_map(|row| {
            let created_at = Timestamp::from_millis(row.created_at);
            let page = stored_page(site, &Url::parse(&row.url).ok()?);
            Some(StalePage { page, created_at, asks: row.asks })
        });
        Ok(stale.collect())
    }

    /// Lists the refresh intervals by which each domain's pages were last planned.
    pub async fn list_plans(&self) -> Result<HashMap<String, String>, DbError> {
        queries::list_plans(&mut self.platform.db.read().await?).await
    }

    /// Recomputes the due times of a site's pages after the refresh intervals have changed.
    pub async fn plan_renewals(&self, site: &Site) -> Result<(), DbError> {
        let mut after = String::new();
        loop {
            let rows = {
                let mut conn = self.platform.db.read().await?;
                queries::list_planned(&mut conn, &site.domain.id, &after, CHUNK as i64).await?
            };
            let Some(last) = rows.last() else { break };
            after.clone_from(&last.key_hash);
            self.plan_pages(site, &rows).await?;
        }
        let mut tx = self.platform.db.write().await?;
        queries::put_plan(&mut tx, &site.domain.id, &site.refresh_plan()).await?;
        tx.commit().await
    }

    async fn plan_pages(&self, site: &Site, rows: &[PlannedRow]) -> Result<(), DbError> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut tx = self.platform.db.write().await?;
        for row in rows {
            queries::plan_page(&mut tx, &site.domain.id, row, due_of(site, row)).await?;
        }
        tx.commit().await
    }

    /// Deletes the pages of a domain beyond `limits.snapshots_per_domain`, the least requested first. Returns their number.
    pub async fn trim(&self, domain: &DomainId) -> Result<u64, ForgetError> {
        let most = i64::try_from(self.platform.config.limits.snapshots_per_domain.get()).unwrap_or(i64::MAX);
        let day = self.platform.clock.now().day_number();
        let mut trimmed = 0;
        loop {
            let least = {
                let mut conn = self.platform.db.read().await?;
                let excess = queries::count_stored(&mut conn, domain).await? - most;
                if excess <= 0 {
                    return Ok(trimmed);
                }
                queries::list_least_asked(&mut conn, domain, day, excess.min(SOME)).await?
            };
            let gone = self.forget_pages(domain, &least, i64::MAX).await?;
            trimmed += gone;
            if gone == 0 {
                return Ok(trimmed);
            }
        }
    }

    /// Deletes the pages of an account beyond `most_bytes` of HTML, the least requested first. Returns their number.
    pub async fn trim_account(&self, account: &AccountId, most_bytes: u64) -> Result<u64, ForgetError> {
        let day = self.platform.clock.now().day_number();
        let mut trimmed = 0;
        loop {
            let mut least: BTreeMap<String, Vec<String>> = BTreeMap::new();
            {
                let mut conn = self.platform.db.read().await?;
                let stored = queries::sum_stored_bytes(&mut conn, account).await?;
                let mut excess = i64::try_from(stored.saturating_sub(most_bytes)).unwrap_or(i64::MAX);
                if excess == 0 {
                    return Ok(trimmed);
                }
                for row in queries::list_least_asked_of_account(&mut conn, account, day, SOME).await? {
                    if excess <= 0 {
                        break;
                    }
                    excess -= row.html_bytes;
                    least.entry(row.domain_id).or_default().push(row.key_hash);
                }
            }
            let mut gone = 0;
            for (domain, hashes) in least {
                gone += self.forget_pages(&DomainId::from(domain.as_str()), &hashes, i64::MAX).await?;
            }
            trimmed += gone;
            if gone == 0 {
                return Ok(trimmed);
            }
        }
    }

    /// Lists the hashes of some pages of a domain that were not requested within `render.keep_days`.
    pub async fn list_unwanted(&self, domain: &DomainId) -> Result<Vec<String>, DbError> {
        let mut conn = self.platform.db.read().await?;
        let rows = queries::list_unwanted(&mut conn, domain, self.oldest_day(), SOME).await?;
        Ok(rows.into_iter().map(|(hash, _)| hash).collect())
    }

    /// Deletes the given pages, except those that `named` lists or that were requested meanwhile. Listed pages count as
    /// requested today. Returns the number of deleted pages.
    pub async fn forget_unwanted(
        &self,
        site: &Site,
        unwanted: Vec<String>,
        named: impl Iterator<Item = Url> + Send,
    ) -> Result<u64, ForgetError> {
        let mut unnamed: HashSet<String> = unwanted.into_iter().collect();
        let mut wanted = Vec::new();
        for (n, url) in named.enumerate() {
            // A sitemap may list a million pages.
            if n % CHUNK == 0 {
                tokio::task::yield_now().await;
            }
            let hash = page_id(&site.domain.id, &stored_page(site, &url).key).key_hash;
            if unnamed.remove(&hash) {
                wanted.push((PageId { domain: site.domain.id.clone(), key_hash: hash }, 0));
            }
        }
        wanted.sort_by(|(a, _), (b, _)| a.key_hash.cmp(&b.key_hash));
        for part in wanted.chunks(CHUNK) {
            self.add_asks(part).await?;
        }
        let unnamed: Vec<String> = unnamed.into_iter().collect();
        self.forget_pages(&site.domain.id, &unnamed, self.oldest_day()).await
    }

    fn oldest_day(&self) -> i64 {
        let days = i64::try_from(self.platform.config.render.keep_days.get()).unwrap_or(i64::MAX);
        self.platform.clock.now().day_number().saturating_sub(days)
    }

    async fn forget_pages(
        &self,
        domain: &DomainId,
        hashes: &[String],
        before_day: i64,
    ) -> Result<u64, ForgetError> {
        let mut gone = 0;
        for part in hashes.chunks(CHUNK) {
            let mut tx = self.platform.db.write().await?;
            let objects = queries::delete_unwanted(&mut tx, domain, part, before_day).await?;
            tx.commit().await?;
            for key_hash in part {
                let page = PageId { domain: domain.clone(), key_hash: key_hash.clone() };
                self.memory.forget(&page);
                self.durable.forget(&page);
            }
            gone += objects.len() as u64;
            let objects: Vec<String> = objects.into_iter().flatten().collect();
            self.platform.blobs.delete_many(objects.iter().map(String::as_str)).await?;
        }
        Ok(gone)
    }

    /// Deletes objects of pages that no row names. Returns their number. `None`: `is_stopping` ended the sweep.
    pub async fn sweep_objects(&self, is_stopping: impl Fn() -> bool) -> Result<Option<u64>, ForgetError> {
        let before = self.platform.clock.now().minus(YOUNG_OBJECT).as_millis();
        let listed = self.platform.blobs.list("snapshots")?;
        let old = listed.try_filter(|object| std::future::ready(object.modified_ms < before));
        let mut parts = std::pin::pin!(old.try_chunks(CHUNK));
        let mut swept = 0;
        while let Some(part) = parts.try_next().await.map_err(|failed| failed.1)? {
            if is_stopping() {
                return Ok(None);
            }
            swept += self.delete_orphans(part).await?;
        }
        Ok(Some(swept))
    }

    async fn delete_orphans(&self, objects: Vec<BlobInfo>) -> Result<u64, ForgetError> {
        let mut by_domain: HashMap<String, Vec<(String, String)>> = HashMap::new();
        for object in objects {
            let mut segments = object.key.split('/').skip(1);
            let (Some(domain), Some(hash)) = (segments.next(), segments.next()) else { continue };
            let (domain, hash) = (domain.to_owned(), hash.to_owned());
            by_domain.entry(domain).or_default().push((hash, object.key));
        }
        let mut orphans = Vec::new();
        for (domain, objects) in by_domain {
            let (hashes, keys): (Vec<String>, Vec<String>) = objects.into_iter().unzip();
            let mut conn = self.platform.db.read().await?;
            let used = queries::list_objects(&mut conn, &DomainId::from(domain.as_str()), &hashes).await?;
            let used: HashSet<String> = used.into_iter().collect();
            orphans.extend(keys.into_iter().filter(|key| !used.contains(key)));
        }
        self.platform.blobs.delete_many(orphans.iter().map(String::as_str)).await?;
        Ok(orphans.len() as u64)
    }
}

/// Returns the time at which a page is due by the intervals of its site; `None`: the page is rendered only on request.
fn due_of(site: &Site, row: &PlannedRow) -> Option<Timestamp> {
    if u16::try_from(row.status).is_ok_and(is_gone) {
        return None;
    }
    let page = stored_page(site, &Url::parse(&row.url).ok()?);
    // The row of an address that has another key by now is no longer requested, and is deleted as unwanted.
    if page_id(&site.domain.id, &page.key).key_hash != row.key_hash {
        return None;
    }
    let due = Timestamp::from_millis(row.created_at).plus(page.refresh_interval);
    Some(due.max(Timestamp::from_millis(row.retry_at)))
}
