//! SQL of prompts and of the texts that their revisions asked.

use assistants::providers::{Persona, Provider};
use store::{Conn, DbError, on_engine};

use super::{locked, on_texts};
use crate::model::{MonitorInterval, Prompt, PromptId, PromptIntent};
use ::domains::DomainId;
use accounts::AccountId;
use platform::clock::Timestamp;

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "select id, account_id, domain_id, number, revision, prompt_text, intent, active, providers, tags, persona,
                monitor_interval, branded, created_at from mention_prompts where ",
            $condition
        )
    };
}

#[derive(sqlx::FromRow)]
struct PromptRow {
    id: String,
    account_id: String,
    domain_id: String,
    number: i64,
    revision: i64,
    prompt_text: String,
    intent: String,
    active: bool,
    providers: String,
    tags: String,
    persona: String,
    monitor_interval: String,
    branded: bool,
    created_at: i64,
}

impl PromptRow {
    /// Reads the prompt. Returns `None`, with a line in the log, when a newer version wrote it.
    fn read(self) -> Option<Prompt> {
        let id = self.id.clone();
        let prompt = self.parse();
        if prompt.is_none() {
            tracing::error!(prompt = id, "a prompt's row cannot be read: it is of a newer version");
        }
        prompt
    }

    fn parse(self) -> Option<Prompt> {
        Some(Prompt {
            id: PromptId::from(self.id),
            account: AccountId::from(self.account_id),
            domain: DomainId::from(self.domain_id),
            number: self.number,
            revision: self.revision,
            text: self.prompt_text,
            intent: PromptIntent::parse(&self.intent)?,
            is_active: self.active,
            providers: serde_json::from_str::<Vec<Provider>>(&self.providers).ok()?,
            tags: split_tags(&self.tags),
            persona: serde_json::from_str::<Persona>(&self.persona).ok()?,
            interval: MonitorInterval::parse(&self.monitor_interval)?,
            is_branded: self.branded,
            created_at: Timestamp::from_millis(self.created_at),
        })
    }
}

/// Reads tags as they are stored.
pub fn split_tags(tags: &str) -> Vec<String> {
    tags.split(',').filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

pub async fn insert_prompt(conn: &mut Conn, prompt: &Prompt) -> Result<(), DbError> {
    const SQL: &str = "insert into mention_prompts (id, account_id, domain_id, number, revision, prompt_text, intent, active,
            providers, tags, persona, monitor_interval, branded, created_at, updated_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(prompt.id.as_str())
            .bind(prompt.account.as_str())
            .bind(prompt.domain.as_str())
            .bind(prompt.number)
            .bind(prompt.revision)
            .bind(&prompt.text)
            .bind(prompt.intent.as_str())
            .bind(prompt.is_active)
            .bind(providers_json(prompt))
            .bind(prompt.tags.join(","))
            .bind(prompt.persona.to_json())
            .bind(prompt.interval.as_str())
            .bind(prompt.is_branded)
            .bind(prompt.created_at.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?;
    insert_question(conn, prompt).await
}

/// Writes a changed prompt. Its text and persona belong to its revision.
pub async fn update_prompt(conn: &mut Conn, prompt: &Prompt, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update mention_prompts set revision = $2, prompt_text = $3, intent = $4, active = $5, providers = $6,
            tags = $7, persona = $8, monitor_interval = $9, branded = $10, updated_at = $11 where id = $1";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(prompt.id.as_str())
            .bind(prompt.revision)
            .bind(&prompt.text)
            .bind(prompt.intent.as_str())
            .bind(prompt.is_active)
            .bind(providers_json(prompt))
            .bind(prompt.tags.join(","))
            .bind(prompt.persona.to_json())
            .bind(prompt.interval.as_str())
            .bind(prompt.is_branded)
            .bind(now.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?;
    insert_question(conn, prompt).await
}

fn providers_json(prompt: &Prompt) -> String {
    serde_json::to_string(&prompt.providers).expect("providers are plain data")
}

/// Keeps the text of a prompt's revision, unless it is kept already.
async fn insert_question(conn: &mut Conn, prompt: &Prompt) -> Result<(), DbError> {
    const SQL: &str = "insert into mention_questions (prompt_id, revision, domain_id, prompt_text, persona)
        values ($1, $2, $3, $4, $5) on conflict (prompt_id, revision) do nothing";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(prompt.id.as_str())
            .bind(prompt.revision)
            .bind(prompt.domain.as_str())
            .bind(&prompt.text)
            .bind(prompt.persona.to_json())
            .execute(c)
            .await
            .map(drop)
    })?)
}

