//! Competitors that an answer names and nobody has entered, found by its structure, sources and enumerations.
//! Used by the second stage when no model proposes names. Pure. See docs/decisions/0367.

mod enumerations;
mod names;
mod spots;

use std::collections::{HashMap, HashSet};

use super::brand::{Brands, key};
use super::citations::{Citation, domain_of};
use super::matcher::{Hit, Reading};
use super::prose::Prose;
use names::{is_distinctive, without_model};
use spots::{Spot, SpotGroup, spots};

pub use names::{is_banned, is_distinctive as is_distinctive_name, is_name};

/// Places of an answer at which a name stands before it may be pending.
const PENDING_SPOTS: usize = 2;
/// Fewest heads of a list from which the list as a whole is taken for a list of names.
const MIN_LIST: usize = 3;

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
    pub reading: &'a Reading<'a>,
    pub question: &'a str,
    pub brands: &'a Brands,
    /// Brands of the profile in the answer.
    pub hits: &'a [Hit],
    pub citations: &'a [Citation],
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
        let names: HashMap<&str, String> =
            spots.iter().filter_map(|spot| Some((spot.name, self.name_of(spot)?))).collect();
        let mut found = Found::default();
        for spot in &spots {
            if let Some((name, domain)) = self.named_by_domain(spot.name, &domains) {
                found.add(spot.at, name, Some(domain.to_owned()));
            }
        }
        let brands = self.brand_spots(&spots, &domains);
        for group in groups(&spots) {
            for spot in self.listed(&group, &brands, &names) {
                let name = &names[spot.name];
                found.add(spot.at, name, domains.get(&key(name)).cloned());
            }
        }
        for (at, name) in enumerations::beside(self.reading.prose, self.question, &self.known_names(&found)) {
            if self.is_new(&name) {
                found.add(at, &name, domains.get(&key(&name)).cloned());
            }
        }
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

    /// Returns the spots that name a brand of the profile, or one that a domain proves.
    fn brand_spots(&self, spots: &[Spot<'_>], domains: &HashMap<String, String>) -> HashSet<usize> {
        let is_brand = |spot: &&Spot<'_>| {
            let end = spot.at + spot.name.len();
            let after = self.hits.partition_point(|hit| hit.range.start < spot.at);
            let hit = self.hits.get(after).filter(|hit| hit.range.start < end);
            hit.is_some_and(|hit| self.brands.named(hit.brand).is_some())
                || domains.contains_key(&key(without_model(spot.name)))
        };
        spots.iter().filter(is_brand).map(|spot| spot.at).collect()
    }

    /// Returns the members of a group that are names, when the group is one of names.
    ///
    /// A group with a brand among its members is one, when most members look like names. A group without is one when
    /// all do and the question asks for a choice.
    fn listed<'s>(
        &self,
        group: &[&'s Spot<'s>],
        brands: &HashSet<usize>,
        names: &HashMap<&str, String>,
    ) -> Vec<&'s Spot<'s>> {
        let (of_brands, others): (Vec<&Spot<'_>>, Vec<&Spot<'_>>) =
            group.iter().partition(|spot| brands.contains(&spot.at));
        let is_named = |spot: &&&'s Spot<'s>| names.contains_key(spot.name);
        let is_clear = |spot: &&&'s Spot<'s>| names.get(spot.name).is_some_and(|name| is_distinctive(name));
        let named = others.iter().filter(is_named).count();
        let clear = others.iter().filter(is_clear).count();
        let is_list_of_names = match of_brands.len() {
            0 => {
                group.len() >= MIN_LIST
                    && clear == group.len()
                    && enumerations::asks_for_choice(self.question)
            }
            1 => named * 2 >= others.len(),
            _ => true,
        };
        if !is_list_of_names {
            return Vec::new();
        }
        others.into_iter().filter(|spot| names.contains_key(spot.name)).collect()
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
    /// With the byte of the prose where the name was found.
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

/// Groups spots that hold names of one kind.
fn groups<'s>(spots: &'s [Spot<'s>]) -> Vec<Vec<&'s Spot<'s>>> {
    let mut order: Vec<SpotGroup> = Vec::new();
    let mut groups: HashMap<SpotGroup, Vec<&Spot<'_>>> = HashMap::new();
    for spot in spots.iter().filter(|spot| spot.group != SpotGroup::None) {
        let members = groups.entry(spot.group).or_default();
        if members.is_empty() {
            order.push(spot.group);
        }
        members.push(spot);
    }
    order.into_iter().filter_map(|group| groups.remove(&group)).collect()
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
