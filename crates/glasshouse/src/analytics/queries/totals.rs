//! SQL of what days add up to: rows while a day is open, one packed row afterwards. Both are always read in one statement:
//! between two, a day could be closed, and its visits counted twice or not at all.

use std::collections::BTreeMap;

use store::{Conn, DbError, on_engine};

use crate::analytics::model::{Day, ServedBy, Verified};
use crate::analytics::segments::rows::{Damaged, Kind};
use crate::analytics::segments::totals::{
    KindCounts, TimeCounts, pack_kinds, pack_times, unpack_kinds, unpack_times,
};
use crate::domains::DomainId;

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
    let mut times = TimeCounts::new();
    for (packed, served, bucket, visits) in rows {
        if let Some(packed) = packed {
            add(&mut times, unpack_times(&packed).map_err(damaged)?);
        } else {
            let served = served_by(&served.unwrap_or_default())?;
            *times.entry((served, bucket)).or_default() += visits.unsigned_abs();
        }
    }
    Ok(times)
}

/// Packs the rows of a day that is over, together with what was packed of it before. `false`: there were none. The caller
/// lets nobody else close days of the domain.
pub async fn close_totals(conn: &mut Conn, domain: &DomainId, day: Day) -> Result<bool, DbError> {
    const KINDS: &str = "delete from visit_days where domain_id = $1 and day = $2 \
         returning crawler, verified, served, status_class, visits";
    const TIMES: &str =
        "delete from visit_times where domain_id = $1 and day = $2 returning served, bucket, visits";
    let kinds: Vec<(String, String, String, i64, i64)> =
        on_engine!(conn, |c| sqlx::query_as(KINDS).bind(domain.as_str()).bind(day).fetch_all(c).await)?;
    let times: Vec<(String, i64, i64)> =
        on_engine!(conn, |c| sqlx::query_as(TIMES).bind(domain.as_str()).bind(day).fetch_all(c).await)?;
    if kinds.is_empty() && times.is_empty() {
        return Ok(false);
    }
    let kind = |(crawler, verified, served, class, visits): (_, _, _, _, i64)| {
        Ok((kind_of((crawler, verified, served, class))?, visits.unsigned_abs()))
    };
    let time = |(served, bucket, visits): (String, i64, i64)| {
        Ok::<_, DbError>(((served_by(&served)?, bucket), visits.unsigned_abs()))
    };
    let kinds = kinds.into_iter().map(kind).collect::<Result<KindCounts, DbError>>()?;
    let times = times.into_iter().map(time).collect::<Result<TimeCounts, DbError>>()?;
    add_totals(conn, domain, day, kinds, times).await?;
    Ok(true)
}

/// Adds to what is packed of a day. The caller lets nobody else close days of the domain.
pub async fn add_totals(
    conn: &mut Conn,
    domain: &DomainId,
    day: Day,
    mut kinds: KindCounts,
    mut times: TimeCounts,
) -> Result<(), DbError> {
    const PACKED: &str = "select counts, times from visit_totals where domain_id = $1 and day = $2";
    const PUT: &str = "insert into visit_totals (domain_id, day, counts, times) values ($1, $2, $3, $4) \
         on conflict (domain_id, day) do update set counts = excluded.counts, times = excluded.times";
    let packed: Option<(Vec<u8>, Option<Vec<u8>>)> =
        on_engine!(conn, |c| sqlx::query_as(PACKED).bind(domain.as_str()).bind(day).fetch_optional(c).await)?;
    if let Some((packed_kinds, packed_times)) = packed {
        add(&mut kinds, unpack_kinds(&packed_kinds).map_err(damaged)?);
        if let Some(packed_times) = packed_times {
            add(&mut times, unpack_times(&packed_times).map_err(damaged)?);
        }
    }
    let times = (!times.is_empty()).then(|| pack_times(&times));
    on_engine!(conn, |c| {
        let query = sqlx::query(PUT).bind(domain.as_str()).bind(day).bind(pack_kinds(&kinds));
        query.bind(times).execute(c).await.map(drop)
    })?;
    Ok(())
}

fn add<K: Ord>(sums: &mut BTreeMap<K, u64>, counts: BTreeMap<K, u64>) {
    for (key, visits) in counts {
        *sums.entry(key).or_default() += visits;
    }
}

fn damaged(damage: Damaged) -> DbError {
    sqlx::Error::Decode(Box::new(damage)).into()
}
