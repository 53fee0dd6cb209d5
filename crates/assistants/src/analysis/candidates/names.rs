//! Decides whether a piece of text can be the name of a competitor, and brings the name into its form.
//! Used for candidates and for the proposals of models alike. The lists are `data/not_competitors.txt`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::unspaced::{self, is_unspaced};
use crate::analysis::brand::key;
use crate::analysis::matcher::common_words::is_common;
use crate::analysis::matcher::fold;
use crate::analysis::prose::hosts;

/// Longest name, in characters and in words.
const MAX_NAME_CHARS: usize = 50;
const MAX_NAME_WORDS: usize = 6;
/// Bytes of a text in which the end of its head is looked for: more than the longest name has.
const MAX_HEAD_BYTES: usize = 4 * MAX_NAME_CHARS + 56;
/// Longest name in a script without spaces, in characters: longer ones are sentences.
const MAX_UNSPACED_CHARS: usize = 16;

/// Maximum number of words of a name within a sentence.
const MAX_LEADING_WORDS: usize = 4;

/// Text that ends a head: what follows describes the name.
const HEAD_ENDS: [&str; 12] = [": ", " – ", " — ", " - ", "：", " (", "（", " | ", "、", " → ", ", ", "; "];
/// Words after which a head goes on with where, when or for whom something is: `Osteria Sole am Seepark`.
const HEAD_STOPS: [&str; 24] = [
    " in ", " at ", " on ", " near ", " for ", " if ", " when ", " with ", " am ", " im ", " bei ", " für ",
    " mit ", " wenn ", " à ", " pour ", " si ", " avec ", " en ", " para ", " con ", " per ", " voor ",
    " als ",
];

static LISTS: LazyLock<Lists> =
    LazyLock::new(|| Lists::read(include_str!("../../../data/not_competitors.txt")));

struct Lists {
    /// Keys of names that are not competitors.
    names: HashSet<String>,
    /// Folded words that no name begins with.
    first: HashSet<String>,
}

impl Lists {
    fn read(file: &'static str) -> Lists {
        let mut lists = Lists { names: HashSet::new(), first: HashSet::new() };
        let mut is_first = false;
        for line in file.lines().filter(|line| !line.starts_with('#')) {
            if line.starts_with('[') {
                is_first = line == "[first]";
                continue;
            }
            for entry in line.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                match is_first {
                    true => lists.first.insert(fold(entry)),
                    false => lists.names.insert(key(entry)),
                };
            }
        }
        lists
    }
}

/// Decides whether a name is on the list of those that are not competitors.
pub fn is_banned(name: &str) -> bool {
    LISTS.names.contains(&key(name))
}

/// Decides whether a text has the form of a name and is on no list.
pub fn is_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let chars = text.chars().count();
    let Some(first) = text.chars().next() else { return false };
    let has_form = (1..=MAX_NAME_WORDS).contains(&words)
        && chars <= MAX_NAME_CHARS
        && (first.is_uppercase() || first.is_ascii_digit() || !first.is_ascii() && first.is_alphanumeric())
        && !text.ends_with([':', '?', '!', '.', ',', '：', '？', '。'])
        && text.chars().filter(|c| c.is_alphabetic()).count() >= 2
        && !text.contains(['%', '$', '€', '£', '=', '<', '>', '"', '\n'])
        && !hosts::is_host(text);
    has_form && !is_sentence(text) && !is_banned(text) && !begins_badly(text)
}

/// Decides whether a name is made of more than common words, so that it is a name wherever it stands.
pub fn is_distinctive(name: &str) -> bool {
    let folded = fold(name);
    let mut words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 1);
    if name.contains(is_unspaced) {
        return unspaced::is_company(&name.replace(' ', ""));
    }
    has_inner_capital(name) || words.any(|word| !is_common(word) && !word.chars().all(|c| c.is_ascii_digit()))
}

/// Decides whether a word of a text has a capital behind its first letter, and lower case too: `KeyNest`.
pub fn has_inner_capital(text: &str) -> bool {
    text.split_whitespace()
        .any(|word| word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase))
}

