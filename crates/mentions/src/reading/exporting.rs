//! Exports: everything of one kind, as lines for spreadsheets and programs, part by part.
//! Texts of answers are untrusted: no cell may become a formula in a spreadsheet.

use assistants::analysis::Citation;
use assistants::providers::Usd;
use bytes::Bytes;
use futures::Stream;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::DbError;

use super::filter::ReadingFilter;
use super::service::{MentionReading, load};
use crate::model::{Prompt, UtcDay};
use crate::parts::runs_of_part;
use crate::queries::reading::exports::{ExportedRunRow, RunFilter, list_exported, list_exported_bytes};
use crate::queries::reading::sources::{ListPart, SourceUnit};
use ::domains::Domain;
use analytics::model::date_of;
use platform::api::csv::cell;
use platform::clock::Timestamp;

/// Maximum number of runs of one part.
const RUNS: i64 = 50;
/// Sources and searches of one part, each of which sums up the whole window.
const SUMMED_ROWS: i64 = 5_000;

/// Content of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// Prompts as bodies of creating them.
    Prompts,
    Runs,
    /// Cited and found addresses, a line for each in each answer.
    Citations,
    Stats,
    Sources(SourceUnit),
    Queries,
}

/// Form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    Csv,
    Ndjson,
}

type Line = Map<String, Value>;

impl ExportKind {
    /// Returns the head of a CSV file: the names of its columns.
    fn head(self) -> &'static str {
        match self {
            ExportKind::Prompts => "promptText,intent,providers,monitorInterval,tags,active,personaLocation",
            ExportKind::Runs => {
                "id,promptId,promptText,dateUtc,provider,status,reason,mentionPosition,citationCount,sentiment,recommended,\
                 analysisText,analysisMode,competitorMentions,citationDomains,retrieval,finish,servedModel,errorCode,\
                 calls,costUsd,costEstimated,demo,createdAt,rawResponse"
            }
            ExportKind::Citations => "runId,promptId,promptText,dateUtc,provider,url,domain,title,kind,cited",
            ExportKind::Stats => {
                "promptId,promptText,intent,aiProviders,tags,active,branded,lastRunAt,responses,mentions,\
                 visibilityPercent,visibilityLow,visibilityHigh,avgSentiment,avgPosition,citationRate,\
                 topCompetitorSharePct,difficulty,topCompetitors,from,to"
            }
            ExportKind::Sources(SourceUnit::Site) => {
                "domain,kind,answers,citations,retrieved,sharePct,gapAnswers,promptIds,providers,firstDate,lastDate"
            }
            ExportKind::Sources(SourceUnit::Page) => {
                "url,kind,answers,citations,retrieved,sharePct,gapAnswers,promptIds,providers,firstDate,lastDate,\
                 lastCrawlByAiBots,openIssues,referrals"
            }
            ExportKind::Queries => "query,answers,namedIn,providers,promptIds,tracked",
        }
    }
}

impl ExportFormat {
    fn head(self, kind: ExportKind) -> String {
        match self {
            ExportFormat::Csv => format!("{}\r\n", kind.head()),
            ExportFormat::Ndjson => String::new(),
        }
    }

    fn write(self, text: &mut String, kind: ExportKind, line: Line) {
        match self {
            ExportFormat::Csv => {
                let cells = kind.head().split(',').map(|column| cell(line.get(column).map(as_cell).as_ref()));
                text.push_str(&cells.collect::<Vec<_>>().join(","));
                text.push_str("\r\n");
            }
            ExportFormat::Ndjson => {
                text.push_str(&serde_json::to_string(&line).expect("lines are plain data"));
                text.push('\n');
            }
        }
    }
}

/// Writes a list of texts as one text with commas.
fn as_cell(value: &Value) -> Value {
    let texts = |list: &Vec<Value>| list.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    match value {
        Value::Array(list) => {
            let texts: Option<Vec<String>> = texts(list);
            texts.map_or_else(|| value.clone(), |texts| Value::from(texts.join(",")))
        }
        other => other.clone(),
    }
}

