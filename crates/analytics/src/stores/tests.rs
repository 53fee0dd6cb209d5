//! Tests that every store returns the same for the same visits, and that days are copied whole between stores.

use std::collections::BTreeMap;

use rand::prelude::*;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::moving::{Copied, copy_day, copy_first_days};
use super::{VisitStore, open_at};
use crate::model::{Day, OTHER_PATHS, ServedBy, TimeKey, Verified, VisitKey, day_of};
use crate::referrals::ReferralKey;
use crate::service::Scope;
use crate::spool::Counts;
use crate::testing::*;
use domains::{Domain, DomainId};
use platform::plans::Plan;

const CRAWLERS: [&str; 6] = ["googlebot", "bingbot", "gptbot", "perplexitybot", "unknown", "list:Seekbot"];
const PATHS: [&str; 9] = ["/", "/a", "/A", "/b", "/ü", "/Über", "/a/b", "/z", OTHER_PATHS];

pub(crate) async fn domains(app: &TestApp) -> (Domain, Domain) {
    let account = app.account("a@x.example", Plan::Business).await;
    (app.domain(&account, "shop.example").await, app.domain(&account, "twin.example").await)
}

pub(crate) fn key(day: Day, path: &str) -> VisitKey {
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

pub(crate) fn random_counts(random: &mut StdRng, today: Day) -> Counts {
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
pub(crate) async fn apply(app: &TestApp, domain: &Domain, batch: &str, counts: &Counts) {
    let pages =
        counts.pages.iter().map(|(key, n)| (VisitKey { domain: domain.id.clone(), ..key.clone() }, *n));
    let times =
        counts.times.iter().map(|(key, n)| (TimeKey { domain: domain.id.clone(), ..key.clone() }, *n));
    let counts = Counts { pages: pages.collect(), times: times.collect(), ..Counts::default() };
    let store = crate::stores::open(&app.state.platform);
    store.apply(&format!("{batch}-{}", domain.host), &counts).await.unwrap();
}

/// Collects all reports about a domain.
pub(crate) async fn reports(app: &TestApp, domain: &Domain) -> Value {
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
                all.push(json!(bots));
            }
        }
    }
    json!(all)
}

/// Collects the reports beyond the four, and the export.
async fn further(app: &TestApp, domain: &Domain) -> Value {
    let analytics = &app.state.analytics;
    let window = (analytics.today() - 60, analytics.today());
    let mut exported = Vec::new();
    for day in window.0..=window.1 {
        let rows = analytics.export_day(&domain.id, day).await.unwrap();
        exported.push(format!("{rows:?}"));
    }
    json!({
        "crawlers": analytics.crawlers(&domain.id, window).await.unwrap(),
        "errors": analytics.errors(&domain.id, window, 1_000).await.unwrap(),
        "referrals": analytics.referrals(&domain.id, window, 1_000).await.unwrap(),
        "referral_totals": analytics.referral_totals(&domain.id, window).await.unwrap(),
        "people_of_page": analytics.people_of_pages(&domain.id, window, &["/3".to_owned()]).await.unwrap(),
        "export": exported,
    })
}

fn people(random: &mut StdRng, domain: &Domain, today: Day) -> Counts {
    let referral = |number: i64| {
        let (path, day) = (format!("/{}", number % 7).into(), today - number % 3);
        let assistant = ["openai", "perplexity"][number as usize % 2].to_owned();
        (ReferralKey { domain: domain.id.clone(), day, path, assistant }, 1)
    };
    let mut referrals: Vec<_> = (0..random.random_range(1..20)).map(referral).collect();
    referrals.sort_unstable();
    referrals.dedup_by(|next, first| next.0 == first.0);
    Counts { referrals, ..Counts::default() }
}

