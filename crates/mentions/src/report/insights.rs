//! Insights of a report: numbers of each assistant, prompt and competitor. Pure.

use std::collections::{BTreeMap, BTreeSet};

use assistants::analysis::CompetitorStatus;
use assistants::providers::Provider;
use assistants::statistics::{AnswerSums, difficulty, strength, top_competitors};

use super::ReportInput;
use super::figures::{if_any, pair, rounded, share_delta, verdict};
use super::payload::{CompetitorLandscape, CompetitorShare, PromptInsight, ProviderInsight};

/// Maximum number of listed competitors.
const MAX_COMPETITORS: usize = 50;
/// Minimum number of responses of the period before from which names count as new or gone.
const MIN_BEFORE: u64 = 5;
/// Failed runs that are a fifth of all runs or fewer are normal.
const NORMAL_SHARE: u64 = 5;

/// Decides whether a part is more than a fifth of a whole.
pub(super) fn is_over_a_fifth(part: u64, whole: u64) -> bool {
    part * NORMAL_SHARE > whole
}

/// Runs that are counted in sums.
pub(super) fn runs_of(sums: &AnswerSums) -> u64 {
    sums.responses + sums.absent_overviews + sums.errors
}

/// Lists the numbers of each assistant that was asked in the window, by its identifier.
pub(super) fn providers(input: &ReportInput) -> Vec<ProviderInsight> {
    let mut by_provider: BTreeMap<&str, (Provider, AnswerSums)> = BTreeMap::new();
    for day in input.days.iter().filter(|day| input.is_in_window(day.day)) {
        let entry = by_provider.entry(day.provider.as_str());
        entry.or_insert_with(|| (day.provider, AnswerSums::default())).1.merge(&day.sums);
    }
    let asked = by_provider.into_values().filter(|(_, sums)| runs_of(sums) > 0);
    asked.map(|(provider, sums)| provider_insight(input, provider, &sums)).collect()
}

fn provider_insight(input: &ReportInput, provider: Provider, sums: &AnswerSums) -> ProviderInsight {
    let health = if input.paused.contains(&provider) {
        "paused"
    } else if is_over_a_fifth(sums.errors, runs_of(sums)) {
        "failing"
    } else {
        "ok"
    };
    ProviderInsight {
        provider: provider.to_string(),
        responses: sums.responses,
        mentions: sums.mentions,
        visibility_percent: if_any(sums.responses, sums.visibility_percent()),
        ci: pair(sums.visibility_interval()),
        avg_position: if_any(sums.mentions, sums.avg_position()),
        avg_sentiment: if_any(sums.sentiment_count, sums.avg_sentiment()),
        citation_rate: if_any(sums.responses, sums.citation_rate()),
        share_of_voice: if_any(sums.voices(), sums.share_of_voice()),
        errors: sums.errors,
        absent_overviews: sums.absent_overviews,
        not_retrieved: sums.not_retrieved,
        served_models: input.models.get(&provider).into_iter().flatten().cloned().collect(),
        health: health.to_owned(),
        verdict: verdict(sums.responses),
    }
}

/// Adds up the targets of each prompt.
pub(super) fn sums_by_prompt(input: &ReportInput) -> BTreeMap<&str, AnswerSums> {
    let mut by_prompt: BTreeMap<&str, AnswerSums> = BTreeMap::new();
    for target in &input.targets {
        by_prompt.entry(&target.prompt).or_default().merge(&target.sums);
    }
    by_prompt
}

