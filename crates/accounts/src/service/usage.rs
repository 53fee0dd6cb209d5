//! Monthly usage of accounts against their plan: reserved before work, given back when the work comes to nothing.
//! Used by every feature that counts. Must never let more be reserved than is left.

use std::sync::Arc;

use store::{DbError, Tx};

use super::Accounts;
use super::key_filter::UsedUp;
use crate::model::AccountId;
use crate::queries;
use crate::usage::{Reservation, UsageMetric};
use platform::clock::Timestamp;
use platform::plans::PlanLimit;

impl Accounts {
    /// Checks in memory whether an account may have renders left this month. Returns `None` when it has none left. When
    /// the database then finds none left either, the caller records that with `RendersLeft::none`.
    pub fn renders_left(&self, account: &AccountId) -> Option<RendersLeft> {
        let month = self.0.clock.now().month();
        let used_up = self.0.used_up.clone();
        let is_used_up = used_up.contain(account, &month);
        (!is_used_up).then(|| RendersLeft {
            account: account.clone(),
            month,
            changes: used_up.changes(),
            used_up,
        })
    }

    /// Takes `count` of this month's allowance; `None`: that would be over `limit`, and nothing was taken.
    pub async fn reserve(
        &self,
        account: &AccountId,
        metric: UsageMetric,
        count: u64,
        limit: PlanLimit,
    ) -> Result<Option<Reservation>, DbError> {
        let mut tx = self.0.db.write().await?;
        let taken = self.reserve_in(&mut tx, account, metric, count, limit).await?;
        tx.commit().await?;
        Ok(taken)
    }

    /// Reserves usage in the caller's transaction.
    pub async fn reserve_in(
        &self,
        tx: &mut Tx,
        account: &AccountId,
        metric: UsageMetric,
        count: u64,
        limit: PlanLimit,
    ) -> Result<Option<Reservation>, DbError> {
        let month = self.0.clock.now().month();
        let (n, most) = (as_stored(count), limit.most().map_or(i64::MAX, as_stored));
        let taken = queries::reserve_usage(tx, account, &month, metric, n, most).await?;
        Ok(taken.then(|| Reservation { account: account.clone(), metric, month, count }))
    }

    /// Gives a reservation back, as when a render failed. To the month that it came from.
    pub async fn refund(&self, reservation: &Reservation) -> Result<(), DbError> {
        let Reservation { account, metric, month, count } = reservation;
        let mut tx = self.0.db.write().await?;
        queries::refund_usage(&mut tx, account, month, *metric, as_stored(*count)).await?;
        tx.commit().await?;
        self.0.used_up.forget(account);
        Ok(())
    }

    /// Returns this month's use: month, its end, and a count for each metric.
    pub async fn usage(
        &self,
        account: &AccountId,
    ) -> Result<(String, Timestamp, Vec<(UsageMetric, u64)>), DbError> {
        let now = self.0.clock.now();
        let rows = queries::list_usage(&mut self.0.db.read().await?, account, &now.month()).await?;
        let used = |metric: UsageMetric| {
            let row = rows.iter().find(|(name, _)| name == metric.id());
            (metric, row.map_or(0, |(_, used)| (*used).max(0) as u64))
        };
        Ok((now.month(), now.start_of_next_month(), UsageMetric::ALL.map(used).to_vec()))
    }
}

/// Remembered state of an account before the database is asked for its allowance.
pub struct RendersLeft {
    account: AccountId,
    month: String,
    changes: u64,
    used_up: Arc<UsedUp>,
}

impl RendersLeft {
    /// Remembers that there are none until the month ends, an account changes, or a render is given back.
    pub fn none(self) {
        self.used_up.insert(&self.account, self.month, self.changes);
    }
}

fn as_stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
