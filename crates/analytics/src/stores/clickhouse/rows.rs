//! Rows of the tables. Pure.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ::clickhouse::{Row, RowOwned};
use serde::{Deserialize, Serialize};

use super::super::VisitError;
use crate::model::{Day, DayKey, ServedBy, TimeKey, Verified, VisitKey};
use crate::policy::RefusalKey;
use crate::referrals::ReferralKey;
use crate::sums::{Kind, PageVisits, VisitSum};
use domains::{DomainId, PolicyAction};

/// Prefix of the domain of a row that is the name of a batch. No domain begins like this.
pub const BATCH: &str = "batch:";

/// Row of a table that batches fill.
pub trait TableRow: RowOwned + for<'a> Row<Value<'a> = Self> + Serialize + Send + Sync {
    const TABLE: &'static str;
    /// Columns of the table in the order of the fields, with their types.
    const COLUMNS: &'static str;

    fn day(&self) -> u16;

    /// Makes the row that is a batch's name. No report counts it.
    fn name(batch: String, month: u16) -> Self;
}

/// Counts of a page.
#[derive(Debug, Default, Row, Serialize, Deserialize)]
pub struct PageVisitRow {
    pub domain: String,
    pub day: u16,
    pub path: String,
    pub crawler: String,
    pub verified: u8,
    pub served: u8,
    pub status: u16,
    pub visits: u64,
}

/// Counts of a day.
#[derive(Debug, Default, Row, Serialize, Deserialize)]
pub struct TotalRow {
    pub domain: String,
    pub day: u16,
    pub crawler: String,
    pub verified: u8,
    pub served: u8,
    pub status: u16,
    pub visits: u64,
}

/// Counts of times.
#[derive(Debug, Default, Row, Serialize, Deserialize)]
pub struct TimeRow {
    pub domain: String,
    pub day: u16,
    pub served: u8,
    pub bucket: u16,
    pub visits: u64,
}

/// People from assistants.
#[derive(Debug, Default, Row, Serialize, Deserialize)]
pub struct ReferralRow {
    pub domain: String,
    pub day: u16,
    pub path: String,
    pub assistant: String,
    pub visits: u64,
}

/// Refusals by crawler policies.
#[derive(Debug, Default, Row, Serialize, Deserialize)]
pub struct RefusalRow {
    pub domain: String,
    pub day: u16,
    pub crawler: String,
    pub action: String,
    pub enforced: u8,
    pub visits: u64,
}

/// Implements [`TableRow`] with a row's own fields.
macro_rules! table_row {
    ($row:ident, $table:literal, $columns:literal) => {
        impl TableRow for $row {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static str = $columns;

            fn day(&self) -> u16 {
                self.day
            }

            fn name(batch: String, month: u16) -> $row {
                $row { domain: batch, day: month, visits: 1, ..$row::default() }
            }
        }
    };
}

table_row!(
    PageVisitRow,
    "visits",
    "domain String, day UInt16, path String, crawler String, verified UInt8, served UInt8, status UInt16, visits UInt64"
);
table_row!(
    TotalRow,
    "visit_totals",
    "domain String, day UInt16, crawler String, verified UInt8, served UInt8, status UInt16, visits UInt64"
);
table_row!(TimeRow, "visit_times", "domain String, day UInt16, served UInt8, bucket UInt16, visits UInt64");
table_row!(
    ReferralRow,
    "visit_referrals",
    "domain String, day UInt16, path String, assistant String, visits UInt64"
);

table_row!(
    RefusalRow,
    "policy_refusals",
    "domain String, day UInt16, crawler String, action String, enforced UInt8, visits UInt64"
);

/// Converts a day to the stored form. None: the day is before 1970 or after 2149.
pub fn stored_day(day: Day) -> Option<u16> {
    u16::try_from(day).ok()
}

/// Cuts a window to the days that can be stored.
pub fn stored_window((from, to): (Day, Day)) -> (u16, u16) {
    let stored = |day: Day| day.clamp(0, Day::from(u16::MAX)) as u16;
    (stored(from), stored(to))
}

