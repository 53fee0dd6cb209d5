//! Detectors of actions about the brand as a whole, its sources, its competitors and the measurement itself. Pure.

use std::collections::BTreeSet;

use assistants::analysis::SourceKind;
use assistants::statistics::{AnswerSums, RateInterval};
use serde_json::{Value, json};

use super::super::insights::is_over_a_fifth;
use super::super::payload::{ActionKind, ActionSeverity, ChangeKind, ProviderInsight, ReportAction};
use super::super::sources::{kinds_of_sites, window_answers};
use super::{ActionFacts, action, title_of};

/// Rate from which an assistant names the brand, and below which the others do not.
const NAMES: f64 = 50.0;
const MISSES: f64 = 30.0;
/// Share of responses that cite the site, or name the brand, in percent.
const OFTEN: f64 = 30.0;
const RARELY: f64 = 10.0;
const NEGATIVE: f64 = -0.15;
const TONE_SAMPLE: u64 = 3;
/// Points of share of voice that a competitor has to gain.
const RISE: f64 = 10.0;
/// Score of a source that is worth an action.
const SCORE: u32 = 60;
const MAX_PAGES: usize = 5;
const MAX_QUOTES: usize = 3;
const MEASUREMENT_IMPACT: u32 = 80;

/// Finds out that one assistant alone names the brand.
pub(super) fn single_provider(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let rates: Vec<(&ProviderInsight, f64)> = facts
        .providers
        .iter()
        .filter_map(|provider| Some((provider, provider.visibility_percent?)))
        .collect();
    let strong: Vec<_> = rates.iter().filter(|(_, rate)| *rate >= NAMES).collect();
    let [(only, rate)] = strong[..] else { return Vec::new() };
    let others: Vec<_> = rates.iter().filter(|(provider, _)| provider.provider != only.provider).collect();
    if others.is_empty() || others.iter().any(|(_, rate)| *rate >= MISSES) {
        return Vec::new();
    }
    let name = title_of(&only.provider);
    let title = format!("Only {name} names you");
    let detail =
        format!("{name} names you in {rate}% of its answers, each other assistant in fewer than {MISSES}%.");
    let found = action(ActionKind::SingleProvider, &[&only.provider], 40, (title, detail));
    let rates: serde_json::Map<String, Value> =
        rates.iter().map(|(provider, rate)| (provider.provider.clone(), json!(rate))).collect();
    vec![found.with_provider(&only.provider).with_evidence([("visibilityPercent", Value::Object(rates))])]
}

/// Finds out that answers cite the site and do not name the brand.
pub(super) fn cited_not_named(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let kinds = kinds_of_sites(facts.input);
    let is_own = |site: &String| kinds.get(site.as_str()) == Some(&SourceKind::Own);
    let mut cited = 0;
    let mut named = 0;
    for answer in window_answers(facts.input).filter(|answer| answer.sites.iter().any(is_own)) {
        cited += 1;
        named += u64::from(answer.position > 0);
    }
    if cited == 0 || facts.window.citation_rate() < OFTEN || named * 2 >= cited {
        return Vec::new();
    }
    let title = "Answers use your pages and do not name you".to_owned();
    let detail = format!(
        "{named} of {cited} answers that cite your site name you. Say who you are on the cited pages."
    );
    let found = action(ActionKind::CitedNotNamed, &[], 50, (title, detail));
    vec![found.with_evidence([("citing", json!(cited)), ("citingAndNaming", json!(named))])]
}

/// Finds out that answers name the brand and do not cite the site.
pub(super) fn named_not_cited(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let window = facts.window;
    let is_case = window.responses > 0 && window.citations.total() > 0;
    if !is_case || window.visibility_percent() < OFTEN || window.citation_rate() >= RARELY {
        return Vec::new();
    }
    let title = "Answers name you and do not cite your pages".to_owned();
    let detail = format!(
        "{} of {} answers name you, {} cite your site. What they say of you comes from others.",
        window.mentions, window.responses, window.own_cited
    );
    let found = action(ActionKind::NamedNotCited, &[], 45, (title, detail));
    vec![found.with_evidence([("mentions", json!(window.mentions)), ("ownCited", json!(window.own_cited))])]
}

