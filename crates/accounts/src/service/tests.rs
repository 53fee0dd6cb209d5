//! The rules of accounts, keys, sessions and usage, on both databases.

use std::time::Duration;

use super::*;
use crate::testing::*;
use crate::{People, UsageMetric};
use platform::plans::PlanLimit;

fn email(text: &str) -> Email {
    text.parse().unwrap()
}

#[tokio::test]
async fn an_email_address_has_one_account() {
    TestApp::on_each_engine(async |app| {
        app.account("owner@shop.example", Plan::Agency).await;

        let again = app.state.accounts.create_account(&email("Owner@Shop.example"), None, Plan::Agency).await;

        assert!(matches!(again, Err(AccountError::EmailTaken(_))), "{again:?}");
    })
    .await;
}

#[tokio::test]
async fn a_password_is_generated_when_none_is_given_and_an_empty_one_refused() {
    TestApp::on_each_engine(async |app| {
        let accounts = &app.state.accounts;

        let (_, generated) =
            accounts.create_account(&email("a@x.example"), None, Plan::Essential).await.unwrap();
        let empty =
            accounts.create_account(&email("b@x.example"), Some(String::new()), Plan::Essential).await;

        let credentials = People::new(&app.state.platform).credentials;
        credentials.sign_in(&email("a@x.example"), generated.unwrap(), None, None).await.unwrap();
        assert!(matches!(empty, Err(AccountError::EmptyPassword)));
    })
    .await;
}

#[tokio::test]
async fn a_key_says_whose_it_is() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let scoped = app.key(&account.id, Some("shop.example")).await;

        let wide = app.state.accounts.authenticate(&account.key).await.unwrap().unwrap();
        let scoped = app.state.accounts.authenticate(&scoped).await.unwrap().unwrap();

        assert_eq!((&wide.account, wide.plan, wide.active), (&account.id, Plan::Business, true));
        assert_eq!(wide.scope, None);
        assert_eq!(scoped.scope.as_deref(), Some("shop.example"));
    })
    .await;
}

#[tokio::test]
async fn what_is_no_key_belongs_to_nobody() {
    TestApp::on_each_engine(async |app| {
        let unknown = NewKey::generate(KeyKind::Live);
        let stats = NewKey::generate(KeyKind::Stats);

        for text in [unknown.reveal(), stats.reveal(), "", "gh_live_x"] {
            let found = app.state.accounts.authenticate(text).await.unwrap();

            assert!(found.is_none(), "{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_key_is_answered_from_memory_once_it_was_looked_up() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let before = app.state.accounts.authenticate_cached(&account.key);

    app.state.accounts.authenticate(&account.key).await.unwrap();

    assert!(before.is_none());
    assert!(app.state.accounts.authenticate_cached(&account.key).is_some());
}

#[tokio::test]
async fn a_revoked_key_stops_at_once_and_stays_listed() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        app.state.accounts.authenticate(&account.key).await.unwrap();
        let id = app.state.accounts.list_keys(&account.id).await.unwrap()[0].id.clone();

        let found = app.state.accounts.revoke_key(None, &id).await.unwrap();

        assert!(found);
        assert!(app.state.accounts.authenticate(&account.key).await.unwrap().is_none());
        assert_eq!(
            app.state.accounts.list_keys(&account.id).await.unwrap()[0].revoked_at,
            Some(app.clock.now())
        );
    })
    .await;
}

#[tokio::test]
async fn revoking_a_key_leaves_other_keys_in_memory() {
    let app = TestApp::new().await;
    let (account, other) = (
        app.account("a@shop.example", Plan::Agency).await,
        app.account("b@shop.example", Plan::Agency).await,
    );
    let accounts = &app.state.accounts;
    accounts.authenticate(&other.key).await.unwrap();
    let id = accounts.list_keys(&account.id).await.unwrap()[0].id.clone();

    assert!(!accounts.revoke_key(Some(&account.id), &"none".into()).await.unwrap());
    assert!(accounts.revoke_key(Some(&account.id), &id).await.unwrap());

    assert!(accounts.authenticate_cached(&other.key).is_some());
}

#[tokio::test]
async fn revoking_twice_keeps_the_first_time() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let id = app.state.accounts.list_keys(&account.id).await.unwrap()[0].id.clone();
        let first = app.clock.now();
        app.state.accounts.revoke_key(None, &id).await.unwrap();
        app.clock.advance(Duration::from_secs(5));

        let found = app.state.accounts.revoke_key(None, &id).await.unwrap();

        assert!(found);
        assert_eq!(app.state.accounts.list_keys(&account.id).await.unwrap()[0].revoked_at, Some(first));
    })
    .await;
}

