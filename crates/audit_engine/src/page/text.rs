//! Measures of text: words, characters, letters, folded case. Used by facts, checks and scores. Pure.

use std::borrow::Cow;

use memchr::{memchr, memrchr};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

pub use super::words::words;

/// A piece of text, processed once for all buffers that it is appended to.
pub struct Collapsed<'t> {
    /// Text between the ends, each run of white space collapsed to one space.
    pub inner: Cow<'t, str>,
    leads: bool,
    trails: bool,
}

impl Collapsed<'_> {
    /// Collapses the white space of a text.
    pub fn of(text: &str) -> Collapsed<'_> {
        let start = text.trim_start();
        let inner = start.trim_end();
        let (leads, trails) = (start.len() < text.len(), inner.len() < start.len());
        if is_collapsed(inner) {
            return Collapsed { inner: Cow::Borrowed(inner), leads, trails };
        }
        let mut collapsed = String::with_capacity(inner.len());
        for word in inner.split(char::is_whitespace).filter(|word| !word.is_empty()) {
            if !collapsed.is_empty() {
                collapsed.push(' ');
            }
            collapsed.push_str(word);
        }
        Collapsed { inner: Cow::Owned(collapsed), leads, trails }
    }

    /// Appends the text to a buffer. White space at either end becomes one space; none at the start of the buffer or after a space.
    pub fn push_to(&self, buffer: &mut String) {
        // With the spaces around it, and the one that the next tag adds: most buffers never grow then.
        buffer.reserve(self.inner.len() + 2);
        if self.leads {
            push_space(buffer);
        }
        buffer.push_str(&self.inner);
        if self.trails {
            push_space(buffer);
        }
    }
}

/// Appends a space, unless that would be at the beginning or behind another.
pub fn push_space(buffer: &mut String) {
    // The last byte and not the last character: this is done for every tag.
    if buffer.as_bytes().last().is_some_and(|last| *last != b' ') {
        buffer.push(' ');
    }
}

/// Appends text so that any run of white space becomes one space, none at the beginning.
pub fn push_collapsed(buffer: &mut String, text: &str) {
    Collapsed::of(text).push_to(buffer);
}

/// Returns true when a text has no white space but single spaces. Most text has none, and is used unchanged.
fn is_collapsed(text: &str) -> bool {
    let bytes = text.as_bytes();
    // All bytes are looked at, without a branch: compilers do many at once then. White space of other scripts begins
    // with four bytes that letters of Latin, Greek and Cyrillic never begin with.
    let is_other = |byte: u8| byte < b' ' || matches!(byte, 0xC2 | 0xE1..=0xE3);
    let has_other = bytes.iter().fold(false, |any, byte| any | is_other(*byte));
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let has_pair = pairs.fold(false, |any, (one, two)| any | (*one == b' ' && *two == b' '));
    !has_other && !has_pair
}

/// Collapses white space and trims.
pub fn collapse(text: &str) -> String {
    Collapsed::of(text).inner.into_owned()
}

/// Counts characters as a reader counts them.
pub fn character_count(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).count() }
}

/// Counts the words of a text: those of Unicode that have a letter or digit.
///
/// Chinese and Japanese characters count 1/1.7 of a word, those of Thai and its neighbours a quarter: they write no spaces.
pub fn word_count(text: &str) -> usize {
    let mut counter = WordCounter::default();
    words(text).for_each(|word| counter.add(word));
    counter.count()
}

/// Words as [`word_count`] counts them, one after the other.
#[derive(Debug, Default)]
pub struct WordCounter {
    words: usize,
    east_asian: usize,
    south_east_asian: usize,
}

impl WordCounter {
    /// Counts a word of [`words`].
    pub fn add(&mut self, word: &str) {
        match word.chars().next() {
            Some(first) if first.is_ascii() => self.words += 1,
            Some(first) if is_han_or_kana(first) => {
                self.east_asian += word.chars().filter(|c| is_han_or_kana(*c)).count();
            }
            Some(first) if is_south_east_asian(first) => self.south_east_asian += word.chars().count(),
            _ => self.words += 1,
        }
    }

