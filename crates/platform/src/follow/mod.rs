//! Keeps what this process holds in memory equal to the database: features register what they hold, it is read once, and from
//! then on only what changed is read again. One small query in half a second, and at once when PostgreSQL notifies.
//! A change that was committed is never overlooked: not one of a transaction that took long, nor any while this process stood
//! still, nor when notifications are lost. While the database is away, what was read last stays in use.
//! See docs/decisions/0015.

mod queries;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use sqlx_postgres::PgListener;
use store::{Conn, Db, DbError};
use tokio::sync::{Mutex, Notify};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Platform;

/// Time between two reads of the changes.
const EVERY: Duration = Duration::from_millis(500);
/// The shortest time between two questions, however often it is notified.
const PAUSE: Duration = Duration::from_millis(50);
/// Age up to which a request may use what was read last while the database answers.
const FRESH: Duration = Duration::from_secs(2);
/// Time after which a database that does not answer counts as away.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time that a caller waits for a first read.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);
/// Time that a caller waits before it says that something does not exist.
const MOMENT: Duration = Duration::from_millis(300);
/// More changes of one kind at once are not read one by one.
const ONE_BY_ONE: usize = 500;
/// Channel that the triggers notify on.
const CHANNEL: &str = "glasshouse_changes";
/// Before the first reading.
const NEVER: u64 = u64::MAX;

/// Copy of a table that a feature holds in memory.
pub trait Followed: Send + Sync {
    /// Returns the kind of its changes.
    fn kind(&self) -> &'static str;

    /// Reads everything in place of what it holds.
    fn load<'a>(&'a self, conn: &'a mut Conn) -> BoxFuture<'a, Result<(), DbError>>;

    /// Reads again what these ids say, of which some may be gone.
    fn apply<'a>(
        &'a self,
        conn: &'a mut Conn,
        ids: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<(), DbError>>;
}

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Follower(Arc<Inner>);

struct Inner {
    db: Db,
    state: Mutex<State>,
    /// Copies that were registered since the last round, to be read in the next.
    registered: std::sync::Mutex<Vec<Arc<dyn Followed>>>,
    /// Time at which the last round began, in milliseconds since `origin`.
    followed: AtomicU64,
    is_away: AtomicBool,
    is_running: AtomicBool,
    origin: Instant,
    wake: Notify,
    /// Signal of the end of each round.
    ended: Notify,
    /// Address of the database that notifies.
    notify_url: Option<String>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

#[derive(Default)]
struct State {
    parts: Vec<FollowedPart>,
    /// The newest change that all parts know.
    position: Option<i64>,
}

struct FollowedPart {
    holds: Arc<dyn Followed>,
    is_loaded: bool,
}

impl Follower {
    /// Follows the platform's database. Reads nothing before it is asked for.
    pub fn new(platform: &Platform) -> Follower {
        let url = Some(platform.config.database_url()).filter(|url| url.starts_with("postgres"));
        Follower::on(platform.db.clone(), url, (platform.tasks.clone(), platform.shutdown.clone()))
    }

    /// Follows a database on which nobody notifies; for commands, which end before anything changes.
    pub fn of_command(db: Db) -> Follower {
        Follower::on(db, None, (TaskTracker::new(), CancellationToken::new()))
    }

    fn on(
        db: Db,
        notify_url: Option<String>,
        (tasks, shutdown): (TaskTracker, CancellationToken),
    ) -> Follower {
        Follower(Arc::new(Inner {
            db,
            state: Mutex::default(),
            registered: std::sync::Mutex::default(),
            followed: AtomicU64::new(NEVER),
            is_away: AtomicBool::new(false),
            is_running: AtomicBool::new(false),
            origin: Instant::now(),
            wake: Notify::new(),
            ended: Notify::new(),
            notify_url,
            tasks,
            shutdown,
        }))
    }

    /// Adds what a feature holds. It is read before anybody is told that it is current.
    pub fn register(&self, holds: Arc<dyn Followed>) {
        let mut registered = self.0.registered.lock().expect("nobody panics with it");
        registered.push(holds);
        self.0.followed.store(NEVER, Ordering::Release);
    }

    /// Returns true when the copies may be used: they were read in the last two seconds, or the database is away.
    pub fn is_current(&self) -> bool {
        let followed = self.0.followed.load(Ordering::Acquire);
        followed != NEVER && (self.0.is_away.load(Ordering::Relaxed) || self.0.since(followed) < FRESH)
    }

    /// Returns true once what is held was read, whatever the database has done since.
    pub fn has_read(&self) -> bool {
        self.0.followed.load(Ordering::Acquire) != NEVER
    }

