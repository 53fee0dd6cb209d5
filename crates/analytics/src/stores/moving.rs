//! Moving what is kept to another store: `glasshouse analytics copy`.
//! A day that is there already is left alone when it is the same. One that is part of ours is replaced, because an earlier
//! copy may have ended in the middle, or visits came since. One that has what ours has not is never touched.
//! See docs/decisions/0251.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::{VisitError, VisitStore};
use crate::model::{Day, DayKey, ServedBy, TimeKey, VisitKey};
use crate::policy::RefusalKey;
use crate::referrals::ReferralKey;
use domains::DomainId;

/// Days of the first visits of a path, impostors' left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstDays {
    /// First visit with a snapshot.
    pub served: Option<Day>,
    /// First visit at all.
    pub any: Day,
}

/// A path, and when it was visited first.
pub type FirstDay = (Arc<str>, FirstDays);

/// Everything that is kept of a domain's day, in order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct StoredDay {
    /// Counts of the day.
    pub days: Vec<(DayKey, u64)>,
    /// Counts by page; none when they are not kept any more.
    pub pages: Vec<(VisitKey, u64)>,
    /// Counts by time.
    pub times: Vec<(TimeKey, u64)>,
    /// People from assistants.
    pub referrals: Vec<(ReferralKey, u64)>,
    /// Refusals by crawler policies.
    pub refusals: Vec<(RefusalKey, u64)>,
}

/// What became of the days of a domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Days that were written.
    pub written: u64,
    /// Days that were there already.
    pub same: u64,
    /// Days that have visits there that are not here; nothing was done to them.
    pub different: u64,
}

impl StoredDay {
    /// In order, so that equal days are equal. Times of the origin's own answers are in no report and are left out.
    pub fn sorted(mut self) -> StoredDay {
        self.times.retain(|(key, _)| key.served != ServedBy::Origin);
        self.days.sort_unstable();
        self.pages.sort_unstable();
        self.times.sort_unstable();
        self.referrals.sort_unstable();
        self.refusals.sort_unstable();
        self
    }

    /// Whether everything of it is in another one.
    fn is_part_of(&self, other: &StoredDay) -> bool {
        is_part(&self.days, &other.days)
            && is_part(&self.pages, &other.pages)
            && is_part(&self.times, &other.times)
            && is_part(&self.referrals, &other.referrals)
            && is_part(&self.refusals, &other.refusals)
    }
}

fn is_part<K: Eq + Hash>(counts: &[(K, u64)], of: &[(K, u64)]) -> bool {
    let all: HashMap<&K, u64> = of.iter().map(|(key, count)| (key, *count)).collect();
    counts.iter().all(|(key, count)| all.get(key).is_some_and(|all| all >= count))
}

/// Copies a day.
pub async fn copy_day(
    from: &dyn VisitStore,
    to: &dyn VisitStore,
    domain: &DomainId,
    day: Day,
) -> Result<Copied, VisitError> {
    let ours = from.read_day(domain, day).await?;
    let theirs = to.read_day(domain, day).await?;
    if theirs == ours {
        return Ok(Copied { same: 1, ..Copied::default() });
    }
    if !theirs.is_part_of(&ours) {
        return Ok(Copied { different: 1, ..Copied::default() });
    }
    to.put_day(domain, day, &ours).await?;
    Ok(Copied { written: 1, ..Copied::default() })
}

/// Copies when pages were visited first. Before the days: a day that is deleted for its age there takes nothing with it.
pub async fn copy_first_days(
    from: &dyn VisitStore,
    to: &dyn VisitStore,
    domain: &DomainId,
) -> Result<(), VisitError> {
    to.add_first_days(domain, &from.list_first_days(domain).await?).await
}

impl std::ops::AddAssign for Copied {
    fn add_assign(&mut self, other: Copied) {
        self.written += other.written;
        self.same += other.same;
        self.different += other.different;
    }
}
