//! SQL of public tokens. Only their hashes are stored.

use store::{Conn, DbError, Engine, on_engine};

use domains::DomainId;
use platform::clock::Timestamp;

/// Locks the tokens of a domain until the transaction ends, since concurrent transactions do not see each other's new token.
pub async fn lock(conn: &mut Conn, domain: &DomainId) -> Result<(), DbError> {
    // SQLite has one writer.
    if conn.engine() == Engine::Postgres {
        const SQL: &str = "select pg_advisory_xact_lock(hashtextextended($1, 11))";
        on_engine!(conn, |c| sqlx::query(SQL).bind(domain.as_str()).execute(c).await.map(drop))?;
    }
    Ok(())
}

/// Stores a new token of a domain and ends the one before it.
pub async fn insert_token(
    conn: &mut Conn,
    domain: &DomainId,
    hash: &str,
    last4: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into stats_tokens (hash, domain_id, last4, created_at) values ($1, $2, $3, $4)";
    revoke_token(conn, domain, now).await?;
    on_engine!(conn, |c| {
        let query = sqlx::query(SQL).bind(hash).bind(domain.as_str()).bind(last4).bind(now.as_millis());
        query.execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Ends the token of a domain. Returns false when there was none.
pub async fn revoke_token(conn: &mut Conn, domain: &DomainId, now: Timestamp) -> Result<bool, DbError> {
    const SQL: &str = "update stats_tokens set revoked_at = $2 where domain_id = $1 and revoked_at is null";
    let changed = on_engine!(conn, |c| {
        let query = sqlx::query(SQL).bind(domain.as_str()).bind(now.as_millis());
        query.execute(c).await.map(|done| done.rows_affected())
    });
    Ok(changed? > 0)
}

/// Finds the last four characters of a domain's token, and the time at which the token was made.
pub async fn find_token_of(
    conn: &mut Conn,
    domain: &DomainId,
) -> Result<Option<(String, Timestamp)>, DbError> {
    const SQL: &str = "select last4, created_at from stats_tokens where domain_id = $1 and revoked_at is null \
         order by created_at desc limit 1";
    let row: Option<(String, i64)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_optional(c).await)?;
    Ok(row.map(|(last4, at)| (last4, Timestamp::from_millis(at))))
}

/// Finds the domain of a token, and decides whether the token still opens it.
pub async fn find_token(conn: &mut Conn, hash: &str) -> Result<Option<(DomainId, bool)>, DbError> {
    const SQL: &str = "select domain_id, revoked_at is null from stats_tokens where hash = $1";
    let row: Option<(String, bool)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(hash).fetch_optional(c).await)?;
    Ok(row.map(|(domain, is_open)| (DomainId::from(domain.as_str()), is_open)))
}

/// Deletes the tokens of a domain.
pub async fn delete_tokens(conn: &mut Conn, domain: &DomainId) -> Result<(), DbError> {
    const SQL: &str = "delete from stats_tokens where domain_id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(domain.as_str()).execute(c).await.map(drop))?;
    Ok(())
}
