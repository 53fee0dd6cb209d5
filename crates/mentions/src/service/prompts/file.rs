//! Prompts in a file: CSV with a head, or one JSON object a line. Pure. Reads what the export of prompts writes.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::body::{NewPrompt, PromptFields};

/// Characters before which an export puts an apostrophe, so that no spreadsheet computes the cell.
const COMPUTED: [char; 4] = ['=', '+', '-', '@'];

/// A prompt of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FilePrompt {
    /// Line on which it begins, from 1.
    pub line: usize,
    /// The prompt, or a sentence that says what is wrong with it.
    pub prompt: Result<NewPrompt, String>,
}

/// A file that cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptFileError {
    #[error("line {0}: a quoted cell does not end")]
    OpenQuote(usize),
    #[error(
        "the head names no column promptText; columns are promptText, intent, providers, monitorInterval, tags, active, personaLocation"
    )]
    NoText,
}

/// Reads the prompts of a file: JSON lines when it begins with `{`, else CSV.
pub fn read_prompts(text: &str) -> Result<Vec<FilePrompt>, PromptFileError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') { Ok(read_lines(text)) } else { read_csv(text) }
}

fn read_lines(text: &str) -> Vec<FilePrompt> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("is not JSON: {error}"))?;
        read_object(value)
    };
    lines.map(|(at, line)| FilePrompt { line: at + 1, prompt: read(line) }).collect()
}

fn read_object(value: Value) -> Result<NewPrompt, String> {
    let fields = PromptFields::deserialize(value).map_err(|error| error.to_string())?;
    fields.create().map_err(|issues| {
        let named: Vec<String> =
            issues.into_iter().map(|(path, problem)| format!("{path} {problem}")).collect();
        named.join("; ")
    })
}

fn read_csv(text: &str) -> Result<Vec<FilePrompt>, PromptFileError> {
    let mut rows = split_rows(text)?.into_iter();
    let (_, head) = rows.next().unwrap_or_default();
    let head: Vec<String> = head.into_iter().map(|name| name.trim().to_owned()).collect();
    if !head.iter().any(|name| name == "promptText") {
        return Err(PromptFileError::NoText);
    }
    let read = |cells: Vec<String>| read_object(object_of(&head, cells));
    Ok(rows.map(|(line, cells)| FilePrompt { line, prompt: read(cells) }).collect())
}

/// Makes the body of a row. Empty cells are fields that are not given.
fn object_of(head: &[String], cells: Vec<String>) -> Value {
    let mut object = Map::new();
    for (name, cell) in head.iter().zip(cells).filter(|(_, cell)| !cell.trim().is_empty()) {
        let cell = match cell.strip_prefix('\'') {
            Some(rest) if rest.starts_with(COMPUTED) => rest.to_owned(),
            _ => cell,
        };
        let value = match name.as_str() {
            "providers" => Value::from(cell.split([',', ';']).collect::<Vec<_>>()),
            "active" => cell.trim().parse::<u8>().map_or(Value::from(cell), Value::from),
            "intent" | "monitorInterval" => Value::from(cell.trim()),
            _ => Value::from(cell),
        };
        object.insert(name.clone(), value);
    }
    Value::Object(object)
}

/// Splits CSV into rows with the line on which each begins, without empty ones. A quoted cell may have commas, line breaks and
/// doubled quotes.
fn split_rows(text: &str) -> Result<Vec<(usize, Vec<String>)>, PromptFileError> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut first_line) = (1, 1);
    let mut quote_line = None;
    let mut chars = text.chars().peekable();
    let mut end_row = |row: &mut Vec<String>, cell: &mut String, first_line: usize| {
        row.push(std::mem::take(cell));
        let row = std::mem::take(row);
        if row.iter().any(|cell| !cell.trim().is_empty()) {
            rows.push((first_line, row));
        }
    };
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        match c {
            '"' if quote_line.is_some() => match chars.next_if_eq(&'"') {
                Some(_) => cell.push('"'),
                None => quote_line = None,
            },
            _ if quote_line.is_some() => cell.push(c),
            '"' if cell.is_empty() => quote_line = Some(line),
            ',' => row.push(std::mem::take(&mut cell)),
            '\n' => {
                end_row(&mut row, &mut cell, first_line);
                first_line = line;
            }
            '\r' if chars.peek() == Some(&'\n') => {}
            _ => cell.push(c),
        }
    }
    if let Some(line) = quote_line {
        return Err(PromptFileError::OpenQuote(line));
    }
    end_row(&mut row, &mut cell, first_line);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use assistants::providers::Provider;

    use super::*;
    use crate::model::{MonitorInterval, PromptIntent};

    fn good(text: &str) -> Vec<NewPrompt> {
        read_prompts(text).unwrap().into_iter().map(|entry| entry.prompt.unwrap()).collect()
    }

    #[test]
    fn csv_and_json_lines_have_the_fields_of_the_body() {
        let csv = "\u{feff}promptText,intent,providers,monitorInterval,tags,active,personaLocation\r\n\
            \"Which one, \"\"really\"\"?\",comm,\"gemini,chatgpt\",weekly,\"docs,x\",0,\"{\"\"country\"\":\"\"DE\"\"}\"\r\n\
            '=1+1 or 2?,info,,,,,\r\n";
        let ndjson = r#"{"promptText":"Which one, \"really\"?","intent":"comm","providers":["gemini","chatgpt"],"monitorInterval":"weekly","tags":"docs,x","active":0,"personaLocation":{"country":"DE"}}

            {"promptText":"=1+1 or 2?","intent":"info"}"#;

        let read = good(csv);

        assert_eq!(read, good(ndjson));
        assert_eq!(read[0].providers, Some(vec![Provider::Chatgpt, Provider::Gemini]));
        assert_eq!((read[0].interval, read[0].is_active), (MonitorInterval::Weekly, false));
        assert_eq!((read[1].text.as_str(), read[1].intent), ("=1+1 or 2?", PromptIntent::Info));
    }

    #[test]
    fn a_bad_row_is_named_by_its_line_and_leaves_the_others_alone() {
        let csv = "promptText,intent,active\n\"Two\nlines?\",info,1\nX?,buy,1\n\nY?,info,yes\nZ?,info,\n";

        let read = read_prompts(csv).unwrap();

        let lines: Vec<(usize, bool)> = read.iter().map(|entry| (entry.line, entry.prompt.is_ok())).collect();
        assert_eq!(lines, [(2, true), (4, false), (6, false), (7, true)]);
    }

    #[test]
    fn what_is_no_list_of_prompts_is_refused() {
        assert_eq!(read_prompts("").unwrap_err(), PromptFileError::NoText);
        assert_eq!(read_prompts("a,b\n1,2").unwrap_err(), PromptFileError::NoText);
        assert_eq!(read_prompts("promptText\n\"open").unwrap_err(), PromptFileError::OpenQuote(2));
        assert!(read_prompts("{\"promptText\":").unwrap()[0].prompt.is_err());
    }
}
