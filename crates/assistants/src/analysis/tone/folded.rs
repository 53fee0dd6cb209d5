//! Prose in folded form, with the way from the prose's bytes to those of the folded text. Used by the tone analyser.

use std::ops::Range;

use crate::analysis::matcher::fold_each;

/// Prose in folded form, with the source byte of each of its bytes.
#[derive(Debug, Default)]
pub struct FoldedText {
    pub text: String,
    /// Byte of the original for every byte of the text; never falls.
    sources: Vec<u32>,
    /// Bytes of the original.
    length: usize,
}

impl FoldedText {
    /// Folds a text. Line feeds stay, so that blocks stay apart.
    pub fn of(original: &str) -> FoldedText {
        let mut folded = FoldedText { length: original.len(), ..FoldedText::default() };
        folded.text.reserve(original.len());
        folded.sources.reserve(original.len());
        fold_each(original, |c, start, _| {
            folded.text.push(c);
            folded.sources.resize(folded.text.len(), start as u32);
        });
        folded
    }

    /// Returns the folded bytes of a stretch of the original.
    pub fn range(&self, original: Range<usize>) -> Range<usize> {
        let at = |byte: usize| self.sources.partition_point(|source| (*source as usize) < byte);
        at(original.start)..at(original.end)
    }

    /// Returns the original bytes of a stretch of the folded text.
    pub fn original(&self, folded: Range<usize>) -> Range<usize> {
        let at = |byte: usize| self.sources.get(byte).map_or(self.length, |source| *source as usize);
        at(folded.start)..at(folded.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_of_the_original_is_found_in_the_folded_text() {
        let original = "Ａé\u{200d}ß TOTÊME";
        let folded = FoldedText::of(original);
        let start = original.find("TOT").unwrap();

        let range = folded.range(start..original.len());

        assert_eq!(&folded.text[range], "toteme");
        assert_eq!(folded.text, "aeß toteme");
    }
}
