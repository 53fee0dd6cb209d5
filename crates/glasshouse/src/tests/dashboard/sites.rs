//! Overviews of sites, over HTTP: the list, the overview, dismissed entries and the first run.

use serde_json::{Value, json};

use crate::testing::*;
use analytics::{CrawlerIndex, ServedBy, Verified, Visit};
use domains::{Domain, DomainStatus};
use platform::clock::Timestamp;
use platform::plans::Plan;

const DAY_MS: i64 = 24 * 3600 * 1000;
const OVERVIEW: &str = "/api/dashboard/overview?domain=shop.example";

struct Shop {
    app: TestApp,
    account: TestAccount,
    session: TestSession,
    domain: Domain,
}

impl Shop {
    async fn of(app: TestApp) -> Shop {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let domain = app.domain(&account, "shop.example").await;
        app.state.start();
        Shop { session: app.sign_in(&account).await, account, domain, app }
    }

    async fn get(&self, path: &str) -> Value {
        let reply = self.app.get(path).session(&self.session).await;
        reply.assert_status(200);
        assert_eq!(reply.header("cache-control"), "private, no-store");
        reply.json()
    }

    async fn visits(&self, domain: &Domain, days_ago: i64, status: u16, count: usize) {
        for _ in 0..count {
            self.app.state.recorder.record(Visit {
                domain: domain.id.clone(),
                path: "/a".into(),
                crawler: CrawlerIndex::shared().identify("GPTBot/1.2").expect("a crawler"),
                verified: Verified::Unknown,
                served: ServedBy::Cache,
                status,
                at: Timestamp::from_millis(self.app.clock.now().as_millis() - days_ago * DAY_MS),
                duration: std::time::Duration::from_millis(2),
            });
        }
        self.app.state.recorder.flush().await;
    }
}

fn ids(overview: &Value) -> Vec<&str> {
    overview["attention"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_overview_joins_visits_snapshots_and_what_needs_somebody() {
    TestApp::on_each_visit_store(async |app| {
        let shop = Shop::of(app).await;
        shop.app.crawl(&shop.account, "https://shop.example/a").await.assert_status(200);
        shop.visits(&shop.domain, 40, 200, 3).await;
        shop.visits(&shop.domain, 1, 404, 2).await;

        let overview = shop.get(OVERVIEW).await;

        assert_eq!(overview["unavailable"], json!([]));
        assert_eq!(
            (&overview["visits"]["total"], &overview["visits"]["previous"]),
            (&json!(3), &json!(null))
        );
        assert_eq!((&overview["visits"]["crawlers"], &overview["visits"]["pages"]), (&json!(2), &json!(1)));
        assert_eq!(overview["visits"]["dates"].as_array().unwrap().len(), 30);
        assert_eq!(overview["visits"]["ai"][28], 2);
        assert_eq!(overview["people"], json!({ "total": 0, "previous": null }));
        assert_eq!(overview["snapshots"], json!({ "total": 1, "fresh": 1, "stale": 0, "failing": 0 }));
        assert_eq!((&overview["health"], &overview["visibility"]), (&Value::Null, &Value::Null));
        assert_eq!(overview["citedPages"], json!([]));
        assert_eq!(ids(&overview), ["crawl_errors"]);
        assert_eq!(overview["attention"][0]["count"], 2);
        let kinds: Vec<_> =
            overview["changes"].as_array().unwrap().iter().map(|change| &change["kind"]).collect();
        assert_eq!(kinds, ["crawler_first_seen"], "GPTBot came before the fourteen days, Googlebot today");
    })
    .await;
}

#[tokio::test]
async fn an_earlier_window_is_told_only_where_it_was_counted_whole() {
    TestApp::on_each_visit_store(async |app| {
        let shop = Shop::of(app).await;
        let fresh = shop.get("/api/dashboard/overview?domain=shop.example&days=7").await;
        shop.visits(&shop.domain, 14, 200, 1).await;
        shop.visits(&shop.domain, 9, 200, 3).await;
        shop.visits(&shop.domain, 0, 200, 2).await;
        let previous = async |days: u32| {
            let overview = shop.get(&format!("{OVERVIEW}&days={days}")).await;
            let sites = shop.get(&format!("/api/dashboard/sites?days={days}")).await;
            let row = sites["sites"][0]["previousVisits"].clone();
            (overview["visits"]["previous"].clone(), overview["people"]["previous"].clone(), row)
        };

        let told = [previous(7).await, previous(8).await];

        let whole = (json!(3), json!(0), json!(3));
        let partly = (json!(null), json!(null), json!(null));
        assert_eq!(fresh["visits"]["previous"], Value::Null, "there is no visit yet");
        assert_eq!(told, [whole, partly], "14 days and 16 days");
    })
    .await;
}

#[tokio::test]
async fn stale_and_failing_snapshots_need_somebody() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        shop.app.crawl(&shop.account, "https://shop.example/a").await;
        shop.app.crawl(&shop.account, "https://shop.example/b").await;
        shop.app.renderer.fails("/a", browser::RenderError::NotAPage("application/zip".into()));
        shop.app.force(&shop.account, "https://shop.example/a").await;
        shop.app.clock.advance(std::time::Duration::from_secs(2 * 24 * 3600));
        let session = shop.app.sign_in(&shop.account).await;

        let overview = shop.app.get(OVERVIEW).session(&session).await.json();
        let sites = shop.app.get("/api/dashboard/sites").session(&session).await.json();

        assert_eq!(overview["snapshots"], json!({ "total": 2, "fresh": 0, "stale": 1, "failing": 1 }));
        assert_eq!(ids(&overview), ["snapshots_failing", "snapshots_stale"]);
        assert_eq!(sites["sites"][0]["attention"], 2, "both decide alike");
    })
    .await;
}

