//! First stage: mentions, ranks, spans and citations, from the text alone. Pure.

use std::collections::HashMap;

use super::{AnswerFacts, AnswerInput, BrandSpan, NamedBrand};
use crate::analysis::brand::{BrandKind, Brands};
use crate::analysis::citations::{self, Citation, SourceKind};
use crate::analysis::matcher::{BrandIndex, Hit, ProseReading, longest};
use crate::analysis::prose::{self, BlockKind, Prose};
use crate::analysis::unknown::{OWN, unknown_sentence};

/// Brands at the heads of an ordered list from which on it ranks them.
const MIN_RANKED: usize = 3;
/// Bytes from the start of a head within which its brand is named.
const HEAD_BYTES: usize = 48;

/// Analyses an answer with the brands of the profile.
pub fn facts(input: &AnswerInput<'_>, brands: &Brands) -> AnswerFacts {
    let prose = prose::read(input.text);
    let reading = ProseReading::of(&prose);
    let hits = longest(brands.matcher().hits(&reading));
    assemble(input.text, &prose, &hits, Cited::of(input, brands), |brand| brands.named(brand))
}

/// Sources of an answer, classified.
pub(super) struct Cited {
    pub citations: Vec<Citation>,
    pub retrieved: Vec<Citation>,
}

impl Cited {
    pub fn of(input: &AnswerInput<'_>, brands: &Brands) -> Cited {
        Cited {
            citations: citations::classify(input.citations, input.provider, brands),
            retrieved: citations::classify(input.retrieved, input.provider, brands),
        }
    }
}

/// Puts facts together from the brands that stand in the text. `named` is none for brands that are left out.
pub(super) fn assemble<'n>(
    text: &str,
    prose: &Prose,
    hits: &[Hit],
    cited: Cited,
    named: impl Fn(BrandIndex) -> Option<(&'n str, BrandKind)>,
) -> AnswerFacts {
    let unknown = unknown_sentence(prose, hits);
    let hits: Vec<Hit> = hits.iter().filter(|hit| unknown.is_none() || hit.brand != OWN).cloned().collect();
    let mut brands: Vec<NamedBrand> = Vec::new();
    let mut ranks: HashMap<BrandIndex, usize> = HashMap::new();
    let mut spans = Vec::new();
    let mut points = CodePoints { text, byte: 0, count: 0 };
    for hit in &hits {
        let Some((name, kind)) = named(hit.brand) else { continue };
        let source = prose.source_range(hit.range.clone());
        let start = points.at(source.start);
        let end = points.at(source.end);
        spans.push(BrandSpan { name: name.to_owned(), kind, start, end });
        let place = *ranks.entry(hit.brand).or_insert_with(|| {
            let rank = brands.len() as u32 + 1;
            brands.push(NamedBrand { name: name.to_owned(), kind, count: 0, rank, first_offset: start });
            brands.len() - 1
        });
        brands[place].count += 1;
    }
    let own = brands.iter().find(|brand| brand.kind == BrandKind::Own);
    AnswerFacts {
        mentioned: own.is_some(),
        count: own.map_or(0, |own| own.count),
        position: own.map_or(0, |own| own.rank),
        list_rank: list_rank(prose, &hits, |brand| named(brand).map(|(_, kind)| kind)),
        own_cited: cited.citations.iter().any(|citation| citation.kind == SourceKind::Own),
        citation_domains: citations::domains(&cited.citations),
        citations: cited.citations,
        retrieved: cited.retrieved,
        brands,
        spans,
        unknown,
    }
}

/// Counts code points of a text up to bytes that mostly grow.
struct CodePoints<'a> {
    text: &'a str,
    byte: usize,
    count: usize,
}

impl CodePoints<'_> {
    fn at(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            (self.byte, self.count) = (0, 0);
        }
        self.count += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.count
    }
}

/// Returns the own brand's rank in the first ordered list whose heads are at least three brands. Numbered headings are a
/// list too.
fn list_rank(prose: &Prose, hits: &[Hit], kind: impl Fn(BrandIndex) -> Option<BrandKind>) -> Option<u32> {
    // Lists in the order in which they begin, each with the positions of the brands at its heads.
    let mut lists: Vec<(ListId, Vec<(u32, BrandKind)>)> = Vec::new();
    for (at, block) in prose.blocks.iter().enumerate() {
        let (id, position) = match (block.kind, block.item) {
            (BlockKind::Heading(level), _) => match number_of(prose.block_text(at)) {
                Some(number) => (ListId::Headings(level), number),
                None => continue,
            },
            (BlockKind::Paragraph, Some(item)) if prose.items[item].is_ordered => {
                let item = &prose.items[item];
                if item.blocks.start != at {
                    continue;
                }
                (ListId::Items(item.list), item.position as u32)
            }
            _ => continue,
        };
        let after = hits.partition_point(|hit| hit.range.start < block.range.start);
        let head = hits
            .get(after)
            .filter(|hit| hit.range.start < block.range.end.min(block.range.start + HEAD_BYTES));
        let Some(kind) = head.and_then(|hit| kind(hit.brand)) else { continue };
        match lists.iter_mut().find(|(other, _)| *other == id) {
            Some((_, heads)) => heads.push((position, kind)),
            None => lists.push((id, vec![(position, kind)])),
        }
    }
    let (_, ranked) = lists.into_iter().find(|(_, heads)| heads.len() >= MIN_RANKED)?;
    ranked.into_iter().find(|(_, kind)| *kind == BrandKind::Own).map(|(position, _)| position)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListId {
    Items(usize),
    Headings(u8),
}

/// Returns the number that a heading begins with.
fn number_of(heading: &str) -> Option<u32> {
    let heading = heading.trim_start_matches(['#', ' ']);
    let digits = heading.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = (1..=3).contains(&digits) && heading[digits..].starts_with(['.', ')', ':', ' ']);
    heading[..digits].parse().ok().filter(|_| is_number)
}
