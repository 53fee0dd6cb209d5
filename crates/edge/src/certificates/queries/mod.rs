//! Queries of certificates on demand: `certificates`, `certificate_orders`, `certificate_attempts`, `acme_challenges`
//! and `acme_accounts`. Holds no rule: the limits are in `model`, sealing is the caller's.

use std::time::Duration;

use store::{Conn, DbError, on_engine};

use super::model::{LastHour, OrderKind, Validity};
use platform::clock::Timestamp;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A certificate as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredCertificate {
    /// Name of the certificate.
    pub host: String,
    /// Certificate and its intermediates, PEM.
    pub chain: String,
    /// Private key of the certificate, sealed.
    pub sealed_key: String,
    /// Start of validity, epoch milliseconds.
    pub not_before: i64,
    /// End of validity, epoch milliseconds.
    pub not_after: i64,
    /// Time of renewal, epoch milliseconds.
    pub renew_at: i64,
    /// True when the authority suggests the time of renewal.
    pub suggested: bool,
}

impl StoredCertificate {
    /// Returns the validity.
    pub fn validity(&self) -> Validity {
        let time = Timestamp::from_millis;
        Validity { from: time(self.not_before), until: time(self.not_after) }
    }
}

/// Outcome of an order.
#[derive(Debug, Clone, Copy)]
pub struct OrderEnd<'a> {
    /// Failures in a row, this one included; 0 after a success.
    pub failures: u64,
    /// Reason of the failure.
    pub error: Option<&'a str>,
    /// Earliest time of the name's next order.
    pub not_until: Timestamp,
    /// True when the domain was still pending.
    pub while_pending: bool,
}

/// A certificate that is due for renewal.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Due {
    /// Name of the certificate.
    pub host: String,
    /// Start of validity, epoch milliseconds.
    pub not_before: i64,
    /// End of validity, epoch milliseconds.
    pub not_after: i64,
}

impl Due {
    /// Returns the lifetime.
    pub fn life(&self) -> Duration {
        Timestamp::from_millis(self.not_after).since(Timestamp::from_millis(self.not_before))
    }
}

/// Time of renewal that the authority suggests for a certificate.
#[derive(Debug, Clone)]
pub struct Suggestion {
    /// Name of the certificate.
    pub host: String,
    /// End of validity of the certificate that the authority was asked for, epoch milliseconds.
    pub not_after: i64,
    /// Suggested time of renewal.
    pub renew_at: Timestamp,
    /// Time at which the authority is asked again.
    pub ask_at: Timestamp,
}

/// Challenge of a certificate authority.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Challenge {
    /// Last segment of the challenge's path.
    pub token: String,
    /// Name whose control is proven.
    pub host: String,
    /// Expected response to the challenge.
    pub proof: String,
}

/// Returns certificates by name, beginning with the first one after `after`.
pub async fn list_certificates(
    conn: &mut Conn,
    after: &str,
    limit: i64,
) -> Result<Vec<StoredCertificate>, DbError> {
    const SQL: &str =
        "select host, chain, sealed_key, not_before, not_after, renew_at, suggested from certificates
        where host > $1 order by host limit $2";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(after).bind(limit).fetch_all(c).await)?)
}

/// Returns the certificate of a name.
pub async fn find_certificate(conn: &mut Conn, host: &str) -> Result<Option<StoredCertificate>, DbError> {
    const SQL: &str =
        "select host, chain, sealed_key, not_before, not_after, renew_at, suggested from certificates
        where host = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(host).fetch_optional(c).await)?)
}

/// Returns certificates that are due for a kind of renewal, the most urgent first, without names that may not be ordered yet.
pub async fn list_due(
    conn: &mut Conn,
    kind: OrderKind,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<Due>, DbError> {
    const SQL: &str = "select c.host, c.not_before, c.not_after from certificates c
        left join certificate_orders o on o.host = c.host
        where c.renew_at <= $1 and c.suggested = $3 and (o.host is null or (o.not_until <= $1 and o.lease_until <= $1))
        order by c.not_after limit $2";
    let suggested = kind == OrderKind::Suggested;
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(now.as_millis())
        .bind(limit)
        .bind(suggested)
        .fetch_all(c)
        .await)?)
}

/// Returns unexpired certificates for which the authority is to be asked when to renew them, the longest overdue first.
pub async fn list_to_ask(
    conn: &mut Conn,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<StoredCertificate>, DbError> {
    const SQL: &str =
        "select host, chain, sealed_key, not_before, not_after, renew_at, suggested from certificates
        where ask_at <= $1 and not_after > $1 order by ask_at limit $2";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(now.as_millis()).bind(limit).fetch_all(c).await)?)
}

/// Sets the time at which the authority is asked again when to renew a certificate.
pub async fn postpone_asking(conn: &mut Conn, host: &str, until: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update certificates set ask_at = $2 where host = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(host).bind(until.as_millis()).execute(c).await.map(drop))?)
}

