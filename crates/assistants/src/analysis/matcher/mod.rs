//! Finds brands in an answer's prose: names and aliases as whole words in any spacing, and domains that are written out.
//! Used by both stages of the analysis. One pass over the text, whatever the number of names; the longest match wins.
//! Never looks at a link's target: what is only linked is not named. See docs/decisions/0365.

pub mod common_words;
mod fold;
mod rules;
mod term;
mod words;

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::prose::Prose;
use super::prose::hosts::{self, WrittenHost};
use crawler::url::host_name;
use rules::Surroundings;
use term::Term;

pub use fold::{fold, fold_each};
pub use words::JoinedWords;

/// Position of a brand among those that a matcher was compiled from.
pub type BrandIndex = usize;

/// Names of one brand, for compiling.
#[derive(Debug, Clone, Copy)]
pub struct BrandNames<'a> {
    /// Name and aliases.
    pub names: &'a [String],
    /// Domains that stand for the brand when they are written in prose, subdomains included.
    pub domains: &'a [String],
}

/// Names of all brands, compiled.
#[derive(Debug)]
pub struct Matcher {
    /// Automaton that finds keys in joined words; a pattern's number is its position in `terms`.
    automaton: Option<AhoCorasick>,
    /// Terms of each key. Several brands may share a key; the first takes it.
    terms: Vec<Vec<(BrandIndex, Term)>>,
    domains: HashMap<String, BrandIndex>,
}

/// A brand in a text, before longer names have won over shorter ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub brand: BrandIndex,
    /// Bytes of the prose.
    pub range: Range<usize>,
    /// The brand's domain is written rather than its name.
    pub is_domain: bool,
}

/// Prose, taken apart once for any number of matchers.
#[derive(Debug)]
pub struct ProseReading<'a> {
    pub prose: &'a Prose,
    words: JoinedWords,
    hosts: Vec<WrittenHost>,
    surroundings: Surroundings<'a>,
}

impl<'a> ProseReading<'a> {
    /// Takes prose apart.
    pub fn of(prose: &'a Prose) -> ProseReading<'a> {
        let hosts = hosts::find(&prose.text);
        let words = JoinedWords::of(&prose.text, hosts.iter().map(|host| host.range.clone()));
        ProseReading { prose, words, hosts, surroundings: Surroundings::of(prose) }
    }

    /// Returns the hosts that are written in the prose.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(|host| &self.prose.text[host.host.clone()])
    }
}

impl Matcher {
    /// Compiles the names of brands; a brand's index is its position.
    pub fn compile<'a>(brands: impl IntoIterator<Item = BrandNames<'a>>) -> Matcher {
        let mut keys: Vec<String> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut terms: Vec<Vec<(BrandIndex, Term)>> = Vec::new();
        let mut domains = HashMap::new();
        for (brand, names) in brands.into_iter().enumerate() {
            for term in names.names.iter().filter_map(|name| Term::read(name)) {
                let place = *places.entry(term.key.clone()).or_insert_with(|| {
                    keys.push(term.key.clone());
                    terms.push(Vec::new());
                    keys.len() - 1
                });
                terms[place].push((brand, term));
            }
            for domain in names.domains.iter().filter_map(|domain| host_name(domain)) {
                let domain = domain.strip_prefix("www.").unwrap_or(&domain).to_owned();
                domains.entry(domain).or_insert(brand);
            }
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&keys);
        // Building fails only for more than two billion states, which no profile has.
        Matcher { automaton: automaton.ok().filter(|_| !keys.is_empty()), terms, domains }
    }

    /// Finds every occurrence of every name; occurrences overlap.
    pub fn hits(&self, reading: &ProseReading<'_>) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        if let Some(automaton) = &self.automaton {
            let words = &reading.words;
            for found in automaton.find_overlapping_iter(&words.joined) {
                hits.extend(self.hit(reading, found.pattern().as_usize(), found.start()..found.end()));
            }
        }
        for host in &reading.hosts {
            let text = &reading.prose.text[host.host.clone()];
            let range = host.host.clone();
            if let Some(brand) = self.owner_of(text) {
                hits.push(Hit { brand, range, is_domain: true });
            } else if let Some(brand) = self.named_like(text) {
                hits.push(Hit { brand, range, is_domain: false });
            }
        }
        hits
    }

    /// Returns the brand that a host belongs to: the host itself, or a domain above it, is the brand's.
    pub fn owner_of(&self, host: &str) -> Option<BrandIndex> {
        if self.domains.is_empty() {
            return None;
        }
        let host = host_name(host)?;
        let mut rest = host.as_str();
        loop {
            if let Some(brand) = self.domains.get(rest) {
                return Some(*brand);
            }
            rest = rest.split_once('.')?.1;
        }
    }

    /// Returns the brand whose whole name is written like this host: `Booking.com`, `Socket.io`.
    fn named_like(&self, host: &str) -> Option<BrandIndex> {
        let words = JoinedWords::of_name(host);
        let key: String = words.joined;
        let automaton = self.automaton.as_ref()?;
        let found = automaton
            .find_overlapping_iter(&key)
            .find(|found| found.start() == 0 && found.end() == key.len())?;
        let terms = &self.terms[found.pattern().as_usize()];
        terms.iter().find(|(_, term)| term.is_written_like_a_host()).map(|(brand, _)| *brand)
    }

    fn hit(&self, reading: &ProseReading<'_>, pattern: usize, joined: Range<usize>) -> Option<Hit> {
        let range = rules::bounded(&reading.words, joined.clone())?;
        let fits = |term: &Term| rules::fits(term, reading, joined.clone(), range.clone());
        let (brand, _) = self.terms[pattern].iter().find(|(_, term)| fits(term))?;
        Some(Hit { brand: *brand, range, is_domain: false })
    }
}

/// Keeps the hits that stand when longer names win over shorter ones, from left to right, without overlaps.
pub fn longest(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(|a, b| {
        a.range.start.cmp(&b.range.start).then(b.range.end.cmp(&a.range.end)).then(a.brand.cmp(&b.brand))
    });
    let mut end = 0;
    hits.retain(|hit| {
        let stands = hit.range.start >= end;
        if stands {
            end = hit.range.end;
        }
        stands
    });
    hits
}

#[cfg(test)]
mod tests;
