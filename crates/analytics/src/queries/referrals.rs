//! SQL of people who came from assistants.

use store::{Conn, DbError, on_engine};

use super::{execute_with, json_of, texts_of};
use crate::model::Day;
use crate::referrals::{ReferralCount, ReferralKey, ReferralTotals};
use domains::DomainId;

const REFERRALS: &[(&str, &str)] =
    &[("domain", "text"), ("day", "bigint"), ("assistant", "text"), ("path", "text"), ("visits", "bigint")];

/// Adds counts of people. Beyond 10,000 rows of a domain and day the pages are counted together: invented addresses must not
/// fill the database.
pub async fn add_referrals(conn: &mut Conn, rows: &[(ReferralKey, u64)]) -> Result<(), DbError> {
    const SQL: &str = ", bounded as (select domain, day, assistant, case when \
             (select count(*) from (select 1 from visit_referrals r \
                 where r.domain_id = v.domain and r.day = v.day limit 10000) full_day) < 10000 \
             or exists (select 1 from visit_referrals r where r.domain_id = v.domain and r.day = v.day \
                 and r.assistant = v.assistant and r.path = v.path) \
             then path else '(other)' end as path, visits from v) \
         insert into visit_referrals (domain_id, day, assistant, path, visits) \
         select domain, day, assistant, path, sum(visits) from bounded \
         where exists (select 1 from domains where domains.id = bounded.domain) \
         group by domain, day, assistant, path order by domain, day, assistant, path \
         on conflict (domain_id, day, assistant, path) do update set visits = visit_referrals.visits + excluded.visits";
    execute_with(conn, REFERRALS, SQL, &json_of(rows)).await
}

/// Row of a list: assistant, page, people.
type ReferralRow = (String, String, i64);

fn counts(rows: Vec<ReferralRow>) -> Vec<ReferralCount> {
    let count = |(assistant, path, visits): ReferralRow| ReferralCount {
        assistant,
        path,
        count: visits.unsigned_abs(),
    };
    rows.into_iter().map(count).collect()
}

/// Lists people who came from assistants from one day to another, by assistant and page: `most` rows at most, most people
/// first.
pub async fn list_top_referrals(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
    most: usize,
) -> Result<Vec<ReferralCount>, DbError> {
    const SQL: &str = "select assistant, path, cast(sum(visits) as bigint) as people from visit_referrals \
         where domain_id = $1 and day between $2 and $3 group by assistant, path \
         order by people desc, path, assistant limit $4";
    let rows: Vec<ReferralRow> = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(domain.as_str())
        .bind(from)
        .bind(to)
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .fetch_all(c)
        .await)?;
    Ok(counts(rows))
}

/// Lists people who came from assistants to some pages, by assistant and page, in no order.
pub async fn list_referrals_of_pages(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
    paths: &[String],
) -> Result<Vec<ReferralCount>, DbError> {
    let sql = format!(
        "select assistant, path, cast(sum(visits) as bigint) from visit_referrals \
         where path in {} and domain_id = $2 and day between $3 and $4 group by assistant, path",
        texts_of(conn.engine(), "$1")
    );
    let list = serde_json::to_string(paths).expect("texts are JSON");
    let rows: Vec<ReferralRow> = on_engine!(conn, |c| {
        let query = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(list).bind(domain.as_str());
        query.bind(from).bind(to).fetch_all(c).await
    })?;
    Ok(counts(rows))
}

/// Counts people who came from assistants from one day to another, and the rows of assistant and page.
pub async fn count_referrals(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
) -> Result<ReferralTotals, DbError> {
    const SQL: &str = "select cast(coalesce(sum(people), 0) as bigint), count(*) from \
         (select sum(visits) as people from visit_referrals where domain_id = $1 and day between $2 and $3 \
         group by assistant, path) rows_of_window";
    let (people, rows): (i64, i64) = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(domain.as_str())
        .bind(from)
        .bind(to)
        .fetch_one(c)
        .await)?;
    Ok(ReferralTotals { people: people.unsigned_abs(), rows: rows.unsigned_abs() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use platform::plans::Plan;

    #[tokio::test]
    async fn a_list_has_the_rows_that_are_wanted_and_the_sums_count_all() {
        TestApp::on_each_engine(async |app| {
            let account = app.account("owner@shop.example", Plan::Agency).await;
            let domain = app.domain(&account, "shop.example").await.id;
            let row = |path: &str, day: Day, people: u64| {
                let (path, assistant) = (path.into(), "openai".to_owned());
                (ReferralKey { domain: domain.clone(), day, path, assistant }, people)
            };
            let mut tx = app.state.platform.db.write().await.unwrap();
            let rows = [row("/a", 1, 2), row("/b", 1, 3), row("/a", 2, 2), row("/c", 2, 1), row("/a", 9, 7)];
            add_referrals(&mut tx, &rows).await.unwrap();

            let top = list_top_referrals(&mut tx, &domain, (1, 2), 2).await.unwrap();
            let pages = ["/c".to_owned(), "/none".to_owned()];
            let of_pages = list_referrals_of_pages(&mut tx, &domain, (1, 2), &pages).await.unwrap();
            let totals = count_referrals(&mut tx, &domain, (1, 2)).await.unwrap();
            let none = count_referrals(&mut tx, &domain, (20, 21)).await.unwrap();

            let shown = |rows: Vec<ReferralCount>| -> Vec<(String, u64)> {
                rows.into_iter().map(|row| (row.path, row.count)).collect()
            };
            assert_eq!(shown(top), [("/a".to_owned(), 4), ("/b".to_owned(), 3)]);
            assert_eq!(shown(of_pages), [("/c".to_owned(), 1)]);
            assert_eq!((totals, none), (ReferralTotals { people: 8, rows: 3 }, ReferralTotals::default()));
        })
        .await;
    }
}