#[tokio::test]
async fn a_page_that_is_gone_is_stale_after_ten_minutes() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        shop.app.renderer.answers_status("/gone", 410, "<p>gone</p>");
        shop.app.crawl(&shop.account, "https://shop.example/gone").await.assert_status(410);
        let attention = async || shop.get("/api/dashboard/sites").await["sites"][0]["attention"].clone();

        let at_first = attention().await;
        shop.app.clock.advance(std::time::Duration::from_secs(601));
        let overview = shop.get(OVERVIEW).await;

        assert_eq!(at_first, 0);
        assert_eq!(overview["snapshots"], json!({ "total": 1, "fresh": 0, "stale": 1, "failing": 0 }));
        assert_eq!(attention().await, 1, "both decide alike");
    })
    .await;
}

#[tokio::test]
async fn a_dismissed_entry_is_hidden_until_it_is_restored_or_there_is_more_of_it() {
    TestApp::on_each_engine(async |app| {
        let shop = Shop::of(app).await;
        shop.visits(&shop.domain, 1, 500, 2).await;
        let entry = json!({ "domain": "shop.example", "id": "crawl_errors" });
        let dismiss = async |body: &Value| {
            shop.app.post("/api/dashboard/dismissed").session(&shop.session).json(body.clone()).await
        };

        dismiss(&entry).await.assert_status(204);
        let hidden = shop.get(OVERVIEW).await;
        let row = shop.get("/api/dashboard/sites").await["sites"][0]["attention"].clone();
        let path = "/api/dashboard/dismissed?domain=shop.example&id=crawl_errors";
        shop.app.delete(path).session(&shop.session).await.assert_status(204);
        let restored = shop.get(OVERVIEW).await;
        dismiss(&entry).await.assert_status(204);
        shop.visits(&shop.domain, 0, 500, 1).await;
        let grown = shop.get(OVERVIEW).await;

        assert_eq!((ids(&hidden).len(), row), (0, json!(0)));
        assert_eq!((ids(&restored), ids(&grown)), (vec!["crawl_errors"], vec!["crawl_errors"]));
        let unknown = json!({ "domain": "shop.example", "id": "anything" });
        dismiss(&unknown).await.assert_error(400, "invalid_request");
        let foreign = json!({ "domain": "else.example", "id": "crawl_errors" });
        dismiss(&foreign).await.assert_error(403, "domain_not_owned");
    })
    .await;
}

