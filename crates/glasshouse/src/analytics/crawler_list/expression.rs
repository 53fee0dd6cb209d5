//! Regular expressions in the words that RE2, PCRE and JavaScript share: no look-around, no flags, no named groups.
//! Used by the crawler list. Pure.

use std::collections::BTreeSet;

/// Returns one expression for each first character of the texts, with common beginnings written once.
pub fn alternatives(texts: &BTreeSet<String>) -> Vec<String> {
    branches(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// `texts` are sorted, and none begins with another.
fn branches(texts: &[&str]) -> Vec<String> {
    let groups = texts.chunk_by(|one, next| one.chars().next() == next.chars().next());
    groups
        .map(|group| {
            let begin = common_begin(group);
            let rests: Vec<&str> = group.iter().map(|text| &text[begin.len()..]).collect();
            match rests.as_slice() {
                [_] => regex::escape(group[0]),
                _ => format!("{}(?:{})", regex::escape(begin), branches(&rests).join("|")),
            }
        })
        .map(|expression| portable(&expression))
        .collect()
}

/// Removes the escapes of characters that are plain outside of a class: JavaScript refuses some of them.
fn portable(expression: &str) -> String {
    ["-", "#", "&", "~"]
        .iter()
        .fold(expression.to_owned(), |text, plain| text.replace(&format!("\\{plain}"), plain))
}

fn common_begin<'a>(group: &[&'a str]) -> &'a str {
    let first = group[0];
    let is_shared = |end: usize| group.iter().all(|text| text.get(..end) == first.get(..end));
    let ends = first.char_indices().map(|(at, one)| at + one.len_utf8());
    let end = ends.take_while(|end| is_shared(*end)).last().unwrap_or(0);
    &first[..end]
}

/// Returns one expression per word that finds it outside of the exceptions. An exception contains exactly one word, at its
/// beginning or at its end.
pub fn words(words: &[&str], exceptions: &[&str]) -> Vec<String> {
    words.iter().flat_map(|word| word_outside_of(word, exceptions)).collect()
}

fn word_outside_of(word: &str, exceptions: &[&str]) -> Vec<String> {
    let Some(exception) = exceptions.iter().find(|exception| exception.contains(word)) else {
        return vec![regex::escape(word)];
    };
    let not = |one: char, edge: &str| format!("(?:{edge}|[^{one}])");
    match (exception.strip_suffix(word), exception.strip_prefix(word)) {
        // `cubot`: the word behind anything but `u`, or behind `u` that stands behind anything but `c`.
        (Some(before), _) => before
            .char_indices()
            .map(|(at, one)| format!("{}{}{word}", not(one, "^"), &before[at + one.len_utf8()..]))
            .collect(),
        (_, Some(after)) => {
            let end = after.chars().rev().fold(String::new(), |rest, one| {
                if rest.is_empty() { not(one, "$") } else { format!("(?:$|[^{one}]|{one}{rest})") }
            });
            vec![format!("{word}{end}")]
        }
        _ => vec![regex::escape(word)],
    }
}

/// Rewrites capturing groups as plain ones: what is captured would count where the list is part of another expression.
pub fn plain_groups(expression: &str) -> String {
    let mut plain = String::with_capacity(expression.len() + 8);
    let mut chars = expression.chars().peekable();
    while let Some(one) = chars.next() {
        plain.push(one);
        match one {
            '\\' => plain.extend(chars.next()),
            '(' if chars.peek() != Some(&'?') => plain.push_str("?:"),
            _ => {}
        }
    }
    format!("(?:{plain})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_beginnings_are_written_once() {
        let texts = ["abc/", "abd", "x.y"].map(str::to_owned);

        assert_eq!(alternatives(&texts.into()), ["ab(?:c/|d)", "x\\.y"]);
    }

    #[test]
    fn a_word_is_found_outside_of_its_exceptions() {
        let all = words(&["bot", "preview", "spider"], &["cubot", "preview bu"]);

        assert_eq!(
            all,
            ["(?:^|[^c])ubot", "(?:^|[^u])bot", "preview(?:$|[^ ]| (?:$|[^b]|b(?:$|[^u])))", "spider"]
        );
    }

    #[test]
    fn groups_capture_nothing() {
        assert_eq!(plain_groups(r"(^| )sentry\(/"), r"(?:(?:^| )sentry\(/)");
    }
}
