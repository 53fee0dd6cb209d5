//! SQL of views. Used by the views' service only; both engines run the same text.

use store::{Conn, DbError, on_engine};

use super::model::{ViewError, ViewId, ViewState};
use accounts::AccountId;
use domains::DomainId;
use platform::clock::Timestamp;

/// A view without what it shows.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ViewRow {
    pub id: String,
    pub account_id: String,
    pub domain_id: String,
    pub path: String,
    pub url: String,
    pub width: i64,
    pub state: String,
    pub error: Option<String>,
    pub month: String,
    pub created_at: i64,
    pub expires_at: i64,
}

/// Name of a view's objects.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ViewName {
    pub id: String,
    pub domain_id: String,
}

pub async fn insert_view(conn: &mut Conn, row: &ViewRow) -> Result<(), DbError> {
    const SQL: &str = "insert into views (id, account_id, domain_id, path, url, width, state, error, month, created_at, \
         expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(&row.id)
            .bind(&row.account_id)
            .bind(&row.domain_id)
            .bind(&row.path)
            .bind(&row.url)
            .bind(row.width)
            .bind(&row.state)
            .bind(row.error.as_deref())
            .bind(&row.month)
            .bind(row.created_at)
            .bind(row.expires_at)
            .execute(c)
            .await
            .map(drop)
    })?)
}

/// Counts the views of an account that are being taken and were asked for since a time.
pub async fn count_running(conn: &mut Conn, account: &AccountId, since: Timestamp) -> Result<i64, DbError> {
    const SQL: &str =
        "select count(*) from views where account_id = $1 and state = 'running' and created_at > $2";
    Ok(on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(account.as_str()).bind(since.as_millis()).fetch_one(c).await
    })?)
}

pub async fn find_view(conn: &mut Conn, id: &ViewId) -> Result<Option<ViewRow>, DbError> {
    const SQL: &str = "select id, account_id, domain_id, path, url, width, state, error, month, created_at, expires_at \
         from views where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?)
}

/// Returns the newest view of a page that has not expired.
pub async fn find_newest(
    conn: &mut Conn,
    domain: &DomainId,
    path: &str,
    now: Timestamp,
) -> Result<Option<ViewRow>, DbError> {
    const SQL: &str = "select id, account_id, domain_id, path, url, width, state, error, month, created_at, expires_at \
         from views where domain_id = $1 and path = $2 and expires_at > $3 order by created_at desc, id desc limit 1";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(path).bind(now.as_millis()).fetch_optional(c).await
    })?)
}

/// Ends a view that is being taken. Returns false when it is over or gone.
pub async fn end_view(
    conn: &mut Conn,
    id: &ViewId,
    state: ViewState,
    error: Option<ViewError>,
) -> Result<bool, DbError> {
    const SQL: &str = "update views set state = $2, error = $3 where id = $1 and state = 'running'";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(id.as_str())
            .bind(state.as_str())
            .bind(error.map(ViewError::as_str))
            .execute(c)
            .await
            .map(|done| done.rows_affected() > 0)
    })?)
}

/// Deletes a domain's views beyond the newest ones.
pub async fn delete_oldest(conn: &mut Conn, domain: &DomainId, kept: i64) -> Result<Vec<ViewName>, DbError> {
    const SQL: &str = "delete from views where domain_id = $1 and id not in \
         (select id from views where domain_id = $1 order by created_at desc, id desc limit $2) \
         returning id, domain_id";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(kept).fetch_all(c).await)?)
}

pub async fn delete_expired(conn: &mut Conn, now: Timestamp, most: i64) -> Result<Vec<ViewName>, DbError> {
    const SQL: &str = "delete from views where id in \
         (select id from views where expires_at <= $1 order by expires_at limit $2) returning id, domain_id";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(now.as_millis()).bind(most).fetch_all(c).await)?)
}

/// Deletes all views of a domain.
pub async fn delete_of_domain(conn: &mut Conn, domain: &DomainId) -> Result<(), DbError> {
    const SQL: &str = "delete from views where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(domain.as_str()).execute(c).await.map(drop))?)
}
