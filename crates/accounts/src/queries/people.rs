//! SQL of people, their memberships, invitations and second factors.

use store::{Conn, DbError, on_engine};

use crate::keys::KeyHash;
use crate::model::{AccountId, Email, PersonId};
use crate::people::{Invitation, MemberChange, MemberId, MemberInfo, MemberState, NewMember, PersonRecord};
use platform::api::access::PersonRole;
use platform::clock::Timestamp;

/// Parses a stored list of domains. One that cannot be read is empty: nobody may gain by it.
pub(super) fn read_domains(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}

fn stored_domains(domains: Option<&[String]>) -> Option<String> {
    domains.map(|domains| serde_json::Value::from(domains).to_string())
}

pub async fn insert_person(
    conn: &mut Conn,
    person: &PersonId,
    email: &Email,
    password_hash: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into people (id, email, password_hash, created_at, totp_confirmed)
         values ($1, $2, $3, $4, $5)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(person.as_str())
        .bind(email.as_str())
        .bind(password_hash)
        .bind(now.as_millis())
        .bind(false)
        .execute(c)
        .await
        .map(drop))?)
}

#[derive(sqlx::FromRow)]
struct PersonRow {
    id: String,
    password_hash: String,
    totp_secret: Option<String>,
    totp_confirmed: bool,
}

pub async fn find_person(conn: &mut Conn, email: &Email) -> Result<Option<PersonRecord>, DbError> {
    const SQL: &str = "select id, password_hash, totp_secret, totp_confirmed from people where email = $1";
    let row: Option<PersonRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(email.as_str()).fetch_optional(c).await)?;
    Ok(row.map(|row| PersonRecord {
        id: row.id.into(),
        password_hash: row.password_hash,
        totp_secret: row.totp_secret,
        totp_confirmed: row.totp_confirmed,
    }))
}

/// Sets a person's password; open links to another one end.
pub async fn set_password_hash(conn: &mut Conn, person: &PersonId, hash: &str) -> Result<(), DbError> {
    const SQL: &str = "update people set password_hash = $2, reset_hash = null where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(person.as_str()).bind(hash).execute(c).await.map(drop))?)
}

/// Deletes a person who is in no account any more.
pub async fn delete_if_alone(conn: &mut Conn, person: &PersonId) -> Result<(), DbError> {
    const SQL: &str = "delete from people where id = $1
         and not exists (select 1 from memberships where person_id = $1)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(person.as_str()).execute(c).await.map(drop))?)
}

// ---- Links to another password

pub async fn set_reset(
    conn: &mut Conn,
    person: &PersonId,
    hash: KeyHash,
    until: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "update people set reset_hash = $2, reset_until = $3 where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(person.as_str())
        .bind(hash.to_hex())
        .bind(until.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Returns true for a link to another password that works.
pub async fn has_reset(conn: &mut Conn, hash: KeyHash, now: Timestamp) -> Result<bool, DbError> {
    const SQL: &str = "select count(*) from people where reset_hash = $1 and reset_until > $2";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(hash.to_hex())
        .bind(now.as_millis())
        .fetch_one(c)
        .await)?;
    Ok(count > 0)
}

/// Takes a link to another password, once, and returns whose it is. None: it is unknown, used or has expired.
pub async fn take_reset(conn: &mut Conn, hash: KeyHash, now: Timestamp) -> Result<Option<PersonId>, DbError> {
    const SQL: &str =
        "update people set reset_hash = null where reset_hash = $1 and reset_until > $2 returning id";
    let id: Option<String> = on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(hash.to_hex())
        .bind(now.as_millis())
        .fetch_optional(c)
        .await)?;
    Ok(id.map(PersonId::from))
}

// ---- Second factors

/// Stores a second factor that is to be confirmed. Returns false while one is on.
pub async fn set_pending_totp(conn: &mut Conn, person: &PersonId, sealed: &str) -> Result<bool, DbError> {
    const SQL: &str = "update people set totp_secret = $2 where id = $1 and totp_confirmed = $3";
    let done = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(person.as_str())
        .bind(sealed)
        .bind(false)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(done > 0)
}

