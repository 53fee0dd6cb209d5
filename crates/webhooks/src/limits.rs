//! Watch over the limits of plans: accounts whose webhooks ask for it are told once that a limit is near, and that it is reached.
//! Used by a job, once a minute. The monthly counts start again with the month, which ends both conditions.

use std::sync::Arc;

use accounts::ports::AccountHoldings;
use accounts::usage::{UsageEntry, entries};
use accounts::{AccountId, Accounts};
use platform::Platform;
use store::DbError;

use crate::conditions::Condition;
use crate::emitting::{Events, NewEvent};
use crate::events::{EventData, LimitNear, LimitReached};

const NEAR: &str = "limit.near";
const REACHED: &str = "limit.reached";

/// Watch over the limits of plans. Cheap to clone.
#[derive(Clone)]
pub struct LimitWatch {
    pub platform: Platform,
    pub accounts: Accounts,
    pub holdings: Arc<dyn AccountHoldings>,
    pub events: Events,
}

impl LimitWatch {
    /// Checks the limits of every account whose webhooks ask for these events.
    pub(crate) async fn look(&self) -> Result<(), DbError> {
        let listeners = self.events.listeners(&self.platform.db, &[NEAR, REACHED]).await?;
        for account in listeners.accounts() {
            self.look_at(&account).await?;
        }
        Ok(())
    }

    async fn look_at(&self, id: &AccountId) -> Result<(), DbError> {
        let Some(account) = self.accounts.find_account(id).await? else { return Ok(()) };
        let holdings = self.holdings.count(id).await?;
        let (_, _, counts) = self.accounts.usage(id).await?;
        let used =
            |metric| counts.iter().find(|(counted, _)| *counted == metric).map_or(0, |(_, used)| *used);
        let limits = entries(self.platform.config.plan(account.plan), used, holdings);
        let mut tx = self.platform.db.write().await?;
        for (name, used, limit) in limits.iter().filter_map(measured) {
            let near = EventData::from(LimitNear { name: name.to_owned(), used, limit });
            let reached = EventData::from(LimitReached { name: name.to_owned(), used, limit });
            // A fifth is left, in whole numbers.
            let states = [(NEAR, used * 5 >= limit * 4, near), (REACHED, used >= limit, reached)];
            for (kind, holds, data) in states {
                let condition = Condition { account: id, domain: None, subject: name, kind };
                if !holds {
                    self.events.end_condition(&mut tx, &condition).await?;
                } else if self.events.begin_condition(&mut tx, &condition).await? {
                    self.events.emit(&mut tx, NewEvent { account: id, domain: None, data }).await?;
                }
            }
        }
        tx.commit().await?;
        self.events.wake();
        Ok(())
    }
}

/// Returns name, use and limit of what is counted and limited. A limit of nothing is never near.
fn measured(entry: &UsageEntry) -> Option<(&'static str, u64, u64)> {
    let limit = entry.limit.most().filter(|limit| *limit > 0)?;
    Some((entry.name, entry.used?, limit))
}
