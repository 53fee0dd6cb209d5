//! Names in sentences: where known brands begin clauses, or behind words such as `switch to`.
//! `Formbee splits payments, Splitly reports them` names a competitor when Splitly is known. Used by the candidates. Pure.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::judge::NameJudge;
use super::names::{has_inner_capital, leading_name, without_model_words};
use super::unspaced::{self, is_unspaced};
use crate::analysis::prose::{BlockKind, Prose};

/// Text behind which a clause begins.
const CLAUSE_BORDERS: &[&str] = &[
    "; ",
    ": ",
    ", ",
    " – ",
    " — ",
    "(",
    " and ",
    " or ",
    " but ",
    " while ",
    " whereas ",
    " then ",
    " und ",
    " oder ",
    " aber ",
    " während ",
    " et ",
    " ou ",
    " mais ",
    " tandis que ",
    " y ",
    " o ",
    " pero ",
    " mientras que ",
    " e ",
    " mas ",
    " ma ",
    " mentre ",
    " en ",
    " maar ",
    " terwijl ",
];
const SENTENCE_BORDERS: &[&str] = &[". ", "! ", "? ", "… ", ".\n", "!\n", "?\n"];
/// Text behind which a clause or the subject of a Japanese sentence begins.
const UNSPACED_BORDERS: &[&str] = &["。", "、", "；", "：", "「", "（", "なら", "では", "のは"];
/// Words between the start of a clause and its subject.
const OPENINGS: &[&str] = &[
    "the ", "The ", "if ", "If ", "while ", "While ", "der ", "Der ", "die ", "Die ", "das ", "Das ",
    "wenn ", "Wenn ", "falls ", "Falls ", "le ", "Le ", "la ", "La ", "l'", "L'", "si ", "Si ", "el ", "El ",
    "il ", "Il ", "se ", "Se ", "de ", "De ", "het ", "Het ", "als ", "Als ", "o ", "O ", "a ", "A ",
];
/// Words behind which a name is one of those to choose from.
const CUES: &[&str] = &[
    "try",
    "consider",
    "look at",
    "switch to",
    "switching to",
    "move to",
    "moving to",
    "choose",
    "pick",
    "go with",
    "go for",
    "opt for",
    "alternatives like",
    "alternatives such as",
    "alternative such as",
    "alternative like",
    "competitors like",
    "competitors such as",
    "rivals like",
    "rivals such as",
    "providers such as",
    "providers like",
    "brands like",
    "brands such as",
    "alternative to",
    "alternatives to",
    "instead of",
    "better than",
    "compared to",
    "compared with",
    "cheaper than",
    "unlike",
    "the choice is",
    "alternative zu",
    "alternativen zu",
    "alternativen wie",
    "anbieter wie",
    "wechseln sie zu",
    "greifen sie zu",
    "entscheiden sie sich für",
    "im vergleich zu",
    "besser als",
    "günstiger als",
    "essayez",
    "testez",
    "alternative à",
    "alternatives à",
    "alternatives comme",
    "alternatives telles que",
    "passer à",
    "optez pour",
    "choisissez",
    "tournez-vous vers",
    "plutôt que",
    "meilleur que",
    "pruebe",
    "prueba",
    "alternativa a",
    "alternativas a",
    "alternativas como",
    "opte por",
    "elija",
    "elige",
    "cambiar a",
    "mejor que",
    "en lugar de",
    "provi",
    "prova",
    "alternative a",
    "alternative come",
    "scegli",
    "passare a",
    "meglio di",
    "experimente",
    "alternativa ao",
    "alternativas ao",
    "alternativa à",
    "escolha",
    "mudar para",
    "melhor que",
    "probeer",
    "alternatief voor",
    "alternatieven voor",
    "alternatieven zoals",
    "kies",
    "overstappen naar",
    "beter dan",
];
/// Words of questions behind which a brand is asked about, besides [`CUES`].
const QUESTION_CUES: &[&str] =
    &["is", "away from", "switch from", "ist", "¿es", "or", "vs", "vs.", "between"];
/// Japanese text behind a brand that something else is looked for.
const UNSPACED_QUESTION_CUES: &[&str] = &["の代わり", "の代替", "と比較", "より"];

static CUE_FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(CUES));
static QUESTION_FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(QUESTION_CUES));
static BORDER_FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let borders = SENTENCE_BORDERS.iter().chain(CLAUSE_BORDERS).chain(UNSPACED_BORDERS);
    AhoCorasick::new(borders).expect("a few short patterns make a small automaton")
});

fn finder(cues: &[&str]) -> AhoCorasick {
    let patterns = cues.iter().map(|cue| format!("{cue} "));
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .build(patterns)
        .expect("a few short patterns make a small automaton")
}

/// Search for names in the sentences of an answer.
pub struct SubjectSearch<'a> {
    pub prose: &'a Prose,
    pub question: &'a str,
    /// Known brands and names that were found before, in order.
    pub known: &'a [Range<usize>],
    /// German writes every noun with a capital, so that fewer words are taken for names.
    pub is_german: bool,
}

