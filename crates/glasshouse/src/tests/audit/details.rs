//! Tests of a run's data: fields, filters, orders, the link graph, exports, comparisons.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{RUNS, on_each_engine, paths};

#[tokio::test]
async fn a_finished_run_has_every_field() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;

        let details = shop.details(&id, "").await;

        let run = &details["run"];
        let names = [
            "id",
            "domain",
            "startedAt",
            "completedAt",
            "status",
            "trigger",
            "frequency",
            "pagesCrawled",
            "healthScore",
            "issueCount",
            "deltaIssues",
            "deltaHealth",
            "robotsAnalysis",
            "crawlStats",
            "runCount",
            "closeReason",
            "needsContinuation",
            "hitUrlLimit",
            "errorMessage",
            "sitemapIssues",
        ];
        names.iter().for_each(|name| assert!(run.get(name).is_some(), "{name} is missing in {run:#}"));
        assert_eq!(run["status"], "success", "{run:#}");
        assert_eq!((&run["closeReason"], &run["trigger"]), (&json!("finished"), &json!("api")));
        assert_eq!((&run["pagesCrawled"], &run["runCount"]), (&json!(3), &json!(1)));
        assert_eq!((&run["deltaIssues"], &run["needsContinuation"]), (&json!(0), &json!(false)));
        assert_eq!(run["crawlStats"]["htmlPages"], 3);
        assert_eq!(paths(&details), ["/", "/coffee", "/gone", "/tea"]);
        assert_eq!(details["pageTotal"], 4);
        let breakdown = details["issueBreakdown"].as_object().unwrap();
        let total: u64 = breakdown.values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(run["issueCount"], total);
        let page = &details["pages"][1];
        assert_eq!(page["h1"], "Coffee of all kinds");
        assert_eq!((&page["statusCode"], &page["viewport"]), (&json!(200), &json!("width=device-width")));
        assert_eq!(
            (&page["charset"], &page["trendPoints"]),
            (&json!("utf-8"), &json!([page["healthScore"]]))
        );
        assert_eq!(page["crawledAt"], "2026-11-20 12:00:00");
        assert_eq!(page["issueCount"], page["issues"].as_array().unwrap().len());
        let listed = shop.get(RUNS).await.json();
        assert!(listed["runs"][0].get("sitemapIssues").is_none());
        assert_eq!(listed["runs"][0]["id"], id.as_str());
    })
    .await;
}

#[tokio::test]
async fn pages_are_filtered_cut_and_sorted() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;
        let all = shop.details(&id, "").await;
        let with_issue = |id: &str| -> Vec<Value> {
            let has = |page: &&Value| page["issues"].as_array().unwrap().iter().any(|i| i["issueId"] == id);
            all["pages"].as_array().unwrap().iter().filter(has).map(|page| page["path"].clone()).collect()
        };

        let found = shop.details(&id, "search=TEA").await;
        assert_eq!((paths(&found), &found["pageTotal"]), (vec!["/tea"], &json!(1)));
        assert_eq!(found["issueBreakdown"], Value::Null);
        let cut = shop.details(&id, "limit=2&offset=1").await;
        assert_eq!((paths(&cut), &cut["pageTotal"]), (vec!["/coffee", "/gone"], &json!(4)));
        assert_eq!(cut["issueBreakdown"], Value::Null);
        assert_eq!(shop.details(&id, "limit=2").await["issueBreakdown"], all["issueBreakdown"]);
        let missing = shop.details(&id, "issueId=META_DESC_MISSING").await;
        assert_eq!(Value::from(paths(&missing)), Value::from(with_issue("META_DESC_MISSING")));
        assert!(missing["pageTotal"].as_u64().unwrap() > 0);
        assert_eq!(paths(&shop.details(&id, "issueId=TITLE_MISSING").await), Vec::<&str>::new());
        assert_eq!(paths(&shop.details(&id, "sort=h1&order=desc").await)[0], "/");
        assert_eq!(paths(&shop.details(&id, "sort=statusCode&order=desc").await)[0], "/gone");
        assert_eq!(paths(&shop.details(&id, "order=desc").await), ["/tea", "/gone", "/coffee", "/"]);
        let few = shop.details(&id, "fields=path,h1&limit=1").await;
        assert_eq!(few["pages"], json!([{ "path": "/", "h1": "The start page of the shop" }]));
        let none = shop.details(&id, "limit=5&offset=99").await;
        assert_eq!((&none["pages"], &none["pageTotal"]), (&json!([]), &json!(4)));
    })
    .await;
}

