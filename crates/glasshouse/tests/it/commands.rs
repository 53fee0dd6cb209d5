//! Commands: their output, their errors, and their effect on a running service.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{Service, client, fails, folder, glasshouse, ok};

async fn usage(service: &Service, key: &str) -> (u16, Value) {
    let request = client().get(format!("{}/api/usage", service.api)).header("x-service-api-key", key);
    let reply = request.send().await.unwrap();
    let status = reply.status().as_u16();
    (status, serde_json::from_str(&reply.text().await.unwrap()).unwrap())
}

/// Repeats a request until `is_right`, for at most the ten seconds in which a command must take effect.
async fn becomes(service: &Service, key: &str, is_right: impl Fn(u16, &Value) -> bool) {
    let start = Instant::now();
    loop {
        let (status, body) = usage(service, key).await;
        if is_right(status, &body) {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{status} {body}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn a_running_service_follows_the_commands() {
    let folder = folder();
    let service = Service::start(folder.path(), &[]);
    let command = |arguments: &[&str]| ok(folder.path(), arguments);

    let id =
        command(&["account", "create", "--email", "a@shop.test", "--password", "secret", "--plan", "agency"]);
    let key = command(&["key", "create", "--account", "a@shop.test", "--name", "CI"]);
    becomes(&service, &key, |status, body| status == 200 && body["plan"] == "agency").await;

    command(&["account", "set-plan", "--email", "a@shop.test", "--plan", "business"]);
    becomes(&service, &key, |_, body| body["plan"] == "business").await;
    command(&["account", "deactivate", "--email", "a@shop.test"]);
    becomes(&service, &key, |_, body| body["active"] == false).await;
    command(&["account", "activate", "--email", "a@shop.test"]);
    becomes(&service, &key, |_, body| body["active"] == true).await;

    let accounts: Value = serde_json::from_str(&command(&["account", "list", "--json"])).unwrap();
    let account = accounts.as_array().unwrap().iter().find(|account| account["id"] == id.as_str()).unwrap();
    assert_eq!((&account["email"], &account["plan"]), (&"a@shop.test".into(), &"business".into()));
    let keys: Value =
        serde_json::from_str(&command(&["key", "list", "--account", "a@shop.test", "--json"])).unwrap();
    assert_eq!(
        (&keys[0]["name"], &keys[0]["domain"], &keys[0]["revokedAt"]),
        (&"CI".into(), &Value::Null, &Value::Null)
    );
    command(&["key", "revoke", keys[0]["id"].as_str().unwrap()]);
    becomes(&service, &key, |status, _| status == 401).await;
    assert_eq!(service.stop(), Some(0));
}

#[test]
fn a_key_is_alone_on_stdout() {
    let folder = folder();
    ok(folder.path(), &["account", "create", "--email", "a@shop.test", "--password", "secret"]);

    let key = ok(folder.path(), &["key", "create", "--account", "A@Shop.test"]);

    assert!(key.starts_with("gh_live_") && key.len() == 46 && !key.contains('\n'), "{key}");
}

#[test]
fn a_generated_password_is_printed_once() {
    let folder = folder();
    let mut create = glasshouse(folder.path(), &["account", "create", "--email", "a@shop.test"], &[]);

    let created = create.output().unwrap();
    let set = ok(folder.path(), &["account", "set-password", "--email", "a@shop.test"]);

    assert!(String::from_utf8_lossy(&created.stderr).contains("password: "));
    assert_eq!(String::from_utf8_lossy(&created.stdout).lines().count(), 1);
    assert_eq!(set.len(), 24);
}

#[test]
fn what_does_not_exist_is_said_in_one_line() {
    let folder = folder();
    let fails = |arguments: &[&str]| fails(&mut glasshouse(folder.path(), arguments, &[]), 1);
    ok(folder.path(), &["account", "create", "--email", "a@shop.test", "--password", "secret"]);

    let account = fails(&["key", "create", "--account", "b@shop.test"]);
    let domain = fails(&["key", "create", "--account", "a@shop.test", "--domain", "shop.test"]);
    let key = fails(&["key", "revoke", "nothing"]);
    let twice = fails(&["account", "create", "--email", "a@shop.test", "--password", "x"]);

    assert!(account.contains("b@shop.test"), "{account}");
    assert!(domain.contains("has no domain shop.test"), "{domain}");
    assert!(key.contains("there is no key nothing"), "{key}");
    assert!(twice.contains("a@shop.test"), "{twice}");
}

#[test]
fn a_domain_is_checked_by_a_command_that_says_what_is_missing() {
    let folder = folder();
    let settings = [
        ("GLASSHOUSE_EDGE__PUBLIC_IPV4", "192.0.2.1"),
        ("GLASSHOUSE_NETWORK__DNS_SERVERS", "127.0.0.1:9"),
        ("GLASSHOUSE_NETWORK__HOSTS", r#"{"here.test": "192.0.2.1"}"#),
    ];
    let command = |arguments: &[&str]| glasshouse(folder.path(), arguments, &settings);
    ok(folder.path(), &["account", "create", "--email", "a@shop.test", "--password", "secret"]);
    ok(folder.path(), &["account", "set-plan", "--email", "a@shop.test", "--plan", "business"]);
    ok(folder.path(), &["domain", "add", "here.test", "--account", "a@shop.test"]);
    ok(folder.path(), &["domain", "add", "away.test", "--account", "a@shop.test"]);

    let here = command(&["domain", "check", "here.test", "--json"]).output().unwrap();
    let nobodys = fails(&mut command(&["domain", "check", "nobodys.test"]), 1);
    let unknown = &settings[1..];
    let away = fails(&mut glasshouse(folder.path(), &["domain", "check", "away.test"], unknown), 1);

    let here_says: Value = serde_json::from_slice(&here.stdout).unwrap();
    assert!(here.status.success(), "{}", String::from_utf8_lossy(&here.stderr));
    assert_eq!((&here_says["status"], &here_says["promoted"]), (&"connected".into(), &true.into()));
    assert_eq!(here_says["dns"]["match"], true);
    assert!(away.contains("DNS did not answer for away.test"), "{away}");
    assert!(nobodys.contains("no account has the domain nobodys.test"), "{nobodys}");
    assert!(away.contains("set edge.public_ipv4"), "{away}");
}

#[test]
fn bad_usage_is_exit_code_two_and_one_line() {
    let folder = folder();
    let cases: [&[&str]; 7] = [
        &["nonsense"],
        &[],
        &["serve", "--nonsense"],
        &["account", "create"],
        &["account", "create", "--email", "no address"],
        &["account", "set-plan", "--email", "a@shop.test", "--plan", "pro"],
        &["render", "ftp://shop.test/"],
    ];

    for arguments in cases {
        let line = fails(&mut glasshouse(folder.path(), arguments, &[]), 2);

        assert!(line.starts_with("error: "), "{line}");
    }
}

#[test]
fn a_site_is_verified_by_a_command_that_reaches_loopback_only_where_that_is_allowed() {
    let folder = folder();
    let shell = "<div id=root></div><script src=/app.js></script>";
    let site = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", site.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in site.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nserver: nginx\r\nconnection: close";
            let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{shell}", shell.len());
        }
    });
    let allowed = [("GLASSHOUSE_NETWORK__ALLOW_PRIVATE", "127.0.0.0/8")];

    let refused = fails(&mut glasshouse(folder.path(), &["verify", &url], &[]), 1);
    let bad_usage = fails(&mut glasshouse(folder.path(), &["verify", &url, "--as", "me"], &[]), 2);
    let text = glasshouse(folder.path(), &["verify", &url, "--as", "gptbot"], &allowed).output().unwrap();
    let json = glasshouse(folder.path(), &["verify", &url, "--json"], &allowed).output().unwrap();

    assert!(
        refused.contains("cannot be verified") && refused.contains("`network.allow_private`"),
        "{refused}"
    );
    assert!(bad_usage.contains("googlebot"), "{bad_usage}");
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("as GPTBot and as a person, on nginx") && text.contains("What to do:"), "{text}");
    assert_eq!(json.status.code(), Some(3));
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&report["ok"], &report["platform"]), (&false.into(), &"nginx".into()));
    assert_eq!(report["checks"][0]["id"], "crawler_snapshot");
}

