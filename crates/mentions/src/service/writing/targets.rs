//! Targets after the end of a run: level, next slot, runs that wait for money. Pure.

use assistants::change::AnswerChange;
use assistants::statistics::CountedAnswer;

use crate::budgets::SpentBudgets;
use crate::model::{MonitorInterval, PostponedRuns, PromptTarget, RunReason};
use crate::schedule;
use platform::clock::Timestamp;

/// An answer to the same text before the one that ended.
pub struct EarlierAnswer {
    pub answer: CountedAnswer,
    /// Both are by models of one family.
    pub is_same_model: bool,
}

/// An answer that ended a run well.
pub struct EndedAnswer<'a> {
    pub answer: &'a CountedAnswer,
    /// The answer before; none: it is the first one to its text.
    pub earlier: Option<EarlierAnswer>,
    /// No later answer of the target is known.
    pub is_latest: bool,
    pub created_at: Timestamp,
}

/// Returns the target after an answer.
pub fn after_answer(
    mut target: PromptTarget,
    ended: &EndedAnswer<'_>,
    (interval, max_runs_per_day): (MonitorInterval, u32),
    now: Timestamp,
) -> PromptTarget {
    target.failures = 0;
    target.last_ok = target.last_ok.max(Some(ended.created_at));
    if ended.is_latest && !ended.answer.is_absent {
        if ended.earlier.as_ref().is_some_and(|earlier| !earlier.is_same_model) {
            // Answers of another model are no baseline: the smoothed change starts again.
            target.dynamic.samples = 0;
            target.dynamic.ewma = None;
        }
        let same = ended.earlier.as_ref().filter(|earlier| earlier.is_same_model);
        let change = same.map(|earlier| AnswerChange::between(&earlier.answer, ended.answer));
        target.dynamic = target.dynamic.after_answer(change, max_runs_per_day);
    }
    if target.next_due.is_some() && target.postponed.is_none() {
        target.next_due = Some(schedule::next_due(&target, interval, now));
    }
    target
}

/// Returns the target after a run that ended without an answer.
pub fn after_error(mut target: PromptTarget, interval: MonitorInterval, now: Timestamp) -> PromptTarget {
    target.failures = target.failures.saturating_add(1);
    if target.next_due.is_some() && target.postponed.is_none() {
        target.next_due = Some(schedule::due_after_error(&target, interval, now));
    }
    target
}

/// Returns the target after a run that nobody could pay.
pub fn after_refusal(mut target: PromptTarget, reason: RunReason, spent: &SpentBudgets) -> PromptTarget {
    if target.next_due.is_none() {
        return target;
    }
    let samples = target.postponed.map_or(0, |runs| runs.samples) + 1;
    let reason = match target.postponed {
        Some(earlier) if earlier.reason != RunReason::Scheduled => earlier.reason,
        _ => reason,
    };
    target.postponed = Some(PostponedRuns { reason, samples });
    target.next_due = Some(spent.resumes_at);
    target
}

/// Returns the target after a run that plan, settings, account or lock did not allow.
pub fn after_leaving_out(mut target: PromptTarget, now: Timestamp) -> PromptTarget {
    if target.next_due.is_some() {
        target.next_due = Some(now.plus(schedule::LOOK_AGAIN));
    }
    target
}
