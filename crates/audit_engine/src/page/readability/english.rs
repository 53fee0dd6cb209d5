//! Words and syllables of English text without foreign letters, counted for 64 bytes at once. Pure.
//! Each byte is a bit of a number; the carry of an addition runs from a mark in a word to the end of that word.

use std::borrow::Cow;

use memchr::memchr;

use super::{ProseCounts, is_ascii_vowel};
use crate::page::words::{BLOCK, bits, block_at, is_plain_letter, needs_rules};

/// Counts words, sentences and syllables of a text. Returns `None` for a text that needs the rules of Unicode word by word.
pub fn count(text: &str) -> Option<ProseCounts> {
    let text = in_ascii(text)?;
    if memchr(b'_', &text).is_some() {
        return None;
    }
    let (mut sums, mut before) = (Sums::default(), Before::default());
    // One block more than there is text, if need be: every word ends before a byte of none.
    for start in (0..=text.len()).step_by(BLOCK) {
        sums.add(&text, start, &mut before)?;
    }
    let Sums { words, groups, voiced, silent } = sums;
    // A word without a vowel is spoken too.
    Some(ProseCounts { counted: words, words, syllables: groups + (words - voiced) - silent })
}

/// Replaces typographic signs by those of typewriters, which divide words the same way. Returns `None` for a text
/// with foreign letters.
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
struct Sums {
    words: usize,
    /// Groups of vowels.
    groups: usize,
    /// Words with a vowel.
    voiced: usize,
    /// Words of several groups that end with a silent e.
    silent: usize,
}

/// State that the last bytes of a block carry into the next one.
#[derive(Default)]
struct Before {
    plain: u64,
    words: u64,
    vowels: u64,
    voiced: bool,
    resumed: bool,
}

impl Sums {
    fn add(&mut self, text: &[u8], start: usize, before: &mut Before) -> Option<()> {
        let block = block_at(text, start);
        let plain = bits(&block, is_plain_letter);
        let vowels = bits(&block, is_ascii_vowel);
        let marks = bits(&block, needs_rules);

        let next = text.get(start + BLOCK).is_some_and(|byte| is_plain_letter(*byte));
        let between = marks & moved(plain, &mut before.plain) & (plain >> 1 | u64::from(next) << 63);
        let words = plain | joined(text, start, between)?;
        let ends = !words & moved(words, &mut before.words);
        let after_vowel = moved(vowels, &mut before.vowels);
        // Something else behind a vowel: a group of vowels is over, and the word is not.
        let resumed = words & !vowels & after_vowel;

        self.words += ones(ends);
        self.groups += ones(vowels & !after_vowel);
        self.voiced += ones(carried(words, vowels, &mut before.voiced) & ends);
        let of_several = carried(words, resumed, &mut before.resumed) & ends & after_vowel;
        self.silent += places(of_several).filter(|at| is_silent(&text[..start + at])).count();
        Some(())
    }
}

/// Finds the marks between two letters or digits that are parts of words: "don't" and "3.5" are a word each. Returns
/// `None` for "1,000" and "12:30", which need the rules of Unicode.
fn joined(text: &[u8], start: usize, between: u64) -> Option<u64> {
    let mut joined = 0;
    for at in places(between) {
        let [one, mark, other] = text[start + at - 1..][..3] else { return None };
        if !matches!(mark, b'.' | b'\'') {
            return None;
        }
        let is_joined = one.is_ascii_digit() == other.is_ascii_digit();
        joined |= u64::from(is_joined) << at;
    }
    Some(joined)
}

/// Returns true for a silent e at the end of a word of several groups.
fn is_silent(text: &[u8]) -> bool {
    matches!(text, [.., before, b'e' | b'E'] if before | 0x20 != b'l')
}

/// Places of the bits that are set.
fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        place
    })
}

fn ones(bits: u64) -> usize {
    bits.count_ones() as usize
}

/// Shifts each bit to the next byte; `before` carries the last bit of a block into the next one.
fn moved(bits: u64, before: &mut u64) -> u64 {
    let moved = bits << 1 | *before;
    *before = bits >> 63;
    moved
}

/// Sets a bit behind each word that has one of the bits `what`, which are in words.
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
        let counted = |text| count(text).map(|counts| (counts.words, counts.syllables));

        assert_eq!(counted("Don't make 3.5 tables, he said."), Some((6, 7)));
        assert_eq!(counted("\u{201c}Don\u{2019}t\u{201d} \u{2014} he said\u{2026}"), Some((3, 3)));
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