/// Stores the suggestion of the authority, unless the certificate was replaced meanwhile.
pub async fn save_suggestion(conn: &mut Conn, of: &Suggestion) -> Result<(), DbError> {
    const SQL: &str = "update certificates set renew_at = $3, ask_at = $4, suggested = true
        where host = $1 and not_after = $2";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(&of.host)
        .bind(of.not_after)
        .bind(of.renew_at.as_millis())
        .bind(of.ask_at.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Returns certificates with at most a fifth of their life left, the first to expire first.
pub async fn list_expiring(conn: &mut Conn, now: Timestamp, limit: i64) -> Result<Vec<Due>, DbError> {
    const SQL: &str = "select host, not_before, not_after from certificates
        where not_after > $1 and (not_after - $1) * 5 <= not_after - not_before order by not_after limit $2";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(now.as_millis()).bind(limit).fetch_all(c).await)?)
}

/// Stores a certificate in place of the previous one. The authority is asked at once when to renew the new one.
pub async fn save_certificate(
    conn: &mut Conn,
    new: &StoredCertificate,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str =
        "insert into certificates (host, chain, sealed_key, not_before, not_after, renew_at, updated_at, suggested)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (host) do update set chain = excluded.chain, sealed_key = excluded.sealed_key,
            not_before = excluded.not_before, not_after = excluded.not_after, renew_at = excluded.renew_at,
            suggested = excluded.suggested, ask_at = 0, updated_at = excluded.updated_at";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(&new.host)
        .bind(&new.chain)
        .bind(&new.sealed_key)
        .bind(new.not_before)
        .bind(new.not_after)
        .bind(new.renew_at)
        .bind(now.as_millis())
        .bind(new.suggested)
        .execute(c)
        .await
        .map(drop))?)
}

/// Sets the time at which a certificate is due again unless it is renewed before. Until then the authority is not asked.
pub async fn postpone_renewal(conn: &mut Conn, host: &str, until: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update certificates set renew_at = $2, ask_at = $2 where host = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(host).bind(until.as_millis()).execute(c).await.map(drop))?)
}

/// Acquires the lease of a name's order. Returns false when another process holds it, or when it is too early.
pub async fn take_lease(
    conn: &mut Conn,
    host: &str,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, DbError> {
    const MAKE: &str =
        "insert into certificate_orders (host, failures, not_until, lease_until) values ($1, 0, 0, 0)
        on conflict (host) do nothing";
    const TAKE: &str = "update certificate_orders set lease_holder = $2, lease_until = $4
        where host = $1 and not_until <= $3 and lease_until <= $3";
    on_engine!(conn, |c| sqlx::query(MAKE).bind(host).execute(c).await.map(drop))?;
    let taken = on_engine!(conn, |c| sqlx::query(TAKE)
        .bind(host)
        .bind(holder)
        .bind(now.as_millis())
        .bind(until.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(taken == 1)
}

/// Returns true while a process holds the lease of the name's order.
pub async fn is_leased(conn: &mut Conn, host: &str, now: Timestamp) -> Result<bool, DbError> {
    const SQL: &str = "select count(*) from certificate_orders where host = $1 and lease_until > $2";
    let (count,): (i64,) =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(host).bind(now.as_millis()).fetch_one(c).await)?;
    Ok(count > 0)
}

/// Releases the lease and stores the outcome of the order.
pub async fn end_lease(conn: &mut Conn, host: &str, holder: &str, end: OrderEnd<'_>) -> Result<(), DbError> {
    const SQL: &str = "update certificate_orders
        set failures = $3, last_error = $4, not_until = $5, while_pending = $6, lease_holder = null, lease_until = 0
        where host = $1 and lease_holder = $2";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(host)
        .bind(holder)
        .bind(i64::try_from(end.failures).unwrap_or(i64::MAX))
        .bind(end.error)
        .bind(end.not_until.as_millis())
        .bind(end.while_pending)
        .execute(c)
        .await
        .map(drop))?)
}

/// Resets the failures of a name from when it was pending: its records may not have led here yet.
pub async fn forget_pending_failures(conn: &mut Conn, host: &str) -> Result<(), DbError> {
    const SQL: &str = "update certificate_orders set failures = 0, not_until = 0, while_pending = false
        where host = $1 and while_pending and failures > 0";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(host).execute(c).await.map(drop))?)
}

