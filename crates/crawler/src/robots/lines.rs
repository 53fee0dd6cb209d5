//! The lines of a `robots.txt`, read as Google's parser reads them, with the mistakes in them.
//! Used by `rules` and by audits, which report bad lines with their numbers.

/// Keys that some crawler knows; any other is a mistake.
const KNOWN_KEYS: &[&str] = &[
    "user-agent",
    "allow",
    "disallow",
    "sitemap",
    "crawl-delay",
    "host",
    "clean-param",
    "request-rate",
    "visit-time",
    "content-signal",
    "content-usage",
    "noindex",
    "nofollow",
];

/// A line that is neither blank nor a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Line number, counted from 1.
    pub number: usize,
    /// The line without its comment, trimmed.
    pub text: String,
    pub kind: LineKind,
}

/// Kind of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineKind {
    /// A key that some crawler knows, in lower case, and its value.
    Known(&'static str, String),
    /// Another key, in lower case, its value, and the known key that was probably meant.
    Unknown(String, String, Option<&'static str>),
    /// No colon, or not UTF-8.
    Broken,
}

/// Reads the lines that are not blank or comments.
pub(super) fn read_lines(robots: &[u8]) -> Vec<Line> {
    let robots = robots.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(robots);
    let mut lines = Vec::new();
    let mut number = 0;
    let mut after_carriage_return = false;
    for bytes in robots.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        // \r\n ends one line, not two.
        if !(after_carriage_return && bytes == b"\n") {
            number += 1;
        }
        after_carriage_return = bytes.ends_with(b"\r");
        let bytes = bytes.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
        if !bytes.is_empty() {
            lines.push(Line {
                number,
                text: String::from_utf8_lossy(bytes).into_owned(),
                kind: read_line(bytes),
            });
        }
    }
    lines
}

fn read_line(bytes: &[u8]) -> LineKind {
    let Ok(text) = std::str::from_utf8(bytes) else { return LineKind::Broken };
    let Some((key, value)) = text.split_once(':') else { return LineKind::Broken };
    let key = key.trim().to_ascii_lowercase();
    let value = value.trim().to_owned();
    match KNOWN_KEYS.iter().find(|known| **known == key) {
        Some(known) => LineKind::Known(known, value),
        None => {
            let nearest = nearest_key(&key);
            LineKind::Unknown(key, value, nearest)
        }
    }
}

impl Line {
    /// Returns key and value as Google's parser takes them: frequent typing errors and a missing colon are forgiven.
    pub(super) fn forgiven(&self) -> Option<(&str, &str)> {
        match &self.kind {
            LineKind::Known(key, value) => Some((key, value)),
            LineKind::Unknown(key, value, _) => Some((forgiven_key(key)?, value)),
            LineKind::Broken => {
                let (key, value) = self.text.split_once([' ', '\t'])?;
                let value = value.trim();
                let key = forgiven_key(&key.to_ascii_lowercase())?;
                (!value.contains([' ', '\t'])).then_some((key, value))
            }
        }
    }
}

fn forgiven_key(key: &str) -> Option<&'static str> {
    match key {
        "user-agent" | "useragent" | "user agent" => Some("user-agent"),
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => Some("disallow"),
        "allow" => Some("allow"),
        "sitemap" | "site-map" => Some("sitemap"),
        _ => None,
    }
}

/// Finds the known key within two edits.
fn nearest_key(key: &str) -> Option<&'static str> {
    let distances = KNOWN_KEYS.iter().map(|known| (edit_distance(key, known), *known));
    distances.min().filter(|(distance, _)| *distance <= 2).map(|(_, known)| known)
}

/// Counts the letters to insert, remove or replace (Levenshtein). Keys that are much longer are no typing errors.
fn edit_distance(one: &str, other: &str) -> usize {
    if one.len() > 2 * other.len() {
        return one.len();
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers_whatever_ends_them() {
        let lines = read_lines(b"\xEF\xBB\xBF# a\r\nUser-Agent : x # y\r\rDisalow: /\nno colon");

        let numbers: Vec<usize> = lines.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [2, 4, 5]);
        assert_eq!(lines[0].kind, LineKind::Known("user-agent", "x".to_owned()));
        assert_eq!(lines[1].kind, LineKind::Unknown("disalow".to_owned(), "/".to_owned(), Some("disallow")));
        assert_eq!(lines[2].kind, LineKind::Broken);
    }

    #[test]
    fn a_far_fetched_key_gets_no_suggestion() {
        assert_eq!(nearest_key("sitemaps"), Some("sitemap"));
        assert_eq!(nearest_key("foo"), None);
    }
}
