//! SQL of providers: failures in a row, the model that answered last, and parameters that models refuse.

use assistants::providers::Quirks;
use store::{Conn, DbError, on_engine};

use crate::clock::Timestamp;

/// State of a provider, over all processes.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ProviderStateRow {
    pub provider: String,
    /// Failed requests in a row, and those of them that refused the key.
    pub failures: i64,
    pub auth_failures: i64,
    /// Openings of the breaker in a row.
    pub openings: i64,
    /// Last failure since a success.
    pub error_code: String,
    pub error_detail: String,
    pub served_model: String,
    pub changed_at: i64,
}

pub async fn list_states(conn: &mut Conn) -> Result<Vec<ProviderStateRow>, DbError> {
    const SQL: &str =
        "select provider, failures, auth_failures, openings, error_code, error_detail, served_model,
        changed_at from mention_providers order by provider";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
}

/// Writes the state of a provider.
pub async fn put_state(conn: &mut Conn, state: &ProviderStateRow) -> Result<(), DbError> {
    const SQL: &str = "insert into mention_providers (provider, failures, auth_failures, openings, error_code, error_detail,
            served_model, changed_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (provider) do update set failures = excluded.failures, auth_failures = excluded.auth_failures,
            openings = excluded.openings, error_code = excluded.error_code, error_detail = excluded.error_detail,
            served_model = excluded.served_model, changed_at = excluded.changed_at";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(&state.provider)
        .bind(state.failures)
        .bind(state.auth_failures)
        .bind(state.openings)
        .bind(&state.error_code)
        .bind(&state.error_detail)
        .bind(&state.served_model)
        .bind(state.changed_at)
        .execute(c)
        .await
        .map(drop))?)
}

/// Lists what is known of models since a time: provider, base address and model, and the refused parameters.
pub async fn list_quirks(
    conn: &mut Conn,
    since: Timestamp,
) -> Result<Vec<(String, String, Quirks)>, DbError> {
    const SQL: &str = "select provider, model, quirks from mention_quirks where learnt_at > $1";
    let rows: Vec<(String, String, String)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(since.as_millis()).fetch_all(c).await)?;
    let read = |(provider, model, quirks): (String, String, String)| {
        // A newer version may know more parameters.
        Some((provider, model, serde_json::from_str(&quirks).ok()?))
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

/// Keeps the parameters that a model refuses.
pub async fn put_quirks(
    conn: &mut Conn,
    (provider, model): (&str, &str),
    quirks: &Quirks,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str =
        "insert into mention_quirks (provider, model, quirks, learnt_at) values ($1, $2, $3, $4)
        on conflict (provider, model) do update set quirks = excluded.quirks, learnt_at = excluded.learnt_at";
    let quirks = serde_json::to_string(quirks).expect("quirks are plain data");
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(provider)
        .bind(model)
        .bind(quirks)
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}
