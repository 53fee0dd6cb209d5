//! Reading ease of a text: Flesch and the corresponding formulas of other languages. Pure.
//! Formulas: Flesch (en), Amstad (de), Kandel-Moles (fr), Fernandez Huerta (es), Vacca (it), Douma (nl), and the
//! adaptations for Russian, Hungarian, Portuguese and Turkish. Languages without one have no value.

mod english;

use super::sentences::sentence_count;
use super::text::{WordCounter, words};

/// Blocks with fewer words are labels, not prose.
const MIN_BLOCK_WORDS: usize = 5;

/// Reading ease of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Readability {
    /// 0 (hard) to 100 (easy), one decimal; -1 when there is no prose or no formula.
    pub score: f64,
    /// True when there is enough text for a meaningful score: 100 words and 5 sentences.
    pub is_measurable: bool,
}

/// `base - sentence * words per sentence - word * syllables per word`
struct Formula {
    base: f64,
    sentence: f64,
    word: f64,
}

/// Counts of a block of prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProseCounts {
    /// Words as readers count them.
    counted: usize,
    /// Words as they are spoken.
    words: usize,
    syllables: usize,
}

/// Measures how easy blocks of prose are to read in the language that they are written in.
pub fn readability(blocks: &[String], language: Option<&'static str>) -> Readability {
    let none = Readability { score: -1.0, is_measurable: false };
    let Some((language, formula)) = language.and_then(|language| Some((language, formula(language)?))) else {
        return none;
    };
    let (mut count, mut sentences, mut syllables) = (0_usize, 0_usize, 0_usize);
    for block in blocks {
        let plain = if language == "en" { english::count(block) } else { None };
        let counts = plain.unwrap_or_else(|| count_one_by_one(block, language));
        if counts.counted >= MIN_BLOCK_WORDS {
            sentences += sentence_count(block);
            count += counts.words;
            syllables += counts.syllables;
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

fn count_one_by_one(block: &str, language: &str) -> ProseCounts {
    let (mut counter, mut count, mut syllables) = (WordCounter::default(), 0, 0);
    for word in words(block) {
        counter.add(word);
        count += 1;
        syllables += syllable_count(word, language);
    }
    ProseCounts { counted: counter.count(), words: count, syllables }
}

fn syllable_count(word: &str, language: &str) -> usize {
    let lang = match language {
        "de" => hypher::Lang::German,
        "fr" => hypher::Lang::French,
        "es" => hypher::Lang::Spanish,
        "it" => hypher::Lang::Italian,
        "nl" => hypher::Lang::Dutch,
        "ru" => hypher::Lang::Russian,
        "hu" => hypher::Lang::Hungarian,
        "en" => return english_syllables(word),
        _ => return vowel_groups(word).max(1),
    };
    hypher::hyphenate(word, lang).count().max(1)
}

/// Groups of vowels, without a silent e at the end.
fn english_syllables(word: &str) -> usize {
    let groups = if word.is_ascii() { ascii_vowel_groups(word) } else { vowel_groups(word) };
    let is_silent = match word.as_bytes() {
        [.., b'l' | b'L', b'e' | b'E'] => false,
        [.., b'e' | b'E'] => groups > 1,
        _ => false,
    };
    (groups - usize::from(is_silent)).max(1)
}

fn ascii_vowel_groups(word: &str) -> usize {
    let mut after_vowel = false;
    let mut begins = |byte: &u8| {
        let is_vowel = is_ascii_vowel(*byte);
        is_vowel & !std::mem::replace(&mut after_vowel, is_vowel)
    };
    word.as_bytes().iter().filter(|byte| begins(byte)).count()
}

fn is_ascii_vowel(byte: u8) -> bool {
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
        assert_eq!(["make", "table", "the", "READING", "Ångström"].map(english_syllables), [1, 2, 1, 2, 1]);
    }
}
