//! Invented answers: the same for the same seed, day, question and vendor. Used by every vendor. Pure.

mod brands;
mod document;
mod languages;
mod structured;

use brands::{AnswerBrand, named_brands};
use languages::{Phrases, language_of};

pub use brands::{FakeBrand, Occasion};
pub use document::{AnswerPiece, Document, FakeSource, MarkedText};
pub use structured::result_for;

/// Sites that answers cite beside those of the brands.
const SITES: &[(&str, &str)] = &[
    ("www.g2.com", "Best tools, compared by users"),
    ("www.reddit.com", "Which one do you use?"),
    ("en.wikipedia.org", "Comparison of products"),
    ("www.youtube.com", "Hands-on review"),
    ("www.techradar.com", "The best of the year"),
    ("www.capterra.com", "Reviews and prices"),
    ("medium.com", "We tried them all"),
    ("www.heise.de", "Im Test"),
    ("stackoverflow.com", "Recommendations of developers"),
    ("www.trustpilot.com", "What customers say"),
    ("zapier.com", "The best apps"),
    ("news.ycombinator.com", "Ask HN"),
    ("dev.to", "A comparison for developers"),
    ("www.producthunt.com", "Launches and alternatives"),
];
/// Fewer brands than these make a short list.
const FEW_BRANDS: usize = 4;
/// Chance that an assistant answers without searching although it may.
const FROM_MEMORY: f64 = 0.05;
/// Chance that Google shows no overview.
const ABSENT: f64 = 0.15;

/// Writes the answer of an occasion.
pub fn answer(brands: &[FakeBrand], citations: usize, occasion: &Occasion) -> Document {
    let phrases = language_of(occasion.question);
    let named = named_brands(brands, occasion);
    let sources = sources(&named, citations, occasion);
    let mut writer = Writer { occasion, phrases, pieces: Vec::new(), cited: 0, source_count: sources.len() };
    writer.write(&named);
    let mut dice = occasion.dice("searching");
    Document {
        pieces: writer.pieces,
        queries: queries(occasion, &mut dice),
        sources,
        has_searched: !dice.chance(FROM_MEMORY),
        is_absent: dice.chance(ABSENT),
    }
}

fn queries(occasion: &Occasion, dice: &mut crate::dice::Dice) -> Vec<String> {
    let words: Vec<&str> = occasion.question.split_whitespace().take(8).collect();
    let query = words.join(" ").trim_end_matches(['?', '？']).to_lowercase();
    let second = dice.chance(0.5).then(|| format!("{query} 2026"));
    std::iter::once(query).chain(second).collect()
}

/// Makes pages of the named brands and of other sites. About a third of them is the same every day.
fn sources(named: &[AnswerBrand], count: usize, occasion: &Occasion) -> Vec<FakeSource> {
    let mut dice = occasion.dice("sources");
    let mut lasting = crate::dice::Dice::new(occasion.seed, &["lasting", occasion.question]);
    let mut sources: Vec<FakeSource> = Vec::new();
    let mut add = |host: &str, path: String, title: String| {
        let url = format!("https://{host}/{path}");
        if sources.len() < count && !sources.iter().any(|source| source.url == url) {
            let snippet = format!("{title}. An excerpt of the page at {host}, as a search engine shows it.");
            sources.push(FakeSource { url, title, snippet });
        }
    };
    for named in named {
        if !dice.chance(0.6) {
            continue;
        }
        let path = ["", "pricing", "features", "blog/comparison"][dice.below(4)];
        add(&named.brand.domain, path.to_owned(), named.brand.name.clone());
    }
    // An address is unique, so that the list gets as long as was asked for.
    for position in 0.. {
        if position > 4 * count {
            break;
        }
        let dice = if position % 3 == 0 { &mut lasting } else { &mut dice };
        let (host, title) = SITES[dice.below(SITES.len())];
        add(host, format!("p/{:06x}", dice.next() & 0xFF_FFFF), title.to_owned());
    }
    sources
}

/// Writer of pieces that cites the sources in turn.
struct Writer<'a> {
    occasion: &'a Occasion<'a>,
    phrases: &'static Phrases,
    pieces: Vec<AnswerPiece>,
    cited: usize,
    source_count: usize,
}

