//! Tests of audits of ordinary sites: staging, unproven names, running audits, and further data of runs.

use crate::testing::*;
use std::time::Duration;

use audit::service::RunFollower;
use audit_engine::engine::RobotsPolicy;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::lifecycle::{impatient_worker, until, with_slow_page};
use super::{AUDITING, RUNS, Shop, all_issues, on_each_engine, paths};
use domains::DomainStatus;
use platform::plans::Plan;

/// Creates a run whose process has ended after it saved all pages except a slow one.
async fn half_a_run(shop: &Shop) -> String {
    with_slow_page(shop);
    shop.web.open.send_replace(false);
    let id = shop.start(json!({})).await;
    let never = CancellationToken::new();
    let shown = until("nothing was saved", async || shop.details(&id, "").await["pageTotal"] == 4);
    tokio::select! { () = impatient_worker(shop).run(never) => panic!("it ended"), () = shown => {} }
    shop.web.open.send_replace(true);
    id
}

#[tokio::test]
async fn a_run_under_way_shows_its_pages() {
    on_each_engine(async |shop| {
        let id = half_a_run(&shop).await;

        let details = shop.details(&id, "").await;
        let sorted = shop.details(&id, "sort=statusCode&order=desc&limit=1").await;
        let tea = details["pages"][3]["id"].as_str().unwrap();
        let page = shop.get(&format!("{RUNS}/{id}/pages/{tea}")).await;
        let run = id.clone().into();
        let names = async || {
            let mut conn = shop.app.state.platform.db.read().await.unwrap();
            audit::testing::queries::segments::list_segment_names(&mut conn, &run).await.unwrap()
        };
        // Stored parts for continuing a run are deleted right after its end.
        let done = until("it did not end", async || {
            let is_over = shop.details(&id, "").await["run"]["completedAt"] != Value::Null;
            is_over && !names().await.iter().any(|(kind, _)| kind.starts_with("live") || kind == "checkpoint")
        });
        let never = CancellationToken::new();
        tokio::select! { () = impatient_worker(&shop).run(never) => panic!("it ended"), () = done => {} }

        assert_eq!(details["run"]["completedAt"], Value::Null);
        assert_eq!(paths(&details), ["/", "/coffee", "/gone", "/tea"]);
        assert_eq!(paths(&sorted), ["/gone"]);
        assert!(details["issueBreakdown"]["META_DESC_MISSING"].as_u64().unwrap() >= 3, "{details:#}");
        page.assert(200, json!({ "page": { "path": "/tea" }, "inlinks": [], "outlinks": [] }));
        let ended = shop.details(&id, "").await;
        assert_eq!((&ended["run"]["status"], &ended["pageTotal"]), (&json!("success"), &json!(6)));
    })
    .await;
}

#[tokio::test]
async fn an_unproven_domain_is_audited_slowly_and_in_small() {
    on_each_engine(async |shop| {
        shop.app.domain_with_status(&shop.account, "pending.example", DomainStatus::Pending).await;
        let body = json!({ "domain": "pending.example", "urls": ["https://pending.example/"] });
        let path = "/api/domains/pending.example/auditing";

        let change = |value: &str| json!({ "robotsTxt": value });
        let ignored = shop.app.patch(path).key(&shop.account.key).json(change("ignore")).await;
        let fast = json!({ "requestsPerSecond": 50, "maxPages": 5000, "robotsTxt": "obey" });
        shop.app.patch(path).key(&shop.account.key).json(fast).await.assert_status(200);
        let id = shop.start(body).await;

        ignored.assert(400, json!({ "error": "validation_error", "issues": [{ "path": "robotsTxt" }] }));
        let run = shop.app.state.audits.reader.find_run(&id).await.unwrap().unwrap();
        assert_eq!(run.request.max_pages, 100);
        assert_eq!(run.request.auditing.requests_per_second, Some(2.0));
        let proven = shop.start(json!({})).await;
        let run = shop.app.state.audits.reader.find_run(&proven).await.unwrap().unwrap();
        assert!(run.request.max_pages > 100 && run.request.auditing.requests_per_second.is_none());
    })
    .await;
}

