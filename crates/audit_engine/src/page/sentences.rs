//! Count of a text's sentences, by the rules of Unicode (UAX 29). Pure.

use memchr::{memchr2_iter, memchr3_iter};
use unicode_segmentation::UnicodeSegmentation;

use super::text::words;

/// Counts the sentences with a word in them.
pub fn sentence_count(text: &str) -> usize {
    if text.is_ascii() {
        return ascii_sentence_count(text.as_bytes());
    }
    text.unicode_sentences().filter(|sentence| words(sentence).next().is_some()).count()
}

/// Counts the sentences of a text in ASCII: most of the web, in a tenth of the time.
fn ascii_sentence_count(text: &[u8]) -> usize {
    let mut lines = memchr2_iter(b'\n', b'\r', text).peekable();
    let mut marks = memchr3_iter(b'.', b'!', b'?', text).peekable();
    let (mut sentences, mut has_word, mut at) = (0, false, 0);
    while at < text.len() {
        while lines.next_if(|line| *line < at).is_some() {}
        while marks.next_if(|mark| *mark < at).is_some() {}
        let Some(stop) = lines.peek().into_iter().chain(marks.peek()).min().copied() else { break };
        has_word |= has_letter(&text[at..stop]);
        at = stop + 1;
        let end = match text[stop] {
            b'\n' => Some(at),
            b'\r' => (text.get(at) != Some(&b'\n')).then_some(at),
            _ => sentence_end(text, at),
        };
        if let Some(end) = end {
            at = end;
            sentences += usize::from(has_word);
            has_word = false;
        }
    }
    sentences + usize::from(has_word || has_letter(&text[at..]))
}

fn has_letter(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_alphanumeric)
}

/// Finds the end of the sentence whose mark is before `at`. Returns `None` when the sentence goes on.
fn sentence_end(text: &[u8], at: usize) -> Option<usize> {
    let is_term = |byte: &u8| matches!(byte, b'.' | b'!' | b'?');
    let is_full_stop = text[at - 1] == b'.';
    let next = text.get(at);
    if is_full_stop {
        let after_letter = at >= 2 && text[at - 2].is_ascii_alphabetic();
        if next.is_some_and(u8::is_ascii_digit) || after_letter && next.is_some_and(u8::is_ascii_uppercase) {
            return None;
        }
    }
    let skip = |from: usize, wanted: fn(&u8) -> bool| {
        from + text[from..].iter().take_while(|byte| wanted(byte)).count()
    };
    let closed = skip(at, |byte| b"()[]{}\"'".contains(byte));
    let end = skip(closed, |byte| matches!(byte, b' ' | b'\t' | 0x0B | 0x0C));
    let Some(byte) = text.get(end) else { return Some(end) };
    match byte {
        b'\r' if text.get(end + 1) == Some(&b'\n') => return Some(end + 2),
        b'\r' | b'\n' => return Some(end + 1),
        b',' | b'-' | b':' | b';' => return None,
        byte if is_term(byte) => return None,
        _ => {}
    }
    let stops = |byte: &&u8| byte.is_ascii_alphabetic() || is_term(byte) || matches!(byte, b'\r' | b'\n');
    let goes_on = is_full_stop && text[end..].iter().find(stops).is_some_and(u8::is_ascii_lowercase);
    (!goes_on).then_some(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentences_end_where_readers_end_them() {
        for (text, sentences) in [
            ("", 0),
            ("No end", 1),
            ("One. Two! Three? ", 3),
            ("It costs 3.50 at Smith & Co. and more.", 1),
            ("He said: \"Stop!\" She went on.", 2),
            ("What?! No.", 2),
            ("— … —", 0),
        ] {
            assert_eq!(sentence_count(text), sentences, "{text}");
        }
    }

    proptest! {
        #[test]
        fn plain_text_is_divided_as_by_unicode(text in "[aB1 .!?,;:()\"'\n\r\t-]{1,24}") {
            let expected = text.unicode_sentences().filter(|one| one.unicode_words().next().is_some()).count();

            prop_assert_eq!(ascii_sentence_count(text.as_bytes()), expected, "{:?}", text);
        }
    }
}
