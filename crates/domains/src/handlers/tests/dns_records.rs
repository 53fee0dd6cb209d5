//! DNS records of a domain, and the reason of its TXT record.

use serde_json::json;

use super::*;
use crate::DomainStatus;

const ADDRESS: &str = "edge.public_ipv4 = [\"203.0.113.10\"]";

#[tokio::test]
async fn the_records_of_a_domain_say_why_a_txt_record_is_among_them() {
    TestApp::on_each_engine_with(ADDRESS, async |app| {
        let owner = app.account("owner@shop.example", Plan::Essential).await;
        let rival = app.account("rival@x.example", Plan::Business).await;
        app.domain_with_status(&owner, "a.shop.example", DomainStatus::Pending).await;
        let path = "/api/domains/a.shop.example/records";
        let address = json!({
            "type": "A", "name": "a", "value": "203.0.113.10", "ttl": 300, "found": null, "state": "unchecked" });

        let alone = app.get(path).key(&owner.key).await;
        assert_eq!(
            alone.json(),
            json!({ "records": [address], "contested": false, "reason": null, "checkedAt": null, "probe": null,
                "problems": [] })
        );
        let added = app.post(DOMAINS).key(&rival.key).json(json!({ "domain": "a.shop.example" })).await;
        let contested = app.get(path).key(&owner.key).await;

        contested.assert(
            200,
            json!({ "contested": true, "records": [address, { "type": "TXT", "name": "_glasshouse.a" }] }),
        );
        assert!(
            contested.json()["reason"]
                .as_str()
                .is_some_and(|reason| reason.contains("Another account has a claim"))
        );
        let theirs = app.get(path).key(&rival.key).await.json();
        let values = |reply: &serde_json::Value| {
            let records = reply["records"].as_array().unwrap().iter();
            records.map(|record| record["value"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(values(&theirs), values(&added.json()), "adding lists the same");
        assert_ne!(theirs["records"], contested.json()["records"], "each account has a value of its own");
    })
    .await;
}

#[tokio::test]
async fn the_records_are_read_by_whom_may_read_the_domain() {
    TestApp::on_each_engine_with(ADDRESS, async |app| {
        let owner = app.account("owner@shop.example", Plan::Essential).await;
        let stranger = app.account("stranger@x.example", Plan::Enterprise).await;
        app.domain_with_status(&owner, "shop.example", DomainStatus::Pending).await;
        let (own, other) =
            (app.key(&owner.id, Some("shop.example")).await, app.key(&owner.id, Some("other.example")).await);
        let session = app.sign_in(&owner).await;
        let path = "/api/domains/shop.example/records";
        app.deactivate(&owner).await;

        app.get(path).key(&own).await.assert_status(200);
        app.get(path).session(&session).await.assert_status(200);
        app.get(path).key(&other).await.assert_error(403, "api_key_domain_scope_mismatch");
        app.get(path).key(&stranger.key).await.assert_error(404, "not_found");
        app.get(path).await.assert_error(401, "invalid_api_key");
    })
    .await;
}