/// Lists the numbers of each prompt that was asked in the window, by its id.
pub(super) fn prompts(input: &ReportInput) -> Vec<PromptInsight> {
    let by_prompt = sums_by_prompt(input);
    let asked = |id: &str| by_prompt.get(id).filter(|sums| runs_of(sums) > 0);
    let mut insights: Vec<PromptInsight> = input
        .prompts
        .iter()
        .filter_map(|prompt| {
            let sums = asked(&prompt.id)?;
            let top = top_competitors(sums, |name| input.site_url(name)).into_iter().next();
            Some(PromptInsight {
                prompt_id: prompt.id.clone(),
                prompt_text: prompt.text.clone(),
                intent: prompt.intent.clone(),
                branded: prompt.is_branded,
                tags: prompt.tags.clone(),
                responses: sums.responses,
                mentions: sums.mentions,
                visibility_percent: if_any(sums.responses, sums.visibility_percent()),
                ci: pair(sums.visibility_interval()),
                avg_position: if_any(sums.mentions, sums.avg_position()),
                difficulty: difficulty(sums, |name| input.site_url(name).is_some()),
                top_competitor_share_pct: top.as_ref().map(|_| sums.top_competitor_share()),
                top_competitor: top.map(|top| top.name),
                level: prompt.level,
                change_ewma: prompt.change_ewma.map(|ewma| rounded(ewma, 3)),
            })
        })
        .collect();
    insights.sort_by(|a, b| a.prompt_id.cmp(&b.prompt_id));
    insights
}

/// Compares the competitors that the answers of the window name with those of the window before.
pub(super) fn landscape(
    input: &ReportInput,
    window: &AnswerSums,
    before: &AnswerSums,
) -> CompetitorLandscape {
    let mut competitors: Vec<CompetitorShare> =
        named(window).into_iter().map(|name| competitor_share(input, name, (window, before))).collect();
    competitors.sort_by(|a, b| {
        b.responses.cmp(&a.responses).then(b.strength.cmp(&a.strength)).then_with(|| a.name.cmp(&b.name))
    });
    competitors.truncate(MAX_COMPETITORS);
    let (now, then) = (named(window), named(before));
    let only = |these: &BTreeSet<&str>, those: &BTreeSet<&str>| -> Vec<String> {
        let names = these.difference(those).map(|name| (*name).to_owned());
        if before.responses < MIN_BEFORE { Vec::new() } else { names.collect() }
    };
    CompetitorLandscape {
        own_responses: window.mentions,
        own_share_pct: if_any(window.voices(), window.share_of_voice()),
        competitors,
        new_entrants: only(&now, &then),
        dropped_out: only(&then, &now),
    }
}

/// Returns the competitors that responses name.
pub(super) fn named(sums: &AnswerSums) -> BTreeSet<&str> {
    let named = sums.competitors.iter().filter(|(_, competitor)| competitor.responses > 0);
    named.map(|(name, _)| name.as_str()).collect()
}

fn competitor_share(
    input: &ReportInput,
    name: &str,
    (window, before): (&AnswerSums, &AnswerSums),
) -> CompetitorShare {
    let sums = window.competitors.get(name).copied().unwrap_or_default();
    let site_url = input.site_url(name);
    let status = input.competitors.iter().find(|competitor| competitor.name == name);
    let names = |target: &&super::TargetSums| {
        target.sums.competitors.get(name).is_some_and(|competitor| competitor.responses > 0)
    };
    let prompts: BTreeSet<&String> =
        input.targets.iter().filter(names).map(|target| &target.prompt).collect();
    CompetitorShare {
        name: name.to_owned(),
        status: match status.map(|competitor| competitor.status) {
            Some(CompetitorStatus::Tracked) => "tracked",
            _ => "discovered",
        }
        .to_owned(),
        responses: sums.responses,
        share_pct: window.competitor_share(name),
        strength: strength(window, name, site_url.is_some()),
        site_url: site_url.unwrap_or_default(),
        avg_position: if_any(sums.responses, sums.avg_position()),
        avg_sentiment: sums.avg_sentiment(),
        ahead_of_you: sums.ahead_of_own,
        prompt_ids: prompts.into_iter().cloned().collect(),
        delta_share_pct: share_delta(
            window.competitor_share(name),
            before.competitor_share(name),
            before.voices(),
        ),
    }
}
