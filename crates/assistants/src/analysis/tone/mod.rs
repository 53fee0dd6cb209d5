//! Tone in which an answer speaks of each brand, from word lists and the structure of its sentences.
//! Used when no model is asked, and where a model's word cannot be used. Pure. See docs/decisions/0366.

mod attribution;
mod folded;
mod language;
mod lexicon;
mod sentences;
mod topics;

use std::collections::HashMap;
use std::ops::Range;

use super::matcher::{BrandIndex, Hit};
use super::prose::Prose;
use attribution::SentenceReader;
use lexicon::Lexicon;
use topics::{BlockView, Topics};

pub(super) use folded::FoldedText;
pub use language::ToneLanguage;
pub(super) use sentences::sentences;

/// Weight of the first sentence about a brand.
const FIRST_SENTENCE: f64 = 1.5;
/// Weight of a sentence that is about a brand without naming it.
const IMPLIED: f64 = 0.8;
/// Amount of weights that a score is compared with, so that a single word is no certainty.
const DAMPING: f64 = 4.0;
/// Weight of a list item that says nothing by itself below an introduction such as `Drawbacks:`.
const LEANING_ITEM: f64 = 1.0;

/// Tone towards one brand.
#[derive(Debug, Clone, PartialEq)]
pub struct BrandTone {
    /// Tone, from −1 to 1, two decimals.
    pub score: f64,
    /// None when nothing in the answer tells.
    pub recommended: Option<bool>,
    /// Sentence that shows the tone best.
    pub quote: Option<String>,
}

/// A brand that is named, in folded bytes.
#[derive(Debug, Clone, PartialEq)]
struct Naming {
    brand: BrandIndex,
    range: Range<usize>,
}

/// Sums of what is said of one brand.
#[derive(Debug, Clone, Default)]
struct ToneSums {
    sum: f64,
    amount: f64,
    sentences: u32,
    recommended: u32,
    discouraged: u32,
    /// Best and worst sentence, with the sum of its weights and its folded bytes.
    best: Option<(f64, Range<usize>)>,
    worst: Option<(f64, Range<usize>)>,
}

/// Scores the tone towards every brand that the hits name. `hits` are in order and do not overlap.
pub fn tones(prose: &Prose, hits: &[Hit], language: ToneLanguage) -> HashMap<BrandIndex, BrandTone> {
    let folded = FoldedText::of(&prose.text);
    let namings: Vec<Naming> =
        hits.iter().map(|hit| Naming { brand: hit.brand, range: folded.range(hit.range.clone()) }).collect();
    let mut cues = Lexicon::of(language).cues(&folded.text);
    // A brand called Bliss is not praised by its name.
    let mut naming = namings.iter().peekable();
    cues.retain(|cue| {
        while naming.next_if(|naming| naming.range.end <= cue.range.start).is_some() {}
        naming.peek().is_none_or(|naming| naming.range.start >= cue.range.end)
    });

    let mut reader = SentenceReader::of(&folded.text, sole(hits));
    let mut topics = Topics::of(prose);
    for (at, block) in prose.blocks.iter().enumerate() {
        let range = folded.range(block.range.clone());
        let inside = |start: &dyn Fn(usize) -> usize, count: usize| {
            partition(count, |at| start(at) < range.start)..partition(count, |at| start(at) < range.end)
        };
        let view = BlockView {
            namings: &namings[inside(&|at| namings[at].range.start, namings.len())],
            cues: &cues[inside(&|at| cues[at].range.start, cues.len())],
            text: &folded.text[range.clone()],
            range,
        };
        let topic = topics.next(at, &view);
        reader.read_block(&view, topic);
    }
    let quoted = |range: Range<usize>| quote(&prose.text[folded.original(range)]);
    reader.finish().into_iter().map(|(brand, sums)| (brand, sums.tone(quoted))).collect()
}

/// Returns the first of `count` positions that is not `before`.
fn partition(count: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Returns the brand of an answer that names only one.
fn sole(hits: &[Hit]) -> Option<BrandIndex> {
    let first = hits.first()?.brand;
    hits.iter().all(|hit| hit.brand == first).then_some(first)
}

impl ToneSums {
    fn tone(self, quoted: impl Fn(Range<usize>) -> String) -> BrandTone {
        let score = (self.sum / (self.amount + DAMPING)).clamp(-1.0, 1.0);
        let recommended = match (self.recommended, self.discouraged) {
            (0, 0) => None,
            (yes, no) => Some(yes > no),
        };
        let shows = if score < 0.0 { self.worst } else { self.best };
        // Adding zero turns −0 into 0.
        let score = (score * 100.0).round() / 100.0 + 0.0;
        BrandTone { score, recommended, quote: shows.map(|(_, range)| quoted(range)) }
    }
}

/// Returns a sentence in one line, cut to what a report shows.
fn quote(sentence: &str) -> String {
    const MAX_QUOTE_CHARS: usize = 200;
    let line = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_QUOTE_CHARS).collect()
}

#[cfg(test)]
mod tests;
