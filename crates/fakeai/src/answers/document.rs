//! An answer before it gets a vendor's form: pieces of markdown, each with the sources that it cites. Pure.

/// A source of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct FakeSource {
    pub url: String,
    pub title: String,
    pub snippet: String,
}

/// A piece of markdown, cited by numbers of sources (from 0).
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerPiece {
    pub text: String,
    pub cites: Vec<usize>,
    /// Text between this piece and the one before it.
    pub gap: &'static str,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub pieces: Vec<AnswerPiece>,
    pub sources: Vec<FakeSource>,
    pub queries: Vec<String>,
    /// False: the assistant answered from memory.
    pub has_searched: bool,
    /// Google showed no overview.
    pub is_absent: bool,
}

/// A citation in a text: where it stands, and its source.
#[derive(Debug, Clone, PartialEq)]
pub struct CitedSpan {
    /// Offsets of the cited piece in bytes.
    pub start: usize,
    pub end: usize,
    /// Offset of the end of the mark in bytes; the mark begins at `end`.
    pub mark_end: usize,
    pub source: usize,
}

/// A text with its citations.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedText {
    pub text: String,
    pub spans: Vec<CitedSpan>,
}

impl Document {
    /// Writes the markdown. `mark` writes a citation behind its piece, from the source's number.
    pub fn marked(&self, mark: impl Fn(usize) -> String) -> MarkedText {
        let mut marked = MarkedText { text: String::new(), spans: Vec::new() };
        for piece in &self.pieces {
            marked.text.push_str(piece.gap);
            let start = marked.text.len();
            marked.text.push_str(&piece.text);
            let end = marked.text.len();
            for source in &piece.cites {
                let begin = marked.text.len();
                marked.text.push_str(&mark(*source));
                let mark_end = marked.text.len();
                // Several marks in a row each stand at their own place.
                let end = if mark_end > begin { begin } else { end };
                marked.spans.push(CitedSpan { start, end, mark_end, source: *source });
            }
        }
        marked
    }

    pub fn plain(&self) -> String {
        self.marked(|_| String::new()).text
    }

    /// Returns the sources that a piece cites, in the order of their first citation.
    pub fn cited(&self) -> Vec<usize> {
        let mut cited = Vec::new();
        for source in self.pieces.iter().flat_map(|piece| &piece.cites) {
            if !cited.contains(source) {
                cited.push(*source);
            }
        }
        cited
    }
}