/// Point from which an export goes on.
#[derive(Debug, Clone, Default)]
struct ExportCursor {
    is_begun: bool,
    /// Day and id of the last run.
    run: Option<(UtcDay, String)>,
    /// Rows so far.
    offset: i64,
}

impl MentionReading {
    /// Exports one kind, part by part.
    pub fn export(
        &self,
        domain: Domain,
        filter: ReadingFilter,
        kind: ExportKind,
        format: ExportFormat,
    ) -> impl Stream<Item = Result<Bytes, DbError>> + Send + 'static + use<> {
        let reading = self.clone();
        futures::stream::unfold(Some(ExportCursor::default()), move |cursor: Option<ExportCursor>| {
            let (reading, domain, filter) = (reading.clone(), domain.clone(), filter.clone());
            async move {
                let cursor = cursor?;
                let mut text = if cursor.is_begun { String::new() } else { format.head(kind) };
                match reading.export_part(&domain, &filter, kind, cursor).await {
                    Ok((lines, next)) => {
                        lines.into_iter().for_each(|line| format.write(&mut text, kind, line));
                        Some((
                            Ok(Bytes::from(text)),
                            next.map(|next| ExportCursor { is_begun: true, ..next }),
                        ))
                    }
                    Err(error) => Some((Err(error), None)),
                }
            }
        })
    }

    async fn export_part(
        &self,
        domain: &Domain,
        filter: &ReadingFilter,
        kind: ExportKind,
        cursor: ExportCursor,
    ) -> Result<(Vec<Line>, Option<ExportCursor>), DbError> {
        let part = ListPart { limit: SUMMED_ROWS, offset: cursor.offset };
        let next_page = |rows: usize| {
            let is_full = rows as i64 == SUMMED_ROWS;
            is_full.then(|| ExportCursor { offset: cursor.offset + SUMMED_ROWS, ..ExportCursor::default() })
        };
        Ok(match kind {
            ExportKind::Prompts => {
                let monitored = load(&mut self.db.read().await?, &domain.id).await?;
                let prompts = monitored.map(|monitored| monitored.prompts).unwrap_or_default();
                (prompts.iter().filter(|prompt| filter.includes(prompt)).map(prompt_line).collect(), None)
            }
            ExportKind::Stats => {
                let (stats, _) = self.prompt_stats(&domain.id, filter).await?;
                (stats.iter().map(|stats| without_range(object(stats))).collect(), None)
            }
            ExportKind::Sources(unit) => {
                let found = self.sources(domain, filter, unit, part).await?.items;
                (found.iter().map(object).collect(), next_page(found.len()))
            }
            ExportKind::Queries => {
                let found = self.searches(&domain.id, filter, part).await?.items;
                (found.iter().map(object).collect(), next_page(found.len()))
            }
            ExportKind::Runs => self.export_runs(domain, filter, cursor, |run| vec![run_line(run)]).await?,
            ExportKind::Citations => self.export_runs(domain, filter, cursor, citation_lines).await?,
        })
    }

    async fn export_runs(
        &self,
        domain: &Domain,
        filter: &ReadingFilter,
        cursor: ExportCursor,
        lines: impl Fn(ExportedRunRow) -> Vec<Line>,
    ) -> Result<(Vec<Line>, Option<ExportCursor>), DbError> {
        let mut conn = self.db.read().await?;
        let prompts = match filter.is_of_some_prompts() {
            false => None,
            true => {
                let prompts =
                    load(&mut conn, &domain.id).await?.map(|found| found.prompts).unwrap_or_default();
                let left = prompts.iter().filter(|prompt| filter.includes(prompt));
                Some(left.map(|prompt| prompt.id.to_string()).collect::<Vec<_>>())
            }
        };
        let runs = RunFilter {
            domain: &domain.id,
            days: filter.days,
            provider: filter.provider_text(),
            prompts: prompts.as_deref(),
        };
        // Every id is behind the empty text.
        let (day, id) = cursor.run.unwrap_or((filter.days.0, String::new()));
        let bytes = list_exported_bytes(&mut conn, &runs, (day, &id), RUNS).await?;
        let most = runs_of_part(bytes.iter().copied());
        let rows = list_exported(&mut conn, &runs, (day, &id), most as i64).await?;
        let is_last = most == bytes.len() && (bytes.len() as i64) < RUNS;
        let last = rows.last().filter(|_| !is_last);
        let next =
            last.map(|row| ExportCursor { run: Some((row.day, row.id.clone())), ..ExportCursor::default() });
        Ok((rows.into_iter().flat_map(lines).collect(), next))
    }
}

