//! Brand profile of a domain as the API takes and shows it: names, domains and competitors. Pure.

use std::collections::HashMap;

use assistants::analysis::brand::key;
use assistants::analysis::{BrandProfile, CompetitorProfile, CompetitorStatus};
use crawler::url::host_name;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const MAX_ALIASES: usize = 50;
const MAX_DOMAINS: usize = 50;
const MAX_COMPETITORS: usize = 200;
/// Most aliases, and most domains, of a competitor.
const MAX_OF_COMPETITOR: usize = 20;
const MAX_NAME_CHARS: usize = 80;

/// Brand profile of a domain.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
pub struct BrandBody {
    #[schema(max_length = 80, examples("LumaDocs"))]
    pub name: String,
    /// Further names, in any spelling; spacing, case and accents make no difference.
    #[serde(default)]
    #[schema(max_items = 50, example = json!(["Luma Docs"]))]
    pub aliases: Vec<String>,
    /// Domains of the brand; subdomains belong to them.
    #[serde(default)]
    #[schema(max_items = 50, example = json!(["lumadocs.io"]))]
    pub domains: Vec<String>,
    #[serde(default)]
    #[schema(max_items = 200)]
    pub competitors: Vec<CompetitorBody>,
}

/// Another brand that serves the same need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CompetitorBody {
    #[schema(max_length = 80, examples("Notchly"))]
    pub name: String,
    #[serde(default)]
    #[schema(max_items = 20)]
    pub aliases: Vec<String>,
    #[serde(default)]
    #[schema(max_items = 20, example = json!(["notchly.com"]))]
    pub domains: Vec<String>,
    #[serde(default)]
    pub status: CompetitorState,
}

/// State of a competitor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CompetitorState {
    /// Entered by a person.
    #[default]
    Tracked,
    /// Found in answers.
    Discovered,
    /// Left out of every count, and not found again.
    Ignored,
}

impl From<CompetitorStatus> for CompetitorState {
    fn from(status: CompetitorStatus) -> CompetitorState {
        match status {
            CompetitorStatus::Tracked => CompetitorState::Tracked,
            CompetitorStatus::Discovered => CompetitorState::Discovered,
            CompetitorStatus::Ignored => CompetitorState::Ignored,
        }
    }
}

impl From<CompetitorState> for CompetitorStatus {
    fn from(state: CompetitorState) -> CompetitorStatus {
        match state {
            CompetitorState::Tracked => CompetitorStatus::Tracked,
            CompetitorState::Discovered => CompetitorStatus::Discovered,
            CompetitorState::Ignored => CompetitorStatus::Ignored,
        }
    }
}

/// Progress of analysing kept answers again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecomputeProgress {
    /// Answers that were analysed again.
    pub done: i64,
    /// Answers that are to be.
    pub total: i64,
}

/// Brand profile of a domain, as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrandView {
    #[schema(examples("LumaDocs"))]
    pub name: String,
    pub aliases: Vec<String>,
    pub domains: Vec<String>,
    pub competitors: Vec<CompetitorBody>,
    /// Nobody has saved a profile: it follows from the domain and the name of its site.
    pub derived: bool,
    /// Counts up with every change of the profile; runs say under which version they were analysed.
    #[schema(examples(1))]
    pub analysis_version: i64,
    /// Null: all kept answers are analysed under the current version.
    pub recomputing: Option<RecomputeProgress>,
}

/// Problems of a body: dotted path and sentence.
type Issues = Vec<(String, String)>;

impl BrandBody {
    /// Reads the profile and its competitors, or everything that is wrong with them.
    pub fn read(self) -> Result<(BrandProfile, Vec<CompetitorProfile>), Issues> {
        let mut issues = Issues::new();
        let mut names = UniqueNames::default();
        let own = ("", (MAX_ALIASES, MAX_DOMAINS));
        let (name, aliases, domains) =
            read_brand(own, (self.name, self.aliases, self.domains), &mut names, &mut issues);
        let profile = BrandProfile { name, aliases, domains };
        if self.competitors.len() > MAX_COMPETITORS {
            issues.push(("competitors".to_owned(), format!("has more than {MAX_COMPETITORS} entries")));
        }
        let mut competitors = Vec::new();
        for (at, competitor) in self.competitors.into_iter().take(MAX_COMPETITORS).enumerate() {
            let path = format!("competitors.{at}.");
            let limits = (path.as_str(), (MAX_OF_COMPETITOR, MAX_OF_COMPETITOR));
            let CompetitorBody { name, aliases, domains, status } = competitor;
            let (name, aliases, domains) =
                read_brand(limits, (name, aliases, domains), &mut names, &mut issues);
            competitors.push(CompetitorProfile { name, aliases, domains, status: status.into() });
        }
        if issues.is_empty() { Ok((profile, competitors)) } else { Err(issues) }
    }
}

/// Folded names, with the brand that has each.
#[derive(Default)]
struct UniqueNames(HashMap<String, String>);

impl UniqueNames {
    /// Takes a name for a brand. False: another brand has the same.
    fn take(&mut self, name: &str, brand: &str) -> bool {
        self.0.entry(key(name)).or_insert_with(|| brand.to_owned()) == brand
    }
}

