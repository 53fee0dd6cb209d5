//! Domains in a file: exported, applied, compared; on the database of a service that may be running.

use std::collections::HashSet;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Service, client, fails, folder, glasshouse, ok, run};

/// Settings with an assistant that prompts can name. No process of these tests asks it.
const SETTINGS: &str = "[providers.gemini]\napi_key = \"a-key-of-a-test\"\n";

fn installation() -> TempDir {
    let folder = folder();
    std::fs::write(folder.path().join("glasshouse.toml"), SETTINGS).unwrap();
    folder
}

/// Runs a command with secrets in its environment.
fn run_with(folder: &Path, arguments: &[&str], secrets: &[(&str, &str)]) -> Output {
    glasshouse(folder, arguments, secrets).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

fn export(folder: &Path) -> String {
    ok(folder, &["apply", "--export"])
}

async fn call(service: &Service, method: &str, path: &str, body: Value) -> Value {
    let request = client()
        .request(method.parse().unwrap(), format!("{}{path}", service.api))
        .header("x-service-api-key", service.printed("API key:"))
        .header("content-type", "application/json")
        .body(body.to_string());
    let reply = request.send().await.unwrap();
    let (status, text) = (reply.status(), reply.text().await.unwrap());
    assert!(status.is_success(), "{method} {path}: {status} {text}");
    serde_json::from_str(&text).unwrap_or_default()
}

async fn get(service: &Service, path: &str) -> Value {
    call(service, "GET", path, Value::Null).await
}

/// Changes every setting that the API has, of a domain and of its prompts.
async fn change_everything(service: &Service) {
    let at = |table: &str| format!("/api/domains/shop.test{table}");
    let settings = json!({
        "originHost": "shop.lovable.app", "ignorePaths": "/admin/**\n/cart", "preferredHost": "apex",
        "onDemandRenderEnabled": false,
        "redirectRules": [{ "source": "/blog/*", "destination": "/articles/$1", "status": 307, "preserveQuery": false }],
        "customResponseHeaders": [{ "pathPattern": "/drafts/**", "headers": [{ "name": "x-robots-tag", "value": "noindex" }] }],
    });
    let rendering = json!({
        "refreshIntervalSeconds": 3600, "refreshRules": [{ "pattern": "/news/**", "intervalSeconds": 600 }],
        "waitForSelector": "#main", "blockedUrls": ["https://chat.example/*"], "verifiedCrawlersOnly": true,
        "queryParameters": ["page"], "markdown": "off",
        "notFound": { "selector": ".missing", "text": "No such page", "compare": true },
    });
    let policy = json!({ "mode": "log", "obeyRobotsTxt": true, "rules": [
        { "match": { "crawler": "gptbot" }, "paths": ["/blog/**"], "action": "limit", "perMinute": 60, "text": "Slow down." },
        { "match": {}, "action": "allow" }] });
    let files = json!({ "files": [
        { "path": "/robots.txt", "mode": "always", "source": "robots" },
        { "path": "/llms.txt", "mode": "fallback", "source": "text", "body": "# Shop\r\n\"quoted\" \\ ''' \"\"\"\n" }] });
    let auditing = json!({
        "frequency": "weekly", "mode": "sitemap", "include": ["/*"], "exclude": ["/tags/*"], "dropParameters": ["sid"],
        "maxPages": 500, "maxDepth": 7, "requestsPerSecond": 2.0, "userAgent": "ShopBot/1.0", "robotsTxt": "obey",
        "headers": [{ "name": "x-staging-token", "value": "hunter2" }],
        "basicAuth": { "username": "staging", "password": "hunter3" }, "javascript": false,
        "extractions": [{ "name": "price", "selector": ".price" }], "searches": [],
        "ignored": [{ "issueId": "THIN_CONTENT", "pathPattern": "/tags/*" }], "webhookUrl": "https://hooks.example/a",
    });
    let brand = json!({ "name": "Shop", "aliases": ["The Shop"], "domains": ["shop.test"],
        "competitors": [{ "name": "Other", "aliases": [], "domains": ["other.example"], "status": "tracked" },
            { "name": "Noise", "aliases": [], "domains": [], "status": "ignored" }] });
    let monitoring = json!({ "personaLocation": { "country": "DE", "language": "de" }, "budgetUsdPerMonth": 20,
        "webhookUrl": "https://hooks.example/b", "digest": "weekly" });
    call(service, "PATCH", &at("/settings"), settings).await;
    call(service, "PATCH", &at("/rendering"), rendering).await;
    call(service, "PUT", &at("/crawler-policy"), policy).await;
    call(service, "PUT", &at("/root-files"), files).await;
    call(service, "PATCH", &at("/indexnow"), json!({ "enabled": true })).await;
    call(service, "PATCH", &at("/auditing"), auditing).await;
    call(service, "PUT", &at("/brand"), brand).await;
    call(service, "PATCH", &at("/monitoring"), monitoring).await;
    for (text, interval) in [("Which shop is the best?", "weekly"), ("Is Shop any good?", "dynamic")] {
        let prompt = json!({ "action": "create", "domain": "shop.test", "promptText": text, "intent": "comm",
            "providers": ["gemini"], "monitorInterval": interval, "tags": "docs,x", "active": 0,
            "personaLocation": { "country": "FR" } });
        call(service, "POST", "/api/ai-mentions/prompts", prompt).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_settings_exported_applied_to_an_empty_installation_and_exported_again_are_equal_bytes() {
    let (here, there) = (installation(), installation());
    let service = Service::start(here.path(), &[]);
    let sitemap = "https://shop.test/sitemap.xml";
    ok(here.path(), &["domain", "add", "shop.test", "--account", "owner@localhost", "--sitemap", sitemap]);
    ok(here.path(), &["domain", "add", "a.plain.test", "--account", "owner@localhost"]);
    change_everything(&service).await;
    let exported = export(here.path());
    let secrets = [
        ("SECRET_SHOP_TEST_AUDITING_HEADERS_0_VALUE", "hunter2"),
        ("SECRET_SHOP_TEST_AUDITING_BASICAUTH_PASSWORD", "hunter3"),
    ];

    for (file, flag) in [("domains.toml", None), ("domains.json", None), ("again.toml", Some("--diff"))] {
        ok(here.path(), &["apply", "--export", file]);
        let text = std::fs::read_to_string(here.path().join(file)).unwrap();
        write(there.path(), file, &text);
        assert!(!text.contains("hunter"), "{text}");

        let mut arguments = vec!["apply", file];
        arguments.extend(flag);
        let applied = run_with(there.path(), &arguments, &secrets);

        assert!(applied.status.success(), "{file}: {} {}", stdout(&applied), stderr(&applied));
        assert_eq!(export(there.path()), exported, "{file}");
    }

    let there = Service::start(there.path(), &[]);
    assert!(!there.log().contains("first start"), "the command has made the owner");
    assert_eq!(service.stop(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_service_follows_a_file_and_a_difference_changes_nothing() {
    let folder = installation();
    let service = Service::start(folder.path(), &[]);
    ok(folder.path(), &["domain", "add", "shop.test", "--account", "owner@localhost"]);
    let interval =
        async || get(&service, "/api/domains/shop.test/rendering").await["refreshIntervalSeconds"].clone();
    let before = interval().await;
    write(
        folder.path(),
        "domains.toml",
        "[[domain]]\nname = \"shop.test\"\n[domain.rendering]\nrefreshIntervalSeconds = 4321\n\
         [[domain]]\nname = \"new.test\"\n[domain.settings]\noriginHost = \"new.example\"\n",
    );

    let difference = run(folder.path(), &["apply", "domains.toml", "--diff"]);
    let untouched = interval().await;
    let applied = ok(folder.path(), &["apply", "domains.toml"]);
    let nothing = run(folder.path(), &["apply", "domains.toml", "--diff"]);

    assert_eq!(difference.status.code(), Some(3), "{}", stderr(&difference));
    let shown = stdout(&difference);
    assert!(shown.contains("shop.test: would be changed\n  rendering.refreshIntervalSeconds: "), "{shown}");
    assert!(
        shown.contains("new.test: would be added\n  settings.originHost: \"\" -> \"new.example\""),
        "{shown}"
    );
    assert_eq!(untouched, before);
    assert!(applied.ends_with("1 added, 1 changed, 0 removed, 0 unchanged"), "{applied}");
    assert_eq!((nothing.status.code(), stdout(&nothing).as_str()), (Some(0), "no difference\n"));
    let start = Instant::now();
    while interval().await != 4321 {
        assert!(start.elapsed() < Duration::from_secs(10), "the service does not follow");
    }
    assert_eq!(get(&service, "/api/domains/new.test").await["status"], "pending");
    assert_eq!(service.stop(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exported_file_takes_back_what_was_changed_since() {
    let folder = installation();
    let service = Service::start(folder.path(), &[]);
    ok(folder.path(), &["domain", "add", "shop.test", "--account", "owner@localhost"]);
    call(&service, "PUT", "/api/domains/shop.test/brand", json!({ "name": "Shop" })).await;
    ok(folder.path(), &["apply", "--export", "before.toml"]);
    let before = export(folder.path());

    change_everything(&service).await;
    let changed = export(folder.path());
    ok(folder.path(), &["apply", "before.toml", "--prune"]);

    assert_ne!(changed, before);
    assert_eq!(export(folder.path()), before);
    assert_eq!(service.stop(), Some(0));
}

#[test]
fn a_refused_domain_gets_nothing_of_its_file_and_the_others_all() {
    let folder = installation();
    ok(
        folder.path(),
        &["account", "create", "--email", "a@shop.test", "--password", "secret", "--plan", "business"],
    );
    ok(folder.path(), &["domain", "add", "shop.test", "--account", "a@shop.test"]);
    let before = export(folder.path());
    let refused = |text: &str| {
        write(folder.path(), "domains.toml", text);
        fails(&mut glasshouse(folder.path(), &["apply", "domains.toml", "--diff"], &[]), 1)
    };
    let shop = "[[domain]]\nname = \"shop.test\"\n[domain.settings]\nignorePaths = \"/cart\"\n";

    let unknown = refused(&format!("{shop}[domain.renderin]\na = 1\n"));
    let deep = refused(&format!("{shop}[domain.rendering]\nrefreshIntervalSecond = 1\n"));
    let value = refused(&format!("{shop}[domain.rendering]\nrefreshIntervalSeconds = 1\n"));
    let field = refused(&format!("{shop}preferredHost = \"both\"\n"));
    let order = refused(&format!("{shop}[domain.sitemap]\nrefresh = true\n"));
    let prompt = refused(&format!(
        "{shop}[[domain.prompts]]\npromptText = \"Which?\"\nintent = \"comm\"\nproviders = [\"claude\"]\n"
    ));
    let secret = refused(&format!(
        "{shop}[domain.auditing.basicAuth]\nusername = \"a\"\npassword.env = \"NOT_SET\"\n"
    ));
    write(
        folder.path(),
        "domains.toml",
        &format!("{shop}[domain.monitoring]\nbudgetUsdPerMonth = -1\n[[domain]]\nname = \"new.test\"\n"),
    );
    let applied = run(folder.path(), &["apply", "domains.toml"]);

    assert_eq!(unknown, "error: shop.test: unknown key renderin; did you mean rendering?");
    let expected =
        "error: shop.test: unknown key rendering.refreshIntervalSecond; did you mean refreshIntervalSeconds?";
    assert_eq!(deep, expected);
    assert!(value.starts_with("error: shop.test: rendering: refreshIntervalSeconds "), "{value}");
    assert_eq!(field, "error: shop.test: settings: not valid: preferredHost");
    assert_eq!(order, "error: shop.test: sitemap.refresh is no setting");
    assert_eq!(prompt, "error: shop.test: prompts, \"Which?\": provider_unavailable");
    assert_eq!(
        secret,
        "error: shop.test: auditing.basicAuth.password: the environment variable NOT_SET is not set"
    );
    assert_eq!(applied.status.code(), Some(1));
    assert!(
        stderr(&applied).starts_with("error: shop.test: monitoring: budgetUsdPerMonth "),
        "{}",
        stderr(&applied)
    );
    let after = export(folder.path());
    let at = after.find("[[domain]]\nname = \"shop.test\"").unwrap_or_else(|| panic!("{after}"));
    assert_eq!(after[at..].trim(), before.trim());
    assert!(after.contains("name = \"new.test\""), "{after}");
}

#[test]
fn pruning_removes_what_the_file_does_not_name_and_says_so() {
    let folder = installation();
    ok(
        folder.path(),
        &["account", "create", "--email", "a@shop.test", "--password", "secret", "--plan", "business"],
    );
    for name in ["shop.test", "old.test"] {
        ok(folder.path(), &["domain", "add", name, "--account", "a@shop.test"]);
    }
    let prompt =
        |text: &str| format!("[[domain.prompts]]\npromptText = {text:?}\nintent = \"info\"\nactive = 0\n");
    let shop = "[[domain]]\nname = \"shop.test\"\n";
    write(folder.path(), "both.toml", &format!("{shop}{}{}", prompt("One?"), prompt("Two?")));
    write(folder.path(), "one.toml", &format!("{shop}{}", prompt("One?")));
    ok(folder.path(), &["apply", "both.toml"]);

    let kept = ok(folder.path(), &["apply", "one.toml"]);
    let shown = run(folder.path(), &["apply", "one.toml", "--prune", "--diff"]);
    let pruned = ok(folder.path(), &["apply", "one.toml", "--prune"]);
    write(folder.path(), "none.toml", "");
    let empty = fails(&mut glasshouse(folder.path(), &["apply", "none.toml", "--prune"], &[]), 1);

    assert_eq!(kept, "0 added, 0 changed, 0 removed, 1 unchanged");
    assert_eq!(shown.status.code(), Some(3));
    assert!(stdout(&shown).contains("old.test: would be removed"), "{}", stdout(&shown));
    assert_eq!(
        pruned,
        "shop.test: changed: prompts\nold.test: removed\n0 added, 1 changed, 1 removed, 0 unchanged"
    );
    assert!(empty.contains("names no domain"), "{empty}");
    let after = export(folder.path());
    assert!(!after.contains("old.test") && !after.contains("Two?") && after.contains("One?"), "{after}");
}

#[test]
fn a_prompt_of_a_file_is_changed_where_it_differs() {
    let folder = installation();
    let file = |interval: &str| {
        format!(
            "[[domain]]\nname = \"shop.test\"\n[[domain.prompts]]\npromptText = \"Which?\"\nintent = \"info\"\n\
             active = 0\nmonitorInterval = {interval:?}\n"
        )
    };
    write(folder.path(), "first.toml", &file("weekly"));
    write(folder.path(), "second.toml", &file("monthly"));
    ok(folder.path(), &["apply", "first.toml"]);

    let changed = ok(folder.path(), &["apply", "second.toml"]);

    assert_eq!(changed, "shop.test: changed: prompts\n0 added, 1 changed, 0 removed, 0 unchanged");
    let exported = export(folder.path());
    assert!(exported.contains("monitorInterval = \"monthly\"") && !exported.contains("weekly"), "{exported}");
}

#[test]
fn after_a_kill_each_domain_is_whole_or_absent_and_applying_again_completes_the_file() {
    let (folder, whole) = (installation(), installation());
    let domain = |number: usize| {
        format!(
            "[[domain]]\nname = \"shop{number:03}.test\"\n[domain.settings]\nignorePaths = \"/cart\"\n\
             [domain.rendering]\nrefreshIntervalSeconds = 4321\n[domain.indexnow]\nenabled = true\n\
             [domain.monitoring]\ndigest = \"weekly\"\n"
        )
    };
    let text: String = (0..60).map(domain).collect();
    for folder in [&folder, &whole] {
        ok(
            folder.path(),
            &["account", "create", "--email", "a@shop.test", "--password", "secret", "--plan", "enterprise"],
        );
        write(folder.path(), "domains.toml", &text);
    }
    ok(whole.path(), &["apply", "domains.toml"]);
    let expected = export(whole.path());
    let blocks = |text: &str| -> HashSet<String> {
        text.split("[[domain]]\n")
            .map(|block| block.trim().to_owned())
            .filter(|block| !block.is_empty())
            .collect()
    };

    let mut child = glasshouse(folder.path(), &["apply", "domains.toml"], &[]).spawn().unwrap();
    let start = Instant::now();
    while ok(folder.path(), &["domain", "list"]).lines().count() < 6 {
        assert!(start.elapsed() < Duration::from_secs(60), "no domain was added");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let partial = export(folder.path());
    ok(folder.path(), &["apply", "domains.toml"]);

    let (partial, all) = (blocks(&partial), blocks(&expected));
    assert!(partial.len() >= 5 && partial.len() < 60, "{}", partial.len());
    assert!(partial.is_subset(&all), "{partial:?}");
    assert_eq!(export(folder.path()), expected);
}
