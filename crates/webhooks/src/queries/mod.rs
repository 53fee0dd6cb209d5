//! SQL of webhooks, events and conditions; both engines run the same text. Addresses and secrets come sealed.

mod deliveries;

pub use deliveries::*;

use accounts::AccountId;
use platform::clock::Timestamp;
use store::{Conn, DbError, on_engine};

use crate::conditions::Condition;
use crate::model::{Webhook, WebhookFormat, WebhookId};

/// Row of a webhook. The address in `webhook` is sealed.
#[derive(Debug, Clone)]
pub struct WebhookRow {
    pub webhook: Webhook,
    pub account: AccountId,
    /// Sealed secret; none: the format has none.
    pub secret: Option<String>,
    pub previous_secret: Option<String>,
    pub previous_until: Option<Timestamp>,
    pub failing_since: Option<Timestamp>,
}

#[derive(sqlx::FromRow)]
struct RawWebhook {
    id: String,
    account_id: String,
    url: String,
    format: String,
    events: String,
    domains: String,
    enabled: bool,
    problem: Option<String>,
    secret: Option<String>,
    previous_secret: Option<String>,
    previous_until: Option<i64>,
    failing_since: Option<i64>,
    created_at: i64,
}

impl RawWebhook {
    /// Reads the row. None: a later version wrote it.
    fn read(self) -> Option<WebhookRow> {
        let webhook = Webhook {
            id: self.id.into(),
            url: self.url,
            format: WebhookFormat::stored(&self.format)?,
            events: serde_json::from_str(&self.events).ok()?,
            domains: serde_json::from_str(&self.domains).ok()?,
            enabled: self.enabled,
            problem: self.problem,
            created_at: Timestamp::from_millis(self.created_at),
        };
        Some(WebhookRow {
            webhook,
            account: self.account_id.into(),
            secret: self.secret,
            previous_secret: self.previous_secret,
            previous_until: self.previous_until.map(Timestamp::from_millis),
            failing_since: self.failing_since.map(Timestamp::from_millis),
        })
    }
}

fn list(values: &[String]) -> String {
    serde_json::to_string(values).expect("lists of texts are plain data")
}

/// Inserts a webhook, unless the account has `most`. Returns false then.
pub async fn insert_webhook(conn: &mut Conn, row: &WebhookRow, most: i64) -> Result<bool, DbError> {
    const SQL: &str = "insert into webhooks (id, account_id, url, format, events, domains, enabled, secret, created_at) \
         select $1, $2, $3, $4, $5, $6, $7, $8, $9 \
         where (select count(*) from webhooks where account_id = $2) < $10";
    let webhook = &row.webhook;
    let inserted = on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(webhook.id.as_str())
            .bind(row.account.as_str())
            .bind(&webhook.url)
            .bind(webhook.format.id())
            .bind(list(&webhook.events))
            .bind(list(&webhook.domains))
            .bind(webhook.enabled)
            .bind(row.secret.as_deref())
            .bind(webhook.created_at.as_millis())
            .bind(most)
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    })?;
    Ok(inserted > 0)
}

/// Lists the webhooks of an account, the oldest first.
pub async fn list_webhooks(conn: &mut Conn, account: &AccountId) -> Result<Vec<Webhook>, DbError> {
    const SQL: &str = "select id, account_id, url, format, events, domains, enabled, problem, secret, previous_secret, \
         previous_until, failing_since, created_at from webhooks where account_id = $1 order by created_at, id";
    let rows: Vec<RawWebhook> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(account.as_str()).fetch_all(c).await)?;
    Ok(rows.into_iter().filter_map(RawWebhook::read).map(|row| row.webhook).collect())
}

/// Lists the webhooks that are switched on, of all accounts.
pub async fn list_all_enabled(conn: &mut Conn) -> Result<Vec<(AccountId, Webhook)>, DbError> {
    const SQL: &str = "select id, account_id, url, format, events, domains, enabled, problem, secret, previous_secret, \
         previous_until, failing_since, created_at from webhooks where enabled";
    let rows: Vec<RawWebhook> = on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?;
    Ok(rows.into_iter().filter_map(RawWebhook::read).map(|row| (row.account, row.webhook)).collect())
}

