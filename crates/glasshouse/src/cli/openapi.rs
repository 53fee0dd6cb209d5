//! `glasshouse openapi`: the OpenAPI document, as in `docs/openapi.json`.

use std::process::ExitCode;

use serde_json::Value;

use super::{Context, output};

/// Columns within which an object or a list is written on one line.
const WIDTH: usize = 160;

/// Runs the command.
pub fn run(context: &Context) -> anyhow::Result<ExitCode> {
    // A `Value` sorts its keys, so that a change of the service is a short difference of the document.
    let document = serde_json::to_value(crate::app::openapi(&context.config))?;
    output::line(&wrapped(&document, 0, 0))
}

/// Returns the value as JSON, with line breaks when it does not fit into a line in which `column` columns are in use.
fn wrapped(value: &Value, indent: usize, column: usize) -> String {
    let whole = value.to_string();
    if column + whole.len() <= WIDTH {
        return whole;
    }
    let inner = indent + 1;
    let (open, parts, close): (_, Vec<String>, _) = match value {
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                let key = format!("{}: ", Value::from(key.as_str()));
                let value = wrapped(value, inner, inner + key.len());
                format!("{key}{value}")
            };
            ('{', fields.iter().map(field).collect(), '}')
        }
        Value::Array(items) => ('[', items.iter().map(|item| wrapped(item, inner, inner)).collect(), ']'),
        _ => return whole,
    };
    let separator = format!(",\n{}", " ".repeat(inner));
    format!("{open}\n{}{}\n{}{close}", " ".repeat(inner), parts.join(&separator), " ".repeat(indent))
}
