//! The two tables, and the statements that keep them in order: making them, deleting from them.
//! A deletion is a rewrite of parts in the background that this waits for; what is inserted meanwhile is not touched.

use std::time::Duration;

use super::client::{Client, quoted};
use super::rows::{DAY, PAGE, Reader};
use crate::analytics::model::{Day, OTHER_PATHS};
use crate::analytics::stores::VisitError;
use crate::domains::DomainId;

/// Beyond it there is none: the first day of what was never served from a snapshot.
pub const NEVER: u16 = u16::MAX;

/// Rows with equal keys are summed up when parts are merged. By month, so that a batch is one part and old months go whole.
const VISITS: &str = "create table if not exists visits (domain String, what UInt8, day UInt16, path String, \
     crawler String, verified UInt8, served UInt8, status UInt16, bucket UInt16, visits UInt64) \
     engine = SummingMergeTree(visits) partition by toYYYYMM(toDate(day)) \
     order by (domain, what, day, path, crawler, verified, served, status, bucket)";
/// First days of pages whose visits are not kept any more, and those that were copied.
const FIRST_DAYS: &str = "create table if not exists visit_first_days (domain String, path String, \
     served AggregateFunction(min, UInt16), any AggregateFunction(min, UInt16)) \
     engine = AggregatingMergeTree order by (domain, path)";

/// How often is asked whether a deletion is done.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How often at most: the job that waits is tried again.
const MAX_LOOKS: usize = 3_000;

/// Makes what is not there.
pub async fn create(client: &Client) -> Result<(), VisitError> {
    client.run(VISITS).await?;
    client.run(FIRST_DAYS).await?;
    Ok(())
}

/// Keeps the first days of pages that are about to be deleted. Again: changes nothing.
pub async fn keep_first_days(client: &Client, before: Day) -> Result<(), VisitError> {
    let sql = format!(
        "insert into visit_first_days select domain, path, minState(if(served != 2, day, toUInt16({NEVER}))), minState(day) \
         from visits where what = {PAGE} and day < {before} and verified != 1 and path != {} group by domain, path",
        quoted(OTHER_PATHS)
    );
    client.run(&sql).await.map(drop)
}

/// Deletes what is kept of days before this one, but their counts.
pub async fn delete_before(client: &Client, before: Day) -> Result<(), VisitError> {
    let what = format!("what != {DAY} and day < {before}");
    if count(client, &format!("select count() from visits where {what}")).await? > 0 {
        keep_first_days(client, before).await?;
        client.run(&format!("alter table visits delete where {what}")).await?;
        wait(client).await?;
    }
    Ok(())
}

/// Deletes everything of a domain.
pub async fn forget_domain(client: &Client, domain: &DomainId) -> Result<(), VisitError> {
    let domain = quoted(domain.as_str());
    for table in ["visits", "visit_first_days"] {
        if count(client, &format!("select count() from {table} where domain = {domain}")).await? > 0 {
            client.run(&format!("alter table {table} delete where domain = {domain}")).await?;
        }
    }
    wait(client).await
}

/// Deletes everything of a domain's day but first days.
pub async fn forget_day(client: &Client, domain: &DomainId, day: Day) -> Result<(), VisitError> {
    let what = format!("domain = {} and day = {day}", quoted(domain.as_str()));
    if count(client, &format!("select count() from visits where {what}")).await? > 0 {
        client.run(&format!("alter table visits delete where {what}")).await?;
        wait(client).await?;
    }
    Ok(())
}

/// Domains of which something is kept.
pub async fn list_domains(client: &Client) -> Result<Vec<DomainId>, VisitError> {
    let sql = "select distinct domain from visits where domain != '' format RowBinary";
    let answer = client.run(sql).await?;
    Reader::new(&answer).rows(|row| Ok(DomainId::from(row.text()?)))
}

/// Lists domains with the first days of at least so many pages whose visits are not kept any more.
pub async fn list_domains_with_first_days(client: &Client, least: u64) -> Result<Vec<DomainId>, VisitError> {
    let sql = format!(
        "select domain from visit_first_days group by domain having uniqCombined(path) >= {least} format RowBinary"
    );
    let answer = client.run(&sql).await?;
    Reader::new(&answer).rows(|row| Ok(DomainId::from(row.text()?)))
}

/// The one number that a statement answers.
pub async fn count(client: &Client, sql: &str) -> Result<u64, VisitError> {
    let answer = client.run(&format!("{sql} format RowBinary")).await?;
    Reader::new(&answer).u64()
}

/// Waits until nothing is being deleted.
pub async fn wait(client: &Client) -> Result<(), VisitError> {
    const UNDONE: &str = "select count() from system.mutations where database = currentDatabase() \
         and table in ('visits', 'visit_first_days') and not is_done";
    for _ in 0..MAX_LOOKS {
        if count(client, UNDONE).await? == 0 {
            return Ok(());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Err(VisitError::refused("a deletion takes very long"))
}