pub async fn find_webhook(conn: &mut Conn, id: &WebhookId) -> Result<Option<WebhookRow>, DbError> {
    const SQL: &str = "select id, account_id, url, format, events, domains, enabled, problem, secret, previous_secret, \
         previous_until, failing_since, created_at from webhooks where id = $1";
    let row: Option<RawWebhook> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.and_then(RawWebhook::read))
}

/// Writes what may be changed of a webhook.
pub async fn update_webhook(conn: &mut Conn, row: &WebhookRow) -> Result<(), DbError> {
    const SQL: &str = "update webhooks set url = $2, events = $3, domains = $4, enabled = $5, problem = $6, \
         failing_since = $7, secret = $8, previous_secret = $9, previous_until = $10 where id = $1";
    let webhook = &row.webhook;
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(webhook.id.as_str())
            .bind(&webhook.url)
            .bind(list(&webhook.events))
            .bind(list(&webhook.domains))
            .bind(webhook.enabled)
            .bind(webhook.problem.as_deref())
            .bind(row.failing_since.map(Timestamp::as_millis))
            .bind(row.secret.as_deref())
            .bind(row.previous_secret.as_deref())
            .bind(row.previous_until.map(Timestamp::as_millis))
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

pub async fn delete_webhook(conn: &mut Conn, id: &WebhookId) -> Result<(), DbError> {
    const SQL: &str = "delete from webhooks where id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?;
    Ok(())
}

/// Records that a receiver took a message.
pub async fn record_success(conn: &mut Conn, id: &WebhookId) -> Result<(), DbError> {
    const SQL: &str = "update webhooks set failing_since = null where id = $1 and failing_since is not null";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?;
    Ok(())
}

/// Records that a receiver did not take a message. Returns the time of the first failure since the last success.
pub async fn record_failure(conn: &mut Conn, id: &WebhookId, now: Timestamp) -> Result<Timestamp, DbError> {
    const SQL: &str = "update webhooks set failing_since = coalesce(failing_since, $2) where id = $1 \
         returning failing_since";
    let since: Option<i64> = on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(id.as_str()).bind(now.as_millis()).fetch_optional(c).await
    })?;
    Ok(since.map_or(now, Timestamp::from_millis))
}

/// Switches a webhook off.
pub async fn switch_off(conn: &mut Conn, id: &WebhookId, problem: &str) -> Result<(), DbError> {
    const SQL: &str = "update webhooks set enabled = false, problem = $2 where id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).bind(problem).execute(c).await.map(drop))?;
    Ok(())
}

/// Inserts a condition. Returns false when it holds already.
pub async fn insert_condition(
    conn: &mut Conn,
    condition: &Condition<'_>,
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "insert into webhook_conditions (account_id, subject, kind, domain_id, since) \
         values ($1, $2, $3, $4, $5) on conflict do nothing";
    let inserted = on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(condition.account.as_str())
            .bind(subject_of(condition))
            .bind(condition.kind)
            .bind(condition.domain)
            .bind(now.as_millis())
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    })?;
    Ok(inserted > 0)
}

/// Deletes a condition. Returns false when it did not hold.
pub async fn delete_condition(conn: &mut Conn, condition: &Condition<'_>) -> Result<bool, DbError> {
    const SQL: &str = "delete from webhook_conditions where account_id = $1 and subject = $2 and kind = $3";
    let deleted = on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(condition.account.as_str())
            .bind(subject_of(condition))
            .bind(condition.kind)
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    })?;
    Ok(deleted > 0)
}

fn subject_of(condition: &Condition<'_>) -> String {
    format!("{}/{}", condition.domain.unwrap_or_default(), condition.subject)
}
