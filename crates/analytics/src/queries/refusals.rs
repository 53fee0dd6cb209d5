//! SQL of refusals by crawler policies.

use std::borrow::Cow;

use store::{Conn, DbError, on_engine};

use super::{execute_with, json_of};
use crate::model::Day;
use crate::policy::RefusalKey;
use domains::{DomainId, PolicyAction};

const REFUSALS: &[(&str, &str)] = &[
    ("domain", "text"),
    ("day", "bigint"),
    ("crawler", "text"),
    ("action", "text"),
    ("enforced", "boolean"),
    ("visits", "bigint"),
];

/// Adds counts of refusals.
pub async fn add_refusals(conn: &mut Conn, rows: &[(RefusalKey, u64)]) -> Result<(), DbError> {
    const SQL: &str = " insert into policy_refusals (domain_id, day, crawler, action, enforced, requests) \
         select domain, day, crawler, action, enforced, sum(visits) from v \
         where exists (select 1 from domains where domains.id = v.domain) \
         group by domain, day, crawler, action, enforced order by domain, day, crawler, action, enforced \
         on conflict (domain_id, day, crawler, action, enforced) \
         do update set requests = policy_refusals.requests + excluded.requests";
    execute_with(conn, REFUSALS, SQL, &json_of(rows)).await
}

/// Lists refusals from one day to another, in no order.
pub async fn list_refusals(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
) -> Result<Vec<(RefusalKey, u64)>, DbError> {
    const SQL: &str = "select day, crawler, action, enforced, requests from policy_refusals \
         where domain_id = $1 and day between $2 and $3";
    let rows: Vec<(Day, String, String, bool, i64)> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(from).bind(to).fetch_all(c).await
    })?;
    let refusal = |(day, crawler, action, enforced, requests): (Day, String, String, bool, i64)| {
        // Actions of a newer version are left out.
        let (action, domain) = (PolicyAction::parse(&action)?, domain.clone());
        let key = RefusalKey { domain, day, crawler: Cow::Owned(crawler), action, enforced };
        Some((key, requests.unsigned_abs()))
    };
    Ok(rows.into_iter().filter_map(refusal).collect())
}