/// Finds out that answers speak badly of the brand: all of them together, else those of single assistants.
pub(super) fn negative_tone(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let quotes = |provider: Option<&str>| -> Vec<&str> {
        let excerpts = facts.input.excerpts.iter();
        let wanted = excerpts.filter(|excerpt| provider.is_none_or(|provider| excerpt.provider == provider));
        wanted.map(|excerpt| &*excerpt.quote).take(MAX_QUOTES).collect()
    };
    let window = facts.window;
    if window.sentiment_count >= TONE_SAMPLE && window.avg_sentiment() < NEGATIVE {
        let title = "Answers speak badly of you".to_owned();
        let detail =
            format!("Mean tone {:.2} in {} answers.", window.avg_sentiment(), window.sentiment_count);
        let found = action(ActionKind::NegativeTone, &[], 70, (title, detail));
        return vec![found.with_evidence([
            ("avgSentiment", json!(window.avg_sentiment())),
            ("mentions", json!(window.sentiment_count)),
            ("quotes", json!(quotes(None))),
        ])];
    }
    let mut actions = Vec::new();
    for provider in facts.providers.iter().filter(|provider| provider.mentions >= TONE_SAMPLE) {
        let Some(tone) = provider.avg_sentiment.filter(|tone| *tone < NEGATIVE) else { continue };
        let name = title_of(&provider.provider);
        let title = format!("{name} speaks badly of you");
        let detail = format!("Mean tone {tone:.2} in {} answers.", provider.mentions);
        let found = action(ActionKind::NegativeTone, &[&provider.provider], 70, (title, detail));
        actions.push(found.with_provider(&provider.provider).with_evidence([
            ("avgSentiment", json!(tone)),
            ("mentions", json!(provider.mentions)),
            ("quotes", json!(quotes(Some(&provider.provider)))),
        ]));
    }
    actions
}

/// Finds competitors whose share of voice rose beyond chance.
pub(super) fn rising_competitors(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let named = |sums: &AnswerSums, name: &str| sums.competitors.get(name).map_or(0, |c| c.responses);
    let mut actions = Vec::new();
    for name in facts.window.competitors.keys() {
        let [now, before] = [facts.window, facts.before].map(|sums| (named(sums, name), sums.voices()));
        let rise = facts.window.competitor_share(name) - facts.before.competitor_share(name);
        let intervals = RateInterval::wilson(now.0, now.1).zip(RateInterval::wilson(before.0, before.1));
        if rise + 1e-9 < RISE || !intervals.is_some_and(|(now, before)| now.differs_from(before)) {
            continue;
        }
        let title = format!("{name} is named more often");
        let detail = format!(
            "Share of voice {}%, {}% in the seven days before.",
            facts.window.competitor_share(name),
            facts.before.competitor_share(name)
        );
        let found = action(ActionKind::CompetitorRising, &[name], 55, (title, detail));
        actions.push(found.with_evidence([
            ("competitor", json!(name)),
            ("sharePct", json!(facts.window.competitor_share(name))),
            ("previousSharePct", json!(facts.before.competitor_share(name))),
        ]));
    }
    actions
}

/// Names the source that is most worth being named on.
pub(super) fn source_opportunity(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let Some(top) = facts.opportunities.first().filter(|top| top.score >= SCORE) else { return Vec::new() };
    let title = format!("Get named on {}", top.domain);
    let detail = format!(
        "{} answers that name others and not you cite {}; {} citations in all.",
        top.gap_responses, top.domain, top.citations
    );
    let found = action(ActionKind::SourceOpportunity, &[&top.domain], top.score, (title, detail));
    let found = found.with_evidence([
        ("gapResponses", json!(top.gap_responses)),
        ("citations", json!(top.citations)),
        ("topUrls", json!(top.top_urls)),
        ("competitorsSeen", json!(top.competitors_seen)),
    ]);
    vec![ReportAction {
        prompt_ids: top.prompt_ids.clone(),
        providers: top.providers.clone(),
        domains: vec![top.domain.clone()],
        ..found
    }]
}

