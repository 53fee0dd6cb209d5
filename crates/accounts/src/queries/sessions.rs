//! SQL of sessions, and of people as their sessions know them.

use store::{Conn, DbError, on_engine};

use super::people::read_domains;
use super::stored_plan;
use crate::keys::KeyHash;
use crate::model::{AccountId, Email, PersonId, SessionIdentity};
use platform::api::access::PersonRole;
use platform::clock::Timestamp;

/// Columns of [`IdentityRow`] without those of a session, from people `p`, memberships `m` and accounts `a`.
macro_rules! identity_columns {
    () => {
        "a.id as account_id, a.email as account_name, a.plan, a.active, p.id as person_id, p.email, p.totp_confirmed, \
         m.role, m.domains"
    };
}

#[derive(sqlx::FromRow)]
struct IdentityRow {
    account_id: String,
    account_name: String,
    plan: String,
    active: bool,
    person_id: String,
    email: String,
    totp_confirmed: bool,
    role: String,
    domains: Option<String>,
    csrf_token: String,
    last_seen_at: i64,
}

impl IdentityRow {
    fn read(self, is_stored: bool) -> SessionIdentity {
        SessionIdentity {
            account: self.account_id.into(),
            account_name: self.account_name,
            person: self.person_id.into(),
            email: self.email,
            role: PersonRole::stored(&self.role),
            domains: self.domains.map(|domains| read_domains(&domains)),
            second_factor: self.totp_confirmed,
            plan: stored_plan(&self.plan),
            active: self.active,
            csrf_token: self.csrf_token,
            is_stored,
        }
    }
}

/// Session that is to be stored.
pub struct SessionRow<'a> {
    pub hash: KeyHash,
    pub person: &'a PersonId,
    pub account: &'a AccountId,
    pub csrf_token: &'a str,
}

pub async fn insert_session(conn: &mut Conn, row: &SessionRow<'_>, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str =
        "insert into sessions (id_hash, person_id, account_id, csrf_token, created_at, last_seen_at)
         values ($1, $2, $3, $4, $5, $5)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(row.hash.to_hex())
        .bind(row.person.as_str())
        .bind(row.account.as_str())
        .bind(row.csrf_token)
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Finds a session that was used after `seen_after` and made after `made_after`, and when it was last seen. One in an account
/// that its person has left is none.
pub async fn find_session(
    conn: &mut Conn,
    hash: KeyHash,
    seen_after: Timestamp,
    made_after: Timestamp,
) -> Result<Option<(SessionIdentity, Timestamp)>, DbError> {
    const SQL: &str = concat!(
        "select ",
        identity_columns!(),
        ", s.csrf_token, s.last_seen_at from sessions s join people p on p.id = s.person_id
         join accounts a on a.id = s.account_id
         join memberships m on m.account_id = s.account_id and m.person_id = s.person_id
         where s.id_hash = $1 and s.last_seen_at > $2 and s.created_at > $3"
    );
    let row: Option<IdentityRow> = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(hash.to_hex())
        .bind(seen_after.as_millis())
        .bind(made_after.as_millis())
        .fetch_optional(c)
        .await)?;
    Ok(row.map(|row| {
        let seen = Timestamp::from_millis(row.last_seen_at);
        (row.read(true), seen)
    }))
}

/// Finds a person in the account that the person was seen in last. `csrf_token` becomes that of the identity.
pub async fn find_person(
    conn: &mut Conn,
    email: &Email,
    csrf_token: &str,
) -> Result<Option<SessionIdentity>, DbError> {
    const SQL: &str = concat!(
        "select ",
        identity_columns!(),
        ", $2 as csrf_token, cast(0 as bigint) as last_seen_at from people p join memberships m on m.person_id = p.id
         join accounts a on a.id = m.account_id where p.email = $1
         order by coalesce(m.last_seen_at, 0) desc, m.created_at, m.id limit 1"
    );
    let row: Option<IdentityRow> = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(email.as_str())
        .bind(csrf_token)
        .fetch_optional(c)
        .await)?;
    Ok(row.map(|row| row.read(false)))
}

/// Moves a session to another account.
pub async fn set_session_account(conn: &mut Conn, hash: KeyHash, account: &AccountId) -> Result<(), DbError> {
    const SQL: &str = "update sessions set account_id = $2 where id_hash = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(hash.to_hex())
        .bind(account.as_str())
        .execute(c)
        .await
        .map(drop))?)
}

pub async fn record_session_use(conn: &mut Conn, hash: KeyHash, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update sessions set last_seen_at = $2 where id_hash = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(hash.to_hex())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

pub async fn delete_session(conn: &mut Conn, hash: KeyHash) -> Result<(), DbError> {
    const SQL: &str = "delete from sessions where id_hash = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(hash.to_hex()).execute(c).await.map(drop))?)
}

pub async fn delete_sessions_of(conn: &mut Conn, person: &PersonId) -> Result<(), DbError> {
    const SQL: &str = "delete from sessions where person_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(person.as_str()).execute(c).await.map(drop))?)
}

/// Deletes the sessions that [`find_session`] would not find any more.
pub async fn delete_ended_sessions(
    conn: &mut Conn,
    seen_before: Timestamp,
    made_before: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "delete from sessions where last_seen_at <= $1 or created_at <= $2";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(seen_before.as_millis())
        .bind(made_before.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}
