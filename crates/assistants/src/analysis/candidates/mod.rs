//! Competitors that an answer names and nobody has entered, found by its structure, sources and enumerations.
//! Used by the second stage when no model proposes names. Pure. See docs/decisions/0365.

mod dictionary;
mod enumerations;
mod groups;
mod judge;
mod names;
mod proven;
mod spots;
mod subjects;
mod unspaced;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::brand::{Brands, key};
use super::citations::{Citation, domain_of};
use super::matcher::{BrandNames, Hit, Matcher, ProseReading, longest};
use super::prose::Prose;
use super::tone::ToneLanguage;
use groups::{JudgedSpot, names_in_groups};
use names::{is_distinctive, without_model, without_model_words};
use spots::{Spot, spots};
use subjects::SubjectSearch;

pub use names::{is_banned, is_distinctive as is_distinctive_name, is_name};

/// Places of an answer at which a name stands before it may be pending.
const PENDING_SPOTS: usize = 2;

/// A competitor that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCompetitor {
    pub name: String,
    /// Domain that the answer links or cites and whose label is the name.
    pub domain: Option<String>,
}

/// Competitors of one answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    pub accepted: Vec<FoundCompetitor>,
    /// Names that are accepted when another answer of the domain has them too.
    pub pending: Vec<String>,
}

/// Everything that decides about candidates.
pub struct CandidateSearch<'a> {
    pub reading: &'a ProseReading<'a>,
    pub question: &'a str,
    pub brands: &'a Brands,
    /// Brands of the profile in the answer.
    pub hits: &'a [Hit],
    pub citations: &'a [Citation],
    /// Language of the answer, if it is one of those with word lists.
    pub language: Option<ToneLanguage>,
    /// Keys of names that were pending in other answers of the domain.
    pub seen_before: &'a HashSet<String>,
}

/// Decides whether anything in an answer could be the name of a competitor.
pub fn has_candidates(prose: &Prose, brands: &Brands) -> bool {
    spots(prose).iter().any(|spot| {
        let name = without_model(spot.name);
        is_name(name) && is_distinctive(name) && !brands.names_any(name)
    })
}

