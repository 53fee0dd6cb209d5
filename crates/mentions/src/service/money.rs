//! Money: budgets before a question is asked. Used by everything that opens runs, and by the gate of paid calls.
//! Must never let a request be sent whose price is not reserved.

use std::sync::Arc;

use assistants::providers::Usd;
use store::{Conn, DbError};

use crate::budgets::{
    Balance, Balances, Budget, BudgetKey, BudgetLimits, BudgetScope, Spender, SpentBudgets,
};
use crate::queries::ledger::{self, BudgetRow};
use ::domains::DomainId;
use platform::clock::Timestamp;

/// A question that is to be paid.
#[derive(Debug, Clone, Copy)]
pub struct Purchase<'a> {
    pub account: &'a str,
    pub domain: &'a DomainId,
    /// Budget of the domain; none: no limit.
    pub domain_limit: Option<Usd>,
    /// Provider, or the name of the analysing server.
    pub provider: &'a str,
    pub price: Usd,
}

/// Budgets of the installation. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Money {
    limits: Arc<BudgetLimits>,
}

impl Money {
    pub fn new(limits: BudgetLimits) -> Money {
        Money { limits: Arc::new(limits) }
    }

    /// Lists the budgets that a purchase counts in.
    pub fn budgets_of(&self, purchase: Purchase<'_>, now: Timestamp) -> Vec<Budget> {
        let spender = Spender {
            account: purchase.account,
            domain: purchase.domain.as_str(),
            domain_limit: purchase.domain_limit,
            provider: purchase.provider,
        };
        self.limits.of(spender, now)
    }

    /// Finds the budgets that cannot pay a question as they stand. None: all of them can.
    pub async fn find_refusal(
        &self,
        conn: &mut Conn,
        purchase: Purchase<'_>,
        now: Timestamp,
    ) -> Result<Option<SpentBudgets>, DbError> {
        let budgets = self.budgets_of(purchase, now);
        let zeros: Vec<BudgetRow> = budgets.iter().map(|budget| zero_row(&budget.key)).collect();
        let standing = ledger::find_budgets(conn, &zeros).await?;
        Ok(balances_of(standing).refusal(&budgets, purchase.price))
    }
}

/// Makes the row of a budget of which nothing is spent.
pub fn zero_row(key: &BudgetKey) -> BudgetRow {
    row_of(key, &Balance::default())
}

/// Makes the row of a budget, or of a change of one.
pub fn row_of(key: &BudgetKey, balance: &Balance) -> BudgetRow {
    BudgetRow {
        scope: key.scope.as_str().to_owned(),
        scope_key: key.key.clone(),
        period: key.period.clone(),
        reserved_nanos: balance.reserved.nanos(),
        spent_nanos: balance.spent.nanos(),
        estimated_nanos: balance.estimated.nanos(),
    }
}

/// Reads budgets as they stand.
pub fn balances_of(rows: Vec<BudgetRow>) -> Balances {
    let read = |row: BudgetRow| {
        let scope = BudgetScope::ALL.into_iter().find(|scope| scope.as_str() == row.scope)?;
        let balance = Balance {
            reserved: Usd::from_nanos(row.reserved_nanos),
            spent: Usd::from_nanos(row.spent_nanos),
            estimated: Usd::from_nanos(row.estimated_nanos),
        };
        Some((BudgetKey { scope, key: row.scope_key, period: row.period }, balance))
    };
    Balances::new(rows.into_iter().filter_map(read))
}