/// Deletes the certificate and orders of a removed name.
pub async fn delete_name(conn: &mut Conn, host: &str) -> Result<(), DbError> {
    const CERTIFICATE: &str = "delete from certificates where host = $1";
    const ORDERS: &str = "delete from certificate_orders where host = $1";
    on_engine!(conn, |c| sqlx::query(CERTIFICATE).bind(host).execute(c).await.map(drop))?;
    Ok(on_engine!(conn, |c| sqlx::query(ORDERS).bind(host).execute(c).await.map(drop))?)
}

/// Returns the number of failures in a row of a name's orders.
pub async fn count_failures(conn: &mut Conn, host: &str) -> Result<u64, DbError> {
    const SQL: &str = "select failures from certificate_orders where host = $1";
    let row: Option<(i64,)> = on_engine!(conn, |c| sqlx::query_as(SQL).bind(host).fetch_optional(c).await)?;
    Ok(row.map_or(0, |(failures,)| u64::try_from(failures).unwrap_or(0)))
}

/// Counts the orders of the last hour.
pub async fn count_last_hour(conn: &mut Conn, account: &str, now: Timestamp) -> Result<LastHour, DbError> {
    const SQL: &str = "select coalesce(sum(case when renewal then 0 else 1 end), 0),
        coalesce(sum(case when account_id = $2 and not renewal then 1 else 0 end), 0),
        coalesce(sum(case when renewal then 1 else 0 end), 0),
        coalesce(sum(case when account_id = $2 and renewal then 1 else 0 end), 0)
        from certificate_attempts where at > $1";
    let since = now.minus(HOUR).as_millis();
    let (all, account, renewals, account_renewals): (i64, i64, i64, i64) =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(since).bind(account).fetch_one(c).await)?;
    let count = |number| u64::try_from(number).unwrap_or(0);
    Ok(LastHour {
        all: count(all),
        account: count(account),
        renewals: count(renewals),
        account_renewals: count(account_renewals),
    })
}

/// Records an order, and deletes records older than a day, which no limit counts.
pub async fn record_attempt(
    conn: &mut Conn,
    id: &str,
    host: &str,
    account: &str,
    kind: OrderKind,
    now: Timestamp,
) -> Result<(), DbError> {
    const ADD: &str =
        "insert into certificate_attempts (id, host, account_id, at, renewal) values ($1, $2, $3, $4, $5)";
    const FORGET: &str = "delete from certificate_attempts where at <= $1";
    on_engine!(conn, |c| sqlx::query(ADD)
        .bind(id)
        .bind(host)
        .bind(account)
        .bind(now.as_millis())
        .bind(kind == OrderKind::Renewal)
        .execute(c)
        .await
        .map(drop))?;
    let old = now.minus(DAY).as_millis();
    Ok(on_engine!(conn, |c| sqlx::query(FORGET).bind(old).execute(c).await.map(drop))?)
}

/// Stores a proof for all processes.
pub async fn save_challenge(
    conn: &mut Conn,
    token: &str,
    host: &str,
    key_authorization: &str,
    expires_at: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into acme_challenges (token, host, key_authorization, expires_at) values ($1, $2, $3, $4)
        on conflict (token) do update set key_authorization = excluded.key_authorization, expires_at = excluded.expires_at";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(token)
        .bind(host)
        .bind(key_authorization)
        .bind(expires_at.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Returns the proofs that have not expired, the latest first.
pub async fn list_challenges(conn: &mut Conn, now: Timestamp) -> Result<Vec<Challenge>, DbError> {
    const SQL: &str =
        "select token, host, key_authorization as proof from acme_challenges where expires_at > $1
        order by expires_at desc limit 1000";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(now.as_millis()).fetch_all(c).await)?)
}

/// Deletes the proofs of a name, and all expired ones.
pub async fn delete_challenges(conn: &mut Conn, host: &str, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "delete from acme_challenges where host = $1 or expires_at <= $2";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(host).bind(now.as_millis()).execute(c).await.map(drop))?)
}

/// Returns the sealed credentials of our account with a certificate authority.
pub async fn find_acme_account(conn: &mut Conn, directory_url: &str) -> Result<Option<String>, DbError> {
    const SQL: &str = "select sealed_credentials from acme_accounts where directory_url = $1";
    let row: Option<(String,)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(directory_url).fetch_optional(c).await)?;
    Ok(row.map(|(text,)| text))
}

/// Stores the credentials of our account with a certificate authority in place of earlier ones.
pub async fn save_acme_account(
    conn: &mut Conn,
    directory_url: &str,
    sealed: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str =
        "insert into acme_accounts (directory_url, sealed_credentials, created_at) values ($1, $2, $3)
        on conflict (directory_url) do update set sealed_credentials = excluded.sealed_credentials,
            created_at = excluded.created_at";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(directory_url)
        .bind(sealed)
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

#[cfg(test)]
mod tests;
