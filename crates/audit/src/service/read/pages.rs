//! Pages of a run: their selection, their order, and their rows as they are stored.

use std::collections::HashMap;

use bytes::Bytes;
use futures::Stream;
use serde_json::value::RawValue;

use super::AuditReader;
use super::rows::RowReader;
use super::visits::{LastVisits, WantedFields};
use crate::model::Run;
use crate::ports::{LAST_VISIT, LastVisit};
use crate::segments::ReadError;
use crate::stored::{Index, PART_ROWS, PartKind};

/// Bytes that most rows take.
const ROW_BYTES: usize = 2048;
/// Characters by which texts are ordered: a run may have a million of them.
const MOST_KEY_CHARS: usize = 200;

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
    /// Selects the pages of a run that match a filter, in its order.
    pub async fn select(
        reader: &AuditReader,
        run: &Run,
        filter: &PageFilter,
    ) -> Result<SelectedPages, ReadError> {
        let index = reader.segments.shown_index(run).await?;
        // Rows of a run that is in progress stand in the order in which they were found.
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
            let keys = sort_keys(reader, run, (&index, &rows), &order.field).await?;
            let mut keyed: Vec<(SortKey, usize)> = keys.into_iter().zip(rows).collect();
            keyed.sort_by(|(one, _), (other, _)| {
                let ordering = one.compare(other);
                if order.is_descending { ordering.reverse() } else { ordering }
            });
            rows = keyed.into_iter().map(|(_, row)| row).collect();
        }
        Ok(SelectedPages::Rows(rows))
    }

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

/// Returns the sort key of each row of an index.
async fn sort_keys(
    reader: &AuditReader,
    run: &Run,
    (index, rows): (&Index, &[usize]),
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
            let visits = LastVisits::read(reader, run).await?;
            rows.iter().map(|row| SortKey::of_visit(visits.of(&index.paths[*row]))).collect()
        }
        _ => {
            let mut keys = Vec::with_capacity(rows.len());
            let mut lines = RowReader::new(reader, run, PartKind::Pages);
            for row in rows {
                let line = lines.line(*row).await?;
                let fields: HashMap<&str, &RawValue> = serde_json::from_slice(&line).unwrap_or_default();
                let value = fields.get(field).and_then(|raw| serde_json::from_str(raw.get()).ok());
                keys.push(SortKey::of_json(&value.unwrap_or_default()));
            }
            keys
        }
    })
}

/// Streams rows as JSON, separated by commas, some hundred at a time. `wanted`: only these fields.
pub fn page_rows(
    reader: &AuditReader,
    run: &Run,
    rows: Vec<usize>,
    wanted: Option<WantedFields>,
) -> impl Stream<Item = Result<Bytes, ReadError>> + Send + 'static + use<> {
    let (reader, run) = (reader.clone(), run.clone());
    let chunks: Vec<Vec<usize>> = rows.chunks(PART_ROWS).map(<[usize]>::to_vec).collect();
    let chunks = chunks.into_iter().enumerate();
    futures::stream::unfold((chunks, reader, run, wanted), |(mut chunks, reader, run, wanted)| async {
        let (at, chunk) = chunks.next()?;
        let lines = RowReader::new(&reader, &run, PartKind::Pages);
        let text = write_rows(lines, &chunk, wanted.as_ref()).await;
        let text = text.map(|text| text.slice(usize::from(at == 0)..));
        Some((text, (chunks, reader, run, wanted)))
    })
}

/// Writes rows as JSON, a comma before each.
async fn write_rows(
    mut lines: RowReader<'_>,
    rows: &[usize],
    wanted: Option<&WantedFields>,
) -> Result<Bytes, ReadError> {
    let mut text = Vec::with_capacity(rows.len() * ROW_BYTES);
    for row in rows {
        text.push(b',');
        let line = lines.line(*row).await?;
        match wanted {
            None => text.extend_from_slice(&line),
            Some(wanted) => wanted.write(&mut text, &line),
        }
    }
    Ok(Bytes::from(text))
}