    /// Returns the number of words so far.
    pub fn count(&self) -> usize {
        if self.east_asian + self.south_east_asian == 0 {
            return self.words;
        }
        let east_asian = self.east_asian as f64 / 1.7;
        (self.words as f64 + east_asian + self.south_east_asian as f64 / 4.0).round() as usize
    }
}

/// Returns true when a text has at least this many words. Counts no further.
pub fn words_reach(text: &str, least: usize) -> bool {
    let mut counter = WordCounter::default();
    words(text).any(|word| {
        counter.add(word);
        counter.count() >= least
    })
}

/// Counts the Han, Hiragana and Katakana characters of a text.
pub fn han_and_kana_count(text: &str) -> usize {
    text.chars().filter(|c| is_han_or_kana(*c)).count()
}

/// Returns true when at least half of the letters are Chinese or Japanese.
pub fn is_cjk(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    // Such a character takes three bytes at least: that tells most texts without reading characters.
    let plain_letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let other_bytes = text.bytes().filter(|byte| !byte.is_ascii()).count();
    if other_bytes / 3 < plain_letters || other_bytes == 0 {
        return false;
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters > 0 && han_and_kana_count(text) * 2 >= letters
}

/// Folds a text so that upper and lower case are the same (Unicode default folding, NFC).
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Nothing composes with a space, so pieces between spaces are folded each as it needs, plain ones many at once.
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !byte.is_ascii()) {
        let start = memrchr(b' ', &rest.as_bytes()[..at]).map_or(0, |space| space + 1);
        let end = memchr(b' ', &rest.as_bytes()[at..]).map_or(rest.len(), |space| at + space);
        push_plain(&mut folded, &rest[..start]);
        // Upper case first: it spells out what lower case leaves alone (ß, final sigma).
        let piece = rest[start..end].chars();
        folded.extend(piece.flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc());
        rest = &rest[end..];
    }
    push_plain(&mut folded, rest);
    folded
}

fn push_plain(folded: &mut String, text: &str) {
    let start = folded.len();
    folded.push_str(text);
    folded[start..].make_ascii_lowercase();
}

/// Returns the width of a title in a result list, in pixels: Arial at 20 px.
pub fn pixel_width(text: &str) -> f64 {
    if text.is_ascii() {
        return text.chars().map(|c| f64::from(advance(c))).sum::<f64>() * 20.0 / 1000.0;
    }
    let base = text.nfd().filter(|c| !is_combining_mark(*c));
    base.map(|c| f64::from(advance(c))).sum::<f64>() * 20.0 / 1000.0
}

/// Returns hashes of the words in lower case, repetitions included, sorted: the form in which two texts are compared.
/// Hashes, since the words of a large page take many times its size.
pub fn sorted_words(text: &str) -> Vec<u64> {
    let mut words: Vec<u64> = words(text).map(|word| xxh3_64(fold(word).as_bytes())).collect();
    words.sort_unstable();
    words
}

/// Counts the words of `these` that are not among `others`, repetitions included. Both are sorted.
pub fn words_missing(these: &[u64], others: &[u64]) -> usize {
    let mut others = others.iter().peekable();
    let mut missing = 0;
    for word in these {
        while others.next_if(|other| *other < word).is_some() {}
        if others.next_if(|other| *other == word).is_none() {
            missing += 1;
        }
    }
    missing
}

fn is_han_or_kana(c: char) -> bool {
    matches!(u32::from(c),
        0x3005..=0x3007 | 0x3041..=0x309F | 0x30A1..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0xFF66..=0xFF9D | 0x2_0000..=0x3_23AF)
}

fn is_south_east_asian(c: char) -> bool {
    // Thai and Lao, Burmese, Khmer, and the scripts of the Tai languages.
    matches!(u32::from(c),
        0x0E01..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x1950..=0x19DF | 0x1A20..=0x1AAF | 0xA9E0..=0xA9FF
        | 0xAA60..=0xAADF)
}

