//! Lists of a site's snapshots, with their state, ordered and searched. Used by the list of snapshots and by the dashboard's
//! counts. Must only read.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use store::{Db, DbError};
use url::Url;
use utoipa::ToSchema;

use super::decide::{TargetPage, stored_page};
use super::model::{GONE_INTERVAL, Snapshot, keeps};
use super::queries::{self, SnapshotRow, SnapshotSummaryRow};
use domains::{DomainId, Site};
use platform::Platform;
use platform::clock::{Clock, Timestamp};

/// State of a snapshot, by its last render and by its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SnapshotState {
    /// Younger than its refresh interval.
    Fresh,
    /// Older than its refresh interval.
    Stale,
    /// The last render failed, whatever the age.
    Failing,
}

/// Property by which snapshots are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum SnapshotSort {
    #[default]
    CreatedAt,
    Path,
    Status,
    HtmlBytes,
    RenderMs,
}

/// Number of snapshots in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct SnapshotCounts {
    /// Number of snapshots younger than their refresh interval.
    pub fresh: u64,
    /// Number of snapshots older than their refresh interval.
    pub stale: u64,
    /// Number of snapshots whose last render failed.
    pub failing: u64,
}

/// Filter and order of a list of snapshots.
#[derive(Debug, Clone, Default)]
pub struct SnapshotQuestion {
    /// Text that addresses must contain; case does not matter.
    pub search: String,
    pub state: Option<SnapshotState>,
    pub sort: SnapshotSort,
    /// True to list the smallest value first.
    pub is_ascending: bool,
}

/// Snapshots that match, in order. A snapshot is read only when it is shown.
#[derive(Debug)]
pub struct FoundSnapshots {
    hashes: Vec<String>,
    /// Number of snapshots in each state that match the search, whatever state is requested.
    pub counts: SnapshotCounts,
}

/// Reader of lists of snapshots. Cheap to clone.
#[derive(Clone)]
pub struct SnapshotLists {
    db: Db,
    clock: Clock,
}

impl SnapshotCounts {
    /// Returns the number of all snapshots.
    pub fn total(self) -> u64 {
        self.fresh + self.stale + self.failing
    }

    fn add(&mut self, state: SnapshotState) {
        match state {
            SnapshotState::Fresh => self.fresh += 1,
            SnapshotState::Stale => self.stale += 1,
            SnapshotState::Failing => self.failing += 1,
        }
    }
}

impl FoundSnapshots {
    /// Returns the number of snapshots that match.
    pub fn total(&self) -> usize {
        self.hashes.len()
    }
}

impl SnapshotLists {
    pub(super) fn new(platform: &Platform) -> SnapshotLists {
        SnapshotLists { db: platform.db.clone(), clock: platform.clock.clone() }
    }

    /// Finds the snapshots of a site. A few columns of each are read: the refresh interval depends on rules that the database
    /// does not know.
    pub async fn find(&self, site: &Site, question: &SnapshotQuestion) -> Result<FoundSnapshots, DbError> {
        let mut conn = self.db.read().await?;
        let rows = queries::list_snapshot_summaries(&mut conn, &site.domain.id, &question.search).await?;
        drop(conn);
        let now = self.clock.now();
        let mut counts = SnapshotCounts::default();
        let mut found: Vec<(SnapshotSummaryRow, String)> = Vec::with_capacity(rows.len());
        for row in rows {
            let page = page(site, &row.url);
            let interval = page.as_ref().map(|page| interval(row.status, page));
            let state = state(row.is_failing != 0, row.created_at, interval, now);
            counts.add(state);
            if question.state.is_none_or(|wanted| wanted == state) {
                let path = page.map(|page| path_of(&page)).unwrap_or_default();
                found.push((row, path));
            }
        }
        found.sort_unstable_by(|a, b| {
            let order = order(question.sort, a, b);
            let order = if question.is_ascending { order } else { order.reverse() };
            order.then_with(|| a.0.key_hash.cmp(&b.0.key_hash))
        });
        Ok(FoundSnapshots { hashes: found.into_iter().map(|(row, _)| row.key_hash).collect(), counts })
    }

    /// Counts the snapshots of a site. Uses the due times in the database if they were planned by the site's present intervals,
    /// else reads every row.
    pub async fn count(&self, site: &Site) -> Result<SnapshotCounts, DbError> {
        let plan = queries::find_plan(&mut self.db.read().await?, &site.domain.id).await?;
        if plan.is_none_or(|plan| plan != site.refresh_plan()) {
            return Ok(self.find(site, &SnapshotQuestion::default()).await?.counts);
        }
        let counts = self.count_planned(std::slice::from_ref(&site.domain.id)).await?;
        Ok(counts.get(&site.domain.id).copied().unwrap_or_default())
    }