/// Finds cited own pages that have errors, or that no crawler of an assistant visits.
pub(super) fn unvisited_pages(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let mut actions = Vec::new();
    for page in &facts.input.own_pages {
        let has_errors = page.errors.is_some_and(|errors| errors > 0);
        let is_unvisited = page.is_crawling_known && page.insight.last_crawl_by_ai_bots.is_none();
        let url = &page.insight.url;
        let detail = match (has_errors, is_unvisited) {
            (true, _) => format!("Answers cite {url}, which has errors in the latest audit."),
            (false, true) => {
                format!("Answers cite {url}, which no crawler of an assistant fetched in 30 days.")
            }
            (false, false) => continue,
        };
        let found =
            action(ActionKind::NotIndexedPage, &[url], 35, ("A cited page needs care".to_owned(), detail));
        actions.push(found.with_evidence([
            ("url", json!(url)),
            ("citations", json!(page.insight.citations)),
            ("errors", json!(page.errors)),
            ("lastCrawlByAiBots", json!(page.insight.last_crawl_by_ai_bots)),
        ]));
    }
    actions.truncate(MAX_PAGES);
    actions
}

/// Finds assistants whose numbers are in doubt.
pub(super) fn measurement(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let mut actions = Vec::new();
    for provider in facts.providers {
        let name = title_of(&provider.provider);
        let runs = provider.responses + provider.absent_overviews + provider.errors;
        let mut add =
            |what: &str, severity, (title, detail): (String, String), evidence: [(&str, Value); 2]| {
                let about = [what, &*provider.provider];
                let found = action(ActionKind::Measurement, &about, MEASUREMENT_IMPACT, (title, detail));
                let found = found.with_provider(&provider.provider).with_evidence(evidence);
                actions.push(ReportAction { severity, ..found });
            };
        if is_over_a_fifth(provider.errors, runs) {
            let words = (
                format!("Many runs of {name} failed"),
                format!("{} of {runs} runs ended without an answer.", provider.errors),
            );
            let evidence = [("errors", json!(provider.errors)), ("runs", json!(runs))];
            add("errors", ActionSeverity::High, words, evidence);
        }
        if is_over_a_fifth(provider.not_retrieved, provider.responses) {
            let words = (
                format!("{name} often answers without searching"),
                format!("{} of {} answers used no search.", provider.not_retrieved, provider.responses),
            );
            let evidence =
                [("notRetrieved", json!(provider.not_retrieved)), ("responses", json!(provider.responses))];
            add("not_retrieved", ActionSeverity::Medium, words, evidence);
        }
        if provider.health == "paused" {
            let words = (
                format!("{name} is not asked at present"),
                "Its requests fail, so they are held back for a while.".to_owned(),
            );
            let evidence = [("errors", json!(provider.errors)), ("runs", json!(runs))];
            add("paused", ActionSeverity::High, words, evidence);
        }
    }
    actions
}

/// Names assistants that answer with another model than before.
pub(super) fn changed_models(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let confirmed =
        facts.changes.iter().filter(|change| change.kind == ChangeKind::ModelChanged && change.confirmed);
    let models: BTreeSet<(&str, String, String)> = confirmed
        .map(|change| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (&*change.provider, text(&change.from), text(&change.to))
        })
        .collect();
    let mut actions = Vec::new();
    for (provider, from, to) in models {
        let title = format!("{} answers with another model", title_of(provider));
        let detail = format!("{to} in place of {from}: numbers before and after compare two models.");
        let found =
            action(ActionKind::Measurement, &["model", provider, &to], MEASUREMENT_IMPACT, (title, detail));
        let found = found.with_provider(provider).with_evidence([("from", json!(from)), ("to", json!(to))]);
        actions.push(ReportAction { severity: ActionSeverity::Low, ..found });
    }
    actions
}
