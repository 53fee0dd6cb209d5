//! Requests per minute or hour that every process of an installation counts together, in the database: exact, however many
//! processes answer. One statement per request. Used by the Domains API, through [`super::caller`].
//! See docs/decisions/0012.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use cache::Cache;
use store::{Conn, Db, DbError, on_engine};

use super::requester::{KEYS_WORTH, Requester};
use platform::api::access::SharedLimit;
use platform::api::rate_limit_state::{RateLimitState, WINDOW};
use platform::clock::{Clock, Timestamp};

/// Length of the windows whose buckets begin with [`HOURLY`].
const HOUR: Duration = Duration::from_secs(3600);
const HOURLY: &str = "hour:";
/// Ended windows are deleted so often, by each process.
const SWEEP_EVERY: Duration = Duration::from_secs(300);

/// Buckets that are remembered to be used up.
const MOST_USED_UP: u64 = 100_000;

/// Counts requests. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SharedLimits {
    db: Db,
    clock: Clock,
    swept_at: Arc<AtomicI64>,
    /// When buckets that are used up start anew: refusing the next request must not cost the database's only writer.
    used_up: Cache<str, Timestamp>,
}

impl SharedLimits {
    /// Counts in this database.
    pub fn new(db: &Db, clock: &Clock) -> SharedLimits {
        let used_up = Cache::builder(MOST_USED_UP).keeps_newest().time_to_idle(2 * WINDOW).build();
        SharedLimits { db: db.clone(), clock: clock.clone(), swept_at: Arc::default(), used_up }
    }

    /// Counts a request. One over the limit changes nothing, so a client that keeps trying is let in after its minute.
    ///
    /// A key's request counts for the key, and for all keys of its account together.
    pub async fn take(&self, limit: SharedLimit, requester: &Requester) -> Result<RateLimitState, DbError> {
        self.take_of_all(&buckets(limit, requester)).await
    }

    /// Counts a request in all of some buckets, or in none when one is used up. Returns the standing of the first, or of the
    /// one that is used up.
    pub async fn take_of_all(&self, buckets: &[Bucket]) -> Result<RateLimitState, DbError> {
        if let Some(standing) = buckets.iter().find_map(|bucket| self.find_used_up(bucket)) {
            return Ok(standing);
        }
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        let mut standings = Vec::new();
        for bucket in buckets {
            let standing = count(&mut tx, bucket, now).await?;
            if !standing.allowed {
                self.used_up.insert(&bucket.name, now.plus(standing.reset));
                return Ok(standing);
            }
            standings.push(standing);
        }
        tx.commit().await?;
        for (bucket, standing) in
            buckets.iter().zip(&standings).filter(|(_, standing)| standing.remaining == 0)
        {
            self.used_up.insert(&bucket.name, now.plus(standing.reset));
        }
        self.sweep(now).await;
        Ok(standings.into_iter().next().expect("everybody has a bucket"))
    }

    /// Takes a request back from each of some buckets.
    pub async fn give_back(&self, buckets: &[Bucket]) -> Result<(), DbError> {
        const SQL: &str = "update rate_windows set used = used - 1 where bucket = $1 and used > 0";
        let mut tx = self.db.write().await?;
        for Bucket { name, .. } in buckets {
            on_engine!(tx, |c| sqlx::query(SQL).bind(name).execute(c).await.map(drop))?;
        }
        tx.commit().await?;
        buckets.iter().for_each(|bucket| self.used_up.remove(&bucket.name));
        Ok(())
    }

    /// Returns the standing of a bucket that is known to be used up. Asks no database.
    pub fn find_used_up(&self, bucket: &Bucket) -> Option<RateLimitState> {
        let reset = self.used_up.get(&bucket.name)?.since(self.clock.now());
        // A clock that was set back must not make it last for hours.
        let is_used_up = !reset.is_zero() && reset <= bucket.window();
        is_used_up.then_some(RateLimitState { allowed: false, limit: bucket.most, remaining: 0, reset })
    }

    /// Deletes ended windows, now and then. That it failed is no reason to refuse anybody.
    async fn sweep(&self, now: Timestamp) {
        let last = self.swept_at.load(Ordering::Relaxed);
        let is_due = now.since(Timestamp::from_millis(last)) >= SWEEP_EVERY;
        let is_ours = is_due
            && self
                .swept_at
                .compare_exchange(last, now.as_millis(), Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if is_ours && let Err(error) = self.delete_ended(now).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "ended rate limit windows stay for now");
        }
    }

    async fn delete_ended(&self, now: Timestamp) -> Result<(), DbError> {
        // Twice the window: another process's clock may be behind.
        const SQL: &str = "delete from rate_windows where started_at < $1 \
             and (bucket not like 'hour:%' or started_at < $2)";
        let (before, hourly_before) = (now.minus(WINDOW * 2).as_millis(), now.minus(HOUR * 2).as_millis());
        let mut tx = self.db.write().await?;
        on_engine!(tx, |c| sqlx::query(SQL).bind(before).bind(hourly_before).execute(c).await.map(drop))?;
        tx.commit().await
    }
}

