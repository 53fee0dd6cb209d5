//! SQL of the root files table. Used by the domains service only; both engines run the same text.

use store::{Conn, DbError, on_engine};

use crate::DomainId;

/// Finds the files of a domain, as JSON. Returns none when the files were never set.
pub async fn find_root_files(conn: &mut Conn, id: &DomainId) -> Result<Option<String>, DbError> {
    const SQL: &str = "select files from root_files where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(id.as_str()).fetch_optional(c).await)?)
}

/// Replaces the files of a domain.
pub async fn put_root_files(conn: &mut Conn, id: &DomainId, files: &str) -> Result<(), DbError> {
    const SQL: &str = "insert into root_files (domain_id, files) values ($1, $2) \
         on conflict (domain_id) do update set files = excluded.files";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).bind(files).execute(c).await.map(drop))?;
    Ok(())
}
