//! Reading runs: selection and order of pages, and their rows as they are stored.

mod compare;
mod export_format;
mod exports;
mod for_dashboard;
mod for_mentions;
mod graph;
mod issues;
mod links;
mod rows;
mod visits;

use std::collections::HashMap;

use audit_engine::engine::PageDetails;
use bytes::Bytes;
use futures::Stream;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use store::DbError;

use super::Audits;
use crate::model::{IssueBreakdown, Run};
use crate::ports::{LAST_VISIT, LastVisit};
use crate::queries;
use crate::segments::ReadError;
use crate::stored::{Index, PART_ROWS, PartKind};
use accounts::AccountId;
use domains::DomainId;

pub use compare::Comparison;
pub use export_format::AuditExportFormat;
pub use exports::{AuditExport, ExportRequest};
pub use for_mentions::AuditedTopic;
pub use graph::LinkGraph;
pub use issues::RunIssues;
pub use links::{LinkFilter, LinkList};
use rows::{RowReader, write_fields};
pub use visits::LastVisits;

/// Runs that a list has.
const MOST_RUNS: i64 = 50;
/// Bytes that most rows take.
const ROW_BYTES: usize = 2048;
/// Characters by which texts are ordered: a run may have a million of them.
const MOST_KEY_CHARS: usize = 200;
/// Number of earlier runs from which known pages are taken.
const RUNS_LOOKED_AT: i64 = 12;

/// Selection of a run's pages.
#[derive(Debug, Clone, Default)]
pub struct PageFilter {
    /// Part of the path, in any case.
    pub search: Option<String>,
    /// An issue that the page has.
    pub issue: Option<String>,
    /// Order of pages; none: by path.
    pub order: Option<PageOrder>,
}

/// An order of pages.
#[derive(Debug, Clone)]
pub struct PageOrder {
    /// A field of a page.
    pub field: String,
    /// The largest first.
    pub is_descending: bool,
}

/// Selected pages of a request, in the requested order.
pub enum SelectedPages {
    /// So many: all of the run, by path.
    All(usize),
    Rows(Vec<usize>),
}

impl SelectedPages {
    pub fn count(&self) -> usize {
        match self {
            SelectedPages::All(count) => *count,
            SelectedPages::Rows(rows) => rows.len(),
        }
    }

    /// Returns at most `count` rows from an offset on.
    pub fn part(&self, from: usize, count: usize) -> Vec<usize> {
        let from = from.min(self.count());
        let part = from..from + count.min(self.count() - from);
        match self {
            SelectedPages::All(_) => part.collect(),
            SelectedPages::Rows(rows) => rows[part].to_vec(),
        }
    }
}

/// Sort key of a page.
#[derive(Debug, Clone, PartialEq)]
enum SortKey {
    Number(f64),
    Text(String),
}

impl SortKey {
    fn of_json(value: &serde_json::Value) -> SortKey {
        match value {
            serde_json::Value::Number(number) => SortKey::Number(number.as_f64().unwrap_or(0.0)),
            serde_json::Value::Bool(flag) => SortKey::Number(f64::from(u8::from(*flag))),
            serde_json::Value::String(text) => {
                SortKey::Text(text.chars().take(MOST_KEY_CHARS).collect::<String>().to_lowercase())
            }
            serde_json::Value::Array(list) => SortKey::Number(list.len() as f64),
            serde_json::Value::Object(map) => SortKey::Number(map.len() as f64),
            serde_json::Value::Null => SortKey::Number(f64::NEG_INFINITY),
        }
    }

    /// Returns the sort key of a visit. Pages without a visit are the smallest.
    fn of_visit(visit: Option<&LastVisit>) -> SortKey {
        visit.map_or(SortKey::Number(f64::NEG_INFINITY), |visit| SortKey::Text(visit.date.clone()))
    }

    fn compare(&self, other: &SortKey) -> std::cmp::Ordering {
        match (self, other) {
            (SortKey::Number(one), SortKey::Number(other)) => one.total_cmp(other),
            (SortKey::Text(one), SortKey::Text(other)) => one.cmp(other),
            (SortKey::Number(_), SortKey::Text(_)) => std::cmp::Ordering::Less,
            (SortKey::Text(_), SortKey::Number(_)) => std::cmp::Ordering::Greater,
        }
    }
}

impl Audits {
    /// Lists the newest runs of an account's domains, or of one of them.
    pub async fn list_runs(
        &self,
        account: &AccountId,
        domain: Option<&DomainId>,
    ) -> Result<Vec<Run>, DbError> {
        let now = self.0.clock.now();
        let mut runs = queries::list_runs(&mut self.0.db.read().await?, account, domain, MOST_RUNS).await?;
        runs.iter_mut().for_each(|run| run.needs_continuation = run.is_cut_off(now));
        Ok(runs)
    }