/// A window of a minute or an hour that requests are counted in.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// Key in the database.
    name: String,
    /// Requests that are allowed.
    most: u32,
}

impl Bucket {
    pub fn per_minute(name: String, most: u32) -> Bucket {
        Bucket { name, most }
    }

    pub fn per_hour(name: &str, most: u32) -> Bucket {
        Bucket { name: format!("{HOURLY}{name}"), most }
    }

    fn window(&self) -> Duration {
        if self.name.starts_with(HOURLY) { HOUR } else { WINDOW }
    }
}

/// What a requester's requests count towards: the own first.
fn buckets(limit: SharedLimit, requester: &Requester) -> Vec<Bucket> {
    let SharedLimit { name, per_minute, per_minute_of_sessions } = limit;
    let bucket = |name: String| Bucket::per_minute(name, per_minute);
    match requester {
        Requester::Session { account } => {
            vec![Bucket::per_minute(format!("{name}:session:{account}"), per_minute_of_sessions)]
        }
        Requester::PublicToken { hash } => vec![bucket(format!("{name}:token:{hash}"))],
        Requester::Key { key, account } => vec![
            bucket(format!("{name}:{key}")),
            Bucket::per_minute(format!("{name}:keys:{account}"), per_minute * KEYS_WORTH),
        ],
    }
}

