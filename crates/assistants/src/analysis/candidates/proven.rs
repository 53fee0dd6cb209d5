//! Names that the domain of a source proves: `Mailhaven` in an answer that cites mailhaven.com.
//! Used by the candidates. Pure.

use std::collections::HashMap;
use std::ops::Range;

use super::names::{is_banned, is_distinctive, is_name};
use crate::analysis::brand::key;
use crate::analysis::matcher::{BrandNames, Matcher, ProseReading, longest};

/// Minimum number of characters of a label that proves a name.
const MIN_LABEL_CHARS: usize = 4;
/// Parts of labels of magazines, blogs and sites that compare, none of which is a competitor.
const MEDIA: &[&str] = &[
    "review",
    "magazin",
    "news",
    "blog",
    "guide",
    "compar",
    "vergleich",
    "zeitung",
    "times",
    "journal",
    "report",
    "forum",
    "daily",
    "weekly",
    "press",
    "media",
    "wiki",
    "test",
    "ranking",
    "rated",
    "insider",
    "expert",
    "radar",
    "university",
    "verbraucher",
    "consum",
    "gov",
    "avis",
    "opinion",
    "ratgeber",
    "portal",
    "mag",
    "tribune",
    "herald",
];
/// Words before the name of a source.
const SOURCE_WORDS: &[&str] = &[
    "according to",
    "source:",
    "via",
    "on",
    "by",
    "laut",
    "quelle:",
    "bei",
    "selon",
    "d'après",
    "source :",
    "según",
    "fuente:",
    "segundo",
    "fonte:",
    "secondo",
    "volgens",
    "bron:",
    "read",
    "see",
    "siehe",
    "voir",
];

/// A name and the domain that proves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenName<'a> {
    pub range: Range<usize>,
    pub name: &'a str,
    pub domain: &'a str,
}

/// Finds names in sentences that are the label of a domain. `domains` has each domain by the key of its label.
pub fn proven<'a>(reading: &ProseReading<'a>, domains: &'a HashMap<String, String>) -> Vec<ProvenName<'a>> {
    let mut labels: Vec<(&String, &String)> = domains.iter().filter(|(label, _)| proves(label)).collect();
    labels.sort_unstable();
    let names: Vec<[String; 1]> = labels.iter().map(|(label, _)| [(*label).clone()]).collect();
    let matcher = Matcher::compile(names.iter().map(|names| BrandNames { names, domains: &[] }));
    let text: &'a str = &reading.prose.text;
    let hits = longest(matcher.hits(reading)).into_iter().filter(|hit| !hit.is_domain);
    hits.map(|hit| ProvenName {
        name: &text[hit.range.clone()],
        domain: labels[hit.brand].1,
        range: hit.range,
    })
    .filter(|found| {
        let is_capital = found.name.split(' ').all(|word| !word.starts_with(char::is_lowercase));
        let before = text[..found.range.start].trim_end_matches(['*', '"', '“', ' ']).to_lowercase();
        let is_source = SOURCE_WORDS
            .iter()
            .any(|word| before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)));
        is_capital && !is_source && is_name(found.name) && is_distinctive(found.name)
    })
    .collect()
}

/// Decides whether the label of a domain proves a name in a sentence.
fn proves(label: &str) -> bool {
    label.chars().count() >= MIN_LABEL_CHARS
        && !is_banned(label)
        && !MEDIA.iter().any(|word| label.contains(&key(word)))
}
