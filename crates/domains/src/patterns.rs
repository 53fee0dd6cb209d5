//! Path patterns: the grammar of redirect sources, ignored paths, response headers and refresh rules.
//! Pure: no clock, network or database. Matching never backtracks over the whole path more than once per `*` and
//! uses no regular expressions, so a hostile pattern cannot be slow.
//! See docs/decisions/0031.

use std::cmp::Ordering;

use url::Url;

/// Maximum length of a pattern, in bytes.
pub const MAX_PATTERN_BYTES: usize = 512;
/// Maximum number of segments of a pattern.
pub const MAX_PATTERN_SEGMENTS: usize = 64;

/// Positions at which a pattern may contain a `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// Redirect sources: a wildcard is a whole segment; a source with `?` matches one path and its whole query.
    Redirect,
    /// Other patterns: `*` may also be a part of a segment (`/blog-*`, `/*.pdf`).
    Path,
}

/// Reason why a pattern is invalid; the text is shown to the user who wrote the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The pattern does not start with a slash.
    #[error("must start with /")]
    NoSlash,
    /// Longer than [`MAX_PATTERN_BYTES`].
    #[error("must not be longer than 512 bytes")]
    TooLong,
    /// More segments than [`MAX_PATTERN_SEGMENTS`].
    #[error("must not have more than 64 segments")]
    TooManySegments,
    /// `**` at another position than the last whole segment.
    #[error("** stands for the rest of the path and must be the last segment")]
    RestNotLast,
    /// `*` inside a segment of a redirect source.
    #[error("* must be a whole segment")]
    PartialWildcard,
    /// A query in a pattern that may not have a query, or together with wildcards.
    #[error("? names an exact query, which only a redirect source without wildcards may have")]
    Query,
    /// `#`, control characters or a backslash.
    #[error("must not contain #, a backslash or control characters")]
    Character,
}

/// Parsed pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern {
    segments: Vec<Segment>,
    /// True when the pattern ends with `**`.
    rest: bool,
    /// The whole query, for a redirect source with `?`.
    query: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    /// Percent-decoded text.
    Literal(Vec<u8>),
    Any,
    /// Decoded pieces between the stars: `blog-*` is `["blog-", ""]`.
    Glob(Vec<Vec<u8>>),
}

/// A request's path for matching: split at `/`, empty segments dropped, each segment as received and decoded.
#[derive(Debug, Clone)]
pub struct SplitPath<'a> {
    raw: Vec<&'a str>,
    decoded: Vec<Vec<u8>>,
    query: &'a str,
}

impl<'a> SplitPath<'a> {
    /// Splits the path of an address.
    pub fn of(url: &'a Url) -> SplitPath<'a> {
        Self::new(url.path(), url.query().unwrap_or(""))
    }

    /// Splits a path and query of an address.
    pub fn new(path: &'a str, query: &'a str) -> SplitPath<'a> {
        let raw: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        let decoded = raw.iter().map(|segment| percent_decode(segment)).collect();
        SplitPath { raw, decoded, query }
    }

    /// Returns the query; empty when the address has none.
    pub(super) fn query(&self) -> &str {
        self.query
    }

    /// Returns the decoded segments.
    pub(super) fn decoded(&self) -> &[Vec<u8>] {
        &self.decoded
    }
}

