//! Runs as they are read: lists with their counts, and single runs.

use store::{Db, DbError};

use crate::mentions::queries::history;
pub use crate::mentions::queries::history::{RunListRow, RunRow, RunSelection};

/// Runs of all domains. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RunHistory {
    db: Db,
}

/// Some of the selected runs, and the number of all of them.
#[derive(Debug, Clone, Default)]
pub struct RunPage {
    pub runs: Vec<RunListRow>,
    /// By status; those that no run has are missing.
    pub counts: Vec<(String, i64)>,
}

impl RunHistory {
    pub fn new(db: &Db) -> RunHistory {
        RunHistory { db: db.clone() }
    }

    /// Lists some of the selected runs, the newest first, and counts all of them.
    pub async fn list(&self, of: &RunSelection, (limit, offset): (i64, i64)) -> Result<RunPage, DbError> {
        let mut conn = self.db.read().await?;
        let counts = match &of.prompt {
            // PostgreSQL keeps no NUL in a text: no id has one.
            Some(prompt) if prompt.contains('\0') => return Ok(RunPage::default()),
            Some(prompt) => {
                let owner = history::find_domain_of_prompt(&mut conn, prompt).await?;
                if owner.as_deref() != Some(of.domain.as_str()) {
                    return Ok(RunPage::default());
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
        Ok(RunPage { runs, counts: counts.into_iter().filter(|(_, count)| *count > 0).collect() })
    }

    /// Finds a run with its question.
    pub async fn find(&self, id: &str) -> Result<Option<RunRow>, DbError> {
        if id.contains('\0') {
            return Ok(None);
        }
        history::find_run(&mut self.db.read().await?, id).await
    }
}
