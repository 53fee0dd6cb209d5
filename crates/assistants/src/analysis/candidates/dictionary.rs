//! Words of seven languages, beyond the commonest: a word with a capital at the start of a sentence may be one of them.
//! Used for names within sentences. The list is `data/words.txt`.

use std::cmp::Ordering;

use crate::analysis::matcher::common_words::is_common;

/// Words in lower case, one a line, sorted by their bytes, behind the lines that name source and licence.
const WORDS: &str = include_str!("../../../data/words.txt");

/// Decides whether a folded word is a common word or in the dictionary.
pub fn is_word(folded: &str) -> bool {
    is_common(folded) || is_listed(folded)
}

/// Searches the list by halves, so that nothing has to be built.
fn is_listed(word: &str) -> bool {
    let (mut low, mut high) = (0, WORDS.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = WORDS.as_bytes()[..middle].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let end =
            WORDS.as_bytes()[middle..].iter().position(|b| *b == b'\n').map_or(WORDS.len(), |at| middle + at);
        match WORDS.as_bytes()[start..end].cmp(word.as_bytes()) {
            Ordering::Equal => return true,
            Ordering::Less => low = end + 1,
            Ordering::Greater => high = start,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_listed_in_order_and_found() {
        let words: Vec<&str> = WORDS.lines().filter(|line| !line.starts_with('#')).collect();

        assert!(words.is_sorted());
        for word in
            [words[0], words[words.len() / 3], words[words.len() - 1], "upgrades", "tarifas", "matratze"]
        {
            assert!(is_word(word), "{word}");
        }
        for name in ["lumadocs", "notchly", "mailchimp", "", "zzzz", "#"] {
            assert!(!is_word(name), "{name}");
        }
    }
}