    pub async fn find_run(&self, id: &str) -> Result<Option<Run>, DbError> {
        let mut run = queries::find_run(&mut self.0.db.read().await?, id).await?;
        run.iter_mut().for_each(|run| run.needs_continuation = run.is_cut_off(self.0.clock.now()));
        Ok(run)
    }

    /// Lists the newest runs of a domain that have results.
    pub(super) async fn earlier_runs(
        &self,
        domain: &DomainId,
        before: platform::clock::Timestamp,
    ) -> Result<Vec<Run>, DbError> {
        queries::list_with_results(&mut self.0.db.read().await?, domain, before, RUNS_LOOKED_AT).await
    }

    /// Finds the newest run of a domain that has results, and the page of a path in it.
    pub async fn latest_page(
        &self,
        domain: &DomainId,
        path: &str,
    ) -> Result<Option<(Run, Option<Box<RawValue>>)>, ReadError> {
        let now = self.0.clock.now();
        let runs = queries::list_with_results(&mut self.0.db.read().await?, domain, now, 1).await?;
        let Some(run) = runs.into_iter().next() else { return Ok(None) };
        let index = self.0.segments.index(&run).await?;
        let Some(row) = index.find_path(path) else { return Ok(Some((run, None))) };
        let line = self.row(&run, PartKind::Pages, row).await?;
        Ok(Some((run, line)))
    }

    /// Selects the pages of a run that match a filter, in its order.
    pub async fn select_pages(&self, run: &Run, filter: &PageFilter) -> Result<SelectedPages, ReadError> {
        let index = self.0.segments.shown_index(run).await?;
        // Rows of a run that is under way stand in the order in which they were found.
        if filter.search.is_none() && filter.issue.is_none() && filter.order.is_none() && !run.is_active {
            return Ok(SelectedPages::All(index.len()));
        }
        let search = filter.search.as_ref().map(|text| text.to_lowercase());
        let issue = match &filter.issue {
            None => None,
            Some(id) => match index.issue(id) {
                Some(at) => Some(at),
                None => return Ok(SelectedPages::Rows(Vec::new())),
            },
        };
        let matches = |row: &usize| {
            search.as_ref().is_none_or(|text| index.paths[*row].to_lowercase().contains(text.as_str()))
                && issue.is_none_or(|issue| index.issues[*row].contains(&issue))
        };
        let mut rows: Vec<usize> = (0..index.len()).filter(matches).collect();
        let by_path = || PageOrder { field: "path".to_owned(), is_descending: false };
        if let Some(order) = filter.order.clone().or_else(|| run.is_active.then(by_path)) {
            let keys = self.sort_keys(run, &index, &rows, &order.field).await?;
            let mut keyed: Vec<(SortKey, usize)> = keys.into_iter().zip(rows).collect();
            keyed.sort_by(|(one, _), (other, _)| {
                let ordering = one.compare(other);
                if order.is_descending { ordering.reverse() } else { ordering }
            });
            rows = keyed.into_iter().map(|(_, row)| row).collect();
        }
        Ok(SelectedPages::Rows(rows))
    }

    async fn sort_keys(
        &self,
        run: &Run,
        index: &Index,
        rows: &[usize],
        field: &str,
    ) -> Result<Vec<SortKey>, ReadError> {
        let number = |of: &dyn Fn(usize) -> f64| rows.iter().map(|row| SortKey::Number(of(*row))).collect();
        Ok(match field {
            "path" => rows.iter().map(|row| SortKey::Text(index.paths[*row].clone())).collect(),
            "statusCode" => number(&|row| f64::from(index.status[row])),
            "healthScore" => number(&|row| f64::from(index.health[row])),
            "previewScore" => number(&|row| f64::from(index.preview[row])),
            "loadTimeMs" => number(&|row| f64::from(index.load_ms[row])),
            "wordCount" => number(&|row| f64::from(index.words[row])),
            "inlinkCount" => number(&|row| f64::from(index.inlinks[row])),
            "issueCount" | "issues" => number(&|row| index.issues[row].len() as f64),
            "indexable" => number(&|row| f64::from(u8::from(index.indexable[row]))),
            LAST_VISIT => {
                let visits = self.last_visits(run, Some(&[field.to_owned()])).await?;
                rows.iter().map(|row| SortKey::of_visit(visits.of(&index.paths[*row]))).collect()
            }
            _ => {
                let mut keys = Vec::with_capacity(rows.len());
                let mut reader = RowReader::new(self, run, PartKind::Pages);
                for row in rows {
                    let line = reader.line(*row).await?;
                    let fields: HashMap<&str, &RawValue> = serde_json::from_slice(&line).unwrap_or_default();
                    let value = fields.get(field).and_then(|raw| serde_json::from_str(raw.get()).ok());
                    keys.push(SortKey::of_json(&value.unwrap_or_default()));
                }
                keys
            }
        })
    }