impl CandidateSearch<'_> {
    /// Finds the competitors that nobody has entered.
    pub fn run(&self) -> Candidates {
        let domains = self.domains();
        let spots: Vec<Spot<'_>> = spots(self.reading.prose);
        let asks_for_choice = enumerations::asks_for_choice(self.question);
        let mut found = Found::default();
        for spot in &spots {
            if let Some((name, domain)) = self.named_by_domain(spot.name, &domains) {
                found.add(spot.at, name, Some(domain.to_owned()));
            }
        }
        for name in proven::proven(self.reading, &domains) {
            if self.is_new_at(name.range.start, name.name) {
                found.add(name.range.start, name.name, Some(name.domain.to_owned()));
            }
        }
        let judged: Vec<JudgedSpot<'_>> = spots.iter().map(|spot| self.judge(spot, &domains)).collect();
        for name in names_in_groups(&judged, asks_for_choice) {
            if self.is_new_at(name.at, name.name) {
                found.add(name.at, name.name, domains.get(&key(name.name)).cloned());
            }
        }
        // Brands of the question help to find those beside them.
        for is_first in [true, false] {
            let known = self.known_ranges(&found);
            let search = SubjectSearch {
                prose: self.reading.prose,
                question: self.question,
                known: &known,
                is_german: self.language == Some(ToneLanguage::German),
            };
            let names = if is_first { search.asked_and_advised() } else { search.subjects() };
            for (at, name) in names.into_iter().filter(|(at, name)| self.is_new_at(*at, name)) {
                found.add(at, name, domains.get(&key(name)).cloned());
            }
        }
        let models = subjects::model_words(self.reading.prose, &self.known_ranges(&found));
        let known_names = self.known_names(&found);
        for (at, name) in enumerations::beside(self.reading, self.question, &known_names) {
            let name = without_model_words(&name, models);
            if self.is_new_at(at, name) {
                found.add(at, name, domains.get(&key(name)).cloned());
            }
        }
        let names: HashMap<&str, String> =
            spots.iter().filter_map(|spot| Some((spot.name, self.name_of(spot)?))).collect();
        let mut pending = Vec::new();
        for (name, at) in repeated(&spots, &names) {
            if is_distinctive(name) && !found.keys.contains(&key(name)) {
                match self.seen_before.contains(&key(name)) {
                    true => found.add(at, name, None),
                    false => pending.push(name.to_owned()),
                }
            }
        }
        Candidates { accepted: found.in_order(), pending }
    }

    /// Returns the domains that the answer cites or links and that belong to nobody known, by the key of their label.
    fn domains(&self) -> HashMap<String, String> {
        let linked = self.reading.prose.links.iter().filter_map(|link| domain_of(&link.url));
        let cited = self.citations.iter().map(|citation| citation.domain.clone());
        let written = self.reading.hosts().filter_map(|host| domain_of(&format!("https://{host}")));
        let labelled = linked.chain(cited).chain(written).map(|domain| {
            let label = domain.split('.').next().unwrap_or_default().to_owned();
            (key(&label), domain)
        });
        labelled.filter(|(label, _)| !label.is_empty() && !is_banned(label)).collect()
    }

    /// Returns the part of a text that is the label of a domain: the whole, or its first words.
    fn named_by_domain<'n, 'd>(
        &self,
        text: &'n str,
        domains: &'d HashMap<String, String>,
    ) -> Option<(&'n str, &'d str)> {
        let ends = text.match_indices(' ').map(|(at, _)| at).chain([text.len()]);
        ends.filter_map(|end| {
            let name = text[..end].trim_end_matches([',', ':']);
            Some((name, domains.get(&key(name))?.as_str()))
        })
        .find(|(name, _)| is_name(name) && self.is_new(name))
    }

    /// Returns the name at a spot when it has the form of one and belongs to nobody known.
    fn name_of(&self, spot: &Spot<'_>) -> Option<String> {
        let name = without_model(spot.name);
        (is_name(name) && self.is_new(name)).then(|| name.to_owned())
    }

    fn is_new(&self, name: &str) -> bool {
        !self.brands.names_any(name) && !is_banned(name)
    }

    /// Returns a place with the words behind the brand that stands at its start: a brand of the profile, or one that a
    /// domain proves.
    fn judge<'s>(&self, spot: &'s Spot<'s>, domains: &HashMap<String, String>) -> JudgedSpot<'s> {
        let end = spot.at + spot.name.len();
        let after = self.hits.partition_point(|hit| hit.range.start < spot.at);
        let hit = self.hits.get(after).filter(|hit| hit.range.start < end);
        let of_profile = hit.filter(|hit| {
            let before = &self.reading.prose.text[spot.at..hit.range.start];
            before.split(' ').filter(|word| !word.is_empty()).count() <= 1
                && self.brands.named(hit.brand).is_some()
        });
        let rest = match (of_profile, self.named_by_domain(spot.name, domains)) {
            (Some(hit), _) => Some(&self.reading.prose.text[hit.range.end.min(end)..end]),
            (None, Some((name, _))) => Some(&spot.name[name.len()..]),
            (None, None) => None,
        };
        JudgedSpot { spot, brand: rest.map(|rest| rest.split(' ').filter(|word| !word.is_empty()).count()) }
    }

    /// Decides whether a name belongs to nobody known and stands where no brand of the profile does: `The Crema` of
    /// `The Crema Labs` is not a name of its own.
    fn is_new_at(&self, at: usize, name: &str) -> bool {
        let after = self.hits.partition_point(|hit| hit.range.end <= at);
        self.is_new(name) && self.hits.get(after).is_none_or(|hit| hit.range.start >= at + name.len())
    }

    /// Returns where brands of the profile and new ones stand, in order.
    fn known_ranges(&self, found: &Found) -> Vec<Range<usize>> {
        let names: Vec<[String; 1]> =
            found.competitors.iter().map(|(_, competitor)| [competitor.name.clone()]).collect();
        let matcher = Matcher::compile(names.iter().map(|names| BrandNames { names, domains: &[] }));
        let mut hits = matcher.hits(self.reading);
        hits.extend(self.hits.iter().cloned());
        longest(hits).into_iter().map(|hit| hit.range).collect()
    }

    /// Returns the names beside which other names are looked for.
    fn known_names(&self, found: &Found) -> Vec<String> {
        let in_answer = self.hits.iter().filter(|hit| self.brands.named(hit.brand).is_some());
        let mut known: Vec<String> =
            in_answer.map(|hit| self.reading.prose.text[hit.range.clone()].to_owned()).collect();
        let own = self.brands.own();
        known.extend(std::iter::once(&own.name).chain(&own.aliases).cloned());
        known.extend(found.competitors.iter().map(|(_, competitor)| competitor.name.clone()));
        known.extend(self.brands.competitors().iter().map(|competitor| competitor.name.clone()));
        known.sort_unstable();
        known.dedup();
        known
    }
}

/// Competitors that were found so far, each name once.
#[derive(Default)]
struct Found {
    keys: HashSet<String>,
    /// Competitors, each with the offset in the prose, in bytes, at which the name was found.
    competitors: Vec<(usize, FoundCompetitor)>,
}

impl Found {
    fn add(&mut self, at: usize, name: &str, domain: Option<String>) {
        if self.keys.insert(key(name)) {
            self.competitors.push((at, FoundCompetitor { name: name.to_owned(), domain }));
        }
    }

    fn in_order(mut self) -> Vec<FoundCompetitor> {
        self.competitors.sort_by_key(|(at, _)| *at);
        self.competitors.into_iter().map(|(_, competitor)| competitor).collect()
    }
}

/// Returns the names that stand at two or more spots, each with its first byte.
fn repeated<'n>(spots: &[Spot<'_>], names: &'n HashMap<&str, String>) -> Vec<(&'n str, usize)> {
    let mut places: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for spot in spots {
        let Some(name) = names.get(spot.name) else { continue };
        let position = *positions.entry(key(name)).or_insert_with(|| {
            places.push((name, Vec::new()));
            places.len() - 1
        });
        // A bold head of a list is one place.
        if places[position].1.last() != Some(&spot.at) {
            places[position].1.push(spot.at);
        }
    }
    places.retain(|(_, at)| at.len() >= PENDING_SPOTS);
    places.into_iter().map(|(name, at)| (name, at[0])).collect()
}
