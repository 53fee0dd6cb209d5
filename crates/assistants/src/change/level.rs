//! Levels of the dynamic interval: from every six hours to every fourth day, moved by how much answers change. Pure.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::AnswerChange;

const HOUR: Duration = Duration::from_secs(3_600);

/// Answers after which the level moves.
const MIN_SAMPLES: u32 = 3;
/// Smoothed change from which a prompt is asked more often.
const RESTLESS: f64 = 0.35;
/// Smoothed change below which a prompt counts as calm. Citations alone change by 0.12 to 0.14 between equal answers.
const CALM: f64 = 0.22;
/// Calm answers in a row after which a prompt is asked less often.
const CALM_ANSWERS: u32 = 2;
/// Weight of the newest change in the smoothed one.
const NEWEST: f64 = 0.5;

/// Interval of a dynamic prompt, from 0 (six hours) to 5 (four days).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Level(u8);

impl Level {
    /// Level of a prompt without history: daily.
    pub const START: Level = Level(2);
    const LAST: Level = Level(5);
    /// Level below which a changed mention puts a prompt: twice a day.
    const AFTER_FLIP: Level = Level(1);

    /// Returns the level of a number; numbers over 5 are 5.
    pub fn new(number: u8) -> Level {
        Level(number).min(Level::LAST)
    }

    pub fn number(self) -> u8 {
        self.0
    }

    /// Returns the time between two runs.
    pub fn period(self) -> Duration {
        HOUR * match self.0 {
            0 => 6,
            1 => 12,
            2 => 24,
            3 => 48,
            4 => 72,
            _ => 96,
        }
    }

    /// Returns the lowest level that keeps to a number of runs a day.
    pub fn floor(max_runs_per_day: u32) -> Level {
        match max_runs_per_day {
            0 | 1 => Level(2),
            2 | 3 => Level(1),
            _ => Level(0),
        }
    }
}

/// State of a dynamic prompt and provider.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DynamicState {
    pub level: Level,
    /// Calm answers in a row.
    pub calm: u32,
    /// Answers since the prompt, its location or the model changed.
    pub samples: u32,
    /// Smoothed change; none before the second answer.
    pub ewma: Option<f64>,
}

impl Default for DynamicState {
    fn default() -> Self {
        DynamicState { level: Level::START, calm: 0, samples: 0, ewma: None }
    }
}

impl DynamicState {
    /// Returns the state after an answer. `change` is none for the first answer to a text by a model.
    #[must_use]
    pub fn after_answer(self, change: Option<AnswerChange>, max_runs_per_day: u32) -> DynamicState {
        let floor = Level::floor(max_runs_per_day);
        let mut next = DynamicState { samples: self.samples.saturating_add(1), ..self };
        if let Some(change) = change {
            let smoothed = |before: f64| NEWEST * change.score + (1.0 - NEWEST) * before;
            next.ewma = Some(self.ewma.map_or(change.score, smoothed));
        }
        let (Some(change), Some(ewma), true) = (change, next.ewma, next.samples >= MIN_SAMPLES) else {
            next.level = next.level.max(floor);
            return next;
        };
        if change.has_flipped {
            next.level = next.level.min(Level::AFTER_FLIP);
            next.calm = 0;
        } else if ewma >= RESTLESS {
            next.level = Level(next.level.0.saturating_sub(1));
            next.calm = 0;
        } else if ewma < CALM {
            next.calm += 1;
            if next.calm >= CALM_ANSWERS {
                next.level = Level::new(next.level.0 + 1);
                next.calm = 0;
            }
        } else {
            next.calm = 0;
        }
        next.level = next.level.max(floor);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(score: f64) -> Option<AnswerChange> {
        Some(AnswerChange { score, has_flipped: false })
    }

    fn after(changes: &[Option<AnswerChange>], max_runs_per_day: u32) -> DynamicState {
        changes
            .iter()
            .fold(DynamicState::default(), |state, change| state.after_answer(*change, max_runs_per_day))
    }

    #[test]
    fn a_level_moves_after_three_answers() {
        let calm = change(0.1);

        assert_eq!(after(&[None, calm], 2).level, Level::START);
        assert_eq!(
            after(&[None, calm, calm], 2),
            DynamicState { level: Level::START, calm: 1, samples: 3, ewma: Some(0.1) }
        );
        assert_eq!(after(&[None, calm, calm, calm], 2).level, Level::new(3));
    }

    #[test]
    fn a_changed_mention_asks_twice_a_day_at_once() {
        let calm = change(0.0);
        let flip = Some(AnswerChange { score: 0.4, has_flipped: true });
        let long_calm = [None, calm, calm, calm, calm, calm, calm, calm, calm];

        let before = after(&long_calm, 2);
        let flipped = before.after_answer(flip, 2);

        assert_eq!((before.level, flipped.level, flipped.calm), (Level::new(5), Level::new(1), 0));
    }

    #[test]
    fn restless_answers_are_asked_for_more_often_down_to_the_limit() {
        let restless = [None, change(0.5), change(0.5), change(0.5), change(0.5)];

        assert_eq!([1, 2, 3, 4].map(|most| after(&restless, most).level.number()), [2, 1, 1, 0]);
        assert_eq!(after(&[None, change(0.3), change(0.3), change(0.3)], 4).level, Level::START);
    }

    #[test]
    fn changes_are_smoothed() {
        assert_eq!(after(&[None, change(0.4), change(0.2)], 2).ewma, Some(0.30000000000000004));
    }
}
