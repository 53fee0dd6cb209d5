//! Visits in ClickHouse, for volumes beyond one machine: a table for each kind of row. The domains and the progress of imports
//! stay in the database. Visits that the database kept before stay there and are deleted as before.
//! See docs/decisions/0251.

mod batches;
mod circuit_breaker;
mod client;
mod connection;
mod rows;
mod tables;
#[cfg(test)]
mod tests;

use std::time::Duration;

use futures::future::BoxFuture;
use sha2::{Digest, Sha256};

use self::client::answer;
pub use self::connection::ClickHouseStore;
use self::rows::{
    PageVisitRow, ReferralRow, RefusalRow, TimeRow, TotalRow, pages_of, stored_day, stored_window,
};
use self::tables::NEVER;
use super::{
    CountedLines, FirstDay, FirstDays, PageCounts, PageSelection, StoredDay, VisitError, VisitStore,
};
use crate::for_dashboard::DomainDay;
use crate::import::LogPart;
use crate::model::{Day, OTHER_PATHS, VisitKey};
use crate::policy::RefusalKey;
use crate::queries::reading;
use crate::referrals::{ReferralCount, ReferralRows, ReferralTotals};
use crate::spool::Counts;
use crate::sums::{DayTotal, Kind, PageVisits, Scope, TimeCounts};
use domains::DomainId;

/// Timeout of a check, shorter than the timeouts of its callers.
const CHECK_PATIENCE: Duration = Duration::from_secs(4);

/// Returns the condition of visits in scope, impostors' left out.
fn in_scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Snapshots => "verified != 1 and served != 2",
        Scope::WithOrigin => "verified != 1",
    }
}

