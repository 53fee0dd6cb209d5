//! Changes between the answers of a prompt and assistant that follow each other, and whether the next one agrees. Pure.
//! Days on which an assistant's numbers are in doubt are left out, so that an outage is never a change.
//! See docs/decisions/0394.

use std::collections::{BTreeMap, BTreeSet};

use assistants::providers::Provider;
use assistants::statistics::AnswerSums;
use serde_json::Value;

use super::figures::date_text;
use super::insights::{is_over_a_fifth, runs_of};
use super::payload::{ChangeKind, ReportChange};
use super::{DaySums, ReportAnswer, ReportInput, WINDOW_DAYS};
use crate::model::UtcDay;
use crate::schedule::model_family;

/// Ranks by which a position has to move.
const MIN_RANKS: u32 = 2;
/// Minimum number of responses of the window before from which a name counts as new.
const MIN_BEFORE: u64 = 5;

/// Decides whether an assistant's numbers of a day are in doubt: more than a fifth of its runs failed, or it did not search
/// for more than a fifth of its answers.
pub fn is_in_doubt(sums: &AnswerSums) -> bool {
    is_over_a_fifth(sums.errors, runs_of(sums)) || is_over_a_fifth(sums.not_retrieved, sums.responses)
}

/// Lists the assistants whose numbers of a day are in doubt.
pub fn providers_in_doubt(days: &[DaySums], day: UtcDay) -> BTreeSet<Provider> {
    let mut by_provider: BTreeMap<Provider, AnswerSums> = BTreeMap::new();
    for row in days.iter().filter(|row| row.day == day) {
        by_provider.entry(row.provider).or_default().merge(&row.sums);
    }
    by_provider.into_iter().filter(|(_, sums)| is_in_doubt(sums)).map(|(provider, _)| provider).collect()
}

/// Lists the changes of the window, oldest first.
pub(super) fn find(input: &ReportInput) -> Vec<ReportChange> {
    let mut doubts: BTreeMap<UtcDay, BTreeSet<Provider>> = BTreeMap::new();
    for day in input.days.iter().map(|row| row.day) {
        doubts.entry(day).or_insert_with(|| providers_in_doubt(&input.days, day));
    }
    let is_sound = |answer: &&ReportAnswer| {
        !answer.is_absent && !doubts.get(&answer.day).is_some_and(|out| out.contains(&answer.provider))
    };
    let mut by_target: BTreeMap<(&str, &str), Vec<&ReportAnswer>> = BTreeMap::new();
    for answer in input.answers.iter().filter(is_sound) {
        by_target.entry((&answer.prompt, answer.provider.as_str())).or_default().push(answer);
    }
    let mut changes: Vec<ReportChange> = Vec::new();
    for answers in by_target.values_mut() {
        answers.sort_by_key(|answer| answer.order);
        for at in 1..answers.len() {
            let after = answers[at];
            if input.is_in_window(after.day) {
                let next = answers.get(at + 1).copied().filter(|next| is_comparable(after, next));
                changes.extend(between(answers[at - 1], after, next));
            }
        }
    }
    changes.extend(new_competitors(input, &by_target));
    changes.sort_by(|a, b| key(a).cmp(&key(b)));
    changes
}

fn key(change: &ReportChange) -> (&str, &str, &str, &str, String, bool) {
    let ReportChange { kind, prompt_id, provider, date, to, confirmed, .. } = change;
    (date, prompt_id, provider, kind.as_str(), to.to_string(), *confirmed)
}

/// Decides whether two answers are to the same text.
fn is_comparable(before: &ReportAnswer, after: &ReportAnswer) -> bool {
    before.revision == after.revision
}

fn is_same_model(before: &ReportAnswer, after: &ReportAnswer) -> bool {
    model_family(&before.served_model) == model_family(&after.served_model)
}

/// Compares two answers that follow each other.
fn between(before: &ReportAnswer, after: &ReportAnswer, next: Option<&ReportAnswer>) -> Option<ReportChange> {
    if !is_comparable(before, after) {
        return None;
    }
    let change = |kind, from: Value, to: Value, confirmed| ReportChange {
        kind,
        prompt_id: after.prompt.clone(),
        provider: after.provider.to_string(),
        date: date_text(after.day),
        from,
        to,
        confirmed,
    };
    if !is_same_model(before, after) {
        // Answers of another model are no change of the brand's standing.
        let is_known = !before.served_model.is_empty() && !after.served_model.is_empty();
        let confirmed = next.is_some_and(|next| is_same_model(after, next));
        let [from, to] = [before, after].map(|answer| Value::from(model_family(&answer.served_model)));
        return is_known.then(|| change(ChangeKind::ModelChanged, from, to, confirmed));
    }
    let (from, to) = (before.position, after.position);
    let kind = match (from, to) {
        (0, 0) => return None,
        (0, _) => ChangeKind::Gained,
        (_, 0) => ChangeKind::Lost,
        _ if to + MIN_RANKS <= from => ChangeKind::RankUp,
        _ if from + MIN_RANKS <= to => ChangeKind::RankDown,
        _ => return None,
    };
    let next = next.filter(|next| is_same_model(after, next)).map(|next| next.position);
    let confirmed = next.is_some_and(|next| match kind {
        ChangeKind::Gained => next > 0,
        ChangeKind::Lost => next == 0,
        ChangeKind::RankUp => next > 0 && next + MIN_RANKS <= from,
        _ => next == 0 || from + MIN_RANKS <= next,
    });
    Some(change(kind, from.into(), to.into(), confirmed))
}

/// Finds the first sound answer that names a competitor which the window before did not name.
fn new_competitors(
    input: &ReportInput,
    by_target: &BTreeMap<(&str, &str), Vec<&ReportAnswer>>,
) -> Vec<ReportChange> {
    if input.window_before().responses < MIN_BEFORE {
        return Vec::new();
    }
    let before = input.first_day() - WINDOW_DAYS..input.first_day();
    let known: BTreeSet<&str> = input
        .answers
        .iter()
        .filter(|answer| before.contains(&answer.day))
        .flat_map(|answer| answer.competitors.iter().map(String::as_str))
        .collect();
    let mut first: BTreeMap<&str, (&ReportAnswer, Option<&ReportAnswer>)> = BTreeMap::new();
    for answers in by_target.values() {
        for (at, answer) in answers.iter().enumerate().filter(|(_, answer)| input.is_in_window(answer.day)) {
            let next = answers.get(at + 1).copied().filter(|next| is_comparable(answer, next));
            for name in answer.competitors.iter().map(String::as_str).filter(|name| !known.contains(name)) {
                let place = |answer: &ReportAnswer| (answer.order, answer.prompt.clone(), answer.provider);
                let is_first = first.get(name).is_none_or(|(found, _)| place(answer) < place(found));
                if is_first {
                    first.insert(name, (answer, next));
                }
            }
        }
    }
    let changes = first.into_iter().map(|(name, (answer, next))| ReportChange {
        kind: ChangeKind::NewCompetitor,
        prompt_id: answer.prompt.clone(),
        provider: answer.provider.to_string(),
        date: date_text(answer.day),
        from: Value::Null,
        to: Value::from(name),
        confirmed: next.is_some_and(|next| next.competitors.iter().any(|other| other == name)),
    });
    changes.collect()
}
