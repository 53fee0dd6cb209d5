//! Writing to stdout and stderr. A pipe that is closed early (`glasshouse … | head -1`) ends the output, not the program.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use serde::Serialize;

/// Output of a listing.
pub enum Output<T> {
    /// JSON for programs.
    Json(T),
    /// A table or lines for people.
    Text(String),
}

impl<T: Serialize> Output<T> {
    pub fn print(self) -> anyhow::Result<ExitCode> {
        match self {
            Output::Json(value) => line(&serde_json::to_string_pretty(&value)?),
            Output::Text(text) => line(&text),
        }
    }
}

/// Prints a line on stdout.
pub fn line(text: &str) -> anyhow::Result<ExitCode> {
    bytes(format!("{text}\n").as_bytes())
}

/// Prints bytes on stdout.
pub fn bytes(bytes: &[u8]) -> anyhow::Result<ExitCode> {
    stream(|stdout| stdout.write_all(bytes))
}

/// Streams output to stdout, in pieces.
pub fn stream(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<ExitCode> {
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow::anyhow!("cannot write to stdout: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Prints a note on stderr.
pub fn note(text: &str) {
    // With a closed stderr there is no reader.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints an error on stderr: one line.
pub fn error(text: &str) {
    note(&format!("error: {text}"));
}

/// Lays rows out under their headings.
pub fn table(headings: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(headings);
    for row in rows {
        table.add_row(row);
    }
    let lines = table.to_string();
    lines.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
