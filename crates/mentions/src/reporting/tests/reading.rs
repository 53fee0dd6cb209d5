//! Reading of reports over HTTP: forms, limits and refusals.

use crate::testing::*;
use serde_json::json;

use super::{NAMED, on_each_engine};
use platform::plans::Plan;

#[tokio::test]
async fn a_report_is_read_as_json_markdown_and_html() {
    on_each_engine(async |luma| {
        luma.ask(0, NAMED).await;
        luma.work().await;
        let list = luma.list().await;
        let path = format!("/api/ai-mentions/reports/{}", list["reports"][0]["id"].as_str().unwrap());

        let json = luma.get(&path).await;
        let markdown = luma.get(&format!("{path}?format=markdown")).await;
        let html = luma.get(&format!("{path}?format=html")).await;

        assert_eq!(json.text(), list["reports"][0]["reportJson"].as_str().unwrap());
        assert_eq!(json.header("content-type"), "application/json");
        assert_eq!(markdown.header("content-type"), "text/markdown; charset=utf-8");
        assert!(markdown.text().starts_with("# AI visibility of LumaDocs\n"));
        assert!(html.text().starts_with("<!doctype html>"));
        assert!(html.header("content-security-policy").contains("sandbox"));
        assert_eq!(html.header("x-content-type-options"), "nosniff");
        luma.get(&format!("{path}?format=pdf")).await.assert_error(400, "invalid_request");
        luma.get("/api/ai-mentions/reports/unknown").await.assert_error(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn the_limit_is_from_one_to_a_hundred() {
    on_each_engine(async |luma| {
        for limit in ["0", "101", "x"] {
            let reply = luma.get(&format!("/api/ai-mentions/reports?domain=lumadocs.io&limit={limit}")).await;
            reply.assert_error(400, "invalid_request");
        }
        luma.get("/api/ai-mentions/reports").await.assert_error(400, "invalid_request");
        let reply = luma.get("/api/ai-mentions/reports?domain=lumadocs.io&limit=100").await;
        let status = json!({ "hasReport": false, "runsComplete": true, "reportId": null });
        reply.assert(200, json!({ "reports": [], "todayStatus": status }));
    })
    .await;
}

#[tokio::test]
async fn reports_belong_to_an_account_and_a_key_to_its_domain() {
    on_each_engine(async |luma| {
        luma.ask(0, NAMED).await;
        luma.work().await;
        let id = luma.list().await["reports"][0]["id"].as_str().unwrap().to_owned();
        let (list, one) =
            ("/api/ai-mentions/reports?domain=lumadocs.io", format!("/api/ai-mentions/reports/{id}"));
        let other = luma.app.account("other@rival.example", Plan::Agency).await;
        luma.app.domain(&other, "rival.example").await;
        luma.app.domain(&luma.account, "second.example").await;
        let scoped = luma.app.key(&luma.account.id, Some("second.example")).await;
        let small = luma.app.account("small@shop.example", Plan::Essential).await;

        luma.app.get(list).key(&other.key).await.assert_error(403, "domain_not_owned");
        luma.app.get(&one).key(&other.key).await.assert_error(404, "not_found");
        luma.app.get(list).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        luma.app.get(&one).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        luma.app
            .get(list)
            .key(&small.key)
            .await
            .assert(403, json!({ "error": "plan_required", "requiredPlan": "agency" }));
        luma.app.get(list).await.assert_status(401);
        let session = luma.app.sign_in(&luma.account).await;
        luma.app.get(&one).session(&session).await.assert_status(200);
    })
    .await;
}
