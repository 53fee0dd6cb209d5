//! The extended log format of the W3C: `#Fields` names the columns of the lines after it. CloudFront separates them with tabs, IIS
//! with spaces. Pure.
//! Field names: <https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html> and
//! <https://learn.microsoft.com/en-us/windows/win32/http/w3c-logging>

use std::borrow::Cow;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use platform::clock::Timestamp;

use super::{LogLine, address_of, iso_time, status, time};

/// Columns of a log, as its last `#Fields` names them.
#[derive(Debug, Default)]
pub(super) struct Columns(Vec<String>);

/// Line of a log with the names of its columns.
struct Row<'c, 'a> {
    names: &'c [String],
    values: Vec<&'a str>,
}

impl Columns {
    /// Reads a directive. Returns false for a line that is none.
    pub(super) fn direct(&mut self, line: &str) -> bool {
        if let Some(names) = line.strip_prefix("#Fields:") {
            self.0 = names.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
        }
        line.starts_with('#')
    }

    /// Parses a line of CloudFront. None when the line is not of this format.
    pub(super) fn cloudfront<'a>(&self, line: &'a str) -> Option<LogLine<'a>> {
        let row = self.row(line.split('\t').collect())?;
        // The user agent is encoded twice in logs of some years.
        let once = percent_decode_str(row.get("cs(user-agent)")?).decode_utf8_lossy();
        let user_agent = match once.contains("%20") {
            true => Cow::Owned(percent_decode_str(&once).decode_utf8_lossy().into_owned()),
            false => once,
        };
        Some(LogLine {
            // `cs(Host)` is the name of the distribution, whatever the visitor asked for.
            host: row.get("x-host-header").map(Cow::Borrowed),
            user_agent,
            content_type: row.get("sc-content-type").map(decoded),
            duration: row.seconds("time-taken", 1.0),
            ..row.request()?
        })
    }

    /// Parses a line of IIS. None when the line is not of this format.
    pub(super) fn iis<'a>(&self, line: &'a str) -> Option<LogLine<'a>> {
        let row = self.row(line.split(' ').collect())?;
        Some(LogLine {
            host: row.get("cs-host").map(Cow::Borrowed),
            // Spaces are written as plus signs; a plus sign is one too.
            user_agent: Cow::Owned(row.get("cs(user-agent)").unwrap_or_default().replace('+', " ")),
            duration: row.seconds("time-taken", 1000.0),
            ..row.request()?
        })
    }

    /// Makes a row. Returns `None` without a `#Fields` line, and for a line with more or fewer values than fields.
    fn row<'c, 'a>(&'c self, values: Vec<&'a str>) -> Option<Row<'c, 'a>> {
        let has_user_agent = self.0.iter().any(|name| name == "cs(user-agent)");
        (has_user_agent && values.len() == self.0.len()).then_some(Row { names: &self.0, values })
    }
}

impl<'a> Row<'_, 'a> {
    /// Returns the value of a column. None when there is no such column, and for `-`.
    fn get(&self, name: &str) -> Option<&'a str> {
        let at = self.names.iter().position(|column| column == name)?;
        Some(self.values[at]).filter(|value| !matches!(*value, "-" | ""))
    }

    fn seconds(&self, name: &str, per_second: f64) -> Duration {
        let seconds =
            self.get(name).and_then(|text| text.parse::<f64>().ok()).map(|number| number / per_second);
        seconds.filter(|it| (0.0..86_400.0).contains(it)).map(Duration::from_secs_f64).unwrap_or_default()
    }

    fn at(&self) -> Option<Timestamp> {
        if let (Some(date), Some(clock)) = (self.get("date"), self.get("time")) {
            return iso_time(&format!("{date}T{clock}Z"));
        }
        let number = self.get("timestamp(ms)").or_else(|| self.get("timestamp"))?;
        time(&serde_json::Value::from(number))
    }

    /// Returns the columns that both servers write alike.
    fn request(&self) -> Option<LogLine<'a>> {
        Some(LogLine {
            path: Cow::Borrowed(self.get("cs-uri-stem")?),
            method: self.get("cs-method").map(Cow::Borrowed),
            status: self.get("sc-status").map(status).map_or(Some(None), |status| status.map(Some))?,
            address: self.get("c-ip").and_then(address_of),
            ..LogLine::at(self.at()?)
        })
    }
}

fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}