    /// Streams rows as JSON, separated by commas, some hundred at a time. With `fields` only these; fields that are
    /// not stored with the results come from `visits`.
    pub fn page_rows(
        &self,
        run: &Run,
        rows: Vec<usize>,
        fields: Option<Vec<String>>,
        visits: LastVisits,
    ) -> impl Stream<Item = Result<Bytes, ReadError>> + Send + 'static + use<> {
        let (audits, run) = (self.clone(), run.clone());
        let chunks: Vec<Vec<usize>> = rows.chunks(PART_ROWS).map(<[usize]>::to_vec).collect();
        let chunks = chunks.into_iter().enumerate();
        let wanted = fields.map(|fields| (fields, visits));
        futures::stream::unfold((chunks, audits, run, wanted), |(mut chunks, audits, run, wanted)| async {
            let (at, chunk) = chunks.next()?;
            let text = audits.write_rows(&run, &chunk, wanted.as_ref(), at > 0).await;
            Some((text, (chunks, audits, run, wanted)))
        })
    }

    async fn write_rows(
        &self,
        run: &Run,
        rows: &[usize],
        wanted: Option<&(Vec<String>, LastVisits)>,
        mut is_continued: bool,
    ) -> Result<Bytes, ReadError> {
        let mut text = Vec::with_capacity(rows.len() * ROW_BYTES);
        let mut reader = RowReader::new(self, run, PartKind::Pages);
        for row in rows {
            if std::mem::replace(&mut is_continued, true) {
                text.push(b',');
            }
            let line = reader.line(*row).await?;
            match wanted {
                None => text.extend_from_slice(&line),
                Some((fields, visits)) => write_fields(&mut text, &line, fields, visits),
            }
        }
        Ok(Bytes::from(text))
    }

    /// Returns one row of a kind, as JSON. Returns `None` when there is no such row.
    pub(super) async fn row<T: DeserializeOwned>(
        &self,
        run: &Run,
        kind: PartKind,
        row: usize,
    ) -> Result<Option<T>, ReadError> {
        let line = RowReader::new(self, run, kind).line(row).await?;
        Ok(serde_json::from_slice(&line).ok())
    }

    /// Counts the rows with each issue of a running audit.
    pub async fn live_breakdown(&self, run: &Run) -> Result<IssueBreakdown, ReadError> {
        let index = self.0.segments.live(run).await?.index.clone();
        let mut counts = IssueBreakdown::new();
        for row in 0..index.len() {
            index.issues_of(row).for_each(|id| *counts.entry(id.to_owned().into()).or_default() += 1);
        }
        Ok(counts)
    }

    /// Returns all data of one page: its row, its details, links to it and from it. Returns `None` when there is no
    /// such page.
    pub async fn page(&self, run: &Run, id: u64) -> Result<Option<PageParts>, ReadError> {
        let index = self.0.segments.shown_index(run).await?;
        let Some(row) = index.find(id) else { return Ok(None) };
        let parts = (
            self.row(run, PartKind::Pages, row).await?,
            self.row(run, PartKind::Details, row).await?,
            self.row(run, PartKind::Inlinks, row).await?,
            self.row(run, PartKind::Links, row).await?,
        );
        let (Some(page), Some(details), Some(inlinks), Some(outlinks)) = parts else { return Ok(None) };
        let path = index.paths[row].clone();
        Ok(Some(PageParts { path, page, details, inlinks, outlinks }))
    }

    /// Returns the paths of a domain's earlier runs, with the time of each one's last request; none: there is no earlier run.
    pub(super) async fn known_pages(
        &self,
        domain: &DomainId,
        before: platform::clock::Timestamp,
    ) -> Result<Option<HashMap<String, i64>>, ReadError> {
        let mut known = HashMap::new();
        let runs = self.earlier_runs(domain, before).await?;
        for run in &runs {
            let index = self.0.segments.index(run).await?;
            for path in &index.paths {
                // The newest run comes first.
                known.entry(path.clone()).or_insert(run.started_at.as_millis());
            }
        }
        Ok((!runs.is_empty()).then_some(known))
    }
}

/// Stored data of one page.
pub struct PageParts {
    /// Path with the query.
    pub path: String,
    /// Row as in lists.
    pub page: Box<RawValue>,
    pub details: PageDetails,
    /// Links to it.
    pub inlinks: Box<RawValue>,
    /// Links on it.
    pub outlinks: Box<RawValue>,
}
