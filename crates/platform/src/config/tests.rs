//! The rules of settings.

use super::*;

fn from_file(toml: &str) -> Result<Config, String> {
    Config::from_toml(toml).map_err(|error| error.to_string())
}

fn from_variables(variables: &[(&str, &str)]) -> Result<Config, String> {
    let variables = variables.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    Config::from_sources(None, variables).map_err(|error| error.to_string())
}

#[test]
fn the_defaults_are_those_of_the_reference() {
    let config = from_file("").unwrap();

    assert_eq!(config.server.listen.to_string(), "127.0.0.1:3000");
    assert_eq!(config.public_url(), "http://127.0.0.1:3000");
    assert_eq!(config.database_url(), "sqlite:./data/glasshouse.db");
    assert_eq!(config.object_store_url(), "file:./data/objects");
    assert_eq!(config.limits.request_body_bytes, 1 << 20);
    assert_eq!(config.plan(Plan::Agency).renders_per_month.most(), Some(50_000));
    assert_eq!(config.plan(Plan::Enterprise).domains.most(), None);
    assert_eq!(config.providers.len(), 6);
    assert!(config.render_concurrency() >= 2);
}

#[test]
fn a_variable_wins_over_the_file() {
    let file = Some((
        PathBuf::from("glasshouse.toml"),
        "server.shutdown_grace_s = 5\nrender.timeout_ms = 900".to_owned(),
    ));
    let variables = [("GLASSHOUSE_SERVER__SHUTDOWN_GRACE_S".to_owned(), "7".to_owned())];

    let config = Config::from_sources(file, variables.into_iter()).unwrap();

    assert_eq!((config.server.shutdown_grace_s, config.render.timeout_ms), (7, 900));
}

#[test]
fn pages_at_once_are_left_to_the_machine_or_a_ceiling_above_zero() {
    let auto = from_file("render.concurrency = \"auto\"").unwrap();
    let number = from_file("render.concurrency = 3").unwrap();
    let variable = from_variables(&[("GLASSHOUSE_RENDER__CONCURRENCY", "5")]).unwrap();
    let zero = from_file("render.concurrency = 0").unwrap_err().to_string();
    let word = from_variables(&[("GLASSHOUSE_RENDER__CONCURRENCY", "many")]).unwrap_err();

    assert_eq!(auto.render_concurrency(), browser::max_concurrency());
    assert_eq!((number.render_concurrency(), variable.render_concurrency()), (3, 5));
    assert!(zero.contains("above 0") && word.contains("auto"), "{zero} {word}");
}

#[test]
fn a_value_that_cannot_be_used_is_named_with_where_it_was_set() {
    let of_plan = from_variables(&[("GLASSHOUSE_PLANS__BUSINESS__DOMAINS", "-2")]).unwrap_err();
    let in_list = from_variables(&[("GLASSHOUSE_SERVER__ROLES", "api,cook")]).unwrap_err();
    let of_provider = from_variables(&[("GLASSHOUSE_PROVIDERS__CLAUDE__BASE_URL", "nowhere")]).unwrap_err();

    assert!(
        of_plan.starts_with("GLASSHOUSE_PLANS__BUSINESS__DOMAINS: setting plans.business.domains"),
        "{of_plan}"
    );
    assert!(in_list.starts_with("GLASSHOUSE_SERVER__ROLES: setting server.roles"), "{in_list}");
    assert!(of_provider.contains("providers.claude.base_url"), "{of_provider}");
}

#[test]
fn lists_are_json_or_separated_by_commas() {
    let json =
        from_variables(&[("GLASSHOUSE_NETWORK__ALLOW_PRIVATE", "[\"127.0.0.0/8\", \"::1\"]")]).unwrap();
    let commas = from_variables(&[("GLASSHOUSE_NETWORK__ALLOW_PRIVATE", "127.0.0.0/8, ::1")]).unwrap();
    let empty = from_variables(&[("GLASSHOUSE_NETWORK__ALLOW_PRIVATE", "")]).unwrap();

    assert_eq!(json.network.allow_private.len(), 2);
    assert_eq!(json.network.allow_private, commas.network.allow_private);
    assert!(empty.network.allow_private.is_empty());
}

