//! Weekly mails of people about their domains: who gets one, once a week, and what stands in it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use crate::app::App;
use crate::testing::*;
use dashboard::weekly::FindWeeklyMails;
use domains::DomainStatus;
use platform::jobs::Job;
use platform::plans::Plan;
use platform::testing::mail_server;

/// Time from noon of a Friday, when tests begin, to Monday morning.
const TO_MONDAY: Duration = Duration::from_secs((2 * 24 + 19) * 3600);
const OWNER: &str = "owner@shop.test";
/// Person who sees one of two domains.
const ADA: &str = "ada@shop.test";
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// Two processes of an installation with a mail server, and one account with two domains.
struct World {
    processes: [TestApp; 2],
    account: TestAccount,
    mails: Arc<Mutex<Vec<String>>>,
}

impl World {
    async fn on_each_engine(test: impl AsyncFn(World)) {
        let mails: Arc<Mutex<Vec<String>>> = Arc::default();
        let server = mail_server(mails.clone()).await;
        let settings = format!("[mail]\nsmtp_url = \"smtp://{server}\"\nfrom = \"g@glass.example\"");
        TestApp::on_each_engine_with(&settings, async |app| {
            mails.lock().unwrap().clear();
            let db = || app.state.platform.db.clone();
            let account = app.account(OWNER, Plan::Enterprise).await;
            for domain in ["seen.test", "hidden.test"] {
                app.domain_with_status(&account, domain, DomainStatus::Pending).await;
            }
            // A process without a mail server shows the links of invitations.
            let without_mail = TestApp::on(db(), "").await;
            let owner = app.sign_in(&account).await;
            let person = json!({ "email": ADA, "role": "viewer", "domains": ["seen.test"] });
            without_mail.person(&owner, person).await;
            without_mail.invite(&owner, json!({ "email": "invited@shop.test", "role": "viewer" })).await;
            let second = TestApp::on(db(), &settings).await;
            let world = World { processes: [app, second], account, mails: mails.clone() };
            test(world).await;
        })
        .await;
    }

    async fn sign_in(&self, email: &str) -> TestSession {
        let credentials = json!({ "email": email, "password": PASSWORD });
        let reply = self.processes[0].post("/api/session").json(credentials).await;
        self.processes[0].session_of(&reply).await
    }

    async fn switch(&self, email: &str, is_wanted: bool) {
        let session = self.sign_in(email).await;
        let body = json!({ "weeklyMail": is_wanted });
        self.processes[0].patch("/api/session").session(&session).json(body).await.assert_status(204);
        let asked = self.processes[0].get("/api/session").session(&session).await;
        asked.assert(200, json!({ "weeklyMail": is_wanted }));
    }

    /// Has both processes look for mails that are due, and send them.
    async fn work(&self) {
        let [one, other] = &self.processes;
        for App { jobs, platform, .. } in [&*one.state, &*other.state] {
            let mut tx = platform.db.write().await.unwrap();
            jobs.enqueue(&mut tx, vec![FindWeeklyMails {}.queued_for("service")]).await.unwrap();
            tx.commit().await.unwrap();
        }
        let (mut one, mut other) = (one.state.worker(), other.state.worker());
        tokio::join!(one.run_until_idle(), other.run_until_idle());
    }

    async fn work_after(&self, time: Duration) {
        self.processes.iter().for_each(|process| process.clock.advance(time));
        self.work().await;
    }

    fn mails(&self) -> Vec<String> {
        self.mails.lock().unwrap().iter().map(|mail| mail.replace("=\n", "")).collect()
    }
}

#[tokio::test]
async fn a_person_who_wants_it_gets_one_mail_a_week_however_many_processes_there_are() {
    World::on_each_engine(async |world| {
        world.switch(OWNER, true).await;
        world.work().await;
        let before = world.mails().len();

        world.work_after(TO_MONDAY).await;
        let monday = world.mails();
        world.work_after(Duration::from_secs(3600)).await;
        let later = world.mails().len();
        world.work_after(WEEK).await;
        let next = world.mails().len();
        world.switch(OWNER, false).await;
        world.work_after(WEEK).await;

        assert_eq!((before, monday.len(), later, next, world.mails().len()), (0, 1, 1, 2, 2), "{monday:#?}");
        let mail = &monday[0];
        for part in [
            "To: owner@shop.test",
            "Subject: 2 domains, week to 2026-11-22",
            "List-Unsubscribe: <",
            "/account/profile",
            "Needs care: The domain is not connected",
            "seen.test",
            "hidden.test",
            "text/plain",
            "text/html",
        ] {
            assert!(mail.contains(part), "{part}: {mail}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_person_is_told_the_domains_that_the_person_sees() {
    World::on_each_engine(async |world| {
        world.switch(ADA, true).await;

        world.work_after(TO_MONDAY).await;

        let mails = world.mails();
        assert_eq!(mails.len(), 1, "{mails:#?}");
        assert!(mails[0].contains("To: ada@shop.test") && mails[0].contains("seen.test"), "{}", mails[0]);
        assert!(!mails[0].contains("hidden.test"), "{}", mails[0]);
    })
    .await;
}

#[tokio::test]
async fn nobody_is_mailed_unasked_nor_about_an_inactive_account() {
    World::on_each_engine(async |world| {
        let app = &world.processes[0];
        let ada = world.sign_in(ADA).await;
        app.get("/api/session").session(&ada).await.assert(200, json!({ "weeklyMail": false }));
        world.work_after(TO_MONDAY).await;
        let unasked = world.mails().len();

        world.switch(OWNER, true).await;
        world.switch(ADA, true).await;
        app.deactivate(&world.account).await;
        world.work_after(WEEK).await;

        assert_eq!((unasked, world.mails().len()), (0, 0), "{:#?}", world.mails());
    })
    .await;
}

#[tokio::test]
async fn without_a_mail_server_there_is_no_mail_to_switch_on() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.test", Plan::Business).await;
    let session = app.sign_in(&account).await;

    app.get("/api/session").session(&session).await.assert(200, json!({ "weeklyMail": null }));
    let refused = app.patch("/api/session").session(&session).json(json!({ "weeklyMail": true })).await;

    refused.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "weeklyMail" }] }));
    app.patch("/api/session").session(&session).json(json!({})).await.assert_status(204);
}