#[tokio::test]
async fn every_store_says_the_same_of_the_same_visits() {
    let said = std::cell::RefCell::new(Vec::new());
    TestApp::on_each_visit_store(async |app| {
        let (shop, twin) = domains(&app).await;
        let mut random = StdRng::seed_from_u64(7);
        let mut answers = Vec::new();
        for batch in 0..25 {
            let counts = random_counts(&mut random, app.state.analytics.today());
            let people = people(&mut random, &shop, app.state.analytics.today());
            // Sometimes twice, as after a kill.
            for _ in 0..random.random_range(1..3) {
                apply(&app, &shop, &format!("{batch}"), &counts).await;
                app.state.visits.apply(&format!("people-{batch}"), &people).await.unwrap();
            }
            if random.random_bool(0.2) {
                apply(&app, &twin, &format!("{batch}"), &counts).await;
            }
            if random.random_bool(0.3) {
                app.clock.advance(std::time::Duration::from_secs(20 * 3600));
            }
            if batch % 8 == 0 {
                answers.push(json!([reports(&app, &shop).await, further(&app, &shop).await]));
            }
        }
        answers.push(json!([reports(&app, &shop).await, further(&app, &twin).await]));
        said.borrow_mut().push(serde_json::to_string_pretty(&answers).unwrap());
    })
    .await;

    let said = said.into_inner();
    assert_eq!(said.len(), 3);
    for (store, other) in said.iter().enumerate().skip(1) {
        let different = said[0].lines().zip(other.lines()).find(|(one, other)| one != other);
        assert_eq!(different, None, "store {store}");
        assert_eq!(said[0].len(), other.len());
    }
}

#[tokio::test]
async fn everything_of_a_removed_domain_goes_from_every_store() {
    TestApp::on_each_visit_store(async |app| {
        let (shop, twin) = domains(&app).await;
        let today = app.state.analytics.today();
        let counts = Counts { pages: vec![(key(today, "/a"), 3)], ..Counts::default() };
        apply(&app, &shop, "1", &counts).await;
        apply(&app, &twin, "1", &counts).await;

        app.state.analytics.forget_domain(&shop.id).await.unwrap();

        assert_eq!(app.state.visits.list_days(&shop.id).await.unwrap(), Vec::<Day>::new());
        assert_eq!(app.state.visits.list_days(&twin.id).await.unwrap(), [today]);
        let summary = app.state.analytics.summary(&shop.id, 30, Scope::Snapshots).await.unwrap();
        assert_eq!((summary.total_crawls_served, summary.new_pages_crawled), (0, 0));
    })
    .await;
}

async fn copy_all(from: &dyn VisitStore, to: &dyn VisitStore, domain: &Domain) -> Copied {
    copy_first_days(from, to, &domain.id).await.unwrap();
    let mut copied = Copied::default();
    for day in from.list_days(&domain.id).await.unwrap() {
        copied += copy_day(from, to, &domain.id, day).await.unwrap();
    }
    copied
}

#[tokio::test]
async fn what_is_copied_there_and_back_is_the_same_and_nothing_is_copied_twice() {
    let app = TestApp::with("[analytics]\nkeep_days = 40").await;
    let (shop, _) = domains(&app).await;
    let mut random = StdRng::seed_from_u64(3);
    for batch in 0..12 {
        let counts = random_counts(&mut random, app.state.analytics.today());
        apply(&app, &shop, &format!("{batch}"), &counts).await;
        let people = people(&mut random, &shop, app.state.analytics.today());
        app.state.visits.apply(&format!("people-{batch}"), &people).await.unwrap();
    }
    // Of the oldest days only counts are kept.
    app.state.analytics.delete_old_visits().await.unwrap();
    let said = json!([reports(&app, &shop).await, further(&app, &shop).await]);
    let url = clickhouse_database().await.parse().unwrap();
    let there = open_at(Some(url), &app.state.platform);
    let here = &app.state.visits;

    let first = copy_all(&**here, &*there, &shop).await;
    let second = copy_all(&**here, &*there, &shop).await;
    here.forget_domain(&shop.id).await.unwrap();
    let back = copy_all(&*there, &**here, &shop).await;

    assert_eq!((first.same, first.different), (0, 0));
    assert_eq!((second.written, second.same), (0, first.written));
    assert_eq!(back, first);
    assert_eq!(json!([reports(&app, &shop).await, further(&app, &shop).await]), said);
}