impl PageVisitRow {
    pub fn of((key, visits): &(VisitKey, u64)) -> Option<PageVisitRow> {
        Some(PageVisitRow {
            domain: key.domain.to_string(),
            day: stored_day(key.day)?,
            path: key.path.to_string(),
            crawler: key.crawler.to_string(),
            verified: key.verified as u8,
            served: key.served as u8,
            status: key.status,
            visits: *visits,
        })
    }
}

impl TotalRow {
    pub fn of((key, visits): &(DayKey, u64)) -> Option<TotalRow> {
        Some(TotalRow {
            domain: key.domain.to_string(),
            day: stored_day(key.day)?,
            crawler: key.crawler.to_string(),
            verified: key.verified as u8,
            served: key.served as u8,
            status: key.status,
            visits: *visits,
        })
    }
}

impl TimeRow {
    pub fn of((key, visits): &(TimeKey, u64)) -> Option<TimeRow> {
        let (day, bucket) = (stored_day(key.day)?, u16::try_from(key.bucket).ok()?);
        let (domain, served) = (key.domain.to_string(), key.served as u8);
        Some(TimeRow { domain, day, served, bucket, visits: *visits })
    }
}

impl ReferralRow {
    pub fn of((key, people): &(ReferralKey, u64)) -> Option<ReferralRow> {
        let (domain, path) = (key.domain.to_string(), key.path.to_string());
        let (day, assistant) = (stored_day(key.day)?, key.assistant.clone());
        Some(ReferralRow { domain, day, path, assistant, visits: *people })
    }
}

impl RefusalRow {
    pub fn of((key, requests): &(RefusalKey, u64)) -> Option<RefusalRow> {
        Some(RefusalRow {
            domain: key.domain.to_string(),
            day: stored_day(key.day)?,
            crawler: key.crawler.to_string(),
            action: key.action.as_str().to_owned(),
            enforced: u8::from(key.enforced),
            visits: *requests,
        })
    }

    /// Converts a row. None: its action is of a newer version.
    pub fn read(self) -> Option<(RefusalKey, u64)> {
        let (domain, crawler) = (DomainId::from(self.domain), self.crawler.into());
        let (day, action) = (Day::from(self.day), PolicyAction::parse(&self.action)?);
        Some((RefusalKey { domain, day, crawler, action, enforced: self.enforced != 0 }, self.visits))
    }
}

/// Converts a stored number to the result of an identity check.
pub fn verified(number: u8) -> Result<Verified, VisitError> {
    let all = [Verified::Yes, Verified::No, Verified::Unknown];
    all.into_iter().find(|verified| *verified as u8 == number).ok_or_else(damaged)
}

/// Converts a stored number to the source of an answer.
pub fn served(number: u8) -> Result<ServedBy, VisitError> {
    let all = [ServedBy::Cache, ServedBy::Render, ServedBy::Origin];
    all.into_iter().find(|served| *served as u8 == number).ok_or_else(damaged)
}

fn damaged() -> VisitError {
    VisitError::refused("its answer is not what was asked for")
}

/// Groups rows of pages by path.
pub fn pages_of(rows: Vec<PageVisitRow>) -> Result<Vec<PageVisits>, VisitError> {
    let mut kinds: HashSet<Arc<Kind>> = HashSet::new();
    let mut pages: HashMap<String, Vec<VisitSum>> = HashMap::new();
    for row in rows {
        let (verified, served) = (verified(row.verified)?, served(row.served)?);
        let kind = Arc::new(Kind { crawler: row.crawler, verified, served, status: row.status });
        let kind = kinds.get(&kind).cloned().unwrap_or_else(|| {
            kinds.insert(kind.clone());
            kind
        });
        let sum = VisitSum { kind, last: Day::from(row.day), visits: row.visits };
        pages.entry(row.path).or_default().push(sum);
    }
    Ok(pages.into_iter().map(|(path, sums)| PageVisits { path: path.into(), sums }).collect())
}
