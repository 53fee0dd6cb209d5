//! SQL of whole days, out of the database and into it.

use store::{Conn, DbError, on_engine};

use super::{add_days, add_times, add_visits, referrals::add_referrals};
use crate::analytics::model::Day;
use crate::analytics::stores::StoredDay;
use crate::domains::DomainId;

/// The days of which something is kept: every visit is counted in its day.
pub async fn list_kept_days(conn: &mut Conn, domain: &DomainId) -> Result<Vec<Day>, DbError> {
    const SQL: &str = "select day from visit_days where domain_id = $1 \
         union select day from visit_totals where domain_id = $1 \
         union select day from visit_referrals where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_all(c).await)?)
}

/// Deletes everything of a day but first days.
pub async fn delete_day(conn: &mut Conn, domain: &DomainId, day: Day) -> Result<(), DbError> {
    const STATEMENTS: [&str; 6] = [
        "delete from visit_open where domain_id = $1 and day = $2",
        "delete from visit_segments where domain_id = $1 and day = $2",
        "delete from visit_days where domain_id = $1 and day = $2",
        "delete from visit_totals where domain_id = $1 and day = $2",
        "delete from visit_times where domain_id = $1 and day = $2",
        "delete from visit_referrals where domain_id = $1 and day = $2",
    ];
    for sql in STATEMENTS {
        on_engine!(conn, |c| {
            sqlx::query(sql).bind(domain.as_str()).bind(day).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// Adds a whole day; its pages are open until it is closed.
pub async fn add_day(conn: &mut Conn, stored: &StoredDay) -> Result<(), DbError> {
    add_visits(conn, &stored.pages).await?;
    add_days(conn, &stored.days).await?;
    add_times(conn, &stored.times).await?;
    add_referrals(conn, &stored.referrals).await
}
