//! Runs as they are read: lists with their counts, and single runs.

use futures::Stream;
use store::{Db, DbError};

use crate::parts::runs_of_part;
use crate::queries::history;
pub use crate::queries::history::{RunListRow, RunRow, RunSelection};

/// Some of the selected runs, and the number of all of them.
#[derive(Debug, Clone, Default)]
pub struct ListedRuns {
    /// Ids, with the bytes of the answers.
    pub runs: Vec<(String, i64)>,
    /// Number of runs by status; a status without runs is missing.
    pub counts: Vec<(String, i64)>,
}

/// Lists some of the selected runs, the newest first, and counts all of them.
pub async fn list_runs(
    db: &Db,
    of: &RunSelection,
    (limit, offset): (i64, i64),
) -> Result<ListedRuns, DbError> {
    let mut conn = db.read().await?;
    let counts = match &of.prompt {
        // PostgreSQL keeps no NUL in a text: no id has one.
        Some(prompt) if prompt.contains('\0') => return Ok(ListedRuns::default()),
        Some(prompt) => {
            let owner = history::find_domain_of_prompt(&mut conn, prompt).await?;
            if owner.as_deref() != Some(of.domain.as_str()) {
                return Ok(ListedRuns::default());
            }
            history::count_of_prompt(&mut conn, prompt, of).await?
        }
        None => {
            let mut counts = history::count_open(&mut conn, of).await?;
            let (answered, failed) = history::count_ended(&mut conn, of).await?;
            counts.extend([("ok".to_owned(), answered), ("error".to_owned(), failed)]);
            counts
        }
    };
    let runs = history::list_runs(&mut conn, of, (limit, offset)).await?;
    Ok(ListedRuns { runs, counts: counts.into_iter().filter(|(_, count)| *count > 0).collect() })
}

/// Reads the runs of a page, part by part: all of them may have gigabytes. A run that was deleted meanwhile is missing.
pub fn read_runs(
    db: &Db,
    page: ListedRuns,
) -> impl Stream<Item = Result<Vec<RunListRow>, DbError>> + Send + 'static + use<> {
    let left = std::collections::VecDeque::from(page.runs);
    futures::stream::try_unfold((db.clone(), left), |(db, mut left)| async move {
        let count = runs_of_part(left.iter().map(|(_, bytes)| *bytes));
        let ids: Vec<String> = left.drain(..count).map(|(id, _)| id).collect();
        if ids.is_empty() {
            return Ok(None);
        }
        let rows = history::list_by_ids(&mut db.read().await?, &ids).await?;
        Ok(Some((rows, (db, left))))
    })
}

/// Finds a run with its question.
pub async fn find_run(db: &Db, id: &str) -> Result<Option<RunRow>, DbError> {
    if id.contains('\0') {
        return Ok(None);
    }
    history::find_run(&mut db.read().await?, id).await
}
