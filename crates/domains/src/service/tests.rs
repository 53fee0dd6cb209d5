//! Tests of adding, locking and removing domains, on both databases.

use crate::ownership::ConnectionProof;
use crate::service::{AddError, Lock, NewDomain};
use crate::testing::*;
use crate::{Domain, DomainStatus};
use platform::plans::{Plan, PlanLimit};
use webhooks::testing::HeardEvents;

async fn add(app: &TestApp, account: &TestAccount, new: NewDomain) -> Result<Domain, AddError> {
    app.state.domains.add(&account.id, PlanLimit::of(2), new).await.map(|added| added.domain)
}

fn named(domain: &str) -> NewDomain {
    NewDomain { domain: domain.into(), ..NewDomain::default() }
}

fn with_origin(domain: &str, origin: &str) -> NewDomain {
    NewDomain { origin_host: Some(origin.into()), ..named(domain) }
}

#[tokio::test]
async fn a_domain_is_added_pending_in_its_canonical_form() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("a@x.example", Plan::Business).await;

        let added = add(&app, &account, with_origin("Bücher.example", "https://App.Host.example/x"))
            .await
            .expect("a new domain");

        assert_eq!((added.host.as_str(), added.status), ("xn--bcher-kva.example", DomainStatus::Pending));
        assert_eq!(added.settings.origin_text(), "app.host.example");
        assert!(added.settings.on_demand_render_enabled);
        assert_eq!(app.state.domains.list(Some(&account.id)).await.expect("a database"), [added]);
    })
    .await;
}

#[tokio::test]
async fn an_unusable_name_or_origin_is_refused() {
    let app = TestApp::new().await;
    let account = app.account("a@x.example", Plan::Business).await;
    let refused = async |new| add(&app, &account, new).await.expect_err("a refusal").to_string();

    let invalid = refused(named("localhost")).await;
    assert!(invalid.contains("not a domain"), "{invalid}");
    for origin in ["shop.example", "www.shop.example", "https://SHOP.example/x"] {
        let same = refused(with_origin("shop.example", origin)).await;
        assert!(same.contains("another name than the domain"), "{origin}: {same}");
    }
    let editor = refused(with_origin("shop.example", "shop.lovable.dev")).await;
    assert!(editor.contains("editor"), "{editor}");
    let sitemap = refused(NewDomain { sitemap_url: Some("x".into()), ..named("shop.example") }).await;
    assert!(sitemap.contains("sitemap"), "{sitemap}");
}

#[tokio::test]
async fn the_host_at_which_the_edge_serves_the_installation_is_nobodys_to_add() {
    let served = "server.public_url = \"https://glasshouse.example\"\nedge.https_listen = \"127.0.0.1:8443\"";
    let app = TestApp::with(served).await;
    let account = app.account("a@x.example", Plan::Business).await;

    for name in ["glasshouse.example", "GLASSHOUSE.example.", "www.glasshouse.example"] {
        let refused = add(&app, &account, named(name)).await;
        assert!(matches!(refused, Err(AddError::OwnHost)), "{name}: {refused:?}");
    }
    assert!(add(&app, &account, named("shop.glasshouse.example")).await.is_ok());
    let without_tls = TestApp::with("server.public_url = \"https://glasshouse.example\"").await;
    let account = without_tls.account("a@x.example", Plan::Business).await;
    assert!(add(&without_tls, &account, named("glasshouse.example")).await.is_ok());
}

#[tokio::test]
async fn a_name_is_served_for_one_account_and_pending_claims_block_nobody() {
    TestApp::on_each_engine(async |app| {
        let (one, two) = (
            app.account("a@x.example", Plan::Business).await,
            app.account("b@x.example", Plan::Business).await,
        );
        let connected = || NewDomain { status: DomainStatus::Connected, ..named("shop.example") };
        add(&app, &one, named("shop.example")).await.expect("a claim");

        assert!(matches!(add(&app, &one, named("shop.example")).await, Err(AddError::AlreadyConnected)));
        add(&app, &two, connected()).await.expect("a claim blocks nobody");
        let three = app.account("c@x.example", Plan::Business).await;
        assert!(matches!(add(&app, &three, named("shop.example")).await, Err(AddError::AlreadyConnected)));
    })
    .await;
}

