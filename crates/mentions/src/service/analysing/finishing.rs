//! Completes the analysis of a run and writes its end, with the brands as they are when it is written.

use std::sync::Arc;

use store::DbError;

use super::answer::KeptAnswer;
use super::books::{BrandBook, BrandBooks};
use crate::queries::runs::RunTask;
use crate::service::writing::{EndedAs, Ending, EndingResult, RunWriter};
use platform::clock::Clock;
use platform::jobs::JobRun;

/// Times that an answer is analysed anew because the brands changed meanwhile.
const MOST_READINGS: usize = 20;

/// Completes analyses. Cheap to clone.
#[derive(Clone)]
pub struct Finishing {
    books: BrandBooks,
    clock: Clock,
    writer: RunWriter,
}

impl Finishing {
    pub fn new(books: &BrandBooks, clock: &Clock, writer: &RunWriter) -> Finishing {
        Finishing { books: books.clone(), clock: clock.clone(), writer: writer.clone() }
    }

    /// Completes the analysis of a kept answer, with a model's reply or without, for the attempt that holds the run, or for
    /// nobody when its job is gone.
    pub async fn finish(
        &self,
        (task, job): (&RunTask, Option<&JobRun>),
        kept: &KeptAnswer,
        reply: Option<&str>,
    ) -> Result<EndingResult, DbError> {
        let mut book = self.books.find(&task.domain).await?;
        for _ in 0..MOST_READINGS {
            let Some(current) = book else { return Ok(EndingResult::Lost) };
            let ending = Ending {
                task: task.clone(),
                job: job.cloned(),
                ended: self.analyse(task, kept, reply, &current),
            };
            match self.writer.end(ending).await {
                EndingResult::StaleBrands => book = self.books.read(&task.domain).await?,
                result => return Ok(result),
            }
        }
        Ok(EndingResult::StaleBrands)
    }

    fn analyse(
        &self,
        task: &RunTask,
        kept: &KeptAnswer,
        reply: Option<&str>,
        book: &Arc<BrandBook>,
    ) -> EndedAs {
        let version = book.record.analysis_version;
        let answer = kept.complete(&task.id, &book.brands, &book.pending, reply);
        let answer = Box::new(answer.stamped(version, self.clock.now()));
        EndedAs::Analysed { answer, response: None, book: book.clone() }
    }
}
