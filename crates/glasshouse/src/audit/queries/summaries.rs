//! SQL of runs in a few numbers, for lists that must not read reports of a megabyte each.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{Conn, DbError, on_engine};

use crate::accounts::AccountId;
use crate::audit::model::{RunId, RunReport};
use crate::clock::Timestamp;
use crate::domains::DomainId;

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
#[serde(rename_all = "camelCase", default)]
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
        let severity = |name: &str| report.crawl_stats["issuesBySeverity"][name].as_u64().unwrap_or_default();
        let bots = report.robots_analysis["bots"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_blocked = |bot: &&Value| {
            let is_answering = bot["class"].as_str().is_some_and(|class| ANSWERING.contains(&class));
            let is_refused = bot["challenged"].as_bool().unwrap_or_default()
                || bot["httpStatus"].as_u64().is_some_and(|status| matches!(status, 401 | 403 | 429 | 503));
            is_answering && (bot["verdict"].as_str() == Some("block") || is_refused)
        };
        let name = |bot: &Value| bot["name"].as_str().map(str::to_owned);
        ReportFacts {
            errors: severity("error"),
            warnings: severity("warning"),
            notices: severity("notice"),
            new_errors: report.new_errors as u64,
            blocked_crawlers: bots.iter().filter(is_blocked).filter_map(name).collect(),
        }
    }
}

#[derive(sqlx::FromRow)]
struct SummaryRow {
    id: String,
    domain_id: String,
    completed_at: i64,
    health_score: f64,
    delta_health: f64,
    runs: i64,
    place: i64,
    summary: Option<String>,
    /// The report of a run without a summary.
    report: Option<String>,
}

impl SummaryRow {
    fn read(self) -> RunSummary {
        let written = self.summary.and_then(|text| serde_json::from_str(&text).ok());
        let read = || serde_json::from_str(self.report.as_deref()?).ok();
        let facts = written.or_else(|| read().map(|report| ReportFacts::of(&report)));
        RunSummary {
            id: RunId::from(self.id),
            domain: DomainId::from(self.domain_id),
            completed_at: Timestamp::from_millis(self.completed_at),
            health_score: self.health_score,
            delta_health: (self.place < self.runs).then_some(self.delta_health),
            facts: facts.unwrap_or_default(),
        }
    }
}

/// Lists the newest run with results of each domain of an account.
pub async fn list_latest(conn: &mut Conn, account: &AccountId) -> Result<Vec<RunSummary>, DbError> {
    const SQL: &str = "select * from (select id, domain_id, completed_at, health_score, delta_health, summary, \
             case when summary is null then report end as report, \
             count(*) over (partition by domain_id) as runs, \
             row_number() over (partition by domain_id order by started_at desc, id desc) as place \
         from audit_runs where account_id = $1 and completed_at is not null and not forgotten \
             and status in ('success', 'limit_reached', 'partial')) as runs where place = 1";
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
    const SQL: &str = "select * from (select id, domain_id, completed_at, health_score, delta_health, summary, \
             case when summary is null then report end as report, \
             count(*) over () as runs, row_number() over (order by started_at desc, id desc) as place \
         from audit_runs where domain_id = $1 and completed_at is not null and not forgotten \
             and status in ('success', 'limit_reached', 'partial')) as runs where place <= $2 order by place";
    let rows: Vec<SummaryRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(most).fetch_all(c).await)?;
    Ok(rows.into_iter().map(SummaryRow::read).collect())
}

/// Counts the runs of an account's domains.
pub async fn count_runs(conn: &mut Conn, account: &AccountId) -> Result<u64, DbError> {
    const SQL: &str = "select count(*) from audit_runs where account_id = $1 and not forgotten";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(account.as_str()).fetch_one(c).await)?;
    Ok(count.unsigned_abs())
}