#[test]
fn a_wrong_setting_is_one_line_that_names_it() {
    let folder = folder();
    std::fs::write(folder.path().join("glasshouse.toml"), "[server]\nlissten = \"127.0.0.1:1\"\n").unwrap();

    let file = fails(&mut glasshouse(folder.path(), &["config"], &[]), 1);
    let missing = fails(&mut glasshouse(folder.path(), &["config", "--config", "missing.toml"], &[]), 1);
    std::fs::remove_file(folder.path().join("glasshouse.toml")).unwrap();
    let variable =
        fails(&mut glasshouse(folder.path(), &["config"], &[("GLASSHOUSE_RENDER__TIMEOUT", "5")]), 1);

    assert!(file.contains("\"server.lissten\"; did you mean \"server.listen\"?"), "{file}");
    assert!(missing.contains("missing.toml"), "{missing}");
    assert!(
        variable.contains("GLASSHOUSE_RENDER__TIMEOUT") && variable.contains("render.timeout_ms"),
        "{variable}"
    );
}

#[test]
fn the_effective_settings_are_shown_without_secrets() {
    let folder = folder();
    let secret = [("GLASSHOUSE_PROVIDERS__CHATGPT__API_KEY", "sk-hunter2")];

    let text = glasshouse(folder.path(), &["config"], &secret).output().unwrap();
    let json = glasshouse(folder.path(), &["config", "--json"], &secret).output().unwrap();

    let (text, json) = (String::from_utf8_lossy(&text.stdout), String::from_utf8_lossy(&json.stdout));
    assert!(text.contains("render.timeout_ms") && !text.contains("hunter2"), "{text}");
    let map: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&map["render.timeout_ms"], &map["providers.chatgpt.api_key"]),
        (&15000.into(), &"***".into())
    );
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let folder = folder();
    for arguments in [["config", "--describe"], ["openapi", "-q"], ["completions", "bash"]] {
        let mut child = glasshouse(folder.path(), &arguments, &[]).spawn().unwrap();
        drop(child.stdout.take());

        let output = child.wait_with_output().unwrap();

        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    }
}

