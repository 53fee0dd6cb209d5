//! Times at which prompts are asked: the next slot of a target, and who comes first when money is short. Pure.

use std::time::Duration;

use assistants::change::{Level, MONTHLY, WEEKLY, next_after_answer, next_slot, phase, retry_delay};

use super::model::{MonitorInterval, PromptTarget, RunReason};
use platform::clock::Timestamp;

/// Overdue slots are spread over so long, so that a downtime is not followed by a rush.
const SPREAD: Duration = Duration::from_secs(15 * 60);
/// A target that is due for longer was missed, by a downtime for instance.
const MISSED_AFTER: Duration = Duration::from_secs(5 * 60);
/// A slot that is older is not asked for any more: the run belongs to the present.
const OLDEST_SLOT: Duration = Duration::from_secs(24 * 3600);
/// Delay of a target that plan, settings, account or lock do not allow now, until they are looked at again.
pub const LOOK_AGAIN: Duration = Duration::from_secs(3600);
/// No target is due later than this. One that is was planned by a clock that was ahead.
pub const HORIZON: Duration = Duration::from_secs(32 * 24 * 3600);

/// Returns the time between two runs of a target.
pub fn period(interval: MonitorInterval, level: Level) -> Duration {
    match interval {
        MonitorInterval::Dynamic => level.period(),
        MonitorInterval::Weekly => WEEKLY,
        MonitorInterval::Monthly => MONTHLY,
    }
}

/// Returns the next slot of a target whose last run began or ended well.
pub fn next_due(target: &PromptTarget, interval: MonitorInterval, now: Timestamp) -> Timestamp {
    let last_ok = target.last_ok.map(Timestamp::as_millis);
    let millis = match interval {
        MonitorInterval::Dynamic => {
            let phase = phase(target.prompt.as_str(), target.provider);
            let last = target.last_attempt.map(Timestamp::as_millis);
            next_slot(target.dynamic.level, phase, last, now.as_millis())
        }
        MonitorInterval::Weekly => next_after_answer(WEEKLY, last_ok, now.as_millis()),
        MonitorInterval::Monthly => next_after_answer(MONTHLY, last_ok, now.as_millis()),
    };
    Timestamp::from_millis(millis)
}

/// Returns the next slot of a target whose run has just been queued. Its end will plan again.
pub fn due_while_asked(target: &PromptTarget, interval: MonitorInterval, now: Timestamp) -> Timestamp {
    match interval {
        MonitorInterval::Dynamic => next_due(target, interval, now),
        MonitorInterval::Weekly | MonitorInterval::Monthly => {
            now.plus(period(interval, target.dynamic.level))
        }
    }
}

/// Returns the next slot of a target whose run ended in an error: sooner than usual, by a ladder.
pub fn due_after_error(target: &PromptTarget, interval: MonitorInterval, now: Timestamp) -> Timestamp {
    now.plus(retry_delay(target.failures, period(interval, target.dynamic.level)))
}

/// Returns the slot of a run that is due, and the time before which the run is not asked.
///
/// All slots that were missed are one, the latest; after a downtime runs are spread over a quarter of an hour.
pub fn slot_of(
    target: &PromptTarget,
    interval: MonitorInterval,
    now: Timestamp,
) -> (Timestamp, Option<Timestamp>) {
    let due = target.next_due.unwrap_or(now);
    let late = now.since(due);
    if late < MISSED_AFTER {
        return (due, None);
    }
    let phase = phase(target.prompt.as_str(), target.provider);
    let spread = Duration::from_secs(phase % SPREAD.as_secs());
    let slot = match interval {
        MonitorInterval::Dynamic => {
            let period = i64::try_from(target.dynamic.level.period().as_millis()).unwrap_or(i64::MAX);
            let missed = (now.as_millis() - due.as_millis()).div_euclid(period);
            Timestamp::from_millis(due.as_millis() + missed * period)
        }
        MonitorInterval::Weekly | MonitorInterval::Monthly => due,
    };
    let slot = if now.since(slot) > OLDEST_SLOT { now } else { slot };
    (slot, Some(now.plus(spread)))
}