/// Start of a clause, behind its article.
struct ClauseStart {
    at: usize,
    block: usize,
    /// Number of the sentence in the answer.
    sentence: usize,
    begins_sentence: bool,
}

impl<'a> SubjectSearch<'a> {
    /// Finds the names that the question asks about and those behind words of choice, each with its byte of the prose.
    pub fn asked_and_advised(&self) -> Vec<(usize, &'a str)> {
        let judge = self.judge();
        let mut found = self.asked_about(&judge);
        for block in self.prose.blocks.iter().filter(|block| block.kind == BlockKind::Paragraph) {
            for offset in behind_cues(&self.prose.text[block.range.clone()], &CUE_FINDER) {
                self.add(block.range.start + offset, block.range.end, &judge, &mut found);
            }
        }
        found
    }

    /// Finds names at the starts of clauses, when known brands stand there too, each with its byte of the prose.
    pub fn subjects(&self) -> Vec<(usize, &'a str)> {
        let judge = self.judge();
        let mut found = Vec::new();
        let starts = self.clause_starts();
        let is_anchor = |start: &&ClauseStart| self.is_known_start(start.at);
        let sentences: HashSet<usize> = starts.iter().filter(is_anchor).map(|start| start.sentence).collect();
        for start in &starts {
            let end = self.prose.blocks[start.block].range.end;
            let name = leading_name(&self.prose.text[start.at..end]);
            let is_parallel = sentences.contains(&start.sentence)
                || !sentences.is_empty() && (start.begins_sentence || has_inner_capital(name));
            if is_parallel
                && !name.is_empty()
                && is_subject(&self.prose.text[start.at + name.len()..end], start.begins_sentence)
            {
                self.add(start.at, end, &judge, &mut found);
            }
        }
        found
    }

    fn judge(&self) -> NameJudge<'a> {
        let words = self.prose.text.split(|c: char| !c.is_alphanumeric());
        let lower = words.filter(|word| word.starts_with(char::is_lowercase)).collect();
        NameJudge { lower, is_german: self.is_german, models: model_words(self.prose, self.known) }
    }

    /// Adds the name that begins at a byte, when there is one that nobody knows yet.
    fn add(&self, at: usize, end: usize, judge: &NameJudge<'_>, found: &mut Vec<(usize, &'a str)>) {
        let name = leading_name(&self.prose.text[at..end]);
        let is_known = self.overlaps_known(&(at..at + name.len()));
        let name = without_model_words(name, judge.models);
        if !is_known && judge.is_clear(name) {
            found.push((at, name));
        }
    }

    /// Returns the names that the question asks about and the answer names.
    fn asked_about(&self, judge: &NameJudge<'_>) -> Vec<(usize, &'a str)> {
        let question = self.question;
        let places = behind_cues(question, &CUE_FINDER).chain(behind_cues(question, &QUESTION_FINDER));
        let mut names: Vec<&str> = places.map(|at| leading_name(&question[at..])).collect();
        for cue in UNSPACED_QUESTION_CUES {
            names.extend(question.match_indices(cue).map(|(at, _)| unspaced::run_at_end(&question[..at])));
        }
        let text = &self.prose.text;
        let in_answer = names.into_iter().filter(|name| judge.is_clear(name)).filter_map(|name| {
            let at = text.find(name)?;
            Some((at, &text[at..at + name.len()]))
        });
        in_answer.filter(|(at, name)| !self.overlaps_known(&(*at..at + name.len()))).collect()
    }

    /// Returns the starts of clauses of all paragraphs that are not items of lists.
    fn clause_starts(&self) -> Vec<ClauseStart> {
        let mut starts = Vec::new();
        let mut sentence = 0;
        for (block, content) in self.prose.blocks.iter().enumerate() {
            if content.kind != BlockKind::Paragraph || content.item.is_some() {
                continue;
            }
            let text = &self.prose.text[content.range.clone()];
            let mut add = |offset: usize, begins_sentence: bool| {
                let rest = &text[offset..];
                let signs = rest.len() - rest.trim_start_matches([' ', '"', '“', '„', '«', '「', '\n']).len();
                let opening = OPENINGS.iter().find(|opening| rest[signs..].starts_with(**opening));
                let at = content.range.start + offset + signs + opening.map_or(0, |opening| opening.len());
                sentence += usize::from(begins_sentence);
                starts.push(ClauseStart { at, block, sentence, begins_sentence });
            };
            add(0, true);
            for found in BORDER_FINDER.find_overlapping_iter(text) {
                let ends_sentence = text[found.range()].starts_with(['.', '!', '?', '…', '。']);
                add(found.end(), ends_sentence);
            }
        }
        starts
    }

    fn is_known_start(&self, at: usize) -> bool {
        self.known.binary_search_by_key(&at, |range| range.start).is_ok()
    }

    fn overlaps_known(&self, range: &Range<usize>) -> bool {
        let after = self.known.partition_point(|known| known.end <= range.start);
        self.known.get(after).is_some_and(|known| known.start < range.end)
    }
}