/// Returns the words at the start of a text that are written like a name: with capitals or digits.
pub fn leading_name(text: &str) -> &str {
    let first_word = text.split(' ').next().unwrap_or_default();
    if first_word.contains(is_unspaced) {
        return unspaced::run_at_start(text);
    }
    let mut end = 0;
    for word in text.split_inclusive([' ', '\n']).take(MAX_LEADING_WORDS) {
        let bare = word.trim_end();
        let name = bare.trim_end_matches([',', '.', ';', ':', ')', '!', '?', '"', '»', '”', '。', '、']);
        let name = name.strip_suffix("'s").or(name.strip_suffix("’s")).unwrap_or(name);
        if !name.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '&') {
            break;
        }
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        end = start + name.len();
        if name.len() < bare.len() || word.ends_with('\n') {
            break;
        }
    }
    text[..end].trim_end_matches(['&', ' '])
}

/// Returns the head of a text: without numbers, signs and what describes the name behind it. A head that is longer than
/// any name is cut.
pub fn head(text: &str) -> &str {
    let text = without_number(text.trim_start_matches(|c: char| !c.is_alphanumeric()));
    let text = &text[..text.floor_char_boundary(MAX_HEAD_BYTES)];
    let end = HEAD_ENDS.iter().filter_map(|separator| text.find(separator)).min().unwrap_or(text.len());
    let stop = HEAD_STOPS.iter().filter_map(|word| text[..end].find(word)).min().unwrap_or(end);
    // A name goes on behind such a word only with a capital: `Nounous en Ville`.
    let goes_on = text[stop..end].trim_start().split_once(' ').is_some_and(|(_, rest)| is_all_capital(rest));
    let is_capital = stop < end && is_all_capital(&text[..stop]);
    let end = if is_capital && !(goes_on && is_part_of_name(&text[stop..end])) { stop } else { end };
    text[..end].trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ':' | '*'
                    | '.'
                    | ','
                    | ';'
                    | '"'
                    | '“'
                    | '”'
                    | '™'
                    | '®'
                    | '：'
                    | '「'
                    | '」'
                    | '『'
                    | '』'
                    | '«'
                    | '»'
            )
    })
}

/// Decides whether a word that also stands in names follows: `Nounous en Ville` and not `Hotel in Porto`.
fn is_part_of_name(stop: &str) -> bool {
    [" en ", " à ", " con ", " per "].iter().any(|word| stop.starts_with(word))
}

fn is_all_capital(words: &str) -> bool {
    let mut words = words.split(' ').filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| !word.starts_with(char::is_lowercase))
}

/// Returns a name without the model behind it: `Sonarix` of `Sonarix Q3`.
pub fn without_model(name: &str) -> &str {
    let Some((base, last)) = name.rsplit_once(' ') else { return name };
    let is_model = last.chars().any(|c| c.is_ascii_digit())
        && last.chars().any(|c| c.is_ascii_uppercase())
        && last.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-');
    if is_model && base.chars().filter(|c| c.is_alphabetic()).count() > 2 { base } else { name }
}

/// Returns a name without as many words of a model as the known brands beside it have: `Hoverly` of `Hoverly Go`.
pub fn without_model_words(name: &str, words: usize) -> &str {
    if words == 0 {
        return without_model(name);
    }
    if name.contains(is_unspaced) {
        let base = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == ' ');
        return if base.chars().count() < 2 { name } else { base };
    }
    let mut base = name;
    for _ in 0..words {
        let Some((before, last)) = base.rsplit_once(' ') else { break };
        let is_enough = before.chars().filter(|c| c.is_alphabetic()).count() > 2 && is_distinctive(before);
        if !is_enough || before.ends_with([',', '&']) || last.is_empty() {
            break;
        }
        base = before;
    }
    base
}

/// Drops `1. `, `2) ` and `#3 ` from the start of a heading.
fn without_number(text: &str) -> &str {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    match rest.strip_prefix(['.', ')', ':']) {
        Some(rest) if (1..=2).contains(&digits) && rest.starts_with(' ') => rest.trim_start(),
        _ => text,
    }
}

