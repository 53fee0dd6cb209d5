//! The last crawler visit of each page, beside the stored results of a run: read on request, so that it is as new as
//! the visits are. See docs/decisions/0205.

use std::collections::HashMap;

use serde_json::value::RawValue;
use store::DbError;

use super::Audits;
use crate::model::Run;
use crate::ports::{LAST_VISIT, LastVisit};

/// The last visit of each page, by path without query.
#[derive(Default)]
pub struct LastVisits(HashMap<String, LastVisit>);

impl LastVisits {
    /// Returns the last visit of a page.
    pub(super) fn of(&self, path: &str) -> Option<&LastVisit> {
        self.0.get(without_query(path))
    }

    /// Returns the last visit as JSON, of the page whose path is given as JSON.
    pub(super) fn shown(&self, path: Option<&RawValue>) -> String {
        let path: Option<String> = path.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let visit = path.and_then(|path| self.of(&path));
        serde_json::to_string(&visit).expect("visits are plain data")
    }
}

fn without_query(path: &str) -> &str {
    path.split_once('?').map_or(path, |(path, _)| path)
}

impl Audits {
    /// Returns the last visits to a run's pages, if they are among the requested fields; else none.
    pub async fn last_visits(&self, run: &Run, fields: Option<&[String]>) -> Result<LastVisits, DbError> {
        match fields.is_some_and(|fields| fields.iter().any(|field| field == LAST_VISIT)) {
            true => Ok(LastVisits(self.0.visits.last_visits(&run.domain_id, None).await?)),
            false => Ok(LastVisits::default()),
        }
    }

    /// Returns the last visit to one page of a run.
    pub async fn last_visit(&self, run: &Run, path: &str) -> Result<Option<LastVisit>, DbError> {
        let path = without_query(path);
        Ok(self.0.visits.last_visits(&run.domain_id, Some(path)).await?.remove(path))
    }
}
