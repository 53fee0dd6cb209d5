//! SQL of money: the ledger of requests, and what every budget has reserved and spent.

use serde::Serialize;
use sqlx::AssertSqlSafe;
use store::{Conn, DbError, Engine, on_engine};

use super::{RowSet, locked};
use crate::model::{PromptRunId, UtcDay};
use ::domains::DomainId;
use platform::clock::Timestamp;

const CALLS: RowSet = RowSet::new(
    "mention_ledger",
    &[
        "id",
        "account_id",
        "domain_id",
        "prompt_id",
        "run_id",
        "call",
        "purpose",
        "provider",
        "model",
        "day",
        "reserved_nanos",
        "settled_nanos",
        "is_estimated",
        "state",
        "opened_at",
        "settled_at",
    ],
);

/// A request that may cost something.
#[derive(Debug, Clone, PartialEq, Serialize, sqlx::FromRow)]
pub struct LedgerRow {
    pub id: String,
    pub account_id: String,
    pub domain_id: String,
    pub prompt_id: String,
    pub run_id: String,
    pub call: i64,
    /// answer or analysis.
    pub purpose: String,
    pub provider: String,
    pub model: String,
    pub day: i64,
    pub reserved_nanos: i64,
    pub settled_nanos: i64,
    pub is_estimated: bool,
    /// open or settled.
    pub state: String,
    pub opened_at: i64,
    pub settled_at: Option<i64>,
}

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "select id, account_id, domain_id, prompt_id, run_id, call, purpose, provider, model, day, reserved_nanos,
                settled_nanos, is_estimated, state, opened_at, settled_at from mention_ledger where ",
            $condition
        )
    };
}

pub async fn insert_call(conn: &mut Conn, row: &LedgerRow) -> Result<(), DbError> {
    CALLS.insert(conn, &[row], "").await.map(drop)
}

/// Finds a request that is about to be settled.
pub async fn find_for_change(conn: &mut Conn, id: &str) -> Result<Option<LedgerRow>, DbError> {
    let sql = locked(conn, select!("id = $1"), select!("id = $1 for update"));
    Ok(on_engine!(conn, |c| sqlx::query_as(sql).bind(id).fetch_optional(c).await)?)
}

/// Writes the cost of a request that is over.
pub async fn settle_call(conn: &mut Conn, row: &LedgerRow) -> Result<(), DbError> {
    const SQL: &str =
        "update mention_ledger set settled_nanos = $2, is_estimated = $3, state = $4, settled_at = $5
        where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(&row.id)
        .bind(row.settled_nanos)
        .bind(row.is_estimated)
        .bind(&row.state)
        .bind(row.settled_at)
        .execute(c)
        .await
        .map(drop))?)
}

/// Lists the requests of a run whose end is not known.
pub async fn list_open_of_run(conn: &mut Conn, run: &PromptRunId) -> Result<Vec<LedgerRow>, DbError> {
    const SQL: &str = select!("run_id = $1 and state = 'open' order by call");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(run.as_str()).fetch_all(c).await)?)
}

/// Lists some requests that were opened before a time and whose end is not known.
pub async fn list_open_before(
    conn: &mut Conn,
    before: Timestamp,
    most: i64,
) -> Result<Vec<LedgerRow>, DbError> {
    const SQL: &str = select!("state = 'open' and opened_at < $1 order by opened_at limit $2");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(before.as_millis()).bind(most).fetch_all(c).await)?)
}

/// Sum of the costs of a domain on one day, by provider and prompt.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct CostRow {
    pub day: i64,
    pub provider: String,
    pub prompt_id: String,
    pub settled: i64,
    /// Part of `settled` that is estimated.
    pub estimated: i64,
}

/// Sums up what a domain's requests cost from one day to another.
pub async fn list_costs(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (UtcDay, UtcDay),
) -> Result<Vec<CostRow>, DbError> {
    const SQL: &str = "select day, provider, prompt_id, cast(sum(settled_nanos) as bigint) as settled,
            cast(sum(case when is_estimated then settled_nanos else 0 end) as bigint) as estimated
        from mention_ledger where domain_id = $1 and day >= $2 and day <= $3
        group by day, provider, prompt_id order by day, provider, prompt_id";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(domain.as_str())
        .bind(from)
        .bind(to)
        .fetch_all(c)
        .await)?)
}

