//! Messages about reports: who is told, of what, and never twice.

use serde_json::{Value, json};

use super::{DAY, HOUR, Luma, NAMED, UNNAMED, on_each_engine};
use platform::api::header_names::{WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP};
use platform::clock::Timestamp;
use platform::notify::webhook::sign;
use webhooks::testing::HeardEvents;

/// Names the brand on two days and then no more, so that the last change is confirmed.
async fn lose(luma: &Luma) {
    luma.ask(0, NAMED).await;
    luma.advance(HOUR);
    luma.ask(0, UNNAMED).await;
    luma.advance(HOUR);
    luma.ask(0, UNNAMED).await;
}

fn messages(luma: &Luma) -> Vec<Value> {
    luma.hooks.lock().unwrap().iter().map(|(_, body)| serde_json::from_str(body).unwrap()).collect()
}

#[tokio::test]
async fn a_webhook_is_told_that_a_report_is_ready_with_its_confirmed_changes() {
    on_each_engine(async |luma| {
        let secret = luma.monitoring(Some("https://hook.example/hook"), "off").await;
        lose(&luma).await;

        luma.work().await;

        let told = messages(&luma);
        assert_eq!(told.len(), 1, "{told:#?}");
        assert_eq!(told[0]["event"], "report.ready");
        assert_eq!(told[0]["report"]["id"], luma.list().await["reports"][0]["id"]);
        assert_eq!(told[0]["report"]["dateUtc"], "2026-11-20");
        let changes = told[0]["changes"].as_array().unwrap();
        assert_eq!(changes.len(), 1, "{changes:#?}");
        assert_eq!((&changes[0]["type"], &changes[0]["isNew"]), (&json!("lost"), &json!(true)));
        let (headers, body) = luma.hooks.lock().unwrap()[0].clone();
        let at: i64 = headers[WEBHOOK_TIMESTAMP].to_str().unwrap().parse().unwrap();
        assert_eq!(headers[WEBHOOK_SIGNATURE], sign(&secret, Timestamp::from_millis(at), &body));
    })
    .await;
}

#[tokio::test]
async fn webhooks_of_the_account_are_told_of_a_report_and_of_its_confirmed_changes_once() {
    on_each_engine(async |luma| {
        let (platform, jobs) = (&luma.app.state.platform, &luma.app.state.jobs);
        let names = ["report.ready", "visibility.changed"];
        let heard = HeardEvents::of(platform, jobs, &luma.account.id, &names).await;
        lose(&luma).await;

        luma.work().await;
        luma.advance(HOUR);
        luma.ask(1, NAMED).await;
        luma.work().await;

        assert_eq!(heard.list().await, names.map(|name| (name.to_owned(), "lumadocs.io".to_owned())));
    })
    .await;
}

#[tokio::test]
async fn a_webhook_hears_again_of_new_confirmed_changes_only() {
    on_each_engine(async |luma| {
        luma.monitoring(Some("https://hook.example/hook"), "off").await;
        lose(&luma).await;
        luma.work().await;

        luma.advance(HOUR);
        luma.ask(1, NAMED).await;
        luma.work().await;
        let quiet = messages(&luma).len();
        luma.advance(HOUR);
        luma.ask(0, NAMED).await;
        luma.advance(HOUR);
        luma.ask(0, NAMED).await;
        luma.work().await;

        let told = messages(&luma);
        assert_eq!((quiet, told.len()), (1, 2));
        let new: Vec<&Value> =
            told[1]["changes"].as_array().unwrap().iter().filter(|change| change["isNew"] == true).collect();
        assert_eq!(new.len(), 1, "{new:#?}");
        assert_eq!(new[0]["type"], "gained");
    })
    .await;
}

#[tokio::test]
async fn a_daily_digest_comes_after_midnight_and_tells_a_change_once() {
    on_each_engine(async |luma| {
        luma.monitoring(None, "daily").await;
        lose(&luma).await;
        luma.work().await;
        let before = luma.mails.lock().unwrap().len();

        luma.advance(HOUR * 11);
        luma.work().await;
        luma.advance(DAY);
        luma.work().await;

        let mails = luma.mails.lock().unwrap().clone();
        assert_eq!((before, mails.len()), (0, 1), "{mails:#?}");
        let text = mails[0].replace("=\n", "");
        assert!(
            text.contains("To: owner@lumadocs.example") && text.contains("no longer names you"),
            "{text}"
        );
        assert!(text.contains("Message-ID: <digest-2026-11-20-"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn a_digest_waits_while_a_provider_is_out() {
    on_each_engine(async |luma| {
        luma.monitoring(None, "daily").await;
        lose(&luma).await;
        luma.fail(1).await;

        luma.advance(HOUR * 11);
        luma.work().await;
        let out = luma.mails.lock().unwrap().len();
        luma.advance(DAY);
        luma.work().await;

        // The day after is sound. The change of the day in doubt is none.
        assert_eq!((out, luma.mails.lock().unwrap().len()), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn a_weekly_digest_comes_with_the_report_of_a_sunday() {
    on_each_engine(async |luma| {
        luma.monitoring(None, "weekly").await;
        lose(&luma).await;

        // 2026-11-20 is a Friday.
        for _ in 0..4 {
            luma.advance(DAY);
            luma.work().await;
        }

        let mails = luma.mails.lock().unwrap().clone();
        assert_eq!(mails.len(), 1, "{mails:#?}");
        assert!(mails[0].contains("Message-ID: <digest-2026-11-22-"), "{}", mails[0]);
    })
    .await;
}

#[tokio::test]
async fn a_domain_that_wants_nothing_is_told_nothing() {
    on_each_engine(async |luma| {
        luma.monitoring(None, "off").await;
        lose(&luma).await;
        luma.work().await;

        luma.advance(DAY);
        luma.work().await;

        assert!(luma.mails.lock().unwrap().is_empty() && luma.hooks.lock().unwrap().is_empty());
    })
    .await;
}