#[tokio::test]
async fn a_staging_site_is_audited_by_other_rules_than_those_of_its_robots_txt() {
    on_each_engine(async |shop| {
        shop.web.set("/robots.txt", "User-agent: *\nDisallow: /");
        let forbidden = shop.audit(json!({})).await;
        shop.patch_auditing(json!({ "robotsTxt": "ignore" }))
            .await
            .assert(200, json!({ "robotsTxt": "ignore" }));
        let ignored = shop.audit(json!({})).await;
        let text = "User-agent: *\nDisallow: /tea";
        shop.patch_auditing(json!({ "robotsTxt": text })).await.assert(200, json!({ "robotsTxt": text }));

        let replaced = shop.audit(json!({})).await;

        assert_eq!(shop.details(&forbidden, "").await["run"]["closeReason"], "unreachable");
        assert_eq!(paths(&shop.details(&ignored, "").await), ["/", "/coffee", "/gone", "/tea"]);
        let replaced = shop.details(&replaced, "").await;
        let tea = replaced["pages"].as_array().unwrap().iter().find(|page| page["path"] == "/tea").unwrap();
        assert_eq!((&replaced["run"]["pagesCrawled"], &tea["statusCode"]), (&json!(2), &json!(0)));
        let run = shop.app.state.audits.reader.find_run(&ignored).await.unwrap().unwrap();
        assert_eq!(run.request.auditing.robots_txt.policy(), RobotsPolicy::Ignore);
        shop.patch_auditing(json!({ "robotsTxt": "ignor" }))
            .await
            .assert(400, json!({ "error": "validation_error", "issues": [{ "path": "robotsTxt" }] }));
    })
    .await;
}

#[tokio::test]
async fn credentials_are_not_sent_to_another_origin_host() {
    on_each_engine(async |shop| {
        let secrets = json!({
            "headers": [{ "name": "x-staging", "value": "hunter2" }],
            "basicAuth": { "username": "anna", "password": "swordfish" },
            "webhookUrl": "https://hook.example/ended",
        });
        shop.patch_auditing(secrets).await.assert_status(200);
        shop.app.set(&shop.domain, |settings| settings.origin_host = "hook.example".parse().ok()).await;
        shop.app.clock.advance(Duration::from_secs(3));

        shop.audit(json!({})).await;

        let asked = shop.web.asked_for("/tea");
        assert!(!asked.is_empty() && asked.iter().all(|headers| !headers.contains_key("authorization")));
        assert!(asked.iter().all(|headers| !headers.contains_key("x-staging")));
        shop.get(AUDITING).await.assert(200, json!({ "headers": [], "basicAuth": null }));
        assert!(shop.web.body_of("/ended").contains("audit.completed"), "the webhook is told all the same");
    })
    .await;
}

#[tokio::test]
async fn an_account_has_ten_event_streams() {
    on_each_engine(async |shop| {
        let id = shop.start(json!({})).await;
        let run = shop.app.state.audits.reader.find_run(&id).await.unwrap().unwrap();
        let reader = &shop.app.state.audits.reader;
        let mut streams: Vec<_> = (0..10).map(|_| RunFollower::start(reader, run.clone())).collect();

        let refused = shop.get(&format!("{RUNS}/{id}/events")).await;
        streams.pop();
        shop.run_jobs().await;
        let accepted = shop.get(&format!("{RUNS}/{id}/events")).await;

        assert!(streams.iter().all(Option::is_some));
        refused.assert_error(429, "rate_limited");
        assert_ne!(refused.header("retry-after"), "");
        assert!(accepted.text().contains("event: end"), "{}", accepted.text());
    })
    .await;
}

#[tokio::test]
async fn a_stream_ends_when_its_key_is_gone() {
    on_each_engine(async |shop| {
        let id = half_a_run(&shop).await;
        let other = shop.app.key(&shop.account.id, Some("else.example")).await;
        let path = format!("{RUNS}/{id}/events");

        shop.app.get(&path).key(&other).await.assert_error(403, "api_key_domain_scope_mismatch");
        let session = shop.app.sign_in(&shop.account).await;
        let gone = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let keys = shop.app.get("/api/keys").session(&session).await.json();
            for key in keys["keys"].as_array().unwrap() {
                let path = format!("/api/keys/{}", key["id"].as_str().unwrap());
                shop.app.delete(&path).session(&session).await;
            }
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(30)).await;
            tokio::time::resume();
        };
        let (reply, ()) = tokio::join!(async { shop.get(&path).await }, gone);

        assert!(!reply.text().contains("event: end"), "{}", reply.text());
    })
    .await;
}

