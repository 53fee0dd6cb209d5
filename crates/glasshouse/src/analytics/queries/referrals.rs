//! SQL of people who came from assistants.

use store::{Conn, DbError, on_engine};

use super::add_rows;
use crate::analytics::model::Day;
use crate::analytics::referrals::{ReferralCount, ReferralKey};
use crate::domains::DomainId;

/// Adds counts of people. Beyond 10,000 rows of a domain and day the pages are counted together: whoever makes addresses up
/// must not fill the database.
pub async fn add_referrals(conn: &mut Conn, rows: &[(ReferralKey, u64)]) -> Result<(), DbError> {
    const BEFORE: &str = "with v (domain_id, day, assistant, path, visits) as (";
    const AFTER: &str = "), bounded as (select domain_id, day, assistant, case when \
             (select count(*) from (select 1 from visit_referrals r \
                 where r.domain_id = v.domain_id and r.day = v.day limit 10000) full_day) < 10000 \
             or exists (select 1 from visit_referrals r where r.domain_id = v.domain_id and r.day = v.day \
                 and r.assistant = v.assistant and r.path = v.path) \
             then path else '(other)' end as path, visits from v) \
         insert into visit_referrals (domain_id, day, assistant, path, visits) \
         select domain_id, day, assistant, path, cast(sum(visits) as bigint) from bounded \
         where exists (select 1 from domains where domains.id = bounded.domain_id) \
         group by domain_id, day, assistant, path \
         on conflict (domain_id, day, assistant, path) do update set visits = visit_referrals.visits + excluded.visits";
    add_rows!(conn, rows, BEFORE, AFTER, |(key, visits)| {
        "text": key.domain.as_str().to_owned(),
        "bigint": key.day,
        "text": key.assistant.clone(),
        "text": key.path.to_string(),
        "bigint": *visits as i64,
    });
    Ok(())
}

/// People who came from assistants from one day to another, by assistant and page, in no order.
pub async fn list_referrals(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
) -> Result<Vec<ReferralCount>, DbError> {
    const SQL: &str = "select assistant, path, cast(sum(visits) as bigint) from visit_referrals \
         where domain_id = $1 and day between $2 and $3 group by assistant, path";
    let rows: Vec<(String, String, i64)> = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(domain.as_str())
        .bind(from)
        .bind(to)
        .fetch_all(c)
        .await)?;
    let count = |(assistant, path, visits): (String, String, i64)| ReferralCount {
        assistant,
        path,
        count: visits.unsigned_abs(),
    };
    Ok(rows.into_iter().map(count).collect())
}
