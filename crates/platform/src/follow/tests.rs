//! Followers never overlook a change, whatever happens between two reads.

use std::sync::Mutex;

use futures::future::BoxFuture;
use store::on_engine;
use store::testing::TestDb;

use super::*;
use crate::testing::{for_each_engine, postgres};

/// The names of all accounts' plans, and how they were read.
#[derive(Default)]
struct Plans {
    held: Mutex<BTreeMap<String, String>>,
    loads: Mutex<usize>,
}

impl Followed for Plans {
    fn kind(&self) -> &'static str {
        "account"
    }

    fn load<'a>(&'a self, conn: &'a mut Conn) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            let rows: Vec<(String, String)> =
                on_engine!(conn, |c| sqlx::query_as("select id, plan from accounts").fetch_all(c).await)?;
            *self.held.lock().unwrap() = rows.into_iter().collect();
            *self.loads.lock().unwrap() += 1;
            Ok(())
        })
    }

    fn apply<'a>(
        &'a self,
        conn: &'a mut Conn,
        ids: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            for id in ids {
                const SQL: &str = "select plan from accounts where id = $1";
                let plan: Option<String> =
                    on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(id).fetch_optional(c).await)?;
                let mut held = self.held.lock().unwrap();
                match plan {
                    Some(plan) => held.insert(id.clone(), plan),
                    None => held.remove(id),
                };
            }
            Ok(())
        })
    }
}

impl Plans {
    fn of(&self, id: &str) -> Option<String> {
        self.held.lock().unwrap().get(id).cloned()
    }
}

/// A follower that asks only when it is told to.
struct Process {
    follower: Follower,
    plans: Arc<Plans>,
}

impl Process {
    fn on(db: &TestDb) -> Process {
        let (follower, plans) = (Follower::of_command((**db).clone()), Arc::<Plans>::default());
        follower.register(plans.clone());
        Process { follower, plans }
    }

    async fn look(&self) -> Result<(), DbError> {
        self.follower.0.round(&mut *self.follower.0.state.lock().await).await
    }
}

async fn add(conn: &mut Conn, id: &str) {
    const SQL: &str = "insert into accounts (id, email, plan, active, created_at) \
         values ($1, $1, 'free', true, 0)";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id).execute(c).await.map(drop)).unwrap();
}

async fn set_plan(conn: &mut Conn, id: &str, plan: &str) {
    const SQL: &str = "update accounts set plan = $2 where id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id).bind(plan).execute(c).await.map(drop)).unwrap();
}

