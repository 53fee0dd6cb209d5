//! The last crawler visit of each page, beside the stored results of a run: read on request, so that it is as new as
//! the visits are. See docs/decisions/0205.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;
use store::DbError;

use super::AuditReader;
use crate::model::Run;
use crate::ports::{LAST_VISIT, LastVisit};

/// The last visit of each page, by path without query.
#[derive(Default)]
pub struct LastVisits(HashMap<String, LastVisit>);

impl LastVisits {
    /// Reads the last visits to a run's pages.
    pub(super) async fn read(reader: &AuditReader, run: &Run) -> Result<LastVisits, DbError> {
        Ok(LastVisits(reader.visits.last_visits(&run.domain_id, None).await?))
    }

    /// Reads the last visit to one page of a run.
    pub(super) async fn read_one(
        reader: &AuditReader,
        run: &Run,
        path: &str,
    ) -> Result<Option<LastVisit>, DbError> {
        let path = without_query(path);
        Ok(reader.visits.last_visits(&run.domain_id, Some(path)).await?.remove(path))
    }

    /// Returns the last visit of a page.
    pub(super) fn of(&self, path: &str) -> Option<&LastVisit> {
        self.0.get(without_query(path))
    }

    /// Returns the last visit as JSON, of the page whose path is given as JSON.
    fn shown(&self, path: Option<&RawValue>) -> String {
        let path: Option<String> = path.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let visit = path.and_then(|path| self.of(&path));
        serde_json::to_string(&visit).expect("visits are plain data")
    }
}

fn without_query(path: &str) -> &str {
    path.split_once('?').map_or(path, |(path, _)| path)
}

/// Fields of pages that a request names, with the last visits if these are among them.
pub struct WantedFields {
    pub(super) names: Vec<String>,
    pub(super) visits: LastVisits,
}

impl WantedFields {
    /// Reads what is not stored with the results. Returns `None` when all fields are wanted.
    pub async fn read(
        reader: &AuditReader,
        run: &Run,
        names: Option<Vec<String>>,
    ) -> Result<Option<WantedFields>, DbError> {
        let Some(names) = names else { return Ok(None) };
        let visits = match names.iter().any(|name| name == LAST_VISIT) {
            true => LastVisits::read(reader, run).await?,
            false => LastVisits::default(),
        };
        Ok(Some(WantedFields { names, visits }))
    }

    /// Writes the wanted fields of a row as a JSON object.
    pub(super) fn write(&self, text: &mut Vec<u8>, line: &[u8]) {
        let row: HashMap<&str, &RawValue> = serde_json::from_slice(line).unwrap_or_default();
        text.push(b'{');
        for (at, field) in self.names.iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            let value = match field.as_str() {
                LAST_VISIT => Cow::Owned(self.visits.shown(row.get("path").copied())),
                field => Cow::Borrowed(row.get(field).map_or("null", |raw| raw.get())),
            };
            text.extend_from_slice(format!("\"{field}\":{value}").as_bytes());
        }
        text.push(b'}');
    }
}
