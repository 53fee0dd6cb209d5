//! Deliveries to programs: message, signatures, tries, ends.

use std::time::Duration;

use platform::clock::Timestamp;
use platform::notify::webhook::sign;
use serde_json::{Value, json};

use super::World;
use crate::sign_standard;
use crate::testing::Services;

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_message_says_what_happened_and_is_signed_both_ways() {
    World::on_each_engine(async |world| {
        let made =
            world.create(json!({ "url": "http://hooks.example/in", "events": ["audit.completed"] })).await;
        let secret = made["secret"].as_str().unwrap();

        world.audit_ends("shop.example").await;
        world.send().await;

        let messages = world.receiver.received();
        assert_eq!(messages.len(), 1);
        let message = &messages[0];
        let body = message.json();
        assert_eq!((&body["type"], &body["domain"]), (&json!("audit.completed"), &json!("shop.example")));
        assert_eq!((&body["data"]["runId"], &body["data"]["healthScore"]), (&json!("r1"), &json!(87.5)));
        assert_eq!(body["timestamp"], "2026-11-20T12:00:00.000Z");
        assert_eq!(body["id"], message.header("webhook-id"));
        let seconds: i64 = message.header("webhook-timestamp").parse().unwrap();
        let standard = sign_standard(secret, message.header("webhook-id"), seconds, &message.body);
        assert_eq!(message.header("webhook-signature"), standard);
        let at = Timestamp::from_millis(message.header("x-service-timestamp").parse().unwrap());
        assert_eq!(message.header("x-service-signature"), sign(secret, at, &message.body));
    })
    .await;
}

#[tokio::test]
async fn for_a_day_after_a_rotation_both_secrets_sign() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("standard").await;

        let reply = world.app.post(&format!("{path}/rotate")).key(&world.account.key).await;
        reply.assert_status(200);
        let secret = reply.json()["secret"].as_str().unwrap().to_owned();
        world.audit_ends("shop.example").await;
        world.send().await;
        world.app.clock.advance(HOUR * 25);
        world.audit_ends("shop.example").await;
        world.send().await;

        let messages = world.receiver.received();
        assert!(secret.starts_with("whsec_"));
        assert_eq!(messages[0].header("webhook-signature").split(' ').count(), 2);
        assert_eq!(messages[0].header("x-service-signature").split(',').count(), 2);
        assert_eq!(messages[1].header("webhook-signature").split(' ').count(), 1);
        let at = Timestamp::from_millis(messages[1].header("x-service-timestamp").parse().unwrap());
        assert_eq!(messages[1].header("x-service-signature"), sign(&secret, at, &messages[1].body));
    })
    .await;
}

