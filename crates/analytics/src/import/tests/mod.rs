//! Tests of the lines of each format, of the lines that are visits, and that no line counts twice.

mod formats;
mod known;
mod taken;

use serde_json::json;

use super::*;
use crate::sums::Scope;
use crate::testing::*;
use domains::Domain;
use platform::plans::Plan;

const GPTBOT: &str =
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";

fn combined_line(path: &str) -> String {
    format!(r#"203.0.113.9 - - [20/Nov/2026:11:00:00 +0000] "GET {path} HTTP/1.1" 200 512 "-" "{GPTBOT}""#)
}

/// Parses a line of a log without columns.
fn parsed(format: LogFormat, line: &str) -> Option<LogLine<'_>> {
    format.parse(line, &Columns::default())
}

fn at(text: &str) -> Timestamp {
    Timestamp::from_millis(text.parse::<jiff::Timestamp>().expect("a time").as_millisecond())
}

#[test]
fn combined_lines_are_read_with_their_escapes_and_time_zone() {
    let text = r#"2001:db8::1 - frank [20/Nov/2026:13:00:00 +0200] "HEAD /a%20b?q=\"x\" HTTP/2.0" 404 0 "https://x.example/\x22" "Bot \"quoted\" \\ \x41" "more" 12"#;

    let line = parsed(LogFormat::Combined, text).expect("a line");

    assert_eq!(line.at, at("2026-11-20T11:00:00Z"));
    assert_eq!(line.path, r#"/a%20b?q="x""#);
    assert_eq!(line.user_agent, r#"Bot "quoted" \ A"#);
    assert_eq!((line.method.as_deref(), line.status), (Some("HEAD"), Some(404)));
    assert_eq!(line.address, Some("2001:db8::1".parse().unwrap()));
}

#[test]
fn cloudflare_lines_are_read_with_any_of_their_time_formats() {
    for time in [json!("2026-11-20T11:00:00Z"), json!(1_795_172_400), json!(1_795_172_400_000_000_000_u64)] {
        let text = json!({
            "EdgeStartTimestamp": time, "ClientRequestURI": "/a?b=1", "ClientRequestUserAgent": GPTBOT, "ClientRequestMethod": "GET",
            "ClientIP": "203.0.113.9", "EdgeResponseStatus": 200, "EdgeResponseContentType": "text/html", "EdgeTimeToFirstByteMs": 41,
            "CacheCacheStatus": "hit",
        });

        let text = text.to_string();
        let line = parsed(LogFormat::Cloudflare, &text).expect("a line");

        assert_eq!(line.at, at("2026-11-20T11:00:00Z"), "{time}");
        assert_eq!((&*line.path, line.duration), ("/a?b=1", Duration::from_millis(41)));
    }
}

#[test]
fn a_line_with_a_host_before_the_address_is_not_of_the_combined_format() {
    let line = combined_line("/a");
    let user = line.replace("- - [", "- john doe [");

    for other in [
        format!("shop.example:443 {line}"),
        format!("other.example {line}"),
        format!("shop.example:80 {}", line.replace("203.0.113.9", "crawl-1.example")),
    ] {
        assert_eq!(parsed(LogFormat::Combined, &other), None, "{other}");
        assert!(parsed(LogFormat::VhostCombined, &other).is_some_and(|line| line.host.is_some()), "{other}");
    }
    let of_list = format!("203.0.113.7, {line}");
    for own in [&line, &user, &of_list, &line.replace("203.0.113.9", "crawl-1.example")] {
        assert!(parsed(LogFormat::Combined, own).is_some(), "{own}");
        assert_eq!(parsed(LogFormat::VhostCombined, own), None, "{own}");
    }
}

#[test]
fn a_request_of_a_worker_is_no_visit_beside_its_visitors() {
    let visit = |fields: serde_json::Value| {
        let mut line = json!({ "EdgeStartTimestamp": "2026-11-20T11:00:00Z", "ClientRequestPath": "/a", "ClientRequestUserAgent": GPTBOT,
            "EdgeResponseStatus": 200 });
        line.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        let (domain, ranges) = (DomainId::from("d"), RangeTable::default());
        let now = at("2026-11-20T12:00:00Z");
        let counting = Counting { domain: &domain, first_day: 0, host: "shop.example", ranges: &ranges, now };
        counting.visit(&parsed(LogFormat::Cloudflare, &line.to_string()).expect("a line")).is_some()
    };

    for of_worker in [
        json!({ "WorkerSubrequest": true }),
        json!({ "ParentRayID": "8f2a6c1d9e0b7a34" }),
        json!({ "ClientRequestSource": "edgeWorkerFetch" }),
        json!({ "ClientIP": "2a06:98c0:3600::103" }),
    ] {
        assert!(!visit(of_worker.clone()), "{of_worker}");
    }
    for of_visitor in [
        json!({}),
        json!({ "WorkerSubrequest": false, "ParentRayID": "00", "ClientRequestSource": "eyeball" }),
        json!({ "ParentRayID": "", "WorkerSubrequestCount": 1 }),
    ] {
        assert!(visit(of_visitor.clone()), "{of_visitor}");
    }
}

#[test]
fn caddy_lines_are_read_with_the_client_behind_proxies() {
    let text = json!({
        "level": "info", "ts": 1_795_172_400.25, "logger": "http.log.access", "msg": "handled request", "status": 200, "duration": 0.012,
        "request": { "remote_ip": "10.0.0.1", "client_ip": "203.0.113.9", "method": "GET", "host": "shop.example", "uri": "/a",
            "headers": { "User-Agent": [GPTBOT] } },
        "resp_headers": { "Content-Type": ["text/html; charset=utf-8"] },
    });

    let text = text.to_string();
    let line = parsed(LogFormat::Caddy, &text).expect("a line");

    assert_eq!(line.at, at("2026-11-20T11:00:00.250Z"));
    assert_eq!(line.address, Some("203.0.113.9".parse().unwrap()));
    assert_eq!((&*line.user_agent, line.duration), (GPTBOT, Duration::from_millis(12)));
}

#[test]
fn caddy_lines_are_read_with_any_of_its_time_and_duration_formats() {
    let read = |ts: serde_json::Value, duration: serde_json::Value| {
        let request = json!({ "method": "GET", "uri": "/a", "headers": { "User-Agent": [GPTBOT] } });
        let text = json!({ "ts": ts, "status": 200, "duration": duration, "request": request }).to_string();
        parsed(LogFormat::Caddy, &text).map(|line| (line.at, line.duration))
    };
    let times = [
        json!(1_795_172_400),
        json!(1_795_172_400_000.0),
        json!("2026-11-20T13:00:00.000+0200"),
        json!("2026-11-20T11:00:00Z"),
        json!("2026/11/20 11:00:00"),
        json!("2026/11/20 11:00:00.000000000"),
        json!("20/Nov/2026:13:00:00 +0200"),
    ];
    let durations = [
        (json!(1.5), Duration::from_millis(1_500)),
        (json!("1.5s"), Duration::from_millis(1_500)),
        (json!("12.25ms"), Duration::from_micros(12_250)),
        (json!("840.5µs"), Duration::from_nanos(840_500)),
        (json!("1m2.5s"), Duration::from_millis(62_500)),
        (json!("soon"), Duration::ZERO),
        (json!(12_000_000_u64), Duration::ZERO),
    ];

    for time in times {
        let (at, _) = read(time.clone(), json!(0.1)).expect("a line");
        assert_eq!(at, self::at("2026-11-20T11:00:00Z"), "{time}");
    }
    for (text, duration) in durations {
        assert_eq!(read(json!(1_795_172_400), text.clone()).expect("a line").1, duration, "{text}");
    }
    assert_eq!(read(json!("yesterday"), json!(0.1)), None);
}

#[test]
fn a_status_that_does_not_exist_is_not_of_the_format_and_none_at_all_is_no_visit() {
    let cloudflare = |status: u32| {
        json!({ "EdgeStartTimestamp": "2026-11-20T11:00:00Z", "ClientRequestPath": "/a", "ClientRequestUserAgent": GPTBOT,
            "EdgeResponseStatus": status })
        .to_string()
    };
    let ours = |status: u32| {
        json!({ "ts": "2026-11-20T11:00:00Z", "path": "/a", "userAgent": GPTBOT, "status": status })
            .to_string()
    };

    for status in [1, 99, 600, 999, 65_535, 65_536] {
        assert_eq!(parsed(LogFormat::Ndjson, &ours(status)), None, "{status}");
        assert_eq!(parsed(LogFormat::Cloudflare, &cloudflare(status)), None, "{status}");
    }
    for status in [0, 100, 599] {
        assert!(parsed(LogFormat::Ndjson, &ours(status)).is_some(), "{status}");
        assert!(parsed(LogFormat::Cloudflare, &cloudflare(status)).is_some(), "{status}");
    }
    assert!(visit_of(json!({ "status": 0 })).is_none() && visit_of(json!({ "status": 599 })).is_some());
}

#[test]
fn our_own_lines_say_how_the_page_was_served() {
    let text = |served: &str| {
        json!({ "ts": "2026-11-20T11:00:00Z", "path": "/a", "userAgent": GPTBOT, "servedBy": served })
            .to_string()
    };

    let (cache, nonsense) = (text("cache"), text("magic"));

    assert_eq!(parsed(LogFormat::Ndjson, &cache).map(|line| line.served), Some(ServedBy::Cache));
    assert_eq!(parsed(LogFormat::Ndjson, &nonsense), None);
}

#[test]
fn what_is_not_of_the_format_is_no_line_of_it() {
    let formats = [LogFormat::Combined, LogFormat::Cloudflare, LogFormat::Caddy, LogFormat::Ndjson];
    let combined = combined_line("/a");
    let texts = [
        "",
        "{}",
        "[]",
        "null",
        "\"",
        "\\",
        "1.2.3.4 - - [] \"\" 200 1 \"\" \"\"",
        &combined[..60],
        "{\"ts\":1e400}",
    ];
    for format in formats {
        for text in texts {
            assert_eq!(parsed(format, text), None, "{format:?} {text}");
        }
    }
}

/// Returns the visit of a line of the own format with these fields over those of a crawler's visit.
fn visit_of(fields: serde_json::Value) -> Option<Visit> {
    let mut line =
        json!({ "ts": "2026-11-20T11:00:00Z", "path": "/a?q=1#top", "userAgent": GPTBOT, "status": 200 });
    line.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    let (domain, ranges) = (DomainId::from("d"), RangeTable::default());
    let counting = Counting {
        domain: &domain,
        first_day: 0,
        host: "shop.example",
        ranges: &ranges,
        now: at("2026-11-20T12:00:00Z"),
    };
    counting.visit(&parsed(LogFormat::Ndjson, &line.to_string()).expect("a line"))
}

#[test]
fn a_page_that_a_crawler_got_is_a_visit_from_the_origin() {
    let visit = visit_of(json!({})).expect("a visit");

    assert_eq!((&*visit.path, visit.served), ("/a", ServedBy::Origin));
    assert_eq!(visit.crawler.provider, "openai");
    assert!(
        visit_of(json!({ "status": 404 })).is_some(),
        "a page that is not there is one that a crawler got"
    );
}

#[test]
fn a_masked_address_says_nothing_of_a_crawler() {
    let folder = tempfile::tempdir().expect("a folder");
    let published = json!({ "updated": "2026-11-01", "networks": ["20.15.240.0/24"] });
    let file = json!({ "feeds": { "https://openai.com/gptbot.json": published } }).to_string();
    std::fs::write(folder.path().join("crawler-ranges.json"), file).expect("a folder of this test");
    let (domain, ranges) = (DomainId::from("d"), RangeTable::of_installation(folder.path()));
    let now = at("2026-11-20T12:00:00Z");
    let counting =
        Counting { domain: &domain, first_day: Day::MIN, host: "shop.example", ranges: &ranges, now };
    let verified = |address: &str| {
        let line = json!({ "ts": "2026-11-20T11:00:00Z", "path": "/a", "userAgent": GPTBOT, "ip": address });
        let visit = counting.visit(&parsed(LogFormat::Ndjson, &line.to_string()).expect("a line"));
        visit.expect("a visit").verified
    };

    for address in ["9.9.9.0", "8.8.0.0", "20.15.240.0", "2620:fe::", "172.71.10.20"] {
        assert_eq!(verified(address), Verified::Unknown, "{address}");
    }
    assert_eq!(verified("9.9.9.9"), Verified::No);
}

#[test]
fn a_path_is_counted_as_the_edge_would_count_it() {
    let visit = visit_of(json!({ "path": "/a\u{0}b\n" })).expect("a visit");
    let plain = visit_of(json!({ "path": "/x/../caf\u{e9}?q=1" })).expect("a visit");

    assert_eq!((&*visit.path, &*plain.path), ("/a%00b%0A", "/caf%C3%A9"));
}

#[test]
fn bytes_that_are_no_text_are_counted_as_the_edge_counts_them() {
    let raw = combined_line("/a?").replace('?', "\u{ff}").chars().map(|c| c as u8).collect::<Vec<_>>();
    let escaped = combined_line(r"/a\xFF\xC3\xBC").into_bytes();

    let paths = [raw, escaped].map(|bytes| {
        let text = text_of(&bytes).into_owned();
        parsed(LogFormat::Combined, &text).map(|line| counted_path(&line.path).into_owned())
    });

    assert_eq!(paths, [Some("/a%FF".to_owned()), Some("/a%FF%C3%BC".to_owned())]);
}

#[test]
fn people_redirects_and_assets_are_no_visits() {
    let others = [
        json!({ "userAgent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36" }),
        json!({ "status": 301 }),
        json!({ "status": 304 }),
        json!({ "path": "/app.js?v=1" }),
        json!({ "path": "*" }),
    ];
    for fields in others {
        assert!(visit_of(fields.clone()).is_none(), "{fields}");
    }
    let posted = combined_line("/a").replace("GET", "POST");
    let line = parsed(LogFormat::Combined, &posted).expect("a line");
    let (domain, ranges) = (DomainId::from("d"), RangeTable::default());
    assert!(
        Counting { domain: &domain, first_day: 0, host: "shop.example", ranges: &ranges, now: line.at }
            .visit(&line)
            .is_none()
    );
}

async fn import(app: &TestApp, domain: &Domain, text: &str) -> Imported {
    let mut import =
        Import::new(&app.state.platform, app.state.visits.clone(), domain.clone(), LogFormat::Combined);
    import.read(&mut text.as_bytes()).await.expect("the text can be read");
    import.finish().await.expect("the database is there")
}

async fn shop(app: &TestApp) -> Domain {
    let account = app.account("a@x.example", Plan::Business).await;
    app.domain(&account, "shop.example").await
}

async fn counted(app: &TestApp) -> i64 {
    let mut visits = 0;
    for domain in app.state.domains.list(None).await.unwrap() {
        let totals = app.state.visits.totals(&domain.id, (0, 40_000)).await.unwrap();
        let shown = totals.iter().filter(|total| Scope::WithOrigin.counts(&total.kind));
        visits += shown.map(|total| total.visits as i64).sum::<i64>();
    }
    visits
}

fn lines(from: usize, to: usize) -> String {
    (from..to).map(|number| combined_line(&format!("/{}", number % 700)) + "\n").collect()
}

#[tokio::test]
async fn lines_of_other_hosts_are_no_visits_of_the_domain() {
    let app = TestApp::new().await;
    let domain = shop(&app).await;
    let hosts =
        ["shop.example", "www.shop.example:443", "SHOP.example.", "", "blog.shop.example", "203.0.113.1"];
    let cloudflare = hosts.map(|host| {
        json!({ "EdgeStartTimestamp": "2026-11-20T11:00:00Z", "ClientRequestHost": host, "ClientRequestPath": "/a",
            "ClientRequestUserAgent": GPTBOT })
        .to_string()
    });
    let caddy = hosts.map(|host| {
        let request = json!({ "host": host, "uri": "/a", "headers": { "User-Agent": [GPTBOT] } });
        json!({ "ts": 1_795_172_400, "request": request }).to_string()
    });

    for (format, lines) in [(LogFormat::Cloudflare, cloudflare), (LogFormat::Caddy, caddy)] {
        let store = app.state.visits.clone();
        let mut import = Import::new(&app.state.platform, store, domain.clone(), format);
        let imported = import.read(&mut (lines.join("\n") + "\n").as_bytes()).await.unwrap();

        assert_eq!((imported.lines, imported.visits, imported.lines_of_others), (6, 4, 2), "{format:?}");
        assert_eq!(imported.lines_unreadable, 0, "{format:?}");
    }
}

#[tokio::test]
async fn a_log_of_another_form_is_refused_by_its_first_lines_and_counts_nothing() {
    let app = TestApp::new().await;
    let domain = shop(&app).await;
    let vhost: String =
        (0..200).map(|n| format!("other.example:443 {}\n", combined_line(&format!("/{n}")))).collect();
    let caddy = json!({ "ts": 1_795_172_400, "request": { "uri": "/a" } }).to_string();
    let iis = "#Fields: date time cs-uri-stem cs(User-Agent)\n2026-11-20 11:00:00 /a GPTBot/1.2\n".to_owned();

    for (text, lines, seen) in [
        (vhost, 100, Some(LogFormat::VhostCombined)),
        (caddy, 1, Some(LogFormat::Caddy)),
        (iis, 2, Some(LogFormat::Iis)),
        ("nonsense".to_owned(), 1, None),
    ] {
        let store = app.state.visits.clone();
        let mut import = Import::new(&app.state.platform, store, domain.clone(), LogFormat::Combined);
        let refused = match import.read(&mut text.as_bytes()).await {
            Ok(_) => import.finish().await.unwrap_err(),
            Err(error) => error,
        };

        let ImportError::OtherFormat { lines: read, form } = refused else { panic!("{refused:?}") };
        assert_eq!((read, form), (lines, seen));
    }
    assert_eq!(counted(&app).await, 0);
}

#[tokio::test]
async fn the_number_of_visits_is_the_one_that_reports_show() {
    let app = TestApp::with("[analytics]\nkeep_days = 40").await;
    let domain = shop(&app).await;
    let ranges =
        json!({ "https://openai.com/gptbot.json": { "updated": "2026-11-20", "networks": ["8.8.4.0/24"] } });
    let file = app.state.platform.config.storage.data_dir.join("crawler-ranges.json");
    std::fs::write(file, json!({ "feeds": ranges }).to_string()).unwrap();
    let line = |days_ago: i64, ip: &str| {
        let at = crate::testing::NOON.as_millis() - days_ago * 86_400_000;
        json!({ "ts": at, "path": "/a", "userAgent": GPTBOT, "ip": ip }).to_string() + "\n"
    };
    let lines = [
        line(0, "8.8.4.4"),
        line(1, "8.8.8.8"),
        line(39, "8.8.4.4"),
        line(40, "8.8.4.4"),
        line(-1, "8.8.4.4"),
        line(-3, "8.8.4.4"),
    ];

    let store = app.state.visits.clone();
    let mut import = Import::new(&app.state.platform, store, domain.clone(), LogFormat::Ndjson);
    import.read(&mut lines.concat().as_bytes()).await.unwrap();
    let imported = import.finish().await.unwrap();

    assert_eq!((imported.lines, imported.visits, imported.spoofed, imported.expired), (6, 2, 1, 3));
    assert_eq!(counted(&app).await, 2);
}

#[tokio::test]
async fn the_same_log_twice_changes_nothing() {
    TestApp::on_each_visit_store(async |app| {
        let domain = shop(&app).await;
        let text = lines(0, 2_500);

        let (first, second) = (import(&app, &domain, &text).await, import(&app, &domain, &text).await);

        assert_eq!((first.lines, first.visits, first.lines_known), (2_500, 2_500, 0));
        assert_eq!((second.lines, second.visits, second.lines_known), (2_500, 0, 2_500));
        assert_eq!(counted(&app).await, 2_500);
    })
    .await;
}

#[tokio::test]
async fn a_log_that_has_grown_adds_its_new_lines_only() {
    TestApp::on_each_visit_store(async |app| {
        let domain = shop(&app).await;

        for end in [3, 1_002, 1_003, 4_000] {
            import(&app, &domain, &lines(0, end)).await;
            assert_eq!(counted(&app).await, end as i64);
        }
    })
    .await;
}

#[tokio::test]
async fn a_log_that_was_read_in_the_middle_of_a_line_counts_the_line_once() {
    let app = TestApp::new().await;
    let domain = shop(&app).await;
    let text = lines(0, 30);

    for cut in [text.len() - 1, text.len() - 40, text.len()] {
        import(&app, &domain, &text[..cut]).await;
    }

    assert_eq!(counted(&app).await, 30);
}

#[tokio::test]
async fn two_imports_of_one_log_at_once_count_it_once() {
    TestApp::on_each_visit_store(async |app| {
        let domain = shop(&app).await;
        let text = lines(0, 1_500);

        tokio::join!(import(&app, &domain, &text), import(&app, &domain, &text));

        assert_eq!(counted(&app).await, 1_500);
    })
    .await;
}

#[tokio::test]
async fn another_log_with_the_same_start_counts_what_is_different() {
    let app = TestApp::new().await;
    let domain = shop(&app).await;

    import(&app, &domain, &lines(0, 10)).await;
    import(&app, &domain, &(lines(0, 5) + &lines(100, 105))).await;

    // Nothing proves that the first five lines of the other log are the same requests, so they are counted with it.
    assert_eq!(counted(&app).await, 20);
}

#[tokio::test]
async fn a_removed_domain_forgets_what_was_imported() {
    TestApp::on_each_visit_store(async |app| {
        let domain = shop(&app).await;
        import(&app, &domain, &lines(0, 10)).await;

        app.state.analytics.forget_domain(&domain.id).await.expect("the database is there");

        assert_eq!(import(&app, &domain, &lines(0, 10)).await.visits, 10);
    })
    .await;
}

#[tokio::test]
async fn an_endless_line_takes_bounded_memory_and_ends_with_its_end() {
    let app = TestApp::new().await;
    let domain = shop(&app).await;
    let text = "x".repeat(300_000) + "\n" + &combined_line("/a");

    let imported = import(&app, &domain, &text).await;

    assert_eq!((imported.lines, imported.lines_unreadable, imported.visits), (2, 1, 1));
}

#[tokio::test]
async fn a_log_without_times_says_nothing_about_them() {
    let app = TestApp::new().await;
    let domain = shop(&app).await;

    import(&app, &domain, &lines(0, 3)).await;

    let mut conn = app.state.platform.db.read().await.expect("the database is there");
    let timed: i64 = store::on_engine!(conn, |c| {
        sqlx::query_scalar("select count(*) from visit_days where times <> '{}'").fetch_one(c).await
    })
    .expect("the table is there");
    assert_eq!((app.visits().await.len(), timed), (3, 0));
}

#[tokio::test]
async fn how_long_answers_to_impostors_took_is_not_counted() {
    TestApp::on_each_visit_store(async |app| {
        let domain = shop(&app).await;
        let ranges =
            json!({ "https://openai.com/gptbot.json": { "updated": "2026-11-20", "networks": ["8.8.4.0/24"] } });
        let file = app.state.platform.config.storage.data_dir.join("crawler-ranges.json");
        std::fs::write(file, json!({ "feeds": ranges }).to_string()).unwrap();
        let line = |ip: &str| {
            let (at, path) = (crate::testing::NOON.as_millis(), "/a");
            json!({ "ts": at, "path": path, "userAgent": GPTBOT, "servedBy": "cache", "durationMs": 5, "ip": ip })
                .to_string()
                + "\n"
        };

        import_week(&app, &domain, &[line("8.8.8.8"), line("8.8.4.4")], 2).await.unwrap();

        let times = app.state.visits.times(&domain.id, (0, 40_000)).await.unwrap();
        assert_eq!(times.into_iter().map(|(key, count)| (key.0, count)).collect::<Vec<_>>(), [(ServedBy::Cache, 1)]);
    })
    .await;
}

#[tokio::test]
async fn a_log_of_several_months_out_of_order_counts_each_line_once() {
    TestApp::on_each_visit_store(async |app| {
        let domain = shop(&app).await;
        let months = ["Nov", "Oct", "Oct", "Sep", "Nov", "Nov", "Sep"];
        let line = |month: &&str| combined_line("/a").replace("Nov", month) + "\n";
        let text: String = months.iter().map(line).collect();

        let first = import(&app, &domain, &text).await;
        let second = import(&app, &domain, &format!("{text}{}", combined_line("/b"))).await;

        assert_eq!((first.lines, first.visits, first.lines_known), (7, 7, 0));
        assert_eq!((second.lines, second.visits, second.lines_known), (8, 1, 7));
        assert_eq!(counted(&app).await, 8);
    })
    .await;
}

/// Makes lines of a week in random order, from today to six days ago, impostors among them.
fn week(seed: u64, lines: usize) -> Vec<String> {
    use rand::prelude::*;
    let mut random = rand::rngs::StdRng::seed_from_u64(seed);
    let mut line = || {
        let days_ago = random.random_range(0..7_i64);
        let line = json!({
            "ts": crate::testing::NOON.as_millis() - days_ago * 86_400_000,
            "path": format!("/{}", random.random_range(0..40)),
            "userAgent": (["GPTBot/1.2", "bingbot/2.0", "Googlebot/2.1"].choose(&mut random)),
            "servedBy": (["cache", "render", "origin"].choose(&mut random)),
            "status": ([200, 200, 404].choose(&mut random)),
            "durationMs": random.random_range(0..2_000),
            "ip": (["203.0.113.9", "8.8.8.8", "66.249.66.1"].choose(&mut random)),
        });
        format!("{line}\n")
    };
    (0..lines).map(|_| line()).collect()
}

/// Counts lines, `at_once` at a time. Returns the number of visits.
async fn import_week(
    app: &TestApp,
    domain: &Domain,
    lines: &[String],
    at_once: usize,
) -> Result<u64, ImportError> {
    let store = app.state.visits.clone();
    let mut import = Import::new(&app.state.platform, store, domain.clone(), LogFormat::Ndjson);
    for part in lines.chunks(at_once) {
        import.read(&mut part.concat().as_bytes()).await?;
    }
    Ok(import.finish().await?.visits)
}

#[tokio::test]
async fn a_log_that_is_read_in_large_parts_says_the_same_as_in_small_ones() {
    use crate::stores::tests::{domains, reports};
    TestApp::on_each_engine(async |app| {
        let (large, small) = domains(&app).await;

        for seed in 0..3 {
            let lines = week(seed, 1_200);
            import_week(&app, &large, &lines[..10], 10).await.unwrap();
            for _ in 0..2 {
                import_week(&app, &large, &lines, 1_200).await.unwrap();
            }
            import_week(&app, &small, &lines, 15).await.unwrap();

            assert_eq!(reports(&app, &large).await, reports(&app, &small).await, "seed {seed}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_import_that_fails_half_way_counts_nothing_and_then_everything() {
    TestApp::on_each_engine(async |app| {
        let (domain, lines) = (shop(&app).await, week(7, 500));

        for table in ["visits", "visit_totals", "visit_paths", "visit_days"] {
            execute(&app, format!("alter table {table} rename to aside")).await;
            let failed = import_week(&app, &domain, &lines, 500).await;
            execute(&app, format!("alter table aside rename to {table}")).await;

            assert!(failed.is_err(), "{table}");
            assert_eq!(counted(&app).await, 0, "{table}");
        }

        let visits = import_week(&app, &domain, &lines, 500).await.unwrap();
        assert_eq!(counted(&app).await, visits as i64);
    })
    .await;
}

async fn execute(app: &TestApp, sql: String) {
    let mut tx = app.state.platform.db.write().await.unwrap();
    store::on_engine!(tx, |c| sqlx::query(sqlx::AssertSqlSafe(sql.clone())).execute(c).await.map(drop))
        .unwrap();
    tx.commit().await.unwrap();
}