impl VisitStore for ClickHouseStore {
    fn check(&self) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(async move {
            self.ask_for::<u8>(CHECK_PATIENCE, self.client.query("select toUInt8(1)")).await.map(drop)
        })
    }

    fn apply<'a>(&'a self, file: &'a str, counts: &'a Counts) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            self.client().await?;
            self.count_file(file, counts).await
        })
    }

    /// Does nothing: names of batches stay for as long as visits by page, since each costs one row.
    fn forget_file<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async { Ok(()) })
    }

    fn import<'a>(
        &'a self,
        domain: &'a DomainId,
        part: &'a LogPart,
    ) -> BoxFuture<'a, Result<CountedLines, VisitError>> {
        Box::pin(async move {
            self.client().await?;
            self.import_part(domain, part).await
        })
    }

    fn totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DayTotal>, VisitError>> {
        const SQL: &str = "select domain, day, crawler, verified, served, status, sum(visits) from visit_totals \
             where domain = ? and day between ? and ? group by domain, day, crawler, verified, served, status";
        Box::pin(async move {
            let total = |row: TotalRow| {
                let (verified, served) = (rows::verified(row.verified)?, rows::served(row.served)?);
                let kind = Kind { crawler: row.crawler, verified, served, status: row.status };
                Ok(DayTotal { day: Day::from(row.day), kind: kind.into(), visits: row.visits })
            };
            let rows = self.report::<TotalRow>(self.of_window(SQL, domain, window)).await?;
            rows.into_iter().map(total).collect()
        })
    }

    fn days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DomainDay>, VisitError>> {
        const SQL: &str = "select domain, day, sum(visits), sumIf(visits, served != 2), sumIf(visits, status >= 400) from visit_totals \
             where domain in (select arrayJoin(?)) and day between ? and ? and verified != 1 group by domain, day";
        Box::pin(async move {
            let ids: Vec<&str> = domains.iter().map(DomainId::as_str).collect();
            let (from, to) = stored_window(window);
            let query = self.client.query(SQL).bind(ids).bind(from).bind(to);
            let day = |(domain, day, visits, served, failed): (String, u16, u64, u64, u64)| DomainDay {
                domain: DomainId::from(domain),
                day: Day::from(day),
                visits,
                served,
                failed,
            };
            Ok(self.report(query).await?.into_iter().map(day).collect())
        })
    }

    fn first_days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
    ) -> BoxFuture<'a, Result<Vec<(DomainId, Day)>, VisitError>> {
        const SQL: &str =
            "select domain, min(day) from visit_totals where domain in (select arrayJoin(?)) group by domain";
        Box::pin(async move {
            let ids: Vec<&str> = domains.iter().map(DomainId::as_str).collect();
            let rows: Vec<(String, u16)> = self.report(self.client.query(SQL).bind(ids)).await?;
            Ok(rows.into_iter().map(|(domain, day)| (DomainId::from(domain), Day::from(day))).collect())
        })
    }

    fn count_pages<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        scope: Scope,
    ) -> BoxFuture<'a, Result<PageCounts, VisitError>> {
        Box::pin(async move {
            let counted = format!("domain = ? and {} and path != '{OTHER_PATHS}'", in_scope(scope));
            let kept = match scope {
                Scope::Snapshots => "served",
                Scope::WithOrigin => "any",
            };
            let visited =
                format!("select uniqExact(path) from visits where {counted} and day between ? and ?");
            let new = format!(
                "select count() from (select path, min(first) as first_ever from (\
                 select path, min(day) as first from visits where {counted} group by path \
                 union all select path, minMerge({kept}) as first from visit_first_days where domain = ? group by path\
             ) group by path) where first_ever between ? and ?"
            );
            let (from, to) = stored_window(window);
            let visited = self.of_window(&visited, domain, window);
            let new = self.client.query(&new).bind(domain.as_str()).bind(domain.as_str()).bind(from).bind(to);
            let one = |rows: Vec<u64>| rows.into_iter().next().unwrap_or_default();
            Ok(PageCounts { visited: one(self.report(visited).await?), new: one(self.report(new).await?) })
        })
    }

    fn times<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<TimeCounts, VisitError>> {
        const SQL: &str = "select served, bucket, sum(visits) from visit_times \
             where domain = ? and day between ? and ? group by served, bucket";
        Box::pin(async move {
            let rows: Vec<(u8, u16, u64)> = self.report(self.of_window(SQL, domain, window)).await?;
            let time = |(served, bucket, visits)| Ok(((rows::served(served)?, i64::from(bucket)), visits));
            rows.into_iter().map(time).collect()
        })
    }

    fn pages<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        scope: Scope,
        pages: PageSelection<'a>,
    ) -> BoxFuture<'a, Result<Vec<PageVisits>, VisitError>> {
        Box::pin(async move {
            let only = match pages {
                PageSelection::All => "",
                PageSelection::One(_) => "and path = ?",
                PageSelection::Failed => "and status >= 400",
            };
            let sql = format!(
                "select '', max(day), path, crawler, toUInt8(2), served, status, sum(visits) from visits \
                 where domain = ? and day between ? and ? and {} {only} group by path, crawler, served, status",
                in_scope(scope)
            );
            let mut query = self.of_window(&sql, domain, window);
            if let PageSelection::One(path) = pages {
                query = query.bind(path);
            }
            pages_of(self.report(query).await?)
        })
    }

    fn rows<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
    ) -> BoxFuture<'a, Result<Vec<(VisitKey, u64)>, VisitError>> {
        const SQL: &str = "select domain, day, path, crawler, verified, served, status, sum(visits) from visits \
             where domain = ? and day between ? and ? group by domain, day, path, crawler, verified, served, status";
        Box::pin(async move {
            let row = |row: PageVisitRow| {
                let (verified, served) = (rows::verified(row.verified)?, rows::served(row.served)?);
                let (path, crawler, status) = (row.path.into(), row.crawler.into(), row.status);
                let domain = domain.clone();
                Ok((VisitKey { domain, day, path, crawler, verified, served, status }, row.visits))
            };
            let rows = self.report::<PageVisitRow>(self.of_window(SQL, domain, (day, day))).await?;
            rows.into_iter().map(row).collect()
        })
    }

    fn referrals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        rows: ReferralRows<'a>,
    ) -> BoxFuture<'a, Result<Vec<ReferralCount>, VisitError>> {
        Box::pin(async move {
            let select = "select assistant, path, sum(visits) from visit_referrals \
                 where domain = ? and day between ? and ?";
            let query = match rows {
                ReferralRows::OfPages([]) => return Ok(Vec::new()),
                ReferralRows::Top(most) => {
                    let sql = format!(
                        "{select} group by assistant, path order by sum(visits) desc, path, assistant limit ?"
                    );
                    self.of_window(&sql, domain, window).bind(most)
                }
                ReferralRows::OfPages(paths) => {
                    let sql = format!("{select} and path in (select arrayJoin(?)) group by assistant, path");
                    self.of_window(&sql, domain, window).bind(paths)
                }
            };
            let count =
                |(assistant, path, count): (String, String, u64)| ReferralCount { assistant, path, count };
            Ok(self.report(query).await?.into_iter().map(count).collect())
        })
    }

    fn referral_totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<ReferralTotals, VisitError>> {
        const SQL: &str = "select sum(visits), uniqExact(assistant, path) from visit_referrals \
             where domain = ? and day between ? and ?";
        Box::pin(async move {
            let sums: Vec<(u64, u64)> = self.report(self.of_window(SQL, domain, window)).await?;
            let (people, rows) = sums.into_iter().next().unwrap_or_default();
            Ok(ReferralTotals { people, rows })
        })
    }

    fn refusals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<(RefusalKey, u64)>, VisitError>> {
        const SQL: &str = "select domain, day, crawler, action, enforced, sum(visits) from policy_refusals \
             where domain = ? and day between ? and ? group by domain, day, crawler, action, enforced";
        Box::pin(async move {
            let rows: Vec<RefusalRow> = self.report(self.of_window(SQL, domain, window)).await?;
            Ok(rows.into_iter().filter_map(RefusalRow::read).collect())
        })
    }

    fn first_day(&self) -> BoxFuture<'_, Result<Option<Day>, VisitError>> {
        Box::pin(async move {
            // Rows with the names of batches have no status and no assistant.
            const SQL: &str = "select min(day) from (select day from visits where status != 0 \
                 union all select day from visit_referrals where assistant != '') having count() > 0";
            let here: Vec<u16> = answer(self.client().await?.query(SQL).fetch_all()).await?;
            Ok(here.into_iter().map(Day::from).chain(self.database.first_day().await?).min())
        })
    }

    /// Deletes rows of removed domains too.
    fn delete_before(&self, day: Day) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(async move {
            self.database.delete_before(day).await?;
            let client = self.client().await?;
            self.import_pending().await?;
            tables::delete_before(client, day).await?;
            // Half of the limit is for pages that have visits.
            tables::delete_expired_paths(client, self.max_paths / 2).await?;
            let domains = tables::list_domains(client).await?;
            let existing = reading::list_existing(&mut self.db.read().await?, &domains).await?;
            for domain in domains.iter().filter(|domain| !existing.contains(*domain)) {
                tables::forget_domain(client, domain).await?;
            }
            Ok(())
        })
    }

    fn forget_domain<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            self.database.forget_domain(domain).await?;
            tables::forget_domain(self.client().await?, domain).await
        })
    }

    fn list_days<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<Vec<Day>, VisitError>> {
        const SQL: &str = "select distinct day from (select day, domain from visit_totals \
             union all select day, domain from visit_referrals \
             union all select day, domain from policy_refusals) where domain = ?";
        Box::pin(async move {
            let query = self.client().await?.query(SQL).bind(domain.as_str());
            let days: Vec<u16> = answer(query.fetch_all()).await?;
            Ok(days.into_iter().map(Day::from).collect())
        })
    }

    /// Inserts the day under a name that hashes its content and is deleted with it: two copies of the same day are inserted once.
    fn put_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
        stored: &'a StoredDay,
    ) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            tables::forget_day(self.client().await?, domain, day).await?;
            let content = Sha256::digest(format!("{stored:?}"));
            let name = format!("{}{}", tables::copy_name(domain, day), hex::encode(&content[..16]));
            self.insert(&name, stored.pages.iter().filter_map(PageVisitRow::of)).await?;
            self.insert(&name, stored.days.iter().filter_map(TotalRow::of)).await?;
            self.insert(&name, stored.times.iter().filter_map(TimeRow::of)).await?;
            self.insert(&name, stored.referrals.iter().filter_map(ReferralRow::of)).await?;
            self.insert(&name, stored.refusals.iter().filter_map(RefusalRow::of)).await
        })
    }

    fn list_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
    ) -> BoxFuture<'a, Result<Vec<FirstDay>, VisitError>> {
        Box::pin(async move {
            let sql = format!(
                "select path, min(served_first), min(any_first) from (\
                     select path, min(if(served != 2, day, toUInt16({NEVER}))) as served_first, min(day) as any_first \
                     from visits where domain = ? and verified != 1 and path != '{OTHER_PATHS}' group by path \
                     union all select path, minMerge(served) as served_first, minMerge(any) as any_first \
                     from visit_first_days where domain = ? group by path) group by path"
            );
            let query = self.client().await?.query(&sql).bind(domain.as_str()).bind(domain.as_str());
            let first = |(path, served, any): (String, u16, u16)| {
                let served = (served != NEVER).then_some(Day::from(served));
                (path.into(), FirstDays { served, any: Day::from(any) })
            };
            let rows: Vec<(String, u16, u16)> = answer(query.fetch_all()).await?;
            Ok(rows.into_iter().map(first).collect())
        })
    }

    /// Adds first days. A repeated call changes nothing.
    fn add_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
        first: &'a [FirstDay],
    ) -> BoxFuture<'a, Result<(), VisitError>> {
        const SQL: &str = "insert into visit_first_days select ?, r.1 as p, minState(toUInt16(r.2)), minState(toUInt16(r.3)) \
             from (select arrayJoin(arrayMap((a, b, c) -> (a, b, c), ?, ?, ?)) as r) group by p";
        Box::pin(async move {
            for part in first.chunks(1_000) {
                let stored = |(path, days): &FirstDay| {
                    let served = days.served.and_then(stored_day).unwrap_or(NEVER);
                    Some((path.to_string(), served, stored_day(days.any)?))
                };
                let (mut paths, mut served, mut any) = (Vec::new(), Vec::new(), Vec::new());
                for (path, served_day, any_day) in part.iter().filter_map(stored) {
                    paths.push(path);
                    served.push(served_day);
                    any.push(any_day);
                }
                let query = self.client().await?.query(SQL).bind(domain.as_str());
                client::execute(query.bind(paths).bind(served).bind(any)).await?;
            }
            Ok(())
        })
    }
}
