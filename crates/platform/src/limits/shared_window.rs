//! Events in a window of time that all processes of an installation count together, in rows of the database: exact, however
//! many processes count. An event costs one transaction, unless its window is known to be used up. Used by limits of callers, crawlers and refreshes.
//! See docs/decisions/0012.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use cache::Cache;
use store::{Conn, Db, DbError, on_engine};

use crate::api::rate_limit_state::{RateLimitState, WINDOW};
use crate::clock::{Clock, Timestamp};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Time between two deletions of ended windows, by each process.
const SWEEP_EVERY: Duration = Duration::from_secs(300);
/// Time for which ended windows are kept: the clock of another process may be behind.
const KEPT: Duration = Duration::from_secs(120);
/// Used-up windows that are remembered.
const MOST_USED_UP: u64 = 100_000;

/// A limit of events in a window of time.
#[derive(Debug, Clone)]
pub struct SharedWindow {
    /// Key in the database.
    name: String,
    /// Events that are allowed.
    most: u32,
    length: WindowLength,
}

#[derive(Debug, Clone, Copy)]
enum WindowLength {
    /// From its first event on.
    Minute,
    /// From its first event on.
    Hour,
    /// From midnight to midnight, in UTC.
    Day,
}

impl SharedWindow {
    /// Allows `most` events in a minute that begins with the first of them.
    pub fn per_minute(name: String, most: u32) -> SharedWindow {
        SharedWindow { name, most, length: WindowLength::Minute }
    }

    /// Allows `most` events in an hour that begins with the first of them.
    pub fn per_hour(name: &str, most: u32) -> SharedWindow {
        SharedWindow { name: format!("hour:{name}"), most, length: WindowLength::Hour }
    }

    /// Allows `most` events in a day of UTC.
    pub fn per_day(name: &str, most: u32) -> SharedWindow {
        SharedWindow { name: format!("day:{name}"), most, length: WindowLength::Day }
    }

    fn length(&self) -> Duration {
        match self.length {
            WindowLength::Minute => WINDOW,
            WindowLength::Hour => HOUR,
            WindowLength::Day => DAY,
        }
    }

    /// Returns the end of a window that begins now.
    fn end(&self, now: Timestamp) -> Timestamp {
        match self.length {
            WindowLength::Day => Timestamp::from_millis((now.day_number() + 1) * DAY.as_millis() as i64),
            WindowLength::Minute | WindowLength::Hour => now.plus(self.length()),
        }
    }

    fn refused(&self, reset: Duration) -> RateLimitState {
        RateLimitState { allowed: false, limit: self.most, remaining: 0, reset }
    }
}

/// Counts of all windows. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SharedWindows {
    db: Db,
    clock: Clock,
    swept_at: Arc<AtomicI64>,
    /// Ends of windows that are used up: a refusal must not cost the database's only writer.
    used_up: Cache<str, Timestamp>,
}

impl SharedWindows {
    /// Counts in this database.
    pub fn new(db: &Db, clock: &Clock) -> SharedWindows {
        let used_up = Cache::builder(MOST_USED_UP).keeps_newest().time_to_idle(DAY).build();
        SharedWindows { db: db.clone(), clock: clock.clone(), swept_at: Arc::default(), used_up }
    }

    /// Counts an event in all of some windows, or in none when one is used up: a client that keeps trying is let in after its
    /// minute. Returns the state of the first window, or of the one that is used up.
    pub async fn take(&self, windows: &[SharedWindow]) -> Result<RateLimitState, DbError> {
        if let Some(refused) = windows.iter().find_map(|window| self.find_used_up(window)) {
            return Ok(refused);
        }
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        let mut first = None;
        let mut used_up = Vec::new();
        for window in windows {
            let (ends, used) = add(&mut tx, window, 1, now).await?;
            let (most, reset) = (i64::from(window.most), ends.since(now).min(window.length()));
            if used > most {
                self.used_up.insert(&window.name, ends);
                return Ok(window.refused(reset));
            }
            if used == most {
                used_up.push((&window.name, ends));
            }
            let remaining = u32::try_from(most - used).unwrap_or(u32::MAX);
            first.get_or_insert(RateLimitState { allowed: true, limit: window.most, remaining, reset });
        }
        tx.commit().await?;
        used_up.into_iter().for_each(|(name, ends)| self.used_up.insert(name, ends));
        self.sweep(now).await;
        Ok(first.expect("everybody has a window"))
    }