const BUDGETS: RowSet = RowSet::new(
    "mention_budgets",
    &["scope", "scope_key", "period", "reserved_nanos", "spent_nanos", "estimated_nanos"],
);
const BUDGET_KEY: [&str; 3] = ["scope", "scope_key", "period"];

/// Amounts of one budget in one period, or changes of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct BudgetRow {
    /// installation, account, domain or provider.
    pub scope: String,
    pub scope_key: String,
    /// UTC day or month.
    pub period: String,
    pub reserved_nanos: i64,
    pub spent_nanos: i64,
    /// Part of `spent_nanos` that is estimated.
    pub estimated_nanos: i64,
}

/// Lists budgets, each of which nobody else changes until the transaction ends. Makes those that are missing.
pub async fn lock_budgets(conn: &mut Conn, zeros: &[BudgetRow]) -> Result<Vec<BudgetRow>, DbError> {
    if zeros.is_empty() {
        return Ok(Vec::new());
    }
    // Rows that several transactions want are made and locked in one order.
    let mut zeros = zeros.to_vec();
    zeros.sort_by(|a, b| (&a.scope, &a.scope_key, &a.period).cmp(&(&b.scope, &b.scope_key, &b.period)));
    BUDGETS.insert(conn, &zeros, "on conflict (scope, scope_key, period) do nothing").await?;
    list_budgets(conn, &zeros, "for update of b").await
}

/// Lists budgets as they stand. Those that nothing was spent of are missing.
pub async fn find_budgets(conn: &mut Conn, wanted: &[BudgetRow]) -> Result<Vec<BudgetRow>, DbError> {
    list_budgets(conn, wanted, "").await
}

async fn list_budgets(
    conn: &mut Conn,
    wanted: &[BudgetRow],
    lock: &'static str,
) -> Result<Vec<BudgetRow>, DbError> {
    let lock = if conn.engine() == Engine::Postgres { lock } else { "" };
    let source = BUDGETS.source(conn.engine());
    let sql = format!(
        "select b.scope, b.scope_key, b.period, b.reserved_nanos, b.spent_nanos, b.estimated_nanos
        from {source} join mention_budgets b on b.scope = new.scope and b.scope_key = new.scope_key
            and b.period = new.period
        order by b.scope, b.scope_key, b.period {lock}"
    );
    let rows = serde_json::to_string(wanted).expect("rows are plain data");
    Ok(on_engine!(conn, |c| sqlx::query_as(AssertSqlSafe(sql)).bind(rows).fetch_all(c).await)?)
}

pub async fn add_to_budgets(conn: &mut Conn, changes: &[BudgetRow]) -> Result<(), DbError> {
    let mut changes = changes.to_vec();
    changes.sort_by(|a, b| (&a.scope, &a.scope_key, &a.period).cmp(&(&b.scope, &b.scope_key, &b.period)));
    BUDGETS.add(conn, &changes, &BUDGET_KEY).await.map(drop)
}

/// Lists what budgets of a scope have spent in a period.
pub async fn list_spent(conn: &mut Conn, scope: &str, period: &str) -> Result<Vec<BudgetRow>, DbError> {
    const SQL: &str =
        "select scope, scope_key, period, reserved_nanos, spent_nanos, estimated_nanos from mention_budgets
        where scope = $1 and period = $2 order by scope_key";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(scope).bind(period).fetch_all(c).await)?)
}

/// Deletes the amounts of days before one, which no limit looks at any more.
pub async fn delete_old_days(conn: &mut Conn, before: &str) -> Result<u64, DbError> {
    // A month has seven characters, a day ten.
    const SQL: &str = "delete from mention_budgets where period < $1 and length(period) = 10";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(before).execute(c).await.map(|done| done.rows_affected()))?)
}