/// Returns true when a text begins with a word, or two words, that no name begins with.
fn begins_badly(text: &str) -> bool {
    let folded = fold(text);
    let mut words = folded.split(' ');
    let first = words.next().unwrap_or_default();
    let two = words.next().map(|second| format!("{first} {second}"));
    let has_more = folded.contains(' ');
    // A single word may be a name: the company Best, the app How.
    has_more && (LISTS.first.contains(first) || two.is_some_and(|two| LISTS.first.contains(&two)))
}

/// Decides whether a text is a sentence or a phrase rather than a name.
fn is_sentence(text: &str) -> bool {
    let is_kana_or_han = |c: char| ('\u{3040}'..='\u{9fff}').contains(&c);
    if text.chars().any(is_kana_or_han) {
        let endings = [
            "です", "ます", "する", "した", "ない", "たい", "とは", "には", "では", "方法", "理由", "場合",
            "いい", "良い",
        ];
        let particles = ["が", "を", "は、", "から", "まで", "ので"];
        let inner = &text[text.chars().next().map_or(0, char::len_utf8)..];
        return text.chars().count() > MAX_UNSPACED_CHARS
            || endings.iter().any(|ending| text.ends_with(ending))
            || particles.iter().any(|particle| inner.contains(particle));
    }
    // A name of several words writes most of them with capitals or digits.
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower = words
        .iter()
        .skip(1)
        .filter(|word| word.starts_with(char::is_lowercase) && word.chars().count() > 3)
        .count();
    lower * 2 > words.len().saturating_sub(1) || lower > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_form_and_stand_on_no_list() {
        for name in [
            "Notchly",
            "Acme Cloud",
            "1Password",
            "Trattoria Lucia",
            "契約箱",
            "Toit & Co",
            "Box",
            "H&M Home",
            "Men & Co",
        ] {
            assert!(is_name(name), "{name}");
        }
        let others = [
            "notchly",
            "Pricing:",
            "Is it good?",
            "Reddit",
            "Bottom line",
            "Best for teams",
            "Setup takes only ten minutes",
            "42",
            "",
            "x",
            "lumadocs.io",
            "操作が簡単",
            "料金",
            "Les Numériques",
            "Vorteile",
            "$39/user",
        ];
        for text in others {
            assert!(!is_name(text), "{text}");
        }
    }

    #[test]
    fn a_head_is_the_name_without_number_and_description() {
        let cases = [
            ("1. Notchly – flexible", "Notchly"),
            ("🥇 Pebblepad 2: nearly", "Pebblepad 2"),
            ("Notchly (formerly Notch)", "Notchly"),
            ("ルマ会計：簡単", "ルマ会計"),
            ("#2 Quillbase", "2 Quillbase"),
            ("1Password - safe", "1Password"),
            ("Osteria Sole am Seepark", "Osteria Sole"),
            ("Klaxon if SMS matters to you", "Klaxon"),
            ("Casa Carmela, junto a la playa", "Casa Carmela"),
        ];

        for (text, expected) in cases {
            assert_eq!(head(text), expected, "{text}");
        }
    }

    #[test]
    fn models_are_no_part_of_the_name() {
        assert_eq!(without_model("Sonarix Q3"), "Sonarix");
        assert_eq!(without_model("Crema Labs G1"), "Crema Labs");
        assert_eq!(without_model("Studio 54"), "Studio 54");
        assert_eq!(without_model("Stratus K8s"), "Stratus K8s");
        assert_eq!(without_model("Homebase Pro"), "Homebase Pro");
        assert_eq!(without_model("A4"), "A4");
        assert_eq!(without_model_words("Hoverly Go", 1), "Hoverly");
        assert_eq!(without_model_words("Cyclon E 5", 2), "Cyclon");
        assert_eq!(without_model_words("ホコトル8", 1), "ホコトル");
    }

    #[test]
    fn a_distinctive_name_is_more_than_common_words() {
        assert!(is_distinctive("Notchly") && is_distinctive("PaperTrail") && is_distinctive("Acme Home"));
        assert!(!is_distinctive("Green House") && !is_distinctive("Box"));
    }
}
