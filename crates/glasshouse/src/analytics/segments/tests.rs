//! Closing days changes no answer: not by itself, not between late visits, and not when it is killed in the middle.

use std::collections::BTreeMap;

use rand::prelude::*;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::close::{MAX_PAGES, close_some};
use crate::accounts::Plan;
use crate::analytics::model::{Day, OTHER_PATHS, ServedBy, TimeKey, Verified, VisitKey, day_of, start_of};
use crate::analytics::service::Scope;
use crate::analytics::spool::Counts;
use crate::domains::{Domain, DomainId};
use crate::testing::{NOON, TestApp};

const CRAWLERS: [&str; 6] = ["googlebot", "bingbot", "gptbot", "perplexitybot", "unknown", "list:Seekbot"];
const PATHS: [&str; 9] = ["/", "/a", "/A", "/b", "/ü", "/Über", "/a/b", "/z", OTHER_PATHS];

pub(in crate::analytics) async fn domains(app: &TestApp) -> (Domain, Domain) {
    let account = app.account("a@x.example", Plan::Business).await;
    (app.domain(&account, "shop.example").await, app.domain(&account, "twin.example").await)
}

pub(in crate::analytics) fn key(day: Day, path: &str) -> VisitKey {
    VisitKey {
        domain: DomainId::from("none"),
        day,
        path: path.into(),
        crawler: "googlebot".into(),
        verified: Verified::Yes,
        served: ServedBy::Cache,
        status: 200,
    }
}

pub(in crate::analytics) fn random_counts(random: &mut StdRng, today: Day) -> Counts {
    let mut pages = BTreeMap::new();
    for _ in 0..random.random_range(1..60) {
        // Mostly of today, some late, some very late.
        let late = [0, 0, 0, 1, random.random_range(0..45)].choose(random).copied().unwrap();
        let path = match random.random_bool(0.2) {
            true => format!("/{}", random.random_range(0..500)),
            false => (*PATHS.choose(random).unwrap()).to_owned(),
        };
        let key = VisitKey {
            crawler: (*CRAWLERS.choose(random).unwrap()).into(),
            verified: *[Verified::Yes, Verified::No, Verified::Unknown].choose(random).unwrap(),
            served: *[ServedBy::Cache, ServedBy::Render, ServedBy::Origin].choose(random).unwrap(),
            status: *[200, 404, 500].choose(random).unwrap(),
            ..key(today - late, &path)
        };
        *pages.entry(key).or_insert(0) += random.random_range(1..5_u64);
    }
    let time = |key: &VisitKey, bucket| TimeKey {
        domain: key.domain.clone(),
        day: key.day,
        served: key.served,
        bucket,
    };
    let times: BTreeMap<_, _> = pages.keys().map(|key| (time(key, random.random_range(0..300)), 1)).collect();
    Counts { pages: pages.into_iter().collect(), times: times.into_iter().collect(), ..Counts::default() }
}

/// Applies a batch as the spool does, for a domain.
pub(in crate::analytics) async fn apply(app: &TestApp, domain: &Domain, batch: &str, counts: &Counts) {
    let pages =
        counts.pages.iter().map(|(key, n)| (VisitKey { domain: domain.id.clone(), ..key.clone() }, *n));
    let times =
        counts.times.iter().map(|(key, n)| (TimeKey { domain: domain.id.clone(), ..key.clone() }, *n));
    let counts = Counts { pages: pages.collect(), times: times.collect(), ..Counts::default() };
    let store = crate::analytics::stores::open(&app.state.platform);
    store.apply(&format!("{batch}-{}", domain.host), &counts).await.unwrap();
}

/// What every report says about a domain.
pub(in crate::analytics) async fn reports(app: &TestApp, domain: &Domain) -> Value {
    let analytics = &app.state.analytics;
    let today = analytics.today();
    let mut all = Vec::new();
    for scope in [Scope::Snapshots, Scope::WithOrigin] {
        for days in [1, 7, 30, 180] {
            all.push(json!(analytics.daily(&domain.id, days, scope).await.unwrap()));
            all.push(json!(analytics.summary(&domain.id, days, scope).await.unwrap()));
            for path in ["/", "/Über", "/7", "/nowhere", OTHER_PATHS] {
                all.push(json!(analytics.page(&domain.id, path, days, scope).await.unwrap()));
            }
            let window = (today - i64::from(days), today - 1);
            for (path, search) in [(None, None), (Some("/a"), None), (None, Some("A")), (None, Some("über"))]
            {
                let search = search.map(str::to_owned);
                let bots = analytics.bots(&domain.id, window, path, search, scope).await.unwrap();
                all.push(serde_json::from_slice(&bots.to_json()).unwrap());
            }
        }
    }
    json!(all)
}

