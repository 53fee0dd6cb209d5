//! SQL of what days add up to: rows while a day is open, one packed row afterwards. Both are always read in one statement:
//! between two, a day could be closed, and its visits counted twice or not at all.

use std::collections::{BTreeMap, HashMap};

use store::{Conn, DbError, EngineConn, on_engine, time_limited};

use super::{add_rows, damaged};
use crate::analytics::for_dashboard::DomainDay;
use crate::analytics::model::{Day, ServedBy, Verified};
use crate::analytics::segments::rows::{Damaged, Kind, sum_up};
use crate::analytics::segments::totals::{
    DayTotals, TimeCounts, pack_kinds, pack_times, unpack_kinds, unpack_times,
};
use crate::domains::DomainId;

/// Days that are looked for in one statement.
const DAYS_PER_STATEMENT: usize = 500;

/// Crawler, whether it was checked, way and first digit of the status, as texts.
type StoredKind = (String, String, String, i64);

fn kind_of((crawler, verified, served, class): StoredKind) -> Result<Kind, DbError> {
    Ok(Kind {
        crawler,
        verified: Verified::parse(&verified).ok_or_else(|| damaged(Damaged))?,
        served: served_by(&served)?,
        status: u16::try_from(class).map_err(|_| damaged(Damaged))?,
    })
}

fn served_by(text: &str) -> Result<ServedBy, DbError> {
    ServedBy::parse(text).ok_or_else(|| damaged(Damaged))
}

/// A domain's visits by day and kind, from one day to another, both included; impostors' too. A day may come in parts.
pub async fn list_day_totals(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
) -> Result<Vec<(Day, Kind, u64)>, DbError> {
    const SQL: &str = "select day, counts, cast(null as text) as crawler, cast(null as text) as verified, \
             cast(null as text) as served, cast(0 as bigint) as status_class, cast(0 as bigint) as visits \
         from visit_totals where domain_id = $1 and day between $2 and $3 \
         union all select day, null, crawler, verified, served, status_class, visits \
         from visit_days where domain_id = $1 and day between $2 and $3";
    type Row = (Day, Option<Vec<u8>>, Option<String>, Option<String>, Option<String>, i64, i64);
    let rows: Vec<Row> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(from).bind(to).fetch_all(c).await
    })?;
    let mut totals = Vec::new();
    for row in rows {
        match row {
            (day, Some(packed), ..) => {
                let kinds = unpack_kinds(&packed).map_err(damaged)?;
                totals.extend(kinds.into_iter().map(|(kind, visits)| (day, kind, visits)));
            }
            (day, None, Some(crawler), Some(verified), Some(served), class, visits) => {
                totals.push((day, kind_of((crawler, verified, served, class))?, visits.unsigned_abs()));
            }
            _ => return Err(damaged(Damaged)),
        }
    }
    Ok(totals)
}

/// Sums of visits by domain and day, and of those with a status of 400 and above.
type DaySums = HashMap<(String, Day), (u64, u64)>;

/// Reads a closed day that is written as `20783:0a1b…`.
fn closed_day(text: &str) -> Option<(Day, Vec<(Kind, u64)>)> {
    let (day, packed) = text.split_once(':')?;
    Some((day.parse().ok()?, unpack_kinds(&hex::decode(packed).ok()?).ok()?))
}