    /// Counts as many of `wanted` events as are left in a window. Returns their number.
    pub async fn take_up_to(&self, window: &SharedWindow, wanted: u64) -> Result<u64, DbError> {
        let wanted = i64::try_from(wanted.min(window.most.into())).expect("32 bits fit");
        if wanted == 0 || self.find_used_up(window).is_some() {
            return Ok(0);
        }
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        let (ends, used) = add(&mut tx, window, wanted, now).await?;
        let over = (used - i64::from(window.most)).clamp(0, wanted);
        if over > 0 {
            subtract(&mut tx, window, over).await?;
        }
        tx.commit().await?;
        if over > 0 {
            self.used_up.insert(&window.name, ends);
        }
        self.sweep(now).await;
        Ok((wanted - over).unsigned_abs())
    }

    /// Takes an event back from each of some windows.
    pub async fn give_back(&self, windows: &[SharedWindow]) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        for window in windows {
            subtract(&mut tx, window, 1).await?;
        }
        tx.commit().await?;
        windows.iter().for_each(|window| self.used_up.remove(&window.name));
        Ok(())
    }

    /// Returns the state of a window that is known to be used up. Asks no database.
    pub fn find_used_up(&self, window: &SharedWindow) -> Option<RateLimitState> {
        if window.most == 0 {
            return Some(window.refused(window.length()));
        }
        let reset = self.used_up.get(&window.name)?.since(self.clock.now());
        // A clock that was set back must not make a window last for hours.
        (!reset.is_zero() && reset <= window.length()).then(|| window.refused(reset))
    }

    /// Deletes ended windows, now and then. A failure refuses nobody.
    async fn sweep(&self, now: Timestamp) {
        let last = self.swept_at.load(Ordering::Relaxed);
        let is_due = now.since(Timestamp::from_millis(last)) >= SWEEP_EVERY;
        let is_ours = is_due
            && self
                .swept_at
                .compare_exchange(last, now.as_millis(), Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if is_ours && let Err(error) = self.delete_ended(now).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "ended windows stay for now");
        }
    }

    async fn delete_ended(&self, now: Timestamp) -> Result<(), DbError> {
        const SQL: &str = "delete from shared_windows where ends_at < $1";
        let before = now.minus(KEPT).as_millis();
        let mut tx = self.db.write().await?;
        on_engine!(tx, |c| sqlx::query(SQL).bind(before).execute(c).await.map(drop))?;
        tx.commit().await
    }
}

/// Adds events to a window, or begins a new one with them. Returns the end of the window and its events so far.
async fn add(
    conn: &mut Conn,
    window: &SharedWindow,
    events: i64,
    now: Timestamp,
) -> Result<(Timestamp, i64), DbError> {
    // A window that ends later than one that begins now was begun by a process whose clock is ahead; one that ends two lengths
    // from now or later, before the clock was set back.
    const SQL: &str = "insert into shared_windows (name, ends_at, used) values ($1, $2, $3) \
         on conflict (name) do update set \
         used = case when shared_windows.ends_at > $4 and shared_windows.ends_at < $5 \
             then shared_windows.used + $3 else $3 end, \
         ends_at = case when shared_windows.ends_at > $4 and shared_windows.ends_at < $5 \
             then shared_windows.ends_at else $2 end \
         returning ends_at, used";
    let (ends, used): (i64, i64) = on_engine!(conn, |c| {
        sqlx::query_as(SQL)
            .bind(&window.name)
            .bind(window.end(now).as_millis())
            .bind(events)
            .bind(now.as_millis())
            .bind(now.plus(2 * window.length()).as_millis())
            .fetch_one(c)
            .await
    })?;
    Ok((Timestamp::from_millis(ends), used))
}

