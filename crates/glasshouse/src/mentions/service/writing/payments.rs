//! Openings and settlements of paid calls, in a transaction of the writer: the ledger, the budgets, the counts of runs.

use std::collections::{BTreeMap, HashMap};

use assistants::providers::Usd;
use assistants::providers::call::CallOutcome;
use store::{DbError, Tx};

use super::entries::{CallOpening, Entry, Reply, Settlement};
use crate::clock::Timestamp;
use crate::mentions::budgets::{Balance, BudgetKey, keys_of};
use crate::mentions::model::PromptRunId;
use crate::mentions::queries::ledger::{self, LedgerRow};
use crate::mentions::queries::runs::{self, RunCallsRow};
use crate::mentions::service::money::{balances_of, row_of, zero_row};

/// Writes the openings and settlements of a batch. Returns a reply for each of its entries that is one.
pub async fn write(
    tx: &mut Tx,
    batch: &[Entry],
    held: &[bool],
    now: Timestamp,
) -> Result<Vec<Option<Reply>>, DbError> {
    let mut replies: Vec<Option<Reply>> = vec![None; batch.len()];
    let openings = list_possible(tx, batch, held, &mut replies).await?;
    let settlements: HashMap<&str, &Settlement> = batch.iter().filter_map(settlement_of).collect();
    let ids: Vec<String> = settlements.keys().map(|id| (*id).to_owned()).collect();
    let mut calls = ledger::list_for_change(tx, &ids).await?;
    if openings.is_empty() && calls.is_empty() {
        return Ok(replies);
    }
    let keys = budget_keys(&openings, &calls);
    let zeros: Vec<_> = keys.iter().map(zero_row).collect();
    let mut balances = balances_of(ledger::lock_budgets(tx, &zeros).await?);
    let mut counts = CallCounts::default();
    for call in &mut calls {
        let Some(settlement) = settlements.get(call.id.as_str()) else { continue };
        let (released, cost) = settle(call, settlement, now);
        let keys = keys_of(&call.account_id, &call.domain_id, &call.provider, call.day);
        balances.settle(keys, released, cost);
        counts.settled(settlement, cost);
    }
    let mut begun = Vec::new();
    for (at, opening) in openings {
        let price = Usd::from_nanos(opening.call.reserved_nanos);
        if let Some(spent) = balances.refusal(&opening.budgets, price) {
            replies[at] = Some(Reply::Spent(spent));
            continue;
        }
        if price > Usd::ZERO {
            balances.reserve(&opening.budgets, price);
        }
        counts.opened(opening);
        begun.push(opening);
    }
    let rows: Vec<LedgerRow> = begun.iter().map(|opening| row_at(&opening.call, now)).collect();
    ledger::insert_calls(tx, &rows).await?;
    ledger::settle_calls(tx, &calls).await?;
    let asked: Vec<String> =
        begun.iter().filter(|opening| opening.is_question).map(|opening| opening.run.to_string()).collect();
    if !asked.is_empty() {
        runs::begin_runs(tx, &asked, now).await?;
    }
    runs::add_calls(tx, &counts.rows()).await?;
    let changes: Vec<_> = balances.changes().map(|(key, change)| row_of(key, change)).collect();
    ledger::add_to_budgets(tx, &changes).await?;
    Ok(replies)
}

fn settlement_of(entry: &Entry) -> Option<(&str, &Settlement)> {
    match entry {
        Entry::Settlement(settlement) => Some((settlement.call.as_str(), settlement)),
        _ => None,
    }
}

/// Lists the openings whose run is still to be asked, and replies to the others.
async fn list_possible<'a>(
    tx: &mut Tx,
    batch: &'a [Entry],
    held: &[bool],
    replies: &mut [Option<Reply>],
) -> Result<Vec<(usize, &'a CallOpening)>, DbError> {
    let openings: Vec<(usize, &CallOpening)> = batch
        .iter()
        .enumerate()
        .filter_map(|(at, entry)| match entry {
            Entry::Opening(opening, _) => Some((at, &**opening)),
            _ => None,
        })
        .collect();
    if openings.is_empty() {
        return Ok(openings);
    }
    let ids: Vec<String> = openings.iter().map(|(_, opening)| opening.run.to_string()).collect();
    let open = runs::lock_open(tx, &ids).await?;
    let status: HashMap<&str, &str> = open.iter().map(|run| (run.id.as_str(), run.status.as_str())).collect();
    let is_possible = |at: usize, opening: &CallOpening| {
        let status = status.get(opening.run.as_str()).copied();
        held[at] && status.is_some_and(|status| (status == "answered") != opening.is_question)
    };
    let (possible, lost): (Vec<_>, Vec<_>) =
        openings.into_iter().partition(|(at, opening)| is_possible(*at, opening));
    for (at, _) in lost {
        replies[at] = Some(Reply::Lost);
    }
    Ok(possible)
}

fn budget_keys(openings: &[(usize, &CallOpening)], calls: &[LedgerRow]) -> Vec<BudgetKey> {
    let opened = openings
        .iter()
        .filter(|(_, opening)| opening.call.reserved_nanos > 0)
        .flat_map(|(_, opening)| opening.budgets.iter().map(|budget| budget.key.clone()));
    let settled = calls
        .iter()
        .filter(|call| call.reserved_nanos > 0)
        .flat_map(|call| keys_of(&call.account_id, &call.domain_id, &call.provider, call.day));
    let mut keys: Vec<BudgetKey> = opened.chain(settled).collect();
    keys.sort();
    keys.dedup();
    keys
}

fn row_at(call: &LedgerRow, now: Timestamp) -> LedgerRow {
    LedgerRow { day: now.day_number(), opened_at: now.as_millis(), ..call.clone() }
}

/// Settles a row of the ledger. Returns the released reserve, and the difference between its cost now and before: a call
/// that was taken for lost has a cost already.
fn settle(call: &mut LedgerRow, settlement: &Settlement, now: Timestamp) -> (Usd, Balance) {
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

/// Changes of the counts of runs, a row for each run.
#[derive(Default)]
struct CallCounts(BTreeMap<PromptRunId, RunCallsRow>);

impl CallCounts {
    fn of(&mut self, run: &PromptRunId) -> &mut RunCallsRow {
        let new = || RunCallsRow { id: run.to_string(), ..RunCallsRow::default() };
        self.0.entry(run.clone()).or_insert_with(new)
    }

    /// Counts a call as unanswered until its end is known: its process may die.
    fn opened(&mut self, opening: &CallOpening) {
        let is_question = i64::from(opening.is_question);
        let row = self.of(&opening.run);
        row.calls += 1;
        row.unanswered += is_question;
    }

    fn settled(&mut self, settlement: &Settlement, cost: Balance) {
        let is_question = i64::from(settlement.is_question);
        let row = self.of(&settlement.run);
        row.cost_nanos += cost.spent.nanos();
        row.is_cost_estimated |= settlement.end.is_estimated;
        match settlement.end.outcome {
            CallOutcome::Answered => row.unanswered -= is_question,
            CallOutcome::Throttled | CallOutcome::NotSent => {
                row.unanswered -= is_question;
                row.calls -= 1;
            }
            CallOutcome::Unanswered => {}
        }
    }

    fn rows(self) -> Vec<RunCallsRow> {
        self.0.into_values().collect()
    }
}
