//! How much of a lane may run: its room, its rate, its rests. Pure but for the monotonic clock that rates are counted by.
//! Used by the worker. Must never let a lane that rests or is full hold up another one: claims leave it out beforehand.
//! See docs/decisions/0053.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Timestamp;
use crate::jobs::model::{HORIZON, backoff};
use crate::jobs::queries::TroubledLane;

/// Rest of a lane after its first failure; doubles with every further one in a row.
const FIRST_REST: Duration = Duration::from_secs(60);
const LONGEST_REST: Duration = Duration::from_secs(3600);
/// Shortest rest, whatever a server says: `Retry-After: 0` must not become a hammer.
const SHORTEST_REST: Duration = Duration::from_secs(1);
/// Longest rest that a server may ask for.
const LONGEST_ASKED_REST: Duration = Duration::from_secs(24 * 3600);
/// Nobody gives up on a lane before so many failures in a row, however late a clock says it is.
const LEAST_FAILURES: i64 = 3;
const SECOND: Duration = Duration::from_secs(1);

/// How much of one lane runs at a time.
#[derive(Debug, Clone, Copy)]
pub struct LaneLimits {
    /// Jobs at once, over all processes.
    pub at_once: usize,
    /// Jobs begun per second; processes that have work share it equally.
    pub per_second: u32,
}

/// How many jobs of each lane this process began in the current second.
#[derive(Default)]
pub(super) struct LaneRates(HashMap<String, (Instant, u32)>);

impl LaneRates {
    /// Counts a job that was begun.
    pub fn note_start(&mut self, lane: &str) {
        if self.0.len() > 1000 {
            self.0.retain(|_, (since, _)| since.elapsed() < SECOND);
        }
        let start = self.0.entry(lane.to_owned()).or_insert((Instant::now(), 0));
        if start.0.elapsed() >= SECOND {
            *start = (Instant::now(), 0);
        }
        start.1 += 1;
    }

    /// When the first lane that is at its rate may go on.
    pub fn until_one_opens(&self, per_second: u32) -> Option<Duration> {
        let full = self.0.values().filter(|(_, count)| *count >= per_second);
        let waits = full.map(|(since, _)| SECOND.saturating_sub(since.elapsed()));
        waits.filter(|wait| !wait.is_zero()).min().map(|wait| wait + Duration::from_millis(5))
    }

    fn this_second(&self) -> HashMap<String, u32> {
        let current = self.0.iter().filter(|(_, (since, _))| since.elapsed() < SECOND);
        current.map(|(lane, (_, count))| (lane.clone(), *count)).collect()
    }
}

/// How much room lanes have, during one claim.
pub(super) struct LaneRoom {
    room: HashMap<String, i64>,
    begun: HashMap<String, u32>,
    /// The rest that each lane in trouble had last, by its id.
    rests: HashMap<String, String>,
    at_once: i64,
    per_second: u32,
}

impl LaneRoom {
    /// What is left when so many jobs of each lane run already, in all processes.
    pub fn new(
        limits: LaneLimits,
        running: HashMap<String, i64>,
        troubled: Vec<TroubledLane>,
        rates: &LaneRates,
        now: Timestamp,
    ) -> LaneRoom {
        let at_once = i64::try_from(limits.at_once.max(1)).unwrap_or(i64::MAX);
        // After a rest one job finds out whether the trouble is over.
        let of_troubled = |lane: &TroubledLane| match running.get(&lane.lane) {
            _ if rests(lane, now) => 0,
            under_way => 1 - under_way.unwrap_or(&0),
        };
        let troubled_room: Vec<_> =
            troubled.iter().map(|lane| (lane.lane.clone(), of_troubled(lane))).collect();
        let mut room: HashMap<String, i64> =
            running.into_iter().map(|(lane, running)| (lane, at_once - running)).collect();
        room.extend(troubled_room);
        let rests = troubled.into_iter().map(|lane| (lane.lane, lane.rest_id)).collect();
        LaneRoom { room, begun: rates.this_second(), rests, at_once, per_second: limits.per_second.max(1) }
    }

    /// Lanes of which nothing may be begun now.
    pub fn closed(&self) -> Vec<String> {
        let full = self.room.iter().filter(|(_, room)| **room <= 0).map(|(lane, _)| lane);
        let fast = self.begun.iter().filter(|(_, begun)| **begun >= self.per_second).map(|(lane, _)| lane);
        let mut closed: Vec<String> = full.chain(fast).cloned().collect();
        closed.sort();
        closed.dedup();
        closed
    }

    /// Takes a place in a lane; false when it has none.
    pub fn take(&mut self, lane: &str) -> bool {
        let room = self.room.entry(lane.to_owned()).or_insert(self.at_once);
        let begun = self.begun.entry(lane.to_owned()).or_insert(0);
        if *room <= 0 || *begun >= self.per_second {
            return false;
        }
        *room -= 1;
        *begun += 1;
        true
    }

    /// The rest that a success of a job begun now would end.
    pub fn rest_of(&self, lane: &str) -> Option<String> {
        self.rests.get(lane).cloned()
    }
}

/// Whether a lane rests. A rest that is too far away was written by a clock that was wrong.
fn rests(lane: &TroubledLane, now: Timestamp) -> bool {
    let until = Timestamp::from_millis(lane.rest_until);
    until > now && until <= now.plus(HORIZON)
}