#[tokio::test]
async fn a_failed_delivery_is_tried_again_with_the_same_id_until_it_is_taken() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("standard").await;
        world.receiver.answers(&[500, 302, 204]);

        world.audit_ends("shop.example").await;
        world.send().await;
        let waiting = world.get(&format!("{path}/deliveries")).await;
        world.send_after(Duration::from_secs(4)).await;
        let too_early = world.receiver.received().len();
        world.send_after(Duration::from_secs(2)).await;
        world.send_after(Duration::from_secs(31)).await;

        assert_eq!((&waiting["total"], &waiting["deliveries"][0]["state"]), (&json!(1), &json!("waiting")));
        let attempt = &waiting["deliveries"][0]["attempts"][0];
        assert_eq!((&attempt["status"], &attempt["at"]), (&json!(500), &json!("2026-11-20T12:00:00.000Z")));
        assert_eq!(attempt["error"], "the server answered 500 Internal Server Error");
        assert_eq!(too_early, 1);
        let messages = world.receiver.received();
        assert_eq!(messages.len(), 3);
        assert!(
            messages.iter().all(|message| message.header("webhook-id") == messages[0].header("webhook-id"))
        );
        assert!(messages.iter().all(|message| message.body == messages[0].body));
        let delivered = world.get(&format!("{path}/deliveries")).await;
        let delivery = &delivered["deliveries"][0];
        assert_eq!(
            (&delivery["state"], &delivery["event"]),
            (&json!("delivered"), &json!("audit.completed"))
        );
        let statuses: Vec<&Value> =
            delivery["attempts"].as_array().unwrap().iter().map(|attempt| &attempt["status"]).collect();
        assert_eq!(statuses, [500, 302, 204]);
        assert_eq!(delivery["attempts"][2]["error"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn a_receiver_says_when_to_come_back() {
    World::on_each_engine(async |world| {
        world.of_audits("standard").await;
        world.receiver.answers_with(429, "retry-after", "900");

        world.audit_ends("shop.example").await;
        world.send().await;
        world.send_after(Duration::from_secs(890)).await;
        let before = world.receiver.received().len();
        world.send_after(Duration::from_secs(11)).await;

        assert_eq!((before, world.receiver.received().len()), (1, 2));
    })
    .await;
}

#[tokio::test]
async fn after_three_days_a_delivery_fails_and_after_five_the_webhook_is_switched_off() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("standard").await;
        world.receiver.answers(&[503; 200]);

        world.audit_ends("shop.example").await;
        world.send().await;
        for _ in 0..74 {
            world.send_after(HOUR).await;
        }
        let failed = world.get(&format!("{path}/deliveries")).await;
        let still_on = world.get("/api/webhooks").await;
        world.send_after(HOUR * 48).await;
        world.audit_ends("shop.example").await;
        world.send().await;

        assert_eq!(failed["deliveries"][0]["state"], "failed");
        assert_eq!(still_on["webhooks"][0]["enabled"], true);
        let off = world.get("/api/webhooks").await;
        assert_eq!(off["webhooks"][0]["enabled"], false);
        assert_eq!(off["webhooks"][0]["problem"], "No message was taken for five days.");
        let on = world.app.patch(&path).key(&world.account.key).json(json!({ "enabled": true })).await;
        on.assert(200, json!({ "enabled": true, "problem": null }));
    })
    .await;
}

#[tokio::test]
async fn a_receiver_that_is_gone_ends_the_delivery_and_the_webhook() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("standard").await;
        world.receiver.answers(&[410]);

        world.audit_ends("shop.example").await;
        world.send().await;
        world.audit_ends("shop.example").await;
        world.send_after(HOUR).await;

        assert_eq!(world.receiver.received().len(), 1);
        assert_eq!(world.get(&format!("{path}/deliveries")).await["deliveries"][0]["state"], "failed");
        assert_eq!(world.get("/api/webhooks").await["webhooks"][0]["enabled"], false);
    })
    .await;
}

#[tokio::test]
async fn a_delivery_is_sent_again_by_request_with_the_same_id() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("standard").await;
        world.audit_ends("shop.example").await;
        world.send().await;
        let list = world.get(&format!("{path}/deliveries")).await;
        let id = list["deliveries"][0]["id"].as_str().unwrap();

        let again = format!("{path}/deliveries/{id}/redeliver");
        world.app.post(&again).key(&world.account.key).await.assert(202, json!({ "id": id }));
        world.send().await;

        let messages = world.receiver.received();
        assert_eq!(messages.len(), 2);
        assert_eq!(messages[0].header("webhook-id"), messages[1].header("webhook-id"));
        let list = world.get(&format!("{path}/deliveries")).await;
        assert_eq!(list["total"], 1);
        assert_eq!(list["deliveries"][0]["attempts"].as_array().unwrap().len(), 2);
        let unknown = format!("{path}/deliveries/none/redeliver");
        world.app.post(&unknown).key(&world.account.key).await.assert_error(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn a_test_is_sent_whatever_the_events_of_the_webhook_are_six_times_a_minute() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("standard").await;
        let test = format!("{path}/test");

        for _ in 0..6 {
            world.app.post(&test).key(&world.account.key).await.assert_status(202);
        }
        let seventh = world.app.post(&test).key(&world.account.key).await;
        world.send().await;

        seventh.assert_error(429, "rate_limited");
        assert_eq!(world.receiver.received().len(), 6);
        assert_eq!(world.receiver.received()[0].json()["type"], "webhook.test");
    })
    .await;
}

