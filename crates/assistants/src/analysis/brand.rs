//! The brand whose mentions are counted and its competitors: how they are called, and where they are on the web.
//! Compiled once for a domain and shared by all its answers. Pure.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crawler::url::{host_name, registrable_domain};
use serde::{Deserialize, Serialize};
use url::Url;
use url::quirks::domain_to_unicode;

use super::matcher::common_words::is_common;
use super::matcher::{BrandIndex, BrandNames, JoinedWords, Matcher, ProseReading, fold, longest};
use super::prose;

/// Minimum number of characters of a domain's label that is taken for the brand's name.
const MIN_LABEL_CHARS: usize = 4;
/// Minimum number of characters of a folded name whose spelling makes no difference.
const MIN_FOLDED_CHARS: usize = 3;
/// Maximum number of characters and words of a site's name that is taken for the brand's name.
const MAX_SITE_NAME: (usize, usize) = (50, 5);

/// The brand that a domain is monitored for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrandProfile {
    pub name: String,
    /// Further names, in any spelling. Spacing, case and accents make no difference.
    pub aliases: Vec<String>,
    /// Domains of the brand. Subdomains belong to them.
    pub domains: Vec<String>,
}

/// A brand that serves the same need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompetitorProfile {
    pub name: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub domains: Vec<String>,
    pub status: CompetitorStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompetitorStatus {
    /// Entered by a person.
    Tracked,
    /// Found in answers.
    Discovered,
    /// Recognised, so that it is not found again, and left out of every count.
    Ignored,
}

/// Relation of a brand to the monitored one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrandKind {
    Own,
    Competitor,
}

/// All brands of a domain, compiled.
#[derive(Debug)]
pub struct Brands {
    own: BrandProfile,
    competitors: Vec<CompetitorProfile>,
    matcher: Matcher,
    /// Folded names of all brands without separators.
    keys: HashSet<String>,
    /// Competitors whose domains nobody has entered, by the folded form of each name.
    without_domain: HashMap<String, BrandIndex>,
}

impl BrandProfile {
    /// Derives the profile of a domain that nobody has written one for, from the domain and the name of its site.
    ///
    /// A label that is short or a common word is not a name: then only the domain itself counts, and a site's name.
    pub fn derive(domain: &str, site_name: Option<&str>) -> BrandProfile {
        let host = host_name(domain).unwrap_or_else(|| domain.to_lowercase());
        let registrable = registrable_domain(&host).unwrap_or(host);
        let unicode = domain_to_unicode(&registrable);
        let label = unicode.split('.').next().unwrap_or_default();
        let label_key = key(label);
        let is_name = label.chars().count() >= MIN_LABEL_CHARS && !is_all_common(label);
        let mut names: Vec<String> =
            site_name.and_then(|name| name_in_title(name, &label_key)).into_iter().collect();
        if is_name && names.iter().all(|name| key(name) != label_key) {
            names.push(label.to_owned());
        }
        let mut names = names.into_iter();
        BrandProfile {
            name: names.next().unwrap_or(unicode),
            aliases: names.collect(),
            domains: vec![registrable],
        }
    }
}

impl Brands {
    /// Compiles a domain's brand and its competitors.
    pub fn compile(own: BrandProfile, competitors: Vec<CompetitorProfile>) -> Arc<Brands> {
        let own_names = names_of(&own.name, &own.aliases);
        let others: Vec<Vec<String>> = competitors.iter().map(|c| names_of(&c.name, &c.aliases)).collect();
        let keys = own_names.iter().chain(others.iter().flatten()).map(|name| key(name)).collect();
        let own_brand = BrandNames { names: &own_names, domains: &own.domains };
        let other_brands = others
            .iter()
            .zip(&competitors)
            .map(|(names, competitor)| BrandNames { names, domains: &competitor.domains });
        let matcher = Matcher::compile(std::iter::once(own_brand).chain(other_brands));
        let unplaced = competitors.iter().enumerate().filter(|(_, competitor)| competitor.domains.is_empty());
        let without_domain =
            unplaced.flat_map(|(at, _)| others[at].iter().map(move |name| (key(name), at + 1))).collect();
        Arc::new(Brands { own, competitors, matcher, keys, without_domain })
    }

    pub fn own(&self) -> &BrandProfile {
        &self.own
    }

    pub fn competitors(&self) -> &[CompetitorProfile] {
        &self.competitors
    }

    pub(super) fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Returns a brand's name and relation. None for an ignored competitor.
    pub(super) fn named(&self, brand: BrandIndex) -> Option<(&str, BrandKind)> {
        let Some(at) = brand.checked_sub(1) else { return Some((&self.own.name, BrandKind::Own)) };
        let competitor = self.competitors.get(at)?;
        (competitor.status != CompetitorStatus::Ignored).then_some((&*competitor.name, BrandKind::Competitor))
    }

    /// Returns the brand that an address belongs to: by its host, or by its domain's label when the label is the name of
    /// a competitor whose domains are unknown.
    pub fn owner_of(&self, url: &str, domain: &str) -> Option<(BrandKind, &str)> {
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let by_host = self.matcher.owner_of(&host).or_else(|| self.matcher.owner_of(domain));
        let by_label =
            || self.without_domain.get(&key(domain.split('.').next().unwrap_or_default())).copied();
        let (name, kind) = self.named(by_host.or_else(by_label)?)?;
        Some((kind, name))
    }