/// What a lane is after one more failure, which may have asked for a rest of this length. `None`: nothing new.
///
/// Jobs that were under way when the lane was put to rest fail too; they only ever make the rest longer.
pub(super) fn after_failure(
    lane: &str,
    before: Option<&TroubledLane>,
    asked: Option<Duration>,
    now: Timestamp,
    random: f64,
) -> Option<TroubledLane> {
    let is_resting = before.is_some_and(|lane| rests(lane, now));
    let failures = before.map_or(0, |lane| lane.failures) + i64::from(!is_resting);
    let attempt = u32::try_from(failures).unwrap_or(u32::MAX);
    let rest = match asked {
        Some(asked) => asked.clamp(SHORTEST_REST, LONGEST_ASKED_REST),
        // From half to one: a rest is never much shorter than it should be.
        None => backoff(attempt, FIRST_REST, LONGEST_REST, 0.5 + random / 2.0),
    };
    let until = now.plus(rest);
    if is_resting && before.is_some_and(|lane| until.as_millis() <= lane.rest_until) {
        return None;
    }
    Some(TroubledLane {
        lane: lane.to_owned(),
        failures,
        rest_until: until.as_millis(),
        rest_id: uuid::Uuid::now_v7().to_string(),
        troubled_since: before.map_or(now.as_millis(), |lane| lane.troubled_since.min(now.as_millis())),
    })
}

/// Whether work that has this much patience gives up on a lane.
pub(super) fn is_given_up(lane: &TroubledLane, patience: Duration, now: Timestamp) -> bool {
    lane.failures >= LEAST_FAILURES && now.since(Timestamp::from_millis(lane.troubled_since)) >= patience
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);
    const LIMITS: LaneLimits = LaneLimits { at_once: 2, per_second: 100 };

    fn troubled(lane: &str, rest_until: Timestamp) -> TroubledLane {
        TroubledLane {
            lane: lane.to_owned(),
            failures: 1,
            rest_until: rest_until.as_millis(),
            rest_id: "r1".to_owned(),
            troubled_since: NOON.as_millis(),
        }
    }

    #[test]
    fn every_lane_that_rests_or_is_full_is_closed_before_a_claim_looks() {
        let running = HashMap::from([("full".to_owned(), 2), ("half".to_owned(), 1)]);
        let rested = troubled("rested", NOON.minus(SECOND));
        let lanes = vec![troubled("a", NOON.plus(SECOND)), troubled("b", NOON.plus(SECOND)), rested];

        let room = LaneRoom::new(LIMITS, running, lanes, &LaneRates::default(), NOON);

        assert_eq!(room.closed(), ["a", "b", "full"]);
    }

    #[test]
    fn a_lane_that_has_rested_has_room_for_one_job_until_one_ends_well() {
        let lanes = || vec![troubled("rested", NOON.minus(SECOND)), troubled("asked", NOON.minus(SECOND))];
        let running = HashMap::from([("asked".to_owned(), 1)]);

        let mut room = LaneRoom::new(LIMITS, running, lanes(), &LaneRates::default(), NOON);

        assert_eq!(room.closed(), ["asked"]);
        assert!(room.take("rested") && !room.take("rested"));
    }

    #[test]
    fn a_lane_that_began_its_share_of_this_second_is_closed() {
        let mut rates = LaneRates::default();
        (0..100).for_each(|_| rates.note_start("fast"));

        let room = LaneRoom::new(LIMITS, HashMap::new(), Vec::new(), &rates, NOON);

        assert_eq!(room.closed(), ["fast"]);
        assert!(rates.until_one_opens(100).is_some());
    }

    #[test]
    fn a_server_is_obeyed_between_a_second_and_a_day() {
        let rest = |asked: u64| {
            let lane = after_failure("l", None, Some(Duration::from_secs(asked)), NOON, 0.0).unwrap();
            Timestamp::from_millis(lane.rest_until).since(NOON).as_secs()
        };

        assert_eq!([0, 1, 90, 86_400, u64::from(u32::MAX)].map(rest), [1, 1, 90, 86_400, 86_400]);
    }

    #[test]
    fn a_rest_without_a_word_of_the_server_doubles_to_an_hour() {
        let mut before: Option<TroubledLane> = None;
        let mut minutes = Vec::new();
        let mut now = NOON;
        for _ in 0..8 {
            let lane = after_failure("l", before.as_ref(), None, now, 1.0).unwrap();
            let until = Timestamp::from_millis(lane.rest_until);
            minutes.push(until.since(now).as_secs() / 60);
            now = until;
            before = Some(lane);
        }

        assert_eq!(minutes, [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn failures_of_jobs_that_were_under_way_change_a_rest_only_when_they_ask_for_more() {
        let resting = troubled("l", NOON.plus(Duration::from_secs(60)));
        let after = |asked| after_failure("l", Some(&resting), Some(Duration::from_secs(asked)), NOON, 0.0);

        assert!(after(30).is_none());
        let longer = after(90).expect("a longer rest");
        assert_eq!(longer.failures, 1);
        assert_ne!(longer.rest_id, resting.rest_id);
    }

    #[test]
    fn giving_up_takes_time_and_not_only_failures() {
        let hour = Duration::from_secs(3600);
        let lane = TroubledLane { failures: 500, ..troubled("l", NOON) };

        assert!(!is_given_up(&lane, hour * 6, NOON.plus(hour * 5)));
        assert!(is_given_up(&lane, hour * 6, NOON.plus(hour * 6)));
        // A clock that jumped a year ahead after the first failure.
        let fresh = TroubledLane { failures: 1, ..lane };
        assert!(!is_given_up(&fresh, hour * 6, NOON.plus(hour * 24 * 365)));
    }
}