/// Turns the second factor on whose sealed secret this is. Returns false when one is on, or another one waits.
pub async fn confirm_totp(conn: &mut Conn, person: &PersonId, sealed: &str) -> Result<bool, DbError> {
    const SQL: &str = "update people set totp_confirmed = $3
         where id = $1 and totp_secret = $2 and totp_confirmed = $4";
    let done = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(person.as_str())
        .bind(sealed)
        .bind(true)
        .bind(false)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(done > 0)
}

/// Removes a second factor with its recovery codes.
pub async fn delete_totp(conn: &mut Conn, person: &PersonId) -> Result<(), DbError> {
    const SQL: &str = "update people set totp_secret = null, totp_confirmed = $2 where id = $1";
    const CODES: &str = "delete from recovery_codes where person_id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(person.as_str()).bind(false).execute(c).await.map(drop))?;
    Ok(on_engine!(conn, |c| sqlx::query(CODES).bind(person.as_str()).execute(c).await.map(drop))?)
}

/// Records that the code of a step was used. Returns false when it was used before.
pub async fn use_step(conn: &mut Conn, person: &PersonId, step: i64) -> Result<bool, DbError> {
    const OLD: &str = "delete from used_codes where person_id = $1 and step < $2";
    const SQL: &str = "insert into used_codes (person_id, step) values ($1, $2) on conflict do nothing";
    // A code is right for two steps after its own.
    on_engine!(conn, |c| sqlx::query(OLD).bind(person.as_str()).bind(step - 3).execute(c).await.map(drop))?;
    let done = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(person.as_str())
        .bind(step)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(done > 0)
}

pub async fn insert_recovery_code(conn: &mut Conn, person: &PersonId, hash: KeyHash) -> Result<(), DbError> {
    const SQL: &str = "insert into recovery_codes (person_id, hash) values ($1, $2)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(person.as_str())
        .bind(hash.to_hex())
        .execute(c)
        .await
        .map(drop))?)
}

pub async fn list_recovery_codes(conn: &mut Conn, person: &PersonId) -> Result<Vec<String>, DbError> {
    const SQL: &str = "select hash from recovery_codes where person_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(person.as_str()).fetch_all(c).await)?)
}

/// Deletes a recovery code. Returns false when there is none such.
pub async fn take_recovery_code(conn: &mut Conn, person: &PersonId, hash: &str) -> Result<bool, DbError> {
    const SQL: &str = "delete from recovery_codes where person_id = $1 and hash = $2";
    let done = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(person.as_str())
        .bind(hash)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(done > 0)
}

// ---- Memberships

pub async fn insert_member(
    conn: &mut Conn,
    account: &AccountId,
    member: &NewMember<'_>,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into memberships
         (id, account_id, email, person_id, role, domains, created_at, invitation_hash, invitation_until)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(member.id.as_str())
        .bind(account.as_str())
        .bind(member.email.as_str())
        .bind(member.person.map(PersonId::as_str))
        .bind(member.role.id())
        .bind(stored_domains(member.domains))
        .bind(now.as_millis())
        .bind(member.invitation.map(|(hash, _)| hash.to_hex()))
        .bind(member.invitation.map(|(_, until)| until.as_millis()))
        .execute(c)
        .await
        .map(drop))?)
}

#[derive(sqlx::FromRow)]
struct MemberRow {
    id: String,
    email: String,
    role: String,
    domains: Option<String>,
    person_id: Option<String>,
    totp_confirmed: bool,
    last_seen_at: Option<i64>,
}