impl PathPattern {
    /// Parses a pattern.
    pub fn parse(text: &str, grammar: Grammar) -> Result<PathPattern, PatternError> {
        if !text.starts_with('/') {
            return Err(PatternError::NoSlash);
        }
        if text.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::TooLong);
        }
        if text.chars().any(|c| c == '#' || c == '\\' || c.is_control()) {
            return Err(PatternError::Character);
        }
        let (path, query) = match text.split_once('?') {
            None => (text, None),
            Some((path, query)) => (path, Some(query)),
        };
        if query.is_some() && (grammar == Grammar::Path || text.contains('*')) {
            return Err(PatternError::Query);
        }
        let mut parts: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        if parts.len() > MAX_PATTERN_SEGMENTS {
            return Err(PatternError::TooManySegments);
        }
        let rest = parts.last() == Some(&"**");
        if rest {
            parts.pop();
        }
        let segments =
            parts.into_iter().map(|part| parse_segment(part, grammar)).collect::<Result<Vec<_>, _>>()?;
        Ok(PathPattern { segments, rest, query: query.map(normalise_query) })
    }

    /// Returns the number of captures, `$1`, `$2`, … in a redirect's destination.
    pub fn wildcards(&self) -> usize {
        self.segments.iter().filter(|segment| **segment == Segment::Any).count() + usize::from(self.rest)
    }

    /// Decides whether the pattern matches a path.
    pub fn matches(&self, path: &SplitPath<'_>) -> bool {
        let length_fits = match self.rest {
            true => path.raw.len() >= self.segments.len(),
            false => path.raw.len() == self.segments.len(),
        };
        length_fits
            && self.query.as_deref().is_none_or(|query| query == path.query)
            && self.segments.iter().zip(&path.decoded).all(|(segment, text)| segment.matches(text))
    }

    /// Returns the text that each wildcard matches, percent-encoded as received; none when the pattern does not match.
    ///
    /// The text of a `**` has no leading slash.
    pub fn captures(&self, path: &SplitPath<'_>) -> Option<Vec<String>> {
        if !self.matches(path) {
            return None;
        }
        let whole = self.segments.iter().zip(&path.raw);
        let mut found: Vec<String> = whole
            .filter(|(segment, _)| **segment == Segment::Any)
            .map(|(_, raw)| (*raw).to_owned())
            .collect();
        if self.rest {
            found.push(path.raw[self.segments.len()..].join("/"));
        }
        Some(found)
    }

    /// Returns the decoded segments before the first wildcard, and true when they are the whole pattern.
    pub(super) fn literal_segments(&self) -> (Vec<&[u8]>, bool) {
        let literals = self.segments.iter().map_while(|segment| match segment {
            Segment::Literal(text) => Some(text.as_slice()),
            _ => None,
        });
        let literals: Vec<&[u8]> = literals.collect();
        let is_whole = literals.len() == self.segments.len() && !self.rest;
        (literals, is_whole)
    }

    /// Returns the query of the pattern.
    pub(super) fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// Compares two patterns that match one path: `Greater` is the more specific pattern.
    ///
    /// Segment by segment, a literal beats a partial wildcard, which beats `*`, which beats `**`.
    pub fn compare_specificity(&self, other: &PathPattern) -> Ordering {
        self.ranks().cmp(other.ranks())
    }

    fn ranks(&self) -> impl Iterator<Item = u8> {
        let segments = self.segments.iter().map(|segment| match segment {
            Segment::Literal(_) => 4,
            Segment::Glob(_) => 3,
            Segment::Any => 2,
        });
        // After the end of the shorter pattern, the other one can only have a `**` that matches nothing.
        segments.chain(std::iter::once(if self.rest { 0 } else { 1 }))
    }
}

impl Segment {
    fn matches(&self, text: &[u8]) -> bool {
        match self {
            Segment::Literal(literal) => literal == text,
            Segment::Any => true,
            Segment::Glob(pieces) => glob_matches(pieces, text),
        }
    }
}

fn parse_segment(part: &str, grammar: Grammar) -> Result<Segment, PatternError> {
    if part.contains("**") {
        return Err(PatternError::RestNotLast);
    }
    if part == "*" {
        return Ok(Segment::Any);
    }
    if !part.contains('*') {
        return Ok(Segment::Literal(percent_decode(part)));
    }
    match grammar {
        Grammar::Redirect => Err(PatternError::PartialWildcard),
        Grammar::Path => Ok(Segment::Glob(part.split('*').map(percent_decode).collect())),
    }
}

/// Decides whether a text matches the pieces. Leftmost matching is enough: an earlier match leaves more text for the rest.
fn glob_matches(pieces: &[Vec<u8>], text: &[u8]) -> bool {
    let Some((first, others)) = pieces.split_first() else { return text.is_empty() };
    let Some((last, middle)) = others.split_last() else { return text == first };
    if text.len() < first.len() + last.len() || !text.starts_with(first) || !text.ends_with(last) {
        return false;
    }
    let mut left = &text[first.len()..text.len() - last.len()];
    for piece in middle.iter().filter(|piece| !piece.is_empty()) {
        let Some(at) = left.windows(piece.len()).position(|window| window == piece.as_slice()) else {
            return false;
        };
        left = &left[at + piece.len()..];
    }
    true
}

/// Converts a query to the form of a parsed URL, so that both can be compared byte by byte.
fn normalise_query(query: &str) -> String {
    let mut url = Url::parse("http://localhost/").expect("a constant that parses");
    url.set_query(Some(query));
    url.query().unwrap_or("").to_owned()
}

