//! Words of a text as Unicode divides it (UAX 29), most of them without table look-ups. Used by counts, fingerprints
//! and reading ease. Pure.

use memchr::memchr;
use unicode_segmentation::{UnicodeSegmentation, UnicodeWords};

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    /// Letters and digits.
    Word,
    /// In no word, and ends the word before it.
    Break,
    /// May be inside a word: between letters, between digits, or both.
    Mark,
    /// Begins a letter of two bytes, of Latin or Cyrillic.
    Letter,
    /// Of another script.
    Other,
}

static CLASSES: [CharacterClass; 256] = {
    let mut classes = [CharacterClass::Break; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => CharacterClass::Word,
            b'.' | b',' | b';' | b':' | b'\'' | b'"' | b'_' => CharacterClass::Mark,
            // U+00C0 to U+024F and U+0400 to U+047F; two of them are signs (`is_sign`).
            0xC3..=0xC9 | 0xD0 | 0xD1 => CharacterClass::Letter,
            0x80.. => CharacterClass::Other,
            _ => CharacterClass::Break,
        };
        byte += 1;
    }
    classes
};

/// Returns the words of a text that have a letter or digit.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, piece: None, block: Block::default() }
}

/// Words that are still to come.
pub struct Words<'t> {
    text: &'t str,
    at: usize,
    /// Words of a piece that only the rules of Unicode can divide.
    piece: Option<UnicodeWords<'t>>,
    block: Block,
}

/// Bytes of a block: one for each bit of a number.
pub(super) const BLOCK: usize = 64;

/// Classes of the bytes of a block of text, so that the end of a word is found without looking at each letter.
#[derive(Default)]
struct Block {
    start: usize,
    /// Number of classified bytes; 0: none.
    length: usize,
    words: u64,
    breaks: u64,
}

impl Block {
    /// Looks at the block around a place, and says which bytes from there on are of words, and which are breaks.
    fn look(&mut self, bytes: &[u8], at: usize) -> (u64, u64) {
        if self.length == 0 || at - self.start >= BLOCK {
            *self = Block::at(bytes, at / BLOCK * BLOCK);
        }
        let offset = at - self.start;
        (self.words >> offset, self.breaks >> offset)
    }

    fn at(bytes: &[u8], start: usize) -> Block {
        let length = BLOCK.min(bytes.len() - start);
        let block = block_at(bytes, start);
        let words = bits(&block, is_plain_letter);
        let marks = bits(&block, is_mark);
        let there = u64::MAX >> (BLOCK - length);
        let breaks = !(words | marks | bits(&block, |byte| byte >= 0x80 || byte == b'_')) & there;
        // A mark stands inside a word only between two letters or digits, or before what changes the letter before it.
        let before = start.checked_sub(1).is_none_or(|at| divides(bytes[at]));
        let behind = bytes.get(start + length);
        let last = 1 << (length - 1);
        let after_division = (breaks | marks) << 1 | u64::from(before);
        let before_division =
            (breaks | marks) >> 1 | if behind.is_none_or(|b| divides(*b)) { last } else { 0 };
        let before_word = words >> 1 | if behind.is_some_and(|b| is_plain_letter(*b)) { last } else { 0 };
        let lone = marks & (before_division | after_division & before_word);
        Block { start, length, words, breaks: breaks | lone }
    }

    /// Finds the next word after an offset, if the whole word and a break after it are in the classified block.
    #[inline]
    fn word_inside(&self, at: usize) -> Option<(usize, usize)> {
        let offset = at.checked_sub(self.start).filter(|offset| *offset < self.length)?;
        let start = offset + (!(self.breaks >> offset)).trailing_zeros() as usize;
        if start >= self.length {
            return None;
        }
        let end = start + (!(self.words >> start)).trailing_zeros() as usize;
        let is_word = end > start && end < self.length && self.breaks >> end & 1 == 1;
        is_word.then_some((self.start + start, self.start + end))
    }

    /// Returns the offset after the block.
    fn end(&self) -> usize {
        self.start + self.length
    }
}

pub(super) fn is_plain_letter(byte: u8) -> bool {
    byte.wrapping_sub(b'0') < 10 || (byte | 0x20).wrapping_sub(b'a') < 26
}

pub(super) fn needs_rules(byte: u8) -> bool {
    byte >= 0x80 || is_mark(byte) || byte == b'_'
}

/// Returns true for a byte that may be inside a word: between letters, between digits, or both.
fn is_mark(byte: u8) -> bool {
    matches!(byte, b'.' | b',' | b';' | b':' | b'\'' | b'"')
}

/// Returns true for a byte that is neither part of a word nor of a letter that needs the rules of Unicode.
fn divides(byte: u8) -> bool {
    is_mark(byte) || !is_plain_letter(byte) && !needs_rules(byte)
}

/// Returns the block at an offset of a text, padded with zeros.
pub(super) fn block_at(text: &[u8], start: usize) -> [u8; BLOCK] {
    let piece = &text[start..text.len().min(start + BLOCK)];
    let mut block = [0; BLOCK];
    block[..piece.len()].copy_from_slice(piece);
    block
}

/// Returns one bit for each byte. Written so that compilers vectorise it.
pub(super) fn bits(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    let mut flags = [0; BLOCK];
    flags.iter_mut().zip(block).for_each(|(flag, byte)| *flag = u8::from(is(*byte)));
    // The product moves the lowest bits of eight bytes beside each other.
    let eights = flags.as_chunks::<8>().0.iter().rev();
    eights
        .fold(0, |all, eight| all << 8 | u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56)
}

