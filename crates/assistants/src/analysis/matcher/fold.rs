//! Folding: one form for texts that a reader takes for the same name.
//! Used by the matcher for answers and for names alike. Lengths change, so every folded character keeps its source.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

/// Calls `each` for every folded character of a text, with the bytes of the text that the character comes from.
///
/// NFKC; invisible characters are dropped; lower case without a locale; accents are dropped from Latin, Greek and
/// Cyrillic letters only; apostrophes and dashes have one form each.
pub fn fold_each(text: &str, mut each: impl FnMut(char, usize, usize)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_plain = bytes[at].is_ascii() && bytes.get(at + 1).is_none_or(u8::is_ascii);
        if is_plain {
            each(bytes[at].to_ascii_lowercase() as char, at, at + 1);
            at += 1;
            continue;
        }
        let end = at + unit_length(&text[at..]);
        fold_unit(&text[at..end], |c| each(c, at, end));
        at = end;
    }
}

pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_each(text, |c, _, _| folded.push(c));
    folded
}

/// Returns the bytes of the first character and of what composes with it.
fn unit_length(text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else { return 0 };
    let is_jamo = ('\u{1100}'..='\u{11ff}').contains(&first);
    let composes = |c: char| {
        canonical_combining_class(c) != 0
            || matches!(c, '\u{ff9e}' | '\u{ff9f}')
            || is_jamo && ('\u{1160}'..='\u{11ff}').contains(&c)
    };
    chars.find(|(_, c)| !composes(*c)).map_or(text.len(), |(at, _)| at)
}

fn fold_unit(unit: &str, mut each: impl FnMut(char)) {
    // Folded, these signs would become letters, and so part of the name before them.
    if let Some(sign) = unit.chars().next().filter(|c| matches!(c, '™' | '℠' | '®' | '©')) {
        return each(sign);
    }
    let mut takes_accents = false;
    for composed in unit.nfkc().filter(|c| !is_invisible(*c)) {
        if is_combining_mark(composed) {
            if !takes_accents {
                each(composed);
            }
            continue;
        }
        let bare = first_of_nfd(composed);
        takes_accents = is_accented_script(bare);
        let letter = if takes_accents { bare } else { composed };
        // Turkish İ becomes an i and a combining dot.
        for lower in letter.to_lowercase().filter(|c| !is_combining_mark(*c)) {
            each(one_form(lower));
        }
    }
}

fn first_of_nfd(c: char) -> char {
    std::iter::once(c).nfd().next().unwrap_or(c)
}

fn one_form(c: char) -> char {
    match c {
        '’' | '‘' | 'ʼ' | '´' | '`' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' => '-',
        'ς' => 'σ',
        c if c.is_whitespace() && c != '\n' => ' ',
        c => c,
    }
}

/// Returns true for an invisible character: soft hyphen, joiner, direction mark, variation selector.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{34f}' | '\u{61c}')
}

/// Returns true for a script in which a letter with an accent is a variant of the letter: Latin, Greek, Cyrillic.
fn is_accented_script(c: char) -> bool {
    c.is_ascii_alphabetic()
        || matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}'
            | '\u{400}'..='\u{52f}' | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_same_is_the_same() {
        let pairs = [
            ("ＬｕｍａＤｏｃｓ", "lumadocs"),
            ("TOTÊME’s", "toteme's"),
            ("Tote\u{302}me", "toteme"),
            ("Lu\u{200d}ma\u{ad}Docs\u{feff}", "lumadocs"),
            ("A\u{2011}B\u{2014}C", "a-b-c"),
            ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
            ("Ёлка", "елка"),
            ("İSTANBUL", "istanbul"),
            ("LumaDocs™", "lumadocs™"),
            ("ﬁne", "fine"),
            ("a\u{a0}b", "a b"),
        ];

        for (text, folded) in pairs {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn marks_that_make_another_letter_stay() {
        assert_eq!(fold("ガ"), "ガ");
        assert_eq!(fold("カ\u{3099}"), "ガ");
        assert_eq!(fold("ｶﾞ"), "ガ");
        assert_eq!(fold("أ"), "أ");
        assert_eq!(fold("\u{1112}\u{1161}\u{11ab}"), "한");
    }

    #[test]
    fn every_character_knows_its_source() {
        let text = "Ａe\u{301}x";
        let mut sources = Vec::new();

        fold_each(text, |c, start, end| sources.push((c, &text[start..end])));

        assert_eq!(sources, [('a', "Ａ"), ('e', "e\u{301}"), ('x', "x")]);
    }
}