/// Adds one request to a window, or begins a new one, and says how it stands. One over the limit stands for all that are
/// over it.
async fn count(conn: &mut Conn, bucket: &Bucket, now: Timestamp) -> Result<RateLimitState, DbError> {
    let (limit, window) = (bucket.most, bucket.window());
    // A window that begins in the future was begun by a process whose clock is ahead; one that begins in a window's length or
    // more, before the clock was set back: it must not last for hours.
    const SQL: &str = "insert into rate_windows (bucket, started_at, used) values ($1, $2, 1) \
         on conflict (bucket) do update set \
         used = case when rate_windows.started_at > $3 and rate_windows.started_at < $4 \
             then case when rate_windows.used > $5 then rate_windows.used else rate_windows.used + 1 end \
             else 1 end, \
         started_at = case when rate_windows.started_at > $3 and rate_windows.started_at < $4 \
             then rate_windows.started_at else $2 end \
         returning started_at, used";
    let (started, used): (i64, i64) = on_engine!(conn, |c| {
        sqlx::query_as(SQL)
            .bind(&bucket.name)
            .bind(now.as_millis())
            .bind(now.minus(window).as_millis())
            .bind(now.plus(window).as_millis())
            .bind(i64::from(limit))
            .fetch_one(c)
            .await
    })?;
    let used = u32::try_from(used).unwrap_or(u32::MAX);
    let reset = window.saturating_sub(now.since(Timestamp::from_millis(started))).min(window);
    Ok(RateLimitState { allowed: used <= limit, limit, remaining: limit.saturating_sub(used), reset })
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;

    use super::*;
    use crate::testing::*;

    const SIX: SharedLimit = SharedLimit { name: "six", per_minute: 6, per_minute_of_sessions: 6 };

    async fn on_each_engine(test: impl AsyncFn(&Db, Clock)) {
        for_each_engine(async |db| {
            test(db, Clock::fixed(NOON)).await;
        })
        .await;
    }

    fn requester(key: &str, account: &str) -> Requester {
        Requester::Key { key: key.into(), account: account.into() }
    }

    async fn allowed(limits: &SharedLimits, key: &str, times: usize) -> usize {
        let key = requester(key, key);
        let all = join_all((0..times).map(|_| limits.take(SIX, &key))).await;
        all.into_iter().filter(|standing| standing.as_ref().unwrap().allowed).count()
    }

    #[tokio::test]
    async fn exactly_the_limit_passes_however_many_processes_count() {
        on_each_engine(async |db, clock| {
            let (one, two) = (SharedLimits::new(db, &clock), SharedLimits::new(db, &clock));

            let (first, second) = tokio::join!(allowed(&one, "k", 20), allowed(&two, "k", 20));

            assert_eq!(first + second, 6);
        })
        .await;
    }

    #[tokio::test]
    async fn a_standing_says_what_is_left_and_when_the_window_ends() {
        on_each_engine(async |db, clock| {
            let limits = SharedLimits::new(db, &clock);
            let key = requester("k", "k");
            let first = limits.take(SIX, &key).await.unwrap();
            clock.advance(Duration::from_secs(20));

            let second = limits.take(SIX, &key).await.unwrap();

            assert_eq!((first.remaining, first.reset), (5, WINDOW));
            assert_eq!((second.remaining, second.reset), (4, Duration::from_secs(40)));
        })
        .await;
    }

    #[tokio::test]
    async fn a_new_minute_starts_anew_and_ended_windows_are_deleted() {
        on_each_engine(async |db, clock| {
            let limits = SharedLimits::new(db, &clock);
            assert_eq!(allowed(&limits, "old", 7).await, 6);

            clock.advance(SWEEP_EVERY);
            assert_eq!(allowed(&limits, "new", 7).await, 6);

            let mut conn = db.read().await.unwrap();
            let left: Vec<String> = on_engine!(conn, |c| {
                sqlx::query_scalar("select bucket from rate_windows order by bucket").fetch_all(c).await
            })
            .unwrap();
            assert_eq!(left, ["six:keys:new", "six:new"]);
            clock.advance(WINDOW);
            assert_eq!(allowed(&limits, "new", 7).await, 6);
        })
        .await;
    }

    #[tokio::test]
    async fn a_request_over_the_limit_writes_nothing_until_the_minute_is_over() {
        on_each_engine(async |db, clock| {
            let limits = SharedLimits::new(db, &clock);
            assert_eq!(allowed(&limits, "k", 7).await, 6);
            let mut tx = db.write().await.unwrap();
            on_engine!(tx, |c| sqlx::query("delete from rate_windows").execute(c).await.map(drop)).unwrap();
            tx.commit().await.unwrap();
            clock.advance(WINDOW / 2);

            let refused = limits.take(SIX, &requester("k", "k")).await.unwrap();

            assert_eq!((refused.allowed, refused.limit, refused.reset), (false, 6, WINDOW / 2));
            clock.advance(WINDOW / 2);
            assert_eq!(allowed(&limits, "k", 7).await, 6);
        })
        .await;
    }

    #[tokio::test]
    async fn a_request_that_is_given_back_does_not_count() {
        on_each_engine(async |db, clock| {
            let limits = SharedLimits::new(db, &clock);
            let bucket = [Bucket::per_minute("sign-in".to_owned(), 1)];
            assert!(limits.take_of_all(&bucket).await.unwrap().allowed);
            assert!(!limits.take_of_all(&bucket).await.unwrap().allowed);

            limits.give_back(&bucket).await.unwrap();

            assert!(limits.take_of_all(&bucket).await.unwrap().allowed);
        })
        .await;
    }

    #[tokio::test]
    async fn an_hour_is_counted_from_its_first_request_on_and_not_swept_before_its_end() {
        on_each_engine(async |db, clock| {
            let limits = SharedLimits::new(db, &clock);
            let hour = [Bucket::per_hour("origin", 2)];
            let take = async || limits.take_of_all(&hour).await.unwrap();
            take().await;
            clock.advance(SWEEP_EVERY);
            allowed(&limits, "k", 1).await;

            let (second, third) = (take().await, take().await);
            clock.advance(HOUR - SWEEP_EVERY);

            assert_eq!((second.allowed, third.allowed, third.reset), (true, false, HOUR - SWEEP_EVERY));
            assert!(take().await.allowed);
        })
        .await;
    }

    #[tokio::test]
    async fn limits_and_keys_are_counted_apart() {
        on_each_engine(async |db, clock| {
            let limits = SharedLimits::new(db, &clock);
            assert_eq!(allowed(&limits, "a", 7).await, 6);

            let other_key = allowed(&limits, "b", 1).await;
            let other_limit = SharedLimit { name: "other", per_minute: 1, per_minute_of_sessions: 1 };
            let other_limit = limits.take(other_limit, &requester("a", "a")).await.unwrap();

            assert_eq!((other_key, other_limit.allowed), (1, true));
        })
        .await;
    }

    #[tokio::test]
    async fn all_keys_of_an_account_have_ten_keys_worth_together_and_its_sessions_their_own() {
        on_each_engine(async |db, clock| {
            let limits = SharedLimits::new(db, &clock);
            let mut passed = 0;
            for number in 0..12 {
                for _ in 0..6 {
                    let key = requester(&format!("k{number}"), "account");
                    passed += u32::from(limits.take(SIX, &key).await.unwrap().allowed);
                }
            }

            let session = limits.take(SIX, &Requester::Session { account: "account".into() }).await.unwrap();
            let other = limits.take(SIX, &requester("k", "other")).await.unwrap();

            assert_eq!(passed, 60);
            assert_eq!((session.remaining, other.remaining), (5, 5));
        })
        .await;
    }

    #[tokio::test]
    async fn a_process_whose_clock_is_behind_does_not_begin_a_new_window() {
        on_each_engine(async |db, clock| {
            let behind = Clock::fixed(NOON.minus(Duration::from_millis(40)));
            let (ahead, behind) = (SharedLimits::new(db, &clock), SharedLimits::new(db, &behind));

            assert_eq!(allowed(&ahead, "k", 4).await, 4);

            assert_eq!(allowed(&behind, "k", 4).await, 2);
        })
        .await;
    }

    #[tokio::test]
    async fn a_clock_that_is_set_back_locks_nobody_out() {
        on_each_engine(async |db, clock| {
            let limits = SharedLimits::new(db, &clock);
            allowed(&limits, "k", 7).await;

            clock.set(NOON.minus(Duration::from_secs(3600)));

            assert_eq!(allowed(&limits, "k", 7).await, 6);
        })
        .await;
    }
}