/// Returns the advance of a character in Helvetica, in thousandths of its size.
fn advance(c: char) -> u16 {
    match c {
        '\'' => 191,
        'i' | 'j' | 'l' => 222,
        '|' => 260,
        ' ' | '!' | ',' | '.' | '/' | ':' | ';' | 'I' | '[' | '\\' | ']' | 'f' | 't' => 278,
        '(' | ')' | '-' | 'r' | '`' => 333,
        '{' | '}' => 334,
        '"' => 355,
        '*' => 389,
        '^' => 469,
        'J' | 'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' => 500,
        '+' | '<' | '=' | '>' | '~' => 584,
        'F' | 'T' | 'Z' => 611,
        '&' | 'A' | 'B' | 'E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' => 667,
        'C' | 'D' | 'H' | 'N' | 'R' | 'U' | 'w' => 722,
        'G' | 'O' | 'Q' => 778,
        'M' | 'm' => 833,
        '%' => 889,
        'W' => 944,
        '@' => 1015,
        _ if is_wide(c) => 1000,
        _ => 556,
    }
}

fn is_wide(c: char) -> bool {
    is_han_or_kana(c)
        || matches!(u32::from(c), 0x1100..=0x115F | 0x2E80..=0x303E | 0xAC00..=0xD7A3 | 0xFF01..=0xFF60 | 0xFFE0..=0xFFE6)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_counted_as_readers_count_them() {
        for (text, words) in [
            ("", 0),
            ("Hand-made shoes, 42 pairs & more…", 6),
            ("can't stop", 2),
            ("日本語の文章です。", 5),
            ("안녕 세상", 2),
            ("ภาษาไทยไม่มีช่องว่าง", 5),
            ("ພາສາລາວ", 2),
            ("ភាសាខ្មែរ", 2),
            ("မြန်မာဘာသာစကား", 4),
            ("カタカナ、ひらがな", 5),
            ("iPhone手机 Pro", 3),
            ("– — •", 0),
        ] {
            assert_eq!(word_count(text), words, "{text}");
        }
    }

    #[test]
    fn folding_makes_every_spelling_of_a_word_equal() {
        assert_eq!(fold("STRASSE"), fold("Straße"));
        assert_eq!(fold("ΟΔΟΣ"), fold("οδος"));
        assert_eq!(fold("Cafe\u{301}"), fold("CAFÉ"));
    }

    #[test]
    fn marks_do_not_widen_a_title() {
        assert_eq!(pixel_width("é"), pixel_width("e"));
        assert_eq!(pixel_width("Wi"), (944.0 + 222.0) * 0.02);
        assert_eq!(pixel_width("漢"), 20.0);
    }

    #[test]
    fn missing_words_are_counted_with_their_repetitions() {
        let (these, others) = (sorted_words("a a b c"), sorted_words("a b d"));

        assert_eq!(words_missing(&these, &others), 2);
    }

    proptest! {
        #[test]
        fn folding_in_pieces_is_folding_at_once(text in "[aB \u{e4}\u{c4}\u{308}\u{327}\u{df}\u{3a3}\u{130}]{0,24}") {
            let at_once: String = text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect();

            prop_assert_eq!(fold(&text), at_once);
        }

        #[test]
        fn chinese_is_recognised_by_its_letters(text in "[a1 \u{e4}\u{4e00}\u{3042}\u{ac00}]{0,24}") {
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();

            prop_assert_eq!(is_cjk(&text), letters > 0 && han_and_kana_count(&text) * 2 >= letters);
        }

        #[test]
        fn collapsing_in_pieces_is_collapsing_at_once(parts in prop::collection::vec("[a \t\né]{0,6}", 0..6)) {
            let mut buffer = String::new();
            parts.iter().for_each(|part| push_collapsed(&mut buffer, part));

            prop_assert_eq!(buffer.trim_end(), collapse(&parts.concat()));
        }
    }
}
