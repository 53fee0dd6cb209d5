//! Cells of CSV files that people open in spreadsheets. Used by every export with untrusted texts.

use serde_json::Value;

/// Writes a quoted cell. A text that a spreadsheet would compute gets an apostrophe.
pub fn cell(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => {
            let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
            format!("{guard}{text}")
        }
        Some(other) => other.to_string(),
    };
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_a_spreadsheet_would_compute_is_a_text() {
        for text in ["=1", "+1", "-1", "@a", "\t=1", "\r=1"] {
            assert_eq!(cell(Some(&Value::from(text))), format!("\"'{text}\""));
        }
        assert_eq!(cell(Some(&Value::from("=HYPERLINK(\"x\")"))), "\"'=HYPERLINK(\"\"x\"\")\"");
        assert_eq!(cell(Some(&Value::from(-1))), "\"-1\"");
        assert_eq!(cell(None), "\"\"");
    }
}
