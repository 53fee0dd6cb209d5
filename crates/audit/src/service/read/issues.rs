//! Issues of a run beside those of the runs before: how many pages carried each.

use std::collections::BTreeMap;

use audit_engine::checks::CheckId;
use serde::Serialize;
use store::DbError;
use utoipa::ToSchema;

use super::AuditReader;
use crate::model::Run;
use crate::queries;

/// Runs that are shown.
const MOST_RUNS: i64 = 10;

/// Issues of the last runs of a domain.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunIssues {
    /// Up to ten runs with results, the oldest first, the run itself last.
    pub runs: Vec<IssueRun>,
    /// Issues that any of them found, by id.
    pub issues: Vec<IssueCounts>,
}

/// A run whose issues are counted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RunOfIssues)]
pub struct IssueRun {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub run_id: String,
    /// Epoch milliseconds.
    #[schema(examples(1_795_176_000_000_i64))]
    pub started_at: i64,
}

/// Rows that carried an issue in each run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueCounts {
    #[schema(examples("META_DESC_MISSING"))]
    pub issue_id: String,
    /// `error`, `warning` or `notice`; "" for an issue that this version does not know.
    #[schema(examples("warning"))]
    pub severity: &'static str,
    /// Rows that carried it, in the order of `runs`; 1 for one about the site.
    #[schema(example = json!([12, 12, 3]))]
    pub counts: Vec<usize>,
}

impl RunIssues {
    /// Reads how many rows carried each issue in a run and in the runs before.
    pub async fn read(reader: &AuditReader, run: Run) -> Result<RunIssues, DbError> {
        let mut conn = reader.db.read().await?;
        let earlier =
            queries::list_with_results(&mut conn, &run.domain_id, run.started_at, MOST_RUNS).await?;
        let mut runs = vec![run];
        // A run can end in the millisecond in which it began.
        let others: Vec<Run> = earlier.into_iter().filter(|other| other.id != runs[0].id).collect();
        runs.extend(others.into_iter().take(MOST_RUNS as usize - 1));
        runs.reverse();
        Ok(RunIssues::of(&runs))
    }

    fn of(runs: &[Run]) -> RunIssues {
        let mut counts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, run) in runs.iter().enumerate() {
            for (id, count) in &run.report.issue_breakdown {
                counts.entry(id).or_insert_with(|| vec![0; runs.len()])[place] = *count;
            }
        }
        let issue = |(id, counts): (&str, Vec<usize>)| IssueCounts {
            issue_id: id.to_owned(),
            severity: CheckId::find(id).map_or("", |id| id.check().severity.as_str()),
            counts,
        };
        let shown =
            |run: &Run| IssueRun { run_id: run.id.to_string(), started_at: run.started_at.as_millis() };
        RunIssues { runs: runs.iter().map(shown).collect(), issues: counts.into_iter().map(issue).collect() }
    }
}
