//! Limits of lanes: concurrency, rate, cooldowns. Pure except for the monotonic clock of the rates.
//! Used by the worker. Must never let a lane that is full or in a cooldown hold up another one: claims leave it out
//! beforehand.
//! See docs/decisions/0053.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Timestamp;
use crate::jobs::model::{HORIZON, backoff};
use crate::jobs::queries::{LaneRate, TroubledLane};

/// Rest of a lane after its first failure; doubles with every further one in a row.
const FIRST_REST: Duration = Duration::from_secs(60);
const LONGEST_REST: Duration = Duration::from_secs(3600);
/// Shortest cooldown, whatever a server says: `Retry-After: 0` must not become a hammer.
const SHORTEST_REST: Duration = Duration::from_secs(1);
/// Longest cooldown that a server may ask for.
const LONGEST_ASKED_REST: Duration = Duration::from_secs(24 * 3600);
/// Failures in a row before jobs give up on a lane, however late a clock says it is.
const LEAST_FAILURES: i64 = 3;
const SECOND: Duration = Duration::from_secs(1);

/// Limits of every lane that has no limits of its own: those of origins.
#[derive(Debug, Clone, Copy)]
pub struct LaneLimits {
    /// Jobs at once, over all processes.
    pub at_once: usize,
    /// Jobs begun per second; processes that have work share it equally.
    pub per_second: u32,
}

/// Limits of lanes of a class of its own, by name, counted over all processes. See docs/decisions/0053.
pub type NamedLanes = BTreeMap<String, NamedLane>;

/// Limits of one named lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedLane {
    /// Jobs at once.
    pub at_once: usize,
    /// Jobs begun per minute, evenly spread; a second's worth may begin together.
    pub per_minute: u32,
}

impl NamedLane {
    /// Returns the time between two jobs, in milliseconds.
    fn interval_ms(self) -> i64 {
        (60_000 / i64::from(self.per_minute.max(1))).max(1)
    }

    /// Returns the number of jobs that may begin at `now`, from the time at which the rate allows the next one.
    fn allowed_at(self, next_at: i64, now: Timestamp) -> i64 {
        let next_at = believed(next_at, now);
        let burst_ms = 1000.max(self.interval_ms());
        let free_ms = (now.as_millis() - next_at).max(-burst_ms) + burst_ms;
        (free_ms.min(burst_ms) / self.interval_ms()).max(0)
    }

    /// Returns the time at which the rate allows the next job, after `begun` more.
    fn next_at(self, next_at: i64, begun: i64, now: Timestamp) -> i64 {
        believed(next_at, now).max(now.as_millis()) + begun * self.interval_ms()
    }

    fn most_at_once(&self) -> i64 {
        i64::try_from(self.at_once.max(1)).unwrap_or(i64::MAX)
    }
}

/// Furthest that a rate is ever used up in advance.
const MOST_AHEAD_MS: i64 = 120_000;

/// Ignores a time that only a wrong clock can have written.
fn believed(next_at: i64, now: Timestamp) -> i64 {
    if next_at > now.as_millis() + MOST_AHEAD_MS { 0 } else { next_at }
}

/// Number of jobs of each lane that this process began in the current second.
#[derive(Default)]
pub(super) struct LaneRates(HashMap<String, (Instant, u32)>);

impl LaneRates {
    /// Counts a job that was begun.
    pub fn record_start(&mut self, lane: &str) {
        if self.0.len() > 1000 {
            self.0.retain(|_, (since, _)| since.elapsed() < SECOND);
        }
        let start = self.0.entry(lane.to_owned()).or_insert((Instant::now(), 0));
        if start.0.elapsed() >= SECOND {
            *start = (Instant::now(), 0);
        }
        start.1 += 1;
    }

    /// Returns the time until the first lane at its rate limit may begin another job.
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

/// Free slots of lanes, during one claim.
pub(super) struct LaneRoom {
    room: HashMap<String, i64>,
    begun: HashMap<String, u32>,
    /// Last cooldown of each lane in trouble, by its id.
    rests: HashMap<String, String>,
    at_once: i64,
    per_second: u32,
    named: NamedRoom,
}

/// Room of named lanes, during one claim.
struct NamedRoom {
    limits: NamedLanes,
    /// The time at which each lane's rate allows the next job.
    next_at: HashMap<String, i64>,
    /// Jobs that the claim began.
    begun: BTreeMap<String, i64>,
    now: Timestamp,
}

impl NamedRoom {
    fn allowed(&self, lane: &str) -> Option<i64> {
        let limits = self.limits.get(lane)?;
        Some(limits.allowed_at(self.next_at.get(lane).copied().unwrap_or(0), self.now))
    }

