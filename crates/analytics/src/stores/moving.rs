//! Copying of visits to another store: `glasshouse analytics copy`.
//! A day that the other store has is skipped when it is the same. A day that is part of ours is replaced, because an earlier
//! copy may have ended in the middle, or visits came since. A day with counts that ours has not is never changed.
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
    /// Day of the first visit that was answered with a snapshot.
    pub served: Option<Day>,
    /// Day of the first visit.
    pub any: Day,
}

/// Path, and the days of its first visits.
pub type FirstDay = (Arc<str>, FirstDays);

/// Counts of a domain's day, in order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct StoredDay {
    /// Counts of the day.
    pub days: Vec<(DayKey, u64)>,
    /// Counts by page; empty when they are not kept any more.
    pub pages: Vec<(VisitKey, u64)>,
    /// Counts by duration of the answer.
    pub times: Vec<(TimeKey, u64)>,
    /// People from assistants.
    pub referrals: Vec<(ReferralKey, u64)>,
    /// Refusals by crawler policies.
    pub refusals: Vec<(RefusalKey, u64)>,
}

/// Result of copying the days of a domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Number of days that were written.
    pub written: u64,
    /// Number of days that the other store had already.
    pub same: u64,
    /// Number of days with visits that only the other store has; these days were not changed.
    pub different: u64,
}

impl StoredDay {
    /// Sorts the counts, so that equal days are equal. Durations of the origin's own answers are in no report and are left out.
    pub fn sorted(mut self) -> StoredDay {
        self.times.retain(|(key, _)| key.served != ServedBy::Origin);
        self.days.sort_unstable();
        self.pages.sort_unstable();
        self.times.sort_unstable();
        self.referrals.sort_unstable();
        self.refusals.sort_unstable();
        self
    }

    /// Decides whether another day contains all of these counts.
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

/// Copies the days of first visits. Must run before the days are copied: an old day that is deleted there loses no first day.
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
