//! Completes the analysis of a run and writes its end, with the brands as they are when it is written.

use std::sync::Arc;

use store::DbError;

use super::answer::KeptAnswer;
use super::brand_cache::DomainBrands;
use crate::queries::runs::RunTask;
use crate::service::MentionParts;
use crate::service::writing::{EndedAs, Ending, EndingResult};
use platform::jobs::JobRun;

/// Times that an answer is analysed again because the brands changed meanwhile.
const MOST_READINGS: usize = 20;

/// Completes the analysis of a kept answer, with a model's reply or without, for the attempt that holds the run, or for
/// nobody when its job is gone.
pub async fn finish_analysis(
    mentions: &MentionParts,
    (task, job): (&RunTask, Option<&JobRun>),
    kept: &KeptAnswer,
    reply: Option<&str>,
) -> Result<EndingResult, DbError> {
    let mut book = mentions.books.find(&task.domain).await?;
    for _ in 0..MOST_READINGS {
        let Some(current) = book else { return Ok(EndingResult::Lost) };
        let ending = Ending {
            task: task.clone(),
            job: job.cloned(),
            ended: analyse(mentions, task, kept, reply, &current),
        };
        match mentions.writer.end(ending).await {
            EndingResult::StaleBrands => book = mentions.books.read(&task.domain).await?,
            result => return Ok(result),
        }
    }
    Ok(EndingResult::StaleBrands)
}

fn analyse(
    mentions: &MentionParts,
    task: &RunTask,
    kept: &KeptAnswer,
    reply: Option<&str>,
    book: &Arc<DomainBrands>,
) -> EndedAs {
    let version = book.record.analysis_version;
    let answer = kept.complete(&task.id, &book.brands, &book.pending, reply);
    let answer = Box::new(answer.stamped(version, mentions.clock.now()));
    EndedAs::Analysed { answer, response: None, book: book.clone() }
}
