//! Reading runs: which pages a request is about, in which order, and their rows as they are stored.

mod compare;
mod exports;
mod for_dashboard;
mod for_mentions;
mod links;
mod visits;

use std::borrow::Cow;
use std::collections::HashMap;

use bytes::Bytes;
use futures::Stream;
use serde_json::value::RawValue;
use store::DbError;

use super::Audits;
use crate::accounts::AccountId;
use crate::audit::model::Run;
use crate::audit::ports::{LAST_VISIT, LastVisit};
use crate::audit::queries;
use crate::audit::segments::ReadError;
use crate::audit::stored::{Index, PART_ROWS, PartKind, lines};
use crate::domains::DomainId;

pub use compare::Comparison;
pub use exports::{AuditExport, AuditExportFormat};
pub use for_mentions::AuditedTopic;
pub use links::{LinkFilter, LinkList};
pub use visits::LastVisits;

/// Runs that a list has.
const MOST_RUNS: i64 = 50;
/// Bytes that most rows take.
const ROW_BYTES: usize = 2048;
/// Earlier runs that tell which pages are known.
const RUNS_LOOKED_AT: i64 = 12;

/// Which pages of a run.
#[derive(Debug, Clone, Default)]
pub struct PageFilter {
    /// Part of the path, in any case.
    pub search: Option<String>,
    /// An issue that the page has.
    pub issue: Option<String>,
    /// In which order; by path when there is none.
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

/// Pages that a request is about, in the order that was asked for.
pub enum SelectedPages {
    /// So many: all of the run, by path.
    All(usize),
    Rows(Vec<usize>),
}

impl SelectedPages {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            SelectedPages::All(count) => *count,
            SelectedPages::Rows(rows) => rows.len(),
        }
    }

    /// The rows from a place on, so many at most.
    pub fn part(&self, from: usize, count: usize) -> Vec<usize> {
        let from = from.min(self.count());
        let part = from..from + count.min(self.count() - from);
        match self {
            SelectedPages::All(_) => part.collect(),
            SelectedPages::Rows(rows) => rows[part].to_vec(),
        }
    }
}

/// What pages are sorted by.
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
            serde_json::Value::String(text) => SortKey::Text(text.to_lowercase()),
            serde_json::Value::Array(list) => SortKey::Number(list.len() as f64),
            serde_json::Value::Object(map) => SortKey::Number(map.len() as f64),
            serde_json::Value::Null => SortKey::Number(f64::NEG_INFINITY),
        }
    }

    /// Pages that no crawler came to are the smallest.
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
    /// The newest runs of an account's domains, or of one of them.
    pub async fn list_runs(
        &self,
        account: &AccountId,
        domain: Option<&DomainId>,
    ) -> Result<Vec<Run>, DbError> {
        queries::list_runs(&mut self.0.db.read().await?, account, domain, MOST_RUNS).await
    }

    pub async fn find_run(&self, id: &str) -> Result<Option<Run>, DbError> {
        queries::find_run(&mut self.0.db.read().await?, id).await
    }

    /// The newest runs of a domain that have results.
    pub(super) async fn earlier_runs(
        &self,
        domain: &DomainId,
        before: crate::clock::Timestamp,
    ) -> Result<Vec<Run>, DbError> {
        queries::list_with_results(&mut self.0.db.read().await?, domain, before, RUNS_LOOKED_AT).await
    }

    /// The newest run of a domain that has results, and the page of a path in it.
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

    /// The pages of a run that a filter leaves, in its order.
    pub async fn select_pages(&self, run: &Run, filter: &PageFilter) -> Result<SelectedPages, ReadError> {
        let index = self.0.segments.index(run).await?;
        if filter.search.is_none() && filter.issue.is_none() && filter.order.is_none() {
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
        if let Some(order) = &filter.order {
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

    /// Rows as JSON, separated by commas, some hundred at a time. With `fields` only those; what is no part of the results
    /// comes from `visits`.
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

    /// One row of a kind, as JSON; none: there is no such row.
    pub(super) async fn row(
        &self,
        run: &Run,
        kind: PartKind,
        row: usize,
    ) -> Result<Option<Box<RawValue>>, ReadError> {
        let line = RowReader::new(self, run, kind).line(row).await?;
        Ok(serde_json::from_slice(&line).ok())
    }

    /// Everything that is known of one page: its row, its details, links to it and from it. None: no such page.
    pub async fn page(&self, run: &Run, id: u64) -> Result<Option<PageParts>, ReadError> {
        let index = self.0.segments.index(run).await?;
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

    /// Paths that earlier runs of a domain have, and when each was last looked at; none: there is no earlier run.
    pub(super) async fn known_pages(
        &self,
        domain: &DomainId,
        before: crate::clock::Timestamp,
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

/// What is stored of one page.
pub struct PageParts {
    /// Its path with the query.
    pub path: String,
    /// As lists show it.
    pub page: Box<RawValue>,
    /// Findings with their evidence, and facts.
    pub details: Box<RawValue>,
    /// Links to it.
    pub inlinks: Box<RawValue>,
    /// Links on it.
    pub outlinks: Box<RawValue>,
}

/// Reads rows; those of one part after another without looking for them again.
pub(super) struct RowReader<'a> {
    audits: &'a Audits,
    run: &'a Run,
    kind: PartKind,
    part: Option<(usize, Bytes, Vec<std::ops::Range<usize>>)>,
}

impl<'a> RowReader<'a> {
    pub fn new(audits: &'a Audits, run: &'a Run, kind: PartKind) -> RowReader<'a> {
        RowReader { audits, run, kind, part: None }
    }

    /// The line of a row.
    pub async fn line(&mut self, row: usize) -> Result<Bytes, ReadError> {
        let (wanted, at) = (row / PART_ROWS, row % PART_ROWS);
        if self.part.as_ref().is_none_or(|(part, _, _)| *part != wanted) {
            let bytes = self.audits.0.segments.get(self.run, self.kind, wanted).await?;
            let start = bytes.as_ptr() as usize;
            let range = |line: &[u8]| {
                let from = line.as_ptr() as usize - start;
                from..from + line.len()
            };
            let ranges = lines(&bytes).map(range).collect();
            self.part = Some((wanted, bytes, ranges));
        }
        let found =
            self.part.as_ref().and_then(|(_, bytes, ranges)| Some(bytes.slice(ranges.get(at)?.clone())));
        found.ok_or_else(|| ReadError::Missing {
            run: self.run.id.to_string(),
            kind: self.kind.as_str(),
            part: wanted,
        })
    }
}

fn write_fields(text: &mut Vec<u8>, line: &[u8], fields: &[String], visits: &LastVisits) {
    let row: HashMap<&str, &RawValue> = serde_json::from_slice(line).unwrap_or_default();
    text.push(b'{');
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            text.push(b',');
        }
        let value = match field.as_str() {
            LAST_VISIT => Cow::Owned(visits.shown(row.get("path").copied())),
            field => Cow::Borrowed(row.get(field).map_or("null", |raw| raw.get())),
        };
        text.extend_from_slice(format!("\"{field}\":{value}").as_bytes());
    }
    text.push(b'}');
}
