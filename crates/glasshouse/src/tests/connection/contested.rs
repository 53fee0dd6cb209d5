//! Names that more than one account claims.

use std::time::Duration;

use store::on_engine;

use super::world::{ELSEWHERE, HERE, World, settings};
use crate::testing::*;
use domains::ConnectionProof;
use domains::{Domain, DomainStatus};
use platform::plans::Plan;

const HOUR: Duration = Duration::from_secs(60 * 60);

async fn ownership(app: &TestApp, domain: &Domain) -> Option<String> {
    app.state.connection.ownership(domain).await.unwrap()
}

#[tokio::test]
async fn a_site_is_contested_by_every_other_claim_whatever_its_age_and_name() {
    for theirs in ["shop.example", "www.shop.example", "login.shop.example"] {
        TestApp::on_each_engine(async |app| {
            let one = app.account("a@x.example", Plan::Business).await;
            let two = app.account("b@x.example", Plan::Business).await;
            let first = app.domain_with_status(&one, "shop.example", DomainStatus::Pending).await;
            assert_eq!(ownership(&app, &first).await, None);

            app.clock.advance(1000 * HOUR);
            let second = app.domain_with_status(&two, theirs, DomainStatus::Pending).await;

            let values = [ownership(&app, &first).await.unwrap(), ownership(&app, &second).await.unwrap()];
            assert_ne!(values[0], values[1]);
            app.clock.advance(1000 * HOUR);
            assert_eq!(ownership(&app, &second).await.as_ref(), Some(&values[1]), "{theirs}");
        })
        .await;
    }
}

#[tokio::test]
async fn neighbours_under_a_public_suffix_and_names_of_one_account_do_not_compete() {
    TestApp::on_each_engine(async |app| {
        let one = app.account("a@x.example", Plan::Business).await;
        let two = app.account("b@x.example", Plan::Business).await;
        let first = app.domain_with_status(&one, "one.github.io", DomainStatus::Pending).await;
        let second = app.domain_with_status(&two, "two.github.io", DomainStatus::Pending).await;
        app.domain_with_status(&one, "a.one.github.io", DomainStatus::Pending).await;

        assert_eq!(ownership(&app, &first).await, None);
        assert_eq!(ownership(&app, &second).await, None);
    })
    .await;
}

#[tokio::test]
async fn a_site_is_contested_for_400_days_after_another_account_gave_up_a_name_that_was_connected() {
    TestApp::on_each_engine(async |app| {
        let one = app.account("a@x.example", Plan::Business).await;
        let two = app.account("b@x.example", Plan::Business).await;
        let former = app.domain(&one, "www.shop.example").await;
        assert!(app.state.domains.remove(&former).await.unwrap());

        let domain = app.domain_with_status(&two, "shop.example", DomainStatus::Pending).await;

        app.clock.advance(399 * 24 * HOUR);
        assert!(ownership(&app, &domain).await.is_some());
        app.clock.advance(24 * HOUR);
        assert_eq!(ownership(&app, &domain).await, None);
    })
    .await;
}

#[tokio::test]
async fn a_claim_that_was_never_connected_leaves_no_trace() {
    TestApp::on_each_engine(async |app| {
        let passer_by = app.account("a@x.example", Plan::Business).await;
        let owner = app.account("b@x.example", Plan::Business).await;
        let claim = app.domain_with_status(&passer_by, "shop.example", DomainStatus::Pending).await;
        app.state.domains.remove(&claim).await.unwrap();

        let domain = app.domain_with_status(&owner, "shop.example", DomainStatus::Pending).await;

        assert_eq!(ownership(&app, &domain).await, None);
    })
    .await;
}

#[tokio::test]
async fn a_removal_that_is_long_ago_is_forgotten_with_the_next_one() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("a@x.example", Plan::Business).await;
        let old = app.domain(&account, "old.example").await;
        app.state.domains.remove(&old).await.unwrap();
        app.clock.advance(401 * 24 * HOUR);
        let new = app.domain(&account, "new.example").await;
        app.state.domains.remove(&new).await.unwrap();

        let mut conn = app.state.platform.db.read().await.unwrap();
        let left: Vec<String> = on_engine!(&mut conn, |c| {
            sqlx::query_scalar("select host from former_domains").fetch_all(c).await
        })
        .unwrap();

        assert_eq!(left, ["new.example"]);
    })
    .await;
}

