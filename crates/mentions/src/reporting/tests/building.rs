//! Rules of the times at which reports are built, and of their ids.

use std::time::Duration;

use serde_json::{Value, json};

use super::{DAY, HOUR, NAMED, UNNAMED, on_each_engine};
use crate::queries::{domains, reports};

#[tokio::test]
async fn a_report_waits_until_no_run_of_its_window_is_open() {
    on_each_engine(async |luma| {
        luma.ask(0, NAMED).await;
        let open = luma.queue(1).await;

        luma.work().await;
        let waiting = luma.list().await;
        luma.answer(&open, 1, UNNAMED).await;
        luma.work().await;
        let done = luma.list().await;

        let status = json!({ "hasReport": false, "runsComplete": false, "reportId": null });
        assert_eq!(waiting, json!({ "reports": [], "todayStatus": status }));
        let id = &done["reports"][0]["id"];
        assert_eq!(done["todayStatus"], json!({ "hasReport": true, "runsComplete": true, "reportId": id }));
        let report: Value = serde_json::from_str(done["reports"][0]["reportJson"].as_str().unwrap()).unwrap();
        assert_eq!(report["stats"]["visibilityPercent"]["value"], 50.0);
        assert_eq!(report["competitorLandscape"]["competitors"][0]["siteUrl"], "https://notchly.com");
        assert_eq!(report["citationSources"]["domains"][0]["domain"], "g2.com");
        assert_eq!(report["providerInsights"][0]["servedModels"], json!(["gpt-6"]));
    })
    .await;
}

#[tokio::test]
async fn a_report_is_built_again_after_ten_minutes_and_keeps_its_id() {
    on_each_engine(async |luma| {
        luma.ask(0, NAMED).await;
        luma.work().await;
        let first = luma.list().await;

        luma.advance(Duration::from_secs(300));
        luma.ask(1, UNNAMED).await;
        luma.work().await;
        let early = luma.list().await;
        luma.advance(Duration::from_secs(301));
        luma.work().await;
        let second = luma.list().await;

        assert_eq!(early, first);
        let field = |list: &Value, name: &str| list["reports"][0][name].clone();
        for same in ["id", "createdAt", "dateUtc", "weekStartUtc"] {
            assert_eq!(field(&second, same), field(&first, same));
        }
        assert_ne!(field(&second, "reportJson"), field(&first, "reportJson"));
        assert_eq!(second["reports"].as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn yesterdays_report_is_built_after_midnight_without_any_new_run() {
    on_each_engine(async |luma| {
        luma.ask(0, NAMED).await;

        luma.advance(12 * HOUR + Duration::from_secs(30));
        luma.work().await;
        let list = luma.list().await;
        luma.work().await;
        let again = luma.list().await;
        luma.advance(DAY);
        luma.work().await;
        let next = luma.list().await;

        let days = |list: &Value| -> Vec<String> {
            let reports = list["reports"].as_array().unwrap().iter();
            reports.map(|report| report["dateUtc"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(days(&list), ["2026-11-20"]);
        assert_eq!(list["todayStatus"]["hasReport"], false);
        assert_eq!(again, list);
        assert_eq!(days(&next), ["2026-11-21", "2026-11-20"]);
    })
    .await;
}

#[tokio::test]
async fn a_window_without_answers_has_no_report() {
    on_each_engine(async |luma| {
        luma.work().await;
        luma.ask(0, NAMED).await;
        luma.advance(DAY * 9);

        luma.work().await;

        assert_eq!(luma.list().await["reports"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_new_version_of_the_analysis_builds_kept_reports_again() {
    on_each_engine(async |luma| {
        luma.ask(0, NAMED).await;
        luma.work().await;
        luma.advance(DAY * 3);
        luma.work().await;
        let before = luma.list().await;
        let mut tx = luma.app.state.platform.db.write().await.unwrap();
        let mut record = domains::find_for_change(&mut tx, &luma.domain.id).await.unwrap().unwrap();
        record.analysis_version = 2;
        record.brand.aliases.push("Luma".to_owned());
        domains::save_brand(&mut tx, &record, luma.now()).await.unwrap();
        domains::set_recompute(&mut tx, &luma.domain.id, Some((0, 1))).await.unwrap();
        tx.commit().await.unwrap();

        luma.work().await;
        let running = luma.list().await;
        let mut tx = luma.app.state.platform.db.write().await.unwrap();
        domains::set_recompute(&mut tx, &luma.domain.id, None).await.unwrap();
        tx.commit().await.unwrap();
        luma.work().await;
        let done = luma.list().await;

        assert_eq!(running, before);
        let versions: Vec<i64> = done["reports"]
            .as_array()
            .unwrap()
            .iter()
            .map(|report| serde_json::from_str::<Value>(report["reportJson"].as_str().unwrap()).unwrap())
            .map(|report| report["analysisVersion"].as_i64().unwrap())
            .collect();
        assert_eq!(versions, [2, 2]);
        assert_eq!(done["reports"][1]["id"], before["reports"][1]["id"]);
    })
    .await;
}

#[tokio::test]
async fn a_report_that_says_the_same_keeps_its_bytes() {
    on_each_engine(async |luma| {
        luma.ask(0, NAMED).await;
        luma.work().await;
        let before = luma.list().await;

        luma.advance(HOUR);
        let mut tx = luma.app.state.platform.db.write().await.unwrap();
        let today = luma.now().day_number();
        domains::mark_reports_due(&mut tx, &luma.domain.id, today, luma.now()).await.unwrap();
        tx.commit().await.unwrap();
        luma.work().await;

        assert_eq!(luma.list().await, before);
        let mut conn = luma.app.state.platform.db.read().await.unwrap();
        let row = reports::find_report_of_day(&mut conn, &luma.domain.id, today).await.unwrap().unwrap();
        assert_eq!(row.built_at, luma.now().as_millis());
    })
    .await;
}
