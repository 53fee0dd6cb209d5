//! Detectors of actions about one prompt. Pure.

use std::collections::BTreeSet;

use assistants::statistics::AnswerSums;
use serde_json::json;

use super::super::TargetSums;
use super::super::insights::{named, sums_by_prompt};
use super::super::payload::{ActionKind, ChangeKind, ReportAction};
use super::super::sources::window_answers;
use super::{ActionFacts, action, prompt_text, title_of};

/// Rate below which an assistant misses the brand, and points that others have to be above it.
const MISSES: f64 = 30.0;
const GAP: f64 = 25.0;
/// Sample of a rate; a smaller one counts when the brand is named never and others are.
const SAMPLE: u64 = 5;
const SMALL_SAMPLE: u64 = 2;
/// Rate below which a prompt is dead.
const DEAD: f64 = 10.0;
/// Share of responses that name a brand, in tenths, below which a prompt tells little.
const INFORMATIVE_TENTHS: u64 = 3;
const UNINFORMATIVE_IMPACT: u32 = 25;
const MAX_SITES: usize = 10;

/// Finds assistants that name the brand far less than the others do on the same prompt.
pub(super) fn provider_gaps(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let answered = |target: &&TargetSums| {
        target.sums.responses > 0 && facts.prompts.iter().any(|p| p.prompt_id == target.prompt)
    };
    let targets: Vec<&TargetSums> = facts.input.targets.iter().filter(answered).collect();
    let mut actions = Vec::new();
    for target in &targets {
        let others: Vec<f64> = targets
            .iter()
            .filter(|other| other.prompt == target.prompt && other.provider != target.provider)
            .map(|other| rate(&other.sums))
            .collect();
        let sums = &target.sums;
        let competitors = named(sums);
        let is_sample = sums.responses >= SAMPLE
            || sums.responses >= SMALL_SAMPLE && sums.mentions == 0 && !competitors.is_empty();
        let Some(gap) = median(others).map(|median| median - rate(sums)).filter(|gap| *gap >= GAP) else {
            continue;
        };
        if rate(sums) >= MISSES || !is_sample {
            continue;
        }
        let of_prompt = facts.prompts.iter().find(|prompt| prompt.prompt_id == target.prompt);
        let share =
            of_prompt.map_or(0.0, |prompt| prompt.responses as f64) / facts.window.responses.max(1) as f64;
        let provider = target.provider.as_str();
        let text = prompt_text(facts, &target.prompt);
        let title = format!("{} skips you on “{text}”", title_of(provider));
        let detail = format!(
            "{} names you in {} of {} answers, {gap:.1} points less than the other assistants.",
            title_of(provider),
            sums.mentions,
            sums.responses
        );
        let found = action(
            ActionKind::ProviderGap,
            &[&target.prompt, provider],
            rounded(gap * share),
            (title, detail),
        );
        let found = found.with_prompt(&target.prompt).with_provider(provider).with_evidence([
            ("responses", json!(sums.responses)),
            ("mentions", json!(sums.mentions)),
            ("gapPoints", json!((gap * 10.0).round() / 10.0)),
            ("competitors", json!(competitors)),
        ]);
        actions.push(ReportAction { domains: cited_sites(facts, target), ..found });
    }
    actions
}

fn rounded(impact: f64) -> u32 {
    (impact + 1e-9).round().clamp(0.0, 100.0) as u32
}

/// Returns an exact rate in percent.
fn rate(sums: &AnswerSums) -> f64 {
    sums.mentions as f64 * 100.0 / sums.responses.max(1) as f64
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        _ if values.is_empty() => None,
        0 => Some(f64::midpoint(values[middle - 1], values[middle])),
        _ => Some(values[middle]),
    }
}

/// Lists sites that the answers of a target cite.
fn cited_sites(facts: &ActionFacts<'_>, target: &TargetSums) -> Vec<String> {
    let answers = window_answers(facts.input)
        .filter(|answer| answer.prompt == target.prompt && answer.provider == target.provider);
    let sites: BTreeSet<&String> = answers.flat_map(|answer| &answer.sites).collect();
    sites.into_iter().take(MAX_SITES).cloned().collect()
}

