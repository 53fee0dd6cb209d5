//! Decides which groups of places, such as the heads of one list, hold names of competitors.
//! Used by the candidates. Pure.

use std::collections::HashMap;

use super::names::{is_distinctive, is_name, without_model_words};
use super::spots::{Spot, SpotGroup};

/// Minimum number of heads of a list from which the list as a whole is taken for a list of names.
const MIN_LIST: usize = 3;
/// Minimum number of names that are set apart in sentences from which they are taken for the answer to a question.
const MIN_MARKED: usize = 2;

/// A place and what is known of it.
#[derive(Debug, Clone)]
pub struct JudgedSpot<'s> {
    pub spot: &'s Spot<'s>,
    /// Words of a model behind the known brand that stands here. None: no known brand does.
    pub brand: Option<usize>,
}

/// A name at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpotName<'s> {
    pub at: usize,
    pub name: &'s str,
}

/// Returns the names in all groups that hold names of competitors.
pub fn names_in_groups<'s>(spots: &[JudgedSpot<'s>], asks_for_choice: bool) -> Vec<SpotName<'s>> {
    let mut order: Vec<SpotGroup> = Vec::new();
    let mut groups: HashMap<SpotGroup, Vec<&JudgedSpot<'s>>> = HashMap::new();
    for judged in spots.iter().filter(|judged| judged.spot.group != SpotGroup::None) {
        let members = groups.entry(judged.spot.group).or_default();
        if members.is_empty() {
            order.push(judged.spot.group);
        }
        members.push(judged);
    }
    let names = order.into_iter().filter_map(|group| Some((group, groups.remove(&group)?)));
    names.flat_map(|(group, members)| names_in_group(group, &members, asks_for_choice)).collect()
}

/// Returns the members of a group that are names, when the group is one of names.
///
/// A group with a brand among its members is one, when most members look like names. A group without is one when all do
/// and the question asks for a choice. Texts within sentences and behind labels must be more than common words.
fn names_in_group<'s>(
    group: SpotGroup,
    members: &[&JudgedSpot<'s>],
    asks_for_choice: bool,
) -> Vec<SpotName<'s>> {
    let brands = members.iter().filter(|judged| judged.brand.is_some()).count();
    let models = model_words(members);
    let others: Vec<&Spot<'s>> =
        members.iter().filter(|judged| judged.brand.is_none()).map(|judged| judged.spot).collect();
    let name_of = |spot: &Spot<'s>| without_model_words(spot.name, models);
    let named = others.iter().filter(|spot| is_name(name_of(spot))).count();
    let is_clear = |spot: &&&Spot<'s>| is_name(name_of(spot)) && is_distinctive(name_of(spot));
    let clear = others.iter().filter(is_clear).count();
    // Names of common words count when all that is set apart are names: features are rarely written with a capital.
    let are_all_names = named == others.len() && clear * 2 >= others.len() && clear > 0;
    let is_list_of_names = match (group, brands) {
        (SpotGroup::Labelled, brands) => brands > 0,
        (SpotGroup::Marked, 0) => named >= MIN_MARKED && are_all_names && asks_for_choice,
        (SpotGroup::Marked, _) => true,
        (_, 0) => members.len() >= MIN_LIST && clear == members.len() && asks_for_choice,
        (_, 1) => named * 2 >= others.len(),
        _ => true,
    };
    if !is_list_of_names {
        return Vec::new();
    }
    let takes_common_words = match group {
        SpotGroup::Labelled => false,
        SpotGroup::Marked => are_all_names && asks_for_choice,
        _ => true,
    };
    let names = others.iter().filter(|spot| match takes_common_words {
        true => is_name(name_of(spot)),
        false => is_clear(spot),
    });
    names.map(|spot| SpotName { at: spot.at, name: name_of(spot) }).collect()
}

/// Returns the words of models behind most known brands of a group, 0 when most stand alone.
fn model_words(members: &[&JudgedSpot<'_>]) -> usize {
    let words: Vec<usize> = members.iter().filter_map(|judged| judged.brand).collect();
    let with_model = words.iter().filter(|words| **words > 0).count();
    if with_model * 2 > words.len() { words.into_iter().max().unwrap_or(0) } else { 0 }
}
