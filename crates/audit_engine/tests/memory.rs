//! Memory that hostile pages cost. A test binary of its own, because the peak of a process includes all tests that run in it.

use audit_engine::engine::{Audit, AuditOptions, audit};
use audit_engine::source::{AuditFetch, FetchFailure, PageSource, RenderedDocument, Response};
use bytes::Bytes;
use futures::future::BoxFuture;
use url::Url;

/// Most that one hostile page may cost, in KiB.
const MOST_KIB: u64 = 64 * 1024;
const PAGE_BYTES: usize = 2 * 1024 * 1024;

/// A site with one page, which a browser makes the same of.
struct OnePage(Bytes);

impl PageSource for OnePage {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        Box::pin(async move {
            if request.url.path() != "/" {
                return Ok(Response { status: 404, ..Response::default() });
            }
            let mut response = Response { status: 200, body: self.0.clone(), ..Response::default() };
            response.headers.insert("content-type", "text/html; charset=utf-8".parse().expect("a constant"));
            Ok(response)
        })
    }

    fn render<'a>(&'a self, _: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        let html = String::from_utf8_lossy(&self.0).into_owned();
        Box::pin(async move { Some(RenderedDocument { html, ..RenderedDocument::default() }) })
    }

    fn now_ms(&self) -> i64 {
        1_795_000_000_000
    }
}

async fn audit_of(body: String) -> Audit {
    let site = OnePage(Bytes::from(body));
    let mut options = AuditOptions::follow(Url::parse("https://site.example/").expect("a constant"));
    options.max_pages = 1;
    audit(&site, &options, &mut |_| {}).await
}

/// Returns the peak memory of the process, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says it");
    line.trim().trim_end_matches(" kB").parse().expect("it is a number")
}

/// Makes a document of two mebibytes that repeats a piece below a long base address.
fn document(head: &str, piece: &str) -> String {
    let base = format!("<base href='https://site.example/{}/'>", "b".repeat(16 * 1024 - 100));
    let start = format!("<!doctype html>{base}{head}");
    let copies = (PAGE_BYTES - start.len()) / piece.len();
    start + &piece.repeat(copies) + "{}]</script>"
}

#[tokio::test]
async fn a_hostile_page_costs_at_most_sixty_four_mebibytes() {
    audit_of("<p>a sound page".to_owned()).await;
    let start = peak_kib();

    for (name, head, piece) in [
        ("links", "", "<a href=x>"),
        ("bare links", "", "<a>"),
        ("pictures", "", "<img src=x>"),
        ("scripts", "", "<script src=x></script>"),
        ("headings", "", "<h1>"),
        ("blocks", "", "<p>a"),
        ("language versions", "", "<link rel=alternate hreflang=de href=x>"),
        ("canonicals", "", "<link rel=canonical href=x>"),
        ("ids", "", "<b id=x>"),
        ("items", "", "<b itemscope itemtype=a></b>"),
        ("properties", "<body itemscope>", "<b itemprop='a b c d e f g h' content=xxxxxxxxxxxxxxxxxxxx>"),
        ("items in items", "", "<b itemprop='a b c d' itemscope>"),
        ("objects", "<script type=application/ld+json>[", "{\"a\":0},"),
        ("fragments", "", "<a href=#xxxxxxxxxxxx>"),
    ] {
        let audit = audit_of(document(head, piece)).await;

        let (cost, left_out) = (peak_kib().saturating_sub(start), audit.crawl_stats.left_out);
        assert!(cost <= MOST_KIB, "{name}: {} MiB", cost / 1024);
        assert_eq!((audit.pages, left_out.pages), (1, 1), "{name}: what is left out is said");
    }
}