#[test]
fn maps_are_json_in_a_variable_and_tables_in_the_file() {
    let variable =
        from_variables(&[("GLASSHOUSE_NETWORK__HOSTS", "{\"shop.test\": \"127.0.0.1:9000\"}")]).unwrap();
    let file = from_file("[network]\nhosts = {\"shop.test\" = \"127.0.0.1:9000\"}").unwrap();
    let section = from_file("[network.hosts]\n\"shop.test\" = \"127.0.0.1:9000\"").unwrap();

    assert_eq!(variable.network.hosts["shop.test"].port, Some(9000));
    assert_eq!(variable.network.hosts, file.network.hosts);
    assert_eq!(variable.network.hosts, section.network.hosts);
}

#[test]
fn signers_of_the_operator_are_tables_in_the_file_and_json_in_a_variable() {
    let signer = |purpose: &str, directory: &str| {
        format!(
            "[[edge.signers]]\ndirectory = \"{directory}\"\nid = \"acme-agent\"\nname = \"Acme agent\"\nprovider = \"acme\"\npurpose = \"{purpose}\"\n"
        )
    };
    let json = r#"[{"directory": "https://agents.example", "id": "acme-agent", "name": "Acme agent", "provider": "acme", "purpose": "llm-user"}]"#;

    let file = from_file(&signer("llm-user", "https://agents.example")).unwrap();
    let variable = from_variables(&[("GLASSHOUSE_EDGE__SIGNERS", json)]).unwrap();

    assert_eq!(file.edge.signers.len(), 1);
    assert_eq!(file.edge.signers, variable.edge.signers);
    for (wrong, said) in [
        (signer("shopping", "https://agents.example"), "purpose must be"),
        (signer("llm-user", "http://agents.example"), "https:// address"),
        (signer("llm-user", "https://agents.example").repeat(2), "two signers have one id"),
    ] {
        let refused = from_file(&wrong).unwrap_err();
        assert!(refused.contains("edge.signers") && refused.contains(said), "{refused}");
    }
}

#[test]
fn sizes_have_units() {
    let file = from_file("limits.html_bytes = \"2 MiB\"\nlimits.page_bytes = 4096").unwrap();
    let variable = from_variables(&[("GLASSHOUSE_LIMITS__HTML_BYTES", "2MiB")]).unwrap();

    assert_eq!((file.limits.html_bytes, file.limits.page_bytes), (2 << 20, 4096));
    assert_eq!(variable.limits.html_bytes, 2 << 20);
}

#[test]
fn plans_and_providers_are_settings_too() {
    let config = from_variables(&[
        ("GLASSHOUSE_PLANS__AGENCY__RENDERS_PER_MONTH", "-1"),
        ("GLASSHOUSE_PLANS__ESSENTIAL__CUSTOM_HEADERS", "true"),
        ("GLASSHOUSE_PLANS__ESSENTIAL__SNAPSHOT_BYTES", "3 MiB"),
        ("GLASSHOUSE_PLANS__BUSINESS__SNAPSHOT_BYTES", "-1"),
        ("GLASSHOUSE_PROVIDERS__GOOGLE_AI_OVERVIEW__VENDOR", "serpapi"),
        ("GLASSHOUSE_PROVIDERS__GOOGLE_AI_MODE__API_KEY", "login:password"),
    ])
    .unwrap();

    assert_eq!(config.plan(Plan::Agency).renders_per_month.most(), None);
    assert!(config.plan(Plan::Essential).custom_headers);
    assert_eq!(config.plan(Plan::Essential).snapshot_bytes.most(), Some(3 << 20));
    assert_eq!(config.plan(Plan::Business).snapshot_bytes.most(), None);
    assert_eq!(config.plan(Plan::Agency).snapshot_bytes.most(), Some(20 << 30));
    assert_eq!(config.providers["google_ai_overview"].vendor, SearchSource::Serpapi);
    let ai_mode = &config.providers["google_ai_mode"];
    assert_eq!(
        (ai_mode.vendor, ai_mode.api_key.reveal()),
        (SearchSource::Dataforseo, Some("login:password"))
    );
}

#[test]
fn an_unknown_key_names_the_nearest_one_and_where_it_is() {
    let file = from_file("[server]\nlisten_address = \"127.0.0.1:1\"").unwrap_err();
    let section = from_file("[rendering]\ntimeout_ms = 1000").unwrap_err();
    let variable = from_variables(&[("GLASSHOUSE_SERVER__LISTENS", "127.0.0.1:1")]).unwrap_err();
    let plan = from_file("plans.pro.domains = 3").unwrap_err();

    assert_eq!(
        file,
        "glasshouse.toml: unknown setting \"server.listen_address\"; did you mean \"server.listen\"?"
    );
    assert_eq!(
        section,
        "glasshouse.toml: unknown setting \"rendering.timeout_ms\"; did you mean \"render.timeout_ms\"?"
    );
    assert_eq!(
        variable,
        "GLASSHOUSE_SERVER__LISTENS: unknown setting \"server.listens\"; did you mean \"server.listen\"?"
    );
    assert!(plan.contains("unknown setting \"plans.pro.domains\"; did you mean \"plans."), "{plan}");
}

