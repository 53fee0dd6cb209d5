//! Names that stand side by side with a known brand: `Notchly, PaperTrail and Quillbase`, `A vs. B`, `AやB`.
//! Used by the candidates, for the answer and for its question. Pure.

use std::ops::Range;

use super::names::{is_distinctive, is_name, leading_name, without_model};
use super::unspaced::{self, is_unspaced};
use crate::analysis::matcher::{BrandNames, Matcher, ProseReading, fold, longest};
use crate::analysis::prose;

/// Joins the last two names of an enumeration, or two that are compared.
const CONJUNCTIONS: &[&str] = &[
    " and ",
    ", and ",
    " or ",
    ", or ",
    " vs ",
    " vs. ",
    " versus ",
    " & ",
    " und ",
    " oder ",
    " sowie ",
    " et ",
    " ou ",
    " y ",
    " o ",
    " e ",
    " ed ",
    " en ",
    " of ",
    " than ",
    " zu ",
    "と",
    "や",
    "、または",
    "および",
    " frente a ",
    " contra ",
    " gegenüber ",
];
/// Joins the other names of an enumeration.
const COMMAS: &[&str] = &[", ", "; ", "、", " / ", "/", "・", "，"];
/// Stands between a conjunction and a name.
const ARTICLES: &[&str] = &[
    "the ", "die ", "der ", "das ", "den ", "la ", "le ", "les ", "l'", "el ", "los ", "il ", "de ", "het ",
];
/// Longest remark in parentheses behind a name.
const MAX_REMARK_BYTES: usize = 90;
/// Maximum number of words of a name in an enumeration.
const MAX_WORDS: usize = 4;
/// Names that are followed in one direction from a known one.
const MAX_CHAIN: usize = 12;
/// Words of questions that ask for a choice among products or companies, folded.
const CHOICE_WORDS: &[&str] = &[
    "best",
    "top ",
    "which",
    "alternative",
    "recommend",
    "compare",
    "comparison",
    " vs",
    "good ",
    "cheapest",
    "leading",
    "who ",
    "where can",
    "beste",
    "welche",
    "welcher",
    "empfehl",
    "vergleich",
    "anbieter",
    "gunstig",
    "gute ",
    "meilleur",
    "quel",
    "comparatif",
    "recommand",
    "conseil",
    "ou manger",
    "mejor",
    "cual",
    "recomend",
    "comparativa",
    "donde",
    "alternativa",
    "melhor",
    "qual ",
    "miglior",
    "quale",
    "consigli",
    "beste ",
    "welk",
    "aanrader",
    "おすすめ",
    "比較",
    "人気",
    "どれ",
    "どこ",
    "選び方",
    "ランキング",
    "代わり",
    "いい？",
];

/// Decides whether a question asks for a choice among products or companies.
pub fn asks_for_choice(question: &str) -> bool {
    let folded = fold(question);
    CHOICE_WORDS.iter().any(|word| folded.contains(word))
}

/// Finds names beside known ones, in the answer and in its question, with the byte of the prose where they first stand.
pub fn beside(answer: &ProseReading<'_>, question: &str, known: &[String]) -> Vec<(usize, String)> {
    let names: Vec<[String; 1]> = known.iter().map(|name| [name.clone()]).collect();
    let matcher = Matcher::compile(names.iter().map(|names| BrandNames { names, domains: &[] }));
    let mut found = Vec::new();
    search(answer, &matcher, &mut found);
    let asked = prose::read(question);
    let mut in_question = Vec::new();
    search(&ProseReading::of(&asked), &matcher, &mut in_question);
    for (_, name) in in_question {
        // The question alone names nobody.
        if let Some(at) = answer.prose.text.find(&name) {
            found.push((at, name));
        }
    }
    found
}

