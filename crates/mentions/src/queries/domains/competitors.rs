//! SQL of competitors: those that a person entered, those that answers have found, and names that too few answers have.

use assistants::analysis::brand::{CompetitorProfile, CompetitorStatus, key};
use store::{Conn, DbError, on_engine};

use ::domains::DomainId;
use platform::clock::Timestamp;

/// Status of a competitor that too few answers have proposed.
const PENDING: &str = "pending";

#[derive(sqlx::FromRow)]
struct CompetitorRow {
    name: String,
    aliases: String,
    domains: String,
    status: String,
}

/// Position of competitors that answers have found: behind those of a saved profile, by name.
pub const FOUND_POSITION: usize = 1_000;

/// Lists the competitors of a domain that count, in the order in which they were saved; those that answers found come last.
pub async fn list_competitors(conn: &mut Conn, domain: &DomainId) -> Result<Vec<CompetitorProfile>, DbError> {
    const SQL: &str = "select name, aliases, domains, status from mention_competitors
        where domain_id = $1 and status <> 'pending' order by position, name_key";
    let rows: Vec<CompetitorRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_all(c).await)?;
    let read = |row: CompetitorRow| {
        let status = serde_json::from_value(serde_json::Value::String(row.status)).ok()?;
        Some(CompetitorProfile {
            name: row.name,
            aliases: serde_json::from_str(&row.aliases).unwrap_or_default(),
            domains: serde_json::from_str(&row.domains).unwrap_or_default(),
            status,
        })
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

/// Lists the names that answers have proposed and that do not count yet, by folded name.
pub async fn list_pending(conn: &mut Conn, domain: &DomainId) -> Result<Vec<String>, DbError> {
    const SQL: &str = "select name_key from mention_competitors where domain_id = $1 and status = 'pending'";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_all(c).await)?)
}

/// Replaces the competitors of a domain. Names that answers only proposed are forgotten too.
pub async fn replace_competitors(
    conn: &mut Conn,
    domain: &DomainId,
    competitors: &[CompetitorProfile],
    now: Timestamp,
) -> Result<(), DbError> {
    const DELETE: &str = "delete from mention_competitors where domain_id = $1";
    on_engine!(conn, |c| sqlx::query(DELETE).bind(domain.as_str()).execute(c).await.map(drop))?;
    for (position, competitor) in competitors.iter().enumerate() {
        insert_competitor(conn, domain, (competitor, position), now).await?;
    }
    Ok(())
}

/// Adds a competitor, or takes one that was pending.
pub async fn insert_competitor(
    conn: &mut Conn,
    domain: &DomainId,
    (competitor, position): (&CompetitorProfile, usize),
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "insert into mention_competitors
            (domain_id, name_key, name, aliases, domains, status, answers, created_at, position)
        values ($1, $2, $3, $4, $5, $6, 0, $7, $8)
        on conflict (domain_id, name_key) do update set name = excluded.name, aliases = excluded.aliases,
            domains = excluded.domains, status = excluded.status, position = excluded.position where mention_competitors.status = 'pending'";
    let list = |texts: &[String]| serde_json::to_string(texts).expect("texts are JSON");
    let rows = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(domain.as_str())
        .bind(key(&competitor.name))
        .bind(&competitor.name)
        .bind(list(&competitor.aliases))
        .bind(list(&competitor.domains))
        .bind(status_text(competitor.status))
        .bind(now.as_millis())
        .bind(position as i64)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

fn status_text(status: CompetitorStatus) -> &'static str {
    match status {
        CompetitorStatus::Tracked => "tracked",
        CompetitorStatus::Discovered => "discovered",
        CompetitorStatus::Ignored => "ignored",
    }
}

/// Counts an answer that proposed a name. Returns the number of answers that did, 0 for a name that is a competitor.
pub async fn propose_competitor(
    conn: &mut Conn,
    domain: &DomainId,
    name: &str,
    now: Timestamp,
) -> Result<i64, DbError> {
    const SQL: &str = "insert into mention_competitors (domain_id, name_key, name, aliases, domains, status, answers, created_at)
        values ($1, $2, $3, '[]', '[]', $4, 1, $5)
        on conflict (domain_id, name_key) do update set answers = mention_competitors.answers + 1
            where mention_competitors.status = 'pending'
        returning answers";
    let answers: Option<i64> = on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(domain.as_str())
        .bind(key(name))
        .bind(name)
        .bind(PENDING)
        .bind(now.as_millis())
        .fetch_optional(c)
        .await)?;
    Ok(answers.unwrap_or(0))
}

/// Deletes the oldest pending names of a domain beyond a number of them.
pub async fn trim_pending(conn: &mut Conn, domain: &DomainId, kept: i64) -> Result<(), DbError> {
    const SQL: &str =
        "delete from mention_competitors where domain_id = $1 and status = 'pending' and name_key in (
        select name_key from mention_competitors where domain_id = $1 and status = 'pending'
        order by answers desc, created_at desc limit 1000 offset $2)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(domain.as_str()).bind(kept).execute(c).await.map(drop))?)
}