    /// Decides whether a text names any brand of the profile, ignored ones included.
    pub(super) fn names_any(&self, text: &str) -> bool {
        self.keys.contains(&key(text)) || !self.matches(text).is_empty()
    }

    /// Decides whether a question names the own brand: then no competitor can win it.
    pub fn branded(&self, prompt: &str) -> bool {
        self.matches(prompt).contains(&0)
    }

    fn matches(&self, text: &str) -> Vec<BrandIndex> {
        let prose = prose::read(text);
        let hits = longest(self.matcher.hits(&ProseReading::of(&prose)));
        hits.into_iter().map(|hit| hit.brand).collect()
    }
}

/// Lists the names of a brand that differ. Another spelling of a name adds nothing, unless the name is so short that its
/// spelling counts.
fn names_of(name: &str, aliases: &[String]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for name in std::iter::once(name).chain(aliases.iter().map(String::as_str)) {
        let folded = key(name);
        let is_short = folded.chars().count() < MIN_FOLDED_CHARS;
        if !keys.contains(&folded) || (is_short && names.iter().all(|known| known != name)) {
            keys.push(folded);
            names.push(name.to_owned());
        }
    }
    names
}

/// Folds a name and drops what stands between its words.
pub fn key(name: &str) -> String {
    JoinedWords::of_name(name).joined.replace('\n', "")
}

/// Decides whether every word of a text is a common one.
fn is_all_common(text: &str) -> bool {
    fold(text).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(is_common)
}

/// Picks the brand's name out of a site's name, which often is a title: `Home | LumaDocs – docs for teams`.
fn name_in_title(title: &str, label_key: &str) -> Option<String> {
    let is_separator = |at: usize, c: char| {
        matches!(c, '|' | '–' | '—' | '·' | '•' | '»' | '/')
            || matches!(c, '-' | ':') && title[at + 1..].starts_with(' ')
    };
    let cuts = title.char_indices().filter(|(at, c)| is_separator(*at, *c));
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for (at, c) in cuts {
        parts.push(start..at);
        start = at + c.len_utf8();
    }
    parts.push(start..title.len());
    let is_short = |part: &&str| {
        let words = part.split_whitespace().count();
        (1..=MAX_SITE_NAME.1).contains(&words) && part.chars().count() <= MAX_SITE_NAME.0
    };
    let parts = || parts.iter().map(|part| title[part.clone()].trim()).filter(is_short);
    let own = parts().find(|part| key(part) == label_key);
    own.or_else(|| parts().find(|part| !is_generic(part))).map(str::to_owned)
}

/// Decides whether a part of a title says nothing of the brand: `Home`, `Start`, `Welcome to our shop`.
fn is_generic(part: &str) -> bool {
    const PAGES: [&str; 8] =
        ["homepage", "startseite", "blog", "website", "webshop", "onlineshop", "index", "untitled"];
    let has_capital_words = part.split_whitespace().count() > 1
        && part.split_whitespace().all(|word| word.starts_with(|c: char| !c.is_lowercase()))
        && !is_common(&fold(part.split_whitespace().next().unwrap_or_default()));
    key(part).is_empty() || PAGES.contains(&&*key(part)) || is_all_common(part) && !has_capital_words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derived(domain: &str, site_name: Option<&str>) -> (String, Vec<String>, Vec<String>) {
        let profile = BrandProfile::derive(domain, site_name);
        (profile.name, profile.aliases, profile.domains)
    }

    fn own(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_label_is_the_name_unless_it_is_short_or_a_common_word() {
        assert_eq!(derived("www.lumadocs.io", None), ("lumadocs".into(), own(&[]), own(&["lumadocs.io"])));
        assert_eq!(derived("docs.lumadocs.co.uk", None).0, "lumadocs");
        assert_eq!(derived("xn--bcherwurm-q9a.de", None).0, "bücherwurm");
        for domain in ["you.com", "abc.io", "notion.so", "good-shop.com", "wetter.de"] {
            assert_eq!(derived(domain, None), (domain.into(), own(&[]), own(&[domain])), "{domain}");
        }
    }

    #[test]
    fn the_name_of_the_site_comes_first() {
        assert_eq!(derived("lumadocs.io", Some("Luma Docs")).0, "Luma Docs");
        assert_eq!(derived("lumadocs.io", Some("Luma Docs")).1, own(&[]));
        assert_eq!(derived("getluma.io", Some("Luma – docs for teams")).0, "Luma");
        assert_eq!(derived("getluma.io", Some("Luma – docs for teams")).1, own(&["getluma"]));
        assert_eq!(derived("box.com", Some("Home | Box")).0, "Box");
        assert_eq!(derived("lumadocs.io", Some("Home")).0, "lumadocs");
        assert_eq!(derived("lumadocs.io", Some("")).0, "lumadocs");
    }

    #[test]
    fn a_prompt_is_branded_when_it_names_the_own_brand() {
        let brands = Brands::compile(
            BrandProfile { name: "LumaDocs".into(), aliases: own(&["Luma"]), domains: own(&["lumadocs.io"]) },
            vec![CompetitorProfile {
                name: "Luma Nova".into(),
                aliases: vec![],
                domains: vec![],
                status: CompetitorStatus::Ignored,
            }],
        );

        assert!(brands.branded("is luma docs better than notchly?"));
        assert!(brands.branded("what is lumadocs.io"));
        assert!(!brands.branded("best documentation tools"));
        assert!(!brands.branded("Is Luma Nova any good?"));
        assert!(brands.names_any("Luma Nova"));
        assert!(!brands.names_any("Nova"));
    }
}
