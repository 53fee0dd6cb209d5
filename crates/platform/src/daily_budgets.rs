//! Budgets of a UTC day that all processes share: a row each, written only while something is left. Used by `render` for what
//! strangers may cause and by `refresh` for pending domains. Must never cost the database a write for a refusal.
//! See docs/decisions/0416.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use cache::Cache;
use store::{Conn, Db, DbError, on_engine};

use crate::clock::Clock;

/// Budgets that are remembered to be used up.
const MOST_USED_UP: u64 = 100_000;
/// Time for which budgets are remembered without being asked for.
const REMEMBERED_FOR: Duration = Duration::from_secs(24 * 3600);

/// A number of events in a UTC day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DailyBudget {
    /// Name of the budget in the database.
    pub bucket: String,
    /// Events that are allowed.
    pub most: u64,
}

/// Counts events of the day. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DailyBudgets {
    db: Db,
    clock: Clock,
    /// The day on which each budget was found to be used up.
    used_up: Cache<str, i64>,
    swept_on: Arc<AtomicI64>,
}

impl DailyBudgets {
    /// Counts in this database.
    pub fn new(db: &Db, clock: &Clock) -> DailyBudgets {
        let used_up = Cache::builder(MOST_USED_UP).keeps_newest().time_to_idle(REMEMBERED_FOR).build();
        DailyBudgets { db: db.clone(), clock: clock.clone(), used_up, swept_on: Arc::default() }
    }

    /// Takes one event of each budget, or of none. Returns false when one is used up.
    pub async fn take_one_of_each(&self, budgets: &[DailyBudget]) -> Result<bool, DbError> {
        let day = self.clock.now().day_number();
        if budgets.iter().any(|budget| self.is_used_up(budget, day)) {
            return Ok(false);
        }
        let mut tx = self.db.write().await?;
        for budget in budgets {
            if add(&mut tx, &budget.bucket, day, 1).await? > budget.most {
                self.used_up.insert(&budget.bucket, day);
                return Ok(false);
            }
        }
        self.sweep(&mut tx, day).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Takes as many of `wanted` events as are left. Returns how many.
    pub async fn take_up_to(&self, budget: &DailyBudget, wanted: u64) -> Result<u64, DbError> {
        let day = self.clock.now().day_number();
        if wanted == 0 || self.is_used_up(budget, day) {
            return Ok(0);
        }
        let mut tx = self.db.write().await?;
        let used = add(&mut tx, &budget.bucket, day, wanted).await?;
        let over = used.saturating_sub(budget.most).min(wanted);
        if over > 0 {
            self.used_up.insert(&budget.bucket, day);
            subtract(&mut tx, &budget.bucket, over).await?;
        }
        self.sweep(&mut tx, day).await?;
        tx.commit().await?;
        Ok(wanted - over)
    }

    fn is_used_up(&self, budget: &DailyBudget, day: i64) -> bool {
        budget.most == 0 || self.used_up.get(&budget.bucket).is_some_and(|used_up| *used_up == day)
    }

    /// Deletes budgets of past days, once a day.
    async fn sweep(&self, conn: &mut Conn, day: i64) -> Result<(), DbError> {
        if self.swept_on.swap(day, Ordering::Relaxed) == day {
            return Ok(());
        }
        const SQL: &str = "delete from daily_budgets where day < $1";
        // Yesterday's stay: another process's clock may be behind.
        Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(day - 1).execute(c).await.map(drop))?)
    }
}

/// Adds events to a budget, which begins anew on another day. Returns what is used.
async fn add(conn: &mut Conn, bucket: &str, day: i64, events: u64) -> Result<u64, DbError> {
    // A day that is one ahead was begun by a process whose clock is ahead.
    const SQL: &str = "insert into daily_budgets (bucket, day, used) values ($1, $2, $3) \
         on conflict (bucket) do update set \
         used = case when daily_budgets.day in ($2, $2 + 1) then daily_budgets.used + $3 else $3 end, \
         day = case when daily_budgets.day = $2 + 1 then daily_budgets.day else $2 end \
         returning used";
    let events = i64::try_from(events).unwrap_or(i64::MAX);
    let used: i64 = on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(bucket).bind(day).bind(events).fetch_one(c).await
    })?;
    Ok(used.unsigned_abs())
}