/// Returns 1 when most known brands are followed by a model, as in `the Auralis One sounds`; else 0.
pub fn model_words(prose: &Prose, known: &[Range<usize>]) -> usize {
    let with_model = known.iter().filter(|range| {
        let rest = &prose.text[range.end..];
        let next = match rest.strip_prefix(' ') {
            Some(next) => next,
            None if rest.starts_with(|c: char| c.is_ascii_alphanumeric()) => rest,
            None => "",
        };
        next.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
    });
    usize::from(with_model.count() * 2 > known.len())
}

/// Returns the bytes of a text behind words that introduce a name, an article skipped.
fn behind_cues<'t>(text: &'t str, finder: &'static AhoCorasick) -> impl Iterator<Item = usize> + 't {
    let whole = finder
        .find_iter(text)
        .filter(move |found| !text[..found.start()].ends_with(|c: char| c.is_alphanumeric() || c == '-'));
    whole.map(move |found| {
        let rest = &text[found.end()..];
        let signs = rest.len() - rest.trim_start_matches(['"', '“', '„', '«']).len();
        let article = OPENINGS.iter().find(|opening| rest[signs..].starts_with(**opening));
        found.end() + signs + article.map_or(0, |article| article.len())
    })
}

/// Decides whether a name before this text is the subject of a clause, or has a price or a remark of its own.
fn is_subject(rest: &str, begins_sentence: bool) -> bool {
    if rest.starts_with(is_unspaced) || rest.starts_with(['、', '（', '・']) {
        return unspaced::begins_with_particle(rest, begins_sentence);
    }
    if rest.starts_with("'s ") || rest.starts_with("’s ") || rest.starts_with(" (") {
        return true;
    }
    let is_priced =
        |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '$' | '€' | '£'));
    if let Some(after) = rest.strip_prefix(", ").or(rest.strip_prefix(": ")) {
        return !begins_sentence && is_priced(after);
    }
    let Some(after) = rest.strip_prefix(' ') else { return false };
    let next = after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let behind = after[next.len()..].trim_start();
    match LINKS.contains(&next) {
        true => is_priced(behind),
        false => is_priced(after) && !begins_sentence || next.starts_with(char::is_lowercase),
    }
}

/// Words behind a name that are no verb: what stands before them may be a place, a person or a thing.
const LINKS: &[&str] = &[
    "in", "of", "and", "or", "at", "on", "for", "from", "to", "with", "by", "im", "am", "von", "vom", "und",
    "oder", "für", "mit", "bei", "aus", "ab", "zu", "der", "des", "dans", "de", "du", "et", "ou", "à",
    "pour", "avec", "sur", "en", "y", "o", "para", "con", "del", "por", "a", "e", "da", "do", "di", "della",
    "per", "com", "van", "voor", "met", "op", "than",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::prose;

    fn found(text: &str, question: &str, known: &str) -> Vec<String> {
        let prose = prose::read(text);
        let known: Vec<Range<usize>> =
            prose.text.match_indices(known).map(|(at, name)| at..at + name.len()).collect();
        let search = SubjectSearch { prose: &prose, question, known: &known, is_german: false };
        let names = search.asked_and_advised().into_iter().chain(search.subjects());
        names.map(|(_, name)| name.to_owned()).collect()
    }

    #[test]
    fn names_that_begin_clauses_beside_known_ones_are_found() {
        let cases: [(&str, &[&str]); 6] = [
            (
                "Formbee splits payments. Splitly does not, whereas Payparto charges interest.",
                &["Formbee", "Payparto"],
            ),
            ("Tarifs : Mobilou à 9,99 €, Splitly à 10,99 € et Ligne 9 à 11,99 €.", &["Mobilou"]),
            ("Splitly is good. Additionally, Reviewers like it. Cancellations are free.", &[]),
            ("Formbee splits payments.", &[]),
            ("Splitlyは安く、ネムリバは速いです。サポートは丁寧です。", &["ネムリバ"]),
            ("If Zephyr Mail feels slow, Splitly is quick.", &["Zephyr Mail"]),
        ];

        for (text, expected) in cases {
            assert_eq!(found(text, "", "Splitly"), expected, "{text}");
        }
    }

    #[test]
    fn names_behind_words_of_choice_are_found() {
        assert_eq!(found("Teams should look at Realtorio instead.", "", "Splitly"), ["Realtorio"]);
        assert_eq!(found("Essayez Formatech.", "", "Splitly"), ["Formatech"]);
        assert_eq!(found("Zephyr Mail ends.", "alternatives to Zephyr Mail", "Splitly"), ["Zephyr Mail"]);
        assert_eq!(found("英会話プラザは高いです。", "英会話プラザの代わり", "Splitly"), ["英会話プラザ"]);
        assert_eq!(found("Choose the plan in Berlin.", "", "Splitly"), [""; 0]);
    }
}
