//! Measures of a document's main text, in one pass over it.

use xxhash_rust::xxh3::xxh3_128;

use super::sketch::{Shingles, Sketch};
use super::text::{WordCounter, fold, is_cjk, words};

/// Measures of a main text.
#[derive(Debug, Clone, Default)]
pub struct Measures {
    pub words: usize,
    /// Hash of it, equal for texts that differ in case only.
    pub hash: u128,
    /// Sketch; none when there are too few words for one.
    pub sketch: Option<Box<Sketch>>,
}

impl Measures {
    pub fn of(text: &str) -> Measures {
        let folded = fold(text);
        let is_cjk = is_cjk(&folded);
        let mut counter = WordCounter::default();
        let mut shingles = Shingles::default();
        for word in words(&folded) {
            counter.add(word);
            if !is_cjk {
                shingles.add(word);
            }
        }
        if is_cjk {
            shingles.add_characters(&folded);
        }
        Measures {
            words: counter.count(),
            hash: xxh3_128(folded.as_bytes()),
            sketch: shingles.finish().map(Box::new),
        }
    }
}