async fn subtract(conn: &mut Conn, bucket: &str, events: u64) -> Result<(), DbError> {
    const SQL: &str = "update daily_budgets set used = used - $2 where bucket = $1";
    let events = i64::try_from(events).unwrap_or(i64::MAX);
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(bucket).bind(events).execute(c).await.map(drop))?)
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::testing::{NOON, for_each_engine};

    async fn on_each_engine(test: impl AsyncFn(&Db, Clock)) {
        for_each_engine(async |db| {
            test(db, Clock::fixed(NOON)).await;
        })
        .await;
    }

    fn budget(bucket: &str, most: u64) -> DailyBudget {
        DailyBudget { bucket: bucket.to_owned(), most }
    }

    async fn taken(budgets: &DailyBudgets, of: &[DailyBudget], times: usize) -> usize {
        let mut taken = 0;
        for _ in 0..times {
            taken += usize::from(budgets.take_one_of_each(of).await.unwrap());
        }
        taken
    }

    #[tokio::test]
    async fn all_processes_share_a_budget_which_begins_anew_with_the_day() {
        on_each_engine(async |db, clock| {
            let (one, two) = (DailyBudgets::new(db, &clock), DailyBudgets::new(db, &clock));
            let five = [budget("a", 5)];

            let first_day = taken(&one, &five, 4).await + taken(&two, &five, 4).await;
            clock.advance(Duration::from_secs(12 * 3600));

            assert_eq!((first_day, taken(&one, &five, 9).await), (5, 5));
        })
        .await;
    }

    #[tokio::test]
    async fn an_event_that_one_budget_refuses_is_taken_of_no_other() {
        on_each_engine(async |db, clock| {
            let budgets = DailyBudgets::new(db, &clock);
            let both = [budget("large", 4), budget("small", 1)];

            let together = taken(&budgets, &both, 3).await;

            assert_eq!((together, taken(&budgets, &[budget("large", 4)], 9).await), (1, 3));
        })
        .await;
    }

    #[tokio::test]
    async fn as_much_as_is_left_is_taken_at_once() {
        on_each_engine(async |db, clock| {
            let budgets = DailyBudgets::new(db, &clock);
            let hundred = budget("pages", 100);

            let first = budgets.take_up_to(&hundred, 70).await.unwrap();
            let second = budgets.take_up_to(&hundred, 70).await.unwrap();
            let third = DailyBudgets::new(db, &clock).take_up_to(&hundred, 1).await.unwrap();

            assert_eq!((first, second, third), (70, 30, 0));
        })
        .await;
    }

    #[tokio::test]
    async fn a_refusal_writes_nothing_and_past_days_are_deleted() {
        on_each_engine(async |db, clock| {
            let budgets = DailyBudgets::new(db, &clock);
            taken(&budgets, &[budget("old", 1)], 2).await;
            let mut tx = db.write().await.unwrap();
            on_engine!(tx, |c| sqlx::query("delete from daily_budgets").execute(c).await.map(drop)).unwrap();
            tx.commit().await.unwrap();

            let refused = taken(&budgets, &[budget("old", 1)], 1).await;
            taken(&DailyBudgets::new(db, &clock), &[budget("old", 1)], 1).await;
            clock.advance(Duration::from_secs(48 * 3600));
            taken(&budgets, &[budget("new", 1)], 1).await;

            let mut conn = db.read().await.unwrap();
            let sql = "select bucket from daily_budgets";
            let left: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(sql).fetch_all(c).await).unwrap();
            assert_eq!((refused, left.as_slice()), (0, ["new".to_owned()].as_slice()));
        })
        .await;
    }
}
