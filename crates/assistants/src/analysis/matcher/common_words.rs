//! The commonest words of seven languages: such a word alone is no evidence of a brand.
//! Used by the default profile, the matcher and the candidates. The list is `data/common_words.txt`.

use std::collections::HashSet;
use std::sync::LazyLock;

static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../../data/common_words.txt").lines();
    lines.filter(|line| !line.starts_with('#')).collect()
});

/// Decides whether a folded word is among the commonest of English, German, French, Spanish, Portuguese, Italian or Dutch.
pub fn is_common(folded: &str) -> bool {
    WORDS.contains(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_are_common_and_names_are_not() {
        for word in ["you", "notion", "monday", "gusto", "wetter", "maison", "playa", "tijd"] {
            assert!(is_common(word), "{word}");
        }
        for name in ["lumadocs", "notchly", "airtable", "google"] {
            assert!(!is_common(name), "{name}");
        }
    }
}