/// Lists the people of an account, those who were invited among them, in the order in which they came.
pub async fn list_members(conn: &mut Conn, account: &AccountId) -> Result<Vec<MemberInfo>, DbError> {
    const SQL: &str = "select m.id, m.email, m.role, m.domains, m.person_id, m.last_seen_at,
         coalesce(p.totp_confirmed, $2) as totp_confirmed
         from memberships m left join people p on p.id = m.person_id
         where m.account_id = $1 order by m.created_at, m.id";
    let rows: Vec<MemberRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(account.as_str()).bind(false).fetch_all(c).await)?;
    let member = |row: MemberRow| MemberInfo {
        id: row.id.into(),
        email: row.email,
        role: PersonRole::stored(&row.role),
        domains: row.domains.map(|domains| read_domains(&domains)),
        state: if row.person_id.is_some() { MemberState::Active } else { MemberState::Invited },
        second_factor: row.totp_confirmed,
        last_seen_at: row.last_seen_at.map(Timestamp::from_millis),
        person: row.person_id.map(PersonId::from),
    };
    Ok(rows.into_iter().map(member).collect())
}

pub async fn update_member(conn: &mut Conn, member: &MemberId, change: &MemberChange) -> Result<(), DbError> {
    const SQL: &str = "update memberships set role = $2, domains = $3 where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(member.as_str())
        .bind(change.role.id())
        .bind(stored_domains(change.domains.as_deref()))
        .execute(c)
        .await
        .map(drop))?)
}

pub async fn delete_member(conn: &mut Conn, member: &MemberId) -> Result<(), DbError> {
    const SQL: &str = "delete from memberships where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(member.as_str()).execute(c).await.map(drop))?)
}

/// Replaces the link of an open invitation.
pub async fn set_invitation(
    conn: &mut Conn,
    member: &MemberId,
    (hash, until): (KeyHash, Timestamp),
) -> Result<(), DbError> {
    const SQL: &str = "update memberships set invitation_hash = $2, invitation_until = $3
         where id = $1 and person_id is null";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(member.as_str())
        .bind(hash.to_hex())
        .bind(until.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

#[derive(sqlx::FromRow)]
struct InvitationRow {
    id: String,
    account_id: String,
    email: String,
    is_person: bool,
}

/// Finds an open invitation by its link. Returns true beside it when its address is a person already.
pub async fn find_invitation(
    conn: &mut Conn,
    hash: KeyHash,
    now: Timestamp,
) -> Result<Option<(Invitation, bool)>, DbError> {
    // One statement, so that an invitation that is accepted meanwhile is not read as one of a person who must sign in.
    const SQL: &str = "select id, account_id, email,
             exists (select 1 from people p where p.email = memberships.email) as is_person
         from memberships where invitation_hash = $1 and invitation_until > $2 and person_id is null";
    let row: Option<InvitationRow> = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(hash.to_hex())
        .bind(now.as_millis())
        .fetch_optional(c)
        .await)?;
    Ok(row.and_then(|row| {
        let email = row.email.parse().ok()?;
        Some((Invitation { member: row.id.into(), account: row.account_id.into(), email }, row.is_person))
    }))
}

/// Takes an invitation for a person, once. Returns false when its link is not the newest any more.
pub async fn accept_invitation(
    conn: &mut Conn,
    hash: KeyHash,
    person: &PersonId,
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "update memberships set person_id = $2, invitation_hash = null, invitation_until = null, last_seen_at = $3
         where invitation_hash = $1 and invitation_until > $3 and person_id is null";
    let done = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(hash.to_hex())
        .bind(person.as_str())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(done > 0)
}

/// Lists the accounts of a person: id and name.
pub async fn list_accounts_of(conn: &mut Conn, person: &PersonId) -> Result<Vec<(String, String)>, DbError> {
    const SQL: &str = "select a.id, a.email from memberships m join accounts a on a.id = m.account_id
         where m.person_id = $1 order by a.email, a.id";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(person.as_str()).fetch_all(c).await)?)
}

/// Writes down when a person was seen in an account.
pub async fn record_seen(
    conn: &mut Conn,
    account: &AccountId,
    person: &PersonId,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "update memberships set last_seen_at = $3 where account_id = $1 and person_id = $2";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(account.as_str())
        .bind(person.as_str())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}
