//! Regular expressions in the syntax that RE2, PCRE and JavaScript share: no look-around, no flags, no named groups.
//! Used by the crawler list. Pure.

use std::collections::BTreeSet;

/// Function that writes a text as an expression.
pub type Spelling = fn(&str) -> String;

/// Writes a text as a case-sensitive expression.
pub fn exact(text: &str) -> String {
    // Characters without a meaning outside of a class: JavaScript refuses some of these escapes.
    ["-", "#", "&", "~"]
        .iter()
        .fold(regex::escape(text), |text, plain| text.replace(&format!("\\{plain}"), plain))
}

/// Writes a text in lower case as a case-insensitive expression. A flag would apply to the whole expression in most languages.
pub fn any_case(text: &str) -> String {
    let spelled = |one: char| match one {
        'a'..='z' => format!("[{one}{}]", one.to_ascii_uppercase()),
        _ => exact(one.encode_utf8(&mut [0; 4])),
    };
    text.chars().map(spelled).collect()
}

/// Returns one expression for each first character of the texts, with common prefixes written once.
pub fn alternatives(texts: &BTreeSet<String>, spell: Spelling) -> Vec<String> {
    branches(&texts.iter().map(String::as_str).collect::<Vec<_>>(), spell)
}

/// Returns the alternatives of `texts`, which are sorted and none of which begins with another.
fn branches(texts: &[&str], spell: Spelling) -> Vec<String> {
    let groups = texts.chunk_by(|one, next| one.chars().next() == next.chars().next());
    groups
        .map(|group| {
            let begin = common_begin(group);
            let rests: Vec<&str> = group.iter().map(|text| &text[begin.len()..]).collect();
            match rests.as_slice() {
                [_] => spell(group[0]),
                _ => format!("{}(?:{})", spell(begin), branches(&rests, spell).join("|")),
            }
        })
        .collect()
}

fn common_begin<'a>(group: &[&'a str]) -> &'a str {
    let first = group[0];
    let is_shared = |end: usize| group.iter().all(|text| text.get(..end) == first.get(..end));
    let ends = first.char_indices().map(|(at, one)| at + one.len_utf8());
    let end = ends.take_while(|end| is_shared(*end)).last().unwrap_or(0);
    &first[..end]
}

/// Returns expressions that find the words outside of the exceptions, in any case. An exception contains exactly one word, at its
/// beginning or at its end.
pub fn words(words: &[&str], exceptions: &[&str]) -> Vec<String> {
    words.iter().flat_map(|word| word_outside_of(word, exceptions)).collect()
}

fn word_outside_of(word: &str, exceptions: &[&str]) -> Vec<String> {
    let Some(exception) = exceptions.iter().find(|exception| exception.contains(word)) else {
        return vec![any_case(word)];
    };
    let class = |one: char| match any_case(one.encode_utf8(&mut [0; 4])).as_str() {
        letters if letters.starts_with('[') => letters.replace('[', "[^"),
        other => format!("[^{other}]"),
    };
    let not = |one: char, edge: &str| format!("(?:{edge}|{})", class(one));
    match (exception.strip_suffix(word), exception.strip_prefix(word)) {
        // `cubot`: the word after any character but `u`, or after a `u` that follows any character but `c`.
        (Some(before), _) => before
            .char_indices()
            .map(|(at, one)| format!("{}{}", not(one, "^"), any_case(&exception[at + one.len_utf8()..])))
            .collect(),
        (_, Some(after)) => {
            let end = after.chars().rev().fold(String::new(), |rest, one| {
                if rest.is_empty() {
                    return not(one, "$");
                }
                format!("(?:$|{}|{}{rest})", class(one), any_case(one.encode_utf8(&mut [0; 4])))
            });
            vec![format!("{}{end}", any_case(word))]
        }
        _ => vec![any_case(word)],
    }
}

/// Rewrites capturing groups as plain ones: captures would count where the list is part of another expression.
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
        let texts = ["abc/", "abd", "x.y"].map(str::to_owned).into();

        assert_eq!(alternatives(&texts, exact), ["ab(?:c/|d)", "x\\.y"]);
        assert_eq!(alternatives(&texts, any_case), ["[aA][bB](?:[cC]/|[dD])", "[xX]\\.[yY]"]);
    }

    #[test]
    fn a_word_is_found_outside_of_its_exceptions() {
        let all = words(&["bot", "spider", "xy"], &["cubot", "xy b"]);

        assert_eq!(
            all,
            [
                "(?:^|[^cC])[uU][bB][oO][tT]",
                "(?:^|[^uU])[bB][oO][tT]",
                "[sS][pP][iI][dD][eE][rR]",
                "[xX][yY](?:$|[^ ]| (?:$|[^bB]))",
            ]
        );
    }

    #[test]
    fn groups_capture_nothing() {
        assert_eq!(plain_groups(r"(^| )sentry\(/"), r"(?:(?:^| )sentry\(/)");
    }
}
