//! Answers to AI agents, over HTTP.

use serde_json::{Value, json};

use crate::testing::*;
use domains::DomainStatus;
use domains::model::MarkdownSetting;
use platform::plans::Plan;

const PAGE: &str = "https://shop.example/shoes";

async fn agents(app: &TestApp, session: &TestSession, url: &str) -> Reply {
    let path = format!("/api/dashboard/domains/shop.example/agents?url={url}");
    app.get(&path).session(session).await
}

fn of<'a>(answers: &'a Value, crawler: &str) -> &'a Value {
    let agents = answers["agents"].as_array().unwrap();
    agents.iter().find(|agent| agent["crawler"] == crawler).unwrap()
}

#[tokio::test]
async fn agents_that_prefer_markdown_get_it_and_others_html_with_the_size_of_both() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let domain = app.domain(&account, "shop.example").await;
        let scripts = "<script>".to_owned() + &" ".repeat(1_000) + "</script>";
        app.renderer.answers_html(PAGE, &format!("<title>Shoes</title>{scripts}<main>Felt shoes</main>"));
        let session = app.sign_in(&account).await;

        let before = agents(&app, &session, PAGE).await.json();
        app.crawl(&account, PAGE).await;
        let page = agents(&app, &session, PAGE).await.json();
        app.set_rendering(&domain, |rendering| rendering.markdown = MarkdownSetting::Off).await;
        let off = agents(&app, &session, PAGE).await.json();

        let facts = json!([page["connected"], page["markdown"], page["policyMode"], page["reason"]]);
        assert_eq!(facts, json!([true, "accept", "off", "page"]));
        assert_eq!(before["tokens"], json!(null));
        assert!(page["tokens"]["markdown"].as_u64().unwrap() < 40, "{}", page["tokens"]);
        assert!(page["tokens"]["html"].as_u64().unwrap() > 250, "{}", page["tokens"]);
        let code = json!({ "crawler": "claude-code", "provider": "anthropic", "robots": ["Claude-User"],
            "asksForMarkdown": true, "answer": "markdown", "policy": null });
        assert_eq!((of(&page, "claude-code"), &of(&page, "chatgpt-user")["answer"]), (&code, &json!("html")));
        assert_eq!(page["agents"][0]["asksForMarkdown"], true);
        assert_eq!(of(&page, "markdown-client")["answer"], "markdown");
        assert_eq!((&off["markdown"], &of(&off, "claude-code")["answer"]), (&json!("off"), &json!("html")));
        assert_eq!(app.renderer.requests().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_the_policy_refuses_is_told_with_its_rule() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let domain = app.domain(&account, "shop.example").await;
    let session = app.sign_in(&account).await;
    let set = async |mode: &str| {
        let rules = json!([
            { "match": { "crawler": "claude-user" }, "action": "allow" },
            { "match": { "provider": "anthropic" }, "action": "pay" },
        ]);
        let policy = serde_json::from_value(json!({ "mode": mode, "rules": rules })).unwrap();
        app.set(&domain, |settings| settings.crawler_policy = policy).await;
        agents(&app, &session, PAGE).await.json()
    };

    let enforced = set("enforce").await;
    let logged = set("log").await;

    let code = of(&enforced, "claude-code");
    assert_eq!(
        (&code["answer"], &code["policy"]["rule"], &code["policy"]["status"]),
        (&json!("refused"), &json!(1), &json!(402))
    );
    let user = of(&enforced, "claude-user");
    assert_eq!((&user["answer"], &user["policy"]["action"]), (&json!("html"), &json!("allow")));
    assert_eq!(of(&enforced, "chatgpt-user")["policy"], json!(null));
    let code = of(&logged, "claude-code");
    assert_eq!((&code["answer"], &code["policy"]["enforced"]), (&json!("markdown"), &json!(false)));
}

#[tokio::test]
async fn agents_get_the_own_servers_answer_where_a_domain_is_not_connected_or_a_path_is_ignored() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await;
    let other = app.account("owner@else.example", Plan::Agency).await;
    let domain = app.domain(&other, "else.example").await;
    app.set(&domain, |settings| settings.ignore_paths = "/admin/**".to_owned()).await;
    let session = app.sign_in(&account).await;
    let others = app.sign_in(&other).await;

    let pending = agents(&app, &session, PAGE).await.json();
    let ignored = "/api/dashboard/domains/else.example/agents?url=https://else.example/admin/a";
    let ignored = app.get(ignored).session(&others).await.json();

    assert_eq!(
        (&pending["connected"], &of(&pending, "claude-code")["answer"]),
        (&json!(false), &json!("origin"))
    );
    assert_eq!(
        (&ignored["reason"], &of(&ignored, "claude-code")["answer"]),
        (&json!("ignored_path"), &json!("origin"))
    );
}

#[tokio::test]
async fn agents_are_told_for_addresses_of_the_domain_only() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.domain(&account, "shop.example").await;
    let session = app.sign_in(&account).await;

    for url in ["https://else.example/a", "/a", "ftp://shop.example/"] {
        let reply = agents(&app, &session, url).await;
        reply.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "url" }] }));
    }
    let foreign = "/api/dashboard/domains/else.example/agents?url=https://else.example/";
    app.get(foreign).session(&session).await.assert_error(404, "not_found");
}
