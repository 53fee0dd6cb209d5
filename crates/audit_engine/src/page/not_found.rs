//! Recognises error pages with status 200. Used for soft 404s, raw and rendered. Pure.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::PageFacts;
use super::sketch::Sketch;
use super::text::{collapse, fold};

/// Pages with fewer words may be error pages by their length alone, if something else speaks for it.
const FEW_WORDS: usize = 60;
/// Similarity to the site's response for addresses that do not exist.
const SAME_PAGE: f64 = 0.9;

/// Titles of error pages in the languages of the web, case-folded, without digits and punctuation. As of 2026-11-20.
static PHRASES: LazyLock<HashSet<String>> =
    LazyLock::new(|| include_str!("../../data/not_found_phrases.txt").lines().map(fold).collect());

/// The site's response for addresses that cannot exist.
#[derive(Debug, Clone, Default)]
pub struct NotFoundProbe {
    /// Sketches of the main texts of its answers with 200 or 404.
    pub sketches: Vec<Sketch>,
}

/// Returns true for an error page: two signs, at least one of them other than its length.
pub fn holds(facts: &PageFacts, probe: &NotFoundProbe) -> bool {
    let title = facts.title().is_some_and(|title| segments(title).any(is_phrase));
    let heading = facts.h1().is_some_and(|h1| segments(h1).any(is_phrase));
    let words = facts.measures.words;
    let is_likely = title || heading || !probe.sketches.is_empty();
    if !is_likely {
        return false;
    }
    let sketch = facts.measures.sketch.as_deref().filter(|_| words >= 5);
    let same =
        sketch.is_some_and(|sketch| probe.sketches.iter().any(|other| other.likeness(sketch) >= SAME_PAGE));
    let strong = usize::from(title) + usize::from(heading) + usize::from(same);
    strong >= 1 && strong + usize::from(words < FEW_WORDS) >= 2
}

fn segments(text: &str) -> impl Iterator<Item = &str> {
    text.split(['|', '–', '—', '·', ':', '•', '»']).flat_map(|part| part.split(" - "))
}

fn is_phrase(segment: &str) -> bool {
    let folded = fold(segment);
    let folded = folded.trim();
    if matches!(folded, "404" | "error 404" | "404 error") {
        return true;
    }
    let letters: String = folded.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).collect();
    PHRASES.contains(&collapse(&letters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Provenance, scan};

    fn is_error_page(html: &str) -> bool {
        holds(&scan(html, Provenance::Raw), &NotFoundProbe::default())
    }

    #[test]
    fn two_signs_make_an_error_page() {
        let long = "word ".repeat(100);

        assert!(is_error_page("<title>Page not found 17 | Shop</title><p>Sorry"));
        assert!(is_error_page(&format!("<title>404 - Shop</title><h1>Seite nicht gefunden!</h1><p>{long}")));
        assert!(!is_error_page(&format!("<title>Page not found</title><h1>Shop</h1><p>{long}")));
        assert!(!is_error_page("<title>Lost and not found things</title><p>Short"));
    }

    #[test]
    fn the_answer_for_an_impossible_address_is_recognised_again() {
        let text = "We looked everywhere for this product and could not see it in any of our shops today";
        let probe = NotFoundProbe { sketches: vec![*crate::page::Measures::of(text).sketch.unwrap()] };

        assert!(holds(&scan(&format!("<title>Shop</title><p>{text}"), Provenance::Raw), &probe));
    }
}