async fn open_rows(app: &TestApp, domain: &Domain) -> usize {
    app.visits().await.iter().filter(|row| row.domain_id == domain.id.as_str()).count()
}

#[tokio::test]
async fn days_that_were_closed_at_any_time_answer_as_if_they_never_were() {
    TestApp::on_each_engine(async |app| {
        let (closed, open) = domains(&app).await;
        for seed in 0..3 {
            let mut random = StdRng::seed_from_u64(seed);
            for batch in 0..8 {
                let counts = random_counts(&mut random, app.state.analytics.today());
                for domain in [&closed, &open] {
                    // Sent twice, as after a kill.
                    apply(&app, domain, &format!("{seed}-{batch}"), &counts).await;
                    apply(&app, domain, &format!("{seed}-{batch}"), &counts).await;
                }
                if random.random_bool(0.4) {
                    app.clock.advance(std::time::Duration::from_secs(20 * 3600));
                }
                if random.random_bool(0.5) {
                    let day = app.state.analytics.today() - random.random_range(0..3);
                    let days = (day - random.random_range(0..3), day);
                    close_some(&app.state.platform.db, &closed.id, days, MAX_PAGES).await.unwrap();
                }
            }

            assert_eq!(reports(&app, &closed).await, reports(&app, &open).await, "seed {seed}");
        }
        let before = reports(&app, &open).await;

        app.state.analytics.close_days().await.unwrap();

        let today = start_of(app.state.analytics.today()).day();
        assert!(app.visits().await.iter().all(|row| row.day == today), "a day is not closed");
        assert_eq!(reports(&app, &open).await, before);
        assert_eq!(reports(&app, &closed).await, before);
    })
    .await;
}

