//! SQL of weekly mails: the choice of each person, and the newest week that was mailed.

use store::{Conn, DbError, on_engine};

use super::people::read_domains;
use crate::model::PersonId;
use crate::people::SeenAccount;

pub async fn wants_weekly_mail(conn: &mut Conn, person: &PersonId) -> Result<bool, DbError> {
    const SQL: &str = "select weekly_mail from people where id = $1";
    let wants: Option<bool> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(person.as_str()).fetch_optional(c).await)?;
    Ok(wants.unwrap_or_default())
}

/// Sets a person's choice. The mail of the current week counts as sent.
pub async fn set_weekly_mail(
    conn: &mut Conn,
    person: &PersonId,
    is_wanted: bool,
    week: i64,
) -> Result<(), DbError> {
    const SQL: &str = "update people set weekly_mail = $2, weekly_mail_week = $3 where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(person.as_str())
        .bind(is_wanted)
        .bind(week)
        .execute(c)
        .await
        .map(drop))?)
}

/// Records that the mails of a week are sent, and lists the people who get one.
pub async fn take_weekly_mails(conn: &mut Conn, week: i64) -> Result<Vec<PersonId>, DbError> {
    const SQL: &str = "update people set weekly_mail_week = $1
         where weekly_mail = $2 and (weekly_mail_week is null or weekly_mail_week < $1) returning id";
    let ids: Vec<String> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(week).bind(true).fetch_all(c).await)?;
    Ok(ids.into_iter().map(PersonId::from).collect())
}

#[derive(sqlx::FromRow)]
struct ReaderRow {
    email: String,
    account_id: String,
    account_name: String,
    domains: Option<String>,
}

/// Finds the address of a person who wants weekly mails, and the active accounts that the person is in.
pub async fn find_weekly_reader(
    conn: &mut Conn,
    person: &PersonId,
) -> Result<(Option<String>, Vec<SeenAccount>), DbError> {
    const SQL: &str = "select p.email, a.id as account_id, a.email as account_name, m.domains
         from people p join memberships m on m.person_id = p.id join accounts a on a.id = m.account_id
         where p.id = $1 and p.weekly_mail = $2 and a.active = $2 order by a.email, a.id";
    let rows: Vec<ReaderRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(person.as_str()).bind(true).fetch_all(c).await)?;
    let email = rows.first().map(|row| row.email.clone());
    let seen = |row: ReaderRow| SeenAccount {
        id: row.account_id.into(),
        name: row.account_name,
        domains: row.domains.map(|domains| read_domains(&domains)),
    };
    Ok((email, rows.into_iter().map(seen).collect()))
}
