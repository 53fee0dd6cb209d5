//! Word lists of one language: weights of words, and words that change or direct them.
//! Used by the tone analyser. The lists are the files of `data/lexicon`, whose headers name source and licence.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::language::ToneLanguage;
use crate::analysis::matcher::fold;

/// Weight of a word that is listed with 1: says little by itself.
const FAINT: f64 = 0.4;

/// Function of a word or phrase in a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CueKind {
    /// Speaks well (above 0) or badly (below 0) of something; from −3 to 3.
    Weight(f64),
    /// Turns what follows into its opposite.
    Not,
    /// Turns what precedes into its opposite: `nicht`, `ない`.
    NotAfter,
    More,
    Less,
    /// Begins a clause that says something else.
    But,
    /// Stands before what something is compared with.
    Than,
    /// Makes a comparison of a following [`CueKind::Than`].
    Comparative,
    /// Stands before something that the sentence is not about.
    Unlike,
    /// Says that its subject is better than its object.
    Over,
    Recommended,
    Discouraged,
}

/// Word or phrase that was found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Cue {
    /// Bytes of the folded text.
    pub range: Range<usize>,
    pub kind: CueKind,
}

/// Word lists of one language, compiled.
pub struct Lexicon {
    /// Weights and what changes them. The longest entry wins, so that `not only` is no negation.
    tone: PhraseFinder,
    /// Recommendations and their opposite, found apart, since the same words have weights.
    advice: PhraseFinder,
}

struct PhraseFinder {
    automaton: AhoCorasick,
    /// Functions of each pattern; empty for phrases that only hide their words.
    kinds: Vec<Vec<CueKind>>,
    /// For each pattern: any ending may follow.
    is_stem: Vec<bool>,
    /// Words are written without spaces, so that an entry is found anywhere.
    is_unspaced: bool,
}

/// Lists by language, each compiled when it is first needed.
static LEXICONS: [OnceLock<Lexicon>; ToneLanguage::ALL.len()] =
    [const { OnceLock::new() }; ToneLanguage::ALL.len()];

impl Lexicon {
    pub fn of(language: ToneLanguage) -> &'static Lexicon {
        LEXICONS[language as usize].get_or_init(|| Lexicon::load(language))
    }

    fn load(language: ToneLanguage) -> Lexicon {
        let entries: Vec<(Option<CueKind>, &str)> = sections(source(language)).collect();
        let is_advice =
            |kind: &Option<CueKind>| matches!(kind, Some(CueKind::Recommended | CueKind::Discouraged));
        let tone = entries.iter().filter(|(kind, _)| !is_advice(kind));
        let advice = entries.iter().filter(|(kind, _)| is_advice(kind) || kind.is_none());
        let is_unspaced = language == ToneLanguage::Japanese;
        Lexicon {
            tone: PhraseFinder::build(tone.copied(), is_unspaced),
            advice: PhraseFinder::build(advice.copied(), is_unspaced),
        }
    }

    /// Finds all cues of a folded text, in order.
    pub fn cues(&self, folded: &str) -> Vec<Cue> {
        let mut cues = Vec::new();
        self.tone.find(folded, &mut cues);
        self.advice.find(folded, &mut cues);
        cues.sort_by_key(|cue| cue.range.start);
        cues
    }
}

impl PhraseFinder {
    fn build<'a>(
        entries: impl Iterator<Item = (Option<CueKind>, &'a str)>,
        is_unspaced: bool,
    ) -> PhraseFinder {
        let mut places: HashMap<String, usize> = HashMap::new();
        let (mut patterns, mut kinds, mut is_stem) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, entry) in entries {
            let stem = entry.strip_suffix('*');
            let pattern = fold(stem.unwrap_or(entry));
            let place = *places.entry(pattern.clone()).or_insert_with(|| {
                patterns.push(pattern);
                kinds.push(Vec::new());
                is_stem.push(false);
                kinds.len() - 1
            });
            kinds[place].extend(kind);
            is_stem[place] |= stem.is_some();
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&patterns)
            .expect("some hundred short patterns make a small automaton");
        PhraseFinder { automaton, kinds, is_stem, is_unspaced }
    }

    fn find(&self, folded: &str, cues: &mut Vec<Cue>) {
        let mut at = 0;
        // Patterns within other words are skipped by one character, so that they hide no word behind them.
        while let Some(found) = self.automaton.find(aho_corasick::Input::new(folded).range(at..)) {
            let pattern = found.pattern().as_usize();
            if !self.is_word(folded, pattern, found.range()) {
                let step = folded[found.start()..].chars().next().map_or(1, char::len_utf8);
                at = found.start() + step;
                continue;
            }
            at = found.end();
            cues.extend(self.kinds[pattern].iter().map(|kind| Cue { range: found.range(), kind: *kind }));
        }
    }

    fn is_word(&self, folded: &str, pattern: usize, range: Range<usize>) -> bool {
        if self.is_unspaced {
            return true;
        }
        let begins = !folded[..range.start].chars().next_back().is_some_and(char::is_alphanumeric);
        let ends = self.is_stem[pattern]
            || folded[..range.end].ends_with('\'')
            || !folded[range.end..].chars().next().is_some_and(char::is_alphanumeric);
        begins && ends
    }
}