/// Reads the names and domains of one brand; its path ends with a dot, or is empty.
fn read_brand(
    (path, (most_aliases, most_domains)): (&str, (usize, usize)),
    (name, aliases, domains): (String, Vec<String>, Vec<String>),
    names: &mut UniqueNames,
    issues: &mut Issues,
) -> (String, Vec<String>, Vec<String>) {
    let name = name.trim().to_owned();
    let mut check = |field: String, text: &str, issues: &mut Issues| {
        if let Some(problem) = problem_of_name(text) {
            issues.push((field, problem.to_owned()));
        } else if !names.take(text, path) {
            issues.push((field, "is the name of another brand too".to_owned()));
        }
    };
    check(format!("{path}name"), &name, issues);
    if aliases.len() > most_aliases {
        issues.push((format!("{path}aliases"), format!("has more than {most_aliases} entries")));
    }
    let mut kept = Vec::new();
    for (at, alias) in aliases.into_iter().take(most_aliases).enumerate() {
        let alias = alias.trim().to_owned();
        check(format!("{path}aliases.{at}"), &alias, issues);
        if !kept.contains(&alias) {
            kept.push(alias);
        }
    }
    if domains.len() > most_domains {
        issues.push((format!("{path}domains"), format!("has more than {most_domains} entries")));
    }
    let mut hosts: Vec<String> = Vec::new();
    for (at, domain) in domains.into_iter().take(most_domains).enumerate() {
        match host_name(domain.trim()).filter(|host| host.contains('.')) {
            Some(host) if hosts.contains(&host) => {}
            Some(host) => hosts.push(host),
            None => issues.push((format!("{path}domains.{at}"), "is not the name of a domain".to_owned())),
        }
    }
    (name, kept, hosts)
}

fn problem_of_name(name: &str) -> Option<&'static str> {
    if !(1..=MAX_NAME_CHARS).contains(&name.chars().count()) {
        return Some("must have 1 to 80 characters");
    }
    if name.chars().any(char::is_control) {
        return Some("must not contain control characters");
    }
    key(name).is_empty().then_some("has neither letters nor digits")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(body: Value) -> Result<(BrandProfile, Vec<CompetitorProfile>), Vec<String>> {
        let body: BrandBody = serde_json::from_value(body).unwrap();
        body.read().map_err(|issues| issues.into_iter().map(|(path, _)| path).collect())
    }

    #[test]
    fn names_are_kept_as_they_are_written_and_domains_in_one_form() {
        let (own, competitors) = read(json!({
            "name": " LumaDocs ", "aliases": [" Luma Docs", "Luma", "luma", "Luma"], "domains": ["LumaDocs.io", "lumadocs.io"],
            "competitors": [{ "name": "Notchly", "domains": ["notchly.com"] }, { "name": "Box", "status": "ignored" }],
        }))
        .unwrap();

        assert_eq!(
            (own.name.as_str(), own.aliases, own.domains),
            (
                "LumaDocs",
                ["Luma Docs", "Luma", "luma"].map(str::to_owned).to_vec(),
                vec!["lumadocs.io".to_owned()]
            )
        );
        let statuses: Vec<_> = competitors.iter().map(|competitor| competitor.status).collect();
        assert_eq!(statuses, [CompetitorStatus::Tracked, CompetitorStatus::Ignored]);
    }

    #[test]
    fn a_name_belongs_to_one_brand() {
        let refused = read(json!({
            "name": "LumaDocs",
            "competitors": [{ "name": "luma-docs" }, { "name": "Notchly" }, { "name": "Other", "aliases": ["NOTCHLY"] }],
        }));

        assert_eq!(refused.unwrap_err(), ["competitors.0.name", "competitors.2.aliases.0"]);
    }

    #[test]
    fn every_limit_is_named() {
        let many = |count: usize| (0..count).map(|at| format!("name{at}")).collect::<Vec<_>>();
        let long = "x".repeat(81);

        assert_eq!(read(json!({ "name": "" })).unwrap_err(), ["name"]);
        assert_eq!(read(json!({ "name": long })).unwrap_err(), ["name"]);
        assert_eq!(read(json!({ "name": "a\u{0}b" })).unwrap_err(), ["name"]);
        assert_eq!(read(json!({ "name": "!!!" })).unwrap_err(), ["name"]);
        assert_eq!(read(json!({ "name": "X", "aliases": many(51) })).unwrap_err(), ["aliases"]);
        assert_eq!(read(json!({ "name": "X", "domains": ["not a domain"] })).unwrap_err(), ["domains.0"]);
        let competitors: Vec<_> = many(201).into_iter().map(|name| json!({ "name": name })).collect();
        assert_eq!(read(json!({ "name": "X", "competitors": competitors })).unwrap_err(), ["competitors"]);
        let aliases = json!([{ "name": "Y", "aliases": many(21) }]);
        assert_eq!(
            read(json!({ "name": "X", "competitors": aliases })).unwrap_err(),
            ["competitors.0.aliases"]
        );
    }
}