#[test]
fn the_committed_document_of_the_api_is_that_of_the_service() {
    let folder = folder();
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");

    // The address of the default settings, which the document names.
    let address = [("GLASSHOUSE_SERVER__LISTEN", "127.0.0.1:3000")];
    let document = glasshouse(folder.path(), &["openapi"], &address).output().unwrap().stdout;

    // Not `assert_eq`, which would print both.
    assert!(
        std::fs::read(committed).unwrap() == document,
        "docs/openapi.json differs from the service: cargo run -p glasshouse -- openapi > docs/openapi.json"
    );
}

#[test]
fn completions_are_printed() {
    let completions = ok(folder().path(), &["completions", "zsh"]);

    assert!(completions.contains("set-password"));
}

#[test]
fn migrate_makes_a_database_where_there_is_none() {
    let folder = folder();

    ok(folder.path(), &["migrate"]);

    assert!(folder.path().join("data/glasshouse.db").exists());
}

#[test]
fn a_backup_says_that_it_holds_secrets_and_can_leave_the_installations_out() {
    let folder = folder();
    ok(folder.path(), &["account", "create", "--email", "a@shop.test", "--password", "secret"]);
    std::fs::write(folder.path().join("data/edge.secret"), "a secret of this installation").unwrap();
    let backup = |arguments: &[&str]| {
        let output = glasshouse(folder.path(), arguments, &[]).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let restored = |file: &str| {
        let target = self::folder();
        let file = folder.path().join(file).display().to_string();
        ok(target.path(), &["restore", &file]);
        std::fs::read_to_string(target.path().join("data/edge.secret")).ok()
    };

    let with = backup(&["backup", "with"]);
    let without = backup(&["backup", "without", "--without-secret"]);

    assert!(with.contains("the file holds secrets") && with.contains("--without-secret"), "{with}");
    assert!(without.contains("secret is not in it"), "{without}");
    assert_eq!(restored("with").as_deref(), Some("a secret of this installation"));
    assert_eq!(restored("without"), None);
}

#[test]
fn prompts_are_imported_from_a_file_and_the_same_text_twice_is_skipped() {
    let folder = folder();
    let settings = "[providers.gemini]\napi_key = \"a-key-of-a-test\"\n";
    std::fs::write(folder.path().join("glasshouse.toml"), settings).unwrap();
    ok(folder.path(), &["account", "create", "--email", "a@shop.test", "--password", "secret"]);
    ok(folder.path(), &["domain", "add", "shop.test", "--account", "a@shop.test", "--status", "connected"]);
    let csv = "promptText,intent,tags\n\"Which shop, and why?\",comm,\"docs,x\"\nWhat is it?,info,\n";
    std::fs::write(folder.path().join("prompts.csv"), csv).unwrap();
    let import = ["mentions", "import", "--domain", "shop.test", "prompts.csv"];

    let first = ok(folder.path(), &import);
    let again = ok(folder.path(), &import);
    std::fs::write(folder.path().join("prompts.csv"), "promptText,intent\nNo?,buy\n").unwrap();
    let refused = fails(&mut glasshouse(folder.path(), &import, &[]), 1);

    assert_eq!(first.trim(), "2 prompts created, 2 questions queued, 0 skipped, 0 refused");
    assert_eq!(again.trim(), "0 prompts created, 0 questions queued, 2 skipped, 0 refused");
    assert!(refused.starts_with("line 2: "), "{refused}");
}
