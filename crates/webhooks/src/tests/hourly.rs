//! Messages to people: the first at once, then one an hour and domain.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::{World, audit};
use crate::testing::*;

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn people_get_the_first_event_at_once_and_the_rest_of_the_hour_in_one_message() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("slack").await;

        world.audit_ends("shop.example").await;
        world.send().await;
        for _ in 0..30 {
            world.audit_ends("shop.example").await;
        }
        world.audit_ends("shop-other.example").await;
        world.send_after(Duration::from_secs(60)).await;
        let within_the_hour = world.receiver.received().len();
        world.send_after(HOUR).await;
        world.send_after(HOUR).await;

        // The first, and the first of the other domain.
        assert_eq!(within_the_hour, 2);
        let messages = world.receiver.received();
        assert_eq!(messages.len(), 3);
        assert!(messages[2].body.contains("And 10 more."), "{}", messages[2].body);
        let list = world.get(&format!("{path}/deliveries?limit=100")).await;
        assert_eq!(list["total"], 32);
        let states = list["deliveries"].as_array().unwrap().iter().map(|delivery| &delivery["state"]);
        assert!(states.into_iter().all(|state| state == "delivered"));
    })
    .await;
}

#[tokio::test]
async fn a_message_that_was_not_taken_is_tried_again_with_what_came_meanwhile() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("discord").await;
        world.receiver.answers(&[500]);

        world.audit_ends("shop.example").await;
        world.send().await;
        world.emit(Some("shop.example"), audit("limit_reached")).await;
        world.send_after(Duration::from_secs(6)).await;

        let messages = world.receiver.received();
        assert_eq!(messages.len(), 2);
        let content = messages[1].json()["content"].as_str().unwrap().to_owned();
        assert_eq!(content.matches("An audit is over").count(), 2, "{content}");
        let list = world.get(&format!("{path}/deliveries")).await;
        let attempts: Vec<usize> = list["deliveries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|delivery| delivery["attempts"].as_array().unwrap().len())
            .collect();
        assert_eq!(attempts, [1, 2]);
    })
    .await;
}

#[tokio::test]
async fn strangers_text_neither_marks_nor_mentions_in_any_format() {
    World::on_each_engine(async |world| {
        for format in ["slack", "discord", "teams", "ntfy"] {
            let url = format!("http://hooks.example/{format}");
            world.create(json!({ "url": url, "format": format, "events": ["audit.completed"] })).await;
        }

        world.emit(Some("shop.example"), audit("<!channel> @everyone **x** <@1>")).await;
        world.send().await;

        let messages = world.receiver.received();
        let of = |path: &str| messages.iter().find(|message| message.path == path).unwrap();
        assert!(!of("/slack").body.contains("<!channel>"), "{}", of("/slack").body);
        let discord = of("/discord").json();
        assert_eq!(discord["allowed_mentions"], json!({ "parse": [] }));
        assert!(!discord["content"].as_str().unwrap().contains("<@1>"));
        let card = &of("/teams").json()["attachments"][0]["content"];
        assert_eq!(card["body"][1]["inlines"][0]["type"], "TextRun");
        assert_eq!(of("/ntfy").header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(of("/ntfy").header("title"), "Glasshouse: shop.example");
        assert!(messages.iter().all(|message| message.headers.get("webhook-signature").is_none()));
    })
    .await;
}

#[tokio::test]
async fn mail_goes_to_people_of_the_account_only_and_ends_when_they_leave() {
    let mails = Arc::new(Mutex::new(Vec::new()));
    let server = mail_server(mails.clone()).await;
    let settings = format!("[mail]\nsmtp_url = \"smtp://{server}\"\n");
    World::on_each_engine_with(&settings, async |world| {
        mails.lock().unwrap().clear();
        let make = |url: &str| {
            let body = json!({ "url": url, "format": "email", "events": ["audit.completed"] });
            world.app.post("/api/webhooks").key(&world.account.key).json(body)
        };

        for url in
            ["mailto:stranger@shop.example", "mailto:owner@shop.example?cc=x@y.example", "owner@shop.example"]
        {
            make(url).await.assert_error(400, "address_not_confirmed");
        }
        make("mailto:owner@shop.example").await.assert_status(201);
        world.audit_ends("shop.example").await;
        world.send().await;

        let mails = mails.lock().unwrap();
        assert_eq!(mails.len(), 1);
        assert!(mails[0].contains("Subject: Glasshouse: shop.example"), "{}", mails[0]);
    })
    .await;
}

#[tokio::test]
async fn without_a_mail_server_no_address_is_confirmed() {
    let world_app = TestApp::new().await;
    let account = world_app.account("owner@shop.example", platform::plans::Plan::Business).await;

    let body =
        json!({ "url": "mailto:owner@shop.example", "format": "email", "events": ["audit.completed"] });
    let reply = world_app.post("/api/webhooks").key(&account.key).json(body).await;

    reply.assert_error(400, "address_not_confirmed");
}
