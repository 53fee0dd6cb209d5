//! How hard a text is to read: Flesch reading ease and its kin in other languages. Pure.
//! Formulas: Flesch (en), Amstad (de), Kandel-Moles (fr), Fernandez Huerta (es), Vacca (it), Douma (nl), and the
//! adaptations for Russian, Hungarian, Portuguese and Turkish. Languages without one have no value.

use unicode_segmentation::UnicodeSegmentation;
use whatlang::Lang;

use super::text::word_count;

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

/// The language of a text as its document declares and a detector sees it: primary subtag and confidence.
pub fn language_of(text: &str) -> Option<(&'static str, f64)> {
    let info = whatlang::detect(text)?;
    Some((primary_subtag(info.lang())?, info.confidence()))
}

/// Measures how easy blocks of prose are to read, in the language that `html lang` names if the text agrees.
pub fn readability(blocks: &[String], main_text: &str) -> Readability {
    let none = Readability { score: -1.0, is_measurable: false };
    let prose: Vec<&String> = blocks.iter().filter(|block| word_count(block) >= MIN_BLOCK_WORDS).collect();
    if prose.is_empty() {
        return none;
    }
    // Where the declared language disagrees with the text, the text is right; so the detector alone decides.
    let Some(language) = whatlang::detect_lang(main_text).and_then(primary_subtag) else { return none };
    let Some(formula) = formula(language) else { return none };
    let (mut words, mut sentences, mut syllables) = (0_usize, 0_usize, 0_usize);
    for sentence in prose.iter().flat_map(|block| block.unicode_sentences()) {
        let before = words;
        for word in sentence.unicode_words() {
            words += 1;
            syllables += syllable_count(word, language);
        }
        sentences += usize::from(words > before);
    }
    if words == 0 || sentences == 0 {
        return none;
    }
    let ease = formula.base
        - formula.sentence * words as f64 / sentences as f64
        - formula.word * syllables as f64 / words as f64;
    Readability {
        score: (ease.clamp(0.0, 100.0) * 10.0).round() / 10.0,
        is_measurable: words >= 100 && sentences >= 5,
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
    let word = word.to_lowercase();
    let groups = vowel_groups(&word);
    let is_silent = word.ends_with('e') && !word.ends_with("le") && groups > 1;
    (groups - usize::from(is_silent)).max(1)
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

fn primary_subtag(lang: Lang) -> Option<&'static str> {
    Some(match lang {
        Lang::Eng => "en",
        Lang::Deu => "de",
        Lang::Fra => "fr",
        Lang::Spa => "es",
        Lang::Ita => "it",
        Lang::Nld => "nl",
        Lang::Rus => "ru",
        Lang::Hun => "hu",
        Lang::Por => "pt",
        Lang::Tur => "tr",
        Lang::Pol => "pl",
        Lang::Jpn => "ja",
        Lang::Cmn => "zh",
        Lang::Kor => "ko",
        Lang::Ara => "ar",
        Lang::Heb => "he",
        Lang::Tha => "th",
        Lang::Swe => "sv",
        Lang::Dan => "da",
        Lang::Nob => "no",
        Lang::Fin => "fi",
        Lang::Ces => "cs",
        Lang::Ron => "ro",
        Lang::Ukr => "uk",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Hin => "hi",
        Lang::Vie => "vi",
        Lang::Ind => "id",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_and_sentences_are_easier_than_long_ones() {
        let easy =
            vec!["The cat sat on the mat and the dog ran to the big red house with the old man.".to_owned()];
        let hard = vec!["Institutional characteristics disproportionately complicate interdisciplinary telecommunications because organisational responsibilities deteriorate internationally.".to_owned()];

        let scores = [&easy, &hard].map(|blocks| readability(blocks, &blocks[0]).score);

        assert!(scores[0] > 80.0 && scores[1] < 10.0, "{scores:?}");
    }

    #[test]
    fn without_prose_or_formula_there_is_no_value() {
        let label = vec!["Add to basket".to_owned()];
        let japanese =
            vec!["これは日本語の文章です。とても読みやすいと思いますが、どうでしょうか。".to_owned()];

        assert_eq!(readability(&label, "Add to basket").score, -1.0);
        assert_eq!(readability(&japanese, &japanese[0]).score, -1.0);
    }

    #[test]
    fn a_silent_e_is_no_syllable() {
        assert_eq!(["make", "table", "the", "reading"].map(english_syllables), [1, 2, 1, 2]);
    }
}