impl<'t> Words<'t> {
    /// Returns the next word, if it consists of plain letters and digits between breaks.
    fn plain(&mut self) -> Option<&'t str> {
        if let Some((start, end)) = self.block.word_inside(self.at) {
            self.at = end;
            return Some(&self.text[start..end]);
        }
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        loop {
            if start >= bytes.len() {
                return None;
            }
            let (words, breaks) = self.block.look(bytes, start);
            let gap = (!breaks).trailing_zeros();
            start += gap as usize;
            if start < self.block.end() {
                if words.checked_shr(gap).is_none_or(|words| words & 1 == 0) {
                    return None;
                }
                break;
            }
        }
        let mut end = start;
        loop {
            let (words, _) = self.block.look(bytes, end);
            end += (!words).trailing_zeros() as usize;
            if end < self.block.end() {
                let (_, breaks) = self.block.look(bytes, end);
                if breaks & 1 == 0 {
                    return None;
                }
                break;
            }
            if end >= bytes.len() {
                break;
            }
        }
        self.at = end;
        Some(&self.text[start..end])
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            if let Some(word) = self.piece.as_mut().and_then(Iterator::next) {
                return Some(word);
            }
            self.piece = None;
            if let Some(word) = self.plain() {
                return Some(word);
            }
            let bytes = self.text.as_bytes();
            // Marks before a word belong to no word, unless something else than a word follows.
            let mut start = self.at;
            let mut piece = start;
            loop {
                match bytes.get(start).map(|byte| CLASSES[usize::from(*byte)]) {
                    None => return None,
                    Some(CharacterClass::Word | CharacterClass::Letter) => break,
                    Some(CharacterClass::Break) => piece = start + 1,
                    Some(CharacterClass::Mark) if bytes[start] != b'_' => {}
                    Some(CharacterClass::Mark | CharacterClass::Other) => {
                        start = usize::MAX;
                        break;
                    }
                }
                start += 1;
            }
            if start != usize::MAX
                && let Some(end) = word_end(bytes, start)
            {
                self.at = end;
                return Some(&self.text[start..end]);
            }
            let length = memchr(b' ', &bytes[piece..]).unwrap_or(bytes.len() - piece);
            self.at = piece + length;
            self.piece = Some(self.text[piece..self.at].unicode_words());
        }
    }
}

/// Finds the end of the word that begins at `start`. Returns `None` when it needs the rules of Unicode.
fn word_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    loop {
        loop {
            match bytes.get(end).map(|byte| CLASSES[usize::from(*byte)]) {
                Some(CharacterClass::Word) => end += 1,
                Some(CharacterClass::Letter) if !is_sign(&bytes[end..]) => end += 2,
                Some(CharacterClass::Letter) => return None,
                _ => break,
            }
        }
        let Some(byte) = bytes.get(end) else { return Some(end) };
        match CLASSES[usize::from(*byte)] {
            CharacterClass::Break => return Some(end),
            CharacterClass::Mark => {}
            CharacterClass::Word | CharacterClass::Letter | CharacterClass::Other => return None,
        }
        if *byte == b'_' {
            return None;
        }
        let is_mark = |byte: &&u8| **byte != b'_' && CLASSES[usize::from(**byte)] == CharacterClass::Mark;
        let marks = bytes[end..].iter().take_while(is_mark).count();
        let next = bytes.get(end + marks);
        if next.is_none_or(|next| CLASSES[usize::from(*next)] == CharacterClass::Break) {
            return Some(end);
        }
        let next = next.filter(|_| marks == 1 && matches!(byte, b'.' | b'\''))?;
        let before = bytes[end - 1];
        if !before.is_ascii() {
            return None;
        }
        let goes_on = before.is_ascii_alphabetic() && next.is_ascii_alphabetic()
            || before.is_ascii_digit() && next.is_ascii_digit();
        match CLASSES[usize::from(*next)] {
            CharacterClass::Word if !goes_on => return Some(end),
            CharacterClass::Word => end += 1,
            _ => return None,
        }
    }
}

/// Returns true when a text begins with a sign of multiplication or division, whose code points are among the letters.
fn is_sign(bytes: &[u8]) -> bool {
    matches!(bytes, [0xC3, 0x97 | 0xB7, ..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_names_and_short_forms_are_one_word() {
        let text = "Don't pay 3.50 (or 1,000) for well-known u.s. things_of example.com, \"he\" said.";

        assert_eq!(words(text).collect::<Vec<_>>(), text.unicode_words().collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn words_are_those_of_unicode(text in "[aB1_ .,:;!?()\"'\u{e4}\u{308}\u{4e00}\u{3042}\u{e01}\n/&-]{0,24}") {
            let expected: Vec<&str> = text.unicode_words().collect();

            prop_assert_eq!(words(&text).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn words_of_long_texts_are_those_of_unicode(text in "([aB1]{1,40}[ ,.\u{e4}\n]{1,3}){0,12}") {
            let expected: Vec<&str> = text.unicode_words().collect();

            prop_assert_eq!(words(&text).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn words_of_latin_and_cyrillic_are_those_of_unicode(text in "[a1\u{c0}-\u{24f}\u{400}-\u{47f}\u{308}\u{d7}\u{f7} .',_-]{0,16}") {
            let expected: Vec<&str> = text.unicode_words().collect();

            prop_assert_eq!(words(&text).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn plain_words_are_those_of_unicode(text in "[aB1_ .,:;'\"\r\n-]{0,16}") {
            let expected: Vec<&str> = text.unicode_words().collect();

            prop_assert_eq!(words(&text).collect::<Vec<_>>(), expected);
        }
    }
}