    fn is_used_up(&self, lane: &str) -> bool {
        let begun = self.begun.get(lane).copied().unwrap_or(0);
        self.allowed(lane).is_some_and(|allowed| begun >= allowed)
    }
}

impl LaneRoom {
    /// Computes the free slots from the numbers of running jobs of each lane, in all processes.
    pub fn new(
        limits: LaneLimits,
        named: (&NamedLanes, Vec<LaneRate>),
        state: (HashMap<String, i64>, Vec<TroubledLane>),
        rates: &LaneRates,
        now: Timestamp,
    ) -> LaneRoom {
        let (running, troubled) = state;
        let at_once = i64::try_from(limits.at_once.max(1)).unwrap_or(i64::MAX);
        // After a rest one job finds out whether the trouble is over.
        let of_troubled = |lane: &TroubledLane| match running.get(&lane.lane) {
            _ if rests(lane, now) => 0,
            under_way => 1 - under_way.unwrap_or(&0),
        };
        let troubled_room: Vec<_> =
            troubled.iter().map(|lane| (lane.lane.clone(), of_troubled(lane))).collect();
        let most = |lane: &str| named.0.get(lane).map_or(at_once, |limits| limits.most_at_once());
        let mut room: HashMap<String, i64> =
            named.0.iter().map(|(lane, limits)| (lane.clone(), limits.most_at_once())).collect();
        room.extend(running.into_iter().map(|(lane, running)| {
            let left = most(&lane) - running;
            (lane, left)
        }));
        room.extend(troubled_room);
        let rests = troubled.into_iter().map(|lane| (lane.lane, lane.rest_id)).collect();
        let next_at = named.1.into_iter().map(|rate| (rate.lane, rate.next_at)).collect();
        let named = NamedRoom { limits: named.0.clone(), next_at, begun: BTreeMap::new(), now };
        LaneRoom {
            room,
            begun: rates.this_second(),
            rests,
            at_once,
            per_second: limits.per_second.max(1),
            named,
        }
    }

    /// Lists the lanes of which no job may begin now.
    pub fn closed(&self) -> Vec<String> {
        let full = self.room.iter().filter(|(_, room)| **room <= 0).map(|(lane, _)| lane);
        let fast = self.begun.iter().filter(|(_, begun)| **begun >= self.per_second).map(|(lane, _)| lane);
        let fast = fast.filter(|lane| !self.named.limits.contains_key(*lane));
        let used_up = self.named.limits.keys().filter(|lane| self.named.is_used_up(lane));
        let mut closed: Vec<String> = full.chain(fast).chain(used_up).cloned().collect();
        closed.sort();
        closed.dedup();
        closed
    }

    /// Takes a place in a lane; false when it has none.
    pub fn take(&mut self, lane: &str) -> bool {
        let is_named = self.named.limits.contains_key(lane);
        let room = self.room.entry(lane.to_owned()).or_insert(self.at_once);
        let begun = self.begun.entry(lane.to_owned()).or_insert(0);
        if *room <= 0 || (!is_named && *begun >= self.per_second) || self.named.is_used_up(lane) {
            return false;
        }
        *room -= 1;
        *begun += 1;
        if is_named {
            *self.named.begun.entry(lane.to_owned()).or_insert(0) += 1;
        }
        true
    }

    /// Returns the named lanes of which the claim began jobs, with the time at which each one's rate allows the next.
    pub fn used_rates(&self) -> Vec<LaneRate> {
        let used = self.named.begun.iter().filter_map(|(lane, begun)| {
            let before = self.named.next_at.get(lane).copied().unwrap_or(0);
            let next_at = self.named.limits.get(lane)?.next_at(before, *begun, self.named.now);
            Some(LaneRate { lane: lane.clone(), next_at })
        });
        used.collect()
    }

    /// Returns the time until the first named lane whose rate is used up may begin a job again.
    pub fn until_rate_allows(&self) -> Option<Duration> {
        let used_up = self.named.limits.iter().filter(|(lane, _)| self.named.is_used_up(lane));
        let wait = used_up.map(|(_, limits)| limits.interval_ms().unsigned_abs()).min();
        wait.map(|wait| Duration::from_millis(wait.max(5)))
    }