fn search(reading: &ProseReading<'_>, matcher: &Matcher, found: &mut Vec<(usize, String)>) {
    let prose = reading.prose;
    let known: Vec<Range<usize>> = longest(matcher.hits(reading)).into_iter().map(|hit| hit.range).collect();
    let mut done = 0;
    for (at, range) in known.iter().enumerate() {
        if range.start < done {
            continue;
        }
        let block = &prose.blocks[prose.block_at(range.start)].range;
        let mut chain = Chain {
            text: &prose.text,
            known: &known[at..],
            has_conjunction: false,
            known_count: 1,
            names: Vec::new(),
        };
        let end = chain.forwards(range.end, block.end);
        chain.known = &known[..at];
        chain.backwards(range.start, block.start);
        if chain.has_conjunction || chain.known_count > 1 {
            found.extend(chain.names);
        }
        done = end;
    }
}

/// An enumeration around a known name.
struct Chain<'a> {
    text: &'a str,
    /// Known names on the side that is being read.
    known: &'a [Range<usize>],
    has_conjunction: bool,
    known_count: usize,
    names: Vec<(usize, String)>,
}

impl Chain<'_> {
    /// Follows the enumeration to the right and returns where it ends.
    fn forwards(&mut self, start: usize, limit: usize) -> usize {
        let mut at = start;
        for _ in 0..MAX_CHAIN {
            let rest = &self.text[at..limit];
            let skipped = parenthesis_length(rest);
            let Some((length, is_conjunction)) = connector_at(&rest[skipped..]) else { break };
            let mut next = at + skipped + length;
            next += article_length(&self.text[next..limit]);
            if let Some(known) = self.known.iter().find(|known| known.start == next) {
                self.known_count += 1;
                at = known.end;
            } else if let Some(name) = name_at(&self.text[next..limit]) {
                self.names.push((next, without_model(name).to_owned()));
                at = next + name.len();
            } else {
                break;
            }
            self.has_conjunction |= is_conjunction;
        }
        at
    }

    /// Follows the enumeration to the left.
    fn backwards(&mut self, end: usize, limit: usize) {
        let mut at = end;
        for _ in 0..MAX_CHAIN {
            let before = &self.text[limit..at];
            let before = &before[..before.len() - article_before(before)];
            let connectors =
                || CONJUNCTIONS.iter().map(|c| (c, true)).chain(COMMAS.iter().map(|c| (c, false)));
            let Some((connector, is_conjunction)) = connectors()
                .filter(|(connector, _)| before.ends_with(**connector))
                .max_by_key(|(c, _)| c.len())
            else {
                return;
            };
            let rest = without_parenthesis(&before[..before.len() - connector.len()]);
            let rest_end = limit + rest.len();
            if let Some(known) = self.known.iter().rfind(|known| known.end == rest_end) {
                self.known_count += 1;
                at = known.start;
            } else if let Some(name) = name_before(rest) {
                at = rest_end - name.len();
                self.names.push((at, without_model(name).to_owned()));
            } else {
                return;
            }
            self.has_conjunction |= is_conjunction;
        }
    }
}

/// Returns the length of a conjunction or comma at the start of a text, and whether it is a conjunction.
fn connector_at(text: &str) -> Option<(usize, bool)> {
    let conjunction =
        CONJUNCTIONS.iter().filter(|word| text.starts_with(**word)).map(|word| word.len()).max();
    let comma = COMMAS.iter().filter(|word| text.starts_with(**word)).map(|word| word.len()).max();
    conjunction.map(|length| (length, true)).or(comma.map(|length| (length, false)))
}

/// Returns the length of a short remark in parentheses: ` (great for landlords)`.
fn parenthesis_length(text: &str) -> usize {
    let inside = ["(", " (", "（"].iter().find_map(|open| text.strip_prefix(open));
    let Some(inside) = inside else { return 0 };
    let window = &inside[..inside.floor_char_boundary(MAX_REMARK_BYTES)];
    let Some(end) = window.find([')', '）']) else { return 0 };
    let closing = window[end..].chars().next().map_or(0, char::len_utf8);
    text.len() - inside.len() + end + closing
}

