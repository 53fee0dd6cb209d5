//! SQL of events and deliveries. Lists are read in bounded parts; what concerns all waiting deliveries is one statement.

use platform::clock::Timestamp;
use store::{Conn, DbError, on_engine};

use crate::model::{DeliveryId, DeliveryState, WebhookId};

/// Row of an event.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoredEvent {
    pub id: String,
    pub account_id: String,
    #[sqlx(rename = "type")]
    pub name: String,
    pub domain: Option<String>,
    pub data: String,
    pub created_at: i64,
}

/// A delivery that is to be inserted.
pub struct NewDelivery<'a> {
    pub id: DeliveryId,
    pub webhook: &'a WebhookId,
    pub event: &'a StoredEvent,
    pub is_single: bool,
}

/// Row of a delivery with its event.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct DeliveryRow {
    pub id: String,
    pub webhook_id: String,
    pub event_id: String,
    pub state: String,
    pub round: i64,
    pub tries: i64,
    pub first_try_at: Option<i64>,
    pub attempts: String,
    pub created_at: i64,
    #[sqlx(rename = "type")]
    pub name: String,
    pub domain: Option<String>,
    pub data: String,
    pub event_created_at: i64,
}

/// Inserts an event. Returns false when there is one with its id.
pub async fn insert_event(conn: &mut Conn, event: &StoredEvent) -> Result<bool, DbError> {
    const SQL: &str = "insert into webhook_events (id, account_id, type, domain, data, created_at) \
         values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing";
    let inserted = on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(&event.id)
            .bind(&event.account_id)
            .bind(&event.name)
            .bind(event.domain.as_deref())
            .bind(&event.data)
            .bind(event.created_at)
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    })?;
    Ok(inserted > 0)
}

pub async fn insert_delivery(conn: &mut Conn, delivery: &NewDelivery<'_>) -> Result<(), DbError> {
    // A webhook that was deleted meanwhile gets nothing.
    const SQL: &str = "insert into webhook_deliveries \
         (id, webhook_id, event_id, domain, state, is_single, round, tries, attempts, created_at) \
         select $1, id, $3, $4, 'waiting', $5, 0, 0, '[]', $6 from webhooks where id = $2";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(delivery.id.as_str())
            .bind(delivery.webhook.as_str())
            .bind(&delivery.event.id)
            .bind(delivery.event.domain.as_deref().unwrap_or_default())
            .bind(delivery.is_single)
            .bind(delivery.event.created_at)
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

pub async fn find_delivery(conn: &mut Conn, id: &DeliveryId) -> Result<Option<DeliveryRow>, DbError> {
    const SQL: &str = "select d.id, d.webhook_id, d.event_id, d.state, d.round, d.tries, d.first_try_at, d.attempts, \
         d.created_at, e.type, e.domain, e.data, e.created_at as event_created_at \
         from webhook_deliveries d join webhook_events e on e.id = d.event_id where d.id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?)
}

/// Lists deliveries of a webhook, the newest first.
pub async fn list_deliveries(
    conn: &mut Conn,
    webhook: &WebhookId,
    (limit, offset): (i64, i64),
) -> Result<Vec<DeliveryRow>, DbError> {
    const SQL: &str = "select d.id, d.webhook_id, d.event_id, d.state, d.round, d.tries, d.first_try_at, d.attempts, \
         d.created_at, e.type, e.domain, e.data, e.created_at as event_created_at \
         from webhook_deliveries d join webhook_events e on e.id = d.event_id where d.webhook_id = $1 \
         order by d.created_at desc, d.id desc limit $2 offset $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(webhook.as_str()).bind(limit).bind(offset).fetch_all(c).await
    })?)
}

pub async fn count_deliveries(conn: &mut Conn, webhook: &WebhookId) -> Result<i64, DbError> {
    const SQL: &str = "select count(*) from webhook_deliveries where webhook_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(webhook.as_str()).fetch_one(c).await)?)
}

/// Puts a delivery back to be sent by itself. Returns its new round; none: the webhook has no such delivery.
pub async fn restart(
    conn: &mut Conn,
    (webhook, id): (&WebhookId, &DeliveryId),
) -> Result<Option<i64>, DbError> {
    const SQL: &str = "update webhook_deliveries set state = 'waiting', is_single = true, round = round + 1, tries = 0, \
         first_try_at = null, message = null, ended_at = null where id = $1 and webhook_id = $2 returning round";
    Ok(on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(id.as_str()).bind(webhook.as_str()).fetch_optional(c).await
    })?)
}

