//! Reports for people: Markdown, a page to print, and a digest by e-mail. Pure.
//! Names, questions and quotes are untrusted: every form writes them as text, never as markup, links or line breaks.

mod digest;
mod html;
mod inert;
mod markdown;
#[cfg(test)]
mod tests;

use super::payload::{ReportChange, ReportFigure, VisibilityReport};
use serde_json::Value;

use super::actions::title_of;
use super::payload::ChangeKind;
use crate::words::counted;

pub use digest::{DigestMail, DigestPeriod, digest};
pub use html::html;
pub use markdown::markdown;

/// Rows of a list that people read.
const MAX_ROWS: usize = 20;

/// Writes a number as people read it; a dash where there is none.
fn number(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value}{unit}"))
}

/// Tells what a report rests on, in one sentence.
fn coverage(report: &VisibilityReport) -> String {
    let coverage = &report.coverage;
    format!(
        "{}, {}, {}; {} failed, {} open.",
        counted(coverage.prompt_count, "prompt", "prompts"),
        counted(coverage.provider_count, "assistant", "assistants"),
        counted(coverage.responses, "answer", "answers"),
        counted(coverage.runs.error, "run", "runs"),
        coverage.runs.pending
    )
}

/// Writes an interval; empty where there is none.
fn interval(ci: Option<[f64; 2]>) -> String {
    ci.map_or_else(String::new, |[low, high]| format!("{low}–{high}%"))
}

/// Writes a difference with its sign; a dash where there is none.
fn delta(figure: &ReportFigure) -> String {
    match figure.delta {
        None => "–".to_owned(),
        Some(delta) if figure.is_significant => format!("{delta:+} (significant)"),
        Some(delta) => format!("{delta:+}"),
    }
}

/// A row of the table of figures: name, figure and unit.
type FigureRow<'a> = (&'static str, &'a ReportFigure, &'static str);

/// Lists the figures with their names and units.
fn figures(report: &VisibilityReport) -> [FigureRow<'_>; 7] {
    let stats = &report.stats;
    [
        ("Visibility", &stats.visibility_percent, "%"),
        ("Share of voice", &stats.share_of_voice, "%"),
        ("Share of voice, prompts without the brand", &stats.share_of_voice_non_branded, "%"),
        ("Mean position", &stats.avg_position, ""),
        ("Mean tone", &stats.avg_sentiment, ""),
        ("Answers that cite the site", &stats.citation_rate, "%"),
        ("Answers that recommend the brand", &stats.recommended_percent, "%"),
    ]
}

/// Returns the text of a prompt; its id when the report does not have it.
fn prompt_text<'a>(report: &'a VisibilityReport, id: &'a str) -> &'a str {
    let prompts = &report.prompt_insights;
    prompts.iter().find(|prompt| prompt.prompt_id == id).map_or(id, |prompt| &prompt.prompt_text)
}

/// Describes a change as a sentence. `text` escapes untrusted words.
fn change_sentence(report: &VisibilityReport, change: &ReportChange, text: fn(&str) -> String) -> String {
    let value = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let (from, to) = (text(&value(&change.from)), text(&value(&change.to)));
    let what = match change.kind {
        ChangeKind::Gained => format!("names you now, in place {to}"),
        ChangeKind::Lost => format!("no longer names you, place {from} before"),
        ChangeKind::RankUp => format!("names you earlier, place {to} in place of {from}"),
        ChangeKind::RankDown => format!("names you later, place {to} in place of {from}"),
        ChangeKind::NewCompetitor => format!("names {to} for the first time"),
        ChangeKind::ModelChanged => format!("answers with {to} in place of {from}"),
    };
    let prompt = text(prompt_text(report, &change.prompt_id));
    format!("{}: {} {what}, on “{prompt}”", text(&change.date), text(title_of(&change.provider)))
}