#[tokio::test]
async fn a_process_killed_while_it_closes_a_day_loses_and_doubles_nothing() {
    TestApp::on_each_engine(async |app| {
        let (shop, _) = domains(&app).await;
        let yesterday = day_of(NOON) - 1;
        let pages =
            |from| (from..from + 40).map(|number| (key(yesterday, &format!("/{number}")), 2)).collect();
        apply(&app, &shop, "first", &Counts { pages: pages(0), ..Counts::default() }).await;
        app.state.analytics.close_days().await.unwrap();
        apply(&app, &shop, "late", &Counts { pages: pages(20), ..Counts::default() }).await;
        let before = reports(&app, &shop).await;

        let mut kills = 0;
        loop {
            let db = app.state.platform.db.clone();
            let mut closing = Box::pin(close_some(&db, &shop.id, (yesterday, yesterday), MAX_PAGES));
            let mut polls = 0;
            let ended = std::future::poll_fn(|context| {
                polls += 1;
                // Once more often than the time before: it ends at every point where it waits.
                if polls > kills + 1 {
                    return std::task::Poll::Ready(None);
                }
                closing.as_mut().poll(context).map(Some)
            })
            .await;
            drop(closing);
            assert_eq!(reports(&app, &shop).await, before, "killed after {kills} steps");
            if ended.is_some() {
                break;
            }
            kills += 1;
        }

        assert_eq!(open_rows(&app, &shop).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_step_that_fails_half_way_changes_nothing() {
    TestApp::on_each_engine(async |app| {
        let (shop, _) = domains(&app).await;
        let yesterday = day_of(NOON) - 1;
        let pages = vec![(key(yesterday, "/a"), 2), (key(yesterday, "/b"), 1)];
        apply(&app, &shop, "1", &Counts { pages, ..Counts::default() }).await;
        let before = reports(&app, &shop).await;

        for table in ["visit_path_lists", "visit_segments", "visit_totals", "visit_first_days"] {
            execute(&app, format!("alter table {table} rename to aside")).await;
            let closed =
                close_some(&app.state.platform.db, &shop.id, (yesterday, yesterday), MAX_PAGES).await;
            execute(&app, format!("alter table aside rename to {table}")).await;

            assert!(closed.is_err());
            assert_eq!(reports(&app, &shop).await, before, "{table}");
            assert_eq!(open_rows(&app, &shop).await, 2);
        }
    })
    .await;
}

async fn execute(app: &TestApp, sql: String) {
    let mut tx = app.state.platform.db.write().await.unwrap();
    store::on_engine!(tx, |c| sqlx::query(sqlx::AssertSqlSafe(sql.clone())).execute(c).await.map(drop))
        .unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_day_with_too_many_pages_keeps_those_with_most_visits() {
    TestApp::on_each_engine(async |app| {
        let (shop, _) = domains(&app).await;
        let today = day_of(NOON);
        let pages = [("/a", 5), ("/b", 1), ("/c", 3), ("/d", 1), ("/e", 1)];
        let pages = pages.map(|(path, visits)| (key(today, path), visits)).to_vec();

        apply(&app, &shop, "1", &Counts { pages, ..Counts::default() }).await;
        close_some(&app.state.platform.db, &shop.id, (today, today), 3).await.unwrap();
        let late = vec![(key(today, "/b"), 1), (key(today, "/f"), 9)];
        apply(&app, &shop, "2", &Counts { pages: late, ..Counts::default() }).await;
        close_some(&app.state.platform.db, &shop.id, (today, today), 3).await.unwrap();

        let analytics = &app.state.analytics;
        let bots = analytics.bots(&shop.id, (today, today), None, None, Scope::Snapshots).await.unwrap();
        let bots: Value = serde_json::from_slice(&bots.to_json()).unwrap();
        let row = |path, count| json!({ "path": path, "servedBy": "cache", "count": count });
        let rows = [row(OTHER_PATHS, 11), row("/a", 5), row("/c", 3), row("/b", 2)];
        assert_eq!(bots["byServedBy"], json!(rows));
        let summary = analytics.summary(&shop.id, 1, Scope::Snapshots).await.unwrap();
        assert_eq!((summary.total_crawls_served, summary.total_pages_crawled), (21, 3));
    })
    .await;
}

#[tokio::test]
async fn visits_by_page_end_after_the_days_that_are_kept_and_counts_of_days_stay() {
    TestApp::on_each_visit_store_with("keep_days = 10", async |app| {
        let (shop, _) = domains(&app).await;
        let today = day_of(NOON);
        let pages = vec![(key(today - 10, "/old"), 3), (key(today - 9, "/kept"), 2), (key(today, "/new"), 1)];
        apply(&app, &shop, "1", &Counts { pages, ..Counts::default() }).await;
        let analytics = &app.state.analytics;

        for closes_first in [false, true] {
            if closes_first {
                apply(
                    &app,
                    &shop,
                    "2",
                    &Counts { pages: vec![(key(today - 20, "/old"), 3)], ..Counts::default() },
                )
                .await;
                analytics.close_days().await.unwrap();
            }
            analytics.delete_old_visits().await.unwrap();

            let bots = analytics.bots(&shop.id, (0, today), None, None, Scope::Snapshots).await.unwrap();
            let bots: Value = serde_json::from_slice(&bots.to_json()).unwrap();
            let row = |path, count| json!({ "path": path, "provider": "google", "count": count });
            assert_eq!(bots["byProvider"], json!([row("/kept", 2), row("/new", 1)]));
        }
        let summary = analytics.summary(&shop.id, 30, Scope::Snapshots).await.unwrap();
        assert_eq!((summary.total_crawls_served, summary.new_pages_crawled), (9, 3));
    })
    .await;
}

#[tokio::test]
async fn a_page_whose_visits_were_deleted_before_their_day_was_closed_is_no_new_one() {
    TestApp::on_each_visit_store_with("keep_days = 10", async |app| {
        let (shop, _) = domains(&app).await;
        let today = day_of(NOON);
        let visit = |day| Counts { pages: vec![(key(day, "/old"), 1)], ..Counts::default() };

        apply(&app, &shop, "1", &visit(today - 40)).await;
        for _ in 0..15 {
            app.state.analytics.delete_old_visits().await.unwrap();
        }
        apply(&app, &shop, "2", &visit(today)).await;

        let summary = app.state.analytics.summary(&shop.id, 30, Scope::Snapshots).await.unwrap();
        assert_eq!((summary.total_crawls_served, summary.new_pages_crawled), (1, 0));
    })
    .await;
}

#[tokio::test]
async fn first_days_that_earlier_versions_kept_in_rows_are_packed_and_change_no_report() {
    TestApp::on_each_engine(async |app| {
        let (shop, _) = domains(&app).await;
        let today = day_of(NOON);
        let visits = |paths: &[&str]| {
            let pages = paths.iter().flat_map(|path| [(key(today, path), 1), (key(today - 1, path), 1)]);
            Counts { pages: pages.collect(), ..Counts::default() }
        };
        apply(&app, &shop, "1", &visits(&["/closed", "/both"])).await;
        app.state.analytics.close_days().await.unwrap();
        apply(&app, &shop, "2", &visits(&["/open"])).await;
        for (path, served, any) in [
            ("/both", "null".to_owned(), today - 60),
            ("/open", (today - 50).to_string(), today - 50),
            ("/gone", (today - 3).to_string(), today - 4),
        ] {
            let id = shop.id.as_str();
            execute(&app, format!("insert into visit_paths values ('{id}', '{path}', {served}, {any})"))
                .await;
        }
        let before = reports(&app, &shop).await;
        let summary = |scope| app.state.analytics.summary(&shop.id, 30, scope);
        let new = async || {
            let served = summary(Scope::Snapshots).await.unwrap().new_pages_crawled;
            (served, summary(Scope::WithOrigin).await.unwrap().new_pages_crawled)
        };
        assert_eq!(new().await, (3, 2));

        app.state.analytics.close_days().await.unwrap();

        assert_eq!((new().await, reports(&app, &shop).await), ((3, 2), before));
        let mut conn = app.state.platform.db.read().await.unwrap();
        let left: i64 = store::on_engine!(conn, |c| {
            sqlx::query_scalar("select count(*) from visit_paths").fetch_one(c).await
        })
        .unwrap();
        assert_eq!(left, 0);
    })
    .await;
}

#[tokio::test]
async fn a_path_with_a_line_break_that_an_earlier_version_kept_spoils_no_summary() {
    TestApp::on_each_engine(async |app| {
        let (shop, _) = domains(&app).await;
        let pages = vec![(key(day_of(NOON), "/a\n/b"), 1), (key(day_of(NOON), "/c"), 1)];
        apply(&app, &shop, "1", &Counts { pages, ..Counts::default() }).await;

        let summary = app.state.analytics.summary(&shop.id, 30, Scope::Snapshots).await.unwrap();

        assert_eq!((summary.total_pages_crawled, summary.new_pages_crawled), (2, 2));
    })
    .await;
}

#[tokio::test]
async fn a_clock_that_is_far_ahead_deletes_few_days_at_a_time() {
    TestApp::on_each_visit_store_with("keep_days = 10", async |app| {
        let (shop, _) = domains(&app).await;
        let today = day_of(NOON);
        let pages = (0..8).map(|ago| (key(today - ago, "/a"), 1)).rev().collect();
        apply(&app, &shop, "1", &Counts { pages, ..Counts::default() }).await;
        app.state.analytics.close_days().await.unwrap();
        let kept = async || {
            let visits = app.state.analytics.bots(&shop.id, (0, today), None, None, Scope::Snapshots).await;
            visits.unwrap().by_provider.iter().map(|row| row.visits).sum::<u64>()
        };

        app.state.analytics.delete_old_visits().await.unwrap();
        let on_time = kept().await;
        app.clock.advance(std::time::Duration::from_secs(1_000 * 24 * 3600));
        app.state.analytics.delete_old_visits().await.unwrap();
        let after_one = kept().await;
        for _ in 0..2 {
            app.state.analytics.delete_old_visits().await.unwrap();
        }

        assert_eq!((on_time, after_one, kept().await), (8, 5, 0));
    })
    .await;
}

#[tokio::test]
async fn a_removed_domain_leaves_no_closed_days() {
    TestApp::on_each_engine(async |app| {
        let (shop, twin) = domains(&app).await;
        for domain in [&shop, &twin] {
            let pages = vec![(key(day_of(NOON) - 3, "/a"), 1)];
            apply(&app, domain, "1", &Counts { pages, ..Counts::default() }).await;
        }
        app.state.analytics.close_days().await.unwrap();

        app.state.analytics.forget_domain(&shop.id).await.unwrap();

        let mut conn = app.state.platform.db.read().await.unwrap();
        for table in ["visit_segments", "visit_path_lists", "visit_totals", "visit_first_days"] {
            let sql = format!("select distinct domain_id from {table}");
            let ids: Vec<String> = store::on_engine!(conn, |c| {
                sqlx::query_scalar(sqlx::AssertSqlSafe(sql.clone())).fetch_all(c).await
            })
            .unwrap();
            assert_eq!(ids, [twin.id.as_str()], "{table}");
        }
    })
    .await;
}
