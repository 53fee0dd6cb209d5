//! SQL of the outcomes of renders by minute; both engines run the same text.

use store::{Conn, DbError, on_engine};

use domains::DomainId;

/// Renders of a minute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct MinuteOutcomes {
    pub tried: i64,
    pub failed: i64,
    /// Renders that succeeded after the last failure.
    pub since_failure: i64,
}

/// Adds renders of a minute.
pub async fn add_outcomes(
    conn: &mut Conn,
    (domain, minute): (&DomainId, i64),
    new: MinuteOutcomes,
) -> Result<(), DbError> {
    const SQL: &str = "insert into render_outcomes (domain_id, minute, tried, failed, since_failure) \
         select id, $2, $3, $4, $5 from domains where id = $1 and removed_at is null \
         on conflict (domain_id, minute) do update set tried = render_outcomes.tried + excluded.tried, \
         failed = render_outcomes.failed + excluded.failed, since_failure = excluded.since_failure + \
         case when excluded.failed = 0 then render_outcomes.since_failure else 0 end";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(domain.as_str())
            .bind(minute)
            .bind(new.tried)
            .bind(new.failed)
            .bind(new.since_failure)
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Sums up the renders since a minute: tried and failed.
pub async fn sum_outcomes(
    conn: &mut Conn,
    domain: &DomainId,
    since_minute: i64,
) -> Result<(i64, i64), DbError> {
    const SQL: &str = "select cast(coalesce(sum(tried), 0) as bigint), cast(coalesce(sum(failed), 0) as bigint) \
         from render_outcomes where domain_id = $1 and minute > $2";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(since_minute).fetch_one(c).await
    })?)
}

/// Lists the renders of the newest minutes that had any, the newest first.
pub async fn list_newest_outcomes(
    conn: &mut Conn,
    domain: &DomainId,
    most: i64,
) -> Result<Vec<MinuteOutcomes>, DbError> {
    const SQL: &str = "select tried, failed, since_failure from render_outcomes where domain_id = $1 \
         order by minute desc limit $2";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(most).fetch_all(c).await)?)
}

/// Deletes the renders of minutes before one.
pub async fn delete_outcomes_before(conn: &mut Conn, minute: i64) -> Result<(), DbError> {
    const SQL: &str = "delete from render_outcomes where minute < $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(minute).execute(c).await.map(drop))?;
    Ok(())
}