    /// Counts the snapshots of some domains by their due times, which may lag behind a change of intervals by some minutes.
    pub async fn count_planned(
        &self,
        domains: &[DomainId],
    ) -> Result<HashMap<DomainId, SnapshotCounts>, DbError> {
        let now = self.clock.now();
        let rows =
            queries::count_snapshots(&mut self.db.read().await?, domains, (now, now.minus(GONE_INTERVAL)))
                .await?;
        let counts = rows.into_iter().map(|row| {
            let stale = row.due + row.gone;
            let [fresh, stale, failing] = [row.sound - stale, stale, row.failing].map(i64::unsigned_abs);
            (DomainId::from(row.domain_id), SnapshotCounts { fresh, stale, failing })
        });
        Ok(counts.collect())
    }

    /// Counts the snapshots of a domain whose last render failed, by the UTC day of the failure, from a day on.
    pub async fn count_failures(&self, domain: &DomainId, from: i64) -> Result<Vec<(i64, u64)>, DbError> {
        let rows = queries::count_failures(&mut self.db.read().await?, domain, from).await?;
        Ok(rows.into_iter().map(|(day, count)| (day, count.unsigned_abs())).collect())
    }

    /// Reads a part of the found snapshots, in order. Snapshots that were deleted since are left out.
    pub async fn read(
        &self,
        site: &Site,
        found: &FoundSnapshots,
        (limit, offset): (usize, usize),
    ) -> Result<Vec<Snapshot>, DbError> {
        let hashes = found.hashes.iter().skip(offset).take(limit).cloned().collect::<Vec<_>>();
        let mut conn = self.db.read().await?;
        let mut rows = queries::list_snapshots_by_hash(&mut conn, &site.domain.id, &hashes).await?;
        drop(conn);
        let now = self.clock.now();
        let row = |hash| rows.remove(hash).map(|row| as_listed(row, now, site));
        Ok(hashes.iter().filter_map(row).collect())
    }
}

/// Returns the page of a stored address. Old addresses were stored as they were requested.
fn page(site: &Site, url: &str) -> Option<TargetPage> {
    Some(stored_page(site, &Url::parse(url).ok()?))
}

fn interval(status: i64, page: &TargetPage) -> Duration {
    keeps(u16::try_from(status).unwrap_or(200), page.refresh_interval)
}

fn state(is_failing: bool, created_at: i64, interval: Option<Duration>, now: Timestamp) -> SnapshotState {
    let age = now.since(Timestamp::from_millis(created_at));
    match is_failing {
        true => SnapshotState::Failing,
        false if interval.is_some_and(|interval| age >= interval) => SnapshotState::Stale,
        false => SnapshotState::Fresh,
    }
}

fn path_of(page: &TargetPage) -> String {
    page.url[url::Position::BeforePath..].to_owned()
}

fn order(sort: SnapshotSort, a: &(SnapshotSummaryRow, String), b: &(SnapshotSummaryRow, String)) -> Ordering {
    match sort {
        SnapshotSort::CreatedAt => a.0.created_at.cmp(&b.0.created_at),
        SnapshotSort::Path => a.1.cmp(&b.1),
        SnapshotSort::Status => a.0.status.cmp(&b.0.status),
        SnapshotSort::HtmlBytes => a.0.html_bytes.cmp(&b.0.html_bytes),
        SnapshotSort::RenderMs => a.0.render_ms.cmp(&b.0.render_ms),
    }
}

fn as_listed(row: SnapshotRow, now: Timestamp, site: &Site) -> Snapshot {
    let page = page(site, &row.url);
    let created_at = Timestamp::from_millis(row.created_at);
    let interval = page.as_ref().map(|page| interval(row.status, page));
    let age = now.since(created_at);
    Snapshot {
        path: page.as_ref().map(path_of).unwrap_or_default(),
        url: page.map_or(row.url, |page| page.url.into()),
        status: u16::try_from(row.status).unwrap_or(200),
        location: row.location,
        snapshot_key: row.object_key,
        etag: row.etag,
        html_bytes: row.html_bytes.unsigned_abs(),
        render_ms: row.render_ms.unsigned_abs(),
        created_at,
        age_seconds: age.as_secs(),
        stale: interval.is_some_and(|interval| age >= interval),
        state: state(row.last_error.is_some(), row.created_at, interval, now),
        interval_seconds: interval.unwrap_or_default().as_secs(),
        last_error: row.last_error,
        last_error_at: row.last_error_at.map(Timestamp::from_millis),
    }
}
