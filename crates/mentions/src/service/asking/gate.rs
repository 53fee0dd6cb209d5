//! Gate of paid calls on the ledger: every request of a run is reserved before its first byte and settled after it.
//! Used by asking and by the analysis with a model. See docs/decisions/0362.

use std::sync::{Mutex, PoisonError};

use assistants::providers::Usd;
use assistants::providers::call::{CallEnd, CallGate, CallOutcome};

use crate::queries::ledger::LedgerRow;
use crate::queries::runs::RunTask;
use crate::service::MentionParts;
use crate::service::money::Purchase;
use crate::service::writing::{CallOpening, CallRefusal, Settlement};
use platform::jobs::JobRun;

/// Maximum number of calls of a run, and those of them that may stay without an answer: they may have been paid.
pub const MOST_CALLS: u32 = 4;
pub const MOST_UNANSWERED: u32 = 2;

/// Purpose of a paid call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPurpose {
    Answer,
    Analysis,
}

impl CallPurpose {
    /// Returns the text that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            CallPurpose::Answer => "answer",
            CallPurpose::Analysis => "analysis",
        }
    }
}

/// Calls of a run, and those of them without an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallCount {
    pub calls: u32,
    pub unanswered: u32,
}

impl CallCount {
    pub fn is_used_up(self) -> bool {
        self.calls >= MOST_CALLS || self.unanswered >= MOST_UNANSWERED
    }
}

/// Everything that is the same for all calls of a run.
#[derive(Debug, Clone, Copy)]
pub struct Paying<'a> {
    pub task: &'a RunTask,
    pub job: &'a JobRun,
    pub purpose: CallPurpose,
    /// Provider whose budgets the calls count in, or the name of the analysing server.
    pub provider: &'a str,
    pub model: &'a str,
    /// Budget of the domain; none: no limit.
    pub domain_limit: Option<Usd>,
}

/// The gate of one run.
pub struct LedgerGate<'a> {
    mentions: &'a MentionParts,
    paying: Paying<'a>,
    count: Mutex<CallCount>,
}

impl<'a> LedgerGate<'a> {
    pub fn new(mentions: &'a MentionParts, paying: Paying<'a>) -> LedgerGate<'a> {
        let count = match paying.purpose {
            CallPurpose::Answer => CallCount { calls: paying.task.calls, unanswered: paying.task.unanswered },
            CallPurpose::Analysis => CallCount::default(),
        };
        LedgerGate { mentions, paying, count: Mutex::new(count) }
    }

    /// Returns the calls of the run so far, those of earlier attempts included.
    pub fn count(&self) -> CallCount {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut CallCount)) {
        change(&mut self.count.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn row(&self, reserve: Usd) -> LedgerRow {
        let Paying { task, purpose, provider, model, .. } = self.paying;
        LedgerRow {
            id: uuid::Uuid::now_v7().to_string(),
            account_id: task.account.to_string(),
            domain_id: task.domain.to_string(),
            prompt_id: task.prompt.to_string(),
            run_id: task.id.to_string(),
            call: i64::from(self.count().calls) + 1,
            purpose: purpose.as_str().to_owned(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            day: 0,
            reserved_nanos: reserve.nanos(),
            settled_nanos: 0,
            is_estimated: false,
            state: "open".to_owned(),
            opened_at: 0,
            settled_at: None,
        }
    }
}

impl CallGate for LedgerGate<'_> {
    type Ticket = String;
    type Refusal = CallRefusal;

    async fn open(&self, reserve: Usd) -> Result<String, CallRefusal> {
        if self.count().is_used_up() {
            return Err(CallRefusal::CallsUsedUp);
        }
        let Paying { task, job, purpose, provider, domain_limit, .. } = self.paying;
        let purchase = Purchase {
            account: task.account.as_str(),
            domain: &task.domain,
            domain_limit,
            provider,
            price: reserve,
        };
        let call = self.row(reserve);
        let id = call.id.clone();
        let opening = CallOpening {
            run: task.id.clone(),
            job: job.clone(),
            call,
            budgets: self.mentions.money.budgets_of(purchase, self.mentions.clock.now()),
            is_question: purpose == CallPurpose::Answer,
        };
        self.mentions.writer.open(opening).await?;
        self.change(|count| {
            count.calls += 1;
            count.unanswered += 1;
        });
        Ok(id)
    }

    async fn close(&self, call: String, end: CallEnd) {
        let outcome = match end.outcome {
            CallOutcome::Answered => "answered",
            CallOutcome::Throttled => "throttled",
            CallOutcome::NotSent => "not_sent",
            CallOutcome::Unanswered => "unanswered",
        };
        let Paying { task, purpose, provider, .. } = self.paying;
        let provider = provider.to_owned();
        metrics::counter!("glasshouse_mention_calls_total", "provider" => provider.clone(),
            "purpose" => purpose.as_str(), "result" => outcome)
        .increment(1);
        let nanos = u64::try_from(end.cost.nanos()).unwrap_or_default();
        metrics::counter!("glasshouse_mention_cost_nanodollars_total", "provider" => provider)
            .increment(nanos);
        self.change(|count| match end.outcome {
            CallOutcome::Answered => count.unanswered -= 1,
            CallOutcome::Throttled | CallOutcome::NotSent => {
                count.unanswered -= 1;
                count.calls -= 1;
            }
            CallOutcome::Unanswered => {}
        });
        let is_question = purpose == CallPurpose::Answer;
        self.mentions.writer.settle(Settlement { call, run: task.id.clone(), end, is_question }).await;
    }
}
