//! Instants at which prompts are asked: slots of a period, spread by a phase of each prompt and provider. Pure.

use std::time::Duration;

use sha2::{Digest, Sha256};

use super::Level;
use crate::providers::Provider;

/// Period of a weekly prompt.
pub const WEEKLY: Duration = Duration::from_secs(7 * 86_400);
/// Period of a monthly prompt.
pub const MONTHLY: Duration = Duration::from_secs(30 * 86_400);

/// Delays after one, two, … errors in a row, in minutes.
const LADDER_MINUTES: [u64; 6] = [15, 30, 60, 120, 240, 480];

/// Returns the phase of a prompt and provider: spreads runs over a period without anything being stored.
pub fn phase(prompt_id: &str, provider: Provider) -> u64 {
    let digest = Sha256::digest(format!("{prompt_id}|{provider}"));
    u64::from_be_bytes(digest[..8].try_into().expect("a SHA-256 has 32 bytes"))
}

/// Returns when a dynamic prompt is due: the first slot at least half a period after the last attempt.
///
/// Slots are the instants `t ≡ phase (mod period)`, in seconds. Never asked: the first slot from `now_ms` on.
pub fn next_slot(level: Level, phase: u64, last_attempt_ms: Option<i64>, now_ms: i64) -> i64 {
    let period = millis(level.period());
    let earliest = last_attempt_ms.map_or(now_ms, |last| last.saturating_add(period / 2));
    let phase = (phase % level.period().as_secs()) as i64 * 1_000;
    let missing = (phase - earliest).rem_euclid(period);
    earliest.saturating_add(missing)
}

/// Returns when a weekly or monthly prompt is due: a period after its last answer, at once without one.
pub fn next_after_answer(period: Duration, last_ok_ms: Option<i64>, now_ms: i64) -> i64 {
    last_ok_ms.map_or(now_ms, |last| last.saturating_add(millis(period)))
}

/// Returns the delay until the next attempt after errors in a row: a ladder from 15 minutes to 8 hours, then the period.
/// Never longer than the period.
pub fn retry_delay(errors_in_a_row: u32, period: Duration) -> Duration {
    let step = (errors_in_a_row.max(1) - 1) as usize;
    let delay = LADDER_MINUTES.get(step).map_or(period, |minutes| Duration::from_secs(minutes * 60));
    delay.min(period)
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).expect("a period is at most a month")
}