impl Writer<'_> {
    fn write(&mut self, named: &[AnswerBrand]) {
        let mut dice = self.occasion.dice("text");
        let phrases = self.phrases;
        let first = dice.below(phrases.intros.len());
        self.add("", phrases.intros[first].to_owned(), 1);
        self.add(phrases.gap, phrases.intros[(first + 1) % phrases.intros.len()].to_owned(), 1);
        for (position, named) in named.iter().enumerate() {
            let phrase = dice.one_of(phrases_for(phrases, named.tone)).replace("{b}", &named.brand.name);
            let gap = if position == 0 { "\n\n" } else { "\n" };
            self.add(gap, format!("{}. {phrase}", position + 1), 1 + dice.below(2));
            if dice.chance(0.5) {
                self.add(phrases.gap, dice.one_of(phrases.advice).to_owned(), 0);
            }
        }
        if named.len() < FEW_BRANDS {
            // An answer that names hardly anybody explains the more.
            let advice: Vec<&str> = phrases.advice.iter().rev().copied().collect();
            self.add("\n\n", advice.join(phrases.gap), 1);
        }
        if named.len() > 1 {
            self.add("\n\n", format!("## {}", phrases.heading), 0);
            self.add("\n\n", table(phrases, named, &mut dice), 0);
        }
        self.add("\n\n", format!("## {}", phrases.steps_heading), 0);
        for position in 0..phrases.advice.len() {
            let gap = if position == 0 { "\n\n" } else { "\n" };
            self.add(gap, format!("- {}", phrases.advice[position]), usize::from(dice.chance(0.6)));
        }
        self.add("\n\n", dice.one_of(phrases.closings).to_owned(), 1);
    }

    fn add(&mut self, gap: &'static str, text: String, citations: usize) {
        let mut cites = Vec::new();
        for _ in 0..citations.min(self.source_count) {
            cites.push(self.cited % self.source_count);
            self.cited += 1;
        }
        cites.dedup();
        self.pieces.push(AnswerPiece { text, cites, gap });
    }
}

fn phrases_for(phrases: &Phrases, tone: f64) -> &'static [&'static str] {
    match tone {
        tone if tone > 0.2 => phrases.praise,
        tone if tone < -0.15 => phrases.criticism,
        _ => phrases.plain,
    }
}

fn table(phrases: &Phrases, named: &[AnswerBrand], dice: &mut crate::dice::Dice) -> String {
    let mut lines = vec![format!("| {} |", phrases.table.join(" | ")), "| --- | --- | --- |".to_owned()];
    for named in named {
        let suited = if named.tone > 0.2 { 2 } else { usize::from(named.tone >= -0.15) };
        let price = 9 + 10 * dice.below(12);
        lines.push(format!("| **{}** | {} | ${price} |", named.brand.name, phrases.suited[suited]));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str, day: i64) -> Document {
        answer(&FakeBrand::usual(), 12, &Occasion { seed: 3, day, question, vendor: "openai" })
    }

    #[test]
    fn an_answer_is_one_to_four_kilobytes_with_twelve_sources() {
        for question in [
            "What is the best editor?",
            "Was ist der beste Editor für Teams?",
            "最適なエディタは?",
            "Quel est le meilleur éditeur ?",
            "¿Cuál es el mejor editor?",
        ] {
            for day in 0..50 {
                let document = of(question, 20_000 + day);

                let bytes = document.plain().len();
                assert!((1_000..4_096).contains(&bytes), "{question} {day}: {bytes}");
                assert_eq!(document.sources.len(), 12, "{question} {day}");
            }
        }
    }

    #[test]
    fn answers_differ_from_day_to_day_and_are_repeated_on_the_same_day() {
        assert_eq!(of("best editor", 20_000), of("best editor", 20_000));
        assert_ne!(of("best editor", 20_000), of("best editor", 20_001));
    }

    #[test]
    fn marks_stand_behind_the_pieces_that_they_belong_to() {
        let document = of("best editor", 20_000);

        let marked = document.marked(|source| format!(" [{}]", source + 1));

        for span in &marked.spans {
            assert_eq!(&marked.text[span.end..span.mark_end], format!(" [{}]", span.source + 1));
        }
        let cited = document.cited();
        assert!(cited.len() > 5 && cited.iter().all(|source| *source < 12));
    }
}