/// Ranks a run for when money is short: lower ranks are paid first.
///
/// Runs that somebody waits for come first; then wide intervals, which lose the most by waiting; then targets whose answers
/// change the most.
pub fn rank(reason: RunReason, interval: MonitorInterval, level: Level) -> (u8, u8) {
    match (reason, interval) {
        (RunReason::Create | RunReason::Manual | RunReason::Changed | RunReason::Activated, _) => (0, 0),
        (RunReason::Scheduled, MonitorInterval::Monthly) => (1, 0),
        (RunReason::Scheduled, MonitorInterval::Weekly) => (1, 1),
        (RunReason::Scheduled, MonitorInterval::Dynamic) => (2, level.number()),
    }
}

/// Returns a served model without the date of its version: models of one family are compared with each other.
pub fn model_family(model: &str) -> &str {
    let is_date =
        |part: &str| part.len() >= 4 && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let name = model.split('@').next().unwrap_or(model);
    let cut = name.match_indices('-').find(|(at, _)| is_date(&name[at + 1..]));
    cut.map_or(name, |(at, _)| &name[..at])
}

#[cfg(test)]
mod tests {
    use assistants::change::DynamicState;
    use assistants::providers::Provider;

    use super::*;
    use crate::model::PromptId;
    use crate::testing::*;
    use ::domains::DomainId;

    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn target(level: u8) -> PromptTarget {
        let mut target = PromptTarget::new(&PromptId::from("p"), Provider::Chatgpt, &DomainId::from("d"));
        target.dynamic = DynamicState { level: Level::new(level), ..DynamicState::default() };
        target
    }

    #[test]
    fn a_slot_is_at_least_half_a_period_after_the_last_attempt() {
        let target = PromptTarget { last_attempt: Some(NOON), ..target(2) };

        let due = next_due(&target, MonitorInterval::Dynamic, NOON);

        assert!(due >= NOON.plus(DAY / 2) && due < NOON.plus(DAY + DAY / 2), "{due}");
    }

    #[test]
    fn weekly_and_monthly_prompts_wait_a_period_after_a_success() {
        let target = PromptTarget { last_ok: Some(NOON), ..target(2) };

        assert_eq!(next_due(&target, MonitorInterval::Weekly, NOON), NOON.plus(DAY * 7));
        assert_eq!(next_due(&target, MonitorInterval::Monthly, NOON), NOON.plus(DAY * 30));
    }

    #[test]
    fn an_error_is_tried_again_sooner_and_then_like_everything() {
        let after = |failures| {
            let target = PromptTarget { failures, ..target(2) };
            due_after_error(&target, MonitorInterval::Dynamic, NOON).since(NOON).as_secs() / 60
        };

        assert_eq!([1, 2, 6, 7].map(after), [15, 30, 480, 24 * 60]);
    }

    #[test]
    fn a_slot_in_time_is_the_run_s_and_a_missed_one_is_the_latest() {
        let due = |ago| PromptTarget { next_due: Some(NOON.minus(ago)), ..target(2) };
        let slot = |target: &PromptTarget| slot_of(target, MonitorInterval::Dynamic, NOON);

        assert_eq!(slot(&due(Duration::from_secs(60))), (NOON.minus(Duration::from_secs(60)), None));
        let (missed, not_before) = slot(&due(DAY * 3 + DAY / 4));
        assert_eq!(missed, NOON.minus(DAY / 4));
        assert!(not_before.is_some_and(|time| time < NOON.plus(SPREAD)));
        let weekly = slot_of(&due(DAY * 3), MonitorInterval::Weekly, NOON);
        assert_eq!(weekly.0, NOON);
    }

    #[test]
    fn money_goes_to_people_then_to_wide_intervals_then_to_restless_answers() {
        use MonitorInterval::{Dynamic, Monthly, Weekly};
        let ranks = [
            rank(RunReason::Manual, Dynamic, Level::new(5)),
            rank(RunReason::Scheduled, Monthly, Level::new(2)),
            rank(RunReason::Scheduled, Weekly, Level::new(2)),
            rank(RunReason::Scheduled, Dynamic, Level::new(1)),
            rank(RunReason::Scheduled, Dynamic, Level::new(5)),
        ];

        assert!(ranks.is_sorted());
    }

    #[test]
    fn versions_of_a_model_are_one_family() {
        let same = ["gpt-6-luna", "gpt-6-luna-2026-09-01", "gpt-6-luna-20260901", "gpt-6-luna@20260901"];

        assert!(same.iter().all(|model| model_family(model) == "gpt-6-luna"));
        assert_eq!(model_family("claude-haiku-5-5"), "claude-haiku-5-5");
        assert_eq!(model_family(""), "");
    }
}