#[tokio::test]
async fn what_another_process_does_takes_effect_within_two_seconds() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        app.state.accounts.authenticate(&account.key).await.unwrap();
        let command = Accounts::on(app.state.platform.db.clone(), app.clock.clone(), 100);

        command.set_active(&account.email, false).await.unwrap();
        command.set_plan(&account.email, Plan::Business).await.unwrap();
        tokio::time::sleep(Duration::from_millis(2_050)).await;

        let seen = app.state.accounts.authenticate(&account.key).await.unwrap().unwrap();
        assert_eq!((seen.active, seen.plan), (false, Plan::Business));
    })
    .await;
}

#[tokio::test]
async fn a_key_known_before_the_database_went_away_still_works() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.state.accounts.authenticate(&account.key).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2_050)).await;

    app.state.platform.db.close().await;

    assert!(app.state.accounts.authenticate(&account.key).await.unwrap().is_some());
    assert!(app.state.accounts.authenticate(NewKey::generate(KeyKind::Live).reveal()).await.is_err());
}

#[tokio::test]
async fn the_last_use_of_a_key_is_written_down_by_the_maintenance() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        app.state.accounts.authenticate(&account.key).await.unwrap();
        app.clock.advance(Duration::from_secs(7));
        app.state.accounts.authenticate_cached(&account.key).unwrap();

        app.state.accounts.do_maintenance().await.unwrap();

        let key = &app.state.accounts.list_keys(&account.id).await.unwrap()[0];
        assert_eq!(key.last_used_at, Some(app.clock.now()));
    })
    .await;
}

#[tokio::test]
async fn the_owner_is_made_once_however_many_processes_start() {
    TestApp::on_each_engine(async |app| {
        let owner = email("owner@localhost");
        let other = Accounts::on(app.state.platform.db.clone(), app.clock.clone(), 100);

        let (first, second) =
            tokio::join!(app.state.accounts.create_owner(&owner), other.create_owner(&owner));
        let third = other.create_owner(&owner).await.unwrap();

        let made: Vec<_> = [first.unwrap(), second.unwrap()].into_iter().flatten().collect();
        assert_eq!(made.len(), 1);
        assert!(third.is_none());
        let account = &app.state.accounts.list_accounts().await.unwrap()[0];
        assert_eq!(
            (account.email.as_str(), account.plan, account.active),
            ("owner@localhost", Plan::Enterprise, true)
        );
        assert!(app.state.accounts.authenticate(made[0].1.reveal()).await.unwrap().is_some());
    })
    .await;
}

#[tokio::test]
async fn a_session_ends_after_twelve_idle_hours() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let session = app.sign_in(&account).await;
        app.clock.advance(IDLE - Duration::from_secs(1));
        app.get("/api/session").header("cookie", &session.cookie).await.assert_status(200);

        app.clock.advance(IDLE);

        app.get("/api/session").header("cookie", &session.cookie).await.assert_error(401, "invalid_api_key");
    })
    .await;
}

#[tokio::test]
async fn a_session_in_use_ends_after_thirty_days() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let session = app.sign_in(&account).await;
        for _ in 0..71 {
            app.clock.advance(Duration::from_secs(10 * 3600));
            app.get("/api/session").header("cookie", &session.cookie).await.assert_status(200);
        }

        app.clock.advance(Duration::from_secs(10 * 3600));

        app.get("/api/session").header("cookie", &session.cookie).await.assert_status(401);
    })
    .await;
}

