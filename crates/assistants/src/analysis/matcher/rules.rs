//! Decides whether a key that stands in a text is a name: borders of words, spelling, place in the sentence.
//! Used by the matcher. Pure.

use std::ops::Range;

use super::ProseReading;
use super::term::{Care, Spelled, Term, inner_starts};
use super::words::{Gap, JoinedWords, Script};
use crate::analysis::matcher::common_words::is_common;
use crate::analysis::prose::{BlockKind, MarkKind, Prose};

/// Korean particles that may follow a name within its word.
const PARTICLES: &[&str] = &[
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "에서",
    "와",
    "과",
    "도",
    "로",
    "으로",
    "만",
    "부터",
    "까지",
    "이나",
    "나",
    "라는",
    "이라는",
    "처럼",
    "보다",
    "에는",
    "에서는",
    "에도",
    "에게",
    "이며",
    "이고",
    "이다",
    "입니다",
];

/// Signs that make a short name part of another: `AT&T`, `C++`, `C#`.
const JOINING_SIGNS: [char; 6] = ['&', '+', '#', '@', '_', '.'];

/// Words that follow a subject: `Box is`, `Box est`. A common word at the start of a sentence is a name before them.
const PREDICATES: &[&str] = &[
    "is",
    "was",
    "has",
    "offers",
    "provides",
    "and",
    "also",
    "lets",
    "supports",
    "puts",
    "gives",
    "makes",
    "keeps",
    "runs",
    "costs",
    "charges",
    "comes",
    "works",
    "helps",
    "includes",
    "focuses",
    "starts",
    "stands",
    "takes",
    "adds",
    "allows",
    "handles",
    "covers",
    "uses",
    "does",
    "can",
    "will",
    "excels",
    "wins",
    "ranks",
    "remains",
    "feels",
    "looks",
    "scores",
    "leads",
    "beats",
    "lacks",
    "ist",
    "hat",
    "bietet",
    "und",
    "kostet",
    "punktet",
    "überzeugt",
    "eignet",
    "kann",
    "wird",
    "setzt",
    "liegt",
    "est",
    "a",
    "propose",
    "offre",
    "et",
    "coûte",
    "permet",
    "reste",
    "mise",
    "convient",
    "es",
    "ofrece",
    "tiene",
    "y",
    "cuesta",
    "permite",
    "destaca",
    "incluye",
    "e",
    "oferece",
    "tem",
    "custa",
    "ha",
    "ed",
    "costa",
    "offre",
    "permette",
    "heeft",
    "biedt",
    "en",
    "kost",
    "werkt",
];

/// Returns the bytes of the text that a stretch of joined words comes from, when a name can begin and end there.
pub fn bounded(words: &JoinedWords, joined: Range<usize>) -> Option<Range<usize>> {
    let first = words.token_at(joined.start)?;
    let last = words.token_at(joined.end - 1)?;
    let (start, end) = (&words.tokens[first], &words.tokens[last]);
    let begins = joined.start == start.joined.start;
    let ends = joined.end == end.joined.end;
    if !begins && start.script != Script::Unspaced {
        return None;
    }
    if !ends {
        match end.script {
            Script::Unspaced => {}
            Script::Hangul if PARTICLES.contains(&&words.joined[joined.end..end.joined.end]) => {}
            _ => return None,
        }
    }
    let mut is_spaced = false;
    for token in &words.tokens[first + 1..=last] {
        match token.gap {
            Gap::Break => return None,
            Gap::Nothing => {}
            Gap::Spaces | Gap::Signs | Gap::Stop => is_spaced = true,
        }
    }
    // Without spaces between words, a name across a space is a name only when it begins and ends with whole runs.
    if is_spaced && !(begins && (ends || end.script == Script::Hangul)) {
        return None;
    }
    Some(words.source(joined))
}

/// Decides whether a bounded stretch of text is this term.
pub fn fits(term: &Term, reading: &ProseReading<'_>, joined: Range<usize>, range: Range<usize>) -> bool {
    let words = &reading.words;
    let tokens = match (words.token_at(joined.start), words.token_at(joined.end - 1)) {
        (Some(first), Some(last)) => first..last + 1,
        _ => return false,
    };
    let has_foreign_stop = tokens.clone().skip(1).any(|token| {
        let token = &words.tokens[token];
        token.gap == Gap::Stop && !term.stops.contains(&(token.joined.start - joined.start))
    });
    if has_foreign_stop {
        return false;
    }
    let text = &reading.prose.text;
    match term.care {
        Care::None if tokens.len() == 1 => true,
        Care::None => !is_phrase(term, words, tokens, joined.start, &text[range]),
        Care::Short => {
            stands_alone(words, text, tokens, range.clone())
                && term.is_spelled(&text[range]) != Spelled::Otherwise
        }
        Care::Strict => {
            stands_alone(words, text, tokens, range.clone())
                && match term.is_spelled(&text[range.clone()]) {
                    Spelled::AsName => reading.surroundings.is_name_here(range),
                    Spelled::AsWord => reading.surroundings.is_set_apart(range.start),
                    Spelled::Otherwise => false,
                }
        }
    }
}

