//! Sentences of a text, and the distance between two places in a sentence. Used by the tone analyser. Pure.

use std::ops::Range;

/// Abbreviations whose full stop ends no sentence, folded.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "inc", "ltd", "co", "corp", "vs", "dr", "mr", "mrs", "ms", "st", "no", "approx",
    "z.b", "b", "bzw", "ca", "usw", "d.h", "u.a", "evtl", "ggf", "inkl", "p. ex", "ex", "env", "min", "max",
    "p. ej", "ej", "ud", "uds", "sr", "sra", "es", "ecc", "art", "nr", "tel", "jr", "u.s",
];

/// Splits a stretch of a folded text into sentences. A line feed ends a sentence too.
pub fn sentences(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = within.start;
    for (offset, c) in text[within.clone()].char_indices() {
        let at = within.start + offset;
        let end = at + c.len_utf8();
        if at < start || !ends_sentence(text, start..at, c, &text[end..within.end]) {
            continue;
        }
        // Closing brackets and quotes belong to the sentence.
        let closing = text[end..within.end].len()
            - text[end..within.end]
                .trim_start_matches([')', '"', '”', '»', '」', '』', '）', '!', '?'])
                .len();
        found.push(start..end + closing);
        start = end + closing;
    }
    found.push(start..within.end);
    found.retain(|range| !text[range.clone()].trim().is_empty());
    found
}

fn ends_sentence(text: &str, before: Range<usize>, c: char, after: &str) -> bool {
    match c {
        '。' | '！' | '？' | '\n' => true,
        '.' | '!' | '?' | '…' if !after.is_empty() && !after.starts_with([' ', ')', '"', '”', '»', '\n']) => {
            false
        }
        '!' | '?' | '…' => true,
        '.' => {
            let word = text[before].rsplit([' ', '(', '\n']).next().unwrap_or_default();
            let is_number = !word.is_empty() && word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
            !ABBREVIATIONS.contains(&word) && !is_number
        }
        _ => false,
    }
}

/// Counts the words of a stretch of text. Without spaces, three characters count as a word.
pub fn words_in(text: &str) -> usize {
    let is_unspaced = |c: char| ('\u{3040}'..='\u{9fff}').contains(&c);
    let unspaced = text.chars().filter(|c| is_unspaced(*c)).count();
    let spaced = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'' || is_unspaced(c))
        .filter(|word| !word.is_empty())
        .count();
    spaced + unspaced.div_ceil(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_stops() {
        let text =
            "it costs 3.5 dollars, e.g. per seat. is it good? yes (really.) no! a.b goes on\nnext line";

        let found: Vec<&str> =
            sentences(text, 0..text.len()).into_iter().map(|range| text[range].trim()).collect();

        assert_eq!(
            found,
            [
                "it costs 3.5 dollars, e.g. per seat.",
                "is it good?",
                "yes (really.)",
                "no!",
                "a.b goes on",
                "next line"
            ]
        );
        assert_eq!(sentences("速い。安い。", 0..18), [0..9, 9..18]);
    }

    #[test]
    fn words_are_counted_in_every_script() {
        assert_eq!(words_in("very, very good"), 3);
        assert_eq!(words_in("とても良い"), 2);
        assert_eq!(words_in(" - "), 0);
    }
}