/// Drops a short remark in parentheses from the end of a text.
fn without_parenthesis(text: &str) -> &str {
    if !text.ends_with([')', '）']) {
        return text;
    }
    match text.rfind(['(', '（']) {
        Some(open) if text.len() - open <= MAX_REMARK_BYTES => text[..open].trim_end(),
        _ => text,
    }
}

fn article_length(text: &str) -> usize {
    ARTICLES.iter().find(|article| text.starts_with(**article)).map_or(0, |article| article.len())
}

fn article_before(text: &str) -> usize {
    let is_word = |article: &str| text.strip_suffix(article).is_some_and(|before| before.ends_with(' '));
    ARTICLES.iter().find(|article| is_word(article)).map_or(0, |article| article.len())
}

/// Returns the name at the start of a text.
fn name_at(text: &str) -> Option<&str> {
    accepted(leading_name(text))
}

/// Returns the name at the end of a text.
fn name_before(text: &str) -> Option<&str> {
    if text.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).ends_with(is_unspaced) {
        return accepted(unspaced::run_at_end(text));
    }
    let mut start = text.len();
    for word in text.rsplit(' ').take(MAX_WORDS) {
        let is_capital = word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
        let begins = word.as_ptr() as usize - text.as_ptr() as usize;
        let is_cut = start < text.len() && word.ends_with([',', '.', ';', ':', ')', '!', '?']);
        if !is_capital || is_cut {
            break;
        }
        start = begins;
    }
    accepted(&text[start..])
}

fn accepted(name: &str) -> Option<&str> {
    (is_name(name) && is_distinctive(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, known: &[&str]) -> Vec<String> {
        let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
        let mut names: Vec<(usize, String)> = beside(&ProseReading::of(&prose::read(text)), "", &known);
        names.sort();
        names.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn names_beside_a_known_one_are_found() {
        let cases: [(&str, &[&str]); 8] = [
            ("We compared Notchly, PaperTrail and Quillbase.", &["PaperTrail", "Quillbase"]),
            ("Quillbase, PaperTrail or Notchly", &["Quillbase", "PaperTrail"]),
            ("Notchly vs. PaperTrail", &["PaperTrail"]),
            (
                "**Notchly** (great for teams), **PaperTrail** (fast) and **Quillbase**",
                &["PaperTrail", "Quillbase"],
            ),
            ("Notchly und die Quillbase AG bieten das", &["Quillbase AG"]),
            ("NotchlyやサーチスコープとクモハコがよいNotchly", &["サーチスコープ", "クモハコ"]),
            ("Notchly, which is good, and Then", &[]),
            ("In Berlin, Notchly is popular. Notchly and the team like it.", &[]),
        ];

        for (text, expected) in cases {
            assert_eq!(found(text, &["Notchly"]), expected, "{text}");
        }
    }

    #[test]
    fn a_question_names_competitors_that_the_answer_names_too() {
        let prose = prose::read("Zephyr is older. LumaDocs is newer.");
        let known = ["LumaDocs".to_owned()];

        let answer = ProseReading::of(&prose);
        assert_eq!(beside(&answer, "LumaDocs or Zephyr?", &known), [(0, "Zephyr".to_owned())]);
        assert_eq!(beside(&answer, "LumaDocs or Quillbase?", &known), []);
    }

    #[test]
    fn questions_that_ask_for_a_choice_are_told_from_others() {
        for question in
            ["best CRM", "Welche Software?", "Quel logiciel ?", "¿Cuál es el mejor?", "会計ソフトのおすすめ"]
        {
            assert!(asks_for_choice(question), "{question}");
        }
        for question in ["How do I register?", "Wie schreibe ich eine Rechnung?", "請求書の書き方"] {
            assert!(!asks_for_choice(question), "{question}");
        }
    }
}