async fn subtract(conn: &mut Conn, window: &SharedWindow, events: i64) -> Result<(), DbError> {
    const SQL: &str = "update shared_windows set used = used - $2 where name = $1 and used >= $2";
    let name = &window.name;
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(name).bind(events).execute(c).await.map(drop))?)
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;

    use super::*;
    use crate::testing::{NOON, for_each_engine};

    async fn on_each_engine(test: impl AsyncFn(&Db, Clock)) {
        for_each_engine(async |db| {
            test(db, Clock::fixed(NOON)).await;
        })
        .await;
    }

    fn six(name: &str) -> [SharedWindow; 1] {
        [SharedWindow::per_minute(name.to_owned(), 6)]
    }

    async fn taken(windows: &SharedWindows, of: &[SharedWindow], times: usize) -> usize {
        let all = join_all((0..times).map(|_| windows.take(of))).await;
        all.into_iter().filter(|state| state.as_ref().unwrap().allowed).count()
    }

    async fn names(db: &Db) -> Vec<String> {
        let mut conn = db.read().await.unwrap();
        on_engine!(conn, |c| {
            sqlx::query_scalar("select name from shared_windows order by name").fetch_all(c).await
        })
        .unwrap()
    }

    #[tokio::test]
    async fn exactly_the_limit_passes_however_many_processes_count() {
        on_each_engine(async |db, clock| {
            let (one, two) = (SharedWindows::new(db, &clock), SharedWindows::new(db, &clock));
            let six = six("k");

            let (first, second) = tokio::join!(taken(&one, &six, 20), taken(&two, &six, 20));

            assert_eq!(first + second, 6);
        })
        .await;
    }

    #[tokio::test]
    async fn the_state_of_a_window_says_what_is_left_and_when_it_ends() {
        on_each_engine(async |db, clock| {
            let windows = SharedWindows::new(db, &clock);
            let first = windows.take(&six("k")).await.unwrap();
            clock.advance(Duration::from_secs(20));

            let second = windows.take(&six("k")).await.unwrap();

            assert_eq!((first.remaining, first.reset), (5, WINDOW));
            assert_eq!((second.remaining, second.reset), (4, Duration::from_secs(40)));
        })
        .await;
    }

    #[tokio::test]
    async fn a_new_minute_starts_anew_and_ended_windows_are_deleted() {
        on_each_engine(async |db, clock| {
            let windows = SharedWindows::new(db, &clock);
            assert_eq!(taken(&windows, &six("old"), 7).await, 6);

            clock.advance(SWEEP_EVERY);
            assert_eq!(taken(&windows, &six("new"), 7).await, 6);

            assert_eq!(names(db).await, ["new"]);
            clock.advance(WINDOW);
            assert_eq!(taken(&windows, &six("new"), 7).await, 6);
        })
        .await;
    }

    #[tokio::test]
    async fn an_event_over_the_limit_writes_nothing_until_the_window_is_over() {
        on_each_engine(async |db, clock| {
            let windows = SharedWindows::new(db, &clock);
            assert_eq!(taken(&windows, &six("k"), 7).await, 6);
            let mut tx = db.write().await.unwrap();
            on_engine!(tx, |c| sqlx::query("delete from shared_windows").execute(c).await.map(drop)).unwrap();
            tx.commit().await.unwrap();
            clock.advance(WINDOW / 2);

            let refused = windows.take(&six("k")).await.unwrap();

            assert_eq!((refused.allowed, refused.limit, refused.reset), (false, 6, WINDOW / 2));
            assert!(names(db).await.is_empty());
            clock.advance(WINDOW / 2);
            assert_eq!(taken(&windows, &six("k"), 7).await, 6);
        })
        .await;
    }

    #[tokio::test]
    async fn a_limit_of_nothing_refuses_without_a_write() {
        on_each_engine(async |db, clock| {
            let windows = SharedWindows::new(db, &clock);

            let refused = windows.take(&[SharedWindow::per_day("none", 0)]).await.unwrap();

            assert!(!refused.allowed && names(db).await.is_empty());
        })
        .await;
    }

    #[tokio::test]
    async fn an_event_that_is_given_back_does_not_count() {
        on_each_engine(async |db, clock| {
            let windows = SharedWindows::new(db, &clock);
            let one = [SharedWindow::per_minute("sign-in".to_owned(), 1)];
            assert_eq!(taken(&windows, &one, 2).await, 1);

            windows.give_back(&one).await.unwrap();

            assert_eq!(taken(&windows, &one, 2).await, 1);
        })
        .await;
    }

    #[tokio::test]
    async fn an_hour_is_counted_from_its_first_event_on_and_not_swept_before_its_end() {
        on_each_engine(async |db, clock| {
            let windows = SharedWindows::new(db, &clock);
            let hour = [SharedWindow::per_hour("origin", 2)];
            let take = async || windows.take(&hour).await.unwrap();
            take().await;
            clock.advance(SWEEP_EVERY);
            taken(&windows, &six("k"), 1).await;

            let (second, third) = (take().await, take().await);
            clock.advance(HOUR - SWEEP_EVERY);

            assert_eq!((second.allowed, third.allowed, third.reset), (true, false, HOUR - SWEEP_EVERY));
            assert!(take().await.allowed);
        })
        .await;
    }

    #[tokio::test]
    async fn a_day_ends_at_midnight_in_utc() {
        on_each_engine(async |db, clock| {
            let (one, two) = (SharedWindows::new(db, &clock), SharedWindows::new(db, &clock));
            let five = [SharedWindow::per_day("a", 5)];

            let first_day = taken(&one, &five, 4).await + taken(&two, &five, 4).await;
            clock.advance(Duration::from_secs(12 * 3600 - 1));
            let before_midnight = taken(&one, &five, 1).await;
            clock.advance(Duration::from_secs(1));

            assert_eq!((first_day, before_midnight, taken(&one, &five, 9).await), (5, 0, 5));
        })
        .await;
    }

    #[tokio::test]
    async fn an_event_that_one_window_refuses_counts_in_no_other() {
        on_each_engine(async |db, clock| {
            let windows = SharedWindows::new(db, &clock);
            let [large, small] =
                [("large", 4), ("small", 1)].map(|(name, most)| SharedWindow::per_day(name, most));

            let together = taken(&windows, &[large.clone(), small], 3).await;

            assert_eq!((together, taken(&windows, &[large], 9).await), (1, 3));
        })
        .await;
    }

    #[tokio::test]
    async fn as_much_as_is_left_is_taken_at_once() {
        on_each_engine(async |db, clock| {
            let windows = SharedWindows::new(db, &clock);
            let hundred = SharedWindow::per_day("pages", 100);

            let first = windows.take_up_to(&hundred, 70).await.unwrap();
            let second = windows.take_up_to(&hundred, 70).await.unwrap();
            let third = SharedWindows::new(db, &clock).take_up_to(&hundred, 1).await.unwrap();

            assert_eq!((first, second, third), (70, 30, 0));
        })
        .await;
    }

    #[tokio::test]
    async fn a_process_whose_clock_is_behind_does_not_begin_a_new_window() {
        on_each_engine(async |db, clock| {
            let behind = Clock::fixed(NOON.minus(Duration::from_millis(40)));
            let (ahead, behind) = (SharedWindows::new(db, &clock), SharedWindows::new(db, &behind));

            assert_eq!(taken(&ahead, &six("k"), 4).await, 4);

            assert_eq!(taken(&behind, &six("k"), 4).await, 2);
        })
        .await;
    }

    #[tokio::test]
    async fn a_clock_that_is_set_back_locks_nobody_out() {
        on_each_engine(async |db, clock| {
            let windows = SharedWindows::new(db, &clock);
            taken(&windows, &six("k"), 7).await;

            clock.set(NOON.minus(Duration::from_secs(3600)));

            assert_eq!(taken(&windows, &six("k"), 7).await, 6);
        })
        .await;
    }
}