/// Decides whether several words are a phrase rather than a name: `base camp` is not Basecamp, `Base Camp` is.
fn is_phrase(
    term: &Term,
    words: &JoinedWords,
    tokens: Range<usize>,
    joined_start: usize,
    text: &str,
) -> bool {
    let is_spaced = words.tokens[tokens.start + 1..tokens.end].iter().all(|token| token.gap == Gap::Spaces);
    let is_word = |token: usize| {
        let token = &words.tokens[token];
        token.script == Script::Digit || is_common(&words.joined[token.joined.clone()])
    };
    let all_common = tokens.clone().all(is_word);
    if !is_spaced || !all_common {
        return false;
    }
    let spelled_in_lower_case = !term.spelling.chars().any(char::is_uppercase)
        && term.is_spaced_at(&inner_starts(words, tokens, joined_start));
    let is_capital = |word: &str| word.chars().next().is_some_and(|c| !c.is_lowercase());
    let has_capitals =
        text.split(' ').next().is_some_and(is_capital) && text.rsplit(' ').next().is_some_and(is_capital);
    !spelled_in_lower_case && !has_capitals
}

/// Decides whether a short or strict name is a whole word, not a part such as the `AT` of `AT&T` or the `X` of `X1`.
fn stands_alone(words: &JoinedWords, text: &str, tokens: Range<usize>, range: Range<usize>) -> bool {
    let touches = |token: Option<&super::words::ProseToken>, gap: Gap| {
        gap == Gap::Nothing
            && token.is_some_and(|token| matches!(token.script, Script::Spaced | Script::Digit))
    };
    let before = tokens.start.checked_sub(1).and_then(|at| words.tokens.get(at));
    let after = words.tokens.get(tokens.end);
    if touches(before, words.tokens[tokens.start].gap)
        || touches(after, after.map_or(Gap::Break, |token| token.gap))
    {
        return false;
    }
    let joins_before = text[..range.start].ends_with(JOINING_SIGNS)
        && text[..range.start].trim_end_matches(JOINING_SIGNS).ends_with(char::is_alphanumeric);
    let rest = &text[range.end..];
    let joins_after = rest.starts_with(['+', '#'])
        || rest.starts_with(JOINING_SIGNS) && rest[1..].starts_with(char::is_alphanumeric);
    !joins_before && !joins_after
}

/// Parts of the prose in which a capital letter says something, or in which a name stands by itself.
#[derive(Debug)]
pub struct Surroundings<'a> {
    prose: &'a Prose,
    /// Bold text, headings, heads of list items, link labels and table cells: in order, not overlapping.
    set_apart: Vec<Range<usize>>,
}

impl<'a> Surroundings<'a> {
    pub fn of(prose: &'a Prose) -> Surroundings<'a> {
        let marks =
            prose.marks.iter().filter(|mark| matches!(mark.kind, MarkKind::Strong | MarkKind::LinkLabel(_)));
        let mut ranges: Vec<Range<usize>> = marks.map(|mark| mark.range.clone()).collect();
        for (at, block) in prose.blocks.iter().enumerate() {
            let is_head = block.item.is_some_and(|item| prose.items[item].blocks.start == at);
            match block.kind {
                BlockKind::Heading(_) | BlockKind::Cell(_) => ranges.push(block.range.clone()),
                BlockKind::Paragraph if is_head => ranges.push(list_head(prose, block.range.clone())),
                BlockKind::Paragraph => {}
            }
        }
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut set_apart: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match set_apart.last_mut() {
                Some(before) if range.start <= before.end => before.end = before.end.max(range.end),
                _ => set_apart.push(range),
            }
        }
        Surroundings { prose, set_apart }
    }

    /// Decides whether a byte of the prose is in bold text, a heading, a list head, a link label or a table cell.
    pub fn is_set_apart(&self, at: usize) -> bool {
        let after = self.set_apart.partition_point(|range| range.start <= at);
        after.checked_sub(1).is_some_and(|before| at < self.set_apart[before].end)
    }

    /// Decides whether a common word with a capital is a name here: within a sentence, set apart, or as a subject.
    fn is_name_here(&self, range: Range<usize>) -> bool {
        self.is_set_apart(range.start) || !self.begins_sentence(range.start) || self.is_subject(range.end)
    }

    fn begins_sentence(&self, at: usize) -> bool {
        let block = &self.prose.blocks[self.prose.block_at(at)];
        let before = self.prose.text[block.range.start.min(at)..at].trim_end_matches(|c: char| {
            c == ' ' || matches!(c, '"' | '\'' | '(' | '[' | '“' | '„' | '«' | '‘' | '「' | '¿' | '¡')
        });
        before.is_empty() || before.ends_with(['.', '!', '?', '…', '。', '！', '？', '\n'])
    }

    fn is_subject(&self, end: usize) -> bool {
        let rest = &self.prose.text[end..];
        let next =
            rest.trim_start_matches(' ').split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        rest.starts_with("'s ")
            || rest.starts_with("’s ")
            || rest.starts_with(' ') && PREDICATES.contains(&next)
    }
}

/// Returns the head of a list item: what stands before a colon or a dash, or a short text as a whole.
fn list_head(prose: &Prose, block: Range<usize>) -> Range<usize> {
    const MAX_HEAD_BYTES: usize = 60;
    let text = &prose.text[block.clone()];
    let end = [": ", " - ", " – ", " — "].iter().filter_map(|separator| text.find(separator)).min();
    match end.unwrap_or(text.len()) {
        end if end <= MAX_HEAD_BYTES => block.start..block.start + end,
        _ => block.start..block.start,
    }
}