#[test]
fn a_value_that_cannot_be_used_is_named_with_its_source() {
    let refused = [
        from_file("server.listen = \"nowhere\""),
        from_file("server.shutdown_grace_s = \"soon\""),
        from_file("server.roles = [\"api\", \"king\"]"),
        from_file("network.allow_private = [\"10.0.0.0/99\"]"),
        from_file("network.hosts = {\"shop.test\" = \"somewhere\"}"),
        from_file("limits.html_bytes = \"much\""),
        from_file("limits.anonymous_per_minute = -1"),
        from_file("render.timeout_ms = true"),
        from_file("plans.agency.domains = -2"),
        from_file("edge.origin_scheme = \"gopher\""),
        from_file("storage.database_url = \"mysql://x\""),
        from_file("server.public_url = \"ftp://x\""),
        from_file("analysis.provider = \"oracle\""),
        from_file("render.default_refresh_interval_s = 0"),
    ];

    for error in refused {
        let line = error.expect_err("refused");
        assert!(line.contains("setting") && !line.contains('\n'), "{line}");
    }
}

#[test]
fn variables_without_two_underscores_are_no_settings() {
    let kubernetes = [("GLASSHOUSE_SERVICE_HOST", "10.0.0.1"), ("GLASSHOUSE_PORT", "tcp://10.0.0.1:80")];
    let variables = kubernetes.map(|(name, value)| (name.to_owned(), value.to_owned()));

    let config = Config::from_sources(None, variables.into_iter()).unwrap();

    assert_eq!(config.ignored_variables(), ["GLASSHOUSE_SERVICE_HOST", "GLASSHOUSE_PORT"]);
}

#[test]
fn the_key_of_a_client_is_no_setting_and_warns_of_nothing() {
    let variables = [("GLASSHOUSE_API_KEY".to_owned(), "gh_live_x".to_owned())];

    let config = Config::from_sources(None, variables.into_iter()).unwrap();

    assert_eq!(config.ignored_variables(), [""; 0]);
}

#[test]
fn an_error_about_a_setting_never_prints_what_may_be_a_secret() {
    let refused = [
        from_file("telemetry.otlp_endpoint = \"collector:hunter2@host:4318\""),
        from_file("telemetry.otlp_endpoint = \"//user:hunter2@host:port\""),
        from_file("server.public_url = \"//user:hunter2@host\""),
        from_file("server.shutdown_grace_s = \"hunter2\""),
        from_file("network.hosts = {\"shop.test\" = \"//user:hunter2@host\"}"),
        from_file("network.allow_private = [\"hunter2@10.0.0.0/8\"]"),
        from_file("edge.origin_scheme = \"hunter2-hunter2-hunter2\""),
        from_file("storage.database_url = \"mysql://gh:hunter2@db\""),
    ];

    for error in refused {
        let line = error.expect_err("refused");
        assert!(line.contains("setting") && !line.contains("hunter2"), "{line}");
    }
}

#[test]
fn a_mistake_in_the_file_is_named_with_its_line() {
    let error = from_file("[server]\nlisten = \"127.0.0.1:1\"\nroles = [\n").unwrap_err();

    assert!(error.starts_with("glasshouse.toml, line "), "{error}");
    assert!(!error.contains('\n'), "{error}");
}

#[test]
fn secrets_are_masked_in_the_listing() {
    let config = from_file(
        "providers.claude.api_key = \"sk-hunter2\"\nstorage.s3_secret_access_key = \"hunter2\"\n\
         storage.database_url = \"postgres://gh:hunter2@db/gh\"\nedge.secret = \"hunter2-hunter2-hunter2\"",
    )
    .unwrap();

    let shown: String =
        config.listing().iter().map(|line| format!("{} = {}\n", line.key, line.value)).collect();

    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("providers.claude.api_key = \"***\""), "{shown}");
    assert!(shown.contains("postgres://gh:***@db/gh"), "{shown}");
    assert!(!format!("{:?}", config.providers).contains("hunter2"));
}

#[test]
fn a_wildcard_listener_is_shown_as_an_address_that_can_be_opened() {
    let config = from_file("server.listen = \"0.0.0.0:80\"").unwrap();

    assert_eq!(config.public_url(), "http://127.0.0.1:80");
}