    /// Returns the cooldown that a success of a job begun now would end.
    pub fn rest_of(&self, lane: &str) -> Option<String> {
        self.rests.get(lane).cloned()
    }
}

/// Returns true for a lane in a cooldown. A cooldown too far in the future was written by a wrong clock and is ignored.
fn rests(lane: &TroubledLane, now: Timestamp) -> bool {
    let until = Timestamp::from_millis(lane.rest_until);
    until > now && until <= now.plus(HORIZON)
}

/// Returns the state of a lane after one more failure, which may have requested a cooldown of this length. `None`: unchanged.
///
/// Jobs that were running when the cooldown began fail too; they can only lengthen the cooldown.
pub(in crate::jobs) fn after_failure(
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

/// Returns true when work with this much patience gives up on a lane.
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

    fn none() -> (&'static NamedLanes, Vec<LaneRate>) {
        static NONE: NamedLanes = NamedLanes::new();
        (&NONE, Vec::new())
    }

    /// Returns the number of jobs that one claim begins in a lane of 120 a minute, whose rate is used up to `next_at`.
    fn begun_at(now: Timestamp, next_at: i64, at_once: usize) -> (usize, i64) {
        let named = NamedLanes::from([("ai".to_owned(), NamedLane { at_once, per_minute: 120 })]);
        let rates = vec![LaneRate { lane: "ai".to_owned(), next_at }];
        let mut room =
            LaneRoom::new(LIMITS, (&named, rates), (HashMap::new(), Vec::new()), &LaneRates::default(), now);
        let begun = (0..100).filter(|_| room.take("ai")).count();
        (begun, room.used_rates().first().map_or(next_at, |rate| rate.next_at))
    }

    #[test]
    fn a_named_lane_has_its_own_limits_and_not_those_of_origins() {
        let (of_rate, next_at) = begun_at(NOON, 0, 50);
        let (of_room, _) = begun_at(NOON, 0, 1);

        assert_eq!((of_rate, next_at), (2, NOON.plus(SECOND).as_millis()));
        assert_eq!(of_room, 1);
    }

    #[test]
    fn a_named_lane_begins_no_more_in_a_minute_than_its_rate_and_a_second_s_worth() {
        let (mut now, mut next_at, mut begun) = (NOON, 0, 0);
        for _ in 0..600 {
            let (more, next) = begun_at(now, next_at, 50);
            (begun, next_at, now) = (begun + more, next, now.plus(Duration::from_millis(100)));
        }

        assert!((120..=122).contains(&begun), "{begun}");
    }

    #[test]
    fn a_rate_that_a_wrong_clock_wrote_holds_a_lane_up_for_no_time() {
        let year = NOON.as_millis() + 365 * 24 * 3_600_000;

        assert_eq!(begun_at(NOON, year, 50), (2, NOON.plus(SECOND).as_millis()));
    }

    #[test]
    fn every_lane_that_rests_or_is_full_is_closed_before_a_claim_looks() {
        let running = HashMap::from([("full".to_owned(), 2), ("half".to_owned(), 1)]);
        let rested = troubled("rested", NOON.minus(SECOND));
        let lanes = vec![troubled("a", NOON.plus(SECOND)), troubled("b", NOON.plus(SECOND)), rested];

        let room = LaneRoom::new(LIMITS, none(), (running, lanes), &LaneRates::default(), NOON);

        assert_eq!(room.closed(), ["a", "b", "full"]);
    }

    #[test]
    fn a_lane_that_has_rested_has_room_for_one_job_until_one_ends_well() {
        let lanes = || vec![troubled("rested", NOON.minus(SECOND)), troubled("asked", NOON.minus(SECOND))];
        let running = HashMap::from([("asked".to_owned(), 1)]);

        let mut room = LaneRoom::new(LIMITS, none(), (running, lanes()), &LaneRates::default(), NOON);

        assert_eq!(room.closed(), ["asked"]);
        assert!(room.take("rested") && !room.take("rested"));
    }

    #[test]
    fn a_lane_that_began_its_share_of_this_second_is_closed() {
        let mut rates = LaneRates::default();
        (0..100).for_each(|_| rates.record_start("fast"));

        let room = LaneRoom::new(LIMITS, none(), (HashMap::new(), Vec::new()), &rates, NOON);

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