#[tokio::test]
async fn sites_are_listed_with_those_in_need_first() {
    TestApp::on_each_visit_store(async |app| {
        let shop = Shop::of(app).await;
        let other = shop.app.account("other@else.example", Plan::Agency).await;
        shop.app.domain(&other, "else.example").await;
        shop.app.domain_with_status(&shop.account, "new.example", DomainStatus::Pending).await;
        let calm = shop.app.domain(&shop.account, "calm.example").await;
        shop.visits(&calm, 0, 200, 5).await;
        shop.visits(&calm, 30, 200, 2).await;
        shop.visits(&shop.domain, 0, 200, 1).await;

        let names = async |query: &str| {
            let list = shop.get(&format!("/api/dashboard/sites{query}")).await;
            let rows = list["sites"].as_array().unwrap().iter();
            rows.map(|row| row["domain"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };

        assert_eq!(names("").await, ["new.example", "calm.example", "shop.example"]);
        assert_eq!(names("?sort=visits").await, ["calm.example", "shop.example", "new.example"]);
        assert_eq!(names("?sort=domain&order=asc&limit=1&offset=1").await, ["new.example"]);
        assert_eq!(names("?search=CALM").await, ["calm.example"]);
        let row = &shop.get("/api/dashboard/sites?search=calm&days=2").await["sites"][0];
        assert_eq!(
            row,
            &json!({ "domain": "calm.example", "status": "connected", "demo": false, "visits": 5,
                "previousVisits": 0, "daily": [0, 5], "healthScore": null, "deltaHealth": null,
                "visibilityRate": null, "errors": null, "attention": 0, "mostUrgent": null, "tags": [] })
        );
    })
    .await;
}

#[tokio::test]
async fn sites_are_filtered_by_status_and_tag_and_their_file_has_all_that_match() {
    let shop = Shop::of(TestApp::new().await).await;
    shop.app.domain_with_status(&shop.account, "shop10.example", DomainStatus::Pending).await;
    shop.app.domain_with_status(&shop.account, "shop2.example", DomainStatus::Pending).await;
    let tag = |name: &str, tags: Value| {
        let path = format!("/api/dashboard/domains/{name}/settings");
        shop.app.patch(&path).session(&shop.session).json(json!({ "tags": tags }))
    };
    tag("shop2.example", json!(["new", "customers", "new"])).await.assert_status(200);
    let refused = tag("shop.example", json!(["Not a tag"])).await;

    let list = shop.get("/api/dashboard/sites?status=pending&sort=domain&order=asc").await;
    let tagged = shop.get("/api/dashboard/sites?tag=customers").await;
    let file =
        shop.app.get("/api/dashboard/sites?status=pending&format=csv&limit=1").session(&shop.session).await;

    assert_eq!(refused.json()["invalidFields"], json!(["tags"]));
    assert_eq!(
        (&list["sites"][0]["domain"], &list["sites"][1]["domain"], &list["total"]),
        (&json!("shop2.example"), &json!("shop10.example"), &json!(2)),
        "in natural order"
    );
    assert_eq!(list["sites"][0]["mostUrgent"]["kind"], "not_connected");
    assert_eq!((&tagged["total"], &tagged["sites"][0]["tags"]), (&json!(1), &json!(["customers", "new"])));
    assert_eq!(tagged["tags"], json!(["customers", "new"]));
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    let file = file.text();
    assert_eq!(file.lines().count(), 3, "{file}");
    assert!(file.contains("\"shop2.example\",\"pending\",\"customers; new\",\"0\""), "{file}");
}

#[tokio::test]
async fn what_is_malformed_is_refused() {
    let shop = Shop::of(TestApp::new().await).await;
    for path in [
        "/api/dashboard/overview",
        "/api/dashboard/overview?domain=shop.example&days=0",
        "/api/dashboard/overview?domain=shop.example&days=181",
        "/api/dashboard/sites?limit=501",
        "/api/dashboard/sites?sort=nothing",
        "/api/dashboard/sites?days=x",
    ] {
        shop.app.get(path).session(&shop.session).await.assert_error(400, "invalid_request");
    }
    shop.app
        .get("/api/dashboard/overview?domain=else.example")
        .session(&shop.session)
        .await
        .assert_error(403, "domain_not_owned");
    shop.app.get("/api/dashboard/sites").key(&shop.account.key).await.assert_error(401, "invalid_api_key");
}

#[tokio::test]
async fn the_first_run_tells_a_word_about_each_part_and_what_the_account_has() {
    let settings = "server.demo_domain = \"shop.example\"\nedge.public_ipv4 = [\"203.0.113.10\"]\n\
        [providers.chatgpt]\napi_style = \"chat\"\nbase_url = \"http://127.0.0.1:11434/v1\"\n\
        [providers.claude]\napi_key = \"sk-test\"";
    let shop = Shop::of(TestApp::with(settings).await).await;
    let other = shop.app.account("other@else.example", Plan::Agency).await;
    let stranger = shop.app.sign_in(&other).await;
    shop.app.crawl(&shop.account, "https://shop.example/a").await;

    let own = shop.get("/api/dashboard/first-run").await;
    let theirs = shop.app.get("/api/dashboard/first-run").session(&stranger).await.json();

    let states: Vec<_> = own["installation"].as_array().unwrap().iter().map(|part| &part["state"]).collect();
    assert_eq!(states, ["ok", "ok", "ok", "ok", "ok", "note", "note"]);
    let of = |id: &str| {
        let providers = own["providers"].as_array().unwrap();
        providers.iter().find(|provider| provider["id"] == id).unwrap()["state"].clone()
    };
    assert_eq!([of("chatgpt"), of("claude"), of("gemini")], ["stand_in", "ready", "no_key"]);
    assert_eq!(own["demoDomain"], "shop.example");
    assert_eq!(
        own["account"],
        json!({ "domains": 1, "connected": 1, "snapshots": 1, "runs": 0, "prompts": 0 })
    );
    assert_eq!((&theirs["demoDomain"], &theirs["account"]["domains"]), (&Value::Null, &json!(0)));
}