fn source(language: ToneLanguage) -> &'static str {
    match language {
        ToneLanguage::English => include_str!("../../../data/lexicon/en.txt"),
        ToneLanguage::German => include_str!("../../../data/lexicon/de.txt"),
        ToneLanguage::French => include_str!("../../../data/lexicon/fr.txt"),
        ToneLanguage::Spanish => include_str!("../../../data/lexicon/es.txt"),
        ToneLanguage::Portuguese => include_str!("../../../data/lexicon/pt.txt"),
        ToneLanguage::Italian => include_str!("../../../data/lexicon/it.txt"),
        ToneLanguage::Dutch => include_str!("../../../data/lexicon/nl.txt"),
        ToneLanguage::Japanese => include_str!("../../../data/lexicon/ja.txt"),
    }
}

/// Reads the entries of a file with the function that their section gives them; none in the section `nothing`.
fn sections(file: &'static str) -> impl Iterator<Item = (Option<CueKind>, &'static str)> {
    let mut kind = None;
    file.lines().filter(|line| !line.starts_with('#')).flat_map(move |line| {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            kind = section_kind(name);
            return Vec::new();
        }
        let entries = line.split(", ").map(|entry| entry.trim().trim_end_matches(','));
        entries.filter(|entry| !entry.is_empty()).map(|entry| (kind, entry)).collect()
    })
}

fn section_kind(name: &str) -> Option<CueKind> {
    Some(match name {
        "3" => CueKind::Weight(3.0),
        "2" => CueKind::Weight(2.0),
        "1" => CueKind::Weight(FAINT),
        "-1" => CueKind::Weight(-1.0),
        "-2" => CueKind::Weight(-2.0),
        "-3" => CueKind::Weight(-3.0),
        "not" => CueKind::Not,
        "not-after" => CueKind::NotAfter,
        "more" => CueKind::More,
        "less" => CueKind::Less,
        "but" => CueKind::But,
        "than" => CueKind::Than,
        "comparative" => CueKind::Comparative,
        "unlike" => CueKind::Unlike,
        "over" => CueKind::Over,
        "recommended" => CueKind::Recommended,
        "discouraged" => CueKind::Discouraged,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(language: ToneLanguage, text: &str) -> Vec<CueKind> {
        Lexicon::of(language).cues(&fold(text)).into_iter().map(|cue| cue.kind).collect()
    }

    #[test]
    fn every_section_of_every_language_is_known_and_every_entry_has_one_weight() {
        for language in ToneLanguage::ALL {
            let file = source(language);
            let names: Vec<&str> =
                file.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).collect();
            let mut weights: HashMap<String, f64> = HashMap::new();
            for (kind, entry) in sections(file) {
                if let Some(CueKind::Weight(weight)) = kind {
                    let before = weights.insert(fold(entry), weight);
                    assert!(
                        before.is_none_or(|before| before == weight),
                        "{language:?}: {entry} has two weights"
                    );
                }
            }

            for name in [
                "3",
                "2",
                "1",
                "-1",
                "-2",
                "-3",
                "not",
                "but",
                "than",
                "recommended",
                "discouraged",
                "nothing",
            ] {
                assert!(names.contains(&name), "{language:?} has no section {name}");
            }
            assert!(names.iter().all(|name| *name == "nothing" || section_kind(name).is_some()), "{names:?}");
            assert!(weights.len() > 250, "{language:?} has {} words", weights.len());
        }
    }

    #[test]
    fn words_are_found_whole_and_phrases_before_words() {
        use CueKind::{Not, Recommended, Weight};

        assert_eq!(kinds(ToneLanguage::English, "breakfast is not only fast"), [Weight(2.0)]);
        assert_eq!(
            kinds(ToneLanguage::English, "not recommended."),
            [Not, CueKind::Discouraged, Weight(2.0)]
        );
        assert_eq!(kinds(ToneLanguage::German, "hervorragende Bedienung"), [Weight(3.0)]);
        assert_eq!(kinds(ToneLanguage::Japanese, "おすすめです"), [Weight(2.0), Recommended]);
    }
}
