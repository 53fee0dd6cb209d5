//! Money and number of the requests of one question: the amount to reserve before each, and to settle after it. Pure.

use jiff::civil::Date;

use super::super::asking::{AskState, Matter};
use super::super::prices::{Price, price_of};
use super::super::wire::{CallBill, FailureClass, ProviderFailure};
use super::super::{ProviderConnection, SearchVendor, Usage, Usd};
use super::gate::{CallEnd, CallOutcome};

/// Most that a provider may state as its cost, in amounts that were reserved: a wrong figure must not spend everybody's budget.
const MOST_STATED: u64 = 10;
/// Bytes of text that make a token, low so that the estimate is high.
const BYTES_PER_TOKEN: usize = 3;

/// Price of the questions to one connection.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tariff {
    Free,
    /// Operator's price of a question.
    Flat(Usd),
    Table(Price),
}

impl Tariff {
    pub(super) fn of(connection: &ProviderConnection, is_private: bool, day: Date) -> Tariff {
        match connection.usd_per_run {
            Some(Usd::ZERO) => Tariff::Free,
            Some(usd) => Tariff::Flat(usd),
            None if is_private && connection.is_chat() => Tariff::Free,
            None => Tariff::Table(price_of(connection.provider, connection.model(), day)),
        }
    }

    /// Returns the upper end of the price of one question.
    pub(super) fn expected_run(&self, connection: &ProviderConnection) -> Usd {
        match self {
            Tariff::Free => Usd::ZERO,
            Tariff::Flat(usd) => *usd,
            Tariff::Table(price) if connection.search => price.expected_run(),
            Tariff::Table(price) => price.expected_run_without_search(),
        }
    }
}

/// Running sum over the requests of one question.
#[derive(Debug)]
pub(super) struct CallCost {
    tariff: Tariff,
    /// The flat price was settled with an earlier request.
    is_flat_settled: bool,
    pub(super) cost: Usd,
    pub(super) is_estimated: bool,
    pub(super) calls: u32,
}

impl CallCost {
    pub(super) fn new(tariff: Tariff) -> CallCost {
        CallCost { tariff, is_flat_settled: false, cost: Usd::ZERO, is_estimated: false, calls: 0 }
    }

    /// Returns the amount to reserve for the next request.
    pub(super) fn reserve(&self, asking: &AskState) -> Usd {
        let connection = asking.connection;
        match (&self.tariff, asking.matter) {
            (Tariff::Free, _) => Usd::ZERO,
            (Tariff::Flat(_), _) if self.is_flat_settled => Usd::ZERO,
            (Tariff::Flat(usd), _) => *usd,
            (Tariff::Table(price), Matter::Task(task)) => {
                let bytes = task.system.len() + task.user.len() + task.schema.to_string().len();
                price.cost(Usage {
                    input_tokens: (bytes / BYTES_PER_TOKEN) as u64,
                    output_tokens: u64::from(asking.max_output_tokens()),
                    searches: 0,
                })
            }
            // An overview takes one or two requests, AI Mode one; each request is one search.
            (Tariff::Table(price), Matter::Question(_)) if is_serpapi(connection) => price.row.search,
            (tariff, Matter::Question(_)) => tariff.expected_run(connection),
        }
    }

    /// Settles a request that got a response.
    pub(super) fn answered(
        &mut self,
        reserve: Usd,
        bill: CallBill,
        failure: Option<&ProviderFailure>,
    ) -> CallEnd {
        let (cost, is_estimated) = self.cost_of(reserve, bill);
        let is_limit =
            |failure: &ProviderFailure| matches!(failure.class, FailureClass::Throttle | FailureClass::Quota);
        let is_throttled = failure.is_some_and(is_limit) && cost == Usd::ZERO;
        let outcome = match failure {
            _ if is_throttled => CallOutcome::Throttled,
            Some(failure) if failure.may_be_paid => CallOutcome::Unanswered,
            _ => CallOutcome::Answered,
        };
        self.add(CallEnd { cost, is_estimated, outcome })
    }

    /// Settles a request without a response.
    pub(super) fn unanswered(&mut self, reserve: Usd, failure: &ProviderFailure) -> CallEnd {
        if failure.may_be_paid {
            self.is_flat_settled |= reserve > Usd::ZERO;
            self.add(CallEnd {
                cost: reserve,
                is_estimated: reserve > Usd::ZERO,
                outcome: CallOutcome::Unanswered,
            })
        } else {
            self.add(CallEnd { cost: Usd::ZERO, is_estimated: false, outcome: CallOutcome::NotSent })
        }
    }

    fn cost_of(&mut self, reserve: Usd, bill: CallBill) -> (Usd, bool) {
        match (self.tariff, bill) {
            (Tariff::Free, _) | (_, CallBill::Free) => (Usd::ZERO, false),
            (tariff, CallBill::Stated(cost)) => {
                let reserved = if let Tariff::Flat(usd) = tariff { usd } else { reserve };
                let most = reserved.times(MOST_STATED);
                if cost > most { (most, true) } else { (cost, false) }
            }
            (Tariff::Table(price), CallBill::Used(usage)) => (price.cost(usage), true),
            (Tariff::Flat(_), CallBill::Used(_) | CallBill::Unknown)
            | (Tariff::Table(_), CallBill::Unknown) => {
                self.is_flat_settled = true;
                (reserve, true)
            }
        }
    }

    fn add(&mut self, end: CallEnd) -> CallEnd {
        self.cost += end.cost;
        self.is_estimated |= end.is_estimated;
        self.calls += u32::from(matches!(end.outcome, CallOutcome::Answered | CallOutcome::Unanswered));
        end
    }
}

fn is_serpapi(connection: &ProviderConnection) -> bool {
    connection.provider.is_google_search() && connection.vendor == SearchVendor::Serpapi
}
