//! Writes a text with its spans as inline Markdown. Used by `inline`. Pure.
//! Must write a style only where CommonMark reads one: elsewhere the style is left out, and its text stays.

use super::escapes::{CodeWriter, is_letter, push_escaped};
use super::inline::{StyleSpan, TextStyle};

/// Beginning or end of a span.
#[derive(Debug, Clone, Copy)]
struct Border {
    at: usize,
    /// Number of the span.
    span: usize,
    is_start: bool,
}

/// Writes a text. Spans stand in the order of their beginnings, and none overlaps another.
pub fn render(text: &str, spans: Vec<StyleSpan>, code_span: CodeWriter) -> String {
    let spans: Vec<StyleSpan> = spans.into_iter().filter_map(|span| trimmed(text, span)).collect();
    let borders = borders(&spans);
    let mut delimiters = delimiters(text, &spans, &borders);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    // Length of `out` and delimiter where a span ended last.
    let mut ended = (0, "");
    let mut at = 0;
    for border in &borders {
        let span = &spans[border.span];
        if border.at > at {
            push_lines(&mut out, &text[at..border.at], &text[border.at..]);
            at = border.at;
        }
        let delimiter = match (&span.style, border.is_start) {
            (TextStyle::Code, true) => {
                // Two spans of code that touch would be one.
                let touches = ended == (out.len(), "`");
                let code = code_span(&text[span.start..span.end]).filter(|_| !touches);
                let Some(code) = code else { continue };
                out.push_str(&code);
                at = span.end;
                "`"
            }
            (TextStyle::Code, false) => continue,
            (TextStyle::Link(_), true) => {
                if out.ends_with('!') {
                    out.insert(out.len() - 1, '\\');
                }
                out.push('[');
                continue;
            }
            (TextStyle::Image(_), true) => {
                out.push_str("![");
                continue;
            }
            (TextStyle::Link(destination) | TextStyle::Image(destination), false) => {
                out.push_str("](");
                out.push_str(destination);
                out.push(')');
                continue;
            }
            (TextStyle::Strong | TextStyle::Emphasis, is_start) => {
                let delimiter = delimiters[border.span];
                if is_start && ended == (out.len(), delimiter) {
                    delimiters[border.span] = "";
                    continue;
                }
                out.push_str(delimiter);
                delimiter
            }
        };
        if !delimiter.is_empty() && (!border.is_start || delimiter == "`") {
            ended = (out.len(), delimiter);
        }
    }
    push_lines(&mut out, &text[at..], "");
    out
}

/// Moves white space out of a span. Returns `None` when nothing is left.
fn trimmed(text: &str, mut span: StyleSpan) -> Option<StyleSpan> {
    let part = text.get(span.start..span.end.min(text.len()))?;
    span.end = span.start + part.trim_end().len();
    span.start += part.len() - part.trim_start().len();
    Some(span).filter(|span| span.start < span.end)
}

/// Lists the beginnings and ends of spans in the order of the text.
fn borders(spans: &[StyleSpan]) -> Vec<Border> {
    let mut borders = Vec::with_capacity(spans.len() * 2);
    let mut open: Vec<usize> = Vec::new();
    for (number, span) in spans.iter().enumerate() {
        while let Some(ended) = open.pop_if(|open| spans[*open].end <= span.start) {
            borders.push(Border { at: spans[ended].end, span: ended, is_start: false });
        }
        borders.push(Border { at: span.start, span: number, is_start: true });
        open.push(number);
    }
    let rest = open.into_iter().rev();
    borders.extend(rest.map(|number| Border { at: spans[number].end, span: number, is_start: false }));
    borders
}

/// Decides the delimiter of each span that has a style; empty where the style is left out.
fn delimiters(text: &str, spans: &[StyleSpan], borders: &[Border]) -> Vec<&'static str> {
    let mut delimiters = vec![""; spans.len()];
    // True at borders that touch another one.
    let mut touches = vec![[false; 2]; spans.len()];
    for (index, border) in borders.iter().enumerate() {
        let mut beside =
            [index.checked_sub(1), Some(index + 1)].into_iter().flatten().filter_map(|at| borders.get(at));
        touches[border.span][usize::from(border.is_start)] = beside.any(|other| other.at == border.at);
    }
    for (number, span) in spans.iter().enumerate() {
        let [touches_end, touches_start] = touches[number];
        let part = &text[span.start..span.end];
        let before = text[..span.start].chars().next_back();
        let after = text[span.end..].chars().next();
        let (parts_before, parts_after) = (before.is_none_or(parts_words), after.is_none_or(parts_words));
        // Inside a word, a letter has to follow the delimiter at once.
        let opens = parts_before || !touches_start && part.starts_with(is_letter);
        let closes = parts_after || !touches_end && part.ends_with(is_letter);
        delimiters[number] = match span.style {
            TextStyle::Strong if opens && closes => "**",
            TextStyle::Emphasis if parts_before && parts_after => "_",
            // An asterisk must not touch those of strong text.
            TextStyle::Emphasis if opens && closes && !touches_start && !touches_end => "*",
            _ => "",
        };
    }
    delimiters
}

/// Returns true for white space and punctuation, beside which a delimiter opens and closes whatever it encloses.
fn parts_words(letter: char) -> bool {
    letter.is_whitespace() || letter.is_ascii_punctuation()
}

/// Appends text whose line breaks are hard ones.
fn push_lines(out: &mut String, part: &str, after: &str) {
    for (index, line) in part.split('\n').enumerate() {
        if index > 0 {
            out.truncate(out.trim_end_matches(' ').len());
            out.push_str("\\\n");
        }
        push_escaped(out, line, after);
    }
}
