//! Description of an analysed answer in one paragraph, from fixed sentences. Pure.

use super::{AnswerFacts, CompetitorMention, ToneBasis};
use crate::statistics::ToneClass;

/// Names and domains that are listed; the rest is counted.
const MAX_LISTED: usize = 5;

/// Describes an answer: `Named 2nd of 3 brands. Tone positive (0.40). Cites g2.com; own site not cited. Competitors: A, B.`
pub(super) fn describe(
    facts: &AnswerFacts,
    tone: (f64, ToneBasis),
    competitors: &[CompetitorMention],
    summary: &str,
) -> String {
    let mut sentences = vec![naming(facts)];
    if let Some(sentence) = &facts.unknown {
        sentences.push(format!("Says that the brand is not known: “{sentence}”"));
    }
    if facts.mentioned && tone.1 != ToneBasis::None {
        let class = match ToneClass::of(tone.0) {
            ToneClass::Positive => "positive",
            ToneClass::Neutral => "neutral",
            ToneClass::Negative => "negative",
        };
        sentences.push(format!("Tone {class} ({:.2}).", tone.0));
    }
    if !facts.citation_domains.is_empty() {
        let own = if facts.own_cited { "own site cited" } else { "own site not cited" };
        let domains = listed(facts.citation_domains.iter().map(String::as_str));
        sentences.push(format!("Cites {domains}; {own}."));
    }
    if !competitors.is_empty() {
        sentences.push(format!(
            "Competitors: {}.",
            listed(competitors.iter().map(|competitor| &*competitor.name))
        ));
    }
    if !summary.is_empty() {
        sentences.push(summary.to_owned());
    }
    sentences.join(" ")
}

fn naming(facts: &AnswerFacts) -> String {
    match (facts.position, facts.brands.len()) {
        (0, 0) => "Names no brand.".to_owned(),
        (0, 1) => "Not named; 1 other brand is.".to_owned(),
        (0, others) => format!("Not named; {others} other brands are."),
        (_, 1) => "Named as the only brand.".to_owned(),
        (position, brands) => format!("Named {} of {brands} brands.", ordinal(position)),
    }
}

fn ordinal(number: u32) -> String {
    let suffix = match (number % 10, number % 100) {
        (1, hundreds) if hundreds != 11 => "st",
        (2, hundreds) if hundreds != 12 => "nd",
        (3, hundreds) if hundreds != 13 => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let rest = names.len().saturating_sub(MAX_LISTED);
    let shown = names[..names.len() - rest].join(", ");
    if rest == 0 { shown } else { format!("{shown} and {rest} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_spelled_in_english() {
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th"
        );
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(listed(["a", "b", "c", "d", "e", "f", "g"].into_iter()), "a, b, c, d, e and 2 more");
    }
}
