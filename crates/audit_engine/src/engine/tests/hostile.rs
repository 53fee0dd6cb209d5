//! Tests of hostile servers: their responses become findings, in bounded time and memory.

use bytes::Bytes;
use futures::future::BoxFuture;
use url::Url;

use super::*;
use crate::source::{AuditFetch, FetchFailure, PageSource, RenderedDocument, Response};

/// A server that answers every address with something made for it.
struct Server<F>(F);

impl<F: Fn(&Url) -> Response + Send + Sync> PageSource for Server<F> {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        Box::pin(async move {
            let mut response = (self.0)(&request.url);
            response.is_cut = response.body.len() > request.max_bytes;
            response.body.truncate(request.max_bytes);
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

fn page(body: impl Into<Bytes>) -> Response {
    let mut response = Response { status: 200, body: body.into(), ..Response::default() };
    response.headers.insert("content-type", "text/html; charset=utf-8".parse().unwrap());
    response
}

/// Audits a site that has one page.
async fn audit_of(body: impl Into<Bytes>) -> Audit {
    let body = body.into();
    let server = Server(move |url: &Url| match url.path() {
        "/" => page(body.clone()),
        _ => Response { status: 404, ..Response::default() },
    });
    audit(&server, &AuditOptions::follow(Url::parse("https://site.example/").unwrap()), &mut |_| {}).await
}

#[tokio::test(start_paused = true)]
async fn a_body_without_end_is_read_in_part_and_found_too_large() {
    let audit = audit_of("<p>shoes and boots ".repeat(200_000)).await;

    assert!(findings_of(&audit, "/").contains(&"HTML_TOO_LARGE"));
}

#[tokio::test(start_paused = true)]
async fn elements_in_elements_without_end_are_found_too_deep() {
    for element in
        ["<div>", "<b>", "<table><td>", "<a href=/a>", "<svg><desc>", "<template>", "<h1><p>", "<li><ul>"]
    {
        let audit = audit_of(element.repeat(300_000 / element.len())).await;

        assert_eq!(audit.pages, 1, "{element}");
    }
    assert!(findings_of(&audit_of("<div>".repeat(50_000)).await, "/").contains(&"DOM_TOO_DEEP"));
}

#[tokio::test(start_paused = true)]
async fn values_of_megabytes_are_cut_in_evidence_and_reports() {
    let long = "a".repeat(1_500_000);
    let audit = audit_of(format!(
        "<title>b</title><title>{long}</title><a href='/{long}'>{long}</a><img src='/{long}'>"
    ))
    .await;

    let row = audit.rows().find(|row| row.page.path == "/").unwrap();
    let evidence = serde_json::to_string(&row.details.findings).unwrap();

    assert!(findings_of(&audit, "/").contains(&"TITLE_MULTIPLE"));
    assert!(evidence.len() < 100_000, "{}", evidence.len());
}

#[tokio::test(start_paused = true)]
async fn a_row_keeps_little_of_a_page_of_megabytes() {
    let long = "a ".repeat(200_000);
    let metas: String =
        (0..500).map(|number| format!("<meta property=og:x{number} content='{long:.200}'>")).collect();
    let audit = audit_of(format!(
        "<html lang='{long}'><title>{long}</title>{metas}<h1>{long}</h1><a href='/{long}'>a</a>"
    ))
    .await;

    let row = audit.rows().find(|row| row.page.path == "/").unwrap();

    assert!(serde_json::to_string(&row).unwrap().len() < 60_000);
    assert_eq!(audit.row_count(), 1);
}

#[tokio::test(start_paused = true)]
async fn bytes_that_are_no_text_are_a_page_all_the_same() {
    let noise: Vec<u8> =
        (0..60_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();

    assert_eq!(audit_of(noise).await.pages, 1);
}

#[tokio::test(start_paused = true)]
async fn redirects_without_end_end() {
    let server = Server(|url: &Url| {
        let Ok(number) = url.path().trim_start_matches('/').parse::<u64>() else {
            return Response { status: 404, ..Response::default() };
        };
        let mut response = Response { status: 302, ..Response::default() };
        response.headers.insert("location", format!("/{}", number + 1).parse().unwrap());
        response
    });
    let options = AuditOptions::follow(Url::parse("https://site.example/1").unwrap());

    let audit = audit(&server, &options, &mut |_| {}).await;

    assert!(audit.row_count() < 40, "{}", audit.row_count());
    assert!(findings_of(&audit, "/1").contains(&"REDIRECT_CHAIN_TOO_LONG"));
}
