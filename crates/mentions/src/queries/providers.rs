//! SQL of providers: failures in a row, the model that answered last, and parameters that models refuse.

use assistants::providers::Quirks;
use store::{Conn, DbError, on_engine};

use platform::clock::Timestamp;

/// State of a provider, over all processes.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ProviderStateRow {
    pub provider: String,
    /// Failed requests in a row, and those of them that refused the key.
    pub failures: i64,
    pub auth_failures: i64,
    /// Openings of the breaker in a row.
    pub openings: i64,
    /// Epoch milliseconds of the end of the breaker's last opening; 0: it never opened.
    pub open_until: i64,
    /// Last failure since a success.
    pub error_code: String,
    pub error_detail: String,
    pub served_model: String,
    pub changed_at: i64,
}

pub async fn list_states(conn: &mut Conn) -> Result<Vec<ProviderStateRow>, DbError> {
    const SQL: &str =
        "select provider, failures, auth_failures, openings, open_until, error_code, error_detail,
        served_model, changed_at from mention_providers order by provider";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
}

/// Records a failed request. Returns the state after it.
pub async fn record_failure(
    conn: &mut Conn,
    provider: &str,
    (is_auth, code, detail): (bool, &str, &str),
    now: Timestamp,
) -> Result<ProviderStateRow, DbError> {
    const SQL: &str = "insert into mention_providers (provider, failures, auth_failures, openings, open_until, error_code,
            error_detail, served_model, changed_at)
        values ($1, 1, $2, 0, 0, $3, $4, '', $5)
        on conflict (provider) do update set failures = mention_providers.failures + 1,
            auth_failures = case when $2 = 1 then mention_providers.auth_failures + 1 else 0 end,
            error_code = excluded.error_code, error_detail = excluded.error_detail, changed_at = excluded.changed_at
        returning provider, failures, auth_failures, openings, open_until, error_code, error_detail, served_model,
            changed_at";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(provider)
        .bind(i64::from(is_auth))
        .bind(code)
        .bind(detail)
        .bind(now.as_millis())
        .fetch_one(c)
        .await)?)
}

/// Records that the breaker of a provider is open until a time.
pub async fn record_opening(conn: &mut Conn, provider: &str, until: Timestamp) -> Result<(), DbError> {
    const SQL: &str =
        "update mention_providers set openings = openings + 1, open_until = $2 where provider = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(provider)
        .bind(until.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Records an answer: the failures before it are over. Returns the model that answered before it, when that was another.
pub async fn record_answer(
    conn: &mut Conn,
    provider: &str,
    served_model: &str,
    now: Timestamp,
) -> Result<Option<String>, DbError> {
    const FIND: &str = "select served_model from mention_providers where provider = $1";
    const SQL: &str = "insert into mention_providers (provider, failures, auth_failures, openings, open_until, error_code,
            error_detail, served_model, changed_at)
        values ($1, 0, 0, 0, 0, '', '', $2, $3)
        on conflict (provider) do update set failures = 0, auth_failures = 0, openings = 0, open_until = 0,
            error_code = '', error_detail = '', served_model = excluded.served_model, changed_at = excluded.changed_at
            where mention_providers.failures > 0 or mention_providers.served_model <> excluded.served_model";
    let before: Option<String> =
        on_engine!(conn, |c| sqlx::query_scalar(FIND).bind(provider).fetch_optional(c).await)?;
    on_engine!(conn, |c| sqlx::query(SQL)
        .bind(provider)
        .bind(served_model)
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?;
    Ok(before.filter(|model| !model.is_empty() && model != served_model))
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
