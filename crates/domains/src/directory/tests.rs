//! Hosts are found in memory, and the memory equals the database.

use std::time::Duration;

use store::on_engine;

use super::*;
use crate::service::{Lock, NewDomain};
use crate::testing::*;
use crate::{Domain, DomainStatus};
use platform::plans::{Plan, PlanLimit};

async fn at_edge(app: &TestApp, host: &str) -> Option<Arc<Site>> {
    app.state.domains.find_for_edge(host).await.expect("it was read once")
}

/// Waits until another process has applied a change; it has two seconds, and a slow machine needs more.
async fn soon(mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..200 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the other process has not taken it over");
}

async fn claim(app: &TestApp, account: &TestAccount, host: &str, status: DomainStatus) -> Domain {
    let new = NewDomain { domain: host.to_owned(), status, ..NewDomain::default() };
    app.state.domains.add(&account.id, PlanLimit::NONE, new).await.expect("the name is free").domain
}

#[tokio::test]
async fn without_a_database_known_hosts_are_served_and_unknown_ones_refused() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        app.domain(&account, "shop.example").await;
        app.domain(&account, "never-asked-for.example").await;
        assert!(at_edge(&app, "shop.example").await.is_some());

        app.state.platform.db.close().await;

        for _ in 0..3 {
            assert!(at_edge(&app, "never-asked-for.example").await.is_some());
            assert!(at_edge(&app, "www.shop.example").await.is_some());
            assert!(at_edge(&app, "random.example").await.is_none());
            assert!(app.state.domains.find(&account.id, "www.shop.example").await.unwrap().is_some());
            // Longer than the memory is current without an answer of the database.
            tokio::time::sleep(Duration::from_millis(1_100)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn the_edge_prefers_served_names_to_locked_ones_to_the_oldest_claim() {
    TestApp::on_each_engine(async |app| {
        let mut accounts = Vec::new();
        for name in ["one", "two", "three"] {
            accounts.push(app.account(&format!("{name}@shop.example"), Plan::Business).await);
        }
        let [one, two, three] = &accounts[..] else { unreachable!("three were made") };
        let whose = async |host: &str| at_edge(&app, host).await.map(|site| site.domain.id.clone());

        let first = claim(&app, one, "shop.example", DomainStatus::Pending).await;
        app.clock.advance(Duration::from_secs(1));
        let second = claim(&app, two, "shop.example", DomainStatus::Pending).await;
        assert_eq!(whose("shop.example").await, Some(first.id.clone()));
        assert_eq!(whose("www.shop.example").await, Some(first.id.clone()));

        let twin = claim(&app, three, "www.shop.example", DomainStatus::Connected).await;
        assert_eq!(whose("shop.example").await, Some(twin.id.clone()));
        app.state.domains.remove(&twin).await.unwrap();
        app.state.domains.remove(&first).await.unwrap();
        assert_eq!(whose("www.shop.example").await, Some(second.id));
    })
    .await;
}

#[tokio::test]
async fn a_lock_a_removal_and_a_new_name_hold_in_a_process_that_did_none_of_them() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let shop = app.domain(&account, "shop.example").await;
        let other = TestApp::on(app.state.platform.db.clone(), "").await;
        assert!(at_edge(&other, "shop.example").await.is_some_and(|site| !site.is_suspended()));

        app.state.domains.set_suspended("shop.example", Lock::On).await.unwrap();
        soon(async || at_edge(&other, "shop.example").await.is_some_and(|site| site.is_suspended())).await;
        app.state.domains.remove(&shop).await.unwrap();
        soon(async || at_edge(&other, "shop.example").await.is_none()).await;
        app.domain(&account, "new.example").await;
        soon(async || at_edge(&other, "new.example").await.is_some()).await;

        other.state.platform.shutdown.cancel();
        other.state.platform.tasks.close();
        other.state.platform.tasks.wait().await;
    })
    .await;
}

#[tokio::test]
async fn a_lock_holds_for_what_a_newer_version_wrote() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let locked = async |host: &str| at_edge(&app, host).await.map(|site| site.is_suspended());
        for (host, newer) in [
            ("settings.example", "update domains set settings = '\"newer\"' where host = 'settings.example'"),
            ("status.example", "update domains set status = 'resting' where host = 'status.example'"),
        ] {
            app.domain(&account, host).await;
            assert_eq!(locked(host).await, Some(false));
            let mut tx = app.state.platform.db.write().await.unwrap();
            on_engine!(tx, |c| sqlx::query(newer).execute(c).await.map(drop)).unwrap();
            tx.commit().await.unwrap();

            let changed = app.state.domains.set_suspended(host, Lock::On).await.unwrap();

            assert_eq!((changed, locked(host).await), (1, Some(true)), "{host}");
            app.state.domains.set_suspended(host, Lock::Off).await.unwrap();
            assert_eq!(locked(host).await, Some(false), "{host}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_account_that_is_closed_elsewhere_is_inactive_here() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        app.state.follower.current().await.unwrap();
        let command = accounts::Accounts::on(app.state.platform.db.clone(), app.clock.clone(), 100);
        assert!(app.state.accounts.is_active(&account.id));

        command.set_active(&"owner@shop.example".parse().unwrap(), false).await.unwrap();

        soon(async || !app.state.accounts.is_active(&account.id)).await;
    })
    .await;
}

#[tokio::test]
async fn what_is_made_of_a_site_stays_while_its_record_does() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let shop = app.domain(&account, "shop.example").await;
        let before = app.site(&shop).await;

        app.domain(&account, "other.example").await;
        assert!(Arc::ptr_eq(&before, &app.site(&shop).await));
        app.set(&shop, |settings| settings.ignore_paths = "/cart".to_owned()).await;

        assert_eq!(app.site(&shop).await.domain.settings.ignore_paths, "/cart");
    })
    .await;
}