#[tokio::test]
async fn waiting_deliveries_go_to_a_changed_address() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("standard").await;
        world.receiver.answers(&[500]);
        world.audit_ends("shop.example").await;
        world.send().await;

        let change = json!({ "url": "http://hooks.example/elsewhere" });
        world.app.patch(&path).key(&world.account.key).json(change).await.assert_status(200);
        world.send_after(Duration::from_secs(6)).await;

        let paths: Vec<String> = world.receiver.received().into_iter().map(|message| message.path).collect();
        assert_eq!(paths, ["/in", "/elsewhere"]);
    })
    .await;
}

#[tokio::test]
async fn a_receiver_that_never_answers_delays_no_delivery_to_others() {
    World::on_each_engine(async |world| {
        let make = async |name: &str| {
            let url = format!("http://hooks.example/{name}");
            let made = world.create(json!({ "url": url, "events": ["audit.completed"] })).await;
            format!("/api/webhooks/{}/deliveries", made["id"].as_str().unwrap())
        };
        let silent = make("silent").await;
        make("in").await;
        for _ in 0..30 {
            world.audit_ends("shop.example").await;
        }

        let received = |path: &str| world.receiver.received().iter().filter(|got| got.path == path).count();
        let others_are_told = async {
            while received("/in") < 30 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            () = world.send() => panic!("the silent receiver is waited for"),
            () = others_are_told => {}
        }

        assert!(received("/silent") > 0);
        let list = world.get(&silent).await;
        let states = list["deliveries"].as_array().unwrap().iter().map(|delivery| &delivery["state"]);
        assert!(states.into_iter().all(|state| state == "waiting"));
    })
    .await;
}

#[tokio::test]
async fn no_message_goes_to_a_private_address() {
    World::on_each_engine(async |world| {
        let body = json!({ "url": "http://10.0.0.1/in", "events": ["audit.completed"] });
        let made = world.create(body).await;

        world.audit_ends("shop.example").await;
        world.send().await;

        let path = format!("/api/webhooks/{}/deliveries", made["id"].as_str().unwrap());
        let attempt = &world.get(&path).await["deliveries"][0]["attempts"][0];
        assert_eq!(attempt["status"], Value::Null);
        assert_eq!(attempt["error"], "the server could not be reached");
    })
    .await;
}

#[tokio::test]
async fn deliveries_are_listed_for_thirty_days_newest_first_in_parts() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("standard").await;
        for domain in ["shop-a.example", "shop-b.example", "shop-c.example"] {
            world.audit_ends(domain).await;
            world.app.clock.advance(HOUR);
        }
        world.send().await;

        let part = world.get(&format!("{path}/deliveries?limit=1&offset=1")).await;
        world.app.clock.advance(HOUR * 24 * 30 - HOUR * 2);
        let sender = crate::WebhookSender::new(
            world.app.state.platform(),
            &accounts::People::new(world.app.state.platform()),
            Vec::new(),
        );
        let deleted = sender.delete_some_before(HOUR * 24 * 30, 100).await.unwrap();

        assert_eq!((&part["total"], &part["deliveries"][0]["domain"]), (&json!(3), &json!("shop-b.example")));
        assert_eq!(deleted, 1);
        assert_eq!(world.get(&format!("{path}/deliveries")).await["total"], 2);
        let bad = world.app.get(&format!("{path}/deliveries?limit=0")).key(&world.account.key).await;
        bad.assert_error(400, "invalid_request");
    })
    .await;
}
