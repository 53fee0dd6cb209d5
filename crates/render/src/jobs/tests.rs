//! Tests of renders for processes without browsers: one process requests a render, another one has the browser.

#![allow(clippy::disallowed_methods, reason = "clients of a test are nobody's background work")]

use std::time::Duration;

use super::*;
use crate::model::RenderPurpose;
use crate::remote::KEPT;
use crate::testing::*;
use domains::DomainId;
use platform::config::Role;
use platform::jobs::JobState;
use platform::plans::Plan;

const PAGE: &str = "https://shop.example/shoes";

async fn shop(app: &TestApp) -> (TestAccount, DomainId) {
    let account = app.account("owner@shop.example", Plan::Enterprise).await;
    let domain = app.domain(&account, "shop.example").await;
    (account, domain.id)
}

/// Starts a process of the same installation that answers clients and has no browsers.
async fn without_browsers(app: &TestApp) -> TestApp {
    app.second_with(|config| config.server.roles = vec![Role::Api, Role::Edge]).await
}

/// Requests the page from the process without browsers, and runs the other one's worker once the job is queued.
async fn ask(app: &TestApp, front: &TestApp, account: &TestAccount) -> Reply {
    let reply = tokio::spawn(front.crawl(account, PAGE).into_future());
    wait_for_jobs(app, 1).await;
    app.state.worker().run_until_idle().await;
    reply.await.expect("an answer")
}

async fn wait_for_jobs(app: &TestApp, wanted: usize) {
    for _ in 0..1_000 {
        let waiting = app.state.jobs.list(Some(JobState::Waiting), 10).await.expect("a database");
        if waiting.len() == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("there are not {wanted} jobs");
}

#[tokio::test]
async fn a_process_without_browsers_answers_with_what_another_one_rendered() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        let front = without_browsers(&app).await;
        app.renderer.answers_html(PAGE, "<p>Shoes</p>");

        let first = ask(&app, &front, &account).await;
        let second = front.crawl(&account, PAGE).await;

        assert_eq!((first.header("x-service-render-cache"), first.text().as_str()), ("miss", "<p>Shoes</p>"));
        assert_eq!(second.header("x-service-render-cache"), "edge-hit");
        assert_eq!((app.renderer.renders(PAGE), front.renderer.renders(PAGE)), (1, 0));
        front.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_page_that_is_not_stored_is_handed_over_whole() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        let front = without_browsers(&app).await;
        app.renderer.answers_status(PAGE, 503, "<p>down</p>");

        let reply = ask(&app, &front, &account).await;

        assert_eq!((reply.status.as_u16(), reply.text().as_str()), (503, "<p>down</p>"));
        front.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_render_that_fails_elsewhere_leads_to_the_origin() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        let front = without_browsers(&app).await;
        app.renderer.fails(PAGE, browser::RenderError::PageCrashed);

        let reply = ask(&app, &front, &account).await;

        reply.assert_status(304);
        assert_eq!(reply.header("location"), PAGE);
        front.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_page_that_nobody_waits_for_any_more_is_not_rendered() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        let front = without_browsers(&app).await;
        let client = tokio::spawn(front.crawl(&account, PAGE).into_future());
        wait_for_jobs(&app, 1).await;

        client.abort();
        wait_for_jobs(&app, 0).await;
        app.state.worker().run_until_idle().await;

        assert_eq!(app.renderer.renders(PAGE), 0);
        front.stop().await;
    })
    .await;
}

#[tokio::test]
async fn results_that_nobody_fetched_are_deleted_with_their_documents() {
    TestApp::on_each_engine(async |app| {
        let (_, domain) = shop(&app).await;
        app.renderer.answers_status(PAGE, 503, "<p>down</p>");
        let run = async || {
            let job = RenderPage {
                domain: domain.clone(),
                url: PAGE.parse().expect("an address"),
                purpose: RenderPurpose::OnDemand,
                known_generation: None,
            };
            let job = job.queued_for("account");
            let id = job.id().clone();
            let mut tx = app.state.platform.db.write().await.expect("a database");
            app.state.jobs.enqueue(&mut tx, vec![job]).await.expect("a database");
            tx.commit().await.expect("a database");
            app.state.worker().run_until_idle().await;
            format!("renders/{id}")
        };
        let blobs = &app.state.platform.blobs;
        let old = run().await;
        assert!(blobs.get(&old).await.expect("a store").is_some());

        app.clock.advance(KEPT + Duration::from_secs(1));
        run().await;

        assert!(blobs.get(&old).await.expect("a store").is_none());
    })
    .await;
}

/// Requests a page from the process without browsers in a task.
fn asks(front: &TestApp, account: &TestAccount, path: &str) -> tokio::task::JoinHandle<Reply> {
    tokio::spawn(front.crawl(account, &format!("https://shop.example{path}")).into_future())
}

#[tokio::test]
async fn an_origin_that_answers_elsewhere_is_proven_here() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let front = without_browsers(&app).await;
    ask(&app, &front, &account).await.assert_status(200);

    let clients = ["/a", "/b", "/c", "/d"].map(|path| asks(&front, &account, path));

    wait_for_jobs(&app, 4).await;
    clients.iter().for_each(tokio::task::JoinHandle::abort);
    front.stop().await;
}

#[tokio::test]
async fn an_origin_that_is_down_is_asked_for_no_more_by_processes_without_browsers() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.renderer.fails("/", browser::RenderError::OriginUnreachable("connection refused".to_owned()));
    let learns_itself = without_browsers(&app).await;
    for _ in 0..3 {
        let reply = asks(&learns_itself, &account, "/");
        wait_for_jobs(&app, 1).await;
        app.state.worker().run_until_idle().await;
        reply.await.expect("an answer").assert_status(304);
    }
    // The breaker of the process with browsers is open by now, and the process says so.
    let is_told = without_browsers(&app).await;
    let reply = asks(&is_told, &account, "/");
    wait_for_jobs(&app, 1).await;
    app.state.worker().run_until_idle().await;
    reply.await.expect("an answer").assert_status(304);

    for front in [learns_itself, is_told] {
        let reply = tokio::time::timeout(Duration::from_secs(3), async { front.crawl(&account, PAGE).await });

        reply.await.expect("nobody is asked").assert_status(304);
        wait_for_jobs(&app, 0).await;
        front.stop().await;
    }
}
