//! Brands that an answer names: presence, order and tone vary by seed, day, question and vendor. Pure.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// Maximum number of brands of one answer.
const MAX_NAMED: usize = 7;
/// A brand with a score above this is named.
const THRESHOLD: f64 = 0.5;

/// A brand that answers may name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FakeBrand {
    pub name: String,
    pub domain: String,
    /// Probability of being named: 0 rarely, 1 nearly always.
    pub strength: f64,
}

impl FakeBrand {
    pub fn new(name: &str, domain: &str, strength: f64) -> FakeBrand {
        FakeBrand { name: name.to_owned(), domain: domain.to_owned(), strength }
    }

    /// Returns the brands of an installation that names none.
    pub fn usual() -> Vec<FakeBrand> {
        [
            ("LumaDocs", "lumadocs.io", 0.62),
            ("Notchly", "notchly.com", 0.75),
            ("PaperTrail", "papertrail.app", 0.58),
            ("Quillbase", "quillbase.com", 0.5),
            ("Draftwell", "draftwell.co", 0.45),
            ("Inkstone Cloud", "inkstone.example", 0.4),
            ("Folio & Sons", "folioandsons.de", 0.38),
            ("ノートラボ", "notelab.example", 0.35),
        ]
        .map(|(name, domain, strength)| FakeBrand::new(name, domain, strength))
        .into()
    }
}

/// A brand in its place in an answer.
#[derive(Debug, Clone)]
pub struct AnswerBrand<'a> {
    pub brand: &'a FakeBrand,
    /// Tone, from -1 (warned of) to 1 (praised).
    pub tone: f64,
}

/// Circumstances on which an answer depends.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    pub seed: u64,
    /// Days since 1970.
    pub day: i64,
    pub question: &'a str,
    pub vendor: &'a str,
}

impl Occasion<'_> {
    /// Makes chance that depends on everything, and on `purpose`.
    pub fn dice(&self, purpose: &str) -> Dice {
        Dice::new(self.seed, &[purpose, self.question, self.vendor, &self.day.to_string()])
    }
}

/// Decides which brands an answer names, the first one first.
pub fn named_brands<'a>(brands: &'a [FakeBrand], occasion: &Occasion) -> Vec<AnswerBrand<'a>> {
    let mut scored: Vec<(f64, AnswerBrand)> = brands
        .iter()
        .map(|brand| (score(brand, occasion), AnswerBrand { brand, tone: tone(brand, occasion) }))
        .filter(|(score, _)| *score > THRESHOLD)
        .collect();
    scored.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    scored.into_iter().take(MAX_NAMED).map(|(_, named)| named).collect()
}

/// Adds up strength, taste of the question, bias of the vendor, a slow wave over the days, and noise of the day.
fn score(brand: &FakeBrand, occasion: &Occasion) -> f64 {
    let unit = |things: &[&str]| Dice::new(occasion.seed, things).unit() - 0.5;
    let taste = unit(&["taste", &brand.name, occasion.question]) * 0.8;
    let bias = unit(&["bias", &brand.name, occasion.vendor]) * 0.3;
    let noise = (occasion.dice(&brand.name).unit() - 0.5) * 0.35;
    brand.strength + taste + bias + wave(brand, occasion, "score") * 0.25 + noise
}

fn tone(brand: &FakeBrand, occasion: &Occasion) -> f64 {
    let taste = Dice::new(occasion.seed, &["tone", &brand.name, occasion.question]).unit() * 1.4 - 0.5;
    let noise = (occasion.dice(&format!("tone {}", brand.name)).unit() - 0.5) * 0.4;
    (taste + wave(brand, occasion, "tone") * 0.3 + noise).clamp(-1.0, 1.0)
}

/// Returns the height of a wave from -1 to 1 over 45 to 120 days.
fn wave(brand: &FakeBrand, occasion: &Occasion, purpose: &str) -> f64 {
    let mut dice = Dice::new(occasion.seed, &["wave", purpose, &brand.name]);
    let (period, phase) = (45.0 + dice.unit() * 75.0, dice.unit());
    (TAU * (occasion.day as f64 / period + phase)).sin()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(brands: &[FakeBrand], day: i64, question: &str) -> Vec<String> {
        let occasion = Occasion { seed: 1, day, question, vendor: "openai" };
        named_brands(brands, &occasion).iter().map(|named| named.brand.name.clone()).collect()
    }

    #[test]
    fn the_same_occasion_names_the_same_brands() {
        let brands = FakeBrand::usual();

        assert_eq!(names(&brands, 20_000, "best editor"), names(&brands, 20_000, "best editor"));
    }

    #[test]
    fn brands_come_and_go_over_days_and_questions() {
        let brands = FakeBrand::usual();
        let over = |answers: Vec<Vec<String>>| {
            let named = answers.iter().filter(|names| names.iter().any(|name| name == "LumaDocs")).count();
            named as f64 / answers.len() as f64
        };

        let by_day =
            over((0..200).map(|day| names(&brands, 20_000 + day, "best editor for teams")).collect());
        let by_question = over((0..200).map(|n| names(&brands, 20_000, &format!("question {n}"))).collect());

        assert!((0.1..0.95).contains(&by_question), "{by_question}");
        assert!(by_day > 0.0, "{by_day}");
    }

    #[test]
    fn a_strong_brand_is_named_more_often_than_a_weak_one() {
        let brands = [FakeBrand::new("Strong", "a.example", 0.8), FakeBrand::new("Weak", "b.example", 0.3)];
        let count = |wanted: &str| {
            let is_named =
                |n: &i32| names(&brands, 20_000, &format!("q{n}")).iter().any(|name| name == wanted);
            (0..300).filter(is_named).count()
        };

        assert!(count("Strong") > 2 * count("Weak"));
    }

    #[test]
    fn tones_take_every_sign() {
        let brands = FakeBrand::usual();
        let tones: Vec<f64> = (0..100)
            .flat_map(|day| {
                let question = format!("q{day}");
                let occasion = Occasion { seed: 1, day, question: &question, vendor: "gemini" };
                named_brands(&brands, &occasion).iter().map(|named| named.tone).collect::<Vec<_>>()
            })
            .collect();

        assert!(tones.iter().any(|tone| *tone > 0.3) && tones.iter().any(|tone| *tone < -0.1));
        assert!(tones.iter().all(|tone| (-1.0..=1.0).contains(tone)));
    }
}
