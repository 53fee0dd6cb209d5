//! How hard a text is to read: Flesch reading ease and its kin in other languages. Pure.
//! Formulas: Flesch (en), Amstad (de), Kandel-Moles (fr), Fernandez Huerta (es), Vacca (it), Douma (nl), and the
//! adaptations for Russian, Hungarian, Portuguese and Turkish. Languages without one have no value.

use super::sentences::sentence_count;
use super::text::{WordCounter, words};
use super::words::{BLOCK, bits, block_at};

/// Blocks with fewer words are labels, not prose.
const MIN_BLOCK_WORDS: usize = 5;

/// Reading ease of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Readability {
    /// 0 (hard) to 100 (easy), one decimal; -1 when there is no prose or no formula.
    pub score: f64,
    /// There is enough text for the score to mean something: 100 words and 5 sentences.
    pub is_measurable: bool,
}

/// `base - sentence * words per sentence - word * syllables per word`
struct Formula {
    base: f64,
    sentence: f64,
    word: f64,
}

/// Measures how easy blocks of prose are to read in the language that they are written in.
pub fn readability(blocks: &[String], language: Option<&'static str>) -> Readability {
    let none = Readability { score: -1.0, is_measurable: false };
    let Some((language, formula)) = language.and_then(|language| Some((language, formula(language)?))) else {
        return none;
    };
    let (mut count, mut sentences, mut syllables) = (0_usize, 0_usize, 0_usize);
    for block in blocks {
        let (mut counter, mut block_words, mut block_syllables) = (WordCounter::default(), 0, 0);
        let mut vowels = Vowels::of(block);
        for word in words(block) {
            counter.add(word);
            block_words += 1;
            block_syllables += syllable_count(word, language, &mut vowels);
        }
        if counter.count() >= MIN_BLOCK_WORDS {
            sentences += sentence_count(block);
            count += block_words;
            syllables += block_syllables;
        }
    }
    if count == 0 || sentences == 0 {
        return none;
    }
    let ease = formula.base
        - formula.sentence * count as f64 / sentences as f64
        - formula.word * syllables as f64 / count as f64;
    Readability {
        score: (ease.clamp(0.0, 100.0) * 10.0).round() / 10.0,
        is_measurable: count >= 100 && sentences >= 5,
    }
}

fn formula(language: &str) -> Option<Formula> {
    let (base, sentence, word) = match language {
        "en" => (206.835, 1.015, 84.6),
        "de" => (180.0, 1.0, 58.5),
        "fr" => (207.0, 1.015, 73.6),
        "es" => (206.84, 1.02, 60.0),
        "it" => (217.0, 1.3, 60.0),
        "nl" => (206.835, 0.93, 77.0),
        "ru" => (206.835, 1.3, 60.1),
        "hu" => (206.835, 1.015, 58.5),
        "pt" => (248.835, 1.015, 84.6),
        "tr" => (198.825, 2.61, 40.175),
        _ => return None,
    };
    Some(Formula { base, sentence, word })
}

/// Syllables of a word of the text that the vowels are of.
fn syllable_count(word: &str, language: &str, vowels: &mut Vowels) -> usize {
    let lang = match language {
        "de" => hypher::Lang::German,
        "fr" => hypher::Lang::French,
        "es" => hypher::Lang::Spanish,
        "it" => hypher::Lang::Italian,
        "nl" => hypher::Lang::Dutch,
        "ru" => hypher::Lang::Russian,
        "hu" => hypher::Lang::Hungarian,
        "en" => return english_syllables(word, vowels),
        _ => return vowel_groups(word).max(1),
    };
    hypher::hyphenate(word, lang).count().max(1)
}

/// Groups of vowels, without a silent e at the end.
fn english_syllables(word: &str, vowels: &mut Vowels) -> usize {
    let groups = if word.is_ascii() { vowels.groups_in(word) } else { vowel_groups(word) };
    let is_silent = match word.as_bytes() {
        [.., b'l' | b'L', b'e' | b'E'] => false,
        [.., b'e' | b'E'] => groups > 1,
        _ => false,
    };
    (groups - usize::from(is_silent)).max(1)
}

/// Where groups of vowels begin in a text, a block of bytes at once: most words are then counted without a loop.
struct Vowels<'t> {
    text: &'t str,
    /// Where the block begins that was looked at; none was: beyond the text.
    block: usize,
    /// One bit for each of its bytes with which a group begins.
    begins: u64,
}

impl<'t> Vowels<'t> {
    fn of(text: &'t str) -> Vowels<'t> {
        Vowels { text, block: usize::MAX, begins: 0 }
    }

    /// Groups of vowels in a word of the text that has ASCII letters only.
    fn groups_in(&mut self, word: &str) -> usize {
        let mut at = word.as_ptr().addr() - self.text.as_ptr().addr();
        let end = at + word.len();
        let mut groups = 0;
        while at < end {
            let start = at / BLOCK * BLOCK;
            if start != self.block {
                self.look(start);
            }
            let stop = end.min(start + BLOCK);
            groups += (self.begins >> (at - start) & u64::MAX >> (BLOCK - (stop - at))).count_ones();
            at = stop;
        }
        groups as usize
    }

    fn look(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let vowels = bits(&block_at(bytes, start), is_vowel);
        let goes_on = start.checked_sub(1).is_some_and(|before| is_vowel(bytes[before]));
        self.begins = vowels & !(vowels << 1 | u64::from(goes_on));
        self.block = start;
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte | 0x20, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn vowel_groups(word: &str) -> usize {
    let mut groups = 0;
    let mut after_vowel = false;
    for c in word.chars().flat_map(char::to_lowercase) {
        let is_vowel = "aeiouyäöüáéíóúâêôãõàıİ".contains(c);
        groups += usize::from(is_vowel && !after_vowel);
        after_vowel = is_vowel;
    }
    groups
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_words_and_sentences_are_easier_than_long_ones() {
        let easy =
            vec!["The cat sat on the mat and the dog ran to the big red house with the old man.".to_owned()];
        let hard = vec!["Institutional characteristics disproportionately complicate interdisciplinary telecommunications because organisational responsibilities deteriorate internationally.".to_owned()];

        let scores = [&easy, &hard].map(|blocks| readability(blocks, Some("en")).score);

        assert!(scores[0] > 80.0 && scores[1] < 10.0, "{scores:?}");
    }

    #[test]
    fn without_prose_or_formula_there_is_no_value() {
        let label = vec!["Add to basket".to_owned()];
        let japanese =
            vec!["これは日本語の文章です。とても読みやすいと思いますが、どうでしょうか。".to_owned()];

        assert_eq!(readability(&label, Some("en")).score, -1.0);
        assert_eq!(readability(&japanese, Some("ja")).score, -1.0);
    }

    #[test]
    fn a_silent_e_is_no_syllable() {
        let syllables = |word| english_syllables(word, &mut Vowels::of(word));

        assert_eq!(["make", "table", "the", "READING", "Ångström"].map(syllables), [1, 2, 1, 2, 1]);
    }

    proptest! {
        #[test]
        fn groups_of_vowels_are_those_that_a_reader_finds(text in "([aeiouyAb1]{1,70}[ ,.\u{e4}]{1,3}){0,8}") {
            let mut vowels = Vowels::of(&text);
            let ascii: Vec<&str> = words(&text).filter(|word| word.is_ascii()).collect();

            let found: Vec<usize> = ascii.iter().map(|word| vowels.groups_in(word)).collect();

            prop_assert_eq!(found, ascii.iter().map(|word| vowel_groups(word)).collect::<Vec<_>>());
        }
    }
}