#[test]
fn the_reference_describes_every_setting_and_is_up_to_date() {
    let config = from_file("").unwrap();
    let reference = describe_settings();
    let kept = include_str!("../../../../docs/settings.md");

    for line in config.listing() {
        let mut parts: Vec<&str> = line.key.split('.').collect();
        if parts.len() == 3 {
            parts[1] = "<id>";
        }
        let row = reference.lines().find(|row| row.starts_with(&format!("| `{}` |", parts.join("."))));
        let meaning = row.and_then(|row| row.trim_end_matches(" |").rsplit(" | ").next()).unwrap_or_default();
        assert!(meaning.len() > 10, "{} is not described", line.key);
    }
    assert!(kept == reference, "docs/settings.md is old: glasshouse config --describe > docs/settings.md");
}

#[test]
fn a_visit_store_that_is_no_address_is_refused_in_one_line_without_its_password() {
    let error = from_file("analytics.store_url = \"clickhouse://gh:hunter2@db:port/v\"").unwrap_err();

    assert!(error.contains("must look like clickhouse://"), "{error}");
    assert!(!error.contains("hunter2") && !error.contains('\n'), "{error}");
    assert!(from_file("analytics.store_url = \"clickhouse://gh:hunter2@db/v\"").is_ok());
}

#[test]
fn money_is_a_number_of_dollars_and_minus_one_is_no_limit() {
    let toml = "[providers.chatgpt]\nusd_per_run = 0.02\nbudget_usd_per_day = 1.5\n[mentions]\nbudget_usd_per_month = -1\n";

    let config = Config::from_toml(toml).unwrap();

    let chatgpt = &config.providers["chatgpt"];
    assert_eq!((chatgpt.usd_per_run, chatgpt.budget_usd_per_day), (Some(0.02), Some(1.5)));
    assert_eq!((chatgpt.budget_usd_per_month, config.mentions.budget_usd_per_month), (None, None));
    assert_eq!(Config::from_toml("").unwrap().mentions.budget_usd_per_month, Some(50.0));
    for bad in ["usd_per_run = -1", "usd_per_run = \"much\"", "budget_usd_per_day = -2"] {
        let error = Config::from_toml(&format!("[providers.chatgpt]\n{bad}\n")).unwrap_err().to_string();
        assert!(error.contains("must be a number of US dollars"), "{error}");
    }
    let error = Config::from_toml("[mentions]\nbudget_usd_per_account = -2\n").unwrap_err().to_string();
    assert!(error.contains("must be a number of US dollars"), "{error}");
}

#[test]
fn an_account_has_a_quarter_of_the_installations_budget_unless_set() {
    let budget =
        |toml: &str| Config::from_toml(&format!("[mentions]\n{toml}")).unwrap().mentions.account_budget();

    assert_eq!(budget(""), Some(12.5));
    assert_eq!(budget("budget_usd_per_month = 10"), Some(2.5));
    assert_eq!(budget("budget_usd_per_month = -1"), None);
    assert_eq!(budget("budget_usd_per_account = -1"), None);
    assert_eq!(budget("budget_usd_per_account = 0"), Some(0.0));
    assert_eq!(budget("budget_usd_per_month = -1\nbudget_usd_per_account = 3"), Some(3.0));
}

#[test]
fn a_provider_that_could_never_answer_is_refused_when_the_settings_are_read() {
    let cases = [
        (
            "[providers.google_ai_overview]\napi_style = \"chat\"\nbase_url = \"http://localhost:1/v1\"",
            "api_style",
        ),
        (
            "[providers.google_ai_mode]\napi_style = \"chat\"\nbase_url = \"http://localhost:1/v1\"",
            "api_style",
        ),
        ("[providers.gemini]\napi_style = \"chat\"", "base_url"),
        ("[providers.gemini]\nbase_url = \"ftp://x.test\"", "base_url"),
        ("[providers.gemini]\nbase_url = \"https://a:b@x.test\"", "base_url"),
        ("[analysis]\nprovider = \"google_ai_overview\"", "analysis.provider"),
        ("[analysis]\nprovider = \"google_ai_mode\"", "analysis.provider"),
        ("[analysis]\nprovider = \"bard\"", "analysis.provider"),
        ("[mentions]\nmax_runs_per_day = 5", "max_runs_per_day"),
    ];

    for (toml, key) in cases {
        let error = Config::from_toml(toml).unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
}
