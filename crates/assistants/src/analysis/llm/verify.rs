//! Decides what of a model's reply is believed: only what the answer itself says. Pure. See docs/decisions/0366.

use std::collections::HashMap;

use super::ModelReply;
use crate::analysis::brand::{Brands, key};
use crate::analysis::candidates::{FoundCompetitor, is_distinctive_name, is_name};
use crate::analysis::citations::{Citation, domain_of};
use crate::analysis::matcher::{BrandNames, Matcher, ProseReading, fold};

/// Longest quote and summary, in characters.
const MAX_QUOTE_CHARS: usize = 200;
const MAX_SUMMARY_CHARS: usize = 300;

/// Part of a model's reply that passed the checks.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedReply {
    /// Tone towards the own brand. None: the number or the quote cannot be believed, and the word lists decide.
    pub own: Option<VerifiedTone>,
    pub new: Vec<FoundCompetitor>,
    /// Plain text.
    pub summary: String,
    /// Tones towards competitors, by the key of the name.
    sentiments: HashMap<String, f64>,
}

/// A model's tone towards the own brand, with the words that show it.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedTone {
    pub sentiment: f64,
    pub recommended: bool,
    pub quote: String,
}

impl VerifiedReply {
    /// Returns the proposed names that stand in the answer and are new.
    pub fn competitors(&self) -> Vec<FoundCompetitor> {
        self.new.clone()
    }

    pub fn sentiment_of(&self, name: &str) -> Option<f64> {
        self.sentiments.get(&key(name)).copied()
    }
}

/// Checks a reply against the answer that it is about.
pub fn verify(
    reply: &ModelReply,
    reading: &ProseReading<'_>,
    brands: &Brands,
    citations: &[Citation],
) -> VerifiedReply {
    let linked = reading.prose.links.iter().filter_map(|link| domain_of(&link.url));
    let cited = citations.iter().map(|citation| citation.domain.clone());
    let domains: Vec<String> = linked.chain(cited).collect();
    let mut verified = VerifiedReply {
        own: own_tone(reply, &reading.prose.text),
        new: Vec::new(),
        summary: plain(&reply.summary, MAX_SUMMARY_CHARS),
        sentiments: HashMap::new(),
    };
    for proposed in &reply.competitors {
        let name = proposed.name.trim();
        if let Some(sentiment) = in_range(proposed.sentiment) {
            verified.sentiments.insert(key(name), sentiment);
        }
        let is_known = verified.new.iter().any(|other| key(&other.name) == key(name));
        let is_new = is_name(name) && !brands.names_any(name) && !is_known;
        if is_new && stands_in(name, reading) {
            let website = format!("https://{}", proposed.website.trim().trim_start_matches("https://"));
            let domain = domain_of(&website).filter(|domain| domains.contains(domain));
            verified.new.push(FoundCompetitor { name: name.to_owned(), domain });
        }
    }
    verified
}

fn own_tone(reply: &ModelReply, prose: &str) -> Option<VerifiedTone> {
    let sentiment = in_range(reply.brand.sentiment)?;
    let quote = plain(&reply.brand.quote, MAX_QUOTE_CHARS + 1);
    let is_said = quote.chars().count() <= MAX_QUOTE_CHARS
        && key(&quote).chars().count() > 1
        && squeezed(prose).contains(&squeezed(&quote));
    is_said.then_some(VerifiedTone { sentiment, recommended: reply.brand.recommended, quote })
}

/// Returns a tone with two decimals. A number out of range counts for nothing.
fn in_range(sentiment: f64) -> Option<f64> {
    (-1.0..=1.0).contains(&sentiment).then(|| (sentiment * 100.0).round() / 100.0)
}

/// Decides whether a proposed name stands in the answer as a name: as a whole word, and with a capital when its words are
/// common ones.
fn stands_in(name: &str, reading: &ProseReading<'_>) -> bool {
    let names = [name.to_owned()];
    let matcher = Matcher::compile([BrandNames { names: &names, domains: &[] }]);
    let hits = matcher.hits(reading);
    hits.iter().any(|hit| is_distinctive_name(name) || reading.prose.text[hit.range.clone()] == *name)
}

/// Folds a text and joins its words with single spaces, so that line breaks and markup make no difference.
fn squeezed(text: &str) -> String {
    fold(text).split_whitespace().collect::<Vec<_>>().join(" ").replace(['*', '_', '`'], "")
}

/// Returns the start of a text without control characters.
fn plain(text: &str, max_chars: usize) -> String {
    let spaced = text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    spaced.collect::<Vec<_>>().join(" ").chars().take(max_chars).collect()
}
