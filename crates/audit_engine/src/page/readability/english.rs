//! Words and syllables of English text without foreign letters, counted for 64 bytes at once: one bit for each byte, and additions whose
//! carries run from where something is in a word to the end of that word. Pure.

use std::borrow::Cow;

use memchr::memchr;

use crate::page::words::{BLOCK, bits, block_at};

/// Words as readers count them, words, and their syllables. None: word by word only, by the rules of Unicode.
pub fn count(text: &str) -> Option<(usize, usize, usize)> {
    let text = in_ascii(text)?;
    if memchr(b'_', &text).is_some() {
        return None;
    }
    let (mut counts, mut before) = (Counts::default(), Before::default());
    // One block more than there is text, if need be: every word ends before a byte of none.
    for start in (0..=text.len()).step_by(BLOCK) {
        counts.add(&text, start, &mut before)?;
    }
    let Counts { words, groups, voiced, silent } = counts;
    // A word without a vowel is spoken too.
    Some((words, words, groups + (words - voiced) - silent))
}

/// A text with the signs of typographers as those of typewriters, which divide words the same way. None: it has letters.
fn in_ascii(text: &str) -> Option<Cow<'_, [u8]>> {
    if text.is_ascii() {
        return Some(Cow::Borrowed(text.as_bytes()));
    }
    let ascii = text.chars().map(|c| match c {
        '\0'..='\x7f' => u8::try_from(c).ok(),
        '\u{2018}' | '\u{2019}' => Some(b'\''),
        '\u{a0}' | '\u{a3}' | '\u{a9}' | '\u{2013}' | '\u{2014}' | '\u{201c}' | '\u{201d}' | '\u{2022}'
        | '\u{2026}' | '\u{20ac}' => Some(b' '),
        _ => None,
    });
    ascii.collect::<Option<Vec<u8>>>().map(Cow::Owned)
}

#[derive(Default)]
struct Counts {
    words: usize,
    /// Groups of vowels.
    groups: usize,
    /// Words with a vowel.
    voiced: usize,
    /// Words of several groups that end with an e which nobody hears.
    silent: usize,
}

/// What the last bytes of a block say about the next one.
#[derive(Default)]
struct Before {
    letters: u64,
    digits: u64,
    words: u64,
    vowels: u64,
    is_l: u64,
    silent: u64,
    mark: u64,
    voiced: bool,
    resumed: bool,
}

impl Counts {
    fn add(&mut self, text: &[u8], start: usize, before: &mut Before) -> Option<()> {
        let block = block_at(text, start);
        let letters = bits(&block, |byte| (byte | 0x20).wrapping_sub(b'a') < 26);
        let digits = bits(&block, |byte| byte.wrapping_sub(b'0') < 10);
        let vowels = bits(&block, |byte| matches!(byte | 0x20, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
        let is_e = bits(&block, |byte| byte | 0x20 == b'e');
        let is_l = bits(&block, |byte| byte | 0x20 == b'l');
        let joints = bits(&block, |byte| matches!(byte, b'.' | b'\''));
        let marks = bits(&block, |byte| matches!(byte, b',' | b';' | b':' | b'"'));

        let (after_letter, after_digit) =
            (moved(letters, &mut before.letters), moved(digits, &mut before.digits));
        let next = text.get(start + BLOCK).copied().unwrap_or_default();
        let before_letter = letters >> 1 | u64::from(next.is_ascii_alphabetic()) << 63;
        let before_digit = digits >> 1 | u64::from(next.is_ascii_digit()) << 63;
        // "don't" and "3.5" are a word each, "1,000" and "12:30" are for those who know all rules.
        let joined = joints & (after_letter & before_letter | after_digit & before_digit);
        let between = marks & (after_letter | after_digit);
        if moved(between, &mut before.mark) & (letters | digits) != 0 {
            return None;
        }
        let words = letters | digits | joined;
        let ends = !words & moved(words, &mut before.words);
        let after_vowel = moved(vowels, &mut before.vowels);
        // Something else behind a vowel: a group of vowels is over, and the word is not.
        let resumed = words & !vowels & after_vowel;
        let after_silent = {
            let after_l = moved(is_l, &mut before.is_l);
            moved(is_e & !after_l, &mut before.silent)
        };

        self.words += ones(ends);
        self.groups += ones(vowels & !after_vowel);
        self.voiced += ones(carried(words, vowels, &mut before.voiced) & ends);
        self.silent += ones(carried(words, resumed, &mut before.resumed) & ends & after_silent);
        Some(())
    }
}

fn ones(bits: u64) -> usize {
    bits.count_ones() as usize
}

/// Each bit moved to the next byte; `before` is what the block before moves into this one.
fn moved(bits: u64, before: &mut u64) -> u64 {
    let moved = bits << 1 | *before;
    *before = bits >> 63;
    moved
}

/// A bit behind each word that has one of `what`, which are in words.
fn carried(words: u64, what: u64, carry: &mut bool) -> u64 {
    let (sum, first) = words.overflowing_add(what);
    let (sum, second) = sum.overflowing_add(u64::from(*carry));
    *carry = first || second;
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::count_one_by_one;
    use super::*;

    #[test]
    fn short_forms_and_numbers_are_one_word_and_what_is_doubtful_is_left() {
        assert_eq!(count("Don't make 3.5 tables, he said."), Some((6, 6, 7)));
        assert_eq!(count("\u{201c}Don\u{2019}t\u{201d} \u{2014} he said\u{2026}"), Some((3, 3, 3)));
        assert_eq!(["1,000 of them", "at 12:30", "a_b", "na\u{ef}ve"].map(count), [None; 4]);
    }

    proptest! {
        #[test]
        fn counts_are_those_of_one_word_after_the_other(text in "([aeilLEyb1']{1,70}[ ,.'\"\n-]{1,3}){0,8}") {
            if let Some(counts) = count(&text) {
                prop_assert_eq!(counts, count_one_by_one(&text, "en"), "{:?}", text);
            }
        }

        #[test]
        fn counts_of_short_words_are_too(text in "[aelt1 .,;:'\"!\u{2019}\u{2018}\u{201c}\u{2026}\u{2013}\u{a0}\u{a3}-]{0,140}") {
            if let Some(counts) = count(&text) {
                prop_assert_eq!(counts, count_one_by_one(&text, "en"), "{:?}", text);
            }
        }
    }
}