#[tokio::test]
async fn another_password_ends_every_session() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let session = app.sign_in(&account).await;

        app.state.accounts.set_password(&account.email, Some("other".to_owned())).await.unwrap();

        app.get("/api/session").header("cookie", &session.cookie).await.assert_status(401);
        let credentials = People::new(&app.state.platform).credentials;
        let with_old = credentials.sign_in(&account.email, PASSWORD.to_owned(), None, None).await;
        assert!(matches!(with_old, Err(SignInError::WrongCredentials)));
    })
    .await;
}

#[tokio::test]
async fn exactly_the_limit_can_be_reserved() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await.id;
        let reserve = async |count| {
            app.state
                .accounts
                .reserve(&account, UsageMetric::Renders, count, PlanLimit::of(10))
                .await
                .unwrap()
                .is_some()
        };

        assert!(!reserve(11).await);
        assert!(reserve(9).await);
        assert!(!reserve(2).await);
        assert!(reserve(1).await);
        assert!(!reserve(1).await);
    })
    .await;
}

#[tokio::test]
async fn many_at_once_cannot_reserve_more_than_the_limit() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await.id;

        let attempts =
            (0..50).map(|_| app.state.accounts.reserve(&account, UsageMetric::Audits, 1, PlanLimit::of(10)));
        let taken = futures::future::join_all(attempts).await;

        assert_eq!(taken.into_iter().filter(|taken| taken.as_ref().unwrap().is_some()).count(), 10);
    })
    .await;
}

#[tokio::test]
async fn a_refund_goes_to_the_month_it_came_from() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await.id;
        let accounts = &app.state.accounts;
        let november =
            accounts.reserve(&account, UsageMetric::Renders, 3, PlanLimit::NONE).await.unwrap().unwrap();
        app.clock.set(app.clock.now().start_of_next_month());
        accounts.reserve(&account, UsageMetric::Renders, 5, PlanLimit::NONE).await.unwrap().unwrap();

        accounts.refund(&november).await.unwrap();

        let (month, _, counts) = accounts.usage(&account).await.unwrap();
        assert_eq!((month.as_str(), counts[0]), ("2026-12", (UsageMetric::Renders, 5)));
    })
    .await;
}

#[tokio::test]
async fn metrics_and_accounts_are_counted_apart() {
    TestApp::on_each_engine(async |app| {
        let one = app.account("one@shop.example", Plan::Agency).await.id;
        let other = app.account("other@shop.example", Plan::Agency).await.id;

        app.state
            .accounts
            .reserve(&one, UsageMetric::AuditedPages, 7, PlanLimit::of(7))
            .await
            .unwrap()
            .unwrap();

        let (_, _, counts) = app.state.accounts.usage(&one).await.unwrap();
        assert_eq!(
            counts,
            [(UsageMetric::Renders, 0), (UsageMetric::Audits, 0), (UsageMetric::AuditedPages, 7)]
        );
        assert!(
            app.state
                .accounts
                .reserve(&other, UsageMetric::AuditedPages, 7, PlanLimit::of(7))
                .await
                .unwrap()
                .is_some()
        );
    })
    .await;
}

#[tokio::test]
async fn an_account_has_a_number_of_keys_that_work_and_a_revoked_one_makes_room() {
    TestApp::on_each_engine_with("limits.keys_per_account = 3", async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let other = app.account("other@shop.example", Plan::Agency).await;
        let accounts = &app.state.accounts;

        let makings = (0..5).map(|_| accounts.create_key(&account.id, KeyOrder::default()));
        let made = futures::future::join_all(makings).await;

        assert_eq!(made.iter().filter(|key| key.is_ok()).count(), 2);
        assert!(
            made.iter()
                .flat_map(|key| key.as_ref().err())
                .all(|error| { matches!(error, CreateKeyError::LimitReached { limit: 3 }) }),
            "{made:?}"
        );
        assert!(accounts.create_key(&other.id, KeyOrder::default()).await.is_ok());
        let first = accounts.list_keys(&account.id).await.unwrap()[0].id.clone();
        accounts.revoke_key(None, &first).await.unwrap();
        assert!(accounts.create_key(&account.id, KeyOrder::default()).await.is_ok());
    })
    .await;
}