#[tokio::test]
async fn the_link_graph_has_the_pages_with_the_most_links_to_them() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;

        let whole = shop.get(&format!("{RUNS}/{id}/graph")).await.json();
        let small = shop.get(&format!("{RUNS}/{id}/graph?limit=2")).await.json();

        let names: Vec<&str> =
            whole["nodes"].as_array().unwrap().iter().map(|node| node["path"].as_str().unwrap()).collect();
        assert_eq!(names, ["/", "/coffee", "/gone", "/tea"]);
        assert_eq!((&whole["pageTotal"], &whole["edgeTotal"]), (&json!(4), &json!(5)));
        assert_eq!(whole["edges"], json!([[0, 1], [0, 3], [1, 0], [3, 0], [3, 2]]));
        let start = &whole["nodes"][0];
        assert_eq!((&start["inlinkCount"], &start["depth"]), (&json!(2), &json!(0)));
        assert_eq!(start["id"], shop.details(&id, "").await["pages"][0]["id"]);
        assert_eq!((small["nodes"].as_array().unwrap().len(), &small["edgeTotal"]), (2, &json!(2)));
        for query in ["limit=0", "limit=2001"] {
            shop.get(&format!("{RUNS}/{id}/graph?{query}")).await.assert_error(400, "invalid_request");
        }
    })
    .await;
}

#[tokio::test]
async fn a_link_graph_has_twenty_thousand_links_at_most_and_says_how_many_there_are() {
    on_each_engine(async |shop| {
        let pages: Vec<String> = (0..143).map(|number| format!("/page/{number}")).collect();
        let links: Vec<&str> = pages.iter().map(String::as_str).collect();
        shop.web.page("/", "The start page of the shop", &links);
        pages.iter().for_each(|path| shop.web.page(path, path, &links));
        let id = shop.audit(json!({ "maxPages": 144 })).await;

        let graph = shop.get(&format!("{RUNS}/{id}/graph?limit=2000")).await.json();

        // Each of 143 pages links to the 142 others, the start page to all, and the shop has three links of its own.
        assert_eq!(graph["edgeTotal"], 143 * 142 + 143 + 3);
        assert_eq!(graph["edges"].as_array().unwrap().len(), 20_000);
    })
    .await;
}

#[tokio::test]
async fn issues_are_counted_over_the_last_ten_runs() {
    on_each_engine(async |shop| {
        let first = shop.audit(json!({})).await;
        shop.web.page("/tea", "Green and black tea", &["/"]);
        let mut last = String::new();
        for _ in 0..10 {
            last = shop.audit(json!({})).await;
        }

        let listed = shop.get(&format!("{RUNS}/{last}/issues")).await.json();
        let alone = shop.get(&format!("{RUNS}/{first}/issues")).await.json();

        assert_eq!(listed["runs"].as_array().unwrap().len(), 10);
        assert_eq!(listed["runs"][9]["runId"], last.as_str());
        let broken = |list: &Value| {
            let issues = list["issues"].as_array().unwrap();
            issues.iter().find(|issue| issue["issueId"] == "LINK_BROKEN_INTERNAL").cloned()
        };
        assert_eq!(broken(&listed), None, "the eleventh run from the end is not shown");
        let broken = broken(&alone).unwrap();
        assert_eq!((&broken["counts"], &broken["severity"]), (&json!([1]), &json!("error")));
    })
    .await;
}

#[tokio::test]
async fn exports_are_filtered_sorted_and_cut_like_lists() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;
        let export = async |query: &str| shop.get(&format!("{RUNS}/{id}/export?{query}")).await;

        let pages = export("what=pages&search=E&sort=statusCode&order=desc&fields=path,statusCode").await;
        let findings = export("what=findings&issueId=LINK_BROKEN_INTERNAL&format=ndjson").await.text();

        assert_eq!(
            pages.text(),
            "path,statusCode\r\n\"/gone\",\"404\"\r\n\"/coffee\",\"200\"\r\n\"/tea\",\"200\"\r\n"
        );
        assert_eq!(findings.lines().count(), 1, "{findings}");
        assert!(findings.contains("\"/tea\"") && findings.contains("/gone"), "{findings}");
        for query in [
            "what=links&search=a",
            "what=pages&sort=nope",
            "what=pages&issueId=NOPE",
            "what=links&issueId=TITLE_MISSING",
            "what=pages&part=1",
            "what=sitemap&part=2",
            "what=sitemap&part=0",
        ] {
            export(query).await.assert_error(400, "invalid_request");
        }
        let other = shop.app.account("other@shop.example", Plan::Enterprise).await;
        for path in ["graph", "issues", "export?what=external", "links"] {
            let reply = shop.app.get(&format!("{RUNS}/{id}/{path}")).key(&other.key).await;
            reply.assert_error(404, "not_found");
        }
    })
    .await;
}

