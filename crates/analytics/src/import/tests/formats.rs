//! Tests of the formats of vendors: lines of their documentation, and odd lines.

use super::*;
use crate::import::reader::{LineReader, Reading};

/// Reads a log. Returns its lines but the empty ones and directives; none for a line that is not of the format.
fn read(format: LogFormat, log: &str) -> Vec<Option<LogLine<'_>>> {
    let mut reader = LineReader::new(format);
    let readings = log.lines().map(|line| match reader.read(line) {
        Reading::Line(line) => Some(Some(line)),
        Reading::Nothing => None,
        Reading::Unreadable => Some(None),
    });
    readings.flatten().collect()
}

/// Reads a log of one line in the format.
fn one(format: LogFormat, log: &str) -> LogLine<'_> {
    read(format, log).pop().flatten().unwrap_or_else(|| panic!("{format:?}: {log}"))
}

fn address(text: &str) -> Option<IpAddr> {
    Some(text.parse().expect("an address"))
}

#[test]
fn lines_of_apaches_vhost_combined_name_their_host() {
    let line = |host: &str, client: &str| {
        format!(
            r#"{host} {client} [10/Oct/2026:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326 "http://a.example/?a=1,2" "Mozilla/4.08 [en] (Win98; I ;Nav), \"x\"""#
        )
    };

    for host in ["www.shop.example:443", "shop.example", "[2001:db8::1]:80"] {
        let text = line(host, "127.0.0.1 - frank");
        let read = one(LogFormat::VhostCombined, &text);
        assert_eq!((read.named_host(), read.address), (Some(host), address("127.0.0.1")));
        assert_eq!(read.user_agent, r#"Mozilla/4.08 [en] (Win98; I ;Nav), "x""#);
        assert_eq!((read.at, read.status), (at("2026-10-10T20:55:36Z"), Some(200)));
    }
    let nameless = line("-", "2001:db8::1 - -");
    assert_eq!(one(LogFormat::VhostCombined, &nameless).named_host(), None);
    let cut = line("shop.example:80", "127.0.0.1 - -");
    assert_eq!(read(LogFormat::VhostCombined, &cut[..cut.len() - 3]), [None]);
}

#[test]
fn of_several_addresses_none_is_taken() {
    let line = |client: &str| combined_line("/a").replace("203.0.113.9", client);

    for (client, taken) in [
        ("203.0.113.9", address("203.0.113.9")),
        ("2001:db8::1", address("2001:db8::1")),
        ("203.0.113.9, 10.0.0.1", None),
        ("203.0.113.9,10.0.0.1", None),
        ("2001:db8::1, 198.51.100.7, 10.0.0.1", None),
        ("-", None),
        ("crawl-66-249.example", None),
    ] {
        assert_eq!(one(LogFormat::Combined, &line(client)).address, taken, "{client}");
    }
}

#[test]
fn traefiks_common_lines_have_a_duration_and_no_host() {
    let text = r#"203.0.113.9 - - [20/Nov/2026:11:00:00 +0000] "GET /api/version?x=\"y\" HTTP/2.0" 200 53 "-" "GPTBot/1.2 \"q\"" 42 "web@docker" "http://172.18.0.3:80" 12ms"#;

    let read = one(LogFormat::Traefik, text);

    assert_eq!((read.at, read.duration), (at("2026-11-20T11:00:00Z"), Duration::from_millis(12)));
    assert_eq!((&*read.path, read.named_host()), (r#"/api/version?x="y""#, None));
    assert_eq!(read.user_agent, r#"GPTBot/1.2 "q""#);
    let refused =
        r#"203.0.113.9 - - [20/Nov/2026:11:00:00 +0000] "GET / HTTP/1.1" 404 19 "-" "-" 1 "-" "-" 0ms"#;
    assert_eq!(one(LogFormat::Traefik, refused).status, Some(404));
    for other in [&text[..text.len() - 2], &text[..text.len() - 30], &combined_line("/a")] {
        assert_eq!(parsed(LogFormat::Traefik, other), None, "{other}");
    }
}

#[test]
fn traefiks_json_lines_name_their_host() {
    let entry = |fields: serde_json::Value| {
        let mut entry = json!({
            "ClientAddr": "[2001:db8::7]:58512", "ClientHost": "2001:db8::7", "ClientPort": "58512", "ClientUsername": "-",
            "DownstreamContentSize": 5, "DownstreamStatus": 200, "Duration": 1_234_567, "OriginDuration": 1_000_000, "OriginStatus": 200,
            "RequestAddr": "shop.example", "RequestContentSize": 0, "RequestCount": 3, "RequestHost": "shop.example",
            "RequestMethod": "GET", "RequestPath": "/a?b=1", "RequestPort": "-", "RequestProtocol": "HTTP/2.0",
            "RetryAttempts": 0, "RouterName": "web@docker", "StartLocal": "2026-11-20T13:00:00.5+02:00",
            "StartUTC": "2026-11-20T11:00:00.5Z", "entryPointName": "websecure", "level": "info", "msg": "",
            "request_User-Agent": GPTBOT, "downstream_Content-Type": "text/html; charset=utf-8", "time": "2026-11-20T13:00:01+02:00",
        });
        entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        entry.to_string()
    };

    let text = entry(json!({}));
    let read = one(LogFormat::Traefik, &text);

    assert_eq!((read.at, read.named_host()), (at("2026-11-20T11:00:00.500Z"), Some("shop.example")));
    assert_eq!((read.address, read.duration), (address("2001:db8::7"), Duration::from_nanos(1_234_567)));
    assert_eq!((&*read.user_agent, &*read.path), (GPTBOT, "/a?b=1"));
    let without = entry(json!({ "ClientHost": null, "StartUTC": null, "RequestHost": "-" }));
    let read = one(LogFormat::Traefik, &without);
    assert_eq!((read.at, read.address), (at("2026-11-20T11:00:01Z"), address("2001:db8::7")));
    assert_eq!(read.named_host(), None);
}

const CLOUDFRONT: &str = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) \
    cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher \
    x-edge-response-result-type cs-protocol-version fle-status fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type \
    sc-content-len sc-range-start sc-range-end\n";

/// Makes a line of CloudFront with these columns over those of a documented line.
fn of_cloudfront(columns: &[(&str, &str)]) -> String {
    let names: Vec<&str> = CLOUDFRONT.split("#Fields: ").nth(1).unwrap().split_whitespace().collect();
    let line = "2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.24\tGET\td111111abcdef8.cloudfront.net\t/index.html\t200\t-\t\
        Mozilla/5.0%20(Windows%20NT%2010.0;%20Win64;%20x64)%20AppleWebKit/537.36%20(KHTML,%20like%20Gecko)%20Chrome/78.0.3904.108%20Safari/537.36\t\
        -\t-\tHit\tSOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==\td111111abcdef8.cloudfront.net\thttps\t23\t0.001\t-\tTLSv1.2\t\
        ECDHE-RSA-AES128-GCM-SHA256\tHit\tHTTP/2.0\t-\t-\t11040\t0.001\tHit\ttext/html\t78\t-\t-";
    let mut values: Vec<&str> = line.split('\t').collect();
    for (name, value) in columns {
        values[names.iter().position(|column| column == name).expect("a column")] = value;
    }
    CLOUDFRONT.to_owned() + &values.join("\t")
}

#[test]
fn cloudfronts_lines_have_the_columns_that_their_log_names() {
    let documented = of_cloudfront(&[]);

    let read = one(LogFormat::Cloudfront, &documented);

    assert_eq!((read.at, read.status), (at("2019-12-04T21:02:31Z"), Some(200)));
    assert_eq!((&*read.path, read.method.as_deref()), ("/index.html", Some("GET")));
    assert_eq!((read.address, read.duration), (address("192.0.2.24"), Duration::from_millis(1)));
    assert_eq!(read.content_type.as_deref(), Some("text/html"));
    assert!(read.user_agent.starts_with("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit"));
    let twice = of_cloudfront(&[
        ("cs(User-Agent)", "GPTBot/1.2%2520(a;%2520b)"),
        ("c-ip", "2001:db8::1"),
        ("x-host-header", "www.shop.example"),
    ]);
    let read = one(LogFormat::Cloudfront, &twice);
    assert_eq!((&*read.user_agent, read.named_host()), ("GPTBot/1.2 (a; b)", Some("www.shop.example")));
    assert_eq!(read.address, address("2001:db8::1"));
    let broken_off = of_cloudfront(&[("sc-status", "000"), ("x-host-header", "-")]);
    let read = one(LogFormat::Cloudfront, &broken_off);
    assert_eq!((read.status, read.named_host()), (Some(0), None));
}

#[test]
fn a_line_without_its_columns_is_not_of_the_format() {
    let documented = of_cloudfront(&[]);
    let row = documented.lines().last().unwrap();
    let cut = format!("{CLOUDFRONT}{}", &row[..row.len() - 5]);

    assert_eq!(read(LogFormat::Cloudfront, row), [None]);
    assert_eq!(read(LogFormat::Cloudfront, &cut), [None]);
    assert_eq!(read(LogFormat::Iis, &documented), [None]);
    assert_eq!(read(LogFormat::Iis, "#Fields: date time cs-uri-stem\n2026-11-20 11:00:00 /a"), [None]);
}

#[test]
fn a_chosen_set_of_cloudfronts_columns_is_read_in_its_order() {
    let log = "#Fields: timestamp(ms)\tcs-uri-stem\tcs(User-Agent)\tc-ip\n1795172400250\t/a\tGPTBot/1.2\t-\n";

    let read = one(LogFormat::Cloudfront, log);

    assert_eq!((read.at, &*read.path), (at("2026-11-20T11:00:00.250Z"), "/a"));
    assert_eq!((read.address, read.named_host(), read.status), (None, None, None));
}

#[test]
fn lines_of_iis_change_their_columns_with_the_directives_between_them() {
    let log = "\u{feff}#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n#Date: 2026-11-20 11:00:00\r\n\
        #Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\r\n\
        2026-11-20 11:00:00 10.0.2.10 GET /Dashboard.aspx a=1,2 443 DOMAIN\\jsmith 2001:db8::1 Mozilla/5.0+(compatible;+Googlebot/2.1;++http://www.google.com/bot.html) https://a.example/ 200 0 0 1250\r\n\
        #Software: Microsoft Internet Information Services 10.0\r\n\
        #Fields: date time c-ip cs-host cs-method cs-uri-stem sc-status cs(User-Agent)\r\n\
        2026-11-20 11:00:01 - www.shop.example GET /b 404 -\r\n\
        2026-11-20 11:00:02 - www.shop";

    let lines = read(LogFormat::Iis, log);

    let [Some(first), Some(second), None] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(
        (first.at, &*first.path, first.status),
        (at("2026-11-20T11:00:00Z"), "/Dashboard.aspx", Some(200))
    );
    assert_eq!((first.address, first.duration), (address("2001:db8::1"), Duration::from_millis(1250)));
    assert!(first.user_agent.contains("compatible; Googlebot/2.1;"), "{}", first.user_agent);
    assert_eq!(
        (second.named_host(), second.status, second.address),
        (Some("www.shop.example"), Some(404), None)
    );
    assert_eq!((first.named_host(), &*second.user_agent), (None, ""));
}

/// Makes a line of a balancer, as the documentation has it, with this client, status, request and user agent.
fn of_alb(client: &str, status: &str, request: &str, user_agent: &str) -> String {
    format!(
        r#"https 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 {client} 10.0.0.1:80 0.086 0.048 0.037 {status} 200 0 57 "{request}" "{user_agent}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067 "Root=1-58337281-1d84f3d73c47ec4e58577259" "www.example.com" "arn:aws:acm:us-east-2:123456789012:certificate/12345678-1234-1234-1234-123456789012" 1 2018-07-02T22:22:48.364000Z "authenticate,forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_123456"#
    )
}

#[test]
fn lines_of_a_load_balancer_name_host_and_path_in_their_request() {
    let documented = of_alb(
        "192.168.131.39:2817",
        "200",
        "GET https://www.example.com:443/a%20b?c=1,2 HTTP/1.1",
        "curl/7.46.0",
    );

    let read = one(LogFormat::Alb, &documented);

    assert_eq!((read.at, read.status), (at("2018-07-02T22:23:00.186Z"), Some(200)));
    assert_eq!((&*read.path, read.named_host()), ("/a%20b", Some("www.example.com")));
    assert_eq!((read.address, &*read.user_agent), (address("192.168.131.39"), "curl/7.46.0"));
    assert_eq!(read.duration.as_millis(), 171);
    let odd = of_alb(
        "2001:db8:0:0:0:0:0:1:2817",
        "460",
        "GET http://shop.example:80/ HTTP/2.0",
        r#"a \"b\" \x22c\x22, d"#,
    );
    let read = one(LogFormat::Alb, &odd);
    assert_eq!((read.address, &*read.user_agent), (address("2001:db8::1"), r#"a "b" "c", d"#));
    let bracketed = of_alb("[2001:db8::1]:2817", "-", "- http://www.example.com:80- -", "-");
    let read = one(LogFormat::Alb, &bracketed);
    assert_eq!((read.address, read.status), (address("2001:db8::1"), Some(0)));
}

#[test]
fn a_line_of_a_load_balancer_that_is_cut_or_of_another_kind_is_not_of_the_format() {
    let whole =
        of_alb("192.168.131.39:2817", "200", "GET https://www.example.com:443/ HTTP/1.1", "curl/7.46.0");
    let user_agent = whole.find("7.46.0").expect("the user agent");

    for other in [&whole[..user_agent], &whole[..60], &whole.replacen("https", "tls", 1)] {
        assert_eq!(parsed(LogFormat::Alb, other), None, "{other}");
    }
    let failed = whole.replace("0.086 0.048 0.037", "-1 -1 -1");
    assert_eq!(one(LogFormat::Alb, &failed).duration, Duration::ZERO);
}

#[test]
fn fastlys_lines_are_read_with_the_names_of_its_examples() {
    let documented = json!({
        "timestamp": "2026-11-20T13:00:00+0200", "client_ip": "2001:db8::1", "geo_country": "germany", "geo_city": "berlin",
        "host": "shop.example", "url": "/a?b=\"1\",2", "request_method": "GET", "request_protocol": "HTTP/2", "request_referer": "",
        "request_user_agent": "GPTBot/1.2 \"q\"\t", "response_state": "HIT", "response_status": 200, "response_reason": "OK",
        "response_body_size": 512, "fastly_server": "cache-ber1", "fastly_is_edge": true,
    });
    let short = json!({ "timestamp": "2026-11-20T11:00:00Z", "client_ip": "203.0.113.9, 10.0.0.1", "host": "", "url": "https://shop.example/a",
        "status": "200", "request_user_agent": GPTBOT });

    let text = documented.to_string();
    let read = one(LogFormat::Fastly, &text);
    assert_eq!((read.at, read.status, &*read.path), (at("2026-11-20T11:00:00Z"), Some(200), "/a?b=\"1\",2"));
    assert_eq!((read.address, read.named_host()), (address("2001:db8::1"), Some("shop.example")));
    assert_eq!((read.method.as_deref(), &*read.user_agent), (Some("GET"), "GPTBot/1.2 \"q\"\t"));
    for text in [short.to_string(), format!("<134>2026-11-20T11:00:00Z cache-ber1 shop[62959]: {short}")] {
        let read = one(LogFormat::Fastly, &text);
        assert_eq!((read.named_host(), &*read.path), (Some("shop.example"), "/a"));
        assert_eq!((read.address, read.status), (None, Some(200)));
    }
    assert_eq!(parsed(LogFormat::Fastly, &text[..text.len() - 1]), None);
}

#[test]
fn vercels_lines_are_of_the_request_that_they_name() {
    let function = json!({
        "id": "1573817250283254651097202070", "deploymentId": "dpl_233NRGRjVZX1caZrXWtz5g1TAksD", "source": "lambda",
        "host": "my-app-abc123.vercel.app", "timestamp": 1_573_817_250_283_i64, "projectId": "gdufoJxB6b9b1fEqr1jUtFkyavUU", "level": "info",
        "message": "API request processed", "entrypoint": "api/index.js", "requestId": "643af4e3-975a-4cc7-9e7a-1eda11539d90",
        "statusCode": 200, "path": "/api/users", "executionRegion": "sfo1", "environment": "production",
        "proxy": { "timestamp": 1_573_817_250_172_i64, "method": "GET", "host": "my-app.vercel.app", "path": "/api/users?page=1",
            "userAgent": ["Mozilla/5.0..."], "referer": "https://my-app.vercel.app", "region": "sfo1", "statusCode": 200,
            "clientIp": "120.75.16.101", "scheme": "https", "vercelCache": "MISS" },
    });
    let build = json!({
        "id": "1573817187330377061717300000", "deploymentId": "dpl_233NRGRjVZX1caZrXWtz5g1TAksD", "source": "build", "host": "my-app-abc123.vercel.app",
        "timestamp": 1_573_817_187_330_i64, "projectId": "gdufoJxB6b9b1fEqr1jUtFkyavUU", "level": "info",
        "message": "Build completed successfully", "buildId": "bld_cotnkcr76", "type": "stdout", "projectName": "my-app",
    });

    let text = function.to_string();
    let read = one(LogFormat::Vercel, &text);
    assert_eq!((read.at, read.named_host()), (at("2019-11-15T11:27:30.172Z"), Some("my-app.vercel.app")));
    assert_eq!((&*read.path, read.status), ("/api/users?page=1", Some(200)));
    assert_eq!((&*read.user_agent, read.address), ("Mozilla/5.0...", address("120.75.16.101")));
    assert_eq!(read.request_id.as_deref(), Some("643af4e3-975a-4cc7-9e7a-1eda11539d90"));
    let text = build.to_string();
    assert!(!one(LogFormat::Vercel, &text).is_of_visitor);
    let mut odd = function;
    odd["proxy"]["userAgent"] = json!("GPTBot/1.2");
    odd["proxy"]["statusCode"] = json!(-1);
    let text = odd.to_string();
    let read = one(LogFormat::Vercel, &text);
    assert_eq!((&*read.user_agent, read.status), ("GPTBot/1.2", Some(0)));
}
