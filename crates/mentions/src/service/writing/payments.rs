//! Openings and settlements of paid calls, in a transaction: the ledger, the budgets, the counts of the run.
//! Rows are locked in one order: job, run, ledger, budgets.

use assistants::providers::Usd;
use assistants::providers::call::CallOutcome;
use store::{DbError, Tx};

use super::changes::{CallOpening, CallRefusal, Settlement};
use super::holds;
use crate::budgets::{Balance, keys_of};
use crate::queries::ledger::{self, BudgetRow, LedgerRow};
use crate::queries::runs::{self, RunCalls};
use crate::service::money::{balances_of, row_of, zero_row};
use platform::clock::Timestamp;

/// Reserves the price of a call and writes its row in the ledger, unless the run is over or the budgets are spent.
pub async fn open(
    tx: &mut Tx,
    opening: &CallOpening,
    now: Timestamp,
) -> Result<Result<(), CallRefusal>, DbError> {
    if !holds(tx, &opening.job).await? {
        return Ok(Err(CallRefusal::Lost));
    }
    let run = runs::lock_open(tx, &opening.run).await?;
    if run.is_none_or(|run| (run.status == "answered") == opening.is_question) {
        return Ok(Err(CallRefusal::Lost));
    }
    let price = Usd::from_nanos(opening.call.reserved_nanos);
    if price > Usd::ZERO {
        let zeros: Vec<_> = opening.budgets.iter().map(|budget| zero_row(&budget.key)).collect();
        let balances = balances_of(ledger::lock_budgets(tx, &zeros).await?);
        if let Some(spent) = balances.refusal(&opening.budgets, price) {
            return Ok(Err(CallRefusal::Spent(spent)));
        }
        let reserved = Balance { reserved: price, ..Balance::default() };
        let rows: Vec<BudgetRow> =
            opening.budgets.iter().map(|budget| row_of(&budget.key, &reserved)).collect();
        ledger::add_to_budgets(tx, &rows).await?;
    }
    let row = LedgerRow { day: now.day_number(), opened_at: now.as_millis(), ..opening.call.clone() };
    ledger::insert_call(tx, &row).await?;
    // A call counts as unanswered until its end is known, since its process may die.
    let counts = RunCalls { calls: 1, unanswered: i64::from(opening.is_question), ..RunCalls::default() };
    runs::add_calls(tx, &opening.run, &counts).await?;
    if opening.is_question {
        runs::begin_run(tx, &opening.run, now).await?;
    }
    Ok(Ok(()))
}

/// Writes the cost of a call and releases its reserve. A call that was settled as lost is settled again.
pub async fn settle(tx: &mut Tx, settlement: &Settlement, now: Timestamp) -> Result<(), DbError> {
    runs::lock_open(tx, &settlement.run).await?;
    let Some(mut call) = ledger::find_for_change(tx, &settlement.call).await? else { return Ok(()) };
    let (released, cost) = settled(&mut call, settlement, now);
    ledger::settle_call(tx, &call).await?;
    let change = Balance { reserved: Usd::ZERO - released, spent: cost.spent, estimated: cost.estimated };
    if change != Balance::default() {
        let keys = keys_of(&call.account_id, &call.domain_id, &call.provider, call.day);
        let rows: Vec<BudgetRow> = keys.iter().map(|key| row_of(key, &change)).collect();
        ledger::add_to_budgets(tx, &rows).await?;
    }
    runs::add_calls(tx, &settlement.run, &counts_of(settlement, cost)).await
}

/// Settles a row of the ledger. Returns the released reserve, and the difference between the new cost and the cost before: a
/// call that was settled as lost has a cost already.
fn settled(call: &mut LedgerRow, settlement: &Settlement, now: Timestamp) -> (Usd, Balance) {
    let is_open = call.state == "open";
    let released = if is_open { Usd::from_nanos(call.reserved_nanos) } else { Usd::ZERO };
    let before = Usd::from_nanos(call.settled_nanos);
    let estimated_before = if call.is_estimated { before } else { Usd::ZERO };
    let cost = settlement.end.cost;
    let estimated = if settlement.end.is_estimated { cost } else { Usd::ZERO };
    call.settled_nanos = cost.nanos();
    call.is_estimated = settlement.end.is_estimated;
    call.state = "settled".to_owned();
    call.settled_at = Some(now.as_millis());
    let change =
        Balance { reserved: Usd::ZERO, spent: cost - before, estimated: estimated - estimated_before };
    (released, change)
}

/// Returns the change of the run's counts when a call ends.
fn counts_of(settlement: &Settlement, cost: Balance) -> RunCalls {
    let is_question = i64::from(settlement.is_question);
    let (calls, unanswered) = match settlement.end.outcome {
        CallOutcome::Answered => (0, -is_question),
        CallOutcome::Throttled | CallOutcome::NotSent => (-1, -is_question),
        CallOutcome::Unanswered => (0, 0),
    };
    RunCalls {
        calls,
        unanswered,
        cost_nanos: cost.spent.nanos(),
        is_cost_estimated: settlement.end.is_estimated,
    }
}