/// Lists the visits of some domains by domain and day. Impostors are left out.
pub async fn list_days_of_domains(
    conn: &mut Conn,
    domains: &[DomainId],
    (from, to): (Day, Day),
) -> Result<Vec<DomainDay>, DbError> {
    /// The statement, with the condition that names the domains and what joins texts. Closed days of a domain come in one row:
    /// a row of its own takes longer on its way than its day takes to be read.
    macro_rules! of_domains {
        ($domains:literal, $joined:literal) => {
            concat!(
                "select domain_id, ",
                $joined,
                " as packed, cast(0 as bigint) as day, cast(0 as bigint) as status_class, cast(0 as bigint) as visits \
                 from visit_totals where domain_id ",
                $domains,
                " and day between $2 and $3 group by domain_id \
                 union all select domain_id, null, day, status_class, cast(sum(visits) as bigint) \
                 from visit_days where domain_id ",
                $domains,
                " and day between $2 and $3 and verified <> 'no' group by domain_id, day, status_class"
            )
        };
    }
    type Row = (String, Option<String>, Day, i64, i64);
    let ids: Vec<&str> = domains.iter().map(DomainId::as_str).collect();
    let rows: Vec<Row> = match conn.raw() {
        EngineConn::Sqlite(c) => {
            let list = serde_json::to_string(&ids).expect("texts are JSON");
            let query = sqlx::query_as(of_domains!(
                "in (select value from json_each($1))",
                "group_concat(day || ':' || hex(counts), ' ')"
            ));
            time_limited(query.bind(list).bind(from).bind(to).fetch_all(c)).await?
        }
        EngineConn::Postgres(c) => {
            let query = sqlx::query_as(of_domains!(
                "= any($1)",
                "string_agg(day || ':' || encode(counts, 'hex'), ' ')"
            ));
            time_limited(query.bind(&ids).bind(from).bind(to).fetch_all(c)).await?
        }
    };
    let mut sums = DaySums::new();
    for (domain, packed, day, class, visits) in rows {
        let Some(packed) = packed else {
            let (sum, visits) = (sums.entry((domain, day)).or_default(), visits.unsigned_abs());
            *sum = (sum.0 + visits, sum.1 + if class >= 4 { visits } else { 0 });
            continue;
        };
        for closed in packed.split(' ') {
            let (day, kinds) = closed_day(closed).ok_or_else(|| damaged(Damaged))?;
            let sum = sums.entry((domain.clone(), day)).or_default();
            for (kind, visits) in kinds.into_iter().filter(|(kind, _)| kind.verified != Verified::No) {
                *sum = (sum.0 + visits, sum.1 + if kind.status >= 4 { visits } else { 0 });
            }
        }
    }
    let day =
        |((domain, day), (visits, failed))| DomainDay { domain: DomainId::from(domain), day, visits, failed };
    Ok(sums.into_iter().map(day).collect())
}

/// Lists the first day with a visit of each of some domains, impostors' visits included.
pub async fn list_first_days_of_domains(
    conn: &mut Conn,
    domains: &[DomainId],
) -> Result<Vec<(DomainId, Day)>, DbError> {
    /// The statement, with the condition that names the domains.
    macro_rules! of_domains {
        ($domains:literal) => {
            concat!(
                "select domain_id, min(day) as day from (select domain_id, min(day) as day from visit_totals \
                     where domain_id ",
                $domains,
                " group by domain_id union all select domain_id, min(day) as day from visit_days \
                     where domain_id ",
                $domains,
                " group by domain_id) as first group by domain_id"
            )
        };
    }
    let ids: Vec<&str> = domains.iter().map(DomainId::as_str).collect();
    let rows: Vec<(String, Day)> = match conn.raw() {
        EngineConn::Sqlite(c) => {
            let list = serde_json::to_string(&ids).expect("texts are JSON");
            let query = sqlx::query_as(of_domains!("in (select value from json_each($1))"));
            time_limited(query.bind(list).fetch_all(c)).await?
        }
        EngineConn::Postgres(c) => {
            time_limited(sqlx::query_as(of_domains!("= any($1)")).bind(&ids).fetch_all(c)).await?
        }
    };
    Ok(rows.into_iter().map(|(domain, day)| (DomainId::from(domain), day)).collect())
}

/// What was packed of a day; else way, bucket and count.
type TimesRow = (Option<Vec<u8>>, Option<String>, i64, i64);

/// Answers of a domain by way and bucket of their time, from one day to another.
pub async fn list_times(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
) -> Result<TimeCounts, DbError> {
    const SQL: &str = "select times, cast(null as text) as served, cast(0 as bigint) as bucket, \
             cast(0 as bigint) as visits \
         from visit_totals where domain_id = $1 and day between $2 and $3 and times is not null \
         union all select null, served, bucket, cast(sum(visits) as bigint) \
         from visit_times where domain_id = $1 and day between $2 and $3 group by served, bucket";
    let rows: Vec<TimesRow> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(from).bind(to).fetch_all(c).await
    })?;
    let mut times = Vec::new();
    for (packed, served, bucket, visits) in rows {
        match packed {
            Some(packed) => times.extend(unpack_times(&packed).map_err(damaged)?),
            None => {
                let served = served_by(&served.unwrap_or_default())?;
                times.push(((served, bucket), visits.unsigned_abs()));
            }
        }
    }
    sum_up(&mut times, |(time, _)| *time, |(_, visits)| visits);
    Ok(times.into_iter().collect())
}

