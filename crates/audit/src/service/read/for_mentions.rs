//! Pages of a domain's latest audit as AI monitoring joins them with the pages that assistants cite.

use std::collections::HashMap;

use serde::Deserialize;

use super::RowReader;
use crate::model::Run;
use crate::queries;
use crate::segments::ReadError;
use crate::service::Audits;
use crate::stored::{Index, PartKind};
use domains::DomainId;

/// A page of an audit with the texts that show its topic.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuditedTopic {
    /// Path with the query.
    pub path: String,
    pub title: Option<String>,
    pub h1: Option<String>,
}

impl Audits {
    /// Counts the issues of pages in the latest run with results, by path with query. Paths that are not in the run are left
    /// out. None: there is no run.
    pub async fn count_issues(
        &self,
        domain: &DomainId,
        paths: &[String],
    ) -> Result<Option<HashMap<String, u64>>, ReadError> {
        let Some((_, index)) = self.latest_index(domain).await? else { return Ok(None) };
        let count = |path: &String| {
            let row = index.find_path(path)?;
            Some((path.clone(), index.issues[row].len() as u64))
        };
        Ok(Some(paths.iter().filter_map(count).collect()))
    }

    /// Lists those of some paths whose page has a finding of severity error in the latest run with results. None: there is no
    /// run.
    pub async fn list_pages_with_errors(
        &self,
        domain: &DomainId,
        paths: &[String],
    ) -> Result<Option<Vec<String>>, ReadError> {
        let Some((_, index)) = self.latest_index(domain).await? else { return Ok(None) };
        let has_error = |path: &&String| index.find_path(path).is_some_and(|row| index.has_error(row));
        Ok(Some(paths.iter().filter(has_error).cloned().collect()))
    }

    /// Lists pages of the latest run that search engines may list, those that most pages link to first.
    pub async fn list_topics(&self, domain: &DomainId, most: usize) -> Result<Vec<AuditedTopic>, ReadError> {
        let Some((run, index)) = self.latest_index(domain).await? else { return Ok(Vec::new()) };
        let mut rows: Vec<usize> =
            (0..index.len()).filter(|row| index.status[*row] == 200 && index.indexable[*row]).collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(index.inlinks[*row]), *row));
        rows.truncate(most);
        // One part after another, so that each is read once.
        rows.sort_unstable();
        let mut reader = RowReader::new(self, &run, PartKind::Pages);
        let mut topics = Vec::new();
        for row in rows {
            let line = reader.line(row).await?;
            topics.extend(serde_json::from_slice::<AuditedTopic>(&line).ok().map(|topic| (row, topic)));
        }
        topics.sort_by_key(|(row, _)| (std::cmp::Reverse(index.inlinks[*row]), *row));
        Ok(topics.into_iter().map(|(_, topic)| topic).collect())
    }

    pub(super) async fn latest_index(
        &self,
        domain: &DomainId,
    ) -> Result<Option<(Run, std::sync::Arc<Index>)>, ReadError> {
        let now = self.0.clock.now();
        let runs = queries::list_with_results(&mut self.0.db.read().await?, domain, now, 1).await?;
        let Some(run) = runs.into_iter().next() else { return Ok(None) };
        let index = self.0.segments.index(&run).await?;
        Ok(Some((run, index)))
    }
}
