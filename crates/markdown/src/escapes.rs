//! Escapes of text that Markdown or HTML would take for markup (CommonMark 0.31, GFM tables). Pure.

/// Longest name of a character reference, in bytes.
const MAX_REFERENCE_BYTES: usize = 40;

/// Appends a part of a text, escaped. `after` is the text that follows.
pub fn push_escaped(out: &mut String, part: &str, after: &str) {
    let mut plain = 0;
    let mut before = None;
    for (at, letter) in part.char_indices() {
        let next = || part[at + letter.len_utf8()..].chars().next();
        // Tags and references may be put together of several parts.
        let rest = || part[at + letter.len_utf8()..].chars().chain(after.chars());
        let is_markup = match letter {
            '\\' | '`' | '*' | '[' | ']' | '~' => true,
            '_' => !before.is_some_and(is_letter) || !next().is_some_and(is_letter),
            // A tag, or an e-mail address, which may begin with any sign.
            '<' => rest().next().is_some_and(|next| !next.is_whitespace()),
            '&' => is_reference(rest()),
            _ => false,
        };
        if is_markup {
            out.push_str(&part[plain..at]);
            out.push('\\');
            plain = at;
        }
        before = Some(letter);
    }
    out.push_str(&part[plain..]);
}

/// Returns true for a text that begins with a character reference.
pub fn begins_reference(text: &str) -> bool {
    text.strip_prefix('&').is_some_and(|rest| is_reference(rest.chars()))
}

fn is_reference(rest: impl Iterator<Item = char>) -> bool {
    let end = rest.take(MAX_REFERENCE_BYTES).find(|letter| !letter.is_ascii_alphanumeric() && *letter != '#');
    end == Some(';')
}

/// Escapes the beginnings of a paragraph's lines.
pub fn escape_lines(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        let (start, rest) = line.split_at(line_markup(line).unwrap_or(0));
        escaped.push_str(start);
        if line_markup(line).is_some() {
            escaped.push('\\');
        }
        escaped.push_str(rest);
    }
    escaped
}

/// Finds the character that makes the beginning of a line markup: of a heading, quote, item, rule or table.
fn line_markup(line: &str) -> Option<usize> {
    let line = line.trim_end_matches(['\n', '\\']);
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    let first = line.bytes().next()?;
    let is_markup = match first {
        b'>' => true,
        b'#' => ends(line.trim_start_matches('#')),
        b'+' | b'-' if ends(&line[1..]) => true,
        // A rule, the underline of a heading, the fence of front matter, or the second line of a table.
        b'-' | b'+' | b'=' | b':' | b'|' => line.bytes().all(|byte| b"-+=:| ".contains(&byte)),
        b'0'..=b'9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let is_item = line[digits..].starts_with(['.', ')']) && ends(&line[digits + 1..]);
            return is_item.then_some(digits);
        }
        _ => false,
    };
    is_markup.then_some(0)
}

/// Escapes the end of a heading, where `#` would close it.
pub fn escape_heading(text: &str) -> String {
    let start = text.trim_end_matches('#');
    if start.len() < text.len() && (start.is_empty() || start.ends_with(' ')) {
        return format!("{start}\\{}", &text[start.len()..]);
    }
    text.to_owned()
}

/// Writer of code spans. Returns `None` for code that can only be written as text.
pub type CodeWriter = fn(&str) -> Option<String>;

/// Writes a code span, whose fence is longer than the backticks inside it.
pub fn code_span(code: &str) -> Option<String> {
    let fence = "`".repeat(longest_run(code) + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    Some(format!("{fence}{pad}{}{pad}{fence}", code.replace('\n', " ")))
}

/// Writes a code span of a table's cell, where a backslash makes no difference before the one that escapes a pipe.
pub fn cell_code_span(code: &str) -> Option<String> {
    if code.contains("\\|") { None } else { code_span(code) }
}

/// Escapes a cell of a table.
pub fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Returns the length of the longest run of backticks.
pub fn longest_run(code: &str) -> usize {
    code.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

/// Writes the title of a link or picture. Empty when nothing is in it.
pub fn title(text: Option<&str>) -> String {
    let words = text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return String::new();
    }
    let mut title = " \"".to_owned();
    for (at, letter) in words.char_indices().filter(|(_, letter)| !is_dropped(*letter)) {
        if matches!(letter, '"' | '\\') || begins_reference(&words[at..]) {
            title.push('\\');
        }
        title.push(letter);
    }
    title.push('"');
    title
}

/// Returns true for a character that says nothing: a control character or a byte order mark.
pub fn is_dropped(letter: char) -> bool {
    letter.is_control() || letter == '\u{feff}'
}

/// Returns true for a character that no version of CommonMark takes for punctuation.
pub fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() && !matches!(letter, '\u{2460}'..='\u{24ff}' | '\u{1f100}'..='\u{1f1ff}')
}
