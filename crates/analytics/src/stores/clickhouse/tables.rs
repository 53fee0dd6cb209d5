//! The tables, and the statements that create them and delete from them.
//! A deletion rewrites parts in the background; the functions here wait for its end. Rows inserted meanwhile are not touched.

use std::time::Duration;

use ::clickhouse::Client;

use super::client::{answer, count, execute};
use super::rows::{BATCH, PageVisitRow, ReferralRow, RefusalRow, TableRow, TimeRow, TotalRow};
use crate::model::{Day, OTHER_PATHS};
use crate::stores::VisitError;
use domains::DomainId;

/// Day of the first visit with a snapshot of a page that never had one. No stored day is later.
pub const NEVER: u16 = u16::MAX;

/// Table of the first days of pages: those whose visits are not kept any more, and those that were copied.
const FIRST_DAYS: &str = "create table if not exists visit_first_days (domain String, path String, \
     served AggregateFunction(min, UInt16), any AggregateFunction(min, UInt16)) \
     engine = AggregatingMergeTree order by (domain, path)";

/// All tables.
const ALL: [&str; 6] = [
    PageVisitRow::TABLE,
    TotalRow::TABLE,
    TimeRow::TABLE,
    ReferralRow::TABLE,
    RefusalRow::TABLE,
    "visit_first_days",
];
/// Tables whose rows are deleted with visits by page.
const BY_PAGE: [&str; 3] = [PageVisitRow::TABLE, TimeRow::TABLE, ReferralRow::TABLE];
/// Tables whose rows have a day.
const BY_DAY: [&str; 5] =
    [PageVisitRow::TABLE, TotalRow::TABLE, TimeRow::TABLE, ReferralRow::TABLE, RefusalRow::TABLE];

/// Pause between two checks whether a deletion is done.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Maximum number of checks of a deletion; the job that waits is then retried.
const MAX_LOOKS: usize = 3_000;

/// Creates the missing tables.
pub async fn create(client: &Client) -> Result<(), VisitError> {
    create_table::<PageVisitRow>(client).await?;
    create_table::<TotalRow>(client).await?;
    create_table::<TimeRow>(client).await?;
    create_table::<ReferralRow>(client).await?;
    create_table::<RefusalRow>(client).await?;
    execute(client.query(FIRST_DAYS)).await
}

/// Creates a table. Rows with equal keys are summed up when parts are merged. Partitions are months, so that a batch is one
/// part and old months are removed whole.
async fn create_table<R: TableRow>(client: &Client) -> Result<(), VisitError> {
    let columns: Vec<&str> = R::COLUMNS.split(", ").filter_map(|column| column.split(' ').next()).collect();
    let keys = columns[..columns.len() - 1].join(", ");
    let sql = format!(
        "create table if not exists {} ({}) engine = SummingMergeTree(visits) \
         partition by toYYYYMM(toDate(day)) order by ({keys})",
        R::TABLE,
        R::COLUMNS
    );
    execute(client.query(&sql)).await
}

/// Deletes rows of a table, if there are any, and waits until they are gone.
async fn delete(client: &Client, table: &str, condition: &str) -> Result<(), VisitError> {
    if count(client.query(&format!("select count() from {table} where {condition}"))).await? == 0 {
        return Ok(());
    }
    execute(client.query(&format!("alter table {table} delete where {condition}"))).await?;
    const UNDONE: &str = "select count() from system.mutations \
         where database = currentDatabase() and table = ? and not is_done";
    for _ in 0..MAX_LOOKS {
        if count(client.query(UNDONE).bind(table)).await? == 0 {
            return Ok(());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Err(VisitError::refused("a deletion takes very long"))
}

/// Deletes what is kept of days before this one, except totals. First days of pages are saved before.
pub async fn delete_before(client: &Client, before: Day) -> Result<(), VisitError> {
    let old = format!("day < {before}");
    if count(client.query(&format!("select count() from visits where {old}"))).await? > 0 {
        let keep = format!(
            "insert into visit_first_days select domain, path, minState(if(served != 2, day, toUInt16({NEVER}))), minState(day) \
             from visits where {old} and verified != 1 and path != '{OTHER_PATHS}' and domain not like '{BATCH}%' \
             group by domain, path"
        );
        execute(client.query(&keep)).await?;
    }
    for table in BY_PAGE {
        delete(client, table, &old).await?;
    }
    for table in [TotalRow::TABLE, RefusalRow::TABLE] {
        delete(client, table, &format!("{old} and domain like '{BATCH}%'")).await?;
    }
    Ok(())
}

/// Deletes everything of a domain.
pub async fn forget_domain(client: &Client, domain: &DomainId) -> Result<(), VisitError> {
    for table in ALL {
        delete(client, table, &format!("domain = '{}'", quoted(domain))).await?;
    }
    Ok(())
}

/// Deletes everything of a domain's day except first days, and the names of batches that copied the day from another store.
pub async fn forget_day(client: &Client, domain: &DomainId, day: Day) -> Result<(), VisitError> {
    let (name, domain) = (copy_name(domain, day), quoted(domain));
    for table in BY_DAY {
        let condition = format!("domain = '{domain}' and day = {day} or domain like '{BATCH}{name}%'");
        delete(client, table, &condition).await?;
    }
    Ok(())
}

/// Returns the beginning of the name of a batch that copies a day from another store.
pub fn copy_name(domain: &DomainId, day: Day) -> String {
    format!("copy:{}:{day}:", quoted(domain))
}

/// Returns the id of a domain for a statement. Ids are made by the service and contain neither backslashes nor quotes.
fn quoted(domain: &DomainId) -> String {
    domain.as_str().replace(['\\', '\''], "")
}

/// Lists the domains of which something is kept.
pub async fn list_domains(client: &Client) -> Result<Vec<DomainId>, VisitError> {
    let sql = format!("select distinct domain from visit_totals where domain not like '{BATCH}%'");
    let ids: Vec<String> = answer(client.query(&sql).fetch_all()).await?;
    Ok(ids.into_iter().map(DomainId::from).collect())
}

/// Deletes the first days of pages without visits, of domains with at least `most` pages.
pub async fn delete_expired_paths(client: &Client, most: u64) -> Result<(), VisitError> {
    const FULL: &str = "select domain from visit_first_days group by domain having uniqCombined(path) >= ?";
    let domains: Vec<String> = answer(client.query(FULL).bind(most).fetch_all()).await?;
    for domain in domains {
        let domain = quoted(&DomainId::from(domain));
        let condition = format!(
            "domain = '{domain}' and path not in (select path from visits where domain = '{domain}')"
        );
        delete(client, "visit_first_days", &condition).await?;
    }
    Ok(())
}
