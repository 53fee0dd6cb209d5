//! One page of a run with everything that is known of it.

use audit_engine::engine::{LinkEntry, PageDetails};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::AuditReader;
use super::rows::RowReader;
use super::visits::LastVisits;
use crate::model::Run;
use crate::ports::LastVisit;
use crate::segments::ReadError;
use crate::stored::{PageRow, PartKind};

/// Everything that is known of a page.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunPage {
    /// The page as in lists.
    #[schema(value_type = PageRow)]
    page: Box<RawValue>,
    #[serde(flatten)]
    details: PageDetails,
    /// Links to it, at most 1,000.
    #[schema(value_type = Vec<LinkEntry>)]
    inlinks: Box<RawValue>,
    /// Links on it.
    #[schema(value_type = Vec<LinkEntry>)]
    outlinks: Box<RawValue>,
    /// Last visit of a crawler, in the last 180 days; as new as the answer.
    #[schema(required = true)]
    last_crawler_visit: Option<LastVisit>,
}

impl RunPage {
    /// Reads a page. Returns `None` when the run has no page of this id.
    pub async fn read(reader: &AuditReader, run: &Run, id: u64) -> Result<Option<RunPage>, ReadError> {
        let index = reader.segments.shown_index(run).await?;
        let Some(row) = index.find(id) else { return Ok(None) };
        let part = |kind| RowReader::new(reader, run, kind);
        let (Some(page), Some(details), Some(inlinks), Some(outlinks)) = (
            part(PartKind::Pages).read(row).await?,
            part(PartKind::Details).read(row).await?,
            part(PartKind::Inlinks).read(row).await?,
            part(PartKind::Links).read(row).await?,
        ) else {
            return Ok(None);
        };
        let last_crawler_visit = LastVisits::read_one(reader, run, &index.paths[row]).await?;
        Ok(Some(RunPage { page, details, inlinks, outlinks, last_crawler_visit }))
    }
}
