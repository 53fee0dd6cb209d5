//! Detection of a text's language. A detector decides, unless the text is plainly in the language that its document declares
//! or in one that no other resembles: the detector compares a text with every language. Pure. See docs/decisions/0160.

use std::borrow::Cow;
use std::sync::LazyLock;

use hashbrown::HashMap;
use whatlang::Lang;

use super::text::{fold, words};

/// Bytes of a text that decide: more of it says nothing more.
const MAX_BYTES: usize = 4096;
/// Words of a text that are compared with the commonest words of a language, and how many must be there.
const COMPARED_WORDS: usize = 150;
const LEAST_WORDS: usize = 40;
/// Bytes of the longest of them.
const LONGEST_COMMON: usize = 12;
/// Share of a text that its language's commonest words take at least.
const COMMON_SHARE: f64 = 0.15;
/// Factor by which words of the declared language must outnumber those of any other.
const CLEARLY_MORE: f64 = 1.5;

/// The commonest words of some languages, which hardly any sentence lacks.
const COMMON: &[(&str, &str)] = &[
    (
        "en",
        "the of and to in is that for it with as was on are by this be at from or a you your we our have not",
    ),
    (
        "de",
        "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an wir sie ihre",
    ),
    (
        "fr",
        "le la les de et des en un une du que est pour dans qui sur au par il avec ne pas vous nous cette",
    ),
    ("es", "el la los de y que en las del se por un con una para es su al lo como más esta"),
    ("it", "il di che e la per un in del è una si con non sono della le da i questo"),
    ("pt", "o de que e do da em um para com não uma os no se na por as é"),
    ("nl", "de het een en van ik te dat die in zijn op met voor niet aan er is"),
    ("sv", "och att det som en på är av för med den till inte i ett"),
    ("da", "og at det som en på er af for med den til ikke i et de"),
    ("pl", "w i na z się do nie to jest że o od za po"),
    ("ru", "и в не на что с по как это к из у за от"),
];

/// Languages that are believed without a declaration: no other written one is like them in these words.
const DISTINCT: &[&str] = &["en", "de", "fr"];

/// For each common word, the languages in which it is common, as bits.
static LANGUAGES: LazyLock<HashMap<&'static str, u16>> = LazyLock::new(|| {
    let mut languages = HashMap::new();
    for (bit, (_, words)) in COMMON.iter().enumerate() {
        words.split(' ').for_each(|word| *languages.entry(word).or_default() |= 1 << bit);
    }
    languages
});

/// Detects the language of a text, as its primary subtag, with a confidence of at most 1. `declared` is the language
/// that the document declares.
pub fn language_of(text: &str, declared: Option<&str>) -> Option<(&'static str, f64)> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES.min(text.len()))];
    if let Some(language) = plainly(text)
        && (declared == Some(language) || DISTINCT.contains(&language))
    {
        return Some((language, 1.0));
    }
    let info = whatlang::detect(text)?;
    Some((primary_subtag(info.lang())?, info.confidence()))
}

/// Finds the language of a text by its common words, among the languages with a list.
fn plainly(text: &str) -> Option<&'static str> {
    let mut counts = [0_usize; COMMON.len()];
    let mut all = 0_usize;
    for word in words(text).take(COMPARED_WORDS) {
        all += 1;
        if word.len() > LONGEST_COMMON {
            continue;
        }
        let is_folded = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let word = if is_folded { Cow::Borrowed(word) } else { Cow::Owned(fold(word)) };
        let Some(languages) = LANGUAGES.get(&*word) else { continue };
        for (bit, count) in counts.iter_mut().enumerate() {
            *count += usize::from(languages >> bit & 1);
        }
    }
    let (index, own) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
    let next = counts.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, count)| *count).max();
    let is_plain = all >= LEAST_WORDS
        && *own as f64 >= COMMON_SHARE * all as f64
        && *own as f64 >= CLEARLY_MORE * next.unwrap_or_default() as f64;
    is_plain.then_some(COMMON[index].0)
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

    const ENGLISH: &str =
        "The shop is in the old town and it sells shoes that are made by hand from leather of the region. ";
    const SPANISH: &str = "La tienda está en el casco antiguo y vende los zapatos que se hacen a mano con el cuero de la región. ";
    const DANISH: &str =
        "Butikken ligger i den gamle by og sælger sko som er lavet i hånden af læder fra det lokale område. ";

    #[test]
    fn a_text_is_in_the_language_that_its_document_declares_when_it_plainly_is() {
        for (declared, text) in [("en", ENGLISH), ("es", SPANISH)] {
            let text = text.repeat(5);

            assert_eq!(plainly(&text), Some(declared));
            assert_eq!(language_of(&text, Some(declared)), Some((declared, 1.0)));
        }
    }

    #[test]
    fn a_wrong_declaration_convinces_nobody() {
        for (declared, language, text) in [("de", "en", ENGLISH), ("fr", "es", SPANISH), ("sv", "da", DANISH)]
        {
            let found = language_of(&text.repeat(5), Some(declared)).unwrap();

            assert_eq!(found.0, language);
        }
    }
}