#[tokio::test]
async fn a_suspended_name_cannot_be_added_by_anybody() {
    TestApp::on_each_engine(async |app| {
        let (one, two) = (
            app.account("a@x.example", Plan::Business).await,
            app.account("b@x.example", Plan::Business).await,
        );
        add(&app, &one, named("shop.example")).await.expect("a new domain");
        assert_eq!(app.state.domains.set_suspended("shop.example", Lock::On).await.expect("a database"), 1);

        assert!(matches!(add(&app, &one, named("shop.example")).await, Err(AddError::Suspended)));
        assert!(matches!(add(&app, &two, named("shop.example")).await, Err(AddError::Suspended)));
        assert_eq!(
            app.state.domains.set_suspended("nobodys.example", Lock::On).await.expect("a database"),
            0
        );
    })
    .await;
}

#[tokio::test]
async fn removing_a_suspended_domain_does_not_open_its_lock() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("a@x.example", Plan::Business).await;
        let domain = app.domain(&account, "shop.example").await;
        let lock =
            async |lock| app.state.domains.set_suspended("shop.example", lock).await.expect("a database");
        lock(Lock::On).await;
        app.state.domains.remove(&domain).await.expect("a database");

        assert!(matches!(add(&app, &account, named("shop.example")).await, Err(AddError::Suspended)));
        assert_eq!((lock(Lock::Off).await, lock(Lock::Off).await), (1, 0));
        add(&app, &account, named("shop.example")).await.expect("the lock is open");
    })
    .await;
}

#[tokio::test]
async fn resuming_finds_the_status_from_before() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("a@x.example", Plan::Business).await;
        let domain = app.domain_with_status(&account, "shop.example", DomainStatus::ViaApi).await;

        let status = async || {
            app.state.domains.find_by_id(&domain.id).await.expect("a database").expect("a domain").status
        };
        app.state.domains.set_suspended("shop.example", Lock::On).await.expect("a database");
        assert_eq!(status().await, DomainStatus::Suspended);
        app.state.domains.set_suspended("shop.example", Lock::Off).await.expect("a database");

        assert_eq!(status().await, DomainStatus::ViaApi);
    })
    .await;
}

#[tokio::test]
async fn the_plan_s_slots_are_kept_when_many_are_added_at_once() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("a@x.example", Plan::Business).await;
        let names: Vec<String> = (0..10).map(|number| format!("shop{number}.example")).collect();

        let added =
            futures::future::join_all(names.iter().map(|name| add(&app, &account, named(name)))).await;

        let full = |result: &Result<Domain, AddError>| {
            matches!(result, Err(AddError::LimitReached { limit: 2, current: 2 }))
        };
        assert_eq!(added.iter().filter(|result| result.is_ok()).count(), 2);
        assert_eq!(added.iter().filter(|result| full(result)).count(), 8);
    })
    .await;
}

#[tokio::test]
async fn the_twin_belongs_to_a_domain_and_the_exact_name_wins() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("a@x.example", Plan::Business).await;
        let apex = app.domain(&account, "shop.example").await;
        let find = async |host: &str| {
            app.state
                .domains
                .find(&account.id, host)
                .await
                .expect("a database")
                .map(|site| site.domain.id.clone())
        };

        assert_eq!(find("www.shop.example").await, Some(apex.id.clone()));
        let www = app.domain(&account, "www.shop.example").await;

        assert_eq!(find("www.shop.example").await, Some(www.id));
        assert_eq!(find("shop.example").await, Some(apex.id));
        assert_eq!(find("a.shop.example").await, None);
    })
    .await;
}