fn object(value: &impl Serialize) -> Line {
    match serde_json::to_value(value) {
        Ok(Value::Object(line)) => line,
        _ => Line::new(),
    }
}

fn line_of<const N: usize>(fields: [(&str, Value); N]) -> Line {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Replaces the range by its two days.
fn without_range(mut line: Line) -> Line {
    if let Some(Value::Object(range)) = line.remove("range") {
        line.extend(range);
    }
    line
}

/// Writes a prompt as a body that creates the same.
fn prompt_line(prompt: &Prompt) -> Line {
    let providers: Vec<&str> = prompt.providers.iter().map(|provider| provider.as_str()).collect();
    line_of([
        ("promptText", json!(prompt.text)),
        ("intent", json!(prompt.intent)),
        ("providers", json!(providers)),
        ("monitorInterval", json!(prompt.interval)),
        ("tags", json!(prompt.tags.join(","))),
        ("active", json!(u8::from(prompt.is_active))),
        ("personaLocation", json!(prompt.persona.to_json())),
    ])
}

fn run_line(run: ExportedRunRow) -> Line {
    line_of([
        ("id", json!(run.id)),
        ("promptId", json!(run.prompt_id)),
        ("promptText", json!(run.prompt_text)),
        ("dateUtc", json!(date_of(run.day))),
        ("provider", json!(run.provider)),
        ("status", json!(run.status)),
        ("reason", json!(run.reason)),
        ("mentionPosition", json!(run.mention_position)),
        ("citationCount", json!(run.citation_count)),
        ("sentiment", json!(run.sentiment as f64 / 100.0)),
        ("recommended", json!(run.recommended)),
        ("analysisText", json!(run.analysis_text)),
        ("analysisMode", json!(run.analysis_mode)),
        ("competitorMentions", json!(run.competitor_mentions)),
        ("citationDomains", json!(run.citation_domains)),
        ("retrieval", json!(run.retrieval)),
        ("finish", json!(run.finish)),
        ("servedModel", json!(run.served_model)),
        ("errorCode", json!(run.error_code)),
        ("calls", json!(run.calls)),
        ("costUsd", json!(Usd::from_nanos(run.cost_nanos))),
        ("costEstimated", json!(run.is_cost_estimated)),
        ("demo", json!(run.is_demo)),
        ("createdAt", json!(Timestamp::from_millis(run.created_at))),
        ("rawResponse", json!(run.answer)),
    ])
}

/// Writes a line for each address that an answer cites or that was found for it.
fn citation_lines(run: ExportedRunRow) -> Vec<Line> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Sources {
        citations: Vec<Citation>,
        retrieved: Vec<Citation>,
    }
    let sources: Sources = serde_json::from_str(&run.details).unwrap_or_default();
    let line = |source: &Citation, is_cited: bool| {
        line_of([
            ("runId", json!(run.id)),
            ("promptId", json!(run.prompt_id)),
            ("promptText", json!(run.prompt_text)),
            ("dateUtc", json!(date_of(run.day))),
            ("provider", json!(run.provider)),
            ("url", json!(source.url)),
            ("domain", json!(source.domain)),
            ("title", json!(source.title)),
            ("kind", json!(source.kind)),
            ("cited", json!(is_cited)),
        ])
    };
    let cited = sources.citations.iter().map(|source| line(source, true));
    cited.chain(sources.retrieved.iter().map(|source| line(source, false))).collect()
}
