//! Changes of runs that the writer writes, and its results.

use std::sync::Arc;

use assistants::providers::call::CallEnd;

use crate::budgets::{Budget, SpentBudgets};
use crate::model::{PromptRunId, RunErrorCode};
use crate::queries::answers::{ResponseRow, RunAnswerRow};
use crate::queries::ledger::LedgerRow;
use crate::queries::runs::RunTask;
use crate::service::analysing::answer::AnalysedAnswer;
use crate::service::analysing::brand_cache::DomainBrands;
use platform::jobs::{JobRun, NewJob};

/// A paid call that is about to be sent.
#[derive(Debug, Clone)]
pub struct CallOpening {
    pub run: PromptRunId,
    pub job: JobRun,
    /// Row of the call in the ledger, without day and time.
    pub call: LedgerRow,
    pub budgets: Vec<Budget>,
    /// The run is asked, not analysed.
    pub is_question: bool,
}

/// Reason why a call may not be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallRefusal {
    /// Budgets cannot pay it.
    Spent(SpentBudgets),
    /// The run is over or gone, or another process has its job.
    Lost,
    /// The run has used up its calls.
    CallsUsedUp,
    /// The database does not answer, or refused the row.
    Database(String),
}

/// End of a paid call.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// Id of the call's row in the ledger.
    pub call: String,
    pub run: PromptRunId,
    pub end: CallEnd,
    /// The run was asked, not analysed.
    pub is_question: bool,
}

/// End of a run, or of an attempt at it.
#[derive(Debug, Clone)]
pub struct Ending {
    pub task: RunTask,
    /// The attempt that wants to write it. None: the job is gone.
    pub job: Option<JobRun>,
    pub ended: EndedAs,
}

/// Result of an attempt at a run.
#[derive(Debug, Clone)]
pub enum EndedAs {
    /// The answer came, and a further job analyses it.
    Answered { row: Box<RunAnswerRow>, response: Option<ResponseRow>, analysis: Box<NewJob> },
    /// The answer came and is analysed.
    Analysed { answer: Box<AnalysedAnswer>, response: Option<ResponseRow>, book: Arc<DomainBrands> },
    /// It ended without an answer.
    Failed { code: RunErrorCode, detail: String },
    /// The job tries again.
    Queued { code: RunErrorCode, detail: String },
    /// It could not be paid: its target waits for the next period of the spent budget.
    Postponed(SpentBudgets),
    /// Plan, settings, account or lock do not allow it now.
    LeftOut,
}

/// Result of writing the end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndingResult {
    Written,
    /// The run is over or gone, its domain was removed, or another process has its job.
    Lost,
    /// The brands changed meanwhile: the answer is to be analysed again.
    StaleBrands,
    /// The database refused it.
    Refused(String),
}
