//! SQL of audit settings.

use store::{Conn, DbError, on_engine};

use crate::auditing::Auditing;
use domains::DomainId;
use platform::clock::Timestamp;

/// Finds the audit settings of a domain, with its sealed credentials.
pub async fn find_settings(
    conn: &mut Conn,
    domain: &DomainId,
) -> Result<Option<(Auditing, Option<String>)>, DbError> {
    const SQL: &str = "select settings, sealed from audit_settings where domain_id = $1";
    let row: Option<(String, Option<String>)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_optional(c).await)?;
    Ok(row.map(|(settings, sealed)| (serde_json::from_str(&settings).unwrap_or_default(), sealed)))
}

/// Makes changes to how one domain is audited wait for each other. `false`: the domain is gone.
pub async fn lock_settings(conn: &mut Conn, domain: &DomainId, now: Timestamp) -> Result<bool, DbError> {
    const SQL: &str = "insert into audit_settings (domain_id, settings, updated_at) \
         select cast($1 as text), '{}', cast($2 as bigint) \
         where exists (select 1 from domains where id = $1 and removed_at is null) \
         on conflict (domain_id) do update set updated_at = excluded.updated_at";
    let changed = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(domain.as_str())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()));
    Ok(changed? > 0)
}

/// Writes how a domain is audited.
pub async fn save_settings(
    conn: &mut Conn,
    domain: &DomainId,
    auditing: &Auditing,
    sealed: Option<&str>,
) -> Result<(), DbError> {
    const SQL: &str = "update audit_settings set settings = $2, sealed = $3 where domain_id = $1";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(domain.as_str())
            .bind(serde_json::to_string(auditing).expect("settings are plain data"))
            .bind(sealed)
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}