/// Deletes a prompt. Its runs and the texts that they asked stay.
pub async fn delete_prompt(conn: &mut Conn, id: &PromptId) -> Result<bool, DbError> {
    const SQL: &str = "delete from mention_prompts where id = $1";
    let rows = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

pub async fn find_prompt(conn: &mut Conn, id: &str) -> Result<Option<Prompt>, DbError> {
    const SQL: &str = select!("id = $1");
    let row: Option<PromptRow> = on_engine!(conn, |c| sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?;
    Ok(row.and_then(PromptRow::read))
}

/// Finds a prompt that is about to be changed or deleted. Answers that are being counted for it are waited for.
pub async fn find_for_change(conn: &mut Conn, id: &PromptId) -> Result<Option<Prompt>, DbError> {
    let sql = locked(conn, select!("id = $1"), select!("id = $1 for update"));
    let row: Option<PromptRow> =
        on_engine!(conn, |c| sqlx::query_as(sql).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.and_then(PromptRow::read))
}

/// Lists the prompts of a domain, the oldest first.
pub async fn list_prompts(conn: &mut Conn, domain: &DomainId) -> Result<Vec<Prompt>, DbError> {
    const SQL: &str = select!("domain_id = $1 order by created_at, id");
    let rows: Vec<PromptRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_all(c).await)?;
    Ok(rows.into_iter().filter_map(PromptRow::read).collect())
}

/// Lists the prompts with these ids as they are.
pub async fn list_by_ids(conn: &mut Conn, ids: &[String]) -> Result<Vec<Prompt>, DbError> {
    let rows: Vec<PromptRow> = on_texts!(
        conn,
        sqlx::query_as,
        "select id, account_id, domain_id, number, revision, prompt_text, intent, active, providers, tags, persona,
            monitor_interval, branded, created_at from mention_prompts where id",
        "",
        ids,
        |query, c| query.fetch_all(c).await
    )?;
    Ok(rows.into_iter().filter_map(PromptRow::read).collect())
}

/// Lists the prompts with these ids; nobody deletes one of them until the transaction ends.
pub async fn hold_prompt(conn: &mut Conn, id: &PromptId) -> Result<Option<Prompt>, DbError> {
    let sql = locked(conn, select!("id = $1"), select!("id = $1 for key share"));
    let row: Option<PromptRow> =
        on_engine!(conn, |c| sqlx::query_as(sql).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.and_then(PromptRow::read))
}

/// Numbers of an account's prompts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PromptCounts {
    pub prompts: u64,
    pub active: u64,
}

pub async fn count_prompts(conn: &mut Conn, account: &AccountId) -> Result<PromptCounts, DbError> {
    const SQL: &str = "select count(*), coalesce(sum(case when active then 1 else 0 end), 0)
        from mention_prompts where account_id = $1";
    let (prompts, active): (i64, i64) =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(account.as_str()).fetch_one(c).await)?;
    Ok(PromptCounts { prompts: prompts.unsigned_abs(), active: active.unsigned_abs() })
}

/// Lists the oldest active prompts of an account.
pub async fn list_oldest_active(
    conn: &mut Conn,
    account: &AccountId,
    most: u64,
) -> Result<Vec<PromptId>, DbError> {
    const SQL: &str = "select id from mention_prompts where account_id = $1 and active
        order by created_at, id limit $2";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let ids: Vec<String> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(account.as_str()).bind(most).fetch_all(c).await)?;
    Ok(ids.into_iter().map(PromptId::from).collect())
}

/// Records for prompts whether their text names the own brand.
pub async fn set_branded(conn: &mut Conn, prompts: &[(PromptId, bool)]) -> Result<(), DbError> {
    const SQL: &str = "update mention_prompts set branded = $2 where id = $1 and branded <> $2";
    for (id, is_branded) in prompts {
        on_engine!(conn, |c| sqlx::query(SQL)
            .bind(id.as_str())
            .bind(*is_branded)
            .execute(c)
            .await
            .map(drop))?;
    }
    Ok(())
}

/// Finds text and persona of a prompt's revision.
pub async fn find_question(
    conn: &mut Conn,
    prompt: &PromptId,
    revision: i64,
) -> Result<Option<(String, Persona)>, DbError> {
    const SQL: &str =
        "select prompt_text, persona from mention_questions where prompt_id = $1 and revision = $2";
    let row: Option<(String, String)> = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(prompt.as_str())
        .bind(revision)
        .fetch_optional(c)
        .await)?;
    Ok(row.map(|(text, persona)| (text, serde_json::from_str(&persona).unwrap_or_default())))
}

/// Deletes some texts that no prompt and no run refers to any more. Returns their number.
pub async fn delete_unused_questions(conn: &mut Conn, most: i64) -> Result<u64, DbError> {
    const SQL: &str = "delete from mention_questions where (prompt_id, revision) in (
        select q.prompt_id, q.revision from mention_questions q
        where not exists (select 1 from mention_prompts p where p.id = q.prompt_id)
            and not exists (select 1 from mention_runs r where r.prompt_id = q.prompt_id)
        limit $1)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(most).execute(c).await.map(|done| done.rows_affected()))?)
}
