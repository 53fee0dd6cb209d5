//! Tests of reports: their content, and the escaping of the audited site's texts.

use audit_engine::engine::{AuditOptions, audit};
use audit_engine::source::{AuditFetch, FetchFailure, PageSource, RenderedDocument, Response};
use crawler::NetworkConfig;
use futures::future::BoxFuture;

use super::*;

/// A site of one page whose address and title attack the reader of the report.
struct HostilePage;

impl PageSource for HostilePage {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        Box::pin(async move {
            let is_page = request.url.path() == "/" || request.url.query().is_some();
            let mut response = Response { status: if is_page { 200 } else { 404 }, ..Response::default() };
            response.headers.insert("content-type", "text/html".parse().unwrap());
            response.body =
                "<title>=1+1</title><title>=2</title><a href=\"/?=cmd|'<script>alert(1)</script>\">=1+1</a>"
                    .into();
            Ok(response)
        })
    }

    fn render<'a>(&'a self, _: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        Box::pin(async move { None })
    }

    fn now_ms(&self) -> i64 {
        1_795_000_000_000
    }
}

async fn hostile_audit() -> Audit {
    let options = AuditOptions::follow(Url::parse("https://site.example/").unwrap());
    audit(&HostilePage, &options, &mut |_| {}).await
}

fn html_report(audit: &Audit) -> String {
    let mut report = Vec::new();
    html::write(audit, &mut report).unwrap();
    String::from_utf8(report).unwrap()
}

#[tokio::test]
async fn the_html_report_shows_what_each_finding_rests_on() {
    let report = html_report(&hostile_audit().await);

    let (_, issue) = report.split_once("id=\"TITLE_MULTIPLE\"").unwrap();
    let (issue, _) = issue.split_once("</details>").unwrap();
    assert!(issue.contains("<td class=\"number\">2</td>"), "{issue}");
    assert!(issue.contains("<li>=1+1") && issue.contains("<li>=2"), "{issue}");
}

#[tokio::test]
async fn links_of_the_html_report_stay_on_the_audited_site_or_lead_to_sources() {
    let report = html_report(&hostile_audit().await);

    let links: Vec<&str> =
        report.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.len() > 5);
    for link in links {
        assert!(link.starts_with(['#']) || link.starts_with("https://"), "{link}");
    }
}

#[tokio::test]
async fn the_html_report_holds_no_script_and_forbids_any() {
    let report = html_report(&hostile_audit().await);

    assert!(!report.contains("<script"));
    assert!(report.contains("default-src 'none'"));
    assert!(report.contains("TITLE_MULTIPLE"));
}

#[tokio::test]
async fn no_cell_of_the_csv_report_is_a_formula() {
    let report = report::csv(&hostile_audit().await);

    assert!(report.lines().count() > 5);
    for cell in report.lines().skip(1).flat_map(|line| line.split("\",\"")) {
        assert!(!cell.trim_start_matches('"').starts_with(['=', '+', '@']), "{cell}");
    }
}

#[tokio::test]
async fn fail_on_looks_at_the_worst_finding() {
    let audit = hostile_audit().await;

    assert!(fails(FailOn::Error, &audit) && fails(FailOn::Notice, &audit));
    assert!(!fails(FailOn::Never, &audit));
}

#[test]
fn a_mistyped_check_is_answered_with_the_nearest_one() {
    let error = find_check("title_mising").unwrap_err();

    assert_eq!(error.to_string(), "there is no check \"title_mising\"; did you mean TITLE_MISSING?");
}

#[test]
fn a_header_that_cannot_be_read_is_not_repeated() {
    let error = parse_header("Authorization s3cret").unwrap_err();

    assert!(!error.to_string().contains("s3cret"));
    assert!(parse_header("X-A: b: c").is_ok_and(|(_, value)| value == "b: c"));
}

#[test]
fn the_progress_bar_can_be_drawn() {
    assert!(ProgressStyle::with_template(BAR).is_ok());
}

#[tokio::test]
async fn a_private_address_is_refused_with_the_setting_that_allows_it() {
    let site = Url::parse("http://127.0.0.1:8080/").unwrap();
    let closed = Network::new(NetworkConfig::default()).unwrap();
    let allow_private = vec!["127.0.0.0/8".parse().unwrap()];
    let open = Network::new(NetworkConfig { allow_private, ..NetworkConfig::default() }).unwrap();

    assert!(refusal(&closed, &site).await.unwrap().contains("network.allow_private"));
    assert_eq!(refusal(&open, &site).await, None);
}
