//! A brand's name, compiled: the key that is searched for, and in which spelling the name counts.
//! Used by the matcher. Pure.

use std::ops::Range;

use super::words::{Gap, JoinedWords, Script};
use crate::analysis::matcher::common_words::is_common;

/// Minimum number of characters of a key that is matched in any case.
const MIN_LOOSE_CHARS: usize = 3;
/// Minimum number of characters of a name in a script without spaces: one character is part of too many words.
const MIN_UNSPACED_CHARS: usize = 2;

/// A name, ready to be searched for.
#[derive(Debug, Clone)]
pub struct Term {
    /// Folded words of the name without separators.
    pub key: String,
    /// Name as it is spelled.
    pub spelling: String,
    pub care: Care,
    /// Byte offsets in the key at which the name is spelled with a full stop and a space: `Dr. Oetker`.
    pub stops: Vec<usize>,
    /// Byte offsets in the key at which the name is spelled with a space.
    pub spaces: Vec<usize>,
}

/// Care that a name needs because its letters are also something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    None,
    /// Fewer than three Latin characters: counts as spelled, as a whole word.
    Short,
    /// A common word: counts as spelled, as a whole word, where the text does not write every word with a capital.
    Strict,
}

impl Term {
    /// Compiles a name. None for a name that would match too much: without letters and digits, or a single character
    /// of a script without spaces.
    pub fn read(name: &str) -> Option<Term> {
        let spelling = name.trim().to_owned();
        let words = JoinedWords::of_name(&spelling);
        let key: String = words.joined.chars().filter(|c| *c != '\n').collect();
        // A name with signs that no match reaches across, such as `Yahoo!`, is searched for without them.
        let is_latin =
            words.tokens.iter().all(|token| matches!(token.script, Script::Spaced | Script::Digit));
        let length = key.chars().count();
        if length == 0 || !is_latin && length < MIN_UNSPACED_CHARS {
            return None;
        }
        let care = match words.tokens.len() {
            _ if is_latin && length < MIN_LOOSE_CHARS => Care::Short,
            1 if is_latin && is_common(&key) => Care::Strict,
            _ => Care::None,
        };
        let mut at = 0;
        let (mut stops, mut spaces) = (Vec::new(), Vec::new());
        for token in &words.tokens {
            match token.gap {
                Gap::Stop => stops.push(at),
                Gap::Spaces => spaces.push(at),
                _ => {}
            }
            at += token.joined.len();
        }
        Some(Term { key, spelling, care, stops, spaces })
    }

    /// Decides whether a stretch of text is spelled like the name, its first letter in upper case allowed.
    pub fn is_spelled(&self, text: &str) -> Spelled {
        if text == self.spelling {
            let is_lower = !self.spelling.chars().any(char::is_uppercase);
            return if is_lower { Spelled::AsWord } else { Spelled::AsName };
        }
        let mut own = self.spelling.chars();
        let capitalised = own.next().map(|first| first.to_uppercase().chain(own).eq(text.chars()));
        if capitalised == Some(true) { Spelled::AsName } else { Spelled::Otherwise }
    }

    /// Decides whether the name has the form of a host: one word with a full stop inside.
    pub fn is_written_like_a_host(&self) -> bool {
        self.spelling.contains('.') && !self.spelling.contains(char::is_whitespace)
    }

    /// Decides whether the name is spelled with spaces at exactly these bytes of its key.
    pub fn is_spaced_at(&self, bytes: &[usize]) -> bool {
        self.spaces == bytes
    }
}

/// Spelling of a stretch of text, compared with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelled {
    /// Like the name, which has a capital.
    AsName,
    /// Like the name, which is written in lower case as words are.
    AsWord,
    Otherwise,
}

/// Returns the byte offsets in the key at which the words of a match begin, except the first word.
pub fn inner_starts(words: &JoinedWords, tokens: Range<usize>, joined_start: usize) -> Vec<usize> {
    tokens.skip(1).map(|token| words.tokens[token].joined.start - joined_start).collect()
}