/// Outcome of an attempt, as it is written to deliveries.
pub struct AttemptOutcome {
    pub state: DeliveryState,
    /// JSON object of the attempt.
    pub attempt: String,
    pub now: Timestamp,
}

/// The text of a list of attempts with one more.
macro_rules! with_attempt {
    () => {
        "attempts = case when attempts = '[]' then '[' || $2 || ']' \
         else substr(attempts, 1, length(attempts) - 1) || ',' || $2 || ']' end"
    };
}

/// Writes the outcome of an attempt at a delivery, unless it was asked for again meanwhile.
pub async fn record_attempt(
    conn: &mut Conn,
    (id, round): (&DeliveryId, i64),
    outcome: &AttemptOutcome,
) -> Result<(), DbError> {
    const SQL: &str = concat!(
        "update webhook_deliveries set ",
        with_attempt!(),
        ", state = $3, tries = tries + 1, first_try_at = coalesce(first_try_at, $4), \
         ended_at = case when $3 = 'waiting' then null else $4 end where id = $1 and round = $5"
    );
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(id.as_str())
            .bind(&outcome.attempt)
            .bind(outcome.state.id())
            .bind(outcome.now.as_millis())
            .bind(round)
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Ends a delivery that is not sent any more.
pub async fn fail(conn: &mut Conn, id: &DeliveryId, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str =
        "update webhook_deliveries set state = 'failed', ended_at = $2 where id = $1 and state = 'waiting'";
    on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?;
    Ok(())
}

// ---- Deliveries that are gathered

/// Returns the time of the newest gathered message of a webhook about a domain.
pub async fn find_last_message(
    conn: &mut Conn,
    webhook: &WebhookId,
    domain: &str,
) -> Result<Option<Timestamp>, DbError> {
    const SQL: &str = "select max(ended_at) from webhook_deliveries \
         where webhook_id = $1 and domain = $2 and state = 'delivered' and not is_single";
    let at: Option<i64> = on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(webhook.as_str()).bind(domain).fetch_one(c).await
    })?;
    Ok(at.map(Timestamp::from_millis))
}

/// Puts all waiting deliveries of a webhook about a domain into a message. Returns how many there are.
pub async fn gather(
    conn: &mut Conn,
    (webhook, domain): (&WebhookId, &str),
    message: &str,
) -> Result<u64, DbError> {
    const SQL: &str = "update webhook_deliveries set message = $3 \
         where webhook_id = $1 and domain = $2 and state = 'waiting' and not is_single";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(webhook.as_str())
            .bind(domain)
            .bind(message)
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    })?)
}

/// Lists the oldest events of a message: names, data, and the number of their attempts.
pub async fn list_gathered(
    conn: &mut Conn,
    message: &str,
    most: i64,
) -> Result<Vec<(String, String, i64)>, DbError> {
    const SQL: &str = "select e.type, e.data, d.tries from webhook_deliveries d \
         join webhook_events e on e.id = d.event_id where d.message = $1 order by d.created_at, d.id limit $2";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(message).bind(most).fetch_all(c).await)?)
}

/// Writes the outcome of an attempt at a message to all its deliveries. Those that were first tried before `tried_since` fail.
pub async fn record_gathered(
    conn: &mut Conn,
    message: &str,
    outcome: &AttemptOutcome,
    tried_since: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = concat!(
        "update webhook_deliveries set ",
        with_attempt!(),
        ", state = case when $3 = 'waiting' and first_try_at <= $5 then 'failed' else $3 end, \
         tries = tries + 1, first_try_at = coalesce(first_try_at, $4), \
         ended_at = case when $3 = 'waiting' and (first_try_at is null or first_try_at > $5) then null else $4 end \
         where message = $1 and state = 'waiting' and not is_single"
    );
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(message)
            .bind(&outcome.attempt)
            .bind(outcome.state.id())
            .bind(outcome.now.as_millis())
            .bind(tried_since.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Ends all waiting deliveries of a webhook about a domain.
pub async fn fail_gathered(
    conn: &mut Conn,
    (webhook, domain): (&WebhookId, &str),
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "update webhook_deliveries set state = 'failed', ended_at = $3 \
         where webhook_id = $1 and domain = $2 and state = 'waiting' and not is_single";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(webhook.as_str()).bind(domain).bind(now.as_millis()).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Deletes some events that are older than a time, with their deliveries. Returns how many.
pub async fn delete_some_before(conn: &mut Conn, time: Timestamp, most: i64) -> Result<u64, DbError> {
    const SQL: &str = "delete from webhook_events where id in \
         (select id from webhook_events where created_at < $1 order by created_at limit $2)";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL).bind(time.as_millis()).bind(most).execute(c).await.map(|done| done.rows_affected())
    })?)
}
