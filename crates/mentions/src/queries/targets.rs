//! SQL of targets: the state of the schedule of each prompt at each provider.

use assistants::change::{DynamicState, Level};
use assistants::providers::Provider;
use serde::Serialize;
use store::{Conn, DbError, on_engine};

use super::{RowSet, locked, on_texts};
use crate::model::{PostponedRuns, PromptId, PromptTarget, RunReason};
use ::domains::DomainId;
use platform::clock::Timestamp;

const ROWS: RowSet = RowSet::new(
    "mention_targets",
    &[
        "prompt_id",
        "provider",
        "domain_id",
        "level",
        "calm",
        "samples",
        "ewma",
        "next_due",
        "last_ok",
        "last_attempt",
        "failures",
        "postponed",
        "postponed_samples",
    ],
);

macro_rules! select {
    ($condition:literal) => {
        concat!(select!(), $condition)
    };
    () => {
        "select prompt_id, provider, domain_id, level, calm, samples, ewma, next_due, last_ok, last_attempt, failures,
            postponed, postponed_samples from mention_targets where "
    };
}

#[derive(sqlx::FromRow, Serialize)]
struct TargetRow {
    prompt_id: String,
    provider: String,
    domain_id: String,
    level: i64,
    calm: i64,
    samples: i64,
    ewma: Option<f64>,
    next_due: Option<i64>,
    last_ok: Option<i64>,
    last_attempt: Option<i64>,
    failures: i64,
    postponed: String,
    postponed_samples: i64,
}

impl TargetRow {
    fn of(target: &PromptTarget) -> TargetRow {
        TargetRow {
            prompt_id: target.prompt.to_string(),
            provider: target.provider.to_string(),
            domain_id: target.domain.to_string(),
            level: target.dynamic.level.number().into(),
            calm: target.dynamic.calm.into(),
            samples: target.dynamic.samples.into(),
            ewma: target.dynamic.ewma,
            next_due: target.next_due.map(Timestamp::as_millis),
            last_ok: target.last_ok.map(Timestamp::as_millis),
            last_attempt: target.last_attempt.map(Timestamp::as_millis),
            failures: target.failures.into(),
            postponed: target.postponed.map_or_else(String::new, |runs| runs.reason.as_str().to_owned()),
            postponed_samples: target.postponed.map_or(0, |runs| runs.samples),
        }
    }

    /// Reads the target. Returns `None` for a provider that only a newer version knows.
    fn read(self) -> Option<PromptTarget> {
        let postponed = RunReason::parse(&self.postponed);
        Some(PromptTarget {
            prompt: PromptId::from(self.prompt_id),
            provider: self.provider.parse::<Provider>().ok()?,
            domain: DomainId::from(self.domain_id),
            dynamic: DynamicState {
                level: Level::new(u8::try_from(self.level).unwrap_or(u8::MAX)),
                calm: small(self.calm),
                samples: small(self.samples),
                ewma: self.ewma,
            },
            next_due: self.next_due.map(Timestamp::from_millis),
            last_ok: self.last_ok.map(Timestamp::from_millis),
            last_attempt: self.last_attempt.map(Timestamp::from_millis),
            failures: small(self.failures),
            postponed: postponed
                .map(|reason| PostponedRuns { reason, samples: self.postponed_samples.max(1) }),
        })
    }
}

fn small(number: i64) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

/// Writes targets, new ones and changed ones.
pub async fn put_targets(conn: &mut Conn, targets: &[PromptTarget]) -> Result<(), DbError> {
    const CONFLICT: &str = "on conflict (prompt_id, provider) do update set level = excluded.level, calm = excluded.calm,
        samples = excluded.samples, ewma = excluded.ewma, next_due = excluded.next_due, last_ok = excluded.last_ok,
        last_attempt = excluded.last_attempt, failures = excluded.failures, postponed = excluded.postponed,
        postponed_samples = excluded.postponed_samples";
    let rows: Vec<TargetRow> = targets.iter().map(TargetRow::of).collect();
    ROWS.insert(conn, &rows, CONFLICT).await.map(drop)
}

/// Lists the targets of prompts; in a transaction nobody else changes them until it ends.
pub async fn list_for_change(conn: &mut Conn, prompts: &[String]) -> Result<Vec<PromptTarget>, DbError> {
    const SQLITE: &str =
        select!("prompt_id in (select value from json_each($1)) order by prompt_id, provider");
    const POSTGRES: &str = select!("prompt_id = any($1) order by prompt_id, provider for update");
    let rows: Vec<TargetRow> = match conn.raw() {
        store::EngineConn::Sqlite(c) => {
            let prompts = serde_json::to_string(prompts).expect("texts are JSON");
            store::time_limited(sqlx::query_as(SQLITE).bind(prompts).fetch_all(c)).await?
        }
        store::EngineConn::Postgres(c) => {
            store::time_limited(sqlx::query_as(POSTGRES).bind(prompts).fetch_all(c)).await?
        }
    };
    Ok(rows.into_iter().filter_map(TargetRow::read).collect())
}

/// Lists some targets that are due, those first that have been due longest; nobody else gets them until the transaction
/// ends.
pub async fn list_due(conn: &mut Conn, now: Timestamp, most: i64) -> Result<Vec<PromptTarget>, DbError> {
    let sql = locked(
        conn,
        select!("next_due <= $1 order by next_due, prompt_id, provider limit $2"),
        select!("next_due <= $1 order by next_due, prompt_id, provider limit $2 for update skip locked"),
    );
    let rows: Vec<TargetRow> =
        on_engine!(conn, |c| sqlx::query_as(sql).bind(now.as_millis()).bind(most).fetch_all(c).await)?;
    Ok(rows.into_iter().filter_map(TargetRow::read).collect())
}

/// Targets that are due again later than any interval allows were planned by a clock that was ahead: they are due at once.
pub async fn bring_forward(conn: &mut Conn, horizon: Timestamp, now: Timestamp) -> Result<u64, DbError> {
    const SQL: &str = "update mention_targets set next_due = $2 where next_due > $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(horizon.as_millis())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Deletes the targets of a prompt, or those of some providers.
pub async fn delete_targets(
    conn: &mut Conn,
    prompt: &PromptId,
    providers: Option<&[String]>,
) -> Result<(), DbError> {
    const ALL: &str = "delete from mention_targets where prompt_id = $1";
    match providers {
        None => {
            on_engine!(conn, |c| sqlx::query(ALL).bind(prompt.as_str()).execute(c).await.map(drop))?;
        }
        Some(providers) => {
            on_texts!(
                conn,
                sqlx::query,
                "delete from mention_targets where prompt_id = $2 and provider",
                "",
                providers,
                |query, c| query.bind(prompt.as_str()).execute(c).await.map(drop)
            )?;
        }
    }
    Ok(())
}

/// Lists the next slot of each provider of a prompt.
pub async fn list_of_prompt(conn: &mut Conn, prompt: &PromptId) -> Result<Vec<PromptTarget>, DbError> {
    const SQL: &str = select!("prompt_id = $1 order by provider");
    let rows: Vec<TargetRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(prompt.as_str()).fetch_all(c).await)?;
    Ok(rows.into_iter().filter_map(TargetRow::read).collect())
}
