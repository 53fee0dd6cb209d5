//! Tests of the format that is taken for a log, and of logs in it.

use super::*;

/// Imports a log in a format.
async fn import_as(
    app: &TestApp,
    domain: &Domain,
    format: LogFormat,
    log: &str,
) -> Result<Imported, ImportError> {
    let mut import = Import::new(&app.state.platform, app.state.visits.clone(), domain.clone(), format);
    import.read(&mut log.as_bytes()).await?;
    import.finish().await
}

/// Makes a log of each format with a visit of the domain, and one of another host where the format has hosts.
fn logs() -> Vec<(LogFormat, String, u64)> {
    let at = "2026-11-20T11:00:00Z";
    let combined = combined_line("/a");
    let json = |of: &dyn Fn(&str) -> serde_json::Value| {
        ["shop.example", "other.example"].map(|host| of(host).to_string()).join("\n")
    };
    let traefik = json(
        &|host| json!({ "StartUTC": at, "RequestHost": host, "RequestPath": "/a", "DownstreamStatus": 200, "request_User-Agent": GPTBOT }),
    );
    let caddy = json(
        &|host| json!({ "ts": at, "request": { "host": host, "uri": "/a", "headers": { "User-Agent": [GPTBOT] } } }),
    );
    let cloudflare = json(
        &|host| json!({ "EdgeStartTimestamp": at, "ClientRequestHost": host, "ClientRequestPath": "/a", "ClientRequestUserAgent": GPTBOT }),
    );
    let fastly = json(
        &|host| json!({ "timestamp": at, "host": host, "url": "/a", "status": 200, "request_user_agent": GPTBOT }),
    );
    let vercel = json(&|host| {
        let proxy = json!({ "timestamp": 1_795_172_400_000_i64, "host": host, "path": "/a", "userAgent": [GPTBOT], "statusCode": 200 });
        json!({ "source": "static", "requestId": host, "proxy": proxy })
    });
    let alb = ["shop.example", "other.example"].map(|host| {
        format!(r#"h2 {at} app/lb/1 203.0.113.9:2817 - 0.1 0.1 0.1 200 - 0 57 "GET https://{host}:443/a HTTP/2.0" "{GPTBOT}" - -"#)
    });
    let cloudfront = ["shop.example", "other.example"]
        .map(|host| format!("2026-11-20\t11:00:00\t/a\t{host}\t200\t{}", GPTBOT.replace(' ', "%20")));
    let iis = ["shop.example", "other.example"]
        .map(|host| format!("2026-11-20 11:00:00 /a {host} 200 {}", GPTBOT.replace(' ', "+")));
    vec![
        (LogFormat::Combined, combined.clone(), 0),
        (LogFormat::VhostCombined, format!("shop.example:443 {combined}\nother.example:80 {combined}"), 1),
        (LogFormat::Traefik, format!(r#"{combined} 1 "web@docker" "http://10.0.0.2:80" 12ms"#), 0),
        (LogFormat::Traefik, traefik, 1),
        (LogFormat::Caddy, caddy, 1),
        (LogFormat::Cloudflare, cloudflare, 1),
        (
            LogFormat::Cloudfront,
            format!(
                "#Fields: date time cs-uri-stem x-host-header sc-status cs(User-Agent)\n{}",
                cloudfront.join("\n")
            ),
            1,
        ),
        (LogFormat::Alb, alb.join("\n"), 1),
        (
            LogFormat::Iis,
            format!("#Fields: date time cs-uri-stem cs-host sc-status cs(User-Agent)\n{}", iis.join("\n")),
            1,
        ),
        (LogFormat::Fastly, fastly, 1),
        (LogFormat::Vercel, vercel.clone(), 1),
        (LogFormat::Vercel, format!("[{}]", vercel.replace('\n', ",")), 1),
        (LogFormat::Ndjson, json!({ "ts": at, "path": "/a", "userAgent": GPTBOT }).to_string(), 0),
    ]
}

#[tokio::test]
async fn the_format_of_a_log_is_told_by_its_lines_and_other_hosts_are_left_out() {
    let app = TestApp::new().await;
    let account = app.account("a@x.example", Plan::Business).await;
    for asked in [true, false] {
        for (format, log, others) in logs() {
            let domain = app.domain(&account, "shop.example").await;
            let asked = if asked { LogFormat::Auto } else { format };

            let imported = import_as(&app, &domain, asked, &log).await.expect("a log");

            let Imported { visits, lines_of_others, lines_unreadable, .. } = imported;
            assert_eq!((visits, lines_of_others, lines_unreadable), (1, others, 0), "{asked:?}: {log}");
            assert_eq!(imported.format, Some(format), "{log}");
            assert_eq!(imported.lines_without_host, u64::from(others == 0), "{log}");
            app.state.domains.remove(&domain).await.expect("the database is there");
        }
    }
}

#[tokio::test]
async fn the_first_hundred_lines_tell_the_format() {
    let app = TestApp::new().await;
    let domain = shop(&app).await;
    let nonsense = |lines: usize| "nonsense\n".repeat(lines);

    let taken =
        import_as(&app, &domain, LogFormat::Auto, &(nonsense(99) + &lines(0, 3))).await.expect("a log");
    let refused = import_as(&app, &domain, LogFormat::Auto, &(nonsense(100) + &lines(0, 3))).await;

    assert_eq!((taken.format, taken.visits, taken.lines_unreadable), (Some(LogFormat::Combined), 3, 99));
    let Err(ImportError::OtherFormat { lines: 100, form: None }) = refused else { panic!("{refused:?}") };
    let empty = import_as(&app, &domain, LogFormat::Auto, "").await.expect("an empty log");
    assert_eq!(empty, Imported::default());
}

#[tokio::test]
async fn a_log_that_is_followed_is_taken_by_its_first_lines_and_counts_once() {
    let app = TestApp::new().await;
    let domain = shop(&app).await;
    let mut import =
        Import::new(&app.state.platform, app.state.visits.clone(), domain.clone(), LogFormat::Auto);

    import.read(&mut "nonsense\n".as_bytes()).await.unwrap();
    assert_eq!(import.imported().format, None);
    import.read(&mut lines(0, 2).as_bytes()).await.unwrap();
    assert_eq!(import.imported().visits, 2);
    import.read(&mut lines(2, 5).as_bytes()).await.unwrap();
    let again =
        import_as(&app, &domain, LogFormat::Auto, &("nonsense\n".to_owned() + &lines(0, 5))).await.unwrap();

    assert_eq!((import.imported().visits, again.visits, again.visits_known), (5, 0, 5));
}

#[tokio::test]
async fn lines_of_one_request_are_one_visit() {
    let app = TestApp::new().await;
    let domain = shop(&app).await;
    let line = |request: &str, status: i32| {
        let proxy = json!({ "timestamp": 1_795_172_400_000_i64, "host": "shop.example", "path": "/a", "userAgent": [GPTBOT], "statusCode": status });
        json!({ "source": "lambda", "requestId": request, "message": "x", "proxy": proxy }).to_string()
    };
    let log = [line("a", -1), line("a", 200), line("a", 200), line("b", 200), line("", 200), line("", 200)]
        .join("\n");

    let first = import_as(&app, &domain, LogFormat::Vercel, &log).await.unwrap();
    let again = import_as(&app, &domain, LogFormat::Vercel, &(log + "\n" + &line("b", 200))).await.unwrap();

    assert_eq!((first.lines, first.visits, first.lines_unreadable), (6, 4, 0));
    assert_eq!((again.visits, again.visits_known), (0, 4));
}

#[test]
fn an_unknown_format_is_answered_with_the_right_ones() {
    let names = LogFormat::named("apache").unwrap_err();

    assert_eq!(
        names,
        "must be one of auto, combined, vhost-combined, traefik, caddy, cloudflare, cloudfront, alb, iis, fastly, vercel, ndjson"
    );
    assert_eq!(LogFormat::named("vhost-combined"), Ok(LogFormat::VhostCombined));
}