#[tokio::test]
async fn a_copy_that_ended_in_the_middle_goes_on_and_never_takes_what_is_only_there() {
    let app = TestApp::new().await;
    let (shop, _) = domains(&app).await;
    let today = app.state.analytics.today();
    let counts = |visits: u64, path: &str| Counts {
        pages: vec![(VisitKey { domain: shop.id.clone(), ..key(today, path) }, visits)],
        ..Counts::default()
    };
    let url = clickhouse_database().await.parse().unwrap();
    let there = open_at(Some(url), &app.state.platform);
    let here = &app.state.visits;
    here.apply("1", &counts(2, "/a")).await.unwrap();
    copy_all(&**here, &*there, &shop).await;

    // Visits came since.
    here.apply("2", &counts(3, "/b")).await.unwrap();
    let grown = copy_all(&**here, &*there, &shop).await;
    there.apply("3", &counts(1, OTHER_PATHS)).await.unwrap();
    let different = copy_all(&**here, &*there, &shop).await;

    assert_eq!(grown, Copied { written: 1, ..Copied::default() });
    assert_eq!(different, Copied { different: 1, ..Copied::default() });
    let totals = there.totals(&shop.id, (today, today)).await.unwrap();
    assert_eq!(totals.iter().map(|total| total.visits).sum::<u64>(), 6);
}

#[tokio::test]
async fn visits_by_page_end_after_the_days_that_are_kept_and_counts_of_days_stay() {
    TestApp::on_each_visit_store_with("keep_days = 10", async |app| {
        let (shop, _) = domains(&app).await;
        let today = day_of(NOON);
        let pages = vec![(key(today - 10, "/old"), 3), (key(today - 9, "/kept"), 2), (key(today, "/new"), 1)];
        apply(&app, &shop, "1", &Counts { pages, ..Counts::default() }).await;
        let analytics = &app.state.analytics;

        for comes_late in [false, true] {
            if comes_late {
                apply(
                    &app,
                    &shop,
                    "2",
                    &Counts { pages: vec![(key(today - 20, "/old"), 3)], ..Counts::default() },
                )
                .await;
            }
            analytics.delete_old_visits().await.unwrap();

            let bots = analytics.bots(&shop.id, (0, today), None, None, Scope::Snapshots).await.unwrap();
            let bots = json!(bots);
            let row = |path, count| json!({ "path": path, "provider": "google", "count": count });
            assert_eq!(bots["byProvider"], json!([row("/kept", 2), row("/new", 1)]));
        }
        let summary = analytics.summary(&shop.id, 30, Scope::Snapshots).await.unwrap();
        assert_eq!((summary.total_crawls_served, summary.new_pages_crawled), (9, 3));
    })
    .await;
}

#[tokio::test]
async fn a_page_whose_visits_were_deleted_is_no_new_one_when_it_is_visited_again() {
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
async fn a_clock_that_is_far_ahead_deletes_few_days_at_a_time() {
    TestApp::on_each_visit_store_with("keep_days = 10", async |app| {
        let (shop, _) = domains(&app).await;
        let today = day_of(NOON);
        let pages = (0..8).map(|ago| (key(today - ago, "/a"), 1)).rev().collect();
        apply(&app, &shop, "1", &Counts { pages, ..Counts::default() }).await;
        let kept = async || {
            let visits = app.state.analytics.bots(&shop.id, (0, today), None, None, Scope::Snapshots).await;
            visits.unwrap().by_provider.iter().map(|row| row.count).sum::<u64>()
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