async fn execute(db: &Db, sql: &'static str) {
    let mut tx = db.write().await.unwrap();
    on_engine!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn only_what_changed_is_read_again() {
    for_each_engine(async |db| {
        let mut tx = db.write().await.unwrap();
        add(&mut tx, "a").await;
        add(&mut tx, "b").await;
        tx.commit().await.unwrap();
        let process = Process::on(db);
        process.look().await.unwrap();

        let mut tx = db.write().await.unwrap();
        set_plan(&mut tx, "a", "pro").await;
        add(&mut tx, "c").await;
        tx.commit().await.unwrap();
        execute(db, "delete from accounts where id = 'b'").await;
        process.look().await.unwrap();

        let held = ["a", "b", "c"].map(|id| process.plans.of(id));
        assert_eq!(held, [Some("pro".to_owned()), None, Some("free".to_owned())]);
        assert_eq!(*process.plans.loads.lock().unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_ends_after_a_younger_one_is_not_overlooked() {
    let db = postgres().await;
    let mut tx = db.write().await.unwrap();
    add(&mut tx, "slow").await;
    add(&mut tx, "fast").await;
    tx.commit().await.unwrap();
    let process = Process::on(&db);
    process.look().await.unwrap();

    let (mut slow, mut fast) = (db.write().await.unwrap(), db.write().await.unwrap());
    set_plan(&mut slow, "slow", "pro").await;
    set_plan(&mut fast, "fast", "pro").await;
    fast.commit().await.unwrap();
    process.look().await.unwrap();
    let before = (process.plans.of("slow"), process.plans.of("fast"));
    slow.commit().await.unwrap();
    process.look().await.unwrap();

    assert_eq!(before, (Some("free".to_owned()), Some("pro".to_owned())));
    assert_eq!(process.plans.of("slow").as_deref(), Some("pro"));
}

#[tokio::test]
async fn transactions_that_change_the_same_things_in_any_order_do_not_lock_each_other_up() {
    let db = postgres().await;
    let mut tx = db.write().await.unwrap();
    for id in ["a", "b", "c"] {
        add(&mut tx, id).await;
    }
    tx.commit().await.unwrap();

    let (mut one, mut two) = (db.write().await.unwrap(), db.write().await.unwrap());
    set_plan(&mut one, "a", "pro").await;
    set_plan(&mut two, "b", "pro").await;
    // Its change has no number yet, so this waits for nothing.
    set_plan(&mut one, "c", "pro").await;
    one.commit().await.unwrap();
    set_plan(&mut two, "a", "free").await;

    two.commit().await.unwrap();
}

#[tokio::test]
async fn who_stood_still_while_changes_were_forgotten_reads_everything_anew() {
    for_each_engine(async |db| {
        let process = Process::on(db);
        process.look().await.unwrap();

        let mut tx = db.write().await.unwrap();
        add(&mut tx, "a").await;
        add(&mut tx, "b").await;
        tx.commit().await.unwrap();
        execute(db, "delete from changes where change < (select max(change) from changes)").await;
        process.look().await.unwrap();

        assert!(process.plans.of("a").is_some() && process.plans.of("b").is_some());
        assert_eq!(*process.plans.loads.lock().unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_database_that_was_restored_from_a_backup_is_read_anew() {
    for_each_engine(async |db| {
        let mut tx = db.write().await.unwrap();
        add(&mut tx, "a").await;
        tx.commit().await.unwrap();
        let process = Process::on(db);
        process.look().await.unwrap();

        execute(db, "delete from accounts").await;
        execute(db, "delete from changes where change > 0").await;
        process.look().await.unwrap();

        assert_eq!(process.plans.of("a"), None);
    })
    .await;
}

#[tokio::test]
async fn only_the_last_changes_are_kept() {
    for_each_engine(async |db| {
        execute(db, "update changes set change = 20000").await;

        let mut tx = db.write().await.unwrap();
        add(&mut tx, "a").await;
        tx.commit().await.unwrap();
        execute(db, "update changes set change = change - 15000 where change = 20000").await;
        execute(db, "update accounts set plan = 'pro'").await;

        let kept = queries::list_changes(&mut db.read().await.unwrap(), 0).await.unwrap();
        assert_eq!(kept.iter().map(|change| change.change).collect::<Vec<_>>(), [20_001, 20_002]);
    })
    .await;
}

#[tokio::test]
async fn what_is_registered_later_is_read_before_anybody_goes_by_it() {
    for_each_engine(async |db| {
        let mut tx = db.write().await.unwrap();
        add(&mut tx, "a").await;
        tx.commit().await.unwrap();
        let process = Process::on(db);
        process.look().await.unwrap();

        let later = Arc::<Plans>::default();
        process.follower.register(later.clone());
        assert!(!process.follower.is_current());
        process.follower.current().await.unwrap();
        process.follower.0.shutdown.cancel();

        assert!(later.of("a").is_some() && process.follower.is_current());
    })
    .await;
}

#[tokio::test]
async fn a_database_that_hangs_holds_up_nobody_for_long_and_only_once() {
    let db = postgres().await;
    let process = Process::on(&db);
    process.look().await.unwrap();
    let mut hanging = db.write().await.unwrap();
    on_engine!(hanging, |c| sqlx::query("lock table changes").execute(c).await.map(drop)).unwrap();

    tokio::time::sleep(FRESH).await;
    assert!(!process.follower.is_current());
    process.follower.current().await.expect("what was read last stays in use");

    assert!(process.follower.is_current());
    drop(hanging);
    process.look().await.unwrap();
    assert!(!process.follower.0.is_away.load(Ordering::Relaxed));
    process.follower.0.shutdown.cancel();
}

#[tokio::test]
async fn what_another_process_has_just_added_is_not_said_to_be_missing() {
    for_each_engine(async |db| {
        let process = Process::on(db);
        process.follower.current().await.unwrap();
        let mut tx = db.write().await.unwrap();
        add(&mut tx, "a").await;
        tx.commit().await.unwrap();

        // Who waits gives up after a moment, which a busy machine may need several of.
        for _ in 0..50 {
            process.follower.caught_up().await;
            if process.plans.of("a").is_some() {
                break;
            }
        }

        assert!(process.plans.of("a").is_some());
        process.follower.0.shutdown.cancel();
    })
    .await;
}

#[tokio::test]
async fn postgres_wakes_who_listens_also_after_the_connection_was_lost() {
    let db = postgres().await;
    let ends = (TaskTracker::new(), CancellationToken::new());
    let follower = Follower::on((*db).clone(), Some(db.url().to_owned()), ends);
    let inner = follower.0.clone();
    let listening = follower.0.tasks.spawn(async move { listen(&inner).await });
    // One change after another until one is heard: nobody says when listening has begun.
    let heard = async || {
        for n in 0..600 {
            execute(&db, "delete from accounts").await;
            let mut tx = db.write().await.unwrap();
            add(&mut tx, &format!("a{n}")).await;
            tx.commit().await.unwrap();
            let wait = tokio::time::timeout(Duration::from_millis(100), follower.0.wake.notified());
            if wait.await.is_ok() {
                return true;
            }
        }
        false
    };
    assert!(heard().await);

    let lost = "select pg_terminate_backend(pid) from pg_stat_activity \
         where datname = current_database() and query like 'LISTEN%'";
    execute(&db, lost).await;

    assert!(heard().await);
    listening.abort();
}