#[tokio::test]
async fn a_page_has_its_findings_with_evidence_and_the_links_around_it() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;
        let all = shop.details(&id, "").await;
        let tea = all["pages"][3]["id"].as_str().unwrap();

        let reply = shop.get(&format!("{RUNS}/{id}/pages/{tea}")).await;

        reply.assert_status(200);
        let page = reply.json();
        assert_eq!(page["page"], all["pages"][3]);
        let findings = page["findings"].as_array().unwrap();
        let broken = findings.iter().find(|finding| finding["issueId"] == "LINK_BROKEN_INTERNAL");
        let broken = broken.unwrap_or_else(|| panic!("no broken link in {findings:#?}"));
        assert_eq!(broken["count"], 1);
        assert!(broken["examples"][0]["url"].as_str().unwrap().ends_with("/gone"), "{broken:#}");
        assert_eq!((&page["raw"]["h1"], &page["rendered"]), (&json!("Green and black tea"), &Value::Null));
        let link = |from: &str, to: &str, status: u16| {
            json!({ "from": from, "to": to, "anchor": format!("to {to}"), "rel": "", "status": status })
        };
        assert_eq!(page["inlinks"], json!([link("/", "/tea", 200)]));
        assert_eq!(page["outlinks"], json!([link("/tea", "/", 200), link("/tea", "/gone", 404)]));
        let broken = shop.get(&format!("{RUNS}/{id}/links?status=404")).await.json();
        assert_eq!(broken, json!({ "links": [link("/tea", "/gone", 404)], "total": 1 }));
        let to_start = shop.get(&format!("{RUNS}/{id}/links?to=/&limit=1")).await.json();
        assert_eq!((&to_start["total"], to_start["links"].as_array().unwrap().len()), (&json!(2), 1));
        let from_start = shop.get(&format!("{RUNS}/{id}/links?from=/")).await.json();
        assert_eq!(from_start["total"], 2);
    })
    .await;
}

#[tokio::test]
async fn exports_have_a_line_for_each_row() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;
        let export = async |query: &str| shop.get(&format!("{RUNS}/{id}/export?{query}")).await;

        let pages = export("what=pages&format=ndjson").await;
        let csv = export("what=pages").await;
        let findings = export("what=findings").await.text();
        let details = shop.details(&id, "").await;
        let sitemap = export("what=sitemap").await.text();

        assert_eq!(pages.text().lines().count(), 4);
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        assert!(csv.header("content-disposition").contains("shop.example-pages.csv"));
        assert_eq!((csv.text().lines().count(), &csv.text()[..15]), (5, "id,path,statusC"));
        for issue in super::all_issues(&details) {
            assert!(findings.contains(&format!("\"{issue}\"")), "{issue} is missing in {findings}");
        }
        assert!(sitemap.contains("<loc>https://shop.example/tea</loc>"), "{sitemap}");
        assert!(!sitemap.contains("/gone"));
        assert_eq!(export("what=links&format=csv").await.text().lines().count(), 6);
        for what in ["redirects", "images", "hreflang"] {
            export(&format!("what={what}")).await.assert_status(200);
        }
    })
    .await;
}