#[tokio::test]
async fn at_the_edge_a_served_record_answers_before_a_claim() {
    TestApp::on_each_engine(async |app| {
        let (one, two) = (
            app.account("a@x.example", Plan::Business).await,
            app.account("b@x.example", Plan::Business).await,
        );
        app.domain_with_status(&one, "shop.example", DomainStatus::Pending).await;
        let served = app.domain(&two, "shop.example").await;

        let found =
            app.state.domains.find_for_edge("www.shop.example").await.expect("a database").expect("a domain");

        assert_eq!(found.domain.id, served.id);
        assert!(app.state.domains.find_for_edge("other.example").await.expect("a database").is_none());
    })
    .await;
}

#[tokio::test]
async fn a_name_whose_twin_another_account_serves_cannot_be_added() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("a@x.example", Plan::Business).await;
        let rival = app.account("b@x.example", Plan::Business).await;
        app.domain(&owner, "shop.example").await;

        assert!(matches!(
            add(&app, &rival, named("www.shop.example")).await,
            Err(AddError::AlreadyConnected)
        ));
        add(&app, &rival, named("app.shop.example")).await.expect("another name of the site is a claim");
        add(&app, &owner, named("www.shop.example")).await.expect("the twin on the same account");
    })
    .await;
}

#[tokio::test]
async fn a_lock_holds_for_the_twin_and_for_names_below_on_every_account() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("a@x.example", Plan::Business).await;
        let other = app.account("b@x.example", Plan::Business).await;
        app.domain(&owner, "shop.example").await;
        let below = app.domain(&other, "app.shop.example").await;
        let lock = async |host, lock| app.state.domains.set_suspended(host, lock).await.expect("a database");
        let status = async || {
            app.state.domains.find_by_id(&below.id).await.expect("a database").expect("a domain").status
        };

        assert_eq!(lock("shop.example", Lock::On).await, 2);

        for host in ["www.shop.example", "login.shop.example", "a.b.shop.example"] {
            assert!(matches!(add(&app, &other, named(host)).await, Err(AddError::Suspended)), "{host}");
        }
        assert_eq!(status().await, DomainStatus::Suspended);
        lock("app.shop.example", Lock::On).await;
        lock("shop.example", Lock::Off).await;
        assert_eq!(status().await, DomainStatus::Suspended, "its own lock is on");
        lock("app.shop.example", Lock::Off).await;
        assert_eq!(status().await, DomainStatus::Connected);
    })
    .await;
}

#[tokio::test]
async fn a_lock_on_www_holds_for_the_apex() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("a@x.example", Plan::Business).await;
        app.domain(&owner, "www.shop.example").await;

        app.state.domains.set_suspended("www.shop.example", Lock::On).await.expect("a database");

        assert!(matches!(add(&app, &owner, named("shop.example")).await, Err(AddError::Suspended)));
    })
    .await;
}

#[tokio::test]
async fn webhooks_are_told_that_a_domain_is_connected_and_that_it_is_suspended() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("a@x.example", Plan::Business).await;
        let names = ["domain.connected", "domain.suspended"];
        let heard = HeardEvents::of(app.state.platform(), &app.state.jobs, &account.id, &names).await;
        let domain = add(&app, &account, named("shop.example")).await.expect("a new domain");
        let domains = &app.state.domains;

        for _ in 0..2 {
            domains
                .promote(&domain, DomainStatus::ViaApi, ConnectionProof::OfTheWay)
                .await
                .expect("a database");
        }
        for lock in [Lock::On, Lock::On, Lock::Off] {
            domains.set_suspended("shop.example", lock).await.expect("a database");
        }

        let told = names.map(|name| (name.to_owned(), "shop.example".to_owned()));
        assert_eq!(heard.list().await, told);
    })
    .await;
}
