//! Decides whether a text with a capital within a sentence is surely a name, and not a word, a noun or an acronym.
//! Used for names that no list, table or heading sets apart. Pure.

use std::collections::HashSet;

use super::dictionary::is_word;
use super::names::{has_inner_capital, is_distinctive, is_name};
use super::unspaced::{self, is_unspaced};
use crate::analysis::matcher::common_words::is_common;
use crate::analysis::matcher::fold;

/// Minimum number of letters of a word that is surely a name.
const MIN_SURE_CHARS: usize = 4;
/// Endings of nouns that name actions, qualities and groups, folded, in the languages with word lists.
const DERIVED_ENDINGS: &[&str] = &[
    "ing", "ings", "tion", "tions", "sion", "sions", "ment", "ments", "ness", "ity", "ities", "ers", "ists",
    "ians", "ants", "ents", "ships", "ship", "eurs", "euses", "ites", "ciones", "cion", "dores", "doras",
    "dad", "dades", "mente", "zioni", "zione", "tori", "cao", "coes", "idade", "heid", "heden", "ingen",
    "eren", "logy", "graphy",
];
const GERMAN_ENDINGS: &[&str] = &[
    "ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "schaften", "tat", "taten", "zeit",
    "zeiten", "preis", "preise", "kosten", "gebuhr", "gebuhren", "schutz", "tarif", "tarife", "vertrag",
    "gerat", "gerate", "ismus", "nis", "karte", "karten", "kunden", "nutzer", "tester", "anbieter", "leute",
    "firma", "firmen", "seite", "seiten", "laufzeit",
];
const ADVERBS: &[&str] = &[
    "additionally",
    "alternatively",
    "similarly",
    "importantly",
    "interestingly",
    "notably",
    "conversely",
    "ultimately",
    "occasionally",
    "furthermore",
    "moreover",
    "meanwhile",
    "likewise",
    "nevertheless",
    "unfortunately",
    "typically",
    "generally",
    "reportedly",
    "allerdings",
    "ausserdem",
    "zudem",
    "daruber",
    "insgesamt",
    "dagegen",
    "hingegen",
    "toutefois",
    "cependant",
    "neanmoins",
    "egalement",
    "ailleurs",
    "ademas",
    "tambien",
    "asimismo",
    "inoltre",
    "tuttavia",
    "alem",
    "tambem",
    "bovendien",
    "daarnaast",
];

/// Knowledge about an answer that decides about names in its sentences.
pub struct NameJudge<'a> {
    /// Words that the answer writes in lower case.
    pub lower: HashSet<&'a str>,
    /// German writes every noun with a capital.
    pub is_german: bool,
    /// Words of models behind known brands.
    pub models: usize,
}

impl NameJudge<'_> {
    /// Decides whether a text is a name: a word that no dictionary has, or several words with capitals.
    pub fn is_clear(&self, name: &str) -> bool {
        if !is_name(name) || !is_distinctive(name) {
            return false;
        }
        if name.contains(is_unspaced) {
            return unspaced::is_company(name);
        }
        let words: Vec<&str> = name.split(' ').collect();
        let has_sure = words.iter().any(|word| self.is_sure(word));
        match (words.len(), self.is_german) {
            (1, _) => has_sure,
            (_, true) => has_sure && !is_german_adjective(words[0]),
            (_, false) => has_sure || !self.is_lower(words[0]),
        }
    }

    fn is_sure(&self, word: &str) -> bool {
        let folded = fold(word);
        let is_ordinary = folded.chars().count() < MIN_SURE_CHARS
            || self.is_lower(word)
            || folded.split('-').any(|part| is_word(part) || is_derived(part))
            || self.is_german && is_german_noun(&folded)
            || word.chars().all(|c| !c.is_lowercase());
        has_inner_capital(word) || !is_ordinary
    }

    fn is_lower(&self, word: &str) -> bool {
        self.lower.contains(&*word.to_lowercase())
    }
}

/// Decides whether a folded word is made from another, or ends like a noun that names an action or a group.
fn is_derived(folded: &str) -> bool {
    let has_stem =
        |ending: &str| folded.strip_suffix(ending).is_some_and(|stem| stem.len() > 3 && is_word(stem));
    DERIVED_ENDINGS.iter().any(|ending| folded.ends_with(ending))
        || ADVERBS.contains(&folded)
        || ["s", "es", "n", "en", "e", "er", "ly"].into_iter().any(has_stem)
}

/// Decides whether a folded word is a German noun: by its ending, or as two words in one.
fn is_german_noun(folded: &str) -> bool {
    let is_part = |word: &str| word.len() > 2 && is_common(word) || word.len() > 3 && is_word(word);
    let is_compound = folded.char_indices().skip(3).any(|(at, _)| {
        let (first, last) = folded.split_at(at);
        let stem = [Some(first), first.strip_suffix('s'), first.strip_suffix('n'), first.strip_suffix("en")];
        is_part(last) && stem.into_iter().flatten().any(is_part)
    });
    is_compound || GERMAN_ENDINGS.iter().any(|ending| folded.ends_with(ending))
}

/// Decides whether a word has the ending of a German adjective before a noun.
fn is_german_adjective(word: &str) -> bool {
    let folded = fold(word);
    is_word(&folded) && ["e", "er", "es", "en", "em"].iter().any(|ending| folded.ends_with(ending))
}
