//! Words of a text as Unicode divides it (UAX 29), most of them without looking anything up. Used by counts, fingerprints
//! and reading ease. Pure.

use memchr::memchr;
use unicode_segmentation::{UnicodeSegmentation, UnicodeWords};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Letters and digits.
    Word,
    /// Is in no word, and none goes on behind it.
    Break,
    /// May stand inside a word: between letters, between digits, or both.
    Mark,
    /// Begins a letter of two bytes, of Latin or Cyrillic.
    Letter,
    /// Of another script.
    Other,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Break; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => Class::Word,
            b'.' | b',' | b';' | b':' | b'\'' | b'"' | b'_' => Class::Mark,
            // U+00C0 to U+024F and U+0400 to U+047F; two of them are signs (`is_sign`).
            0xC3..=0xC9 | 0xD0 | 0xD1 => Class::Letter,
            0x80.. => Class::Other,
            _ => Class::Break,
        };
        byte += 1;
    }
    classes
};

/// Words of a text that have a letter or digit.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, piece: None }
}

/// Words that are still to come.
pub struct Words<'t> {
    text: &'t str,
    at: usize,
    /// Words of a piece that only the rules of Unicode can divide.
    piece: Option<UnicodeWords<'t>>,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            if let Some(word) = self.piece.as_mut().and_then(Iterator::next) {
                return Some(word);
            }
            self.piece = None;
            let bytes = self.text.as_bytes();
            // Marks before a word belong to no word, unless something else than a word follows.
            let mut start = self.at;
            let mut piece = start;
            loop {
                match bytes.get(start).map(|byte| CLASSES[usize::from(*byte)]) {
                    None => return None,
                    Some(Class::Word | Class::Letter) => break,
                    Some(Class::Break) => piece = start + 1,
                    Some(Class::Mark) if bytes[start] != b'_' => {}
                    Some(Class::Mark | Class::Other) => {
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

/// Where the word ends that begins at `start`; none when only the rules of Unicode can tell.
fn word_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    loop {
        loop {
            match bytes.get(end).map(|byte| CLASSES[usize::from(*byte)]) {
                Some(Class::Word) => end += 1,
                Some(Class::Letter) if !is_sign(&bytes[end..]) => end += 2,
                Some(Class::Letter) => return None,
                _ => break,
            }
        }
        let Some(byte) = bytes.get(end) else { return Some(end) };
        match CLASSES[usize::from(*byte)] {
            Class::Break => return Some(end),
            Class::Mark => {}
            Class::Word | Class::Letter | Class::Other => return None,
        }
        if *byte == b'_' {
            return None;
        }
        let is_mark = |byte: &&u8| **byte != b'_' && CLASSES[usize::from(**byte)] == Class::Mark;
        let marks = bytes[end..].iter().take_while(is_mark).count();
        let next = bytes.get(end + marks);
        if next.is_none_or(|next| CLASSES[usize::from(*next)] == Class::Break) {
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
            Class::Word if !goes_on => return Some(end),
            Class::Word => end += 1,
            _ => return None,
        }
    }
}

/// Whether a text begins with a sign of multiplication or division, which stand among the letters.
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
