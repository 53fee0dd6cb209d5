//! Names in Japanese text, which has no spaces: how far they reach and which of them are those of companies and products.
//! Used by the candidates. Pure.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Suffixes of Japanese company names that are written in Han only.
const COMPANY_SUFFIXES: &[&str] = &[
    "損保",
    "銀行",
    "電力",
    "事務所",
    "会計",
    "保険",
    "火災",
    "会社",
    "観光",
    "堂",
    "園",
    "庵",
    "屋",
    "軒",
    "店",
    "社",
    "院",
    "工房",
    "箱",
    "旅館",
    "酒造",
    "製作所",
    "工業",
    "電機",
    "製菓",
    "食品",
    "薬局",
    "書店",
    "旅行",
    "交通",
    "生命",
];
/// Endings in Hiragana that belong to a name: `マモルくん`.
const NAME_ENDINGS: &[&str] = &["くん", "ちゃん", "さん"];
/// Particles behind a name that is the subject or object of its clause.
const PARTICLES: &[&str] =
    &["は", "が", "も", "の", "と", "や", "を", "なら", "で", "に", "、", "・", "（", "("];
const SUBJECT_PARTICLES: &[&str] = &["は", "が", "も"];
/// Words in Katakana that are not names: parts of compounds, or whole.
static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines =
        include_str!("../../../data/katakana_words.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| line.split(',')).map(str::trim).filter(|word| !word.is_empty()).collect()
});

/// Decides whether a character belongs to a script without spaces that Japanese uses.
pub fn is_unspaced(c: char) -> bool {
    ('\u{3040}'..='\u{9fff}').contains(&c)
}

/// Returns true for a character of names that are written without spaces: Katakana, Han, Latin. Hiragana mostly
/// belong to the sentence around a name.
fn is_name_character(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30fa}' | 'ー' | '\u{4e00}'..='\u{9fff}' | '々') || c.is_ascii_alphanumeric()
}

/// Returns the run of name characters at the start of a text, with an ending such as `くん`.
pub fn run_at_start(text: &str) -> &str {
    let end = text.find(|c: char| !is_name_character(c)).unwrap_or(text.len());
    let ending = NAME_ENDINGS.iter().find(|ending| end > 0 && text[end..].starts_with(**ending));
    &text[..end + ending.map_or(0, |ending| ending.len())]
}

/// Returns the run of name characters at the end of a text, with an ending such as `くん`.
pub fn run_at_end(text: &str) -> &str {
    let ending = NAME_ENDINGS.iter().find(|ending| text.ends_with(**ending)).map_or(0, |ending| ending.len());
    let body = &text[..text.len() - ending];
    let start = body
        .rfind(|c: char| !is_name_character(c))
        .map_or(0, |at| at + body[at..].chars().next().map_or(0, char::len_utf8));
    if start == body.len() { &text[text.len()..] } else { &text[start..] }
}

/// Decides whether a run of Japanese characters is the name of a company or product: in Katakana or Latin letters and
/// more than a word, or with the suffix of a company.
pub fn is_company(name: &str) -> bool {
    let chars = name.chars().count();
    let has_suffix =
        || COMPANY_SUFFIXES.iter().any(|suffix| name.ends_with(suffix) && name.len() > suffix.len());
    (2..=14).contains(&chars) && !is_word(name) && (has_foreign(name) || has_suffix())
}

/// Decides whether a particle stands at the start of a text, so that a name before it is a part of its sentence; at the
/// start of a sentence, the particle of its subject.
pub fn begins_with_particle(text: &str, begins_sentence: bool) -> bool {
    let particles = if begins_sentence { SUBJECT_PARTICLES } else { PARTICLES };
    particles.iter().any(|particle| text.starts_with(particle))
}

fn has_foreign(name: &str) -> bool {
    let katakana = name.chars().filter(|c| matches!(c, '\u{30a1}'..='\u{30fa}' | 'ー')).count();
    let has_han = name.contains(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    katakana >= if has_han { 2 } else { 3 }
        || name.chars().filter(char::is_ascii_alphabetic).count() >= 3 && name.contains(is_unspaced)
}

/// Decides whether a name is a word, or ends with one of the words that only describe: `無料プラン`.
fn is_word(name: &str) -> bool {
    if WORDS.contains(name) {
        return true;
    }
    let katakana: &str = name.trim_start_matches(|c: char| !matches!(c, '\u{30a1}'..='\u{30fa}' | 'ー'));
    let has_other = katakana.len() < name.len();
    // Two words in a row are a compound: オンラインサポート.
    let is_compound = WORDS.iter().any(|word| {
        katakana.strip_prefix(word).is_some_and(|rest| WORDS.contains(rest) || rest.is_empty() && has_other)
    });
    let head: &str = name.trim_end_matches(|c: char| !matches!(c, '\u{30a1}'..='\u{30fa}' | 'ー'));
    let is_described = head.len() < name.len() && WORDS.contains(head) && !has_company_suffix(name);
    is_compound || is_described
}

fn has_company_suffix(name: &str) -> bool {
    COMPANY_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_companies_are_told_from_words() {
        for name in
            ["ルマ会計", "サーチスコープ", "契約箱", "緑泉堂", "マモルくん", "イロハSIM", "島風ツーリスト"]
        {
            assert!(is_company(name), "{name}");
        }
        for word in ["サポート", "料金", "無料プラン", "オンラインサポート", "取引内容", "A", "カメラ性能"]
        {
            assert!(!is_company(word), "{word}");
        }
    }

    #[test]
    fn a_name_reaches_to_the_sentence_around_it() {
        assert_eq!(run_at_start("マモルくんとクリーンワン"), "マモルくん");
        assert_eq!(run_at_start("ネムリバは睡眠"), "ネムリバ");
        assert_eq!(run_at_end("無料で使うなら、マモルくん"), "マモルくん");
        assert_eq!(run_at_end("強いサーチスコープ"), "サーチスコープ");
        assert_eq!(run_at_end("とても"), "");
    }
}