/// Decodes percent-encodings once; invalid encodings stay as they are.
pub fn percent_decode(text: &str) -> Vec<u8> {
    let hex = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = match bytes[at..] {
            [b'%', high, low, ..] => hex(high).zip(hex(low)),
            _ => None,
        };
        match pair {
            Some((high, low)) => {
                out.push(high * 16 + low);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    out
}

/// Path patterns, one per line, in the form of `ignorePaths`.
#[derive(Debug, Clone, Default)]
pub struct PathList {
    patterns: Vec<PathPattern>,
    /// Line of each pattern, from 1.
    lines: Vec<usize>,
}

/// Line of a list that is not a valid pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Number of the line, from 1.
    pub line: usize,
    pub error: PatternError,
}

impl PathList {
    /// Maximum length of the text, in bytes.
    pub const MAX_BYTES: usize = 16 * 1024;
    /// Maximum number of lines.
    pub const MAX_LINES: usize = 500;

    /// Parses the text; blank lines and lines that start with `#` are comments.
    ///
    /// The error is a sentence that names the line.
    pub fn parse(text: &str) -> Result<PathList, String> {
        if text.len() > Self::MAX_BYTES {
            return Err(format!("must not be longer than {} bytes", Self::MAX_BYTES));
        }
        if text.lines().count() > Self::MAX_LINES {
            return Err(format!("must not have more than {} lines", Self::MAX_LINES));
        }
        let (list, bad) = PathList::parse_lines(text);
        match bad.first() {
            None => Ok(list),
            Some(BadLine { line, error }) => Err(format!("line {line}: {error}")),
        }
    }

    /// Parses the lines of a text that are patterns, and lists the lines that are neither patterns nor comments.
    pub fn parse_lines(text: &str) -> (PathList, Vec<BadLine>) {
        let (mut list, mut bad) = (PathList::default(), Vec::new());
        let lines = (1..).zip(text.lines().map(str::trim));
        for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
            match PathPattern::parse(text, Grammar::Path) {
                Ok(pattern) => {
                    list.patterns.push(pattern);
                    list.lines.push(line);
                }
                Err(error) => bad.push(BadLine { line, error }),
            }
        }
        (list, bad)
    }

    /// Finds the first line that matches, counted from 1.
    pub fn find_line(&self, path: &SplitPath<'_>) -> Option<usize> {
        let at = self.patterns.iter().position(|pattern| pattern.matches(path))?;
        self.lines.get(at).copied()
    }

    /// Decides whether any line matches a path.
    pub fn matches(&self, path: &SplitPath<'_>) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches(path))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let pattern = PathPattern::parse(pattern, Grammar::Path).expect("a well-formed pattern");
        pattern.matches(&SplitPath::new(path, ""))
    }

    fn captures(pattern: &str, path: &str) -> Option<Vec<String>> {
        let pattern = PathPattern::parse(pattern, Grammar::Redirect).expect("a well-formed pattern");
        pattern.captures(&SplitPath::new(path, ""))
    }

    #[test]
    fn a_star_is_exactly_one_segment() {
        assert!(matches("/blog/*", "/blog/a"));

        assert!(!matches("/blog/*", "/blog"));
        assert!(!matches("/blog/*", "/blog/a/b"));
    }

    #[test]
    fn two_stars_are_the_rest_even_when_there_is_none() {
        assert!(matches("/docs/**", "/docs"));
        assert!(matches("/docs/**", "/docs/a/b/c"));
        assert!(matches("/**", "/"));

        assert!(!matches("/docs/**", "/docsearch"));
    }

    #[test]
    fn a_trailing_slash_does_not_matter() {
        assert!(matches("/a", "/a/"));
        assert!(matches("/a/", "/a"));
        assert!(matches("/", "/"));

        assert!(!matches("/", "/a"));
    }

    #[test]
    fn matching_is_case_sensitive_on_the_decoded_path() {
        assert!(matches("/caf\u{e9}", "/caf%C3%A9"));
        assert!(matches("/caf%c3%a9", "/caf%C3%A9"));
        assert!(matches("/a b", "/a%20b"));

        assert!(!matches("/About", "/about"));
        assert!(!matches("/a/b", "/a%2Fb"));
    }

    #[test]
    fn outside_redirect_sources_a_star_may_be_a_part_of_a_segment() {
        assert!(matches("/blog-*", "/blog-2024"));
        assert!(matches("/*.pdf", "/report.pdf"));
        assert!(matches("/a*b*c", "/a-b-b-c"));

        assert!(!matches("/*.pdf", "/x/report.pdf"));
        assert!(!matches("/a*a", "/a"));
        assert_eq!(PathPattern::parse("/blog-*", Grammar::Redirect), Err(PatternError::PartialWildcard));
    }

    #[test]
    fn a_malformed_pattern_is_refused_with_its_reason() {
        let cases = [
            ("", PatternError::NoSlash),
            ("a", PatternError::NoSlash),
            ("/**/a", PatternError::RestNotLast),
            ("/a**", PatternError::RestNotLast),
            ("/***", PatternError::RestNotLast),
            ("/a#b", PatternError::Character),
            ("/a\\b", PatternError::Character),
            ("/a\r\nb", PatternError::Character),
            ("/a?b=*", PatternError::Query),
        ];

        for (text, reason) in cases {
            assert_eq!(PathPattern::parse(text, Grammar::Redirect), Err(reason), "{text:?}");
        }
        assert_eq!(PathPattern::parse("/a?b", Grammar::Path), Err(PatternError::Query));
        assert_eq!(
            PathPattern::parse(&format!("/{}", "a".repeat(512)), Grammar::Path),
            Err(PatternError::TooLong)
        );
        assert_eq!(PathPattern::parse(&"/a".repeat(65), Grammar::Path), Err(PatternError::TooManySegments));
    }

    #[test]
    fn a_source_with_a_question_mark_matches_path_and_whole_query_exactly() {
        let pattern = PathPattern::parse("/p?id=3&x=a b", Grammar::Redirect).expect("a well-formed pattern");

        assert!(pattern.matches(&SplitPath::new("/p", "id=3&x=a%20b")));
        assert!(!pattern.matches(&SplitPath::new("/p", "id=3")));
        assert!(!pattern.matches(&SplitPath::new("/p", "")));
    }

    #[test]
    fn captures_are_what_was_received() {
        assert_eq!(captures("/a/*/b/**", "/a/x%20y/b/c/d"), Some(vec!["x%20y".into(), "c/d".into()]));
        assert_eq!(captures("/a/**", "/a/"), Some(vec![String::new()]));
        assert_eq!(captures("/**", "//evil.com"), Some(vec!["evil.com".into()]));
        assert_eq!(captures("/a", "/b"), None);
    }

    #[test]
    fn the_most_specific_pattern_is_the_one_with_the_earlier_literal() {
        let order = ["/blog/new", "/blog/n*", "/blog/*", "/blog/**", "/*/new", "/**"];

        for pair in order.windows(2) {
            let parse = |text| PathPattern::parse(text, Grammar::Path).expect("a well-formed pattern");
            let compared = parse(pair[0]).compare_specificity(&parse(pair[1]));
            assert_eq!(compared, Ordering::Greater, "{} before {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn a_list_has_comments_blank_lines_and_either_line_end() {
        let list = PathList::parse("# private\r\n/admin/**\r\n\r\n/cart\n").expect("a well-formed list");

        assert!(list.matches(&SplitPath::new("/admin/users", "")));
        assert!(list.matches(&SplitPath::new("/cart", "")));
        assert!(!list.matches(&SplitPath::new("/private", "")));
    }

    #[test]
    fn a_bad_line_is_named() {
        let refused = PathList::parse("/ok\nadmin").expect_err("a line without a slash");

        assert_eq!(refused, "line 2: must start with /");
    }

    proptest! {
        #[test]
        fn no_text_makes_parsing_or_matching_panic(pattern in ".{0,80}", path in ".{0,80}", query in ".{0,20}") {
            for grammar in [Grammar::Path, Grammar::Redirect] {
                for text in [pattern.clone(), format!("/{pattern}")] {
                    if let Ok(pattern) = PathPattern::parse(&text, grammar) {
                        let _ = pattern.captures(&SplitPath::new(&path, &query));
                    }
                }
            }
        }

        #[test]
        fn a_pattern_without_wildcards_matches_its_own_text(segments in proptest::collection::vec("[a-z0-9.-]{1,8}", 0..6)) {
            let path = format!("/{}", segments.join("/"));
            let pattern = PathPattern::parse(&path, Grammar::Redirect).expect("a well-formed pattern");

            prop_assert!(pattern.matches(&SplitPath::new(&path, "")));
        }
    }
}