    /// Waits until what is held may be acted on. Fails only when it could never be read.
    ///
    /// That is at once, except after the start and after this process stood still.
    pub async fn current(&self) -> Result<(), DbError> {
        if self.is_current() {
            return Ok(());
        }
        self.run_in_background();
        let is_first = self.0.followed.load(Ordering::Acquire) == NEVER;
        let patience = if is_first { FIRST_PATIENCE } else { PATIENCE };
        let round = async {
            let mut state = self.0.state.lock().await;
            if self.is_current() { Ok(()) } else { self.0.round(&mut state).await }
        };
        match tokio::time::timeout(patience, round).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) if is_first => Err(error),
            Err(_) if is_first => Err(DbError::Unavailable(sqlx::Error::PoolTimedOut)),
            _ => {
                self.0.is_away.store(true, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// Takes over what this process has just committed, so that its next answer shows it. What cannot be read now is read
    /// later.
    pub async fn take_over(&self) {
        if self.0.followed.load(Ordering::Acquire) == NEVER {
            return;
        }
        let round = async { self.0.round(&mut *self.0.state.lock().await).await };
        if !matches!(tokio::time::timeout(PATIENCE, round).await, Ok(Ok(()))) {
            tracing::debug!("what was just changed could not be read back; it is tried again");
        }
    }

    /// Waits a moment for what was committed before, in whichever process; for those who are about to say that something does
    /// not exist. All who wait share one question, and while the database is away nobody waits.
    pub async fn caught_up(&self) {
        let inner = &self.0;
        let asked = u64::try_from(inner.origin.elapsed().as_millis()).unwrap_or(NEVER);
        let is_known = || {
            let followed = inner.followed.load(Ordering::Acquire);
            inner.is_away.load(Ordering::Relaxed) || (followed != NEVER && followed > asked)
        };
        self.run_in_background();
        let round = async {
            loop {
                let mut ended = std::pin::pin!(inner.ended.notified());
                ended.as_mut().enable();
                if is_known() {
                    return;
                }
                inner.wake.notify_one();
                ended.await;
            }
        };
        // Who still does not know it then hears of it in the next question.
        let _ = tokio::time::timeout(MOMENT, round).await;
    }

    /// Follows until shutdown, from the first time that somebody asks.
    fn run_in_background(&self) {
        if !self.0.is_running.swap(true, Ordering::Relaxed) {
            self.0.tasks.spawn(run(self.0.clone()));
        }
    }
}

impl Inner {
    fn since(&self, millis: u64) -> Duration {
        self.origin.elapsed().saturating_sub(Duration::from_millis(millis))
    }

    /// Reads what was registered and what changed. What fails half-way is read again in the next round.
    async fn round(&self, state: &mut State) -> Result<(), DbError> {
        let began = u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(NEVER - 1);
        let result = self.read_changes(state).await;
        let was_away = self.is_away.swap(result.is_err(), Ordering::Relaxed);
        match &result {
            Err(error) if !was_away => {
                tracing::warn!(%error, "changes cannot be read at the moment: what was read last stays in use");
            }
            Ok(()) if was_away => tracing::info!("changes can be read again"),
            _ => {}
        }
        let registered = self.registered.lock().expect("nobody panics with it");
        if result.is_ok() && registered.is_empty() {
            self.followed.store(began, Ordering::Release);
        }
        self.ended.notify_waiters();
        result
    }

    async fn read_changes(&self, state: &mut State) -> Result<(), DbError> {
        let new = std::mem::take(&mut *self.registered.lock().expect("nobody panics with it"));
        state.parts.extend(new.into_iter().map(|holds| FollowedPart { holds, is_loaded: false }));
        let mut conn = self.db.read().await?;
        let mut position = match state.position {
            Some(position) => position,
            None => queries::newest_change(&mut conn).await?,
        };
        let mut changes = queries::list_changes(&mut conn, position).await?;
        if changes.first().is_none_or(|first| first.change != position) {
            // What followed on it is deleted already, or the database is another one.
            state.parts.iter_mut().for_each(|part| part.is_loaded = false);
            position = queries::newest_change(&mut conn).await?;
            changes = Vec::new();
        }
        let last = changes.last().map_or(position, |last| last.change);
        let mut changed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for change in changes.into_iter().skip(1) {
            changed.entry(change.kind).or_default().insert(change.id);
        }
        for part in &mut state.parts {
            // What is read here is as new as the newest change or newer.
            let ids = changed.get(part.holds.kind());
            if !part.is_loaded || ids.is_some_and(|ids| ids.len() > ONE_BY_ONE) {
                part.is_loaded = false;
                part.holds.load(&mut conn).await?;
                part.is_loaded = true;
            } else if let Some(ids) = ids {
                part.holds.apply(&mut conn, ids).await?;
            }
        }
        state.position = Some(last);
        Ok(())
    }
}

async fn run(inner: Arc<Inner>) {
    tokio::select! {
        () = inner.shutdown.cancelled() => {}
        () = follow(&inner) => {}
        () = listen(&inner) => {}
    }
}

async fn follow(inner: &Inner) {
    loop {
        tokio::time::sleep(PAUSE).await;
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = inner.wake.notified() => {}
        }
        let mut state = inner.state.lock().await;
        // Said once where it began; the next round comes soon.
        let _ = inner.round(&mut state).await;
    }
}

/// Hears of changes in other processes. What it misses costs half a second.
async fn listen(inner: &Inner) {
    let Some(url) = &inner.notify_url else { return std::future::pending().await };
    loop {
        if let Err(error) = listen_once(inner, url).await {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "not listening for changes at the moment"
            );
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

async fn listen_once(inner: &Inner, url: &str) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect(url).await?;
    listener.listen(CHANNEL).await?;
    loop {
        listener.recv().await?;
        inner.wake.notify_one();
    }
}
