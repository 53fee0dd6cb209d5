//! Whole days out of ClickHouse and into it: what `glasshouse analytics copy` does to it.

use sha2::{Digest, Sha256};

use super::client::quoted;
use super::rows::{BATCH, PAGE, REFERRAL, Reader, Row, stored_day};
use super::schema::{self, NEVER};
use super::{ClickHouseStore, DAY, TIME, of_window};
use crate::analytics::model::{Day, DayKey, OTHER_PATHS, TimeKey, VisitKey};
use crate::analytics::referrals::ReferralKey;
use crate::analytics::segments::first_days::FirstDays;
use crate::analytics::stores::{FirstDay, StoredDay, VisitError};
use crate::domains::DomainId;

/// First days in one statement, which the server reads up to 256 KiB of.
const MAX_STATEMENT_BYTES: usize = 100_000;

impl ClickHouseStore {
    pub(super) async fn stored_day(&self, domain: &DomainId, day: Day) -> Result<StoredDay, VisitError> {
        let of = |what: u8| of_window(domain, what, (day, day));
        let sql = |columns: &str, what: u8| {
            format!("select {columns}, sum(visits) from visits where {} group by {columns}", of(what))
        };
        let days = self
            .read(&sql("crawler, verified, served, status", DAY), |row| {
                let (crawler, verified) = (row.text()?.to_owned().into(), row.verified()?);
                let (served, status_class) = (row.served()?, row.u16()?);
                Ok((
                    DayKey { domain: domain.clone(), day, crawler, verified, served, status_class },
                    row.u64()?,
                ))
            })
            .await?;
        let pages = self
            .read(&sql("path, crawler, verified, served, status", PAGE), |row| {
                let (path, crawler) = (row.text()?.into(), row.text()?.to_owned().into());
                let (verified, served, status) = (row.verified()?, row.served()?, row.u16()?);
                let key = VisitKey { domain: domain.clone(), day, path, crawler, verified, served, status };
                Ok((key, row.u64()?))
            })
            .await?;
        let times = self
            .read(&sql("served, bucket", TIME), |row| {
                let (served, bucket) = (row.served()?, i64::from(row.u16()?));
                Ok((TimeKey { domain: domain.clone(), day, served, bucket }, row.u64()?))
            })
            .await?;
        let referrals = self
            .read(&sql("path, crawler", REFERRAL), |row| {
                let (path, assistant) = (row.text()?.into(), row.text()?.to_owned());
                Ok((ReferralKey { domain: domain.clone(), day, path, assistant }, row.u64()?))
            })
            .await?;
        Ok(StoredDay { days, pages, times, referrals }.sorted())
    }

    /// The name under which the day is inserted is its own, and is deleted with it: two that put the same day are one.
    pub(super) async fn replace_day(
        &self,
        domain: &DomainId,
        day: Day,
        stored: &StoredDay,
    ) -> Result<(), VisitError> {
        let Some(number) = stored_day(day) else { return Ok(()) };
        schema::forget_day(self.client().await?, domain, day).await?;
        let mut rows = Vec::new();
        stored.days.iter().filter_map(|(key, n)| Row::of_day(key, *n)).for_each(|row| row.write(&mut rows));
        stored.pages.iter().filter_map(|(key, n)| Row::of_page(key, *n)).for_each(|row| row.write(&mut rows));
        stored.times.iter().filter_map(|(key, n)| Row::of_time(key, *n)).for_each(|row| row.write(&mut rows));
        let referrals = stored.referrals.iter().filter_map(|(key, n)| Row::of_referral(key, *n));
        referrals.for_each(|row| row.write(&mut rows));
        let name = format!("copy:{}", hex::encode(&Sha256::digest(&rows)[..16]));
        let domain = domain.as_str();
        let name = Row { domain, what: BATCH, day: number, path: &name, visits: 1, ..Row::default() };
        self.insert(&name, rows).await
    }

    pub(super) async fn first_days(&self, domain: &DomainId) -> Result<Vec<FirstDay>, VisitError> {
        let ever = of_window(domain, PAGE, (0, Day::from(u16::MAX)));
        let sql = format!(
            "select path, min(served_first), min(any_first) from (\
                 select path, min(if(served != 2, day, toUInt16({NEVER}))) as served_first, min(day) as any_first \
                 from visits where {ever} and verified != 1 and path != {} group by path \
                 union all select path, minMerge(served) as served_first, minMerge(any) as any_first \
                 from visit_first_days where domain = {} group by path) group by path",
            quoted(OTHER_PATHS),
            quoted(domain.as_str())
        );
        let row = |row: &mut Reader<'_>| {
            let (path, served, any) = (row.text()?.into(), row.u16()?, row.day()?);
            Ok((path, FirstDays { served: (served != NEVER).then_some(Day::from(served)), any }))
        };
        self.read(&sql, row).await
    }

    /// Again: changes nothing.
    pub(super) async fn insert_first_days(
        &self,
        domain: &DomainId,
        first: &[FirstDay],
    ) -> Result<(), VisitError> {
        let mut statements: Vec<String> = Vec::new();
        for (path, days) in first {
            let Some(any) = stored_day(days.any) else { continue };
            let served = days.served.and_then(stored_day).unwrap_or(NEVER);
            let row = format!("({},{served},{any})", quoted(path));
            match statements.last_mut().filter(|rows| rows.len() < MAX_STATEMENT_BYTES) {
                Some(rows) => rows.extend([",", &row]),
                None => statements.push(row),
            }
        }
        for rows in statements {
            let sql = format!(
                "insert into visit_first_days select {}, r.1 as p, minState(toUInt16(r.2)), minState(toUInt16(r.3)) \
                 from (select arrayJoin([{rows}]) as r) group by p",
                quoted(domain.as_str())
            );
            self.client().await?.run(&sql).await?;
        }
        Ok(())
    }
}