/// Finds prompts for which no assistant names the brand while they name others.
pub(super) fn dead_prompts(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let by_prompt = sums_by_prompt(facts.input);
    let mut actions = Vec::new();
    for prompt in facts.prompts {
        let Some(sums) = by_prompt.get(&*prompt.prompt_id) else { continue };
        let mut targets = facts.input.targets.iter().filter(|target| target.prompt == prompt.prompt_id);
        let is_dead = targets.all(|target| target.sums.responses == 0 || rate(&target.sums) < DEAD);
        if !is_dead || sums.responses < SAMPLE || named(sums).is_empty() {
            continue;
        }
        let impact = u32::try_from(100 - prompt.difficulty.max(0)).unwrap_or_default();
        let text = prompt_text(facts, &prompt.prompt_id);
        let title = format!("No assistant names you on “{text}”");
        let leader = prompt.top_competitor.as_deref().unwrap_or("Others");
        let detail = format!(
            "{} of {} answers name you; {leader} is named most. Difficulty {}.",
            sums.mentions, sums.responses, prompt.difficulty
        );
        let found = action(ActionKind::DeadPrompt, &[&prompt.prompt_id], impact, (title, detail));
        actions.push(found.with_prompt(&prompt.prompt_id).with_evidence([
            ("responses", json!(sums.responses)),
            ("mentions", json!(sums.mentions)),
            ("difficulty", json!(prompt.difficulty)),
            ("competitors", json!(named(sums))),
        ]));
    }
    actions
}

/// Finds prompts whose answers rarely name any brand.
pub(super) fn uninformative_prompts(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let by_prompt = sums_by_prompt(facts.input);
    let mut actions = Vec::new();
    for prompt in facts.prompts {
        let Some(sums) = by_prompt.get(&*prompt.prompt_id) else { continue };
        if sums.responses < SAMPLE || sums.informative * 10 >= sums.responses * INFORMATIVE_TENTHS {
            continue;
        }
        let title = format!("“{}” rarely brings up brands", prompt_text(facts, &prompt.prompt_id));
        let detail = format!(
            "{} of {} answers name a brand. Ask for products or companies to learn more.",
            sums.informative, sums.responses
        );
        let found = action(
            ActionKind::UninformativePrompt,
            &[&prompt.prompt_id],
            UNINFORMATIVE_IMPACT,
            (title, detail),
        );
        actions.push(
            found.with_prompt(&prompt.prompt_id).with_evidence([
                ("responses", json!(sums.responses)),
                ("informative", json!(sums.informative)),
            ]),
        );
    }
    actions
}

/// Turns confirmed changes of the brand's standing into actions.
pub(super) fn confirmed_changes(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let mut actions = Vec::new();
    for change in facts.changes.iter().filter(|change| change.confirmed) {
        let (kind, impact, what) = match change.kind {
            ChangeKind::Lost => (ActionKind::Lost, 60, "no longer names you"),
            ChangeKind::RankDown => (ActionKind::RankSlip, 45, "names you later"),
            ChangeKind::Gained => (ActionKind::Gained, 30, "names you now"),
            ChangeKind::RankUp | ChangeKind::NewCompetitor | ChangeKind::ModelChanged => continue,
        };
        let text = prompt_text(facts, &change.prompt_id);
        let title = format!("{} {what} on “{text}”", title_of(&change.provider));
        let place = |value: &serde_json::Value| match value.as_u64() {
            Some(0) | None => "not named".to_owned(),
            Some(rank) => format!("place {rank}"),
        };
        let detail = format!(
            "Since {}: {} before, {} after. The next answer agrees.",
            change.date,
            place(&change.from),
            place(&change.to)
        );
        let about = [&*change.prompt_id, &*change.provider, &*change.date];
        let found = action(kind, &about, impact, (title, detail));
        actions.push(found.with_prompt(&change.prompt_id).with_provider(&change.provider).with_evidence([
            ("date", json!(change.date)),
            ("from", change.from.clone()),
            ("to", change.to.clone()),
        ]));
    }
    actions
}
