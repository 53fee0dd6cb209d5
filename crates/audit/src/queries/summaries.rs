//! SQL of runs in a few numbers, for lists that must not read reports of a megabyte each.

use audit_engine::engine::BotAccess;
use serde::{Deserialize, Serialize};
use store::{Conn, DbError, on_engine};

use crate::model::{Outcome, Run, RunId, RunReport};
use accounts::AccountId;
use domains::DomainId;
use platform::clock::Timestamp;

/// A run with results, in a few numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    pub id: RunId,
    pub domain: DomainId,
    pub completed_at: Timestamp,
    /// 0 to 100.
    pub health_score: f64,
    /// Change of the health since the run with results before. None: there is none.
    pub delta_health: Option<f64>,
    pub facts: ReportFacts,
}

/// Numbers of a run's report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportFacts {
    /// Findings of severity error.
    pub errors: u64,
    pub warnings: u64,
    pub notices: u64,
    /// Errors that pages did not have in the run before.
    pub new_errors: u64,
    /// Names of the crawlers of answer engines that may not read the site.
    pub blocked_crawlers: Vec<String>,
}

/// Crawlers without which assistants cannot read a page: those that collect training data are not among them, since to
/// forbid these is a choice that many make.
const ANSWERING: [&str; 2] = ["llm-search", "llm-user"];

impl ReportFacts {
    /// Reads the numbers out of a report.
    pub fn of(report: &RunReport) -> ReportFacts {
        let by_severity = report.crawl_stats.issues_by_severity;
        let is_blocked = |bot: &&BotAccess| {
            let is_refused = bot.challenged || matches!(bot.http_status, Some(401 | 403 | 429 | 503));
            ANSWERING.contains(&bot.class.as_str()) && (bot.verdict == "block" || is_refused)
        };
        let blocked = report.robots_analysis.bots.iter().filter(is_blocked);
        ReportFacts {
            errors: by_severity.error as u64,
            warnings: by_severity.warning as u64,
            notices: by_severity.notice as u64,
            new_errors: report.new_errors as u64,
            blocked_crawlers: blocked.map(|bot| bot.name.clone()).collect(),
        }
    }
}

#[derive(sqlx::FromRow)]
struct SummaryRow {
    run_id: String,
    domain_id: String,
    completed_at: i64,
    health_score: f64,
    delta_health: f64,
    facts: String,
    /// Runs with results of the domain.
    runs: i64,
    /// Place of the run among them, the newest being 1.
    place: i64,
}

impl SummaryRow {
    fn read(self) -> RunSummary {
        RunSummary {
            id: RunId::from(self.run_id),
            domain: DomainId::from(self.domain_id),
            completed_at: Timestamp::from_millis(self.completed_at),
            health_score: self.health_score,
            delta_health: (self.place < self.runs).then_some(self.delta_health),
            facts: serde_json::from_str(&self.facts).unwrap_or_default(),
        }
    }
}

/// Writes the summary of a run that ends with results.
pub async fn put_summary(
    conn: &mut Conn,
    run: &Run,
    outcome: &Outcome,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into audit_summaries \
             (run_id, account_id, domain_id, started_at, completed_at, health_score, delta_health, facts) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (run_id) do nothing";
    let facts = serde_json::to_string(&ReportFacts::of(&outcome.report)).expect("numbers and texts are JSON");
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(run.id.as_str())
            .bind(run.account_id.as_str())
            .bind(run.domain_id.as_str())
            .bind(run.started_at.as_millis())
            .bind(now.as_millis())
            .bind(outcome.health_score)
            .bind(outcome.delta_health)
            .bind(facts)
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Deletes the summaries of a removed domain.
pub async fn delete_summaries(conn: &mut Conn, domain: &DomainId) -> Result<(), DbError> {
    const SQL: &str = "delete from audit_summaries where domain_id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(domain.as_str()).execute(c).await.map(drop))?;
    Ok(())
}

/// Lists the newest run with results of each domain of an account.
pub async fn list_latest(conn: &mut Conn, account: &AccountId) -> Result<Vec<RunSummary>, DbError> {
    const SQL: &str = "select * from (select run_id, domain_id, completed_at, health_score, delta_health, facts, \
             count(*) over (partition by domain_id) as runs, \
             row_number() over (partition by domain_id order by started_at desc, run_id desc) as place \
         from audit_summaries where account_id = $1) as ranked where place = 1";
    let rows: Vec<SummaryRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(account.as_str()).fetch_all(c).await)?;
    Ok(rows.into_iter().map(SummaryRow::read).collect())
}

/// Lists the newest runs of a domain that have results.
pub async fn list_of_domain(
    conn: &mut Conn,
    domain: &DomainId,
    most: i64,
) -> Result<Vec<RunSummary>, DbError> {
    const SQL: &str = "select * from (select run_id, domain_id, completed_at, health_score, delta_health, facts, \
             count(*) over () as runs, row_number() over (order by started_at desc, run_id desc) as place \
         from audit_summaries where domain_id = $1) as ranked where place <= $2 order by place";
    let rows: Vec<SummaryRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(most).fetch_all(c).await)?;
    Ok(rows.into_iter().map(SummaryRow::read).collect())
}

/// Counts the runs with results of an account's domains.
pub async fn count_runs(conn: &mut Conn, account: &AccountId) -> Result<u64, DbError> {
    const SQL: &str = "select count(*) from audit_summaries where account_id = $1";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(account.as_str()).fetch_one(c).await)?;
    Ok(count.unsigned_abs())
}