#[tokio::test]
async fn a_second_run_is_compared_with_the_first() {
    on_each_engine(async |shop| {
        let first = shop.audit(json!({})).await;
        shop.web.page("/tea", "Tea", &["/", "/cocoa"]);
        shop.web.page("/cocoa", "Cocoa for cold days", &["/"]);
        let second = shop.audit(json!({})).await;

        let changed = shop.get(&format!("{RUNS}/{second}/compare?with={first}")).await.json();
        let details = shop.details(&second, "").await;
        let before = shop.details(&first, "").await;

        assert_eq!(changed["addedPages"], json!({ "total": 1, "items": ["/cocoa"] }));
        assert_eq!(changed["removedPages"], json!({ "total": 1, "items": ["/gone"] }));
        let tea = changed["changedPages"]["items"].as_array().unwrap();
        let tea = tea.iter().find(|page| page["path"] == "/tea").unwrap();
        assert_eq!(
            tea["changes"][0],
            json!({ "field": "title", "before": "Green and black tea", "after": "Tea" })
        );
        let fixed = changed["fixedFindings"]["items"].as_array().unwrap();
        assert!(fixed.iter().any(|f| f == &json!({ "path": "/tea", "issueId": "LINK_BROKEN_INTERNAL" })));
        let counts = |details: &Value| details["run"]["issueCount"].as_i64().unwrap();
        assert_eq!(details["run"]["deltaIssues"], counts(&details) - counts(&before));
        let health = |details: &Value| details["run"]["healthScore"].as_f64().unwrap();
        let delta = details["run"]["deltaHealth"].as_f64().unwrap();
        assert!((delta - (health(&details) - health(&before))).abs() < 0.051);
        assert_eq!(details["run"]["runCount"], 2);
        assert_eq!(details["pages"][0]["trendPoints"].as_array().unwrap().len(), 2);
        assert!(details["run"]["crawlStats"]["fixedIssues"].as_u64().unwrap() > 0);
        shop.get(&format!("{RUNS}/{second}/compare?with=none")).await.assert_error(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn a_sampled_run_is_compared_with_the_sampled_run_before_it() {
    on_each_engine(async |shop| {
        let items: Vec<String> = (1..=40).map(|number| format!("/item/{number}")).collect();
        let links: Vec<&str> = items.iter().map(String::as_str).collect();
        shop.web.page("/", "The start page of the shop", &["/list"]);
        shop.web.page("/list", "Everything that there is", &links);
        items.iter().for_each(|item| shop.web.page(item, &format!("The page of {item}"), &["/"]));

        let first = shop.audit(json!({})).await;
        let whole = shop.audit(json!({ "allowSampling": false })).await;
        let second = shop.audit(json!({})).await;

        let (first, whole, second) =
            (shop.details(&first, "").await, shop.details(&whole, "").await, shop.details(&second, "").await);
        let stats = &second["run"]["crawlStats"];
        assert_eq!((&stats["skipped"]["sampling"], &stats["carriedPages"]), (&json!(14), &json!(0)));
        assert_eq!(paths(&second), paths(&first), "an unchanged site is sampled in the same places");
        assert_eq!(paths(&whole).len() - paths(&first).len(), 14);
        assert_eq!((&second["run"]["deltaIssues"], &second["run"]["deltaHealth"]), (&json!(0), &json!(0.0)));
        // The difference comes from the additional pages, since no earlier run has the same type.
        let counts = |details: &Value| details["run"]["issueCount"].as_i64().unwrap();
        assert_eq!(whole["run"]["deltaIssues"], counts(&whole) - counts(&first));
    })
    .await;
}

#[tokio::test]
async fn addresses_that_were_selected_are_all_that_is_looked_at() {
    on_each_engine(async |shop| {
        let body =
            json!({ "mode": "selected", "urls": ["https://shop.example/tea", "https://shop.example/lost"] });

        let id = shop.audit(body).await;

        let details = shop.details(&id, "").await;
        assert_eq!(paths(&details), ["/lost", "/tea"]);
        assert_eq!(
            (&details["run"]["sitemapIssues"], &details["run"]["pagesCrawled"]),
            (&json!([]), &json!(1))
        );
        assert!(details["issueBreakdown"].get("SITEMAP_MISSING").is_none(), "{details:#}");
    })
    .await;
}

#[tokio::test]
async fn page_insights_show_the_latest_run_with_results() {
    on_each_engine(async |shop| {
        let path = "/api/analytics/page-insights?domain=shop.example&url=https%3A%2F%2Fshop.example%2Ftea";
        let before = shop.get(path).await.json();
        let id = shop.audit(json!({})).await;

        let after = shop.get(path).await.json();

        assert_eq!(before["seoSpider"]["latestRun"], Value::Null);
        assert_eq!(after["seoSpider"]["latestRun"]["id"], id.as_str());
        let (page, row) = (&after["seoSpider"]["page"], &shop.details(&id, "search=tea").await["pages"][0]);
        assert_eq!((&page["found"], &page["statusCode"]), (&json!(true), &json!(200)));
        for field in ["issueCount", "issues", "healthScore", "previewScore", "indexable"] {
            assert_eq!(page[field], row[field], "{field}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_catalogue_lists_every_issue() {
    on_each_engine(async |shop| {
        let listed = shop.get("/api/seo-spider/issues").await.json();

        let issues = listed["issues"].as_array().unwrap();
        assert_eq!(issues.len(), audit_engine::checks::CheckId::all().count());
        let found = issues.iter().find(|issue| issue["id"] == "META_DESC_MISSING").unwrap();
        assert_eq!((&found["severity"], &found["scope"]), (&json!("warning"), &json!("page")));
        let scopes: BTreeSet<&str> = issues.iter().filter_map(|issue| issue["scope"].as_str()).collect();
        assert_eq!(scopes, BTreeSet::from(["page", "robots", "site", "sitemap"]));
    })
    .await;
}
