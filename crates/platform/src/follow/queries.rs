//! SQL of the table of changes, which triggers fill. Used by the follower only; both engines run the same text.

use store::{Conn, DbError, on_engine};

/// One change: of which kind of thing, and of which one.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Change {
    /// Counts up by one with every change.
    pub change: i64,
    pub kind: String,
    pub id: String,
}

/// Returns the number of the newest change.
pub async fn newest_change(conn: &mut Conn) -> Result<i64, DbError> {
    const SQL: &str = "select max(change) from changes";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).fetch_one(c).await)?)
}

/// Lists the changes from a number on, that one included if it is still kept, in their order.
pub async fn list_changes(conn: &mut Conn, from: i64) -> Result<Vec<Change>, DbError> {
    const SQL: &str = "select change, kind, id from changes where change >= $1 order by change";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(from).fetch_all(c).await)?)
}
