//! Sources of a report: cited sites and pages, sites worth being named on, tone. Pure.

use std::collections::{BTreeMap, BTreeSet};

use assistants::analysis::SourceKind;
use assistants::statistics::{AnswerSums, percent};

use super::figures::if_any;
use super::payload::{CitationOpportunity, ReportSentiment, ReportSources, SourceShare};
use super::{ReportAnswer, ReportInput};

const MAX_SITES: usize = 100;
const MAX_OPPORTUNITIES: usize = 20;
const MAX_TOP_URLS: usize = 5;
/// Weights of a score, in percent: answers that miss the brand, and citations.
const GAP: f64 = 60.0;
const CITATIONS: f64 = 40.0;

/// Returns the owner of each cited site: own if any of its pages is, then a competitor's if any is.
pub(super) fn kinds_of_sites(input: &ReportInput) -> BTreeMap<&str, SourceKind> {
    let rank = |kind: SourceKind| match kind {
        SourceKind::Own => 2,
        SourceKind::Competitor => 1,
        SourceKind::ThirdParty => 0,
    };
    let mut kinds: BTreeMap<&str, SourceKind> = BTreeMap::new();
    for page in &input.pages {
        let kind = kinds.entry(&page.site).or_insert(page.kind);
        if rank(page.kind) > rank(*kind) {
            *kind = page.kind;
        }
    }
    kinds
}

/// Lists the answers of the window, overviews that were not shown excepted.
pub(super) fn window_answers(input: &ReportInput) -> impl Iterator<Item = &ReportAnswer> {
    input.answers.iter().filter(|answer| !answer.is_absent && input.is_in_window(answer.day))
}

/// Returns the name of an owner as it is shown.
fn kind_text(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Own => "own",
        SourceKind::Competitor => "competitor",
        SourceKind::ThirdParty => "third_party",
    }
}

pub(super) fn sources(input: &ReportInput, window: &AnswerSums) -> ReportSources {
    let kinds = kinds_of_sites(input);
    let mut responses: BTreeMap<&str, u64> = BTreeMap::new();
    for answer in window_answers(input) {
        let sites: BTreeSet<&str> = answer.sites.iter().map(String::as_str).collect();
        for site in sites {
            *responses.entry(site).or_default() += 1;
        }
    }
    let total = window.citations.total();
    let mut domains: Vec<SourceShare> = citations_by_site(input)
        .into_iter()
        .map(|(site, citations)| SourceShare {
            domain: site.to_owned(),
            kind: kind_text(kinds.get(site).copied().unwrap_or(SourceKind::ThirdParty)).to_owned(),
            responses: responses.get(site).copied().unwrap_or_default(),
            share_pct: percent(citations, total),
        })
        .collect();
    domains.sort_by(|a, b| {
        b.responses
            .cmp(&a.responses)
            .then(b.share_pct.total_cmp(&a.share_pct))
            .then_with(|| a.domain.cmp(&b.domain))
    });
    domains.truncate(MAX_SITES);
    ReportSources {
        total,
        own_pct: if_any(total, percent(window.citations.own, total)),
        competitor_pct: if_any(total, percent(window.citations.competitor, total)),
        third_party_pct: if_any(total, percent(window.citations.third_party, total)),
        domains,
        own_pages: input.own_pages.iter().map(|page| page.insight.clone()).collect(),
    }
}

fn citations_by_site(input: &ReportInput) -> BTreeMap<&str, u64> {
    let mut citations: BTreeMap<&str, u64> = BTreeMap::new();
    for page in input.pages.iter().filter(|page| page.citations > 0) {
        *citations.entry(&page.site).or_default() += page.citations;
    }
    citations
}

/// Facts about a site that answers cite which miss the brand.
#[derive(Default)]
struct Gap<'a> {
    responses: u64,
    prompts: BTreeSet<&'a str>,
    providers: BTreeSet<&'static str>,
    competitors: BTreeSet<&'a str>,
}

/// Lists the sites of third parties that answers cite which name a brand and not the own one.
pub(super) fn opportunities(input: &ReportInput) -> Vec<CitationOpportunity> {
    let kinds = kinds_of_sites(input);
    let citations = citations_by_site(input);
    let mut gaps: BTreeMap<&str, Gap<'_>> = BTreeMap::new();
    let mut gap_answers = 0;
    for answer in window_answers(input).filter(|a| a.position == 0 && !a.competitors.is_empty()) {
        gap_answers += 1;
        let sites: BTreeSet<&str> = answer.sites.iter().map(String::as_str).collect();
        for site in sites.into_iter().filter(|site| kinds.get(site) == Some(&SourceKind::ThirdParty)) {
            let gap = gaps.entry(site).or_default();
            gap.responses += 1;
            gap.prompts.insert(&answer.prompt);
            gap.providers.insert(answer.provider.as_str());
            gap.competitors.extend(answer.competitors.iter().map(String::as_str));
        }
    }
    let of = |site: &str| citations.get(site).copied().unwrap_or_default();
    let most = gaps.keys().map(|site| of(site)).max().unwrap_or_default();
    let owned = |texts: BTreeSet<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let mut all: Vec<CitationOpportunity> = gaps
        .into_iter()
        .map(|(site, gap)| {
            let part = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
            let score = GAP * part(gap.responses, gap_answers) + CITATIONS * part(of(site), most);
            CitationOpportunity {
                domain: site.to_owned(),
                gap_responses: gap.responses,
                citations: of(site),
                prompt_ids: owned(gap.prompts),
                providers: owned(gap.providers),
                top_urls: Vec::new(),
                competitors_seen: owned(gap.competitors),
                score: (score + 1e-9).round().clamp(0.0, 100.0) as u32,
            }
        })
        .collect();
    all.sort_by(|a, b| {
        b.score.cmp(&a.score).then(b.citations.cmp(&a.citations)).then_with(|| a.domain.cmp(&b.domain))
    });
    all.truncate(MAX_OPPORTUNITIES);
    for opportunity in &mut all {
        opportunity.top_urls = top_urls(input, &opportunity.domain);
    }
    all
}

fn top_urls(input: &ReportInput, site: &str) -> Vec<String> {
    let mut pages: Vec<_> =
        input.pages.iter().filter(|page| page.site == site && page.gap_citations > 0).collect();
    pages.sort_by(|a, b| b.gap_citations.cmp(&a.gap_citations).then_with(|| a.url.cmp(&b.url)));
    pages.into_iter().take(MAX_TOP_URLS).map(|page| page.url.clone()).collect()
}

pub(super) fn sentiment(input: &ReportInput, window: &AnswerSums) -> ReportSentiment {
    ReportSentiment {
        positive: window.positive,
        neutral: window.neutral,
        negative: window.negative,
        avg: if_any(window.sentiment_count, window.avg_sentiment()),
        negative_excerpts: input.excerpts.clone(),
    }
}
