//! The words of a text: runs of letters of one script, or of digits, and what stands between them.
//! Used by the matcher. The folded words stand in one string without separators, so that a name is found however it is spaced.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::fold::fold_each;

/// Stands in the joined string where no name may reach across.
const BREAK: char = '\n';

/// A text, taken apart into words.
#[derive(Debug, Default)]
pub struct JoinedWords {
    /// Folded words in one string.
    pub joined: String,
    pub tokens: Vec<ProseToken>,
    /// Position in `tokens` for every byte of `joined`.
    token_at: Vec<u32>,
    /// Bytes of the text for every byte of `joined`.
    sources: Vec<(u32, u32)>,
}

/// A run of letters of one script, or of digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProseToken {
    /// Bytes of [`JoinedWords::joined`].
    pub joined: Range<usize>,
    /// Bytes of the text.
    pub source: Range<usize>,
    pub script: Script,
    pub gap: Gap,
}

/// Writing, as far as the borders of names depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Letters of languages that put spaces between words.
    Spaced,
    Digit,
    Katakana,
    Hangul,
    /// Han, Hiragana, Thai, Lao, Khmer and Burmese letters, which follow one another without spaces.
    Unspaced,
}

/// Text between a token and the token before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// Something that no name contains, or the start of the text.
    Break,
    Nothing,
    Spaces,
    /// Signs that names contain: `. - ' & + / ™ ® _ *`, with or without spaces.
    Signs,
    /// A full stop and a space, which end a sentence unless the name is spelled so.
    Stop,
}

impl JoinedWords {
    /// Takes a text apart. Nothing inside the `hidden` ranges, which are in order, becomes a word.
    pub fn of(text: &str, hidden: impl IntoIterator<Item = Range<usize>>) -> JoinedWords {
        let mut words = JoinedWords::default();
        words.joined.reserve(text.len());
        words.token_at.reserve(text.len());
        words.sources.reserve(text.len());
        let mut hidden = hidden.into_iter().peekable();
        let mut gap = GapState::default();
        let mut is_open = false;
        fold_each(text, |c, start, end| {
            while hidden.next_if(|range| range.end <= start).is_some() {}
            if hidden.peek().is_some_and(|range| range.start <= start) {
                is_open = false;
                return gap.see(BREAK);
            }
            let script = match script_of(c) {
                Some(script) => script,
                None if is_open && is_combining_mark(c) => words.tokens[words.tokens.len() - 1].script,
                None => {
                    is_open = false;
                    return gap.see(c);
                }
            };
            if !is_open || words.tokens.last().is_none_or(|token| token.script != script) {
                words.begin(script, std::mem::take(&mut gap).gap(), start);
                is_open = true;
            }
            words.push(c, start, end);
        });
        words
    }

    /// Takes a name apart, of which nothing is hidden.
    pub fn of_name(name: &str) -> JoinedWords {
        JoinedWords::of(name, [])
    }

    /// Returns the position of the token at a byte of the joined string. None at a break.
    pub fn token_at(&self, joined: usize) -> Option<usize> {
        self.token_at.get(joined).filter(|token| **token != u32::MAX).map(|token| *token as usize)
    }

    /// Returns the bytes of the text that a stretch of the joined string comes from.
    pub fn source(&self, joined: Range<usize>) -> Range<usize> {
        self.sources[joined.start].0 as usize..self.sources[joined.end - 1].1 as usize
    }

    fn begin(&mut self, script: Script, gap: Gap, start: usize) {
        let gap = if self.tokens.is_empty() { Gap::Break } else { gap };
        if gap == Gap::Break && !self.tokens.is_empty() {
            self.joined.push(BREAK);
            self.token_at.push(u32::MAX);
            self.sources.push((0, 0));
        }
        let joined = self.joined.len()..self.joined.len();
        self.tokens.push(ProseToken { joined, source: start..start, script, gap });
    }

    fn push(&mut self, c: char, start: usize, end: usize) {
        self.joined.push(c);
        let at = self.tokens.len() - 1;
        let token = &mut self.tokens[at];
        token.joined.end = self.joined.len();
        token.source.end = end;
        self.token_at.resize(self.joined.len(), at as u32);
        self.sources.resize(self.joined.len(), (start as u32, end as u32));
    }
}

/// Characters seen since the last token.
#[derive(Default)]
struct GapState {
    seen: Option<Gap>,
    after_stop: bool,
}

impl GapState {
    fn see(&mut self, c: char) {
        let kind = match c {
            ' ' if self.after_stop => Gap::Stop,
            ' ' => Gap::Spaces,
            '.' | '-' | '\'' | '&' | '+' | '/' | '™' | '®' | '_' | '*' | '・' | '·' => Gap::Signs,
            _ => Gap::Break,
        };
        self.after_stop = c == '.';
        self.seen = Some(match (self.seen, kind) {
            (Some(Gap::Break), _) | (_, Gap::Break) => Gap::Break,
            (Some(Gap::Stop), _) | (_, Gap::Stop) => Gap::Stop,
            (Some(Gap::Signs), _) | (_, Gap::Signs) => Gap::Signs,
            (_, kind) => kind,
        });
    }

    fn gap(self) -> Gap {
        self.seen.unwrap_or(Gap::Nothing)
    }
}

/// Returns the script of a letter or digit; none for all other characters.
pub fn script_of(c: char) -> Option<Script> {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' => Some(Script::Spaced),
            '0'..='9' => Some(Script::Digit),
            _ => None,
        };
    }
    match c {
        '・' => None,
        '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' => Some(Script::Katakana),
        '\u{ac00}'..='\u{d7ff}' | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' => Some(Script::Hangul),
        '\u{3040}'..='\u{309f}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Some(Script::Unspaced),
        // Thai and Lao vowels and tones are marks; they belong to the run all the same.
        '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{1000}'..='\u{103f}' | '\u{1780}'..='\u{17d3}' => {
            Some(Script::Unspaced)
        }
        c if c.is_alphabetic() => Some(Script::Spaced),
        c if c.is_numeric() => Some(Script::Digit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(&str, Gap)> {
        let words = JoinedWords::of_name(text);
        words.tokens.iter().map(|token| (&text[token.source.clone()], token.gap)).collect()
    }

    #[test]
    fn letters_and_digits_are_taken_apart() {
        assert_eq!(
            tokens("Acme's 1Password, Next. C++"),
            [
                ("Acme", Gap::Break),
                ("s", Gap::Signs),
                ("1", Gap::Spaces),
                ("Password", Gap::Nothing),
                ("Next", Gap::Break),
                ("C", Gap::Stop)
            ]
        );
    }

    #[test]
    fn scripts_are_taken_apart() {
        assert_eq!(
            tokens("LumaDocsはルマーです 루마는 שלום"),
            [
                ("LumaDocs", Gap::Break),
                ("は", Gap::Nothing),
                ("ルマー", Gap::Nothing),
                ("です", Gap::Nothing),
                ("루마는", Gap::Spaces),
                ("שלום", Gap::Spaces)
            ]
        );
    }

    #[test]
    fn hidden_text_makes_no_words_and_no_name_reaches_across() {
        let words = JoinedWords::of("one two three", std::iter::once(4..7));

        assert_eq!(words.joined, "one\nthree");
        assert_eq!(words.source(4..9), 8..13);
    }
}