#[tokio::test]
async fn a_claim_below_a_served_domain_needs_proof_whatever_its_records_say() {
    let world = World::new().await;
    let stranger = world.app.account("stranger@x.example", Plan::Business).await;
    world.app.domain(&world.account, "shop.example").await;
    // A wildcard record of the owner leads here.
    world.dns.leads_to("login.shop.example", &[HERE]);

    let login = world.app.domain_with_status(&stranger, "login.shop.example", DomainStatus::Pending).await;
    let result = world.check(&login).await;

    assert_eq!((result.dns.r#match, result.status), (false, DomainStatus::Pending));
}

#[tokio::test]
async fn a_claim_that_comes_while_another_is_checked_is_not_overlooked() {
    TestApp::on_each_engine(async |app| {
        let one = app.account("a@x.example", Plan::Business).await;
        let two = app.account("b@x.example", Plan::Business).await;
        // Checked while uncontested, and claimed by another account before it is promoted.
        let first = app.domain_with_status(&one, "shop.example", DomainStatus::Pending).await;
        app.domain_with_status(&two, "shop.example", DomainStatus::Pending).await;

        let by_records =
            app.state.domains.promote(&first, DomainStatus::Connected, ConnectionProof::OfTheWay).await;
        let by_proof =
            app.state.domains.promote(&first, DomainStatus::Connected, ConnectionProof::OfOwner).await;

        assert_eq!((by_records.unwrap(), by_proof.unwrap()), (false, true));
    })
    .await;
}

#[tokio::test]
async fn a_visitor_of_the_edge_promotes_no_domain_of_an_inactive_account() {
    let world = World::new().await;
    let shop = world.shop().await;
    world.dns.leads_to("shop.example", &[HERE]);
    let status = async || world.app.state.domains.find_by_id(&shop.id).await.unwrap().unwrap().status;
    let visit = async || world.app.state.connection.check_claims("shop.example").await.unwrap();
    world.app.deactivate(&world.account).await;

    visit().await;

    assert_eq!(status().await, DomainStatus::Pending);
    world.app.state.accounts.set_active(&world.account.email, true).await.unwrap();
    visit().await;
    assert_eq!(status().await, DomainStatus::Connected);
}

#[tokio::test]
async fn older_claims_of_inactive_accounts_keep_no_claim_from_being_looked_at() {
    let world = World::new().await;
    let older = "insert into accounts with recursive n (i) as (select 1 union all select i + 1 from n where i < 150) \
         select 'old' || i, 'old' || i || '@x.example', 'business', false, 0 from n; \
         insert into domains (id, account_id, host, status, suspended, settings, rendering, version, created_at, updated_at, site) \
         select id, id, 'shop.example', 'pending', false, '{}', '{}', 1, 0, 0, 'shop.example' from accounts \
         where not active";
    let mut tx = world.app.state.platform.db.write().await.unwrap();
    on_engine!(tx, |c| sqlx::raw_sql(older).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
    let shop = world.shop().await;
    world.dns.leads_to("shop.example", &[HERE]);
    let proof = ownership(&world.app, &shop).await.expect("it is contested");
    world.dns.says("_glasshouse.shop.example", &[&proof]);

    world.app.state.connection.check_claims("shop.example").await.unwrap();

    let status = world.app.state.domains.find_by_id(&shop.id).await.unwrap().unwrap().status;
    assert_eq!(status, DomainStatus::Connected);
}

#[tokio::test]
async fn a_contested_name_goes_to_whoever_has_the_ownership_record() {
    let world = World::new().await;
    let rival = world.app.account("rival@x.example", Plan::Business).await;
    let mine = world.shop().await;
    let theirs = world.app.domain_with_status(&rival, "shop.example", DomainStatus::Pending).await;
    world.dns.leads_to("shop.example", &[HERE]);

    let before = world.examine(&mine).await;
    let value = ownership(&world.app, &mine).await.unwrap();
    world.dns.says("_glasshouse.shop.example", &["something else", &value]);
    let refused = world.check(&theirs).await;
    let accepted = world.check(&mine).await;

    assert!(!before.result.dns.r#match && before.problems[0].contains(&value), "{:?}", before.problems);
    assert_eq!((refused.dns.r#match, refused.status), (false, DomainStatus::Pending));
    assert_eq!(
        (accepted.dns.r#match, accepted.status, accepted.promoted),
        (true, DomainStatus::Connected, true)
    );
}

#[tokio::test]
async fn a_name_that_is_served_stays_with_its_account_whatever_the_records_say() {
    let world = World::new().await;
    let rival = world.app.account("rival@x.example", Plan::Business).await;
    let late = world.app.domain_with_status(&rival, "shop.example", DomainStatus::Pending).await;
    world.app.domain(&world.account, "shop.example").await;
    let value = ownership(&world.app, &late).await.unwrap();
    world.dns.leads_to("shop.example", &[HERE]);
    world.dns.says("_glasshouse.shop.example", &[&value]);

    let result = world.check(&late).await;

    assert_eq!((result.dns.r#match, result.status, result.promoted), (true, DomainStatus::Pending, false));
}

#[tokio::test]
async fn of_two_checks_at_once_one_gets_the_name() {
    let dns = DnsServer::start().await;
    dns.leads_to("shop.example", &[HERE]);
    TestApp::on_each_engine_with(&settings(&dns), async |app| {
        let one = app.account("a@x.example", Plan::Business).await;
        let two = app.account("b@x.example", Plan::Business).await;
        let claims = [
            app.domain_with_status(&one, "shop.example", DomainStatus::Pending).await,
            app.domain_with_status(&two, "shop.example", DomainStatus::Pending).await,
        ];
        let proofs = [ownership(&app, &claims[0]).await.unwrap(), ownership(&app, &claims[1]).await.unwrap()];
        dns.says("_glasshouse.shop.example", &[&proofs[0], &proofs[1]]);
        let other = app.second().await;

        let (first, second) =
            tokio::join!(app.state.connection.check(&claims[0]), other.state.connection.check(&claims[1]));
        let results = [first.unwrap(), second.unwrap()];

        assert_eq!(results.iter().filter(|result| result.promoted).count(), 1, "{results:?}");
        let status = |result: &&domains::connection::CheckResult| result.status == DomainStatus::Connected;
        assert_eq!(results.iter().filter(status).count(), 1, "{results:?}");
        other.stop().await;
    })
    .await;
}

#[tokio::test]
async fn many_promotions_at_once_give_a_name_to_one_account() {
    TestApp::on_each_engine(async |app| {
        let mut claims = Vec::new();
        for number in 0..8 {
            let account = app.account(&format!("a{number}@x.example"), Plan::Business).await;
            claims.push(app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await);
        }

        let promotions = claims
            .iter()
            .map(|claim| app.state.domains.promote(claim, DomainStatus::Connected, ConnectionProof::OfOwner));
        let promoted = futures::future::join_all(promotions).await;

        assert_eq!(promoted.into_iter().filter(|promoted| *promoted.as_ref().unwrap()).count(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_dns_server_that_fails_for_the_ownership_record_is_told_apart() {
    let world = World::new().await;
    let rival = world.app.account("rival@x.example", Plan::Business).await;
    world.app.domain_with_status(&rival, "shop.example", DomainStatus::Pending).await;
    let mine = world.shop().await;
    world.dns.leads_to("shop.example", &[HERE]);
    world.dns.troubles("_glasshouse.shop.example", crate::testing::Trouble::ServFail);

    assert_eq!(world.dns_of(&mine).await, (false, false, true));
    world.dns.leads_to("shop.example", &[ELSEWHERE]);
    assert_eq!(world.dns_of(&mine).await, (false, false, true));
}
