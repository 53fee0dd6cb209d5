//! Part of a long answer that a model is shown: what stands around mentions. Used by the request. Pure.

use crate::analysis::brand::BrandKind;
use crate::analysis::stages::BrandSpan;

/// Maximum number of characters of an answer that a model is shown.
const MAX_CHARS: usize = 12_000;
/// Characters around a mention that belong to it.
const AROUND: usize = 1_000;
const CUT: &str = "\n[…]\n";

/// Returns an answer, cut to the surroundings of its brands when it is long: those of the own brand first.
pub fn around(text: &str, spans: &[BrandSpan]) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= MAX_CHARS {
        return text.to_owned();
    }
    let mut is_kept = vec![false; chars.len()];
    let mut left = MAX_CHARS;
    let mut keep = |start: usize, end: usize| {
        for kept in &mut is_kept[start.min(chars.len())..end.min(chars.len())] {
            if !*kept && left > 0 {
                *kept = true;
                left -= 1;
            }
        }
    };
    let (own, others): (Vec<&BrandSpan>, Vec<&BrandSpan>) =
        spans.iter().partition(|span| span.kind == BrandKind::Own);
    for span in own.into_iter().chain(others) {
        keep(span.start.saturating_sub(AROUND), span.end + AROUND);
    }
    keep(0, chars.len());

    let mut excerpt = String::with_capacity(text.len().min(4 * MAX_CHARS));
    for (at, c) in chars.iter().enumerate() {
        if is_kept[at] {
            excerpt.push(*c);
        } else if at == 0 || is_kept[at - 1] {
            excerpt.push_str(CUT);
        }
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(kind: BrandKind, start: usize) -> BrandSpan {
        BrandSpan { name: "x".to_owned(), kind, start, end: start + 1 }
    }

    #[test]
    fn a_short_answer_is_shown_whole() {
        assert_eq!(around("short", &[]), "short");
    }

    #[test]
    fn a_long_answer_is_cut_around_its_mentions() {
        let text = "a".repeat(30_000) + "LUMA" + &"b".repeat(30_000) + "NOTCH" + &"c".repeat(30_000);
        let spans = [span(BrandKind::Competitor, 60_004), span(BrandKind::Own, 30_000)];

        let excerpt = around(&text, &spans);

        assert!(excerpt.contains("LUMA") && excerpt.contains("NOTCH"));
        assert!(excerpt.replace(CUT, "").chars().count() == MAX_CHARS);
    }
}