#[tokio::test]
async fn links_to_other_hosts_and_files_have_their_status() {
    on_each_engine(async |shop| {
        shop.web.page("/coffee", "Coffee of all kinds", &["/", "https://hook.example/away", "/list.txt"]);
        let page = shop.web.pages.lock().unwrap()["/coffee"].clone();
        let named = "<script src=/app.js></script><img src=/cup.png srcset='/cup2.png 2x' alt=cup>";
        shop.web.set("/coffee", &page.replace("</main>", &format!("{named}</main>")));
        shop.web.set("/list.txt", "a list");
        shop.web.set("/cup.png", "a picture");
        let id = shop.audit(json!({})).await;

        let links = shop.get(&format!("{RUNS}/{id}/links?status=404&external=true")).await.json();
        let external = shop.get(&format!("{RUNS}/{id}/export?what=external&format=ndjson")).await.text();
        let resources = shop.get(&format!("{RUNS}/{id}/export?what=resources&format=ndjson")).await.text();

        assert_eq!(
            (&links["total"], &links["links"][0]["to"]),
            (&json!(1), &json!("https://hook.example/away"))
        );
        assert_eq!(external.lines().count(), 1, "{external}");
        let rows: Vec<Value> = resources.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let row = |path: &str| rows.iter().find(|row| row["url"].as_str().unwrap().ends_with(path)).unwrap();
        assert_eq!(
            row("/list.txt"),
            &json!({ "url": "https://shop.example/list.txt", "type": "document", "status": 200, "bytes": 6 })
        );
        assert_eq!((&row("/app.js")["type"], &row("/app.js")["status"]), (&json!("script"), &json!(404)));
        assert_eq!((&row("/cup.png")["type"], &row("/cup.png")["bytes"]), (&json!("image"), &json!(9)));
        assert_eq!((&row("/cup2.png")["type"], &row("/cup2.png")["status"]), (&json!("image"), &json!(404)));
    })
    .await;
}

#[tokio::test]
async fn a_page_says_what_its_health_lost_and_how_much_weight_its_links_give_it() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;
        let all = shop.details(&id, "sort=linkScore&order=desc").await;
        let start = all["pages"][0]["id"].as_str().unwrap();

        let page = shop.get(&format!("{RUNS}/{id}/pages/{start}")).await.json();

        assert_eq!((&all["pages"][0]["path"], &all["pages"][0]["linkScore"]), (&json!("/"), &json!(100.0)));
        let lost: f64 = page["penalties"]
            .as_array()
            .unwrap()
            .iter()
            .map(|penalty| penalty["points"].as_f64().unwrap())
            .sum();
        let health = page["page"]["healthScore"].as_f64().unwrap();
        assert!((100.0 - health - lost).abs() < 0.11, "{page:#}");
        assert!(page["findings"].as_array().unwrap().iter().all(|found| found["points"].as_f64().is_some()));
        assert_eq!((&page["missedRender"], &page["securityHeaders"]), (&json!(false), &json!({})));
    })
    .await;
}

#[tokio::test]
async fn pages_beyond_a_limit_are_not_visited_rather_than_removed() {
    on_each_engine(async |shop| {
        let first = shop.audit(json!({})).await;
        shop.patch_auditing(json!({ "maxPages": 2 })).await.assert_status(200);
        let second = shop.audit(json!({})).await;

        let changed = shop.get(&format!("{RUNS}/{second}/compare?with={first}")).await.json();

        assert_eq!(changed["removedPages"], json!({ "total": 0, "items": [] }));
        assert!(changed["notVisitedPages"]["total"].as_u64().unwrap() >= 1, "{changed:#}");
        let by_issue = changed["byIssue"].as_array().unwrap();
        let sum = |name: &str| by_issue.iter().map(|issue| issue[name].as_u64().unwrap()).sum::<u64>();
        assert_eq!(sum("remaining"), changed["remainingFindings"]["total"].as_u64().unwrap());
        assert_eq!(sum("new"), changed["newFindings"]["total"].as_u64().unwrap());
        assert_eq!(sum("fixed"), changed["fixedFindings"]["total"].as_u64().unwrap());
        assert!(!all_issues(&shop.details(&second, "").await).is_empty());
    })
    .await;
}