/// Packs the rows of days that are over, together with what was packed of them before. `false`: there were none. The caller
/// lets nobody else close days of the domain.
pub async fn close_totals(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
) -> Result<bool, DbError> {
    const KINDS: &str = "delete from visit_days where domain_id = $1 and day between $2 and $3 \
         returning day, crawler, verified, served, status_class, visits";
    const TIMES: &str = "delete from visit_times where domain_id = $1 and day between $2 and $3 \
         returning day, served, bucket, visits";
    let kinds: Vec<(Day, String, String, String, i64, i64)> = on_engine!(conn, |c| {
        sqlx::query_as(KINDS).bind(domain.as_str()).bind(from).bind(to).fetch_all(c).await
    })?;
    let times: Vec<(Day, String, i64, i64)> = on_engine!(conn, |c| {
        sqlx::query_as(TIMES).bind(domain.as_str()).bind(from).bind(to).fetch_all(c).await
    })?;
    let mut totals: BTreeMap<Day, DayTotals> = BTreeMap::new();
    for (day, crawler, verified, served, class, visits) in kinds {
        let kind = kind_of((crawler, verified, served, class))?;
        *totals.entry(day).or_default().kinds.entry(kind).or_default() += visits.unsigned_abs();
    }
    for (day, served, bucket, visits) in times {
        let time = (served_by(&served)?, bucket);
        *totals.entry(day).or_default().times.entry(time).or_default() += visits.unsigned_abs();
    }
    let has_any = !totals.is_empty();
    add_totals(conn, domain, totals).await?;
    Ok(has_any)
}

/// Adds to what is packed of some days. The caller lets nobody else close days of the domain.
pub async fn add_totals(
    conn: &mut Conn,
    domain: &DomainId,
    mut totals: BTreeMap<Day, DayTotals>,
) -> Result<(), DbError> {
    const BEFORE: &str = "with v (domain_id, day, counts, times) as (";
    const AFTER: &str = ") insert into visit_totals (domain_id, day, counts, times) \
         select domain_id, day, counts, times from v \
         where exists (select 1 from domains where domains.id = v.domain_id) \
         on conflict (domain_id, day) do update set counts = excluded.counts, times = excluded.times";
    let days: Vec<Day> = totals.keys().copied().collect();
    for (day, kinds, times) in find_packed(conn, domain, &days).await? {
        let of_day = totals.entry(day).or_default();
        add(&mut of_day.kinds, unpack_kinds(&kinds).map_err(damaged)?);
        if let Some(times) = times {
            add(&mut of_day.times, unpack_times(&times).map_err(damaged)?);
        }
    }
    let packed = |(day, DayTotals { kinds, times }): (Day, DayTotals)| {
        (day, pack_kinds(&kinds), (!times.is_empty()).then(|| pack_times(&times)))
    };
    let packed: Vec<_> = totals.into_iter().map(packed).collect();
    add_rows!(conn, packed, BEFORE, AFTER, |(day, kinds, times)| {
        "text": domain.as_str().to_owned(),
        "bigint": *day,
        "bytea": kinds.clone(),
        "bytea": times.clone(),
    });
    Ok(())
}

/// What is packed of a day: counts, and times if there are any.
type PackedTotals = (Day, Vec<u8>, Option<Vec<u8>>);

async fn find_packed(conn: &mut Conn, domain: &DomainId, days: &[Day]) -> Result<Vec<PackedTotals>, DbError> {
    let mut found = Vec::new();
    for chunk in days.chunks(DAYS_PER_STATEMENT) {
        let rows: Vec<PackedTotals> = on_engine!(conn, |c| {
            let mut query =
                sqlx::QueryBuilder::new("select day, counts, times from visit_totals where domain_id = ");
            query.push_bind(domain.as_str().to_owned()).push(" and day in (");
            let mut list = query.separated(", ");
            for day in chunk {
                list.push_bind(*day);
            }
            query.push(")").build_query_as().fetch_all(c).await
        })?;
        found.extend(rows);
    }
    Ok(found)
}

fn add<K: Ord>(sums: &mut BTreeMap<K, u64>, counts: Vec<(K, u64)>) {
    for (key, visits) in counts {
        *sums.entry(key).or_default() += visits;
    }
}
