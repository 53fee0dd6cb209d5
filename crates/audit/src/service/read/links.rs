//! The link graph of a run: links by their source page, their target page, and the status of their targets.

use audit_engine::engine::LinkEntry;
use serde::Serialize;
use serde::de::IgnoredAny;
use utoipa::ToSchema;

use super::AuditReader;
use super::rows::RowReader;
use crate::model::Run;
use crate::results::MOST_INLINKS;
use crate::segments::ReadError;
use crate::stored::PartKind;

#[derive(Debug, Clone, Default)]
pub struct LinkFilter {
    /// Path of their source page.
    pub from: Option<String>,
    /// Path or address that they lead to.
    pub to: Option<String>,
    /// Status of their target.
    pub status: Option<u16>,
    /// Only links to other hosts, or only links of the site.
    pub is_external: Option<bool>,
    /// Number of links to skip.
    pub offset: usize,
    /// Maximum number of links to return.
    pub limit: usize,
}

/// Links of a run.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkList {
    /// Requested part of the links.
    pub links: Vec<LinkEntry<'static>>,
    /// Number of matching links.
    pub total: usize,
}

impl LinkList {
    /// Lists the links of a run that match a filter, by their source page.
    pub async fn read(reader: &AuditReader, run: &Run, filter: &LinkFilter) -> Result<LinkList, ReadError> {
        let index = reader.segments.index(run).await?;
        let mut list = LinkList::default();
        let (kind, rows) = match (&filter.from, &filter.to) {
            (Some(from), _) => match index.find_path(from) {
                Some(row) => (PartKind::Links, row..row + 1),
                None => return Ok(list),
            },
            (None, Some(to)) => match index.find_path(to) {
                Some(row) if !has_more_inlinks(reader, run, row).await? => (PartKind::Inlinks, row..row + 1),
                // An address elsewhere, or one that more pages link to than are kept beside it.
                _ => (PartKind::Links, 0..index.len()),
            },
            (None, None) => (PartKind::Links, 0..index.len()),
        };
        let mut rows_of_kind = RowReader::new(reader, run, kind);
        for row in rows {
            list.take(rows_of_kind.read(row).await?.unwrap_or_default(), filter);
        }
        Ok(list)
    }

    fn take(&mut self, links: Vec<LinkEntry<'static>>, filter: &LinkFilter) {
        for link in links {
            let is_wanted = filter.from.as_ref().is_none_or(|from| *from == link.from)
                && filter.to.as_ref().is_none_or(|to| *to == link.to)
                && filter.status.is_none_or(|status| link.status == Some(status))
                && filter.is_external.is_none_or(|wanted| link.is_external() == wanted);
            if !is_wanted {
                continue;
            }
            if self.total >= filter.offset && self.links.len() < filter.limit {
                self.links.push(link);
            }
            self.total += 1;
        }
    }
}

/// Returns true when more pages link to a row than are stored beside it.
async fn has_more_inlinks(reader: &AuditReader, run: &Run, row: usize) -> Result<bool, ReadError> {
    let links: Option<Vec<IgnoredAny>> = RowReader::new(reader, run, PartKind::Inlinks).read(row).await?;
    Ok(links.is_some_and(|links| links.len() >= MOST_INLINKS))
}
