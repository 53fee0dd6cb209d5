//! Sources and searches of answers, as the API shows them. Pure.

use std::collections::{BTreeSet, HashMap, HashSet};

use assistants::analysis::{BrandKind, Brands, SourceKind};
use assistants::statistics::percent;
use serde::Serialize;
use utoipa::ToSchema;

use super::suggesting::text_key;
use crate::model::Prompt;
use crate::queries::reading::sources::{
    MemberRow, SearchTotalsRow, SourceCountRow, SourceTotalsRow, SourceUnit,
};
use analytics::model::date_of;

/// Maximum number of prompts that are named with a source or a search.
const MAX_PROMPTS: usize = 100;

/// A site or page that answers cite, or that was found for them.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceItem {
    /// Registrable domain, with `by=domain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("g2.com"))]
    pub domain: Option<String>,
    /// Address, with `by=page`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("https://g2.com/categories/knowledge-base"))]
    pub url: Option<String>,
    /// `own`, `competitor` or `third_party`.
    #[schema(value_type = String, examples("third_party"))]
    pub kind: SourceKind,
    /// Answers that cite it.
    #[schema(examples(41))]
    pub answers: u64,
    /// Cited addresses: a site may have several in one answer.
    #[schema(examples(52))]
    pub citations: u64,
    /// Addresses that were found for an answer, which does not cite them.
    #[schema(examples(17))]
    pub retrieved: u64,
    /// Share of all citations of the window, in percent.
    #[schema(examples(8.4))]
    pub share_pct: f64,
    /// Answers that cite it and name a brand, but not the own one.
    #[schema(examples(31))]
    pub gap_answers: u64,
    /// Prompts in whose answers it is, at most 100.
    pub prompt_ids: Vec<String>,
    #[schema(example = json!(["chatgpt", "perplexity"]))]
    pub providers: Vec<String>,
    /// First day of the window on which it was cited or found.
    #[schema(examples("2026-10-22"))]
    pub first_date: String,
    #[schema(examples("2026-11-20"))]
    pub last_date: String,
    /// Facts of an own page; absent for others.
    #[serde(flatten)]
    pub own: Option<OwnPage>,
}

/// Visits and issues of an own page that answers cite.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnPage {
    /// Day of the last visit of an AI crawler within 180 days; null: none, or not known.
    #[schema(examples("2026-11-08"))]
    pub last_crawl_by_ai_bots: Option<String>,
    /// Issues of the page in the latest audit; null: the page is in no audit.
    #[schema(examples(2))]
    pub open_issues: Option<u64>,
    /// People whom assistants sent to the page within the window; null: not known.
    #[schema(examples(9))]
    pub referrals: Option<u64>,
}

/// A text that assistants searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchItem {
    #[schema(examples("best documentation tool for startups"))]
    pub query: String,
    /// Answers for which it was searched.
    #[schema(examples(12))]
    pub answers: u64,
    /// Answers among them that name the own brand.
    #[schema(examples(4))]
    pub named_in: u64,
    #[schema(example = json!(["chatgpt"]))]
    pub providers: Vec<String>,
    /// Ids of prompts, at most 100.
    pub prompt_ids: Vec<String>,
    /// A prompt of the domain has this text.
    pub tracked: bool,
}

/// Prompts and providers by the name of a source or search.
#[derive(Debug, Default)]
pub struct Members<'a>(HashMap<&'a str, Member<'a>>);

#[derive(Debug, Default)]
struct Member<'a> {
    prompts: BTreeSet<i64>,
    providers: Vec<&'a str>,
}

impl<'a> Members<'a> {
    /// Collects rows, which may be in any order.
    pub fn collect(rows: &'a [MemberRow]) -> Members<'a> {
        let mut members: HashMap<&str, Member<'_>> = HashMap::new();
        for row in rows {
            let member = members.entry(&row.name).or_default();
            member.prompts.insert(row.prompt);
            if !member.providers.contains(&row.provider.as_str()) {
                member.providers.push(&row.provider);
            }
        }
        Members(members)
    }

    /// Returns the ids of a name's prompts, the oldest prompts first.
    fn prompt_ids(&self, name: &str, prompts: &HashMap<i64, &Prompt>) -> Vec<String> {
        let numbers = self.0.get(name).map(|member| &member.prompts).into_iter().flatten();
        numbers
            .filter_map(|number| prompts.get(number))
            .take(MAX_PROMPTS)
            .map(|prompt| prompt.id.to_string())
            .collect()
    }

    /// Returns a name's providers in the order of the API.
    fn providers(&self, name: &str) -> Vec<String> {
        let own = self.0.get(name).map(|member| member.providers.as_slice()).unwrap_or_default();
        let all = assistants::providers::Provider::ALL.iter().map(|provider| provider.as_str());
        all.filter(|provider| own.contains(provider)).map(str::to_owned).collect()
    }
}

/// Returns the owner of an address, as the brand profile is now.
pub fn kind_of(brands: &Brands, url: &str, site: &str) -> SourceKind {
    match brands.owner_of(url, site) {
        Some((BrandKind::Own, _)) => SourceKind::Own,
        Some((BrandKind::Competitor, _)) => SourceKind::Competitor,
        None => SourceKind::ThirdParty,
    }
}

/// Context in which rows of sources are shown.
#[derive(Debug, Clone, Copy)]
pub struct SourceContext<'a> {
    pub unit: SourceUnit,
    pub brands: &'a Brands,
    pub count: SourceCountRow,
    pub members: &'a Members<'a>,
    pub prompts: &'a HashMap<i64, &'a Prompt>,
}

impl SourceContext<'_> {
    /// Writes a source as the API shows it, without what is known of own pages.
    pub fn item(&self, row: SourceTotalsRow) -> SourceItem {
        // A site belongs to whom its name belongs to, a page to whom its own host does.
        let (name, kind) = match self.unit {
            SourceUnit::Site => (&row.site, kind_of(self.brands, "", &row.site)),
            SourceUnit::Page => (&row.url, kind_of(self.brands, &row.url, &row.site)),
        };
        let whole = |number: i64| u64::try_from(number).unwrap_or_default();
        SourceItem {
            kind,
            answers: whole(row.answers),
            citations: whole(row.citations),
            retrieved: whole(row.retrieved),
            share_pct: percent(whole(row.citations), whole(self.count.citations)),
            gap_answers: whole(row.gap_answers),
            prompt_ids: self.members.prompt_ids(name, self.prompts),
            providers: self.members.providers(name),
            first_date: date_of(row.first_day),
            last_date: date_of(row.last_day),
            own: None,
            domain: (self.unit == SourceUnit::Site).then_some(row.site),
            url: (self.unit == SourceUnit::Page).then_some(row.url),
        }
    }
}

/// Writes a search as the API shows it.
pub fn search_item(
    row: SearchTotalsRow,
    members: &Members<'_>,
    prompts: &HashMap<i64, &Prompt>,
    tracked: &HashSet<String>,
) -> SearchItem {
    let number = row.query.to_string();
    SearchItem {
        answers: u64::try_from(row.answers).unwrap_or_default(),
        named_in: u64::try_from(row.named_in).unwrap_or_default(),
        providers: members.providers(&number),
        prompt_ids: members.prompt_ids(&number, prompts),
        tracked: tracked.contains(&text_key(&row.text)),
        query: row.text,
    }
}
